/** The page at /demo: files in, by whichever way; the answer, and everything that can be done with it. */

import { documentTypes, extract, hasKey, limits, patiently, Problem, useKey } from "./ask.js";
import { hasCamera, photograph } from "./camera.js";
import { documentView } from "./document.js";
import { byId, element } from "./dom.js";
import { asCsv, asCurl, asJson } from "./exports.js";
import { ground, pictureOf, release } from "./pictures.js";
import { percent } from "./values.js";
import { adviceOf, nameOf, region, say, speak, troubleOf } from "./words.js";

const SAMPLES = ["receipt", "invoice", "passport", "id_card", "driver_licence"]; // beside a spoilt one
const TOAST_MS = 4000;

const state = {
  pages: [], // {file, picture}: what was given, in order; a PDF is one
  group: "single",
  kind: "auto",
  answer: null, // of the last extraction
  trouble: null, // why there is none
  reading: null, // AbortController of the one under way
  kinds: new Map(), // document types by name
  limits: null,
  learning: null, // the last question for these two
  locked: null, // why a key is asked for
  toast: 0, // timer of the sentence that is shown for a while
};

// --- in ---------------------------------------------------------------------------------------------------------------

/** Add these files and read everything. */
async function take(files) {
  if (!files.length) return;
  const pages = await Promise.all([...files].map(async (file) => ({ file, picture: await pictureOf(file) })));
  state.pages.push(...pages);
  await read();
}

function startOver() {
  stopReading();
  state.pages.forEach(({ picture }) => release(picture));
  Object.assign(state, { pages: [], answer: null, trouble: null, kind: "auto", group: "single" });
  announce("");
  show();
  byId("use-camera").focus();
}

async function removePage(at) {
  release(state.pages[at].picture);
  state.pages.splice(at, 1);
  if (state.pages.length) await read();
  else startOver();
}

async function useCamera() {
  byId("add").open = false;
  if (!hasCamera()) return byId("phone-camera").click(); // a phone's own camera needs no leave
  let photo;
  try {
    photo = await photograph();
  } catch (error) {
    return stumble(new Problem(error.name === "NotAllowedError" ? "camera_denied" : "camera_missing"));
  }
  if (photo) await take([photo]);
}

function chooseFiles() {
  byId("add").open = false;
  byId("files").click();
}

async function takeSample(address, name) {
  try {
    const response = await fetch(address);
    await take([new File([await response.blob()], `${name}.jpg`, { type: "image/jpeg" })]);
  } catch {
    stumble(new Problem("unreachable"));
  }
}

// --- reading ----------------------------------------------------------------------------------------------------------

function stopReading() {
  state.reading?.abort();
  state.reading = null;
}

async function read() {
  stopReading();
  const reading = new AbortController();
  Object.assign(state, { reading, answer: null, trouble: null });
  announce(say("reading"));
  show();
  try {
    const answer = await patiently(() => ask(reading.signal), (seconds) => announce(say("waiting", { seconds }), true), reading.signal);
    if (state.reading !== reading) return;
    Object.assign(state, { answer, reading: null });
    announce(summary(answer));
    show();
    byId("work-title").focus();
  } catch (trouble) {
    if (state.reading !== reading) return;
    state.reading = null;
    stumble(trouble instanceof Problem ? trouble : new Problem("internal_error", { detail: String(trouble) }));
  }
}

function ask(signal) {
  const files = state.pages.map((page) => page.file);
  checkSizes(files);
  const lines = state.pages.some((page) => !page.picture);
  return extract(files, { group: groupSent(), kind: state.kind, lines }, signal);
}

/** A file that will be refused need not be sent; and a connection that is cut amid sending tells no reason. */
function checkSizes(files) {
  if (!state.limits) return;
  const whole = files.reduce((sum, file) => sum + file.size, 0);
  if (files.some((file) => file.size > state.limits.max_image_bytes) || whole > state.limits.max_request_bytes) {
    throw new Problem("payload_too_large");
  }
}

const groupSent = () => (state.pages.length > 1 ? state.group : "separate");

function stumble(trouble) {
  state.trouble = trouble;
  if (isLocked(trouble)) lock();
  announce("");
  show();
}

// --- keys -------------------------------------------------------------------------------------------------------------

const isLocked = (trouble) => trouble?.code === "unauthorized";

/** Ask for a key. One that was sent is not known, and is not sent again. */
function lock() {
  state.locked = hasKey() ? "key_unknown" : "key_needed";
  useKey("");
}

