"""The format, the header and the columns of network files are found by their content."""

import csv
import io
import json
import warnings

import igraph
import networkit
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netchoice import Graph, read_network
from netchoice.errors import NetworkFormatError, UsageError
from netchoice.io import FORMATS

settings_for_files = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
KARATE = nx.karate_club_graph()
PEOPLE = [
    ("ann", "bob"),
    ("bob", "cat"),
    ("cat", "dan"),
    ("dan", "eve"),
    ("eve", "ann"),
    ("ann", "cat"),
]


def read(tmp_path, content, name="net.csv", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_network(path, **options)


def rows(edges, mark=",", *weights):
    return "".join(mark.join(map(str, [*edge[:2], *weights])) + "\n" for edge in edges)


def size(graph):
    return graph.n_nodes, graph.n_edges


# Headers


@pytest.mark.parametrize(
    ("header", "edges", "mark", "weights"),
    [
        ("person_a,person_b,n_contacts", PEOPLE, ",", [3]),
        ("u v", KARATE.edges, " ", []),
        ("i,j,w", KARATE.edges, ",", [0.5]),
        ("Consumer\tResource", KARATE.edges, "\t", []),
        ("one;other;when", PEOPLE, ";", [1990]),
        ("left right", [(f"P{u}", f"P{v}") for u, v in KARATE.edges], " ", []),
        ("a b strength", [(f"P{u}", f"P{v}") for u, v in KARATE.edges], " ", [1]),
    ],
)
def test_unknown_header_is_no_edge(tmp_path, header, edges, mark, weights):
    edges = list(edges)
    graph, report = read(tmp_path, f"{header}\n{rows(edges, mark, *weights)}")
    names = header.split(mark)
    assert size(graph) == (len({end for edge in edges for end in edge[:2]}), len(edges))
    lines = report.lines()
    assert f"header: yes ({', '.join(names)})" in lines
    ignored = f"weights are not supported; ignored: {names[-1]}"
    assert (ignored in lines) == bool(weights)


def test_missing_header_is_reported_and_can_be_forced(tmp_path):
    graph, report = read(tmp_path, rows(PEOPLE))
    assert size(graph) == (5, 6)
    assert "header: no" in report.lines()
    assert not report.warnings
    # Names of columns that look like names of nodes: the content cannot decide.
    text = "giver,taker\n" + rows(PEOPLE)
    graph, report = read(tmp_path, text)
    assert size(graph) == (7, 7)
    assert "'giver' and 'taker' occur on the first line only; if it is a header, pass --header" in (
        report.warnings
    )
    assert size(read(tmp_path, text, header=True)[0]) == (5, 6)
    numbers = "u v\n1 2\n2 3\n"
    assert size(read(tmp_path, numbers, header=False)[0]) == (5, 3)


@pytest.mark.parametrize(
    ("header", "edges"),
    [("ID,A,B", PEOPLE), (",source,target", PEOPLE), ("edge_id,x,y", KARATE.edges), ("", PEOPLE)],
)
def test_column_that_numbers_the_edges_is_no_node(tmp_path, header, edges):
    edges = list(edges)
    text = "".join(f"{i + 1},{u},{v}\n" for i, (u, v, *_) in enumerate(edges))
    graph, report = read(tmp_path, f"{header}\n{text}".lstrip())
    assert size(graph) == size(Graph.from_edges([(str(u), str(v)) for u, v, *_ in edges]))
    assert any(line.startswith("nodes: ") for line in report.lines()) or ",source" in header


def test_column_between_the_nodes_is_a_relation(tmp_path):
    text = "".join(f"{u} binds {v}\n" for u, v in PEOPLE)
    graph, report = read(tmp_path, text, "net.txt")
    assert size(graph) == (5, 6)
    assert "nodes: column 1 and column 3" in report.lines()


def test_time_before_the_nodes_is_no_node(tmp_path):
    rng = np.random.default_rng(1)
    contacts = [
        (31220 + 20 * (i // 3), *rng.choice(40, 2, replace=False), "ICU") for i in range(200)
    ]
    text = "".join(" ".join(map(str, contact)) + "\n" for contact in contacts)
    graph, report = read(tmp_path, text, "contacts.dat")
    assert graph.n_edges == len({frozenset(contact[1:3]) for contact in contacts})
    assert "nodes: column 2 and column 3" in report.lines()
    # Users, items and ratings: the ratings are no nodes.
    ratings = "".join(
        f"{rng.integers(100, 200)} {rng.integers(1, 90)} {k % 5 + 1}\n" for k in range(300)
    )
    assert read(tmp_path, ratings, "ratings.dat")[0].n_nodes > 150


def test_counted_rows_with_numbers_are_ambiguous(tmp_path):
    """A tree with weights, or numbered edges: both columns may be nodes."""
    text = "".join(f"{i},{i // 2},{i % 5 + 1}\n" for i in range(1, 20))
    with pytest.raises(NetworkFormatError, match="--columns 2,3 or --columns 1,2"):
        read(tmp_path, text)
    assert size(read(tmp_path, text, columns=(1, 2))[0]) == (20, 19)
    assert read(tmp_path, text, columns=("2", "3"))[0].n_nodes == 10
    with pytest.raises(
        UsageError, match=r"columns 1, 9; expected two different columns of .*: 1 to 3"
    ):
        read(tmp_path, text, columns=(1, 9))
    named = "when,who,whom\n" + "".join(f"{k},{u},{v}\n" for k, (u, v) in enumerate(PEOPLE))
    assert size(read(tmp_path, named, columns=("who", "whom"))[0]) == (5, 6)


def test_index_and_numbers_of_columns_of_pandas(tmp_path):
    frame = pd.DataFrame(EDGES)
    assert size(read(tmp_path, frame.to_csv())[0]) == (34, 78)
    assert size(read(tmp_path, frame.to_csv(index=False))[0]) == (34, 78)


# Separators, encodings and lines


@pytest.mark.parametrize(
    "content",
    [
        "  1   2   5.5\n  2   3   7\n 13   1  12.25\n",
        "\t1 \t2 \t \t7.5 \t\n\t2 \t3 \t \t1.25 \t\n\t13 \t1 \t \t9.5 \t\n",
        "1\t2\t1.0\n2\t3\t1.0\t\n13\t1\t2.0\n",
        "1;2;0,5\n2;3;1,5\n13;1;2,5\n",
        "% From \tTo\n1 2 4\n2 3 4\n13 1 4\n",
        "(1, 2)\n(2, 3)\n(13, 1)\n",
    ],
)
def test_columns_with_other_spaces_and_marks(tmp_path, content):
    graph, _ = read(tmp_path, content, "net.dat")
    assert graph.labels == ("1", "2", "3", "13")
    assert graph.n_edges == 3


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "utf-32"]
)
def test_encodings_are_detected(tmp_path, encoding):
    text = "Málaga\tAndújar\nAndújar\tCórdoba\nCórdoba\tMálaga\n"
    graph, report = read(tmp_path, text.encode(encoding), "net.tsv")
    assert graph.labels == ("Málaga", "Andújar", "Córdoba")
    is_usual = encoding == "utf-8-sig"
    assert any(line.startswith("encoding: ") for line in report.lines()) is not is_usual


def test_lines_may_have_further_cells_if_nodes_are_clear(tmp_path):
    text = "7\t1\t2\tOPEN\n9\t2\t3\tOPEN\t\t5\n4\t3\t1\tOPEN\n11\t3\t4\tSHUT\n"
    graph, _ = read(tmp_path, text, "net.inp")
    assert size(graph) == (4, 4)
    with pytest.raises(NetworkFormatError, match="line 2: 4 columns"):
        read(tmp_path, "Paris London 3\nNew York Boston 5\nRome Oslo 2\n", "net.txt")


@pytest.mark.parametrize("name", ["net.net", "net.paj", "net.mtx", "net.graphx", "net"])
def test_edge_list_with_any_suffix(tmp_path, name):
    graph, report = read(tmp_path, "% comment\n" + rows(KARATE.edges, " "), name)
    assert size(graph) == (34, 78)
    assert report.format == "edgelist"
    assert "format: edgelist; reason: lines with 2 cells each" in "\n".join(report.lines())


def test_formats_are_found_with_a_wrong_suffix(tmp_path):
    for write in (nx.write_graphml, nx.write_gml, nx.write_gexf, nx.write_pajek):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            write(nx.relabel_nodes(nx.Graph(KARATE.edges), str), tmp_path / "net.csv")
        graph, report = read_network(tmp_path / "net.csv")
        assert size(graph) == (34, 78)
        assert report.format == write.__name__.removeprefix("write_").removesuffix("_lxml")
        assert report.reason == "its first line"


def test_matrix_market_without_sizes_or_with_a_damaged_banner(tmp_path):
    entries = "2 1\n3 1\n3 2\n4 3\n"
    banner = "%%MatrixMarket matrix coordinate pattern symmetric\n"
    for text in (banner + entries, banner + "%4 4 4\n" + entries):
        graph, report = read(tmp_path, text, "net.mtx")
        assert size(graph) == (4, 4)
        assert "without its line of sizes" in report.warnings[0]
    weighted = "%%MatrixMarket matrix coordinate integer symmetric\n2 1 5\n3 1 5\n3 2 1\n4 3 1\n"
    assert size(read(tmp_path, weighted, "net.mtx")[0]) == (4, 4)
    graph, report = read(tmp_path, f"{banner[1:]}4 4 4\n{entries}", "net.mtx")
    assert size(graph) == (4, 4)
    assert "the first line is the size of the network: 4 4 4" in report.findings
    with pytest.raises(NetworkFormatError, match="after 3 entries; expected 4"):
        read(tmp_path, f"{banner}4 4 4\n2 1\n3 1\n3 2\n", "net.mtx")


# Matrices


def matrix_text(matrix, rows=None, columns=None, corner="", mark=","):
    lines = [[*([corner] if rows else []), *columns]] if columns else []
    for i, row in enumerate(matrix):
        lines.append([*([rows[i]] if rows else []), *(f"{value:g}" for value in row)])
    return "".join(mark.join(line) + "\n" for line in lines)


ADJACENCY = nx.to_numpy_array(KARATE, weight=None)
NAMES = [f"n{i}" for i in range(34)]


@pytest.mark.parametrize("weight", [1, 2.5])
@pytest.mark.parametrize("mark", [",", "\t", " ", ";"])
@pytest.mark.parametrize(
    ("rows", "columns"), [(None, None), (NAMES, NAMES), (None, NAMES), (NAMES, None)]
)
def test_adjacency_matrix_in_text(tmp_path, weight, mark, rows, columns):
    text = matrix_text(ADJACENCY * weight, rows, columns, "x" if mark == " " else "", mark)
    graph, report = read(tmp_path, text)
    assert report.format == "adjacency"
    assert graph == Graph.of(ADJACENCY)
    assert graph.labels == (None if rows is columns is None else tuple(NAMES))
    assert report.weights_ignored == (weight != 1)
    assert not report.direction_ignored
    assert not report.warnings


def test_adjacency_frames_of_pandas_and_r(tmp_path):
    for frame in (pd.DataFrame(ADJACENCY), pd.DataFrame(ADJACENCY, NAMES, NAMES)):
        for options in ({}, {"index": False}, {"sep": "\t"}):
            graph, report = read(tmp_path, frame.to_csv(**options))
            assert report.format == "adjacency"
            assert graph == Graph.of(ADJACENCY)
    lines = matrix_text(ADJACENCY, NAMES, NAMES, mark=" ").split("\n")
    graph, report = read(tmp_path, "\n".join([" ".join(NAMES), *lines[1:]]), "net.txt")
    assert graph == Graph.of(ADJACENCY)
    assert graph.labels == tuple(NAMES)


def test_square_matrix_that_is_not_symmetric_gets_a_warning(tmp_path):
    text = matrix_text(np.triu(ADJACENCY), mark="\t")
    graph, report = read(tmp_path, text, "net.txt")
    assert size(graph) == (34, 78)
    assert report.direction_ignored
    assert "pass --format incidence" in report.warnings[0]
    graph, report = read(tmp_path, text, "net.txt", format="incidence")
    assert size(graph) == (68, 78)
    assert report.bipartite == (34, 34)
    rng = np.random.default_rng(1)
    complete = matrix_text(np.corrcoef(rng.normal(size=(6, 9))))
    graph, report = read(tmp_path, complete)
    assert size(graph) == (6, 15)
    assert "every entry is an edge" in report.warnings[0]


@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("weights", [False, True])
def test_rows_and_columns_of_an_incidence_matrix_are_different_nodes(tmp_path, labels, weights):
    rng = np.random.default_rng(2)
    matrix = (rng.random((25, 16)) < 0.3) * (rng.integers(1, 90, (25, 16)) if weights else 1)
    plants, insects = [f"plant {i}" for i in range(25)], [f"insect {j}" for j in range(16)]
    text = matrix_text(matrix, plants if labels else None, insects if labels else None)
    graph, report = read(tmp_path, text)
    assert report.format == "incidence"
    assert size(graph) == (41, np.count_nonzero(matrix))
    found = {frozenset(graph.labels[end] for end in edge) for edge in graph.edges().tolist()}
    if labels:
        assert found == {frozenset((plants[i], insects[j])) for i, j in np.argwhere(matrix)}
    line = "bipartite networks are not supported; all 25 + 16 nodes are treated alike"
    assert line in report.lines()


def test_small_tables_of_zeros_and_ones_are_ambiguous(tmp_path):
    for text in ("0 1 1\n1 0 1\n1 1 0\n", "0 1 0 0\n0 0 0 1\n0 1 0 1\n"):
        with pytest.raises(
            NetworkFormatError, match="may be a matrix or an edge list; pass --format"
        ):
            read(tmp_path, text)
    triangle, _ = read(tmp_path, "0 1 1\n1 0 1\n1 1 0\n", format="adjacency")
    assert size(triangle) == (3, 3)
    # Three weighted edges are no matrix.
    assert size(read(tmp_path, "1 2 5\n2 3 7\n1 3 2\n")[0]) == (3, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n", "no matrix; expected lines with the same number of numbers"),
        ("0,1,1\n1,0\n1,1,0\n", "no matrix"),
        ("0,1,0,1\n1,0,1,0\n0,1,0,1\n", "3 × 4 numbers; an adjacency matrix is square"),
        (",a,b,c\na,0,1,1\nb,1,0,1\nx,1,1,0\n", "labels of rows and columns differ"),
    ],
)
def test_invalid_adjacency_matrix_raises_an_error(tmp_path, text, message):
    with pytest.raises(NetworkFormatError, match=message):
        read(tmp_path, text, format="adjacency")


