"""The nine selection methods of the paper, by group, configured as in its published code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from netchoice.reproduction.cost_settings import Setting
from netchoice.selection import CostAwareSelector, get_selector

#: In the order of the paper's figures: four in the main text, four in the appendix, one not shown.
MAIN_METHODS = ("jmi", "mrmr", "relieff", "penalized-mda")
APPENDIX_METHODS = ("jmim", "forest-relieff", "weighted-mda", "penalized-mdi")
METHODS = (*MAIN_METHODS, *APPENDIX_METHODS, "weighted-mdi")

INFORMATION_METHODS = ("mrmr", "jmi", "jmim")
RELIEF_METHODS = ("relieff", "forest-relieff")
PENALIZED_METHODS = ("penalized-mdi", "penalized-mda")
#: Weighted forests draw columns by their cost alone, and grow a new forest for every penalty.
WEIGHTED_METHODS = ("weighted-mdi", "weighted-mda")
FOREST_METHODS = (*PENALIZED_METHODS, *WEIGHTED_METHODS)


def paper_selectors(
    methods: Iterable[str], setting: Setting, **parameters: object
) -> dict[str, CostAwareSelector]:
    """Return the selectors by name, with λ per second as in the paper's code.

    Each selector gets those of the parameters that it has. Weighted forests are always charged
    alone.

    >>> from netchoice.reproduction.cost_settings import DEFAULT
    >>> paper_selectors(["jmi", "weighted-mda"], DEFAULT, random_state=1)["jmi"]
    JMI(charge='shared', cost_scale='raw', random_state=1)
    """
    selectors = {}
    for method in methods:
        selector = get_selector(method)
        wanted: Mapping[str, object] = {
            "cost_scale": "raw",
            "estimator": setting.estimator,
            "charge": "alone" if method in WEIGHTED_METHODS else setting.charge,
            **parameters,
        }
        accepted = selector.get_params()
        selector.set_params(**{name: v for name, v in wanted.items() if name in accepted})
        selectors[method] = selector
    return selectors
