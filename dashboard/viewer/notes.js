// Notes and bookmarks: the list of them, and the dialog in which one is written.

class NotesView {
  constructor(viewer) {
    this.viewer = viewer;
    this.find = viewer.find;
  }

  load(notes, writes) {
    this.writes = writes;
    this.notes = notes;
    this.find(".unnoted").hidden = notes.length > 0;
    this.find(".unnoted").textContent = writes ? "No notes yet: n writes one at this step, b sets a bookmark." : "No notes.";
    for (const node of this.viewer.root.querySelectorAll(".writing")) node.hidden = !writes;
    this.find(".notelist").replaceChildren(...notes.map((note) => this.row(note)));
  }

  row({ id, step, kind, text }) {
    const row = make("li");
    const go = make("button", "goto", `Step ${step}`);
    go.type = "button";
    go.addEventListener("click", () => this.viewer.jump(step));
    const words = make("span", "said", text || "Bookmark");
    words.dir = "auto";
    row.append(go, make("span", "glyph", kind === "bookmark" ? "⚑" : "✎"), words);
    if (this.writes) {
      const remove = make("button", "remove", "Remove");
      remove.type = "button";
      remove.setAttribute("aria-label", `Remove the ${kind} at step ${step}`);
      remove.addEventListener("click", () => this.viewer.note({ remove: id }));
      row.append(remove);
    }
    return row;
  }

  open() {
    if (!this.writes) return;
    this.at = this.viewer.step;
    this.find(".writer h3").textContent = `Note at step ${this.at}`;
    this.find(".writer textarea").value = "";
    this.find(".writer").showModal();
    this.find(".writer textarea").focus();
  }

  keep() {
    const text = this.find(".writer textarea").value.trim();
    this.find(".writer").close();
    if (text) this.viewer.note({ step: this.at, kind: "note", text });
  }

  // A second time takes the bookmark away again.
  bookmark() {
    if (!this.writes) return;
    const { step } = this.viewer;
    const there = this.notes.find((note) => note.step === step && note.kind === "bookmark");
    this.viewer.note(there ? { remove: there.id } : { step, kind: "bookmark", text: "" });
  }
}
