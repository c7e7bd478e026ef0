"""docs/write-a-player.md: each block is a player that plays a whole game."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

import gamemaster
from gamemaster.players.catalogue import PLAYERS
from gamemaster.players.loading import FilePlayer, find_player
from gamemaster.players.player import message_to
from gamemaster.search.parameters import split_names

TEXT = (Path(__file__).parents[2] / "docs" / "write-a-player.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
SURE = (1, 2, 4, 5)
"""The blocks that never miss a win; the first does not look, and the subroutines try each move only a few times."""

GAME = gamemaster.load("tictactoe")


def test_there_are_blocks_and_the_first_is_short() -> None:
    assert len(BLOCKS) == 7
    lines = [line for line in BLOCKS[0].splitlines() if line and "import" not in line]
    assert len(lines) == 3


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_every_block_is_a_player_for_a_whole_game(number: int, tmp_path: Path) -> None:
    path = tmp_path / "my_player.py"
    path.write_text(BLOCKS[number])
    player = find_player(path)(seed=1)
    assert isinstance(player, FilePlayer)
    player.start("x", GAME, 1, 0.2)
    state, message, generator = GAME.initial_state(), None, random.Random(number)
    while not state.is_terminal:
        reply: Any = player.play(message)
        wins = [move for move in state.legal_moves("x") if state.next(move).goal("x") == 100]
        if state.control == "x" and wins and number in SURE:
            assert reply in wins
        moves = {"x": reply} if state.control == "x" else {"o": generator.choice(state.legal_moves("o"))}
        message = message_to("x", state, moves)
        state = state.next(moves)
    player.stop(message)


def test_the_commands_with_parameters_fit_the_files_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = TEXT.partition("## Parameters\n")[2].partition("\n## ")[0]
    commands, player, evaluation = section.split("```")[1::2]
    (tmp_path / "my_eval.py").write_text(evaluation)
    (tmp_path / "my_player.py").write_text(player.removeprefix("python"))
    monkeypatch.chdir(tmp_path)
    names = [name for text in re.findall(r'"(.*?)"', commands) for name in split_names(text)]
    assert len(names) == 4
    for name in names:
        assert find_player(name)(seed=1)


@pytest.mark.parametrize("name", PLAYERS)
def test_every_player_is_in_the_table(name: str) -> None:
    assert f"`{name}`" in TEXT.partition("## Players that are there")[2]
