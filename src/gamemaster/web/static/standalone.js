// The page of all roles on one board: moves, history with branches, links to positions, and what the machine thinks.

import { BoardView } from "./board.js";
import { Tree, pathOf, query } from "./lines.js";

const CHANCE = "random";
const THOUGHTS = [0.3, 0.6, 1.2, 2.4, 4.8]; // seconds, each from scratch
const SLOW = 700; // milliseconds beyond its time, after which a first thought is being made ready
const MOST_KEPT = 300; // positions
const MOST_BARS = 10;
const LONGEST_ADDRESS = 15_000;
const QUESTION = "What does the machine think?";

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("standalone-data").textContent);
const base = location.pathname;

// The server

const kept = new Map();

async function ask(what, wish, signal) {
  const response = await fetch(`${base}/${what}.json`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(wish),
    signal,
  });
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const found = isJson ? await response.json() : { error: response.status === 429 ? "too many requests; wait a moment" : "the server cannot answer this" };
  if (!response.ok) throw new Error(found.error ?? "the server cannot answer this");
  return found;
}

async function positionAt(path, signal) {
  if (kept.has(path)) return kept.get(path);
  const found = await ask("position", { moves: path }, signal);
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
  kept.set(found.moves, found);
  return found;
}

// The page

class Page {
  constructor() {
    this.tree = new Tree(data.game);
    this.view = new BoardView(byId("board"), {
      list: byId("choices"),
      onMove: (role, move, label) => this.choose(role, move, label),
    });
    this.shown = data;
    this.chosen = new Map();
    this.asked = null;
    let node = this.tree.root;
    data.line.forEach((step, number) => {
      node = this.tree.add(node, step, data.told[number].moves);
    });
    this.node = node;
    this.tree.stand(node);
    this.tree.save();
    this.thinker = new Thinker(this);
    this._enhance();
    this._turn();
    this._history();
  }

  // Moves

  // A role has chosen; the step is made when all have. null is left to chance.
  choose(role, move, label) {
    this.chosen.set(role, { move, label });
    const open = this.shown.askers.filter((each) => !this.chosen.has(each));
    if (open.length === 1 && open[0] === CHANCE && byId("draws").checked) this.chosen.set(CHANCE, { move: null, label: "" });
    else if (open.length) return this._turn();
    this.make(this.shown.askers.map((each) => this.chosen.get(each).move));
  }

  // Make a step; before are the words for one that was made just now.
  async make(step, before = "") {
    const from = this.node;
    const found = await this._ask(pathOf([...this.tree.line(from), step]));
    if (!found) {
      this.chosen.clear();
      return this._turn();
    }
    const node = this.tree.add(from, found.line.at(-1), found.told.at(-1)?.moves ?? []);
    const words = before + inWords(node);
    this._stand(node, found, words);
    this.tree.save();
    if (found.askers.length === 1 && found.askers[0] === CHANCE && byId("draws").checked) this.make([null], `${words}. `);
  }

  async go(node) {
    if (!node) return;
    if (node === this.node && !this.asked) return this._takeBack();
    const found = await this._ask(pathOf(this.tree.line(node)));
    if (found) this._stand(node, found, node.parent ? `After ${inWords(node)}` : "Start");
  }

  // Of moves that are chosen at once, those that are chosen already.
  _takeBack() {
    if (!this.chosen.size) return false;
    this.chosen.clear();
    this._turn();
    return true;
  }

  back() {
    return this._takeBack() || this.go(this.node.parent);
  }

  forward() {
    return this.go(this.node.ahead ?? this.node.children[0]);
  }

  // The answer for a path; nothing where another was asked for meanwhile, or there is none.
  async _ask(path) {
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
    this.thinker.stop();
    this.view.lock();
    try {
      const found = await positionAt(path, asked.signal);
      if (asked.signal.aborted) return null;
      this._trouble("");
      return found;
    } catch (error) {
      if (!asked.signal.aborted) this._trouble(error.message);
      return null;
    } finally {
      if (this.asked === asked) {
        this.asked = null;
        this.view.unlock();
      }
    }
  }

  // What is shown

  _stand(node, found, words) {
    this.node = node;
    this.shown = found;
    this.chosen.clear();
    this.tree.stand(node);
    for (const [id, html] of Object.entries(found.parts)) this._part(id, html);
    this._turn(found.svg);
    this._history();
    this._address();
    byId("shared").hidden = true;
    byId("live-region").textContent = `${words}. ${found.status}`;
  }

  _part(id, html) {
    const element = byId(id);
    const isOpen = element.querySelector("details")?.open;
    element.innerHTML = html; // made by the server, as the page was
    const details = element.querySelector("details");
    if (details && isOpen !== undefined) details.open = isOpen;
  }

