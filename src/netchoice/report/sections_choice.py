"""Sections that only the report of an answer for a network has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from netchoice.report import figures_answer
from netchoice.report.folder import Held
from netchoice.report.markup import Html, element
from netchoice.report.parts import Sheet, cell, details, paragraph, table
from netchoice.workflows.choice import chance


def add_models(sheet: Sheet, record: Mapping[str, Any]) -> None:
    """Model probabilities, and the parameters of the most probable one."""
    chances = record["probabilities"]
    rows = [
        (
            name,
            chance(chances[name]),
            " to ".join(map(chance, record["intervals"][name])),
            f"{record['fit_p_values'][name]:.3g}",
        )
        for name in sorted(chances, key=lambda name: -chances[name])
    ]
    sheet.add(
        "models",
        "Model probabilities",
        "A bar is the probability that a model made the network, given that one of them did; the line "
        "across its end is how uncertain that is.",
        sheet.draw(
            "models",
            figures_answer.probabilities(record),
            "Bars of the probability of each model, with intervals",
        ),
        details(
            "The numbers as a table",
            table("Most probable first", ("model", "probability", "between", "fit p"), rows),
        ),
    )


def add_parameters(sheet: Sheet, record: Mapping[str, Any], kept: Mapping[str, Any] | None) -> None:
    """What is known of each parameter."""
    if not kept:
        return
    made = _most_probable(record)
    priors, matched = made.get("priors", {}), "match" in made
    flat = {n for n in record["parameters"] if not matched and is_flat(priors.get(n, ""))}
    drawn = [
        sheet.draw(
            f"parameter-{i}",
            figures_answer.posterior(name, kept, told, flat=name in flat),
            f"Histogram of what is known of the parameter {name}",
        )
        for i, (name, told) in enumerate(record["parameters"].items())
    ]
    rows = [
        (
            name,
            told["median"],
            *told["interval"],
            f"{told['coverage']:.0%}",
            told["at_boundary"] or "no",
            priors.get(name, "not told") + (", given the density" if matched else ""),
        )
        for name, told in record["parameters"].items()
    ]
    head = (
        "parameter",
        "median",
        "lower end",
        "upper end",
        "coverage",
        "at the prior's boundary",
        "prior",
    )
    sheet.add(
        "parameters",
        f"Parameters of {record['model']}",
        "Where the filled area is high, the parameter is probable; a posterior that looks like its "
        "prior says that the network told nothing about it."
        + (" The dashed line is a flat prior." if flat else ""),
        element("div", *drawn, class_="small"),
        details("The numbers as a table", table("If this model made the network", head, rows)),
    )


def _most_probable(record: Mapping[str, Any]) -> dict[str, Any]:
    """What the folder tells of that model, if anything.

    Its priors hold before any network is grown. Where networks must match in density, only some
    of the draws are kept, and these need not be flat.
    """
    models: list[dict[str, Any]] = (record.get("space") or {}).get("models", [])
    return next((model for model in models if model["name"] == record["model"]), {})


def is_flat(prior: str) -> bool:
    """Whether every value between the bounds is as likely as any other.

    >>> [is_flat(text) for text in ("uniform(0, 1)", "loguniform(1, 9)", "integers(1, 9)", "")]
    [True, False, False, False]
    >>> is_flat("scipy.stats.uniform(0.25, 0.5) on [0.25, 0.75]")
    True
    """
    return prior.removeprefix("scipy.stats.").startswith("uniform(")


def add_cloud(sheet: Sheet, held: Held) -> None:
    """Where the network lies among simulations."""
    embedding, fit = held.evidence["embedding"], held.evidence["fit"]
    models = list(fit["below"])
    rows = [
        (name, value, *(fit["below"][model][i] for model in models))
        for i, (name, value) in enumerate(zip(fit["features"], fit["observed"], strict=True))
    ]
    places = f"{len(embedding['features'])} features"
    sheet.add(
        "cloud",
        "Where the network lies",
        "Each sign is a simulated network, and near ones are alike; the star is the observed one. If it "
        "stands apart from all, no model explains it. Hover for the parameters of a simulation; click a "
        "name to hide its model.",
        sheet.draw(
            "cloud",
            figures_answer.cloud(embedding),
            "Scatter plot of simulated networks by model with the observed network among them",
        ),
        paragraph(
            f"Distances in the plane have correlation {embedding['pearson']:.2f} with those between "
            f"{places} (distance correlation {embedding['distance_correlation']:.2f}).",
            class_="aside",
        ),
        details(
            "Feature by feature: the share of simulations below the network's value",
            table(
                "0 or 1: beyond all simulations of the model",
                ("feature", "observed", *(f"below, {model}" for model in models)),
                rows,
            ),
        ),
    )


def add_features(sheet: Sheet, held: Held) -> None:
    """Each selected feature's distribution per model with the observed value."""
    assert held.table is not None
    X, models = held.table.X, held.table.y.astype(str).to_numpy()
    drawn, rows = [], []
    for i, (name, observed) in enumerate(held.record["features"].items()):
        values = X[name].to_numpy(dtype=np.float64)
        drawn.append(
            sheet.draw(
                f"feature-{i}",
                figures_answer.distribution(name, values, models, float(observed)),
                f"Histograms of {name} by model, with the value of the observed network",
            )
        )
        for model in sorted(set(models)):
            low, middle, high = np.nanquantile(values[models == model], (0.05, 0.5, 0.95)).tolist()
            rows.append((name, model, float(observed), low, middle, high))
    head = ("feature", "model", "observed", "5% of simulations below", "median", "95% below")
    sheet.add(
        "features",
        "The features that the answer rests on",
        "The steps are the simulations of each model, the thick line is the observed network: where "
        "models do not overlap, the feature tells them apart.",
        element("div", *drawn, class_="small"),
        details("The numbers as a table", table("Simulations of each model", head, rows)),
    )


