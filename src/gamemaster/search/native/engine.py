"""A compiled game as the kernels of search want it: sizes, rows and terms. See kernels/.

An engine has buffers of its own, so it serves one thread. A `Stopwatch` ends a kernel when time is up, from another.

Kernels have to be compiled once for a machine, and the code of a game once for that game. No budget pays for that:
searches `get_ready` before their clock starts, however long it takes; whoever has a clock of its own asks
`prepare_search` to begin, and does without as long as it is not done.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence

import numba
import numpy as np

from gamemaster.codegen.cache import Cache, key_of
from gamemaster.codegen.kernel import Kernel
from gamemaster.codegen.native import host_key
from gamemaster.codegen.vector import WORD
from gamemaster.errors import GameIllDefined, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game, State
from gamemaster.machine.layout import TERMINAL
from gamemaster.machine.mistakes import reward_of
from gamemaster.machine.workshop import run_elsewhere
from gamemaster.search.budget import Budget
from gamemaster.search.native.kernels import compiling
from gamemaster.search.native.kernels.records import GameArrays, Pool, Words
from gamemaster.search.result import IN_PYTHON, WITHOUT_CODE
from gamemaster.search.suitable import is_native

__all__ = [
    "KINDS",
    "Engine",
    "Stopwatch",
    "caveat_of",
    "engine_of",
    "get_ready",
    "is_native",
    "make_ready",
    "prepare_search",
    "warm_up",
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
        self.block = np.zeros(WORD, np.uint16)
        self.pool: Pool | None = None  # a solver's, when there has been one
        self._forks: dict[str, tuple[Kernel, bool]] = {}

    def kernel(self, name: str) -> Kernel:
        """A kernel with a buffer of this engine's own, on the best tier there is."""
        source = self.game.search_kernel(name)
        fork, was_compiled = self._forks.get(name, (None, False))
        if fork is None or source.is_compiled != was_compiled:
            fork = source.fork()
            self._forks[name] = fork, source.is_compiled
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
            self.game.background.wait(name, max(0.0, deadline - time.monotonic()))

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


def make_ready(game: Game, seconds: float) -> bool:
    """Have the code made that searches run; whether it is, after so long at most: a large game takes a minute."""
    deadline = time.monotonic() + seconds
    return all(game.make_ready(job, deadline - time.monotonic()) for job in JOBS)


def prepare_search(game: Game, seconds: float, kinds: Sequence[str] | None = None) -> bool:
    """Have all compiled that a search in machine code takes; whether it is, after so long at most."""
    deadline = time.monotonic() + seconds
    return warm_up(max(0.0, seconds), kinds) and make_ready(game, deadline - time.monotonic())


def caveat_of(game: Game, kinds: Sequence[str] | None = None) -> str:
    """What a result notes that was found without machine code, since that was not at hand: not yet, or never."""
    has_failed = any(kind in _failures for kind in (KINDS if kinds is None else kinds))
    return WITHOUT_CODE if has_failed or any(job in game.failures for job in JOBS) else IN_PYTHON


def get_ready(game: CompiledGame, *kinds: str) -> None:
    """Have all that searches of these kinds take, however long that is: before a clock starts, never after.

    Unsuitable where kernels could not be compiled; what goes wrong with the code of the game is told as it is.
    """
    warm_up(None, kinds)
    for kind in kinds:
        if error := _failures.get(kind):
            raise Unsuitable(
                f"the kernels of {kind} cannot be compiled on this machine: {type(error).__name__}: {error}; "
                "take a search in Python, such as uct"
            ) from error
    make_ready(game, threading.TIMEOUT_MAX)
    for job in JOBS:
        game.search_kernel(job)  # what cannot be made is told here


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
        self._timer = None if seconds is None else threading.Timer(_waited(seconds), self.end)

    def end(self) -> None:
        """Stop what is running."""
        self.stop[0] = 1

    def __enter__(self) -> Stopwatch:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()


