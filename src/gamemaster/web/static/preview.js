// The game that is being written, as it plays now: its board, its moves, its state, and the line that led there.

import { Newest, TooLarge } from "./asking.js";
import { BoardView } from "./board.js";
import { pathOf } from "./lines.js";

const CHANCE = "random";
const DELAY = 250; // behind the findings, which come first
const byId = (id) => document.getElementById(id);

export class Preview {
  // sheet(): the rules, notation and style as they are now
  constructor({ sheet, line, onLine, say }) {
    Object.assign(this, { sheet, line, onLine, say });
    this.shown = null;
    this.chosen = new Map();
    this.view = new BoardView(byId("board"), { list: byId("choices"), onMove: (role, move) => this.choose(role, move) });
    this.questions = new Newest("state", {
      delay: DELAY,
      show: (found, wish, isOld) => isOld || (found.trouble ? this._fail(new Error(found.trouble)) : this._show(found)),
      fail: (error) => this._fail(error instanceof TooLarge ? new Error("The text is too large for this page, so nothing is drawn: use `gamemaster play` for it.") : error),
    });
    byId("back").addEventListener("click", () => this.back());
    byId("reset").addEventListener("click", () => this.reset());
    byId("state").addEventListener("click", (event) => {
      const button = event.target.closest("button[data-move]");
      if (!button) return;
      event.preventDefault();
      if (!this.view.isLocked) this.choose(button.dataset.role, button.dataset.move === "" ? null : button.dataset.move);
    });
    this._buttons();
  }

  // Show the game as it is now; before is the line to go back to where the new one cannot be gone.
  ask(line = this.line) {
    this.questions.ask({ ...this.sheet(), moves: pathOf(line) });
    byId("preview").setAttribute("aria-busy", "true");
  }

  // A role has chosen; the step is made when all have.
  choose(role, move) {
    if (!this.shown || !this.shown.askers.includes(role)) return;
    this.chosen.set(role, move);
    const open = this.shown.askers.filter((each) => !this.chosen.has(each));
    if (open.length === 1 && open[0] === CHANCE) this.chosen.set(CHANCE, null);
    else if (open.length) return this._turn();
    const step = this.shown.askers.map((each) => this.chosen.get(each));
    this.view.lock();
    this.isMoving = true;
    this.ask([...this.line, step]);
  }

  back() {
    if (this.chosen.size) {
      this.chosen.clear();
      return this._turn();
    }
    this.isMoving = true;
    this.ask(this.line.slice(0, -1));
  }

  reset() {
    this.chosen.clear();
    this.isMoving = true;
    this.ask([]);
  }

  _show(found) {
    this.shown = found;
    this.line = found.line;
    this.chosen.clear();
    const state = byId("state");
    const open = new Map([...state.querySelectorAll("details[id]")].map((each) => [each.id, each.open]));
    state.innerHTML = found.html; // made by the server, as the page was
    for (const each of state.querySelectorAll("details[id]")) if (open.has(each.id)) each.open = open.get(each.id);
    byId("preview").classList.remove("is-old");
    byId("preview-status").textContent = found.status;
    byId("board").hidden = !found.svg;
    if (!found.svg) byId("board").replaceChildren();
    this._turn(found.svg || undefined);
    this._done();
    if (found.cut) this.say(found.cut);
    else if (this.isMoving) byId("live-region").textContent = `Step ${found.step}. ${found.status}`;
    this.isMoving = false;
    this.onLine(this.line);
  }

  // The rules are no game now: what was shown last stays, and it is said that it is old.
  _fail(error) {
    this._done();
    this.isMoving = false;
    byId("preview").classList.add("is-old");
    byId("preview-status").textContent = error.message;
    this.view.show({ clicks: null });
    this.shown = null;
  }

  // There is nothing to ask: findings say why.
  rest(words) {
    this.questions.drop();
    this._fail(new Error(words));
  }

  _done() {
    this.view.unlock();
    byId("preview").removeAttribute("aria-busy");
    this._buttons();
  }

  _buttons() {
    byId("back").disabled = byId("reset").disabled = !this.line.length && !this.chosen.size;
  }

  // The board for whoever chooses now.
  _turn(svg) {
    const { askers, clicks } = this.shown;
    const role = askers.find((each) => !this.chosen.has(each));
    this.view.show({ svg, clicks: role !== undefined && clicks[role] ? { [role]: clicks[role] } : null });
    const made = [...this.chosen].map(([who, move]) => `${who}: ${move ?? "drawn"}`).join(", ");
    byId("turn").hidden = askers.length < 2;
    byId("turn").textContent = askers.length < 2 ? "" : `${made ? `${made}. ` : ""}${role} chooses.`;
    this._buttons();
  }
}
