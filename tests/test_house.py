"""The house keeps its shape: layers, public names, documentation."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pages
import pytest

import netchoice
from netchoice import datasets

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "netchoice"
DOCS = ROOT / "docs"

# Lowest first. A module may import from its own layer and from layers before it.
LAYERS = [
    {"_kernels", "costs", "errors", "names", "threads", "units", "validation"},
    {"graph", "information", "forests"},
    {"io", "models", "features", "datasets", "selection", "inference"},
    {"storage"},
    {"engines", "simulate", "cost_growth", "evaluation"},
    {"workflows"},
    {"figures"},
    {"report", "reproduction"},
    {"warmup", "cli", "__main__"},
]
# Anybody with a table and a cost for each column can use these: they know nothing of networks.
WALLED = {"information", "forests", "selection", "inference"}
BEHIND_THE_WALL = {"_kernels", "costs", "errors", "names", "threads", "validation", *WALLED}
# These import nothing of the package but themselves.
ALONE = {"_kernels", "costs"}


def layer_of(room):
    return next(i for i, rooms in enumerate(LAYERS) if room in rooms)


def imported_rooms(path):
    """Top-level parts of netchoice that a module imports, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts == ["netchoice"]:
                yield "__init__"
            elif parts[0] == "netchoice":
                yield parts[1] if parts[1] in ROOMS else "__init__"


MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")
ROOMS = {
    path.name.removesuffix(".py")
    for path in SOURCE.iterdir()
    if path.suffix == ".py" or path.is_dir()
}


def complaints(room, imports):
    for other in imports:
        if other == room:
            continue
        if other == "__init__":  # the whole package, so all layers at once
            if room not in ("cli", "__main__"):
                yield f"{room} imports the package itself, not one of its parts"
        elif room in ALONE and not (room == "_kernels" and other == "_kernels"):
            yield f"{room} imports {other}, but imports nothing of the package"
        elif layer_of(other) > layer_of(room):
            yield f"{room} imports {other}, which is a higher layer"
        elif room in WALLED and other not in BEHIND_THE_WALL:
            yield f"{room} imports {other}, through the wall"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert not list(complaints(room, imported_rooms(path)))


def test_the_walk_would_notice(monkeypatch):
    monkeypatch.setattr(f"{__name__}.ROOMS", ROOMS | {"selection", "costs", "information"})
    assert list(complaints("graph", ["cli"]))
    assert list(complaints("selection", ["__init__"]))
    assert list(complaints("selection", ["graph"]))
    assert list(complaints("_kernels", ["errors"]))
    assert list(complaints("costs", ["errors"]))
    assert not list(complaints("selection", ["information", "_kernels", "costs"]))
    assert not list(complaints("cli", ["graph"]))


def test_public_names():
    assert netchoice.__all__ == sorted(netchoice.__all__)
    assert set(netchoice.__all__) == {
        "Choice", "CostGrowth", "CostModel", "Feature", "FeatureResult", "Graph", "Model", "ModelSpace",
        "ReadingReport", "ReferenceTable", "as_prior", "choice", "choose_model",
        "compute_features", "embed", "errors", "evaluate", "evaluation",
        "feature", "feature_names", "figures", "get_model", "get_space", "information", "io", "model",
        "operating_point", "paper_costs", "pilot", "read_network", "recommend_pilot_size",
        "report", "selection", "simulate_table",
        "write_network",
    }  # fmt: skip
    for name in netchoice.__all__:
        thing = getattr(netchoice, name)
        assert thing.__doc__, f"{name} has no docstring"


#: Parts with public names of their own; the data sets have no list of theirs.
PARTS = sorted(
    path.parent.name
    for path in SOURCE.glob("*/__init__.py")
    if "__all__" in path.read_text() and path.parent.name != "cli"
)
PUBLIC = [
    *((f"{name}", getattr(netchoice, name)) for name in netchoice.__all__),
    *(
        (f"{part}.{name}", getattr(import_module(f"netchoice.{part}"), name))
        for part in PARTS
        for name in import_module(f"netchoice.{part}").__all__
    ),
    *((f"datasets.{name}", getattr(datasets, name)) for name in ("load", "edge_checksum")),
]
#: What functions return, or what is made by others: their makers have the examples.
MADE = {
    "Choice", "CostAwareSelector", "Embedding", "Feature", "FeatureResult", "Fit", "HeldOut",
    "ModelProbabilities", "OperatingPoint", "PaperCosts", "Parameter", "PilotStudy", "Posterior",
    "Prior", "ReadingReport", "Recommendation", "Stability", "Step",
}  # fmt: skip


def test_public_parts():
    assert {"choice", "evaluation", "io", "models", "figures", "pilot", "selection"} <= set(PARTS)
    for part in PARTS:
        names = import_module(f"netchoice.{part}").__all__
        assert sorted(names) == sorted(set(names))
    classes = {name.rpartition(".")[2] for name, thing in PUBLIC if inspect.isclass(thing)}
    assert classes >= MADE, "an exception that is none"


