"""The answer: the verdict, the probabilities, why a model does not fit, what it cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.errors import UsageError
from netchoice.inference import embed
from netchoice.stores import place
from netchoice.validation import unknown
from netchoice.workflows.choice_folder import (
    ResultTables,
    feature_table,
    model_table,
    parameter_table,
    write_choice,
)
from netchoice.workflows.choice_text import choice_html, format_probability, summary_lines
from netchoice.workflows.parameters import Parameters, posterior_draws
from netchoice.workflows.shortcuts import draw_one, write_page

if TYPE_CHECKING:
    import pandas as pd

    from netchoice.graph import Graph
    from netchoice.inference import (
        Embedding,
        Fit,
        HeldOut,
        ModelProbabilities,
        PosteriorQuality,
    )
    from netchoice.io import ReadingReport
    from netchoice.storage.table import ReferenceTable
    from netchoice.workflows.feature_selection import FeatureSelection
    from netchoice.workflows.local_simulations import ModelPosterior
    from netchoice.workflows.misfit import Misfit

SCHEMA = 5


@dataclass(frozen=True)
class Evidence:
    """What an answer is based on.

    ``table`` holds the simulations with the selected features, ``fit_table`` those with all features,
    ``fit_observed`` the network's values of the latter features. ``posteriors`` holds the posterior of
    each model that has parameters, ``quality`` the quality of those that are reported. ``misfit`` says
    how the network differs from simulations of each model. ``reading`` says how a file was read.
    """

    graph: Graph
    selection: FeatureSelection
    table: ReferenceTable
    probabilities: ModelProbabilities
    held_out: HeldOut
    posteriors: dict[str, ModelPosterior]
    quality: dict[str, PosteriorQuality]
    fit: Fit
    fit_table: ReferenceTable
    fit_observed: dict[str, float]
    misfit: dict[str, Misfit]
    reading: ReadingReport | None = None

    @cached_property
    def embedding(self) -> Embedding:
        """Simulations and the network in two dimensions; computed when first used."""
        names = list(self.fit_observed)
        return embed(self.fit_table.X[names], self.fit_table.y, self.fit_observed)


@dataclass(frozen=True)
class Choice(ResultTables):
    """Which model made a network; returned by :func:`netchoice.choose_model`.

    Attributes
    ----------
    verdict : str
        "one-fits", "several-fit", "undetermined" or "none-fits"; ``headline`` says it in a sentence.
    model : str
        The most probable model. If none fits, the nearest one: the network is closer to its
        simulations, on all features and relative to their spread, than to those of other models.
    probabilities : dict
        Probability of each model, given that one of them made the network; ``intervals`` holds their
        uncertainty, which includes the choice of features. Models that screening discarded have the
        probability 0 and no interval.
    families : dict
        Probability of each family of models, the most probable first; empty if the models are of one
        family, or each of its own.
    fits : bool
        Whether any model fits the network; ``fit_p_values`` holds a p-value for each model. ``fit``
        also says what the test could have noticed at this size (``power``).
    misfit : dict
        For each model: the main differences between the network and its simulations, and what to try.
        :meth:`discrepancies` returns all features.
    features : dict
        The features that the answer is based on, with their values on the network.
    parameters : dict
        Of the named model and of every other model that fits, by model and parameter: median,
        interval, whether the posterior is at the prior's boundary, and the error, shrinkage and
        coverage on held-out simulations. :meth:`posterior` returns the draws.
    mixtures : list of dict
        For each mixture that is the named model or fits: whether it can be identified, why not, and the
        interval of q.
    accuracy : float
        Share of held-out simulations whose model was predicted correctly; ``confusion`` counts them
        by true and predicted model.
    cost : dict
        CPU seconds per network of the selected features, of all features, and of the features that
        the fit was judged on.
    notes : list of str
        What a careful reader should know.
    screening : dict or None
        Of a large space: a p-value for each model, and which models were discarded before they were
        compared; None if all models were compared.
    """

    verdict: str
    headline: str
    model: str
    probabilities: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    families: dict[str, float]
    fits: bool
    fit_p_values: dict[str, float]
    fit: dict[str, Any]
    misfit: dict[str, dict[str, Any]]
    features: dict[str, float]
    parameters: Parameters
    mixtures: list[dict[str, Any]]
    accuracy: float
    confusion: pd.DataFrame
    scores: dict[str, float]
    selection: dict[str, Any]
    cost: dict[str, Any]
    network: dict[str, Any]
    space: dict[str, Any]
    notes: list[str]
    screening: dict[str, Any] | None
    settings: dict[str, Any]
    evidence: Evidence = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``choice.json`` holds; see the documentation of ``netchoice choose``."""
        record = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "evidence"}
        confusion = {
            str(true): {str(predicted): int(n) for predicted, n in row.items()}
            for true, row in self.confusion.to_dict("index").items()
        }
        intervals = {name: list(ends) for name, ends in self.intervals.items()}
        return {"schema": SCHEMA, **record, "confusion": confusion, "intervals": intervals}

    def to_json(self) -> str:
        """Return the content of ``choice.json``."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def save(self, folder: Path) -> None:
        """Write the answer, its tables, and what a report shows of it."""
        write_choice(self, place(folder))

    def summary(self) -> str:
        """Return the answer in a few lines."""
        return "\n".join(summary_lines(self))

    def discrepancies(self, model: str | None = None) -> pd.DataFrame:
        """Return how the network differs from simulations of each model, farthest outside first.

        The columns are those of :class:`~netchoice.workflows.discrepancies.Discrepancy`: the feature,
        its observed value, quantiles of the simulations, how far outside the value is, and a sentence.
        Pass the name of a model to see this model only.
        """
        import pandas as pd

        misfit = self.evidence.misfit
        if model is not None and model not in misfit:
            raise unknown("model", model, misfit)
        frames = [
            pd.DataFrame(misfit[name].discrepancies).assign(model=name)
            for name in ([model] if model else misfit)
        ]
        frame = pd.concat(frames, ignore_index=True)
        return frame[["model", *frame.columns.drop("model")]]

    def posterior(self, model: str | None = None) -> pd.DataFrame:
        """Return draws from the posteriors of the models in ``parameters``.

        The columns are model, draw, weight and one for each parameter; ``posterior.csv`` holds the
        same. Pass the name of a model to see this model only, even if it does not fit.
        """
        models = list(self.parameters) if model is None else [self._with_posterior(model)]
        return posterior_draws(models, self.evidence.posteriors)

    def to_arviz(self, model: str | None = None) -> Any:
        """Return the posterior of a model, by default the named one, for ArviZ.

        See :meth:`netchoice.inference.Posterior.to_arviz`.
        """
        name = self._with_posterior(self.model if model is None else model)
        return self.evidence.posteriors[name].posterior.to_arviz()

    def _with_posterior(self, model: str) -> str:
        if model not in self.intervals:
            raise unknown("model", model, self.intervals)
        if model not in self.evidence.posteriors:
            raise UsageError(
                f"{model} has no posterior; expected a model with parameters and enough simulations: "
                f"{', '.join(self.evidence.posteriors) or 'none of these models'}"
            )
        return model

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        if self.verdict == "none-fits":
            return f"<Choice: none-fits; the nearest model is {self.model}>"
        probability = format_probability(self.probabilities[self.model])
        return f"<Choice: {self.verdict}; {self.model}, probability {probability}>"

    def _repr_html_(self) -> str:
        return choice_html(self)

    def _tables(self) -> dict[str, Callable[[], pd.DataFrame]]:
        return {
            "models": partial(model_table, self),
            "parameters": partial(parameter_table, self),
            "features": partial(feature_table, self),
            "confusion": lambda: self.confusion.rename_axis("true model").reset_index(),
            "discrepancies": self.discrepancies,
        }

    def plot(self, figure: str = "probabilities") -> Any:
        """Draw a figure of the answer; return its Axes, which a notebook shows.

        ``figure`` is the name of a file that :func:`netchoice.figures.draw_choice` writes, for example
        "probabilities", "embedding", "confusion", "parameters" or "accuracy-against-cost".
        """
        return draw_one("choice_drawings", self, figure)

    def report(self, path: str | PathLike[str] = "report.html", *, overwrite: bool = False) -> Path:
        """Write the HTML report of the answer, as ``netchoice choose`` does, and return its path.

        A file that exists is refused, unless ``overwrite`` is true.
        """

        def save(folder: Path) -> None:
            self.evidence.table.save(folder / "tables" / "inference")
            self.save(folder)  # and list the manifest of the table

        return write_page(save, path, overwrite)
