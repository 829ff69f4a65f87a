"""Collections of networks: folders, patterns, manifests, zip files, and files of many networks."""

import csv
import gzip
import io
import math
import os
import pickle
import shutil
import struct
import subprocess
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from platforms import posix

from netchoice import Graph, read_network, write_network
from netchoice.errors import NetchoiceError, NetworkFormatError, UsageError
from netchoice.io import find_networks
from netchoice.io.collection import as_collection, is_collection
from netchoice.io.guard import MemoryLimit, decompress

settings_for_files = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

COHORT = "graph,source,target\ng1,a,b\ng2,x,y\ng2,y,z\ng1,b,c\n"


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def zip_of(files, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


def parquet_of(table, **options):
    buffer = io.BytesIO()
    pq.write_table(pa.table(table), buffer, **options)
    return buffer.getvalue()


def edges_of(source):
    """The edges of a network as a set of pairs of names."""
    graph, _ = source.read()
    names = range(graph.n_nodes) if graph.labels is None else graph.labels
    return {frozenset((names[u], names[v])) for u, v in graph.edges().tolist()}


def pairs(text):
    return {frozenset(pair) for pair in text.split()}


def content(reading):
    """What two readings of the same network have in common."""
    graph, report = reading
    how = ("path", "format", "reason", "encoding", "ignored", "findings", "warnings")
    counts = {key: value for key, value in report.as_dict().items() if key not in how}
    return graph.labels, graph.edges().tolist(), counts


# Files, folders and patterns


def test_several_files_keep_their_order(tmp_path):
    write(tmp_path, {"b.tsv": "a\tb\n", "a.tsv.gz": gzip.compress(b"a b\nb c\n")})
    networks = find_networks([tmp_path / "b.tsv", str(tmp_path / "a.tsv.gz")])
    assert networks.ids == [source.id for source in networks] == ["b", "a"]
    for source, name in zip(networks, ("b.tsv", "a.tsv.gz"), strict=True):
        assert content(source.read()) == content(read_network(tmp_path / name))
    assert (networks[0].group, networks[0].covariates, networks.covariates) == (None, {}, [])
    assert [source.id for source in networks[::-1]] == ["a", "b"]
    assert networks[-1].id == "a"
    with pytest.raises(IndexError):
        networks[2]


def test_folder_leaves_out_files_that_are_no_networks(tmp_path):
    files = [
        "b.graphml",
        "a.tsv",
        "c",
        "README.txt",
        "notes.md",
        "x.json.gz",
        ".hidden.tsv",
        "d.png",
    ]
    write(tmp_path, dict.fromkeys(files, "a\tb\n"))
    write_network(Graph.from_edges([(0, 1)]), tmp_path / "b.graphml", overwrite=True)
    write(tmp_path, {"sub/e.tsv": "a b\n", "list.csv": "path\na.tsv\n"})
    networks = find_networks([tmp_path])
    assert networks.ids == ["a", "b", "c"]
    assert networks.left_out == 6
    assert [source.read()[0].n_edges for source in networks] == [1, 1, 1]


def test_pattern_is_that_of_a_shell(tmp_path):
    write(tmp_path, {"b1.tsv": "a b\n", "b2.tsv": "a b\n", "c.tsv": "a b\n", "x[1].tsv": "a b\n"})
    assert find_networks([f"{tmp_path}/b*.tsv"]).ids == ["b1", "b2"]
    assert find_networks([f"{tmp_path}/x[1].tsv"]).ids == ["x[1]"]
    with pytest.raises(UsageError, match="no file matches this pattern"):
        find_networks([f"{tmp_path}/d*.tsv"])


def test_format_and_header_apply_to_each_file(tmp_path):
    write(tmp_path, {"a.dat": "A pp B C\n", "b.csv": "source,target,graph\na,b,g\n"})
    (sif,) = find_networks([tmp_path / "a.dat"], format="sif")
    assert edges_of(sif) == pairs("AB AC")
    (plain,) = find_networks([tmp_path / "b.csv"], header=False)
    assert plain.id == "b"
    assert edges_of(plain) == {frozenset(("source", "target")), frozenset("ab")}
    with pytest.raises(UsageError, match="did you mean 'graphml'"):
        find_networks([tmp_path / "a.dat"], format="graphlm")


@pytest.mark.parametrize(
    ("files", "names", "message"),
    [
        ({}, ["a.tsv"], "no such file or folder"),
        ({}, [""], "no network files in it"),
        ({"list.csv": "path\n"}, [""], "to use a manifest, pass its path"),
        ({}, [], "no names of network files"),
        ({"a.zip": b"PK"}, ["a.zip"], "not readable as zip"),
        ({"a.zip": zip_of({"a.tsv": "a b"})[:-30]}, ["a.zip"], "not readable as zip"),
        ({"a.zip": zip_of({"README": "a b"})}, ["a.zip"], "no network files in it"),
        ({"a.parquet": b"PAR1"}, ["a.parquet"], "not readable as Parquet"),
        ({"a.csv": "graph,source,target\n"}, ["a.csv"], "no rows of networks"),
        ({"a.csv": "path\n"}, ["a.csv"], "a manifest without networks"),
        ({"a.csv": "path,id\nx\n"}, ["a.csv"], "line 2: 1 cells; expected 2"),
        ({"a.csv": "path,id\n,x\n"}, ["a.csv"], "line 2: the path is empty"),
        ({"a.csv": "path,x,x\na,1,2\n"}, ["a.csv"], "expected different names"),
        ({"a.csv": "path,id\nx,a\ny,a\n"}, ["a.csv"], "two networks have the id 'a'.*x and .*y;"),
        ({"a.tsv": "a b"}, ["a.tsv", "a.tsv"], "two networks have the id"),
        ({"a.csv": f"path,id\nx{'9' * 5000},a\ny,a\n"}, ["a.csv"], "^.{,700}$"),
        (
            {"d/D_A.txt": "1, 2\n", "d/D_graph_indicator.txt": "1\nx\n"},
            ["d"],
            "not readable as one integer per line",
        ),
        (
            {
                "d/D_A.txt": "1, 2\n",
                "d/D_graph_indicator.txt": "1\n2\n",
                "d/D_graph_labels.txt": "5",
            },
            ["d"],
            "1 labels for networks 1 to 2",
        ),
    ],
)
def test_broken_containers_raise_one_clear_error(tmp_path, files, names, message):
    write(tmp_path, files)
    with pytest.raises(NetchoiceError, match=message) as caught:
        find_networks([tmp_path / name for name in names])
    assert "\n" not in str(caught.value)


VALID = {
    "c.csv": COHORT.encode(),
    "c.csv.gz": gzip.compress(COHORT.encode(), mtime=0),
    "c.zip": zip_of({"a.tsv": "a b\n", "b.tsv": "b c\n"}),
    "c.parquet": parquet_of({"graph": ["a", "b"], "u": ["x", "y"], "v": ["y", "z"]}),
    "list.csv": b"path,id,age\na.tsv,1,2\nb.tsv,2,3\n",
    "d/D_A.txt": b"1, 2\n2, 1\n3, 4\n",
    "d/D_graph_indicator.txt": b"1\n1\n2\n2\n",
    "d/D_graph_labels.txt": b"1\n-1\n",
}


@settings_for_files
@given(
    name=st.sampled_from(sorted(VALID)),
    position=st.integers(0, 2000),
    length=st.integers(0, 8),
    damage=st.one_of(st.binary(max_size=8), st.sampled_from([b"\n", b",", b'"', b"99", b"-1"])),
)
def test_damaged_files_raise_no_other_error(tmp_path, name, position, length, damage):
    original = VALID[name]
    position %= len(original) + 1
    write(tmp_path, VALID)
    write(tmp_path, {name: original[:position] + damage + original[position + length :]})
    path = tmp_path / name
    try:
        networks = find_networks([path.parent if path.parent != tmp_path else path])
    except NetchoiceError as error:
        assert "\n" not in str(error)
        return
    for source in networks:
        try:
            source.read()
        except NetchoiceError as error:
            assert "\n" not in str(error)


# Ids and fingerprints


def test_equal_ids_become_longer(tmp_path):
    write(tmp_path, {"x/a.tsv": "a b", "x/a.txt": "a b", "y/a.tsv": "a b", "x/b.tsv": "a b"})
    assert find_networks([tmp_path / "x"]).ids == ["a.tsv", "a.txt", "b"]
    assert find_networks([tmp_path / "x", tmp_path / "y"]).ids == [
        str(tmp_path / "x" / "a.tsv"), "a.txt", "b", str(tmp_path / "y" / "a.tsv"),
    ]  # fmt: skip
    write(tmp_path, {"c1.csv": COHORT, "c2.csv": "graph,source,target\ng2,a,b\n"})
    assert find_networks([tmp_path / "c1.csv", tmp_path / "c2.csv"]).ids == ["g1", "c1:g2", "c2:g2"]


def test_fingerprint_follows_networks_and_files(tmp_path):
    write(tmp_path, {"a.tsv": "a b\n", "b.tsv": "a b\n", "c.csv": COHORT})
    names = [tmp_path / "a.tsv", tmp_path / "b.tsv", tmp_path / "c.csv"]

    def fingerprint(names, **options):
        return find_networks(names, **options).fingerprint

    first = fingerprint(names)
    assert fingerprint(names) == first
    assert fingerprint(names, header=True) != first
    assert fingerprint(names[:2]) != first
    assert fingerprint(names[::-1]) != first
    write(tmp_path, {"b.tsv": "a b\na c\n"})
    second = fingerprint(names)
    assert second != first
    write(tmp_path, {"c.csv": COHORT + "g1,d,e\n"})
    assert fingerprint(names) != second
    write(tmp_path, {"m1.csv": "path,id\na.tsv,1\n", "m2.csv": "path,id\na.tsv,2\n"})
    assert fingerprint([tmp_path / "m1.csv"]) != fingerprint([tmp_path / "m2.csv"])


def test_sources_can_be_pickled(tmp_path):
    write(tmp_path, {"a.tsv": "a b\n", "c.csv": COHORT, "t.zip": zip_of(tu_files())})
    write(tmp_path, {"p.parquet": parquet_of({"graph": ["p"], "u": [1], "v": [2]})})
    networks = find_networks(sorted(tmp_path.iterdir()))
    assert len(networks) == 7
    for source in networks:
        text = pickle.dumps(source)
        assert len(text) < 2000
        copy = pickle.loads(text)
        assert (copy.id, copy.place, copy.file) == (source.id, source.place, source.file)
        assert content(copy.read()) == content(source.read())


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.tsv", "a\tb\n", False),
        ("a.csv", COHORT, True),
        ("a.csv.gz", gzip.compress(COHORT.encode(), mtime=0), True),
        ("a.txt", "# notes\n\nsource target network_id\na b c\n", True),
        ("a.csv", '"Graph ID","Source","Target"\n', True),
        ("a.csv", "graph,theory\n", False),
        ("a.csv", "source,target,weight\na,b,1\n", False),
        ("a.csv", "source,target,path\na,b,1\n", False),
        ("a.csv", "id,Path\na,b\n", True),
        ("a.txt", "path\na b.tsv\n", True),
        ("a.csv", "path,network,start,age\na,b,1,2\n", True),
        ("a.txt", "path graphs\n", False),
        ("a.zip", b"", True),
        ("a.parquet", b"", True),
        ("a.graphml", COHORT, False),
        ("a.bin", b"\x00\xff\n", False),
    ],
)
def test_is_collection_looks_at_the_first_line(tmp_path, name, text, expected):
    write(tmp_path, {name: text})
    assert is_collection(tmp_path / name) == expected
    if not name.endswith((".zip", ".parquet")):
        assert not is_collection(tmp_path / name, header=False)


