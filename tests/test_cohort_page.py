"""The report of a cohort: its contents, its limits, that names stay text, and its use in a browser."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser_visits import DESKTOP, PHONE, Visit
from cohort_frames import REFERENCE, answers_by_hand, as_cohort, random_answers, random_features
from page_outline import Outline, tooltips
from report_folders import MARKUP_NAMES

from netchoice.choice.cohort_summary import IN_WORDS, summarise_cohort
from netchoice.figures.cohort_figures import cohort_map
from netchoice.report import cohort_networks
from netchoice.report.cohort_page import CohortPage

LARGEST = 3_500_000


def page_of(answers, features=None, simulations=None):
    cohort = as_cohort(answers)
    found = None if simulations is None else cohort_map(cohort, features, *simulations)
    return CohortPage(summarise_cohort(cohort), cohort, found).html()


def answers_with_markup():
    """Return answers with markup in every text, and features and simulations that belong to them."""
    answers = random_answers(60, seed=6).assign(notes="a note")
    features, X, y = random_features(answers)
    mark = dict(enumerate(MARKUP_NAMES))
    rename = {model: mark[i].format(model) for i, model in enumerate(("dmc", "dmr"))}
    answers["model"] = answers["model"].map(rename).fillna("")
    pairs = answers["probable"].str.split(", ", expand=True).replace(rename).fillna("")
    answers["probable"] = pairs[0].where(pairs[1] == "", pairs[0] + ", " + pairs[1])
    y = np.array([rename[model] for model in y])
    columns = {name: name.replace(model, new) for model, new in rename.items() for name in answers
               if model in name}  # fmt: skip
    answers = answers.rename(columns=columns | {"age": mark[2].format("age")})
    for column in ("id", "group", "notes", "tissue", "file", "headline", "reference", "family"):
        base = answers[column].astype(str)
        marks = [mark[i % len(mark)] for i in range(len(answers))]
        if column in ("reference", "group", "family"):
            marks = [mark[3]] * len(answers)
        answers[column] = [name.format(text) for name, text in zip(marks, base, strict=True)]
    features["id"] = answers["id"]
    answers.loc[50:, "error"] = [name.format("error") for name in MARKUP_NAMES] + ["x"] * 3
    return answers, features, (X, y)


@pytest.fixture(scope="module")
def by_hand():
    return Outline(page_of(answers_by_hand()))


@pytest.fixture(scope="module")
def text():
    answers, features, simulations = answers_with_markup()
    return page_of(answers, features, simulations)


@pytest.fixture(scope="module")
def answers():
    return random_answers(60, seed=8)


@pytest.fixture(scope="module")
def file(answers, tmp_path_factory):
    features, X, y = random_features(answers)
    path = tmp_path_factory.mktemp("cohort") / "report.html"
    path.write_text(page_of(answers, features=features, simulations=(X, y)))
    return path


class TestContents:
    def test_first_screen_has_the_answer_in_words(self, by_hand):
        top = by_hand.text.partition("What was found")[0]
        assert (
            "Verdicts of 8 networks: one model fits 3, several models fit 1, borderline 1, none fits 2, not "
            "decided 1." in top
        )
        assert "One model fits: dmc 2, lpa 1. Several models fit: several families 1." in top
        assert "Borderline: lpa 1." in top
        assert "by chance, none fits up to 0.07 of 8" in top
        assert "none fits 3 (q of at most 0.05" in top
        assert "Not answered: 1 of 9 networks, for example d1" in top

    def test_sections_and_links_agree(self, by_hand):
        names = [name for name in by_hand.ids if f"{name}-title" in by_hand.ids]
        assert names == [
            "answer",
            "outcomes",
            "networks",
            "errors",
            "appendix",
        ]
        links = [a["href"][1:] for tag, a in by_hand.elements if tag == "a"]
        assert links == names
        assert len(by_hand.ids) == len(set(by_hand.ids))

    def test_row_opens_to_the_models_that_fit_and_counts_the_others(self, by_hand):
        text = by_hand.text
        opened = text[text.index("a3 yeast several models fit lpa, dmc 0.60 0.3 0.53") :]
        opened = (
            opened[: opened.index("c1 no group one model fits")]
            if "c1 no group" in opened
            else opened
        )
        assert "several-fit: lpa, dmc" in opened
        assert "lpa fits 0.60 0.55 to 0.65 0.3 – dmc fits 0.40 0.35 to 0.45 0.2 –" in opened
        assert f"nodes: 100; edges: 202; isolated nodes: drop; simulations: {REFERENCE}" in opened
        assert "age: 2" in opened
        rejected = text[text.index("a2 yeast one model fits dmc 1.00") :]
        assert "The other models: never has this density: 1." in rejected

    def test_network_that_no_model_fits_has_no_model_and_says_how_it_differs(self, by_hand):
        row = by_hand.text[by_hand.text.index("b1 human none fits fewer hubs – 0.002") :]
        row = row[: row.index("b2 human")]
        assert "The other models: does not fit: 2." in row
        assert "compared with dmc: fewer hubs sparse" in row
        assert by_hand.text.index("b2 human") < by_hand.text.index("a1 yeast one model fits")
        errors = by_hand.text.partition("Most frequent reason first")[2]
        assert "…: … nodes; expected at least … 1 d1 d1.tsv: 3 nodes" in errors

    def test_parameters_and_embedding_are_shown_if_there_are_any(self):
        answers = random_answers(60)
        features, X, y = random_features(answers)
        page = Outline(page_of(answers, features=features, simulations=(X, y)))
        assert {"parameters", "map"} <= set(page.ids)
        assert "The intervals of the parameters are not propagated." in page.text
        assert "Estimates of dmc p_new by group." in page.figures
        places = tooltips(page.figures["Map of the networks among simulations."])
        assert len(places) == 60
        first = answers.iloc[0]
        assert (
            f"{first['id']}, {first['group']}, {IN_WORDS[first['verdict']]}, {first['probable']}"
            in places
        )

    def test_limit_of_the_false_discovery_rate_is_stated(self):
        sentence = "no network can be rejected among {} unless at least {} are rejected together"
        answers = random_answers(200).assign(fit_p_dmc=0.5, verdict="one-fits")
        answers.loc[0, ["fit_p_dmc", "fit_p_dmr"]] = 1 / 1501
        assert Outline(page_of(answers)).text.count(sentence.format(200, 3)) == 1
        assert "can be rejected among" not in Outline(page_of(answers.head(20))).text

    def test_cohort_without_any_answer(self):
        answers = answers_by_hand().tail(1)
        page = Outline(page_of(answers))
        assert "No network was answered." in page.text


class TestLimits:
    @pytest.mark.slow
    def test_page_of_many_networks_stays_small_and_says_what_is_left_out(self):
        answers = random_answers(6_000, groups=300)
        features, X, y = random_features(answers)
        text = page_of(answers, features=features, simulations=(X, y))
        page = Outline(text)
        assert len(text.encode()) < LARGEST
        rows = [a for tag, a in page.elements if a.get("class") == "network"]
        assert len(rows) == cohort_networks.MOST_NETWORKS
        assert "The list has 1000 of 6000 networks" in page.text
        assert "5000 are left out" in page.text
        n_misfits = int((answers["verdict"] == "none-fits").sum())
        verdicts = [
            a["class"] for tag, a in page.elements if a.get("class", "").startswith("verdict ")
        ]
        assert verdicts[:n_misfits] == ["verdict none-fits"] * n_misfits
        assert len(verdicts) == len(rows)

    def test_long_texts_stay_within_the_size(self, monkeypatch):
        monkeypatch.setattr(cohort_networks, "MOST_CHARACTERS", 50_000)
        answers = random_answers(200).assign(notes="word " * 5000)
        page = Outline(page_of(answers))
        rows = [a for tag, a in page.elements if a.get("class") == "network"]
        assert 5 < len(rows) < 60
        assert f"The list has {len(rows)} of 200 networks" in page.text


class TestMarkup:
    def test_names_that_look_like_markup_stay_text(self, text):
        page = Outline(text)
        allowed = {
            "html", "head", "meta", "title", "style", "body", "a", "header", "p", "h1", "h2", "h3",
            "main", "section", "div", "span", "ul", "li", "nav", "figure", "details", "summary",
            "table", "thead", "tbody", "tr", "th", "td", "label", "input", "button",
            "noscript", "script", "caption", "svg", "g", "path", "use", "text", "defs", "clippath",
            "rect", "pattern", "pre",
        }  # fmt: skip
        tags = [tag for tag, _ in page.elements]
        assert set(tags) <= allowed
        assert tags.count("script") == 1
        assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]
        for name in MARKUP_NAMES:
            assert " ".join(name.format("a note").split()) in page.text
        assert MARKUP_NAMES[0].format("error") in page.text
        assert {"parameters", "map", "networks", "errors"} <= set(page.ids)

    @pytest.mark.slow
    def test_nothing_runs_in_a_browser(self, text, browser, tmp_path):
        """Also without the content policy, so that the escaping itself is tested."""
        head, _, rest = text.partition('<meta http-equiv="Content-Security-Policy"')
        pages = {"closed.html": text, "open.html": head + rest.partition(">")[2]}
        for name, content in pages.items():
            (tmp_path / name).write_text(content)
            visit = Visit(browser, tmp_path / name)
            page = visit.page
            page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            page.fill("#network-text", "<b>")
            page.click("button.sort >> nth=0")
            assert page.evaluate("typeof hit") == "undefined"
            assert page.locator("img, main b, main i, main svg a, [onload], [onerror]").count() == 0
            assert page.locator("a:not([href^='#'])").count() == 0
            visit.check_quiet()
            visit.context.close()


class TestBrowser:
    def shown(self, page):
        return page.locator("#network-list > details:not([hidden]) .name").all_inner_texts()

    @pytest.mark.parametrize(
        ("size", "scheme"),
        [(DESKTOP, "light"), pytest.param(PHONE, "dark", marks=pytest.mark.slow)],
    )
    def test_page_opens_without_messages_and_fits_the_screen(self, browser, file, size, scheme):
        visit = Visit(browser, file, size, color_scheme=scheme)
        page = visit.page
        visit.open_all()
        plots = page.evaluate(
            "[...document.querySelectorAll('.plot svg')].map(g => g.clientHeight)"
        )
        assert len(plots) >= 3
        assert all(height > 60 for height in plots)
        nameless = page.evaluate(
            "[...document.querySelectorAll('input, select, button, summary, a')].filter(e =>"
            " !(e.labels?.length || e.getAttribute('aria-label') || e.textContent.trim())).length"
        )
        assert nameless == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = false)")
        most = 6_000 if size == DESKTOP else 10_000
        assert page.evaluate("document.documentElement.scrollHeight") <= most
        visit.check_quiet()
        visit.context.close()

    @pytest.mark.slow
    def test_networks_are_sorted_in_both_directions(self, browser, file, answers):
        visit = Visit(browser, file)
        page = visit.page
        button = page.locator("button.sort", has_text="probability")
        largest = answers[["probability_dmc", "probability_dmr"]].max(axis=1)
        known = answers.assign(p=largest.where(answers["model"] != ""))
        shown = [name.strip("▸︎ \u00a0") for name in self.shown(page)]
        known = known.set_index("id").loc[shown].reset_index()
        rising = known.sort_values("p", kind="stable", na_position="last")["id"].tolist()
        n_known = int(known["p"].notna().sum())
        button.focus()
        page.keyboard.press("Enter")
        assert [name.strip("▸︎ \u00a0") for name in self.shown(page)] == rising
        assert "60 of 60 networks, sorted by probability, rising" in page.inner_text(
            "#network-status"
        )
        page.keyboard.press("Enter")
        falling = rising[:n_known][::-1] + rising[n_known:]
        assert [name.strip("▸︎ \u00a0") for name in self.shown(page)] == falling
        visit.check_quiet()
        visit.context.close()

    @pytest.mark.slow
    def test_networks_are_filtered_by_words(self, browser, file, answers):
        visit = Visit(browser, file)
        page = visit.page
        page.fill("#network-text", "none fits")
        own = answers[answers["verdict"] == "none-fits"]
        assert len(self.shown(page)) == len(own)
        page.fill("#network-text", "none fits  ROOT")
        own = own[own["tissue"] == "root"]
        assert len(self.shown(page)) == len(own)
        assert page.inner_text("#network-status") == f"{len(own)} of 60 networks"
        visit.check_quiet()
        visit.context.close()

    @pytest.mark.slow
    def test_row_is_opened_by_keyboard(self, browser, file, answers):
        visit = Visit(browser, file, PHONE)
        page = visit.page
        page.locator("#network-list summary").first.focus()
        page.keyboard.press("Enter")
        opened = page.locator("#network-list details[open]")
        assert opened.count() == 1
        assert opened.locator(".opened").is_visible()
        visit.check_quiet()
        visit.context.close()

    @pytest.mark.slow
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_axe_finds_no_violations(self, browser, file, scheme):
        visit = Visit(browser, file, color_scheme=scheme)
        visit.open_all()
        found = Axe().run(visit.page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []
        visit.context.close()

    def test_without_javascript_all_tables_and_rows_are_there(self, browser, file):
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(file.as_uri())
        assert "all tables do not" in page.locator("noscript").inner_text()
        assert page.locator("#network-list > details").count() == 60
        assert page.locator("#network-controls").is_hidden()
        page.locator("#network-list summary").first.click()
        assert page.locator("#network-list .opened").first.is_visible()
        assert page.locator("#appendix pre").count()
        for name in ("outcomes", "parameters", "networks"):
            assert page.locator(f"#{name} tbody tr").count(), name
        context.close()
