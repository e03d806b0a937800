// Where a walk stops, and which key does what. The names of the walks are those of replay/walking.py.

// Each walk gives the question that it asks of a step, or null where it has nothing to look for.
const WALKS = {
  event: () => () => true,
  move: () => ({ move }) => move,
  decision: (viewer) => (step, at) => viewer.at(at + 1)?.move ?? false,
  turn: (viewer) => ({ turn }, at) => at === 0 || turn !== viewer.at(at - 1)?.turn,
  round: (viewer) => ({ round }, at) => at === 0 || round !== viewer.at(at - 1)?.round,
  seat: (viewer) => alike(viewer, "seat"),
  kind: (viewer) => alike(viewer, "kind"),
  subject: (viewer) => alike(viewer, "subject"),
  hit: (viewer) => (viewer.hits.size ? (step, at) => viewer.hits.has(at) : null),
  note: (viewer) => (viewer.noted.size ? (step, at) => viewer.noted.has(at) : null),
  mistake: (viewer) => (viewer.chances.judged.size ? (step, at) => viewer.chances.judged.has(at) : null),
  shown: (viewer) => (step) => viewer.fits(step),
};

const NOTHING = {
  seat: "This step has no seat.",
  subject: "This step is about nothing in particular.",
  mistake: "No choice is marked. “Who was winning”, below, judges them.",
  hit: "No watch holds anywhere. Watches are below, in their tab.",
  note: "No step has a note or a bookmark.",
};

const WALK_WORDS = {
  event: "this is the end",
  move: "no move",
  decision: "nobody chooses",
  round: "no round begins",
  seat: "nothing of this seat",
  kind: "no event of this kind",
  subject: "nothing about this",
  hit: "no watch holds",
  note: "no note or bookmark",
  mistake: "no choice that cost anything",
  shown: "none that the filters show",
};

function alike(viewer, field) {
  const sought = viewer.now[field];
  return sought === null ? null : (step) => step[field] === sought;
}

// A letter walks on, with Shift it walks back.
const WALK_KEYS = {
  m: "move", d: "decision", s: "seat", k: "kind", t: "subject", w: "hit", p: "note", e: "mistake",
};

const KEYS = {
  "[": ["walk", "turn", -1], "]": ["walk", "turn", 1], "{": ["walk", "round", -1], "}": ["walk", "round", 1],
  Home: ["first"], End: ["last"], "/": ["filter"], "?": ["help"], g: ["number"], b: ["bookmark"], n: ["note"],
  "+": ["faster"], "-": ["slower"], Backspace: ["return"],
};
