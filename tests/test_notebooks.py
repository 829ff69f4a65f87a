"""What a notebook shows: figures, tables, progress, and short texts."""

import re
import sys
import types
from importlib import import_module

import numpy as np
import pytest
from quick_answers import choose
from report_folders import made_answer, made_evaluation, rejected

import netchoice
from netchoice import progress
from netchoice.errors import UsageError
from netchoice.models.priors import as_prior

FEATURES = ["degree_mean", "transitivity", "noise_normal"]


@pytest.fixture(scope="module")
def network():
    return netchoice.get_model("ba2").grow(20, {}, np.random.default_rng(1))


@pytest.fixture(scope="module")
def shown(network):
    """Return an object of each kind that a notebook shows as a table, and a text in it."""
    table = netchoice.simulate_table(
        "ba", n_nodes=30, n_samples=80, seed=1, engine="serial", features=FEATURES
    )
    return {
        "network": (network, "largest component"),
        "space": (netchoice.get_space("duplication"), "uniform(0.25, 0.75)"),
        "table": (table, "transitivity"),
        "answer": (made_answer(), "Verdict: 2 of 2 models fit"),
        "evaluation": (made_evaluation(), "Recommended"),
        "ranking": (netchoice.rank_features(table), "degree_mean"),
    }


KINDS = ["network", "space", "table", "answer", "evaluation", "ranking"]


@pytest.mark.parametrize("kind", KINDS)
def test_results_show_a_table(shown, kind):
    thing, text = shown[kind]
    html = thing._repr_html_()
    assert text in html
    assert html.count("<table>") == html.count("</table>") == 1
    assert len(html) < 10_000


@pytest.mark.parametrize("kind", KINDS)
def test_texts_of_results_are_one_line(shown, kind):
    text = repr(shown[kind][0])
    assert len(text) < 250
    assert "\n" not in text
    assert text.startswith("<")


def test_model_shows_its_priors():
    assert repr(netchoice.get_model("dmr")) == (
        "<Model dmr: p_delete uniform(0.25, 0.75), p_new uniform(0.25, 0.75)>"
    )
    assert repr(netchoice.get_model("ba1")) == "<Model ba1: m 1>"
    assert "lambda" not in repr(as_prior("uniform(0, 1)"))


def test_nearest_model_is_not_shown_as_the_answer():
    assert repr(made_answer()).startswith("<Answer: 2 of 2 models fit; ")
    none_fits = rejected(made_answer())
    for text in (repr(none_fits), none_fits._repr_html_().partition("<table>")[0]):
        assert "none of the 2 models fits" in text
        assert "dmr" not in text


def test_names_of_users_are_escaped():
    model = netchoice.Model("<script>", lambda n_nodes, rng: None)
    html = netchoice.ModelSpace("<b>", [model])._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_figures_are_shown():
    """One panel, several panels, and a part of them are a picture in a notebook."""
    answer = made_answer()
    features = answer.plot("features")
    for drawn in (answer.plot(), features, features[0], made_evaluation().plot()):
        data, options = drawn._repr_png_()
        assert data.startswith(b"\x89PNG")
        assert 300 < options["width"] < 1000


def test_unknown_figure_is_refused():
    with pytest.raises(UsageError, match="did you mean 'probabilities'"):
        made_answer().plot("probabilites")
    with pytest.raises(UsageError, match="unknown figure 'nothing'"):
        made_evaluation().plot("nothing")


class Shell:
    """The class of a notebook's shell has any name but that of IPython's terminal."""


class TerminalInteractiveShell:
    """The shell of IPython in a terminal."""


class Display:
    """A stand-in for IPython.display that keeps what it showed."""

    def __init__(self, shell):
        self.texts = []
        self.module = types.ModuleType("IPython")
        self.module.get_ipython = lambda: shell
        self.display = types.ModuleType("IPython.display")
        self.display.display = self.show

    def show(self, thing, raw, display_id):
        assert display_id is True
        self.update(thing, raw)
        return self

    def update(self, thing, raw):
        assert raw
        assert "<progress" in thing["text/html"]
        self.texts.append(thing["text/plain"])


