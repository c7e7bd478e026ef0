// The page on which games are written: text and findings on the left, the game as it plays on the right.
//
// What is typed is the truth, and is kept by this browser as a draft. Everything else is asked of the server: findings
// and colours behind every change, then the state of the game. Answers to older texts are dropped.

import { Newest, TooLarge, ask } from "./asking.js";
import { CodeField, difference, made, shifted } from "./code.js";
import { Completing } from "./completing.js";
import { Drafts } from "./drafts.js";
import { pathOf } from "./lines.js";
import { Preview } from "./preview.js";

const DELAY = 120; // milliseconds without a key, after which findings are asked for
const LONGEST = 600; // and so many of typing on and on
const RESTING = 500; // until help for what is at the caret comes
const KEEPING = 300;
const LARGEST_FILE = 290_000;
const FIELDS = ["title", "notation", "rules", "style", "description"];
const byId = (id) => document.getElementById(id);
const form = byId("editor-form");
const begun = JSON.parse(byId("editor-data").textContent);

class Page {
  constructor() {
    this.drafts = new Drafts();
    this.field = new CodeField(byId("code"), {
      onChange: (text, edit) => this._changed(edit),
      onMove: (at) => this._at(at),
    });
    this.completing = new Completing(this.field, {
      asked: (at) => ({ rules: this.field.text, notation: this.notation, at }),
      list: byId("offers"),
      tip: byId("tip"),
      tell: (words) => (byId("live-region").textContent = words),
    });
    this.looks = new Newest("look", {
      delay: DELAY,
      longest: LONGEST,
      show: (found, wish) => this._looked(found, wish),
      fail: (error) => this._unlooked(error),
    });
    this._begin();
    this.preview = new Preview({
      sheet: () => ({ rules: this.field.text, notation: this.notation, style: form.elements.style.value }),
      line: this.draft.line ?? begun.line,
      onLine: (line) => this._line(line),
      say: (words) => this.say(words),
    });
    this._listen();
    this._look();
  }

  get notation() {
    return form.elements.notation.value;
  }

  // The draft

  // What this tab had, where it is what the address asks for; else what the server gave.
  _begin() {
    const here = this.drafts.here && this.drafts.read(this.drafts.here);
    const isPosted = begun.from === "posted";
    const newest = begun.from === "" ? this.drafts.list()[0] : null;
    const found = here && (begun.from === "" || isPosted || here.from === begun.from) ? here : newest;
    if (found && isPosted) {
      this._open({ ...found, ...this._values() });
      this._keep();
    } else if (found) {
      const isOther = FIELDS.some((name) => found[name] !== form.elements[name].value);
      this._open(found);
      if (isOther) this.say(`This is your draft of ${when(found.changed)}.`, begun.from ? [["Begin again from the original", () => this._original()]] : []);
    } else {
      this._open(this._fresh(begun.from, begun.own));
    }
    this.given = begun.given;
  }

  _fresh(from, own = "") {
    const base = own ? begun.base : ""; // the version that is changed here
    return { id: Drafts.newId(), version: 0, changed: 0, from, own, base, line: begun.line ?? [], ...this._values() };
  }

  _values() {
    return Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
  }

  _open(draft) {
    this.draft = { ...draft };
    this.drafts.here = draft.id;
    for (const name of FIELDS) if (name !== "rules") form.elements[name].value = draft[name] ?? "";
    form.elements.own.value = draft.own ?? "";
    form.elements.base.value = draft.base ?? "";
    this.before = this.notation;
    if (this.field.text !== draft.rules) this.field.set(draft.rules);
    this._version();
    this._listDrafts();
  }

  // Another sheet in the place of this one, which stays among the drafts.
  _replace(sheet, from, own = "") {
    this._keep();
    for (const name of FIELDS) form.elements[name].value = sheet[name] ?? "";
    this.field.set(form.elements.rules.value);
    this._open({ ...this._fresh(from, own), line: [] });
    history.replaceState(null, "", "/editor");
    this.preview.line = [];
    this._keepSoon();
    this._look();
  }

  _original() {
    this._replace(this.given, begun.from, begun.own);
    this.say("Begun again. The draft is still among your drafts.");
  }

