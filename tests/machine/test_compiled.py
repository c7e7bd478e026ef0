"""The compiled machine against the reference: the same facts, moves, goals and percepts, state by state."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.games import entry, game_names
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.split import split
from gamemaster.language.lower import lower
from gamemaster.machine.compiled import CompiledGame, CompiledState
from gamemaster.machine.game import Game
from gamemaster.network.build import build
from gamemaster.network.passes import PASSES
from gamemaster.network.playout import playout_network
from gamemaster.network.spec import check_network
from tests.machine.agreeing import assert_agree
from tests.machine.sheets import HIDDEN_DIE, SHEETS

GAMES = 30
MOST_STATES = 250
"""Of long games fewer are compared here: bench/agreement.py compares a thousand of each."""

SLOW_REFERENCE = {"othello", "badskirmish", "badhex", "skirmish"}
"""Games of which a state takes the reference machine a tenth of a second."""


def pair(name: str) -> tuple[Game, Game]:
    """A game on both machines."""
    if name in SHEETS:
        return gm.parse(SHEETS[name], machine="compiled"), gm.parse(SHEETS[name], machine="reference")
    return gm.load(name, machine="compiled"), gm.load(name, machine="reference")


@pytest.mark.parametrize("name", [*SHEETS, "tictactoe", "buttonsandlights", "wythoff"])
def test_small_games_agree(name: str) -> None:
    assert assert_agree(*pair(name), GAMES, most_states=MOST_STATES) >= GAMES


@pytest.mark.slow
@pytest.mark.parametrize("name", game_names())
def test_every_game_of_the_library_agrees(name: str) -> None:
    most = MOST_STATES if name not in SLOW_REFERENCE else 40
    assert assert_agree(*pair(name), GAMES, most_states=most) >= min(GAMES, most)


@pytest.mark.parametrize("name", game_names())
def test_perft_is_as_pinned(name: str) -> None:
    assert tuple(gm.load(name, machine="compiled").perft(len(entry(name).perft))) == entry(name).perft


def test_recursion_on_the_ground_becomes_a_loop() -> None:
    game = gm.parse(SHEETS["reach"], machine="compiled")
    assert isinstance(game, CompiledGame)
    assert game.artifact.figures["loops"] >= 1


@pytest.mark.parametrize("name", [*SHEETS, *(name for name in game_names() if name not in SLOW_REFERENCE)])
def test_networks_keep_the_spec_before_and_after_every_pass(name: str) -> None:
    sheet = pair(name)[1].sheet
    core = lower(sheet, in_order=False)
    circuit = build(ground(split(core)), everybody_moves=sheet.notation != "epilog")
    assert check_network(circuit.network) == []
    for transform in PASSES:
        before = len(circuit.seen_in_state()), len(circuit.made_by_moves()), len(circuit.facts)
        circuit = transform(circuit)
        assert check_network(circuit.network) == []
        assert before == (len(circuit.seen_in_state()), len(circuit.made_by_moves()), len(circuit.facts))
    assert check_network(playout_network(circuit, 100).network) == []


# Playouts


@pytest.mark.parametrize("name", ["tictactoe", "matching", "hidden die", "hunter", "kono"])
def test_random_play_is_like_the_reference_s(name: str) -> None:
    compiled, reference = pair(name)
    many, few = compiled.playouts(count=100_000, seed=1), reference.playouts(count=200, seed=1)
    assert many.playouts == 100_000
    assert many.mean_length == pytest.approx(few.mean_length, rel=0.1)
    for ours, theirs in zip(many.mean_goals, few.mean_goals, strict=True):
        assert ours == pytest.approx(theirs, abs=9)


def test_known_means() -> None:
    stats = gm.load("tictactoe", machine="compiled").playouts(count=400_000, seed=5)
    # 9! orders, a first mover's win in 0.5849, a draw in 0.1270: known by counting
    assert stats.mean_goals[0] == pytest.approx(100 * 0.5849 + 50 * 0.1270, abs=0.3)
    assert stats.mean_length == pytest.approx(7.6262, abs=0.02)


def test_playouts_depend_on_the_seed_and_on_nothing_else() -> None:
    game = gm.load("connectfour", machine="compiled")
    assert isinstance(game, CompiledGame)
    first = game.playouts(count=40_000, seed=7)
    game.lanes.background.wait("play")
    for threads in (1, 2, 3):
        again = game.playouts(count=40_000, seed=7, threads=threads)
        assert (again.moves, again.mean_goals) == (first.moves, first.mean_goals)
    assert game.playouts(count=40_000, seed=8).moves != first.moves


@pytest.mark.parametrize("count", [1, 255, 256, 257, 1000, 16_385])
def test_exactly_as_many_games_as_asked_for(count: int) -> None:
    assert gm.load("buttonsandlights", machine="compiled").playouts(count=count).playouts == count


def test_as_many_games_as_fit_in_the_time() -> None:
    stats = gm.load("tictactoe", machine="compiled").playouts(seconds=0.2)
    assert stats.playouts >= 1024
    assert stats.mean_length == pytest.approx(7.6262, abs=0.2)


def test_games_without_end_are_cut_off_and_counted() -> None:
    text = (
        "(role r) (init p) (legal r a) (legal r b) (<= (next p) (true p)) (<= terminal (true q)) (goal r 10)"
    )
    stats = gm.parse(text, machine="compiled").playouts(count=300)
    assert (stats.playouts, stats.cut, stats.mean_length, stats.mean_goals) == (300, 300, 1000, (10.0,))


def test_a_dead_end_is_cut_off_and_counted() -> None:
    text = (
        "(role r) (init p) (<= (legal r a) (true p)) (<= (next q) (true p)) (<= terminal (true z)) (goal r 1)"
    )
    stats = gm.parse(text, machine="compiled").playouts(count=100)
    assert (stats.cut, stats.mean_length, stats.mean_goals) == (100, 1, (0.0,))


# The machine


def test_auto_compiles_and_says_so() -> None:
    game = gm.load("tictactoe")
    assert game.machine.name == "compiled"
    assert str(game.machine) == "compiled"


def test_auto_falls_back_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.ground.clingo_grounder.DEFAULT", GroundLimits(seconds=1))
    text = "role(r) init(n(0)) control(r) legal(t)  t :: n(X) & plus(X,1,Y) ==> ~n(X) & n(Y)"
    text += " goal(r,0) terminal :- n(3) & n(4)"
    game = gm.parse(text)
    assert game.machine.name == "reference"
    assert "not compiled" in game.machine.reason
    assert game.initial_state().next("t").facts == game.state(["n(1)"]).facts
    with pytest.raises(gm.LimitExceeded):
        gm.parse(text, machine="compiled")


def test_states_are_values_across_machines_and_pickles() -> None:
    ours, theirs = pair("tictactoe")
    left, right = ours.initial_state().next("mark(1,1)"), theirs.initial_state().next("mark(1,1)")
    assert left == right
    assert hash(left) == hash(right)
    assert left != ours.initial_state()
    again = pickle.loads(pickle.dumps(left))
    assert isinstance(again, CompiledState)
    assert again == left
    assert ours.state_from_json(right.to_json()) == left


def test_a_fact_that_can_never_hold_is_refused() -> None:
    with pytest.raises(gm.StateError, match="can never hold"):
        gm.load("tictactoe", machine="compiled").state(["cell(9,9,x)"])


def test_illegal_moves_are_refused() -> None:
    state = gm.load("tictactoe", machine="compiled").initial_state().next("mark(1,1)")
    for move in ("mark(1,1)", "mark(9,9)", "nonsense"):
        with pytest.raises(gm.IllegalMove, match="illegal move"):
            state.next(move)
    with pytest.raises(gm.UnknownRole):
        state.legal_moves("z")


def test_a_goal_that_is_no_number() -> None:
    game = gm.parse("(role r) (init p) (legal r a) (goal r high) (<= terminal (true q))", machine="compiled")
    with pytest.raises(gm.GameIllDefined, match="not a whole number"):
        game.initial_state().goal("r")


def test_no_roles_is_an_error() -> None:
    with pytest.raises(gm.RulesError, match="no role"):
        gm.parse("(init p) (<= (legal r a) (true p))", machine="compiled")


def test_single_states_go_over_to_machine_code() -> None:
    game = gm.parse(HIDDEN_DIE, machine="compiled")
    assert isinstance(game, CompiledGame)
    before = game.perft(2)
    assert game.background.wait("observe")
    assert game.background.wait("advance")
    assert game.perft(2) == before == [3, 9]
    for _ in range(5):
        game.random_game(random.Random(1))


def test_the_second_start_takes_everything_from_the_cache(tmp_path: Path) -> None:
    script = (
        "import sys, gamemaster as gm; g = gm.load('donttouch', machine='compiled'); "
        "print('play' in g.artifact.codes and g.lanes.kernels['play'].is_compiled); "
        "g.lanes.background.wait('play'); print(g.playouts(count=2000).moves); print('clingo' in sys.modules)"
    )
    environment = {"GAMEMASTER_CACHE": str(tmp_path), "PATH": "", "PYTHONPATH": ":".join(sys.path)}
    runs = [
        subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        for _ in range(2)
    ]
    first, second = (run.stdout.split() for run in runs)
    assert first[0] == "False"
    assert second[0] == "True"
    assert first[1:] == second[1:]
    for path in tmp_path.iterdir():
        path.write_bytes(b"damaged")
    third = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert third.stdout.split() == first


@pytest.mark.parametrize("name", ["tictactoe", "hunter"])
def test_charges_start_where_they_are_told(name: str) -> None:
    game, reference = gm.load(name, machine="compiled"), gm.load(name, machine="reference")
    generator = random.Random(3)
    states = [game.random_game(generator, max_length=steps) for steps in range(6)]
    ends = [game.random_game(generator) for _ in range(300)]
    assert game.charges(ends) == [tuple(end.goal(role) or 0 for role in game.roles) for end in ends]
    ours = game.charges(states * 200, seed=1)
    theirs = reference.charges([reference.state(state.facts) for state in states] * 40, seed=1)
    for number in range(len(states)):
        for role in range(len(game.roles)):
            mean, other = (
                sum(goals[role] for goals in found[number :: len(states)]) / (len(found) / len(states))
                for found in (ours, theirs)
            )
            assert abs(mean - other) < 25
    assert game.charges(states, seed=5) == game.charges(states, seed=5)


def test_a_charge_that_gets_stuck_brings_nothing_and_one_without_end_its_last_goal() -> None:
    sheet = """role(a) init(at(home))
    legal(a,leave(P)) :- true(at(home)) & place(P)
    legal(a,wait) :- true(at(ever))
    place(ever) place(nowhere) place(end)
    next(at(P)) :- does(a,leave(P))
    next(at(ever)) :- does(a,wait)
    terminal :- true(at(end))
    goal(a,70)"""
    for machine in ("compiled", "reference"):
        game = gm.parse(sheet, machine=machine)
        start = game.initial_state()
        after = [start.next({"a": f"leave({place})"}) for place in ("ever", "nowhere", "end")]
        assert game.charges(after) == [(70,), (0,), (70,)], machine
        assert game.charges([start] * 100, seed=1).count((0,)) in range(20, 50)


@pytest.mark.parametrize(
    "slip", ["(<= terminal ?x)", "(<= (goal a 50) ?x)", "(<= never (or ?x (and ?y never)))"]
)
def test_a_variable_for_a_literal_never_holds_and_the_rest_plays(slip: str) -> None:
    text = f"""(role a) (init (n 0)) (succ 0 1) (succ 1 2) (<= (legal a go) (true (n ?x))) {slip}
        (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 2))) (<= (goal a 100) (not ?z))"""
    compiled, reference = (gm.parse(text, machine=machine) for machine in ("compiled", "reference"))
    assert assert_agree(compiled, reference, 1) == 3


def test_rules_of_which_nothing_depends_on_anything_are_compiled() -> None:
    text = "role(a) role(b) legal(a,go) legal(a,come) legal(b,wait) goal(a,50) terminal :- true(x) next(x) :- true(x)"
    state = gm.parse(text, dialect="hrf", machine="compiled").initial_state()
    assert list(map(str, state.legal_moves("a"))) == ["come", "go"]
    assert not state.is_over
