"""The encoding of text files."""

from __future__ import annotations

import re

from netchoice.errors import NetworkFormatError
from netchoice.io.guard import CONVERT

_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"), (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"),
)  # fmt: skip
#: Bytes that occur in binary files, and not in text.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_START = 1 << 12


def detect_text(content: bytes, name: str) -> tuple[str, str]:
    """Return the text of a file and its encoding: UTF-8, UTF-16, UTF-32, or else Windows-1252.

    A file with other control characters than line breaks and tabs is binary, which is an error.
    """
    marked = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), None)
    likely = marked or _wide(content[:_START]) or "utf-8"
    for encoding in (likely, "cp1252", "latin-1"):
        if not encoding.startswith(("utf-16", "utf-32")):
            _refuse_binary(content, name)
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return _plain_lines(text), encoding.removesuffix("-sig")
    raise AssertionError("latin-1 decodes every byte")


def decode(content: bytes, name: str, first_line: int = 1) -> str:
    """Decode a part of a UTF-8 file, or raise an error with the line of the first invalid byte."""
    _refuse_binary(content, name, first_line)
    try:
        return _plain_lines(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + first_line
        raise NetworkFormatError(
            f"{name}, line {line}: not UTF-8 text (byte {content[error.start]:#04x}); convert it, for "
            "example with iconv -f latin1 -t utf-8"
        ) from None


def _wide(start: bytes) -> str | None:
    """Return the encoding of UTF-16 text without a mark: every second byte of ASCII is NUL."""
    half = len(start) // 2
    if half and start[1::2].count(0) > 0.6 * half and not start[::2].count(0):
        return "utf-16-le"
    if half and start[::2].count(0) > 0.6 * half and not start[1::2].count(0):
        return "utf-16-be"
    return None


def _refuse_binary(content: bytes, name: str, first_line: int = 1) -> None:
    found = _CONTROL.search(content)
    if found:
        line = content.count(b"\n", 0, found.start()) + first_line
        byte = "NUL byte" if found[0] == b"\0" else f"control character {found[0][0]:#04x}"
        raise NetworkFormatError(
            f"{name}, line {line}: a {byte}; this is a binary file or damaged text: pass its format, "
            f"or {CONVERT}"
        )


def _plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
