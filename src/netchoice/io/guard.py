"""Errors of parsers, each turned into one line that names the file."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeVar

from netchoice.errors import NetchoiceError, NetworkFormatError, one_line

Result = TypeVar("Result")
#: What to do with a file in a format that is not read.
CONVERT = (
    "convert it with a reader of another library, for example in Python: "
    'networkx.write_graphml(networkx.nx_pydot.read_dot("net.dot"), "net.graphml")'
)


def guarded(parse: Callable[[], Result], path: str, format: str) -> Result:
    """Run a parser of foreign content, and turn any exception into a NetworkFormatError.

    Foreign content can make a parser raise anything, from KeyError to RecursionError.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse()
    except NetchoiceError as error:
        text = str(error)
        if isinstance(error, NetworkFormatError) and path not in text:
            text = f"{path}: {text}"
        if one_line(text) == str(error):
            raise
        raise type(error)(one_line(text)) from error
    except MemoryError as error:
        raise NetworkFormatError(
            f"{path}: not enough memory to read it as {format}; check that the file is complete, or use a "
            "machine with more memory"
        ) from error
    except RecursionError as error:
        raise NetworkFormatError(
            f"{path}: not readable as {format}: nested too deeply; check that the file is complete, or "
            "pass its actual format"
        ) from error
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        position = getattr(error, "position", None)
        where = f" (line {position[0]})" if position and "line" not in str(error) else ""
        raise NetworkFormatError(
            f"{path}: not readable as {format}: {reason}{where}; "
            "check that the file is complete, or pass its actual format"
        ) from error
