/** The page at /demo: it takes files from several sources, shows the answer, and offers corrections and copies. */

import { documentTypes, extract, hasKey, limits, withRetries, Problem, useKey } from "./ask.js";
import { hasCamera, takePhoto } from "./camera.js";
import { documentView } from "./document.js";
import { byId, element } from "./dom.js";
import { asCsv, asCurl, asJson } from "./exports.js";
import { legibilityTint, pageBackground, pictureOf, pictureOfBytes, releasePicture } from "./pictures.js";
import { percent } from "./values.js";
import { guidanceText, labelOf, currentLocale, translate, initLanguage, problemMessage } from "./words.js";

const SAMPLES = ["receipt", "invoice", "passport", "id_card", "driver_licence"]; // plus one poor photo
const OPTION_PROBLEMS = new Set(["too_many_pages", "invalid_parameter"]); // of which the service says more
const TOAST_MS = 4000;
const MAX_PROPORTION_ERROR = 0.01; // of a page whose sides were rounded to pixels

const state = {
  pages: [], // {file, picture}: the files in input order; a PDF is one entry
  group: "", // "": the default for these files
  selection: "", // of pages, as in the API; "": all
  kind: "auto",
  answer: null, // answer of the last extraction
  drawn: new Map(), // by image of the answer: pictures of pages that a program has drawn, if the browser cannot show them
  problem: null, // the problem if there is no answer
  reading: null, // AbortController of the extraction in progress
  kinds: new Map(), // document types by name
  limits: null,
  pendingInfo: null, // token of the last request for the two values above
  locked: null, // reason why an API key is requested
  cameraInUse: false, // from the click until the camera has stopped
  toast: 0, // timer that hides a temporary message
};

// --- input ---------------------------------------------------------------------------------------------------------------

/** Add files and extract from all pages. */
async function addFiles(files) {
  if (!files.length) return;
  const pages = await Promise.all([...files].map(async (file) => ({ file, picture: await pictureOf(file) })));
  state.pages.push(...pages);
  state.selection = ""; // it was meant for the other files alone
  await runExtraction();
}

function startOver() {
  stopReading();
  state.pages.forEach(({ picture }) => releasePicture(picture));
  Object.assign(state, { pages: [], answer: null, problem: null, kind: "auto", group: "", selection: "" });
  announce("");
  render();
  byId("use-camera").focus();
}

async function removePage(at) {
  releasePicture(state.pages[at].picture);
  state.pages.splice(at, 1);
  state.selection = "";
  if (state.pages.length) await runExtraction();
  else startOver();
}

async function useCamera() {
  byId("add").open = false;
  if (!hasCamera()) return byId("phone-camera").click(); // the phone's own camera app needs no permission
  if (state.cameraInUse) return;
  setCameraInUse(true);
  let photo;
  try {
    photo = await takePhoto();
  } catch (error) {
    return showProblem(new Problem(error.name === "NotAllowedError" ? "camera_denied" : "camera_missing"));
  } finally {
    setCameraInUse(false);
  }
  if (photo) await addFiles([photo]);
}

/** Mark the buttons; they are not `disabled`, because the focus returns to them when the camera is closed. */
function setCameraInUse(inUse) {
  state.cameraInUse = inUse;
  for (const id of ["use-camera", "add-camera"]) byId(id).setAttribute("aria-disabled", String(inUse));
}

function chooseFiles() {
  byId("add").open = false;
  byId("files").click();
}

async function addSample(address, name) {
  try {
    const response = await fetch(address);
    await addFiles([new File([await response.blob()], `${name}.jpg`, { type: "image/jpeg" })]);
  } catch {
    showProblem(new Problem("unreachable"));
  }
}

// --- extraction ----------------------------------------------------------------------------------------------------------

function stopReading() {
  state.reading?.abort();
  state.drawn.forEach(releasePicture);
  Object.assign(state, { reading: null, drawn: new Map() });
}

async function runExtraction() {
  stopReading();
  const reading = new AbortController();
  Object.assign(state, { reading, answer: null, problem: null });
  announce(translate("reading"));
  render();
  try {
    const answer = await withRetries(() => sendExtraction(reading.signal), (seconds) => announce(translate("waiting", { seconds }), true), reading.signal);
    const drawn = await drawnPages(answer);
    if (state.reading !== reading) return drawn.forEach(releasePicture);
    Object.assign(state, { answer, drawn, reading: null });
    announce(summary(answer));
    render();
    byId("work-title").focus();
  } catch (problem) {
    if (state.reading !== reading) return;
    state.reading = null;
    showProblem(problem instanceof Problem ? problem : new Problem("internal_error", { detail: String(problem) }));
  }
}

