"""Draw the figures of the tutorial, as `netchoice choose` draws them for its network.

python docs/pictures/make_tutorial.py
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import netchoice

HERE = Path(__file__).parent
NODES, SEED, TRUTH = 200, 1, {"p_delete": 0.5, "p_new": 0.4}
SHOWN = {"fit-dmr": "tutorial-fit", "parameters": "tutorial-parameters"}


def main() -> None:
    """Choose a model, draw the figures, and copy those that the tutorial shows."""
    network = netchoice.get_model("dmr").grow(NODES, TRUTH, np.random.default_rng(SEED))
    answer = netchoice.choose_model(network, "duplication")
    with TemporaryDirectory() as folder:
        for path in netchoice.figures.draw_answer(answer, folder):
            if path.stem in SHOWN:
                shutil.copy(path, HERE / f"{SHOWN[path.stem]}.png")


if __name__ == "__main__":
    main()
