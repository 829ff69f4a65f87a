"""Readers and writers of network files."""

import gzip
import os
import re
import subprocess

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from platforms import posix

from netchoice import Graph, read_network, write_network
from netchoice.errors import NetchoiceError, NetworkFormatError, UsageError
from netchoice.io import FORMATS

settings_for_files = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(tmp_path, content, name="net.tsv", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_network(path, **options)


YEAST = {  # rows, self loops, nodes, edges, as in the README of the data
    "uetz2000": (691, 38, 789, 644),
    "ito2001": (843, 82, 790, 761),
    "yu2008": (1809, 168, 1233, 1641),
}


@pytest.mark.parametrize("name", sorted(YEAST))
def test_yeast_networks_have_the_published_counts(yeast_folder, name):
    graph, report = read_network(yeast_folder / f"{name}.txt")
    assert (report.rows, report.self_loops, graph.n_nodes, graph.n_edges) == YEAST[name]
    assert report.rows == report.self_loops + report.repeated_edges + graph.n_edges
    assert graph.n_isolated == 0
    assert not report.declares_nodes
    table = (yeast_folder / "README.md").read_text()
    row = re.search(rf"{name}\.txt \|[^|]*\|([^\n]*)", table)[1]
    numbers = [int(number) for number in re.findall(r"\b\d+\b", row.replace("0.0", ""))]
    assert numbers[:4] == list(YEAST[name])
    largest = graph.to_networkx().subgraph(
        max(nx.connected_components(graph.to_networkx()), key=len)
    )
    assert numbers[4:6] == [largest.number_of_nodes(), largest.number_of_edges()]


@pytest.mark.parametrize(
    "content",
    [
        "a\tb\nb\tc\n",
        "a,b\nb,c\n",
        "a;b\nb;c",
        "a b\nb c\n",
        "  a   b \nb c\n",
        "# comment\na b\n% other\n\nb c\n",
        "a\tb\r\nb\tc\r\n",
        "a\tb\rb\tc\r",
        "\ufeffa\tb\nb\tc\n",
        '"a","b"\n"b","c"\n',
        "source\ttarget\na\tb\nb\tc\n",
        "From,To\na,b\nb,c\n",
        "source_node target_node weight\na b 1\nb c 1\n",
        "protein1 protein2\na b\nb c\n",
        "Interactor A\tInteractor B\na\tb\nb\tc\n",
        gzip.compress(b"a b\nb c\n", mtime=0),
    ],
)
def test_edge_lists_with_different_separators_and_headers(tmp_path, content):
    graph, report = read(tmp_path, content)
    assert graph.labels == ("a", "b", "c")
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    assert report.rows == 2
    assert report.weights_ignored == ("weight" in str(content))


def test_nodes_are_numbered_by_first_appearance(tmp_path):
    graph, _ = read(tmp_path, "z z\nb a\nz a\nq q\n")
    assert graph.labels == ("z", "b", "a")
    assert graph.edges().tolist() == [[0, 2], [1, 2]]
    # Numbers in a file are names.
    assert read(tmp_path, "7 5\n5 9\n")[0].labels == ("7", "5", "9")


def test_report_counts_what_was_dropped(tmp_path):
    graph, report = read(tmp_path, "a b 1.5\nb a 2\nc c 1\nd d 1\nb e 1\nb b 1\n")
    assert (report.rows, report.self_loops, report.repeated_edges) == (6, 3, 1)
    assert report.names_only_in_self_loops == 2
    assert report.weights_ignored
    assert graph.labels == ("a", "b", "e")
    text = "\n".join(report.lines())
    for remark in (
        "6 rows", "3 nodes, 2 edges", "3 self loops", "2 names that occur only in self loops",
        "1 repeated edge merged, in either direction", "weights", "cannot declare isolated nodes",
    ):  # fmt: skip
        assert remark in text
    assert report.as_dict()["self_loops"] == 3


def test_header_is_detected_or_set(tmp_path):
    assert read(tmp_path, "x y\na b\n")[0].n_edges == 2
    assert read(tmp_path, "x y\na b\n", header=True)[0].n_edges == 1
    assert read(tmp_path, "source target\na b\n", header=False)[0].n_edges == 2
    assert (
        read(tmp_path, "source weight\na b\n")[0].n_edges == 2
    )  # a header has two known column names


def test_edge_list_of_networkx_with_attributes(tmp_path):
    nx.write_edgelist(nx.Graph([(0, 1, {"a": 1, "b": "x y"}), (1, 2, {})]), tmp_path / "net.edges")
    graph, report = read_network(tmp_path / "net.edges")
    assert graph.n_edges == 2
    assert report.weights_ignored


def test_sif_declares_isolated_nodes(tmp_path):
    graph, report = read(tmp_path, "A pp B\nA pd C D\nE\nB pp A\n", "net.sif")
    assert graph.labels == ("A", "B", "C", "D", "E")
    assert graph.n_edges == 3
    assert (report.isolated_nodes, report.repeated_edges, report.rows) == (1, 1, 4)
    spaced, _ = read(tmp_path, "gene 1\tpp\tgene 2\n", "net.sif")
    assert spaced.labels == ("gene 1", "gene 2")


@pytest.fixture
def sample():
    graph = nx.Graph()
    graph.add_nodes_from(["n1", "n2", "n3", "isolated"])
    graph.add_edges_from([("n1", "n2"), ("n3", "n2"), ("n1", "n1")])
    return graph


WRITERS = {
    "net.graphml": nx.write_graphml,
    "net.gml": nx.write_gml,
    "net.gexf": nx.write_gexf,
    "net.net": nx.write_pajek,
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", sorted(WRITERS))
@pytest.mark.parametrize("zipped", [False, True])
def test_files_written_by_networkx(tmp_path, sample, name, zipped):
    path = tmp_path / name
    WRITERS[name](sample, path)
    if zipped:
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        path = packed
    graph, report = read_network(path)
    assert graph.labels == ("n1", "n2", "n3", "isolated")
    assert graph.edges().tolist() == [[0, 1], [1, 2]]
    assert (report.self_loops, report.isolated_nodes, report.declares_nodes) == (1, 1, True)
    assert not report.direction_ignored
    directed = nx.DiGraph(sample)
    directed.add_edge("n2", "n3", weight=2.5)
    WRITERS[name](directed, tmp_path / name)
    report = read_network(tmp_path / name)[1]
    assert report.direction_ignored
    assert report.weights_ignored


def test_gml_without_labels_uses_ids(tmp_path):
    graph, _ = read(
        tmp_path, "graph [ node [ id 4 ] node [ id 7 ] edge [ source 4 target 7 ] ]", "net.gml"
    )
    assert graph.n_edges == 1


def test_matrix_files(tmp_path, sample):
    matrix = scipy.sparse.coo_array(nx.to_scipy_sparse_array(sample))
    scipy.io.mmwrite(tmp_path / "net.mtx", matrix)
    scipy.sparse.save_npz(tmp_path / "net.npz", matrix.tocsr())
    np.savez(tmp_path / "dense.npz", adjacency=matrix.toarray())
    np.savez(tmp_path / "edges.npz", edges=np.array([[0, 1], [2, 1], [0, 0]]))
    for name in ("net.mtx", "net.npz", "dense.npz"):
        graph, report = read_network(tmp_path / name)
        assert graph.edges().tolist() == [[0, 1], [1, 2]]
        assert graph.labels is None
        assert (report.self_loops, report.isolated_nodes, report.repeated_edges) == (1, 1, 0)
        assert not report.direction_ignored
        assert not report.weights_ignored
    assert read_network(tmp_path / "edges.npz")[0].edges().tolist() == [[0, 1], [1, 2]]
    scipy.io.mmwrite(tmp_path / "net.mtx", scipy.sparse.triu(matrix) * 2, symmetry="general")
    report = read_network(tmp_path / "net.mtx")[1]
    assert report.direction_ignored
    assert report.weights_ignored
    wide = scipy.sparse.coo_array(np.array([[0, 1, 1], [2, 0, 0]]))
    scipy.io.mmwrite(tmp_path / "wide.mtx", wide)
    graph, report = read_network(tmp_path / "wide.mtx")
    assert graph.edges().tolist() == [[0, 3], [0, 4], [1, 2]]
    assert report.bipartite == (2, 3)
    scipy.io.mmwrite(tmp_path / "wide.mtx", wide.toarray())
    with pytest.raises(NetworkFormatError, match="expected %%MatrixMarket matrix coordinate"):
        read_network(tmp_path / "wide.mtx")


def test_all_sections_of_pajek(tmp_path):
    content = '*Vertices 5\n1 "a b"\n2 b\n3 c\n4 d\n5 e\n*Edgeslist\n1 2 3\n*Arcslist\n4 5\n*Edges\n1 2 7\n'
    graph, report = read(tmp_path, content, "net.net")
    assert graph.labels == ("a b", "b", "c", "d", "e")
    assert graph.edges().tolist() == [[0, 1], [0, 2], [3, 4]]
    assert (report.repeated_edges, report.direction_ignored, report.weights_ignored) == (
        1,
        True,
        True,
    )
    bare, _ = read(tmp_path, "*vertices 3\n*edges\n1 3\n", "net.net")
    assert (bare.n_nodes, bare.n_edges, bare.labels) == (3, 1, None)
    same, _ = read(tmp_path, "*Vertices 3\n1 x\n2 x\n3 y\n*Edges\n1 2\n", "net.net")
    assert (same.n_nodes, same.n_edges) == (3, 1)
    matrix, report = read(tmp_path, "*Vertices 3\n*Matrix\n0 1 0\n1 0 1\n0 1 0\n", "net.net")
    assert (matrix.n_edges, report.rows, report.direction_ignored) == (2, 2, False)


def test_repeats_in_gml_are_merged(tmp_path):
    nodes = 'node [ id 0 label "a" ] node [ id 1 label "b" ]'
    edges = "edge [ source 0 target 1 ] edge [ source 1 target 0 ]"
    graph, report = read(tmp_path, f"graph [ {nodes} {edges} ]", "net.gml")
    assert (graph.n_edges, report.repeated_edges, report.weights_ignored) == (1, 1, False)


def test_quoted_names_with_every_separator(tmp_path):
    for content in ('"A x" "B"\n', 'A x,"B"\n', '"A x",  "B"\n', '"A x"\t"B"\n'):
        assert read(tmp_path, content)[0].labels == ("A x", "B")
    assert read(tmp_path, 'a, "b, c"\n', "net.csv")[0].labels == ("a", "b, c")


def test_repeated_entries_in_matrices_are_counted(tmp_path):
    text = "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n1 2\n2 3\n"
    graph, report = read(tmp_path, text, "net.mtx")
    assert (graph.n_edges, report.rows, report.repeated_edges) == (2, 3, 1)
    huge = b"%%MatrixMarket matrix coordinate pattern general\n9999999999 9999999999 1\n1 2\n"
    with pytest.raises(NetworkFormatError, match="at most"):
        read(tmp_path, huge, "huge.mtx")


def test_pickles_are_not_loaded(tmp_path):
    np.savez(tmp_path / "net.npz", edges=np.array([object()]))
    with pytest.raises(
        NetworkFormatError, match="an array of type object; numbers or texts are needed"
    ):
        read_network(tmp_path / "net.npz")


# Malformed files


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"", "the file is empty"),
        ("a.tsv", b" \n\n", "the file is empty"),
        ("a.tsv", b"# only\n", "no edges found"),
        ("a.tsv", b"source\ttarget\n", "a header and no edges"),
        (
            "a.tsv",
            b"a\tb\nc\n",
            r"line 2: 1 column separated by tab, expected 2 as on line 1; correct",
        ),
        ("a.tsv", b"a\tb\n\n#x\nc\td\te\n", "line 4: 3 columns"),
        ("a.txt", b"hello\n", "most lines have 1 column separated by space, expected 2 or more"),
        ("a.csv", b"a,b\n,c\n", "line 2: a name is empty"),
        ("a.csv", b'a,b\n"a,c\n', "line 2: quotation marks do not match"),
        ("a.tsv", b"a\tb\n\x00\x01\n", "line 2: a NUL byte"),
        ("a.tsv", b"a\tb\n\x01\tc\n", "line 2: a control character 0x01"),
        ("a.tsv.gz", gzip.compress(b"a b\n" * 99, mtime=0)[:-12], "damaged or truncated gzip"),
        ("a.sif", b"A pp\n", "line 1: 2 columns, 'A pp'"),
        ("a.graphml", b"<graphml><graph", "not readable as GraphML.*line 1"),
        ("a.graphml", b"<html></html>", "not readable as GraphML"),
        ("a.gexf", b"<gexf>", "not readable as GEXF"),
        ("a.gml", b"graph [ node [ id 1 ", "not readable as GML"),
        (
            "a.mtx",
            b"%%MatrixMarket matrix coordinate real general\nx\n",
            "not readable as MatrixMarket",
        ),
        ("a.npz", b"PK\x03\x04broken", "not readable as npz"),
        ("a.npz", b"\x93NUMPY", "not readable as npy"),
        (
            "a.graphml",
            b"<?xml version='1.0'?>\n<!DOCTYPE graphml [<!ENTITY a 'aaaa'>]>\n<graphml/>",
            "line 2: contains <!DOCTYPE",
        ),
        ("a.gexf", b"<!ENTITY a 'b'><gexf/>", "contains <!ENTITY"),
        ("a.gexf", b"<?xml version='1.0' encoding='cp037'?><gexf/>", "XML in cp037"),
        ("a.graphml", b"<graphml><graph id='a'/><graph id='b'/></graphml>", "2 graphs in one file"),
        ("a.net", b"*Vertices 2\n*Edges\n1 5\n", r"vertex 5, but \*Vertices says 2"),
        ("a.net", b"*Vertices 2\n*Edges\n1 x\n", "line 3: '1 x'; expected two numbers"),
        ("a.csv", b"source,target\na,b,c\n", "line 2: 3 columns .* expected 2 as on line 1"),
        (
            "a.mtx",
            b"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1 1\n",
            "expected .* real|double|integer",
        ),
        ("a.tsv", b"# netchoice nodes=3\n0\t1\n", "says nodes=3, but there are 2"),
        ("a.tsv", b"# netchoice nodes=2\na\tb\n", "must be the numbers 0 to 1"),
        ("a.tsv", b"# netchoice nodes=2\n0\t1\t2\n", "line 2: 3 columns"),
    ],
)
def test_malformed_files_raise_one_clear_error(tmp_path, name, content, message):
    with pytest.raises(NetworkFormatError, match=message) as caught:
        read(tmp_path, content, name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_paths_that_are_not_files_raise_an_error(tmp_path):
    with pytest.raises(NetworkFormatError, match="is a folder"):
        read_network(tmp_path)
    with pytest.raises(NetworkFormatError, match="no such file"):
        read_network(tmp_path / "none.txt")
    with pytest.raises(NetworkFormatError, match="cannot be read"):
        read_network("a\0b")
    with pytest.raises(UsageError, match="did you mean 'graphml'"):
        read_network(tmp_path, format="graphlm")


@posix
@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may read every file")
def test_missing_permission_raises_an_error(tmp_path):
    path = tmp_path / "net.txt"
    path.write_text("a b\n")
    path.chmod(0)
    with pytest.raises(NetworkFormatError, match="no permission"):
        read_network(path)


def test_simulated_missing_permission_raises_an_error(tmp_path, monkeypatch):
    """The previous test is skipped if the tests run as root."""

    def refuse(path):
        raise PermissionError

    monkeypatch.setattr("netchoice.io.guard._read_bytes", refuse)
    with pytest.raises(NetworkFormatError, match="no permission to read it; try chmod"):
        read_network(tmp_path / "net.txt")


@settings_for_files
@given(content=st.binary(max_size=200), format=st.sampled_from(FORMATS))
def test_random_bytes_raise_no_other_error(tmp_path, content, format):
    try:
        read(tmp_path, content, "garbage", format=format)
    except NetworkFormatError as error:
        assert "garbage" in str(error)


tokens = st.sampled_from(
    ["graph", "node", "edge", "[", "]", "id", "source", "target", "label", '"a"', "1", "2", "-1", "\n",
     "*Vertices", "*Edges", "*Arcs", "*Matrix", "<graphml>", "</graphml>", "<graph>", "<node id='a'/>",
     "<edge source='a' target='b'/>", "</graph>", "<gexf>", "<nodes>", "%%MatrixMarket matrix coordinate",
     "real", "symmetric", "nan", "1e9", "# netchoice nodes=2", "\t", ",", "{", "99999999999999999999"]
)  # fmt: skip


@settings_for_files
@given(content=st.lists(tokens, max_size=25).map(" ".join), format=st.sampled_from(FORMATS))
def test_nearly_valid_files_raise_no_other_error(tmp_path, content, format):
    try:
        graph, report = read(tmp_path, content, "garbage", format=format)
    except NetworkFormatError as error:
        assert "garbage" in str(error)
    else:
        assert graph.n_nodes == report.n_nodes


# Writers


names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=5)


