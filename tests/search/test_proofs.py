"""What searches call proven is true: held against all that can happen, on hundreds of positions.

A search that is stopped early, that has a table or a tree from the move before, or that meets goals of 100 where the
game goes on, says so most easily where it is not. What is claimed differs: most searches say what a role can be sure of
with all others against it, `maxn` and `mcts` what it gets where everybody plays for itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.players.classroom import Lookahead
from gamemaster.search import mcts, uct
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.greedy import greedy_tree
from gamemaster.search.native import engine_of
from gamemaster.search.pts import persistent_tree
from gamemaster.search.result import SearchResult
from gamemaster.search.solver import Solver, Weights
from tests.search.truth import Graph, Truth, endgames, graph_game

Run = Callable[[gm.State, str, Budget, int], SearchResult]


# What is claimed


Worth = dict[gm.State, tuple[float, float]]
"""The least and the most that a role can get from each state on, as it is claimed."""


@lru_cache(maxsize=64)
def worths(truth: Truth, role: str, claim: str) -> Worth:
    """What a claim says of all states."""
    if claim == "against all":
        return truth.against_all(role)
    if claim == "whatever others do":
        return truth.whatever_others_do(role)
    if claim == "best end":
        return {state: (low, low) for state, (low, _) in truth.against_all(role).items()}
    found = truth.for_oneself() if claim == "for oneself" else truth.max_n(role)
    return {state: (goals[role], goals[role]) for state, goals in found.items()}


@dataclass
class Verdict:
    """Proofs that were looked at, and what is wrong with some."""

    proofs: int = 0
    faults: list[str] = field(default_factory=list)

    def look(self, what: str, result: SearchResult, sample: Sample, claim: str) -> None:
        """Hold a result against the truth."""
        if not result.is_proven:
            return
        self.proofs += 1
        worth = worths(sample.truth, result.role, claim)
        for fault in faults_of(result, sample.state, sample.truth, worth):
            self.faults.append(f"{what}: {fault}; {result}; state {sample.state}")


def faults_of(result: SearchResult, state: gm.State, truth: Truth, worth: Worth) -> Iterator[str]:
    """What is not as a proof says."""
    place, value = truth.places[state], result.value
    if not is_equal((value, value), worth[state]):
        yield f"value {value}, really {worth[state]}"
    if place.mover == result.role and place.after:
        assert result.move is not None
        if not is_equal((value, value), worth[place.after[result.move]]):
            yield f"after {result.move} really {worth[place.after[result.move]]}"
    if result.algorithm == "solver":
        for move, told in result.values.items():
            low, high = worth[place.after[move]]
            if told + 1e-6 < high if move in result.at_most else not is_equal((told, told), (low, high)):
                yield f"{move} worth {told}, really {low} to {high}"
    yield from faults_of_line(result, state, truth, worth)


def faults_of_line(result: SearchResult, state: gm.State, truth: Truth, worth: Worth) -> Iterator[str]:
    """Whether the line can be played, and keeps what is proven on its whole way."""
    if truth.places[state].mover != result.role:
        return  # it begins with a move that is not told, somebody else's
    for number, move in enumerate(result.line):
        after = truth.places[state].after
        if truth.places[state].mover == "random":
            return
        if move not in after and len(after) == 1:
            move = next(iter(after))  # somebody's only move stands for that of all
        if move not in after:
            yield f"move {number} of the line, {move}, is not legal"
            return
        state = after[move]
        if not is_equal(worth[state], (result.value, result.value)):
            yield f"after move {number} of the line really {worth[state]}"
            return


def is_equal(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether two ranges are the same, chance's fractions apart."""
    return all(abs(a - b) < 1e-3 for a, b in zip(one, other, strict=True))


# Positions


@dataclass(frozen=True)
class Sample:
    """A state of some kind of game, and all that can happen from it on."""

    kind: str
    state: gm.State
    truth: Truth

    @property
    def mover(self) -> str:
        """Who chooses."""
        return str(self.truth.places[self.state].mover)

    def next_at_random(self, generator: random.Random) -> Sample:
        """The same after a move."""
        after = self.truth.places[self.state].after
        return replace(self, state=after[generator.choice(list(after))])


GRAPHS = {
    "duel": Graph(("a", "b"), is_duel=True),
    "pair": Graph(("a", "b"), waits=False),
    "trio": Graph(("a", "b", "c")),
    "circles": Graph(("a", "b"), is_cyclic=True, is_duel=True),
    "puzzle": Graph(("a",), ends=0.3),
    "maze": Graph(("a",), is_cyclic=True, ends=0.05),
    "gamble": Graph(("a", "b"), with_chance=True, ends=0.35),
}
LIBRARY = (
    "tictactoe",
    "connectfour",
    "breakthrough",
    "donttouch",
    "othello",
    "wythoff",
    "badtictactoe",
    "hex7x7",
    "kono",
    "badconnectfour",
)


