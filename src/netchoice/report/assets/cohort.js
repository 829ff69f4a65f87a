"use strict";
// Sorts and filters the list of networks. Without this script the list is complete, in its first order.
(() => {
  const list = document.getElementById("network-list");
  if (!list) return;
  const byId = (id) => document.getElementById(id);
  const [VERDICT, GROUP] = [2, 1]; // columns
  const buttons = [...document.querySelectorAll("button.sort")];

  const rows = [...list.children].map((element, position) => {
    const cells = [...element.querySelector("summary").children];
    const texts = [...element.querySelectorAll("summary span, td, li")].map((part) => part.textContent);
    return {
      element,
      position,
      names: cells.map((part) => part.textContent),
      values: cells.map(({ dataset, textContent }) =>
        "value" in dataset ? Number(dataset.value) : textContent === "–" ? null : textContent
      ),
      text: texts.join("\n").toLowerCase(),
    };
  });
  const state = { column: null, falling: false };

  // A missing value is last in both directions.
  function compare(a, b) {
    const [one, other] = [a.values[state.column], b.values[state.column]];
    if (one === null || other === null) return (one === null) - (other === null) || a.position - b.position;
    const order = typeof one === "number" && typeof other === "number"
      ? one - other
      : String(one).localeCompare(String(other), "en", { numeric: true });
    return (state.falling ? -order : order) || a.position - b.position;
  }

  function describe(shown) {
    const sorted = state.column === null
      ? ""
      : `, sorted by ${buttons[state.column].textContent}, ${state.falling ? "falling" : "rising"}`;
    byId("network-status").textContent = `${shown} of ${rows.length} networks${sorted}`;
  }

  function filter() {
    const text = byId("network-text").value.trim().toLowerCase();
    const verdict = byId("network-verdict").value;
    const group = byId("network-group")?.value ?? "";
    let shown = 0;
    for (const row of rows) {
      const isShown = row.text.includes(text) && (!verdict || row.names[VERDICT] === verdict)
        && (!group || row.names[GROUP] === group);
      row.element.hidden = !isShown;
      shown += isShown;
    }
    describe(shown);
  }

  function sortBy(column) {
    state.falling = state.column === column && !state.falling;
    state.column = column;
    buttons.forEach((button, i) => {
      if (i === column) button.dataset.order = state.falling ? "falling" : "rising";
      else delete button.dataset.order;
    });
    list.append(...[...rows].sort(compare).map((row) => row.element));
    filter();
  }

  buttons.forEach((button, column) => {
    button.disabled = false;
    button.addEventListener("click", () => sortBy(column));
  });
  byId("network-controls").hidden = false;
  byId("network-controls").addEventListener("input", filter);
  filter();
})();
