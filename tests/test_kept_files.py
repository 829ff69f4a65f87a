"""Files that are read again: any damage is noticed, and nobody is blamed for what cannot be opened."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import netchoice
from netchoice.choice.evaluate import FeatureEvaluation
from netchoice.engines import processes
from netchoice.engines.processes import AwakeClock
from netchoice.errors import TableError
from netchoice.storage.kept_files import (
    DamagedFileError,
    OtherRunError,
    UnreadableFileError,
    read_json,
    read_parquet,
    write_json,
    write_parquet,
)
from netchoice.storage.shards import TableFolder

TABLE = pa.table({"n_triangles": [1.5, 2.5], "label": ["dmc", None]})
CALL = {"n_nodes": 12, "n_samples": 4, "seed": 1, "features": ["degree_mean"], "engine": "serial"}


@pytest.fixture(params=["json", "parquet"])
def kept(request, tmp_path):
    """Return a path, and functions that write and read it."""
    if request.param == "json":
        path, record = tmp_path / "x.json", {"n_triangles": [1.5, None], "label": "dmc é"}
        write_json(path, record, "run 1")
        return path, lambda **options: read_json(path, advice="do this", **options) == record
    path = tmp_path / "x.parquet"
    write_parquet(path, [TABLE], TABLE.schema, "run 1")
    return path, lambda **options: read_parquet(path, advice="do this", **options).equals(TABLE)


def test_every_flipped_bit_is_noticed(kept):
    path, read = kept
    assert read()
    content = path.read_bytes()
    for i in range(len(content)):
        damaged = bytearray(content)
        damaged[i] ^= 1 << (i % 8)
        path.write_bytes(damaged)
        with pytest.raises(DamagedFileError, match=r"^\S+ is damaged: .*; do this$"):
            read()


def test_every_cut_is_noticed(kept):
    path, read = kept
    content = path.read_bytes()
    for length in range(0, len(content) - 1, 5):
        path.write_bytes(content[:length])
        with pytest.raises(DamagedFileError, match=r"is damaged: .*; do this$"):
            read()


def test_files_of_other_runs_and_other_names_are_refused(kept):
    path, read = kept
    assert read(run="run 1")
    with pytest.raises(OtherRunError, match=r"belongs to another run \(fingerprint run 1"):
        read(run="run 2")
    other = path.with_name(f"other{path.suffix}")
    reader = read_json if path.suffix == ".json" else read_parquet
    path.rename(other)
    with pytest.raises(DamagedFileError, match=rf"is damaged: it was written as {path.name}"):
        reader(other, advice="do this")


def test_parquet_files_are_readable_by_others(tmp_path):
    write_parquet(tmp_path / "x.parquet", [TABLE], TABLE.schema, "run 1")
    assert pd.read_parquet(tmp_path / "x.parquet")["n_triangles"].tolist() == [1.5, 2.5]


# Shards that cannot be opened


def test_shard_that_cannot_be_opened_keeps_its_name(tmp_path, monkeypatch):
    netchoice.simulate_table("ba", **CALL, out=tmp_path)
    [shard] = TableFolder(tmp_path).shards()
    shard.unlink()
    shard.symlink_to(shard)  # opening it fails, also for root
    for call in (
        lambda: netchoice.ReferenceTable.load(tmp_path),
        lambda: netchoice.simulate_table("ba", **CALL, out=tmp_path),
    ):
        with pytest.raises(TableError, match=r"^cannot read \S+: .*; check its permissions") as e:
            call()
        assert isinstance(e.value, UnreadableFileError)
        assert shard.is_symlink()
        assert not list(tmp_path.glob("*.damaged"))


def test_loading_renames_nothing(tmp_path):
    netchoice.simulate_table("ba", **CALL, out=tmp_path)
    [shard] = TableFolder(tmp_path).shards()
    shard.write_bytes(shard.read_bytes()[:-1])
    with (
        pytest.warns(UserWarning, match="is damaged"),
        pytest.raises(TableError, match="has no rows yet"),
    ):
        netchoice.ReferenceTable.load(tmp_path)
    assert TableFolder(tmp_path).shards() == [shard]


# The folder of an evaluation


def test_report_refuses_a_folder_with_a_changed_file(tmp_path):
    frame = pd.DataFrame({"a": range(40), "b": range(40, 0, -1), "label": ["x", "y"] * 20})
    table = netchoice.ReferenceTable.from_frame(frame)
    options = {"methods": ["jmi"], "folds": 2, "max_features": 1}
    made = netchoice.evaluate_features(table, out=tmp_path, **options)
    loaded = FeatureEvaluation.load(tmp_path)
    assert loaded.as_dict() == made.as_dict()
    pd.testing.assert_frame_equal(loaded.evaluation, made.evaluation)
    pd.testing.assert_frame_equal(loaded.rankings, made.rankings)
    assert loaded.costs == made.costs
    for name in ("recommended.json", "run/evaluation.json"):
        content = (tmp_path / name).read_text()
        (tmp_path / name).write_text(content.replace("0", "1", 1) + " ")
        with pytest.raises(
            DamagedFileError, match=r" is damaged: .*; run netchoice evaluate again"
        ):
            FeatureEvaluation.load(tmp_path)
        (tmp_path / name).write_text(content)
    netchoice.evaluate_features(table, out=tmp_path / "other", seed=2, **options)
    theirs = (tmp_path / "other" / "run" / "evaluation.json").read_text()
    (tmp_path / "run" / "evaluation.json").write_text(theirs)
    with pytest.raises(OtherRunError, match=r"belongs to another run .*; run netchoice evaluate"):
        FeatureEvaluation.load(tmp_path)
    (tmp_path / "run" / "evaluation.json").unlink()
    with pytest.raises(UnreadableFileError, match=r"cannot read .*evaluation.json"):
        FeatureEvaluation.load(tmp_path)


# Processes


def test_clock_stops_while_the_process_is_suspended(monkeypatch):
    times = iter([0.0, 0.4, 0.8, 900.0, 900.4])
    monkeypatch.setattr(processes.time, "monotonic", lambda: next(times))
    clock = AwakeClock()
    assert [clock.now() for _ in range(4)] == pytest.approx([0.4, 0.8, 1.8, 2.2])


@pytest.mark.slow
def test_suspended_run_marks_no_row_as_failed(tmp_path):
    """A row takes 2 s of 6 s; the run is suspended for 10 s meanwhile."""
    code = f"""
