// The state as a tree, what changed, and when a value changes: all from the tracks, path -> [[step, value], ...].

class StateView {
  constructor(viewer) {
    this.viewer = viewer;
    this.find = viewer.find;
    this.against = null; // the step that is compared with; null: the one before
    this.followed = null; // the leaf whose changes are walked
    this.leaves = [];
  }

  load(state) {
    const tree = this.find(".tree");
    const open = new Set([...tree.querySelectorAll("details[open]")].map(({ dataset }) => dataset.path));
    const followed = this.followed?.path;
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
      const value = make("button", "value");
      value.type = "button";
      value.dir = "auto";
      value.title = "When did this last change? (with Shift: when will it next?)";
      row.append(make("span", "name", parts.at(-1)), value);
      row.hidden = true;
      parent.append(row);
      const leaf = { path, track, row, value, shown: -2 };
      value.addEventListener("click", ({ shiftKey }) => this.follow(leaf, shiftKey ? 1 : -1));
      return leaf;
    });
    // Changes are listed in the order of the tree, though a path may have come late.
    const order = new Map([...tree.querySelectorAll(".leaf")].map((row, i) => [row, i]));
    this.leaves.sort((a, b) => order.get(a.row) - order.get(b.row));
    this.branches = [...branches.values()].slice(1).reverse(); // inner ones first
    this.followed = this.leaves.find(({ path }) => path === followed) ?? null;
  }

  draw(step) {
    const { first, last } = this.viewer;
    const other = this.against ?? step - 1;
    const changes = [];
    for (const leaf of this.leaves) {
      const { path, track, row, value } = leaf;
      const entry = seek(track, step);
      const changed = entry >= 0 && track[entry][0] === step && step > 0;
      row.classList.toggle("changed", changed);
      if (this.against === null ? changed : track.length > 1 || track[0][0] > first) {
        const [was, is] = [track[seek(track, other)]?.[1] ?? null, track[entry]?.[1] ?? null];
        if (was !== is) changes.push([path, was, is]);
      }
      if (entry === leaf.shown) continue;
      leaf.shown = entry;
      const now = track[entry]?.[1] ?? null;
      value.textContent = now;
      value.setAttribute("aria-label", `${path}: ${now}. When did it last change?`);
      row.hidden = now === null;
    }
    for (const node of this.branches) {
      const inner = [...node.children].slice(1);
      node.hidden = inner.every(({ hidden }) => hidden);
      node.classList.toggle("changed", inner.some(({ classList }) => classList.contains("changed")));
    }
    const opening = step === 0 && this.against === null;
    this.find(".unchanged").hidden = changes.length > 0;
    this.find(".unchanged").textContent = opening ? "The first step: everything is new." : "Nothing.";
    this.find(".diff").replaceChildren(...changes.map(change));
    this.find(".against").max = last;
    this.drawTrail();
  }

  // --- another step to compare with ---

  compareWith(step) {
    const { first, end, last } = this.viewer;
    const known = Number.isInteger(step) && step >= 0 && step <= last;
    const loaded = known && step >= Math.max(first - 1, 0) && step < end;
    this.against = loaded ? step : null;
    this.find(".against").value = loaded ? step : "";
    if (known && !loaded) this.viewer.say(`Step ${step} is not loaded: only steps ${first} to ${end - 1} can be compared.`);
    this.draw(this.viewer.step);
  }

  // --- when did this value change? ---

  // Goes to the last change at or before this step (the one before, if that is where we are), or to the next one.
  follow(leaf, direction) {
    this.followed = leaf;
    const { step, first, whole } = this.viewer;
    const entry = seek(leaf.track, step);
    const at = direction > 0 ? entry + 1 : leaf.track[entry]?.[0] === step ? entry - 1 : entry;
    const target = leaf.track[at]?.[0];
    if (target === undefined || target < first) {
      const where = whole ? "" : " in the part that is loaded";
      this.viewer.say(`${leaf.path} does not change ${direction > 0 ? "after" : "before"} step ${step}${where}.`);
      this.drawTrail();
    } else {
      this.viewer.jump(target);
    }
  }

  drawTrail() {
    const leaf = this.followed;
    this.find(".trail").hidden = leaf === null;
    if (leaf === null) return;
    const from = leaf.track[seek(leaf.track, this.viewer.step)]?.[0];
    this.find(".trail code").textContent = leaf.path;
    this.find(".since").textContent =
      from === undefined ? "is not there yet" : from === this.viewer.step ? "changed at this step" : `is so since step ${from}`;
  }
}