function sendExtraction(signal) {
  const files = state.pages.map((page) => page.file);
  checkSizes(files);
  const drawn = state.pages.some((page) => !page.picture);
  return extract(files, { group: groupSent(), kind: state.kind, pages: state.selection, drawn }, signal);
}

/** Reject too large files before the upload: if the service closed the connection meanwhile, the reason would be lost. */
function checkSizes(files) {
  if (!state.limits) return;
  const whole = files.reduce((sum, file) => sum + file.size, 0);
  if (files.some((file) => file.size > state.limits.max_image_bytes) || whole > state.limits.max_request_bytes) {
    throw new Problem("payload_too_large");
  }
}

/** What one document may be: several files are pages of one by default, and so are the pages of one file. */
const groups = () => [...(state.pages.length > 1 ? ["request"] : []), "file", "page", "auto"];

/** Whether the answer has several pages, which may be documents of their own, or several documents on one page. */
const hasSeveralDocuments = ({ images, documents }) =>
  images.length > 1 || documents.length > 1 || documents.some(({ checks }) => checks.some(({ name }) => name === "page_has_one_document"));

const groupSent = () => (groups().includes(state.group) ? state.group : groups()[0]);

function showProblem(problem) {
  state.problem = problem;
  if (isLocked(problem)) lock();
  announce("");
  render();
}

// --- keys -------------------------------------------------------------------------------------------------------------

const isLocked = (problem) => problem?.code === "unauthorized";

/** Request a key. A key that was refused is discarded. */
function lock() {
  state.locked = hasKey() ? "key_unknown" : "key_needed";
  useKey("");
}

async function unlock(event) {
  event.preventDefault(); // the form is not submitted: the key is sent with each request
  stopReading(); // the request in progress has no key, so its refusal says nothing about this key
  useKey(byId("key").value.trim());
  byId("key").value = "";
  state.locked = null;
  await loadServiceInfo();
  if (!state.locked && state.pages.length) await runExtraction();
  else renderAll();
}

/** Load the document types and the limits. Answers to requests with an older key are ignored. */
async function loadServiceInfo() {
  const pendingInfo = (state.pendingInfo = {});
  const [kinds, allowed] = await Promise.allSettled([documentTypes(), limits()]);
  if (state.pendingInfo !== pendingInfo) return;
  if (kinds.status === "fulfilled") state.kinds = new Map(kinds.value.map((kind) => [kind.name, kind]));
  if (allowed.status === "fulfilled") state.limits = allowed.value;
  if (isLocked(kinds.reason)) lock();
}

// --- summary -------------------------------------------------------------------------------------------------

function summary(answer) {
  return answer.documents.map((document) => {
    const leaves = leavesOf(document.fields);
    const doubtful = leaves.filter((leaf) => leaf.needs_review).length;
    return translate("read", { type: labelOf(document.type), count: leaves.length, doubtful });
  }).join(" ");
}

const leavesOf = (fields) =>
  Object.values(fields).flatMap((field) => (field.items ? field.items.flatMap((item) => leavesOf(item.fields)) : [field]));

// --- rendering --------------------------------------------------------------------------------------------------------------

/** Render the state. Everything in `work` is created again: it is small, and nothing can be out of date. */
function render() {
  const working = state.pages.length > 0;
  byId("choose").hidden = working;
  byId("work").hidden = !working;
  byId("unlock").hidden = !state.locked;
  byId("unlock-reason").textContent = state.locked ? translate(state.locked) : "";
  byId("problem").replaceChildren(...(state.problem && !isLocked(state.problem) ? [problemView(state.problem)] : []));
  if (!working) return;
  byId("work-title").textContent = translate(state.answer ? "result" : state.problem ? "no_result" : "reading");
  byId("kind").replaceChildren(...kindOptions());
  byId("wanted-pages").hidden = !state.selection && state.problem?.code !== "too_many_pages";
  byId("selection").value = state.selection;
  const several = state.pages.length > 1 || (state.answer && hasSeveralDocuments(state.answer));
  byId("pages").hidden = !several;
  byId("pages").replaceChildren(...(several ? pagesView() : []));
  byId("documents").replaceChildren(...(state.answer ? answerView(state.answer) : [state.problem ? "" : waitingView()]));
}

/** Announce a sentence to screen readers; `seen` also shows it, if nothing else on the page does. */
function announce(sentence, seen = false) {
  const status = byId("status");
  status.textContent = sentence;
  status.className = seen ? "toast" : "unseen";
  clearTimeout(state.toast);
  if (seen) state.toast = setTimeout(() => announce(""), TOAST_MS);
}

