"""The command that studies pilots: small networks that replace large ones in the selection."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import netchoice
from netchoice.cli.common import AsJson, app, print_json, say
from netchoice.cli.options import Features, SimulationSeed, Workers, require, split_list
from netchoice.cli.progress import stages
from netchoice.errors import UsageError
from netchoice.units import duration

if TYPE_CHECKING:
    from netchoice.workflows import PilotStudy, Recommendation

UNITS = {"ranking": "tables", "testing": "rankings"}


@app.command()
def pilot(
    space: Annotated[str, typer.Argument(help="A model space by name, or module:attribute.")],
    target: Annotated[
        int | None, typer.Option("--target", help="Nodes of the networks to analyse.")
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes", metavar="N,…", help="Nodes of the pilots, for example 100,200,400."
        ),
    ] = None,
    samples: Annotated[int, typer.Option("--samples", min=20, help="Rows of each table.")] = 1000,
    target_samples: Annotated[
        int | None,
        typer.Option(
            "--target-samples", min=20, help="Rows at the target; as --samples by default."
        ),
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Pilots of each size.")] = 1,
    methods: Annotated[
        str | None, typer.Option("--methods", metavar="NAME,…", help="As in netchoice rank.")
    ] = None,
    penalties: Annotated[
        str | None,
        typer.Option("--penalties", metavar="λ,…", help="0,1 by default; 0 with --recommend."),
    ] = None,
    max_features: Annotated[
        int | None,
        typer.Option(
            "--max-features",
            min=1,
            help="Sets of 1 to so many features (15); with --recommend exactly so many (5).",
        ),
    ] = None,
    features: Features = None,
    recommend: Annotated[
        bool, typer.Option("--recommend", help="Find the smallest pilot that is large enough.")
    ] = False,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", min=0.001, max=0.5, help="Accuracy that a pilot may lose."),
    ] = 0.02,
    seed: SimulationSeed = 1,
    workers: Workers = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for tables and figures.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Select features on small networks, and measure their accuracy on large ones.

    Example: [bold]netchoice pilot duplication --sizes 100,200,500 --target 1000 --out pilots[/bold]

    With --recommend, find the smallest pilot whose features are about as accurate as those of larger
    pilots: [bold]netchoice pilot duplication --target 1000 --recommend --out pilots[/bold]. To resume
    an interrupted study, run the same command again.
    """
    require(target, "--target", "1000")
    require(out, "--out", "pilots")
    assert target is not None
    assert out is not None
    chosen = netchoice.get_space(space)
    common: dict[str, Any] = {
        "samples": samples, "seed": seed, "workers": workers, "path": out,
        "features": split_list(features, "--features", str),
        "sizes": split_list(sizes, "--sizes", int),
    }  # fmt: skip
    values = split_list(penalties, "--penalties", float)
    names = split_list(methods, "--methods", str)
    if recommend:
        one = {
            "method": _single(names, "--methods"), "penalty": _single(values, "--penalties"),
            "check_samples": target_samples, "k": max_features,
        }  # fmt: skip
        _recommend(chosen, target, {**common, **_given(one), "tolerance": tolerance}, as_json)
        return
    if common["sizes"] is None:
        raise UsageError("--sizes is missing; give --sizes 100,200,500, or --recommend")
    several = {"methods": names, "penalties": values, "target_samples": target_samples}
    options = {**common, **_given(several), "target": target, "repeats": repeats}
    _study(chosen, {**options, "ks": range(1, (max_features or 15) + 1)}, as_json)


def _study(space: netchoice.ModelSpace, options: dict[str, Any], as_json: bool) -> None:
    from netchoice.figures import draw_pilot_study
    from netchoice.workflows import pilot as run_pilot

    with stages(units=UNITS) as on_progress:
        study = run_pilot(space, **options, on_progress=on_progress)
    out = study.save(options["path"])
    figures = [str(path) for path in draw_pilot_study(study, out)]
    if as_json:
        print_json({**study.as_dict(), "out": str(out), "figures": figures})
    else:
        _print_study(study)
        say(f"tables and {len(figures)} figures are in {out}")


def _recommend(
    space: netchoice.ModelSpace, target: int, options: dict[str, Any], as_json: bool
) -> None:
    with stages(units=UNITS) as on_progress:
        recommendation = netchoice.recommend_pilot_size(
            space, target, **options, on_progress=on_progress
        )
    if as_json:
        print_json({**recommendation.as_dict(), "out": str(options["path"])})
    else:
        _print_recommendation(recommendation, target)


def _print_study(study: PilotStudy) -> None:
    settings = study.settings
    say(
        f"{settings.space}: features selected with {_list(settings.sizes)} nodes, tested with "
        f"{settings.target} nodes ({settings.target_samples} networks)"
    )
    mean = study.mean_accuracy()
    shown = [k for k in (1, 2, 3, 5, 10, 15) if k in set(mean["k"])]
    say(f"accuracy at {settings.target} nodes with k features, mean over {settings.repeats} pilots")
    say(f"{'method':16}{'λ':>7}{'pilot':>8}" + "".join(f"{f'k={k}':>8}" for k in shown))
    for (method, penalty, n), rows in mean.groupby(["method", "penalty", "n"], sort=False):
        by_k = rows.set_index("k")["accuracy"]
        cells = "".join(f"{by_k[k]:8.3f}" if k in by_k else f"{'':8}" for k in shown)
        say(f"{method:16}{penalty:7g}{n:8d}{cells}")
    for row in study.saving.itertuples():
        say(
            f"a network of {row.n} nodes costs {duration(row.seconds)}, one of {settings.target} "
            f"{duration(row.target_seconds)}: {row.saving:.3g} times as much"
        )
    growth = study.growth
    if len(growth):
        total = growth[growth["kind"] == "total"].iloc[0]
        low, high = total["low"], total["high"]
        interval = "" if math.isnan(low) else f" ({low:.2f} to {high:.2f})"
        say(
            f"the cost of all features grows as n^{total['exponent']:.2f}{interval}; with a fixed "
            f"overhead of {duration(total['a'])} as n^{total['c']:.2f}"
        )


def _print_recommendation(recommendation: Recommendation, target: int) -> None:
    for row in recommendation.evidence.itertuples():
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
        say(text)
        say(f"    {', '.join(row.features) or 'no feature varies'}")
    say(recommendation.verdict)
    cost = recommendation.cost
    say(f"CPU time: pilots {duration(cost['pilots'])}, checks {duration(cost['checks'])}")
    if "all_features_at_target" in cost:
        say(
            f"a table of all features at {target} nodes would take about "
            f"{duration(cost['all_features_at_target'])} (extrapolated)"
        )


def _single(values: list[Any] | None, option: str) -> Any:
    if values is not None and len(values) > 1:
        raise UsageError(f"--recommend takes one value of {option}; got {_list(values)}")
    return None if values is None else values[0]


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _list(values: Any) -> str:
    return ", ".join(map(str, values))
