"""Tables of users in CSV files, read within a limit of memory."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from netchoice.errors import NetworkFormatError, one_line
from netchoice.io.guard import load
from netchoice.io.places import zip_members
from netchoice.storage.manifest import TableError

if TYPE_CHECKING:
    import pandas as pd

#: A line with more cells than this takes longer than some seconds.
MAX_COLUMNS = 50_000


def read_csv(path: str | PathLike[str]) -> pd.DataFrame:
    """Return the table in a CSV file with a header, which may be compressed or alone in a zip file."""
    import pandas as pd

    try:
        content = _content(Path(path))
        widest = max((line.count(b",") for line in content.splitlines()), default=0)
        if widest >= MAX_COLUMNS:
            raise ValueError(
                f"a line has {widest + 1} cells; expected at most {MAX_COLUMNS}: leave out columns"
            )
        frame = pd.read_csv(io.BytesIO(content))
    except NetworkFormatError as error:
        raise TableError(str(error)) from error
    except ValueError as error:
        raise TableError(one_line(f"{path} cannot be read as a CSV table: {error}")) from error
    if frame.shape[1] == 1 and ";" in str(frame.columns[0]):
        raise TableError(f"{path} is separated by semicolons; separate its columns by commas")
    return frame


def _content(path: Path) -> bytes:
    content, limit = load(path)
    if content[:4] == b"PK\x03\x04":
        members = zip_members(str(path))
        if len(members) != 1:
            raise ValueError(f"a zip file with {len(members)} files; expected one table")
        content, limit = members[0].load()
    limit.check_cells(content)
    return content
