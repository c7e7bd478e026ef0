"""The player alphabeta: what it found out of states is kept from move to move, and no longer than a match."""

from __future__ import annotations

import random

import pytest

import gamemaster as gm
from gamemaster.players.searching import Alphabeta
from gamemaster.search.budget import Budget
from gamemaster.search.trees import alphabeta, deepening
from gamemaster.search.trees.deepening import Deepening

ENOUGH = Budget(seconds=600, nodes=20_000)


@pytest.fixture(scope="module")
def tictactoe() -> gm.Game:
    return gm.load("tictactoe")


def started(game: gm.Game) -> Alphabeta:
    player = Alphabeta(seed=1)
    player.start("x", game, 10.0, 10.0)
    return player


def table_of(kept: Deepening | None) -> int:
    """How many states a search that is kept knows of."""
    assert kept is not None
    assert kept._alphabeta is not None
    return len(kept._alphabeta.table) + len(kept._alphabeta.older)


def test_the_second_move_needs_fewer_states_than_it_would_alone(tictactoe: gm.Game) -> None:
    kept, state = Deepening(), tictactoe.initial_state()
    assert kept.search(state, "x", Budget()).is_proven
    later = state.next("mark(2,2)").next("mark(1,1)")
    second, alone = kept.search(later, "x", Budget()), deepening.search(later, "x", Budget())
    assert (second.value, second.is_proven) == (alone.value, alone.is_proven) == (50, True)
    assert second.nodes < alone.nodes / 2


def test_a_player_keeps_its_search_from_move_to_move(tictactoe: gm.Game) -> None:
    player, state = started(tictactoe), tictactoe.initial_state()
    player.search(state, ENOUGH)
    before, known = player._kept, table_of(player._kept)
    player.search(state.next("mark(2,2)").next("mark(1,1)"), Budget(nodes=50))
    assert player._kept is before
    assert table_of(player._kept) >= known > 100


@pytest.mark.parametrize("end", ["stop", "abort", "start"])
def test_the_table_goes_with_the_match(tictactoe: gm.Game, end: str) -> None:
    player = started(tictactoe)
    player.search(tictactoe.initial_state(), ENOUGH)
    before = player._kept
    assert table_of(before) > 100
    if end == "start":
        player.start("o", tictactoe, 10.0, 10.0)
        assert player._kept is not before
    else:
        player.stop() if end == "stop" else player.abort()
        assert player._kept is None


def test_what_is_kept_changes_no_value(tictactoe: gm.Game) -> None:
    kept, generator = Deepening(), random.Random(3)
    for _ in range(15):
        state = tictactoe.initial_state()
        while not state.is_terminal:
            role = str(state.control)
            if len(state.legal_moves(role)) > 1 and role == "x":
                nodes = Budget(nodes=generator.choice((30, 300, 3_000)))
                found = kept.search(state, "x", nodes, generator.randrange(9))
                assert not found.is_proven or found.value == deepening.search(state, "x", Budget()).value
            state = state.next(state.random_moves(generator))


def test_another_game_role_or_parameter_begins_anew(tictactoe: gm.Game) -> None:
    kept = Deepening()
    state = tictactoe.initial_state()
    kept.search(state, "x", ENOUGH)
    for role, other in (("o", state), ("o", gm.load("badtictactoe").initial_state())):
        known = table_of(kept)
        kept.search(other, role, Budget(nodes=5))
        assert table_of(kept) < known
        kept.search(other, role, ENOUGH)
    kept.search(state, "o", ENOUGH, depth=1)
    assert table_of(kept) < 20


def test_the_tables_together_are_never_larger_than_allowed(
    tictactoe: gm.Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alphabeta, "MOST_ENTRIES", 50)
    kept, state = Deepening(), tictactoe.initial_state()
    for move in ("mark(2,2)", "mark(1,1)", "mark(1,2)", "mark(3,2)"):
        found = kept.search(state, "x", Budget(nodes=3_000))
        assert found.move is None or found.move in state.legal_moves("x")
        assert table_of(kept) <= 50
        state = state.next(move)
    assert kept.search(state, "x", Budget()).value == deepening.search(state, "x", Budget()).value
