"""Alpha-beta and Monte Carlo tree search in machine code, beside OpenSpiel's Python alpha-beta and its C++ MCTS.

    python bench/search.py [--seconds 1] [--json] [GAME ...]     default: tictactoe connectfour breakthrough

CPU time, the best of several rounds in which the two take turns. Alpha-beta: both search the same states to the same
depth, where a state is worth the goal its player has there; `states` are those visited, ours in all iterations from
depth 1 on; `time` is how many times as long OpenSpiel takes for that depth. MCTS: with proofs on both sides; an
iteration ends in a random playout, or where the tree already knows how the game ends. A tree that is proven is begun
anew.
Then what it takes to solve small games. OpenSpiel has no solver in C++ that Python can call.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from peer import PEERS, RULES, Line, compiled

from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledState
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import Engine, engine_of
from gamemaster.search.native.mcts import NativeTree
from gamemaster.search.native.solver import Solver

ROUNDS, SHORTEST = 5, 0.2
"""How often two take turns, and how many seconds a turn takes at least."""

WAIT = 60.0
"""Seconds to wait for machine code."""

FEWEST = 500
"""Simulations of OpenSpiel's MCTS to begin with: it looks at no clock."""

MEGABYTES = 1000
SOLVING = Budget(seconds=60)


@dataclass(frozen=True)
class Task:
    """A state of a game, so many random moves from the start, and how deep alpha-beta goes."""

    plies: int
    depth: int


TASKS = {"tictactoe": Task(0, 9), "connectfour": Task(4, 11), "breakthrough": Task(20, 7)}
"""Depths that Python can search in seconds; positions in which more happens than at the start."""


@dataclass(frozen=True)
class Position:
    """The same state here and there."""

    engine: Engine
    state: CompiledState
    line: Line
    role: str


def position(name: str, plies: int, seed: int = 1) -> Position:
    """The state after random moves, with everything compiled that searches need."""
    peer = PEERS[name]
    game = compiled(peer.rules)
    engine = engine_of(game)
    engine.wait(WAIT)
    state, line, generator, moves = game.initial_state(), Line(peer), random.Random(seed), list[Term]()
    for _ in range(plies):
        moves.append(generator.choice(state.legal_moves(str(state.control))))
        state = state.next(moves[-1])
    line.follow(moves)
    assert isinstance(state, CompiledState)
    return Position(engine, state, line, str(state.control))


def best_seconds(*works: Callable[[], object]) -> list[float]:
    """The least CPU time that each takes: what else runs on the machine only ever adds, and not always to the same."""
    found: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, seconds in zip(works, found, strict=True):
            began = time.process_time()
            while time.process_time() - began < SHORTEST:
                start = time.process_time()
                work()
                seconds.append(time.process_time() - start)
    return [min(seconds) for seconds in found]


# Alpha-beta


def alphabeta(at: Position, depth: int) -> dict[str, Any]:
    """Both searches of a state."""
    ours = Solver(at.engine, at.role).search(at.state, Budget(), depth)
    their_value, their_nodes = openspiel_count(at, depth)
    if ours.value != 50 + 50 * their_value:
        sys.exit(f"{at.engine.game.name}: value {ours.value} here, {their_value} in OpenSpiel, depth {depth}")
    seconds, their_seconds = best_seconds(
        lambda: Solver(at.engine, at.role).search(at.state, Budget(), depth),
        lambda: openspiel_value(at, depth),
    )
    return {
        "depth": depth,
        "nodes": ours.nodes,
        "seconds": seconds,
        "nodes_per_second": ours.nodes / seconds,
        "openspiel_nodes": their_nodes,
        "openspiel_seconds": their_seconds,
        "openspiel_nodes_per_second": their_nodes / their_seconds,
        "ratio_nodes": ours.nodes / seconds * their_seconds / their_nodes,
        "ratio_time": their_seconds / seconds,
    }


def openspiel_value(at: Position, depth: int) -> float:
    """What OpenSpiel's search finds."""
    from open_spiel.python.algorithms import minimax

    # what the goal of an open state is on OpenSpiel's scale
    worth = ((at.state.goal(at.role) or 0) - 50) / 50
    return float(minimax.alpha_beta_search(at.line.game, at.line.state, lambda _: worth, depth)[0])


def openspiel_count(at: Position, depth: int) -> tuple[float, int]:
    """Value and states visited by OpenSpiel's search, which does not count them itself."""
    from open_spiel.python.algorithms import minimax

    count, plain = 0, minimax._alpha_beta

    def counting(*arguments: Any, **named: Any) -> Any:
        nonlocal count
        count += 1
        return plain(*arguments, **named)

    minimax._alpha_beta = counting
    try:
        return openspiel_value(at, depth), count
    finally:
        minimax._alpha_beta = plain


# Monte Carlo tree search


def mcts(at: Position, seconds: float) -> dict[str, Any]:
    """Iterations per CPU second of both, the most of several turns."""
    tree, simulations = NativeTree(at.engine), openspiel_simulations(at, seconds)
    ours, theirs = 0.0, 0.0
    for _ in range(ROUNDS):
        ours = max(ours, rate(lambda: grown(tree, at, seconds), seconds))
        theirs = max(theirs, rate(lambda: openspiel_search(at, simulations), seconds))
    return {"iterations_per_second": ours, "openspiel_iterations_per_second": theirs, "ratio": ours / theirs}


