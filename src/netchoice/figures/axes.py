"""Axes, names, places of texts, and files, for all figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import category

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import AbstractPathEffect, withStroke
from matplotlib.text import Text
from numpy.typing import NDArray

from netchoice.atomic import write_atomically
from netchoice.errors import UsageError
from netchoice.stores import place
from netchoice.validation import check_choice, unknown

WIDTH, HEIGHT, DPI = 8.0, 5.0, 150  # inches and dots per inch: 1200 pixels wide
SHOWN_DPI = 90  # in a notebook: 720 pixels wide
SMALL = 8  # points: the smallest text
GREY = "#595959"
#: Options of legends: without a frame, and above the Axes.
PLAIN: dict[str, Any] = {"frameon": False, "fontsize": SMALL + 1}
_ABOVE: dict[str, Any] = {
    "loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2, "frameon": False,
    "fontsize": SMALL, "handletextpad": 0.5, "columnspacing": 1.0,
}  # fmt: skip
#: Categories of characters that no font can draw: controls, halves of pairs, unassigned.
_SHAPELESS = ("Cc", "Cs", "Cn")
#: Of new Axes.
STYLE: dict[Any, Any] = {"axes.spines.top": False, "axes.spines.right": False}

#: File formats, with the metadata to leave out so that equal figures give equal bytes.
_METADATA: dict[str, Any] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
#: The mathematics in texts: numbers at the ticks of logarithmic axes.
_MATHEMATICS = re.compile(r"\$\\mathdefault\{(?:[\d.−-]+(?:\\times)?)?(?:10\^\{[\d−-]+\})?\}\$")


class PlainFigure(Figure):
    """A figure that shows names of users as they are, also if they look like mathematics."""

    def draw(self, renderer: Any) -> None:
        """Draw the figure; only numbers that matplotlib writes are mathematics."""
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
    figure.savefig(file, format="png")
    return file.getvalue(), {"width": round(SHOWN_DPI * figure.get_size_inches()[0])}


def halo(width: float = 2.0, colour: str = "white") -> list[AbstractPathEffect]:
    """Return an outline that keeps lines and letters readable on any background."""
    return [withStroke(linewidth=width, foreground=colour)]


def add_tooltips(artist: Artist, texts: Iterable[str]) -> None:
    """Give each marker of an artist a text, which a page shows when the pointer is on the marker."""
    artist.tooltips = list(texts)  # type: ignore[attr-defined]


def new_axes(ax: Axes | None, width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """Return ``ax``, or the Axes of a new figure of this size in inches."""
    if ax is not None:
        return ax
    figure = PlainFigure(figsize=(width, height), dpi=DPI, layout="constrained")
    with matplotlib.rc_context(STYLE):
        return figure.add_subplot(axes_class=ShownAxes)


def new_panels(
    n: int, columns: int, width: float, margin: float, height: float
) -> tuple[NDArray[Any], Figure]:
    """Return n Axes and their new figure; each row adds ``height`` inches to the ``margin``."""
    columns = max(1, min(n, columns))
    rows = -(-n // columns)
    figure = PlainFigure(figsize=(width, margin + height * rows), dpi=DPI, layout="constrained")
    shown: Any = {"axes_class": ShownAxes}
    with matplotlib.rc_context(STYLE):
        axes = figure.subplots(rows, columns, squeeze=False, subplot_kw=shown).ravel()
    for unused in axes[n:]:
        unused.remove()
    return axes[:n].view(Panels), figure


class Panel(NamedTuple):
    """One panel of a figure.

    ``title`` names it, ``label`` says what it shows to those who do not see it, and ``draw`` draws it. A page
    writes the ``text`` above it.
    """

    title: str
    label: str
    draw: Callable[[Axes], Any]
    text: str = ""


def draw_panels(
    panels: Sequence[Panel], height: float, keys: Sequence[Artist], width: float = WIDTH
) -> NDArray[Any]:
    """Draw panels on a new figure, three in a row, with one legend for all; return their Axes."""
    axes, figure = new_panels(
        len(panels), 3, width * max(min(len(panels), 3) / 3, 0.6), 0.5, height
    )
    for ax, panel in zip(axes, panels, strict=True):
        panel.draw(ax)
    if keys:
        figure.legend(handles=list(keys), loc="outside upper left", ncols=4, **PLAIN)
    return axes


def size_in_inches(ax: Axes) -> tuple[float, float]:
    """Return width and height of the Axes before the layout is computed."""
    figure = ax.get_figure(root=True)
    size = figure.get_size_inches() if figure else (WIDTH, HEIGHT)
    return float(ax.get_position().width * size[0]), float(ax.get_position().height * size[1])


def legend_above(ax: Axes, **options: Any) -> Any:
    """Return a legend above the Axes, with as many columns as there is room for."""
    handles = options.get("handles")
    labels = [one.get_label() for one in handles] if handles else ax.get_legend_handles_labels()[1]
    widest = SMALL * (0.58 * max(map(len, map(str, labels)), default=0) + 3.7)  # points
    columns = int(72 * size_in_inches(ax)[0] / widest + 0.15)
    return ax.legend(ncols=max(1, min(columns, 6)), **(_ABOVE | options))


def text_at_right(ax: Axes, y: float, text: str, shift: float, **options: Any) -> None:
    """Write a text at the right of the Axes, ``shift`` points from its border."""
    ax.annotate(
        text, (1.0, y), xycoords=("axes fraction", "data"), xytext=(shift, 0),
        textcoords="offset points", va="center", **options,
    )  # fmt: skip


def short(name: Any, longest: int = 32) -> str:
    r"""Return a name in one line, its first letters if it is long, and no character without a shape.

    >>> short("degree\n mean"), short("x" * 50, 5), short("a\x00")
    ('degree mean', 'xxxx…', 'a�')
    """
    text = " ".join(str(name).split())
    text = "".join("\ufffd" if category(letter) in _SHAPELESS else letter for letter in text)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def check_columns(frame: pd.DataFrame, columns: Sequence[str], what: str) -> pd.DataFrame:
    """Return the frame if it has rows and these columns."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise UsageError(
            f"the {what} lacks {', '.join(map(repr, missing))}; expected the columns "
            f"{', '.join(columns)}; found {', '.join(map(str, frame.columns)) or 'none'}"
        )
    if not len(frame):
        raise UsageError(f"the {what} has no rows; expected at least one")
    return frame


def check_names(kind: str, names: Iterable[str] | None, known: Collection[str]) -> list[str]:
    """Return the names as a list if all are known, or all known names for None."""
    chosen = list(known) if names is None else list(names)
    for name in chosen:
        if name not in known:
            raise unknown(kind, name, known)
    if not chosen:
        raise UsageError(f"no {kind}s to draw; expected at least one")
    return chosen


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
    with matplotlib.rc_context({"svg.hashsalt": "netchoice", "savefig.dpi": "figure"}):
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
