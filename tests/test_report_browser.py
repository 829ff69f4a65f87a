"""The report in a browser: the installed chromium, driven by Playwright."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser_visits import DESKTOP, PHONE, Visit
from fast_and_slow import fast_for
from page_outline import Outline
from report_folders import (
    MARKUP_NAMES,
    made_answer,
    made_evaluation,
    with_many_models,
    with_markup,
)

from netchoice.report.build import write_report


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the files of reports by name."""
    results = {
        "answer": made_answer(), "markup": with_markup(made_answer())[0], "evaluation": made_evaluation(),
        "many": with_many_models(made_answer()),
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("browser")
    return {name: write_report(each, folder / f"{name}.html") for name, each in results.items()}


@pytest.fixture
def open_report(browser, files):
    visits = []

    def open_one(name, *arguments, **options):
        file = files[name] if isinstance(name, str) else name
        visits.append(Visit(browser, file, *arguments, **options))
        return visits[-1]

    yield open_one
    for visit in visits:
        visit.context.close()


@fast_for("name", ["answer"], ["answer", "evaluation"])
@fast_for("size", [DESKTOP], [DESKTOP, PHONE])
def test_page_opens_without_messages_and_figures_have_a_size(open_report, files, name, size):
    visit = open_report(name, size)
    visit.open_all()
    boxes = visit.page.evaluate(
        "[...document.querySelectorAll('figure svg')].map(g => [g.clientWidth, g.clientHeight,"
        " g.querySelectorAll('path, use').length])"
    )
    assert len(boxes) == len(Outline(files[name].read_text()).figures) > 0
    for width, height, marks in boxes:
        assert 200 < width <= size[0]
        assert 60 < height < 1200
        assert marks > 2
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    visit.check_quiet()


@fast_for("size", [PHONE], [DESKTOP, PHONE])
def test_texts_of_figures_are_legible(open_report, size):
    visit = open_report("answer", size)
    visit.open_all()
    sizes = visit.page.evaluate(
        "[...document.querySelectorAll('figure text')].map(text => {const box = text.ownerSVGElement;"
        " return [parseFloat(getComputedStyle(text).fontSize) * box.clientWidth / box.viewBox.baseVal.width,"
        " text.textContent]})"
    )
    assert len(sizes) > 100
    assert [text for pixels, text in sizes if not 8.5 < pixels < 18] == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_fit_panels_are_side_by_side_if_there_is_room(open_report, size):
    visit = open_report("answer", size)
    page = visit.page
    panels = page.locator("#models .fit-panel")
    assert page.locator("#models .fit-panel:visible").count() < panels.count() == 12
    visit.open_all()
    assert page.locator("#models .fit-panel:visible").count() == 12
    columns = page.evaluate(
        "new Set([...document.querySelectorAll('#models .fit-panel')].map("
        "panel => panel.getBoundingClientRect().left)).size"
    )
    assert columns == (1 if size == PHONE else 3)
    visit.check_quiet()


@pytest.mark.slow
def test_markup_in_names_is_shown_as_text(open_report, files, tmp_path):
    """Also without the content policy, so that the escaping itself is tested."""
    text = files["markup"].read_text()
    head, _, rest = text.partition('<meta http-equiv="Content-Security-Policy"')
    (tmp_path / "open.html").write_text(head + rest.partition(">")[2])
    for name in ("markup", tmp_path / "open.html", "evaluation"):
        visit = open_report(name)
        page = visit.page
        visit.open_all()
        assert page.evaluate("typeof hit") == "undefined"
        assert page.locator("img, main b, main i, main svg a, [onload], [onerror]").count() == 0
        assert page.locator("a:not([href^='#'])").count() == 0
        assert page.locator("script").count() == 1
        visit.check_quiet()
    page = open_report("markup").page
    names = page.locator("#simulations > .keys").first.locator("li").all_text_contents()
    assert names[-1] == "observed network"
    assert set(names[:-1]) <= {
        name.format(model) for model in ("dmc", "dmr") for name in MARKUP_NAMES
    }
    assert len(names) == 3


def test_without_javascript_all_tables_and_figures_are_there(browser, files):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(files["answer"].as_uri())
    filled = {
        section.get_attribute("id")
        for section in page.locator("section").all()
        if section.locator("tbody tr").count()
    }
    assert filled == {"models", "parameters", "appendix"}
    assert page.locator("#models svg").first.is_visible()
    context.close()


@pytest.mark.slow
def test_colours_follow_the_mode_of_the_system(open_report):
    page = open_report("answer", color_scheme="dark").page
    fills = (
        "['#models svg text', '#simulations use'].map(name =>"
        " getComputedStyle(document.querySelector(name)).fill)"
    )
    dark = page.evaluate(fills)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(fills)
    assert light[0] == page.evaluate("getComputedStyle(document.body).color") != dark[0]
    assert light[1] in ("rgb(0, 114, 178)", "rgb(230, 159, 0)")
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(fills) == light


@pytest.mark.slow
def test_printed_page_shows_all_figures(open_report):
    page = open_report("answer").page
    hidden = "[...document.querySelectorAll('figure')].filter(f => f.closest('details:not([open])')).length"
    assert page.evaluate(hidden)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert not page.evaluate(hidden)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(hidden)
    assert len(page.pdf()) > 50_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["answer", "evaluation"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_first_screen_contains_the_answer(open_report, name, size):
    page = open_report(name, size).page
    for part in ("h1", ".headline", ".notes li >> nth=0"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        assert box["y"] + box["height"] <= size[1], part
    if size == DESKTOP:
        last = page.locator(".notes li").last.bounding_box()
        assert last["y"] + last["height"] <= size[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["many", "evaluation"])
@pytest.mark.parametrize(("size", "most"), [(DESKTOP, 6_000), (PHONE, 10_000)])
def test_page_is_not_too_long(open_report, name, size, most):
    page = open_report(name, size).page
    assert page.evaluate("document.documentElement.scrollHeight") <= most


@pytest.mark.slow
@pytest.mark.parametrize("name", ["answer", "evaluation"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_overflows_with_everything_open(open_report, name, size):
    visit = open_report(name, size)
    visit.open_all()
    outside = visit.page.evaluate(
        "[...document.querySelectorAll('main *')].filter(part => !part.closest('.scroll, .plot svg, .hidden')"
        f" && part.getBoundingClientRect().right > {size[0]} + 0.5).map(part => part.outerHTML.slice(0, 99))"
    )
    assert outside == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["answer", "evaluation", "markup"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violations(open_report, name, scheme):
    """With everything open; axe-core checks names, roles, landmarks, headings, tables and contrast."""
    visit = open_report(name, color_scheme=scheme)
    visit.open_all()
    found = Axe().run(visit.page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []


@pytest.mark.slow
def test_links_open_folded_sections(open_report):
    page = open_report("answer").page
    assert not page.locator("#appendix table >> nth=0").is_visible()
    page.locator("nav a[href='#appendix']").focus()
    page.keyboard.press("Enter")
    page.locator("#appendix table").first.wait_for(state="visible")


@pytest.mark.slow
def test_focus_is_visible_from_the_first_key_on(open_report):
    page = open_report("answer").page
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
    page = open_report("answer").page
    nameless = page.evaluate(
        "[...document.querySelectorAll('input, select, button, summary, a')].filter(e =>"
        " !(e.labels?.length || e.getAttribute('aria-label') || e.textContent.trim())).length"
    )
    assert nameless == 0
    assert page.title().startswith("netchoice: 2 of 2 models fit")
