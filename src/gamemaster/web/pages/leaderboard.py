"""Leaderboard: who is best at a game, at those of a set, or at all of them, and how sure that is."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from gamemaster.web.competing.sets import set_of, sets_for
from gamemaster.web.leaders import Leaders, leaders_of, results_of
from gamemaster.web.people.signing import account_in
from gamemaster.web.rendering import render
from gamemaster.web.shelf import title_of
from gamemaster.web.site import site_of

__all__ = ["router"]

router = APIRouter()

SECONDS = 60.0


@router.get("/leaderboard")
async def leaderboard(request: Request, game: str = "", set: str = "") -> Response:
    """The table, for one game, for those of a set, or for all."""
    site, account = site_of(request), account_in(request)
    games, count, sets = await asyncio.to_thread(
        lambda: (site.store.games(), site.store.counts()["over"], sets_for(site.store, account))
    )
    chosen = await asyncio.to_thread(set_of, site.store, set, account) if set and not game else None

    async def worked_out() -> Leaders:
        entries = await asyncio.to_thread(site.store.over, game, chosen.games if chosen else None)
        return await site.workers.slow(leaders_of, results_of(entries), seconds=SECONDS)

    leaders = await site.leaders.get((game, chosen and chosen.games, count), worked_out)
    return render(
        request,
        "leaderboard.html",
        leaders=leaders,
        game=game,
        chosen=chosen,
        sets=sets,
        games=[(each, title_of(each)) for each in games],
    )