def test_is_collection_of_other_names(tmp_path):
    assert is_collection(tmp_path)
    assert is_collection(f"{tmp_path}/*.tsv")
    assert not is_collection(tmp_path / "missing.tsv")


@posix
def test_pipes_are_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert not is_collection(pipe)
    with subprocess.Popen(["/bin/sh", "-c", f"echo a b > {pipe}"]):
        (source,) = find_networks([pipe])
        assert edges_of(source) == pairs("ab")


@posix
def test_pipes_in_folders_are_left_out_and_listed(tmp_path):
    write(tmp_path, {"a.tsv": "a b\n", "list.csv": "path\na.tsv\nsub/pipe\n", "sub/b.tsv": "a b\n"})
    pipes = [str(tmp_path / name) for name in ("b.tsv", "c.zip", "d.parquet", "sub/pipe")]
    for pipe in pipes:
        os.mkfifo(pipe)
    os.symlink("missing.tsv", tmp_path / "e.tsv")
    names = sorted(str(path) for path in tmp_path.iterdir() if path.is_file())
    for chosen in ([tmp_path], [f"{tmp_path}/[a-e]*"], [*pipes[:3], names[0], tmp_path / "e.tsv"]):
        networks = find_networks(chosen)
        assert networks.ids == ["a", "e"]
        assert (networks.special, networks.left_out) == (pipes[:3], chosen == [tmp_path])
    with pytest.raises(NetworkFormatError, match=r"e\.tsv: no such file"):
        networks[1].read()
    with pytest.raises(UsageError, match="a pipe, a socket or a device"):
        find_networks(pipes[:2])
    first, second = find_networks([tmp_path / "list.csv"])
    assert edges_of(first) == pairs("ab")
    with pytest.raises(NetworkFormatError, match=r"sub.pipe: a pipe, a socket or a device"):
        second.read()


