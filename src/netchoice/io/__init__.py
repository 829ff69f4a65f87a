"""Reading and writing network files."""

from netchoice.io.reading import FORMATS, read_network
from netchoice.io.report import ReadingReport
from netchoice.io.writing import edge_list_text, write_network

__all__ = ["FORMATS", "ReadingReport", "edge_list_text", "read_network", "write_network"]
