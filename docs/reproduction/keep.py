"""Keep a run of `netchoice reproduce` in compact form: verdict, key tables, small figures.

python docs/reproduction/keep.py FOLDER
"""

import json
import shutil
import sys
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
FIGURES = (
    "figure-1-ba", "figure-2-duplication", "figure-3-growth", "figure-S1-ba",
    "figure-S2-duplication", "figure-4-yeast-paper-nodes-papers",
    "figure-4-yeast-true-nodes-papers", "heat-ba-ours-shared-calibrated",
    "heat-duplication-ours-shared-calibrated", "transition-duplication", "pilots-ba",
    "pilots-duplication",
)  # fmt: skip
WIDTH = 1100  # pixels


def main(folder: Path) -> None:
    """Copy what is worth keeping."""
    page = (folder / "reproduction.md").read_text()
    (HERE / "verdict.md").write_text(page)
    shutil.copy(folder / "table-S1-costs.md", HERE / "costs.md")
    shutil.copy(folder / "table-S2-three-core.md", HERE / "three-core.md")
    record = json.loads((folder / "reproduction.json").read_text())
    (HERE / "reproduction.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    for name in FIGURES:
        with Image.open(folder / "figures" / f"{name}.png") as picture:
            height = round(picture.height * WIDTH / picture.width)
            small = picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
            small.quantize(128).save(HERE / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
