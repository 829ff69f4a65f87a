"""The report in a browser: the installed chromium, driven by Playwright."""

import json
import shutil

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser_visits import DESKTOP, PHONE, Visit
from fast_and_slow import fast_for
from report_folders import (
    MARKUP_NAMES,
    add_misfit,
    copy_with_markup,
    run_choose,
    run_evaluate,
    shared_folder,
)
from report_folders import write_changed_report as write_report


class ReportVisit(Visit):
    """An open report with the explorer of feature sets."""

    def open_all(self, parts="details"):
        self.page.evaluate(
            f"document.querySelectorAll('{parts}').forEach(part => {{part.open = true}})"
        )

    def unfold(self):
        """Open the sections that are folded, and wait for their figures."""
        self.open_all("details.fold")
        plots = self.page.locator("details.fold .plot:visible")
        drawn = self.page.locator("details.fold .js-plotly-plot:visible")
        self.wait_until(lambda: drawn.count() == plots.count() > 0, "the folded figures")
        return self

    def selected(self):
        lines = self.page.inner_text("#selected-numbers").splitlines()
        features = self.page.locator("#selected-features li").all_inner_texts()
        return features, dict(zip(lines[::2], lines[1::2], strict=True))

    def accuracy(self):
        return float(self.selected()[1]["Accuracy"].partition("%")[0]) / 100

    def marked(self):
        """Return the position of the ring around the selected set."""
        return self.figure("explorer", "[g.data.at(-1).x[0], g.data.at(-1).y[0]]")


class Reports(dict):
    """Reports by name, which are made when they are first used."""

    def __init__(self, factory):
        self.factory = factory

    def __missing__(self, name):
        if name == "markup":
            folder = self.factory.mktemp("browser") / "markup"
            copy_with_markup(self["choice"].parent, folder)
            self[name] = write_report(folder)
        else:
            command = {"choice": run_choose, "evaluation": run_evaluate}[name]
            self[name] = shared_folder(command, self.factory) / "report.html"
        return self[name]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return Reports(tmp_path_factory)


@pytest.fixture
def open_report(browser, files):
    visits = []

    def open_one(name, *arguments, **options):
        file = files[name] if isinstance(name, str) else name
        visits.append(ReportVisit(browser, file, *arguments, **options))
        return visits[-1]

    yield open_one
    for visit in visits:
        visit.context.close()


@pytest.fixture(scope="module")
def grid(files):
    text = files["choice"].read_text()
    packed = text.partition('id="data">')[2].partition("</script>")[0]
    return json.loads(packed)["grid"]


@fast_for("name", ["choice"], ["choice", "evaluation"])
@fast_for("size", [DESKTOP], [DESKTOP, PHONE])
def test_page_opens_without_messages_and_figures_have_data(open_report, name, size):
    visit = open_report(name, size).unfold()
    figures = visit.page.evaluate(
        "[...document.querySelectorAll('.plot')].filter(g => !g.closest('details:not([open])'))"
        ".map(g => [g.id, g.calcdata.length,"
        " g.calcdata.flat().length, g.querySelectorAll('svg.main-svg').length])"
    )
    names = {figure for figure, *_ in figures}
    expected = {"explorer", "heat", "ranking", "costs"}
    if name == "choice":
        expected |= {
            "models",
            "parameter-0-0",
            "parameter-0-1",
            "joint-0-0",
            "ranks-0-0",
            "ranks-0-1",
            "embedding",
            "feature-0",
            "reliability",
        }
    assert names >= {f"figure-{one}" for one in expected}
    for figure, traces, points, drawings in figures:
        assert traces, figure
        assert points >= 2, figure
        assert drawings, figure
    width = visit.page.evaluate("document.documentElement.scrollWidth")
    assert width <= size[0]
    visit.check_quiet()


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_fit_panels_are_drawn_when_they_are_shown(open_report, files, tmp_path, size):
    shutil.copytree(files["choice"].parent, tmp_path / "fit")
    add_misfit(tmp_path / "fit", fits=False)
    visit = open_report(write_report(tmp_path / "fit"), size)
    page = visit.page
    drawn = page.locator("#fit .js-plotly-plot")
    shown = page.locator("#fit .plot:visible").count()
    assert 2 <= drawn.count() == shown <= 6
    for summary in page.locator("#fit article summary:visible").all():
        summary.click()
    visit.wait_until(lambda: drawn.count() == 12, "the other panels")
    columns = page.evaluate(
        "new Set([...document.querySelectorAll('#fit .plot')].map(g => g.getBoundingClientRect().left)).size"
    )
    assert columns == 1 if size == PHONE else columns >= 2
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    visit.check_quiet()