# Manifests


def test_manifest_gives_ids_groups_and_covariates(tmp_path):
    manifest = (
        "# a cohort\nid\tPath\tgroup\tage\tsite\tnothing\n"
        "s1\tnets/a.tsv\tcontrol\t31\tA1\t\n"
        "s2\tnets/missing.tsv\t\tn/a\t17\t\n"
        "\tito2001.txt\tcase\t4.5e1\t\t\n"
    )
    write(tmp_path, {"list.tsv": manifest, "nets/a.tsv": "a b\n"})
    networks = find_networks([tmp_path / "list.tsv"])
    assert networks.ids == ["s1", "s2", "ito2001"]
    assert [source.group for source in networks] == ["control", None, "case"]
    assert networks.covariates == ["age", "site", "nothing"]
    first, second, third = (source.covariates for source in networks)
    assert first == {"age": 31.0, "site": "A1", "nothing": ""}
    assert math.isnan(second["age"])
    assert second["site"] == "17"
    assert third["age"] == 45.0
    assert edges_of(networks[0]) == pairs("ab")
    with pytest.raises(NetworkFormatError, match=r"missing\.tsv: no such file"):
        networks[1].read()


def test_manifest_without_ids_uses_file_names(tmp_path):
    write(tmp_path, {"list.csv": 'path\n"x/a, b.tsv"\nx/c.tsv.gz\nx/c.txt\n'})
    assert find_networks([tmp_path / "list.csv"]).ids == ["a, b", "c.tsv.gz", "c.txt"]


