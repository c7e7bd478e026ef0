"""`gamemaster think` on a hidden game tells what the role believes, from its own moves and percepts alone."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.cli.start import app
from gamemaster.machine.moves import walk
from gamemaster.terminal.hidden import show_belief
from tests.hidden.sheets import FORCED

Tell = Callable[..., str]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Tell:
    def tell(game: gm.Game, role: str, *moves: str) -> str:
        _, _, made = walk(game.initial_state(), moves, random.Random(0))
        show_belief(game, role, made, random.Random(0))
        return capsys.readouterr().out

    return tell


def test_the_number_of_states_their_weights_and_the_chances_of_facts(told: Tell) -> None:
    game = gm.load("higherlower")
    text = told(game, "seeker", "hide(5)", "guess(3)")
    assert text.startswith("seeker cannot tell 3 states apart.\n   33.3%  secret(")
    assert "Chances: secret(4) 33%, secret(5) 33%, secret(6) 33%" in text
    assert text == told(game, "seeker", "hide(6)", "guess(3)")
    assert told(game, "hider", "hide(5)", "guess(3)") == "hider knows the state.\n\n"


def test_a_coin_that_nobody_saw_is_even(told: Tell) -> None:
    text = told(gm.parse(FORCED), "alice", "toss(heads)", "bet")
    assert "coin(heads)" in text
    assert "coin(tails)" in text


@pytest.mark.parametrize("who", ["ismcts", "pimc", "egghead"])
def test_whoever_believes_thinks_with_no_more_than_the_role_knows(who: str) -> None:
    """Bob has the queen, and cannot tell whether alice bets with the king: no value of a call is one or the other."""
    answers = [
        thought(
            "kuhn",
            "--with",
            who,
            "--role",
            "bob",
            "--moves",
            f"deal({card});deal(queen);bet",
            "--seconds",
            "0.5",
        )
        for card in ("king", "jack")
    ]
    for told in answers:
        assert 10 < {each["move"]: each["value"] for each in told["moves"]}["call"] < 90
        assert not any("as if the state were known" in note for note in told["caveats"])


def test_unless_somebody_is_named_who_believes_is_asked() -> None:
    told = thought(
        "kuhn", "--moves", "deal(jack);deal(queen)", "--playouts", "200", "--set", "exploration=0.5"
    )
    assert told["algorithm"] == "ismcts"
    other = thought(
        "kuhn", "--moves", "deal(jack);deal(king)", "--playouts", "200", "--set", "exploration=0.5"
    )
    assert other["moves"] == told["moves"]  # alice does not know which card it is
    assert sum(each["visits"] for each in told["moves"]) == 200


def test_a_move_without_a_choice_and_a_search_of_states_are_told_as_before() -> None:
    only = thought("kuhn", "--with", "ismcts", "--role", "bob", "--moves", "deal(king)", "--playouts", "10")
    assert only["move"] == "noop"
    known = thought(
        "kuhn",
        "--with",
        "decoupled",
        "--role",
        "bob",
        "--moves",
        "deal(king);deal(queen);bet",
        "--seconds",
        "0.1",
    )
    assert any("as if the state were known" in note for note in known["caveats"])


def thought(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["think", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads(result.output)
    return told