@pytest.mark.slow
def test_controls_work_by_keyboard(open_report, grid):
    visit = open_report("choice").unfold()
    page, best = visit.page, grid["recommended"]
    assert page.input_value("#penalty") == str(best["penalty"])
    page.focus("#penalty")
    for key, at in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2)):
        page.keyboard.press(key)
        cell = grid["cells"][best["method"]][at]
        k = best["k"]
        assert visit.selected()[0] == [grid["features"][i] for i in cell["order"][:k]]
        assert visit.accuracy() == pytest.approx(cell["accuracy"][k - 1], abs=1e-4)
        assert visit.marked() == pytest.approx([cell["shared"][k - 1], cell["accuracy"][k - 1]])
        spoken = float(page.get_attribute("#penalty", "aria-valuetext").removeprefix("λ = "))
        assert spoken == pytest.approx(grid["penalties"][best["method"]][at], rel=1e-3)
    page.focus("#k")
    page.keyboard.press("Home")
    assert len(visit.selected()[0]) == 1
    assert page.get_attribute("#k", "aria-valuetext") == "1 feature"
    page.keyboard.press("End")
    assert len(visit.selected()[0]) == len(grid["cells"][best["method"]][0]["order"])
    page.focus("#recommended")
    page.keyboard.press("Enter")
    assert len(visit.selected()[0]) == best["k"]
    assert page.input_value("#penalty") == str(best["penalty"])
    visit.check_quiet()


@pytest.mark.slow
def test_tab_follows_the_order_of_the_controls(open_report):
    page = open_report("choice").unfold().page
    page.focus("#method")
    order = ["penalty", "k", "charge", "recommended"]
    for name in order:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == name
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    assert page.locator("#explorer table").is_visible()


@pytest.mark.slow
def test_changing_method_and_charge_updates_figures_and_numbers(open_report, grid):
    visit = open_report("choice").unfold()
    page = visit.page
    for list_name in ("#method", "#heat-method", "#ranking-method"):
        for value in ("1", "0"):
            page.select_option(list_name, value)
            for other in ("#method", "#heat-method", "#ranking-method"):
                assert page.input_value(other) == value
            first = visit.figure("heat", "g.data[0].z[0][0]")
            assert first == grid["cells"][int(value)][0]["accuracy"][0]
    page.click("#recommended")
    before = visit.marked()
    page.select_option("#charge", "alone")
    best = grid["recommended"]
    cell, k = grid["cells"][best["method"]][best["penalty"]], best["k"]
    assert before[0] == pytest.approx(cell["shared"][k - 1])
    assert visit.marked()[0] == pytest.approx(cell["alone"][k - 1])
    assert "each feature paid alone" in visit.figure("explorer", "g.layout.xaxis.title.text")
    _, numbers = visit.selected()
    times = grid["cost_of_all"] / cell["shared"][k - 1]
    assert numbers["Compared with all features"] == f"{float(f'{times:.3g}'):g} times cheaper"
    page.click("#heat-details summary")
    rows = page.locator("#heat-table tbody tr")
    expected = len(grid["penalties"][best["method"]])
    visit.wait_until(lambda: rows.count() == expected, "the rows of the table")
    accuracy = grid["cells"][best["method"]][0]["accuracy"][0]
    assert rows.nth(0).locator("td").nth(0).inner_text() == f"{accuracy:.4f}"
    visit.check_quiet()


PIXEL = (
    "((x, y) => {const box = g.getBoundingClientRect(), l = g._fullLayout;"
    "return [box.left + l.xaxis._offset + l.xaxis.d2p(x), box.top + l.yaxis._offset + l.yaxis.d2p(y)]})"
)


