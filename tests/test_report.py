"""The report as a file: its contents, and that names stay text."""

import html
import itertools
import re
from dataclasses import replace

import pytest
from page_outline import Outline
from report_folders import (
    MARKUP_NAMES,
    differing,
    made_answer,
    made_evaluation,
    rejected,
    undecided,
    with_many_models,
    with_markup,
    with_states,
)

import netchoice
from netchoice.choice.text import answer_lines, power_line
from netchoice.errors import UsageError
from netchoice.inference.verdict import rounded
from netchoice.io import ReadingReport
from netchoice.report import report_answer, report_evaluation
from netchoice.report.answer_page import AnswerPage
from netchoice.report.build import write_report
from netchoice.report.evaluation_page import EvaluationPage

LARGEST = 1_500_000
READING = ReadingReport("data/my.tsv", "edge list", 9, 2, 0, 0, 0, False, False, False, 40, 80)


class Page(Outline):
    """The outline of a report; ``source`` is its text. An option is part of the text around it."""

    def __init__(self, file):
        self.source = file.read_text()
        super().__init__(re.sub(r'<span class="option">([^<]*)</span>', r"\1", self.source))


@pytest.fixture
def page_of(tmp_path):
    """Return a function that makes the page of a result."""
    return lambda result: Page(write_report(result, tmp_path / "page.html", overwrite=True))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return Page(write_report(made_answer(), tmp_path_factory.mktemp("report") / "page.html"))


def with_value(answer, feature, value):
    """Return an answer in which a feature of the network has another value."""
    features = tuple(
        replace(each, observed=value) if each.name == feature else each for each in answer.features
    )
    return replace(answer, features=features)


def first_screen(page):
    return page.text.partition("A model fits if the p-value")[0]


def in_class(page, name, tag=None):
    return [
        attributes for found, attributes in page.elements
        if name in attributes.get("class", "").split() and tag in (None, found)
    ]  # fmt: skip


def test_first_screen_has_the_answer(page):
    answer, top = made_answer(), first_screen(page)
    assert answer.verdict.sentence[1:] in top
    assert "of 2 models" in top
    models = page.text.partition("All models: those that are not rejected first")[2]
    for each in answer.candidates:
        low, high = map(rounded, each.interval)
        assert (
            f"{each.name} fits {rounded(each.probability)} ({low} to {high}) {each.p_value:.2g}"
            in models
        )
    for note in (*answer.notes, power_line(answer)):
        assert " ".join(note[1:].split()) in top


def test_sections_are_in_order_and_the_appendix_is_folded(page):
    titles = [
        "Which models fit, and why others do not", "Parameters", "The network among the simulations",
        "Appendix",
    ]  # fmt: skip
    found = [page.text.rindex(f"{title} ") for title in titles]
    assert found == sorted(found)
    appendix = page.text.partition("Show the appendix")[2]
    for text in ("Features and costs", "Held-out accuracy", "seed", "numpy", "dmr"):
        assert text in appendix
    assert "λ" not in page.text
    assert "penalty" not in page.text.replace('"penalty"', "")  # a setting
    assert len([tag for tag, _ in page.elements if tag == "section"]) == 5


def test_without_a_fitting_model_the_differences_stand_below_the_verdict(page_of):
    page = page_of(rejected(made_answer()))
    top = first_screen(page)
    assert "None of the 2 models fits: the largest p-value is 0.001." in top
    assert "outside all simulations of 2 of 2 models." in top
    assert len(in_class(page, "facts")) == 1
    assert "dmr" not in top
    assert "dmc" not in top
    assert "Parameters" not in page.text


