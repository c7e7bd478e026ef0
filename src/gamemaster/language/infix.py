"""Infix notation: HRF (GDL as on the slides) and Epilog (Gamemaster's own): text -> Rules -> text.

    legal(P,mark(X)) :- true(control(P)) & ~taken(X)                 % HRF
    mark(X) :: control(P) ==> taken(X) & ~control(P)                 % Epilog

Sentences follow each other without a mark between them. Operators, the tightest first, all right associative:
`!` `~` `&` `|` `==>` `:=` `:-` `::`. One extension keeps any symbol writable: `'A b'` is a symbol with its
case. The parser is operator precedence with its own stack, so that no text is too deep for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from gamemaster.errors import ReadError
from gamemaster.language.operators import CALCULATIONS, comparison, sum_in_term
from gamemaster.language.rules import Definition, Handler, Rule, Rules, Sentence, substitute
from gamemaster.language.source import Source
from gamemaster.language.syntax import (
    NodeKind,
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
from gamemaster.language.terms import MAX_DEPTH, Term, Variable, unquote

__all__ = [
    "epilog_sentences",
    "infix_marks",
    "infix_nodes",
    "read_epilog",
    "read_hrf",
    "read_term",
    "show_epilog",
    "show_hrf",
]

NAME = r"[A-Za-z0-9_./+*-]"
TOKEN = re.compile(
    rf"""(?:[\t-\r\ ]++ | %[^\r\n]*+)*+            # blanks and comments
    (?: (?P<symbol>[a-z0-9/]{NAME}*+ | -[0-9]++(?:\.[0-9]++)?+(?!{NAME}))
      | (?P<variable>[A-Z]{NAME}*+ | _)
      | (?P<mark>==> | := | :- | :: | [()\[\],!~&|.+*-])
      | (?P<string>"[^"\r\n\ufffd]*+")
      | (?P<quoted>'[^'\\\r\n\ufffd]*+(?:\\[^\r\n\ufffd][^'\\\r\n\ufffd]*+)*+')
      | (?P<end>\Z)
      | (?P<unreadable>.))""",
    re.VERBOSE | re.DOTALL,
)

# How tightly operators bind; an open bracket holds everything.
BRACKET = 0
TIGHTNESS = {"::": 1, ":-": 2, ":=": 3, "==>": 4, "|": 5, "&": 6, "~": 7, "!": 8}
SENTENCE_KINDS: dict[str, NodeKind] = {
    "::": "handler",
    ":-": "rule",
    ":=": "definition",
    "==>": "transition",
}
FUNCTORS = {"|": "or", "&": "and", "~": "not", "!": "cons"}
INFIX = TIGHTNESS.keys() - {"~"}
CLOSING = {"(": ")", "[": "]"}

UNREADABLE_HINT = "write such a symbol between quotes: '...'"
ARROW = re.compile(r"<=+>?|<-+|-+>|=+>|-:|:|=|\u2190|\u2192|\u21d0|\u21d2")
"""What people write for `:-` and `==>`, none of which is a mark here."""

STRANGE_HINTS = (
    (re.compile(r"\?[A-Za-z]"), "a variable begins with a capital letter, and has no '?'"),
    (re.compile(r"[;#]"), "a comment begins with '%', and nothing stands between sentences"),
    (re.compile(r"!|\\\+|\u00ac"), "write '~' for not: ~p(X)"),
    (re.compile(r"&|\u2227"), "write one '&' between literals"),
    (re.compile(r"\|"), "write one '|' between alternatives"),
)
"""What to write for what no sentence can have, by how that begins."""
COMMAND_HINTS = {
    "+": "as the effect of a handler, p alone adds p: a :: c ==> p",
    "-": "as the effect of a handler, ~p deletes p: a :: c ==> ~p",
    "*": "as the effect of a handler, an operation happens by its name: a :: c ==> operation",
}
CALCULATING = "add a condition that calculates, as plus(X,1,Y), and write Y"
LINE_WIDTH = 100


def read_hrf(source: Source) -> Rules:
    """The rules that an HRF text states; ReadError, with its place, for a text that states none."""
    sentences = (_hrf_sentence(source, node) for node in infix_nodes(source))
    return Rules(check_sentences(source, sentences), "hrf", source)


def read_epilog(source: Source) -> Rules:
    """The rules, handlers and definitions of an Epilog text; ReadError, with its place, if it has none."""
    return Rules(check_sentences(source, epilog_sentences(source)), "epilog", source)


def epilog_sentences(source: Source) -> Iterator[Sentence]:
    """The sentences of an Epilog text (HRF is a part of it) one after the other, up to the first error."""
    return (_epilog_sentence(source, node) for node in infix_nodes(source))


def read_term(text: str) -> Term:
    """The one term that an infix text is, as `cell(1,1,b)`; ReadError for anything else."""
    return read_one_term(text, infix_nodes)


def infix_nodes(source: Source) -> Iterator[SyntaxNode]:
    """The sentences of an infix text one after the other, operators applied, meaning not looked at."""
    parser = Parser(source)
    while parser.skip_to_sentence():
        yield parser.sentence()


def infix_marks(text: str) -> Iterator[str]:
    """The operators and brackets of a text that need not be readable; not those in comments and quotes."""
    return (token["mark"] for token in TOKEN.finditer(text) if token.lastgroup == "mark")


@dataclass(slots=True)
class Frame:
    """An operator that waits for its right side, or a bracket that waits for its end."""

    mark: str
    offset: int
    weight: int = 0
    """How many levels deeper than the frame its next operand is; `&` and `|` are weighed when complete."""
    operands: list[SyntaxNode] = field(default_factory=list)
    functor: SyntaxNode | None = None
    """What stands before the bracket, in `f(`."""

    @property
    def tightness(self) -> int:
        """How tightly it binds; brackets hold everything."""
        return TIGHTNESS.get(self.mark, BRACKET)


class Parser:
    """Reads sentences off a text, one token ahead; the frames are what has begun and is not complete."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._tokens = TOKEN.finditer(source.text, source.text.startswith("\ufeff"))
        self._frames: list[Frame] = []
        self._depth = 0
        self._advance()

    def skip_to_sentence(self) -> bool:
        """Whether there is one more sentence; lone dots before it are skipped."""
        while self._kind == ".":
            self._advance()
        return self._kind != "end"

    def sentence(self) -> SyntaxNode:
        """The next sentence."""
        node: SyntaxNode | None = None  # None where an operand must come next
        is_name = False  # whether a bracket would make the node a functor
        while True:
            if node is None:
                is_name = self._kind == "symbol"
                node = self._operand()
            elif is_name and self._kind == "(":
                self._open(functor=node)
                node = None
            elif self._kind in INFIX:
                self._operator(node)
                node = None
            elif self._kind == ",":
                self._comma(node)
                node = None
            elif self._kind in (")", "]"):
                node, is_name = self._close(node), False
            else:
                return self._finish(node)

    def _advance(self) -> None:
        """Moves to the next token. Strings and quoted symbols count as symbols, marks are their own kind."""
        token = next(self._tokens)
        kind = token.lastgroup or ""
        self._start, self._end = token.span(kind)
        self._text = token[kind]
        self._kind = kind
        if kind == "mark":
            self._kind = self._text
        elif kind == "quoted":
            self._kind, self._text = "symbol", unquote(self._text)
        elif kind == "string":
            self._kind = "symbol"
        elif kind == "unreadable":
            raise self._wrong_arrow() or unreadable_error(self._source, self._start, self._hint())

    def _operand(self) -> SyntaxNode | None:
        """The symbol or variable that comes next; None after beginning a bracket or a negation."""
        if self._kind == "symbol" or self._kind == "variable":
            kind: NodeKind = "symbol" if self._kind == "symbol" else "variable"
            node = SyntaxNode(kind, self._text, (), self._start, self._end)
            self._advance()
            return node
        if self._kind in CLOSING:
            self._open()
        elif self._kind == "~":
            self._push(Frame("~", self._start, weight=1))
        elif self._ends_empty_bracket():
            return self._close(None)
        else:
            raise self._no_operand()
        return None

    def _operator(self, left: SyntaxNode) -> None:
        """Begins the right side of an operator whose left side is complete."""
        mark = self._kind
        if mark in SENTENCE_KINDS:
            self._check_outside_brackets()
        last, left = left, self._reduce(left, TIGHTNESS[mark])
        top = self._frames[-1] if self._frames else None
        if top and top.mark == mark and mark != "!":
            if mark in SENTENCE_KINDS:
                what = f"a second {mark!r} in one sentence"
                raise self._dangling(last) or syntax_error(
                    self._source, self._start, what, hint="one sentence, one rule"
                )
            top.operands.append(left)  # a & b & c is one conjunction of three
            self._advance()
        else:
            self._push(Frame(mark, self._start, weight=int(mark == "!"), operands=[left]))

    def _comma(self, node: SyntaxNode) -> None:
        """Begins the next argument of a call or item of a list."""
        node = self._reduce(node, BRACKET)
        frame = self._frames[-1] if self._frames else None
        if frame is None or (frame.mark == "(" and frame.functor is None):
            what = "',' stands only between arguments and between list items"
            raise syntax_error(self._source, self._start, what, hint="write '&' between literals")
        frame.operands.append(node)
        if frame.mark == "[":
            frame.weight += 1
            self._deepen(1)
        self._advance()

    def _open(self, functor: SyntaxNode | None = None) -> None:
        self._push(Frame(self._kind, self._start, weight=1, functor=functor))

    def _close(self, node: SyntaxNode | None) -> SyntaxNode:
        """What the bracket that ends here holds; no node for `f()` and `[]`."""
        if node:
            node = self._reduce(node, BRACKET)
        frame = self._frames[-1] if self._frames else None
        if frame is None:
            raise syntax_error(self._source, self._start, f"{self._kind!r} closes no bracket")
        if self._kind != CLOSING[frame.mark]:
            place = self._source.place(frame.offset)
            what = (
                f"{self._kind!r} cannot close the {frame.mark!r} of line {place.line}, column {place.column}"
            )
            raise syntax_error(self._source, self._start, what)
        self._pop()
        end = self._end
        self._advance()
        return _bracketed(frame, [*frame.operands, node] if node else frame.operands, end)

    def _finish(self, node: SyntaxNode) -> SyntaxNode:
        """The sentence that ends before this token."""
        node = self._reduce(node, BRACKET)
        if not self._frames:
            return node
        bracket = self._frames[-1]
        if self._kind == "end":
            raise unclosed_error(self._source, bracket.offset)
        place = self._source.place(bracket.offset)
        closing = CLOSING[bracket.mark]
        what = f"',' or {closing!r} is expected, and here is {self._text!r}"
        hint = f"the bracket of line {place.line}, column {place.column} is not closed"
        if self._kind in CALCULATIONS:
            what = "terms are not calculated: a builtin gives the result"
            hint = sum_in_term(self._source.text[node.start : self._end + LINE_WIDTH]) or CALCULATING
        raise syntax_error(self._source, self._start, what, hint=hint)

    def _reduce(self, node: SyntaxNode, tightness: int) -> SyntaxNode:
        """The node with every waiting operator applied that binds tighter."""
        while self._frames and self._frames[-1].tightness > tightness:
            node = _applied(self._pop(), node)
        return node

    def _push(self, frame: Frame) -> None:
        """Begins a frame at this token and moves behind it."""
        self._deepen(frame.weight)
        self._frames.append(frame)
        self._advance()

    def _pop(self) -> Frame:
        frame = self._frames.pop()
        self._depth -= frame.weight
        return frame

    def _deepen(self, levels: int) -> None:
        self._depth += levels
        if self._depth > MAX_DEPTH:
            raise too_deep_error(self._source, self._start)

    def _innermost_bracket(self) -> Frame | None:
        return next((frame for frame in reversed(self._frames) if frame.tightness == BRACKET), None)

    def _check_outside_brackets(self) -> None:
        if bracket := self._innermost_bracket():
            place = self._source.place(self._start)
            because = f"{self._kind!r} follows at line {place.line}, column {place.column}"
            raise unclosed_error(self._source, bracket.offset, because=because)

    def _ends_empty_bracket(self) -> bool:
        """Whether this token ends `f()` or `[]`."""
        frame = self._frames[-1] if self._frames else None
        if frame is None or frame.operands or self._kind != CLOSING.get(frame.mark):
            return False
        return frame.mark == "[" or frame.functor is not None

    def _dangling(self, node: SyntaxNode) -> ReadError | None:
        """The error for an `&` or `|` at the end of a line, where a new sentence has begun with what follows it."""
        before = self._source.text[: node.start].rstrip()
        if not before.endswith(("&", "|")) or "\n" not in self._source.text[len(before) : node.start]:
            return None
        what = f"a condition is missing after {before[-1]!r}: a new sentence begins at the next line"
        hint = f"remove the {before[-1]!r}, or write the condition"
        return syntax_error(self._source, len(before) - 1, what, hint=hint)

    def _wrong_arrow(self) -> ReadError | None:
        """The error for a comparison or an arrow of another notation at this token, if there is one."""
        arrow = ARROW.match(self._source.text, self._start)
        line = self._source.place(self._start)
        if compared := comparison(line.text, line.column - 1):
            what = "comparisons are written with builtins"
            return syntax_error(self._source, self._start, what, hint=f"write {compared}")
        if arrow is None:
            return None
        is_handled = "::" in line.text[: line.column - 1] or any(frame.mark == "::" for frame in self._frames)
        hint = "write '==>' before the effects" if is_handled else "write ':-' between head and conditions"
        if arrow[0] == ":":
            hint = "write ':-' between head and conditions, or '::' between a move and what it changes"
        elif arrow[0] == "=":
            hint = "write ':-' between head and conditions, or same(X,Y) for what is equal"
        return syntax_error(self._source, self._start, f"{arrow[0]!r} has no meaning here", hint=hint)

    def _hint(self) -> str:
        """What to write in place of this token."""
        text = self._source.text
        hints = (hint for pattern, hint in STRANGE_HINTS if pattern.match(text, self._start))
        return next(hints, UNREADABLE_HINT if self._kind == "unreadable" else "")

    def _no_operand(self) -> ReadError:
        if arrow := self._wrong_arrow():
            return arrow
        if self._kind in COMMAND_HINTS:
            what = f"{self._kind!r} before a fact has no meaning in games"
            return syntax_error(self._source, self._start, what, hint=COMMAND_HINTS[self._kind])
        bracket = self._innermost_bracket()
        if self._kind == "end" and bracket:
            return unclosed_error(self._source, bracket.offset)
        if self._kind in (")", "]") and not bracket:
            return syntax_error(self._source, self._start, f"{self._kind!r} closes no bracket")
        found = "the end of the text" if self._kind == "end" else repr(self._text)
        what = f"a term is expected, and here is {found}"
        return syntax_error(self._source, self._start, what, hint=self._hint())


def _applied(frame: Frame, right: SyntaxNode) -> SyntaxNode:
    """The node of an operator and its operands."""
    children = (*frame.operands, right)
    start = frame.offset if frame.mark == "~" else children[0].start
    if frame.mark in SENTENCE_KINDS:
        return SyntaxNode(SENTENCE_KINDS[frame.mark], frame.mark, children, start, right.end)
    return SyntaxNode("compound", FUNCTORS[frame.mark], children, start, right.end)


def _bracketed(frame: Frame, operands: list[SyntaxNode], end: int) -> SyntaxNode:
    """The node of a call, a list or a parenthesis."""
    if frame.functor:
        return SyntaxNode("compound", frame.functor.text, tuple(operands), frame.functor.start, end)
    if frame.mark == "(":
        (node,) = operands
        node.start, node.end = frame.offset, end
        return node
    node = SyntaxNode("symbol", "nil", (), frame.offset if not operands else end - 1, end)
    for item in reversed(operands):
        node = SyntaxNode("compound", "cons", (item, node), item.start, end)
    node.start = frame.offset
    return node


def _hrf_sentence(source: Source, node: SyntaxNode) -> Sentence:
    """The rule of a node; ReadError for what only Epilog has."""
    if node.kind == "definition":
        return SentenceBuilder(source, node).definition(node)
    if node.kind in ("handler", "transition"):
        what = f"{node.text!r} does not exist in HRF, the infix form of GDL"
        raise syntax_error(
            source, node.start, what, hint="read the text as Epilog, or write next(...) :- does(...)"
        )
    return SentenceBuilder(source, node).rule(node)


def _epilog_sentence(source: Source, node: SyntaxNode) -> Sentence:
    """The rule, handler or definition of a node."""
    build = SentenceBuilder(source, node)
    if node.kind == "handler":
        return build.handler(node)
    if node.kind == "definition":
        return build.definition(node)
    if node.kind == "transition":
        hint = "say which operation has these effects: operation :: condition ==> effects"
        raise build.error(node, "'==>' without an operation has no meaning in games: {}", hint=hint)
    return build.rule(node)


def show_hrf(rules: Rules) -> str:
    """The rules as HRF text, one sentence a line where it fits; RulesError for what only Epilog can say."""
    check_core(rules, "HRF")
    return show_epilog(rules)


def show_epilog(rules: Rules) -> str:
    """The sentences as Epilog text, one a line where it fits."""
    return "".join(_show_sentence(sentence) + "\n" for sentence in rules.sentences)


def _show_sentence(sentence: Sentence) -> str:
    names = _infix_names(sentence)
    first, *rest = (substitute(term, names) for term in sentence_terms(sentence))
    head = str(first)
    if head.startswith("("):  # it would be taken for the arguments of the sentence before
        head = f". {head}"
    match sentence:
        case Rule(body=()):
            return head
        case Rule():
            return _show_parts(f"{head} :-", rest)
        case Definition():
            return f"{head} := {rest[0]}"
        case Handler(condition=()):
            return _show_parts(f"{head} ::", rest)
        case Handler(condition=condition):
            middle = len(condition)
            begin = _show_parts(f"{head} ::", rest[:middle]) + " ==>"
            return _show_parts(begin, rest[middle:])


def _show_parts(begin: str, parts: list[Term]) -> str:
    """The beginning, then the parts joined by `&`: on one line, or each on its own where that is too long."""
    bracketed = ("and", "or") if len(parts) > 1 else ()
    texts = [f"({part})" if isinstance(part, tuple) and part[0] in bracketed else str(part) for part in parts]
    line = f"{begin} {' & '.join(texts)}"
    return line if len(line.rpartition("\n")[2]) <= LINE_WIDTH else begin + "\n    " + " &\n    ".join(texts)


def _infix_names(sentence: Sentence) -> dict[Variable, Variable]:
    """New names for anonymous variables that occur twice: two `_` would be two variables."""
    counts = Counter(sentence_variables(sentence))
    names: dict[Variable, Variable] = {}
    for variable in counts:
        if variable.is_anonymous and counts[variable] > 1:
            name = Variable("VV" + str.__str__(variable))
            while name in counts:
                name = Variable(str.__str__(name) + "_")
            names[variable] = name
    return names
