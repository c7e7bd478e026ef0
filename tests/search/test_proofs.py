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
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import find_algorithm
from gamemaster.search.native import mcts
from gamemaster.search.native.engine import engine_of
from gamemaster.search.native.kernels.records import LinearEvaluation
from gamemaster.search.native.options import MctsOptions
from gamemaster.search.native.solver import Solver
from gamemaster.search.playouts import uct
from gamemaster.search.puzzles import nested, planner
from gamemaster.search.result import SearchResult
from gamemaster.search.trees.deepening import Deepening
from gamemaster.search.trees.greedy import greedy_tree
from gamemaster.search.trees.pts import persistent_tree
from tests.search.puzzles import ONE_MOVE
from tests.search.sheets import nim
from tests.search.truth import RULES, Graph, Truth, endgames, graph_game

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
    return {state: (goals[role], goals[role]) for state, goals in truth.max_n(role).items()}


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
    if result.algorithm in ("solver", "dfpn"):
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
    "ties": Graph(("a", "b", "c"), goals=(0, 50, 100)),
    "high": Graph(("a", "b"), waits=False, goals=(200, 300, 600)),
    "low": Graph(("a", "b", "c"), ends=0.3, goals=(-50, -20, 30, 80)),
    "debt": Graph(("a",), ends=0.3, goals=(-50, -20, 30, 150)),
    "four": Graph(("a", "b", "c", "d"), goals=(0, 100), ends=0.25),
    "circles": Graph(("a", "b"), is_cyclic=True, is_duel=True),
    "puzzle": Graph(("a",), ends=0.3),
    "maze": Graph(("a",), is_cyclic=True, ends=0.05),
    "gamble": Graph(("a", "b"), with_chance=True, ends=0.35),
}
LIBRARY = (
    *("tictactoe", "badtictactoe", "connectfour", "badconnectfour", "donttouch", "hex7x7", "kono"),
    *("othello", "wythoff", "hunter", "peg", "knightstour", "hamilton", "jointbuttonsandlights"),
)
PUZZLES = ("debt", "puzzle", "maze", "hunter", "peg", "knightstour", "hamilton", "jointbuttonsandlights")


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


def breadth(state: gm.State, role: str) -> float:
    """An evaluation that is often as high as can be."""
    return 40.0 * len(state.legal_moves(role))


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
    "paranoid": named("paranoid", evaluation=breadth, quiet=5.0),
    "extended": named("extended", paths=2),
    "maxn": named("maxn"),
    "coalition": named("coalition"),
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
    "dfpn": named("dfpn", memory=1),
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
TURN_PASSED = "deepening that hands on the turn"
FOR_ONESELF = ("maxn", "coalition", "mcts")
MANY = ("trio", "ties", "four", "low")
ODD = ("high", "low", "debt")
"""Goals that are not from 0 to 100, which searches in machine code refuse, and the classroom's count on."""

NODES = (1, 2, 3, 4, 5, 7, 9, 12, 18, 30, 50, 80, 150, 400)


def searches_for(kind: str) -> dict[str, Run]:
    """The searches that take a kind of game."""
    if kind == "gamble":
        return {name: run for name, run in {**ANYBODY, **CHOOSERS}.items() if name in WITH_CHANCE}
    turns = {TURN_PASSED: named("deepening", null="turn")} if kind in ("tictactoe", "connectfour") else {}
    searches = {**ANYBODY, **CHOOSERS, **turns, **(FOR_PUZZLES if kind in PUZZLES else {})}
    is_refused = ("mcts", "solver", "dfpn", "the classroom") if kind in ODD else ()
    return {name: run for name, run in searches.items() if not name.startswith(is_refused)}


def claim_of(search: str, kind: str) -> str:
    """What a search claims in a kind of game; where two are against each other all claims are the same."""
    if search in FOR_PUZZLES:
        return "best end"
    if kind in ("pair", "high", *MANY) and search in FOR_ONESELF:
        return "max^n"
    return "whatever others do" if search in ("uct", "grave") and kind in MANY else "against all"


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
    assert verdict.proofs >= 15


