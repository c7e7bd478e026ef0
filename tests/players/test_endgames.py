"""Players that know an endgame table play by it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import gamemaster as gm
from gamemaster.machine.game import State
from gamemaster.players.egghead import Egghead
from gamemaster.players.endgames import kept_table
from gamemaster.players.searching import Alphabeta, Mcts
from gamemaster.solving.endgame.building import build_endgame
from gamemaster.solving.endgame.files import kept_path
from tests.search.readiness import make_ready

NAME = "breakthrough:columns=4,rows=5"


@pytest.fixture
def game() -> Iterator[gm.Game]:
    """A game of which a table of two pieces is kept."""
    loaded = gm.load(NAME)
    make_ready(loaded)
    path = kept_path(loaded)
    path.parent.mkdir(parents=True, exist_ok=True)
    build_endgame(loaded, 2).save(path)
    yield loaded
    path.unlink(missing_ok=True)


def race(game: gm.Game) -> State:
    """White is one step ahead."""
    return game.state(["cell(1,2,white)", "cell(4,4,black)", "control(white)"])


def test_egghead_plays_by_the_table_and_says_so(game: gm.Game) -> None:
    player = Egghead(seed=1, threads=1)
    player.start("white", game, 1.0, 0.3)
    player.choose(race(game))
    result = player.last_result
    assert result is not None
    assert result.is_proven
    assert (result.algorithm, result.value, result.depth) == ("egghead (endgame table)", 100.0, 5)
    assert "the endgame table of 2 pieces: wins in 5 steps" in result.notes
    assert "an endgame table: " in player.findings


def test_egghead_thinks_for_itself_where_the_table_says_nothing(game: gm.Game) -> None:
    player = Egghead(seed=1, threads=1)
    player.start("white", game, 1.0, 0.3)
    player.choose(game.initial_state())
    assert player.last_result is not None
    assert "endgame" not in player.last_result.algorithm


def test_mcts_plays_by_the_table(game: gm.Game) -> None:
    player = Mcts(seed=1)
    player.start("white", game, 1.0, 0.3)
    player.choose(race(game))
    assert player.last_result is not None
    assert player.last_result.algorithm == "endgame table"


def test_alphabeta_asks_the_table(game: gm.Game) -> None:
    player = Alphabeta(seed=1)
    player.start("white", game, 1.0, 0.3)
    player.choose(race(game))
    assert player.last_result is not None
    assert player.last_result.is_proven
    assert player.last_result.value == 100.0
    assert player.last_result.depth == 1


def test_a_table_that_is_damaged_is_not_played_by(game: gm.Game) -> None:
    path = kept_path(game)
    path.write_bytes(path.read_bytes()[:-3])
    assert kept_table(game) is None


def test_without_a_table_there_is_none() -> None:
    assert kept_table(gm.load("breakthrough:columns=4,rows=6")) is None
