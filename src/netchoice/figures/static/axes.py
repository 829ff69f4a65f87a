"""Axes, text placement and files for the matplotlib figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imsave
from matplotlib.patheffects import AbstractPathEffect, withStroke
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from netchoice.atomic import write_atomically
from netchoice.errors import UsageError
from netchoice.figures.data.cost_text import cost_text
from netchoice.figures.data.feature_sets import penalty_text
from netchoice.stores import place
from netchoice.validation import check_choice

WIDTH, HEIGHT, DPI = 8.0, 5.0, 150  # inches and dots per inch: 1200 pixels wide
SHOWN_DPI = 90  # in a notebook: 720 pixels wide
SMALL = 8  # points: the smallest text
GREY = "0.35"
#: Options of legends: without a frame, at the right of the Axes, and above them.
PLAIN: dict[str, Any] = {"frameon": False, "fontsize": SMALL + 1}
BESIDE: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "frameon": False}
ABOVE = PLAIN | {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2}

#: File formats, with the metadata to leave out so that equal figures give equal bytes.
_METADATA: dict[str, Any] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
#: The mathematics in texts: powers of n, and numbers at the ticks of logarithmic axes.
_MATHEMATICS = re.compile(
    r"[^$]*\$n\^\{[\d.−-]+\}\$[^$]*|\$\\mathdefault\{(?:[\d.−-]+(?:\\times)?)?(?:10\^\{[\d−-]+\})?\}\$"
)


class PlainFigure(Figure):
    """A figure that shows names of users as they are, also if they look like mathematics."""

    def draw(self, renderer: Any) -> None:
        """Draw the figure; only texts of this package and of matplotlib are mathematics."""
        for text in self.findobj(Text):
            shown = text.get_text() if isinstance(text, Text) else ""
            if "$" in shown and not _MATHEMATICS.fullmatch(shown):
                text.set_parse_math(False)
        super().draw(renderer)


class ShownAxes(Axes):
    """Axes of a new figure, which a notebook shows."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        return _png(root_figure(self))


class Panels(np.ndarray):
    """The Axes of several panels, which a notebook shows."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]] | None:
        return _png(root_figure(self)) if self.size else None


def _png(figure: Figure) -> tuple[bytes, dict[str, int]]:
    """Return a figure as PNG, and its width in a notebook."""
    file = BytesIO()
    _write_png(figure, file)
    return file.getvalue(), {"width": round(SHOWN_DPI * figure.get_size_inches()[0])}


def _write_png(figure: Figure, file: Any) -> None:
    """Write a figure as PNG. It is drawn once; ``savefig`` draws a figure with a layout twice."""
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    imsave(file, canvas.buffer_rgba(), format="png", dpi=figure.dpi)


class TextPlacer:
    """Positions of the texts in a figure, so that no two overlap."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.taken: list[tuple[float, float, float]] = []

    def first_free(
        self, spots: Iterable[tuple[float, float]], half_width: float, height: float
    ) -> tuple[float, float]:
        """Return and reserve the first spot where a text overlaps no other, else the first one.

        Spots are centres of the text; they are moved between ``low`` and ``high``.

        >>> placer = TextPlacer(0, 11)
        >>> placer.first_free([(5, 1)], 2, 1), placer.first_free([(6, 1), (10, 1)], 2, 1)
        ((5, 1), (9, 1))
        """
        low, high = self.low + half_width, self.high - half_width
        inside = [(max(low, min(x, high)), y) for x, y in spots]
        for x, y in [*inside, inside[0]]:
            if all(abs(x - u) >= half_width + w or abs(y - v) >= height for u, v, w in self.taken):
                break
        self.taken.append((x, y, half_width))
        return x, y


def halo(width: float = 2.0, colour: str = "white") -> list[AbstractPathEffect]:
    """Return an outline that keeps lines and letters readable on any background."""
    return [withStroke(linewidth=width, foreground=colour)]


