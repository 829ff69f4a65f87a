"""What the pictures share: paper to draw on, signs to tell things apart, axes, files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patheffects import AbstractPathEffect, withStroke
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from netchoice.errors import UsageError
from netchoice.names import unknown

WIDTH, HEIGHT, DPI = 8.0, 5.0, 150  # inches and dots: 1200 pixels wide
SMALL = 8  # points: the smallest text
GREY = "0.35"

#: Colours that the colour-blind can tell apart: Okabe and Ito, without the black (kept for what
#: stands out) and the yellow (too light for lines).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "*", ">", "h", "p", "d")
LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2)))

#: What is not part of a file's content, such as the hour of its making.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


class Sign(NamedTuple):
    """How one series is drawn; no two share colour, marker and line."""

    colour: str
    marker: str
    line: Any


def signs(names: Iterable[str]) -> dict[str, Sign]:
    """A sign for each name; neighbours differ in all three.

    >>> jmi, mrmr = signs(["jmi", "mrmr"]).values()
    >>> jmi.colour != mrmr.colour and jmi.marker != mrmr.marker and jmi.line != mrmr.line
    True
    """
    return {
        name: Sign(COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)], LINES[i % len(LINES)])
        for i, name in enumerate(names)
    }


class Places:
    """Where texts stand in a picture, so that the next one finds room."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.taken: list[tuple[float, float, float]] = []

    def first_free(
        self, spots: Iterable[tuple[float, float]], half_width: float, height: float
    ) -> tuple[float, float]:
        """The first of these middles, moved between low and high, that no text is near to.

        The first of all, if there is none.

        >>> places = Places(0, 11)
        >>> places.first_free([(5, 1)], 2, 1), places.first_free([(6, 1), (10, 1)], 2, 1)
        ((5, 1), (9, 1))
        """
        low, high = self.low + half_width, self.high - half_width
        inside = [(max(low, min(x, high)), y) for x, y in spots]
        free = (
            (x, y)
            for x, y in inside
            if all(abs(x - u) >= half_width + w or abs(y - v) >= height for u, v, w in self.taken)
        )
        x, y = next(free, inside[0])
        self.taken.append((x, y, half_width))
        return x, y


def darker(colour: str) -> tuple[float, float, float]:
    """For small letters, which need more contrast than lines."""
    red, green, blue = (0.6 * part for part in to_rgb(colour))
    return red, green, blue


def halo(width: float = 2.0, colour: str = "white") -> list[AbstractPathEffect]:
    """An outline that keeps lines and letters readable on any ground."""
    return [withStroke(linewidth=width, foreground=colour)]


