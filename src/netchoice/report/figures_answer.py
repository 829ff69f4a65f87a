"""Figures of an answer: models, where the network lies, features, parameters, reliability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.plots.canvas import COLOURS
from netchoice.report.markup import label
from netchoice.report.theme import CHOSEN, FAINT, INK, figure, short, signs

MOST_POINTS = 4000
BINS = 30
MOST_FILLED = 3  # models; more filled areas would hide each other
_WIDE = 100.0  # a feature whose largest value is so many times its middle is drawn by logarithm


def probabilities(record: Mapping[str, Any]) -> dict[str, Any]:
    """A bar for each model, the most probable on top, with the uncertainty."""
    import plotly.graph_objects as go

    chances, intervals = record["probabilities"], record["intervals"]
    names = sorted(chances, key=lambda name: chances[name])
    values = [chances[name] for name in names]
    above = [intervals[name][1] - chances[name] for name in names]
    below = [chances[name] - intervals[name][0] for name in names]
    bars = go.Bar(
        x=short(values), y=list(range(len(names))), orientation="h", width=0.6, showlegend=False,
        marker={"color": COLOURS[0], "opacity": 0.8},
        error_x={"type": "data", "array": short(above), "arrayminus": short(below), "color": INK,
                 "thickness": 2, "width": 6},
        customdata=[
            [label(name), *(f"{end:.4f}" for end in intervals[name]),
             f"{record['fit_p_values'][name]:.3g}"] for name in names
        ],
        hovertemplate="%{customdata[0]}: %{x:.4f}<br>between %{customdata[1]} and %{customdata[2]}"
        "<br>fit p = %{customdata[3]}<extra></extra>",
    )  # fmt: skip
    y = {"tickvals": list(range(len(names))), "ticktext": [label(n, 24) for n in names]}
    return figure(
        [bars], height=110 + 42 * len(names), yaxis=y | {"showgrid": False},
        xaxis={"title": {"text": "probability of the model"}, "range": [0, 1.02]},
    )  # fmt: skip


def cloud(embedding: Mapping[str, Any]) -> dict[str, Any]:
    """Simulated networks in the plane, by model, and the observed one among them."""
    import plotly.graph_objects as go

    models = np.array(embedding["model"], dtype=object)
    step = -(-len(models) // MOST_POINTS)
    rows = np.arange(0, len(models), max(step, 1))
    x, y = (np.array(embedding[name], dtype=float) for name in ("x", "y"))
    size = 6 if len(rows) > 500 else 9
    traces = []
    for name, sign in signs(sorted(set(embedding["model"]))).items():
        own = rows[models[rows] == name]
        traces.append(
            go.Scatter(
                x=short(x[own]),
                y=short(y[own]),
                mode="markers",
                name=label(name),
                text=[_drawn(embedding["parameters"], row) for row in own],
                opacity=0.55,
                marker={"color": sign.colour, "symbol": sign.symbol, "size": size},
                hovertemplate="<b>%{fullData.name}</b><br>%{text}<extra></extra>",
            )
        )
    observed = embedding["observed"]
    traces.append(
        go.Scatter(
            x=[observed[0]],
            y=[observed[1]],
            mode="markers",
            name="observed",
            marker={
                "color": CHOSEN,
                "symbol": "star",
                "size": 20,
                "line": {"color": INK, "width": 2},
            },
            hovertemplate="<b>the observed network</b><extra></extra>",
        )
    )
    bare = {"showticklabels": False, "showgrid": False, "showline": False, "ticks": ""}
    return figure(
        traces,
        height=520,
        on_a_phone=400,
        xaxis=bare,
        yaxis=bare | {"scaleanchor": "x", "scaleratio": 1},
    )


def _drawn(parameters: Mapping[str, Sequence[float | None]], row: int) -> str:
    """What a simulation was made with, in a few lines."""
    told = [
        f"{label(name)} = {values[row]:.3g}"
        for name, values in parameters.items()
        if values[row] is not None
    ]
    return "<br>".join(told) or "no parameters"


def distribution(
    name: str, values: NDArray[np.float64], models: NDArray[Any], observed: float
) -> dict[str, Any]:
    """One feature over the simulations of each model, and the network's value."""
    import plotly.graph_objects as go

    known = np.isfinite(values)
    scale = Scale(np.append(values[known], observed))
    traces, highest = [], 0.0
    told = signs(sorted({str(m) for m in models}))
    fill = "tozeroy" if len(told) <= MOST_FILLED else "none"
    for model, sign in told.items():
        own = values[(models == model) & known]
        share = np.histogram(scale.place(own), scale.edges)[0] / max(len(own), 1)
        highest = max(highest, float(share.max()))
        line = {"color": sign.colour, "dash": sign.dash, "shape": "hv"}
        traces.append(
            go.Scatter(
                x=short(scale.edges, 8),
                y=short([*share, share[-1]]),
                name=label(model, 20),
                mode="lines",
                line=line,
                fill=fill,
                fillcolor=_pale(sign.colour),
                hovertemplate="%{fullData.name}: %{y:.1%} of simulations<extra></extra>",
            )
        )
    here = short(scale.place(np.array([observed, observed])), 8)
    traces.append(
        go.Scatter(
            x=here,
            y=[0, 1.08 * highest],
            mode="lines",
            name="observed",
            line={"color": INK, "width": 3},
            hovertemplate=f"the observed network: {observed:.5g}<extra></extra>",
        )
    )
    return figure(
        traces,
        height=250 + 20 * (len(traces) // 4),
        xaxis={"title": {"text": label(name)}, **scale.ticks()},
        yaxis={"showticklabels": False, "rangemode": "tozero", "showgrid": False},
    )


class Scale:
    """Where values stand: as they are, or by logarithm with a linear piece about 0.

    >>> even, wide = Scale(np.array([1.0, 2.0, 3.0])), Scale(np.array([0, 1, 1, 10, 1e5]))
    >>> even.edges.tolist(), even.ticks()
    ([0.5, 1.5, 2.5, 3.5], {'nticks': 5})
    >>> wide.ticks()["ticktext"]
    ['0', '1', '100', '1e+04']
    """

    def __init__(self, values: NDArray[np.float64]) -> None:
        self.low, self.high = float(values.min()), float(values.max())
        sizes = np.abs(values[values != 0])
        self.linear: float | None = None
        if len(sizes) and sizes.max() > _WIDE * np.median(sizes):
            self.linear = 10.0 ** math.ceil(math.log10(np.quantile(sizes, 0.02)))
        self.whole = bool((values == np.round(values)).all())

    def place(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Along the axis."""
        return values if self.linear is None else np.asarray(np.arcsinh(values / self.linear))

    @property
    def edges(self) -> NDArray[np.float64]:
        """Borders of the classes, along the axis."""
        low, high = self.place(np.array([self.low, self.high]))
        if low == high:
            return np.array([low - 0.5, low + 0.5])
        if self.linear is None and self.whole and high - low <= BINS:
            return np.arange(low - 0.5, high + 1)
        return np.linspace(low, high, BINS + 1)

    def ticks(self) -> dict[str, Any]:
        """For the layout of the axis."""
        if self.linear is None:
            return {"nticks": 5}
        first, last = math.log10(self.linear), math.log10(max(abs(self.low), abs(self.high)))
        powers = range(round(first), math.floor(last) + 1)
        step = -(-len(powers) // 4)
        values = [10.0**power for power in powers[::step]]
        values = [-v for v in reversed(values)] + [0.0] + values
        shown = [v for v in values if self.low <= v <= self.high]
        places = short(self.place(np.array(shown)), 8)
        return {"tickvals": places, "ticktext": [f"{v:.4g}" for v in shown]}


def _pale(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.14)"


def posterior(
    name: str, kept: Mapping[str, Any], told: Mapping[str, Any], *, flat: bool
) -> dict[str, Any]:
    """What is known of one parameter, over the range of its prior; a flat prior is drawn too."""
    import plotly.graph_objects as go

    pairs = zip(kept["draws"][name], kept["weights"], strict=True)
    known = [pair for pair in pairs if None not in pair]
    if not known:
        raise ValueError(f"no draw of the parameter {name!r} is a number")
    draws, weights = np.array(known, dtype=float).T
    low, high = (kept["bounds"] or {}).get(name) or (None, None)
    low = float(draws.min()) if low is None else low
    high = float(draws.max()) if high is None else high
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, BINS // 2 + 1)
    density = np.histogram(draws.clip(low, high), edges, weights=weights, density=True)[0]
    traces = [
        go.Scatter(
            x=short(edges), y=short([*density, density[-1]]), mode="lines", name="posterior",
            line={"color": COLOURS[0], "shape": "hv"}, fill="tozeroy", hoverinfo="skip",
            fillcolor=_pale(COLOURS[0]),
        ),
        go.Scatter(
            x=short(told["interval"]), y=[0, 0], mode="lines", name=f"{told['coverage']:.0%} interval",
            line={"color": INK, "width": 6}, hovertemplate="%{x:.4g}<extra></extra>",
        ),
    ]  # fmt: skip
    if flat:
        line = go.Scatter(
            x=[low, high], y=[1 / (high - low)] * 2, mode="lines", name="flat prior",
            line={"color": FAINT, "dash": "dash"}, hoverinfo="skip",
        )  # fmt: skip
        traces.insert(1, line)
    return figure(
        traces, height=250, xaxis={"title": {"text": label(name)}, "nticks": 6},
        yaxis={"showticklabels": False, "rangemode": "tozero", "showgrid": False},
    )  # fmt: skip


def reliability(bins: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """How often what is told with some probability is so."""
    import plotly.graph_objects as go

    told, true, n = (np.array([row[key] for row in bins]) for key in ("predicted", "observed", "n"))
    error = 2 * np.sqrt(told * (1 - told) / n)
    traces = [
        go.Scatter(
            x=[0, 1], y=[0, 1], mode="lines", name="as told", hoverinfo="skip",
            line={"color": FAINT, "dash": "dash"},
        ),
        go.Scatter(
            x=short(told), y=short(true), mode="markers", name="held-out simulations",
            customdata=n.astype(int).tolist(),
            marker={"color": COLOURS[0], "size": short(7 + 13 * np.sqrt(n / n.max()))},
            error_y={"type": "data", "array": short(np.minimum(error, 1 - true)), "color": COLOURS[0],
                     "arrayminus": short(np.minimum(error, true)), "thickness": 1.5, "width": 3},
            hovertemplate="told %{x:.3f}, so in %{y:.3f} of %{customdata} cases<extra></extra>",
        ),
    ]  # fmt: skip
    ends = {"range": [-0.04, 1.04], "dtick": 0.25}
    return figure(
        traces, height=420, xaxis=ends | {"title": {"text": "probability told"}},
        yaxis=ends | {"title": {"text": "share that was so"}},
    )  # fmt: skip
