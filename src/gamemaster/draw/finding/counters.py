"""Game -> what is told beside its boards: whose turn it is, scores, steps, hands; and what is not worth telling.

`control(white)`       whose turn
`score(red,30)`        a number of each role
`step(4)`, `lives(3)`  a number
`pool(p0011)`          things that are on no board yet
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from gamemaster.draw.finding.facts import RelationFacts, are_numbers
from gamemaster.draw.finding.pieces import words_of
from gamemaster.draw.styles.style import CounterStyle
from gamemaster.language.rules import Relation

__all__ = ["TURN", "counter_styles", "hidden_relations"]

MANY = 24
"""More facts than this of one relation at the start are for the rules, not for people."""
TURN = "turn"
"""The label of what says whose turn it is."""
TURN_WORDS = frozenset({"control", "turn", "whoseturn", "mover", "player", "active"})


def counter_styles(
    facts: Iterable[RelationFacts],
    taken: Collection[Relation],
    contents: Collection[str],
    roles: Sequence[str],
) -> Iterator[CounterStyle]:
    """The counters of those relations that are on no board: turns, numbers of roles, other numbers, things."""
    found = [_counter(each, contents, roles) for each in facts if each.relation not in taken]
    yield from sorted((counter for counter in found if counter), key=lambda counter: counter.label != TURN)


def _counter(each: RelationFacts, contents: Collection[str], roles: Sequence[str]) -> CounterStyle | None:
    name, arity = each.relation
    of_roles = [bool(values) and set(values) <= set(roles) for values in each.values]
    if arity == 1 and of_roles[0]:
        is_turn = "control" in name or bool(TURN_WORDS & set(words_of(name)))
        is_turn = is_turn and not name.startswith(("last", "prev"))
        return CounterStyle(each.relation, TURN if is_turn else _label(name), role=(0,))
    if arity == 1 and each.is_number and len(each.initial) <= 1:
        return CounterStyle(each.relation, _label(name), value=(0,))
    if arity == 1 and each.values[0] and set(each.values[0]) <= set(contents):
        return CounterStyle(each.relation, _label(name), content=((0,),))
    if arity == 1 and len(each.initial) == 1 and each.is_function:
        return CounterStyle(each.relation, _label(name), value=(0,))
    if arity == 2 and (of_roles[0] or (each.values[0] and set(each.values[0]) <= set(contents))):
        return _of_role(each, contents)
    if arity == 3 and of_roles[0] and are_numbers(each.values[2]):
        return CounterStyle(each.relation, _label(name), role=(0,), content=((1,),), count=(2,))
    return None


def _of_role(each: RelationFacts, contents: Collection[str]) -> CounterStyle:
    """What a role has: a thing, as they lie on the board; else a number or a word."""
    if set(each.values[1]) <= set(contents) and each.values[1]:
        return CounterStyle(each.relation, _label(each.relation[0]), role=(0,), content=((1,),))
    return CounterStyle(each.relation, _label(each.relation[0]), role=(0,), value=(1,))


def _label(name: str) -> str:
    return " ".join(words_of(name)) or name


def hidden_relations(facts: Iterable[RelationFacts], taken: Collection[Relation]) -> frozenset[Relation]:
    """The relations on no board that have more facts than anybody would read."""
    return frozenset(
        each.relation for each in facts if each.relation not in taken and len(each.initial) > MANY
    )
