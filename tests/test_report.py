"""The report as a file: its contents, and that names stay text."""

import html
import itertools
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from page_outline import Outline, tooltips
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
from netchoice.costs import CostModel
from netchoice.evaluation import wilson
from netchoice.figures.cost_figures import cost_text
from netchoice.figures.distributions import feature_histogram
from netchoice.figures.fit_panels import percent, range_text
from netchoice.report import feature_sections, folder
from netchoice.report.headline import choice_headline, evaluation_headline
from netchoice.report.page import Sections
from netchoice.units import duration

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 1_500_000


@pytest.fixture(scope="module")
def choice(tmp_path_factory):
    return shared_folder(run_choose, tmp_path_factory)


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory):
    return shared_folder(run_evaluate, tmp_path_factory)


@pytest.fixture(scope="module")
def page(choice):
    return Outline((choice / "report.html").read_text())


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
    names = list(record["features"])
    cost = costs.cost_of_set(names, "shared")
    of_all = costs.cost_of_set(costs.features, "shared")
    top = page.text.partition("A bar is the probability")[0]
    assert f"{duration(cost)} CPU time per network for {len(names)} feature" in top
    assert f"All {len(costs.features)} features cost {of_all / cost:.3g} times as much." in top
    for_model = costs.cost_of_set(record["selection"]["for_model"], "shared")
    assert f"Cost, shared steps paid once {cost_text(for_model)}" in page.text


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
    for name in ("numpy", "netchoice", "seed"):
        assert name in page.text


def test_one_self_contained_file_of_limited_size(page, choice, evaluation):
    for path in (choice, evaluation):
        assert (path / "report.html").stat().st_size < LARGEST
    for tag, attributes in page.elements:
        assert "src" not in attributes
        inside = "data:image/png;base64," if tag == "image" else "#"
        assert attributes.get("href", inside).startswith(inside), tag
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
    assert not {"input", "select", "button"} & {tag for tag, _ in page.elements}
    drawings = [a for tag, a in page.elements if tag == "svg" and not a.get("aria-hidden")]
    assert all(a["role"] == "img" and a["aria-label"] for a in drawings)
    assert len(drawings) == [tag for tag, _ in page.elements].count("figure") > 20
    assert next(iter(page.figures)).startswith("Drawing of the observed network, with ")
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
        assert len(text.encode()) - before < 120_000
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
    drawn = {
        label: page.figures[label] for label in page.figures if re.match(r"\w.* of dm[cr]: ", label)
    }
    assert len(drawn) == 12
    for model, title, panel in [
        ("dmr", "Degrees", "degree"),
        ("dmc", "Shared partners", "partners"),
    ]:
        drawing = next(drawn[label] for label in drawn if label.startswith(f"{title} of {model}: "))
        envelope = misfit[model]["panels"][panel]
        known = {
            label: f"{label}: {percent(value)}, simulated {range_text(low, high)}"
            for label, value, low, high in zip(
                envelope["labels"], envelope["observed"], envelope["quantiles"][0],
                envelope["quantiles"][-1], strict=True,
            )
        }  # fmt: skip
        shown = {text.partition(":")[0]: text for text in tooltips(drawing)}
        assert shown == {label: known[label] for label in shown}
        hidden = [v for name, v in zip(envelope["labels"], envelope["observed"], strict=True)
                  if name not in shown]  # fmt: skip
        assert not any(hidden)
    for panel in misfit["dmr"]["panels"].values():
        assert all(label in page.text for label in panel["labels"])


