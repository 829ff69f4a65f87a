"""The report in a real browser: Debian's chromium, driven by Playwright, which downloads none."""

import json
import shutil

import pandas as pd
import pytest
from report_parts import SNARES, answered, evaluated, kept, poisoned

from netchoice.report import write_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
DESKTOP, PHONE = (1280, 900), (390, 844)


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield started
        started.close()


class Visit:
    """A page, and whatever it said or asked for."""

    def __init__(self, browser, file, size=DESKTOP, **options):
        width, height = size
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.address = file.as_uri()
        self.page.goto(self.address)
        self.page.wait_for_selector("html[data-drawn]")

    def check_quiet(self):
        assert self.said == []
        assert self.asked == [self.address]

    def figure(self, name, expression):
        return self.page.evaluate(f"(() => {{const g = document.getElementById('figure-{name}');"
                                  f"return {expression};}})()")  # fmt: skip

    def shown(self):
        words = self.page.inner_text("#shown-figures").splitlines()
        features = self.page.locator("#shown-features li").all_inner_texts()
        return features, dict(zip(words[::2], words[1::2], strict=True))

    def until(self, true, what):
        """Wait for something that follows an event; the policy forbids the driver's own way."""
        for _ in range(100):
            if true():
                return
            self.page.wait_for_timeout(50)
        pytest.fail(f"waited in vain for {what}")

    def accuracy(self):
        return float(self.shown()[1]["Accuracy"].partition("%")[0]) / 100

    def marked(self):
        """Where the ring stands."""
        return self.figure("explorer", "[g.data.at(-1).x[0], g.data.at(-1).y[0]]")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    room = tmp_path_factory.mktemp("browser")
    answer, evaluation = kept(answered, tmp_path_factory), kept(evaluated, tmp_path_factory)
    poisoned(answer, room / "poison")
    return {
        "answer": answer / "report.html",
        "evaluation": evaluation / "report.html",
        "poison": write_report(room / "poison"),
    }


@pytest.fixture
def visit(browser, files):
    made = []

    def go(name, *given, **options):
        made.append(Visit(browser, files.get(name, name), *given, **options))
        return made[-1]

    yield go
    for one in made:
        one.context.close()


@pytest.fixture(scope="module")
def grid(files):
    text = files["answer"].read_text()
    packed = text.partition('id="data">')[2].partition("</script>")[0]
    return json.loads(packed)["grid"]


@pytest.mark.parametrize("name", ["answer", "evaluation"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_it_opens_quietly_and_figures_hold_data(visit, name, size):
    seen = visit(name, size)
    held = seen.page.evaluate(
        "[...document.querySelectorAll('.plot')].map(g => [g.id, g.calcdata.length,"
        " g.calcdata.flat().length, g.querySelectorAll('svg.main-svg').length])"
    )
    names = {figure for figure, *_ in held}
    wanted = {"explorer", "heat", "ranking", "costs"}
    if name == "answer":
        wanted |= {"models", "parameter-0", "parameter-1", "cloud", "feature-0", "reliability"}
    assert names >= {f"figure-{one}" for one in wanted}
    for figure, traces, points, drawings in held:
        assert traces, figure
        assert points >= 2, figure
        assert drawings, figure
    width = seen.page.evaluate("document.documentElement.scrollWidth")
    assert width <= size[0]
    seen.check_quiet()


def test_controls_by_keyboard(visit, grid):
    seen = visit("answer")
    page, best = seen.page, grid["recommended"]
    assert page.input_value("#penalty") == str(best["penalty"])
    page.focus("#penalty")
    for key, at in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2)):
        page.keyboard.press(key)
        cell = grid["cells"][best["method"]][at]
        k = best["k"]
        assert seen.shown()[0] == [grid["features"][i] for i in cell["order"][:k]]
        assert seen.accuracy() == pytest.approx(cell["accuracy"][k - 1], abs=1e-4)
        assert seen.marked() == pytest.approx([cell["shared"][k - 1], cell["accuracy"][k - 1]])
        spoken = float(page.get_attribute("#penalty", "aria-valuetext").removeprefix("λ = "))
        assert spoken == pytest.approx(grid["penalties"][best["method"]][at], rel=1e-3)
    page.focus("#k")
    page.keyboard.press("Home")
    assert len(seen.shown()[0]) == 1
    assert page.get_attribute("#k", "aria-valuetext") == "1 feature"
    page.keyboard.press("End")
    assert len(seen.shown()[0]) == len(grid["cells"][best["method"]][0]["order"])
    page.focus("#recommended")
    page.keyboard.press("Enter")
    assert len(seen.shown()[0]) == best["k"]
    assert page.input_value("#penalty") == str(best["penalty"])
    seen.check_quiet()


