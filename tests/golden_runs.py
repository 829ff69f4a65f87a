"""Runs whose answers are kept: the same seed and given costs must give the same answer.

``python tests/golden_runs.py [NAME …]`` runs them again and writes their answers to ``tests/golden``.
"""

import contextlib
import gzip
import io
import json
import math
import shutil
import sys
import tempfile
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import netchoice
from netchoice import cli
from netchoice.features import computation
from netchoice.workflows import SimulationPlan

KEPT = Path(__file__).parent / "golden"
#: Facts of a run that depend on the machine, the time or the versions.
LEFT_OUT = {
    "versions", "python", "machine", "machines", "seconds", "path", "created", "netchoice_version", "train",
    "test", "table", "schema", "netchoice",
}  # fmt: skip
SERIAL = {"engine": "serial", "workers": 1}
FEW = SimulationPlan.small()


# Given costs


def given_seconds(name, n_nodes):
    """Return the CPU seconds that a step or feature is said to take: 0.02 to 2 ms at 100 nodes."""
    share = zlib.crc32(name.encode()) / 2**32
    return 2e-5 * 100**share * (max(n_nodes, 1) / 100) ** 1.5


class _Clock:
    """A clock that advances by a millisecond whenever it is read."""

    def __init__(self):
        self.read = 0

    def thread_time(self):
        self.read += 1
        return self.read * 1e-3


@contextlib.contextmanager
def given_costs(folder):
    """Replace measured costs by given ones, in this process."""
    compute = computation.run_plan

    def run_plan(graph, *arguments, **options):
        result = compute(graph, *arguments, **options)
        for spent in (result.step_seconds, result.own_seconds):
            spent.update({name: given_seconds(name, graph.n_nodes) for name in spent})
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("netchoice.features.computation.run_plan", run_plan)
        patch.setattr("netchoice.row_simulator.run_plan", run_plan)
        patch.setattr("netchoice.row_simulator.time", _Clock())
        patch.setenv("NETCHOICE_CACHE", str(folder / "cache"))
        yield


# Networks


def grown(name, n, seed, **parameters):
    model, rng = netchoice.get_model(name), np.random.default_rng(seed)
    return model.grow(n, parameters or model.sample(rng), rng)


def connected(graph):
    """Return the network without its isolated nodes."""
    degrees = np.diff(graph.indptr)
    kept = {int(u): i for i, u in enumerate(np.flatnonzero(degrees))}
    return netchoice.Graph.from_edges([(kept[int(u)], kept[int(v)]) for u, v in graph.edges()])


def written(folder, name, graph):
    file = folder / name
    netchoice.write_network(graph, file)
    return str(file)


DMR = {"p_delete": 0.5, "p_new": 0.4}


# Runs: each gets an empty folder and returns what is kept


