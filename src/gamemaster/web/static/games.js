// The gallery: filters at once while somebody types, and keeps the address in step. Without it the form does the same.
const form = document.querySelector("[data-filters]");
const cards = [...document.querySelectorAll("[data-cards] > li")];
const count = document.querySelector("[data-count]");
const nothing = document.querySelector("[data-nothing]");
const clears = [...document.querySelectorAll("[data-clear]")];
const flags = [...form.querySelectorAll("input[type=checkbox]")].map((box) => box.name);

function wish() {
  const said = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value.trim()) said.set(name, value.trim());
  return said;
}

function fits(card, said) {
  const { words, kind, roles, size } = card.dataset;
  const has = card.dataset.flags.split(" ");
  return (said.get("q") ?? "").toLowerCase().split(/\s+/).every((word) => words.includes(word))
    && (said.get("kind") ?? kind) === kind
    && (said.get("roles") ?? roles) === roles
    && (said.get("size") ?? size) === size
    && flags.every((flag) => !said.has(flag) || has.includes(flag));
}

function filter() {
  const said = wish();
  let found = 0;
  for (const card of cards) {
    card.hidden = !fits(card, said);
    found += !card.hidden;
  }
  const isOpen = said.size === 0;
  count.textContent = isOpen ? `${cards.length} games` : `${found} of ${cards.length} games`;
  nothing.hidden = found > 0;
  form.querySelector("[data-clear]").hidden = isOpen;
  const address = isOpen ? "/games" : `/games?${said}`;
  if (address !== location.pathname + location.search) history.replaceState(null, "", address);
}

for (const clear of clears) {
  clear.addEventListener("click", (event) => {
    event.preventDefault();
    for (const field of form.elements) {
      if (field.type === "checkbox") field.checked = false;
      else if ("value" in field && field.name) field.value = "";
    }
    filter();
    form.elements.q.focus();
  });
}
form.querySelector("[data-only-without-script]").hidden = true;
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => { event.preventDefault(); filter(); });
addEventListener("pageshow", filter); // a browser may have kept what was typed
