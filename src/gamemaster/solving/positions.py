"""All positions that can come of some, layer by layer: those after one step, after two, ...

The kernel `explore` makes the moves of many positions in the lanes of one run, and looks up what comes of them among
all positions found so far. They are kept as they are found: facts, who moves, the code of the goals at an end, and
where each move leads. Beyond a limit of memory all that lives in files of a folder (`journal.py`), and only the table
in which positions are looked up stays in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gamemaster.codegen.vector import LANES
from gamemaster.errors import LimitExceeded, Unsuitable
from gamemaster.language.terms import Compound, Symbol
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.native.engine import Engine, engine_of
from gamemaster.search.native.kernels.graph import (
    CURSOR,
    DONE,
    EDGES,
    FIRST,
    FOUND,
    FULL,
    MANY_CODES,
    POSITION,
    ROW,
    ROWS,
    SEVERAL_CHOSE,
    VECTORS,
    Bench,
    Columns,
    add_roots,
    explore,
    rebuild,
)
from gamemaster.search.native.kernels.graph import find_positions as look_up
from gamemaster.search.native.kernels.records import Ints, Words
from gamemaster.solving.columns import Column
from gamemaster.solving.door import several_choose

__all__ = [
    "MOST_CODES",
    "Positions",
    "SolveLimits",
    "Stage",
    "Tell",
    "expected_total",
    "goals_of",
    "new_desk",
]

MOST_CODES = 200
"""So many different vectors of goals ends can have: one byte is a code, and some are kept for endless play."""

MOST_POSITIONS = (1 << 32) - 1 - LANES
RUNS = 2_048
"""How often lanes are filled before anybody hears of it: a fraction of a second."""

FIRST_SLOTS, SMALL = 1 << 15, 1 << 21


@dataclass(frozen=True)
class SolveLimits:
    """How much solving may take: bytes of memory, and positions."""

    memory: int = 2 << 30
    positions: int = MOST_POSITIONS
    stays_in_memory: bool = False
    """Whether to give up rather than have files."""


class Stage(NamedTuple):
    """How far solving is: so many of so many positions, as far as anybody can tell."""

    doing: str
    done: int
    expected: int | None = None
    layer: int = 0
    folder: Path | None = None
    """Where positions are kept, if not in memory."""


Tell = Callable[[Stage], None]


@dataclass
class Positions:
    """What is known of all positions; see Columns. `layers` has the number of the first position of each layer."""

    game: CompiledGame
    limits: SolveLimits = field(default_factory=SolveLimits)
    layers: list[int] = field(default_factory=lambda: [0])
    is_complete: bool = False
    folder: Path | None = None
    overflow: Callable[[], None] | None = None
    """Called when memory does not suffice: has the columns moved to files."""

    def __post_init__(self) -> None:
        self.engine = engine_of(self.game)
        width, row_width = self.engine.state_words, self.engine.row_words
        self.columns: dict[str, Column] = {
            "states": Column(np.uint64, width),
            "movers": Column(np.int8),
            "ends": Column(np.uint8),
            "counts": Column(np.uint16),
            "edges": Column(np.uint32),
            "rows0": Column(np.uint64, row_width),
            "rows1": Column(np.uint64, row_width),
        }
        self.slots = np.zeros(FIRST_SLOTS, np.uint64)
        self.cursor = np.zeros(CURSOR, np.int64)
        self.desk = new_desk(self.engine)

    def __len__(self) -> int:
        return int(self.cursor[FOUND])

    @property
    def moves(self) -> int:
        """How many moves there are in all positions."""
        return int(self.cursor[EDGES])

    # What is found

    def arrays(self) -> Columns:
        """All columns, with room."""
        columns = self.columns
        return Columns(
            columns["states"].array,
            columns["movers"].array,
            columns["ends"].array,
            columns["counts"].array,
            columns["edges"].array,
            self.slots,
        )

    def vectors(self) -> list[tuple[int, ...]]:
        """The goals of each code."""
        return [
            goals_of(self.engine, self.desk, int(self.desk.vectors[i])) for i in range(self.cursor[VECTORS])
        ]

    def numbers_of(self, states: Sequence[State]) -> Ints:
        """The numbers of states, -1 where a state is none of the positions."""
        rows = np.array([self.engine.row_of(state) for state in states], np.uint64).reshape(len(states), -1)
        numbers = np.empty(len(states), np.int64)
        look_up(self.arrays(), np.ascontiguousarray(rows[:, : self.engine.state_words]), numbers)
        return numbers

    def state_of(self, number: int) -> State:
        """The state of a position."""
        words = np.ascontiguousarray(self.columns["states"].array[number])
        size = self.game.layout.state_bytes
        return self.game.state_of_row(words.view(np.uint8)[:size], 0)

    # Finding

    def begin(self, states: Sequence[State]) -> None:
        """Take the positions to begin with as the first layer."""
        self._make_room()
        rows = np.array([self.engine.row_of(state) for state in states], np.uint64).reshape(len(states), -1)
        self.columns["rows0"].reserve(len(rows) + LANES)
        self._check(
            add_roots(
                self.engine.code(), self.arrays(), self.desk, rows, self.columns["rows0"].array, self.cursor
            )
        )
        self.cursor[ROWS] = self.cursor[FOUND]

    def run(self, tell: Tell, pause: Callable[[bool], None]) -> None:
        """Find all positions from the cursor on. `pause` is called between runs, with whether a layer was finished."""
        while not self.is_complete:
            layer, following = self._rows()
            status = explore(
                self.engine.code(), self.arrays(), self.desk, layer.array, following.array, self.cursor, RUNS
            )
            self._check(status)
            if status == FULL:
                self._make_room()
            if status == DONE:
                self._turn_layer()
            pause(status == DONE)
            tell(Stage("finding positions", len(self), self._expected(), len(self.layers), self.folder))

    def _expected(self) -> int | None:
        """About how many positions there will be; None where nobody can tell, or more than can be numbered."""
        expected = expected_total(self.layers)
        return None if expected is None or expected >= MOST_POSITIONS else expected

    def _rows(self) -> tuple[Column, Column]:
        """The rows of this layer and of the next."""
        both = self.columns["rows0"], self.columns["rows1"]
        return both if len(self.layers) % 2 else (both[1], both[0])

    def lengths(self) -> dict[str, int]:
        """How many rows of each column are final by now."""
        found, first, rows = (int(self.cursor[i]) for i in (FOUND, FIRST, ROWS))
        is_even = len(self.layers) % 2 == 1
        layer, following = rows, found - first - rows
        if self.is_complete:
            layer = following = 0
        return {
            "states": found,
            "movers": found,
            "ends": found,
            "counts": found if self.is_complete else first + int(self.cursor[ROW]),
            "edges": int(self.cursor[EDGES]),
            "rows0": layer if is_even else following,
            "rows1": following if is_even else layer,
        }

    def _turn_layer(self) -> None:
        """Go on with the next layer, if there is one."""
        first = int(self.cursor[FIRST] + self.cursor[ROWS])
        if first == len(self):
            self.is_complete = True
            return
        self.layers.append(first)
        self.cursor[FIRST], self.cursor[ROWS] = first, len(self) - first
        self.cursor[ROW] = self.cursor[POSITION] = 0

    def _check(self, status: int) -> None:
        """An error where the kernel met what labels say nothing of, or there are too many positions."""
        if status == SEVERAL_CHOSE:
            raise several_choose(self.game)
        if status == MANY_CODES:
            raise Unsuitable(
                f"solve: ends of {self.game.name} have more than {MOST_CODES} different goals of its roles"
            )
        if len(self) > self.limits.positions:
            raise LimitExceeded(
                "positions",
                f"{self.limits.positions:,}",
                doing=f"solving {self.game.name}",
                hint="--positions allows more",
            )

    # Room

    def _make_room(self) -> None:
        found = len(self) + LANES
        if found > MOST_POSITIONS:
            raise LimitExceeded("positions", f"{MOST_POSITIONS:,}", doing=f"solving {self.game.name}")
        _, following = self._rows()
        room = self.columns["states"].room_for(found)  # the kernel looks at that of the states only
        wanted = {
            **{self.columns[name]: room for name in ("states", "movers", "ends", "counts")},
            self.columns["edges"]: self.moves + LANES,
            following: found - int(self.cursor[FIRST] + self.cursor[ROWS]),
        }
        if self.folder is None and self._memory(wanted) > self.limits.memory:
            if self.overflow is None or self.limits.stays_in_memory:
                raise self._too_large(found)
            self._refuse_hopeless()
            self.overflow()
        for column, rows in wanted.items():
            column.reserve(rows)
        self._make_slots(found)

    def _memory(self, wanted: dict[Column, int]) -> int:
        """The bytes of memory that it would take to have room for so much."""
        held = sum(column.memory for column in self.columns.values() if column not in wanted)
        return held + sum(column.room_for(rows) * column.row_bytes for column, rows in wanted.items())

    def _make_slots(self, found: int) -> None:
        size = len(self.slots)
        while 2 * size < 3 * found:
            size *= 4 if size < SMALL else 2
        if size == len(self.slots):
            return
        if size * 8 > self.limits.memory:
            raise self._too_large(found)
        self.slots = np.zeros(size, np.uint64)
        rebuild(self.arrays(), len(self))

    def _refuse_hopeless(self) -> None:
        """No disk is filled for what will not be done: layers that grow so fast have no end in sight."""
        expected = expected_total(self.layers)
        if expected and expected >= MOST_POSITIONS == self.limits.positions:
            raise LimitExceeded(
                "positions",
                f"{MOST_POSITIONS:,}",
                doing=f"solving {self.game.name}, as far as its first {len(self.layers)} layers tell",
                hint="too large to label: `gamemaster think GAME --with solver` looks at one position, "
                "a smaller variant may do, and --folder DIR tries all the same",
            )

    def _too_large(self, found: int) -> LimitExceeded:
        return LimitExceeded(
            "memory",
            f"{self.limits.memory >> 20:,} MB",
            doing=f"looking up {found:,} positions of {self.game.name}",
            hint="--memory allows more",
        )

    def move_to(self, folder: Path) -> None:
        """Keep all columns in files of a folder from now on."""
        self.folder = folder
        for name, column in self.columns.items():
            column.move_to(folder / name, min(len(column.array), self.lengths()[name]))

    def restore(self) -> None:
        """Have a table and room again, after the columns were read from files."""
        self.slots = np.zeros(FIRST_SLOTS, np.uint64)
        self._make_slots(len(self) + LANES)
        if len(self.slots) == FIRST_SLOTS:
            rebuild(self.arrays(), len(self))
        if not self.is_complete:
            self._make_room()


def expected_total(layers: Sequence[int]) -> int | None:
    """About how many positions there will be, from the sizes of layers: they grow less and less, then shrink.

    The logarithm of a layer's growth falls about evenly. None before that can be seen.
    """
    sizes = [after - before for before, after in pairwise(layers[-9:])]
    if len(sizes) < 4 or layers[-1] < 1_000:
        return None
    growth = [math.log(after / before) for before, after in pairwise(sizes)]
    slope = (growth[-1] - growth[0]) / (len(growth) - 1)
    if slope >= 0:
        return None
    size, rate, total = float(sizes[-1]), growth[-1], float(layers[-1])
    while size >= 1 and total < MOST_POSITIONS:
        rate += slope
        size *= math.exp(min(rate, 10.0))
        total += size
    return int(total)


def new_desk(engine: Engine) -> Bench:
    """What exploring works with."""
    roles = len(engine.game.roles)
    facts = {fact: i for i, fact in enumerate(engine.game.layout.facts)}
    control = [facts.get(Compound(("control", Symbol(role))), -1) for role in engine.game.roles]
    sizes = [len(goals) + 1 for goals in engine.game.layout.goals]
    radix = [math.prod(sizes[:i]) for i in range(roles)]
    if math.prod(sizes) >= 1 << 63:
        raise Unsuitable(f"solve: the roles of {engine.game.name} have too many goals together")
    return Bench(
        np.zeros((LANES, engine.row_words), np.uint64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.uint64),
        np.zeros(64, np.uint64),
        np.array(control, np.int64),
        np.array(radix, np.uint64),
        np.zeros(MOST_CODES, np.uint64),
    )


def goals_of(engine: Engine, desk: Bench, number: int) -> tuple[int, ...]:
    """The goals of all roles that one number stands for: nothing is worth 0."""
    return tuple(_goals_of(engine, desk.radix, number))


def _goals_of(engine: Engine, radix: Words, number: int) -> Iterator[int]:
    for role in range(len(radix)):
        size = int(engine.goal_start[role + 1] - engine.goal_start[role]) + 1
        place = number // int(radix[role]) % size
        yield int(engine.goal_value[engine.goal_start[role] + place - 1]) if place else 0
