/** The camera: sends live frames to the service, one at a time, and takes the photo after three accepted frames in a row. */

import { validate } from "./ask.js";
import { byId } from "./dom.js";
import { legibilityTint } from "./pictures.js";
import { guidanceText, translate } from "./words.js";

const FRAME_PX = 384; // long side of a live frame; the service detects previews by this size
const REQUIRED_ACCEPTED_FRAMES = 3;
const PAUSE_MS = 120; // between an answer and the next frame
const MIN_ADVICE_MS = 1200; // advice that changes with every frame cannot be read
const ERROR_PAUSE_MS = 1500;
const OUTLINE_STEP = 0.35; // share of the distance to the document that the outline moves per drawing

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** True if this page may use a camera: browsers allow it on https and on localhost only. */
export const hasCamera = () => Boolean(navigator.mediaDevices?.getUserMedia);

/** Take one photo; null if the user cancels. Rejects like getUserMedia. */
export async function takePhoto() {
  const session = new CameraSession();
  try {
    await session.start("environment");
    return await session.photo;
  } finally {
    session.end();
  }
}

class CameraSession {
  #open = true;
  #stopping = new AbortController();
  #facing = "environment";
  #stream = null;
  #switching = false; // whether another camera is starting
  #video = byId("video");
  #dialog = byId("camera");
  #outline = new Outline(byId("outline"));
  #advice = new Advice(byId("advice"));

  constructor() {
    const { promise, resolve } = withResolvers();
    this.photo = promise;
    this.#answer = resolve;
    const listen = (target, event, action) => target.addEventListener(event, action, { signal: this.#stopping.signal });
    listen(byId("shutter"), "click", () => this.#takePhoto());
    listen(byId("close-camera"), "click", () => this.#answer(null));
    listen(this.#dialog, "cancel", () => this.#answer(null));
    listen(byId("other-camera"), "click", () => this.#switchCamera());
  }

  #answer;

  async start(facing) {
    this.#facing = facing;
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { facingMode: { ideal: facing }, width: { ideal: 3840 }, height: { ideal: 2160 } },
    });
    if (!this.#open) return stopTracks(stream); // cancelled while the camera was starting
    this.#stream = stream;
    this.#video.srcObject = stream;
    this.#advice.display(translate("show_document"));
    showProgress(0);
    if (!this.#dialog.open) this.#dialog.showModal();
    byId("shutter").focus();
    await this.#video.play();
    await this.#offerOthers();
    this.#sendFrames();
  }

  end() {
    this.#open = false;
    this.#stopping.abort();
    this.#stopStream();
    this.#outline.end();
    this.#dialog.close();
  }

  #stopStream() {
    stopTracks(this.#stream);
    this.#stream = null; // no more frames are sent until another camera runs
    this.#video.srcObject = null;
    this.#outline.clear();
  }

  async #offerOthers() {
    const devices = await navigator.mediaDevices.enumerateDevices();
    byId("other-camera").hidden = devices.filter((device) => device.kind === "videoinput").length < 2;
  }

  async #switchCamera() {
    if (this.#switching) return;
    this.#switching = true;
    this.#stopStream();
    await this.start(this.#facing === "environment" ? "user" : "environment").catch(() => this.#answer(null));
    this.#switching = false;
  }

  /** Send one frame after another while this stream runs. */
  async #sendFrames() {
    const stream = this.#stream;
    let accepted = 0;
    while (this.#stream === stream) {
      try {
        const frame = await this.#frame(FRAME_PX, 0.7);
        const verdict = await validate(frame, this.#stopping.signal);
        if (this.#stream !== stream) return;
        accepted = verdict.accepted ? accepted + 1 : 0;
        this.#showVerdict(verdict, accepted);
        if (accepted === REQUIRED_ACCEPTED_FRAMES) return this.#takePhoto();
        await pause(PAUSE_MS);
      } catch (problem) {
        if (this.#stream !== stream) return;
        accepted = 0;
        showProgress(0);
        this.#outline.clear();
        this.#advice.display(translate("preview_trouble"));
        await pause(problem.retryAfterS ? 1000 * problem.retryAfterS : ERROR_PAUSE_MS);
      }
    }
  }

  #showVerdict(verdict, accepted) {
    const [image] = verdict.images;
    const [first] = verdict.guidance;
    this.#outline.moveTo(image.document.detected ? image.document.polygon : null, this.#video, verdict.accepted, image.legibility);
    showProgress(accepted);
    if (verdict.accepted) this.#advice.display(translate("hold_still"), true);
    else if (first) this.#advice.display(guidanceText(first));
  }

  async #takePhoto() {
    if (!this.#video.videoWidth) return;
    navigator.vibrate?.(30);
    const photo = await this.#frame(Infinity, 0.93);
    this.#answer(new File([photo], `photo-${timestamp()}.jpg`, { type: "image/jpeg" }));
  }

  /** The current frame as a JPEG; its long side has at most `longestPx` pixels. */
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

/** The document's outline over the video. It moves smoothly, or jumps if the user prefers reduced motion. */
class Outline {
  #svg;
  #polygon;
  #tint;
  #target = null;
  #shown = null;
  #drawing = 0;

  constructor(svg) {
    this.#svg = svg;
    this.#polygon = svg.querySelector("polygon");
    this.#tint = svg.querySelector("g");
    this.clear();
  }

  /** legibility: of the frame; where print is hard to read, a frame that is not accepted is tinted. */
  moveTo(polygon, video, accepted, legibility) {
    if (!polygon) return this.clear();
    const size = { width: video.videoWidth, height: video.videoHeight };
    this.#tint.replaceChildren(...(accepted ? [] : legibilityTint(legibility, polygon, size)));
    this.#svg.setAttribute("viewBox", `0 0 ${video.videoWidth} ${video.videoHeight}`);
    this.#svg.classList.toggle("accepted", accepted);
    this.#target = polygon.map(([x, y]) => [x * video.videoWidth, y * video.videoHeight]);
    if (!this.#shown || reducedMotion.matches) this.#shown = this.#target;
    if (!this.#drawing) this.#draw();
  }

  clear() {
    this.#target = this.#shown = null;
    this.#polygon.setAttribute("points", "");
    this.#tint.replaceChildren();
  }

  end() {
    cancelAnimationFrame(this.#drawing);
    this.clear();
  }

  #draw() {
    this.#drawing = 0;
    if (!this.#target) return;
    const step = (from, to) => from + (to - from) * OUTLINE_STEP;
    this.#shown = this.#shown.map(([x, y], at) => [step(x, this.#target[at][0]), step(y, this.#target[at][1])]);
    this.#polygon.setAttribute("points", this.#shown.map((point) => point.map(Math.round).join()).join(" "));
    this.#drawing = requestAnimationFrame(() => this.#draw());
  }
}

/** Shows one piece of advice at a time, long enough to be read or spoken by a screen reader. */
class Advice {
  #place;
  #since = -MIN_ADVICE_MS;

  constructor(place) {
    this.#place = place;
  }

  display(sentence, good = false) {
    const now = performance.now();
    if (this.#place.textContent === sentence || (now - this.#since < MIN_ADVICE_MS && !good)) return;
    this.#since = now;
    this.#place.textContent = sentence;
    this.#place.classList.toggle("good", good);
  }
}

function stopTracks(stream) {
  for (const track of stream?.getTracks() ?? []) track.stop();
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
