"""/matches: all matches; and one that is over, step by step, with its record, its transcript and a verdict on it.

Only of matches that are over anything of a record is told: before, it may have in it what a role must not know. The
page of a match is called from the page of live ones, which have the same address.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, cast
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from gamemaster.errors import Forbidden, LimitExceeded, RecordError, UnknownMatch
from gamemaster.match.records.verifying import ENDINGS
from gamemaster.store.entries import MatchEntry, MatchFilter, MatchPage, Seat
from gamemaster.web.jobs import Plain
from gamemaster.web.keeping import Kept
from gamemaster.web.live.views import clock_in_words
from gamemaster.web.rendering import fragment, render
from gamemaster.web.replays import (
    MatchOverview,
    RecordFile,
    ReplayRow,
    StepView,
    overview,
    printable,
    record_file,
    said_lines,
    standalone_query,
    step_view,
    verdict,
)
from gamemaster.web.shelf import title_of, title_of_match
from gamemaster.web.site import site_of

__all__ = ["match_line", "replay_page", "router"]

router = APIRouter()

ON_A_PAGE = 50
MOST_NAMES = 500
"""Names that a list to choose from has at most."""

MOST_ROWS = 300
"""So many moves are listed at most around the step that is looked at."""

LINES_SHOWN = 80
"""Of the transcript, in the page; the rest is behind a link."""

VERDICT_SECONDS = 120.0
MOST_KEPT_MATCHES, MOST_KEPT_STEPS = 100, 800
A_WHILE = "private, max-age=600"

STATUS_WORDS = {
    "over": "over",
    "running": "being played",
    "interrupted": "interrupted",
    "arranged": "not begun",
}
HOW_WORDS = {
    "completed": "played to the end",
    "ended": "ended early",
    "aborted": "given up",
    "resigned": "resignation",
    "stuck": "stuck: the rules are wrong",
    "not begun": "never begun",
}

NOT_OVER = "this match is not over: its moves and its record can be looked at when it is"


# All matches


@dataclass(frozen=True)
class MatchLine:
    """A match in the table."""

    entry: MatchEntry
    address: str
    title: str
    seats: tuple[Seat, ...]
    best: int | None
    ending: str


@router.get("/matches")
async def table(
    request: Request,
    game: str = "",
    player: str = "",
    status: str = "",
    page: Annotated[int, Query(ge=1)] = 1,
) -> Response:
    """The table of matches."""
    site = site_of(request)
    store, has_unlisted = site.store, False
    if game.startswith("@"):
        await site.brought.check(request, game)  # of a public one everybody is told what all may know
        has_unlisted = not await asyncio.to_thread(site.brought.is_listed, game)
    wanted = MatchFilter(game, player.strip(), status, has_unlisted=has_unlisted)
    found = await asyncio.to_thread(store.page, wanted, page, ON_A_PAGE)
    games, players, counts = await asyncio.to_thread(lambda: (store.games(), store.players(), store.counts()))
    return render(
        request,
        "matches.html",
        rows=[match_line(_up_to_date(request, entry)) for entry in found.entries],
        found=found,
        wanted=wanted,
        is_filtered=bool(game or player.strip() or status),
        games=[(each, printable(title_of(each))) for each in map(printable, games[:MOST_NAMES])],
        players=[printable(each) for each in players[:MOST_NAMES]],
        statuses=[(each, words, counts.get(each, 0)) for each, words in STATUS_WORDS.items()],
        total=sum(counts.values()),
        links=_links(found, wanted),
    )


def _up_to_date(request: Request, entry: MatchEntry) -> MatchEntry:
    """A match with as many steps as were made, also where it is being played."""
    match = site_of(request).hall.matches.get(entry.id)
    return entry if match is None else replace(entry, steps=match.step)


def match_line(entry: MatchEntry) -> MatchLine:
    """A match as the table has it."""
    seats = tuple(_shown(seat) for seat in entry.seats)
    goals = [seat.goal for seat in seats if seat.goal is not None and entry.status == "over"]
    is_told = len(goals) > 1 and len(set(goals)) > 1
    ending = HOW_WORDS.get(entry.how, printable(entry.how, 60)) if entry.status == "over" else ""
    return MatchLine(
        entry,
        _address(entry),
        printable(title_of_match(entry)),
        seats,
        max(goals) if is_told else None,
        ending,
    )


def _shown(seat: Seat) -> Seat:
    """A seat as a page can have it."""
    player = "a person" if seat.kind == "person" else printable(seat.player, 80)
    return Seat(printable(seat.role, 60), player, seat.kind, "", seat.goal, seat.errors)


def _address(entry: MatchEntry) -> str:
    return f"/matches/{quote(entry.id, safe='', errors='replace')}"


def _links(found: MatchPage, wanted: MatchFilter) -> list[tuple[str, str, bool]]:
    """The links to other pages: what each says, where it leads, and whether it is this one; "" is a gap."""
    asked = {"game": wanted.game, "player": wanted.player, "status": wanted.status}
    kept = {name: value for name, value in asked.items() if value}
    near = {1, found.pages, *range(found.number - 2, found.number + 3)}
    numbers = sorted(number for number in near if 1 <= number <= found.pages)
    links: list[tuple[str, str, bool]] = []
    for before, number in zip([0, *numbers], numbers, strict=False):
        if number - before > 1:
            links.append(("", "", False))
        query = urlencode({**kept, **({"page": number} if number > 1 else {})}, errors="replace")
        links.append((str(number), f"/matches?{query}" if query else "/matches", number == found.number))
    return links


# A match that is over


@dataclass
class ReplayDesk:
    """What was found out about records since the server began."""

    overviews: Kept[MatchOverview] = field(default_factory=lambda: Kept(MOST_KEPT_MATCHES))
    steps: Kept[StepView] = field(default_factory=lambda: Kept(MOST_KEPT_STEPS))
    verdicts: Kept[Plain] = field(default_factory=lambda: Kept(10 * MOST_KEPT_MATCHES))
    said: Kept[tuple[list[str], int]] = field(default_factory=lambda: Kept(MOST_KEPT_MATCHES))


def _desk(request: Request) -> ReplayDesk:
    state = request.app.state
    if not hasattr(state, "replays"):
        state.replays = ReplayDesk()
    return cast("ReplayDesk", state.replays)


async def replay_page(request: Request, entry: MatchEntry) -> Response:
    """The page of a match that is over: with `?step=K` the one of a step, with `?verdict=now` after it was checked."""
    _check_over(entry)
    desk, workers = _desk(request), site_of(request).workers
    try:
        file = await _file(request, entry)
        match = await desk.overviews.get(file, partial(workers.quick, overview, file))
        step = _asked_step(request, match.last)
        view = await _view(request, file, step)
        said, count = await desk.said.get(file, partial(workers.quick, said_lines, file, LINES_SHOWN))
    except RecordError as error:
        return _without_record(request, entry, str(error))
    is_wanted = request.query_params.get("verdict") == "now"
    found = await _verdict(request, file) if is_wanted else desk.verdicts.known(file)
    return render(
        request,
        "match.html",
        entry=entry,
        title=printable(title_of_match(entry)),
        address=_address(entry),
        match=match,
        step=step,
        view=view,
        verdict=found,
        said=said,
        count=count,
        seats=_seats(entry, match),
        result=_result(match),
        ending=ENDINGS.get(match.how, match.how),
        clocks=_clocks(entry),
        **_window(match, step),
    )


def _seats(entry: MatchEntry, match: MatchOverview) -> list[Seat]:
    """Who played, as the record says it; who of them was a person is only known to the store."""
    people = {seat.role for seat in entry.seats if seat.kind == "person"}
    return [
        Seat(
            role,
            "a person" if role in people else match.players[role],
            "person" if role in people else "library",
            goal=match.goals.get(role),
            errors=match.errors.get(role, 0),
        )
        for role in match.roles
        if role in match.players
    ]


def _without_record(request: Request, entry: MatchEntry, words: str) -> Response:
    """The page of a match of which there is nothing to replay."""
    is_never_begun = not entry.steps and entry.how in ("aborted", "not begun")
    told = "It was given up before it began: there is nothing to replay." if is_never_begun else ""
    return render(
        request,
        "parts/match_lost.html",
        200 if is_never_begun else 404,
        entry=entry,
        title=printable(title_of_match(entry)),
        seats=[_shown(seat) for seat in entry.seats],
        words=told or f"This match cannot be shown: {words}.",
        ending=ENDINGS.get(entry.how, printable(entry.how)),
    )


def _check_over(entry: MatchEntry) -> None:
    if entry.status != "over":
        raise Forbidden(NOT_OVER)


async def _over(request: Request, name: str) -> MatchEntry:
    """The match of an id, which has to be over."""
    entry = await site_of(request).hall.entry(name)
    _check_over(entry)
    return entry


async def _file(request: Request, entry: MatchEntry) -> RecordFile:
    return await asyncio.to_thread(record_file, site_of(request).settings.records, entry.record)


async def _view(request: Request, file: RecordFile, step: int) -> StepView:
    workers = site_of(request).workers
    return await _desk(request).steps.get((file, step), partial(workers.quick, step_view, file, step))


async def _verdict(request: Request, file: RecordFile) -> Plain:
    """Whether a record is true; `is_true` is None where that takes too long."""
    workers = site_of(request).workers
    check = partial(workers.slow, verdict, file, seconds=VERDICT_SECONDS)
    try:
        return await _desk(request).verdicts.get(file, check)
    except LimitExceeded as error:
        return {"is_true": None, "steps": 0, "problems": [{"line": 0, "what": str(error)}]}


def _asked_step(request: Request, last: int) -> int:
    """The step that is asked for, as near as there is one; the last where none is."""
    asked = request.query_params.get("step", "")
    if not re.fullmatch(r"[0-9]{1,9}", asked):
        return last
    return min(int(asked), last)


def _window(match: MatchOverview, step: int) -> dict[str, Any]:
    """The moves that are listed: all of them, or those around a step."""
    rows: Sequence[ReplayRow] = match.rows
    first = 0
    if len(rows) > MOST_ROWS:
        first = min(max(0, step - MOST_ROWS // 2), len(rows) - MOST_ROWS)
        rows = rows[first : first + MOST_ROWS]
    return {"rows": rows, "is_whole": len(rows) == len(match.rows)}


def _result(match: MatchOverview) -> str:
    """How it came out, in a line."""
    if match.ending:
        return match.ending
    return {"ended": "ended early", "aborted": "given up", "stuck": "stuck"}.get(
        match.how, match.how
    ) or "over"


def _clocks(entry: MatchEntry) -> str:
    start, play = map(clock_in_words, (entry.start_clock, entry.play_clock))
    return f"start clock {start}, play clock {play}"


def _say(match: MatchOverview, view: StepView) -> str:
    """A step for somebody who does not see it."""
    moves = "; ".join(f"{each.role}: {each.words}" for each in view.made)
    faults = "; ".join(f"{each.role or 'rules'}: {each.kind}" for each in view.faults if not each.is_idle)
    end = _result(match) if view.step == match.last else ""
    told = [f"Step {view.step} of {match.last}" if view.step else "The start", moves, faults, end]
    return ". ".join(filter(None, told))


@router.get("/matches/{name}/steps/{number}.json")
async def step_json(request: Request, name: str, number: int) -> Response:
    """A step for the page's module: the parts of the page that are others then."""
    entry = await _over(request, name)
    file = await _file(request, entry)
    workers = site_of(request).workers
    match = await _desk(request).overviews.get(file, partial(workers.quick, overview, file))
    if not 0 <= number <= match.last:
        raise UnknownMatch(f"this match has {match.last:,} steps, and no step {printable(str(number), 20)}")
    view = await _view(request, file, number)
    parts = {
        "board": fragment("parts/match_board.html", view=view),
        "match-now": fragment("parts/match_now.html", match=match, view=view, result=_result(match)),
    }
    listed = _window(match, number)
    if not listed["is_whole"]:
        parts["match-moves"] = fragment("parts/match_moves.html", match=match, step=number, **listed)
    told = {"step": number, "last": match.last, "parts": parts, "say": _say(match, view)}
    return JSONResponse(told, headers={"cache-control": A_WHILE})


