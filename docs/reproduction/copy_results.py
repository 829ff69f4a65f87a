"""Copy a run of `python -m reproduction` into the docs: verdict, main tables, small figures.

python docs/reproduction/copy_results.py FOLDER
"""

import shutil
import sys
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
COPIES = {
    "reproduction.md": "verdict.md",
    "reproduction.json": "reproduction.json",
    "table-S1-costs.md": "costs.md",
    "table-S2-three-core.md": "three-core.md",
}
FIGURES = (
    "figure-1-ba", "figure-2-duplication", "figure-3-growth", "figure-S1-ba",
    "figure-S2-duplication", "figure-4-yeast-paper-nodes-papers",
    "figure-4-yeast-true-nodes-papers", "heat-ba-ours-shared-calibrated",
    "heat-duplication-ours-shared-calibrated", "transition-duplication", "pilots-ba",
    "pilots-duplication",
)  # fmt: skip
WIDTH = 1100  # pixels


def main(folder: Path) -> None:
    """Copy verdict and tables, and shrink the figures."""
    for source, target in COPIES.items():
        shutil.copy(folder / source, HERE / target)
    for name in FIGURES:
        with Image.open(folder / "figures" / f"{name}.png") as picture:
            height = round(picture.height * WIDTH / picture.width)
            small = picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
            small.quantize(128).save(HERE / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