def test_file_of_many_networks_in_a_manifest_raises_an_error_when_read(tmp_path):
    write(tmp_path, {"list.csv": "path\nc.csv\na.tsv\n", "c.csv": COHORT, "a.tsv": "a b\n"})
    first, second = find_networks([tmp_path / "list.csv"])
    with pytest.raises(NetworkFormatError, match="many networks, because of its columns graph"):
        first.read()
    assert edges_of(second) == pairs("ab")


# Edge lists of many networks


@pytest.mark.parametrize("name", ["c.csv", "c.csv.gz", "c.zip"])
@pytest.mark.parametrize(
    "text",
    [
        COHORT,
        COHORT.replace(",", "\t"),
        COHORT.replace(",", " "),
        COHORT.replace(",", " , "),
        COHORT.replace("\n", "\r\n"),
        COHORT.replace("\n", "\r"),
        "\ufeff" + COHORT[:-1],
        "% note\n" + COHORT.replace("g2,y", "\n  # g3,c,d\ng2,y"),
        "from;weight;Network;to\na;1;g1;b\nx;1;g2;y\ny;1;g2;z\nb;1;g1;c\n",
        'u,"network-id",v\na,"g1",b\nx,g2,y\n"y","g2","z"\nb, g1,c\n',
    ],
)
def test_edge_list_of_many_networks(tmp_path, text, name):
    text = text.encode()
    packed = {"c.csv": text, "c.csv.gz": gzip.compress(text), "c.zip": zip_of({"c.csv": text})}
    write(tmp_path, {name: packed[name]})
    networks = find_networks([tmp_path / name])
    assert networks.ids == ["g1", "g2"]
    assert edges_of(networks[0]) == pairs("ab bc")
    assert edges_of(networks[1]) == pairs("xy yz")
    assert networks[0].read()[1].weights_ignored == (b"weight" in text)