def test_tab_goes_through_the_controls_in_their_order(visit):
    page = visit("answer").page
    page.focus("#method")
    order = ["penalty", "k", "charge", "recommended"]
    for name in order:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == name
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    assert page.locator("#explorer table").is_visible()


def test_methods_and_costs(visit, grid):
    seen = visit("answer")
    page = seen.page
    for list_name in ("#method", "#heat-method", "#ranking-method"):
        for value in ("1", "0"):
            page.select_option(list_name, value)
            for other in ("#method", "#heat-method", "#ranking-method"):
                assert page.input_value(other) == value
            first = seen.figure("heat", "g.data[0].z[0][0]")
            assert first == grid["cells"][int(value)][0]["accuracy"][0]
    before = seen.marked()
    page.select_option("#charge", "alone")
    best = grid["recommended"]
    cell, k = grid["cells"][best["method"]][best["penalty"]], best["k"]
    assert before[0] == pytest.approx(cell["shared"][k - 1])
    assert seen.marked()[0] == pytest.approx(cell["alone"][k - 1])
    assert "each feature alone" in seen.figure("explorer", "g.layout.xaxis.title.text")
    _, told = seen.shown()
    times = grid["whole"] / cell["shared"][k - 1]
    assert told["Against all features"] == f"{float(f'{times:.3g}'):g} times cheaper"
    page.click("#heat-details summary")
    rows = page.locator("#heat-table tbody tr")
    expected = len(grid["penalties"][best["method"]])
    seen.until(lambda: rows.count() == expected, "the rows of the table")
    accuracy = grid["cells"][best["method"]][0]["accuracy"][0]
    assert rows.nth(0).locator("td").nth(0).inner_text() == f"{accuracy:.4f}"
    seen.check_quiet()


SPOT = (
    "((x, y) => {const box = g.getBoundingClientRect(), l = g._fullLayout;"
    "return [box.left + l.xaxis._offset + l.xaxis.d2p(x), box.top + l.yaxis._offset + l.yaxis.d2p(y)]})"
)


def test_clicks_in_figures_move_the_controls(visit, grid):
    seen = visit("answer")
    page = seen.page
    page.locator("#figure-heat").scroll_into_view_if_needed()
    spot = seen.figure("heat", f"{SPOT}(3, 2)")
    page.mouse.move(*spot)
    page.mouse.click(*spot)
    seen.until(lambda: page.input_value("#penalty") == "3", "the click in the heat map")
    assert page.input_value("#k") == "2"
    assert len(seen.shown()[0]) == 2
    assert seen.figure("heat", "[g.data[2].x[0], g.data[2].y[0]]") == [3, 2]
    page.locator("#figure-explorer").scroll_into_view_if_needed()
    lowest = seen.figure("explorer", "Math.min(...g.data[1].y)")
    spot = seen.figure("explorer", f"{SPOT}(g.data[1].x[g.data[1].y.indexOf({lowest})], {lowest})")
    assert seen.accuracy() != pytest.approx(lowest, abs=1e-4)
    page.mouse.move(*spot)
    page.wait_for_selector("#figure-explorer .hovertext")
    assert "λ = " in page.text_content("#figure-explorer .hovertext")
    page.mouse.click(*spot)
    seen.until(lambda: seen.accuracy() == pytest.approx(lowest, abs=1e-4), "the click on a sign")
    assert seen.marked()[1] == lowest
    seen.check_quiet()


def test_markup_in_names_shows_as_text(visit, files, tmp_path):
    """Also without the policy, so that it is the escaping that holds."""
    text = files["poison"].read_text()
    head, _, rest = text.partition('<meta http-equiv="Content-Security-Policy"')
    (tmp_path / "open.html").write_text(head + rest.partition(">")[2])
    for name in ("poison", tmp_path / "open.html", "evaluation"):
        seen = visit(name)
        page = seen.page
        page.focus("#k")
        page.keyboard.press("End")
        for details in page.locator("summary").all():
            details.click()
        page.evaluate("Plotly.Fx.hover('figure-explorer', [{curveNumber: 0, pointNumber: 0}])")
        page.evaluate("Plotly.Fx.hover('figure-costs', [{curveNumber: 1, pointNumber: 0}])")
        assert page.evaluate("typeof hit") == "undefined"
        assert page.locator("img, main b, main i, main svg a, [onload], [onerror]").count() == 0
        assert page.locator("a:not([href^='#'])").count() == 0
        assert page.locator("script").count() == 3
        seen.check_quiet()
    names = visit("poison").page.locator("#figure-cloud .legendtext").all_text_contents()
    assert names[-1] == "observed"
    shown = {snare.format(model)[:39] for model in ("dmc", "dmr") for snare in SNARES}
    assert {name.rstrip("…")[:39] for name in names[:-1]} <= {" ".join(n.split()) for n in shown}


