"""The command that shows networks, tables, answers, models and features."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, print_result, say, summary_line
from netchoice.cli.tables import evaluation_lines, table_lines, table_record
from netchoice.errors import UsageError
from netchoice.features import FEATURES, Feature, FeatureResult
from netchoice.features.registry import STEPS, find, plan
from netchoice.models.builtin import spaces
from netchoice.models.space import FAMILIES, ModelSpace, by_family, family_of
from netchoice.stores import place
from netchoice.units import duration
from netchoice.user_code import load_attribute
from netchoice.validation import unknown

#: A record for JSON, and lines of text.
Shown = tuple[dict[str, Any], Iterable[str]]
#: The form of the name of a model, a space or a feature, and of module:attribute.
_NAME = re.compile(r"[\w+~-]+|[\w.]+:\w+")


@app.command()
def show(
    thing: Annotated[
        str,
        Argument(
            metavar="THING",
            help="A network file; the folder of a table, an answer, a cohort, an evaluation or simulations; "
            "models, features or spaces; or the name of one of these, also module:attribute.",
        ),
    ],
    features: Annotated[
        str | None,
        Option(
            metavar="NAME,…", help="Compute these features of a network with their costs; or all."
        ),
    ] = None,
    format: options.Format = None,
    header: options.Header = None,
    columns: options.Columns = None,
    out: Annotated[
        str | None,
        Option(
            "--out",
            "-o",
            help="Write a network to a .tsv or .graphml file, also with .gz; a table to .csv or .parquet; "
            "the report of an answer or an evaluation to .html.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show a network, a table, an answer, models or features, or write it to a file.

    Example: [bold]netchoice show net.tsv --features transitivity,n_triangles[/bold]

    The cost of a feature is the CPU time to compute it alone, with all shared steps that it uses.
    """
    names = options.split_list(features, "--features", expected="names of features, or all")
    path = place(thing)
    listed = _listed(thing, path)
    is_folder = listed is None and _exists(path) and path.is_dir()
    if names and (is_folder or listed):
        raise UsageError(
            f"--features computes features of a network; {thing} is not a network file"
        )
    if out is not None and listed:
        raise UsageError(f"--out writes networks, tables and reports; {thing} is none of them")
    if listed:
        record, lines = listed
    elif is_folder:
        record, lines = _folder(path, out)
    else:
        graph, report = options.read(thing, format, header, columns)
        record = {"reading": report.as_dict(), **graph.summary()}
        lines = [*report.lines(), summary_line(graph)]
        if out is not None:
            netchoice.write_network(graph, out)
            record["out"] = out
            lines.append(f"written to {out}")
    result = None
    if names:
        result = _computed(graph, names)
        record, lines = {**record, **result.as_dict()}, [*lines, *_values(result)]
    print_result(as_json, record, lines)
    if result is not None:
        for name, reason in result.failures.items():
            say(f"netchoice: {name} failed: {reason}", err=True)
        if all(name in result.failures for name in result.values):
            raise typer.Exit(1)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # for example a name that is too long
        return False


def _computed(graph: netchoice.Graph, names: list[str]) -> FeatureResult:
    import numpy as np

    chosen = None if names == ["all"] else names
    rng = np.random.default_rng(1)  # for the noise features
    return netchoice.compute_features(graph, chosen, rng=rng, repeat_short=True)


def _values(result: FeatureResult) -> Iterator[str]:
    yield f"{'feature':26}{'value':>18}{'cost alone':>14}"
    for name in sorted(result.values, key=lambda name: -result.seconds[name]):
        shown = "failed" if name in result.failures else f"{result.values[name]:.10g}"
        yield f"{name:26}{shown:>18}{duration(result.seconds[name]):>14}"
    yield f"all together, shared steps paid once: {duration(result.total_seconds)}"


# Folders

_AGAIN = "run the same netchoice command again with the same folder to renew it"


