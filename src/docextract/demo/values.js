/** Formats typed values of the API for people, in the language of the page. */

import { labelOf, currentLocale, translate } from "./words.js";

const MIN_DECIMALS = 2; // of an amount without currency

/** Format a value as one line. */
export function formatValue(field) {
  const { type, value } = field;
  if (type === "date") return formattedDate(value);
  if (type === "time") return value.replace(/:00$/, "");
  if (type === "currency") return formatAmount(value);
  if (type === "number" || type === "integer") return new Intl.NumberFormat(currentLocale(), { maximumFractionDigits: 6 }).format(value);
  if (type === "mrz") return value.lines.join("\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function formattedDate(day) {
  const moment = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(moment.getTime())) return day;
  return new Intl.DateTimeFormat(currentLocale(), { dateStyle: "long", timeZone: "UTC" }).format(moment);
}

/** All decimals of the amount, and at least those of the currency. */
function formatAmount({ amount, currency }) {
  const style = currency ? { style: "currency", currency, currencyDisplay: "code" } : {};
  try {
    const usual = currency ? new Intl.NumberFormat("en", style).resolvedOptions().maximumFractionDigits : MIN_DECIMALS;
    return new Intl.NumberFormat(currentLocale(), { ...style, minimumFractionDigits: Math.max(usual, decimals(amount)) }).format(amount);
  } catch {
    return [amount, currency].filter(Boolean).join(" ");
  }
}

const decimals = (amount) => amount.match(/\.(\d*?)0*$/)?.[1].length ?? 0;

/** True if the printed text may differ from the formatted value. */
export const printedDiffers = (field) => Boolean(field.content) && !["string", "mrz"].includes(field.type);

/** Confidence as a word and in percent. */
export const confidenceText = (field) => `${labelOf(field.level)}, ${percent(field.confidence)}`;

/** Whole percent, rounded down, so that no confidence is overstated. */
export const percent = (share) => new Intl.NumberFormat(currentLocale(), { style: "percent" }).format(Math.floor(share * 100) / 100);

/** Label for screen readers: name, value, confidence, and whether to check it. */
export const accessibleLabel = (name, field) =>
  [`${name}: ${formatValue(field)}`, confidenceText(field), field.needs_review ? translate("review") : ""].filter(Boolean).join("; ");
