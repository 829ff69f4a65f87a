"""What a benchmark found, as a JSON file that ``tools/results.py`` keeps."""

import json
import math
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path


def add_json(parser: ArgumentParser) -> None:
    """Add the option ``--json FILE`` to a benchmark."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the values to this file")


def write(options: Namespace, values: Mapping[str, float | int | str]) -> None:
    """Write values by key if ``--json`` is given; a number that does not exist (NaN) is left out."""
    if options.json is None:
        return
    known = {
        key.replace(" ", "_"): value if isinstance(value, str | int) else float(f"{value:.6g}")
        for key, value in values.items()
        if isinstance(value, str) or math.isfinite(value)
    }
    options.json.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