  // The board for whoever chooses now.
  _turn(svg) {
    const { askers, clicks } = this.shown;
    const role = askers.find((each) => !this.chosen.has(each));
    this.view.show({ svg, clicks: role === undefined ? null : { [role]: clicks[role] } });
    const turn = byId("turn");
    turn.hidden = askers.length < 2;
    const made = [...this.chosen].map(([who, { label }]) => `${who}: ${label}`).join(", ");
    turn.textContent = askers.length < 2 ? "" : `${made ? `${made}. ` : ""}${role === CHANCE ? "Chance draws" : `${role} chooses`}.`;
    if (made) byId("live-region").textContent = turn.textContent;
    byId("chance").hidden = role !== CHANCE;
    // Once there is something below the board, room is kept for it: the board does not change its size all the time.
    if (byId("choices").childElementCount || role === CHANCE) byId("standalone").classList.add("has-list");
    byId("think").disabled = this.shown.is_terminal || role === CHANCE || role === undefined;
  }

  get role() {
    return this.shown.askers.find((each) => !this.chosen.has(each)) ?? "";
  }

  get path() {
    return pathOf(this.tree.line(this.node));
  }

  _address() {
    const address = base + query(this.path);
    if (address.length <= LONGEST_ADDRESS) history.replaceState(null, "", address);
  }

  _trouble(words) {
    byId("trouble").hidden = !words;
    byId("trouble").textContent = words && `That could not be done: ${words}`;
  }

  // The main line, and variations in brackets where they begin.
  _history() {
    const box = byId("history");
    const line = element("div", "line");
    line.append(this._link(this.tree.root, "start"));
    this._variation(line, this.tree.root, false);
    box.replaceChildren(line);
    const here = box.querySelector("[aria-current]");
    if (here) box.scrollTop = here.offsetTop - box.offsetTop - box.clientHeight / 2;
    const can = { first: this.node.parent || this.chosen.size, back: this.node.parent || this.chosen.size };
    const ahead = this.node.children.length > 0;
    for (const button of document.querySelectorAll("[data-go]")) button.disabled = !(can[button.dataset.go] ?? ahead);
    byId("clear").disabled = !this.tree.root.children.length;
  }

  _variation(line, start, isInner) {
    let node = start;
    while (node.children.length) {
      const [main, ...others] = isInner && node === start ? [isInner] : node.children;
      this._entry(line, main);
      for (const other of others) {
        const inner = element("span", "variation");
        inner.append("(");
        this._variation(inner, node, other);
        inner.append(")");
        line.append(inner);
      }
      node = main;
    }
  }

  _entry(line, node) {
    const entry = element("span", "entry");
    const words = node.told.map((each) => brief(each.role, each.label)).join(", ");
    entry.append(element("span", "number", `${node.number}.`), " ", this._link(node, words || node.step.join(", ")));
    line.append(entry, " ");
  }

  _link(node, words) {
    const link = element("button", "", words);
    link.type = "button";
    if (node.told.length) link.title = inWords(node);
    if (node === this.node) link.setAttribute("aria-current", "step");
    link.addEventListener("click", () => {
      this.go(node);
      byId("history").focus({ preventScroll: true }); // the button is made anew; arrows go on from here
    });
    return link;
  }

  // What is on the page is taken over

  _enhance() {
    for (const each of document.querySelectorAll("[data-enhanced]")) each.hidden = false;
    byId("standalone").classList.add("is-enhanced");
    for (const each of document.querySelectorAll("#standalone-moves details")) each.open = false; // buttons are below the board
    const ways = {
      first: () => this.go(this.tree.root),
      back: () => this.back(),
      forward: () => this.forward(),
      last: () => this.go(this.tree.end(this.node)),
    };
    for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", ways[button.dataset.go]);
    const keys = { ArrowLeft: "back", ArrowUp: "back", ArrowRight: "forward", ArrowDown: "forward", Home: "first", End: "last" };
    document.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (event.key === "Escape" && this.view.drop()) return;
      if (!(event.key in keys) || event.target.closest?.("input, select, textarea, [data-cell]")) return;
      event.preventDefault();
      ways[keys[event.key]]();
    });
    byId("clear").addEventListener("click", () => {
      this.tree.clear();
      if (this.node.parent) this.go(this.tree.root);
      else this._history();
    });
    byId("share").addEventListener("click", () => this._share());
    byId("draw").addEventListener("click", () => this.choose(CHANCE, null, "drawn"));
    byId("standalone-moves").addEventListener("submit", (event) => this._submit(event));
    byId("think").addEventListener("click", () => this.thinker.toggle());
    byId("who").addEventListener("change", () => this.thinker.isOn && this.thinker.start());
    byId("bars").addEventListener("click", (event) => {
      const row = event.target.closest("button");
      if (row) this.choose(row.dataset.role, row.dataset.move, row.dataset.label);
    });
  }

  // The list of moves is a form for those without this module.
  _submit(event) {
    event.preventDefault();
    const { submitter, target } = event;
    if (this.view.isLocked) return;
    if (submitter?.dataset.move !== undefined) {
      this.choose(submitter.dataset.role, submitter.dataset.move, submitter.textContent);
    } else if (submitter?.name === "choice") {
      this.choose(CHANCE, null, "drawn");
    } else {
      const picks = [...target.querySelectorAll("select")].map((each) => each.selectedOptions[0].dataset.move ?? null);
      this.make(picks);
    }
  }

  async _share() {
    const address = new URL(base + query(this.path), location.href).href;
    const words = byId("share").querySelector("span");
    try {
      await navigator.clipboard.writeText(address);
      words.textContent = "Copied";
      byId("live-region").textContent = "The link to this position is copied.";
      setTimeout(() => (words.textContent = "Share"), 2000);
    } catch {
      byId("shared").hidden = false;
      byId("shared-link").value = address;
      byId("shared-link").focus();
      byId("shared-link").select();
    }
  }
}

