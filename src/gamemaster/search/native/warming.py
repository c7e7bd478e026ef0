"""Getting ready: kernels have to be compiled once for a machine, and the code of a game once for that game.

No budget pays for that: searches `get_ready` before their clock starts, however long it takes; whoever has a clock of
its own asks `prepare_search` to begin, and does without as long as it is not done.

numba compiles kernels when they are first run, which takes some seconds of a core for each kind of search; so they are
run on a tiny game. Searches import this file to get ready: here they are imported only where they are run.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

import numba

from gamemaster.codegen.cache import Cache, key_of
from gamemaster.codegen.native import host_key
from gamemaster.errors import Unsuitable
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game, State
from gamemaster.machine.workshop import run_elsewhere
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import JOBS, Engine, make_ready
from gamemaster.search.native.kernels import compiling
from gamemaster.search.result import IN_PYTHON, WITHOUT_CODE

__all__ = ["KINDS", "LATER_KINDS", "caveat_of", "get_ready", "prepare_search", "tiny_game", "warm_up"]

_warming: dict[str, threading.Thread] = {}
_failures: dict[str, Exception] = {}
_lock = threading.Lock()


def warm_up(seconds: float | None = None, kinds: Sequence[str] | None = None) -> bool:
    """Have kernels compiled, or loaded where they were before; whether they are, after so long at most.

    `kinds` are some of KINDS and LATER_KINDS, by default all of KINDS; they are compiled side by side. What fails is
    never warm.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    kinds = tuple(KINDS) if kinds is None else kinds
    threads = [_warmer(kind) for kind in kinds]
    for thread in threads:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        thread.join(None if left is None else min(left, threading.TIMEOUT_MAX))  # a clock may never end
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
        _warm(_run_of(kind))
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


# What is run: every kernel of a kind of search once, on a tiny game

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


def tiny_game() -> tuple[Engine, State]:
    """A game to run kernels on."""
    from gamemaster.load import parse

    game = parse(TINY, dialect="hrf", machine="compiled").compiled
    assert game is not None
    return Engine(game), game.initial_state()


def run_tree_search() -> None:
    """Run every kernel of mcts once."""
    from gamemaster.search.native.mcts import NativeTree

    engine, state = tiny_game()
    tree = NativeTree(engine, most_bytes=1 << 20)
    tree.advance(state)
    tree.grow(None, 300)
    tree.advance(state.next("take(1)"))
    tree.make_room()


def run_solver() -> None:
    """Run every kernel of the solver once."""
    from gamemaster.search.native.prover import Prover
    from gamemaster.search.native.solver import Solver

    engine, state = tiny_game()
    Solver(engine, "a").search(state, Budget(nodes=100))
    Prover(engine.game, "a", memory=1).prove(state, Budget(nodes=100))


def run_expectations() -> None:
    """Run every kernel of expectiminimax once."""
    from gamemaster.search.native.expectiminimax import Expectiminimax

    engine, state = tiny_game()
    Expectiminimax(engine, "a", table_bits=4).search(state, Budget())


def run_proofs() -> None:
    """Run every kernel of proof-number search once."""
    from gamemaster.search.native.dfpn import ProofNumberSearch

    engine, state = tiny_game()
    prover = ProofNumberSearch(engine, "a", memory=1)
    prover.ask(state, 100, Budget(nodes=100))
    prover.children(engine.row_of(state), 100)


def run_learning() -> None:
    """Run the kernel of learning once."""
    from gamemaster.search.native.learning import sample

    engine, state = tiny_game()
    sample(engine, state, None, seed=0, games=256)


TINY_PUZZLE = """
role(a) init(left(3)) less(3,2) less(2,1) less(1,0)
legal(a,take) legal(a,wait)
next(left(Y)) :- true(left(X)) & less(X,Y) & does(a,take)
next(left(X)) :- true(left(X)) & does(a,wait)
terminal :- true(left(0))
goal(a,90) :- true(left(0))
"""


def run_puzzles() -> None:
    """Run every kernel of the searches that are for puzzles only once."""
    from gamemaster.load import parse
    from gamemaster.search.native.filling import run_filling
    from gamemaster.search.native.frontier import run_frontier
    from gamemaster.search.native.nrpa import run_policies

    game = parse(TINY_PUZZLE, dialect="hrf", machine="compiled")
    run_frontier(game.initial_state())
    run_policies(game.initial_state())
    run_filling(game.initial_state())


KINDS: dict[str, Callable[[], None]] = {
    "mcts": run_tree_search,
    "solver": run_solver,
    "dfpn": run_proofs,
    "expectiminimax": run_expectations,
    "learning": run_learning,
}
"""What kernels are for, and a function that runs all that this takes."""

LATER_KINDS = {
    "puzzles": "gamemaster.search.native.warming:run_puzzles",
    "judging": "gamemaster.search.native.self_play:run_judging",
    "decoupled": "gamemaster.search.playouts.joint_lanes:run_joint",
    "ismcts": "gamemaster.search.hidden.lane_trees:run_sets",
    "labels": "gamemaster.solving.solver:run_labels",
    "equilibrium": "gamemaster.solving.equilibrium.solver:run_regrets",
}
"""The same of others, imported when they are asked for; nobody gets ready for those who does not name them."""


def _run_of(kind: str) -> Callable[[], None]:
    """The function that runs the kernels of a kind."""
    if kind in KINDS:
        return KINDS[kind]
    module, _, name = LATER_KINDS[kind].partition(":")
    return cast("Callable[[], None]", getattr(import_module(module), name))
