// Boards to try things on, any number on a page: all roles are the visitor's, and the machine can be asked.
//
//   <div data-live-board="tictactoe"> .board, .choices, [data-said], <script type="application/json"> with the clicks,
//   and buttons: [data-do="think"], [data-do="machine"], [data-do="again"] </div>
import { BoardView } from "./board.js";
import { pathOf, query } from "./lines.js";

const SECONDS = 1;
const CHANCE = "random";

class LiveBoard {
  constructor(holder) {
    this.holder = holder;
    this.base = `/standalone/${encodeURIComponent(holder.dataset.liveBoard)}`;
    this.said = holder.querySelector("[data-said]");
    this.line = [];
    const board = holder.querySelector(".board");
    this.view = new BoardView(board, { onMove: (role, move) => this.choose(role, move), list: holder.querySelector(".choices") });
    this.start = { svg: board.innerHTML, clicks: JSON.parse(holder.querySelector("script").textContent), status: this.said.textContent, is_terminal: false };
    this.show(this.start, false);
    const ways = { think: () => this.think(), machine: () => this.reply(), again: () => this.again() };
    for (const button of holder.querySelectorAll("[data-do]")) {
      button.hidden = false;
      button.addEventListener("click", ways[button.dataset.do]);
    }
  }

  async choose(role, move) {
    const line = [...this.line, [move]];
    const found = await this.ask("position", { moves: pathOf(line) });
    if (!found) return;
    this.line = line;
    this.show(found);
  }

  async think() {
    const found = await this.ask("thinking", this.wish(), "Thinking …");
    if (!found) return;
    const best = found.moves.find((each) => each.move === found.move);
    this.view.annotate(found.moves.map((each) => ({ move: each.move, text: String(Math.round(each.value)), isBest: each.move === found.move })));
    const tried = found.playouts ? ` after ${found.playouts.toLocaleString("en")} games` : "";
    this.say(`${found.role} should take ${best ? best.label : found.move}: worth ${Math.round(found.value)} of 100${found.is_proven ? ", and that is proven" : ""}${tried}.`);
  }

  async reply() {
    const found = await this.ask("thinking", this.wish(), "Thinking …");
    if (found?.move) await this.choose(found.role, found.move);
  }

  again() {
    this.line = [];
    this.show(this.start);
  }

  wish() {
    return { moves: pathOf(this.line), who: this.holder.dataset.who ?? "", role: "", seconds: SECONDS };
  }

  // The answer; null where there is none, and then the page says why.
  async ask(what, wish, meanwhile = "") {
    if (this.view.isLocked) return null;
    this.view.lock();
    this.enable(false);
    if (meanwhile) this.say(meanwhile);
    try {
      const answer = await fetch(`${this.base}/${what}.json`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(wish) });
      const found = await answer.json();
      if (!answer.ok) throw new Error(found.error);
      return found;
    } catch (error) {
      this.say(`No answer: ${error.message}`);
      return null;
    } finally {
      this.view.unlock();
      this.enable(true);
    }
  }

  show(found, isTold = true) {
    this.shown = found;
    this.view.show({ svg: found.svg, clicks: found.is_terminal ? null : found.clicks });
    this.enable(true);
    if (isTold) this.say(found.status);
  }

  enable(isFree) {
    for (const button of this.holder.querySelectorAll("[data-do]")) {
      const isOver = this.shown.is_terminal || CHANCE in this.shown.clicks;
      button.disabled = !isFree || (button.dataset.do === "again" ? !this.line.length : isOver);
    }
    const onward = this.holder.querySelector("[data-onward]");
    if (onward) onward.href = this.base + query(pathOf(this.line));
  }

  say(words) {
    this.said.textContent = words;
    document.getElementById("live-region").textContent = words;
  }
}

for (const holder of document.querySelectorAll("[data-live-board]")) new LiveBoard(holder);
