"""Manifests: tables that list network files, with their groups and covariates."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

from netchoice.errors import UsageError
from netchoice.io.collection_headers import PATH_COLUMN, Header
from netchoice.io.encodings import decode
from netchoice.io.places import Covariates, FilePlace, Part, short_name
from netchoice.io.reader import ReadingOptions
from netchoice.io.stored_files import StoredFile
from netchoice.io.text_tables import COMMENTS
from netchoice.network_objects import plain_name

#: Cells of a column of numbers that are missing values.
MISSING = ("", "na", "nan", "n/a")


def manifest_networks(stored: StoredFile, header: Header, options: ReadingOptions) -> Part:
    """Return the networks of a manifest, whether their files exist or not."""
    names, rows = _read_table(stored, header)
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    folder = Path(stored.path).parent
    paths = [str(folder / cell) for cell in cells.pop(PATH_COLUMN)]
    given = cells.pop("id", None)
    groups = [group or None for group in cells.pop("group", ("",) * len(paths))]
    columns = {name: _values(column) for name, column in cells.items()}
    covariates: list[Covariates] = [
        {name: column[i] for name, column in columns.items()} for i in range(len(paths))
    ]
    short = [short_name(path) for path in paths]
    return Part(
        [FilePlace(StoredFile(path), options) for path in paths],
        [id or name for id, name in zip(given, short, strict=True)] if given else short,
        ids_are_given=given is not None,
        groups=groups,
        covariates=covariates,
    )


def _read_table(stored: StoredFile, header: Header) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns and the rows, after checking their widths."""
    path = stored.path
    text = decode(stored.load()[0], path)
    reader = csv.reader(
        io.StringIO(text), delimiter=header.delimiter or "\t", skipinitialspace=True
    )
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if any(map(str.strip, row)) and not row[0].lstrip().startswith(COMMENTS):
                rows.append([cell.strip() for cell in row])
                lines.append(reader.line_num)
    except csv.Error as error:
        raise UsageError(
            f"{path}, line {reader.line_num}: not readable as a manifest: {error}; correct the line"
        ) from error
    names = [_column_name(cell) for cell in rows[0]]
    if len(set(names)) < len(names) or "" in names:
        raise UsageError(
            f"{path}: the columns {', '.join(names)[:60]}; expected different names; rename one"
        )
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(names):
            raise UsageError(
                f"{path}, line {line}: {len(row)} cells; expected {len(names)} as in the header; "
                "correct the line"
            )
        if not row[names.index(PATH_COLUMN)]:
            raise UsageError(f"{path}, line {line}: the path is empty; fill it, or remove the line")
    if len(rows) == 1:
        raise UsageError(f"{path}: a manifest without networks; expected one path per line")
    return names, rows[1:]


def _column_name(cell: str) -> str:
    """Return the name of a column; the names that a manifest knows may be in upper case."""
    plain = plain_name(cell)
    return plain if plain in (PATH_COLUMN, "id", "group") else cell


def _values(column: tuple[str, ...]) -> list[str | float]:
    """Return a column as numbers, or as text if one of its cells is no number."""
    numbers: list[str | float] = []
    for cell in column:
        try:
            numbers.append(math.nan if cell.lower() in MISSING else float(cell.replace("_", "?")))
        except ValueError:
            return list(column)
    all_missing = all(cell.lower() in MISSING for cell in column)
    return list(column) if all_missing else numbers
