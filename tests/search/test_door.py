"""What holds for every search of the catalogue: hidden states, limits that are none, numbers that are too small."""

from __future__ import annotations

from typing import Any

import pytest

import gamemaster as gm
from gamemaster.players.egghead import Egghead
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import ALGORITHMS, PLAYING, find_algorithm
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.search.parameters import search_with
from gamemaster.search.result import AS_IF_KNOWN
from gamemaster.search.trees.deepening import Deepening

PUZZLES_IN_MACHINE_CODE = ("breadth", "bestfirst", "filling", "nrpa")
IN_MACHINE_CODE = ("mcts", "solver", "dfpn", "expectiminimax", *PUZZLES_IN_MACHINE_CODE)
WITH_CHANCE = ("mcts", "expectiminimax")
FOR_PUZZLES = ("maximizer", "idastar", "nested", "planner", *PUZZLES_IN_MACHINE_CODE)

PUZZLE = """
role(a) init(at(0)) side(1) side(2)
legal(a,go(S)) :- true(at(N)) & side(S) & ~true(done)
next(at(1)) :- does(a,go(S))
next(went(S)) :- does(a,go(S))
next(done) :- does(a,go(S))
terminal :- true(done)
goal(a,100) :- true(went(1))
goal(a,0) :- ~true(went(1))
"""
DUEL = """
role(a) role(b) init(turn(a)) side(1) side(2)
legal(R,go(S)) :- true(turn(R)) & side(S)
next(turn(b)) :- true(turn(a))
next(went(R,S)) :- does(R,go(S))
next(went(R,S)) :- true(went(R,S))
terminal :- true(went(b,S))
goal(a,100) :- true(went(a,S)) & true(went(b,T)) & distinct(S,T)
goal(a,0) :- true(went(a,S)) & true(went(b,S))
goal(b,0) :- true(went(a,S)) & true(went(b,T)) & distinct(S,T)
goal(b,100) :- true(went(a,S)) & true(went(b,S))
"""
SEES = "sees(a,nothing) :- does(a,never)\n"
"""Nobody ever sees anything: b has to guess where a went, and is not sure of a win."""


def state_for(name: str, *, is_hidden: bool, machine: Any = "reference") -> gm.State:
    """A state that a search takes, in which its role has a choice and can win; `a` has moved in the duel."""
    sheet = (PUZZLE if name in FOR_PUZZLES else DUEL) + (SEES if is_hidden else "")
    state = gm.parse(sheet, dialect="hrf", machine=machine).initial_state()
    return state if name in FOR_PUZZLES else state.next("go(1)")


def role_for(name: str) -> str:
    return "a" if name in FOR_PUZZLES else "b"


@pytest.mark.parametrize("machine", ["reference", "compiled"])
@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in IN_MACHINE_CODE])
def test_what_is_hidden_is_never_proven(name: str, machine: str) -> None:
    budget = Budget(seconds=60, nodes=300)
    seen = find_algorithm(name)(
        state_for(name, is_hidden=False, machine=machine), role_for(name), budget, seed=1
    )
    hidden = find_algorithm(name)(
        state_for(name, is_hidden=True, machine=machine), role_for(name), budget, seed=1
    )
    assert seen.is_proven == (name not in ("decoupled", "pimc", "ismcts"))
    assert seen.caveats == ()
    assert (hidden.is_proven, hidden.caveats) == (False, (AS_IF_KNOWN,))
    assert (hidden.move, hidden.value) == (seen.move, seen.value)


@pytest.mark.parametrize("name", IN_MACHINE_CODE)
def test_searches_in_machine_code_refuse_what_is_hidden(name: str) -> None:
    with pytest.raises(gm.Unsuitable, match=r"needs a compiled game .* hides its state"):
        find_algorithm(name)(
            state_for(name, is_hidden=True, machine="compiled"), role_for(name), Budget(nodes=10)
        )


