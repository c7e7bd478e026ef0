"""Who may see something of somebody's: a game, a player."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from gamemaster.errors import ParameterError

__all__ = ["VISIBILITIES", "Visibility", "is_seen_by", "visibility_of"]

Visibility: TypeAlias = Literal["private", "link", "public"]
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)
"""Whose it is alone; whoever knows its name or address too; everybody, in lists."""


def visibility_of(text: str) -> Visibility:
    """The visibility of that name; ParameterError for anything else."""
    for each in VISIBILITIES:
        if text == each:
            return each
    raise ParameterError(
        f"it is seen as {', '.join(VISIBILITIES[:-1])} or {VISIBILITIES[-1]}, not {text[:40]!r}"
    )


def is_seen_by(account_id: str, visibility: Visibility, owner_id: str) -> bool:
    """Whether somebody who knows of it may see it; a guest has no id."""
    return visibility != "private" or (bool(account_id) and account_id == owner_id)
