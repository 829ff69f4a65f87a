"""Tables that are written to disk and read again."""

from netchoice.storage.shards import TableError, TableFolder
from netchoice.storage.table import ReferenceTable

__all__ = ["ReferenceTable", "TableError", "TableFolder"]
