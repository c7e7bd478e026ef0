"""Manager: a match between players of any kind, run by hand: Ping, Begin, Pause, Resume, End, Clear."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gamemaster.web.forms import Typed, typed_in
from gamemaster.web.live.setup import PERSON, SOCKET, MatchSetup
from gamemaster.web.pages.arranging import (
    PlayerGroups,
    arranged,
    form_page,
    players_offered,
    roles_for,
    seats_typed,
)

__all__ = ["router"]

router = APIRouter()

USUAL_CLOCK = 10.0


@router.get("/manager")
async def choose(request: Request, game: str = "tictactoe") -> Response:
    """The form for a game; addresses of the original's kind fill it in: ?game=&players=a+b&startclock=&playclock="""
    asked = request.query_params
    roles = await roles_for(request, game)
    players = asked.get("players", "").split()
    values = {
        "game": game,
        "start-clock": asked.get("startclock", "10"),
        "play-clock": asked.get("playclock", "10"),
        "pace": "0.5",
        **_chosen(players[: len(roles)], await players_offered(request)),
    }
    return await form_page(request, "manager.html", Typed(values))


def _chosen(players: Sequence[str], offered: PlayerGroups) -> dict[str, str]:
    """Players in their fields: those of the list, and others as if they had been typed."""
    listed = {name for _, members in offered for name, _ in members} | {PERSON, SOCKET}
    return {
        f"{'player' if name in listed else 'other'}-{number}": name for number, name in enumerate(players)
    }


@router.post("/manager")
async def arrange(request: Request) -> Response:
    """A match as the form says, not begun; the browser goes to its page. Another game only changes the form."""
    typed = await typed_in(request)
    roles = await roles_for(request, typed.text("game"))
    if typed.text("do") == "game":
        return await form_page(request, "manager.html", typed)

    def setup() -> MatchSetup:
        return MatchSetup(
            typed.text("game"),
            seats_typed(typed, roles),
            start_clock=typed.seconds("start-clock", USUAL_CLOCK),
            play_clock=typed.seconds("play-clock", USUAL_CLOCK),
            pace=typed.number("pace", 0.5),
            is_managed=True,
        )

    match = await arranged(request, typed, setup, None)
    if match is None:
        return await form_page(request, "manager.html", typed, 422)
    return RedirectResponse(f"/matches/{match.id}", 303)
