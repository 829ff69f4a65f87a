"""The paragraph on methods for a paper, and what to cite."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from netchoice.errors import UsageError
from netchoice.inference.probabilities import DEFAULT_METHOD
from netchoice.models.builtin import get_model
from netchoice.selection import METHODS

PAPER = (
    "Raynal, Hoffmann & Onnela, Cost-based feature selection for network model choice, Journal of "
    "Computational and Graphical Statistics (2023), doi:10.1080/10618600.2022.2151453"
)

_INFERENCE = {
    "forest": "a random forest",
    "neighbours": "nearest neighbours",
    "ensemble": "a weighted mean of boosted trees, random forest, nearest neighbours and regression",
}
_RULES = {
    "cheapest": "the cheapest set whose accuracy is not clearly below the best one",
    "budget": "the most accurate set within the budget",
}


def methods_text(record: Mapping[str, Any] | None = None) -> str:
    """Return a paragraph on methods: of a choice, from its ``choice.json``, or of netchoice alone.

    >>> methods_text().startswith("We used netchoice ")
    True
    """
    if record is None:
        python = platform.python_version()
        return f"We used netchoice {version('netchoice')} (Python {python})."
    sentences = [
        _network(record),
        _models(record),
        _selection(record),
        _inference(record),
        _fit(record),
        _software(record["settings"]),
    ]
    return " ".join(filter(None, sentences))


def references(record: Mapping[str, Any] | None = None) -> list[str]:
    """Return what to cite: the paper, the software, and the models that were compared.

    >>> references()[0].startswith("Raynal, Hoffmann & Onnela")
    True
    """
    used = None if record is None else record["settings"]["versions"]["netchoice"]
    cited = [PAPER, f"The netchoice developers, netchoice {used or version('netchoice')}, software"]
    for each in [] if record is None else record["space"]["models"]:
        try:
            found = get_model(each["name"]).reference
        except UsageError:  # a model of the user
            continue
        cited += [text for text in found.split("; ") if text]
    return list(dict.fromkeys(cited))


def _network(record: Mapping[str, Any]) -> str:
    network, match = record["network"], record["space"].get("match")
    density = f" and, within {match['tolerance']:.0%}, of edges" if match else ""
    isolated = "kept" if network["isolated"] == "keep" else "dropped"
    return (
        f"We compared a network with {network['nodes']} nodes and {network['edges']} edges with simulated "
        f"networks of the same number of nodes{density} (isolated nodes were {isolated})."
    )


def _models(record: Mapping[str, Any]) -> str:
    models = record["space"]["models"]
    texts = []
    for each in models:
        priors = ", ".join(f"{name} ~ {prior}" for name, prior in each["priors"].items())
        texts.append(f"{each['name']}{f' ({priors})' if priors else ''}")
    text = f"The networks were grown by {_count(len(models), 'model')}: {', '.join(texts)}."
    screening = record.get("screening")
    if screening:
        text += (
            f" These models remained after a screening of {len(screening['p_values'])} models with "
            f"{screening['simulations']} simulations (α = {screening['alpha']:g})."
        )
    return text


def _selection(record: Mapping[str, Any]) -> str:
    selection, settings = record["selection"], record["settings"]
    names = ", ".join(selection["features"])
    if "operating_point" not in selection:
        return (
            f"The comparison used {_count(len(selection['features']), 'given feature')}: {names}."
        )
    point = selection["operating_point"]
    methods = " and ".join(_method(name) for name in settings["method"])
    pilots = selection["pilots"]
    of = f" with {', '.join(map(str, pilots))} nodes" if pilots else ""
    n_selected = _count(len(selection["features"]), "feature")
    return (
        f"From {selection['offered']} features, we selected {n_selected} ({names}) by cost-aware "
        f"selection with {methods} on {selection['simulations']} simulations{of}: "
        f"{_RULES[point['rule']]} (cost penalty λ = {point['penalty']:.3g})."
    )


def _method(name: str) -> str:
    return f"{METHODS[name].__name__} ({name})" if name in METHODS else name


def _inference(record: Mapping[str, Any]) -> str:
    cost = record["cost"]
    method = record["settings"]["inference"] or DEFAULT_METHOD
    n_tested = sum(n for row in record["confusion"].values() for n in row.values())
    return (
        f"Model probabilities were estimated by {_INFERENCE.get(method, method)} from "
        f"{cost['simulations']} simulations; the model of {record['accuracy']:.1%} of {n_tested} held-out "
        "simulations was predicted correctly."
    )


def _fit(record: Mapping[str, Any]) -> str:
    fit = record["fit"]
    return (
        f"Whether a model fits was tested on {len(fit['features'])} features with "
        f"{record['cost']['fit_simulations']} simulations (α = {fit['alpha']:g})."
    )


def _software(settings: Mapping[str, Any]) -> str:
    versions = settings["versions"]
    others = ", ".join(f"{name} {versions[name]}" for name in versions if name != "netchoice")
    return (
        f"We used netchoice {versions['netchoice']} (Python {settings['python']}, {others}; seed "
        f"{settings['seed']})."
    )


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"
