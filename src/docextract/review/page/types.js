/** The dialog that describes a new document type. */

import { byId, element } from "../demo/dom.js";
import { translate } from "../demo/words.js";
import { addType } from "./api.js";

const FIRST_ROWS = 4;

/** Ask for a new type; returns its name and all types, or null. fieldTypes: the kinds of values. */
export function askForType(fieldTypes) {
  const dialog = byId("new-type");
  byId("new-type-form").reset();
  byId("type-problem").textContent = "";
  byId("type-fields").replaceChildren(...Array.from({ length: FIRST_ROWS }, (_, at) => fieldRow(fieldTypes, at)));
  dialog.returnValue = "";
  dialog.showModal();
  byId("type-name").focus();
  return new Promise((resolve) => {
    byId("add-field").onclick = () => {
      const row = fieldRow(fieldTypes, byId("type-fields").children.length);
      byId("type-fields").append(row);
      row.querySelector("input").focus();
    };
    byId("new-type-form").onsubmit = async (event) => {
      event.preventDefault();
      try {
        const name = byId("type-name").value;
        const described = await addType({ name, ...fieldsOf() });
        dialog.close();
        resolve({ name, ...described });
      } catch (refusal) {
        byId("type-problem").textContent = refusal.message;
      }
    };
    dialog.onclose = () => resolve(null); // after a success this has no effect
  });
}

function fieldRow(fieldTypes, at) {
  const number = at + 1;
  return element("tr", {},
    element("td", {}, element("input", { type: "text", class: "field-name", pattern: "[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)?", spellcheck: "false", "aria-label": `${translate("field_name")} ${number}` })),
    element("td", {}, element("select", { class: "field-type", "aria-label": `${translate("field_type")} ${number}` },
      fieldTypes.map((one) => element("option", { value: one }, one.replaceAll("_", " "))))),
    element("td", {}, element("input", { type: "checkbox", class: "field-required", "aria-label": `${translate("expected")} ${number}` })));
}

function fieldsOf() {
  const rows = [...byId("type-fields").children].map((row) => ({
    name: row.querySelector(".field-name").value.trim(),
    type: row.querySelector(".field-type").value,
    required: row.querySelector(".field-required").checked,
  })).filter((row) => row.name);
  return {
    fields: Object.fromEntries(rows.map((row) => [row.name, row.type])),
    required: rows.filter((row) => row.required).map((row) => row.name),
  };
}
