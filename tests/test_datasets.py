"""Networks by name: from a folder, from a server, and what is said when neither will do."""

import contextlib
import functools
import http.server
import sys
import threading
from pathlib import Path

import pytest

import netchoice
from netchoice import datasets
from netchoice.datasets import DatasetError, edge_checksum, load
from netchoice.errors import UsageError

REAL = Path(__file__).resolve().parents[2] / "shared" / "data"
SIZES = {"uetz2000": (789, 644, 38), "ito2001": (790, 761, 82), "yu2008": (1233, 1641, 168)}
MADE_UP = "P1\tP2\nP2\tP3\nP3\tP3\nP1\tP2\n"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch, tmp_path):
    """No folder, no other home, and an empty cache."""
    monkeypatch.delenv(datasets.FOLDER, raising=False)
    monkeypatch.delenv(datasets.HOME, raising=False)
    with contextlib.suppress(ImportError):
        import pooch

        monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)


@pytest.fixture
def made_up(monkeypatch):
    """A small network in the place of Ito's."""
    checksum = edge_checksum(netchoice.Graph.from_edges([("P1", "P2"), ("P3", "P2")]))
    known = datasets.DATASETS["ito2001"]._replace(checksum=checksum)
    monkeypatch.setitem(datasets.DATASETS, "ito2001", known)
    return MADE_UP


@pytest.fixture
def server(tmp_path):
    """A folder on the web; requests are noted."""
    pytest.importorskip("pooch", reason="pooch is not installed")
    folder = tmp_path / "web"
    folder.mkdir()
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            asked.append(self.path)

    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{running.server_address[1]}", asked
        running.shutdown()
        thread.join()


class TestFolder:
    @pytest.mark.parametrize("file", ["ito2001.txt", "Ito_core.txt"])
    @pytest.mark.parametrize("name", ["ito2001", "yeast:ito2001"])
    def test_read(self, made_up, monkeypatch, tmp_path, name, file):
        (tmp_path / file).write_text(made_up)
        monkeypatch.setenv(datasets.FOLDER, str(tmp_path))
        graph, report = load(name)
        assert (graph.n_nodes, graph.n_edges) == (3, 2)
        assert (report.self_loops, report.repeated_edges) == (1, 1)

    def test_order_and_columns_do_not_matter(self, made_up, monkeypatch, tmp_path):
        (tmp_path / "ito2001.txt").write_text("P3\tP2\t0.7\nP2\tP1\t0.1\n")
        monkeypatch.setenv(datasets.FOLDER, str(tmp_path))
        assert load("ito2001")[0].n_edges == 2

    @pytest.mark.parametrize(
        "content", ["P1\tP2\nP2\tP4\n", "P1\tP2\n", "P1\tP2\nP2\tP3\nP1\tP3\n"]
    )
    def test_other_edges_are_refused(self, made_up, monkeypatch, tmp_path, content):
        (tmp_path / "ito2001.txt").write_text(content)
        monkeypatch.setenv(datasets.FOLDER, str(tmp_path))
        with pytest.raises(DatasetError, match=r"is not ito2001 .*another checksum.*unset"):
            load("ito2001")
        assert (tmp_path / "ito2001.txt").exists()  # a user's file is never touched

    def test_absent_or_unreadable(self, made_up, monkeypatch, tmp_path):
        monkeypatch.setenv(datasets.FOLDER, str(tmp_path))
        with pytest.raises(DatasetError, match=r"neither ito2001\.txt nor Ito_core\.txt"):
            load("ito2001")
        (tmp_path / "ito2001.txt").write_text("")
        with pytest.raises(DatasetError, match=r"the file is empty.*put the right file there"):
            load("ito2001")


class TestFetching:
    def test_fetched_once(self, made_up, server):
        folder, url, asked = server
        (folder / "Ito_core.txt").write_text(made_up)
        first, report = load("ito2001", url=url)
        again, _ = load("yeast:ito2001", url=url)
        assert asked == ["/Ito_core.txt"]
        assert first == again
        assert report.n_edges == 2

    def test_home_from_the_environment(self, made_up, server, monkeypatch, capsys):
        folder, url, asked = server
        (folder / "Ito_core.txt").write_text(made_up)
        monkeypatch.setenv(datasets.HOME, f"{url}/")
        load("ito2001")
        assert asked == ["/Ito_core.txt"]
        assert not any(capsys.readouterr())

    def test_wrong_content_is_not_kept(self, made_up, server):
        folder, url, asked = server
        (folder / "Ito_core.txt").write_text("<html>we have moved</html>\n")
        with pytest.raises(
            DatasetError,
            match=r"ito2001.*it was removed; put it as ito2001\.txt \(or Ito_core\.txt\) into a folder",
        ):
            load("ito2001", url=url)
        (folder / "Ito_core.txt").write_text(made_up)
        assert load("ito2001", url=url)[0].n_edges == 2
        assert len(asked) == 2

    def test_no_such_file(self, server):
        with pytest.raises(DatasetError, match=r"404.*let NETCHOICE_DATA name that folder"):
            load("yu2008", url=server[1])

    def test_no_network(self):
        pytest.importorskip("pooch", reason="pooch is not installed")
        nobody = "http://127.0.0.1:9"
        with pytest.raises(
            DatasetError, match=r"yu2008 could not be fetched.*without a network, put"
        ):
            load("yu2008", url=nobody)

    def test_without_pooch(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pooch", None)
        with pytest.raises(DatasetError, match=r"needs pooch: install netchoice\[data\]; or put"):
            load("uetz2000")


def test_unknown_name():
    with pytest.raises(UsageError, match="did you mean 'yu2008'"):
        load("yeast:yu2009")


@pytest.mark.parametrize("name", SIZES)
def test_the_real_files(name, monkeypatch):
    if not (REAL / f"{name}.txt").exists():
        pytest.skip("the yeast networks are not next to the repository; they are not bundled")
    monkeypatch.setenv(datasets.FOLDER, str(REAL))
    graph, report = load(name)
    assert (graph.n_nodes, graph.n_edges, report.self_loops) == SIZES[name]
