"""Players of people's own: registered at an address, or uploaded as a file; pinged, changed, removed.

All of it is kept under an account. A file is tried before it is kept: it runs behind walls, and has to answer.
"""

from __future__ import annotations

import asyncio
from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from gamemaster.errors import Forbidden, GamemasterError, NameTaken, ParameterError, TooMuch
from gamemaster.language.rules import Rules
from gamemaster.match.request import Request as Message
from gamemaster.store.accounts import Account
from gamemaster.store.players import OwnPlayer, mistake_in_player_name
from gamemaster.store.visibility import VISIBILITIES, Visibility, visibility_of
from gamemaster.web.forms import Typed, typed_in, uploaded_in
from gamemaster.web.live.pinging import Pinged, ping_line
from gamemaster.web.live.setup import check_address
from gamemaster.web.pages.players import player_page
from gamemaster.web.patience import while_there
from gamemaster.web.people.signing import account_in, signed_in
from gamemaster.web.rendering import render
from gamemaster.web.roster.files import LARGEST_FILE
from gamemaster.web.roster.specs import veiled_file
from gamemaster.web.site import Site, site_of
from gamemaster.web.work import ASKER

__all__ = ["router"]

router = APIRouter()

TRIAL_SECONDS = 60.0
"""How long a file may take to answer for the first time: what it imports takes a while on a busy machine."""

PING = Message("ping", 1, "ping", "player", "", Rules((), "hrf"), 0.0, 0.0)
LONGEST_ABOUT = 500
FIRST_FILE = '''"""The move after which our goal is greatest."""
import gamemaster as gm


class OneStep(gm.Player):
    def choose(self, state):
        return max(state.legal_moves(self.role), key=lambda move: state.next(move).goal(self.role) or 0)
'''


# Registering


@router.get("/players/register")
async def register_form(request: Request) -> Response:
    """The form for a player at an address."""
    if account_in(request) is None:
        return RedirectResponse("/signin?next=/players/register", 303)
    return _form(request, "register_player.html", Typed({"visibility": "private"}))


@router.post("/players/register")
async def register(request: Request) -> Response:
    """A player at an address; or what is wrong with what was typed."""
    account, typed = signed_in(request), await typed_in(request)
    site, name, address = site_of(request), typed.text("name"), typed.text("address")
    _check_name(typed, name)
    _check_address(typed, address, site)
    visibility, about = _rest(typed)
    if not typed.mistakes:
        try:
            await asyncio.to_thread(
                lambda: site.store.own_players.add(
                    account.id, name, address=address, visibility=visibility, about=about
                )
            )
            return _to(name, "registered")
        except (NameTaken, TooMuch) as error:
            typed.mistakes["name"] = str(error)
    return _form(request, "register_player.html", typed, 422)


# Uploading


@router.get("/players/upload")
async def upload_form(request: Request) -> Response:
    """The form for a file."""
    _check_allowed(request)
    if account_in(request) is None:
        return RedirectResponse("/signin?next=/players/upload", 303)
    return _form(request, "upload_player.html", Typed({"visibility": "private", "text": FIRST_FILE}))


@router.post("/players/upload")
async def upload(request: Request) -> Response:
    """A player of a file, tried and kept; or what is wrong with it."""
    _check_allowed(request)
    account = signed_in(request)
    typed, file = await uploaded_in(request, "file")
    site, name = site_of(request), typed.text("name")
    _check_name(typed, name)
    visibility, about = _rest(typed)
    if not typed.mistakes:
        key = await _tried(request, typed, name, file)
        if key:
            try:
                await asyncio.to_thread(
                    lambda: site.store.own_players.add(
                        account.id, name, file=key, visibility=visibility, about=about
                    )
                )
                return _to(name, "uploaded")
            except (NameTaken, TooMuch) as error:
                typed.mistakes["name"] = str(error)
                await site.players.drop_file(key)
    typed.values = {**typed.values, "text": _text(typed, file).decode(errors="replace")}
    return _form(request, "upload_player.html", typed, 422)


async def _tried(request: Request, typed: Typed, name: str, file: bytes) -> str:
    """The key of a file that answers; nothing where it does not, which is told at its field."""
    site, key = site_of(request), ""
    try:
        key = await asyncio.to_thread(site.players.files.keep, name, _text(typed, file))
        found = await while_there(request, _trial(site, key, name))
        if found.is_ready:
            return key
        typed.mistakes["file"] = f"the player does not answer: {found.why}"
    except GamemasterError as error:
        typed.mistakes["file"] = str(error)
    await site.players.drop_file(key)
    return ""


