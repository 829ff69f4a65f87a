"""Write the reference pages of the documentation from the package itself.

``docs/conf.py`` calls `write` at the start of each build. The pages are in ``docs/reference``, which is not
under version control: commands and their options, public names, features, mechanisms, and the results of
benchmarks. `claimed` gives a value of these results to the other pages.
"""

from __future__ import annotations

import inspect
import json
import re
import runpy
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

import netchoice
from netchoice import cli
from netchoice.features.reference_costs import reference_costs
from netchoice.features.registry import FEATURES, STEPS, steps_of
from netchoice.models.builtin import spaces
from netchoice.models.mechanisms import all_models
from netchoice.models.model import Model
from netchoice.models.space import FAMILIES, by_family
from netchoice.units import duration

SOURCE = Path(netchoice.__file__).parent
#: Packages and modules that list their public names, in the order of the page.
PARTS = [
    "netchoice",
    *sorted(
        "netchoice."
        + ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        for path in SOURCE.rglob("*.py")
        if re.search(r"^__all__ = ", path.read_text("utf-8"), re.MULTILINE)
        and path.parent.name != "cli"
        and path != SOURCE / "__init__.py"
    ),
]
#: Classes that are not made by users, but returned or raised, with their modules.
RETURNED = {
    "netchoice.choice.cohort": ("CohortAnswers",),
    "netchoice.choice.answer": ("ParameterEstimate",),
    "netchoice.io.many_networks": ("NetworkSource",),
    "netchoice.models.density_matched": ("MatchedSpace",),
}
ROOT = Path(__file__).parents[1]
#: What benchmarks found, written by ``tools/results.py``, and the claims that it can measure.
RESULTS = ROOT / "results"
LEDGER = runpy.run_path(str(ROOT / "tools" / "results.py"))
CLAIMS = LEDGER["CLAIMS"]
NOT_MEASURED = "not measured on this version"
#: Features are listed with their costs for networks of these sizes.
NODES, EDGES_PER_NODE = (100, 1000), 3


def write(folder: Path) -> None:
    """Write all pages to a folder; a page that is the same is not touched, so that it is not built again."""
    folder.mkdir(exist_ok=True)
    for name, lines in (
        ("commands", commands()),
        ("api", api()),
        ("features", features()),
        ("mechanisms", mechanisms()),
        ("results", results()),
    ):
        path, text = folder / f"{name}.md", "\n".join(lines) + "\n"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    for i, cells in enumerate([head, *rows]):
        texts = [" ".join(str(cell).split()).replace("|", "\\|") for cell in cells]
        yield f"| {' | '.join(texts)} |"
        if i == 0:
            yield f"|{'---|' * len(texts)}"
    yield ""


# Commands


def command_objects() -> dict[str, Any]:
    """Return every command by its full name, the program itself first."""
    group = typer.main.get_command(cli.app)
    return {"netchoice": group} | {
        f"netchoice {name}": command for name, command in group.commands.items()
    }


def commands() -> Iterator[str]:
    """Yield the page of the commands: arguments, options, defaults and help, as ``--help`` prints them."""
    yield from (
        "# Commands", "",
        "This page is generated from the commands. `netchoice COMMAND --help` prints the same.", "",
        "The exit code is 0 after success, 1 after a failure, 2 after incorrect usage, and 130 after Ctrl-C. "
        "An error is one sentence on standard error.", "",
    )  # fmt: skip
    for name, command in command_objects().items():
        context = command.context_class(command, info_name=name)
        yield from (f"## {name}", "", "```text", context.get_usage(), "```", "")
        yield from (without_markup(command.help), "")
        for panel, parameters in panels(command).items():
            rows = [rows_of(parameter, context) for parameter in parameters]
            yield from table((panel, "meaning"), rows)


def panels(command: Any) -> dict[str, list[Any]]:
    """Return the arguments and options of a command, by the panel of its help that shows them."""
    found: dict[str, list[Any]] = {}
    for parameter in command.params:
        panel = getattr(parameter, "rich_help_panel", None)
        kind = "argument" if parameter.param_type_name == "argument" else "option"
        found.setdefault(f"{panel.lower()} {kind}" if panel else kind, []).append(parameter)
    return found


def rows_of(parameter: Any, context: Any) -> tuple[str, str]:
    """Return how a parameter is written, and what it means, with its default and bounds."""
    form, meaning = parameter.get_help_record(context)
    return f"`{form}`", without_markup(meaning).replace("~", r"\~")


