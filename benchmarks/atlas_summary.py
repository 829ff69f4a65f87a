"""What the answers of the atlas show, as ``atlas-criteria.md`` fixed it before: figures, a table, and values.

Reads the folder of ``atlas.py``. The networks that were answered with both seeds count; how many were not is
printed. With ``--pages``, writes the pictures and the report of the documentation, and the answers as
``results/atlas-answers.csv``.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import report
from atlas import SEEDS, SIZES, SPACE

from netchoice.choice.cohort_frame import CohortFrame
from netchoice.choice.cohort_summary import summarise_cohort
from netchoice.choice.references import references_of
from netchoice.inference.false_discovery import RATE, adjusted_p_values
from netchoice.inference.sequential_test import FITS, REJECTED
from netchoice.inference.wilson_interval import wilson
from netchoice.models.space import family_of
from netchoice.report.cohort_page import CohortPage
from netchoice.report.page import write_page
from netchoice.storage.records import plain

ROOT = Path(__file__).resolve().parents[1]
MODELS = SPACE.labels
FAMILIES = {model.name: family_of(model) for model in SPACE}
#: Sizes of real networks, from the smallest number of nodes.
CLASSES = {"8 to 99 nodes": 8, "100 to 499 nodes": 100, "500 to 5,000 nodes": 500}
#: The p-value of a model that 100 simulations with cheap features reject.
P_SCREENED = 1 / 101
NONE, NOTHING, SEVERAL = "none fits", "nothing is said", "several families"
TOPICS = re.compile(r"(?:more|fewer|larger|smaller) (.+?) than ")


def read(folder: Path) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Return the key, and the answers for each seed, of the networks that have both."""
    if not (folder / "seed-2" / "tables" / "answers.parquet").exists():
        raise SystemExit(f"{folder} has no answers for both seeds; run `make atlas`")
    key = pd.read_csv(folder / "key.csv", dtype={"id": str}, keep_default_na=False).set_index("id")
    answers = []
    for seed in SEEDS:
        frame = pd.read_parquet(folder / f"seed-{seed}" / "tables" / "answers.parquet")
        texts = {"id": frame["id"].astype(str), "error": frame["error"].fillna("")}
        answers.append(frame.assign(**texts).set_index("id"))
    for each in answers:
        for name, text in each["error"][each["error"] != ""].items():
            print(f"not answered: {key['name'][name]} ({key['kind'][name]}): {text}")
    known = [name for name in key.index if all(_is_answered(each, name) for each in answers)]
    return key.loc[known], [each.loc[known] for each in answers]


def _is_answered(answers: pd.DataFrame, name: str) -> bool:
    return name in answers.index and not answers.loc[name, "error"]


def states(answers: pd.DataFrame) -> np.ndarray:
    """Return the states of all models, a row for each network."""
    return answers[[f"state_{model}" for model in MODELS]].to_numpy(dtype=object)


def p_values(answers: pd.DataFrame) -> np.ndarray:
    """Return the p-values of all models, a row for each network."""
    return answers[[f"fit_p_{model}" for model in MODELS]].to_numpy(dtype=float)


def share(name: str, hits: pd.Series | np.ndarray) -> dict[str, float]:
    """Print a share with its interval, and return it as values."""
    n, found = len(hits), int(np.sum(hits))
    if not n:
        print(f"{name}: no network")
        return {}
    low, high = wilson(found / n, n)
    print(f"{name}: {found} of {n} ({found / n:.1%}; {low:.1%} to {high:.1%})")
    return {f"{name}, n": n, f"{name}, found": found, f"{name}, share": found / n}


# What counts


def agreement(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, float]:
    """Return how often the answers of two seeds agree."""
    one, other = states(first), states(second)
    contradicts = ((one == FITS) & (other == REJECTED)) | ((one == REJECTED) & (other == FITS))
    families = first["family"].fillna(""), second["family"].fillna("")
    have = (families[0] != "") & (families[1] != "")
    return {
        **share("contradictions", contradicts.ravel()),
        **share("same verdict", first["verdict"] == second["verdict"]),
        **share("same family", (families[0] == families[1])[have]),
        **share("same model named", _named(first) == _named(second)),
    }


def _named(answers: pd.DataFrame) -> pd.Series:
    return answers["model"].where(answers["verdict"] == "one-fits", "")


