"""What networks must have in common to share simulations."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

_TEXTS = {"keep": "kept", "drop": "dropped"}
#: Ranges of sizes: each is this many times as large as the one before, and they begin here.
RANGE_RATIO, FIRST_RANGE = 1.5, 8


class Size(NamedTuple):
    """A number of nodes or a range of them, whether isolated nodes are kept, and a number of edges.

    ``n_nodes`` is a number, or the smallest and the largest one of a range. ``n_edges`` is None unless
    simulations are density-matched.
    """

    n_nodes: int | tuple[int, int]
    isolated: str
    n_edges: int | None = None

    @property
    def ends(self) -> tuple[int, int]:
        """The smallest and the largest number of nodes."""
        return (self.n_nodes, self.n_nodes) if isinstance(self.n_nodes, int) else self.n_nodes

    @property
    def folder(self) -> str:
        """Name of the folder with the simulations of this size.

        >>> Size(300, "keep").folder, Size((240, 375), "drop").folder, Size(300, "drop", 450).folder
        ('300-keep', '240..375-drop', '300-drop-450')
        """
        nodes = "..".join(str(end) for end in dict.fromkeys(self.ends))
        edges = () if self.n_edges is None else (str(self.n_edges),)
        return "-".join([nodes, self.isolated, *edges])

    @classmethod
    def of_folder(cls, name: str) -> Size | None:
        """Return the size that a folder has simulations of; None if its name says none.

        >>> Size.of_folder("300-drop-450"), Size.of_folder("tables")
        (Size(n_nodes=300, isolated='drop', n_edges=450), None)
        """
        first, _, rest = name.partition("-")
        isolated, _, edges = rest.partition("-")
        ends = first.split("..")
        is_size = len(ends) <= 2 and all(end.isdecimal() for end in [*ends, edges or "0"])
        if not is_size or isolated not in _TEXTS:
            return None
        n_nodes = int(ends[0]) if len(ends) == 1 else (int(ends[0]), int(ends[1]))
        return cls(n_nodes, isolated, int(edges) if edges else None)

    def covers(self, other: Size) -> bool:
        """Return whether simulations of this size serve for a network of another size."""
        inside = self.ends[0] <= other.ends[0] <= other.ends[1] <= self.ends[1]
        return inside and (self.isolated, self.n_edges) == (other.isolated, other.n_edges)

    @property
    def range(self) -> Size:
        """The range of sizes that a network of this size belongs to.

        >>> Size(300, "keep").range
        Size(n_nodes=(206, 307), isolated='keep', n_edges=None)
        """
        number = math.floor(math.log(self.ends[0] / FIRST_RANGE, RANGE_RATIO) + 1e-9)
        low, high = (math.ceil(FIRST_RANGE * RANGE_RATIO ** (number + k) - 1e-9) for k in (0, 1))
        return Size((low, high - 1), self.isolated)

    def __str__(self) -> str:
        edges = "" if self.n_edges is None else f" and {self.n_edges} edges"
        nodes = " to ".join(str(end) for end in dict.fromkeys(self.ends))
        return f"{nodes} nodes{edges}, isolated nodes {_TEXTS[self.isolated]}"


def in_order(sizes: Iterable[Size]) -> list[Size]:
    """Return sizes by number of nodes."""
    return sorted(sizes, key=lambda size: (size.ends, size.isolated, size.n_edges or 0))


def find_size(wanted: Size, prepared: Iterable[Size]) -> Size | None:
    """Return the prepared size for a network: the same one, or else the shortest range that covers it.

    >>> find_size(Size(300, "keep"), [Size((200, 400), "keep"), Size((250, 400), "keep")]).n_nodes
    (250, 400)
    """
    covering = [size for size in prepared if size.covers(wanted)]
    return min(covering, key=lambda size: size.ends[1] - size.ends[0], default=None)
