"""/style: a style.toml beside sample states of a game that it draws; what is wrong stands at its lines.

The page is a form that works by itself: each button sends the whole text, and the answer is the page again with what
was typed. static/style.js sends the same form as somebody types, and asks for JSON.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, replace
from typing import cast, get_args
from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from gamemaster.draw.model import PanelKind
from gamemaster.draw.styles.style import COLOURS, GLYPHS, LOOKS
from gamemaster.errors import Forbidden, GamemasterError, ParameterError
from gamemaster.store.own_games import OwnGame
from gamemaster.web.copies import copy_of, why_not
from gamemaster.web.forms import Typed, typed_in
from gamemaster.web.jobs import Plain
from gamemaster.web.pages.arranging import own_choices
from gamemaster.web.patience import while_there
from gamemaster.web.people.signing import account_in, signed_in
from gamemaster.web.rendering import fragment, render
from gamemaster.web.shelf import chosen, shelf, style_of, title_of
from gamemaster.web.site import FIRST_GAME, site_of
from gamemaster.web.statuses import status_of
from gamemaster.web.styling import LARGEST_SEED, THEMES, found_text, styled_sample

__all__ = ["router"]

router = APIRouter()

SHOWN_THEMES = {"both": "Light and dark", "light": "Light", "dark": "Dark"}
SIZES = {"small": "Small", "medium": "Medium", "large": "Large"}
FIRST_SEED = 1
KINDS: tuple[PanelKind, ...] = get_args(PanelKind)


@dataclass(frozen=True, slots=True)
class StyleWish:
    """What the form says: a text, and which state is to be drawn by it, and how."""

    game: str
    text: str
    seed: int = FIRST_SEED
    at: int = -1
    """Which step of the random game; below 0 is the middle one."""
    theme: str = "both"
    size: str = "medium"
    is_beginning: bool = False
    """Whether nobody has typed anything yet."""


@router.get("/style")
async def page(request: Request, game: str = FIRST_GAME, done: str = "") -> Response:
    """The page of a game, with the style that it has, or one that says what was found."""
    await site_of(request).brought.check(request, game)
    text = _own_text(game) or await site_of(request).workers.quick(found_text, game)
    return await _page(request, StyleWish(game, text, is_beginning=True), is_saved=done == "saved")


@router.post("/style")
async def change(request: Request) -> Response:
    """What a button does: the page again, or what is asked for as JSON, or the file."""
    typed = await typed_in(request)
    wish = _wish(typed)
    is_json = "application/json" in request.headers.get("accept", "")
    try:
        await site_of(request).brought.check(request, wish.game)
        do = typed.text("do", "draw")
        if do == "export":
            return _file(wish)
        if do in ("standalone", "save"):
            return await _brought(request, wish, do)
        wish = await _moved(request, wish, do)
        return await (_data if is_json else _page)(request, wish)
    except GamemasterError as error:
        if is_json:
            return JSONResponse({"error": str(error)}, status_of(error))
        raise


def _wish(typed: Typed) -> StyleWish:
    """The form as values; ParameterError for what no button of ours says."""
    theme, size = typed.text("theme", "both"), typed.text("size", "medium")
    if theme not in SHOWN_THEMES or size not in SIZES:
        raise ParameterError(f"there is no theme {theme[:40]!r} or no size {size[:40]!r}")
    return StyleWish(
        game=typed.text("game", FIRST_GAME),
        text=typed.values.get("style", "").replace("\r\n", "\n").replace("\r", "\n"),
        seed=_whole(typed, "seed", FIRST_SEED, LARGEST_SEED),
        at=_whole(typed, "go", _whole(typed, "at", 0, LARGEST_SEED), LARGEST_SEED),
        theme=theme,
        size=size,
    )


def _whole(typed: Typed, name: str, usual: int, most: int) -> int:
    said = typed.text(name) or str(usual)
    if not (said.isascii() and said.isdecimal()) or len(said) > 10 or int(said) > most:
        raise ParameterError(f"{name} must be a whole number up to {most:,}, not {said[:40]!r}")
    return int(said)


async def _moved(request: Request, wish: StyleWish, do: str) -> StyleWish:
    """The wish after a button was pressed: another random game, or another text to begin with."""
    seed, text = wish.seed, wish.text
    if do == "seed":
        seed = random.randrange(LARGEST_SEED)
    elif do == "own":
        text = _own_text(wish.game)
    if do == "found" or (do == "own" and not text):
        text = await site_of(request).workers.quick(found_text, wish.game)
    return replace(wish, seed=seed, text=text)


def _own_text(game: str) -> str:
    """The style that a game has; nothing where it has none."""
    return style_of(chosen(game).folder.name)


def _file(wish: StyleWish) -> Response:
    """The text as a file to keep."""
    headers = {"content-disposition": 'attachment; filename="style.toml"', "cache-control": "no-store"}
    return Response(wish.text, media_type="application/toml; charset=utf-8", headers=headers)


# What is done with it


async def _brought(request: Request, wish: StyleWish, do: str) -> Response:
    """Another page, with the game in this style: a draft of it, or the next version of one's own."""
    try:
        return RedirectResponse(await _place(request, wish, do), 303)
    except GamemasterError as error:
        return await _page(request, wish, why_not(error), status_of(error))


