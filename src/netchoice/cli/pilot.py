"""Commands about pilots: small networks that stand for large ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import netchoice
from netchoice.cli.common import AsJson, app, print_json, say
from netchoice.cli.progress import stages
from netchoice.errors import UsageError
from netchoice.units import duration

if TYPE_CHECKING:
    from netchoice.workflows import PilotStudy, Recommendation


@app.command()
def pilot(
    space: Annotated[str, typer.Argument(help="A model space by name, or module:attribute.")],
    target: Annotated[
        int | None, typer.Option("--target", help="Nodes of the networks that matter.")
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
            "--max-features", min=1, help="Sets of up to so many; with --recommend that many (5)."
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option("--features", metavar="NAME,…", help="Only these; all by default."),
    ] = None,
    recommend: Annotated[
        bool, typer.Option("--recommend", help="Find the smallest pilot that will do instead.")
    ] = False,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", min=0.001, max=0.5, help="Accuracy that a pilot may cost."),
    ] = 0.02,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Every table follows from it.")] = 1,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes; one per core by default.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for everything; taken up if it exists."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Select features on small networks, and see what they are worth on large ones.

    Example: [bold]netchoice pilot duplication --sizes 100,200,500 --target 1000 --out pilots[/bold]

    With --recommend the pilot grows until a larger one selects nothing better: [bold]netchoice pilot
    duplication --target 1000 --recommend --out pilots[/bold]. Stopped with Ctrl-C, the same command
    goes on where it was.
    """
    if target is None:
        raise UsageError("for networks of which size? Give --target, for example --target 1000")
    if out is None:
        raise UsageError("where to? Give --out, for example --out pilots")
    chosen = netchoice.get_space(space)
    common: dict[str, Any] = {
        "samples": samples, "seed": seed, "workers": workers, "path": out,
        "features": _names(features, "--features"),
    }  # fmt: skip
    values = _numbers(penalties, "--penalties", float)
    names = _names(methods, "--methods")
    wanted = _numbers(sizes, "--sizes", int)
    if recommend:
        one = {"method": _single(names, "--methods"), "penalty": _single(values, "--penalties")}
        one |= {"check_samples": target_samples, "k": max_features, "sizes": wanted}
        _recommend(chosen, target, {**common, **_given(one), "tolerance": tolerance}, out, as_json)
        return
    if wanted is None:
        raise UsageError("pilots of which sizes? Give --sizes 100,200,500, or --recommend")
    several = {"methods": names, "penalties": values, "target_samples": target_samples}
    _study(
        chosen,
        {
            **common, **_given(several), "sizes": wanted, "target": target, "repeats": repeats,
            "ks": range(1, (max_features or 15) + 1),
        },
        out,
        as_json,
    )  # fmt: skip


def _study(space: netchoice.ModelSpace, options: dict[str, Any], out: Path, as_json: bool) -> None:
    from netchoice.workflows import pilot as run

    with stages() as on_progress:
        study = run(space, **options, on_progress=on_progress)
    study.save(out)
    pictures = _draw(study, out)
    if as_json:
        print_json({**study.as_dict(), "out": str(out), "pictures": pictures})
    else:
        _print_study(study)
        say(f"tables, frames and {len(pictures)} pictures are in {out}")


def _recommend(
    space: netchoice.ModelSpace, target: int, options: dict[str, Any], out: Path, as_json: bool
) -> None:
    from netchoice.workflows import recommend_pilot_size

    with stages() as on_progress:
        found = recommend_pilot_size(space, target, **options, on_progress=on_progress)
    if as_json:
        print_json({**found.as_dict(), "out": str(out)})
    else:
        _print_recommendation(found, target)


def _print_study(study: PilotStudy) -> None:
    told = study.settings
    say(
        f"{told['space']}: features selected with {_list(told['sizes'])} nodes, tested with "
        f"{told['target']} nodes ({told['target_samples']} networks)"
    )
    mean = study.mean_accuracy()
    shown = [k for k in (1, 2, 3, 5, 10, 15) if k in set(mean["k"])]
    say(f"accuracy at {told['target']} nodes with k features, mean over {told['repeats']} pilots")
    say(f"{'method':16}{'λ':>7}{'pilot':>8}" + "".join(f"{f'k={k}':>8}" for k in shown))
    for (method, penalty, n), rows in mean.groupby(["method", "penalty", "n"], sort=False):
        by_k = rows.set_index("k")["accuracy"]
        cells = "".join(f"{by_k[k]:8.3f}" if k in by_k else f"{'':8}" for k in shown)
        say(f"{method:16}{penalty:7g}{n:8d}{cells}")
    for row in study.saving.itertuples():
        say(
            f"a network of {row.n} nodes costs {duration(row.seconds)}, one of {told['target']} "
            f"{duration(row.target_seconds)}: {row.saving:.3g} times as much"
        )
    growth = study.growth
    if len(growth):
        whole = growth[growth["kind"] == "total"].iloc[0]
        interval = (
            f" ({whole['low']:.2f} to {whole['high']:.2f})" if whole["low"] == whole["low"] else ""
        )
        say(
            f"the cost of all features grows as n^{whole['exponent']:.2f}{interval}; with a fixed "
            f"overhead of {duration(whole['a'])} as n^{whole['c']:.2f}"
        )


