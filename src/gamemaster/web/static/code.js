// A textarea -> an editor of code: numbers of lines, colours, underlined findings. The textarea stays the truth.
//
//   const field = new CodeField(host, { onChange(text) {}, onMove(offset) {} });
//   field.colour(tokens);            [start, end, number of a colour, ...] of the text as it is now
//   field.mark(findings);            {start, end, severity, line}
//   field.replace(start, end, text)  as if it were typed: it can be undone
//
// Below the textarea lies a layer with the lines that are seen, in colours; the letters of the textarea itself are
// transparent. Both lie in one box that scrolls, so they never part. What is typed is there at once, and its colours
// are moved along until new ones come. Where that is not safe (a text that is very large, letters that are still being
// composed, colours that a reader has forced) the textarea shows its own letters, and the layer none.

const AROUND = 30; // lines beyond those that are seen
const LARGEST = 400_000; // characters, above which a text has no colours
const LONGEST_LINE = 4_000;
const PADDING = 8; // pixels, as in editor.css
const WORD = /[\p{L}\p{N}_?]/u;
const RANK = { error: 3, warning: 2, note: 1 };

export class CodeField {
  constructor(host, { onChange = () => {}, onMove = () => {} } = {}) {
    this.host = host;
    this.area = host.querySelector("textarea");
    this.scroller = host.querySelector(".code-scroll");
    this.gutter = host.querySelector(".code-gutter");
    this.sheet = host.querySelector(".code-sheet");
    this.layer = host.querySelector(".code-layer");
    this.onChange = onChange;
    this.onMove = onMove;
    this.text = this.area.value;
    this.tokens = [];
    this.findings = [];
    this.starts = [0];
    this.probe = document.createElement("span");
    this.probe.className = "code-probe";
    this.sheet.append(this.probe);
    this.area.setAttribute("wrap", "off");
    host.classList.add("is-live");
    this._listen();
    this._measure();
    this._lines();
    this._draw();
  }

