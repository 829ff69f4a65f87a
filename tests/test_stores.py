"""Folders in stores: the same results as in a folder of this machine."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import uuid

import numpy as np
import pytest

import netchoice
from netchoice.errors import UsageError
from netchoice.storage.manifest import TableError
from netchoice.stores import is_store, place, upload
from netchoice.workflows import SimulationPlan

pytest.importorskip("upath", reason="universal_pathlib, of the extra 'stores', is not installed")

TABLE = {"n_nodes": 20, "features": ["degree_max", "n_triangles"], "engine": "serial"}


@pytest.fixture
def folder():
    """A new folder in the memory of this process."""
    return f"memory://{uuid.uuid4().hex}"


def contents(path):
    return {each.name: each.read_bytes() for each in place(path).iterdir() if each.is_file()}


def test_only_known_protocols_are_stores():
    for text in ("table", "C:/table", "c:\\table", "a:b/c", "/s3/table", "notes:/table", "s3:"):
        assert not is_store(place(text)), text
    assert is_store(place("memory://a/b"))
    assert is_store(place("memory:/a/b"))
    assert place("memory:/a/b").name == "b"


def test_a_table_in_a_store_equals_one_on_disk_and_is_resumed(folder, tmp_path):
    on_disk = netchoice.simulate_table("ba", n_samples=50, seed=1, path=tmp_path / "t", **TABLE)
    first = netchoice.simulate_table("ba", n_samples=30, seed=1, path=folder, **TABLE)
    before = contents(folder)
    assert len(first) == 30
    found = netchoice.simulate_table("ba", n_samples=50, seed=1, path=folder, **TABLE)
    assert found.X.equals(on_disk.X)
    assert found.y.equals(on_disk.y)
    after = contents(folder)
    shards = [name for name in before if name.startswith("rows-")]
    assert shards
    assert all(after[name] == before[name] for name in shards)
    assert netchoice.ReferenceTable.load(folder).X.equals(on_disk.X)


def test_rows_of_another_run_and_damage_are_noticed_in_a_store(folder):
    netchoice.simulate_table("ba", n_samples=30, seed=1, path=folder, **TABLE)
    with pytest.raises(TableError, match="seed"):
        netchoice.simulate_table("ba", n_samples=30, seed=2, path=folder, **TABLE)
    shard = next(each for each in place(folder).iterdir() if each.suffix == ".parquet")
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(bytes(content))
    with pytest.warns(UserWarning, match="checksum differs"):
        again = netchoice.simulate_table("ba", n_samples=30, seed=1, path=folder, **TABLE)
    assert len(again) == 30
    assert f"_{shard.name}.damaged" in contents(folder)


@pytest.mark.slow
def test_an_answer_and_a_chooser_in_a_store(folder):
    network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    chosen = {"samples": 100, "features": ["degree_mean"], "plan": SimulationPlan.small()}
    answer = {**chosen, "path": f"{folder}/answer", "engine": "serial", "local": False}
    choice = netchoice.choose_model(network, "ba", **answer)
    assert {"choice.json", "network.tsv", "run.json"} <= {*contents(f"{folder}/answer")}
    assert netchoice.choose_model(network, "ba", **answer).probabilities == choice.probabilities
    chooser = netchoice.Chooser("ba", n_nodes=20, **chosen)
    chooser.fit(path=f"{folder}/chooser", engine="serial")
    loaded = netchoice.Chooser.load(f"{folder}/chooser")
    expected = chooser.choose(network, engine="serial")
    assert loaded.choose(network, engine="serial").probabilities == expected.probabilities


def test_a_store_of_files_gets_a_complete_file_by_a_rename(tmp_path):
    from upath import UPath

    target = UPath(f"file://{tmp_path}/target.txt")
    for text in ("first", "second"):
        local = tmp_path / "local"
        local.write_text(text)
        upload(local, target)
        assert (tmp_path / "target.txt").read_text() == text
    assert sorted(each.name for each in tmp_path.iterdir()) == ["local", "target.txt"]


def test_a_store_that_cannot_be_reached_is_one_line():
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    from upath import UPath

    options = {"endpoint_url": "http://127.0.0.1:9", "key": "k", "secret": "s",
               "config_kwargs": {"retries": {"max_attempts": 0}}}  # fmt: skip
    with pytest.raises(OSError), netchoice.stores.store_errors():
        UPath("s3://bucket/t", **options).exists()


def test_a_missing_package_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "upath", None)
    with pytest.raises(UsageError, match=r"install netchoice with the extra 'stores'"):
        place("s3://bucket/table")


@pytest.fixture
def s3(tmp_path):
    """A real S3 server on this machine, moto's, with an empty bucket; variables for programs to use it."""
    pytest.importorskip("moto", reason="moto is not installed: pip install 'moto[server]' s3fs")
    boto3 = pytest.importorskip("boto3")
    from botocore.exceptions import EndpointConnectionError

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (tmp_path / "server.log").open("w")
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=log, stderr=log,
    )  # fmt: skip
    variables = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": "k",
        "AWS_SECRET_ACCESS_KEY": "s", "AWS_DEFAULT_REGION": "us-east-1",
    }  # fmt: skip
    client = boto3.client(
        "s3", endpoint_url=variables["AWS_ENDPOINT_URL"], aws_access_key_id="k",
        aws_secret_access_key="s", region_name="us-east-1",
    )  # fmt: skip
    for _ in range(100):
        with contextlib.suppress(EndpointConnectionError):  # the server is not yet ready
            client.create_bucket(Bucket="bucket")
            break
        time.sleep(0.2)
    else:
        pytest.fail("the S3 server did not start")
    yield variables, client
    server.kill()
    server.wait()
    log.close()