function problemView(problem) {
  const hints = problem.errors.filter(({ pointer }) => /^\/images\/\d+/.test(pointer)).map(({ pointer }) =>
    element("li", {}, fileName(Number(pointer.split("/")[2]))));
  return element("div", { class: "problem", role: "alert" },
    element("p", {}, problemMessage(problem.code) ?? (problem.detail || problemMessage("internal_error"))),
    hints.length && state.pages.length > 1 ? element("ul", {}, hints) : null,
    problem.requestId && problem.status >= 500 ? element("p", { class: "about" }, translate("request", { id: problem.requestId })) : null,
    OPTION_PROBLEMS.has(problem.code) ? element("p", { class: "about", lang: "en" }, optionFault(problem)) : null,
    state.pages.length ? element("button", { type: "button", onclick: runExtraction }, translate("try_again")) : null);
}

/** What the service says about the options of the request, in English. */
const optionFault = ({ detail, errors }) => errors.find(({ pointer }) => pointer === "/pages")?.detail ?? detail;

function kindOptions() {
  const trained = [...state.kinds.values()].filter((kind) => kind.status === "trained").map((kind) => kind.name);
  return ["auto", ...trained].map((name) =>
    element("option", { value: name, selected: name === state.kind }, name === "auto" ? translate("kind_auto") : labelOf(name)));
}

function pagesView() {
  const choice = (group) => element("label", {},
    element("input", { type: "radio", name: "group", value: group, checked: groupSent() === group, onchange: () => setGroup(group) }),
    translate(`group_${group}`));
  return [
    element("ol", {}, state.pages.map((page, at) => element("li", {},
      page.picture ? element("img", { src: page.picture.url, alt: "" }) : element("span", { class: "no-picture" }, page.file.name.split(".").pop()),
      element("span", { class: "about" }, fileName(at)),
      element("button", { type: "button", class: "plain", "aria-label": translate(arePhotos() ? "remove_page" : "remove_file", { number: at + 1 }), onclick: () => removePage(at) }, "×")))),
    element("fieldset", {}, element("legend", { class: "unseen" }, translate("group")), groups().map(choice)),
  ];
}

/** True if each file is one page; PDFs and TIFFs may have several. */
const arePhotos = () => state.pages.every(({ file }) => /^image\/(?!tiff)/.test(file.type));

const fileName = (at) => translate(arePhotos() ? "page_number" : "file_number", { number: at + 1 });

/** Name of an image of the answer: the number of its page in the only file, or its file and the page there. */
function pageName({ upload, page }, { uploads }) {
  if (uploads.length === 1) return translate("page_number", { number: page });
  if (uploads[upload].pages === 1) return fileName(upload);
  return translate("file_and_page", { file: upload + 1, page });
}

function setGroup(group) {
  state.group = group;
  runExtraction();
}

function waitingView() {
  return element("div", { class: "waiting" },
    state.pages.map(({ picture, file }) => element("div", { class: "scan" },
      picture ? element("img", { src: picture.url, alt: "" }) : element("p", { class: "no-picture" }, file.name))));
}

function answerView(answer) {
  const pages = answer.images.map((image) => pageInfo(image, answer));
  return [
    verdictView(answer),
    ...answer.uploads.filter((upload) => upload.pages_read.length < upload.pages).map(pagesReadView),
    ...answer.documents.map((document) => documentView(document, pages, state.kinds)),
    exportsView(answer),
    element("p", { class: "about made" }, translate("made", { seconds: seconds(answer), models: models(answer) })),
  ];
}

/** Name, size, background and tint of one image of the answer. */
function pageInfo(image, answer) {
  const picture = pagePicture(image);
  const size = { width: image.width, height: image.height };
  const lines = answer.documents.flatMap((document) => document.lines ?? []).filter((line) => line.image === image.index);
  const verdict = answer.verdict.images[image.index];
  const tint = verdict.accepted ? [] : legibilityTint(verdict.legibility, verdict.document.polygon, size);
  return { name: pageName(image, answer), size, under: () => pageBackground(size, picture, lines), tint };
}

/** Pictures of drawn pages, by image. Crops of photos and scans may be turned, and one of several is a part of its page. */
async function drawnPages(answer) {
  const all = answer.documents.flatMap((document) => document.crops ?? []);
  const isOnly = ({ image }) => all.filter((crop) => crop.image === image).length === 1;
  const crops = all.filter((crop) => answer.images[crop.image].source === "digital" && isOnly(crop));
  const pictures = await Promise.all(crops.map(async (crop) => [crop.image, await pictureOfBytes(crop.content, crop.media_type)]));
  return new Map(pictures);
}

