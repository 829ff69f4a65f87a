"""How long an answer was said to take, and how long it took, for networks of the atlas.

``python benchmarks/stated_time.py`` states the time for some networks that ``make atlas`` has answered, from
the smallest to the largest, with the settings of the atlas and one process. An answer is compared with the
range from the fewest to the most simulations. Run this on an idle machine.

Criterion, written before the results: the time is at most twice the upper end of the range, and at least half
of its lower end, for 9 of 10 networks.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from netchoice.workflows.time_estimate import screened_time

sys.path.insert(0, str(Path(__file__).resolve().parent))
import atlas
import atlas_networks


def main() -> None:
    """Print a row for each network, and whether the criterion holds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--networks", type=Path, required=True, help="the folder of the atlas")
    parser.add_argument("--answers", type=Path, default=Path("build/atlas/answers"))
    parser.add_argument("--count", type=int, default=20)
    given = parser.parse_args()
    found = [
        (entry, json.loads((given.answers / f"{entry.id}.json").read_text()))
        for entry in atlas_networks.in_order(atlas_networks.real_networks(given.networks)[0])
        if (given.answers / f"{entry.id}.json").exists()
    ]
    found = [pair for pair in found if "error" not in pair[1] and not pair[1]["resumed"]]
    chosen = np.unique(np.linspace(0, len(found) - 1, given.count).round().astype(int))
    holds = []
    print("| network | nodes | edges | stated | CPU seconds |\n|---|---|---|---|---|")
    for i in chosen:
        entry, record = found[i]
        space = atlas.space_for(entry.graph)
        stated = screened_time(entry.graph, space, atlas.plan_for(entry), "drop", 1)
        low, high = stated.screening + stated.least, stated.screening + stated.most
        holds.append(0.5 * low <= record["cpu"] <= 2 * high)
        print(
            f"| {entry.id} | {record['nodes']} | {record['edges']} | {low:.0f} to {high:.0f} s | "
            f"{record['cpu']:.0f} |",
            flush=True,
        )
    print(f"within half and twice the range: {sum(holds)} of {len(holds)}")


if __name__ == "__main__":
    main()
