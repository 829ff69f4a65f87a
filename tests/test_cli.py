"""The command line: what commands print, and how they exit."""

import inspect
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer

import netchoice
from netchoice import cli
from netchoice._kernels.compiler import kernels
from netchoice.features import feature_names
from netchoice.storage.run_folder import RECORD
from netchoice.storage.shards import TableFolder


def commands(group=None, path=()):
    """Return all commands by their full names, with those of groups."""
    by_name = {}
    for name, command in (group or typer.main.get_command(cli.app)).commands.items():
        if hasattr(command, "commands"):
            by_name |= commands(command, (*path, name))
        else:
            by_name[" ".join((*path, name))] = command
    return by_name


COMMANDS = commands()


def test_help_lists_all_commands(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "Which growth mechanism made this network?" in out
    for command in COMMANDS:
        assert command.split()[0] in out
    assert run() == (0, out, "")
    assert run("--version")[1] == f"netchoice {netchoice.__version__}\n"


def options_of(command):
    return [each for each in command.params if each.param_type_name == "option"]


def test_options_of_choose_are_arguments_in_python():
    """Options about reading files are arguments of the functions that read; printing is a method."""
    reading, printing = {"format", "header", "columns"}, {"verbose", "as_json"}
    options = {each.name for each in options_of(COMMANDS["choose"])} - reading - printing
    assert options <= set(inspect.signature(netchoice.choose_model).parameters)
    one_network = {"budget", "method", "penalty", "costs", "time_limit"}
    assert options - one_network <= set(inspect.signature(netchoice.choose_cohort).parameters)
    for read in (netchoice.read_network, netchoice.io.find_networks):
        assert reading <= set(inspect.signature(read).parameters)


def test_a_folder_is_out_and_priors_are_prior_in_python():
    functions = {
        "choose": netchoice.choose_model, "prepare": netchoice.prepare,
        "simulate": netchoice.simulate_table, "evaluate": netchoice.evaluate_features,
        "pilot": netchoice.select_on_pilots,
    }  # fmt: skip
    for command, function in functions.items():
        names = {each.name for each in options_of(COMMANDS[command])}
        assert names & {"out", "prior"} <= set(inspect.signature(function).parameters), command


def test_commands_and_options_are_few():
    assert sorted(COMMANDS) == [
        "choose", "evaluate", "grow", "pilot", "prepare", "rank", "show", "simulate", "warmup",
    ]  # fmt: skip
    everywhere = typer.main.get_command(cli.app)
    assert sum(len(options_of(each)) for each in (everywhere, *COMMANDS.values())) <= 90 + 3
    panels = [each.rich_help_panel for each in options_of(COMMANDS["choose"])]
    assert panels.count(None) + 1 == 12  # and --help
    assert set(panels) == {None, "Advanced"}


def test_options_have_the_same_defaults_in_all_commands():
    defaults = {"seed": 1, "workers": None, "engine": "processes", "json": False}
    for command in COMMANDS.values():
        for each in options_of(command):
            name = each.opts[0].removeprefix("--")
            assert each.default == defaults.get(name, each.default), f"{command.name} {name}"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_with_an_example(run, name):
    code, out, _ = run(*name.split(), "--help")
    assert code == 0
    assert f"Example: netchoice {name}" in " ".join(out.split())
    assert ("--json" in out) == (name in {"choose", "evaluate", "rank", "show"})
    for parameter in COMMANDS[name].params:
        assert parameter.help or parameter.name == "help", f"{name} {parameter.name} has no help"


def test_models_are_listed_with_their_priors(run):
    code, out, _ = run("show", "models")
    assert code == 0
    for text in ("dmc", "uniform(0.25, 0.75)", "Solé et al.", "mean_links", "small world"):
        assert text in out
    listed = json.loads(run("show", "spaces", "--json")[1])["spaces"]
    assert [space["name"] for space in listed] == ["ba", "duplication", "mechanisms", "all"]
    assert listed[1]["models"][1]["parameters"]["p_new"]["prior"] == "uniform(0.25, 0.75)"
    assert "duplication: dmc, dmr\n" in run("show", "spaces")[1]
    assert json.loads(run("show", "duplication", "--json")[1]) == listed[1]
    assert "dmr with probability q, else lpa" in run("show", "dmr+lpa")[1]
    assert "family" in run("show", "lpa", "--json")[1]


def test_grown_network_is_written_and_described(run, tmp_path):
    path = tmp_path / "net.tsv"
    grow = (
        "grow", "dmr", "--nodes", 200, "--prior", "p_delete=0.4", "--prior", "p_new=0.5", "--seed", 1,
    )  # fmt: skip
    code, out, _ = run(*grow, "-o", path)
    assert code == 0
    assert "grew dmr (p_delete=0.4, p_new=0.5), seed 1" in out
    graph, _ = netchoice.read_network(path)
    assert graph.n_nodes == 200
    code, out, _ = run("show", path)
    assert code == 0
    assert f"200 nodes, {graph.n_edges} edges" in out
    assert json.loads(run("show", path, "--json")[1])["reading"]["rows"] == graph.n_edges
    _, out, errors = run(*grow, "-o", "-")
    assert out == path.read_text()
    assert "seed 1" in errors


@pytest.fixture
def grown(run, tmp_path):
    """Return a network that ``grow`` writes, its parameters, and what is printed about it."""

    def grown(*arguments):
        path = tmp_path / f"grown-{len([*tmp_path.iterdir()])}.tsv"
        code, out, errors = run("grow", *arguments, "-o", path)
        assert code == 0, errors
        out = out.replace(path.name, "grown.tsv")
        found = re.findall(r"(\w+)=([\d.e-]+)", out.splitlines()[0])
        graph, _ = netchoice.read_network(path)
        return graph, {name: float(value) for name, value in found}, out

    return grown


def test_parameters_that_are_not_set_are_drawn_and_printed(grown):
    dmc = ("dmc", "-n", 50, "--prior", "p_delete=0.5")
    graph, parameters, out = grown(*dmc)
    assert parameters["p_delete"] == 0.5
    assert 0.25 <= parameters["p_connect"] <= 0.75
    assert "seed 1" in out
    assert grown(*dmc, "--seed", 1) == (graph, parameters, out)
    dropped, _, out = grown("dmr", "-n", 50, "--isolated", "drop")
    assert (dropped.n_nodes, dropped.n_isolated) == (50, 0)
    assert "isolated nodes: drop" in out
    assert grown("dmr", "-n", 50, "--prior", "p_new=uniform(0.9,1)")[1]["p_new"] >= 0.9


def test_networks_are_density_matched_to_a_file(grown, tmp_path):
    path = tmp_path / "net.csv"
    path.write_text("".join(f"{i},{i + 1}\n" for i in range(80)))
    graph, _, out = grown("lpa", "--like", path)
    assert graph.n_nodes == 81
    assert 72 <= graph.n_edges <= 88
    assert "isolated nodes: drop" in out  # an edge list has no isolated nodes


def test_model_of_the_user_is_imported_from_the_current_folder(run, tmp_path, monkeypatch):
    (tmp_path / "model_of_the_user.py").write_text(
        "import networkx as nx\n\n"
        "def ring(n_nodes, rng):\n    '''A ring.'''\n"
        "    return nx.cycle_graph(n_nodes)\n\n"
        "def wrong(n_nodes, rng):\n    return nx.cycle_graph(n_nodes + 1)\n\n"
        "def raises(n_nodes, rng):\n    return 1 / 0\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert "9 nodes, 9 edges" in run("grow", "model_of_the_user:ring", "-n", 9)[1]
    assert "A ring" in run("show", "model_of_the_user:ring")[1]
    code, _, err = run("grow", "model_of_the_user:wrong", "-n", 9)
    assert (code, err.count("\n")) == (1, 1)
    assert "model 'wrong' returned a network with 10 nodes instead of 9" in err
    code, _, err = run("grow", "model_of_the_user.py:raises", "-n", 9)
    assert (code, err) == (
        1,
        "netchoice: model 'raises' raised ZeroDivisionError: division by zero\n",
    )


def test_features_are_listed_with_their_shared_steps(run):
    out = run("show", "features")[1]
    assert "transitivity (continuous)" in out
    assert "shared steps and their growth: degrees (n), degree_counts (n)" in out
    assert "distance_histograms (n·m/64)" in out
    listed = json.loads(run("show", "features", "--json")[1])["features"]
    assert len(listed) == 51
    assert listed[0].keys() == {"name", "definition", "discrete", "steps", "growth", "version"}


def test_features_of_a_network_are_computed_with_their_costs(run, tmp_path):
    path = tmp_path / "net.tsv"
    path.write_text("a\tb\nb\tc\nc\ta\nc\td\n")
    code, out, _ = run("show", path, "--features", "all")
    assert code == 0
    names = {line.split()[0] for line in out.splitlines() if line.endswith(("s", "µs"))}
    assert {*feature_names()} <= names
    result = json.loads(run("show", path, "--features", "transitivity,n_triangles", "--json")[1])
    assert (result["nodes"], result["reading"]["rows"]) == (4, 4)
    assert result["values"] == {"transitivity": 0.6, "n_triangles": 1}
    assert set(result["step_seconds"]) == {"degrees", "triangles"}
    code, _, errors = run("show", path, "--features", "transitivty")
    assert (code, "did you mean 'transitivity'" in errors) == (2, True)
    assert result["seconds"]["transitivity"] > 0
    costs = [result["seconds"][name] for name in result["values"]]
    assert all(cost > 0 for cost in costs)


def test_costs_are_shown_most_expensive_first(run, tmp_path):
    path = tmp_path / "net.tsv"
    run("grow", "ba4", "-n", 300, "--seed", 1, "-o", path)
    out = run("show", path, "--features", "all")[1].splitlines()
    first = next(i for i, line in enumerate(out) if line.startswith("feature"))
    shown = [line.split() for line in out[first + 1 : first + 52]]
    units = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
    costs = [float(number) * units[unit] for *_, number, unit in shown]
    assert costs == sorted(costs, reverse=True)


def test_feature_of_the_user_is_imported_from_the_current_folder(run, tmp_path, monkeypatch):
    (tmp_path / "my_features.py").write_text(
        "import netchoice\n\n"
        "@netchoice.feature(discrete=True)\ndef n_leaves(degrees):\n    return (degrees == 1).sum()\n\n"
        "@netchoice.feature()\ndef broken(graph):\n    return 1 / 0\n\n"
        "@netchoice.feature\ndef leaf_share(n_leaves, graph):\n    return n_leaves / graph.n_nodes\n\n"
        "@netchoice.feature\ndef endless(graph):\n    return float('inf')\n"
    )
    (tmp_path / "net.tsv").write_text("a b\nb c\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    only = "my_features:n_leaves,my_features:broken,degree_max"
    code, _, errors = run("show", "net.tsv", "--features", only)
    assert code == 0
    assert "broken failed: ZeroDivisionError: division by zero" in errors
    assert run("show", "net.tsv", "--features", "my_features:broken")[0] == 1
    assert "own time grows" in run("show", "my_features:leaf_share")[1]
    assert run("show", "net.tsv", "--features", "my_features:leaf_share")[0] == 0
    infinite = run("show", "net.tsv", "--features", "my_features:endless,degree_max", "--json")[1]
    assert json.loads(infinite)["values"] == {"endless": None, "degree_max": 2}
    values = json.loads(run("show", "net.tsv", "--features", only, "--json")[1])["values"]
    assert values == {"n_leaves": 2, "broken": None, "degree_max": 2}


def test_simulated_table_is_shown_and_exported(run, tmp_path):
    out = tmp_path / "tables" / "train"
    command = (
        "simulate", "duplication", "--nodes", 20, "--samples", 12, "--engine", "serial", "--out", out,
    )  # fmt: skip
    command += ("--features", "transitivity,n_triangles", "--prior", "p_delete=uniform(0.4,0.5)")
    code, text, errors = run(*command)
    assert code == 0
    assert "12 rows" in text
    assert "simulating: 12/12 rows" in errors
    record = json.loads(run("show", out, "--json")[1])
    assert record["rows"] == sum(record["labels"].values()) == 12
    assert record["features"] == ["transitivity", "n_triangles"]
    assert set(record["seconds"]) == {"transitivity", "n_triangles"}
    assert "most expensive features" in run("show", out)[1]
    code, text, _ = run("show", out, "--out", tmp_path / "t.csv")
    assert code == 0
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert len(lines) == 13
    assert lines[0].startswith("label,parameter_p_delete")
    assert json.loads(run("show", out, "--out", tmp_path / "t.parquet", "--json")[1])["rows"] == 12
    code, _, errors = run(*command[:3], 21, *command[4:])
    assert code == 1
    assert "differ in n_nodes" in errors


def test_network_file_is_converted(run, tmp_path):
    (tmp_path / "net.sif").write_text("A pp B\nB pp C\n")
    code, out, _ = run("show", tmp_path / "net.sif", "--out", tmp_path / "net.graphml")
    assert code == 0
    assert "written to" in out
    assert netchoice.read_network(tmp_path / "net.graphml")[0].labels == ("A", "B", "C")
    assert json.loads(run("show", tmp_path / "net.sif", "--out", tmp_path / "b.tsv", "--json")[1])[
        "out"
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["grow", "dmd", "-n", "9"], 2, "did you mean 'dmr' or 'dmc'"),
        (["grow", "dmc", "-n", "9", "--prior", "p_delete=2"], 2, "must be a number in [0, 1]"),
        (["grow", "dmc", "-n", "9", "--prior", "p_delete=x"], 2, "expected a number"),
        (["grow", "dmc", "-n", "9", "--prior", "p_delete"], 2, "not of the form name=value"),
        (
            ["grow", "dmc", "-n", "9", "--prior", "p_delete=unifrm(0,1)"],
            2,
            "did you mean 'uniform'",
        ),
        (["grow", "dmc", "-n", "9", "--isolated", "x"], 2, "isolated"),
        (["grow", "dmc", "-n", "x"], 2, "(see netchoice grow --help)"),
        (["grow", "dmc", "-n", "9", "--json"], 2, "No such option: --json"),
        (["grow", "dmc", "-n", "9", "-o", ""], 1, "cannot write"),
        (["grow", "ba1", "-n", "99999999999999999999"], 2, "`n_nodes` of `ba1` must be an integer"),
        (["show", "./" + "x" * 5000], 1, "cannot be read"),
        (["grow", "dmc"], 2, "the number of nodes is missing"),
        (["grow", "dmc", "-n", "1"], 2, "must be an integer from 2"),
        (["grow", "nothing_here:x", "-n", "9"], 2, "no module 'nothing_here'"),
        (["grow", "dmc", "-n", "9", "-o", "/nowhere/at/all.tsv"], 1, "cannot write"),
        (["show", "duplicatoin"], 2, "did you mean 'duplication'"),
        (["grow", "dmr", "-n", "9", "--prior", "p_delet=1"], 2, "did you mean 'p_delete'"),
        (["show", "net.tsv", "--features", ","], 2, "--features is empty"),
        (["show", "dmr", "--features", "all"], 2, "dmr is not a network file"),
        (["show", "dmr", "--out", "dmr.tsv"], 2, "--out writes networks, tables and reports"),
        (["show", "/"], 2, "is a folder without results of netchoice"),
        (["show", "no_such_module:x"], 2, "no module 'no_such_module'"),
        (["simulate", "duplication", "--nodes", "9"], 2, "--out is missing"),
        (["simulate", "duplication", "--out", "x"], 2, "--nodes is missing"),
        (["simulate", "duplicaton", "--out", "x"], 2, "did you mean 'duplication'"),
        (["show", "/no/such/file"], 1, "no such file"),
        (["show"], 2, "Missing argument"),
        (["descibe"], 2, "netchoice --help"),
    ],
)
def test_mistake_is_answered_with_one_line(run, arguments, code, message):
    exit_code, out, err = run(*arguments)
    assert (exit_code, out) == (code, "")
    assert message in err
    assert err.startswith("netchoice: ")
    assert err.count("\n") == 1


@pytest.mark.slow
def test_warmup_leaves_nothing_to_compile():
    """After the first run, a new process finds all kernels in the cache.

    In the process of the tests, mechanisms of other tests are registered, which workers do not know.
    """
    command = [sys.executable, "-m", "netchoice", "warmup"]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"\d+ kernels ready, 0 of them compiled now\n", done.stdout)


