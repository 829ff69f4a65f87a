"""What networks must have in common to share simulations."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from netchoice.errors import UsageError
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.space import ModelSpace
from netchoice.validation import check_integer

_TEXTS = {"keep": "kept", "drop": "dropped"}
#: Ranges of sizes: each is this many times as large as the one before, and they begin here.
RANGE_RATIO, FIRST_RANGE = 1.5, 8
#: Relative difference of the number of edges per node within which a simulation is density-matched.
TOLERANCE = 0.1
#: Edges per node that costs are computed for if the density is not known.
USUAL_DENSITY = 3.0


class Size(NamedTuple):
    """The numbers of nodes (from, to), what is done with isolated nodes, and a number of edges.

    ``edges`` is None unless simulations are density-matched.
    """

    nodes: tuple[int, int]
    isolated: str
    edges: int | None = None

    @property
    def n_nodes(self) -> int | tuple[int, int]:
        """The number of nodes, or the ends of the range."""
        low, high = self.nodes
        return low if low == high else self.nodes

    @property
    def folder(self) -> str:
        """Name of the folder with the simulations of this size.

        >>> Size((300, 300), "keep").folder, Size((240, 375), "drop").folder
        ('300-keep', '240..375-drop')
        """
        nodes = "..".join(str(end) for end in dict.fromkeys(self.nodes))
        edges = () if self.edges is None else (str(self.edges),)
        return "-".join([nodes, self.isolated, *edges])

    @classmethod
    def of_folder(cls, name: str) -> Size | None:
        """Return the size that a folder has simulations of; None if its name says none.

        >>> Size.of_folder("300-drop-450"), Size.of_folder("tables")
        (Size(nodes=(300, 300), isolated='drop', edges=450), None)
        """
        first, _, rest = name.partition("-")
        isolated, _, edges = rest.partition("-")
        ends = first.split("..")
        is_size = len(ends) <= 2 and all(end.isdecimal() for end in [*ends, edges or "0"])
        if not is_size or isolated not in _TEXTS:
            return None
        return cls((int(ends[0]), int(ends[-1])), isolated, int(edges) if edges else None)

    @classmethod
    def of_text(cls, text: int | str, isolated: str) -> Size:
        """Return the size that a number of nodes or a range such as "240..375" says."""
        ends = str(text).split("..")
        if not 1 <= len(ends) <= 2 or not all(end.strip().isdecimal() for end in ends):
            raise UsageError(
                f"{text!r} nodes; expected a number such as 300, or a range such as 240..375"
            )
        low, high = (check_integer("n_nodes", int(end)) for end in (ends[0], ends[-1]))
        if low > high:
            raise UsageError(
                f"a range from {low} to {high} nodes; expected the smaller number first"
            )
        return cls((low, high), isolated)

    def covers(self, other: Size) -> bool:
        """Return whether simulations of this size serve for a network of another size."""
        inside = self.nodes[0] <= other.nodes[0] <= other.nodes[1] <= self.nodes[1]
        return inside and self[1:] == other[1:]

    @property
    def range(self) -> Size:
        """The range of sizes that a network of this size belongs to.

        >>> Size((300, 300), "keep").range.nodes
        (206, 307)
        """
        number = math.floor(math.log(self.nodes[0] / FIRST_RANGE, RANGE_RATIO) + 1e-9)
        low, high = (math.ceil(FIRST_RANGE * RANGE_RATIO ** (number + k) - 1e-9) for k in (0, 1))
        return Size((low, high - 1), self.isolated)

    def typical(self) -> tuple[int, int]:
        """Return a number of nodes and a number of edges that costs are computed for."""
        n_nodes = round(math.sqrt(self.nodes[0] * self.nodes[1]))
        edges = round(USUAL_DENSITY * n_nodes) if self.edges is None else self.edges
        return n_nodes, edges

    def matched(
        self, space: ModelSpace, n_jobs: int | None = None, deadline: float | None = None
    ) -> ModelSpace:
        """Return the space, density-matched if this size has a number of edges."""
        if self.edges is None:
            return space
        options: dict[str, Any] = {"n_jobs": n_jobs, "deadline": deadline}
        return MatchedSpace(space, self.nodes[0], self.edges, TOLERANCE, self.isolated, **options)

    def __str__(self) -> str:
        edges = "" if self.edges is None else f" and {self.edges} edges"
        nodes = " to ".join(str(end) for end in dict.fromkeys(self.nodes))
        return f"{nodes} nodes{edges}, isolated nodes {_TEXTS[self.isolated]}"


def in_order(sizes: Iterable[Size]) -> list[Size]:
    """Return sizes by number of nodes."""
    return sorted(sizes, key=lambda size: (size.nodes, size.isolated, size.edges or 0))


def find_size(wanted: Size, known: Iterable[Size]) -> Size | None:
    """Return the size for a network: the same one, or else the shortest range that covers it.

    >>> find_size(Size((300, 300), "keep"), [Size((200, 400), "keep"), Size((250, 400), "keep")]).nodes
    (250, 400)
    """
    covering = [size for size in known if size.covers(wanted)]
    return min(covering, key=lambda size: size.nodes[1] - size.nodes[0], default=None)
