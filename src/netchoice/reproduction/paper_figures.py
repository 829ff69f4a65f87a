"""The figures of the paper, in its layout, as PNG and PDF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice import figures
from netchoice.figures.static.axes import DPI, GREY, SMALL, WIDTH, root_figure
from netchoice.figures.style import series_styles
from netchoice.inference import embed
from netchoice.reproduction.cost_settings import AS_PUBLISHED, DEFAULT, SETTINGS, Setting
from netchoice.reproduction.paper_methods import APPENDIX_METHODS, MAIN_METHODS, METHODS
from netchoice.reproduction.pilot_run import PilotRun
from netchoice.reproduction.space_run import SET_SIZE, SpaceRun
from netchoice.reproduction.yeast_run import NETWORKS, YeastRun
from netchoice.selection import WEIGHTED_METHODS

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = {"ba": 1, "duplication": 2}
_STUDIES = {
    "ito2001": "Ito et al. 2001",
    "yu2008": "Yu et al. 2008",
    "uetz2000": "Uetz et al. 2000",
}


def save_both(picture: Any, path: Path) -> None:
    """Save a figure as PNG and as PDF, with the same layout."""
    figures.save(picture, path.with_suffix(".png"))
    root_figure(picture).set_layout_engine("none")
    figures.save(picture, path.with_suffix(".pdf"))


def draw_heat_maps(run: SpaceRun, folder: Path) -> None:
    """Draw Figures 1 and 2, S1 and S2, and heat maps of all methods under our settings.

    For the settings of the paper and of netchoice, λ is also drawn per share of the total cost.
    """
    i = _NUMBERS[run.family]
    published = run.evaluation(AS_PUBLISHED)
    for number, methods in ((f"{i}", MAIN_METHODS), (f"S{i}", APPENDIX_METHODS)):
        picture = _heat(published, methods, AS_PUBLISHED)
        save_both(picture, folder / f"figure-{number}-{run.family}")
    for setting in SETTINGS if run.scale.draws_every_setting else (DEFAULT,):
        frame = run.evaluation(setting)
        name = f"heat-{run.family}-{setting.name}"
        if run.scale.draws_every_setting:
            save_both(_heat(frame, METHODS, setting), folder / name)
        if setting in (AS_PUBLISHED, DEFAULT):
            # Only the unit of λ differs. Weighted forests use ratios of costs, which have no unit.
            total = sum(run.costs(setting).alone().values())
            factor = np.where(frame["method"].isin(WEIGHTED_METHODS), 1.0, total)
            shares = _heat(frame.assign(penalty=frame["penalty"] * factor), METHODS, setting)
            save_both(shares, folder / f"{name}-shares")


def _heat(frame: pd.DataFrame, methods: Iterable[str], setting: Setting) -> Any:
    low = float(frame["accuracy"].min())
    return figures.heatmaps(
        frame, methods=methods, share=f"share_{setting.charge}", vmin=low, vmax=1.0
    )


def draw_transition(run: SpaceRun, folder: Path) -> None:
    """Draw the accuracy with few features over many penalties, for each method and setting."""
    from matplotlib.figure import Figure

    settings = [s for s in SETTINGS if s.estimator == "published"]
    figure = Figure(figsize=(1.25 * WIDTH, 6.0), dpi=DPI, layout="constrained")
    axes = figure.subplots(2, 2, sharey=True).ravel()
    for ax, setting in zip(axes, settings, strict=True):
        frame = run.transition(setting)
        styles = series_styles(dict.fromkeys(frame["method"]))
        for method, rows in frame.groupby("method", sort=False):
            rows = rows[rows["penalty"] > 0].sort_values("penalty")
            ax.plot(
                rows["penalty"], rows["accuracy"], label=method, linewidth=1.5,
                color=styles[method].colour, linestyle=styles[method].line,
            )  # fmt: skip
        ax.set_xscale("log")
        ax.set_title(setting.label, loc="left", fontsize=SMALL + 2)
        ax.set_xlabel("cost penalty λ (1/s)")
        ax.set_ylabel(f"accuracy with {SET_SIZE} features")
        ax.set_ylim(min(0.5, 0.98 * float(frame["accuracy"].min())), 1.02)
        ax.grid(alpha=0.25)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=7, frameon=False, fontsize=SMALL
    )
    save_both(figure, folder / f"transition-{run.family}")


def draw_cost_growth(pilots: Mapping[str, PilotRun], folder: Path) -> None:
    """Draw Figure 3: cost per network by number of nodes, with fitted powers."""
    import pandas as pd

    frames = [run.costs.assign(name=family) for family, run in pilots.items()]
    fits = [
        {"name": family, "curve": partial(_power, run.growth)}
        | {
            key: run.growth[key]
            for key in ("exponent", "low", "high")
            if run.growth[key] is not None
        }
        for family, run in pilots.items()
    ]
    picture = figures.cost_growth(pd.concat(frames, ignore_index=True), fits)
    save_both(picture, folder / "figure-3-growth")


def _power(growth: Mapping[str, Any], n: Any) -> Any:
    return growth["factor"] * np.asarray(n, dtype=float) ** growth["exponent"]


def draw_pilot_accuracy(pilots: Mapping[str, PilotRun], folder: Path) -> None:
    """Draw the accuracy on large networks by the size of the pilots, which the paper describes."""
    for family, run in pilots.items():
        ks = [k for k in (1, 2, 3, 5, 10, 15) if k in set(run.accuracy["k"])]
        save_both(figures.pilot_accuracy(run.accuracy, ks=ks), folder / f"pilots-{family}")


def draw_yeast(run: YeastRun, counted: str, five: tuple[str, ...], path: Path) -> None:
    """Draw Figure 4: embeddings of three networks, and transitivity by model."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.1 * WIDTH, 0.95 * WIDTH), dpi=DPI, layout="constrained")
    axes = figure.subplots(2, 2).ravel()
    for ax, letter, network in zip(axes, "abc", NETWORKS, strict=False):
        table = run.table(network, counted)
        embedding = embed(table.X[list(five)], table.y, run.observed(network), scaling="standard")
        figures.embedding(embedding, ax=ax)
        ax.get_legend().remove()
        title = f"({letter}) {_STUDIES[network]}, n = {run.size(network, counted)}"
        ax.set_title(title, loc="left", fontsize=SMALL + 2)
        ax.set_xlabel(
            f"distance correlation {embedding.distance_correlation:.2f}",
            fontsize=SMALL + 1,
            color=GREY,
        )
    _transitivity(axes[3], run, counted)
    save_both(figure, path)


def _transitivity(ax: Any, run: YeastRun, counted: str) -> None:
    table = run.table("ito2001", counted)
    observed = run.observed("ito2001")["transitivity"]
    edges = np.linspace(0, max(1e-9, float(table.X["transitivity"].max()), observed), 60)
    styles = series_styles(sorted(set(table.y)))
    for model, values in table.X["transitivity"].groupby(table.y):
        style = styles[model]
        ax.hist(
            values, edges, density=True, histtype="stepfilled", alpha=0.45, color=style.colour,
            label=str(model),
        )  # fmt: skip
        ax.hist(
            values, edges, density=True, histtype="step", color=style.colour, linestyle=style.line
        )
    ax.axvline(observed, color="black", linestyle="--", label="Ito et al. 2001")
    ax.set(xlabel="transitivity", ylabel="density")
    ax.set_title("(d) transitivity of the simulations", loc="left", fontsize=SMALL + 2)
    ax.legend(frameon=False, fontsize=SMALL + 1)
