"""Tables and files of the atlas; ``benchmarks/atlas.py`` computes the answers."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from atlas_figures import draw_discrepancies, draw_map
from atlas_result import LEVEL, Result, bound, p_values
from scipy.stats import binomtest

import netchoice
from netchoice.evaluation import wilson
from netchoice.inference.goodness_of_fit import RATE, fewest_rejections
from netchoice.models.mixture import FAMILY as MIXTURE
from netchoice.models.space import family_of
from netchoice.report.cohort_page import write_cohort_report
from netchoice.workflows import summarise_cohort
from netchoice.workflows.choice_text import VERDICTS
from netchoice.workflows.misfit import ALTERNATIVES

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, LIST, RECORDS = DOCS / "atlas.md", DOCS / "atlas-networks.md", DOCS / "atlas.json"
#: Numbers of nodes that divide small, medium and large networks.
SIZES = (50, 200, 1000)
MARKERS = ("<!-- made by benchmarks/atlas.py -->", "<!-- end -->")


def share(count: int, total: int) -> str:
    """Return a count with its share and Wilson's 95 % interval.

    >>> share(1, 4)
    '1 of 4 (5–70%)'
    """
    low, high = wilson(count / total, total)
    return f"{count} of {total} ({100 * low:.0f}–{100 * high:.0f}%)"


def summary(result: Result) -> list[str]:
    """Return how many networks were compared."""
    kinds = Counter(entry.kind for entry in result.compared)
    others = ", ".join(f"{n} {kind}" for kind, n in kinds.items() if kind != "real")
    lines = [f"{kinds['real']} real networks were compared, and as controls {others or 'none'}."]
    copies = sum(bool(entry.copy_of) for entry in result.compared)
    if copies:
        lines.append(f"{copies} of the real networks are copies of others and are not counted.")
    unmatched = [
        entry.id
        for entry in result.compared
        if entry.kind == "real" and result.records[entry.id]["unmatched"]
    ]
    if unmatched:
        lines.append(
            "Some models made no network of the density in many tries, and have no p-value, for "
            f"{', '.join(unmatched)}."
        )
    if result.missing:
        lines.append(f"{len(result.missing)} networks were not reached within the time.")
    if result.too_large:
        lines.append(f"{len(result.too_large)} networks are too large.")
    if result.errors:
        lines.append(f"{len(result.errors)} could not be read or compared.")
    codes = Counter(record["code"] for record in result.records.values())
    if len(codes) > 1:
        listed = ", ".join(f"{code} ({n})" for code, n in codes.items())
        lines.append(f"The answers come from {len(codes)} versions of the code: {listed}.")
    return [" ".join(lines)]


def table(head: list[str], rows: list[list[object]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return [*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)]


def verdict_table(real: pd.DataFrame) -> list[str]:
    """Return the shares of verdicts in each domain."""
    head = [
        "domain", "networks", "a model fits", f"with {SIZES[1]} nodes or more", "all models rejected",
        "of these: none fits, at a false discovery rate of 5%",
        *VERDICTS.values(),
    ]  # fmt: skip
    rows: list[list[object]] = []
    for domain, own in [*real.groupby("domain"), ("all", real)]:
        n, fits, none = len(own), int(own["fits"].sum()), int(own["none"].sum())
        counts = [int((own["verdict"] == verdict).sum()) for verdict in VERDICTS]
        large = own[own["nodes"] >= SIZES[1]]
        of_large = f"{int(large['fits'].sum())} of {len(large)}" if len(large) else ""
        rows.append([domain, n, share(fits, n), of_large, n - fits, none, *counts])
    return table(head, rows)


def size_table(real: pd.DataFrame) -> list[str]:
    """Return how many networks of each size have a model that fits, and the power there."""
    rows: list[list[object]] = []
    for low, high in pairwise((0, *SIZES, np.inf)):
        own = real[(real["nodes"] >= low) & (real["nodes"] < high)]
        if len(own):
            name = f"{low} to {high - 1}" if high < np.inf else f"{low} or more"
            left = own["fitting"].map(len).median()
            powers = pd.DataFrame(list(own["power"])).reindex(columns=list(ALTERNATIVES)).median()
            power = " / ".join(f"{value:.0%}" for value in powers.dropna())
            fits = share(int(own["fits"].sum()), len(own))
            rows.append([name if low else f"below {high}", fits, f"{left:g}", power])
    head = ["nodes", "a model fits", "models that are not rejected, median", "power, medians"]
    return table(head, rows)


def rejection_lines(result: Result) -> list[str]:
    """Return for how many networks all models are rejected, next to what chance would do."""
    p = result.none_p_values
    parts = [
        f"{share(int((p <= level).sum()), len(p))} at the level {level:g}, where at most "
        f"{bound(level) * len(p):.2f} are expected if one of the models made each network"
        for level in (LEVEL, 0.05)
    ]
    lines = [f"All models are rejected for {'; for '.join(parts)}."]
    needed = fewest_rejections(len(p), bound(p.min()))
    lines.append(
        f'The smallest p-value of "none fits" is {p.min():.2g}. With {len(p)} networks and a false discovery '
        f"rate of {RATE:.0%}, it can be said of one network with such a p-value only if it can be said of "
        f"{needed} or more."
    )
    return [" ".join(lines)]


def family_table(real: pd.DataFrame) -> list[str]:
    """Return the most probable families in each domain, and the models that are not rejected."""
    families, space = sorted(real["family"].unique()), netchoice.get_space("all")
    head = ["domain", *families, "models that are not rejected most often"]

    def is_left(row: Any) -> bool:
        found = {MIXTURE if "+" in each else family_of(space[each]) for each in row.fitting}
        return row.family in found

    rows: list[list[object]] = []
    for domain, own in [*real.groupby("domain"), ("all", real)]:
        cells = []
        for family in families:
            named = own[own["family"] == family]
            left = sum(map(is_left, named.itertuples()))
            cells.append(f"{left} of {len(named)}" if len(named) else "")
        models = Counter(model for models in own["fitting"] for model in models)
        rows.append([domain, *cells, most_common(models, 4)])
    return table(head, rows)


def most_common(models: Counter[str], n: int) -> str:
    """Return the most frequent models with their counts; how many others are as frequent as the last one.

    >>> most_common(Counter({"dmc": 3, "dmr": 2, "lpa": 2, "rdg": 2, "rds": 1}), 2)
    '`dmc` 3, `dmr` 2, and 2 others with 2'
    """
    shown = models.most_common(n)
    parts = [f"`{model}` {count}" for model, count in shown]
    least = shown[-1][1] if shown else 0
    others = sum(count == least for _, count in models.most_common()[n:])
    if others:
        parts.append(f"and {others} other{'s' * (others > 1)} with {least}")
    return ", ".join(parts) or "none"


def control_lines(result: Result) -> list[str]:
    """Return what the controls show."""
    kinds = dict(tuple(result.frame.groupby("kind")))
    lines = []
    if "grown" in kinds:
        lines += grown_lines(kinds["grown"], result)
    if "foreign" in kinds:
        foreign = kinds["foreign"]
        n, fits, middle = len(foreign), int(foreign["fits"].sum()), foreign["nodes"].median()
        large = foreign[foreign["nodes"] >= middle]
        by_rule = ", ".join(
            f"{rule} {int(own['fits'].sum())} of {len(own)}"
            for rule, own in foreign.groupby("truth")
        )
        lines.append(
            f"- *foreign*: a model fits, which is false, for {share(fits, n)} ({by_rule}); of those with "
            f"{np.ceil(middle):.0f} nodes or more, for {int(large['fits'].sum())} of {len(large)}"
        )
    if "rewired" in kinds:
        rewired = kinds["rewired"]
        left = Counter(model for models in rewired["fitting"] for model in models)
        lines.append(
            f"- *rewired*: a model fits for {share(int(rewired['fits'].sum()), len(rewired))}; not rejected "
            f"most often: {most_common(left, 3)}. {rewired_line(rewired, result.frame)}"
        )
    return lines + relabelled_lines(result.frame, result.pairs)


def rewired_line(rewired: pd.DataFrame, frame: pd.DataFrame) -> str:
    """Return how many models that fit real networks also fit the same networks rewired."""
    known = frame.set_index("network")["fitting"]
    both = [
        ({*known[row.source]}, {*row.fitting})
        for row in rewired.itertuples()
        if row.source in known
    ]
    before, after = (sum(len(pair[0]) for pair in both), sum(len(a & b) for a, b in both))
    return (
        f"Of the {before} pairs of a real network and a model that fits it, the model also fits the rewired "
        f"network in {after}"
    )


def grown_lines(grown: pd.DataFrame, result: Result) -> list[str]:
    """Return how often the true mechanism of grown networks is rejected, and how often it is named."""
    n, expected = len(grown), bound(LEVEL)
    p = result.pairs.set_index(["network", "model"])["p"]
    true = np.array([p.get((row.network, row.truth), 0.0) for row in grown.itertuples()])
    counts = {
        "all models rejected": int((~grown["fits"]).sum()),
        "true model rejected": int((true <= LEVEL).sum()),
    }
    parts = [f"{name} for {share(count, n)}" for name, count in counts.items()]
    tests = [binomtest(each, n, expected, alternative="greater") for each in counts.values()]
    holds = all(test.pvalue > RATE for test in tests)
    n_large = int((grown["nodes"] >= SIZES[1]).sum())
    levels = ", ".join(
        f"{level:g} for {share(int((true <= level).sum()), n)}" for level in (0.2, 0.5)
    )
    space = netchoice.get_space("all")
    family = sum(family_of(space[row.truth]) == row.family for row in grown.itertuples())
    model = int((grown["most_probable"] == grown["truth"]).sum())
    return [
        f"- *grown*: {', '.join(parts)}; expected at most {expected:.1%}, which "
        f"{'is not contradicted' if holds else 'is contradicted'}. The p-value of the true model is at most "
        f"{levels}. The most probable model is the true one for {share(model, n)}, and the most probable "
        f"family for {share(family, n)}. They come from {grown['truth'].nunique()} of {len(space)} "
        f"mechanisms; {n_large} have {SIZES[1]} nodes or more"
    ]


def relabelled_lines(frame: pd.DataFrame, pairs: pd.DataFrame) -> list[str]:
    """Return whether relabelled networks have the answers of their originals."""
    both = frame[frame["kind"] == "relabelled"].merge(
        frame[frame["kind"] == "real"], left_on="source", right_on="network",
        suffixes=("", "_real"),
    )  # fmt: skip
    if not len(both):
        return []
    same = (both["verdict"] == both["verdict_real"]) & (both["model"] == both["model_real"])
    difference = (both["probability"] - both["probability_real"]).abs()[same].max()
    p = pairs.set_index(["network", "model"])["p"]
    largest = max(
        (p[row.network] - p[row.source]).abs().max(skipna=False) for row in both.itertuples()
    )
    return [
        f"- *relabelled*: the same verdict and model for {int(same.sum())} of {len(both)}; largest "
        f"difference of the probability {difference:.2g}, of a p-value {largest:.2g}"
    ]


def cost_lines(frame: pd.DataFrame) -> list[str]:
    """Return the CPU hours that were spent and saved."""
    hours = {name: frame[name].sum() / 3600 for name in
             ("cpu", "all_features", "saved_by_stages", "saved_by_selection")}  # fmt: skip
    millions, resumed = frame["simulations"].sum() / 1e6, int(frame["resumed"].sum())
    cut = (
        f" The time of {resumed} answers before an interruption is not counted." if resumed else ""
    )
    return [
        f"{hours['cpu']:.2f} CPU hours for {len(frame)} networks, with controls, and {millions:.2f} million "
        f"simulations. The features of all these simulations would take {hours['all_features']:.2f} CPU "
        f"hours; {hours['saved_by_stages']:.2f} were saved because the screening uses cheap features and "
        f"expensive ones are computed on a part of the simulations, and {hours['saved_by_selection']:.2f} "
        f"because the simulations for inference have the selected features only.{cut}"
    ]


def network_table(real: pd.DataFrame) -> list[str]:
    """Return a row for each real network."""
    head = [
        "network", "nodes", "edges", "verdict", "family", "model", "p", "models that are not rejected",
        "largest p",
        "parameters of the model: median and 95 % interval", "power", "largest discrepancies", "reading",
    ]  # fmt: skip
    rows: list[list[object]] = []
    for row in real.sort_values(["domain", "nodes"]).itertuples():
        p = "" if row.p is None or np.isnan(row.p) else f"{row.p:.2g}"
        fitting = ", ".join(f"`{name}`" for name in row.fitting[:4])
        more = f" and {len(row.fitting) - 4} others" if len(row.fitting) > 4 else ""
        parameters = "; ".join(
            f"{name} {each['median']:.3g} ({each['interval'][0]:.3g} to {each['interval'][1]:.3g})"
            for name, each in row.parameters.items()
        )
        power = " / ".join(f"{row.power[name]:.0%}" for name in ALTERNATIVES if name in row.power)
        rows.append([
            row.network, row.nodes, row.edges, VERDICTS[row.verdict],
            f"{row.family} {row.family_probability:.2f}", f"`{row.model}` {row.probability:.2f}", p,
            (fitting + more) or "none", f"{row.largest_p:.2g}", parameters, power,
            "; ".join(map(discrepancy, row.discrepancies)), "; ".join(row.notes),
        ])  # fmt: skip
    return table(head, rows)


def discrepancy(each: dict[str, Any]) -> str:
    """Return an observed feature next to the interval of the simulations."""
    low, high = each["q025"], each["q975"]
    return f"{each['label']} {each['observed']:.3g} (simulated {low:.3g} to {high:.3g})"


def page(result: Result) -> str:
    """Return the tables of docs/atlas.md."""
    frame, real = result.frame, result.counted
    parts = [
        summary(result),
        ["## What fits", "", *verdict_table(real)],
        rejection_lines(result),
        size_table(real),
        ["## Families and models", "", *family_table(real)],
        ["## Controls", "", *control_lines(result)],
        ["## Costs", "", *cost_lines(frame)],
    ]
    if result.errors:
        listed = [f"- {name}: {text}" for name, text in result.errors.items()]
        parts.append(["Not compared:", "", *listed])
    if result.too_large:
        parts.append([f"Too large: {', '.join(result.too_large)}."])
    if result.missing:
        parts.append([f"Not reached: {', '.join(result.missing)}."])
    return "\n\n".join("\n".join(lines) for lines in parts)


# Files


def cohort_answers(result: Result) -> pd.DataFrame:
    """Return the answers for real networks with the columns of the report of a cohort."""
    rows = []
    for entry in result.compared:
        record = result.records[entry.id]
        if entry.kind != "real":
            continue
        row: dict[str, Any] = {
            "id": entry.id, "group": entry.domain, "n_nodes": record["nodes"],
            "n_edges": record["edges"], "isolated": "drop", "verdict": record["verdict"],
            "headline": record["headline"], "model": record["model"],
            "notes": "; ".join([*entry.notes, *map(discrepancy, record["discrepancies"])]),
            "seconds": record["wall"],
        }  # fmt: skip
        for model, p in p_values(record).items():
            low, high = record["intervals"].get(model, (0.0, 0.0))
            row[f"probability_{model}"] = record["probabilities"].get(model, 0.0)
            row[f"lower_{model}"], row[f"upper_{model}"] = low, high
            row[f"fit_p_{model}"] = p
        rows.append(row)
    return pd.DataFrame(rows)


def write(result: Result, out: Path, to_docs: bool) -> None:
    """Write tables, figures and the report to the folder; with ``to_docs`` also to the documentation."""
    if not any(entry.kind == "real" for entry in result.compared):
        print("no real network has an answer yet")
        return
    made = page(result)
    print(made)
    listed = "\n".join(network_table(result.real))
    (out / "atlas.md").write_text(f"{made}\n\n{listed}\n")
    result.pairs.to_csv(out / "p-values.csv", index=False)
    result.frame.to_csv(out / "atlas.csv", index=False)
    answers = cohort_answers(result)
    report = write_cohort_report(out / "report", summarise_cohort(answers), answers)
    pictures = DOCS / "pictures" if to_docs else out
    draw_map(result.entries, result.frame, pictures / "atlas.png")
    draw_discrepancies(result.counted, pictures / "atlas-discrepancies.png")
    print(f"\nreport of the real networks: {report}")
    if to_docs:
        replace_part(PAGE, made)
        replace_part(LIST, listed)
        records = {"answers": result.records}
        RECORDS.write_text(json.dumps(rounded(records), indent=0, sort_keys=True) + "\n")


def stored_answers() -> dict[str, dict[str, Any]]:
    """Return the answers of the run that the page shows."""
    return dict(json.loads(RECORDS.read_text())["answers"]) if RECORDS.exists() else {}


def rounded(value: Any) -> Any:
    """Return the same with numbers of six digits, which keeps the file small."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def replace_part(file: Path, made: str) -> None:
    """Replace the part of a page between the two markers."""
    before, _, rest = file.read_text().partition(MARKERS[0])
    _, _, after = rest.partition(MARKERS[1])
    file.write_text("\n\n".join([before + MARKERS[0], made, MARKERS[1]]) + after)
