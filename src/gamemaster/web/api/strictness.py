"""What every request of the API goes through: a body is JSON and says so, and an error tells where.

What goes wrong with an error of its own is told by web/app.py; here is what only the API tells.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gamemaster.errors import GameIllDefined, RulesError
from gamemaster.web.api.models import ErrorAnswer

__all__ = ["ERRORS", "Answers", "ApiRoute", "answers"]

JSON = "application/json"

ERRORS = {
    400: "The body is no JSON.",
    403: "This may not be done, or not by whoever asks.",
    404: "There is no such thing.",
    413: "The request is too large.",
    414: "The address is too long.",
    415: "The body is not said to be JSON.",
    422: "The request says something that cannot be; the error says what.",
    429: "Too many requests; `retry-after` says when to come again.",
    503: "Too much is going on, or what worked on this has ended; `retry-after` says when to come again.",
}

Answers = dict[int | str, dict[str, Any]]


def answers(*statuses: int) -> Answers:
    """The errors that a route may answer with, for the schema."""
    return {status: {"model": ErrorAnswer, "description": ERRORS[status]} for status in statuses}


class ApiRoute(APIRoute):
    """A route of the API."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route with what comes before and after it."""
        inner = super().get_route_handler()

        async def handled(request: Request) -> Response:
            if self.body_field is not None:
                await _check_body(request)
            try:
                return await inner(request)
            except (RulesError, GameIllDefined) as error:
                return _at_its_place(error)

        return handled


async def _check_body(request: Request) -> None:
    """HTTPException for a body that is not JSON, or has half a character in it, which no answer could repeat."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise HTTPException(415, f"a body is JSON here, and says so: content-type: {JSON}")
    try:
        await request.json()
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the body is no JSON: {str(error)[:200]}") from None
    body = (await request.body()).lower()
    if b"\\ud" in body and _has_half_characters(await request.json()):
        raise HTTPException(400, "half a character is in the body")


def _has_half_characters(value: object) -> bool:
    todo = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, str):
            if any("\ud800" <= letter <= "\udfff" for letter in part):
                return True
        elif isinstance(part, dict):
            todo += [*part, *part.values()]
        elif isinstance(part, list):
            todo += part
    return False


def _at_its_place(error: RulesError | GameIllDefined) -> Response:
    """An error of rules, with line and column where they are known."""
    place = error.place
    told = ErrorAnswer(
        error=str(error),
        line=place.line if place else None,
        column=place.column if place else None,
        hint=error.hint or None,
    )
    return JSONResponse(told.model_dump(), 422)
