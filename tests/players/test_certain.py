"""Egghead by a proof: who wins a hidden game for sure does, against whoever plays."""

from __future__ import annotations

import random

import pytest

import gamemaster as gm
from gamemaster.machine.game import Game
from gamemaster.players.certain import Certain
from gamemaster.players.egghead import Egghead
from gamemaster.search.native import warming

LONG = 600.0


@pytest.fixture(scope="module")
def darkhex() -> Game:
    assert warming.warm_up(LONG, ("ismcts", "equilibrium"))
    game = gm.load("darkhex", machine="compiled")
    assert game.make_ready("charge", LONG)
    return game


def started(game: Game, role: str, seed: int) -> Egghead:
    player = Egghead(seed=seed, threads=1)
    player.start(role, game, 20.0, 1.0)
    return player


def test_who_begins_dark_hex_wins_every_match(darkhex: Game) -> None:
    for seed in range(2):
        player, state, seen = started(darkhex, "red", seed), darkhex.initial_state(), None
        generator = random.Random(seed)
        assert player.exploitability == 0.0
        while not state.is_terminal:
            moves = state.random_moves(generator)
            legal = state.legal_moves("red")
            player.tell_legal(legal)
            move = player.play(seen)
            moves["red"] = next(each for each in legal if str(each) == str(move))
            if len(legal) > 1:
                assert player.last_result is not None
                assert player.last_result.algorithm == "egghead (proof)"
                assert player.last_result.is_proven
            seen, state = state.percepts(moves)["red"], state.next(moves)
        assert state.goal("red") == 100
        player.abort()


def test_who_would_lose_to_a_proof_searches(darkhex: Game) -> None:
    player = started(darkhex, "blue", 1)
    (certain,) = (mind for mind in player._hidden_minds if isinstance(mind, Certain))
    assert certain.winner == "red"
    assert "red wins for sure" in player.summary
    player.tell_legal(darkhex.initial_state().legal_moves("blue"))
    player.play(None)
    state = darkhex.initial_state()
    moves = {"red": state.legal_moves("red")[0], "blue": state.legal_moves("blue")[0]}
    player.tell_legal(state.next(moves).legal_moves("blue"))
    player.play(state.percepts(moves)["blue"])
    assert player.last_result is not None
    assert player.last_result.algorithm == "egghead (ismcts)"
