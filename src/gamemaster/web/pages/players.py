"""Players: everybody who can play, with what they are told and how good they are; a page for each, with Launch."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.websockets import WebSocket

from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.ratings.table import Row
from gamemaster.errors import Busy, Forbidden, GamemasterError, LimitExceeded
from gamemaster.players.catalogue import player_names
from gamemaster.store.entries import MatchFilter
from gamemaster.store.players import OwnPlayer
from gamemaster.store.visibility import VISIBILITIES
from gamemaster.web.forms import Typed, typed_in
from gamemaster.web.leaders import Leaders, leaders_of, results_of
from gamemaster.web.live.feeds import Reader
from gamemaster.web.pages.live_match import serve_reader
from gamemaster.web.pages.matches import match_line
from gamemaster.web.people.signing import account_in
from gamemaster.web.rendering import render
from gamemaster.web.roster.cards import PlayerCard, PlayerHistory, history_of, library_cards
from gamemaster.web.site import Site, site_of
from gamemaster.web.visitors import key_of_connection, key_of_visitor
from gamemaster.web.work import ASKER

__all__ = ["player_page", "router"]

router = APIRouter()

SECONDS = 60.0
LATEST = 8
MOST_LISTED = 300
"""Matches on a player's page; players of people's own in the list."""


@dataclass(frozen=True)
class ListedPlayer:
    """A player in the list."""

    name: str
    line: str
    parameters: tuple[tuple[str, str], ...] = ()
    row: Row | None = None
    own: OwnPlayer | None = None


@router.get("/players")
async def players(request: Request) -> Response:
    """Everybody who can play."""
    site, account = site_of(request), account_in(request)
    cards, leaders = await asyncio.gather(site.workers.quick(library_cards), _leaders(site))
    rows = {row.name: row for row in leaders.rows}
    own = await site.players.of(account)
    public = await site.players.public()
    mine = {each.id for each in own}
    return render(
        request,
        "players.html",
        library=[ListedPlayer(card.name, card.line, card.parameters, rows.get(card.name)) for card in cards],
        own=[_listed(each, rows) for each in own],
        public=[_listed(each, rows) for each in public if each.id not in mine][:MOST_LISTED],
        connected=list(site.players.connected),
        allows_uploads=site.settings.allows_uploads,
        done=request.query_params.get("done", ""),
    )


def _listed(own: OwnPlayer, rows: dict[str, Row]) -> ListedPlayer:
    return ListedPlayer(own.name, own.about, (), rows.get(own.name), own)


async def _leaders(site: Site) -> Leaders:
    """The table of everybody, of all games."""
    count = await asyncio.to_thread(lambda: site.store.counts()["over"])

    async def worked_out() -> Leaders:
        return await site.workers.slow(leaders_of, await _results(site), seconds=SECONDS)

    with suppress(Busy, LimitExceeded):  # the page is worth more than the figures on it
        return await site.leaders.get(("", None, count), worked_out)
    return Leaders((), "", 0)


async def _results(site: Site) -> list[MatchOutcome]:
    return await asyncio.to_thread(lambda: results_of(site.store.over("")))


@router.get("/players/{name}")
async def one(request: Request, name: str) -> Response:
    """A player's page; of somebody's own, for whoever may see it."""
    return await player_page(request, name)


async def player_page(
    request: Request, name: str, *, typed: Typed | None = None, said: str = "", status: int = 200
) -> Response:
    """The page of a player, with what was typed on it and what is told of that."""
    site, account = site_of(request), account_in(request)
    card, own = await _found(request, name)
    name = own.name if own else name
    leaders, history = await asyncio.gather(_leaders(site), _history(site, name))
    latest = await asyncio.to_thread(site.store.page, MatchFilter(player=name), 1, LATEST)
    launched = site.launches.of(key_of_visitor(request), name)
    if launched is not None:
        launched.tell()
    is_mine = own is not None and account is not None and own.account_id == account.id
    return render(
        request,
        "player.html",
        status,
        name=name,
        card=card,
        own=own,
        is_mine=is_mine,
        variants=[row for row in leaders.rows if row.name == name or row.name.startswith(f"{name}(")],
        history=history,
        rows=[match_line(entry) for entry in latest.entries],
        total=latest.total,
        launched=launched,
        can_launch=own is None or own.kind == "file",
        first=_first(launched.feed.told, launched.feed.marks) if launched else None,
        typed=typed or Typed(_values(own)),
        said=said,
        done=request.query_params.get("done", ""),
        visibilities=VISIBILITIES,
    )


def _first(told: int, marks: list[str]) -> dict[str, object]:
    return {"number": told, "mark": marks[told - 1] if told else ""}


def _values(own: OwnPlayer | None) -> dict[str, str]:
    return {"address": own.address, "about": own.about, "visibility": own.visibility} if own else {}


async def _found(request: Request, name: str) -> tuple[PlayerCard | None, OwnPlayer | None]:
    """What is known of a player; UnknownPlayer where there is none for whoever asks."""
    site = site_of(request)
    if name not in player_names():
        return None, await site.players.own(name, account_in(request))
    cards = await site.workers.quick(library_cards)
    return next(card for card in cards if card.name == name), None


async def _history(site: Site, name: str) -> PlayerHistory:
    count = await asyncio.to_thread(lambda: site.store.counts()["over"])

    async def worked_out() -> PlayerHistory:
        return await site.workers.slow(history_of, await _results(site), name, seconds=SECONDS)

    with suppress(Busy, LimitExceeded):
        return await site.histories.get((name, count), worked_out)
    return PlayerHistory()


# Launch


@router.post("/players/{name}/launch")
async def launch(request: Request, name: str) -> Response:
    """Run a player in a process of its own; its page shows it."""
    typed = await typed_in(request)
    site = site_of(request)
    _, own = await _found(request, name)
    name = own.name if own else name
    if own and own.kind == "address":
        raise Forbidden(f"{name} is not launched here: it runs on its own machine; ping it instead")
    parameters = "" if own else typed.text("parameters").strip("() ")
    try:
        spec = await site.players.line_spec(
            f"{name}({parameters})" if parameters else name, account_in(request)
        )
        site.launches.launch(spec, name, key_of_visitor(request), ASKER.get())
    except GamemasterError as error:
        typed.mistakes["parameters"] = str(error)
        return await player_page(request, name, typed=typed, status=422)
    return RedirectResponse(f"/players/{quote(name)}#launched", 303)


@router.post("/players/{name}/launched/{identifier}")
async def act(request: Request, name: str, identifier: str) -> Response:
    """Connect, Disconnect, Clear, End."""
    typed = await typed_in(request)
    launches = site_of(request).launches
    launched = launches.found(identifier, key_of_visitor(request))
    await launches.act(launched, typed.text("act"))
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"ok": True})
    return RedirectResponse(f"/players/{quote(launched.name)}#launched", 303)


@router.websocket("/players/{name}/launched/{identifier}/live")
async def live(socket: WebSocket, name: str, identifier: str, after: int = 0, mark: str = "") -> None:
    """What happens to a launched player, as it happens, for whoever launched it."""
    launches = site_of(socket).launches
    await socket.accept()
    try:
        launched = launches.found(identifier, key_of_connection(socket))
    except GamemasterError as error:
        await socket.close(4404, str(error)[:100])
        return
    launched.watch()
    launched.tell()
    reader = Reader()
    launched.feed.join(reader, after, mark)
    try:
        await serve_reader(socket, reader)
    finally:
        launched.feed.readers.discard(reader)
        launched.watch()
