// A drawing and what can be clicked on it -> moves: by click, drag and keyboard, for any game.
//
//   const view = new BoardView(host, { onMove(role, move, label) {}, list });
//   view.show({ svg, clicks });      clicks: null, or by role what Clicks.to_json in draw/clicks.py gives
//   view.annotate(values);           values of moves, shown on the board
//
// Which clicks make which move is decided by Choosing, which says the same as Clicks.after and Clicks.choose.

const SVG = "http://www.w3.org/2000/svg";
const CLICKS = 2; // after so many a list decides
const DRAG = 6; // pixels: less is a click
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const MARKS = ["is-source", "is-chosen", "is-target"];
const NOTHING = new Set(["empty", "changed by the last move", "part of the win", "threatened"]);
const MOST_ARROWS = 3;
const FEW = 12; // moves that are offered as buttons too, where clicks do not tell them apart

export class Choosing {
  // touches: {move, label, targets, instead, difference}, of one role or of several
  constructor(touches) {
    this.touches = touches;
    this.starts = new Set(touches.flatMap(firsts));
    this.sources = [...this.starts];
    this.buttons = touches.filter((touch) => !touch.targets.length).map((touch) => choice(touch, touch.label));
  }

  after(ids) {
    const fitting = this.touches.filter((touch) => touch.targets.length && begins(touch, ids));
    const further = fitting.filter((touch) => touch.targets.length > ids.length);
    const listed = fitting.filter((touch) => touch.targets.length <= ids.length || ids.length >= CLICKS);
    return {
      targets: [...new Set(further.map((touch) => touch.targets[ids.length]))],
      choices: listed.map((touch) => choice(touch, touch.difference || touch.label, touch.targets[ids.length])),
    };
  }

  // A choice, where the clicks make a move; a list of them, where they leave several; null, where they make none.
  choose(ids) {
    const { targets, choices } = this.after(ids);
    if (choices.length === 1 && !(targets.length && ids.length < CLICKS)) return choices[0];
    return choices.length ? choices : null;
  }
}

const firsts = (touch) => [...touch.targets.slice(0, 1), ...touch.instead];

function begins(touch, ids) {
  if (ids.length && !firsts(touch).includes(ids[0])) return false;
  const rest = touch.targets.slice(1, Math.max(1, ids.length));
  return rest.length === Math.max(0, ids.length - 1) && rest.every((cell, n) => cell === ids[n + 1]);
}

function choice(touch, label, cell = null) {
  return { label, move: touch.move, role: touch.role, cell: cell ?? null, name: touch.label };
}

export class BoardView {
  constructor(host, { onMove, list = null }) {
    this.host = host;
    this.list = list;
    this.onMove = onMove;
    this.left = null;
    this.isLocked = false;
    this.ids = [];
    this.values = [];
    this.at = null; // the cell that Tab reaches
    this.drag = null;
    this.isDragged = false;
    this.clicks = null;
    host.tabIndex = -1;
    this._listen();
    this.show({ clicks: null });
  }

  // What is on the board, and what can be done there; without svg, the drawing that is there stays.
  show({ svg, clicks }) {
    // Where nothing can be done the board itself has the focus; the cell that had it gets it back.
    const focused = this._focused() ?? (document.activeElement === this.host ? this.left : null);
    this._endDrag();
    if (svg !== undefined) this._replace(svg);
    this.svg = this.host.querySelector("svg");
    this.cells = new Map();
    for (const cell of this.svg?.querySelectorAll("[data-cell]") ?? []) this.cells.set(cell.dataset.cell, cell);
    const roles = Object.entries(clicks ?? {});
    this.hasRoles = roles.length > 1;
    this.choosing = new Choosing(roles.flatMap(([role, own]) => own.moves.map((touch) => ({ ...touch, role }))));
    this.values = [];
    this.ids = [];
    this._refresh();
    this.left = focused;
    if (focused !== null) this._focus(focused);
  }

