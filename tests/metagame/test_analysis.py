"""What analysis says of games of which we know it."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import pytest

from gamemaster.errors import Unsuitable
from gamemaster.load import load, parse
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game
from gamemaster.metagame import effects as effects_module
from gamemaster.metagame import parts as parts_module
from gamemaster.metagame import symmetry as symmetry_module
from gamemaster.metagame.analysis import Analysis, analyse
from gamemaster.metagame.changes import find_changes
from gamemaster.metagame.effects import Effects, equal_moves
from gamemaster.metagame.parts import components, solve_by_parts
from gamemaster.metagame.samples import sample
from gamemaster.metagame.symmetry import find_symmetries

ROSHAMBO = """
role(left) role(right)
legal(R,rock) :- role(R) legal(R,paper) :- role(R)
next(chose(R,M)) :- does(R,M)
terminal :- true(chose(R,M))
goal(R,50) :- role(R)
"""
COIN = """
role(random) role(player)
init(start)
legal(random,heads) :- true(start)
legal(random,tails) :- true(start)
legal(player,noop)
next(side(M)) :- does(random,M)
terminal :- true(side(M))
goal(player,100) :- true(side(heads)) goal(player,0) :- true(side(tails)) goal(random,0)
sees(player,M) :- does(random,M)
"""
UNCOMPILED = """
role(x) init(n(1)) legal(x,a)
next(n(N)) :- true(n(M)) & plus(M,1,N)
terminal :- countofall(M,true(n(M)),1) & true(n(3))
goal(x,50)
"""
BEST = """
role(robot) init(control(robot)) copy(1) copy(2) copy(3) copy(4) init(step(X,1)) :- copy(X)
legal(a(X)) :- copy(X) legal(b(X)) :- copy(X)
succ(1,2) succ(2,3) succ(3,4) succ(4,5)
a(X) :: p(X) ==> ~p(X) a(X) :: ~p(X) ==> p(X)
b(X) :: p(X) & ~q(X) ==> ~p(X) & q(X) b(X) :: q(X) & ~p(X) ==> ~q(X) & p(X)
a(X) :: step(X,M) & succ(M,N) ==> ~step(X,M) & step(X,N)
b(X) :: step(X,M) & succ(M,N) ==> ~step(X,M) & step(X,N)
bright :- p(X) & q(X)
terminal :- bright terminal :- step(X,5)
goal(robot,100) :- bright goal(robot,0) :- ~bright
"""
TIED = """
role(x) init(control(x)) init(step(1)) legal(a) legal(b) legal(c) legal(d) succ(1,2) succ(2,3)
a :: p b :: ~p c :: q d :: ~q
a :: step(M) & succ(M,N) ==> ~step(M) & step(N) b :: step(M) & succ(M,N) ==> ~step(M) & step(N)
c :: step(M) & succ(M,N) ==> ~step(M) & step(N) d :: step(M) & succ(M,N) ==> ~step(M) & step(N)
terminal :- step(3) goal(x,100) :- p & q goal(x,0) :- ~p goal(x,0) :- ~q
"""
NO_ORDER = """
role(x) init(control(x)) legal(a) legal(b) a :: p b :: q
terminal :- p terminal :- q goal(x,100) :- p & q goal(x,0) :- ~p goal(x,0) :- ~q
"""


@cache
def analysis_of(name: str) -> Analysis:
    return analyse(load(name), seconds=10)


def effects_of(game: Game) -> Effects:
    assert isinstance(game, CompiledGame)
    return Effects(game.artifact.circuit)


def test_tictactoe() -> None:
    found = analysis_of("tictactoe")
    assert found.roles == ("x", "o")
    assert found.turns == ("turn-taking", "proved")
    assert found.fixed_sum == (100, "proved")
    assert not found.is_single_player
    assert not found.has_chance
    assert not found.has_hidden_information
    assert found.symmetries == 8
    assert found.is_symmetry_complete
    assert found.roles_swap
    assert found.parts == ()
    assert found.longest == (9, "every move uses up a fact")
    assert "cell(2,2,x)" in found.rising
    assert "cell(2,2,b)" in found.falling
    assert found.monotone_goals == ()


def test_the_three_panels_are_three_parts() -> None:
    found = analysis_of("jointbuttonsandlights")
    assert found.is_single_player
    assert found.turns == ("one role", "proved")
    assert len(found.parts) == 3
    assert [part[0] for part in found.parts] == ["p(1)", "p(2)", "p(3)"]
    assert found.constants == ("control(robot)",)
    assert found.symmetries == 6


def test_hunter_counts_its_steps() -> None:
    found = analysis_of("hunter")
    assert "step(7)" in found.counters
    assert not any(fact.startswith("captures") for fact in found.counters)
    assert found.longest == (15, "a step counter")
    assert found.monotone_goals == (("robot", "observed"),)
    assert "cell(3,2,pawn)" in found.falling


def test_simultaneous_moves_are_seen() -> None:
    found = analyse(parse(ROSHAMBO), seconds=1)
    assert found.turns == ("simultaneous", "proved")
    assert found.fixed_sum == (100, "proved")
    assert found.roles_swap
    assert found.parts == ()


def test_chance_and_percepts_are_seen() -> None:
    found = analyse(parse(COIN), seconds=1)
    assert found.has_chance
    assert found.has_hidden_information
    assert found.is_single_player
    assert found.fixed_sum == (None, "proved")


def test_a_game_that_does_not_compile_is_observed() -> None:
    found = analyse(parse(UNCOMPILED, machine="reference"), seconds=1)
    assert found.longest == (None, "")
    assert not found.is_symmetry_complete
    assert found.monotone_goals == (("x", "observed"),)


def test_a_goal_that_cannot_fall_is_proved() -> None:
    text = "role(x) init(control(x)) legal(a) legal(b) a :: p b :: ~q terminal :- p goal(x,100) :- p goal(x,0) :- ~p"
    assert analyse(parse(text), seconds=1).monotone_goals == (("x", "proved"),)


def test_an_analysis_prints_itself() -> None:
    text = str(analysis_of("tictactoe"))
    assert text.splitlines()[0].split() == ["roles", "x,", "o"]
    assert "always 100" in text
    assert "sum of goals" not in str(analysis_of("hunter"))


def test_the_same_seed_sees_the_same_games() -> None:
    game = load("tictactoe")
    one, two = (sample(game, 60.0, 7, most=5) for _ in range(2))
    assert one == two
    assert one.games == 5
    assert one.sums == {100}


# Symmetries


@pytest.mark.parametrize(("name", "count"), [("connectfour", 2), ("donttouch", 8), ("buttonsandlights", 1)])
def test_symmetries_of_boards(name: str, count: int) -> None:
    assert find_symmetries(load(name).sheet, 10.0).count == count


@pytest.mark.parametrize(("end", "count"), [("p & q", 2), ("p & ~q", 1)])
def test_a_negation_is_no_mirror(end: str, count: int) -> None:
    text = f"role(x) init(control(x)) legal(a) legal(b) a :: p b :: q terminal :- {end} goal(x,1)"
    assert find_symmetries(parse(text).sheet, 10.0).count == count


def test_a_symmetry_maps_play_to_play() -> None:
    game = load("tictactoe", machine="reference")
    for mapping in find_symmetries(game.sheet, 10.0).generators:
        state = image = game.initial_state()
        for text in ("mark(1,1)", "mark(2,3)", "mark(3,3)", "mark(1,2)"):
            move: Any = game.move_of(text)
            state, image = state.next(move), image.next(mapping.get(move, move))
            assert {mapping.get(fact, fact) for fact in state.facts} == set(image.facts)
            assert {mapping.get(move, move) for move in state.legal_moves(state.control or "")} == set(
                image.legal_moves(image.control or "")
            )


def test_symmetries_stop_when_time_or_room_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = load("hamilton").sheet
    assert not find_symmetries(sheet, 0.0).is_complete
    monkeypatch.setattr(symmetry_module, "MOST_NODES", 10)
    assert not find_symmetries(sheet, 5.0).is_complete


# Parts


def test_three_panels_are_solved_at_once() -> None:
    game = load("jointbuttonsandlights")
    began = time.process_time()
    solution = solve_by_parts(game)
    assert (
        time.process_time() - began < 0.5
    )  # a hundredth of a second or three, on a machine with nothing else to do
    assert solution.goal == 100
    assert len(solution.moves) == 19
    state = game.initial_state()
    for move in solution.moves:
        assert not state.is_terminal
        state = state.next(move)
    assert state.is_terminal
    assert state.goal("robot") == 100


def test_one_part_can_be_enough() -> None:
    solution = solve_by_parts(parse(BEST))
    assert solution.goal == 100
    assert list(map(str, solution.moves)) == ["a(4)", "b(4)", "a(4)"] or len(solution.moves) == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [(ROSHAMBO, "one role"), (TIED, "step counter"), (NO_ORDER, "cannot be reached")],
)
def test_other_games_are_not_solved_by_parts(text: str, why: str) -> None:
    with pytest.raises(Unsuitable, match=why):
        solve_by_parts(parse(text))


def test_a_game_in_one_piece_or_uncompiled_is_not_solved_by_parts() -> None:
    with pytest.raises(Unsuitable, match="compiled"):
        solve_by_parts(parse(UNCOMPILED, machine="reference"))
    text = "role(x) init(control(x)) legal(a) legal(b) a :: p b :: ~p terminal :- p goal(x,1)"
    with pytest.raises(Unsuitable, match="does not fall into parts"):
        solve_by_parts(parse(text))


def test_parts_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("jointbuttonsandlights")
    monkeypatch.setattr(parts_module, "MOST_CLASSES", 0)
    with pytest.raises(Unsuitable, match="too much to do with"):
        solve_by_parts(game)
    monkeypatch.setattr(parts_module, "MOST_STATES", 5)
    with pytest.raises(Unsuitable, match="more than 5 states"):
        solve_by_parts(game)
    monkeypatch.setattr(effects_module, "MOST_WIRES", 5)
    with pytest.raises(Unsuitable, match="too many to take apart"):
        solve_by_parts(game)
    assert analyse(game, seconds=0.5).parts == ()


def test_cells_are_switches_and_panels_are_parts() -> None:
    found = {}
    for name in ("tictactoe", "jointbuttonsandlights"):
        effects = effects_of(load(name))
        found[name] = components(effects, find_changes(effects))
    assert [part.is_switch for part in found["tictactoe"]] == [True] * 9
    assert sorted(part.is_switch for part in found["jointbuttonsandlights"]) == [False] * 3 + [True]


def test_moves_that_a_percept_tells_apart_are_not_spare() -> None:
    text = "role(x) legal(x,a) legal(x,b) next(p) :- does(x,a) next(p) :- does(x,b) terminal :- true(p) goal(x,1)"
    for more, count in (("", 1), (" sees(x,M) :- does(x,M)", 0)):
        game = parse(text + more)
        assert isinstance(game, CompiledGame)
        assert len(equal_moves(game.artifact.circuit)) == count


# Clocks

MANY_CHOOSE = f"""
{" ".join(f"role(r{i}) goal(r{i},20)" for i in range(5))} {" ".join(f"number({i})" for i in range(20))}
init(step(1)) succ(1,2) succ(2,3)
legal(R,say(N)) :- role(R) & number(N)
next(step(Y)) :- true(step(X)) & succ(X,Y)
next(said(R,N)) :- does(R,say(N))
terminal :- true(step(3))
"""
"""3,200,000 joint moves, and a sum of goals that gates do not show."""


def test_a_state_with_millions_of_successors_does_not_stop_the_clock() -> None:
    found = analyse(parse(MANY_CHOOSE), seconds=0.5)
    assert found.fixed_sum == (100, "observed")
    assert found.seconds < 3


def test_proofs_about_moves_stop_at_the_deadline() -> None:
    game = load("breakthrough", machine="compiled")
    assert isinstance(game, CompiledGame)
    effects = Effects(game.artifact.circuit, deadline=time.monotonic())
    for find in (lambda: effects.cases, lambda: find_changes(effects), lambda: effects.reads(0)):
        with pytest.raises(Unsuitable, match="there is no time to take the game apart"):
            find()
    assert analyse(game, seconds=0.05).constants == (), "what there is no time for is not known"


def test_a_game_that_does_not_compile_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    game = parse(UNCOMPILED)
    assert game.machine.name == "reference"
    monkeypatch.setattr(
        "gamemaster.metagame.analysis.build", lambda *given: pytest.fail("it was tried before")
    )
    assert analyse(game, seconds=0.5).turns == ("one role", "proved")


def test_a_long_first_game_is_left_when_time_is_up() -> None:
    found = sample(load("connectfour", machine="reference"), 0.0, 1)
    assert (found.games, found.states, found.sums) == (1, 2, set())
