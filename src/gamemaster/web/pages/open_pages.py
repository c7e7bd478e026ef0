"""Standalone, Human and Manager on files that somebody drops: /standaloneopen, /humanopen, /manageropen.

The files become a draft, which is forgotten, and the browser goes to the ordinary page of it. Where they are no game
that can be played, the page says what is wrong where, and waits for the next file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from gamemaster.errors import Busy, GamemasterError, ParameterError
from gamemaster.language.rules import Notation
from gamemaster.web.brought import BroughtSheet
from gamemaster.web.dropped import (
    LARGEST_FILES,
    MOST_FILES,
    DroppedFile,
    errors_in,
    faults_of,
    file_finding,
    read_dropped,
)
from gamemaster.web.forms import files_in
from gamemaster.web.jobs import Plain
from gamemaster.web.rendering import fragment, render
from gamemaster.web.site import site_of
from gamemaster.web.statuses import status_of

__all__ = ["router"]

router = APIRouter()

READ_SECONDS = 60.0
CHECK_SECONDS = 60.0
UNTITLED = "Untitled"


@dataclass(frozen=True, slots=True)
class OpenWay:
    """What can be done with files that are dropped."""

    name: str
    title: str
    words: str
    leads: str
    """Where to, with a name in it."""


WAYS = {
    "standaloneopen": OpenWay(
        "standaloneopen",
        "Standalone",
        "All roles on one board: try moves, go back, ask the machine.",
        "/standalone/{name}",
    ),
    "humanopen": OpenWay(
        "humanopen", "Human", "Play a role yourself, against machines or people.", "/play?game={name}"
    ),
    "manageropen": OpenWay(
        "manageropen", "Manager", "Have players play it, and watch.", "/manager?game={name}"
    ),
}
OTHERS = {**{way.name: way.title for way in WAYS.values()}, "playeropen": "Player"}


@router.get("/standaloneopen")
@router.get("/humanopen")
@router.get("/manageropen")
async def page(request: Request) -> Response:
    """Where files are dropped."""
    return _page(request, [])


@router.post("/standaloneopen")
@router.post("/humanopen")
@router.post("/manageropen")
async def opened(request: Request) -> Response:
    """The game of the files: the browser goes to its page; or what is wrong with them."""
    is_json = "application/json" in request.headers.get("accept", "")
    _, files = await files_in(request, "files", MOST_FILES)
    try:
        name, findings = await _drafted(request, files)
    except GamemasterError as error:
        words = [file_finding("", "error", str(error))]
        return _told(request, words, status_of(error), is_json=is_json)
    onward = _way(request).leads.format(name=name) if name else ""
    if findings or not onward:
        return _told(request, findings, 422, onward=onward, is_json=is_json)
    return JSONResponse({"address": onward}) if is_json else RedirectResponse(onward, 303)


async def _drafted(request: Request, files: list[DroppedFile]) -> tuple[str, list[Plain]]:
    """The name of the draft, with what is wrong with it all the same; or nothing, and why."""
    if not files:
        raise ParameterError("no file came; drop one, or choose one")
    workers = site_of(request).workers
    found = await workers.slow(read_dropped, files, seconds=READ_SECONDS)
    findings, names = cast("list[Plain]", found["findings"]), cast("dict[str, str]", found["names"])
    if found["sheet"] is None:
        return "", findings
    said = cast("dict[str, str]", found["sheet"])
    sheet = BroughtSheet(
        said["title"].strip() or UNTITLED,
        said["rules"],
        cast("Notation", said["notation"]),
        said["style"],
        said["description"],
    )
    try:
        name = await site_of(request).brought.draft(sheet)
        wrong = await workers.slow(errors_in, sheet.rules, sheet.notation, seconds=CHECK_SECONDS)
        return name, _named(wrong, names)
    except Busy:
        raise
    except GamemasterError as error:
        check = workers.slow(
            faults_of, sheet.rules, sheet.notation, sheet.style, str(error), seconds=CHECK_SECONDS
        )
        return "", [*_named(await check, names), *findings]


def _named(findings: list[Plain], names: dict[str, str]) -> list[Plain]:
    """What is said of files, by the names that somebody knows them by."""
    return [{**each, "file": names.get(str(each["file"]), each["file"])} for each in findings]


def _way(request: Request) -> OpenWay:
    return WAYS[request.url.path.strip("/")]


def _told(
    request: Request, findings: list[Plain], status: int, *, onward: str = "", is_json: bool
) -> Response:
    if is_json:
        html = fragment("parts/open_findings.html", findings=findings, onward=onward)
        return JSONResponse({"html": html}, status)
    return _page(request, findings, status, onward)


def _page(request: Request, findings: list[Plain], status: int = 200, onward: str = "") -> Response:
    return render(
        request,
        "open.html",
        status,
        way=_way(request),
        others=OTHERS,
        findings=findings,
        onward=onward,
        most=f"{LARGEST_FILES // 1000} kB",
    )
