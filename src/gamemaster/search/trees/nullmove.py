"""Passing: a legal move that does nothing else, or else a state in which the turn is another role's.

Facts about whose turn it is and how many steps were made change whatever one does. A move that changes these and
nothing else passes the turn: what it changes is a proper part of what every other move changes. This asks nothing of
names; `noop`, `pass` and `kerchunk` are all found.

Where the rules have no such move the turn itself is handed on. The *marks* of a role are the facts that held in all
states of some random games in which it was to move, and in none in which another role was: `control(x)`, `xsturn`. With
the marks of the next role in their place the same state has another role to move. Nobody can do that: what such a state
is worth is a hint, and proves nothing. Where whose turn it is follows from something else, as from a number of steps,
there are no marks.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from weakref import WeakKeyDictionary

from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.search.budget import Meter
from gamemaster.search.position import Position

__all__ = ["TurnFacts", "find_pass", "turns_of"]

GAMES, LONGEST = 3, 16
"""Random games that are looked through for marks, and how many steps of each."""

FEWEST = 3
"""A role has marks only if it was seen to move in so many different states: of one or two, all facts might be."""

_turns: WeakKeyDictionary[Game, TurnFacts] = WeakKeyDictionary()


def find_pass(position: Position, meter: Meter) -> Term | None:
    """The mover's pass, or None where it has none; costs a node a move."""
    before = position.facts
    changes: dict[Term, frozenset[Term]] = {}
    for move in position.moves:
        meter.node()
        changes[move] = before ^ position.after(move).facts
    if len(changes) < 2:
        return None
    least = min(changes, key=lambda move: len(changes[move]))
    is_pass = all(changes[least] < changed for move, changed in changes.items() if move != least)
    return least if is_pass else None


@dataclass(frozen=True)
class TurnFacts:
    """The marks of each role that has some, and whose turn comes after its own."""

    marks: Mapping[str, frozenset[Term]]
    following: Mapping[str, str]

    def passed(self, state: State) -> State | None:
        """The state with the turn handed on; None where that makes none in which the next role is to move."""
        mover = state.control
        if mover is None or mover not in self.following:
            return None
        heir = self.following[mover]
        kept = [fact for fact in state.ordered_facts if fact not in self.marks[mover]]
        added = sorted(self.marks[heir].difference(kept), key=str)
        after = state.game._state((*kept, *added), state.step)  # they are facts of states: nothing to check
        return None if after.is_terminal or after.control != heir else after


def turns_of(game: Game) -> TurnFacts:
    """What says whose turn it is, found in random games, always the same ones; made once for each game."""
    if game not in _turns:
        _turns[game] = _found(_random_paths(game))
    return _turns[game]


def _random_paths(game: Game) -> list[list[State]]:
    """The states of some random games in which somebody is to move, in order."""
    generator, paths = random.Random(0), []
    for _ in range(GAMES):
        path, state = list[State](), game.initial_state()
        while not state.is_terminal and state.movers and len(path) < LONGEST:
            path.append(state)
            state = state.next(state.random_moves(generator))
        paths.append([each for each in path if each.control is not None])
    return paths


def _found(paths: Sequence[Sequence[State]]) -> TurnFacts:
    seen: dict[str, set[frozenset[Term]]] = {}
    heirs: dict[str, set[str]] = {}
    for path in paths:
        for state, after in zip_longest(path, path[1:]):
            mover = str(state.control)
            seen.setdefault(mover, set()).add(state.facts)
            if after is not None and after.control != mover:
                heirs.setdefault(mover, set()).add(str(after.control))
    marks = {role: _marks(role, seen) for role, states in seen.items() if len(states) >= FEWEST}
    marks = {role: held for role, held in marks.items() if held}
    following = {role: next(iter(others)) for role, others in heirs.items() if len(others) == 1}
    return TurnFacts(
        marks, {role: heir for role, heir in following.items() if role in marks and heir in marks}
    )


def _marks(role: str, seen: Mapping[str, set[frozenset[Term]]]) -> frozenset[Term]:
    """The facts that hold whenever a role is to move, and never when another one is."""
    others = [facts for other, states in seen.items() if other != role for facts in states]
    return frozenset.intersection(*seen[role]) - frozenset().union(*others)
