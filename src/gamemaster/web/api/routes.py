"""The API: its parts under one prefix."""

from __future__ import annotations

from fastapi import APIRouter

from gamemaster.web.api import checking, front, games, matches, players, states, thinking
from gamemaster.web.api.models import LinksAnswer
from gamemaster.web.api.strictness import ApiRoute

__all__ = ["api"]

api = APIRouter(prefix="/api/v1", route_class=ApiRoute)
api.get("", tags=["about"], response_model=LinksAnswer, responses=front.ANSWERS)(front.about)
for part in (games, checking, states, thinking, players, matches):
    api.include_router(part.router)
