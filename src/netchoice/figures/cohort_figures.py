"""Figures of a cohort: verdicts, models, families, probabilities, parameters and the embedding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from netchoice.choice.cohort_frame import FITTING, CohortFrame, ParameterOfModel
from netchoice.choice.cohort_summary import MIN_NETWORKS, parameter_trends
from netchoice.figures.axes import (
    SMALL,
    WIDTH,
    add_tooltips,
    check_columns,
    halo,
    legend_above,
    new_axes,
    save_all,
    short,
    size_in_inches,
    small_panels,
    text_at_right,
)
from netchoice.figures.embeddings import make_plane, write_names
from netchoice.figures.style import (
    MARKERS,
    OTHER_MODELS,
    SeriesStyle,
    model_styles,
    series_styles,
)
from netchoice.inference.mds import Embedding, embed
from netchoice.validation import file_names

#: Features X and models y of the simulations, by the text of the reference.
Simulations = Mapping[str, tuple[pd.DataFrame, Any]]

ALL = "all networks"
MOST_POINTS = 5000  # in one figure
MOST_ROWS = 1000  # of networks in the figure of probabilities
MOST_NAMED = 30  # networks whose names this figure has
MOST_GROUPS, MOST_PANELS, MOST_EMBEDDINGS = 15, 9, 6
MOST_MODELS = 12
MOST_DESCRIBED = 300  # networks with tooltips in a figure
MOST_LACKING = 0.1  # share of networks that may lack a feature of the embedding


class CategoryStyle(NamedTuple):
    """Colour, marker and pattern of one verdict, model or family."""

    colour: str
    marker: str
    hatch: str


_HATCHES = ("", "//", "\\\\", "++", "||")
#: Verdicts that name no model, and their greys next to the colours of models.
UNNAMED = {
    "several-fit": "#D2D5D9", "borderline": "#B4B9BF", "open": "#9AA0A6", "none-fits": "#4D5359"
}  # fmt: skip
SEVERAL = "several families"


def _with_patterns(styles: Mapping[str, SeriesStyle]) -> dict[str, CategoryStyle]:
    return {
        name: CategoryStyle(style.colour, style.marker, _HATCHES[i % len(_HATCHES)])
        for i, (name, style) in enumerate(styles.items())
    }


_COLOURED = _with_patterns(
    series_styles(("one-fits", "borderline", "several-fit", "none-fits", "open"))
)
VERDICT_STYLES = {
    kind: _COLOURED[kind] for kind in ("one-fits", "several-fit", "borderline", "open", "none-fits")
}


def cohort_styles(cohort: CohortFrame) -> dict[str, SeriesStyle]:
    """Return the style of each model in all figures; the most probable models differ most."""
    totals = cohort.answered[[f"probability_{model}" for model in cohort.models]].sum()
    order = totals.sort_values(ascending=False, kind="stable").index
    return model_styles(name.removeprefix("probability_") for name in order)


def category_styles(
    models: Sequence[str], styles: Mapping[str, SeriesStyle]
) -> dict[str, CategoryStyle]:
    """Return the styles of models, and those of the verdicts that name no model."""
    others = {kind: VERDICT_STYLES[kind]._replace(colour=grey) for kind, grey in UNNAMED.items()}
    named = [name for name in models if name not in others]
    return (
        _with_patterns(model_styles(named) | {n: styles[n] for n in named if n in styles}) | others
    )


def family_styles(families: Sequence[str]) -> dict[str, CategoryStyle]:
    """Return the styles of families, of networks with several, and of verdicts without any."""
    others = category_styles((), {})
    others = {SEVERAL: others.pop("several-fit"), **others}
    return _with_patterns(series_styles([name for name in families if name not in others])) | others


def verdict_counts(cohort: CohortFrame) -> pd.DataFrame:
    """Return the number of networks by group (rows, after all networks) and verdict (columns)."""
    return _counts(cohort, cohort.answered["verdict"], list(VERDICT_STYLES))


def model_counts(cohort: CohortFrame) -> pd.DataFrame:
    """Return the number of networks by group and named model, or the verdict that names none."""
    counts = _counts(cohort, cohort.named, [*cohort.models, *UNNAMED])
    models = _most_frequent(counts[list(cohort.models)], counts.iloc[0])
    return pd.concat([models, counts[list(UNNAMED)]], axis=1)


def family_counts(cohort: CohortFrame) -> pd.DataFrame | None:
    """Return the number of networks by group and family; None if families say no more than models.

    A network has a family if a model fits and the models of this family have a probability of at least
    0.95 together.
    """
    rows = cohort.answered
    fitting = rows["verdict"].isin(FITTING)
    family = rows["family"].where(rows["family"] != "", SEVERAL).where(fitting, rows["verdict"])
    known = family[fitting & (family != SEVERAL)]
    if not (rows.loc[known.index, "verdict"] == "several-fit").any():
        return None
    order = [*known.value_counts().index, SEVERAL, *list(UNNAMED)[1:]]
    return _counts(cohort, family, order)


def _most_frequent(values: pd.DataFrame, totals: pd.Series) -> pd.DataFrame:
    """Return the columns of the models with the largest totals, and the sum of the others."""
    if values.shape[1] <= MOST_MODELS + 1:
        return values
    kept = {*totals[values.columns].nlargest(MOST_MODELS).index}
    rest = [name for name in values if name not in kept]
    others = values[rest].sum(axis=1).rename(f"{len(rest)}{OTHER_MODELS}")
    return pd.concat([values.drop(columns=rest), *([others] if others.any() else [])], axis=1)


def _counts(cohort: CohortFrame, categories: pd.Series, order: list[str]) -> pd.DataFrame:
    groups = cohort.group[categories.index]
    shown = cohort.groups[:MOST_GROUPS]
    rest = len(cohort.groups) - len(shown)
    groups = groups.where(groups.isin(shown), f"{rest} other groups") if rest else groups
    by_group = pd.crosstab(groups, categories).reindex(columns=order, fill_value=0)
    names = [name for name in [*shown, f"{rest} other groups"] if name in by_group.index]
    total = by_group.sum().to_frame(ALL).T
    return pd.concat([total, by_group.loc[names]]) if cohort.groups else total


@dataclass(frozen=True)
class SortedProbabilities:
    """Probabilities (n, models) of networks, by group and most probable model.

    ``styles`` holds the style of each model. ``spans`` holds the first and the last position of each group;
    it is empty if there are too many groups to sort by. ``n_all`` is the number of networks of which these
    are an even sample, and ``n_without`` the number of others: no model fits them.
    """

    ids: list[str]
    values: pd.DataFrame
    styles: dict[str, SeriesStyle]
    spans: dict[str, tuple[int, int]]
    n_all: int
    n_without: int

    @property
    def runs(self) -> list[tuple[int, int, str]]:
        """The first and the last position of networks with the same most probable model, and this model."""
        top = self.values.idxmax(axis=1)
        number = (top != top.shift()).cumsum()
        return [
            (int(own.index[0]), int(own.index[-1]), str(own.iloc[0]))
            for _, own in top.groupby(number)
        ]


def sorted_probabilities(cohort: CohortFrame) -> SortedProbabilities:
    """Return the probabilities of all networks that a model may fit, or of an even sample of many."""
    columns = {f"probability_{model}": model for model in cohort.models}
    values = cohort.answered[list(columns)].rename(columns=columns).astype(float).fillna(0.0)
    values = values[values.sum(axis=1) > 0]
    values = _most_frequent(values, values.sum())
    groups = cohort.group[values.index]
    shown = cohort.groups if len(cohort.groups) <= MOST_GROUPS else []
    place = {name: i for i, name in enumerate(shown)}
    top = values.to_numpy().argmax(axis=1) if len(values) else np.empty(0, dtype=int)
    order = np.lexsort((-values.max(axis=1), top, groups.map(place).fillna(0)))
    chosen = thin(order, min(MOST_ROWS, MOST_POINTS // max(1, values.shape[1])))
    rows = values.iloc[chosen]
    at = pd.Series(range(len(rows))).groupby(groups.loc[rows.index].to_numpy(), sort=False)
    ends = at.agg(["min", "max"]) if shown else pd.DataFrame(columns=["min", "max"])
    spans = {str(name): (int(first), int(last)) for name, first, last in ends.itertuples()}
    ids = cohort.frame.loc[rows.index, "id"].tolist()
    styles = model_styles(list(rows)) | cohort_styles(cohort)
    return SortedProbabilities(
        ids, rows.reset_index(drop=True), {name: styles[name] for name in rows}, spans, len(values),
        len(cohort.answered) - len(values),
    )  # fmt: skip


def thin(values: NDArray[Any], most: int) -> NDArray[Any]:
    """Return at most this many of the values, evenly spaced.

    >>> thin(np.arange(10), 4).tolist()
    [0, 3, 6, 9]
    """
    if len(values) <= most:
        return values
    chosen = np.linspace(0, len(values) - 1, most).round().astype(int)
    return np.asarray(values[chosen])


@dataclass(frozen=True)
class ParameterPanel:
    """Estimates of one parameter by group, or against a numeric covariate.

    ``rows`` has the columns ``x``, ``median``, ``lower``, ``upper`` and ``id``; ``ticks`` maps groups to
    positions, and is empty for a covariate.
    """

    model: str
    parameter: str
    covariate: str
    colour: str
    rows: pd.DataFrame
    ticks: dict[str, float]
    n_all: int


def parameter_panels(
    cohort: CohortFrame, trends: Sequence[Mapping[str, Any]]
) -> list[ParameterPanel]:
    """Return each parameter by group, then against the numeric covariates with the smallest p-values."""
    panels = [_by_group(cohort, each) for each in cohort.parameters]
    for trend in trends:
        if trend["test"] == "Spearman":
            each = ParameterOfModel(trend["model"], trend["parameter"])
            panels.append(_against(cohort, each, trend["covariate"]))
    return [panel for panel in panels if panel.n_all >= MIN_NETWORKS][:MOST_PANELS]


def _by_group(cohort: CohortFrame, parameter: ParameterOfModel) -> ParameterPanel:
    """Return networks sorted by the median within their group; each group is one unit wide."""
    rows = cohort.estimates(parameter)
    groups = cohort.group[rows.index]
    present = set(groups)
    shown = [name for name in cohort.groups if name in present][:MOST_GROUPS] or [ALL]
    ticks = {name: float(i) for i, name in enumerate(shown)}
    start = groups.map(ticks).astype(float) if cohort.groups else pd.Series(0.0, index=rows.index)
    rows, start = rows[start.notna()], start.dropna()
    rank = rows["median"].groupby(start).rank(method="first")
    size = start.groupby(start).transform("size")
    rows = rows.assign(x=start + 0.8 * ((rank - 0.5) / size - 0.5))
    return _panel(cohort, parameter, "group", rows, ticks)


def _against(cohort: CohortFrame, parameter: ParameterOfModel, name: str) -> ParameterPanel:
    rows = cohort.estimates(parameter)
    rows = rows.assign(x=cohort.frame.loc[rows.index, name].astype(float))
    return _panel(cohort, parameter, name, rows.dropna(), {})


def _panel(
    cohort: CohortFrame, parameter: ParameterOfModel, covariate: str, rows: pd.DataFrame,
    ticks: dict[str, float],
) -> ParameterPanel:  # fmt: skip
    chosen = rows.loc[thin(rows.sort_values("x").index.to_numpy(), MOST_POINTS // MOST_PANELS)]
    chosen = chosen.assign(id=cohort.frame.loc[chosen.index, "id"])
    colour = cohort_styles(cohort)[parameter.model].colour
    return ParameterPanel(*parameter, covariate, colour, chosen, ticks, len(rows))


@dataclass(frozen=True)
class CohortEmbedding:
    """Networks that share a reference, among its simulations.

    ``networks`` has the columns ``x``, ``y``, ``id``, ``group``, ``verdict`` and ``probable``; ``n_all`` is
    the number of networks with this reference, ``n_lacking`` of those without a value of some feature.
    """

    reference: str
    embedding: Embedding
    networks: pd.DataFrame
    n_all: int
    n_lacking: int

    @property
    def simulated(self) -> pd.DataFrame:
        """Positions and labels of the simulations."""
        return self.embedding.points[~self.embedding.points["observed"]]


def cohort_embeddings(
    cohort: CohortFrame, features: pd.DataFrame, simulations: Simulations
) -> list[CohortEmbedding]:
    """Return an embedding for each of the references with the most networks, at most six."""
    if not len(cohort.answered) or not simulations:
        return []
    known = check_columns(features, ("id",), "table of features")
    known = known.assign(id=known["id"].astype(str)).drop_duplicates("id").set_index("id")
    counts = cohort.answered["reference"].value_counts()
    references = [str(name) for name in counts.index if name in simulations][:MOST_EMBEDDINGS]
    made = (_embedding(cohort, known, name, *simulations[name]) for name in references)
    return [each for each in made if each is not None]


def _embedding(
    cohort: CohortFrame, features: pd.DataFrame, reference: str, X: pd.DataFrame, y: Any
) -> CohortEmbedding | None:
    rows = cohort.answered[cohort.answered["reference"] == reference]
    names = [name for name in X.columns if name in features and X[name].notna().all()]
    own = features[names].reindex(rows["id"]).set_axis(rows.index, axis=0).astype(float)
    own = own.replace([np.inf, -np.inf], np.nan).dropna(how="all")
    own = own.loc[:, own.isna().mean() <= MOST_LACKING].dropna()
    if not own.size or len(X) < 3:
        return None
    kept = own.loc[thin(own.index.to_numpy(), MOST_POINTS // 2)]
    sample = thin(np.arange(len(X)), MOST_POINTS // 2)
    embedding = embed(X[list(kept)].iloc[sample], np.asarray(y)[sample], kept)
    points = embedding.points[embedding.points["observed"]].set_axis(kept.index, axis=0)
    described = cohort.frame.loc[kept.index, ["id", "group", "verdict", "probable"]]
    networks = points[["x", "y"]].join(described)
    return CohortEmbedding(reference, embedding, networks, len(rows), len(rows) - len(own))


def group_bars(
    counts: pd.DataFrame, styles: Mapping[str, CategoryStyle], ax: Axes | None = None
) -> Axes:
    """Draw a bar for each group, a row of ``counts``, divided by category."""
    ax = new_axes(ax, WIDTH, 1.2 + 0.36 * len(counts))
    sizes = counts.sum(axis=1)
    left = np.zeros(len(counts))
    for name, style in styles.items():
        shares = (counts[name] / sizes.clip(lower=1)).to_numpy()
        if not shares.any():
            continue
        bars = ax.barh(
            range(len(counts)), shares, left=left, height=0.66, color=style.colour, label=short(name),
            hatch=style.hatch, edgecolor="white", linewidth=0.8, gid=f"category {name}",
        )  # fmt: skip
        for y, (bar, share, n) in enumerate(zip(bars, shares, counts[name], strict=True)):
            text = f"{counts.index[y]}, {name}: {n} of {sizes.iloc[y]} ({share:.0%})"
            add_tooltips(bar, [text])
            if share > 0.03:
                ax.text(
                    left[y] + share / 2, y, str(n), ha="center", va="center", path_effects=halo(3)
                )
        left += shares
    ax.set_yticks(range(len(counts)), [f"{short(name, 24)} ({n})" for name, n in sizes.items()])
    ax.set(xlim=(0, 1), ylim=(len(counts) - 0.4, -0.6), xlabel="share of the networks")
    if left.any():
        legend_above(ax)
    return ax


def probability_rows(data: SortedProbabilities, ax: Axes | None = None) -> Axes:
    """Draw the probabilities of each network as a stacked bar, with the names of networks or groups."""
    ax = new_axes(ax, WIDTH, probability_height(data))
    n = len(data.values)
    edges, left = np.arange(n + 1) - 0.5, np.zeros(n)
    middles = {}
    for name, style in data.styles.items():
        right = left + data.values[name].to_numpy()
        ax.stairs(
            right, edges, baseline=left, fill=True, orientation="horizontal", color=style.colour,
            label=short(name), gid=f"model {name}",
        )  # fmt: skip
        middles[name], left = (left + right) / 2, right
    ax.set(xlim=(0, 1), ylim=(edges[-1], edges[0]), xlabel="probability")
    _write_runs(ax, data, middles)
    if n <= MOST_DESCRIBED:
        bars = ax.barh(range(n), 1.0, 1.0, color="black", alpha=0.001)
        for bar, name, (_, row) in zip(bars, data.ids, data.values.iterrows(), strict=True):
            largest = row.nlargest(3)
            texts = (f"{model} {value:.3f}" for model, value in largest[largest > 0].items())
            add_tooltips(bar, [f"{name}: {', '.join(texts)}"])
    spans = {short(name, 16): ends for name, ends in data.spans.items()}
    for _, last in list(spans.values())[:-1]:
        ax.axhline(last + 0.5, color="black", linewidth=1.5, path_effects=halo(3))
    if n <= MOST_NAMED:
        ax.set_yticks(range(n), [short(name, 16) for name in data.ids])
        for name, ends in spans.items():
            text_at_right(ax, sum(ends) / 2, name, 3, fontsize=SMALL)
    else:
        ax.set_yticks([sum(ends) / 2 for ends in spans.values()], list(spans))
        ax.set_ylabel("networks by group" if spans else "networks")
    ax.tick_params(axis="y", length=0)
    legend_above(ax)
    return ax


def probability_height(data: SortedProbabilities) -> float:
    """Return the height of the figure of probabilities in inches."""
    n_models, n = len(data.styles), len(data.ids)
    return 0.2 * -(-n_models // 4) + (0.7 + 0.17 * n if n <= MOST_NAMED else 3.2)


def _write_runs(ax: Axes, data: SortedProbabilities, middles: Mapping[str, NDArray[Any]]) -> None:
    """Write the name of the most probable model on networks that have it in common."""
    points = 72 * size_in_inches(ax)[1] / len(data.values)
    for first, last, model in data.runs:
        own = slice(first, last + 1)
        is_wide = data.values[model].iloc[own].mean() > 0.2
        if is_wide and points * (last - first + 1) > SMALL:
            ax.text(
                middles[model][own].mean(), (first + last) / 2, short(model, 20), ha="center",
                va="center", fontsize=SMALL, path_effects=halo(3),
            )  # fmt: skip


def draw_panel(ax: Axes, panel: ParameterPanel) -> None:
    """Draw the medians and intervals of one parameter."""
    rows, colour = panel.rows, panel.colour
    ax.vlines(rows["x"], rows["lower"], rows["upper"], color=colour, alpha=0.35, linewidth=1)
    (medians,) = ax.plot(rows["x"], rows["median"], "o", color=colour, markersize=3, gid="medians")
    if len(rows) <= MOST_DESCRIBED:
        add_tooltips(medians, (
            f"{one['id']}: {one['median']:.3g} ({one['lower']:.3g} to {one['upper']:.3g})"
            for one in rows.to_dict("records")
        ))  # fmt: skip
    ax.set_ylabel(f"{short(panel.model, 20)} {short(panel.parameter, 20)}")
    ax.set_xlabel(short(panel.covariate))
    ax.tick_params(labelsize=SMALL)
    if panel.ticks:
        turn: dict[str, Any] = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
        names = [short(name, 14) for name in panel.ticks]
        ax.set_xticks(list(panel.ticks.values()), names, **(turn if len(names) > 3 else {}))
        ax.set_xlim(-0.5, len(panel.ticks) - 0.5)


def embedding_map(data: CohortEmbedding, ax: Axes | None = None) -> Axes:
    """Draw the networks of one reference by verdict, among the simulations of each model."""
    ax = new_axes(ax, WIDTH, 0.75 * WIDTH)
    scale = np.sqrt(size_in_inches(ax)[0] / WIDTH)
    for i, (name, own) in enumerate(data.simulated.groupby("label")):
        ax.plot(
            own["x"], own["y"], linestyle="", marker=MARKERS[i % len(MARKERS)], color="0.6",
            markersize=3 * scale, alpha=0.5, fillstyle="none", label=f"{short(name, 20)} (simulated)",
            gid=f"model {name}",
        )  # fmt: skip
    write_names(ax, data.simulated)
    for kind, style in VERDICT_STYLES.items():
        own = data.networks[data.networks["verdict"] == kind]
        if len(own):
            (markers,) = ax.plot(
                own["x"], own["y"], linestyle="", marker=style.marker, color=style.colour,
                markersize=7 * scale, markeredgecolor="black", markeredgewidth=0.8, label=kind,
                gid=f"verdict {kind}",
            )  # fmt: skip
            columns = (own[name] for name in ("id", "group", "probable"))
            add_tooltips(markers, (
                f"{name}{f', {group}' if group else ''}: {kind}{f', {models}' if models else ''}"
                for name, group, models in zip(*columns, strict=True)
            ))  # fmt: skip
    make_plane(ax)
    legend_above(ax)
    return ax


def cohort_drawings(
    answers: pd.DataFrame,
    features: pd.DataFrame | None = None,
    simulations: Simulations | None = None,
) -> dict[str, Callable[[], Any]]:
    """Return, by name, the functions that draw the figures of a cohort.

    The figures show verdicts, named models and families by group, the probabilities of all networks, the
    parameters by group and against covariates if enough networks have estimates, and for each shared
    reference the networks among its simulations.

    Parameters
    ----------
    answers : DataFrame, as for :func:`netchoice.choice.cohort_summary.summarise_cohort`
    features : DataFrame, optional
        ``id`` and the features of each network.
    simulations : mapping, optional
        By the text of the reference: features X and models y of its simulations.

    Examples
    --------
    >>> answers = pd.DataFrame({"id": list("ab"), "model": "dmc", "verdict": "one-fits",
    ...     "probability_dmc": 1.0, "lower_dmc": 0.9, "upper_dmc": 1.0, "fit_p_dmc": 0.5})
    >>> drawings = cohort_drawings(answers)
    >>> list(drawings)
    ['verdicts', 'models', 'probabilities']
    >>> [text.get_text() for text in drawings["verdicts"]().texts]
    ['2']
    """
    cohort = CohortFrame.of(answers)
    drawings: dict[str, Callable[[], Any]] = {}
    if len(cohort.answered):
        named, probabilities = model_counts(cohort), sorted_probabilities(cohort)
        drawings["verdicts"] = partial(group_bars, verdict_counts(cohort), VERDICT_STYLES)
        drawings["models"] = partial(
            group_bars, named, category_styles(list(named), cohort_styles(cohort))
        )
        families = family_counts(cohort)
        if families is not None:
            drawings["families"] = partial(group_bars, families, family_styles(list(families)))
        if probabilities.values.size:
            drawings["probabilities"] = partial(probability_rows, probabilities)
        if panels := parameter_panels(cohort, parameter_trends(cohort)[0]):
            drawings["parameters"] = partial(_parameters, panels)
    if features is not None and simulations:
        found = cohort_embeddings(cohort, features, simulations)
        names = file_names(each.reference for each in found)
        for each in found:
            drawings[f"embedding-{names[each.reference]}"] = partial(embedding_map, each)
    return drawings


def _parameters(panels: Sequence[ParameterPanel]) -> NDArray[Any]:
    drawn, _ = small_panels(len(panels), 3, 2.4)
    for ax, panel in zip(drawn, panels, strict=True):
        draw_panel(ax, panel)
    return drawn


def draw_cohort(
    answers: pd.DataFrame,
    folder: str | PathLike[str],
    features: pd.DataFrame | None = None,
    simulations: Simulations | None = None,
    *,
    format: str = "png",
) -> list[Path]:
    """Draw the figures of a cohort and return the paths of the files.

    ``folder`` is created if it does not exist; ``format`` is "png", "svg" or "pdf". The other parameters
    are those of :func:`cohort_drawings`.

    >>> import tempfile
    >>> answers = pd.DataFrame({"id": list("ab"), "model": "dmc", "verdict": "one-fits",
    ...     "probability_dmc": 1.0, "lower_dmc": 0.9, "upper_dmc": 1.0, "fit_p_dmc": 0.5})
    >>> [path.name for path in draw_cohort(answers, tempfile.mkdtemp())]
    ['verdicts.png', 'models.png', 'probabilities.png']
    """
    return save_all(cohort_drawings(answers, features, simulations), folder, format)
