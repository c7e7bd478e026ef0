"""How good learnt judgement is: against weights of a textbook, and against the truth.

    python bench/judgement.py othello [--games 200] [--depth 4] [--learn 60] [--seed 0]
    python bench/judgement.py connectfour [--games 20] [--ply 16] [--plies 20] [--seconds 1] [--learn 15]

othello: judgement learnt in so many seconds plays the squares' weights of a textbook (Norvig 1992), both in the same
alpha-beta to the same depth. Games come in pairs, sides swapped, after the same random opening. Prints the share of the
points that judgement won and its interval of 95 %, as pairs say.

connectfour (6x7): egghead plays both sides from a random open position of so many plies on; a proof to the end of the
game says what each position is worth before and after each of its moves. Prints how many games' next plies, that many
or to the end, were all played perfectly, and how many moves were.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

import gamemaster as gm
from gamemaster.language.terms import Compound
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.players.egghead import Egghead
from gamemaster.search.budget import Budget
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.judgement import Judgement, new_judgement
from gamemaster.search.native.judging import Judging
from gamemaster.search.native.prover import Prover
from gamemaster.search.native.self_play import learn_by_play
from gamemaster.search.native.solver import Solver
from gamemaster.search.native.warming import get_ready
from gamemaster.search.suitable import JUDGING

__all__ = ["TEXTBOOK", "Share", "by_textbook"]

TEXTBOOK = (
    (120, -20, 20, 5),
    (-20, -40, -5, -5),
    (20, -5, 15, 3),
    (5, -5, 3, 3),
)
"""Weights of the squares in a quarter of the board, from its corner on."""

POINT = 0.02
"""A point of those in logits; so large that nothing is rounded away, so small that nothing is beyond a guess."""

OPENING = 10
"""Random moves at first, fewer by one in every other pair."""

MOMENT = 20_000
"""Nodes of alpha-beta."""

MOST_SEEN = 60.0
"""Seconds for a proof."""


@dataclass
class Share:
    """Points of pairs of games, 0 to 2 each."""

    pairs: list[float]

    @property
    def mean(self) -> float:
        """Of a game."""
        return sum(self.pairs) / (2 * len(self.pairs))

    @property
    def error(self) -> float:
        """Half of the interval of 95 %."""
        shares = [points / 2 for points in self.pairs]
        spread = sum((share - self.mean) ** 2 for share in shares) / max(1, len(shares) - 1)
        return 1.96 * sqrt(spread / len(shares))

    def __str__(self) -> str:
        games = 2 * len(self.pairs)
        return f"{sum(self.pairs):g} of {games} games, {self.mean:.1%} ± {self.error:.1%}"


def ready(name: str) -> CompiledGame:
    """A game whose machine code is there."""
    game = gm.load(name).compiled
    assert game is not None
    get_ready(game, "mcts", "solver", "learning", JUDGING)
    return game


def by_textbook(engine: Engine, swing: int) -> Judgement:
    """Othello by weights of squares."""
    judgement = new_judgement(engine)
    for array in (judgement.net.columns, judgement.net.start, judgement.net.out):
        array[:] = 0
    judgement.net.out[0] = 1
    sides = {engine.game.roles[judgement.net.side]: POINT}
    for number, fact in enumerate(engine.game.layout.facts):
        if not isinstance(fact, Compound) or fact.functor != "cell":
            continue
        column, row, colour = map(str, fact.args)
        x, y = ord(column) - ord("a"), int(row) - 1
        weight = TEXTBOOK[min(y, 7 - y)][min(x, 7 - x)]
        judgement.net.columns[number, 0] = sides.get(colour, -POINT) * weight
    return Judgement(judgement.net._replace(swing=swing), judgement.slopes)


def opened(game: CompiledGame, generator: random.Random, plies: int) -> State:
    """An open state after so many random moves."""
    while True:
        state = game.initial_state()
        for _ in range(plies):
            if not state.is_over:
                state = state.next(state.random_moves(generator))
        if not state.is_over:
            return state


def undecided(game: CompiledGame, generator: random.Random, plies: int) -> State:
    """An open state that a moment of alpha-beta does not decide."""
    engine = Engine(game)
    while True:
        state = opened(game, generator, plies)
        if not Solver(engine, state.chooser or "").search(state, Budget(nodes=MOMENT)).is_proven:
            return state


def played(state: State, players: dict[str, Judging], depth: int) -> State:
    """The end of a game."""
    while not state.is_over:
        made = {role: state.legal_moves(role)[0] for role in state.movers}
        for role in state.choosers:
            made[role] = players[role].search(state, role, Budget(), depth).move or made[role]
        state = state.next(made)
    return state


def swing_of(engine: Engine, judgement: Judgement, seed: int) -> int:
    """By how much one move changes a score in the mean, twice: measured as self-play measures it."""
    game, generator = engine.game, random.Random(seed)
    role = game.roles[judgement.net.side]
    changes = []
    for _ in range(20):
        state = game.initial_state()
        while not state.is_over:
            after = state.next(state.random_moves(generator))
            shares = [judgement.value(engine, each, role) / 100 for each in (state, after)]
            logits = [np.log(share / (1 - share)) for share in np.clip(shares, 1e-6, 1 - 1e-6)]
            changes.append(abs(logits[1] - logits[0]))
            state = after
    return max(1, int(2000 * np.mean(changes)))


def play_othello(told: argparse.Namespace) -> None:
    """Print the share of judgement against the textbook."""
    game = ready("othello")
    engine = Engine(game)
    judgement = learn_by_play(engine, game.initial_state(), told.learn, told.seed)
    print(f"learnt from {judgement.games:,} games in {told.learn:g} s, foretold {judgement.explained:.0%}")
    book = by_textbook(engine, swing_of(engine, by_textbook(engine, 1), told.seed))
    ours, theirs = Judging(engine, judgement), Judging(engine, book)
    first, second = game.roles
    generator, share = random.Random(told.seed), Share([])
    while 2 * len(share.pairs) < told.games:
        state = opened(game, generator, OPENING - len(share.pairs) % 2)
        points = 0.0
        for role, players in (
            (first, {first: ours, second: theirs}),
            (second, {first: theirs, second: ours}),
        ):
            for player in (ours, theirs):
                player.forget()
            end = played(state, players, told.depth)
            other = second if role == first else first
            difference = (end.goal(role) or 0) - (end.goal(other) or 0)
            points += 0.5 + 0.5 * np.sign(difference)
        share.pairs.append(points)
    print(f"othello, depth {told.depth}: judgement against the textbook's weights {share}")


def judged_moves(
    told: argparse.Namespace, game: CompiledGame, state: State, prover: Prover
) -> Iterator[bool]:
    """Egghead's moves from a state on: whether each was perfect. Both sides know what the first has learnt."""
    players = {role: Egghead(seed=told.seed, threads=1) for role in game.roles}
    for role, player in players.items():
        player.start(role, game, told.learn, told.seconds)
    for _ in range(told.plies):
        if state.is_over:
            break
        role = state.chooser or ""
        before = _worth(prover, state, game.roles[0])
        players[role].resume(state)
        after = state.next(str(players[role].play()))
        yield _worth(prover, after, game.roles[0]) == before
        state = after
    for player in players.values():
        player.stop()


