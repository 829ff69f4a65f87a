"""The command ``netchoice reproduce``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from netchoice.cli import options
from netchoice.cli.common import app, show
from netchoice.progress import stages


@app.command()
def reproduce(
    out: Annotated[
        Path, Option("--out", "-o", help="Folder for all results; resumed if it exists.")
    ],
    parts: Annotated[
        list[str] | None,
        Argument(help="ba, duplication, pilot, yeast, three-core; or all.", metavar="[PART]…"),
    ] = None,
    scale: Annotated[
        str, Option(help="tiny, small, or paper for the sizes of the paper.")
    ] = "small",
    tables: Annotated[
        int | None,
        Option(min=1, help="Independent tables to judge each claim on; default: the scale's."),
    ] = None,
    workers: Annotated[int | None, Option(min=1, help="Processes; default: one per core.")] = None,
    fresh: Annotated[
        bool, Option("--fresh", help="Delete an earlier reproduction in the folder.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Reproduce the tables and figures of the paper, and judge its claims.

    Example: [bold]netchoice reproduce all --scale small --out reproduction[/bold]

    The part yeast needs the three networks: see docs/yeast.md. To resume an interrupted
    run, run the same command again. Verdicts are written after each table.
    """
    from netchoice.reproduction import reproduce as run

    with stages() as on_progress:
        results = run(
            parts or "all", out=out, scale=scale, tables=tables, workers=workers, fresh=fresh,
            on_progress=on_progress,
        )  # fmt: skip
    show(as_json, {**results, "out": str(out)}, _lines(results, out))


def _lines(results: dict[str, Any], out: Path) -> Iterator[str]:
    from netchoice.reproduction.verdict import COUNTED, counts, values_text

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
