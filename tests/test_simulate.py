"""Tables: the same rows on every engine, resumed without loss, failures recorded as data."""

import contextlib
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import simulation_parts as parts
from fast_and_slow import fast_for
from platforms import posix

import netchoice
from netchoice import ModelSpace, ReferenceTable, simulate_table
from netchoice.choice.tables import load_table
from netchoice.engines.processes import ProcessEngine, keep_workers
from netchoice.errors import NetchoiceError, TableError, UsageError
from netchoice.models.density_matched import MatchedModel
from netchoice.simulate import make_simulator
from netchoice.storage import shards
from netchoice.storage.run_folder import lock_folder
from netchoice.storage.shards import TableFolder

CHEAP = ["n_triangles", "degree_max", "transitivity", "noise_normal", "noise_integer"]
BASE = {"n_nodes": 25, "n_samples": 60, "seed": 3, "features": CHEAP}
HERE = Path(__file__).parent


def values(table):
    """Return all columns but timings and machine."""
    columns = [c for c in table.frame.columns if not c.startswith("seconds_") and c != "machine"]
    return table.frame[sorted(columns)].reset_index(drop=True)


def assert_same(a, b):
    pd.testing.assert_frame_equal(values(a), values(b), check_exact=True)


@pytest.fixture(scope="module")
def serial():
    return simulate_table("duplication", **BASE, engine="serial")


@posix
def test_worker_processes_are_kept_for_the_next_run_and_end_with_the_context():
    engine = ProcessEngine(1)

    def work(number):
        return os.getpid(), number

    with keep_workers():
        (((first, number),),) = engine.run(work, [[(1,)]])
        assert number == 1
        assert list(engine.run(lambda *rows: (os.getpid(), sum(rows)), [[(2, 3)]])) == [
            [(first, 5)]
        ]
        os.kill(first, signal.SIGKILL)
        with keep_workers():  # an inner context keeps the same processes
            (((second, number),),) = engine.run(work, [[(4,)]])
        assert number == 4
        assert second != first
        assert list(engine.run(work, [[(5,)]])) == [[(second, 5)]]
    with pytest.raises(ProcessLookupError):
        os.kill(second, 0)
    (((third, _),),) = engine.run(work, [[(6,)]])
    with pytest.raises(ProcessLookupError):
        os.kill(third, 0)


def test_contents_of_a_simulated_table(serial):
    assert serial.X.shape == (60, 5)
    assert list(serial.X.columns) == CHEAP
    assert set(serial.y) == {"dmc", "dmr"}
    assert set(serial.parameters.columns) == {"p_delete", "p_connect", "p_new"}
    dmc = serial.parameters[serial.y == "dmc"]
    assert dmc["p_connect"].between(0.25, 0.75).all()
    assert dmc["p_new"].isna().all()
    assert serial.discrete["n_triangles"]
    assert not serial.discrete["transitivity"]
    assert serial.costs.steps.keys() == {"degrees", "degree_counts", "triangles"}
    assert serial.costs.cost("transitivity") > serial.costs.own["transitivity"] > 0
    assert len(serial.failures) == 0
    assert repr(serial).startswith("<ReferenceTable: 60 rows (dmc ")


def test_rows_can_be_recomputed_from_their_random_streams(serial):
    simulator = make_simulator(netchoice.get_space("duplication"), 25, None, CHEAP, 3, "train")
    for row in (0, 17, 59):
        label, parameters = simulator.space.sample(simulator.rng(row, "draw"))
        assert serial.frame["label"][row] == label
        for name, value in parameters.items():
            assert serial.frame[f"parameter_{name}"][row] == value
        graph = simulator.space[label].grow(25, parameters, simulator.rng(row, "growth"))
        assert simulator.network(row) == (label, graph)
        expected = netchoice.compute_features(graph, ["n_triangles", "transitivity"]).values
        assert serial.X["n_triangles"][row] == expected["n_triangles"]
        assert serial.X["transitivity"][row] == expected["transitivity"]


@fast_for("workers", [1, 2], [1, 2, 8])
def test_table_from_processes_is_bit_identical(serial, workers, tmp_path):
    table = simulate_table("duplication", **BASE, workers=workers, out=tmp_path / "t")
    assert_same(table, serial)
    assert_same(ReferenceTable.load(tmp_path / "t"), serial)


def test_table_from_threads_is_bit_identical(serial):
    with ThreadPoolExecutor(2) as pool:
        assert_same(simulate_table("duplication", **BASE, engine=pool), serial)


