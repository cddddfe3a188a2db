/** The form of a document: one control for each value, tables for lists. */

import { element, svgElement } from "../demo/dom.js";
import { enlargedPlace } from "../demo/pictures.js";
import { percent } from "../demo/values.js";
import { labelOf, translate } from "../demo/words.js";
import { pictureAddress } from "./api.js";
import { cellAt, leavesOf, listsOf } from "./sheet.js";

const STATES = ["printed", "absent", "unclear"];
const STRIP_ASPECT = 7; // width / height of the enlarged print below a value

/**
 * Views of all values. document: as the server sends it. kind: description of its type.
 * on: functions for what the user does; each gets the path of the value.
 */
export function formView(document, kind, on) {
  const views = new Map();
  let last = null; // view of the value that was focused last: its print stays enlarged until another one is focused
  const focused = (path) => {
    last?.setActive(false);
    last = views.get(path);
    last.setActive(true);
    on.focus(path);
  };
  const add = (path, label, compact) => {
    const view = cellView(document, path, label, compact, { ...on, focus: focused });
    views.set(path, view);
    return view.node;
  };
  const single = kind.fields.filter((field) => !field.list);
  const nodes = [
    single.length ? element("ul", { class: "fields" }, single.map((field) => element("li", { class: "field" }, add(field.name, requiredLabel(field), false)))) : null,
    ...listsOf(kind).map((group) => listView(document, kind, group, add, on)),
  ].filter(Boolean);
  return {
    nodes,
    update: (path) => views.get(path)?.update(),
    focus: (path) => views.get(path)?.focus(),
    has: (path) => views.has(path),
    /** Mark values that were refused. faults: by path. */
    showFaults: (faults) => views.forEach((view, path) => view.showFault(faults[path] ? translate("fault") : "")),
  };
}

const requiredLabel = (field) => (field.required ? `${labelOf(field.name)} *` : labelOf(field.name));

function cellView(document, path, label, compact, on) {
  const cell = () => cellAt(document.sheet, path);
  const id = `value-${path}`;
  const input = element("input", { id, type: "text", spellcheck: "false", "data-path": path, "aria-label": compact ? label : null });
  const states = element("select", { class: "cell-state", tabindex: "-1", "aria-label": `${label}: ${translate("state")}` },
    STATES.map((state) => element("option", { value: state }, translate(`state_${state}`))));
  const sure = element("span", { class: "level" });
  const fault = element("span", { class: "fault", id: `${id}-fault` });
  const strip = compact ? null : element("div", { class: "strip", "aria-hidden": "true" });
  const node = element("div", { class: compact ? "edit compact" : "edit" },
    compact ? null : element("label", { for: id, class: "name" }, label), input, sure, states, fault, strip);

  input.addEventListener("focus", () => {
    on.focus(path);
    input.select();
  });
  input.addEventListener("change", () => on.type(path, input.value));
  states.addEventListener("change", () => on.state(path, states.value));

  function update() {
    const { state, text, confidence, doubtful, image, polygons } = cell();
    input.value = text;
    input.placeholder = state === "printed" ? "" : translate(`state_${state}`);
    states.value = state;
    const level = levelOf(cell());
    sure.className = `level level-${level}`;
    sure.replaceChildren(...(confidence === null ? [] : [element("i", { class: "dot", "aria-hidden": "true" }), percent(confidence)]));
    node.classList.toggle("doubtful", doubtful);
    if (strip) strip.replaceChildren(...(polygons.length ? [enlarged(document, image, polygons)] : []));
  }

  function showFault(message) {
    fault.textContent = message;
    input.toggleAttribute("aria-invalid", Boolean(message));
    if (message) input.setAttribute("aria-describedby", fault.id);
    else input.removeAttribute("aria-describedby");
  }

  update();
  const setActive = (active) => node.classList.toggle("active", active);
  return { node, update, showFault, setActive, focus: () => input.focus() };
}

/** The level of a value for its colour: what a person has entered is certain. */
export function levelOf({ confidence, doubtful }) {
  if (doubtful) return "low";
  if (confidence === null || confidence >= 0.98) return "certain";
  return confidence >= 0.9 ? "high" : "medium";
}

function enlarged(document, image, polygons) {
  const size = document.pages[image];
  const under = svgElement("image", { href: pictureAddress(document, image), width: size.width, height: size.height });
  const points = polygons.flat();
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return enlargedPlace(size, under, [[left, top], [right, top], [right, bottom], [left, bottom]], STRIP_ASPECT);
}

function listView(document, kind, group, add, on) {
  const { sheet } = document;
  const unclear = sheet.unclear_rows.includes(group);
  const leaves = on.allColumns(group) ? kind.fields.filter((field) => field.list === group).map((field) => field.leaf) : leavesOf(sheet, kind, group);
  const rows = sheet.rows[group] ?? [];
  const button = (key, action) => element("button", { type: "button", "data-control": `${key} ${group}`, onclick: action }, translate(key));
  return element("section", { class: "list" },
    element("h3", {}, labelOf(group), element("span", { class: "count" }, String(rows.length))),
    element("div", { class: "row-actions" },
      button("add_row", () => on.addRow(group, rows.length - 1)),
      button("all_columns", () => on.showColumns(group)),
      element("label", {}, element("input", { type: "checkbox", "data-control": `skip_rows ${group}`, checked: unclear, onchange: () => on.skipRows(group) }), translate("skip_rows"))),
    unclear || !rows.length ? null : element("div", { class: "wide", role: "group", tabindex: "0", "aria-label": labelOf(group) },
      element("table", {},
        element("caption", { class: "unseen" }, labelOf(group)),
        element("thead", {}, element("tr", {}, leaves.map((leaf) => element("th", { scope: "col" }, labelOf(leaf))),
          element("th", { scope: "col" }, element("span", { class: "unseen" }, translate("row_actions"))))),
        element("tbody", {}, rows.map((_, number) => element("tr", {},
          leaves.map((leaf) => element("td", {}, add(`${group}.${number}.${leaf}`, `${labelOf(leaf)} ${number + 1}`, true))),
          element("td", { class: "row-buttons" },
            rowButton("+", "add_row_below", number, () => on.addRow(group, number)),
            number + 1 < rows.length ? rowButton("⤓", "join_rows", number, () => on.joinRows(group, number)) : null,
            rowButton("×", "remove_row", number, () => on.removeRow(group, number)))))))));
}

const rowButton = (sign, key, number, action) =>
  element("button", { type: "button", class: "plain", tabindex: "-1", title: translate(key, { number: number + 1 }), "aria-label": translate(key, { number: number + 1 }), onclick: action }, sign);
