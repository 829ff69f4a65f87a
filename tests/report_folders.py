"""Small answers and evaluations, and copies of them with other verdicts or with markup in every name."""

import functools
import json
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pandas as pd
import pytest

import netchoice
from netchoice import cli
from netchoice.choice.answer import Evidence
from netchoice.inference.verdict import verdict_of

#: Names that neither the page nor a figure may interpret as markup.
MARKUP_NAMES = (
    "<b>{}</b>",
    '<a href="https://x.org">{}</a>',
    "<img src=x onerror=hit=1>{}",
    "</script><script>hit=1</script>{}",
    "<!--<script>{}\u2028",
    "'\"><svg onload=hit=1>{}",
    "{}&lt;i&gt;%{{x}}$x$",
)
FEW = ["degree_mean", "degree_std", "transitivity", "n_triangles", "core_2_size"]
NO_EVIDENCE = Evidence(None, {}, {}, {}, (), {})


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main([str(a) for a in arguments])
    return ended.value.code


@functools.cache
def made_answer():
    """Return the answer for a network of dmr in which both models of duplication fit."""
    model, rng = netchoice.get_model("dmr"), np.random.default_rng(5)
    graph = model.grow(40, {"p_delete": 0.4, "p_new": 0.7}, rng, isolated="drop")
    names = [MARKUP_NAMES[u % 2].format(u) for u in range(graph.n_nodes)]
    graph = netchoice.Graph(graph.indptr, graph.indices, names)
    effort = netchoice.Effort.small()
    return netchoice.choose_model(graph, "duplication", effort=effort, engine="serial")


def with_states(answer, states, probabilities):
    """Return an answer in which models have these states, and candidates these probabilities."""
    models = []
    for name, state in states.items():
        source = answer["dmr" if name not in ("dmc", "dmr") else name]
        chance = probabilities.get(name)
        interval = None if chance is None else (chance / 2, (1 + chance) / 2)
        parameters = {} if chance is None else source.parameters
        p_value = {"fits": 0.4, "borderline": 0.01, "does not fit": 0.001}.get(state)
        models.append(
            replace(
                source, name=name, state=state, p_value=p_value, p_interval=(0.0, p_value or 1.0),
                probability=chance, interval=interval, parameters=parameters,
            )
        )  # fmt: skip
    p_values = {each.name: each.p_value for each in models if each.p_value is not None}
    intervals = {each.name: each.interval for each in models if each.interval is not None}
    families = {each.name: each.family for each in models}
    verdict = verdict_of(states, p_values, probabilities, intervals, families)
    return replace(answer, models=tuple(models), verdict=verdict)


def differing(answer, names=("dmc", "dmr")):
    """Return an answer whose network is outside all simulations of these models, with advice."""
    from netchoice.choice.discrepancies import Advice, Discrepancy

    one = Discrepancy(
        "transitivity", "transitivity", "clustering", 0.9, 0.1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 1.0, "larger",
        2.0, "larger transitivity than any of the 60 simulations: 0.9, simulated 0.1 to 0.5",
    )  # fmt: skip
    advice = Advice("try all mechanisms", "--space all --match")
    models = [
        replace(each, discrepancies=(one,), outside=("transitivity",), advice=(advice,))
        if each.name in names else each
        for each in answer.models
    ]  # fmt: skip
    return replace(answer, models=tuple(models))


def rejected(answer):
    """Return an answer in which no model fits."""
    none = with_states(answer, dict.fromkeys(("dmc", "dmr"), "does not fit"), {})
    none = replace(none, evidence=replace(none.evidence, posteriors={}), power={})
    return differing(none)


def undecided(answer):
    """Return an answer of a run that a time limit ended early."""
    still_open = with_states(answer, dict.fromkeys(("dmc", "dmr"), "open"), {})
    models = tuple(replace(each, p_value=None, p_interval=None) for each in still_open.models)
    settings = still_open.settings | {"time_limit": 1.0}
    return replace(
        still_open, models=models, evidence=NO_EVIDENCE, is_complete=False, power={}, settings=settings
    )  # fmt: skip


def with_many_models(answer):
    """Return an answer in which all 25 mechanisms fit."""
    names = ["dmr", *(name for name in netchoice.get_space("all").labels if name != "dmr")]
    many = with_states(answer, dict.fromkeys(names, "fits"), dict.fromkeys(names, 1 / len(names)))
    evidence = answer.evidence
    shown = names[:3]
    values = next(iter(evidence.samples.values()))["dmr"]
    samples = {feature: dict.fromkeys(names[:8], values) for feature in list(evidence.samples)[:6]}
    models = [names[i % 8] for i in range(len(evidence.map.model))]
    evidence = replace(
        evidence,
        posteriors=dict.fromkeys(shown, evidence.posteriors["dmr"]),
        envelopes=dict.fromkeys(shown, evidence.envelopes["dmr"]),
        samples=samples,
        map=replace(evidence.map, model=tuple(models)),
    )
    return differing(replace(many, evidence=evidence), names)


class Renamer:
    """Replace names by names that look like markup, the same name always by the same."""

    def __init__(self, names):
        self.names, self.known = set(names), {}

    def __call__(self, value):
        if is_dataclass(value):
            own = {each.name: getattr(value, each.name) for each in fields(value)}
            return replace(
                value, **{name: self(part) for name, part in own.items() if name != "graph"}
            )
        if isinstance(value, dict):
            return {self(key): self(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self(part) for part in value)
        if isinstance(value, str) and value in self.names:
            number = len(self.known) % len(MARKUP_NAMES)
            return self.known.setdefault(value, MARKUP_NAMES[number].format(value))
        return value


def with_markup(answer):
    """Return an answer with markup in models, parameters, features and notes, and the new names."""
    parameters = {name for each in answer.models for name in each.parameters}
    features = {name for each in answer.features for name in (each.name, each.label)}
    renamer = Renamer({each.name for each in answer.models} | parameters | features)
    renamed = renamer(answer)
    notes = tuple(name.format("a note") for name in MARKUP_NAMES)
    versions = {**answer.settings["versions"], MARKUP_NAMES[0].format("package"): "<i>1.0</i>"}
    settings = {**answer.settings, "versions": versions}
    return replace(renamed, notes=notes, settings=settings), renamer.known


@functools.cache
def made_evaluation():
    """Return an evaluation of a small table whose column names look like markup."""
    rng = np.random.default_rng(1)
    ill = rng.integers(2, size=120)
    columns = {
        name.format(f"test{i}"): ill * (i % 3) + rng.normal(size=120)
        for i, name in enumerate(MARKUP_NAMES)
    }
    labels = np.where(ill, "<i>ill</i>", "well")
    frame = pd.DataFrame({**columns, "NA": rng.normal(size=120), "label": labels})
    costs = {name: float(i**2) for i, name in enumerate([*columns, "NA"])}
    return netchoice.evaluate_features(
        netchoice.ReferenceTable.from_frame(frame), methods=["jmi", "relieff"], folds=4,
        penalties=[0, 1, 10], costs=netchoice.CostModel(costs), on_progress=False,
    )  # fmt: skip


def change_json(file, change):
    """Return a function that changes a JSON file of a folder."""

    def damage(folder):
        record = json.loads((folder / file).read_text())
        change(record)
        (folder / file).write_text(json.dumps(record))

    return damage
