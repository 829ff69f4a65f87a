"""All figures of an evaluation of features, as files in a folder."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.figures.static.axes import save
from netchoice.figures.static.feature_costs import feature_costs
from netchoice.figures.static.heatmaps import heatmaps
from netchoice.figures.static.pareto_front import pareto
from netchoice.figures.static.ranking_paths import ranking_paths

if TYPE_CHECKING:
    from netchoice.workflows import FeatureEvaluation


def draw_evaluation(result: FeatureEvaluation, folder: str | PathLike[str]) -> list[Path]:
    """Draw the figures of an evaluation and return the paths of the PNG files.

    The figures show accuracy over penalty and number of features, the costs, accuracy against cost,
    and the ranking of each method along the penalties.

    Parameters
    ----------
    result : FeatureEvaluation
        As :func:`netchoice.evaluate_features` returned it.
    folder : path
        Created if it does not exist.

    Returns
    -------
    list of Path

    Examples
    --------
    >>> import netchoice, tempfile
    >>> table = netchoice.simulate_table(
    ...     "ba", n_nodes=30, n_samples=80, seed=1, engine="serial",
    ...     features=["degree_mean", "transitivity", "noise_normal"])
    >>> result = netchoice.evaluate_features(table, methods=["jmi"], max_features=2, folds=4)
    >>> sorted(path.stem for path in draw_evaluation(result, tempfile.mkdtemp()))
    ['costs', 'heatmaps', 'pareto', 'ranking-jmi']
    """
    point, evaluation = result.recommended, result.evaluation
    cost, unit = f"cost_{point.charge}", "s" if result.in_seconds else ""
    drawn: dict[str, Any] = {
        "heatmaps": heatmaps(evaluation),
        "costs": feature_costs(result.costs, unit=unit),
    }
    if evaluation[cost].gt(0).any():
        chosen = {cost: point.cost, "accuracy": point.accuracy}
        drawn["pareto"] = pareto(evaluation, cost=cost, point=chosen, unit=unit)
    if result.rankings["penalty"].nunique() > 1:
        for method in dict.fromkeys(result.rankings["method"]):
            drawn[f"ranking-{method}"] = ranking_paths(result.rankings, method)
    return [save(figure, Path(folder) / f"{name}.png") for name, figure in drawn.items()]