@pytest.mark.slow
def test_compilation_is_announced_once(tmp_path):
    code = (
        "import netchoice, numpy as np\n"
        "model = netchoice.get_model('ba1')\n"
        "for _ in range(2): model.grow(9, {}, np.random.default_rng(1))\n"
        "netchoice.Graph.from_edges([(0, 1)])\n"
    )
    kept = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    environment = {"PATH": "/usr/bin:/bin", "NUMBA_CACHE_DIR": str(tmp_path), **kept}
    for expected in (1, 0):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        assert done.stderr.count("netchoice: compiling") == expected


@pytest.mark.slow
def test_answers_need_no_kernel_besides_those_of_their_warm_up(tmp_path):
    warm = "import netchoice; from netchoice.warmup import warm_up_for\n"
    warm += "warm_up_for(netchoice.get_space('duplication'))"
    network = Path(__file__).parents[1] / "examples" / "dmr-network.tsv"
    choose = ["-m", "netchoice", "choose", network, "--space", "duplication"]
    choose += ["--out", tmp_path / "answer"]
    kept = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    kernels_folder = {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **kernels_folder, **kept}
    said = []
    for command in (["-c", warm], choose):
        done = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, check=True, env=environment
        )
        said.append(done.stderr.count("netchoice: compiling"))
    assert said == [1, 0]


