"""/run: the automatic cycle: what is being played, what was, and for an operator a switch and its settings."""

from __future__ import annotations

import asyncio
from hashlib import sha256

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from gamemaster.errors import Forbidden, GamemasterError
from gamemaster.store.competing import CycleEntry, CycleSettings
from gamemaster.store.entries import MatchEntry
from gamemaster.web.competing.looking import Chosen, looked_over
from gamemaster.web.competing.plans import MOST_ENTRANTS
from gamemaster.web.competing.sets import set_of, sets_for, titled
from gamemaster.web.forms import Typed, typed_in
from gamemaster.web.pages.arranging import library_players
from gamemaster.web.pages.planning import CLOCKS
from gamemaster.web.people.signing import account_in, operator_in
from gamemaster.web.rendering import fragment, render
from gamemaster.web.shelf import title_of
from gamemaster.web.site import site_of

__all__ = ["router"]

router = APIRouter()

WAITING = (1.0, 24 * 3600.0)
LOOKING_SECONDS = 60.0
SHOWN = 10


@router.get("/run")
async def page(request: Request) -> Response:
    """How it stands."""
    entry = await asyncio.to_thread(site_of(request).store.cycle.get)
    return await _page(request, _typed(entry.settings))


@router.get("/run/live.json")
async def live(request: Request) -> Response:
    """What changes on the page; 304 where the browser has it."""
    part = fragment("parts/run_now.html", **await _now(request))
    tag = f'"{sha256(part.encode()).hexdigest()[:20]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return JSONResponse({"parts": {"run-now": part}, "is_live": True, "say": ""}, headers=headers)


@router.post("/run/switch")
async def switch(request: Request) -> Response:
    """On or off."""
    operator_in(request)
    typed = await typed_in(request)
    wanted = typed.text("turn")
    if wanted not in ("on", "off"):
        raise Forbidden("the cycle can be switched on and off")
    await site_of(request).cycle.switch(is_on=wanted == "on")
    return RedirectResponse("/run", 303)


@router.post("/run/settings")
async def change(request: Request) -> Response:
    """Other settings, from the next match on."""
    operator_in(request)
    typed = await typed_in(request)
    settings = await _settings(request, typed)
    if typed.mistakes or settings is None:
        return await _page(request, typed, 422)
    await site_of(request).cycle.set(settings)
    return RedirectResponse("/run?done=settings", 303)


async def _settings(request: Request, typed: Typed) -> CycleSettings | None:
    site = site_of(request)
    names = [name.removeprefix("player-") for name in typed.values if name.startswith("player-")]
    names += [line.strip() for line in typed.text("players").splitlines()]
    names = list(dict.fromkeys(filter(None, names)))
    if not 2 <= len(names) <= MOST_ENTRANTS:
        typed.mistakes["players"] = f"choose from 2 to {MOST_ENTRANTS} players"
    clocks = {name: typed.within(name, bounds[0], *bounds) for name, bounds in CLOCKS.items()}
    waiting = typed.within("waiting", WAITING[0], *WAITING)
    try:
        games = (await asyncio.to_thread(set_of, site.store, typed.text("set"), None)).id
    except GamemasterError as error:
        typed.mistakes["set"] = str(error)
        return None
    try:
        specs = [await site.players.line_spec(name, None) for name in names[:MOST_ENTRANTS]]
        named = [Chosen(spec.name, spec.kind, spec.player) for spec in specs if spec.kind == "library"]
        looked = await site.workers.slow(looked_over, [], named, {}, seconds=LOOKING_SECONDS)
    except GamemasterError as error:
        typed.mistakes.setdefault("players", str(error))
        return None
    if looked.player_mistakes:
        typed.mistakes["players"] = "; ".join(looked.player_mistakes)
    if typed.mistakes:
        return None
    players = tuple(spec.name for spec in specs)
    return CycleSettings(games, players, clocks["start-clock"], clocks["play-clock"], waiting)


def _typed(settings: CycleSettings) -> Typed:
    """The settings as their form has them."""
    library = {name for _, members in library_players() for name, _ in members}
    ticked = {f"player-{name}": "on" for name in settings.players if name in library}
    return Typed(
        {
            "set": settings.games,
            "players": "\n".join(name for name in settings.players if name not in library),
            "start-clock": f"{settings.start_clock:g}",
            "play-clock": f"{settings.play_clock:g}",
            "waiting": f"{settings.waiting:g}",
            **ticked,
        }
    )


async def _page(request: Request, typed: Typed, status: int = 200) -> Response:
    account = account_in(request)
    return render(
        request,
        "run.html",
        status,
        typed=typed,
        players=library_players(),
        is_operator=account is not None and account.is_operator,
        done=request.query_params.get("done", ""),
        **await _now(request),
    )


async def _now(request: Request) -> dict[str, object]:
    """What the part of the page takes that changes."""
    site = site_of(request)

    def read() -> tuple[CycleEntry, list[MatchEntry], list[tuple[str, str]]]:
        entry = site.store.cycle.get()
        found = [site.store.find(id) for id in entry.recent[: SHOWN + 1]]
        sets = sets_for(site.store, None)
        return entry, [each for each in found if each is not None], [(each.id, each.title) for each in sets]

    entry, recent, sets = await asyncio.to_thread(read)
    match = site.cycle.match
    return {
        "cycle": entry,
        "match": match,
        "recent": [each for each in recent if match is None or each.id != match.id][:SHOWN],
        "sets": sets,
        "set_title": dict(sets).get(entry.settings.games, titled([], entry.settings.games)),
        "why": site.cycle.why,
        "seconds": site.cycle.seconds_left,
        "is_under_way": site.cycle.is_under_way,
        "title_of": title_of,
    }
