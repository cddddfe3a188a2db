/** The pages of a document: the places of its values, and print that can be pointed at or drawn around. */

import { svgElement } from "../demo/dom.js";
import { translate } from "../demo/words.js";
import { pictureAddress } from "./api.js";

const MIN_DRAG_PX = 5; // shorter movements are clicks

/**
 * Views of all pages. document: as the server sends it.
 * take(picked): words were chosen: {text, image, polygons}. draw(image, box): a box was drawn. leave(): Escape.
 */
export function pagesView(document, { take, draw, leave }) {
  const pages = document.pages.map((size, image) => pageView(document, size, image, { take, draw, leave }));
  return {
    nodes: pages.map((page) => page.node),
    /** Show the places of all values; active: the path of one of them. */
    showPlaces: (places, active) => pages.forEach((page, image) => page.showPlaces(places.filter((place) => place.image === image), active)),
    /** Let the user choose words by keyboard, starting near a polygon. */
    pick: (image, polygon) => (pages[image ?? 0] ?? pages[0])?.pick(polygon),
  };
}

const pointsOf = (polygon, size) => polygon.map(([x, y]) => `${x * size.width},${y * size.height}`).join(" ");
const middle = (polygon) => [0, 1].map((axis) => polygon.reduce((sum, point) => sum + point[axis], 0) / polygon.length);

function pageView(document, size, image, { take, draw, leave }) {
  const words = document.words.filter((word) => word.image === image).map((word) => ({ ...word, middle: middle(word.polygon) }));
  const shapes = words.map((word, at) => svgElement("polygon", {
    class: "word", id: `word-${image}-${at}`, points: pointsOf(word.polygon, size), role: "option", "aria-label": word.text, "aria-selected": "false",
  }));
  const layer = svgElement("g", { class: "words", role: "listbox", "aria-multiselectable": "true", tabindex: "-1", "aria-label": translate("print_on_page", { number: image + 1 }) }, shapes);
  const places = svgElement("g", { "aria-hidden": "true" });
  const box = svgElement("rect", { class: "drawn", hidden: true });
  const node = svgElement("svg", { class: "picture", viewBox: `0 0 ${size.width} ${size.height}`, role: "group", "aria-label": translate("photo_of_page", { page: translate("page_number", { number: image + 1 }) }) },
    svgElement("image", { href: pictureAddress(document, image), width: size.width, height: size.height }), places, words.length ? layer : null, box);
  const range = { from: 0, to: 0 };

  function chosen() {
    const [first, last] = [Math.min(range.from, range.to), Math.max(range.from, range.to)];
    return words.slice(first, last + 1);
  }

  function mark() {
    const marked = new Set(chosen());
    shapes.forEach((shape, at) => shape.setAttribute("aria-selected", String(marked.has(words[at]))));
    layer.setAttribute("aria-activedescendant", shapes[range.to].id);
    shapes[range.to].scrollIntoView({ block: "nearest" });
  }

  const takeChosen = () => take({ text: chosen().map((word) => word.text).join(" "), image, polygons: chosen().map((word) => word.polygon) });

  layer.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leave();
    else if (event.key === "Enter") takeChosen();
    else {
      const to = neighbour(words, range.to, event.key);
      if (to === null) return;
      range.to = to;
      if (!event.shiftKey) range.from = to;
      mark();
    }
    event.preventDefault();
    event.stopPropagation();
  });
  layer.addEventListener("blur", () => shapes.forEach((shape) => shape.setAttribute("aria-selected", "false")));

  drawable(node, size, box, (from, to, event) => {
    if (to) return draw(image, [Math.min(from[0], to[0]), Math.min(from[1], to[1]), Math.max(from[0], to[0]), Math.max(from[1], to[1])]);
    const at = shapes.indexOf(event.target);
    if (at < 0) return undefined;
    range.to = at;
    if (!event.shiftKey) range.from = at;
    return takeChosen();
  });

  return {
    node,
    showPlaces(all, active) {
      places.replaceChildren(...all.flatMap((place) => place.polygons.map((polygon) => svgElement("polygon", {
        class: `place-on-photo level-${place.level}${place.path === active ? " marked" : ""}`, points: pointsOf(polygon, size),
      }))));
      const marked = places.querySelector(".marked");
      if (marked) scrollInto(marked);
    },
    pick(polygon) {
      if (!words.length) return false;
      const [x, y] = polygon ? middle(polygon) : [0, 0];
      const distance = (word) => Math.hypot(word.middle[0] - x, word.middle[1] - y);
      range.from = range.to = polygon ? words.indexOf(words.reduce((best, word) => (distance(word) < distance(best) ? word : best))) : 0;
      layer.focus();
      mark();
      return true;
    },
  };
}

/** Scroll the pages, not the window, so that a place is in view. */
function scrollInto(shape) {
  const scroll = shape.closest(".scroll");
  const [inner, outer] = [shape.getBoundingClientRect(), scroll.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) scroll.scrollTop += inner.top - outer.top - outer.height / 3;
}

/** The word that an arrow key leads to; null for other keys. Up and down lead to the nearest word of another line. */
function neighbour(words, at, key) {
  if (key === "ArrowRight") return Math.min(at + 1, words.length - 1);
  if (key === "ArrowLeft") return Math.max(at - 1, 0);
  if (key === "Home") return 0;
  if (key === "End") return words.length - 1;
  if (key !== "ArrowDown" && key !== "ArrowUp") return null;
  const [x, y] = words[at].middle;
  const height = Math.abs(words[at].polygon[3][1] - words[at].polygon[0][1]) || 0.01;
  const beyond = (word) => (key === "ArrowDown" ? word.middle[1] - y : y - word.middle[1]) > height / 2;
  const cost = (word) => 3 * Math.abs(word.middle[1] - y) + Math.abs(word.middle[0] - x);
  const others = words.filter(beyond);
  return others.length ? words.indexOf(others.reduce((best, word) => (cost(word) < cost(best) ? word : best))) : at;
}

/** Let the user click or draw a box on a picture. done(from, to, event): relative to the page; `to` is null after a click. */
function drawable(node, size, box, done) {
  let start = null;
  const position = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(node.getScreenCTM().inverse());
    return [point.x / size.width, point.y / size.height].map((share) => Math.max(0, Math.min(1, share)));
  };
  const isDrag = (event) => Math.hypot(event.clientX - start.event.clientX, event.clientY - start.event.clientY) >= MIN_DRAG_PX;
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault(); // the focus stays in the field that is filled in
    start = { event, at: position(event) };
    node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", (event) => {
    if (!start || !isDrag(event)) return;
    const [[left, top], [right, bottom]] = [start.at, position(event)];
    box.removeAttribute("hidden");
    for (const [name, value] of Object.entries({
      x: Math.min(left, right) * size.width, y: Math.min(top, bottom) * size.height,
      width: Math.abs(right - left) * size.width, height: Math.abs(bottom - top) * size.height,
    })) box.setAttribute(name, value);
  });
  node.addEventListener("pointerup", (event) => {
    if (!start) return;
    const begun = start;
    box.setAttribute("hidden", "");
    if (isDrag(event)) done(begun.at, position(event), event);
    else done(begun.at, null, begun.event);
    start = null;
  });
  node.addEventListener("pointercancel", () => {
    start = null;
    box.setAttribute("hidden", "");
  });
}