@pytest.mark.parametrize("method", sorted({*multiprocessing.get_all_start_methods()} - {"fork"}))
def test_table_from_an_executor_of_processes_is_bit_identical(serial, method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert_same(simulate_table("duplication", **BASE, engine=pool), serial)


@posix
def test_executor_that_forks_is_refused():
    """This process has threads, and a forked copy may wait forever for one of their locks."""
    with (
        ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool,
        pytest.raises(UsageError, match=r"forks this process.*; pass mp_context=multiprocessing"),
    ):
        simulate_table("duplication", **BASE, engine=pool)


@posix
@pytest.mark.slow
def test_start_method_of_the_user_does_not_matter(serial, tmp_path):
    """The engine of processes always spawns, also where the user's default is another method."""
    make = "simulate_table('duplication', **BASE, workers=2, out=sys.argv[1])"
    code = f"""import multiprocessing, sys
multiprocessing.set_start_method("forkserver")
from netchoice import simulate_table
BASE = {BASE!r}
{make}
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "t")], check=True)
    assert_same(ReferenceTable.load(tmp_path / "t"), serial)


def test_table_does_not_depend_on_the_batch_size(serial, monkeypatch):
    monkeypatch.setattr("netchoice.rows._MAX_BATCH_ROWS", 7)
    assert_same(simulate_table("duplication", **BASE, engine="serial"), serial)


def test_table_extended_later_is_bit_identical(serial, tmp_path):
    first = simulate_table(
        "duplication", **{**BASE, "n_samples": 20}, engine="serial", out=tmp_path
    )
    assert len(first) == 20
    table = simulate_table("duplication", **BASE, engine="serial", out=tmp_path)
    assert_same(table, serial)
    fewer = simulate_table(
        "duplication", **{**BASE, "n_samples": 20}, engine="serial", out=tmp_path
    )
    assert_same(fewer, first)
    assert len(ReferenceTable.load(tmp_path)) == 60


def test_values_do_not_depend_on_the_other_features(serial):
    some = {**BASE, "features": ["noise_integer", "transitivity"]}
    table = simulate_table("duplication", **some, engine="serial")
    pd.testing.assert_frame_equal(table.X, serial.X[["noise_integer", "transitivity"]])


def test_streams_and_seeds_share_no_randomness(serial):
    for change in ({"seed": 4}, {"stream": "test"}):
        other = simulate_table("duplication", **{**BASE, **change}, engine="serial")
        assert not np.intersect1d(other.X["noise_normal"], serial.X["noise_normal"]).size
        assert not np.intersect1d(other.parameters["p_delete"], serial.parameters["p_delete"]).size


def test_isolated_nodes_follow_the_argument():
    drop = simulate_table(
        "duplication", n_nodes=25, n_samples=8, seed=1, engine="serial", isolated="drop",
        features=["shell_2_size", "n_components"],
    )  # fmt: skip
    assert drop.manifest["isolated"] == "drop"


@pytest.mark.slow
def test_isolated_nodes_follow_the_matched_space():
    observed = netchoice.get_model("ba2").grow(40, {}, np.random.default_rng(1))
    space = netchoice.get_space("mechanisms").matched_to(observed, isolated="drop")
    table = simulate_table(
        space, n_nodes=40, n_samples=8, seed=1, engine="serial", features=["degree_mean"]
    )
    assert (np.abs(table.X["degree_mean"] * 20 - observed.n_edges) <= 0.1 * observed.n_edges).all()
    assert table.manifest["isolated"] == "drop"


# Disk


def test_shards_are_readable_by_other_programs(serial, tmp_path):
    import duckdb
    import polars

    serial.save(tmp_path / "t")
    files = f"{tmp_path}/t/rows-*.parquet"
    [(count,)] = duckdb.sql(f"select count(*) from '{files}' where label = 'dmc'").fetchall()
    assert count == (serial.y == "dmc").sum()
    assert polars.read_parquet(files)["n_triangles"].to_list() == serial.X["n_triangles"].to_list()
    assert len(pd.read_parquet(tmp_path / "t")) == 60
    manifest = json.loads((tmp_path / "t" / "_manifest.json").read_text())
    assert manifest["space"]["models"][0]["priors"]["p_delete"] == "uniform(0.25, 0.75)"
    assert manifest["seed"] == 3
    assert {"name", "version", "discrete"} == set(manifest["features"][0])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"n_nodes": 26}, "n_nodes"),
        ({"seed": 4}, "seed"),
        ({"stream": "test"}, "stream"),
        ({"isolated": "drop"}, "isolated"),
        ({"features": ["n_triangles"]}, "features"),
    ],
)
def test_resuming_a_table_made_differently_is_refused(tmp_path, change, field):
    small = {**BASE, "n_samples": 2}
    simulate_table("duplication", **small, engine="serial", out=tmp_path)
    with pytest.raises(TableError, match=f"differ in {field}"):
        simulate_table("duplication", **{**small, **change}, engine="serial", out=tmp_path)
    wider = netchoice.get_space("duplication").with_priors({"p_delete": "uniform(0, 1)"})
    with pytest.raises(TableError, match="differ in space"):
        simulate_table(wider, **small, engine="serial", out=tmp_path)


def test_resuming_with_another_version_of_a_feature_is_refused(tmp_path):
    make = {"n_nodes": 20, "n_samples": 2, "seed": 1, "engine": "serial", "out": tmp_path}
    one = netchoice.feature(version="1", name="mine")(lambda graph: 1.0)
    two = netchoice.feature(version="2", name="mine")(lambda graph: 2.0)
    simulate_table("ba", features=[one], **make)
    with pytest.raises(TableError, match="differ in features"):
        simulate_table("ba", features=[two], **make)
    changed = netchoice.feature(version="1", name="mine")(lambda graph: 1.0 + 0.0)
    with pytest.warns(UserWarning, match="differ in code"):
        simulate_table("ba", features=[changed], **make)


def test_resuming_with_other_package_versions_warns(tmp_path):
    small = {**BASE, "n_samples": 2}
    simulate_table("duplication", **small, engine="serial", out=tmp_path)
    folder = TableFolder(tmp_path)
    manifest = folder.manifest()
    manifest["packages"]["numpy"] = "0.1"
    folder.write_manifest(manifest)
    with pytest.warns(UserWarning, match="differ in packages"):
        simulate_table("duplication", **small, engine="serial", out=tmp_path)


def test_rows_of_damaged_shards_are_simulated_again(serial, tmp_path, monkeypatch):
    monkeypatch.setattr("netchoice.rows._SHARD_ROWS", 10)
    simulate_table("duplication", **BASE, engine="serial", out=tmp_path)
    shards = TableFolder(tmp_path).shards()
    assert len(shards) >= 4
    complete = shards[0].read_bytes()
    shards[0].write_bytes(complete[: len(complete) // 2])  # truncated, as after a power cut
    content = bytearray(shards[1].read_bytes())
    content[len(content) // 3] ^= 0xFF  # changed bits
    shards[1].write_bytes(content)
    shards[2].write_bytes(b"")
    with pytest.warns(UserWarning, match="is damaged: .* was renamed"):
        table = simulate_table("duplication", **BASE, engine="serial", out=tmp_path)
    assert_same(table, serial)


def test_part_of_a_table_is_read_without_the_rest(tmp_path, monkeypatch):
    options = {
        "seed": 5,
        "features": ["degree_mean", "transitivity", "n_triangles", "lcc_mean_distance"],
    }
    monkeypatch.setattr("netchoice.rows._SHARD_ROWS", 10)
    full = simulate_table(
        "duplication", n_nodes=20, n_samples=60, engine="serial", out=tmp_path, **options
    )
    assert len(TableFolder(tmp_path).shards()) > 3
    read = []
    read_parquet = shards.read_parquet

    def recorded(path, *arguments, **named):
        table = read_parquet(path, *arguments, **named)
        read.append((path, table.column_names))
        return table

    monkeypatch.setattr(shards, "read_parquet", recorded)
    part = TableFolder(tmp_path).read(np.arange(20))
    pd.testing.assert_frame_equal(part[full.features], full.X.loc[:19])
    contents = [(path, names) for path, names in read if names != ["row", "failure"]]
    assert len(contents) < len(TableFolder(tmp_path).shards())


def test_drawn_rows_are_rows_of_the_table_with_its_costs(tmp_path):
    features = ["degree_mean", "transitivity", "n_triangles"]
    full = simulate_table(
        "duplication", n_nodes=20, n_samples=200, seed=5, features=features, engine="serial",
        out=tmp_path / "full",
    )  # fmt: skip
    drawn = full.draw(50, seed=2)
    numbers = drawn.frame["row"].to_numpy()
    assert len({*numbers}) == len(drawn) == 50
    assert {*numbers} != {*range(50)}
    pd.testing.assert_frame_equal(drawn.X, full.X.iloc[numbers].reset_index(drop=True))
    again = ReferenceTable.load(tmp_path / "full").draw(50, seed=2)
    pd.testing.assert_frame_equal(again.frame, drawn.frame)
    assert {*full.draw(50, seed=3).frame["row"]} != {*numbers}
    assert drawn.costs == full.costs
    assert len(full.draw(500)) == 200
    for wrong in (0, -3, 2.5):
        with pytest.raises(UsageError, match="`n_rows` must be"):
            full.draw(wrong)
    drawn.save(tmp_path / "drawn")
    pd.testing.assert_frame_equal(ReferenceTable.load(tmp_path / "drawn").X, drawn.X)


def test_loading_an_incomplete_table_warns(tmp_path):
    simulate_table("duplication", **{**BASE, "n_samples": 4}, engine="serial", out=tmp_path)
    folder = TableFolder(tmp_path)
    folder.write_manifest({**folder.manifest(), "n_samples": 9})
    with pytest.warns(UserWarning, match="has 4 of 9 rows"):
        ReferenceTable.load(tmp_path)


def test_invalid_folders_are_refused(tmp_path):
    with pytest.raises(TableError, match=r"is no reference table: it has no _manifest\.json"):
        ReferenceTable.load(tmp_path)
    (tmp_path / "_manifest.json").write_text("{")
    with pytest.raises(TableError, match=r"_manifest\.json is damaged"):
        ReferenceTable.load(tmp_path)
    (tmp_path / "_manifest.json").write_text('{"format": 2}')  # as earlier versions wrote it
    with pytest.raises(TableError, match="has no checksum, or an earlier version of netchoice"):
        ReferenceTable.load(tmp_path)
    TableFolder(tmp_path).write_manifest({"format": 1})
    with pytest.raises(
        TableError,
        match=r"has table format 1; .* reads format 3: simulate the table again, or read",
    ):
        ReferenceTable.load(tmp_path)


def test_full_disk_keeps_the_rows_written_before(serial, tmp_path, monkeypatch):
    from pyarrow.parquet import ParquetWriter

    monkeypatch.setattr("netchoice.rows._SHARD_ROWS", 10)
    write, calls = ParquetWriter.write_table, []

    def full(*arguments, **options):
        calls.append(1)
        if len(calls) > 2:
            raise OSError(28, "No space left on device")
        return write(*arguments, **options)

    monkeypatch.setattr(ParquetWriter, "write_table", full)
    with pytest.raises(TableError, match="No space left on device; rows written before are kept"):
        simulate_table("duplication", **BASE, engine="serial", out=tmp_path)
    monkeypatch.undo()
    assert len(TableFolder(tmp_path).read()) >= 20
    assert not list(tmp_path.glob(".*partial"))
    assert_same(simulate_table("duplication", **BASE, engine="serial", out=tmp_path), serial)


SCRIPT = """
import sys; sys.path.insert(0, {here!r})
import netchoice.rows, simulation_parts as parts
netchoice.rows._SHARD_SECONDS = 0.1
space = netchoice.ModelSpace("slow", [parts.slow, netchoice.get_model("dmr")])
netchoice.simulate_table(space, n_nodes=20, n_samples={n_samples}, seed=5, out={path!r}, workers=2,
                         features=["degree_max", "noise_normal"])
"""


def start(path, n_samples=80):
    """Start a run in its own process group; the script has no ``__main__`` guard."""
    code = SCRIPT.format(here=str(HERE), path=str(path), n_samples=n_samples)
    return subprocess.Popen(
        [sys.executable, "-c", code], start_new_session=True, stderr=subprocess.PIPE
    )


@pytest.mark.slow
@posix
def test_table_resumed_after_kills_is_bit_identical(tmp_path):
    """Parent and children get SIGKILL at random moments; the last run completes the table."""
    chance = random.Random(1)
    for _ in range(4):
        run = start(tmp_path / "t")
        time.sleep(chance.uniform(1.0, 4.5))
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
    run = start(tmp_path / "t")
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 0, errors.decode()
    space = ModelSpace("slow", [parts.slow, netchoice.get_model("dmr")])
    expected = simulate_table(
        space,
        n_nodes=20,
        n_samples=80,
        seed=5,
        engine="serial",
        features=["degree_max", "noise_normal"],
    )
    assert_same(ReferenceTable.load(tmp_path / "t"), expected)


@posix
@pytest.mark.slow
def test_interrupt_keeps_finished_rows_and_says_how_to_resume(tmp_path):
    command = [sys.executable, "-m", "netchoice", "simulate", "duplication", "--nodes", "600"]
    command += ["--samples", "3000", "--workers", "2", "--out", str(tmp_path / "t")]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    for _ in range(300):
        if (tmp_path / "t" / "_manifest.json").exists():
            break
        time.sleep(0.1)
    time.sleep(4)
    start_of_stop = time.monotonic()
    os.killpg(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert time.monotonic() - start_of_stop < 20
    assert run.returncode == 130
    text = errors.decode()
    assert "stopped after" in text
    assert "run the same command again to resume" in text
    assert "Traceback" not in text
    kept = len(TableFolder(tmp_path / "t").read())
    assert f"stopped after {kept} of 3000 rows" in text


# Rows that were made differently

SMALL = {**BASE, "n_samples": 6, "engine": "serial"}
OTHER_RUN = r"belongs to another run .*: its rows were made differently; move the shard"


def test_table_with_a_deleted_manifest_is_resumed_only_by_its_own_run(serial, tmp_path):
    simulate_table("duplication", **SMALL, out=tmp_path)
    [shard] = TableFolder(tmp_path).shards()
    (tmp_path / "_manifest.json").unlink()
    for change in ({"seed": 4}, {"stream": "test"}, {"features": ["n_triangles"]}):
        with pytest.raises(TableError, match=OTHER_RUN):
            simulate_table("duplication", **{**SMALL, **change}, out=tmp_path)
        with pytest.raises(TableError, match=OTHER_RUN):
            simulate_table("duplication", **{**SMALL, **change}).save(tmp_path)
        assert not (tmp_path / "_manifest.json").exists()
    table = simulate_table("duplication", **BASE, engine="serial", out=tmp_path)
    assert_same(table, serial)
    assert shard in TableFolder(tmp_path).shards()


def test_shards_of_another_run_are_refused(tmp_path):
    for seed in (3, 4):
        simulate_table("duplication", **{**SMALL, "seed": seed}, out=tmp_path / str(seed))
    [foreign] = TableFolder(tmp_path / "4").shards()
    copy = tmp_path / "3" / foreign.name
    copy.write_bytes(foreign.read_bytes())
    with pytest.raises(TableError, match=OTHER_RUN):
        ReferenceTable.load(tmp_path / "3")
    with pytest.raises(TableError, match=OTHER_RUN) as refused:
        simulate_table("duplication", **SMALL, out=tmp_path / "3")
    assert "\n" not in str(refused.value)
    pd.read_parquet(foreign).to_parquet(copy)
    with pytest.warns(UserWarning, match="is damaged: it has no checksum"):
        assert len(ReferenceTable.load(tmp_path / "3")) == 6
    copy.unlink()
    assert len(ReferenceTable.load(tmp_path / "3")) == 6


def test_edited_manifest_does_not_claim_the_rows_of_another_run(tmp_path):
    simulate_table("duplication", **SMALL, out=tmp_path)
    folder = TableFolder(tmp_path)
    folder.write_manifest({**folder.manifest(), "seed": 4})
    with pytest.raises(TableError, match=OTHER_RUN):
        simulate_table("duplication", **{**SMALL, "seed": 4}, out=tmp_path)


@pytest.mark.parametrize("made_by", ["concat", "split", "drop_constant", "selecting rows"])
def test_tables_that_were_not_simulated_row_by_row_are_not_resumed(tmp_path, made_by):
    one = simulate_table("duplication", **SMALL)
    two = simulate_table("duplication", **{**SMALL, "stream": "test"})
    table = {
        "concat": lambda: ReferenceTable.concat([one, two]),
        "split": lambda: one.split()[1],
        "drop_constant": one.drop_constant,
        "selecting rows": lambda: ReferenceTable(one.frame[3:], one.manifest),
    }[made_by]()
    table.save(tmp_path / "t")
    before = ReferenceTable.load(tmp_path / "t")  # a warning about missing rows is an error
    assert_same(before, table)
    for change in ({}, {"n_samples": 20}, {"stream": "test"}):
        with pytest.raises(TableError, match=f"was made by {made_by}; only simulated .* resumed"):
            simulate_table("duplication", **{**SMALL, **change}, out=tmp_path / "t")
    assert_same(ReferenceTable.load(tmp_path / "t"), before)
    (tmp_path / "t" / "_manifest.json").unlink()
    with pytest.raises(TableError, match=OTHER_RUN):
        simulate_table("duplication", **SMALL, out=tmp_path / "t")


def test_saved_simulated_table_is_resumed(serial, tmp_path):
    simulate_table("duplication", **SMALL).save(tmp_path)
    assert_same(simulate_table("duplication", **BASE, engine="serial", out=tmp_path), serial)


def test_halves_of_a_table_have_different_fingerprints(serial, tmp_path):
    for name, half in zip("ab", serial.split(), strict=True):
        half.save(tmp_path / name)
    [shard] = TableFolder(tmp_path / "b").shards()
    shard.rename(tmp_path / "a" / shard.name)
    with pytest.raises(TableError, match=OTHER_RUN):
        ReferenceTable.load(tmp_path / "a")


def test_tables_that_share_rows_are_not_concatenated(serial, tmp_path):
    first, second = serial.split()
    other = simulate_table("duplication", **{**BASE, "stream": "test"}, engine="serial")
    serial.save(tmp_path / "t")
    loaded = ReferenceTable.load(tmp_path / "t")
    both = ReferenceTable.concat([first, other])
    both.save(tmp_path / "both")
    both = ReferenceTable.concat([ReferenceTable.load(tmp_path / "both"), second])
    assert len(both) == 120
    for tables, n_shared in [
        ([serial, serial], 60),
        ([serial, loaded], 60),
        ([first, other, serial], len(first)),
        ([both, other], 60),
        ([both.split()[0], both], len(both.split()[0])),
    ]:
        with pytest.raises(TableError, match=f"the tables share {n_shared} rows; expected each"):
            ReferenceTable.concat(tables)
    frame = pd.DataFrame({"label": ["a", "b"], "x": [1.0, 2.0]})
    mine = ReferenceTable.from_frame(frame)
    with pytest.raises(TableError, match="the tables share 2 rows"):
        ReferenceTable.concat([mine, ReferenceTable.from_frame(frame)])
    assert len(ReferenceTable.concat([mine, ReferenceTable.from_frame(frame[::-1])])) == 4


def test_shard_with_a_changed_column_name_is_damaged(tmp_path):
    whole = simulate_table("duplication", **SMALL, out=tmp_path)
    [shard] = TableFolder(tmp_path).shards()
    content = shard.read_bytes()
    for name in (b"n_triangles", b"noise_normal", b"parameter_p_new"):
        for bit in (0x01, 0x80):
            footer = int.from_bytes(content[-8:-4], "little") + 8
            start = content.index(name, len(content) - footer)  # in the schema
            changed = bytearray(content)
            changed[start + 2] ^= bit
            shard.write_bytes(changed)
            with pytest.warns(UserWarning, match="is damaged: .* was renamed"):
                table = simulate_table("duplication", **SMALL, out=tmp_path)
            assert_same(table, whole)
            for path in TableFolder(tmp_path).shards():
                path.unlink()


def test_folder_names_with_equals_signs_add_no_columns(tmp_path):
    table = simulate_table("duplication", **SMALL, out=tmp_path / "seed=3" / "t")
    assert_same(table, simulate_table("duplication", **SMALL))


# Two writers

flock = pytest.mark.skipif(sys.platform == "win32", reason="needs fcntl")


def wait_for_a_shard(run, path):
    for _ in range(600):
        if TableFolder(path).shards() or run.poll() is not None:
            break
        time.sleep(0.05)
    assert run.poll() is None
    assert TableFolder(path).shards()


@posix
@flock
@pytest.mark.slow
def test_one_process_at_a_time_writes_to_a_folder(tmp_path):
    space = ModelSpace("slow", [parts.slow, netchoice.get_model("dmr")])
    make = {"n_nodes": 20, "n_samples": 80, "features": ["degree_max", "noise_normal"]}
    run = start(tmp_path / "t", 5000)
    try:
        wait_for_a_shard(run, tmp_path / "t")
        owner = rf"process {run.pid} on \S+ \(started 20.*\) is writing to .*; wait until"
        for seed in (5, 6):
            with pytest.raises(TableError, match=owner):
                simulate_table(space, **make, seed=seed, out=tmp_path / "t", engine="serial")
        with pytest.raises(TableError, match=owner):
            simulate_table("duplication", **SMALL).save(tmp_path / "t")
        assert run.poll() is None
        os.kill(run.pid, signal.SIGKILL)  # the workers may still live
        run.wait()
        table = simulate_table(space, **make, seed=5, out=tmp_path / "t", engine="serial")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
    assert_same(table, simulate_table(space, **make, seed=5, engine="serial"))


@flock
def test_forked_process_does_not_keep_the_lock(tmp_path):
    refused = pytest.raises(TableError, match=f"process {os.getpid()} on")
    with lock_folder(tmp_path), refused, lock_folder(tmp_path):
        pass
    # This process has threads and must not fork; a new process without threads may.
    code = """import os, sys
from pathlib import Path
from netchoice.storage import run_folder as folder
with folder.lock_folder(Path(sys.argv[1])):
    child = os.fork()
    if child == 0:
        os._exit(len(folder._held))
    assert os.waitpid(child, 0)[1] == 0
    assert len(folder._held) == 1
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    with lock_folder(tmp_path):
        pass


@flock
def test_simultaneous_starts_with_different_seeds_do_not_mix_rows(tmp_path):
    """Threads start at the same moment; all but one are refused, and the table is that of one run."""
    tables = {seed: simulate_table("duplication", **{**SMALL, "seed": seed}) for seed in range(4)}
    for trial in range(10):
        gate = threading.Barrier(4)

        def run(seed, gate=gate, path=tmp_path / str(trial)):
            gate.wait()
            try:
                return seed, simulate_table("duplication", **{**SMALL, "seed": seed}, out=path)
            except TableError as error:
                assert re.search("is writing to|differ in seed", str(error))

        with ThreadPoolExecutor(4) as pool:
            [(seed, table)] = [result for result in pool.map(run, range(4)) if result]
        assert_same(table, tables[seed])
        assert_same(ReferenceTable.load(tmp_path / str(trial)), tables[seed])


# Failures


def test_failed_rows_are_recorded_with_their_reason():
    space = ModelSpace("unreliable", [parts.unreliable, netchoice.get_model("ba1")], weights=[1, 3])
    table = simulate_table(
        space,
        n_nodes=25,
        n_samples=120,
        seed=3,
        engine="serial",
        features=[parts.fails_at_degree_11, "degree_max"],
    )
    reasons = table.failures["failure"]
    assert reasons.str.contains("RuntimeError: k is 2").any()
    assert reasons.str.contains("returned a network with 26 nodes instead of 25").any()
    assert len(table) + len(table.failures) == 120


def test_row_on_which_a_feature_fails_is_kept_without_its_value(tmp_path):
    make = {"n_nodes": 25, "n_samples": 45, "seed": 3, "engine": "serial"}
    names = [parts.fails_at_degree_11, "degree_max"]
    table = simulate_table("ba", **make, features=names, out=tmp_path / "t")
    assert len(table) == 45
    missing = table.not_computed
    assert set(missing["feature"]) == {"fails_at_degree_11"}
    assert set(missing["reason"]) == {"ValueError: degree 11"}
    without = table.frame["fails_at_degree_11"].isna()
    assert missing["row"].tolist() == table.frame.loc[without, "row"].tolist()
    assert table.frame["degree_max"].notna().all()
    assert table.partial == {"fails_at_degree_11": len(missing)}
    with pytest.raises(TableError, match="computed on a part of the rows only"):
        _ = table.X
    with pytest.warns(UserWarning, match="1 features are left out because they have no value"):
        kept = load_table(tmp_path / "t")
    assert kept.features == ["degree_max"]
    assert len(kept) == 45


def test_feature_that_fails_on_most_rows_stops_the_run():
    make = {"n_nodes": 20, "n_samples": 500, "seed": 1, "engine": "serial"}
    broken = netchoice.feature(name="broken")(lambda graph: 1 // 0)
    with pytest.raises(NetchoiceError, match=r"(\d+) of \1 rows failed.*broken: ZeroDivisionError"):
        simulate_table("ba", **make, features=[broken, "degree_max"])


@pytest.mark.slow
def test_process_that_dies_or_hangs_loses_one_row():
    space = ModelSpace("crashing", [parts.crashing, netchoice.get_model("ba1")])
    make = {"n_nodes": 12, "n_samples": 20, "seed": 51, "features": ["degree_max"]}
    table = simulate_table(space, **make, workers=2, row_timeout=1.0)
    reasons = table.failures["failure"]
    assert reasons.str.contains("lost: the process was ended by SIGSEGV").any()
    assert reasons.str.contains("lost: took longer than 1 s").any()
    k = [space.sample(_rng(51, row))[1].get("k") for row in range(20)]
    expected = {row for row in range(20) if k[row] in (2, 3)}
    assert set(table.failures["row"]) == expected


@pytest.mark.slow
def test_rows_of_a_killed_child_are_simulated_by_another():
    space = ModelSpace("slow", [parts.slow, netchoice.get_model("dmr")])
    make = {"n_nodes": 20, "n_samples": 100, "seed": 5, "features": ["degree_max", "noise_normal"]}
    killed = []

    def kill_one(done, total, failed):
        if done > 20 * (len(killed) + 1) and len(killed) < 2:
            killed.append(multiprocessing.active_children()[0])
            killed[-1].kill()

    table = simulate_table(space, **make, workers=2, on_progress=kill_one)
    assert len(killed) == 2
    assert_same(table, simulate_table(space, **make, engine="serial"))
    assert not multiprocessing.active_children()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.slow
def test_workers_end_at_once_when_their_parent_is_killed(tmp_path):
    code = f"""
import netchoice, os, pathlib, time
@netchoice.feature
def endless(graph):
    pathlib.Path({str(tmp_path)!r}, str(os.getpid())).touch()
    time.sleep(600)
    return 1.0
netchoice.simulate_table("ba", n_nodes=10, n_samples=9, seed=1, features=[endless], workers=2)
"""
    run = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 60
    while len([*tmp_path.iterdir()]) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    workers = [int(path.name) for path in tmp_path.iterdir()]
    assert len(workers) == 2
    run.kill()
    run.wait()
    killed = time.monotonic()
    while any(map(lives, workers)) and time.monotonic() < killed + 60:
        time.sleep(0.05)
    assert time.monotonic() - killed < 2


def lives(pid):
    """Return whether a process has not ended; nobody may have waited for one that has."""
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_workers_that_cannot_start_end_the_run(monkeypatch):
    monkeypatch.setattr("netchoice.engines.processes._serve", parts.exit_at_once)
    with pytest.raises(
        NetchoiceError, match=r"processes end before they start to work: .* with code 3"
    ):
        simulate_table("ba", n_nodes=10, n_samples=9, seed=1, workers=1, features=["degree_max"])


def test_process_that_the_system_refuses_ends_the_run_in_one_line(monkeypatch):
    def refuse(process):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(multiprocessing.context.SpawnProcess, "start", refuse)
    with pytest.raises(NetchoiceError, match=r"cannot start a worker process \(Resource temp"):
        simulate_table("ba", n_nodes=10, n_samples=9, seed=1, workers=1, features=["degree_max"])


def test_broken_executor_ends_the_run(tmp_path):
    space = ModelSpace("crashing", [parts.crashing.with_priors({"k": 2})])
    make = {"n_nodes": 12, "n_samples": 9, "seed": 4, "features": ["degree_max"]}
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(1, mp_context=context) as pool,
        pytest.raises(NetchoiceError, match="the executor accepts no more work"),
    ):
        simulate_table(space, **make, engine=pool, out=tmp_path)


def _rng(seed, row):
    ba = netchoice.get_space("ba")
    return make_simulator(ba, 12, None, ["degree_max"], seed, "train").rng(row, "draw")


def test_too_many_failures_stop_the_run(tmp_path):
    space = ModelSpace("unreliable", [parts.unreliable.with_priors({"k": 2})])
    with pytest.raises(
        NetchoiceError, match=r"of \d+ rows failed, more than 20%; for example: .*RuntimeError"
    ) as stopped:
        simulate_table(
            space,
            n_nodes=20,
            n_samples=500,
            seed=1,
            engine="serial",
            features=["degree_max"],
            out=tmp_path,
        )
    kept = len(TableFolder(tmp_path).read())
    assert f"{kept} of {kept} rows failed" in str(stopped.value)
    assert 50 <= kept < 500


# Dask


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_table_from_dask_is_bit_identical(serial, dask_address):
    table = simulate_table("duplication", **BASE, engine=f"dask://{dask_address[0]}")
    assert_same(table, serial)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_table_from_dask_is_bit_identical_though_a_worker_dies(dask_address):
    address, workers = dask_address
    space = ModelSpace("slow", [parts.slow, netchoice.get_model("dmr")])
    make = {"n_nodes": 20, "n_samples": 120, "seed": 5, "features": ["degree_max", "noise_normal"]}
    killed = []

    def kill_one(done, total, failed):
        if done > 30 and not killed:
            workers[0].kill()
            killed.append(done)

    table = simulate_table(space, **make, engine=f"dask://{address}", on_progress=kill_one)
    assert killed
    assert_same(table, simulate_table(space, **make, engine="serial"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.slow
def test_missing_dask_scheduler_is_reported():
    with pytest.raises(UsageError, match=r"no Dask scheduler at 127\.0\.0\.1:9"):
        simulate_table("ba", n_nodes=10, n_samples=1, seed=1, engine="dask://127.0.0.1:9")


# Using tables


def test_split_concat_and_drop_constant(serial, tmp_path):
    first, second = serial.split(0.25, seed=1)
    assert len(first) == pytest.approx(15, abs=1)
    assert len(first) + len(second) == 60
    assert set(first.frame["row"]).isdisjoint(second.frame["row"])
    assert first.costs == serial.costs
    both = ReferenceTable.concat([first, second])
    assert sorted(both.X["noise_normal"]) == sorted(serial.X["noise_normal"])
    other = simulate_table(
        "duplication", **{**BASE, "n_nodes": 30, "n_samples": 2}, engine="serial"
    )
    with pytest.raises(TableError, match="the tables differ in n_nodes: 25 and 30"):
        ReferenceTable.concat([serial, other])
    with pytest.raises(UsageError, match="`share` must be a number between 0 and 1; got 1"):
        serial.split(1)
    ba = simulate_table(
        "ba",
        n_nodes=25,
        n_samples=12,
        seed=1,
        engine="serial",
        features=["lcc_nodes", "degree_max"],
    )
    varying = ba.drop_constant()
    assert varying.features == ["degree_max"]
    assert varying.costs.features == ["degree_max"]
    varying.save(tmp_path / "v")
    again = ReferenceTable.load(tmp_path / "v")
    assert again.features == ["degree_max"]
    assert again.costs == varying.costs


def test_table_from_a_data_frame():
    frame = pd.DataFrame({"y": ["a", "b", "a"], "count": [1, 2, 3], "share": [0.1, 0.2, 0.3]})
    table = ReferenceTable.from_frame(frame, "y", costs={"count": 2.0, "share": 5.0})
    assert table.y.tolist() == ["a", "b", "a"]
    assert table.discrete == {"count": True, "share": False}
    assert table.costs.cost("share") == 5
    free = ReferenceTable.from_frame(frame, "y")
    assert free.costs.cost("count") == 0
    with pytest.raises(
        TableError, match="there is no column 'label'; the columns are y, count, share"
    ):
        ReferenceTable.from_frame(frame)
    with pytest.raises(TableError, match="column 'when' holds dates or times"):
        ReferenceTable.from_frame(frame.assign(when="2020-01-31"), "y")
    with pytest.raises(TableError, match="has a name that netchoice reserves"):
        ReferenceTable.from_frame(frame.rename(columns={"share": "row"}), "y")


def test_export_writes_labels_parameters_and_features(serial, tmp_path):
    frame = serial.export(tmp_path / "t.csv")
    assert list(frame.columns[:2]) == ["label", "parameter_p_delete"]
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "t.csv"), frame, check_dtype=False)
    serial.export(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "t.parquet"), frame)
    with pytest.raises(UsageError, match=r"must end in \.csv or \.parquet"):
        serial.export(tmp_path / "t.xlsx")
    with pytest.raises(NetchoiceError, match="cannot write"):
        serial.export(tmp_path / "nowhere" / "t.csv")


