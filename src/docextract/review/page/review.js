/** The page of `docextract review`: it opens one document after the other, least certain first, and saves what is corrected. */

import { byId, element } from "../demo/dom.js";
import { currentLocale, initLanguage, labelOf, translate } from "../demo/words.js";
import { listDocuments, listTypes, normalise, openAsType, openDocument, readBox, Refusal, saveDocument } from "./api.js";
import { formView, levelOf } from "./form.js";
import { pagesView } from "./picture.js";
import { addRow, cellAt, emptyCell, fieldOf, joinRows, leavesOf, pathsOf, removeRow } from "./sheet.js";
import { askForType } from "./types.js";

const OTHER = "other";
const NEW_TYPE = "+"; // no name of a type
const SAVE_AFTER_MS = 700;
const POLL_MS = 3000; // while documents are still being read
const KEYS = ["Enter", "Ctrl+Enter", "F2", "Alt+U", "Alt+Enter", "Alt+J", "Alt+Delete", "Ctrl+Z", "Alt+PageDown", "Alt+PageUp"];

const state = {
  documents: [], // summaries
  kinds: new Map(), // document types by name
  fieldTypes: [],
  open: null, // the document on the page, as the server sends it; dirty: has changes that are not saved
  form: null,
  pages: null,
  active: null, // path of the value that was focused last
  undo: [], // earlier sheets of this document
  history: [], // ids of the documents that were open before
  columns: new Set(), // lists that show all columns
  saving: Promise.resolve(),
  entering: Promise.resolve(), // until the last typed text has become a label
  enterAgain: null, // enters the last typed text again if it could not be checked; it is then saved, too
  timer: 0,
};

// --- documents -------------------------------------------------------------------------------------------------------

async function refresh() {
  state.documents = await listDocuments();
  const done = state.documents.filter((one) => one.status === "reviewed").length;
  byId("progress").max = Math.max(1, state.documents.length);
  byId("progress").value = done;
  byId("progress-text").textContent = translate("progress", { done, all: state.documents.length });
  if (byId("documents").open) renderList();
}

/** Read the list again and again while documents have not been read yet. */
async function poll() {
  try {
    await refresh();
  } catch {
    // the next attempt will show whether the server is gone
  }
  if (state.documents.some((one) => one.status === "waiting")) setTimeout(poll, POLL_MS);
}

/** Least certain first; documents that have not been read yet come after the others. */
const byCertainty = (one, other) => (one.least_confidence ?? 2) - (other.least_confidence ?? 2);

const openOnes = () => state.documents.filter((one) => one.status === "open" || one.status === "waiting").sort(byCertainty);

async function openNext() {
  await refresh();
  const next = openOnes().find((one) => one.id !== state.open?.id) ?? openOnes()[0];
  if (next) return open(next.id);
  state.open = null;
  location.hash = "";
  render();
  announce(translate("finished"));
  return undefined;
}

/** Leave the open document as it is and go to the one after it. */
async function skip() {
  await refresh();
  const order = openOnes();
  const at = order.findIndex((one) => one.id === state.open?.id);
  const next = order[(at + 1) % order.length];
  if (next && next.id !== state.open?.id) await open(next.id);
}

/** Open a document. The open one stays on the page while its changes cannot be saved. */
async function open(id, back = false) {
  if (!(await flush())) return;
  announce(translate("opening"), true);
  try {
    const document = await openDocument(id);
    if (back && state.history.at(-1) === id) state.history.pop();
    if (!back && state.open && state.open.id !== id) state.history.push(state.open.id);
    show(document);
    location.hash = id;
  } catch (refusal) {
    announce("");
    showProblem(refusal, () => open(id, back));
    await refresh();
  }
}

async function goBack() {
  if (state.history.length) await open(state.history.at(-1), true);
}

function show(document) {
  Object.assign(state, { open: document, undo: [], active: null, enterAgain: null });
  byId("problem").replaceChildren();
  render();
  announce(`${document.name}, ${labelOf(document.sheet.type)}`);
  focusFirst();
}

/** Focus the first doubtful value; without one, the button that confirms all of them. */
function focusFirst() {
  const path = doubtfulAfter(null);
  if (path) state.form.focus(path);
  else byId("confirm").focus();
}

// --- rendering -------------------------------------------------------------------------------------------------------

function render() {
  const { open: document } = state;
  byId("document").hidden = !document;
  byId("finished").hidden = Boolean(document) || !state.documents.length;
  if (!document) return;
  byId("name").textContent = document.name;
  byId("currency").value = document.sheet.currency ?? "";
  byId("kind").replaceChildren(
    ...[...state.kinds.keys(), OTHER].map((name) => element("option", { value: name, selected: name === document.sheet.type }, labelOf(name))),
    element("option", { value: NEW_TYPE }, translate("new_type_option")));
  state.pages = pagesView(document, { take: fillIn, draw: readDrawn, leave: () => state.form.focus(state.active) });
  byId("pages").replaceChildren(...state.pages.nodes);
  renderForm();
}

