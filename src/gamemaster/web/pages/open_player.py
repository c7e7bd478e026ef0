"""/playeropen: a player's file that somebody drops. Where the operator allows it, it runs here behind walls; else not.

Where files are not taken nothing is sent: the browser looks at the text, and the page says how to run it at home. Where
they are, the file lies in a folder of its own as long as its process does, and is gone with it.
"""

from __future__ import annotations

import asyncio
import re
import secrets

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from gamemaster.errors import Forbidden, GamemasterError, ParameterError
from gamemaster.store.players import DROPPED
from gamemaster.web.dropped import faults_of_player, file_finding
from gamemaster.web.forms import files_in, typed_in
from gamemaster.web.guard import is_numeric
from gamemaster.web.jobs import Plain
from gamemaster.web.pages.open_pages import OTHERS
from gamemaster.web.rendering import fragment, render
from gamemaster.web.roster.files import LARGEST_FILE, PlayerFiles
from gamemaster.web.roster.launched import Launched
from gamemaster.web.roster.specs import LineSpec, veiled_file
from gamemaster.web.site import Site, site_of
from gamemaster.web.visitors import key_of_visitor
from gamemaster.web.work import ASKER

__all__ = ["router"]

router = APIRouter()

CHECK_SECONDS = 60.0
"""A moment; a worker that is new may take longer to begin."""

NAME = re.compile(r"[^a-z0-9]+")
LONGEST_NAME = 20
FORGETTING: set[asyncio.Task[None]] = set()
"""Files that go when their players do: a task is kept by whoever has it."""


@router.get("/playeropen")
async def page(request: Request) -> Response:
    """Where a player's file is dropped."""
    return _page(request, [])


@router.post("/playeropen")
async def launch(request: Request) -> Response:
    """Run a file behind walls, where the operator allows it; the browser goes to its page."""
    site, is_json = site_of(request), "application/json" in request.headers.get("accept", "")
    if not site.settings.allows_uploads:
        raise Forbidden(
            "this site takes no files of players: run it on your own machine, as /playeropen says"
        )
    _, files = await files_in(request, "files", 1)
    try:
        if not files:
            raise ParameterError("no file came; drop one, or choose one")
        name, content = files[0]
        findings = await site.workers.slow(
            faults_of_player, name, content, LARGEST_FILE, seconds=CHECK_SECONDS
        )
        launched = None if findings else await _launched(site, name, content, key_of_visitor(request))
    except GamemasterError as error:
        findings, launched = [file_finding("", "error", str(error))], None
    if launched is None:
        if is_json:
            return JSONResponse(
                {"html": fragment("parts/open_findings.html", findings=findings, onward="")}, 422
            )
        return _page(request, findings, 422)
    address = f"/playeropen/{launched.identifier}"
    return JSONResponse({"address": address}) if is_json else RedirectResponse(address, 303)


@router.get("/playeropen/{identifier}")
async def one(request: Request, identifier: str) -> Response:
    """A player that was dropped: its identifier, its status, its transcript; for who dropped it."""
    launched = site_of(request).launches.found(identifier, key_of_visitor(request))
    launched.tell()
    told = launched.feed.told
    first = {"number": told, "mark": launched.feed.marks[told - 1] if told else ""}
    return render(request, "open_launched.html", launched=launched, first=first, others=OTHERS)


@router.post("/playeropen/{identifier}")
async def act(request: Request, identifier: str) -> Response:
    """Connect, Disconnect, Clear, End."""
    typed = await typed_in(request)
    launches = site_of(request).launches
    launched = launches.found(identifier, key_of_visitor(request))
    await launches.act(launched, typed.text("act"))
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"ok": True})
    return RedirectResponse(f"/playeropen/{identifier}", 303)


# Running it


async def _launched(site: Site, file: str, content: bytes, visitor: str) -> Launched:
    """A file's player, about to start behind walls; when it has ended there is nothing left of the file."""
    name = _identifier(file)
    files: PlayerFiles = site.players.files
    key = await asyncio.to_thread(lambda: files.keep(name, content, salt=secrets.token_hex(8)))
    path = str(files.path(key, name))
    spec = LineSpec(name, "launched", path, True, lambda seed: veiled_file(files, key, name, seed))
    try:
        launched = site.launches.launch(spec, name, visitor, ASKER.get())
    except GamemasterError:
        await asyncio.to_thread(files.drop, key)
        raise
    task = asyncio.create_task(_forget(launched, files, key))
    FORGETTING.add(task)
    task.add_done_callback(FORGETTING.discard)
    return launched


def _identifier(file: str) -> str:
    """What a player is called whose file is called so: never as one of the library, or of somebody's own."""
    return f"{DROPPED}{NAME.sub('', file.lower().removesuffix('.py'))[:LONGEST_NAME] or 'player'}"


async def _forget(launched: Launched, files: PlayerFiles, key: str) -> None:
    try:
        await launched.wait()
    finally:
        files.drop(key)


def _page(request: Request, findings: list[Plain], status: int = 200) -> Response:
    site = site_of(request)
    host = request.client.host if request.client else ""
    return render(
        request,
        "open_player.html",
        status,
        findings=findings,
        onward="",
        others=OTHERS,
        allows_uploads=site.settings.allows_uploads,
        largest=LARGEST_FILE,
        is_near=_is_near(host, site.settings.hosts),
        address=str(request.base_url).rstrip("/"),
    )


def _is_near(host: str, hosts: frozenset[str]) -> bool:
    """Whether the server may ask players at the machine that asks: its own, or one that the operator allows."""
    return "*" in hosts or host in hosts or (is_numeric(host) and (host.startswith("127.") or host == "::1"))
