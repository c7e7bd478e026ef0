"""/standalone/{game}: all roles of a game on one board. The address has the moves, so it leads to any position.

The page is complete as it comes; static/standalone.js then asks for the JSON twins of position and thinking. Both take
a GET, and a POST for lines that are longer than an address can be.
"""

from __future__ import annotations

import math
from typing import Annotated, cast
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from gamemaster.draw.picture.markup import clip
from gamemaster.errors import (
    Busy,
    GamemasterError,
    IllegalMove,
    ParameterError,
    StateError,
    UnknownAlgorithm,
    UnknownGame,
)
from gamemaster.machine.game import RANDOM
from gamemaster.web.brought.shop import for_visitor
from gamemaster.web.jobs import Plain, check_library, standalone
from gamemaster.web.path import Line, path_query, path_read, path_written
from gamemaster.web.patience import while_there
from gamemaster.web.rendering import fragment, render
from gamemaster.web.shelf import title_of
from gamemaster.web.site import site_of
from gamemaster.web.thinking import READY_SECONDS, check_thinker, think, thinkers

__all__ = ["router"]

router = APIRouter(dependencies=[Depends(for_visitor)])

Moves = Annotated[str, Query(description="The line of moves that leads to the position")]

PARTS = ("status", "scores", "moves")
"""What changes with the position, each a template and an element of the page."""

DATA = ("game", "step", "roles", "askers", "line", "told", "is_terminal", "svg", "clicks")
"""What the page's module knows of a position."""

LONGEST_TITLE = 80


class PositionWish(BaseModel):
    """Which position is asked for."""

    model_config = ConfigDict(extra="forbid")

    moves: str = ""


class ThinkingWish(PositionWish):
    """What is to be thought about, by whom, for whom, and how long."""

    who: str = Field("", max_length=60)
    role: str = Field("", max_length=200)
    seconds: float = 1.0


@router.get("/standalone")
async def choose_game() -> Response:
    """Games are chosen in the gallery."""
    return RedirectResponse("/games", 303)


@router.get("/standalone/{game}")
async def page(
    request: Request,
    game: str,
    moves: Moves = "",
    choice: Annotated[list[str] | None, Query()] = None,
    at: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """The page of a position.

    Forms lead to others: `choice` are the moves to add to the line, one for each who chooses; `at` is the step to go
    back to. Either way the address that comes of it has nothing but moves.
    """
    check_library(game)
    try:
        line = path_read(moves)[:at] + (path_read("|".join(choice)) if choice else ())
        found = await site_of(request).workers.quick(standalone, game, line, True)
    except (IllegalMove, ParameterError, StateError) as error:
        return render(
            request,
            "parts/standalone_refused.html",
            422,
            game=game,
            title=clip(title_of(game), LONGEST_TITLE),
            words=str(error),
        )
    reached = cast("Line", found["line"])
    if choice or at is not None or any(None in step for step in line):
        return RedirectResponse(_address(game, reached), 303)
    shown = {key: value for key, value in found.items() if key in DATA and key != "svg"}
    return render(
        request,
        "standalone.html",
        200,
        title=clip(title_of(game), LONGEST_TITLE),
        thinkers=_thinkers(found),
        shown=shown,
        **_values(found),
    )


@router.get("/standalone/{game}/position.json")
async def position(request: Request, game: str, moves: Moves = "") -> Response:
    """The position after a line of moves, for programs and for the page's module."""
    return await _position(request, game, moves)


@router.post("/standalone/{game}/position.json")
async def position_of_long_line(request: Request, game: str, wish: PositionWish) -> Response:
    """The same for a line of any length."""
    return await _position(request, game, wish.moves)


@router.get("/standalone/{game}/thinking.json")
async def thinking(
    request: Request,
    game: str,
    moves: Moves = "",
    who: Annotated[str, Query(max_length=60)] = "",
    role: Annotated[str, Query(max_length=200)] = "",
    seconds: float = 1.0,
) -> Response:
    """What the machine thinks of a position, within so many seconds."""
    return await _thinking(request, game, ThinkingWish(moves=moves, who=who, role=role, seconds=seconds))


@router.post("/standalone/{game}/thinking.json")
async def thinking_of_long_line(request: Request, game: str, wish: ThinkingWish) -> Response:
    """The same for a line of any length."""
    return await _thinking(request, game, wish)


async def _position(request: Request, game: str, moves: str) -> Response:
    try:
        check_library(game)
        found = await site_of(request).workers.quick(standalone, game, path_read(moves), False)
    except GamemasterError as error:
        return _refused(error)
    values = _values(found)
    parts = {f"standalone-{part}": fragment(f"parts/standalone_{part}.html", **values) for part in PARTS}
    told = {key: found[key] for key in DATA}
    return JSONResponse(
        {
            **told,
            "moves": path_written(cast("Line", found["line"])),
            "parts": parts,
            "status": values["told_status"],
        }
    )


async def _thinking(request: Request, game: str, wish: ThinkingWish) -> Response:
    try:
        check_library(game)
        if not math.isfinite(wish.seconds):
            raise ParameterError("seconds of thinking are a number")
        check_thinker(wish.who, wish.seconds)
        line = path_read(wish.moves)
        workers, most = site_of(request).workers, 2 * wish.seconds + READY_SECONDS
        thinking = workers.slow(think, game, line, wish.who, wish.role, wish.seconds, seconds=most)
        found = await while_there(request, thinking)
    except GamemasterError as error:
        return _refused(error)
    return JSONResponse(found)


def _refused(error: GamemasterError) -> Response:
    """An error for a program."""
    is_unknown = isinstance(error, UnknownGame | UnknownAlgorithm)
    status = 404 if is_unknown else 503 if isinstance(error, Busy) else 422
    return JSONResponse({"error": str(error)}, status, {"retry-after": "2"} if status == 503 else {})


# What templates are told


def _values(found: Plain) -> Plain:
    """A position, and what is said about it."""
    askers = cast("list[str]", found["askers"])
    return {
        **found,
        "told_status": _status(found),
        "chance": RANDOM,
        "moves": path_written(cast("Line", found["line"])),
        "options": {role: _options(found, role) for role in askers},
        "address": _address(str(found["game"]), ()),
    }


def _options(found: Plain, role: str) -> list[dict[str, str]]:
    """The moves of a role: what they are called, and how each is written in a line."""
    clicks = cast("dict[str, dict[str, list[dict[str, str]]]]", found["clicks"])[role]
    return [
        {"move": each["move"], "label": each["label"], "written": path_written([[each["move"]]])}
        for each in clicks["moves"]
    ]


def _status(found: Plain) -> str:
    askers = cast("list[str]", found["askers"])
    if found["is_terminal"]:
        return f"Game over: {found['ending']}"
    if not askers:
        return "Nobody can move: the rules do not go on from here"
    if askers == [RANDOM]:
        return "Chance is to draw"
    people = [role for role in askers if role != RANDOM]
    if len(people) == 1:
        return f"{people[0]} to move"
    return f"{', '.join(people[:-1])} and {people[-1]} choose at once"


def _thinkers(found: Plain) -> dict[str, str]:
    return thinkers(
        players=cast("int", found["players"]),
        has_chance=bool(found["has_chance"]),
        is_hidden=bool(found["is_hidden"]),
        is_simultaneous=bool(found["is_simultaneous"]),
    )


def _address(game: str, line: Line) -> str:
    return f"/standalone/{quote(game, safe=':=,')}{path_query(line)}"
