"""Figures of a chosen model: probabilities, embedding, confusion matrix, reliability diagram."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from netchoice.errors import UsageError
from netchoice.figures.data.checks import check_columns
from netchoice.figures.data.predictions import rank_probabilities, reliability_bins
from netchoice.figures.static import axes
from netchoice.figures.static.axes import GREY, PLAIN, SMALL, WIDTH, halo, new_axes
from netchoice.figures.static.distributions import feature_distributions
from netchoice.figures.static.evaluation_figures import feature_costs, pareto
from netchoice.figures.static.fit_figures import fit
from netchoice.figures.static.posterior_figures import posteriors, rank_histograms
from netchoice.figures.style import BLUE, HIGHLIGHT, SeriesStyle, model_colour, model_styles
from netchoice.validation import file_names

if TYPE_CHECKING:
    from netchoice.workflows import Choice


def probabilities(
    models: Mapping[str, float], intervals: Mapping[str, tuple[float, float]] | None = None,
    *, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the probability of each model as a bar, the most probable first.

    Parameters
    ----------
    models : mapping from model to probability
    intervals : mapping from model to lower and upper end, optional
        Drawn as a line across the end of the bar.
    ax : Axes, optional

    Examples
    --------
    >>> ax = probabilities({"dmc": 0.04, "dmr": 0.96}, {"dmc": (0.01, 0.1), "dmr": (0.9, 0.99)})
    >>> [label.get_text() for label in ax.get_yticklabels()], [t.get_text() for t in ax.texts]
    (['dmr', 'dmc'], ['0.960', '0.040'])
    """
    rows = rank_probabilities(models, intervals)
    ax = new_axes(ax, WIDTH, 1.0 + 0.38 * len(rows))
    lengths = [row.probability for row in rows]
    colours = [model_colour(row.model) for row in rows]
    ax.barh(range(len(rows)), lengths, height=0.62, color=colours, alpha=0.75, gid="probability")
    for y, row in enumerate(rows):
        if row.high > row.low:
            ax.plot(
                [row.low, row.high], [y, y], color="black", linewidth=1.4, marker="|", markersize=7,
                path_effects=halo(3), gid="interval",
            )  # fmt: skip
        axes.text_at_right(ax, y, f"{row.probability:.3f}", 6, fontsize=SMALL + 1)
    ax.set_yticks(range(len(rows)), [row.model for row in rows])
    ax.set(ylim=(len(rows) - 0.4, -0.6), xlim=(0, 1), xlabel="probability of the model")
    ax.grid(axis="x", alpha=0.3)
    ax.set_axisbelow(True)
    return ax


def embedding(embedded: Any, *, ax: Axes | None = None) -> Axes:
    """Draw simulated networks as points in the plane, by model, and the observed one as a star.

    The name of each model is drawn at the median of its points.

    Parameters
    ----------
    embedded : Embedding, or DataFrame
        What :func:`netchoice.embed` returns, or its points: ``x``, ``y``, ``label``, ``observed``.
    ax : Axes, optional

    Examples
    --------
    >>> ax = embedding(pd.DataFrame({
    ...     "x": [0, 1, 5, 6, 3], "y": [0, 1, 1, 0, 4], "observed": [False] * 4 + [True],
    ...     "label": ["dmc", "dmc", "dmr", "dmr", "observed"]}))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['dmc', 'dmr', 'observed network']
    """
    columns = ("x", "y", "label", "observed")
    points = check_columns(getattr(embedded, "points", embedded), columns, "embedding")
    is_observed = points["observed"].to_numpy(dtype=bool)
    simulated, observed = points[~is_observed], points[is_observed]
    styles = model_styles(sorted(simulated["label"].unique()))
    ax = new_axes(ax, WIDTH, 0.75 * WIDTH)
    _draw_simulated(ax, simulated, styles)
    if len(observed):
        ax.plot(
            observed["x"], observed["y"], linestyle="", marker="*", markersize=15, color=HIGHLIGHT,
            markeredgecolor="black", markeredgewidth=1.6, zorder=5, gid="observed",
            label="observed network",
        )  # fmt: skip
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(xticks=[], yticks=[])
    legend = ax.legend(ncols=4, **axes.ABOVE)
    for handle in legend.legend_handles[: len(styles)]:
        handle.set(sizes=[36], alpha=1)  # type: ignore[union-attr]
    if hasattr(embedded, "distance_correlation"):
        ax.set_xlabel(
            f"distances in the plane and between {len(embedded.features)} features: correlation "
            f"{embedded.pearson:.2f}, distance correlation {embedded.distance_correlation:.2f}",
            fontsize=SMALL + 1, color=GREY,
        )  # fmt: skip
    return ax


