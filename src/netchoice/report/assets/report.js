"use strict";
// Draws the figures of the page and lets its controls move through all sets of features.
// Names that came from users reach the page as text only: textContent, or labels escaped for Plotly.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const grid = data.grid;
  const byId = (id) => document.getElementById(id);
  const plot = (name) => byId(`figure-${name}`);

  // Looks

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const narrow = window.matchMedia("(max-width: 40rem)");
  const STANDS_FOR = { "#010203": "--ink", "#fdfefc": "--paper", "#7a7b7c": "--faint" };
  const BY_NIGHT = { "#0072B2": "#4aa3df", "#D55E00": "#f0883e", "#009E73": "#2bc59a" };
  const config = {
    displayModeBar: narrow.matches ? false : "hover", // it would lie on the figure
    displaylogo: false,
    responsive: true,
    scrollZoom: false,
    typesetMath: false, // a name may hold two dollars
    modeBarButtons: [["zoomIn2d", "zoomOut2d", "resetScale2d", "toImage"]],
  };

  function coloured(part, style) {
    if (typeof part === "string") {
      if (part in STANDS_FOR) return style.getPropertyValue(STANDS_FOR[part]).trim();
      return (dark.matches && BY_NIGHT[part]) || part;
    }
    if (Array.isArray(part)) return part.map((item) => coloured(item, style));
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [key, coloured(item, style)])
    );
  }

  function forPhone(figure) {
    const { layout } = figure;
    layout.height = layout.meta.phone;
    layout.font.size = 11;
    layout.legend.font = { size: 11 };
    const { tickvals, ticktext } = layout.xaxis;
    if (layout.meta.few && tickvals?.length > 3) {
      layout.xaxis.tickvals = tickvals.filter((_, i) => i % 2 === 0);
      layout.xaxis.ticktext = ticktext.filter((_, i) => i % 2 === 0);
    }
    const names = figure.data.filter((trace) => trace.showlegend !== false).map((trace) => trace.name);
    if (names.length > 3 && Math.max(...names.map((name) => name.length)) < 19) {
      layout.legend.entrywidth = 88; // pixels, so that two stand side by side
    }
  }

  function draw(name, change) {
    let figure = data.figures[name];
    if (Array.isArray(figure)) figure = figure[state.method];
    figure = coloured(figure, getComputedStyle(document.documentElement));
    if (narrow.matches) forPhone(figure);
    if (change) change(figure);
    plot(name).style.minHeight = `${figure.layout.height}px`;
    return Plotly.react(plot(name), figure.data, figure.layout, config);
  }

  // Words

  function formatCost(cost) {
    if (!grid.seconds) return String(Number(cost.toPrecision(4)));
    if (cost === 0) return "0 s";
    const units = [["h", 3600], ["min", 60], ["s", 1], ["ms", 1e-3], ["µs", 1e-6]];
    const [unit, size] = units.find(([, least]) => cost >= least) || units[4];
    return `${Number((cost / size).toPrecision(3))} ${unit}`;
  }

  const percent = (share) => `${(100 * share).toFixed(2)}%`;
  const lambda = (penalty) => String(Number(penalty.toPrecision(4)));

  function cheaper(cost) {
    if (!grid.given) return "no costs were given";
    if (cost === 0) return "free";
    const times = grid.whole / cost;
    return times > 1.005 ? `${Number(times.toPrecision(3))} times cheaper` : "as expensive as all of them";
  }

  // The set that is shown: a method, one of its penalties, and a number of features

  const state = grid ? { ...grid.recommended, charge: grid.charge } : { method: 0 };
  const cell = () => grid.cells[state.method][state.penalty];
  const of = (at, what, k) => at[what][at.k.indexOf(k)]; // not every k need have been tried
  const place = (at, k, charge) => (grid.has_costs ? Math.max(of(at, charge, k), grid.floor) : k);

  function hoverText(method, penalty, k) {
    const at = grid.cells[method][penalty];
    const names = at.order.slice(0, k).map((i) => grid.labels[i]);
    const lines = [];
    for (let i = 0; i < names.length; i += 2) lines.push(names.slice(i, i + 2).join(", "));
    return (
      `${percent(of(at, "accuracy", k))} for ${formatCost(of(at, state.charge, k))}<br>` +
      `λ = ${lambda(grid.penalties[method][penalty])}, k = ${k}<br>${lines.join("<br>")}`
    );
  }

  function drawExplorer() {
    return draw("explorer", (figure) => {
      const n = grid.methods.length;
      figure.data.slice(0, n).forEach((trace, method) => {
        trace.x = trace.customdata.map(([penalty, k]) =>
          place(grid.cells[method][penalty], k, state.charge)
        );
        trace.text = trace.customdata.map(([penalty, k]) => hoverText(method, penalty, k));
      });
      Object.assign(figure.data[n], grid.front[state.charge]);
      const best = grid.recommended;
      const chosen = grid.cells[best.method][best.penalty];
      mark(figure.data[n + 1], place(chosen, best.k, state.charge), of(chosen, "accuracy", best.k));
      mark(figure.data[n + 2], place(cell(), state.k, state.charge), of(cell(), "accuracy", state.k));
      if (grid.has_costs && grid.seconds) {
        const how = state.charge === "shared" ? "common steps paid once" : "each feature alone";
        figure.layout.xaxis.title.text = `cost per network, ${how}`;
      }
    });
  }

  function mark(trace, x, y) {
    trace.x = [x];
    trace.y = [y];
  }

  const drawHeat = () =>
    draw("heat", (figure) => mark(figure.data[2], state.penalty, state.k));

  function row(tag, texts) {
    const line = document.createElement("tr");
    texts.forEach((told, i) => {
      const made = document.createElement(i === 0 || tag === "th" ? "th" : "td");
      if (made.tagName === "TH") made.scope = tag === "th" ? "col" : "row";
      made.textContent = told;
      line.append(made);
    });
    return line;
  }

  function fillTable(name, head, rows) {
    const room = byId(`${name}-table`);
    if (!room || !byId(`${name}-details`).open) return;
    const table = document.createElement("table");
    const caption = `Method ${grid.methods[state.method]}`;
    table.setAttribute("aria-label", caption);
    table.createTHead().append(row("th", head));
    table.createTBody().append(...rows.map((texts) => row("td", texts)));
    room.className = "scroll";
    room.tabIndex = 0;
    room.setAttribute("role", "region");
    room.setAttribute("aria-label", caption);
    room.replaceChildren(table);
  }

  function fillTables() {
    const cells = grid.cells[state.method];
    const told = grid.penalties[state.method].map(lambda);
    const ks = [...new Set(cells.flatMap((at) => at.k))].sort((a, b) => a - b);
    fillTable("heat", ["λ \\ k", ...ks.map(String)],
      cells.map((at, p) => [told[p], ...ks.map((k) => of(at, "accuracy", k)?.toFixed(4) ?? "")]));
    const most = Math.max(...cells.map((at) => at.order.length));
    const places = Array.from({ length: most }, (_, i) => i);
    fillTable("ranking", ["λ \\ place", ...places.map((i) => String(i + 1))],
      cells.map((at, p) => [told[p], ...places.map((i) => grid.features[at.order[i]] ?? "")]));
  }

  function tell() {
    const at = cell();
    const i = at.k.indexOf(state.k);
    const names = at.order.slice(0, state.k).map((number) => grid.features[number]);
    byId("shown-features").replaceChildren(
      ...names.map((name) => Object.assign(document.createElement("li"), { textContent: name }))
    );
    const figures = [
      ["Accuracy", `${percent(at.accuracy[i])} (95% interval ${percent(at.low[i])} to ${percent(at.high[i])})`],
      ["Cost, common steps paid once", formatCost(at.shared[i])],
      ["Cost, each feature alone", formatCost(at.alone[i])],
      ["Against all features", cheaper(at.shared[i])],
    ];
    byId("shown-figures").replaceChildren(
      ...figures.flatMap(([term, told]) => [
        Object.assign(document.createElement("dt"), { textContent: term }),
        Object.assign(document.createElement("dd"), { textContent: told }),
      ])
    );
  }

  function setSlider(name, value, [least, most], told, spoken) {
    const slider = byId(name);
    slider.min = least;
    slider.max = most;
    slider.value = value;
    slider.disabled = least === most;
    slider.setAttribute("aria-valuetext", spoken);
    byId(`${name}-told`).textContent = told;
  }

  function setControls() {
    const penalties = grid.penalties[state.method];
    byId("method").value = state.method;
    document.querySelectorAll("select.method").forEach((list) => (list.value = state.method));
    if (byId("charge")) byId("charge").value = state.charge;
    const told = lambda(penalties[state.penalty]);
    setSlider("penalty", state.penalty, [0, penalties.length - 1], told, `λ = ${told}`);
    const spoken = `${state.k} ${state.k === 1 ? "feature" : "features"}`;
    const ks = cell().k;
    setSlider("k", state.k, [ks[0], ks.at(-1)], String(state.k), spoken);
  }

  // The next k that was tried, onwards in the direction of the slider.
  function tried(ks, wanted, before) {
    const above = ks.find((k) => k >= wanted);
    const below = ks.filter((k) => k <= wanted).pop();
    return wanted >= before ? above ?? below : below ?? above;
  }

  function go(change) {
    const before = { ...state };
    if ("method" in change && change.method !== state.method && !("penalty" in change)) {
      const wanted = grid.penalties[state.method][state.penalty];
      const offered = grid.penalties[change.method].map((penalty) => Math.abs(penalty - wanted));
      change.penalty = offered.indexOf(Math.min(...offered));
    }
    Object.assign(state, change);
    state.k = tried(cell().k, state.k, before.k);
    [setControls, tell].forEach(attempt);
    ["explorer", "heat"].forEach(show);
    if (before.method !== state.method) {
      if (plot("ranking")) show("ranking");
      fillTables();
    }
  }

  function listenToControls() {
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    document.querySelectorAll("#method, select.method").forEach((list) =>
      list.addEventListener("change", () => go({ method: Number(list.value) }))
    );
    for (const name of ["penalty", "k"]) {
      byId(name).addEventListener("input", () => go({ [name]: Number(byId(name).value) }));
    }
    byId("charge")?.addEventListener("change", () => go({ charge: byId("charge").value }));
    byId("recommended").addEventListener("click", () =>
      go({ ...grid.recommended, charge: grid.charge })
    );
  }

  function listenToExplorer() {
    plot("explorer").on("plotly_click", ({ points }) => {
      const method = points[0].curveNumber;
      if (method >= grid.methods.length) return;
      const [penalty, k] = points[0].customdata;
      go({ method, penalty, k });
    });
  }

  function listenToHeat() {
    plot("heat").on("plotly_click", ({ points }) => {
      const cellAt = points.find((point) => point.curveNumber === 0);
      if (cellAt) go({ penalty: Math.round(cellAt.x), k: Math.round(cellAt.y) });
    });
  }

  function listenToTables() {
    for (const name of ["heat-details", "ranking-details"]) {
      byId(name)?.addEventListener("toggle", fillTables);
    }
  }

  // What fails must not take the rest of the page with it

  function attempt(work) {
    try {
      work();
    } catch (error) {
      console.error(work.name, error);
    }
  }

  async function show(name) {
    const special = { explorer: drawExplorer, heat: drawHeat };
    try {
      await (special[name] || (() => draw(name)))();
    } catch (error) {
      plot(name).textContent = "This figure cannot be drawn here; the tables of this page do not need it.";
      console.error(name, error);
    }
  }

  const showAll = () => Promise.all(Object.keys(data.figures).map(show));

  if (grid) [setControls, tell].forEach(attempt);
  showAll().then(() => {
    if (grid) [listenToControls, listenToExplorer, listenToHeat, listenToTables].forEach(attempt);
    dark.addEventListener("change", showAll);
    narrow.addEventListener("change", showAll);
    document.documentElement.dataset.drawn = "yes";
  });
})();
