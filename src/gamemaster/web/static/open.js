// Files that are dropped on a page, or chosen: sent as the form would send them; findings are shown in place.
import { dropped } from "./drop.js";

const form = document.querySelector("[data-drop]");
const input = form.elements.files;
const state = form.querySelector("[data-state]");
const findings = document.getElementById("open-findings");
let sending = null;

for (const each of document.querySelectorAll("[data-enhanced]")) each.hidden = false;

async function send(files) {
  if (!files.length) return;
  sending?.abort();
  const own = (sending = new AbortController());
  const body = new FormData();
  body.append("token", form.elements.token.value);
  for (const file of files) body.append("files", file, file.name);
  state.textContent = `Reading ${[...files].map((file) => file.name).join(", ")} …`;
  findings.replaceChildren();
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" }, signal: own.signal });
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    if (!isJson) throw new Error((await answer.text()).length < 300 ? "the server did not take it: is it too large?" : "load this page again");
    const found = await answer.json();
    if (found.address) {
      state.textContent = "It is a game.";
      location.assign(found.address);
      return;
    }
    findings.innerHTML = found.html ?? ""; // made by the server, as the page was
    state.textContent = "Mend it, and drop it again.";
    findings.focus();
  } catch (error) {
    if (own.signal.aborted) return;
    state.textContent = `That could not be done: ${error.message}`;
  } finally {
    if (sending === own) sending = null;
    input.value = ""; // the same file can be chosen again once it is mended
  }
}

dropped(document, form, send);
input.addEventListener("change", () => send([...input.files]));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (input.files.length) send([...input.files]);
  else state.textContent = "Choose a file first, or drop one.";
});
