"""The verdicts of the reproduction of the paper, without the yeast networks, which are not in the repository.

``python -m reproduction`` makes the tables, figures and verdicts, in a folder. This runs it, and writes the
verdict of each claim and the numbers of verdicts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import report

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from reproduction.experiments import reproduce
from reproduction.settings import SCALES
from reproduction.verdict import METHOD, counts, values_text


def values_of(results: dict[str, Any]) -> dict[str, float | str]:
    """Return the verdict of each claim with its numbers, and how many claims have each verdict."""
    claims = results["claims"]
    found: dict[str, float | str] = {}
    for claim in claims:
        found[claim["claim"]] = claim["verdict"]
        found[f"{claim['claim']} values"] = values_text(claim["variants"][0])
    numbers = counts(claims)[METHOD]
    return {**found, **numbers, "claims": sum(numbers.values())}


def main() -> None:
    """Reproduce the paper in a temporary folder, and write the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", choices=SCALES, default="small")
    parser.add_argument("--tables", type=int)
    report.add_json(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = reproduce(
            ("ba", "duplication", "pilot", "three-core"), out=folder, scale=options.scale,
            tables=options.tables,
        )  # fmt: skip
    values = values_of(results)
    for key, value in values.items():
        print(f"{key}: {value}")
    report.write(options, values)


if __name__ == "__main__":
    main()
