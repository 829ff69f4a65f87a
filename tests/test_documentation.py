"""Public names are documented, and pages show what their commands print."""

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pages
import pytest
from fast_and_slow import fast_for

import netchoice

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "netchoice"
DOCS = ROOT / "docs"


def test_public_names_are_exactly_these():
    assert netchoice.__all__ == sorted(netchoice.__all__)
    assert set(netchoice.__all__) == {
        "Choice", "Chooser", "CostModel", "Feature", "FeatureResult", "Graph", "Model",
        "ModelSpace", "ReadingReport", "ReferenceTable", "as_prior", "choose_model",
        "compute_features", "embed", "errors", "evaluate_features", "evaluate_rankings",
        "evaluation", "feature", "feature_names",
        "figures", "get_model", "get_space", "inference", "information", "io", "mechanism",
        "features", "model", "models", "operating_point", "paper_costs", "rank_features", "read_network",
        "report", "select_on_pilots", "selection", "simulate_table", "workflows", "write_network",
    }  # fmt: skip
    for name in netchoice.__all__:
        thing = getattr(netchoice, name)
        assert thing.__doc__, f"{name} has no docstring"
    assert set(dir(netchoice)) == {*netchoice.__all__, "__version__"}


#: Packages and modules that list their public names.
PARTS = sorted(
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in (*SOURCE.glob("*.py"), *SOURCE.glob("*/__init__.py"))
    if "__all__" in path.read_text()
    and path.parent.name != "cli"
    and path != SOURCE / "__init__.py"
)
PUBLIC = [
    *((f"{name}", getattr(netchoice, name)) for name in netchoice.__all__),
    *(
        (f"{part}.{name}", getattr(import_module(f"netchoice.{part}"), name))
        for part in PARTS
        for name in import_module(f"netchoice.{part}").__all__
    ),
]
#: Classes without an example of their own, because a function returns them and has the example.
RETURNED = {
    "AcquiredColumn", "Acquisition",
    "Choice", "CostAwareSelector", "CostSource", "Embedding", "Evidence", "Feature",
    "FeatureEvaluation", "FeatureRanking", "FeatureResult", "FeatureSelection", "Fit", "HeldOut",
    "ModelProbabilities", "NetworkCollection", "NetworkSource", "OperatingPoint",
    "PaperCosts", "Parameter", "ParameterQuality",
    "PilotSelection", "Posterior", "PosteriorQuality", "Prior", "ReadingReport",
    "Step",
}  # fmt: skip


def test_packages_list_their_public_names():
    assert {"evaluation", "figures", "inference", "io", "models", "selection", "workflows"} <= set(
        PARTS
    )
    for part in PARTS:
        names = import_module(f"netchoice.{part}").__all__
        assert sorted(names) == sorted(set(names))
        if part != "io":
            assert dir(import_module(f"netchoice.{part}")) == sorted(names)
    classes = {name.rpartition(".")[2] for name, thing in PUBLIC if inspect.isclass(thing)}
    assert classes >= RETURNED, "RETURNED names a class that is not public"


