"""The report as a file: its contents, and that names stay text."""

import itertools
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from page_outline import Outline, check_figures
from report_folders import (
    MARKUP_NAMES,
    add_misfit,
    copy_with_markup,
    run,
    run_choose,
    run_evaluate,
    shared_folder,
)
from report_folders import write_changed_report as write_report
from small_plans import small_plan

import netchoice
from netchoice import markup
from netchoice.costs import CostModel
from netchoice.evaluation import wilson
from netchoice.figures.data.cost_text import list_costs
from netchoice.figures.data.histograms import feature_histogram
from netchoice.figures.interactive.feature_costs import MOST_FEATURES, feature_costs
from netchoice.figures.interactive.feature_sets import explorer_data
from netchoice.figures.interactive.layout import CostAxis
from netchoice.figures.interactive.models import distribution
from netchoice.report import folder, sections_feature_sets
from netchoice.report.elements import Sections
from netchoice.report.headline import choice_headline
from netchoice.report.headline_evaluation import evaluation_headline
from netchoice.units import duration

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 6_000_000


@pytest.fixture(scope="module")
def choice(tmp_path_factory):
    return shared_folder(run_choose, tmp_path_factory)


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory):
    return shared_folder(run_evaluate, tmp_path_factory)


@pytest.fixture(scope="module")
def page(choice):
    return Outline((choice / "report.html").read_text())


def test_properties_of_figures_are_those_of_plotly(page, evaluation):
    check_figures(page)
    check_figures(Outline((evaluation / "report.html").read_text()))
    wrong = {"figures": {"x": {"data": [{"type": "scatter", "colour": "red"}], "layout": {}}}}
    page_with_an_error = Outline("")
    page_with_an_error.data = json.dumps(wrong)
    with pytest.raises(ValueError, match="Invalid property"):
        check_figures(page_with_an_error)


def test_first_screen_has_the_answer(page, choice):
    record = json.loads((choice / "choice.json").read_text())
    top = page.text.partition("A bar is the probability")[0]
    assert f"Of 2 models compared: {record['headline']}." in top
    assert f"Held-out accuracy: {record['accuracy']:.1%} of " in top
    assert "dmr Duplication with random mutation. With p_delete = " in top
    assert "Solé et al., Adv. Complex Syst. 5:43 (2002), doi:10.1142/S021952590200047X" in top
    for name, p in record["fit_p_values"].items():
        assert f"{name} p = {p:.2g}" in top
    for note in (*record["notes"], record["fit"]["power_summary"]):
        assert note[1:] in top


def test_cost_of_the_chosen_set_is_the_same_everywhere(page, choice):
    record = json.loads((choice / "choice.json").read_text())
    costs = CostModel.from_file(choice / "costs.json")
    names, data = list(record["features"]), json.loads(page.data)
    cost = costs.cost_of_set(names, "shared")
    of_all = costs.cost_of_set(costs.features, "shared")
    top = page.text.partition("A bar is the probability")[0]
    assert f"{duration(cost)} CPU time per network for {len(names)} feature" in top
    assert f"All {len(costs.features)} features cost {of_all / cost:.3g} times as much." in top
    best = data["grid"]["recommended"]
    cell = data["grid"]["cells"][best["method"]][best["penalty"]]
    for_model = costs.cost_of_set(record["selection"]["for_model"], "shared")
    assert cell["shared"][cell["k"].index(best["k"])] == pytest.approx(for_model, rel=1e-4)


