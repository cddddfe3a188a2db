/** Upright pictures of uploaded files; a file that the browser cannot show is drawn from its text lines. */

import { svgElement } from "./dom.js";

const MAX_SIDE_PX = 2000; // of the displayed copy; the service gets the original file

/** A picture of the file, or null if the browser cannot show it (PDF, HEIC, TIFF). */
export async function pictureOf(file) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(file); // applies the EXIF orientation, like the service
  } catch {
    return null;
  }
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  context.fillStyle = "white"; // below transparent pictures, as in the service
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const copy = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
  return { url: URL.createObjectURL(copy), width: canvas.width, height: canvas.height };
}

/** A picture of base64 text. */
export async function pictureOfBytes(base64, mediaType) {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const blob = new Blob([bytes], { type: mediaType });
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  bitmap.close();
  return { url: URL.createObjectURL(blob), width, height };
}

/** Free the memory of a picture. */
export const releasePicture = (picture) => picture && URL.revokeObjectURL(picture.url);

/** Background of the places: the picture, or the text lines at their places. */
export function pageBackground(size, picture, lines) {
  if (picture) return [svgElement("image", { href: picture.url, width: size.width, height: size.height })];
  return [svgElement("rect", { class: "blank", width: size.width, height: size.height }), ...lines.map((line) => textLine(line, size))];
}

function textLine({ text, polygon }, size) {
  const [[left, top], [right, upper], , [foot, bottom]] = polygon.map(([x, y]) => [x * size.width, y * size.height]);
  const heightPx = Math.hypot(foot - left, bottom - top);
  const turn = (Math.atan2(upper - top, right - left) * 180) / Math.PI;
  return svgElement("text", {
    class: "redrawn",
    transform: `translate(${foot} ${bottom}) rotate(${turn}) translate(0 ${-0.22 * heightPx})`,
    "font-size": 0.8 * heightPx,
    textLength: Math.hypot(right - left, upper - top),
    lengthAdjust: "spacingAndGlyphs",
  }, text);
}

/** SVG of a page with its places: [{id, polygon, label, level}]. */
export function pageWithPlaces(size, under, places, label) {
  return svgElement("svg", { class: "picture", viewBox: `0 0 ${size.width} ${size.height}`, role: "group", "aria-label": label },
    under,
    places.map((place) => svgElement("polygon", {
      class: `place-on-photo level-${place.level ?? "none"}`,
      points: pointsOf(place.polygon, size),
      role: "button",
      "aria-label": place.label,
      "data-place": place.id,
      tabindex: "-1",
    })));
}

const LEGIBLE_FROM = 0.7; // of a cell of the legibility map; below it, the picture is tinted

/** Tint of the document where its print is hard to read. legibility: of an image of the answer; outline: of its document. */
export function legibilityTint(legibility, outline, size) {
  if (!legibility || !outline) return [];
  const { rows, columns, cells } = legibility;
  const side = Math.max(size.width, size.height) / Math.max(rows, columns);
  const points = outline.map(([x, y]) => [x * size.width, y * size.height]);
  return cells.flatMap((row, down) => row.flatMap((value, along) => {
    const [x, y] = [along * side, down * side];
    if (value >= LEGIBLE_FROM || !isInside(x + side / 2, y + side / 2, points)) return [];
    return svgElement("rect", { class: "illegible", x, y, width: Math.min(side, size.width - x), height: Math.min(side, size.height - y), "fill-opacity": (0.6 * (1 - value / LEGIBLE_FROM)).toFixed(2) });
  }));
}

/** Whether a point is inside an outline: a ray from it crosses the sides an odd number of times. */
const isInside = (x, y, points) => points.filter(([x1, y1], at) => {
  const [x2, y2] = points[(at + 1) % points.length];
  return (y1 > y) !== (y2 > y) && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
}).length % 2 === 1;

/** Enlarged view of a place and its surroundings; aspect: width / height. */
export function enlargedPlace(size, under, polygon, aspect) {
  const [xs, ys] = [0, 1].map((axis) => polygon.map((point) => point[axis] * (axis ? size.height : size.width)));
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const height = Math.max(1.8 * (bottom - top), (1.12 * (right - left)) / aspect);
  const width = height * aspect;
  const within = (start, length, whole) => Math.max(0, Math.min(start, whole - length));
  const box = [within((left + right - width) / 2, width, size.width), within((top + bottom - height) / 2, height, size.height), width, height];
  return svgElement("svg", { viewBox: box.map((one) => one.toFixed(1)).join(" "), "aria-hidden": "true" },
    under, svgElement("polygon", { points: pointsOf(polygon, size) }));
}

const pointsOf = (polygon, size) => polygon.map(([x, y]) => `${x * size.width},${y * size.height}`).join(" ");
