/** Uploaded files → pictures to draw on, upright; a file the browser cannot show is redrawn from what was read. */

import { drawn } from "./dom.js";

const LONGEST_PX = 2000; // of the copy that is shown; the file itself goes to the service as it is

/** A picture of this file, or null where the browser cannot show it (PDF, HEIC, TIFF). */
export async function pictureOf(file) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(file); // turns it as its EXIF mark says, like the service
  } catch {
    return null;
  }
  const scale = Math.min(1, LONGEST_PX / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const copy = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
  return { url: URL.createObjectURL(copy), width: canvas.width, height: canvas.height };
}

/** Let the browser forget it. */
export const release = (picture) => picture && URL.revokeObjectURL(picture.url);

/** What lies under the places: the picture, or the lines that were read, where they stand. */
export function ground(size, picture, lines) {
  if (picture) return [drawn("image", { href: picture.url, width: size.width, height: size.height })];
  return [drawn("rect", { class: "blank", width: size.width, height: size.height }), ...lines.map((line) => redrawn(line, size))];
}

function redrawn({ text, polygon }, size) {
  const [[left, top], [right, upper], , [foot, bottom]] = polygon.map(([x, y]) => [x * size.width, y * size.height]);
  const heightPx = Math.hypot(foot - left, bottom - top);
  const turn = (Math.atan2(upper - top, right - left) * 180) / Math.PI;
  return drawn("text", {
    class: "redrawn",
    transform: `translate(${foot} ${bottom}) rotate(${turn}) translate(0 ${-0.22 * heightPx})`,
    "font-size": 0.8 * heightPx,
    textLength: Math.hypot(right - left, upper - top),
    lengthAdjust: "spacingAndGlyphs",
  }, text);
}

/** A document's page with its places drawn on it: [{id, polygon, label, level}]. */
export function withPlaces(size, under, places, label) {
  return drawn("svg", { class: "picture", viewBox: `0 0 ${size.width} ${size.height}`, role: "group", "aria-label": label },
    under,
    places.map((place) => drawn("polygon", {
      class: `place-on-photo level-${place.level ?? "none"}`,
      points: pointsOf(place.polygon, size),
      role: "button",
      "aria-label": place.label,
      "data-place": place.id,
      tabindex: "-1",
    })));
}

/** The surroundings of a place, enlarged: as wide as `aspect` (width / height) says. */
export function enlarged(size, under, polygon, aspect) {
  const [xs, ys] = [0, 1].map((axis) => polygon.map((point) => point[axis] * (axis ? size.height : size.width)));
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const height = Math.max(1.8 * (bottom - top), (1.12 * (right - left)) / aspect);
  const width = height * aspect;
  const within = (start, length, whole) => Math.max(0, Math.min(start, whole - length));
  const box = [within((left + right - width) / 2, width, size.width), within((top + bottom - height) / 2, height, size.height), width, height];
  return drawn("svg", { viewBox: box.map((one) => one.toFixed(1)).join(" "), "aria-hidden": "true" },
    under, drawn("polygon", { points: pointsOf(polygon, size) }));
}

const pointsOf = (polygon, size) => polygon.map(([x, y]) => `${x * size.width},${y * size.height}`).join(" ");
