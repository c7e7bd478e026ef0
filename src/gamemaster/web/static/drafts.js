// Drafts of games, kept by this browser: each has a number that counts its versions, so that tabs notice each other.

const PREFIX = "gm-draft ";
const HERE = "gm-draft"; // which draft this tab has

export class Drafts {
  // What is kept under an id; null where there is none, or this browser keeps nothing.
  read(id) {
    try {
      const found = JSON.parse(localStorage.getItem(PREFIX + id));
      return found && typeof found.rules === "string" && Number.isInteger(found.version) ? found : null;
    } catch {
      return null;
    }
  }

  // The draft as it is kept now: "kept", "changed" where another tab has changed it since, "full" where there is no room.
  write(draft) {
    const stored = this.read(draft.id);
    if (stored && stored.version !== draft.version) return "changed";
    const kept = { ...draft, version: draft.version + 1, changed: Date.now() };
    try {
      localStorage.setItem(PREFIX + draft.id, JSON.stringify(kept));
    } catch {
      return "full";
    }
    Object.assign(draft, kept);
    return "kept";
  }

  remove(id) {
    try {
      localStorage.removeItem(PREFIX + id);
    } catch {
      // nothing is kept here
    }
  }

  // All, the newest first.
  list() {
    const found = [];
    try {
      for (let number = 0; number < localStorage.length; number += 1) {
        const key = localStorage.key(number);
        const draft = key.startsWith(PREFIX) ? this.read(key.slice(PREFIX.length)) : null;
        if (draft) found.push(draft);
      }
    } catch {
      return [];
    }
    return found.sort((a, b) => b.changed - a.changed);
  }

  get here() {
    try {
      return sessionStorage.getItem(HERE);
    } catch {
      return null;
    }
  }

  set here(id) {
    try {
      sessionStorage.setItem(HERE, id);
    } catch {
      // this tab is forgotten with its page
    }
  }

  // Told when another tab changes or removes a draft.
  watch(tell) {
    addEventListener("storage", (event) => {
      if (event.key?.startsWith(PREFIX)) tell(event.key.slice(PREFIX.length));
    });
  }

  static newId() {
    return Array.from(crypto.getRandomValues(new Uint8Array(8)), (each) => each.toString(16).padStart(2, "0")).join("");
  }
}
