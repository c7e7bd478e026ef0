// The Metagamers: what was gained is asked for stage by stage, each more exact. Without it: a link that waits for all.
const AGAIN = 4000;
const TRIES = 15;
const box = document.getElementById("gain");
const form = document.getElementById("metagame-form");

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

form.addEventListener("submit", () => {
  const button = document.getElementById("transform");
  button.textContent = "Working on it …";
  button.setAttribute("aria-disabled", "true");
  for (const each of form.querySelectorAll("[name=with]")) if (!each.value) each.disabled = true; // a shorter address
});
window.addEventListener("pageshow", () => { // also when somebody comes back to it
  document.getElementById("transform").textContent = "Transform the rules";
  document.getElementById("transform").removeAttribute("aria-disabled");
  for (const each of form.querySelectorAll("[name=with]")) each.disabled = false;
});

// What an address gives as JSON; while the server is busy, once more in a moment.
async function ask(address, tell) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await fetch(address, { headers: { accept: "application/json" } });
    const isJson = (answer.headers.get("content-type") ?? "").includes("json");
    const said = isJson ? await answer.json() : {};
    if (answer.ok) return said;
    if (answer.status !== 503 && answer.status !== 429) throw new Error(said.error ?? "This could not be measured.");
    tell("Others are being served; this goes on in a moment.");
    await pause(AGAIN);
  }
  throw new Error("The server is busy. Load the page again later.");
}

async function measure() {
  const progress = document.getElementById("gain-progress");
  const told = progress.querySelector("[role=status]");
  const bar = progress.querySelector(".bar > span");
  const last = Number(box.dataset.stages);
  document.getElementById("measure")?.remove();
  progress.hidden = false;
  try {
    for (let stage = 0; stage <= last; stage += 1) {
      told.textContent = stage < last ? "Playing both side by side …" : "Compiling both …";
      bar.style.inlineSize = `${(100 * (stage + 0.5)) / (last + 1)}%`;
      const found = await ask(`/metagamers/gain.json?${box.dataset.query}&stage=${stage}`, (words) => { told.textContent = words; });
      box.innerHTML = found.html;
      box.dataset.stage = stage;
    }
    progress.hidden = true;
    box.dataset.isMeasured = "yes";
  } catch (error) {
    bar.parentElement.hidden = true;
    told.textContent = error.message;
  }
}

if (box && box.dataset.isMeasured !== "yes") measure();
