// A game's page: statistics from more and more games, the analysis, and notations without a reload. Without it: links.
const page = document.querySelector("[data-game]");
const base = `/games/${page.dataset.game}`;
const AGAIN = 5000;
const TRIES = 12;

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// What an address gives as JSON; while the server is busy, once more in a moment. Throws an Error with words to show.
async function ask(address, wait) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await fetch(address, { headers: { accept: "application/json" } });
    const isJson = (answer.headers.get("content-type") ?? "").includes("json");
    const said = isJson ? await answer.json() : {};
    if (answer.ok) return said;
    if (answer.status !== 503 && answer.status !== 429) throw new Error(said.error ?? "This could not be worked out.");
    wait("Others are being served; this goes on in a moment.");
    await pause(AGAIN);
  }
  throw new Error("The server is busy. Load the page again later.");
}

// Statistics

const statistics = document.getElementById("statistics");
const progress = document.getElementById("statistics-progress");
const told = progress.querySelector("[role=status]");
const bar = progress.querySelector(".bar > span");

async function playAtRandom() {
  const stages = page.dataset.stages.split(",").map(Number);
  progress.hidden = false;
  statistics.querySelector("[data-waiting]")?.remove();
  let done = 0;
  for (const stage of stages) {
    if (done >= stage) continue;
    told.textContent = `Playing ${stage.toLocaleString("en")} games …`;
    bar.style.inlineSize = `${(100 * stages.indexOf(stage)) / stages.length}%`;
    const found = await ask(`${base}/statistics.json?playouts=${stage}`, (words) => { told.textContent = words; });
    statistics.innerHTML = found.html;
    done = found.asked;
  }
  progress.hidden = true;
}

// The analysis

const analysis = document.getElementById("analysis");

async function analyse() {
  const waiting = analysis.querySelector("[data-waiting]");
  waiting.textContent = "Looking for proofs …";
  const found = await ask(`${base}/analysis.json`, (words) => { waiting.textContent = words; });
  analysis.innerHTML = found.html;
}

async function findOut() {
  if (statistics.dataset.isGiven !== "yes") {
    await playAtRandom().catch((error) => { progress.hidden = false; bar.parentElement.hidden = true; told.textContent = error.message; });
  }
  if (analysis.dataset.isGiven !== "yes") {
    await analyse().catch((error) => { analysis.textContent = error.message; });
  }
}

// Notations

const shown = document.getElementById("rules-shown");
shown.addEventListener("click", async (event) => {
  const tab = event.target.closest("[data-as]");
  if (!tab || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const answer = await fetch(`${base}/rules?as=${tab.dataset.as}`);
  if (!answer.ok) { location.href = tab.href; return; }
  shown.innerHTML = await answer.text();
  history.replaceState(null, "", `${base}?as=${tab.dataset.as}#rules`);
  shown.querySelector(`[data-as="${tab.dataset.as}"]`).focus();
});

findOut();
