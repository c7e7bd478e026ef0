"""Many games at once, as learners play them: an action for each, one call of machine code for all of them.

What `Episode` is for one game, `LaneGames` is for rows of them: roles without a choice make their only move, chance
draws, and where several roles choose at once they are asked one after the other and their moves are made together.
Arrays are indexed by game first; there is no loop over games, only over roles, and over steps in which nobody chooses.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamemaster.bridges.encoding import Encoding
from gamemaster.bridges.episode import EpisodeOptions, Signs, endless
from gamemaster.codegen.kernel import Rows
from gamemaster.errors import IllegalMove, Unsuitable
from gamemaster.machine.artifact import points
from gamemaster.machine.game import MAX_LENGTH, RANDOM, State, dead_end
from gamemaster.machine.layout import FIRST_LEGAL

__all__ = ["NOBODY", "Flags", "LaneGames", "Numbers", "picked"]

NOBODY = -1
"""Who is asked in a game that is over."""

NO_MOVE = -1

Numbers: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]


class LaneGames:
    """So many games. Roles have their numbers in the rules, moves the columns of a row `joint` (machine/layout.py)."""

    def __init__(self, encoding: Encoding, count: int, options: EpisodeOptions) -> None:
        if encoding.game.has_percepts:
            raise Unsuitable(
                f"{encoding.game.name} hides its state, and games on lanes show it; play it by "
                "gamemaster.bridges.pettingzoo, or many single environments"
            )
        self.encoding, self.count, self.options = encoding, count, options
        layout = self._layout = encoding.game.layout
        roles, moves, actions = len(layout.roles), layout.all_moves, len(encoding.actions)
        self.states: Rows = np.zeros((count, layout.state_bytes), np.uint8)
        self.legal: Rows = np.zeros((count, moves), np.uint8)
        self.steps: Numbers = np.zeros(count, np.intp)
        self.is_terminated: Flags = np.zeros(count, np.bool_)
        self.is_truncated: Flags = np.zeros(count, np.bool_)
        self.rewards = np.zeros((count, roles))  # 0 before the end
        self.asked: Numbers = np.full(count, NOBODY, np.intp)  # a role
        self._waiting: Flags = np.zeros((count, roles), np.bool_)  # who has a choice and has not chosen
        # Columns of moves; of who is waiting, the first legal one.
        self._made: Numbers = np.full((count, roles), NO_MOVE, np.intp)
        self._start = self._row(encoding.game.initial_state())
        self._actions_of: list[Numbers] = [np.zeros(0, np.intp)] * roles
        self._column_of: Numbers = np.full((roles, actions), NO_MOVE, np.intp)
        # As a rule all roles have the same moves. Then bits are masks as they are.
        self._is_in_line = [False] * roles
        # Of each role, what each of its goals is worth, and last what no goal is.
        worth = ([*map(options.reward, map(points, goals)), options.reward(None)] for goals in layout.goals)
        self._worth = [*map(np.array, worth)]
        self._lay_out()

    def _lay_out(self) -> None:
        """Tables from actions to columns and back."""
        for role, (name, bits) in enumerate(zip(self._layout.roles, self._layout.move_bits, strict=True)):
            if name != RANDOM:
                numbers = np.array([self.encoding.action(name, move) for move in bits.terms], np.intp)
                self._actions_of[role] = numbers
                self._column_of[role, numbers] = bits.start + np.arange(len(numbers))
                self._is_in_line[role] = numbers.tolist() == [*range(len(numbers))]

    def _row(self, state: State) -> Rows:
        return np.frombuffer(self.encoding.game.own(state).bits, np.uint8)

    # What is told of the games

    @property
    def is_over(self) -> Flags:
        """[games] in which no step follows."""
        return self.is_terminated | self.is_truncated

    def observations(self, games: Numbers) -> Signs:
        """The states [games, facts] of some games."""
        bits = np.unpackbits(self.states[games], axis=1, bitorder="little", count=len(self.encoding.facts))
        return bits.view(np.int8)

    def masks(self, games: Numbers) -> Signs:
        """The legal actions [games, actions] of who is asked in some games."""
        found = np.zeros((len(games), len(self.encoding.actions)), np.uint8)
        asked = self.asked[games]
        for role, bits in enumerate(self._layout.move_bits):
            rows, numbers = np.flatnonzero(asked == role), self._actions_of[role]
            if self._is_in_line[role]:
                found[rows, : len(numbers)] = self.legal[games[rows], bits.slice]
            elif len(rows):
                found[rows[:, None], numbers] = self.legal[games[rows], bits.slice]
        return found.view(np.int8)

    def state(self, number: int) -> State:
        """One of the games, as a State."""
        bits = np.unpackbits(self.states[number], bitorder="little", count=len(self.encoding.facts))
        return self.encoding.state(bits, int(self.steps[number]))

    # Play

    def begin(self, games: Numbers, generator: np.random.Generator, start: State | None = None) -> None:
        """Begin some games anew; `settle` goes on to where there is something to choose."""
        self.states[games] = self._start if start is None else self._row(start)
        self.steps[games] = 0
        self.is_truncated[games] = False
        self._look(games, generator)

    def is_legal(self, games: Numbers, actions: Numbers) -> Flags:
        """Which of these actions are legal for who is asked in their games."""
        columns = self._column_of[self.asked[games], actions]
        found: Flags = (columns != NO_MOVE) & (self.legal[games, columns] == 1)
        return found

    def choose(self, games: Numbers, actions: Numbers) -> None:
        """Let who is asked choose, in some games; IllegalMove for the first action that is not legal."""
        is_legal = self.is_legal(games, actions)
        if not is_legal.all():
            wrong = int(np.argmin(is_legal))
            self._refuse(int(games[wrong]), int(actions[wrong]))
        roles = self.asked[games]
        self._made[games, roles] = self._column_of[roles, actions]
        self._waiting[games, roles] = False
        self._ask(games)

    def _refuse(self, game: int, action: int) -> None:
        """Raise the error that one game would."""
        state, role = self.state(game), self._layout.roles[self.asked[game]]
        move = self.encoding.text(self.encoding.actions[action])
        raise IllegalMove(
            f"{move} (action {action} in game {game})", role, state.step, state.legal_moves(role)
        )

    def forfeit(self, games: Numbers) -> None:
        """End some games, as who is asked there has taken an illegal action: see EpisodeOptions."""
        self.rewards[games, self.asked[games]] = self.options.illegal_reward or 0.0
        self.is_terminated[games] = True
        self._waiting[games] = False
        self.asked[games] = NOBODY

    def settle(self, generator: np.random.Generator) -> None:
        """Make the moves of games in which all have chosen, until somebody has a choice again in each."""
        for _ in range(MAX_LENGTH):
            games = np.flatnonzero((self.asked == NOBODY) & ~self.is_over)
            if not len(games):
                return
            self._advance(games)
            self._look(games, generator)
        raise endless(self.encoding.game)

    def _advance(self, games: Numbers) -> None:
        """Make the joint moves of some games."""
        states = self.encoding.game.lanes.advance(np.hstack([self.states[games], self._joint(games)]))
        self.states[games] = states  # without percepts they are all that comes
        self.steps[games] += 1

    def _joint(self, games: Numbers) -> Rows:
        """Rows `joint` of the moves made."""
        rows = np.zeros((len(games), self._layout.joint_bytes), np.uint8)
        for role in range(len(self._layout.roles)):
            column = self._made[games, role]
            movers = np.flatnonzero(column != NO_MOVE)
            _set(rows, movers, column[movers])
            if self._layout.moved:
                _set(rows, movers, np.full(len(movers), self._layout.all_moves + role))
        return rows

    def _look(self, games: Numbers, generator: np.random.Generator) -> None:
        """Observe some games: what is legal, who has a choice, what chance draws, what is gained."""
        layout = self._layout
        seen = np.unpackbits(self.encoding.game.lanes.observe(self.states[games]), axis=1, bitorder="little")
        legal = self.legal[games] = seen[:, FIRST_LEGAL : FIRST_LEGAL + layout.all_moves]
        over = self.is_terminated[games] = seen[:, 0] == 1
        if self.options.max_steps is not None:
            self.is_truncated[games] = ~over & (self.steps[games] >= self.options.max_steps)
        can_move = np.zeros(len(games), np.bool_)
        for role, bits in enumerate(layout.move_bits):
            own = legal[:, bits.slice]
            counts = own.sum(axis=1, dtype=np.intp)
            can_move |= counts > 0
            if layout.roles[role] == RANDOM:
                chosen = picked(own.view(np.int8), generator)
            else:
                chosen = own.argmax(axis=1) if own.shape[1] else counts
                self._waiting[games, role] = (counts > 1) & ~self.is_over[games]
            self._made[games, role] = np.where(counts > 0, bits.start + chosen, NO_MOVE)
        self._check_moves(games, can_move | over)
        self._ask(games)
        self._reward(games, seen, over)

    def _check_moves(self, games: Numbers, can_go_on: Flags) -> None:
        """Raise the error for a game in which nobody can move."""
        if not can_go_on.all():
            raise dead_end(self.state(int(games[np.argmin(can_go_on)])))

    def _ask(self, games: Numbers) -> None:
        """Turn to the first who has a choice, in each of some games."""
        waiting = self._waiting[games]
        self.asked[games] = np.where(waiting.any(axis=1), waiting.argmax(axis=1), NOBODY)

    def _reward(self, games: Numbers, seen: Rows, over: Flags) -> None:
        """What goals are worth in games that have ended; 0 in others."""
        self.rewards[games] = 0.0
        ended = np.flatnonzero(over)
        if not len(ended):
            return
        for role, bits in enumerate(self._layout.goal_bits):
            held = seen[ended, bits.slice]
            first = held.argmax(axis=1) if len(bits.terms) else np.zeros(len(ended), np.intp)
            goals = np.where(held.any(axis=1), first, len(bits.terms))
            self.rewards[games[ended], role] = self._worth[role][goals]


def _set(rows: Rows, numbers: Numbers, columns: Numbers) -> None:
    """Set one bit in each of some rows."""
    rows[numbers, columns >> 3] |= np.left_shift(1, columns & 7).astype(np.uint8)


def picked(marked: Signs, generator: np.random.Generator) -> Numbers:
    """A marked column of each row, each equally likely; the first where none is marked."""
    if not marked.shape[1]:
        return np.zeros(len(marked), np.intp)
    sums = marked.cumsum(axis=1, dtype=np.int32)
    wanted = (generator.random(len(marked)) * sums[:, -1]).astype(np.int32)
    found: Numbers = (sums > wanted[:, None]).argmax(axis=1)
    return found
