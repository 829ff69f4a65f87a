"""One command for all of the paper."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from netchoice.datasets import DatasetError, load
from netchoice.errors import UsageError
from netchoice.names import unknown
from netchoice.reproduction.claim import Evidence
from netchoice.reproduction.claims import CLAIMS
from netchoice.reproduction.costs import AS_PUBLISHED, SETTINGS
from netchoice.reproduction.frames import kept_record
from netchoice.reproduction.pilots import run_pilots
from netchoice.reproduction.scales import FAMILIES, PARTS, SCALES, SEED, Scale
from netchoice.reproduction.spaces import SpaceRun
from netchoice.reproduction.tables import cost_page, cost_table, three_core_page
from netchoice.reproduction.verdict import judge_all, write_verdict
from netchoice.reproduction.yeast import NETWORKS, PAPERS_FIVE, YeastRun
from netchoice.workflows.pilot_tables import Progress

#: What each part is made from.
_NEEDS = {
    "ba": ("ba",), "duplication": ("duplication",), "pilot": FAMILIES, "yeast": ("duplication",),
    "three-core": ("ba",),
}  # fmt: skip
#: Repeats can be added to, and pictures drawn or not.
_WITHOUT_EFFECT_ON_DATA = ("repeats", "draws_every_setting")


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
    """Make the paper's tables and figures, and judge its claims.

    Parameters
    ----------
    parts : str or iterable of str
        Some of ``ba``, ``duplication``, ``pilot``, ``yeast``, ``three-core``; or ``all``.
    out : path
        Folder for everything; interrupted, the same call goes on there.
    scale : "tiny", "small" or "paper"
        A moment, a few minutes, or the paper's own numbers.
    repeats : int, optional
        Of the pilots; by default the scale's.
    workers : int, optional
        Processes and threads; one per core by default.
    fresh : bool
        Whether to throw away what is in the folder.
    on_progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    dict
        What ``reproduction.json`` holds: ``claims``, each with verdict, figure and variants, and
        what was run where and when.

    Examples
    --------
    >>> import tempfile
    >>> from netchoice.reproduction import reproduce
    >>> found = reproduce("three-core", out=tempfile.mkdtemp(), scale="tiny")
    >>> [claim["claim"] for claim in found["claims"]]
    ['three-core']
    """
    chosen = _parts(parts)
    if scale not in SCALES:
        raise unknown("scale", str(scale), SCALES)
    sizes = SCALES[scale]
    n_repeats = sizes.repeats if repeats is None else repeats
    if isinstance(n_repeats, bool) or n_repeats != int(n_repeats) or n_repeats < 1:
        raise UsageError(f"repeats={repeats!r}; expected an integer, 1 or more")
    folder = Path(out)
    if "yeast" in chosen:
        _check_networks()
    _prepare(folder, sizes, fresh)
    work = _Work(chosen, sizes, folder, int(n_repeats), workers, on_progress)
    return work.all()


@dataclasses.dataclass
class _Work:
    parts: tuple[str, ...]
    scale: Scale
    folder: Path
    repeats: int
    workers: int | None
    on_progress: Progress | None

    def all(self) -> dict[str, Any]:
        evidence = self._evidence()
        figures = self.folder / "figures"
        figures.mkdir(parents=True, exist_ok=True)
        self._draw(evidence, figures)
        self._write_tables(evidence)
        claims = [claim for claim in CLAIMS if claim.part in self.parts]
        judged, about = self._with_earlier(judge_all(claims, evidence), self._about())
        write_verdict(judged, about, self.folder)
        return {**about, "claims": judged}

    def _with_earlier(
        self, judged: list[dict[str, Any]], about: dict[str, Any]
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Also what earlier runs into the same folder judged, in the order of the claims."""
        path = self.folder / "reproduction.json"
        earlier = kept_record(path, dict) if path.exists() else {}
        by_name = {row["claim"]: row for row in (*earlier.get("claims", []), *judged)}
        whole = {part for part in PARTS if part in self.parts or part in earlier.get("parts", [])}
        if "pilot" not in self.parts and "pilot" in whole:
            about["settings"]["repeats"] = earlier["settings"]["repeats"]
        about["parts"] = [part for part in PARTS if part in whole]
        return [by_name[claim.name] for claim in CLAIMS if claim.name in by_name], about

    def _evidence(self) -> Evidence:
        families = {family for part in self.parts for family in _NEEDS[part]}
        spaces = {
            family: SpaceRun(family, self.scale, self.folder, self.workers, self.on_progress)
            for family in FAMILIES
            if family in families
        }
        pilots = (
            {family: run_pilots(run, self.repeats) for family, run in spaces.items()}
            if "pilot" in self.parts
            else {}
        )
        yeast = None
        if "yeast" in self.parts:
            yeast = YeastRun(spaces["duplication"], self.folder / "yeast", self.scale.yeast_rows)
        return Evidence(spaces, pilots, yeast)

    def _draw(self, evidence: Evidence, figures: Path) -> None:
        from netchoice.reproduction import figures as drawing

        for family, run in evidence.spaces.items():
            if family in self.parts:
                drawing.heat_figures(run, figures)
                drawing.transition_figure(run, figures)
        if evidence.pilots:
            drawing.growth_figure(evidence.pilots, figures)
            drawing.pilot_figures(evidence.pilots, figures)
        if evidence.yeast is not None:
            sets: dict[str, tuple[str, ...]] = {"papers": PAPERS_FIVE}
            if self.scale.draws_every_setting:
                both = (AS_PUBLISHED, SETTINGS[-1])
                sets |= {setting.name: evidence.yeast.five(setting) for setting in both}
            for counted in ("paper", "true"):
                for name, five in sets.items():
                    path = figures / f"figure-4-yeast-{counted}-nodes-{name}"
                    drawing.yeast_figure(evidence.yeast, counted, five, path)

    def _write_tables(self, evidence: Evidence) -> None:
        there = {
            family: SpaceRun(family, self.scale, self.folder, self.workers, self.on_progress)
            for family in FAMILIES
            if family in evidence.spaces or (self.folder / family / "tables").is_dir()
        }
        costs = cost_table(there)
        costs.to_csv(self.folder / "table-S1-costs.csv", index=False)
        (self.folder / "table-S1-costs.md").write_text(cost_page(costs))
        if "three-core" in self.parts:
            page = three_core_page(evidence.spaces["ba"])
            (self.folder / "table-S2-three-core.md").write_text(page)

    def _about(self) -> dict[str, Any]:
        return {
            "scale": self.scale.name,
            "settings": _plain(
                {**dataclasses.asdict(self.scale), "repeats": self.repeats, "seed": SEED}
            ),
            "parts": list(self.parts),
            "date": datetime.now(UTC).date().isoformat(),
            "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python "
            f"{platform.python_version()}",
            "version": _version(),
        }


