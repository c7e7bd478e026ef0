"""/editor: a game is written here, checked as it is typed, and played as it stands.

    GET  /editor            a small game to begin with; ?new=kif in another notation
    GET  /editor?game=hex   a game of the library, or @KEY, one that somebody brought; ?own=ID: one of one's own
    POST /editor            the form: `do` is check, play, style, save or export; `choice` makes a move

With scripts the page asks `editing.py` all the time, and sends the form in the background (accept: application/json).
Without them the form has a button to check. Either way whatever was typed comes back.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import cast
from urllib.parse import quote

from fastapi import APIRouter
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from gamemaster.errors import (
    Forbidden,
    GamemasterError,
    LimitExceeded,
    Overtaken,
    ParameterError,
    RulesError,
)
from gamemaster.language.rules import Notation
from gamemaster.store.visibility import visibility_of
from gamemaster.web.brought import BroughtSheet
from gamemaster.web.guard import check_token
from gamemaster.web.jobs import Plain
from gamemaster.web.pages.editing import (
    CHECK_SECONDS,
    PLAY_SECONDS,
    TOO_MUCH,
    state_values,
    stated,
)
from gamemaster.web.pages.mine import VISIBILITY_WORDS
from gamemaster.web.path import Line, path_query, path_read
from gamemaster.web.people.signing import account_in, signed_in
from gamemaster.web.rendering import fragment, render
from gamemaster.web.shelf import NOTATION_NAMES, shelf
from gamemaster.web.site import site_of
from gamemaster.web.statuses import status_of
from gamemaster.web.writing import reading
from gamemaster.web.writing.beginning import FIRST_NOTATION, Beginning, from_game, from_skeleton
from gamemaster.web.writing.packing import packed
from gamemaster.web.writing.units import whole

__all__ = ["router"]

router = APIRouter()

MOST_FIELDS = 60
PACKING_SECONDS = 30.0
BRIEF_SECONDS = 0.2
"""Of random play, where somebody only goes on by a move."""

POSTED = "posted"
"""Where a page comes from that shows what a form sent."""


@router.get("/editor")
async def page(request: Request, game: str = "", own: str = "", new: str = "") -> Response:
    """The page, with what it is to begin with."""
    site, kept = site_of(request), None
    if own:
        account = account_in(request)
        if account is None:
            return RedirectResponse(f"/signin?next={quote(f'/editor?own={own[:40]}', safe='/')}", 303)
        kept = await asyncio.to_thread(site.store.own_games.get, account.id, own)
        game = kept.name
    if game:
        await site.brought.check(request, game)
        begin = await asyncio.to_thread(from_game, game)
    else:
        begin = from_skeleton(_notation(new) if new else FIRST_NOTATION)
    source = f"own:{own}" if own else f"game:{game}" if game else f"new:{new}" if new else ""
    return await _page(request, begin, source=source, own=own)


@router.post("/editor")
async def sent(request: Request) -> Response:
    """What the form asks for."""
    form = await request.form(max_files=0, max_fields=MOST_FIELDS)
    values = {name: whole(value) for name, value in form.items() if isinstance(value, str)}
    begin = Beginning(
        title=values.get("title", "").strip(),
        rules=_lines(values.get("rules", "")),
        notation=_notation(values.get("notation", FIRST_NOTATION)),
        style=_lines(values.get("style", "")),
        description=_lines(values.get("description", "")),
    )
    line = _line(form)
    try:
        check_token(site_of(request).secret, request, values.get("token"))
        return await _done(request, begin, values, line)
    except GamemasterError as error:
        status, words = status_of(error), _words(error)
        is_overtaken = isinstance(error, Overtaken)
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"error": words, "isOvertaken": is_overtaken}, status)
        return await _page(
            request,
            begin,
            source=POSTED,
            own=values.get("own", ""),
            base=values.get("base", ""),
            trouble=words,
            is_overtaken=is_overtaken,
            status=status,
        )


async def _done(request: Request, begin: Beginning, values: dict[str, str], line: Line) -> Response:
    """What comes of a form that is ours."""
    match values.get("do", "check"):
        case "check" | "back" | "reset":
            return await _checked(request, begin, values, line)
        case "play":
            name = await site_of(request).brought.draft(_sheet(begin))
            return _go(request, f"/standalone/{name}{path_query(line)}")
        case "style":
            name = await site_of(request).brought.draft(_sheet(begin))
            return _go(request, f"/style?game={name}")
        case "save":
            return await _saved(request, begin, values)
        case "export":
            workers = site_of(request).workers
            folder, content = await workers.writing(packed, *_texts(begin), seconds=PACKING_SECONDS)
            headers = {"content-disposition": f'attachment; filename="{folder}.zip"'}
            return Response(content, media_type="application/zip", headers=headers)
    raise ParameterError(
        f"this form checks, plays, styles, saves or exports, and does not {values['do'][:40]!r}"
    )


async def _saved(request: Request, begin: Beginning, values: dict[str, str]) -> Response:
    """Kept under somebody's name: a new game, or the newest version of one."""
    try:
        account = signed_in(request)
    except Forbidden:
        if "application/json" in request.headers.get("accept", ""):
            raise
        raise Forbidden("sign in first, in another tab: what is saved is kept under your name") from None
    own, visibility = values.get("own", "") or None, visibility_of(values.get("visibility", "private"))
    was = None if values.get("over") else values.get("base", "")
    site = site_of(request)
    kept = await site.brought.save(account, _sheet(begin), visibility, own, was)
    if kept.visibility != visibility:  # it was there, and is to be seen by others now
        await site.hall.unlist(await asyncio.to_thread(site.brought.show_to, account.id, kept.id, visibility))
        kept = await asyncio.to_thread(site.store.own_games.get, account.id, kept.id)
    if "application/json" in request.headers.get("accept", ""):
        say = f"Saved as {kept.title}, for {VISIBILITY_WORDS[kept.visibility]}."
        return JSONResponse({"own": kept.id, "base": kept.name, "go": f"/games/{kept.name}", "say": say})
    return RedirectResponse("/mine?done=saved", 303)


