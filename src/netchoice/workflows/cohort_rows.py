"""Rows of a cohort: what is known about a network, and the answer for it, in any process."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, cast

from netchoice.engines.engine import describe_error
from netchoice.errors import NetchoiceError
from netchoice.graph import Graph
from netchoice.interruption import cpu_seconds
from netchoice.io import ReadingReport


class Source(Protocol):
    """One network of a collection."""

    @property
    def id(self) -> str:
        """Name of the network."""

    @property
    def group(self) -> str | None:
        """Group of the network, if any."""

    @property
    def file(self) -> str | None:
        """The file that holds this network alone, if there is one."""

    @property
    def covariates(self) -> Mapping[str, Any]:
        """Texts and numbers that are known about the network, by name."""

    def read(self) -> tuple[Graph, ReadingReport | None]:
        """Read the network."""


class Collection(Protocol):
    """The networks of a cohort, in order."""

    @property
    def fingerprint(self) -> str:
        """Changes if the networks change."""

    @property
    def covariates(self) -> list[str]:
        """Names of the covariates."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int, /) -> Source: ...


class Answerer(Protocol):
    """What answers for one network. Engines pickle the object and send it to each worker."""

    @property
    def columns(self) -> dict[str, str]:
        """``"text"``, ``"number"`` or ``"flag"`` by name of the columns of an answer, in order."""

    @property
    def feature_names(self) -> list[str]:
        """Names of the features of an answer."""

    @property
    def fingerprint(self) -> str:
        """Changes if the answers change."""

    def answer(self, graph: Graph) -> tuple[dict[str, Any], dict[str, float]]:
        """Return one value for each column, and the features of the network."""

    def warm_up(self) -> None:
        """Load compiled code, so that loading is not timed."""


class NumberedSource(int):
    """The number of a network, together with its source.

    Engines send lists of numbers to workers. With these numbers, a worker receives the sources of its
    batches, never the collection.
    """

    source: Source

    @classmethod
    def of(cls, number: int, source: Source) -> NumberedSource:
        """Return a number that has a source."""
        numbered = cls(number)
        numbered.source = source
        return numbered


class Answered(NamedTuple):
    """What a worker returns for one network: values of the columns and of the features, in order."""

    number: int
    values: list[Any]
    features: list[float | None]
    seconds: float | None
    error: str | None


@dataclass
class RowAnswerer:
    """Reads networks and answers for them; engines call it with lists of :class:`NumberedSource`."""

    answerer: Answerer
    _is_warm: bool = field(default=False, init=False)

    def warm_up(self) -> None:
        """Load compiled code, once in each process."""
        if not self._is_warm:
            self.answerer.warm_up()
            self._is_warm = True

    def __call__(self, batch: list[int]) -> list[Answered]:
        """Answer for some networks."""
        self.warm_up()
        return [self._answer(network) for network in cast(list[NumberedSource], batch)]

    def _answer(self, network: NumberedSource) -> Answered:
        start = cpu_seconds()
        try:
            graph, _ = network.source.read()
            row, values = self.answerer.answer(graph)
            cells = _in_order(row, self.answerer.columns)
            features = _in_order(values, dict.fromkeys(self.answerer.feature_names, "number"))
        except NetchoiceError as error:  # a network without an answer is data; it costs one row
            return self.failed(network, str(error), cpu_seconds() - start)
        except Exception as error:
            return self.failed(network, describe_error(error), cpu_seconds() - start)
        return Answered(int(network), cells, features, cpu_seconds() - start, None)

    def failed(self, number: int, error: str, seconds: float | None = None) -> Answered:
        """Return the row of a network without an answer."""
        cells = [None] * len(self.answerer.columns)
        features = [None] * len(self.answerer.feature_names)
        return Answered(int(number), [*cells], [*features], seconds, clean_text(error))


def _in_order(values: Mapping[str, Any], kinds: Mapping[str, str]) -> list[Any]:
    """Return a cell of the right kind for each column; a value that is absent is missing."""
    unknown = [name for name in values if name not in kinds]
    if unknown:
        raise NetchoiceError(f"the answer has the column {unknown[0]!r}, which was not declared")
    return [as_cell(values.get(name), kind) for name, kind in kinds.items()]


def as_cell(value: Any, kind: str) -> str | float | bool | None:
    """Return a value as text, number or flag; None and NaN are missing.

    >>> as_cell(3, "number"), as_cell(3, "text"), as_cell(float("nan"), "number")
    (3.0, '3', None)
    """
    if value is None or (isinstance(value, numbers.Real) and math.isnan(value)):
        return None
    if kind == "number":
        return float(value)
    return bool(value) if kind == "flag" else clean_text(value)


def clean_text(text: object) -> str:
    r"""Return a text that can be written as UTF-8; bytes of file names that are no text are escaped.

    >>> print(clean_text("caf\udce9"))
    caf\udce9
    """
    return str(text).encode("utf-8", "backslashreplace").decode()


def covariate_kinds(sources: Iterable[Source], names: Iterable[str]) -> dict[str, str]:
    """Return the kind of each covariate: a number if all its values are, otherwise text."""
    kinds = dict.fromkeys(names, "number")
    for source in sources:
        for name in kinds:
            value = source.covariates.get(name)
            if isinstance(value, bool) or not isinstance(value, numbers.Real | None):
                kinds[name] = "text"
    return kinds
