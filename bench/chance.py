"""Games of chance: playouts, Monte Carlo tree search and expectiminimax per CPU second, beside OpenSpiel's.

    python bench/chance.py [--seconds 1] [--rounds 3] [--json] [GAME ...]     default: backgammon pig

The same game on both sides, one core, CPU time, the best of several rounds in which the two take turns. Playouts are
random games to the end: OpenSpiel's in C++, many for one simulation of its search, as it has no other way to run them.
MCTS: its MCTSBot in C++ beside our tree, from the first state with a choice, each time as many simulations of a new
tree; one ends in one playout, or where the tree knows how the game ends. Expectiminimax: OpenSpiel has it in Python
only; states visited.

Pig is checked move by move to be the same game. In backgammon the rules are the same, but a turn of two checkers is one
action of OpenSpiel's and two moves of ours. Exits with 1 where a goal is missed: 10 times its playouts, 5 times its
simulations.
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

from peer import RULES, compiled

from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.machine.game import RANDOM
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import Engine, engine_of
from gamemaster.search.native.expectiminimax import Expectiminimax
from gamemaster.search.native.mcts import NativeTree
from gamemaster.search.native.warming import get_ready

RULES_OF = {"backgammon": "backgammon", "pig": str(RULES / "pig.hrf")}
OURS, THEIRS = {"backgammon": 6, "pig": 14}, {"backgammon": 1, "pig": 4}
"""How deep expectiminimax goes: ours in steps, OpenSpiel's in actions, chance not counted."""

SIMULATIONS = {"backgammon": 2_000, "pig": 20_000}
"""Of one tree, here and there: it costs more to go down a larger one."""

ROLLOUTS, MEGABYTES = 100, 1_000
WAIT = 60.0
LEAST_PLAYOUTS, LEAST_MCTS = 10.0, 5.0
ACTIONS = {"roll": 0, "stop": 1} | {f"throw({face})": face - 1 for face in range(1, 7)}
"""Pig's moves as OpenSpiel counts them."""


@dataclass(frozen=True)
class Position:
    """The same state here and there, in which a role has a choice."""

    game: CompiledGame
    engine: Engine
    state: CompiledState
    role: str
    peer: Any  # OpenSpiel's game
    peer_state: Any


def position(name: str) -> Position:
    """The first state with a choice, with everything compiled that is measured."""
    import pyspiel

    game = compiled(RULES_OF[name])
    get_ready(game, "mcts", "expectiminimax")
    engine = engine_of(game)
    engine.wait(WAIT)
    game.lanes.background.wait("play", best=True)
    state = game.initial_state()
    while state.chooser in (None, RANDOM):
        state = state.next({role: state.legal_moves(role)[0] for role in state.movers})
    assert isinstance(state, CompiledState)
    peer = pyspiel.load_game(name)
    theirs = peer.new_initial_state()
    while theirs.is_chance_node():
        theirs.apply_action(theirs.legal_actions()[0])
    return Position(game, engine, state, str(state.chooser), peer, theirs)


def check_pig(games: int = 20) -> int:
    """How many states of random games are the same here and in OpenSpiel; SystemExit at the first that is not."""
    import pyspiel

    game, peer, generator, states = compiled(RULES_OF["pig"]), pyspiel.load_game("pig"), random.Random(1), 0
    for _ in range(games):
        ours, theirs = game.initial_state(), peer.new_initial_state()
        while not ours.is_terminal:
            states += 1
            mover = next(role for role in game.roles if str(ours.legal_moves(role)[0]) != "noop")
            moves = ours.legal_moves(mover)
            if sorted(ACTIONS[str(move)] for move in moves) != sorted(theirs.legal_actions()):
                sys.exit(f"pig: legal moves differ in {ours}")
            move = generator.choice(moves)
            theirs.apply_action(ACTIONS[str(move)])
            ours = ours.next({**dict.fromkeys(game.roles, "noop"), mover: str(move)})
        if not theirs.is_terminal() or [ours.goal(role) for role in game.roles[:2]] != [
            50 + 50 * value for value in theirs.returns()
        ]:
            sys.exit(f"pig: the end differs in {ours}")
    return states


