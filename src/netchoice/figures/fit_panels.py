"""The figure of a model's fit: distributions of the observed network over ranges of simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from netchoice.figures.axes import PLAIN, SMALL, WIDTH, add_tooltips, new_panels
from netchoice.figures.style import BLUE, VERMILLION, model_colour
from netchoice.profiles import N_SOURCES, Envelope

Floats = NDArray[np.float64]

#: A panel differs if at most this share of all networks is as far outside the 95 % ranges.
ALPHA = 0.05
NO_PATH = "no path"
_MOST_RUNS = 2  # of neighbouring values that a sentence names
_ALPHAS = (0.25, 0.45)  # of the 95 % and the 50 % range
_OBSERVED: dict[str, Any] = {"marker": "o", "markersize": 3, "color": "black"}
_OUTSIDE: dict[str, Any] = {
    "marker": "D", "markersize": 6, "color": VERMILLION, "markeredgecolor": "black",
}  # fmt: skip
_TICKS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)


class PanelText(NamedTuple):
    """Texts of one panel; the last four make a sentence."""

    title: str
    x_title: str
    y_title: str
    noun: str
    where: str
    more: str = "more"
    fewer: str = "fewer"


_NODES = ("share of nodes", "nodes")
TEXTS = {
    "degree": PanelText("Degrees", "degree (edges of a node)", *_NODES, "with degree {}"),
    "distance": PanelText("Distances", "steps between two nodes", "share of pairs",
                           "pairs of nodes", "at distance {}"),
    "partners": PanelText("Shared partners", "common neighbours of a link", "share of links",
                          "links", "with {} common neighbours"),
    "core": PanelText("Cores", "core number of a node", *_NODES, "with core number {}"),
    "clustering": PanelText("Clustering", "degree (edges of a node)", "mean clustering",
                            "clustering", "of nodes with degree {}", "higher", "lower"),
    "component": PanelText("Components", "nodes in the component", *_NODES,
                            "in components of size {}"),
}  # fmt: skip


@dataclass(frozen=True)
class FitPanel:
    """One panel, with a value for each bin, up to the last one that occurs.

    An empty bin precedes pairs without a path. ``ranges`` holds the ends of the 95 % range and those
    of the 50 % range of the simulations. ``differs`` says whether the observed network is unlike the
    simulations, ``sentence`` says how. ``excess`` is the largest distance to the 95 % range, as a
    share of the height of the panel. ``top`` is the largest value.
    """

    text: PanelText
    labels: list[str]
    observed: Floats
    ranges: tuple[Floats, Floats]
    differs: bool
    sentence: str
    excess: float
    top: float

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Whether each observed value is outside the 95 % range."""
        low, high = self.ranges[0]
        return np.asarray((self.observed < low) | (self.observed > high))

    def bars(self, level: int) -> tuple[Floats, Floats]:
        """Return both ends of the 95 % (0) or 50 % (1) range, at least a thin line apart."""
        low, high = map(position, self.ranges[level])
        return low, np.maximum(high, low + 0.012 * position(self.top))

    def texts(self) -> list[str]:
        """Return each observed value with the 95 % range of the simulations as text."""
        columns = zip(self.labels, self.observed, self.ranges[0].T, strict=True)
        return [f"{label}: {percent(value)}, simulated {range_text(*ends)}"
                for label, value, ends in columns]  # fmt: skip

    def x_ticks(self) -> dict[int, str]:
        """Return about six bins that get a label, and their first values."""
        last = len(self.labels) - 1
        shown = [i for i, label in enumerate(self.labels) if label not in ("", NO_PATH)]
        ticks = {i: self.labels[i].partition("–")[0] for i in shown[:: max(1, -(-len(shown) // 6))]}
        if self.labels[last:] != [NO_PATH]:
            return ticks
        return {i: text for i, text in ticks.items() if i < 0.85 * last} | {last: NO_PATH}

    def y_ticks(self) -> dict[float, str]:
        """Return positions and texts of a few values."""
        ticks = {0.0: "0%"}
        for value in _TICKS:
            if value <= self.top and position(value) - max(ticks) > 0.17 * position(self.top):
                ticks[float(position(value))] = percent(value)
        return ticks


def fit(
    envelopes: Mapping[str, Envelope], *, model: str | None = None, columns: int = 3
) -> NDArray[Any]:
    """Draw distributions of the observed network over ranges of a model's simulations.

    Panels in which the observed network is unlike the simulations come first; their titles say
    "differs". The y axes show square roots, so that small shares can be seen.

    Parameters
    ----------
    envelopes : mapping from panel to Envelope
        One model of what :func:`netchoice.profiles.envelopes` returns.
    model : str, optional, the model, whose colour the ranges have
    columns : int, number of panels in a row

    Examples
    --------
    >>> import netchoice
    >>> from netchoice.profiles import envelopes
    >>> from netchoice.profiles import network_profile
    >>> rng, model = np.random.default_rng(1), netchoice.get_model("ba2")
    >>> profiles = [network_profile(model.grow(20, rng=rng)) for _ in range(30)]
    >>> axes = fit(envelopes(profiles[0], {"ba2": profiles[1:]})["ba2"])
    >>> sorted(ax.get_title(loc="left") for ax in axes)[:3]
    ['Clustering', 'Components', 'Cores']
    """
    panels, colour = fit_panels(envelopes), BLUE if model is None else model_colour(model)
    axes, figure = new_panels(len(panels), columns, 1.25 * WIDTH, 0.5, 2.3)
    for ax, panel in zip(axes, panels, strict=True):
        draw_panel(ax, panel, colour)
        title = f"{panel.text.title}: differs" if panel.differs else panel.text.title
        weight = "bold" if panel.differs else "normal"
        ax.set_title(title, loc="left", fontsize=SMALL + 1, fontweight=weight)
    handles = [
        Line2D([], [], **_OBSERVED, label="observed network"),
        Line2D([], [], **_OUTSIDE, linestyle="", label="outside the 95% range"),
        *(
            Patch(color=colour, alpha=alpha, label=f"{share}% of simulations")
            for share, alpha in zip((95, 50), _ALPHAS, strict=True)
        ),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=4, **PLAIN)
    return axes


def draw_panel(ax: Axes, panel: FitPanel, colour: str) -> None:
    """Draw one panel, with ranges in this colour."""
    x = np.arange(len(panel.labels))
    for level, alpha in enumerate(_ALPHAS):
        low, high = panel.bars(level)
        ax.stairs(
            high, np.append(x, len(x)) - 0.5, baseline=low, fill=True, color=colour, alpha=alpha,
            linewidth=0, gid=f"range {level}",
        )  # fmt: skip
    y, out, texts = position(panel.observed), panel.outside, panel.texts()
    ax.plot(x, y, color="black", linewidth=1.2)
    for places, style, name in (
        (~out & ~np.isnan(y), _OBSERVED, "observed"),
        (out, _OUTSIDE, "outside"),
    ):
        (markers,) = ax.plot(x[places], y[places], linestyle="", zorder=4, gid=name, **style)
        add_tooltips(markers, [texts[i] for i in np.flatnonzero(places)])
    ticks, y_ticks = panel.x_ticks(), panel.y_ticks()
    ax.set_xticks(list(ticks), list(ticks.values()), fontsize=SMALL)
    ax.set_yticks(list(y_ticks), list(y_ticks.values()), fontsize=SMALL)
    ax.set(xlim=(-0.6, len(x) - 0.4), ylim=(0, 1.06 * position(panel.top)))
    ax.set_xlabel(panel.text.x_title, fontsize=SMALL)
    ax.set_ylabel(panel.text.y_title, fontsize=SMALL)


def fit_panels(envelopes: Mapping[str, Envelope]) -> list[FitPanel]:
    """Return the panels of one model; those that differ come first, the largest excess first."""
    panels = [_panel(TEXTS[name], envelope) for name, envelope in envelopes.items()]
    return sorted(panels, key=lambda panel: (not panel.differs, -panel.excess))


def position(values: Any) -> Any:
    """Return positions on the y axis: square roots, so that small shares can be seen."""
    return np.sqrt(values)


def percent(value: float) -> str:
    """Return a share as a percentage with two digits.

    >>> percent(0.123), percent(0.00456), percent(1)
    ('12%', '0.46%', '100%')
    """
    return f"{100 * value:.0f}%" if value >= 0.0995 else f"{100 * value:.2g}%"


def range_text(low: float, high: float) -> str:
    """Return the range of the simulations as text; NaN means that few simulations have a value.

    >>> range_text(0.02, 0.3), range_text(0, 0), range_text(np.nan, np.nan)
    ('2% to 30%', '0%', 'rarely')
    """
    ends = percent(low), percent(high)
    return "rarely" if np.isnan(low) else " to ".join(dict.fromkeys(ends))


def _panel(text: PanelText, envelope: Envelope) -> FitPanel:
    labels, values = _shown_bins(envelope)
    observed, low, lower, _, upper, high = values
    top = float(np.nanmax([1e-9, *observed, *high]))
    heights = map(position, (observed, low, high))
    excess = _excess(*heights) / position(top)
    if envelope.sampled:
        text = text._replace(x_title=f"{text.x_title}, from {N_SOURCES} random nodes")
    differs = envelope.p_value <= ALPHA and bool((excess > 0).any())
    panel = FitPanel(
        text, labels, observed, (np.array([low, high]), np.array([lower, upper])), differs,
        "As in the simulations.", float(excess.max(initial=0)), top,
    )  # fmt: skip
    return replace(panel, sentence=_sentence(panel, excess)) if differs else panel


def _shown_bins(envelope: Envelope) -> tuple[list[str], Floats]:
    """Return labels, and observed values and quantiles, up to the last bin that occurs."""
    labels, values = list(envelope.labels), np.vstack([envelope.observed, envelope.quantiles])
    used = np.flatnonzero(np.nan_to_num(values[[0, -1]]).any(axis=0))
    n = max((i for i in used if labels[i] != NO_PATH), default=-1) + 1
    if len(used) and labels[used[-1]] == NO_PATH:
        gap = np.full((len(values), 1), np.nan)
        return [*labels[:n], "", NO_PATH], np.hstack([values[:, :n], gap, values[:, -1:]])
    return labels[:n], values[:, :n]


def _excess(observed: Floats, low: Floats, high: Floats) -> Floats:
    """Return the distance of each observed value to the range, 0 inside and where one is missing."""
    return np.nan_to_num(np.maximum(low - observed, observed - high), nan=0.0).clip(0)


def _sentence(panel: FitPanel, excess: Floats) -> str:
    """Return how the observed network differs: where it has more, where fewer, and one example."""
    text, (low, high) = panel.text, panel.ranges[0]
    sides = {text.more: panel.observed > high, text.fewer: panel.observed < low}
    places = {word: _places(panel, np.where(side, excess, 0)) for word, side in sides.items()}
    (word, first), *others = ((word, place) for word, place in places.items() if place)
    rest = "".join(f", {word} {place}" for word, place in others)
    worst = int(np.argmax(excess))
    numbers = f"{percent(panel.observed[worst])}, simulated {range_text(low[worst], high[worst])}"
    where = _in_words(text, [panel.labels[worst]])
    difference = f"{word.capitalize()} {text.noun} {first}{rest} than simulated"
    return f"{difference}. {text.noun.capitalize()} {where}: {numbers}."


def _places(panel: FitPanel, excess: Floats) -> str:
    """Return in words the runs of neighbouring bins with the largest excess."""
    runs = [list(run) for some, run in groupby(range(len(excess)), lambda i: excess[i] > 0) if some]
    largest = sorted(runs, key=lambda run: -max(excess[run]))[:_MOST_RUNS]
    names = [_run_label([panel.labels[i] for i in run]) for run in sorted(largest)]
    return _in_words(panel.text, names)


def _in_words(text: PanelText, names: Sequence[str]) -> str:
    known = " and ".join(name for name in names if name != NO_PATH)
    places = [text.where.format(known)] if known else []
    return " and ".join(places + ["without a path"] * (NO_PATH in names))


def _run_label(labels: Sequence[str]) -> str:
    """Return the label of neighbouring bins.

    >>> _run_label(["7", "8–9", "10–12"])
    '7–12'
    """
    first, end = labels[0].partition("–")[0], labels[-1].rpartition("–")[2]
    return first if first == end else f"{first}–{end}"
