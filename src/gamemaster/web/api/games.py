"""GET /games: the library; GET /games/{name}: a game or a variant, with its rules in any notation."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from starlette.requests import Request

from gamemaster.games.variants import GameChoice
from gamemaster.language.rules import Notation
from gamemaster.web import studies
from gamemaster.web.api.models import GameAnswer, GameRow, GamesAnswer, ParameterRow, VariantRow
from gamemaster.web.api.strictness import ApiRoute, answers
from gamemaster.web.shelf import GameWish, Size, card_of, chosen, notations_of, shelf, wish_for, written
from gamemaster.web.site import site_of

__all__ = ["router"]

router = APIRouter(route_class=ApiRoute, tags=["games"])

Flag = Annotated[bool, Query(description="Only games of which that is so.")]


@router.get("/games", responses=answers(414, 422, 429))
async def list_games(
    q: Annotated[str, Query(max_length=100, description="Words that a game must have.")] = "",
    kind: Annotated[str, Query(max_length=40)] = "",
    roles: Annotated[int | None, Query(ge=1, le=99, description="How many play it.")] = None,
    size: Size | None = None,
    chance: Flag = False,
    hidden: Flag = False,
    simultaneous: Flag = False,
) -> GamesAnswer:
    """The games of the library that fit."""
    asked = {"chance": chance, "hidden": hidden, "simultaneous": simultaneous}
    flags = tuple(flag for flag, is_asked in asked.items() if is_asked)
    wish: GameWish = wish_for(q, kind, str(roles or ""), size or "", flags)
    return GamesAnswer(games=[_row(card.name) for card in shelf() if wish.fits(card)])


@router.get("/games/{name}", responses=answers(404, 414, 422, 429, 503))
async def show_game(
    request: Request,
    name: Annotated[str, Path(max_length=200, json_schema_extra={"format": "game"})],
    notation: Annotated[
        Literal["kif", "hrf", "epilog"] | None,
        Query(alias="as", description="The notation of the rules; else they are as they were written."),
    ] = None,
) -> GameAnswer:
    """All about a game of the library, a variant, or a game that somebody brought."""
    await site_of(request).brought.check(request, name)
    choice = chosen(name)
    text, own = written(choice.name)
    wanted: Notation = notation or own
    if wanted != own:
        text = await site_of(request).workers.quick(studies.translated, choice.name, wanted)
    return GameAnswer(
        **dict(_row(choice.name)),
        description=choice.folder.description,
        notation=wanted,
        notations=list(notations_of(own)),
        rules=text,
        perft=list(choice.perft),
    )


def _row(name: str) -> GameRow:
    choice = chosen(name)
    folder, card = choice.folder, card_of(choice.folder.name)
    others = [GameChoice(folder, each, ()) for each in folder.variants]
    now = dict(choice.variant.values if choice.variant else {}) | dict(choice.values)
    return GameRow(
        name=choice.name,
        title=choice.title,
        aim=card.aim,
        kind=card.kind,
        tags=list(folder.tags),
        roles=list(folder.roles),
        players=card.players,
        size=card.size,
        has_chance=card.has_chance,
        is_hidden=card.is_hidden,
        is_simultaneous=card.is_simultaneous,
        variants=[VariantRow(name=each.name, title=each.title) for each in others],
        parameters=[
            ParameterRow(
                name=each.name, value=now.get(each.name, each.value), least=each.least, most=each.most
            )
            for each in folder.parameters
        ],
    )
