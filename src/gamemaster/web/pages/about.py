"""/about: what general game playing is, for somebody who has never heard of it, with boards to try it on."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from gamemaster.web.highlight import highlighted
from gamemaster.web.jobs import position
from gamemaster.web.rendering import render
from gamemaster.web.shelf import card_of, shelf, written
from gamemaster.web.site import site_of

__all__ = ["router"]

router = APIRouter()

BOARDS = ("tictactoe", "connectfour", "eightpuzzle")
"""The games on the page that can be played there."""

KINDS = ("chess", "chinesecheckers3", "dicerace", "higherlower", "roshambo", "sudoku")
"""One of each kind, as pictures."""


@router.get("/about")
async def about(request: Request) -> Response:
    """The page; its boards are drawn once."""
    site = site_of(request)
    boards = await asyncio.gather(
        *(site.first.get(name, partial(site.workers.quick, position, name, ())) for name in BOARDS)
    )
    return render(
        request,
        "about.html",
        boards=dict(zip(BOARDS, boards, strict=True)),
        rules=highlighted(*written("tictactoe")),
        kinds=[card_of(name) for name in KINDS],
        games=len(shelf()),
    )