def _check_networks() -> None:
    """Before hours of work, not after."""
    for network in NETWORKS:
        try:
            load(network)
        except DatasetError as error:
            raise DatasetError(f"{error}; or leave out the part yeast") from error


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("netchoice")
    except PackageNotFoundError:
        return "unknown"


def _parts(parts: str | Iterable[str]) -> tuple[str, ...]:
    wanted = [parts] if isinstance(parts, str) else list(parts)
    if wanted == ["all"]:
        return PARTS
    for part in wanted:
        if part not in PARTS:
            raise unknown("part", str(part), (*PARTS, "all"))
    if not wanted:
        raise UsageError(f"no parts; expected some of {', '.join(PARTS)}")
    return tuple(part for part in PARTS if part in wanted)


def _prepare(folder: Path, scale: Scale, fresh: bool) -> None:
    """The folder, if what is in it was made alike."""
    if fresh and folder.exists():
        _throw_away(folder)
    record = {**dataclasses.asdict(scale), "seed": SEED}
    told = _plain({k: v for k, v in record.items() if k not in _WITHOUT_EFFECT_ON_DATA})
    found = kept_record(folder / "settings.json", lambda: told)
    if found != told:
        raise UsageError(
            f"{folder} holds a reproduction at scale {found.get('name')!r} made otherwise; give "
            "another folder, or start afresh"
        )


def _throw_away(folder: Path) -> None:
    """Only what this command made: nobody's thesis."""
    path = folder / "settings.json"
    try:
        ours = {"seed", "pilot_sizes", "yeast_rows"} <= set(json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        ours = False
    if not ours and any(folder.iterdir()):
        raise UsageError(
            f"{folder} holds no reproduction, so it is left alone; give another folder"
        )
    shutil.rmtree(folder)


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    return {key: list(v) if isinstance(v, tuple) else v for key, v in record.items()}
