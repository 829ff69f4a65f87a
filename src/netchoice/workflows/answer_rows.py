"""Answers as rows of a table: one network, one row, and what the columns mean."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from netchoice.errors import UsageError
from netchoice.graph import Graph
from netchoice.models.space import ModelSpace
from netchoice.workflows.choice_text import VERDICTS
from netchoice.workflows.comparison import Comparison
from netchoice.workflows.discrepancies import main_discrepancies
from netchoice.workflows.prepared import Prepared, comparable_network
from netchoice.workflows.prepared_folder import fingerprint, read_prepared, read_record
from netchoice.workflows.sizes import Size, find_size

NO_GROUP = "no group"
#: Verdicts that name a model that fits and is the most probable.
NAMING = ("one-fits", "several-fit")
#: Columns with a fixed meaning, and the value that stands for a missing one.
_FIXED: dict[str, object] = {
    "id": "", "group": "", "file": "", "n_nodes": np.nan, "n_edges": np.nan, "isolated": "",
    "chooser": "", "verdict": "", "headline": "", "model": "", "notes": "", "seconds": np.nan,
    "error": "",
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
    models : tuple of str, models that have a probability
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
        meant = {*_FIXED, *_COMPUTED, *numbers}
        covariates = tuple(name for name in columns if name not in meant)
        frame = (
            frame.copy()
        )  # in one block of memory, so that adding columns later takes little time
        return cls(frame, models, parameters, covariates)

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
        """The p-value of "none of these models fits": the largest p-value of any model."""
        columns = [f"fit_p_{model}" for model in self.models]
        largest = self.frame[columns].max(axis=1).astype(float)
        return largest.where(self.frame["error"] == "")

    def estimates(self, parameter: ParameterOfModel) -> pd.DataFrame:
        """Return the median, the lower and the upper end in the networks for which the model is named.

        A model is named if it fits and is the most probable. So each network counts for one model.
        """
        columns = {parameter.column(end): end for end in _ENDS}
        rows = self.answered
        named = (rows["model"] == parameter.model) & rows["verdict"].isin(NAMING)
        return rows.loc[named, list(columns)].rename(columns=columns).dropna()

    def is_number(self, covariate: str) -> bool:
        """Return whether a covariate holds numbers."""
        kind = self.frame[covariate].dtype
        return pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)


def _check_verdicts(frame: pd.DataFrame) -> None:
    wrong = frame[(frame["error"] == "") & ~frame["verdict"].isin(list(VERDICTS))]
    if len(wrong):
        first = wrong.iloc[0]
        raise UsageError(
            f"{len(wrong)} networks have neither a verdict nor an error; the first is {first['id']!r} "
            f"with the verdict {first['verdict']!r}; expected one of {', '.join(VERDICTS)}"
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


#: Main differences that the notes of a network without a fitting model state.
N_REASONS = 3
_PARTS_IN_MEMORY = 4


class PartsOnDisk(Mapping[Size, Prepared]):
    """The simulations of many sizes, of which a worker reads those that it needs and keeps a few.

    ``parts`` holds, for each size, what its folder must be a part of.
    """

    def __init__(
        self,
        folder: Path,
        parts: Mapping[Size, str],
        space: ModelSpace,
        features: Mapping[str, Any],
    ) -> None:
        self.folder, self.parts, self.space, self.features = folder, parts, space, features
        self._kept: dict[Size, Prepared] = {}

    def __getitem__(self, size: Size) -> Prepared:
        if size not in self.parts:
            raise KeyError(size)
        if size not in self._kept:
            if len(self._kept) >= _PARTS_IN_MEMORY:
                del self._kept[next(iter(self._kept))]
            folder = self.folder / size.folder
            found = read_prepared(folder, self.space, self.features, self.parts[size])
            self._kept[size] = found.for_worker()
        return self._kept[size]

    def __iter__(self) -> Iterator[Size]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def fingerprint(self, size: Size) -> str:
        """Return the fingerprint of one size without reading its tables."""
        return str(self._record(size)["fingerprint"])

    @property
    def feature_names(self) -> list[str]:
        """The features of the test of fit, of all sizes."""
        records = map(self._record, self.parts)
        return list(dict.fromkeys(name for each in records for name in each["fit_features"]))

    def _record(self, size: Size) -> dict[str, Any]:
        return read_record(self.folder / size.folder, self.parts[size])


@dataclass(frozen=True)
class CohortAnswerer:
    """Answers for single networks, in any process; engines pickle it.

    ``parts`` holds the simulations of each size. ``isolated`` and ``match`` are those of the chooser.
    """

    space: ModelSpace
    parts: Mapping[Size, Prepared]
    isolated: str | None
    match: bool

    @property
    def columns(self) -> dict[str, str]:
        """Names and kinds of the columns of an answer, in order."""
        columns = {"verdict": "text", "model": "text"}
        for model in self.space:
            columns |= {
                f"{kind}_{model.name}": "number" for kind in ("probability", "lower", "upper")
            }
        columns |= {f"fit_p_{model}": "number" for model in self.space.labels}
        for model in self.space:
            for name in model.parameters:
                ends = ("median", "lower", "upper")
                columns |= {f"{model.name}_{name}_{end}": "number" for end in ends}
        return columns | {
            "headline": "text", "n_nodes": "number", "n_edges": "number", "isolated": "text",
            "chooser": "text", "notes": "text",
        }  # fmt: skip

    @cached_property
    def feature_names(self) -> list[str]:
        """The features of the test of fit, of all sizes."""
        if isinstance(self.parts, PartsOnDisk):
            return self.parts.feature_names
        names = [name for part in self.parts.values() for name in part.fit_table.features]
        return list(dict.fromkeys(names))

    @cached_property
    def fingerprint(self) -> str:
        """A text that differs if answers can differ."""
        digest = hashlib.blake2b(repr((self.isolated, self.match)).encode(), digest_size=16)
        for size in sorted(self.parts, key=lambda size: size.folder):
            part = self.parts
            known = (
                part.fingerprint(size) if isinstance(part, PartsOnDisk) else fingerprint(part[size])
            )
            digest.update(f"{size.folder} {known}".encode())
        return digest.hexdigest()

    def warm_up(self) -> None:
        """Load compiled code."""
        for size in list(self.parts)[:1]:
            self.parts[size].fit_simulations.simulator.warm_up()

    def answer(self, graph: Graph) -> tuple[dict[str, Any], dict[str, float]]:
        """Return the row of a network, and its features."""
        network, isolated = comparable_network(graph, self.isolated)
        wanted = Size(network.n_nodes, isolated, network.n_edges if self.match else None)
        size = find_size(wanted, self.parts)
        if self.match and size is None and len(self.parts) == 1:
            size = next(iter(self.parts))  # its edges may differ a little from those matched
        if size is None:
            prepared = "; ".join(map(str, self.parts)) or "none"
            raise UsageError(
                f"no simulations are prepared for a network with {wanted}; prepared are: {prepared}"
            )
        found = Comparison.of(self.parts[size], graph)
        return answer_row(found) | {"chooser": f"{self.space.name}, {size}"}, found.fit_observed


def answer_row(found: Comparison) -> dict[str, Any]:
    """Return the answer for one network as a row of ``answers.csv``."""
    verdict, known = found.verdict, found.probabilities
    row: dict[str, Any] = {
        "verdict": verdict.kind,
        "model": verdict.model,
        "headline": verdict.sentence,
        "n_nodes": found.network.n_nodes,
        "n_edges": found.network.n_edges,
        "isolated": found.prepared.settings.isolated,
        "notes": "; ".join([*found.notes(), *_reasons(found)]),
    }
    for model in found.prepared.space.labels:
        row[f"probability_{model}"] = known.probabilities[model]
        row[f"lower_{model}"], row[f"upper_{model}"] = known.intervals[model]
        row[f"fit_p_{model}"] = found.fit.p_values[model]
    for model, parameters in found.parameters.items():
        for name, estimate in parameters.items():
            row[f"{model}_{name}_median"] = estimate["median"]
            row[f"{model}_{name}_lower"], row[f"{model}_{name}_upper"] = estimate["interval"]
    return row


def _reasons(found: Comparison) -> list[str]:
    """Return how a network without a fitting model differs from the most probable one."""
    if found.verdict.kind != "none-fits" or not found.prepared.plan.local_samples:
        return []
    model = found.probabilities.model
    main = main_discrepancies(found.discrepancies(model))[:N_REASONS]
    return [f"compared with {model}: {each.sentence}" for each in main]
