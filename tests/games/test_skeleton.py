"""`gamemaster new`: what it writes plays as it is, in every notation, and nothing is written over."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gamemaster as gm
from gamemaster.check import check
from gamemaster.cli import app
from gamemaster.draw.board import board_of
from gamemaster.draw.clicks import clicks_of
from gamemaster.errors import ParameterError
from gamemaster.games.skeleton import NOTATIONS, write_skeleton
from gamemaster.games.variants import choose
from gamemaster.load import source_of


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str, text: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(app, words, input=text)
    return result.exit_code, result.output


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_is_written_is_a_checked_game(here: Path, notation: str) -> None:
    write_skeleton("my_game", notation, here)
    for name in ("my_game", "my_game:small", "my_game:size=5"):
        report = check(source_of(name), seconds=0.2)
        assert not list(map(str, report.findings))
        choice, game = choose(name), gm.load(name, machine="reference")
        assert choice is not None
        assert game.name == name
        assert game.roles == choice.folder.roles
        assert game.sheet.notation == notation == choice.folder.notation
        assert tuple(game.perft(len(choice.perft) or 1)) == (choice.perft or (25,))
    assert "$" not in "".join(path.read_text() for path in (here / "my_game").iterdir())


def test_all_notations_are_the_same_game(here: Path) -> None:
    games = [gm.load(write_skeleton(f"in_{each}", each, here), machine="reference") for each in NOTATIONS]
    states = [game.initial_state() for game in games]
    generator = random.Random(1)
    while not states[0].is_terminal:
        assert len({state.facts for state in states}) == 1
        role = states[0].control
        assert role is not None
        assert len({frozenset(state.legal_moves(role)) for state in states}) == 1
        move = generator.choice(sorted(map(str, states[0].legal_moves(role))))
        states = [state.next(move) for state in states]
    assert all(state.is_terminal for state in states)
    assert len({tuple(state.goal(role) for role in ("red", "blue")) for state in states}) == 1


def test_it_is_clicked(here: Path) -> None:
    state = gm.load(write_skeleton("mygame", "kif", here)).initial_state()
    clicks = clicks_of(state, "red", board_of(state))
    assert {str(clicks.choose(cell)) for cell in clicks.sources} == set(map(str, state.legal_moves("red")))
    assert not clicks.buttons


def test_the_command_says_what_comes_next(here: Path) -> None:
    code, text = run("new", "mygame", "--notation", "hrf")
    assert code == 0
    assert "gamemaster play mygame" in text
    assert sorted(path.name for path in (here / "mygame").iterdir()) == [
        "description.md",
        "game.toml",
        "rules.hrf",
    ]
    assert run("check", "mygame", "--seconds", "0.1")[0] == 0
    assert run("perft", "mygame:small")[0] == 0
    assert "last who can put down a stone" in run("show", "mygame", "--description")[1]
    assert "mygame:small" in run("games", "mygame")[1]
    assert "red to move" in run("play", "mygame", text="quit\n")[1]


def test_nothing_is_written_over(here: Path) -> None:
    (here / "mygame").mkdir()
    with pytest.raises(ParameterError, match="already something called mygame here"):
        write_skeleton("mygame", "kif", here)
    assert not list((here / "mygame").iterdir())


@pytest.mark.parametrize("name", ["", "My", "a-b", "../x", "a/b", "1st", "x" * 41, "ü", "a\n"])
def test_a_bad_name_is_refused(here: Path, name: str) -> None:
    with pytest.raises(ParameterError, match="is no name for a game"):
        write_skeleton(name, "kif", here)
    assert not list(here.iterdir())


def test_names_of_the_library_and_other_notations_are_refused(here: Path) -> None:
    with pytest.raises(ParameterError, match="the library has a game called nim"):
        write_skeleton("nim", "kif", here)
    with pytest.raises(ParameterError, match="'prolog' is no notation; there are: epilog, kif, hrf"):
        write_skeleton("mygame", "prolog", here)
    code, _ = run("new", "mygame", "--notation", "prolog")
    assert code == 1
    assert not list(here.iterdir())
