"""What the pages Human and Manager have in common: a form for a game and its players -> a match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from gamemaster.errors import GamemasterError
from gamemaster.games import entry as game_entry
from gamemaster.games import game_names, on_shelf
from gamemaster.machine.game import RANDOM
from gamemaster.players.catalogue import one_line, player_names
from gamemaster.web.forms import Typed
from gamemaster.web.jobs import check_library
from gamemaster.web.live.setup import PERSON, SOCKET, MatchSetup, SeatSetup
from gamemaster.web.live.table import LiveMatch
from gamemaster.web.people.signing import account_in
from gamemaster.web.rendering import render
from gamemaster.web.shelf import title_of
from gamemaster.web.site import site_of
from gamemaster.web.visitors import key_of_visitor

__all__ = [
    "GameOffer",
    "PlayerGroups",
    "arranged",
    "form_page",
    "game_choices",
    "library_players",
    "own_choices",
    "players_offered",
    "roles_for",
    "seats_typed",
]

STRENGTHS = {
    "strong": ("egghead", "mcts", "alphabeta"),
    "medium": ("mcs", "greedy", "pts", "minimaxid"),
    "easy": ("twostep", "onestep", "random", "legal"),
    "for studies": ("minimax", "minimaxdepth", "maximizer"),
    "that test clocks and referees": ("indy", "lara", "slowpoke", "dumbo"),
}
"""The players of the library, as people would choose them."""


PlayerGroups: TypeAlias = list[tuple[str, list[tuple[str, str]]]]
"""Players to choose from: what a group is called, and the name of each with a line about it."""

MOST_OFFERED = 200
"""Players of a group in a list."""


@dataclass(frozen=True)
class GameOffer:
    """A game in a list."""

    name: str
    title: str
    roles: tuple[str, ...]


def game_choices() -> list[GameOffer]:
    """All games of the library."""
    found = [GameOffer(name, game_entry(name).title or name, roles_of(name)) for name in game_names()]
    return sorted(found, key=lambda offer: offer.title.lower())


async def own_choices(request: Request) -> list[GameOffer]:
    """The games of whoever is signed in, as far as they are still there, by title."""
    account, games = account_in(request), site_of(request).store.own_games
    if account is None:
        return []
    there = await asyncio.to_thread(lambda: [each for each in games.of(account.id) if on_shelf(each.name)])
    offers = await asyncio.to_thread(
        lambda: [GameOffer(each.name, each.title, roles_of(each.name)) for each in there]
    )
    return sorted(offers, key=lambda offer: offer.title.lower())


async def roles_for(request: Request, game: str) -> tuple[str, ...]:
    """The roles of a game that somebody plays; UnknownGame where it is not for whoever asks."""
    await site_of(request).brought.check(request, game)
    return roles_of(game)


def roles_of(game: str) -> tuple[str, ...]:
    """The roles of a game that somebody plays, as its folder says."""
    check_library(game)
    return tuple(role for role in game_entry(game.partition(":")[0]).roles if role != RANDOM)


def library_players() -> PlayerGroups:
    """The players of the library in groups, the strongest first, with a line about each."""
    told = {each for names in STRENGTHS.values() for each in names}
    others = tuple(name for name in player_names() if name not in told)
    groups = {**STRENGTHS, "others": others} if others else STRENGTHS
    return [
        (f"Machines, {group}", [(name, one_line(name)) for name in names]) for group, names in groups.items()
    ]


async def players_offered(request: Request) -> PlayerGroups:
    """All who can be chosen from a list, in groups: one's own, those of others, launched ones, the library's."""
    roster = site_of(request).players
    own = await roster.of(account_in(request))
    public = await roster.public()
    mine = {each.id for each in own}
    groups = [
        ("Your players", [(each.name, each.about or each.kind) for each in own]),
        (
            "Players of others",
            [(each.name, each.about or f"by {each.owner}") for each in public if each.id not in mine],
        ),
        ("Launched and connected", [(each, "launched on its page") for each in roster.connected]),
    ]
    shown = [
        (group, [(name, line[:80]) for name, line in members[:MOST_OFFERED]]) for group, members in groups
    ]
    return [*(each for each in shown if each[1]), *library_players()]


def seats_typed(typed: Typed, roles: tuple[str, ...]) -> tuple[SeatSetup, ...]:
    """Who plays which role: chosen from a list, or typed: a name with parameters, an address."""
    return tuple(
        SeatSetup(role, typed.text(f"other-{number}") or typed.text(f"player-{number}", "random"))
        for number, role in enumerate(roles)
    )


async def arranged(
    request: Request, typed: Typed, setup: Callable[[], MatchSetup], mine: str | None
) -> LiveMatch | None:
    """The match; None where something typed is wrong, which is then told at the form."""
    try:
        wanted = setup()
        if typed.mistakes:
            return None
        return await site_of(request).hall.arrange(wanted, key_of_visitor(request), mine, account_in(request))
    except GamemasterError as error:
        typed.mistakes["form"] = str(error)
        return None


async def form_page(request: Request, template: str, typed: Typed, status: int = 200) -> Response:
    """A form for a match, with what was typed into it."""
    game, games, own = typed.text("game"), game_choices(), await own_choices(request)
    if game.startswith("@") and game not in {each.name for each in own}:
        games.insert(0, GameOffer(game, title_of(game), roles_of(game)))
    return render(
        request,
        template,
        status,
        typed=typed,
        games=games,
        own=own,
        roles=roles_of(game),
        players=await players_offered(request),
        person=PERSON,
        socket=SOCKET,
    )