def run_in(monkeypatch, shell):
    display = Display(shell)
    monkeypatch.setitem(sys.modules, "IPython", display.module)
    monkeypatch.setitem(sys.modules, "IPython.display", display.display)
    return display


SIMULATION = {
    "n_nodes": 20,
    "n_samples": 10,
    "seed": 1,
    "engine": "serial",
    "features": FEATURES[:1],
}


def test_progress_is_shown_in_a_notebook(monkeypatch):
    display = run_in(monkeypatch, Shell())
    netchoice.simulate_table("ba", **SIMULATION)
    assert display.texts[-1].startswith("simulating: 10/10 rows")
    n_shown = len(display.texts)
    netchoice.simulate_table("ba", **SIMULATION, on_progress=False)
    calls = []
    netchoice.simulate_table("ba", **SIMULATION, on_progress=lambda *call: calls.append(call))
    assert len(display.texts) == n_shown
    assert calls[-1] == (10, 10, 0)


def test_each_stage_has_a_bar_in_a_notebook(monkeypatch, network):
    display = run_in(monkeypatch, Shell())
    choose(network, "ba1,ba2", features=FEATURES[:1], on_progress=None)
    stages = {re.match(r"simulating \((.*)\): ", text)[1] for text in display.texts}
    assert {"screened", "calibration"} <= stages


@pytest.mark.parametrize("shell", [None, TerminalInteractiveShell()], ids=["script", "terminal"])
def test_progress_is_silent_in_logs(monkeypatch, capsys, shell):
    display = run_in(monkeypatch, shell)
    netchoice.simulate_table("ba", **SIMULATION)
    assert not display.texts
    assert capsys.readouterr() == ("", "")
    netchoice.simulate_table("ba", **SIMULATION, on_progress=True)
    assert "simulating: 10/10 rows" in capsys.readouterr().err


def test_lines_show_no_speed_before_it_is_known(monkeypatch, capsys):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0)
    with progress.progress("simulating") as report:
        report(1, 100)
        assert capsys.readouterr().err == "simulating: 1/100 rows\n"
        report(11, 100)
        assert re.fullmatch(
            r"simulating: 11/100 rows, \d+\.\d rows/s, .* left\n", capsys.readouterr().err
        )


def test_progress_ends_with_an_error(monkeypatch):
    """The terminal's cursor comes back if the work fails."""
    ended = []

    @progress.contextmanager
    def bar(what, unit="rows"):
        try:
            yield lambda *call: None
        finally:
            ended.append(what)

    monkeypatch.setattr(progress, "progress", bar)

    @progress.shows_progress("{}")
    def fail(on_progress=None):
        on_progress("stage", 1, 2, 0)
        raise ValueError

    with pytest.raises(ValueError):
        fail(on_progress=True)
    assert ended == ["stage"]


def test_lazy_names_complete():
    """Completion lists the names that are imported on first use, and no imported helpers."""
    names = dir(netchoice)
    assert {"choose_model", "Answer", "References"} <= set(names)
    assert not {"Any", "TYPE_CHECKING"} & set(names)
    for name in ("selection", "figures", "choice", "inference"):
        module = import_module(f"netchoice.{name}")
        assert dir(module) == sorted(module.__all__)


def test_speed_of_a_second_table_of_a_stage_does_not_count_the_first(monkeypatch):
    """10 rows/s, then 1000 seconds without a report, then 10 rows/s again."""
    times = iter([0.0, 1.0, 2.0, 1002.0, 1003.0])
    monkeypatch.setattr("netchoice.progress.time.monotonic", lambda: next(times))
    counts = progress._Counts("simulating", "rows")
    lines = [counts.text(done, 20, 0) for done in (10, 20, 0, 10)]
    assert lines[1] == "simulating: 20/20 rows, 5.0 rows/s"
    assert lines[3] == "simulating: 10/20 rows, 10.0 rows/s, 1 s left"
