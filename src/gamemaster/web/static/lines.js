// Lines of moves: their text in an address, and the tree of all that were played on a page, kept for its tab.

const MOST_NODES = 4000; // more are not kept

// The text of a line in an address: web/path.py

const ESCAPES = { "~": "~~", ";": "~s", "|": "~b", "?": "~q" };
const written = (move) => (move === null ? "?" : move.replace(/[~;|?]/g, (each) => ESCAPES[each]) || "~0");
export const pathOf = (line) => line.map((step) => step.map(written).join("|")).join(";");

export const query = (path) => (path ? `?moves=${encodeURIComponent(path).replace(/%(2C|3B|3A|7C)/g, decodeURIComponent)}` : "");

// All lines that were played: each node is a step

export class Tree {
  constructor(game) {
    this.key = `standalone ${game}`;
    this.root = { step: null, told: [], parent: null, children: [], ahead: null, number: 0 };
    this.size = 1;
    this._read();
  }

  line(node) {
    const steps = [];
    for (let each = node; each.parent; each = each.parent) steps.push(each.step);
    return steps.reverse();
  }

  // The child after a step, which is new or not; told are {role, label} of those who chose.
  add(parent, step, told) {
    const path = pathOf([step]);
    let child = parent.children.find((each) => pathOf([each.step]) === path);
    if (!child) {
      child = { step, told, parent, children: [], ahead: null, number: parent.number + 1 };
      parent.children.push(child);
      this.size += 1;
    }
    return child;
  }

  // Remember on which way somebody stands, so that forward leads there again.
  stand(node) {
    for (let each = node; each.parent; each = each.parent) each.parent.ahead = each;
  }

  end(node) {
    let last = node;
    while (last.children.length) last = last.ahead ?? last.children[0];
    return last;
  }

  clear() {
    this.root.children = [];
    this.root.ahead = null;
    this.size = 1;
    this.save();
  }

  save() {
    if (this.size > MOST_NODES) return;
    const rows = [];
    const numbers = new Map([[this.root, -1]]);
    const open = [...this.root.children];
    for (let node = open.shift(); node; node = open.shift()) {
      numbers.set(node, rows.length);
      rows.push([numbers.get(node.parent), node.step, node.told.map((each) => [each.role, each.label])]);
      open.push(...node.children);
    }
    try {
      sessionStorage.setItem(this.key, JSON.stringify(rows));
    } catch {
      // no room, or not allowed: what is on the page stays there
    }
  }

  _read() {
    try {
      const nodes = [];
      for (const [parent, step, told] of JSON.parse(sessionStorage.getItem(this.key) ?? "[]")) {
        const from = parent === -1 ? this.root : nodes[parent];
        const words = told.map(([role, label]) => ({ role: String(role), label: String(label) }));
        nodes.push(this.add(from, step.map(String), words));
      }
    } catch {
      this.root.children = []; // nothing that this page has written
    }
  }
}
