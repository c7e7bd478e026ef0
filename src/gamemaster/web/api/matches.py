"""/matches: listed, looked at, arranged; whoever arranged one has a key and steers it with that.

In a game that hides its state nothing of what happens is told before the match is over: neither moves nor whose turn
it is, neither goals nor errors. The seed of a match tells what will be drawn, so it is told at the end of any.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import math
import secrets
from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from gamemaster.errors import Forbidden, ParameterError, UnknownMatch
from gamemaster.machine.game import RANDOM
from gamemaster.match import events
from gamemaster.match.drawing import drawn_seed
from gamemaster.store.entries import MatchEntry, MatchFilter, MatchStatus
from gamemaster.web.api.models import (
    ArrangedAnswer,
    ListedMatch,
    LiveAnswer,
    MatchAnswer,
    MatchBody,
    MatchesAnswer,
    SeatRow,
)
from gamemaster.web.api.strictness import Answers, ApiRoute, answers
from gamemaster.web.live.setup import MatchSetup, SeatSetup
from gamemaster.web.live.table import LiveMatch
from gamemaster.web.people.signing import account_in
from gamemaster.web.shelf import chosen
from gamemaster.web.site import Site, site_of

__all__ = ["router"]

router = APIRouter(route_class=ApiRoute, tags=["matches"])

RECORD = "application/x-ndjson"
RECORDED: Answers = {
    200: {
        "content": {RECORD: {"schema": {"type": "string"}}},
        "description": "A line of JSON for each event.",
    }
}
MatchId = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}$", json_schema_extra={"format": "match"})
]
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))]
NO_NULL = r"^[^\x00]*$"
"""Databases have no texts with that character."""

Filter = Annotated[str, Query(max_length=200, pattern=NO_NULL)]
Action = Literal["begin", "pause", "resume", "end", "abort"]


@router.get("/matches", responses=answers(414, 422, 429, 503))
async def list_matches(
    request: Request,
    game: Filter = "",
    player: Filter = "",
    status: MatchStatus | None = None,
    how: Filter = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    size: Annotated[int, Query(ge=1, le=200)] = 50,
) -> MatchesAnswer:
    """Matches, the newest first: those of a game, with a player, with a status, that ended so."""
    wanted = MatchFilter(game, player, status or "", how)
    found = await asyncio.to_thread(site_of(request).store.page, wanted, page, size)
    return MatchesAnswer(
        matches=[_row(entry) for entry in found.entries],
        total=found.total,
        page=found.number,
        pages=found.pages,
        size=found.size,
    )


@router.get("/matches/{id}", responses=answers(404, 414, 422, 429, 503))
async def show_match(request: Request, id: MatchId) -> MatchAnswer:
    """A match; while it is held, how it stands."""
    site = site_of(request)
    return _answer(site, await site.hall.entry(id))


@router.post("/matches", status_code=201, responses=answers(400, 403, 404, 413, 415, 422, 429, 503))
async def arrange(request: Request, response: Response, body: MatchBody) -> ArrangedAnswer:
    """Arrange a match. It begins as soon as no person is awaited, unless it is managed."""
    site, key = site_of(request), secrets.token_urlsafe(24)
    await site.brought.check(request, body.game)
    match = await site.hall.arrange(_setup(body), _owner(key), account=account_in(request))
    viewer = match.viewer(_owner(key))
    response.headers["location"] = f"/api/v1/matches/{match.id}"
    return ArrangedAnswer(
        **dict(_answer(site, match.entry)),
        key=key,
        invitations=dict(match.invitations(viewer)),
        sockets=dict(match.sockets(viewer)),
    )


@router.post("/matches/{id}/{action}", responses=answers(403, 404, 414, 422, 429, 503))
async def steer(request: Request, id: MatchId, action: Action, bearer: Bearer) -> MatchAnswer:
    """Begin a match or go on with it, pause, resume, end it where it is, or give it up; with its key."""
    site = site_of(request)
    entry = await site.hall.entry(id)
    key = _owner(bearer.credentials) if bearer else ""
    if not key or not hmac.compare_digest(entry.owner.encode(), key.encode()):
        raise Forbidden("only whoever arranged this match steers it: Authorization: Bearer KEY")
    match = await site.hall.found(id)
    async with match.changing:
        await _STEERING[action](match)
    return _answer(site, match.entry)


@router.get(
    "/matches/{id}/record",
    response_class=Response,
    responses={**RECORDED, **answers(403, 404, 414, 422, 429, 503)},
)
async def get_record(request: Request, id: MatchId) -> Response:
    """The record of a match that is over."""
    site = site_of(request)
    entry = await site.hall.entry(id)
    if entry.status != "over":
        raise Forbidden("the record of a match can be had when it is over")
    path = site.settings.records / entry.record
    if not entry.record or path.parent != site.settings.records or not path.is_file():
        raise UnknownMatch(f"the match {entry.id} has no record: it never began")
    return FileResponse(path, media_type=RECORD, filename=f"{entry.id}.jsonl")


# What is wanted


def _setup(body: MatchBody) -> MatchSetup:
    """The match that a body asks for; ParameterError where it has other roles than the game."""
    roles = [role for role in chosen(body.game).folder.roles if role != RANDOM]
    if set(roles) != set(body.players):
        raise ParameterError(f"{body.game} has the roles {', '.join(roles)}, each of which needs a player")
    return MatchSetup(
        chosen(body.game).name,
        tuple(SeatSetup(role, body.players[role]) for role in roles),
        start_clock=math.inf if body.start_clock is None else body.start_clock,
        play_clock=math.inf if body.play_clock is None else body.play_clock,
        think=body.think or 0.0,
        pace=body.pace,
        is_managed=body.is_managed,
        seed=drawn_seed() if body.seed is None else body.seed,
    )


def _owner(key: str) -> str:
    """What the store knows the holder of a key by; the key itself is in no database."""
    return hashlib.sha256(f"key {key}".encode()).hexdigest()[:40]


async def _begin(match: LiveMatch) -> None:
    match.begin()


async def _pause(match: LiveMatch) -> None:
    match.pause()


async def _resume(match: LiveMatch) -> None:
    match.resume()


_STEERING: dict[Action, Callable[[LiveMatch], Awaitable[None]]] = {
    "begin": _begin,
    "pause": _pause,
    "resume": _resume,
    "end": LiveMatch.end,
    "abort": LiveMatch.abort,
}


# What is told


def _row(entry: MatchEntry) -> ListedMatch:
    is_told, is_over = _is_open(entry), entry.status == "over"
    return ListedMatch(
        id=entry.id,
        game=entry.game,
        status=entry.status,
        how=entry.how,
        seats=[
            SeatRow(
                role=seat.role,
                player=seat.player,
                kind=seat.kind,
                goal=seat.goal if is_told else None,
                errors=seat.errors if is_told else None,
            )
            for seat in entry.seats
        ],
        start_clock=_finite(entry.start_clock),
        play_clock=_finite(entry.play_clock),
        seed=entry.seed if is_over else None,
        steps=entry.steps,
        is_hidden=entry.is_hidden,
        created=entry.created,
        ended=entry.ended,
        page=f"/matches/{entry.id}",
    )


def _answer(site: Site, entry: MatchEntry) -> MatchAnswer:
    match, is_over = site.hall.matches.get(entry.id), entry.status == "over"
    return MatchAnswer(
        **dict(_row(entry)),
        live=_live(match) if match is not None and not is_over else None,
        record=f"/api/v1/matches/{entry.id}/record" if is_over else None,
        feed=None if is_over else f"/matches/{entry.id}/live",
    )


def _live(match: LiveMatch) -> LiveAnswer:
    is_told = _is_open(match.entry)
    moved = [dict(event.moves) for event in match.heard if isinstance(event, events.Moved)]
    return LiveAnswer(
        phase=match.phase,
        step=match.step,
        is_paused=match.is_paused,
        awaited=list(match.empty_seats),
        to_move=sorted(match.awaited, key=match.roles.index) if is_told else None,
        moves=moved if is_told else None,
        trouble=match.trouble or None if is_told else None,
    )


def _is_open(entry: MatchEntry) -> bool:
    """Whether everybody may know what happens."""
    return not entry.is_hidden or entry.status == "over"


def _finite(seconds: float) -> float | None:
    return None if seconds == math.inf else seconds
