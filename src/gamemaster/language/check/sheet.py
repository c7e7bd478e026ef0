"""Rules -> Sheet: what every check asks of a rulesheet, found once, and the author's words for the messages.

Checks look at the sheet as it was written, in Epilog too: a state relation is one that the sheet does not
define, a handler's condition is read in the old state and its effects hold in the next. That is what `lower`
makes of them, but a message must name the author's relations and variables, not those of the core.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gamemaster.errors import Place
from gamemaster.language import infix, kif
from gamemaster.language.builtins import builtins_of
from gamemaster.language.dependency import Dependencies, literals_of
from gamemaster.language.findings import Finding
from gamemaster.language.rules import (
    And,
    Atom,
    Formula,
    Handler,
    Not,
    Or,
    Relation,
    Rule,
    Rules,
    Sentence,
    name_of,
    relation_of,
)
from gamemaster.language.source import LINE_END, Span
from gamemaster.language.syntax import sentence_variables
from gamemaster.language.terms import Term, Value, Variable

__all__ = ["EPILOG_WORDS", "GDL_WORDS", "Sheet", "Use", "atoms_of"]

GDL_WORDS = {
    "role": 1,
    "init": 1,
    "true": 1,
    "does": 2,
    "next": 1,
    "legal": 2,
    "goal": 2,
    "terminal": 0,
    "base": 1,
    "input": 2,
    "sees": 2,
}
EPILOG_WORDS = {
    "role": 1,
    "base": 1,
    "action": 1,
    "init": 1,
    "control": 1,
    "legal": 1,
    "goal": 2,
    "terminal": 0,
}
"""The words of the language and how many arguments each takes."""


@dataclass(frozen=True, slots=True)
class Use:
    """An atom in a body or condition, the sentence it stands in, and whether a negation is around it."""

    atom: Atom
    sentence: Rule | Handler
    negative: bool

    @property
    def relation(self) -> Relation:
        """The relation asked for."""
        return relation_of(self.atom.term)


@dataclass(frozen=True, eq=False)
class Sheet:
    """A rulesheet under check."""

    rules: Rules

    @property
    def is_epilog(self) -> bool:
        """Whether relations without a definition are state, and bodies are read from left to right."""
        return self.rules.notation == "epilog"

    @property
    def words(self) -> dict[str, int]:
        """The words of the sheet's language and how many arguments each takes."""
        return EPILOG_WORDS if self.is_epilog else GDL_WORDS

    @cached_property
    def builtins(self) -> frozenset[str]:
        """The names that mean a builtin here."""
        return builtins_of(self.rules)

    @cached_property
    def dependencies(self) -> Dependencies:
        """Which relation needs which within one state."""
        return Dependencies(self.rules.rules, self.builtins)

    @cached_property
    def rules_of(self) -> dict[Relation, list[Rule]]:
        """The rules and facts of each relation that the sheet defines."""
        found: dict[Relation, list[Rule]] = {}
        for rule in self.rules.rules:
            found.setdefault(relation_of(rule.head), []).append(rule)
        return found

    @cached_property
    def operations(self) -> frozenset[Relation]:
        """What the handlers handle."""
        return frozenset(relation_of(handler.operation) for handler in self.rules.handlers)

    @cached_property
    def views(self) -> frozenset[str]:
        """The names that the sheet defines."""
        return frozenset(name for name, _ in (*self.rules_of, *self.operations))

    @cached_property
    def bodies(self) -> tuple[tuple[Rule | Handler, tuple[Formula, ...]], ...]:
        """Every sentence that has a body or condition, with it."""
        found: list[tuple[Rule | Handler, tuple[Formula, ...]]] = []
        for sentence in self.rules.sentences:
            if isinstance(sentence, Rule) and sentence.body:
                found.append((sentence, sentence.body))
            elif isinstance(sentence, Handler) and sentence.condition:
                found.append((sentence, sentence.condition))
        return tuple(found)

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """Every atom of a relation, not a builtin, in a body or condition."""
        return tuple(
            Use(use.atom, sentence, use.negative)
            for sentence, body in self.bodies
            for part in body
            for use in literals_of(part, self.builtins)
            if not (self.is_epilog and use.atom.term in ("true", "false"))
        )

    @cached_property
    def builtin_uses(self) -> tuple[tuple[Atom, Sentence], ...]:
        """Every literal of a builtin, with its sentence."""
        return tuple(
            (atom, sentence)
            for sentence, body in self.bodies
            for part in body
            for atom in atoms_of(part)
            if name_of(atom.term) in self.builtins
        )

    # The author's words

    def show(self, term: Value) -> str:
        """A term as the author would write it."""
        if not isinstance(term, Term):
            return str(term)
        return term.kif() if self.rules.notation == "kif" else str(term)

    def atom(self, name: str, *args: str) -> str:
        """An atom for a hint, from words: (role ?x) or role(X)."""
        if self.rules.notation == "kif":
            return f"({' '.join((name, *args))})" if args else name
        return f"{name}({','.join(args)})" if args else name

    def variable(self, name: str) -> str:
        """The variable that a name is meant for: ?x or X."""
        return f"?{name}" if self.rules.notation == "kif" else f"{name[0].upper()}{name[1:]}"

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names of all variables of the sheet, in lower case."""
        return frozenset(
            str.__str__(variable).lower()
            for sentence in self.rules.sentences
            for variable in sentence_variables(sentence)
        )

    @property
    def negation(self) -> str:
        """How the author writes a negation."""
        return "not" if self.rules.notation == "kif" else "~"

    # Places

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in LINE_END.finditer(self.rules.source.text))]

    @cached_property
    def _line_texts(self) -> dict[int, str]:
        return {}

    def place_at(self, offset: int) -> Place:
        """What `Source.place` gives; places on one line share its text: a sheet may be a single long line."""
        offset = min(offset, len(self.rules.source.text))
        line = bisect_right(self._line_starts, offset)
        start = self._line_starts[line - 1]
        if line not in self._line_texts:
            self._line_texts[line] = self.rules.source.place(start).text
        return Place(self.rules.source.name, line, offset - start + 1, self._line_texts[line])

    def place(self, span: Span) -> Place:
        """Where a span begins."""
        return self.place_at(span.start)

    def place_of_variable(self, variable: Variable, span: Span, sentence: Span) -> Place:
        """Where a variable first stands in a span, else in its sentence, else where the span begins."""
        for where in (span, sentence):
            offset = self._variable_offset(variable, where, sentence)
            if offset is not None:
                return self.place_at(offset)
        return self.place(span)

    def place_of_word(self, word: str, span: Span) -> Place:
        """Where a name first stands in a span, else where the span begins."""
        for kind, text, offset in self.tokens(span):
            if kind == "symbol" and (text == word or (self.rules.notation == "kif" and text.lower() == word)):
                return self.place_at(offset)
        return self.place(span)

    def _variable_offset(self, variable: Variable, span: Span, sentence: Span) -> int | None:
        if variable.is_anonymous:
            return self._anonymous_offset(variable, span, sentence)
        for kind, text, offset in self.tokens(span):
            if kind == "variable" and self._variable(text) == variable:
                return offset
        return None

    def _anonymous_offset(self, variable: Variable, span: Span, sentence: Span) -> int | None:
        """Where the n-th nameless variable of a sentence stands, if that is within the span."""
        variables = [(text, offset) for kind, text, offset in self.tokens(sentence) if kind == "variable"]
        blanks = [offset for text, offset in variables if text == "_" or self._variable(text).is_anonymous]
        number = int(str.__str__(variable)[1:])
        if number > len(blanks) or not span.start <= blanks[number - 1] < span.end:
            return None
        return blanks[number - 1]

    def _variable(self, text: str) -> Variable:
        return Variable.from_kif(text.lower()) if self.rules.notation == "kif" else Variable(text)

    def tokens(self, span: Span) -> Iterator[tuple[str, str, int]]:
        """The words of a span: kind ("symbol", "variable" and others), text and offset."""
        pattern = kif.TOKEN if self.rules.notation == "kif" else infix.TOKEN
        for token in pattern.finditer(self.rules.source.text, span.start, span.end):
            if token.lastindex and token.lastgroup:
                yield token.lastgroup, token[token.lastindex], token.start(token.lastindex)

    # Findings

    def error(self, code: str, message: str, place: Place, hint: str) -> Finding:
        """A finding about something that the rules cannot mean."""
        return Finding(code, "error", message, place, hint)

    def warning(self, code: str, message: str, place: Place, hint: str) -> Finding:
        """A finding about something that the author hardly meant."""
        return Finding(code, "warning", message, place, hint)


def atoms_of(formula: Formula) -> Iterator[Atom]:
    """The atoms of a formula as written, from left to right."""
    match formula:
        case Atom():
            yield formula
        case Not(body):
            yield from atoms_of(body)
        case And(parts) | Or(parts):
            for part in parts:
                yield from atoms_of(part)