def without_markup(text: str) -> str:
    """Return a help text with code instead of what the terminal shows in bold."""
    return re.sub(r"\[bold\](.*?)\[/bold\]", r"`\1`", text, flags=re.DOTALL)


# Public names


def public_names() -> dict[str, list[str]]:
    """Return the public names of each package; a name that two packages have is listed with the first."""
    found, known = {}, set()
    for part in PARTS:
        module = import_module(part)
        names = [name for name in module.__all__ if (name, id(getattr(module, name))) not in known]
        known |= {(name, id(getattr(module, name))) for name in names}
        found[part] = sorted(names)
    return found


def api() -> Iterator[str]:
    """Yield the page of the public names, which Sphinx fills with their docstrings."""
    yield from (
        "# Python", "",
        "This page is generated from the docstrings. The tests run all examples.", "",
    )  # fmt: skip
    for part, names in public_names().items():
        module = import_module(part)
        text = (module.__doc__ or "").strip().partition("\n")[0]
        yield from (f"## {part}", "", text, "", "```{eval-rst}")
        for name in names:
            yield from entry(part, name)
        yield from ("```", "")
    yield from ("## Classes that functions return", "", "```{eval-rst}")
    for module_name, names in RETURNED.items():
        for name in names:
            yield from entry(module_name, name)
    yield from ("```", "", "## Errors", "", "```{eval-rst}")
    yield from (".. automodule:: netchoice.errors", "   :members:", "   :exclude-members: one_line")
    yield from ("```", "")


def entry(part: str, name: str) -> Iterator[str]:
    """Yield the directive for one name."""
    thing, full = getattr(import_module(part), name), f"{part}.{name}"
    if inspect.isclass(thing):
        yield from (f".. autoclass:: {full}", "   :members:")
    elif callable(thing):
        yield f".. autofunction:: {full}"
    else:
        yield from (f".. py:data:: {full}", "", f"   Holds: {content(thing)}.")
    yield ""


def content(thing: Any) -> str:
    """Return what a constant holds: its names, its values, or its number.

    >>> content(("a", 1.5)), content({"b": None}), content(7)
    ('a, 1.5', 'b', '7')
    """
    parts = thing if isinstance(thing, Iterable) and not isinstance(thing, str) else [thing]
    return ", ".join(map(str, parts))


# Features


def features() -> Iterator[str]:
    """Yield the page of the features, by topic, with their costs."""
    sizes = [f"{n} nodes" for n in NODES]
    costs = [reference_costs(FEATURES, n, EDGES_PER_NODE * n) for n in NODES]
    yield from (
        "# All features", "",
        f"This page is generated from the registry of {len(FEATURES)} features. The cost is the CPU time to "
        "compute the feature alone, with all shared steps that it uses, on the machine of the reference "
        f"costs, for a network with {EDGES_PER_NODE} edges per node. A discrete feature counts; the others "
        "are continuous.", "",
    )  # fmt: skip
    topics: dict[str, list[str]] = {}
    for name, item in FEATURES.items():
        topics.setdefault(item.topic, []).append(name)
    for topic, names in topics.items():
        yield from (f"## {topic[0].upper()}{topic[1:]}", "")
        rows = (
            (
                f"`{name}`", FEATURES[name].label, FEATURES[name].definition,
                "discrete" if FEATURES[name].discrete else "",
                ", ".join(f"`{step}`" for step in steps_of(FEATURES[name])),
                *(duration(each.cost(name)) for each in costs),
            )
            for name in names
        )  # fmt: skip
        yield from table(
            ("feature", "in reports", "definition", "kind", "shared steps", *sizes), rows
        )
    yield from ("## Shared steps", "", "A step is computed once for all features that use it.", "")
    rows = (
        (f"`{name}`", step.definition, step.growth, *(duration(each.steps[name]) for each in costs))
        for name, step in STEPS.items()
        if all(name in each.steps for each in costs)
    )
    yield from table(("step", "definition", "growth of its time", *sizes), rows)


# Mechanisms


