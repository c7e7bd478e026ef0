"""Whoever makes the moves of one side: a process of its own, with its source on its path, kept on one core.

What is asked and answered stands in strength_player.py. A player that crashes, answers nothing for long, or makes an
illegal move has `Failed`; its process is then another one in the next game. One that `Declined` cannot play the game.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commits import ROOT, apart, full_hash

__all__ = ["COMMIT", "OPENSPIEL", "Declined", "Failed", "Side", "Who", "opponent", "who_is"]

OPENSPIEL = "openspiel"
COMMIT = "commit:"
SCRIPT = Path(__file__).with_name("strength_player.py")
OPENSPIEL_SCRIPT = Path(__file__).with_name("strength_openspiel.py")

LOAD_SECONDS = 1800.0
"""How long it may take to compile everything, on a machine however busy."""

PATIENCE = 60.0
"""A move may take so many seconds on the wall, and as many times its CPU seconds."""

LAST_WORDS = 2000
"""Of what a process wrote before it died, so much is looked at."""


class Failed(Exception):
    """A player has lost: it crashed, it said nothing, or what it said is no legal move."""


class Declined(Exception):
    """A player cannot play a game."""


@dataclass(frozen=True)
class Who:
    """A player, and the source that it runs with. `title` is what it is called in tables and journals."""

    title: str
    player: str
    source: Path = ROOT / "src"
    caches: Path | None = None
    """A folder for its caches, where they must not be those of the working tree."""

    @property
    def script(self) -> Path:
        """What its process runs."""
        return OPENSPIEL_SCRIPT if self.player == OPENSPIEL else SCRIPT

    @property
    def environment(self) -> dict[str, str]:
        """What its process sees: its source first, one thread, caches of its own."""
        own = {"PYTHONPATH": str(self.source), "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        if self.caches is not None:
            own["GAMEMASTER_CACHE"] = str(self.caches / "gamemaster")
            own["NUMBA_CACHE_DIR"] = str(self.caches / "numba")
        return {**os.environ, **own}


def who_is(player: str) -> Who:
    """A player of the working tree, or OpenSpiel's."""
    return Who(player, player)


def title_of(against: str, player: str) -> str:
    """What an opponent is called: a commit by its hash, whatever named it; UnknownCommit where there is none."""
    if not against.startswith(COMMIT):
        return against
    revision, _, other = against.removeprefix(COMMIT).partition(":")
    return f"{COMMIT}{full_hash(revision)}:{other or player}"


@contextmanager
def opponent(against: str, player: str, kept: Path | None = None) -> Iterator[Who]:
    """Who `against` means: a player, or with `commit:REV` the same one, with `commit:REV:NAME` another, at a commit.

    Source and caches of a commit are apart, in a folder of commits if one is named; UnknownCommit for no commit.
    """
    title = title_of(against, player)
    if not title.startswith(COMMIT):
        yield who_is(against)
        return
    _, revision, name = title.split(":", 2)
    with apart(revision, kept) as folder:
        yield Who(title, name, folder / "src", folder / "caches")


class Side:
    """The near end of the pipes to a player's process."""

    def __init__(self, who: Who, core: int) -> None:
        self.who = who
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._process = subprocess.Popen(
            [sys.executable, str(who.script), str(core)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=who.environment,
            text=True,
        )

    def load(self, game: str, rules: str, notation: str, seconds: float, seed: int) -> dict[str, Any]:
        """Tell it which game is played, and how many CPU seconds a move has."""
        told = {"game": game, "rules": rules, "notation": notation, "seconds": seconds, "seed": seed}
        return self.ask("load", LOAD_SECONDS, player=self.who.player, **told)

    def start(self, role: str, startclock: float, seed: int, *, anew: bool) -> dict[str, Any]:
        """Have a player for a role, a new one or the one that it has."""
        patience = PATIENCE * (1 + startclock)
        return self.ask("start", patience, role=role, startclock=startclock, seed=seed, anew=anew)

    def ask(self, what: str, patience: float, **told: Any) -> dict[str, Any]:
        """Its answer; Failed where there is none in so many seconds, or it says so; Declined where it refuses."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"ask": what, **told}) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise Failed(self._last_words()) from None
        if not select.select([self._process.stdout], [], [], patience)[0]:
            raise Failed(f"it has not answered in {patience:.0f} s")
        line = self._process.stdout.readline()
        if not line:
            raise Failed(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "refused" in answer:
            raise Declined(answer["refused"])
        if "failed" in answer:
            raise Failed(answer["failed"])
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _last_words(self) -> str:
        """Why it died, as far as it said."""
        code = self._process.wait()
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - LAST_WORDS))
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"its process ended with {code}" + (f": {said[-1]}" if said else "")
