"""What everybody builds on: games and states as the public names give them, on rules written here."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamemaster as gm
from gamemaster.load import MachineName
from gamemaster.machine.game import MAX_LENGTH, RANDOM
from gamemaster.machine.perft import perft_counts
from gamemaster.machine.stepwise import PATIENCE
from tests.ticking import ticking

MACHINES: tuple[MachineName, ...] = ("reference", "compiled")
"""Every test that plays runs on each of these."""

NIM = """
; red and black take one or two of four matches in turn; who takes the last wins
(role red) (role black)
(init (heap 4)) (init (control red))
(other red black) (other black red)
(less 4 1 3) (less 4 2 2) (less 3 1 2) (less 3 2 1) (less 2 1 1) (less 2 2 0) (less 1 1 0)
(<= (legal ?r (take ?n)) (true (control ?r)) (true (heap ?h)) (less ?h ?n ?m))
(<= (legal ?r noop) (other ?r ?s) (true (control ?s)))
(<= (next (heap ?m)) (does ?r (take ?n)) (true (heap ?h)) (less ?h ?n ?m))
(<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
(<= terminal (true (heap 0)))
(<= (goal ?r 0) (true (heap 0)) (true (control ?r)))
(<= (goal ?r 100) (true (heap 0)) (other ?r ?s) (true (control ?s)))
"""

HANDS = """
role(ann) role(bob)
hand(stone) hand(paper) hand(knife)
beats(stone,knife) beats(knife,paper) beats(paper,stone)
init(ready)
legal(R,H) :- role(R) & hand(H) & true(ready)
next(shown(R,H)) :- does(R,H)
terminal :- ~true(ready)
goal(R,100) :- wins(R)
goal(R,0) :- role(R) & wins(S) & distinct(R,S)
goal(R,50) :- role(R) & terminal & ~won
won :- wins(R)
wins(R) :- true(shown(R,H)) & true(shown(S,G)) & beats(H,G)
"""

CARDS = """
role(random) role(guesser)
color(red) color(black)
init(dealing)
legal(random,deal(C)) :- true(dealing) & color(C)
legal(random,noop) :- true(asking)
legal(guesser,noop) :- true(dealing)
legal(guesser,guess(C)) :- true(asking) & color(C)
next(asking) :- true(dealing)
next(over) :- true(asking)
next(card(C)) :- does(random,deal(C))
next(card(C)) :- true(card(C))
next(right) :- true(card(C)) & does(guesser,guess(C))
sees(guesser,dealt) :- does(random,deal(C))
sees(guesser,was(C)) :- true(card(C)) & does(guesser,guess(D))
terminal :- true(over)
goal(guesser,100) :- true(right)
goal(guesser,0) :- true(over) & ~true(right)
"""

LIGHTS = """
role(robot)
init(off(p)) init(off(q)) init(step(1))
control(robot)
legal(press(X)) :- off(X)
press(X) :: off(X) ==> ~off(X) & on(X) & tick
tick :: step(N) & succ(N,M) ==> ~step(N) & step(M)
succ(1,2) succ(2,3)
terminal :- step(3)
goal(robot,100) :- on(p) & on(q)
goal(robot,50) :- on(X) & off(Y)
goal(robot,0) :- ~on(X)
"""

MARCH = """
role(left) role(right)
init(control(left)) init(at(0))
legal(left,step) legal(right,step)
succ(0,1) succ(1,2)
next(at(Y)) :- true(at(X)) & succ(X,Y)
next(control(right)) :- true(control(left))
next(control(left)) :- true(control(right))
terminal :- true(at(2))
"""

TWICE = "role(x)\ninit(b(2))\ninit(b(1))\nlegal(x,c)\nlegal(x,M) :- true(b(M))\nlegal(x,2)\nlegal(x,a)\n"

ENDLESS = "role(x)\ninit(s(0))\nlegal(x,go)\nnext(s(0)) :- true(s(0))\nterminal :- true(s(1))\ngoal(x,7)\n"


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> MachineName:
    return request.param  # type: ignore[no-any-return]


def texts(terms: Any) -> list[str]:
    return [str(term) for term in terms]


# Roles, facts, control, legal moves


def test_roles_come_in_the_order_of_the_rules(machine: MachineName) -> None:
    assert gm.parse(NIM, machine=machine).roles == ("red", "black")
    assert gm.parse(CARDS, machine=machine).roles == ("random", "guesser")
    assert gm.parse(LIGHTS, machine=machine).roles == ("robot",)


def test_a_role_may_be_any_term(machine: MachineName) -> None:
    game = gm.parse(
        "(role (robot 1)) (init s) (legal (robot 1) go) (<= (goal (robot 1) 5) (true s))", machine=machine
    )
    state = game.initial_state()
    assert game.roles == ("robot(1)",)
    assert texts(state.legal_moves("robot(1)")) == ["go"]
    assert state.goal("robot(1)") == 5
    assert state.control == "robot(1)"


def test_facts_are_terms_that_print_in_both_notations(machine: MachineName) -> None:
    facts = gm.parse(NIM, machine=machine).initial_state().facts
    assert isinstance(facts, frozenset)
    assert sorted(texts(facts)) == ["control(red)", "heap(4)"]
    assert {fact.kif() for fact in facts} == {"(control red)", "(heap 4)"}
    assert all(isinstance(fact, gm.Term) for fact in facts)
    assert gm.Compound(("heap", gm.Symbol("4"))) in facts


def test_in_turns_the_role_with_a_choice_is_in_control(machine: MachineName) -> None:
    state = gm.parse(NIM, machine=machine).initial_state()
    assert state.control == "red"
    assert sorted(texts(state.legal_moves("red"))) == ["take(1)", "take(2)"]
    assert texts(state.legal_moves("black")) == ["noop"]
    assert state.movers == ("red", "black")
    assert state.next("take(1)").control == "black"


def test_nobody_is_in_control_of_simultaneous_moves(machine: MachineName) -> None:
    state = gm.parse(HANDS, machine=machine).initial_state()
    assert state.control is None
    for role in ("ann", "bob"):
        assert sorted(texts(state.legal_moves(role))) == ["knife", "paper", "stone"]


def test_where_all_moves_are_forced_the_control_fact_tells_whose_turn_it_is(machine: MachineName) -> None:
    state = gm.parse(MARCH, machine=machine).initial_state()
    assert state.control == "left"
    assert state.next("step").control == "right"
    without = gm.parse(MARCH.replace("control", "turn"), machine=machine).initial_state()
    assert without.control is None


def test_the_only_role_is_in_control(machine: MachineName) -> None:
    assert gm.parse(LIGHTS, machine=machine).initial_state().control == "robot"


def test_nobody_is_in_control_once_the_game_is_over(machine: MachineName) -> None:
    state = gm.parse(NIM, machine=machine).initial_state().next("take(2)").next("take(2)")
    assert state.is_terminal
    assert state.control is None


def test_chance_is_in_control_where_it_moves(machine: MachineName) -> None:
    state = gm.parse(CARDS, machine=machine).initial_state()
    assert state.control == RANDOM
    assert state.next("deal(red)").control == "guesser"


def test_every_legal_move_comes_once(machine: MachineName) -> None:
    moves = texts(gm.parse(TWICE, machine=machine).initial_state().legal_moves("x"))
    assert sorted(moves) == ["1", "2", "a", "c"]


def test_legal_moves_come_in_the_order_of_the_rules() -> None:
    moves = texts(gm.parse(TWICE, machine="reference").initial_state().legal_moves("x"))
    assert moves == ["c", "2", "1", "a"]


# Moves


def test_next_takes_a_joint_move_of_terms_or_texts(machine: MachineName) -> None:
    state = gm.parse(HANDS, machine=machine).initial_state()
    terms = {str(move): move for move in state.legal_moves("ann")}
    by_terms = state.next({"ann": terms["stone"], "bob": terms["knife"]})
    by_texts = state.next({"bob": " knife ", "ann": "stone"})
    assert by_terms == by_texts
    assert sorted(texts(by_terms.facts)) == ["shown(ann,stone)", "shown(bob,knife)"]
    assert (by_terms.goal("ann"), by_terms.goal("bob")) == (100, 0)


def test_next_takes_one_move_where_one_role_is_in_control(machine: MachineName) -> None:
    state = gm.parse(NIM, machine=machine).initial_state()
    (one,) = (move for move in state.legal_moves("red") if str(move) == "take(1)")
    expected = state.next({"red": "take(1)", "black": "noop"})
    assert state.next(one) == state.next("take(1)") == state.next("take( 1 )") == expected
    assert sorted(texts(expected.facts)) == ["control(black)", "heap(3)"]


def test_next_leaves_the_state_as_it_was(machine: MachineName) -> None:
    state = gm.parse(NIM, machine=machine).initial_state()
    before = (state.facts, state.legal_moves("red"), state.step, str(state))
    state.next("take(2)").next("take(1)")
    assert (state.facts, state.legal_moves("red"), state.step, str(state)) == before


def test_steps_are_counted(machine: MachineName) -> None:
    state = gm.parse(NIM, machine=machine).initial_state()
    assert [state.step, state.next("take(1)").step, state.next("take(1)").next("take(1)").step] == [0, 1, 2]


@pytest.mark.parametrize(
    "move", ["take(3)", "noop", "take", "take(X)", "((", "", "take(1) take(2)", "(take 1)"]
)
def test_an_illegal_move_is_refused_and_named_with_role_step_and_what_is_legal(
    machine: MachineName, move: str
) -> None:
    state = gm.parse(NIM, machine=machine).initial_state().next("take(1)")
    with pytest.raises(gm.IllegalMove) as caught:
        state.next(move)
    error = caught.value
    assert (str(error.move), error.role, error.step) == (move, "black", 1)
    assert sorted(texts(error.legal)) == ["take(1)", "take(2)"]
    legal = ", ".join(texts(error.legal))
    assert str(error) == f"illegal move {move!r} for role 'black' in step 2; legal: {legal}"
    assert isinstance(error, ValueError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_joint_move_needs_a_legal_move_of_every_role_that_has_one(machine: MachineName) -> None:
    state = gm.parse(NIM, machine=machine).initial_state()
    with pytest.raises(
        gm.IllegalMove, match="illegal move 'no move' for role 'black' in step 1; legal: noop"
    ):
        state.next({"red": "take(1)"})
    with pytest.raises(gm.IllegalMove, match=r"illegal move 'take\(1\)' for role 'black'"):
        state.next({"red": "take(1)", "black": "take(1)"})
    with pytest.raises(gm.UnknownRole, match="no role 'green'"):
        state.next({"red": "take(1)", "black": "noop", "green": "noop"})


def test_a_role_without_legal_moves_makes_none(machine: MachineName) -> None:
    sheet = "role(x)\nrole(o)\ninit(control(x))\nlegal(x,go)\nnext(went(R)) :- does(R,M)\n"
    state = gm.parse(sheet, machine=machine).initial_state()
    for moves in ("go", {"x": "go"}, {"x": "go", "o": None}):
        assert texts(state.next(moves).facts) == ["went(x)"]  # type: ignore[arg-type]
    with pytest.raises(gm.IllegalMove, match="illegal move 'go' for role 'o' in step 1; legal: nothing"):
        state.next({"x": "go", "o": "go"})


def test_one_move_is_not_enough_where_moves_are_simultaneous(machine: MachineName) -> None:
    with pytest.raises(
        gm.IllegalMove, match="'stone' is one move, and in step 1 ann and bob choose at once"
    ) as caught:
        gm.parse(HANDS, machine=machine).initial_state().next("stone")
    assert str(caught.value).endswith("; give {'ann': ..., 'bob': ...}")
    assert isinstance(caught.value, gm.NoSingleMove)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_many_legal_moves_are_not_all_listed(machine: MachineName) -> None:
    sheet = "role(x)\n" + "".join(f"legal(x,m{i})\n" for i in range(30))
    with pytest.raises(gm.IllegalMove, match=r"m\d+ and 18 more$"):
        gm.parse(sheet, "hrf", machine=machine).initial_state().next("m99")


# End and goals


def test_a_game_ends_with_goals(machine: MachineName) -> None:
    state = gm.parse(NIM, machine=machine).initial_state()
    assert not state.is_terminal
    assert state.goal("red") is None
    end = state.next("take(2)").next("take(2)")
    assert end.is_terminal
    assert (end.goal("red"), end.goal("black")) == (0, 100)
    assert end.goals("black") == (100,)


def test_a_goal_may_be_there_in_every_state(machine: MachineName) -> None:
    state = gm.parse(LIGHTS, machine=machine).initial_state()
    goals = [state.goal("robot")]
    for move in ("press(q)", "press(p)"):
        state = state.next(move)
        goals.append(state.goal("robot"))
    assert goals == [0, 50, 100]
    assert state.is_terminal


@pytest.mark.parametrize("order", [(30, 70, 200), (200, 70, 30), (70, 200, 30)])
def test_the_lowest_of_several_goals_counts_whatever_their_order(
    machine: MachineName, order: tuple[int, ...]
) -> None:
    goals = "".join(f"goal(x,{goal})\n" for goal in order)
    game = gm.parse(f"role(x)\ninit(p)\nlegal(x,go)\nterminal\n{goals}", "hrf", machine=machine)
    state = game.initial_state()
    assert state.goal("x") == 30
    assert state.goals("x") == (30, 70, 200)
    assert game.playouts(3).mean_goals == (30.0,)
    assert game.charges([state]) == [(30,)]


@pytest.mark.parametrize("order", [(-5, 9, 10), (10, 9, -5), (9, -5, 10)])
def test_a_goal_below_nothing_is_lower_than_all_others(machine: MachineName, order: tuple[int, ...]) -> None:
    goals = "".join(f"(goal x {goal})\n" for goal in order)
    game = gm.parse(f"(role x) (init p) (legal x go) terminal\n{goals}", "kif", machine=machine)
    state = game.initial_state()
    assert state.goals("x") == (-5, 9, 10)
    assert game.playouts(3).mean_goals == (-5.0,)
    assert game.charges([state]) == [(-5,)]


def test_a_role_is_looked_up_once_where_its_moves_are_known(machine: MachineName) -> None:
    state = gm.parse(NIM, machine=machine).initial_state()
    legal = state.legal_moves("red")
    state.game.check_role = None  # type: ignore[method-assign, assignment]
    assert state.legal_moves("red") == legal


@pytest.mark.parametrize("role", ["z", None, 1, ["red"], {}], ids=repr)
def test_what_is_no_role_has_no_moves(machine: MachineName, role: Any) -> None:
    state = gm.parse(NIM, machine=machine).initial_state()
    for _ in range(2):
        with pytest.raises(gm.UnknownRole):
            state.legal_moves(role)


def test_a_goal_that_is_no_number_is_an_error_of_the_rules(machine: MachineName) -> None:
    state = gm.parse("role(x)\nlegal(x,go)\ngoal(x,f(1))\n", "hrf", machine=machine).initial_state()
    with pytest.raises(gm.GameIllDefined) as caught:
        state.goal("x")
    expected = "rules:3:1: goal of 'x' is 'f(1)', not a whole number; write a whole number from 0 to 100"
    assert str(caught.value) == str(pickle.loads(pickle.dumps(caught.value))) == expected


def test_a_dead_end_is_an_error_of_the_rules_when_somebody_must_move(machine: MachineName) -> None:
    state = gm.parse(
        "role(x)\ninit(s)\nlegal(x,go) :- true(t)\nterminal :- true(t)\n", machine=machine
    ).initial_state()
    assert state.legal_moves("x") == ()
    assert state.control is None
    with pytest.raises(gm.GameIllDefined) as caught:
        state.random_moves(random.Random(0))
    assert str(caught.value) == (
        "rules:3:1: no role has a legal move in step 1, but the state is not terminal: s; "
        "give x a move there (noop, pass), or make the state terminal"
    )
    with pytest.raises(gm.IllegalMove, match="move 'go' in step 1, in which nobody has a legal move"):
        state.next("go")


def test_of_a_dead_end_with_many_facts_only_some_are_shown(machine: MachineName) -> None:
    facts = "".join(f"init(fact({i}))\n" for i in range(1000))
    state = gm.parse(f"role(x)\n{facts}legal(x,go) :- true(t)", "hrf", machine=machine).initial_state()
    with pytest.raises(gm.GameIllDefined, match=r"fact\(1\).*\.\.\.; give x a move") as caught:
        state.random_moves(random.Random(0))
    assert len(str(caught.value)) < 600
    assert str(caught.value.place) == "rules:1002:1"


@pytest.mark.parametrize("ask", ["legal_moves", "goal", "goals"])
def test_an_unknown_role_is_refused_and_the_known_ones_are_named(machine: MachineName, ask: str) -> None:
    state = gm.parse(NIM, machine=machine, name="nim").initial_state()
    with pytest.raises(gm.UnknownRole, match="no role 'green' in nim; its roles: red, black") as caught:
        getattr(state, ask)("green")
    assert isinstance(caught.value, ValueError)


# What roles see


def test_with_sees_every_role_sees_what_the_rules_say(machine: MachineName) -> None:
    state = gm.parse(CARDS, machine=machine).initial_state()
    assert state.game.has_percepts
    dealt = gm.Symbol("dealt")
    assert state.percepts("deal(red)") == {"random": frozenset(), "guesser": frozenset({dealt})}
    after = state.next("deal(red)")
    assert after.percepts({"guesser": "guess(black)", "random": "noop"}) == {
        "random": frozenset(),
        "guesser": frozenset({gm.Compound(("was", gm.Symbol("red")))}),
    }
    assert after.next("guess(red)").goal("guesser") == 100
    assert after.next("guess(black)").goal("guesser") == 0
    assert after.next("guess(black)").goal("random") is None


def test_without_sees_everybody_sees_all_moves(machine: MachineName) -> None:
    state = gm.parse(HANDS, machine=machine).initial_state()
    assert not state.game.has_percepts
    seen = state.percepts({"ann": "stone", "bob": "paper"})
    assert seen.keys() == {"ann", "bob"}
    assert {frozenset(texts(percepts)) for percepts in seen.values()} == {
        frozenset({"does(ann,stone)", "does(bob,paper)"})
    }


def test_percepts_of_illegal_moves_are_refused(machine: MachineName) -> None:
    with pytest.raises(gm.IllegalMove, match=r"deal\(green\)"):
        gm.parse(CARDS, machine=machine).initial_state().percepts("deal(green)")


# States are values


def test_states_are_equal_where_rules_and_facts_are(machine: MachineName) -> None:
    game, again, other = (gm.parse(text, machine=machine) for text in (NIM, NIM, HANDS))
    state = game.initial_state()
    assert state == again.initial_state()
    assert hash(state) == hash(again.initial_state())
    assert state != state.next("take(1)")
    assert game.state([]) != other.state([])
    assert state != "heap(4) control(red)"
    assert len({state, again.initial_state(), state.next("take(1)")}) == 2


def test_neither_the_order_of_facts_nor_the_step_matters_to_equality(machine: MachineName) -> None:
    game = gm.parse(NIM, machine=machine)
    one = game.state(["heap(2)", "control(red)"])
    other = game.state(["control(red)", "heap(2)"], step=7)
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize("rules", [NIM, HANDS, CARDS, LIGHTS, MARCH])
def test_states_and_games_can_be_pickled_and_copied(machine: MachineName, rules: str) -> None:
    game = gm.parse(rules, machine=machine, name="mine")
    state = game.initial_state().next(game.initial_state().random_moves(random.Random(1)))
    hash(state), state.is_terminal, state.legal_moves(game.roles[0])
    for twin in (pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)):
        assert twin == state
        assert hash(twin) == hash(state)
        assert twin.step == 1
        assert twin.ordered_facts == state.ordered_facts
        assert twin.legal_moves(game.roles[0]) == state.legal_moves(game.roles[0])
        assert twin.game.name == "mine"
    for same in (pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game)):
        assert same.initial_state() == game.initial_state()
        assert (same.roles, same.name, same.machine) == (game.roles, game.name, game.machine)


def test_states_go_to_json_and_back(machine: MachineName) -> None:
    game = gm.parse(LIGHTS, machine=machine)
    state = game.initial_state().next("press(q)")
    written = json.loads(state.to_json())
    assert written["facts"] == texts(state.ordered_facts)
    assert written["step"] == 1
    back = game.state_from_json(state.to_json())
    assert back == state
    assert back.step == 1
    assert back.next("press(p)") == state.next("press(p)")
    assert gm.parse(LIGHTS, machine=machine).state_from_json(state.to_json()) == state


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufffd"), max_size=5)
values = st.recursive(
    st.builds(gm.Symbol, names | st.sampled_from(["1", "-1", "1e-7", "-1e-7", "nil", '"A b"', "and", "not"])),
    lambda inner: st.builds(
        lambda name, args: gm.Compound((name, *args)), names, st.lists(inner, max_size=2)
    ),
    max_leaves=4,
)


@given(facts=st.lists(values, max_size=3, unique=True))
@settings(deadline=None, max_examples=60)
def test_states_of_any_facts_survive_json_and_pickle(facts: list[gm.Term]) -> None:
    game = gm.parse(LIGHTS, machine="reference")
    state = game.state(facts)
    assert state.facts == frozenset(facts)
    assert game.state_from_json(state.to_json()).ordered_facts == state.ordered_facts
    assert pickle.loads(pickle.dumps(state)).ordered_facts == state.ordered_facts


def test_text_that_is_no_state_is_refused(machine: MachineName) -> None:
    game = gm.parse(NIM, machine=machine)
    digest = game.digest
    bad: dict[str, str] = {
        "": "not a state in JSON",
        "{": "not a state in JSON",
        "[]": "not a state in JSON",
        "17": "not a state in JSON",
        "[" * 100_000: "not a state in JSON: RecursionError",
        "{}": "not a state in JSON: KeyError 'rules'",
        json.dumps({"rules": digest, "step": 0}): "KeyError 'facts'",
        json.dumps({"rules": "other", "step": 0, "facts": []}): "a state of other rules: 'other'",
        json.dumps({"rules": digest, "step": "0", "facts": []}): "step must be a number",
        json.dumps({"rules": digest, "step": True, "facts": []}): "step must be a number",
        json.dumps({"rules": digest, "step": -1, "facts": []}): "step must be a number",
        json.dumps({"rules": digest, "step": 1.5, "facts": []}): "step must be a number",
        json.dumps({"rules": digest, "step": 0, "facts": "p"}): "facts a list of texts",
        json.dumps({"rules": digest, "step": 0, "facts": [1]}): "facts a list of texts",
        json.dumps({"rules": digest, "step": 0, "facts": ["heap("]}): "fact 'heap.' cannot be read",
        json.dumps({"rules": digest, "step": 0, "facts": ["heap(1) heap(2)"]}): "cannot be read",
        json.dumps({"rules": digest, "step": 0, "facts": ["heap(X)"]}): "has a variable",
        gm.parse(HANDS, machine=machine).initial_state().to_json(): "a state of other rules",
    }
    for text, message in bad.items():
        with pytest.raises(gm.StateError, match=message) as caught:
            game.state_from_json(text)
        assert isinstance(caught.value, ValueError)


def test_any_state_can_be_a_start(machine: MachineName) -> None:
    game = gm.parse(NIM, machine=machine)
    state = game.state(["heap(2)", gm.Compound(("control", gm.Symbol("black"))), "heap(2)"], step=5)
    assert sorted(texts(state.ordered_facts)) == ["control(black)", "heap(2)"]
    assert state.control == "black"
    end = state.next("take(2)")
    assert end.is_terminal
    assert end.step == 6
    assert end.goal("black") == 100
    assert game.state([]).legal_moves("red") == ()


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("heap(", r"fact 'heap\(' cannot be read"),
        ("", "cannot be read"),
        ("X", "has a variable"),
        ("heap(f(X))", r"fact 'heap\(f\(X\)\)' has a variable; a state holds only values"),
        (gm.Variable("X"), "has a variable"),
        (gm.Compound(("heap", gm.Variable("X"))), "has a variable"),
    ],
)
def test_what_is_no_fact_cannot_be_in_a_state(fact: Any, message: str) -> None:
    with pytest.raises(gm.StateError, match=message):
        gm.parse(NIM, machine="reference").state([fact])


# Playouts and counts


def test_playouts_are_the_same_for_the_same_seed(machine: MachineName) -> None:
    game = gm.parse(NIM, machine=machine)
    one, other = game.playouts(20, seed=3), game.playouts(20, seed=3)
    assert (one.playouts, one.moves, one.mean_length, one.mean_goals) == (
        *(other.playouts, other.moves, other.mean_length, other.mean_goals),
    )
    assert one.playouts == 20
    assert one.mean_length == one.moves / 20
    assert 2 <= one.mean_length <= 4
    assert sum(one.mean_goals) == 100
    assert one.cut == 0
    assert any(game.playouts(20, seed=seed).mean_goals != one.mean_goals for seed in range(5))


def test_playouts_go_on_for_a_while_or_once(machine: MachineName) -> None:
    game = gm.parse(LIGHTS, machine=machine)
    assert game.playouts().playouts == 1
    timed = game.playouts(seconds=0.05)
    assert timed.playouts >= 1
    assert timed.seconds >= 0.05
    assert timed.mean_goals == (100,)
    assert game.playouts(0).mean_length == 0


def test_playouts_that_do_not_end_are_cut(machine: MachineName) -> None:
    game = gm.parse(ENDLESS, machine=machine)
    stats = game.playouts(1)
    assert (stats.moves, stats.cut, stats.mean_goals) == (MAX_LENGTH, 1, (7.0,))
    assert game.random_game(random.Random(0), max_length=5).step == 5


def test_a_playout_that_takes_very_long_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    game = gm.parse(ENDLESS, machine="reference")
    ticking(monkeypatch, 1.0)
    stats = game.playouts(seconds=2)
    assert (stats.playouts, stats.cut) == (1, 1)
    assert 1 <= stats.moves <= 2 + PATIENCE


def test_perft_counts_sequences_of_joint_moves(machine: MachineName) -> None:
    assert gm.parse(NIM, machine=machine).perft(5) == [2, 4, 4, 1, 0]
    assert gm.parse(HANDS, machine=machine).perft(2) == [9, 0]
    assert gm.parse(CARDS, machine=machine).perft(3) == [2, 4, 0]
    assert gm.parse(LIGHTS, machine=machine).perft(3) == [2, 2, 0]
    assert gm.parse(NIM, machine=machine).perft(0) == []


def test_perft_ends_where_nobody_can_move(machine: MachineName) -> None:
    stuck = "role(x)\ninit(s(1))\nlegal(x,go) :- true(s(1))\nnext(s(2))\nterminal :- true(s(3))\ngoal(x,7)\n"
    game = gm.parse(stuck, machine=machine)
    assert game.perft(3) == [1, 0, 0]
    assert [each.count for each in perft_counts(game, 3, lambda *_: None)] == [1, 0, 0]


# Making a game


def test_the_notation_is_found_or_given(machine: MachineName) -> None:
    assert [gm.parse(text, machine=machine).sheet.notation for text in (NIM, HANDS, LIGHTS)] == [
        *("kif", "hrf", "epilog"),
    ]
    ambiguous = "role(x)\ninit(p)\ncontrol(x)\nlegal(go)\n"
    assert gm.parse(ambiguous, dialect="epilog", machine=machine).initial_state().legal_moves("x")
    assert not gm.parse(ambiguous, dialect="hrf", machine=machine).initial_state().legal_moves("x")
    with pytest.raises(gm.RulesError):
        gm.parse(NIM, dialect="hrf", machine=machine)


def test_rules_must_name_a_role(machine: MachineName) -> None:
    with pytest.raises(gm.RulesError, match="the rules name no role") as caught:
        gm.parse("init(p)\nlegal(x,go)\n", machine=machine, name="nobody")
    assert str(caught.value.place) == "nobody:1:1"


def test_a_game_says_on_which_machine_it_runs_and_why(machine: MachineName) -> None:
    game = gm.parse(NIM, machine=machine)
    assert str(game.machine) == game.machine.name == machine
    assert game.machine.reason == "asked for"
    assert gm.parse(NIM).machine.reason


def test_an_unknown_machine_is_refused() -> None:
    with pytest.raises(ValueError, match="machine 'steam' is not one of"):
        gm.parse(NIM, machine="steam")  # type: ignore[arg-type]


def test_games_are_loaded_from_files(machine: MachineName, tmp_path: Path) -> None:
    path = tmp_path / "small nim.kif"
    path.write_text(NIM)
    for where in (path, str(path)):
        game = gm.load(where, machine=machine)
        assert game.name == "small nim"
        assert game.initial_state() == gm.parse(NIM, machine=machine).initial_state()


def test_an_unknown_game_is_refused_and_near_names_are_suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    loader = importlib.import_module("gamemaster.load")
    monkeypatch.setattr(loader, "game_names", lambda: ("hex", "tictactoe"))
    with pytest.raises(
        gm.UnknownGame, match=r"no game or rule file 'tictacto'; did you mean tictactoe\?"
    ) as caught:
        gm.load("tictacto")
    assert isinstance(caught.value, LookupError)
    with pytest.raises(
        gm.UnknownGame, match="no game or rule file 'q'; `gamemaster games` lists the library"
    ):
        gm.load("q")
    with pytest.raises(gm.UnknownGame, match=r"no game or rule file 'missing\.kif'"):
        gm.load(Path("missing.kif"))


def test_limits_hold_for_every_question() -> None:
    slow = (
        "".join(f"d({i})\n" for i in range(60))
        + "terminal :- d(A) & d(B) & d(C) & d(D) & d(E) & no(A)\nno(a)\n"
    )
    state = gm.parse(
        f"role(x)\nlegal(x,go)\n{slow}", "hrf", machine="reference", limits=gm.Limits(seconds=0.1)
    ).initial_state()
    with pytest.raises(gm.LimitExceeded, match=r"time limit of 0\.1 s exceeded"):
        _ = state.is_terminal
    assert texts(state.legal_moves("x")) == ["go"]


def test_games_and_states_print_themselves(machine: MachineName) -> None:
    game = gm.parse(NIM, machine=machine, name="nim")
    state = game.initial_state().next("take(1)")
    assert str(game) == "nim: red, black"
    assert repr(game) == f"<Game nim on the {machine} machine>"
    assert sorted(str(state).split()) == ["control(black)", "heap(3)"]
    assert repr(state) == f"<State step 1: {state}>"


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "tictacto"])
def test_a_name_that_is_no_game_and_no_file_is_unknown(name: str) -> None:
    with pytest.raises(gm.UnknownGame, match="no game or rule file"):
        gm.load(name)


@pytest.mark.parametrize("machine", ["reference", "compiled"])
def test_a_state_made_of_a_set_is_the_same_in_every_process(machine: MachineName) -> None:
    """The order of sets differs from process to process; that of moves, and so of random games, must not."""
    game = gm.load("kono", machine=machine)
    facts = sorted(game.initial_state().facts, key=str)
    in_order = game.state(facts)
    for seed in range(3):
        shuffled = random.Random(seed).sample(facts, len(facts))
        made = game.state(dict.fromkeys(shuffled).keys())
        assert made.legal_moves("red") == in_order.legal_moves("red")
        assert game.charges([made], seed=1) == game.charges([in_order], seed=1)
