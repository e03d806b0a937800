// The chances to win: a line a seat over the scrubber, with its band, and in words for the step.

const LINE_HEIGHT = 1000; // thousandths
const GLYPHS = { blunder: "??", mistake: "?", inaccuracy: "?!" };

class ChancesView {
  constructor(viewer) {
    this.viewer = viewer;
    this.find = viewer.find;
    this.line = null;
    this.judged = new Map(); // step -> the choice that cost something there
  }

  load(line, judged) {
    this.line = line;
    this.judged = new Map(judged.map((each) => [each.step, each]));
    this.find(".chances").hidden = !line;
    if (!line) return;
    const { rates, low, high } = line;
    const end = Math.max(rates.length - 1, 1);
    const svg = this.find(".chances svg");
    svg.setAttribute("viewBox", `0 0 ${end} ${LINE_HEIGHT}`);
    const along = (values, seat) => values.map((step, x) => `${x},${LINE_HEIGHT - step[seat]}`);
    const bands = svg.querySelector(".bands");
    const lines = svg.querySelector(".lines");
    bands.replaceChildren();
    lines.replaceChildren();
    (rates[0] ?? []).forEach((_, seat) => {
      const band = document.createElementNS(SVG, "polygon");
      band.setAttribute("points", [...along(high, seat), ...along(low, seat).reverse()].join(" "));
      const path = document.createElementNS(SVG, "polyline");
      path.setAttribute("points", along(rates, seat).join(" "));
      for (const node of [band, path]) node.classList.add(`seat-${seat % 6}`);
      bands.append(band);
      lines.append(path);
    });
    const marks = [...this.judged.values()].map(({ step }) => `M${step} 0v${LINE_HEIGHT}`);
    svg.querySelector(".costs").setAttribute("d", marks.join(""));
  }

  draw(step) {
    if (!this.line) return;
    const here = this.line.rates[step];
    if (!here) return;
    this.find(".chances .here").setAttribute("d", `M${step} 0v${LINE_HEIGHT}`);
    this.find(".chances .odds").replaceChildren(
      ...here.map((rate, seat) => {
        const change = Math.round((rate - (this.line.rates[step - 1] ?? here)[seat]) / 10);
        const moved = change ? ` ${change > 0 ? "▲" : "▼"}${Math.abs(change)}` : "";
        const half = Math.round((this.line.high[step][seat] - this.line.low[step][seat]) / 20);
        const words = make("span", `seat-${seat % 6}`, `${this.viewer.seatName(seat)} ${Math.round(rate / 10)} %${half ? ` ±${half}` : ""}${moved}`);
        words.dir = "auto";
        return words;
      }),
    );
    const cost = this.judged.get(step);
    show(this.find(".now .cost"), cost ? `${GLYPHS[cost.mark]} ${cost.words}` : null);
  }

  // A press on the graph leads to its step.
  press(event) {
    const { left, width } = this.find(".chances svg").getBoundingClientRect();
    if (width) this.viewer.jump(Math.round(((event.clientX - left) / width) * this.viewer.last));
  }
}
