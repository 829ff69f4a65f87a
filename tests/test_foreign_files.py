"""Foreign files and options: one clear line, and no hang, no crash, no memory without limit."""

import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import re
import time
import zipfile

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from netchoice import CostModel, ReferenceTable, cli, figures, read_network
from netchoice.costs import CostError
from netchoice.errors import NetchoiceError, NetworkFormatError, UsageError
from netchoice.io import find_networks
from netchoice.io.guard import MemoryLimit


def error_of(path, content, **options):
    path.write_bytes(content)
    with pytest.raises(NetworkFormatError) as caught:
        read_network(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Time


@pytest.mark.parametrize(
    "content",
    [
        b"\n" * 2000 + b"a b\n",
        b" \n" * 2000 + b"a b\n",
        b"%\n" * 2000 + b"a b\n",
        b"creator x\n" * 2000 + b"a b\n",
        b"a b\n" + b"1" * 100_000 + b"x c\n",
        b"a," * 3 + b"\nb,c,d" + b"," * 300_000 + b"\n",
    ],
)
def test_no_pattern_takes_more_than_linear_time(tmp_path, content):
    start = time.process_time()
    (tmp_path / "net.txt").write_bytes(content)
    with contextlib.suppress(NetworkFormatError):
        read_network(tmp_path / "net.txt")
    assert time.process_time() - start < 5


def test_long_lines_of_gml_take_linear_time(tmp_path):
    """56 KB in one line took 27 seconds with networkx."""
    for text in ("graph [ " + "node [ id 1 " * 5000, "graph [" + " a [" * 20_000, '"' * 50_000):
        start = time.process_time()
        assert "not readable as GML" in error_of(tmp_path / "net.gml", text.encode())
        assert time.process_time() - start < 5


# GML


@pytest.mark.parametrize("directed", [False, True])
def test_gml_is_read_as_networkx_reads_it(tmp_path, directed):
    for seed in range(5):
        graph = nx.gnm_random_graph(12, 20, seed=seed, directed=directed)
        names = {i: f'node "{i}" & é' for i in graph}
        for network in (graph, nx.relabel_nodes(graph, names)):
            nx.write_gml(network, tmp_path / "net.gml")
            ours, report = read_network(tmp_path / "net.gml")
            theirs = nx.Graph(nx.read_gml(tmp_path / "net.gml"))
            assert nx.utils.graphs_equal(ours.to_networkx(), theirs)
            assert report.direction_ignored is directed
            assert not report.weights_ignored


def test_gml_attributes_comments_and_nested_lists(tmp_path):
    text = (
        "# made by hand\nCreator \"x [ ]\"\ngraph\n[ directed 0 info [ a [ b 1 ] ]\n"
        'node [ id 1 label "a" graphics [ x -1.5e3 y .5 ] ] # end\nnode [ id 2 label "b" ]\n'
        "edge [ source 1 target 2 weight 2.5 ] ]\n"
    )  # fmt: skip
    (tmp_path / "net.gml").write_text(text)
    graph, report = read_network(tmp_path / "net.gml")
    assert graph.labels == ("a", "b")
    assert report.weights_ignored


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph [ node [ id 1 ] node [ id 1 ] ]", "two nodes with the same id"),
        ("graph [ node [ label 1 ] ]", "node 1 without id; expected node"),
        ("graph [ node [ id 1 ] edge [ source 1 ] ]", "edge 1 without target"),
        ("graph [ node [ id 1 ]\n edge [ source 1 target 3 ] ]", "edge 1 with target 3"),
        ("graph [ ] graph [ ]", "2 graphs; expected one"),
        ("graph [ node [ id\n ] ]", r"line 2: .* found ']'; expected a value of id"),
        ("graph [ node [ id 1 ] ] ]", "found ']'; expected a key"),
        ("graph [ node [ id 1 \n@ ] ]", "found '@ ] ]'; expected a key, a number"),
        ("graph [ node [ id " + "9" * 5000 + " ] ]", "a number of 5000 digits"),
    ],
)
def test_damaged_gml_raises_one_clear_error(tmp_path, text, message):
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(error_of(tmp_path / "net.gml", text.encode()))


# Memory


def test_declared_sizes_are_checked_before_memory_is_reserved(tmp_path, monkeypatch):
    text = b"*Vertices 300000000\n*Edges\n1 2\n"
    message = error_of(tmp_path / "net.net", text)
    assert "300000000 nodes and 1 edges need about 11444 MB of memory" in message
    assert "expected at most 512 MB for a file of 31 bytes" in message
    assert message.endswith("raise the limit: NETCHOICE_MAX_MEMORY=12GB")
    small = b"*Vertices 300000\n*Edges\n1 2\n"
    (tmp_path / "small.net").write_bytes(small)
    assert read_network(tmp_path / "small.net")[0].n_nodes == 300_000
    monkeypatch.setenv("NETCHOICE_MAX_MEMORY", "1MB")
    assert "at most 1 MB" in error_of(tmp_path / "small.net", small)
    monkeypatch.setenv("NETCHOICE_MAX_MEMORY", "much")
    with pytest.raises(UsageError, match="must be a size such as 500MB or 8GB; got 'much'"):
        read_network(tmp_path / "small.net")


