"""Games for commands: a bar for whoever waits, and a note where a game is slow."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gamemaster.ground import clingo_grounder
from gamemaster.ground.clingo_grounder import GroundLimits
from gamemaster.load import MachineName
from gamemaster.load import load as load_game
from gamemaster.machine.game import Game
from gamemaster.terminal import loading
from gamemaster.terminal.loading import load, shown_after
from gamemaster.terminal.measuring import measure
from tests.test_check import ENDLESS

LONG = 20.0
"""Seconds after which a test has failed; nothing here takes them."""


class Shown:
    """What is shown, and when."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.began, self.ended = threading.Event(), threading.Event()

    @contextmanager
    def show(self, text: str) -> Iterator[None]:
        self.texts.append(text)
        self.began.set()
        yield
        self.ended.set()


def test_a_bar_is_there_until_what_takes_long_has_ended() -> None:
    shown = Shown()
    with shown_after(0.0, shown.show("working")):
        assert shown.began.wait(LONG)
        assert not shown.ended.is_set()
    assert shown.ended.is_set()


def test_what_is_there_in_a_moment_has_no_bar() -> None:
    shown = Shown()
    with shown_after(1_000.0, shown.show("working")):
        pass
    assert not shown.began.is_set()


def test_a_bar_goes_when_work_fails() -> None:
    shown = Shown()

    def fail() -> None:
        with shown_after(0.0, shown.show("working")):
            assert shown.began.wait(LONG)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert shown.ended.is_set()


def test_a_game_that_takes_long_says_what_is_being_done(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown()

    def slowly(name: str, machine: MachineName) -> Game:
        assert shown.began.wait(LONG)
        return load_game(name, machine)

    monkeypatch.setattr(loading, "waiting", shown.show)
    monkeypatch.setattr(loading, "load_game", slowly)
    assert load("peg", "reference").name == "peg"
    assert shown.texts == ["compiling the rules of peg, once for this machine"]


def test_a_game_that_does_not_compile_is_told_to_be_slow_and_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    monkeypatch.setattr(clingo_grounder, "DEFAULT", GroundLimits(rules=100))
    path = tmp_path / "endless.epilog"
    path.write_text(ENDLESS)
    assert load(str(path)).machine.name == "reference"
    told = capsys.readouterr()
    assert told.err.startswith(f"note: {path} runs on the reference machine, which is slow: not compiled: ")
    assert told.out == ""
    assert "; nothing stops " in told.err
    load(str(path), "reference")
    assert capsys.readouterr().err == ""
    figures = measure(str(path), 0.001)
    assert figures["machine"] == "reference"
    assert figures["reason"] == told.err.removeprefix(
        f"note: {path} runs on the reference machine, which is slow: "
    ).rstrip("\n")