def test_verdict_warns_if_the_model_does_not_fit(choice):
    record = json.loads((choice / "choice.json").read_text())
    conflict = {"verdict": "undetermined", "headline": "the models cannot be distinguished"}
    p_values = {"fit_p_values": {"dmc": 0.5, "dmr": 0.001}, "model": "dmr"}
    costs = CostModel.from_file(choice / "costs.json")
    other = choice_headline(record | conflict | p_values, "net", costs)
    assert other.verdict == "Of 2 models compared: the models cannot be distinguished."
    no_fit = {"fits": False, "verdict": "none-fits", "headline": "none of these models fits"}
    none = choice_headline(record | no_fit, "net", costs)
    assert none.verdict == "Of 2 models compared: none of these models fits."
    assert none.cards[0].details[0].endswith("This is not evidence for dmr.")
    assert none.cards[1].question == "Most probable, if one of them were right"
    for headline, answer in ((other, "Another one"), (none, "No")):
        card = headline.cards[2]
        assert (card.question, card.answer, card.warning) == ("Does any model fit?", answer, True)
    assert not any(card.warning for card in choice_headline(record, "net", costs).cards)


def test_sections_are_in_order(page):
    titles = [
        "Probability and fit of each model", "Parameters", "The network among the simulations",
        "The selected features", "Reliability diagram", "Accuracy against cost",
        "Accuracy over λ and k", "Rankings over λ", "Cost of each feature", "The observed network",
        "Settings, seed and versions",
    ]  # fmt: skip
    found = [page.text.rindex(f"{title} ") for title in titles]
    assert found == sorted(found)
    assert "the format cannot declare isolated nodes" in page.text
    for name in ("numpy", "netchoice", "plotly.js", "seed"):
        assert name in page.text


def test_one_self_contained_file_of_at_most_six_megabytes(page, choice, evaluation):
    for path in (choice, evaluation):
        assert 4_500_000 < (path / "report.html").stat().st_size < LARGEST
    for tag, attributes in page.elements:
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#"), tag
        assert tag not in ("link", "iframe", "img", "object", "embed")
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-inline" not in policy.partition("style-src")[0]


def test_page_structure_is_accessible(page):
    assert page.elements[0] == ("html", {"lang": "en"})
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert len(page.ids) == len(set(page.ids))
    labelled = {a["for"] for tag, a in page.elements if tag == "label"}
    controls = {a["id"] for tag, a in page.elements if tag in ("input", "select")}
    assert controls == labelled
    assert controls >= {"method", "penalty", "k", "charge", "heat-method", "ranking-method"}
    figures = [a for tag, a in page.elements if tag == "figure" and a.get("class") != "network"]
    assert all(a["aria-label"] for a in figures)
    drawing = next(a for tag, a in page.elements if tag == "svg" and a.get("role") == "img")
    assert drawing["aria-label"].startswith("Drawing of the observed network, with ")
    tables, captions = (
        [tag for tag, _ in page.elements].count(name) for name in ("table", "caption")
    )
    assert tables == captions > 5
    assert all(a["scope"] in ("row", "col") for tag, a in page.elements if tag == "th")
    links = {a["href"][1:] for tag, a in page.elements if tag == "a"}
    assert links <= set(page.ids)


@pytest.mark.slow
def test_fit_section_explains_each_model(choice, tmp_path):
    shutil.copytree(choice, tmp_path / "without")
    evidence = json.loads((choice / "evidence.json").read_text()) | {"misfit": {}}
    (tmp_path / "without" / "evidence.json").write_text(json.dumps(evidence))
    without = write_report(tmp_path / "without").read_text()
    before = len(without.encode())
    assert 'id="fit"' not in without
    for fits, title, following in (
        (False, "Why does no model fit?", "models"),
        (True, "How well does each model fit?", "parameters"),
    ):
        shutil.copytree(choice, tmp_path / title)
        add_misfit(tmp_path / title, fits=fits)
        text = write_report(tmp_path / title).read_text()
        assert len(text.encode()) - before < 50_000
        page = Outline(text)
        sections = [a["id"] for tag, a in page.elements if tag == "section"]
        assert sections[sections.index("fit") + 1] == following
        section = page.text.partition(f"{title} From each")[2].partition("Show the numbers")[0]
        order = [section.index(f"{model} (p = 0.001) What differs") for model in
                 ("dmr fits", "dmc does not fit")]  # fmt: skip
        assert order == sorted(order)
        for texts in ("more <b>triangles</b>: 9", "try --space <i>mechanisms</i>"):
            assert section.count(texts) >= 2
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert len(page.ids) == len(set(page.ids))


