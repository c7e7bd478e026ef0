// A match that is over, step by step: by buttons, slider, keys, the list of moves or the graph. The page works without
// this by its links; here only the parts that are others in a step are fetched, and the next ones before they are asked for.
const replay = document.getElementById("replay");
const { address } = replay.dataset;
const last = Number(replay.dataset.last);
const slider = document.getElementById("slider");
const list = document.getElementById("match-moves");
const graph = document.querySelector("#graph svg");
const plot = graph?.querySelector("[data-plot]");
const cursor = graph?.querySelector("[data-cursor]");
const fromHere = document.getElementById("from-here");
const kept = new Map();
const MOST_KEPT = 400;
let shown = Number(replay.dataset.step);
let wanted = shown;

function fetched(step) {
  if (!kept.has(step)) {
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
    const asked = fetch(`${address}/steps/${step}.json`, { headers: { accept: "application/json" } })
      .then((answer) => { if (!answer.ok) throw new Error(String(answer.status)); return answer.json(); });
    asked.catch(() => kept.delete(step));
    kept.set(step, asked);
  }
  return kept.get(step);
}

// What can be shown at once: where we are. The board follows as soon as it is there.
function point(step) {
  slider.value = step;
  slider.setAttribute("aria-valuetext", `step ${step} of ${last}`);
  document.getElementById("at").textContent = `${step} / ${last}`;
  const ways = { first: 0, previous: Math.max(0, step - 1), next: Math.min(last, step + 1), last };
  for (const way of document.querySelectorAll("[data-go]")) {
    const to = ways[way.dataset.go];
    way.href = `?step=${to}`;
    if (to === step) way.setAttribute("aria-disabled", "true");
    else way.removeAttribute("aria-disabled");
  }
  if (fromHere) fromHere.href = fromHere.dataset.address + step;
  if (cursor) {
    const { left, right } = plot.dataset;
    const x = Number(left) + (right - left) * step / Math.max(1, last);
    cursor.setAttribute("transform", `translate(${x} 0)`);
  }
  mark(step);
}

function mark(step) {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const row = list.querySelector(`a[href="?step=${step}"]`);
  if (!row) return;
  row.setAttribute("aria-current", "step");
  // Only the list scrolls, never the page.
  const box = list.getBoundingClientRect(), at = row.getBoundingClientRect();
  if (at.top < box.top + at.height || at.bottom > box.bottom - at.height) {
    list.scrollTop += at.top - box.top - (box.height - at.height) / 2;
  }
}

async function go(step) {
  step = Math.min(last, Math.max(0, step));
  if (step === wanted && step === shown) return;
  wanted = step;
  point(step);
  let found;
  try {
    found = await fetched(step);
  } catch {
    if (wanted === step) location.search = `?step=${step}`;
    return;
  }
  if (wanted !== step) return; // somebody went on meanwhile
  for (const [id, html] of Object.entries(found.parts)) document.getElementById(id).innerHTML = html;
  if ("match-moves" in found.parts) mark(step);
  shown = step;
  document.getElementById("live-region").textContent = found.say;
  history.replaceState(null, "", `?step=${step}`);
  for (const next of [step + 1, step + 2, step - 1]) if (next >= 0 && next <= last) fetched(next).catch(() => {});
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("#replay a[href^='?step=']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(Number(link.getAttribute("href").slice("?step=".length)));
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input:not([type=range]), select, textarea, summary")) return;
  const to = { ArrowLeft: wanted - 1, ArrowRight: wanted + 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  go(to);
});

slider.hidden = false;
slider.addEventListener("input", () => go(Number(slider.value)));

if (graph && last) {
  graph.classList.add("is-live");
  const stepAt = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(graph.getScreenCTM().inverse());
    const { left, right } = plot.dataset;
    return Math.round((point.x - left) / (right - left) * last);
  };
  graph.addEventListener("pointerdown", (event) => { graph.setPointerCapture(event.pointerId); go(stepAt(event)); });
  graph.addEventListener("pointermove", (event) => { if (event.buttons) go(stepAt(event)); });
}

async function verify() {
  const place = document.getElementById("match-verdict");
  if (!place.dataset.verdict) return;
  const before = place.innerHTML;
  place.innerHTML = '<p class="verdict"><span class="badge">being checked …</span></p>';
  try {
    const answer = await fetch(place.dataset.verdict, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(String(answer.status));
    place.innerHTML = (await answer.json()).parts["match-verdict"];
  } catch {
    place.innerHTML = before; // with its link
  }
}

point(shown);
verify();
for (const next of [shown + 1, shown - 1]) if (next >= 0 && next <= last) fetched(next).catch(() => {});
