// The board of the first page: a game for two at one mouse, without leaving the page.
import { BoardView } from "./board.js";

const holder = document.querySelector("[data-game]");
const game = holder.dataset.game;
const status = document.getElementById("status");
const region = document.getElementById("live-region");
const board = document.getElementById("board");
const line = [];

const view = new BoardView(board, { onMove: move, list: document.getElementById("choices") });

async function move(role, text) {
  view.lock();
  const moves = [...line, text].join(";");
  const answer = await fetch(`/standalone/${game}/position.json?moves=${encodeURIComponent(moves)}`).catch(() => null);
  const found = answer?.ok ? await answer.json().catch(() => null) : null;
  view.unlock();
  if (!found) return;
  line.push(text);
  view.show({ svg: found.svg, clicks: found.clicks });
  tell(found, moves);
}

function tell(found, moves) {
  const link = document.createElement("a");
  link.href = `/standalone/${game}?moves=${encodeURIComponent(moves)}`;
  link.textContent = "More room";
  const said = `${found.status}. `;
  status.replaceChildren(said, link);
  region.textContent = said;
}

view.show({ svg: board.innerHTML, clicks: JSON.parse(document.getElementById("first").textContent).clicks });
