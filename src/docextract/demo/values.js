/** Typed values of the contract → what people read, in the language of the page. */

import { nameOf, region, say } from "./words.js";

/** A value in one line. */
export function shown(field) {
  const { type, value } = field;
  if (type === "date") return formattedDate(value);
  if (type === "time") return value.replace(/:00$/, "");
  if (type === "currency") return money(value);
  if (type === "number" || type === "integer") return new Intl.NumberFormat(region(), { maximumFractionDigits: 6 }).format(value);
  if (type === "mrz") return value.lines.join("\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function formattedDate(day) {
  const moment = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(moment.getTime())) return day;
  return new Intl.DateTimeFormat(region(), { dateStyle: "long", timeZone: "UTC" }).format(moment);
}

function money({ amount, currency }) {
  const style = currency ? { style: "currency", currency, currencyDisplay: "code" } : { minimumFractionDigits: 2 };
  try {
    return new Intl.NumberFormat(region(), style).format(amount);
  } catch {
    return [amount, currency].filter(Boolean).join(" ");
  }
}

/** Whether what is printed says more than the value does. */
export const printedOtherwise = (field) => Boolean(field.content) && !["string", "mrz"].includes(field.type);

/** How sure: a word and a share. */
export const sureness = (field) => `${nameOf(field.level)}, ${percent(field.confidence)}`;

/** In whole percent, rounded down: nothing is shown surer than it is. */
export const percent = (share) => new Intl.NumberFormat(region(), { style: "percent" }).format(Math.floor(share * 100) / 100);

/** For those who hear the page: name, value, how sure, and whether to look. */
export const spelledOut = (name, field) =>
  [`${name}: ${shown(field)}`, sureness(field), field.needs_review ? say("review") : ""].filter(Boolean).join("; ");
