"""Answers of a cohort as a table: one network, one row, and what the columns mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from netchoice.inference.sequential_test import BORDERLINE, FITS
from netchoice.inference.verdict import OPEN

NO_GROUP = "no group"
#: The verdict that names a model, and those with which some model fits.
NAMING, FITTING = "one-fits", ("one-fits", "several-fit")
#: States of the models that are not rejected.
CANDIDATE = (FITS, BORDERLINE, OPEN)
#: Ends the text of the reference of a network that shares no simulations.
OWN = "its own simulations"
#: Columns of each parameter.
ENDS = ("median", "lower", "upper")


class ParameterOfModel(NamedTuple):
    """One parameter of one model."""

    model: str
    name: str

    def column(self, end: str) -> str:
        """Return the column of the ``median``, the ``lower`` or the ``upper`` end."""
        return f"{self.model}_{self.name}_{end}"


def answer_columns(models: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the columns of an answer in order, "text" or "number", for models and their parameters.

    >>> [name for name in answer_columns({"dmc": ["p_new"]}) if "dmc" in name][:4]
    ['probability_dmc', 'lower_dmc', 'upper_dmc', 'fit_p_dmc']
    """
    columns = dict.fromkeys(("verdict", "model", "probable", "family"), "text")
    for model in models:
        columns |= {f"{kind}_{model}": "number" for kind in ("probability", "lower", "upper")}
    columns |= {f"fit_p_{model}": "number" for model in models}
    columns |= {f"state_{model}": "text" for model in models}
    for model, parameters in models.items():
        for name in parameters:
            known = ParameterOfModel(model, name)
            columns |= {known.column(end): "number" for end in ENDS}
    return columns | {
        "headline": "text", "n_nodes": "number", "n_edges": "number", "isolated": "text",
        "reference": "text", "notes": "text",
    }  # fmt: skip


def none_fits_p(answers: pd.DataFrame, models: Iterable[str]) -> pd.Series:
    """Return the p-value of "none of these models fits": the largest p-value of any model.

    A rejected model without a p-value, such as one that never has the density, does not count. A network
    with a candidate that has no p-value has none, and neither has one without an answer.
    """
    names = list(models)
    p = answers[[f"fit_p_{model}" for model in names]].astype(float)
    states = answers[[f"state_{model}" for model in names]].isin(CANDIDATE).to_numpy()
    return p.max(axis=1).where(~(states & np.isnan(p.to_numpy())).any(axis=1))


@dataclass(frozen=True)
class CohortFrame:
    """Answers of all networks of a cohort, with the meaning of their columns.

    Attributes
    ----------
    frame : DataFrame, one row for each network; texts are never missing
    models : tuple of str
    parameters : tuple of ParameterOfModel
    covariates : tuple of str, all other columns, numbers or texts
    """

    frame: pd.DataFrame
    models: tuple[str, ...]
    parameters: tuple[ParameterOfModel, ...]
    covariates: tuple[str, ...]

    @classmethod
    def of(cls, answers: pd.DataFrame, models: Mapping[str, Iterable[str]]) -> CohortFrame:
        """Return the answers in a frame as :func:`netchoice.choose_cohort` writes it.

        Parameters
        ----------
        answers : DataFrame
            One row for each network: ``id``, ``group``, ``file``, the columns of :func:`answer_columns`,
            ``seconds``, ``error``, and covariates.
        models : mapping, from names of models to their parameters
        """
        known = {"id": "text", "group": "text", "file": "text"} | answer_columns(models)
        known |= {"seconds": "number", "error": "text"}
        texts = [name for name, kind in known.items() if kind == "text"]
        frame = answers.assign(**answers[texts].fillna("").astype(str))
        return cls(
            frame,
            tuple(models),
            tuple(ParameterOfModel(model, name) for model in models for name in models[model]),
            tuple(str(name) for name in frame if name not in known),
        )

    @cached_property
    def answered(self) -> pd.DataFrame:
        """Rows without an error."""
        return self.frame[self.frame["error"] == ""]

    @cached_property
    def group(self) -> pd.Series:
        """The group of each network; "no group" for an empty one."""
        return self.frame["group"].where(self.frame["group"] != "", NO_GROUP)

    @cached_property
    def groups(self) -> list[str]:
        """The groups, the largest first; none if no network has a group."""
        sizes = self.group.value_counts(sort=False).sort_values(ascending=False, kind="stable")
        found = [str(name) for name in sizes.index]
        return [] if found == [NO_GROUP] else found

    @property
    def none_fits_p(self) -> pd.Series:
        """The p-value of "none of these models fits" of each network."""
        return none_fits_p(self.frame, self.models)

    def estimates(self, parameter: ParameterOfModel) -> pd.DataFrame:
        """Return the median, the lower and the upper end in the networks that count for the model.

        A network counts for its most probable model, if this model fits. So it counts for one model at
        most.
        """
        columns = {parameter.column(end): end for end in ENDS}
        rows = self.answered
        fits = (rows[f"state_{parameter.model}"] == FITS) & rows["verdict"].isin(FITTING)
        counts = fits & (rows["model"] == parameter.model)
        return rows.loc[counts, list(columns)].rename(columns=columns).dropna()
