"""The reproduction of the paper, from simulated tables to verdicts."""

from __future__ import annotations

import dataclasses
import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from netchoice.atomic import write_text
from netchoice.datasets import DatasetError, load
from netchoice.errors import UsageError
from netchoice.names import unknown
from netchoice.reproduction import claims_pilots, claims_spaces, claims_yeast
from netchoice.reproduction.claim import Evidence
from netchoice.reproduction.paper_tables import cost_page, cost_table, three_core_page
from netchoice.reproduction.pilot_run import run_pilots
from netchoice.reproduction.scales import FAMILIES, PARTS, SCALES, Scale
from netchoice.reproduction.space_run import SpaceRun
from netchoice.reproduction.verdict import judge, write_verdict
from netchoice.reproduction.yeast_run import NETWORKS, YeastRun
from netchoice.storage.kept_results import kept_record
from netchoice.validation import check_integer
from netchoice.workflows.run_folder import RunFiles, run_folder
from netchoice.workflows.table_maker import Progress

#: All quantitative claims of the paper, each with the criterion that it is judged by.
CLAIMS = (*claims_spaces.CLAIMS, *claims_pilots.CLAIMS, *claims_yeast.CLAIMS)
#: Families whose tables each part uses.
_PART_FAMILIES = {
    "ba": ("ba",), "duplication": ("duplication",), "pilot": FAMILIES, "yeast": ("duplication",),
    "three-core": ("ba",),
}  # fmt: skip
_TABLES = ("_manifest.json", "rows-*.parquet")
_RESULTS = ("*.parquet", "scores-*.jsonl", "pilots-*-growth.json", "rankings/*.parquet")
#: What a reproduction writes.
REPRODUCTION_FILES = RunFiles("settings.json", "netchoice reproduce", (
    *(f"figures/{name}-*.{suffix}" for name in ("figure", "heat", "transition", "pilots")
      for suffix in ("png", "pdf")),
    "table-S*.csv", "table-S*.md", "reproduction.json", "reproduction.md",
    "yeast/five-*.parquet", "yeast/answer-*.json", *(f"yeast/table-*/{name}" for name in _TABLES),
    *(f"{family}/{name}" for family in FAMILIES for name in _RESULTS),
    *(f"{family}/tables/*/{name}" for family in FAMILIES for name in _TABLES),
))  # fmt: skip


def reproduce(
    parts: str | Iterable[str] = "all",
    *,
    out: str | os.PathLike[str],
    scale: str = "small",
    repeats: int | None = None,
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
        Folder for all results. The same call resumes an interrupted run.
    scale : "tiny", "small" or "paper"
        Sizes of the experiments, which take about a minute, some minutes, or hours (paper).
    repeats : int, optional
        Repeats of the pilot study; by default those of the scale.
    workers : int, optional
        Processes and threads; by default one per core.
    fresh : bool
        Whether to delete an earlier reproduction in the folder.
    on_progress : callable, optional
        Called with the name of the stage, and the items done, in total, and failed.

    Returns
    -------
    dict
        The content of ``reproduction.json``: ``claims``, each with its verdict, figure and
        variants; and scale, settings, date, machine and version.

    Examples
    --------
    >>> import tempfile
    >>> from netchoice.reproduction import reproduce
    >>> results = reproduce("three-core", out=tempfile.mkdtemp(), scale="tiny")
    >>> [claim["claim"] for claim in results["claims"]]
    ['three-core']
    """
    chosen = _check_parts(parts)
    if scale not in SCALES:
        raise unknown("scale", str(scale), SCALES)
    sizes = SCALES[scale]
    n_repeats = sizes.repeats if repeats is None else check_integer("repeats", repeats)
    if "yeast" in chosen:
        _check_networks()
    with run_folder(Path(out), sizes.data_settings, fresh, REPRODUCTION_FILES):
        return _Reproduction(chosen, sizes, Path(out), n_repeats, workers, on_progress).run()


@dataclasses.dataclass(frozen=True)
class _Reproduction:
    parts: tuple[str, ...]
    scale: Scale
    folder: Path
    repeats: int
    workers: int | None
    on_progress: Progress | None

    def run(self) -> dict[str, Any]:
        """Compute the evidence, draw figures, write tables and verdicts, and return these."""
        evidence = self._evidence()
        self._draw(evidence)
        self._write_tables(evidence)
        judged = [judge(claim, evidence) for claim in CLAIMS if claim.part in self.parts]
        results = self._with_earlier(judged)
        write_verdict(results, self.folder, self.scale.fingerprint)
        return results

    def _with_earlier(self, judged: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the results with those of earlier runs into the same folder."""
        path = self.folder / "reproduction.json"
        earlier = kept_record(path, self.scale.fingerprint, dict)
        by_name = {row["claim"]: row for row in (*earlier.get("claims", []), *judged)}
        about, parts = self._about(), {*self.parts, *earlier.get("parts", [])}
        if "pilot" not in self.parts and "pilot" in parts:
            about["settings"]["repeats"] = earlier["settings"]["repeats"]
        about["parts"] = [part for part in PARTS if part in parts]
        return {**about, "claims": [by_name[c.name] for c in CLAIMS if c.name in by_name]}

    def _space(self, family: str) -> SpaceRun:
        return SpaceRun(family, self.scale, self.folder, self.workers, self.on_progress)

    def _evidence(self) -> Evidence:
        used = {family for part in self.parts for family in _PART_FAMILIES[part]}
        spaces = {family: self._space(family) for family in FAMILIES if family in used}
        evidence = Evidence(spaces)
        if "pilot" in self.parts:
            evidence.pilots = {name: run_pilots(run, self.repeats) for name, run in spaces.items()}
        if "yeast" in self.parts:
            folder = self.folder / "yeast"
            evidence.yeast = YeastRun(spaces["duplication"], folder, self.scale.yeast_rows)
        return evidence

    def _draw(self, evidence: Evidence) -> None:
        from netchoice.reproduction import paper_figures

        folder = self.folder / "figures"
        for family, run in evidence.spaces.items():
            if family in self.parts:
                paper_figures.draw_heat_maps(run, folder)
                paper_figures.draw_transition(run, folder)
        if evidence.pilots:
            paper_figures.draw_cost_growth(evidence.pilots, folder)
            paper_figures.draw_pilot_accuracy(evidence.pilots, folder)
        if evidence.yeast is not None:
            paper_figures.draw_yeast(evidence.yeast, folder)

    def _write_tables(self, evidence: Evidence) -> None:
        earlier = [name for name in FAMILIES if (self.folder / name / "tables").is_dir()]
        used = [name for name in FAMILIES if name in evidence.spaces or name in earlier]
        costs = cost_table({name: self._space(name) for name in used})
        write_text(self.folder / "table-S1-costs.csv", costs.to_csv(index=False))
        write_text(self.folder / "table-S1-costs.md", cost_page(costs))
        if "three-core" in self.parts:
            page = three_core_page(evidence.spaces["ba"])
            write_text(self.folder / "table-S2-three-core.md", page)

    def _about(self) -> dict[str, Any]:
        python = f"Python {platform.python_version()}"
        return {
            "scale": self.scale.name, "settings": self.scale.as_dict() | {"repeats": self.repeats},
            "parts": list(self.parts), "date": datetime.now(UTC).date().isoformat(),
            "machine": f"{os.cpu_count()} cores, {platform.machine()}, {python}",
            "version": version("netchoice"),
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