def test_invalid_arguments_are_refused():
    make = {"n_nodes": 20, "n_samples": 2, "seed": 1}
    for change, message in [
        ({"n_samples": 0}, "`n_samples` must be an integer of at least 1; got 0"),
        ({"seed": -1}, "`seed` must be an integer of at least 0; got -1"),
        ({"n_nodes": 1}, "`n_nodes` of `dmc` must be an integer from 2"),
        ({"engine": "proceses"}, "did you mean 'processes'"),
        ({"features": []}, "`features` is empty"),
        ({"features": ["transitivty"]}, "did you mean 'transitivity'"),
        ({"isolated": "maybe"}, "`isolated` must be 'keep' or 'drop'"),
    ]:
        with pytest.raises(UsageError, match=message):
            simulate_table("duplication", **{**make, **change})


def say_why_they_wait(monkeypatch, capsys, engine):
    """Return the lines on standard error about the first rows, which take longer than the patience."""
    monkeypatch.setattr("netchoice.engines.engine.PATIENCE", 0.01)
    table = simulate_table(
        "ba", n_nodes=12, n_samples=4, seed=1, engine=engine, features=[parts.slow_mean_degree]
    )
    assert len(table) == 4
    lines = capsys.readouterr().err.splitlines()
    return [
        line for line in lines if "workers that run netchoice for the first time compile" in line
    ]