def rate(work: Callable[[], int], seconds: float) -> float:
    """How much is made per CPU second, if it is done again and again for so long."""
    made, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        made += work()
    return made / (time.process_time() - began)


def grown(tree: NativeTree, at: Position, seconds: float) -> int:
    """The iterations of a new tree until it is proven, or time is up."""
    tree.forget()
    tree.advance(at.state)
    tree.grow(seconds)
    return tree.result(at.role, 0.0).nodes


def openspiel_search(at: Position, simulations: int) -> int:
    """The simulations of OpenSpiel's MCTS: as many as asked for, or until the state is proven."""
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(at.line.game, evaluator, 2**0.5, simulations, MEGABYTES, True, 1, False)
    return int(bot.mcts_search(at.line.state).explore_count)


def openspiel_simulations(at: Position, seconds: float) -> int:
    """How many simulations OpenSpiel's MCTS makes in about so many seconds, unless it proves the state before."""
    simulations = FEWEST
    while True:
        began = time.process_time()
        made = openspiel_search(at, simulations)
        used = time.process_time() - began
        if used > seconds / 2 or made < simulations:
            return simulations
        simulations = int(simulations * min(10.0, seconds / max(used, 1e-4)))


# Solving


def solve(name: str, rules: str) -> dict[str, Any]:
    """CPU seconds to solve a game from its start, with an empty table."""
    game = compiled(rules)
    engine, state = engine_of(game), game.initial_state()
    engine.wait(WAIT)
    role = str(state.control)
    result = Solver(engine, role).search(state, SOLVING)
    if not result.is_proven:
        return {"solved": name, "value": None}
    (seconds,) = best_seconds(lambda: Solver(engine, role).search(state, SOLVING))
    return {"solved": name, "value": result.value, "nodes": result.nodes, "seconds": seconds}


def solve_all() -> list[dict[str, Any]]:
    """The small games; OpenSpiel's Python beside ours where it is a matter of seconds."""
    rows = [
        solve("tictactoe", "tictactoe"),
        solve("connectfour 5x4", str(RULES / "connectfour_5x4.epilog")),
        solve("buttonsandlights", "buttonsandlights"),
    ]
    at = position("tictactoe", 0)
    assert rows[0]["value"] == 50 + 50 * openspiel_value(at, 9)
    (seconds,) = best_seconds(lambda: openspiel_value(at, 9))
    rows[0] |= {"openspiel_seconds": seconds, "ratio": seconds / rows[0]["seconds"]}
    return rows


# What is printed

HEADING = (
    f"{'game':14}{'depth':>6}{'states':>11}{'ms':>9}{'states/s':>13}{'OpenSpiel':>11}{'ms':>9}{'states/s':>11}"
    f"{'states/s':>10}{'time':>8}{'MCTS/s':>12}{'OpenSpiel':>11}{'ratio':>8}"
)


def row(found: dict[str, Any]) -> str:
    """A line of the table."""
    deep, wide = found["alphabeta"], found["mcts"]
    return (
        f"{found['game']:14}{deep['depth']:6}{deep['nodes']:11,}{deep['seconds'] * 1e3:9.2f}"
        f"{deep['nodes_per_second']:13,.0f}{deep['openspiel_nodes']:11,}{deep['openspiel_seconds'] * 1e3:9.0f}"
        f"{deep['openspiel_nodes_per_second']:11,.0f}{deep['ratio_nodes']:9.0f}x{deep['ratio_time']:7.0f}x"
        f"{wide['iterations_per_second']:12,.0f}{wide['openspiel_iterations_per_second']:11,.0f}"
        f"{wide['ratio']:7.1f}x"
    )


def solved_row(found: dict[str, Any]) -> str:
    """A line on a solved game."""
    if found["value"] is None:
        return f"{found['solved']:18} not solved within {SOLVING}"
    line = f"{found['solved']:18}{found['value']:6.0f}{found['nodes']:11,}{found['seconds'] * 1e3:11.2f}"
    if "ratio" in found:
        line += f"{found['openspiel_seconds'] * 1e3:17.0f}{found['ratio']:8.0f}x"
    return line


def measure(name: str, seconds: float) -> dict[str, Any]:
    """All figures of one game."""
    task = TASKS[name]
    at = position(name, task.plies)
    return {"game": name, "alphabeta": alphabeta(at, task.depth), "mcts": mcts(at, seconds)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(TASKS), metavar="GAME")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.games) - set(TASKS):
        parser.error(f"no game {', '.join(sorted(unknown))}; there are: {', '.join(TASKS)}")
    if not options.json:
        print(HEADING)
    for name in options.games:
        found = measure(name, options.seconds)
        print(json.dumps(found) if options.json else row(found), flush=True)
    if not options.json:
        print(f"\n{'solved':18}{'value':>6}{'states':>11}{'ms':>11}{'OpenSpiel Py ms':>17}{'ratio':>9}")
    for found in solve_all():
        print(json.dumps(found) if options.json else solved_row(found), flush=True)


if __name__ == "__main__":
    main()
