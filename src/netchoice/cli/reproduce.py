"""The command ``netchoice reproduce``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from netchoice.cli.common import AsJson, app, print_json, say
from netchoice.cli.progress import stages


@app.command()
def reproduce(
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Folder for all results; resumed if it exists."),
    ],
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            help="ba, duplication, pilot, yeast, three-core; or all.", metavar="[PART]…"
        ),
    ] = None,
    scale: Annotated[
        str, typer.Option("--scale", help="tiny, small, or paper for the sizes of the paper.")
    ] = "small",
    repeats: Annotated[
        int | None,
        typer.Option("--repeats", min=1, help="Repeats of the pilot study; default: the scale's."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes; default: one per core.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Delete an earlier reproduction in the folder.")
    ] = False,
    as_json: AsJson = False,
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
    if as_json:
        print_json({**results, "out": str(out)})
    else:
        _print(results, out)


def _print(results: dict[str, Any], out: Path) -> None:
    for claim in results["claims"]:
        say(f"{claim['verdict']:<14} {claim['claim']}: {claim['figure']}")
    counts = Counter(claim["verdict"] for claim in results["claims"])
    say("")
    say("; ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())))
    say(f"verdicts in {out / 'reproduction.md'}, figures in {out / 'figures'}")
