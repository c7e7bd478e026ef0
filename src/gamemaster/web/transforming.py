"""What workers do for the Metagamers: rules before and after transformers, and what that gained.

What is measured is the text that people get: it is read again, as whoever takes it will.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from gamemaster.errors import LimitExceeded
from gamemaster.language.notation import read, show
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source
from gamemaster.language.terms import Compound, Term
from gamemaster.load import build, source_of
from gamemaster.metagame.catalogue import apply
from gamemaster.metagame.gain import MOST_SENTENCES, compare, compiled_sizes, written_sizes
from gamemaster.metagame.symbolizer import symbol_of
from gamemaster.web.differences import difference
from gamemaster.web.jobs import BROUGHT_LIMITS, Plain, check_library

__all__ = ["compiled_gain", "played_gain", "transformed"]

LONGEST_RULES = 2_000_000
"""Characters of rules that come out; ground rules of a large game are many times what its sheet has."""


def transformed(name: str, transformers: Sequence[str]) -> Plain:
    """The rules of a game before and after transformers, one sentence a line, and the rows of both side by side."""
    check_library(name)
    sheet = read(source_of(name))
    changed = apply(sheet, transformers)
    before, after = show(sheet), show(changed)
    if len(after) > LONGEST_RULES:
        raise LimitExceeded(
            "size", f"{LONGEST_RULES:,} characters", doing="writing down the rules that come out"
        )
    found = difference(before, after, sheet.notation)
    return {
        "game": name,
        "notation": sheet.notation,
        "after": after,
        "is_same": before == after,
        "sizes": [written_sizes(sheet), written_sizes(changed)],
        "rows": list(found.rows),
        "gone": found.gone,
        "new": found.new,
        "changed": found.changed,
        "more": found.more,
    }


def played_gain(
    name: str, after: str, notation: Notation, transformers: Sequence[str], seconds: float
) -> Plain | None:
    """How fast both are in random play, and whether it is the same game; None where the rules are too many for it."""
    sheet, changed = read(source_of(name)), read(Source(name, after), notation)
    if max(len(sheet.sentences), len(changed.sentences)) > MOST_SENTENCES:
        return None
    limits = BROUGHT_LIMITS if name.startswith("@") else None
    found = compare(
        build(sheet, name, "reference", limits),
        build(changed, name, "reference", limits),
        seconds,
        rename=_as_symbol if "symbolizer" in transformers else _as_it_is,
        has_fewer_moves="pruner:moves" in transformers,
    )
    return asdict(found)


def _as_symbol(move: Term) -> Term:
    return symbol_of(move) if isinstance(move, Compound) else move


def _as_it_is(move: Term) -> Term:
    return move


def compiled_gain(name: str, after: str, notation: Notation) -> list[dict[str, int | None]]:
    """What both compile to."""
    return [compiled_sizes(read(source_of(name))), compiled_sizes(read(Source(name, after), notation))]