  lock() {
    this.isLocked = true;
    this.host.setAttribute("aria-busy", "true");
    this.host.classList.add("is-waiting");
  }

  unlock() {
    this.isLocked = false;
    this.host.removeAttribute("aria-busy");
    this.host.classList.remove("is-waiting");
  }

  // Values of moves, the best first: {move, text, isBest}
  annotate(values) {
    this.values = values;
    this._overlay();
  }

  // Forget the clicks that have not made a move yet.
  drop() {
    if (!this.ids.length) return false;
    this.ids = [];
    this._refresh();
    return true;
  }

  // What happens

  press(id) {
    if (this.isLocked) return;
    const ids = [...this.ids, id];
    const { targets, choices } = this.choosing.after(ids);
    if (targets.length || choices.length) {
      const found = this.choosing.choose(ids);
      if (found && !Array.isArray(found)) return this._make(found);
      this.ids = ids;
    } else if (this.ids.length && id !== this.ids[0] && this.choosing.starts.has(id)) {
      this.ids = [];
      return this.press(id);
    } else {
      this.ids = [];
    }
    this._refresh();
    if (choices.length && !targets.length) this.list?.querySelector("button")?.focus({ preventScroll: false });
  }

  _make(found) {
    this.ids = [];
    this._refresh();
    this.onMove(found.role, found.move, found.name);
  }

