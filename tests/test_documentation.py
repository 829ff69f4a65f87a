"""Public names are documented, pages show what their code prints, and their figures were measured."""

import inspect
import re
import runpy
from importlib import import_module
from pathlib import Path

import pages
import pytest

import netchoice

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
REFERENCE = runpy.run_path(str(DOCS / "reference.py"))
#: The README and all pages that people write; the pages in docs/reference are generated.
PAGES = {"README": ROOT / "README.md"} | {path.stem: path for path in sorted(DOCS.glob("*.md"))}
TEXTS = {name: path.read_text("utf-8") for name, path in PAGES.items()}
GENERATED = ("commands", "api", "features", "mechanisms", "results")


# Public names

PARTS = REFERENCE["PARTS"]
NAMES = [
    (f"{part}.{name}", getattr(import_module(part), name))
    for part, names in REFERENCE["public_names"]().items()
    for name in names
]
#: Classes without an example of their own, because a function returns them and has the example.
RETURNED = {
    "Answer", "CostAwareSelector", "Decision", "DistanceRatio", "Feature", "FeatureEvaluation",
    "FeatureRanking", "FeatureResult", "ModelAnswer", "ModelScore", "NetworkCollection", "RecommendedSet",
    "PaperCosts", "Parameter", "PilotSelection", "Posterior", "PosteriorQuality", "Prior", "ReadingReport",
    "References", "SmoothRegression", "Verdict",
}  # fmt: skip


def test_public_names_are_exactly_these():
    assert netchoice.__all__ == sorted(netchoice.__all__)
    assert set(netchoice.__all__) == {
        "Answer", "CostModel", "Effort", "Feature", "Graph", "Model", "ModelSpace", "ReferenceTable",
        "References", "choose_cohort", "choose_model", "compute_features", "evaluate_features", "feature",
        "get_model", "get_space", "mechanism", "model", "prepare", "rank_features", "read_network",
        "select_on_pilots", "simulate_table", "write_network",
    }  # fmt: skip
    assert set(dir(netchoice)) == {*netchoice.__all__, "__version__"}


@pytest.mark.parametrize("part", PARTS)
def test_packages_list_their_public_names(part):
    module = import_module(part)
    assert len(module.__all__) == len(set(module.__all__))
    assert {*module.__all__} <= {*dir(module)}


@pytest.mark.parametrize(("name", "thing"), NAMES, ids=[name for name, _ in NAMES])
def test_public_names_have_docstrings(name, thing):
    """Also the methods of a class."""
    if not callable(thing):
        assert REFERENCE["content"](thing), f"{name} is empty"
        return
    assert inspect.getdoc(thing), f"{name} has no docstring"
    for method in vars(thing).values() if inspect.isclass(thing) else ():
        documented = inspect.isfunction(method) or isinstance(method, property)
        if documented and not getattr(method, "__name__", "_").startswith("_"):
            assert inspect.getdoc(method), f"{name}.{method.__name__} has no docstring"


@pytest.mark.parametrize("part", PARTS)
def test_every_public_name_has_an_example(part):
    """The tests run these examples."""
    without = {
        name.rpartition(".")[2]
        for name, thing in NAMES
        if name.rpartition(".")[0] == part
        and (inspect.isclass(thing) or inspect.isfunction(thing))
        and ">>>" not in (thing.__doc__ or "")
    }
    if part != "netchoice.models.growing":  # operations of compiled steps, which cannot be called
        assert without <= RETURNED


# The generated reference


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs") / "reference"
    REFERENCE["write"](folder)
    return {path.stem: path.read_text("utf-8") for path in folder.iterdir()}


def test_reference_has_every_command_and_option_with_its_help(reference):
    assert {*reference} == {*GENERATED}
    for name, command in REFERENCE["command_objects"]().items():
        section = reference["commands"].partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert section, f"no section for {name}"
        assert command.help, f"{name} does not say what it does"
        for parameter in command.params:
            assert parameter.help, f"{name} {parameter.name} has no help"
            for option in (*parameter.opts, *parameter.secondary_opts):
                assert option.startswith("-") is (parameter.param_type_name == "option")
                assert not option.startswith("-") or re.search(rf"{option}\b", section), option
        rows = re.findall(r"^\| `.*?` \|", section, re.MULTILINE)
        assert len(rows) == len(command.params)


def test_reference_has_every_public_name(reference):
    for name, _ in NAMES:
        assert re.search(rf":: {re.escape(name)}$", reference["api"], re.MULTILINE), name