def _print_recommendation(found: Recommendation, target: int) -> None:
    for row in found.evidence.itertuples():
        check = (
            ""
            if row.accuracy_check != row.accuracy_check
            else (
                f"; at {row.check_n} nodes {row.accuracy_check:.3f} "
                f"({row.check_low:.3f} to {row.check_high:.3f})"
            )
        )
        gain = (
            "" if row.gain_high != row.gain_high else f", larger gain at most {row.gain_high:.3f}"
        )
        words = "" if row.learnable else ", not better than chance"
        say(f"pilot of {row.n} nodes: accuracy {row.accuracy_here:.3f} there{words}{check}{gain}")
        say(f"    {', '.join(row.features) or 'nothing to select'}")
    say(found.verdict)
    cost = found.cost
    say(f"CPU time: pilots {duration(cost['pilots'])}, checks {duration(cost['checks'])}")
    if "all_features_at_target" in cost:
        say(
            f"a table of all features at {target} nodes would take about "
            f"{duration(cost['all_features_at_target'])}, extrapolated"
        )


def _draw(study: PilotStudy, out: Path) -> list[str]:
    """The pictures of a study, if there is matplotlib."""
    try:
        from netchoice import figures
    except ImportError:
        typer.echo("netchoice: no pictures, for there is no matplotlib", err=True)
        return []
    made: list[str] = []
    for penalty in study.settings["penalties"]:
        file = out / f"accuracy-{penalty:g}.png"
        made.append(
            str(figures.save(figures.pilot_accuracy(study.accuracy, penalty=penalty), file))
        )
    if study.cost_growth is not None:
        made.append(str(figures.save(_growth_picture(study), out / "growth.png")))
    return made


def _growth_picture(study: PilotStudy) -> Any:
    """The paper's third figure: the cost of all features, and of the most expensive ones."""
    from netchoice import figures

    growth, costs = study.cost_growth, study.costs
    assert growth is not None
    largest = costs[(costs["n"] == costs["n"].max()) & (costs["kind"] == "feature")]
    most_expensive = ["all"]
    seen: list[float] = []
    for row in largest.sort_values("seconds", ascending=False).itertuples():
        if all(row.seconds < 0.9 * cost for cost in seen):  # one of each step will do
            seen.append(row.seconds)
            most_expensive.append(row.name)
    frame = costs[costs["name"].isin(most_expensive[:5])]
    fits: list[dict[str, Any]] = []
    for curve in growth.curves.values():
        if curve.kind in ("feature", "total") and curve.name in most_expensive[:5]:
            rows = growth.measured
            rows = rows[(rows["kind"] == curve.kind) & (rows["name"] == curve.name)]
            level = float((rows["seconds"] / rows["n"] ** curve.exponent).median())
            fit = {"name": curve.name, "exponent": curve.exponent}
            if curve.low == curve.low:
                fit |= {"low": curve.low, "high": curve.high}
            power = curve.exponent
            fits.append({**fit, "curve": lambda n, b=level, c=power: b * n**c})
            fits.append(
                {"name": curve.name, "curve": curve, "label": f"a + b·$n^{{{curve.c:.2f}}}$"}
            )
    return figures.cost_growth(frame, fits)


def _names(text: str | None, option: str) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"{option} names nothing; separate names by commas")
    return names


def _numbers(text: str | None, option: str, kind: type[Any]) -> list[Any] | None:
    names = _names(text, option)
    try:
        return None if names is None else [kind(name) for name in names]
    except ValueError:
        what = "integers" if kind is int else "numbers"
        raise UsageError(f"{option} {text}; expected {what}, separated by commas") from None


def _single(values: list[Any] | None, option: str) -> Any:
    if values is not None and len(values) > 1:
        raise UsageError(f"--recommend works with one of {option} at a time; found {_list(values)}")
    return None if values is None else values[0]


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _list(values: list[Any]) -> str:
    return ", ".join(map(str, values))
