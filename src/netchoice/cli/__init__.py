"""The ``netchoice`` command: parse, call, print."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

import netchoice
from netchoice.cli import (
    acquire,
    choose,
    cite,
    cohort,
    evaluate,
    features,
    models,
    networks,
    pilot,
    rank,
    report,
    reproduce,
    tables,
    warmup,
)
from netchoice.cli.common import app, say
from netchoice.costs import CostError
from netchoice.errors import NetchoiceError, UsageError
from netchoice.interruption import ends_when_interrupted
from netchoice.simulate import StoppedError

__all__ = [
    "acquire", "app", "choose", "cite", "cohort", "evaluate", "features", "main", "models", "networks",
    "pilot", "rank", "report", "reproduce", "tables", "warmup",
]  # fmt: skip

# The wrong use of options is an error class of click, which typer may or may not carry inside.
_WrongUse: Any = typer.BadParameter.__mro__[1]


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        say(f"netchoice {netchoice.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        say(context.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Run the command; exit 0 if fine, 1 if it failed, 2 if used wrongly."""
    with ends_when_interrupted():
        code = _run(arguments)
    sys.exit(code)


def _run(arguments: list[str] | None) -> int:
    try:
        result = app(arguments, standalone_mode=False, prog_name="netchoice")
    except _WrongUse as error:
        where = error.ctx.command_path if error.ctx else "netchoice"
        return _fail(f"{error.format_message().rstrip('.')} (see {where} --help)", 2)
    except (NetchoiceError, CostError) as error:
        code = 130 if isinstance(error, StoppedError) else 2 if isinstance(error, UsageError) else 1
        return _fail(str(error), code)
    except (typer.Abort, KeyboardInterrupt):
        return _fail("stopped", 130)
    except MemoryError:
        return _fail("not enough memory for this; try a smaller network or fewer rows", 1)
    except SystemExit:  # typer's word for a pipe that nobody reads any more, and that is fine
        return 0
    except OSError as error:
        return _fail(f"{error.strerror or error}", 1)
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int) -> int:
    typer.echo(f"netchoice: {message}", err=True)
    return code