@settings_for_files
@given(
    edges=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25),
    labels=st.none()
    | st.lists(names.filter(lambda s: s[0] not in "#%"), min_size=10, max_size=10, unique=True),
    name=st.sampled_from(["net.tsv", "net.txt.gz", "net.graphml", "net.graphml.gz"]),
)
def test_written_networks_read_back_the_same(tmp_path, edges, labels, name):
    plain = Graph.from_edges(edges, 10)
    graph = Graph(plain.indptr, plain.indices, labels)
    write_network(graph, tmp_path / name, overwrite=True)
    if not graph.n_edges and "graphml" in name:
        with pytest.raises(NetworkFormatError, match="no edges, read as graphml"):
            read_network(tmp_path / name)
        return
    again, report = read_network(tmp_path / name)
    assert again.fingerprint == graph.fingerprint
    assert report.isolated_nodes == graph.n_isolated
    if labels is not None or "graphml" not in name:
        assert again.labels == graph.labels


def test_labels_that_look_like_ids_keep_the_numbering(tmp_path):
    graph = Graph([0, 1, 1, 2], [2, 0], labels=["2", "0", "1"])
    write_network(graph, tmp_path / "net.tsv")
    again, _ = read_network(tmp_path / "net.tsv")
    assert again == graph
    assert again.labels == graph.labels