/** The picture of an image of the answer; null if only its text lines are known. */
function pagePicture(image) {
  const drawn = state.drawn.get(image.index);
  return state.pages[image.upload]?.picture ?? (drawn && isWholePage(drawn, image) ? drawn : null);
}

/** False for a crop of a part of the page, such as a card on it: with the margin around it, it has other proportions. */
const isWholePage = (picture, image) =>
  Math.abs((picture.width * image.height) / (picture.height * image.width) - 1) < MAX_PROPORTION_ERROR;

const pagesReadView = ({ pages, pages_read }) =>
  element("p", { class: "about" }, translate("pages_read", { read: pages_read.join(", "), all: pages }));

/** Key of the sentence on images that are good enough. */
function goodVerdict(images) {
  const sources = new Set(images.map((image) => image.source));
  if (!sources.size) return "source_data";
  if (sources.has("photo")) return "photo_good";
  if (sources.has("scan")) return "source_scan";
  return images.every((image) => image.text_source === "embedded") ? "source_text" : "source_digital";
}

function verdictView(answer) {
  const { verdict, images } = answer;
  if (verdict.accepted) return element("p", { class: "verdict good" }, translate(goodVerdict(images)));
  const several = verdict.images.length > 1;
  const advice = verdict.guidance.map((one) => [several ? pageName(images[one.image], answer) : "", guidanceText(one)]);
  return element("div", { class: "verdict poor" },
    element("p", {}, element("b", {}, translate("photo_poor"))),
    element("ul", {}, advice.map(([page, sentence]) => element("li", {}, page ? `${page}: ${sentence}` : sentence))));
}

const seconds = (answer) => new Intl.NumberFormat(currentLocale(), { maximumSignificantDigits: 2 })
  .format(Object.values(answer.timings_ms).reduce((sum, ms) => sum + ms, 0) / 1000);

const models = (answer) => Object.values(answer.models).map(({ name, version }) => `${name} ${version}`).join(", ");

function exportsView(answer) {
  const names = state.pages.map((page) => page.file.name);
  const button = (name, text) => element("button", { type: "button", onclick: () => copyText(name, text()) }, translate("copy_as", { form: name }));
  return element("div", { class: "exports" },
    button("JSON", () => asJson(answer)),
    button("CSV", () => asCsv(answer, names)),
    button("curl", () => asCurl(names, groupSent(), state.kind, state.selection)));
}

async function copyText(name, text) {
  try {
    await navigator.clipboard.writeText(text);
    announce(translate("copied", { form: name }), true);
  } catch {
    // Without https or permission there is no clipboard: show the text, so that the user can copy it.
    byId("copy-text").value = text;
    byId("copy").showModal();
    byId("copy-text").select();
  }
}

// --- samples ----------------------------------------------------------------------------------------------------------

/** Show samples of the types that the served model supports, and one poor photo. */
function showSamples() {
  const readable = SAMPLES.filter((name) => state.kinds.get(name)?.status === "trained");
  const all = [...readable, ...(readable.includes("receipt") ? ["spoilt"] : [])];
  byId("samples").hidden = !all.length;
  byId("sample-list").replaceChildren(...all.map((name) => {
    const address = `demo/samples/${name}.jpg`;
    return element("li", {}, element("button", { type: "button", class: "sample", onclick: () => addSample(address, name) },
      element("img", { src: address, alt: "", loading: "lazy", width: 96, height: 128 }), element("span", {}, labelOf(name))));
  }));
}

// --- event listeners ------------------------------------------------------------------------------------------------------------

function filesOf(transfer) {
  return [...(transfer?.files ?? [])];
}

function addListeners() {
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
    runExtraction();
  });
  on("selection", "change", (event) => {
    state.selection = event.target.value.trim();
    runExtraction();
  });
  for (const id of ["files", "phone-camera"]) {
    on(id, "change", async (event) => {
      const files = [...event.target.files];
      event.target.value = "";
      await addFiles(files);
    });
  }
  window.addEventListener("paste", (event) => addFiles(filesOf(event.clipboardData)));
  window.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  window.addEventListener("dragleave", (event) => event.relatedTarget ?? document.body.classList.remove("dragging"));
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    addFiles(filesOf(event.dataTransfer));
  });
}

function renderAll() {
  showSamples();
  render();
  if (state.answer) announce(summary(state.answer));
}

async function start() {
  addListeners();
  await initLanguage(renderAll);
  document.body.classList.add("ready");
  await loadServiceInfo();
  renderAll();
}

start();
