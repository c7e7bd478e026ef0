"""How fast games are solved, and how small the tables are: run by `python bench/solve.py`.

labels: labels a CPU second of `gamemaster solve` and bytes a position, beside the same labels by a plain Python
dictionary, twice: `dictionary` asks our compiled machine by `state.next`, `plain Python` the reference machine, which
is Python all the way, what somebody has without our compiler (its first labels only, as it is slow: a rate needs no
end). And OpenSpiel's value iteration where it has the game; all in this run, each the best of its rounds. What stands
in the way (loading, compiling) is left out on every side.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NamedTuple

import gamemaster as gm
from gamemaster.machine.game import Game, State
from gamemaster.solving.solver import solve_table

ROUNDS = 3
PLAIN_POSITIONS = 300
GAMES = (
    "tictactoe",
    "nim:first=7,second=7,third=7",
    "threecells:cells=13",
    "hex:size=3",
    "connectfour:columns=4,rows=4",
    "breakthrough:columns=3,rows=5",
)
LARGE = ("connectfour:small", "threecells:cells=19", "wythoff:left=60,right=60")
"""Too large for a plain dictionary in a moment: only our own rate is printed."""

OPENSPIEL = {
    "tictactoe": "tic_tac_toe",
    "hex:size=3": "hex(board_size=3)",
    "connectfour:columns=4,rows=4": "connect_four(rows=4,columns=4)",
}
"""The same games there, as far as it has them with these sizes and comes to an end in a minute."""


class Rate(NamedTuple):
    """Positions with a label, CPU seconds, and what the start is worth to who begins."""

    positions: int
    seconds: float
    value: float

    @property
    def a_second(self) -> float:
        """Labels a CPU second."""
        return self.positions / max(1e-9, self.seconds)


def best_of(rounds: int, run: Callable[[], tuple[int, float]]) -> Rate:
    """The quickest of some rounds."""
    rates = []
    for _ in range(rounds):
        gc.collect()
        began = time.process_time()
        positions, value = run()
        rates.append(Rate(positions, time.process_time() - began, value))
    return min(rates, key=lambda rate: rate.seconds)


def by_labels(game: Game) -> Rate:
    """The retrograde solver."""

    def run() -> tuple[int, float]:
        table = solve_table(game)
        return len(table), table.label().goals[0]

    run()  # compiles
    return best_of(ROUNDS, run)


def by_dictionary(game: Game) -> Rate:
    """The same labels by a plain walk with a dictionary: goals of all roles, the best for who moves."""

    def run() -> tuple[int, float]:
        known: dict[Any, tuple[int, ...]] = {}
        goals = _walk(game.initial_state(), game.roles, known)
        return len(known), goals[0]

    return best_of(1, run)


class _Enough(Exception):
    """So many positions were labelled."""


class _Known(dict[Any, tuple[int, ...]]):
    """Labels, until there are enough."""

    def __setitem__(self, key: Any, goals: tuple[int, ...]) -> None:
        super().__setitem__(key, goals)
        if len(self) >= PLAIN_POSITIONS:
            raise _Enough


def by_plain_python(name: str) -> Rate:
    """The same walk on the reference machine, to its end or to so many labels."""
    game = gm.load(name, machine="reference")

    def run() -> tuple[int, float]:
        known = _Known()
        with suppress(_Enough):
            return len(known), _walk(game.initial_state(), game.roles, known)[0]
        return len(known), 0

    return best_of(1, run)


def _walk(state: State, roles: tuple[str, ...], known: dict[Any, tuple[int, ...]]) -> tuple[int, ...]:
    found = known.get(state.key)
    if found is not None:
        return found
    if state.is_terminal:
        goals = tuple(state.goal(role) or 0 for role in roles)
    else:
        mover = state.control or roles[0]
        own = roles.index(mover)
        goals = max(
            (_walk(state.next(move), roles, known) for move in state.legal_moves(mover)),
            key=lambda each: each[own],
        )
    known[state.key] = goals
    return goals


def by_openspiel(name: str) -> Rate | str:
    """OpenSpiel's value iteration, which makes all states first; or why not.

    It takes minutes for millions of states, so large games are left out.
    """
    try:
        import pyspiel

        for_matrix_games = "open_spiel.python.algorithms.lp_solver"
        sys.modules.setdefault(
            for_matrix_games, ModuleType(for_matrix_games)
        )  # it takes cvxpy, and no turns do
        from open_spiel.python.algorithms import value_iteration
    except ImportError:
        return "not installed"
    try:
        game = pyspiel.load_game(OPENSPIEL[name])
    except pyspiel.SpielError as error:
        return str(error)[:60]

    def run() -> tuple[int, float]:
        values = value_iteration.value_iteration(game, depth_limit=-1, threshold=0.01)
        return len(values), values[str(game.new_initial_state())]

    return best_of(1, run)


def table_bytes(game: Game) -> tuple[float, float]:
    """Bytes a position, in memory and in a file."""
    table = solve_table(game)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        table.save(path)
        return table.figures.bytes, path.stat().st_size / len(table)


def labels(games: tuple[str, ...]) -> None:
    """Print labels a CPU second beside a dictionary's and OpenSpiel's, and bytes a position."""
    heads = (
        ("positions", 11),
        ("labels/s", 12),
        ("dictionary", 11),
        ("times", 7),
        ("plain Python", 14),
        ("times", 8),
        ("OpenSpiel", 11),
        ("times", 7),
    )
    print(f"{'game':34}" + "".join(head.rjust(size) for head, size in heads) + "  bytes in memory, in a file")
    for name in games:
        game = gm.load(name)
        ours, plain = by_labels(game), by_dictionary(game)
        assert (ours.positions, ours.value) == (plain.positions, plain.value), name
        slow = by_plain_python(name)
        theirs = by_openspiel(name) if name in OPENSPIEL else "not there"
        if isinstance(theirs, Rate):
            shown = f"{theirs.a_second:>11,.0f}{ours.a_second / theirs.a_second:>7,.0f}"
        else:
            shown = f"{theirs:>18}"
        memory, file = table_bytes(game)
        print(
            f"{name:34}{ours.positions:>11,}{ours.a_second:>12,.0f}{plain.a_second:>11,.0f}"
            f"{ours.a_second / plain.a_second:>7,.0f}"
            f"{slow.a_second:>14,.0f}{ours.a_second / slow.a_second:>8,.0f}{shown}  {memory:.0f}, {file:.2f}",
            flush=True,
        )


def large_labels(games: tuple[str, ...]) -> None:
    """Print our own rate where nothing else would end."""
    for name in games:
        game = gm.load(name)
        ours, (memory, file) = by_labels(game), table_bytes(game)
        print(
            f"{name:34}{ours.positions:>11,}{ours.a_second:>12,.0f}{'':58}  {memory:.0f}, {file:.2f}",
            flush=True,
        )


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("claims", nargs="*", help="labels; all by default")
    claims = parser.parse_args().claims or ["labels"]
    if "labels" in claims:
        labels(GAMES)
        large_labels(LARGE)


if __name__ == "__main__":
    main()
