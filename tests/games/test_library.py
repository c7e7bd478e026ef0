"""Every game of the library: what its folder says is true, and the original's answers come out."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import gamemaster as gm
from gamemaster.check import check
from gamemaster.draw.svg import draw_svg
from gamemaster.draw.text import draw_text
from gamemaster.games import entry, find_rules, game_names
from gamemaster.load import source_of
from gamemaster.machine.game import MAX_LENGTH, RANDOM, successors
from gamemaster.subroutines import findactions, findbases, findinits, findlegals, findreward

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text())
SHAPES = ("rock", "paper", "scissors")
RANDOM_GAMES = 200
SLOW_PERFT = 2_000
"""Perft counts beyond this many sequences are for the compiled machine alone, see machine/test_compiled.py."""


def test_the_library_has_games() -> None:
    assert len(game_names()) >= 45
    assert set(GOLDEN) <= set(game_names())


@pytest.mark.parametrize("name", game_names())
def test_a_game_is_described(name: str) -> None:
    about = entry(name)
    game = gm.load(name, machine="reference")
    assert about.roles == game.roles
    assert all((about.title, about.kind, about.tags))
    assert len(about.description) > 300
    assert all(f"{name}:{each.name}" in about.description for each in about.variants)
    assert not about.parameters or f"{name}:" in about.description
    assert find_rules(name).suffix == "." + about.notation == "." + game.sheet.notation


@pytest.mark.parametrize("name", game_names())
def test_the_checker_finds_nothing(name: str) -> None:
    report = check(source_of(name), seconds=0.1)
    assert not list(map(str, report.findings))
    assert report.played is not None
    assert report.played.games > 0


@pytest.mark.parametrize("name", game_names())
def test_perft_is_as_pinned(name: str) -> None:
    first, second, *others = entry(name).perft
    pinned = [first, second, *(count for count in others if count <= SLOW_PERFT)]
    assert gm.load(name, machine="reference").perft(len(pinned)) == pinned


@pytest.mark.parametrize("name", game_names())
def test_every_game_compiles_and_random_play_comes_to_an_end(name: str) -> None:
    game = gm.load(name, machine="compiled")
    stats = game.playouts(count=RANDOM_GAMES, seed=1)
    assert stats.playouts == RANDOM_GAMES
    assert 0 < stats.mean_length <= MAX_LENGTH
    assert all(0 <= goal <= 100 for goal in stats.mean_goals)


@pytest.mark.parametrize("name", game_names())
def test_start_and_end_are_drawn(name: str) -> None:
    state, generator = gm.load(name).initial_state(), random.Random(2)
    pictures = [draw_svg(state)]
    while not state.is_over:
        state = state.next(state.random_moves(generator))
    for picture in (*pictures, draw_svg(state)):
        names = [element.tag.rpartition("}")[2] for element in ElementTree.fromstring(picture).iter()]
        assert {"svg", "title", "desc"} <= set(names)
    assert draw_text(state)


# What is special about some of them


def test_the_library_has_every_kind_of_game() -> None:
    games = {name: gm.load(name, machine="reference") for name in game_names()}
    assert "dicerace" in [name for name, game in games.items() if RANDOM in game.roles]
    assert {"darkhex", "higherlower", "phantom"} <= {
        name for name, game in games.items() if game.has_percepts
    }
    several = [name for name, game in games.items() if len(_choosers(game.initial_state())) > 1]
    assert {"roshambo", "threehouses", "tron"} <= set(several)


def _choosers(state: gm.State) -> list[str]:
    return [role for role in state.game.roles if len(state.legal_moves(role)) > 1]


def test_no_shape_is_better_than_another() -> None:
    state = gm.load("roshambo").initial_state()
    for _ in range(2):
        state = state.next({"alice": "rock", "bob": "rock"})
    ends = {(a, b): state.next({"alice": a, "bob": b}) for a in SHAPES for b in SHAPES}
    assert all(end.is_terminal for end in ends.values())
    goals = {shapes: (end.goal("alice"), end.goal("bob")) for shapes, end in ends.items()}
    assert goals["rock", "scissors"] == goals["paper", "rock"] == goals["scissors", "paper"] == (100, 0)
    assert goals["scissors", "rock"] == goals["rock", "paper"] == goals["paper", "scissors"] == (0, 100)
    assert {goals[shape, shape] for shape in SHAPES} == {(50, 50)}


def test_one_round_more_wins_roshambo() -> None:
    state = gm.load("roshambo").initial_state()
    for alice, bob in (("rock", "scissors"), ("paper", "paper"), ("paper", "scissors")):
        state = state.next({"alice": alice, "bob": bob})
    assert (state.is_terminal, state.goal("alice"), state.goal("bob")) == (True, 50, 50)


@pytest.mark.slow
def test_who_begins_the_dice_race_wins_more_often() -> None:
    """All states of the rules, beside a count that knows only how far the runners are."""
    worth: dict[gm.State, float] = {}

    def value(state: gm.State) -> float:
        if state.is_terminal:
            return float(state.goal("red") or 0)
        if state not in worth:
            after = [value(each) for each in successors(state)]
            best = {"red": max, "blue": min}.get(_choosers(state)[0] if _choosers(state) else "red", max)
            worth[state] = sum(after) / len(after) if state.control == RANDOM else best(after)
        return worth[state]

    assert value(gm.load("dicerace").initial_state()) == pytest.approx(100 * _race((0, 0), (0, 0)))
    assert 100 * _race((0, 0), (0, 0)) == pytest.approx(63.53, abs=0.01)


@cache
def _race(mine: tuple[int, int], other: tuple[int, int]) -> float:
    """How probable it is that whoever is about to throw wins, where both choose best."""
    total = 0.0
    for thrown in (1, 2, 3):
        after = [(min(6, mine[0] + thrown), mine[1])] * (mine[0] < 6)
        after += [(mine[0], min(6, mine[1] + thrown))] * (mine[1] < 6)
        total += max(1.0 if each == (6, 6) else 1 - _race(other, each) for each in after) / 3
    return total


def test_three_of_six_numbers_can_be_found() -> None:
    """Whatever the first guess is, and whatever follows from the answer: each number is as likely as the others."""
    start = gm.load("higherlower").initial_state()
    hidden = [start.next({"hider": f"hide({n})", "seeker": "noop"}) for n in range(1, 7)]

    def found(states: list[gm.State]) -> int:
        return max(found_by(states, f"guess({n})") for n in range(1, 7))

    def found_by(states: list[gm.State], guess: str) -> int:
        answers: dict[frozenset[gm.Term], list[gm.State]] = {}
        for state in states:
            moves = {"hider": "noop", "seeker": guess}
            answers.setdefault(state.percepts(moves)["seeker"], []).append(state.next(moves))
        ends = [state for group in answers.values() for state in group if state.is_terminal]
        going = [group for group in answers.values() if not group[0].is_terminal]
        return sum(state.goal("seeker") == 100 for state in ends) + sum(map(found, going))

    assert found(hidden) == 3


@pytest.mark.parametrize("name", GOLDEN)
def test_the_start_is_the_original_s(name: str) -> None:
    game, golden = gm.load(name), GOLDEN[name]
    state = findinits(game)
    assert list(game.roles) == golden["roles"]
    assert sorted(map(str, state)) == sorted(golden["init"])
    assert len(findbases(game)) == golden["bases"]
    assert len(findactions(game)) == golden["actions"]
    assert list(map(str, findlegals(state, game))) == golden["legal0"]
    assert [findreward(role, state, game) for role in game.roles] == golden["initial_rewards"]
    assert list(entry(name).perft) == golden["perft"]


@pytest.mark.parametrize("name", GOLDEN)
def test_legal_against_legal_goes_as_on_the_original(name: str) -> None:
    game, golden = gm.load(name, machine="reference"), GOLDEN[name]["legal_vs_legal"]
    state, moves = game.initial_state(), []
    while not state.is_terminal:
        assert state.control is not None
        moves.append(state.legal_moves(state.control)[0])
        state = state.next(moves[-1])
    assert list(map(str, moves)) == golden["moves"]
    assert sorted(map(str, state.facts)) == sorted(golden["final_state"])
    assert [state.goal(role) for role in game.roles] == golden["rewards"]