# What is measured: each makes as much as it can in about so many seconds, and says how much


def playouts(at: Position, seconds: float) -> int:
    return at.game.playouts(seconds=seconds).playouts


def openspiel_playouts(at: Position) -> int:
    return _simulated(at, ROLLOUTS, 1) * ROLLOUTS


def simulations(at: Position, tree: NativeTree, count: int) -> int:
    tree.forget()
    tree.advance(at.state)
    tree.grow(None, count)
    return tree.result(at.role, 0.0).nodes


def _simulated(at: Position, rollouts: int, count: int) -> int:
    """So many simulations of OpenSpiel's search, each with so many playouts."""
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    bot = pyspiel.MCTSBot(at.peer, evaluator, 2**0.5, count, MEGABYTES, True, 1, False)
    return int(bot.mcts_search(at.peer_state).explore_count)


def visited(at: Position, depth: int) -> int:
    return Expectiminimax(at.engine, at.role).search(at.state, Budget(), depth).nodes


def openspiel_visited(at: Position, depth: int) -> int:
    """States that OpenSpiel's expectiminimax visits, which does not count them itself."""
    from open_spiel.python.algorithms import minimax

    count, plain = 0, minimax.expectiminimax

    def counting(*arguments: Any, **named: Any) -> Any:
        nonlocal count
        count += 1
        return plain(*arguments, **named)

    minimax.expectiminimax = counting
    try:
        counting(at.peer_state, depth, lambda _: 0.0, at.peer_state.current_player())
    finally:
        minimax.expectiminimax = plain
    return count


def rate(work: Callable[[], int], seconds: float) -> float:
    """How much is made per CPU second, if it is done again and again for so long."""
    made, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        made += work()
    return made / (time.process_time() - began)


def measure(name: str, seconds: float, rounds: int) -> dict[str, Any]:
    """All figures of one game."""
    at = position(name)
    tree, count = NativeTree(at.engine), SIMULATIONS[name]
    works: dict[str, tuple[Callable[[], int], Callable[[], int]]] = {
        "playouts": (lambda: playouts(at, seconds), lambda: openspiel_playouts(at)),
        "mcts": (lambda: simulations(at, tree, count), lambda: _simulated(at, 1, count)),
        "expectiminimax": (lambda: visited(at, OURS[name]), lambda: openspiel_visited(at, THEIRS[name])),
    }
    found: dict[str, Any] = {"game": name}
    for kind, (ours, theirs) in works.items():
        pairs = [(rate(ours, seconds), rate(theirs, seconds)) for _ in range(rounds)]
        here, there = (max(each) for each in zip(*pairs, strict=True))
        found[kind] = {"per_second": here, "openspiel_per_second": there, "ratio": here / there}
    return found


def is_enough(found: dict[str, Any]) -> bool:
    """Whether the goals are reached."""
    return bool(found["playouts"]["ratio"] >= LEAST_PLAYOUTS and found["mcts"]["ratio"] >= LEAST_MCTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=list(RULES_OF), metavar="GAME")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.games) - set(RULES_OF):
        parser.error(f"no game {', '.join(sorted(unknown))}; there are: {', '.join(RULES_OF)}")
    if "pig" in options.games and not options.json:
        print(f"pig: {check_pig():,} states of random games are the same here and there")
    if not options.json:
        print(f"{'game':12}{'':16}{'a CPU second':>16}{'OpenSpiel':>14}{'ratio':>9}")
    rows = []
    for name in options.games:
        rows.append(measure(name, options.seconds, options.rounds))
        if options.json:
            print(json.dumps(rows[-1]), flush=True)
            continue
        for kind in ("playouts", "mcts", "expectiminimax"):
            told = rows[-1][kind]
            line = f"{name:12}{kind:16}{told['per_second']:16,.0f}{told['openspiel_per_second']:14,.0f}"
            print(f"{line}{told['ratio']:8.0f}x", flush=True)
    sys.exit(0 if all(map(is_enough, rows)) else 1)


if __name__ == "__main__":
    main()