@pytest.mark.slow
def test_clicks_in_figures_change_the_controls(open_report, grid):
    visit = open_report("choice").unfold()
    page = visit.page
    page.locator("#figure-heat").scroll_into_view_if_needed()
    pixel = visit.figure("heat", f"{PIXEL}(3, 2)")
    page.mouse.move(*pixel)
    page.mouse.click(*pixel)
    visit.wait_until(lambda: page.input_value("#penalty") == "3", "the click in the heat map")
    assert page.input_value("#k") == "2"
    assert len(visit.selected()[0]) == 2
    assert visit.figure("heat", "[g.data[2].x[0], g.data[2].y[0]]") == [3, 2]
    page.locator("#figure-explorer").scroll_into_view_if_needed()
    lowest = visit.figure("explorer", "Math.min(...g.data[1].y)")
    pixel = visit.figure(
        "explorer", f"{PIXEL}(g.data[1].x[g.data[1].y.indexOf({lowest})], {lowest})"
    )
    assert visit.accuracy() != pytest.approx(lowest, abs=1e-4)
    page.mouse.move(*pixel)
    page.wait_for_selector("#figure-explorer .hovertext")
    assert "λ = " in page.text_content("#figure-explorer .hovertext")
    page.mouse.click(*pixel)
    visit.wait_until(
        lambda: visit.accuracy() == pytest.approx(lowest, abs=1e-4), "the click on a marker"
    )
    assert visit.marked()[1] == lowest
    visit.check_quiet()


@pytest.mark.slow
def test_markup_in_names_is_shown_as_text(open_report, files, tmp_path):
    """Also without the content policy, so that the escaping itself is tested."""
    text = files["markup"].read_text()
    head, _, rest = text.partition('<meta http-equiv="Content-Security-Policy"')
    (tmp_path / "open.html").write_text(head + rest.partition(">")[2])
    for name in ("markup", tmp_path / "open.html", "evaluation"):
        visit = open_report(name).unfold()
        page = visit.page
        page.focus("#k")
        page.keyboard.press("End")
        visit.open_all()
        page.evaluate("Plotly.Fx.hover('figure-explorer', [{curveNumber: 0, pointNumber: 0}])")
        page.evaluate("Plotly.Fx.hover('figure-costs', [{curveNumber: 1, pointNumber: 0}])")
        assert page.evaluate("typeof hit") == "undefined"
        assert page.locator("img, main b, main i, main svg a, [onload], [onerror]").count() == 0
        assert page.locator("a:not([href^='#'])").count() == 0
        assert page.locator("script").count() == 3
        visit.check_quiet()
    names = open_report("markup").page.locator("#figure-embedding .legendtext").all_text_contents()
    assert names[-1] == "observed network"
    shown = {name.format(model)[:39] for model in ("dmc", "dmr") for name in MARKUP_NAMES}
    assert {name.rstrip("…")[:39] for name in names[:-1]} <= {" ".join(n.split()) for n in shown}


@pytest.mark.slow
def test_one_broken_figure_does_not_stop_the_others(open_report, files, tmp_path):
    head, mark, rest = files["choice"].read_text().partition('id="data">')
    packed, end, tail = rest.partition("</script>")
    data = json.loads(packed)
    data["figures"]["explorer"] = {}
    changed = json.dumps(data).replace("<", "\\u003c")
    (tmp_path / "broken.html").write_text(head + mark + changed + end + tail)
    visit = open_report(tmp_path / "broken.html")
    page = visit.page
    visit.open_all("details.fold")
    visit.wait_until(lambda: page.inner_text("#figure-explorer"), "the message")
    assert "This figure cannot be drawn" in page.inner_text("#figure-explorer")
    page.focus("#penalty")
    page.keyboard.press("Home")
    page.select_option("#heat-method", "1")
    assert visit.figure("heat", "g.data[0].z[0][0]") == data["grid"]["cells"][1][0]["accuracy"][0]
    assert visit.figure("heat", "g.data[2].x[0]") == 0
    page.click("#heat-details summary")
    visit.wait_until(lambda: page.locator("#heat-table tbody tr").count() > 1, "the table")
    assert any("explorer" in message for message in visit.messages)


