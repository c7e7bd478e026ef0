"""A player in a process of its own, which is told states as text: the far end of the pipes of strength_sides.py.

    python bench/strength_player.py CORE        reads questions and writes answers, a line of JSON each

It runs with the source of any commit on its path, so it takes nothing else of bench/, and of gamemaster only what is
seldom changed: `parse`, `find_player`, and a player's `start` and `think`. One thread, kept on one core. A player is
made for each role, started once, and kept for all games that it is then asked about: what it learnt stays.

    load    rules, their notation, and who plays: all that takes machine code is compiled, before any clock runs
    start   a player for a role, with a start clock in CPU seconds; where there is one it is kept, unless `anew`
    think   the move in a state, in CPU seconds by this process's own clock; `idle` are those spent unasked before it

An answer may be `refused` (this player cannot play that game) or `failed`, with the reason.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO

__all__ = ["Clock", "Refused", "serve", "served_on_core"]

WAIT = 600.0
"""Seconds to wait for machine code."""

SLOWEST = 0.1
"""A side gets at most ten times its CPU seconds on the wall, however busy the machine is."""

KEPT = 0.7
"""How much the moves before count for what a clock goes by."""

MOST_OVER = 0.5
"""Of the seconds for a move, how much at most is made up for in the next."""

IN_TIME = 0.9
"""Of its time on the wall, what a player takes that did not need all of it."""

SPIN = 0.1
"""CPU seconds to see how busy the core is."""

Told = Mapping[str, Any]
Answer = dict[str, Any]


class Refused(Exception):
    """This player cannot play that game."""


class Clock:
    """Turns CPU seconds, which a side may spend, into seconds on the wall, which our searches go by.

    The two differ where other work runs on the core. Who had too much in one move has less in those after it; who
    had too little has more, unless it did not want it.
    """

    def __init__(self) -> None:
        self.wall = self.used = self.over = 0.0

    def on_wall(self, seconds: float) -> float:
        """The time on the wall in which the CPU time is spent at the rate so far."""
        rate = self.used / self.wall if self.wall else 1.0
        return seconds / max(rate, SLOWEST)

    def for_move(self, seconds: float) -> float:
        """The same for a move, less what was overspent before."""
        return self.on_wall(seconds - self.over)

    def charge(self, seconds: float, used: float, *, in_time: bool) -> None:
        """Note what was used of the seconds for a move; of those who were done in time what is left is lost."""
        most = seconds * MOST_OVER
        self.over = min(most, max(0.0 if in_time else -most, self.over + used - seconds))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Learn from what is done meanwhile."""
        wall, used = time.perf_counter(), time.process_time()
        yield
        self.wall = self.wall * KEPT + time.perf_counter() - wall
        self.used = self.used * KEPT + time.process_time() - used

    def look(self) -> None:
        """Learn how busy the core is now."""
        with self.running():
            until = time.process_time() + SPIN
            while time.process_time() < until:
                pass


class PlayerSeat:
    """The players of one side, one for each role."""

    def __init__(self) -> None:
        self.players: dict[str, Any] = {}
        self.clock = Clock()
        self.ended = time.process_time()

    def load(self, told: Told) -> Answer:
        """Make the game, and have compiled what the player takes."""
        import gamemaster as gm
        from gamemaster.players.loading import find_player

        self.make = find_player(told["player"])
        self.seconds = told["seconds"]
        self.game = gm.parse(told["rules"], told["notation"], name=told["game"])
        _get_ready(self.game, told["player"])
        return {"source": gm.__file__, "machine": self.game.machine.name}

    def start(self, told: Told) -> Answer:
        """Start a player for a role."""
        from gamemaster.errors import Unsuitable

        role = told["role"]
        if role in self.players and not told["anew"]:
            return {"seconds": 0.0}
        self.players.pop(role, None)  # which lets go of its trees before others grow
        player = self._made(told["seed"])
        self.clock.look()
        began = time.process_time()
        clocks = _whole_clock(self.clock.on_wall(told["startclock"])), _whole_clock(self.seconds)
        try:
            player.start(role, self.game, *clocks)
        except Unsuitable as error:
            raise Refused(str(error)) from error
        self.players[role] = player
        self.ended = time.process_time()
        return {"seconds": self.ended - began, "summary": str(getattr(player, "summary", ""))}

    def think(self, told: Told) -> Answer:
        """The move in a state."""
        from gamemaster.search.budget import Budget

        idle = time.process_time() - self.ended
        player, state = self.players[told["role"]], self.game.state(told["facts"], told["step"])
        began = time.process_time()
        seconds, started = self.clock.for_move(self.seconds), time.perf_counter()
        with self.clock.running():
            move = player.think(state, Budget(seconds=seconds))
        in_time = time.perf_counter() - started < IN_TIME * seconds
        self.ended = time.process_time()
        self.clock.charge(self.seconds, self.ended - began + idle, in_time=in_time)
        return {"move": str(move), "seconds": self.ended - began, "idle": idle}

    def _made(self, seed: int) -> Any:
        """A new player on one thread."""
        from gamemaster.players.player import Player

        made: Any = self.make(seed)
        player = getattr(made, "player", made)  # what a file has
        if not isinstance(player, Player):
            raise Refused("it is no Player, so it cannot be told how long to think")
        if hasattr(player, "threads"):
            player.threads = 1
        return player


def _get_ready(game: Any, player: str) -> None:
    """Have the machine code of searches and of the game compiled; where it fails, players do without.

    All kinds that the player names: some wait for those, too, that a game does not take, and play in Python meanwhile.
    """
    from gamemaster.players.loading import in_machine_code

    kinds = in_machine_code(player)
    if game.compiled is None or not kinds:
        return
    from gamemaster.search.native.engine import engine_of
    from gamemaster.search.native.warming import prepare_search

    prepare_search(game, WAIT, kinds)
    engine_of(game.compiled).wait(WAIT)


def _whole_clock(seconds: float) -> float:
    """The clock of which a player may think for so long: see `thinking_time`."""
    from gamemaster.players.player import MARGIN, MARGIN_SHARE

    return max(seconds + MARGIN, seconds / (1 - MARGIN_SHARE))


# The pipes


def serve(seat: Any, questions: Iterable[str], answers: TextIO) -> None:
    """Answer all questions, whatever goes wrong."""
    ask: dict[str, Callable[[Told], Answer]] = {"load": seat.load, "start": seat.start, "think": seat.think}
    for line in questions:
        told = json.loads(line)
        try:
            answer = ask[told["ask"]](told)
        except Refused as error:
            answer = {"refused": str(error)}
        except Exception as error:  # a player may raise anything: it loses the game, and it is told
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


def served_on_core(seat: Any, core: str) -> None:
    """Answer over the standard streams, kept on a core; what players print goes to the error stream."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(core)})
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(seat, sys.stdin, answers)


if __name__ == "__main__":
    served_on_core(PlayerSeat(), sys.argv[1])
