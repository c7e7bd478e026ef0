"""States and moves of a game as numbers, for frameworks that know nothing else.

An action is the number of a move in `actions`, the moves of all roles but chance in an order that is the same in every
process; `outcomes` are those of chance. An observation is a row of 0 and 1: the facts that hold, in the order of
`facts`. Where the rules hide the state (GDL-II), nobody is shown it: a role observes what it saw in the last step
and which move it made itself, and what it knows is all it ever saw and did, its `Information`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gamemaster.errors import IllegalMove, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.machine.game import RANDOM, Game, State

__all__ = ["Encoding", "Information", "Row"]

Row = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Information:
    """What a role has seen and done: for each step its own move, None where it had none, and what it saw."""

    role: str
    steps: tuple[tuple[Term | None, frozenset[Term]], ...] = ()

    def after(self, own: Term | None, percepts: frozenset[Term]) -> Information:
        """The information after one more step."""
        return Information(self.role, (*self.steps, (own, percepts)))

    def __str__(self) -> str:
        told = (f"{'-' if own is None else own}: {_listed(seen)}" for own, seen in self.steps)
        return "; ".join((self.role, *told))


@dataclass(frozen=True, eq=False)
class Encoding:
    """The numbers of a game. Rows are arrays of uint8, with a length that is the same in all states of the game."""

    game: CompiledGame

    @classmethod
    def of(cls, game: Game) -> Encoding:
        """The encoding of a game; Unsuitable where it does not compile, as then nobody knows what can occur in it."""
        if game.compiled is None:
            raise Unsuitable(
                f"{game.name} runs on the {game.machine} machine, where the facts and moves that can occur are not "
                f"known: {game.machine.reason}"
            )
        return cls(game.compiled)

    def __deepcopy__(self, memo: dict[int, object]) -> Encoding:
        """Itself: an encoding never changes, and copies of an environment need no copy of its game."""
        return self

    # What numbers mean

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The roles but chance, in rule order."""
        return tuple(role for role in self.game.roles if role != RANDOM)

    @cached_property
    def facts(self) -> tuple[Term, ...]:
        """What each column of a state's row says."""
        return self.game.layout.facts

    @cached_property
    def actions(self) -> tuple[Term, ...]:
        """The move of each action: those of the first role, then what others have besides."""
        return tuple(dict.fromkeys(move for role in self.roles for move in self._moves[role]))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each action."""
        return tuple(map(self.text, self.actions))

    @cached_property
    def outcomes(self) -> tuple[Term, ...]:
        """The moves of chance; none where there is none."""
        return self._moves.get(RANDOM, ())

    @cached_property
    def percepts(self) -> Mapping[str, tuple[Term, ...]]:
        """What each role can see (GDL-II)."""
        return dict(zip(self.game.roles, self.game.layout.percepts, strict=True))

    @cached_property
    def _moves(self) -> Mapping[str, tuple[Term, ...]]:
        return dict(zip(self.game.roles, self.game.layout.moves, strict=True))

    @cached_property
    def _numbers(self) -> Mapping[Term, int]:
        return {move: number for number, move in enumerate(self.actions)}

    @cached_property
    def _outcome_numbers(self) -> Mapping[Term, int]:
        return {move: number for number, move in enumerate(self.outcomes)}

    # Actions

    def action(self, role: str, move: Term) -> int:
        """The number of a role's move; for chance, of an outcome."""
        return (self._outcome_numbers if role == RANDOM else self._numbers)[move]

    def text(self, move: Term) -> str:
        """A move as text; each is written once, as learners ask for the same ones again and again."""
        text = self._texts.get(move)
        if text is None:
            text = self._texts[move] = str(move)
        return text

    @cached_property
    def _texts(self) -> dict[Term, str]:
        return {}

    def move(self, state: State, role: str, action: int) -> Term:
        """The move of an action, if it is legal; else IllegalMove."""
        table = self.outcomes if role == RANDOM else self.actions
        legal = state.legal_moves(role)
        known = 0 <= action < len(table)
        if not known or table[action] not in legal:
            told = f"{table[action]} (action {action})" if known else f"action {action}"
            raise IllegalMove(told, role, state.step, legal)
        return table[action]

    def legal(self, state: State, role: str) -> list[int]:
        """The legal actions of a role, sorted; none in a terminal state."""
        return (
            [] if state.is_terminal else sorted(self.action(role, move) for move in state.legal_moves(role))
        )

    def mask(self, state: State, role: str) -> Row:
        """A row [actions]: 1 for each legal action of a role."""
        row = np.zeros(len(self.actions), np.uint8)
        row[self.legal(state, role)] = 1
        return row

    def joint(self, state: State, actions: Mapping[str, int]) -> dict[str, Term]:
        """The joint move of some roles' actions; roles without a choice need none."""
        chosen = {role: self.move(state, role, action) for role, action in actions.items()}
        legal = {role: state.legal_moves(role) for role in self.game.roles if role not in chosen}
        return {**{role: moves[0] for role, moves in legal.items() if len(moves) == 1}, **chosen}

    # Observations

    def row(self, state: State) -> Row:
        """A row [facts]: 1 for each fact that holds."""
        packed = np.frombuffer(self.game.own(state).bits, np.uint8)
        return np.unpackbits(packed, bitorder="little", count=len(self.facts))

    def rows(self, states: Iterable[State]) -> Row:
        """Rows [states, facts]."""
        bits = b"".join(self.game.own(state).bits for state in states)
        packed = np.frombuffer(bits, np.uint8).reshape(-1, max(1, self.game.layout.state_bytes))
        return np.unpackbits(packed, axis=1, bitorder="little", count=len(self.facts))

    def state(self, row: Row, step: int = 0) -> State:
        """The state of a row."""
        return CompiledState(self.game, np.packbits(row, bitorder="little").tobytes(), step)

    def observation_size(self, role: str) -> int:
        """The length of what a role observes."""
        if not self.game.has_percepts:
            return len(self.facts)
        return len(self.percepts[role]) + len(self.actions)

    def observation(self, state: State, information: Information) -> Row:
        """What a role observes: the state, or where that is hidden what it saw and did in the last step."""
        if not self.game.has_percepts:
            return self.row(state)
        row = np.zeros(self.observation_size(information.role), np.uint8)
        if information.steps:
            own, seen = information.steps[-1]
            can_see = self.percepts[information.role]
            row[[number for number, percept in enumerate(can_see) if percept in seen]] = 1
            if own is not None:
                row[len(can_see) + self.action(information.role, own)] = 1
        return row

    def informed(
        self, state: State, moves: Mapping[str, Term], known: Mapping[str, Information]
    ) -> dict[str, Information]:
        """What each role knows after a joint move in a state."""
        percepts = state.percepts(moves)
        return {role: each.after(moves.get(role), percepts[role]) for role, each in known.items()}

    def uninformed(self) -> dict[str, Information]:
        """What each role knows before the first step."""
        return {role: Information(role) for role in self.roles}


def _listed(percepts: Iterable[Term]) -> str:
    return " ".join(sorted(map(str, percepts))) or "nothing"