async def _place(request: Request, wish: StyleWish, do: str) -> str:
    site = site_of(request)
    if (await _sample(request, wish))["findings"]:
        raise ParameterError("mend what is wrong with it first")
    sheet = replace(await copy_of(wish.game), style=wish.text)
    if do == "standalone":
        return f"/standalone/{await site.brought.draft(sheet)}"
    account = signed_in(request)
    own = await _own_game(request, wish.game)
    if own is None:
        raise Forbidden("this is not a game of yours; export its style, or use it in the editor")
    saved = await site.brought.save(account, sheet, id=own.id)
    return f"/style?game={saved.name}&done=saved"


async def _own_game(request: Request, name: str) -> OwnGame | None:
    """The game of whoever asks that has this name; None where it is somebody else's, or the library's."""
    account = account_in(request)
    if account is None or not name.startswith("@"):
        return None
    games = await asyncio.to_thread(site_of(request).store.own_games.of, account.id)
    return next((each for each in games if each.name == name), None)


# Answers


async def _sample(request: Request, wish: StyleWish) -> Plain:
    themes = THEMES if wish.theme == "both" else (wish.theme,)
    drawing = site_of(request).workers.quick(styled_sample, wish.game, wish.text, wish.seed, wish.at, themes)
    return await while_there(request, drawing)


async def _data(request: Request, wish: StyleWish) -> Response:
    """For the page's module: the parts that may have changed, and where mistakes are."""
    found = await _sample(request, wish)
    values = _values(wish, found)
    parts = {
        f"style-{part}": fragment(f"parts/style_{part}.html", **values)
        for part in ("findings", "samples", "pictures")
    }
    told = {key: found[key] for key in ("seed", "at", "last", "is_own", "findings")}
    return JSONResponse({**told, "text": wish.text, "parts": parts}, headers={"cache-control": "no-store"})


async def _page(
    request: Request, wish: StyleWish, problem: str = "", status: int = 200, *, is_saved: bool = False
) -> Response:
    """The whole page, with what was typed; where something could not be done, with why."""
    found = await _sample(request, wish)
    return render(
        request,
        "style.html",
        status,
        problem=problem,
        is_saved=is_saved,
        is_mine=await _own_game(request, wish.game) is not None,
        title=title_of(wish.game),
        games=shelf(),
        own=await own_choices(request),
        address=quote(wish.game, safe=":=,@"),
        has_own=bool(_own_text(wish.game)),
        themes=SHOWN_THEMES,
        sizes=SIZES,
        words={"Kinds": KINDS, "Looks": LOOKS, "Glyphs": GLYPHS, "Colours": (*COLOURS, "role 1", "#d55e00")},
        **_values(wish, found),
    )


def _values(wish: StyleWish, found: Plain) -> Plain:
    """What the templates are told."""
    at, last = cast("int", found["at"]), cast("int", found["last"])
    return {"wish": wish, "found": found, "told": _told(at, last, is_over=bool(found["is_over"]))}


def _told(at: int, last: int, *, is_over: bool) -> str:
    """Where in the random game somebody is."""
    if at == 0:
        return f"The start, of {last} step{'s' * (last != 1)}"
    if at == last:
        return f"The end, after {last} step{'s' * (last != 1)}" if is_over else f"After {last} steps"
    return f"After step {at} of {last}"
