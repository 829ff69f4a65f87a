"""The house keeps its shape: layers, public names, documentation."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import netchoice

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "netchoice"

# Lowest first. A module may import from its own layer and from layers before it.
LAYERS = [
    {"_kernels", "costs", "errors", "names", "threads", "units"},
    {"graph"},
    {"io", "models", "features", "datasets"},
    {"shards", "table"},
    {"engines", "simulate", "growth"},
    {"information"},
    {"selection"},
    {"pilot", "evaluation", "choice"},
    {"plots"},
    {"report"},
    {"warmup", "cli", "__main__"},
]
# Anybody with a table and a price list can use these: they know nothing of networks.
WALLED = {"information", "selection"}
BEHIND_THE_WALL = {"_kernels", "costs", "errors", "names", "threads", *WALLED}
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
        "feature", "feature_names", "get_model", "get_space", "information", "io", "model",
        "operating_point", "paper_costs", "pilot", "plots", "read_network", "recommend_pilot_size",
        "selection", "simulate_table",
        "write_network",
    }  # fmt: skip
    for name in netchoice.__all__:
        thing = getattr(netchoice, name)
        assert thing.__doc__, f"{name} has no docstring"


def test_public_functions_have_examples():
    for name in netchoice.__all__:
        thing = getattr(netchoice, name)
        if callable(thing) and not name.endswith(("Report", "Result", "Choice", "Feature")):
            assert ">>>" in thing.__doc__, f"{name} has no example"


@pytest.mark.parametrize("part", ["selection", "evaluation", "plots", "information", "choice"])
def test_public_parts_have_examples(part):
    module = getattr(netchoice, part)
    assert sorted(module.__all__) == sorted(set(module.__all__))
    for name in module.__all__:
        thing = getattr(module, name)
        results = ("Stability", "OperatingPoint", "CostAwareSelector", "Choice", "Embedding")
        results += ("Fit", "HeldOut", "ModelProbabilities", "Posterior")
        told = callable(thing) and name not in results
        if told and not isinstance(thing, dict):
            assert ">>>" in (thing.__doc__ or ""), f"{part}.{name} has no example"


def test_no_pickle_and_no_global_randomness():
    for path in MODULES:
        text = path.read_text()
        assert "import pickle" not in text, path
        assert not re.search(r"np\.random\.(seed|rand|normal|choice)\(", text), path


@pytest.mark.parametrize(
    ("guide", "words"),
    [
        ("guides/own-model", "100 nodes"),
        ("guides/own-feature", "'n_leaves': 3"),
        ("tables", ""),
        ("selection", "agreement"),
        ("evaluation", ""),
        ("choose", "ba2"),
        ("fit", "no model"),
        ("inference", ""),
        ("information", ""),
        ("pilots", ""),
    ],
)
def test_guides_run(guide, words, tmp_path, monkeypatch, capsys):
    """Every Python block of a guide, in order, in one namespace."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / f"{guide}.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    namespace = {}
    for block in blocks:
        exec(compile(block, guide, "exec"), namespace)
    assert words in capsys.readouterr().out


def commands_of(group, path=""):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_of(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


def test_every_option_is_documented():
    """docs/commands.md names every command and option."""
    import typer

    from netchoice import cli

    text = (ROOT / "docs" / "commands.md").read_text()
    for name, command in commands_of(typer.main.get_command(cli.app)):
        section = text.partition(f"## netchoice {name}\n")[2].partition("\n## ")[0]
        assert section, f"no section for {name}"
        for parameter in command.params:
            for option in parameter.opts if parameter.param_type_name == "option" else ():
                assert f"`{option}" in section or option in ("--help", "-h"), f"{name} {option}"


def test_readme_prints_what_it_says(tmp_path):
    """Its commands, in order, and its Python give the output that stands there."""
    text = (ROOT / "README.md").read_text()
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    runs = re.findall(
        r"^\$ (netchoice [^\n]*)\n(.*?)(?=^\$ |\Z)", blocks[-1], re.MULTILINE | re.DOTALL
    )
    assert len(runs) >= 3
    for command, expected in runs:
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert (done.returncode, done.stdout) == (0, expected), command
    code, expected = re.search(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL
    ).groups()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, expected), done.stderr
