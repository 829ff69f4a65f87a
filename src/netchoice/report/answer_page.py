"""The page of an answer: the verdict, why models fit or not, parameters, simulations, an appendix."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from netchoice import figures
from netchoice.choice.answer import Answer, Interval, ModelAnswer
from netchoice.choice.text import (
    advice_text,
    contradiction,
    contradictions,
    is_signed,
    next_step,
    power_line,
)
from netchoice.figures import drawings
from netchoice.figures.axes import GREY, Panel
from netchoice.figures.embeddings import MOST_EDGES, MOST_NODES, is_drawable
from netchoice.figures.fit_panels import fit_keys, fit_panels
from netchoice.figures.histograms import (
    histogram_keys,
    histogram_panels,
    posterior_keys,
    posterior_panels,
)
from netchoice.figures.svg import draw_svg
from netchoice.graph import Graph
from netchoice.inference.sequential_test import ALPHA, BORDERLINE, FITS
from netchoice.inference.verdict import OPEN, rounded
from netchoice.markup import Html, element, join
from netchoice.report.page import (
    WIDE_SIZE,
    Sections,
    aside,
    details,
    html_page,
    items,
    model_name,
    sentence,
    settings,
    table,
    with_options,
)
from netchoice.units import count, duration

MOST_BARS = 12  # models in the figure of probabilities
MOST_EXPLAINED = 3  # models that are shown in detail
MOST_PANELS = 3  # shown at once: of the fit of the first model, and of histograms
MOST_PAIRS = 3  # of the parameters of a model
NETWORK_SIZE = (14.0, 14.0)  # inches; the drawing has no text
#: A number with more digits than a page shows.
_LONG_NUMBER = re.compile(r"\d+\.\d{5,}")
_QUALITY = (
    "The quality of the estimates was measured on simulations with known parameters, which were held out "
    "and estimated like the network. The expected error is the root mean squared error of the posterior "
    "mean. Shrinkage is 0 if the features say nothing about a parameter and 1 if they determine it."
)


class AnswerPage:
    """The sections of the page, and what they share: the answer, the styles of models, the language."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.sections = answer, Sections()
        self.styles = drawings.answer_styles(answer)
        #: Advice names options of the command for a file, and arguments of the function otherwise.
        self.language = "python" if answer.reading is None else "shell"

    def html(self) -> str:
        """Return the text of the HTML file."""
        self.add_models()
        self.add_parameters()
        self.add_simulations()
        self.add_appendix()
        answer, reading = self.answer, self.answer.reading
        following = next_step(answer, self.language)
        notes = [f"Next: {following}"] if following else []
        notes += [power_line(answer), *answer.notes]
        return html_page(
            self.sections, sentence(answer.verdict.sentence), self.condition(),
            [with_options(sentence(note)) for note in notes if note],
            facts=[_signed(fact) for fact in contradictions(answer)],
            picture=network_picture(answer.graph, Path(reading.path).name if reading else ""),
        )  # fmt: skip

    def name(self, model: str) -> Html:
        """Return the name of a model next to its colour."""
        return model_name(model, self.styles[model])

    def condition(self) -> str:
        """Return what the probabilities assume."""
        if not self.answer.has_probabilities:
            return ""
        states = {each.state for each in self.answer.models if each.probability is not None}
        words = {FITS: "models that fit", OPEN: "open models", BORDERLINE: "borderline models"}
        listed = " or of the ".join(word for state, word in words.items() if state in states)
        return f"Probabilities, given that one of the {listed} made the network."

    def _differences(self, each: ModelAnswer) -> list[Html]:
        """Return how the network differs from a model; first what no simulation reaches, with a sign."""
        found = sorted(each.discrepancies, key=lambda one: one.feature not in each.outside)
        texts = [
            _signed(one.sentence)
            if is_signed(each, one)
            else element("span", sentence(one.sentence))
            for one in found
        ]
        if each.outside and not (found and found[0].feature in each.outside):
            texts.insert(0, _signed(contradiction(self.answer, each)))
        return texts

    # Models

    def add_models(self) -> None:
        """Add all models, with the reasons why the first of them fit or do not fit."""
        answer = self.answer
        chances, intervals = drawings.answer_probabilities(answer)
        shown = dict(islice(chances.items(), MOST_BARS))
        bars: Any = ""
        if len(shown) > 1:
            listed = ", ".join(f"{name} {rounded(chances[name])}" for name in shown)
            bars = self.sections.draw(
                f"Probability of each model: {listed}.",
                lambda ax: figures.probabilities(shown, intervals, styles=self.styles, ax=ax),
                (WIDE_SIZE[0], 0.55 + 0.26 * len(shown)),
            )
        families = answer.verdict.families if chances else {}
        listed = ", ".join(f"{name} {rounded(share)}" for name, share in families.items())
        self.sections.add(
            "models", "Which models fit, and why others do not",
            f"A model fits if the p-value of its fit is above {ALPHA:g}, and does not fit if it is below; if "
            "this stays uncertain, the model is borderline. A rejected model without a p-value was clearly "
            "wrong in a few simulations with cheap features. An open model was not decided within the time "
            "limit. The last column has the largest difference between the network and the simulations.",
            bars, aside(f"Families: {listed}.") if len(families) > 1 else "", self._models_table(),
            *self._explanations(),
        )  # fmt: skip

    def _models_table(self) -> Html:
        has_probabilities = self.answer.has_probabilities
        rows = [
            (
                self.name(each.name),
                each.state,
                _estimate(each.probability, each.interval, rounded) if has_probabilities else None,
                _estimate(each.p_value, each.p_interval, "{:.2g}".format),
                each.family,
                next(iter(self._differences(each)), None),
            )
            for each in self.answer.models
        ]
        head = ("model", "state", "probability", "p-value", "family", "largest difference")
        described = [
            (self.name(each.name), each.description or None, each.reference or None)
            for each in self.answer.models
        ]
        return join([
            table("All models: those that are not rejected first", head, rows),
            details("Show what the models are", table(
                "Models and where they were published", ("model", "what it is", "reference"), described
            )),
        ])  # fmt: skip

    def _explanations(self) -> Iterable[Html]:
        """Yield how the network differs from simulations of the first models, and what to try."""
        envelopes = self.answer.evidence.envelopes
        known = [each for each in self.answer.models if each.name in envelopes]
        shown = known or [each for each in self.answer.models if each.discrepancies]
        if known:
            yield self.sections.keys(fit_keys(GREY))
            yield aside(
                "⚠ marks a value outside all simulations of a model, or all near the network, and panels "
                "in which the observed line is farther outside the 95% ranges than the lines of 95 in 100 "
                "simulations; about one value in 20 is outside by chance. "
                "Heights are square roots of shares, so that small shares can be seen."
            )
        for number, each in enumerate(shown[:MOST_EXPLAINED]):
            yield self._explanation(each, is_first=number == 0)

    def _explanation(self, each: ModelAnswer, is_first: bool) -> Html:
        found = fit_panels(
            self.answer.evidence.envelopes.get(each.name, {}), self.styles[each.name].colour
        )
        p_value = _estimate(each.p_value, each.p_interval, "{:.2g}".format)
        before = None if each.is_candidate else each.probability_before
        differences = self._differences(each)
        tried = each.advice if is_first else ()  # that of the others is nearly the same
        advice = [with_options(sentence(advice_text(one, self.language))) for one in tried]
        return element(
            "article",
            element("h3", self.name(each.name), f" {each.state}", f", p = {p_value}" if p_value else ""),
            "" if before is None else aside(
                f"Its probability was {rounded(before)} before models were rejected."
            ),
            items(differences, "differences") if differences else aside("No feature differs clearly."),
            self._panels(each, found, MOST_PANELS if is_first else 0),
            join([element("h4", "What to try"), items(advice)]) if advice else "",
        )  # fmt: skip

    def _panels(self, each: ModelAnswer, found: Sequence[Panel], shown: int) -> Html:
        """Return the panels of a model, of which some are shown at once."""
        found = [panel._replace(label=f"{each.name}: {panel.label}") for panel in found]
        return self.sections.panels(found, shown)

    # Parameters

    def add_parameters(self) -> None:
        """Add the posteriors of the models that are not rejected, and how well they are estimated."""
        known = [each for each in self.answer.candidates if each.parameters]
        if not known:
            return
        drawn = [each for each in known if each.name in self.answer.evidence.posteriors]
        first, *others = [self._posterior(each) for each in drawn] or [Html("")]
        names = ", ".join(each.name for each in drawn[1:])
        uniform = any(
            drawings.answer_posterior(self.answer, each.name)["uniform"] for each in drawn
        )
        measured = any(one.quality for each in known for one in each.parameters.values())
        self.sections.add(
            "parameters", "Parameters",
            "The filled area is the posterior density of the parameter. If it looks like the prior, the "
            "network does not determine the parameter. Points are draws of two parameters together; the axes "
            "span the priors.",
            self.sections.keys(posterior_keys(GREY, uniform)) if drawn else "", first,
            details(f"Show {names}", join(others)) if others else "",
            aside(_QUALITY) if measured else "",
            _parameters_table(known),
        )  # fmt: skip

    def _posterior(self, each: ModelAnswer) -> Html:
        n = len(each.parameters) + MOST_PAIRS
        found = posterior_panels(**drawings.answer_posterior(self.answer, each.name))[:n]
        title = element("h3", self.name(each.name))
        return element("article", title, self._panels(each, found, n))

    # The network among the simulations

    def add_simulations(self) -> None:
        """Add the map, and histograms of the features that differ most."""
        found, parts = self.answer.evidence.map, [*self._histograms()]
        if found is not None:
            label = f"Map of {len(found.x)} simulated networks by model, with the observed network as a star."
            parts.insert(0, self.sections.map(label, drawings.answer_map(found), self.styles))
        if parts:
            self.sections.add(
                "simulations", "The network among the simulations",
                "Each point is a simulated network; similar networks are close to each other. The star is "
                "the observed network. If the star lies apart from all points, the network is outside the "
                "simulated range. The histograms show the simulations of each model, and the thick line the "
                "observed network.",
                *parts,
            )  # fmt: skip

    def _histograms(self) -> Iterable[Html]:
        shown = drawings.answer_histograms(self.answer)
        if shown["samples"]:
            models = dict.fromkeys(model for each in shown["samples"].values() for model in each)
            yield element("h3", "Features that differ most between the models")
            yield self.sections.keys(histogram_keys(models, self.styles))
            yield self.sections.panels(histogram_panels(**shown), MOST_PANELS)

    # The appendix

    def add_appendix(self) -> None:
        """Add features and costs, the reliability of predictions, the network, settings and versions."""
        answer = self.answer
        network = [(name.replace("_", " "), value) for name, value in answer.network.items()]
        reading = answer.reading
        self.sections.add(
            "appendix", "Appendix",
            "Features and costs, the reliability of the probabilities, the network as it was read, and what "
            "is needed to repeat the run.",
            element("h3", "Features and costs"), aside(_cost_text(answer)), self._features_table(),
            *self._reliability(),
            element("h3", "The observed network"),
            items(reading.lines()) if reading else aside("The network was passed in Python."),
            table("The network that was compared", ("property", "value"), network),
            element("h3", "Models, settings and versions"),
            settings({"Settings": answer.settings, "Space": answer.space}),
            fold="Show the appendix",
        )  # fmt: skip

    def _features_table(self) -> Html:
        models = list(dict.fromkeys(model for each in self.answer.features for model in each.below))
        head = ("feature", "what it is", "observed value", "cost alone",
                *(f"share below, {model}" for model in models))  # fmt: skip
        rows = [
            (each.name, each.label, each.observed, duration(each.cost) if each.cost else None,
             *(f"{each.below[model]:.0%}" if model in each.below else None for model in models))
            for each in self.answer.features
        ]  # fmt: skip
        caption = "Features by which models were compared; a share of 0% or 100% is outside the simulations"
        return table(caption, head, rows)

    def _reliability(self) -> Iterable[Any]:
        """Yield the reliability diagram and the confusion matrix."""
        answer, bins = self.answer, self.answer.evidence.reliability
        if not bins:
            return
        yield element("h3", "Reliability of the probabilities")
        yield aside(
            "Simulations with known models were held out and predicted. On the dashed line, predictions with "
            "probability 0.8 are correct in 80% of cases. Larger points stand for more predictions; vertical "
            f"lines span two standard errors on either side. Held-out accuracy: {answer.accuracy:.2%}. "
            f"Logarithmic score: {answer.log_score:.4g}; 0 is perfect."
        )
        yield self.sections.draw(
            "Reliability diagram: observed frequency against predicted probability.",
            lambda ax: figures.reliability(pd.DataFrame(bins), ax=ax), (3.4, 3.2),
        )  # fmt: skip
        confusion = answer.evidence.confusion
        predicted = list(next(iter(confusion.values()), {}))
        yield table(
            "Held-out simulations: true model in rows, predicted model in columns",
            ("true model", *predicted),
            [(true, *(row[name] for name in predicted)) for true, row in confusion.items()],
        )


