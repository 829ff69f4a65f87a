"""The tables of an answer, for people and for data frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from netchoice.choice.answer import Answer


def models(answer: Answer) -> pd.DataFrame:
    """Return all models: state, p-value, probability, and their intervals."""
    rows = [
        {
            "model": each.name,
            "family": each.family,
            "state": each.state,
            "probability": each.probability,
        }
        | _ends("", each.interval)
        | {"p": each.p_value}
        | _ends("p_", each.p_interval)
        | {"simulations": each.simulations, "probability_before": each.probability_before}
        for each in answer.models
    ]
    return _frame(rows, [])


def _ends(prefix: str, interval: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = (None, None) if interval is None else interval
    return {f"{prefix}low": low, f"{prefix}high": high}


def parameters(answer: Answer) -> pd.DataFrame:
    """Return the parameters of the candidates: median, interval, quality."""
    kept = ("rmse", "prior_sd", "shrinkage")
    rows = [
        {"model": model.name, "parameter": name, "median": each.median}
        | _ends("", each.interval)
        | {"coverage": each.coverage}
        | {column: getattr(each.quality, column, None) for column in kept}
        for model in answer.models
        for name, each in model.parameters.items()
    ]
    return _frame(rows, ["model", "parameter", "median", "low", "high", "coverage", *kept])


def features(answer: Answer) -> pd.DataFrame:
    """Return the features: observed value, cost, and the share of simulations below the value."""
    rows = [
        {"feature": each.name, "observed": each.observed, "cost": each.cost}
        | {f"below_{model}": share for model, share in each.below.items()}
        for each in answer.features
    ]
    return _frame(rows, ["feature", "observed", "cost"])


def discrepancies(answer: Answer) -> pd.DataFrame:
    """Return the main differences between the network and simulations of each model."""
    from dataclasses import asdict

    rows = [
        {"model": model.name, **asdict(each)}
        for model in answer.models
        for each in model.discrepancies
    ]
    return _frame(rows, ["model", "feature", "observed", "sentence"])


def posterior(answer: Answer) -> pd.DataFrame:
    """Return draws from the posteriors of the most probable candidates.

    A parameter with the name of another column gets a longer name: ``draw_parameter``.
    """
    import pandas as pd

    columns = ["model", "draw"]
    frames = [pd.DataFrame(columns=columns)]
    for model, known in answer.evidence.posteriors.items():
        draws = pd.DataFrame({name: list(values) for name, values in known.draws.items()})
        draws = draws.rename(columns={name: f"{name}_parameter" for name in columns})
        draws.insert(0, "model", model)
        draws.insert(1, "draw", range(len(draws)))
        frames.append(draws)
    return pd.concat(frames[1:] or frames, ignore_index=True)


def _frame(rows: list[dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)


#: What makes each table.
TABLE_OF: dict[str, Callable[[Answer], pd.DataFrame]] = {
    "models": models, "parameters": parameters, "features": features,
    "discrepancies": discrepancies, "posterior": posterior,
}  # fmt: skip