# Tables that are no networks


def iris():
    rng = np.random.default_rng(0)
    values = rng.normal(5, 1, (50, 4)).round(1).tolist()
    return [[*map(str, row), "setosa"] for row in values]


TABLES = {
    "iris": [["sepal_length", "sepal_width", "petal_length", "petal_width", "species"], *iris()],
    "iris without header": iris(),
    "iris of R": [
        ["", "a", "b", "c", "d", "e"],
        *([str(i), *row] for i, row in enumerate(iris(), 1)),
    ],
    "cars": [["car", "mpg", "cyl"], *([f"car {i}", f"{i}.5", str(i % 3)] for i in range(30))],
    "people": [["name", "age"], *([f"person {i}", str(20 + i)] for i in range(30))],
    "passengers": [
        ["PassengerId", "Survived", "Pclass", "Name"],
        *([str(i), str(i % 2), str(i % 3 + 1), f"name {i}"] for i in range(30)),
    ],
}


@pytest.mark.parametrize("name", sorted(TABLES))
def test_table_that_is_no_network_is_refused(tmp_path, name):
    buffer = io.StringIO()
    csv.writer(buffer).writerows(TABLES[name])
    with pytest.raises(
        NetworkFormatError, match=r"does not look like a network: .*--format edgelist"
    ):
        read(tmp_path, buffer.getvalue())
    assert read(tmp_path, buffer.getvalue(), format="edgelist")[0].n_edges > 0


