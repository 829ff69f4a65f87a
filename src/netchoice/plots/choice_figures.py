"""All pictures of an answer, in a folder."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from netchoice.inference import embed
from netchoice.plots.canvas import save
from netchoice.plots.choices import cloud, confusion, probabilities, reliability
from netchoice.plots.cost_list import feature_costs
from netchoice.plots.distributions import feature_distributions, posteriors
from netchoice.plots.front import pareto

if TYPE_CHECKING:
    from netchoice.workflows import Choice


def draw_choice(choice: Choice, folder: str | PathLike[str]) -> list[Path]:
    """Draw an answer: models, cloud, features, parameters, how well the models are told, costs.

    Parameters
    ----------
    choice : Choice
        As :func:`netchoice.choose_model` returned it.
    folder : path
        Made if it is not there.

    Returns
    -------
    list of Path
        The files written, as PNG.

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
    made = choice.evidence
    selection, broad = made["selection"], made["broad"]
    values = made["broad_observed"]
    embedding = made.get("embedding") or embed(broad.X[list(values)], broad.y, values)
    pictures = {
        "probabilities": probabilities(choice.probabilities, choice.intervals),
        "features": feature_distributions(
            made["table"].X, made["table"].y, choice.features, list(choice.features)
        ),
        "cloud": cloud(embedding),
        "confusion": confusion(choice.confusion),
        "reliability": reliability(made["held_out"].reliability),
        "costs": feature_costs(selection.costs.only(selection.table.features)),
    }
    known = made["posterior"]
    if known is not None:
        finite = {n: ends for n, ends in made["bounds"].items() if all(map(math.isfinite, ends))}
        pictures["parameters"] = posteriors(
            known.adjusted, weights=known.weights, intervals=known.intervals, priors=finite
        )
    if selection.evaluation is not None:
        chosen = {"cost_shared": selection.point.cost, "accuracy": selection.point.accuracy}
        pictures["accuracy-against-cost"] = pareto(selection.evaluation, point=chosen)
    folder = Path(folder)
    return [save(picture, folder / f"{name}.png") for name, picture in pictures.items()]
