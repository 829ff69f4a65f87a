"""Files in the current folder are data of somebody: none of them runs because of its name."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import netchoice

FOREIGN = (
    "numpy", "scipy", "pandas", "numba", "llvmlite", "pyarrow", "sklearn", "matplotlib", "networkx", "typer",
    "click", "rich", "cloudpickle", "threadpoolctl", "joblib", "distributed", "upath", "yaml",
)  # fmt: skip
AT_START = ("sitecustomize", "usercustomize")
SCRIPT = shutil.which("netchoice", path=str(Path(sys.executable).parent))
COMMAND = [SCRIPT] if SCRIPT else [sys.executable, "-P", "-m", "netchoice"]
MODULE = [sys.executable, "-m", "netchoice"]
SIMULATE = (
    "simulate", "ba", "--nodes", "20", "--samples", "40", "--features", "degree_mean", "--workers", "2",
    "--out", "../table",
)  # fmt: skip
FEW = ("--workers", "2")
NETWORK = "".join(f"n{i} n{j}\n" for i in range(30) for j in range(i) if (i * j) % 7 == 1)


def imported_by_python():
    """Return the modules that any ``python -m …`` imports before the module that it runs."""
    code = "import runpy, sys; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    return {name.partition(".")[0] for name in found.stdout.split()}


@pytest.fixture
def hostile(tmp_path):
    """A folder with a file for every module of Python and of packages; each says when it runs."""
    folder, log = tmp_path / "data", tmp_path / "log"
    (folder / "encodings").mkdir(parents=True)
    code = f"open({str(log)!r}, 'a').write(__name__ + '\\n')\n"
    installed = [name for name in FOREIGN if importlib.util.find_spec(name)]
    for name in {*sys.stdlib_module_names, *installed, *AT_START, "netchoice"} - {"encodings"}:
        (folder / f"{name}.py").write_text(code)
    for name in ("__init__", "idna", "latin_1", "utf_8_sig"):
        (folder / "encodings" / f"{name}.py").write_text(code)
    (folder / "net.tsv").write_text(NETWORK)
    return folder


def run(command, folder, **options):
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False, **options
    )
    log = folder.parent / "log"
    assert not log.exists(), sorted({*log.read_text().split()})
    return done


def absent(folder):
    """Return the files whose names no installed module has."""
    paths = folder.glob("*.py")
    return [path for path in paths if importlib.util.find_spec(path.stem) is None]


def of_python_alone(folder):
    """Leave out the files that any ``python -m`` runs before netchoice: Python itself finds them."""
    for name in {*imported_by_python(), "netchoice"}:
        (folder / f"{name}.py").unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("start", "arguments"),
    [
        (COMMAND, SIMULATE),
        (MODULE, ("show", "net.tsv")),
        *(
            pytest.param(start, arguments, marks=pytest.mark.slow)
            for start, arguments in [
                (MODULE, SIMULATE),
                (COMMAND, ("warmup",)),
                (MODULE, ("warmup",)),
                (COMMAND, ("prepare", "ba", "--nodes", "20", *FEW, "--out", "../chooser")),
                (COMMAND, ("choose", "net.tsv", "--space", "ba", *FEW, "--out", "../answer")),
                (MODULE, ("choose", "net.tsv", "--space", "ba", *FEW, "--out", "answer")),
            ]
        ),
    ],
)
def test_no_file_of_the_current_folder_runs(hostile, start, arguments):
    if start is MODULE:
        of_python_alone(hostile)
    done = run([*start, *arguments], hostile)
    assert done.returncode == 0, done.stderr


OWN = """
import netchoice, helper

@netchoice.feature()
def own_feature(degrees):
    return float(degrees.max()) + helper.ONE

@netchoice.model(p="uniform(0.1, 0.2)")
def own_model(n_nodes, rng, p):
    import networkx as nx
    return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))
