"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

from netchoice.errors import UsageError

Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Processes; one per core by default.")
]
Threads = Annotated[
    int | None, typer.Option("--workers", min=1, help="Threads; one per core by default.")
]
Engine = Annotated[str, typer.Option("--engine", help="serial, processes, or dask://HOST:PORT.")]
SimulationSeed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all random numbers.")]
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=2**32 - 1, help="Seed of all random numbers.")
]
CostScale = Annotated[
    str, typer.Option("--cost-scale", help="share: costs divided by their sum; or raw.")
]
Charge = Annotated[
    str, typer.Option("--charge", help="alone, or shared: shared steps are paid once.")
]
Features = Annotated[
    str | None,
    typer.Option("--features", metavar="NAME,…", help="Only these features; all by default."),
]
Budget = Annotated[
    str | None,
    typer.Option("--budget", help="Largest cost of the features per network: 5ms, or 2%."),
]
NoReport = Annotated[
    bool, typer.Option("--no-report", help="Do not write the report, an HTML file of some 5 MB.")
]
Label = Annotated[
    str, typer.Option("--label", help="The column of a CSV file that holds the labels.")
]
Costs = Annotated[
    str | None,
    typer.Option(
        "--costs",
        metavar="measured|paper:ba|paper:duplication|FILE",
        help="Where costs come from; measured ones by default.",
    ),
]

Item = TypeVar("Item")


def split_list(text: str | None, option: str, kind: Callable[[str], Item]) -> list[Item] | None:
    """Return the items of a comma-separated option; None if the option is absent."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"{option} is empty; expected items separated by commas")
    try:
        return [kind(name) for name in names]
    except ValueError:
        expected = "integers" if kind is int else "numbers"
        raise UsageError(f"{option} {text}; expected {expected}, separated by commas") from None


def require(value: Any, option: str, example: str) -> None:
    """Refuse a command without this option."""
    if value is None:
        raise UsageError(f"{option} is missing; give it, for example {option} {example}")
