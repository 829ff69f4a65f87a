"use strict";
// Links open folded sections, paper shows all figures, and the list of networks is sorted and filtered.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);

  // A link to a folded section opens it, and paper shows all figures.

  function openTarget() {
    const target = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.querySelector(":scope > details.fold");
    if (fold) fold.open = true;
  }
  window.addEventListener("hashchange", openTarget);
  openTarget();
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = all("details:not([open])").filter((part) => part.querySelector("figure"));
    for (const fold of opened) fold.open = true;
  });
  window.addEventListener("afterprint", () => opened.forEach((fold) => (fold.open = false)));

  // Networks of a cohort. Without this script the list is complete, in its first order.

  const list = byId("network-list");
  if (!list) return;
  const buttons = all("button.sort");
  const rows = all(":scope > details", list).map((element, position) => {
    const cells = [...element.querySelector("summary").children];
    const names = cells.map((part) => part.textContent);
    const values = cells.map(({ dataset }, i) =>
      "value" in dataset ? Number(dataset.value) : names[i] === "–" ? null : names[i]);
    const text = all("summary span, td, li, p", element).map((part) => part.textContent).join("\n");
    return { element, position, values, text: text.toLowerCase() };
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

  function filter() {
    const words = byId("network-text").value.toLowerCase().split(/\s+/);
    for (const { element, text } of rows) {
      element.hidden = !words.every((word) => text.includes(word));
    }
    const order = state.falling ? "falling" : "rising";
    const sorted = state.column === null ? "" : `, sorted by ${buttons[state.column].textContent}, ${order}`;
    const shown = rows.filter(({ element }) => !element.hidden).length;
    byId("network-status").textContent = `${shown} of ${rows.length} networks${sorted}`;
  }

  buttons.forEach((button, column) => {
    button.disabled = false;
    button.addEventListener("click", () => {
      state.falling = state.column === column && !state.falling;
      state.column = column;
      buttons.forEach((other) => delete other.dataset.order);
      button.dataset.order = state.falling ? "falling" : "rising";
      list.append(...[...rows].sort(compare).map((row) => row.element));
      filter();
    });
  });
  byId("network-controls").hidden = false;
  byId("network-controls").addEventListener("input", filter);
  filter();
})();