#: Names of nodes; those that start with # or % would be comments in a file of their own.
CELLS = st.text(st.sampled_from('ab1é, ;"#%\u3000'), min_size=1, max_size=4).filter(
    lambda cell: cell == cell.strip() and not cell.startswith(("#", "%"))
)
ROWS = st.lists(st.tuples(st.sampled_from(["g1", "2", "g, 3", 'a "b"']), CELLS, CELLS), min_size=1)


@settings_for_files
@given(
    rows=ROWS,
    order=st.permutations(range(3)),
    mark=st.sampled_from(",\t;"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_network_of_a_collection_equals_that_of_its_own_file(tmp_path, rows, order, mark, quoting):
    def text(rows, order):
        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=mark, quoting=quoting, lineterminator="\n")
        writer.writerows([row[i] for i in order] for row in rows)
        return buffer.getvalue()

    header = ("graph", "source", "target")
    write(tmp_path, {"c.csv": text([header, *rows], order)})
    networks = find_networks([tmp_path / "c.csv"])
    assert networks.ids == list(dict.fromkeys(row[0] for row in rows))
    for source in networks:
        own = [row for row in rows if row[0] == source.id]
        write(tmp_path, {"own.csv": text([header, *own], [i for i in order if i > 0])})
        if all(u == v for _, u, v in own):  # alone, a file without edges is an error
            assert source.read()[0].n_nodes == 0
            continue
        forced = read_network(tmp_path / "own.csv", "edgelist")
        assert content(source.read()) == content(forced)


def naive_networks(lines, column):
    """The edges of each network, line by line, and the networks with a line that is no edge."""
    networks, faulty, before, early = {}, set(), None, 0
    for line in lines:
        if not line.strip() or line.lstrip().startswith(("#", "%")):
            continue
        cells = [cell.strip() for cell in line.split(",")]
        graph = cells[column] if len(cells) > column else before
        u, v = (cell for k, cell in enumerate([*cells, "", "", ""][:3]) if k != column)
        early += graph is None
        if graph is None:
            continue
        if early and not networks:
            faulty.add(graph)
        networks.setdefault(graph, [])
        if len(cells) == 3 and u and v and graph:
            networks[graph].append((u, v))
        else:
            faulty.add(graph)
        before = graph
    return networks, faulty


LINES = st.one_of(
    st.tuples(*[st.sampled_from(["", "a", "é", "a longer name", "x" * 70])] * 3).map(",".join),
    st.sampled_from(["", "# c,d,e", "  ", "a", "a,b", "a,b,c,d", " a,b,c"]),
)


@settings_for_files
@given(lines=st.lists(LINES, min_size=1, max_size=30), column=st.integers(0, 2))
def test_networks_equal_those_of_the_reference_implementation(tmp_path, lines, column):
    header = ["graph" if k == column else f"node{k + 1}" for k in range(3)]
    write(tmp_path, {"c.csv": "\n".join([",".join(header), *lines])})
    expected, faulty = naive_networks(lines, column)
    if not expected:
        with pytest.raises(NetworkFormatError, match="no rows"):
            find_networks([tmp_path / "c.csv"])
        return
    networks = find_networks([tmp_path / "c.csv"])
    assert networks.ids == [graph or "(no name)" for graph in expected]
    for source, (graph, edges) in zip(networks, expected.items(), strict=True):
        if graph in faulty:
            with pytest.raises(NetworkFormatError, match=r"c\.csv, line \d+: "):
                source.read()
        else:
            assert edges_of(source) == {frozenset(edge) for edge in edges if edge[0] != edge[1]}


def test_many_interleaved_networks_over_several_blocks(tmp_path):
    rng = np.random.default_rng(0)
    graphs, ends = rng.integers(0, 50, 200_000), rng.integers(0, 30, (200_000, 2))
    lines = [f"{u}\t{v}\tnetwork-{g}" for g, (u, v) in zip(graphs, ends.tolist(), strict=True)]
    write(tmp_path, {"c.tsv": "\n".join(["source\ttarget\tgraph", *lines])})
    networks = find_networks([tmp_path / "c.tsv"])
    assert len(networks) == 50
    for source in (networks[0], networks[49]):
        own = ends[graphs == int(source.id.removeprefix("network-"))]
        write(tmp_path, {"own.tsv": "\n".join(f"{u}\t{v}" for u, v in own.tolist())})
        assert content(source.read()) == content(read_network(tmp_path / "own.tsv"))


@pytest.mark.parametrize(
    ("rows", "id", "message"),
    [
        (
            "g1,a,b\ng2,a\ng3,a,b\n",
            "g2",
            "line 3: 2 columns separated by comma, expected 3 as on line 1",
        ),
        (
            "g1,a,b\ng2,a,\ng3,a,b\n",
            "g2",
            "line 3: a name is empty; expected a name in columns 2 and 3",
        ),
        ("g1,a,b\n,a,b\ng3,a,b\n", "(no name)", "line 3: a row without the name of its network"),
        ("g1,a,b\ng2,a,\xff\ng3,a,b\n", "g2", "line 3: not UTF-8"),
        ('g1,a,b\ng2,"a,b\ng3,a,b\n', "g2", "line 3: quotation marks do not match"),
        ('g1,a,b\n"g2","a","b"x\ng3,a,b\n', "g2", "line 3: quotation marks do not match"),
        ("g1,a,b\ng2,a\0,b\ng3,a,b\n", "g2", "line 3: a NUL byte"),
        ("g1,a,b\ng2,a,b\rg2,b,c\ng3,a,b\n", "g2", "line 3: two lines that end as on an old Mac"),
    ],
)
def test_bad_rows_cost_one_network(tmp_path, rows, id, message):
    write(tmp_path, {"c.csv": b"graph,source,target\n" + rows.encode("latin-1")})
    networks = {source.id: source for source in find_networks([tmp_path / "c.csv"])}
    bad = networks.pop(id)
    with pytest.raises(NetworkFormatError, match=message) as caught:
        bad.read()
    assert str(tmp_path / "c.csv") in str(caught.value)
    assert "\n" not in str(caught.value)
    assert {"g1", "g3"} <= set(networks)
    assert all(edges_of(source) == pairs("ab") for source in networks.values())


def test_networks_stay_those_of_the_file_when_it_was_read(tmp_path):
    write(tmp_path, {"c.csv": COHORT})
    source = find_networks([tmp_path / "c.csv"])[0]
    write(tmp_path, {"c.csv": COHORT.replace("g1", "h1")})
    assert edges_of(source) == pairs("ab bc")


# Parquet


@pytest.mark.parametrize(
    "graphs", [["g2", "g1", "g2", "g1", "g2"], pa.array([2, 1, 2, 1, 2], pa.int64())]
)
@pytest.mark.parametrize("nodes", [str, int])
def test_parquet_file_of_many_networks(tmp_path, graphs, nodes):
    columns = [nodes(u) for u in (1, 5, 2, 6, 3)], [nodes(v) for v in (2, 6, 3, 7, 1)]
    table = {"from": columns[0], "graph": graphs, "to": columns[1]}
    write(tmp_path, {"c.parquet": parquet_of(table, row_group_size=2)})
    second, first = find_networks([tmp_path / "c.parquet"])
    assert (second.id, first.id) in [("g2", "g1"), ("2", "1")]
    write(tmp_path, {"own.csv": "from,to\n1,2\n2,3\n3,1\n"})
    assert content(second.read()) == content(read_network(tmp_path / "own.csv"))
    assert edges_of(first) == pairs("56 67")


def test_missing_values_in_parquet_cost_one_network(tmp_path):
    table = {"graph": ["a", "b", None], "u": ["x", None, "x"], "v": ["y", "y", "y"]}
    write(tmp_path, {"c.parquet": parquet_of(table)})
    good, empty_node, no_graph = find_networks([tmp_path / "c.parquet"])
    assert edges_of(good) == pairs("xy")
    with pytest.raises(NetworkFormatError, match=r"network b: a name is empty; .* 'u' and 'v'"):
        empty_node.read()
    with pytest.raises(NetworkFormatError, match="rows without a value in the column 'graph'"):
        no_graph.read()


# Zip files


def test_zip_of_network_files(tmp_path):
    files = {"z/b.tsv": "a b\n", "z/a.csv": "a,c\n", "z/README": "x", "__MACOSX/z/._a.csv": "x"}
    files |= {"../../e.tsv": "a b\n", "z/c.tsv.gz": gzip.compress(b"a b\nb c\n")}
    write(tmp_path, {"in/c.zip": zip_of(files), "in/d.zip": zip_of({"d.tsv": "a b"}, 0)})
    networks = find_networks([tmp_path / "in"])
    assert networks.ids == ["a", "b", "c", "d"]
    assert networks.left_out == 3
    assert edges_of(networks[0]) == pairs("ac")
    assert edges_of(networks[2]) == pairs("ab bc")
    assert edges_of(networks[3]) == pairs("ab")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["c.zip", "d.zip", "in"]


def patched(content, field, value):
    """A zip file whose directory says something else about its first member."""
    offset, layout = {"flags": (8, "<H"), "method": (10, "<H"), "size": (24, "<I")}[field]
    content = bytearray(content)
    struct.pack_into(layout, content, content.index(b"PK\x01\x02") + offset, value)
    return bytes(content)


BOMB = zip_of({"a.tsv": b"a\tb\n" * 10_000, "b.tsv": "a\tb\n"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (patched(BOMB, "size", 100), "a member of a zip file: Bad CRC-32"),
        (
            patched(BOMB, "size", 2 << 30),
            "2048 MB in a zip file need about .* expected at most 512",
        ),
        (patched(BOMB, "flags", 1), "encrypted; expected members that are stored or deflated"),
        (patched(BOMB, "method", 14), "compressed with method 14"),
        (BOMB.replace(b"PK\x03\x04", b"PK\x03\x05", 1), "Bad magic number for file header"),
        (zip_of({"a.tsv": COHORT, "b.tsv": "a\tb\n"}), "many networks, because of its columns"),
        (zip_of({"a.tsv": "a\n", "b.tsv": "a\tb\n"}), "most lines have 1 column"),
    ],
)
def test_bad_members_cost_one_network(tmp_path, content, message):
    write(tmp_path, {"c.zip": content})
    bad, good = find_networks([tmp_path / "c.zip"])
    with pytest.raises(NetworkFormatError, match=message) as caught:
        bad.read()
    assert "c.zip/a.tsv" in str(caught.value)
    assert edges_of(good) == pairs("ab")


def test_content_of_gzip_files_is_limited(monkeypatch):
    packed = gzip.compress(bytes(3 << 20))
    limit = MemoryLimit("c.csv.gz", len(packed))
    assert len(decompress(packed, limit)) == 3 << 20
    monkeypatch.setenv("NETCHOICE_MAX_MEMORY", "12MB")
    with pytest.raises(
        NetworkFormatError, match=r"c.csv.gz: its decompressed bytes need about 12 MB"
    ):
        decompress(packed, limit)


# TUDatasets


def tu_files(folder=""):
    return {
        f"{folder}D_A.txt": "1, 2\n2, 1\n4, 5\n6, 3\n3, 6\n",
        f"{folder}D_graph_indicator.txt": "1\n1\n1\n2\n2\n1\n3\n",
        f"{folder}D_graph_labels.txt": "-1\n1\n-1\n",
        f"{folder}D_node_labels.txt": "0\n0\n0\n0\n0\n0\n0\n",
        f"{folder}readme.txt": "text",
    }


@pytest.mark.parametrize("is_zipped", [False, True])
def test_tu_dataset_keeps_isolated_nodes(tmp_path, is_zipped):
    if is_zipped:
        write(tmp_path, {"D.zip": zip_of(tu_files("D/"))})
    else:
        write(tmp_path / "D", tu_files())
    networks = find_networks(tmp_path.iterdir())
    assert networks.ids == ["1", "2", "3"]
    assert [source.group for source in networks] == ["-1", "1", "-1"]
    assert networks.left_out == 1
    graph, report = networks[0].read()
    assert graph.labels == ("1", "2", "3", "6")
    assert graph.edges().tolist() == [[0, 1], [2, 3]]
    assert (report.repeated_edges, report.isolated_nodes) == (2, 0)
    assert edges_of(networks[1]) == pairs("45")
    graph, report = networks[2].read()
    assert (graph.n_nodes, graph.n_edges, report.isolated_nodes) == (1, 0, 1)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ("1, 2\n4, 3\n", "network 2: an edge to '3', which is not a node of this network"),
        ("1, 2\n4, 9\n", "network 2: an edge to '9'"),
        ("1, 2\n4, 5, 6\n", "line 2: 3 columns"),
        ("4, 5\n9, 1\n1, 2\n", "network 2: an edge to '9'"),
    ],
)
def test_bad_edges_of_a_tu_dataset_cost_one_network(tmp_path, edges, message):
    write(tmp_path, {**tu_files(), "D_A.txt": edges})
    first, second, third = find_networks([tmp_path])
    with pytest.raises(NetworkFormatError, match=message):
        second.read()
    assert edges_of(first) == pairs("12")
    assert third.read()[0].n_nodes == 1


