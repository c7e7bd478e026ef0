"""Sign up, in and out; the profile: name, password, and an end to all of it."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gamemaster.errors import Forbidden, NameTaken, TooMuch
from gamemaster.store.names import mistake_in_name, tidied
from gamemaster.store.passwords import mistake_in
from gamemaster.web.forms import Typed, typed_in
from gamemaster.web.people.signing import account_in, signed_in
from gamemaster.web.rendering import render
from gamemaster.web.site import site_of

__all__ = ["router"]

router = APIRouter()

PROFILE = "/profile"


@router.get("/signup")
async def up_form(request: Request, next: str = PROFILE) -> Response:
    """The form for a new name."""
    return _form(request, "signup.html", Typed({"next": own_place(next)}))


@router.post("/signup")
async def up(request: Request) -> Response:
    """A new account, signed in; or what is wrong with what was typed."""
    typed = await typed_in(request)
    name, password = tidied(typed.text("name")), typed.values.get("password", "")
    _note(typed, "name", mistake_in_name(name))
    _note(typed, "password", mistake_in(password, name))
    if not typed.mistakes:
        response = RedirectResponse(own_place(typed.text("next")), 303)
        try:
            await site_of(request).desk.sign_up(request, response, name, password)
            return response
        except (NameTaken, TooMuch) as error:
            _note(typed, "name", str(error))
    return _form(request, "signup.html", typed, 422)


@router.get("/signin")
async def in_form(request: Request, next: str = PROFILE) -> Response:
    """The form for who has a name."""
    if account_in(request) is not None:
        return RedirectResponse(own_place(next), 303)
    return _form(request, "signin.html", Typed({"next": own_place(next)}))


@router.post("/signin")
async def sign_in(request: Request) -> Response:
    """Signed in; or that name and password do not belong together."""
    typed = await typed_in(request)
    response = RedirectResponse(own_place(typed.text("next")), 303)
    try:
        name, password = tidied(typed.text("name")), typed.values.get("password", "")
        await site_of(request).desk.sign_in(request, response, name, password)
        return response
    except (Forbidden, TooMuch) as error:
        _note(typed, "password", str(error))
        status = 429 if isinstance(error, TooMuch) else 403
        return _form(request, "signin.html", typed, status)


@router.post("/signout")
async def sign_out(request: Request) -> Response:
    """Signed out, on the first page."""
    await typed_in(request)
    response = RedirectResponse("/", 303)
    await site_of(request).desk.sign_out(request, response)
    return response


@router.get(PROFILE)
async def profile(request: Request) -> Response:
    """Who one is; for guests, the way to sign in."""
    if account_in(request) is None:
        return RedirectResponse(f"/signin?next={PROFILE}", 303)
    return _form(request, "profile.html", Typed())


@router.post("/profile/name")
async def rename(request: Request) -> Response:
    """Another name."""
    account, typed = signed_in(request), await typed_in(request)
    name = tidied(typed.text("name"))
    _note(typed, "name", mistake_in_name(name))
    if not typed.mistakes:
        try:
            await asyncio.to_thread(site_of(request).store.accounts.rename, account.id, name)
            return RedirectResponse(f"{PROFILE}?done=name", 303)
        except NameTaken as error:
            _note(typed, "name", str(error))
    return _form(request, "profile.html", typed, 422)


@router.post("/profile/password")
async def change_password(request: Request) -> Response:
    """Another password; whoever is signed in elsewhere is signed out."""
    account, typed = signed_in(request), await typed_in(request)
    desk = site_of(request).desk
    try:
        await desk.check_password(request, account, typed.values.get("old", ""))
    except (Forbidden, TooMuch) as error:
        _note(typed, "old", str(error))
    new = typed.values.get("password", "")
    _note(typed, "password", mistake_in(new, account.name))
    if typed.mistakes:
        return _form(request, "profile.html", typed, 422)
    await desk.change_password(request, account, new)
    return RedirectResponse(f"{PROFILE}?done=password", 303)


@router.post("/profile/delete")
async def delete(request: Request) -> Response:
    """The account and all that is kept under its name are gone."""
    account, typed = signed_in(request), await typed_in(request)
    site = site_of(request)
    try:
        await site.desk.check_password(request, account, typed.values.get("confirm", ""))
    except (Forbidden, TooMuch) as error:
        _note(typed, "confirm", str(error))
        return _form(request, "profile.html", typed, 422)
    response = RedirectResponse("/", 303)
    await site.competitions.forget(account.id)
    await site.hall.put_away(await asyncio.to_thread(site.store.own_games.names_of, account.id))
    await asyncio.to_thread(site.brought.forget_account, account.id)
    players = await site.players.of(account)
    await asyncio.to_thread(site.store.accounts.remove, account.id)
    await site.launches.leave(players)
    await site.desk.sign_out(request, response)
    return response


def own_place(address: str) -> str:
    """An address on this site, to which somebody goes on; the profile instead of any other."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return PROFILE
    is_own = not parts.scheme and not parts.netloc and address.startswith("/") and address.isprintable()
    return address if is_own and not address.startswith(("//", "/\\")) and "\\" not in address else PROFILE


def _note(typed: Typed, field: str, mistake: str) -> None:
    if mistake:
        typed.mistakes[field] = mistake


def _form(request: Request, template: str, typed: Typed, status: int = 200) -> Response:
    return render(request, template, status, typed=typed, done=request.query_params.get("done", ""))
