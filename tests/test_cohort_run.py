"""Cohorts: a row for each network, the same on every engine, resumed without loss."""

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from cohort_parts import PathAnswerer, Paths, PathSource
from fast_and_slow import fast_for
from platforms import posix

from netchoice.choice.cohort import answer_all
from netchoice.engines.processes import keep_workers
from netchoice.errors import NetchoiceError, StoppedError, TableError, UsageError
from netchoice.storage.records import csv_cell
from netchoice.storage.run_folder import written_folder

HERE = Path(__file__).parent
TROUBLE = {3: "missing", 8: "memory"}


def answer(
    folder,
    n=60,
    engine="serial",
    answerer=PathAnswerer,
    trouble=TROUBLE,
    **options,
):
    sources = options.pop("sources", Paths(n, trouble))
    return answer_all(
        sources,
        answerer(),
        folder=folder,
        engine=engine,
        **options,
    )


def column_bytes(path):
    """Return the bytes of each column of a Parquet file, but not of the seconds."""
    content, found = path.read_bytes(), {}
    metadata = pq.ParquetFile(path).metadata
    for group in range(metadata.num_row_groups):
        for i in range(metadata.num_columns):
            column = metadata.row_group(group).column(i)
            start = column.dictionary_page_offset or column.data_page_offset
            found[group, column.path_in_schema] = content[start:][: column.total_compressed_size]
    return {key: value for key, value in found.items() if key[1] != "seconds"}


def rows_of(shard):
    """Return the numbers of the networks in a shard."""
    return pq.read_table(shard, columns=["row"])["row"].to_pylist()


def csv_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def contents(folder):
    """Return everything in the tables of a cohort that must be reproducible."""
    rows = [{**row, "seconds": ""} for row in csv_rows(folder / "tables" / "answers.csv")]
    return (
        rows,
        column_bytes(folder / "tables" / "answers.parquet"),
        (folder / "tables" / "features.parquet").read_bytes(),
    )


@pytest.fixture(scope="module", autouse=True)
def kept_workers():
    """Start worker processes once for all tests."""
    with keep_workers():
        yield


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serial") / "cohort"
    return answer(folder)


# What is written


def expected_rows(n):
    """Return the answers as a list of dictionaries, computed without netchoice."""
    for i in range(n):
        nodes = 2 + i % 40
        row = dict.fromkeys(
            ["id", "group", "file", "age", "site", *PathAnswerer().columns, "error"]
        )
        row |= {"id": f"path-{i}", "group": "ab"[i % 2] if i % 7 else None}
        row |= {"age": i / 3 if i % 5 else None, "site": f"site {i % 2}"}
        if i in TROUBLE or nodes == 13:
            missing = f"FileNotFoundError: [Errno 2] No such file: 'path-{i}.tsv'"
            reasons = {"missing": missing, "memory": "MemoryError"}
            row["error"] = reasons.get(TROUBLE.get(i), "ValueError: 13 nodes is too many")
        else:
            row |= {"model": "odd" if nodes % 2 else "even", "n_edges": nodes - 1.0}
            if nodes % 3:
                row |= {"fits": float(nodes > 20), "notes": f'{nodes}, or "about" that'}
        yield row


def test_each_network_has_a_row_with_its_answer_or_its_error(serial):
    table = pq.read_table(serial.folder / "tables" / "answers.parquet")
    rows = table.drop_columns(["seconds"]).to_pylist()
    assert rows == list(expected_rows(60))
    assert list(rows[0]) == [name for name in table.column_names if name != "seconds"]
    assert table.column_names[-2:] == ["seconds", "error"]
    assert all(0 <= seconds < 5 for seconds in table.column("seconds").to_pylist())


def test_features_have_a_row_for_each_network(serial):
    features = serial.features()
    failed = [i for i, row in enumerate(expected_rows(60)) if row["error"]]
    nodes = 2 + np.arange(60) % 40
    expected = pd.DataFrame({"feature 0": nodes / 3, "feature 1": nodes / 4})
    expected.iloc[failed] = np.nan
    assert list(features["id"]) == [f"path-{i}" for i in range(60)]
    pd.testing.assert_frame_equal(features[["feature 0", "feature 1"]], expected, check_exact=True)


def test_frame_has_the_declared_types(serial):
    frame = serial.frame()
    assert (serial.n, serial.n_failed, len(frame)) == (60, 4, 60)
    assert frame["age"].dtype == frame["n_edges"].dtype == frame["seconds"].dtype == np.float64