@cache
def truth_of(kind: str) -> Truth:
    """The truth about a game that is made up."""
    return Truth(graph_game(GRAPHS[kind], seed=1).initial_state())


def samples_of(kind: str, count: int, seed: int = 1) -> list[Sample]:
    """Positions in which somebody has a choice."""
    if kind not in GRAPHS:
        return [Sample(kind, *found) for found in endgames(gm.load(kind), count, seed)]
    truth = truth_of(kind)
    choices = [state for state, place in truth.places.items() if len(place.after) > 1]
    return [Sample(kind, state, truth) for state in random.Random(seed).choices(choices, k=count)]


# Searches


def named(algorithm: str, **parameters: Any) -> Run:
    """A search of the catalogue with parameters."""

    def run(state: gm.State, role: str, budget: Budget, seed: int) -> SearchResult:
        return find_algorithm(algorithm)(state, role, budget, seed=seed, **parameters)

    return run


def lookahead(state: gm.State, role: str, budget: Budget, seed: int) -> SearchResult:
    """The classroom's minimax, to some depth."""
    search = Lookahead("minimax", role, budget.start(), random.Random(seed))
    search.run(state, seed % 6)
    return search.result()


ANYBODY: dict[str, Run] = {
    "minimax": named("minimax"),
    "minimax without memo": named("minimax", memo=False),
    "bounded": named("bounded", enough=51, hopeless=30),
    "alphabeta": named("alphabeta"),
    "alphabeta to depth 3": named("alphabeta", depth=3, null="auto", quiet=5.0, singular=20.0),
    "alphabeta without table": named("alphabeta", depth=5, table=False, ordering=()),
    "deepening": named("deepening", null="auto"),
    "paranoid": named("paranoid", evaluation="mobility", quiet=5.0),
    "maxn": named("maxn"),
    "expectimax": named("expectimax"),
}
"""Searches that can be asked for any role."""

CHOOSERS: dict[str, Run] = {
    "the classroom's minimax": lookahead,
    "mcs": named("mcs"),
    "mcs, 3 levels": named("mcs", levels=3),
    "greedy": named("greedy"),
    "pts": named("pts"),
    "uct": named("uct"),
    "grave": named("uct", amaf="grave"),
    "mcts": named("mcts"),
    "solver": named("solver"),
    "solver to depth 3": named("solver", depth=3),
    "solver to depth 4 at once": named("solver", depth=4, at_once=True),
}
"""Searches for the role that chooses."""

WITH_CHANCE = ("expectimax", "mcs", "mcs, 3 levels", "greedy", "pts", "uct", "grave")
FOR_PUZZLES: dict[str, Run] = {
    "maximizer": named("maximizer"),
    "idastar": named("idastar"),
    "idastar for 50": named("idastar", enough=50),
    "nested": named("nested"),
}
NODES = (1, 2, 3, 4, 5, 7, 9, 12, 18, 30, 50, 80, 150, 400)


def searches_for(kind: str) -> dict[str, Run]:
    """The searches that take a kind of game."""
    if kind == "gamble":
        return {name: run for name, run in {**ANYBODY, **CHOOSERS}.items() if name in WITH_CHANCE}
    return {**ANYBODY, **CHOOSERS, **(FOR_PUZZLES if kind in ("puzzle", "maze") else {})}


def claim_of(search: str, kind: str) -> str:
    """What a search claims in a kind of game; where two are against each other all claims are the same."""
    if search in FOR_PUZZLES:
        return "best end"
    if kind in ("pair", "trio") and search in ("maxn", "mcts"):
        return {"maxn": "max^n", "mcts": "for oneself"}[search]
    return "whatever others do" if search in ("uct", "grave") and kind == "trio" else "against all"


def tried(kind: str, count: int, seed: int = 1) -> Verdict:
    """Every search that takes a kind of game on so many positions of it, with budgets of all sizes."""
    verdict, generator = Verdict(), random.Random(f"{kind} {seed}")
    for sample in samples_of(kind, count, seed):
        for name, run in searches_for(kind).items():
            anybody = [role for role in sample.state.game.roles if role != "random"]
            role = generator.choice(anybody) if name in ANYBODY and generator.random() < 0.3 else sample.mover
            if role == "random" or len(sample.state.legal_moves(sample.mover)) < 2:
                continue
            nodes, number = generator.choice(NODES), generator.randrange(1_000)
            result = run(sample.state, role, Budget(nodes=nodes), number)
            what = f"{name} of {kind} for {role}, {nodes} nodes, seed {number}"
            verdict.look(what, result, sample, claim_of(name, kind))
    return verdict


