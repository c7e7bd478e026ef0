"""Egghead by an equilibrium: where a game fits it is played so, and where it cannot follow, others think."""

from __future__ import annotations

import random
from collections import Counter
from weakref import ref

import pytest

import gamemaster as gm
from gamemaster.errors import Unsuitable
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.players.egghead import Egghead
from gamemaster.players.mixing import Mixing, Mixture, mixture_for
from gamemaster.players.player import message_to
from gamemaster.search.budget import Budget
from gamemaster.search.native import warming
from tests.players.test_egghead import CHANCE
from tests.solving.equilibrium.sheets import FORK

LONG = 600.0


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    assert warming.warm_up(LONG, ("equilibrium",))


def started(game: Game, role: str, seed: int = 1) -> Egghead:
    """Egghead, with all the time it may want to find an equilibrium: it takes no more than it needs."""
    player = Egghead(seed=seed, threads=1)
    player.start(role, game, LONG, 5.0)
    return player


def played(game: Game, players: dict[str, Egghead], generator: random.Random) -> State:
    """The end of a match between players, each of whom is told what its role is told."""
    state = game.initial_state()
    messages: dict[str, object] = dict.fromkeys(players)
    while not state.is_terminal:
        moves = state.random_moves(generator)
        for role, player in players.items():
            if game.has_percepts:
                player.tell_legal(state.legal_moves(role))
            move = player.play(messages[role])
            moves[role] = next(each for each in state.legal_moves(role) if str(each) == str(move))
            if len(state.legal_moves(role)) > 1:
                assert player.last_result is not None
                assert player.last_result.algorithm == "egghead (equilibrium)"
                assert player.last_result.chances[moves[role]] > 0
        messages = {role: message_to(role, state, moves) for role in players}
        state = state.next(moves)
    return state


@pytest.mark.parametrize("name", ["higherlower", "roshambo:rounds=2"])
def test_matches_are_played_to_their_end_by_it(name: str) -> None:
    game = gm.load(name)
    for seed in range(5):
        players = {role: started(game, role, seed) for role in game.roles}
        assert played(game, players, random.Random(seed)).is_terminal


def test_cards_are_played_by_it() -> None:
    game = gm.load("kuhn")
    for seed in range(5):
        players = {role: started(game, role, seed) for role in game.roles if role != RANDOM}
        assert played(game, players, random.Random(seed)).is_terminal


def test_a_move_is_drawn_as_likely_as_it_should_be() -> None:
    game = gm.load("pennies:uneven")
    player = started(game, "even")
    made = Counter(str(player.think(game.initial_state(), Budget(seconds=LONG))) for _ in range(600))
    assert made["heads"] / 600 == pytest.approx(1 / 3, abs=0.08)


def test_what_it_plays_by_is_told() -> None:
    player = started(gm.load("pennies"), "even")
    player.play(None)
    assert player.summary == "plays by an equilibrium, exploitable by 0"
    assert player.last_result is not None
    assert player.last_result.notes == "plays by an equilibrium, exploitable by 0; here: heads 50%, tails 50%"
    assert player.last_result.value == pytest.approx(50)
    assert not player.last_result.is_proven


def test_the_equilibrium_of_a_hidden_game_can_be_had() -> None:
    player, other = started(gm.load("kuhn"), "alice"), started(gm.load("tictactoe"), "x")
    assert player.equilibrium is not None
    assert player.equilibrium.exploitability == player.exploitability
    assert other.equilibrium is None


def test_against_chance_alone_the_best_is_proven() -> None:
    player = started(gm.parse(CHANCE, dialect="hrf"), "a")
    assert isinstance(player._minds[0], Mixing)
    assert str(player.play(None)) == "bet(1)"
    assert player.last_result is not None
    assert (player.last_result.value, player.last_result.is_proven) == (65.0, True)
    assert player.summary == "plays the best that there is against chance"


@pytest.mark.parametrize("seed", range(3))
def test_who_cannot_know_takes_the_sure_road(seed: int) -> None:
    player = started(gm.parse(FORK), "traveller", seed)
    player.tell_legal(player.game.initial_state().legal_moves("traveller"))
    assert str(player.play(None)) == "road"
    assert isinstance(player._hidden_minds[0], Mixture)
    assert player.summary == "plays the best that there is against chance"


def test_who_came_late_thinks_otherwise() -> None:
    game = gm.load("roshambo:rounds=2")
    player = started(game, "alice")
    later = game.initial_state().next({"alice": "rock", "bob": "paper"})
    player.resume(later)
    player.playclock = 1.0
    assert player.play(None) in later.legal_moves("alice")
    assert player.last_result is not None
    assert player.last_result.algorithm == "egghead (decoupled)"


def test_another_state_than_that_of_the_match_is_thought_about_otherwise() -> None:
    game = gm.load("roshambo:rounds=2")
    player = started(game, "alice")
    with pytest.raises(Unsuitable, match="no equilibrium of roshambo"):
        player._minds[0].think(
            game.initial_state().next({"alice": "rock", "bob": "paper"}), Budget(seconds=1)
        )


def test_what_the_referee_made_of_a_move_counts() -> None:
    game = gm.load("roshambo:rounds=2")
    player = started(game, "alice")
    made = str(player.play(None))
    other = next(move for move in game.initial_state().legal_moves("alice") if str(move) != made)
    player.play({"alice": other, "bob": "rock"})
    assert player.last_result is not None
    assert player.last_result.algorithm == "egghead (equilibrium)"


def test_where_moves_are_sure_there_is_none_to_look_for() -> None:
    player = Egghead(seed=1)
    player.game, player.role = gm.load("tictactoe"), "x"
    assert mixture_for(player, Budget(seconds=LONG)) is None


def test_no_more_time_is_spent_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def none(game: Game, budget: Budget, limits: object) -> None:
        asked.append(budget.seconds or 0.0)

    monkeypatch.setattr("gamemaster.solving.equilibrium.solver.equilibrium_for", none)
    player = Egghead(seed=1, threads=1)
    player.start("alice", gm.load("kuhn"), 2.0, 1.0)
    player.start("alice", gm.load("roshambo"), 2.0, 1.0)
    assert asked[0] <= 1.9
    assert asked[1] <= 0.4 * 1.9


def test_it_goes_with_its_player() -> None:
    player = started(gm.load("kuhn"), "alice")
    mixture = ref(player._hidden_minds[0])
    assert mixture() is not None
    player.abort()
    assert mixture() is None