def test_csv_has_the_same_values_as_parquet(serial):
    rows = csv_rows(serial.folder / "tables" / "answers.csv")
    for row, expected in zip(rows, expected_rows(60), strict=True):
        assert float(row.pop("seconds")) >= 0
        assert row == {k: "" if v is None else str(v) for k, v in expected.items()}
    frame = pd.read_csv(serial.folder / "tables" / "answers.csv")
    assert (frame["age"].dropna() == serial.frame()["age"].dropna()).all()


TEXTS = ["=1+1", "+1", "-2.5e3", "-x", "@a", "'quoted", "''", "a,b", 'a"b', "a\nb", "a\rb", " a", "", "é",
         "-1+cmd|'/C calc'!A0", "\t=1", "a;b", "NA", "\udcff.tsv"]  # fmt: skip


class OddIds(Paths):
    def __getitem__(self, number):
        return PathSource(TEXTS[number], 3, "=group", {"age": 1e-300, "site": None})


def test_text_in_csv_is_no_formula_and_round_trips(tmp_path):
    cohort = answer(tmp_path / "c", sources=OddIds(len(TEXTS)))
    expected = [*TEXTS[:-1], r"\udcff.tsv"]
    assert list(cohort.frame()["id"]) == expected
    rows = csv_rows(tmp_path / "c" / "tables" / "answers.csv")
    for row, text in zip(rows, expected, strict=True):
        assert (row["id"][1:] if row["id"].startswith("'") else row["id"]) == text
        assert row["group"] == "'=group"
        assert (row["age"], row["site"]) == ("1e-300", "")
        if row["id"][:1] in ("=", "+", "-", "@", "\t"):
            float(row["id"])  # only numbers begin so


def test_numbers_in_csv_round_trip():
    rng = np.random.default_rng(1)
    for value in [*rng.normal(size=50), 5e-324, 1.7976931348623157e308, -0.0, float("inf")]:
        assert repr(float(csv_cell(float(value)))) == repr(float(value))


def test_undeclared_or_wrong_columns_cost_one_row(tmp_path):
    class Wrong(PathAnswerer):
        def answer(self, graph):
            return ({"colour": 1}, {}) if graph.n_nodes == 2 else ({"n_edges": "many"}, {})

    frame = answer(tmp_path / "c", 2, answerer=Wrong).frame()
    assert "the answer has the column 'colour', which was not declared" in frame["error"][0]
    assert frame["error"][1] == "ValueError: could not convert string to float: 'many'"


def test_two_columns_of_one_name_are_refused(tmp_path):
    for name in ("error", "id", "model"):
        with pytest.raises(
            UsageError, match=f"two columns of the answers are called '{name}'; rename"
        ):
            answer(tmp_path / "c", sources=Paths(3, covariates=[name]))
    assert not (tmp_path / "c").exists()


def test_covariate_with_texts_and_numbers_is_text(tmp_path):
    class Mixed(Paths):
        def __getitem__(self, number):
            return PathSource(str(number), 3, None, {"age": [1.5, "young", None][number]})

    frame = answer(tmp_path / "c", sources=Mixed(3)).frame()
    assert list(frame["age"][:2]) == ["1.5", "young"]
    assert frame["age"].isna()[2]
    assert frame["site"].isna().all()


def test_empty_collection_gives_empty_tables(tmp_path):
    cohort = answer(tmp_path / "c", sources=Paths(0))
    assert len(cohort.frame()) == len(cohort.features()) == cohort.n == 0
    assert list(cohort.features().columns) == ["id", "feature 0", "feature 1"]


# Engines


@fast_for("workers", [2], [1, 2])
def test_tables_from_processes_are_bit_identical(serial, workers, tmp_path):
    answer(tmp_path / "c", engine="processes", workers=workers)
    assert contents(tmp_path / "c") == contents(serial.folder)


