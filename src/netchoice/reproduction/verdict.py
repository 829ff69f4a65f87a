"""The verdict on every claim, for people (Markdown) and machines (JSON)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from netchoice.reproduction.claim import FAILS, HOLDS, IN_PART, Claim, Evidence, Finding

_SIGNS = {HOLDS: "✔", IN_PART: "◐", FAILS: "✘"}


def judge_all(claims: Iterable[Claim], evidence: Evidence) -> list[dict[str, Any]]:
    """Findings of all claims, ready for JSON."""
    return [_judged(claim, claim.judge(evidence)) for claim in claims]


def _judged(claim: Claim, findings: dict[str, Finding]) -> dict[str, Any]:
    main = next(iter(findings.values()))
    variants = [{"variant": name, **finding._asdict()} for name, finding in findings.items()]
    return {
        "claim": claim.name,
        "part": claim.part,
        "where": claim.where,
        "words": claim.words,
        "criterion": claim.criterion,
        "added_later": claim.added_later,
        **main._asdict(),
        "variants": variants if len(variants) > 1 else [],
    }


def write_verdict(judged: list[dict[str, Any]], about: dict[str, Any], folder: Path) -> None:
    """``reproduction.json`` and ``reproduction.md``."""
    record = {**about, "claims": judged}
    text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / "reproduction.json").write_text(text + "\n")
    (folder / "reproduction.md").write_text(as_markdown(judged, about))


def as_markdown(judged: list[dict[str, Any]], about: dict[str, Any]) -> str:
    """The same as a page."""
    counts = {word: sum(row["verdict"] == word for row in judged) for word in _SIGNS}
    lines = [
        "# The paper's claims, judged",
        "",
        f"Scale {about['scale']}, {about['date']}, {about['machine']}, netchoice {about['version']}. "
        f"Of {len(judged)} claims {counts[HOLDS]} hold, {counts[IN_PART]} hold in part and "
        f"{counts[FAILS]} do not hold. Criteria were written down before the first full run, but for "
        "those marked as added later; verdicts are computed from them. The first line of each table "
        "below is under the paper's own costs "
        "and numbers of nodes, and gives the verdict.",
        "",
        "| | claim | where | verdict |",
        "|---|---|---|---|",
        *(
            f"| {_SIGNS[row['verdict']]} | [{row['claim']}](#{row['claim']}): {_cell(row['words'])} "
            f"| {row['where']} | {row['verdict']}{_elsewhere(row)} |"
            for row in judged
        ),
    ]
    for row in judged:
        lines += ["", f"({row['claim']})=", f"## {row['claim']}", "", *_section(row)]
    return "\n".join(lines) + "\n"


def _elsewhere(row: dict[str, Any]) -> str:
    """Whether another setting changes the conclusion."""
    other = {variant["verdict"] for variant in row["variants"]} - {row["verdict"]}
    return f"; elsewhere {', '.join(sorted(other))}" if other else ""


def _section(row: dict[str, Any]) -> list[str]:
    later = " *(added after the first full run)*" if row["added_later"] else ""
    lines = [f"{row['words']} ({row['where']})", "", f"*Criterion:* {row['criterion']}{later}", ""]
    variants = row["variants"] or [row]
    lines += ["| setting | verdict | our figure | why |", "|---|---|---|---|"]
    for variant in variants:
        lines.append(
            f"| {variant.get('variant', '')} | {_SIGNS[variant['verdict']]} {variant['verdict']} "
            f"| {_cell(variant['figure'])} | {_cell(variant['why'])} |"
        )
    return lines


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