def _draw_simulated(ax: Axes, simulated: pd.DataFrame, styles: Mapping[str, SeriesStyle]) -> None:
    """Draw the points in eight mixed batches, so that no model hides another."""
    size = float(np.clip(9000 / max(len(simulated), 1), 5, 40))
    shuffled = simulated.sample(frac=1, random_state=0)
    step = max(1, len(shuffled) // 8)
    for start in range(0, len(shuffled), step):
        batch = shuffled.iloc[start : start + step]
        for name, style in styles.items():
            own = batch[batch["label"] == name]
            ax.scatter(
                own["x"], own["y"], s=size, marker=style.marker, color=style.colour, alpha=0.6,
                linewidth=0, gid=f"model {name}", label=str(name) if start == 0 else None,
            )  # fmt: skip
    for name, own in simulated.groupby("label"):
        ax.text(
            own["x"].median(), own["y"].median(), str(name), ha="center", va="center", zorder=4,
            fontweight="bold", path_effects=halo(3),
        )  # fmt: skip


def confusion(matrix: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a confusion matrix: the true model of held-out simulations against the predicted one.

    The shade of a cell is its share of the row; the number is the count.

    Parameters
    ----------
    matrix : DataFrame
        Counts, with the true models as index and the predicted models as columns.
    ax : Axes, optional

    Examples
    --------
    >>> names = ["dmc", "dmr"]
    >>> ax = confusion(pd.DataFrame([[97, 3], [5, 95]], index=names, columns=names))
    >>> [text.get_text() for text in ax.texts]
    ['97', '3', '5', '95']
    """
    counts = matrix.to_numpy(dtype=np.float64)
    if not counts.size:
        raise UsageError(f"a matrix of shape {counts.shape}; expected at least one model")
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    side = 1.7 + 0.62 * len(matrix)
    ax = new_axes(ax, side + 0.6, side)
    mesh = ax.imshow(shares, vmin=0, vmax=1, cmap="Blues")
    for (row, column), share in np.ndenumerate(shares):
        ax.text(
            column, row, f"{counts[row, column]:.0f}", ha="center", va="center", fontsize=SMALL + 1,
            color="white" if share > 0.6 else "black",
        )  # fmt: skip
    ax.set_xticks(range(matrix.shape[1]), map(str, matrix.columns), fontsize=SMALL + 1)
    ax.set_yticks(range(len(matrix)), map(str, matrix.index), fontsize=SMALL + 1)
    if matrix.shape[1] > 4:
        ax.tick_params(axis="x", rotation=45)
    ax.set(xlabel="predicted model", ylabel="true model")
    ax.get_figure().colorbar(mesh, ax=ax, label="share of the true model")  # type: ignore[union-attr]
    return ax


def reliability(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a reliability diagram: observed frequency against predicted probability.

    On the diagonal, predictions with probability 0.8 are correct in 80 % of cases. The area of a
    point grows with the number of predictions. The line through a point spans two standard errors
    on either side.

    Parameters
    ----------
    table : DataFrame
        One row for each bin: ``predicted`` (mean predicted probability), ``observed`` (observed
        frequency) and ``n`` (number of predictions).
    ax : Axes, optional

    Examples
    --------
    >>> table = pd.DataFrame({"predicted": [0.1, 0.9], "observed": [0.12, 0.88], "n": [50, 70]})
    >>> reliability(table).get_ylabel()
    'observed frequency'
    """
    bins = reliability_bins(table)
    ax = new_axes(ax, 0.62 * WIDTH, 0.62 * WIDTH)
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="perfectly calibrated")
    ax.vlines(bins.predicted, bins.low, bins.high, color=BLUE, linewidth=1.2, gid="error")
    ax.plot(bins.predicted, bins.observed, color=BLUE, linewidth=0.8, alpha=0.6)
    area = 15 + 120 * bins.n / bins.n.max(initial=1)
    ax.scatter(bins.predicted, bins.observed, s=area, color=BLUE, zorder=3, gid="reliability")
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    ax.set(xlabel="predicted probability", ylabel="observed frequency")
    ax.grid(alpha=0.3)
    ax.legend(loc="upper left", **PLAIN)
    return ax


def choice_drawings(choice: Choice) -> dict[str, Callable[[], Any]]:
    """Return, by name, the functions that draw the figures of a choice; see :func:`draw_choice`.

    Examples
    --------
    >>> import netchoice
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> choice = netchoice.choose_model(network, "ba", samples=100, features=["degree_mean"],
    ...                                 plan=netchoice.workflows.SimulationPlan.small(), engine="serial")
    >>> list(choice_drawings(choice))[:3]
    ['probabilities', 'features', 'embedding']
    """
    evidence = choice.evidence
    table, selection = evidence.table, evidence.selection
    compared = {name: choice.probabilities[name] for name in choice.intervals}
    costs = selection.costs.only(selection.table.features)
    drawings: dict[str, Callable[[], Any]] = {
        "probabilities": partial(probabilities, compared, choice.intervals),
        "features": partial(
            feature_distributions, table.X, table.y, choice.features, choice.features
        ),
        "embedding": lambda: embedding(evidence.embedding),
        "confusion": partial(confusion, choice.confusion),
        "reliability": partial(reliability, evidence.held_out.reliability),
        "costs": partial(feature_costs, costs),
    }
    for model, name in file_names(evidence.quality).items():
        suffix = "" if model == choice.model else f"-{name}"
        known, quality = evidence.posteriors[model], evidence.quality[model]
        finite = {key: ends for key, ends in known.bounds.items() if np.isfinite(ends).all()}
        draws, intervals = known.posterior.draws, known.posterior.intervals
        drawings[f"parameters{suffix}"] = partial(
            posteriors, draws, intervals=intervals, priors=finite, model=model
        )
        drawings[f"ranks{suffix}"] = partial(
            rank_histograms, quality.ranks, quality.n_draws, model=model
        )
    if selection.evaluation is not None and selection.point is not None:
        point = {"cost_shared": selection.point.cost, "accuracy": selection.point.accuracy}
        drawings["accuracy-against-cost"] = partial(pareto, selection.evaluation, point=point)
    for model, name in file_names(evidence.misfit).items():
        if evidence.misfit[model].panels:  # a time limit can leave them out
            drawings[f"fit-{name}"] = partial(fit, evidence.misfit[model].panels, model=model)
    return drawings


def draw_choice(choice: Choice, folder: str | PathLike[str], *, format: str = "png") -> list[Path]:
    """Draw the figures of a choice and return the paths of the files.

    The figures show the model probabilities, the features, the embedding, the confusion matrix, the
    reliability diagram and the costs; accuracy against cost if features were selected; the fit of each
    model (``fit-MODEL.png``) if it was examined; posteriors (``parameters.png``) and ranks of true values
    (``ranks.png``) if the named model has parameters, and the same for other models that fit
    (``parameters-MODEL.png``, ``ranks-MODEL.png``).

    Parameters
    ----------
    choice : Choice, as :func:`netchoice.choose_model` returned it
    folder : path, created if it does not exist
    format : "png", "svg" or "pdf"

    Examples
    --------
    >>> import netchoice, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> choice = netchoice.choose_model(network, "ba", samples=100, features=["degree_mean"],
    ...                                 plan=netchoice.workflows.SimulationPlan.small(), engine="serial")
    >>> [path.stem for path in draw_choice(choice, tempfile.mkdtemp())][:2]
    ['probabilities', 'features']
    """
    return axes.save_all(choice_drawings(choice), folder, format)
