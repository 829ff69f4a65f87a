"""The atlas: which mechanisms explain real networks?

    make atlas                      # NETWORKS=folder, HOURS=8

Fixed before the results were looked at:

- The networks are all files of the folder ``NETCHOICE_NETWORKS``, whose subfolders are the domains, and the
  three yeast networks. They are simple and undirected: direction, weights and self loops are ignored.
  Isolated nodes are left out, and all components are kept. Networks of two kinds of nodes are marked.
  Networks with more than ``--max-nodes`` nodes are listed and not compared.
- The models are the space `all` and the ten mixtures of the shelf, density-matched, with family weights.
  Each network is compared with `choose_model`, seed 1, and its defaults, but with at most 8000 simulations
  for inference: the standard error of a probability, due to their number, is then at most about 0.02. A time
  limit depends on ``--hours``.
- A model is rejected for a network if its p-value, adjusted for the false discovery rate over all pairs of
  network and model, is at most 0.05; the p-value is that of the test of fit, or of the screening if the
  model was discarded there. If all models are rejected, none fits.
- Controls go through the same functions, which do not know what they are: networks grown by a mechanism
  with the size and density of a real one (*grown*), real networks whose edges have exchanged ends
  (*rewired*), and real networks with their nodes in random order (*relabelled*). Their p-values are adjusted
  in the same way, each kind alone. Expected: none fits for at most 5 % of the grown ones, their family is
  named for most, and relabelled ones have the answer of the real network. Whether a mechanism fits a rewired
  network is not known.

The answers are kept in the folder ``--out``. Run the same command again to resume; answers that are complete
are not repeated. Networks are answered from the smallest on.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import netchoice
from netchoice import datasets
from netchoice.alterations import swap_edges
from netchoice.errors import NetchoiceError
from netchoice.evaluation import wilson
from netchoice.figures.data.cohort import VERDICT_STYLES
from netchoice.inference.false_discovery import adjusted_p_values
from netchoice.io import find_networks
from netchoice.models.families import family_of
from netchoice.workflows import SimulationPlan
from netchoice.workflows.choice_verdict import VERDICTS

sys.path.insert(0, str(Path(__file__).resolve().parent))
from node_order import shuffled
from shelf import LEVEL, MARKERS, MIXTURES, YEAST, p_values

ROOT = Path(__file__).resolve().parents[1]
PAGE, PICTURES = ROOT / "docs" / "atlas.md", ROOT / "docs" / "pictures"
KINDS = ("real", "grown", "rewired", "relabelled")
#: Controls are made from real networks of at most so many nodes.
CONTROL_NODES = 1000
#: Swaps per edge that leave nothing of a network but its degrees.
SWAPS = 20
#: Fewer simulations for inference than by default: there are hundreds of networks.
PLAN = SimulationPlan(samples=8000, precision=0.02)
#: No network gets less than so many seconds.
SHORTEST = 60.0
#: Features of the picture, which do not depend on the number of nodes by definition.
SHOWN = (
    "degree_mean", "transitivity", "clustering_mean", "square_clustering_mean", "degree_entropy",
    "degree_std", "degree_connectivity", "lcc_mean_distance",
)  # fmt: skip


@dataclass
class Entry:
    """A network of the atlas; ``source`` is the real network that a control was made from."""

    id: str
    kind: str
    domain: str
    graph: netchoice.Graph
    source: str = ""
    truth: str = ""
    notes: list[str] = field(default_factory=list)


def real_networks(folder: Path) -> tuple[list[Entry], dict[str, str]]:
    """Return the real networks, and the errors of those that cannot be read, by file."""
    entries, errors = [], {}
    for domain in sorted(path for path in folder.iterdir() if path.is_dir()):
        for file in sorted(path for path in domain.iterdir() if path.is_file()):
            name = f"{domain.name}/{file.name}"
            try:
                for source in find_networks([file]):
                    graph, report = source.read()
                    entries.append(_entry(f"{domain.name}-{source.id}", domain.name, graph, report))
            except NetchoiceError as error:
                errors[name] = str(error)
    for name in YEAST:
        try:
            entries.append(_entry(f"protein-{name}", "protein", *datasets.load(name)))
        except NetchoiceError as error:
            errors[name] = str(error)
    return entries, errors


def _entry(name: str, domain: str, graph, report) -> Entry:
    facts = {
        "direction ignored": report.direction_ignored,
        "weights ignored": report.weights_ignored,
        "two kinds of nodes": report.bipartite is not None,
        f"{report.self_loops} self loops left out": report.self_loops,
    }
    network = graph.without_isolated()
    dropped = graph.n_nodes - network.n_nodes
    facts[f"{dropped} isolated nodes left out"] = dropped
    n_components = netchoice.compute_features(network, ["n_components"]).values["n_components"]
    facts[f"{n_components:.0f} components"] = n_components > 1
    return Entry(
        name, "real", domain, network, notes=[note for note, holds in facts.items() if holds]
    )


def space_for(graph: netchoice.Graph):
    """Return all mechanisms and the mixtures, density-matched."""
    return netchoice.get_space("all").with_mixtures(MIXTURES).matched_to(graph)


def controls(entries: list[Entry], count: int, seed: int = 7) -> list[Entry]:
    """Return as many controls of each kind, from different real networks."""
    rng = np.random.default_rng(seed)
    usable = [entry for entry in entries if entry.graph.n_nodes <= CONTROL_NODES]
    made = []
    for kind in KINDS[1:]:
        for i in rng.permutation(len(usable))[:count]:
            entry = usable[i]
            graph, truth = _control(kind, entry.graph, rng)
            made.append(Entry(f"{kind}-{entry.id}", kind, entry.domain, graph, entry.id, truth))
    return made


def _control(kind: str, graph: netchoice.Graph, rng) -> tuple[netchoice.Graph, str]:
    if kind == "rewired":
        return swap_edges(graph, SWAPS, rng), ""
    if kind == "relabelled":
        return shuffled(graph, rng), ""
    space = netchoice.get_space("all").matched_to(graph)
    while True:
        model = space.draw_model(rng)
        try:
            parameters, grown = model.draw(graph.n_nodes, rng, "drop")
            if grown is None:
                grown = model.grow(graph.n_nodes, parameters, rng, isolated="drop")
            return grown, model.name
        except NetchoiceError:  # this mechanism cannot have this density
            continue


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of those that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def answer(entry: Entry, out: Path, seconds: float | None, workers: int) -> dict | None:
    """Return the record of one network, which is kept; None if it cannot be compared."""
    kept = out / "answers" / f"{entry.id}.json"
    if not kept.exists():
        started, wall = cpu_seconds(), time.monotonic()
        try:
            space = space_for(entry.graph)
            choice = netchoice.choose_model(
                entry.graph,
                space,
                seed=1,
                plan=PLAN,
                workers=workers,
                time_limit=seconds,
                on_progress=False,
            )
            record = json.loads(choice.to_json())
        except NetchoiceError as error:
            record = {"error": str(error)}
        record["cpu"], record["wall"] = cpu_seconds() - started, time.monotonic() - wall
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part")
        part.write_text(json.dumps(record))
        part.rename(kept)
    return json.loads(kept.read_text())


def seconds_each(entries: list[Entry], out: Path, hours: float | None) -> float | None:
    """Return the time limit of each network that has no answer yet."""
    if hours is None:
        return None
    left = [each for each in entries if not (out / "answers" / f"{each.id}.json").exists()]
    return max(SHORTEST, 3600 * hours / max(1, len(left)))


# What came out


def pairs(entries: list[Entry], records: dict[str, dict]) -> pd.DataFrame:
    """Return the p-value of every pair of network and model, raw and adjusted within its kind."""
    rows = [
        (entry.id, entry.kind, label, p)
        for entry in entries
        if "error" not in records[entry.id]
        for label, p in p_values(records[entry.id]).items()
    ]
    frame = pd.DataFrame(rows, columns=["network", "kind", "model", "p"])
    adjusted = frame.groupby("kind")["p"].transform(lambda p: adjusted_p_values(p.to_numpy()))
    return frame.assign(q=adjusted)


def answers(entries: list[Entry], records: dict[str, dict], tested: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each network that was compared."""
    fitting = tested[tested["q"] > LEVEL].groupby("network")["model"].agg(list).to_dict()
    rows = []
    for entry in entries:
        record = records[entry.id]
        if "error" in record:
            continue
        families = record["families"]
        family = max(families, key=families.get)
        model = record["model"]
        largest = record["misfit"].get(model, {}).get("discrepancies", [])[:3]
        fit = record["fit"]
        rows.append({
            "network": entry.id, "kind": entry.kind, "domain": entry.domain, "source": entry.source,
            "truth": entry.truth, "nodes": record["network"]["nodes"],
            "edges": record["network"]["edges"], "verdict": record["verdict"],
            "family": family, "family_probability": families[family], "model": model,
            "probability": record["probabilities"][model], "p": record["fit_p_values"].get(model),
            "fits": bool(fitting.get(entry.id)), "fitting": ";".join(fitting.get(entry.id, [])),
            "power": fit["power_summary"], "discrepancies": ";".join(e["feature"] for e in largest),
            "parameters": json.dumps(record["parameters"].get(model, {})),
            "notes": "; ".join([*entry.notes, *record["notes"]]),
            "cpu": record["cpu"], "wall": record["wall"],
            "saved": record["cost"]["saved_seconds"],
        })  # fmt: skip
    return pd.DataFrame(rows)


