"""Attacks on readers of foreign files and on the command line: damaged files of every format, wild options.

Each trial writes damaged files to a folder and lets a process with limits read them.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

import numpy as np

import netchoice
from attack import samples
from attack.mutations import PACKERS, flip_bits, insert_repeated, mutate
from attack.sandbox import Sandbox

Trial = Callable[[np.random.Generator, Path], str]
Item = TypeVar("Item")

_SANDBOX = Sandbox()
atexit.register(_SANDBOX.close)


def _run(task: str, *arguments: object) -> str:
    """Return the outcome of a task; print its error or output, which is shown if the outcome is bad."""
    outcome, detail = _SANDBOX.run(task, *arguments)
    print(detail)
    return outcome


def _choose(rng: np.random.Generator, items: Sequence[Item]) -> Item:
    return items[int(rng.integers(len(items)))]


def damaged_network(format: str, rng: np.random.Generator, folder: Path) -> str:
    """Read a damaged file with one network, with or without its format."""
    files = samples.networks()[format]
    name, content = files[int(rng.integers(len(files)))]
    path = folder / name
    path.write_bytes(mutate(rng, content))
    return _run("read", str(path), format if rng.random() < 0.5 else None)


def spliced_networks(rng: np.random.Generator, folder: Path) -> str:
    """Read a file that starts in one format and ends in another, with the suffix of a third."""
    files = [file for group in samples.networks().values() for file in group]
    (_, one), (_, other), (name, _) = (files[i] for i in rng.integers(len(files), size=3))
    start, end = int(rng.integers(len(one) + 1)), int(rng.integers(len(other) + 1))
    path = folder / name
    path.write_bytes(mutate(rng, one[:start] + other[end:]))
    return _run("read", str(path), None)


def random_text(rng: np.random.Generator, folder: Path) -> str:
    """Read a file of repeated pieces, with the name of any format."""
    files = [name for group in samples.networks().values() for name, _ in group]
    content = b""
    for _ in range(int(rng.integers(1, 5))):
        content = insert_repeated(rng, content)[:900_000]
    path = folder / files[int(rng.integers(len(files)))]
    path.write_bytes(content)
    return _run("read", str(path), _choose(rng, [None, None, *samples.networks()]))


def damaged_arrays(rng: np.random.Generator, folder: Path) -> str:
    """Read an npz file whose members are damaged before they are zipped, so that checksums are right."""
    members = dict(_choose(rng, list(samples.sparse_arrays().values())))
    for name in rng.choice(sorted(members), int(rng.integers(1, 3))):
        damage = flip_bits if rng.random() < 0.5 else mutate
        members[str(name)] = damage(rng, members[str(name)])
    path = folder / "net.npz"
    path.write_bytes(samples.zip_of(members))
    return _run("read", str(path), None)


def bomb(rng: np.random.Generator, folder: Path) -> str:
    """Read a file below 1 MB that expands or declares much more."""
    n = int(10 ** rng.uniform(5, 9.5))
    pieces = [b"1 2\n", b"a\tb\n", b"0,1,", b"[1,2],", b'{"a":1},', b"\n", b"0 ", b"<a/>", b"a--b;"]
    kind = int(rng.integers(6))
    if kind == 0:
        name, content = "net.txt.gz", _gzip(pieces[int(rng.integers(len(pieces)))], min(n, 10**9))
    elif kind == 1:
        zeros = np.zeros(min(n, 10**8), np.uint8)
        zeros[: int(rng.integers(1, 1000))] = 1
        side = int(len(zeros) ** 0.5)
        array = samples.npy_of(zeros[: side * side].reshape(side, side))
        name, content = "net.npz", samples.zip_of({"adjacency.npy": array})
    elif kind == 2:
        texts = [
            ("net.net", f"*Vertices {n}\n*Edges\n1 2\n"),
            ("net.mtx", f"%%MatrixMarket matrix coordinate pattern general\n{n} {n} 1\n1 2\n"),
            ("net.mtx", f"%%MatrixMarket matrix array real general\n{n} {n}\n1\n"),
            ("net.json", f"[[0, {n}]]"),
            ("net.tsv", f"# netchoice nodes={n}\n0\t1\n"),
            ("net.gml", f"graph [ node [ id 0 ] node [ id {n} ] edge [ source 0 target {n} ] ]"),
        ]
        name, text = texts[int(rng.integers(len(texts)))]
        content = text.encode()
    elif kind == 3:
        import pandas as pd

        rows = min(n, 3_000_000)
        text = "x" * int(rng.choice([1, 100, 10_000]))
        codes = pd.Categorical.from_codes(np.zeros(rows, np.int8), [text])
        name = str(rng.choice(["net.parquet", "many.parquet"]))
        columns = {"source": codes, "target": codes}
        if name.startswith("many"):
            columns["graph"] = codes
        pd.DataFrame(columns).to_parquet(folder / name)
        content = (folder / name).read_bytes()[:999_999]
    elif kind == 4:
        piece = pieces[int(rng.integers(len(pieces)))]
        table = folder / "table.csv"
        pack = _choose(rng, [*PACKERS, lambda content: samples.zip_of({"t.csv": content})])
        table.write_bytes(b"label,x\na,1\nb,2\n" + piece * (min(n, 10**8) // len(piece)))
        table.write_bytes(pack(table.read_bytes())[:999_999])
        return _run("command", str(folder), ["rank", str(table)])
    else:
        name = "networks.zip"
        content = samples.zip_of({"a.tsv": pieces[int(rng.integers(2))] * min(n, 3 * 10**7)})
    path = folder / name
    path.write_bytes(content[:999_999])
    return (
        _run("find", [str(path)])
        if name.startswith(("many", "networks"))
        else _run("read", str(path), None)
    )


def _gzip(piece: bytes, n_bytes: int) -> bytes:
    """Return a gzip file of many copies of a piece: members of 1 MB, as gzip allows."""
    import gzip

    block = gzip.compress(piece * ((1 << 20) // len(piece)), 9, mtime=0)
    return block * min(max(1, n_bytes >> 20), 999_999 // len(block))


def damaged_collection(kind: str, rng: np.random.Generator, folder: Path) -> str:
    """Find and read networks after damage of one of the files of a collection."""
    files = samples.collections()[kind]
    damaged = str(rng.choice(list(files)))
    for name, content in files.items():
        (folder / name).write_bytes(mutate(rng, content) if name == damaged else content)
    is_folder = kind == "TUDataset" or rng.random() < 0.1
    return _run("find", [str(folder if is_folder else folder / next(iter(files)))])


def damaged_costs(rng: np.random.Generator, folder: Path) -> str:
    """Read a damaged file of costs."""
    names = [name for name in samples.tables() if name != "table.csv"]
    path = folder / names[int(rng.integers(len(names)))]
    path.write_bytes(mutate(rng, samples.tables()[path.name]))
    return _run("costs", str(path))


def _table(rng: np.random.Generator, folder: Path) -> list[str]:
    """Write a table and costs, one of them damaged; return the options that name them."""
    for name, content in samples.tables().items():
        (folder / name).write_bytes(content)
    name = str(rng.choice(["table.csv", "table.csv", "costs.csv", "costs.json"]))
    damage = _wild_cells if name == "table.csv" and rng.random() < 0.6 else mutate
    (folder / name).write_bytes(damage(rng, samples.tables()[name]))
    costs = [] if name == "table.csv" and rng.random() < 0.5 else ["costs.csv"]
    costs = [name] if name.startswith("costs") else costs
    options = [str(folder / "table.csv")]
    return [*options, "--costs", str(folder / costs[0])] if costs else options


_NAMES = [
    "$\\frac$",
    "$x$",
    "a" * 3000,
    "<b>&",
    "ä\u202e",
    "a\\nb",
    "0",
    "nan",
    "_",
    "param_a",
    "\udcff",
]


def _wild_cells(rng: np.random.Generator, content: bytes) -> bytes:
    """Replace cells or names of columns by extreme ones, and keep the form of the table."""
    rows = [line.split(",") for line in content.decode().splitlines()]
    column = int(rng.integers(len(rows[0])))
    if rng.random() < 0.4:
        rows[0][int(rng.integers(len(rows[0]) - 1))] = str(_choose(rng, _NAMES))
    whole, value = rng.random() < 0.4, str(_choose(rng, _EXTREMES))
    for row in rows[1:]:
        if whole or rng.random() < 0.1:
            row[column] = value if rng.random() < 0.9 else str(_choose(rng, _EXTREMES))
    return "\n".join(map(",".join, rows)).encode("utf-8", "surrogateescape")


_EXTREMES = [
    "0", "1", "-0.0", "1e308", "-1e308", "1.7976931348623157e308", "1e200", "1e155", "1e-320", "1e-200",
    "9007199254740993", "9223372036854775807", "9223372036854775808", "3.4e38", "3.5e38", "1e39", "0.1",
    "9" * 300, "", "yes", "True",
]  # fmt: skip


def damaged_table(rng: np.random.Generator, folder: Path) -> str:
    """Rank a damaged table with damaged costs."""
    options = _table(rng, folder)
    extra = [
        ["--penalty", str(_choose(rng, ["0", "1", "1e300", "inf"]))],
        ["--json"],
        ["--charge", "shared"],
        [],
    ]
    method = str(rng.choice(["jmi", "relieff", "forward-regression"]))
    chosen = [*_choose(rng, extra), *_choose(rng, extra), "--method", method]
    return _run("command", str(folder), ["rank", *options, *chosen])


def damaged_evaluation(rng: np.random.Generator, folder: Path) -> str:
    """Evaluate a damaged table, with figures and the report."""
    options = _table(rng, folder)
    fast = ["--method", "jmi", "--penalty", "0,1", "--max-features", "3", "--folds", "2"]
    return _run("command", str(folder), ["evaluate", *options, "--out", str(folder / "out"), *fast])


_NUMBERS = ["inf", "nan", "-1", "1e308", "0", "9" * 400, "1e-320", "x", "", "½", "1,2", "-0.0"]
_PRIORS = [
    "p_delete=uniform(0,1)",
    "p_delete=uniform(1,0)",
    "p_delete=uniform(nan,inf)",
    "p_delete=uniform(0,1e400)",
    "p_delete=beta(1,1)",
    "p_delete=(((((",
    "x=uniform(0,1)",
    "dmr.p_new=uniform(0,0)",
]
_WORDS = [
    "", " ", "$\\frac$", "\udcff", "a\nb", "../..", "/dev/null", "/dev/zero", "*", "[", "dask://",
    "dask://x:y", "dask://127.0.0.1:1", "serial", "no.such:module", "os:system",
    "dmr", "dmr+lpa", "dmr~edges", "a" * 5000, "paper:", "paper:x", "measured", "uniform(0,1)", "=", "a=b",
    "--", "-", "p_delete=uniform(1,0)", "p_delete=uniform(nan,inf)", "p_delete=uniform(0,1e400)",
]  # fmt: skip
_NETWORK_OPTIONS = {
    "--format": ["edgelist", "gml", "json", "adjacency"],
    "--columns": ["1,2", "2,1", "1,1", "3,4", "a,b", ",", "9" * 5000],
    "--header": [],
    "--json": [],
}
_SPACE_OPTIONS = {
    "--mix": ["dmr+lpa", "lpa+agv", "dmr+dmr", "+", "a+b"],
    "--thin": ["edges", "nodes"],
    "--prior": _PRIORS,
    "--isolated": ["keep", "drop"],
    "--json": [],
}
_SIZES = ["0", "1", "2", "30", "-5", "9" * 30]
_SEEDS = ["0", "7", "4294967296", "9" * 40]
_TABLE_OPTIONS = {
    "--costs": ["measured", "paper", "paper:ba", "no.csv", "/dev/null", "."],
    "--charge": ["alone", "shared"],
    "--cost-scale": ["share", "raw"],
    "--label": ["label", "a", "a,b", "e", "no", ",", "a,a"],
    "--target": ["auto", "classes", "numbers"],
    "--seed": _SEEDS,
    "--json": [],
}
#: Options of commands, with usual values.
_COMMANDS: dict[str, dict[str, list[str]]] = {
    "show": _NETWORK_OPTIONS | {
        "--features": ["all", "degree_mean", "nodes", ",", "x"],
        "--out": ["out.tsv", "out.csv", "out.html", "/dev/null", "x.gml"],
    },
    "grow": {
        "--nodes": _SIZES, "--seed": _SEEDS, "--isolated": ["keep", "drop"], "--json": [],
        "--prior": [*_PRIORS, "p_delete=0.5", "p_delete=nan", "p_new=1e400", "x=1"],
        "--out": ["-", "/dev/null", "x.gml"],
    },
    "simulate": _SPACE_OPTIONS | {
        "--nodes": ["10", *_SIZES], "--samples": ["3", "0", "-1", "1e3"], "--seed": _SEEDS,
        "--engine": ["serial", "dask://", "dask://x:y", "dask://127.0.0.1:1", "dask", "x"],
        "--stages": ["estrada_index=0.2", "degree_mean=nan", "x=1", "=", ","],
        "--features": ["degree_mean", "degree_mean,degree_mean", ",", "x"],
        "--row-timeout": ["inf", "nan", "5"],
    },
    "rank": _TABLE_OPTIONS | {
        "--method": ["jmi", "mrmr", "relieff", "x"], "--penalty": _NUMBERS,
        "--estimator": ["plugin", "published", "x"],
    },
    "evaluate": _TABLE_OPTIONS | {
        "--penalty": ["0", "inf", "nan", "1e308", "auto", "paper", "0,0", ","],
        "--budget": ["5ms", "2%", "inf", "nan%", "1e400", "0", "-1%"],
        "--rule": ["cheapest", "budget"],
        "--max-features": ["1", "3", "9999999999"],
    },
}  # fmt: skip


@cache
def _simulated() -> tempfile.TemporaryDirectory[str]:
    """Return a folder with a table of networks as large as the one that commands read."""
    folder = tempfile.TemporaryDirectory()
    features = ["degree_mean", "degree_max", "n_triangles"]
    netchoice.simulate_table(
        "duplication", n_nodes=12, n_samples=60, seed=1, features=features, engine="serial",
        out=folder.name, on_progress=False,
    )  # fmt: skip
    return folder


def wild_options(rng: np.random.Generator, folder: Path) -> str:
    """Run a command with wild values of its arguments and options."""
    net, table = folder / "net.tsv", folder / "table.csv"
    net.write_bytes(samples.networks()["edgelist"][0][1])
    table.write_bytes(samples.tables()["table.csv"])
    command = str(rng.choice(list(_COMMANDS)))
    usual = {"show": net if rng.random() < 0.6 else folder / "t", "rank": table, "evaluate": table}
    words = [*_WORDS, *_NUMBERS, str(folder), str(net), str(table)]
    first = str(usual.get(command, "dmr" if command == "grow" else "ba"))
    arguments = [command, first if rng.random() < 0.8 else str(_choose(rng, words))]
    if command == "simulate":
        arguments += [
            "--nodes",
            "20",
            "--samples",
            "5",
            "--engine",
            "serial",
            "--out",
            str(folder / "t"),
        ]
    if command == "grow":
        arguments += ["--nodes", "30"]
    if command == "evaluate":
        arguments += [
            "--method",
            "jmi",
            "--folds",
            "2",
            "--no-report",
            "--out",
            str(folder / "out"),
        ]
    if command == "show":
        shutil.copytree(_simulated().name, folder / "t")
    options = _COMMANDS[command]
    for option in rng.choice(
        list(options), min(len(options), int(rng.integers(1, 4))), replace=False
    ):
        arguments.append(str(option))
        if options[option]:
            usual_word = rng.random() < 0.75
            arguments.append(str(_choose(rng, options[option] if usual_word else words)))
    if rng.random() < 0.2:
        _write_decoys(folder)
    before = _contents(folder)
    print(arguments)
    outcome = _run("command", str(folder), arguments)
    after = _contents(folder)
    changed = [path for path, content in before.items() if after.get(path) != content]
    if changed:
        print("changed:", *changed)
        return "OVERWRITTEN"
    return outcome


def _write_decoys(folder: Path) -> None:
    """Write files of a user that have the names of results."""
    (folder / "out").mkdir()
    for name in ("costs.json", "rankings.csv", "report.html", "run.json", "out.tsv", "x.gml", "x"):
        (folder / name).write_text("mine")
        (folder / "out" / name).write_text("mine")


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


KINDS: dict[str, Trial] = {
    **{f"read {format}": partial(damaged_network, format) for format in samples.networks()},
    "read npz with right checksums": damaged_arrays,
    "read mixed formats": spliced_networks,
    "read repeated pieces": random_text,
    "read bombs": bomb,
    **{f"find {kind}": partial(damaged_collection, kind) for kind in samples.collections()},
    "read costs": damaged_costs,
    "rank a table": damaged_table,
    "evaluate a table": damaged_evaluation,
    "command line": wild_options,
}
SHARES = dict.fromkeys(("read bombs", "rank a table", "evaluate a table", "command line"), 0.2)