"""


@pytest.mark.parametrize(
    "start", [COMMAND, pytest.param(MODULE, marks=pytest.mark.slow)], ids=["command", "module"]
)
def test_own_modules_beside_hostile_ones_are_found(hostile, start):
    """A named module is imported from the current folder, which is searched after all others."""
    for path in absent(hostile):
        path.unlink()
    if start is MODULE:
        of_python_alone(hostile)
    (hostile / "mine.py").write_text(OWN)
    (hostile / "helper.py").write_text("ONE = 1.0")
    named = (
        "simulate",
        "mine:own_model",
        "--nodes",
        12,
        "--samples",
        12,
        "--features",
        "mine:own_feature",
    )
    done = run([*start, *named, "--workers", 2, "--out", "../own"], hostile)
    assert done.returncode == 0, done.stderr
    assert (netchoice.ReferenceTable.load(hostile.parent / "own").X["own_feature"] >= 1).all()


NOTEBOOK = """
import os, sys, netchoice, mine
options = dict(n_nodes=12, seed=1, features=[mine.own_feature], workers=1)
def here(n_nodes, rng):
    return netchoice.Graph.from_edges([(0, 1)], n_nodes)
space = netchoice.ModelSpace("both", [mine.own_model, netchoice.Model("here", here)])
netchoice.simulate_table(space, n_samples=4, **options)  # imports all modules of the parent
for name in HOSTILE:
    open(name + ".py", "w").write("open('../log', 'a').write(__name__ + ' ')")
before = (list(sys.path), dict(os.environ))
table = netchoice.simulate_table(space, n_samples=8, **options)
assert before == (sys.path, dict(os.environ))
assert before[0][0] == "" and len(table.X) == 8
"""


def test_worker_processes_of_a_notebook_search_the_current_folder_last(hostile):
    """What is typed has an empty name first in ``sys.path``, as in the kernel of a notebook."""
    names = sorted(
        {path.stem for path in hostile.glob("*.py")} - {path.stem for path in absent(hostile)}
    )
    for path in hostile.glob("*.py"):
        path.unlink()
    (hostile / "mine.py").write_text(OWN)
    (hostile / "helper.py").write_text("ONE = 1.0")
    shutil.rmtree(hostile / "encodings")
    done = run([sys.executable, "-c", f"HOSTILE = {names!r}{NOTEBOOK}"], hostile)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_programs_that_a_function_of_the_user_starts_find_their_modules(tmp_path):
    """The protection of worker processes does not reach other programs."""
    (tmp_path / "mine.py").write_text(
        "import netchoice, subprocess, sys\n\n@netchoice.feature()\ndef program(degrees):\n"
        "    return float(subprocess.check_output([sys.executable, 'program.py']))\n"
    )
    (tmp_path / "program.py").write_text("import beside\nprint(beside.VALUE)")
    (tmp_path / "beside.py").write_text("VALUE = 2.5")
    what = ("ba", "--nodes", 9, "--samples", 4, "--features", "mine:program")
    done = run([*COMMAND, "simulate", *what, "--workers", 1, "--out", "table"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert netchoice.ReferenceTable.load(tmp_path / "table").X["program"].tolist() == [2.5] * 4


def test_own_module_with_the_name_of_another_one_is_refused(tmp_path):
    (tmp_path / "random.py").write_text(OWN)
    done = run([*COMMAND, "grow", "random:own_model", "-n", 9], tmp_path)
    assert done.returncode == 2
    assert "random.py in the current folder has the name of another module" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_environment_is_respected_or_refused(hostile):
    """With -E, Python ignores the variable that protects worker processes."""
    for path in hostile.glob("*.py"):
        path.unlink()
    source = str(Path(netchoice.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {source!r}); from netchoice.cli import main; main({SIMULATE!r})"
    done = run([sys.executable, "-E", "-c", code], hostile)
    assert done.returncode == 1
    assert done.stderr.startswith("netchoice: Python was started with -E")


def test_compiled_code_is_not_taken_from_the_current_folder(tmp_path):
    """numba reads ``.numba_config.yaml`` in the current folder, which may name a folder of compiled code."""
    pytest.importorskip("yaml")
    (tmp_path / "net.tsv").write_text("a b\nb c\n")
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: kernels\ncache_locator_classes: x.Y")
    done = run([*COMMAND, "show", "net.tsv", "--features", "n_triangles"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "kernels").exists()