  _listen() {
    const { host } = this;
    host.addEventListener("mousedown", (event) => {
      if (cellOf(event.target)) event.preventDefault(); // a pointer leaves the focus where it is
    });
    host.addEventListener("click", (event) => {
      const cell = cellOf(event.target);
      if (this.isDragged) this.isDragged = false;
      else if (cell && this._isActive(cell)) this.press(cell);
      else this.drop();
    });
    host.addEventListener("keydown", (event) => this._key(event));
    host.addEventListener("focusin", (event) => {
      const cell = cellOf(event.target);
      if (cell) this._rove(cell);
    });
    host.addEventListener("pointerdown", (event) => this._grab(event));
    host.addEventListener("pointermove", (event) => this._pull(event));
    host.addEventListener("pointerup", (event) => this._release(event));
    host.addEventListener("pointercancel", () => this._endDrag());
    this.list?.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this._back()) event.preventDefault();
    });
  }

  _key(event) {
    const id = cellOf(event.target);
    if (id === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in ARROWS) this._step(id, ARROWS[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.press(id);
    else if (event.key !== "Escape" || !this._back()) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Drop what was chosen, and go where it was begun.
  _back() {
    const [first] = this.ids;
    const isHere = this.host.contains(document.activeElement) || this.list?.contains(document.activeElement);
    if (!this.drop()) return false;
    if (isHere) this._focus(first);
    return true;
  }

  // Drag: with a mouse or a pen at once; with a finger what is chosen already, as all else scrolls the page

  _grab(event) {
    this.isDragged = false;
    const id = cellOf(event.target);
    if (id === null || this.isLocked || event.button !== 0 || !event.isPrimary) return;
    const isChosen = this.ids.length === 1 && this.ids[0] === id;
    if (!isChosen && (event.pointerType === "touch" || !this.choosing.starts.has(id))) return;
    this.drag = { id, pointer: event.pointerId, x: event.clientX, y: event.clientY, ghost: null };
  }

  _pull(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG) return;
      if (!this.choosing.after([drag.id]).targets.length) return void (this.drag = null);
      this.ids = [drag.id];
      this._refresh();
      drag.ghost = this._ghost(drag.id);
      this.host.setPointerCapture?.(drag.pointer);
    }
    const { x, y } = this._point(event);
    drag.ghost.setAttribute("transform", `translate(${x} ${y})`);
  }

  _release(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    this._endDrag();
    if (!drag.ghost) return;
    this.isDragged = true;
    setTimeout(() => (this.isDragged = false), 0); // the click that belongs to this has come by then
    const id = cellOf(document.elementFromPoint(event.clientX, event.clientY));
    if (id !== null && id !== drag.id && this._isActive(id)) this.press(id);
  }

  _endDrag() {
    this.drag?.ghost?.remove();
    if (this.drag?.ghost) this.cells.get(this.drag.id)?.classList.remove("is-lifted");
    this.drag = null;
  }

  _ghost(id) {
    const cell = this.cells.get(id);
    const ghost = document.createElementNS(SVG, "g");
    ghost.setAttribute("class", "board-ghost");
    ghost.setAttribute("pointer-events", "none");
    ghost.append(...lifted(cell));
    cell.classList.add("is-lifted");
    this.svg.append(ghost);
    return ghost;
  }

  _point(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  // The keyboard: one cell is reached by Tab, arrows go on from there

  _isActive(id) {
    return this.active.has(id);
  }

  _focused() {
    const { activeElement } = document;
    return this.host.contains(activeElement) && activeElement !== this.host ? cellOf(activeElement) : null;
  }

  _focus(id) {
    const near = this._isActive(id) ? id : this._nearest(id);
    const cell = near === null ? null : this.cells.get(near);
    (cell ?? this.list?.querySelector("button") ?? this.host).focus({ preventScroll: true });
  }

  _nearest(id) {
    const [x, y] = this._centre(id);
    let best = null;
    for (const other of this.active) {
      const [a, b] = this._centre(other);
      const far = Math.hypot(a - x, b - y);
      if (best === null || far < best[0]) best = [far, other];
    }
    return best && best[1];
  }

  _step(id, [right, down]) {
    const [x, y] = this._centre(id);
    let best = null;
    for (const other of this.active) {
      const [a, b] = this._centre(other);
      const ahead = (a - x) * right + (b - y) * down;
      const aside = Math.abs((a - x) * down) + Math.abs((b - y) * right);
      if (ahead < 1) continue;
      const far = ahead + 3 * aside; // straight on is nearer than round the corner
      if (best === null || far < best[0]) best = [far, other];
    }
    if (best) this.cells.get(best[1]).focus();
  }

  _rove(id) {
    if (this.at !== null) this.cells.get(this.at)?.setAttribute("tabindex", "-1");
    this.at = id;
    this.cells.get(id)?.setAttribute("tabindex", "0");
  }

  _centre(id) {
    const written = this.cells.get(id)?.getAttribute("transform") ?? "";
    const [x = 0, y = 0] = (written.match(/-?[\d.]+/g) ?? []).map(Number);
    return [x, y];
  }

  // What is seen

  _replace(svg) {
    const holder = document.createElement("template");
    holder.innerHTML = svg; // made by the server, which escapes all that is in it
    const old = this.host.querySelector("svg");
    const drawn = holder.content.querySelector("svg");
    if (old && drawn) old.replaceWith(drawn);
    else if (drawn) this.host.prepend(drawn);
  }

  _refresh() {
    const { targets, choices } = this.ids.length ? this.choosing.after(this.ids) : { targets: [], choices: [] };
    const third = choices.map((each) => each.cell).filter((cell) => cell !== null);
    this.targets = new Set([...targets, ...third]);
    this.active = new Set([...this.choosing.sources, ...this.targets, ...this.ids].filter((id) => this.cells.has(id)));
    for (const [id, cell] of this.cells) this._dress(id, cell);
    if (!this.active.has(this.at)) this.at = null;
    const focused = this._focused();
    this._rove(focused ?? this.at ?? this.ids[0] ?? first(this.cells.keys(), (id) => this.active.has(id)));
    this._overlay();
    this._offer(choices);
  }

  _dress(id, cell) {
    const marks = [this.choosing.starts.has(id), this.ids.includes(id), this.targets.has(id)];
    MARKS.forEach((mark, n) => cell.classList.toggle(mark, marks[n]));
    const words = cell.querySelector(":scope > title")?.textContent ?? id;
    if (this.active.has(id)) {
      cell.setAttribute("role", "button");
      if (!cell.hasAttribute("tabindex") || id !== this.at) cell.setAttribute("tabindex", "-1");
      cell.setAttribute("aria-label", words + (marks[1] ? ", chosen" : marks[2] ? ", can be moved to" : ""));
    } else {
      for (const name of ["role", "tabindex", "aria-label"]) cell.removeAttribute(name);
    }
  }

  // Marks with shapes of their own, and values, over the cells.
  _overlay() {
    if (!this.svg) return;
    this.svg.querySelector(":scope > .board-over")?.remove();
    const over = document.createElementNS(SVG, "g");
    over.setAttribute("class", "board-over");
    over.setAttribute("aria-hidden", "true");
    over.setAttribute("pointer-events", "none");
    if (!this.ids.length) for (const id of this.choosing.sources) this._mark(over, id, "source");
    for (const id of this.ids) this._mark(over, id, "chosen");
    for (const id of this.targets) this._mark(over, id, "target");
    this._drawValues(over);
    if (over.childNodes.length) this.svg.append(over);
  }

  _mark(over, id, kind) {
    const cell = this.cells.get(id);
    if (!cell) return;
    const [x, y] = this._centre(id);
    const box = room(cell);
    const half = Math.min(box.width, box.height) / 2;
    const at = { cx: x + box.x + box.width / 2, cy: y + box.y + box.height / 2 };
    if (kind === "target" && !isTaken(cell)) {
      over.append(shape("circle", { ...at, r: half * 0.28, class: "mark-target" }));
    } else if (kind === "target") {
      over.append(shape("circle", { ...at, r: half * 0.9, class: "mark-halo" }));
      over.append(shape("circle", { ...at, r: half * 0.9, class: "mark-taken" }));
    } else {
      const inset = half * 0.1;
      const frame = {
        x: x + box.x + inset,
        y: y + box.y + inset,
        width: box.width - 2 * inset,
        height: box.height - 2 * inset,
        rx: half * (isRound(cell) ? 1 : 0.12),
      };
      if (kind === "chosen") over.append(shape("rect", { ...frame, class: "mark-halo" }));
      over.append(shape("rect", { ...frame, class: `mark-${kind}` }));
    }
  }

  _drawValues(over) {
    const touches = new Map(this.choosing.touches.map((touch) => [touch.move, touch]));
    const seen = new Set();
    let arrows = 0;
    for (const value of this.values) {
      const touch = touches.get(value.move);
      if (!touch?.targets.length || (this.ids.length && !begins(touch, this.ids))) continue;
      const { targets } = touch;
      const isLong = targets.length > 1 && !this.ids.length;
      const end = targets[Math.min(targets.length, Math.max(CLICKS, this.ids.length + 1)) - 1];
      if (isLong && (arrows += 1) > MOST_ARROWS) continue;
      if (isLong) this._arrow(over, targets[0], end, arrows);
      if (seen.has(end) || !this.cells.has(end)) continue;
      seen.add(end);
      this._pill(over, end, value);
    }
  }

  _arrow(over, from, to, rank) {
    if (!this.cells.has(from) || !this.cells.has(to)) return;
    const [a, b] = this._centre(from);
    const [x, y] = this._centre(to);
    const box = room(this.cells.get(to));
    const far = Math.hypot(x - a, y - b) || 1;
    const [right, down] = [(x - a) / far, (y - b) / far];
    const wide = (Math.min(box.width, box.height) * 0.13) / Math.sqrt(rank);
    const [i, j] = [x - right * wide * 2.6, y - down * wide * 2.6];
    const side = (n) => `${i - down * wide * n} ${j + right * wide * n}`;
    const arrow = document.createElementNS(SVG, "g");
    arrow.setAttribute("class", "value-arrow");
    arrow.append(shape("path", { d: `M${a} ${b}L${i} ${j}`, "stroke-width": wide, fill: "none" }));
    arrow.append(shape("path", { d: `M${side(1.4)}L${x} ${y}L${side(-1.4)}Z`, class: "head" }));
    arrow.style.opacity = String(0.75 - 0.18 * (rank - 1));
    over.append(arrow);
  }

  _pill(over, id, value) {
    const [x, y] = this._centre(id);
    const box = room(this.cells.get(id));
    const size = Math.min(box.width, box.height) * 0.24;
    const width = size * (0.62 * value.text.length + 0.7);
    const middle = { x: x + box.x + box.width / 2, y: y + box.y + box.height - size * 0.75 };
    const pill = document.createElementNS(SVG, "g");
    pill.setAttribute("class", value.isBest ? "value is-best" : "value");
    pill.append(
      shape("rect", { x: middle.x - width / 2, y: middle.y - size * 0.65, width, height: size * 1.3, rx: size * 0.5 }),
    );
    const text = shape("text", { x: middle.x, y: middle.y + size * 0.36, "font-size": size, "text-anchor": "middle" });
    text.textContent = value.text;
    pill.append(text);
    over.append(pill);
  }

  // Buttons: for moves without a place, or for what the clicks leave open.
  _offer(choices) {
    if (!this.list) return;
    const isOpen = choices.length > 0;
    const offered = isOpen ? choices : this.ids.length ? [] : this._standing();
    const buttons = offered.map((each) => {
      const label = this.hasRoles ? `${each.role}: ${each.label}` : each.label;
      return this._button(label, "button quiet", () => this.isLocked || this._make(each));
    });
    if (isOpen) buttons.push(this._button("Cancel", "button quiet cancel", () => this._back()));
    const had = this.list.contains(document.activeElement);
    this.list.classList.toggle("is-open", isOpen);
    this.list.replaceChildren(...buttons);
    if (had && buttons.length) buttons[0].focus();
  }

  // The moves without a place; where there are few, and a click would leave a list, all of them.
  _standing() {
    const { buttons, sources, touches } = this.choosing;
    if (touches.length > FEW) return buttons;
    const leavesList = (id) => !this.choosing.after([id]).targets.length && Array.isArray(this.choosing.choose([id]));
    return sources.some(leavesList) ? touches.map((touch) => choice(touch, touch.label)) : buttons;
  }

  _button(label, look, press) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = look;
    button.textContent = label;
    button.addEventListener("click", press);
    return button;
  }
}

