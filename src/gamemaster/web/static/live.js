// A match as it goes: what happened comes over a socket, numbered; a reload, a sleep or a lost line is the same case.
import { BoardView } from "./board.js";

const table = document.querySelector("[data-match]");
const id = table.dataset.match;
const first = JSON.parse(document.getElementById("first").textContent);
const board = document.getElementById("board");
const region = document.getElementById("live-region");
const acts = document.getElementById("acts");
const LISTS = ["moves", "transcript"];

let number = first.number;
let mark = first.mark; // tells the lists that are here from others as long
let step = first.step;
let waits = 0;
let again = null;
let socket = null;
let deadline = null;
let isActing = false;
let clicks = JSON.stringify(first.clicks);

const view = new BoardView(board, { onMove: move, list: document.getElementById("choices") });

async function send(where, values) {
  const body = new URLSearchParams({ token: table.dataset.token, ...values });
  const answer = await fetch(`/matches/${id}/${where}`, { method: "POST", body, headers: { accept: "application/json" } });
  if (!answer.ok) return { problem: await problemOf(answer) };
  return answer.json();
}

async function problemOf(answer) {
  const text = await answer.text();
  const page = new DOMParser().parseFromString(text, "text/html");
  return page.querySelector("main p")?.textContent ?? text.slice(0, 200);
}

function tell(words) {
  const told = document.getElementById("told");
  told.textContent = words;
  told.hidden = !words;
}

async function move(role, text) {
  view.lock();
  const said = await send("move", { role, move: text, step }).catch(() => ({ problem: "The line is down: make the move again when it is back." }));
  if (said.problem) { tell(said.problem); view.unlock(); }
}

acts.addEventListener("submit", async (event) => {
  event.preventDefault();
  const act = event.submitter?.value;
  if (!act || isActing) return;
  if (act === "resign" && !confirm("Do you give up?")) return;
  isActing = true; // a button that is disabled loses the focus
  if (act === "hint") tell("Thinking …");
  const said = await send("act", { act, role: acts.elements.role?.value ?? "" }).catch(() => ({ problem: "The line is down." }));
  isActing = false;
  if (said.go) location.assign(said.go);
  else tell(said.problem ?? said.say ?? "");
});

acts.addEventListener("click", (event) => { if (event.target.matches("[data-copy]")) event.target.select(); });

function show(message) {
  const isWhole = message.after === 0;
  for (const name of LISTS) {
    const list = document.getElementById(name);
    const html = message.append[name];
    if (isWhole) list.innerHTML = html ?? "";
    else if (html) list.insertAdjacentHTML("beforeend", html);
    if (html) list.scrollTop = list.scrollHeight;
  }
  for (const [name, html] of Object.entries(message.parts)) if (name !== "board") replace(document.getElementById(name), html);
  links();
  if (message.append.moves && !(isWhole && number)) region.textContent = words(message.append.moves);
  number = message.number;
  mark = message.mark;
  const told = JSON.stringify(message.clicks); // what is half chosen stays, unless something else can be chosen now
  if (message.parts.board !== undefined || told !== clicks || message.step !== step) {
    view.unlock();
    view.show({ svg: message.parts.board ?? board.innerHTML, clicks: message.clicks });
  }
  clicks = told;
  if (message.step !== step) tell("");
  step = message.step;
  if (message.rematch) rematch(message.rematch);
  deadline = message.clock === null ? null : performance.now() + 1000 * message.clock;
  tick();
}

// Whoever is at a button by keyboard stays at it, or near it.
function replace(element, html) {
  if (!element) return;
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  element.innerHTML = html;
  if (!focused) return;
  element.tabIndex = -1;
  ([...element.querySelectorAll("button")].find((each) => each.value === focused.value) ?? element).focus();
}

function words(html) {
  const holder = document.createElement("div");
  holder.innerHTML = html;
  return [...holder.children].slice(-2).map((each) => each.textContent.trim()).join("; ") + ". " + document.getElementById("status").textContent.trim();
}

// Links for others are told with the address of this site.
function links() {
  for (const field of document.querySelectorAll("[data-copy]")) {
    if (!field.value.startsWith("/")) continue;
    const scheme = field.value.includes("/player/") ? location.origin.replace(/^http/, "ws") : location.origin;
    field.value = scheme + field.value;
  }
}

function rematch(other) {
  const told = document.getElementById("told");
  if (told.dataset.rematch === other) return;
  told.dataset.rematch = other;
  told.hidden = false;
  const link = document.createElement("a");
  link.href = `/matches/${other}`;
  link.textContent = "The next match";
  told.replaceChildren("A rematch is set up: ", link);
}

function tick() {
  const clock = document.getElementById("clock");
  clock.hidden = deadline === null;
  if (deadline === null) return;
  const left = Math.max(0, (deadline - performance.now()) / 1000);
  clock.textContent = `${left.toFixed(left < 10 ? 1 : 0)} s left`;
  clock.classList.toggle("is-short", left < 5);
}
setInterval(tick, 200);

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const role = table.dataset.role ? `&role=${encodeURIComponent(table.dataset.role)}` : "";
  clearTimeout(again);
  socket = new WebSocket(`${scheme}://${location.host}/matches/${id}/live?after=${number}&mark=${mark}${role}`);
  socket.addEventListener("message", (event) => { waits = 0; table.dataset.line = "up"; show(JSON.parse(event.data)); });
  socket.addEventListener("close", (event) => {
    table.dataset.line = "down";
    if (event.code === 4404) { location.reload(); return; }
    waits = Math.min(waits + 1, 6);
    again = setTimeout(connect, 250 * 2 ** waits * (0.5 + Math.random()));
  });
}

// A socket does not notice for minutes that its network is gone.
addEventListener("offline", () => socket.close());
addEventListener("online", () => { if (socket.readyState === WebSocket.CLOSED) connect(); });

view.show({ svg: board.innerHTML, clicks: first.clicks });
links();
for (const name of LISTS) document.getElementById(name).scrollTop = document.getElementById(name).scrollHeight;
connect();
