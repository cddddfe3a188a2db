/** Requests to the API of the service that delivered this page; errors become Problem objects. */

import { currentLanguage } from "./words.js";

export const REVIEW_BELOW = 0.7; // upper limit of the confidence level `low`
const MAX_ATTEMPTS = 5;
const KEY_STORAGE = "docextract.key"; // in session storage: deleted when the tab is closed

let key = storedKey();

/** An error of the service, or no answer. `code` is a code of the API, or "unreachable". */
export class Problem extends Error {
  constructor(code, { status = 0, detail = "", retryAfterS = null, requestId = "", errors = [] } = {}) {
    super(detail || code);
    Object.assign(this, { code, status, detail, retryAfterS, requestId, errors });
  }
}

/** Request the verdict on one live frame, a JPEG. */
export function validate(frame, signal) {
  return post("v1/validation?include=legibility", { body: frame, headers: { "Content-Type": "image/jpeg" }, signal });
}

/**
 * Request the data of files. pages: those to read of each file, "" for all. drawn: also request the drawn pages and all
 * text lines, to show pages that the browser cannot show.
 */
export function extract(files, { group, kind, pages, drawn }, signal) {
  const form = new FormData();
  for (const file of files) form.append("images", file, file.name);
  for (const [name, value] of extractionOptions(group, kind, pages)) form.append(name, value);
  form.set("include", drawn ? "polygons,legibility,crops,lines" : "polygons,legibility");
  return post("v1/extraction", { body: form, signal });
}

/** The options as form fields, without those that have their default. */
export function extractionOptions(group, kind, pages = "") {
  const options = [["include", "polygons"], ["min_confidence", String(REVIEW_BELOW)]];
  if (group !== "file") options.push(["group", group]);
  if (pages) options.push(["pages", pages]);
  if (kind !== "auto") options.push(["document_type", kind]);
  return options;
}

export const documentTypes = async () => (await get("v1/document-types")).document_types;

export const limits = () => get("v1/limits");

/** Retry while the service sends Retry-After. onWait(seconds) is called every second of a pause. */
export async function withRetries(sendRequest, onWait, signal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendRequest();
    } catch (problem) {
      if (!problem.retryAfterS || attempt === MAX_ATTEMPTS) throw problem;
      await pause(problem.retryAfterS, onWait, signal);
    }
  }
}

async function pause(seconds, onWait, signal) {
  for (let left = seconds; left > 0; left -= 1) {
    onWait(left);
    await new Promise((done) => setTimeout(done, 1000));
    signal?.throwIfAborted();
  }
}

export const hasKey = () => key !== "";

/** Send this key with all further requests; "" sends none. */
export function useKey(given) {
  key = given;
  try {
    sessionStorage.setItem(KEY_STORAGE, given);
  } catch {} // storage may be blocked; then the key lasts until the page is closed
}

function storedKey() {
  try {
    return sessionStorage.getItem(KEY_STORAGE) ?? "";
  } catch {
    return "";
  }
}

const get = (path) => requestJson(path, {});

const post = (path, request) => requestJson(path, {
  ...request, method: "POST", headers: { ...request.headers, "Accept-Language": currentLanguage() },
});

async function requestJson(path, request) {
  let response;
  try {
    response = await fetch(path, { ...request, headers: { ...request.headers, ...(key && { Authorization: `Bearer ${key}` }) } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("unreachable");
  }
  // A proxy may answer with something other than JSON.
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
