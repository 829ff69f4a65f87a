"""Options that several commands share, and the parsing of their texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from typer import Argument, BadParameter, Option

import netchoice
from netchoice.errors import UsageError
from netchoice.stores import place

AsJson = Annotated[bool, Option("--json", help="Print one JSON object instead of text.")]

# Networks and models
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
    Argument(
        help="A model space by name, or models and mixtures: dmc,dmr+lpa; ~edges or ~nodes after a name "
        "observes a part of it; module:attribute for your own."
    ),
]
Like = Annotated[
    Path | None,
    Option(metavar="NETWORK", help="Simulate networks with the size and the density of this one."),
]
Prior = Annotated[
    list[str] | None,
    Option(metavar="NAME=DIST", help='Replace a prior: "p_delete=uniform(0,1)" or p_delete=0.5.'),
]
IsolatedNodes = Annotated[
    Literal["keep", "drop"] | None,
    Option(
        help="keep: grow to the number of nodes; drop: grow to that many non-isolated nodes and drop "
        "the others. Default: keep, or drop if an observed network (of choose, or --like) has none."
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
Features = Annotated[
    str | None,
    Option(
        metavar="NAME,…",
        help="Use these features, also your own (module:attribute), instead of the default ones.",
    ),
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
TimeLimit = Annotated[str | None, Option(help="Time for the whole command: 60s, 5min.")]
# Costs and tables
Charge = Annotated[
    str,
    Option(
        metavar="shared|alone",
        help="shared: a shared step is paid once; alone: by each feature that uses it.",
    ),
]
FeatureCosts = Annotated[
    Literal["reference", "measured"],
    Option("--costs", help="Select by costs that are the same everywhere, or as measured now."),
]
Costs = Annotated[
    str | None,
    Option(
        metavar="measured|paper:ba|paper:duplication|FILE",
        help="Where costs come from; measured ones by default.",
    ),
]
Budget = Annotated[
    str | None,
    Option(help="Largest cost of the features: 20, 5ms, or 2% of the cost of all features."),
]
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
    Option("--out", "-o", help="Folder of the results; needed. A stopped run resumes.", **FOLDER),
]
Fresh = Annotated[
    bool, Option("--fresh", help="Delete an earlier run in the folder, and start over.")
]

Value = TypeVar("Value")


def read(
    name: str, format: str | None, header: bool | None, columns: str | None
) -> tuple[netchoice.Graph, netchoice.ReadingReport]:
    """Return a network from a file."""
    names = split_list(columns, "--columns")
    return netchoice.read_network(name, format=format, header=header, columns=names)


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


def require(value: Value | None, option: str, example: str) -> Value:
    """Return the value of an option, and refuse a command without it."""
    if value is None:
        raise UsageError(f"{option} is missing; give it, for example {option} {example}")
    return value
