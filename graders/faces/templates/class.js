"use strict";
// The page is whole without this script; it adds sorting, searching, and the ways from a number or a name to the students.
// Texts go in by textContent only: a name is data, whatever is written in it.
const data = JSON.parse(document.getElementById("data").textContent);
const rows = [...document.querySelectorAll("#class tbody tr")];
const byPlace = new Map(rows.map((row) => [Number(row.dataset.place), row]));
const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
const search = document.getElementById("search");
const showing = document.getElementById("showing");
const dialog = document.getElementById("one");
let chosen = null; // the places of the list that a number led to, or null for all

function element(name, text, style) {
  const made = document.createElement(name);
  made.textContent = text;
  if (style) made.className = style;
  return made;
}

function filter() {
  const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const [row, text] of words) {
    const hit = (!chosen || chosen.has(Number(row.dataset.place))) && wanted.every((word) => text.includes(word));
    row.hidden = !hit;
    shown += hit;
  }
  document.getElementById("count").textContent = shown === rows.length ? `${shown} students` : `${shown} of ${rows.length} students`;
}

function choose(list) {
  chosen = list ? new Set(list.who) : null;
  showing.replaceChildren();
  if (list) {
    const all = element("a", "Show all");
    all.href = "#students";
    showing.append(element("span", `Only: ${list.title}. `), all);
  }
  filter();
  const heading = document.getElementById("students");
  heading.scrollIntoView();
  heading.focus({ preventScroll: true });
}

function open(place) {
  const row = byPlace.get(place);
  document.getElementById("one-name").textContent = row.querySelector("th").textContent;
  const heads = [...document.querySelectorAll("#class thead th")].map((head) => head.textContent);
  const points = [...row.cells].flatMap((cell, index) => (cell.matches("td.n") ? [`${heads[index]} ${cell.textContent}`] : []));
  document.getElementById("one-points").textContent = points.join(", ");
  const same = new Map(); // checks that ended alike, under what is said of them
  for (const [check, ...end] of data.students[place]) same.set(String(end), [...(same.get(String(end)) ?? []), data.texts[check]]);
  const told = new Set();
  const lost = [...same].map(([end, checks]) => {
    const [outcome, message, hint] = end.split(",").map((number) => data.texts[number]);
    const item = element("li", "");
    item.append(element("span", checks.join(", "), "id"), element("b", ` ${outcome}`));
    if (message) item.append(element("div", message));
    if (hint && !told.has(hint)) item.append(element("div", `Hint: ${hint}`, "hint"));
    told.add(hint);
    return item;
  });
  document.getElementById("one-lost").replaceChildren(...(lost.length ? lost : [element("li", "Every check passed.")]));
  if (!dialog.open) dialog.showModal();
}

function follow() {
  const [, kind, number] = /^#(show|student)-(\d+)$/.exec(location.hash) || [];
  if (kind !== "student" && dialog.open) dialog.close();
  if (kind === "show" && data.lists[number]) choose(data.lists[number]);
  else if (kind === "student" && byPlace.has(Number(number))) open(Number(number));
  else if (location.hash === "#students") choose(null);
}

function value(cell) {
  const text = cell.dataset.v ?? cell.textContent.trim();
  const number = parseFloat(text);
  return cell.classList.contains("n") ? (Number.isNaN(number) ? -Infinity : number) : text.toLowerCase();
}

function sortBy(table, head) {
  const column = head.cellIndex;
  const down = head.getAttribute("aria-sort") === "ascending" || (!head.hasAttribute("aria-sort") && head.classList.contains("n"));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const keyed = [...table.tBodies[0].rows].map((row) => [value(row.cells[column]), row]);
  keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
  table.tBodies[0].append(...keyed.map(([, row]) => row));
}

for (const table of document.querySelectorAll("table[data-sort]")) {
  for (const head of table.tHead.rows[0].cells) {
    if ("fixed" in head.dataset) continue;
    const button = element("button", head.textContent);
    button.type = "button";
    button.addEventListener("click", () => sortBy(table, head));
    head.replaceChildren(button);
  }
}
search.addEventListener("input", filter);
window.addEventListener("hashchange", follow);
document.getElementById("one-close").addEventListener("click", () => dialog.close());
let last = ""; // where the page was before a name was followed
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link) return;
  if (link.hash === location.hash) follow(); // the same number once more
  if (link.hash.startsWith("#student-")) last = location.hash.startsWith("#student-") ? last : location.hash;
});
dialog.addEventListener("close", () => {
  if (location.hash.startsWith("#student-")) history.replaceState(null, "", last || location.pathname);
});
follow();