def test_reference_has_every_feature_and_mechanism(reference):
    for name, item in netchoice.features.FEATURES.items():
        assert item.definition, f"{name} has no definition"
        assert f"| `{name}` |" in reference["features"], name
    for model in netchoice.get_space("all"):
        assert f"### `{model.name}`\n" in reference["mechanisms"], model.name
        assert len(" ".join(REFERENCE["rule"](model))) > 60, f"{model.name} does not state its rule"
        assert model.reference, model.name
        assert all(spec.meaning for spec in model.parameters.values()), model.name
        assert f"pictures/mechanisms-{model.family}.png" in reference["mechanisms"], model.family


# Pages, links and pictures


def links(text):
    """The targets of links and pictures outside code."""
    return re.findall(r"\]\(([^)\s]+)\)", pages.without_code(text))


def anchors(text):
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
    return slugs | {*re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for link in links(TEXTS[page]):
        target, _, anchor = link.partition("#")
        if re.match(r"\w+:", link):
            continue
        path = (PAGES[page].parent / target).resolve() if target else PAGES[page]
        if path.parent == DOCS / "reference":
            assert path.stem in GENERATED, link
            continue
        assert path.exists(), link
        if anchor:
            assert anchor in anchors(path.read_text("utf-8")), link
    for target in re.findall(r"\{doc\}`(?:[^`<]*<)?([^`>]+)>?`", TEXTS[page]):
        assert target in PAGES or target.removeprefix("reference/") in GENERATED, target


def test_index_lists_every_page():
    listed = "".join(re.findall(r"```\{toctree\}(.*?)```", TEXTS["index"], re.DOTALL)).split()
    wanted = {*PAGES, *(f"reference/{name}" for name in GENERATED)} - {"README", "index"}
    assert wanted <= {*listed}


def test_every_picture_is_shown_by_a_page(reference):
    """Links, directives and HTML name pictures; `test_links_lead_somewhere` checks that they exist."""
    texts = (*TEXTS.values(), *reference.values())
    shown = {name for text in texts for name in re.findall(r"[\w-]+\.png", text)}
    pictures = {path.name for path in DOCS.rglob("*.png") if "_build" not in path.parts}
    assert pictures <= shown


def test_pages_are_short_enough_to_be_read():
    others = ("CONTRIBUTING", "SECURITY", "CHANGELOG")
    texts = [*TEXTS.values(), *((ROOT / f"{name}.md").read_text("utf-8") for name in others)]
    assert sum(len(text.split()) for text in texts) <= 35_000


# What pages print

#: What takes long: pages are run up to there in the fast tests, and to their end in the slow ones.
LONG = re.compile(
    r"netchoice (?:choose|prepare|evaluate|pilot)\b|examples/\w+\.py"
    r"|\b(?:choose_model|choose_cohort|prepare|evaluate_features|select_on_pilots|simulate_table)\("
)
RUN = [name for name, text in TEXTS.items() if pages.BLOCK.search(text)]


def compare(page, folder, stop):
    for run in pages.runs(TEXTS[page], folder, stop):
        if run.documented is not None:
            assert pages.masked(run.printed) == pages.masked(run.documented), run.source


@pytest.mark.parametrize("page", RUN)
def test_pages_show_what_their_code_prints_until_it_takes_long(page, tmp_path):
    compare(page, tmp_path, lambda source: bool(LONG.search(source)))


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in RUN if LONG.search(TEXTS[page])])
def test_pages_show_what_their_code_prints(page, tmp_path):
    compare(page, tmp_path, lambda source: False)


def test_wrong_output_in_a_page_is_noticed(tmp_path):
    page = "```console\n$ netchoice --version\nnetchoice 0\n```\n\n```python\nprint(1)\n```\n"
    command, code = pages.runs(f"{page}\n```text\n2\n```\n", tmp_path)
    assert pages.masked(command.printed) != pages.masked(command.documented)
    assert pages.masked(code.printed) != pages.masked(code.documented)
    with pytest.raises(AssertionError, match="unknown file or name"):
        list(pages.runs("```console\n$ netchoice show nonsense\n```\n", tmp_path))


def test_masks_hide_measured_times_only():
    assert pages.masked("costs 2 µs: p = 0.1") == pages.masked("costs 1.5e+02 ms: p = 0.1")
    assert pages.masked("costs 2 µs: p = 0.1") != pages.masked("costs 2 µs: p = 0.2")
    assert pages.masked("12 times cheaper than all") == pages.masked("9.1 times cheaper than all")


# Figures are results

