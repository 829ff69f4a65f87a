"""The yeast networks of the reproduction: from a folder, from a server, and the errors if neither works."""

import functools
import http.server
import threading

import pytest

import netchoice
from netchoice.errors import UsageError
from reproduction import yeast
from reproduction.yeast import DatasetError, edge_checksum, load

SIZES = {"uetz2000": (789, 644), "ito2001": (790, 761), "yu2008": (1233, 1641)}
SMALL_NETWORK = "P1\tP2\nP2\tP3\nP3\tP3\nP1\tP2\n"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    """Remove the environment variable, and keep downloads in an empty folder."""
    monkeypatch.delenv(yeast.FOLDER, raising=False)
    monkeypatch.setattr(yeast, "DOWNLOADS", tmp_path / "downloads")


@pytest.fixture
def small_network(monkeypatch):
    """Replace Ito's network by a small one."""
    checksum = edge_checksum(netchoice.Graph.from_edges([("P1", "P2"), ("P3", "P2")]))
    replaced = yeast.NETWORKS["ito2001"]._replace(checksum=checksum)
    monkeypatch.setitem(yeast.NETWORKS, "ito2001", replaced)
    return SMALL_NETWORK


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Serve a folder; yield the folder and the list of requests."""
    folder = tmp_path / "web"
    folder.mkdir()
    requests = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            requests.append(self.path)

    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        monkeypatch.setattr(yeast, "SERVER", f"http://127.0.0.1:{running.server_address[1]}")
        yield folder, requests
        running.shutdown()
        thread.join()


class TestFolder:
    @pytest.mark.parametrize("file", ["ito2001.txt", "Ito_core.txt"])
    def test_network_is_read_from_the_folder(self, small_network, monkeypatch, tmp_path, file):
        (tmp_path / file).write_text(small_network)
        monkeypatch.setenv(yeast.FOLDER, str(tmp_path))
        graph = load("ito2001")
        assert (graph.n_nodes, graph.n_edges) == (3, 2)

    def test_order_and_columns_do_not_matter(self, small_network, monkeypatch, tmp_path):
        (tmp_path / "ito2001.txt").write_text("P3\tP2\t0.7\nP2\tP1\t0.1\n")
        monkeypatch.setenv(yeast.FOLDER, str(tmp_path))
        assert load("ito2001").n_edges == 2

    @pytest.mark.parametrize(
        "content", ["P1\tP2\nP2\tP4\n", "P1\tP2\n", "P1\tP2\nP2\tP3\nP1\tP3\n"]
    )
    def test_other_edges_raise_an_error(self, small_network, monkeypatch, tmp_path, content):
        (tmp_path / "ito2001.txt").write_text(content)
        monkeypatch.setenv(yeast.FOLDER, str(tmp_path))
        with pytest.raises(
            DatasetError, match=r"is not ito2001 .*checksum of its . edges differs.*unset"
        ):
            load("ito2001")
        assert (tmp_path / "ito2001.txt").exists()  # a user's file is never removed

    def test_missing_or_unreadable_file_raises_an_error(self, small_network, monkeypatch, tmp_path):
        monkeypatch.setenv(yeast.FOLDER, str(tmp_path))
        with pytest.raises(DatasetError, match=r"neither ito2001\.txt nor Ito_core\.txt"):
            load("ito2001")
        (tmp_path / "ito2001.txt").write_text("")
        with pytest.raises(DatasetError, match=r"the file is empty.*put the published file there"):
            load("ito2001")


class TestDownload:
    def test_network_is_downloaded_once(self, small_network, server, capsys):
        folder, requests = server
        (folder / "Ito_core.txt").write_text(small_network)
        first = load("ito2001")
        assert load("ito2001") == first
        assert requests == ["/Ito_core.txt"]
        assert first.n_edges == 2
        assert not any(capsys.readouterr())

    def test_wrong_content_is_removed(self, small_network, server):
        folder, requests = server
        (folder / "Ito_core.txt").write_text("<html>we have moved</html>\n")
        with pytest.raises(
            DatasetError,
            match=r"ito2001.*the download was removed; put it as ito2001\.txt \(or Ito_core\.txt\) into",
        ):
            load("ito2001")
        (folder / "Ito_core.txt").write_text(small_network)
        assert load("ito2001").n_edges == 2
        assert len(requests) == 2

    def test_missing_file_on_the_server_raises_an_error(self, server):
        with pytest.raises(DatasetError, match=r"404.*set NETCHOICE_DATA to that folder"):
            load("yu2008")

    def test_no_connection_raises_an_error(self, monkeypatch):
        monkeypatch.setattr(yeast, "SERVER", "http://127.0.0.1:9")
        with pytest.raises(DatasetError, match=r"cannot download yu2008.*without internet, put"):
            load("yu2008")


def test_unknown_name_suggests_a_known_one():
    with pytest.raises(UsageError, match="did you mean 'yu2008'"):
        load("yu2009")


@pytest.mark.parametrize("name", SIZES)
def test_published_files_have_the_expected_sizes(name, yeast_folder, monkeypatch):
    monkeypatch.setenv(yeast.FOLDER, str(yeast_folder))
    graph = load(name)
    assert (graph.n_nodes, graph.n_edges) == SIZES[name]
