"""Errors that a user can cause.

Every message says what was found, what was expected and what to do.
"""

import re

_OBEYED = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class NetchoiceError(ValueError):
    """The input or the data are invalid; the base of all other errors of the package."""


class UsageError(NetchoiceError):
    """A name, option or parameter does not exist or is out of range."""


class NetworkFormatError(NetchoiceError):
    """A network file or object cannot be read as a simple undirected graph."""


class GrowthLimitError(NetchoiceError):
    """A model did not reach the requested network within its limits."""


class EdgeLimitError(GrowthLimitError):
    """A model made more edges than the limit."""


class TooDenseError(EdgeLimitError, UsageError):
    """Parameters ask for more edges than a model can place among its nodes."""


class NotComputedError(NetchoiceError):
    """A feature of a network would take more steps than its budget, and was not computed."""


class FailedRowsError(NetchoiceError):
    """Too many simulations failed."""


class StoppedError(NetchoiceError):
    """The user interrupted the run; finished rows are kept."""


class ModelError(NetchoiceError):
    """A user's model returned something other than the requested network."""


class TableError(NetchoiceError):
    """A table cannot be read or written, or cannot be combined with another table."""


def printable(text: str) -> str:
    r"""Return a text in which characters that a terminal obeys instead of showing are written as codes.

    These are control characters, except tabs, and characters that turn the direction of
    writing. Names and messages of foreign files can hold them.

    >>> print(printable("\x1b[2Jgone"))
    \x1b[2Jgone
    """
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def describe_error(error: BaseException) -> str:
    r"""Return the type and message of an error in one line; the message of a user's error may fail.

    >>> describe_error(ValueError("a\nb")), describe_error(KeyError())
    ('ValueError: a b', 'KeyError')
    """
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "its message cannot be shown"
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__


def one_line(text: str, length: int = 1000) -> str:
    r"""Return a message in one line of limited length, with the start and the end of a longer one.

    >>> one_line("a\nb"), one_line("a" * 50, 20)
    ('a b', 'aaaaaaaaaa … aaaaaaaaaa')
    """
    line = printable(" ".join(text.splitlines()))
    half = length // 2
    return line if len(line) <= length else f"{line[:half]} … {line[-half:]}"
