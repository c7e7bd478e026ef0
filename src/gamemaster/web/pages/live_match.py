"""The page of a match: played, watched and managed here while it goes on; when it is over it is a replay.

Everybody with the address may watch. Whoever sits at it, or arranged it, is known by the secret of their browser.
"""

from __future__ import annotations

import asyncio
import contextlib

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from gamemaster.errors import Forbidden, GamemasterError
from gamemaster.web.forms import typed_in
from gamemaster.web.live.feeds import Feed, Reader
from gamemaster.web.live.looks import hint
from gamemaster.web.live.pinging import ping_all
from gamemaster.web.live.table import LiveMatch
from gamemaster.web.live.views import Viewer, clock_in_words
from gamemaster.web.pages.matches import replay_page
from gamemaster.web.rendering import render
from gamemaster.web.site import site_of
from gamemaster.web.visitors import key_of_connection, key_of_visitor

__all__ = ["router", "serve_reader"]

router = APIRouter()

SENDING_SECONDS = 20.0
"""A reader that takes longer than this for a message is gone."""

HINT_SECONDS = 1.5
HINT_PATIENCE = 60.0


@router.get("/matches/{name}")
async def page(request: Request, name: str, role: str = "", replay: bool = False) -> Response:
    """The match as its visitor may see it; once it is over a replay, for those who played in it if they ask."""
    site = site_of(request)
    match = await site.hall.find(name)
    if match is None or (match.is_over and (replay or not match.viewer(key_of_visitor(request)).roles)):
        return await replay_page(request, await site.hall.entry(name))
    return await _page(request, match, match.viewer(key_of_visitor(request), role))


async def _page(request: Request, match: LiveMatch, viewer: Viewer, said: str = "") -> Response:
    feed = await match.audience.feed(viewer)
    return render(
        request,
        "live_match.html",
        match=match,
        entry=match.entry,
        viewer=viewer,
        feed=feed,
        parts=feed.now["parts"],
        first={
            "number": feed.told,
            "mark": feed.marks[feed.told - 1] if feed.told else "",
            **{name: value for name, value in feed.now.items() if name != "parts"},
        },
        said=said,
        start_clock=clock_in_words(match.entry.start_clock),
        play_clock=clock_in_words(match.entry.play_clock),
        legal=_legal(feed),
    )


def _legal(feed: Feed) -> list[tuple[str, list[str]]]:
    """The moves for a form that needs no script, by role."""
    clicks = feed.now.get("clicks") or {}
    assert isinstance(clicks, dict)
    return [(role, [each["move"] for each in found["moves"]]) for role, found in clicks.items()]


@router.websocket("/matches/{name}/live")
async def live(socket: WebSocket, name: str, after: int = 0, mark: str = "", role: str = "") -> None:
    """What happens, as it happens."""
    site = site_of(socket)
    match = await site.hall.find(name)
    if match is None:
        await socket.accept()
        await socket.close(4404, "this match is over")
        return
    await socket.accept()
    reader = Reader()
    feed = await match.audience.join(match.viewer(key_of_connection(socket), role), reader, after, mark)
    try:
        await serve_reader(socket, reader)
    finally:
        feed.readers.discard(reader)


async def serve_reader(socket: WebSocket, reader: Reader) -> None:
    """Send until the reader has gone, or is too slow."""
    tasks = {
        asyncio.create_task(_send(socket, reader)),
        asyncio.create_task(_wait_for_end(socket)),
        asyncio.create_task(reader.is_dropped.wait()),
    }
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(RuntimeError, OSError, TimeoutError, WebSocketDisconnect):
            async with asyncio.timeout(1):
                await socket.close(1013 if reader.is_dropped.is_set() else 1000)


async def _send(socket: WebSocket, reader: Reader) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError, OSError):
        while True:
            text = await reader.queue.get()
            async with asyncio.timeout(SENDING_SECONDS):
                await socket.send_text(text)


async def _wait_for_end(socket: WebSocket) -> None:
    """Until the other side goes; what it says is nobody's business, and much of it ends the connection."""
    for _ in range(100):
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return


# What people do


@router.post("/matches/{name}/move")
async def move(request: Request, name: str) -> Response:
    """Make a move."""
    typed = await typed_in(request)
    match = await site_of(request).hall.found(name)
    viewer = match.viewer(key_of_visitor(request), typed.text("role"))
    role = typed.text("role")
    if role not in viewer.roles:
        raise Forbidden("only whoever sits there can move")
    match.move(role, typed.text("move"), int(typed.number("step", -1)))
    await asyncio.sleep(0)
    return _done(request, match)


