"""/resources: what to read; /docs: the documents of the project as pages, and the reference of the language."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from gamemaster.web.bibliography import bibliography
from gamemaster.web.documents import DocumentPage, attachments, document_names, document_page
from gamemaster.web.highlight import highlighted
from gamemaster.web.reference import language_reference
from gamemaster.web.rendering import render
from gamemaster.web.shelf import NOTATION_NAMES

__all__ = ["router"]

router = APIRouter()

SHELVES: dict[str, dict[str, str]] = {
    "Games": {
        "write-a-game": "From an empty file to a game that is checked, drawn and played, in ten minutes.",
        "draw-a-board": "Boards are found from rules; what a few lines of style can say besides.",
        "editors": "Findings, completion and renaming in VS Code, Neovim, Emacs.",
        "metagame": "Rules made leaner, and what kind of game it is, before the first move.",
    },
    "Players": {
        "write-a-player": "A Python file that plays: from the first legal move to searches of your own.",
        "clients": "Players in any other language: two whole programs to translate.",
        "protocol": "What managers and players say to each other, in all the ways it has been written.",
    },
    "Matches and competitions": {
        "play-in-the-terminal": "Play against machines and people without a browser.",
        "run-a-match": "Clocks, walls around players, matches over the net.",
        "records": "All that happened in a match, in a file that can be replayed and checked.",
        "compete": "Who is better, and how sure that is: pairings, ratings, tests.",
    },
    "Programs and servers": {
        "http-api": "Everything that the site does, for programs.",
        "bridges": "Our games in other frameworks, theirs here, and notebooks.",
        "operate": "Run a site like this one.",
        "machines": "The two machines that play games, and how fast they are.",
        "architecture": "How the program is built, from text to move.",
        "vocabulary": "One word for one idea.",
    },
}
"""The documents, as people look for them. One that is new comes after them, with its first sentence."""


@router.get("/resources")
async def resources(request: Request) -> Response:
    """The page."""
    pages = await asyncio.to_thread(lambda: [document_page(name) for name in document_names()])
    return render(request, "resources.html", groups=bibliography(), shelves=_shelves(pages))


def _shelves(pages: list[DocumentPage]) -> dict[str, list[tuple[DocumentPage, str]]]:
    """The documents that there are, on their shelves, each with what it is about."""
    left = {page.name: page for page in pages}
    found = {
        shelf: [(left.pop(name), words) for name, words in told.items() if name in left]
        for shelf, told in SHELVES.items()
    }
    found["More"] = [(page, page.first) for page in left.values()]
    return {shelf: pages for shelf, pages in found.items() if pages}


@router.get("/docs")
async def documents() -> Response:
    """The list of documents is on the page of resources."""
    return RedirectResponse("/resources#documents", 303)


@router.get("/docs/language")
async def language(request: Request) -> Response:
    """The reference of the language."""
    reference = language_reference()
    samples = {each: highlighted(text, each) for each, text in reference.samples.items()}
    return render(request, "language.html", reference=reference, samples=samples, names=NOTATION_NAMES)


@router.get("/docs/{path:path}")
async def document(request: Request, path: str) -> Response:
    """A document as a page; a picture or a program that belongs to one as a file."""
    name = path.removesuffix(".md")
    if path == "gallery.md":
        return RedirectResponse("/games", 303)
    if name in document_names():
        if name != path:
            return RedirectResponse(f"/docs/{name}", 303)
        page = await asyncio.to_thread(document_page, name)
        return render(request, "document.html", page=page)
    if path in attachments():
        kind = "text/x-python; charset=utf-8" if path.endswith(".py") else None
        return FileResponse(attachments()[path], media_type=kind)
    raise HTTPException(404, f"there is no document {path[:60]!r}; all of them are at /resources")
