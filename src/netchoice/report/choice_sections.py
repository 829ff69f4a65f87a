"""Sections of the report of a choice: models, fit, parameters, simulations, features, network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, islice
from typing import Any

import numpy as np
import pandas as pd

from netchoice import figures
from netchoice.figures import fit_panels, posterior_panels
from netchoice.figures.cohort_figures import thin
from netchoice.figures.distributions import draw_histogram, feature_histogram
from netchoice.figures.embeddings import MOST_EDGES, MOST_NODES, is_drawable
from netchoice.figures.fit_panels import TEXTS, FitPanel, percent, range_text
from netchoice.figures.style import model_colour, model_styles
from netchoice.figures.svg import draw_svg
from netchoice.graph import Graph
from netchoice.markup import Html, element, join
from netchoice.models.space import FAMILIES
from netchoice.profiles import Envelope
from netchoice.report.folder import ResultFolder
from netchoice.report.headline import model_text
from netchoice.report.page import (
    WIDE_SIZE,
    Sections,
    aside,
    cell,
    details,
    details_table,
    keys,
    model_name,
    panels,
    series_keys,
    table,
)
from netchoice.workflows.choice_text import format_probability

MOST_BARS = 12  # models in the figure of probabilities
MOST_DRAWN_FITS, MOST_SHOWN_FITS, MOST_SHOWN_PANELS = (
    10,
    3,
    3,
)  # models with panels, and shown at once
MOST_DRAWN, MOST_SHOWN, MOST_PAIRS = 4, 2, 3  # models with posteriors, shown at once, pairs of each
MOST_POINTS, MOST_COLOURED, MOST_HISTOGRAMS = 1500, 8, 5  # in the embedding; models in a histogram
NETWORK_SIZE = (14.0, 14.0)  # inches; the drawing has no text
_QUALITY = (
    "The quality of the estimates was measured on simulations with known parameters, which were held out "
    "and estimated like the network. The expected error is the root mean squared error of the posterior "
    "mean. Shrinkage is 0 if the features say nothing about a parameter and 1 if they determine it. The "
    "relative rank is the share of draws below the true value. If posteriors are exact, its line is level, "
    "up to chance. High ends: posteriors are too narrow. A high middle: they are too wide."
)


def add_models(sections: Sections, record: Mapping[str, Any]) -> None:
    """Add the probability and the fit of each model and family."""
    compared = {name: record["probabilities"][name] for name in record["intervals"]}
    n_drawn = min(MOST_BARS, len(compared))
    rest = len(compared) - n_drawn
    listed = ", ".join(f"{name} {format_probability(compared[name])}" for name in compared)
    shown = f" The figure shows the {n_drawn} most probable models, the table all." if rest else ""
    sections.add(
        "models", "Probability and fit of each model",
        "A bar is the probability that a model made the network, given that one of the models did. The "
        "line across its end is the interval of that probability. A model fits if the p-value of its fit "
        f"is above {record['fit']['alpha']:g}.{shown}",
        sections.draw(
            f"Probability of each model: {listed}.",
            lambda ax: figures.probabilities(compared, record["intervals"], top=MOST_BARS, ax=ax),
            (WIDE_SIZE[0], 0.55 + 0.26 * n_drawn),
        ),
        _models_table(record), _families_table(record),
    )  # fmt: skip


def _models_table(record: Mapping[str, Any]) -> Html:
    """Return a row for each compared model, the most probable first."""
    alpha, p_values = record["fit"]["alpha"], record["fit_p_values"]
    rows = [
        (model_name(name), format_probability(record["probabilities"][name]),
         " to ".join(map(format_probability, record["intervals"][name])), f"{p_values[name]:.3g}",
         "yes" if p_values[name] > alpha else "no", _description(name))
        for name in sorted(record["intervals"], key=lambda name: -record["probabilities"][name])
    ]  # fmt: skip
    head = ("model", "probability", "interval", "p-value of the fit", "fits", "what it is")
    return table("Compared models, the most probable first", head, rows)


def _description(name: str) -> Html | None:
    known = model_text(name)
    if not known.sentence:
        return None
    # The references of a mixture are those of its two models.
    shown = f" {known.reference}." if known.reference and "+" not in name else ""
    return element("span", known.sentence, element("span", shown, class_="reference"))


def _families_table(record: Mapping[str, Any]) -> Html | str:
    """Return the probability of each family, if there are several."""
    specs: list[dict[str, Any]] = (record.get("space") or {}).get("models", [])
    rows = []
    for family, probability in record["families"].items():
        names = [spec["name"] for spec in specs if spec["family"] == family]
        compared = ", ".join(names) or "none, all were discarded by screening"
        rows.append((family, format_probability(probability), FAMILIES.get(family), compared))
    head = ("family", "probability", "what the models share", "models compared")
    return table("Families of models, the most probable first", head, rows) if rows else ""


def add_screening(sections: Sections, record: Mapping[str, Any]) -> None:
    """Add the p-values of a large space's models, of which some were discarded first."""
    screening = record["screening"]
    if screening is None:
        return
    p_values, kept = screening["p_values"], screening["kept"]
    rows: list[tuple[Any, ...]] = [
        (model_name(name), f"{p_values[name]:.2g}", screening["simulations"][name],
         "compared" if name in kept else "discarded, probability 0", _description(name))
        for name in sorted(p_values, key=lambda name: -p_values[name])
    ]  # fmt: skip
    rows += [
        (model_name(name), None, 0, "never has this density", _description(name))
        for name in screening["unmatched"]
    ]
    sections.add(
        "screening", "Models that were discarded first",
        f"{len(rows)} models were screened with {len(screening['features'])} cheap features; {len(kept)} "
        "were compared. A p-value is the share of simulations of a model that are at most as typical of "
        f"it as the network. A model with a p-value of at most {screening['alpha']:g} was discarded; at "
        "least three models are always compared.",
        table("Screened models, the most typical first",
              ("model", "p-value", "simulations", "result", "what it is"), rows),
        fold=f"Show all {len(rows)} screened models",
    )  # fmt: skip