  _keepSoon() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this._keep(), KEEPING);
  }

  _keep() {
    clearTimeout(this.keeping);
    const values = this._values();
    const line = this.preview?.line ?? this.draft.line;
    const isSame = this.draft.version > 0 && FIELDS.every((name) => values[name] === this.draft[name]) && JSON.stringify(line) === JSON.stringify(this.draft.line);
    const isUntouched = this.draft.version === 0 && FIELDS.every((name) => values[name] === begun.given[name]) && !line.length && begun.from !== "posted";
    if (isSame || isUntouched) return;
    Object.assign(this.draft, values, { line });
    let done = this.drafts.write(this.draft);
    if (done === "changed") {
      Object.assign(this.draft, { id: Drafts.newId(), version: 0 });
      this.drafts.here = this.draft.id;
      done = this.drafts.write(this.draft);
      this.say("Another tab has changed this draft. What you have here is kept as a draft of its own.");
    }
    this.isUnkept = done === "full";
    if (this.isUnkept) this.say("This browser has no room for the draft: export it before you leave.", [], true);
    this._version();
    this._listDrafts();
  }

  _version() {
    const { version, changed } = this.draft;
    byId("draft-version").textContent = this.isUnkept ? "Not kept: no room" : version ? `Draft, version ${version}, kept here at ${when(changed)}` : "";
  }

  // Another tab has changed a draft.
  _elsewhere(id) {
    this._listDrafts();
    if (id !== this.draft.id) return;
    const other = this.drafts.read(id);
    if (!other || other.version <= this.draft.version) return;
    this.say(`Another tab has changed this draft: version ${other.version}, ${when(other.changed)}.`, [
      ["Take that one", () => this._take(id)],
      ["Keep mine as another", () => this._fork()],
    ]);
  }

  _take(id) {
    const other = this.drafts.read(id);
    if (!other) return this.say("It is gone.");
    this._open(other);
    this.preview.line = other.line ?? [];
    this._look();
    this.say(`Version ${other.version} is shown.`);
  }

  _fork() {
    Object.assign(this.draft, { id: Drafts.newId(), version: 0 });
    this.drafts.here = this.draft.id;
    this._keep();
    this.say("This is a draft of its own now.");
  }

  _listDrafts() {
    const all = this.drafts.list();
    byId("drafts-part").hidden = !all.length;
    byId("drafts").replaceChildren(
      ...all.slice(0, 50).map((each) => {
        const row = made("li", "");
        const open = made("button", "link", each.title || "Untitled");
        const remove = made("button", "link quiet-text", "Remove");
        open.type = remove.type = "button";
        open.disabled = remove.disabled = each.id === this.draft.id;
        remove.setAttribute("aria-label", `Remove the draft ${each.title}, version ${each.version}`);
        open.addEventListener("click", () => {
          this._keep();
          byId("start").open = false;
          this._take(each.id);
        });
        remove.addEventListener("click", () => {
          this.drafts.remove(each.id);
          this._listDrafts();
          this.say(`The draft ${each.title} is removed.`, [["Bring it back", () => this._restore(each)]]);
        });
        row.append(open, " ", made("span", "small quiet-text", each.id === this.draft.id ? "open here" : `version ${each.version}, ${when(each.changed)}`), " ", remove);
        return row;
      }),
    );
  }

  _restore(draft) {
    this.drafts.write(draft);
    this._listDrafts();
    this.say("It is back.");
  }

  // What changes

  _changed(edit) {
    if (!this.completing.isTaking) this.completing.typed(edit);
    this._keepSoon();
    this._look();
  }

  _line(line) {
    form.elements.moves.value = pathOf(line);
    if (JSON.stringify(line) !== JSON.stringify(this.draft.line)) this._keepSoon();
  }

  _look() {
    byId("findings-summary").classList.add("is-waiting");
    this.looks.ask({ rules: this.field.text, notation: this.notation });
  }

  _looked(found, wish) {
    if (wish.notation !== this.notation) return;
    if (wish.rules !== this.field.text) {
      if (found.tokens) this.field.colour(shifted(found.tokens, difference(wish.rules, this.field.text)));
      return; // what is found in an older text is not shown
    }
    this.field.colour(found.tokens ?? []);
    this._findings(found.findings);
    if (found.outline) this._outline(found.outline);
    this.preview.ask();
  }

  _unlooked(error) {
    const isLarge = error instanceof TooLarge;
    const words = isLarge
      ? `The text has ${this.field.text.length.toLocaleString("en")} letters, too many to be checked on this page. It stays as it is; \`gamemaster check\` reads up to 4 MB.`
      : `Not checked: ${error.message}`;
    byId("findings-summary").classList.remove("is-waiting");
    byId("findings-summary").textContent = words;
    if (isLarge) {
      this.field.mark([]);
      byId("findings").replaceChildren();
      this.preview.rest("Too large to be played here.");
    }
  }

  _findings(findings, summary = "") {
    this.field.mark(findings);
    const rows = findings.map((each) => {
      const row = made("li", `finding is-${each.severity}`);
      const jump = made("button", "", "");
      jump.type = "button";
      jump.append(made("span", "where", `Line ${each.line}`), " ", made("span", "what", each.message));
      jump.addEventListener("click", () => this.field.go(each.start, each.end));
      row.append(jump);
      if (each.hint) row.append(made("p", "todo", each.hint));
      return row;
    });
    byId("findings").replaceChildren(...rows);
    const told = byId("findings-summary");
    told.classList.remove("is-waiting");
    const words = summary || counted(findings);
    if (told.textContent !== words) told.textContent = words; // a screen reader tells what changes
  }

  _outline(entries) {
    const select = byId("outline");
    const options = entries.map((each) => {
      const option = made("option", "", `${each.name} (${each.detail})`);
      option.value = each.start;
      return option;
    });
    select.replaceChildren(made("option", "", "Go to …"), ...options);
    select.disabled = !entries.length;
  }

  // Where the caret is, and what stands there.
  _at(at) {
    this.completing.moved();
    const { line, column } = this.field.place(at);
    byId("caret").textContent = `${line}:${column}`;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this._atRest(at), RESTING);
  }

  async _atRest(at) {
    if (this.field.isPlain || this.completing.isOpen) return;
    const text = this.field.text;
    this.helping?.abort();
    const helping = (this.helping = new AbortController());
    const found = await this.completing.askHelp(at, helping.signal).catch(() => null);
    if (!found || helping.signal.aborted || text !== this.field.text) return;
    const { help } = found;
    byId("here").textContent = help ? `${help.title}: ${help.meaning}${help.details.length ? ` (${help.details.join("; ")})` : ""}` : "";
    const [first] = found.definitions;
    const isElsewhere = first && !found.definitions.some((each) => each.start <= at && at <= each.end);
    byId("define").hidden = !isElsewhere;
    byId("define").onclick = () => this.field.go(first.start, first.end);
  }

  async _define(at) {
    const found = await this.completing.askHelp(at).catch((error) => this.say(error.message));
    const [first] = found?.definitions ?? [];
    if (first) this.field.go(first.start, first.end);
    else if (found) this.say("Nothing in the sheet says what this is.");
  }

  _nextFinding(isBack) {
    const { findings, caret } = this.field;
    const sorted = [...findings].sort((a, b) => a.start - b.start);
    const found = isBack ? (sorted.findLast((each) => each.end < caret) ?? sorted.at(-1)) : (sorted.find((each) => each.start > caret) ?? sorted[0]);
    if (!found) return this.say("There are no findings.");
    this.field.go(found.start, found.end);
    byId("live-region").textContent = `Line ${this.field.place(found.start).line}: ${found.message}. ${found.hint}`;
  }

  // What is asked for by a button

  _listen() {
    for (const name of ["title", "style", "description"]) form.elements[name].addEventListener("input", () => this._keepSoon());
    form.elements.style.addEventListener("input", () => this.preview.ask());
    form.elements.notation.addEventListener("change", () => this._convert());
    form.addEventListener("submit", (event) => this._submit(event));
    byId("format").addEventListener("click", () => this._format());
    byId("check").addEventListener("click", () => this._check());
    byId("outline").addEventListener("change", (event) => {
      const at = Number(event.target.value);
      event.target.selectedIndex = 0;
      if (Number.isFinite(at)) this.field.go(at);
    });
    byId("file").addEventListener("change", (event) => {
      if (event.target.files[0]) this._import(event.target.files[0]);
      event.target.value = "";
    });
    this._dropping();
    this._keys();
    this.drafts.watch((id) => this._elsewhere(id));
    addEventListener("pagehide", () => this._keep());
    addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this._keep());
    addEventListener("beforeunload", (event) => {
      this._keep();
      if (this.isUnkept) event.preventDefault();
    });
  }

  _keys() {
    const { area } = this.field;
    area.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.isComposing) return;
      if (event.key === "F8") this._nextFinding(event.shiftKey);
      else if (event.key === "F12") this._define(this.field.caret);
      else if (event.code === "KeyF" && event.altKey && event.shiftKey) this._format();
      else if (event.key === "s" && (event.ctrlKey || event.metaKey)) this._save();
      else return;
      event.preventDefault();
    });
    area.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey) this._define(this.field.caret);
    });
  }

  _dropping() {
    const host = byId("code");
    const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    for (const kind of ["dragenter", "dragover"]) {
      host.addEventListener(kind, (event) => {
        if (!hasFile(event)) return;
        event.preventDefault();
        host.classList.add("is-dropping");
      });
    }
    host.addEventListener("dragleave", (event) => host.contains(event.relatedTarget) || host.classList.remove("is-dropping"));
    host.addEventListener("drop", (event) => {
      host.classList.remove("is-dropping");
      if (!hasFile(event)) return;
      event.preventDefault();
      this._import(event.dataTransfer.files[0]);
    });
  }

  async _import(file) {
    if (file.size > LARGEST_FILE) return this.say(`${file.name} has ${file.size.toLocaleString("en")} bytes; this page takes ${LARGEST_FILE.toLocaleString("en")}.`, [], true);
    this.say(`Reading ${file.name} …`);
    const response = await fetch(`/editor/import.json?name=${encodeURIComponent(file.name)}`, {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: file,
    }).catch(() => null);
    const found = await response?.json().catch(() => null);
    if (!response?.ok || !found) return this.say(`${file.name} cannot be read: ${found?.error ?? "the server does not answer"}`, [], true);
    if (found.sheet) this._replace(found.sheet, "file");
    byId("start").open = false;
    const words = found.sheet ? `${file.name} is here; what you had before is among your drafts.` : `${file.name} cannot be used.`;
    const said = found.findings.map((each) => `${each.message}${each.hint ? `: ${each.hint}` : ""}.`);
    this.say([words, ...said].join(" "), [], !found.sheet);
  }

  async _format() {
    const text = this.field.text;
    const found = await ask("format", { rules: text, notation: this.notation }).catch((error) => this.say(`Not laid out: ${error.message}`, [], true));
    if (!found || text !== this.field.text) return;
    this.field.rewrite(found.rules);
    this.say(found.rules === text ? "It is laid out already." : "Laid out. Undo takes it back.");
  }

  async _convert() {
    const [was, wanted, text] = [this.before, this.notation, this.field.text];
    this.before = wanted;
    const found = await ask("convert", { rules: text, notation: was, to: wanted }).catch((error) => ({ error: error.message }));
    if (this.notation !== wanted || this.field.text !== text) return;
    if (found.error) {
      this.say(`The text is now read as ${form.elements.notation.selectedOptions[0].text}, and stays as it is: ${found.error}.`, [["Take that back", () => this._unconvert(was, text)]]);
    } else {
      this.field.rewrite(found.rules);
      this.preview.line = [];
      this.say(found.note, [["Take that back", () => this._unconvert(was, text)]]);
    }
    this._keepSoon();
    this._look();
  }

  _unconvert(notation, text) {
    form.elements.notation.value = this.before = notation;
    this.field.rewrite(text);
    this._keepSoon();
    this._look();
    this.say("");
  }

  async _check() {
    const text = this.field.text;
    this.say("Playing at random to find what cannot be seen in the text …");
    byId("check").disabled = true;
    const found = await ask("check", { rules: text, notation: this.notation }).catch((error) => ({ error: error.message }));
    byId("check").disabled = false;
    if (found.error) return this.say(`Not checked: ${found.error}`, [], true);
    if (text !== this.field.text) return this.say("You went on typing: check it again when you like.");
    this._findings(found.findings, `${counted(found.findings)}, after random play`);
    this.say(found.findings.length ? "Checked by random play: findings are below the text." : "Checked by random play: nothing is wrong.");
  }

  // Play and save are asked for in the background, so that nothing on the page is lost if they cannot be done.
  _submit(event) {
    const what = event.submitter?.value ?? "check";
    this._keep();
    form.elements.own.value = this.draft.own ?? "";
    if (what === "export" && this.field.text.length <= LARGEST_FILE) return; // the answer is a file, and the page stays
    event.preventDefault();
    if (what === "export") this.say("The text is too large to be packed here: copy it into a file.", [], true);
    else if (what === "play" || what === "style") this._play(what);
    else if (what === "save") this._save();
    else this._check();
  }

  async _send(what, isOver = false) {
    const who = await fetch("/editor/who.json").then((answer) => answer.json()).catch(() => null);
    if (!who) return { error: "the server does not answer" };
    if (what === "save" && !who.name) return { isGuest: true };
    form.elements.token.value = who.token;
    form.elements.own.value = this.draft.own ?? "";
    form.elements.base.value = this.draft.base ?? "";
    const body = new FormData(form);
    body.set("do", what);
    if (isOver) body.set("over", "yes");
    const answer = await fetch("/editor", { method: "POST", body, headers: { accept: "application/json" } }).catch(() => null);
    const isJson = answer?.headers.get("content-type")?.startsWith("application/json");
    if (isJson) return answer.json();
    return { error: answer?.status === 413 ? "the text is too large" : "the server cannot do it now" };
  }

  async _play(what) {
    this.say("Making it ready …");
    const found = await this._send(what);
    if (found.error) return this.say(`It cannot be ${what === "play" ? "played" : "drawn"}: ${found.error}`, [], true);
    location.assign(found.go);
  }

  async _save(isOver = false) {
    this._keep();
    this.say("Saving …");
    const found = await this._send("save", isOver);
    if (found.isGuest) return this._guest();
    if (found.isOvertaken) {
      const ways = [["Save over it", () => this._save(true)], ["Look at the newest", () => window.open(`/editor?own=${this.draft.own}`)]];
      return this.say("Not saved: this game was changed elsewhere since you began.", ways, true);
    }
    if (found.error) return this.say(`Not saved: ${found.error}`, [], true);
    this.draft.own = found.own;
    this.draft.base = found.base;
    form.elements.own.value = found.own;
    form.elements.base.value = found.base;
    this.draft.version && this.drafts.write(this.draft);
    this._version();
    this.say("", []);
    byId("notice").append(made("span", "", `${found.say} `), link(found.go, "Its page"));
    byId("notice").hidden = false;
  }

  _guest() {
    this.say("What is saved is kept under your name. Sign in, and press Save again: the draft waits here. ");
    const there = link("/signin?next=/editor", "Sign in");
    const up = link("/signup?next=/editor", "Sign up");
    if (this.isUnkept || !this.draft.version) there.target = up.target = "_blank"; // this page is the only place that has it
    byId("notice").append(there, " ", up);
  }

  // What happened, with what can be done about it.
  say(words, ways = [], isBad = false) {
    const notice = byId("notice");
    notice.hidden = !words;
    notice.classList.toggle("is-bad", isBad);
    notice.replaceChildren(words && made("span", "", `${words} `));
    for (const [name, act] of ways) {
      const button = made("button", "link", name);
      button.type = "button";
      button.addEventListener("click", () => {
        this.say("");
        act();
      });
      notice.append(button, " ");
    }
  }
}

function counted(findings) {
  const count = (severity, word) => {
    const number = findings.filter((each) => each.severity === severity).length;
    return number ? `${number} ${word}${number === 1 ? "" : "s"}` : "";
  };
  return ["error", "warning", "note"].map((each) => count(each, each)).filter(Boolean).join(", ") || "Nothing is wrong with this text";
}

function link(address, words) {
  const found = made("a", "", words);
  found.href = address;
  return found;
}

function when(time) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" }) : date.toLocaleDateString();
}

for (const each of document.querySelectorAll("[data-enhanced]")) each.hidden = false;
byId("editor").classList.add("is-enhanced");
new Page();
