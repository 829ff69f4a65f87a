"""The report as a file: what it holds, what it refuses, and that names stay text."""

import itertools
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from report_parts import SNARES, answered, evaluated, kept, poisoned, run

import netchoice
from netchoice.costs import CostModel
from netchoice.evaluation import wilson
from netchoice.report import (
    figures_answer,
    figures_grid,
    folder,
    grid,
    markup,
    sections_grid,
    words,
    write_report,
)
from netchoice.report.costs import CostAxis, Unit
from netchoice.report.parts import Sheet
from netchoice.workflows import answer as study

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 8_000_000
VOID = {"meta", "input"}


class Outline(HTMLParser):
    """Elements, texts and the embedded data of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.ids, self.open, self.texts, self.data = [], [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        tag, attributes = self.open[-1] if self.open else ("", {})
        if tag == "script":
            self.data += data if attributes.get("id") == "data" else ""
        elif tag != "style":
            self.texts.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    return kept(answered, tmp_path_factory)


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory):
    return kept(evaluated, tmp_path_factory)


@pytest.fixture(scope="module")
def page(answer):
    return Outline((answer / "report.html").read_text())


def test_the_answer_stands_on_top(page, answer):
    record = json.loads((answer / "choice.json").read_text())
    top = page.words.partition("Model probabilities")[0]
    model, cost = record["model"], record["cost"]
    assert f"{model} is the most probable, and the network looks like what it makes" in top
    assert f"{record['accuracy']:.1%} were given their true model" in top
    assert record["fit"]["summary"] in top
    assert f"all features cost {cost['speedup']:.3g} times as much" in top
    assert all(note in top for note in record["notes"])


def test_an_answer_not_to_be_trusted_says_so_first(answer):
    record = json.loads((answer / "choice.json").read_text())
    other = words.of_choice(
        record | {"fit_p_values": {"dmc": 0.5, "dmr": 0.001}, "model": "dmr"}, "net"
    )
    assert (
        "it does not fit, and another one does: the answer is not to be trusted" in other.headline
    )
    none = words.of_choice(record | {"fits": False}, "net")
    assert "none explains this network" in none.headline
    for told, reply in ((other, "Another one"), (none, "No")):
        card = told.cards[2]
        assert (card.question, card.answer, card.warning) == ("Does any model fit?", reply, True)
    assert not any(card.warning for card in words.of_choice(record, "net").cards)


def test_sections_in_their_order(page):
    titles = [
        "Model probabilities", "Parameters of dmr", "Where the network lies",
        "The features that the answer rests on", "Accuracy against cost",
        "Accuracy over λ and k, method by method", "How the ranking changes with λ",
        "Cost of every feature, and the steps it shares", "Can the probabilities be believed?",
        "What was read", "Settings, seed and versions",
    ]  # fmt: skip
    found = [page.words.rindex(f"{title} ") for title in titles]
    assert found == sorted(found)
    assert "the format cannot declare isolated nodes" in page.words
    for name in ("numpy", "netchoice", "plotly.js", "seed"):
        assert name in page.words


def test_one_file_and_no_more_than_eight_megabytes(page, answer, evaluation):
    for made in (answer, evaluation):
        assert 4_500_000 < (made / "report.html").stat().st_size < LARGEST
    for tag, attributes in page.elements:
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#"), tag
        assert tag not in ("link", "iframe", "img", "object", "embed")
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-inline" not in policy.partition("style-src")[0]


def test_the_bones_of_a_page_for_everybody(page):
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
    figures = [a for tag, a in page.elements if tag == "figure"]
    assert all(a["aria-label"] for a in figures)
    links = {a["href"][1:] for tag, a in page.elements if tag == "a"}
    assert links <= set(page.ids)


def test_the_grid_holds_what_was_evaluated(answer):
    held = folder.read_folder(answer)
    tried = grid.Grid(held.rankings, held.evaluation, held.costs, held.chosen, held.unit)
    packed = tried.packed()
    assert packed["methods"][:2] == ["jmi", "relieff"]  # asked for; the others are compared only
    assert len(packed["methods"]) == 7
    count = 0
    for row in held.evaluation.to_dict("records"):
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
    assert chosen == held.record["selection"]["features"]


def test_figures_hold_the_numbers_of_the_folder(page, answer):
    figures = json.loads(page.data)["figures"]
    record, evidence = (
        json.loads((answer / f"{n}.json").read_text()) for n in ("choice", "evidence")
    )
    bars = figures["models"]["data"][0]
    assert bars["x"] == pytest.approx(sorted(record["probabilities"].values()), rel=1e-4)
    *clouds, star = figures["cloud"]["data"]
    assert sum(len(trace["x"]) for trace in clouds) == len(evidence["embedding"]["x"]) == 320
    assert [star["x"][0], star["y"][0]] == evidence["embedding"]["observed"]
    assert "p_delete = 0." in clouds[0]["text"][0]
    for i, value in enumerate(record["features"].values()):
        *models, observed = figures[f"feature-{i}"]["data"]
        assert observed["x"] == pytest.approx([value, value], rel=1e-6)
        assert [sum(trace["y"][:-1]) for trace in models] == pytest.approx([1, 1], abs=1e-3)
    dots = figures["reliability"]["data"][1]
    assert sum(dots["customdata"]) == 2 * sum(sum(r.values()) for r in record["confusion"].values())
    costs = figures["costs"]["data"][1]
    held = CostModel(**json.loads((answer / "costs.json").read_text()))
    assert len(costs["x"]) == len(held.features)
    assert max(costs["x"]) == pytest.approx(max(held.alone().values()), rel=1e-4)


def test_what_the_folder_keeps_for_it_is_documented(answer):
    text = (ROOT / "docs" / "choose.md").read_text()
    evidence = json.loads((answer / "evidence.json").read_text())
    assert evidence.pop("schema") == 1
    assert all(f"`{name}` (" in text for name in evidence)
    for path in answer.iterdir():
        if path.name not in ("choice.json", "scores.jsonl"):  # the page itself, and a cache
            assert f"`{path.name}" in text
    assert CostModel.from_file(answer / "costs.json").features == evidence["fit"]["features"]


def test_remade_it_is_the_same(answer, tmp_path, capsys):
    first = (answer / "report.html").read_bytes()
    assert run("report", answer, "--out", tmp_path / "again.html", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bytes"] == len(first)
    assert (tmp_path / "again.html").read_bytes() == first
    assert run("report", answer) == 0
    assert "report.html: open it in a browser" in capsys.readouterr().out


def test_without_a_report(tmp_path):
    assert not (evaluated(tmp_path / "none", "--no-report") / "report.html").exists()


def test_features_that_were_named(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "SELECTION_SAMPLES", 320)
    path, rng = tmp_path / "named", np.random.default_rng(1)
    network = netchoice.get_model("dmr").grow(30, {"p_delete": 0.4, "p_new": 0.7}, rng)
    named = {"features": ["degree_mean"], "samples": 100, "engine": "serial"}
    netchoice.choose_model(network, "duplication", path=path, **named)
    text = write_report(path).read_text()
    assert 'id="explorer"' not in text
    assert "handed over in Python" in text
    assert '"grid":null' in text


def test_an_evaluation_without_costs(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    lines = ["a,b,label", *(f"{i + rng.normal()},{rng.normal()},{'xy'[i]}" for i in y)]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    given = ["--methods", "jmi", "--penalties", "0", "--folds", "3", "-o", tmp_path / "out"]
    assert run("evaluate", tmp_path / "t.csv", *given) == 0
    page = Outline((tmp_path / "out" / "report.html").read_text())
    data = json.loads(page.data)
    assert not data["grid"]["has_costs"]
    assert data["figures"]["explorer"]["layout"]["xaxis"]["title"]["text"] == "number of features"
    assert "charge" not in page.ids
    assert "ranking" not in page.ids
    assert "no costs were given" in page.words
    assert not data["grid"]["given"]


def test_free_features_among_costly_ones_are_free(evaluation):
    record = json.loads((evaluation / "recommended.json").read_text())
    free = record | {"recommended": record["recommended"] | {"cost": 0.0, "speedup": None}}
    for most_expensive, told in ((3.0, "these features are free"), (0.0, "no costs were given")):
        costs = CostModel({"a": 0.0, "b": most_expensive})
        card = words.of_evaluation(free, costs, Unit(False)).cards[3]
        assert (card.answer, card.rest) == ("nothing", told)


def test_only_flat_priors_are_drawn(answer, tmp_path):
    shutil.copytree(answer, tmp_path / "other")
    file = tmp_path / "other" / "choice.json"
    record = json.loads(file.read_text())
    model = next(m for m in record["space"]["models"] if m["name"] == record["model"])
    model["priors"]["p_delete"] = "loguniform(0.25, 0.75)"

    def drawn():
        file.write_text(json.dumps(record))
        page = Outline(write_report(tmp_path / "other").read_text())
        figures = json.loads(page.data)["figures"]
        names = [
            [trace["name"] for trace in figures[f"parameter-{i}"]["data"]]
            for i, _ in enumerate(record["parameters"])
        ]
        return ["flat prior" in each for each in names], page.words

    assert list(record["parameters"]) == ["p_delete", "p_new"]
    flat, told = drawn()
    assert flat == [False, True]
    assert "loguniform(0.25, 0.75)" in told
    model["match"] = {"edges_per_node": 2.0, "tolerance": 0.1}
    flat, told = drawn()
    assert flat == [False, False]
    assert "uniform(0.25, 0.75), given the density" in told
    assert "dashed line is a flat prior" not in told
    del record["space"]
    assert drawn()[0] == [False, False]


def test_where_costs_were_timed_stands_beside_the_explorer(page):
    section = page.words.partition("Each sign is a set of features")[2].partition("Lighter is")[0]
    assert "timed on the simulations that the features were selected on; that on top" in section


def test_tables_that_a_script_fills_are_said_to_need_it(page, answer):
    told = (
        (answer / "report.html").read_text().partition("<noscript>")[2].partition("</noscript>")[0]
    )
    assert {name for name in page.ids if name.endswith("-table")} == {"heat-table", "ranking-table"}
    assert "tables of accuracies over λ and k and of rankings need JavaScript" in told


def test_names_stay_text(answer, evaluation, tmp_path):
    known = poisoned(answer, tmp_path / "poison")
    for file in (write_report(tmp_path / "poison"), evaluation / "report.html"):
        page = Outline(file.read_text())
        allowed = {
            "html", "head", "meta", "title", "style", "body", "a", "header", "p", "h1", "h2", "h3",
            "main", "section", "div", "ul", "ol", "li", "dl", "nav", "figure", "details", "summary",
            "table", "thead", "tbody", "tr", "th", "td", "form", "label", "output", "input",
            "select", "option", "button", "noscript", "script",
        }  # fmt: skip
        tags = [tag for tag, _ in page.elements]
        assert set(tags) <= allowed
        assert tags.count("script") == 3
        assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]
    page = Outline((tmp_path / "poison" / "report.html").read_text())
    for name in ("dmc", "p_delete", "transitivity", "package", "jmi", "network"):
        shown = known[name].replace("/", "∕") if name == "network" else known[name]
        assert " ".join(shown.split()) in page.words, name
    for snare in SNARES:
        assert " ".join(snare.format("a note").split()) in page.words


def test_labels_of_figures_hold_no_markup(answer, tmp_path):
    poisoned(answer, tmp_path / "poison")
    data = json.loads(Outline(write_report(tmp_path / "poison").read_text()).data)

    def texts(part):
        if isinstance(part, dict):
            for value in part.values():
                yield from texts(value)
        elif isinstance(part, list):
            for value in part:
                yield from texts(value)
        elif isinstance(part, str):
            yield part

    ours = re.compile(r"</?b>|<br>|<extra></extra>")
    for text in [*texts(data["figures"]), *data["grid"]["labels"]]:
        assert "<" not in ours.sub("", text), text


def test_costs_of_nothing_and_of_everything():
    axis = CostAxis([0.0, 2.0, 3.0], Unit(False))
    assert axis.layout("cost")["ticktext"] == ["free", "1", "2", "5", "10", "20", "50"]
    assert CostAxis([0.0], Unit(True)).layout("cost")["type"] == "linear"
    costs = CostModel({"a": 0.0, "b": 4.0}, {"b": ["s"]}, {"s": 1.0})
    drawn = figures_grid.cost_list(costs, ["b"], Unit(False))
    assert drawn["layout"]["yaxis"]["ticktext"] == ["a", "<b>★ b</b>"]
    assert drawn["data"][1]["x"] == pytest.approx([4 / 3, 5.0], rel=1e-4)
    assert drawn["data"][1]["text"][1] == "<b>b</b>: 5 alone<br>its own part 4<br>step s 1"


def test_a_long_cost_list_draws_the_dearest_and_tables_all():
    costs = CostModel({f"f{i:03}": float(i) for i in range(200)})
    sheet = Sheet()
    sections_grid.add_costs(sheet, costs, ["f003", "f199"], Unit(False))
    layout = sheet.figures["costs"]["layout"]
    assert len(layout["yaxis"]["ticktext"]) == figures_grid.MOST_COSTD + 1 == 61
    assert layout["yaxis"]["ticktext"][:2] == ["<b>★ f003</b>", "f140"]
    assert layout["height"] < 1200
    page = Outline(sheet.body())
    assert "139 cheaper features are in the table only." in page.words
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
    figure = figures_answer.distribution(
        "f", np.array(values), np.array(["a", "a", "b", "b"]), observed
    )
    for trace in figure["data"][:2]:
        assert sum(trace["y"][:-1]) == pytest.approx(1)
    line = figure["data"][2]["x"][0]
    edges = figure["data"][0]["x"]
    assert edges[0] <= line <= edges[-1]


def test_nothing_ends_a_script_early():
    told = markup.script_json(["</script>", "<!--", "\u2028", "&"])
    assert not set("<>&\u2028") & set(told)
    assert json.loads(told) == ["</script>", "<!--", "\u2028", "&"]
