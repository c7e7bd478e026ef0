"""Games with a hidden state: what a role may do follows from what it saw, and it sees no more than the game allows."""

from __future__ import annotations

import random

import pytest

import gamemaster as gm

HIDDEN = ("phantom", "darkhex", "battleships", "tricks", "hearts", "higherlower")
GAMES = 150

Seen = tuple[tuple[gm.Term, frozenset[gm.Term]], ...]


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_legal_follows_from_what_was_seen(name: str) -> None:
    """Over random games, a role that made the same moves and saw the same has the same moves to choose from."""
    game, generator = gm.load(name), random.Random(3)
    legal: dict[tuple[str, Seen], tuple[gm.Term, ...]] = {}
    met_again = 0
    for _ in range(GAMES):
        state, seen = game.initial_state(), dict[str, Seen]((role, ()) for role in game.roles)
        while not state.is_terminal:
            for role in game.roles:
                moves = state.legal_moves(role)
                met_again += (role, seen[role]) in legal
                assert legal.setdefault((role, seen[role]), moves) == moves
            joint = state.random_moves(generator)
            percepts = state.percepts(joint)
            seen = {role: (*before, (joint[role], percepts[role])) for role, before in seen.items()}
            state = state.next(joint)
    assert met_again > GAMES


@pytest.mark.parametrize(("name", "move"), [("phantom", "mark(2,2)"), ("darkhex", "place(b,2)")])
def test_a_refused_move_changes_nothing_but_what_is_known(name: str, move: str) -> None:
    game = gm.load(name)
    first, second = game.roles
    start = game.initial_state()
    after = start.next({first: move, second: "noop"})
    refused = {first: "noop", second: move}
    again = after.next(refused)
    found = again.facts - after.facts
    assert after.facts < again.facts
    assert len(found) == 1
    assert str(next(iter(found))).startswith(f"found({second},")
    assert again.control == after.control == second
    assert set(map(str, after.legal_moves(second))) - set(map(str, again.legal_moves(second))) == {move}
    assert {role: sorted(map(str, seen)) for role, seen in after.percepts(refused).items()} == {
        first: [],
        second: ["taken"],
    }


@pytest.mark.parametrize("name", ["phantom", "darkhex"])
def test_nobody_sees_where_the_other_moved(name: str) -> None:
    state = gm.load(name).initial_state()
    first, second = state.game.roles
    joints = [{first: str(move), second: "noop"} for move in state.legal_moves(first)]
    seen = [state.percepts(joint) for joint in joints]
    assert {tuple(map(str, each[second])) for each in seen} == {("turn",)}
    assert {each[first] for each in seen} == {frozenset()}
    assert len({state.next(joint).legal_moves(second) for joint in joints}) == 1


def test_the_other_sees_where_a_shot_fell_and_only_who_shot_whether_it_hit() -> None:
    state = gm.load("battleships").initial_state()
    for ship in ("place(1,1,across)", "place(4,1,across)"):
        assert not any(state.percepts({"red": ship, "blue": ship}).values())
        state = state.next({"red": ship, "blue": ship})
    seen = {cell: state.percepts({"red": f"shoot({cell})", "blue": "noop"}) for cell in ("1,3", "1,4", "4,2")}
    assert [[str(each) for each in percepts["red"]] for percepts in seen.values()] == [
        ["hit"],
        ["miss"],
        ["hit"],
    ]
    assert [[str(each) for each in percepts["blue"]] for percepts in seen.values()] == [
        [f"shot({cell})"] for cell in seen
    ]


def test_a_trump_takes_the_trick_and_a_suit_is_followed() -> None:
    game = gm.load("tricks")
    nobody = dict.fromkeys(game.roles, "noop")
    state = game.initial_state()
    dealt = ["spades,3", "spades,4", "spades,1", "hearts,1", "hearts,4", "spades,2", "hearts,2", "hearts,3"]
    for place, card in enumerate(dealt):
        percepts = state.percepts({**nobody, "random": f"deal({card})"})
        assert {role for role, seen in percepts.items() if seen} == {game.roles[place % 4]}
        state = state.next({**nobody, "random": f"deal({card})"})
    for role, legal, card in (
        ("north", {"spades,3", "hearts,4"}, "spades,3"),
        ("east", {"spades,4", "spades,2"}, "spades,4"),
        ("south", {"spades,1"}, "spades,1"),
        ("west", {"hearts,1", "hearts,3"}, "hearts,1"),
        ("west", {"hearts,3"}, "hearts,3"),
        ("north", {"hearts,4"}, "hearts,4"),
        ("east", {"spades,2"}, "spades,2"),
        ("south", {"hearts,2"}, "hearts,2"),
    ):
        assert {str(move) for move in state.legal_moves(role)} == {f"play({each})" for each in legal}
        assert len(state.percepts({**nobody, role: f"play({card})"})["north"]) == 1
        state = state.next({**nobody, role: f"play({card})"})
    assert state.is_terminal
    assert {"tricks(ns,1)", "tricks(ew,1)"} <= set(map(str, state.facts))
    assert [state.goal(role) for role in game.roles] == [50, 50, 50, 50, 0]


def test_hearts_and_the_queen_of_spades_cost_whoever_takes_them() -> None:
    game = gm.load("hearts")
    nobody = dict.fromkeys(game.roles, "noop")
    state = game.initial_state()
    deal = [
        ("clubs", 11), ("clubs", 14), ("clubs", 12), ("clubs", 13),
        ("hearts", 11), ("spades", 12), ("hearts", 13), ("hearts", 14),
        ("spades", 14), ("hearts", 12), ("spades", 11), ("spades", 13),
        ("diamonds", 11), ("diamonds", 12), ("diamonds", 13), ("diamonds", 14),
    ]  # fmt: skip
    for place, (suit, rank) in enumerate(deal):
        percepts = state.percepts({**nobody, "random": f"deal({suit},{rank})"})
        assert {role for role, seen in percepts.items() if seen} == {game.roles[place % 4]}
        state = state.next({**nobody, "random": f"deal({suit},{rank})"})
    for role, choices, card in (
        ("north", 4, "clubs,11"), ("east", 1, "clubs,14"), ("south", 1, "clubs,12"), ("west", 1, "clubs,13"),
        ("east", 3, "diamonds,12"), ("south", 1, "diamonds,13"),
        ("west", 1, "diamonds,14"), ("north", 1, "diamonds,11"),
        ("west", 2, "spades,13"), ("north", 1, "spades,14"), ("east", 1, "spades,12"), ("south", 1, "spades,11"),
        ("north", 1, "hearts,11"), ("east", 1, "hearts,12"), ("south", 1, "hearts,13"), ("west", 1, "hearts,14"),
    ):  # fmt: skip
        assert len(state.legal_moves(role)) == choices
        seen = state.percepts({**nobody, role: f"play({card})"})
        assert [list(map(str, seen[each])) for each in game.roles[:4]] == [[f"play({card})"]] * 4
        state = state.next({**nobody, role: f"play({card})"})
    assert state.is_terminal
    assert [state.goal(role) for role in game.roles] == [40, 100, 100, 60, 0]


@pytest.mark.parametrize("name", ["hearts", "hearts:small", "hearts:large", "hearts:full"])
def test_all_players_of_hearts_pay_100_together(name: str) -> None:
    game, generator = gm.load(name), random.Random(1)
    for _ in range(3):
        state = game.initial_state()
        while not state.is_terminal:
            state = state.next(state.random_moves(generator))
        assert sum(state.goal(role) or 0 for role in game.roles) == 300