@pytest.mark.slow
@pytest.mark.parametrize("kind", LIBRARY)
def test_what_is_proven_is_true_of_endgames(kind: str) -> None:
    verdict = tried(kind, 20, seed=2)
    assert verdict.faults == []
    assert verdict.proofs >= 30


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["puzzle", "peg", "hunter"])
def test_what_the_planner_proves_is_true(kind: str) -> None:
    verdict = Verdict()
    for sample in samples_of(kind, 6):
        result = planner.search(sample.state, sample.mover, Budget(seconds=600))
        verdict.look(f"planner of {kind}", result, sample, "best end")
    assert verdict.faults == []
    assert verdict.proofs >= 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", GRAPHS)
def test_what_is_proven_is_true_of_many_games_made_up(kind: str) -> None:
    verdict = tried(kind, 80, seed=2)
    assert verdict.faults == []
    assert verdict.proofs >= 100


# Tables and trees that are kept


Kept = Callable[[gm.State, Budget], SearchResult]


def kept_solver(sample: Sample, role: str, generator: random.Random, *, is_learnt: bool) -> Kept:
    """A solver that keeps its table, a small one; its evaluation is a goal, or anything up to 100."""
    engine = engine_of(sample.state.game)  # type: ignore[arg-type]
    bits = np.array([generator.choice((0, 0, 40, 100)) for _ in range(engine.row_words * 64)], float)
    solver = Solver(
        engine, role, LinearEvaluation(bits) if is_learnt else None, table_bits=generator.choice((3, 8, 14))
    )
    return lambda state, budget: solver.search(state, budget)


def kept_mcts(sample: Sample, role: str, generator: random.Random) -> Kept:
    """A tree in machine code."""
    options = MctsOptions(patience=generator.choice((0, 2)))
    tree = mcts.new_tree(sample.state, generator.randrange(1_000), options, most_bytes=1 << 20)
    return lambda state, budget: mcts.search_in(tree, state, role, budget)


def kept_tree(make: Callable[..., Any], sample: Sample, role: str, generator: random.Random) -> Kept:
    """A tree in Python."""
    tree = make(sample.state, role, generator.randrange(1_000))

    def search(state: gm.State, budget: Budget) -> SearchResult:
        tree.advance(state)
        result: SearchResult = tree.search(budget)
        return result

    return search


def kept_deepening(sample: Sample, role: str, generator: random.Random) -> Kept:
    """Alpha-beta in Python."""
    del sample
    deepening, seed = Deepening(), generator.randrange(1_000)
    return lambda state, budget: deepening.search(state, role, budget, seed, null="auto")


