"""Answers for networks of extreme shapes, with random models, options and time limits."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import netchoice
from netchoice.costs import CostError
from netchoice.errors import NetchoiceError
from netchoice.features import comparable_features
from netchoice.models.mechanisms import all_models

_SHAPES: dict[str, Callable[[int], Any]] = {
    "complete": nx.complete_graph, "path": nx.path_graph, "cycle": nx.cycle_graph, "wheel": nx.wheel_graph,
    "star": lambda n: nx.star_graph(n - 1), "empty": nx.empty_graph,
    "perfect matching": lambda n: nx.Graph([(2 * i, 2 * i + 1) for i in range(n // 2)]),
    "triangles": lambda n: nx.disjoint_union_all([nx.complete_graph(3)] * (n // 3 + 1)),
    "bipartite": lambda n: nx.complete_bipartite_graph(n // 2, n - n // 2),
    "isolated nodes": lambda n: nx.disjoint_union(nx.path_graph(3), nx.empty_graph(n)),
    "sparse": lambda n: nx.gnm_random_graph(n, n, seed=1),
    "dense": lambda n: nx.gnp_random_graph(n, 0.9, seed=1),
    "barbell": lambda n: nx.barbell_graph(max(3, n // 2), 2), "grid": lambda n: nx.grid_2d_graph(4, n // 4),
    "grown": lambda n: nx.barabasi_albert_graph(n, 2, seed=1),
    "a large degree": lambda n: nx.star_graph(100 * n),
}  # fmt: skip
_LIMITS = (1e-9, 0.05, 0.5, 1.0)
#: Seconds beyond 1.2 times the limit that an answer may take: what is loaded and drawn in any case.
_SLACK = 0.5


def _options(rng: np.random.Generator) -> dict[str, Any]:
    def is_given() -> bool:
        return bool(rng.random() < 0.3)

    names = [*all_models()]
    options: dict[str, Any] = {"time_limit": float(rng.choice(_LIMITS))}
    models = [str(name) for name in rng.choice(names, int(rng.integers(2, 5)), replace=False)]
    if is_given():
        models[0] += str(rng.choice(["~edges", "~nodes", f"+{models[1]}"]))
    options["space"] = ",".join(models)
    if is_given():
        options["isolated"] = str(rng.choice(["keep", "drop"]))
    if is_given():
        features = rng.choice(comparable_features(), int(rng.integers(1, 4)))
        options["features"] = [str(name) for name in features]
    if rng.random() < 0.15:
        name, values = [
            ("budget", ["1us", "2%", "1e300", "500%"]), ("penalty", [0, 1e300]), ("method", ["jmi", "mrmr"])
        ][int(rng.integers(3))]  # fmt: skip
        options[str(name)] = values[int(rng.integers(len(values)))]
    options["seed"] = [0, 1, 2**32 - 1, 2**63, 10**30][int(rng.integers(5))]
    return options


def answer(rng: np.random.Generator, folder: Path) -> str:
    """Answer for a network of an extreme shape; everything that the answer says must agree."""
    shape = str(rng.choice(list(_SHAPES)))
    network = _SHAPES[shape](int(rng.choice([8, 9, 12, 20, 60])))
    options = _options(rng)
    print(shape, network.number_of_nodes(), options)
    start = time.process_time()
    try:
        found = netchoice.choose_model(
            network, **options, engine="serial", out=folder / "a", on_progress=False
        )
    except (NetchoiceError, CostError) as error:
        print(error)
        is_line = "\n" not in str(error) and len(str(error)) < 1000
        return "one line" if is_line else "SEVERAL LINES"
    seconds = time.process_time() - start
    wrong = "\n".join(contradictions(found))
    if wrong:
        print(wrong)
        return "CONTRADICTION"
    if netchoice.Answer.load(folder / "a").as_dict() != found.as_dict():
        return "CHANGED"
    is_late = seconds > 1.2 * options["time_limit"] + _SLACK
    return "late" if is_late else "answer"


def contradictions(answer: netchoice.Answer) -> list[str]:
    """Return what in an answer contradicts the rest of it."""
    found = []
    known = [each.probability for each in answer.models if each.probability is not None]
    if known and abs(sum(known) - 1) > 1e-6:
        found.append(f"probabilities add up to {sum(known)}")
    for each in answer.models:
        if each.probability is not None and each.interval is not None:
            low, high = each.interval
            if not low - 1e-9 <= each.probability <= high + 1e-9:
                found.append(f"{each.name}: {each.probability} is not in {each.interval}")
        if each.p_value is not None and not 0 <= each.p_value <= 1:
            found.append(f"{each.name}: p = {each.p_value}")
        for name, known_parameter in each.parameters.items():
            low, high = known_parameter.interval
            if not low <= known_parameter.median <= high:
                found.append(f"{each.name} {name}: {known_parameter}")
    states = {each.name: each.state for each in answer.models}
    if answer.verdict.model is not None and states[answer.verdict.model] != "fits":
        found.append(f"{answer.verdict.model} is named and {states[answer.verdict.model]}")
    if answer.verdict.kind == "none-fits" and answer.candidates:
        found.append("none fits, and there are candidates")
    if "time limit" in answer.verdict.sentence and answer.is_complete:
        found.append("complete, and ended by the time limit")
    lines = answer.summary().splitlines()
    if len(lines) > 12 or max(map(len, lines)) > 100:
        found.append(f"{len(lines)} lines, the longest of {max(map(len, lines))} characters")
    words = {word.strip("(),;:") for line in lines for word in line.split()}
    found += [f"{word} in the text" for word in ("nan", "inf", "None") if word in words]
    json.loads(answer.to_json(), parse_constant=found.append)
    return found


KINDS = {"answers for extreme networks": answer}
SHARES = {"answers for extreme networks": 0.1}
