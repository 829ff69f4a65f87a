"""From a network to an answer, at a small scale."""

import json

import naive
import networkx as nx
import numpy as np
import pytest

import netchoice
from netchoice import cli
from netchoice.errors import NetchoiceError, UsageError
from netchoice.workflows import answer as study
from netchoice.workflows import feature_selection as selecting


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(study, "SELECTION_SAMPLES", 600)
    monkeypatch.setattr(study, "SAMPLES", 400)
    monkeypatch.setattr(study, "FIT_SAMPLES", 600)


def a_network(name="ba2", n=40, seed=1):
    model, rng = netchoice.get_model(name), np.random.default_rng(seed)
    return model.grow(n, model.sample(rng), rng)


def choose(graph, space="ba", **options):
    return netchoice.choose_model(graph, space, **{"engine": "serial", "workers": 1, **options})


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("choice") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "SELECTION_SAMPLES", 600)
        patch.setattr(study, "SAMPLES", 400)
        return choose(a_network(), path=folder), folder


def test_the_answer(answered):
    choice, _ = answered
    assert choice.model == "ba2"
    assert sum(choice.probabilities.values()) == pytest.approx(1)
    assert all(0 < p < 1 for p in choice.probabilities.values())
    for name, (low, high) in choice.intervals.items():
        assert low <= choice.probabilities[name] <= high
    assert choice.fits
    assert set(choice.fit_p_values) == {"ba1", "ba2", "ba3", "ba4"}
    assert choice.fit_p_values["ba2"] > choice.fit["alpha"]
    assert choice.accuracy > 0.95
    assert choice.confusion.to_numpy().sum() == len(choice.evidence["table"])
    assert choice.features == {
        name: pytest.approx(netchoice.compute_features(a_network(), [name]).values[name])
        for name in choice.evidence["selection"].features
    }
    assert list(choice.evidence["table"].features) == list(choice.features)
    assert len(choice.fit["features"]) > 40  # the fit is judged on a broad set, always
    assert choice.cost["all_features"] > choice.cost["selected_features"] > 0


def test_words(answered):
    choice, _ = answered
    text = str(choice)
    assert text.startswith("most probable model: ba2\n  ba2")
    assert "held-out simulations given their true model" in text
    assert "saved on 400 simulations" in text
    page = choice._repr_html_()
    assert "<b>ba2</b>" in page
    assert page.count("<tr>") == 5


def test_the_folder(answered):
    choice, folder = answered
    record = json.loads((folder / "choice.json").read_text())
    assert record == json.loads(choice.to_json())
    for name in (
        "schema", "model", "probabilities", "intervals", "fits", "fit_p_values", "fit", "features",
        "parameters", "accuracy", "confusion", "scores", "selection", "cost", "network", "space",
        "notes", "settings",
    ):  # fmt: skip
        assert name in record
    assert set(record) == {f.strip("`") for f in _documented()}
    graph, _ = netchoice.read_network(folder / "network.tsv")
    assert graph.n_edges == a_network().n_edges
    assert (folder / "evaluation.csv").exists()
    assert len(netchoice.ReferenceTable.load(folder / "tables" / "inference")) == 400
    assert json.loads((folder / "run.json").read_text())["versions"]["netchoice"]


def _documented():
    from test_house import ROOT

    table = (ROOT / "docs" / "choose.md").read_text().partition("## choice.json")[2]
    for line in table.splitlines():
        if line.startswith("| `"):
            yield from line.split("|")[1].strip().split(", ")


def test_again_goes_on_and_fresh_starts_over(answered, tmp_path, monkeypatch):
    choice, folder = answered
    seen = []
    again = choose(a_network(), path=folder, on_progress=lambda *told: seen.append(told))
    assert again.probabilities == choice.probabilities
    assert again.features == choice.features
    assert not seen  # nothing was simulated
    with pytest.raises(UsageError, match="holds a run with another seed; give another folder"):
        choose(a_network(), path=folder, seed=2)
    with pytest.raises(UsageError, match="another network"):
        choose(a_network(seed=5), path=folder)
    other = tmp_path / "other"
    choose(a_network(), path=other, features=["degree_mean"])
    fresh = choose(a_network(), path=other, features=["transitivity"], fresh=True)
    assert list(fresh.features) == ["transitivity"]
    assert fresh.selection.get("operating_point") is None
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty and holds no run"):
        choose(a_network(), path=tmp_path / "full", fresh=True)
    assert (tmp_path / "full" / "thesis.txt").exists()


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (netchoice.Graph.from_edges([]), "has 0 nodes and no edges"),
        (netchoice.Graph.from_edges([], n_nodes=1), "1 nodes and no edges"),
        (netchoice.Graph.from_edges([], n_nodes=50), "50 nodes and no edges"),
        (netchoice.Graph.from_edges([(0, 1)]), "has 2 nodes with edges; with fewer than 8"),
        (nx.complete_graph(3), "has 3 nodes with edges"),
    ],
)
def test_networks_that_tell_nothing(graph, words):
    with pytest.raises(UsageError, match=words):
        choose(graph)


