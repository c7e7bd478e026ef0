"""/software: the package to take home, players and rules to begin with, and how programs talk to a site."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from functools import cache

from fastapi import APIRouter, HTTPException
from starlette.requests import Request
from starlette.responses import Response

from gamemaster.errors import NotInstalled
from gamemaster.games.skeleton import NOTATIONS, skeleton_texts
from gamemaster.web.documents import attachments, code_blocks
from gamemaster.web.packaging import THEN, Wheel, built_wheel
from gamemaster.web.rendering import render
from gamemaster.web.shelf import NOTATION_NAMES
from gamemaster.web.site import site_of

__all__ = ["router"]

router = APIRouter()

BUILD_SECONDS = 60.0
GAME = "mygame"
"""What the folder of a rule skeleton is called, until somebody gives it another name."""

PLAYERS = {
    "The first legal move": "Three lines: the least that plays.",
    "One step ahead": "Looks at what each of its moves is worth at once.",
    "Random games": "Monte Carlo search with a clock, and says why it chose.",
    "With the subroutines of the course": "The same with findlegals, simulate and findreward, as functions.",
    "With a search": "Lets a search of the library think.",
    "With an evaluation of your own": "Alpha-beta with your own idea of what is good.",
    "Parameters": "A player that can be told something.",
}
CLIENTS = {
    "clients/ggp_http_player.py": "The GGP protocol over HTTP, in the standard library alone.",
    "clients/websocket_player.py": "JSON over a WebSocket that the player opens: works from behind any router.",
}


@dataclass(frozen=True, slots=True)
class Download:
    """A file to take home."""

    name: str
    words: str
    content: bytes
    kind: str

    @property
    def size(self) -> str:
        """How large it is."""
        return shown_size(len(self.content))


def shown_size(count: int) -> str:
    """A number of bytes, for people."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


@cache
def players() -> tuple[Download, ...]:
    """Players to begin with: the programs of the document about them, each of which is a whole one."""
    found = {
        _file_name(heading): (heading, code) for heading, code in reversed(code_blocks("write-a-player"))
    }
    return tuple(
        Download(name, PLAYERS.get(heading, heading), code.encode(), "text/x-python; charset=utf-8")
        for name, (heading, code) in reversed(found.items())
    )


@cache
def clients() -> tuple[Download, ...]:
    """The two programs for other languages."""
    return tuple(
        Download(path.name, CLIENTS.get(name, ""), path.read_bytes(), "text/x-python; charset=utf-8")
        for name, path in attachments().items()
        if name.startswith("clients/")
    )


@cache
def skeletons() -> tuple[Download, ...]:
    """A game folder in each notation."""
    return tuple(
        Download(
            f"{GAME}-{each}.zip", NOTATION_NAMES[each], _folder(skeleton_texts(GAME, "My Game", each)),  # type: ignore[index]
            "application/zip",
        )
        for each in NOTATIONS
    )  # fmt: skip


def _file_name(heading: str) -> str:
    return re.sub(r"\W+", "_", heading.lower()).strip("_") + ".py"


def _folder(files: dict[str, str]) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(f"{GAME}/{name}", THEN), text)
    return kept.getvalue()


@router.get("/software")
async def software(request: Request) -> Response:
    """The page."""
    try:
        wheel, trouble = await _wheel(request), ""
    except NotInstalled as error:
        wheel, trouble = None, str(error)
    return render(
        request,
        "software.html",
        wheel=wheel,
        trouble=trouble,
        size=shown_size(len(wheel.content)) if wheel else "",
        players=players(),
        clients=clients(),
        skeletons=skeletons(),
        game=GAME,
        address=str(request.base_url).rstrip("/"),
    )


@router.get("/software/{name}")
async def wheel(request: Request, name: str) -> Response:
    """The wheel, by its file name."""
    found = await _wheel(request)
    if name != found.name:
        raise HTTPException(404, f"there is no file {name[:60]!r}; what there is stands at /software")
    return _file(Download(found.name, "", found.content, "application/zip"), found.sha256)


@router.get("/software/{group}/{name}")
async def download(group: str, name: str) -> Response:
    """A player, a client or a rule skeleton."""
    groups = {"players": players, "clients": clients, "rules": skeletons}
    found = next((each for each in groups.get(group, tuple)() if each.name == name), None)
    if found is None:
        raise HTTPException(404, f"there is no file {name[:60]!r}; what there is stands at /software")
    return _file(found)


async def _wheel(request: Request) -> Wheel:
    """The wheel, made once by a worker."""
    site = site_of(request)
    return await site.wheel.get("wheel", lambda: site.workers.slow(built_wheel, seconds=BUILD_SECONDS))


def _file(found: Download, digest: str = "") -> Response:
    headers = {"content-disposition": f'attachment; filename="{found.name}"'}
    if digest:
        headers["etag"] = f'"{digest}"'
    return Response(found.content, media_type=found.kind, headers=headers)