@pytest.mark.slow
def test_slider_skips_missing_numbers_of_features(open_report, files, tmp_path):
    path = tmp_path / "some"
    shutil.copytree(files["choice"].parent, path)
    rows = pd.read_csv(path / "evaluation.csv")
    best = json.loads((path / "choice.json").read_text())["selection"]["operating_point"]
    ks = sorted({best["k"], 4, 7})
    rows[rows["k"].isin(ks)].to_csv(path / "evaluation.csv", index=False)
    visit = open_report(write_report(path)).unfold()
    page = visit.page
    own = rows[(rows["method"] == best["method"])]
    own = own[(own["penalty"] - best["penalty"]).abs() < 1e-9].set_index("k")["accuracy"]
    page.focus("#k")
    for key, k in (("Home", ks[0]), ("ArrowRight", ks[1]), ("End", 7), ("ArrowLeft", ks[-2])):
        page.keyboard.press(key)
        assert page.input_value("#k") == str(k)
        assert len(visit.selected()[0]) == k
        assert visit.accuracy() == pytest.approx(own[k], abs=1e-4)
        assert visit.marked()[1] == pytest.approx(own[k], abs=1e-4)
    page.click("#heat-details summary")
    heads = page.locator("#heat-table thead th")
    visit.wait_until(lambda: heads.count() > 1, "the table")
    assert heads.all_inner_texts()[1:] == [str(k) for k in ks]
    visit.check_quiet()


def test_without_javascript_all_other_tables_are_filled(browser, files):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(files["choice"].as_uri())
    assert "all other tables do not" in page.locator("noscript").inner_text()
    filled = {
        section.get_attribute("id")
        for section in page.locator("section").all()
        if section.locator("tbody tr").count()
    }
    context.close()
    assert filled >= {
        "models",
        "parameters",
        "embedding",
        "features",
        "explorer",
        "costs",
        "settings",
    }
    assert not filled & {"heat", "ranking"}


@pytest.mark.slow
def test_dark_mode_and_download_of_a_figure(open_report):
    visit = open_report("choice", color_scheme="dark")
    page = visit.page
    text_colour = page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--text')"
    ).strip()
    assert visit.figure("models", "g.layout.font.color") == text_colour
    page.emulate_media(color_scheme="light")
    visit.wait_until(
        lambda: visit.figure("models", "g.layout.font.color") != text_colour, "light colours"
    )
    page.hover("#figure-models")
    with page.expect_download() as saving:
        page.locator("#figure-models .modebar-btn").last.click()
    assert saving.value.suggested_filename.endswith(".png")
    assert visit.messages == []
    # The download uses addresses inside the page; nothing is sent.
    assert all(url.startswith(("file:", "data:", "blob:")) for url in visit.requests)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["choice", "evaluation"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_first_screen_contains_the_answer(open_report, name, size):
    page = open_report(name, size).page
    for part in ("h1", ".headline", ".card >> nth=0"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        assert box["y"] + box["height"] <= size[1], part
    if size == DESKTOP:
        last = page.locator(".card").last.bounding_box()
        assert last["y"] + last["height"] <= size[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["choice", "evaluation"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_overflows_with_everything_open(open_report, name, size):
    visit = open_report(name, size)
    visit.open_all()
    visit.page.wait_for_timeout(500)
    outside = visit.page.evaluate(
        "[...document.querySelectorAll('main *')].filter(part => !part.closest('.scroll, .plot, .hidden')"
        f" && part.getBoundingClientRect().right > {size[0]} + 0.5).map(part => part.outerHTML.slice(0, 99))"
    )
    assert outside == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["choice", "evaluation", "markup"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violations(open_report, name, scheme):
    """With everything open; axe-core checks names, roles, landmarks, headings, tables and contrast."""
    visit = open_report(name, color_scheme=scheme)
    visit.open_all()
    visit.unfold()
    found = Axe().run(visit.page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []


@pytest.mark.slow
def test_links_open_folded_sections(open_report):
    page = open_report("choice").page
    assert not page.locator("#controls").is_visible()
    page.locator("nav a[href='#explorer']").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#controls", state="visible")
    page.wait_for_selector("#figure-explorer.js-plotly-plot")


@pytest.mark.slow
def test_focus_is_visible_from_the_first_key_on(open_report):
    page = open_report("choice").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "answer"
    for _ in range(12):
        page.keyboard.press("Tab")
        style = "getComputedStyle(document.activeElement)"
        assert page.evaluate(f"[{style}.outlineStyle, {style}.outlineWidth]") == ["solid", "3px"]


@pytest.mark.slow
def test_every_control_has_a_name(open_report):
    page = open_report("choice").page
    nameless = page.evaluate(
        "[...document.querySelectorAll('input, select, button, summary, a')].filter(e =>"
        " !(e.labels?.length || e.getAttribute('aria-label') || e.textContent.trim())).length"
    )
    assert nameless == 0
    assert page.title().startswith("netchoice: Which model made ")
