/** View of one document: its photo with the place of each value, the values, and the links between them. */

import { svgElement, element, rovingTabindex } from "./dom.js";
import { enlargedPlace, pageWithPlaces } from "./pictures.js";
import { percent, printedDiffers, formatValue, accessibleLabel, confidenceText } from "./values.js";
import { labelOf, translate } from "./words.js";

const SOURCE_CHECKS = new Set(["mrz_matches_printed", "embedded_invoice_matches_page"]); // a failed one lists the differing fields

/**
 * pages: by image, {name, size, under, tint}: `under` creates the background for each drawing; `tint` marks illegible places.
 * kinds: document types by name.
 */
export function documentView(answer, pages, kinds) {
  const places = new Places();
  const data = answer.type === "other" ? [unsupportedView(kinds), checks(answer.checks)] : values(answer, places, kinds.get(answer.type));
  const lens = element("div", { class: "lens", "aria-hidden": "true" });
  const photos = answer.images.map((image) => {
    const { name, size, under, tint } = pages[image];
    return pageWithPlaces(size, [...under(), ...tint], places.on(image), translate("photo_of_page", { page: name }));
  });
  const view = element("article", { class: "document", "aria-label": labelOf(answer.type) },
    heading(answer),
    element("div", { class: "body" },
      element("div", { class: "photos" }, element("div", { class: "scroll" }, photos), lens),
      element("div", { class: "data" }, data)));
  for (const photo of photos) rovingTabindex(photo, "[data-place]");
  for (const table of view.querySelectorAll("table")) rovingTabindex(table, "[data-place]");
  linkPlacesAndValues(view, lens, places, pages);
  return view;
}

/** The numbered places of all values. */
class Places {
  #all = [];

  /** Add the field's place and return its number; null if the place is unknown. */
  add(name, field) {
    if (!field.polygon) return null;
    return this.#all.push({ polygon: field.polygon, image: field.image, level: field.level, label: accessibleLabel(name, field) }) - 1;
  }

  at = (id) => this.#all[id];

  on = (image) => this.#all.map((place, id) => ({ ...place, id })).filter((place) => place.image === image);
}

function heading(answer) {
  const badge = answer.needs_review
    ? element("span", { class: "badge review" }, icon("look"), translate("needs_review"))
    : element("span", { class: "badge fine" }, icon("kept"), translate("looks_right"));
  const sure = answer.type === "other" ? null
    : element("span", { class: "about" }, translate("expected_right", { share: percent(answer.confidence) }));
  return element("header", {}, element("h2", {}, labelOf(answer.type)), badge, sure);
}

function unsupportedView(kinds) {
  const readable = [...kinds.values()].filter((kind) => kind.status === "trained").map((kind) => labelOf(kind.name));
  return element("p", { class: "stranger" }, translate("stranger", { kinds: readable.join(", ") }));
}

function values(answer, places, kind) {
  const fields = Object.entries(answer.fields);
  const single = fields.filter(([, field]) => !field.items);
  const lists = fields.filter(([, field]) => field.items);
  const differing = differingFields(answer.checks);
  return [
    single.length ? element("ul", { class: "fields" }, single.map(([name, field]) => fieldRow(name, field, places, differing))) : null,
    lists.map(([name, field]) => table(name, field.items, places)),
    checks(answer.checks),
    missing(answer.missing_fields, kind),
  ];
}

// --- fields ---------------------------------------------------------------------------------------------------------

function fieldRow(name, field, places, differing) {
  const lines = [
    element("span", { class: "name" }, labelOf(name)),
    element("span", { class: field.type === "mrz" ? "value zone" : "value" }, formatValue(field)),
    level(field),
    printedDiffers(field) ? element("span", { class: "printed" }, translate("printed", { text: field.content })) : null,
    field.type === "mrz" ? element("span", { class: "printed" }, translate(field.value.valid ? "zone_valid" : "zone_invalid")) : null,
  ];
  return element("li", { class: field.needs_review ? "field doubtful" : "field" },
    placeControl(name, field, places, "row", lines),
    field.sources ? sources(name, field, places, differing.has(name)) : null);
}

function level(field) {
  return element("span", { class: `level level-${field.level}` },
    element("span", { class: "how" }, element("i", { class: "dot", "aria-hidden": "true" }), confidenceText(field)),
    field.needs_review ? element("b", { class: "flag" }, translate("review")) : null);
}

/** A button if the value has a place, otherwise plain text. */
function placeControl(name, field, places, kind, content) {
  const id = places.add(labelOf(name), field);
  if (id === null) return element("div", { class: kind }, content);
  return element("button", { type: "button", class: kind, "data-place": id }, content);
}

/** The fields whose sources differ; the checks of the service ignore what is only written differently. */
const differingFields = (checks) =>
  new Set(checks.filter((check) => SOURCE_CHECKS.has(check.name) && !check.passed).flatMap((check) => check.fields));

/** The printed value, and that of the machine-readable zone or the electronic invoice. */
function sources(name, field, places, differ) {
  return element("div", { class: "sources" },
    Object.entries(field.sources).map(([source, one]) =>
      placeControl(name, one, places, "source", [
        element("span", { class: "name" }, labelOf(source)), element("span", {}, formatValue(one)),
      ])),
    element("span", { class: differ ? "differ" : "agree" }, icon(differ ? "look" : "kept"), translate(differ ? "sources_differ" : "sources_agree")));
}

// --- lists ----------------------------------------------------------------------------------------------------------

