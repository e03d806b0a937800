// The replay viewer in the browser. Everything that comes from a replay reaches the page as textContent or as an attribute
// value under the allow-list; nothing is ever parsed as markup. The constant ALLOWED, {tags, attributes: {name: form of its
// value}}, is put before this text by __init__.py, out of dashboard/scene.py.

const SVG = "http://www.w3.org/2000/svg";

const TAGS = new Set(ALLOWED.tags);
const VALUES = new Map(Object.entries(ALLOWED.attributes).map(([name, form]) => [name, new RegExp(`^(?:${form})$`)]));

const REST = 250; // ms without a move before the address, the live region and the server hear of it
const ROW = 34; // height of an event in the list, px
const SPARE_ROWS = 6; // drawn beyond either end of the view
const MOST_MARKS = 150; // turn marks on the scrubber; more would be a solid bar

// Keys are left to whatever has its own use for them.
const KEY_EATERS =
  "input, textarea, select, [contenteditable], [role=slider], [role=radiogroup], [role=tablist], [role=listbox], " +
  "[role=menu], [role=grid], [role=combobox], canvas";
const SPACE_EATERS = "button, a, summary";

const viewers = new WeakMap();

export default function mount({ data, parentElement, setStateValue }) {
  let viewer = viewers.get(parentElement);
  if (!viewer) viewers.set(parentElement, (viewer = new Viewer(parentElement.querySelector(".viewer"))));
  viewer.report = (step) => setStateValue("step", step);
  viewer.take(data);
  return () => {
    viewer.close();
    viewers.delete(parentElement);
  };
}

