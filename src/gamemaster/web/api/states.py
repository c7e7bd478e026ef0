"""/states: a place in a game -> its state; /states/next: the state after a step; /states.svg: the board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, TypeVar

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from gamemaster.web.api.models import NextBody, PictureBody, PlaceBody, StateAnswer
from gamemaster.web.api.places import StatePlace, drawn_at, state_at, state_next
from gamemaster.web.api.strictness import Answers, ApiRoute, answers
from gamemaster.web.guard import LONGEST_ADDRESS
from gamemaster.web.path import path_read
from gamemaster.web.site import site_of

__all__ = ["place_of", "router"]

router = APIRouter(route_class=ApiRoute, tags=["states"])

Product = TypeVar("Product")

STATE_SECONDS = 10.0
MOST_QUICK = 300
"""With so many moves a state is found at once; others wait where searches do."""

SVG = "image/svg+xml"
PICTURE: Answers = {200: {"content": {SVG: {"schema": {"type": "string"}}}, "description": "The board."}}
GETTING, POSTING = answers(404, 414, 422, 429, 503), answers(400, 403, 404, 413, 415, 422, 429, 503)

Named = Annotated[
    str,
    Query(
        min_length=1,
        max_length=200,
        description="A game of the library, or a variant.",
        json_schema_extra={"format": "game"},
    ),
]
Moves = Annotated[
    str,
    Query(
        max_length=LONGEST_ADDRESS,
        description="The moves of those who choose: steps between `;`, moves of a step between `|`; `?` is drawn.",
        json_schema_extra={"format": "line"},
    ),
]


@router.get("/states", responses=GETTING)
async def get_state(request: Request, game: Named, moves: Moves = "") -> StateAnswer:
    """The state after moves."""
    found = await _worked(request, StatePlace(game=game, line=path_read(moves)), state_at)
    return StateAnswer.model_validate(found)


@router.post("/states", responses=POSTING)
async def post_state(request: Request, body: PlaceBody) -> StateAnswer:
    """The state after moves, or of facts; of a game of the library, or of rules."""
    return StateAnswer.model_validate(await _worked(request, place_of(body), state_at))


@router.post("/states/next", responses=POSTING)
async def post_next(request: Request, body: NextBody) -> StateAnswer:
    """The state after a step from there."""
    return StateAnswer.model_validate(await _worked(request, place_of(body), state_next, body.move))


@router.get("/states.svg", response_class=Response, responses={**PICTURE, **GETTING})
async def get_picture(
    request: Request,
    game: Named,
    moves: Moves = "",
    theme: Literal["light", "dark"] | None = None,
    size: Annotated[int | None, Query(ge=16, le=4096, description="The longer side in pixels.")] = None,
) -> Response:
    """The board after moves, as a drawing that stands alone."""
    svg = await _worked(request, StatePlace(game=game, line=path_read(moves)), drawn_at, theme, size)
    return Response(svg, media_type=SVG)


@router.post("/states.svg", response_class=Response, responses={**PICTURE, **POSTING})
async def post_picture(request: Request, body: PictureBody) -> Response:
    """The board of a place, also of rules."""
    svg = await _worked(request, place_of(body), drawn_at, body.theme, body.size)
    return Response(svg, media_type=SVG)


def place_of(body: PlaceBody) -> StatePlace:
    """The place that a body tells."""
    return StatePlace(
        game=body.game or "",
        rules=body.rules or "",
        dialect=body.dialect,
        moves=tuple(body.moves),
        facts=None if body.facts is None else tuple(body.facts),
        step=body.step,
    )


async def _worked(
    request: Request, place: StatePlace, job: Callable[..., Product], *arguments: object
) -> Product:
    """What a worker finds at a place. What may take long waits with others that do."""
    site = site_of(request)
    if not place.rules:
        await site.brought.check(request, place.game)
    is_quick = not place.rules and place.facts is None and len(place.moves) + len(place.line) <= MOST_QUICK
    if is_quick:
        return await site.workers.quick(job, place, *arguments)
    return await site.workers.slow(job, place, *arguments, seconds=STATE_SECONDS)