def test_fit_section_names_no_panels_if_a_time_limit_left_them_out(choice, tmp_path):
    folder = tmp_path / "short"
    shutil.copytree(choice, folder)
    add_misfit(folder, fits=True)
    evidence = json.loads((folder / "evidence.json").read_text())
    for entry in evidence["misfit"].values():
        entry["panels"] = {}
    (folder / "evidence.json").write_text(json.dumps(evidence))
    record = json.loads((folder / "choice.json").read_text())
    record["fit"]["local"] = False
    (folder / "choice.json").write_text(json.dumps(record))
    page = Outline(write_report(folder).read_text())
    section = page.text.partition("How well does each model fit?")[2].partition("What to try")[0]
    assert "parameters from its prior. The lists say what differs. The most probable" in section
    assert "No distributions were compared, to stay within the time limit." in section
    assert "panels" not in section


def test_fit_section_names_models_that_were_not_simulated_near_the_network(choice, tmp_path):
    folder = tmp_path / "far"
    shutil.copytree(choice, folder)
    add_misfit(folder)
    record = json.loads((folder / "choice.json").read_text())
    record["fit"] |= {"local": True, "not_near": {"dmr": "too many of these failed"}}
    (folder / "choice.json").write_text(json.dumps(record))
    text = Outline(write_report(folder).read_text()).text
    assert "given the observed network (dmr: from the prior). The lists say what still" in text


def test_fit_panels_show_the_envelopes(choice, tmp_path):
    shutil.copytree(choice, tmp_path / "other")
    misfit = add_misfit(tmp_path / "other")
    page = Outline(write_report(tmp_path / "other").read_text())
    figures = json.loads(page.data)["figures"]
    drawn = {name: figures[name] for name in figures if name.startswith("fit-")}
    assert len(drawn) == 12
    labels = [a.get("aria-label", "") for tag, a in page.elements if tag == "figure"]
    for i, (model, title, panel) in enumerate(
        [("dmr", "Degrees", "degree"), ("dmc", "Shared partners", "partners")]
    ):
        names = [label for label in labels if f" of {model}: " in label]
        at = next(j for j, label in enumerate(names) if label.startswith(f"{title} of "))
        wide, _, line, *_ = drawn[f"fit-{i}-{at}"]["data"]
        n, envelope = len(line["y"]), misfit[model]["panels"][panel]
        assert np.square(line["y"]) == pytest.approx(envelope["observed"][:n], rel=0.02)
        assert np.square(wide["base"]) == pytest.approx(envelope["quantiles"][0][:n], rel=0.02)
        assert not any(envelope["observed"][n:])
    for panel in misfit["dmr"]["panels"].values():
        assert all(label in page.text for label in panel["labels"])


def test_explorer_data_match_the_evaluation(choice):
    results = folder.read_folder(choice)
    packed = explorer_data(results.feature_sets)
    assert packed["methods"][:2] == ["jmi", "relieff"]  # requested; the others are compared only
    assert len(packed["methods"]) == 7
    count = 0
    for row in results.evaluation.to_dict("records"):
        method = packed["methods"].index(row["method"])
        penalty = packed["penalties"][method].index(row["penalty"])
        cell, k = packed["cells"][method][penalty], int(row["k"])
        names = [packed["features"][i] for i in cell["order"][:k]]
        assert ";".join(names) == row["features"]
        assert cell["shared"][k - 1] == pytest.approx(row["cost_shared"], rel=1e-4)
        low, high = wilson(row["accuracy"], row["n_choosing"] + row["n_reporting"])
        assert (cell["low"][k - 1], cell["high"][k - 1]) == pytest.approx((low, high), abs=1e-4)
        count += 1
    assert count == sum(len(c["order"]) for cells in packed["cells"] for c in cells)
    best = packed["recommended"]
    cell = packed["cells"][best["method"]][best["penalty"]]
    chosen = [packed["features"][i] for i in cell["order"][: best["k"]]]
    assert chosen == results.record["selection"]["features"]


