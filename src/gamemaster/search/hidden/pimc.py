"""Perfect-information sampling: each state that can be is searched as if it were known, and the values averaged.

All of them, where there is time; else as many as there is time for, drawn so that they stand for all. A move is worth
the mean of its values in those states, each as much as it is likely (perfect information Monte Carlo; Levy 1989,
Ginsberg 2001, who played bridge so).

Its flaw: that mean is not what the move is worth. Such a player expects to see everything from the next move on, so it
values a guess as if it could not miss, never pays for what it could learn, and does not bluff. Where little is hidden,
or soon known, that costs little (Long, Sturtevant, Buro & Furtak 2010). `ismcts` does not have it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.hidden.particles import thinned
from gamemaster.search.playouts.batches import forced, limited
from gamemaster.search.result import NOT_SEARCHED, SearchResult

__all__ = ["search", "search_beliefs"]

FEWEST_STATES = 16
"""So many states are searched at least, if there are so many: fewer, longer searches see further in each."""

TRIES = 8
"""A state is searched until each move was tried so often on average; with the time that this leaves, more of them."""


def search(state: State, role: str, budget: Budget, seed: int = 0) -> SearchResult:
    """The move that is best in a state that is known: there is nothing to average."""
    if only := forced("pimc", state, role):
        return only
    beliefs = Beliefs.given(state.game, role, random.Random(seed), {state: 1.0})
    return search_beliefs(beliefs, limited(budget), seed)


def search_beliefs(
    beliefs: Beliefs, budget: Budget, seed: int = 0, *, legal: Sequence[Term] | None = None
) -> SearchResult:
    """The move with the best mean value in the states that the game can be in, as many as there is time for.

    One of `legal`, by default the moves that the role has in all of them.
    """
    began, generator = time.perf_counter(), random.Random(seed)
    legal = beliefs.legal_moves() if legal is None else legal
    seconds = budget.seconds if budget.seconds is not None else 1.0
    search, results = find_algorithm("decoupled"), dict[State, SearchResult]()

    def look(state: State, share: float) -> None:
        limit = replace(budget, seconds=max(0.0, share))
        results[state] = search(state, beliefs.role, limit, seed=generator.getrandbits(32), lanes=False)

    weights = _open_states(beliefs)
    if weights:
        look(max(weights, key=weights.__getitem__), seconds / min(FEWEST_STATES, len(weights)))
        weights = _in_turn(weights, _affordable(seconds, results, len(legal)), generator)
    unseen = [state for state in weights if state not in results]
    for number, state in enumerate(unseen):
        left = seconds - (time.perf_counter() - began)
        if left <= 0:
            break
        look(state, left / (len(unseen) - number))
    told = [(results[state], weight) for state, weight in weights.items() if state in results]
    return _mean_of(beliefs.role, legal, told, began)


def _mean_of(
    role: str, legal: Sequence[Term], told: Sequence[tuple[SearchResult, float]], began: float
) -> SearchResult:
    """What searches of several states say together, each as much as its state weighs."""
    results = [result for result, _ in told]
    values = _means(legal, told)
    visits = {move: sum(result.visits.get(move, 0) for result in results) for move in legal}
    best = max(values or legal, key=lambda move: (values.get(move, 0.0), visits[move]), default=None)
    return SearchResult(
        f"pimc of {len(results)} states",
        role,
        best,
        values.get(best, 0.0) if best is not None else 0.0,
        values,
        visits,
        line=() if best is None else (best,),
        depth=max((result.depth for result in results), default=0),
        nodes=sum(result.nodes for result in results),
        playouts=sum(result.playouts for result in results),
        seconds=time.perf_counter() - began,
        notes="" if values or len(legal) < 2 else NOT_SEARCHED,
    )


def _open_states(beliefs: Beliefs) -> dict[State, float]:
    """The states in which the game goes on, and what they weigh."""
    pairs = zip(beliefs.states, beliefs.weights, strict=True)
    return {state: weight for state, weight in pairs if not state.is_terminal}


def _affordable(seconds: float, results: Mapping[State, SearchResult], moves: int) -> int:
    """How many states there is time for, as the first search went: it is a share of the time, however slow the game."""
    (first,) = results.values()
    quick = first.seconds / max(1, sum(first.visits.values())) * TRIES * moves
    return max(FEWEST_STATES, int(seconds / quick) if quick else FEWEST_STATES)


def _in_turn(weights: dict[State, float], most: int, generator: random.Random) -> dict[State, float]:
    """So many states at most, with weights that stand for all, in random order: time may run out before the last."""
    kept = list(thinned(weights, most, generator).items())
    generator.shuffle(kept)
    return dict(kept)


def _means(legal: Sequence[Term], told: Sequence[tuple[SearchResult, float]]) -> dict[Term, float]:
    """The mean value of each move in the states in which it was tried; moves that were tried in none are left out."""
    means: dict[Term, float] = {}
    for move in legal:
        tried = [(result.values[move], weight) for result, weight in told if result.visits.get(move)]
        if total := sum(weight for _, weight in tried):
            means[move] = sum(value * weight for value, weight in tried) / total
    return means
