"""Random openings: drawn by the seed, told to players when they start, true in the record."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.errors import GamemasterError
from gamemaster.match.events import Moved
from gamemaster.match.records.record import Record
from gamemaster.match.records.verifying import verify
from gamemaster.match.result import MatchResult, play_match
from gamemaster.match.settings import Settings

GAMES = ("tictactoe", "roshambo", "higherlower", "dicerace", "threehouses", "eightpuzzle")


def played(
    name: str, *, opening: int, seed: int = 7, player: str = "random", is_isolated: bool = False
) -> MatchResult:
    settings = Settings(60, 60, seed=seed, opening=opening)
    return play_match(name, player, settings, is_isolated=is_isolated)


@pytest.mark.parametrize("name", GAMES)
def test_the_first_steps_are_drawn_and_the_record_is_true(name: str) -> None:
    result = played(name, opening=2)
    assert result.how == "completed"
    assert sum(result.errors.values()) == 0
    first = result.record.moves[:2]
    assert all(set(moved.substituted) == set(moved.moves) - {"random"} for moved in first)
    assert all(not moved.substituted for moved in result.record.moves[2:])
    assert verify(result.record).problems == ()


def test_the_opening_follows_from_the_seed() -> None:
    def opening(seed: int) -> list[object]:
        return [dict(moved.moves) for moved in played("connectfour", opening=4, seed=seed).record.moves[:4]]

    assert opening(1) == opening(1)
    assert len({str(opening(seed)) for seed in range(5)}) > 1


def test_an_opening_never_ends_the_game() -> None:
    result = played("tictactoe", opening=100)
    assert result.how == "completed"
    assert not result.record.moves[-1].substituted


def test_players_know_what_was_played(tmp_path: Path) -> None:
    """One that answers by the state it was told goes wrong at once where it does not know the opening."""
    result = played("connectfour", opening=6, player="onestep")
    assert sum(result.errors.values()) == 0
    assert played("tictactoe", opening=3, player="minimax", is_isolated=True).errors == {"x": 0, "o": 0}


def test_an_opening_that_was_not_drawn_is_found_out() -> None:
    record = played("connectfour", opening=3).record
    moved = record.moves[0]
    state = gm.load("connectfour").initial_state()
    other = next(str(move) for move in state.legal_moves("red") if str(move) != moved.moves["red"])
    changed = dataclasses.replace(moved, moves={"red": other})
    assert verify(_with(record, moved, changed)).problems
    unmarked = dataclasses.replace(moved, substituted=())
    assert verify(_with(record, moved, unmarked)).problems


def _with(record: Record, old: Moved, new: Moved) -> Record:
    return dataclasses.replace(
        record, events=tuple(new if event is old else event for event in record.events)
    )


def test_an_opening_has_no_negative_length() -> None:
    with pytest.raises(GamemasterError, match="an opening of -1 steps; there are 0 or more"):
        Settings(opening=-1)
