"use strict";
// Draws the figures of the page and lets the controls select any set of features.
// Names from users reach the page as text only: textContent, or labels escaped for Plotly.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const grid = data.grid;
  const byId = (id) => document.getElementById(id);
  const plot = (name) => byId(`figure-${name}`);

  // Colours and layout

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const narrow = window.matchMedia("(max-width: 40rem)");
  const PAGE_COLOURS = { "#010203": "--text", "#fdfefc": "--surface", "#7a7b7c": "--faint" };
  const config = {
    displayModeBar: narrow.matches ? false : "hover", // it would cover the figure
    displaylogo: false,
    responsive: true,
    scrollZoom: false,
    typesetMath: false, // a name may contain two dollar signs
    modeBarButtons: [["zoomIn2d", "zoomOut2d", "resetScale2d", "toImage"]],
  };

  // A dark colour is mixed with white until it is light enough for a dark background.
  function lightened(colour) {
    let parts = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
    const luminance = () => {
      const [r, g, b] = parts.map((part) => part ** 2.2);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    while (luminance() < 0.2) parts = parts.map((part) => 0.9 * part + 0.1);
    return `#${parts.map((part) => Math.round(255 * part).toString(16).padStart(2, "0")).join("")}`;
  }

  function withPageColours(part, style) {
    if (typeof part === "string") {
      if (part in PAGE_COLOURS) return style.getPropertyValue(PAGE_COLOURS[part]).trim();
      return dark.matches && /^#[0-9A-Fa-f]{6}$/.test(part) ? lightened(part) : part;
    }
    if (Array.isArray(part)) return part.map((item) => withPageColours(item, style));
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(
      // A colour scale must keep the order of its colours.
      Object.entries(part).map(([key, item]) => [key, key === "colorscale" ? item : withPageColours(item, style)])
    );
  }

  // Colours of models next to their names, outside the figures.
  function colourKeys() {
    document.querySelectorAll("[data-colour]").forEach((part) => {
      part.style.color = dark.matches ? lightened(part.dataset.colour) : part.dataset.colour;
    });
  }

  function forPhone(figure) {
    const { layout } = figure;
    layout.height = layout.meta.phone;
    layout.font.size = 11;
    layout.legend.font = { size: 11 };
    const { tickvals, ticktext } = layout.xaxis;
    if (layout.meta.few_ticks && tickvals?.length > 3) {
      layout.xaxis.tickvals = tickvals.filter((_, i) => i % 2 === 0);
      layout.xaxis.ticktext = ticktext.filter((_, i) => i % 2 === 0);
    }
    const named = figure.data.filter((trace) => trace.name && trace.showlegend !== false);
    const names = named.map((trace) => trace.name);
    if (names.length > 3 && Math.max(...names.map((name) => name.length)) < 19) {
      layout.legend.entrywidth = 88; // pixels, so that several fit in a row
    }
  }

  function draw(name, change) {
    let figure = data.figures[name];
    if (Array.isArray(figure)) figure = figure[state.method];
    figure = withPageColours(figure, getComputedStyle(document.documentElement));
    if (narrow.matches) forPhone(figure);
    if (change) change(figure);
    plot(name).style.minHeight = `${figure.layout.height}px`;
    return Plotly.react(plot(name), figure.data, figure.layout, config);
  }

  // Numbers as text

  // The same as cost_text in Python.
  function costText(cost) {
    if (grid.unit !== "s") return String(Number(cost.toPrecision(4)));
    if (cost === 0 || cost >= 0.9995) return `${Number(cost.toPrecision(4))} s`;
    const units = [["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
    const [unit, size] = units.find(([, size]) => cost >= 0.9995 * size) || units[2];
    return `${Number((cost / size).toPrecision(3))} ${unit}`;
  }

  // The same as format_accuracy in Python.
  const accuracyText = (value) =>
    grid.measure === "accuracy" ? `${(100 * value).toFixed(2)}%` : value.toFixed(3);
  const penaltyText = (penalty) => String(Number(penalty.toPrecision(4)));

  function costComparison(cost) {
    if (!grid.costs_given) return "no costs were given";
    if (cost === 0) return "free";
    const times = grid.cost_of_all / cost;
    return times > 1.005 ? `${Number(times.toPrecision(3))} times cheaper` : "the same cost";
  }

  // The selected set: a method, one of its penalties, and a number of features

  const state = grid ? { ...grid.recommended, charge: grid.charge } : { method: 0 };
  const cell = () => grid.cells[state.method][state.penalty];
  const value = (at, column, k) => at[column][at.k.indexOf(k)]; // some k may be missing
  const position = (at, k, charge) =>
    grid.has_costs ? Math.max(value(at, charge, k), grid.left_end) : k;

  function hoverText(method, penalty, k) {
    const at = grid.cells[method][penalty];
    const names = at.order.slice(0, k).map((i) => grid.labels[i]);
    const lines = [];
    for (let i = 0; i < names.length; i += 2) lines.push(names.slice(i, i + 2).join(", "));
    return (
      `${accuracyText(value(at, "accuracy", k))} for ${costText(value(at, state.charge, k))}<br>` +
      `λ = ${penaltyText(grid.penalties[method][penalty])}, k = ${k}<br>${lines.join("<br>")}`
    );
  }

  function drawExplorer() {
    return draw("explorer", (figure) => {
      const n = grid.methods.length;
      figure.data.slice(0, n).forEach((trace, method) => {
        trace.x = trace.customdata.map(([penalty, k]) =>
          position(grid.cells[method][penalty], k, state.charge)
        );
        trace.text = trace.customdata.map(([penalty, k]) => hoverText(method, penalty, k));
      });
      Object.assign(figure.data[n], grid.front[state.charge]);
      const best = grid.recommended;
      const chosen = grid.cells[best.method][best.penalty];
      mark(figure.data[n + 1], position(chosen, best.k, state.charge), value(chosen, "accuracy", best.k));
      mark(figure.data[n + 2], position(cell(), state.k, state.charge), value(cell(), "accuracy", state.k));
      if (grid.has_costs) figure.layout.xaxis.title.text = grid.cost_titles[state.charge];
    });
  }

  function mark(trace, x, y) {
    trace.x = [x];
    trace.y = [y];
  }

  const drawHeat = () =>
    draw("heat", (figure) => mark(figure.data[2], state.penalty, state.k));

  function tableRow(tag, texts) {
    const row = document.createElement("tr");
    texts.forEach((text, i) => {
      const item = document.createElement(i === 0 || tag === "th" ? "th" : "td");
      if (item.tagName === "TH") item.scope = tag === "th" ? "col" : "row";
      item.textContent = text;
      row.append(item);
    });
    return row;
  }

  function fillTable(name, title, head, rows) {
    const region = byId(`${name}-table`);
    if (!region || !byId(`${name}-details`).open) return;
    const table = document.createElement("table");
    const caption = `${title}, method ${grid.methods[state.method]}`;
    table.createCaption().textContent = caption;
    table.createTHead().append(tableRow("th", head));
    table.createTBody().append(...rows.map((texts) => tableRow("td", texts)));
    region.className = "scroll";
    region.tabIndex = 0;
    region.setAttribute("role", "region");
    region.setAttribute("aria-label", caption);
    region.replaceChildren(table);
  }

  function fillTables() {
    const cells = grid.cells[state.method];
    const penalties = grid.penalties[state.method].map(penaltyText);
    const ks = [...new Set(cells.flatMap((at) => at.k))].sort((a, b) => a - b);
    fillTable("heat", `${grid.measure} over λ and k`, ["λ \\ k", ...ks.map(String)],
      cells.map((at, p) => [penalties[p], ...ks.map((k) => value(at, "accuracy", k)?.toFixed(4) ?? "")]));
    const longest = Math.max(...cells.map((at) => at.order.length));
    const positions = Array.from({ length: longest }, (_, i) => i);
    fillTable("ranking", "Features by position", ["λ \\ position", ...positions.map((i) => String(i + 1))],
      cells.map((at, p) => [penalties[p], ...positions.map((i) => grid.features[at.order[i]] ?? "")]));
  }

  function describeSelected() {
    const at = cell();
    const i = at.k.indexOf(state.k);
    const names = at.order.slice(0, state.k).map((index) => grid.features[index]);
    byId("selected-features").replaceChildren(
      ...names.map((name) => Object.assign(document.createElement("li"), { textContent: name }))
    );
    const numbers = [
      [grid.measure === "accuracy" ? "Accuracy" : grid.measure,
        `${accuracyText(at.accuracy[i])} (95% interval ${accuracyText(at.low[i])} to ${accuracyText(at.high[i])})`],
      ["Cost, shared steps paid once", costText(at.shared[i])],
      ["Cost, each feature paid alone", costText(at.alone[i])],
      ["Compared with all features", costComparison(at.shared[i])],
    ];
    byId("selected-numbers").replaceChildren(
      ...numbers.flatMap(([term, text]) => [
        Object.assign(document.createElement("dt"), { textContent: term }),
        Object.assign(document.createElement("dd"), { textContent: text }),
      ])
    );
  }

  function setSlider(name, value, [lowest, highest], text, spoken) {
    const slider = byId(name);
    slider.min = lowest;
    slider.max = highest;
    slider.value = value;
    slider.disabled = lowest === highest;
    slider.setAttribute("aria-valuetext", spoken);
    byId(`${name}-value`).textContent = text;
  }

  function setControls() {
    const penalties = grid.penalties[state.method];
    byId("method").value = state.method;
    document.querySelectorAll("select.method").forEach((list) => (list.value = state.method));
    if (byId("charge")) byId("charge").value = state.charge;
    const text = penaltyText(penalties[state.penalty]);
    setSlider("penalty", state.penalty, [0, penalties.length - 1], text, `λ = ${text}`);
    const spoken = `${state.k} ${state.k === 1 ? "feature" : "features"}`;
    const ks = cell().k;
    setSlider("k", state.k, [ks[0], ks.at(-1)], String(state.k), spoken);
  }

  // The nearest evaluated k in the direction in which the slider moved.
  function nearestEvaluated(ks, wanted, before) {
    const above = ks.find((k) => k >= wanted);
    const below = ks.filter((k) => k <= wanted).pop();
    return wanted >= before ? above ?? below : below ?? above;
  }

  function selectSet(change) {
    const before = { ...state };
    if ("method" in change && change.method !== state.method && !("penalty" in change)) {
      const wanted = grid.penalties[state.method][state.penalty];
      const distances = grid.penalties[change.method].map((penalty) => Math.abs(penalty - wanted));
      change.penalty = distances.indexOf(Math.min(...distances));
    }
    Object.assign(state, change);
    state.k = nearestEvaluated(cell().k, state.k, before.k);
    [setControls, describeSelected].forEach(attempt);
    const changed = before.method === state.method ? ["explorer", "heat"] : ["explorer", "heat", "ranking"];
    changed.filter((name) => plot(name) && !isHidden(name)).forEach(show);
    if (before.method !== state.method) fillTables();
  }

  function listenToControls() {
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    document.querySelectorAll("#method, select.method").forEach((list) =>
      list.addEventListener("change", () => selectSet({ method: Number(list.value) }))
    );
    for (const name of ["penalty", "k"]) {
      byId(name).addEventListener("input", () => selectSet({ [name]: Number(byId(name).value) }));
    }
    byId("charge")?.addEventListener("change", () => selectSet({ charge: byId("charge").value }));
    byId("recommended").addEventListener("click", () =>
      selectSet({ ...grid.recommended, charge: grid.charge })
    );
  }

  // What a click in a figure selects. A figure can be listened to once it has been drawn.

  const clicked = {
    explorer({ points }) {
      const method = points[0].curveNumber;
      if (method >= grid.methods.length) return;
      const [penalty, k] = points[0].customdata;
      selectSet({ method, penalty, k });
    },
    heat({ points }) {
      const cellAt = points.find((point) => point.curveNumber === 0);
      if (cellAt) selectSet({ penalty: Math.round(cellAt.x), k: Math.round(cellAt.y) });
    },
  };
  const listening = new Set();

  function listenToClicks(name) {
    if (!(name in clicked) || listening.has(name)) return;
    listening.add(name);
    plot(name).on("plotly_click", clicked[name]);
  }

  function listenToTables() {
    for (const name of ["heat-details", "ranking-details"]) {
      byId(name)?.addEventListener("toggle", fillTables);
    }
  }

  // An error in one part must not stop the others

  function attempt(action) {
    try {
      action();
    } catch (error) {
      console.error(action.name, error);
    }
  }

  async function show(name) {
    const special = { explorer: drawExplorer, heat: drawHeat };
    try {
      await (special[name] || (() => draw(name)))();
      listenToClicks(name);
    } catch (error) {
      plot(name).textContent = "This figure cannot be drawn; see the tables of this page for its numbers.";
      console.error(name, error);
    }
  }

  // Figures in closed parts of the page have no width; they are drawn when the reader opens the part.
  const isHidden = (name) => plot(name).closest("details:not([open])");
  const showAll = () => {
    attempt(colourKeys);
    return Promise.all(Object.keys(data.figures).filter((name) => !isHidden(name)).map(show));
  };
  const showInside = ({ target }) => {
    if (!target.open) return;
    const names = [...target.querySelectorAll(".plot")].map((part) => part.id.slice("figure-".length));
    names.filter((name) => !isHidden(name)).forEach(show);
  };

  // A link to a folded section opens it.
  function openTarget() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.querySelector(":scope > details.fold");
    if (fold) fold.open = true;
  }

  if (grid) [setControls, describeSelected].forEach(attempt);
  showAll().then(() => {
    if (grid) [listenToControls, listenToTables].forEach(attempt);
    document.addEventListener("toggle", showInside, true); // this event does not bubble
    window.addEventListener("hashchange", openTarget);
    attempt(openTarget);
    dark.addEventListener("change", showAll);
    narrow.addEventListener("change", showAll);
    document.documentElement.dataset.drawn = "yes";
  });
})();
