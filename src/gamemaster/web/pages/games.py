"""/games: the gallery of the library; /games/{name}: all about one game, or a variant of it.

No game is loaded here: cards and texts come from the folders of the library, what takes a game from workers. The page
is complete as it comes; static/game.js then asks for the figures, which a reader without it gets by a link.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, cast
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from gamemaster.codegen.cache import Cache
from gamemaster.errors import Busy, GamemasterError, LimitExceeded, ParameterError
from gamemaster.games.variants import GameChoice
from gamemaster.language.rules import Notation
from gamemaster.machine.game import RANDOM
from gamemaster.store.own_games import OwnGame
from gamemaster.web import studies
from gamemaster.web.brought.shop import for_visitor
from gamemaster.web.highlight import highlighted
from gamemaster.web.jobs import Plain
from gamemaster.web.keeping import Kept
from gamemaster.web.markdown import markdown_html
from gamemaster.web.people.signing import account_in
from gamemaster.web.rendering import fragment, render
from gamemaster.web.shelf import (
    NOTATION_NAMES,
    GameCard,
    brought_cards,
    card_of,
    chosen,
    kinds,
    notations_of,
    portrait_key,
    shelf,
    style_of,
    wish_for,
    written,
)
from gamemaster.web.site import site_of
from gamemaster.web.work import Workers

__all__ = ["router"]

router = APIRouter(dependencies=[Depends(for_visitor)])

STAGES = {256: 1.0, 4_096: 2.0, 65_536: 4.0, studies.MOST_PLAYOUTS: 8.0}
"""How many games the page asks for, one after the other, and for how many seconds each is played at most."""

WITHOUT_SCRIPT = 65_536
ANALYSIS_SECONDS = 5.0
LOADING_SECONDS = 60.0
"""A large game takes a while to compile, once."""

MOST_KEPT = 400
FOREVER = "public, max-age=31536000, immutable"
SOON_OLD = "public, max-age=60"
SIZES = {
    "small": "small: few moves to choose from",
    "medium": "medium: some moves to choose from",
    "large": "large: many moves to choose from",
}
FLAGS = {"chance": "Chance", "hidden": "Hidden information", "simultaneous": "All move at once"}


@dataclass
class Studied:
    """What was found out about games since the server began."""

    portraits: Kept[bytes] = field(default_factory=lambda: Kept(MOST_KEPT))
    rules: Kept[str] = field(default_factory=lambda: Kept(MOST_KEPT))
    statistics: Kept[Plain] = field(default_factory=lambda: Kept(MOST_KEPT))
    analyses: Kept[Plain] = field(default_factory=lambda: Kept(MOST_KEPT))
    drawing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Pictures are made one by one, so that a gallery never keeps a board waiting on which somebody plays."""


def _studied(request: Request) -> Studied:
    state = request.app.state
    if not hasattr(state, "studied"):
        state.studied = Studied()
    return cast("Studied", state.studied)


def _workers(request: Request) -> Workers:
    return cast("Workers", request.app.state.site.workers)


# The gallery


@router.get("/games")
async def gallery(
    request: Request,
    q: str = "",
    kind: str = "",
    roles: str = "",
    size: str = "",
    chance: str = "",
    hidden: str = "",
    simultaneous: str = "",
) -> Response:
    """All games, those that do not fit what is asked for out of sight."""
    ticked = {"chance": chance, "hidden": hidden, "simultaneous": simultaneous}
    wish = wish_for(q, kind, roles, size, tuple(flag for flag in FLAGS if ticked[flag] not in ("", "0")))
    public = site_of(request).store.own_games.public
    brought = await asyncio.to_thread(lambda: brought_cards(public()))
    cards = [(card, wish.fits(card)) for card in (*shelf(), *brought)]
    return render(
        request,
        "games.html",
        wish=wish,
        cards=cards,
        count=sum(fits for _, fits in cards),
        kinds=kinds(),
        players=sorted({card.players for card in shelf()}),
        sizes=SIZES,
        flags=FLAGS,
        quote=_quoted,
    )


def _quoted(name: str) -> str:
    """A game's name in an address."""
    return quote(name, safe="@:=,")


@router.get("/games/{name}/board.svg")
async def board(request: Request, name: str, v: str = "") -> Response:
    """A picture of a game, from the disk where it was drawn before."""
    key = portrait_key(name)
    headers = {"etag": f'"{key}"', "cache-control": _kept_for(name, is_this=v == key)}
    if f'"{key}"' in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    studied = _studied(request)
    svg = await studied.portraits.get(
        key, partial(_portrait, studied, _workers(request), chosen(name).name, key)
    )
    return Response(svg, media_type="image/svg+xml", headers=headers)


