"""/editor/*.json: what the editor's page asks while somebody writes: the whole text each time. Nothing is kept.

    POST look.json      {rules, notation}               colours, findings and outline of the text
    POST complete.json  {rules, notation, at}           what may be written at an offset
    POST help.json      {rules, notation, at}           what stands at an offset, and where it is defined
    POST format.json    {rules, notation}               the text in the house's layout
    POST convert.json   {rules, notation, to}           the same game in another notation
    POST check.json     {rules, notation}               findings, with what random play shows
    POST state.json     {rules, notation, style, moves} the state after a line of moves, its board and HTML
    POST import.json?name=                              a file of rules or a zip, as bytes: a sheet, and findings
    GET  who.json                                       who is signed in now, and the token for forms

Offsets are in UTF-16 units. Every question is answered within some seconds, in a worker: what rules take too much for
is a finding, or an error with words.
"""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import APIRouter, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gamemaster.errors import GameIllDefined, LimitExceeded, ParameterError, RulesError
from gamemaster.language.rules import Notation
from gamemaster.machine.game import RANDOM
from gamemaster.web.guard import SESSION, remember, token_of, visitor_of
from gamemaster.web.jobs import Plain
from gamemaster.web.path import Line, path_read, path_written
from gamemaster.web.patience import while_there
from gamemaster.web.people.signing import account_in
from gamemaster.web.rendering import fragment
from gamemaster.web.site import site_of
from gamemaster.web.writing import preview, reading
from gamemaster.web.writing.packing import unpacked
from gamemaster.web.writing.units import whole

__all__ = ["CHECK_SECONDS", "PLAY_SECONDS", "TOO_MUCH", "router", "state_values", "stated"]

router = APIRouter(prefix="/editor")

LARGEST_TEXT = 290_000
"""Characters of a text that is looked at: the door lets in a little more, as bytes."""

LOOK_SECONDS = STATE_SECONDS = 30.0
"""By the clock on the wall, with the start of a process: of the processor it is far less, which jobs see to."""

PLAY_SECONDS, CHECK_SECONDS = 2.0, 40.0
"""How long rules are played at random, and what all of that may take."""

UNPACKING_SECONDS = 30.0
TOO_MUCH = "let the rules ask for less, or take back the last change"

Text = Annotated[str, Field(max_length=LARGEST_TEXT), AfterValidator(whole)]


class WrittenText(BaseModel):
    """A text that is being written, and how it is to be read."""

    model_config = ConfigDict(extra="forbid")

    rules: Text
    notation: Notation


class PlaceInText(WrittenText):
    """A place in it, in UTF-16 units."""

    at: int = Field(ge=0, le=LARGEST_TEXT)


class ConversionWish(WrittenText):
    """The notation that it shall be in."""

    to: Notation


class WrittenGame(WrittenText):
    """A game that is being written, and the moves that lead to a state of it."""

    style: Text = ""
    moves: str = ""


@router.post("/look.json")
async def look(request: Request, text: WrittenText) -> Response:
    """Colours, findings and outline."""
    return await _findings(request, LOOK_SECONDS, reading.looked, text.rules, text.notation)


@router.post("/check.json")
async def check(request: Request, text: WrittenText) -> Response:
    """The findings, with those that take a while."""
    return await _findings(request, CHECK_SECONDS, reading.played, text.rules, text.notation, PLAY_SECONDS)


async def _findings(request: Request, seconds: float, job: Any, *arguments: object) -> Response:
    try:
        return await _answer(request, seconds, job, *arguments)
    except LimitExceeded as error:
        message = f"checking these rules takes too much: {error}"
        return JSONResponse(reading.lone_finding("limit", message, TOO_MUCH))


@router.post("/complete.json")
async def complete(request: Request, text: PlaceInText) -> Response:
    """What may be written at a place."""
    return await _answer(request, LOOK_SECONDS, reading.completed, text.rules, text.notation, text.at)


@router.post("/help.json")
async def help_at(request: Request, text: PlaceInText) -> Response:
    """What stands at a place, and where that is defined."""
    return await _answer(request, LOOK_SECONDS, reading.helped, text.rules, text.notation, text.at)


