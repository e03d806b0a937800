// The replay viewer in the browser: it holds the frames and steps through them. plain.js, walks.js, state.js,
// notes.js and chances.js stand before this text in one module.

const REST = 250; // ms without a move before the address, the live region and the server hear of it
const ROW = 34; // height of an event in the list, px
const SPARE_ROWS = 6; // drawn beyond either end of the view
const MOST_MARKS = 150; // turn marks on the scrubber; more would be a solid bar

// Keys are left to whatever has its own use for them.
const KEY_EATERS =
  "input, textarea, select, [contenteditable], [role=slider], [role=radiogroup], [role=tablist], [role=listbox], " +
  "[role=menu], [role=grid], [role=combobox], canvas";
const SPACE_EATERS = "button, a, summary";

const MOST_LOST = 200; // rows for events that cannot be shown

const viewers = new WeakMap();
const live = new Set(); // those on the page, in the order in which they came

export default function mount({ data, parentElement, setStateValue, setTriggerValue }) {
  let viewer = viewers.get(parentElement);
  if (!viewer) viewers.set(parentElement, (viewer = new Viewer(parentElement.querySelector(".viewer"))));
  viewer.report = setStateValue;
  viewer.note = (note) => setTriggerValue("note", note);
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
    this.steps = []; // those that are loaded, from step `first` to before step `end`
    this.first = this.end = this.last = 0;
    this.player = null;
    this.pending = null; // what goes on once another part is here
    this.hits = new Map(); // step -> the watches that hold there
    this.noted = new Map(); // step -> its notes
    this.state = new StateView(this);
    this.notes = new NotesView(this);
    this.chances = new ChancesView(this);
    this.height = 0;
    this.listeners = new AbortController();
    live.add(this);
    this.listen();
    this.sizes = new ResizeObserver(([{ contentRect }]) => {
      this.height = contentRect.height;
      if (this.steps.length) this.drawEvents();
    });
    this.sizes.observe(this.find(".list"));
  }

  // Two lines of JSON: the head, then the payload, which is read only if the revision is new.
  take(bytes) {
    const cut = bytes.indexOf(10);
    const decoder = new TextDecoder();
    const head = JSON.parse(decoder.decode(bytes.subarray(0, cut)));
    const opening = this.rev === null; // at a step that the server and the address know
    if (opening) this.loadTabs(head);
    if (head.rev !== this.rev) {
      const another = head.of !== this.of;
      this.rev = head.rev;
      this.of = head.of;
      if (another) this.pause();
      this.load(JSON.parse(decoder.decode(bytes.subarray(cut + 1))));
      this.loadAside(head);
      if (another) this.go(head.step, { quiet: opening });
      else this.goOn(head.step);
    } else {
      this.loadAside(head);
      if (this.steps.length) this.go(this.step, { quiet: true });
    }
  }

  close() {
    this.pause();
    clearTimeout(this.resting);
    live.delete(this);
    this.listeners.abort();
    this.sizes.disconnect();
  }

  // --- loading ---

  load({ steps, picture, elements, sentences, state, width, height, seats, warning, rulings, first, total, turns, lost }) {
    clearTimeout(this.resting);
    this.steps = steps;
    this.elements = elements;
    this.sentences = sentences;
    this.rulings = rulings;
    this.seats = seats;
    this.lost = lost;
    this.first = first;
    this.end = first + steps.length;
    this.whole = total === null;
    this.last = Math.max((total ?? steps.length) - 1, 0);
    this.turns = this.whole ? this.turnStarts() : turns.map(((at) => (far) => (at += far))(0));
    this.opens = new Set(this.turns);

    show(this.find(".warning"), warning);
    this.find(".empty").hidden = steps.length > 0;
    this.find(".stage").hidden = steps.length === 0;
    this.find(".total").textContent = `of ${this.last}`;
    this.find(".range").max = this.find(".number").max = this.last;
    this.find(".loading").hidden = true;
    this.loadPicture(picture, width, height);
    this.loadTurnMarks();
    this.state.load(state);
    this.loadEvents();
  }

  turnStarts() {
    return this.steps.flatMap(({ turn }, i) => (i === 0 || turn !== this.steps[i - 1].turn ? [i] : []));
  }

  // What stands beside the frames: it may change while they stay.
  loadAside({ watches, notes, writes, together, line, judged }) {
    this.together = together;
    this.hits = grouped(watches.flatMap(({ text, hits }) => hits.map((at) => [at, text])));
    this.noted = grouped(notes.map((note) => [note.step, note.text || "bookmark"]));
    this.find(".marks .hits").setAttribute("d", this.marks([...this.hits.keys()]));
    this.find(".marks .noted").setAttribute("d", this.marks([...this.noted.keys()]));
    this.find(".legend").hidden = this.hits.size + this.noted.size === 0;
    this.notes.load(notes, writes);
    this.chances.load(line, judged);
    this.find(".list ol").replaceChildren();
    this.rows = new Map();
  }

  loadTabs({ tabs, tab }) {
    this.find(".tabs").replaceChildren(
      ...tabs.map(([name, words]) => {
        const button = make("button", "tab", words);
        button.type = "button";
        button.id = `tab-${name}`;
        button.dataset.tab = name;
        button.setAttribute("role", "tab");
        return button;
      }),
    );
    this.find(".tabs").hidden = tabs.length < 2;
    this.showTab(tab);
  }

  showTab(name) {
    this.tab = name;
    for (const button of this.find(".tabs").children) {
      const chosen = button.dataset.tab === name;
      button.setAttribute("aria-selected", chosen);
      button.tabIndex = chosen ? 0 : -1;
    }
    for (const panel of this.root.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== name;
  }

  chooseTab(name) {
    if (name === this.tab) return;
    this.showTab(name);
    this.inAddress("tab", name);
    this.report("tab", name);
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
    this.find(".turns path").setAttribute("d", this.turns.length <= MOST_MARKS ? this.marks(this.turns) : "");
  }

  // Strokes over the scrubber. Where they lie closer than they are wide, one stands for all.
  marks(steps) {
    const places = new Set(steps.map((at) => Math.round((1000 * at) / Math.max(this.last, 1)) / 1000));
    return [...places].map((x) => `M${x} 0v1`).join("");
  }

  loadEvents() {
    this.find(".passing").hidden = !this.steps.some(({ passing }) => passing);
    const kinds = [...new Set(this.steps.map(({ kind }) => kind))].sort();
    const seats = [...new Set(this.steps.map(({ seat }) => seat))].filter((seat) => seat !== null).sort((a, b) => a - b);
    choices(this.find(".kind"), [["", "All events"], ["moves", "Moves only"], ...kinds.map((kind) => [`kind:${kind}`, kind])]);
    choices(this.find(".seat"), [["", "All seats"], ...seats.map((seat) => [seat, this.seatName(seat)])]);
    this.filter();
  }

  seatName(seat) {
    return this.seats[seat] ?? `Seat ${seat}`;
  }

  // --- moving ---

  at(step) {
    return this.steps[step - this.first];
  }

  get now() {
    return this.at(this.step);
  }

  go(step, { quiet = false } = {}) {
    if (!this.steps.length || !Number.isFinite(step)) return;
    const wanted = Math.min(Math.max(Math.trunc(step), 0), this.last);
    if (wanted < this.first || wanted >= this.end) return this.fetch(wanted);
    this.step = wanted;
    this.say("");
    this.drawPicture();
    this.drawWords();
    this.drawControls();
    this.drawEvents();
    this.state.draw(this.step);
    this.chances.draw(this.step);
    this.drawMarks(); // last, since it measures the picture
    if (!quiet) this.rest();
  }

  // A step that is not loaded: the server is told of it, and answers with the part around it.
  fetch(step, then = null) {
    clearTimeout(this.resting);
    this.pending = { step, then };
    this.find(".loading").hidden = false;
    this.find(".number").value = this.find(".range").value = step;
    this.report("step", step);
  }

  // Another part has come: to the step it was for, or on from where its user is by now.
  goOn(step) {
    const { pending } = this;
    this.pending = null;
    if (pending?.then) return pending.then();
    const here = pending ? pending.step : this.step;
    this.go(here >= this.first && here < this.end ? here : step, { quiet: !pending });
  }

  // By the user's own hand. Viewers that lie side by side go together.
  move(step) {
    this.pause();
    this.go(step);
    if (this.together) for (const other of live) if (other !== this && other.together) other.go(step);
  }

  // A move to far away, with a way back.
  jump(step) {
    if (step !== this.step) this.origin = this.step;
    this.move(step);
    this.drawReturn();
  }

  return() {
    if (this.origin === undefined) return;
    const back = this.origin;
    this.origin = undefined;
    this.move(back);
    this.drawReturn();
  }

  drawReturn() {
    show(this.find(".return"), this.origin === undefined ? null : `Back to step ${this.origin}`);
  }

  // To the next step that a walk stops at. In a long replay it goes on through parts that are not loaded.
  walk(name, direction) {
    this.pause();
    const asks = WALKS[name](this);
    if (!asks) return this.say(NOTHING[name] ?? "");
    const known = { turn: this.turns, hit: this.hits, note: this.noted, mistake: this.chances.judged }[name];
    if (known) {
      const steps = [...(known === this.turns ? known : known.keys())].sort((a, b) => a - b);
      const found = direction > 0 ? steps.find((at) => at > this.step) : steps.findLast((at) => at < this.step);
      if (found === undefined && name === "turn") return this.move(direction > 0 ? this.last : 0);
      return found === undefined ? this.none(name, direction) : this.move(found);
    }
    this.search(name, asks, direction, this.step + direction, this.step);
  }

  search(name, asks, direction, from, origin) {
    for (let at = from; at >= this.first && at < this.end; at += direction) {
      if (asks(this.at(at), at)) return this.move(at);
    }
    const next = direction > 0 ? this.end : this.first - 1;
    if (next >= 0 && next <= this.last) {
      this.fetch(next, () => this.search(name, asks, direction, next, origin));
    } else {
      this.move(origin);
      this.none(name, direction);
    }
  }

  none(name, direction) {
    this.say(`No ${direction > 0 ? "later" : "earlier"} step: ${WALK_WORDS[name]}.`);
  }

  say(words) {
    show(this.find(".saying"), words || null);
  }

  play() {
    if (this.player) return this.pause();
    if (this.last === 0) return;
    if (this.step === this.last) this.go(0);
    const beat = () => {
      if (this.pending) return;
      this.go(this.step + 1);
      if (this.step === this.last) this.pause();
    };
    this.player = setInterval(beat, 1000 / Number(this.find(".speed").value));
    this.root.classList.add("playing");
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
      this.inAddress("step", this.step);
      this.find(".spoken").textContent = `Step ${this.step} of ${this.last}: ${this.now.words}`;
      this.report("step", this.step);
    }, REST);
  }

  inAddress(name, value) {
    if (location.protocol === "file:") return; // a page of one file: its address stays
    const address = new URL(location.href);
    address.searchParams.set(name, value);
    history.replaceState(history.state, "", address);
  }

  // --- drawing a step ---

  drawPicture() {
    const svg = this.find(".picture");
    svg.setAttribute("aria-label", this.now.about.map((number) => this.sentences[number]).join(". "));
    for (const group of this.groups) {
      const entry = seek(group.track, this.step);
      if (entry === group.shown) continue;
      group.shown = entry;
      group.node.replaceChildren(...(group.track[entry]?.[1] ?? []).map((number) => element(this.elements[number])).filter(Boolean));
    }
  }

  drawMarks() {
    const marked = new Set(this.now.marked);
    for (const { name, node } of this.groups) node.classList.toggle("marked", marked.has(name));
    this.halos.replaceChildren(...this.groups.filter(({ name }) => marked.has(name)).map(({ node }) => halo(node)));
  }

  drawWords() {
    const { turn, round, seat, kind, words, rule, move } = this.now;
    const ruling = this.rulings[rule] ?? null;
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
    show(button, rule);
    button.disabled = !ruling;
    this.find(".ruling").textContent = ruling ?? "";
    this.find(".ruling").hidden = !ruling || button.getAttribute("aria-expanded") !== "true";
  }

  drawControls() {
    const { step, last } = this;
    const range = this.find(".range");
    range.value = step;
    range.style.setProperty("--done", `${last ? (100 * step) / last : 100}%`);
    range.setAttribute("aria-valuetext", `${step} of ${last}: ${this.now.words}`);
    this.find(".number").value = step;
    const playing = this.player !== null;
    this.root.classList.toggle("playing", playing);
    this.find(".play").setAttribute("aria-label", playing ? "Pause" : "Play");
    // Not `disabled`: a button that has the focus would lose it at the last step.
    for (const name of ["first", "turn-back", "back"]) this.find(`[data-name=${name}]`).ariaDisabled = String(step === 0);
    for (const name of ["forth", "turn-forth", "last"]) this.find(`[data-name=${name}]`).ariaDisabled = String(step === last);
  }

  // Brings the event of the step into view; by hand, since scrollIntoView would also scroll the page.
  drawEvents() {
    const list = this.find(".list");
    const focused = list.contains(this.root.getRootNode().activeElement);
    const place = this.places[this.step - this.first];
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
    const to = Math.min(Math.ceil((this.scrolled + this.height) / ROW) + SPARE_ROWS, this.shown.length + this.lostRows);
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
      if (this.shown[place] === undefined) continue;
      row.classList.toggle("current", current);
      row.firstChild.tabIndex = current ? 0 : -1;
      if (current) row.firstChild.setAttribute("aria-current", "step");
      else row.firstChild.removeAttribute("aria-current");
    }
  }

  row(place) {
    const at = this.shown[place];
    if (at === undefined) return this.lostRow(place);
    const { words, move, turn } = this.at(at);
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
    for (const [look, glyph, told] of [["hit", "◆", this.hits.get(at)], ["noted", "⚑", this.noted.get(at)]]) {
      if (!told) continue;
      const mark = make("span", look, glyph);
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", look === "hit" ? "watch" : "note");
      mark.title = told.join("; ");
      button.append(mark);
    }
    const cost = this.chances.judged.get(at);
    if (cost) {
      const mark = make("span", `cost ${cost.mark}`, GLYPHS[cost.mark]);
      mark.title = cost.words;
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", cost.mark);
      button.append(mark);
    }
    if (this.opens.has(at)) {
      row.classList.add("opens");
      button.append(make("span", "turn", `turn ${turn}`));
    }
    row.append(button);
    return row;
  }

  // An event behind a fault: it is known to be there, and nothing else.
  lostRow(place) {
    const row = make("li", "lost");
    row.style.top = `${place * ROW}px`;
    row.append(make("span", "at", ""), make("span", "words", "cannot be shown"));
    return row;
  }

  // --- filters ---

  filter() {
    this.shown = this.steps.flatMap((step, i) => (this.fits(step) ? [this.first + i] : [])); // place in the list -> step
    this.places = new Int32Array(this.steps.length).fill(-1); // step, from `first` -> place in the list
    this.shown.forEach((step, place) => (this.places[step - this.first] = place));

    const all = this.steps.length;
    const part = this.whole ? "" : ` loaded (steps ${this.first} to ${this.end - 1} of ${this.last}); others are not looked through`;
    const more = this.lost ? `; ${this.lostWords()}` : "";
    this.find(".count").textContent = (this.shown.length === all ? `${all} events` : `${this.shown.length} of ${all} events`) + part + more;
    // What is lost stands behind the last step, and no filter knows what it is.
    this.lostRows = this.shown.length === all && this.end > this.last ? Math.min(this.lost, MOST_LOST) : 0;
    this.find(".list ol").replaceChildren();
    this.find(".list ol").style.height = `${(this.shown.length + this.lostRows) * ROW}px`;
    this.rows = new Map(); // place in the list -> its row, of those in view
    this.scrolled = this.find(".list").scrollTop;
    if (all && this.now) this.drawEvents();
  }

  lostWords() {
    return this.lost === 1 ? "what follows cannot be shown" : `${this.lost} more cannot be shown`;
  }

  fits(step) {
    const needles = this.find(".needle").value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = this.find(".kind").value;
    const seat = this.find(".seat").value;
    const turn = this.find(".turn").value;
    return (
      (kind === "" || (kind === "moves" ? step.move : kind === `kind:${step.kind}`)) &&
      (seat === "" || seat === String(step.seat)) &&
      (turn === "" || turn === String(step.turn)) &&
      !(step.passing && this.find(".passes").checked) &&
      (needles.length === 0 || needles.every((needle) => haystack(step).includes(needle)))
    );
  }

  // --- input ---

  listen() {
    const on = (target, type, handle) => target.addEventListener(type, handle, { signal: this.listeners.signal });
    const { find } = this;
    on(this.root, "click", (event) => {
      const button = event.target.closest("[data-do]");
      if (button && button.ariaDisabled !== "true") this.do(...button.dataset.do.split(" "));
      const tab = event.target.closest("[data-tab]");
      if (tab) this.chooseTab(tab.dataset.tab);
    });
    on(find(".list"), "click", (event) => {
      const button = event.target.closest("[data-step]");
      if (button) this.jump(Number(button.dataset.step));
    });
    on(find(".list"), "scroll", () => {
      this.scrolled = find(".list").scrollTop;
      this.drawRows();
    });
    on(find(".range"), "input", (event) => this.move(event.target.valueAsNumber));
    on(find(".chances svg"), "click", (event) => this.chances.press(event));
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
    on(find(".tabs"), "keydown", (event) => this.tabKey(event));
    for (const name of [".needle", ".turn"]) on(find(name), "input", () => this.filter());
    for (const name of [".kind", ".seat", ".passes"]) on(find(name), "change", () => this.filter());
    on(find(".against"), "change", ({ target }) => this.state.compareWith(target.value === "" ? null : target.valueAsNumber));
    on(find(".writer form"), "submit", (event) => {
      event.preventDefault();
      this.notes.keep();
    });
    on(find(".needle"), "keydown", (event) => {
      if (event.key !== "Escape") return;
      event.target.value = "";
      event.target.blur();
      this.filter();
    });
    on(document, "keydown", (event) => this.key(event));
  }

  do(name, ...how) {
    const actions = {
      first: () => this.move(0),
      back: () => this.move(this.step - 1),
      forth: () => this.move(this.step + 1),
      last: () => this.move(this.last),
      walk: (walk, direction) => this.walk(walk, Number(direction)),
      stride: (direction) => this.walk(this.find(".stride").value, Number(direction)),
      play: () => this.play(),
      faster: () => this.pace(1),
      slower: () => this.pace(-1),
      number: () => this.find(".number").select(),
      return: () => this.return(),
      value: (direction) => this.state.followed && this.state.follow(this.state.followed, Number(direction)),
      note: () => this.notes.open(),
      bookmark: () => this.notes.bookmark(),
      help: () => (this.find(".keys").open ? this.find(".keys").close() : this.find(".keys").showModal()),
      cancel: () => this.find(".writer").close(),
      zoom: () => this.find(".zoom").setAttribute("aria-pressed", this.find(".table").classList.toggle("large")),
      filter: () => this.find(".needle").focus(),
    };
    actions[name](...how);
  }

  pace(change) {
    const speed = this.find(".speed");
    speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + change, 0), speed.options.length - 1);
    speed.dispatchEvent(new Event("change"));
  }

  tabKey(event) {
    const tabs = [...this.find(".tabs").children];
    const turn = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!turn) return;
    event.preventDefault();
    const next = tabs.at((tabs.findIndex(({ dataset }) => dataset.tab === this.tab) + turn) % tabs.length);
    next.focus();
    this.chooseTab(next.dataset.tab);
  }

  key(event) {
    const action = this.actionOf(event);
    if (!action) return;
    event.preventDefault();
    this.do(...action);
  }

  actionOf(event) {
    const { key } = event;
    const command = event.ctrlKey || event.altKey || event.metaKey;
    // On many keyboards [ and ] need AltGr, which counts as Ctrl+Alt.
    if (event.defaultPrevented || event.isComposing || (command && !event.getModifierState("AltGraph"))) return null;
    if (!this.root.checkVisibility() || !this.steps.length) return null;
    if (this.find(".keys").open) return key === "?" ? ["help"] : null;
    if (this.find(".writer").open) return null;
    if (this.together && [...live].find(({ together }) => together) !== this) return null; // the first tells the others
    if (document.querySelector("[role=dialog]")) return null;
    const path = event.composedPath().filter((node) => node instanceof Element);
    const own = path[0] === this.find(".range");
    if (!own && path.some((node) => node.matches(KEY_EATERS))) return null;
    if (key === " ") return event.repeat || path.some((node) => node.matches(SPACE_EATERS)) ? null : ["play"];
    if (key === "ArrowLeft") return event.shiftKey ? ["walk", "turn", -1] : ["back"];
    if (key === "ArrowRight") return event.shiftKey ? ["walk", "turn", 1] : ["forth"];
    if (path.includes(this.find(".list"))) {
      if (key === "ArrowUp") return ["walk", "shown", -1];
      if (key === "ArrowDown") return ["walk", "shown", 1];
    }
    const letter = key.toLowerCase();
    if (Object.hasOwn(WALK_KEYS, letter)) return ["walk", WALK_KEYS[letter], event.shiftKey ? -1 : 1];
    return Object.hasOwn(KEYS, key) ? KEYS[key] : null;
  }
}
