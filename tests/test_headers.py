"""The first line of an edge list, comments among its lines, and marks inside names: nothing is lost."""

import pytest
from header_files import UNUSUAL, USUAL, outcomes

from netchoice import read_network
from netchoice.errors import NetworkFormatError
from netchoice.io import find_networks


def read(tmp_path, text, name="net.txt", **options):
    path = tmp_path / name
    path.write_text(text)
    return read_network(path, **options)


@pytest.mark.parametrize(
    ("text", "n_edges"),
    [
        ("node1 node2\nnode1 node3\nnode2 node3\n", 3),
        ("protein1,protein2\nprotein1,protein3\nprotein2,protein3\n", 3),
        ("id1 id2\nid1 id3\nid2 id3\n", 3),
        ("gene 2\tgene 1\ngene 1\tgene 3\ngene 4\tgene 3\n", 3),
        ("gene 2\tgene 1\ngene 5\tgene 3\ngene 4\tgene 3\n", 3),
        ("node1 node2\nnode3 node4\n", 2),
        ("n1,n2\nn3,n4\nn5,n6\n", 3),
        ("from to\nto be\nbe or\n", 3),
        ("u v\nv w\nw x\n", 3),
        ("root,1\n2,3\n3,4\n", 3),  # a number where the column has numbers
        ("a,b,3\n1,2,4\n2,5,5\n", 3),
        ("source target\ntarget a\n", 2),
    ],
)
def test_first_edge_is_no_header(tmp_path, text, n_edges):
    graph, report = read(tmp_path, text)
    assert graph.n_edges == n_edges
    assert "header: no" in report.findings


@pytest.mark.parametrize(
    "header",
    [
        "n1,n2", "u,v", "i,j", "person1,person2", "ENTREZ_A,ENTREZ_B", "source_gene,target_gene",
        "Official Symbol Interactor A,Official Symbol Interactor B", "node_from,node_to",
        "User ID 1,User ID 2", "Consumer,Resource", "From,To",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "rows", ["ann,bob\nbob,cat\n", "1,2\n2,3\n", "TP53,MDM2\nMDM2,MDM4\n", "a b,c d\nc d,e f\n"]
)
def test_usual_names_of_columns_are_no_edge(tmp_path, header, rows):
    graph, report = read(tmp_path, f"{header}\n{rows}", "net.csv")
    assert graph.n_edges == 2
    assert f"header: yes ({header.replace(',', ', ')})" in report.findings


def test_doubt_about_the_first_line_is_reported(tmp_path):
    """The content cannot decide about a few lines, and the report says how to."""
    for text, option in [
        ("giver,taker\nann,bob\nbob,cat\n", "--header"),
        ("giver,taker\nann,bob\n", "--header"),
        ("BRCA1,BRCA2\nTP53,MDM2\nMDM2,MDM4\n", "--header"),
        ("n1,n2\nann,bob\n", "--no-header"),
    ]:
        graph, report = read(tmp_path, text, "net.csv")
        assert any(warning.endswith(option) for warning in report.warnings), text
        other, _ = read(tmp_path, text, "net.csv", header=option == "--header")
        assert other.n_edges != graph.n_edges
    assert not read(tmp_path, "ann,bob\nbob,cat\n")[1].warnings


def test_columns_that_the_user_names_are_in_a_header(tmp_path):
    text = "when,who,whom\nmay,ann,bob\njune,bob,cat\n"
    assert read(tmp_path, text, columns=("who", "whom"))[0].labels == ("ann", "bob", "cat")


def test_no_first_edge_is_lost():
    """Of edge lists of all kinds without a header, none loses its first edge without a warning."""
    found = outcomes(None, 600)
    assert not {*found} & {"wrong", "doubtful", "wrong, undecided"}
    assert found["refused"] <= 0.03 * found.total()


def test_usual_headers_are_found():
    """Names of columns that are names of nodes too look exactly like an edge."""
    found = outcomes(USUAL, 600)
    assert found["wrong"] <= 0.005 * found.total()
    assert found["doubtful"] <= 0.03 * found.total()


def test_unusual_headers_are_found_by_their_values_or_reported():
    found = outcomes(UNUSUAL, 600)
    assert found["right"] >= 0.5 * found.total()
    assert found["wrong"] <= 0.02 * found.total()


# Matrices


@pytest.mark.parametrize(
    ("rows", "n_edges"),
    [("0e5,1e2,0\n1e2,2e1,3\n2e1,0e5,4\n", 3), ("0,1,1\n0,2,1\n1,2,1\n", 3), ("0,1,1\n1,0,1\n", 1)],
)
def test_edges_with_weights_are_no_small_matrix(tmp_path, rows, n_edges):
    graph, report = read(tmp_path, f"source,target,weight\n{rows}", "net.csv")
    assert (graph.n_edges, report.format) == (n_edges, "edgelist")
    with pytest.raises(NetworkFormatError, match="may be a matrix or an edge list; pass --format"):
        read(tmp_path, f"giver,taker,weight\n{rows}", "net.csv")


def test_matrix_with_numbered_labels_is_a_matrix(tmp_path):
    for text in (
        ",n1,n2\nn1,0,1\nn2,1,0\n",
        "n1,n2,n3\n0,1,1\n1,0,0\n1,0,0\n",
        "u,v,w\n0,1,1\n1,0,0\n1,0,0\n",
    ):
        assert read(tmp_path, text, "net.csv")[1].format == "adjacency"


# Separators


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("a;1 b;2\nb;2 c;3\n", ("a;1", "b;2", "c;3")),
        ("a;1 b;2\nc;3 d;4\n", ("a;1", "b;2", "c;3", "d;4")),
        ("a;1 b 3\nb c 2\nc a;1 5\n", ("a;1", "b", "c")),
        ("1,2 2,3\n2,3 3,4\n", ("1,2", "2,3", "3,4")),
        ("1 2 0,5\n2 3 0,7\n", ("1", "2", "3")),
        ("a; b\nb; c\n", ("a", "b", "c")),
        ("Ann Lee;Bob Ray\nBob Ray;Cat Fox\n", ("Ann Lee", "Bob Ray", "Cat Fox")),
        ("Lee A, Ray B\nRay B, Fox C\n", ("Lee A", "Ray B", "Fox C")),
        ("ann,New York\nbob,New York\n", ("ann", "New York", "bob")),
    ],
)
def test_mark_inside_names_does_not_separate(tmp_path, text, labels):
    assert read(tmp_path, text)[0].labels == labels