def test_command_without_computation_imports_no_compiler():
    code = "import sys; from netchoice import cli\n"
    code += "try: cli.main(['show', 'features'])\nexcept SystemExit as end: assert not end.code\n"
    code += "assert not {'numba', 'scipy', 'networkx'} & set(sys.modules), 'heavy import'"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("arguments", [["show", "features"], ["rank", "--help"]])
def test_output_in_a_code_page_lacks_no_line(arguments):
    """Output to a file on Windows is in a code page, which has no λ and no Σ."""
    command = [sys.executable, "-m", "netchoice", *arguments]
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u03a3" in done.stdout or b"\\u03bb" in done.stdout


def test_first_answer_shows_the_progress_of_compilation(monkeypatch, capsys):
    from netchoice import warmup
    from netchoice._kernels import compiler

    def compile_nothing(workers, on_ready, names):
        for i, name in enumerate(names):
            on_ready(name, True, i + 1, len(names))

    monkeypatch.setattr(compiler, "is_cached", lambda name: False)
    monkeypatch.setattr(compiler._announcement, "printed", False)
    monkeypatch.setattr(warmup, "warm_up", compile_nothing)
    monkeypatch.setattr("netchoice.progress.SECONDS_BETWEEN_LINES", 0)
    warmup.warm_up_for(netchoice.get_space("duplication"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("netchoice: compiling")
    assert lines[-1].startswith("compiling: 100/100 %")


def test_slowest_kernels_exist():
    from netchoice import warmup

    assert warmup._SECONDS.keys() <= warmup._compilers().keys()


def test_warmup_knows_the_kernels():
    assert len(kernels()) >= 13


def test_closed_pipe_is_no_error():
    pipe = f"{shlex.quote(sys.executable)} -m netchoice grow ba4 -n 20000 --seed 1 -o - | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"{pipe}; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True
    )
    assert done.stdout == "# netchoice nodes=20000\n"
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_show_says_what_was_found_and_what_is_not_supported(run, tmp_path):
    path = tmp_path / "contacts.csv"
    path.write_text("person_a,person_b,n_contacts\nann,bob,3\n")
    code, out, _ = run("show", path)
    assert code == 0
    assert out.splitlines()[1:] == [
        "2 nodes, 1 edge kept",
        "format: edgelist; reason: lines with 3 cells each",
        "header: yes (person_a, person_b, n_contacts)",
        "weights are not supported; ignored: n_contacts",
        "the format cannot declare isolated nodes, so there are none",
        "2 nodes, 1 edge; mean degree 1, largest 1; 0 isolated; 1 component, the largest with 2 nodes",
    ]
    record = json.loads(run("show", path, "--columns", "person_a,n_contacts", "--json")[1])
    assert record["reading"]["ignored"] == ["person_b"]
    plants = tmp_path / "plants.csv"
    plants.write_text(
        "\n".join(",".join("10"[(i * j) % 3 > 0] for j in range(6)) for i in range(9))
    )
    _, out, _ = run("show", plants, "--features", "n_triangles")
    assert "bipartite networks are not supported; all 9 + 6 nodes are treated alike" in out


def test_table_that_is_no_network_ends_with_one_line(run, tmp_path):
    path = tmp_path / "iris.csv"
    path.write_text("length,width,species\n5.1,3.5,setosa\n4.9,3.0,setosa\n")
    for command in ("show", "choose"):
        code, out, err = run(command, path)
        assert (code, out) == (1, "")
        assert "does not look like a network: length and width have decimal numbers" in err
        assert "--format edgelist" in err
        assert len(err.splitlines()) == 1
    assert run("show", path, "--format", "edgelist")[0] == 0
    code, _, err = run("show", path, "--columns", "1,7")
    assert (code, "expected two different columns" in err) == (2, True)


def test_warning_is_one_line(tmp_path):
    make = {
        "n_nodes": 12,
        "n_samples": 4,
        "seed": 1,
        "features": ["degree_mean"],
        "engine": "serial",
    }
    netchoice.simulate_table("ba", **make, out=tmp_path / "t")
    folder = TableFolder(tmp_path / "t")
    folder.write_manifest({**folder.manifest(), "n_samples": 9})
    command = [sys.executable, "-m", "netchoice", "show", "t"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    line = "netchoice: t has 4 of 9 rows; run the same simulation again to complete it\n"
    assert found.stderr == line


# Outputs that the user names


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table, a network and a folder of results, for commands that write them to a file."""
    folder = tmp_path_factory.mktemp("made")
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    frame["label"] = np.where(frame["a"] > 0, "x", "y")
    table = netchoice.ReferenceTable.from_frame(frame)
    table.save(folder / "table")
    options = {"methods": ["jmi"], "folds": 2, "max_features": 1, "on_progress": False}
    netchoice.evaluate_features(table, out=folder / "results", **options)
    (folder / "net.tsv").write_text("a\tb\nb\tc\n")
    return folder


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("grow dmr --nodes 20 --seed 1 --out {out}", "net.tsv"),
        ("show {made}/net.tsv --out {out}", "net.graphml"),
        ("show {made}/table --out {out}", "table.csv"),
        ("show {made}/table --out {out}", "table.parquet"),
        ("show {made}/results --out {out}", "report.html"),
    ],
)
def test_named_output_replaces_no_file(run, made, tmp_path, command, name):
    out = tmp_path / name
    arguments = command.format(made=made, out=out).split()
    assert run(*arguments)[0] == 0
    out.write_text("mine")
    code, _, errors = run(*arguments)
    assert code == 2
    assert errors.startswith(f"netchoice: {out} exists; give another name, or remove the file")
    assert out.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_report_of_a_folder_replaces_its_own_report_only(run, made):
    again = ("show", made / "results", "--out", made / "results" / "report.html")
    assert run(*again)[0] == 0
    assert "report written to" in run(*again)[1]
    (made / "results" / RECORD).rename(made / "list")
    try:
        code, _, errors = run(*again)
    finally:
        (made / "list").rename(made / "results" / RECORD)
    assert code != 0
    assert len(errors.splitlines()) == 1


def test_kernels_that_an_answer_uses_are_compiled_in_advance():
    lines = [
        "import netchoice, numpy as np",
        "from netchoice import warmup",
        "from netchoice._kernels import compiler",
        "network = netchoice.get_model('dmr').grow(40, rng=np.random.default_rng(1))",
        "effort = netchoice.Effort.small()",
        "netchoice.choose_model(network, effort=effort, engine='serial')",
        "used = {name for name, each in compiler.kernels().items() if each.nopython_signatures}",
        "needed = warmup._needed(netchoice.get_space('all'))",
        "print(sorted(used - {*needed}), len(needed), len(compiler.kernels()))",
    ]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    missing, n_needed, n_all = run.stdout.strip().rsplit(" ", 2)
    assert missing == "[]"
    assert int(n_needed) < int(n_all)
