"""Proofs to the ends of the game: against labels by plain recursion, for every number of threads and size of table."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.errors import ParameterError, Unsuitable
from gamemaster.load import parse
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native import prover as prover_module
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.kernels.records import SEVERAL_CHOOSE, STOPPED
from gamemaster.search.native.kernels.workbench import REPEATED
from gamemaster.search.native.prover import ProvenBounds, Prover
from gamemaster.search.native.solver import prove, search, solve
from gamemaster.search.native.symmetries import MOST_SYMMETRIES, fact_symmetries, group_of
from gamemaster.search.native.warming import get_ready
from tests.search.test_native import BOTH, LATER

SMALL = ["tictactoe", "wythoff", "hex:size=3", "coinstack", "threecells"]


CYCLE = """
role(a) role(b) init(at(1)) init(turn(a)) other(a,b) other(b,a)
legal(R,go(1)) :- true(turn(R))
legal(R,go(2)) :- true(turn(R))
legal(R,wait) :- other(R,S) & true(turn(S))
next(turn(R)) :- other(R,S) & true(turn(S))
next(at(X)) :- does(R,go(X))
terminal :- true(over)
goal(R,50) :- role(R)
"""


def compiled(name: str) -> CompiledGame:
    game = gm.load(name, machine="compiled")
    assert isinstance(game, CompiledGame)
    get_ready(game, "solver")
    return game


def labelled(state: State, role: str) -> int:
    """The value of a state by the definition, without bounds: children remembered, nothing else."""

    @cache
    def value(state: State) -> int:
        if state.is_terminal:
            return state.goal(role) or 0
        chooser = state.chooser
        joint = {other: state.legal_moves(other)[0] for other in state.movers}
        steps = [{**joint, chooser: move} for move in state.legal_moves(chooser)] if chooser else [joint]
        children = [value(state.next(step)) for step in steps]
        return max(children) if chooser == role else min(children)

    return value(state)


def positions(game: CompiledGame, count: int, least: int, seed: int = 1) -> list[State]:
    """States of random games after at least so many steps, none of them terminal."""
    generator = random.Random(seed)
    found: list[State] = []
    while len(found) < count:
        state: State = game.initial_state()
        for _ in range(least + generator.randrange(4)):
            if not state.is_terminal:
                state = state.next({r: generator.choice(state.legal_moves(r)) for r in state.movers})
        if not state.is_terminal:
            found.append(state)
    return found


@pytest.mark.parametrize("name", SMALL)
def test_a_proof_is_what_plain_recursion_says(name: str) -> None:
    game = compiled(name)
    for role in game.roles:
        prover = Prover(game, role, memory=1)
        for state in positions(game, 5, least=2):
            proof = prover.prove(state, Budget())
            assert proof.is_done
            assert proof.lower == labelled(state, role)


def test_positions_of_connect_four_are_worth_what_plain_recursion_says() -> None:
    game = compiled("connectfour:columns=4,rows=4")
    prover = Prover(game, "red", memory=1)
    for state in positions(game, 12, least=6):
        assert prover.prove(state, Budget()).lower == labelled(state, "red")


@pytest.mark.parametrize(("columns", "rows"), [(4, 4), (5, 4), (4, 5)])
def test_small_boards_of_connect_four_are_drawn(columns: int, rows: int) -> None:
    game = compiled(f"connectfour:columns={columns},rows={rows}")
    state = game.initial_state()
    proof = Prover(game, "red", memory=10).prove(state, Budget())
    plain = solve(state, "red", Budget(), at_once=True)
    assert plain.is_proven
    assert (proof.lower, proof.upper) == (50, 50) == (plain.value, plain.value)


@pytest.mark.parametrize(
    ("columns", "rows"), [(5, 5), pytest.param(6, 5, marks=pytest.mark.slow)], ids=["5x5", "6x5"]
)
def test_larger_boards_of_connect_four_are_drawn_as_is_known(columns: int, rows: int) -> None:
    game = compiled(f"connectfour:columns={columns},rows={rows}")
    proof = Prover(game, "red", memory=100).prove(game.initial_state(), Budget())
    assert (proof.lower, proof.upper) == (50, 50)


def test_the_second_wins_connect_four_on_six_by_four_as_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover_module, "FIRST_PAUSE", 20_000)  # to be gone on from several times
    game = compiled("connectfour:columns=6,rows=4")
    proof = Prover(game, "red", memory=100).prove(game.initial_state(), Budget())
    assert (proof.lower, proof.upper) == (0, 0)
    assert proof.nodes > 100_000


def test_what_is_known_of_a_proof_that_is_not_done_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    state = compiled("connectfour").initial_state()
    half = ProvenBounds(50, 100, trouble=STOPPED)
    monkeypatch.setattr(Prover, "prove", lambda *_: half)
    result = prove(state, "red", Budget(nodes=1_000), memory=1)
    assert result.is_open
    assert not result.is_proven
    assert "proven so far: worth 50 to 100" in result.notes.splitlines()


def test_an_endgame_of_othello_is_worth_what_alphabeta_says() -> None:
    game = compiled("othello")
    for state in positions(game, 2, least=51, seed=2):
        chooser = state.chooser
        if chooser is None:
            continue
        plain = solve(state, chooser, Budget(), at_once=True)
        assert plain.is_proven
        assert prove(state, chooser, Budget(), memory=10).value == plain.value


def test_threads_and_a_tiny_table_change_no_value() -> None:
    game = compiled("connectfour:columns=5,rows=4")
    for threads in (1, 2, 3):
        proof = Prover(game, "black", memory=1, threads=threads).prove(game.initial_state(), Budget())
        assert (proof.lower, proof.upper) == (50, 50)


def test_entries_that_two_threads_tore_are_not_believed() -> None:
    game = compiled("connectfour:columns=4,rows=4")
    prover = Prover(game, "red", memory=1)
    generator = np.random.default_rng(1)
    prover.table[:] = generator.integers(0, 1 << 64, len(prover.table), np.uint64)
    proof = prover.prove(game.initial_state(), Budget())
    assert (proof.lower, proof.upper) == (50, 50)


def test_what_goes_wrong_in_a_thread_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise MemoryError("no room for the code")

    monkeypatch.setattr(prover_module, "prove_target", fail)
    game = compiled("tictactoe")
    with pytest.raises(MemoryError, match="no room for the code"):
        Prover(game, "x", memory=1, threads=2).prove(game.initial_state(), Budget())


def test_a_line_keeps_what_is_proven() -> None:
    game = compiled("hex:size=3")
    result = prove(game.initial_state(), "red", Budget())
    state: State = game.initial_state()
    for move in result.line:
        state = Engine.follow(state, move)
    assert result.is_proven
    assert state.is_terminal
    assert state.goal("red") == 100 == result.value


def test_other_moves_are_worth_no_more() -> None:
    game = compiled("tictactoe")
    result = search(game.initial_state(), "x", Budget(), threads=2, memory=1)
    assert result.value == 50
    assert len(result.values) == 9
    assert result.at_most == set(result.values) - {result.move}


def test_play_that_comes_back_is_noticed_and_deepening_takes_over() -> None:
    game = parse(CYCLE, dialect="hrf", machine="compiled")
    result = prove(game.initial_state(), "a", Budget(nodes=2_000), memory=1)
    assert not result.is_proven
    assert result.depth > 0


def test_a_game_that_never_ends_is_no_proof() -> None:
    game = parse(CYCLE, dialect="hrf", machine="compiled").compiled
    assert isinstance(game, CompiledGame)
    proof = Prover(game, "a", memory=1).prove(game.initial_state(), Budget())
    assert proof.trouble == REPEATED
    assert not proof.is_done


def test_what_is_known_when_the_budget_is_spent_is_true() -> None:
    game = compiled("connectfour:columns=6,rows=5")
    proof = Prover(game, "red", memory=1).prove(game.initial_state(), Budget(nodes=500))
    assert proof.trouble == STOPPED
    assert (proof.lower, proof.upper) == (0, 100)
    assert proof.nodes <= 501
    result = prove(game.initial_state(), "red", Budget(seconds=0.2), memory=1)
    assert not result.is_proven
    assert result.move is not None


@pytest.mark.slow
def test_progress_is_told() -> None:
    game = compiled("connectfour:columns=6,rows=6")
    told: list[int] = []

    def note(proof: ProvenBounds) -> None:
        told.append(proof.nodes)

    Prover(game, "red", memory=1).prove(game.initial_state(), Budget(seconds=2.5), note)
    assert told
    assert told == sorted(told)


def test_a_state_in_which_several_choose_is_refused() -> None:
    game = parse(BOTH, dialect="hrf", machine="compiled").compiled
    assert isinstance(game, CompiledGame)
    with pytest.raises(Unsuitable, match=r"several roles of .* choose at once in step 1; decoupled"):
        Prover(game, "a", memory=1).prove(game.initial_state(), Budget())


def test_several_that_choose_later_are_noticed() -> None:
    game = parse(LATER, dialect="hrf", machine="compiled").compiled
    assert isinstance(game, CompiledGame)
    proof = Prover(game, "b", memory=1).prove(game.initial_state(), Budget())
    assert proof.is_done or proof.trouble == SEVERAL_CHOOSE


def test_a_state_that_is_over_needs_no_search() -> None:
    game = compiled("hex:size=3")
    result = prove(game.initial_state(), "red", Budget())
    state: State = game.initial_state()
    for move in result.line:
        state = Engine.follow(state, move)
    over = prove(state, "red", Budget())
    assert (over.value, over.is_proven, over.move, over.line) == (100, True, None, ())


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"threads": 0}, "threads of solver: 0 is not a whole number from 1 on"),
        ({"memory": 0}, "memory of solver: 0 is not a whole number from 1 on"),
        ({"memory": 10**9}, "memory of solver: 1,000,000,000 MB is more than this machine has"),
    ],
)
def test_threads_and_memory_are_checked(told: dict[str, int], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        search(
            gm.load("tictactoe", machine="compiled").initial_state(),
            "x",
            Budget(),
            threads=told.get("threads"),
            memory=told.get("memory"),
        )


# Symmetries


def test_the_mirror_of_connect_four_is_found_as_numbers_of_facts() -> None:
    game = compiled("connectfour:columns=5,rows=4")
    same, mirror = fact_symmetries(game)
    facts = [str(fact) for fact in game.layout.facts]
    assert same.tolist() == list(range(len(facts)))
    assert facts[mirror[facts.index("cell(1,2,red)")]] == "cell(5,2,red)"
    assert facts[mirror[facts.index("control(red)")]] == "control(red)"


@pytest.mark.parametrize(("name", "count"), [("tictactoe", 8), ("breakthrough", 2)])
def test_states_that_are_images_of_each_other_have_one_value(name: str, count: int) -> None:
    game = compiled(name)
    images = fact_symmetries(game, 600.0)
    assert len(images) == count
    for state in positions(game, 3, least=2):
        row = np.frombuffer(game.own(state).bits, np.uint8)
        held = np.unpackbits(row, bitorder="little")[: images.shape[1]]
        for image in images:
            turned = np.zeros_like(held)
            turned[image] = held
            other = game.state_of_row(np.packbits(turned, bitorder="little"), state.step)
            role = state.chooser
            assert role is not None
            assert len(other.legal_moves(role)) == len(state.legal_moves(role))
            assert other.is_terminal == state.is_terminal
            after = {len(s.facts) for s in (state.next(m) for m in state.legal_moves(role))}
            assert after == {len(s.facts) for s in (other.next(m) for m in other.legal_moves(role))}


def test_a_group_is_closed_and_never_too_large() -> None:
    turn, mirror = (1, 2, 3, 0), (3, 2, 1, 0)
    group = group_of([turn, mirror], 4)
    assert len(group) == 8
    assert all(tuple(one[i] for i in other) in group for one in group for other in group)
    swaps = [tuple(j ^ 1 if j >> 1 == i else j for j in range(12)) for i in range(6)]
    assert len(group_of(swaps, 12)) == MOST_SYMMETRIES
