/** Texts of the page in the user's language. The service delivers the catalogues, including its guidance. */

import { byId, element } from "./dom.js";

const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français", it: "Italiano", pt: "Português" };
const LANGUAGE_STORAGE = "docextract.language";

let words = { page: {}, names: {}, problems: {}, advice: {} };
let language = "en";
let catalogues = "demo/words"; // folder with one file for each language

/** The current language (ISO 639-1); it is also requested from the service. */
export const currentLanguage = () => language;

/** The current language with the user's region, if the browser has one: formats of dates and amounts depend on it. */
export const currentLocale = () => navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

/** Text of the page for a key; {blanks} are filled in. */
export function translate(key, blanks = {}) {
  return (words.page[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => blanks[name] ?? "");
}

/** Label of a field, type, check or confidence level. A name without translation is only made readable. */
export function labelOf(name) {
  if (words.names[name]) return words.names[name];
  const readable = name.replaceAll("_", " ");
  return readable.charAt(0).toUpperCase() + readable.slice(1);
}

/** Message for a problem code; null if there is none. */
export const problemMessage = (code) => words.problems[code] ?? null;

/** Guidance in the current language, even if the answer was in another. */
export function guidanceText(guidance) {
  const sentence = words.advice[guidance.code];
  if (!sentence) return guidance.message;
  return [sentence, words.advice[`at_${guidance.place}`]].filter(Boolean).join(" ");
}

/** Set up the language menu and start with the user's language; `changed` is called after each change. */
export async function initLanguage(changed, folder = catalogues) {
  catalogues = folder;
  const chooser = byId("language");
  chooser.append(...Object.entries(LANGUAGES).map(([code, name]) => element("option", { value: code, lang: code }, name)));
  chooser.addEventListener("change", async () => {
    storeLanguage(chooser.value);
    await setLanguage(chooser.value);
    changed();
  });
  await setLanguage(preferredLanguage());
  chooser.value = language;
}

function preferredLanguage() {
  const wanted = [storedLanguage(), ...navigator.languages.map((tag) => tag.split("-")[0])];
  return wanted.find((code) => code in LANGUAGES) ?? "en";
}

async function setLanguage(code) {
  const response = await fetch(`${catalogues}/${code}.json`);
  words = await response.json();
  language = code;
  document.documentElement.lang = code;
  document.title = `docextract · ${translate("title")}`;
  for (const one of document.querySelectorAll("[data-say]")) one.textContent = translate(one.dataset.say);
  for (const one of document.querySelectorAll("[data-say-label]")) one.setAttribute("aria-label", translate(one.dataset.sayLabel));
}

// Storage may be blocked; then the choice lasts until the page is closed.
function storeLanguage(code) {
  try {
    localStorage.setItem(LANGUAGE_STORAGE, code);
  } catch {}
}

function storedLanguage() {
  try {
    return localStorage.getItem(LANGUAGE_STORAGE);
  } catch {
    return null;
  }
}
