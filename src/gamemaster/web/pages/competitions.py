"""/competitions: all of them; a new one, planned before it begins; one, with a table that fills as it is played."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, cast

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from gamemaster.arena.competition import PAIRINGS
from gamemaster.errors import Forbidden, GamemasterError, UnknownCompetition
from gamemaster.match.drawing import drawn_seed
from gamemaster.store.competing import CompetitionEntry
from gamemaster.web.competing.listing import match_id
from gamemaster.web.competing.plans import MOST_ENTRANTS, MOST_GAMES, MOST_MATCHES, CompetitionPlan
from gamemaster.web.competing.sets import sets_for
from gamemaster.web.competing.telling import (
    DOWNLOADS,
    CompetitionTold,
    Download,
    download,
    size_of,
    told,
)
from gamemaster.web.forms import Typed, typed_in
from gamemaster.web.pages.arranging import game_choices, library_players, own_choices
from gamemaster.web.pages.planning import Planned, duration, planned
from gamemaster.web.people.signing import account_in, signed_in
from gamemaster.web.rendering import fragment, render
from gamemaster.web.shelf import title_of
from gamemaster.web.site import site_of

__all__ = ["router"]

router = APIRouter()

PAIRING_WORDS = {
    "round robin": "everybody meets everybody",
    "gauntlet": "the first meets all others",
    "swiss": "those with like scores meet, round by round",
    "knock-out": "who loses is out",
}
STATUS_WORDS = {
    "waiting": "waiting for its turn",
    "running": "being played",
    "paused": "paused",
    "over": "over",
    "ended": "ended early",
}
USUAL = {
    "pairing": "round robin",
    "matches": "1",
    "rounds": "5",
    "start-clock": "5",
    "play-clock": "1",
    "opening": "0",
}
ON_A_PAGE = 100
"""Matches that are listed at once."""

TELLING_SECONDS = 60.0
PARTS = ("status", "table", "cross", "games", "fixtures")
"""What is replaced on the page while matches are played."""


@router.get("/competitions")
async def table(request: Request) -> Response:
    """All competitions that somebody may see."""
    site, account = site_of(request), account_in(request)
    found = await asyncio.to_thread(
        lambda: site.store.competitions.seen_by(
            account.id if account else None, has_all=account is not None and account.is_operator
        )
    )
    held = site.competitions.held
    return render(
        request,
        "competitions.html",
        entries=list(_readable(found)),
        held=held,
        words=STATUS_WORDS,
        cycle=await asyncio.to_thread(site.store.cycle.get),
    )


def _readable(entries: Iterable[CompetitionEntry]) -> Iterator[tuple[CompetitionEntry, CompetitionPlan]]:
    """Competitions with their plans; one that cannot be read takes none of the others along."""
    for entry in entries:
        with suppress(GamemasterError):
            yield entry, CompetitionPlan.from_dict(entry.plan)


# A new one


@router.get("/competitions/new")
async def form(request: Request) -> Response:
    """The form for a plan; for guests, the way to sign in."""
    if account_in(request) is None:
        return RedirectResponse("/signin?next=/competitions/new", 303)
    asked = request.query_params
    drawn = {"seed": str(drawn_seed())}
    values = {**USUAL, **drawn, **{name: asked[name] for name in ("set", "name") if name in asked}}
    return await _form(request, Typed(values))


@router.post("/competitions/new")
async def begin(request: Request) -> Response:
    """The plan of what is typed; where it was shown before, and is wanted, the competition begins."""
    account, typed = signed_in(request), await typed_in(request)
    found = await planned(request, typed, account)
    if found is None:
        return await _form(request, typed, status=422)
    if typed.text("do") != "begin" or typed.text("shown") != found.digest:
        return await _form(request, typed, found)
    try:
        id = await site_of(request).competitions.begin(account.id, found.plan, is_public=found.is_public)
    except GamemasterError as error:
        typed.mistakes["form"] = str(error)
        return await _form(request, typed, found, 429)
    return RedirectResponse(f"/competitions/{id}", 303)


async def _form(request: Request, typed: Typed, found: Planned | None = None, status: int = 200) -> Response:
    site, account = site_of(request), account_in(request)
    own = await site.players.of(account)
    public = [name for name in await site.players.available() if "." not in name]
    names = list(dict.fromkeys([*(each.name for each in own), *public]))
    return render(
        request,
        "competition_new.html",
        status,
        typed=typed,
        found=found,
        sets=await asyncio.to_thread(sets_for, site.store, account),
        games=game_choices(),
        own=await own_choices(request),
        players=library_players(),
        registered=names,
        pairings=[(each, PAIRING_WORDS[each]) for each in PAIRINGS],
        bounds={"games": MOST_GAMES, "players": MOST_ENTRANTS, "matches": MOST_MATCHES},
        duration=duration,
        title_of=title_of,
    )


# One


@dataclass(frozen=True)
class CompetitionView:
    """A competition as a page shows it."""

    entry: CompetitionEntry
    plan: CompetitionPlan
    told: CompetitionTold
    page: int
    before: int
    under_way: frozenset[int]
    has_rights: bool

    @property
    def is_finishing(self) -> bool:
        """Whether it was left while matches of it are being played."""
        return bool(self.under_way) and self.entry.status not in ("running", "waiting")

    @property
    def pages(self) -> int:
        """How many pages its matches take."""
        return max(1, -(-len(self.told.fixtures) // ON_A_PAGE))

    @property
    def is_live(self) -> bool:
        """Whether something may change without anybody's doing."""
        return self.entry.status in ("waiting", "running") or bool(self.under_way)

    def values(self) -> dict[str, Any]:
        """What the templates of its parts take."""
        first = (self.page - 1) * ON_A_PAGE
        return {
            "view": self,
            "entry": self.entry,
            "plan": self.plan,
            "told": self.told,
            "fixtures": self.told.fixtures[first : first + ON_A_PAGE],
            "title_of": title_of,
            "match_id": match_id,
            "words": STATUS_WORDS,
        }

    @property
    def tag(self) -> str:
        """Another as soon as any part of the page is."""
        said = (
            self.entry.status,
            self.entry.trouble,
            self.told.played,
            self.before,
            sorted(self.under_way),
            self.page,
            self.has_rights,
        )
        return sha256(repr(said).encode()).hexdigest()[:20]


