"""What the figures of a cohort show: counts, probabilities, parameters and positions of networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netchoice.figures.data.checks import check_columns
from netchoice.figures.style import OTHER_MODELS, model_styles
from netchoice.inference import Embedding, embed
from netchoice.workflows.answer_rows import NAMING, CohortFrame, ParameterOfModel
from netchoice.workflows.choice_text import VERDICTS
from netchoice.workflows.cohort_summary import MIN_NETWORKS

Floats = NDArray[np.float64]
#: Features X and models y of the simulations, by the text of the chooser.
Simulations = Mapping[str, tuple[pd.DataFrame, Any]]

ALL = "all networks"
MOST_POINTS = 5000  # in one figure
MOST_COLUMNS = 1000  # about the width of a figure in pixels
MOST_GROUPS, MOST_PANELS, MOST_EMBEDDINGS = 15, 9, 6
MOST_MODELS = 12
MOST_LACKING = 0.1  # share of networks that may lack a feature of the embedding


class CategoryStyle(NamedTuple):
    """Style of one verdict or model: colour, and the same marker and pattern for both drawings."""

    colour: str
    marker: str
    symbol: str
    hatch: str
    pattern: str


VERDICT_STYLES = {
    "one-fits": CategoryStyle("#0072B2", "o", "circle", "", ""),
    "several-fit": CategoryStyle("#009E73", "s", "square", "//", "/"),
    "undetermined": CategoryStyle("#9AA0A6", "D", "diamond", "..", "."),
    "none-fits": CategoryStyle("#D55E00", "^", "triangle-up", "xx", "x"),
}
#: Verdicts that name no model, and their colours next to those of models.
UNNAMED = {"undetermined": "#9AA0A6", "none-fits": "#4D5359"}
_PATTERNS = (
    ("", ""),
    ("//", "/"),
    ("..", "."),
    ("\\\\", "\\"),
    ("++", "+"),
    ("--", "-"),
    ("||", "|"),
)


def category_styles(models: Sequence[str]) -> dict[str, CategoryStyle]:
    """Return the styles of the models, and those of the verdicts that name no model."""
    styles = {
        name: CategoryStyle(style.colour, style.marker, style.symbol, *_PATTERNS[i % len(_PATTERNS)])
        for i, (name, style) in enumerate(model_styles(models).items())
    }  # fmt: skip
    others = {kind: VERDICT_STYLES[kind]._replace(colour=grey) for kind, grey in UNNAMED.items()}
    return styles | others


def verdict_counts(cohort: CohortFrame) -> pd.DataFrame:
    """Return the number of networks by group (rows, after all networks) and verdict (columns)."""
    return _counts(cohort, cohort.answered["verdict"], list(VERDICTS))


def model_counts(cohort: CohortFrame) -> pd.DataFrame:
    """Return the number of networks by group and named model, or the verdict that names none."""
    rows = cohort.answered
    named = rows["model"].where(rows["verdict"].isin(NAMING), rows["verdict"])
    counts = _counts(cohort, named, [*cohort.models, *UNNAMED])
    models = _most_frequent(counts[list(cohort.models)], counts.iloc[0])
    return pd.concat([models, counts[list(UNNAMED)]], axis=1)


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

    ``spans`` holds the first and the last position of each group; it is empty if there are too many
    groups to sort by. ``n_all`` is the number of networks of which these are an even sample.
    """

    ids: list[str]
    values: pd.DataFrame
    spans: dict[str, tuple[int, int]]
    n_all: int


def sorted_probabilities(cohort: CohortFrame) -> SortedProbabilities:
    """Return the probabilities of all networks, or of an even sample of many."""
    columns = {f"probability_{model}": model for model in cohort.models}
    values = cohort.answered[list(columns)].rename(columns=columns).astype(float).dropna(how="all")
    values = _most_frequent(values.fillna(0.0), values.sum())
    groups = cohort.group[values.index]
    shown = cohort.groups if len(cohort.groups) <= MOST_GROUPS else []
    place = {name: i for i, name in enumerate(shown)}
    top, largest = values.to_numpy().argmax(axis=1), values.max(axis=1)
    order = np.lexsort((-largest, top, groups.map(place).fillna(0)))
    chosen = thin(order, min(MOST_COLUMNS, MOST_POINTS // max(1, values.shape[1])))
    rows = values.iloc[chosen]
    at = pd.Series(range(len(rows))).groupby(groups.loc[rows.index].to_numpy(), sort=False)
    ends = at.agg(["min", "max"]) if shown else pd.DataFrame(columns=["min", "max"])
    spans = {str(name): (int(first), int(last)) for name, first, last in ends.itertuples()}
    ids = cohort.frame.loc[rows.index, "id"].tolist()
    return SortedProbabilities(ids, rows.reset_index(drop=True), spans, len(values))


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
    return ParameterPanel(*parameter, covariate, chosen, ticks, len(rows))


@dataclass(frozen=True)
class CohortEmbedding:
    """Networks of one chooser among its simulations.

    ``networks`` has the columns ``x``, ``y``, ``id``, ``group``, ``verdict`` and ``model``; ``n_all`` is
    the number of networks with this chooser, ``n_lacking`` of those without a value of some feature.
    """

    chooser: str
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
    """Return an embedding for each of the choosers with the most networks, at most six."""
    if not len(cohort.answered) or not simulations:
        return []
    known = check_columns(features, ("id",), "table of features")
    known = known.assign(id=known["id"].astype(str)).drop_duplicates("id").set_index("id")
    counts = cohort.answered["chooser"].value_counts()
    choosers = [str(name) for name in counts.index if name in simulations][:MOST_EMBEDDINGS]
    made = (_embedding(cohort, known, name, *simulations[name]) for name in choosers)
    return [each for each in made if each is not None]


def _embedding(
    cohort: CohortFrame, features: pd.DataFrame, chooser: str, X: pd.DataFrame, y: Any
) -> CohortEmbedding | None:
    rows = cohort.answered[cohort.answered["chooser"] == chooser]
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
    described = cohort.frame.loc[kept.index, ["id", "group", "verdict", "model"]]
    networks = points[["x", "y"]].join(described)
    return CohortEmbedding(chooser, embedding, networks, len(rows), len(rows) - len(own))