def test_a_figure_that_fails_takes_nothing_with_it(visit, files, tmp_path):
    head, mark, rest = files["answer"].read_text().partition('id="data">')
    packed, end, tail = rest.partition("</script>")
    data = json.loads(packed)
    data["figures"]["explorer"] = {}
    changed = json.dumps(data).replace("<", "\\u003c")
    (tmp_path / "broken.html").write_text(head + mark + changed + end + tail)
    seen = visit(tmp_path / "broken.html")
    page = seen.page
    assert "This figure cannot be drawn here" in page.inner_text("#figure-explorer")
    page.focus("#penalty")
    page.keyboard.press("Home")
    page.select_option("#heat-method", "1")
    assert seen.figure("heat", "g.data[0].z[0][0]") == data["grid"]["cells"][1][0]["accuracy"][0]
    assert seen.figure("heat", "g.data[2].x[0]") == 0
    page.click("#heat-details summary")
    seen.until(lambda: page.locator("#heat-table tbody tr").count() > 1, "the table")
    assert any("explorer" in said for said in seen.said)


def test_numbers_of_features_that_were_not_tried_are_passed_over(visit, files, tmp_path):
    path = tmp_path / "some"
    shutil.copytree(files["answer"].parent, path)
    rows = pd.read_csv(path / "evaluation.csv")
    best = json.loads((path / "choice.json").read_text())["selection"]["operating_point"]
    ks = sorted({best["k"], 4, 7})
    rows[rows["k"].isin(ks)].to_csv(path / "evaluation.csv", index=False)
    seen = visit(write_report(path))
    page = seen.page
    own = rows[(rows["method"] == best["method"])]
    own = own[(own["penalty"] - best["penalty"]).abs() < 1e-9].set_index("k")["accuracy"]
    page.focus("#k")
    for key, k in (("Home", ks[0]), ("ArrowRight", ks[1]), ("End", 7), ("ArrowLeft", ks[-2])):
        page.keyboard.press(key)
        assert page.input_value("#k") == str(k)
        assert len(seen.shown()[0]) == k
        assert seen.accuracy() == pytest.approx(own[k], abs=1e-4)
        assert seen.marked()[1] == pytest.approx(own[k], abs=1e-4)
    page.click("#heat-details summary")
    heads = page.locator("#heat-table thead th")
    seen.until(lambda: heads.count() > 1, "the table")
    assert heads.all_inner_texts()[1:] == [str(k) for k in ks]
    seen.check_quiet()


def test_without_a_script_the_sentence_about_it_is_true(browser, files):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(files["answer"].as_uri())
    assert "all other tables do not" in page.locator("noscript").inner_text()
    filled = {
        section.get_attribute("id")
        for section in page.locator("section:has(details)").all()
        if section.locator("details tbody tr").count()
    }
    context.close()
    assert filled >= {"models", "parameters", "cloud", "features", "explorer", "costs", "settings"}
    assert not filled & {"heat", "ranking"}


def test_by_night_and_as_a_picture(visit):
    seen = visit("answer", color_scheme="dark")
    page = seen.page
    ink = page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--ink')"
    ).strip()
    assert seen.figure("models", "g.layout.font.color") == ink
    page.emulate_media(color_scheme="light")
    seen.until(lambda: seen.figure("models", "g.layout.font.color") != ink, "other colours by day")
    page.hover("#figure-models")
    with page.expect_download() as saving:
        page.locator("#figure-models .modebar-btn").last.click()
    assert saving.value.suggested_filename.endswith(".png")
    assert seen.said == []
    # The picture goes through addresses inside the page; nothing leaves it.
    assert all(url.startswith(("file:", "data:", "blob:")) for url in seen.asked)


def test_every_control_has_a_name(visit):
    page = visit("answer").page
    nameless = page.evaluate(
        "[...document.querySelectorAll('input, select, button, summary, a')].filter(e =>"
        " !(e.labels?.length || e.getAttribute('aria-label') || e.textContent.trim())).length"
    )
    assert nameless == 0
    assert page.title().startswith("netchoice: Which model made ")
