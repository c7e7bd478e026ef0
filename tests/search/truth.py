"""What positions are really worth, by looking at everything that can happen: what proofs of searches are held against.

Written by the rules of the vocabulary alone and with nothing of the searches: a state is worth its goal where it is
terminal, nothing where the rules give none or nobody can move. `Truth` knows a game from a state on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import gamemaster as gm
from gamemaster.language.terms import Term

RANDOM = "random"


class TooLarge(Exception):
    """There is more to look at than a test should."""


@dataclass(frozen=True)
class Place:
    """A state: who chooses there, and where each move leads; without `after`, what each role gets at an end."""

    mover: str | None
    after: dict[Term, gm.State]
    goals: dict[str, float]


def place_of(state: gm.State) -> Place:
    """A state looked at; refuses steps in which several choose."""
    roles = state.game.roles
    if state.is_terminal:
        return Place(None, {}, {role: float(state.goal(role) or 0) for role in roles})
    legal = {role: state.legal_moves(role) for role in roles if state.legal_moves(role)}
    if not legal:
        return Place(None, {}, dict.fromkeys(roles, 0.0))
    choosers = [role for role, moves in legal.items() if len(moves) > 1]
    assert len(choosers) < 2, f"several choose at once in {state}"
    mover = choosers[0] if choosers else next(iter(legal))
    forced = {role: moves[0] for role, moves in legal.items()}
    return Place(mover, {move: state.next({**forced, mover: move}) for move in legal[mover]}, {})


class Truth:
    """All that can happen from a state on."""

    def __init__(self, state: gm.State, most: int = 3_000) -> None:
        self.places: dict[gm.State, Place] = {}
        todo = [state]
        while todo:
            here = todo.pop()
            if here in self.places:
                continue
            if len(self.places) >= most:
                raise TooLarge
            self.places[here] = place_of(here)
            todo += self.places[here].after.values()

    def against_all(self, role: str) -> dict[gm.State, tuple[float, float]]:
        """What a role can be sure of whatever the others do, chance apart, which is fair.

        The least, where play without end is worth nothing, and the most, where it is worth 100.
        """
        low, high = self._settled(role, 0.0), self._settled(role, 100.0)
        return {state: (low[state], high[state]) for state in self.places}

    def whatever_others_do(self, role: str) -> dict[gm.State, tuple[float, float]]:
        """The least and the most that a role can come by, as others like."""
        low, high = self._settled(role, 0.0), self._settled(role, 100.0, with_friends=True)
        return {state: (low[state], high[state]) for state in self.places}

    def _settled(self, role: str, endless: float, *, with_friends: bool = False) -> dict[gm.State, float]:
        values = dict.fromkeys(self.places, endless)
        changed = True
        while changed:
            changed = False
            for state, place in reversed(self.places.items()):
                value = self._worth(place, role, values, with_friends)
                changed |= value != values[state]
                values[state] = value
        return values

    def _worth(self, place: Place, role: str, values: dict[gm.State, float], with_friends: bool) -> float:
        if not place.after:
            return place.goals[role]
        children = [values[after] for after in place.after.values()]
        if place.mover == RANDOM:
            return sum(children) / len(children)
        return max(children) if place.mover == role or with_friends else min(children)

    # Everybody for itself: for games without circles

    def in_order(self) -> Iterator[tuple[gm.State, Place]]:
        """The places, each after all that can follow it."""
        done: set[gm.State] = set()
        for first in self.places:
            stack = [(first, False)]
            while stack:
                state, is_ready = stack.pop()
                if is_ready:
                    yield state, self.places[state]
                elif state not in done:
                    done.add(state)
                    stack.append((state, True))
                    stack += [(after, False) for after in self.places[state].after.values()]

    def max_n(self, role: str) -> dict[gm.State, dict[str, float]]:
        """What each role gets if everybody plays for itself.

        Whoever does not care takes the worst for one role, then for the others in their order.
        """
        found: dict[gm.State, dict[str, float]] = {}
        for state, place in self.in_order():
            children = [found[after] for after in place.after.values()]
            if not children or place.mover is None:
                found[state] = place.goals
                continue
            others = [each for each in (role, *state.game.roles) if each != place.mover]
            found[state] = max(children, key=partial(_rank, place.mover, others))
        return found


def _rank(mover: str, others: list[str], goals: dict[str, float]) -> tuple[float, ...]:
    return goals[mover], *(-goals[other] for other in others)


def endgames(game: gm.Game, count: int, seed: int, most: int = 200) -> list[tuple[gm.State, Truth]]:
    """Positions of random games, some plies from the end, of which all that can happen is looked at."""
    generator = random.Random(seed)
    found: list[tuple[gm.State, Truth]] = []
    while len(found) < count:
        path = [game.initial_state()]
        while not path[-1].is_terminal and path[-1].movers:
            path.append(_long_step(path[-1], generator))
        late = None
        for plies in range(2, min(len(path), generator.randrange(3, 10)) + 1):
            try:
                late = path[-plies], Truth(path[-plies], most)
            except TooLarge:
                break
        found += [late] if late is not None else []
    return found


def _long_step(state: gm.State, generator: random.Random) -> gm.State:
    """A move at random, one that does not end the game if there is any: few are left at the end of a long game."""
    afters = [state.next(state.random_moves(generator)) for _ in range(4)]
    return next((after for after in afters if not after.is_terminal), afters[0])


# Games made up at random


@dataclass(frozen=True)
class Graph:
    """What a game made up at random is like.

    `waits`: whoever is not to move has one move all the same. `ends`: how often the game is over in a place. `goals`:
    what a place may be worth; the fewer there are, the more often somebody does not care.
    """

    roles: tuple[str, ...]
    is_cyclic: bool = False
    is_duel: bool = False
    with_chance: bool = False
    waits: bool = True
    ends: float = 0.12
    places: int = 200
    goals: tuple[int, ...] = (0, 0, 30, 50, 70, 100, 100)


RULES = (
    "init(at(0))",
    "legal(R,go(K)) :- true(at(N)) & turn(N,R) & edge(N,K,M)",
    "next(at(M)) :- true(at(N)) & turn(N,R) & does(R,go(K)) & edge(N,K,M)",
    "terminal :- true(at(N)) & last(N)",
    "goal(R,V) :- true(at(N)) & pays(N,R,V)",
)
WAITING = "legal(R,wait) :- role(R) & true(at(N)) & turn(N,S) & distinct(R,S)"
FARTHEST = 12
"""Moves lead so far ahead at most: ways meet again and again."""


def graph_game(graph: Graph, seed: int) -> gm.Game:
    """A game on a graph: every place has goals, or none, whether the game is over there or not."""
    generator = random.Random(seed)
    roles = [*graph.roles, RANDOM] if graph.with_chance else [*graph.roles]
    lines = [*RULES, *(f"role({role})" for role in roles), *([WAITING] if graph.waits else [])]
    for place in range(graph.places):
        lines += _pays(generator, graph, place)
        is_early, is_late = place <= FARTHEST, place >= graph.places - FARTHEST
        if is_late or (generator.random() < graph.ends and not is_early):
            is_dead_end = generator.random() < 0.03 and not graph.is_duel
            lines += [] if is_dead_end else [f"last({place})"]
        else:
            lines += [f"turn({place},{generator.choice(roles)})", *_edges(generator, graph, place)]
    return gm.parse("\n".join(lines), dialect="hrf")


def _pays(generator: random.Random, graph: Graph, place: int) -> list[str]:
    """What everybody has in a place: often 100 where the game goes on; nothing here and there."""
    pays = {role: generator.choice(graph.goals) for role in graph.roles}
    if graph.is_duel:
        pays[graph.roles[1]] = 100 - pays[graph.roles[0]]
    elif generator.random() < 0.1:
        pays = {}
    return [f"pays({place},{role},{value})" for role, value in pays.items()]


def _edges(generator: random.Random, graph: Graph, place: int) -> list[str]:
    """Where the moves lead: ahead; in a cyclic game some lead back."""
    lines = []
    for number in range(3 if place <= FARTHEST else generator.choice((1, 2, 2, 3))):
        is_back = graph.is_cyclic and place > FARTHEST and generator.random() < 0.15
        step = generator.randrange(1, FARTHEST)
        lines.append(f"edge({place},{number},{place - step if is_back else place + step})")
    return lines
