"""Contents of cells -> short symbols: one letter if possible, two if need be; what is nothing has a dot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count, pairwise

__all__ = [
    "BLANK_WORDS",
    "EMPTY",
    "LETTERS_FOR_NOTHING",
    "blanks_of",
    "is_blank",
    "most_common",
    "owner_of",
    "symbols_of",
    "told_apart",
]

EMPTY = "·"
BLANK_WORDS = frozenset({"blank", "empty", "none", "nothing", "free", "nolight", "unmarked", "open"})
LETTERS_FOR_NOTHING = frozenset("beoz_.-")
SHORT = 2
"""Contents up to this length are written as they are."""
LONG_BEGINNING = 4
"""A beginning of at least this length that two contents share is left out of both."""


def is_blank(content: str, common: str | None) -> bool:
    """Whether a content says that there is nothing. `b` says so if most cells have it at the start."""
    return content in BLANK_WORDS or content == common == "b"


def most_common(contents: Iterable[str]) -> str | None:
    """What occurs more often than anything else."""
    ranked = Counter(contents).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def owner_of(content: str, roles: Sequence[str]) -> str | None:
    """The role that a content belongs to: named in full (whiterook), or by its first letter (wr)."""
    named = [role for role in roles if content.startswith(role)]
    if named:
        return max(named, key=len)
    initials = [role for role in roles if role[:1] == content[:1]]
    return initials[0] if len(initials) == 1 and len(content) <= SHORT else None


def symbols_of(contents: Iterable[str], blanks: Collection[str], roles: Sequence[str]) -> dict[str, str]:
    """A symbol for each content, no two alike but for blanks; short contents keep their text."""
    contents = list(dict.fromkeys(contents))
    symbols = {content: EMPTY for content in contents if content in blanks}
    symbols |= {content: content for content in contents if len(content) <= SHORT and content not in blanks}
    taken = set(symbols.values())
    shared = _shared_beginnings(content for content in contents if content not in blanks)
    for content in sorted(contents, key=len):
        if content not in symbols:
            proposals = _proposals(_words(content, shared.get(content, 0), roles), content)
            symbols[content] = next(symbol for symbol in proposals if symbol not in taken)
            taken.add(symbols[content])
    return {content: symbols[content] for content in contents}


def told_apart(symbols: dict[str, str], roles: Sequence[str]) -> dict[str, str]:
    """Symbols by name that were chosen one by one; those that several have get the first letter of another word:
    the `1` of red and that of green are `r1` and `g1`. Only dots may be alike."""
    times = Counter(symbols.values())
    taken = {symbol for symbol, count in times.items() if count == 1 or symbol == EMPTY}
    apart: dict[str, str] = {}
    for name, symbol in symbols.items():
        is_shared = times[symbol] > 1 and symbol != EMPTY
        proposals = _with_initials(name, symbol, roles) if is_shared else ()
        apart[name] = next((each for each in proposals if each not in taken), symbol)
        taken.add(apart[name])
    return apart


def _with_initials(name: str, symbol: str, roles: Sequence[str]) -> Iterator[str]:
    """Symbols that begin with a letter of the name, the best first, and without end."""
    words = [word for part in _words(name, 0, roles) for word in re.findall(r"[^\W\d]+|\d+", part)]
    yield from (word[0] + symbol for word in words if word != symbol)
    yield name
    yield from (f"{name} {number}" for number in count(2))


def _proposals(words: Sequence[str], content: str) -> Iterator[str]:
    """Symbols for a content that is these words, the best first, the content itself last."""
    if content.isdigit():
        yield content
    if len(words) > 1:
        first, rest = words[0] if words[0].isdecimal() else words[0][0], "".join(words[1:])
        yield from (first + letter for letter in (words[1][0], *rest))
    else:
        yield from words[0]
        yield words[0][0].upper()
        yield from (words[0][0] + letter for letter in words[0][1:])
    yield content


def _words(content: str, shared: int, roles: Sequence[str]) -> list[str]:
    """The words of a content: `white rook`, `white_rook` and, where white is a role, `whiterook` have two.

    A long beginning that another content shares tells nothing: the word of `blockednorth` is `north`.
    """
    owner = next((role for role in roles if content.startswith(role) and content != role), None)
    if owner:
        return [owner, *re.findall(r"[^\W_]+", content[len(owner) :])]
    words = re.findall(r"[^\W_]+", content) or [content]
    if len(words) > 1:
        return words
    return [content[shared:]] if LONG_BEGINNING <= shared < len(content) else words


def _shared_beginnings(contents: Iterable[str]) -> dict[str, int]:
    """How many letters each content shares with the beginning of another; in order, that is a neighbour."""
    shared: dict[str, int] = {}
    for one, other in pairwise(sorted(contents)):
        length = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
        shared[one] = max(shared.get(one, 0), length)
        shared[other] = length
    return shared


def blanks_of(contents: Collection[str], common: str | None, roles: Sequence[str]) -> set[str]:
    """The contents that say that there is nothing: by their words; a letter or 0 that most cells have at the start; `b`
    beside nothing but numbers."""
    blanks = {content for content in contents if is_blank(content, common)}
    others = [content for content in contents if content not in ("b", *BLANK_WORDS)]
    if "b" in contents and others and all(other.isdecimal() for other in others):
        blanks.add("b")
    blanks |= {content for content in contents if content.startswith("zero") and len(content) > len("zero")}
    is_letter = common in LETTERS_FOR_NOTHING and not any(role.startswith(common) for role in roles)
    return blanks | (
        {common} if common is not None and (is_letter or common == "0") and not blanks else set()
    )