def _folder(path: Path, out: str | None) -> Shown:
    """Return what netchoice wrote to a folder; write a table or a report to ``out``."""
    from netchoice.choice.cohort_summary import cohort_lines
    from netchoice.choice.text import answer_lines
    from netchoice.report.build import write_report
    from netchoice.storage.kept_files import read_json
    from netchoice.storage.run_folder import ANSWER, RECORD

    if (path / "_manifest.json").exists():
        table = netchoice.ReferenceTable.load(path)
        record = table_record(table, path)
        lines = [*table_lines(record)]
        if out is not None:
            frame = table.export(out)
            record["out"] = out
            lines.append(f"wrote {len(frame)} rows and {frame.shape[1]} columns to {out}")
        return record, lines
    if (path / ANSWER).exists():
        answer = netchoice.Answer.load(path)
        record, lines = answer.as_dict(), answer_lines(answer, verbose=True)
    elif (path / "recommended.json").exists():
        record = read_json(path / "recommended.json", advice=_AGAIN)
        lines = [*evaluation_lines(record)]
    elif (path / "summary.json").exists():
        record = read_json(path / "summary.json", advice=_AGAIN)
        lines = cohort_lines(record)
    elif (path / RECORD).exists():
        references = netchoice.References.load(path)
        sizes = [str(size) for size in references]
        return {"sizes": sizes}, [f"{', '.join(references.settings.space.labels)}:", *sizes]
    else:
        raise UsageError(
            f"{path} is a folder without results of netchoice; expected a network file, or the folder of a "
            "table, an answer, a cohort, an evaluation or prepared simulations"
        )
    if out is not None:
        if place(out).suffix != ".html":
            raise UsageError(f"--out {out}; expected a name that ends in .html for a report")
        own = place(out).absolute() == (path / "report.html").absolute()
        written = write_report(path, None if own else out)
        record = {**record, "out": str(written)}
        lines.append(f"report written to {written}; open it in a browser")
    return record, lines


# Models and features


def _listed(thing: str, path: Path) -> Shown | None:
    """Return what a word or a name stands for; None if it is a file or a folder."""
    from netchoice.models.mechanisms import all_models

    if thing == "features":
        return _features([*FEATURES.values()])
    if thing == "models":
        return _space(ModelSpace("models", [*all_models().values()]))
    if thing == "spaces":
        records = [_space_record(space) for space in spaces().values()]
        texts = [", ".join(model["name"] for model in each["models"]) for each in records]
        lines = [f"{each['name']}: {text}" for each, text in zip(records, texts, strict=True)]
        return {"spaces": records}, lines
    if not _NAME.fullmatch(thing) or _exists(path):
        return None
    own = load_attribute(thing) if ":" in thing else None
    if thing in FEATURES or isinstance(own, Feature):
        return _features([find(thing)])
    if thing in spaces() or own is not None:
        return _space(netchoice.get_space(thing))
    if thing in all_models() or "+" in thing or "~" in thing:
        return _space(ModelSpace(thing, [netchoice.get_model(thing)]))
    raise unknown("file or name", thing, ["models", "features", "spaces", *spaces()])


def _features(listed: list[Feature]) -> Shown:
    lineage = plan(tuple(listed)).lineage
    records = [
        {
            "name": item.name, "definition": item.definition, "discrete": item.discrete,
            "steps": {name: STEPS[name].growth for name in lineage[item.name] if name in STEPS},
            "growth": item.growth, "version": item.version,
        }
        for item in listed
    ]  # fmt: skip
    return {"features": records}, _feature_lines(records)


def _feature_lines(records: list[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        yield f"{record['name']} ({'discrete' if record['discrete'] else 'continuous'})"
        yield f"    {record['definition']}"
        used = ", ".join(f"{name} ({growth})" for name, growth in record["steps"].items())
        own = record["growth"] or "not stated"
        yield f"    own time grows as {own}; shared steps and their growth: {used or 'none'}"


def _space(space: ModelSpace) -> Shown:
    record = _space_record(space)
    return record, _space_lines(record)


def _space_record(space: ModelSpace) -> dict[str, Any]:
    records = [
        {
            "name": model.name, "family": family_of(model), "description": model.description,
            "weight": weight,
            "parameters": {
                name: {"prior": str(spec.prior), "meaning": spec.meaning}
                for name, spec in model.parameters.items()
            },
            "reference": model.reference,
        }
        for model, weight in zip(space.models, space.weights, strict=True)
    ]  # fmt: skip
    families = [
        {"name": name, "description": FAMILIES.get(name, ""), "models": [m.name for m in members]}
        for name, members in by_family(space).items()
    ]
    return {"name": space.name, "families": families, "models": records}


def _space_lines(space: dict[str, Any]) -> Iterator[str]:
    """Yield the models of a space; those of several families below the names of their families."""
    models, families = {model["name"]: model for model in space["models"]}, space["families"]
    margin = "  " if len(families) > 1 else ""
    for family in families:
        if margin:
            yield f"{family['name']}: {family['description']}".rstrip(": ")
        for name in family["models"]:
            yield from (f"{margin}{line}" for line in _model_lines(models[name]))


def _model_lines(model: dict[str, Any]) -> Iterator[str]:
    yield f"{model['name']:5} {model['description']}"
    for name, spec in model["parameters"].items():
        yield f"      {name:15} {spec['prior']:25} {spec['meaning']}".rstrip()
    if model["reference"]:
        yield f"      {model['reference']}"