def controls(key: pd.DataFrame, answers: pd.DataFrame) -> dict[str, float]:
    """Return what the answers say about networks whose origin is known."""
    values: dict[str, float] = {}
    for kind in ("grown", "mixed"):
        truth = key["truth"][key["kind"] == kind]
        rejected = [answers.loc[i, f"state_{name}"] == REJECTED for i, name in truth.items()]
        named = _named(answers.loc[truth.index])
        values |= share(f"{kind}, true model rejected", np.array(rejected))
        values |= share(f"{kind}, another model named", (named != "") & (named != truth))
    truth = key["truth"][key["kind"] == "grown"]
    family = answers.loc[truth.index, "family"].fillna("")
    values |= share("grown, true family first", family == truth.map(FAMILIES))
    foreign = key[key["kind"] == "foreign"]
    made_with = foreign["name"].str.rsplit(" ", n=1).str[-1].astype(int)
    for name, sizes in (("small", SIZES[:2]), ("large", SIZES[2:])):
        rows = answers.loc[foreign.index[made_with.isin(sizes)]]
        values |= share(f"foreign and {name}, none fits", rows["verdict"] == "none-fits")
    return values


def changed(key: pd.DataFrame, answers: pd.DataFrame) -> dict[str, float]:
    """Return how the answers for rewired and relabelled networks differ from those for their originals."""
    real = {name: i for i, name in key["name"][key["kind"] == "real"].items()}
    values: dict[str, float] = {}
    rewired = [
        (i, real[name]) for i, name in key["name"][key["kind"] == "rewired"].items() if name in real
    ]
    for title, chosen in (("rewired", 0), ("their originals", 1)):
        verdicts = answers.loc[[pair[chosen] for pair in rewired], "verdict"]
        values |= share(f"{title}, none fits", verdicts == "none-fits")
    copies = key["name"][key["kind"] == "relabelled"]
    pairs = [(i, real[name]) for i, name in copies.items() if name in real]
    one, other = (answers.loc[[pair[k] for pair in pairs]] for k in (0, 1))
    differs = np.abs(p_values(one) - p_values(other))
    same = (states(one) == states(other)).all(axis=1) & (np.nan_to_num(differs) < 1e-9).all(axis=1)
    return values | share("relabelled, the same answer", same)


def fitting(answers: list[pd.DataFrame]) -> pd.DataFrame:
    """Return whether each model fits each network with both seeds."""
    fits = np.logical_and.reduce([states(each) == FITS for each in answers])
    return pd.DataFrame(fits, answers[0].index, MODELS)


def said(answers: list[pd.DataFrame]) -> pd.Series:
    """Return what is said of each real network: the families of the models that fit, none, or nothing."""
    fits = fitting(answers).to_numpy()
    rejected = np.ones(len(answers[0]), bool)
    for each in answers:
        is_screened = (states(each) == REJECTED) & np.isnan(p_values(each))
        p = np.where(is_screened, P_SCREENED, p_values(each))
        adjusted = adjusted_p_values(np.nanmax(p, axis=1))
        rejected &= (adjusted <= RATE) & (each["verdict"] == "none-fits")
    texts = []
    for row, none in zip(fits, rejected, strict=True):
        found = {FAMILIES[model] for model, one in zip(MODELS, row, strict=True) if one}
        one_family = next(iter(found)) if len(found) == 1 else SEVERAL
        texts.append(one_family if found else NONE if none else NOTHING)
    return pd.Series(texts, answers[0].index)


def class_of(nodes: int) -> str:
    """Return the class of sizes of a network."""
    return [name for name, least in CLASSES.items() if nodes >= least][-1]


# Pictures


def draw_fits(key: pd.DataFrame, fits: pd.DataFrame, found: pd.Series, path: Path) -> None:
    """Draw the share of the networks of each domain and size that each model fits, and what is said."""
    labels = pd.Series(list(zip(key["group"], key["nodes"].map(class_of), strict=True)), key.index)
    columns = sorted({*labels}, key=lambda each: (each[0], CLASSES[each[1]]))
    ends = pd.DataFrame({NONE: found == NONE, NOTHING: found == NOTHING})
    models = sorted(MODELS, key=lambda model: (FAMILIES[model], MODELS.index(model)))
    by_column = fits[models].join(ends).groupby(labels)
    shares, numbers = (each.loc[columns].T for each in (by_column.mean(), by_column.sum()))
    figure, axes = plt.subplots(figsize=(9, 10), layout="constrained")
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (i, j), n in np.ndenumerate(numbers.to_numpy()):
        if n > 0:
            colour = "white" if shares.iloc[i, j] > 0.6 else "black"
            axes.text(j, i, n, ha="center", va="center", fontsize=7, color=colour)
    counts = labels.value_counts()
    texts = [
        f"{group}, {size.removesuffix(' nodes')} ({counts[group, size]})" for group, size in columns
    ]
    axes.set_xticks(range(len(texts)), texts, rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(shares)), shares.index)
    families = [*map(FAMILIES.__getitem__, models), "all models", "all models"]
    for i in range(1, len(families)):
        if families[i] != families[i - 1]:
            axes.axhline(i - 0.5, color="#444444", lw=1)
    for family in dict.fromkeys(families):
        rows = [i for i, each in enumerate(families) if each == family]
        axes.text(len(columns) - 0.3, np.mean(rows), family, va="center", fontsize=8)
    axes.set_title("number of real networks that a model fits with both seeds", fontsize=9)
    _save(figure, path)


