"""EndgameTable: what positions with few pieces are worth, for whoever asks: a search, a player, a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.machine.game import State
from gamemaster.solving.endgame.numbering import Numbering
from gamemaster.solving.labels import Goals
from gamemaster.solving.strategy import Counsel

__all__ = ["EndgameBook", "EndgameFigures", "EndgameLabel", "EndgameTable", "Mark", "Material", "better_of"]


class Mark(NamedTuple):
    """What a table holds of a number: the place of goals in its list, and in how many steps they are forced."""

    code: int
    distance: int


@dataclass(frozen=True)
class Material:
    """Positions with the same kinds of pieces, counted by what they are worth, with who is to move first."""

    kinds: str
    positions: int
    values: Mapping[str, int]
    """How many positions are worth what: the goals of all roles between commas, `endless` or `unknown`."""

    longest: int


@dataclass(frozen=True)
class EndgameFigures:
    """A table in numbers."""

    pieces: int
    positions: int
    known: int
    moves: int
    longest: int
    room: int | None
    """In how many steps no clock ends a game that stands at its beginning; None where there is none."""

    materials: tuple[Material, ...]
    bytes: float
    """A position, in the file or in memory."""

    seconds: float


class EndgameBook(Protocol):
    """Where marks are: in memory, or in a file."""

    vectors: tuple[Goals, ...]
    resting: Goals | None
    figures: EndgameFigures

    def mark(self, number: int) -> Mark | None:
        """What is held of a number; None where nothing is known."""

    def save(self, path: Path) -> None:
        """Write it to a file."""


@dataclass(frozen=True, slots=True)
class EndgameLabel:
    """What a state is worth with perfect play. `distance` is the most steps until that is forced, None where it is not
    forced but comes of nobody getting further: then a clock ends the game, if anything does."""

    goals: Goals
    distance: int | None

    def __str__(self) -> str:
        return f"{','.join(map(str, self.goals))} {'at rest' if self.distance is None else f'in {self.distance}'}"


class EndgameTable:
    """Perfect play in positions with few pieces."""

    def __init__(self, game: CompiledGame, numbering: Numbering, book: EndgameBook) -> None:
        self.game, self.numbering, self.book = game, numbering, book

    @property
    def figures(self) -> EndgameFigures:
        """The table in numbers."""
        return self.book.figures

    def __len__(self) -> int:
        return self.figures.positions

    # What states are worth

    def probe(self, state: State) -> EndgameLabel | None:
        """What a state is worth; None where the table does not know, or a clock leaves too little room to be sure.

        A state that is no position of the table, but leads only to such, is worth what the best of them is.
        """
        own = self.game.own(state)
        return self._over(own) if own.is_terminal else self._held(own) or self._ahead(own)

    def _over(self, state: CompiledState) -> EndgameLabel | None:
        """What an end is worth, if all roles have a goal."""
        goals = [state.goal(role) for role in self.game.roles]
        return None if None in goals else EndgameLabel(tuple(goal or 0 for goal in goals), 0)

    def _held(self, state: CompiledState) -> EndgameLabel | None:
        """What the table says of a state itself."""
        number = self.numbering.number_of(state)
        mark = None if number < 0 else self.book.mark(number)
        if mark is None:
            return None
        goals = self.book.vectors[mark.code]
        if mark.distance == 0:
            return EndgameLabel(goals, None)
        return EndgameLabel(goals, mark.distance) if mark.distance <= self.numbering.room_of(state) else None

    def _ahead(self, state: CompiledState) -> EndgameLabel | None:
        """What a state is worth of which the table knows all that it leads to."""
        role = state.chooser
        if role is None or self.numbering.pieces_of(state) > self.numbering.pieces + 1:
            return None
        labels = list(self.moves(state).values())
        if None in labels or not labels:
            return None
        number = self.game.roles.index(role)
        best = better_of([label for label in labels if label], number)
        return EndgameLabel(best.goals, None if best.distance is None else best.distance + 1)

    def value(self, state: State, role: str) -> float | None:
        """The goal of a role, for a search that asks; None where the table does not know."""
        label = self._held(self.game.own(state))
        return None if label is None else float(label.goals[self.game.roles.index(role)])

    def moves(self, state: State) -> dict[Term, EndgameLabel | None]:
        """What the moves of a state lead to, for who chooses there."""
        state = self.game.own(state)
        role = state.chooser
        if role is None or state.is_terminal:
            return {}
        return {move: self._after(state, role, move) for move in state.legal_moves(role)}

    def _after(self, state: State, role: str, move: Term) -> EndgameLabel | None:
        joint = {each: state.legal_moves(each)[0] for each in state.movers}
        after = self.game.own(state.next({**joint, role: move}))
        return self._over(after) if after.is_terminal else self._held(after)

    def advise(self, state: State, role: str) -> Counsel | None:
        """The best move of a state for who chooses there; None where the table does not know.

        A move to the best goal there is will do, whatever other moves lead to.
        """
        self.game.check_role(role)
        number = self.game.roles.index(role)
        if (
            state.chooser != role
            or self.numbering.pieces_of(self.game.own(state)) > self.numbering.pieces + 1
        ):
            return None
        moves = self.moves(state)
        known = {move: label for move, label in moves.items() if label is not None}
        if not known:
            return None
        best = max(known, key=lambda move: _worth(known[move], number))
        label = known[best]
        most = max(goals[number] for goals in self.book.vectors)
        if len(known) < len(moves) and label.goals[number] < most:
            return None
        steps = None if label.distance is None else label.distance + 1
        return Counsel(best, label.goals[number], self._why(label, number, steps), steps)

    def _why(self, label: EndgameLabel, role: int, steps: int | None) -> str:
        """Why a move, in words."""
        pieces = f"the endgame table of {self.figures.pieces} pieces"
        own, others = label.goals[role], [goal for i, goal in enumerate(label.goals) if i != role]
        if steps is None:
            return f"{pieces}: nobody can force more, {own} is sure"
        if own > max(others, default=-1):
            return f"{pieces}: wins in {steps} steps"
        if own < max(others, default=-1):
            return f"{pieces}: every move loses; this one holds out for {steps} steps"
        return f"{pieces}: sure of {own} in {steps} steps"

    # Otherwise

    def save(self, path: Path | str) -> None:
        """Write the table to one file, aside and then in place."""
        self.book.save(Path(path))

    def to_json(self) -> dict[str, Any]:
        """The table in numbers, as plain data."""
        told = asdict(self.figures)
        return {"game": self.game.name, "rules": self.game.digest, "board": str(self.numbering.board), **told}


def better_of(labels: Sequence[EndgameLabel], role: int) -> EndgameLabel:
    """The best of some labels for a role."""
    return max(labels, key=lambda label: _worth(label, role))


def _worth(label: EndgameLabel, role: int) -> tuple[int, int]:
    """The larger, the better for a role: its goal, then soon where that is more than others get, else late."""
    own, others = label.goals[role], [goal for i, goal in enumerate(label.goals) if i != role]
    distance = 1 << 20 if label.distance is None else label.distance
    return own, -distance if own > max(others, default=-1) else distance
