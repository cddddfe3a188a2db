/** One document of the answer: its photo with a place for each value, the values, and how the two point at each other. */

import { drawn, element, roving } from "./dom.js";
import { enlarged, withPlaces } from "./pictures.js";
import { percent, printedOtherwise, shown, spelledOut, sureness } from "./values.js";
import { nameOf, say } from "./words.js";

/**
 * pages: by image, {size, under}: `under` makes what lies beneath the places, anew for each drawing.
 * kinds: document types by name, as far as they are known.
 */
export function documentView(answer, pages, kinds) {
  const places = new Places();
  const data = answer.type === "other" ? stranger(kinds) : values(answer, places, kinds.get(answer.type));
  const lens = element("div", { class: "lens", "aria-hidden": "true" });
  const photos = answer.images.map((image) => {
    const { size, under } = pages[image];
    return withPlaces(size, under(), places.on(image), say("photo_of_page", { number: image + 1 }));
  });
  const view = element("article", { class: "document", "aria-label": nameOf(answer.type) },
    heading(answer),
    element("div", { class: "body" },
      element("div", { class: "photos" }, element("div", { class: "scroll" }, photos), lens),
      element("div", { class: "data" }, data)));
  for (const photo of photos) roving(photo, "[data-place]");
  for (const table of view.querySelectorAll("table")) roving(table, "[data-place]");
  pointAtEachOther(view, lens, places, pages);
  return view;
}

/** Everything that stands somewhere, numbered. */
class Places {
  #all = [];

  /** The number of this field's place; null where it is not known. */
  add(name, field) {
    if (!field.polygon) return null;
    return this.#all.push({ polygon: field.polygon, image: field.image, level: field.level, label: spelledOut(name, field) }) - 1;
  }

  at = (id) => this.#all[id];

  on = (image) => this.#all.map((place, id) => ({ ...place, id })).filter((place) => place.image === image);
}

function heading(answer) {
  const badge = answer.needs_review
    ? element("span", { class: "badge review" }, sign("look"), say("needs_review"))
    : element("span", { class: "badge fine" }, sign("kept"), say("looks_right"));
  const sure = answer.type === "other" ? null
    : element("span", { class: "about" }, say("expected_right", { share: percent(answer.confidence) }));
  return element("header", {}, element("h2", {}, nameOf(answer.type)), badge, sure);
}

function stranger(kinds) {
  const readable = [...kinds.values()].filter((kind) => kind.status === "trained").map((kind) => nameOf(kind.name));
  return element("p", { class: "stranger" }, say("stranger", { kinds: readable.join(", ") }));
}

function values(answer, places, kind) {
  const fields = Object.entries(answer.fields);
  const single = fields.filter(([, field]) => !field.items);
  const lists = fields.filter(([, field]) => field.items);
  return [
    single.length ? element("ul", { class: "fields" }, single.map(([name, field]) => fieldRow(name, field, places))) : null,
    lists.map(([name, field]) => table(name, field.items, places)),
    checks(answer.checks),
    missing(answer.missing_fields, kind),
  ];
}

// --- fields ---------------------------------------------------------------------------------------------------------

function fieldRow(name, field, places) {
  const lines = [
    element("span", { class: "name" }, nameOf(name)),
    element("span", { class: field.type === "mrz" ? "value zone" : "value" }, shown(field)),
    level(field),
    printedOtherwise(field) ? element("span", { class: "printed" }, say("printed", { text: field.content })) : null,
    field.type === "mrz" ? element("span", { class: "printed" }, say(field.value.valid ? "zone_valid" : "zone_invalid")) : null,
  ];
  return element("li", { class: field.needs_review ? "field doubtful" : "field" },
    pointer(name, field, places, "row", lines),
    field.sources ? sources(name, field, places) : null);
}

function level(field) {
  return element("span", { class: `level level-${field.level}` },
    element("span", { class: "how" }, element("i", { class: "dot", "aria-hidden": "true" }), sureness(field)),
    field.needs_review ? element("b", { class: "flag" }, say("review")) : null);
}

/** A control where the value has a place to point at, else plain text. */
function pointer(name, field, places, kind, content) {
  const id = places.add(nameOf(name), field);
  if (id === null) return element("div", { class: kind }, content);
  return element("button", { type: "button", class: kind, "data-place": id }, content);
}

/** What the print and the machine-readable zone say, each by itself. */
function sources(name, field, places) {
  const agree = new Set(Object.values(field.sources).map((one) => JSON.stringify(one.value))).size === 1;
  return element("div", { class: "sources" },
    Object.entries(field.sources).map(([source, one]) =>
      pointer(name, one, places, "source", [
        element("span", { class: "name" }, nameOf(source)), element("span", {}, shown(one)),
      ])),
    element("span", { class: agree ? "agree" : "differ" }, sign(agree ? "kept" : "look"), say(agree ? "sources_agree" : "sources_differ")));
}