def test_sentences_and_web_pages_are_refused(tmp_path):
    with pytest.raises(NetworkFormatError, match="look like sentences"):
        read(tmp_path, "This is a readme file.\nIt describes nothing at all.\n", "notes.txt")
    with pytest.raises(NetworkFormatError, match="a web page or XML of another kind"):
        read(tmp_path, "<!DOCTYPE html><html><body>404</body></html>")


def test_network_without_edges_is_an_error(tmp_path):
    for content, name in (
        ("a a\nb b\n", "n.txt"),
        ("*Vertices 9\n*Edges\n", "n.net"),
        ("{}", "n.json"),
    ):
        with pytest.raises(NetworkFormatError, match="no edges, read as"):
            read(tmp_path, content, name)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89HDF\r\n\x1a\n", "in the format HDF5"),
        (b"\x80\x04\x95pickle", "in the format pickle"),
        (b"MATLAB 5.0 MAT-file", "in the format MATLAB"),
    ],
)
def test_other_formats_are_refused_by_name(tmp_path, content, message):
    with pytest.raises(NetworkFormatError, match=message):
        read(tmp_path, content)


# Formats that other libraries write


def simple(graph):
    """A graph with 0…n−1 in the order of their numbers, if labels are numbers."""
    names = list(map(int, graph.labels)) if graph.labels else range(graph.n_nodes)
    return sorted(tuple(sorted((names[u], names[v]))) for u, v in graph.edges().tolist())