def test_a_network_from_elsewhere_is_called_out():
    choice = choose(nx.grid_2d_graph(7, 7), features=["degree_mean"])
    assert not choice.fits
    assert "none of these models fits" in choice.fit["summary"]
    complete = choose(nx.complete_graph(30), features=["degree_mean"])
    assert not complete.fits


def test_the_same_model_twice():
    import dataclasses

    one = netchoice.get_model("dmr")
    space = netchoice.ModelSpace("twins", [one, dataclasses.replace(one, name="dmr_again")])
    choice = choose(a_network("dmr", 60), space, isolated="keep")
    assert any("cannot be told apart" in note for note in choice.notes)
    assert all(0.2 < p < 0.8 for p in choice.probabilities.values())


def test_parameters_and_isolated_nodes():
    graph = netchoice.get_model("dmr").grow(
        80, {"p_delete": 0.5, "p_new": 0.5}, np.random.default_rng(3)
    )
    choice = choose(graph, "duplication", samples=600)
    assert choice.network["isolated"] == "keep"
    dropped = choose(graph.without_isolated(), "duplication", features=["transitivity"])
    assert dropped.network["isolated"] == "drop"
    for name, told in choice.parameters.items():
        low, high = told["interval"]
        assert 0.25 <= low <= told["median"] <= high <= 0.75, name
    assert set(choice.parameters) == set(netchoice.get_model(choice.model).parameters)


def test_selection_on_pilots(monkeypatch):
    monkeypatch.setattr(study, "LARGEST", 50)
    monkeypatch.setattr(selecting, "PILOTS", (16, 24, 40))
    monkeypatch.setattr(selecting, "COST_ROWS", 40)
    choice = choose(a_network("ba3", 90))
    assert choice.model == "ba3"
    assert choice.selection["pilots"] == [16, 24, 40]
    assert choice.cost["extrapolated"]
    assert any("selected on networks with 40 nodes" in note for note in choice.notes)


def test_a_budget_and_a_limit(tmp_path):
    with pytest.raises(UsageError, match="no set costs at most 1e-3us; the cheapest one costs"):
        choose(a_network(), budget="1e-3us", path=tmp_path / "run")
    assert len(netchoice.ReferenceTable.load(tmp_path / "run" / "tables" / "selection")) == 600
    hurried = choose(a_network("dmc", 200), "duplication", time_limit=0.5, isolated="keep")
    assert any("for want of time" in note for note in hurried.notes)
    with pytest.raises(UsageError, match="time_limit=-1"):
        choose(a_network(), time_limit=-1)


def test_nonsense():
    with pytest.raises(UsageError, match="unknown method 'jm'"):
        choose(a_network(), method="jm")
    with pytest.raises(UsageError, match="isolated='some'"):
        choose(a_network(), isolated="some")
    with pytest.raises(UsageError, match="did you mean 'transitivity'"):
        choose(a_network(), features=["transitivty"])
    with pytest.raises(UsageError, match="one model"):
        choose(a_network(), netchoice.ModelSpace("one", [netchoice.get_model("ba2")]))


def test_recovery_of_networks_grown_by_the_plain_twins():
    """Compiled growth must answer for networks that it did not grow."""
    rng = np.random.default_rng(7)
    tables = netchoice.simulate_table(
        "duplication", n_nodes=120, n_samples=500, seed=2, engine="serial",
        features=["transitivity", "clustering_mean", "degree_mean", "n_triangles"],
    )  # fmt: skip
    from netchoice.inference import model_probabilities

    right = 0
    for i in range(16):
        name = ("dmc", "dmr")[i % 2]
        p, q = rng.uniform(0.25, 0.75, 2)
        graph = netchoice.Graph.of(getattr(naive, name)(120, rng, p, q))
        observed = netchoice.compute_features(graph, tables.features).values
        right += model_probabilities(tables.X, tables.y, observed).model == name
    assert right >= 13


