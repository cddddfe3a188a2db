/** Questions to the service this page came from, and its refusals as values that can be put into words. */

import { spoken } from "./words.js";

export const REVIEW_BELOW = 0.7; // what the service calls `low`
const TRIES = 5;
const KEY = "docextract.key"; // in the tab's own storage: gone when it is closed

let key = remembered();

/** The service said no, or nothing. `code` is the contract's, or "unreachable". */
export class Problem extends Error {
  constructor(code, { status = 0, detail = "", retryAfterS = null, requestId = "", errors = [] } = {}) {
    super(detail || code);
    Object.assign(this, { code, status, detail, retryAfterS, requestId, errors });
  }
}

/** The verdict on one small frame, a JPEG. */
export function validate(frame, signal) {
  return post("v1/validation", { body: frame, headers: { "Content-Type": "image/jpeg" }, signal });
}

/** The data on these files. lines: also ask for every line that was read, to draw a page that cannot be shown. */
export function extract(files, { group, kind, lines }, signal) {
  const form = new FormData();
  for (const file of files) form.append("images", file, file.name);
  for (const [name, value] of extractionOptions(group, kind)) form.append(name, value);
  if (lines) form.set("include", "polygons,raw");
  return post("v1/extraction", { body: form, signal });
}

/** The options as they are sent, those left out that have their usual value. */
export function extractionOptions(group, kind) {
  const options = [["include", "polygons"], ["min_confidence", String(REVIEW_BELOW)]];
  if (group !== "separate") options.push(["group", group]);
  if (kind !== "auto") options.push(["document_type", kind]);
  return options;
}

export const documentTypes = async () => (await get("v1/document-types")).document_types;

export const limits = () => get("v1/limits");

/** Ask again while the service says that this helps. waiting(seconds) is called before each pause. */
export async function patiently(ask, waiting, signal) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (problem) {
      if (!problem.retryAfterS || tries === TRIES) throw problem;
      await pause(problem.retryAfterS, waiting, signal);
    }
  }
}

async function pause(seconds, waiting, signal) {
  for (let left = seconds; left > 0; left -= 1) {
    waiting(left);
    await new Promise((done) => setTimeout(done, 1000));
    signal?.throwIfAborted();
  }
}

export const hasKey = () => key !== "";

/** Send this key from now on; "" sends none. */
export function useKey(given) {
  key = given;
  try {
    sessionStorage.setItem(KEY, given);
  } catch {} // storage may be forbidden; then the key lasts as long as the page
}

function remembered() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

const get = (path) => answered(path, {});

const post = (path, request) => answered(path, {
  ...request, method: "POST", headers: { ...request.headers, "Accept-Language": spoken() },
});

async function answered(path, request) {
  let response;
  try {
    response = await fetch(path, { ...request, headers: { ...request.headers, ...(key && { Authorization: `Bearer ${key}` }) } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("unreachable");
  }
  // A proxy in between may answer in words of its own.
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  throw new Problem(body?.code ?? "internal_error", {
    status: response.status,
    detail: body?.detail,
    retryAfterS: Number(response.headers.get("Retry-After")) || null,
    requestId: response.headers.get("X-Request-ID") ?? "",
    errors: body?.errors,
  });
}
