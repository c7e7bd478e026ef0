"""Lists of texts -> no more of them, and no longer ones, than a page can show."""

from __future__ import annotations

from collections.abc import Sequence

from gamemaster.web.jobs import Plain

__all__ = ["some"]

LONGEST = 300
"""Characters of a fact or a move."""


def some(texts: Sequence[str], most: int) -> Plain:
    """The first of some texts, each as far as it can be shown, and how many more there are."""
    shown = [each if len(each) <= LONGEST else f"{each[:LONGEST]}…" for each in texts[:most]]
    return {"items": shown, "more": len(texts) - len(shown)}
