"""The figures of the paper, in its layout, as PNG and PDF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice import figures
from netchoice.figures.static.axes import DPI, GREY, SMALL, WIDTH, root_figure
from netchoice.figures.style import model_styles, series_styles
from netchoice.inference import embed
from netchoice.reproduction.cost_settings import AS_PUBLISHED, DEFAULT, SETTINGS, Setting
from netchoice.reproduction.paper_methods import APPENDIX_METHODS, MAIN_METHODS, METHODS
from netchoice.reproduction.pilot_run import PilotRun
from netchoice.reproduction.space_run import SET_SIZE, SpaceRun
from netchoice.reproduction.yeast_run import NETWORKS, NODE_COUNTS, PAPER_FIVE, YeastRun
from netchoice.selection import WEIGHTED_METHODS

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = {"ba": 1, "duplication": 2}


def save_both(picture: Any, path: Path) -> None:
    """Save a figure as PNG and as PDF, with the same layout."""
    figures.save(picture, path.with_suffix(".png"))
    root_figure(picture).set_layout_engine("none")
    figures.save(picture, path.with_suffix(".pdf"))


def draw_heat_maps(run: SpaceRun, folder: Path) -> None:
    """Draw Figures 1 and 2, S1 and S2, and all methods under our settings, also over shares."""
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
    low, share = float(frame["accuracy"].min()), f"share_{setting.charge}"
    return figures.heatmaps(frame, methods=methods, share=share, vmin=low, vmax=1.0)


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
        ax.set_title(setting.label, loc="left", fontsize=SMALL + 2)
        ax.set(xlabel="cost penalty λ (1/s)", ylabel=f"accuracy with {SET_SIZE} features")
        ax.set(xscale="log", ylim=(min(0.5, 0.98 * float(frame["accuracy"].min())), 1.02))
        ax.grid(alpha=0.25)
    legend = axes[0].get_legend_handles_labels()
    figure.legend(*legend, loc="outside upper center", ncols=7, frameon=False, fontsize=SMALL)
    save_both(figure, folder / f"transition-{run.family}")


def draw_cost_growth(pilots: Mapping[str, PilotRun], folder: Path) -> None:
    """Draw Figure 3: cost per network by number of nodes, with fitted powers."""
    import pandas as pd

    frames = [run.costs.assign(name=family) for family, run in pilots.items()]
    fits = []
    for family, run in pilots.items():
        known = {key: value for key, value in run.growth.items() if value is not None}
        factor, power = known["factor"], known["exponent"]
        fits.append({**known, "name": family, "curve": lambda n, b=factor, c=power: b * n**c})
    picture = figures.cost_growth(pd.concat(frames, ignore_index=True), fits)
    save_both(picture, folder / "figure-3-growth")


def draw_pilot_accuracy(pilots: Mapping[str, PilotRun], folder: Path) -> None:
    """Draw the accuracy on large networks by the size of the pilots, which the paper describes."""
    for family, run in pilots.items():
        ks = [k for k in (1, 2, 3, 5, 10, 15) if k in set(run.accuracy["k"])]
        save_both(figures.pilot_accuracy(run.accuracy, ks=ks), folder / f"pilots-{family}")


def draw_yeast(run: YeastRun, folder: Path) -> None:
    """Draw Figure 4 for both node counts, with the paper's features and, if wanted, with ours."""
    sets = (
        run.feature_sets() if run.duplication.scale.draws_every_setting else {"papers": PAPER_FIVE}
    )
    for counted, (name, five) in product(NODE_COUNTS, sets.items()):
        figure = _yeast_figure(run, counted, five)
        save_both(figure, folder / f"figure-4-yeast-{counted}-nodes-{name}")


def _yeast_figure(run: YeastRun, counted: str, five: tuple[str, ...]) -> Any:
    """Return embeddings of three networks, and transitivity by model."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.1 * WIDTH, 0.95 * WIDTH), dpi=DPI, layout="constrained")
    axes = figure.subplots(2, 2).ravel()
    for ax, letter, network in zip(axes, "abc", NETWORKS, strict=False):
        table = run.table(network, counted)
        embedding = embed(table.X[list(five)], table.y, run.observed(network), scaling="standard")
        figures.embedding(embedding, ax=ax)
        ax.get_legend().remove()
        study = f"{network[:-4].capitalize()} et al. {network[-4:]}"  # ito2001: Ito et al. 2001
        title = f"({letter}) {study}, n = {run.size(network, counted)}"
        ax.set_title(title, loc="left", fontsize=SMALL + 2)
        correlation = f"distance correlation {embedding.distance_correlation:.2f}"
        ax.set_xlabel(correlation, fontsize=SMALL + 1, color=GREY)
    _transitivity(axes[3], run, counted)
    return figure


def _transitivity(ax: Any, run: YeastRun, counted: str) -> None:
    table = run.table("ito2001", counted)
    observed = run.observed("ito2001")["transitivity"]
    edges = np.linspace(0, max(1e-9, float(table.X["transitivity"].max()), observed), 60)
    styles = model_styles(sorted(set(table.y)))
    for model, values in table.X["transitivity"].groupby(table.y):
        colour, line = styles[model].colour, styles[model].line
        draw = partial(ax.hist, values, edges, density=True, color=colour)
        draw(histtype="stepfilled", alpha=0.45, label=str(model))
        draw(histtype="step", linestyle=line)
    ax.axvline(observed, color="black", linestyle="--", label="Ito et al. 2001")
    ax.set(xlabel="transitivity", ylabel="density")
    ax.set_title("(d) transitivity of the simulations", loc="left", fontsize=SMALL + 2)
    ax.legend(frameon=False, fontsize=SMALL + 1)