def test_differences_have_the_same_sign_for_fitting_and_rejected_models(page_of):
    answer = with_states(made_answer(), {"dmr": "fits", "dmc": "does not fit"}, {"dmr": 1.0})
    answer = with_value(differing(answer), "transitivity", 0.9)
    page = page_of(answer)
    text = "Larger transitivity than any of the 60 simulations: 0.9, simulated 0.1 to 0.5."
    lists = page.text.count(text)
    assert lists == 4  # two in the table, two below
    marked = re.findall(f'<span class="differs">{re.escape(text)}', page.source)
    assert len(marked) == lists
    assert any(line.startswith("    ⚠ transitivity = 0.9") for line in answer_lines(answer))
    assert "Its probability was" in page.text  # of the rejected model, before


def test_advice_speaks_the_language_of_the_caller(page_of):
    answer = rejected(made_answer())
    page = page_of(answer)
    assert 'Try all mechanisms: space="all", match=True.' in page.text
    page = page_of(replace(answer, reading=READING))
    assert "Try all mechanisms: --space all --match." in page.text
    assert "my.tsv: 40 nodes and " in page.text


def test_an_undecided_answer_has_a_page(page_of):
    page = page_of(undecided(made_answer()))
    top = first_screen(page)
    assert "Not decided within the time limit: 2 of 2 models are still open." in top
    assert "Next: give a longer time limit" in top
    assert list(page.figures) == [next(iter(page.figures))]  # the network


def test_one_self_contained_file_of_limited_size(page_of):
    for result in (made_answer(), made_evaluation()):
        page = page_of(result)
        assert len(page.source) < LARGEST
        for tag, attributes in page.elements:
            assert "src" not in attributes
            assert attributes.get("href", "#").startswith("#"), tag
            assert tag not in ("link", "iframe", "img", "image", "object", "embed")
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


def test_many_models_stay_readable_and_within_the_size(page_of):
    answer = with_many_models(made_answer())
    page = page_of(answer)
    assert len(page.source) < LARGEST
    top = first_screen(page)
    assert "25 of 25 models fit" in top
    labels = list(page.figures)
    bars = next(label for label in labels if label.startswith("Probability of"))
    assert bars.count(" 0.04") == 12
    assert sum(": Degrees: " in label for label in labels) == 3
    assert sum("Posterior of " in label for label in labels) == 6
    models = page.text.partition("All models: those that are not rejected first")[2]
    assert all(each.name in models for each in answer.models)
    colours = re.findall(r'class="chip" style="color:var\((--\w+)\)', page.source)
    assert len(set(colours)) == 12


def test_only_uniform_priors_are_drawn(page_of):
    answer = made_answer()

    def dashed(changed):
        page = page_of(changed)
        drawn = [page.figures[f"dmr: Posterior of {name}."] for name in ("p_delete", "p_new")]
        return ["stroke-dasharray" in drawing for drawing in drawn]

    assert dashed(answer) == [True, True]
    assert dashed(replace(answer, space={**answer.space, "matched": True})) == [False, False]
    first = answer["dmr"]
    estimate = replace(first.parameters["p_delete"], prior="loguniform(0.25, 0.75)")
    changed = replace(first, parameters=first.parameters | {"p_delete": estimate})
    models = tuple(changed if each is first else each for each in answer.models)
    assert dashed(replace(answer, models=models)) == [False, True]


def test_names_that_look_like_markup_stay_text(page_of):
    answer, known = with_markup(differing(made_answer()))
    allowed = {
        "html", "head", "meta", "title", "style", "body", "a", "header", "p", "h1", "h2", "h3",
        "h4", "main", "section", "article", "div", "span", "ul", "li", "nav",
        "figure", "details", "summary", "table", "thead", "tbody", "tr", "th", "td", "script", "caption",
        "figcaption", "svg", "g", "path", "use", "text", "defs", "clippath", "rect", "image",
        "pre",
    }  # fmt: skip
    for result in (made_evaluation(), answer):
        page = page_of(result)
        tags = [tag for tag, _ in page.elements]
        assert set(tags) <= allowed
        assert tags.count("script") == 1
        assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]
    for name in ("dmc", "dmr", "p_delete", "transitivity"):
        assert " ".join(known[name].split()) in page.text, name
    for name in MARKUP_NAMES:
        assert " ".join(name.format("a note").split()).lower() in page.text.lower()
    drawings = "".join(page.figures.values())
    assert "<img" not in drawings
    assert "onload=hit" not in re.sub(r'aria-label="[^"]*"|>[^<]*<', "", drawings)
    for name in ("dmc", "dmr", "p_delete"):
        escaped = html.escape(" ".join(known[name].split()), quote=False)
        assert escaped[:20] in drawings, name


