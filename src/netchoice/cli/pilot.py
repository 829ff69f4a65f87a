"""The command that studies pilots: small networks that replace large ones in the selection."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, show
from netchoice.errors import UsageError
from netchoice.units import duration

if TYPE_CHECKING:
    from netchoice.workflows import PilotStudy, Recommendation


@app.command()
def pilot(
    space: options.Space = None,
    target: Annotated[int | None, Option(help="Nodes of the networks to analyse.")] = None,
    sizes: Annotated[
        str | None, Option(metavar="N,…", help="Nodes of the pilots, for example 100,200,400.")
    ] = None,
    samples: Annotated[int, Option(min=20, help="Rows of each table.")] = 1000,
    target_samples: Annotated[
        int | None, Option(min=20, help="Rows at the target; as --samples by default.")
    ] = None,
    repeats: Annotated[int, Option(min=1, help="Pilots of each size.")] = 1,
    methods: Annotated[
        str | None, Option(metavar="NAME,…", help="Methods, as in netchoice rank.")
    ] = None,
    penalties: Annotated[
        str | None, Option(metavar="λ,…", help="Values of λ; 0,1 by default; 0 with --recommend.")
    ] = None,
    max_features: Annotated[
        int | None,
        Option(
            min=1, help="Largest number of features in a set (15); with --recommend the number (5)."
        ),
    ] = None,
    features: Annotated[
        str | None, Option(metavar="NAME,…", help="Only these features; all by default.")
    ] = None,
    recommend: Annotated[
        bool, Option("--recommend", help="Find the smallest pilot that is large enough.")
    ] = False,
    tolerance: Annotated[
        float, Option(min=0.001, max=0.5, help="Accuracy that a pilot may lose.")
    ] = 0.02,
    mix: options.Mix = None,
    thin: options.Thin = None,
    seed: options.SimulationSeed = 1,
    workers: options.Workers = None,
    out: options.OutFolder = None,
    as_json: options.AsJson = False,
) -> None:
    """Select features on small networks, and measure their accuracy on large ones.

    Example: [bold]netchoice pilot duplication --sizes 100,200,500 --target 1000 --out pilots[/bold]

    With --recommend, find the smallest pilot whose features are about as accurate as those of larger
    pilots: [bold]netchoice pilot duplication --target 1000 --recommend --out pilots[/bold]. To resume
    an interrupted study, run the same command again.
    """
    target = options.require(target, "--target", "1000")
    common: dict[str, Any] = {
        "target": target, "samples": samples, "seed": seed, "workers": workers,
        "path": options.require(out, "--out", "pilots"),
        "space": options.model_space(space, None, mix, thin, None),
        "features": options.split_list(features, "--features"),
        "sizes": options.split_list(sizes, "--sizes", int),
    }  # fmt: skip
    values = options.split_list(penalties, "--penalties", float)
    names = options.split_list(methods, "--methods")
    if recommend:
        one = {
            "method": _single(names, "--methods"), "penalty": _single(values, "--penalties"),
            "check_samples": target_samples, "k": max_features,
        }  # fmt: skip
        _recommend({**common, **_given(one), "tolerance": tolerance}, as_json)
        return
    if common["sizes"] is None:
        raise UsageError("--sizes is missing; give --sizes 100,200,500, or --recommend")
    several = {"methods": names, "penalties": values, "target_samples": target_samples}
    ks = range(1, (max_features or 15) + 1)
    _study({**common, **_given(several), "repeats": repeats, "ks": ks}, as_json)


def _study(arguments: dict[str, Any], as_json: bool) -> None:
    from netchoice.figures import draw_pilot_study
    from netchoice.workflows import pilot as run_pilot

    study = run_pilot(**arguments, on_progress=True)
    out = study.save(arguments["path"])
    figures = [str(path) for path in draw_pilot_study(study, out)]
    text = f"tables and {len(figures)} figures are in {out}"
    record = {**study.as_dict(), "out": str(out), "figures": figures}
    show(as_json, record, (*_study_lines(study), text))


def _recommend(arguments: dict[str, Any], as_json: bool) -> None:
    found = netchoice.recommend_pilot_size(**arguments, on_progress=True)
    record = {**found.as_dict(), "out": str(arguments["path"])}
    show(as_json, record, _recommendation_lines(found, arguments["target"]))


def _study_lines(study: PilotStudy) -> Iterator[str]:
    settings = study.settings
    yield (
        f"{settings.space}: features selected with {_list(settings.sizes)} nodes, tested with "
        f"{settings.target} nodes ({settings.target_samples} networks)"
    )
    mean = study.mean_accuracy()
    shown = [k for k in (1, 2, 3, 5, 10, 15) if k in set(mean["k"])]
    yield f"accuracy at {settings.target} nodes with k features, mean over {settings.repeats} pilots"
    yield f"{'method':16}{'λ':>7}{'pilot':>8}" + "".join(f"{f'k={k}':>8}" for k in shown)
    for (method, penalty, n), rows in mean.groupby(["method", "penalty", "n"], sort=False):
        by_k = rows.set_index("k")["accuracy"]
        cells = "".join(f"{by_k[k]:8.3f}" if k in by_k else f"{'':8}" for k in shown)
        yield f"{method:16}{penalty:7g}{n:8d}{cells}"
    for row in study.saving.itertuples():
        yield (
            f"a network of {row.n} nodes costs {duration(row.seconds)}, one of {settings.target} "
            f"{duration(row.target_seconds)}: {row.saving:.3g} times as much"
        )
    growth = study.growth
    if len(growth):
        total = growth[growth["kind"] == "total"].iloc[0]
        low, high = total["low"], total["high"]
        interval = "" if math.isnan(low) else f" ({low:.2f} to {high:.2f})"
        yield (
            f"the cost of all features grows as n^{total['exponent']:.2f}{interval}; with a fixed "
            f"overhead of {duration(total['a'])} as n^{total['c']:.2f}"
        )


def _recommendation_lines(found: Recommendation, target: int) -> Iterator[str]:
    for row in found.evidence.itertuples():
        text = f"pilot of {row.n} nodes: accuracy {row.accuracy_here:.3f} there"
        if not row.learnable:
            text += ", not better than chance"
        if not math.isnan(row.accuracy_check):
            text += (
                f"; at {row.check_n} nodes {row.accuracy_check:.3f} "
                f"({row.check_low:.3f} to {row.check_high:.3f})"
            )
        if not math.isnan(row.gain_high):
            text += f", larger pilots gain at most {row.gain_high:.3f}"
        yield text
        yield f"    {', '.join(row.features) or 'no feature varies'}"
    yield found.verdict
    cost = found.cost
    yield f"CPU time: pilots {duration(cost['pilots'])}, checks {duration(cost['checks'])}"
    if "all_features_at_target" in cost:
        yield (
            f"a table of all features at {target} nodes would take about "
            f"{duration(cost['all_features_at_target'])} (extrapolated)"
        )


def _single(values: list[Any] | None, option: str) -> Any:
    if values is not None and len(values) > 1:
        raise UsageError(f"--recommend takes one value of {option}; got {_list(values)}")
    return None if values is None else values[0]


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _list(values: Any) -> str:
    return ", ".join(map(str, values))
