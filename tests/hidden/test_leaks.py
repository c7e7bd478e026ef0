"""What reaches a role is a function of what it knows: the same bytes in states that it cannot tell apart."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.bridges.episode import Episode, Signs
from gamemaster.machine.game import Game, State
from gamemaster.match import referee
from gamemaster.match.request import Told
from gamemaster.terminal.people import People
from gamemaster.web.live import looks, views
from tests.hidden.channels import CHANNELS
from tests.hidden.pairs import Pair, first_leak, hidden_games, pairs
from tests.hidden.sheets import FORCED, PIECES

PAIRS = 12
"""For each game and way; `bench/leaks.py` looks at a thousand."""

SHEETS = {"forced": FORCED, "pieces": PIECES}


@cache
def game_of(name: str) -> Game:
    return gm.parse(SHEETS[name]) if name in SHEETS else gm.load(name)


@cache
def pairs_of(name: str) -> tuple[Pair, ...]:
    return tuple(pairs(game_of(name), PAIRS))


def leak(name: str, channel: str) -> str:
    return first_leak(game_of(name), pairs_of(name), CHANNELS[channel])


HIDING = [*hidden_games(), *SHEETS]


@pytest.mark.parametrize("name", HIDING)
def test_there_are_states_that_a_role_cannot_tell_apart(name: str) -> None:
    assert len(pairs_of(name)) == PAIRS
    for pair in pairs_of(name):
        assert pair.one.state != pair.other.state
        for one, other in zip(pair.one.moves, pair.other.moves, strict=True):
            assert one.get(pair.role) == other.get(pair.role)


@pytest.mark.parametrize("name", HIDING)
def test_the_moves_of_a_role_are_a_function_of_what_it_knows(name: str) -> None:
    for pair in pairs_of(name):
        assert pair.one.state.legal_moves(pair.role) == pair.other.state.legal_moves(pair.role), str(pair)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("name", HIDING)
def test_nothing_tells_states_apart_that_a_role_cannot(name: str, channel: str) -> None:
    assert not leak(name, channel)


# What is broken on purpose is found


def test_messages_with_the_moves_of_all_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "told_of", lambda role, state, moves: Told(moves=dict(moves)))
    assert leak("higherlower", "messages")


def test_a_page_that_is_open_to_all_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "sees_all", lambda match, viewer: True)
    assert "hide(" in leak("higherlower", "site")


def test_a_board_of_the_true_state_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "_known", lambda game, order: (game.state(order.facts, order.step), None))
    assert leak("phantom", "site")


def test_that_others_are_awaited_tells_what_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_awaited", lambda match, viewer: match.awaited)
    assert "waiting for bob" in leak("forced", "site")


def test_to_be_asked_only_where_nobody_has_a_choice_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(people: People, state: State) -> list[str]:
        choosers = [role for role in people.roles if len(state.legal_moves(role)) > 1]
        return choosers or ([] if state.choosers else list(people.roles))

    monkeypatch.setattr(People, "asked", asked)
    assert leak("forced", "terminal")


def test_learners_that_observe_the_state_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def observation(episode: Episode, role: str) -> Signs:
        return episode.encoding.row(episode.state).view(np.int8)

    monkeypatch.setattr(Episode, "observation", observation)
    assert leak("higherlower", "bridges")
