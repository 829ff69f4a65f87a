"""Claims of the paper about yeast and about the three-core, and their findings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from netchoice.reproduction.claim import Claim, Evidence, Finding, Judge, verdict
from netchoice.reproduction.cost_settings import SETTINGS, Setting
from netchoice.reproduction.paper_tables import FEATURES, out_of_class_distances
from netchoice.reproduction.space_run import SpaceRun
from netchoice.reproduction.yeast_run import N_NEIGHBOURS, PAPER_FIVE, PENALTY, YeastRun

#: Votes of the nearest neighbours that count as a strong preference.
STRONG = 9
#: Answers of one variant, by network.
Answers = dict[str, dict[str, Any]]


def same_five_features(five: tuple[str, ...]) -> Finding:
    """Compare our first five features with the paper's."""
    common = [name for name in five if name in PAPER_FIVE]
    text = f"{len(common)} of 5 in common: {', '.join(five)}"
    return Finding(verdict(set(five) == set(PAPER_FIVE), len(common) >= 3), text)


def saving_of_five_features(run: YeastRun, setting: Setting) -> Finding:
    """Compare the cost of all features with that of five."""
    costs, charge = run.duplication.costs(setting), setting.charge
    total = costs.cost_of_set(costs.features, charge)
    ours, papers = (total / costs.cost_of_set(s, charge) for s in (run.five(setting), PAPER_FIVE))
    text = f"{ours:.1f} times with our five, {papers:.1f} with the paper's"
    return Finding(verdict(ours >= 18, ours >= 5), text)


def transitivity_first(ranking: list[str]) -> Finding:
    """Find the rank of transitivity."""
    rank = ranking.index("transitivity") + 1
    return Finding(verdict(rank == 1, rank <= 5), f"rank {rank}; first is {ranking[0]}")


def transitivity_separates(answers: Answers) -> Finding:
    """Compare transitivity between the two models (Kolmogorov–Smirnov)."""
    separated = [a["ks"] > 0.98 and a["ks_p_value"] < 1e-6 for a in answers.values()]
    texts = [
        f"{name} {a['ks']:.4f} ({a['ks_interval'][0]:.4f}–{a['ks_interval'][1]:.4f})"
        for name, a in answers.items()
    ]
    return Finding(verdict(all(separated), any(separated)), "; ".join(texts))


def embedding_preserves_distances(answers: Answers) -> Finding:
    """Check the distance correlation of the embedding with the features."""
    values = {name: a["distance_correlation"] for name, a in answers.items()}
    preserved = [min(each) > 0.6 for each in values.values()]
    texts = [f"{name} {min(each):.3f}–{max(each):.3f}" for name, each in values.items()]
    return Finding(verdict(all(preserved), any(preserved)), "; ".join(texts))


def networks_prefer_dmr(answers: Answers) -> Finding:
    """Count the DMR simulations among the nearest neighbours of each network."""
    votes = {name: a["votes"]["dmr"] for name, a in answers.items()}
    texts = [f"{name} {n:g} of {N_NEIGHBOURS}" for name, n in votes.items()]
    least, most = min(votes.values()), max(votes.values())
    judged = verdict(least >= STRONG, most > N_NEIGHBOURS / 2)
    return Finding(judged, f"votes for DMR: {'; '.join(texts)}")


def networks_at_boundary(answers: Answers) -> Finding:
    """Compare distances to the nearest neighbour of networks and of simulations."""
    shares = {name: a["share_farther"] for name, a in answers.items()}
    outside = {name: share < 0.01 for name, share in shares.items()}
    boundary = {name: share < 0.1 for name, share in shares.items()}
    texts = []
    for name, share in shares.items():
        place = "outside" if outside[name] else "at the boundary" if boundary[name] else "inside"
        texts.append(f"{name} {share:.4f} ({place})")
    among_dmr = [f"{name} {a['share_farther_by_model']['dmr']:.4f}" for name, a in answers.items()]
    as_stated = outside["ito2001"] and outside["uetz2000"] and boundary["yu2008"]
    return Finding(
        verdict(as_stated, any(boundary.values())),
        "share of simulations at least as far from their nearest neighbour: " + "; ".join(texts),
        "examined after the first run: the same share among DMR simulations, which lie closer together "
        f"than DMC simulations: {'; '.join(among_dmr)}",
    )


def three_core_distances(run: SpaceRun) -> Finding:
    """Compare the mean distances between classes along both features with the exact values."""
    core, degree = (out_of_class_distances(run.train, name)["mean"] for name in FEATURES)
    agree = abs(core - 2 / 3) < 0.01 and abs(degree - 5 / 9) < 0.01
    return Finding(
        verdict(agree, core > degree),
        f"{core:.4f} (2/3 = 0.6667) for the three-core, {degree:.4f} (5/9 = 0.5556) for the mean degree",
        "" if agree else "the paper's values are exact in the limit of large n only",
    )


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
          "The first five features are the same, in any order; in part: at least three of them.",
          _by_setting(lambda run, each: same_five_features(run.five(each)))),
    Claim("yeast-factor-20", "yeast", "section 3.3",
          "The five features are 20 times cheaper than all features.",
          "Our five features are at least 18 times cheaper; in part: at least 5 times.",
          _by_setting(saving_of_five_features)),
    Claim("yeast-transitivity-first", "yeast", "section 3.3, Figure 4d",
          "Transitivity is the highest-ranked feature.",
          "Transitivity ranks first; in part: among the first five.",
          _by_setting(lambda run, each: transitivity_first(run.ranking(each)))),
    Claim("yeast-ks", "yeast", "section 3.3, Figure 4d",
          "Transitivity separates the two models: the two-sample Kolmogorov–Smirnov statistic is above "
          "0.98, with p below 1e-6.",
          "True for the simulations of all three networks; in part: of some.",
          _by_simulation(transitivity_separates)),
    Claim("yeast-distance-correlation", "yeast", "section 3.3, Figure 4",
          "The embedding preserves distances: the distance correlation is above 0.6 for all networks.",
          "Above 0.6 for every network and each of three draws of landmarks; in part: for some networks.",
          _by_simulation(embedding_preserves_distances)),
    Claim("yeast-dmr", "yeast", "section 3.3, Figure 4",
          "All three networks strongly prefer DMR.",
          f"At least {STRONG} of the {N_NEIGHBOURS} nearest neighbours are DMR simulations, for every "
          "network; in part: more than half of them, for any network.",
          _by_simulation(networks_prefer_dmr)),
    Claim("yeast-boundary", "yeast", "section 3.3, Figure 4",
          "The network of Yu lies at the boundary of the simulations; those of Ito and Uetz lie outside "
          "the simulated range.",
          "The share of simulations at least as far from their nearest neighbour as the network is below "
          "1 % for Ito and Uetz, and below 10 % for Yu; in part: below 10 % for any network.",
          _by_simulation(networks_at_boundary)),
    Claim("three-core", "three-core", "section 3.1.1, appendix C, Table S2",
          "The mean distance between classes is 2/3 along the three-core and 5/9 along the mean degree.",
          "Both agree to within 0.01 on the simulated table; in part: the distance along the three-core "
          "is larger.",
          lambda evidence: {"": three_core_distances(evidence.spaces["ba"])}),
]  # fmt: skip
