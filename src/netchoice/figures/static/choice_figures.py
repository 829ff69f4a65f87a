"""All figures of a chosen model, as files in a folder."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.figures.static.axes import save
from netchoice.figures.static.distributions import feature_distributions, posteriors
from netchoice.figures.static.feature_costs import feature_costs
from netchoice.figures.static.models import confusion, embedding, probabilities, reliability
from netchoice.figures.static.pareto_front import pareto

if TYPE_CHECKING:
    from netchoice.workflows import Choice


def draw_choice(choice: Choice, folder: str | PathLike[str]) -> list[Path]:
    """Draw the figures of a choice and return the paths of the PNG files.

    The figures show the model probabilities, the features, the embedding, the confusion matrix, the
    reliability diagram and the costs; also the posteriors if the model has parameters, and accuracy
    against cost if features were selected.

    Parameters
    ----------
    choice : Choice
        As :func:`netchoice.choose_model` returned it.
    folder : path
        Created if it does not exist.

    Returns
    -------
    list of Path

    Examples
    --------
    >>> import netchoice, numpy as np, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> choice = netchoice.choose_model(
    ...     network, "ba", samples=100, features=["degree_mean"], time_limit=1, engine="serial"
    ... )
    >>> [path.stem for path in draw_choice(choice, tempfile.mkdtemp())][:2]
    ['probabilities', 'features']
    """
    evidence = choice.evidence
    selection, posterior = evidence.selection, evidence.posterior
    drawn: dict[str, Any] = {
        "probabilities": probabilities(choice.probabilities, choice.intervals),
        "features": feature_distributions(
            evidence.table.X, evidence.table.y, choice.features, list(choice.features)
        ),
        "embedding": embedding(evidence.embedding),
        "confusion": confusion(choice.confusion),
        "reliability": reliability(evidence.held_out.reliability),
        "costs": feature_costs(selection.costs.only(selection.table.features)),
    }
    if posterior is not None:
        bounds = evidence.prior_bounds
        drawn["parameters"] = posteriors(
            posterior.adjusted,
            weights=posterior.weights,
            intervals=posterior.intervals,
            priors={name: ends for name, ends in bounds.items() if all(map(math.isfinite, ends))},
        )
    if selection.evaluation is not None and selection.point is not None:
        point = {"cost_shared": selection.point.cost, "accuracy": selection.point.accuracy}
        drawn["accuracy-against-cost"] = pareto(selection.evaluation, point=point)
    return [save(figure, Path(folder) / f"{name}.png") for name, figure in drawn.items()]
