"""Rules without variables: every instance that some state could need, found by clingo.

A GDL sheet becomes ground rules for the same relations. An Epilog sheet stays one: what clingo finds about the effects
of a move (see language/lower.py) is written as handlers again.

    mark(1,1) :: control(x) ==> cell(1,1,x)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gamemaster.errors import LimitExceeded, RulesError, Unsuitable
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.program import Program
from gamemaster.ground.split import split
from gamemaster.language.lower import EFFECT_WORDS, lower
from gamemaster.language.rules import (
    Atom,
    Formula,
    Handler,
    Not,
    Rule,
    Rules,
    Sentence,
    name_of,
    relation_of,
)
from gamemaster.language.terms import Compound, Symbol, Term, variables_of
from gamemaster.metagame.embedding import match
from gamemaster.metagame.meaning import Meaning

__all__ = ["LIMITS", "ground_rules"]

LIMITS = GroundLimits(seconds=20.0, megabytes=1_000, rules=200_000)

HELPER = re.compile(r"h[0-9]+\Z")
KEPT_FACTS = frozenset(
    {"role", "init", "base", "action", "input", "legal", "next", "goal", "terminal", "sees", "control"}
)


def ground_rules(rules: Rules, limits: GroundLimits = LIMITS) -> Rules:
    """The same game without variables; Unsuitable where that is too much, or not possible."""
    core = lower(rules, in_order=False)
    if any(HELPER.match(name_of(rule.head)) for rule in core.rules):
        raise Unsuitable("the rules have a relation with a name like h1, which grounding uses for its own")
    try:
        program = ground(core if rules.notation == "epilog" else split(core), limits, name_all=True)
    except (LimitExceeded, RulesError) as error:
        raise Unsuitable(f"the rules cannot be grounded: {error}") from None
    if program.thresholds:
        raise Unsuitable("the rules count what holds, which cannot be written without variables")
    sentences = _epilog(rules, program) if rules.notation == "epilog" else _gdl(program)
    return replace(rules, sentences=tuple(dict.fromkeys(sentences)))


def _literals(program: Program, body: list[int]) -> list[Formula]:
    return [
        Atom(program.atoms[literal]) if literal > 0 else Not(Atom(program.atoms[-literal]))
        for literal in body
        if literal not in program.facts
    ]


def _open_rules(program: Program) -> Iterator[tuple[int, list[int]]]:
    """The rules on which something depends: their heads do not always hold, and their bodies may."""
    for head, body in program.rules():
        if head not in program.facts and all(-literal not in program.facts for literal in body):
            yield head, body


def _facts(program: Program, kept: frozenset[str]) -> Iterator[Rule]:
    """What always holds; of relations that only rules ask about, nothing is left to ask."""
    for number, atom in program.atoms.items():
        if number in program.facts and name_of(atom) in kept:
            yield Rule(atom)


def _gdl(program: Program) -> Iterator[Rule]:
    yield from _facts(program, KEPT_FACTS)
    for head, body in _open_rules(program):
        yield Rule(program.atoms[head], tuple(_literals(program, body)))


def _epilog(rules: Rules, program: Program) -> Iterator[Sentence]:
    meaning = Meaning(rules)
    words = {_fresh(word, meaning.views): word for word in EFFECT_WORDS}
    writer = _GroundWriter(program, words)
    yield from _facts(program, KEPT_FACTS - {"legal", "next", "input"})
    sentences = list(writer.sentences())
    yield from sentences
    # An operation whose handlers never do anything must keep one: without any it would add itself.
    handled = {s.operation for s in sentences if isinstance(s, Handler)}
    for atom in program.atoms.values():
        if not isinstance(atom, Compound):
            continue
        is_move = words.get(name_of(atom)) == "happens" and atom[1] not in handled
        if is_move and any(_is_instance(atom[1], handler.operation) for handler in rules.handlers):
            yield Handler(atom[1], (Atom(Symbol("false")),), (Atom(atom[1]),))


def _is_instance(operation: Term, general: Term) -> bool:
    return match(general, operation, set(variables_of(general)), {}) is not None


def _fresh(word: str, taken: frozenset[str]) -> str:
    """The name that lowering gives to a relation of its own."""
    while word in taken:
        word += "_"
    return word


@dataclass(frozen=True)
class _GroundWriter:
    """Ground core rules -> Epilog sentences. `words` maps names of lowering's own relations to what they are."""

    program: Program
    words: dict[str, str]

    def sentences(self) -> Iterator[Sentence]:
        """Views, legal moves and handlers."""
        program = self.program
        for number in sorted(program.facts):
            atom = program.atoms.get(number)
            if isinstance(atom, Compound) and self.words.get(atom[0]) == "allowed":
                yield Rule(Compound(("legal", atom[1])))
        for head, body in _open_rules(program):
            yield from self.sentence(program.atoms[head], _literals(program, body))

    def sentence(self, head: Any, body: list[Formula]) -> Iterator[Sentence]:
        """The sentence of a ground rule, if the sheet needs one for it."""
        word = self.words.get(name_of(head))
        if relation_of(head) in {("legal", 2), ("next", 1), ("input", 2)} or word == "handled":
            return  # lowering makes these again
        operations: list[Any] = [
            part.term[1]
            for part in body
            if isinstance(part, Atom) and self.words.get(name_of(part.term)) == "happens"
        ]
        parts = tuple(new for part in body if (new := self.part(part)) is not None)
        if word == "allowed":
            yield Rule(Compound(("legal", head[1])), parts)
        elif word in ("added", "deleted", "happens"):
            if operations and not (word == "added" and operations[0] == head[1]):
                # else it says that a move happens, or that one without a handler adds itself
                effect = Atom(head[1])
                yield Handler(operations[0], parts, (effect if word != "deleted" else Not(effect),))
        else:
            yield Rule(head, parts)

    def part(self, part: Formula) -> Formula | None:
        """A literal in Epilog's words; None for one that an operation's handler need not say."""
        atom: Any = part.body if isinstance(part, Not) else part
        name = name_of(atom.term)
        if self.words.get(name) in ("happens", "handled"):
            return None
        term = atom.term
        if relation_of(term) == ("true", 1):
            term = term[1]
        elif self.words.get(name) == "allowed":
            term = Compound(("legal", term[1]))
        return Not(Atom(term)) if isinstance(part, Not) else Atom(term)
