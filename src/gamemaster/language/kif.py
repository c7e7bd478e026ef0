"""KIF, the prefix notation of classic GDL and GDL-II: text -> Rules -> text.

    (<= (legal ?p (mark ?x)) (true (control ?p)) (not (taken ?x)))   ; until the end of the line

Case is not significant: everything is read as lower case, `?x` as the variable X. But where one text spells a
name in two ways, `Knight` and `knight`, they are two names, as they are for the players and referees of the
field, and one of them keeps its capitals. Two extensions keep any symbol writable: `|A b|` is a symbol with its
case, `"A b"` one with its quotes too. `(:= (f ?x) expression)` is Epilog's definition, for `evaluate`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gamemaster.language.rules import Definition, Rules, Sentence, substitute
from gamemaster.language.source import Source
from gamemaster.language.syntax import (
    SentenceBuilder,
    SyntaxNode,
    check_core,
    check_sentences,
    read_one_term,
    sentence_terms,
    sentence_variables,
    syntax_error,
    too_deep_error,
    unclosed_error,
    unreadable_error,
)
from gamemaster.language.terms import MAX_DEPTH, Term, Variable, exact_kif, unquote

__all__ = ["kif_nodes", "names_as_read", "read_kif", "read_kif_term", "show_kif"]

NAME = r"[^\x00-\x20()\";|\x7f-\U0010ffff]"
TOKEN = re.compile(
    rf"""(?:[\t-\r\ ]++ | ;[^\r\n]*+)*+            # blanks and comments
    (?: (?P<open>\() | (?P<close>\))
      | (?P<variable>\?{NAME}++)
      | (?P<symbol>(?!\?){NAME}++)
      | (?P<string>"[^"\r\n\ufffd]*+")
      | (?P<bars>\|[^|\\\r\n\ufffd]*+(?:\\[^\r\n\ufffd][^|\\\r\n\ufffd]*+)*+\|)
      | (?P<end>\Z)
      | (?P<unreadable>.))""",
    re.VERBOSE | re.DOTALL,
)
LINE_WIDTH = 100
WORDS = frozenset(
    {"role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees"}
)
WORDS |= {"random", "not", "or", "and", "distinct"}
"""Words of the language, which mean the same in any case."""

UNREADABLE_HINT = "write such a symbol between bars: |...|"


@dataclass(slots=True)
class Bracket:
    """An opening bracket whose closing one has not come yet, and what stands in it so far."""

    start: int
    children: list[SyntaxNode] = field(default_factory=list)


def read_kif(source: Source) -> Rules:
    """The rules that a KIF text states; ReadError, with its place, for a text that states none."""
    sentences = (_sentence(source, node) for node in kif_nodes(source))
    return Rules(check_sentences(source, sentences), "kif", source)


def _sentence(source: Source, node: SyntaxNode) -> Sentence:
    """The rule or definition of a node."""
    build = SentenceBuilder(source, node)
    if node.kind == "compound" and node.text == ":=" and len(node.children) == 2:
        return build.definition(node)
    return build.rule(_checked(source, node))


def read_kif_term(text: str) -> Term:
    """The one term that a KIF text is, as `(cell 1 1 b)`; ReadError for anything else."""
    return read_one_term(text, kif_nodes)


def kif_nodes(source: Source) -> Iterator[SyntaxNode]:
    """The expressions of a KIF text one after the other, brackets matched, meaning not looked at."""
    opened: list[Bracket] = []
    names = names_as_read(source.text)
    for token in TOKEN.finditer(source.text, source.text.startswith("\ufeff")):
        kind, start = token.lastgroup, token.start(token.lastindex or 0)
        if kind == "open":
            _check_depth(source, opened, start)
            opened.append(Bracket(start))
            continue
        if kind == "close":
            if not opened:
                raise syntax_error(source, start, "')' closes no bracket")
            node = _close(opened.pop(), token.end())
        elif kind == "end":
            break
        else:
            node = _leaf(source, token, start, names)
        if opened:
            opened[-1].children.append(node)
        else:
            yield node
    if opened:
        raise _unclosed(source, opened[-1])


def names_as_read(text: str) -> dict[str, str]:
    """The name of every spelling with capitals: lower case, unless that is another spelling's name already."""
    if text == text.lower():
        return {}
    spellings: dict[str, dict[str, None]] = {}
    for token in TOKEN.finditer(text):
        if token.lastgroup in ("symbol", "variable"):
            spelling = token[token.lastindex or 0]
            spellings.setdefault(spelling.lower(), {})[spelling] = None
    return {
        spelling: name if i == 0 or name in WORDS else spelling
        for name, found in spellings.items()
        for i, spelling in enumerate(sorted(found, key=lambda spelling: spelling != name))
    }


