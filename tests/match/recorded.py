"""Matches for tests: played at random before a referee, on a clock that the test moves."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from gamemaster.machine.game import RANDOM, Game
from gamemaster.match import events
from gamemaster.match.records.record import Record, record_of
from gamemaster.match.referee import Referee
from gamemaster.match.request import Reply
from gamemaster.match.settings import Settings

SEED = 7
CLOCK_TIME = "2026-11-16T02:00:00+00:00"


def recorded(rules: Game, seed: int = SEED, *, steps: int = 1_000, act: str = "", **more: Any) -> Record:
    """A random match of a game: once, from the second step on, somebody is late.

    The record has at most so many steps; with `act` somebody ends the match there (`end`, `abort` or `interrupt`).
    """
    found: list[events.Event] = []
    players = {role: f"player_{role}" for role in rules.roles if role != RANDOM}
    settings = Settings(10.0, 5.0, seed=seed, match="m01", **more)
    referee = Referee(rules, players, settings, listeners=[found.append])
    generator, now = random.Random(seed), 0.0
    referee.begin(now)
    while not referee.is_over and (act or referee.state.step < steps):
        if referee.state.step == steps and referee.phase != "stopping":
            getattr(referee, act)(now)
        outbox, referee.outbox = referee.outbox, []
        for request in outbox:
            referee.sent(now, request, str(request))
        for role, value in _replies(referee, generator).items():
            now = round(now + 0.25, 6)
            referee.receive(now, role, Reply(referee.number, value, value))
        if not referee.outbox and referee.deadline is not None:
            now = round(max(now, referee.deadline), 6)
            referee.tick(now)
    started = found[0]
    assert isinstance(started, events.Started)
    return record_of([replace(started, clock_time=CLOCK_TIME), *found[1:]])


def _replies(referee: Referee, generator: random.Random) -> dict[str, str]:
    """What the players say, in this order."""
    state = referee.state
    if referee.phase != "playing":
        word = "ready" if referee.phase == "starting" else "done"
        return dict.fromkeys(referee.roles, word)
    moves = {role: str(generator.choice(state.legal_moves(role))) for role in state.movers if role != RANDOM}
    is_late = state.step >= 1 and not any(referee.errors.values()) and state.movers[0] != RANDOM
    return {role: move for role, move in moves.items() if not (is_late and role == state.movers[0])}