def share(count: int, total: int) -> str:
    """Return a count with its share and Wilson's interval."""
    low, high = wilson(count, total)
    return f"{count} of {total} ({low:.2f}–{high:.2f})"


def control_lines(frame: pd.DataFrame) -> list[str]:
    """Return what the controls show."""
    lines = []
    grown = frame[frame["kind"] == "grown"]
    if len(grown):
        spaces = netchoice.get_space("all")
        right = [family_of(spaces[row.truth]) == row.family for row in grown.itertuples()]
        n, none = len(grown), int((~grown["fits"]).sum())
        true = int((grown["model"] == grown["truth"]).sum())
        lines.append(
            f"- *grown*: none fits (a false discovery) for {share(none, n)}; the most probable model is the "
            f"true one for {share(true, n)}, the most probable family for {share(sum(right), n)}"
        )
    rewired = frame[frame["kind"] == "rewired"]
    if len(rewired):
        models = Counter(rewired["model"]).most_common(3)
        named = ", ".join(f"`{name}` {n}" for name, n in models)
        fits = share(int(rewired["fits"].sum()), len(rewired))
        lines.append(f"- *rewired*: a model fits for {fits}; named most often: {named}")
    again = frame[frame["kind"] == "relabelled"].merge(
        frame, left_on="source", right_on="network", suffixes=("", "_real")
    )
    if len(again):
        same = (again["verdict"] == again["verdict_real"]) & (again["model"] == again["model_real"])
        difference = (again["probability"] - again["probability_real"]).abs().max()
        lines.append(
            f"- *relabelled*: the same verdict and model for {share(int(same.sum()), len(again))}; largest "
            f"difference of the probability {difference:.2g}"
        )
    return lines


