"""The ``netchoice`` command: parse, call, print."""

from __future__ import annotations

import contextlib
import gc
import io
import logging
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from typing import Annotated, Any

import typer

import netchoice
from netchoice.cli import choose, grow, show, tables
from netchoice.cli.common import app, say
from netchoice.costs import CostError
from netchoice.errors import NetchoiceError, StoppedError, UsageError, one_line
from netchoice.interruption import ends_when_interrupted
from netchoice.io.guard import VARIABLE, parse_size

__all__ = ["app", "choose", "grow", "main", "show", "tables"]

#: Show the trace of an unexpected error, as ``--debug`` does; the tests set this variable.
DEBUG = "NETCHOICE_DEBUG"

# The wrong use of options is an error class of click, which typer may or may not carry inside.
_WrongUse: Any = typer.BadParameter.__mro__[1]


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    max_memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            envvar=VARIABLE,
            help="Memory that a network file may take: 8GB. By default 512 MB, or 300 times its size.",
        ),
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", envvar=DEBUG, help="Show the trace of an unexpected error.")
    ] = False,
) -> None:
    if max_memory:
        parse_size(max_memory, "--max-memory")
        os.environ[VARIABLE] = max_memory
    if debug:
        os.environ[DEBUG] = "1"
    if version:
        say(f"netchoice {netchoice.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        say(*context.get_help().split("\n"))


#: Where numba finds compiled code. If these are set, numba does not take them from a file in the current
#: folder (``.numba_config.yaml``).
_FOLDERS_OF_CODE = ("NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES")
#: Python looks for unused objects after so many new ones. With the defaults, this takes about 8 % of the time
#: to import packages and to write a report.
_COLLECT_AFTER = (50_000, 20, 50)


def main(arguments: list[str] | None = None) -> None:
    """Run the command; exit 0 if fine, 1 if it failed, 2 if used wrongly.

    ``--debug`` may be anywhere among the arguments.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if arguments is None:  # this process has no other purpose
        gc.set_threshold(*_COLLECT_AFTER)
        for variable in _FOLDERS_OF_CODE:
            os.environ.setdefault(variable, "")
    _print_all_characters()
    if "--debug" in given:
        given = ["--debug", *(word for word in given if word != "--debug")]
    with ends_when_interrupted(), _warnings_in_one_line(), _no_logs_of_packages():
        code = _run(given)
    sys.exit(code)


def _print_all_characters() -> None:
    r"""Print characters that the encoding of the output lacks as ``\u03bb``, instead of an error.

    Output to a file or a pipe on Windows has a code page, in which λ and some names do not exist.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextlib.contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Print warnings as errors are printed, without the place in the code of netchoice."""
    before = warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: f"netchoice: {one_line(str(message))}\n"
    try:
        yield
    finally:
        warnings.formatwarning = before


@contextlib.contextmanager
def _no_logs_of_packages() -> Iterator[None]:
    """Do not print what packages log, such as traces of a store; their errors are reported in one line."""
    handler = logging.NullHandler()  # without any handler, Python prints warnings and errors
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


def _run(arguments: list[str]) -> int:
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
    except SystemExit as error:
        if isinstance(
            error.__context__, BrokenPipeError
        ):  # nobody reads the output, and that is fine
            return 0
        return _fail("code of yours ended the program; let it raise an error instead", 1)
    except OSError as error:
        return _fail(f"{error.strerror or error}", 1)
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        return _fail(_unexpected(error), 1)
    return result if isinstance(result, int) else 0


def _unexpected(error: Exception) -> str:
    """Write the trace of an error that no other part expected; return how to report it."""
    found = f"unexpected error: {type(error).__name__}: {str(error)[:200]}"
    try:
        handle, path = tempfile.mkstemp(prefix="netchoice-error-", suffix=".txt", text=True)
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"netchoice {netchoice.__version__}, Python {sys.version}\n")
            file.write("".join(traceback.format_exception(error)))
    except OSError:
        return (
            f"{found}; this is a defect of netchoice: run netchoice --debug … and report the trace"
        )
    return f"{found}; this is a defect of netchoice: report it with the trace in {path}"


def _fail(message: str, code: int) -> int:
    say(f"netchoice: {one_line(message)}", err=True)
    return code
