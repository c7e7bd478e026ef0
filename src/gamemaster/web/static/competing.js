// A page whose parts change while matches are played: it asks now and then, and only what is another comes back.
const page = document.querySelector("[data-live]");
const region = document.getElementById("live-region");
const SECONDS = 1.5;
let tag = null;
let waits = 0;
let isLive = page.dataset.isLive === "yes";

async function look() {
  if (document.hidden) return;
  const answer = await fetch(page.dataset.live, { headers: tag ? { "if-none-match": tag } : {}, cache: "no-store" });
  waits = 0;
  if (answer.status === 304) return;
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  tag = answer.headers.get("etag");
  const told = await answer.json();
  for (const [name, html] of Object.entries(told.parts)) replace(document.getElementById(name), html);
  if (told.say) region.textContent = told.say;
  if (isLive && !told.is_live) location.reload(); // what can be done is another now
  isLive = told.is_live;
}

// Whoever is at a link by keyboard stays at it, and what was opened stays open.
function replace(element, html) {
  if (!element || element.innerHTML === html) return;
  const focused = element.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const open = [...element.querySelectorAll("details")].map((each) => each.open);
  const scrolled = [...element.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
  element.innerHTML = html;
  [...element.querySelectorAll("details")].forEach((each, number) => { each.open = open[number] ?? each.open; });
  [...element.querySelectorAll(".scroll")].forEach((each, number) => { each.scrollLeft = scrolled[number] ?? 0; });
  if (focused) [...element.querySelectorAll("a")].find((each) => each.getAttribute("href") === focused)?.focus();
}

async function go() {
  try {
    await look();
  } catch {
    waits = Math.min(waits + 1, 8); // the server may be starting again
  }
  if (isLive) setTimeout(go, 1000 * SECONDS * (1 + waits));
}
if (isLive) setTimeout(go, 1000 * SECONDS);
document.addEventListener("visibilitychange", () => { if (!document.hidden && isLive) look().catch(() => {}); });