def add_fit(sections: Sections, folder: ResultFolder) -> None:
    """Add panels and explanations of the fit of each model, if the folder holds them."""
    misfit, record = folder.evidence.get("misfit"), folder.record
    if not misfit:
        return
    names = sorted(misfit, key=lambda name: -record["probabilities"][name])
    envelopes = {name: _envelopes(misfit[name]) for name in names[:MOST_DRAWN_FITS]}
    drawn = {name: fit_panels.fit_panels(envelopes.get(name, {})) for name in names}
    blocks = [
        _fit_block(sections, i, name, misfit[name], drawn[name]) for i, name in enumerate(names)
    ]
    n, rest = MOST_SHOWN_FITS, len(names) - MOST_SHOWN_FITS
    others = details(
        f"Show {rest} less probable {'model' if rest == 1 else 'models'}", join(blocks[n:])
    )
    not_near = record["fit"].get("not_near", {})  # folders of earlier versions lack it
    others_from = f" ({', '.join(not_near)}: from the prior)" if not_near else ""
    source = (
        "From each model, networks were simulated with parameters from its posterior, given the observed "
        f"network{others_from}. The lists say what still differs"
        if record["fit"]["local"]
        else "From each model, networks were simulated with parameters from its prior. The lists say what "
        "differs"
    )
    has_panels = any(drawn.values())
    where = "; the panels show where" if has_panels else ""
    sections.add(
        "fit", "How well does each model fit?" if record["fits"] else "Why does no model fit?",
        f"{source}{where}. The most probable model comes first.",
        _legend() if has_panels else "", *blocks[:n], others if rest > 0 else "",
        _fit_table(envelopes) if has_panels else "",
    )  # fmt: skip


def _envelopes(entry: Mapping[str, Any]) -> dict[str, Envelope]:
    return {name: Envelope.from_dict(panel) for name, panel in entry["panels"].items()}


def _verdict(entry: Mapping[str, Any]) -> str:
    return f"{'fits' if entry['fits'] else 'does not fit'} (p = {entry['p_value']:.2g})"