def test_tables_from_an_executor_are_bit_identical(serial, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        answer(tmp_path / "c", engine=pool)
    assert contents(tmp_path / "c") == contents(serial.folder)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_tables_from_dask_are_bit_identical(serial, dask_address, tmp_path):
    address, _ = dask_address
    answer(tmp_path / "c", engine=f"dask://{address}")
    assert contents(tmp_path / "c") == contents(serial.folder)


def test_shards_of_a_few_networks_give_the_same_tables(serial, tmp_path, monkeypatch):
    monkeypatch.setattr("netchoice.rows._SHARD_ROWS", 4)
    monkeypatch.setattr("netchoice.rows._MAX_BATCH_ROWS", 3)
    answer(tmp_path / "c", engine="processes", workers=2)
    assert len(shards(tmp_path / "c")) > 8
    assert contents(tmp_path / "c") == contents(serial.folder)


def test_row_groups_have_a_fixed_size(serial, tmp_path, monkeypatch):
    monkeypatch.setattr("netchoice.rows._SHARD_ROWS", 9)
    monkeypatch.setattr("netchoice.choice.cohort._ROWS_IN_MEMORY", 25)
    answer(tmp_path / "c")
    metadata = pq.ParquetFile(tmp_path / "c" / "tables" / "answers.parquet").metadata
    assert [metadata.row_group(i).num_rows for i in range(3)] == [25, 25, 10]
    assert contents(tmp_path / "c")[0] == contents(serial.folder)[0]
    expected = serial.frame().drop(columns="seconds")
    whole = (
        pq.read_table(tmp_path / "c" / "tables" / "answers.parquet")
        .to_pandas()
        .drop(columns="seconds")
    )
    pd.testing.assert_frame_equal(whole.astype(expected.dtypes), expected)


@pytest.mark.slow
def test_worker_that_dies_costs_one_row(tmp_path):
    answer(tmp_path / "dies", 20, "processes", workers=2, trouble={6: "killed"})
    answer(tmp_path / "well", 20, trouble={})
    rows, well = (csv_rows(tmp_path / name / "tables" / "answers.csv") for name in ("dies", "well"))
    for i, (row, expected) in enumerate(zip(rows, well, strict=True)):
        if i == 6:
            assert row["error"] == "lost: the process was ended by SIGKILL"
            assert row["id"] == "path-6"
            assert row["model"] == row["seconds"] == ""
        else:
            assert {**row, "seconds": ""} == {**expected, "seconds": ""}


def test_progress_counts_all_networks(tmp_path):
    calls = []
    answer(tmp_path / "c", 12, on_progress=lambda *call: calls.append(call))
    assert calls[0] == ("answers", 0, 12, 0)
    assert calls[-1] == ("answers", 12, 12, 3)
    calls.clear()
    answer(tmp_path / "c", 12, on_progress=lambda *call: calls.append(call))
    assert not calls  # nothing is left to do


# Resuming

SCRIPT = """
import sys; sys.path.insert(0, {here!r})
from cohort_parts import PathAnswerer, Paths
from netchoice import rows
from netchoice.choice import cohort
rows._SHARD_SECONDS = 0.1
sources = Paths({n}, {trouble}, seconds=0.03)
cohort.answer_all(sources, PathAnswerer(), folder={folder!r}, workers=2)
"""


def start(folder, n=120):
    """Start a run in its own process group."""
    code = SCRIPT.format(here=str(HERE), n=n, trouble=TROUBLE, folder=str(folder))
    return subprocess.Popen(
        [sys.executable, "-c", code], start_new_session=True, stderr=subprocess.PIPE,
        preexec_fn=_heed_interrupts,
    )  # fmt: skip


def _heed_interrupts():
    """Undo that a shell lets the commands that it starts in the background ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def shards(folder):
    return sorted((folder / "run" / "answers").glob("rows-[0-9]*-*.parquet"))


def wait_for_shards(run, folder, n):
    for _ in range(6000):
        if len(shards(folder)) >= n or run.poll() is not None:
            break
        time.sleep(0.02)


@pytest.mark.slow
@posix
def test_cohort_resumed_after_kills_is_bit_identical(tmp_path):
    """Parent and children get SIGKILL at random moments; the last run completes the cohort."""
    chance, kept, n_kills = random.Random(1), {}, 0
    for _ in range(3):
        run = start(tmp_path / "c")
        wait_for_shards(run, tmp_path / "c", len(kept) + 1)
        time.sleep(chance.uniform(0, 0.2))
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            n_kills += 1
        run.communicate()
        times = {path.name: path.stat().st_mtime_ns for path in shards(tmp_path / "c")}
        assert times.items() >= kept.items()  # finished networks are not answered again
        kept = times
    assert n_kills == 3
    incomplete = shards(tmp_path / "c")[0]
    incomplete = incomplete.with_name(f".{incomplete.name}.1.partial")
    incomplete.write_text("incomplete")
    run = start(tmp_path / "c")
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 0, errors.decode()
    answer(tmp_path / "serial", 120)
    assert contents(tmp_path / "c") == contents(tmp_path / "serial")
    assert not incomplete.exists()
    rows = [row for path in shards(tmp_path / "c") for row in rows_of(path)]
    assert sorted(rows) == list(range(120))  # each network was answered once


@posix
@pytest.mark.slow
def test_interrupt_ends_at_once_and_keeps_finished_networks(tmp_path):
    run = start(tmp_path / "c", 2000)
    wait_for_shards(run, tmp_path / "c", 2)
    os.killpg(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    last = errors.decode().strip().splitlines()[-1]
    # A shard that was being written is written again, so that no row is lost.
    n_kept = len({row for path in shards(tmp_path / "c") for row in rows_of(path)})
    assert 2 <= n_kept < 2000
    assert last == (
        f"netchoice.errors.StoppedError: stopped after {n_kept} of 2000 networks, which are kept "
        f"in {tmp_path / 'c' / 'run' / 'answers'}; run the same command again to resume"
    )


def test_interrupt_in_this_process_is_reported(tmp_path):
    def interrupt(stage, done, total, failed):
        if done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(StoppedError, match=r"stopped after \d+ of 60 networks") as stopped:
        answer(tmp_path / "c", on_progress=interrupt)
    [shard] = shards(tmp_path / "c")
    assert f"stopped after {len(rows_of(shard))} of" in str(stopped.value)
    assert not (tmp_path / "c" / "tables" / "answers.csv").exists()


def test_corrected_group_needs_no_new_answers(tmp_path):
    answer(tmp_path / "c")
    times = [path.stat().st_mtime_ns for path in shards(tmp_path / "c")]
    changed = Paths(60, TROUBLE, groups="xy", covariates=["site"])
    frame = answer(tmp_path / "c", sources=changed).frame()
    assert set(frame["group"].dropna()) == {"x", "y"}
    assert list(frame.columns[:5]) == ["id", "group", "file", "site", "model"]
    assert [path.stat().st_mtime_ns for path in shards(tmp_path / "c")] == times


# Damage


@pytest.fixture
def coarse(tmp_path, monkeypatch):
    """Return the folder of a cohort with several shards, and its contents."""
    monkeypatch.setattr("netchoice.rows._SHARD_ROWS", 20)
    monkeypatch.setattr("netchoice.rows._MAX_BATCH_ROWS", 5)
    answer(tmp_path / "c")
    assert len(shards(tmp_path / "c")) == 3
    return tmp_path / "c", contents(tmp_path / "c")


@pytest.mark.parametrize("damage", ["truncated", "empty", "swapped", "deleted"])
def test_networks_of_a_damaged_shard_are_answered_again(coarse, damage):
    folder, expected = coarse
    first, second, third = shards(folder)
    match damage:
        case "truncated":
            first.write_bytes(first.read_bytes()[:-20])
        case "empty":
            first.write_bytes(b"")
        case "swapped":
            shutil.copy(second, first)
        case "deleted":
            first.unlink()
    times = [path.stat().st_mtime_ns for path in (second, third)]
    if damage == "deleted":
        answer(folder)
    else:
        message = rf"{first.name} is damaged: .*; the same run makes its rows again. It was renamed"
        with pytest.warns(UserWarning, match=message):
            answer(folder)
    assert contents(folder) == expected
    assert [path.stat().st_mtime_ns for path in (second, third)] == times


def test_shard_of_another_cohort_is_refused(coarse, tmp_path):
    folder, _ = coarse
    answer(tmp_path / "other", answerer=lambda: PathAnswerer(fingerprint="other"))
    foreign = shards(tmp_path / "other")[0]
    shutil.copy(foreign, folder / "run" / "answers" / foreign.name)
    with pytest.raises(NetchoiceError, match=rf"{foreign.name}"):
        answer(folder)


def test_flipped_bytes_never_change_an_answer(coarse):
    folder, expected = coarse
    chance = random.Random(1)
    for _ in range(60):
        part = chance.choice(shards(folder))
        content = part.read_bytes()
        position = chance.randrange(len(content))
        changed = bytearray(content)
        changed[position] ^= 1 << chance.randrange(8)
        part.write_bytes(changed)
        with pytest.warns(UserWarning, match=r"is damaged.*; the same run makes its rows again"):
            answer(folder)
        assert contents(folder) == expected, position


def test_damaged_tables_are_written_again(coarse):
    folder, expected = coarse
    (folder / "tables" / "answers.csv").unlink()
    (folder / "tables" / "answers.parquet").write_bytes(b"")
    answer(folder)
    assert contents(folder) == expected


# Folders


def files_of(folder):
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"answerer": lambda: PathAnswerer(fingerprint="new")}, "answerer"),
        ({"answerer": lambda: PathAnswerer(3)}, "features"),
        ({"sources": Paths(60, fingerprint="new")}, "collection"),
    ],
)
def test_folder_of_another_cohort_is_refused_or_started_over(tmp_path, options, what):
    answer(tmp_path / "c")
    before = files_of(tmp_path / "c")
    message = rf"c holds a run with another {what}; give another folder, or start over with --fresh"
    with pytest.raises(UsageError, match=message):
        answer(tmp_path / "c", **options)
    before.pop("run/_lock")
    assert files_of(tmp_path / "c").items() >= before.items()
    answer(tmp_path / "c", **options, fresh=True)
    answer(tmp_path / "new", **options)
    assert contents(tmp_path / "c") == contents(tmp_path / "new")


def test_record_says_what_the_answers_depend_on(serial):
    record = json.loads((serial.folder / "run" / "run.json").read_text())
    assert record["settings"] == {
        "collection": "paths", "answerer": "answerer", "columns": PathAnswerer().columns,
        "features": ["feature 0", "feature 1"],
    }  # fmt: skip
    assert record["versions"]["netchoice"]


def test_foreign_files_are_never_changed(tmp_path):
    folder = tmp_path / "c"
    answer(folder)
    theirs = {"thesis.tex", "run/answers/notes.txt", "run/answers/rows-x.parquet",
              "run/answers/rows-1.csv", "features.csv", "run.json"}  # fmt: skip
    for name in theirs:
        (folder / name).write_text(f"my {name}")
    for fresh in (True, False):
        answer(folder, 4, fresh=fresh)
        assert all((folder / name).read_text() == f"my {name}" for name in theirs)
    ours = {
        "run/_lock",
        "run/run.json",
        "tables/answers.csv",
        "tables/answers.parquet",
        "tables/features.parquet",
    }
    [shard] = shards(folder)
    assert files_of(folder).keys() == theirs | ours | {f"run/answers/{shard.name}"}


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize("name", ["thesis.tex", "answers.csv", "run.json"])
def test_folder_without_a_cohort_is_refused_and_unchanged(tmp_path, name, fresh):
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match="is not empty and holds no run of a cohort; give another"):
        answer(tmp_path, fresh=fresh)
    assert files_of(tmp_path) == {name: b"mine"}


@pytest.mark.parametrize("content", ["{}", "", "no json", '{"settings": {}}'])
def test_folder_with_a_foreign_record_is_refused_and_unchanged(tmp_path, content):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text(content)
    with pytest.raises(UsageError, match=r"run.json is damaged: .*nothing was changed"):
        answer(tmp_path, fresh=True)
    assert files_of(tmp_path) == {"run/run.json": content.encode()}


def test_folder_of_a_run_killed_before_its_record_is_used(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "_lock").write_text("")
    (tmp_path / "run" / ".run.json.77.partial").write_text("{")
    answer(tmp_path, 3)
    assert not (tmp_path / "run" / ".run.json.77.partial").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs fcntl")
def test_one_process_at_a_time_writes_to_a_cohort(tmp_path):
    answer(tmp_path / "c", 4)
    message = rf"process {os.getpid()} on .* is writing to"
    with written_folder(tmp_path / "c"), pytest.raises(TableError, match=message):
        answer(tmp_path / "c", 4, fresh=True)
    assert len(shards(tmp_path / "c")) == 1


def test_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(
        NetchoiceError, match=r"cannot write to .*file.*: (Not a directory|File exists)"
    ):
        answer(tmp_path / "file" / "c")
    with pytest.raises(
        NetchoiceError, match=r"cannot write to .*file: (Not a directory|File exists)"
    ):
        answer(tmp_path / "file")


# Size

PEAK = """
import resource, sys; sys.path.insert(0, {here!r})
from cohort_parts import PathAnswerer, Paths
from netchoice.choice.cohort import answer_all
cohort = answer_all(Paths({n}), PathAnswerer(100), folder={folder!r}, engine="serial")
print(cohort.n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KB on Linux only")
@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_networks(tmp_path):
    """100 features of 20,000 networks take 16 MB as an array, and more than 60 MB as Python floats."""
    peaks = {}
    for n in (2_000, 20_000):
        code = PEAK.format(here=str(HERE), n=n, folder=str(tmp_path / str(n)))
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        count, peak = run.stdout.split()
        assert int(count) == n
        peaks[n] = float(peak)
    assert peaks[20_000] < peaks[2_000] + 40
