"""Network files: readers and writers."""

from netchoice.io.reader import FORMATS, ReadingReport, read_network
from netchoice.io.writer import edge_list_text, write_network

__all__ = ["FORMATS", "ReadingReport", "edge_list_text", "read_network", "write_network"]
