"""Ground atoms become symbols: `cell(1,1,b)` is `cell<1_1_b>`, which is looked up faster than it is matched.

Facts, moves and the sheet's own views change their names; the words of the language stay as they are, and so does
`control` in Epilog. `symbol_of` gives the new name of a fact or move.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from gamemaster.errors import Unsuitable
from gamemaster.language.rules import (
    AtomTerm,
    Formula,
    Handler,
    Rule,
    Rules,
    Sentence,
    formula_variables,
    map_atoms,
    name_of,
)
from gamemaster.language.terms import Compound, Symbol, variables_of
from gamemaster.metagame.meaning import Meaning

__all__ = ["symbol_of", "symbolize"]

ABOUT_FACTS = frozenset({"init", "base", "true", "next"})
ABOUT_MOVES = frozenset({"legal", "does", "input", "action"})
UNTOUCHED = frozenset({"role", "goal", "terminal", "sees"})


def symbol_of(term: AtomTerm) -> Symbol:
    """The symbol for a ground term: `(` becomes `<`, `,` becomes `_`."""
    if not isinstance(term, tuple):
        return term
    return Symbol(f"{term[0]}<{'_'.join(str.__str__(symbol_of(part)) for part in term[1:])}>")


def symbolize(rules: Rules) -> Rules:
    """The same game with symbols for facts, moves and views; Unsuitable for rules with variables."""
    for sentence in rules.sentences:
        if _has_variables(sentence):
            raise Unsuitable("only ground rules can be symbolized; ground them first")
    writer = _SymbolWriter(Meaning(rules))
    return replace(rules, sentences=tuple(map(writer.sentence, rules.sentences)))


def _has_variables(sentence: Sentence) -> bool:
    match sentence:
        case Rule(head, body):
            return any(variables_of(head)) or any(v for part in body for v in formula_variables(part))
        case Handler(operation, condition, effects):
            parts = (*condition, *effects)
            return any(variables_of(operation)) or any(v for part in parts for v in formula_variables(part))
    return True


@dataclass
class _SymbolWriter:
    """Sentences with symbols for atoms; `used` keeps two terms from becoming the same symbol."""

    meaning: Meaning
    used: dict[str, AtomTerm] = field(default_factory=dict)

    def sentence(self, sentence: Sentence) -> Sentence:
        """One sentence rewritten."""
        if isinstance(sentence, Rule):
            body = tuple(map(self.part, sentence.body))
            return replace(sentence, head=self.atom(sentence.head), body=body)
        assert isinstance(sentence, Handler)
        effects: Any = tuple(map(self.part, sentence.effects))
        condition = tuple(map(self.part, sentence.condition))
        return replace(
            sentence, operation=self.symbol(sentence.operation), condition=condition, effects=effects
        )

    def part(self, part: Formula) -> Formula:
        """A formula rewritten."""
        return map_atoms(part, self.atom)

    def atom(self, term: AtomTerm) -> AtomTerm:
        """An atom rewritten, as far as its relation lets it."""
        name = name_of(term)
        if name in self.meaning.builtins or name in UNTOUCHED or not isinstance(term, tuple):
            return term
        if name in ABOUT_FACTS | ABOUT_MOVES:
            return Compound((*term[:-1], self.symbol(term[-1])))
        return self.symbol(term)

    def symbol(self, term: AtomTerm) -> AtomTerm:
        """The symbol of a term; Unsuitable where another term has it already."""
        if self.meaning.is_epilog and isinstance(term, tuple) and term[0] == "control":
            return term
        symbol = symbol_of(term)
        if self.used.setdefault(str.__str__(symbol), term) != term:
            raise Unsuitable(f"{term} and {self.used[str.__str__(symbol)]} would become the same symbol")
        return symbol
