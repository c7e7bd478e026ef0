"""Leaderboard: who is best at a game, or at all of them, and how sure that is."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from gamemaster.web.leaders import Leaders, leaders_of, results_of
from gamemaster.web.rendering import render
from gamemaster.web.shelf import title_of
from gamemaster.web.site import site_of

__all__ = ["router"]

router = APIRouter()

SECONDS = 60.0


@router.get("/leaderboard")
async def leaderboard(request: Request, game: str = "") -> Response:
    """The table, for one game or for all."""
    site = site_of(request)
    games, count = await asyncio.to_thread(lambda: (site.store.games(), site.store.counts()["over"]))

    async def worked_out() -> Leaders:
        entries = await asyncio.to_thread(site.store.over, game)
        return await site.workers.slow(leaders_of, results_of(entries), seconds=SECONDS)

    leaders = await site.leaders.get((game, count), worked_out)
    return render(
        request,
        "leaderboard.html",
        leaders=leaders,
        game=game,
        games=[(each, title_of(each)) for each in games],
    )
