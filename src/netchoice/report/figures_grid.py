"""Figures of what was tried: accuracy against cost, heat maps, rankings, cost lists."""

from __future__ import annotations

from collections import Counter
from typing import Any

from netchoice.costs import CostModel
from netchoice.plots.canvas import COLOURS
from netchoice.report.costs import CostAxis, Unit
from netchoice.report.grid import Grid
from netchoice.report.markup import label
from netchoice.report.theme import CHOSEN, FAINT, INK, PAPER, figure, short, signs

MOST_RANKED, DEEPEST = 12, 10  # features in the picture of a ranking, and how far down it goes
MOST_COSTD = 60  # features in the picture of costs, beside those in use
_READINGS = {"shared": "common steps paid once", "alone": "each feature alone"}


def explorer(grid: Grid) -> dict[str, Any]:
    """Accuracy against cost of every set; the last two traces are the chosen and the shown one."""
    import plotly.graph_objects as go

    traces = []
    for method, sign in signs(grid.methods).items():
        at = {penalty: i for i, penalty in enumerate(grid.penalties(method))}
        # Most sets stand at several penalties; one sign each is enough.
        seen: dict[frozenset[str], Any] = {}
        for row in grid.of(method).to_dict("records"):
            seen.setdefault(frozenset(grid.sets(row)), row)
        rows = list(seen.values())
        traces.append(
            go.Scatter(
                x=short(grid.place(row, grid.charge) for row in rows),
                y=short(row["accuracy"] for row in rows),
                customdata=[[at[row["penalty"]], int(row["k"])] for row in rows],
                mode="markers",
                name=label(method),
                hovertemplate="%{text}<extra></extra>",
                marker={"color": sign.colour, "symbol": f"{sign.symbol}-open", "size": 8},
                opacity=0.75,
            )
        )
    traces.append(
        go.Scatter(
            **grid.front(grid.charge),
            mode="lines",
            name="Pareto front",
            hoverinfo="skip",
            line={"color": INK, "width": 2, "shape": "hv"},
        )
    )
    for name, symbol, size in (("recommended", "star", 18), ("shown", "circle-open", 24)):
        traces.append(
            go.Scatter(
                x=[None],
                y=[None],
                mode="markers",
                name=name,
                hoverinfo="skip",
                marker={
                    "symbol": symbol,
                    "size": size,
                    "color": CHOSEN if symbol == "star" else INK,
                    "line": {"color": INK, "width": 1.5 if symbol == "star" else 3},
                },
            )
        )
    title = f"cost per network, {_READINGS[grid.charge]}" if grid.unit.seconds else "cost"
    x = grid.axis.layout(title) if grid.has_costs else {"title": {"text": "number of features"}}
    return figure(
        traces, height=560, xaxis=x,
        yaxis={"title": {"text": "accuracy"}, "tickformat": ".0%", "hoverformat": ".2%"},
    )  # fmt: skip


