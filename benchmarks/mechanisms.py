"""Recovery among all mechanisms: predict the mechanism of networks that reference implementations grew.

Fixed before the results were looked at:

- Networks are grown by the plain reference implementations of the tests, not by the compiled ones, with
  parameters from the density-matched prior: three edges per node within 10 %, no isolated nodes, 300 and
  1000 nodes.
- The answer is that of a `Chooser` for the density-matched space `all`: the most probable model, and
  whether the true model fits.
- A confusion of more than 5 % of the networks of a model has to be explained in docs/mechanisms.md.

Networks and simulations are kept in the folder ``--out``; an interrupted run is resumed. The tables are
written there as CSV files: one row for each network.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import netchoice
from netchoice.errors import GrowthLimitError
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.space import by_family, family_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import naive

EDGES_PER_NODE, TOLERANCE = 3, 0.1
TRIES = 40
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "recovery.png"
#: Fewer networks of models whose reference implementation takes a minute for each network.
SLOW = {("kumpula", 300): 6, ("kumpula", 1000): 3}


def space_for(n_nodes: int) -> MatchedSpace:
    """Return the density-matched space of all mechanisms."""
    base = netchoice.get_space("all")
    return MatchedSpace(base, n_nodes, EDGES_PER_NODE * n_nodes, TOLERANCE, "drop")


def reference_network(matched, n_nodes: int, rng) -> netchoice.Graph:
    """Grow a network by the reference implementation, with the right number of edges."""
    low, high = matched.bounds(n_nodes)
    while True:
        parameters = matched.sample(rng)
        for _ in range(TRIES):
            grown = naive.MODELS[matched.name](n_nodes, rng, isolated="drop", **parameters)
            graph = netchoice.Graph.of(grown)
            if low <= graph.n_edges <= high:
                return graph


def networks(space: MatchedSpace, label: str, n: int, out: Path) -> list[netchoice.Graph]:
    """Return the networks of one model, from the folder or grown now."""
    folder = out / f"networks-{space.n_nodes}" / label
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for i in range(min(n, SLOW.get((label, space.n_nodes), n))):
        file = folder / f"{i:03}.tsv"
        if not file.exists():
            rng = np.random.default_rng([2026, space.labels.index(label), space.n_nodes, i])
            netchoice.write_network(reference_network(space[label], space.n_nodes, rng), file)
        found.append(netchoice.read_network(file)[0])
    return found


def recover(n_nodes: int, n_networks: int, out: Path, workers: int) -> pd.DataFrame:
    """Return one row for each network: true model, predicted model, and whether the true one fits."""
    space = space_for(n_nodes)
    pairs = []
    for label in space.labels:
        try:
            pairs += [(label, graph) for graph in networks(space, label, n_networks, out)]
        except GrowthLimitError as error:
            print(f"left out: {error}")
        print(f"{label}: {len(pairs)} networks", flush=True)
    chooser = netchoice.Chooser(space, n_nodes=n_nodes, isolated="drop", seed=1)
    chooser.fit(path=out / f"chooser-{n_nodes}", workers=workers)
    answers = chooser.choose_many(
        [graph for _, graph in pairs], path=out / f"answers-{n_nodes}", workers=workers
    )
    frame = answers.reset_index(drop=True)
    frame.insert(0, "true", [label for label, _ in pairs])
    frame["true_fit_p"] = [frame[f"fit_p_{t}"].iloc[i] for i, t in enumerate(frame["true"])]
    frame["true_probability"] = [
        frame[f"probability_{t}"].iloc[i] for i, t in enumerate(frame["true"])
    ]
    frame.to_csv(out / f"recovery-{n_nodes}.csv", index=False)
    return frame


def report(frame: pd.DataFrame, n_nodes: int) -> None:
    """Print the confusion matrix, its summary, and every confusion above 5 %."""
    matrix = pd.crosstab(frame["true"], frame["model"], normalize="index")
    order = [label for label in netchoice.get_space("all").labels if label in matrix.index]
    matrix = matrix.reindex(index=order, columns=order, fill_value=0.0)
    family = {label: family_of(netchoice.get_model(label)) for label in order}
    right = (frame["true"] == frame["model"]).mean()
    same = (frame["true"].map(family) == frame["model"].map(family)).mean()
    print(f"\n{n_nodes} nodes, {len(frame)} networks: model {right:.3f}, family {same:.3f}")
    print(f"true model rejected (p ≤ 0.01): {(frame['true_fit_p'] <= 0.01).mean():.3f}")
    print((100 * matrix).round(0).astype(int).to_string())
    print("\nconfusions above 5 %:")
    for true in order:
        row = matrix.loc[true].drop(true)
        for other, share in row[row > 0.05].sort_values(ascending=False).items():
            print(f"  {true} → {other}: {share:.2f}")


def draw(n_nodes: list[int], out: Path) -> None:
    """Draw the confusion matrices of the sizes that are finished, for docs/mechanisms.md."""
    files = [out / f"recovery-{n}.csv" for n in n_nodes]
    frames = {n: pd.read_csv(file) for n, file in zip(n_nodes, files, strict=True) if file.exists()}
    figure = Figure(figsize=(7.2, 6.4 * len(frames)), layout="constrained")
    order = [m.name for group in by_family(netchoice.get_space("all")).values() for m in group]
    for axes, (n, frame) in zip(
        np.ravel(figure.subplots(len(frames))), frames.items(), strict=True
    ):
        matrix = pd.crosstab(frame["true"], frame["model"], normalize="index")
        matrix = 100 * matrix.reindex(index=order, columns=order, fill_value=0.0)
        axes.imshow(matrix, cmap="Blues", vmin=0, vmax=100)
        for i, j in zip(*np.nonzero(matrix.to_numpy() >= 1), strict=True):
            share = matrix.iat[i, j]
            colour = "white" if share > 60 else "black"
            axes.text(j, i, f"{share:.0f}", ha="center", va="center", fontsize=7, color=colour)
        axes.set_xticks(range(len(order)), order, rotation=90, fontsize=8)
        axes.set_yticks(range(len(order)), order, fontsize=8)
        axes.set(
            xlabel="predicted model",
            ylabel="true model",
            title=f"{n} nodes, {len(frame)} networks, %",
        )
    figure.savefig(PICTURE, dpi=110)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build/mechanisms"))
    parser.add_argument("--nodes", type=int, nargs="*", default=[300, 1000])
    parser.add_argument("--networks", type=int, default=40, help="of each model")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only-networks", action="store_true", help="grow the networks and stop")
    given = parser.parse_args()
    for n_nodes in given.nodes:
        if given.only_networks:
            space = space_for(n_nodes)
            for label in space.labels:
                networks(space, label, given.networks, given.out)
                print(label, flush=True)
        else:
            report(recover(n_nodes, given.networks, given.out, given.workers), n_nodes)
            draw(given.nodes, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