EDGES = sorted(map(tuple, map(sorted, KARATE.edges)))
ORDERED = nx.empty_graph(34)
ORDERED.add_edges_from(EDGES)
IGRAPH = igraph.Graph(34, EDGES)
IGRAPH.vs["name"] = [str(i) for i in range(34)]
NETWORKIT = networkit.Graph(35)  # node 34 is isolated
for _edge in EDGES:
    NETWORKIT.addEdge(*_edge)


@pytest.mark.parametrize("name", ["net.adjlist", "net.txt"])
def test_adjacency_list_of_networkx(tmp_path, name):
    nx.write_adjlist(KARATE, tmp_path / name)
    graph, report = read_network(tmp_path / name)
    assert report.format == "adjlist"
    assert simple(graph) == EDGES


def test_json_of_networkx(tmp_path):
    plain = ORDERED
    for thing in (
        nx.node_link_data(plain, edges="links"), nx.node_link_data(plain, edges="edges"),
        nx.adjacency_data(plain), nx.cytoscape_data(plain), nx.to_dict_of_lists(plain), EDGES,
    ):  # fmt: skip
        graph, report = read(tmp_path, json.dumps(thing), "net.json")
        assert report.format == "json"
        assert simple(graph) == EDGES


@pytest.mark.parametrize("format", ["edgelist", "ncol", "graphml", "gml", "pajek"])
def test_files_of_igraph(tmp_path, format):
    path = tmp_path / f"net.{format}"
    IGRAPH.write(str(path), format, **({"weights": None} if format == "ncol" else {}))
    found, report = read_network(path)
    assert report.format == ("edgelist" if format == "ncol" else format)
    assert size(found) == (34, 78)
    if format not in ("graphml", "gml"):
        assert simple(found) == EDGES


