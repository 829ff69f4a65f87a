"""The command that makes the paper again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from netchoice.cli.common import AsJson, app, print_json, say
from netchoice.cli.progress import stages
from netchoice.errors import UsageError


@app.command()
def reproduce(
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            help="ba, duplication, pilot, yeast, three-core; or all.", metavar="[PART]…"
        ),
    ] = None,
    scale: Annotated[
        str, typer.Option("--scale", help="tiny, small, or paper for its own numbers.")
    ] = "small",
    repeats: Annotated[
        int | None,
        typer.Option("--repeats", min=1, help="Of the pilots; by default those of the scale."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes; one per core by default.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for everything; taken up if it exists."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Throw away what the folder holds.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make the paper's tables and figures, and judge every claim it makes.

    Example: [bold]netchoice reproduce all --scale small --out reproduction[/bold]

    The part yeast needs the three networks: see docs/yeast.md. Stopped with Ctrl-C, the same
    command goes on where it was.
    """
    from netchoice.reproduction import reproduce as run

    if out is None:
        raise UsageError("where to? Give --out, for example --out reproduction")
    with stages() as on_progress:
        found = run(
            parts or "all", out=out, scale=scale, repeats=repeats, workers=workers, fresh=fresh,
            on_progress=on_progress,
        )  # fmt: skip
    if as_json:
        print_json({**found, "out": str(out)})
    else:
        _print(found, out)


def _print(found: dict[str, Any], out: Path) -> None:
    for claim in found["claims"]:
        say(f"{claim['verdict']:<14} {claim['claim']}: {claim['figure']}")
    counts = Counter(claim["verdict"] for claim in found["claims"])
    say("")
    say("; ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())))
    say(f"verdicts in {out / 'reproduction.md'}, figures in {out / 'figures'}")
