"""Players that are invited to a person's table: they get ready, think behind a bar, and say what they think.

What they answer is judged by the referee, as in any match. A player that crashes, or gives no move or one that is not
legal, does not end the game: that is told in a line, and any legal move is made in its place.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from gamemaster.draw.results import result_in_words
from gamemaster.errors import GamemasterError, UnknownRole, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game
from gamemaster.match.events import Fault
from gamemaster.players.catalogue import refusal_of
from gamemaster.players.given import Filled
from gamemaster.players.loading import FilePlayer, make_player
from gamemaster.players.player import Handlers, Player
from gamemaster.terminal.progress import waiting
from gamemaster.terminal.report import printable_line

__all__ = ["Guest", "invite"]

SHORTEST_START = 10.0
"""Seconds that a player has at least to get ready."""

LONGEST_REPLY = 80
"""So much is shown of a reply that is no move."""


@dataclass
class Guest:
    """A player in a role."""

    name: str
    role: str
    player: Handlers
    seconds: float
    is_talkative: bool = True
    """Whether it says why it chose a move."""

    def start(self, game: Game) -> None:
        """Get ready; what it refuses, or what goes wrong now, is an error."""
        clock = max(SHORTEST_START, self.seconds)
        try:
            with waiting(f"{self.short} gets ready", clock):
                self.player.start(self.role, game, clock, self.seconds)
        except Unsuitable as error:
            raise Unsuitable(refusal_of(self.name, game, str(error))) from error
        if self.is_talkative:
            self._say_found()

    @property
    def short(self) -> str:
        """What it is called beside a bar, which has no room for the path of a file."""
        return self.player.name if isinstance(self.player, FilePlayer) else self.name

    def _say_found(self) -> None:
        """Print what it found out, in a line; that this goes wrong is told too."""
        player = self.player.player if isinstance(self.player, Filled) else self.player
        try:
            if isinstance(player, Player) and player.summary:
                print(printable_line(f"{self.name}: {player.summary}"))
        except Exception as error:  # a player's code may raise anything; the game goes on
            print(f"{self.name} cannot say what it found out: {_words_of(error)}")

    def say_why(self) -> None:
        """Print what it thought, where it says so; that this goes wrong is told too, and costs it nothing."""
        try:
            result = getattr(self.player, "last_result", None)
            if result:
                print(f"{self.name}: {result_in_words(result)}")
        except Exception as error:  # as above
            print(f"{self.name} cannot say why: {_words_of(error)}")

    def told_of(self, fault: Fault, legal: Sequence[Term]) -> str:
        """What is wrong with its answer; where it had no move to make, only that it fails; else nothing."""
        match fault.kind:
            case "late" if legal:
                what = f"has {fault.detail}"
            case "crashed" | "refused" | "huge":
                what = f"fails: {fault.detail}"
            case "illegal" | "malformed" if fault.detail == "no move":
                what = "gives no move"
            case "illegal" | "malformed":
                what = f"answers {fault.detail[:LONGEST_REPLY]!r}, which is not legal"
            case _:
                return ""
        return f"{self.name} {what}" + ("; a move at random is made for it." if legal else ".")


def _words_of(error: BaseException) -> str:
    """What went wrong, in a line."""
    try:
        what = " ".join(str(error).split())
    except Exception:  # it is of the player's own making
        what = ""
    name = "" if isinstance(error, GamemasterError) and what else type(error).__name__
    return ": ".join(filter(None, (name, what)))


def invite(
    names: Sequence[str], game: Game, people: Sequence[str], *, seconds: float, generator: random.Random
) -> list[Guest]:
    """A guest for each role that no person plays: the one named for all, or each in role order."""
    roles = [role for role in game.roles if role not in people and role != RANDOM]
    if not roles:
        raise UnknownRole(f"no role of {game.name} is left for {names[0]}: people play {', '.join(people)}")
    if len(names) not in (1, len(roles)):
        raise UnknownRole(
            f"{len(names)} players for {len(roles)} roles of {game.name} that no person plays: {', '.join(roles)}"
        )
    chosen = list(names) * len(roles) if len(names) == 1 else list(names)
    return [
        Guest(name, role, make_player(name, seed=generator.getrandbits(32)), seconds)
        for name, role in zip(chosen, roles, strict=True)
    ]
