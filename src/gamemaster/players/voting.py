"""The states that a hidden game can be in -> a move: some are searched as if they were known, and the values averaged.

A move is worth the mean of its values in those states, each as much as it is likely (perfect information Monte Carlo;
Levy 1989, Ginsberg 2001). Such a player expects to see everything from the next move on, so it never pays for what it
could learn, and does not bluff; where little is hidden, or soon known, that costs little (Long, Sturtevant, Buro &
Furtak 2010).
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.players.beliefs import Beliefs, thinned
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.result import NOT_SEARCHED, SearchResult

__all__ = ["vote"]

MOST_STATES = 16
"""How many states are searched: fewer, longer searches see further in each."""


def vote(beliefs: Beliefs, legal: Sequence[Term], budget: Budget, generator: random.Random) -> SearchResult:
    """The move with the best mean value in some of the states that the game can be in."""
    began = time.perf_counter()
    seconds = budget.seconds if budget.seconds is not None else 1.0
    weights = _weights(beliefs, generator)
    results: list[SearchResult] = []
    for number, state in enumerate(weights):
        left = seconds - (time.perf_counter() - began)
        if left <= 0 and results:
            break
        share = Budget(seconds=max(0.0, left) / (len(weights) - number))
        seed = generator.getrandbits(32)
        results.append(find_algorithm("decoupled")(state, beliefs.role, share, seed=seed))
    told = list(zip(results, weights.values(), strict=False))  # the last states may not have been searched
    values = _means(legal, told)
    visits = {move: sum(result.visits.get(move, 0) for result in results) for move in legal}
    best = max(values or legal, key=lambda move: (values.get(move, 0.0), visits[move]))
    return SearchResult(
        f"mean of {len(results)} states",
        beliefs.role,
        best,
        values.get(best, 0.0),
        values,
        visits,
        line=(best,),
        depth=max((result.depth for result in results), default=0),
        nodes=sum(result.nodes for result in results),
        playouts=sum(result.playouts for result in results),
        seconds=time.perf_counter() - began,
        notes="" if values or len(legal) < 2 else NOT_SEARCHED,
    )


def _weights(beliefs: Beliefs, generator: random.Random) -> dict[State, float]:
    """The states to be searched and what they weigh, the likeliest first: time may not suffice for all."""
    open_states = {
        state: weight
        for state, weight in zip(beliefs.states, beliefs.weights, strict=True)
        if not state.is_terminal
    }
    kept = thinned(open_states, MOST_STATES, generator)
    return dict(sorted(kept.items(), key=lambda pair: -pair[1]))


def _means(legal: Sequence[Term], told: Sequence[tuple[SearchResult, float]]) -> dict[Term, float]:
    """The mean value of each move in the states in which it was tried; moves that were tried in none are left out."""
    means: dict[Term, float] = {}
    for move in legal:
        tried = [(result.values[move], weight) for result, weight in told if result.visits.get(move)]
        if total := sum(weight for _, weight in tried):
            means[move] = sum(value * weight for value, weight in tried) / total
    return means
