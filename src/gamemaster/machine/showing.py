"""What notebooks show as a piece of a page: the base of games, statistics and results.

Who makes that piece comes later in the house, and is put here by whoever loads all of the package: so no stage has to
know of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

__all__ = ["Shown"]


class Shown:
    """Something that a notebook shows in its own way; elsewhere it prints itself."""

    __slots__ = ()

    _show: ClassVar[Callable[[Shown], str | None] | None] = None
    """What makes HTML of it, None where it cannot."""

    def _repr_html_(self) -> str | None:
        """The piece of a page, where notebooks ask for it."""
        show = Shown._show
        return show(self) if show else None