function table(name, rows, places) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.fields)))];
  const numeric = new Set(columns.filter((column) => rows.some(({ fields }) => ["currency", "number", "integer"].includes(fields[column]?.type))));
  const align = (column) => (numeric.has(column) ? "numeric" : null);
  return element("section", { class: "list" },
    element("h3", {}, labelOf(name), element("span", { class: "count" }, String(rows.length))),
    element("div", { class: "wide", role: "group", tabindex: "0", "aria-label": labelOf(name) },
      element("table", {},
        element("caption", { class: "unseen" }, labelOf(name)),
        element("thead", {}, element("tr", {}, columns.map((column) => element("th", { scope: "col", class: align(column) }, labelOf(column))))),
        element("tbody", {}, rows.map(({ fields }) =>
          element("tr", {}, columns.map((column) =>
            element("td", { class: align(column) }, fields[column] ? cell(column, fields[column], places) : null))))))));
}

function cell(name, field, places) {
  const sure = ["certain", "high"].includes(field.level);
  return placeControl(name, field, places, "cell", [
    element("span", { class: "value" }, field.type === "currency" ? amountOnly(field) : formatValue(field)),
    element("span", { class: `level level-${field.level}`, title: confidenceText(field) },
      element("i", { class: "dot", "aria-hidden": "true" }),
      element("span", { class: sure ? "unseen" : null }, field.needs_review ? translate("review") : labelOf(field.level))),
  ]);
}

// The totals above show the currency; it is not repeated in every table cell.
const amountOnly = (field) => formatValue({ ...field, value: { ...field.value, currency: null } });

// --- checks and missing fields ----------------------------------------------------------------------

function checks(all) {
  if (!all.length) return null;
  return element("section", { class: "checks" },
    element("h3", {}, translate("checks")),
    element("ul", {}, all.map((check) =>
      element("li", { class: check.passed ? "kept" : "broken" },
        icon(check.passed ? "kept" : "broken"),
        labelOf(check.name),
        !check.passed && check.name.startsWith("embedded_invoice") ? `: ${check.fields.map(labelOf).join(", ")}` : "",
        element("span", { class: check.passed ? "unseen" : "flag" }, translate(check.passed ? "check_kept" : "check_broken"))))));
}

function missing(names, kind) {
  if (!names.length) return null;
  const required = new Set(kind?.required);
  const inOrder = [...names].sort((one, other) => required.has(other) - required.has(one));
  return element("section", { class: "missing" },
    element("h3", {}, translate("missing")),
    element("ul", {}, inOrder.map((name) =>
      element("li", { class: required.has(name) ? "expected" : null },
        labelOf(name), required.has(name) ? element("b", {}, translate("expected")) : null))));
}

const ICON_PATHS = {
  kept: "M3.5 8.500l3 3 6-7",
  broken: "M4 4l8 8M12 4l-8 8",
  look: "M8 3.500v5.500M8 12v.200",
};

function icon(name) {
  return svgElement("svg", { class: `sign ${name}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, svgElement("path", { d: ICON_PATHS[name] }));
}

// --- links between places and values ---------------------------------------------------------------------------------------------------------

/** Mark all elements of the place under the pointer or with the focus, and show the place enlarged. */
function linkPlacesAndValues(view, lens, places, pages) {
  let marked = null;
  const idOf = (node) => node?.closest?.("[data-place]")?.dataset.place ?? null;
  const all = (id) => view.querySelectorAll(`[data-place="${id}"]`);

  function mark(id) {
    if (id === marked) return;
    if (marked !== null) all(marked).forEach((one) => one.classList.remove("marked"));
    marked = id;
    lens.replaceChildren();
    lens.classList.toggle("filled", id !== null);
    if (id === null) return;
    all(id).forEach((one) => one.classList.add("marked"));
    const { polygon, image } = places.at(id);
    const { size, under } = pages[image];
    lens.classList.toggle("above", isLow(view.querySelector(`svg [data-place="${id}"]`)));
    lens.append(enlargedPlace(size, under(), polygon, lens.clientWidth / lens.clientHeight));
  }

  const focused = () => idOf(view.contains(document.activeElement) ? document.activeElement : null);
  view.addEventListener("pointerover", (event) => mark(idOf(event.target) ?? focused()));
  view.addEventListener("pointerleave", () => mark(focused()));
  view.addEventListener("focusin", (event) => {
    const id = idOf(event.target);
    mark(id);
    if (id !== null) for (const one of all(id)) if (one !== event.target) scrollPhotoTo(one);
  });
  view.addEventListener("focusout", (event) => mark(idOf(event.relatedTarget)));

  const focusCounterpart = (target) => {
    const id = idOf(target);
    const other = id === null ? undefined : [...all(id)].find((one) => one.closest("svg") ? !target.closest("svg") : target.closest("svg"));
    other?.focus();
  };
  view.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && idOf(event.target) !== null) {
      event.preventDefault();
      focusCounterpart(event.target);
    }
  });
  view.addEventListener("click", (event) => {
    if (event.detail && event.target.closest(".place-on-photo")) focusCounterpart(event.target);
  });
}

/** True if the place is in the lower half of the visible photos: then the lens moves to the top. */
function isLow(onPhoto) {
  const [inner, outer] = [onPhoto.getBoundingClientRect(), onPhoto.closest(".scroll").getBoundingClientRect()];
  return inner.top + inner.bottom > outer.top + outer.bottom;
}

/** Scroll the photos so that the place is in view; the page itself stays where it is. */
function scrollPhotoTo(one) {
  const scroll = one.closest(".scroll");
  if (!scroll) return;
  const [inner, outer] = [one.getBoundingClientRect(), scroll.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) scroll.scrollTop += inner.top - outer.top - outer.height / 3;
}
