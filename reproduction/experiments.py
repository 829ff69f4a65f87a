"""The reproduction of the paper, from simulated tables to verdicts."""

from __future__ import annotations

import dataclasses
import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from netchoice.atomic import write_text
from netchoice.errors import UsageError
from netchoice.storage.run_folder import run_folder
from netchoice.validation import check_integer, unknown
from reproduction import claims_pilots, claims_spaces, claims_yeast
from reproduction.pilots import run_pilots
from reproduction.records import StageClock, kept_record
from reproduction.settings import AS_PUBLISHED, FAMILIES, PARTS, SCALES, Scale, table_seed
from reproduction.spaces import Progress, SpaceRun
from reproduction.tables import cost_page, cost_table, three_core_page
from reproduction.verdict import Evidence, summarise, write_verdict
from reproduction.yeast import NETWORKS, DatasetError, YeastRun, load

#: All quantitative claims of the paper, each with the criterion that it is judged by.
CLAIMS = (*claims_spaces.CLAIMS, *claims_pilots.CLAIMS, *claims_yeast.CLAIMS)
#: Families whose tables each part uses.
_PART_FAMILIES = {
    "ba": ("ba",), "duplication": ("duplication",), "pilot": FAMILIES, "yeast": ("duplication",),
    "three-core": ("ba",),
}  # fmt: skip
#: What makes a reproduction, for messages.
MADE_BY = "python -m reproduction"


def reproduce(
    parts: str | Iterable[str] = "all",
    *,
    out: str | os.PathLike[str],
    scale: str = "small",
    tables: int | None = None,
    workers: int | None = None,
    fresh: bool = False,
    on_progress: Progress | None = None,
) -> dict[str, Any]:
    """Reproduce the tables and figures of the paper, and judge its claims.

    Parameters
    ----------
    parts : str or iterable of str
        Any of ``ba``, ``duplication``, ``pilot``, ``yeast``, ``three-core``; or ``all``.
    out : path
        Folder for all results. The same call resumes an interrupted run. A folder that another
        version of the code wrote is refused.
    scale : "tiny", "small" or "paper"
        Sizes of the experiments. "tiny" shows that the pipeline runs, and judges nothing.
    tables : int, optional
        Independent pairs of tables, to rank features and to test them, that each claim is judged on;
        by default those of the scale. A later call can add tables.
    workers : int, optional
        Processes and threads; by default one per core.
    fresh : bool
        Whether to delete an earlier reproduction in the folder.
    on_progress : callable, optional
        Called with the name of the stage, and the items done, in total, and failed.

    Returns
    -------
    dict
        The content of ``reproduction.json``: ``claims``, each with its verdict, and for each variant
        the findings on every table; scale, settings, seeds, date, machine and version of the code;
        and ``seconds`` by stage.

    Examples
    --------
    >>> import tempfile
    >>> results = reproduce("three-core", out=tempfile.mkdtemp(), scale="tiny", tables=1)
    >>> [(claim["claim"], claim["verdict"]) for claim in results["claims"]]
    [('three-core', 'not judged')]
    """
    chosen = _check_parts(parts)
    if scale not in SCALES:
        raise unknown("scale", str(scale), SCALES)
    sizes = SCALES[scale]
    n_tables = sizes.tables if tables is None else check_integer("tables", tables)
    if "yeast" in chosen:
        _check_networks()
    with run_folder(
        Path(out), sizes.facts, fresh, MADE_BY, ("reproduction.json", "reproduction.md")
    ):
        return _Reproduction(chosen, sizes, Path(out), n_tables, workers, on_progress).run()


