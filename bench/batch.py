"""Steps per CPU second of a batch of games and of playouts by weights, beside OpenSpiel's and pgx's in the same run.

    python bench/batch.py [--seconds 2] [--games 4096] [--json] [GAME ...]

    batch      game.batch(4096), a random legal move of each mask chosen by numpy; mask, terminal and goals are read
    weights    game.playouts(weights=...), in machine code; the share is that of `uniform`
    uniform    game.playouts()
    spiel      OpenSpiel, a state after the other: a random one of legal_actions(), apply_action
    vector     OpenSpiel's SyncVectorEnv of 64 environments, a random legal action for each
    rollouts   OpenSpiel's own random games in C++, from the initial state
    pgx        vmap of pgx's step with auto_reset, a random legal action of each mask, 64 steps in one jit

CPU time of the process, all threads of it. pgx needs jax and is no part of this project: where it is not installed,
its column is empty, and a line says so.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import gamemaster as gm

SPIEL = {
    "tictactoe": "tic_tac_toe",
    "connectfour": "connect_four(rows=6,columns=8)",
    "connectfour:columns=7": "connect_four",
    "breakthrough": "breakthrough",
    "othello": "othello",
    "hex:large": "hex(board_size=11)",
    "chess": "chess",
}
PGX = {
    "tictactoe": "tic_tac_toe",
    "connectfour:columns=7": "connect_four",
    "othello": "othello",
    "hex:large": "hex",
    "chess": "chess",
}
GAMES = ("tictactoe", "connectfour", "connectfour:columns=7", "othello", "breakthrough")

ENVIRONMENTS = 64
ROLLOUTS = 300
SCAN = 64

Step = Callable[[], int]
"""Does some work and says how many steps that was."""


def rate(step: Step, seconds: float) -> float:
    """Steps per CPU second, the first call left out."""
    step()
    made, began = 0, time.process_time()
    while (used := time.process_time() - began) < seconds:
        made += step()
    return made / used


# Ours


def batch_rate(game: gm.Game, games: int, seconds: float) -> float:
    """A batch with a policy in numpy."""
    batch = game.batch(games, seed=1)
    game.wait_for("step")
    generator = np.random.default_rng(1)
    ended, gained = 0, np.zeros(len(game.roles))

    def steps() -> int:
        nonlocal ended, gained
        for _ in range(64):
            noise = generator.random(batch.legal.shape, dtype=np.float32)
            batch.step((noise * batch.legal).argmax(axis=1))
            ended += int(np.count_nonzero(batch.terminal))
            gained += np.nansum(batch.goals[0])
        return 64 * games

    return rate(steps, seconds)


def playout_rate(game: gm.Game, weights: Any, seconds: float) -> float:
    """Random games in machine code."""
    game.wait_for("play" if weights is None else "weigh")
    game.playouts(count=1, weights=weights)
    began = time.process_time()
    stats = game.playouts(seconds=seconds, weights=weights)
    return stats.moves / (time.process_time() - began)


def some_weights(game: gm.Game) -> dict[str, dict[gm.Term | str, float]]:
    """A weight from 1 to 9 for each move of each role."""
    assert game.compiled is not None
    roles = zip(game.roles, game.compiled.layout.moves, strict=True)
    return {role: {move: number * 7 % 9 + 1 for number, move in enumerate(moves)} for role, moves in roles}


# OpenSpiel


def spiel_rate(name: str, seconds: float) -> float:
    """One state after the other, from Python."""
    import pyspiel

    game, generator = pyspiel.load_game(name), random.Random(1)

    def play() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(generator.choice(state.legal_actions()))
            steps += 1
        state.returns()
        return steps

    return rate(play, seconds)


def vector_rate(name: str, seconds: float) -> float:
    """What OpenSpiel has for many games at once."""
    from open_spiel.python.rl_environment import Environment
    from open_spiel.python.vector_env import SyncVectorEnv

    games = SyncVectorEnv([Environment(name) for _ in range(ENVIRONMENTS)])
    generator, now = random.Random(1), games.reset()

    def step() -> int:
        nonlocal now
        observed = (one.observations for one in now)
        legal = (seen["legal_actions"][seen["current_player"]] for seen in observed)
        now = games.step([SimpleNamespace(action=generator.choice(own)) for own in legal], True)[0]
        return ENVIRONMENTS

    return rate(step, seconds)


def rollout_rate(name: str, mean_length: float, seconds: float) -> float:
    """Its random games in C++: one simulation of a search runs them, as no call of its own does."""
    import pyspiel

    game = pyspiel.load_game(name)
    bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(ROLLOUTS, 1), 2.0, 1, 1000, False, 1, False)
    state = game.new_initial_state()

    def search() -> int:
        bot.mcts_search(state)
        return round(ROLLOUTS * mean_length)

    return rate(search, seconds)


# pgx


def pgx_rate(name: str, games: int, seconds: float) -> float:
    """All games by one compiled function, moves drawn inside."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    stepped = jax.vmap(auto_reset(env.step, env.init))

    def one(carried: Any, _: Any) -> Any:
        state, key = carried
        key, own, other = jax.random.split(key, 3)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        state = stepped(state, jax.random.categorical(own, logits), jax.random.split(other, games))
        return (state, key), (state.terminated.sum(), state.rewards.sum())

    run = jax.jit(lambda carried: jax.lax.scan(one, carried, None, SCAN))
    first, key = jax.random.split(jax.random.PRNGKey(1))
    carried = jax.jit(jax.vmap(env.init))(jax.random.split(first, games)), key

    def steps() -> int:
        nonlocal carried
        carried, told = run(carried)
        jax.block_until_ready(told)
        return SCAN * games

    return rate(steps, seconds)


