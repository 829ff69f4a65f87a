"""Files with the names of modules in the folder where a command is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

_INSTALLED = (
    "netchoice",
    "numpy",
    "pandas",
    "numba",
    "cloudpickle",
    "pyarrow",
    "typer",
    "sklearn",
    "scipy",
)
_NAMES = sorted({*sys.stdlib_module_names, *_INSTALLED, "sitecustomize", "usercustomize"})
_CONFIGURATION = "cache_dir: .\ncache_locator_classes: json.Tool\n"
_COMMANDS = (
    ("simulate", "ba", "--nodes", "9", "--samples", "6", "--features", "degree_mean", "--workers", "1",
     "--out", "t"),
    ("warmup",),
    ("show", "net.tsv", "--features", "all"),
)  # fmt: skip


def module_names(rng: np.random.Generator, folder: Path) -> str:
    """Put modules of many names, as files or folders, beside a network; none of them may run."""
    log, data = folder / "log", folder / "data"
    data.mkdir()
    (data / "net.tsv").write_text("a b\nb c\n")
    (data / ".numba_config.yaml").write_text(_CONFIGURATION)
    for name in rng.choice(_NAMES, 100, replace=False):
        path = data / f"{name}.py" if rng.random() < 0.7 else data / name / "__init__.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f"open({str(log)!r}, 'a').write({str(name)!r} + ' ')\nraise SystemExit(7)\n"
        )
    arguments = _COMMANDS[rng.integers(len(_COMMANDS))]
    command = [sys.executable, "-P", "-m", "netchoice", *arguments]
    done = subprocess.run(command, cwd=data, capture_output=True, text=True, check=False)
    print(arguments, done.stderr)
    if log.exists():
        print(log.read_text())
        return "RAN"
    compiled = [*data.rglob("*.nbi")]
    return "COMPILED CODE" if compiled else "nothing ran" if done.returncode == 0 else "FAILED"


KINDS = {"module names in the folder": module_names}
SHARES = {"module names in the folder": 0.05}