  _listen() {
    this.area.addEventListener("input", () => this._typed());
    this.area.addEventListener("compositionstart", () => this.host.classList.add("is-composing"));
    this.area.addEventListener("compositionend", () => {
      this.host.classList.remove("is-composing");
      this._typed();
    });
    this.area.addEventListener("keydown", (event) => this._key(event));
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === this.area) this._moved();
    });
    this.scroller.addEventListener("scroll", () => this._soon());
    this.area.addEventListener("scroll", () => this._fit()); // it is as large as its text, and scrolls only where that was misjudged
    new ResizeObserver(() => {
      this._measure();
      this._fit();
      this._draw();
    }).observe(this.scroller);
    document.fonts?.ready.then(() => {
      this._measure();
      this._draw();
    });
  }

  // The text

  _typed() {
    const text = this.area.value;
    if (text === this.text) return;
    const edit = difference(this.text, text);
    this.tokens = shifted(this.tokens, edit);
    this.findings = this.findings.map((each) => shiftedSpan(each, edit)).filter(Boolean);
    this.text = text;
    this._lines();
    this._draw();
    this._reveal();
    this.onChange(text, edit);
  }

  // Another text altogether: nothing of the old one counts any more.
  set(text) {
    this.area.value = text;
    this.text = this.area.value;
    this.tokens = [];
    this.findings = [];
    this._lines();
    this._draw();
  }

  replace(start, end, text) {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, end);
    const isDone = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text); // what undo knows of
    if (!isDone) {
      this.area.setRangeText(text, start, end, "end");
    }
    this._typed();
  }

  // The whole text, written otherwise: only what differs is replaced, so that the caret stays where it is.
  rewrite(text) {
    const edit = difference(this.text, text);
    if (edit.start === edit.end && edit.start === edit.newEnd) return;
    const at = this.caret;
    this.replace(edit.start, edit.end, text.slice(edit.start, edit.newEnd));
    if (at < edit.start) this.area.setSelectionRange(at, at);
  }

  get caret() {
    return this.area.selectionDirection === "backward" ? this.area.selectionStart : this.area.selectionEnd;
  }

  // Line and column of an offset, from 1.
  place(offset) {
    const line = this.lineOf(offset);
    return { line: line + 1, column: offset - this.starts[line] + 1 };
  }

  lineOf(offset) {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  lineText(line) {
    const end = line + 1 < this.starts.length ? this.starts[line + 1] - 1 : this.text.length;
    return this.text.slice(this.starts[line], end);
  }

  // The beginning of the word that ends at an offset.
  wordStart(offset) {
    let start = offset;
    while (start > 0 && WORD.test(this.text[start - 1])) start -= 1;
    return start;
  }

  // Go to a place, and show it.
  go(start, end = start) {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, end);
    this._reveal(start, true);
    this._moved();
  }

  // A new line begins as far in as the last one: Tab leaves the field, as everywhere.
  _key(event) {
    if (event.defaultPrevented || event.isComposing || event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey) return;
    const { selectionStart: start, selectionEnd: end } = this.area;
    const line = this.lineOf(start);
    const indent = this.lineText(line).slice(0, start - this.starts[line]).match(/^[ \t]*/)[0];
    if (!indent || this.isPlain) return;
    event.preventDefault();
    this.replace(start, end, `\n${indent}`);
  }

  // What is shown of it

  colour(tokens) {
    this.tokens = tokens;
    this._draw();
  }

  mark(findings) {
    this.findings = findings.map((each) => ({ ...each }));
    this._draw();
  }

  findingAt(offset) {
    return this.findings.find((each) => each.start <= offset && offset <= Math.max(each.end, each.start + 1));
  }

  // Pixels of an offset, from the upper left corner of the host; and the offset at a point of the window.
  point(offset) {
    const line = this.lineOf(offset);
    const before = this.text.slice(this.starts[line], offset);
    const box = this.host.getBoundingClientRect();
    const sheet = this.sheet.getBoundingClientRect();
    return { x: sheet.left - box.left + PADDING + this._width(before), y: sheet.top - box.top + PADDING + line * this.height, height: this.height };
  }

  offsetAt(clientX, clientY) {
    const box = this.sheet.getBoundingClientRect();
    const line = Math.floor((clientY - box.top - PADDING) / this.height);
    const x = clientX - box.left - PADDING;
    if (line < 0 || line >= this.starts.length || x < 0) return null;
    const text = this.lineText(line);
    let [low, high] = [0, text.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this._width(text.slice(0, middle)) <= x) low = middle;
      else high = middle - 1;
    }
    return low < text.length ? this.starts[line] + low : null;
  }

  _width(text) {
    if (/^[\x20-\x7e]*$/.test(text)) return text.length * this.letter;
    this.probe.textContent = text;
    return this.probe.getBoundingClientRect().width;
  }

  _measure() {
    this.probe.textContent = "0".repeat(100);
    this.letter = this.probe.getBoundingClientRect().width / 100;
    this.height = parseFloat(getComputedStyle(this.area).lineHeight);
  }

  // Where lines begin, and how large the text is.
  _lines() {
    const { text } = this;
    const starts = [0];
    let longest = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
      longest = Math.max(longest, at - starts.at(-1));
      starts.push(at + 1);
    }
    this.starts = starts;
    longest = Math.max(longest, text.length - starts.at(-1));
    this.isPlain = text.length > LARGEST || longest > LONGEST_LINE;
    this.host.classList.toggle("is-plain", this.isPlain);
    this.columns = longest;
    if (!this.isPlain && /[^\x20-\x7e\n]/.test(text)) {
      for (let line = 0; line < starts.length; line += 1) {
        const strange = this.lineText(line).match(/[^\x20-\x7e]/g);
        const columns = this.lineText(line).length + (strange?.length ?? 0) + 7 * (strange?.filter((each) => each === "\t").length ?? 0);
        this.columns = Math.max(this.columns, columns);
      }
    }
    this._fit();
  }

  _fit() {
    if (this.isPlain) {
      this.sheet.style.width = this.sheet.style.height = "";
      return;
    }
    const digits = String(this.starts.length).length;
    this.gutter.style.width = `calc(${digits}ch + 1.6rem)`;
    this.sheet.style.width = `${Math.ceil((this.columns + 2) * this.letter) + 2 * PADDING}px`;
    this.sheet.style.height = `${Math.ceil(this.starts.length * this.height) + 2 * PADDING}px`;
    if (this.area.scrollWidth > this.area.clientWidth + 1) this.sheet.style.width = `${this.area.scrollWidth + this.letter}px`; // letters wider than two
    this.area.scrollLeft = this.area.scrollTop = 0;
  }

  _soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this._draw();
    });
  }

  _draw() {
    if (this.isPlain || !this.height) {
      this.layer.replaceChildren();
      this.gutter.replaceChildren();
      return;
    }
    const { scrollTop, clientHeight } = this.scroller;
    const first = Math.max(0, Math.floor(scrollTop / this.height) - AROUND);
    const last = Math.min(this.starts.length, Math.ceil((scrollTop + clientHeight) / this.height) + AROUND);
    const worst = new Map();
    for (const each of this.findings) {
      const line = this.lineOf(each.start);
      if (!worst.has(line) || RANK[each.severity] > RANK[worst.get(line)]) worst.set(line, each.severity);
    }
    const lines = document.createDocumentFragment();
    const numbers = document.createDocumentFragment();
    for (let line = first; line < last; line += 1) {
      lines.append(this._line(line));
      const number = made("div", worst.has(line) ? `is-${worst.get(line)}` : "", String(line + 1));
      numbers.append(number);
    }
    this.layer.replaceChildren(lines);
    this.gutter.replaceChildren(numbers);
    this.layer.style.paddingTop = this.gutter.style.paddingTop = `${PADDING + first * this.height}px`;
  }

  // A line in pieces, each with its colour and its finding.
  _line(line) {
    const begin = this.starts[line];
    const text = this.lineText(line);
    const end = begin + text.length;
    const row = made("div", "row");
    const here = this.findings.filter((each) => each.start <= end && each.end >= begin && (each.end > begin || each.start === each.end));
    const cuts = new Set([begin, end]);
    const spans = this._tokensIn(begin, end);
    for (const [start, stop] of [...spans, ...here.map((each) => [each.start, each.end])]) {
      cuts.add(Math.min(Math.max(start, begin), end));
      cuts.add(Math.min(Math.max(stop, begin), end));
    }
    const places = [...cuts].sort((a, b) => a - b);
    let next = 0;
    for (let number = 0; number + 1 < places.length; number += 1) {
      const [start, stop] = [places[number], places[number + 1]];
      while (next < spans.length && spans[next][1] <= start) next += 1;
      const colour = next < spans.length && spans[next][0] <= start ? ` c${spans[next][2]}` : "";
      const finding = worstOf(here.filter((each) => each.start <= start && stop <= each.end));
      const piece = text.slice(start - begin, stop - begin);
      if (colour || finding) row.append(made("span", `${finding ? `is-${finding}` : ""}${colour}`.trim(), piece));
      else row.append(piece);
    }
    const whole = worstOf(here.filter((each) => each.start === each.end && this.lineOf(each.start) === line));
    if (whole) row.append(made("span", `is-${whole} is-empty`, " "));
    return row;
  }

  _tokensIn(begin, end) {
    const { tokens } = this;
    let [low, high] = [0, tokens.length / 3];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tokens[3 * middle + 1] <= begin) low = middle + 1;
      else high = middle;
    }
    const found = [];
    for (let at = 3 * low; at < tokens.length && tokens[at] < end; at += 3) found.push([tokens[at], tokens[at + 1], tokens[at + 2]]);
    return found;
  }

  _moved() {
    if (this.caret === this.at) return;
    this.at = this.caret;
    this._reveal();
    this.onMove(this.at);
  }

  // Scroll so that the caret is seen; far jumps end in the middle.
  _reveal(offset = this.caret, isJump = false) {
    if (this.isPlain) return;
    const { scroller } = this;
    const line = this.lineOf(offset);
    const top = PADDING + line * this.height;
    const isSeen = top >= scroller.scrollTop && top + this.height <= scroller.scrollTop + scroller.clientHeight;
    if (!isSeen && isJump) scroller.scrollTop = top - scroller.clientHeight / 2;
    else if (!isSeen) scroller.scrollTop = top < scroller.scrollTop ? top - PADDING : top + this.height + PADDING - scroller.clientHeight;
    const x = PADDING + this._width(this.text.slice(this.starts[line], offset));
    const room = scroller.clientWidth - this.gutter.offsetWidth;
    if (x < scroller.scrollLeft + 2 * this.letter) scroller.scrollLeft = Math.max(0, x - 4 * this.letter);
    else if (x > scroller.scrollLeft + room - 2 * this.letter) scroller.scrollLeft = x - room + 4 * this.letter;
  }
}

