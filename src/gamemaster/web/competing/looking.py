"""Games and players that somebody named -> what a plan needs to know of them. Workers do it."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from gamemaster.errors import GamemasterError
from gamemaster.load import load
from gamemaster.machine.game import RANDOM, Game
from gamemaster.players.catalogue import library_player, player_names
from gamemaster.players.loading import check_player
from gamemaster.web.brought.trying import check_fit
from gamemaster.web.competing.plans import PlannedGame
from gamemaster.web.jobs import BROUGHT_LIMITS, check_library, shelf_game
from gamemaster.web.live.setup import check_named

__all__ = ["Chosen", "LookedOver", "looked_over", "roles_in", "rules_of"]

USUAL_STEPS = 40.0
"""Of a game of which nothing is known."""

MEASURING_SECONDS, PLAYOUTS, MOST_STEPS = 6.0, 3, 500
LOOK_SECONDS = 3.0
MOST_TOLD = 10
"""Mistakes of a kind; nobody reads more."""


@dataclass(frozen=True)
class Chosen:
    """A player that somebody chose: its name in tables, of which kind it is, and how a competition reaches it."""

    name: str
    kind: str
    player: str


@dataclass(frozen=True)
class LookedOver:
    """What is known of games and players, and what is wrong with them."""

    games: Mapping[str, PlannedGame]
    steps: Mapping[str, float]
    """How many steps a match has, about."""

    game_mistakes: tuple[str, ...]
    player_mistakes: tuple[str, ...]


def looked_over(names: Sequence[str], players: Sequence[Chosen], steps: Mapping[str, float]) -> LookedOver:
    """Look at them; `steps` are those that matches had here, where there were any."""
    games: dict[str, PlannedGame] = {}
    wrong: list[str] = []
    for name in names:
        try:
            check_library(name)
            if name.startswith("@"):
                check_fit(name)
            rules = rules_of(name)
        except GamemasterError as error:
            wrong.append(str(error))
            continue
        roles = tuple(role for role in rules.roles if role != RANDOM)
        games[name] = PlannedGame(roles, rules.has_percepts)
    mistakes = [*_wrong_players(players), *_unsuited(players, games)]
    measured = {} if mistakes or wrong else _measured(games, steps)
    return LookedOver(games, measured, tuple(wrong[:MOST_TOLD]), tuple(mistakes[:MOST_TOLD]))


def rules_of(name: str) -> Game:
    """A game of which only the rules are wanted, quickly; UnknownGame for what is none of the site's."""
    check_library(name)
    return load(name, "reference", BROUGHT_LIMITS if name.startswith("@") else None)


def roles_in(name: str) -> list[str]:
    """The roles of a game that somebody plays."""
    return [role for role in shelf_game(name).roles if role != RANDOM]


def _wrong_players(players: Sequence[Chosen]) -> list[str]:
    found = []
    for each in players:
        try:
            if each.kind == "library":
                check_named(each.player)
                check_player(each.player)
            elif each.player.startswith("http://") and not _answers(each.player):
                found.append(f"nobody answers at {each.name}; start that player first")
        except GamemasterError as error:
            found.append(str(error))
    return found


def _answers(address: str) -> bool:
    """Whether somebody listens there; whether it is a player shows when it is asked."""
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 80), LOOK_SECONDS).close()
    except (OSError, ValueError):
        return False
    return True


def _unsuited(players: Sequence[Chosen], games: Mapping[str, PlannedGame]) -> list[str]:
    """Who cannot play what: in a game that hides its state some players of the library know nothing to do."""
    hidden = [name for name, game in games.items() if game.is_hidden]
    named = [(each.name, each.player.partition("(")[0]) for each in players if each.kind == "library"]
    return [
        f"{name} cannot play {game}, which hides its state; leave one of them out"
        for name, plain in named
        for game in hidden
        if plain in player_names() and library_player(plain).needs_state
    ]


def _measured(games: Mapping[str, PlannedGame], known: Mapping[str, float]) -> dict[str, float]:
    """How many steps matches have: as they had here, or as a few at random have."""
    until, found = time.monotonic() + MEASURING_SECONDS, dict(known)
    for name in games:
        if name not in found:
            found[name] = USUAL_STEPS
            if time.monotonic() < until:
                try:
                    found[name] = _playout_steps(shelf_game(name), until)
                except GamemasterError:
                    continue  # it is the match's business to tell of it
    return {name: found[name] for name in games}


def _playout_steps(game: Game, until: float) -> float:
    chance, counts = random.Random(0), list[int]()
    while len(counts) < PLAYOUTS:
        state, count = game.initial_state(), 0
        while not state.is_terminal and count < MOST_STEPS and time.monotonic() < until:
            state = state.next({role: chance.choice(state.legal_moves(role)) for role in state.movers})
            count += 1
        counts.append(count)
    return sum(counts) / len(counts)
