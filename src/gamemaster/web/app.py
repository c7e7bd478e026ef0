"""Settings -> the app: its pages, its API, its door, and what becomes of errors."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from gamemaster.errors import GamemasterError
from gamemaster.web.api.routes import api
from gamemaster.web.guard import Door
from gamemaster.web.pages import (
    about,
    account,
    competitions,
    editing,
    editor,
    games,
    home,
    leaderboard,
    live_match,
    manager,
    matches,
    metagamers,
    mine,
    open_pages,
    open_player,
    own_players,
    play,
    players,
    resources,
    run,
    sets,
    software,
    standalone,
    style_checker,
    trees,
)
from gamemaster.web.people.signing import SignedIn
from gamemaster.web.rendering import render
from gamemaster.web.settings import SiteSettings
from gamemaster.web.site import Site
from gamemaster.web.statuses import status_of

__all__ = ["create_app"]

HERE = Path(__file__).parent
PAGES = (
    home,
    games,
    standalone,
    play,
    manager,
    matches,
    live_match,
    own_players,
    players,
    leaderboard,
    account,
    mine,
    style_checker,
    metagamers,
    trees,
    editor,
    editing,
)
TEXTS = (about, resources, software, open_pages, open_player)
COMPETING = (competitions, sets, run)

log = logging.getLogger("gamemaster.web")


def create_app(settings: SiteSettings) -> FastAPI:
    """The site as an app; it opens with the server that runs it."""
    site = Site(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await site.open()
        try:
            yield
        finally:
            await site.close()

    app = FastAPI(
        title="Gamemaster",
        version="1",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    app.state.site = site
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.include_router(api)
    for each in (*PAGES, *TEXTS, *COMPETING):
        app.include_router(each.router, include_in_schema=False)
    app.add_exception_handler(GamemasterError, _known)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unknown)
    app.add_middleware(SignedIn)
    app.add_middleware(Door, settings=settings)
    return app


async def _known(request: Request, error: Exception) -> Response:
    assert isinstance(error, GamemasterError)
    return _told(request, status_of(error), str(error))


UNTOLD = {
    404: "nothing is at this address; a link may be mistyped, or what was there is gone",
    405: "this address does not take that: it may be a form that was opened as a page",
}


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = [f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in error.errors()[:5]]
    return _told(request, 422, "; ".join(found) or "the request cannot be read")


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = str(error.detail)
    if (
        words == HTTPStatus(error.status_code).phrase
    ):  # the framework's own, which says nothing of what was asked
        words = UNTOLD.get(error.status_code, words)
    response = _told(request, error.status_code, words)
    response.headers.update(error.headers or {})
    return response


async def _unknown(request: Request, error: Exception) -> Response:
    """What nobody has thought of: the log has all of it, and the page nothing."""
    log.error("%s %s", request.method, request.url.path, exc_info=error)
    return _told(request, 500, "something went wrong here; it has been noted")


def _told(request: Request, status: int, words: str) -> Response:
    """An error as its reader wants it: JSON for programs, a page with a way on for people."""
    if request.url.path.startswith("/api/") or request.url.path.endswith(".json"):
        response: Response = JSONResponse({"error": words}, status)
    else:
        title = HTTPStatus(status).phrase
        response = render(request, "error.html", status, title=title, words=words)
    if status in (429, 503):
        response.headers["retry-after"] = "2"
    return response
