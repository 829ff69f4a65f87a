"""What networks must have in common to share simulations."""

from __future__ import annotations

from typing import NamedTuple

_TEXTS = {"keep": "kept", "drop": "dropped"}


class Size(NamedTuple):
    """A number of nodes, whether isolated nodes are kept, and a number of edges.

    ``n_edges`` is None unless simulations are density-matched.
    """

    n_nodes: int
    isolated: str
    n_edges: int | None = None

    @property
    def folder(self) -> str:
        """Name of the folder with the simulations of this size.

        >>> Size(300, "keep").folder, Size(300, "drop", 450).folder
        ('300-keep', '300-drop-450')
        """
        return "-".join(str(part) for part in self if part is not None)

    @classmethod
    def of_folder(cls, name: str) -> Size | None:
        """Return the size that a folder has simulations of; None if its name says none.

        >>> Size.of_folder("300-drop-450"), Size.of_folder("tables")
        (Size(n_nodes=300, isolated='drop', n_edges=450), None)
        """
        first, _, rest = name.partition("-")
        isolated, _, edges = rest.partition("-")
        if not first.isdecimal() or isolated not in _TEXTS or not (edges or "0").isdecimal():
            return None
        return cls(int(first), isolated, int(edges) if edges else None)

    def __str__(self) -> str:
        edges = "" if self.n_edges is None else f" and {self.n_edges} edges"
        return f"{self.n_nodes} nodes{edges}, isolated nodes {_TEXTS[self.isolated]}"