def test_figures_show_the_numbers_of_the_folder(page, choice):
    figures = json.loads(page.data)["figures"]
    record, evidence = (
        json.loads((choice / f"{n}.json").read_text()) for n in ("choice", "evidence")
    )
    bars = figures["models"]["data"][0]
    assert bars["x"] == pytest.approx(sorted(record["probabilities"].values()), rel=1e-4)
    *simulated, star = figures["embedding"]["data"]
    assert sum(len(trace["x"]) for trace in simulated) == len(evidence["embedding"]["x"]) == 320
    assert [star["x"][0], star["y"][0]] == evidence["embedding"]["observed"]
    assert "p_delete = 0." in simulated[0]["text"][0]
    for i, value in enumerate(record["features"].values()):
        *models, observed = figures[f"feature-{i}"]["data"]
        assert observed["x"] == pytest.approx([value, value], rel=1e-6)
        assert [sum(trace["y"][:-1]) for trace in models] == pytest.approx([1, 1], abs=1e-3)
    points = figures["reliability"]["data"][1]
    assert sum(points["customdata"]) == 2 * sum(
        sum(r.values()) for r in record["confusion"].values()
    )
    costs = figures["costs"]["data"][1]
    model = CostModel(**json.loads((choice / "costs.json").read_text()))
    assert len(costs["x"]) == len(model.features)
    assert max(costs["x"]) == pytest.approx(max(model.alone().values()), rel=1e-4)


def test_files_of_the_folder_are_documented(choice):
    text = (ROOT / "docs" / "choose.md").read_text()
    evidence = json.loads((choice / "evidence.json").read_text())
    assert evidence.pop("schema") == 3
    assert all(f"`{name}` (" in text for name in evidence)
    for path in choice.iterdir():
        if path.name != "choice.json" and path.suffix != ".jsonl":  # the page itself, and caches
            assert f"`{path.name}" in text
    assert CostModel.from_file(choice / "costs.json").features == evidence["fit"]["features"]


