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


def main() -> None:
    """Print the answer for every network, and the models that are not rejected."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build/shelf"))
    parser.add_argument("--only", nargs="*", help="names of networks")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    rows = []
    for name, graph in shelf().items():
        if given.only and name not in given.only:
            continue
        record = answer(name, graph, given.out, given.workers)
        print(f"\n{name}: {graph.n_nodes} nodes, {graph.n_edges} edges")
        print(f"  {record['headline']}")
        print("  families:", {k: round(v, 3) for k, v in (record.get("families") or {}).items()})
        likely = sorted(record["probabilities"].items(), key=lambda each: -each[1])[:5]
        print("  models:", {label: round(p, 3) for label, p in likely})
        rows += [(name, label, p) for label, p in p_values(record).items()]
    frame = pd.DataFrame(rows, columns=["network", "model", "p"])
    frame["q"] = adjusted_p_values(frame["p"])
    frame.to_csv(given.out / "shelf.csv", index=False)
    print("\nmodels that are not rejected at a false discovery rate of 0.05:")
    for name, group in frame[frame["q"] > 0.05].groupby("network", sort=False):
        listed = group.sort_values("p", ascending=False)
        print(
            f"  {name}: "
            + ", ".join(f"{m} ({p:.3f})" for m, p in zip(listed["model"], listed["p"], strict=True))
        )


if __name__ == "__main__":
    main()