def test_tu_dataset_without_edges_or_labels(tmp_path):
    write(tmp_path, {"D_A.txt": "", "D_graph_indicator.txt": "1\n1\n2\n"})
    first, second = find_networks([tmp_path])
    assert (first.group, first.read()[0].n_nodes, second.read()[0].n_nodes) == (None, 2, 1)


def test_first_edge_of_a_tu_dataset_may_follow_a_mark_of_utf_8(tmp_path):
    write(tmp_path, {"D_A.txt": "\ufeff1, 2\n", "D_graph_indicator.txt": "1\n1\n"})
    assert edges_of(find_networks([tmp_path])[0]) == pairs("12")


def test_tu_dataset_equals_its_networks(tmp_path):
    """Random networks, written as a TUDataset and read back."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 40, 200)
    graphs = [Graph.from_edges(rng.integers(0, n, (2 * n, 2)), n_nodes=n) for n in sizes.tolist()]
    offsets = np.cumsum([1, *sizes])
    rows = [graph.edges() + offset for graph, offset in zip(graphs, offsets, strict=False)]
    lines = [f"{u}, {v}\n" for u, v in np.concatenate(rows).tolist()]
    indicator = np.repeat(np.arange(1, 201), sizes)
    write(tmp_path, {"D_A.txt": "".join(lines)})
    write(tmp_path, {"D_graph_indicator.txt": "".join(f"{graph}\n" for graph in indicator)})
    networks = find_networks([tmp_path])
    for source, graph in zip(networks, graphs, strict=True):
        assert source.read()[0].edges().tolist() == graph.edges().tolist()
        assert source.read()[0].n_nodes == graph.n_nodes


def test_all_kinds_can_be_mixed(tmp_path, monkeypatch):
    write(tmp_path, {"t/D_A.txt": "1,2", "t/D_graph_indicator.txt": "1\n1\n", "c.csv": COHORT})
    write(tmp_path, {"a.tsv": "a b\n", "z.zip": zip_of({"m.tsv": "a b", "n.tsv": "a b"})})
    write(tmp_path, {"list.csv": "path,age\na.tsv,3\n"})
    shutil.copy(tmp_path / "a.tsv", tmp_path / "b.tsv")
    monkeypatch.chdir(tmp_path)
    networks = find_networks(["list.csv", "t", "c.csv", "z.zip", "b*"])
    assert networks.ids == ["a", "1", "g1", "g2", "m", "n", "b"]
    assert networks[0].covariates == {"age": 3.0}
    assert networks.covariates == ["age"]
    assert [source.read()[0].n_edges for source in networks] == [1, 1, 2, 2, 1, 1, 1]


def test_id_that_is_no_text_has_a_fingerprint():
    """Half of a surrogate pair cannot be encoded as UTF-8; names in Python can hold one."""
    first, second = (as_collection({id: [(0, 1), (1, 2)]}) for id in ("\ud800", "\ud801"))
    assert first.fingerprint != second.fingerprint
