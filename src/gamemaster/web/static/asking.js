// Questions to the server about a text that changes all the time: one at a time, and only the newest counts.

const LATE = 2500; // milliseconds, after which an answer that nobody wants any more is not waited for
const AGAIN = 2000;
const LARGEST = 290_000; // bytes of a question: the server takes 300,000

export class TooLarge extends Error {}

export async function ask(what, wish, signal) {
  const body = JSON.stringify(wish);
  if (body.length > LARGEST || new Blob([body]).size > LARGEST) throw new TooLarge("the text is too large for this page");
  const response = await fetch(`/editor/${what}.json`, { method: "POST", headers: { "content-type": "application/json" }, body, signal });
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const found = isJson ? await response.json() : {};
  if (response.ok) return found;
  const error = new Error(found.error ?? (response.status === 429 ? "too many requests; wait a moment" : "the server cannot answer this"));
  error.isPassing = response.status === 429 || response.status === 503;
  throw error;
}

// delay: how long nobody types before it is asked; longest: how long somebody types until it is asked nevertheless
export class Newest {
  constructor(what, { delay, longest = 4 * delay, show, fail }) {
    Object.assign(this, { what, delay, longest, show, fail });
    this.wish = null; // the newest, not asked yet
    this.asked = null;
    this.timer = 0;
    this.since = 0;
  }

  ask(wish) {
    this.wish = wish;
    this.since ||= performance.now();
    clearTimeout(this.timer);
    const waited = performance.now() - this.since;
    this.timer = setTimeout(() => this._send(), Math.max(0, Math.min(this.delay, this.longest - waited)));
    if (this.asked && performance.now() - this.asked.began > LATE) this.asked.controller.abort();
  }

  get isBusy() {
    return this.asked !== null || this.wish !== null;
  }

  drop() {
    clearTimeout(this.timer);
    this.wish = null;
    this.since = 0;
    this.asked?.controller.abort();
  }

  async _send() {
    if (!this.wish || this.asked) return; // the one under way looks here when it is done
    const wish = this.wish;
    const asked = (this.asked = { controller: new AbortController(), began: performance.now() });
    this.wish = null;
    this.since = 0;
    let isAgain = false;
    try {
      const found = await ask(this.what, wish, asked.controller.signal);
      this.show(found, wish, this.wish !== null);
    } catch (error) {
      if (!asked.controller.signal.aborted) {
        const isDown = error instanceof TypeError; // what fetch throws when nobody answers
        isAgain = (isDown || error.isPassing) && !this.wish;
        this.fail(isDown ? new Error("the server does not answer; it is asked again") : error, wish);
      }
    }
    this.asked = null;
    if (isAgain) {
      this.wish = wish;
      this.timer = setTimeout(() => this._send(), AGAIN);
    } else if (this.wish) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this._send(), this.delay);
    }
  }
}