def mechanisms() -> Iterator[str]:
    """Yield the page of the mechanisms, by family, with their rules, parameters and references."""
    shown = {model.name: model for model in all_models().values()}
    shown |= {model.name: model for model in netchoice.get_space("all")}
    yield from (
        "# Mechanisms", "",
        f"This page is generated from the {len(shown)} models. The priors are those of the space `all` if a "
        "model is in it. A mechanism that grows starts from one edge and adds one node at a time; a new "
        "node links to distinct earlier nodes. `mean_links` is the mean number of links of a new node: the "
        "integer below, and one more with a probability equal to the fractional part.", "",
        "The pictures show the largest component of a network of 80 nodes, and the degree distributions of "
        "five networks of 1000 nodes, all with about two edges per node.", "",
    )  # fmt: skip
    for family, models in by_family(shown.values()).items():
        yield from (f"## {family[0].upper()}{family[1:]}", "")
        yield from (f"{capital(FAMILIES.get(family, 'models of no family'))}.", "")
        if (Path(__file__).parent / "pictures" / f"mechanisms-{family}.png").exists():
            names = ", ".join(model.name for model in models)
            yield f"![Networks and degree distributions of {names}](../pictures/mechanisms-{family}.png)"
            yield ""
        for model in models:
            yield from mechanism(model)
    yield from ("## Model spaces", "")
    yield from table(
        ("space", "models"), ((f"`{name}`", ", ".join(s.labels)) for name, s in spaces().items())
    )


def mechanism(model: Model) -> Iterator[str]:
    """Yield the section of one mechanism."""
    yield from (f"### `{model.name}`", "", f"{capital(model.description)}. {model.reference}.", "")
    for paragraph in rule(model):
        yield from (paragraph, "")
    rows = (
        (
            f"`{name}`", str(spec.prior), f"{spec.low:g} to {spec.high:g}",
            f"{spec.meaning}{'; sets the density' if spec.adapts else ''}",
        )
        for name, spec in model.parameters.items()
    )  # fmt: skip
    if model.parameters:
        yield from table(("parameter", "prior", "allowed", "meaning"), rows)


def rule(model: Model) -> list[str]:
    """Return the paragraphs of a mechanism's docstring, without its first line."""
    parts = getattr(model.function, "parts", None)
    function = parts[0][0].function if parts else model.function
    text = (inspect.getdoc(function) or "").partition("\n")[2].strip()
    return [" ".join(each.split()) for each in text.split("\n\n") if each.strip()]


def capital(text: str) -> str:
    """Return a text that starts with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


# Results


def claimed(text: str) -> str:
    """Return a value of a result as a page shows it: ``name.key``, with a format after a colon.

    >>> claimed("no-such-claim.power:.0%")
    Traceback (most recent call last):
    LookupError: tools/results.py has no claim 'no-such-claim'
    """
    name, _, rest = text.partition(".")
    key, _, form = rest.partition(":")
    if name not in CLAIMS:
        raise LookupError(f"tools/results.py has no claim {name!r}")
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return NOT_MEASURED
    values = json.loads(path.read_text("utf-8"))["values"]
    if key not in values:
        raise LookupError(f"results/{name}.json has no value {key!r}; it has {', '.join(values)}")
    return values[key] if isinstance(values[key], str) else format(values[key], form or "g")


def results() -> Iterator[str]:
    """Yield the page of the results: where the figures of other pages come from."""
    minutes = sum(claim.minutes for claim in CLAIMS.values())
    yield from (
        "# Results", "",
        "This page is generated from the claims in `tools/results.py` and the files in `results/`. Every "
        "figure about speed or accuracy on other pages is one of these values. `make results` measures what "
        "has no result, or an older one than the code that it measures. All claims together take about "
        f"{minutes / 60:.0f} CPU hours. `python tools/results.py --stale` lists what it would measure, and "
        "`python tools/results.py NAME` measures one claim.", "",
    )  # fmt: skip
    for name, claim in CLAIMS.items():
        yield from (f"## {name}", "", "```text", f"python {claim.command}", "```", "")
        path = RESULTS / f"{name}.json"
        if not path.exists():
            yield from (
                f"{capital(NOT_MEASURED)}. It takes about {claim.minutes:g} CPU minutes.",
                "",
            )
            continue
        record = json.loads(path.read_text("utf-8"))
        versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
        reason = LEDGER["why_stale"](name, claim) if (ROOT / ".git").exists() else ""
        machine = f"{record['machine']['cores']} cores, {record['machine']['cpu']}"
        yield from (
            f"Commit {record['commit'][:10]}, {record['date']}; {machine}; {versions}; "
            f"{record['cpu_seconds']} CPU seconds.{f' This result {reason}.' if reason else ''}", "",
        )  # fmt: skip
        rows = ((f"`{key}`", claimed(f"{name}.{key}")) for key in record["values"])
        yield from table(("value", ""), rows)


if __name__ == "__main__":
    write(Path(__file__).parent / "reference")
