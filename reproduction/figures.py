"""The figures of the paper, in its layout, as PNG and PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from operator import mul
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from netchoice import figures
from netchoice.figures.style import method_styles, model_styles
from netchoice.inference import embed
from netchoice.selection import PAPER_METHODS
from netchoice.selection.methods import WEIGHTED_METHODS
from reproduction.heat_maps import heat_maps
from reproduction.pilot_figures import DPI, SMALL, WIDTH, cost_growth, power_fit
from reproduction.pilots import PilotRun, fit_power
from reproduction.settings import (
    APPENDIX_METHODS,
    AS_PUBLISHED,
    COST_SETTINGS,
    DEFAULT,
    MAIN_METHODS,
    METHODS,
    SETTINGS,
    Setting,
)
from reproduction.spaces import SET_SIZE, SpaceRun
from reproduction.yeast import NETWORKS, NODE_COUNTS, PAPER_FIVE, YeastRun

GREY = "0.35"
_NUMBERS = {"ba": 1, "duplication": 2}


def save_both(picture: Any, path: Path) -> None:
    """Save a figure as PNG and as PDF, with the same layout."""
    figures.save(picture, path.with_suffix(".png"))
    first = next(iter(np.ravel(picture)))
    figure = first if isinstance(first, Figure) else first.get_figure(root=True)
    figure.set_layout_engine("none")
    figures.save(picture, path.with_suffix(".pdf"))


def draw_heat_maps(run: SpaceRun, folder: Path) -> None:
    """Draw Figures 1 and 2, S1 and S2, and all methods under our settings."""
    i = _NUMBERS[run.family]
    for number, methods in ((f"{i}", MAIN_METHODS), (f"S{i}", APPENDIX_METHODS)):
        picture = _heat(run, methods, AS_PUBLISHED)
        save_both(picture, folder / f"figure-{number}-{run.family}")
    for setting in SETTINGS if run.scale.draws_every_setting else (DEFAULT,):
        save_both(_heat(run, METHODS, setting), folder / f"heat-{run.family}-{setting.name}")


def _heat(run: SpaceRun, methods: Sequence[str], setting: Setting) -> Any:
    frame = run.evaluation(setting)
    low, share = float(frame["accuracy"].min()), f"share_{setting.charge}"
    panels = heat_maps(frame, methods=methods, share=share, vmin=low, vmax=1.0)
    total = run.cost_of_all_features(setting)
    for ax, method in zip(panels, methods, strict=True):
        penalties = sorted(set(frame.loc[frame["method"] == method, "penalty"]))
        _label_penalties(ax, penalties, None if method in WEIGHTED_METHODS else total)
    return panels


def _label_penalties(ax: Any, penalties: Sequence[float], total: float | None) -> None:
    """Label λ per second and, in a second line, λ per share of the cost of all features."""
    if total is None:
        ax.set_xlabel("exponent λ (no unit)", fontsize=SMALL + 1)
        return
    ticks = [int(tick) for tick in ax.get_xticks()]
    pairs = [(penalties[i], total * penalties[i]) for i in ticks]
    labels = [f"{_penalty_text(seconds)}\n{_penalty_text(share)}" for seconds, share in pairs]
    ax.set_xticks(ticks, labels, fontsize=SMALL)
    ax.set_xlabel("penalty λ per second; below: per share", fontsize=SMALL + 1)


def _penalty_text(penalty: float) -> str:
    if penalty >= 1e6:
        return f"{penalty:.2g}"
    return f"{penalty / 1000:.3g}k" if penalty >= 1000 else f"{penalty:.3g}"


def draw_transition(run: SpaceRun, folder: Path) -> None:
    """Draw the accuracy with few features over many penalties, for each method and setting."""
    figure = Figure(figsize=(1.25 * WIDTH, 7.0), dpi=DPI, layout="constrained")
    axes = figure.subplots(2, 2, sharey=True).ravel()
    for ax, setting in zip(axes, COST_SETTINGS, strict=True):
        frame = run.transition(setting)
        drawn = [method for method in PAPER_METHODS if method in set(frame["method"])]
        for method, style in method_styles(drawn).items():
            rows = frame[(frame["method"] == method) & (frame["penalty"] > 0)].sort_values(
                "penalty"
            )
            ax.plot(
                rows["penalty"], rows["accuracy"], label=method, linewidth=1.5,
                color=style.colour, linestyle=style.line,
            )  # fmt: skip
        ax.set_title(setting.label, loc="left", fontsize=SMALL + 2)
        ax.set(xlabel="penalty λ per second", ylabel=f"accuracy with {SET_SIZE} features")
        ax.set(xscale="log")
        total = run.cost_of_all_features(setting)
        shares = ax.secondary_xaxis("top", functions=(partial(mul, total), partial(mul, 1 / total)))
        shares.set_xlabel("penalty λ per share of all costs", fontsize=SMALL + 1)
        ax.grid(alpha=0.25)
    legend = axes[0].get_legend_handles_labels()
    figure.legend(*legend, loc="outside upper center", ncols=7, frameon=False, fontsize=SMALL)
    save_both(figure, folder / f"transition-{run.family}")


def draw_cost_growth(tables: Sequence[Mapping[str, PilotRun]], folder: Path) -> None:
    """Draw Figure 3: cost per network by number of nodes, mean over tables, with fitted powers."""
    import pandas as pd

    frames, fits = [], []
    for family in tables[0]:
        rows = pd.concat([pilots[family].costs for pilots in tables]).groupby("n")
        errors = rows["seconds"].sem() if len(tables) > 1 else rows["seconds_se"].mean()
        means = pd.DataFrame({"seconds": rows["seconds"].mean(), "seconds_se": errors})
        frames.append(means.reset_index().assign(name=family))
        fits.append(power_fit(family, fit_power(frames[-1])))
    picture = cost_growth(pd.concat(frames, ignore_index=True), fits)
    save_both(picture, folder / "figure-3-growth")


def draw_pilot_losses(family: str, pilots: Sequence[PilotRun], folder: Path) -> None:
    """Draw the accuracy on large networks that is lost by selecting features on pilots.

    A cell has the loss of one method and pilot size, as the mean over tables, compared with features
    that the same method selects on networks of the target size.
    """
    import pandas as pd
    from matplotlib.colors import SymLogNorm

    accuracy = pd.concat([run.accuracy for run in pilots])
    means = accuracy.groupby(["k", "method", "n"])["accuracy"].mean().unstack("n")
    target = means.columns.max()
    losses = 100 * means.rsub(means[target], axis=0).drop(columns=target)
    ks = [k for k in (1, 2, 3, 5, 10, 15) if k in means.index]
    limit = max(1.0, float(losses.loc[ks].abs().to_numpy().max()))
    scale = SymLogNorm(0.5, vmin=-limit, vmax=limit)
    figure = Figure(
        figsize=(1.25 * WIDTH, 1.0 + 2.6 * -(-len(ks) // 2)), dpi=DPI, layout="constrained"
    )
    axes = figure.subplots(-(-len(ks) // 2), 2, squeeze=False, sharex=True, sharey=True).ravel()
    for ax, k in zip(axes, ks, strict=False):
        grid = losses.loc[k].loc[list(PAPER_METHODS)]
        image = ax.imshow(grid, cmap="PuOr_r", norm=scale, aspect="auto")
        for (i, j), loss in np.ndenumerate(grid.to_numpy()):
            if abs(loss) >= 0.05:
                is_dark = abs(scale(loss) - 0.5) > 0.35
                ax.text(
                    j, i, f"{loss:.1f}".replace("-", "−"), ha="center", va="center",
                    fontsize=SMALL, color="white" if is_dark else "black",
                )  # fmt: skip
        ax.set_yticks(range(len(grid)), grid.index, fontsize=SMALL)
        ax.set_xticks(range(len(grid.columns)), grid.columns, fontsize=SMALL)
        ax.set_title("1 feature" if k == 1 else f"{k} features", loc="left", fontsize=SMALL + 2)
    for unused in axes[len(ks) :]:
        unused.remove()
    figure.supxlabel("number of nodes of the pilot networks", fontsize=SMALL + 2)
    title = f"percentage points lost compared with selection on {target} nodes"
    ticks = [tick for tick in (-50, -10, -2, -0.5, 0, 0.5, 2, 10, 50) if abs(tick) <= limit]
    bar = figure.colorbar(image, ax=list(axes[: len(ks)]), label=title, aspect=40, ticks=ticks)
    bar.ax.set_yticklabels([f"{tick:g}".replace("-", "−") for tick in ticks])
    bar.ax.minorticks_off()
    save_both(figure, folder / f"pilots-{family}")


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