@pytest.mark.parametrize("kind", GRAPHS)
def test_what_is_proven_is_true_of_games_made_up(kind: str) -> None:
    verdict = tried(kind, 12)
    assert verdict.faults == []
    assert verdict.proofs >= 20


@pytest.mark.parametrize("kind", ["tictactoe", "othello"])
def test_what_is_proven_is_true_of_some_endgames(kind: str) -> None:
    verdict = tried(kind, 8)
    assert verdict.faults == []
    assert verdict.proofs >= 30


@pytest.mark.slow
@pytest.mark.parametrize("kind", LIBRARY)
def test_what_is_proven_is_true_of_endgames(kind: str) -> None:
    verdict = tried(kind, 20, seed=2)
    assert verdict.faults == []
    assert verdict.proofs >= 60


@pytest.mark.slow
@pytest.mark.parametrize("kind", GRAPHS)
def test_what_is_proven_is_true_of_many_games_made_up(kind: str) -> None:
    verdict = tried(kind, 150, seed=2)
    assert verdict.faults == []
    assert verdict.proofs >= 200


# Tables and trees that are kept


Kept = Callable[[gm.State, Budget], SearchResult]


def kept_solver(sample: Sample, role: str, generator: random.Random, *, is_learnt: bool) -> Kept:
    """A solver that keeps its table, a small one; its evaluation is a goal, or anything up to 100."""
    engine = engine_of(sample.state.game)  # type: ignore[arg-type]
    bits = np.array([generator.choice((0, 0, 40, 100)) for _ in range(engine.row_words * 64)], float)
    solver = Solver(
        engine, role, Weights(bits) if is_learnt else None, table_bits=generator.choice((3, 8, 14))
    )
    return lambda state, budget: solver.search(state, budget)  # type: ignore[arg-type]


def kept_mcts(sample: Sample, role: str, generator: random.Random) -> Kept:
    """A tree in machine code."""
    settings = {"patience": generator.choice((0, 2)), "most_bytes": 1 << 20}
    tree = mcts.new_tree(sample.state, generator.randrange(1_000), **settings)
    return lambda state, budget: mcts.search_in(tree, state, role, budget)


def kept_tree(make: Callable[..., Any], sample: Sample, role: str, generator: random.Random) -> Kept:
    """A tree in Python."""
    tree = make(sample.state, role, generator.randrange(1_000))

    def search(state: gm.State, budget: Budget) -> SearchResult:
        tree.advance(state)
        result: SearchResult = tree.search(budget)
        return result

    return search


KEPT: dict[str, Callable[..., Kept]] = {
    "solver": partial(kept_solver, is_learnt=False),
    "solver that has learnt": partial(kept_solver, is_learnt=True),
    "mcts": kept_mcts,
    "uct": partial(kept_tree, uct.Tree),
    "greedy": partial(kept_tree, greedy_tree),
    "pts": partial(kept_tree, persistent_tree),
}


def played(kind: str, name: str, count: int, seed: int = 1) -> Verdict:
    """A search that keeps what it knows, asked again and again while games are played to their end."""
    verdict, generator = Verdict(), random.Random(f"{kind} {name} {seed}")
    for sample in samples_of(kind, count, seed):
        role = sample.mover
        search = KEPT[name](sample, role, generator)
        for _ in range(12):
            if not sample.truth.places[sample.state].after:
                break
            if sample.mover == role and len(sample.state.legal_moves(role)) > 1:
                for nodes in sorted(generator.sample(NODES, 3)):
                    what = f"kept {name} of {kind} for {role}, {nodes} nodes"
                    verdict.look(
                        what, search(sample.state, Budget(nodes=nodes)), sample, claim_of(name, kind)
                    )
            sample = sample.next_at_random(generator)
    return verdict


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("kind", ["duel", "trio", "circles", "tictactoe"])
def test_what_is_proven_with_what_was_kept_is_true(kind: str, name: str) -> None:
    verdict = played(kind, name, 6)
    assert verdict.faults == []
    assert verdict.proofs >= 3


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize(
    "kind", ["duel", "pair", "trio", "circles", "othello", "donttouch", "kono", "wythoff"]
)
def test_what_is_proven_with_what_was_kept_is_true_again_and_again(kind: str, name: str) -> None:
    verdict = played(kind, name, 25, seed=2)
    assert verdict.faults == []
    assert verdict.proofs >= 15
