"""Matches for tests: played at random, with all that can happen in one, as the events a referee would give."""

from __future__ import annotations

import random

from gamemaster.language.dialect import show
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.match import events
from gamemaster.match.record import Record, record_of
from gamemaster.match.referee import drawn_move

SEED = 7


def recorded(game: Game, seed: int = SEED, *, steps: int = 1_000) -> Record:
    """A random match of a game: the second step of the first role is late, and some messages are told."""
    players = {role: f"player_{role}" for role in game.roles if role != RANDOM}
    first = next(iter(players))
    generator, state = random.Random(seed), game.initial_state()
    found: list[events.Event] = [
        events.Started(
            0.0,
            "m01",
            game.name,
            show(game.sheet),
            game.sheet.dialect,
            game.digest,
            game.roles,
            players,
            10.0,
            5.0,
            seed,
            "2026-11-16T02:00:00+00:00",
        ),
        events.Message(0.001, first, True, f"(start m01 {first} ((role x)) 10 5)"),
        events.Message(0.002, first, False, "ready"),
        events.Ready(0.002, first, 0.001),
        _state(game.initial_state(), 0.003),
    ]
    errors = dict.fromkeys(players, 0)
    while not state.is_terminal and state.step < steps:
        time, movers = float(state.step + 1), state.movers
        late: tuple[str, ...] = ()
        moves = {role: generator.choice(state.legal_moves(role)) for role in movers}
        if state.step >= 1 and not any(errors.values()) and movers[0] != RANDOM:
            late = (movers[0],)
            errors[late[0]] += 1
            found.append(events.Fault(time, state.step, late[0], "late", "nothing within 5 s", True))
        for role in (*late, RANDOM):
            if role in movers:
                moves[role] = drawn_move(seed, state.step, role, state.legal_moves(role))
        seen = state.percepts(moves) if game.has_percepts else {}
        percepts = {role: tuple(sorted(map(str, seen[role]))) for role in players if role in seen}
        texts = {role: str(move) for role, move in moves.items()}
        seconds = {role: 0.25 for role in movers if role in players}
        found.append(events.Moved(time, state.step, texts, seconds, late, percepts))
        state = state.next(moves)
        found.append(_state(state, time))
    if state.is_terminal:
        goals = {role: state.goal(role) for role in game.roles}
        found.append(events.Ended(float(state.step + 1), "completed", goals, errors))
    return record_of(found)


def _state(state: State, time: float) -> events.State:
    facts = tuple(map(str, state.ordered_facts))
    goals = {role: state.goal(role) for role in state.game.roles}
    return events.State(time, state.step, facts, goals, state.is_terminal)
