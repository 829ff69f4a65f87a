"""Screening of large model spaces, and families of models in the answer."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from small_plans import small_plan

import netchoice
from netchoice import ModelSpace, cli
from netchoice.errors import UsageError
from netchoice.inference import ConformalTest
from netchoice.models.space import family_probabilities
from netchoice.workflows import SimulationPlan, screening
from netchoice.workflows.preparation import ChoiceSettings, make_preparation
from netchoice.workflows.table_maker import TableMaker

#: About 260 simulations of each model are compared, enough for p-values below 0.005.
SCREENING = {"screen_above": 5, "screening_samples": 320, "screening_training": 60}
PLAN = SimulationPlan(**SCREENING, selection_samples=400)
MODELS = ("ba1", "ba2", "ba3", "ba4", "rds", "smw")


def grown(name, n=40, seed=1):
    model, rng = netchoice.get_model(name), np.random.default_rng(seed)
    return model.grow(n, model.sample(rng), rng)


def space_of(*names):
    return ModelSpace("some", [netchoice.get_model(name) for name in names])


# p-values


def normal_table(rng, n, means=(0.0, 1.0, 4.0), digits=None):
    """Return n rows of each class, in random order; rounding makes ties."""
    y = rng.permutation(np.repeat([f"c{i}" for i in range(len(means))], n))
    X = rng.normal(loc=np.array([means[int(name[1])] for name in y])[:, None], size=(len(y), 2))
    return pd.DataFrame(X if digits is None else X.round(digits), columns=["a", "b"]), y


def naive_p_value(test, X, y, n_training, observed, model):
    """Return 1 + the rows of a model that did not train and score at most as high, over 1 + all."""
    k = test.models.index(model)
    rows = np.flatnonzero(y == model)[n_training:]
    scores = [test.scores(X.iloc[[row]])[0, k] for row in rows]
    own = test.scores(observed)[0, k]
    return (1 + sum(score <= own for score in scores)) / (1 + len(rows))


@pytest.mark.parametrize("digits", [None, 0], ids=["continuous", "ties"])
def test_p_values_agree_with_the_reference_implementation(digits):
    X, y = normal_table(np.random.default_rng(1), 60, digits=digits)
    observed, _ = normal_table(np.random.default_rng(2), 3, digits=digits)
    test = ConformalTest.fit(X, y, n_training=20, n_trees=30)
    found = test.p_values(observed)
    for i in range(len(observed)):
        for k, model in enumerate(test.models):
            expected = naive_p_value(test, X, y, 20, observed.iloc[[i]], model)
            assert found[i, k] == pytest.approx(expected)


def test_scores_order_equal_votes_by_the_distance_to_the_model():
    X, y = normal_table(np.random.default_rng(1), 60, means=(0.0, 9.0))
    test = ConformalTest.fit(X, y, n_training=30, n_trees=30)
    near, far, farther = test.scores([[0.0, 0.0], [-50.0, -50.0], [-1e6, -1e6]])[:, 1]
    assert 0 < farther < far < near < 1  # no tree votes for the second class


@pytest.mark.parametrize("digits", [None, 0], ids=["continuous", "ties"])
def test_true_class_has_uniform_or_larger_p_values(digits):
    """With 19 calibrating rows, P(p ≤ k / 20) is k / 20, and at most that if there are ties."""
    found = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        X, y = normal_table(rng, 39, digits=digits)
        observed, truth = normal_table(rng, 1, digits=digits)
        p_values = ConformalTest.fit(X, y, n_training=20, n_trees=10, seed=seed).p_values(observed)
        found += [row[int(name[1])] for row, name in zip(p_values, truth, strict=True)]
    for level in (0.05, 0.25, 0.5, 0.75):
        share, error = np.mean(np.array(found) <= level), np.sqrt(level * (1 - level) / len(found))
        assert share < level + 3 * error
        if digits is None:
            assert share > level - 3 * error


def test_constant_features_discard_no_class():
    X = pd.DataFrame({"a": np.ones(100)})
    test = ConformalTest.fit(X, ["x", "y"] * 50, n_training=10, n_trees=10)
    assert test.p_values([[1.0]]).tolist() == [[1.0, 1.0]]


def test_p_values_do_not_depend_on_the_number_of_threads():
    X, y = normal_table(np.random.default_rng(1), 60)
    one, two = (ConformalTest.fit(X, y, n_training=20, n_jobs=n).p_values(X) for n in (1, 2))
    assert (one == two).all()


def test_class_with_too_few_rows_is_refused():
    with pytest.raises(UsageError, match=r"too few simulations: 3 of y; expected more than 5"):
        ConformalTest.fit(np.arange(13.0)[:, None], ["x"] * 10 + ["y"] * 3, n_training=5)


def test_true_mechanism_is_discarded_no_more_often_than_alpha():
    """Of 400 networks from the prior, at most 5 % have a p-value of the true model up to 0.05."""
    space = space_of("dmr", "lpa", "rds", "rdg")
    tables = [
        netchoice.simulate_table(
            space, n_nodes=30, n_samples=n, seed=seed, engine="serial",
            features=screening.cheap_features(),
        )
        for n, seed in ((600, 1), (400, 2))
    ]  # fmt: skip
    test = ConformalTest.fit(tables[0].X, tables[0].y, n_training=60, n_trees=100)
    p_values = pd.DataFrame(test.p_values(tables[1].X), columns=test.models)
    own = np.array([p_values[name][i] for i, name in enumerate(tables[1].y)])
    assert (own <= 0.05).mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert (p_values > 0.05).sum(axis=1).mean() < 3  # of four


# Models


def test_models_with_large_p_values_or_the_largest_scores_are_kept():
    p_values = {"a": 0.2, "b": 0.004, "c": 0.006, "d": 0.005, "e": 0.01}
    assert screening._kept(p_values, dict.fromkeys(p_values, 1.0)) == ("a", "c", "e")
    p_values = {"a": 0.2, "b": 0.004, "c": 0.001, "d": 0.005}
    scores = {"a": 1.0, "b": 5.0, "c": 9.0, "d": 2.0}
    assert screening._kept(p_values, scores) == ("a", "b", "c")  # d has a smaller score
    p_values = dict.fromkeys("abcd", 0.001)
    assert screening._kept(p_values, scores) == ("b", "c", "d")  # all p-values are small


def preparation_of(space, network, folder=None, **options):
    settings = ChoiceSettings(
        space=space.as_dict(), n_nodes=network.n_nodes, isolated="drop", plan=PLAN
    )
    engine = {"engine": "serial", "workers": 1} | options
    maker = TableMaker(space, 1, "drop", folder=folder, **engine)
    return make_preparation(space, settings, maker)


@pytest.fixture(scope="module")
def screened():
    network = grown("ba2")
    return screening.screen(preparation_of(space_of(*MODELS[:5]), network), network)


def test_models_unlike_the_network_are_discarded(screened):
    assert screened.p_values["ba2"] > 0.005
    assert {"ba1", "ba4"} <= {*screened.discarded}
    assert len(screened.kept) >= 3
    for name in screened.discarded:
        assert screened.p_values[name] <= 0.005
    assert all(n > 199 for n in screened.n_compared.values())
    assert screened.summary.startswith("discarded by screening, probability 0: ba1 p = 0.00")
    assert screened.as_dict()["alpha"] == 0.005


def test_interrupted_screening_is_resumed_with_the_same_result(screened, tmp_path):
    network, space = grown("ba2"), space_of(*MODELS[:5])
    preparation = preparation_of(space, network, tmp_path)
    preparation.maker.table(
        "screening", 40, 700, screened.features, stream="choose screening",
        space=screening.equal_weights(space),
    )  # fmt: skip
    assert screening.screen(preparation, network).as_dict() == screened.as_dict()


@pytest.mark.slow
def test_screening_does_not_depend_on_the_number_of_workers(screened):
    network = grown("ba2")
    several = preparation_of(space_of(*MODELS[:5]), network, engine="processes", workers=2)
    assert screening.screen(several, network).as_dict() == screened.as_dict()


def test_models_that_never_have_the_density_are_left_out():
    space = space_of("ba1", "ba3", "rds")
    assert screening.matching(space) is space
    matched = space.matched_to(grown("ba3"))
    found = screening.matching(matched)
    assert found.labels == ("ba3", "rds")
    assert found.bounds == matched.bounds
    with pytest.raises(UsageError, match="of 2 models, 1 can make a network of this density"):
        screening.matching(space_of("ba1", "ba3").matched_to(grown("ba3")))


def test_part_of_a_matched_space_has_the_same_models():
    matched = space_of("lpa", "rds", "smw").matched_to(grown("lpa", 60))
    part = matched.only(["lpa", "rds"])
    assert part.models == (matched["lpa"], matched["rds"])
    assert sum(part.weights) == pytest.approx(1)
    with pytest.raises(UsageError, match="unknown model"):
        matched.only(["lpx"])


def test_rare_models_get_enough_simulations_for_the_test_of_fit():
    network = grown("ba2")
    models = [netchoice.get_model(name) for name in MODELS]
    rare = ModelSpace("rare", models, [1, 9, 10, 10, 10, 10])
    preparation = preparation_of(rare, network)
    assert preparation.min_fit_samples == preparation._selection_samples == 9000
    equal = preparation_of(space_of("ba1", "ba2"), network)
    assert (equal.min_fit_samples, equal._selection_samples) == (360, 400)


# Families, and the whole answer


def test_family_probabilities_are_sums_over_models():
    space = space_of("lpa", "rds", "dmc", "dmr")
    probabilities = {"lpa": 0.25, "rds": 0.125, "dmc": 0.5, "dmr": 0.125}
    found = family_probabilities(space, probabilities)
    assert list(found.items()) == [("duplication", 0.625), ("attachment", 0.25), ("static", 0.125)]
    assert family_probabilities(space_of("dmc", "dmr"), probabilities) == {}
    assert family_probabilities(space_of("dmc", "lpa", "rds"), probabilities) == {}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Choose on the command line; return the text, the record and the folder."""
    folder = tmp_path_factory.mktemp("screening")
    netchoice.write_network(grown("ba2"), folder / "net.tsv")
    patch, lines = pytest.MonkeyPatch(), []
    small = partial(small_plan, **SCREENING, selection_samples=600)
    with patch.context() as during:
        for module in ("preparation", "simulation_plan"):
            during.setattr(f"netchoice.workflows.{module}.SimulationPlan", small)
        during.setattr("netchoice.report.reported.draw_choice", lambda *arguments, **options: [])
        during.setattr("typer.echo", lambda text="", **_: lines.append(str(text)))
        with pytest.raises(SystemExit) as ended:
            cli.main([
                "choose", str(folder / "net.tsv"), "--models", ",".join(MODELS), "--samples", "300",
                "--features", "degree_mean,degree_std,transitivity", "--no-local", "--engine", "serial",
                "--workers", "1", "-o", str(folder / "out"),
            ])  # fmt: skip
    assert not ended.value.code
    return "\n".join(lines), json.loads((folder / "out" / "choice.json").read_text()), folder


