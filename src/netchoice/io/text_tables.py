"""Text files with cells in lines: encoding, separators, cells, and the kinds of columns."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from netchoice.errors import NetworkFormatError
from netchoice.io.guard import CONVERT

_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"), (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"),
)  # fmt: skip
#: Bytes that occur in binary files, and not in text.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_START = 1 << 12
COMMENTS = ("#", "%")
SEPARATORS = {"\t": "tab", ",": "comma", ";": "semicolon", None: "space"}
#: Cells without a value.
MISSING = ("", "na", "nan", "n/a", "null", "none")
#: How many lines, and about how many characters, are the sample that decides about a table.
SAMPLE_LINES = 1000
SAMPLE_CHARACTERS = 1 << 22
_ENOUGH = 0.9
#: A line that Python printed, such as (1, 2).
_PAIR = re.compile(r"\s*[(\[][^()\[\]]*[)\]][,;]?\s*")
_INTEGER = re.compile(r"[+-]?\d{1,400}")
#: The possessive quantifiers (``++``) never go back, so the time is proportional to the length.
_DECIMAL = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)(e[+-]?\d++)?", re.IGNORECASE)


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
        return plain_lines(text), encoding.removesuffix("-sig")
    raise AssertionError("latin-1 decodes every byte")


def decode(content: bytes, name: str, first_line: int = 1) -> str:
    """Decode a part of a UTF-8 file, or raise an error with the line of the first invalid byte."""
    _refuse_binary(content, name, first_line)
    try:
        return plain_lines(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + first_line
        raise NetworkFormatError(
            f"{name}, line {line}: not UTF-8 text (byte {content[error.start]:#04x}); convert it, for "
            "example with iconv -f latin1 -t utf-8"
        ) from None


def _wide(start: bytes) -> str | None:
    """Return the encoding of UTF-16 text without a mark: every second byte of ASCII is NUL."""
    for high, low, encoding in ((1, 0, "utf-16-le"), (0, 1, "utf-16-be")):
        if start[high::2].count(0) > 0.6 * (len(start) // 2) and not start[low::2].count(0):
            return encoding
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


def plain_lines(text: str) -> str:
    """Return a text with the same mark at the end of every line."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True)
class Table:
    """The lines of a text file that are neither empty nor comments, and what separates cells."""

    path: str
    lines: list[tuple[int, str]]  # numbers of lines, and lines
    delimiter: str | None  # None for spaces
    first: str = ""  # the first line of the file, which may be a comment
    doubtful: tuple[tuple[int, str], ...] = ()  # comments that might be rows

    @cached_property
    def sample(self) -> list[list[str]]:
        """The cells of the first lines."""
        rows, n_characters = [], 0
        for _, line in self.lines[:SAMPLE_LINES]:
            rows.append(self.cells(line, ""))
            n_characters += len(line)
            if n_characters > SAMPLE_CHARACTERS:
                break
        return rows

    @cached_property
    def width(self) -> int:
        """The most frequent number of cells in a line of the sample."""
        widths = Counter(map(len, self.sample))
        return widths.most_common(1)[0][0] if widths else 0

    def cells(self, line: str, where: str) -> list[str]:
        """Return the cells of a line."""
        return split_cells(line.strip(), self.delimiter, where)

    def rows(self, start: int = 0) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the cells of each line from the line at this position."""
        for number, line in self.lines[start:]:
            yield number, self.cells(line, f"{self.path}, line {number}")


def read_table(text: str, path: str) -> Table:
    """Return the table of a text; the first lines decide what separates cells.

    A line that begins with the mark of a comment is a row if it has the cells of a row, and if a name at
    the start of such a line is in another column too.
    """
    present = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    lines = [each for each in present if not is_comment(each[1])]
    printed = bool(lines) and all(_PAIR.fullmatch(line) for _, line in lines[:SAMPLE_LINES])
    if printed:
        lines = [(number, line.strip(" \t()[],;")) for number, line in lines]
    separator = find_separator([line for _, line in (lines or present)[:SAMPLE_LINES]])
    table = Table(path, lines, separator, text[:200].partition("\n")[0])
    if printed or len(lines) == len(present):
        return table
    width = table.width if lines else len(table.cells(present[0][1], ""))
    marked = [
        each for each in present if is_comment(each[1]) and may_be_row(each[1], separator, width)
    ]
    both = [table.cells(line, "") for _, line in (*lines, *marked)] if marked else []
    names = {cells[0] for cells in both[len(lines) :]}
    if any(not names.isdisjoint(cells[1:]) for cells in both):
        return replace(table, lines=sorted([*lines, *marked]))
    return replace(table, doubtful=tuple(each for each in marked if lines and each > lines[0]))


def content_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that are neither empty nor comments, with their numbers."""
    lines = enumerate(text.split("\n"), 1)
    return [(i, s) for i, s in lines if s.strip() and not is_comment(s)]