import netchoice, time
@netchoice.feature
def slow(graph):
    time.sleep(2)
    return 1.0
netchoice.simulate_table("ba", n_nodes=10, n_samples=2, seed=1, features=[slow], workers=1,
                         row_timeout=6.0, out={str(tmp_path / "t")!r})
"""
    run = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    time.sleep(8)
    os.killpg(run.pid, 19)
    time.sleep(10)
    os.killpg(run.pid, 18)
    assert run.wait(120) == 0
    assert not len(netchoice.ReferenceTable.load(tmp_path / "t").failures)


@pytest.mark.slow
def test_threads_that_start_processes_leave_the_environment_unchanged(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, threading, netchoice\n"
        "print('the script runs')\n"
        "before = dict(os.environ)\n"
        "def run(seed):\n"
        "    netchoice.simulate_table('ba', n_nodes=10, n_samples=4, seed=seed, workers=1,\n"
        "                             features=['degree_mean'])\n"
        "threads = [threading.Thread(target=run, args=(seed,)) for seed in range(3)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "assert dict(os.environ) == before\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the script runs\n"


def test_processes_start_one_after_the_other(monkeypatch):
    """Two threads that start a process at the same time must not both change the environment."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    inside = []

    class Process:
        def __init__(self, **options):
            pass

        def start(self):
            inside.append(os.environ.get("OMP_NUM_THREADS"))
            time.sleep(0.05)

    monkeypatch.setattr(processes._CONTEXT, "Process", Process, raising=False)
    threads = [threading.Thread(target=processes._Child) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert inside == ["1"] * 4
    assert "OMP_NUM_THREADS" not in os.environ


# Estrada


def test_dense_networks_keep_their_estrada_index_and_their_order():
    from math import exp

    def index(n):
        rows, columns = np.triu_indices(n, 1)
        graph = netchoice.Graph.from_edges(np.stack([rows, columns], 1), n_nodes=n)
        found = netchoice.compute_features(graph, ["estrada_index"])
        assert not found.failures
        return found.values["estrada_index"]

    # The eigenvalues of a complete network are n − 1 and −1.
    assert index(700) == pytest.approx(exp(699), rel=1e-9)
    assert index(705) == pytest.approx(exp(700) * 5, rel=1e-9)
    assert index(720) == pytest.approx(exp(700) * 20, rel=1e-9)


def test_a_folder_with_the_name_of_an_address_holds_a_table(tmp_path, monkeypatch):
    """Arrow takes such a relative path for an address, of which it does not know the protocol."""
    monkeypatch.chdir(tmp_path)
    options = {"n_nodes": 10, "n_samples": 4, "seed": 1, "features": ["degree_max"]}
    table = netchoice.simulate_table("ba", out="dask:/table", engine="serial", **options)
    assert netchoice.ReferenceTable.load("dask:/table").X.equals(table.X)
