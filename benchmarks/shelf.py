"""A shelf of real networks against all mechanisms and ten mixtures: what fits what?

Fixed before the results were looked at:

- The networks are the three yeast networks of the paper, and those that networkx ships: Zachary's karate
  club, Les Misérables, Davis' southern women (women and events are nodes) and the Florentine families.
- The models are the space `all` and the ten mixtures below, density-matched, with family weights. The
  mixtures combine a mechanism of protein networks (duplication) or of social networks (closure) with hubs,
  closure or chance.
- Every network is compared with `choose_model` and its defaults, seed 1.
- A model is rejected for a network if its p-value, adjusted for the false discovery rate over all pairs of
  network and model, is at most 0.05. The p-value is that of the test of fit, or that of the screening if
  the model was discarded there.

Runs are kept in the folder ``--out``; a run that is complete there is not repeated.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import networkx as nx
import pandas as pd

import netchoice
from netchoice import datasets
from netchoice.errors import NetchoiceError
from netchoice.inference.false_discovery import adjusted_p_values
from netchoice.workflows.choice_verdict import VERDICTS

LEVEL = 0.05
PAGE = Path(__file__).resolve().parents[1] / "docs" / "shelf.md"
MARKERS = ("<!-- made by benchmarks/shelf.py -->", "<!-- end -->")

MIXTURES = (
    "dmc+lpa", "dmr+lpa", "dmc+holme-kim", "dmr+holme-kim", "heterodimer+lpa", "ispolatov+rdg",
    "holme-kim+rdg", "jackson-rogers+lpa", "toivonen+rdg", "forest-fire+rdg",
)  # fmt: skip
YEAST = ("uetz2000", "ito2001", "yu2008")
SHIPPED = {
    "karate": nx.karate_club_graph,
    "les-miserables": nx.les_miserables_graph,
    "davis": nx.davis_southern_women_graph,
    "florentine": nx.florentine_families_graph,
}


def shelf() -> dict[str, netchoice.Graph]:
    """Return the networks by name; the yeast networks are left out if they cannot be read."""
    found = {name: netchoice.Graph.of(make()) for name, make in SHIPPED.items()}
    for name in YEAST:
        try:
            found[name] = datasets.load(name)[0].without_isolated()
        except NetchoiceError as error:
            print(f"left out: {error}")
    return found


def answer(name: str, graph: netchoice.Graph, out: Path, workers: int) -> dict:
    """Return the record of one run."""
    folder = out / name
    if not (folder / "choice.json").exists():
        space = netchoice.get_space("all").with_mixtures(MIXTURES).matched_to(graph)
        netchoice.choose_model(graph, space, seed=1, path=folder, workers=workers)
    return json.loads((folder / "choice.json").read_text())


def p_values(record: dict) -> dict[str, float]:
    """Return the p-value of every model: of the test of fit, or of the screening."""
    screened = (record.get("screening") or {}).get("p_values", {})
    return {**screened, **record["fit_p_values"]}


def tested(records: dict[str, dict]) -> pd.DataFrame:
    """Return the p-value of every pair of network and model, raw and adjusted."""
    rows = [
        (name, label, p)
        for name, record in records.items()
        for label, p in p_values(record).items()
    ]
    frame = pd.DataFrame(rows, columns=["network", "model", "p"])
    return frame.assign(q=adjusted_p_values(frame["p"]))


def page(records: dict[str, dict], frame: pd.DataFrame) -> str:
    """Return the tables of docs/shelf.md."""
    lines = [
        "| network | nodes | edges | verdict | most probable family | most probable model | its p-value |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, record in records.items():
        network, families = record["network"], record["families"]
        family = max(families, key=families.get)
        probabilities = record["probabilities"]
        model = max(probabilities, key=probabilities.get)
        verdict = VERDICTS[record["verdict"]]
        lines.append(
            f"| {name} | {network['nodes']} | {network['edges']} | {verdict} "
            f"| {family} {families[family]:.2f} | `{model}` {probabilities[model]:.2f} "
            f"| {record['fit_p_values'][model]:.3f} |"
        )
    lines += ["", "| network | models that are not rejected, with their p-values |", "|---|---|"]
    for name in records:
        kept = frame[(frame["network"] == name) & (frame["q"] > LEVEL)]
        kept = kept.sort_values("p", ascending=False)
        listed = [f"`{m}` {p:.2g}" for m, p in zip(kept["model"], kept["p"], strict=True)]
        lines.append(f"| {name} | {', '.join(listed) or 'none'} |")
    mixtures = [
        f"- {name}: {each['model']}, " + ("q " if each["identified"] else "not identified: ")
        + each["reason"].removeprefix("q ")
        for name, record in records.items()
        for each in record["mixtures"]
    ]  # fmt: skip
    return "\n".join(
        [*lines, "", "Mixtures that fit, and whether they can be identified:", "", *mixtures]
    )


def main() -> None:
    """Compare every network with all models, and write the tables to the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build/shelf"))
    parser.add_argument("--only", nargs="*", help="names of networks")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    records = {}
    for name, graph in shelf().items():
        if not given.only or name in given.only:
            records[name] = answer(name, graph, given.out, given.workers)
            print(f"{name}: {records[name]['headline']}", flush=True)
    frame = tested(records)
    frame.to_csv(given.out / "shelf.csv", index=False)
    tables = page(records, frame)
    print(tables)
    before, _, rest = PAGE.read_text().partition(MARKERS[0])
    _, _, after = rest.partition(MARKERS[1])
    PAGE.write_text("\n\n".join([before + MARKERS[0], tables, MARKERS[1]]) + after)


if __name__ == "__main__":
    main()
