"""Reproduce the tables and figures of the paper, and judge its claims.

``python -m reproduction all --scale small --out build/reproduction``; ``make reproduce`` calls it. To resume
an interrupted run, run the same command again. The part yeast needs the three networks: see docs/atlas.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netchoice.errors import NetchoiceError, UsageError, one_line
from netchoice.interruption import ends_when_interrupted
from netchoice.progress import stages
from reproduction.experiments import reproduce
from reproduction.settings import PARTS, SCALES
from reproduction.verdict import COUNTED, counts, values_text


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 if fine, 1 if it failed, 2 if used wrongly."""
    description = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m reproduction", description=description)
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)}; or all (default)")
    parser.add_argument("--out", "-o", type=Path, required=True, help="folder for all results")
    parser.add_argument("--scale", choices=SCALES, default="small", help="sizes of the experiments")
    parser.add_argument(
        "--tables", type=int, help="independent tables to judge each claim on; default: the scale's"
    )
    parser.add_argument("--workers", type=int, help="processes; default: one per core")
    parser.add_argument(
        "--fresh", action="store_true", help="delete an earlier reproduction in the folder"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    try:
        with ends_when_interrupted(), stages() as on_progress:
            results = reproduce(
                given.parts or "all", out=given.out, scale=given.scale, tables=given.tables,
                workers=given.workers, fresh=given.fresh, on_progress=on_progress,
            )  # fmt: skip
    except NetchoiceError as error:
        sys.stderr.write(f"reproduction: {one_line(str(error))}\n")
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        sys.stderr.write("reproduction: stopped\n")
        return 130
    if given.json:
        print(
            json.dumps(
                {**results, "out": str(given.out)}, indent=2, ensure_ascii=False, allow_nan=False
            )
        )
    else:
        print("\n".join(_lines(results, given.out)))
    return 0


def _lines(results: dict[str, Any], out: Path) -> Iterator[str]:
    claims = results["claims"]
    for claim in claims:
        yield f"{claim['verdict']:<16} {claim['claim']}: {values_text(claim['variants'][0])}"
    yield ""
    for kind, found in counts(claims).items() if results["judged"] else ():
        verdicts = ", ".join(f"{n} {verdict}" for verdict, n in found.items() if n)
        yield f"claims {COUNTED[kind]}: {verdicts or 'none'}"
    if not results["judged"]:
        yield f"scale {results['scale']} shows that the pipeline runs; no claim was judged"
    for row in results["seconds"]:
        yield f"{row['stage']}: {row['cpu']:.0f} s of CPU time, {row['wall']:.0f} s"
    yield f"results in {out / 'reproduction.md'}, figures in {out / 'figures'}"


if __name__ == "__main__":
    sys.exit(main())