def test_the_command(tmp_path, capsys):
    netchoice.write_network(a_network(), tmp_path / "net.tsv")

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    given = ["choose", tmp_path / "net.tsv", "--space", "ba", "--engine", "serial"]
    out = tmp_path / "answer"
    code, text, errors = run(*given, "--out", out, "--samples", 300)
    assert code == 0, errors
    assert "most probable model: ba2" in text
    assert "simulating (selection): 600/600 rows" in errors
    assert {p.stem for p in (out / "figures").iterdir()} >= {
        "embedding",
        "features",
        "probabilities",
    }
    record = json.loads(run(*given, "--out", out, "--samples", 300, "--json")[1])
    assert record["model"] == "ba2"
    models = json.loads(
        run(*given[:2], "--models", "ba1,ba2", *given[4:], "-o", tmp_path / "m", "--json")[1]
    )
    assert set(models["probabilities"]) == {"ba1", "ba2"}
    for arguments, expected, words in [
        ([*given, "--out", out], 2, "another samples"),
        ([*given, "--time-limit", "soon", "--out", tmp_path / "x"], 2, "--time-limit 'soon'"),
        ([*given[:2], "--models", ",", "-o", tmp_path / "x"], 2, "names no model"),
        (["choose", tmp_path / "nowhere.tsv"], 1, "nowhere.tsv"),
    ]:
        code, _, errors = run(*arguments)
        assert (code, words in errors) == (expected, True), errors


def test_a_feature_of_ones_own(tmp_path, monkeypatch):
    """As an object and by module:attribute; simulated, computed and told under its name."""
    (tmp_path / "own_of_mine.py").write_text(
        "import netchoice\n\n@netchoice.feature()\ndef half_the_mean_degree(graph):\n"
        '    """Links per node."""\n    return graph.n_edges / graph.n_nodes\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    import own_of_mine

    for given in ("own_of_mine:half_the_mean_degree", own_of_mine.half_the_mean_degree):
        choice = choose(
            a_network(), features=[given, "transitivity"], path=tmp_path / str(id(given))
        )
        assert choice.model == "ba2"
        assert list(choice.features) == ["half_the_mean_degree", "transitivity"]
        assert choice.features["half_the_mean_degree"] == pytest.approx(77 / 40, rel=0.05)


def test_methods_that_are_only_compared():
    """They are scored, and change nothing about the set that is chosen."""
    plain = choose(a_network(), samples=100)
    compared = choose(a_network(), samples=100, compare=["jmi", "random"])
    told = compared.evidence["selection"]
    assert set(told.evaluation["method"]) == {"jmi", "random"}
    assert told.point.method == "jmi"
    assert compared.probabilities.keys() == plain.probabilities.keys()
    same = told.rankings.query("method == 'jmi' and penalty == 0")["feature"].tolist()
    first = plain.evidence["selection"].rankings.query("method == 'jmi' and penalty == 0")
    assert same == first["feature"].tolist()
    with pytest.raises(UsageError, match="unknown method 'tarot'"):
        choose(a_network(), compare=["tarot"])


@pytest.mark.parametrize(
    "wrong", [{"inference": "bayes"}, {"budget": "5eur"}, {"features": ["transitvity"]}]
)
def test_mistakes_are_told_before_the_work(wrong, monkeypatch):
    monkeypatch.setattr(study.Study, "select", lambda *_: pytest.fail("too late"))
    with pytest.raises(UsageError, match=r"bayes|5eur|transitivity"):
        choose(a_network(), **wrong)


def test_a_feature_without_a_value_on_the_network(monkeypatch):
    original = study.compute_features

    def failing(graph, names):
        told = original(graph, [name for name in names if name != "degree_mean"])
        if "degree_mean" in names:
            told.failures["degree_mean"] = "it broke"
            told.values["degree_mean"] = float("nan")
        return told

    monkeypatch.setattr(study, "compute_features", failing)
    with pytest.raises(
        UsageError, match=r"'degree_mean' has no value on this network \(it broke\)"
    ):
        choose(a_network(), features=["degree_mean"])
    choice = choose(a_network())
    assert "degree_mean" not in choice.features
    assert "degree_mean" not in choice.fit["features"]
    assert "features without a value on this network were left out: degree_mean" in choice.notes


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    from pathlib import Path

    original = Path.write_text

    def full(self, *given, **options):
        if self.name == "choice.json":
            raise OSError(28, "No space left on device")
        return original(self, *given, **options)

    given = {"path": tmp_path / "run", "features": ["degree_mean"]}
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(NetchoiceError, match=r"cannot write to .*: No space left on device"):
            choose(a_network(), **given)
    seen = []
    again = choose(a_network(), **given, on_progress=lambda *told: seen.append(told))
    assert again.model == "ba2"
    assert not seen


def test_a_winner_that_does_not_fit_is_named(monkeypatch):
    import dataclasses

    original = study.goodness_of_fit

    def other_way_round(*given, **options):
        fit = original(*given, **options)
        p_values = {name: 0.001 if name == "ba2" else 0.5 for name in fit.p_values}
        return dataclasses.replace(fit, p_values=p_values, fits=True)

    monkeypatch.setattr(study, "goodness_of_fit", other_way_round)
    choice = choose(a_network(), features=["degree_mean"])
    assert choice.model == "ba2"
    assert any("but it does not fit (p = 0.001)" in note for note in choice.notes)