def paper(ax: Axes | None, width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """The given Axes, or those of a new figure (inches)."""
    if ax is not None:
        return ax
    return Figure(figsize=(width, height), dpi=DPI, layout="constrained").add_subplot()


def checked(frame: pd.DataFrame, columns: Sequence[str], what: str) -> pd.DataFrame:
    """The frame, if it has rows and these columns."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise UsageError(
            f"the {what} lacks {', '.join(map(repr, missing))}; expected the columns "
            f"{', '.join(columns)}; found {', '.join(map(str, frame.columns)) or 'none'}"
        )
    if not len(frame):
        raise UsageError(f"the {what} has no rows; expected at least one")
    return frame


def one_of(kind: str, name: str, known: Collection[str]) -> str:
    """The name, if it is known."""
    if name not in known:
        raise unknown(kind, name, known)
    return name


def inches(ax: Axes) -> tuple[float, float]:
    """Width and height, before a layout changes them a little."""
    figure = ax.get_figure(root=True)
    size = figure.get_size_inches() if figure else (WIDTH, HEIGHT)
    return float(ax.get_position().width * size[0]), float(ax.get_position().height * size[1])


def _penalty_text(penalty: float) -> str:
    if penalty < 1000:
        return f"{penalty:.4g}"
    return f"{penalty / 1000:.3g}k" if penalty < 1e6 else f"{penalty:.2g}"


def penalty_axis(ax: Axes, penalties: Sequence[float]) -> None:
    """Penalties side by side, whatever their distances; λ = 0 is set apart by a dashed line."""
    n = len(penalties)
    step = max(1, -(-n // max(3, int(inches(ax)[0] / 0.5))))
    labelled = [0, *reversed(range(n - 1, step - 1, -step))] if n > 1 else [0]
    ax.set_xticks(labelled, [_penalty_text(penalties[i]) for i in labelled], fontsize=SMALL)
    ax.set_xticks(np.arange(n), minor=True)
    ax.tick_params(axis="x", which="minor", length=2)
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_xlabel("cost penalty λ")
    if n > 1 and penalties[0] == 0:
        ax.axvline(
            0.5, color="black", linestyle="--", linewidth=1.2, path_effects=halo(), gid="no penalty"
        )


def cost_axis(axis: Axis, costs: Iterable[float], unit: str, what: str = "cost") -> None:
    """A logarithmic axis of costs, which begins with a linear piece where some are 0."""
    positive = [cost for cost in costs if cost > 0]
    scale = axis.axes.set_xscale if axis is axis.axes.xaxis else axis.axes.set_yscale
    if not positive:
        scale("linear")
    elif any(cost == 0 for cost in costs):
        scale("symlog", linthresh=min(positive))
    else:
        scale("log")
        few = max(positive) < 30 * min(positive)
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    if positive:
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda cost, _: cost_text(cost, unit)))
    axis.set_label_text(what if unit in ("s", "") else f"{what} ({unit})")


def cost_text(cost: float, unit: str = "s") -> str:
    """A cost with its unit, if it has one; seconds in the unit that suits them.

    >>> cost_text(0.00025), cost_text(0.01), cost_text(120.0), cost_text(0.5, "euro")
    ('250 µs', '10 ms', '120 s', '0.5 euro')
    """
    if unit != "s":
        return f"{cost:.3g} {unit}".rstrip()
    if cost == 0 or cost >= 0.9995:
        return f"{cost:.4g} s"
    for name, size in (("ms", 1e-3), ("µs", 1e-6)):
        if cost >= 0.9995 * size:
            return f"{cost / size:.3g} {name}"
    return f"{cost / 1e-9:.3g} ns"


def size_axis(axis: Axis, sizes: Sequence[float]) -> None:
    """A logarithmic axis of numbers of nodes."""
    (axis.axes.set_xscale if axis is axis.axes.xaxis else axis.axes.set_yscale)("log")
    wide = max(sizes) > 300 * min(sizes)
    axis.set_major_locator(LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:,.0f}"))
    axis.set_label_text("nodes n")


def save(picture: Any, path: str | PathLike[str]) -> Path:
    """Write a picture to a file; the same picture gives the same bytes.

    Parameters
    ----------
    picture : Axes, array of Axes, or Figure
        What a function of this module returned: the whole figure is written.
    path : path
        Its ending says the format: ``.png``, ``.svg`` or ``.pdf``. Folders are made.

    Returns
    -------
    Path

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from netchoice import CostModel, plots
    >>> file = pathlib.Path(tempfile.mkdtemp(), "pictures", "costs.svg")
    >>> plots.save(plots.feature_costs(CostModel({"a": 1.0, "b": 2.0})), file).name
    'costs.svg'
    """
    path = Path(path)
    form = path.suffix.lower()
    if form not in _METADATA:
        raise UsageError(
            f"{path.name} ends in {path.suffix or 'nothing'!r}; "
            f"expected one of {', '.join(_METADATA)}"
        )
    figure = figure_of(picture)
    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "netchoice"}):
        figure.savefig(path, format=form[1:], metadata=_METADATA[form])
    return path


def figure_of(picture: Any) -> Figure:
    """The figure that something drawn stands on."""
    if isinstance(picture, Figure):
        return picture
    first = picture if isinstance(picture, Axes) else next(iter(np.ravel(picture)), None)
    figure = first.get_figure(root=True) if isinstance(first, Axes) else None
    if not isinstance(figure, Figure):
        raise UsageError(
            f"nothing to save in a {type(picture).__name__}; expected Axes or a Figure"
        )
    return figure
