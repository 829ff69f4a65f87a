"""The identity of this machine."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from pathlib import Path

#: Where Linux keeps an id that is drawn once for each installation.
ID_FILES = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
CPU_FILE = Path("/proc/cpuinfo")


@cache
def machine_id() -> str:
    """Return a short name of this machine, the same in all its processes.

    The name is a digest of the installation's id, or of the host name where there is none, and of the
    model of the CPU. All of these are read and none is random, so all workers of one machine agree. A
    network card is not needed.

    >>> machine_id() == machine_id()
    True
    """
    facts = "/".join((_installation(ID_FILES), _cpu_model(CPU_FILE), platform.machine()))
    return hashlib.blake2b(facts.encode(), digest_size=5, person=b"netchoice").hexdigest()


def _installation(files: Iterable[Path]) -> str:
    """Return the id of this installation, or the host name: containers often have no id."""
    return next(filter(None, map(_read, files)), platform.node())


def _cpu_model(file: Path) -> str:
    """Return the model of the CPU as Linux describes it, or as Python does."""
    for line in _read(file).splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return platform.processor()


def _read(file: Path) -> str:
    """Return the text of a file, empty if it cannot be read."""
    try:
        return file.read_text(errors="replace").strip()
    except OSError:
        return ""