# Comments


@pytest.mark.parametrize("mark", ["#", "%"])
def test_names_that_begin_like_comments(tmp_path, mark):
    text = f"{mark} a comment\n{mark}1,{mark}2\nx,{mark}1\n{mark}3,x\n{mark} 4,x\n"
    assert read(tmp_path, text)[0].labels == (f"{mark}1", f"{mark}2", "x", f"{mark}3")
    assert read(tmp_path, f"{mark}1 {mark}2\n{mark}2 {mark}3\n")[0].n_edges == 2


def test_edges_that_are_commented_out_stay_comments(tmp_path):
    for text in ("ann,bob\n#bob,cat\nbob,dan\n", "source,target\nann,bob\n#bob,cat\nbob,dan\n"):
        graph, report = read(tmp_path, text)
        assert graph.labels == ("ann", "bob", "dan")
        assert "may be an edge and is read as a comment: '#bob,cat'" in report.warnings[0]
    graph, report = read(tmp_path, "#source,target\n# ann,eve\nann,bob\nbob,cat\n#-----\n#end\n")
    assert (graph.n_edges, report.warnings) == (2, ())


def networks(tmp_path, text):
    (tmp_path / "many.csv").write_text(text)
    found = find_networks([tmp_path / "many.csv"])
    return {source.id: [*map(str, source.read()[0].labels)] for source in found}


def test_networks_and_nodes_of_many_networks_may_begin_like_comments(tmp_path):
    text = "graph,source,target\n#1,a,b\n#1,b,c\n%2,a,b\n# 3,a,b\nx,#1,#2\n"
    assert networks(tmp_path, text) == {"#1": ["a", "b", "c"], "%2": ["a", "b"], "x": ["#1", "#2"]}
    text = "source,target,graph\n#1,#2,x\n%5,%6,x\n#2,#3,x\n#1,#2,y\n#3,#1,y\n"
    assert networks(tmp_path, text) == {
        "x": ["#1", "#2", "%5", "%6", "#3"],
        "y": ["#1", "#2", "#3"],
    }


def test_damaged_rows_that_begin_like_comments_cost_their_network(tmp_path):
    for text, name in (
        ("graph,source,target\n#1,a,b\n#1,b,\0c\nx,a,b\n", "#1"),
        ("source,target,graph\n#1,#2,y\n#2,\0,y\n#2,#3,y\na,b,x\n", "y"),
    ):
        (tmp_path / "many.csv").write_text(text)
        found = {source.id: source for source in find_networks([tmp_path / "many.csv"])}
        with pytest.raises(NetworkFormatError, match="line 3: a NUL byte"):
            found[name].read()
        assert found["x"].read()[0].n_edges == 1


def test_rows_of_many_networks_that_are_commented_out_stay_comments(tmp_path):
    text = "graph,source,target\ng1,a,b\n#g1,b,c\n#g1,c,d\ng2,a,b\n"
    assert networks(tmp_path, text) == {"g1": ["a", "b"], "g2": ["a", "b"]}
    text = "source,target,graph\na,b,g1\n#b,c,g1\nc,d,g1\n"
    assert networks(tmp_path, text) == {"g1": ["a", "b", "c", "d"]}
    (source,) = find_networks([tmp_path / "many.csv"])
    assert "read as a comment" in source.read()[1].warnings[0]
