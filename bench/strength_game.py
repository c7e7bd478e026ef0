"""Games of two sides (strength_sides.py): which can be played, from which openings, and how one game goes.

The referee is our state of the working tree. Both sides are told the rules as text, so they play the same game whatever
the library was like at their commit.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from pairing import Played
from strength_sides import PATIENCE, Declined, Failed, Side, Who

import gamemaster as gm
from gamemaster.arena.outcomes import points
from gamemaster.language.terms import Term
from gamemaster.load import source_of
from gamemaster.machine.game import Game, State
from gamemaster.search.budget import Budget
from gamemaster.search.suitable import is_native

__all__ = ["NotForTwo", "Opening", "Table", "Terms", "check_game", "opening"]

TRIES = 30
"""So many openings are drawn before one is taken that seems decided."""

PROOF_NODES = 20_000
"""An opening is decided if alpha-beta proves who wins in so many states."""

MOST_STEPS = 1000
"""A game that is longer is a draw."""

SAMPLE, SAMPLE_STEPS = 8, 100
"""Random games, and steps of each, in which roles are looked for that choose at once."""


class NotForTwo(Exception):
    """A game that is no game of two who take turns, both of whom see all."""


@dataclass(frozen=True)
class Opening:
    """A state to begin from, and the moves that led there."""

    state: State
    moves: tuple[Term, ...] = ()


def check_game(game: Game) -> None:
    """NotForTwo where the game cannot be played here, with the reason."""
    kind, why = game.kind, ""
    if kind.has_chance or kind.has_hidden_information:
        why = "chance has a part in it" if kind.has_chance else "it hides its state (see bench/hidden.py)"
    elif kind.roles != 2:
        why = f"it has {kind.roles} roles"
    elif kind.turns == "simultaneous" or _chooses_at_once(game):
        why = "both choose at once (see bench/joint.py)"
    if why:
        raise NotForTwo(f"{game.name}: {why}; only games of two roles that take turns are played here")


def _chooses_at_once(game: Game) -> bool:
    generator = random.Random(0)
    for _ in range(SAMPLE):
        state = game.initial_state()
        while not state.is_over and state.step < SAMPLE_STEPS:
            if len(state.choosers) > 1:
                return True
            state = state.next(state.random_moves(generator))
    return False


# Openings


def opening(game: Game, plies: int, seed: str) -> Opening:
    """A state some random moves from the start, not over, and if one is found in time one that is not decided."""
    generator, found = random.Random(seed), Opening(game.initial_state())
    for _ in range(TRIES if plies else 0):
        drawn = _drawn(game, plies, generator)
        if drawn.state.is_over:
            continue
        found = drawn
        if not _is_decided(drawn.state):
            break
    return found


def _drawn(game: Game, plies: int, generator: random.Random) -> Opening:
    state, moves = game.initial_state(), list[Term]()
    while state.step < plies and not state.is_over:
        joint = state.random_moves(generator)
        moves.append(joint[_mover(state)])
        state = state.next(joint)
    return Opening(state, tuple(moves))


def _mover(state: State) -> str:
    """The role whose move it is; NotForTwo where it is both's."""
    if state.chooser is None:
        raise NotForTwo(f"{state.game.name}: both choose at once in step {state.step} (see bench/joint.py)")
    return state.chooser


def _is_decided(state: State) -> bool:
    """Whether a moment of alpha-beta proves how the game ends."""
    if not is_native(state.game):
        return False
    from gamemaster.search.native.solver import solve

    return solve(state, _mover(state), Budget(nodes=PROOF_NODES)).is_proven


# A game


@dataclass(frozen=True)
class Terms:
    """Under what terms games of a table are played; `seconds` and `startclock` are CPU seconds."""

    seconds: float
    startclock: float
    restarts: bool
    opening: int
    seed: int


