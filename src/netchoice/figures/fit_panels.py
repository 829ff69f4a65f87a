"""The figure of a model's fit: distributions of the observed network over ranges of simulations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from netchoice.figures.axes import SMALL, WIDTH, Panel, draw_panels
from netchoice.figures.style import BLUE, VERMILLION
from netchoice.profiles import N_SOURCES, Envelope

Floats = NDArray[np.float64]

#: A panel differs if at most this share of all networks is as far outside the 95 % ranges.
ALPHA = 0.05
NO_PATH = "no path"
_ALPHAS = (0.25, 0.45)  # of the 95 % and the 50 % range
_OBSERVED: dict[str, Any] = {"marker": "o", "markersize": 3, "color": "black"}
_OUTSIDE: dict[str, Any] = {
    "marker": "D", "markersize": 6, "color": VERMILLION, "markeredgecolor": "black",
}  # fmt: skip
_TICKS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)


class PanelText(NamedTuple):
    """Texts of one panel: titles, and what stands in a sentence."""

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
    simulations, ``sentence`` says how. ``excess`` is the distance of each observed value to the 95 % range,
    as a share of the height of the panel. ``top`` is the largest value.
    """

    text: PanelText
    labels: list[str]
    observed: Floats
    ranges: tuple[Floats, Floats]
    differs: bool
    excess: Floats
    top: float

    @property
    def sentence(self) -> str:
        """Where the observed network differs most from the simulations."""
        if not self.differs:
            return "As in the simulations."
        text, worst = self.text, int(np.argmax(self.excess))
        low, high = self.ranges[0][:, worst]
        word = text.more if self.observed[worst] > high else text.fewer
        label, shown = self.labels[worst], percent(self.observed[worst])
        where = "without a path" if label == NO_PATH else text.where.format(label)
        return (
            f"{word.capitalize()} {text.noun} {where} than simulated: {shown}, simulated "
            f"{range_text(low, high)}."
        )

    def x_ticks(self) -> dict[int, str]:
        """Return about six bins that get a label, and their first values."""
        last = len(self.labels) - 1
        shown = [i for i, label in enumerate(self.labels) if label not in ("", NO_PATH)]
        ticks = {i: self.labels[i].partition("–")[0] for i in shown[:: max(1, -(-len(shown) // 6))]}
        if self.labels[last:] != [NO_PATH]:
            return ticks
        return {i: text for i, text in ticks.items() if i < 0.85 * last} | {last: NO_PATH}


def fit(envelopes: Mapping[str, Envelope], *, colour: str = BLUE) -> NDArray[Any]:
    """Draw distributions of the observed network over ranges of a model's simulations.

    Panels in which the observed network is unlike the simulations come first; their titles say
    "differs". The y axes show square roots, so that small shares can be seen.

    Parameters
    ----------
    envelopes : mapping from panel to Envelope
        One model of what :func:`netchoice.profiles.envelopes` returns.
    colour : str, of the ranges

    Examples
    --------
    >>> import netchoice
    >>> from netchoice.profiles import envelopes, network_profile
    >>> rng, model = np.random.default_rng(1), netchoice.get_model("ba2")
    >>> profiles = [network_profile(model.grow(20, rng=rng)) for _ in range(30)]
    >>> axes = fit(envelopes(profiles[0], {"ba2": profiles[1:]})["ba2"])
    >>> sorted(ax.get_title(loc="left") for ax in axes)[:3]
    ['Clustering', 'Components', 'Cores']
    """
    return draw_panels(fit_panels(envelopes, colour), 2.3, fit_keys(colour), 1.25 * WIDTH)


def fit_keys(colour: str) -> list[Artist]:
    """Return what stands in the legend of a fit."""
    wide, narrow = (
        Patch(color=colour, alpha=alpha, label=f"{share}% of simulations")
        for share, alpha in zip((95, 50), _ALPHAS, strict=True)
    )
    observed = Line2D([], [], **_OBSERVED, label="observed network")
    outside = Line2D([], [], **_OUTSIDE, linestyle="", label="outside the 95% range")
    return [observed, outside, wide, narrow]


def fit_panels(envelopes: Mapping[str, Envelope], colour: str) -> list[Panel]:
    """Return the panels of one model, with ranges in this colour; the largest differences come first.

    A panel without bins is left out: neither the network nor any simulation has a value.
    """
    made = (_panel(TEXTS[name], envelope) for name, envelope in envelopes.items())
    known = [each for each in made if each.labels]
    known.sort(key=lambda each: (not each.differs, -each.excess.max(initial=0)))
    return [
        Panel(
            each.text.title, f"{each.text.title}: {each.sentence}", partial(_draw, each, colour),
            each.sentence,
        )
        for each in known
    ]  # fmt: skip


def _draw(panel: FitPanel, colour: str, ax: Axes) -> None:
    """Draw one panel, with ranges in this colour."""
    x, y, out = np.arange(len(panel.labels)), panel.observed, panel.excess > 0
    ax.set_yscale("function", functions=(lambda value: np.sqrt(np.maximum(value, 0)), np.square))
    for level, ((low, high), alpha) in enumerate(zip(panel.ranges, _ALPHAS, strict=True)):
        ax.stairs(
            high, np.append(x, len(x)) - 0.5, baseline=low, fill=True, alpha=alpha,
            facecolor=colour, edgecolor=colour, linewidth=0.8, gid=f"range {level}",
        )  # fmt: skip
    ax.plot(x, y, color="black", linewidth=1.2)
    for places, style, name in (
        (~out & ~np.isnan(y), _OBSERVED, "observed"),
        (out, _OUTSIDE, "outside"),
    ):
        ax.plot(x[places], y[places], linestyle="", zorder=4, gid=name, **style)
    ticks, shown = panel.x_ticks(), [0.0]
    for value in _TICKS:
        if value <= panel.top and np.sqrt(value) - np.sqrt(shown[-1]) > 0.17 * np.sqrt(panel.top):
            shown.append(value)
    ax.set_xticks(list(ticks), list(ticks.values()), fontsize=SMALL)
    ax.set_yticks(shown, map(percent, shown), fontsize=SMALL)
    ax.set(xlim=(-0.6, len(x) - 0.4), ylim=(0, 1.12 * panel.top))
    ax.set_xlabel(panel.text.x_title, fontsize=SMALL)
    ax.set_ylabel(panel.text.y_title, fontsize=SMALL)
    title = f"{panel.text.title}: differs" if panel.differs else panel.text.title
    weight = "bold" if panel.differs else "normal"
    ax.set_title(title, loc="left", fontsize=SMALL + 1, fontweight=weight)


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
    below, above = np.sqrt(low) - np.sqrt(observed), np.sqrt(observed) - np.sqrt(high)
    excess = np.nan_to_num(np.maximum(below, above)).clip(0) / np.sqrt(top)
    if envelope.sampled:
        text = text._replace(x_title=f"{text.x_title}, from {N_SOURCES} random nodes")
    differs = envelope.p_value <= ALPHA and bool((excess > 0).any())
    ranges = np.array([low, high]), np.array([lower, upper])
    return FitPanel(text, labels, observed, ranges, differs, excess, top)


def _shown_bins(envelope: Envelope) -> tuple[list[str], Floats]:
    """Return labels, and observed values and quantiles, up to the last bin that occurs."""
    labels, values = list(envelope.labels), np.vstack([envelope.observed, envelope.quantiles])
    used = np.flatnonzero(np.nan_to_num(values[[0, -1]]).any(axis=0))
    n = max((i for i in used if labels[i] != NO_PATH), default=-1) + 1
    if len(used) and labels[used[-1]] == NO_PATH:
        gap = np.full((len(values), 1), np.nan)
        return [*labels[:n], "", NO_PATH], np.hstack([values[:, :n], gap, values[:, -1:]])
    return labels[:n], values[:, :n]
