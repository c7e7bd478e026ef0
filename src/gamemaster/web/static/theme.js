// What every page has. Light or dark: the reader's choice, kept; none follows the system. Runs before the page is drawn, so nothing flashes.
const root = document.documentElement;
const kept = (() => { try { return localStorage.getItem("theme"); } catch { return null; } })();
if (kept === "light" || kept === "dark") root.dataset.theme = kept;

document.addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector("[data-theme-switch]");
  button.hidden = false;
  button.addEventListener("click", () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* not kept, then */ }
  });
});

// What is being made ready is told until it is.
document.addEventListener("DOMContentLoaded", () => {
  const notice = document.querySelector("[data-readying]");
  if (!notice) return;
  const timer = setInterval(async () => {
    const answer = await fetch("/readying.json").catch(() => null);
    if (answer?.ok && !(await answer.json()).is_getting_ready) { notice.remove(); clearInterval(timer); }
  }, 3000);
});
