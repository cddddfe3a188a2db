/** What the page says, in the reader's language. The catalogues come from the service, its advice among them. */

import { byId, element } from "./dom.js";

const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français", it: "Italiano", pt: "Português" };
const CHOSEN = "docextract.language";

let words = { page: {}, names: {}, problems: {}, advice: {} };
let language = "en";

/** The language in force (ISO 639-1): also what the service is asked to answer in. */
export const spoken = () => language;

/** The same with the reader's region, where the browser names one: days and amounts are written differently in each. */
export const region = () => navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

/** A sentence of the page; {blanks} are filled in. */
export function say(key, blanks = {}) {
  return (words.page[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => blanks[name] ?? "");
}

/** What a field, a type, a check or a level is called. Names that nobody has translated are only made readable. */
export function nameOf(name) {
  if (words.names[name]) return words.names[name];
  const readable = name.replaceAll("_", " ");
  return readable.charAt(0).toUpperCase() + readable.slice(1);
}

/** What went wrong, by the service's code; null where the page has no words for it. */
export const troubleOf = (code) => words.problems[code] ?? null;

/** The service's advice in the language in force, also where it was given in another. */
export const adviceOf = (guidance) => words.advice[guidance.code] ?? guidance.message;

/** Offer the languages, start with the reader's own; `changed` is called after each change. */
export async function speak(changed) {
  const chooser = byId("language");
  chooser.append(...Object.entries(LANGUAGES).map(([code, name]) => element("option", { value: code, lang: code }, name)));
  chooser.addEventListener("change", async () => {
    remember(chooser.value);
    await change(chooser.value);
    changed();
  });
  await change(preferred());
  chooser.value = language;
}

function preferred() {
  const wanted = [remembered(), ...navigator.languages.map((tag) => tag.split("-")[0])];
  return wanted.find((code) => code in LANGUAGES) ?? "en";
}

async function change(code) {
  const response = await fetch(`demo/words/${code}.json`);
  words = await response.json();
  language = code;
  document.documentElement.lang = code;
  document.title = `docextract · ${say("title")}`;
  for (const one of document.querySelectorAll("[data-say]")) one.textContent = say(one.dataset.say);
  for (const one of document.querySelectorAll("[data-say-label]")) one.setAttribute("aria-label", say(one.dataset.sayLabel));
}

// Storage may be forbidden; then the choice lasts as long as the page.
function remember(code) {
  try {
    localStorage.setItem(CHOSEN, code);
  } catch {}
}

function remembered() {
  try {
    return localStorage.getItem(CHOSEN);
  } catch {
    return null;
  }
}
