"""States in the order of play -> where facts vanish, or stand beside each other, though there was always one.

Most facts of a state are the value of something: `cell(1,1,b)` is what the cell 1,1 has, `step(3)` how far play is,
`control(white)` whose turn it is. The last argument is taken for the value, those before it are the key. Where a
relation begins with one value for each of its keys, and play brings no new key, a key without a value is a frame rule
that somebody forgot, and a key with two is an old value that nobody took away. Not so where a move takes the value of
a place that it names and another puts one back: such a place may be empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gamemaster.language.rules import Relation
from gamemaster.language.terms import Compound, Term
from gamemaster.machine.game import RANDOM, State

__all__ = ["CONTROL", "Break", "Watcher"]

Key: TypeAlias = tuple[Term, ...]
Values: TypeAlias = dict[Key, list[Compound]]
Step: TypeAlias = tuple[State, dict[str, Term]]
"""A state, and the joint move that is made in it."""

Kind: TypeAlias = Literal["lost", "double", "nobody", "both"]

CONTROL: Relation = ("control", 1)
ENOUGH_TURNS = 30
"""Steps after which somebody who was never in control is not waiting any more."""


@dataclass(frozen=True, slots=True)
class Break:
    """Where a relation stopped having one value: the facts that it is about, and the step of play that did it.

    lost     the fact has gone, and no other of its key has come
    double   the two facts are of one key
    nobody   the fact said who was in control, and now nothing does
    both     the two facts say that two roles are in control
    """

    kind: Kind
    facts: tuple[Compound, ...]
    path: tuple[Step, ...]

    @property
    def before(self) -> State:
        """The state in which it was still right."""
        return self.path[-1][0]

    @property
    def moves(self) -> tuple[Term, ...]:
        """The moves of the step that did it."""
        return tuple(self.path[-1][1].values())


@dataclass(slots=True)
class _Watched:
    """A relation that began with one value for each key."""

    keys: frozenset[Key]
    now: Values
    changes: int = 0
    has_new_keys: bool = False
    lost: Break | None = None
    taken: Break | None = None
    """Like lost, by a move that names the key."""

    is_refilled: bool = False
    """Whether a key without a value got one again."""

    lost_facts: set[Compound] = field(default_factory=set)
    double: Break | None = None

    @property
    def is_forgotten(self) -> bool:
        """Whether values that change are lost; what ends always with the same one may be a count that is over."""
        is_count = () in self.keys and len(self.lost_facts) == 1
        return self.changes > 0 and not is_count

    @property
    def odd(self) -> Break | None:
        """What is to be told of the relation, if anything."""
        if self.has_new_keys:
            return None
        lost = self.lost or (None if self.is_refilled else self.taken)
        return self.double or (lost if self.is_forgotten else None)


class Watcher:
    """Looks at states one after the other; `breaks` says what was odd in all of them."""

    def __init__(self, start: State) -> None:
        self.start = start
        self.turn: Break | None = None
        self.relations: dict[Relation, _Watched] = {}
        relations = {
            (f[0], len(f) - 1) for f in start.ordered_facts if isinstance(f, Compound) and len(f) > 1
        }
        for relation, values in _values(start, relations).items():
            if all(len(facts) == 1 for facts in values.values()):
                self.relations[relation] = _Watched(frozenset(values), values)
        self.roles = {*start.game.roles}
        turns = self.relations.get(CONTROL)
        self.has_turns = turns is not None and turns.now[()][0][1] in self.roles
        self.had_turns: set[str] = set()
        self.seen_turns = 0

    def begin(self) -> None:
        """A new game begins."""
        for relation, values in _values(self.start, self.relations).items():
            self.relations[relation].now = values

    def see(self, path: Sequence[Step], after: State) -> None:
        """A step of play: the last one of the path, and the state that it leads to."""
        values = _values(after, self.relations)
        is_over = after.is_terminal or (self.has_turns and not values[CONTROL])
        for relation, watched in self.relations.items():
            old, watched.now = watched.now, values[relation]
            if relation == CONTROL and self.has_turns:
                if self.turn is None and not after.is_terminal:
                    self.turn = self._turn(old, watched.now, path, after)
                self.seen_turns += len(path) >= len(self.roles)
                self.had_turns.update(str(fact[1]) for fact in (*old.get((), ()), *watched.now.get((), ())))
            elif not watched.has_new_keys:
                _compare(watched, old, path, is_over=is_over)

    def _turn(self, old: Values, new: Values, path: Sequence[Step], after: State) -> Break | None:
        """Where not one role is in control, while one was before; if some can choose then, they do without turns."""
        had = [fact for fact in old.get((), ()) if fact[1] in self.roles]
        has = [fact for fact in new.get((), ()) if fact[1] in self.roles]
        if len(has) > 1:
            return Break("both", (has[0], has[1]), tuple(path))
        if not had or new or any(len(after.legal_moves(role)) > 1 for role in self.roles):
            return None
        return Break("nobody", (had[0],), tuple(path))

    @property
    def turnless(self) -> list[str]:
        """The roles of Epilog that were never in control; in GDL it is a fact like another, of few steps none knows."""
        is_word = self.start.game.sheet.notation == "epilog"
        if not is_word or not self.has_turns or self.turn or self.seen_turns < ENOUGH_TURNS:
            return []
        return [role for role in self.start.game.roles if role not in self.had_turns and role != RANDOM]

    def breaks(self) -> Iterator[Break]:
        """What was odd; of values that never changed it is not known that they are to stay."""
        if self.turn:  # what else is odd may follow from it
            yield self.turn
            return
        for watched in self.relations.values():
            if odd := watched.odd:
                yield odd


def _values(state: State, relations: set[Relation] | dict[Relation, _Watched]) -> dict[Relation, Values]:
    found: dict[Relation, Values] = {relation: {} for relation in relations}
    for fact in state.ordered_facts:
        if isinstance(fact, Compound) and (values := found.get((fact[0], len(fact) - 1))) is not None:
            values.setdefault(tuple(fact[1:-1]), []).append(fact)
    return found


def _compare(watched: _Watched, old: Values, path: Sequence[Step], *, is_over: bool) -> None:
    """Note what a step did to the values of a relation; where the game or the play by turns is over, they may go."""
    for key, facts in watched.now.items():
        if key not in watched.keys:
            watched.has_new_keys = True
            return
        before = old.get(key, ())
        if len(facts) > 1 and len(before) == 1 and watched.double is None:
            watched.double = Break("double", (facts[0], facts[1]), tuple(path))
        watched.changes += len(facts) == len(before) == 1 and facts != before
        watched.is_refilled = watched.is_refilled or not before
    for key, facts in old.items() if not is_over else ():
        if key not in watched.now:
            _lose(watched, key, Break("lost", (facts[0],), tuple(path)))


def _lose(watched: _Watched, key: Key, found: Break) -> None:
    """Note that a key lost its value, by a move that names it or by one that does not."""
    named = {part for move in found.moves if isinstance(move, tuple) for part in move[1:]}
    if key and named.issuperset(key):
        watched.taken = watched.taken or found
    else:
        watched.lost = watched.lost or found
    watched.lost_facts.update(found.facts)
