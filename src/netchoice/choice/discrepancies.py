"""Differences between an observed network and simulations of one model, in words, and what to try."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from netchoice.features import FEATURES, Feature, feature
from netchoice.inference.scaling import Floats, Scaling
from netchoice.models.builtin import get_space
from netchoice.models.mixture import is_growing
from netchoice.models.model import Model, Parameter
from netchoice.models.space import ModelSpace

COVERAGE = 0.95
TAIL = (1 - COVERAGE) / 2
_HALF_WIDTH = 1.96  # of the central 95% of a standard normal
_QUANTILES = {
    "minimum": 0.0, "q025": TAIL, "q25": 0.25, "median": 0.5, "q75": 0.75, "q975": 1 - TAIL,
    "maximum": 1.0,
}  # fmt: skip

_ABSTRACT = ("centrality", "dominating")  # topics that few people can picture

#: The option that compares with all mechanisms; most have another density than the network.
ALL_MECHANISMS = "--space all --match"
#: Features that are rates, which say that a network is clustered or has hubs. Numbers of triangles also grow
#: with hubs, and numbers of neighbours with the density.
_RATES = {"clustering": ("transitivity", "clustering_mean"), "hubs": ("degree_max", "degree_std")}
#: By topic and side of the observed value: what the network is, the models that make such networks, and
#: the mechanism that is missing if these models are not enough.
_REMEDIES = {
    ("clustering", True): (
        "more clustered", ("forest-fire", "vazquez-walk", "geometric"), "closes triangles",
    ),
    ("clustering", False): ("less clustered", ("ispolatov", "rds"), "avoids triangles"),
    ("hubs", True): (
        "more dominated by hubs", ("nonlinear", "redirection", "fitness"), "makes larger hubs",
    ),
    ("hubs", False): (
        "less dominated by hubs", ("smw", "geometric", "planted-partition"), "limits degrees",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Discrepancy:
    """The observed value of a feature among the simulations of one model.

    Attributes
    ----------
    feature, label, topic : str, the name of the feature, the words for it, and what it describes
    observed : float
    minimum, q025, q25, median, q75, q975, maximum : float, of the simulations
    share : float
        The share of simulations below the observed value, or above it if this share is larger.
    direction : str
        "more" or "larger" if at least 97.5% of the simulations are below the observed value, "fewer"
        or "smaller" if at least 97.5% are above it, "" otherwise.
    size : float
        How far the value is outside the central 95% of the simulations, in units of half the width of
        this range, on the scale of normal scores that the test of fit uses; 0 inside.
    sentence : str
    """

    feature: str
    label: str
    topic: str
    observed: float
    minimum: float
    q025: float
    q25: float
    median: float
    q75: float
    q975: float
    maximum: float
    share: float
    direction: str
    size: float
    sentence: str

    @property
    def is_above(self) -> bool:
        """Whether the observed value is larger than nearly all simulations."""
        return self.direction in ("more", "larger")

    @property
    def is_outside(self) -> bool:
        """Whether the observed value is outside all of these simulations."""
        return self.share == 1


@dataclass(frozen=True)
class Advice:
    """What to try if a model does not fit: a sentence, and an option of ``netchoice choose`` or ""."""

    sentence: str
    command: str


def find_discrepancies(
    observed: Mapping[str, float],
    simulated: pd.DataFrame,
    features: Iterable[Feature] = (),
    simulations: str = "simulations",
) -> list[Discrepancy]:
    """Return every feature of the observation among simulations of one model, farthest outside first.

    Parameters
    ----------
    observed : mapping, features of the observation; those without a value are left out
    simulated : DataFrame, features of simulations of one model; missing values do not count
    features : iterable of Feature, features of your own, for their labels
    simulations : str, what sentences call the simulations, such as "simulations near the network"

    Examples
    --------
    >>> import pandas as pd
    >>> simulated = pd.DataFrame({"n_triangles": range(40, 211), "degree_mean": [2.0] * 171})
    >>> found = find_discrepancies({"n_triangles": 512, "degree_mean": 2.0}, simulated)
    >>> for each in found:
    ...     print(each.sentence)
    more triangles than any of the 171 simulations: 512, simulated 40 to 210
    mean degree: 2, as in every simulation
    >>> pd.DataFrame(found)["direction"].tolist()
    ['more', '']
    """
    known = {**FEATURES, **{item.name: item for item in features}}
    found = []
    for name in simulated.columns:
        values = simulated[name].dropna().to_numpy(dtype=float)
        value = float(observed.get(name, math.nan))
        if len(values) > 1 and not math.isnan(value):
            item = known.get(name) or feature(name=name)(lambda: 0)  # only its name is known
            found.append(_discrepancy(item, value, values, f"{len(values)} {simulations}"))
    return sorted(found, key=lambda each: -each.size)


def _discrepancy(item: Feature, value: float, values: Floats, simulations: str) -> Discrepancy:
    below, above = float(np.mean(values < value)), float(np.mean(values > value))
    share, direction, size = max(below, above), "", 0.0
    if share >= 1 - TAIL:
        up, down = ("more", "fewer") if item.is_count else ("larger", "smaller")
        direction = up if below > above else down
        score = Scaling.fit(values[:, None], "rank").transform([[value]])[0, 0]
        size = max(0.0, abs(float(score)) / _HALF_WIDTH - 1)
    quantiles = np.quantile(values, list(_QUANTILES.values()), method="inverted_cdf").tolist()
    return Discrepancy(
        feature=item.name,
        label=item.label,
        topic=item.topic,
        observed=value,
        share=share,
        direction=direction,
        size=size,
        sentence=_sentence(item.label, direction, share, value, quantiles, simulations),
        **dict(zip(_QUANTILES, quantiles, strict=True)),
    )


def _sentence(
    label: str, direction: str, share: float, value: float, quantiles: list[float], simulations: str
) -> str:
    low, high = quantiles[0], quantiles[-1]
    shown, lowest, highest = distinct_numbers(value, low, high)
    if low == high:
        simulated = "as in every simulation" if value == low else f"simulated always {lowest}"
    else:
        simulated = f"simulated {lowest} to {highest}"
    if not direction:
        return f"{label}: {shown}, {simulated}"
    others = "any" if share == 1 else f"{min(share, 0.999):.1%}"
    return f"{direction} {label} than {others} of the {simulations}: {shown}, {simulated}"


def distinct_numbers(*values: float) -> list[str]:
    """Return numbers as short texts, with so many digits that different numbers look different.

    >>> distinct_numbers(512, 0.04312, 1.234e15), distinct_numbers(0.04312, 0.04309)
    (['512', '0.0431', '1.23e+15'], ['0.04312', '0.04309'])
    """
    texts: list[str] = []
    for digits in range(3, 18):
        texts = [_number(value, digits) for value in values]
        if len(set(texts)) == len(set(values)):
            break
    return texts


def _number(value: float, digits: int) -> str:
    if 10**digits <= abs(value) < 1e6 or (abs(value) < 1e6 and value == round(value)):
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


def main_discrepancies(found: Sequence[Discrepancy], n: int = 4) -> list[Discrepancy]:
    """Return the features farthest outside, one of each topic, farthest first.

    Features of one topic are often correlated. Of those that are at least a quarter as far outside as
    the farthest one, the feature with the shortest label stands for the topic. Topics that few people
    can picture come last.
    """
    topics: dict[str, list[Discrepancy]] = {}
    for each in found:
        if each.direction:
            topics.setdefault(each.topic, []).append(each)
    plainest = [
        min(
            (each for each in of_topic if 4 * each.size >= of_topic[0].size),
            key=lambda each: len(each.label),
        )
        for of_topic in topics.values()
    ]
    return sorted(plainest, key=lambda each: (each.topic in _ABSTRACT, -each.size))[:n]


def advise(
    found: Sequence[Discrepancy],
    model: Model,
    space: ModelSpace,
    *,
    at_boundary: Mapping[str, str],
    isolated: str,
    matched: bool = False,
) -> list[Advice]:
    """Return what to try if a model does not fit a network: priors first, then the main differences.

    Parameters
    ----------
    found : the result of :func:`find_discrepancies`
    model, space : the model, with the priors of the simulations, and all models that were compared
    at_boundary : mapping, by parameter: the side on which its posterior is at the prior's boundary
    isolated : "keep" or "drop", what was done with isolated nodes
    matched : bool, whether simulations were density-matched

    Examples
    --------
    >>> import netchoice
    >>> space = netchoice.get_space("duplication")
    >>> advice = advise([], space["dmc"], space, at_boundary={"p_delete": "upper"}, isolated="keep")
    >>> advice[0].sentence
    'the posterior of p_delete is at the upper boundary of its prior, 0.75; try a wider prior'
    >>> advice[0].command
    '--prior "dmc.p_delete=uniform(0.25,1)"'
    """
    main = main_discrepancies(found, len(found))
    density_differs = not matched and any(each.topic == "density" for each in main)
    advice = list(_about_priors(model, at_boundary, matched))
    for each in main:
        side = _side(each.topic, found)
        if (each.topic, side) in _REMEDIES:
            advice.extend(_about_mechanism(each.topic, bool(side), model, space, matched))
        elif each.topic == "density" and density_differs:
            fact = f"the density differs ({each.sentence})"
            advice.append(Advice(f"{fact}; try density-matched simulations", "--match"))
        elif each.topic == "components" and not density_differs:
            advice.append(_about_isolated(isolated))
    first = {each.command or each.sentence: each for each in reversed(advice)}
    return [each for each in advice if each in first.values()] or [_about_spaces(space)]


def _side(topic: str, found: Sequence[Discrepancy]) -> bool | None:
    """Return whether all rates of a topic that differ are above the simulations; None if some are not."""
    sides = {
        each.is_above for each in found if each.feature in _RATES.get(topic, ()) and each.direction
    }
    return sides.pop() if len(sides) == 1 else None


def _about_priors(model: Model, at_boundary: Mapping[str, str], matched: bool) -> Iterator[Advice]:
    for name, side in at_boundary.items():
        parameter = model.parameters[name]
        prior = None if matched and parameter.adapts else wider_prior(parameter, side)
        if prior is not None:
            bound = parameter.prior.low if side == "lower" else parameter.prior.high
            yield Advice(
                f"the posterior of {name} is at the {side} boundary of its prior, {bound:g}; try a "
                "wider prior",
                f'--prior "{model.name}.{name}={prior}"',
            )


def wider_prior(parameter: Parameter, side: str) -> str | None:
    """Return a prior that extends to the allowed bound if this is near, or by twice the width.

    There is none if the prior reaches the allowed bound already.
    Without declared bounds, a prior that is not negative stays so, and one inside [0, 1] stays inside.
    """
    low, high = parameter.prior.low, parameter.prior.high
    least, most, width = parameter.low, parameter.high, high - low
    family = parameter.prior.text.partition("(")[0]
    if family == "beta":  # its bounds are those of a probability
        return None
    if family not in ("integers", "loguniform"):
        family = "uniform"
        least = max(least, 0.0) if low >= 0 else least
        most = min(most, 1.0) if low >= 0 and high <= 1 and math.isinf(most) else most
    if side == "lower":
        far = low / 10 if family == "loguniform" else low - 2 * width
        bounds = (least if low - least <= width else max(least, far), high)
    else:
        far = high * 10 if family == "loguniform" else high + 2 * width
        bounds = (low, most if most - high <= width else min(most, far))
    if bounds == (low, high) or (family == "loguniform" and bounds[0] <= 0):
        return None
    return f"{family}({bounds[0]:g},{bounds[1]:g})"


def _about_mechanism(
    topic: str, is_above: bool, model: Model, space: ModelSpace, matched: bool
) -> Iterator[Advice]:
    network, names, mechanism = _REMEDIES[topic, is_above]
    fact = f"the network is {network} than simulations of {model.name}"
    new = [name for name in names if name not in space.labels]
    if new:
        models = f"{', '.join(new[:-1])} and {new[-1]}" if new[1:] else new[0]
        yield Advice(f"{fact}; try {models}", ALL_MECHANISMS)
        return
    partners = [name for name in names if is_growing(space[name]) and name != model.name]
    mixed = [f"{model.name}+{name}" for name in partners if is_growing(model)]
    if mixed and mixed[0] not in space.labels:
        sentence = f"{fact}; try a mixture with {partners[0]}"
        yield Advice(sentence, f"--space {mixed[0]}" + (" --match" if matched else ""))
    else:
        yield Advice(f"{fact}; try a model of your own that {mechanism}", "")


def _about_isolated(isolated: str) -> Advice:
    other, done = ("drop", "kept") if isolated == "keep" else ("keep", "dropped")
    fact = f"the components differ, and isolated nodes were {done}"
    return Advice(f"{fact}; try to {other} them", f"--isolated {other}")


def _about_spaces(space: ModelSpace) -> Advice:
    if set(get_space("all").labels) <= set(space.labels):
        return Advice("all built-in mechanisms were compared; try a model of your own", "")
    return Advice("try a space with more mechanisms", ALL_MECHANISMS)