def test_compressed_content_is_limited(tmp_path, monkeypatch):
    bomb = gzip.compress(b"1 2\n" * (1 << 18)) * 100
    assert "its decompressed bytes need about" in error_of(tmp_path / "net.txt.gz", bomb)
    lines = gzip.compress(b"1 2\n" * (3 << 18)) * 2
    assert "lines need about" in error_of(tmp_path / "net.txt.gz", lines)
    monkeypatch.setenv("NETCHOICE_MAX_MEMORY", "1MB")
    path = tmp_path / "net.npz"
    np.savez_compressed(path, adjacency=np.zeros((1000, 1000), np.uint8))
    assert "its arrays need about 1 MB" in error_of(path, path.read_bytes())
    np.savez_compressed(path, adjacency=np.ones((200, 200), np.uint8))
    assert "40000 entries need about 5 MB" in error_of(path, path.read_bytes())


@pytest.mark.parametrize("name", ["net", "many"])
def test_rows_of_parquet_are_limited(tmp_path, name):
    path = tmp_path / f"{name}.parquet"
    for n_rows, text in ((3_000_000, "x"), (100_000, "x" * 10_000)):
        codes = pd.Categorical.from_codes(np.zeros(n_rows, np.int8), [text])
        columns = ["source", "target"] + ["graph"] * (name == "many")
        pd.DataFrame(dict.fromkeys(columns, codes)).to_parquet(path)
        assert path.stat().st_size < 100_000
        with pytest.raises(NetworkFormatError, match=r"rows.* need about .* expected at most 512"):
            find_networks([path])[0].read()


def test_one_long_line_is_limited(tmp_path):
    """A line of 11 MB with 3.8 million cells took 500 MB and 7 CPU seconds."""
    packed = gzip.compress(b"[1,2]," * (11_534_292 // 6))
    assert len(packed) < 100_000
    assert "lines need about" in error_of(tmp_path / "net.txt.gz", packed)


def zipped(content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.csv", content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        pytest.param(".bz2", bz2.compress, marks=pytest.mark.slow),
        (".xz", lzma.compress),
        (".zst", lambda content: pa.compress(content, codec="zstd", asbytes=True)),
        (".zip", zipped),
    ],
)
def test_compressed_tables_are_read_within_the_limit(run, tmp_path, suffix, pack):
    table = b"label,x\n" + b"a,1\nb,2\n" * 20
    path = tmp_path / f"table.csv{suffix}"
    path.write_bytes(pack(table))
    assert len(ReferenceTable.from_frame(path)) == 40
    path.write_bytes(pack(table)[:-9])
    with pytest.raises(NetchoiceError, match=r"table\.csv") as raised:
        ReferenceTable.from_frame(path)
    assert "\n" not in str(raised.value)
    path.write_bytes(pack(table + b"a,1\n" * 10**7))
    for command in (["rank"], ["evaluate", "--out", tmp_path / "out"]):
        code, _, errors = run(command[0], path, *command[1:])
        assert code != 0
        assert re.search("need about [0-9]+ MB of memory; expected at most 512 MB", errors)
        assert len(errors.splitlines()) == 1


def test_table_with_too_many_columns_is_refused(tmp_path):
    (tmp_path / "table.csv").write_bytes(b"label" + b",x" * 500_000 + b"\na" + b",1" * 500_000)
    with pytest.raises(NetchoiceError, match="a line has 500001 cells; expected at most 50000"):
        ReferenceTable.from_frame(tmp_path / "table.csv")


def test_costs_from_a_device_are_read_up_to_a_limit():
    with pytest.raises(CostError, match="/dev/zero has more than 10000000 characters"):
        CostModel.from_file("/dev/zero")


def test_devices_are_read_up_to_the_limit(monkeypatch):
    monkeypatch.setenv("NETCHOICE_MAX_MEMORY", "16MB")
    with pytest.raises(NetworkFormatError, match="/dev/zero: its bytes need about"):
        read_network("/dev/zero")


def test_plain_files_are_never_too_large():
    for content in (b"1 2\n" * 500_000, b"a " * 500_000, b"<node id='1'/>" * 200_000):
        limit = MemoryLimit("net.txt", len(content))
        limit.check_lines(content)
        limit.check_cells(content)


# Errors of parsers


def test_nesting_and_huge_integers_raise_one_clear_error(tmp_path):
    assert "nested too deeply" in error_of(tmp_path / "net.json", b"[" * 100_000)
    assert "digits" in error_of(tmp_path / "net.json", b"[[1, " + b"9" * 5000 + b"]]")
    assert "64 bits" in error_of(tmp_path / "net.json", b"[[1, " + b"9" * 50 + b"]]")
    nested = b"<gexf><graph><nodes>" + b"<node id='1'><nodes>" * 5000
    error_of(tmp_path / "net.gexf", nested)
    error_of(tmp_path / "net.graphml", b"<graphml>" * 50_000)
    cell = b'"' + b"a" * 200_000 + b'",b\n"c",d\n'
    assert "more than 131072 characters" in error_of(tmp_path / "net.csv", cell)


# Costs


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("c.json", '{"own": {"a": 1}, "uses": {"a": 5}}', "`uses` of 'a' is 5; expected a list"),
        ("c.json", '{"own": {"a": 1}, "uses": {"a": [[1]]}}', "expected a list of names"),
        ("c.json", '{"own": {"a": 1}, "uses": {"a": {"b": 1}}}', "expected a list of names"),
        ("c.json", '{"own": {"a": 1}, "uses": 3}', "`uses` must be a mapping"),
        ("c.json", '{"own": {"a": 1}, "steps": [1]}', "`steps` must be a mapping"),
        ("c.json", '{"a": 1' + "0" * 400 + "}", "the cost of 'a' is inf"),
        ("c.json", '{"a": 1' + "0" * 5000 + "}", "cannot be read as JSON"),
        ("c.json", '{"a": ' + "[" * 100_000, "cannot be read as JSON"),
        ("c.csv", "a,1\nb," + "1" * 200_000, "cannot be read as CSV: field larger"),
    ],
)
def test_damaged_costs_raise_one_clear_error(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(CostError, match=message) as caught:
        CostModel.from_file(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


# Figures


@pytest.mark.parametrize("name", [r"$\frac$", r"$n^{\frac}$", r"$\mathdefault{\frac}$", "$x$"])
def test_names_of_columns_are_no_mathematics(tmp_path, name):
    ax = figures.feature_costs(CostModel({name: 1.0, "b": 2.0}))
    assert figures.save(ax, tmp_path / "costs.svg").stat().st_size
    (label,) = (text for text in ax.get_yticklabels() if text.get_text() == name)
    assert not label.get_parse_math()


# Tables


@pytest.mark.parametrize("column", ["a", "label"])
def test_extreme_values_of_tables_are_refused(run, tmp_path, column):
    frame = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40) % 7, "label": np.arange(40) / 8})
    frame.loc[3, column] = 1e155
    frame.to_csv(tmp_path / "t.csv", index=False)
    code, _, err = run("evaluate", tmp_path / "t.csv", "--out", tmp_path / "out")
    assert code == 1
    assert f"column '{column}' has a value of ±1e+155; expected at most 1e+100: rescale" in err


