"""Where the time of ``choose`` goes: CPU and wall seconds of each stage, at 100, 1000 and 10,000 nodes.

The network is one of `dmr`, compared with the space `duplication`, with the usual settings. CPU seconds come
from a run in one process, wall seconds from a run with ``--workers`` processes. The time of a stage does not
include that of stages within it. Compiled code is loaded before. Run this on an idle machine.

``--sources A B`` compares two checkouts of the project: each run is made by a new process with the modules of
one of them, in turns, so that both see the same machine.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SIZES = (100, 1000, 10_000)
PARAMETERS = {"p_delete": 0.6, "p_new": 0.3}
#: Stages by name: module, class or None, and function.
STAGES = {
    "features of the network": ("choose", None, "_without_failures"),
    "simulations": ("table_maker", "TableMaker", "table"),
    "selection of features": ("preparation", None, "select_features"),
    "probabilities": ("comparison", "Comparison", "probabilities"),
    "accuracy on held-out simulations": ("prepared", "Prepared", "held_out"),
    "parameters": ("prepared", "Prepared", "_fit_parameter_estimators"),
    "quality of the parameters": ("prepared", "Prepared", "quality"),
    "test of fit": ("comparison", "Comparison", "prior_fit"),
    "power of the test": ("prepared", "Prepared", "_power"),
}  # fmt: skip


class Clock:
    """Exclusive seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.inner: list[list[float]] = []

    def timed(
        self, stage: str | Callable[..., str], function: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return the function with its time added to a stage."""

        def run(*arguments: Any, **named: Any) -> Any:
            name = stage if isinstance(stage, str) else stage(*arguments)
            start = time.process_time(), time.perf_counter()
            self.inner.append([0.0, 0.0])
            try:
                return function(*arguments, **named)
            finally:
                spent = time.process_time() - start[0], time.perf_counter() - start[1]
                within = self.inner.pop()
                total = self.seconds.setdefault(name, [0.0, 0.0])
                for k in range(2):
                    total[k] += spent[k] - within[k]
                    if self.inner:
                        self.inner[-1][k] += spent[k]

        return run


def measure(n_nodes: int, workers: int) -> dict[str, list[float]]:
    """Return the CPU and wall seconds of each stage of one run, in this process."""
    import numpy as np

    import netchoice

    clock = Clock()
    for stage, (module_name, owner, name) in STAGES.items():
        module = importlib.import_module(f"netchoice.workflows.{module_name}")
        place = module if owner is None else getattr(module, owner)
        found = vars(place)[name]
        label: Any = stage
        if stage == "simulations":  # one stage for each kind of table
            label = lambda self, table, *_: f"simulations ({table.split('-')[0]})"  # noqa: E731
        if hasattr(found, "func"):  # a cached property
            found.func = clock.timed(label, found.func)
        else:
            setattr(place, name, clock.timed(label, found))
    rng = np.random.default_rng(7)
    graph = netchoice.get_model("dmr").grow(n_nodes, PARAMETERS, rng, isolated="drop")
    netchoice.choose_model(
        netchoice.get_model("dmr").grow(60, PARAMETERS, rng, isolated="drop"),
        samples=200, plan=netchoice.workflows.SimulationPlan.small(), engine="serial", workers=1,
        on_progress=False,
    )  # fmt: skip
    clock.seconds.clear()
    engine = "serial" if workers == 1 else "processes"
    run = clock.timed("the rest", netchoice.choose_model)
    choice = run(graph, engine=engine, workers=workers, on_progress=False)
    print(f"{n_nodes} nodes: {choice.headline}", file=sys.stderr)
    return clock.seconds


def in_new_process(source: Path, n_nodes: int, workers: int) -> dict[str, list[float]]:
    """Return the same from a process that uses the modules of a checkout."""
    command = [sys.executable, __file__, "--one", str(n_nodes), "--workers", str(workers)]
    paths = {**os.environ, "PYTHONPATH": str(source / "src")}
    done = subprocess.run(command, env=paths, stdout=subprocess.PIPE, check=True, text=True)
    return dict(json.loads(done.stdout))


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("--sources", type=Path, nargs="+", default=[here])
    parser.add_argument("--nodes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--one", type=int, help="used by this script itself")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.one, given.workers)))
        return 0
    for n_nodes in given.nodes:
        runs = [
            (in_new_process(source, n_nodes, 1), in_new_process(source, n_nodes, given.workers))
            for source in given.sources
        ]
        print(f"\n{n_nodes} nodes; CPU and wall seconds" + " | the same before" * (len(runs) - 1))
        stages = dict.fromkeys(name for serial, _ in runs for name in serial)
        for name in [*stages, "total"]:
            cells = []
            for serial, parallel in runs:
                cpu = serial.get(name, [0.0])[0]
                wall = parallel.get(name, [0.0, 0.0])[1]
                if name == "total":
                    cpu = sum(each[0] for each in serial.values())
                    wall = sum(each[1] for each in parallel.values())
                cells.append(f"{cpu:8.1f} {wall:8.1f}")
            print(f"{name:36}" + " | ".join(cells), flush=True)
        totals = [sum(each[0] for each in serial.values()) for serial, _ in runs]
        if len(totals) > 1:
            print(f"CPU time: {totals[-1] / totals[0]:.2f} times less than before")
    return 0


if __name__ == "__main__":
    sys.exit(main())