def _worth(prover: Prover, state: State, role: str) -> float:
    """What a state is worth to the prover's role, by a proof."""
    if state.is_over:
        return float(state.goal(role) or 0)
    proof = prover.prove(state, Budget(seconds=MOST_SEEN))
    if not proof.is_done:
        raise TimeoutError(f"no proof in {MOST_SEEN:g} s")
    return float(proof.lower)


def play_connectfour(told: argparse.Namespace) -> None:
    """Print how much of the end of connect four is played perfectly."""
    game = ready("connectfour:standard")
    prover = Prover(game, game.roles[0], memory=told.memory)
    generator = random.Random(told.seed)
    perfect = moves = right = 0
    for number in range(told.games):
        found = list(judged_moves(told, game, undecided(game, generator, told.ply), prover))
        perfect += all(found)
        moves, right = moves + len(found), right + sum(found)
        print(f"game {number + 1}: {sum(found)} of {len(found)} moves perfect", file=sys.stderr, flush=True)
    print(
        f"connectfour 6x7, {told.plies} plies from ply {told.ply} on, {told.seconds:g} s a move: "
        f"{perfect} of {told.games} games all perfect, {right} of {moves} moves"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Read what is asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", choices=["othello", "connectfour"])
    parser.add_argument("--games", type=int)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--learn", type=float)
    parser.add_argument("--ply", type=int, default=16)
    parser.add_argument("--plies", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--memory", type=int, default=1_000, help="megabytes of the proofs")
    parser.add_argument("--seed", type=int, default=0)
    told = parser.parse_args(argv)
    is_othello = told.game == "othello"
    told.games = told.games or (200 if is_othello else 20)
    told.learn = told.learn or (60.0 if is_othello else 15.0)
    (play_othello if is_othello else play_connectfour)(told)


if __name__ == "__main__":
    main()
