"""The figure of a model's fit: six distributions of the observed network over the simulations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from netchoice.figures.data.fit_panels import FitPanel, fit_panels, position
from netchoice.figures.static.axes import PLAIN, SMALL, WIDTH, new_panels
from netchoice.figures.style import BLUE, VERMILLION, model_colour
from netchoice.profiles import Envelope

_ALPHAS = (0.25, 0.45)  # of the 95 % and the 50 % range
_OUTSIDE: dict[str, Any] = {
    "marker": "D", "markersize": 6, "color": VERMILLION, "markeredgecolor": "black",
}  # fmt: skip


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
    >>> from netchoice.profiles import envelopes, network_profile
    >>> rng, model = np.random.default_rng(1), netchoice.get_model("ba2")
    >>> profiles = [network_profile(model.grow(20, rng=rng)) for _ in range(30)]
    >>> axes = fit(envelopes(profiles[0], {"ba2": profiles[1:]})["ba2"])
    >>> sorted(ax.get_title(loc="left") for ax in axes)[:3]
    ['Clustering', 'Components', 'Cores']
    """
    panels, colour = fit_panels(envelopes), BLUE if model is None else model_colour(model)
    axes, figure = new_panels(len(panels), columns, 1.25 * WIDTH, 0.5, 2.3)
    for ax, panel in zip(axes, panels, strict=True):
        _draw(ax, panel, colour)
    handles = [
        Line2D([], [], color="black", marker="o", markersize=3, label="observed network"),
        Line2D([], [], **_OUTSIDE, linestyle="", label="outside the 95% range"),
        *(
            Patch(color=colour, alpha=alpha, label=f"{share}% of simulations")
            for share, alpha in zip((95, 50), _ALPHAS, strict=True)
        ),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=4, **PLAIN)
    return axes


def _draw(ax: Axes, panel: FitPanel, colour: str) -> None:
    x = np.arange(len(panel.labels))
    for level, alpha in enumerate(_ALPHAS):
        low, heights = panel.bars(level)
        ax.bar(x, heights, 1.0, low, color=colour, alpha=alpha, linewidth=0, gid=f"range {level}")
    y = position(panel.observed)
    ax.plot(x, y, color="black", marker="o", markersize=3, linewidth=1.2, gid="observed")
    out = panel.outside
    ax.plot(x[out], y[out], **_OUTSIDE, linestyle="", zorder=4, gid="outside")
    ticks, y_ticks = panel.x_ticks(), panel.y_ticks()
    ax.set_xticks(list(ticks), list(ticks.values()), fontsize=SMALL)
    ax.set_yticks(list(y_ticks), list(y_ticks.values()), fontsize=SMALL)
    ax.set(xlim=(-0.6, len(x) - 0.4), ylim=(0, 1.06 * position(panel.top)))
    ax.set_xlabel(panel.text.x_title, fontsize=SMALL)
    ax.set_ylabel(panel.text.y_title, fontsize=SMALL)
    title = f"{panel.text.title}: differs" if panel.differs else panel.text.title
    weight = "bold" if panel.differs else "normal"
    ax.set_title(title, loc="left", fontsize=SMALL + 1, fontweight=weight)
