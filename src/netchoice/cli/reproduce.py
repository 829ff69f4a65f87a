"""The command ``netchoice reproduce``."""

from __future__ import annotations

from collections import Counter
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
    repeats: Annotated[
        int | None, Option(min=1, help="Repeats of the pilot study; default: the scale's.")
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
    run, run the same command again.
    """
    from netchoice.reproduction import reproduce as run

    with stages() as on_progress:
        results = run(
            parts or "all", out=out, scale=scale, repeats=repeats, workers=workers, fresh=fresh,
            on_progress=on_progress,
        )  # fmt: skip
    show(as_json, {**results, "out": str(out)}, _lines(results["claims"], out))


def _lines(claims: list[dict[str, Any]], out: Path) -> Iterator[str]:
    for claim in claims:
        yield f"{claim['verdict']:<14} {claim['claim']}: {claim['figure']}"
    counts = Counter(claim["verdict"] for claim in claims)
    yield ""
    yield "; ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items()))
    yield f"verdicts in {out / 'reproduction.md'}, figures in {out / 'figures'}"
