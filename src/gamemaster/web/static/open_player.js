// A player's file: looked at here, and sent only where the site runs such files.
import { dropped } from "./drop.js";
import { lookedAt } from "./player_file.js";

const form = document.querySelector("[data-drop]");
const input = document.getElementById("files");
const state = form.querySelector("[data-state]");
const box = document.getElementById("open-findings");
const isSent = "uploads" in form.dataset;

for (const each of document.querySelectorAll("[data-enhanced]")) each.hidden = false;

async function take(files) {
  const file = files[0];
  if (!file) return;
  box.replaceChildren();
  state.textContent = `Reading ${file.name} …`;
  const { findings, told } = await look(file);
  for (const each of document.querySelectorAll("[data-file]")) each.textContent = shellName(file.name);
  show(file.name, findings);
  if (findings.some((each) => each.severity === "error")) {
    state.textContent = "Mend it, and drop it again.";
    box.focus();
  } else if (isSent) await send(file);
  else state.textContent = `${file.name}: ${told}. It was only looked at here; below is how to run it.`;
  input.value = "";
}

async function look(file) {
  if (file.size > Number(form.dataset.largest)) return { findings: [{ line: 0, severity: "error", message: `the file has ${file.size} bytes; ${form.dataset.largest} are the most` }], told: "" };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return lookedAt(text);
  } catch {
    return { findings: [{ line: 0, severity: "error", message: "this is no text in UTF-8; save it so" }], told: "" };
  }
}

async function send(file) {
  const body = new FormData();
  body.append("token", form.elements.token.value);
  body.append("files", file, file.name);
  state.textContent = `Launching ${file.name} …`;
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    if (!isJson) throw new Error("the server did not take it; load this page again");
    const found = await answer.json();
    if (found.address) return location.assign(found.address);
    box.innerHTML = found.html ?? ""; // made by the server, as the page was
    state.textContent = "Mend it, and drop it again.";
    box.focus();
  } catch (error) {
    state.textContent = `That could not be done: ${error.message}`;
  }
}

function show(name, findings) {
  if (!findings.length) return;
  const list = document.createElement("ol");
  list.className = "findings";
  list.dataset.findings = "";
  for (const each of findings) list.append(item(name, each));
  box.replaceChildren(list);
}

function item(name, { line, severity, message, text, hint }) {
  const row = element("li", `finding ${severity}`);
  const head = element("p", "");
  head.append(element("b", "", line ? `${name}:${line}` : name), " ", element("span", severity === "error" ? "badge bad" : "badge", severity), " ", message);
  row.append(head);
  if (text) {
    const pre = element("pre", "");
    pre.append(element("code", "", text.slice(0, 300)));
    row.append(pre);
  }
  if (hint) row.append(element("p", "small quiet-text", hint));
  return row;
}

function element(name, look, words = "") {
  const made = document.createElement(name);
  if (look) made.className = look;
  made.textContent = words;
  return made;
}

// A name as a shell takes it.
const shellName = (name) => (/^[\w.-]+$/.test(name) && !name.startsWith("-") ? name : `'./${name.replaceAll("'", "'\\''")}'`);

dropped(document, form, take);
input.addEventListener("change", () => take([...input.files]));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  state.textContent = "Choose a file first, or drop one.";
});
