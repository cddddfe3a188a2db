/** An answer for other programs: JSON, CSV (the columns of `docextract extract --csv`), and the request as curl. */

import { extractionOptions, hasKey } from "./ask.js";

// A spreadsheet takes a text that begins like this for a formula, and what is printed on a stranger's paper should not
// be one. Numbers and telephone numbers are left alone.
const FORMULA = /^(?:[=@\t\r]|[+-](?![\d\s().,/-]*$))/;

export const asJson = (answer) => JSON.stringify(answer, null, 2);

/** One row for each document; lists as JSON. */
export function asCsv(answer, files) {
  const rows = answer.documents.map((document) => row(document, files(document)));
  const columns = [...new Set(rows.flatMap(Object.keys))];
  return [columns, ...rows.map((cells) => columns.map((column) => harmless(cells[column] ?? "")))]
    .map((line) => line.map(quoted).join(",")).join("\n") + "\n";
}

function row(document, file) {
  const fields = Object.entries(document.fields).map(([name, field]) => [name, cell(field)]);
  return {
    file,
    pages: document.images.map((image) => image + 1).join(" "),
    type: document.type,
    confidence: String(document.confidence),
    needs_review: String(document.needs_review),
    failed_checks: document.checks.filter((check) => !check.passed).map((check) => check.name).join(" "),
    currency: currencies(document.fields)[0] ?? "",
    ...Object.fromEntries(fields),
  };
}

function currencies(fields) {
  return Object.values(fields).flatMap((field) =>
    field.value?.currency ?? (field.items ?? []).flatMap((item) => currencies(item.fields)));
}

function cell(field) {
  const value = plain(field);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function plain(field) {
  if (field.items) return field.items.map((item) => mapped(item.fields));
  return field.value?.amount ?? field.value;
}

const mapped = (fields) => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, plain(field)]));

const harmless = (text) => (FORMULA.test(text) ? `'${text}` : text);

const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The command that asks the same. The files are named as they were here. */
export function asCurl(names, group, kind) {
  const parts = [...names.map((name) => ["images", `@${asFileName(name)}`]), ...extractionOptions(group, kind).map(([name, value]) => [name, value])];
  const options = parts.map(([name, value]) => `  -F ${inQuotes(`${name}=${value}`)}`);
  const key = hasKey() ? ['  -H "Authorization: Bearer $DOCEXTRACT_API_KEY"'] : []; // never the key itself
  return ["curl", ...key, ...options, `  ${inQuotes(new URL("v1/extraction", document.baseURI).href)}`].join(" \\\n") + "\n";
}

// curl takes a semicolon for the beginning of an option and a comma for the next file, unless the name is quoted.
const asFileName = (name) => (/[;,"]/.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name);

const inQuotes = (text) => (/^[\w@.,:/=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