# The command line


def test_unexpected_errors_are_one_line_with_a_trace_in_a_file(run, tmp_path, monkeypatch):
    def broken(*arguments):
        raise ZeroDivisionError("first\nsecond")

    net = tmp_path / "net.tsv"
    net.write_text("a\tb\n")
    monkeypatch.setattr("netchoice.cli.options.read", broken)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.delenv("NETCHOICE_DEBUG")
    code, out, err = run("show", net)
    assert (code, out) == (1, "")
    assert err.startswith(
        "netchoice: unexpected error: ZeroDivisionError: first second; this is a defect"
    )
    assert err.count("\n") == 1
    trace = next(tmp_path.glob("netchoice-error-*.txt"))
    assert str(trace) in err
    assert "in broken" in trace.read_text()
    with pytest.raises(ZeroDivisionError):
        cli.main(["--debug", "show", str(net)])
    monkeypatch.delenv("NETCHOICE_DEBUG")
    with pytest.raises(ZeroDivisionError):
        cli.main(["show", str(net), "--debug"])


def test_max_memory_is_an_option(run, tmp_path, monkeypatch):
    monkeypatch.setenv("NETCHOICE_MAX_MEMORY", "1GB")
    (tmp_path / "net.net").write_text("*Vertices 300000\n*Edges\n1 2\n")
    code, _, err = run("--max-memory", "1MB", "show", tmp_path / "net.net")
    assert code == 1
    assert "expected at most 1 MB" in err
    assert os.environ["NETCHOICE_MAX_MEMORY"] == "1MB"
    code, out, _ = run("--max-memory", "2GB", "show", tmp_path / "net.net", "--json")
    assert json.loads(out)["nodes"] == 300_000
    assert run("--max-memory", "x", "show", tmp_path / "net.net")[0] == 2


@pytest.mark.parametrize(
    "engine",
    ["dask://x:y", "dask://", "dask://:8786", "dask://127.0.0.1:99999999999", "dask://127.0.0.1:1"],
)
def test_bad_addresses_of_schedulers_are_wrong_use(run, tmp_path, engine):
    pytest.importorskip("distributed")
    code, _, err = run(
        "simulate", "ba", "--nodes", 20, "--samples", 5, "--engine", engine, "--out", tmp_path / "t"
    )
    assert code == 2
    assert "expected HOST:PORT" in err or "no Dask scheduler" in err
    assert err.count("\n") == 1
