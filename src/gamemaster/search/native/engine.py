"""A compiled game as the kernels of search want it: sizes, rows and terms. See kernels/.

An engine has buffers of its own, so it serves one thread. A `Stopwatch` ends a kernel when time is up, from another.
"""

from __future__ import annotations

import random
import threading
import time

import numpy as np

from gamemaster.codegen.kernel import Kernel
from gamemaster.codegen.vector import LANES, WORD, WORDS
from gamemaster.errors import GameIllDefined
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.machine.layout import TERMINAL
from gamemaster.machine.mistakes import reward_of
from gamemaster.search.native.alarm import Alarm, set_alarm
from gamemaster.search.native.kernels.records import NO_CHANCE, GameArrays, PlayoutArrays, Pool, Words

__all__ = [
    "JOBS",
    "LEAST_SECONDS",
    "NO_LIMIT",
    "Engine",
    "Stopwatch",
    "engine_of",
    "make_ready",
    "play_of",
]

NO_LIMIT = 1 << 62
JOBS = ("expand", "charge")
"""The jobs of a game that searches in machine code take."""

LEAST_SECONDS = 0.01
"""However little time there is, a kernel gets so much: a move that was not searched is of no use."""


class Engine:
    """The arrays that describe a game to the kernels, and what their numbers mean."""

    def __init__(self, game: CompiledGame) -> None:
        self.game = game
        self.places = game.layout.places
        self.state_words, self.row_words = self.places.state_words, self.places.row_words
        moves, goals = game.layout.moves, game.layout.goals
        self.terms: list[Term] = [move for own in moves for move in own]
        self.move_start = np.array([0, *np.cumsum([len(own) for own in moves])], np.int64)
        self.goal_start = np.array([0, *np.cumsum([len(own) for own in goals])], np.int64)
        self.goal_value = np.array([_points(value) for own in goals for value in own], np.float64)
        self.best_goal = np.array([max(map(_points, own), default=0) / 100 for own in goals], np.float64)
        self.chance = game.roles.index(RANDOM) if RANDOM in game.roles else NO_CHANCE
        self.block = np.zeros(WORD, np.uint16)
        self.pool: Pool | None = None  # a solver's, when there has been one
        self._forks: dict[str, Kernel] = {}

    def kernel(self, name: str) -> Kernel:
        """A kernel with a buffer of this engine's own, on the best tier there is."""
        source = self.game.search_kernel(name)
        fork = self._forks.get(name)
        if fork is None or source.library is not fork.library:
            fork = self._forks[name] = source.fork()
        return fork

    def code(self) -> GameArrays:
        """The game as the kernels want it."""
        expander, end = self.kernel("expand"), self.kernel("end")
        return GameArrays(
            expander.words,
            expander.buffer,
            end.words,
            end.buffer,
            self.places,
            self.move_start,
            self.goal_start,
            self.goal_value,
            self.best_goal,
            self.chance,
            self.block,
        )

    def wait(self, seconds: float) -> None:
        """Wait for machine code, at most so long: the first tier is several times slower."""
        names = ("expand", "end", "charge")
        deadline = time.monotonic() + seconds
        if not make_ready(self.game, seconds):
            return
        for name in names:
            self.kernel(name)
            self.game.background.want(name)
        for name in names:
            self.game.background.wait(name, _left(deadline))

    def row_of(self, state: State) -> Words:
        """The row of a state."""
        own = self.game.own(state)
        row = np.zeros(self.row_words, np.uint64)
        held = own.bits.ljust(self.state_words * 8, b"\0")
        seen = own.seen.to_bytes((self.row_words - self.state_words) * 8, "little")
        row[:] = np.frombuffer(held + seen, np.uint64)
        return row

    @staticmethod
    def follow(state: State, move: Term) -> State:
        """The state after a move by the role that chooses, the others making their only one."""
        joint = {role: state.legal_moves(role)[0] for role in state.movers}
        joint.update({role: move for role in joint if len(state.legal_moves(role)) > 1})
        return state.next(joint)

    def is_over(self, row: Words) -> bool:
        """Whether the state of a row is the last of its game."""
        return bool(int(row[self.state_words]) & TERMINAL)

    def role_number(self, role: str) -> int:
        """The number of a role."""
        self.game.check_role(role)
        return self.game.roles.index(role)


def _left(deadline: float) -> float:
    """Seconds until then, as many as a lock can wait: a clock may never end."""
    return min(max(0.0, deadline - time.monotonic()), threading.TIMEOUT_MAX)


def make_ready(game: Game, seconds: float) -> bool:
    """Have the code made that searches run; whether it is, after so long at most: a large game takes a minute."""
    deadline = time.monotonic() + seconds
    return all(game.make_ready(job, deadline - time.monotonic()) for job in JOBS)


def _points(value: object) -> int:
    reward = reward_of(value)
    if reward is None:
        raise GameIllDefined(f"goal {str(value)[:40]!r} is no number that counts")
    return reward


def engine_of(game: CompiledGame) -> Engine:
    """The engine of a game for the thread that asks."""
    engines: dict[int, Engine] = game.__dict__.setdefault("_engines", {})
    number = threading.get_ident()
    if number not in engines:
        engines[number] = Engine(game)
    return engines[number]


class Stopwatch:
    """Sets `stop[0]` after some seconds, LEAST_SECONDS at least; a context manager."""

    def __init__(self, seconds: float | None) -> None:
        self.stop = np.zeros(1, np.int64)
        self.seconds = seconds
        self.alarm: Alarm | None = None

    def end(self) -> None:
        """Stop what is running."""
        self.stop[0] = 1

    def __enter__(self) -> Stopwatch:
        if self.seconds is not None:
            self.alarm = set_alarm(_waited(self.seconds), self.end)
        return self

    def __exit__(self, *_: object) -> None:
        if self.alarm is not None:
            self.alarm.put_off()


def _waited(seconds: float) -> float:
    """So many seconds as a timer can wait: no more than it counts, and never for too little."""
    return min(threading.TIMEOUT_MAX, max(LEAST_SECONDS, seconds))


def play_of(engine: Engine, seed: int) -> PlayoutArrays:
    """What playouts of a game need."""
    player = engine.kernel("charge")
    layout = engine.game.artifact.playout
    assert layout is not None  # it comes with the kernel
    generator = random.Random(seed)
    return PlayoutArrays(
        player.words,
        player.buffer,
        layout.slots,
        np.array([role for role, _ in layout.goals], np.int64),
        np.array([value for _, value in layout.goals], np.float64),
        np.array([generator.getrandbits(64) | 1 for _ in range(2)], np.uint64),
        np.zeros(LANES, np.int64),
        np.zeros(LANES, np.int64),
        np.zeros((len(engine.terms), WORDS), np.uint64),
        np.zeros(len(engine.game.roles)),
    )