@pytest.mark.parametrize(
    ("writer", "name", "format"),
    [
        ("EdgeListTabZero", "net.txt", "edgelist"), ("EdgeListSpaceOne", "net.txt", "edgelist"),
        ("GML", "net.gml", "gml"),
    ],
)  # fmt: skip
def test_files_of_networkit(tmp_path, writer, name, format):
    networkit.writeGraph(NETWORKIT, str(tmp_path / name), getattr(networkit.Format, writer))
    found, report = read_network(tmp_path / name)
    assert report.format == format
    offset = 1 if writer == "EdgeListSpaceOne" else 0
    assert simple(found) == [(u + offset, v + offset) for u, v in EDGES]
    assert found.n_nodes == (35 if format == "gml" else 34)


# Formats that are not read


def refusal(path, **options):
    with pytest.raises(NetworkFormatError) as caught:
        read_network(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("format", ["lgl", "dimacs", "dot"])
def test_other_formats_of_igraph_are_refused(tmp_path, format):
    path = tmp_path / f"net.{format}"
    options = {
        "lgl": {"weights": None},
        "dimacs": {"source": 0, "target": 33, "capacity": [1] * len(EDGES)},
    }
    IGRAPH.write(str(path), format, **options.get(format, {}))
    message = refusal(path)
    assert f"looks like {format.upper()}, which is not read; convert it" in message
    assert 'networkx.write_graphml(networkx.nx_pydot.read_dot("net.dot")' in message


@pytest.mark.parametrize("name", ["net.graph", "net.txt"])
@pytest.mark.parametrize("writer", ["METIS", "GraphViz", "GraphToolBinary"])
def test_other_formats_of_networkit_are_refused(tmp_path, writer, name):
    networkit.writeGraph(NETWORKIT, str(tmp_path / name), getattr(networkit.Format, writer))
    looks = {
        "METIS": "looks like METIS", "GraphViz": "looks like DOT",
        "GraphToolBinary": "in the format graph-tool",
    }  # fmt: skip
    assert looks[writer] in refusal(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TNTP", "<NUMBER OF NODES> 2\n<END OF METADATA>\n\n~ \tInit\tTerm\t;\n\t1\t2\t900\t;\n"),
        ("EPANET", "[TITLE]\nexample\n[JUNCTIONS]\n J1 5\n J2 6\n[PIPES]\n P1 J1 J2 100\n[END]\n"),
        ("TGF", "1 ann\n2 bob\n3 cat\n4 dan\n#\n1 2\n2 3 friends\n"),
    ],
)
def test_texts_that_would_be_read_as_wrong_edges_are_refused(tmp_path, name, text):
    (tmp_path / "net.txt").write_text(text)
    assert f"looks like {name}, which is not read" in refusal(tmp_path / "net.txt")


