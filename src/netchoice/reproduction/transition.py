"""The fall of accuracy over penalties, and the claim that it is sharp."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from netchoice.reproduction.claim import PERFECT, Finding, verdict
from netchoice.reproduction.cost_settings import Setting
from netchoice.reproduction.paper_methods import METHODS
from netchoice.reproduction.space_run import SET_SIZE, SpaceRun

if TYPE_CHECKING:
    import pandas as pd


class Fall(NamedTuple):
    """A fall of accuracy over penalties: where 10 % and where 90 % of it are reached."""

    start_accuracy: float
    drop: float
    begin: float
    end: float

    @classmethod
    def of(cls, accuracies: pd.Series) -> Fall:
        """Return the fall of accuracies that are indexed by penalty.

        >>> import pandas as pd
        >>> Fall.of(pd.Series([1, 1, 0.5, 0.5], index=[0, 1, 2, 4.0]))
        Fall(start_accuracy=1.0, drop=0.5, begin=1.0, end=2.0)
        """
        ordered = accuracies.sort_index()
        start, last = float(ordered.iloc[0]), float(ordered.iloc[-1])
        drop = start - last
        still_high = (ordered >= start - 0.1 * drop).cummin()
        begin = float(ordered.index[still_high].max())
        low = ordered.index[(ordered <= last + 0.1 * drop) & (ordered.index > begin)]
        return cls(start, drop, begin, float(low.min()) if len(low) else float("inf"))

    @property
    def is_sharp(self) -> bool:
        """Whether accuracy drops by at least 0.05 within a factor of four of λ."""
        return self.drop >= 0.05 and self.begin > 0 and self.end / self.begin <= 4


def sharp_transition(run: SpaceRun, setting: Setting) -> Finding:
    """Count the methods whose accuracy falls sharply at some penalty."""
    fine = run.transition(setting)
    coarse = run.evaluation(setting).query(f"k == {SET_SIZE}")
    falls, first_falls = {}, []
    for method in METHODS:
        frame = fine if method in set(fine["method"]) else coarse
        own = frame[frame["method"] == method].set_index("penalty")["accuracy"].sort_index()
        falls[method] = Fall.of(own)
        first_falls.append(f"{method} {_first_fall(own)}")
    n_sharp = sum(fall.is_sharp for fall in falls.values())
    n_perfect = sum(fall.start_accuracy >= PERFECT for fall in falls.values())
    ranges = [
        f"{method} none" if fall.drop < 0.05 else f"{method} λ = {fall.begin:.3g} to {fall.end:.3g}"
        for method, fall in falls.items()
    ]
    return Finding(
        verdict(n_sharp == n_perfect == len(METHODS), n_sharp > len(METHODS) / 2),
        f"sharp in {n_sharp} of {len(METHODS)} methods, perfect at λ = 0 in {n_perfect}; from 10 % to "
        f"90 % of the fall: {'; '.join(ranges)}",
        "examined after the first run: accuracy first falls by more than 0.02 between neighbouring "
        f"penalties, {'; '.join(first_falls)}; then it falls slowly. Weighted forests use the coarse "
        "grid of penalties",
    )


def _first_fall(ordered: pd.Series) -> str:
    """Return the neighbouring penalties between which accuracy first falls by more than 0.02."""
    low = (ordered < ordered.iloc[0] - 0.02).to_numpy()
    if not low.any():
        return "never"
    i = int(low.argmax())
    before, after = ordered.index[i - 1], ordered.index[i]
    return f"{before:.3g}→{after:.3g} ({ordered.iloc[i - 1]:.3f} to {ordered.iloc[i]:.3f})"
