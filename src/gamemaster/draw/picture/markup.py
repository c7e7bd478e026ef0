"""Text and numbers -> markup: everything that is written into a drawing goes through here.

Names come from rules and styles of strangers. They are cut to a length, characters that XML cannot have or that turn
the direction of text are replaced, and the rest is escaped; so a drawing is well-formed whatever it is a drawing of.
"""

from __future__ import annotations

import re
from typing import TypeAlias

__all__ = ["MARKER", "Value", "clip", "escape", "seen", "short", "tag", "text_width"]

MARKER = "\ue000"
"""Stands for the prefix of a drawing's ids until the drawing is complete; no name keeps it."""

LONGEST = 200
REPLACED = "\ufffd"
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
UNSEEN = re.compile(f"[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff{MARKER}]")
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
NARROW, WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMW@%")

Value: TypeAlias = str | float | None


def clip(text: str, most: int = LONGEST) -> str:
    """At most so many characters of a text, on one line, without any that are not seen."""
    line = seen(" ".join(text[: 4 * most].split()))
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def seen(text: str) -> str:
    """All of a text, but for characters that are not seen."""
    return UNSEEN.sub(REPLACED, text)


def escape(text: str) -> str:
    """Text as it can stand in an attribute or between tags."""
    return "".join(ENTITIES.get(letter, letter) for letter in UNWRITABLE.sub(REPLACED, text))


def short(number: float) -> str:
    """A number with two digits after the point at most, and none that say nothing."""
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def tag(name: str, *children: str, **attributes: Value) -> str:
    """An element: attributes are escaped, and left out where None; children are markup. `in_x` is written `in-x`."""
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            text = escape(value) if isinstance(value, str) else short(value)
            parts.append(f'{key.strip("_").replace("_", "-")}="{text}"')
    inner = "".join(children)
    return f"<{' '.join(parts)}>{inner}</{name}>" if inner else f"<{' '.join(parts)}/>"


def text_width(text: str, *, is_bold: bool = False) -> float:
    """How wide a text is at most, about, in letters' heights: fonts differ, and nobody tells which one it will be."""
    return sum(map(_letter_width, text)) * (1.12 if is_bold else 1)


def _letter_width(letter: str) -> float:
    if letter in NARROW:
        return 0.36
    if letter in WIDE or ord(letter) > 0x2E80:
        return 0.98
    return 0.7 if letter.isupper() else 0.62