def tables(frame: pd.DataFrame, errors: dict[str, str], too_large: list[str]) -> str:
    """Return the tables of docs/atlas.md."""
    real = frame[frame["kind"] == "real"]
    families = sorted(real["family"].unique())
    lines = [
        f"{len(real)} real networks were compared; {len(errors)} files could not be read or compared, and "
        f"{len(too_large)} networks are too large.", "",
        f"| domain | networks | none fits | {' | '.join(families)} | models named most often | recurring "
        "discrepancies |",
        "|" + "---|" * (len(families) + 5),
    ]  # fmt: skip
    for domain, own in real.groupby("domain"):
        none = share(int((~own["fits"]).sum()), len(own))
        counts = [str(int((own["family"] == family).sum())) for family in families]
        models = ", ".join(f"`{m}` {n}" for m, n in Counter(own["model"]).most_common(3))
        features = Counter(
            name for text in own["discrepancies"] for name in text.split(";") if name
        )
        recurring = ", ".join(f"`{name}` {n}" for name, n in features.most_common(3))
        lines.append(
            f"| {domain} | {len(own)} | {none} | {' | '.join(counts)} | {models} | {recurring} |"
        )
    lines += ["", "Controls:", "", *control_lines(frame), "", _costs(frame), ""]
    lines += [
        "| network | nodes | edges | verdict | family | model | p | fits after adjustment | largest "
        "discrepancies |",
        "|" + "---|" * 9,
    ]
    for row in real.sort_values(["domain", "nodes"]).itertuples():
        p = "" if row.p is None or np.isnan(row.p) else f"{row.p:.2g}"
        fits = (
            ", ".join(f"`{name}`" for name in row.fitting.split(";")[:4]) if row.fitting else "none"
        )
        lines.append(
            f"| {row.network} | {row.nodes} | {row.edges} | {VERDICTS[row.verdict]} | {row.family} "
            f"{row.family_probability:.2f} | `{row.model}` {row.probability:.2f} | {p} | {fits} | "
            f"{row.discrepancies.replace(';', ', ')} |"
        )
    if errors:
        lines += ["", "Not compared:", "", *(f"- {name}: {text}" for name, text in errors.items())]
    if too_large:
        lines += ["", f"Too large: {', '.join(too_large)}"]
    return "\n".join(lines)


