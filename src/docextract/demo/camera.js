/** The camera: live frames to the service, one at a time; the shutter fires when three in a row are accepted. */

import { validate } from "./ask.js";
import { byId } from "./dom.js";
import { adviceOf, say } from "./words.js";

const FRAME_PX = 384; // long side of a live frame; the service knows by it that this is a preview
const IN_A_ROW = 3;
const PAUSE_MS = 120; // between an answer and the next frame
const ADVICE_STAYS_MS = 1200; // nobody can read advice that changes with every frame
const TROUBLE_PAUSE_MS = 1500;
const FOLLOW = 0.35; // of the way that the outline goes towards the document, each time it is drawn

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether this page may see a camera at all: browsers allow it on https and on localhost only. */
export const hasCamera = () => Boolean(navigator.mediaDevices?.getUserMedia);

/** One photo, or null where the reader thinks better of it. Rejects as getUserMedia does. */
export async function photograph() {
  const session = new Session();
  try {
    await session.start("environment");
    return await session.photo;
  } finally {
    session.end();
  }
}

class Session {
  #open = true;
  #stopping = new AbortController();
  #facing = "environment";
  #stream = null;
  #video = byId("video");
  #dialog = byId("camera");
  #outline = new Outline(byId("outline"));
  #advice = new Advice(byId("advice"));

  constructor() {
    const { promise, resolve } = withResolvers();
    this.photo = promise;
    this.#answer = resolve;
    const listen = (target, event, action) => target.addEventListener(event, action, { signal: this.#stopping.signal });
    listen(byId("shutter"), "click", () => this.#shoot());
    listen(byId("close-camera"), "click", () => this.#answer(null));
    listen(this.#dialog, "cancel", () => this.#answer(null));
    listen(byId("other-camera"), "click", () => this.#turn());
  }

  #answer;

  async start(facing) {
    this.#facing = facing;
    this.#stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { facingMode: { ideal: facing }, width: { ideal: 3840 }, height: { ideal: 2160 } },
    });
    this.#video.srcObject = this.#stream;
    this.#advice.say(say("show_document"));
    showProgress(0);
    if (!this.#dialog.open) this.#dialog.showModal();
    byId("shutter").focus();
    await this.#video.play();
    await this.#offerOthers();
    this.#watch();
  }

  end() {
    this.#open = false;
    this.#stopping.abort();
    this.#release();
    this.#outline.end();
    this.#dialog.close();
  }

  #release() {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#video.srcObject = null;
  }

  async #offerOthers() {
    const devices = await navigator.mediaDevices.enumerateDevices();
    byId("other-camera").hidden = devices.filter((device) => device.kind === "videoinput").length < 2;
  }

  async #turn() {
    this.#release();
    this.#facing = this.#facing === "environment" ? "user" : "environment";
    await this.start(this.#facing).catch(() => this.#answer(null));
  }

  /** Ask about one frame after another, as long as this stream runs. */
  async #watch() {
    const stream = this.#stream;
    let accepted = 0;
    while (this.#open && this.#stream === stream) {
      try {
        const frame = await this.#frame(FRAME_PX, 0.7);
        const verdict = await validate(frame, this.#stopping.signal);
        accepted = verdict.accepted ? accepted + 1 : 0;
        this.#show(verdict, accepted);
        if (accepted === IN_A_ROW) return this.#shoot();
        await pause(PAUSE_MS);
      } catch (trouble) {
        if (!this.#open) return;
        accepted = 0;
        showProgress(0);
        this.#outline.clear();
        this.#advice.say(say("preview_trouble"));
        await pause(trouble.retryAfterS ? 1000 * trouble.retryAfterS : TROUBLE_PAUSE_MS);
      }
    }
  }

  #show(verdict, accepted) {
    const [image] = verdict.images;
    const [first] = verdict.guidance;
    this.#outline.follow(image.document.detected ? image.document.polygon : null, this.#video, verdict.accepted);
    showProgress(accepted);
    if (verdict.accepted) this.#advice.say(say("hold_still"), true);
    else if (first) this.#advice.say(adviceOf(first));
  }

  async #shoot() {
    if (!this.#video.videoWidth) return;
    navigator.vibrate?.(30);
    const photo = await this.#frame(Infinity, 0.93);
    this.#answer(new File([photo], `photo-${timestamp()}.jpg`, { type: "image/jpeg" }));
  }

  /** The current picture as a JPEG whose long side has at most so many pixels. */
  #frame(longestPx, quality) {
    const { videoWidth, videoHeight } = this.#video;
    const scale = Math.min(1, longestPx / Math.max(videoWidth, videoHeight));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(videoWidth * scale);
    canvas.height = Math.round(videoHeight * scale);
    canvas.getContext("2d").drawImage(this.#video, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
  }
}

/** The document's outline over the picture. It glides; where motion is unwelcome it jumps. */
class Outline {
  #svg;
  #polygon;
  #wanted = null;
  #shown = null;
  #drawing = 0;

  constructor(svg) {
    this.#svg = svg;
    this.#polygon = svg.querySelector("polygon");
    this.clear();
  }

  follow(polygon, video, accepted) {
    if (!polygon) return this.clear();
    this.#svg.setAttribute("viewBox", `0 0 ${video.videoWidth} ${video.videoHeight}`);
    this.#svg.classList.toggle("accepted", accepted);
    this.#wanted = polygon.map(([x, y]) => [x * video.videoWidth, y * video.videoHeight]);
    if (!this.#shown || stillness.matches) this.#shown = this.#wanted;
    if (!this.#drawing) this.#draw();
  }

  clear() {
    this.#wanted = this.#shown = null;
    this.#polygon.setAttribute("points", "");
  }

  end() {
    cancelAnimationFrame(this.#drawing);
    this.clear();
  }

  #draw() {
    this.#drawing = 0;
    if (!this.#wanted) return;
    const step = (from, to) => from + (to - from) * FOLLOW;
    this.#shown = this.#shown.map(([x, y], at) => [step(x, this.#wanted[at][0]), step(y, this.#wanted[at][1])]);
    this.#polygon.setAttribute("points", this.#shown.map((point) => point.map(Math.round).join()).join(" "));
    this.#drawing = requestAnimationFrame(() => this.#draw());
  }
}

/** One short piece of advice at a time, each for long enough to be read and to be read out. */
class Advice {
  #place;
  #since = -ADVICE_STAYS_MS;

  constructor(place) {
    this.#place = place;
  }

  say(sentence, good = false) {
    const now = performance.now();
    if (this.#place.textContent === sentence || (now - this.#since < ADVICE_STAYS_MS && !good)) return;
    this.#since = now;
    this.#place.textContent = sentence;
    this.#place.classList.toggle("good", good);
  }
}

function showProgress(accepted) {
  byId("shutter").style.setProperty("--accepted", accepted);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const timestamp = () => new Date().toISOString().slice(0, 19).replaceAll(/[:T]/g, "-");

function withResolvers() {
  let resolve;
  const promise = new Promise((done) => { resolve = done; });
  return { promise, resolve };
}
