// A table picture whose things can be pressed, by pointer or by keyboard. plain.js stands before this text in one module.

const boards = new WeakMap();

export default function mount({ data, parentElement, setTriggerValue }) {
  const svg = parentElement.querySelector(".picture");
  let board = boards.get(svg);
  if (!board) boards.set(svg, (board = new Board(svg)));
  board.tell = (touched) => setTriggerValue("touched", touched);
  board.take(new TextDecoder().decode(data));
}

class Board {
  constructor(svg) {
    this.svg = svg;
    svg.addEventListener("click", (event) => this.press(event));
    svg.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") this.press(event);
    });
  }

  press(event) {
    const place = event.target.closest("[role=button]");
    if (!place) return;
    event.preventDefault();
    this.tell({ about: place.dataset.about, count: this.count });
  }

  // Drawn anew only if it is another picture: whoever walks it by keyboard keeps the place.
  take(text) {
    if (text === this.text) return;
    this.text = text;
    const { scene, targets, count } = JSON.parse(text);
    this.count = count;
    const { svg } = this;
    const focused = svg.getRootNode().activeElement?.dataset.about;
    svg.setAttribute("viewBox", `0 0 ${Number(scene.width)} ${Number(scene.height)}`);
    svg.setAttribute("aria-label", scene.description);
    svg.setAttribute("role", Object.keys(targets).length ? "group" : "img");
    svg.replaceChildren(
      ...Object.entries(scene.groups).map(([name, elements]) => {
        const group = document.createElementNS(SVG, "g");
        group.dataset.group = name;
        group.append(...elements.map(element).filter(Boolean));
        return group;
      }),
    );
    const known = new Set(); // of places that are about the same, one can be reached by keyboard
    for (const place of svg.querySelectorAll("[data-about]")) {
      const { about } = place.dataset;
      if (!Object.hasOwn(targets, about)) continue;
      place.setAttribute("role", "button");
      place.setAttribute("tabindex", known.has(about) ? "-1" : "0");
      place.setAttribute("aria-label", targets[about]);
      const told = document.createElementNS(SVG, "title");
      told.textContent = targets[about];
      place.append(told);
      if (about === focused && !known.has(about)) place.focus({ preventScroll: true });
      known.add(about);
    }
  }
}