def _signed(text: str) -> Html:
    """Return a difference with the sign of what is outside simulations."""
    return element("span", sentence(text), class_="differs")


def network_picture(graph: Graph, name: str = "") -> Html:
    """Return a drawing of the network, or a sentence if the network is too large."""
    counts = f"{count(graph.n_nodes, 'node')} and {count(graph.n_edges, 'edge')}"
    if not is_drawable(graph):
        limits = f"{MOST_NODES} nodes or {MOST_EDGES} edges"
        return aside(
            f"The network has {counts}. It is not drawn, because it has more than {limits}."
        )
    label = f"Drawing of the observed network, with {counts}"
    drawing = draw_svg(lambda ax: figures.network(graph, ax=ax), NETWORK_SIZE, label, "network")
    caption = f"{name or 'The observed network'}: {counts}. Larger points have more edges."
    return element("figure", drawing, element("figcaption", caption), class_="plot network")


def _estimate(
    value: float | None, ends: Interval | None, text: Callable[[float], str]
) -> str | None:
    """Return a value with its interval, or None for a missing value."""
    if value is None:
        return None
    return text(value) + (f" ({' to '.join(map(text, ends))})" if ends else "")


def _parameters_table(models: Sequence[ModelAnswer]) -> Html:
    rows = []
    for each in models:
        for name, one in each.parameters.items():
            (low, high), quality = one.interval, one.quality
            measured: tuple[Any, ...] = (None,) * 4
            if quality is not None:
                ends = " to ".join(f"{end:.1%}" for end in quality.interval_coverage_interval)
                covered = f"{quality.interval_coverage:.1%} ({ends})"
                measured = (quality.rmse, quality.prior_sd, quality.shrinkage, covered)
            rows.append(
                (f"{each.name} {name}", f"{one.median:.3g} ({low:.3g} to {high:.3g})",
                 _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.4g}", one.prior),
                 one.at_boundary or "no", *measured)
            )  # fmt: skip
    first = next(iter(models[0].parameters.values()))
    head = (
        "parameter", f"median ({first.coverage:.0%} interval)", "prior", "at the prior's boundary",
        "expected error", "standard deviation of the prior", "shrinkage", "coverage of intervals",
    )  # fmt: skip
    return table("Parameters of the models that are not rejected", head, rows)


def _cost_text(answer: Answer) -> str:
    cost = answer.cost
    text = (
        f"The answer took {count(cost.simulations, 'simulation')}, {duration(cost.simulation_seconds)} of "
        f"CPU time for them, and {duration(cost.seconds)} in total."
    )
    if not cost.features:
        return text
    return (
        f"{text} The {len(answer.features)} features cost {duration(cost.features)} of CPU time for each "
        "network, shared steps paid once; all features that could be compared cost "
        f"{duration(cost.all_features)}."
    )
