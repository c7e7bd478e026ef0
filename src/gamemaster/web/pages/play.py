"""Human: a role of a game against players or other people. The match itself is on its own page."""

from __future__ import annotations

import math
import secrets

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gamemaster.web.forms import Typed, typed_in
from gamemaster.web.live.setup import PERSON, MatchSetup, SeatSetup
from gamemaster.web.pages.arranging import arranged, form_page, roles_for

__all__ = ["router"]

router = APIRouter()

ANY_ROLE = "any"
START_SECONDS = 5.0
THINK_SECONDS = 2.0
USUAL = {
    "game": "tictactoe",
    "role": ANY_ROLE,
    "opponent": "mcts",
    "think": "2",
    "play-clock": "",
    "take-back": "on",
    "hint": "on",
}


@router.get("/play")
async def choose(request: Request, game: str = "tictactoe", opponent: str = "mcts") -> Response:
    """The form."""
    await roles_for(request, game)
    return await form_page(request, "play.html", Typed({**USUAL, "game": game, "opponent": opponent}))


@router.post("/play")
async def begin(request: Request) -> Response:
    """A match as the form says; the browser goes to its page."""
    typed = await typed_in(request)
    roles = await roles_for(request, typed.text("game"))
    role = typed.text("role", ANY_ROLE)
    if role == ANY_ROLE:
        role = secrets.choice(roles)
    elif role not in roles:
        typed.mistakes["role"] = f"the roles are {', '.join(roles)}"
    opponents = typed.text("opponent", "mcts")
    is_friend = opponents == PERSON

    def setup() -> MatchSetup:
        return MatchSetup(
            typed.text("game"),
            tuple(SeatSetup(each, PERSON if each == role else opponents) for each in roles),
            start_clock=START_SECONDS,
            play_clock=typed.seconds("play-clock", math.inf),
            think=0.0 if is_friend or len(roles) == 1 else typed.number("think", THINK_SECONDS),
            can_take_back=typed.flag("take-back") and not is_friend,  # nobody asks the friend
            can_hint=typed.flag("hint"),
        )

    match = await arranged(request, typed, setup, role)
    if match is None:
        return await form_page(request, "play.html", typed, 422)
    return RedirectResponse(f"/matches/{match.id}", 303)