@pytest.mark.slow
def test_report_is_reproducible(choice, tmp_path, capsys):
    first = (choice / "report.html").read_bytes()
    assert run("show", choice, "--out", tmp_path / "again.html", "--json") == 0
    assert json.loads(capsys.readouterr().out)["out"] == str(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == first
    assert run("show", choice, "--out", choice / "report.html") == 0
    assert "report.html; open it in a browser" in capsys.readouterr().out


def test_no_report_option(tmp_path):
    assert not (run_evaluate(tmp_path / "none", "--no-report") / "report.html").exists()


@pytest.mark.slow
def test_choice_with_given_features(tmp_path):
    path, rng = tmp_path / "named", np.random.default_rng(1)
    network = netchoice.get_model("dmr").grow(30, {"p_delete": 0.4, "p_new": 0.7}, rng)
    plan = small_plan(selection_samples=320)
    arguments = {"features": ["degree_mean"], "samples": 100, "engine": "serial", "plan": plan}
    netchoice.choose_model(network, "duplication", path=path, **arguments)
    text = write_report(path).read_text()
    assert 'id="explorer"' not in text
    assert "passed in Python" in text
    assert '"grid":null' in text


def test_evaluation_without_costs(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    lines = ["a,b,label", *(f"{i + rng.normal()},{rng.normal()},{'xy'[i]}" for i in y)]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    arguments = ["--method", "jmi", "--penalty", "0", "--folds", "3", "-o", tmp_path / "out"]
    assert run("evaluate", tmp_path / "t.csv", *arguments) == 0
    page = Outline((tmp_path / "out" / "report.html").read_text())
    data = json.loads(page.data)
    assert not data["grid"]["has_costs"]
    assert data["figures"]["explorer"]["layout"]["xaxis"]["title"]["text"] == "number of features"
    assert "charge" not in page.ids
    assert "ranking" not in page.ids
    assert "No costs were given." in page.text
    assert not data["grid"]["costs_given"]


def test_free_features_are_free_only_if_costs_were_given(evaluation):
    record = json.loads((evaluation / "recommended.json").read_text())
    free = record | {"recommended": record["recommended"] | {"cost": 0.0, "speedup": None}}
    for most_expensive, details in (
        (3.0, "These features are free."),
        (0.0, "No costs were given."),
    ):
        costs = CostModel({"a": 0.0, "b": most_expensive})
        card = evaluation_headline(free, costs, "").cards[3]
        assert (card.answer, card.details) == ("nothing", [details])


def test_a_low_accuracy_is_never_called_no_loss(evaluation):
    record = json.loads((evaluation / "recommended.json").read_text())
    settings = record["settings"] | {"target": "3 classes"}

    def cards(**changes):
        changed = record | {"settings": settings, "recommended": record["recommended"] | changes}
        return evaluation_headline(changed, CostModel({"a": 1.0}), "").cards

    two, all_three = ["a", "b"], ["a", "b", "c"]
    low = {"accuracy": 0.47, "interval": [0.4, 0.54], "features": two, "best_features": all_three}
    _, accuracy, loss, _ = cards(**low, best_accuracy=0.46)
    assert accuracy.warning
    assert accuracy.details[-1].startswith("This is low; chance alone reaches 33.33%.")
    assert loss.question == "Are more features more accurate?"
    assert loss.answer == "No"
    assert "It reaches 46.00% on the same rows." in loss.details[0]
    _, _, loss, _ = cards(**low, best_accuracy=0.5)
    assert loss.answer == "By 3.00 points"
    assert loss.details[-1] == "The difference is within statistical error."
    _, _, loss, _ = cards(**low, best_accuracy=0.9)
    assert loss.answer == "By 43.00 points"
    assert len(loss.details) == 1
    high = low | {"accuracy": 0.95, "interval": [0.9, 0.97], "best_features": two}
    _, accuracy, loss, _ = cards(**high, best_accuracy=0.95)
    assert not accuracy.warning
    assert loss.details == ["No evaluated set was more accurate when the set was chosen."]


def many_models(choice, path):
    """Copy a choice whose record and evidence have 30 models of several families, with screening."""
    shutil.copytree(choice, path, ignore=shutil.ignore_patterns("figures", "*.html"))
    record = json.loads((path / "choice.json").read_text())
    evidence = json.loads((path / "evidence.json").read_text())
    extra = [*netchoice.get_space("all").labels, "dmr+lpa", "dmc+lpa", "dmr~edges", "my model"]
    extra = [name for name in extra if name not in ("dmc", "dmr")]
    names = ["dmc", "dmr", *extra[:16]]
    record["probabilities"] |= dict.fromkeys(extra, 0.0)
    record["intervals"] = {name: [0.0, 1.0] for name in names}
    record["fit_p_values"] |= {name: 0.02 + i / 100 for i, name in enumerate(extra[:16])}
    specs = [{"name": name, "priors": {}, "family": "closure" if i % 2 else "attachment"}
             for i, name in enumerate(names)]  # fmt: skip
    record |= {
        "verdict": "several-fit",
        "space": {"models": specs},
        "families": {"closure": 1.0, "attachment": 0.0, "spatial": 0.0},
        "screening": {
            "alpha": 0.005, "kept": names, "unmatched": ["smw~nodes"], "features": ["a", "b"],
            "p_values": dict.fromkeys([*names, *extra[16:]], 0.1),
            "simulations": dict.fromkeys([*names, *extra[16:]], 300),
        },
    }  # fmt: skip
    known, posterior = record["parameters"]["dmr"], evidence["posteriors"]["dmr"]
    record["parameters"] |= dict.fromkeys(names, known)
    evidence["posteriors"] |= dict.fromkeys(names, posterior)
    (path / "choice.json").write_text(json.dumps(record))
    (path / "evidence.json").write_text(json.dumps(evidence))
    misfit = add_misfit(path)
    changed = {"misfit": dict.fromkeys(names, misfit["dmr"])}
    evidence = json.loads((path / "evidence.json").read_text()) | changed
    (path / "evidence.json").write_text(json.dumps(evidence))
    return names


@pytest.mark.slow
def test_many_models_stay_readable_and_within_the_size(choice, tmp_path):
    names = many_models(choice, tmp_path / "many")
    file = write_report(tmp_path / "many")
    assert file.stat().st_size < LARGEST
    page = Outline(file.read_text())
    top = page.text.partition("A bar is the probability")[0]
    assert (
        "29 models were screened. Of 18 models compared, 18 fit. The most probable is dmr." in top
    )
    assert "and 14 others in the table below" in top
    assert len(top) < 3000
    figures = json.loads(page.data)["figures"]
    assert len(figures["models"]["data"][0]["x"]) == 12
    assert sum(name.startswith("parameter-") for name in figures) == 8  # two of each of four models
    models = page.text.partition("Compared models, the most probable first")[2]
    assert "Preferential attachment with triad formation. Holme & Kim, Phys. Rev. E" in models
    assert "spatial <0.001 nodes have places, and near ones are linked none, all were" in models
    assert "smw~nodes – 0 never has this density Small world: a ring lattice" in page.text
    assert "Show 15 less probable models" in page.text
    articles = [a["id"] for tag, a in page.elements if tag == "article" and "id" in a]
    assert articles == [f"fit-model-{i}" for i in range(len(names))]
    assert sum(name.startswith("fit-") for name in figures) == 60  # six of each of ten models


@pytest.mark.slow
def test_only_uniform_priors_are_drawn(choice, tmp_path):
    shutil.copytree(choice, tmp_path / "other")
    file = tmp_path / "other" / "choice.json"
    record = json.loads(file.read_text())
    model = next(m for m in record["space"]["models"] if m["name"] == record["model"])
    model["priors"]["p_delete"] = "loguniform(0.25, 0.75)"

    def drawn():
        file.write_text(json.dumps(record))
        page = Outline(write_report(tmp_path / "other").read_text())
        figures = json.loads(page.data)["figures"]
        names = [
            [trace["name"] for trace in figures[f"parameter-0-{i}"]["data"]]
            for i, _ in enumerate(record["parameters"][record["model"]])
        ]
        return ["uniform prior" in each for each in names], page.text

    assert list(record["parameters"][record["model"]]) == ["p_delete", "p_new"]
    uniform, text = drawn()
    assert uniform == [False, True]
    assert "loguniform(0.25, 0.75)" in text
    for spec in record["space"]["models"]:
        spec["match"] = {"edges_per_node": 2.0, "tolerance": 0.1}
    uniform, text = drawn()
    assert uniform == [False, False]
    assert "uniform(0.25, 0.75), density-matched" in text
    assert "dashed line is a uniform prior" not in text
    del record["space"]
    assert drawn()[0] == [False, False]


def test_explorer_says_where_costs_were_measured(page):
    section = page.text.partition("Each marker is a set of features")[2].partition("Lighter cells")[
        0
    ]
    assert "were measured on the simulations from which the features were selected." in section


def test_page_says_which_tables_need_javascript(page, choice):
    text = (
        (choice / "report.html").read_text().partition("<noscript>")[2].partition("</noscript>")[0]
    )
    assert {name for name in page.ids if name.endswith("-table")} == {"heat-table", "ranking-table"}
    assert "tables of accuracies over λ and k and of rankings need JavaScript" in text


def test_names_that_look_like_markup_stay_text(choice, evaluation, tmp_path):
    shutil.copytree(choice, tmp_path / "with fit")
    add_misfit(tmp_path / "with fit")
    known = copy_with_markup(tmp_path / "with fit", tmp_path / "markup")
    for file in (write_report(tmp_path / "markup"), evaluation / "report.html"):
        page = Outline(file.read_text())
        allowed = {
            "html", "head", "meta", "title", "style", "body", "a", "header", "p", "h1", "h2", "h3",
            "h4", "main", "section", "article", "div", "span", "ul", "ol", "li", "dl", "nav",
            "figure", "details", "summary",
            "table", "thead", "tbody", "tr", "th", "td", "form", "label", "output", "input",
            "select", "option", "button", "noscript", "script", "caption", "svg", "path", "figcaption",
        }  # fmt: skip
        tags = [tag for tag, _ in page.elements]
        assert set(tags) <= allowed
        assert tags.count("script") == 3
        assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]
    page = Outline((tmp_path / "markup" / "report.html").read_text())
    for name in ("dmc", "p_delete", "transitivity", "package", "jmi", "network"):
        shown = known[name].replace("/", "∕") if name == "network" else known[name]
        assert " ".join(shown.split()) in page.text, name
    for name in MARKUP_NAMES:
        assert " ".join(name.format("a note").split()).lower() in page.text.lower()


@pytest.mark.slow
def test_labels_of_figures_contain_no_markup(choice, tmp_path):
    copy_with_markup(choice, tmp_path / "markup")
    data = json.loads(Outline(write_report(tmp_path / "markup").read_text()).data)

    def texts(part):
        if isinstance(part, dict):
            for value in part.values():
                yield from texts(value)
        elif isinstance(part, list):
            for value in part:
                yield from texts(value)
        elif isinstance(part, str):
            yield part

    allowed = re.compile(r"</?b>|<br>|<extra></extra>")
    for text in [*texts(data["figures"]), *data["grid"]["labels"]]:
        assert "<" not in allowed.sub("", text), text


def test_cost_axis_with_free_features():
    axis = CostAxis([0.0, 2.0, 3.0], "")
    assert axis.layout("cost")["ticktext"] == ["free", "1", "2", "5", "10", "20", "50"]
    assert CostAxis([0.0], "s").layout("cost")["type"] == "linear"
    costs = CostModel({"a": 0.0, "b": 4.0}, {"b": ["s"]}, {"s": 1.0})
    drawn = feature_costs(list_costs(costs), ["b"], "")
    assert drawn["layout"]["yaxis"]["ticktext"] == ["a", "<b>★ b</b>"]
    assert drawn["data"][1]["x"] == pytest.approx([4 / 3, 5.0], rel=1e-4)
    assert drawn["data"][1]["text"][1] == "<b>b</b>: 5 alone<br>own part: 4<br>step s: 1"


def test_long_cost_figure_draws_the_most_expensive_and_tables_all():
    costs = CostModel({f"f{i:03}": float(i) for i in range(200)})
    sections = Sections()
    sections_feature_sets.add_costs(sections, costs, ["f003", "f199"], "")
    layout = sections.figures["costs"]["layout"]
    assert len(layout["yaxis"]["ticktext"]) == MOST_FEATURES + 1 == 61
    assert layout["yaxis"]["ticktext"][:2] == ["<b>★ f003</b>", "f140"]
    assert layout["height"] < 1200
    page = Outline(sections.html())
    assert "139 cheaper features are in the table only." in page.text
    assert [tag for tag, _ in page.elements].count("tr") == 201


@pytest.mark.parametrize(
    ("values", "observed"),
    [
        ([2.0, 2, 2, 2], 2.0),
        ([0.0, 1, 5, 1e9], 1e12),
        ([-3e5, -1, 1, 2], 0.0),
        ([1.5, 2, 3, 4], 9.0),
    ],
)
def test_every_value_is_in_the_histogram(values, observed):
    models = np.array(["a", "a", "b", "b"])
    figure = distribution(feature_histogram("f", np.array(values), models, observed))
    for trace in figure["data"][:2]:
        assert sum(trace["y"][:-1]) == pytest.approx(1)
    line = figure["data"][2]["x"][0]
    edges = figure["data"][0]["x"]
    assert edges[0] <= line <= edges[-1]


def test_embedded_json_cannot_end_its_script():
    packed = markup.script_json(["</script>", "<!--", "\u2028", "&"])
    assert not set("<>&\u2028") & set(packed)
    assert json.loads(packed) == ["</script>", "<!--", "\u2028", "&"]
