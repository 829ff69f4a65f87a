"""Which classifier judges sets of columns by default: accuracy, log loss and CPU time on ten tables.

Each table is divided four times: half of the rows, but at most 600, are known. There `JMI` ranks the columns,
and each classifier is trained on the first two, the first five, and all columns. "auto" takes the one of
logistic regression and nearest neighbours that is more accurate in five folds of the known rows, as
`evaluate_features` does; "auto of three" may also take boosted trees.

The time of an evaluation is measured, too: `evaluate_features` on the table of breast cancer with "auto", and
with boosted trees of half the usual number of rounds.
"""

import argparse
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import report
from sklearn import datasets
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score, train_test_split

import netchoice
from netchoice.evaluation.scorers import find_classifier
from netchoice.selection import JMI
from netchoice.targets import as_target
from netchoice.threads import one_openmp_thread

MOST_ROWS = 600
#: Numbers of columns; None for all.
SIZES = (2, 5, None)
PATIENTS = Path(__file__).resolve().parents[1] / "examples" / "patients.csv"


def tables():
    """Yield name, values and labels of each table."""
    for name in ("iris", "wine", "breast_cancer", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield name, X, y
        if name == "digits":
            rows = np.isin(y, [3, 8, 9])
            yield "digits 3, 8 and 9", X[rows], y[rows]
    X, y = datasets.load_diabetes(return_X_y=True)
    yield "diabetes above the median", X, (y > np.median(y)).astype(int)
    patients = pd.read_csv(PATIENTS).dropna()
    labels = patients.pop("diagnosis").astype("category").cat.codes.to_numpy()
    yield "patients", patients.to_numpy(float), labels
    for space in ("ba", "duplication"):
        table = netchoice.simulate_table(
            space, n_nodes=100, n_samples=600, seed=12, on_progress=False
        )
        X = table.X.to_numpy(float)
        varies = np.isfinite(X).all(axis=0) & (X.std(axis=0) > 0)
        yield f"networks of {space}", X[:, varies], pd.factorize(table.y)[0]
    yield (
        "quantiles",
        *datasets.make_gaussian_quantiles(
            n_samples=900, n_features=6, n_classes=3, random_state=82
        ),
    )


def classifiers(y):
    """Return the classifiers by name."""
    target = as_target(y, "classes")
    return {
        "linear": lambda: find_classifier("linear", target),
        "knn": lambda: find_classifier("knn", target),
        "trees": lambda: HistGradientBoostingClassifier(random_state=0),
    }


def split_scores(X, y, known, others):
    """Yield, for each set of columns and classifier: accuracy, log loss, and CPU seconds."""
    order = JMI().fit(X[known], y[known]).ranking_
    made = classifiers(y)
    for size in SIZES:
        columns = list(order[:size])
        found, inside, seconds = {}, {}, {}
        for name, make in made.items():
            started = time.process_time()
            inside[name] = cross_val_score(make(), X[known][:, columns], y[known], cv=5).mean()
            seconds[name] = time.process_time() - started
            fitted = make().fit(X[known][:, columns], y[known])
            chances = fitted.predict_proba(X[others][:, columns])
            loss = log_loss(y[others], chances, labels=fitted.classes_)
            found[name] = (fitted.score(X[others][:, columns], y[others]), loss)
        for name, choices in (("auto", ("linear", "knn")), ("auto of three", tuple(made))):
            best = max(choices, key=lambda each: inside[each])
            found[name] = found[best]
            seconds[name] = sum(seconds[each] for each in choices)
        for name, (accuracy, loss) in found.items():
            yield size, name, accuracy, loss, seconds[name]


def evaluation_seconds(classifier):
    """Return the CPU seconds of an evaluation of the table of breast cancer."""
    X, y = datasets.load_breast_cancer(return_X_y=True, as_frame=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        X.assign(target=y).to_csv(path, index=False)
        started = time.process_time()
        netchoice.evaluate_features(
            path, label="target", classifier=classifier, workers=1, on_progress=False
        )
    return time.process_time() - started


def main():
    """Print the scores of each classifier."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=4)
    report.add_json(parser)
    options = parser.parse_args()
    rows = []
    warnings.simplefilter("ignore")
    with one_openmp_thread():
        for name, X, y in tables():
            for split in range(options.splits):
                known, others = train_test_split(
                    np.arange(len(y)), train_size=min(len(y) // 2, MOST_ROWS), stratify=y,
                    random_state=split,
                )  # fmt: skip
                rows += [(name, split, *each) for each in split_scores(X, y, known, others)]
            found = pd.DataFrame(
                rows,
                columns=["table", "split", "size", "classifier", "accuracy", "loss", "seconds"],
            )
            means = found[found["table"] == name].groupby("classifier")["accuracy"].mean()
            print(name, X.shape, means.round(4).to_dict(), flush=True)
    means = found.groupby("classifier")[["accuracy", "loss", "seconds"]].mean()
    print(means.round(4))
    print(found.groupby(["size", "classifier"], dropna=False)["accuracy"].mean().unstack().round(4))
    values = {"tables": found["table"].nunique(), "splits": options.splits}
    for name, row in means.iterrows():
        values |= {f"accuracy {name}": row["accuracy"], f"log loss {name}": row["loss"]}
    values["gain"] = values["accuracy auto of three"] - values["accuracy auto"]
    values["times the CPU time"] = means["seconds"]["auto of three"] / means["seconds"]["auto"]
    seconds = [
        evaluation_seconds(each) for each in ("auto", HistGradientBoostingClassifier(max_iter=50))
    ]
    values["times of an evaluation"] = seconds[1] / seconds[0]
    print(
        f"an evaluation with trees takes {values['times of an evaluation']:.1f} times the CPU time"
    )
    report.write(options, values)


if __name__ == "__main__":
    main()