@router.post("/format.json")
async def format_text(request: Request, text: WrittenText) -> Response:
    """The text in the house's layout."""
    return await _answer(request, LOOK_SECONDS, reading.formatted, text.rules, text.notation)


@router.post("/convert.json")
async def convert(request: Request, text: ConversionWish) -> Response:
    """The same game in another notation."""
    return await _answer(request, LOOK_SECONDS, reading.converted, text.rules, text.notation, text.to)


async def _answer(request: Request, seconds: float, job: Any, *arguments: object) -> Response:
    work = site_of(request).workers.writing(job, *arguments, seconds=seconds)
    return JSONResponse(await while_there(request, work))


@router.post("/state.json")
async def state(request: Request, game: WrittenGame) -> Response:
    """The state after a line of moves; a trouble, where the text is no game now, which is nothing special."""
    line = path_read(whole(game.moves))
    found = await while_there(request, stated(request, game.rules, game.notation, game.style, line))
    if isinstance(found, str):
        return JSONResponse({"trouble": found})
    values = state_values(found)
    html = fragment("parts/editor_state.html", **values)
    told = ("step", "askers", "line", "cut", "is_terminal", "svg", "clicks")
    return JSONResponse({**{key: found[key] for key in told}, "html": html, "status": values["status"]})


async def stated(request: Request, rules: str, notation: Notation, style: str, line: Line) -> Plain | str:
    """The state after a line of moves; where the rules are no game now, why."""
    workers = site_of(request).workers
    try:
        return await workers.writing(preview.previewed, rules, notation, style, line, seconds=STATE_SECONDS)
    except RulesError as error:
        where = f"line {error.place.line}: " if error.place else ""
        return f"No game yet. {where.capitalize()}{error.what}"
    except LimitExceeded as error:
        return f"These rules take too much: {error}; {TOO_MUCH}."
    except GameIllDefined as error:
        return f"No game yet: {error}"


def state_values(found: Plain) -> Plain:
    """What the template of a state is told."""
    legal = cast("dict[str, dict[str, Any]]", found["legal"])
    labels = {
        (role, touch["move"]): touch["label"]
        for role, clicks in cast("dict[str, Any]", found["clicks"]).items()
        for touch in clicks["moves"]
    }
    return {
        **found,
        "status": _status(found),
        "chance": RANDOM,
        "moves": path_written(cast("Line", found["line"])),
        "labels": labels,
        "written": lambda move: path_written([[move]]),
        "count": sum(len(each["items"]) + each["more"] for each in legal.values()),
    }


def _status(found: Plain) -> str:
    """Whose turn it is, or how it ended."""
    askers = cast("list[str]", found["askers"])
    step = f"Step {found['step']}"
    if found["is_terminal"]:
        return f"{step}: over, {found['ending']}"
    if not askers:
        return f"{step}: nobody can move"
    if found["control"]:
        return f"{step}: {found['control']} to move"
    return f"{step}: {', '.join(askers[:-1])} and {askers[-1]} choose at once"


@router.post("/import.json")
async def import_file(request: Request, name: Annotated[str, Query(max_length=300)] = "") -> Response:
    """The sheet in a file of rules or a zip of a game's folder, with what is wrong with the file."""
    raw = await request.body()
    if not raw:
        raise ParameterError("the file is empty")
    workers = site_of(request).workers
    found = await workers.writing(unpacked, whole(name), raw, seconds=UNPACKING_SECONDS)
    if found["sheet"] is None:
        said = cast("list[dict[str, str]]", found["findings"])
        found["error"] = "; ".join(each["message"] for each in said if each["severity"] == "error")
    return JSONResponse(found, 200 if found["sheet"] else 422)


@router.get("/who.json")
async def who(request: Request) -> Response:
    """Who is signed in now, and the token that a form has to have: another tab may have changed that."""
    token = token_of(site_of(request).secret, visitor_of(request), request.cookies.get(SESSION, ""))
    account = account_in(request)
    response = JSONResponse({"token": token, "name": account.name if account else ""})
    response.headers["cache-control"] = "private, no-store"
    remember(request, response)
    return response
