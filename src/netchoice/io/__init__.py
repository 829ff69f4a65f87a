"""Reading and writing network files."""

from netchoice.io.reading import FORMATS, read_network
from netchoice.io.report import ReadingReport
from netchoice.io.writing import write_network

__all__ = ["FORMATS", "ReadingReport", "read_network", "write_network"]