def has_pgx() -> bool:
    """Whether pgx is installed; if not, that is said."""
    try:
        import pgx  # noqa: F401
    except ImportError as error:
        print(f"pgx is left out: {error}")
        return False
    return True


def measure(name: str, games: int, seconds: float, with_pgx: bool) -> dict[str, Any]:
    """All figures of one game, in steps per CPU second."""
    game = gm.load(name, machine="compiled")
    found: dict[str, Any] = {"game": name, "batch": batch_rate(game, games, seconds)}
    found["weights"] = playout_rate(game, some_weights(game), seconds)
    found["uniform"] = playout_rate(game, None, seconds)
    if peer := SPIEL.get(name):
        found["spiel"] = spiel_rate(peer, seconds)
        found["vector"] = vector_rate(peer, seconds)
        found["rollouts"] = rollout_rate(peer, game.playouts(count=10_000).mean_length, seconds)
    if with_pgx and name in PGX:
        found["pgx"] = pgx_rate(PGX[name], games, seconds)
    return found


def row(found: dict[str, Any]) -> str:
    """A line of the table: millions of steps, and how many times those of others the batch makes."""
    line = f"{found['game']:22}{found['batch'] / 1e6:9.2f}{found['weights'] / 1e6:9.1f}"
    line += f"{found['uniform'] / 1e6:9.1f}{found['weights'] / found['uniform']:7.2f}"
    for peer in ("spiel", "vector", "rollouts", "pgx"):
        own = found.get(peer)
        line += f"{own / 1e6:10.3f}{found['batch'] / own:7.1f}x" if own else f"{'-':>10}{'-':>8}"
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="GAME", default=GAMES)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with_pgx = has_pgx()
    if not options.json:
        print(f"millions of steps per CPU second, {options.games:,} games in a batch; times: batch / peer")
        peers = "".join(f"{peer:>10}{'times':>8}" for peer in ("spiel", "vector", "rollouts", "pgx"))
        print(f"{'game':22}{'batch':>9}{'weights':>9}{'uniform':>9}{'share':>7}{peers}")
    for name in options.names:
        found = measure(name, options.games, options.seconds, with_pgx)
        print(json.dumps(found) if options.json else row(found), flush=True)


if __name__ == "__main__":
    main()
