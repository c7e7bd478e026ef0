"""Steps a second through each bridge, beside the framework's own version of the same game in the same run.

    python bench/bridges.py                       # all; --seconds for longer, --only pettingzoo, --json

A step is one action of one agent, with a legal action drawn at random and what an agent is told of it. Seconds are CPU
time, and the two take turns, so that a busy machine slows both. `times` is how often ours makes a step while theirs
makes one.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np

import gamemaster as gm

LANES = 1024
TURNS = 4
"""So often ours and theirs take turns."""

Run: TypeAlias = Callable[[], int]
"""Plays a while, an episode or some steps, and says how many steps those were."""


@dataclass(frozen=True)
class Pair:
    """The same game twice."""

    name: str
    ours: Run
    theirs: Run
    them: str


@dataclass(frozen=True)
class Result:
    """Steps a second."""

    name: str
    ours: float
    theirs: float
    them: str

    def row(self) -> str:
        """A line of the table."""
        times = self.ours / self.theirs
        return f"{self.name:42}{self.ours:14,.0f}{self.theirs:14,.0f}{times:10.2f}  {self.them}"


def loaded(name: str) -> gm.Game:
    """A game whose machine code is made, as that of a game that is played for long would be."""
    game = gm.load(name, machine="compiled")
    for job in ("observe", "advance"):
        game.wait_for(job)
    return game


# PettingZoo


def aec_episode(env: Any) -> Run:
    """An episode in which agents are asked one after the other."""

    def run() -> int:
        env.reset()
        steps = 0
        for agent in env.agent_iter():
            observation, _, is_terminated, is_truncated, _ = env.last()
            is_over = is_terminated or is_truncated
            env.step(None if is_over else env.action_space(agent).sample(observation["action_mask"]))
            steps += not is_over
        return steps

    return run


def parallel_episode(env: Any) -> Run:
    """An episode in which agents act at once; every action is legal in it."""

    def run() -> int:
        env.reset()
        steps = 0
        while env.agents:
            steps += len(env.agents)
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        return steps

    return run


def pettingzoo_pairs() -> Iterator[Pair]:
    """Games that PettingZoo has too."""
    from pettingzoo.classic import connect_four_v3, rps_v2, tictactoe_v3  # type: ignore[import-untyped]

    from gamemaster.bridges.pettingzoo import aec_env, parallel_env

    for name, theirs in (("tictactoe", tictactoe_v3), ("connectfour:standard", connect_four_v3)):
        ours = aec_env(loaded(name))
        yield Pair(f"pettingzoo AEC {name}", aec_episode(ours), aec_episode(theirs.env()), str(theirs.env()))
    rounds = 15
    at_once = parallel_env(loaded(f"roshambo:rounds={rounds}"))
    them = rps_v2.parallel_env(max_cycles=rounds)
    yield Pair("pettingzoo parallel roshambo", parallel_episode(at_once), parallel_episode(them), "rps_v2")


# Gymnasium


def vector_steps(env: Any, sampled: Callable[[dict[str, Any]], Any], steps: int) -> Run:
    """Some steps of a vector environment that goes on by itself."""
    infos = env.reset(seed=0)[1]

    def run() -> int:
        nonlocal infos
        for _ in range(steps):
            infos = env.step(sampled(infos))[4]
        return steps * int(env.num_envs)

    return run


def drawn_from_masks(generator: np.random.Generator) -> Callable[[dict[str, Any]], Any]:
    """Legal actions for all games, in the same way for both sides."""
    from gamemaster.bridges.lane_games import picked

    return lambda infos: picked(infos["action_mask"], generator)


def gymnasium_pairs() -> Iterator[Pair]:
    """Puzzles on lanes beside Gymnasium's SyncVectorEnv of single ones; self-play beside PettingZoo's."""
    from gymnasium.vector import SyncVectorEnv
    from pettingzoo.classic import connect_four_v3, tictactoe_v3

    from gamemaster.bridges.gymnasium import env, vector_env

    for name in ("eightpuzzle", "peg"):
        game = loaded(name)
        lanes = vector_env(game, LANES)
        single = SyncVectorEnv([lambda game=game: env(game)] * LANES)  # type: ignore[misc]
        ours = vector_steps(lanes, drawn_from_masks(np.random.default_rng(1)), 20)
        theirs = vector_steps(single, drawn_from_masks(np.random.default_rng(1)), 1)
        yield Pair(f"gymnasium {LANES} lanes of {name}", ours, theirs, "SyncVectorEnv of our Env")
    for name, other in (("tictactoe", tictactoe_v3), ("connectfour:standard", connect_four_v3)):
        lanes = vector_env(loaded(name), LANES, autoreset_mode="SameStep")
        ours = vector_steps(lanes, drawn_from_masks(np.random.default_rng(1)), 20)
        yield Pair(f"gymnasium {LANES} lanes of {name}", ours, aec_episode(other.env()), str(other.env()))


# OpenSpiel


def spiel_game(game: Any, *, is_observed: bool) -> Run:
    """A random game; who is to move looks at the state as a tensor, or at nothing but its legal actions."""
    generator = random.Random(1)

    def run() -> int:
        state = game.new_initial_state()
        steps = 0
        while not state.is_terminal():
            if is_observed:
                state.observation_tensor()
            state.apply_action(generator.choice(state.legal_actions()))
            steps += 1
        return steps

    return run


def openspiel_pairs() -> Iterator[Pair]:
    """Our games in OpenSpiel beside its own in C++ and in Python."""
    import pyspiel
    from open_spiel.python.games import tic_tac_toe  # noqa: F401  # registers itself

    from gamemaster.bridges.openspiel import openspiel_game

    names = {
        "tic_tac_toe": "tictactoe",
        "python_tic_tac_toe": "tictactoe",
        "connect_four": "connectfour:standard",
    }
    for theirs, name in names.items():
        for is_observed in (False, True):
            ours = spiel_game(openspiel_game(loaded(name)), is_observed=is_observed)
            them = spiel_game(pyspiel.load_game(theirs), is_observed=is_observed)
            yield Pair(f"openspiel {name}{', observed' * is_observed}", ours, them, theirs)


BRIDGES: dict[str, Callable[[], Iterator[Pair]]] = {
    "pettingzoo": pettingzoo_pairs,
    "gymnasium": gymnasium_pairs,
    "openspiel": openspiel_pairs,
}
"""The bridges, by name: each yields pairs to measure."""


def measured(pair: Pair, seconds: float) -> Result:
    """Both sides, in turns."""
    steps, used = {"ours": 0, "theirs": 0}, {"ours": 0.0, "theirs": 0.0}
    pair.ours(), pair.theirs()  # what is made when first used is not counted
    for _ in range(TURNS):
        for side, run in (("ours", pair.ours), ("theirs", pair.theirs)):
            began = time.process_time()
            while (now := time.process_time() - began) < seconds / TURNS:
                steps[side] += run()
            used[side] += now
    return Result(pair.name, steps["ours"] / used["ours"], steps["theirs"] / used["theirs"], pair.them)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--only", choices=BRIDGES, action="append", help="a bridge; may be given more than once"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="for each side of each pair")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of frameworks about themselves
    if not options.json:
        print(f"{'game':42}{'ours/s':>14}{'theirs/s':>14}{'times':>10}  them")
    for name in options.only or BRIDGES:
        for pair in BRIDGES[name]():
            result = measured(pair, options.seconds)
            print(json.dumps(asdict(result)) if options.json else result.row(), flush=True)


if __name__ == "__main__":
    main()