const kind = () => state.kinds.get(state.open.sheet.type) ?? { name: OTHER, fields: [] };

/** Create the form again; a control of a table keeps the focus. */
function renderForm() {
  const focused = document.activeElement?.dataset.control;
  state.form = formView(state.open, kind(), {
    focus, type: typed, state: setState,
    addRow: (group, after) => changeRows(() => addRow(state.open.sheet, kind(), group, after), () => `${group}.${after + 1}.${leavesOf(state.open.sheet, kind(), group)[0]}`),
    removeRow: (group, number) => changeRows(() => removeRow(state.open.sheet, group, number)),
    joinRows: (group, number) => changeRows(() => joinRows(state.open.sheet, kind(), group, number)),
    skipRows: (group) => changeRows(() => toggle(state.open.sheet.unclear_rows, group)),
    allColumns: (group) => state.columns.has(group),
    showColumns: (group) => {
      if (!state.columns.delete(group)) state.columns.add(group);
      renderForm();
    },
  });
  byId("form").replaceChildren(...(kind().fields.length ? state.form.nodes : [element("p", { class: "stranger" }, translate("no_type"))]));
  if (focused) byId("form").querySelector(`[data-control="${focused}"]`)?.focus();
  renderState();
}

function toggle(list, name) {
  const at = list.indexOf(name);
  if (at < 0) list.push(name);
  else list.splice(at, 1);
}

/** What depends on values: their places, and the state of the document. */
function renderState() {
  const { sheet, reviewed } = state.open;
  const paths = pathsOf(sheet, kind());
  state.pages.showPlaces(paths.map((path) => ({ path, cell: cellAt(sheet, path) })).filter(({ cell }) => cell.polygons.length)
    .map(({ path, cell }) => ({ path, image: cell.image, polygons: cell.polygons, level: levelOf(cell) })), state.active);
  const doubtful = paths.filter((path) => cellAt(sheet, path).doubtful).length;
  byId("state").className = `badge ${reviewed ? "fine" : "review"}`;
  byId("state").textContent = reviewed ? translate("reviewed") : translate("to_check", { count: doubtful });
  byId("undo").disabled = !state.undo.length;
  byId("previous").disabled = !state.history.length;
}

/** Announce a sentence to screen readers; `seen` also shows it. */
function announce(sentence, seen = false) {
  byId("status").textContent = sentence;
  byId("status").className = seen ? "toast" : "unseen";
}

function showProblem(refusal, again) {
  const known = ["unreachable", "outdated", "invalid_value"].includes(refusal.code) ? translate(`problem_${refusal.code}`) : refusal.message;
  const action = refusal.code === "outdated" ? reload : again;
  const retry = () => {
    byId("problem").replaceChildren();
    action();
  };
  byId("problem").replaceChildren(element("div", { class: "problem", role: "alert" },
    element("p", {}, known),
    action ? element("button", { type: "button", onclick: retry }, translate(refusal.code === "outdated" ? "load_again" : "try_again")) : null));
}

/** Open the document anew, without the changes that were not saved. */
function reload() {
  state.open.dirty = false;
  return open(state.open.id);
}

// --- changes ---------------------------------------------------------------------------------------------------------

function focus(path) {
  state.active = path;
  renderState();
}

/** Change one value; it can be undone. */
function change(path, changes) {
  remember();
  Object.assign(cellAt(state.open.sheet, path), changes);
  changed();
  state.form.update(path);
  renderState();
}

function changeRows(action, focusPath = () => null) {
  remember();
  action();
  changed();
  renderForm();
  const path = focusPath();
  if (path) state.form.focus(path);
}

const remember = () => state.undo.push(structuredClone({ sheet: state.open.sheet, active: state.active }));

function changed() {
  Object.assign(state.open, { reviewed: false, dirty: true });
  clearTimeout(state.timer);
  state.timer = setTimeout(flush, SAVE_AFTER_MS);
}

function undo() {
  const last = state.undo.pop();
  if (!last) return;
  const retyped = last.sheet.type !== state.open.sheet.type;
  state.open.sheet = last.sheet;
  changed();
  if (retyped) render();
  else renderForm();
  if (last.active && state.form.has(last.active)) state.form.focus(last.active);
}

/** A text was typed: it becomes a label if it is a value of the field, and loses the place of the old one. */
async function typed(path, text) {
  const cell = cellAt(state.open.sheet, path);
  if (text.trim() === cell.text) return;
  const { polygons, image } = cell;
  await startEntering(path, text.trim(), { polygons, image });
}

function startEntering(path, text, place) {
  state.entering = enter(path, text, place);
  return state.entering;
}

