"""POST /thinking: what an algorithm or a player of the library thinks of a position."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request

from gamemaster.errors import UnknownAlgorithm
from gamemaster.players.catalogue import player_names
from gamemaster.search.catalogue import ALGORITHMS
from gamemaster.web.api.models import ThinkingAnswer, ThinkingBody
from gamemaster.web.api.places import ThoughtOrder, thought
from gamemaster.web.api.states import STATE_SECONDS, place_of
from gamemaster.web.api.strictness import ApiRoute, answers
from gamemaster.web.live.setup import NAMED
from gamemaster.web.site import site_of
from gamemaster.web.thinking import READY_SECONDS

__all__ = ["router"]

router = APIRouter(route_class=ApiRoute, tags=["thinking"])


@router.post("/thinking", responses=answers(400, 403, 404, 413, 415, 422, 429, 503))
async def think(request: Request, body: ThinkingBody) -> ThinkingAnswer:
    """What somebody thinks of a role's moves. Where machine code has to be made first, that takes longer once."""
    if body.who is not None:
        _check_who(body.who)
    place, site = place_of(body), site_of(request)
    if not place.rules:
        await site.brought.check(request, place.game)
    ready = STATE_SECONDS if body.rules else READY_SECONDS
    order = ThoughtOrder(body.role, body.who, _settings(body), body.seconds, body.seed)
    found = await site.workers.slow(thought, place, order, seconds=body.seconds + ready)
    return ThinkingAnswer.model_validate(found)


def _check_who(who: str) -> None:
    """UnknownAlgorithm for who is no algorithm and no player of the library; files are nobody's business here."""
    found = NAMED.match(who)
    known = (*ALGORITHMS, *(name for name in player_names() if name not in ALGORITHMS))
    if found is None or found[1] not in known:
        raise UnknownAlgorithm(f"nobody is called {who[:100]!r}; there are: {', '.join(known)}")


def _settings(body: ThinkingBody) -> tuple[str, ...]:
    """The parameters as they are written behind a name."""
    return tuple(f"{name}={_written(value)}" for name, value in body.parameters.items())


def _written(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