def _legend() -> Html:
    """Return how to read a panel, for eyes and for screen readers."""
    meaning = {
        "observed": "observed network",
        "outside": "observed value outside the 95% range",
        "wide": "range of 95% of the simulations",
        "middle": "range of 50%, in the colour of the model",
    }
    note = (
        "⚠ marks a panel in which the observed line is farther outside the 95% ranges than the lines of "
        "95 in 100 simulations. About one value in 20 is outside by chance. Heights are square roots of "
        "shares, so that small shares can be seen."
    )
    return element("div", keys(meaning), aside(note))


def _fit_block(
    sections: Sections, i: int, name: str, entry: Mapping[str, Any], found: Sequence[FitPanel]
) -> Html:
    """Return what is known about one model: what differs, the panels, and what to try."""
    drawn = [_fit_figure(sections, name, panel) for panel in found]
    n = min(sum(panel.differs for panel in found) or MOST_SHOWN_PANELS, MOST_SHOWN_PANELS)
    titles = ", ".join(panel.text.title.lower() for panel in found[n:])
    if found:
        shown = panels(drawn[:n])
    elif entry["panels"]:
        shown = aside("The panels of this model are in the folder, among the figures.")
    else:
        shown = aside("No distributions were compared, to stay within the time limit.")
    return element(
        "article",
        element("h3", model_name(name), f" {_verdict(entry)}", class_=None if entry["fits"] else "differs"),
        _list("What differs", entry["discrepancies"]) or aside("No feature differs clearly."),
        shown,
        details(f"Show {titles}", panels(drawn[n:])) if titles else "",
        _list("What to try", entry["advice"]),
        id=f"fit-model-{i}",
    )  # fmt: skip


def _list(title: str, texts: Sequence[str]) -> Html:
    if not texts:
        return Html("")
    items = element("ul", *(element("li", text) for text in texts))
    return element("div", element("h4", title), items)


def _fit_figure(sections: Sections, model: str, panel: FitPanel) -> Html:
    plot = sections.draw(
        f"{panel.text.title} of {model}: {panel.sentence}",
        lambda ax: fit_panels.draw_panel(ax, panel, model_colour(model)),
    )
    title = element("h4", panel.text.title, class_="differs" if panel.differs else None)
    return element("div", title, aside(panel.sentence), plot, class_="fit-panel")


def _fit_table(models: Mapping[str, Mapping[str, Envelope]]) -> Html:
    """Return all observed values with the 95 % range of each model; models have the same bins."""
    models = {name: own for name, own in models.items() if own}
    first = next(iter(models.values()), {})
    rows = [
        (TEXTS[name].title, label, percent(first[name].observed[i]),
         *(range_text(*own[name].quantiles[[0, -1], i]) for own in models.values()))
        for name in first
        for i, label in enumerate(first[name].labels)
    ]  # fmt: skip
    head = ("panel", "value", "observed", *models)
    return details_table(
        "Show the numbers as a table", "Ranges of 95% of the simulations", head, rows
    )


