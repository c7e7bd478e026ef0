"""Keeps only what can affect legal moves, goals, percepts and the end of the game.

Relations that nothing of this asks for go with their rules; so do facts of the state that nothing reads, and what
makes them. What base, action and input declare stays for the facts and moves that stay.

With `moves`, a move goes too if it is legal exactly where another one is and has the same effect on all that matters;
the rules then say which moves are spare. That takes the compiled game to see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from gamemaster.errors import GamemasterError, Unsuitable
from gamemaster.ground.atoms import atoms_of
from gamemaster.language.builtins import builtins_of
from gamemaster.language.rules import (
    Atom,
    Definition,
    Formula,
    Handler,
    Not,
    Relation,
    Rule,
    Rules,
    Sentence,
    effect_term,
    relation_of,
)
from gamemaster.language.terms import Compound, Term, Value, Variable
from gamemaster.load import build
from gamemaster.metagame.effects import equal_moves
from gamemaster.metagame.meaning import Form, Meaning, form_of
from gamemaster.network.build import Circuit

__all__ = ["prune"]

ROOTS: tuple[Relation, ...] = (
    ("role", 1), ("legal", 1), ("legal", 2), ("goal", 2), ("terminal", 0), ("sees", 2),
    ("action", 1), ("input", 2), ("control", 1),
)  # fmt: skip
ABOUT_FACTS = frozenset({("init", 1), ("next", 1), ("base", 1)})


def prune(rules: Rules, *, moves: bool = False) -> Rules:
    """The same game without what cannot matter; with `moves`, without moves that do what another one does."""
    if moves:
        rules = _without_spare_moves(rules)
    need = _Kept(Meaning(rules))
    need.find()
    pruned = replace(rules, sentences=tuple(need.kept()))
    return (
        pruned if builtins_of(pruned) == builtins_of(rules) else rules
    )  # a name must not change its meaning


@dataclass
class _Kept:
    """What the outcome and the legal moves of a game depend on."""

    meaning: Meaning
    relations: set[Relation] = field(default_factory=lambda: set(ROOTS))
    forms: set[Form] = field(default_factory=set)
    is_all: bool = False
    operations: set[Form] = field(default_factory=set)

    def find(self) -> None:
        """Follow every need until there is no new one."""
        if self.meaning.is_epilog and "control" not in self.meaning.views:
            self.forms.add(("control", 2))
        before = -1
        while before != (before := self._size()):
            for sentence in self.meaning.rules.sentences:
                self._follow(sentence)
            self._keep_handlers()

    def _size(self) -> int:
        return len(self.relations) + len(self.forms) + len(self.operations) + self.is_all

    def _follow(self, sentence: Sentence) -> None:
        if isinstance(sentence, Rule) and self.needs_rule(sentence):
            self._ask(sentence.body)
        elif isinstance(sentence, Handler) and any(map(self.needs_effect, sentence.effects)):
            self.operations.add(form_of(sentence.operation))
            self._ask(sentence.condition)
        elif isinstance(sentence, Definition):
            self._ask([Atom(Compound(("evaluate", sentence.expression, Variable("Value"))))])

    def _ask(self, parts: Iterable[Formula]) -> None:
        for term in atoms_of(list(parts)):
            if isinstance(term, Variable):
                self.is_all = True
            elif self.meaning.is_state(term):
                fact = self.meaning.fact_of(term)
                self.is_all |= isinstance(fact, Variable)
                self.forms.add(form_of(fact))
            else:
                self.relations.add(relation_of(term))

    def _keep_handlers(self) -> None:
        """An operation without a handler adds itself: one whose effects do not matter keeps its first."""
        for handler in self.meaning.rules.handlers:
            if form_of(handler.operation) not in self.operations:
                self.operations.add(form_of(handler.operation))
                self.forms |= {form_of(effect_term(effect)) for effect in handler.effects}

    def needs_form(self, fact: Value) -> bool:
        """Whether facts of that form matter."""
        return self.is_all or isinstance(fact, Variable) or form_of(fact) in self.forms

    def needs_rule(self, rule: Rule) -> bool:
        """Whether a rule matters."""
        relation = relation_of(rule.head)
        if relation in self.relations:
            return True
        return relation in ABOUT_FACTS and self.needs_form(rule.head[1])

    def needs_effect(self, effect: Atom | Not) -> bool:
        """Whether an effect matters: that of a nested operation does if the operation's own effects do."""
        term = effect_term(effect)
        return self.needs_form(term) or form_of(term) in self.operations

    def kept(self) -> Iterator[Sentence]:
        """The sentences that matter, without effects that do not."""
        for sentence in self.meaning.rules.sentences:
            if isinstance(sentence, Rule):
                if self.needs_rule(sentence):
                    yield sentence
            elif isinstance(sentence, Handler):
                effects = tuple(filter(self.needs_effect, sentence.effects))
                if effects:
                    yield replace(sentence, effects=effects)
            else:
                yield sentence


# Moves


def _without_spare_moves(rules: Rules) -> Rules:
    """The rules with spare moves no longer legal."""
    try:
        circuit = build(rules, "rules", "compiled").circuit
    except GamemasterError as error:
        raise Unsuitable(f"which moves are spare shows only in compiled rules: {error}") from None
    assert circuit is not None
    spare = equal_moves(circuit)
    if not spare:
        return rules
    meaning = Meaning(rules)
    word = "spare"
    while word in meaning.views | meaning.builtins:
        word += "_"
    rows: set[tuple[Term, ...]] = set(spare)
    if meaning.is_epilog:
        rows = {(move,) for _, move in spare if _is_spare_for_all(move, spare, circuit)}
    facts = [Rule(Compound((word, *row))) for row in sorted(rows, key=str)]
    sentences = [_restricted(sentence, word) for sentence in rules.sentences]
    return replace(rules, sentences=(*sentences, *facts)) if facts else rules


def _is_spare_for_all(move: Term, spare: set[tuple[Term, Term]], circuit: Circuit) -> bool:
    return all((role, move) in spare for role in circuit.roles if move in circuit.moves[role])


def _restricted(sentence: Sentence, word: str) -> Sentence:
    """A rule for legal moves that leaves out the spare ones."""
    if not isinstance(sentence, Rule) or relation_of(sentence.head) not in {("legal", 1), ("legal", 2)}:
        return sentence
    is_spare = Not(Atom(Compound((word, *sentence.head[1:]))))
    return replace(sentence, body=(*sentence.body, is_spare))