def test_empty_graph_reads_back_the_same(tmp_path):
    write_network(Graph.from_edges([]), tmp_path / "net.tsv")
    assert read_network(tmp_path / "net.tsv")[0].n_nodes == 0


def test_isolated_nodes_are_alone_on_a_line(tmp_path):
    write_network(Graph.from_edges([(0, 2)], 4), tmp_path / "net.tsv")
    assert (tmp_path / "net.tsv").read_text() == "# netchoice nodes=4\n0\t2\n1\n3\n"


@pytest.mark.parametrize("label", ["", " a", "a\tb", "a\nb", "#a", "%b"])
def test_labels_that_an_edge_list_cannot_contain_raise_an_error(tmp_path, label):
    graph = Graph([0, 1, 2], [1, 0], labels=[label, "ok"])
    with pytest.raises(UsageError, match="write GraphML instead"):
        write_network(graph, tmp_path / "net.tsv")
    assert not list(tmp_path.iterdir())


@posix
def test_writing_keeps_links_pipes_and_file_modes(tmp_path):
    graph = Graph.from_edges([(0, 1)])
    target, link = tmp_path / "target.tsv", tmp_path / "link.tsv"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    write_network(graph, link, overwrite=True)
    assert link.is_symlink()
    assert target.read_text().startswith("# netchoice")
    assert target.stat().st_mode & 0o777 == 0o600
    pipe = tmp_path / "pipe.tsv"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        write_network(graph, pipe)
        assert reader.communicate()[0] == "# netchoice nodes=2\n0\t1\n"
    assert pipe.is_fifo()


