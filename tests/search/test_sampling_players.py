"""What sampling and tree-keeping searches share: they see wins and threats, keep to budgets, repeat themselves."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

import gamemaster as gm
from gamemaster.errors import Unsuitable
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import Search
from gamemaster.search.playouts import batches as sampling
from gamemaster.search.playouts import decoupled, mcs, uct
from gamemaster.search.trees import greedy, pts
from tests.players.sheets import DIE, ROSHAMBO
from tests.search.readiness import make_ready
from tests.ticking import Ticking, ticking

SEARCHES: dict[str, Search] = {
    "mcs": mcs.search,
    "greedy": greedy.search,
    "pts": pts.search,
    "uct": uct.search,
    "decoupled": decoupled.search,
}

BOTH_CHOOSE = """
role(left) role(right) init(start) side(a) side(b)
legal(R,pick(S)) :- role(R) & side(S) & true(start)
next(picked(R,S)) :- does(R,pick(S))
equal :- true(picked(left,S)) & true(picked(right,S))
terminal :- true(picked(left,S))
goal(left,100) :- equal
goal(left,0) :- ~equal
goal(right,0) :- equal
goal(right,100) :- ~equal
"""

GAMBLE = """
role(robot) role(random) init(at(home)) safe(30) coin(heads) coin(tails)
legal(robot,stay) :- true(at(home))
legal(robot,gamble) :- true(at(home))
legal(robot,noop) :- true(at(table))
legal(random,noop) :- true(at(home))
legal(random,toss(C)) :- true(at(table)) & coin(C)
next(at(bed)) :- does(robot,stay)
next(at(table)) :- does(robot,gamble)
next(at(C)) :- does(random,toss(C))
terminal :- true(at(bed))
terminal :- true(at(C)) & coin(C)
goal(robot,40) :- true(at(bed))
goal(robot,100) :- true(at(heads))
goal(robot,0) :- true(at(tails))
goal(robot,0) :- true(at(table))
goal(robot,0) :- true(at(home))
goal(random,0)
"""


def played(name: str, *moves: str, machine: str = "auto") -> State:
    state = gm.load(name, machine=machine).initial_state()  # type: ignore[arg-type]  # a name of pytest's
    for move in moves:
        state = state.next(move)
    return state


POSITIONS = {
    "win in tictactoe": ("tictactoe", ("mark(1,1)", "mark(2,1)", "mark(1,2)", "mark(2,2)"), "mark(1,3)"),
    "threat in tictactoe": ("tictactoe", ("mark(1,1)", "mark(3,3)", "mark(1,2)"), "mark(1,3)"),
    "win in connectfour": ("connectfour", ("drop(1)", "drop(2)") * 3, "drop(1)"),
    "threat in connectfour": (
        "connectfour",
        ("drop(1)", "drop(2)", "drop(1)", "drop(3)", "drop(1)"),
        "drop(1)",
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("position", POSITIONS)
def test_a_win_is_taken_and_a_threat_answered(name: str, position: str) -> None:
    game, moves, right = POSITIONS[position]
    state = played(game, *moves)
    role = state.control or ""
    result = SEARCHES[name](state, role, Budget(nodes=3_000), seed=1)
    assert str(result.move) == right
    assert result.move == result.line[0]
    assert set(result.values) == set(result.visits) == set(state.legal_moves(role))
    assert result.value == result.values[result.move]


@pytest.mark.parametrize("name", SEARCHES)
def test_the_reference_machine_does_as_well(name: str) -> None:
    state = played("tictactoe", *POSITIONS["threat in tictactoe"][1], machine="reference")
    assert str(SEARCHES[name](state, "o", Budget(nodes=300), seed=1).move) == "mark(1,3)"


@pytest.mark.parametrize("name", SEARCHES)
def test_the_same_seed_and_budget_give_the_same_result(name: str) -> None:
    state = played("connectfour", "drop(4)")
    first, again = (SEARCHES[name](state, "black", Budget(nodes=2_000), seed=7) for _ in range(2))
    assert (first.move, first.values, first.visits) == (again.move, again.values, again.visits)
    assert (first.line, first.nodes, first.playouts) == (again.line, again.nodes, again.playouts)


@pytest.mark.parametrize("name", ["mcs", "uct", "decoupled"])
def test_playouts_are_kept_to(name: str) -> None:
    state = played("connectfour")
    assert SEARCHES[name](state, "red", Budget(playouts=1_000)).playouts == 1_000


@pytest.mark.parametrize("name", ["mcs", "uct", "decoupled"])
@pytest.mark.parametrize("sheet", [ROSHAMBO, DIE])
def test_playouts_come_to_an_end_where_every_move_ends_the_game(name: str, sheet: str) -> None:
    state = gm.parse(sheet).initial_state()
    role = next(role for role in state.game.roles if len(state.legal_moves(role)) > 1 and role != "random")
    try:
        result = SEARCHES[name](state, role, Budget(playouts=100))
    except Unsuitable:
        return
    assert result.playouts <= 100
    assert result.move in state.legal_moves(role)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("machine", ["compiled", "reference"])
def test_seconds_are_kept_to(name: str, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    state = played("tictactoe", machine=machine)
    clock = ticking(monkeypatch, 0.001)
    result = SEARCHES[name](state, "x", Budget(seconds=0.1))
    assert clock.now < 0.2
    assert result.move in state.legal_moves("x")


def test_batches_grow_to_all_lanes_though_one_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    state = played("connectfour")
    make_ready(state.game)
    clock = ticking(monkeypatch, 0.0)
    meter = Budget(seconds=1.0).start()
    charges = sampling.Charges(state.game, meter, random.Random(1))
    monkeypatch.setattr(state.game, "charges", lambda states, *_: _slowly(clock, states))
    sizes = []
    while size := charges.size():
        sizes.append(size)
        charges.run([state] * size)
    assert sizes[:5] == [1, 4, 16, 64, 256]


def _slowly(clock: Ticking, states: Sequence[State]) -> list[tuple[int, ...]]:
    """However many there are, they take 40 ms."""
    clock.now += 0.04
    return [(50, 50)] * len(states)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_tiny_budget_still_gives_a_legal_move(name: str) -> None:
    state = played("connectfour")
    for budget in (Budget(seconds=0.0), Budget(nodes=0), Budget(nodes=3), Budget(nodes=1, playouts=1)):
        result = SEARCHES[name](state, "red", budget)
        assert result.move in state.legal_moves("red")
        assert set(result.values) == set(state.legal_moves("red"))


@pytest.mark.parametrize("name", SEARCHES)
def test_a_budget_without_limits_has_a_default(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "DEFAULT", Budget(nodes=50))
    assert 0 < SEARCHES[name](played("connectfour"), "red", Budget()).nodes <= 60


@pytest.mark.parametrize("name", SEARCHES)
def test_an_only_move_is_returned_at_once(name: str) -> None:
    state = gm.parse(GAMBLE).initial_state().next({"robot": "gamble", "random": "noop"})
    result = SEARCHES[name](state, "robot", Budget(seconds=600))
    assert (str(result.move), result.nodes, result.is_proven) == ("noop", 0, False)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_finished_game_has_no_move_but_a_value(name: str) -> None:
    state = played("tictactoe", *POSITIONS["win in tictactoe"][1], "mark(1,3)")
    result = SEARCHES[name](state, "x", Budget(seconds=600))
    assert (result.move, result.value, result.is_proven) == (None, 100.0, True)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_role_that_the_game_lacks_is_refused(name: str) -> None:
    with pytest.raises(gm.UnknownRole, match="no role 'z'"):
        SEARCHES[name](played("tictactoe"), "z", Budget(nodes=10))


@pytest.mark.parametrize("name", ["greedy", "pts", "uct"])
def test_choices_at_once_are_refused(name: str) -> None:
    state = gm.parse(BOTH_CHOOSE, name="both").initial_state()
    with pytest.raises(
        gm.Unsuitable, match=f"{name} cannot play both: several roles .* take decoupled or mcs"
    ):
        SEARCHES[name](state, "left", Budget(nodes=100))


@pytest.mark.parametrize("name", ["mcs", "decoupled"])
def test_choices_at_once_are_played(name: str) -> None:
    state = gm.parse(BOTH_CHOOSE).initial_state()
    result = SEARCHES[name](state, "left", Budget(nodes=2_000))
    assert all(value == pytest.approx(50, abs=8) for value in result.values.values())
    assert not result.is_proven


@pytest.mark.parametrize("name", SEARCHES)
def test_chance_counts_by_its_mean(name: str) -> None:
    state = gm.parse(GAMBLE).initial_state()
    result = SEARCHES[name](state, "robot", Budget(nodes=2_000))
    assert str(result.move) == "gamble"
    assert result.value == pytest.approx(50, abs=5)


@pytest.mark.parametrize("name", ["greedy", "pts", "uct"])
def test_chance_does_not_hinder_a_proof(name: str) -> None:
    result = SEARCHES[name](gm.parse(GAMBLE).initial_state(), "robot", Budget(nodes=2_000))
    assert (result.value, result.is_proven) == (50.0, True)


def test_mcs_with_two_levels_sees_the_answer_to_each_move() -> None:
    state = played("tictactoe", *POSITIONS["threat in tictactoe"][1])
    result = mcs.search(state, "o", Budget(nodes=2_000), levels=2)
    blunders = [value for move, value in result.values.items() if str(move) != "mark(1,3)"]
    assert blunders == [0.0] * 5
    assert result.depth == len(result.line) == 2


def test_mcs_expands_only_levels_that_fit() -> None:
    result = mcs.search(played("connectfour"), "red", Budget(nodes=40), levels=5)
    assert result.depth == 1
    assert result.nodes <= 40 + 8


def test_mcs_proves_what_ends_within_its_levels() -> None:
    state = played("tictactoe", *[f"mark({c})" for c in ("1,1", "1,2", "1,3", "2,2", "2,1", "2,3", "3,2")])
    result = mcs.search(state, "o", Budget(nodes=100), levels=2)
    assert result.is_proven
    assert result.playouts == 0


def test_mcs_samples_where_others_have_too_many_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcs, "MOST_REPLIES", 1)
    result = mcs.search(gm.parse(BOTH_CHOOSE).initial_state(), "left", Budget(nodes=100))
    assert set(result.values.values()) <= {0.0, 100.0}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_limit_of_time_that_is_not_reached_changes_nothing_from_run_to_run(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = played("connectfour", "drop(4)")
    make_ready(state.game)
    ticking(monkeypatch, 1e-6)
    results = [
        SEARCHES[name](state, "black", Budget(seconds=600, playouts=3_000, nodes=3_000)) for _ in range(3)
    ]
    assert len({(str(result.move), result.value, result.nodes) for result in results}) == 1


WIDE = f"""
{" ".join(f"role(r{i})" for i in range(6))} {" ".join(f"number({i})" for i in range(16))} init(start)
legal(R,say(N)) :- role(R) & number(N) & true(start)
next(said(R,N)) :- does(R,say(N))
terminal :- ~true(start)
goal(R,100) :- true(said(R,7))
goal(R,0) :- role(R) & ~true(said(R,7))
"""
"""A million joint moves for each move of a role."""

LATER_END = """
next(end) :- true(said(r0,N))
next(said(R,N)) :- true(said(R,N))
legal(R,wait) :- role(R) & true(said(R,N))
terminal :- true(end)
"""


def test_mcs_does_not_list_a_million_answers() -> None:
    state = gm.parse(WIDE).initial_state()
    result = mcs.search(state, "r0", Budget(seconds=600))
    assert (str(result.move), result.value) == ("say(7)", 100.0)
    assert result.nodes <= 16 * mcs.MOST_REPLIES + result.playouts
    assert result.seconds < 600


def test_drawn_answers_differ_and_repeat_with_their_seed() -> None:
    state = gm.parse(WIDE).initial_state()
    once, again = (sampling.replies_to(state, "r0", most=64, generator=random.Random(3)) for _ in range(2))
    assert once == again
    assert len({tuple(reply.values()) for reply in once}) == 64
    assert all(list(reply) == ["r1", "r2", "r3", "r4", "r5"] for reply in once)


def test_mcs_keeps_half_of_its_budget_for_charges_and_treats_moves_alike() -> None:
    state = gm.parse(WIDE.replace("terminal :- ~true(start)", LATER_END)).initial_state()
    result = mcs.search(state, "r0", Budget(nodes=400))
    assert result.playouts >= 150
    assert max(result.visits.values()) - min(result.visits.values()) <= 1
    assert str(result.move) == "say(7)"


@pytest.mark.parametrize("name", ["mcs", "decoupled"])
def test_many_roles_with_many_moves_do_not_take_longer_than_the_clock(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = gm.parse(WIDE, machine="reference").initial_state()
    clock = ticking(monkeypatch, 0.01)
    result = SEARCHES[name](state, "r0", Budget(seconds=0.3))
    assert result.move in state.legal_moves("r0")
    assert clock.now < 1