class Table:
    """Two sides and a game: its name here, and in the library or as a path. NotForTwo where it cannot be played.

    Processes are started when they are first needed, and stay for all games.
    """

    def __init__(self, name: str, rules: str, whos: tuple[Who, Who], terms: Terms, core: int) -> None:
        self.game, self.text = gm.load(rules), source_of(rules).text
        self.name, self.whos, self.terms, self.core = name, whos, terms, core
        check_game(self.game)
        self._sides: list[Side | None] = [None, None]

    def play(self, number: int) -> Played:
        """One game: in even numbers the player has the first role, in odd ones the opponent; pairs begin alike."""
        begun = opening(self.game, self.terms.opening, f"{self.terms.seed} {self.name} {number // 2}")
        state, moves = begun.state, list(begun.moves)
        played, own = Played(number, 0.0), number % 2
        seconds, count = [0.0, 0.0], [0, 0]
        try:
            for side in (0, 1):
                self._start(side, self._role(side, own), number)
            while not state.is_over and state.step < MOST_STEPS:
                mover = _mover(state)
                side = 0 if mover == self.game.roles[own] else 1
                legal = state.legal_moves(mover)
                move = legal[0]
                if len(legal) > 1:
                    move, spent = self._asked(side, state, moves)
                    seconds[side] += spent
                    count[side] += 1
                moves.append(move)
                state = state.next(_joint(state, mover, move))
        except _Lost as lost:
            played.points = float(lost.side)
            played.fault = str(lost)
        else:
            played.points = _points(state, self.game.roles[own], self.game.roles[1 - own])
        played.seconds, played.moves = (seconds[0], seconds[1]), (count[0], count[1])
        return played

    def close(self) -> None:
        """End both processes."""
        for number in (0, 1):
            self._leave(number)

    def _role(self, side: int, own: int) -> str:
        return self.game.roles[own if side == 0 else 1 - own]

    def _start(self, number: int, role: str, game: int) -> None:
        """Have the player of a side ready for a role."""
        terms, seed = self.terms, self.terms.seed * 1_000_003 + game * 1_009 + number
        try:
            side = self._sides[number]
            if side is None:
                side = self._sides[number] = Side(self.whos[number], self.core)
                side.load(self.name, self.text, self.game.sheet.notation, terms.seconds, seed)
            side.start(role, terms.startclock, seed, anew=terms.restarts)
        except Declined as error:
            raise Declined(f"{self.whos[number].title} cannot play {self.name}: {error}") from error
        except Failed as error:
            raise self._lost(number, f"before the first move: {error}") from error

    def _asked(self, number: int, state: State, moves: Sequence[Term]) -> tuple[Term, float]:
        """The move of a side, and what it took; a side that computes unasked pays for that, too."""
        mover, side = _mover(state), self._sides[number]
        assert side is not None
        legal = state.legal_moves(mover)
        told = {"facts": list(map(str, state.ordered_facts)), "step": state.step, "role": mover}
        told |= {"moves": list(map(str, moves)), "legal": list(map(str, legal))}
        try:
            answer = side.ask("think", PATIENCE * (1 + self.terms.seconds), **told)
        except Failed as error:
            raise self._lost(number, f"at step {state.step}: {error}") from error
        for move in legal:
            if str(move) == answer["move"]:
                return move, answer["seconds"] + answer["idle"]
        raise self._lost(number, f"at step {state.step}: {answer['move']} is not a legal move")

    def _lost(self, number: int, why: str) -> _Lost:
        """A side has lost; its process is not used any more."""
        self._leave(number)
        return _Lost(number, f"{self.whos[number].title} {why}")

    def _leave(self, number: int) -> None:
        side, self._sides[number] = self._sides[number], None
        if side is not None:
            side.close()


class _Lost(Exception):
    """A side has lost before the end."""

    def __init__(self, side: int, why: str) -> None:
        super().__init__(why)
        self.side = side
        """Which is also what the player gets: nothing where it is the player's, a point where it is the other's."""


def _joint(state: State, mover: str, move: Term) -> dict[str, Term]:
    """The joint move in which all others make their only one."""
    return {role: state.legal_moves(role)[0] for role in state.movers} | {mover: move}


def _points(state: State, own: str, other: str) -> float:
    """What the player gets of the point; half of it where the game has no end."""
    return points(state.goal(own) or 0, state.goal(other) or 0) if state.is_terminal else 0.5
