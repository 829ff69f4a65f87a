"""Figures of a cohort: outcomes by group, parameters, and networks among simulations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from netchoice.choice.cohort_frame import CohortFrame, ParameterOfModel
from netchoice.choice.cohort_summary import (
    FAMILY,
    IN_WORDS,
    MIN_NETWORKS,
    SEVERAL,
    outcomes,
)
from netchoice.figures.axes import (
    SMALL,
    WIDTH,
    Panel,
    check_columns,
    draw_panels,
    halo,
    legend_above,
    new_axes,
    short,
)
from netchoice.figures.embeddings import embedding
from netchoice.figures.style import SeriesStyle, model_styles, series_styles
from netchoice.inference.mds import Embedding, embed

ALL = "all networks"
MOST_POINTS = 5000  # in one figure
MOST_GROUPS, MOST_PANELS = 15, 9
MOST_NAMED, OTHERS = (
    9,
    "other models",
)  # models and families in the bars, and what the rest is called
MOST_LACKING = 0.1  # share of networks that may lack a feature of the embedding
#: Greys of outcomes that name neither a model nor a family.
UNNAMED = {
    OTHERS: "#6F757C",
    SEVERAL: "#D2D5D9",
    "borderline": "#B4B9BF",
    "open": "#9AA0A6",
    "none-fits": "#4D5359",
}
_HATCHES = ("", "//", "\\\\", "++", "||")


def cohort_styles(cohort: CohortFrame) -> dict[str, SeriesStyle]:
    """Return the style of each model in all figures; the most probable models differ most."""
    totals = cohort.answered[[f"probability_{model}" for model in cohort.models]].sum()
    order = totals.sort_values(ascending=False, kind="stable").index
    return model_styles(name.removeprefix("probability_") for name in order)


# Outcomes


def outcome_counts(cohort: CohortFrame) -> pd.DataFrame:
    """Return the number of networks by group (rows, after all networks) and outcome (columns)."""
    found = outcomes(cohort)
    families = dict.fromkeys(name for name in found if name.startswith(FAMILY))
    groups, shown = cohort.group[found.index], cohort.groups[:MOST_GROUPS]
    rest = f"{len(cohort.groups) - len(shown)} other groups"
    groups = groups.where(groups.isin(shown), rest) if len(cohort.groups) > len(shown) else groups
    order = [*cohort.models, *families, *UNNAMED]
    by_group = pd.crosstab(groups, found).reindex(columns=order, fill_value=0)
    names = [name for name in [*shown, rest] if name in by_group.index]
    total = by_group.sum().to_frame(ALL).T
    counts = pd.concat([total, by_group.loc[names]]) if cohort.groups else total
    named = counts.iloc[0].drop(list(UNNAMED)).sort_values(ascending=False, kind="stable")
    rare = list(named.index[MOST_NAMED - 1 :]) if (named > 0).sum() > MOST_NAMED else []
    counts = counts.assign(**{OTHERS: counts[rare].sum(axis=1)}).drop(columns=rare)
    return counts.loc[:, counts.any()]


def outcome_bars(
    counts: pd.DataFrame, styles: Mapping[str, SeriesStyle], ax: Axes | None = None
) -> Axes:
    """Draw a bar for each group, a row of ``counts``, divided by outcome."""
    ax = new_axes(ax, WIDTH, 1.2 + 0.36 * len(counts) + 0.05 * len(counts.columns))
    sizes, left = counts.sum(axis=1), np.zeros(len(counts))
    named = [name for name in counts if name not in UNNAMED]
    known = model_styles(named) | {name: styles[name] for name in named if name in styles}
    colours = {name: style.colour for name, style in known.items()} | UNNAMED
    for i, name in enumerate(counts):
        shares = (counts[name] / sizes.clip(lower=1)).to_numpy()
        bars = ax.barh(
            range(len(counts)), shares, left=left, height=0.66, color=colours[name],
            label=short(IN_WORDS.get(name, name)),
            hatch=_HATCHES[i % len(_HATCHES)], edgecolor="white", linewidth=0.8, gid=f"category {name}",
        )  # fmt: skip
        numbers = [
            str(n) if share > 0.03 else "" for n, share in zip(counts[name], shares, strict=True)
        ]
        ax.bar_label(bars, numbers, label_type="center", path_effects=halo(3))
        left += shares
    ax.set_yticks(range(len(counts)), [f"{short(name, 24)} ({n})" for name, n in sizes.items()])
    ax.set(xlim=(0, 1), ylim=(len(counts) - 0.4, -0.6), xlabel="share of the networks")
    legend_above(ax)
    return ax


def thin(values: NDArray[Any], most: int) -> NDArray[Any]:
    """Return at most this many of the values, evenly spaced.

    >>> thin(np.arange(10), 4).tolist()
    [0, 3, 6, 9]
    """
    if len(values) <= most:
        return values
    chosen = np.linspace(0, len(values) - 1, most).round().astype(int)
    return np.asarray(values[chosen])


# Parameters


def parameter_panels(cohort: CohortFrame, trends: Sequence[Mapping[str, Any]]) -> list[Panel]:
    """Return each parameter by group, then against the numeric covariates with the smallest p-values."""
    wanted = [(each, "group") for each in cohort.parameters]
    wanted += [
        (ParameterOfModel(trend["model"], trend["parameter"]), trend["covariate"])
        for trend in trends
        if trend["test"] == "Spearman"
    ]
    colours = {name: style.colour for name, style in cohort_styles(cohort).items()}
    panels = []
    for each, covariate in wanted:
        rows, ticks = estimates_over(cohort, each, covariate)
        if len(rows) >= MIN_NETWORKS:
            title = f"{each.model} {each.name} by {covariate}"
            draw = partial(_draw_estimates, each, covariate, colours[each.model], rows, ticks)
            panels.append(Panel(title, f"Estimates of {title}.", draw))
    return panels[:MOST_PANELS]


def estimates_over(
    cohort: CohortFrame, parameter: ParameterOfModel, covariate: str
) -> tuple[pd.DataFrame, dict[str, float]]:
    """Return the estimates with ``id`` and their position ``x``, and the positions of groups.

    The position is the value of a numeric covariate. Within a group, which is one unit wide, networks are
    sorted by their median.
    """
    rows, ticks = cohort.estimates(parameter), dict[str, float]()
    rows = rows.assign(id=cohort.frame.loc[rows.index, "id"])
    if covariate != "group":
        return rows.assign(x=cohort.frame.loc[rows.index, covariate].astype(float)).dropna(), ticks
    groups = cohort.group[rows.index]
    shown = [name for name in cohort.groups if (groups == name).any()][:MOST_GROUPS] or [ALL]
    ticks = {name: float(i) for i, name in enumerate(shown)}
    start = groups.map(ticks).astype(float) if cohort.groups else pd.Series(0.0, index=rows.index)
    rows, start = rows[start.notna()], start.dropna()
    rank = rows["median"].groupby(start).rank(method="first")
    size = start.groupby(start).transform("size")
    return rows.assign(x=start + 0.8 * ((rank - 0.5) / size - 0.5)), ticks


def _draw_estimates(
    parameter: ParameterOfModel, covariate: str, colour: str, rows: pd.DataFrame,
    ticks: Mapping[str, float], ax: Axes,
) -> None:  # fmt: skip
    """Draw the medians and intervals of one parameter."""
    rows = rows.loc[thin(rows.sort_values("x").index.to_numpy(), MOST_POINTS // MOST_PANELS)]
    ax.vlines(rows["x"], rows["lower"], rows["upper"], color=colour, alpha=0.35, linewidth=1)
    ax.plot(rows["x"], rows["median"], "o", color=colour, markersize=3, gid="medians")
    ax.set_ylabel(f"{short(parameter.model, 20)} {short(parameter.name, 20)}")
    ax.set_xlabel(short(covariate))
    ax.tick_params(labelsize=SMALL)
    if ticks:
        turn: dict[str, Any] = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
        names = [short(name, 14) for name in ticks]
        ax.set_xticks(list(ticks.values()), names, **(turn if len(names) > 3 else {}))
        ax.set_xlim(-0.5, len(ticks) - 0.5)


# Networks among simulations


def cohort_map(
    cohort: CohortFrame, features: pd.DataFrame, X: pd.DataFrame, y: Any
) -> Embedding | None:
    """Return answered networks by verdict, with tooltips, among simulations; None if features are missing."""
    known = check_columns(features, ("id",), "table of features")
    known = known.assign(id=known["id"].astype(str)).drop_duplicates("id").set_index("id")
    rows = cohort.answered[cohort.answered["id"].isin(known.index)]
    names = [name for name in X.columns if name in known and X[name].notna().all()]
    own = known[names].reindex(rows["id"]).set_axis(rows.index, axis=0).astype(float)
    own = own.replace([np.inf, -np.inf], np.nan).dropna(how="all")
    own = own.loc[:, own.isna().mean() <= MOST_LACKING].dropna()
    if not own.size or len(X) < 3:
        return None
    own = own.loc[thin(own.index.to_numpy(), MOST_POINTS // 2)]
    sample = thin(np.arange(len(X)), MOST_POINTS // 2)
    found = embed(X[list(own)].iloc[sample], np.asarray(y)[sample], own)
    texts = rows.loc[own.index].assign(verdict=lambda row: row["verdict"].map(IN_WORDS))
    is_observed = found.points["observed"]
    points = found.points.assign(tooltip="")
    points.loc[is_observed, "label"] = texts["verdict"].to_numpy()
    points.loc[is_observed, "tooltip"] = [
        ", ".join(filter(None, row))
        for row in texts[["id", "group", "verdict", "probable"]].itertuples(index=False)
    ]
    return replace(found, points=points)


def map_styles(found: Embedding) -> dict[str, SeriesStyle]:
    """Return the styles of a map: simulations are grey, networks have the colour of the verdict."""
    models = found.points.loc[~found.points["observed"], "label"]
    grey = {
        name: style._replace(colour="#999999")
        for name, style in series_styles(dict.fromkeys(models)).items()
    }
    return grey | dict(zip(IN_WORDS.values(), series_styles(IN_WORDS).values(), strict=True))


# All figures of a cohort


def cohort_drawings(
    cohort: CohortFrame, trends: Sequence[Mapping[str, Any]], found: Embedding | None
) -> dict[str, Callable[[], Any]]:
    """Return, by name, the functions that draw the figures of a cohort.

    ``trends`` are the tests of parameters, and ``found`` is what :func:`cohort_map` returns.
    """
    counts, panels = outcome_counts(cohort), parameter_panels(cohort, trends)
    drawings: dict[str, Callable[[], Any]] = {}
    if len(counts.columns):
        drawings["outcomes"] = partial(outcome_bars, counts, cohort_styles(cohort))
    if panels:
        drawings["parameters"] = partial(draw_panels, panels, 2.4, ())
    if found is not None:
        drawings["map"] = partial(embedding, found, styles=map_styles(found))
    return drawings
