"""Where all moves of all positions lead, in lanes: a graph for the labels.

Behind the positions come one that stands for all that is outside, of which nothing is known, and *strays*: states that
moves lead to and that have facts no position has, such as a pawn that can be taken in passing. They are linked as
positions are, as far as they lead back to them in a few moves. Where a move takes a piece that is always there, such
as a king, play does not lead: that is no position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.vector import LANES
from gamemaster.errors import LimitExceeded, Unsuitable
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.kernels.endgame import NO_POSITION, UNKNOWN, judge, link
from gamemaster.search.native.kernels.graph import (
    CURSOR,
    EDGES,
    FIRST,
    FULL,
    MANY_CODES,
    OPEN,
    POSITION,
    ROW,
    ROWS,
    SEVERAL_CHOSE,
    VECTORS,
    Columns,
)
from gamemaster.search.native.kernels.records import Ints, Words
from gamemaster.search.native.kernels.retrograde import Graph
from gamemaster.solving.columns import Column
from gamemaster.solving.door import several_choose
from gamemaster.solving.endgame.numbering import Numbering
from gamemaster.solving.labels import Goals
from gamemaster.solving.positions import MOST_CODES, Stage, Tell, goals_of, new_desk

__all__ = ["Linker", "Links"]

BLOCK = 1 << 14
ROUNDS = 3
"""How often strays may lead to other strays before they are outside."""

BYTES = 40
"""The bytes of memory that a position takes, without its moves; a move takes BYTES_A_MOVE."""

BYTES_A_MOVE = 8


@dataclass(frozen=True)
class Links:
    """The graph, what codes mean, and the goals where a position is not over: None where they are not always the same.

    `positions` are those there are, without strays.
    """

    graph: Graph
    vectors: tuple[Goals, ...]
    resting: Goals | None
    positions: int
    strays: int
    unknown: int
    """The number of what is outside."""


class Linker:
    """Links positions, block by block."""

    def __init__(self, numbering: Numbering, memory: int, tell: Tell) -> None:
        self.numbering, self.memory, self.tell = numbering, memory, tell
        self.game = numbering.game
        self.engine = engine_of(self.game)
        self.desk = new_desk(self.engine)
        self.cursor = np.zeros(CURSOR, np.int64)
        self.edges = Column(np.uint32)
        self.edge_count = 0
        self.total = numbering.size + 1
        self.movers = np.full(self.total, -1, np.int8)
        self.ends = np.full(self.total, NO_POSITION, np.uint8)
        self.ends[-1] = UNKNOWN
        self.counts = np.zeros(self.total, np.uint16)
        self.strays = Column(np.uint64, self.engine.state_words)
        self.stray_count = np.zeros(1, np.int64)
        self.resting: set[bytes] = set()
        self._found = np.zeros(2 * numbering.pieces + 2, np.int64)

    def links(self) -> Links:
        """The whole graph."""
        for rows, numbers in self._blocks():
            self._link(rows, numbers)
            self._check_memory()
            self.tell(Stage("linking positions", int(numbers[-1]), self.numbering.size))
        self._link_strays()
        vectors = [
            goals_of(self.engine, self.desk, int(self.desk.vectors[i])) for i in range(self.cursor[VECTORS])
        ]
        positions = int((self.ends[: self.numbering.size] != NO_POSITION).sum())
        graph = Graph(self.movers, self.ends, self.counts, self.edges.array[: self.edge_count])
        return Links(
            graph, tuple(vectors), self._resting(), positions, int(self.stray_count[0]), self.numbering.size
        )

    def _blocks(self) -> Iterator[tuple[Words, Ints]]:
        bases = self.numbering.bases
        for material in range(len(bases) - 1):
            for first in range(bases[material], bases[material + 1], BLOCK):
                rows, numbers = self.numbering.rows_of(
                    material, first, min(bases[material + 1], first + BLOCK)
                )
                if len(rows):
                    yield rows, numbers

    def _link(self, states: Words, numbers: npt.NDArray[np.int64]) -> None:
        """Find out who moves in some states and where their moves lead; numbers go up from call to call."""
        rows = self._seen(states)
        movers, ends = np.zeros(len(rows), np.int8), np.zeros(len(rows), np.uint8)
        code = self.engine.code()
        self.check(int(judge(code, self.desk, rows, self.cursor, movers, ends)))
        self._note_goals(rows[ends == OPEN])
        counts = np.zeros(len(rows), np.uint16)
        self.cursor[[ROW, POSITION, FIRST]] = 0
        self.cursor[ROWS], self.cursor[EDGES] = len(rows), self.edge_count
        status = FULL
        while status == FULL:
            self.edges.reserve(int(self.cursor[EDGES]) + 2 * LANES)
            self.strays.reserve(int(self.stray_count[0]) + 2 * LANES)
            columns = Columns(states, movers, ends, counts, self.edges.array, self._no_slots)
            status = int(
                link(
                    self.engine.code(),
                    self.numbering.men,
                    columns,
                    self.desk,
                    rows,
                    self.strays.array,
                    self.cursor,
                    self._found,
                    self.stray_count,
                    self.numbering.size,
                )
            )
        self.movers[numbers], self.ends[numbers], self.counts[numbers] = movers, ends, counts
        self.edge_count = int(self.cursor[EDGES])

    _no_slots = np.zeros(1, np.uint64)

    def _seen(self, states: Words) -> Words:
        """Rows of states with what is seen in them."""
        layout, engine = self.game.layout, self.engine
        packed = np.ascontiguousarray(states.view(np.uint8).reshape(len(states), -1)[:, : layout.state_bytes])
        seen = self.game.lanes.observe(packed)
        rows = np.zeros((len(states), engine.row_words), np.uint64)
        rows[:, : engine.state_words] = states
        rows[:, engine.state_words :].view(np.uint8)[:, : seen.shape[1]] = seen
        return rows

    def _note_goals(self, rows: Words) -> None:
        """Remember the goals of states that are not over."""
        first, last = (
            self.engine.places.first_goal,
            self.engine.places.first_goal + int(self.engine.goal_start[-1]),
        )
        bits = np.unpackbits(
            np.ascontiguousarray(rows[:, first >> 6 : (last + 63) >> 6]).view(np.uint8),
            axis=1,
            bitorder="little",
        )
        wanted = np.packbits(bits[:, first & 63 : (first & 63) + last - first], axis=1)
        self.resting.update(each.tobytes() for each in np.unique(wanted, axis=0))

    def _resting(self) -> Goals | None:
        """The goals of all states that are not over, where these are always the same, one for each role."""
        if len(self.resting) != 1:
            return None
        bits = np.unpackbits(np.frombuffer(next(iter(self.resting)), np.uint8))
        held = np.flatnonzero(bits).tolist()
        starts = self.engine.goal_start.tolist()
        by_role = [[i for i in held if first <= i < last] for first, last in pairwise(starts)]
        if any(len(own) != 1 for own in by_role):
            return None
        return tuple(int(self.engine.goal_value[own[0]]) for own in by_role)

    # Strays

    def _link_strays(self) -> None:
        """Link strays, and those that come of them, for some rounds; what then is left leads outside."""
        done = 0
        for _ in range(ROUNDS):
            count = int(self.stray_count[0])
            if done == count:
                return
            self._grow(count)
            for first in range(done, count, BLOCK):
                last = min(count, first + BLOCK)
                states = self.numbering.without_clocks(self.strays.array[first:last])
                self._link(states, np.arange(first, last) + self.numbering.size + 1)
                self._check_memory()
            done = count
        edges = self.edges.array[: self.edge_count]
        edges[edges > self.numbering.size + done] = self.numbering.size
        self.stray_count[0] = done

    def _grow(self, strays: int) -> None:
        more = self.numbering.size + 1 + strays - len(self.movers)
        self.movers = np.concatenate([self.movers, np.full(more, -1, np.int8)])
        self.ends = np.concatenate([self.ends, np.full(more, UNKNOWN, np.uint8)])
        self.counts = np.concatenate([self.counts, np.zeros(more, np.uint16)])

    # Trouble

    def check(self, status: int) -> None:
        """An error where a kernel met what labels say nothing of."""
        if status == SEVERAL_CHOSE:
            raise several_choose(self.game)
        if status == MANY_CODES:
            raise Unsuitable(
                f"endgame: ends of {self.game.name} have more than {MOST_CODES} different goals of its roles"
            )

    def _check_memory(self) -> None:
        """LimitExceeded where labelling what was found would take more than is allowed."""
        needed = len(self.movers) * BYTES + self.edge_count * BYTES_A_MOVE
        if needed > self.memory:
            raise LimitExceeded(
                "memory",
                f"{self.memory >> 20:,} MB",
                doing=f"linking {self.numbering.size:,} positions of {self.game.name}",
                hint="--memory allows more",
            )
