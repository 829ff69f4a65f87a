"""Sections that only the report of a choice has."""

from __future__ import annotations

import numpy as np

from netchoice.figures.data.histograms import feature_histogram
from netchoice.figures.interactive import models
from netchoice.figures.style import model_styles
from netchoice.markup import Html, element
from netchoice.report.elements import Sections, aside, cell, details, details_table, table
from netchoice.report.folder import ResultFolder

#: Dashes of an SVG line like those of Plotly.
DASHES = {"solid": None, "dash": "9 4", "dot": "3 3", "dashdot": "9 3 3 3", "longdash": "14 4"}
MOST_HISTOGRAMS, MOST_COLOURED = 5, 8  # models in one histogram, and in the embedding


def add_embedding(sections: Sections, folder: ResultFolder) -> None:
    """Add the embedding of simulated networks with the observed one."""
    embedding, fit = folder.evidence["embedding"], folder.evidence["fit"]
    names = list(fit["below"])
    rows = [
        (name, value, *(fit["below"][model][i] for model in names))
        for i, (name, value) in enumerate(zip(fit["features"], fit["observed"], strict=True))
    ]
    head = ("feature", "observed value", *(f"share below, {model}" for model in names))
    drawn = models.embedding(embedding, _most_probable(folder, MOST_COLOURED))
    sections.add(
        "embedding", "The network among the simulations",
        "Each point is a simulated network; similar networks are close to each other. The star is the "
        "observed network. If the star lies apart from all points, the network is outside the simulated "
        "range. Hover over a point for the parameters of the simulation; click a name in the legend to "
        "hide that model.",
        sections.draw("embedding", drawn, "Scatter plot of the embedding"),
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
    drawn_models = _most_probable(folder, MOST_HISTOGRAMS)
    is_drawn = np.isin(labels, drawn_models)
    figures, rows = [], []
    for i, (name, observed) in enumerate(folder.record["features"].items()):
        values = X[name].to_numpy(dtype=np.float64)
        histogram = feature_histogram(name, values[is_drawn], labels[is_drawn], float(observed))
        drawn = models.distribution(histogram)
        figures.append(sections.draw(f"feature-{i}", drawn, f"Histograms of {name} by model"))
        for model in sorted(set(labels)):
            quantiles = np.nanquantile(values[labels == model], (0.05, 0.5, 0.95)).tolist()
            rows.append((name, model, float(observed), *quantiles))
    head = ("feature", "model", "observed value", "5% quantile", "median", "95% quantile")
    rest = len(set(labels)) - len(drawn_models)
    shown = f" The figures show the {len(drawn_models)} most probable models." if rest else ""
    sections.add(
        "features", "The selected features",
        "Each histogram shows the simulations of one model; the thick line is the observed network. A "
        f"feature distinguishes models whose histograms do not overlap.{shown}",
        _line_keys(sorted(drawn_models)), element("div", *figures, class_="small"),
        details_table("Show the quantiles as a table", "Quantiles of simulations", head, rows),
    )  # fmt: skip


def _most_probable(folder: ResultFolder, n: int) -> list[str]:
    """Return the names of the n most probable models."""
    probabilities = folder.record["probabilities"]
    ranked = sorted(folder.record["intervals"], key=lambda name: -probabilities[name])
    return ranked[:n]


def _line_keys(names: list[str]) -> Html:
    """Return the line of each model, and that of the observed network, with their names."""
    lines = {
        name: {
            "stroke_width": 3,
            "stroke_dasharray": DASHES[style.dash],
            "style": f"color:{style.colour}",
            "data_colour": style.colour,
        }
        for name, style in model_styles(names).items()
    }
    lines["observed network"] = {"stroke_width": 5}
    items = []
    for name, line in lines.items():
        path = element("path", d="M0 5H30", stroke="currentColor", **line)
        drawn = element("svg", path, viewBox="0 0 30 10", aria_hidden="true", class_="line")
        items.append(element("li", drawn, name))
    return element("ul", *items, class_="keys")


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
        aside(
            f"Held-out accuracy: {record['accuracy']:.2%}. Logarithmic score "
            f"{scores['log_score']:.4g}, Brier score {scores['brier']:.4g}; 0 is perfect for both."
        ),
        details_table("Show the points as a table", "Predictions by probability", head, rows),
        details("Show which models are confused with each other", confusion),
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
