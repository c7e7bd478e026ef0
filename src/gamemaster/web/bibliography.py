"""texts/bibliography.toml -> what to read, in groups, each work with what it teaches and where to try that here."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["ReadingGroup", "ReadingWork", "bibliography"]

FILE = Path(__file__).parent / "texts" / "bibliography.toml"


@dataclass(frozen=True, slots=True)
class ReadingWork:
    """Something to read."""

    title: str
    authors: str
    where: str
    teaches: str
    tries: tuple[tuple[str, str], ...] = ()
    """Addresses of the site, and what is there."""


@dataclass(frozen=True, slots=True)
class ReadingGroup:
    """Works that belong together."""

    title: str
    words: str
    works: tuple[ReadingWork, ...]

    @property
    def anchor(self) -> str:
        """Where it is on the page."""
        return self.title.lower().replace(" ", "-")


@cache
def bibliography() -> tuple[ReadingGroup, ...]:
    """All of it, in its order."""
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        ReadingGroup(group["title"], group["words"], tuple(map(_work, group["work"])))
        for group in read["group"]
    )


def _work(said: dict[str, object]) -> ReadingWork:
    tries = said.pop("try", [])
    assert isinstance(tries, list)
    return ReadingWork(tries=tuple((address, words) for address, words in tries), **said)  # type: ignore[arg-type]