KEPT: dict[str, Callable[..., Kept]] = {
    "deepening": kept_deepening,
    "solver": partial(kept_solver, is_learnt=False),
    "solver that has learnt": partial(kept_solver, is_learnt=True),
    "mcts": kept_mcts,
    "uct": partial(kept_tree, uct.UctTree),
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
@pytest.mark.parametrize("kind", ["duel", "trio", "ties", "circles", "tictactoe"])
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
    verdict = played(kind, name, 12, seed=2)
    assert verdict.faults == []
    assert verdict.proofs >= 4


# One by one


def named_places(*lines: str, roles: tuple[str, ...]) -> gm.Game:
    """A game on a graph that is written down: turn, edge, pays and last, as truth.py has them; place s is the start."""
    start = [line.replace("at(0)", "at(s)") for line in RULES]
    return gm.parse("\n".join([*start, *(f"role({role})" for role in roles), *lines]), dialect="hrf")


HIDDEN = named_places(
    "turn(s,a) edge(s,1,lead) edge(s,2,trap)",
    "turn(lead,b) edge(lead,1,on) pays(lead,a,100) turn(on,a) edge(on,1,far) pays(on,a,100)",
    "turn(far,b) edge(far,1,away) pays(far,a,100) turn(away,a) edge(away,1,lost) pays(away,a,100)",
    "turn(trap,b) edge(trap,1,gift) edge(trap,2,snare)",
    "turn(gift,a) edge(gift,1,won) turn(snare,a) edge(snare,1,lost)",
    "last(won) pays(won,a,100) last(lost) pays(lost,a,0)",
    roles=("a", "b"),
)
"""It looks as if going to the lead wins, for long; the trap loses, though not all that b can do there."""


def test_a_bound_on_what_a_guess_hides_is_no_proof() -> None:
    state = HIDDEN.initial_state()
    results = [find_algorithm("solver")(state, "a", Budget(nodes=nodes)) for nodes in range(1, 60)]
    assert {result.value for result in results if result.is_proven} == {0}


SURE = named_places(
    "turn(s,a) edge(s,1,lead) edge(s,2,won) turn(lead,a) edge(lead,1,on) pays(lead,a,100)",
    "turn(on,a) edge(on,1,off) pays(on,a,100) turn(off,a) edge(off,1,lost) pays(off,a,100)",
    "last(won) pays(won,a,100) last(lost) pays(lost,a,0)",
    roles=("a",),
)


@pytest.mark.parametrize("name", ["solver", "mcs"])
def test_a_sure_win_is_preferred_to_one_that_is_guessed(name: str) -> None:
    result = find_algorithm(name)(SURE.initial_state(), "a", Budget(nodes=100))
    assert (str(result.move), result.value, result.is_proven) == ("go(2)", 100, True)


def test_a_proven_win_leaves_guesses_out() -> None:
    result = find_algorithm("solver")(SURE.initial_state(), "a", Budget(nodes=100))
    assert list(map(str, result.values)) == ["go(2)"]


def test_moves_that_mcs_has_not_seen_are_not_proven_to_be_worse() -> None:
    state = gm.parse(ONE_MOVE).initial_state()
    results = [find_algorithm("mcs")(state, "robot", Budget(nodes=nodes)) for nodes in (1, 2, 3)]
    assert [(result.value, result.is_proven) for result in results] == [(30, False), (100, True), (100, True)]


THIRD = named_places(
    "turn(s,a) edge(s,1,offer) edge(s,2,safe) last(safe) pays(safe,a,50)",
    "turn(offer,q) edge(offer,1,deal) edge(offer,2,thanks) last(thanks) pays(thanks,a,100) pays(thanks,q,30)",
    "turn(deal,m) edge(deal,1,slow) edge(deal,2,quick) last(quick) pays(quick,m,100) pays(quick,q,100)",
    "turn(slow,m) edge(slow,1,later) turn(later,m) edge(later,1,spite) pays(later,m,0) pays(slow,m,0)",
    "last(spite) pays(spite,m,100) pays(spite,q,0) pays(spite,a,0) pays(quick,a,0)",
    roles=("a", "m", "q"),
)
"""To m the quick end and the slow one are the same, to q they are not, and so to a."""


@pytest.mark.parametrize("depth", range(1, 8))
def test_a_third_role_may_care_which_of_two_equal_moves_is_made(depth: int) -> None:
    result = find_algorithm("maxn")(THIRD.initial_state(), "a", Budget(), depth=depth)
    assert not result.is_proven or (str(result.move), result.value) == ("go(1)", 100)


WHIM = named_places(
    "turn(s,a) edge(s,1,ask) edge(s,2,safe) last(safe) pays(safe,a,40) pays(safe,b,0)",
    "turn(ask,b) edge(ask,1,kind) edge(ask,2,mean)",
    "last(kind) pays(kind,a,100) pays(kind,b,50) last(mean) pays(mean,a,0) pays(mean,b,50)",
    roles=("a", "b"),
)


def test_mcts_does_not_count_on_the_kindness_of_others() -> None:
    tree = mcts.new_tree(WHIM.initial_state())
    result = mcts.search_in(tree, WHIM.initial_state(), "a", Budget(playouts=500))
    assert (str(result.move), result.value, result.is_proven) == ("go(2)", 40, True)
    expected = tree.best_child(tree.children(tree.root)[0])
    assert str(tree.engine.terms[tree.nodes.moves[expected]]) == "go(2)"


def made_up(roles: tuple[str, ...], seed: int) -> gm.State:
    """A game made up at random in which the first role begins, somebody often does not care, and the end is near."""
    generator, lines = random.Random(seed), list[str]()
    for number in range(3):
        lines.append(f"edge(s,{number},{number}) turn({number},{generator.choice(roles[1:])})")
        for other in range(3):
            lines.append(
                f"edge({number},{other},{number}{other}) turn({number}{other},{generator.choice(roles)})"
            )
            for last in range(2):
                place = f"{number}{other}{last}"
                pays = " ".join(f"pays({place},{role},{generator.choice((0, 50, 100))})" for role in roles)
                lines.append(f"edge({number}{other},{last},{place}) last({place}) {pays}")
    return named_places(f"turn(s,{roles[0]})", *lines, roles=roles).initial_state()


@pytest.mark.parametrize("seed", range(40))
def test_mcts_proves_no_vector_that_nobody_gets(seed: int) -> None:
    state = made_up(("a", "b", "c"), seed)
    result = mcts.search(state, "a", Budget(playouts=1_000), seed=seed)
    truth = Truth(state)
    orders = [truth.max_n(spited)[state]["a"] for spited in ("a", "b", "c")]
    assert not result.is_proven or orders == [result.value] * 3


def test_mcts_proves_most_games_of_three_all_the_same() -> None:
    results = [mcts.search(made_up(("a", "b", "c"), seed), "a", Budget(playouts=1_000)) for seed in range(40)]
    assert sum(result.is_proven for result in results) >= 20


def test_mcts_makes_its_own_move_where_nobody_has_a_choice() -> None:
    state = gm.parse(nim(1, 1)).initial_state()
    state = state.next(state.legal_moves("first")[0])
    assert len(state.legal_moves("second")) == 1
    assert find_algorithm("mcts")(state, "second", Budget(playouts=10)).move in state.legal_moves("second")


ENDLESS_LEAD = named_places("turn(s,a) edge(s,1,s) pays(s,a,100)", roles=("a",))


def test_a_state_is_no_end_because_nested_goes_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested, "MAX_LENGTH", 5)
    result = nested.search(ENDLESS_LEAD.initial_state(), "a", Budget(nodes=200))
    assert (result.value, result.is_proven) == (0, False)


def test_a_plan_that_does_not_end_the_game_is_worth_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"plan": [("go", "1")], "goal": 100, "is_best": False}
    monkeypatch.setattr(planner, "_ask", lambda *_: answer)
    result = planner.search(ENDLESS_LEAD.initial_state(), "a", Budget(seconds=600))
    assert (result.value, result.is_proven) == (0, False)


LEFT_OPEN = named_places(
    "turn(s,b) edge(s,1,ask) edge(s,2,s)",
    "turn(ask,a) edge(ask,1,won) edge(ask,2,round) last(won) pays(won,a,100) pays(won,b,50)",
    "turn(round,b) edge(round,1,s) edge(round,2,round)",
    roles=("a", "b"),
)
"""What b gets is open as long as a can go round; a need not know that to win."""


def test_what_others_get_is_open_until_the_mover_is_at_the_root() -> None:
    state = LEFT_OPEN.initial_state()
    tree = mcts.new_tree(state, most_bytes=1 << 20)
    assert not mcts.search_in(tree, state, "b", Budget(playouts=200)).is_proven
    tree.advance(state.next("go(1)"))
    result = tree.result("a", 0.0)
    assert (str(result.move), result.value, result.is_proven) == ("go(1)", 100, True)
