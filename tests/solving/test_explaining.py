"""Games of the library that have a strategy in words."""

from __future__ import annotations

import json

import pytest

import gamemaster as gm
from gamemaster.errors import UnknownRole
from gamemaster.solving.checking import check_strategy
from gamemaster.solving.explaining import find_strategy
from gamemaster.terminal.explaining import explain_game

WON = {
    "chocolate": ("parity", "alice"),
    "chomp": ("symmetry", "alice"),
    "coinsontable": ("symmetry", "alice"),
    "coinstack": ("cold positions", "alice"),
    "cram": ("symmetry", "bob"),
    "cram:middle": ("symmetry", "alice"),
    "donttouch": ("symmetry", "o"),
    "daisy:odd": ("symmetry", "bob"),
    "daisy": ("symmetry", "bob"),
    "kayles": ("symmetry", "alice"),
    "kayles:even": ("symmetry", "alice"),
    "nim": ("cold positions", "alice"),
    "silverdollar": ("cold positions", "alice"),
    "threecells": ("symmetry", "alice"),
    "twentyone": ("cold positions", "alice"),
    "wythoff": ("cold positions", "alice"),
}


@pytest.mark.parametrize("name", WON)
def test_a_game_of_the_library_has_a_strategy_that_is_proved(name: str) -> None:
    found = find_strategy(gm.load(name))
    assert found is not None
    assert (found.kind, found.role) == WON[name]
    assert found.proof.means in ("induction", "check")
    assert check_strategy(found, most_positions=100_000).holds


def test_who_cannot_win_has_no_strategy() -> None:
    game = gm.load("kayles:pins=5")
    assert find_strategy(game, "alice") is not None
    assert find_strategy(game, "bob") is None
    with pytest.raises(UnknownRole, match="no role 'carol'"):
        find_strategy(game, "carol")


ENDLESS = """
    role(left) role(right)
    init(at(1)) init(control(left))
    other(left,right) other(right,left)
    to(1,2) to(2,1)
    legal(go) legal(stay)
    go :: at(X) & to(X,Y) ==> ~at(X) & at(Y)
    go :: pass
    stay :: pass
    pass :: control(R) & other(R,S) ==> ~control(R) & control(S)
    terminal :- at(3)
    goal(R,100) :- role(R) & at(1)
    goal(R,0) :- role(R) & ~at(1)
"""


def test_a_game_without_an_end_has_no_strategy() -> None:
    assert find_strategy(gm.parse(ENDLESS), seconds=5) is None


def test_without_time_nothing_is_found() -> None:
    assert find_strategy(gm.load("kayles"), seconds=0) is None


def test_the_strategy_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain_game("kayles", 20, as_json=False)
    text = capsys.readouterr().out
    assert text.startswith(
        "kayles: a strategy by symmetry, for alice\n  alice wins: begin with bowl(6,6) (the middle)"
    )
    assert "Proof: by induction" in text
    assert "gates" in text


def test_the_strategy_is_told_to_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain_game("kayles", 20, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["game"] == "kayles"
    assert told["strategy"]["kind"] == "symmetry"
    assert told["strategy"]["proof"]["means"] == "induction"


def test_that_none_was_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert not explain_game("tictactoe", 2, as_json=False)
    assert "no strategy in words was found for tictactoe" in capsys.readouterr().out
