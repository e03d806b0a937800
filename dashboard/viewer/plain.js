// Functions that know nothing of a viewer. Everything that comes from a replay reaches the page as textContent or as an
// attribute value under the allow-list; nothing is ever parsed as markup. The constant ALLOWED, {tags, attributes: {name:
// form of its value}}, is put before this text by __init__.py, out of dashboard/scene.py.

const SVG = "http://www.w3.org/2000/svg";

const TAGS = new Set(ALLOWED.tags);
const VALUES = new Map(Object.entries(ALLOWED.attributes).map(([name, form]) => [name, new RegExp(`^(?:${form})$`)]));

// The number of the last entry of a track at or before a step, -1 before its first.
function seek(track, step) {
  let low = 0;
  let high = track.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track[middle][0] <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// An element of a picture, or null for one that no picture may hold.
function element([tag, attributes, text]) {
  if (!TAGS.has(tag)) return null;
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (VALUES.get(name)?.test(value)) node.setAttribute(name, value);
  }
  if (tag === "text" && text !== null) node.textContent = text;
  return node;
}

// A frame around a group that a step changed: seen without telling colours apart.
function halo(node) {
  const { x, y, width, height } = node.getBBox();
  const frame = document.createElementNS(SVG, "rect");
  frame.setAttribute("class", "halo");
  if (width === 0) return frame;
  const room = 5;
  const shape = { x: x - room, y: y - room, width: width + 2 * room, height: height + 2 * room, rx: 10 };
  for (const [name, value] of Object.entries(shape)) frame.setAttribute(name, value);
  return frame;
}

function change([path, before, after]) {
  const row = make("li");
  const was = before === null ? make("span", "absent", "absent") : make("del", "", before);
  const is = after === null ? make("span", "absent", "absent") : make("ins", "", after);
  was.dir = is.dir = "auto";
  row.append(make("code", "", path), was, make("span", "arrow", "→"), is);
  return row;
}

function choices(select, options) {
  const chosen = select.value;
  select.replaceChildren(...options.map(([value, words]) => new Option(words, value)));
  select.value = options.some(([value]) => String(value) === chosen) ? chosen : "";
}

function make(tag, look = "", words = null) {
  const node = document.createElement(tag);
  if (look) node.className = look;
  if (words !== null) node.textContent = words;
  return node;
}

function show(node, words) {
  node.hidden = !words;
  node.textContent = words ?? "";
}

function grouped(pairs) {
  const groups = new Map();
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value]);
  return groups;
}

// Where the words of a filter are looked for.
function haystack({ words, kind, subject, rule }) {
  return [words, kind, subject, rule].filter(Boolean).join(" ").toLowerCase();
}
