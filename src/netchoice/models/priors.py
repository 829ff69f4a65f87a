"""Prior distributions of parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.validation import unknown


@dataclass(frozen=True)
class Prior:
    """The prior distribution of one parameter; :func:`as_prior` makes priors from other objects."""

    text: str
    low: float = field(compare=False)
    high: float = field(compare=False)
    draw: Callable[[np.random.Generator], float] = field(compare=False, repr=False)

    def __str__(self) -> str:
        return self.text

    @property
    def is_constant(self) -> bool:
        """Whether every draw has the same value."""
        return self.low == self.high


def number_text(value: float) -> str:
    """Return a number as text with all its digits, so that different priors have different texts."""
    return repr(float(value)).removesuffix(".0")


def _call(family: str, *arguments: float) -> str:
    return f"{family}({', '.join(map(number_text, arguments))})"


def constant(value: float) -> Prior:
    """Return the prior that always has this value."""
    return Prior(number_text(value), value, value, lambda rng: value)


def uniform(low: float, high: float) -> Prior:
    """Return the uniform prior between two bounds."""
    if not low < high:
        raise UsageError(f"uniform({low:g}, {high:g}): expected first bound < second bound")
    text = _call("uniform", low, high)
    return Prior(text, low, high, lambda rng: low + (high - low) * rng.random())


def loguniform(low: float, high: float) -> Prior:
    """Return the prior that is uniform in the logarithm between two positive bounds."""
    if not 0 < low < high:
        raise UsageError(f"loguniform({low:g}, {high:g}): expected 0 < first bound < second bound")
    width = math.log(high / low)
    text = _call("loguniform", low, high)
    return Prior(text, low, high, lambda rng: low * math.exp(width * rng.random()))


def normal(mean: float, sd: float) -> Prior:
    """Return the normal prior with this mean and standard deviation."""
    if not sd > 0:
        raise UsageError(f"normal({mean:g}, {sd:g}): the standard deviation must be above 0")
    text = _call("normal", mean, sd)
    return Prior(text, -math.inf, math.inf, lambda rng: float(rng.normal(mean, sd)))


def beta(a: float, b: float) -> Prior:
    """Return the beta prior on [0, 1]."""
    if not (a > 0 and b > 0):
        raise UsageError(f"beta({a:g}, {b:g}): both parameters must be above 0")
    return Prior(_call("beta", a, b), 0.0, 1.0, lambda rng: float(rng.beta(a, b)))


def integers(low: float, high: float) -> Prior:
    """Return the uniform prior on the integers from low to high, both included."""
    if low != int(low) or high != int(high) or low > high:
        raise UsageError(f"integers({low:g}, {high:g}): expected two integers, low ≤ high")
    first, last = int(low), int(high)
    text = f"integers({first}, {last})"
    return Prior(text, first, last, lambda rng: int(rng.integers(first, last + 1)))


FAMILIES = {family.__name__: family for family in (uniform, loguniform, normal, beta, integers)}
_CALL = re.compile(r"\s*([A-Za-z_]+)\s*\(([^()]*)\)\s*")


def as_prior(thing: Any) -> Prior:
    """Convert a number, a text or a frozen ``scipy.stats`` distribution to a prior.

    In texts the two arguments of ``uniform``, ``loguniform`` and ``integers`` are bounds, unlike
    scipy's location and scale.

    >>> print(as_prior("beta(2, 5)"))
    beta(2, 5)
    >>> import scipy.stats
    >>> print(as_prior(scipy.stats.uniform(0.25, 0.5)))
    scipy.stats.uniform(0.25, 0.5) on [0.25, 0.75]
    """
    if isinstance(thing, Prior):
        return thing
    if isinstance(thing, str):
        return _parse(thing)
    if isinstance(thing, bool):
        raise UsageError(f"{thing!r} is not a prior; expected a number or a distribution")
    if hasattr(thing, "rvs") and hasattr(thing, "support"):
        return _from_scipy(thing)
    try:
        value = int(thing) if int(thing) == thing else float(thing)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(
            f"{thing!r} is not a prior; expected a finite number, a text such as 'uniform(0, 1)', "
            "or a frozen scipy.stats distribution"
        ) from None
    return constant(value)


def _parse(text: str) -> Prior:
    try:
        return as_prior(float(text))
    except ValueError as error:
        if isinstance(error, UsageError):
            raise
    match = _CALL.fullmatch(text)
    if not match:
        families = ", ".join(f"{name}(a, b)" for name in FAMILIES)
        raise UsageError(f"{text!r} is not a prior; expected a number or one of {families}")
    name, arguments = match.groups()
    if name not in FAMILIES:
        raise unknown("distribution", name, FAMILIES)
    try:
        a, b = map(float, arguments.split(","))
        if not (math.isfinite(a) and math.isfinite(b)):
            raise ValueError
    except ValueError:
        raise UsageError(f"{text!r}: {name} takes two numbers, for example {name}(1, 2)") from None
    return FAMILIES[name](a, b)


def _from_scipy(frozen: Any) -> Prior:
    try:
        low, high = (float(bound) for bound in frozen.support())
    except (TypeError, ValueError, AttributeError):
        low = high = math.nan
    if math.isnan(low) or math.isnan(high):
        raise UsageError(
            f"{frozen!r} is not a prior of one number; expected a frozen scipy.stats distribution with "
            "its parameters given, such as scipy.stats.beta(2, 5)"
        )
    name = getattr(getattr(frozen, "dist", frozen), "name", None) or type(frozen).__name__
    arguments = [_any_text(value) for value in getattr(frozen, "args", ())]
    arguments += [f"{k}={_any_text(v)}" for k, v in sorted(getattr(frozen, "kwds", {}).items())]
    bounds = f"[{number_text(low)}, {number_text(high)}]"
    text = f"scipy.stats.{name}({', '.join(arguments)}) on {bounds}"
    return Prior(text, low, high, lambda rng: np.asarray(frozen.rvs(random_state=rng)).item())


def _any_text(value: Any) -> str:
    return number_text(value) if isinstance(value, (int, float)) else str(value)
