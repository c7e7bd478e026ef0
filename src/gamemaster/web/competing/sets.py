"""Sets of games: those that follow from the library, the site's own, and people's; and who may change which."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

from gamemaster.errors import Forbidden, ParameterError, UnknownGameSet
from gamemaster.store.accounts import Account
from gamemaster.store.competing import GameSet
from gamemaster.store.matches import Store
from gamemaster.web.shelf import kinds, shelf

__all__ = ["ALL", "check_owner", "computed_sets", "is_computed", "mistake_in_title", "set_of", "sets_for"]

ALL = "all"
LONGEST_TITLE = 60
SOME_TIME = datetime(2026, 1, 1, tzinfo=UTC)


@cache
def computed_sets() -> tuple[GameSet, ...]:
    """The sets that nobody has to make: all games, those for two that hide nothing, and those of each kind."""
    cards = shelf()
    found = [
        (ALL, "All games of the library", [card.name for card in cards]),
        (
            "for-two",
            "Games for two with nothing hidden",
            [card.name for card in cards if card.players == 2 and not card.is_hidden],
        ),
    ]
    for kind, title in kinds().items():
        found.append((f"kind-{kind}", title, [card.name for card in cards if card.kind == kind]))
    return tuple(GameSet(id, None, title, tuple(games), SOME_TIME) for id, title, games in found)


def is_computed(id: str) -> bool:
    """Whether a set follows from the library."""
    return any(each.id == id for each in computed_sets())


def sets_for(store: Store, account: Account | None) -> list[GameSet]:
    """All sets that somebody can choose; not for the loop."""
    return [*computed_sets(), *store.game_sets.seen_by(account.id if account else None)]


def set_of(store: Store, id: str, account: Account | None) -> GameSet:
    """The set of an id; UnknownGameSet where there is none for this account. Not for the loop."""
    for each in computed_sets():
        if each.id == id:
            return each
    found = store.game_sets.find(id[:40])
    is_own = account is not None and found is not None and found.account_id == account.id
    if found is None or not (found.account_id is None or is_own):
        raise UnknownGameSet(f"there is no game set {id[:40]!r}")
    return found


def check_owner(found: GameSet, account: Account) -> None:
    """Forbidden, where somebody may see a set but not change it."""
    if is_computed(found.id):
        raise Forbidden("this set follows from the library, and cannot be changed; make one of your own")
    if found.account_id is None and not account.is_operator:
        raise Forbidden("this set is the site's own; only an operator may change it")


def mistake_in_title(title: str) -> str:
    """What is wrong with a name of a set or a competition, in words; nothing where it is good."""
    if not title:
        return "a name is needed"
    if len(title) > LONGEST_TITLE:
        return f"a name has at most {LONGEST_TITLE} letters"
    if not title.isprintable() or set(title) & set("/\\:") or title[0] == ".":
        return "a name is a line of letters without / \\ and :, and does not begin with a dot"
    return ""


def listed_games(text: str, most: int) -> list[str]:
    """Names of games that somebody typed, by lines or commas; a comma inside a variant belongs to it."""
    found: list[str] = []
    for line in text.replace("\r", "\n").split("\n"):
        for piece in line.split(","):
            piece = piece.strip()
            if found and "=" in piece and ":" not in piece and ":" in found[-1]:
                found[-1] += f",{piece}"
            elif piece:
                found.append(piece)
    if len(found) > most:
        raise ParameterError(f"{len(found)} games; there can be {most}")
    return list(dict.fromkeys(found))


def titled(sets: Sequence[GameSet], id: str) -> str:
    """What a set is called."""
    return next((each.title for each in sets if each.id == id), id)