@pytest.mark.parametrize(("name", "thing"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_public_names_are_documented(name, thing):
    """Each has a docstring (also the methods of a class) and an entry in api.md."""
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return  # modules and constants
    short = name.rpartition(".")[2]
    assert thing.__doc__, f"{name} has no docstring"
    for method in vars(thing).values() if inspect.isclass(thing) else ():
        documented = inspect.isfunction(method) or isinstance(method, property)
        if documented and not getattr(method, "__name__", "_").startswith("_"):
            assert inspect.getdoc(method), f"{name}.{method.__name__} has no docstring"
    reference = (DOCS / "api.md").read_text()
    module = f".. automodule:: netchoice.{name.rpartition('.')[0]}\n   :members:\n"
    assert re.search(rf"\b{short}\b", reference) or module in reference, f"{name} is not in api.md"


def test_names_in_the_reference_exist():
    reference = (DOCS / "api.md").read_text()
    for name in re.findall(r"auto(?:function|class|module|data|exception):: (\S+)", reference):
        pkgutil.resolve_name(name)


def test_links_to_headings_lead_there():
    found = 0
    for page in DOCS.rglob("*.md"):
        for target, anchor in re.findall(r"\]\(([^):]*\.md)#([^)]+)\)", page.read_text()):
            headings = re.findall(r"^#+ (.*)$", (page.parent / target).read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in headings}
            assert anchor in slugs, f"{page.name}: {target}#{anchor}"
            found += 1
    assert found >= 3


def test_index_lists_every_page():
    index = (DOCS / "index.md").read_text() + (DOCS / "reproduction.md").read_text()
    for path in DOCS.rglob("*.md"):
        page = path.relative_to(DOCS).with_suffix("").as_posix()
        if page == "joss/paper":  # an article, not a page
            continue
        assert page == "index" or f"\n{page}\n" in index, f"{page} is not in docs/index.md"


#: Pages whose commands and Python are run and must print what the page shows.
CHECKED = ["README", "tutorial", "explanation/cost"]
CHECKED += sorted(f"guides/{path.stem}" for path in DOCS.glob("guides/*.md"))
#: Pages whose Python takes long, which are checked in the slow tests only.
LONG = ["README", "tutorial", "guides/cohorts", "guides/own-model", "guides/own-table"]
CHECKED = [page for page in CHECKED if page not in LONG]
#: A page with long commands, which are skipped in the fast tests.
LONG += ["guides/budget"]
#: Pages whose Python is run and must print these words.
RUN = {
    "acquisition": "mean cost",
    "tables": "",
    "selection": "relevance",
    "evaluation": "",
    "choose": "ba2",
    "fit": "none of these models fits",
    "inference": "",
    "information": "",
    "pilots": "",
}


def takes_long(command):
    """Return whether a command runs in the slow tests only."""
    long = ("choose examples/", "choose ring", "choose net.tsv", "choose cohort", "evaluate")
    return command.removeprefix("netchoice ").startswith(long)


def runs_of(page, folder, skip):
    place = "README.md" if page == "README" else f"docs/{page}.md"
    return list(pages.runs(pages.read(place), folder, skip))


def compare(runs):
    shown = [run for run in runs if run.documented is not None]
    for run in shown:
        assert pages.masked(run.printed) == pages.masked(run.documented), run.source
    return shown


@pytest.mark.parametrize("page", CHECKED)
def test_pages_show_what_their_commands_print(page, tmp_path):
    assert compare(runs_of(page, tmp_path, takes_long))


@pytest.mark.slow
@pytest.mark.parametrize("page", LONG)
def test_pages_show_what_their_long_commands_print(page, tmp_path):
    shown = compare(runs_of(page, tmp_path, lambda command: False))
    assert any(takes_long(run.source) for run in shown)


@fast_for(
    "page", [page for page in RUN if page not in ("choose", "pilots", "tables", "evaluation")], RUN
)
def test_python_of_pages_runs(page, tmp_path):
    """The Python blocks of a page run in order, in one namespace."""
    runs = runs_of(page, tmp_path, lambda command: True)
    assert runs
    assert RUN[page] in "\n".join(run.printed for run in runs)


def test_wrong_output_in_a_page_is_noticed(tmp_path):
    page = "```console\n$ netchoice --version\nnetchoice 0\n```\n\n```python\nprint(1)\n```\n"
    command, code = pages.runs(f"{page}\n```text\n2\n```\n", tmp_path)
    assert pages.masked(command.printed) != pages.masked(command.documented)
    assert pages.masked(code.printed) != pages.masked(code.documented)
    with pytest.raises(AssertionError, match="unknown file or name"):
        list(pages.runs("```console\n$ netchoice show nonsense\n```\n", tmp_path))


def test_masks_hide_what_differs_between_machines():
    one = (
        "  dmr          0.996 (interval 0.966 to >0.999)   fit p = 0.135\nfeatures used (1): a = 2"
    )
    two = "  dmr   0.99 (interval 0.9 to 1)  fit p = 0.1\nnote: the posterior of p is at the "
    two += "prior's boundary (lower)\nfeatures used (2): a = 2, b = 3"
    assert pages.masked(one) == pages.masked(two)
    assert pages.masked("costs 2 µs, fits: p = 0.1") == pages.masked(
        "costs 1.5e+02 ms, fits: p = 0.1"
    )
    assert pages.masked("costs 2 µs, fits: p = 0.1") != pages.masked("costs 2 µs, fits: p = 0.2")
    assert pages.masked("most probable model: dmr") != pages.masked("most probable model: dmc")


def commands_of(group, path=""):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_of(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


def test_every_option_is_documented():
    """docs/commands.md names every command and every option, and no other option."""
    import typer

    from netchoice import cli

    text = (DOCS / "commands.md").read_text()
    known, documented = (
        {"--help", "--version", "--debug", "--max-memory"},
        set(re.findall(r"`(--[a-z-]+)", text)),
    )
    for name, command in commands_of(typer.main.get_command(cli.app)):
        section = text.partition(f"## netchoice {name}\n")[2].partition("\n## ")[0]
        assert section, f"no section for {name}"
        assert command.help, f"{name} does not say what it does"
        for parameter in command.params:
            if parameter.param_type_name != "option":
                continue
            assert parameter.help, f"{name} {parameter.name} has no help"
            for option in (*parameter.opts, *parameter.secondary_opts):
                known.add(option)
                named = re.search(rf"`{option}[` ]", section)
                assert named or option in ("--help", "-h"), f"{name} {option} is not documented"
    assert documented <= known, "an option that does not exist is documented"


@pytest.mark.parametrize(
    "package",
    ["netchoice", *(f"netchoice.{name}" for name in (
        "evaluation", "features", "figures", "forests", "inference", "information", "io", "models", "report",
        "selection", "workflows",
    ))],
)  # fmt: skip
def test_every_public_name_has_an_example(package):
    """The tests run these examples."""
    module = import_module(package)
    public = {name: getattr(module, name) for name in module.__all__}
    described = {
        name: each.__doc__ or ""
        for name, each in public.items()
        if (inspect.isclass(each) or inspect.isfunction(each)) and not is_error(each)
    }
    without = {name for name, text in described.items() if ">>>" not in text}
    assert without <= RETURNED


def is_error(each):
    return inspect.isclass(each) and issubclass(each, Exception)
