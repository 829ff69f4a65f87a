"""What the panels of a model's fit show: the observed network over ranges of the simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netchoice.profiles import N_SOURCES, Envelope

Floats = NDArray[np.float64]

#: A panel differs if at most this share of all networks is as far outside the 95 % ranges.
ALPHA = 0.05
NO_PATH = "no path"
_MOST_RUNS = 2  # of neighbouring values that a sentence names
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
        """Return lower ends and heights of the 95 % (0) or 50 % (1) range, at least a thin line."""
        low, high = map(position, self.ranges[level])
        return low, np.maximum(high - low, 0.012 * position(self.top))

    def x_ticks(self) -> dict[int, str]:
        """Return about six bins that get a label, and their first values."""
        last = len(self.labels) - 1
        shown = [i for i, label in enumerate(self.labels) if label not in ("", NO_PATH)]
        ticks = {i: self.labels[i].partition("–")[0] for i in shown[:: max(1, -(-len(shown) // 6))]}
        return ticks | ({last: NO_PATH} if self.labels[last:] == [NO_PATH] else {})

    def y_ticks(self) -> dict[float, str]:
        """Return positions and texts of a few values."""
        ticks = {0.0: "0%"}
        for value in _TICKS:
            if value <= self.top and position(value) - max(ticks) > 0.17 * position(self.top):
                ticks[float(position(value))] = percent(value)
        return ticks


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
