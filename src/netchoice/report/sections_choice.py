"""Sections that only the report of a choice has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from netchoice.figures.data.histograms import feature_histogram
from netchoice.figures.interactive import models
from netchoice.markup import element
from netchoice.report.elements import Sections, aside, cell, details_table, table
from netchoice.report.folder import ResultFolder
from netchoice.workflows.choice_text import format_probability


def add_models(sections: Sections, record: Mapping[str, Any]) -> None:
    """Add the probabilities of the models."""
    probabilities = {name: record["probabilities"][name] for name in record["intervals"]}
    specs: list[dict[str, Any]] = (record.get("space") or {}).get("models", [])
    families = [
        (
            family,
            format_probability(p),
            ", ".join(m["name"] for m in specs if m["family"] == family),
        )
        for family, p in record["families"].items()
    ]
    rows = [
        (name, format_probability(probabilities[name]),
         " to ".join(map(format_probability, record["intervals"][name])),
         f"{record['fit_p_values'][name]:.3g}")
        for name in sorted(probabilities, key=lambda name: -probabilities[name])
    ]  # fmt: skip
    head = ("model", "probability", "interval", "p-value of the fit")
    of_families = ("family", "probability", "models compared")
    sections.add(
        "models", "Model probabilities",
        "Each bar is the probability that a model made the network, given that one of them did. The "
        "line across its end is the interval of that probability.",
        table("Families of models", of_families, families) if families else "",
        sections.draw("models", models.probabilities(record), "Bar chart of the probabilities"),
        details_table("Show the numbers as a table", "Most probable model first", head, rows),
    )  # fmt: skip


def add_screening(sections: Sections, record: Mapping[str, Any]) -> None:
    """Add the p-values of a large space's models, of which some were discarded first."""
    screening = record["screening"]
    if screening is None:
        return
    p_values, kept = screening["p_values"], screening["kept"]
    rows: list[tuple[Any, ...]] = [
        (name, f"{p_values[name]:.2g}", screening["simulations"][name],
         "compared" if name in kept else "discarded, probability 0")
        for name in sorted(p_values, key=lambda name: -p_values[name])
    ]  # fmt: skip
    rows += [(name, None, 0, "never has this density") for name in screening["unmatched"]]
    sections.add(
        "screening", "Screening",
        f"Models were screened with {len(screening['features'])} cheap features before they were compared. "
        "A p-value is the share of simulations of a model that are at most as typical of it as the "
        f"network. A model with a p-value of at most {screening['alpha']:g} was discarded; at least three "
        "models are always compared.",
        table("Screened models", ("model", "p-value", "simulations", "result"), rows),
    )  # fmt: skip


def add_embedding(sections: Sections, folder: ResultFolder) -> None:
    """Add the embedding of simulated networks with the observed one."""
    embedding, fit = folder.evidence["embedding"], folder.evidence["fit"]
    names = list(fit["below"])
    rows = [
        (name, value, *(fit["below"][model][i] for model in names))
        for i, (name, value) in enumerate(zip(fit["features"], fit["observed"], strict=True))
    ]
    head = ("feature", "observed value", *(f"share below, {model}" for model in names))
    sections.add(
        "embedding", "The network among the simulations",
        "Each point is a simulated network; similar networks are close to each other. The star is the "
        "observed network. If the star lies apart from all points, the network is outside the simulated "
        "range. Hover over a point for the parameters of the simulation; click a name in the legend to "
        "hide that model.",
        sections.draw("embedding", models.embedding(embedding), "Scatter plot of the embedding"),
        aside(
            f"The distances in the plane have a correlation of {embedding['pearson']:.2f} with the "
            f"distances between the networks in {len(embedding['features'])} features (distance "
            f"correlation {embedding['distance_correlation']:.2f})."
        ),
        details_table(
            "Show the share of simulations below the observed value of each feature",
            "0 or 1: outside the simulated range of the model", head, rows,
        ),
    )  # fmt: skip


def add_features(sections: Sections, folder: ResultFolder) -> None:
    """Add the distribution of each selected feature by model, with the observed value."""
    assert folder.table is not None
    X, labels = folder.table.X, folder.table.y.astype(str).to_numpy()
    figures, rows = [], []
    for i, (name, observed) in enumerate(folder.record["features"].items()):
        values = X[name].to_numpy(dtype=np.float64)
        drawn = models.distribution(feature_histogram(name, values, labels, float(observed)))
        figures.append(sections.draw(f"feature-{i}", drawn, f"Histograms of {name} by model"))
        for model in sorted(set(labels)):
            quantiles = np.nanquantile(values[labels == model], (0.05, 0.5, 0.95)).tolist()
            rows.append((name, model, float(observed), *quantiles))
    head = ("feature", "model", "observed value", "5% quantile", "median", "95% quantile")
    sections.add(
        "features", "The selected features",
        "Each histogram shows the simulations of one model; the thick line is the observed network. A "
        "feature distinguishes models whose histograms do not overlap.",
        element("div", *figures, class_="small"),
        details_table("Show the quantiles as a table", "Quantiles of simulations", head, rows),
    )  # fmt: skip


def add_reliability(sections: Sections, folder: ResultFolder) -> None:
    """Add the reliability diagram and the confusion matrix."""
    record, bins = folder.record, folder.evidence["reliability"]
    predicted = list(next(iter(record["confusion"].values())))
    confusion = table(
        "Confusion matrix of held-out simulations: true model in rows, predicted model in columns",
        ("true model", *predicted),
        [(name, *(row[other] for other in predicted)) for name, row in record["confusion"].items()],
    )
    scores = record["scores"]
    rows = [
        (f"{row['low']:.1f} to {row['high']:.1f}", int(row["n"]), row["predicted"], row["observed"])
        for row in bins
    ]
    head = ("predicted probability", "predictions", "mean prediction", "observed frequency")
    sections.add(
        "reliability", "Reliability diagram",
        "Simulations with known models were held out and predicted. On the dashed line, predictions "
        "with probability 0.8 are correct in 80% of cases. Larger points stand for more predictions; "
        "vertical lines span two standard errors on either side.",
        sections.draw("reliability", models.reliability(bins), "Reliability diagram", "narrow"),
        confusion,
        aside(
            f"Held-out accuracy: {record['accuracy']:.2%}. Logarithmic score "
            f"{scores['log_score']:.4g}, Brier score {scores['brier']:.4g}; 0 is perfect for both."
        ),
        details_table("Show the points as a table", "Predictions by probability", head, rows),
    )  # fmt: skip


def add_network(sections: Sections, folder: ResultFolder) -> None:
    """Add what was found in the network file, and the network that was used."""
    if folder.reading is not None:
        found = element("ul", *(element("li", line) for line in folder.reading.lines()))
    else:
        found = element("p", "The network was passed in Python, not read from a file.")
    network = folder.record["network"].items()
    rows = [(name.replace("_", " "), cell(value)) for name, value in network]
    sections.add(
        "network", "The observed network",
        "What the file contained, what was removed to obtain a simple network, and the network that "
        "was compared with the simulations.",
        found, table("The network that was compared", ("property", "value"), rows),
    )  # fmt: skip