async function unlock(event) {
  event.preventDefault(); // nothing is sent: the key goes with the questions
  stopReading(); // it went without this key: that it is refused says nothing of the key
  useKey(byId("key").value.trim());
  byId("key").value = "";
  state.locked = null;
  await learn();
  if (!state.locked && state.pages.length) await read();
  else showAll();
}

/** What can be read here, and how much may be sent. What is learned with an older key comes too late. */
async function learn() {
  const learning = (state.learning = {});
  const [kinds, allowed] = await Promise.allSettled([documentTypes(), limits()]);
  if (state.learning !== learning) return;
  if (kinds.status === "fulfilled") state.kinds = new Map(kinds.value.map((kind) => [kind.name, kind]));
  if (allowed.status === "fulfilled") state.limits = allowed.value;
  if (isLocked(kinds.reason)) lock();
}

// --- what it comes to -------------------------------------------------------------------------------------------------

function summary(answer) {
  return answer.documents.map((document) => {
    const leaves = leavesOf(document.fields);
    const doubtful = leaves.filter((leaf) => leaf.needs_review).length;
    return say("read", { type: nameOf(document.type), count: leaves.length, doubtful });
  }).join(" ");
}

const leavesOf = (fields) =>
  Object.values(fields).flatMap((field) => (field.items ? field.items.flatMap((item) => leavesOf(item.fields)) : [field]));

// --- out --------------------------------------------------------------------------------------------------------------

/** The page as the state is. Everything in `work` is made anew: it is little, and nothing can be out of date. */
function show() {
  const working = state.pages.length > 0;
  byId("choose").hidden = working;
  byId("work").hidden = !working;
  byId("unlock").hidden = !state.locked;
  byId("unlock-reason").textContent = state.locked ? say(state.locked) : "";
  byId("problem").replaceChildren(...(state.trouble && !isLocked(state.trouble) ? [problemView(state.trouble)] : []));
  if (!working) return;
  byId("work-title").textContent = say(state.answer ? "result" : state.trouble ? "no_result" : "reading");
  byId("kind").replaceChildren(...kindOptions());
  byId("pages").hidden = state.pages.length < 2;
  byId("pages").replaceChildren(...(state.pages.length < 2 ? [] : pagesView()));
  byId("documents").replaceChildren(...(state.answer ? answerView(state.answer) : [state.trouble ? "" : waitingView()]));
}

/** Say it to those who hear the page; `seen` also to those who see it, in case nothing else there shows it. */
function announce(sentence, seen = false) {
  const status = byId("status");
  status.textContent = sentence;
  status.className = seen ? "toast" : "unseen";
  clearTimeout(state.toast);
  if (seen) state.toast = setTimeout(() => announce(""), TOAST_MS);
}

function problemView(trouble) {
  const hints = trouble.errors.filter(({ pointer }) => /^\/images\/\d+/.test(pointer)).map(({ pointer }) =>
    element("li", {}, say("page_number", { number: Number(pointer.split("/")[2]) + 1 })));
  return element("div", { class: "problem", role: "alert" },
    element("p", {}, troubleOf(trouble.code) ?? (trouble.detail || troubleOf("internal_error"))),
    hints.length && state.pages.length > 1 ? element("ul", {}, hints) : null,
    trouble.requestId && trouble.status >= 500 ? element("p", { class: "about" }, say("request", { id: trouble.requestId })) : null,
    state.pages.length ? element("button", { type: "button", onclick: read }, say("try_again")) : null);
}

function kindOptions() {
  const trained = [...state.kinds.values()].filter((kind) => kind.status === "trained").map((kind) => kind.name);
  return ["auto", ...trained].map((name) =>
    element("option", { value: name, selected: name === state.kind }, name === "auto" ? say("kind_auto") : nameOf(name)));
}

function pagesView() {
  const choice = (group) => element("label", {},
    element("input", { type: "radio", name: "group", value: group, checked: state.group === group, onchange: () => regroup(group) }),
    say(`group_${group}`));
  return [
    element("ol", {}, state.pages.map((page, at) => element("li", {},
      page.picture ? element("img", { src: page.picture.url, alt: "" }) : element("span", { class: "no-picture" }, page.file.name.split(".").pop()),
      element("span", { class: "about" }, say("page_number", { number: at + 1 })),
      element("button", { type: "button", class: "plain", "aria-label": say("remove_page", { number: at + 1 }), onclick: () => removePage(at) }, "×")))),
    element("fieldset", {}, element("legend", { class: "unseen" }, say("group")), choice("single"), choice("separate")),
  ];
}

function regroup(group) {
  state.group = group;
  read();
}

