"""Network files and collections of networks: readers and writers."""

from netchoice.io.collection import NetworkCollection, find_networks
from netchoice.io.reader import FORMATS, read_network
from netchoice.io.reading_report import ReadingReport
from netchoice.io.writer import write_network

__all__ = [
    "FORMATS", "NetworkCollection", "ReadingReport",
    "find_networks", "read_network", "write_network",
]  # fmt: skip
