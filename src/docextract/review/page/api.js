/** Requests to the review's own server. */

/** A request that was refused: status, code, detail, and faults by path. */
export class Refusal extends Error {
  constructor(status, { code = "unreachable", detail = "", faults = {} } = {}) {
    super(detail || code);
    Object.assign(this, { status, code, faults });
  }
}

async function send(path, method = "GET", body = undefined) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refusal(0);
  }
  const answer = await response.json().catch(() => ({ code: "unreachable" }));
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

export const listDocuments = () => send("documents");
export const openDocument = (id) => send(`documents/${id}`);
export const openAsType = (id, type) => send(`documents/${id}/as/${encodeURIComponent(type)}`);
export const saveDocument = (id, content) => send(`documents/${id}`, "PUT", content);
export const readBox = (id, image, box) => send(`documents/${id}/boxes`, "POST", { image, box });
export const normalise = (type, field, text, dateOrder) => send("values", "POST", { type, field, text, date_order: dateOrder });
export const listTypes = () => send("types");
export const addType = (description) => send("types", "POST", description);
/** The picture of a page. The digest of the file keeps the browser from showing one that it has of a replaced file. */
export const pictureAddress = (document, image) => `documents/${document.id}/pages/${image}?file=${document.file}`;