// Cells as they are drawn: draw/picture/panels.py

const cellOf = (element) => element?.closest?.("[data-cell]")?.dataset.cell ?? null;

function first(ids, fits) {
  for (const id of ids) if (fits(id)) return id;
  return null;
}

// What a cell takes on the board, around its centre; drawings do not change, so it is looked up once.
const rooms = new WeakMap();

function room(cell) {
  if (!rooms.has(cell)) {
    const ground = cell.querySelector(":scope > path, :scope > circle, :scope > rect") ?? cell;
    rooms.set(cell, ground.getBBox());
  }
  return rooms.get(cell);
}

const isRound = (cell) => cell.querySelector(":scope > path")?.getAttribute("d")?.split("L").length !== 4;

const things = (cell) => [...cell.children].filter((each) => /^(use|g|text)$/.test(each.tagName) && !each.matches("[class$='-f']"));

// What is dragged of a cell: copies of all that is on it, of a stack of the last thing alone.
function lifted(cell) {
  const top = cell.querySelector(":scope > [data-top]")?.cloneNode(true);
  top?.removeAttribute("transform");
  return top ? [top] : things(cell).map((each) => each.cloneNode(true));
}

// Whether something stands on it, as its title says.
function isTaken(cell) {
  const words = cell.querySelector(":scope > title")?.textContent ?? "";
  const told = words.slice(words.indexOf(":") + 1).split(",");
  return told.some((each) => !NOTHING.has(each.trim()));
}

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