@router.get("/matches/{name}/verdict.json")
async def verdict_json(request: Request, name: str) -> Response:
    """Whether the record is true; it is worked out when it is first asked for."""
    entry = await _over(request, name)
    found = await _verdict(request, await _file(request, entry))
    parts = {"match-verdict": fragment("parts/match_verdict.html", verdict=found, address=_address(entry))}
    return JSONResponse({**found, "parts": parts})


@router.get("/matches/{name}/record")
async def record(request: Request, name: str) -> Response:
    """The record as it is."""
    entry = await _over(request, name)
    file = await _file(request, entry)
    words = re.sub(r"[^A-Za-z0-9_.]+", "-", f"{entry.game[:60]}-{entry.id[:60]}").strip("-.")
    return FileResponse(file.path, media_type="application/x-ndjson", filename=f"{words or 'match'}.jsonl")


@router.get("/matches/{name}/transcript")
async def transcript(request: Request, name: str) -> Response:
    """What was said, all of it, as text."""
    entry = await _over(request, name)
    file = await _file(request, entry)
    lines, _ = await site_of(request).workers.quick(said_lines, file, None)
    return PlainTextResponse("".join(f"{line}\n" for line in lines))


@router.get("/matches/{name}/standalone")
async def from_here(request: Request, name: str, step: Annotated[int, Query(ge=0, le=10**9)] = 0) -> Response:
    """On to Standalone, with the moves up to a step."""
    entry = await _over(request, name)
    file = await _file(request, entry)
    query = await site_of(request).workers.quick(standalone_query, file, step)
    return RedirectResponse(f"/standalone/{quote(entry.game, safe=':=,')}{query}", 303)
