/** The sheet of a document: its cells by path ("total", "line_items.0.amount"), and changes of its rows. */

export const emptyCell = () => ({ state: "absent", text: "", image: null, polygons: [], confidence: null, doubtful: false });

/** The cell at a path; a leaf that its row does not have yet is created. */
export function cellAt(sheet, path) {
  const [group, number, leaf] = path.split(".");
  if (leaf === undefined) return (sheet.fields[group] ??= emptyCell());
  return (sheet.rows[group][Number(number)][leaf] ??= emptyCell());
}

/** The name of a cell's field: line_items.amount. */
export const fieldOf = (path) => path.replace(/\.\d+\./, ".");

/** All paths in the order of the form. kind: description of the document type. */
export function pathsOf(sheet, kind) {
  const single = kind.fields.filter((field) => !field.list).map((field) => field.name);
  const rows = Object.entries(sheet.rows).flatMap(([group, all]) =>
    all.flatMap((row, number) => leavesOf(sheet, kind, group).map((leaf) => `${group}.${number}.${leaf}`)));
  return [...single, ...rows];
}

/** The leaves of a list that any row has; all of them in a list without rows. */
export function leavesOf(sheet, kind, group) {
  const all = kind.fields.filter((field) => field.list === group).map((field) => field.leaf);
  const used = all.filter((leaf) => sheet.rows[group].some((row) => row[leaf] && row[leaf].state !== "absent"));
  return used.length ? used : all;
}

export const listsOf = (kind) => [...new Set(kind.fields.map((field) => field.list).filter(Boolean))];

/** Add an empty row after a row; -1: at the beginning. */
export function addRow(sheet, kind, group, after) {
  const leaves = kind.fields.filter((field) => field.list === group).map((field) => field.leaf);
  sheet.rows[group].splice(after + 1, 0, Object.fromEntries(leaves.map((leaf) => [leaf, emptyCell()])));
}

export const removeRow = (sheet, group, number) => sheet.rows[group].splice(number, 1);

/** Join a row with the next one: texts of both, in their order; of other values the one that is printed. */
export function joinRows(sheet, kind, group, number) {
  const [first, second] = sheet.rows[group].slice(number, number + 2);
  if (!second) return;
  const isText = (leaf) => kind.fields.find((field) => field.name === `${group}.${leaf}`)?.kind === "string";
  const joined = {};
  for (const leaf of new Set([...Object.keys(first), ...Object.keys(second)])) {
    const printed = [first[leaf], second[leaf]].filter((cell) => cell?.state === "printed");
    joined[leaf] = printed.length === 2 && isText(leaf) ? joinCells(...printed) : (printed[0] ?? first[leaf] ?? second[leaf]);
  }
  sheet.rows[group].splice(number, 2, joined);
}

function joinCells(one, other) {
  const same = one.image === other.image;
  return { ...one, text: `${one.text} ${other.text}`, polygons: same ? [...one.polygons, ...other.polygons] : one.polygons, confidence: null };
}
