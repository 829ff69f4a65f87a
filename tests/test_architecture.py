"""The source tree agrees with its map, docs/architecture.md."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "netchoice"
MAP = (ROOT / "docs" / "architecture.md").read_text("utf-8")

MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")
#: Top-level packages and modules.
PARTS = {
    path.name.removesuffix(".py")
    for path in SOURCE.iterdir()
    if path.name != "__init__.py" and (path.suffix == ".py" or (path / "__init__.py").exists())
}
#: The layer of each part, as the map says.
LAYER = {
    part: int(layer)
    for layer, parts in re.findall(r"^\| (\d+) \| ([^|]*) \|", MAP, re.MULTILINE)
    for part in re.findall(r"`(\w+)`", parts)
}
WALLED = set(re.findall(r"`(\w+)`", re.search(r"\*\*The wall\.\*\* (.*?) know nothing", MAP)[1]))
#: These import nothing of the package but themselves.
ALONE = {"_kernels", "costs"}


def test_map_lists_every_part_once():
    assert set(LAYER) == PARTS
    listed = re.findall(r"^\| \d+ \| ([^|]*) \|", MAP, re.MULTILINE)
    assert len(re.findall(r"`\w+`", " ".join(listed))) == len(PARTS)


def test_map_names_files_that_exist():
    """Paths in backticks are files or folders of the repository, or of the package."""
    named = set(re.findall(r"`([\w/.-]+(?:/|\.py|\.md))`", MAP))
    assert len(named) > 30
    for name in named:
        assert (ROOT / name).exists() or (SOURCE / name).exists(), name


def imported_parts(path):
    """Parts of netchoice that a module imports, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
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
                yield parts[1] if parts[1] in PARTS else "__init__"


def violations(part, imports):
    for other in imports:
        if other == part:
            continue
        if other == "__init__":  # the whole package, so all layers at once
            if part not in ("cli", "__main__"):
                yield f"{part} imports the package itself, not one of its parts"
        elif part in ALONE:
            yield f"{part} imports {other}, but must import nothing of the package"
        elif LAYER[other] > LAYER[part]:
            yield f"{part} imports {other}, which is in a higher layer"
        elif part in WALLED and other not in WALLED and LAYER[other] > 1:
            yield f"{part} imports {other}, through the wall"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert not list(violations(part, imported_parts(path)))


def test_violations_are_noticed():
    assert list(violations("graph", ["cli"]))
    assert list(violations("selection", ["__init__"]))
    assert list(violations("selection", ["graph"]))
    assert list(violations("inference", ["features"]))
    assert list(violations("_kernels", ["errors"]))
    assert list(violations("costs", ["errors"]))
    assert not list(violations("selection", ["information", "_kernels", "costs", "forests"]))
    assert not list(violations("cli", ["graph"]))


def test_module_imports_have_no_cycle():
    """Imports at the top of modules; imports inside functions may point back."""
    graph = defaultdict(set)
    names = {".".join(path.relative_to(SOURCE.parent).with_suffix("").parts) for path in MODULES}
    for path in MODULES:
        name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    for target in (f"{node.module}.{alias.name}", node.module):
                        if target in names and target != name:
                            graph[name].add(target)
    done, active = set(), []

    def visit(name):
        if name in done:
            return
        assert name not in active, f"cycle: {[*active[active.index(name) :], name]}"
        active.append(name)
        for other in sorted(graph[name]):
            visit(other)
        done.add(active.pop())

    for name in sorted(names):
        visit(name)


#: Folders whose modules may share a name with another one: commands are named after what they call,
#: kernels after the feature they compute, and an interactive drawing after the static one.
FACES = ("cli", "_kernels", "interactive")


def test_no_two_modules_share_a_name():
    places = defaultdict(list)
    for path in MODULES:
        parts = path.relative_to(SOURCE).parts
        if path.name != "__init__.py" and not set(parts) & set(FACES):
            places[path.stem].append("/".join(parts))
    assert not [where for where in places.values() if len(where) > 1]


def test_no_pickle_and_no_global_randomness():
    for path in MODULES:
        text = path.read_text("utf-8")
        assert "import pickle" not in text, path
        assert not re.search(r"np\.random\.(seed|rand|normal|choice)\(", text), path


def test_selectors_import_no_packages_for_networks_figures_and_commands():
    code = (
        "import sys; from netchoice.selection import JMI; "
        "print(*{'networkx', 'igraph', 'matplotlib', 'typer'} & set(sys.modules))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert process.stdout.split() == []
