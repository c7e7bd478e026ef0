"""Every game of the library printed in every notation and read back: the same game, step by step."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import pytest
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.check import check
from gamemaster.cli import app
from gamemaster.games import entry, game_names
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation, Rules
from gamemaster.language.source import Source
from gamemaster.language.terms import Symbol
from gamemaster.load import build
from gamemaster.machine.game import State

NOOP = Symbol("noop")
NOTATIONS: dict[str, Notation] = {"kif": "kif", "hrf": "hrf", "core": "hrf", "epilog": "epilog"}
SLOW = {"badhex", "badskirmish", "chess", "hex7x7", "othello", "skirmish"}
STEPS = 12
GAMES = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in game_names()]


def printed(name: str, notation: str) -> Source:
    """What `gamemaster show` prints of a game."""
    result = CliRunner().invoke(app, ["show", name, "--as", notation])
    assert result.exit_code == 0, result.output
    return Source(f"{name} as {notation}", result.stdout)


def assert_alike(state: State, copy: State) -> None:
    """In the core language whoever has no move of the sheet has one that does nothing."""
    assert copy.facts == state.facts
    assert copy.is_terminal == state.is_terminal
    for role in state.game.roles:
        assert copy.goal(role) == state.goal(role)
        if not state.is_terminal:
            assert {*copy.legal_moves(role)} == ({*state.legal_moves(role)} or {NOOP})


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", GAMES)
def test_a_game_in_another_notation_is_the_same_game(name: str, notation: str) -> None:
    if notation == "epilog" and entry(name).notation != "epilog":
        pytest.skip("what GDL says cannot be turned into Epilog")
    text = printed(name, notation)
    assert not check(text, NOTATIONS[notation], seconds=0).errors
    rules = read(text, NOTATIONS[notation])
    assert_same_game(name, rules if notation == "epilog" else replace(rules, notation="hrf"))


@cache
def assert_same_game(name: str, rules: Rules) -> None:
    """Play a game beside its rules as they were read back: once where they are the same in several notations.

    Where they are the very rules of the game, that is all there is to see.
    """
    game = gm.load(name, machine="reference")
    if (rules.notation == "epilog") == (game.sheet.notation == "epilog"):
        assert rules.sentences == game.sheet.sentences
        return
    copy = build(rules, name, "reference")
    assert copy.perft(2) == game.perft(2)
    state, other, generator = game.initial_state(), copy.initial_state(), Random(1)
    assert_alike(state, other)
    for _ in range(STEPS):
        if state.is_terminal:
            break
        moves = state.random_moves(generator)
        everybody = {role: moves.get(role, NOOP) for role in game.roles}
        state, other = state.next(moves), other.next(everybody)
        assert_alike(state, other)


@pytest.mark.parametrize("notation", ["kif", "hrf", "core"])
def test_what_is_printed_is_fine_with_the_checker(notation: str) -> None:
    report = check(printed("tictactoe", notation), seconds=0.1)
    assert not list(map(str, report.findings))


@pytest.mark.parametrize("notation", ["kif", "hrf", "core"])
def test_a_move_of_those_not_in_control_does_nothing_whatever_the_sheet_calls_its_own(
    notation: str, tmp_path: object
) -> None:
    sheet = f"{tmp_path}/pass.epilog"
    with open(sheet, "w") as file:
        file.write(
            "role(x) role(y) init(control(x)) legal(noop) :- ~noop legal(stop) :- noop\n"
            "stop :: control(x) ==> over goal(x,100) goal(y,0) terminal :- over\n"
        )
    copy = build(read(printed(sheet, notation)), "copy", "reference")
    state = copy.initial_state().next({"x": NOOP, "y": NOOP})
    assert {str(fact) for fact in state.facts} == {"control(x)", "noop"}
    assert state.next({"x": Symbol("stop"), "y": NOOP}).is_terminal
