// Trees: other steps without loading the page anew. Without it: links, each a page of its own.
const tree = document.getElementById("tree");

function steps() {
  const last = Number(tree.dataset.last);
  const slider = document.getElementById("slider");
  const drawn = new Map();
  let wanted = Number(tree.dataset.step);

  const address = (path, step) => `${path}?${tree.dataset.query}&step=${step}`;
  const targets = () => ({ first: 0, back: Math.max(0, wanted - 1), forward: Math.min(last, wanted + 1), last });

  function ask(step) {
    if (!drawn.has(step)) {
      const answer = fetch(address("/trees/step.json", step), { headers: { accept: "application/json" } });
      const asked = answer.then(async (got) => {
        const said = await got.json().catch(() => ({}));
        if (!got.ok) throw new Error(said.error ?? "This step could not be drawn. Try again in a moment.");
        return said;
      });
      asked.catch(() => drawn.delete(step));
      drawn.set(step, asked);
    }
    return drawn.get(step);
  }

  // Where the search is has to be seen, or the root where it is nowhere, in the box of a tree that is wider than it.
  function turn() {
    const box = document.getElementById("tree-picture");
    const here = box.querySelector("[data-here]") ?? box.querySelector('[data-node="0"]');
    if (!here) return;
    const [outer, inner] = [box.getBoundingClientRect(), here.getBoundingClientRect()];
    if (inner.left < outer.left || inner.right > outer.right) {
      box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
    }
  }

  function mark() {
    slider.value = wanted;
    for (const [way, step] of Object.entries(targets())) {
      const link = tree.querySelector(`[data-go=${way}]`);
      link.href = address("/trees", step);
      if (step === wanted) link.setAttribute("aria-disabled", "true");
      else link.removeAttribute("aria-disabled");
    }
    for (const each of tree.querySelectorAll(".told [aria-current]")) each.removeAttribute("aria-current");
    tree.querySelector(`.told [data-step="${wanted}"]`)?.setAttribute("aria-current", "step");
  }

  async function go(step) {
    wanted = step;
    mark();
    const said = document.getElementById("tree-said");
    try {
      const found = await ask(step);
      if (wanted !== step) return; // somebody has gone on meanwhile
      document.getElementById("tree-picture").innerHTML = found.svg;
      turn();
      document.getElementById("tree-step").textContent = `Step ${found.step} of ${found.last}`;
      said.textContent = found.words;
      tree.dataset.step = step;
      history.replaceState(null, "", address("/trees", step));
      if (step < last) ask(step + 1).catch(() => {});
    } catch (error) {
      if (wanted === step) said.textContent = error.message;
    }
  }

  tree.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-go], .told a[data-step]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(link.dataset.go ? targets()[link.dataset.go] : Number(link.dataset.step));
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("select, input, textarea")) return;
    const way = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" }[event.key];
    if (!way) return;
    event.preventDefault();
    go(targets()[way]);
  });
  slider.hidden = false;
  mark();
  turn();
}

if (tree) steps();
