"""A compiled game as the kernels of information sets want it: its code, and empty lanes. For one thread."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from gamemaster.codegen.kernel import aligned_words
from gamemaster.codegen.vector import LANES, WORD, WORDS
from gamemaster.search.hidden.lanes import Ints, Rows, Words, lane_game
from gamemaster.search.native.engine import Engine, engine_of
from gamemaster.search.native.kernels.set_records import LONGEST_PATH, LaneArrays, SetGame

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = ["LaneCode"]


class LaneCode:
    """The kernels `observe` and `advance` of a game, and memory for what runs in their lanes."""

    def __init__(self, game: CompiledGame, seed: int = 0, engine: Engine | None = None) -> None:
        self.game, self.numbers = game, lane_game(game)
        self.engine = engine or engine_of(game)
        roles, layout, generator = len(game.roles), game.layout, random.Random(seed)
        percepts = [len(own) for own in layout.percepts] if game.has_percepts else [0] * roles
        self.percept_start: Ints = np.array([0, *np.cumsum(percepts)], np.int64)
        self.seen_words = -(-game.kernels["observe"].code.outputs // WORD)
        self.percept_words = -(-max(1, sum(percepts)) // WORD)
        self.state_words = layout.places.state_words
        self.scratch = aligned_words(max(self.seen_words, self.percept_words, self.state_words) * WORD)
        self.lanes = LaneArrays(
            np.zeros((LANES, roles), np.uint64),
            np.zeros((LANES, self.seen_words), np.uint64),
            np.zeros((LANES, self.percept_words), np.uint64),
            np.zeros((LANES, roles), np.int64),
            np.zeros(LANES, np.int64),
            np.zeros(LANES, np.int64),
            np.zeros((LANES, LONGEST_PATH), np.int32),
            np.zeros((LANES, LONGEST_PATH), np.int32),
            np.zeros((LANES, LONGEST_PATH), np.int32),
            np.array([generator.getrandbits(64) | 1 for _ in range(2)], np.uint64),
            np.zeros(LANES),
            np.zeros(roles, np.int64),
            np.zeros(WORDS, np.uint64),
            np.zeros((LANES, self.state_words), np.uint64),
            np.zeros((LANES, LONGEST_PATH), np.int32),
        )
        for job in ("observe", "advance"):
            game.background.want(job)

    def arrays(self) -> SetGame:
        """The game, on the best tier there is."""
        engine, layout, numbers = self.engine, self.game.layout, self.numbers
        observe, advance = engine.kernel("observe"), engine.kernel("advance")
        return SetGame(
            observe.words,
            observe.buffer,
            advance.words,
            advance.buffer,
            observe.code.inputs,
            observe.code.outputs,
            advance.code.inputs,
            8 * layout.state_bytes,
            len(layout.facts),
            len(layout.roles),
            layout.all_moves,
            layout.moved,
            engine.chance,
            int(self.game.has_percepts),
            int(numbers.in_order),
            numbers.is_choice,
            engine.move_start,
            engine.goal_start,
            engine.goal_value,
            self.percept_start,
            numbers.move_marks,
            numbers.legal_marks,
            numbers.percept_marks,
            engine.block,
            self.scratch,
        )

    def words_of(self, rows: Rows) -> Words:
        """Rows of bytes as words of 64 bits."""
        words = np.zeros((len(rows), 8 * self.state_words), np.uint8)
        words[:, : rows.shape[1]] = rows
        return words.view(np.uint64)

    def bytes_of(self, words: Words) -> Rows:
        """The reverse."""
        return np.ascontiguousarray(words).view(np.uint8)[:, : self.game.layout.state_bytes].copy()