def is_comment(line: str) -> bool:
    """Return whether a line begins as comments do."""
    return line.lstrip().startswith(COMMENTS)


def may_be_row(line: str, delimiter: str | None, width: int) -> bool:
    """Return whether a line that begins as comments do has the cells of a row.

    The mark is then a part of the first name: ``#1,#2`` may be an edge, and ``# 1,#2`` is a comment.
    """
    text = line.strip()
    return text[1:2].isalnum() and len(split_cells(text, delimiter, "")) == width


def find_separator(lines: Sequence[str]) -> str | None:
    """Return the mark that separates the cells of lines: a mark in nearly every line, else spaces.

    A tab comes before commas and semicolons. Of these two, the first in the line separates cells, unless
    it is a part of names that spaces separate.
    """
    if not lines:
        return None
    lines = [line.partition("{")[0].strip() for line in lines]
    found = Counter(map(find_delimiter, lines))
    common: str | None = max(("\t", ",", ";"), key=lambda mark: found[mark])
    if found[common] < _ENOUGH * len(lines):
        common = find_delimiter(lines[0])
    return None if common in (",", ";") and _is_in_names(common, lines) else common


def _is_in_names(mark: str, lines: Sequence[str]) -> bool:
    """Return whether a comma or semicolon is a part of names, which spaces separate.

    Then all lines have the same number of cells between spaces, none of which begins or ends with the
    mark, and a name is in both columns; or both names of each line have the mark equally often.
    """
    rows = [line.split() for line in lines]
    width = len(rows[0])
    if width < 2 or any(len(row) != width for row in rows) or any('"' in line for line in lines):
        return False
    if any(cell.startswith(mark) or cell.endswith(mark) for row in rows for cell in row):
        return False
    if _share_names([[cell.strip() for cell in line.split(mark)] for line in lines]):
        return False
    return _share_names(rows) or (
        width == 2 and all(one.count(mark) == other.count(mark) > 0 for one, other in rows)
    )


def _share_names(rows: list[list[str]]) -> bool:
    """Return whether a name is in both of the first two columns."""
    names = {row[0] for row in rows}
    return any(len(row) > 1 and row[1] in names for row in rows)


def find_delimiter(line: str) -> str | None:
    """Return the mark that separates the cells of one line, None for spaces."""
    line = line.partition("{")[0]  # attributes of networkx start with a brace
    if "\t" in line:
        return "\t"
    return min((mark for mark in (",", ";") if mark in line), key=line.find, default=None)


def split_cells(line: str, delimiter: str | None, where: str) -> list[str]:
    """Return the cells of a line, without quotation marks and outer spaces."""
    if '"' in line and "{" not in line:
        text = line.strip() if delimiter is None else line
        mark = delimiter or " "
        try:
            (cells,) = csv.reader([text], delimiter=mark, skipinitialspace=True, strict=True)
        except (csv.Error, ValueError) as error:
            if not where:  # a line of the sample
                return line.split(delimiter)
            if "field limit" in str(error):
                raise NetworkFormatError(
                    f"{where}: a quoted cell with more than {csv.field_size_limit()} characters; shorten it"
                ) from error
            raise NetworkFormatError(
                f'{where}: quotation marks do not match; quote a cell as "a, b" or remove the quotation marks'
            ) from error
        return [cell.strip() for cell in cells if cell or delimiter is not None]
    if delimiter is not None:
        return [cell.strip() for cell in line.split(delimiter)]
    cells = line.split()
    # networkx writes the attributes of an edge as a dict in the last column.
    if len(cells) > 3 and cells[2].startswith("{"):
        cells = [*cells[:2], " ".join(cells[2:])]
    return cells


def is_missing(cell: str) -> bool:
    """Return whether a cell has no value."""
    return cell.lower() in MISSING


def is_number(cell: str) -> bool:
    """Return whether a cell is a number."""
    return _DECIMAL.fullmatch(cell) is not None


def kind_of(cells: Iterable[str]) -> str:
    """Return what the cells of a column are: integers, decimals, texts, a mixture, or missing.

    >>> kind_of(["1", "2.0"]), kind_of(["1", "2.5"]), kind_of(["a", "2"]), kind_of(["a", "b"])
    ('integers', 'decimals', 'mixture', 'texts')
    """
    kinds = {_kind(cell) for cell in cells} - {"missing"}
    if not kinds:
        return "missing"
    if "texts" in kinds:
        return "texts" if len(kinds) == 1 else "mixture"
    return "decimals" if "decimals" in kinds else "integers"


def _kind(cell: str) -> str:
    if is_missing(cell):
        return "missing"
    if _INTEGER.fullmatch(cell):
        return "integers"
    if not is_number(cell):
        return "texts"
    return "integers" if float(cell).is_integer() else "decimals"
