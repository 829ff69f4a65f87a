"""The verdict: does one model fit, do several, none, or can they not be distinguished?"""

from __future__ import annotations

from dataclasses import dataclass

from netchoice.inference import Fit, ModelProbabilities

#: Probability from which a model is clearly the most probable: odds of about 20 to 1, "strong" in the
#: convention of Kass & Raftery 1995 (doi:10.1080/01621459.1995.10476572).
CLEAR_PROBABILITY = 0.95

#: What every verdict says, before it names models.
VERDICTS = {
    "one-fits": "one model fits and is clearly the most probable",
    "several-fit": "several models fit",
    "undetermined": "the models cannot be distinguished",
    "none-fits": "none of these models fits",
}


@dataclass(frozen=True)
class Verdict:
    """A verdict, the model it names, and the sentence that says both.

    ``kind`` is one of :data:`VERDICTS`. ``model`` is the most probable model or, if none fits, the
    nearest one.
    """

    kind: str
    model: str
    sentence: str


def decide(probabilities: ModelProbabilities, fit: Fit, above_chance: bool) -> Verdict:
    """Return the verdict on models with these probabilities and p-values.

    - ``none-fits``: all p-values are at most alpha.
    - ``undetermined``: the features used predict the models of simulations no better than chance, or the
      most probable model does not fit and another one does, so that the two results conflict.
    - ``one-fits``: the most probable model fits; and either no other model fits, or its probability is
      at least 0.95 and the lower end of its interval above 0.5.
    - ``several-fit``: otherwise.

    Parameters
    ----------
    probabilities : ModelProbabilities
    fit : Fit
    above_chance : bool, whether the models of held-out simulations are predicted better than by chance
    """
    most_probable = probabilities.model
    fitting = [model for model, p in fit.p_values.items() if p > fit.alpha]
    listed = ", ".join(fitting)
    if not fitting:
        return _verdict("none-fits", fit.nearest, f"; the nearest is {fit.nearest}")
    if not above_chance:
        return _verdict(
            "undetermined",
            most_probable,
            f": the features used do not predict the model better than chance; fitting: {listed}",
        )
    if most_probable not in fitting:
        conflict = f": {most_probable} is the most probable but does not fit; fitting: {listed}"
        return _verdict("undetermined", most_probable, conflict)
    if fitting == [most_probable]:
        return _verdict("one-fits", most_probable, f": {most_probable}, the only one that fits")
    probability, (low, _) = (
        probabilities.probabilities[most_probable], probabilities.intervals[most_probable]
    )  # fmt: skip
    if probability >= CLEAR_PROBABILITY and low > 0.5:
        others = ", ".join(model for model in fitting if model != most_probable)
        return _verdict("one-fits", most_probable, f": {most_probable} (not rejected: {others})")
    return _verdict(
        "several-fit", most_probable, f" ({listed}); the most probable is {most_probable}"
    )


def _verdict(kind: str, model: str, rest: str) -> Verdict:
    return Verdict(kind, model, VERDICTS[kind] + rest)