@dataclasses.dataclass
class _Reproduction:
    parts: tuple[str, ...]
    scale: Scale
    folder: Path
    tables: int
    workers: int | None
    on_progress: Progress | None

    def run(self) -> dict[str, Any]:
        """Judge the claims on one table after the other, and draw figures and tables.

        The verdicts are written after each table.
        """
        claims = [claim for claim in CLAIMS if claim.part in self.parts]
        evidence, findings = [], []
        for number in range(1, self.tables + 1):
            evidence.append(self._evidence(number))
            findings.append([claim.judge(evidence[-1]) for claim in claims])
            judged = [
                summarise(claim, list(each), judged=self.scale.judged)
                for claim, each in zip(claims, zip(*findings, strict=True), strict=True)
            ]
            self._write(judged, evidence)
        with self._clock.stage("figures"):
            self._draw(evidence)
            self._write_tables(evidence[0])
        return self._write(judged, evidence)

    @cached_property
    def _clock(self) -> StageClock:
        return StageClock(self.folder / "seconds.json", self.scale.facts)

    def _write(self, judged: list[dict[str, Any]], evidence: list[Evidence]) -> dict[str, Any]:
        """Write and return the verdicts, with those of earlier runs into the same folder."""
        path, about = self.folder / "reproduction.json", self._about(evidence)
        earlier = kept_record(path, self.scale.facts, dict)
        by_name = {row["claim"]: row for row in (*earlier.get("claims", []), *judged)}
        parts = {*self.parts, *earlier.get("parts", [])}
        about |= {
            "parts": [part for part in PARTS if part in parts],
            "seeds": max(about["seeds"], earlier.get("seeds", []), key=len),
            "cost_of_all_features": {
                **earlier.get("cost_of_all_features", {}), **about["cost_of_all_features"],
            },
            "claims": [by_name[c.name] for c in CLAIMS if c.name in by_name],
        }  # fmt: skip
        write_verdict(about, self.folder, self.scale.facts)
        return about

    def _space(self, family: str, number: int) -> SpaceRun:
        folder = self.folder / family / f"table-{number}"
        return SpaceRun(
            family, self.scale, folder, number, self.workers, self.on_progress, self._clock
        )

    def _evidence(self, number: int) -> Evidence:
        used = {family for part in self.parts for family in _PART_FAMILIES[part]}
        spaces = {family: self._space(family, number) for family in FAMILIES if family in used}
        evidence = Evidence(spaces)
        if "pilot" in self.parts:
            evidence.pilots = {name: run_pilots(run) for name, run in spaces.items()}
        if "yeast" in self.parts:
            folder = self.folder / "yeast" / f"table-{number}"
            evidence.yeast = YeastRun(spaces["duplication"], folder, self.scale.yeast_rows)
        return evidence

    def _draw(self, evidence: list[Evidence]) -> None:
        """Draw the figures of the first table, and those of the pilots of all tables."""
        from reproduction import figures

        folder = self.folder / "figures"
        for family, run in evidence[0].spaces.items():
            if family in self.parts:
                figures.draw_heat_maps(run, folder)
                figures.draw_transition(run, folder)
        if "pilot" in self.parts:
            for family in FAMILIES:
                pilots = [each.pilots[family] for each in evidence]
                figures.draw_pilot_losses(family, pilots, folder)
            figures.draw_cost_growth([each.pilots for each in evidence], folder)
        if evidence[0].yeast is not None:
            figures.draw_yeast(evidence[0].yeast, folder)

    def _write_tables(self, evidence: Evidence) -> None:
        earlier = [name for name in FAMILIES if (self.folder / name / "table-1/tables").is_dir()]
        used = [name for name in FAMILIES if name in evidence.spaces or name in earlier]
        costs = cost_table({name: self._space(name, 1) for name in used})
        write_text(self.folder / "table-S1-costs.csv", costs.to_csv(index=False))
        write_text(self.folder / "table-S1-costs.md", cost_page(costs))
        if "three-core" in self.parts:
            page = three_core_page(evidence.spaces["ba"])
            write_text(self.folder / "table-S2-three-core.md", page)

    def _about(self, evidence: list[Evidence]) -> dict[str, Any]:
        python = f"Python {platform.python_version()}"
        facts = self.scale.facts
        return {
            "scale": self.scale.name, "judged": self.scale.judged, "settings": self.scale.as_dict(),
            "seeds": [table_seed(i + 1) for i in range(len(evidence))],
            "cost_of_all_features": {
                family: run.cost_of_all_features(AS_PUBLISHED)
                for family, run in evidence[0].spaces.items()
            },
            "date": datetime.now(UTC).date().isoformat(),
            "machine": f"{os.cpu_count()} cores, {platform.machine()}, {python}",
            "version": facts["versions"]["netchoice"], "code": facts["code"],
            "seconds": self._clock.stages(),
        }  # fmt: skip


def _check_networks() -> None:
    """Load the yeast networks, so that a missing one is reported before hours of work."""
    for network in NETWORKS:
        try:
            load(network)
        except DatasetError as error:
            raise DatasetError(f"{error}; or leave out the part yeast") from error


def _check_parts(parts: str | Iterable[str]) -> tuple[str, ...]:
    """Return the parts in their usual order, if all of them are known."""
    wanted = [parts] if isinstance(parts, str) else list(parts)
    if wanted == ["all"]:
        return PARTS
    for part in wanted:
        if part not in PARTS:
            raise unknown("part", str(part), (*PARTS, "all"))
    if not wanted:
        raise UsageError(f"`parts` must name at least one of {', '.join(PARTS)}; got none")
    return tuple(part for part in PARTS if part in wanted)