/** Fill in a text. A field that is emptied is absent. */
async function enter(path, text, place) {
  const document = state.open;
  state.enterAgain = null;
  if (!text) return change(path, emptyCell());
  change(path, { state: "printed", text, confidence: null, doubtful: false, ...place });
  const asked = normalise(document.sheet.type, fieldOf(path), text, dateOrder());
  const answer = await asked.catch((refusal) => ({ text: null, refusal }));
  if (state.open !== document || cellAt(document.sheet, path).text !== text) return undefined;
  if (answer.refusal) {
    state.enterAgain = () => startEntering(path, text, place);
    showProblem(answer.refusal, state.enterAgain);
  }
  state.form.showFaults(answer.text === null ? { [path]: true } : {});
  if (answer.text !== null && answer.text !== text) {
    cellAt(document.sheet, path).text = answer.text;
    changed();
    state.form.update(path);
    announce(answer.text);
  }
  return undefined;
}

/** The order of the user's dates in digits; ISO 8601 is understood in any case. */
const dateOrder = () => (currentLocale() === "en-US" ? "MDY" : "DMY");

function setState(path, name) {
  change(path, name === "printed" ? { state: "printed", doubtful: false } : { ...emptyCell(), state: name });
}

/** Words were chosen on the page, or print in a box was read: it becomes the value of the active field. */
async function fillIn({ text, image, polygons }) {
  if (!state.active) return;
  const path = state.active;
  state.form.focus(path);
  if (!text) return;
  await startEntering(path, text, { image, polygons });
}

async function readDrawn(image, box) {
  if (!state.active) return announce(translate("choose_field"), true);
  const document = state.open;
  try {
    const found = await readBox(document.id, image, box);
    if (state.open !== document) return undefined;
    announce(found.text ? "" : translate("no_print"), !found.text);
    return await fillIn({ text: found.text, image, polygons: found.polygons });
  } catch (refusal) {
    return showProblem(refusal, null);
  }
}

async function setType(name) {
  if (name === NEW_TYPE) return createType();
  try {
    const document = await openAsType(state.open.id, name);
    remember();
    state.open.sheet = document.sheet;
    state.active = null;
    changed();
    render();
    focusFirst();
  } catch (refusal) {
    showProblem(refusal, () => setType(name));
  }
  return undefined;
}

async function createType() {
  const made = await askForType(state.fieldTypes);
  byId("kind").value = state.open.sheet.type;
  if (!made) return;
  setTypes(made);
  await setType(made.name);
}

function setTypes({ types, field_types }) {
  state.kinds = new Map(types.map((one) => [one.name, one]));
  state.fieldTypes = field_types;
}

// --- saving ----------------------------------------------------------------------------------------------------------

/**
 * Save changes that have not been saved yet; returns whether all are saved. Requests of one document follow each other:
 * each needs the last revision. What is changed while one is on its way is saved by the next one.
 */
async function flush() {
  const { open: document } = state;
  await state.entering; // the text may still become another one
  clearTimeout(state.timer);
  let refused = false;
  while (document?.dirty && !refused) {
    state.saving = state.saving.then(() => (document.dirty ? save(document, false) : null)).catch((refusal) => {
      refused = true;
      showProblem(refusal, state.enterAgain ?? flush);
    });
    await state.saving;
  }
  return !refused;
}

async function save(document, reviewed) {
  const { dirty } = document;
  document.dirty = false;
  try {
    const { revision } = await saveDocument(document.id, { revision: document.revision, file: document.file, reviewed, sheet: document.sheet });
    document.revision = revision;
  } catch (refusal) {
    document.dirty ||= dirty;
    throw refusal;
  }
}

/** Everything on the page is right: save it as reviewed, and open the next document. */
async function confirm() {
  document.activeElement?.blur(); // a value that is being typed counts
  if (!(await flush())) return;
  const shown = state.open;
  for (const path of pathsOf(shown.sheet, kind())) cellAt(shown.sheet, path).doubtful = false;
  try {
    await save(shown, true);
  } catch (refusal) {
    const faults = refusal instanceof Refusal ? refusal.faults : {};
    state.form.showFaults(faults);
    showProblem(refusal, null);
    const first = Object.keys(faults).find((path) => state.form.has(path));
    if (first) state.form.focus(first);
    return;
  }
  await openNext();
}

// --- keys ------------------------------------------------------------------------------------------------------------

/** The next doubtful value after a path, in the order of the form. */
function doubtfulAfter(path) {
  const paths = pathsOf(state.open.sheet, kind());
  const at = paths.indexOf(path);
  return paths.slice(at + 1).find((one) => cellAt(state.open.sheet, one).doubtful && state.form.has(one));
}

