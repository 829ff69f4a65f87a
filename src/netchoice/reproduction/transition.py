"""The fall of accuracy over penalties, and the claim that it is sharp."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from netchoice.reproduction.claim import PERFECT, Finding
from netchoice.reproduction.cost_settings import Setting
from netchoice.reproduction.paper_methods import METHODS
from netchoice.reproduction.space_run import SET_SIZE, SpaceRun

if TYPE_CHECKING:
    import pandas as pd

#: A fall is sharp if accuracy loses this much ...
DROP = 0.02
#: ... within this factor of λ: neighbouring large penalties of the paper's grid are as far apart.
FACTOR = 2.0

_NAN = float("nan")


class Fall(NamedTuple):
    """A plateau of perfect accuracy, and what follows it; NaN if there is no plateau or no fall."""

    threshold: float  # the largest penalty of the plateau
    drop: float  # the loss of accuracy within a factor of two of the threshold
    best_beyond: float  # the highest accuracy at any larger penalty

    @classmethod
    def of(cls, accuracies: pd.Series) -> Fall:
        """Return the fall of accuracies that are indexed by penalty.

        >>> import pandas as pd
        >>> Fall.of(pd.Series([1, 1, 0.5, 0.6], index=[0, 1, 2, 4.0]))
        Fall(threshold=1.0, drop=0.5, best_beyond=0.6)
        """
        ordered = accuracies.sort_index()
        plateau = (ordered >= PERFECT).cummin()
        if not plateau.iloc[0]:
            return cls(_NAN, _NAN, _NAN)
        threshold = float(ordered.index[plateau].max())
        beyond = ordered[ordered.index > threshold]
        if not len(beyond):
            return cls(threshold, _NAN, _NAN)
        near = beyond[beyond.index <= FACTOR * threshold]
        lowest = float((near if len(near) else beyond.iloc[:1]).min())
        return cls(threshold, float(ordered.loc[threshold]) - lowest, float(beyond.max()))

    @property
    def is_sharp(self) -> bool:
        """Whether accuracy is perfect up to the threshold, falls sharply, and is imperfect beyond."""
        return self.drop >= DROP and self.best_beyond < PERFECT


def sharp_transition(run: SpaceRun, setting: Setting) -> Finding:
    """Count the methods whose accuracy falls sharply at some penalty."""
    fine = run.transition(setting)
    coarse = run.evaluation(setting).query(f"k == {SET_SIZE}")
    falls = {}
    for method in METHODS:
        frame = fine if method in set(fine["method"]) else coarse
        own = frame[frame["method"] == method].set_index("penalty")["accuracy"]
        falls[method] = Fall.of(own)
    n_sharp = sum(fall.is_sharp for fall in falls.values())
    values = {
        "methods that fall sharply": n_sharp,
        "methods that are perfect at λ = 0": sum(f.threshold >= 0 for f in falls.values()),
        **{f"last perfect λ (1/s): {m}": fall.threshold for m, fall in falls.items()},
        **{f"fall within a factor of two: {m}": fall.drop for m, fall in falls.items()},
        **{f"highest accuracy beyond: {m}": fall.best_beyond for m, fall in falls.items()},
    }
    return Finding(n_sharp == len(METHODS), values)
