"""Answers as rows of a table: one network, one row."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from netchoice.errors import UsageError
from netchoice.graph import Graph
from netchoice.models.space import ModelSpace
from netchoice.workflows.comparison import Comparison
from netchoice.workflows.discrepancies import main_discrepancies
from netchoice.workflows.prepared import Prepared, comparable_network
from netchoice.workflows.prepared_folder import fingerprint, read_prepared, read_record
from netchoice.workflows.sizes import Size, find_size

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