def _costs(frame: pd.DataFrame) -> str:
    spent, saved = frame["cpu"].sum() / 3600, frame["saved"].sum() / 3600
    return (
        f"CPU hours: {spent:.2f} for {len(frame)} networks with controls. All features on all simulations "
        f"for inference would have taken {saved:.2f} hours more."
    )


def draw(entries: list[Entry], frame: pd.DataFrame, path: Path) -> None:
    """Draw all real networks in the plane of the two main components of their features."""
    real = frame[frame["kind"] == "real"].set_index("network")
    shown = [entry for entry in entries if entry.id in real.index]
    rows = [netchoice.compute_features(entry.graph, list(SHOWN)).values for entry in shown]
    values = pd.DataFrame(rows, index=[entry.id for entry in shown])[list(SHOWN)].fillna(0.0)
    ranks = (values.rank() - 0.5) / len(values) - 0.5
    left, sizes, _ = np.linalg.svd(ranks - ranks.mean(), full_matrices=False)
    points = left[:, :2] * sizes[:2]
    domains = sorted(real["domain"].unique())
    colours = dict(zip(domains, plt.get_cmap("tab10").colors, strict=False))
    figure, ax = plt.subplots(figsize=(8, 5.5), layout="constrained")
    markers = dict(zip(VERDICT_STYLES, "osD^v", strict=False))
    for number, name in enumerate(values.index):
        row = real.loc[name]
        ax.scatter(
            *points[number], color=colours[row["domain"]], s=42, edgecolor="black", linewidth=0.5,
            marker=markers.get(row["verdict"], "X"),
        )  # fmt: skip
    for domain in domains:
        ax.scatter([], [], color=colours[domain], label=domain)
    for verdict in sorted(real["verdict"].unique()):
        ax.scatter(
            [], [], color="white", edgecolor="black", marker=markers.get(verdict, "X"),
            label=VERDICTS[verdict],
        )  # fmt: skip
    ax.set(
        xlabel="first component of the features", ylabel="second component", xticks=[], yticks=[]
    )
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    """Compare all networks, and write the tables to the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    default = os.environ.get(
        "NETCHOICE_NETWORKS", str(ROOT.parent / "shared" / "data" / "networks")
    )
    parser.add_argument("--networks", type=Path, default=Path(default))
    parser.add_argument("--out", type=Path, default=Path("build/atlas"))
    parser.add_argument("--max-nodes", type=int, default=3000)
    parser.add_argument("--controls", type=int, default=20, help="controls of each kind")
    parser.add_argument(
        "--hours", type=float, help="for all networks; without it, as long as it takes"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--page", action="store_true", help="write docs/atlas.md and its picture")
    given = parser.parse_args()
    if not given.networks.is_dir():
        parser.error(f"{given.networks} is no folder; name one with NETCHOICE_NETWORKS")
    found, errors = real_networks(given.networks)
    too_large = [each.id for each in found if each.graph.n_nodes > given.max_nodes]
    entries = [each for each in found if each.graph.n_nodes <= given.max_nodes]
    entries += controls(entries, given.controls)
    entries.sort(key=lambda each: (each.graph.n_nodes + each.graph.n_edges, each.id))
    records = {}
    for number, entry in enumerate(entries, start=1):
        limit = seconds_each(entries[number - 1 :], given.out, given.hours)
        records[entry.id] = record = answer(entry, given.out, limit, given.workers)
        said = record.get("error") or record["headline"]
        print(f"[{number}/{len(entries)}] {entry.id}: {said} ({record['wall']:.0f} s)", flush=True)
        if "error" in record:
            errors[entry.id] = record["error"]
    tested = pairs(entries, records)
    frame = answers(entries, records, tested)
    tested.to_csv(given.out / "p-values.csv", index=False)
    frame.to_csv(given.out / "atlas.csv", index=False)
    made = tables(frame, errors, too_large)
    print(made)
    picture = (PICTURES if given.page else given.out) / "atlas.png"
    draw(entries, frame, picture)
    if given.page:
        markers = (MARKERS[0].replace("shelf", "atlas"), MARKERS[1])
        before, _, rest = PAGE.read_text().partition(markers[0])
        _, _, after = rest.partition(markers[1])
        PAGE.write_text("\n\n".join([before + markers[0], made, markers[1]]) + after)


if __name__ == "__main__":
    main()
