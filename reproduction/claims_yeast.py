"""Claims of the paper about yeast and about the three-core, and their findings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reproduction.settings import SETTINGS, Setting
from reproduction.spaces import SpaceRun
from reproduction.tables import FEATURES, out_of_class_distances
from reproduction.verdict import Claim, Evidence, Finding, Judge
from reproduction.yeast import N_NEIGHBOURS, PAPER_FIVE, PENALTY, YeastRun

#: Votes of the nearest neighbours that count as a strong preference.
STRONG = 9
#: Answers of one variant, by network.
Answers = dict[str, dict[str, Any]]


def same_five_features(five: tuple[str, ...]) -> Finding:
    """Compare our first five features with the paper's."""
    values = {
        "features in common": sum(name in PAPER_FIVE for name in five),
        "features at the same rank": sum(a == b for a, b in zip(five, PAPER_FIVE, strict=True)),
    }
    return Finding(set(five) == set(PAPER_FIVE), values, ", ".join(five))


def saving_of_five_features(run: YeastRun, setting: Setting) -> Finding:
    """Compare the cost of all features with that of five."""
    costs, charge = run.duplication.costs(setting), setting.charge
    total = costs.cost_of_set(costs.features, charge)
    ours, papers = (total / costs.cost_of_set(s, charge) for s in (run.five(setting), PAPER_FIVE))
    return Finding(
        ours >= 18, {"times cheaper: our five": ours, "times cheaper: the paper's": papers}
    )


def transitivity_first(ranking: list[str]) -> Finding:
    """Find the rank of transitivity."""
    rank = ranking.index("transitivity") + 1
    return Finding(rank == 1, {"rank": rank}, f"first is {ranking[0]}")


def transitivity_separates(answers: Answers) -> Finding:
    """Compare transitivity between the two models (Kolmogorov–Smirnov)."""
    separated = [a["ks"] > 0.98 and a["ks_p_value"] < 1e-6 for a in answers.values()]
    return Finding(all(separated), {f"statistic: {name}": a["ks"] for name, a in answers.items()})


def embedding_preserves_distances(answers: Answers) -> Finding:
    """Check the distance correlation of the embedding with the features."""
    lowest = {name: min(a["distance_correlation"]) for name, a in answers.items()}
    values = {f"distance correlation: {name}": value for name, value in lowest.items()}
    return Finding(min(lowest.values()) > 0.6, values)


def networks_prefer_dmr(answers: Answers) -> Finding:
    """Count the DMR simulations among the nearest neighbours of each network."""
    votes = {name: a["votes"]["dmr"] for name, a in answers.items()}
    values = {f"votes for DMR of {N_NEIGHBOURS}: {name}": n for name, n in votes.items()}
    return Finding(min(votes.values()) >= STRONG, values)


def networks_at_boundary(answers: Answers) -> Finding:
    """Compare distances to the nearest neighbour of networks and of simulations."""
    shares = {name: a["share_farther"] for name, a in answers.items()}
    among_dmr = {name: a["share_farther_by_model"]["dmr"] for name, a in answers.items()}
    outside = shares["ito2001"] < 0.01 and shares["uetz2000"] < 0.01
    values = {
        **{f"share of simulations as far from the nearest: {n}": v for n, v in shares.items()},
        **{f"the same among DMR simulations: {n}": v for n, v in among_dmr.items()},
    }
    return Finding(outside and shares["yu2008"] < 0.1, values)


def three_core_distances(run: SpaceRun) -> Finding:
    """Compare the mean distances between classes along both features with the exact values."""
    core, degree = (out_of_class_distances(run.train, name)["mean"] for name in FEATURES)
    agree = abs(core - 2 / 3) < 0.01 and abs(degree - 5 / 9) < 0.01
    return Finding(agree, {"three-core (2/3 = 0.6667)": core, "mean degree (5/9 = 0.5556)": degree})


def _by_setting(find: Callable[[YeastRun, Setting], Finding]) -> Judge:
    return lambda evidence: {each.label: find(_yeast(evidence), each) for each in SETTINGS}


def _by_simulation(find: Callable[[Answers], Finding]) -> Judge:
    """Judge with the paper's node counts and the true ones, and with several sets of features."""
    nodes = {"paper": "the paper's node counts", "true": "true node counts"}
    features = {"papers": "the paper's five features"} | {
        setting.name: f"five features selected under {setting.label}" for setting in SETTINGS
    }

    def judge(evidence: Evidence) -> dict[str, Finding]:
        variants: dict[str, Answers] = {}
        for (network, counted, name), answer in _yeast(evidence).answers().items():
            variants.setdefault(f"{nodes[counted]}, {features[name]}", {})[network] = answer
        return {variant: find(answers) for variant, answers in variants.items()}

    return judge


def _yeast(evidence: Evidence) -> YeastRun:
    assert evidence.yeast is not None
    return evidence.yeast


CLAIMS = [
    Claim("yeast-five-features", "yeast", "section 3.3",
          f"JMI at λ = {PENALTY:g} ranks {', '.join(PAPER_FIVE)} first.",
          "The first five features are the same, in any order.",
          _by_setting(lambda run, each: same_five_features(run.five(each)))),
    Claim("yeast-factor-20", "yeast", "section 3.3",
          "The five features are 20 times cheaper than all features.",
          "Our five features are at least 18 times cheaper.",
          _by_setting(saving_of_five_features)),
    Claim("yeast-transitivity-first", "yeast", "section 3.3, Figure 4d",
          "Transitivity is the highest-ranked feature.",
          "Transitivity ranks first.",
          _by_setting(lambda run, each: transitivity_first(run.ranking(each)))),
    Claim("yeast-ks", "yeast", "section 3.3, Figure 4d",
          "Transitivity separates the two models: the two-sample Kolmogorov–Smirnov statistic is above "
          "0.98, with p below 1e-6.",
          "True for the simulations of all three networks.",
          _by_simulation(transitivity_separates)),
    Claim("yeast-distance-correlation", "yeast", "section 3.3, Figure 4",
          "The embedding preserves distances: the distance correlation is above 0.6 for all networks.",
          "Above 0.6 for every network and each of three draws of landmarks.",
          _by_simulation(embedding_preserves_distances)),
    Claim("yeast-dmr", "yeast", "section 3.3, Figure 4",
          "All three networks strongly prefer DMR.",
          f"At least {STRONG} of the {N_NEIGHBOURS} nearest neighbours are DMR simulations, for every "
          "network.",
          _by_simulation(networks_prefer_dmr)),
    Claim("yeast-boundary", "yeast", "section 3.3, Figure 4",
          "The network of Yu lies at the boundary of the simulations; those of Ito and Uetz lie outside "
          "the simulated range.",
          "The share of simulations at least as far from their nearest neighbour as the network is below "
          "1 % for Ito and Uetz, and below 10 % for Yu.",
          _by_simulation(networks_at_boundary)),
    Claim("three-core", "three-core", "section 3.1.1, appendix C, Table S2",
          "The mean distance between classes is 2/3 along the three-core and 5/9 along the mean degree.",
          "Both agree to within 0.01 on the simulated table.",
          lambda evidence: {"": three_core_distances(evidence.spaces["ba"])}),
]  # fmt: skip