def add_parameters(sections: Sections, folder: ResultFolder) -> None:
    """Add posteriors and their quality, of the named model and of other models that fit."""
    record, known = folder.record, folder.evidence["posteriors"]
    if not known:
        return
    specs: list[dict[str, Any]] = (record.get("space") or {}).get("models", [])
    by_name = {spec["name"]: spec for spec in specs}
    blocks, rows, any_uniform, coverage = [], [], False, 0.0
    for i, (model, posterior) in enumerate(known.items()):
        parameters, spec = record["parameters"][model], by_name.get(model, {})
        uniform = posterior_panels.uniform_priors(spec)
        any_uniform = any_uniform or bool(uniform)
        coverage = next(iter(parameters.values()))["coverage"]
        if i < MOST_DRAWN:
            blocks.append(_parameter_block(sections, model, posterior, parameters, uniform))
        rows += [_parameter_row(model, name, parameters[name], spec) for name in parameters]
    rest = len(known) - MOST_DRAWN
    head = ("model", "parameter", "median", "lower end", "upper end", "coverage",
            "at the prior's boundary", "prior")  # fmt: skip
    sections.add(
        "parameters", "Parameters",
        "The filled area is the posterior density of the parameter. If it looks like the prior, the "
        "network does not determine the parameter. Points are draws of two parameters together; the axes "
        "span the priors." + (" The dashed line is a uniform prior." if any_uniform else ""),
        aside(_QUALITY),
        keys({
            "middle": "posterior", "observed thick": f"{coverage:.0%} interval",
            **({"dashed": "uniform prior"} if any_uniform else {}),
            "step": "held-out simulations, by the rank of the true value", "wide": "99% range by chance",
        }),
        *blocks[:MOST_SHOWN],
        details(f"Show {', '.join(list(known)[MOST_SHOWN:MOST_DRAWN])}", join(blocks[MOST_SHOWN:]))
        if len(blocks) > MOST_SHOWN else "",
        aside(f"{rest} less probable {'model is' if rest == 1 else 'models are'} in the table only.")
        if rest > 0 else "",
        details_table("Show the numbers as a table", "Posteriors under each model", head, rows),
    )  # fmt: skip


def _parameter_row(
    model: str, name: str, known: Mapping[str, Any], spec: Mapping[str, Any]
) -> tuple[Any, ...]:
    prior = spec.get("priors", {}).get(name, "unknown")
    prior += ", density-matched" if "match" in spec else ""
    coverage, boundary = f"{known['coverage']:.0%}", known["at_boundary"] or "no"
    return (model, name, known["median"], *known["interval"], coverage, boundary, prior)


def _parameter_block(
    sections: Sections, model: str, posterior: Mapping[str, Any], parameters: Mapping[str, Any],
    uniform: set[str],
) -> Html:  # fmt: skip
    """Return the figures and the quality of one model."""
    colour, bounds = model_colour(model), posterior["bounds"] or {}
    draws = {name: _draws(posterior, name) for name in parameters}

    def drawn(draw: Callable[..., None], label: str, *arguments: Any, **options: Any) -> Html:
        return sections.draw(label, lambda ax: draw(ax, *arguments, colour=colour, **options))

    found, ranks = [], []
    for name, known in parameters.items():
        low, high = known["interval"]
        label = (
            f"Posterior of {model} {name}: median {known['median']:.3g}, {known['coverage']:.0%} "
            f"interval {low:.3g} to {high:.3g}."
        )
        bound = bounds.get(name)
        found.append(
            drawn(posterior_panels.draw_posterior, label, name, draws[name], known["interval"], bound,
                  uniform=name in uniform)
        )  # fmt: skip
        label = f"Ranks of the true values of {model} {name} in held-out simulations."
        chances = posterior["ranks"][name], posterior["rank_draws"]
        ranks.append(drawn(posterior_panels.draw_ranks, label, name, *chances))
    for pair in islice(combinations(parameters, 2), MOST_PAIRS):
        label = f"Draws of {pair[0]} and {pair[1]} of {model} together."
        found.append(drawn(posterior_panels.draw_pair, label, pair, draws, bounds))
    return element(
        "article", element("h3", model_name(model)), panels(found), _quality(model, parameters),
        panels(ranks),
    )  # fmt: skip


def _draws(posterior: Mapping[str, Any], name: str) -> Any:
    draws = np.array([draw for draw in posterior["draws"][name] if draw is not None], dtype=float)
    if not len(draws):
        raise ValueError(f"no draw of the parameter {name!r} is a number")
    return draws


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