def test_families_and_discarded_models_are_printed(run):
    text, record, _ = run
    families = record["families"]
    assert set(families) == {"attachment", "static", "spatial"}
    assert next(iter(families)) == "attachment"
    assert sum(families.values()) == pytest.approx(1)
    assert f"families: attachment {families['attachment']:.3f}"[:22] in text.replace(">", "")
    assert text.index("families: ") < text.index("discarded by screening, probability 0: ba1 p =")
    assert text.index("discarded by") < text.index("probabilities of the models:\n  ba2")
    assert any(line.endswith("   attachment") for line in text.splitlines())


def test_record_holds_the_screening(run):
    _, record, folder = run
    found, discarded = record["screening"], record["screening"]["discarded"]
    assert {"ba1", "ba4"} <= {*discarded}
    assert {*found["p_values"]} == {*record["probabilities"]} == {*MODELS}
    assert {name for name, p in record["probabilities"].items() if p == 0} == {*discarded}
    assert {*record["intervals"]} == {*record["fit_p_values"]} == {*found["kept"]}
    assert {each["name"] for each in record["space"]["models"]} == {*found["kept"]}
    assert found["features"] == list(screening.cheap_features())
    assert record["model"] == "ba2"
    assert (folder / "out" / "tables" / "screening" / "_manifest.json").exists()
    settings = json.loads((folder / "out" / "run.json").read_text())["settings"]
    assert len(settings["space"]["models"]) == 6  # the run can be resumed with the same command
    chooser = netchoice.Chooser.load(folder / "out")
    assert chooser.space.labels == tuple(found["kept"])


def test_report_shows_families_and_screening(run):
    page = (run[2] / "out" / "report.html").read_text(encoding="utf-8")
    for text in ("Families of models", "Screened models", "discarded, probability 0"):
        assert text in page
    assert "6 models were screened. Of " in page


def test_small_space_is_not_screened():
    assert not screening.is_screened(netchoice.get_space("mechanisms"), SimulationPlan())


def test_models_of_several_families_are_listed_by_family(capsys):
    def printed(*arguments):
        with pytest.raises(SystemExit):
            cli.main(["show", *arguments])
        return capsys.readouterr().out

    lines = printed("mechanisms").splitlines()
    first = lines.index("duplication: new nodes copy the links of an earlier node")
    assert lines[first + 1].startswith("  dmc ")
    assert "spatial: nodes have places, and near ones are linked" in lines
    assert printed("ba").startswith("ba1 ")  # one family: a plain list
    record = json.loads(printed("mechanisms", "--json"))
    families = {each["name"]: each["models"] for each in record["families"]}
    assert families["duplication"] == ["dmc", "dmr"]
    assert {each["name"]: each["family"] for each in record["models"]}["smw"] == "spatial"