/** The focused value is right: go to the next doubtful one. */
function accept(path) {
  if (cellAt(state.open.sheet, path).doubtful) change(path, { doubtful: false });
  const next = doubtfulAfter(path) ?? doubtfulAfter(null);
  if (next) state.form.focus(next);
  else byId("confirm").focus();
}

function onKey(event) {
  if (!state.open || document.querySelector("dialog[open]")) return;
  const path = event.target.dataset?.path;
  const [group, number, leaf] = (path ?? "").split(".");
  const control = event.ctrlKey || event.metaKey;
  const actions = {
    "Ctrl+Enter": confirm,
    "Alt+PageDown": skip,
    "Alt+PageUp": goBack,
  };
  if (path) {
    const cell = cellAt(state.open.sheet, path);
    Object.assign(actions, {
      Enter: () => acceptTyped(event.target, path),
      F2: () => state.pages.pick(cell.image, cell.polygons[0]),
      "Alt+U": () => setState(path, cell.state === "unclear" ? "absent" : "unclear"),
    });
    if (leaf) {
      Object.assign(actions, {
        "Alt+Enter": () => changeRows(() => addRow(state.open.sheet, kind(), group, Number(number)), () => `${group}.${Number(number) + 1}.${leaf}`),
        "Alt+J": () => changeRows(() => joinRows(state.open.sheet, kind(), group, Number(number)), () => path),
        "Alt+Delete": () => changeRows(() => removeRow(state.open.sheet, group, Number(number)), () => neighbouringRow(group, Number(number), leaf)),
      });
    }
  }
  // In a field whose text has been changed, Ctrl+Z undoes the typing, as everywhere.
  const typing = path && event.target.value !== cellAt(state.open.sheet, path).text;
  if (!typing) actions["Ctrl+Z"] = undo;
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const action = actions[`${control ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${key}`];
  if (!action || event.isComposing) return;
  event.preventDefault();
  action();
}

async function acceptTyped(input, path) {
  const shown = state.open;
  await typed(path, input.value);
  if (state.open === shown && !input.hasAttribute("aria-invalid")) accept(path);
}

const neighbouringRow = (group, number, leaf) =>
  (state.open.sheet.rows[group].length ? `${group}.${Math.min(number, state.open.sheet.rows[group].length - 1)}.${leaf}` : null);

// --- dialogs ---------------------------------------------------------------------------------------------------------

function renderList() {
  byId("document-list").replaceChildren(...[...state.documents].sort(byCertainty).map((one) =>
    element("li", {}, element("button", { type: "button", class: "row", disabled: one.status === "failed", onclick: () => openFromList(one.id) },
      element("span", { class: "value" }, one.name),
      element("span", { class: "name" }, one.problem ?? translate(`status_${one.status}`)),
      element("span", { class: "level" }, one.status === "open" ? translate("to_check", { count: one.doubtful }) : "")))));
}

async function openFromList(id) {
  byId("documents").close();
  await open(id);
}

function renderKeys() {
  byId("key-list").replaceChildren(...KEYS.flatMap((key) => [
    element("dt", {}, element("kbd", {}, key)), element("dd", {}, translate(`key_${key.toLowerCase().replace("+", "_")}`)),
  ]));
}

// --- start -----------------------------------------------------------------------------------------------------------

function addListeners() {
  const on = (id, event, action) => byId(id).addEventListener(event, action);
  on("confirm", "click", confirm);
  on("skip", "click", skip);
  on("undo", "click", undo);
  on("previous", "click", goBack);
  on("kind", "change", (event) => setType(event.target.value));
  on("currency", "change", (event) => {
    remember();
    state.open.sheet.currency = /^[A-Z]{3}$/.test(event.target.value.trim().toUpperCase()) ? event.target.value.trim().toUpperCase() : null;
    event.target.value = state.open.sheet.currency ?? "";
    changed();
  });
  on("form", "submit", (event) => event.preventDefault());
  on("show-documents", "click", () => {
    renderList();
    byId("documents").showModal();
  });
  on("show-keys", "click", () => {
    renderKeys();
    byId("keys").showModal();
  });
  for (const button of document.querySelectorAll("dialog .close")) button.addEventListener("click", () => button.closest("dialog").close());
  window.addEventListener("keydown", onKey);
  window.addEventListener("beforeunload", (event) => {
    if (state.open?.dirty) {
      flush();
      event.preventDefault();
    }
  });
}

function renderAll() {
  if (state.open) render();
  refresh().catch(() => {});
}

async function start() {
  addListeners();
  await initLanguage(renderAll, "review/words");
  try {
    setTypes(await listTypes());
    await poll();
    const asked = state.documents.find((one) => `#${one.id}` === location.hash);
    await (asked ? open(asked.id) : openNext());
  } catch (refusal) {
    showProblem(refusal, () => location.reload());
  }
  document.body.classList.add("ready");
}

start();