def test_sets_of_the_report_match_the_evaluation(choice, page):
    results = folder.read_folder(choice)
    sets, n = results.feature_sets, len(results.evaluation)
    assert sets.methods[:2] == ["jmi", "relieff"]  # requested; the others are compared only
    assert len(sets.methods) == 7
    for row in results.evaluation.to_dict("records"):
        assert ";".join(sets.features_of(row)) == row["features"]
    chosen = sets.features_of(sets.chosen)
    assert chosen == results.record["selection"]["features"]
    row = sets.chosen
    low, high = wilson(row["accuracy"], row["n_choosing"] + row["n_reporting"])
    section = page.text.partition("The recommended set ")[2].partition("The accuracy is that")[0]
    assert section.startswith(" ".join(chosen))
    assert f"Selected by {row['method']}, λ = {row['penalty']:.4g}, k = {row['k']:g}" in section
    assert f"Accuracy {row['accuracy']:.2%} (95% interval {low:.2%} to {high:.2%})" in section
    assert "times cheaper" in section
    cells = [
        (method, penalty, k) for method, penalty in sets.orders
        for k in results.evaluation.query("method == @method and penalty == @penalty")["k"]
    ]  # fmt: skip
    assert len(cells) == n


def test_tables_of_the_report_match_the_evaluation(choice, page):
    results = folder.read_folder(choice)
    for method, rows in results.evaluation.groupby("method"):
        text = page.text.partition(f"accuracy over λ and k, method {method} ")[2].split(" ")
        wide = rows.pivot(index="penalty", columns="k", values="accuracy")
        expected = ["λ", "\\", "k", *(f"{k:g}" for k in wide)]
        for penalty, values in wide.iterrows():
            expected += [f"{penalty:.4g}", *(f"{value:.4f}" for value in values)]
        assert text[: len(expected)] == expected
        order = results.rankings[results.rankings["method"] == method].sort_values("position")
        text = page.text.partition(f"Features by position, method {method} ")[2]
        for penalty, own in order.groupby("penalty"):
            first = " ".join([f"{penalty:.4g}", *own["feature"].head(int(rows["k"].max()))])
            assert f" {first} " in f" {text} "


def test_figures_show_the_numbers_of_the_folder(page, choice):
    record, evidence = (
        json.loads((choice / f"{n}.json").read_text()) for n in ("choice", "evidence")
    )
    figures = {label.partition(" ")[0]: drawing for label, drawing in page.figures.items()}
    bars = tooltips(figures["Probability"])
    expected = []
    for name, probability in sorted(record["probabilities"].items(), key=lambda pair: -pair[1]):
        low, high = record["intervals"][name]
        expected.append(f"{name}: {probability:.4f}, interval {low:.4f} to {high:.4f}")
    assert bars == expected
    points = tooltips(figures["Map"])
    assert len(points) == len(evidence["embedding"]["x"]) == 320
    known = evidence["embedding"]["parameters"]["p_delete"]
    for i, model in enumerate(evidence["embedding"]["model"]):
        assert any(text.startswith(f"{model}, p_delete = {known[i]:.3g}, p_") for text in points)
    for name, value in record["features"].items():
        assert f"Histograms of {name} by model; the observed value is {value:.4g}." in page.figures
    bins = [text.rpartition(", ")[2] for text in tooltips(figures["Reliability"])]
    n_predictions = 2 * sum(sum(row.values()) for row in record["confusion"].values())
    assert sum(int(text.partition(" ")[0]) for text in bins) == n_predictions
    model = CostModel(**json.loads((choice / "costs.json").read_text()))
    drawings = [drawing for label, drawing in page.figures.items() if label.startswith("Cost of")]
    texts = [text for drawing in drawings for text in tooltips(drawing)]
    for name, cost in model.alone().items():
        assert any(text.startswith(f"{name}: {cost_text(cost)} alone") for text in texts)


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


