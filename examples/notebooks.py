"""Make a notebook from each example script with cells, and run it from top to bottom.

Run `python examples/notebooks.py` after a script has changed; it takes some minutes. The notebooks are
run in a temporary folder, with a copy of this folder.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HERE = Path(__file__).resolve().parent
SCRIPTS = ("network_scientist", "cohort", "clinic", "method_developer")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def cells(script: str) -> list[NotebookNode]:
    """Return the cells of a script, which begin with ``# %%`` or ``# %% [markdown]``."""
    found = []
    for number, part in enumerate(re.split(r"^# %%", script, flags=re.MULTILINE)[1:]):
        head, _, body = part.partition("\n")
        if head.strip() == "[markdown]":
            body = re.sub(r"^# ?", "", body, flags=re.MULTILINE)
            cell = new_markdown_cell(body.strip())
        else:
            cell = new_code_cell(body.strip())
        cell["id"] = f"cell-{number}"  # the same in every run
        found.append(cell)
    return found


def notebook_of(name: str) -> NotebookNode:
    """Return the notebook of a script, without results."""
    script = (HERE / f"{name}.py").read_text(encoding="utf-8")
    return new_notebook(cells=cells(script), metadata={"kernelspec": KERNEL})


def run(notebook: NotebookNode, folder: Path, arguments: tuple[str, ...] = ()) -> NotebookNode:
    """Run the cells in order, in a folder with a copy of the examples.

    ``arguments`` are those of the script, for a short run; the notebook does not show them.
    """
    shutil.copytree(
        HERE, folder / "examples", ignore=shutil.ignore_patterns("*.ipynb", "__pycache__")
    )
    first = new_code_cell(f"import sys; sys.argv = {['notebook', *arguments]!r}")
    notebook = new_notebook(cells=[first, *notebook.cells], metadata=notebook.metadata)
    place = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=1200, kernel_name="python3", resources=place).execute()
    notebook.cells.pop(0)
    for count, cell in enumerate((c for c in notebook.cells if c.cell_type == "code"), start=1):
        cell["execution_count"] = count
        cell["metadata"] = {}
    return notebook


def main() -> int:
    """Make the notebooks of all scripts, or of those that are named."""
    for name in sys.argv[1:] or SCRIPTS:
        with tempfile.TemporaryDirectory() as folder:
            made = run(notebook_of(name), Path(folder))
        nbformat.write(made, HERE / f"{name}.ipynb")
        print(f"{name}.ipynb: {len(made.cells)} cells")
    return 0


if __name__ == "__main__":
    sys.exit(main())
