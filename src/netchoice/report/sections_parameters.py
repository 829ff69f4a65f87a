"""The section about parameters: posteriors of each model that fits, and their quality."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, islice
from typing import Any

from netchoice.figures.interactive import posteriors
from netchoice.figures.style import model_colour
from netchoice.markup import Html, element, join
from netchoice.report.elements import Sections, aside, details, details_table, model_name, table
from netchoice.report.folder import ResultFolder

_QUALITY = (
    "The quality of the estimates was measured on simulations with known parameters, which were held out "
    "and estimated like the network. The expected error is the root mean squared error of the posterior "
    "mean. Shrinkage is 0 if the features say nothing about a parameter and 1 if they determine it. The "
    "relative rank is the share of draws below the true value. If posteriors are exact, its line is level, "
    "up to chance. High ends: posteriors are too narrow. A high middle: they are too wide."
)
MOST_SHOWN, MOST_DRAWN = 2, 4  # models whose posteriors are shown at once, and drawn at all
MOST_PAIRS = 3  # pairs of parameters of one model


def add_parameters(sections: Sections, folder: ResultFolder) -> None:
    """Add posteriors and their quality, of the named model and of other models that fit."""
    record, known = folder.record, folder.evidence["posteriors"]
    if not known:
        return
    specs: list[dict[str, Any]] = (record.get("space") or {}).get("models", [])
    by_name = {spec["name"]: spec for spec in specs}
    blocks, rows, any_uniform = [], [], False
    for i, (model, posterior) in enumerate(known.items()):
        parameters, spec = record["parameters"][model], by_name.get(model, {})
        uniform = _uniform(spec)
        any_uniform = any_uniform or bool(uniform)
        if i < MOST_DRAWN:
            blocks.append(_block(sections, i, model, posterior, parameters, uniform))
        rows += [_row(model, name, parameters[name], spec) for name in parameters]
    rest = len(known) - MOST_DRAWN
    head = ("model", "parameter", "median", "lower end", "upper end", "coverage",
            "at the prior's boundary", "prior")  # fmt: skip
    sections.add(
        "parameters", "Parameters",
        "The filled area is the posterior density of the parameter. If it looks like the prior, the "
        "network does not determine the parameter. Points are draws of two parameters together; the axes "
        "span the priors." + (" The dashed line is a uniform prior." if any_uniform else ""),
        aside(_QUALITY),
        *blocks[:MOST_SHOWN],
        details(f"Show {', '.join(list(known)[MOST_SHOWN:MOST_DRAWN])}", join(blocks[MOST_SHOWN:]))
        if len(blocks) > MOST_SHOWN else "",
        aside(f"{rest} less probable {'model is' if rest == 1 else 'models are'} in the table only.")
        if rest > 0 else "",
        details_table("Show the numbers as a table", "Posteriors under each model", head, rows),
    )  # fmt: skip


def _uniform(spec: Mapping[str, Any]) -> set[str]:
    """Return the parameters of a model that have a uniform prior.

    If networks are density-matched, only some draws are kept, and those need not be uniform.
    """
    priors = {} if "match" in spec else spec.get("priors", {})
    return {name for name, prior in priors.items() if is_uniform(prior)}


def _row(
    model: str, name: str, known: Mapping[str, Any], spec: Mapping[str, Any]
) -> tuple[Any, ...]:
    prior = spec.get("priors", {}).get(name, "unknown")
    prior += ", density-matched" if "match" in spec else ""
    coverage, boundary = f"{known['coverage']:.0%}", known["at_boundary"] or "no"
    return (model, name, known["median"], *known["interval"], coverage, boundary, prior)


def _block(
    sections: Sections,
    i: int,
    model: str,
    posterior: Mapping[str, Any],
    parameters: Mapping[str, Any],
    uniform: set[str],
) -> Html:
    """Return the figures and the quality of one model."""
    figures, ranks, colour = [], [], model_colour(model)
    for j, (name, known) in enumerate(parameters.items()):
        drawn = posteriors.posterior(name, posterior, known, uniform=name in uniform, colour=colour)
        figures.append(sections.draw(f"parameter-{i}-{j}", drawn, f"Posterior of {model} {name}"))
        ranked = posteriors.rank_histogram(name, posterior, colour)
        ranks.append(
            sections.draw(f"ranks-{i}-{j}", ranked, f"Ranks of true values of {model} {name}")
        )
    for j, (first, second) in enumerate(islice(combinations(parameters, 2), MOST_PAIRS)):
        drawn = posteriors.joint(first, second, posterior, colour)
        text = f"Draws of {first} and {second} of {model}"
        figures.append(sections.draw(f"joint-{i}-{j}", drawn, text))
    return element(
        "article",
        element("h3", model_name(model)),
        element("div", *figures, class_="small"),
        _quality(model, parameters),
        element("div", *ranks, class_="small"),
    )


def _quality(model: str, parameters: Mapping[str, Any]) -> Html:
    """Return the table of errors, shrinkage and coverage on held-out simulations."""
    first = next(iter(parameters.values()))
    rows = []
    for name, known in parameters.items():
        low, high = known["interval_coverage_interval"]
        covered = f"{known['interval_coverage']:.1%} ({low:.1%} to {high:.1%})"
        numbers = [known[key] for key in ("rmse", "prior_sd", "shrinkage")]
        rows.append((name, *numbers, covered, f"{known['rank_p_value']:.2g}"))
    head = ("parameter", "expected error", "prior standard deviation", "shrinkage",
            f"coverage of {first['coverage']:.0%} intervals", "p-value of uniform ranks")  # fmt: skip
    return table(f"Quality on {first['held_out']} held-out simulations of {model}", head, rows)


def is_uniform(prior: str) -> bool:
    """Return whether a prior, given as text, is continuous and uniform.

    >>> [is_uniform(text) for text in ("uniform(0, 1)", "loguniform(1, 9)", "integers(1, 9)", "")]
    [True, False, False, False]
    >>> is_uniform("scipy.stats.uniform(0.25, 0.5) on [0.25, 0.75]")
    True
    """
    return prior.removeprefix("scipy.stats.").startswith("uniform(")
