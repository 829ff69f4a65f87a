"""Figures of a cohort: verdicts, models, probabilities, parameters and the embedding."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.figures.data.cohort import (
    VERDICT_STYLES,
    CategoryStyle,
    CohortEmbedding,
    ParameterPanel,
    Simulations,
    category_styles,
    cohort_embeddings,
    model_counts,
    parameter_panels,
    sorted_probabilities,
    verdict_counts,
)
from netchoice.figures.static import axes
from netchoice.figures.static.axes import GREY, SMALL, WIDTH, halo, new_axes, small_panels
from netchoice.figures.style import MARKERS, model_colour, model_styles
from netchoice.stores import place
from netchoice.validation import file_names
from netchoice.workflows.answer_rows import CohortFrame
from netchoice.workflows.cohort_summary import parameter_trends

LEGEND_COLUMNS = 4


def cohort_verdicts(answers: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the share of each verdict among the networks of a cohort, overall and by group.

    Parameters
    ----------
    answers : DataFrame, as for :func:`netchoice.workflows.summarise_cohort`
    ax : Axes, optional

    Examples
    --------
    >>> ax = cohort_verdicts(pd.DataFrame({
    ...     "id": list("abc"), "group": ["x", "x", "y"], "model": ["dmc"] * 3,
    ...     "verdict": ["one-fits", "none-fits", "one-fits"]}))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['all networks (3)', 'x (2)', 'y (1)']
    """
    return _group_bars(verdict_counts(CohortFrame.of(answers)), VERDICT_STYLES, ax)