function waitingView() {
  return element("div", { class: "waiting" },
    state.pages.map(({ picture, file }) => element("div", { class: "scan" },
      picture ? element("img", { src: picture.url, alt: "" }) : element("p", { class: "no-picture" }, file.name))));
}

function answerView(answer) {
  const pages = answer.validation.images.map((image) => pageOf(image, answer));
  return [
    verdictView(answer.validation),
    ...answer.documents.map((document) => documentView(document, pages, state.kinds)),
    exportsView(answer),
    element("p", { class: "about made" }, say("made", { seconds: seconds(answer), models: models(answer) })),
  ];
}

/** What is shown of one image of the answer. */
function pageOf(image, answer) {
  const picture = state.pages[image.upload]?.picture ?? null;
  const size = { width: image.width, height: image.height };
  const lines = answer.documents.flatMap((document) => document.raw?.lines ?? []).filter((line) => line.image === image.index);
  return { size, under: () => ground(size, picture, lines) };
}

function verdictView(verdict) {
  if (verdict.accepted) return element("p", { class: "verdict good" }, say("photo_good"));
  const several = verdict.images.length > 1;
  const advice = verdict.guidance.map((one) => [several ? say("page_number", { number: one.image + 1 }) : "", adviceOf(one)]);
  return element("div", { class: "verdict poor" },
    element("p", {}, element("b", {}, say("photo_poor"))),
    element("ul", {}, advice.map(([page, sentence]) => element("li", {}, page ? `${page}: ${sentence}` : sentence))));
}

const seconds = (answer) => new Intl.NumberFormat(region(), { maximumSignificantDigits: 2 })
  .format(Object.values(answer.timings_ms).reduce((sum, ms) => sum + ms, 0) / 1000);

const models = (answer) => Object.values(answer.models).map(({ name, version }) => `${name} ${version}`).join(", ");

function exportsView(answer) {
  const names = state.pages.map((page) => page.file.name);
  const fileOf = (document) => names[answer.validation.images[document.images[0]].upload];
  const button = (name, text) => element("button", { type: "button", onclick: () => copy(name, text()) }, say("copy_as", { form: name }));
  return element("div", { class: "exports" },
    button("JSON", () => asJson(answer)),
    button("CSV", () => asCsv(answer, fileOf)),
    button("curl", () => asCurl(names, groupSent(), state.kind)));
}

async function copy(name, text) {
  try {
    await navigator.clipboard.writeText(text);
    announce(say("copied", { form: name }), true);
  } catch {
    // No clipboard without https, or without leave: the text itself, to be taken by hand.
    byId("copy-text").value = text;
    byId("copy").showModal();
    byId("copy-text").select();
  }
}

// --- samples ----------------------------------------------------------------------------------------------------------

/** Those that the served model has learned to read, and a spoilt one to see what it says then. */
function showSamples() {
  const readable = SAMPLES.filter((name) => state.kinds.get(name)?.status === "trained");
  const all = [...readable, ...(readable.includes("receipt") ? ["spoilt"] : [])];
  byId("samples").hidden = !all.length;
  byId("sample-list").replaceChildren(...all.map((name) => {
    const address = `demo/samples/${name}.jpg`;
    return element("li", {}, element("button", { type: "button", class: "sample", onclick: () => takeSample(address, name) },
      element("img", { src: address, alt: "", loading: "lazy", width: 96, height: 128 }), element("span", {}, nameOf(name))));
  }));
}

// --- wires ------------------------------------------------------------------------------------------------------------

function filesOf(transfer) {
  return [...(transfer?.files ?? [])];
}

function wire() {
  const on = (id, event, action) => byId(id).addEventListener(event, action);
  on("use-camera", "click", useCamera);
  on("add-camera", "click", useCamera);
  on("choose-files", "click", chooseFiles);
  on("add-files", "click", chooseFiles);
  on("start-over", "click", startOver);
  on("unlock", "submit", unlock);
  on("close-copy", "click", () => byId("copy").close());
  on("kind", "change", (event) => {
    state.kind = event.target.value;
    read();
  });
  for (const id of ["files", "phone-camera"]) {
    on(id, "change", async (event) => {
      const files = [...event.target.files];
      event.target.value = "";
      await take(files);
    });
  }
  window.addEventListener("paste", (event) => take(filesOf(event.clipboardData)));
  window.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  window.addEventListener("dragleave", (event) => event.relatedTarget ?? document.body.classList.remove("dragging"));
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    take(filesOf(event.dataTransfer));
  });
}

function showAll() {
  showSamples();
  show();
  if (state.answer) announce(summary(state.answer));
}

async function begin() {
  wire();
  await speak(showAll);
  document.body.classList.add("ready");
  await learn();
  showAll();
}

begin();