// --- lists ----------------------------------------------------------------------------------------------------------

function table(name, rows, places) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.fields)))];
  const numeric = new Set(columns.filter((column) => rows.some(({ fields }) => ["currency", "number", "integer"].includes(fields[column]?.type))));
  const align = (column) => (numeric.has(column) ? "numeric" : null);
  return element("section", { class: "list" },
    element("h3", {}, nameOf(name), element("span", { class: "count" }, String(rows.length))),
    element("div", { class: "wide" },
      element("table", {},
        element("caption", { class: "unseen" }, nameOf(name)),
        element("thead", {}, element("tr", {}, columns.map((column) => element("th", { scope: "col", class: align(column) }, nameOf(column))))),
        element("tbody", {}, rows.map(({ fields }) =>
          element("tr", {}, columns.map((column) =>
            element("td", { class: align(column) }, fields[column] ? cell(column, fields[column], places) : null))))))));
}

function cell(name, field, places) {
  const sure = ["certain", "high"].includes(field.level);
  return pointer(name, field, places, "cell", [
    element("span", { class: "value" }, field.type === "currency" ? bareMoney(field) : shown(field)),
    element("span", { class: `level level-${field.level}`, title: sureness(field) },
      element("i", { class: "dot", "aria-hidden": "true" }),
      element("span", { class: sure ? "unseen" : null }, field.needs_review ? say("review") : nameOf(field.level))),
  ]);
}

// In a table the currency would stand in every cell; the totals above have it.
const bareMoney = (field) => shown({ ...field, value: { ...field.value, currency: null } });

// --- what does not add up, and what is not there ----------------------------------------------------------------------

function checks(all) {
  if (!all.length) return null;
  return element("section", { class: "checks" },
    element("h3", {}, say("checks")),
    element("ul", {}, all.map((check) =>
      element("li", { class: check.passed ? "kept" : "broken" },
        sign(check.passed ? "kept" : "broken"),
        nameOf(check.name),
        element("span", { class: check.passed ? "unseen" : "flag" }, say(check.passed ? "check_kept" : "check_broken"))))));
}

function missing(names, kind) {
  if (!names.length) return null;
  const required = new Set(kind?.required);
  const inOrder = [...names].sort((one, other) => required.has(other) - required.has(one));
  return element("section", { class: "missing" },
    element("h3", {}, say("missing")),
    element("ul", {}, inOrder.map((name) =>
      element("li", { class: required.has(name) ? "expected" : null },
        nameOf(name), required.has(name) ? element("b", {}, say("expected")) : null))));
}

const SIGNS = {
  kept: "M3.5 8.500l3 3 6-7",
  broken: "M4 4l8 8M12 4l-8 8",
  look: "M8 3.500v5.500M8 12v.200",
};

function sign(name) {
  return drawn("svg", { class: `sign ${name}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, drawn("path", { d: SIGNS[name] }));
}

// --- pointing ---------------------------------------------------------------------------------------------------------

/** Whatever is under the pointer or has the focus marks all that stands for the same place, and is shown enlarged. */
function pointAtEachOther(view, lens, places, pages) {
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
    lens.append(enlarged(size, under(), polygon, lens.clientWidth / lens.clientHeight));
  }

  const focused = () => idOf(view.contains(document.activeElement) ? document.activeElement : null);
  view.addEventListener("pointerover", (event) => mark(idOf(event.target) ?? focused()));
  view.addEventListener("pointerleave", () => mark(focused()));
  view.addEventListener("focusin", (event) => {
    const id = idOf(event.target);
    mark(id);
    if (id !== null) for (const one of all(id)) if (one !== event.target) nudge(one);
  });
  view.addEventListener("focusout", (event) => mark(idOf(event.relatedTarget)));

  const toTheOther = (target) => {
    const id = idOf(target);
    const other = id === null ? undefined : [...all(id)].find((one) => one.closest("svg") ? !target.closest("svg") : target.closest("svg"));
    other?.focus();
  };
  view.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && idOf(event.target) !== null) {
      event.preventDefault();
      toTheOther(event.target);
    }
  });
  view.addEventListener("click", (event) => {
    if (event.detail && event.target.closest(".place-on-photo")) toTheOther(event.target);
  });
}

/** Whether it lies in the lower half of what is seen of the photos: the lens then has to make way. */
function isLow(onPhoto) {
  const [inner, outer] = [onPhoto.getBoundingClientRect(), onPhoto.closest(".scroll").getBoundingClientRect()];
  return inner.top + inner.bottom > outer.top + outer.bottom;
}

/** Scroll the photos so that the place is in view; the page itself stays where it is. */
function nudge(one) {
  const scroll = one.closest(".scroll");
  if (!scroll) return;
  const [inner, outer] = [one.getBoundingClientRect(), scroll.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) scroll.scrollTop += inner.top - outer.top - outer.height / 3;
}