def test_labels_with_the_same_text_raise_an_error(tmp_path):
    graph = Graph([0, 1, 2, 2], [1, 0], labels=[1, "1", 2])
    for name in ("net.tsv", "net.graphml"):
        with pytest.raises(UsageError, match="cannot distinguish them"):
            write_network(graph, tmp_path / name)
    with pytest.raises(UsageError, match="unpaired surrogate"):
        write_network(Graph([0, 1, 2], [1, 0], ["\ud800", "b"]), tmp_path / "net.tsv")


def test_impossible_outputs_raise_an_error(tmp_path):
    graph = Graph.from_edges([(0, 1)])
    for name in ("net.gml", "net.csv", "net.json"):
        with pytest.raises(UsageError, match="networks are written as edge list"):
            write_network(graph, tmp_path / name)
    with pytest.raises(NetchoiceError, match=r"cannot write .*: No such file or directory"):
        write_network(graph, tmp_path / "nowhere" / "net.tsv")
    with pytest.raises(NetchoiceError, match="cannot write"):
        write_network(graph, tmp_path)
    assert not list(tmp_path.glob(".*partial"))
    with pytest.raises(UsageError, match="XML cannot contain"):
        write_network(Graph([0, 1, 2], [1, 0], ["a\x01", "b"]), tmp_path / "net.graphml")


def test_each_character_of_a_name_is_refused_or_read_back(tmp_path):
    """A control character in a name made an edge list that the reader took for a binary file."""
    path, refused = tmp_path / "network.tsv", set()
    for code in [*range(0x100), 0x2028, 0x3000, 0xFEFF, 0xD800, 0x1F600]:
        name = f"a{chr(code)}b"
        graph = Graph.from_edges([(name, "c"), ("c", "d")])
        try:
            write_network(graph, path, overwrite=True)
        except UsageError:
            refused.add(code)
        else:
            assert read_network(path)[0].labels == graph.labels
    assert refused == {*range(32), 0xD800}