def _leaf(source: Source, token: re.Match[str], start: int, names: dict[str, str]) -> SyntaxNode:
    """The node of a symbol or variable."""
    kind, text, end = token.lastgroup, token[token.lastindex or 0], token.end()
    if kind == "symbol":
        return SyntaxNode("arrow" if text == "<=" else "symbol", names.get(text, text), (), start, end)
    if kind == "variable":
        return SyntaxNode("variable", str.__str__(Variable.from_kif(names.get(text, text))), (), start, end)
    if kind == "string":
        return SyntaxNode("symbol", text, (), start, end)
    if kind == "bars":
        return SyntaxNode("symbol", unquote(text), (), start, end)
    if text == "?":
        raise syntax_error(source, start, "'?' is no variable: a name must follow it")
    raise unreadable_error(source, start, UNREADABLE_HINT)


def _close(bracket: Bracket, end: int) -> SyntaxNode:
    """The node of a bracket and all in it."""
    first = bracket.children[0] if bracket.children else None
    if first is None or first.kind not in ("symbol", "arrow"):
        return SyntaxNode("list", "(", tuple(bracket.children), bracket.start, end)
    kind: Any = "rule" if first.kind == "arrow" else "compound"
    return SyntaxNode(kind, first.text, tuple(bracket.children[1:]), bracket.start, end)


def _check_depth(source: Source, opened: list[Bracket], start: int) -> None:
    """ReadError where one more bracket nests too deep; the bracket of `(<=` itself does not count."""
    if len(opened) < MAX_DEPTH:
        return
    outermost = opened[0].children
    if len(opened) > MAX_DEPTH or not (outermost and outermost[0].kind == "arrow"):
        raise too_deep_error(source, start)


def _unclosed(source: Source, bracket: Bracket) -> Exception:
    """The error for a bracket still open at the end; a rule inside it shows where it should have closed."""
    inner = next((child for child in bracket.children if child.kind == "rule"), None)
    if inner is None:
        return unclosed_error(source, bracket.start)
    place = source.place(inner.start)
    hint = f"a new rule begins inside it at line {place.line}, column {place.column}"
    return unclosed_error(source, bracket.start, hint=hint)


def _checked(source: Source, node: SyntaxNode) -> SyntaxNode:
    """The node of a sentence; ReadError for a rule without a head."""
    if node.kind == "rule" and not node.children:
        shown = source.text[node.start : node.end]
        raise syntax_error(source, node.start, f"rule without a head: {shown!r}", hint="write (<= head body)")
    return node


def show_kif(rules: Rules) -> str:
    """The rules as KIF text, one sentence a line where it fits; RulesError for what only Epilog can say."""
    check_core(rules, "KIF")
    return "".join(_show_sentence(sentence) + "\n" for sentence in rules.sentences)


def _show_sentence(sentence: Sentence) -> str:
    names = _kif_names(sentence)
    texts: list[str] = [exact_kif(substitute(term, names)) for term in sentence_terms(sentence)]
    if len(texts) == 1:
        return texts[0]
    if isinstance(sentence, Definition):
        return f"(:= {' '.join(texts)})"
    line = f"(<= {' '.join(texts)})"
    return line if len(line) <= LINE_WIDTH else "(<= " + "\n    ".join(texts) + ")"


def _kif_names(sentence: Sentence) -> dict[Variable, Variable]:
    """New names for the variables that KIF would confuse because they differ only in case."""
    variables = dict.fromkeys(sentence_variables(sentence))
    names: dict[str, Variable] = {}
    # Those that KIF can name exactly come first, so that only the others change.
    for variable in sorted(variables, key=lambda variable: Variable.from_kif(variable.kif()) != variable):
        name, count = variable.kif(), 1
        while name in names:
            count += 1
            name = f"{variable.kif()}_{count}"
        names[name] = variable
    return {variable: Variable.from_kif(name) for name, variable in names.items()}
