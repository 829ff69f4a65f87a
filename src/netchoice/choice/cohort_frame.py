"""Answers of a cohort as a table: one network, one row, and what the columns mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from netchoice.errors import UsageError
from netchoice.inference.sequential_test import BORDERLINE, FITS
from netchoice.inference.verdict import KINDS, OPEN

NO_GROUP = "no group"
#: The verdict that names a model, and those with which some model fits.
NAMING, FITTING = "one-fits", ("one-fits", "several-fit")
#: States of the models that are not rejected.
CANDIDATE = (FITS, BORDERLINE, OPEN)
#: Ends the text of the reference of a network that shares no simulations.
OWN = "its own simulations"
#: Columns with a fixed meaning, and the value that stands for a missing one.
_FIXED: dict[str, object] = {
    "id": "", "group": "", "file": "", "n_nodes": np.nan, "n_edges": np.nan, "isolated": "",
    "reference": "", "verdict": "", "headline": "", "model": "", "probable": "", "family": "",
    "notes": "", "seconds": np.nan, "error": "",
}  # fmt: skip
_NEEDED = ("id", "verdict", "model")
#: Columns that the summary computes.
_COMPUTED = ("none_fits_p", "none_fits_q")
_OF_MODEL = ("probability", "lower", "upper", "fit_p")
_ENDS = ("median", "lower", "upper")


class ParameterOfModel(NamedTuple):
    """One parameter of one model."""

    model: str
    name: str

    def column(self, end: str) -> str:
        """Return the column of the ``median``, the ``lower`` or the ``upper`` end."""
        return f"{self.model}_{self.name}_{end}"


@dataclass(frozen=True)
class CohortFrame:
    """Answers of all networks of a cohort, with the meaning of their columns.

    Attributes
    ----------
    frame : DataFrame, one row for each network; texts are never missing
    models : tuple of str, models that have a probability; each has a state, which may be empty
    parameters : tuple of ParameterOfModel
    covariates : tuple of str, all other columns, numbers or texts
    """

    frame: pd.DataFrame
    models: tuple[str, ...]
    parameters: tuple[ParameterOfModel, ...]
    covariates: tuple[str, ...]

    @classmethod
    def of(cls, answers: pd.DataFrame) -> CohortFrame:
        """Return the answers of a frame after a check of its columns and verdicts.

        >>> frame = pd.DataFrame({"id": ["a"], "verdict": ["one-fits"], "model": ["dmc"],
        ...     "probability_dmc": [0.99], "lower_dmc": [0.9], "upper_dmc": [1.0], "fit_p_dmc": [0.4],
        ...     "dmc_p_new_median": [0.5], "dmc_p_new_lower": [0.4], "dmc_p_new_upper": [0.6],
        ...     "age": [3.0]})
        >>> answers = CohortFrame.of(frame)
        >>> answers.models, answers.parameters[0].name, answers.covariates
        (('dmc',), 'p_new', ('age',))
        """
        columns = [str(name) for name in answers.columns]
        frame = answers.set_axis(columns, axis=1).reset_index(drop=True)
        missing = [name for name in _NEEDED if name not in columns]
        if missing or not len(frame):
            raise UsageError(
                f"answers of {len(frame)} networks without the columns {', '.join(missing) or '(none)'}"
                f"; expected at least one network and the columns {', '.join(_NEEDED)}"
            )
        for name, empty in _FIXED.items():
            known = frame[name] if name in frame else pd.Series(empty, index=frame.index)
            is_text = isinstance(empty, str)
            frame[name] = known.fillna("").astype(str) if is_text else pd.to_numeric(known)
        _check_verdicts(frame)
        models = _models(columns)
        parameters = _parameters(columns, models)
        numbers = [f"{kind}_{model}" for kind in _OF_MODEL for model in models]
        numbers += [each.column(end) for each in parameters for end in _ENDS]
        frame[numbers] = frame[numbers].apply(pd.to_numeric).astype(float)
        states = [f"state_{model}" for model in models]
        for name in states:
            frame[name] = frame[name].fillna("").astype(str) if name in columns else ""
        meant = {*_FIXED, *_COMPUTED, *numbers, *states}
        covariates = tuple(name for name in columns if name not in meant)
        # A copy is one block of memory: adding columns to it takes little time.
        return cls(frame.copy(), models, parameters, covariates)

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

    @cached_property
    def named(self) -> pd.Series:
        """The named model of each answered network, or the verdict that names none."""
        rows = self.answered
        return rows["model"].where(rows["verdict"] == NAMING, rows["verdict"])

    @property
    def none_fits_p(self) -> pd.Series:
        """The p-value of "none of these models fits": the largest p-value of any model.

        A rejected model without a p-value, such as one that never has the density, does not count. A
        network with a candidate that has no p-value has none.
        """
        p = self.frame[[f"fit_p_{model}" for model in self.models]].astype(float)
        states = self.frame[[f"state_{model}" for model in self.models]].to_numpy()
        is_untested = (np.isin(states, CANDIDATE) & np.isnan(p.to_numpy())).any(axis=1)
        return p.max(axis=1).where((self.frame["error"] == "") & ~is_untested)

    def probable(self) -> pd.Series:
        """Return, for each answered network, the smallest set of models with 95% probability."""
        return self.answered["probable"].map(lambda text: text.split(", ") if text else [])

    def estimates(self, parameter: ParameterOfModel) -> pd.DataFrame:
        """Return the median, the lower and the upper end in the networks that count for the model.

        A network counts for its most probable model, if this model fits. So it counts for one model at
        most.
        """
        columns = {parameter.column(end): end for end in _ENDS}
        rows = self.answered
        fits = rows[f"state_{parameter.model}"].isin(["", FITS]) & rows["verdict"].isin(FITTING)
        counts = fits & (rows["model"] == parameter.model)
        return rows.loc[counts, list(columns)].rename(columns=columns).dropna()

    def is_number(self, covariate: str) -> bool:
        """Return whether a covariate holds numbers."""
        kind = self.frame[covariate].dtype
        return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)


def _check_verdicts(frame: pd.DataFrame) -> None:
    wrong = frame[(frame["error"] == "") & ~frame["verdict"].isin(list(KINDS))]
    if len(wrong):
        first = wrong.iloc[0]
        raise UsageError(
            f"{len(wrong)} networks have neither a verdict nor an error; the first is {first['id']!r} "
            f"with the verdict {first['verdict']!r}; expected one of {', '.join(KINDS)}"
        )


def _models(columns: list[str]) -> tuple[str, ...]:
    """Return the names that have a probability, its interval and a p-value."""
    names = [name.removeprefix("probability_") for name in columns if name[:12] == "probability_"]
    return tuple(n for n in names if all(f"{kind}_{n}" in columns for kind in _OF_MODEL))


def _parameters(columns: list[str], models: tuple[str, ...]) -> tuple[ParameterOfModel, ...]:
    """Return the parameters that have a median and both ends; the longest name of a model counts."""
    found = []
    for column in columns:
        owners = [model for model in models if column.startswith(f"{model}_")]
        if owners and column.endswith("_median"):
            model = max(owners, key=len)
            each = ParameterOfModel(model, column[len(model) + 1 : -len("_median")])
            if all(each.column(end) in columns for end in _ENDS):
                found.append(each)
    return tuple(found)
