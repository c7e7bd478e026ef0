"""A batch: many games side by side, stepped together, told as numpy arrays. For learners and for experiments.

    batch = game.batch(4096, seed=1)
    while ...:
        noise = generator.random(batch.legal.shape)
        batch.step((noise * batch.legal).argmax(axis=1))     # an index of batch.moves for each game
        batch.terminal, batch.goals                          # [games], [games, roles]

Games stay bit-sliced between steps (codegen/batch_runtime.py); only what is asked for becomes rows. Every step makes
new arrays, so those of earlier steps can be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.batch_runtime import BATCH
from gamemaster.codegen.batches import batch_calls
from gamemaster.codegen.interpreter import Words
from gamemaster.codegen.kernel import Rows, aligned_words
from gamemaster.codegen.vector import LANES, WORD, WORDS
from gamemaster.errors import IllegalMove, ParameterError, StateError
from gamemaster.language.terms import Term
from gamemaster.machine.arguments import shown, whole_number
from gamemaster.machine.batch_layout import NO_MOVE, StepSlots, columns_of, moves_of
from gamemaster.machine.game import RANDOM, State
from gamemaster.machine.lanes import random_words
from gamemaster.machine.mistakes import dead_end, reward_of

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = ["MOST_GAMES", "NOBODY", "SEVERAL", "Batch"]

NOBODY, SEVERAL = -1, -2
"""In `control`: nobody is asked (the game is over, or only chance moves); several roles choose at once."""

MOST_GAMES = 10_000_000
MOST_BYTES = 4_000_000_000

SPILL = 8
"""So many bytes may be written behind the last row of a mask."""

ALL = (1 << WORD) - 1

_KEPT = (
    "terminal",
    "goals",
    "legal",
    "_control",
    "_generator",
    "_lengths",
    "_final_lengths",
    "_final_goals",
)
"""The arrays that a copy takes over."""

_PLACES = {name: place for place, name in enumerate(BATCH)}

Flags: TypeAlias = npt.NDArray[np.bool_]
Goals: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.int32]
Start: TypeAlias = State | Sequence[State]


class Batch:
    """So many games of one game on the compiled machine; `game.batch(n)` makes one.

    After each step (`len(batch)` is n):

    control    [n] int8           who is asked: the number of a role; NOBODY, SEVERAL
    legal      [n, moves] bool    what it may do: columns are `moves`, the moves of all roles but chance
    terminal   [n] bool           whether the step has ended the game
    goals      [n, roles] float   each role's goal in the state that the step reached; NaN where rules give none
    lengths    [n] int32          steps made in the game so far

    A game that ends begins anew in the same step, unless `resets` is False: `terminal` and `goals` are those of the
    end, `control`, `legal`, `states`, `lengths` already those of the new game. `final_goals` and `final_lengths` keep
    what each game ended with until it ends again. If `resets` is False, games that are over stay as they are.
    """

    legal: Flags
    terminal: Flags
    goals: Goals

    def __init__(
        self, game: CompiledGame, count: int, seed: int = 0, start: Start | None = None, resets: bool = True
    ) -> None:
        self._count = whole_number("count", count, least=1, most=MOST_GAMES)
        if not isinstance(resets, bool):
            raise ParameterError(f"resets must be True or False, not {shown(resets)}")
        self.game, self.resets = game, resets
        self.roles, self.facts, self.moves = game.roles, game.layout.facts, moves_of(game.layout)
        self._prepare()
        self._generator[:] = random_words(whole_number("seed", seed), 0)
        self._put(np.arange(self._count), self._rows_of(start, self._count))

    # What is made once

    def _prepare(self) -> None:
        """Memory for all games, and the words of the native functions."""
        game, layout = self.game, self.game.layout
        self._base = game.kernel("step")
        game.background.want("step")
        self._kernel = self._base.fork()
        self._chance = RANDOM in self.roles
        self._slots = slots = StepSlots.of(layout)
        self._slot_words = self._kernel.buffer.shape[1]
        lanes = self._slot_words * WORD
        self._blocks = -(-self._count // lanes)
        self._padded = self._blocks * lanes
        self._check_size()
        self._memory = self._blocks_of(slots.outputs)
        self._flags = self._blocks_of(2)
        self._generator = aligned_words(2)
        self._made = np.zeros(self._count * len(self.roles), np.int32)
        self._columns = np.array([*np.ravel(columns_of(layout)), 0], np.int32)
        self._goal_counts = np.array([*map(len, layout.goals), 0], np.int64)
        values = [reward_of(value) for own in layout.goals for value in own]
        self._goal_values = np.array([np.nan if value is None else value for value in values], np.float64)
        self._lengths = np.zeros(self._padded, np.int32)
        self._final_lengths = np.zeros(self._padded, np.int32)
        self._final_goals = np.full((len(self.roles), self._padded), np.nan)
        self._indices_of_facts = {fact: i for i, fact in enumerate(self.facts)}
        self._indices_of_moves = {move: i for i, move in enumerate(self.moves)}
        # lanes without a game look on, at what is no state: all their bits are 0
        unused = np.arange(self._padded) >= self._count
        self._unused = np.packbits(unused, bitorder="little").view(np.uint64).reshape(self._blocks, -1)
        self._control = np.full(self._padded, NOBODY, np.int8)
        self._words = np.zeros(len(BATCH), np.uint64)
        self._set_words()

    def _check_size(self) -> None:
        """ParameterError for so many games that they take too much memory."""
        size = self._padded * (self._slots.outputs // 8 + self._slots.masks + 40 * len(self.roles))
        if size > MOST_BYTES:
            raise ParameterError(
                f"{self._count:,} games of {self.game.name} in a batch would take {size / 1e9:,.1f} GB, more than "
                f"{MOST_BYTES / 1e9:g}"
            )

    def _blocks_of(self, slots: int) -> Words:
        """Zeros [blocks, slots, words of a slot] for vector instructions."""
        rows = self._blocks * slots * self._slot_words // WORDS
        return aligned_words(rows).reshape(self._blocks, slots, self._slot_words)

    def _set_words(self) -> None:
        slots = self._slots
        self._tell_words(
            random_slot=slots.first_random,
            randoms=self._kernel.code.inputs - slots.first_random,
            generator=self._generator.ctypes.data,
            memory=self._memory.ctypes.data,
            blocks=self._blocks,
            games=self._count,
            flags=self._flags.ctypes.data,
            carried=slots.over + 1,
            outputs=slots.outputs,
            chosen_slot=slots.first_chosen,
            moves=slots.moves,
            legal_slot=slots.first_legal,
            choice_slot=slots.first_choice,
            over_slot=slots.over,
            first_flag=slots.terminal,
            goal_slot=slots.first_goal,
            roles=len(self.roles),
            masks=slots.masks,
            columns=self._columns.ctypes.data,
            goal_counts=self._goal_counts.ctypes.data,
            goal_values=self._goal_values.ctypes.data,
            made=self._made.ctypes.data,
            final_goals=self._final_goals.ctypes.data,
            lengths=self._lengths.ctypes.data,
            final_lengths=self._final_lengths.ctypes.data,
        )

    def _tell_words(self, **words: int) -> None:
        for name, word in words.items():
            self._words[_PLACES[name]] = word

    # What is told

    def __len__(self) -> int:
        return self._count

    @property
    def control(self) -> npt.NDArray[np.int8]:
        """[n] who is asked: the number of a role; NOBODY, SEVERAL."""
        told = self._control[: self._count]
        told.setflags(write=False)  # the next step relies on it
        return told

    @property
    def lengths(self) -> Numbers:
        """[n] the steps made in each game so far."""
        return self._lengths[: self._count].copy()

    @property
    def final_lengths(self) -> Numbers:
        """[n] how long each game was when it last ended; 0 before."""
        return self._final_lengths[: self._count].copy()

    @property
    def final_goals(self) -> Goals:
        """[n, roles] what each role got when each game last ended; NaN before, and where rules give none."""
        return self._final_goals[:, : self._count].T.copy()

    @property
    def states(self) -> Flags:
        """[n, facts] the facts that hold in each game; columns are `facts`."""
        return self._spread(0, len(self.facts))

    @property
    def rows(self) -> Rows:
        """[n, bytes] the same as packed rows, like `state.bits`: bit i of a row is fact i, the lowest bit first."""
        return np.packbits(self.states, axis=1, bitorder="little")

    def legal_for(self, role: str) -> Flags:
        """[n, moves] the legal moves of a role, whoever is asked; columns are `moves`, for chance those it has."""
        self.game.check_role(role)
        number = self.roles.index(role)
        bits = self.game.layout.move_bits[number]
        own = self._spread(self._slots.first_legal + bits.start, len(bits.terms))
        if role == RANDOM:
            return own
        found = np.zeros((self._count, len(self.moves)), np.bool_)
        found[:, [self._indices_of_moves[move] for move in bits.terms]] = own
        return found

    def percepts(self, role: str) -> Flags:
        """[n, percepts] what a role saw in the last step (GDL-II); columns are `game.layout.percepts` of the role."""
        self.game.check_role(role)
        layout = self.game.layout
        bits = layout.percept_bits[self.roles.index(role)]
        return self._spread(self._slots.first_percept + bits.start - len(layout.facts), len(bits.terms))

    def fact_index(self, fact: Term | str) -> int:
        """The column of a fact in `states`; ParameterError for what can never hold."""
        return self._index(self.game._fact_of(fact), self._indices_of_facts, "fact", "hold")

    def move_index(self, move: Term | str) -> int:
        """The number of a move: its column in `legal`; ParameterError for what no role can ever do."""
        return self._index(self.game.move_of(move), self._indices_of_moves, "move", "be made")

    def _index(self, term: Term, indices: dict[Term, int], what: str, can: str) -> int:
        if term not in indices:
            raise ParameterError(f"{what} {shown(str(term))} can never {can} in {self.game.name}")
        return indices[term]

    def state(self, number: int) -> State:
        """One of the games as a State."""
        number = self._number(number)
        lane, block = number % (self._slot_words * WORD), number // (self._slot_words * WORD)
        words = self._memory[block, : len(self.facts), lane // WORD]
        held = (words >> np.uint64(lane % WORD) & np.uint64(1)).astype(np.uint8)
        return self.game.state_of_row(np.packbits(held, bitorder="little"), int(self._lengths[number]))

    def _number(self, number: int) -> int:
        return whole_number("number of a game", number, least=0, most=self._count - 1)

    def _spread(self, slot: int, columns: int) -> Flags:
        """Some slots as an array [n, columns]."""
        out = np.empty(self._padded * columns + SPILL, np.uint8)
        if columns:
            block_bytes, slot_bytes = self._memory.strides[:2]
            source = self._memory.ctypes.data + slot * slot_bytes
            batch_calls().spread(source, out.ctypes.data, columns, self._blocks, block_bytes, slot_bytes)
        return out[: self._count * columns].view(np.bool_).reshape(self._count, columns)

    # Play

    def step(self, indices: npt.ArrayLike) -> None:
        """Make a step in every game.

        `indices` [n] are numbers of `moves`, for who is asked (see `control`); others have one move at most, and make
        it. Where nobody is asked, the index means nothing. Or [n, roles], a number for each role, -1 for those that
        have no choice; roles that choose at once need that. Chance makes its own moves, whatever stands in its column.

        IllegalMove for the first move that is not legal, ParameterError for arrays of another shape, GameIllDefined
        where nobody can move; then no game has made a step.
        """
        given = self._checked(indices)
        self._tell_words(
            indices=given.ctypes.data,
            width=given.size // self._count,
            is_single=int(given.ndim == 1),
            control=self._control.ctypes.data,
        )
        batch_calls().check_moves(self._words.ctypes.data, self._slot_words)
        wrong = int(self._words[_PLACES["wrong"]])
        if wrong != ALL:
            self._refuse(given, wrong)
        self._check_moves()
        self._run(look=None)

    def _checked(self, indices: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Indices as an array for native functions; ParameterError for other shapes and kinds."""
        given = np.asarray(indices)
        shapes = [(self._count,), (self._count, len(self.roles))]
        if given.dtype.kind not in "iu" or given.shape not in shapes:
            raise ParameterError(
                f"step takes whole numbers of shape {shapes[0]}, or {shapes[1]} for a move of each role, "
                f"not {given.dtype} of shape {given.shape}"
            )
        found = np.array(given, np.int64) if self._chance else np.ascontiguousarray(given, np.int64)
        if self._chance and given.ndim == 2:
            found[:, self.roles.index(RANDOM)] = NO_MOVE
        return found

    def _refuse(self, given: npt.NDArray[np.int64], wrong: int) -> None:
        """Raise the error for a move that is not legal."""
        index, number = int(given.flat[wrong]), wrong // (given.size // self._count)
        state = self.state(number)
        who = int(self.control[number]) if given.ndim == 1 else wrong % len(self.roles)
        if who == SEVERAL:
            raise ParameterError(
                f"{' and '.join(state.choosers)} choose at once in game {number}: step takes a move for each role, an "
                f"array of shape {(self._count, len(self.roles))}"
            )
        move = str(self.moves[index]) if 0 <= index < len(self.moves) else "no move"
        role = self.roles[who]
        raise IllegalMove(
            f"{move} (index {index} in game {number})", role, state.step, state.legal_moves(role)
        )

    def _check_moves(self) -> None:
        """GameIllDefined for a game in which nobody can move, though it is not over."""
        if self._stuck.any():
            raise dead_end(self.state(int(np.flatnonzero(_lanes(self._stuck))[0])))

    @property
    def _stuck(self) -> Words:
        return self._memory[:, self._slots.stuck] & ~self._unused

    def _run(self, look: Words | None) -> None:
        """Make a step, or only look where that is told, and tell what comes out."""
        if self._kernel.library is not self._base.library and self._base.library is not None:
            self._kernel = self._base.fork()  # its instructions may be others, which need another buffer
        self._flags[:, 0] = self._unused if look is None else look
        self._flags[:, 1] = ALL if self.resets else 0
        terminal, control = np.empty(self._padded, np.bool_), np.empty(self._padded, np.int8)
        goals = np.empty((len(self.roles), self._padded))
        self._tell_words(terminal=terminal.ctypes.data, control=control.ctypes.data, goals=goals.ctypes.data)
        calls = batch_calls()
        calls.step_blocks(self._kernel.address, self._words.ctypes.data)
        calls.tell(self._words.ctypes.data, self._slot_words)
        self.terminal, self._control = terminal[: self._count], control
        self.goals = goals[:, : self._count].T
        self.legal = self._spread(self._slots.first_mask, self._slots.masks)

    # Starts

    def reset(self, games: npt.ArrayLike | None = None, start: Start | None = None) -> None:
        """Begin some games anew (numbers, or flags [n]; all by default), or put them into other states."""
        numbers = self._numbers(games)
        self._put(numbers, self._rows_of(start, len(numbers)))

    def set(self, number: int, state: State) -> None:
        """Put one game into a state."""
        self._put(np.array([self._number(number)]), self._rows_of(state, 1))

    def _numbers(self, games: npt.ArrayLike | None) -> npt.NDArray[np.intp]:
        """Numbers of games; ParameterError for what are none."""
        if games is None:
            return np.arange(self._count)
        given = np.asarray(games)
        if given.dtype.kind == "b" and given.shape == (self._count,):
            return np.flatnonzero(given)
        is_fine = given.ndim == 1 and (given.dtype.kind in "iu" or not given.size)
        if not is_fine or ((given < 0) | (given >= self._count)).any():
            raise ParameterError(
                f"games must be numbers from 0 to {self._count - 1:,}, or flags of shape {(self._count,)}, "
                f"not {shown(games)}"
            )
        return given.astype(np.intp)

    def _rows_of(self, start: Start | None, count: int) -> tuple[Rows, Numbers]:
        """Facts [count or 1, facts] and steps to start with; ParameterError for another number of states."""
        start = self.game.initial_state() if start is None else start
        states = [start] if isinstance(start, State) else start
        self.game.check_states(states)
        if not isinstance(start, State) and len(states) != count:
            raise ParameterError(f"start must be a state, or {count:,} of them, not {len(states):,}")
        joined = bytearray().join(self.game.own(state).bits for state in states)
        rows = np.array(joined, np.uint8).reshape(len(states), self.game.layout.state_bytes)
        bits = np.unpackbits(rows, axis=1, bitorder="little", count=len(self.facts))
        return bits, np.array([state.step for state in states], np.int32)

    def _put(self, numbers: npt.NDArray[np.intp], start: tuple[Rows, Numbers]) -> None:
        """Put some games into states, and look at all of them."""
        bits, steps = start
        facts = np.zeros((self._padded, len(self.facts)), np.bool_)
        facts[: self._count] = self._spread(0, len(self.facts))
        facts[numbers] = bits
        blocks = facts.reshape(self._blocks, self._padded // self._blocks, len(self.facts))
        packed = np.packbits(blocks, axis=1, bitorder="little")
        turned = np.ascontiguousarray(packed.transpose(0, 2, 1))
        self._memory[:, : len(self.facts)] = turned.view(np.uint64)
        self._lengths[numbers] = steps
        self._run(look=np.full_like(self._unused, ALL))

    # Copies

    def copy(self) -> Batch:
        """Another batch in the same state, which goes on by itself."""
        other: Batch = type(self).__new__(type(self))
        other.__setstate__(self.__getstate__())
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        arrays = {name: getattr(self, name).copy() for name in _KEPT}
        plain = {"game": self.game, "count": self._count, "resets": self.resets}
        return {**plain, "arrays": arrays, "memory": self._memory.copy()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.game, self._count, self.resets = kept["game"], kept["count"], kept["resets"]
        game = self.game
        self.roles, self.facts, self.moves = game.roles, game.layout.facts, moves_of(game.layout)
        self._prepare()
        if kept["memory"].shape != self._memory.shape:
            lanes = WORD * kept["memory"].shape[-1]
            raise StateError(f"this batch was kept where a vector has {lanes} lanes; here it has {LANES}")
        self._memory[:] = kept["memory"]
        for name, array in kept["arrays"].items():
            if name.startswith("_"):
                getattr(self, name)[:] = array
            else:
                setattr(self, name, array)

    def __str__(self) -> str:
        return f"{self._count:,} games of {self.game.name}: {len(self.moves)} moves, {len(self.facts)} facts"

    def __repr__(self) -> str:
        return f"<Batch of {self}>"


def _lanes(blocks: Words) -> npt.NDArray[np.uint8]:
    """The bits of words, a byte each."""
    return np.unpackbits(np.ascontiguousarray(blocks).view(np.uint8).ravel(), bitorder="little")
