"""/metagamers: the rules of a game before and after transformers, side by side, and what that gained.

The address says which game and which transformers, so it can be shared. The page is complete as it comes but for what
takes a while: static/metagamers.js asks for the gain, more and more exactly; a reader without it gets it by a link.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, cast
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from gamemaster.errors import Busy, GamemasterError, ParameterError, RulesError
from gamemaster.language.rules import Notation
from gamemaster.metagame.catalogue import TRANSFORMERS, find_transformer
from gamemaster.web.copies import copy_of, short_title, why_not
from gamemaster.web.forms import typed_in
from gamemaster.web.jobs import Plain
from gamemaster.web.keeping import Kept
from gamemaster.web.pages.arranging import own_choices
from gamemaster.web.patience import while_there
from gamemaster.web.rendering import fragment, render
from gamemaster.web.shelf import NOTATION_NAMES, shelf, title_of
from gamemaster.web.site import site_of
from gamemaster.web.statuses import status_of
from gamemaster.web.transforming import compiled_gain, played_gain, transformed

__all__ = ["router"]

router = APIRouter()

FIRST_GAME, FIRST_TRANSFORMERS = "badtictactoe", ("optimizer", "pruner")
"""A game that is there to be made better, and what does that."""

MOST_TRANSFORMERS = 6
PLACES = 4
"""So many can be chosen on the page."""

SECONDS = 60.0
"""What transformers may take; large games take long on the ground."""

STAGES = (0.5, 2.0, 6.0)
"""CPU seconds of random play, one after the other; each is more exact than the one before."""

WORTH = 1.03
"""What is less than so many times as fast is not told from nothing."""

MOST_KEPT = 30
PLACES_TO_GO = {"edit": "/editor?game=", "play": "/standalone/"}

TOLD = {
    "optimizer": ("drops what the rest of a rule implies, and rules that others cover; better order", ""),
    "simplifier": ("drops subgoals that always hold, and rules that never fire", ""),
    "pruner": (
        "keeps what legal moves, goals, percepts and the end depend on",
        "facts that nothing reads are gone",
    ),
    "pruner:moves": ("also drops moves that do the same as another one", "such moves are no longer legal"),
    "materializer": ("turns views that never change into facts of the sheet", ""),
    "materializer:dynamic": (
        "also keeps views of the state in the state; GDL only",
        "states have more facts",
    ),
    "grounder": ("replaces every rule by its instances", "order of answers"),
    "symbolizer": ("turns atoms of ground rules into symbols; ground them first", "names of facts and moves"),
}
"""What each transformer does, and what may differ after it."""


@dataclass
class Transformed:
    """What was made of rules, and measured, since the server began."""

    rules: Kept[Plain] = field(default_factory=lambda: Kept(MOST_KEPT))
    gains: Kept[Plain] = field(default_factory=lambda: Kept(10 * MOST_KEPT))


@dataclass(frozen=True, slots=True)
class MetagameWish:
    """Which game, and which transformers in which order."""

    game: str
    transformers: tuple[str, ...]

    @property
    def query(self) -> str:
        """The wish as it stands in an address."""
        return urlencode(
            {"game": self.game, "with": ",".join(self.transformers)}, safe=":=,@", quote_via=quote
        )

    @property
    def file_name(self) -> str:
        """What a file with the new rules is called, without its ending."""
        return re.sub(r"[^a-z0-9]+", "-", "-".join((self.game, *self.transformers)).lower()).strip("-")[:80]


With = Annotated[list[str] | None, Query(alias="with")]


async def _wish(request: Request, game: str, chosen: list[str] | None) -> MetagameWish:
    """What an address asks for; UnknownGame, UnknownAlgorithm or ParameterError for what there is not."""
    await site_of(request).brought.check(request, game)
    names = [name.strip() for each in chosen or () for name in each[:400].split(",")]
    names = [name[:60] for name in names if name]
    if len(names) > MOST_TRANSFORMERS:
        raise ParameterError(f"{len(names)} transformers; {MOST_TRANSFORMERS} are applied at most")
    for name in names:
        find_transformer(name)
    return MetagameWish(game, tuple(names))


@router.get("/metagamers")
async def page(request: Request, game: str = "", chosen: With = None, gain: str = "") -> Response:
    """The page; with `gain`, what takes a while too."""
    if not game and chosen is None:
        wish = MetagameWish(FIRST_GAME, FIRST_TRANSFORMERS)
    else:
        wish = await _wish(request, game or FIRST_GAME, chosen)
    if not wish.transformers:
        return await _page(request, wish, None)
    try:
        found = await while_there(request, _transformed(request, wish))
        measured: Plain = {}
        if gain:
            measured = await while_there(request, _gain(request, wish, found, len(STAGES)))
    except GamemasterError as error:
        if isinstance(error, Busy):
            raise
        return await _page(request, wish, None, problem=why_not(error), status=status_of(error))
    return await _page(request, wish, found, measured)


@router.post("/metagamers")
async def bring(request: Request) -> Response:
    """A draft of the game with its new rules, in the editor or on Standalone."""
    typed = await typed_in(request)
    wish = await _wish(request, typed.text("game", FIRST_GAME), [typed.text("with")])
    where = PLACES_TO_GO.get(typed.text("do"))
    if where is None or not wish.transformers:
        raise ParameterError("choose transformers, and what to do with the rules that come out")
    found = await while_there(request, _transformed(request, wish))
    try:
        return RedirectResponse(f"{where}{await _draft(request, wish, found)}", 303)
    except GamemasterError as error:
        return await _page(request, wish, found, problem=why_not(error), status=status_of(error))


async def _draft(request: Request, wish: MetagameWish, found: Plain) -> str:
    """The name of a draft with the new rules; without a style that they no longer fit."""
    site = site_of(request)
    old = await copy_of(wish.game)
    title = short_title(f"{old.title} ({', '.join(wish.transformers)})")
    sheet = replace(old, title=title, rules=str(found["after"]))
    try:
        return await site.brought.draft(sheet)
    except RulesError:
        return await site.brought.draft(replace(sheet, style=""))


@router.get("/metagamers/rules")
async def rules(request: Request, game: str, chosen: With = None) -> Response:
    """The rules that come out, as a file to keep."""
    wish = await _wish(request, game, chosen)
    found = await while_there(request, _transformed(request, wish))
    name = f"{wish.file_name}.{found['notation']}"
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(str(found["after"]), media_type="text/plain; charset=utf-8", headers=headers)


@router.get("/metagamers/gain.json")
async def gain(
    request: Request,
    game: str,
    chosen: With = None,
    stage: Annotated[int, Query(ge=0, le=len(STAGES))] = 0,
) -> Response:
    """What was gained: as far as a stage goes; the last one is what both compile to."""
    try:
        wish = await _wish(request, game, chosen)
        found = await while_there(request, _transformed(request, wish))
        measured = await while_there(request, _gain(request, wish, found, stage))
    except GamemasterError as error:
        return JSONResponse({"error": str(error)}, status_of(error))
    return JSONResponse(
        {
            "stage": stage,
            **measured,
            "html": fragment("parts/metagame_gain.html", **_gain_values(found, measured)),
        }
    )


# What takes a while


def _kept(request: Request) -> Transformed:
    state = request.app.state
    if not hasattr(state, "transformed"):
        state.transformed = Transformed()
    return cast("Transformed", state.transformed)


async def _transformed(request: Request, wish: MetagameWish) -> Plain:
    slow = site_of(request).workers.slow
    job = partial(slow, transformed, wish.game, wish.transformers, seconds=SECONDS)
    return await _kept(request).rules.get(wish, job)


async def _gain(request: Request, wish: MetagameWish, found: Plain, stage: int) -> Plain:
    """All that is known up to a stage; what was measured longest counts."""
    kept, slow = _kept(request).gains, site_of(request).workers.slow
    after, notation = found["after"], found["notation"]
    number = min(stage, len(STAGES) - 1)
    if found["is_same"]:
        return {"played": None, "compiled": None}

    async def play() -> Plain:
        seconds = STAGES[number]
        job = slow(
            played_gain, wish.game, after, notation, wish.transformers, seconds, seconds=4 * seconds + SECONDS
        )
        return {"played": await job}

    async def compile_both() -> Plain:
        found = await slow(compiled_gain, wish.game, after, notation, seconds=SECONDS)
        return {"compiled": found}

    played = await kept.get((wish, number), play)
    compiled = (
        await kept.get((wish, "compiled"), compile_both) if stage == len(STAGES) else {"compiled": None}
    )
    return {**played, **compiled}


# What templates are told


async def _page(
    request: Request,
    wish: MetagameWish,
    found: Plain | None,
    measured: Plain | None = None,
    *,
    problem: str = "",
    status: int = 200,
) -> Response:
    chosen = [*wish.transformers, *[""] * PLACES][: max(PLACES, len(wish.transformers))]
    return render(
        request,
        "metagamers.html",
        status,
        wish=wish,
        title=title_of(wish.game),
        games=shelf(),
        own=await own_choices(request),
        address=quote(wish.game, safe=":=,@"),
        chosen=chosen,
        transformers=TRANSFORMERS,
        told=TOLD,
        problem=problem,
        found=found,
        stages=len(STAGES),
        is_measured=bool(measured) or bool(found and found["is_same"]),
        notation=NOTATION_NAMES[cast("Notation", found["notation"])] if found else "",
        rows=found["rows"] if found else [],
        **(_gain_values(found, measured or {}) if found else {}),
    )


def _gain_values(found: Plain, measured: Plain) -> Plain:
    """The table of figures, and what is said about them."""
    played = cast("Plain | None", measured.get("played"))
    compiled = cast("list[Plain] | None", measured.get("compiled"))
    sizes = cast("list[dict[str, int]]", found["sizes"])
    rows: list[tuple[str, ...]] = [
        ("Rules", *(f"{each['rules']:,}" for each in sizes)),
        ("Literals in them", *(f"{each['literals']:,}" for each in sizes)),
    ]
    if played:
        speeds = (cast("float", played[side]) for side in ("before", "after"))
        rows.append(("Steps of random play a CPU second", *map(_figure, speeds)))
    if compiled:
        for what, word in (("ground rules", "Rules without variables"), ("gates", "Gates when compiled")):
            rows.append((word, *(_figure(cast("float | None", each[what])) for each in compiled)))
    return {"figures": rows, "verdict": _verdict(found, played), "likeness": _likeness(found, played)}


def _figure(value: float | None) -> str:
    if value is None:
        return "not known"
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"


def _verdict(found: Plain, played: Plain | None) -> str:
    """What was gained, in words; nothing where that is not known yet."""
    if found["is_same"]:
        return "Nothing to gain: these transformers leave the rules as they are."
    if not played:
        return ""
    ratio, low, high = (cast("float | None", played[key]) for key in ("ratio", "low", "high"))
    if ratio is None or low is None or high is None:
        return "Too little was played to tell whether it is faster."
    span = f"(from {_times(low)} to {_times(high)})"
    if low > WORTH:
        return f"Random play is {_times(ratio)} times as fast {span}."
    if high < 1 / WORTH:
        return f"Random play is slower: {_times(ratio)} times as fast {span}."
    return f"No gain in random play that can be measured: {_times(ratio)} times as fast {span}."


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 20 else f"{ratio:.2g}" if ratio >= 10 else f"{ratio:.2f}"


def _likeness(found: Plain, played: Plain | None) -> str:
    """Whether it is still the same game, as far as was seen."""
    if found["is_same"] or not played:
        return ""
    if played["difference"]:
        return f"It is not the same game: {played['difference']}."
    games, states = cast("int", played["games"]), cast("int", played["states"])
    through = f"{games:,} random game{'s' * (games != 1)}" if games else "part of a random game"
    return f"Played side by side through {through}, in {states:,} states legal moves, ends and goals were the same."
