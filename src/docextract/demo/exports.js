/** Exports an answer as JSON or CSV (with the columns of `docextract extract --csv`), and the request as a curl command. */

import { extractionOptions, hasKey } from "./ask.js";

// A spreadsheet executes text that begins like this as a formula, which untrusted documents must not cause. Numbers and
// telephone numbers are left unchanged.
const FORMULA_START = /^(?:[=@\t\r]|[+-](?![\d\s().,/-]*$))/;

// Columns of every row. A document type may have fields of these names, whose columns have a prefix.
const SHARED_COLUMNS = new Set(["file", "pages", "type", "confidence", "needs_review", "review_reasons", "currency", "error"]);

/** The answer without what the page requests for its own display, as `asCurl` requests it. */
export function asJson(answer) {
  const documents = answer.documents.map(({ crops, lines, ...rest }) => rest);
  return JSON.stringify({ ...answer, documents }, (name, value) => (name === "legibility" ? undefined : value), 2);
}

/** CSV with one row per document; tables are JSON. names: of the uploaded files. */
export function asCsv(answer, names) {
  const rows = answer.documents.map((document) => row(document, names[document.uploads[0]], pageNumbers(document, answer)));
  const columns = [...new Set(rows.flatMap(Object.keys))];
  return [columns, ...rows.map((cells) => columns.map((column) => escapeFormula(cells[column] ?? "")))]
    .map((line) => line.map(quoteCsv).join(",")).join("\n") + "\n";
}

/** The number of each page in its file; those of several files are counted through. */
function pageNumbers(document, { images }) {
  const severalFiles = new Set(document.images.map((image) => images[image].upload)).size > 1;
  return document.images.map((image) => (severalFiles ? image + 1 : images[image].page));
}

function row(document, file, pages) {
  const fields = Object.entries(document.fields).map(([name, field]) => [fieldColumn(name), cell(field)]);
  return {
    file,
    pages: pages.join(" "),
    type: document.type,
    confidence: String(document.confidence),
    needs_review: String(document.needs_review),
    review_reasons: document.review_reasons.join(" "),
    currency: currencies(document.fields)[0] ?? "",
    ...Object.fromEntries(fields),
  };
}

const fieldColumn = (name) => (SHARED_COLUMNS.has(name) ? `fields.${name}` : name);

function currencies(fields) {
  return Object.values(fields).flatMap((field) =>
    field.value?.currency ?? (field.items ?? []).flatMap((item) => currencies(item.fields)));
}

function cell(field) {
  const value = plainValue(field);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function plainValue(field) {
  if (field.items) return field.items.map((item) => plainValues(item.fields));
  return field.value?.amount ?? field.value;
}

const plainValues = (fields) => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, plainValue(field)]));

const escapeFormula = (text) => (FORMULA_START.test(text) ? `'${text}` : text);

const quoteCsv = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The curl command for the same request, with the same file names. */
export function asCurl(names, group, kind, pages) {
  const parts = [...names.map((name) => ["images", `@${quoteFileName(name)}`]), ...extractionOptions(group, kind, pages).map(([name, value]) => [name, value])];
  const options = parts.map(([name, value]) => `  -F ${quoteShell(`${name}=${value}`)}`);
  const key = hasKey() ? ['  -H "Authorization: Bearer $DOCEXTRACT_API_KEY"'] : []; // never the key itself
  return ["curl", ...key, ...options, `  ${quoteShell(new URL("v1/extraction", document.baseURI).href)}`].join(" \\\n") + "\n";
}

// In curl, a semicolon starts an option and a comma separates files, unless the name is quoted.
const quoteFileName = (name) => (/[;,"]/.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name);

const quoteShell = (text) => (/^[\w@.,:/=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
