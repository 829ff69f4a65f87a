"""Claims of the paper about its two model spaces."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from netchoice.reproduction import findings_spaces as findings
from netchoice.reproduction.claim import (
    IMPLEMENTATION,
    MACHINE,
    METHOD,
    PERFECT,
    WELL,
    Claim,
    Evidence,
    Finding,
)
from netchoice.reproduction.cost_settings import SETTINGS
from netchoice.reproduction.findings_spaces import LARGE, RESOLUTION
from netchoice.reproduction.scales import FAMILIES
from netchoice.reproduction.space_run import SET_SIZE
from netchoice.reproduction.transition import DROP, sharp_transition

_SECTIONS = {"ba": "section 3.1.1", "duplication": "section 3.1.2"}
_BA, _DUPLICATION = ("ba",), ("duplication",)
#: Claims on which costs have no effect, so that they are judged once.
_WITHOUT_COSTS = ("forests-vary", "svm-lower", "mean-degree", "table-hours")
#: Claims about something else than the methods.
_KINDS = {
    "table-hours": MACHINE, "costs-span": IMPLEMENTATION, "forests-fall-by-noise": IMPLEMENTATION,
}  # fmt: skip
#: Hours for a table of 5000 networks on one core, as stated in the paper.
PAPER_HOURS = {"ba": 5.2, "duplication": 6.6}

_Row = tuple[tuple[str, ...], str, str, str, str, Callable[..., Finding]]
#: Model spaces, name, place in the paper, statement, criterion, and the function that judges.
_TABLE: list[_Row] = [
    (_BA, "information-perfect", "{section}, Figures 1a, 1b, S1a",
     "JMI, JMIM and mRMR classify perfectly for every λ and k.",
     f"Every cell of the three methods has an accuracy of at least {PERFECT}.",
     findings.information_methods_perfect),
    (FAMILIES, "two-orders", "abstract, {section}",
     "The cost falls by more than two orders of magnitude without loss of accuracy.",
     "The set is chosen on half of the test rows: the cheapest one whose accuracy lies within the "
     "95 % interval of the best. It costs at most 1/100 of all features, and on the other half its "
     f"accuracy is at least {PERFECT}, or at least that of the best set and that of all features.",
     findings.cheap_set_without_loss),
    (_BA, "noise-at-large-penalty", "{section}",
     "A large λ selects cheap noise features.",
     "At the largest λ, all nine methods rank noise among the features that the paper's figures show "
     "(15), and earlier than at λ = 0.",
     findings.noise_at_large_penalty),
    (_BA, "mrmr-noise-earlier", "{section}, Figure 1b",
     "mRMR selects noise features earlier than the other methods.",
     "The first noise feature of mRMR ranks before that of every other method, at λ = 0 and on "
     "average over λ.",
     findings.mrmr_noise_earlier),
    (_DUPLICATION, "mrmr-noise-second", "{section}, Figure 2b",
     "mRMR selects a noise feature directly after one informative feature.",
     "The second feature of mRMR is noise and the first is not, at λ = 0 and at half or more of the "
     "penalties up to 1.",
     findings.mrmr_noise_second),
    (FAMILIES, "forests-vary", _SECTIONS["ba"],
     "Rankings by forest methods vary between runs.",
     f"At λ = 0, the first {SET_SIZE} features differ between runs on the same table for all four "
     "forest methods.",
     findings.forests_vary),
    (_BA, "forests-accurate", "{section}, Figures 1d, S1c, S1d",
     "Forest methods perform well except at very large λ.",
     f"Every cell of the four methods with λ < {LARGE} has an accuracy of at least {WELL}.",
     findings.forests_accurate),
    (_BA, "forests-fall-by-noise", "{section}, Figure 1d",
     "The accuracy of forest methods falls at very large λ because many noise features are "
     "selected.",
     f"Some cells of penalized-mda are below {PERFECT}, and in at least 90 % of them at least half of "
     "the features are noise.",
     findings.forests_fall_by_noise),
    (_BA, "relieff-one-inaccurate", "{section}, Figure 1c",
     "ReliefF with one feature is inaccurate: it ranks the size of the three-core first.",
     "At λ = 0, both ReliefF methods rank core_3_size first, with an accuracy of at most 0.6.",
     findings.relief_poor_with_one_feature),
    (_BA, "relieff-three-accurate", "{section}, Figure 1c",
     "ReliefF performs well with more than two features.",
     f"Every cell of both methods with k ≥ 3 has an accuracy of at least {WELL}.",
     findings.relief_accurate_with_three_features),
    (_BA, "relieff-improves", "{section}, Figure 1c",
     "The accuracy of ReliefF with one feature increases with λ, because cheaper and better features "
     "replace the three-core.",
     "For both methods, some λ > 0 selects a cheaper feature whose accuracy is higher by at least "
     "0.1.",
     findings.relief_improves_with_penalty),
    (FAMILIES, "svm-lower", _SECTIONS["ba"],
     "A support vector machine is less accurate throughout.",
     "Over penalties from 0 to the largest, there are cells in which its accuracy differs from that "
     f"of nearest neighbours by more than {RESOLUTION}, and it is lower in all of them.",
     findings.svm_less_accurate),
    (_DUPLICATION, "transition", "{section}, Figure 2",
     "Every method is perfect below a threshold in λ, and its accuracy falls sharply there.",
     f"With {SET_SIZE} features, all nine methods have an accuracy of at least {PERFECT} up to some λ, "
     f"lose at least {DROP} within a factor of two of it, and stay below {PERFECT} at every larger λ.",
     sharp_transition),
    (FAMILIES, "penalty-saves", f"{_SECTIONS['duplication']}, last paragraph",
     "For every method, some λ saves much of the cost without loss of accuracy.",
     "For all nine methods, some λ > 0 at least halves the cost at equal k, and accuracy reaches "
     f"that at λ = 0 or {PERFECT}, whichever is lower.",
     findings.penalty_saves_cost),
    (_DUPLICATION, "clustering-falls", "{section}",
     "Clustering features are highly informative, but do not rank highly at large λ.",
     "In all nine methods, the better-ranked of transitivity and clustering_mean is among the first "
     "ten at λ = 0 and below rank 15 at the largest λ.",
     findings.clustering_falls),
    (FAMILIES, "weighted-alike", "captions of Figures S1, S2",
     "Weighted forests with impurity importance (MDI) behave like those with accuracy importance "
     "(MDA).",
     "The mean absolute difference in accuracy over all cells is at most 0.02.",
     findings.weighted_forests_alike),
    (FAMILIES, "costs-span", "abstract, Table S1",
     "Feature costs span several orders of magnitude.",
     "The most expensive feature costs at least 1000 times as much as the cheapest, noise excluded.",
     findings.costs_span),
    (_BA, "cost-falls", "{section}",
     "The cost of the selected features falls substantially as λ increases.",
     f"For all nine methods, {SET_SIZE} features at the largest λ cost at most a tenth of "
     f"{SET_SIZE} features at λ = 0.",
     findings.cost_falls),
    (_BA, "mean-degree", "{section}",
     "The mean degree alone identifies the model; some features, such as the size of the largest "
     "component, are constant.",
     f"The accuracy with degree_mean is at least {PERFECT}, and lcc_nodes is constant.",
     findings.mean_degree_identifies),
    *(((family,), "table-hours", "caption of Table S1",
       f"A table of 5000 networks takes {hours} h on one core.",
       "None: hours depend on the machine and the implementation. The time is reported, not judged.",
       partial(findings.table_takes_hours, paper_hours=hours))
      for family, hours in PAPER_HOURS.items()),
]  # fmt: skip


def _claim(family: str, row: _Row) -> Claim:
    _, name, where, statement, criterion, find = row

    def judge(evidence: Evidence) -> dict[str, Finding]:
        run = evidence.spaces[family]
        if name in _WITHOUT_COSTS:
            return {"": find(run)}
        return {setting.label: find(run, setting) for setting in SETTINGS}

    where = where.format(section=_SECTIONS[family])
    kind = _KINDS.get(name, METHOD)
    return Claim(f"{family}-{name}", family, where, statement, criterion, judge, kind)


CLAIMS = [_claim(family, row) for row in _TABLE for family in row[0]]
