"""Relations that have the coordinates of a place apart -> one board: `posx(red,3)` and `posy(red,4)`."""

from __future__ import annotations

from collections.abc import Sequence

from gamemaster.draw.boards.shape import NUMBER, Row
from gamemaster.draw.finding.compass import north_of
from gamemaster.draw.finding.facts import RelationFacts
from gamemaster.draw.styles.style import BoardStyle, Layer
from gamemaster.machine.game import Game

__all__ = ["apart_board"]

LARGEST = 45
"""A plane with more rows or columns than this is not drawn."""
LETTERS = (("x", "y"), ("column", "row"), ("col", "row"), ("file", "rank"))
NOT_PLACES = ("vel", "speed", "acc", "max", "min", "size")


def apart_board(game: Game, facts: Sequence[RelationFacts]) -> BoardStyle | None:
    """The board of two relations that are named alike but for x and y."""
    named = {each.relation: each for each in facts}
    for (name, arity), across in named.items():
        for x, y in LETTERS:
            is_x = name == x or name.startswith(x) or name.endswith(x)
            up = named.get((name.replace(x, y), arity)) if is_x and name.count(x) == 1 else None
            if up and up is not across and not any(word in name for word in NOT_PLACES) and 1 <= arity <= 2:
                return _board(game, across, up)
    return None


def _board(game: Game, across: RelationFacts, up: RelationFacts) -> BoardStyle | None:
    arity = across.relation[1]
    axes = [_in_order(each.values[-1]) for each in (across, up)]
    is_one = across.is_function and up.is_function and bool(across.initial)
    if not is_one or any(not 2 <= len(axis) <= LARGEST or not _is_counted(axis) for axis in axes):
        return None
    north = north_of(game)
    return BoardStyle(
        layers=(
            Layer(
                across.relation,
                at=((arity - 1,),),
                content=((0,),) if arity == 2 else (),
                says=game.roles[0],
                partner=(up.relation, (arity - 1,)),
            ),
        ),
        title=f"{across.relation[0]}, {up.relation[0]}",
        row=1,
        column=0,
        rows=axes[1],
        columns=axes[0],
        counts_up=north[1] if north else True,
        contents=across.values[0] if arity == 2 else game.roles[:1],
        grows=False,
    )


def _in_order(values: Row) -> Row:
    """Numbers in their order, with all that are between them; else as they are."""
    if not values or not all(map(NUMBER.match, values)):
        return values
    first, last = min(map(int, values)), max(map(int, values))
    return tuple(map(str, range(first, last + 1))) if last - first < LARGEST else ()


def _is_counted(axis: Row) -> bool:
    """Whether values are numbers, or numbered."""
    return all(value.lstrip("abcdefghijklmnopqrstuvwxyz-").isdecimal() for value in axis)
