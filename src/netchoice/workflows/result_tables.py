"""The tables that results hold, as data frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from netchoice.names import unknown

if TYPE_CHECKING:
    import pandas as pd

    from netchoice.workflows.choice import Choice


class ResultTables:
    """Base of results that hold tables; the first one is the default."""

    def _tables(self) -> dict[str, Callable[[], pd.DataFrame]]:
        raise NotImplementedError

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """Return a table of the result as a data frame.

        The tables of a choice are "models", "parameters", "features", "confusion" and "discrepancies".
        Those of an evaluation are "front" (the sets that no other beats in cost and accuracy),
        "evaluation" (all sets), "rankings" and "costs".
        """
        tables = self._tables()
        name = next(iter(tables)) if table is None else table
        if name not in tables:
            raise unknown("table", name, tables)
        return tables[name]()


def model_table(choice: Choice) -> pd.DataFrame:
    """Return the compared models: probability, its interval, the p-value of the fit."""
    import pandas as pd

    family = {each["name"]: each["family"] for each in choice.space["models"]}
    rows = [
        {
            "model": name,
            "family": family[name],
            "probability": choice.probabilities[name],
            "low": low,
            "high": high,
            "fit_p": choice.fit_p_values[name],
            "fits": choice.fit_p_values[name] > choice.fit["alpha"],
        }
        for name, (low, high) in choice.intervals.items()
    ]
    frame = pd.DataFrame(rows).sort_values("probability", ascending=False, kind="stable")
    return frame.reset_index(drop=True)


def parameter_table(choice: Choice) -> pd.DataFrame:
    """Return the parameters of the reported models: median, interval, error, shrinkage."""
    import pandas as pd

    kept = ("median", "coverage", "rmse", "prior_sd", "shrinkage")
    rows = [
        {"model": model, "parameter": name, "low": low, "high": high, **{k: known[k] for k in kept}}
        for model, parameters in choice.parameters.items()
        for name, known in parameters.items()
        for low, high in [known["interval"]]
    ]
    columns = ["model", "parameter", "median", "low", "high", "coverage", *kept[2:]]
    return pd.DataFrame(rows, columns=columns)


def feature_table(choice: Choice) -> pd.DataFrame:
    """Return the features that the answer is based on: observed value, and cost alone."""
    import pandas as pd

    costs = choice.evidence.table.costs
    rows = [(name, value, costs.cost(name)) for name, value in choice.features.items()]
    return pd.DataFrame(rows, columns=["feature", "observed", "cost"])
