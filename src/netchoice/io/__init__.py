"""Network files and collections of networks: readers and writers."""

from netchoice.io.collection import NetworkCollection, NetworkSource, find_networks
from netchoice.io.network_finder import is_collection
from netchoice.io.reader import FORMATS, read_network
from netchoice.io.reading_report import ReadingReport
from netchoice.io.writer import edge_list_text, write_network

__all__ = [
    "FORMATS", "NetworkCollection", "NetworkSource", "ReadingReport", "edge_list_text",
    "find_networks", "is_collection", "read_network", "write_network",
]  # fmt: skip
