"""Options that several commands share, and the parsing of their texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from typer import Argument, BadParameter, Option

import netchoice
from netchoice.errors import UsageError
from netchoice.stores import place
from netchoice.validation import unknown

#: The space of choose and prepare if no models are named.
DEFAULT_SPACE = "duplication"


#: What to do with isolated nodes, what a measurement misses, and file formats of figures.
Isolated = Literal["keep", "drop"]
Thinning = Literal["edges", "nodes"]
FigureFormat = Literal["png", "svg", "pdf"]

AsJson = Annotated[bool, Option("--json", help="Print one JSON object instead of text.")]

# Networks and models
Network = Annotated[Path, Argument(help="A network file in any supported format.")]
Format = Annotated[str | None, Option(help=f"One of {', '.join(netchoice.io.FORMATS)}.")]
Header = Annotated[bool | None, Option(help="Is the first line of an edge list a header?")]
Columns = Annotated[
    str | None,
    Option(
        metavar="A,B", help="The columns of an edge list with the nodes: names, or numbers from 1."
    ),
]
Space = Annotated[
    str | None,
    Argument(help="A model space by name, or module:attribute. Optional with --mix."),
]
Mix = Annotated[
    list[str] | None,
    Option(
        metavar="A+B",
        help="Add the mixture of two growing models, and the two models, to the space; without a "
        "space, compare these only. Can be repeated.",
    ),
]
Thin = Annotated[
    Thinning | None,
    Option(help="Observe only a part of the edges, or of the nodes, of every simulated network."),
]
Match = Annotated[
    Path | None,
    Option(metavar="NETWORK", help="Match the density (edges per node) of this network."),
]
Prior = Annotated[
    list[str] | None,
    Option(metavar="NAME=DIST", help='Replace a prior: "p_delete=uniform(0,1)" or p_delete=0.5.'),
]
IsolatedNodes = Annotated[
    Isolated | None,
    Option(
        help="keep: grow to the number of nodes; drop: grow to that many non-isolated nodes and drop "
        "the others. Default: keep, or drop if an observed network (of choose, or --match) has none."
    ),
]

Nodes = Annotated[int | None, Option("--nodes", "-n", help="Number of nodes of each network.")]

# Computation
Workers = Annotated[
    int | None, Option(min=1, help="Number of processes or threads; one per core by default.")
]
Engine = Annotated[str, Option(help="serial, processes, or dask://HOST:PORT.")]
Seed = Annotated[int, Option(min=0, max=2**32 - 1, help="Seed of all random numbers.")]

Rows = Annotated[
    int | None, Option(min=1, help="Use so many rows of a table only, drawn at random.")
]

# What an answer is based on
Samples = Annotated[
    int | None, Option(min=100, help="Number of simulations for inference; 20,000 by default.")
]
Features = Annotated[
    str | None,
    Option(
        metavar="NAME,…",
        help="Features to use, also your own (module:attribute); by default they are selected.",
    ),
]
SomeFeatures = Annotated[
    str | None,
    Option(metavar="NAME,…", help="These features, also your own (module:attribute), not all."),
]
Purpose = Annotated[
    str,
    Option("--for", metavar="model|parameters|both", help="What features are selected for."),
]
Method = Annotated[
    str | None,
    Option(
        "--method",
        "-m",
        metavar="NAME,…",
        help="Methods that rank features, also your own (module:attribute).",
    ),
]
Penalty = Annotated[float | None, Option(min=0, help="λ; by default many values are tried.")]
TimeLimit = Annotated[str | None, Option(help="Time for the whole command: 60s, 5min.")]
Inference = Annotated[
    str | None, Option(help="regression (default), forest, neighbours or ensemble.")
]
NoLocal = Annotated[
    bool,
    Option(
        "--no-local",
        help="Do not simulate near a network before its most probable model is rejected.",
    ),
]
Models = Annotated[
    str | None, Option(metavar="NAME,…", help="Models to compare instead of a space.")
]

# Costs and tables
CostScale = Annotated[str, Option(help="share: costs divided by their sum; or raw.")]
Charge = Annotated[str, Option(help="alone, or shared: shared steps are paid once.")]
Costs = Annotated[
    str | None,
    Option(
        metavar="measured|paper:ba|paper:duplication|FILE",
        help="Where costs come from; measured ones by default.",
    ),
]
Budget = Annotated[str | None, Option(help="Largest cost of the features per network: 5ms, or 2%.")]
Label = Annotated[
    str,
    Option(
        metavar="NAME[,NAME…]",
        help="What to predict: a column of a CSV file, or parameters of a simulated table.",
    ),
]
Target = Annotated[
    str,
    Option(metavar="auto|classes|numbers", help="What the column of a CSV file holds."),
]


def _folder(text: str) -> Path:
    try:
        return place(text)
    except UsageError as error:
        raise BadParameter(str(error)) from None


#: Options and arguments that are folders, on this machine or in a store.
FOLDER: dict[str, Any] = {"parser": _folder, "metavar": "FOLDER"}
OutFolder = Annotated[
    Path | None,
    Option("--out", "-o", help="Folder of the results; an interrupted run resumes.", **FOLDER),
]
Table = Annotated[
    Path | None,
    Option(
        help="Use the simulations of a table that netchoice simulate made, all or --samples of them.",
        **FOLDER,
    ),
]
Fresh = Annotated[
    bool, Option("--fresh", help="Delete an earlier run in the folder, and start over.")
]
Overwrite = Annotated[bool, Option("--overwrite", help="Replace the output file if it exists.")]
Figures = Annotated[
    FigureFormat, Option("--figures", help="Format of the figures that are written as files.")
]
NoReport = Annotated[
    bool, Option("--no-report", help="Do not write the report, an HTML file of some 5 MB.")
]

Value = TypeVar("Value")


def read(
    name: str, format: str | None, header: bool | None, columns: str | None
) -> tuple[netchoice.Graph, netchoice.ReadingReport]:
    """Return a network from a file."""
    names = split_list(columns, "--columns")
    return netchoice.read_network(name, format=format, header=header, columns=names)


def read_one(
    names: list[str],
    only: str | None,
    format: str | None,
    header: bool | None,
    columns: str | None,
) -> tuple[netchoice.Graph, netchoice.ReadingReport]:
    """Return a network, or the one with this id of a collection."""
    if only is None:
        return read(names[0], format, header, columns)
    nodes = split_list(columns, "--columns")
    found = netchoice.io.find_networks(names, format=format, header=header, columns=nodes)
    if only not in found.ids:
        raise unknown("network", only, found.ids)
    return found[found.ids.index(only)].read()


def model_space(
    space: str | None,
    models: str | None,
    mix: list[str] | None,
    thin: Thinning | None,
    prior: list[str] | None,
    default: str | None = None,
) -> netchoice.ModelSpace:
    """Return a space by name or of the named models, with mixtures, thinned, with some priors replaced."""
    from netchoice.models.builtin import with_mixtures

    names = split_list(models, "--models")
    if names is None and not mix:
        space = space or default
    chosen = None if space is None else netchoice.get_space(space)
    if names is not None:
        chosen = netchoice.ModelSpace("chosen", [netchoice.get_model(name) for name in names])
    if chosen is None and not mix:
        raise UsageError(
            "the model space is missing; give one, such as duplication, or --mix dmr+lpa"
        )
    if chosen is None or mix:
        chosen = with_mixtures(chosen, mix or ())
    if thin is not None:
        chosen = chosen.thinned(thin)
    return chosen.with_priors(assignments(prior, "--prior"))


def split_list(
    text: str | None, option: str, kind: Callable[[str], Any] = str,
    expected: str = "items separated by commas",
) -> list[Any] | None:  # fmt: skip
    """Return the items of a comma-separated option; None if the option is absent."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"{option} is empty; expected {expected}")
    try:
        return [kind(name) for name in names]
    except ValueError:
        expected = "integers" if kind is int else "numbers"
        raise UsageError(f"{option} {text}; expected {expected}, separated by commas") from None


def assignments(texts: Iterable[str] | None, option: str) -> dict[str, str]:
    """Parse texts of the form ``name=value`` from the command line."""
    pairs = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"{text!r} is not of the form name=value (in {option})")
        pairs[name.strip()] = value.strip()
    return pairs


def require(value: Value | None, option: str, example: str) -> Value:
    """Return the value of an option, and refuse a command without it."""
    if value is None:
        raise UsageError(f"{option} is missing; give it, for example {option} {example}")
    return value
