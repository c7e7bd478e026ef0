"""What the readers of all notations share: the syntax tree, and how it becomes rules.

A reader turns text into Nodes without recursion, so no input is too deep for it; a SentenceBuilder turns the
nodes of one sentence into terms and formulas and refuses what has no meaning, with the place of the offence.
Nodes of KIF and of infix text have the same shape: `(and p q)` and `p & q` are both the compound `and`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import Literal, TypeAlias

from gamemaster.errors import ReadError, RulesError
from gamemaster.language.operators import calculation
from gamemaster.language.rules import (
    And,
    Atom,
    AtomTerm,
    Definition,
    Formula,
    Handler,
    Not,
    Or,
    Rule,
    Rules,
    Sentence,
)
from gamemaster.language.source import Source, Span
from gamemaster.language.terms import MAX_DEPTH, Compound, Symbol, Term, Variable, variables_of

__all__ = [
    "NodeKind",
    "SentenceBuilder",
    "SyntaxNode",
    "check_core",
    "check_sentences",
    "formula_term",
    "read_one_term",
    "sentence_terms",
    "sentence_variables",
    "syntax_error",
    "too_deep_error",
    "unclosed_error",
    "unreadable_error",
]

NodeKind: TypeAlias = Literal[
    "symbol",  # text is the name
    "variable",  # text is the name in infix notation, `_` for an anonymous one
    "compound",  # text is the functor, children are the arguments
    "list",  # brackets that do not begin with a name: `()`, `((role x) ...)`; KIF only
    "arrow",  # the `<=` of KIF outside its place
    "rule",  # children are the head and the parts of the body
    "handler",  # children are the operation and its effects or transition
    "transition",  # children are the condition and the effects
    "definition",  # children are the head and the expression
]

CONNECTIVES = frozenset({"and", "or", "not"})
NO_HEADS = CONNECTIVES | {"distinct"}
LONGEST_QUOTE = 40
MAX_SENTENCES = 100_000
"""How many sentences are read of a sheet: over fifty times what the longest public ones have."""
LONE_WORD = re.compile(r"\b(and|or|not)\s+\Z")
MARKS = {"and": "&", "or": "|", "not": "~"}
"""The words of KIF that end a sentence of infix text, if they stand by themselves, and its marks for them."""


@dataclass(slots=True, eq=False)
class SyntaxNode:
    """A piece of syntax and where it stands, from offset `start` up to `end`."""

    kind: NodeKind
    text: str
    children: tuple[SyntaxNode, ...]
    start: int
    end: int
    depth: int = field(init=False)
    """0 for a leaf, else one more than the deepest child."""

    def __post_init__(self) -> None:
        if self.children:
            self.depth = 1 + max([child.depth for child in self.children])
        else:
            self.depth = 0 if self.kind in ("symbol", "variable", "arrow") else 1

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.start, self.end)


def syntax_error(source: Source, offset: int, what: str, *, hint: str = "") -> ReadError:
    """The error for text that cannot be read, at an offset."""
    return ReadError(what, source.place(offset), hint=hint)


def unreadable_error(source: Source, offset: int, hint: str) -> ReadError:
    """The error for a character that no token begins with, or a quote that is not closed on its line."""
    character = source.text[offset]
    if character in "\"'|":
        what = {'"': "string", "'": "quoted symbol", "|": "symbol between bars"}[character]
        return syntax_error(
            source, offset, f"{what} begins here with {character!r} but does not end on its line"
        )
    if character == "\ufffd":
        return syntax_error(source, offset, "bytes that are not UTF-8 text", hint="save the file as UTF-8")
    return syntax_error(source, offset, f"character {character!r} has no meaning here", hint=hint)


def unclosed_error(source: Source, offset: int, *, because: str = "", hint: str = "") -> ReadError:
    """The error for the opening bracket at an offset that is never closed."""
    if not because:
        end = source.place(len(source.text.rstrip()))
        because = f"the text ends at line {end.line}, column {end.column}"
    return syntax_error(
        source, offset, f"bracket {source.text[offset]!r} is never closed: {because}", hint=hint
    )


def too_deep_error(source: Source, offset: int) -> ReadError:
    """The error for what nests deeper than terms may."""
    what = f"{source.text[offset]!r} nests deeper than {MAX_DEPTH} levels"
    return syntax_error(source, offset, what, hint="close brackets earlier, or name a part of it")


def check_sentences(source: Source, sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
    """The sentences; ReadError where there are none, or too many."""
    found = tuple(islice(sentences, MAX_SENTENCES + 1))
    if len(found) > MAX_SENTENCES:
        what = f"more than {MAX_SENTENCES:,} sentences"
        raise syntax_error(source, found[-1].span.start, what, hint="split the game, or generate less")
    if not found:
        raise syntax_error(source, 0, f"no sentences in the text of {source.name!r}")
    return found


def check_core(rules: Rules, notation: str) -> None:
    """RulesError for the first handler, which only Epilog can write."""
    for sentence in rules.sentences:
        if isinstance(sentence, Handler):
            what = f"a handler cannot be written in {notation}"
            raise RulesError(what, rules.place(sentence.span), hint="lower the rules first")


def read_one_term(text: str, read_nodes: Callable[[Source], Iterator[SyntaxNode]]) -> Term:
    """The one term that a text is; ReadError for anything else."""
    source = Source("term", text)
    nodes = read_nodes(source)
    first = next(nodes, None)
    if first is None:
        raise syntax_error(source, 0, f"no term in {text!r}")
    if extra := next(nodes, None):
        raise syntax_error(source, extra.start, f"one term expected, and here begins a second: {text!r}")
    return SentenceBuilder(source, first).whole_term(first)


class SentenceBuilder:
    """Turns the nodes of one sentence into terms and formulas; numbers its anonymous variables from 1."""

    def __init__(self, source: Source, root: SyntaxNode) -> None:
        self._source = source
        self._root = root
        self._anonymous = 0

    def error(self, where: SyntaxNode | Span, what: str, *, hint: str = "") -> ReadError:
        """The error at a node; `{}` in `what` is replaced by the text of the node."""
        text = self._source.text[where.start : where.end]
        shown = text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."
        return syntax_error(self._source, where.start, what.replace("{}", repr(shown)), hint=hint)

    def rule(self, node: SyntaxNode) -> Rule:
        """The rule of a rule node, or the fact of any other."""
        head, *parts = node.children if node.kind == "rule" else [node]
        return Rule(self.head(head), self.body(parts), node.span, head.span)

    def handler(self, node: SyntaxNode) -> Handler:
        """The handler of a handler node."""
        operation, right = node.children
        condition, effects = right.children if right.kind == "transition" else (None, right)
        return Handler(
            self.head(operation),
            self.body([condition]) if condition else (),
            tuple(map(self._effect, self.body([effects]))),
            node.span,
        )

    def definition(self, node: SyntaxNode) -> Definition:
        """The definition of a definition node."""
        head, expression = node.children
        return Definition(self.head(head), self.whole_term(expression), node.span)

    def head(self, node: SyntaxNode) -> AtomTerm:
        """What a sentence defines: a symbol or compound."""
        if node.kind == "variable":
            raise self.error(
                node, "variable {} cannot be a head", hint="a head is a relation, not a variable"
            )
        if node.text in NO_HEADS and node.kind == "compound":
            hint = "is an '&' or a bracket missing before it?" if node.text == "not" else ""
            if word := LONE_WORD.search(self._source.text, max(0, node.start - LONGEST_QUOTE), node.start):
                what = f"{word[1]!r} is no mark of infix notation: what follows it is read as a new sentence"
                hint = f"write {MARKS[word[1]]!r} in place of {word[1]!r}"
                raise self.error(Span(word.start(1), word.end(1)), what, hint=hint)
            raise self.error(node, f"{node.text!r} cannot be defined, and here it is a head: {{}}", hint=hint)
        return _atom_term(self.whole_term(node))

    def body(self, nodes: Iterable[SyntaxNode]) -> tuple[Formula, ...]:
        """The formulas that must all hold; what is joined by `and` is spread out."""
        return _flat(And, map(self._whole_formula, self._spread(nodes)))

    def whole_term(self, node: SyntaxNode) -> Term:
        """The term of a node that is inside no other term."""
        self._check_depth(node)
        return self.term(node)

    def term(self, node: SyntaxNode) -> Term:
        """The term of a node; connectives inside terms become compounds like any other."""
        if node.kind == "symbol":
            return Symbol(node.text)
        if node.kind == "variable":
            return self._variable(node)
        if node.kind == "compound":
            return Compound((node.text, *map(self.term, node.children)))
        raise self._not_a_term(node)

    def _whole_formula(self, node: SyntaxNode) -> Formula:
        self._check_depth(node)
        return self._formula(node)

    def _formula(self, node: SyntaxNode) -> Formula:
        if node.kind == "variable":
            place = self._source.place(node.start)
            if meant := calculation(place.text, place.column - 1):
                raise self.error(node, "variable {} cannot be a literal", hint=f"write {meant}")
            # the original reads it, and asks for a relation of that name, which there is not
            return Atom(Symbol(f"?{node.text}"), node.span)
        if node.kind != "compound" or node.text not in CONNECTIVES:
            return Atom(_atom_term(self.term(node)), node.span)
        self._check_parts(node)
        if node.text == "not":
            return Not(self._formula(node.children[0]), node.span)
        join = And if node.text == "and" else Or
        parts = _flat(join, map(self._formula, node.children))
        return join(parts, node.span) if len(parts) > 1 else parts[0]

    def _check_parts(self, node: SyntaxNode) -> None:
        count = len(node.children)
        if count == 0 or (node.text == "not" and count != 1):
            needed = "exactly one part" if node.text == "not" else "at least one part"
            raise self.error(node, f"{node.text!r} takes {needed}, not {count}: {{}}")

    def _effect(self, formula: Formula) -> Atom | Not:
        if isinstance(formula, Atom) or (isinstance(formula, Not) and isinstance(formula.body, Atom)):
            return formula
        hint = "write one handler for each case"
        raise self.error(formula.span, "an effect is an atom or its negation, not {}", hint=hint)

    def _spread(self, nodes: Iterable[SyntaxNode]) -> Iterator[SyntaxNode]:
        """The nodes, those joined by `and` at the outside one by one."""
        for node in nodes:
            if node.text == "and" and node.kind == "compound" and node.children:
                yield from node.children
            else:
                yield node

    @cached_property
    def _counts(self) -> Counter[str]:
        """How often each variable occurs in the sentence."""
        return Counter(_variable_names(self._root))

    def _variable(self, node: SyntaxNode) -> Variable:
        if node.text[0] != "_":
            return Variable(node.text)
        if node.text != "_" and self._counts[node.text] > 1:  # KIF's `?_1` twice is a name like another
            return Variable("VV" + node.text)
        self._anonymous += 1
        return Variable(f"_{self._anonymous}")

    def _check_depth(self, node: SyntaxNode) -> None:
        if node.depth <= MAX_DEPTH:
            return
        for _ in range(MAX_DEPTH):
            node = max(node.children, key=lambda child: child.depth)
        raise too_deep_error(self._source, node.start)

    def _not_a_term(self, node: SyntaxNode) -> ReadError:
        if node.kind == "list":
            return self.error(node, "a name must follow '(' in {}")
        if node.kind == "arrow":
            hint = "write (<= head condition condition)"
            return self.error(node, "{} stands only at the beginning of a rule: (<= head body)", hint=hint)
        what = f"{node.text!r} cannot stand inside another sentence: {{}}"
        if node.kind == "transition" and self._root.kind == "rule":
            hint = "write '::' in place of ':-': a move :: condition ==> effects"
            return self.error(node, what, hint=hint)
        return self.error(node, what, hint="is the sentence before it complete, its brackets closed?")


def _flat(join: type[And] | type[Or], parts: Iterable[Formula]) -> tuple[Formula, ...]:
    """The parts, those of the same connective replaced by their own parts."""
    return tuple(chain.from_iterable(part.parts if isinstance(part, join) else (part,) for part in parts))


def _variable_names(root: SyntaxNode) -> Iterator[str]:
    """The names of the variables under a node, each as often as it occurs."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.kind == "variable":
            yield node.text
        todo += node.children


def _atom_term(term: Term) -> AtomTerm:
    assert isinstance(term, Symbol | Compound)  # callers have seen to variables
    return term


def formula_term(formula: Formula) -> AtomTerm:
    """The formula as a term with functors and, or, not: what printers print."""
    if isinstance(formula, Atom):
        return formula.term
    if isinstance(formula, Not):
        return Compound(("not", formula_term(formula.body)))
    return Compound(("and" if isinstance(formula, And) else "or", *map(formula_term, formula.parts)))


def sentence_terms(sentence: Sentence) -> Iterator[Term]:
    """Head, body and effects of a sentence as terms, in the order in which all notations print them."""
    match sentence:
        case Rule(head, body):
            yield head
            yield from map(formula_term, body)
        case Handler(operation, condition, effects):
            yield operation
            yield from map(formula_term, condition)
            yield from map(formula_term, effects)
        case Definition(head, expression):
            yield head
            yield expression


def sentence_variables(sentence: Sentence) -> Iterator[Variable]:
    """The variables of a sentence from left to right, each as often as it occurs."""
    for term in sentence_terms(sentence):
        yield from variables_of(term)
