"""Relations that pile things up -> a board of towers: `on(a,b)`, `table(b)`; what is clear is seen, and not told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gamemaster.draw.boards.shape import Row
from gamemaster.draw.finding.facts import RelationFacts, natural
from gamemaster.draw.finding.pieces import words_of
from gamemaster.draw.styles.style import BoardStyle, Layer
from gamemaster.language.rules import Relation

__all__ = ["FoundTowers", "towers"]

ON_WORDS = frozenset({"on", "above", "over", "atop"})
GROUND_WORDS = frozenset({"table", "ontable", "ground", "floor"})
CLEAR_WORDS = frozenset({"clear", "free", "top"})
MOST = 26


@dataclass(frozen=True)
class FoundTowers:
    """Boards of towers, and the relations that say nothing more."""

    boards: tuple[BoardStyle, ...]
    notes: frozenset[Relation]


def towers(facts: Sequence[RelationFacts]) -> FoundTowers:
    """The boards of those relations that say which thing lies on which."""
    boards: list[BoardStyle] = []
    notes: set[Relation] = set()
    for each in facts:
        if _is_on(each):
            beside = [other for other in facts if _is_beside(each, other)]
            ground = [other for other in beside if GROUND_WORDS & _words(other)]
            boards.append(_board(each, ground))
            notes |= {other.relation for other in beside if CLEAR_WORDS & _words(other)}
    return FoundTowers(tuple(boards), frozenset(notes))


def _sorted(names: Iterable[str]) -> Row:
    return tuple(sorted(names, key=natural))


def _words(each: RelationFacts) -> set[str]:
    return set(words_of(each.relation[0]))


def _is_on(each: RelationFacts) -> bool:
    """Whether things lie on things, each on one."""
    if each.relation[1] != 2 or not each.is_function or not ON_WORDS & _words(each):
        return False
    return bool(set(each.values[0]) & set(each.values[1])) and 2 <= len(each.values[0]) <= MOST


def _is_beside(on: RelationFacts, other: RelationFacts) -> bool:
    """Whether a relation is about the same things; of several games in one, on1 goes with table1."""
    numbers = [{word for word in _words(each) if word.isdecimal()} for each in (on, other)]
    is_about = other.relation[1] == 1 and bool(set(other.values[0]) & {*on.values[0], *on.values[1]})
    return is_about and numbers[0] == numbers[1]


def _board(on: RelationFacts, ground: Sequence[RelationFacts]) -> BoardStyle:
    """A column for each base, or for each thing that may stand on the ground; a row for each height."""
    grounded = {thing for each in ground for thing in each.values[0]}
    things = _sorted({*on.values[0], *grounded})
    bases = _sorted({*on.values[1]} - {*things})
    return BoardStyle(
        layers=(
            *(Layer(each.relation, at=((0,),), content=((0,),), key=("1",)) for each in ground),
            Layer(on.relation, at=((0,),), content=((0,),), under=(1,)),
        ),
        title=on.relation[0],
        row=1,
        column=0,
        rows=tuple(str(level + 1) for level in range(len(things))),
        columns=bases or things,
        counts_up=True,
        contents=things,
        grows=False,
    )