def table_in(client, prefix):
    """Return the rows of a table in the bucket, without times and names of machines."""
    import io

    import pandas as pd

    found = client.list_objects_v2(Bucket="bucket", Prefix=prefix).get("Contents", [])
    names = [each["Key"] for each in found if each["Key"].endswith(".parquet")]
    parts = [
        pd.read_parquet(io.BytesIO(client.get_object(Bucket="bucket", Key=name)["Body"].read()))
        for name in names
    ]
    frame = pd.concat(parts).sort_values("row").reset_index(drop=True)
    timing = [name for name in frame if name.startswith("seconds_")]
    return frame.drop(columns=[*timing, "machine"])


@pytest.mark.slow
def test_simulate_is_killed_on_s3_and_resumed_to_the_same_bits(s3):
    variables, client = s3
    environment = {**os.environ, **variables}

    def command(out):
        return [
            sys.executable, "-m", "netchoice", "simulate", "ba", "--nodes", "30", "--samples", "30000",
            "--seed", "3", "--features", "degree_max,n_triangles", "--workers", "1",
            "--out", out,
        ]  # fmt: skip

    def shards():
        found = client.list_objects_v2(Bucket="bucket", Prefix="killed/rows-").get("Contents", [])
        return {each["Key"]: each["ETag"] for each in found}

    subprocess.run(command("s3://bucket/whole"), env=environment, check=True, timeout=300)
    kept = {}
    for _ in range(2):
        run = subprocess.Popen(
            command("s3://bucket/killed"), env=environment, start_new_session=True
        )
        while len(shards()) == len(kept):
            assert run.poll() is None, "the run ended before it was killed"
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        kept = shards()
    subprocess.run(command("s3://bucket/killed"), env=environment, check=True, timeout=300)
    assert kept.items() <= shards().items()
    assert len(kept) < len(shards())
    assert table_in(client, "killed/").equals(table_in(client, "whole/"))


@pytest.mark.slow
def test_a_bucket_that_does_not_exist_is_one_line_and_is_not_created(s3):
    variables, client = s3
    out = ["--out", "s3://buckett/table"]
    command = [
        "simulate",
        "ba",
        "--nodes",
        "20",
        "--samples",
        "20",
        "--features",
        "degree_max",
        *out,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "netchoice", *command], env={**os.environ, **variables},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    expected = (
        "cannot use s3://buckett/table: there is no bucket 'buckett'; check the address, or create"
    )
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1
    assert [each["Name"] for each in client.list_buckets()["Buckets"]] == ["bucket"]


@pytest.mark.slow
def test_choose_prepares_and_answers_on_s3(s3, tmp_path):
    variables, client = s3
    environment = {**os.environ, **variables}
    network = tmp_path / "net.tsv"
    netchoice.write_network(
        netchoice.get_model("ba2").grow(30, rng=np.random.default_rng(1)), network
    )

    def netchoice_command(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "netchoice", *map(str, arguments)], env=environment,
            capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip

    common = ("--samples", 300, "--features", "degree_mean,degree_max")
    done = netchoice_command(
        "choose", network, "--space", "ba", *common, "--out", "s3://bucket/answer"
    )
    assert done.returncode == 0, done.stderr
    assert "s3://bucket/answer" in done.stdout
    keys = {each["Key"] for each in client.list_objects_v2(Bucket="bucket")["Contents"]}
    assert {"answer/choice.json", "answer/report.html", "answer/figures/probabilities.png"} <= keys
    done = netchoice_command(
        "prepare", "ba", "--nodes", 30, *common, "--out", "s3://bucket/chooser"
    )
    assert done.returncode == 0, done.stderr
    done = netchoice_command(
        "choose", network, "--with", "s3://bucket/chooser", "--out", tmp_path / "a"
    )
    assert done.returncode == 0, done.stderr