def draw_agreement(first: pd.DataFrame, second: pd.DataFrame, path: Path) -> None:
    """Draw the p-values of both seeds."""
    x, y = p_values(first).ravel(), p_values(second).ravel()
    one, other = states(first).ravel(), states(second).ravel()
    contradicts = ((one == FITS) & (other == REJECTED)) | ((one == REJECTED) & (other == FITS))
    figure, axes = plt.subplots(figsize=(4.5, 4.2), layout="constrained")
    axes.loglog(x[~contradicts], y[~contradicts], ".", ms=3, color="#0072B2", alpha=0.3)
    axes.loglog(x[contradicts], y[contradicts], "o", ms=5, color="#D55E00", label="contradictions")
    axes.axhline(0.01, color="#888888", lw=0.8)
    axes.axvline(0.01, color="#888888", lw=0.8)
    axes.set_xlabel("p-value of a model, seed 1")
    axes.set_ylabel("p-value, seed 2")
    if contradicts.any():
        axes.legend(fontsize=8)
    _save(figure, path)


def draw_discrepancies(answers: pd.DataFrame, path: Path) -> Counter[str]:
    """Draw and return the features that differ most often from the nearest model, if none fits."""
    texts = answers.loc[answers["verdict"] == "none-fits", "notes"].fillna("")
    found = Counter(label for text in texts for label in {*TOPICS.findall(text)})
    names, counts = zip(*reversed(found.most_common(12)), strict=True) if found else ((), ())
    figure, axes = plt.subplots(figsize=(7, 0.6 + 0.3 * len(names)), layout="constrained")
    axes.barh(names, counts, color="#0072B2")
    axes.set_xlabel("real networks that no model fits, whose nearest model differs in it")
    _save(figure, path)
    return found


def write_report(key: pd.DataFrame, answers: pd.DataFrame, path: Path) -> None:
    """Write the report of a cohort, with the names and domains of the networks."""
    references = references_of(
        None, SPACE, None, None, SEEDS[0], match=True, isolated=None, effort=None
    )
    frame = answers.assign(id=key["name"], group=key["group"], file="").reset_index(drop=True)
    cohort = CohortFrame.of(frame, references.parameters)
    settings = references.settings.as_dict() | {"reference": None, "networks": ["the atlas"]}
    record = summarise_cohort(cohort, plain(settings))
    write_page(CohortPage(record, cohort, None).html(), path, overwrite=True)


def _save(figure: mpl.figure.Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    """Print what the answers show, and write pictures and answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("build/atlas"))
    parser.add_argument("--pages", action="store_true")
    report.add_json(parser)
    options = parser.parse_args()
    key, answers = read(options.out)
    first, second = answers
    print("networks:", dict(Counter(key["kind"])))
    values: dict[str, float] = {"networks": len(key)}
    values |= agreement(first, second) | controls(key, first) | changed(key, first)
    real = key[key["kind"] == "real"]
    found = said([each.loc[real.index] for each in answers])
    print(pd.crosstab(real["nodes"].map(class_of), found, margins=True).to_string())
    values |= {f"real, {name}": int(n) for name, n in found.value_counts().items()}
    values["real"] = len(real)
    values["cpu seconds"] = float(first["seconds"].sum() + second["seconds"].sum())
    pictures = ROOT / "docs" / "pictures" if options.pages else options.out
    fits = fitting([each.loc[real.index] for each in answers])
    draw_fits(real, fits, found, pictures / "atlas.png")
    draw_agreement(first, second, pictures / "atlas-seeds.png")
    common = draw_discrepancies(first.loc[real.index], pictures / "atlas-discrepancies.png")
    print("differ most often:", common.most_common(8))
    if options.pages:
        frames = [
            key.join(each.drop(columns=["file", "group"])).assign(seed=seed)
            for seed, each in zip(SEEDS, answers, strict=True)
        ]
        table = pd.concat(frames).sort_values(["kind", "name", "seed"])
        table.to_csv(ROOT / "results" / "atlas-answers.csv", float_format="%.4g")
        write_report(real, first.loc[real.index], ROOT / "docs" / "_static" / "atlas-report.html")
    report.write(options, {name.replace(",", ""): value for name, value in values.items()})


if __name__ == "__main__":
    main()