async def _found(request: Request, id: str) -> CompetitionEntry:
    """The competition of an id, for whoever may see it; UnknownCompetition for all others."""
    site, account = site_of(request), account_in(request)
    entry = await asyncio.to_thread(site.store.competitions.get, id)
    is_own = account is not None and (account.id == entry.account_id or account.is_operator)
    if not entry.is_public and not is_own:
        raise UnknownCompetition(f"there is no competition {id[:40]!r}")
    return entry


async def _view(request: Request, id: str, page: int) -> CompetitionView:
    site, account = site_of(request), account_in(request)
    entry = await _found(request, id)
    plan, folder = CompetitionPlan.from_dict(entry.plan), site.competitions.folder_of(id)
    size = await asyncio.to_thread(size_of, folder)

    async def worked_out() -> CompetitionTold:
        return await site.workers.slow(told, str(folder), plan, seconds=TELLING_SECONDS)

    found = await site.told.get((id, size), worked_out)
    held = site.competitions.held
    is_held = held is not None and held.entry.id == id
    view = CompetitionView(
        entry,
        plan,
        found,
        page,
        await site.competitions.before(id) if entry.status == "waiting" else 0,
        frozenset(held.workers.under_way) if held is not None and is_held else frozenset(),
        account is not None and (account.id == entry.account_id or account.is_operator),
    )
    return view if page <= view.pages else await _view(request, id, view.pages)


@router.get("/competitions/{id}")
async def show(request: Request, id: str, page: Annotated[int, Query(ge=1, le=10**6)] = 1) -> Response:
    """The page of a competition: its table, its matches, what can be had of it."""
    view = await _view(request, id, page)
    return render(
        request,
        "competition.html",
        **view.values(),
        downloads=list(DOWNLOADS),
        pairing=PAIRING_WORDS[view.plan.competition.pairing],
    )


@router.get("/competitions/{id}/live.json")
async def live(request: Request, id: str, page: Annotated[int, Query(ge=1, le=10**6)] = 1) -> Response:
    """The parts of the page as they are now; 304 where they are those that the browser has."""
    view = await _view(request, id, page)
    headers = {"etag": f'"{view.tag}"', "cache-control": "private, no-cache"}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    values = view.values()
    parts = {f"competition-{name}": fragment(f"parts/competition_{name}.html", **values) for name in PARTS}
    say = f"{view.told.played} of {len(view.told.fixtures)} matches played"
    return JSONResponse({"parts": parts, "is_live": view.is_live, "say": say}, headers=headers)


@router.get("/competitions/{id}/{what}")
async def get_file(request: Request, id: str, what: str) -> Response:
    """A file of a competition, as it stands."""
    entry = await _found(request, id)
    if what not in DOWNLOADS:
        raise UnknownCompetition(f"a competition has {', '.join(DOWNLOADS)}, and no {what[:40]!r}")
    site, wanted = site_of(request), cast("Download", what)
    plan, folder = CompetitionPlan.from_dict(entry.plan), site.competitions.folder_of(id)
    is_over = entry.status in ("over", "ended")
    text = await site.workers.slow(download, str(folder), plan, wanted, is_over, seconds=TELLING_SECONDS)
    headers = {"cache-control": "private, no-cache"}
    if wanted == "report.html":  # it runs nothing, and has styles of its own
        headers["content-security-policy"] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    else:
        headers["content-disposition"] = f'attachment; filename="{id[:16]}-{what}"'
    return Response(text, media_type=DOWNLOADS[wanted], headers=headers)


@router.post("/competitions/{id}/act")
async def act(request: Request, id: str) -> Response:
    """Pause it, let it go on, end it, remove it: for whose it is, and operators."""
    account, typed = signed_in(request), await typed_in(request)
    entry = await _found(request, id)
    if account.id != entry.account_id and not account.is_operator:
        raise Forbidden("this competition is somebody else's")
    organizer = site_of(request).competitions
    acts = {
        "pause": organizer.pause,
        "go-on": organizer.go_on,
        "end": organizer.end,
        "remove": organizer.remove,
    }
    wanted = typed.text("act")
    if wanted not in acts:
        raise Forbidden(f"a competition can be told to {', '.join(acts)}")
    await acts[wanted](entry)
    return RedirectResponse("/competitions" if wanted == "remove" else f"/competitions/{id}", 303)
