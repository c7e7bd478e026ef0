"""Game -> for each relation of its states: which facts there are at the start, which values its arguments can have."""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from gamemaster.draw.boards.shape import Row, plain_text
from gamemaster.draw.finding.possible import PossibleFacts, possible_facts
from gamemaster.language.rules import Atom, Relation, Rule, relation_of
from gamemaster.language.terms import Compound, Term, Variable
from gamemaster.machine.game import Game

__all__ = ["RelationFacts", "are_numbers", "kept_relations", "natural", "relation_facts"]

MOST_VALUES = 400
"""More values than this are no places."""


_kept: weakref.WeakKeyDictionary[Game, set[Relation]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class RelationFacts:
    """What is known of the facts of a relation."""

    relation: Relation
    initial: tuple[Row, ...]
    """The arguments of its facts at the start."""
    values: tuple[Row, ...]
    """What can stand in each argument, in order."""

    is_kept: bool = False
    """Whether what holds may hold on: a rule takes its facts from one state to the next."""

    @cached_property
    def is_function(self) -> bool:
        """Whether the last argument is one for each of the others, as far as the start says."""
        firsts = [row[:-1] for row in self.initial]
        return len(set(firsts)) == len(firsts)

    @property
    def is_number(self) -> bool:
        """Whether its only argument counts something."""
        return self.relation[1] == 1 and are_numbers(self.values[0])


def relation_facts(game: Game) -> list[RelationFacts]:
    """What is known of each relation, in the order in which the rules speak of them."""
    possible = possible_facts(game)
    declared = _by_relation(possible.declared)
    initial = _by_relation(possible.initial)
    kept = kept_relations(game)
    return [
        RelationFacts(
            relation,
            tuple(initial.get(relation, ())),
            _values(
                possible if relation not in declared else None,
                relation,
                [*declared.get(relation, ()), *initial.get(relation, ())],
            ),
            relation in kept,
        )
        for relation in possible.relations
    ]


def kept_relations(game: Game) -> set[Relation]:
    """The relations with a rule that says of a fact that it holds next if it holds; a rule may say so of all."""
    if game not in _kept:
        _kept[game] = _find_kept(game)
    return _kept[game]


def _find_kept(game: Game) -> set[Relation]:
    kept = [rule.head[1] for rule in game.rules.rules if _is_frame(rule)]
    if any(isinstance(fact, Variable) for fact in kept):
        return set(possible_facts(game).relations)
    return set(map(relation_of, kept))


def _is_frame(rule: Rule) -> bool:
    if not isinstance(rule.head, Compound) or rule.head[0] != "next" or len(rule.head) != 2:
        return False
    held = Compound(("true", rule.head[1]))
    return any(isinstance(part, Atom) and part.term == held for part in rule.body)


def _by_relation(facts: Iterable[Term]) -> dict[Relation, list[Row]]:
    found: dict[Relation, list[Row]] = {}
    for fact in facts:
        row = tuple(map(plain_text, fact[1:])) if isinstance(fact, Compound) else ()
        found.setdefault(relation_of(fact), []).append(row)
    return found


def _values(possible: PossibleFacts | None, relation: Relation, rows: list[Row]) -> tuple[Row, ...]:
    """What stands in each argument of some facts, and what the rules allow there; where base declares, it says all."""
    name, arity = relation
    columns: list[set[str]] = [{row[column] for row in rows} for column in range(arity)]
    for column, values in enumerate(columns):
        values |= possible.domains.get((name, arity, column), set()) if possible else set()
    return tuple(
        tuple(sorted(values, key=natural)) if len(values) <= MOST_VALUES else () for values in columns
    )


def natural(text: str) -> list[tuple[int, str]]:
    """Sorts p2 before p10."""
    return [(len(number), number or word) for number, word in re.findall(r"([0-9]+)|([^0-9]+)", text)]


def are_numbers(values: Iterable[str]) -> bool:
    """Whether all are numbers, or one letter and a number: 12, s12."""
    return all(re.match(r"[a-z]?-?[0-9]+\Z", value) for value in values)
