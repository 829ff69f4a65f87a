"""Claims of the paper, the evidence that judges them, and the verdict over several tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from netchoice.atomic import write_text
from netchoice.storage.kept_files import fingerprint_of, write_json
from reproduction.settings import COST_SETTINGS, SCALES

if TYPE_CHECKING:
    from reproduction.pilots import PilotRun
    from reproduction.spaces import SpaceRun
    from reproduction.yeast import YeastRun

#: Accuracy that counts as the paper's "perfectly", "100 %" and "1": it rounds to 1.00.
PERFECT = 0.995
#: Accuracy that counts as the paper's "performed well".
WELL = 0.95

#: What a claim is about: the methods; the speed or scale of an implementation; or one machine.
METHOD, IMPLEMENTATION, MACHINE = "method", "implementation", "machine"


class Finding(NamedTuple):
    """Whether a claim holds on one table, the numbers that decide it, and details in words.

    None: the claim cannot be judged. The part of a name before a colon is printed once for all names
    that share it.
    """

    holds: bool | None
    values: Mapping[str, float]
    text: str = ""


@dataclass
class Evidence:
    """Results on one table that the claims are judged by; most are computed on first use."""

    spaces: Mapping[str, SpaceRun] = field(default_factory=dict)
    pilots: Mapping[str, PilotRun] = field(default_factory=dict)
    yeast: YeastRun | None = None


Judge = Callable[[Evidence], dict[str, Finding]]


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and the criterion for it to hold."""

    name: str
    part: str
    where: str
    statement: str
    criterion: str
    judge: Judge  # findings by variant (costs, node counts); the first is the paper's own
    kind: str = METHOD


HOLDS, FAILS = "holds", "does not hold"
BY_COSTS, OF_MACHINE = "depends on costs", "about the authors' machine"
NOT_JUDGED = "not judged"
#: A claim depends on costs if it holds in at least the one share of the tables under some costs, and in
#: at most the other share under others: with five tables, in 4 or 5, and in 0 or 1.
MOST, FEW = 0.8, 0.2

_COST_LABELS = {setting.label for setting in COST_SETTINGS}
#: Kinds of claims that are counted, and the verdicts, in the order of the counts.
COUNTED = {METHOD: "about the methods", IMPLEMENTATION: "that depend on the implementation"}
_IN_SOME = "holds in some tables"
_ORDER = (HOLDS, _IN_SOME, BY_COSTS, FAILS, NOT_JUDGED)


def summarise(
    claim: Claim, by_table: Sequence[dict[str, Finding]], *, judged: bool = True
) -> dict[str, Any]:
    """Return a claim, its findings on each table, and the verdict over all tables, for JSON.

    A variant has whether the claim holds on each table on which it can be judged, and for each table
    its numbers, and details in words.
    """
    variants = []
    for name in by_table[0]:
        findings = [each[name] for each in by_table]
        names = dict.fromkeys(value for finding in findings for value in finding.values)
        variants.append(
            {
                "variant": name,
                "holds": [f.holds for f in findings if f.holds is not None],
                "values": {n: [_known(f.values.get(n)) for f in findings] for n in names},
                "texts": [finding.text for finding in findings],
            }
        )  # fmt: skip
    return {
        "claim": claim.name, "part": claim.part, "where": claim.where, "kind": claim.kind,
        "statement": claim.statement, "criterion": claim.criterion,
        "verdict": _verdict(claim.kind, variants) if judged else NOT_JUDGED, "variants": variants,
    }  # fmt: skip


def _known(value: float | None) -> float | None:
    return None if value is None or value != value else value


def _verdict(kind: str, variants: list[dict[str, Any]]) -> str:
    if kind == MACHINE:
        return OF_MACHINE
    n = len(variants[0]["holds"])
    if not n:
        return NOT_JUDGED
    under_costs = [sum(v["holds"]) / n for v in variants if v["variant"] in _COST_LABELS]
    if under_costs and max(under_costs) >= MOST and min(under_costs) <= FEW:
        return BY_COSTS
    return count_text(variants[0]["holds"])


def count_text(holds: Sequence[bool]) -> str:
    """Return in how many of several tables a claim holds.

    >>> count_text([True, True]), count_text([True, False]), count_text([False])
    ('holds', 'holds in 1 of 2', 'does not hold')
    """
    k, n = sum(holds), len(holds)
    return HOLDS if k == n else f"holds in {k} of {n}" if k else FAILS