def new_axes(ax: Axes | None, width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """Return ``ax``, or the Axes of a new figure of this size in inches."""
    if ax is not None:
        return ax
    return PlainFigure(figsize=(width, height), dpi=DPI, layout="constrained").add_subplot(
        axes_class=ShownAxes
    )


def new_panels(
    n: int, columns: int, width: float, margin: float, height: float, *, sharey: bool = False
) -> tuple[NDArray[Any], Figure]:
    """Return n Axes and their new figure; each row adds ``height`` inches to the ``margin``."""
    columns = max(1, min(n, columns))
    rows = -(-n // columns)
    figure = PlainFigure(figsize=(width, margin + height * rows), dpi=DPI, layout="constrained")
    shown: Any = {"axes_class": ShownAxes}
    axes = figure.subplots(rows, columns, squeeze=False, sharey=sharey, subplot_kw=shown).ravel()
    for unused in axes[n:]:
        unused.remove()
    return axes[:n].view(Panels), figure


def small_panels(n: int, columns: int, height: float) -> tuple[NDArray[Any], Figure]:
    """Return n Axes and their new figure, which is narrower if there are few."""
    return new_panels(n, columns, WIDTH * max(min(n, columns) / 3, 0.6), 0.5, height)


def size_in_inches(ax: Axes) -> tuple[float, float]:
    """Return width and height of the Axes before the layout is computed."""
    figure = ax.get_figure(root=True)
    size = figure.get_size_inches() if figure else (WIDTH, HEIGHT)
    return float(ax.get_position().width * size[0]), float(ax.get_position().height * size[1])


def penalty_axis(ax: Axes, penalties: Sequence[float]) -> None:
    """Place the penalties at equal distances on the x axis; a dashed line separates λ = 0."""
    n = len(penalties)
    step = max(1, -(-n // max(3, int(size_in_inches(ax)[0] / 0.5))))
    labelled = [0, *reversed(range(n - 1, step - 1, -step))] if n > 1 else [0]
    ax.set_xticks(labelled, [penalty_text(penalties[i]) for i in labelled], fontsize=SMALL)
    ax.set_xticks(np.arange(n), minor=True)
    ax.tick_params(axis="x", which="minor", length=2)
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_xlabel("cost penalty λ")
    if n > 1 and penalties[0] == 0:
        ax.axvline(0.5, color="black", ls="--", lw=1.2, path_effects=halo(), gid="no penalty")


def cost_axis(axis: Axis, costs: Iterable[float], unit: str, title: str) -> None:
    """Make an axis of costs logarithmic, with a linear part at 0 if some costs are 0."""
    positive = [cost for cost in costs if cost > 0]
    scale = axis.axes.set_xscale if axis is axis.axes.xaxis else axis.axes.set_yscale
    if not positive:
        scale("linear")
    elif any(cost == 0 for cost in costs):
        scale("symlog", linthresh=min(positive))
    else:
        scale("log")
        narrow = max(positive) < 30 * min(positive)
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,)))
    if positive:
        axis.set_minor_formatter(NullFormatter())
    shown_unit = unit if unit == "s" else ""  # the title names other units
    axis.set_major_formatter(FuncFormatter(lambda cost, _: cost_text(cost, shown_unit)))
    axis.set_label_text(title)


def text_at_right(ax: Axes, y: float, text: str, shift: float, **options: Any) -> None:
    """Write a text at the right of the Axes, ``shift`` points from its border."""
    ax.annotate(
        text, (1.0, y), xycoords=("axes fraction", "data"), xytext=(shift, 0),
        textcoords="offset points", va="center", **options,
    )  # fmt: skip


def save(figure: Any, path: str | PathLike[str]) -> Path:
    """Write a figure to a file and return its path; equal figures give equal bytes.

    Parameters
    ----------
    figure : Axes, array of Axes, or Figure
        What a function of :mod:`netchoice.figures` returned. The complete figure is written.
    path : path
        The suffix determines the format: ``.png``, ``.svg`` or ``.pdf``. Missing folders are created.

    Examples
    --------
    >>> import tempfile
    >>> from netchoice import CostModel, figures
    >>> ax = figures.feature_costs(CostModel({"a": 1.0, "b": 2.0}))
    >>> figures.save(ax, f"{tempfile.mkdtemp()}/figures/costs.svg").name
    'costs.svg'
    """
    path = place(path)
    suffix = path.suffix.lower()
    if suffix not in _METADATA:
        found, known = path.suffix or "nothing", ", ".join(_METADATA)
        raise UsageError(f"{path.name} ends in {found!r}; expected one of {known}")
    root = root_figure(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "netchoice"}):
        if suffix == ".png":
            write_atomically(path, lambda temporary: _write_png(root, temporary))
        else:
            options = {"format": suffix[1:], "metadata": _METADATA[suffix]}
            write_atomically(path, lambda temporary: root.savefig(temporary, **options))
    return path


def save_all(
    drawings: Mapping[str, Callable[[], Any]], folder: str | PathLike[str], format: str
) -> list[Path]:
    """Draw figures one after the other, and write each to a file with its name; return the paths."""
    check_choice("format", format, [suffix[1:] for suffix in _METADATA])
    return [save(draw(), place(folder) / f"{name}.{format}") for name, draw in drawings.items()]


def root_figure(drawn: Any) -> Figure:
    """Return the figure that Axes, or an array of Axes, belong to."""
    if isinstance(drawn, Figure):
        return drawn
    first = drawn if isinstance(drawn, Axes) else next(iter(np.ravel(drawn)), None)
    figure = first.get_figure(root=True) if isinstance(first, Axes) else None
    if not isinstance(figure, Figure):
        raise UsageError(f"nothing to save in a {type(drawn).__name__}; expected Axes or a Figure")
    return figure