def cohort_models(answers: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw how often each model is named in a cohort, overall and by group.

    A model is named if it fits and is the most probable. Networks for which no model is named keep their
    verdict: undetermined or none-fits.

    Parameters
    ----------
    answers : DataFrame, as for :func:`netchoice.workflows.summarise_cohort`
    ax : Axes, optional

    Examples
    --------
    >>> ax = cohort_models(pd.DataFrame({
    ...     "id": list("abc"), "model": ["dmc"] * 3, "verdict": ["one-fits", "none-fits", "one-fits"],
    ...     "probability_dmc": 1.0, "lower_dmc": 1.0, "upper_dmc": 1.0, "fit_p_dmc": 0.5}))
    >>> [text.get_text() for text in ax.texts]
    ['2', '1']
    """
    cohort = CohortFrame.of(answers)
    counted = model_counts(cohort)
    return _group_bars(counted, category_styles(list(counted)), ax)


def _group_bars(counts: pd.DataFrame, styles: Mapping[str, CategoryStyle], ax: Axes | None) -> Axes:
    ax = new_axes(ax, WIDTH, 1.2 + 0.36 * len(counts))
    sizes = counts.sum(axis=1)
    left = np.zeros(len(counts))
    for name, style in styles.items():
        shares = (counts[name] / sizes.clip(lower=1)).to_numpy()
        if not shares.any():
            continue
        ax.barh(
            range(len(counts)), shares, left=left, height=0.66, color=style.colour, label=name,
            hatch=style.hatch, edgecolor="white", linewidth=0.8, gid=f"category {name}",
        )  # fmt: skip
        for y, (share, n) in enumerate(zip(shares, counts[name], strict=True)):
            if share > 0.03:
                ax.text(
                    left[y] + share / 2, y, str(n), ha="center", va="center", path_effects=halo(3)
                )
        left += shares
    ax.set_yticks(range(len(counts)), [f"{name} ({n})" for name, n in sizes.items()])
    ax.set(xlim=(0, 1), ylim=(len(counts) - 0.4, -0.6), xlabel="share of the networks")
    if left.any():
        ax.legend(ncols=LEGEND_COLUMNS, **axes.ABOVE)
    return ax


def cohort_probabilities(answers: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the probabilities of the models for each network as a stacked column, by group.

    Parameters
    ----------
    answers : DataFrame, as for :func:`netchoice.workflows.summarise_cohort`
    ax : Axes, optional

    Examples
    --------
    >>> ax = cohort_probabilities(pd.DataFrame({
    ...     "id": list("ab"), "model": ["dmc", "dmr"], "verdict": ["one-fits", "one-fits"],
    ...     "probability_dmc": [1.0, 0.0], "lower_dmc": 0.0, "upper_dmc": 1.0, "fit_p_dmc": 0.5,
    ...     "probability_dmr": [0.0, 1.0], "lower_dmr": 0.0, "upper_dmr": 1.0, "fit_p_dmr": 0.5}))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['dmc', 'dmr']
    """
    data = sorted_probabilities(CohortFrame.of(answers))
    if not data.values.size:
        raise UsageError(
            "no network has model probabilities; expected at least one answered network"
        )
    rows = -(-data.values.shape[1] // LEGEND_COLUMNS)
    ax = new_axes(ax, WIDTH, 3.0 + 0.2 * rows)
    edges, bottom = np.arange(len(data.values) + 1) - 0.5, np.zeros(len(data.values))
    for name, style in model_styles(list(data.values)).items():
        top = bottom + data.values[name].to_numpy()
        ax.stairs(
            top, edges, baseline=bottom, fill=True, color=style.colour, label=name, gid=f"model {name}"
        )  # fmt: skip
        bottom = top
    spans = data.spans
    for _, last in list(spans.values())[:-1]:
        ax.axvline(last + 0.5, color="black", linewidth=1.5, path_effects=halo(3))
    ax.set_xticks([sum(ends) / 2 for ends in spans.values()], list(spans))
    if len(spans) > 4:  # long names would overlap
        for text in ax.get_xticklabels():
            text.set(rotation=30, ha="right", rotation_mode="anchor")
    title = "networks by group" if spans else "networks"
    ax.set(xlim=(edges[0], edges[-1]), ylim=(0, 1), xlabel=title, ylabel="probability")
    ax.legend(ncols=LEGEND_COLUMNS, **axes.ABOVE)
    return ax


def cohort_parameters(answers: pd.DataFrame, *, columns: int = 3) -> NDArray[Any]:
    """Draw medians and intervals of parameters by group, and against numeric covariates.

    A parameter is drawn if its model is named for at least five networks.

    Parameters
    ----------
    answers : DataFrame, as for :func:`netchoice.workflows.summarise_cohort`
    columns : int, number of panels in a row

    Examples
    --------
    >>> answers = pd.DataFrame({
    ...     "id": list("abcde"), "model": "dmc", "verdict": "one-fits", "probability_dmc": 1.0,
    ...     "lower_dmc": 0.9, "upper_dmc": 1.0, "fit_p_dmc": 0.5, "age": [1, 2, 3, 4, 5],
    ...     "dmc_p_new_median": [0.1, 0.3, 0.2, 0.4, 0.5], "dmc_p_new_lower": 0.0,
    ...     "dmc_p_new_upper": 0.9})
    >>> [ax.get_xlabel() for ax in cohort_parameters(answers)]
    ['group', 'age']
    """
    cohort = CohortFrame.of(answers)
    panels = parameter_panels(cohort, parameter_trends(cohort)[0])
    if not panels:
        raise UsageError(
            "no parameter has estimates in at least five networks; expected one, to draw it"
        )
    drawn, _ = small_panels(len(panels), columns, 2.4)
    for ax, panel in zip(drawn, panels, strict=True):
        _draw_panel(ax, panel)
    return drawn


def _draw_panel(ax: Axes, panel: ParameterPanel) -> None:
    rows, colour = panel.rows, model_colour(panel.model)
    ax.vlines(rows["x"], rows["lower"], rows["upper"], color=colour, alpha=0.35, linewidth=1)
    ax.plot(rows["x"], rows["median"], "o", color=colour, markersize=3, gid="medians")
    ax.set_ylabel(f"{panel.model} {panel.parameter}")
    ax.set_xlabel(panel.covariate)
    ax.tick_params(labelsize=SMALL)
    if panel.ticks:
        turn: dict[str, Any] = {"rotation": 30, "ha": "right"} if len(panel.ticks) > 4 else {}
        ax.set_xticks(list(panel.ticks.values()), list(panel.ticks), **turn)
        ax.set_xlim(-0.5, len(panel.ticks) - 0.5)


def cohort_embedding(data: CohortEmbedding, *, ax: Axes | None = None) -> Axes:
    """Draw the networks of one chooser by verdict, among the simulations of each model.

    Parameters
    ----------
    data : CohortEmbedding, one of those that ``figures.data.cohort.cohort_embeddings`` returns
    ax : Axes, optional

    Examples
    --------
    >>> from netchoice.figures.data.cohort import cohort_embeddings
    >>> answers = CohortFrame.of(pd.DataFrame({
    ...     "id": list("ab"), "model": "dmc", "verdict": "one-fits", "chooser": "mine"}))
    >>> features = pd.DataFrame({"id": list("ab"), "degree": [2.0, 9.0], "edges": [3.0, 4.0]})
    >>> X = pd.DataFrame({"degree": [1.0, 2, 4, 7], "edges": [1.0, 4, 2, 3]})
    >>> data = cohort_embeddings(answers, features, {"mine": (X, ["dmc", "dmc", "dmr", "dmr"])})
    >>> [text.get_text() for text in cohort_embedding(data[0]).get_legend().get_texts()]
    ['dmc (simulated)', 'dmr (simulated)', 'one-fits']
    """
    ax = new_axes(ax, WIDTH, 0.75 * WIDTH)
    for i, (name, own) in enumerate(data.simulated.groupby("label")):
        ax.plot(
            own["x"], own["y"], linestyle="", marker=MARKERS[i % len(MARKERS)][0], color="0.6",
            markersize=3, alpha=0.5, fillstyle="none", label=f"{name} (simulated)", gid=f"model {name}",
        )  # fmt: skip
        ax.text(
            own["x"].median(), own["y"].median(), str(name), ha="center", va="center", zorder=4,
            fontweight="bold", path_effects=halo(3),
        )  # fmt: skip
    for kind, style in VERDICT_STYLES.items():
        own = data.networks[data.networks["verdict"] == kind]
        if len(own):
            ax.plot(
                own["x"], own["y"], linestyle="", marker=style.marker, color=style.colour,
                markersize=7, markeredgecolor="black", markeredgewidth=0.8, label=kind,
                gid=f"verdict {kind}",
            )  # fmt: skip
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(xticks=[], yticks=[])
    ax.set_xlabel(data.chooser, fontsize=SMALL + 1, color=GREY)
    ax.legend(ncols=LEGEND_COLUMNS, **axes.ABOVE)
    return ax


def draw_cohort(
    answers: pd.DataFrame,
    folder: str | PathLike[str],
    features: pd.DataFrame | None = None,
    simulations: Simulations | None = None,
) -> list[Path]:
    """Draw the figures of a cohort and return the paths of the PNG files.

    The figures show verdicts and named models by group, the probabilities of all networks, the
    parameters if enough networks have estimates, and for each chooser the networks among its simulations.

    Parameters
    ----------
    answers : DataFrame, as for :func:`netchoice.workflows.summarise_cohort`
    folder : path, created if it does not exist
    features : DataFrame, optional
        ``id`` and the features of each network.
    simulations : mapping, optional
        By the text of the chooser: features X and models y of its simulations.

    Examples
    --------
    >>> import tempfile
    >>> answers = pd.DataFrame({"id": list("ab"), "model": "dmc", "verdict": "one-fits",
    ...     "probability_dmc": 1.0, "lower_dmc": 0.9, "upper_dmc": 1.0, "fit_p_dmc": 0.5})
    >>> [path.stem for path in draw_cohort(answers, tempfile.mkdtemp())]
    ['verdicts', 'models', 'probabilities']
    """
    cohort = CohortFrame.of(answers)
    drawn: dict[str, Any] = {}
    if len(cohort.answered):
        drawn = {"verdicts": cohort_verdicts(answers), "models": cohort_models(answers)}
        if sorted_probabilities(cohort).values.size:
            drawn["probabilities"] = cohort_probabilities(answers)
        if parameter_panels(cohort, []):
            drawn["parameters"] = cohort_parameters(answers)
    if features is not None and simulations:
        found = cohort_embeddings(cohort, features, simulations)
        names = file_names(each.chooser for each in found)
        for each in found:
            drawn[f"embedding-{names[each.chooser]}"] = cohort_embedding(each)
    return [axes.save(figure, place(folder) / f"{name}.png") for name, figure in drawn.items()]
