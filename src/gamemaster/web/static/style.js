// The Style Checker: the form is sent as somebody types, and only the newest answer counts. Without it: its buttons.
import { CodeField } from "./code.js";
import { tomlTokens } from "./toml.js";

const DELAY = 150; // milliseconds after the last key
const AGAIN = 1500;

const form = document.getElementById("style-form");
const area = document.getElementById("style-text");
const trouble = document.getElementById("style-trouble");
const pictures = document.getElementById("style-pictures");
const draft = document.getElementById("draft");
const field = new CodeField(document.getElementById("code"), { onChange: typed });
const begun = area.value; // what the server gave
const key = `style ${form.dataset.game}`;
let readable = area.value; // the last text that was TOML
let asked = 0;
let answered = 0;
let timer = 0;
let controller = null;

document.querySelector("[data-change]").hidden = true;
document.getElementById("game").addEventListener("change", (event) => event.target.form.submit());
for (const each of document.querySelectorAll("[data-without-script]")) each.hidden = true;

// Drafts

function keep() {
  try {
    if (area.value === begun) localStorage.removeItem(key);
    else localStorage.setItem(key, area.value);
  } catch { /* no room, or not allowed: what is on the page stays there */ }
}

function kept() {
  try { return localStorage.getItem(key); } catch { return null; }
}

// Asking

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Ask for what the form says, with some of it said otherwise. What a newer question has overtaken is not shown.
async function ask(changes = {}) {
  clearTimeout(timer);
  const number = (asked += 1);
  controller?.abort();
  controller = new AbortController();
  const said = new URLSearchParams(new FormData(form));
  for (const [name, value] of Object.entries(changes)) said.set(name, value);
  pictures.classList.add("is-waiting");
  try {
    const answer = await fetch(form.action, {
      method: "POST", body: said, headers: { accept: "application/json" }, signal: controller.signal,
    });
    const isJson = (answer.headers.get("content-type") ?? "").includes("json");
    const found = isJson ? await answer.json() : {};
    if (number !== asked) return;
    if (!answer.ok) throw new Error(found.error ?? (answer.status === 413 ? "This is more text than a style can have." : "The server cannot draw this just now."));
    answered = number;
    trouble.hidden = true;
    show(found, changes);
  } catch (error) {
    if (error.name === "AbortError" || number !== asked) return;
    trouble.textContent = `${error.message} What you typed is kept here.`;
    trouble.hidden = false;
    if (!(error instanceof TypeError)) return;
    await wait(AGAIN); // the line was down
    if (number === asked) ask(changes);
  } finally {
    if (number === asked) pictures.classList.remove("is-waiting");
  }
}

function show(found, changes) {
  form.elements.seed.value = found.seed;
  form.elements.at.value = found.at;
  if (changes.do && found.text !== area.value) write(found.text);
  const isOfThis = !("style" in changes); // else only the picture is new: the text here cannot be drawn
  if (isOfThis) {
    put("style-findings", found.parts["style-findings"]);
    mark(found.findings);
    area.setAttribute("aria-invalid", String(found.findings.length > 0));
    if (found.is_own) readable = area.value;
  }
  put("style-samples", found.parts["style-samples"]);
  if (found.is_own || !isOfThis) put("style-pictures", found.parts["style-pictures"]);
  else if (!changes.go && !changes.do) pictures.classList.add("is-old");
  if (found.is_own) pictures.classList.toggle("is-old", !isOfThis);
  form.dataset.answered = answered;
}

// Put a part in place of the old one; the focus stays at what it was on.
function put(id, html) {
  const part = document.getElementById(id);
  const at = part.contains(document.activeElement) ? document.activeElement : null;
  const mark = at && [at.name, at.dataset.way ?? at.textContent.trim()];
  part.innerHTML = html;
  if (!mark) return;
  const same = [...part.querySelectorAll("button")].find((each) => each.name === mark[0] && (each.dataset.way ?? each.textContent.trim()) === mark[1]);
  (same && !same.disabled ? same : part.querySelector("button:not(:disabled)"))?.focus();
}

// What happens on the page

function typed(text) {
  field.colour(tomlTokens(text));
  keep();
  clearTimeout(timer);
  pictures.classList.add("is-waiting");
  timer = setTimeout(ask, DELAY);
}

// Another text, that can be taken back as if it was typed.
function write(text) {
  const before = document.activeElement;
  field.replace(0, area.value.length, text);
  field.go(0);
  before?.focus?.();
  clearTimeout(timer); // whoever calls asks, or has asked
}

// Where a line and a column are in the text; a column of nothing, where the line is meant.
function offset(line, column = 1) {
  const begin = field.starts[Math.min(line, field.starts.length) - 1];
  return begin + Math.min(column - 1, field.lineText(field.lineOf(begin)).length);
}

function mark(findings) {
  field.mark(findings.map(({ line }) => ({ start: offset(line), end: offset(line, Infinity), severity: "error" })));
}

form.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!button?.name || ["export", "standalone", "save"].includes(button.value)) return; // goes elsewhere
  event.preventDefault();
  const changes = { [button.name]: button.value };
  const isLooking = button.name === "go" || button.value === "seed";
  if (isLooking && pictures.matches(".is-old")) changes.style = readable;
  ask(changes);
});

for (const name of ["theme", "size"]) {
  form.elements[name].addEventListener("change", () => {
    pictures.classList.remove("size-small", "size-medium", "size-large");
    pictures.classList.add(`size-${form.elements.size.value}`);
    if (name === "theme") ask(pictures.matches(".is-old") ? { style: readable } : {});
  });
}

document.getElementById("style-findings").addEventListener("click", (event) => {
  const at = event.target.closest("[data-line]");
  if (at) field.go(offset(Number(at.dataset.line), Number(at.dataset.column)));
});

document.getElementById("forget").addEventListener("click", () => {
  draft.hidden = true;
  write(begun);
  ask();
});

field.colour(tomlTokens(area.value));
mark([...document.querySelectorAll("#style-findings [data-line]")].map((each) => ({ line: Number(each.dataset.line) })));
if (form.dataset.begins === "yes" && kept() !== null && kept() !== begun) {
  field.set(kept());
  field.colour(tomlTokens(area.value));
  draft.hidden = false;
  ask();
}
form.dataset.ready = "yes";