def test_a_search_that_keeps_its_table_goes_through_the_same_door() -> None:
    search = search_with("deepening", {}, Deepening().search)
    result = search(state_for("deepening", is_hidden=True), "b", Budget(nodes=300))
    assert (result.is_proven, result.caveats) == (False, (AS_IF_KNOWN,))
    with pytest.raises(gm.ParameterError, match="deepening plays no random games"):
        search(state_for("deepening", is_hidden=True), "b", Budget(playouts=3))


def test_one_call_says_that_the_state_is_hidden() -> None:
    result = gm.search(state_for("uct", is_hidden=True), nodes=100)
    assert (result.is_proven, AS_IF_KNOWN in result.caveats) == (False, True)


def test_a_player_that_goes_by_its_beliefs_has_no_such_caveat() -> None:
    player = Egghead(seed=1)
    game = gm.parse(DUEL + SEES, dialect="hrf", machine="reference")
    player.start("b", game, 1.0, 1.0)
    player.beliefs = Beliefs(game, "b", player.generator)
    player.beliefs.see(None, (), 60.0)
    player.budget = Budget(seconds=0.2)
    player.choose_from(player.beliefs.legal_moves())
    assert player.last_result is not None
    assert player.last_result.caveats == ()


# Budgets


@pytest.mark.parametrize("name", ALGORITHMS)
def test_playouts_alone_end_a_search_or_are_refused(name: str) -> None:
    state = state_for(name, is_hidden=False, machine="auto")
    if name in PLAYING:
        assert find_algorithm(name)(state, role_for(name), Budget(playouts=20)).playouts <= 20
    else:
        with pytest.raises(gm.ParameterError, match=f"{name} plays no random games, so 20 playouts would be"):
            find_algorithm(name)(state, role_for(name), Budget(playouts=20))


LADDER = """
role(a) role(b) init(at(0)) init(turn(a)) other(a,b) other(b,a) way(1) way(2) way(3)
legal(R,go(W)) :- true(turn(R)) & way(W)
next(turn(S)) :- true(turn(R)) & other(R,S)
next(made(W)) :- does(R,go(W))
next(both(V,W)) :- true(made(V)) & does(R,go(W))
terminal :- true(never)
goal(R,50) :- role(R)
"""
"""A game without end, for two."""

ALONE = LADDER.replace("role(b)", "").replace("next(turn(S)) :- true(turn(R)) & other(R,S)", "next(turn(a))")


EXPANSIONS = {"solver": 256, "dfpn": 256, "expectiminimax": 256, "planner": 1} | dict.fromkeys(
    PUZZLES_IN_MACHINE_CODE, 256
)
"""How many nodes are made at once: all moves, in the solver what fits in its lanes."""


@pytest.mark.parametrize("nodes", [1, 7, 40])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_nodes_alone_end_every_search(name: str, nodes: int) -> None:
    sheet = ALONE if name in FOR_PUZZLES else LADDER
    state = gm.parse(sheet, dialect="hrf").initial_state()
    result = find_algorithm(name)(state, "a", Budget(nodes=nodes))
    assert result.nodes <= nodes + EXPANSIONS.get(name, 3)
    assert result.move in state.legal_moves("a")


def test_a_player_that_counts_no_playouts_is_given_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Budget] = []

    class Asked(gm.Player):
        def choose(self, state: gm.State) -> Any:
            asked.append(self.budget)
            self.last_result = find_algorithm("mcs")(state, self.role, Budget(nodes=4))
            return self.last_result.move

    monkeypatch.setattr("gamemaster.players.asking._found_player", lambda *_: Asked())
    state = gm.load("tictactoe", machine="reference").initial_state()
    for nodes, playouts in ((None, 5), (5, None), (5, 5)):
        gm.search(state, "x", "asked", nodes=nodes, playouts=playouts)
    assert asked == [Budget(seconds=1.0, playouts=5), Budget(nodes=5), Budget(nodes=5, playouts=5)]


# Numbers


