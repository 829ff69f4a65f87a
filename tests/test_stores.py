"""Folders in stores: the same results as in a folder of this machine."""

import io
import os
import signal
import subprocess
import sys
import time
import uuid

import pandas as pd
import pytest
from quick_answers import FEW, QUICK, choose, facts, grown
from store_servers import SERVERS, in_environment, started

import netchoice
from netchoice.errors import TableError, UsageError
from netchoice.stores import is_store, place, store_errors, upload

pytest.importorskip("upath", reason="universal_pathlib, of the extra 'stores', is not installed")

TABLE = {"n_nodes": 20, "features": ["degree_max", "n_triangles"], "engine": "serial"}
SLOW_SERVERS = [pytest.param(name, marks=pytest.mark.slow) for name in SERVERS]


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A function that returns the server of a store; the first call starts it."""
    found = {}

    def server(name):
        if name not in found:
            found[name] = started(name, tmp_path_factory.mktemp(name))
        return found[name][0]

    yield server
    for _, process in found.values():
        process.kill()
        process.wait()


@pytest.fixture(params=SLOW_SERVERS)
def server(request, running):
    """A running server; this process and those that it starts can reach it."""
    found = running(request.param)
    with in_environment(found.variables):
        yield found


@pytest.fixture(params=["memory", *SLOW_SERVERS])
def folder(request, running):
    """A new folder in the memory of this process, or in the store of a server."""
    if request.param == "memory":
        yield f"memory://{uuid.uuid4().hex}"
        return
    found = running(request.param)
    with in_environment(found.variables):
        yield f"{found.root}/{uuid.uuid4().hex}"


def contents(path):
    return {each.name: each.read_bytes() for each in place(path).iterdir() if each.is_file()}


def test_only_known_protocols_are_stores():
    for text in ("table", "C:/table", "c:\\table", "a:b/c", "/s3/table", "notes:/table", "s3:"):
        assert not is_store(place(text)), text
    assert is_store(place("memory://a/b"))
    assert is_store(place("memory:/a/b"))
    assert place("memory:/a/b").name == "b"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("s3:///bucket/t", r"s3:///bucket/t names no bucket; write s3://BUCKET/bucket/t"),
        ("sftp:///data/t", r"names no host; write sftp://HOST/data/t"),
        ("S3://", r"S3:// names no bucket"),
        ("sftp://me:secret@host/t", r"a password.*remove it.*FSSPEC_SFTP_PASSWORD"),
    ],
)
def test_an_address_without_a_host_or_with_a_password_is_one_line(address, message):
    with pytest.raises(UsageError, match=message) as found:
        place(address)
    assert "secret" not in str(found.value)


def test_a_table_in_a_store_equals_one_on_disk_and_is_resumed(folder, tmp_path):
    on_disk = netchoice.simulate_table("ba", n_samples=50, seed=1, out=tmp_path / "t", **TABLE)
    first = netchoice.simulate_table("ba", n_samples=30, seed=1, out=folder, **TABLE)
    before = contents(folder)
    assert len(first) == 30
    found = netchoice.simulate_table("ba", n_samples=50, seed=1, out=folder, **TABLE)
    assert found.X.equals(on_disk.X)
    assert found.y.equals(on_disk.y)
    after = contents(folder)
    shards = [name for name in before if name.startswith("rows-")]
    assert shards
    assert all(after[name] == before[name] for name in shards)
    assert netchoice.ReferenceTable.load(folder).X.equals(on_disk.X)


def test_rows_of_another_run_and_damage_are_noticed_in_a_store(folder):
    netchoice.simulate_table("ba", n_samples=30, seed=1, out=folder, **TABLE)
    with pytest.raises(TableError, match="seed"):
        netchoice.simulate_table("ba", n_samples=30, seed=2, out=folder, **TABLE)
    shard = next(each for each in place(folder).iterdir() if each.suffix == ".parquet")
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(bytes(content))
    with pytest.warns(UserWarning, match="checksum differs"):
        again = netchoice.simulate_table("ba", n_samples=30, seed=1, out=folder, **TABLE)
    assert len(again) == 30
    assert f"_{shard.name}.damaged" in contents(folder)


def test_an_answer_and_prepared_simulations_in_a_store(folder):
    network, few = grown("ba2", 20), FEW[:2]
    options = {"space": "ba1,ba2", "features": few, "out": f"{folder}/answer"}
    answer = choose(network, **options)
    assert {"evidence.json", "network.tsv", "run.json"} <= {*contents(f"{folder}/answer/run")}
    assert netchoice.Answer.load(f"{folder}/answer").verdict == answer.verdict
    assert choose(network, **options).as_dict() == answer.as_dict()
    (place(folder) / "answer" / "answer.json").unlink()  # a run that did not end
    assert facts(choose(network, **options)) == facts(answer)
    made = netchoice.prepare(
        "ba1,ba2", 20, features=few, effort=QUICK, out=f"{folder}/made", engine="serial"
    )
    loaded = netchoice.References.load(f"{folder}/made")
    assert [*loaded] == [*made]
    found = [
        netchoice.choose_model(network, reference=each, engine="serial") for each in (loaded, made)
    ]
    assert facts(found[0]) == facts(found[1])
    assert found[0].verdict == answer.verdict


def test_a_store_of_files_gets_a_complete_file_by_a_rename(tmp_path):
    from upath import UPath

    target = UPath(f"file://{tmp_path}/target.txt")
    for text in ("first", "second"):
        local = tmp_path / "local"
        local.write_text(text)
        upload(local, target)
        assert (tmp_path / "target.txt").read_text() == text
    assert sorted(each.name for each in tmp_path.iterdir()) == ["local", "target.txt"]


def test_errors_of_a_store_are_errors_of_a_disk():
    with pytest.raises(OSError, match="no answer from the server"), store_errors():
        raise RuntimeError("no answer\n  from the server")
    with pytest.raises(UsageError), store_errors():
        raise UsageError("a message of netchoice")


def test_a_missing_package_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "upath", None)
    with pytest.raises(UsageError, match=r"install netchoice with the extra 'stores'"):
        place("s3://bucket/table")


def command(*arguments):
    return [sys.executable, "-m", "netchoice", *map(str, arguments)]


def run(*arguments, **variables):
    return subprocess.run(
        command(*arguments), env={**os.environ, **variables},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


def simulate(out, samples=30_000):
    return (
        "simulate", "ba", "--nodes", 30, "--samples", samples, "--seed", 3,
        "--features", "degree_max,n_triangles", "--workers", 1, "--out", out,
    )  # fmt: skip


def shards(folder):
    """Return the content of each shard of a table that may not exist yet."""
    found = place(folder)
    return {each.name: each.read_bytes() for each in found.glob("rows-*")} if found.exists() else {}


def rows(folder):
    """Return the rows of a table, without times and names of machines."""
    parts = [pd.read_parquet(io.BytesIO(content)) for content in shards(folder).values()]
    frame = pd.concat(parts).drop_duplicates("row").sort_values("row").reset_index(drop=True)
    timing = [name for name in frame if name.startswith("seconds_")]
    return frame.drop(columns=[*timing, "machine"])


@pytest.fixture(scope="module")
def rows_on_disk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "table"
    done = run(*simulate(folder))
    assert done.returncode == 0, done.stderr
    return rows(folder)


def test_simulate_is_killed_and_resumed_to_the_bits_of_a_table_on_disk(server, rows_on_disk):
    folder, kept = f"{server.root}/killed", {}
    for _ in range(2):
        killed = subprocess.Popen(command(*simulate(folder)), start_new_session=True)
        while len(shards(folder)) == len(kept):
            assert killed.poll() is None, "the run ended before it was killed"
            time.sleep(0.05)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        kept = shards(folder)
    done = run(*simulate(folder))
    assert done.returncode == 0, done.stderr
    assert kept.items() <= shards(folder).items()
    assert len(kept) < len(shards(folder))
    assert rows(folder).equals(rows_on_disk)


def test_two_processes_that_write_the_same_table_agree(server, rows_on_disk):
    folder = f"{server.root}/shared"
    both = [subprocess.Popen(command(*simulate(folder)), stderr=subprocess.PIPE) for _ in "ab"]
    errors = [process.communicate(timeout=600)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], errors
    assert rows(folder).equals(rows_on_disk)
    other = run(*simulate(folder), "--seed", 4)
    assert other.returncode == 1
    assert "seed" in other.stderr
    assert rows(folder).equals(rows_on_disk)


def missing(server):
    return (*server.missing, {})


def down(server):
    return f"{server.root}/absent", "cannot reach", server.down


def refused(server):
    if server.refused is None:
        pytest.skip("this server accepts all credentials")
    return f"{server.root}/absent", "cannot reach", server.refused


@pytest.mark.parametrize("problem", [missing, down, refused])
def test_a_store_that_cannot_be_used_is_one_line_and_nothing_is_created(server, problem):
    address, message, variables = problem(server)
    before = everything(server)
    done = run(*simulate(address, samples=20), **variables)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert everything(server) == before


def everything(server):
    """Return the names in the root of a server, and next to it, where buckets are."""
    root = place(server.root)
    return {each.name for each in root.iterdir()}, set(
        root.fs.ls(root.fs._parent(root.path), detail=False)
    )


def test_choose_and_prepare_write_and_read_a_store(server, tmp_path):
    network = tmp_path / "net.tsv"
    netchoice.write_network(grown("ba2"), network)
    common = ("--features", "degree_mean,degree_max")
    answer, made = f"{server.root}/answer", f"{server.root}/made"
    done = run("choose", network, "--space", "ba1,ba2", *common, "--out", answer)
    assert done.returncode == 0, done.stderr
    assert str(place(answer)) in done.stdout
    names = {"answer.json", "report.html", "figures/probabilities.png"}
    assert all((place(answer) / name).is_file() for name in names)
    assert run("show", answer, "--out", f"{answer}/report.html").returncode == 0
    done = run("prepare", "ba1,ba2", "--nodes", 30, *common, "--out", made)
    assert done.returncode == 0, done.stderr
    done = run("choose", network, "--reference", made, "--out", tmp_path / "a")
    assert done.returncode == 0, done.stderr