@router.post("/matches/{name}/act")
async def act(request: Request, name: str) -> Response:
    """Do what a button says."""
    typed = await typed_in(request)
    site = site_of(request)
    match = await site.hall.found(name)
    viewer = match.viewer(key_of_visitor(request), typed.text("role"))
    what = typed.text("act")
    if what in OWNERS_ACTS and viewer.is_owner:
        return await _manage(request, match, viewer, what)
    if what in SEATED_ACTS and (viewer.roles or (what == "go-on" and viewer.is_owner)):
        return await _play_on(request, match, viewer, what)
    raise Forbidden("only whoever arranged the match, or plays in it, can do that")


OWNERS_ACTS = frozenset({"ping", "begin", "pause", "resume", "end", "abort", "clear"})
SEATED_ACTS = frozenset({"go-on", "take-back", "hint", "resign", "rematch", "leave"})


async def _manage(request: Request, match: LiveMatch, viewer: Viewer, what: str) -> Response:
    if what == "ping":
        return await _told(request, match, viewer, await ping_all(match))
    if what == "clear":
        fresh = await site_of(request).hall.anew(match)
        return _go(request, f"/matches/{fresh.id}")
    async with match.changing:
        await _steer(match, what)
    return _done(request, match)


async def _steer(match: LiveMatch, what: str) -> None:
    match what:
        case "begin":
            match.begin()
        case "pause":
            match.pause()
        case "resume":
            match.resume()
        case "end":
            await match.end()
        case "abort":
            await match.abort()


async def _play_on(request: Request, match: LiveMatch, viewer: Viewer, what: str) -> Response:
    if what == "hint":
        return await _told(request, match, viewer, await _hint(request, match, viewer))
    if what == "rematch":
        if not match.is_over:
            raise Forbidden("the match is not over yet")
        following = await site_of(request).hall.rematch(match)
        return _go(request, f"/matches/{following.id}")
    async with match.changing:
        match what:
            case "go-on":
                match.begin()
            case "take-back":
                await match.take_back(viewer.roles)
            case "leave":
                await match.abort()
            case "resign":
                match.resign(_one_of(viewer.roles, match.asked))
    return _done(request, match)


def _one_of(roles: tuple[str, ...], asked: frozenset[str]) -> str:
    """The role that somebody means who plays several: the one that is to move."""
    return next((role for role in roles if role in asked), roles[0])


async def _hint(request: Request, match: LiveMatch, viewer: Viewer) -> str:
    if not match.can_hint:
        raise Forbidden("there are no hints in this match")
    asked = next((role for role in viewer.roles if role in match.asked), None)
    if asked is None or not match.states:
        raise Forbidden("a hint is for whoever is to move")
    site = site_of(request)
    now = match.states[-1]
    return await site.workers.slow(
        hint, match.entry.game, now.facts, now.step, asked, HINT_SECONDS, seconds=HINT_PATIENCE
    )


def _done(request: Request, match: LiveMatch) -> Response:
    return _answer(request, {"ok": True}, f"/matches/{match.id}")


def _go(request: Request, address: str) -> Response:
    return _answer(request, {"ok": True, "go": address}, address)


async def _told(request: Request, match: LiveMatch, viewer: Viewer, words: str) -> Response:
    """An answer in words; without a module, on the page."""
    if _wants_json(request):
        return JSONResponse({"ok": True, "say": words})
    return await _page(request, match, viewer, words)


def _answer(request: Request, said: dict[str, object], address: str) -> Response:
    """An answer for a module; without one the browser goes to a page."""
    return JSONResponse(said) if _wants_json(request) else RedirectResponse(address, 303)


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


# Sitting down


@router.get("/matches/{name}/join/{token}")
async def invited(request: Request, name: str, token: str) -> Response:
    """The page behind a link to a seat: one still has to say that one wants to play."""
    site = site_of(request)
    match = await site.hall.found(name)
    role = next((r for r in match.empty_seats if site.hall.invitation(name, r) == token), None)
    if role is None:
        return RedirectResponse(f"/matches/{match.id}", 303)
    return render(request, "join.html", match=match, entry=match.entry, role=role, asked_by=token)


@router.post("/matches/{name}/join/{token}")
async def sit_down(request: Request, name: str, token: str) -> Response:
    """Take the seat."""
    await typed_in(request)
    match = await site_of(request).hall.found(name)
    await match.sit_down(token, key_of_visitor(request))
    return RedirectResponse(f"/matches/{match.id}", 303)


@router.websocket("/matches/{name}/player/{token}")
async def player(socket: WebSocket, name: str, token: str) -> None:
    """Where a program comes that plays a role: it gets lines of JSON, and answers in such."""
    try:
        match = await site_of(socket).hall.found(name)
        seat = match.socket_seat(token)
    except GamemasterError as error:
        await socket.accept()
        await socket.close(4404, str(error)[:100])
        return
    await seat.talk(socket)