def command(*arguments):
    """Run a command and return what it prints with ``--json``."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        cli.main([*map(str, arguments), "--json"])
    return json.loads(printed.getvalue())


def chosen(graph, space="duplication", **options):
    return netchoice.choose_model(graph, space, **{"seed": 5, **SERIAL, **options}).as_dict()


def default(folder):
    network = written(folder, "net.tsv", grown("dmr", 60, 3, **DMR))
    return command("choose", network, "--engine", "serial", "--out", folder / "out", "--no-report")


def named_features(folder):
    network = written(folder, "net.tsv", grown("ba2", 40, 1))
    return command(
        "choose", network, "--space", "ba", "--features", "degree_max,transitivity,core_2_size",
        "--samples", 600, "--engine", "serial", "--out", folder / "out", "--no-report",
    )  # fmt: skip


def budget_and_penalty(folder):
    return chosen(
        grown("dmc", 50, 2, p_delete=0.4, p_connect=0.6), samples=600, plan=FEW, budget="3%",
        penalty=0.5, method=("jmi", "mrmr"), compare=("jmim",),
    )  # fmt: skip


def seven_matched(folder):
    graph = connected(grown("dmr", 60, 4, **DMR))
    space = netchoice.get_space("mechanisms").matched_to(graph, isolated="drop")
    return chosen(graph, space, samples=700, plan=FEW)


def all_matched(folder):
    graph = connected(grown("dmr", 40, 6, **DMR))
    space = netchoice.get_space("all").matched_to(graph, isolated="drop")
    plan = SimulationPlan(
        samples=800, first_samples=800, screening_samples=130, screening_training=60,
        selection_samples=300, local_samples=130, shown_samples=130, profile_samples=10,
        power_samples=5, min_fit_samples=124,
    )  # fmt: skip
    return chosen(graph, space, plan=plan)


def mixture(folder):
    network = written(folder, "net.tsv", grown("ba2", 40, 9))
    return command(
        "choose", network, "--mix", "lpa+dmr", "--samples", 600, "--features",
        "degree_max,transitivity,n_triangles,degree_std", "--engine", "serial", "--out",
        folder / "out", "--no-report",
    )  # fmt: skip


def thinned(folder):
    network = written(folder, "net.tsv", grown("dmc", 40, 8))
    return command(
        "choose", network, "--thin", "edges", "--samples", 600, "--features",
        "degree_max,transitivity,n_triangles,degree_std", "--engine", "serial", "--out",
        folder / "out", "--no-report",
    )  # fmt: skip


def isolated_kept(folder):
    graph = grown("dmr", 50, 5, p_delete=0.7, p_new=0.3)
    return chosen(graph, samples=600, plan=FEW, isolated="keep", purpose="model")


def isolated_dropped(folder):
    graph = grown("dmr", 50, 5, p_delete=0.7, p_new=0.3)
    return chosen(graph, samples=600, plan=FEW, isolated="drop", purpose="parameters")


def other_estimators(folder):
    graph = grown("ba3", 40, 5)
    names = ("forest", "neighbours")
    return {
        name: chosen(graph, "ba", samples=400, plan=FEW, inference=name, local=False)
        for name in names
    }


def none_fits(folder):
    edges = [
        (u, v)
        for c in range(8)
        for u in range(5)
        for v in range(u)
        for u, v in [(5 * c + u, 5 * c + v)]
    ]
    edges += [(5 * c, (5 * c + 5) % 40) for c in range(8)]
    return chosen(netchoice.Graph.from_edges(edges), samples=600, plan=FEW)


def _prepared(folder, **options):
    chooser = netchoice.Chooser("duplication", samples=500, seed=4, plan=FEW, **options)
    return chooser.fit(path=folder / "prepared", **SERIAL)


def with_chooser(folder):
    chooser = _prepared(folder, n_nodes=50, isolated="keep")
    loaded = netchoice.Chooser.load(chooser.path)
    return loaded.choose(grown("dmr", 50, 3, **DMR), **SERIAL).as_dict()


def with_chooser_cohort(folder):
    _prepared(folder, n_nodes=(40, 50), isolated="keep")
    (folder / "nets").mkdir()
    for i, (name, n) in enumerate([("dmr", 50), ("dmc", 50), ("ba2", 40), ("dmc", 40)]):
        written(folder / "nets", f"{i}-{name}.tsv", grown(name, n, i))
    summary = command(
        "choose", folder / "nets", "--with", folder / "prepared", "--isolated", "keep", "--out",
        folder / "out", "--engine", "serial", "--no-report",
    )  # fmt: skip
    return {"summary": summary, "answers": frame(pd.read_csv(folder / "out" / "answers.csv"))}


def range_of_sizes(folder):
    chooser = _prepared(folder, n_nodes="40..60", isolated="keep")
    graphs = {str(n): grown("dmr", n, n, **DMR) for n in (40, 47, 60)}
    return frame(chooser.choose_many(graphs, **SERIAL))


def given_table(folder):
    command(
        "simulate", "duplication", "--nodes", 50, "--samples", 900, "--seed", 3, "--engine",
        "serial", "--out", folder / "table",
    )  # fmt: skip
    network = written(folder, "net.tsv", grown("dmc", 50, 11))
    return command(
        "choose", network, "--table", folder / "table", "--isolated", "keep", "--engine", "serial",
        "--out", folder / "out", "--no-report",
    )  # fmt: skip


def pilots(folder):
    plan = SimulationPlan(
        samples=200, first_samples=200, selection_samples=260, fit_samples=260, local_samples=130,
        shown_samples=130, profile_samples=2, power_samples=1, pilot_sizes=(100, 200, 300),
        pilot_cost_samples=20, held_out_samples=100, min_fit_samples=124, complete_samples=60,
        complete_each=30,
    )  # fmt: skip
    return chosen(grown("ba2", 3000, 2), "ba", plan=plan)


def _table(folder):
    options = {"n_nodes": 50, "n_samples": 400, "engine": "serial"}
    train = netchoice.simulate_table("duplication", seed=2, path=folder / "train", **options)
    netchoice.simulate_table("duplication", seed=2, stream="test", path=folder / "test", **options)
    return train


def ranked(folder):
    _table(folder)
    methods = {
        "jmi": (), "mrmr": ("--charge", "shared"), "jmim": ("--cost-scale", "raw"), "relieff": (),
        "forest-relieff": (), "penalized-mdi": (), "penalized-mda": (), "weighted-mdi": (),
        "weighted-mda": (), "random": (),
    }  # fmt: skip
    return {
        name: ranking(folder, "--method", name, "--penalty", 0.5, *more)
        for name, more in methods.items()
    } | {
        "numbers": ranking(folder, "--label", "p_delete", "--penalty", 0.5),
        "paper": ranking(folder, "--costs", "paper", "--estimator", "published"),
    }


def ranking(folder, *options):
    (record,) = command("rank", folder / "train", "--seed", 0, *options)["rankings"]
    return record


def evaluated(folder):
    _table(folder)
    summary = command(
        "evaluate", folder / "train", folder / "test", "--method", "jmi,mrmr", "--seed", 0,
        "--out", folder / "out", "--no-report",
    )  # fmt: skip
    return {"summary": summary, "scores": frame(pd.read_csv(folder / "out" / "evaluation.csv"))}


def simulated(folder):
    """Return the first rows of every space, and of spaces made from them."""
    space = netchoice.get_space
    graph = connected(grown("dmr", 40, 6, **DMR))
    spaces = {name: space(name) for name in ("ba", "duplication", "mechanisms", "all")}
    spaces["matched"] = space("duplication").matched_to(graph, isolated="drop")
    tables = {
        name: netchoice.simulate_table(each, n_nodes=40, n_samples=60, seed=7, engine="serial")
        for name, each in spaces.items()
    }
    tables["range"] = netchoice.simulate_table(
        "mechanisms", n_nodes=(30, 60), n_samples=60, seed=7, engine="serial"
    )
    return {name: frame(table.frame) for name, table in tables.items()}


def computed(folder):
    """Return all features of a network of each mechanism."""
    found = {}
    for name in netchoice.get_space("all").labels:
        graph = grown(name, 45, 1)
        result = netchoice.compute_features(graph, rng=np.random.default_rng(0))
        found[name] = result.values | {"edges": [graph.n_edges, str(graph.fingerprint)]}
    return found


RUNS = {
    run.__name__: run
    for run in (
        default, named_features, budget_and_penalty, seven_matched, all_matched, mixture, thinned,
        isolated_kept, isolated_dropped, other_estimators, none_fits, with_chooser,
        with_chooser_cohort, range_of_sizes, given_table, pilots, ranked, evaluated, simulated,
        computed,
    )
}  # fmt: skip
#: Runs of a few seconds.
FAST = ("named_features", "simulated", "computed", "ranked")


# Comparison


def frame(table):
    table = table[
        [
            name
            for name in table.columns
            if not name.startswith(("seconds", "cost_seconds", "machine"))
        ]
    ]
    return json.loads(table.to_json(orient="split", double_precision=15))


def plain(value):
    """Return a result without what depends on the machine."""
    if isinstance(value, dict):
        left_out = {key for key in value if key in LEFT_OUT or str(key).startswith("seconds")}
        return {str(key): plain(each) for key, each in value.items() if key not in left_out}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (np.integer, np.floating)):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if isinstance(value, (int, str, type(None))) else str(value)


def run(name):
    """Run one of the runs and return what is kept of it."""
    folder = Path(tempfile.mkdtemp())
    try:
        with given_costs(folder):
            result = RUNS[name](folder)
        return json.loads(json.dumps(plain(result)).replace(str(folder), "FOLDER"))
    finally:
        shutil.rmtree(folder)


def kept(name):
    with gzip.open(KEPT / f"{name}.json.gz", "rt") as file:
        return json.load(file)


def differences(kept, now, where=""):
    """Yield a line for each place in which two results differ; numbers may differ by rounding."""
    if isinstance(kept, dict) and isinstance(now, dict):
        for key in sorted({*kept, *now}):
            yield from differences(
                kept.get(key, "(missing)"), now.get(key, "(missing)"), f"{where}/{key}"
            )
    elif isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        for i, (a, b) in enumerate(zip(kept, now, strict=True)):
            yield from differences(a, b, f"{where}/{i}")
    elif isinstance(kept, (int, float)) and isinstance(now, (int, float)):
        if not math.isclose(kept, now, rel_tol=1e-6, abs_tol=1e-9):
            yield f"{where}: {kept!r} before, {now!r} now"
    elif kept != now:
        yield f"{where}: {str(kept)[:200]!r} before, {str(now)[:200]!r} now"


def write(name):
    result = run(name)
    text = json.dumps(result, separators=(",", ":"), sort_keys=True)
    with (
        open(KEPT / f"{name}.json.gz", "wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
    ):
        packed.write(text.encode())
    return name, len(text)


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        for name, size in pool.map(write, sys.argv[1:] or RUNS):
            print(f"{name}: {size} characters")
