"""Random games -> weights of facts: an evaluation that the searches in machine code take, learnt in the start clock.

    f(s) = bias + the sum of w(p) over the facts p of s          for each role

Random games run in all lanes. Of each game one state is taken, every step as likely as any other, with what the roles
get at its end; a million of them take seconds. The weights are those of least squares, small ones preferred (ridge
regression; Hoerl & Kennard 1970). A fifth of the games is kept back, and says how much of the differences the weights
explain: `explained`, 1 is all, 0 nothing.

Assumes that facts add up, and that what is good in random play is good. Needs a compiled game that hides nothing;
chance is as random as the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamemaster.codegen.vector import LANES, WORD
from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.native.engine import Engine, Stopwatch, play_of
from gamemaster.search.native.kernels.playouts import sample_games
from gamemaster.search.native.kernels.records import Floats, PlayoutArrays, Singles, Words
from gamemaster.search.native.warming import get_ready
from gamemaster.search.suitable import is_native, needs

__all__ = ["Learnt", "learn", "sample"]

MOST_GAMES = 20_000
MOST_BITS, MOST_WORK, MOST_FACTS = 8_000_000, 3_000_000_000, 600
"""The games times the facts, and times their square, are bounded: the fit shall not take much longer than the games. Of
more facts than these, those that differ most from game to game are kept."""

FEWEST_GAMES = 200
RARE = 0.005
"""A fact that holds in so small a share of the states, or in all but that, says nothing."""

RIDGE = 5.0
LONGEST = 600
KEPT_BACK = 5
SHOWN = 6


@dataclass(frozen=True)
class Learnt:
    """What facts are worth to each role, on a scale of 100."""

    roles: tuple[str, ...]
    facts: tuple[Term, ...]
    weights: Floats  # [roles, facts]
    biases: Floats  # [roles]
    explained: tuple[float, ...]
    games: int

    def telling(self, role: str, count: int = SHOWN) -> list[tuple[Term, float]]:
        """The facts that count most for or against a role, the best first."""
        weights = self.weights[self.roles.index(role)]
        order = np.argsort(-np.abs(weights), kind="stable")[:count]
        found = [(self.facts[i], float(weights[i])) for i in order if weights[i]]
        return sorted(found, key=lambda pair: -pair[1])

    def row_weights(self, engine: Engine) -> Floats:
        """The weights of all bits of a row [roles, bits]: only facts have some."""
        weights = np.zeros((len(self.roles), engine.row_words * WORD))
        weights[:, : len(self.facts)] = self.weights
        return weights

    def __str__(self) -> str:
        lines = [f"learnt from {self.games:,} random games"]
        for role, share in zip(self.roles, self.explained, strict=True):
            lines.append(f"{role} ({share:.0%} explained)")
            lines += [f"{weight:+8.1f}  {fact}" for fact, weight in self.telling(role)]
        return "\n".join(lines)


def learn(
    engine: Engine, state: State, seconds: float | None, seed: int = 0, games: int = MOST_GAMES
) -> Learnt:
    """Weights from random games that begin in a state; Unsuitable where there are too few to learn from."""
    if not is_native(engine.game, with_chance=True):
        raise Unsuitable(f"learning {needs(engine.game, with_chance=True)}")
    get_ready(engine.game, "learning")
    most = MOST_BITS // max(1, len(engine.game.layout.facts))
    rows, rewards = sample(engine, state, seconds, seed, min(games, most))
    if len(rows) < FEWEST_GAMES:
        raise Unsuitable(f"{len(rows)} games of {engine.game.name} are too few to learn from")
    facts = engine.game.layout.facts
    bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")[:, : len(facts)].astype(np.float32)
    weights, biases, explained = _fitted(bits, (rewards * 100).astype(np.float32))
    return Learnt(engine.game.roles, facts, weights, biases, explained, len(rows))


def sample(
    engine: Engine, state: State, seconds: float | None, seed: int, games: int
) -> tuple[Words, Floats]:
    """States of random games [games, words], and what each role got [games, roles]."""
    play: PlayoutArrays = play_of(engine, seed)
    roles = len(engine.game.roles)
    rows, rewards = np.zeros((games, engine.state_words), np.uint64), np.zeros((games, roles))
    taken = np.zeros((LANES, engine.state_words), np.uint64)
    start = engine.row_of(state)[: engine.state_words].reshape(1, -1).copy()
    with Stopwatch(seconds) as watch:
        made = sample_games(play, start, rows, rewards, taken, LONGEST, watch.stop)
    return rows[:made], rewards[:made]


def _fitted(bits: Singles, rewards: Singles) -> tuple[Floats, Floats, tuple[float, ...]]:
    """Weights [roles, facts], biases [roles], and the share of differences explained in games kept back."""
    held = bits.mean(axis=0)
    useful = np.flatnonzero((held > RARE) & (held < 1 - RARE))
    if len(useful) > MOST_FACTS:
        spread = held[useful] * (1 - held[useful])
        useful = np.sort(useful[np.argsort(-spread, kind="stable")[:MOST_FACTS]])
    most = MOST_WORK // max(1, len(useful)) ** 2
    chosen, rewards = bits[:most, useful], rewards[:most]
    is_test = np.arange(len(chosen)) % KEPT_BACK == 0
    centre, mean = chosen[~is_test].mean(axis=0), rewards[~is_test].mean(axis=0)
    centred = chosen[~is_test] - centre
    gram = centred.T @ centred + RIDGE * np.eye(len(useful), dtype=np.float32)
    found = np.linalg.solve(gram, centred.T @ (rewards[~is_test] - mean)) if len(useful) else centred.T
    guesses = (
        (chosen[is_test] - centre) @ found + mean if len(useful) else np.broadcast_to(mean, (1, len(mean)))
    )
    weights = np.zeros((rewards.shape[1], bits.shape[1]))
    biases = mean.copy()
    if len(useful):
        weights[:, useful] = found.T
        biases = mean - centre @ found
    return weights, biases, _explained(guesses, rewards[is_test])


def _explained(guesses: Singles, rewards: Singles) -> tuple[float, ...]:
    """1 - squared errors / squared differences from the mean, for each role; 0 where all get the same."""
    differences = ((rewards - rewards.mean(axis=0)) ** 2).sum(axis=0)
    errors = ((rewards - guesses) ** 2).sum(axis=0)
    shares = np.where(differences > 1e-9, 1 - errors / np.maximum(differences, 1e-9), 0.0)
    return tuple(float(max(0.0, share)) for share in shares)
