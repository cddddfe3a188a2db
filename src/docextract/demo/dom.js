/** Helpers that create elements. */

const SVG = "http://www.w3.org/2000/svg";

/** Create an HTML element; attributes that are `null` or `false` are left out. Children may be texts, nodes or null. */
export function element(tag, attributes = {}, ...children) {
  return fillElement(document.createElement(tag), attributes, children);
}

/** Create an SVG element in the same way. */
export function svgElement(tag, attributes = {}, ...children) {
  return fillElement(document.createElementNS(SVG, tag), attributes, children);
}

function fillElement(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

/** Make many controls one stop of the Tab key (roving tabindex); the arrow keys move between them in page order. */
export function rovingTabindex(container, selector) {
  const stops = () => [...container.querySelectorAll(selector)];
  const admit = (chosen) => stops().forEach((stop) => stop.setAttribute("tabindex", stop === chosen ? "0" : "-1"));
  admit(stops()[0]);
  container.addEventListener("focusin", (event) => {
    const stop = event.target.closest(selector);
    if (stop) admit(stop);
  });
  container.addEventListener("keydown", (event) => {
    const all = stops();
    const at = all.indexOf(event.target.closest(selector));
    const target = at < 0 ? undefined : neighbour(all, at, event.key);
    if (!target) return;
    event.preventDefault();
    target.focus();
  });
}

function neighbour(all, at, key) {
  if (key === "Home") return all[0];
  if (key === "End") return all.at(-1);
  if (key === "ArrowRight") return all[at + 1];
  if (key === "ArrowLeft") return all[at - 1];
  if (key !== "ArrowDown" && key !== "ArrowUp") return undefined;
  const step = key === "ArrowDown" ? 1 : -1;
  const cell = all[at].closest("td");
  if (!cell) return all[at + step];
  const column = all.filter((other) => other.closest("td").cellIndex === cell.cellIndex);
  return column[column.indexOf(all[at]) + step];
}
