"""Home: what this is, a board one can already play on, live matches, three ways on."""

from __future__ import annotations

from functools import partial
from itertools import islice

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gamemaster.games import game_names
from gamemaster.web.jobs import position
from gamemaster.web.rendering import render
from gamemaster.web.site import FIRST_GAME, site_of

__all__ = ["router"]

router = APIRouter()

MOST_SHOWN = 8


@router.get("/readying.json")
async def readying(request: Request) -> Response:
    """Whether machine code for searches is still being made: pages that say so ask."""
    return JSONResponse({"is_getting_ready": site_of(request).is_getting_ready})


@router.get("/")
async def home(request: Request) -> Response:
    """The first page."""
    site = site_of(request)
    first = await site.first.get(FIRST_GAME, partial(site.workers.quick, position, FIRST_GAME, ()))
    live = islice((match for match in site.hall.live() if match.entry.is_listed), MOST_SHOWN)
    return render(
        request,
        "home.html",
        game=FIRST_GAME,
        first=first,
        clicks=first["clicks"],
        live=list(live),
        games=len(game_names()),
    )
