// The text of a Python file -> whether it looks like a player, and what is wrong with it, by line. Nothing is run.
//
// Strings and comments are skipped; brackets, blocks and indents are looked at. Python itself says the rest.

const OPEN = { "(": ")", "[": "]", "{": "}" };
const CLOSE = { ")": "(", "]": "[", "}": "{" };
const BLOCK = /^(async\s+def|def|class|if|elif|else|for|while|try|except|finally|with)\b/;

export function lookedAt(text) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  const findings = [];
  const say = (line, message, hint = "", severity = "error") => findings.push({ line, severity, message, hint, text: lines[line - 1] ?? "" });
  if (text.includes("\0")) say(1, "there are bytes in it that no text has");
  const logical = logicalLines(lines, say);
  blocks(logical, say);
  const told = player(logical, say);
  return { findings: findings.sort((one, two) => one.line - two.line).slice(0, 20), told };
}

// Lines without strings and comments, joined over brackets: {number, indent, code}
function logicalLines(lines, say) {
  const found = [];
  const open = [];
  let long = null; // the quotes of a text over several lines, and where it begins
  let current = null;
  lines.forEach((line, at) => {
    const number = at + 1;
    let code = "";
    let index = 0;
    const indent = /^[ \t]*/.exec(line)[0];
    if (!long && !open.length && /\S/.test(line) && !line.trimStart().startsWith("#") && / \t/.test(indent)) say(number, "a tab stands behind blanks", "indent with blanks alone, or with tabs alone");
    while (index < line.length) {
      if (long) {
        const end = closing(line, index, long.quotes);
        index = end < 0 ? line.length : end + 3;
        if (end >= 0) long = null;
        continue;
      }
      const letter = line[index];
      if (letter === "#") break;
      if (letter === '"' || letter === "'") {
        const triple = line.startsWith(letter.repeat(3), index);
        code += '""';
        if (triple) {
          long = { quotes: letter.repeat(3), number };
          index += 3;
          continue;
        }
        const end = closing(line, index + 1, letter);
        if (end < 0) {
          if (!line.endsWith("\\")) say(number, "a text in quotes has no end", `add ${letter}`);
          break;
        }
        index = end + 1;
        continue;
      }
      if (letter in OPEN) open.push({ letter, number });
      else if (letter in CLOSE) {
        const last = open.pop();
        if (last?.letter !== CLOSE[letter]) say(number, last ? `${letter} closes the ${last.letter} of line ${last.number}` : `${letter} closes nothing`);
      }
      code += letter;
      index += 1;
    }
    if (current) current.code += ` ${code}`;
    else if (code.trim()) found.push((current = { number, indent, code }));
    const isGoingOn = open.length || long || code.trimEnd().endsWith("\\");
    if (!isGoingOn) current = null;
  });
  if (long) say(long.number, `a text in ${long.quotes} has no end`, `add ${long.quotes}`);
  for (const each of open.slice(-3)) say(each.number, `${each.letter} is never closed`, `add ${OPEN[each.letter]}`);
  return found.map((each) => ({ ...each, code: each.code.trim().replace(/\\$/, "") }));
}

function closing(line, from, quotes) {
  for (let index = from; index < line.length; index += 1) {
    if (line[index] === "\\") index += 1;
    else if (line.startsWith(quotes, index)) return index;
  }
  return -1;
}

function blocks(logical, say) {
  logical.forEach(({ number, code, indent }, at) => {
    if (!BLOCK.test(code)) return;
    if (!/:/.test(code)) return say(number, "a block begins here without a colon", "end the line with :");
    const next = logical[at + 1];
    const width = (text) => text.replaceAll("\t", "        ").length;
    if (/:\s*$/.test(code) && (!next || width(next.indent) <= width(indent))) say(number, "nothing stands in this block", "indent what belongs to it");
  });
}

// What kind of player it has, in words.
function player(logical, say) {
  const classes = logical.filter(({ code, indent }) => !indent && /^class\s/.test(code));
  const play = logical.find(({ code, indent }) => !indent && /^(async\s+)?def\s+play\s*\(/.test(code));
  if (play) return `it has a function play, in line ${play.number}`;
  const players = classes.filter(({ code }) => /\bPlayer\b/.test(code.split("(").slice(1).join("(")));
  for (const kind of players) {
    const chooses = body(logical, kind).find(({ code }) => /^def\s+(choose|choose_from|play)\s*\(/.test(code));
    if (!chooses) continue;
    if (!body(logical, chooses).some(({ code }) => /\b(return|raise|yield)\b/.test(code)) && !/:\s*\S/.test(chooses.code)) {
      say(chooses.number, "this returns no move", "end it with return", "warning");
    }
    return `it has a player, ${/^class\s+(\w+)/.exec(kind.code)?.[1] ?? "a class"}, in line ${kind.number}`;
  }
  if (players.length) say(players[0].number, "this player has no choose", "give it: def choose(self, state): return state.legal_moves(self.role)[0]", "warning");
  else if (classes.length) say(classes[0].number, "this class is no Player as far as can be seen", "write class Mine(Player): after from gamemaster import Player", "warning");
  else say(1, "there is no player in it: no class, and no function play", "begin with one: see Write a player");
  return "it has a class";
}

function body(logical, head) {
  const start = logical.indexOf(head) + 1;
  const rest = logical.slice(start);
  const end = rest.findIndex(({ indent }) => indent.length <= head.indent.length);
  return end < 0 ? rest : rest.slice(0, end);
}
