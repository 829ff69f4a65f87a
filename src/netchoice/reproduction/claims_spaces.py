"""What the paper says about its two model spaces."""

from __future__ import annotations

from functools import partial

from netchoice.reproduction.claim import LARGE, PERFECT, Claim, once, under_costs
from netchoice.reproduction.findings_spaces import (
    PAPERS_HOURS,
    cheap_without_loss,
    clustering_falls,
    cost_falls,
    costs_span,
    forests_fall_by_noise,
    forests_fine,
    forests_vary,
    information_perfect,
    machine_lower,
    mrmr_noise_earlier,
    mrmr_noise_second,
    noise_at_large_penalty,
    one_feature_tells,
    penalty_saves,
    relief_improves,
    relief_more_fine,
    relief_one_poor,
    sharp_transition,
    table_takes_hours,
    weighted_alike,
)
from netchoice.reproduction.spaces import FEW

_BA, _DUPLICATION = "section 3.1.1", "section 3.1.2"
_EACH = {"ba": _BA, "duplication": _DUPLICATION}

CLAIMS = [
    Claim(
        "ba-information-perfect", "ba", f"{_BA}, Figures 1a, 1b, S1a",
        "JMI, JMIM and mRMR classify perfectly for every λ and k.",
        f"Every cell of the three at least {PERFECT}; in part: nine in ten.",
        under_costs("ba", information_perfect),
    ),
    *(
        Claim(
            f"{family}-two-orders", family, f"abstract, {_EACH[family]}",
            "Cost is cut by more than two orders of magnitude without loss of accuracy.",
            "The cheapest set within the 95 % interval of the best, chosen on half of the test rows, "
            f"costs 1/100 of all features and on the other half its interval reaches {PERFECT} or the "
            "best set's accuracy; in part: 1/10.",
            under_costs(family, cheap_without_loss),
        )
        for family in _EACH
    ),
    Claim(
        "ba-noise-at-large-penalty", "ba", _BA,
        "Large λ brings in cheap noise features.",
        f"Noise among the first {FEW} at the grid's largest λ in all nine methods; in part: in most.",
        under_costs("ba", noise_at_large_penalty),
    ),
    Claim(
        "ba-mrmr-noise-earlier", "ba", f"{_BA}, Figure 1b",
        "mRMR takes noise features earlier than the other methods.",
        "Its first noise feature comes before that of every other method at λ = 0, and in the mean "
        "over λ; in part: one of the two.",
        under_costs("ba", mrmr_noise_earlier),
    ),
    Claim(
        "duplication-mrmr-noise-second", "duplication", f"{_DUPLICATION}, Figure 2b",
        "mRMR takes noise right after a single informative feature.",
        "Its second feature is noise and its first is not, at λ = 0 and for at least half of the "
        "penalties up to 1; in part: for any of them.",
        under_costs("duplication", mrmr_noise_second),
    ),
    *(
        Claim(
            f"{family}-forests-vary", family, _BA,
            "Rankings by forests vary between runs.",
            f"The first {FEW} features differ between runs on the same table for all four forest "
            "methods at λ = 0; in part: for some.",
            once(family, forests_vary),
        )
        for family in _EACH
    ),
    Claim(
        "ba-forests-fine", "ba", f"{_BA}, Figures 1d, S1c, S1d",
        "Forest methods do well except at very large λ.",
        f"Every cell of the four with λ < {LARGE} at least {PERFECT}, and some beyond below it; in "
        "part: nine in ten of the former, or no fall.",
        under_costs("ba", forests_fine),
    ),
    Claim(
        "ba-forests-fall-by-noise", "ba", f"{_BA}, Figure 1d",
        "Their accuracy falls there because many noise features come in.",
        f"In nine of ten cells of penalized-mda below {PERFECT}, at least half of the features are "
        "noise; in part: in half of them.",
        under_costs("ba", forests_fall_by_noise),
    ),
    Claim(
        "ba-relieff-one-poor", "ba", f"{_BA}, Figure 1c",
        "ReliefF with one feature is poor: it takes the size of the three-core first.",
        "For both ReliefF methods at λ = 0, k = 1: core_3_size, accuracy at most 0.6; in part: for "
        "one of them.",
        under_costs("ba", relief_one_poor),
    ),
    Claim(
        "ba-relieff-more-fine", "ba", f"{_BA}, Figure 1c",
        "ReliefF does well with more than two features.",
        f"Every cell of both with k ≥ 3 and λ < {LARGE} at least {PERFECT}; in part: nine in ten.",
        under_costs("ba", relief_more_fine),
    ),
    Claim(
        "ba-relieff-improves", "ba", f"{_BA}, Figure 1c",
        "Its accuracy with one feature grows with λ as cheaper, better features replace the three-core.",
        "For both, some λ > 0 gives an accuracy higher by 0.1 or more with a cheaper feature; in part: "
        "for one.",
        under_costs("ba", relief_improves),
    ),
    *(
        Claim(
            f"{family}-svm-lower", family, _BA,
            "A support vector machine has lower accuracy throughout.",
            "Never higher than the neighbours', and lower in at least half of the cells looked at; in "
            "part: lower in the mean.",
            once(family, machine_lower),
        )
        for family in _EACH
    ),
    Claim(
        "duplication-transition", "duplication", f"{_DUPLICATION}, Figure 2",
        "Every method is perfect below a threshold in λ and falls sharply there.",
        f"With {FEW} features: at least {PERFECT} at λ = 0, and from 10 % to 90 % of a fall of at least "
        "0.05 within a factor of four of λ, for all nine; in part: for most.",
        under_costs("duplication", sharp_transition),
    ),
    *(
        Claim(
            f"{family}-penalty-saves", family, f"{_DUPLICATION}, last paragraph",
            "For every method a λ exists that saves much cost without loss.",
            "At equal k, half of the cost at λ = 0 or less, and an accuracy not below that at λ = 0 or "
            f"{PERFECT}, for all nine; in part: for most.",
            under_costs(family, penalty_saves),
        )
        for family in _EACH
    ),
    Claim(
        "duplication-clustering-falls", "duplication", _DUPLICATION,
        "Clustering features are highly informative but are not ranked highly at large λ.",
        "The better of transitivity and clustering_mean is among the first ten at λ = 0 and beyond the "
        "15th place at the largest λ, in all nine methods; in part: in most.",
        under_costs("duplication", clustering_falls),
    ),
    *(
        Claim(
            f"{family}-weighted-alike", family, "captions of Figures S1, S2",
            "Weighted forests by impurity behave like those by accuracy.",
            "Mean difference in accuracy over all cells at most 0.02; in part: 0.05.",
            under_costs(family, weighted_alike),
        )
        for family in _EACH
    ),
    *(
        Claim(
            f"{family}-costs-span", family, "abstract, Table S1",
            "Costs of features span several orders of magnitude.",
            "Most expensive over cheapest, noise left out, at least 1000; in part: 100.",
            under_costs(family, costs_span),
        )
        for family in _EACH
    ),
    Claim(
        "ba-cost-falls", "ba", _BA,
        "The cost of the selected features falls substantially as λ grows.",
        f"{FEW} features cost a tenth or less at the largest λ, for all nine methods; in part: less.",
        under_costs("ba", cost_falls), added_later=True,
    ),
    Claim(
        "ba-mean-degree", "ba", _BA,
        "The mean degree alone identifies the model; some features, such as the size of the largest "
        "component, do not vary.",
        f"Accuracy of degree_mean at least {PERFECT}, and lcc_nodes constant; in part: the former.",
        once("ba", one_feature_tells), added_later=True,
    ),
    *(
        Claim(
            f"{family}-table-hours", family, "caption of Table S1",
            f"A table of 5000 networks takes {PAPERS_HOURS[family]} h on one core.",
            "Half of that or more; in part: an hour. (It is what netchoice is there to change.)",
            once(family, partial(table_takes_hours, papers=PAPERS_HOURS[family])), added_later=True,
        )
        for family in _EACH
    ),
]  # fmt: skip