// What the machine thinks

class Thinker {
  constructor(page) {
    this.page = page;
    this.asked = null;
  }

  get isOn() {
    return this.asked !== null;
  }

  toggle() {
    if (this.isOn) this._rest("Stopped.");
    else this.start();
  }

  async start() {
    this.asked?.abort();
    const asked = (this.asked = new AbortController());
    const { page } = this;
    const wish = { moves: page.path, who: byId("who").value, role: page.role };
    this._button("Stop thinking", true);
    this._clear();
    byId("thoughts").hidden = false;
    this._say("Thinking …");
    for (const [number, seconds] of THOUGHTS.entries()) {
      const slow = setTimeout(() => number || this._say("Getting ready: what this search needs is made once …"), seconds * 1000 + SLOW);
      try {
        const found = await ask("thinking", { ...wish, seconds }, asked.signal);
        if (asked.signal.aborted) return;
        this._show(found);
        if (found.is_proven) break;
      } catch (error) {
        if (!asked.signal.aborted) this._rest(`No answer: ${error.message}`);
        return;
      } finally {
        clearTimeout(slow);
      }
    }
    this._button("Think again", false);
    byId("thoughts").classList.remove("is-on");
    this.asked = null;
  }

  // Somebody plays on: what was thought is of another position.
  stop() {
    this.asked?.abort();
    this.asked = null;
    this._button(QUESTION, false);
    this._clear();
    byId("thoughts").hidden = true;
  }

  _rest(words) {
    this.asked?.abort();
    this.asked = null;
    this._button(QUESTION, false);
    this._say(words);
    byId("thoughts").classList.remove("is-on");
  }

  _button(words, isOn) {
    byId("think").textContent = words;
    byId("think").setAttribute("aria-pressed", String(isOn));
    byId("thoughts").classList.toggle("is-on", isOn);
  }

  _say(words) {
    byId("thinking-state").textContent = words;
  }

  _clear() {
    for (const id of ["bars", "thinking-notes", "thinking-line"]) byId(id).replaceChildren();
    byId("thinking-line").hidden = true;
    this.page.view.annotate([]);
  }

  _show(found) {
    const told = [
      `${found.role}: ${found.is_proven ? "proven " : ""}${shown(found.value)}`,
      found.depth ? `depth ${found.depth}` : "",
      found.speed,
      `${found.seconds.toFixed(1)} s`,
      found.algorithm,
    ];
    this._say(told.filter(Boolean).join(" · "));
    const line = byId("thinking-line");
    line.hidden = !found.line.length;
    line.textContent = found.line.join(" → ") + (found.is_line_longer ? " …" : "");
    const rows = found.moves.slice(0, MOST_BARS).map((each) => this._row(found, each));
    const more = found.moves.length - rows.length + found.more;
    if (more > 0) rows.push(element("li", "more small quiet-text", `and ${more} more`));
    byId("bars").replaceChildren(...rows);
    byId("thinking-notes").replaceChildren(...found.notes.map((note) => element("li", "", note)));
    this.page.view.annotate(found.moves.map((each) => ({ move: each.move, text: shown(each.value), isBest: each.move === found.move })));
  }

  _row(found, each) {
    const row = element("li", each.move === found.move ? "is-best" : "");
    const play = element("button", "");
    play.type = "button";
    Object.assign(play.dataset, { role: found.role, move: each.move, label: each.label });
    const bar = element("span", "bar");
    bar.style.setProperty("--bar", `${each.bar}%`);
    const sign = each.is_win ? "wins" : each.is_loss ? "loses" : `${each.is_bound ? "≤ " : ""}${shown(each.value)}`;
    const visits = element("span", "visits", each.visits ? short(each.visits) : "");
    if (each.visits) visits.title = `tried ${each.visits.toLocaleString("en")} times`;
    play.append(element("span", "name", brief(found.role, each.label)), bar, element("span", "worth", sign), visits);
    row.append(play);
    return row;
  }
}

function element(name, look, words = "") {
  const made = document.createElement(name);
  if (look) made.className = look;
  made.textContent = words;
  return made;
}

const inWords = (node) => node.told.map((each) => `${each.role}: ${each.label}`).join(", ");

// Who moves is told by the turn.
const brief = (role, label) => (label.startsWith(`${role} `) ? label.slice(role.length + 1) : label);

const shown = (value) => (Number.isInteger(value) || Math.abs(value) >= 10 ? String(Math.round(value)) : value.toFixed(1));
const short = (count) => (count < 10_000 ? String(count) : count < 1e6 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`);

new Page();