def counts(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Return the numbers of verdicts of the claims of each kind that is counted."""
    found = {}
    for kind in COUNTED:
        verdicts = [row["verdict"] for row in rows if row["kind"] == kind]
        number = Counter(_IN_SOME if v.startswith("holds in") else v for v in verdicts)
        found[kind] = {verdict: number[verdict] for verdict in _ORDER}
    return found


def values_text(variant: dict[str, Any]) -> str:
    """Return the numbers of a variant, as mean and range over tables.

    >>> values_text({"values": {"accuracy: jmi": [1.0, 0.98], "accuracy: mrmr": [1.0, 1.0]}})
    'accuracy: jmi 0.99 (0.98 to 1), mrmr 1'
    """
    groups: dict[str, list[str]] = {}
    for name, each in variant["values"].items():
        known = [value for value in each if value is not None]
        group, _, item = name.rpartition(": ")
        if not known:
            text = "none"
        else:
            text = _number(sum(known) / len(known))
            if min(known) != max(known):
                text += f" ({_number(min(known))} to {_number(max(known))})"
            if len(known) < len(each):
                text += f" in {len(known)} tables"
        groups.setdefault(group or name, []).append(f"{item} {text}" if group else f" {text}")
    return "; ".join(
        f"{group}: {', '.join(texts)}" if not texts[0].startswith(" ") else group + texts[0]
        for group, texts in groups.items()
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def write_verdict(results: dict[str, Any], folder: Path, facts: Mapping[str, Any]) -> None:
    """Write ``reproduction.json`` and ``reproduction.md``."""
    write_json(folder / "reproduction.json", results, fingerprint_of(facts))
    write_text(folder / "reproduction.md", as_markdown(results["claims"], results))


def as_markdown(rows: list[dict[str, Any]], about: dict[str, Any]) -> str:
    """Return the verdicts as a Markdown page."""
    lines = [
        *_heading(rows, about),
        "| claim | where | verdict |",
        "|---|---|---|",
        *(
            f"| [{row['claim']}](#{row['claim']}): {_cell(row['statement'])} | {row['where']} | "
            f"{row['verdict']}{_other_settings(row)} |"
            for row in rows
        ),
    ]
    for row in rows:
        lines += [f"\n({row['claim']})=\n## {row['claim']}\n", *_section(row)]
    return "\n".join([*lines, *_seconds(about["seconds"])]) + "\n"


def _heading(rows: list[dict[str, Any]], about: dict[str, Any]) -> list[str]:
    sizes = about["settings"]
    run = (
        f"Scale {about['scale']}: {sizes['rows']} networks of {sizes['nodes']} nodes to rank features, "
        f"and as many to test them. {about['date']}, {about['machine']}, netchoice {about['version']} "
        f"(code {about['code']}), seeds {', '.join(map(str, about['seeds']))}.\n"
    )
    if not about["judged"]:
        return [
            "# A run without verdicts\n",
            run,
            f"Scale {about['scale']} shows that the pipeline runs. Its networks are too few and too "
            "small to judge a claim of the paper, so that no claim has a verdict.\n",
        ]
    n = len(about["seeds"])
    machine = sum(row["kind"] == MACHINE for row in rows)
    if about["scale"] != "paper":
        run += (
            f"\nThe paper has {SCALES['paper'].rows} networks of {SCALES['paper'].nodes} nodes. These "
            "verdicts are about smaller networks, and fewer of them.\n"
        )
    return [
        "# Verdicts on the paper's claims\n",
        run,
        f"| claims | {' | '.join(_ORDER)} |",
        "|---|" + "---:|" * len(_ORDER),
        *(
            f"| {COUNTED[kind]} | {' | '.join(map(str, found.values()))} |"
            for kind, found in counts(rows).items()
        ),
        f"\n{machine} more claims are about the authors' machine, and are not judged.\n",
        f"Tables: {n}. Each claim was judged on each table; tables share no random numbers. Numbers are "
        "means over the tables, with the smallest and the largest in brackets. The first row of each "
        "table below uses the costs, and for yeast the node counts, that the paper states. It gives "
        "the verdict, unless the claim depends on costs: it then holds in at least "
        f"{MOST:.0%} of the tables under some costs, and in at most {FEW:.0%} under others.\n",
        "λ is per second of the paper's code. Multiply it by the cost of all features that vary, "
        + " or ".join(f"{s:.2f} s (`{name}`)" for name, s in about["cost_of_all_features"].items())
        + ", for the λ of section 2.1 of the paper, where costs are shares. λ of weighted forests is "
        "an exponent and has no unit.\n",
    ]


def _other_settings(row: dict[str, Any]) -> str:
    """Return the verdicts under other settings that differ from those of the first, as text."""
    first, *others = [count_text(variant["holds"]) for variant in row["variants"]]
    different = list(dict.fromkeys(each for each in others if each != first))
    if row["verdict"] in (NOT_JUDGED, OF_MACHINE) or not different:
        return ""
    stated = f" (the paper's: {first})" if row["verdict"] == BY_COSTS else ""
    return f"{stated}; other settings: {', '.join(different)}"


def _section(row: dict[str, Any]) -> list[str]:
    judged = row["verdict"] not in (NOT_JUDGED, OF_MACHINE)
    return [
        f"{row['statement']} ({row['where']})\n",
        f"*Criterion:* {row['criterion']}\n",
        "| setting | verdict | mean (range) over tables | details |",
        "|---|---|---|---|",
        *(
            f"| {variant['variant']} | {count_text(variant['holds']) if judged else row['verdict']} "
            f"| {_cell(values_text(variant))} | {_cell(_details(variant['texts']))} |"
            for variant in row["variants"]
        ),
    ]


def _details(texts: list[str]) -> str:
    """Return the different details, with the number of tables if there are several."""
    found = Counter(text for text in texts if text)
    if len(found) == 1 and all(texts):
        return next(iter(found))
    return "; ".join(f"{text} ({n} of {len(texts)} tables)" for text, n in found.items())


def _seconds(stages: list[dict[str, Any]]) -> list[str]:
    lines = [
        "\n## Time by stage\n",
        "Sums over all tables, in seconds, also of parts that an interrupted run computed.\n",
        "| stage | CPU | wall |",
        "|---|---:|---:|",
    ]
    lines += [f"| {row['stage']} | {row['cpu']:,.0f} | {row['wall']:,.0f} |" for row in stages]
    total = {key: sum(row[key] for row in stages) for key in ("cpu", "wall")}
    return [*lines, f"| all | {total['cpu']:,.0f} | {total['wall']:,.0f} |"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
