"""Things of a board -> badges: of those that would look the same, all but a plain one get a letter or two.

`white rook unpromoted` and `white rook promoted` are both a white rook; the second has a small p. Words that all of
them have tell nothing, so badges are made of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from gamemaster.draw.boards.symbols import BLANK_WORDS, LETTERS_FOR_NOTHING
from gamemaster.draw.finding.pieces import words_of
from gamemaster.draw.model import Thing

__all__ = ["badges_of"]

WRITTEN = frozenset({"text", "number", "tile"})
"""Glyphs that are, or have on them, the symbol of their content."""
LONGEST = 3
NOT = ("un", "non", "not", "no", "in")
"""Beginnings of a word that says that what another word says is not so."""


def badges_of(things: Iterable[Thing], roles: Sequence[str]) -> dict[str, str]:
    """The badges of those contents that would look like another."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for thing in things:
        alike.setdefault(_seen(thing), []).append(thing.content)
    return {
        content: badge
        for several in alike.values()
        if len(several) > 1
        for content, badge in _badges({each: words_of(each, roles) for each in several}).items()
    }


def _seen(thing: Thing) -> tuple[str, str, str]:
    """What is seen of a thing in a picture."""
    text = thing.sign or thing.symbol
    is_written = thing.glyph in WRITTEN or (thing.glyph == "coin" and text.isdecimal())
    return thing.glyph, thing.colour, text if is_written else ""


def _badges(words: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A badge for each content, by its words, but for one that is plain."""
    shared = set.intersection(*(set(each) for each in words.values()))
    own = {content: [word for word in each if word not in shared] for content, each in words.items()}
    others = {word for each in own.values() for word in each}
    plain = next(
        (content for content, each in own.items() if all(_says_no(word, others) for word in each)), None
    )
    badges: dict[str, str] = {}
    for content, each in own.items():
        if content != plain:
            badges[content] = next(badge for badge in _proposals(each) if badge not in badges.values())
    return badges


def _says_no(word: str, others: Iterable[str]) -> bool:
    """Whether a word says that there is nothing: `empty`, `e`; or that another is not so: `unmarked`."""
    if word in BLANK_WORDS or word in LETTERS_FOR_NOTHING or word == "0":
        return True
    return any(word == no + other for no in NOT for other in others)


def _proposals(words: Sequence[str]) -> Iterator[str]:
    """Badges for these words, the best first, and without end."""
    if words and len(words[0]) <= LONGEST:
        yield words[0]
    yield from ("".join(word[0] for word in words)[:LONGEST],) if words else ()
    yield from (words[0][:length] for length in range(1, LONGEST + 1) if words)
    yield from (str(number) for number in count(2))