def test_saved_answer_gives_the_same_report(tmp_path):
    answer = made_answer()
    plain = replace(answer, graph=netchoice.Graph(answer.graph.indptr, answer.graph.indices))
    folder = plain.save(tmp_path / "run")
    again = write_report(folder)
    assert again == folder / "report.html"
    one, other = Page(again), Page(write_report(plain, tmp_path / "a.html"))
    assert first_screen(one) == first_screen(other)
    assert list(one.figures) == list(other.figures)


def test_report_replaces_no_file_by_accident(tmp_path):
    file = tmp_path / "mine.html"
    file.write_text("mine")
    with pytest.raises(UsageError, match=r"mine\.html exists; give another name"):
        write_report(made_answer(), file)
    assert file.read_text() == "mine"
    assert made_answer().report(file, overwrite=True) == file
    assert file.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.slow
def test_report_of_an_answer_writes_figures_and_page(tmp_path):
    report_answer(made_answer(), tmp_path)
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"probabilities.png", "map.png", "parameters.png", "fit-dmr.png"} <= names
    assert (tmp_path / "report.html").exists()


# Evaluations


def test_page_of_an_evaluation_recommends_features(page_of):
    result = made_evaluation()
    page = page_of(result)
    point = result.recommended
    top = page.text.partition("Each marker is a set of features")[0]
    listed = ", ".join(point.features)
    count = "One feature is" if len(point.features) == 1 else f"{len(point.features)} features are"
    assert " ".join(f"{count} recommended: {listed}.".split()) in top
    titles = [
        "Accuracy against cost",
        "Cost of each feature",
    ]
    found = [page.text.rindex(f"{title} ") for title in titles]
    assert found == sorted(found)


def test_evaluation_in_a_folder_gives_the_same_report(tmp_path):
    result = made_evaluation()
    folder = result.save(tmp_path / "run")
    assert write_report(folder).read_text() == write_report(result, tmp_path / "a.html").read_text()


def test_some_numbers_of_features_may_be_missing():
    result = made_evaluation()
    rows = result.evaluation[result.evaluation["k"].isin([result.recommended.k, 4, 7])]
    page = EvaluationPage(replace(result, evaluation=rows))
    page.add_sets()
    outline = Outline(page.sections.html())
    assert len(outline.figures) == 1


@pytest.mark.slow
def test_report_of_an_evaluation_writes_figures_and_page(tmp_path):
    table = netchoice.simulate_table(
        "ba",
        n_nodes=30,
        n_samples=80,
        seed=1,
        engine="serial",
        features=["degree_mean", "transitivity"],
    )
    report_evaluation(table, out=tmp_path, methods=["jmi"], max_features=2, folds=4)
    assert (tmp_path / "report.html").exists()
    assert (tmp_path / "figures" / "pareto.png").exists()


@pytest.mark.parametrize(
    ("states", "condition"),
    [
        (("fits", "fits"), "one of the models that fit made"),
        (("fits", "open"), "one of the models that fit or of the open models made"),
        (("borderline", "borderline"), "one of the borderline models made"),
    ],
)
def test_report_says_what_probabilities_are_given(states, condition):
    answer = made_answer()
    models = tuple(
        replace(each, state=state, probability=0.5, interval=(0.4, 0.6))
        for each, state in zip(answer.models, states, strict=True)
    )
    assert condition in AnswerPage(replace(answer, models=models)).condition()