def test_executors_say_that_workers_compile(monkeypatch, capsys):
    with ThreadPoolExecutor(1) as pool:
        assert len(say_why_they_wait(monkeypatch, capsys, pool)) == 1
        monkeypatch.setattr("netchoice.engines.engine.PATIENCE", 60)
        simulate_table("ba", n_nodes=12, n_samples=4, seed=1, engine=pool, features=["degree_mean"])
    assert "compile" not in capsys.readouterr().err


@pytest.mark.slow
def test_dask_says_that_workers_compile(monkeypatch, capsys, dask_address):
    assert len(say_why_they_wait(monkeypatch, capsys, f"dask://{dask_address[0]}")) == 1


def test_loading_compiled_code_does_not_wait_for_a_match(monkeypatch):
    edges = [(u, v) for u in range(300) for v in range(u + 1, min(u + 9, 300))]
    space = netchoice.get_space("mechanisms").matched_to(netchoice.Graph.from_edges(edges))
    simulator = make_simulator(space, 300, None, ["degree_mean"], 1, "")

    def propose(*given):
        raise AssertionError("a density-matched model grows networks until one matches")

    monkeypatch.setattr(MatchedModel, "propose", propose)
    simulator.warm_up()
    with pytest.raises(AssertionError, match="until one matches"):
        space.models[0].sample(np.random.default_rng(1))
