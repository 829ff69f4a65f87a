"""Machines: the identity of this one, and CPU seconds that several measured in the unit of one."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

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


def slowness(
    seconds: pd.DataFrame, machines: pd.Series, reference: str | None = None
) -> dict[str, float]:
    """Return how many times as long as the reference each machine takes, the reference first.

    By default, the reference is the machine with the most rows. A machine is compared with it column
    by column: the ratio of the medians over the rows. The result is the median of these ratios,
    weighted by the seconds of the reference. A few slow rows therefore do not count, nor do columns
    that are too short for the clock. A machine without any comparable column gets 1.

    >>> import pandas as pd
    >>> seconds = pd.DataFrame({"paths": [1.0, 1.2, 2.2], "degrees": [0.01, 0.01, 0.03]})
    >>> slowness(seconds, pd.Series(["a", "a", "b"]))
    {'a': 1.0, 'b': 2.0}
    """
    counts = machines.value_counts()
    names = sorted(map(str, counts.index), key=lambda name: (-counts[name], name))
    reference = names[0] if reference is None else reference
    typical = seconds.astype(float).groupby(machines.to_numpy()).median()
    base = typical.loc[reference].to_numpy()
    others = [name for name in names if name != reference]
    ratios = {name: _median_ratio(typical.loc[name].to_numpy(), base) for name in others}
    return {reference: 1.0, **ratios}


def _median_ratio(seconds: np.ndarray, base: np.ndarray) -> float:
    """Return the median of the ratios of positive seconds, weighted by the base."""
    known = (seconds > 0) & (base > 0)  # False for NaN
    if not known.any():
        return 1.0
    ratios, weights = seconds[known] / base[known], base[known]
    order = np.argsort(ratios, kind="stable")
    shares = np.cumsum(weights[order])
    return float(ratios[order][np.searchsorted(shares, shares[-1] / 2)])


def in_unit_of_one(
    frame: pd.DataFrame, columns: list[str], reference: str | None = None
) -> pd.DataFrame:
    """Return a frame whose columns of seconds are those of one machine; see :func:`slowness`."""
    if "machine" not in frame or frame["machine"].nunique() < 2:
        return frame
    import pandas as pd

    ratios = slowness(frame[columns], frame["machine"], reference)
    converted = frame[columns].div(frame["machine"].map(ratios), axis=0)
    return pd.concat([frame.drop(columns=columns), converted], axis=1)
