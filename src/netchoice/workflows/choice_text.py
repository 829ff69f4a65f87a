"""The verdict, and the text of an answer: lines for a terminal, HTML for a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from netchoice.inference import Fit, ModelProbabilities
from netchoice.markup import summary_html
from netchoice.workflows.discrepancies import misfit_lines
from netchoice.workflows.parameters import parameter_lines

if TYPE_CHECKING:
    from netchoice.workflows.choice import Choice

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


def format_probability(probability: float) -> str:
    """Return a probability with three decimals, never 0 or 1.

    >>> format_probability(0.25), format_probability(0.99999), format_probability(0.0002)
    ('0.250', '>0.999', '<0.001')
    """
    if probability >= 0.9995:
        return ">0.999"
    return f"{probability:.3f}" if probability >= 0.0005 else "<0.001"


def summary_lines(choice: Choice) -> list[str]:
    """Return the answer in lines: the verdict, its reasons, the probabilities, details."""
    lines = [
        f"verdict: {choice.headline}",
        *_reasons(choice),
        *_family_lines(choice),
        _assumption(choice),
    ]
    for name, probability, family in _by_family(choice):
        low, high = choice.intervals[name]
        lines.append(
            f"  {name:<12} {format_probability(probability)} (interval "
            f"{format_probability(low)} to {format_probability(high)})"
            f"   fit p = {choice.fit_p_values[name]:.3g}"
            + (f"   {family}" if choice.families else "")
        )
    return lines + _details(choice)


def _family_lines(choice: Choice) -> list[str]:
    """Return the probabilities of the families in a line, and what screening decided."""
    texts = (f"{name} {format_probability(p)}" for name, p in choice.families.items())
    lines = [f"families: {', '.join(texts)}"] if choice.families else []
    return [*lines, choice.screening["summary"]] if choice.screening else lines


def _reasons(choice: Choice) -> list[str]:
    """Return what the verdict means and, for models that do not fit, why."""
    lines = []
    if choice.verdict == "none-fits":
        lines.append(
            f"nearest: measured on all {len(choice.fit['features'])} features together, the network is "
            f"closest to the simulations of {choice.model}, relative to their spread; this is not "
            f"evidence for {choice.model}"
        )
    for name, misfit in choice.evidence.misfit.items():
        if not misfit.fits:
            lines += misfit_lines(name, misfit.discrepancies, misfit.advice)
    return lines


def _assumption(choice: Choice) -> str:
    """Return the line above the probabilities."""
    if choice.verdict == "none-fits":
        return (
            "probabilities on the selected features, under the wrong assumption that one of these "
            "models made the network:"
        )
    return "probabilities of the models:"


def _details(choice: Choice) -> list[str]:
    """Return the lines below the probabilities."""
    alpha, floor = choice.fit["alpha"], choice.fit["floor"]
    lines = [
        f"a model fits if p is above {alpha:.2g}; p cannot be below about {floor:.2g}",
        choice.fit["power_summary"],
        *parameter_lines(choice.parameters),
    ]
    lines += _feature_lines(choice)
    if choice.selection.get("stability"):
        lines.append(f"stability of the selection: {choice.selection['stability']}")
    n_tested = int(choice.confusion.to_numpy().sum())
    lines.append(f"held-out accuracy: {choice.accuracy:.1%} of {n_tested} simulations")
    lines.append(choice.cost["summary"])
    lines.extend(f"note: {note}" for note in choice.notes)
    return lines


def _feature_lines(choice: Choice) -> list[str]:
    """Return the features and their values: for the model, and those for the parameters only."""
    chosen = choice.selection["for_model"] or list(choice.features)
    others = [name for name in choice.features if name not in chosen]
    return [
        f"features {text} ({len(names)}): "
        + ", ".join(f"{name} = {choice.features[name]:.4g}" for name in names)
        for text, names in (("used", chosen), ("also used for the parameters", others))
        if names
    ]


def _by_family(choice: Choice) -> list[tuple[str, float, str]]:
    """Return the compared models, their probabilities and families, the most probable first."""
    family = {each["name"]: each["family"] for each in choice.space["models"]}
    compared = [(name, choice.probabilities[name], family[name]) for name in choice.intervals]
    order = {family: i for i, family in enumerate(choice.families)}
    return sorted(compared, key=lambda item: (order.get(item[2], 0), -item[1]))


def choice_html(choice: Choice) -> str:
    """Return the verdict, the probabilities and the other lines as HTML."""
    rows = [
        (
            name,
            family,
            format_probability(p),
            " – ".join(map(format_probability, choice.intervals[name])),
            f"{choice.fit_p_values[name]:.3g}",
        )
        for name, p, family in _by_family(choice)
    ]
    lines = [*_reasons(choice), *_family_lines(choice), *_details(choice)]
    head = ("model", "family", "probability", "interval", "fit p")
    if choice.verdict == "none-fits":
        lines.insert(0, _assumption(choice))
    return summary_html(f"Verdict: {choice.headline}", head, rows, lines)
