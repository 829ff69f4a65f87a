"""Draw the figures of the tutorial, as `netchoice choose` draws them for the example network.

python docs/pictures/make_tutorial.py

This takes about two minutes. Costs are measured, so the selected features can differ between machines.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import netchoice

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "dmr-network.tsv"
SHOWN = ("probabilities", "embedding", "features", "parameters", "accuracy-against-cost")


def main() -> None:
    """Choose a model, draw the figures, and copy those that the tutorial shows."""
    network, _ = netchoice.read_network(EXAMPLE)
    choice = netchoice.choose_model(network, "duplication")
    with TemporaryDirectory() as folder:
        for path in netchoice.figures.draw_choice(choice, folder):
            if path.stem in SHOWN:
                shutil.copy(path, HERE / f"tutorial-{path.name}")


if __name__ == "__main__":
    main()