def _kept_for(name: str, *, is_this: bool) -> str:
    """Who may keep a picture and how long: nobody on the way, where somebody brought the game: it may be private."""
    kept = FOREVER if is_this else SOON_OLD
    return kept.replace("public", "private") if name.startswith("@") else kept


async def _portrait(studied: Studied, workers: Workers, name: str, key: str) -> bytes:
    if (known := Cache().read(key)) is not None:
        return known
    if name.startswith(
        "@"
    ):  # it has workers of its own, and may take long: pictures of others do not wait for it
        drawn = (await workers.quick(studies.portrait, name)).encode()
    else:
        async with studied.drawing:
            drawn = (await workers.quick(studies.portrait, name)).encode()
    await asyncio.to_thread(Cache().write, key, drawn)
    return drawn


# A game


@router.get("/games/{name}")
async def game(request: Request, name: str, figures: str = "") -> Response:
    """All about a game; with `figures`, those that take a while too."""
    choice = chosen(name)
    wanted = _wanted(choice, request) or choice.name
    if wanted != name:
        return RedirectResponse(f"/games/{_quoted(wanted)}", 303)
    shown = await _shown(request, choice)
    found = await _figures(request, name) if figures else {"statistics": None, "analysis": None}
    card = await asyncio.to_thread(card_of, choice.folder.name)
    description = _without_title(choice.folder.description)
    own = next((each.id for each in await _mine(request) if each.name == name), "")
    await asyncio.to_thread(
        markdown_html, description
    )  # the template finds it made: what somebody wrote may take long
    return render(
        request,
        "game.html",
        200,
        choice=choice,
        folder=choice.folder,
        address=_quoted(name),
        own=own,
        card=card,
        key=portrait_key(name),
        facts=_facts(choice, card),
        description=description,
        variants=_variants(choice),
        numbers=_numbers(choice),
        style=style_of(choice.folder.name),
        stages=list(STAGES),
        quote=_quoted,
        **shown,
        **found,
    )


async def _mine(request: Request) -> Sequence[OwnGame]:
    """The games of whoever is signed in."""
    account = account_in(request)
    return await asyncio.to_thread(site_of(request).store.own_games.of, account.id) if account else ()


def _wanted(choice: GameChoice, request: Request) -> str | None:
    """The name of the variant that the form asks for; None where it asks for none."""
    asked, folder = request.query_params, choice.folder
    numbers = [f"{each.name}={asked[each.name]}" for each in folder.parameters if each.name in asked]
    wishes = [*([asked["variant"]] if asked.get("variant") else []), *numbers]
    return chosen(f"{folder.name}:{','.join(wishes)}").name if wishes else None


def _without_title(description: str) -> str:
    first, _, rest = description.partition("\n")
    return rest.strip() if first.startswith("# ") else description


def _facts(choice: GameChoice, card: GameCard) -> list[tuple[str, str]]:
    """What is said of a game in a word or two."""
    roles = ["chance" if role == RANDOM else role for role in choice.folder.roles]
    facts = [("Roles" if len(roles) > 1 else "Role", ", ".join(roles)), ("Kind", card.told)]
    if tags := [tag for tag in choice.folder.tags if tag not in card.told.lower()]:
        facts.append(("About", ", ".join(tags)))
    return [*facts, ("Written in", NOTATION_NAMES[written(choice.name)[1]])]


def _variants(choice: GameChoice) -> list[dict[str, object]]:
    """The game as usual and under its other names, where it has any."""
    folder = choice.folder
    named = [GameChoice(folder, None, ()), *(GameChoice(folder, each, ()) for each in folder.variants)]
    if len(named) == 1 and not folder.parameters:
        return []
    return [{"name": each.name, "title": each.title, "is_this": each.name == choice.name} for each in named]


def _numbers(choice: GameChoice) -> list[dict[str, object]]:
    """The numbers of a game that can be chosen, and what they are here."""
    now = dict(choice.variant.values if choice.variant else {}) | dict(choice.values)
    return [
        {"name": each.name, "value": now.get(each.name, each.value), "least": each.least, "most": each.most}
        for each in choice.folder.parameters
    ]


# Its rules


@router.get("/games/{name}/rules")
async def rules(request: Request, name: str) -> Response:
    """The rules alone, for the page to put in: those that `?as=` asks for."""
    choice = chosen(name)
    return HTMLResponse(
        fragment("parts/game_rules.html", address=_quoted(name), **await _shown(request, choice))
    )


