"""Mine: the games that somebody keeps here, who may see them, and how they go."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gamemaster.games import on_shelf
from gamemaster.store.visibility import VISIBILITIES, visibility_of
from gamemaster.web.forms import typed_in
from gamemaster.web.people.signing import account_in, signed_in
from gamemaster.web.rendering import render
from gamemaster.web.shelf import portrait_key
from gamemaster.web.site import site_of

__all__ = ["VISIBILITY_WORDS", "router"]

router = APIRouter()

VISIBILITY_WORDS = {
    "private": "only you",
    "link": "whoever has the link",
    "public": "everybody",
}
assert set(VISIBILITY_WORDS) == set(VISIBILITIES)


@router.get("/mine")
async def mine(request: Request) -> Response:
    """All games of whoever is signed in; for guests, the way to sign in."""
    account = account_in(request)
    if account is None:
        return RedirectResponse("/signin?next=/mine", 303)
    site = site_of(request)
    games = await asyncio.to_thread(site.store.own_games.of, account.id)
    there = [each for each in games if on_shelf(each.name)]  # of a folder that is lost, what is left is shown
    keys = await asyncio.to_thread(lambda: {each.id: portrait_key(each.name) for each in there})
    done = request.query_params.get("done", "")
    return render(request, "mine.html", games=games, keys=keys, words=VISIBILITY_WORDS, done=done)


@router.post("/mine/games/{id}/visibility")
async def show_to(request: Request, id: str) -> Response:
    """Have others see a game, or not."""
    account, typed = signed_in(request), await typed_in(request)
    visibility = visibility_of(typed.text("visibility"))
    site = site_of(request)
    await site.hall.unlist(await asyncio.to_thread(site.brought.show_to, account.id, id, visibility))
    return RedirectResponse("/mine?done=visibility", 303)


@router.post("/mine/games/{id}/remove")
async def remove(request: Request, id: str) -> Response:
    """Take a game away, with the matches of it; only where the box is ticked."""
    account, typed = signed_in(request), await typed_in(request)
    if not typed.flag("sure"):
        return RedirectResponse("/mine?done=sure", 303)
    site = site_of(request)
    await site.hall.put_away(await asyncio.to_thread(site.store.own_games.names_of, account.id, id))
    await asyncio.to_thread(site.brought.forget_game, account.id, id)
    return RedirectResponse("/mine?done=removed", 303)
