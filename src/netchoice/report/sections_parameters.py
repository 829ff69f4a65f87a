"""The section about parameters: posteriors of each model that fits, and their quality."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from netchoice.figures.interactive import posteriors
from netchoice.report.elements import Sections, details_table, table
from netchoice.report.folder import ResultFolder
from netchoice.report.markup import Html, element

_QUALITY_HEAD = (
    "parameter", "expected error", "prior standard deviation", "shrinkage",
    "intervals that contain the true value", "uncertainty of this share", "p-value of the ranks",
)  # fmt: skip


def add_parameters(sections: Sections, folder: ResultFolder) -> None:
    """Add posteriors and their quality, of the named model and of other models that fit."""
    record, known = folder.record, folder.evidence["posteriors"]
    if not known:
        return
    specs: list[dict[str, Any]] = (record.get("space") or {}).get("models", [])
    by_name = {spec["name"]: spec for spec in specs}
    blocks, rows = [], []
    for i, (model, posterior) in enumerate(known.items()):
        parameters, spec = record["parameters"][model], by_name.get(model, {})
        blocks.append(_block(sections, i, model, posterior, parameters, spec))
        rows += [_row(model, name, parameters[name], spec) for name in parameters]
    head = ("model", "parameter", "median", "lower end", "upper end", "coverage",
            "at the prior's boundary", "prior")  # fmt: skip
    sections.add(
        "parameters",
        f"Parameters of {next(iter(known))}" if len(known) == 1 else "Parameters of each model",
        "The filled area is the posterior density of the parameter. If it looks like the prior, the "
        "network does not determine the parameter. A dashed line is a uniform prior. Points are draws of "
        "two parameters together; the axes span the priors.",
        *blocks,
        details_table("Show the numbers as a table", "Posteriors under each model", head, rows),
    )  # fmt: skip


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
    spec: Mapping[str, Any],
) -> Html:
    """Return the figures and the quality of one model."""
    # If networks are density-matched, only some draws are kept, and those need not be uniform.
    priors = {} if "match" in spec else spec.get("priors", {})
    figures, ranks = [], []
    for j, (name, known) in enumerate(parameters.items()):
        drawn = posteriors.posterior(
            name, posterior, known, uniform=is_uniform(priors.get(name, ""))
        )
        figures.append(sections.draw(f"parameter-{i}-{j}", drawn, f"Posterior of {model} {name}"))
        ranked = posteriors.rank_histogram(name, posterior)
        ranks.append(
            sections.draw(f"ranks-{i}-{j}", ranked, f"Ranks of true values of {model} {name}")
        )
    for j, (first, second) in enumerate(combinations(parameters, 2)):
        drawn = posteriors.joint(first, second, posterior)
        text = f"Draws of {first} and {second} of {model}"
        figures.append(sections.draw(f"joint-{i}-{j}", drawn, text))
    return element(
        "article",
        element("h3", model),
        element("div", *figures, class_="small"),
        _quality(model, parameters),
        element("div", *ranks, class_="small"),
    )


def _quality(model: str, parameters: Mapping[str, Any]) -> Html:
    n = next(iter(parameters.values()))["held_out"]
    rows = [
        (name, known["rmse"], known["prior_sd"], known["shrinkage"],
         f"{known['interval_coverage']:.1%}, stated {known['coverage']:.0%}",
         " to ".join(f"{end:.1%}" for end in known["interval_coverage_interval"]),
         f"{known['rank_p_value']:.2g}")
        for name, known in parameters.items()
    ]  # fmt: skip
    text = (
        f"{n} simulations of {model} with known parameters were held out and estimated like the "
        "network. The expected error is the root mean squared error of the posterior mean. Shrinkage is 0 "
        "if the features say nothing about a parameter and 1 if they determine it. If posteriors are "
        "exact, the bars below are equally high up to chance. High outer bars: posteriors are too narrow. "
        "A high middle: they are too wide."
    )
    return element(
        "div",
        element("h4", "How good are these estimates?"),
        element("p", text, class_="aside"),
        table(f"Quality of the posteriors of {model}", _QUALITY_HEAD, rows),
    )


def is_uniform(prior: str) -> bool:
    """Return whether a prior, given as text, is continuous and uniform.

    >>> [is_uniform(text) for text in ("uniform(0, 1)", "loguniform(1, 9)", "integers(1, 9)", "")]
    [True, False, False, False]
    >>> is_uniform("scipy.stats.uniform(0.25, 0.5) on [0.25, 0.75]")
    True
    """
    return prior.removeprefix("scipy.stats.").startswith("uniform(")
