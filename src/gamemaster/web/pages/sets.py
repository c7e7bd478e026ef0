"""/sets: sets of games, for competitions, the cycle and the leaderboard: looked at, made, changed, removed."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gamemaster.errors import GamemasterError
from gamemaster.store.competing import GameSet
from gamemaster.web.competing.sets import check_owner, is_computed, mistake_in_title, set_of, sets_for
from gamemaster.web.forms import Typed, typed_in
from gamemaster.web.pages.arranging import game_choices, own_choices
from gamemaster.web.pages.planning import chosen_games
from gamemaster.web.people.signing import account_in, operator_in, signed_in
from gamemaster.web.rendering import render
from gamemaster.web.shelf import title_of
from gamemaster.web.site import site_of

__all__ = ["router"]

router = APIRouter()


@router.get("/sets")
async def table(request: Request) -> Response:
    """All sets that somebody can choose."""
    site, account = site_of(request), account_in(request)
    found = await asyncio.to_thread(sets_for, site.store, account)
    groups = {
        "Of the library": [each for each in found if is_computed(each.id)],
        "Of this site": [each for each in found if each.account_id is None and not is_computed(each.id)],
        "Your own": [each for each in found if each.account_id is not None],
    }
    return render(request, "sets.html", groups={name: sets for name, sets in groups.items() if sets})


@router.get("/sets/new")
async def form(request: Request) -> Response:
    """The form for a new set; for guests, the way to sign in."""
    if account_in(request) is None:
        return RedirectResponse("/signin?next=/sets/new", 303)
    return await _form(request, Typed())


@router.post("/sets/new")
async def make(request: Request) -> Response:
    """A new set; an operator's may be the site's own."""
    account, typed = signed_in(request), await typed_in(request)
    owner = account.id
    if typed.flag("for-all"):
        operator_in(request)
    title, games = await _typed_set(request, typed)
    if not typed.mistakes:
        try:
            made = await asyncio.to_thread(
                site_of(request).store.game_sets.add, None if typed.flag("for-all") else owner, title, games
            )
            return RedirectResponse(f"/sets/{made.id}", 303)
        except GamemasterError as error:
            typed.mistakes["form"] = str(error)
    return await _form(request, typed, status=422)


@router.get("/sets/{id}")
async def show(request: Request, id: str) -> Response:
    """A set: its games, and for whose it is the way to change it."""
    account = account_in(request)
    found = await asyncio.to_thread(set_of, site_of(request).store, id, account)
    can_change = not is_computed(id) and account is not None
    can_change = can_change and (
        found.account_id is not None or (account is not None and account.is_operator)
    )
    return render(
        request,
        "set.html",
        found=found,
        is_computed=is_computed(id),
        can_change=can_change,
        games=[(name, title_of(name)) for name in found.games],
    )


@router.get("/sets/{id}/change")
async def change_form(request: Request, id: str) -> Response:
    """The form for a set that is there."""
    found = await _own(request, id)
    library = {each.name for each in game_choices()}
    ticked = {f"game-{name}": "on" for name in found.games if name in library}
    others = "\n".join(name for name in found.games if name not in library)
    return await _form(request, Typed({"name": found.title, "games": others, **ticked}), found)


@router.post("/sets/{id}/change")
async def change(request: Request, id: str) -> Response:
    """Another name, and other games."""
    typed = await typed_in(request)
    found = await _own(request, id)
    title, games = await _typed_set(request, typed)
    if typed.mistakes:
        return await _form(request, typed, found, 422)
    await asyncio.to_thread(site_of(request).store.game_sets.change, id, title, games)
    return RedirectResponse(f"/sets/{id}", 303)


@router.post("/sets/{id}/remove")
async def remove(request: Request, id: str) -> Response:
    """The set is gone; competitions that were made of it have its games."""
    await typed_in(request)
    await _own(request, id)
    await asyncio.to_thread(site_of(request).store.game_sets.remove, id)
    return RedirectResponse("/sets", 303)


async def _own(request: Request, id: str) -> GameSet:
    """A set that whoever asks may change; UnknownGameSet or Forbidden for all others."""
    account = signed_in(request)
    found = await asyncio.to_thread(set_of, site_of(request).store, id, account)
    check_owner(found, account)
    return found


async def _typed_set(request: Request, typed: Typed) -> tuple[str, list[str]]:
    title = " ".join(typed.text("name").split())
    if wrong := mistake_in_title(title):
        typed.mistakes["name"] = wrong
    return title, await chosen_games(request, typed, signed_in(request))


async def _form(request: Request, typed: Typed, found: GameSet | None = None, status: int = 200) -> Response:
    own = await own_choices(request)
    return render(request, "set_form.html", status, typed=typed, found=found, games=game_choices(), own=own)
