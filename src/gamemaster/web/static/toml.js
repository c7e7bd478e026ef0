// TOML -> the colours of its tokens, as a CodeField takes them: headers, keys, texts, numbers and comments.
const COLOURS = { note: 0, text: 1, number: 2, head: 4, key: 5 }; // as in code.css
// One line in pieces of [text, kind]; `carried` is the end of a text that goes on over lines.
const TOKEN = /("""|''')|("(?:[^"\\]|\\.)*"?|'[^']*'?)|(#.*)|([+-]?\d[\w.:+-]*|\b(?:true|false|inf|nan)\b)|([\w-]+)|(\s+)|(.)/g;

function piecesOf(line, carried) {
  const pieces = [];
  let rest = line;
  if (carried) {
    const end = rest.indexOf(carried);
    if (end < 0) return [[[rest, "text"]], carried];
    pieces.push([rest.slice(0, end + 3), "text"]);
    rest = rest.slice(end + 3);
  } else if (/^\s*\[\[?[^\],=]*\]?\]?\s*(#.*)?$/.test(rest)) {
    const note = rest.indexOf("#");
    return [note < 0 ? [[rest, "head"]] : [[rest.slice(0, note), "head"], [rest.slice(note), "note"]], ""];
  }
  const equals = rest.search(/=/);
  let at = 0;
  for (const found of rest.matchAll(TOKEN)) {
    if (found.index < at) continue;
    const [whole, triple, text, note, number, word] = found;
    at = found.index + whole.length;
    if (triple) {
      const end = rest.indexOf(triple, at);
      if (end < 0) { pieces.push([rest.slice(found.index), "text"]); return [pieces, triple]; }
      pieces.push([rest.slice(found.index, end + 3), "text"]);
      at = end + 3;
      continue;
    }
    const isKey = /^\s*=/.test(rest.slice(at)) || (equals > at && !/[[{]/.test(rest.slice(0, at)));
    const kind = note ? "note" : isKey && (text || word || number) ? "key" : text ? "text" : number ? "number" : "";
    pieces.push([whole, kind]);
  }
  return [pieces, ""];
}

export function tomlTokens(text) {
  const found = [];
  let [at, carried] = [0, ""];
  for (const line of text.split("\n")) {
    const [pieces, next] = piecesOf(line, carried);
    let start = at;
    for (const [piece, kind] of pieces) {
      if (kind) found.push(start, start + piece.length, COLOURS[kind]);
      start += piece.length;
    }
    carried = next;
    at += line.length + 1;
  }
  return found;
}
