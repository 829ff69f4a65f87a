"""A table of a million rows on a Dask cluster of local workers: memory, kills, and what reading it takes.

The client runs in a process of its own. It is killed together with the scheduler and the workers when a
quarter of the rows are written, and started again with a new cluster. The memory (resident set) of the
client is read every two seconds.

Fixed before the results were looked at: memory is flat if the last quarter of the rows adds at most 100 MB
to the client.

``python benchmarks/million.py --out FOLDER`` writes the table, ``memory.csv`` and ``memory.png`` there.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import matplotlib
import pandas as pd

matplotlib.use("Agg")
import matplotlib.pyplot as plt

FEATURES = (
    "degree_mean", "degree_max", "degree_std", "n_triangles", "transitivity", "n_components", "lcc_nodes",
    "core_3_size", "degree_entropy", "clustering_mean",
)  # fmt: skip


def resident_megabytes(pid: int) -> float:
    """Return the memory of a process, 0 if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def rows_written(folder: Path) -> int:
    """Return how many rows the shards of a table hold; only their footers are read."""
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(path).num_rows for path in folder.glob("rows-*.parquet"))


def client(folder: Path, rows: int, workers: int) -> None:
    """Simulate the table on a new local cluster."""
    from distributed import LocalCluster

    import netchoice

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None
    ) as cluster:  # fmt: skip
        table = netchoice.simulate_table(
            "duplication", n_nodes=100, n_samples=rows, seed=1, features=list(FEATURES),
            engine=f"dask://{cluster.scheduler_address.removeprefix('tcp://')}", path=folder,
        )  # fmt: skip
        print(table, flush=True)


def watched(folder: Path, rows: int, workers: int, until: int | None, start: float) -> pd.DataFrame:
    """Run the client; kill its whole group if so many rows are written. Return its memory over time."""
    command = [
        sys.executable,
        __file__,
        "--client",
        "--rows",
        str(rows),
        "--workers",
        str(workers),
        "--out",
    ]
    run = subprocess.Popen([*command, str(folder.parent)], start_new_session=True)
    found = []
    while run.poll() is None:
        written = rows_written(folder)
        found.append((time.monotonic() - start, written, resident_megabytes(run.pid)))
        if until is not None and written >= until:
            os.killpg(run.pid, signal.SIGKILL)
        time.sleep(2)
    print(f"the client ended with code {run.returncode}; {rows_written(folder)} rows", flush=True)
    return pd.DataFrame(found, columns=["seconds", "rows", "megabytes"])


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--client", action="store_true", help="used by the script itself")
    given = parser.parse_args()
    folder = given.out / "table"
    if given.client:
        client(folder, given.rows, given.workers)
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    first = watched(folder, given.rows, given.workers, given.rows // 4, start)
    second = watched(folder, given.rows, given.workers, None, start)
    curve = pd.concat([first.assign(run=1), second.assign(run=2)])
    curve.to_csv(given.out / "memory.csv", index=False)
    late = second[second["rows"] >= 0.75 * given.rows]
    late = late[late["rows"] < given.rows]  # then the client reads the table
    added = late["megabytes"].iloc[-1] - late["megabytes"].iloc[0] if len(late) else float("nan")
    largest = curve["megabytes"].max()
    print(
        f"the last quarter of the rows added {added:.0f} MB to the client; largest {largest:.0f} MB"
    )
    _, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
    for number, part in curve.groupby("run"):
        ax.plot(part["seconds"], part["megabytes"], label=f"run {number}")
    ax.set(xlabel="seconds", ylabel="memory of the client (MB)", ylim=(0, None))
    ax.legend(frameon=False)
    ax.figure.savefig(given.out / "memory.png", dpi=150)
    return 0 if added <= 100 else 1


if __name__ == "__main__":
    sys.exit(main())
