// Completion and help in a CodeField: lists below the caret, by keys and by mouse, told to screen readers.

import { ask } from "./asking.js";
import { made } from "./code.js";

const HOVER = 350; // milliseconds that a mouse rests before help comes
const MOST = 40;
const BEGUN = /^[\p{L}?][\p{L}\p{N}_]*$/u;

// field: a CodeField; asked(at): what to ask of the server for an offset; list, tip: elements in the field's host
export class Completing {
  constructor(field, { asked, list, tip, tell }) {
    Object.assign(this, { field, asked, list, tip, tell });
    this.items = [];
    this.active = -1;
    this.question = null;
    const { area } = field;
    area.setAttribute("aria-autocomplete", "list");
    area.setAttribute("aria-controls", list.id);
    area.addEventListener("keydown", (event) => this._key(event));
    area.addEventListener("blur", () => this.close());
    area.addEventListener("mousemove", (event) => this._hover(event));
    area.addEventListener("mouseleave", () => this._leave());
    area.addEventListener("mousedown", () => this.close());
    field.scroller.addEventListener("scroll", () => {
      this.close();
      this._leave();
    });
    list.addEventListener("mousedown", (event) => event.preventDefault()); // the caret stays
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this._take(Number(option.dataset.number));
    });
  }

  get isOpen() {
    return !this.list.hidden;
  }

  // The text has changed by typing: a list that is open is narrowed, a word that is begun opens one.
  typed(edit) {
    this._leave();
    const { field } = this;
    const at = field.caret;
    const word = field.text.slice(field.wordStart(at), at);
    const isTyped = edit.newEnd - edit.start === 1 && edit.end === edit.start && at === edit.newEnd;
    if (this.isOpen && BEGUN.test(word) && field.wordStart(at) === this.start) return this._narrow();
    this.close();
    if (isTyped && BEGUN.test(word)) this.open(false);
  }

  // The caret has gone somewhere without typing.
  moved() {
    if (this.isOpen && this.field.wordStart(this.field.caret) !== this.start) this.close();
  }

  // Ask what may stand at the caret.
  async open(isWished) {
    const { field } = this;
    const at = field.caret;
    const text = field.text;
    this.question?.abort();
    const question = (this.question = new AbortController());
    let found;
    try {
      found = await ask("complete", this.asked(at), question.signal);
    } catch (error) {
      if (isWished && !question.signal.aborted) this.tell(error.message);
      return;
    }
    if (question.signal.aborted || document.activeElement !== field.area) return;
    const isSame = field.text === text ? field.caret === at : field.wordStart(field.caret) === found.start;
    if (!isSame) return;
    this.start = found.start;
    this.offers = found.items;
    this._narrow(isWished);
  }

  close() {
    this.question?.abort();
    this.list.hidden = true;
    this.active = -1;
    this.field.area.removeAttribute("aria-activedescendant");
  }

  _narrow(isWished = false) {
    const { field } = this;
    const begun = field.text.slice(this.start, field.caret).toLowerCase();
    this.items = this.offers.filter((each) => each.text.toLowerCase().startsWith(begun)).slice(0, MOST);
    const isDone = this.items.length === 1 && this.items[0].text.toLowerCase() === begun;
    if (!this.items.length || isDone) {
      this.close();
      if (isWished) this.tell("Nothing fits here.");
      return;
    }
    this.list.replaceChildren(...this.items.map((each, number) => this._option(each, number)));
    this.list.hidden = false;
    this._choose(0);
    this._put(this.list, this.start);
    this.tell(`${this.items.length} ${this.items.length === 1 ? "completion" : "completions"}`);
  }

  _option(item, number) {
    const option = made("li", "");
    option.setAttribute("role", "option");
    option.id = `${this.list.id}-${number}`;
    option.dataset.number = number;
    option.title = item.meaning;
    option.append(made("span", "offer", item.signature), " ", made("span", "kind", item.kind));
    option.setAttribute("aria-label", `${item.signature}, ${item.kind}: ${item.meaning}`);
    return option;
  }

  _choose(number) {
    this.active = (number + this.items.length) % this.items.length;
    for (const [n, option] of [...this.list.children].entries()) option.setAttribute("aria-selected", String(n === this.active));
    const option = this.list.children[this.active];
    option.scrollIntoView({ block: "nearest" });
    this.field.area.setAttribute("aria-activedescendant", option.id);
  }

  _take(number) {
    const item = this.items[number];
    const { field, start } = this;
    let end = field.caret;
    while (end < field.text.length && /[\p{L}\p{N}_]/u.test(field.text[end])) end += 1;
    this.close();
    this.isTaking = true;
    field.replace(start, end, item.text);
    this.isTaking = false;
    this.tell(item.text);
  }

  _key(event) {
    if (event.isComposing) return;
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      return void this.open(true);
    }
    if (event.key === "Escape" && !this.tip.hidden) this._leave();
    if (!this.isOpen) return;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    if (event.key in steps) this._choose(Math.abs(steps[event.key]) === 1 ? this.active + steps[event.key] : Math.min(Math.max(this.active + steps[event.key], 0), this.items.length - 1));
    else if (event.key === "Enter" || event.key === "Tab") this._take(this.active);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
  }

  // Help

  _hover(event) {
    const at = this.field.isPlain ? null : this.field.offsetAt(event.clientX, event.clientY);
    if (at !== null && this.shown && this.shown.start <= at && at < this.shown.end) return;
    this._leave();
    if (at === null || event.buttons) return;
    this.resting = setTimeout(() => this.help(at), HOVER);
  }

  _leave() {
    clearTimeout(this.resting);
    this.helping?.abort();
    this.tip.hidden = true;
    this.shown = null;
  }

  // Show what stands at an offset, and what is wrong with it.
  async help(at) {
    const { field } = this;
    const text = field.text;
    const finding = field.findingAt(at);
    this.helping?.abort();
    const helping = (this.helping = new AbortController());
    const found = await this.askHelp(at, helping.signal).catch(() => null);
    if (helping.signal.aborted || field.text !== text || (!found?.help && !finding)) return;
    this.shown = finding ?? found.help;
    this._tell(finding, found?.help);
    this._put(this.tip, this.shown.start);
  }

  askHelp(at, signal) {
    return ask("help", this.asked(at), signal);
  }

  _tell(finding, help) {
    const parts = [];
    if (finding) parts.push(made("p", `is-${finding.severity}`, finding.message), ...(finding.hint ? [made("p", "todo", finding.hint)] : []));
    if (help) parts.push(made("p", "offer", help.title), made("p", "", help.meaning), ...help.details.map((each) => made("p", "kind", each)));
    this.tip.replaceChildren(...parts);
    this.tip.hidden = false;
  }

  // Below an offset, or above it where there is no room; never beyond the window.
  _put(element, offset) {
    const { x, y, height } = this.field.point(offset);
    const { host } = this.field;
    const box = host.getBoundingClientRect();
    element.style.maxHeight = "";
    const below = innerHeight - (box.top + y + height) - 8;
    const isAbove = below < Math.min(element.offsetHeight, 160) && box.top + y > below;
    element.style.left = `${Math.max(0, Math.min(x, box.width - element.offsetWidth - 4))}px`;
    element.style.top = `${isAbove ? y - element.offsetHeight - 4 : y + height + 4}px`;
  }
}