async def _trial(site: Site, key: str, name: str) -> Pinged:
    """Whether a file answers a ping, behind walls; it counts as any other player's process."""
    async with site.hall.room.places(1, lambda _: None, ASKER.get()):
        return await ping_line(veiled_file(site.players.files, key, name, None), PING, TRIAL_SECONDS)


def _text(typed: Typed, file: bytes) -> bytes:
    """What was uploaded; else what was typed, without the line ends of forms."""
    return file or typed.values.get("text", "").replace("\r\n", "\n").encode(errors="replace")


def _check_allowed(request: Request) -> None:
    if not site_of(request).settings.allows_uploads:
        raise Forbidden(
            "this site takes no files of players; register one that runs on your own machine, at /players/register"
        )


# What becomes of them


@router.post("/players/{name}/ping")
async def ping(request: Request, name: str) -> Response:
    """Whether it answers, in words: for whoever may choose it."""
    await typed_in(request)
    site = site_of(request)
    own = await site.players.own(name, account_in(request))
    try:
        spec = await site.players.line_spec(own.name, account_in(request))
        seconds = TRIAL_SECONDS if spec.takes_room else 5.0
        async with site.hall.room.places(int(spec.takes_room), lambda _: None, ASKER.get()):
            found = await while_there(request, ping_line(spec.line(None), PING, seconds))
        said = f"{own.name} is ready" if found.is_ready else f"{own.name} is not ready: {found.why}"
    except GamemasterError as error:
        said = str(error)
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"say": said})
    return await player_page(request, name, said=said)


@router.post("/players/{name}/edit")
async def edit(request: Request, name: str) -> Response:
    """Another address or file, other words, for others to see or not."""
    account = signed_in(request)
    typed, file = await uploaded_in(request, "file")
    site, own = site_of(request), await _mine(request, name, account)
    address, key = own.address, own.file
    visibility, about = _rest(typed)
    if own.kind == "address":
        address = typed.text("address")
        _check_address(typed, address, site)
    elif file and not typed.mistakes:
        _check_allowed(request)
        key = await _tried(request, typed, own.name, file)
    if typed.mistakes:
        return await player_page(request, own.name, typed=typed, status=422)
    await asyncio.to_thread(
        lambda: site.store.own_players.change(
            own.id, address=address, file=key, visibility=visibility, about=about
        )
    )
    return _to(own.name, "changed")


@router.post("/players/{name}/remove")
async def remove(request: Request, name: str) -> Response:
    """Gone; matches that it played stay under its name."""
    account = signed_in(request)
    await typed_in(request)
    site, own = site_of(request), await _mine(request, name, account)
    await asyncio.to_thread(site.store.own_players.remove, own.id)
    await site.launches.leave([own])
    return RedirectResponse("/players?done=removed", 303)


async def _mine(request: Request, name: str, account: Account) -> OwnPlayer:
    """A player of somebody's own; UnknownPlayer where it is none that they may see, Forbidden where another's."""
    own = await site_of(request).players.own(name, account)
    if own.account_id != account.id:
        raise Forbidden(f"{own.name} is not yours")
    return own


# What is typed


def _check_name(typed: Typed, name: str) -> None:
    if mistake := mistake_in_player_name(name):
        typed.mistakes["name"] = mistake


def _check_address(typed: Typed, address: str, site: Site) -> None:
    try:
        check_address(address, site.settings.hosts)
        if not address.startswith("http://"):
            typed.mistakes["address"] = "an address looks like http://127.0.0.1:9147"
    except GamemasterError as error:
        typed.mistakes["address"] = str(error)


def _rest(typed: Typed) -> tuple[Visibility, str]:
    """Who may see it, and what it does; mistakes at their fields."""
    said, about = typed.text("visibility", "private"), " ".join(typed.text("about").split())
    if len(about) > LONGEST_ABOUT:
        typed.mistakes["about"] = f"{len(about)} letters; at most {LONGEST_ABOUT}"
    if any("\ud800" <= letter <= "\udfff" or letter == "\0" for letter in about):
        typed.mistakes["about"] = "that has letters which cannot be kept"
    try:
        return visibility_of(said), about
    except ParameterError as error:
        typed.mistakes["visibility"] = str(error)
        return "private", about


def _to(name: str, done: str) -> Response:
    return RedirectResponse(f"/players/{quote(name)}?done={done}", 303)


def _form(request: Request, template: str, typed: Typed, status: int = 200) -> Response:
    return render(request, template, status, typed=typed, visibilities=VISIBILITIES, largest=LARGEST_FILE)