@pytest.mark.parametrize(
    ("name", "parameter"),
    [("mcts", "exploration"), ("mcts", "amaf"), ("uct", "exploration"), ("decoupled", "exploration")],
)
def test_numbers_below_nothing_are_refused(name: str, parameter: str) -> None:
    state = gm.load("tictactoe").initial_state()
    refusal = f"{parameter} of {name}: -1 is not a number from 0 on"
    with pytest.raises(gm.ParameterError, match=refusal):
        find_algorithm(name)(state, "x", Budget(nodes=10), **{parameter: -1})
    with pytest.raises(gm.ParameterError, match=refusal):
        gm.search(state, "x", f"{name}({parameter}=-1)", nodes=10)


def test_a_tree_waits_for_one_visit_at_least() -> None:
    with pytest.raises(gm.ParameterError, match="patience of mcts: 0 is not a whole number from 1 on"):
        gm.search(gm.load("tictactoe"), "x", "mcts", nodes=10, patience=0)


def test_a_player_refuses_such_a_number_before_the_match() -> None:
    with pytest.raises(gm.ParameterError, match="exploration of mcts: -1 is not a number from 0 on"):
        gm.match("tictactoe", ["mcts(exploration=-1)", "random"])


# Who is named instead


SIMULTANEOUS = """
role(a) role(b) init(s) side(1) side(2)
legal(R,S) :- true(s) & role(R) & side(S)
next(made(R,S)) :- does(R,S)
terminal :- true(made(a,S))
goal(R,50) :- role(R)
"""
DICE = """
role(a) role(random) init(s) side(1) side(2)
legal(a,S) :- true(s) & side(S)
legal(random,S) :- true(s) & side(S)
next(made(R,S)) :- does(R,S)
terminal :- true(made(a,S))
goal(a,100) :- true(made(a,S)) & true(made(random,S))
goal(a,0) :- true(made(a,S)) & true(made(random,T)) & distinct(S,T)
goal(random,0)
"""
BOTH = SIMULTANEOUS + "role(random) legal(random,S) :- true(s) & side(S)"


@pytest.mark.parametrize("name", ["alphabeta", "deepening", "paranoid"])
def test_to_hand_on_the_turn_is_refused_where_there_are_no_turns(name: str) -> None:
    state = gm.parse(SIMULTANEOUS, dialect="hrf").initial_state()
    with pytest.raises(gm.Unsuitable, match="a and b choose at once"):
        find_algorithm(name)(state, "a", Budget(nodes=100), null="turn")


@pytest.mark.parametrize("sheet", [DICE, BOTH, DUEL + SEES, DUEL.replace("100", "250")])
@pytest.mark.parametrize("name", [name for name in IN_MACHINE_CODE if name not in FOR_PUZZLES])
def test_whoever_is_named_instead_takes_the_game(name: str, sheet: str) -> None:
    if name in WITH_CHANCE and sheet in (DICE, BOTH):
        pytest.skip("it takes chance")
    state = gm.parse(sheet, dialect="hrf", machine="compiled").initial_state()
    with pytest.raises(gm.Unsuitable, match="needs a compiled game ") as refused:
        find_algorithm(name)(state, "a", Budget(nodes=100))
    other = str(refused.value).rsplit("take ", 1)[1]
    assert find_algorithm(other)(state, "a", Budget(nodes=100)).move in state.legal_moves("a")


@pytest.mark.parametrize(
    ("sheet", "why"),
    [(DICE, "has chance"), (DUEL + SEES, "hides its state"), (DUEL.replace("100", "250"), "has other goals")],
)
def test_a_search_in_machine_code_says_which_reason_holds(sheet: str, why: str) -> None:
    state = gm.parse(sheet, dialect="hrf", machine="compiled").initial_state()
    with pytest.raises(gm.Unsuitable, match=f"and rules {why}; take "):
        find_algorithm("solver")(state, "a", Budget(nodes=100))


def test_a_search_in_machine_code_says_why_a_game_is_on_the_reference_machine() -> None:
    state = gm.parse(DUEL, dialect="hrf", machine="reference").initial_state()
    with pytest.raises(gm.Unsuitable, match=r"and rules runs on the reference machine \(asked for\); take "):
        find_algorithm("mcts")(state, "a", Budget(nodes=100))
