"""Marks of tests that need a kind of operating system."""

import os

import pytest

#: For tests that send signals to groups of processes, fork, or use pipes, links and modes of files.
posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and files")
