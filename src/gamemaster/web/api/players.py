"""GET /players: who can play, and what they can be told."""

from __future__ import annotations

from functools import lru_cache

from fastapi import APIRouter
from starlette.requests import Request

from gamemaster.players import catalogue as players
from gamemaster.search import catalogue as algorithms
from gamemaster.search.parameters import Parameter, parameters_of
from gamemaster.web.api.models import PlayersAnswer
from gamemaster.web.api.strictness import ApiRoute, answers
from gamemaster.web.jobs import Plain
from gamemaster.web.site import site_of

__all__ = ["listed", "router"]

router = APIRouter(route_class=ApiRoute, tags=["players"])


@router.get("/players", responses=answers(429, 503))
async def list_players(request: Request) -> PlayersAnswer:
    """Players and algorithms of the library, with their parameters; players that people registered for all."""
    site = site_of(request)
    public = await site.players.public()
    registered = [{"name": each.name, "summary": each.about, "owner": each.owner} for each in public]
    return PlayersAnswer.model_validate({**await site.workers.quick(listed), "registered": registered})


@lru_cache(maxsize=1)
def listed() -> Plain:
    """In a worker, as what they can be told is in their code: all of them."""
    return {
        "players": [
            _row(
                name,
                players.one_line(name),
                players.parameters_of_player(players.library_player(name), lowest=0),
            )
            for name in players.player_names()
        ],
        "algorithms": [
            _row(name, algorithms.one_line(name), parameters_of(name)) for name in algorithms.ALGORITHMS
        ],
    }


def _row(name: str, summary: str, known: dict[str, Parameter]) -> Plain:
    told = [str(each).partition("=") for each in known.values()]
    return {"name": name, "summary": summary, "parameters": {word: value for word, _, value in told}}
