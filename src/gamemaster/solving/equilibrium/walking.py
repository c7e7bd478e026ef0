"""Many states of a game a step further at once: in lanes where it is compiled, else state by state.

    look    states -> which are over and with which goals, and the legal moves of each role
    step    states, a move of each role -> the states after, and what each role saw

Moves of a role are numbers, indices of `moves`; percepts are numbers that mean something within one step only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gamemaster.language.terms import Compound, Symbol, Term
from gamemaster.machine.artifact import points
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game, State

__all__ = ["NO_MOVE", "Looked", "Percepts", "Stepped", "Walker", "identify", "walker_of"]

NO_MOVE = -1
CHUNK = 1 << 15
"""States whose bits are spread out at a time."""

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[Any]
"""States [states, bytes], or [states] as objects."""


class Looked(NamedTuple):
    """What states are, N of them; R is the number of roles."""

    is_over: npt.NDArray[np.bool_]  # bool[N]
    goals: Ints  # int64[N, R]: what no role gets counts as 0
    counts: Ints  # int64[N, R]: how many legal moves a role has
    moves: tuple[Ints, ...]  # of each role, those of all states in order
    sets: tuple[
        npt.NDArray[Any], ...
    ]  # of each role int64[N]: a number for its legal moves, the same for the same moves


class Percepts(NamedTuple):
    """What a role saw in each of many steps: the numbers of some of these sets."""

    numbers: Ints  # int64[N]
    sets: tuple[frozenset[Term], ...]


class Stepped(NamedTuple):
    """States after a step, and what each role saw."""

    rows: Rows
    percepts: tuple[Percepts, ...]


class Walker(Protocol):
    """A game for many states at a time."""

    row_bytes: int
    """About how much memory a state takes."""

    lot: int
    """So many states take about as long as one."""

    @property
    def moves(self) -> Sequence[Sequence[Term]]:
        """Of each role."""

    def begin(self, state: State) -> Rows:
        """One state."""

    def look(self, rows: Rows) -> Looked:
        """What states are."""

    def step(self, rows: Rows, made: Ints) -> Stepped:
        """The states after moves int64[N, R], NO_MOVE where a role has none."""

    def columns(self, rows: Rows) -> list[Ints]:
        """Numbers that tell states apart."""

    def state_of(self, rows: Rows, number: int, step: int) -> State:
        """One of the states."""


def walker_of(game: Game) -> Walker:
    """What walks through a game."""
    return StateWalker(game) if game.compiled is None else LaneWalker(game.compiled)


def identify(columns: Sequence[npt.NDArray[Any]], count: int) -> tuple[Ints, Ints]:
    """A number for each row of some columns, the same for equal rows; and the first row of each number."""
    numbers, firsts = np.zeros(count, np.int64), np.zeros(min(count, 1), np.int64)
    found = 1
    for column in columns:
        if found >= count or (column == column[0]).all():  # sorting takes most of the time
            continue
        keys = column
        if found > 1:
            values, inverse = np.unique(column, return_inverse=True)
            keys = numbers * len(values) + inverse
        keys, firsts, numbers = np.unique(keys, return_index=True, return_inverse=True)
        found = len(keys)
    return numbers, firsts


def _words(packed: npt.NDArray[np.uint8]) -> list[Ints]:
    """Rows of bytes as columns of whole words."""
    wide = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    wide[:, : packed.shape[1]] = packed
    return list(wide.view(np.int64).T)


def _seen_moves(game: Game, moves: Sequence[Sequence[Term]], made: Ints) -> Percepts:
    """What everybody sees where the rules hide nothing: all moves."""
    numbers, firsts = identify(list(made.T), len(made))
    sets = tuple(
        frozenset(
            Compound(("does", Symbol(role), own[move]))
            for role, own, move in zip(game.roles, moves, joint, strict=True)
            if move != NO_MOVE
        )
        for joint in made[firsts].tolist()
    )
    return Percepts(numbers, sets)


class LaneWalker:
    """Rows of bits, in the lanes of the compiled machine."""

    lot = 1_000

    def __init__(self, game: CompiledGame) -> None:
        self.game = game
        self.lanes, self.layout = game.lanes, game.layout
        self.moves = game.layout.moves
        self.row_bytes = game.layout.state_bytes

    def begin(self, state: State) -> Rows:
        """One state."""
        return np.frombuffer(self.game.own(state).bits, np.uint8).reshape(1, -1)

    def look(self, rows: Rows) -> Looked:
        """What states are."""
        parts = [self._look(rows[first : first + CHUNK]) for first in range(0, len(rows), CHUNK)]
        is_over, goals, counts, moves, legal = zip(*parts, strict=True)
        joined = (np.concatenate(own) for own in zip(*legal, strict=True))
        return Looked(
            np.concatenate(is_over),
            np.concatenate(goals),
            np.concatenate(counts),
            tuple(np.concatenate(own) for own in zip(*moves, strict=True)),
            tuple(identify(_words(own), len(rows))[0] for own in joined),
        )

    def _look(self, rows: Rows) -> Looked:
        """The same, with the legal moves as packed bits instead of their numbers."""
        bits = np.unpackbits(self.lanes.observe(rows), axis=1, bitorder="little")
        is_over = bits[:, 0] == 1
        goals = np.zeros((len(rows), len(self.layout.roles)), np.int64)
        for role, place in enumerate(self.layout.goal_bits):
            for number in reversed(range(len(place.terms))):  # the first that holds counts
                held = bits[:, place.start + number] == 1
                goals[held, role] = points(place.terms[number])
        legal = [bits[:, place.slice] * ~is_over[:, None] for place in self.layout.legal_bits]
        counts = np.stack([own.sum(axis=1, dtype=np.int64) for own in legal], axis=1)
        packed = tuple(np.packbits(own, axis=1, bitorder="little") for own in legal)
        return Looked(is_over, goals, counts, tuple(np.nonzero(own)[1] for own in legal), packed)

    def step(self, rows: Rows, made: Ints) -> Stepped:
        """The states after moves, and what each role saw."""
        chunks = range(0, len(rows), CHUNK)
        after = [self._step(rows[i : i + CHUNK], made[i : i + CHUNK]) for i in chunks]
        states, *seen = (np.concatenate(part) for part in zip(*after, strict=True))
        if not self.game.has_percepts:
            percepts = (_seen_moves(self.game, self.moves, made),) * len(self.moves)
        else:
            percepts = tuple(self._percepts(role, own) for role, own in enumerate(seen))
        return Stepped(states, percepts)

    def _step(self, rows: Rows, made: Ints) -> list[Rows]:
        """The states after moves, and the percepts of each role, as bytes."""
        layout, count = self.layout, np.arange(len(rows))
        joint = np.zeros((len(rows), 8 * layout.joint_bytes), np.uint8)
        for role, place in enumerate(layout.move_bits):
            moves = made[:, role] != NO_MOVE
            joint[count[moves], place.start + made[moves, role]] = 1
            if not layout.everybody_moves:
                joint[moves, layout.all_moves + role] = 1
        given = np.concatenate([rows, np.packbits(joint, axis=1, bitorder="little")], axis=1)
        bits = np.unpackbits(self.lanes.advance(given), axis=1, bitorder="little")
        parts = [slice(0, len(layout.facts)), *(place.slice for place in layout.percept_bits)]
        return [np.packbits(bits[:, part], axis=1, bitorder="little") for part in parts]

    def _percepts(self, role: int, seen: Rows) -> Percepts:
        terms = self.layout.percepts[role]
        numbers, firsts = identify(_words(seen), len(seen))
        held = np.unpackbits(seen[firsts], axis=1, bitorder="little", count=len(terms))
        return Percepts(numbers, tuple(frozenset(terms[i] for i in np.flatnonzero(row)) for row in held))

    def columns(self, rows: Rows) -> list[Ints]:
        """The words of the rows."""
        return _words(rows)

    def state_of(self, rows: Rows, number: int, step: int) -> State:
        """One of the states, after so many steps."""
        return self.game.state_of_row(rows[number], step)


class StateWalker:
    """Objects, for games that are not compiled."""

    row_bytes, lot = 1_000, 1

    def __init__(self, game: Game) -> None:
        self.game = game
        self.moves: list[list[Term]] = [[] for _ in game.roles]
        self._numbers: list[dict[Term, int]] = [{} for _ in game.roles]

    def begin(self, state: State) -> Rows:
        """One state."""
        return _objects([state])

    def look(self, rows: Rows) -> Looked:
        """What states are."""
        roles = range(len(self.game.roles))
        is_over = [state.is_terminal for state in rows]
        goals = [[state.goal(role) or 0 for role in self.game.roles] for state in rows]
        legal = [[self._legal(state, role) for role in roles] for state in rows]
        sets: list[dict[tuple[int, ...], int]] = [{} for _ in roles]
        numbers = [[sets[role].setdefault(each[role], len(sets[role])) for each in legal] for role in roles]
        return Looked(
            np.array(is_over, np.bool_),
            np.array(goals, np.int64),
            np.array([[len(own) for own in each] for each in legal], np.int64),
            tuple(np.array([move for each in legal for move in each[role]], np.int64) for role in roles),
            tuple(np.array(own, np.int64) for own in numbers),
        )

    def _legal(self, state: State, role: int) -> tuple[int, ...]:
        if state.is_terminal:
            return ()
        return tuple(sorted(self._number(role, move) for move in state.legal_moves(self.game.roles[role])))

    def _number(self, role: int, move: Term) -> int:
        """The number of a move: moves are known when they are first seen."""
        numbers = self._numbers[role]
        if move not in numbers:
            numbers[move] = len(numbers)
            self.moves[role].append(move)
        return numbers[move]

    def step(self, rows: Rows, made: Ints) -> Stepped:
        """The states after moves, and what each role saw."""
        states: list[State] = []
        seen: list[dict[frozenset[Term], int]] = [{} for _ in self.game.roles]
        numbers = np.zeros(made.shape, np.int64)
        for row, (state, joint) in enumerate(zip(rows, made.tolist(), strict=True)):
            named = zip(self.game.roles, self.moves, joint, strict=True)
            moves = {role: own[move] for role, own, move in named if move != NO_MOVE}
            for role, percepts in enumerate(state.percepts(moves).values()):
                numbers[row, role] = seen[role].setdefault(percepts, len(seen[role]))
            states.append(state.next(moves))
        percepts_of = (Percepts(numbers[:, role], tuple(own)) for role, own in enumerate(seen))
        return Stepped(_objects(states), tuple(percepts_of))

    def columns(self, rows: Rows) -> list[Ints]:
        """A number for each state."""
        numbers: dict[object, int] = {}
        return [np.array([numbers.setdefault(state.key, len(numbers)) for state in rows], np.int64)]

    def state_of(self, rows: Rows, number: int, step: int) -> State:
        """One of the states."""
        state: State = rows[number]
        return state


def _objects(states: Sequence[State]) -> Rows:
    rows = np.empty(len(states), object)
    rows[:] = states
    return rows
