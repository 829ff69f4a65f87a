"""The verdict on every claim, as Markdown and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netchoice.atomic import write_text
from netchoice.reproduction.claim import FAILS, HOLDS, IN_PART, Claim, Evidence
from netchoice.storage.kept_files import write_json

_SYMBOLS = {HOLDS: "✔", IN_PART: "◐", FAILS: "✘"}


def judge(claim: Claim, evidence: Evidence) -> dict[str, Any]:
    """Return a claim and its findings as a record for JSON."""
    findings = {name: finding._asdict() for name, finding in claim.judge(evidence).items()}
    variants = [{"variant": name, **finding} for name, finding in findings.items()]
    return {
        "claim": claim.name, "part": claim.part, "where": claim.where,
        "statement": claim.statement, "criterion": claim.criterion,
        "added_later": claim.added_later, **next(iter(findings.values())),
        "variants": variants if len(variants) > 1 else [],
    }  # fmt: skip


def write_verdict(results: dict[str, Any], folder: Path, fingerprint: str) -> None:
    """Write ``reproduction.json`` and ``reproduction.md``."""
    write_json(folder / "reproduction.json", results, fingerprint)
    write_text(folder / "reproduction.md", as_markdown(results["claims"], results))


def as_markdown(judged: list[dict[str, Any]], about: dict[str, Any]) -> str:
    """Return the verdicts as a Markdown page."""
    counts = {verdict: sum(row["verdict"] == verdict for row in judged) for verdict in _SYMBOLS}
    lines = [
        "# Verdicts on the paper's claims\n",
        f"Scale {about['scale']}, {about['date']}, {about['machine']}, netchoice {about['version']}. "
        f"Of {len(judged)} claims, {counts[HOLDS]} hold, {counts[IN_PART]} hold in part and "
        f"{counts[FAILS]} do not hold. The criteria were fixed before the first full run, except for "
        "claims marked as added later. The code computes the verdicts from the criteria. The first row "
        "of each table below uses the paper's own costs and node counts, and gives the verdict.\n",
        "| | claim | where | verdict |",
        "|---|---|---|---|",
        *(
            f"| {_SYMBOLS[row['verdict']]} | [{row['claim']}](#{row['claim']}): "
            f"{_cell(row['statement'])} | {row['where']} | {row['verdict']}{_other_verdicts(row)} |"
            for row in judged
        ),
    ]
    for row in judged:
        lines += [f"\n({row['claim']})=\n## {row['claim']}\n", *_section(row)]
    return "\n".join(lines) + "\n"


def _other_verdicts(row: dict[str, Any]) -> str:
    """Return the different verdicts under other settings, as text."""
    others = {variant["verdict"] for variant in row["variants"]} - {row["verdict"]}
    return f"; other settings: {', '.join(sorted(others))}" if others else ""


def _section(row: dict[str, Any]) -> list[str]:
    later = " *(added after the first full run)*" if row["added_later"] else ""
    return [
        f"{row['statement']} ({row['where']})\n",
        f"*Criterion:* {row['criterion']}{later}\n",
        "| setting | verdict | our figure | note |",
        "|---|---|---|---|",
        *(
            f"| {variant.get('variant', '')} | {_SYMBOLS[variant['verdict']]} {variant['verdict']} "
            f"| {_cell(variant['figure'])} | {_cell(variant['note'])} |"
            for variant in row["variants"] or [row]
        ),
    ]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