async def _shown(request: Request, choice: GameChoice) -> dict[str, object]:
    """The rules in the notation that is asked for, and which others there are."""
    text, notation = written(choice.name)
    wanted = _notation(request.query_params.get("as", ""), notation)
    if wanted != notation:
        job = partial(_workers(request).quick, studies.translated, choice.name, wanted)
        text = await _studied(request).rules.get((portrait_key(choice.name), wanted), job)
    tabs = [
        {"as": each, "name": NOTATION_NAMES[each], "is_written": each == notation, "is_this": each == wanted}
        for each in sorted(notations_of(notation), key=lambda each: each != notation)
    ]
    return {"tabs": tabs, "lines": await asyncio.to_thread(highlighted, text, wanted)}


def _notation(asked: str, written_in: Notation) -> Notation:
    """The notation that is asked for; ParameterError for one that the rules cannot be shown in."""
    if asked in ("", "written"):
        return written_in
    for each in notations_of(written_in):
        if asked == each:
            return each
    offer = ", ".join(notations_of(written_in))
    raise ParameterError(f"these rules cannot be shown as {asked[:40]!r}; they can as {offer}")


# What takes a while


@router.get("/games/{name}/statistics.json")
async def statistics(
    request: Request, name: str, playouts: Annotated[int, Query(ge=1, le=studies.MOST_PLAYOUTS)] = 4_096
) -> Response:
    """Figures of random play, as data and as the piece of the page that shows them."""
    try:
        found = await _statistics(request, name, playouts)
    except GamemasterError as error:
        return _refused(error)
    return JSONResponse({**found, "html": _statistics_html(found)})


@router.get("/games/{name}/analysis.json")
async def analysis(request: Request, name: str) -> Response:
    """What is proved or observed of a game, as data and as the piece of the page that shows it."""
    try:
        found = await _analysis(request, name)
    except GamemasterError as error:
        return _refused(error)
    return JSONResponse({**found, "html": fragment("parts/game_analysis.html", found=found)})


def _refused(error: GamemasterError) -> Response:
    """Why there are no figures, for the page's module; what the address has wrong is told as a page is."""
    if isinstance(error, Busy):
        return JSONResponse({"error": str(error)}, 503, {"retry-after": "5"})
    if isinstance(error, LimitExceeded):
        return JSONResponse({"error": f"This game is too large for that: {error}"}, 422)
    raise error


async def _statistics(request: Request, name: str, playouts: int) -> Plain:
    """Figures from so many games, or from more where they are known."""
    name, studied = chosen(name).name, _studied(request)
    count = next(stage for stage in STAGES if stage >= playouts)
    for larger in sorted(STAGES, reverse=True):
        if larger > count and (known := studied.statistics.known((name, larger))) is not None:
            return known
    seconds = STAGES[count]
    job = partial(
        _workers(request).slow, studies.statistics, name, count, seconds, seconds=seconds + LOADING_SECONDS
    )
    return await studied.statistics.get((name, count), job)


async def _analysis(request: Request, name: str) -> Plain:
    name = chosen(name).name
    job = partial(
        _workers(request).slow,
        studies.analysis,
        name,
        ANALYSIS_SECONDS,
        seconds=3 * ANALYSIS_SECONDS + LOADING_SECONDS,
    )
    return await _studied(request).analyses.get(name, job)


async def _figures(request: Request, name: str) -> dict[str, object]:
    """Both, for a page that is asked for with them."""
    found = await _statistics(request, name, WITHOUT_SCRIPT)
    analysed = await _analysis(request, name)
    return {
        "statistics": _statistics_html(found),
        "analysis": fragment("parts/game_analysis.html", found=analysed),
    }


def _statistics_html(found: Plain) -> str:
    return fragment("parts/game_statistics.html", found=found, figure=figure, percent=percent, rate=rate)


def figure(mean: float, margin: float | None) -> str:
    """A mean with as many digits as are known; without a margin, it is what one game gave."""
    if not margin:
        shown = f"{mean:,.0f}" if mean == round(mean) else f"{mean:,.2f}"
        return f"{shown}, once" if margin is None else shown
    digits = min(4, max(0, 1 - math.floor(math.log10(margin))))
    return f"{mean:,.{digits}f} ± {margin:,.{digits}f}"


def percent(share: float, low: float) -> str:
    """A share in percent, of which the lowest that it may be says how many digits it has."""
    return f"{share:.1f}" if low >= 1 or share >= 10 else f"{share:.2f}"


def rate(each_second: float) -> str:
    """So many a second, for people: speed differs from run to run, and has two digits."""
    for size, word in ((1e9, " billion"), (1e6, " million")):
        if each_second >= size:
            return (
                f"{each_second / size:,.2g}{word}"
                if each_second < 100 * size
                else f"{each_second / size:,.0f}{word}"
            )
    return f"{float(f'{each_second:.2g}'):,.0f}"
