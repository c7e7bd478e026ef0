"""What a person of a hidden game is shown follows from what their role saw; what was lost is looked for again."""

from __future__ import annotations

import random

import pytest
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.cli.start import app
from gamemaster.errors import PlayerError
from gamemaster.language.infix import read_term
from gamemaster.players import sight as module
from gamemaster.players.sight import Sight
from gamemaster.search.hidden.beliefs import Beliefs
from gamemaster.terminal.hidden import show_sight
from tests.search.hidden.test_beliefs import CARDS

GAME = gm.parse(CARDS, dialect="kif", name="cards")


def seen_by(role: str = "player") -> Sight:
    return Sight(GAME, role, random.Random(1))


def test_what_holds_in_all_states_that_can_be_is_known() -> None:
    sight = seen_by()
    sight.see(read_term("wait"), [read_term("got(2)")])
    known = sight.known()
    assert known is not None
    assert set(map(str, known[0].facts)) == {"step(2)", "held(player,2)"}
    assert known[1] == 3


def test_what_was_lost_is_looked_for_again_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    sight, see = seen_by(), Beliefs.see

    def fail(*arguments: object) -> None:
        raise PlayerError("no time")

    with monkeypatch.context() as patch:
        patch.setattr(Beliefs, "see", fail)
        sight.see(read_term("wait"), [read_term("got(2)")])
    assert sight.known() is None
    assert Beliefs.see is see
    sight.see(read_term("wait"), [read_term("card(4)")])
    known = sight.known()
    assert known is not None
    assert read_term("held(dealer,4)") in known[0].facts
    assert known[1] == 1


def test_what_is_lost_again_and_again_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = list[int]()

    def fail(*arguments: object) -> None:
        looks.append(1)
        raise PlayerError("no time")

    monkeypatch.setattr(Beliefs, "see", fail)
    sight = seen_by()
    for _ in range(10):
        sight.see(read_term("wait"), ())
    assert len(looks) == module.MOST_LOOKS
    assert sight.known() is None


def test_machine_code_is_waited_for_once_and_only_for_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(module, "new_steps", lambda game, seconds: waits.append(seconds))
    sight = seen_by()
    sight.see(read_term("wait"), [read_term("got(2)")])
    assert waits == []
    assert sight.beliefs is not None
    sight.beliefs.is_exact = False
    for _ in range(2):
        sight.see(read_term("wait"), ())
    assert waits == [module.WAIT, 0.0]


def test_a_sample_is_told_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    sight = seen_by()
    sight.see(read_term("wait"), [read_term("got(2)")])
    show_sight(sight)
    assert "What player knows (states that can be: 3):" in capsys.readouterr().out
    assert sight.beliefs is not None
    sight.beliefs.is_exact = False
    show_sight(sight)
    told = " ".join(capsys.readouterr().out.split())
    assert "What player may take for true (it holds in all of 3 states drawn from those that can be):" in told


def test_whoever_plays_cards_sees_the_own_hand() -> None:
    result = CliRunner().invoke(app, ["play", "hearts:small", "--as", "west", "--seed", "3"], input="quit\n")
    assert result.exit_code == 0, result.output
    assert "What west knows (states that can be: 6):" in result.output
    assert "W west" in result.output