@pytest.mark.parametrize(("name", "thing"), PUBLIC, ids=[name for name, _ in PUBLIC])
def test_public_names_are_documented(name, thing):
    """A docstring, also for the methods of a class; an example; a place in the reference."""
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return  # modules and constants
    short = name.rpartition(".")[2]
    assert thing.__doc__, f"{name} has no docstring"
    if short not in MADE:
        assert ">>>" in thing.__doc__, f"{name} has no example"
    for method in vars(thing).values() if inspect.isclass(thing) else ():
        told = inspect.isfunction(method) or isinstance(method, property)
        if told and not getattr(method, "__name__", "_").startswith("_"):
            assert inspect.getdoc(method), f"{name}.{method.__name__} has no docstring"
    reference = (DOCS / "api.md").read_text()
    whole = f".. automodule:: netchoice.{name.rpartition('.')[0]}\n   :members:\n"
    assert re.search(rf"\b{short}\b", reference) or whole in reference, f"{name} is not in api.md"


def test_the_pages_are_all_in_the_index():
    index = (DOCS / "index.md").read_text() + (DOCS / "reproduction.md").read_text()
    for path in DOCS.rglob("*.md"):
        page = path.relative_to(DOCS).with_suffix("").as_posix()
        assert page == "index" or f"\n{page}\n" in index, f"{page} is not in docs/index.md"


def test_no_pickle_and_no_global_randomness():
    for path in MODULES:
        text = path.read_text()
        assert "import pickle" not in text, path
        assert not re.search(r"np\.random\.(seed|rand|normal|choice)\(", text), path


#: Their commands and their Python are run, and print what stands there.
TOLD = ["README", "tutorial", "explanation/cost"]
TOLD += sorted(f"guides/{path.stem}" for path in DOCS.glob("guides/*.md"))
#: Their Python is run, and these words are printed.
RUN = {
    "tables": "",
    "selection": "agreement",
    "evaluation": "",
    "choose": "ba2",
    "fit": "no model",
    "inference": "",
    "information": "",
    "pilots": "",
}


def takes_long(command):
    """Left to the slow tests; the README has a short one of the kind."""
    return command.startswith(
        ("netchoice choose examples/", "netchoice choose ring", "netchoice evaluate")
    )


def runs_of(page, folder, skip):
    place = "README.md" if page == "README" else f"docs/{page}.md"
    return list(pages.runs(pages.read(place), folder, skip))


def compare(runs):
    told = [run for run in runs if run.told is not None]
    for run in told:
        assert pages.alike(run.printed) == pages.alike(run.told), run.what
    return told


@pytest.mark.parametrize("page", TOLD)
def test_pages_print_what_they_say(page, tmp_path):
    assert compare(runs_of(page, tmp_path, takes_long))


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", ["tutorial", "guides/own-model", "guides/own-table", "guides/budget"]
)
def test_long_commands_print_what_pages_say(page, tmp_path):
    told = compare(runs_of(page, tmp_path, lambda command: False))
    assert any(takes_long(run.what) for run in told)


@pytest.mark.parametrize(("page", "words"), RUN.items())
def test_pages_run(page, words, tmp_path):
    """Every Python block of a page, in order, in one namespace."""
    runs = runs_of(page, tmp_path, lambda command: True)
    assert runs
    assert words in "\n".join(run.printed for run in runs)


def test_a_page_that_lies_is_noticed(tmp_path):
    page = "```console\n$ netchoice --version\nnetchoice 0\n```\n\n```python\nprint(1)\n```\n"
    command, code = pages.runs(f"{page}\n```text\n2\n```\n", tmp_path)
    assert pages.alike(command.printed) != pages.alike(command.told)
    assert pages.alike(code.printed) != pages.alike(code.told)
    with pytest.raises(AssertionError, match="unknown model space"):
        list(pages.runs("```console\n$ netchoice models nonsense\n```\n", tmp_path))


def test_what_differs_between_machines_is_not_compared():
    one = "  dmr          0.996 (between 0.966 and >0.999)   fit p = 0.135\nit rests on 1 features: a = 2"
    two = "  dmr   0.99 (between 0.9 and 1)  fit p = 0.1\nnote: the posterior of p is at the "
    two += "prior's boundary (lower)\nit rests on 2"
    assert pages.alike(one) == pages.alike(two)
    assert pages.alike("costs 2 µs, fits: p = 0.1") == pages.alike(
        "costs 1.5e+02 ms, fits: p = 0.1"
    )
    assert pages.alike("costs 2 µs, fits: p = 0.1") != pages.alike("costs 2 µs, fits: p = 0.2")
    assert pages.alike("most probable model: dmr") != pages.alike("most probable model: dmc")


def commands_of(group, path=""):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_of(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


def test_every_option_is_documented():
    """docs/commands.md names every command and option, and no option that is none."""
    import typer

    from netchoice import cli

    text = (DOCS / "commands.md").read_text()
    known, told = {"--help", "--version"}, set(re.findall(r"`(--[a-z-]+)", text))
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
    assert told <= known, "documented, but not there"
