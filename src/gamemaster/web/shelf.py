"""Folders of the library -> what the site tells of games: cards, filters, texts. No game is loaded for it.

What kind of game it is comes from game.toml and from words of the sheet; what takes states is in `studies.py`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, get_args

from gamemaster import draw
from gamemaster.codegen.cache import key_of
from gamemaster.errors import ParameterError, UnknownGame
from gamemaster.games import GameFolder, entry, find_rules, game_names, on_shelf
from gamemaster.games.aims import aim_of
from gamemaster.games.variants import GameChoice, choose
from gamemaster.language.notation import COMMENT_MARKS
from gamemaster.language.rules import Notation, Rules
from gamemaster.machine.game import RANDOM
from gamemaster.store.entries import MatchEntry
from gamemaster.store.own_games import OwnGame
from gamemaster.web import studies
from gamemaster.web.jobs import check_library

__all__ = [
    "NOTATION_NAMES",
    "GameCard",
    "GameWish",
    "Size",
    "brought_cards",
    "card_of",
    "chosen",
    "kinds",
    "notations_of",
    "portrait_key",
    "shelf",
    "style_of",
    "title_of",
    "title_of_match",
    "wish_for",
    "written",
]

Size = Literal["small", "medium", "large"]
FEW, MANY = 6, 20
"""Ways on from a state, on the average of the first steps: below, a game is small; from the second on, large."""

KINDS = {
    "board": "Board games",
    "puzzle": "Puzzles",
    "heap": "Heaps",
    "race": "Races",
    "cards": "Cards",
    "simultaneous": "All at once",
    "guessing": "Guessing",
    "tree": "Trees of a textbook",
}
"""What the kinds of game.toml are called, in the order in which they are offered."""

COUNTS = ("no", "one", "two", "three", "four", "five", "six")
NOTATION_NAMES: dict[Notation, str] = {"kif": "KIF", "hrf": "HRF", "epilog": "Epilog"}
SIMULTANEOUS = "simultaneous moves"
LAST = "metagame"
"""The tag of games that are there for what can be made of their rules: others come first."""

LONGEST_QUERY = 100


@dataclass(frozen=True, slots=True)
class GameCard:
    """A game at a glance."""

    name: str
    title: str
    aim: str
    kind: str
    tags: tuple[str, ...]
    players: int
    size: Size
    has_chance: bool
    is_hidden: bool
    is_simultaneous: bool
    key: str
    """Of its picture."""

    owner: str = ""
    """Who brought it, where somebody did."""

    @property
    def told(self) -> str:
        """What kind of game it is, in words."""
        count = COUNTS[self.players] if self.players < len(COUNTS) else str(self.players)
        turns = "" if self.players == 1 else ", all at once" if self.is_simultaneous else ", in turn"
        said = f"{count} player{'s' * (self.players != 1)}{turns}"
        said += ", chance" * self.has_chance + ", hidden information" * self.is_hidden
        return said[0].upper() + said[1:]

    @property
    def words(self) -> str:
        """What is searched, in lower case."""
        words = (self.name, self.title, self.kind, self.told, *self.tags, self.aim, self.owner)
        return " ".join(words).lower()

    @property
    def flags(self) -> tuple[str, ...]:
        """The yes-or-no filters that let it through."""
        said = {"chance": self.has_chance, "hidden": self.is_hidden, "simultaneous": self.is_simultaneous}
        return tuple(flag for flag, is_so in said.items() if is_so)


@dataclass(frozen=True, slots=True)
class GameWish:
    """Which games somebody wants to see; what is empty does not matter."""

    q: str = ""
    kind: str = ""
    roles: int = 0
    size: str = ""
    flags: tuple[str, ...] = ()

    def fits(self, card: GameCard) -> bool:
        """Whether a game is one of them."""
        words = card.words
        return (
            all(word in words for word in self.q.lower().split())
            and self.kind in ("", card.kind)
            and self.roles in (0, card.players)
            and self.size in ("", card.size)
            and set(self.flags) <= set(card.flags)
        )

    @property
    def is_open(self) -> bool:
        """Whether everything fits."""
        return self == GameWish()


def wish_for(q: str, kind: str, roles: str, size: str, flags: tuple[str, ...]) -> GameWish:
    """The wish that a form states; ParameterError for what no form of ours says."""
    if kind and kind not in kinds():
        raise ParameterError(f"there is no kind {kind[:40]!r}; there are {', '.join(kinds())}")
    if size and size not in get_args(Size):
        raise ParameterError(f"a size is small, medium or large, not {size[:40]!r}")
    if roles and not re.fullmatch(r"[0-9]{1,2}", roles):
        raise ParameterError(f"roles must be a number, not {roles[:40]!r}")
    return GameWish(" ".join(q[:LONGEST_QUERY].split()), kind, int(roles or 0), size, flags)


# The games


@cache
def shelf() -> tuple[GameCard, ...]:
    """All games by title; those for metagaming last."""
    cards = [_card(entry(name)) for name in game_names()]
    return tuple(sorted(cards, key=lambda card: (LAST in card.tags, card.title.lower())))


def card_of(name: str) -> GameCard:
    """The card of a game of the library, or of one that somebody brought."""
    return next((card for card in shelf() if card.name == name), None) or _card(entry(name))


def brought_cards(games: Iterable[OwnGame]) -> list[GameCard]:
    """The cards of games that somebody brought, as far as they are still there."""
    there = [game for game in games if on_shelf(game.name)]
    return [replace(_brought_card(game.name), title=game.title, owner=game.owner) for game in there]


@lru_cache(maxsize=512)
def _brought_card(name: str) -> GameCard:
    return _card(entry(name))


@cache
def kinds() -> dict[str, str]:
    """The kinds of games that there are, and what they are called."""
    found = {card.kind for card in shelf()}
    known = {kind: title for kind, title in KINDS.items() if kind in found}
    return known | {kind: kind.capitalize() for kind in sorted(found - known.keys())}


def _card(folder: GameFolder) -> GameCard:
    text, notation = written(folder.name)
    return GameCard(
        name=folder.name,
        title=folder.title,
        aim=aim_of(folder.name, Rules((), notation)),
        kind=folder.kind,
        tags=folder.tags,
        players=len([role for role in folder.roles if role != RANDOM]),
        size=_size(folder.perft),
        has_chance=RANDOM in folder.roles,
        is_hidden=re.search(r"\bsees\b", _without_comments(text, notation)) is not None,
        is_simultaneous=SIMULTANEOUS in folder.tags,
        key=portrait_key(folder.name),
    )


def _size(perft: tuple[int, ...]) -> Size:
    """By how many ways there are on from a state, as far as the known counts of moves tell."""
    ways = perft[-1] ** (1 / len(perft)) if perft else FEW
    return "small" if ways < FEW else "medium" if ways < MANY else "large"


def _without_comments(text: str, notation: Notation) -> str:
    return re.sub(rf"{COMMENT_MARKS[notation]}[^\r\n]*", "", text)


# Their texts


@lru_cache(maxsize=512)
def chosen(name: str) -> GameChoice:
    """A game of the library, or a variant of one; UnknownGame or ParameterError for anything else."""
    check_library(name)
    choice = choose(name)
    if choice is None:
        raise UnknownGame(f"there is no game {name!r} here")
    return choice


@lru_cache(maxsize=512)
def written(name: str) -> tuple[str, Notation]:
    """The rules of a game as they are written, and in which notation."""
    notation: Notation = find_rules(chosen(name).folder.name).suffix[1:]  # type: ignore[assignment]
    return chosen(name).source().text, notation


def notations_of(notation: Notation) -> tuple[Notation, ...]:
    """The notations that rules can be shown in which are written in this: only Epilog can say what Epilog says."""
    return tuple(each for each in NOTATION_NAMES if each == notation or each != "epilog")


@lru_cache(maxsize=512)
def style_of(folder: str) -> str:
    """The text of a game's style.toml; empty where it has none."""
    path = find_rules(folder).with_name("style.toml")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


@lru_cache(maxsize=512)
def portrait_key(name: str) -> str:
    """The key under which the picture of a game is kept: another one as soon as anything of it changes."""
    choice = chosen(name)
    return key_of("portrait", choice.name, written(name), style_of(choice.folder.name), _drawing_code())


@cache
def _drawing_code() -> str:
    """What draws, as a hash of its files: a version would not change with every change."""
    files = [*Path(draw.__file__).parent.rglob("*.py"), Path(studies.__file__)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()


def title_of_match(entry: MatchEntry) -> str:
    """What people call the game of a match; one that somebody brought may be gone, or have another title by now."""
    return entry.title if entry.game.startswith("@") else title_of(entry.game)


def title_of(game: str) -> str:
    """What people call a game, with what is special about a variant; of one that the library lacks, its name."""
    name, _, variant = game.partition(":")
    is_known = name in game_names() or on_shelf(name) is not None
    title = (entry(name).title if is_known else "") or name
    return f"{title} ({variant})" if variant else title