// One text -> another: what stands in the old one from start to end is, in the new one, what stands up to newEnd.
export function difference(old, text) {
  const most = Math.min(old.length, text.length);
  let start = 0;
  while (start < most && old.charCodeAt(start) === text.charCodeAt(start)) start += 1;
  let same = 0;
  while (same < most - start && old.charCodeAt(old.length - 1 - same) === text.charCodeAt(text.length - 1 - same)) same += 1;
  return { start, end: old.length - same, newEnd: text.length - same };
}

// Tokens after an edit: those behind it move, the one that it is in grows, those that it goes through are gone.
export function shifted(tokens, edit) {
  const grown = edit.newEnd - edit.end;
  const found = [];
  for (let at = 0; at < tokens.length; at += 3) {
    const [start, end] = [tokens[at], tokens[at + 1]];
    if (end < edit.start || (end === edit.start && edit.end > end)) found.push(start, end, tokens[at + 2]);
    else if (start >= edit.end) found.push(start + grown, end + grown, tokens[at + 2]);
    else if (start < edit.start && end >= edit.end) found.push(start, end + grown, tokens[at + 2]);
  }
  return found;
}

function shiftedSpan(span, edit) {
  const found = shifted([span.start, span.end, 0], edit);
  return found.length ? { ...span, start: found[0], end: found[1] } : null;
}

function worstOf(findings) {
  let worst = "";
  for (const { severity } of findings) if (!worst || RANK[severity] > RANK[worst]) worst = severity;
  return worst;
}

export function made(name, look, words = "") {
  const element = document.createElement(name);
  if (look) element.className = look;
  element.textContent = words;
  return element;
}