def _waited(seconds: float) -> float:
    """So many seconds as a timer can wait: no more than it counts, and never for too little."""
    return min(threading.TIMEOUT_MAX, max(LEAST_SECONDS, seconds))


# Warming up: numba compiles the kernels once for a machine, which takes some seconds of a core for each kind of search

TINY = """
role(a) role(b) init(turn(a)) init(left(2)) other(a,b) other(b,a) less(2,1) less(1,0)
legal(R,take(1)) :- true(turn(R))
legal(R,take(2)) :- true(turn(R))
legal(R,wait) :- other(R,S) & true(turn(S))
next(turn(R)) :- other(R,S) & true(turn(S))
next(left(Y)) :- true(left(X)) & less(X,Y)
terminal :- true(left(0))
goal(R,100) :- true(turn(R))
goal(R,0) :- other(R,S) & true(turn(S))
"""

_warming: dict[str, threading.Thread] = {}
_failures: dict[str, Exception] = {}
_lock = threading.Lock()


def warm_up(seconds: float | None = None, kinds: Sequence[str] | None = None) -> bool:
    """Have kernels compiled, or loaded where they were before; whether they are, after so long at most.

    `kinds` are some of KINDS, all by default; they are compiled side by side. What fails is never warm.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    kinds = tuple(KINDS) if kinds is None else kinds
    threads = [_warmer(kind) for kind in kinds]
    for thread in threads:
        thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
    return not any(thread.is_alive() for thread in threads) and not any(kind in _failures for kind in kinds)


def _warmer(kind: str) -> threading.Thread:
    """The thread that sees to a kind of kernels, which has begun."""
    with _lock:
        if kind not in _warming:
            name = f"gamemaster kernels of {kind}"
            _warming[kind] = threading.Thread(target=_warm_kind, args=(kind,), name=name, daemon=True)
            _warming[kind].start()
        return _warming[kind]


def _warm_kind(kind: str) -> None:
    """See to a kind of kernels; why it cannot be done is kept for whoever gets ready."""
    try:
        _warm(KINDS[kind])
    except Exception as error:
        _failures[kind] = error


def _warm(run: Callable[[], None]) -> None:
    """Have kernels compiled by another process, as whoever has a clock would feel it; then load them."""
    compiled, store = _compiled_key(run.__name__), Cache()
    if store.read(compiled) is None and run_elsewhere(run):
        store.write(compiled, b"by numba, see its own cache")
    run()


def _compiled_key(name: str) -> str:
    """The name of a note that numba has compiled some kernels: they, and what compiles them."""
    made_by = numba.__version__, sys.version, host_key(), os.environ.get("NUMBA_CACHE_DIR")
    return key_of("kernels", name, compiling.__file__, compiling.STAMP, *made_by)


def _tiny() -> tuple[Engine, State]:
    """A game to run kernels on."""
    from gamemaster.load import parse

    game = parse(TINY, dialect="hrf", machine="compiled").compiled
    assert game is not None
    return Engine(game), game.initial_state()


def run_tree_search() -> None:
    """Run every kernel of mcts once."""
    from gamemaster.search.native.mcts import NativeTree

    engine, state = _tiny()
    tree = NativeTree(engine, most_bytes=1 << 20)
    tree.advance(state)
    tree.grow(None, 300)
    tree.advance(state.next("take(1)"))
    tree.make_room()


def run_solver() -> None:
    """Run every kernel of the solver once."""
    from gamemaster.search.native.solver import Solver

    engine, state = _tiny()
    Solver(engine, "a").search(state, Budget(nodes=100))


def run_learning() -> None:
    """Run the kernel of learning once."""
    from gamemaster.search.native.learning import sample

    engine, state = _tiny()
    sample(engine, state, None, seed=0, games=256)


KINDS: dict[str, Callable[[], None]] = {
    "mcts": run_tree_search,
    "solver": run_solver,
    "learning": run_learning,
}
"""What kernels are for, and a function that runs all that this takes."""
