"""Pairs of histories that a role cannot tell apart: own moves and percepts are the same in every step.

One history is a random game, cut off somewhere. The other is played with the same moves of the role; what the others
and chance do is drawn until the role sees the same, step by step.
"""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from gamemaster.games import entry, find_rules, game_names
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State

__all__ = ["History", "Pair", "first_leak", "hidden_games", "pairs"]

LONGEST = 40
TRIES_A_STEP = 24
TRIES_A_PAIR = 60
"""How many steps a history has at most, how often a joint move is drawn that fits, and how often another history."""


SEES = re.compile(r"^\s*sees\(|\(\s*sees\s", re.MULTILINE)


def hidden_games() -> list[str]:
    """The games of the library that hide their state, as their rules say; and variants of others that do."""
    names = []
    for name in game_names():
        if SEES.search(find_rules(name).read_text()):
            names.append(name)
        else:
            hiding = (each.name for each in entry(name).variants if SEES.search(each.facts))
            names += [f"{name}:{variant}" for variant in hiding]
    return names


@dataclass(frozen=True)
class History:
    """Joint moves from the start, and the states in which they were made; `state` is where they led."""

    states: tuple[State, ...]
    moves: tuple[dict[str, Term], ...]
    state: State

    def __str__(self) -> str:
        return " / ".join(" ".join(f"{role}:{move}" for role, move in each.items()) for each in self.moves)


@dataclass(frozen=True)
class Pair:
    """Two histories that a role cannot tell apart."""

    role: str
    one: History
    other: History

    def __str__(self) -> str:
        return f"{self.role} cannot tell apart\n  {self.one}\n  {self.other}"


def pairs(game: Game, count: int, seed: int = 0) -> Iterator[Pair]:
    """So many pairs, for each role in turn; a role for which none is found, as it knows everything, is left out."""
    generator = random.Random(seed)
    roles = [role for role in game.roles if role != RANDOM]
    found = 0
    while roles and found < count:
        for role in tuple(roles):
            pair = _pair(game, role, generator)
            if pair is None:
                roles.remove(role)
            elif found < count:
                found += 1
                yield pair


def _pair(game: Game, role: str, generator: random.Random) -> Pair | None:
    for _ in range(TRIES_A_PAIR):
        one = _played(game, generator)
        other = _twin(game, role, one, generator)
        if other is not None and other.state != one.state:
            return Pair(role, one, other)
    return None


def _played(game: Game, generator: random.Random) -> History:
    """A random game, cut off before its end."""
    states, moves, state = list[State](), list[dict[str, Term]](), game.initial_state()
    while not state.is_over and len(moves) < LONGEST:
        states.append(state)
        moves.append(dict(state.random_moves(generator)))
        state = state.next(moves[-1])
    lengths = [number for number, each in enumerate(states) if number and _can_wait(each)] or [0]
    length = generator.choice(lengths)
    return History(tuple(states[:length]), tuple(moves[:length]), states[length])


def _twin(game: Game, role: str, one: History, generator: random.Random) -> History | None:
    """Another history in which a role does and sees the same; None where none was found."""
    states, moves, state = list[State](), list[dict[str, Term]](), game.initial_state()
    for before, made in zip(one.states, one.moves, strict=True):
        if state.is_over:
            return None
        joint = _fitting(state, role, made.get(role), before.percepts(made)[role], generator)
        if joint is None:
            return None
        states.append(state)
        moves.append(joint)
        state = state.next(joint)
    return None if state.is_over or not _can_wait(state) else History(tuple(states), tuple(moves), state)


def _can_wait(state: State) -> bool:
    """Whether somebody but chance is to move: a match can be held there."""
    return any(role != RANDOM for role in state.movers)


def _fitting(
    state: State, role: str, own: Term | None, seen: frozenset[Term], generator: random.Random
) -> dict[str, Term] | None:
    """A joint move with a role's own move in it, of which it sees just that."""
    legal = state.legal_moves(role)
    if (own is None) != (not legal) or (own is not None and own not in legal):
        return None
    for _ in range(TRIES_A_STEP):
        joint = dict(state.random_moves(generator))
        if own is not None:
            joint[role] = own
        if state.percepts(joint)[role] == seen:
            return joint
    return None


def first_leak(game: Game, found: Iterable[Pair], shown: Callable[[Game, str, History], str]) -> str:
    """The first pair that what is shown to its role tells apart, and by what; "" where there is none."""
    for pair in found:
        one, other = (shown(game, pair.role, history) for history in (pair.one, pair.other))
        if one != other:
            told = difflib.unified_diff(one.splitlines(), other.splitlines(), lineterm="", n=0)
            return "\n".join([str(pair), *told])
    return ""
