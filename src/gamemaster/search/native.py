"""A compiled game as the kernels of search want it: sizes, rows and terms. See kernels.py.

An engine has buffers of its own, so it serves one thread. A `Stopwatch` ends a kernel when time is up, from another.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np

from gamemaster.codegen.cache import Cache, key_of
from gamemaster.codegen.kernel import Kernel
from gamemaster.codegen.native import host_key
from gamemaster.errors import GameIllDefined, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.machine.workshop import is_run_elsewhere
from gamemaster.search import kernels
from gamemaster.search.budget import Budget
from gamemaster.search.kernels import Code, Pool

__all__ = ["Engine", "Stopwatch", "engine_of", "is_at_hand", "is_native", "is_ready", "not_ready", "warm_up"]

WORD = 64
NO_LIMIT = 1 << 62


def is_native(game: object) -> bool:
    """Whether the kernels can search a game: it is compiled, chance and hidden information play no part in it."""
    return isinstance(game, CompiledGame) and "random" not in game.roles and not game.has_percepts


class Engine:
    """The arrays that describe a game to the kernels, and what their numbers mean."""

    def __init__(self, game: CompiledGame) -> None:
        artifact = game.artifact
        self.game = game
        self.terms: list[Term] = [move for moves in artifact.moves for move in moves]
        counts = [len(moves) for moves in artifact.moves]
        goals = [len(values) for values in artifact.goals]
        self.state_words = _words(len(artifact.facts))
        self.row_words = self.state_words + _words(1 + sum(counts) + sum(goals))
        everybody = int(artifact.everybody_moves)
        sizes = [len(artifact.facts), self.state_words, self.row_words, len(counts), sum(counts), everybody]
        self.shape = np.array(sizes, np.int64)
        self.move_start = np.array([0, *np.cumsum(counts)], np.int64)
        self.goal_start = np.array([0, *np.cumsum(goals)], np.int64)
        self.goal_value = np.array(
            [_points(value) for values in artifact.goals for value in values], np.float64
        )
        self.best_goal = np.array(
            [max(map(_points, values), default=0) / 100 for values in artifact.goals], np.float64
        )
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

    def code(self) -> Code:
        """The game as the kernels want it."""
        expander, end = self.kernel("expand"), self.kernel("end")
        return Code(
            expander.words,
            expander.buffer,
            end.words,
            end.buffer,
            self.shape,
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
        if not is_ready(self.game, seconds):
            return
        for name in names:
            self.kernel(name)
            self.game.background.want(name)
        for name in names:
            self.game.background.wait(name, max(0.0, deadline - time.monotonic()))

    def row_of(self, state: CompiledState) -> Any:
        """The row of a state."""
        row = np.zeros(self.row_words, np.uint64)
        held = state.bits.ljust(self.state_words * 8, b"\0")
        seen = state.seen.to_bytes((self.row_words - self.state_words) * 8, "little")
        row[:] = np.frombuffer(held + seen, np.uint64)
        return row

    @staticmethod
    def follow(state: CompiledState, move: Term) -> CompiledState:
        """The state after a move by the role that chooses, the others making their only one."""
        joint = {role: state.legal_moves(role)[0] for role in state.movers}
        joint.update({role: move for role in joint if len(state.legal_moves(role)) > 1})
        return state.next(joint)

    def is_over(self, row: Any) -> bool:
        """Whether the state of a row is the last of its game."""
        return bool(int(row[self.state_words]) & 1)

    def role_number(self, role: str) -> int:
        """The number of a role."""
        self.game.check_role(role)
        return self.game.roles.index(role)


def is_ready(game: CompiledGame, seconds: float) -> bool:
    """Whether the kernels of searches can be run, after so long at most: those of a large game take a minute."""
    deadline = time.monotonic() + seconds
    return all(game.is_ready(job, deadline - time.monotonic()) for job in ("expand", "charge"))


def is_at_hand(game: CompiledGame, seconds: float) -> bool:
    """Whether whoever has a clock can search in machine code, after so long at most: all is compiled that it takes."""
    deadline = time.monotonic() + seconds
    return warm_up(max(0.0, seconds)) and is_ready(game, deadline - time.monotonic())


def _words(bits: int) -> int:
    return (bits + WORD - 1) // WORD


def _points(value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise GameIllDefined(f"goal {str(value)!r} is not a whole number") from None


def not_ready(algorithm: str, game: CompiledGame, budget: Budget) -> Unsuitable | None:
    """What to say where kernels cannot be made within half of a budget."""
    if budget.seconds is None or is_ready(game, budget.seconds / 2):
        return None
    return Unsuitable(f"{algorithm} has to wait for {game.name} to be made ready for it; try again later")


def engine_of(game: CompiledGame) -> Engine:
    """The engine of a game for the thread that asks."""
    engines: dict[int, Engine] = game.__dict__.setdefault("_engines", {})
    number = threading.get_ident()
    if number not in engines:
        engines[number] = Engine(game)
    return engines[number]


class Stopwatch:
    """Sets `stop[0]` after some seconds; a context manager."""

    def __init__(self, seconds: float | None) -> None:
        self.stop = np.zeros(1, np.int64)
        self._timer = None if seconds is None else threading.Timer(max(0.0, seconds), self.end)

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


# Warming up: numba compiles the kernels once for a machine, which takes some twenty seconds of one core

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

_warming: list[threading.Thread] = []
_lock = threading.Lock()


def warm_up(seconds: float | None = None) -> bool:
    """Have the kernels compiled, or loaded where they were before; whether they are, after so long at most."""
    with _lock:
        if not _warming:
            _warming.append(threading.Thread(target=_warm, name="gamemaster kernels", daemon=True))
            _warming[0].start()
    _warming[0].join(seconds)
    return not _warming[0].is_alive()


def _warm() -> None:
    """Have the kernels compiled by another process, as whoever has a clock would feel it; then load them."""
    compiled, store = _compiled_key(), Cache()
    if store.read(compiled) is None and is_run_elsewhere(run_kernels):
        store.write(compiled, b"by numba, see its own cache")
    run_kernels()


def _compiled_key() -> str:
    """The name of a note that numba has compiled the kernels: they, and what compiles them."""
    file = Path(kernels.__file__)
    status = file.stat()
    made_by = numba.__version__, sys.version, host_key(), os.environ.get("NUMBA_CACHE_DIR")
    return key_of("kernels", str(file), status.st_mtime_ns, status.st_size, *made_by)


def run_kernels() -> None:
    """Run every kernel once."""
    from gamemaster.load import parse
    from gamemaster.search.learning import learn
    from gamemaster.search.mcts import Tree
    from gamemaster.search.solver import solve

    game = parse(TINY, dialect="hrf", machine="compiled")
    state = game.initial_state()
    assert isinstance(game, CompiledGame)
    assert isinstance(state, CompiledState)
    solve(state, "a", Budget(nodes=100))
    tree = Tree(Engine(game), most_bytes=1 << 20)
    tree.advance(state)
    tree.grow(None, 300)
    following = state.next("take(1)")
    assert isinstance(following, CompiledState)
    tree.advance(following)
    learn(Engine(game), state, None, games=256)