def test_edge_list_that_looks_like_metis_can_be_forced(tmp_path):
    (tmp_path / "net.txt").write_text("3 3\n2 3\n1 3\n1 2\n")
    assert "--format edgelist" in refusal(tmp_path / "net.txt")
    assert read_network(tmp_path / "net.txt", "edgelist")[0].n_edges == 3


def test_unknown_format_says_how_to_convert(tmp_path):
    with pytest.raises(UsageError, match=r"'graph6'.* Known: .*networkx\.write_graphml"):
        read(tmp_path, "Bw\n", "net.g6", format="graph6")
    nx.write_graph6(ORDERED, tmp_path / "net.g6")
    assert "in the format graph6" in refusal(tmp_path / "net.g6")


def test_arrays_and_tables_in_binary_files(tmp_path):
    for array in (ADJACENCY, np.array(EDGES), np.array([(*edge, 2.5) for edge in EDGES])):
        np.save(tmp_path / "net.npy", array)
        graph, report = read_network(tmp_path / "net.npy")
        assert simple(graph) == EDGES
        assert report.format == "npy"
    frame = pd.DataFrame(EDGES, columns=["u", "v"]).assign(w=1)
    frame.to_parquet(tmp_path / "net.parquet")
    graph, report = read_network(tmp_path / "net.parquet")
    assert simple(graph) == EDGES
    assert tuple(report.ignored) == ("w",)
    pd.DataFrame(ADJACENCY, NAMES, NAMES).to_parquet(tmp_path / "net.parquet")
    assert read_network(tmp_path / "net.parquet")[0] == Graph.of(ADJACENCY)
    huge = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (900000, 900000), }"
    with pytest.raises(NetworkFormatError, match=r"shape \(900000, 900000\) in"):
        read(tmp_path, huge.ljust(127) + b"\n" + bytes(80), "net.npy")


def test_bipartite_network_of_konect(tmp_path):
    graph, report = read(tmp_path, "% bip unweighted\n1 1\n1 2\n2 1\n3 2\n", "out.net")
    assert size(graph) == (5, 4)
    assert report.bipartite == (3, 2)


# Foreign bytes


texts = st.lists(
    st.sampled_from([
        "0", "1", "2", "34", "a", "b", "source", "1.5", "nan", "", " ", "\t", ",", ";", "\n", "\n", '"',
        "#", "%", "% bip", "p edge 3 2", "e 1 2", "[PIPES]", "[JUNCTIONS]", "<END OF METADATA>", "~",
        "graph {", "}", "--", "->", "{", "[", "]", ":", "x=", '{"nodes": [', '"links"', "# a", "*Matrix",
        "%%MatrixMarket matrix coordinate pattern general", "9999999999",
    ]),
    max_size=40,
).map("".join)  # fmt: skip


@settings_for_files
@given(content=texts, format=st.none() | st.sampled_from(FORMATS))
def test_pieces_of_formats_raise_no_other_error(tmp_path, content, format):
    try:
        graph, report = read(tmp_path, content, "garbage", format=format)
    except NetworkFormatError as error:
        assert "garbage" in str(error)
        assert "\n" not in str(error)
    else:
        assert graph.n_nodes == report.n_nodes


@settings_for_files
@given(content=st.binary(max_size=300), magic=st.sampled_from(
    [b"", b"\x93NUMPY\x01\x00", b"PAR1", b"PK\x03\x04", "⛾ gt\x01\x00".encode()]
))  # fmt: skip
def test_foreign_bytes_raise_no_other_error(tmp_path, content, magic):
    try:
        read(tmp_path, magic + content, "garbage")
    except NetworkFormatError as error:
        assert "garbage" in str(error)