class Viewer {
  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.rev = null;
    this.step = 0;
    this.steps = [];
    this.player = null;
    this.height = 0;
    this.listeners = new AbortController();
    this.listen();
    this.sizes = new ResizeObserver(([{ contentRect }]) => {
      this.height = contentRect.height;
      if (this.steps.length) this.drawEvents();
    });
    this.sizes.observe(this.find(".list"));
  }

  // Two lines of JSON: {rev, step}, then the payload, which is read only if the revision is new.
  take(bytes) {
    const cut = bytes.indexOf(10);
    const decoder = new TextDecoder();
    const head = JSON.parse(decoder.decode(bytes.subarray(0, cut)));
    if (head.rev === this.rev) return;
    const opening = this.rev === null; // at a step that the server and the address know
    this.rev = head.rev;
    this.load(JSON.parse(decoder.decode(bytes.subarray(cut + 1))));
    this.go(head.step, { quiet: opening });
  }

  close() {
    this.pause();
    clearTimeout(this.resting);
    this.listeners.abort();
    this.sizes.disconnect();
  }

  // --- loading ---

  load({ steps, picture, state, width, height, seats, warning }) {
    this.pause();
    clearTimeout(this.resting);
    this.steps = steps;
    this.seats = seats;
    this.last = Math.max(steps.length - 1, 0);
    this.turns = steps.flatMap(({ turn }, i) => (i === 0 || turn !== steps[i - 1].turn ? [i] : []));

    show(this.find(".warning"), warning);
    this.find(".empty").hidden = steps.length > 0;
    this.find(".stage").hidden = steps.length === 0;
    this.find(".total").textContent = `of ${this.last}`;
    this.find(".range").max = this.find(".number").max = this.last;
    this.loadPicture(picture, width, height);
    this.loadTurnMarks();
    this.loadEvents();
    this.loadState(state);
  }

  loadPicture(picture, width, height) {
    const svg = this.find(".picture");
    svg.setAttribute("viewBox", `0 0 ${Number(width)} ${Number(height)}`);
    this.groups = Object.entries(picture).map(([name, track]) => {
      const node = document.createElementNS(SVG, "g");
      node.dataset.group = name;
      return { name, track, node, shown: -1 };
    });
    this.halos = document.createElementNS(SVG, "g");
    svg.replaceChildren(...this.groups.map(({ node }) => node), this.halos);
  }

  loadTurnMarks() {
    const marks = this.turns.length <= MOST_MARKS ? this.turns : [];
    const d = marks.map((at) => `M${this.last ? at / this.last : 0} 0v1`).join("");
    this.find(".turns path").setAttribute("d", d);
  }

  loadEvents() {
    this.haystacks = this.steps.map(({ words, kind, subject, rule }) =>
      [words, kind, subject, rule].filter(Boolean).join(" ").toLowerCase(),
    );
    const kinds = [...new Set(this.steps.map(({ kind }) => kind))].sort();
    const seats = [...new Set(this.steps.map(({ seat }) => seat))].filter((seat) => seat !== null).sort((a, b) => a - b);
    choices(this.find(".kind"), [["", "All events"], ["moves", "Moves only"], ...kinds.map((kind) => [`kind:${kind}`, kind])]);
    choices(this.find(".seat"), [["", "All seats"], ...seats.map((seat) => [seat, this.seatName(seat)])]);
    this.filter();
  }

  loadState(state) {
    const tree = this.find(".tree");
    const open = new Set([...tree.querySelectorAll("details[open]")].map(({ dataset }) => dataset.path));
    tree.replaceChildren();
    const branches = new Map([["", tree]]);
    const branch = (path, name, parent) => {
      if (!branches.has(path)) {
        const node = make("details");
        node.dataset.path = path;
        node.open = open.has(path);
        node.append(make("summary", "", name));
        parent.append(node);
        branches.set(path, node);
      }
      return branches.get(path);
    };
    this.leaves = Object.entries(state).map(([path, track]) => {
      const parts = path.match(/\[[^\]]*\]|[^.[\]]+/g) ?? [path];
      let parent = tree;
      let way = "";
      for (const part of parts.slice(0, -1)) {
        way += `/${part}`;
        parent = branch(way, part, parent);
      }
      const row = make("p", "leaf");
      const value = make("span", "value");
      value.dir = "auto";
      row.append(make("span", "name", parts.at(-1)), value);
      row.hidden = true;
      parent.append(row);
      return { path, track, row, value, shown: -1 };
    });
    // Changes are listed in the order of the tree, though a path may have come late.
    const order = new Map([...tree.querySelectorAll(".leaf")].map((row, i) => [row, i]));
    this.leaves.sort((a, b) => order.get(a.row) - order.get(b.row));
    this.branches = [...branches.values()].slice(1).reverse(); // inner ones first
  }

  seatName(seat) {
    return this.seats[seat] ?? `Seat ${seat}`;
  }

  // --- moving ---

  go(step, { quiet = false } = {}) {
    if (!this.steps.length || !Number.isFinite(step)) return;
    this.step = Math.min(Math.max(Math.trunc(step), 0), this.last);
    this.drawPicture();
    this.drawWords();
    this.drawControls();
    this.drawEvents();
    this.drawState();
    this.drawMarks(); // last, since it measures the picture
    if (!quiet) this.rest();
  }

  move(step) {
    this.pause();
    this.go(step);
  }

  turnBack() {
    this.move(this.turns.findLast((at) => at < this.step) ?? 0);
  }

  turnForth() {
    this.move(this.turns.find((at) => at > this.step) ?? this.last);
  }

  nextShown(direction) {
    const step = direction > 0 ? this.shown.find((at) => at > this.step) : this.shown.findLast((at) => at < this.step);
    if (step !== undefined) this.move(step);
  }

  play() {
    if (this.player) return this.pause();
    if (this.last === 0) return;
    if (this.step === this.last) this.go(0);
    const beat = () => {
      this.go(this.step + 1);
      if (this.step === this.last) this.pause();
    };
    this.player = setInterval(beat, 1000 / Number(this.find(".speed").value));
    this.drawControls();
  }

  pause() {
    if (!this.player) return;
    clearInterval(this.player);
    this.player = null;
    this.drawControls();
    this.rest();
  }

  // Once nobody has moved for a moment: a reload, a screen reader and the server learn the step. While it plays, nobody does.
  rest() {
    clearTimeout(this.resting);
    if (this.player) return;
    this.resting = setTimeout(() => {
      const address = new URL(location.href);
      address.searchParams.set("step", this.step);
      history.replaceState(history.state, "", address);
      this.find(".spoken").textContent = `Step ${this.step} of ${this.last}: ${this.steps[this.step].words}`;
      this.report(this.step);
    }, REST);
  }

  // --- drawing a step ---

  drawPicture() {
    const svg = this.find(".picture");
    svg.setAttribute("aria-label", this.steps[this.step].about);
    for (const group of this.groups) {
      const entry = seek(group.track, this.step);
      if (entry === group.shown) continue;
      group.shown = entry;
      group.node.replaceChildren(...(group.track[entry]?.[1] ?? []).map(element).filter(Boolean));
    }
  }

  drawMarks() {
    const marked = new Set(this.steps[this.step].marked);
    for (const { name, node } of this.groups) node.classList.toggle("marked", marked.has(name));
    this.halos.replaceChildren(...this.groups.filter(({ name }) => marked.has(name)).map(({ node }) => halo(node)));
  }

  drawWords() {
    const { turn, round, seat, kind, words, rule, ruling, move } = this.steps[this.step];
    const facts = [`Turn ${turn}`];
    if (round !== null) facts.unshift(`Round ${round}`);
    if (seat !== null) facts.push(this.seatName(seat));
    facts.push(kind.replaceAll("_", " "), move ? "move" : "consequence");
    this.find(".facts").replaceChildren(
      ...facts.map((fact) => {
        const chip = make("span", "fact", fact);
        chip.dir = "auto";
        return chip;
      }),
    );
    this.find(".now .words").textContent = words;
    const button = this.find(".rule");
    show(button, rule ?? (ruling && "Rule"));
    button.disabled = !ruling;
    this.find(".ruling").textContent = ruling ?? "";
    this.find(".ruling").hidden = !ruling || button.getAttribute("aria-expanded") !== "true";
  }

  drawControls() {
    const { step, last } = this;
    const range = this.find(".range");
    range.value = step;
    range.style.setProperty("--done", `${last ? (100 * step) / last : 100}%`);
    range.setAttribute("aria-valuetext", `${step} of ${last}: ${this.steps[step].words}`);
    this.find(".number").value = step;
    const playing = this.player !== null;
    this.root.classList.toggle("playing", playing);
    this.find(".play").setAttribute("aria-label", playing ? "Pause" : "Play");
    // Not `disabled`: a button that has the focus would lose it at the last step.
    for (const name of ["first", "turnBack", "back"]) this.find(`[data-do=${name}]`).ariaDisabled = String(step === 0);
    for (const name of ["forth", "turnForth", "last"]) this.find(`[data-do=${name}]`).ariaDisabled = String(step === last);
  }

  // Brings the event of the step into view; by hand, since scrollIntoView would also scroll the page.
  drawEvents() {
    const list = this.find(".list");
    const focused = list.contains(this.root.getRootNode().activeElement);
    const place = this.places[this.step];
    if (place >= 0 && this.height > 0) {
      const top = place * ROW;
      const highest = Math.max(top - ROW, 0); // with a row to spare above, or below
      const lowest = top + 2 * ROW - this.height;
      const away = Math.max(this.scrolled - highest, lowest - this.scrolled);
      if (away > 3 * ROW) this.scrollTo(top - this.height / 2);
      else if (away > 0) this.scrollTo(this.scrolled > highest ? highest : lowest);
    }
    this.drawRows();
    if (focused) this.rows.get(place)?.firstChild.focus({ preventScroll: true });
  }

  scrollTo(top) {
    this.find(".list").scrollTop = top;
    this.scrolled = this.find(".list").scrollTop;
  }

  // Only the rows in view exist, so that a step costs the same in a long game as in a short one.
  drawRows() {
    const from = Math.max(Math.floor(this.scrolled / ROW) - SPARE_ROWS, 0);
    const to = Math.min(Math.ceil((this.scrolled + this.height) / ROW) + SPARE_ROWS, this.shown.length);
    for (const [place, row] of this.rows) {
      if (place >= from && place < to) continue;
      row.remove();
      this.rows.delete(place);
    }
    const list = this.find(".list ol");
    let next = list.firstChild;
    for (let place = from; place < to; place += 1) {
      const known = this.rows.get(place);
      const row = known ?? this.row(place);
      if (known) next = known.nextSibling;
      else list.insertBefore(row, next);
      this.rows.set(place, row);
      const current = this.shown[place] === this.step;
      row.classList.toggle("current", current);
      row.firstChild.tabIndex = current ? 0 : -1;
      if (current) row.firstChild.setAttribute("aria-current", "step");
      else row.firstChild.removeAttribute("aria-current");
    }
  }

  row(place) {
    const at = this.shown[place];
    const { words, move, turn } = this.steps[at];
    const row = make("li", move ? "move" : "");
    row.style.top = `${place * ROW}px`;
    row.setAttribute("aria-posinset", place + 1);
    row.setAttribute("aria-setsize", this.shown.length);
    const button = make("button");
    button.type = "button";
    button.dataset.step = at;
    const label = make("span", "words", words);
    label.dir = "auto";
    button.append(make("span", "at", at), label);
    if (this.turns.includes(at)) {
      row.classList.add("opens");
      button.append(make("span", "turn", `turn ${turn}`));
    }
    row.append(button);
    return row;
  }

  drawState() {
    const changes = [];
    for (const leaf of this.leaves) {
      const { path, track, row, value } = leaf;
      const entry = seek(track, this.step);
      const changed = entry >= 0 && track[entry][0] === this.step && this.step > 0;
      row.classList.toggle("changed", changed);
      if (changed) changes.push([path, track[entry - 1]?.[1] ?? null, track[entry][1]]);
      if (entry === leaf.shown) continue;
      leaf.shown = entry;
      const now = track[entry]?.[1] ?? null;
      value.textContent = now;
      row.hidden = now === null;
    }
    for (const node of this.branches) {
      const inner = [...node.children].slice(1);
      node.hidden = inner.every(({ hidden }) => hidden);
      node.classList.toggle("changed", inner.some(({ classList }) => classList.contains("changed")));
    }
    this.find(".unchanged").hidden = changes.length > 0;
    this.find(".unchanged").textContent = this.step === 0 ? "The first step: everything is new." : "Nothing.";
    this.find(".diff").replaceChildren(...changes.map(change));
  }

  // --- filters ---

  filter() {
    const needles = this.find(".needle").value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = this.find(".kind").value;
    const seat = this.find(".seat").value;
    const fits = (step, i) =>
      (kind === "" || (kind === "moves" ? step.move : kind === `kind:${step.kind}`)) &&
      (seat === "" || seat === String(step.seat)) &&
      needles.every((needle) => this.haystacks[i].includes(needle));
    this.shown = this.steps.flatMap((step, i) => (fits(step, i) ? [i] : [])); // place in the list -> step
    this.places = new Int32Array(this.steps.length).fill(-1); // step -> place in the list
    this.shown.forEach((step, place) => (this.places[step] = place));

    const all = this.steps.length;
    this.find(".count").textContent = this.shown.length === all ? `${all} events` : `${this.shown.length} of ${all} events`;
    this.find(".list ol").replaceChildren();
    this.find(".list ol").style.height = `${this.shown.length * ROW}px`;
    this.rows = new Map(); // place in the list -> its row, of those in view
    this.scrolled = this.find(".list").scrollTop;
    if (all) this.drawEvents();
  }

  // --- input ---

  listen() {
    const on = (target, type, handle) => target.addEventListener(type, handle, { signal: this.listeners.signal });
    const { find } = this;
    on(this.root, "click", (event) => {
      const button = event.target.closest("[data-do]");
      if (button && button.ariaDisabled !== "true") this.do(button.dataset.do);
    });
    on(find(".list"), "click", (event) => {
      const button = event.target.closest("[data-step]");
      if (button) this.move(Number(button.dataset.step));
    });
    on(find(".list"), "scroll", () => {
      this.scrolled = find(".list").scrollTop;
      this.drawRows();
    });
    on(find(".range"), "input", (event) => this.move(event.target.valueAsNumber));
    on(find(".number"), "change", (event) => {
      this.move(event.target.valueAsNumber);
      event.target.value = this.step;
    });
    on(find(".speed"), "change", () => {
      if (!this.player) return;
      this.pause();
      this.play();
    });
    on(find(".rule"), "click", ({ currentTarget }) => {
      const open = currentTarget.getAttribute("aria-expanded") !== "true";
      currentTarget.setAttribute("aria-expanded", open);
      find(".ruling").hidden = !open;
    });
    on(find(".needle"), "input", () => this.filter());
    on(find(".kind"), "change", () => this.filter());
    on(find(".seat"), "change", () => this.filter());
    on(find(".needle"), "keydown", (event) => {
      if (event.key !== "Escape") return;
      event.target.value = "";
      event.target.blur();
      this.filter();
    });
    on(document, "keydown", (event) => this.key(event));
  }

  do(name) {
    const actions = {
      first: () => this.move(0),
      turnBack: () => this.turnBack(),
      back: () => this.move(this.step - 1),
      play: () => this.play(),
      forth: () => this.move(this.step + 1),
      turnForth: () => this.turnForth(),
      last: () => this.move(this.last),
      help: () => (this.find(".keys").open ? this.find(".keys").close() : this.find(".keys").showModal()),
      zoom: () => this.find(".zoom").setAttribute("aria-pressed", this.find(".table").classList.toggle("large")),
      filter: () => this.find(".needle").focus(),
      shownBack: () => this.nextShown(-1),
      shownForth: () => this.nextShown(1),
    };
    actions[name]();
  }

  key(event) {
    const name = this.actionOf(event);
    if (!name) return;
    event.preventDefault();
    this.do(name);
  }

  actionOf(event) {
    const { key } = event;
    const command = event.ctrlKey || event.altKey || event.metaKey;
    // On many keyboards [ and ] need AltGr, which counts as Ctrl+Alt.
    if (event.defaultPrevented || event.isComposing || (command && !event.getModifierState("AltGraph"))) return null;
    if (!this.root.checkVisibility() || !this.steps.length) return null;
    if (this.find(".keys").open) return key === "?" ? "help" : null;
    if (document.querySelector("[role=dialog]")) return null;
    const path = event.composedPath().filter((node) => node instanceof Element);
    const own = path[0] === this.find(".range");
    if (!own && path.some((node) => node.matches(KEY_EATERS))) return null;
    if (key === " ") return event.repeat || path.some((node) => node.matches(SPACE_EATERS)) ? null : "play";
    if (key === "ArrowLeft") return event.shiftKey ? "turnBack" : "back";
    if (key === "ArrowRight") return event.shiftKey ? "turnForth" : "forth";
    if (path.includes(this.find(".list"))) {
      if (key === "ArrowUp") return "shownBack";
      if (key === "ArrowDown") return "shownForth";
    }
    const rest = { "[": "turnBack", "]": "turnForth", Home: "first", End: "last", "/": "filter", "?": "help" };
    return Object.hasOwn(rest, key) ? rest[key] : null;
  }
}

// --- plain functions ---

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