def penalty_axis(penalties: list[float]) -> dict[str, Any]:
    """Penalties side by side, whatever their distances; some of them named."""
    step = max(1, -(-len(penalties) // 7))
    named = list(range(0, len(penalties), step))
    return {
        "title": {"text": "cost penalty λ"}, "tickvals": named, "tickangle": 0,
        "ticktext": [_brief(penalties[i]) for i in named], "showgrid": False,
        "range": [-0.5, len(penalties) - 0.5],
    }  # fmt: skip


def _brief(penalty: float) -> str:
    """Few letters, for an axis.

    >>> _brief(0.0125), _brief(204.8), _brief(61440.0)
    ('0.013', '205', '61k')
    """
    if penalty < 1000:
        return f"{penalty:.2g}" if penalty < 100 else f"{penalty:.0f}"
    return f"{penalty / 1000:.2g}k" if penalty < 99_500 else f"{penalty:.1g}"


def heat(grid: Grid, method: str) -> dict[str, Any]:
    """Accuracy over λ and k of one method, all methods on the same scale."""
    import plotly.graph_objects as go

    penalties, own = grid.penalties(method), grid.of(method)
    at = {penalty: i for i, penalty in enumerate(penalties)}
    ks = sorted({int(k) for k in own["k"]})
    accuracy: list[list[float | None]] = [[None] * len(penalties) for _ in ks]
    told = [[""] * len(penalties) for _ in ks]
    noise = []
    for row in own.to_dict("records"):
        column, line = at[row["penalty"]], ks.index(int(row["k"]))
        accuracy[line][column] = short([row["accuracy"]])[0]
        told[line][column] = grid.unit.tell(row["cost_shared"])
        if row["n_noise"] > 0:
            noise.append((column, int(row["k"])))
    low, high = float(grid.rows["accuracy"].min()), float(grid.rows["accuracy"].max())
    lambdas = [[f"{penalty:.4g}" for penalty in penalties] for _ in ks]
    traces = [
        go.Heatmap(
            x=list(range(len(penalties))), y=ks, z=accuracy, colorscale="Cividis", xgap=1, ygap=1,
            zmin=low if low < high else high - 0.01, zmax=high, text=told, customdata=lambdas,
            colorbar={"title": {"text": "accuracy", "side": "right"}, "thickness": 12,
                      "tickformat": ".0%" if high - low > 0.05 else ".1%"},
            hovertemplate="λ = %{customdata}, %{y} features<br>accuracy %{z:.2%}<br>"
            "cost with common steps paid once %{text}<extra></extra>",
        ),
        go.Scatter(
            x=[x for x, _ in noise], y=[y for _, y in noise], mode="markers", hoverinfo="skip",
            marker={"color": "white", "size": 5, "line": {"color": "black", "width": 1}},
            name="noise among the features", showlegend=bool(noise),
        ),
        go.Scatter(
            x=[None], y=[None], mode="markers", hoverinfo="skip", name="shown above",
            marker={"symbol": "square", "size": 16, "color": "rgba(0,0,0,0)",
                    "line": {"color": "#D55E00", "width": 3}},
        ),
    ]  # fmt: skip
    y = {"title": {"text": "number of features k"}, "showgrid": False, "dtick": 2 if len(ks) > 8 else 1,
         "range": [ks[0] - 0.5, ks[-1] + 0.5]}  # fmt: skip
    legend = {"itemclick": False, "itemdoubleclick": False}
    made = figure(traces, height=420, xaxis=penalty_axis(penalties), yaxis=y)
    made["layout"]["legend"].update(legend)
    return made


def ranking(grid: Grid, method: str) -> dict[str, Any]:
    """How the order of one method's features changes with λ; the most prominent ones."""
    import plotly.graph_objects as go

    penalties = grid.penalties(method)
    orders = [grid.orders[(method, penalty)][:DEEPEST] for penalty in penalties]
    weight: Counter[str] = Counter()
    for order in orders:
        weight.update({name: 1 / position for position, name in enumerate(order, 1)})
    shown = [name for name, _ in weight.most_common(MOST_RANKED)]
    traces = []
    for name, sign in signs(shown).items():
        places = [order.index(name) + 1 if name in order else None for order in orders]
        traces.append(
            go.Scatter(
                x=list(range(len(penalties))),
                y=places,
                mode="lines+markers",
                name=label(name),
                line={"color": sign.colour, "dash": sign.dash, "width": 2},
                connectgaps=False,
                marker={"symbol": sign.symbol, "size": 7},
                customdata=[f"{penalty:.4g}" for penalty in penalties],
                hovertemplate="%{fullData.name}<br>place %{y} at λ = %{customdata}<extra></extra>",
            )
        )
    deepest = max(map(len, orders))
    return figure(
        traces, height=480, on_a_phone=640, xaxis=penalty_axis(penalties),
        yaxis={"title": {"text": "place in the ranking"}, "range": [deepest + 0.5, 0.5], "dtick": 1},
    )  # fmt: skip


def most_expensive(costs: CostModel, chosen: list[str]) -> list[str]:
    """The features that the list of costs draws, the most expensive last: some, and all in use.

    >>> costs = CostModel({f"f{i}": float(i) for i in range(100)})
    >>> names = most expensive(costs, ["f7", "f99"])
    >>> len(names), names[:2], names[-1]
    (61, ['f7', 'f40'], 'f99')
    """
    names = sorted(costs.features, key=costs.cost)
    shown = {*names[-MOST_COSTD:], *chosen}
    return [name for name in names if name in shown]


def cost_list(costs: CostModel, chosen: list[str], unit: Unit) -> dict[str, Any]:
    """Costs alone and with shared steps paid, of the most expensive features and those in use."""
    import plotly.graph_objects as go

    names = most_expensive(costs, chosen)
    steps = costs.own | costs.steps
    alone, own = [costs.cost(name) for name in names], [costs.own[name] for name in names]
    axis = CostAxis([*alone, *own], unit)
    told = [_steps(costs, name, steps, unit) for name in names]
    rows = list(range(len(names)))
    sharing = [i for i in rows if costs.uses.get(names[i])]
    between: list[float | None] = []
    for i in sharing:
        between += [axis.place(own[i]), axis.place(alone[i]), None]
    blue, orange = COLOURS[:2]
    traces = [
        go.Scatter(
            x=short(between), y=[y for i in sharing for y in (i, i, None)], mode="lines",
            line={"color": FAINT, "width": 1}, hoverinfo="skip", showlegend=False,
        ),
        go.Scatter(
            x=short(axis.place(cost) for cost in alone), y=rows, mode="markers", name="alone",
            marker={"color": blue, "size": 9}, text=told, hovertemplate="%{text}<extra></extra>",
        ),
        go.Scatter(
            x=short(axis.place(own[i]) for i in sharing), y=sharing, mode="markers",
            name="its steps already paid", text=[told[i] for i in sharing],
            marker={"color": PAPER, "size": 9, "line": {"color": orange, "width": 2}},
            hovertemplate="%{text}<extra></extra>",
        ),
    ]  # fmt: skip
    marked = set(chosen)
    texts = [f"<b>★ {label(n, 30)}</b>" if n in marked else label(n, 32) for n in names]
    y = {"tickvals": rows, "ticktext": texts, "range": [-0.7, len(names) - 0.3], "showgrid": False,
         "tickfont": {"size": 11}}  # fmt: skip
    title = "cost per network" if unit.seconds else "cost"
    made = figure(traces, height=110 + 17 * len(names), xaxis=axis.layout(title), yaxis=y)
    made["layout"]["meta"]["few"] = True  # names take most of a phone's width
    return made


def _steps(costs: CostModel, name: str, steps: dict[str, float], unit: Unit) -> str:
    """What a cost is made of, in a few lines."""
    users = Counter(step for needed in costs.uses.values() for step in needed)
    needed = sorted(costs.uses.get(name, ()), key=steps.__getitem__, reverse=True)
    lines = [f"<b>{label(name)}</b>: {unit.tell(costs.cost(name))} alone"]
    lines.append(f"its own part {unit.tell(costs.own[name])}")
    for step in needed[:6]:
        others = f", shared by {users[step]}" if users[step] > 1 else ""
        lines.append(f"step {label(step)} {unit.tell(steps[step])}{others}")
    if len(needed) > 6:
        lines.append(f"and {len(needed) - 6} smaller steps")
    return "<br>".join(lines)