async def _checked(request: Request, begin: Beginning, values: dict[str, str], line: Line) -> Response:
    """The page with findings and state, for those without scripts."""
    workers = site_of(request).workers
    try:
        job, texts = reading.played, (begin.rules, begin.notation)
        seconds = (
            BRIEF_SECONDS if "choice" in values or values.get("do") in ("back", "reset") else PLAY_SECONDS
        )
        found = await workers.writing(job, *texts, seconds, seconds=CHECK_SECONDS)
    except LimitExceeded as error:
        found = reading.lone_finding("limit", f"checking these rules takes too much: {error}", TOO_MUCH)
    state = await stated(request, begin.rules, begin.notation, begin.style, line)
    findings = cast("list[Plain]", found["findings"])
    return await _page(
        request,
        begin,
        source=POSTED,
        own=values.get("own", ""),
        base=values.get("base", ""),
        findings=findings,
        state=None if isinstance(state, str) else state_values(state),
        trouble=state if isinstance(state, str) else "",
    )


# What a form says


def _notation(text: str) -> Notation:
    for each in NOTATION_NAMES:
        if text == each:
            return each
    raise ParameterError(f"rules are written as {', '.join(NOTATION_NAMES)}, not {text[:40]!r}")


def _lines(text: str) -> str:
    """A text as it was typed: forms send both signs for an end of a line."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _line(form: FormData) -> Line:
    """The line of moves, with those that were chosen just now."""
    choices = [each for each in form.getlist("choice") if isinstance(each, str) and each]
    moves = str(form.get("moves") or "")
    if form.get("do") in ("back", "reset"):
        return path_read(moves)[:-1] if form.get("do") == "back" else ()
    return (*path_read(moves), *(path_read("|".join(choices)) if choices else ()))


def _sheet(begin: Beginning) -> BroughtSheet:
    return BroughtSheet(begin.title, begin.rules, begin.notation, begin.style, begin.description)


def _texts(begin: Beginning) -> tuple[object, ...]:
    return tuple(asdict(begin).values())


def _words(error: GamemasterError) -> str:
    if isinstance(error, RulesError) and error.place:
        return f"line {error.place.line}: {error.what}"
    return str(error)


def _go(request: Request, address: str) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"go": address})
    return RedirectResponse(address, 303)


async def _page(
    request: Request,
    begin: Beginning,
    *,
    source: str,
    own: str = "",
    base: str = "",
    findings: list[Plain] | None = None,
    state: Plain | None = None,
    trouble: str = "",
    is_overtaken: bool = False,
    status: int = 200,
) -> Response:
    """The page; `base` is the version of an own game that the text comes from, the newest unless it is said."""
    account = account_in(request)
    games = site_of(request).store.own_games
    mine = await asyncio.to_thread(games.of, account.id) if account else []
    kept = next((each for each in mine if each.id == own), None)
    own, base = (kept.id, base or kept.name) if kept else ("", "")
    data = {
        "from": source,
        "own": own,
        "base": base,
        "given": asdict(begin),
        "line": state["line"] if state else [],
    }
    return render(
        request,
        "editor.html",
        status,
        begin=begin,
        mine=mine,
        own=own,
        base=base,
        is_overtaken=is_overtaken,
        visibility=kept.visibility if kept else "private",
        visibilities=VISIBILITY_WORDS,
        findings=findings,
        state=state,
        state_html=fragment("parts/editor_state.html", **state) if state else "",
        trouble=trouble,
        notations=NOTATION_NAMES,
        cards=shelf(),
        begun=data,
    )
