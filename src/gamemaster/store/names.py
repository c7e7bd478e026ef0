"""What somebody can be called: letters of one kind of look, so that nobody passes for another."""

from __future__ import annotations

import unicodedata

__all__ = ["LONGEST_NAME", "mistake_in_name", "tidied"]

SHORTEST_NAME, LONGEST_NAME = 2, 30
RESERVED = frozenset(
    ("admin", "administrator", "operator", "guest", "gamemaster", "system", "root", "anonymous")
)
"""Names that would be taken for an office."""

ALLOWED = frozenset(" -_.'")


def tidied(name: str) -> str:
    """A name as it is kept: in one form, without spaces that nobody sees."""
    return " ".join(unicodedata.normalize("NFKC", name[:200]).split())


def mistake_in_name(name: str) -> str:
    """What is wrong with a name that is tidied, in words; nothing where it is good."""
    if not SHORTEST_NAME <= len(name) <= LONGEST_NAME:
        return f"a name has {SHORTEST_NAME} to {LONGEST_NAME} letters"
    if not all(letter.isalnum() or letter in ALLOWED for letter in name) or not name[0].isalnum():
        return "a name is made of letters and digits, with spaces, - _ . ' between"
    if len({_script(letter) for letter in name if letter.isalpha()}) > 1:
        return "a name has letters of one alphabet"
    return f"nobody is called {name}" if name.lower() in RESERVED else ""


def _script(letter: str) -> str:
    """The alphabet of a letter, as its name in Unicode begins."""
    return unicodedata.name(letter, "?").split()[0]