def add_reliability(sheet: Sheet, held: Held) -> None:
    """Can the probabilities be believed?"""
    record, bins = held.record, held.evidence["reliability"]
    told = list(next(iter(record["confusion"].values())))
    confusion = table(
        "Rows: the true model of held-out simulations; columns: the model told",
        ("true", *told),
        [(name, *(row[other] for other in told)) for name, row in record["confusion"].items()],
    )
    scores = record["scores"]
    rows = [
        (f"{row['low']:.1f} to {row['high']:.1f}", int(row["n"]), row["predicted"], row["observed"])
        for row in bins
    ]
    sheet.add(
        "reliability",
        "Can the probabilities be believed?",
        "Simulations whose model is known were left out and then told. On the dashed line, what is told "
        "with probability 0.8 is so eight times in ten; larger dots stand for more cases.",
        sheet.draw(
            "reliability",
            figures_answer.reliability(bins),
            "Share of cases that were so against the probability told",
            "narrow",
        ),
        confusion,
        paragraph(
            f"Told rightly: {record['accuracy']:.2%}. Logarithmic score {scores['log_score']:.4g}, "
            f"Brier score {scores['brier']:.4g}; 0 is perfect for both.",
            class_="aside",
        ),
        details(
            "The dots as a table",
            table("By probability told", ("told", "cases", "mean told", "share that was so"), rows),
        ),
    )


def add_reading(sheet: Sheet, held: Held) -> None:
    """What was read, and what was compared."""
    if held.reading is not None:
        lines: Html = element("ul", *(element("li", line) for line in held.reading.lines()))
    else:
        lines = paragraph("The network was handed over in Python, not read from a file.")
    network = [
        (name.replace("_", " "), cell(value)) for name, value in held.record["network"].items()
    ]
    sheet.add(
        "reading",
        "What was read",
        "What the file held, what was dropped on the way to a simple network, and the network that was "
        "compared with simulations.",
        lines,
        table("The network that was compared", ("what", "value"), network),
    )
