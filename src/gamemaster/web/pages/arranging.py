"""What the pages Human and Manager have in common: a form for a game and its players -> a match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from gamemaster.errors import GamemasterError
from gamemaster.games import entry as game_entry
from gamemaster.games import game_names
from gamemaster.machine.game import RANDOM
from gamemaster.players.catalogue import one_line, player_names
from gamemaster.web.forms import Typed
from gamemaster.web.jobs import check_library
from gamemaster.web.live.setup import PERSON, SOCKET, MatchSetup, SeatSetup
from gamemaster.web.live.table import LiveMatch
from gamemaster.web.rendering import render
from gamemaster.web.site import site_of
from gamemaster.web.visitors import key_of_visitor

__all__ = ["GameOffer", "arranged", "form_page", "game_choices", "library_players", "roles_of", "seats_typed"]

STRENGTHS = {
    "strong": ("egghead", "mcts", "alphabeta"),
    "medium": ("mcs", "greedy", "pts", "minimaxid"),
    "easy": ("twostep", "onestep", "random", "legal"),
    "for studies": ("minimax", "minimaxdepth", "maximizer"),
    "that test clocks and referees": ("indy", "lara", "slowpoke", "dumbo"),
}
"""The players of the library, as people would choose them."""


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


def roles_of(game: str) -> tuple[str, ...]:
    """The roles of a game that somebody plays, as its folder says."""
    check_library(game)
    return tuple(role for role in game_entry(game.partition(":")[0]).roles if role != RANDOM)


def library_players() -> list[tuple[str, list[tuple[str, str]]]]:
    """The players of the library in groups, the strongest first, with a line about each."""
    told = {each for names in STRENGTHS.values() for each in names}
    others = tuple(name for name in player_names() if name not in told)
    groups = {**STRENGTHS, "others": others} if others else STRENGTHS
    return [
        (f"Machines, {group}", [(name, one_line(name)) for name in names]) for group, names in groups.items()
    ]


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
        return await site_of(request).hall.arrange(wanted, key_of_visitor(request), mine)
    except GamemasterError as error:
        typed.mistakes["form"] = str(error)
        return None


def form_page(request: Request, template: str, typed: Typed, status: int = 200) -> Response:
    """A form for a match, with what was typed into it."""
    return render(
        request,
        template,
        status,
        typed=typed,
        games=game_choices(),
        roles=roles_of(typed.text("game")),
        players=library_players(),
        person=PERSON,
        socket=SOCKET,
    )