def test_evaluation_without_costs(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    lines = ["a,b,label", *(f"{i + rng.normal()},{rng.normal()},{'xy'[i]}" for i in y)]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    arguments = ["--method", "jmi", "--penalty", "0", "--folds", "3", "-o", tmp_path / "out"]
    assert run("evaluate", tmp_path / "t.csv", *arguments) == 0
    page = Outline((tmp_path / "out" / "report.html").read_text())
    drawing = next(page.figures[label] for label in page.figures if label.startswith("Scatter"))
    assert ">number of features</text>" in drawing
    assert "ranking" not in page.ids
    assert "No costs were given." in page.text
    assert "Compared with all features no costs were given" in page.text


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
    labels = list(page.figures)
    bars = next(page.figures[label] for label in labels if label.startswith("Probability of"))
    assert len(tooltips(bars)) == 12
    assert (
        sum(label.startswith("Posterior of ") for label in labels) == 8
    )  # two of each of four models
    models = page.text.partition("Compared models, the most probable first")[2]
    assert "Preferential attachment with triad formation. Holme & Kim, Phys. Rev. E" in models
    assert "spatial <0.001 nodes have places, and near ones are linked none, all were" in models
    assert "smw~nodes – 0 never has this density Small world: a ring lattice" in page.text
    assert "Show 15 less probable models" in page.text
    articles = [a["id"] for tag, a in page.elements if tag == "article" and "id" in a]
    assert articles == [f"fit-model-{i}" for i in range(len(names))]
    assert sum(label.startswith("Degrees of ") for label in labels) == 10


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
        names = [f"Posterior of {record['model']} {name}: " for name in ("p_delete", "p_new")]
        drawings = [next(page.figures[label] for label in page.figures if label.startswith(name))
                    for name in names]  # fmt: skip
        return ["stroke-dasharray" in drawing for drawing in drawings], page.text

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


def test_page_says_where_costs_were_measured(page):
    section = page.text.partition("Each marker is a set of features")[2].partition("Lighter cells")[
        0
    ]
    assert "were measured on the simulations from which the features were selected." in section


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
            "table", "thead", "tbody", "tr", "th", "td", "dt", "dd", "noscript", "script", "caption",
            "figcaption", "svg", "g", "path", "use", "text", "defs", "clippath", "rect", "image",
            "polygon",
        }  # fmt: skip
        tags = [tag for tag, _ in page.elements]
        assert set(tags) <= allowed
        assert tags.count("script") == 1
        assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]
    page = Outline((tmp_path / "markup" / "report.html").read_text())
    for name in ("dmc", "p_delete", "transitivity", "package", "jmi", "network"):
        shown = known[name].replace("/", "∕") if name == "network" else known[name]
        assert " ".join(shown.split()) in page.text, name
    for name in MARKUP_NAMES:
        assert " ".join(name.format("a note").split()).lower() in page.text.lower()


def test_names_are_text_in_figures(choice, tmp_path):
    known = copy_with_markup(choice, tmp_path / "markup")
    page = Outline(write_report(tmp_path / "markup").read_text())
    drawings = "".join(page.figures.values())
    assert "<img" not in drawings
    assert "onload=hit" not in re.sub(r'aria-label="[^"]*"|>[^<]*<', "", drawings)
    for name in ("dmc", "dmr", "p_delete", "transitivity"):
        escaped = html.escape(" ".join(known[name].split()), quote=False)
        assert escaped[:20] in drawings, name


def test_long_cost_figure_draws_the_most_expensive_and_tables_all():
    costs = CostModel({f"f{i:03}": float(i) for i in range(200)})
    sections = Sections()
    feature_sections.add_costs(sections, costs, ["f003", "f199"], "")
    page = Outline(sections.html())
    drawings = "".join(page.figures.values())
    names = re.findall(r">(?:★ )?(f\d{3})</text>", drawings)
    assert names == [*(f"f{i:03}" for i in range(199, 139, -1)), "f003"]
    assert re.findall(r">★ (f\d{3})</text>", drawings) == ["f199", "f003"]
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
    histogram = feature_histogram("f", np.array(values), models, observed)
    for share in histogram.shares.values():
        assert share.sum() == pytest.approx(1)
    assert histogram.edges[0] <= histogram.observed <= histogram.edges[-1]
