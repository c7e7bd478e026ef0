"""Manager: a match between players of any kind, run by hand: Ping, Begin, Pause, Resume, End, Clear."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gamemaster.web.forms import Typed, typed_in
from gamemaster.web.live.setup import MatchSetup
from gamemaster.web.pages.arranging import arranged, form_page, roles_of, seats_typed

__all__ = ["router"]

router = APIRouter()

USUAL_CLOCK = 10.0


@router.get("/manager")
async def choose(request: Request, game: str = "tictactoe") -> Response:
    """The form for a game; addresses of the original's kind fill it in: ?game=&players=a+b&startclock=&playclock="""
    asked = request.query_params
    roles = roles_of(game)
    players = asked.get("players", "").split()
    values = {
        "game": game,
        "start-clock": asked.get("startclock", "10"),
        "play-clock": asked.get("playclock", "10"),
        "pace": "0.5",
        **{f"player-{number}": name for number, name in enumerate(players[: len(roles)])},
    }
    return form_page(request, "manager.html", Typed(values))


@router.post("/manager")
async def arrange(request: Request) -> Response:
    """A match as the form says, not begun; the browser goes to its page. Another game only changes the form."""
    typed = await typed_in(request)
    roles = roles_of(typed.text("game"))
    if typed.text("do") == "game":
        return form_page(request, "manager.html", typed)

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
        return form_page(request, "manager.html", typed, 422)
    return RedirectResponse(f"/matches/{match.id}", 303)
