"""Information states and strategies in words: what tells them apart is said, and nothing else."""

from __future__ import annotations

import gamemaster as gm
from gamemaster.language.terms import Term
from gamemaster.solving.equilibrium.information import Sighting
from gamemaster.solving.equilibrium.profiles import profile_of, uniform
from gamemaster.solving.equilibrium.tree import InformationState, grow_tree
from gamemaster.solving.equilibrium.words import NOTHING, advices
from tests.solving.equilibrium.sheets import FORK, PRISONERS


def test_a_card_and_what_was_said_are_told() -> None:
    told = [each.knows for each in advices(uniform(grow_tree(gm.load("kuhn"))), "bob")]
    assert told == [f"{card}; {said}" for card in ("jack", "king", "queen") for said in ("bet", "check")]


def test_all_is_told_apart_by_step_and_words() -> None:
    for rules in (gm.load("kuhn"), gm.load("leduc"), gm.load("higherlower"), gm.parse(FORK)):
        rows = [(each.role, each.step, each.knows) for each in advices(uniform(grow_tree(rules)))]
        assert len(set(rows)) == len(rows)


def test_where_nothing_was_seen_nothing_is_told() -> None:
    assert [each.knows for each in advices(uniform(grow_tree(gm.load("pennies"))))] == [NOTHING] * 2
    told = [each.knows for each in advices(uniform(grow_tree(gm.parse(FORK))))]
    assert told == [NOTHING, "fork"]  # that one arrives goes without saying


def test_of_several_others_it_is_told_who_it_was() -> None:
    twice = PRISONERS.replace(
        "next(over) :- does(a,A)", "next(once) :- does(a,A) & ~true(once) next(over) :- true(once)"
    )
    told = [each.knows for each in advices(uniform(grow_tree(gm.parse(twice))), "a")]
    assert "tell, b silent, c tell" in told
    two = gm.load("roshambo:rounds=2")
    assert "rock, paper" in [each.knows for each in advices(uniform(grow_tree(two)), "alice")]


def test_who_moved_need_not_be_told_where_there_is_only_chance() -> None:
    sheet = """
    role(random) role(a) init(s) side(1) side(2)
    legal(random,toss(S)) :- true(s) & side(S) legal(random,noop) :- ~true(s)
    legal(a,wait) :- true(s) legal(a,say(S)) :- ~true(s) & side(S)
    next(up(S)) :- does(random,toss(S)) next(said) :- does(a,say(S)) next(right) :- does(a,say(S)) & true(up(S))
    terminal :- true(said) goal(a,100) :- true(right) goal(a,0) :- ~true(right) goal(random,0)
    """
    assert [each.knows for each in advices(uniform(grow_tree(gm.parse(sheet))))] == [
        "toss(1)",
        "toss(2)",
    ]


def test_how_likely_ones_own_moves_lead_there_is_told() -> None:
    tree = grow_tree(gm.parse(FORK))

    def on_the_road(state: InformationState) -> dict[Term | str, float]:
        return {"road": 1} if state.step == 0 else {}

    start, fork = advices(profile_of(tree, on_the_road))
    assert (start.reach, fork.reach) == (1.0, 0.0)
    assert fork.to_json() == {
        "role": "traveller",
        "step": 1,
        "knows": "fork",
        "moves": {"left": 0.5, "right": 0.5},
        "reach": 0.0,
    }


def test_the_moves_that_a_role_had_on_the_way_are_known() -> None:
    tree = grow_tree(gm.load("kuhn"))
    state = next(number for number in range(tree.states) if tree.describe(number).step == 4)
    assert [[str(move) for move in legal] for legal in tree.legals(state)] == [
        ["noop"],
        ["noop"],
        ["bet", "check"],
        ["noop"],
        ["call", "fold"],
    ]
    story: tuple[Sighting, ...] = tree.describe(state).story
    assert [str(own) for own, _ in story] == ["noop", "noop", "check", "noop"]
