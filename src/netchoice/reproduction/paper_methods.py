"""The nine selection methods of the paper, by group, configured as in its published code."""

from __future__ import annotations

from collections.abc import Iterable

from netchoice.reproduction.cost_settings import Setting
from netchoice.selection import PAPER_METHODS, WEIGHTED_METHODS, CostAwareSelector, get_selector

#: Methods in the main text's figures, and in those of the appendix.
MAIN_METHODS = ("jmi", "mrmr", "relieff", "penalized-mda")
APPENDIX_METHODS = ("jmim", "forest-relieff", "weighted-mda", "penalized-mdi")
_SHOWN = (*MAIN_METHODS, *APPENDIX_METHODS)
#: All nine methods, in the order of the figures; the last one is not shown.
METHODS = (*_SHOWN, *(name for name in PAPER_METHODS if name not in _SHOWN))

INFORMATION_METHODS = ("mrmr", "jmi", "jmim")
RELIEF_METHODS = ("relieff", "forest-relieff")
PENALIZED_METHODS = ("penalized-mdi", "penalized-mda")
FOREST_METHODS = (*PENALIZED_METHODS, *WEIGHTED_METHODS)


def paper_selectors(methods: Iterable[str], setting: Setting) -> dict[str, CostAwareSelector]:
    """Return the selectors by name, with λ per second as in the paper's code.

    >>> from netchoice.reproduction.cost_settings import DEFAULT
    >>> paper_selectors(["jmi", "weighted-mda"], DEFAULT)["jmi"]
    JMI(charge='shared', cost_scale='raw')
    """
    selectors = {}
    for method in methods:
        selector = get_selector(method, cost_scale="raw")
        if selector.supports_shared_costs:
            selector.set_params(charge=setting.charge)
        if "estimator" in selector.get_params():
            selector.set_params(estimator=setting.estimator)
        selectors[method] = selector
    return selectors
