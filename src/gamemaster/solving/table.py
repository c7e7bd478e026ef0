"""A table of labels: what every position of a game is worth, and the strategies that follow from it.

    table = gm.solve("tictactoe")
    table.label(state)              goals, distance, T or F
    table.strategy("x")             what x plays, and why
    table.save("tictactoe.labels")  one file, compressed; `load_table` reads it

A table is of one game and knows the positions that can come of the states it was made from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from gamemaster.errors import StateError, StrategyError
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.native.kernels.retrograde import FARTHEST
from gamemaster.solving.labels import NOTHING, Goals, Labels, Shape
from gamemaster.solving.positions import Positions
from gamemaster.solving.strategy import Counsel, after_choice

__all__ = [
    "Book",
    "Entry",
    "Figures",
    "LabelTable",
    "MemoryBook",
    "PositionLabel",
    "TableStrategy",
    "figures_of",
]


class Entry(NamedTuple):
    """What a table holds of a position: code and distance, and what each role can force how soon, where it says so."""

    code: int
    distance: int
    sure: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Figures:
    """A table in numbers. `won`, `lost` and `drawn` are seen by who moves; `positions` are all there are."""

    shape: Shape
    positions: int
    moves: int
    layers: int
    won: int
    lost: int
    drawn: int
    endless: int
    longest: int
    values: Mapping[str, int]
    """How many positions are worth what: the goals of all roles between commas."""

    bytes: float
    """A position, of the table in memory or in its file."""


class Book(Protocol):
    """Where entries are: in memory, or in a file."""

    vectors: tuple[Goals, ...]
    endless: frozenset[int]
    figures: Figures

    def find(self, state: State) -> Entry | None:
        """The entry of a state, None where it has none."""


@dataclass(frozen=True, slots=True)
class PositionLabel:
    """What a position is worth with perfect play.

    `goals` are those of all roles, `sure` what each can force whatever the others do: None where it can force no end.
    `distance` is the number of steps to the end, None where play is endless.
    """

    goals: Goals
    distance: int | None
    is_endless: bool
    mover: str | None
    letter: str
    """T where who moves wins, F where another does, = where nobody does, - where neither can force an end."""

    sure: tuple[int | None, ...]
    sure_distances: tuple[int, ...]

    def __str__(self) -> str:
        after = "without an end" if self.distance is None else f"in {self.distance}"
        return f"{self.letter} {','.join(map(str, self.goals))} {after}"


class MemoryBook:
    """Entries as they were made."""

    def __init__(self, positions: Positions, labels: Labels) -> None:
        self.positions, self.labels = positions, labels
        self.vectors, self.endless = labels.vectors, labels.endless
        self.figures = figures_of(positions, labels)

    def find(self, state: State) -> Entry | None:
        """The entry of a state, None where it has none."""
        number = int(self.positions.numbers_of([state])[0])
        return None if number < 0 else self.entry(number)

    def entry(self, number: int) -> Entry:
        """The entry of a position."""
        labels = self.labels
        sure = tuple((int(each.goals[number]), int(each.distances[number])) for each in labels.sure)
        return Entry(int(labels.codes[number]), int(labels.distances[number]), sure)


def figures_of(positions: Positions, labels: Labels) -> Figures:
    """A table in numbers; letters are counted by who moves and what comes of it."""
    codes, movers = labels.codes, positions.arrays().movers[: len(positions)]
    roles, letters = len(positions.game.roles), dict.fromkeys("TF=-", 0)
    for code, goals in enumerate(labels.vectors):
        held = movers[codes == code]
        for mover, count in zip(*np.unique(held, return_counts=True), strict=True):
            letters[letter_of(goals, int(mover), code in labels.endless, roles)] += int(count)
    counts = np.bincount(codes, minlength=len(labels.vectors))
    values: dict[str, int] = {}
    for code, goals in sorted(enumerate(labels.vectors), key=lambda each: each[1], reverse=True):
        if counts[code]:
            name = ",".join(map(str, goals)) + " endless" * (code in labels.endless)
            values[name] = values.get(name, 0) + int(counts[code])
    ended = labels.distances[labels.distances != FARTHEST]
    words = positions.engine.state_words * 8
    return Figures(
        shape=labels.shape,
        positions=len(positions),
        moves=positions.moves,
        layers=len(positions.layers),
        won=letters["T"],
        lost=letters["F"],
        drawn=letters["="],
        endless=letters["-"],
        longest=int(ended.max()) if len(ended) else 0,
        values=values,
        bytes=words + 3 + 3 * len(labels.sure),
    )


def letter_of(goals: Goals, mover: int, is_endless: bool, roles: int) -> str:
    """T, F, = or -: see PositionLabel. A role alone wins with all there is."""
    if is_endless:
        return "-"
    own = goals[max(0, mover)]
    if roles == 1:
        return "T" if own == 100 else "F"
    others = max(goal for role, goal in enumerate(goals) if role != max(0, mover))
    return "T" if own > others else "F" if own < others else "="


class LabelTable:
    """Labels of all positions of a game."""

    def __init__(self, game: CompiledGame, book: Book, seconds: float = 0.0) -> None:
        self.game, self.book, self.seconds = game, book, seconds

    @property
    def figures(self) -> Figures:
        """How many positions there are, and how many are worth what."""
        return self.book.figures

    def __len__(self) -> int:
        return self.figures.positions

    def knows(self, state: State) -> bool:
        """Whether a state is one of the positions."""
        return self.book.find(self._own(state)) is not None

    def _own(self, state: State | None) -> State:
        """A state as one of this very game; the initial one for None, StateError for one of other rules."""
        if state is None:
            return self.game.initial_state()
        if state.game is self.game:
            return state
        if state.game.digest != self.game.digest:
            raise StateError(f"a state of {state.game.name}, and the table is of {self.game.name}")
        return self.game.state(state.ordered_facts, state.step)

    def label(self, state: State | None = None) -> PositionLabel:
        """The label of a state, the initial one by default; StrategyError where the table does not have it."""
        state = self._own(state)
        entry = self.book.find(state)
        if entry is None:
            raise StrategyError(
                f"the table of {self.game.name} says nothing of this state: it cannot come of where the table begins"
            )
        return self._label(state, entry)

    def _label(self, state: State, entry: Entry) -> PositionLabel:
        goals, is_endless = self.book.vectors[entry.code], entry.code in self.book.endless
        mover = state.chooser or _marked(state)
        number = self.game.roles.index(mover) if mover else -1
        sure = tuple(None if goal == NOTHING else goal for goal, _ in entry.sure) or goals
        steps = tuple(distance for _, distance in entry.sure) or (entry.distance,) * len(goals)
        distance = None if is_endless else entry.distance
        letter = letter_of(goals, number, is_endless, len(goals))
        return PositionLabel(goals, distance, is_endless, mover, letter, sure, steps)

    def moves(self, state: State | None = None) -> dict[Term, PositionLabel]:
        """The labels of what the moves of a state lead to, for who chooses there; the best are first."""
        state = self._own(state)
        if state.is_over or state.chooser is None:
            return {}
        labels = {move: self.label(after_choice(state, move)) for move in state.legal_moves(state.chooser)}
        role = self.game.roles.index(state.chooser)
        return dict(sorted(labels.items(), key=lambda item: _worth(item[1], role), reverse=True))

    def best_moves(self, state: State | None = None) -> tuple[Term, ...]:
        """The moves of a state that are as good as any: for the goal, not for the distance."""
        state = self._own(state)
        moves = self.moves(state)
        if not moves:
            return ()
        role = self.game.roles.index(str(state.chooser))
        best = max(_goal(label, role) for label in moves.values())
        return tuple(move for move, label in moves.items() if _goal(label, role) == best)

    def strategy(self, role: str) -> TableStrategy:
        """What a role plays by this table."""
        return TableStrategy(self, role)

    def save(self, path: Path | str) -> None:
        """Write the table to one file, aside and then in place."""
        from gamemaster.solving.files import save_table

        save_table(self, Path(path))

    def to_json(self) -> dict[str, Any]:
        """The table in numbers, as plain data."""
        label = self.label() if self.knows(self.game.initial_state()) else None
        start = (
            {"goals": dict(zip(self.game.roles, label.goals, strict=True)), "distance": label.distance}
            if label
            else {}
        )
        return {**start, **asdict(self.figures), "seconds": self.seconds}

    def __str__(self) -> str:
        told = self.figures
        return (
            f"{self.game.name}: {told.positions:,} positions, {told.won:,} T, {told.lost:,} F, {told.drawn:,} drawn, "
            f"{told.endless:,} endless, at most {told.longest} steps to the end"
        )


class TableStrategy:
    """What a role plays by labels: the move to the position that is best for it."""

    def __init__(self, table: LabelTable, role: str) -> None:
        table.game.check_role(role)
        self._table, self._role = table, role
        self._number = table.game.roles.index(role)

    @property
    def game(self) -> CompiledGame:
        """The game it is for."""
        return self._table.game

    @property
    def role(self) -> str:
        """Who plays by it."""
        return self._role

    @property
    def value(self) -> int:
        """The goal that the role is sure to get from the initial state."""
        return self._sure(self._table.label())

    def _sure(self, label: PositionLabel) -> int:
        return label.sure[self._number] or 0

    def advise(self, state: State) -> Counsel:
        """The best move of a state; StrategyError where the table does not have the state."""
        label = self._table.label(state)
        value, distance = self._sure(label), None if label.is_endless else label.sure_distances[self._number]
        if state.is_over:
            return Counsel(None, value, "the game is over", 0)
        if len(state.legal_moves(self._role)) < 2:
            return Counsel(None, value, f"{self._role} has nothing to choose", distance)
        moves = {move: self._table.label(after_choice(state, move)) for move in state.legal_moves(self._role)}
        best = max(moves, key=lambda move: self._preference(moves[move]))
        return Counsel(best, value, self._why(label, moves[best], moves), distance)

    def _preference(self, label: PositionLabel) -> tuple[int, ...]:
        """The larger, the better: what is sure; then what others get, and soon where that is more than others get.

        Where play can come back, soon is before all else: who does not come nearer to an end may never get there.
        """
        own, steps = self._sure(label), label.sure_distances[self._number]
        others = sum(goal or 0 for role, goal in enumerate(label.sure) if role != self._number)
        if label.is_endless and label.sure[self._number] is None:
            against = [each for role, each in enumerate(label.sure_distances) if role != self._number]
            return own, -others, min(against, default=0)
        if self._table.figures.shape == "cyclic" and own:
            return own, -steps, -others
        is_hurried = label.is_endless or own >= max(label.goals)
        return own, -others, -steps if is_hurried else steps

    def _why(self, label: PositionLabel, after: PositionLabel, moves: Mapping[Term, PositionLabel]) -> str:
        """Why that move, in words."""
        value = self._sure(label)
        steps = label.sure_distances[self._number]
        if label.sure[self._number] is None:
            return "neither can force an end, and no move gives the other more than it has"
        if len(label.goals) == 1:
            return f"leads to {value} in {steps} steps"
        kept = sum(self._sure(each) == value for each in moves.values())
        choice = "no other move" if kept == 1 else f"{kept} of {len(moves)} moves"
        if value > max(goal for role, goal in enumerate(label.goals) if role != self._number):
            reply = (
                "ends the game" if after.distance == 0 else "every reply leaves a position labelled T for us"
            )
            return f"wins in {steps}: {reply}; {choice} wins" if kept == 1 else f"wins in {steps}: {reply}"
        if value < max(label.goals):
            return f"every move loses against the best replies; this one holds out longest, {steps} steps"
        return f"is sure of {value} in {steps} steps; {choice} {'is' if kept == 1 else 'are'}"

    def explain(self) -> str:
        """What the strategy is, and why it works."""
        told = self._table.figures
        label = self._table.label()
        end = f"in {label.sure_distances[self._number]} steps against the best replies"
        return (
            f"{self._role} is sure of {self.value} in {self.game.name}"
            f"{'' if label.sure[self._number] is None else f', {end}'}. "
            f"All {told.positions:,} positions were labelled from the ends backwards: T where who moves can move "
            "to an F, F where every move leads to a T; where there is more than winning and losing, with goals. "
            f"In every position {self._role} moves to the best label; the others can only choose among labels that "
            "are no better for them."
        )

    def to_json(self) -> dict[str, Any]:
        """The strategy as plain data, without its table."""
        return {
            "kind": "labels",
            "game": self.game.name,
            "rules": self.game.digest,
            "role": self._role,
            "value": self.value,
            "table": asdict(self._table.figures),
        }


def _goal(label: PositionLabel, role: int) -> int:
    """What a role gets, or is sure to get where play is endless."""
    return label.goals[role]


def _worth(label: PositionLabel, role: int) -> tuple[int, ...]:
    """The larger, the better for a role: see labels.py."""
    others = [-goal for other, goal in enumerate(label.goals) if other != role]
    distance = 0 if label.distance is None else label.distance
    hurries = label.goals.index(max(label.goals)) == role
    return (label.goals[role], *others, -distance if hurries else distance)


def _marked(state: State) -> str | None:
    """Whose turn it is where nobody chooses: the role of a fact `control`."""
    return next((role for role in state.game.roles if state.holds(f"control({role})")), None)
