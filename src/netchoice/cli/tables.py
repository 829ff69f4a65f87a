"""Commands that simulate tables, and rank, evaluate and select their features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, print_result, say
from netchoice.simulate import with_priors
from netchoice.units import duration, in_seconds

if TYPE_CHECKING:
    from netchoice.choice import PilotSelection

#: The most sets that `evaluate` prints of those that more money buys.
MOST_STEPS = 8


@app.command()
def simulate(
    space: options.Space = None,
    nodes: options.Nodes = None,
    samples: Annotated[int, Option(help="Number of rows of the table.")] = 1000,
    seed: options.Seed = 1,
    out: options.OutFolder = None,
    features: options.Features = None,
    prior: options.Prior = None,
    isolated: options.IsolatedNodes = None,
    like: options.Like = None,
    workers: options.Workers = None,
    engine: options.Engine = "processes",
) -> None:
    """Simulate a reference table: networks from a model space, with features and costs.

    Example: [bold]netchoice simulate duplication --nodes 1000 --samples 5000 --out tables/train[/bold]

    If the command was stopped or killed, run it again to resume.
    """
    out = options.require(out, "--out", "tables/train")
    chosen = with_priors(options.require(space, "the model space", "duplication"), prior)
    if like is not None:
        observed, _ = netchoice.read_network(like)
        nodes = observed.n_nodes if nodes is None else nodes
        chosen = chosen.matched_to(observed, isolated=isolated)
    table = netchoice.simulate_table(
        chosen, n_nodes=options.require(nodes, "--nodes", "1000"), n_samples=samples, seed=seed,
        features=options.split_list(features, "--features"), engine=engine, workers=workers, out=out,
        isolated=isolated, on_progress=True,
    )  # fmt: skip
    say(*table_lines(table_record(table, out)))


def table_record(table: netchoice.ReferenceTable, path: Path) -> dict[str, Any]:
    """Return what a table holds: rows, labels, failures, features and costs."""
    return {
        "path": str(path), "rows": len(table),
        "labels": {str(name): int(n) for name, n in table.y.value_counts().sort_index().items()},
        "failures": table.failures.to_dict("records"),
        "not_computed": table.not_computed.to_dict("records"), "features": table.features,
        "seconds": table.costs.alone(table.features),
        "seconds_together": table.costs.cost_of_set(table.features, "shared"),
        **{name: table.manifest.get(name) for name in ("space", "n_nodes", "seed")},
    }  # fmt: skip


def table_lines(record: dict[str, Any]) -> Iterator[str]:
    """Yield a record of :func:`table_record` as text."""
    counts = ", ".join(f"{label} {n}" for label, n in record["labels"].items())
    yield f"{record['path']}: {record['rows']} rows ({counts}), {len(record['features'])} features"
    yield f"space {record['space']['name']}, {record['n_nodes']} nodes, seed {record['seed']}"
    failures = record["failures"]
    for failure in failures[:5]:
        yield f"row {failure['row']} failed: {failure['failure']}"
    if len(failures) > 5:
        yield f"… {len(failures)} rows failed in total"
    reasons = {each["feature"]: each["reason"] for each in reversed(record["not_computed"])}
    n_rows = Counter(each["feature"] for each in record["not_computed"])
    for name, reason in sorted(reasons.items()):
        yield f"{name} was not computed on {n_rows[name]} rows, for example: {reason}"
    most_expensive = sorted(record["seconds"].items(), key=lambda item: -item[1])[:5]
    shown = ", ".join(f"{name} {duration(cost)}" for name, cost in most_expensive)
    yield f"most expensive features, each alone: {shown}"
    together = duration(record["seconds_together"])
    yield f"all features of one network, each shared step paid once: {together}"


@app.command()
def rank(
    table: Annotated[
        Path, Argument(help="A table: a folder, or a CSV or Parquet file.", **options.FOLDER)
    ],
    method: options.Method = "jmi",
    penalty: Annotated[
        float, Option(min=0, help="λ, the weight of cost against information.")
    ] = 0.0,
    costs: options.Costs = None,
    charge: options.Charge = "shared",
    label: options.Label = "label",
    target: options.Target = "auto",
    rows: options.Rows = None,
    seed: options.Seed = 1,
    workers: options.Workers = None,
    as_json: options.AsJson = False,
) -> None:
    """Rank the features of a table by information minus penalty times cost.

    Example: [bold]netchoice rank tables/train --method jmi --penalty 1[/bold]

    The table can also be a CSV or Parquet file with a column of labels or numbers: [bold]netchoice rank
    patients.csv --label diagnosis --costs costs.csv --penalty 0.5[/bold]
    """
    rankings = [
        netchoice.rank_features(
            table, name, penalty=penalty, costs=costs, charge=charge, label=label, target=target,
            rows=rows, seed=seed, workers=workers, on_progress=True,
        )
        for name in options.split_list(method, "--method") or ()
    ]  # fmt: skip
    if rankings[0].costs == "none" and penalty > 0:
        say("netchoice: there are no costs, so the penalty changes nothing", err=True)
    records = [{"table": str(table), **each.as_dict()} for each in rankings]
    lines = (line for record in records for line in _ranking_lines(record))
    print_result(as_json, {"rankings": records}, lines)


def _ranking_lines(record: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{record['table']}: {record['rows']} rows, {record['target']}; {len(record['ranking'])} "
        f"features ranked by {record['method']}, penalty {record['penalty']:g}, costs: {record['costs']}, "
        f"charged {record['charge']}"
    )
    if record["constant"]:
        yield f"left out because constant: {', '.join(record['constant'])}"
    for name, other in record["equal"].items():
        yield f"{name} has the same values as {other}"
    features = record["features"]
    terms = [t for t in ("relevance", "redundancy", "interaction", "partner") if t in features[0]]
    cost_text = duration if in_seconds(record["costs"]) else "{:.4g}".format
    with_costs = "cost" in features[0]
    width = max(len("feature"), *(len(name) for name in record["ranking"]))
    head = f"{'':>4}  {'feature':<{width}} {'score':>9}" + "".join(f" {t:>11}" for t in terms)
    yield head + (f" {'cost':>10} {'cumulative':>10}" if with_costs else "")
    for row in features:
        text = f"{row['position']:>4}  {row['feature']:<{width}} {_short(row['score']):>9}"
        text += "".join(f" {_short(row[t]):>11}" for t in terms)
        if with_costs:
            text += f" {cost_text(row['cost']):>10} {cost_text(row['cumulative_cost']):>10}"
        yield text


def _short(number: float) -> str:
    return f"{number:.4f}" if abs(number) < 1e4 else f"{number:.3g}"


@app.command()
def evaluate(
    train: Annotated[
        Path, Argument(help="A table: a folder, or a CSV or Parquet file.", **options.FOLDER)
    ],
    test: Annotated[
        Path | None,
        Argument(help="Another table to test on; the first one then ranks only.", **options.FOLDER),
    ] = None,
    method: options.Method = None,
    penalty: Annotated[
        str,
        Option(metavar="auto|paper|λ,…", help="Values of λ; auto computes them from the costs."),
    ] = "auto",
    classifier: Annotated[
        str,
        Option(help="linear, knn, auto (the better of both), or module:attribute for your own."),
    ] = "auto",
    scoring: Annotated[
        str | None,
        Option(
            help="What to measure: a name of scikit-learn (balanced_accuracy, neg_log_loss, roc_auc), "
            "sensitivity@95%, a CSV file with costs of errors, or module:attribute."
        ),
    ] = None,
    loss: Annotated[
        float, Option(min=0, help="How much worse than the best set the recommended one may be.")
    ] = 0.01,
    budget: options.Budget = None,
    costs: options.Costs = None,
    charge: options.Charge = "shared",
    label: options.Label = "label",
    target: options.Target = "auto",
    rows: options.Rows = None,
    seed: options.Seed = 1,
    workers: options.Workers = None,
    out: options.OutFolder = None,
    as_json: options.AsJson = False,
) -> None:
    """Show what more money buys in accuracy, and recommend a set of features.

    Example: [bold]netchoice evaluate patients.csv --label diagnosis --costs costs.csv --out results[/bold]

    To resume an interrupted evaluation, run the same command again.
    """
    from netchoice.report import report_evaluation

    out = options.require(out, "--out", "results")
    by_name = penalty in ("auto", "paper")
    result = report_evaluation(
        train, test, out=out,
        methods=options.split_list(method, "--method"),
        penalties=penalty if by_name else options.split_list(penalty, "--penalty", float) or (),
        classifier=classifier, scoring=scoring, loss=loss, budget=budget, costs=costs, charge=charge,
        label=label, target=target, rows=rows, seed=seed, workers=workers, on_progress=True,
    )  # fmt: skip
    record = {**result.as_dict(), "out": str(out)}
    files = f"report.html, tables and figures are in {out}"
    print_result(as_json, record, (*evaluation_lines(record), files))


def evaluation_lines(record: dict[str, Any]) -> Iterator[str]:
    """Yield the record of an evaluation as text."""
    from netchoice.evaluation.recommendation import format_accuracy

    point, settings = record["recommended"], record["settings"]
    cost_text = duration if in_seconds(record["costs"]) else "{:.4g}".format
    has_costs = record["costs"] != "none"
    measure = point["measure"]

    def score_text(score: float) -> str:
        return format_accuracy(score, measure, 1)

    rule = f"at most {score_text(settings['loss'])} worse than the best set"
    if point["rule"] == "budget":
        rule = f"the best set for {settings['budget']}"
    yield f"recommended ({rule}): {', '.join(point['features'])}"
    free = point["speedup"] is None
    ratio = "free" if free else f"{point['speedup']:.3g} times cheaper than all features"
    if has_costs:
        yield f"cost, {point['charge']}: {cost_text(point['cost'])}, {ratio}"
    low, high = map(score_text, point["interval"])
    yield (
        f"{measure} on rows that were not used to choose: {score_text(point['accuracy'])} "
        f"({point['coverage']:.0%} interval {low} to {high}); the best set: "
        f"{score_text(point['best_accuracy'])}"
        + (f" for {cost_text(point['best_cost'])}" if has_costs else "")
    )
    if record["recall"]:
        shares = (f"{label} {share:.1%}" for label, share in record["recall"].items())
        yield f"correct in each class: {', '.join(shares)}"
    if by_row := record["row_by_row"]:
        text = f"{score_text(by_row['accuracy'])} for {cost_text(by_row['cost'])} on average"
        if "features" in by_row:
            text += f"; the best set for that: {score_text(by_row['set_accuracy'])}"
        yield f"each row pays only for what it needs (AcquiringClassifier): {text}"
    if settings["constant"]:
        yield f"left out because constant: {', '.join(settings['constant'])}"
    n_rows = " + ".join(map(str, settings["rows"]))
    yield (
        f"{n_rows} rows, {settings['target']}; {settings['repeats']} x {settings['folds']} folds; "
        f"predicted by {settings['classifier']}"
    )
    yield f"what {'more money buys' if has_costs else 'more features bring'} ({measure} in all folds):"
    steps = record["front"][-MOST_STEPS:]
    bills = [cost_text(s["cost"]) if has_costs else str(len(s["features"])) for s in steps]
    for step, bill in zip(steps, bills, strict=True):
        score = score_text(step["accuracy"])
        yield f"  {bill:>{max(map(len, bills))}}  {score:>6}  {', '.join(step['features'])}"
    if measure == "R²":
        error = max(0.0, 1 - point["accuracy"]) ** 0.5
        yield f"root mean squared error: {error:.4f} standard deviations of the target"


@app.command()
def pilot(
    space: options.Space = None,
    nodes: Annotated[
        int | None, Option("--nodes", "-n", help="Nodes of the networks to analyse; needed.")
    ] = None,
    pilot_nodes: Annotated[int, Option(help="Nodes of the networks to select on.")] = 1000,
    samples: Annotated[int, Option(help="Number of these networks.")] = 2000,
    features: options.Features = None,
    method: options.Method = "jmi",
    budget: options.Budget = None,
    prior: options.Prior = None,
    seed: options.Seed = 1,
    workers: options.Workers = None,
    engine: options.Engine = "processes",
    out: Annotated[
        Path | None,
        Option("--out", "-o", help="Folder to resume a stopped run in.", **options.FOLDER),
    ] = None,
    fresh: options.Fresh = False,
) -> None:
    """Select features on small networks, at the costs that they have on large networks.

    Example: [bold]netchoice pilot duplication --nodes 100000 --out pilots[/bold]

    The features distinguish the models of the space. To resume an interrupted run with --out, run the same
    command again.
    """
    found = netchoice.select_on_pilots(
        options.require(space, "the model space", "duplication"), prior=prior,
        n_nodes=options.require(nodes, "--nodes", "100000"), pilot_nodes=pilot_nodes,
        samples=samples, features=options.split_list(features, "--features"),
        method=options.split_list(method, "--method") or (), budget=budget, seed=seed,
        workers=workers, engine=engine, out=out, fresh=fresh, on_progress=True,
    )  # fmt: skip
    say(*_pilot_lines(found))


def _pilot_lines(found: PilotSelection) -> Iterator[str]:
    low, high = found.interval
    yield (
        f"{found.space}: features for networks of {found.n_nodes} nodes, from {found.samples} pilots of "
        f"{found.pilot_nodes} nodes"
    )
    yield f"selected: {', '.join(found.features)}"
    yield (
        f"accuracy with {found.pilot_nodes} nodes: {found.accuracy:.1%} (95% interval {low:.1%} to "
        f"{high:.1%})"
    )
    yield (
        f"cost with {found.n_nodes} nodes: {duration(found.cost)} per network, all features "
        f"{duration(found.cost_of_all)}"
    )
    width = max(map(len, found.ranking["feature"]))
    head = f"{'ranking':<{width}}  {'alone':>10}  {f'with {found.pilot_nodes} nodes':>16}"
    yield head
    for row in found.ranking.head(10).itertuples():
        mark = " (selected)" if row.feature in found.features else ""
        yield (
            f"{row.feature:<{width}}  {duration(row.cost):>10}  {duration(row.pilot_cost):>16}{mark}"
        )
