"""The paper's figures, in its layout, as PNG and PDF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice import figures
from netchoice.figures.static.axes import DPI, GREY, SMALL, WIDTH, root_figure
from netchoice.figures.style import series_styles
from netchoice.inference import embed
from netchoice.reproduction.costs import AS_PUBLISHED, SETTINGS, Setting
from netchoice.reproduction.pilots import PilotRun
from netchoice.reproduction.scales import APPENDIX, MAIN, NINE
from netchoice.reproduction.spaces import FEW, SpaceRun
from netchoice.reproduction.yeast import NETWORKS, YeastRun

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = {"ba": 1, "duplication": 2}
_STUDIES = {
    "ito2001": "Ito et al. 2001",
    "yu2008": "Yu et al. 2008",
    "uetz2000": "Uetz et al. 2000",
}


def save_both(picture: Any, path: Path) -> list[Path]:
    """As PNG and as PDF, laid out once."""
    png = figures.save(picture, path.with_suffix(".png"))
    root_figure(picture).set_layout_engine("none")
    return [png, figures.save(picture, path.with_suffix(".pdf"))]


def heat_figures(run: SpaceRun, folder: Path) -> list[Path]:
    """Figures 1 and 2, S1 and S2; then all nine methods under every setting, λ in both units."""
    number = _NUMBERS[run.family]
    made = []
    for name, methods in ((f"figure-{number}", MAIN), (f"figure-S{number}", APPENDIX)):
        picture = _heat(run.evaluation(AS_PUBLISHED), methods, AS_PUBLISHED)
        made += save_both(picture, folder / f"{name}-{run.family}")
    for setting in SETTINGS if run.scale.draws_every_setting else (SETTINGS[-1],):
        frame = run.evaluation(setting)
        name = f"heat-{run.family}-{setting.name}"
        if run.scale.draws_every_setting:
            made += save_both(_heat(frame, NINE, setting), folder / name)
        if setting in (SETTINGS[0], SETTINGS[-1]):
            # Only the unit of λ differs: a share of the whole cost instead of a second.
            # Weighted forests draw by ratios of costs, which have no unit.
            total = sum(run.costs(setting).alone().values())
            factor = frame["method"].str.startswith("weighted").map({True: 1.0, False: total})
            shares = _heat(frame.assign(penalty=frame["penalty"] * factor), NINE, setting)
            made += save_both(shares, folder / f"{name}-shares")
    return made


def _heat(frame: pd.DataFrame, methods: Iterable[str], setting: Setting) -> Any:
    low = float(frame["accuracy"].min())
    return figures.heatmaps(
        frame, methods=methods, share=f"share_{setting.charge}", vmin=low, vmax=1.0
    )


def transition_figure(run: SpaceRun, folder: Path) -> list[Path]:
    """Accuracy with a few features over many penalties: where each method falls."""
    from matplotlib.figure import Figure

    settings = [s for s in SETTINGS if s.estimator == "published"]
    figure = Figure(figsize=(1.25 * WIDTH, 6.0), dpi=DPI, layout="constrained")
    axes = figure.subplots(2, 2, sharey=True).ravel()
    for ax, setting in zip(axes, settings, strict=True):
        frame = run.transition(setting)
        styles = series_styles(dict.fromkeys(frame["method"]))
        for method, rows in frame.groupby("method", sort=False):
            some = rows[rows["penalty"] > 0].sort_values("penalty")
            ax.plot(
                some["penalty"], some["accuracy"], label=method, linewidth=1.5,
                color=styles[method].colour, linestyle=styles[method].line,
            )  # fmt: skip
        ax.set_xscale("log")
        ax.set_title(setting.words, loc="left", fontsize=SMALL + 2)
        ax.set_xlabel("cost penalty λ (1/s)")
        ax.set_ylabel(f"accuracy, {FEW} features")
        ax.set_ylim(min(0.5, 0.98 * float(frame["accuracy"].min())), 1.02)
        ax.grid(alpha=0.25)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=7, frameon=False, fontsize=SMALL
    )
    return save_both(figure, folder / f"transition-{run.family}")


def growth_figure(pilots: Mapping[str, PilotRun], folder: Path) -> list[Path]:
    """Figure 3: cost of a network by its nodes, with the monomials through it."""
    import pandas as pd

    frames = [run.costs.assign(name=family) for family, run in pilots.items()]
    fits = [
        {"name": family, "curve": _monomial(run.growth), **_interval(run.growth)}
        for family, run in pilots.items()
    ]
    picture = figures.cost_growth(pd.concat(frames, ignore_index=True), fits)
    return save_both(picture, folder / "figure-3-growth")


def _interval(growth: Mapping[str, Any]) -> dict[str, float]:
    return {key: growth[key] for key in ("exponent", "low", "high") if growth[key] is not None}


def _monomial(growth: Mapping[str, Any]) -> Any:
    return lambda n: growth["factor"] * np.asarray(n, dtype=float) ** growth["exponent"]


def pilot_figures(pilots: Mapping[str, PilotRun], folder: Path) -> list[Path]:
    """Accuracy on large networks by the size of the pilots; the paper tells it in words."""
    made = []
    for family, run in pilots.items():
        ks = [k for k in (1, 2, 3, 5, 10, 15) if k in set(run.accuracy["k"])]
        picture = figures.pilot_accuracy(run.accuracy, ks=ks)
        made += save_both(picture, folder / f"pilots-{family}")
    return made


def yeast_figure(run: YeastRun, counted: str, five: tuple[str, ...], path: Path) -> list[Path]:
    """Figure 4: three clouds with their networks, and transitivity by model."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.1 * WIDTH, 0.95 * WIDTH), dpi=DPI, layout="constrained")
    axes = figure.subplots(2, 2).ravel()
    for ax, letter, network in zip(axes, "abc", NETWORKS, strict=False):
        table = run.table(network, counted)
        placed = embed(table, run.observed(network), features=five, scaling="standard")
        figures.embedding(placed, ax=ax)
        ax.get_legend().remove()
        title = f"({letter}) {_STUDIES[network]}, n = {run.size(network, counted)}"
        ax.set_title(title, loc="left", fontsize=SMALL + 2)
        ax.set_xlabel(
            f"distance correlation {placed.distance_correlation:.2f}",
            fontsize=SMALL + 1,
            color=GREY,
        )
    _transitivity(axes[3], run, counted)
    return save_both(figure, path)


def _transitivity(ax: Any, run: YeastRun, counted: str) -> None:
    table = run.table("ito2001", counted)
    seen = run.observed("ito2001")["transitivity"]
    edges = np.linspace(0, max(1e-9, float(table.X["transitivity"].max()), seen), 60)
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
    ax.axvline(seen, color="black", linestyle="--", label="Ito et al. 2001")
    ax.set(xlabel="transitivity", ylabel="density")
    ax.set_title("(d) transitivity of the simulations", loc="left", fontsize=SMALL + 2)
    ax.legend(frameon=False, fontsize=SMALL + 1)