def add_embedding(sections: Sections, folder: ResultFolder) -> None:
    """Add the embedding of simulated networks with the observed one."""
    embedding, fit = folder.evidence["embedding"], folder.evidence["fit"]
    names = list(fit["below"])
    rows = [
        (name, value, *(fit["below"][model][i] for model in names))
        for i, (name, value) in enumerate(zip(fit["features"], fit["observed"], strict=True))
    ]
    head = ("feature", "observed value", *(f"share below, {model}" for model in names))
    width, height = np.ptp(
        [*zip(embedding["x"], embedding["y"], strict=True), embedding["observed"]], axis=0
    )
    points = _embedding_points(embedding, _most_probable(folder, MOST_COLOURED))
    sections.add(
        "embedding", "The network among the simulations",
        "Each point is a simulated network; similar networks are close to each other. The star is the "
        "observed network. If the star lies apart from all points, the network is outside the simulated "
        "range. Point at a simulation to see its parameters.",
        series_keys(model_styles(sorted({*points["label"]} - {"observed"}))),
        sections.draw(
            f"Map of {len(points) - 1} simulated networks by model, with the observed network as a star.",
            lambda ax: figures.embedding(points, texts=False, ax=ax),
            (WIDE_SIZE[0], WIDE_SIZE[0] * float(np.clip(height / width, 0.4, 0.8))), scale=3.4,
        ),
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


def _embedding_points(record: Mapping[str, Any], coloured: Sequence[str]) -> pd.DataFrame:
    """Return points with labels and tooltips; models that are not coloured share one label."""
    names, known = record["model"], record["parameters"].items()
    others = f"{len({*names} - {*coloured})} other models"
    rows = thin(np.arange(len(names)), MOST_POINTS)
    texts = (
        ", ".join(
            [
                names[i],
                *(f"{name} = {column[i]:.3g}" for name, column in known if column[i] is not None),
            ]
        )
        for i in rows
    )
    points = pd.DataFrame({
        "x": [record["x"][i] for i in rows], "y": [record["y"][i] for i in rows], "tooltip": texts,
        "label": [names[i] if names[i] in coloured else others for i in rows], "observed": False,
    })  # fmt: skip
    points.loc[len(points)] = [*record["observed"], "observed network", "observed", True]
    return points


def add_features(sections: Sections, folder: ResultFolder) -> None:
    """Add the distribution of each selected feature by model, with the observed value."""
    assert folder.table is not None
    X, labels = folder.table.X, folder.table.y.astype(str).to_numpy()
    drawn_models = _most_probable(folder, MOST_HISTOGRAMS)
    is_drawn = np.isin(labels, drawn_models)
    styles = model_styles(sorted(drawn_models))
    drawn, rows = [], []
    for name, observed in folder.record["features"].items():
        values = X[name].to_numpy(dtype=np.float64)
        histogram = feature_histogram(name, values[is_drawn], labels[is_drawn], float(observed))
        draw = partial(draw_histogram, histogram=histogram, styles=styles)
        label = f"Histograms of {name} by model; the observed value is {float(observed):.4g}."
        drawn.append(sections.draw(label, draw))
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
        series_keys(styles, line=True), panels(drawn),
        details_table("Show the quantiles as a table", "Quantiles of simulations", head, rows),
    )  # fmt: skip


def _most_probable(folder: ResultFolder, n: int) -> list[str]:
    """Return the names of the n most probable models."""
    probabilities = folder.record["probabilities"]
    ranked = sorted(folder.record["intervals"], key=lambda name: -probabilities[name])
    return ranked[:n]


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
        sections.draw(
            "Reliability diagram: observed frequency against predicted probability.",
            lambda ax: figures.reliability(pd.DataFrame(bins), ax=ax), (3.4, 3.2),
        ),
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


def network_picture(graph: Graph) -> Html:
    """Return a drawing of the network, or a sentence if the network is too large."""
    counts = f"{graph.n_nodes} nodes and {graph.n_edges} edges"
    if not is_drawable(graph):
        limits = f"{MOST_NODES} nodes or {MOST_EDGES} edges"
        return aside(
            f"The network has {counts}. It is not drawn, because it has more than {limits}."
        )
    label = f"Drawing of the observed network, with {counts}"
    drawing = draw_svg(lambda ax: figures.network(graph, ax=ax), NETWORK_SIZE, label, "network")
    caption = f"The observed network: {counts}. Larger points have more edges."
    return element("figure", drawing, element("figcaption", caption), class_="plot network")