#: Levels of tests and intervals, and what is certain.
LEVELS = {"1 %", "5 %", "95 %", "99 %", "50 %", "100 %", "0 %"}
#: Numbers that are rules, limits or what was wanted, by page; they are not measurements.
RULES: dict[str, set[str]] = {
    "atlas": {"3 %", "90 %"},
    "evidence": {"1.5 %", "2 %", "90 %", "97 %", "54 %", "0.5 %"},
    "evidence-fit": {
        "3 %", "1.5 %", "2 %", "62 %", "44 %", "41 %", "81 %", "57 %", "45 %", "90 %", "78 %", "54 %",
        "0.5 %", "0.2 %",
    },
    "evidence-inference": {"1.5 %", "2 %", "90 %", "97 %", "2 CPU seconds", "0.01"},
    "evidence-selection": {"90 %"},
    "how-it-decides": {"10 %", "5 ms", "1.5"},
    "input-files": {"300 times"},
    "reliability": {"10 CPU seconds"},
    "which-models": {"10 %"},
}  # fmt: skip
#: In a sentence with one of these words, decimals and shares are measurements.
ABOUT_QUALITY = re.compile(
    r"\b(?:accura|correct|R²|AUC|cover|power|notice|recover|error rate|false alarm|log score|faster|slower)",
    re.IGNORECASE,
)
QUANTITY = re.compile(
    r"\b\d[\d.,]*\s?(?:%|percent\b|×|times\b"
    r"|(?:CPU |wall )?(?:µs|ms|s|seconds?|min|minutes?|h|hours?|days?)\b)"
)
SCORE = re.compile(r"(?<![\w.,/])[01]?\.\d+\b|\b\d+ (?:out )?of \d+\b")


def figures(text):
    """The numbers about speed or quality in the prose of a page that are not values of results.

    A number that is part of some output on the page is not counted: tests compare the output.
    """
    shown = " ".join(pages.blocks(text))
    for sentence in re.split(r"(?<=[.!?:;])\s|\n\s*\n|\n(?=[|\-*#>])", pages.without_code(text)):
        found = [*QUANTITY.finditer(sentence)]
        found += SCORE.finditer(sentence) if ABOUT_QUALITY.search(sentence) else ()
        for match in found:
            quantity = " ".join(match[0].replace("%", " %").split())
            number = re.match(r"[\d.,]*\d", match[0])[0]
            if quantity not in LEVELS and not re.search(rf"(?<![\d.]){re.escape(number)}", shown):
                yield quantity


@pytest.mark.parametrize("page", PAGES)
def test_figures_about_speed_and_quality_are_results(page):
    unexplained = [each for each in figures(TEXTS[page]) if each not in RULES.get(page, ())]
    assert not unexplained, "measure them, and write {claim}`name.key`; see tools/results.py"


@pytest.mark.parametrize("page", PAGES)
def test_results_that_pages_name_exist(page):
    """A claim that was never measured is shown as such; a claim or value that does not exist is an error."""
    named = re.findall(r"\{claim\}`([^`]+)`", TEXTS[page])
    assert not named or page != "README", "the README is shown where roles are not known"
    for text in named:
        assert REFERENCE["claimed"](text)


def test_pages_show_values_of_results(tmp_path, monkeypatch):
    claimed = REFERENCE["claimed"]
    monkeypatch.setitem(claimed.__globals__, "RESULTS", tmp_path)
    monkeypatch.setitem(claimed.__globals__, "CLAIMS", {"fit": None})
    assert claimed("fit.power:.0%") == "not measured on this version"
    (tmp_path / "fit.json").write_text('{"values": {"power": 0.625, "missed": "none"}}')
    assert claimed("fit.power:.0%") == "62%"
    assert claimed("fit.missed") == "none"
    with pytest.raises(LookupError, match="has no value 'level'; it has power, missed"):
        claimed("fit.level")
    with pytest.raises(LookupError, match="has no claim 'speed'"):
        claimed("speed.ratio")


def test_rules_name_pages_and_numbers_that_exist():
    for page, numbers in RULES.items():
        assert numbers <= {*figures(TEXTS[page])}, page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is 12 times faster.", ["12 times"]),
        ("It takes 3 CPU seconds, or 2 h.", ["3 CPU seconds", "2 h"]),
        ("A rewired network is noticed in 78% of trials.", ["78 %"]),
        ("The accuracy is .93, in 47 of 49 cases.", [".93", "47 of 49"]),
        ("The accuracy is {claim}`fit.accuracy:.2f`.", []),
        ("An interval of 95 % has 2 ends; pass `--budget 5%` for 100 nodes.", []),
        ("The p-value is 0.31, of 3 of 4 models.", []),
        ("The power is 0.62.\n\n```text\npower 0.62\n```\n", []),
    ],
)
def test_figures_are_found(text, found):
    assert [*figures(text)] == found
