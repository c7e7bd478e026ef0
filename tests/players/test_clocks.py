"""The script that asks every player under its clock (bench/clocks.py): what counts as refused, and what as wrong."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import gamemaster
from gamemaster.errors import Unsuitable
from gamemaster.players.player import Player

TICTACTOE = gamemaster.load("tictactoe")


@pytest.fixture(name="clocks")
def the_script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    path = Path(__file__).parents[2] / "bench" / "clocks.py"
    spec = importlib.util.spec_from_file_location("clocks_script", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "clocks_script", module)  # its dataclass looks there
    spec.loader.exec_module(module)
    return module


class Late(Player):
    """Refuses only when it is to move."""

    def choose(self, state: object) -> str:
        raise Unsuitable("not this one")


class Early(Late):
    """Refuses at once."""

    def prepare(self) -> None:
        raise Unsuitable("not this one either")


class Broken(Late):
    """Crashes."""

    def choose(self, state: object) -> str:
        raise ZeroDivisionError("in two\nlines")


@pytest.mark.parametrize(
    ("kind", "outcome", "detail", "code"),
    [
        (Late, "failed", "Unsuitable at step 0: not this one", 1),
        (Broken, "failed", "ZeroDivisionError at step 0: in two", 1),
        (Early, "refused", "not this one either", 0),
    ],
)
def test_whoever_refuses_after_the_start_has_failed(
    clocks: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: type[Player],
    outcome: str,
    detail: str,
    code: int,
) -> None:
    monkeypatch.setattr(clocks, "library_player", lambda name: kind)
    moves = list(clocks._ask(TICTACTOE, "somebody", [TICTACTOE.initial_state()], 0.2))
    assert [(move.outcome, move.detail) for move in moves] == [(outcome, detail)]
    assert clocks.report(["somebody"], {"somebody": moves}) == code
    assert detail in capsys.readouterr().out


@pytest.mark.parametrize("name", ["dicerace", "higherlower"])
def test_people_are_asked_and_told_their_moves(clocks: ModuleType, name: str) -> None:
    game = gamemaster.load(name)
    states = list(clocks.states_of(game, 8))
    assert states
    assert "random" not in {clocks.choosers(state)[0] for state in states}
    moves = list(clocks._ask(game, "legal", states, 5.0))
    assert {move.outcome for move in moves} == {"legal"}
