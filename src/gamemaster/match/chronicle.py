"""Games, states and moves -> the events that tell of them. Their time is filled in by the referee."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from gamemaster.language.notation import show
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.match import events
from gamemaster.match.request import Told
from gamemaster.match.settings import Settings
from gamemaster.match.thought import Thought

__all__ = ["goals_of", "match_name", "moved_event", "settings_of", "started_event", "state_event"]


def match_name(game: Game, settings: Settings) -> str:
    """A name for a match: a symbol in every notation, which tells neither the seed nor, if scrambled, the game."""
    name = "" if settings.names else game.name
    word = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return f"{word.lower() or 'match'}.{secrets.token_hex(4)}"


def started_event(game: Game, players: Mapping[str, str], settings: Settings) -> events.Started:
    """How a match begins."""
    return events.Started(
        time=0,
        match=settings.match,
        game=settings.game or game.name,
        rules=game.sheet.source.text or show(game.sheet),
        notation=game.sheet.notation,
        digest=game.digest,
        roles=game.roles,
        players=dict(players),
        start_clock=settings.start_clock,
        play_clock=settings.play_clock,
        seed=settings.seed,
        clock_time=datetime.now(UTC).isoformat(timespec="seconds"),
        names=dict(settings.names),
        clocks=dict(settings.clocks),
        opening=settings.opening,
        most_steps=settings.most_steps,
        counts_cpu=settings.counts_cpu,
        grace=settings.grace,
    )


def settings_of(started: events.Started, ping_clock: float) -> Settings:
    """How a match was run that began like this; no record tells the ping clock."""
    return Settings(
        started.start_clock,
        started.play_clock,
        ping_clock,
        started.seed,
        started.match,
        started.names,
        started.game,
        started.clocks,
        opening=started.opening,
        most_steps=started.most_steps,
        counts_cpu=started.counts_cpu,
        grace=started.grace,
    )


def state_event(state: State) -> events.Reached:
    """A state that was reached."""
    facts = tuple(map(str, state.ordered_facts))
    return events.Reached(0, state.step, facts, goals_of(state), state.is_terminal)


def goals_of(state: State) -> dict[str, int | None]:
    """What each role gets."""
    return {role: state.goal(role) for role in state.game.roles}


def moved_event(
    state: State,
    moves: Mapping[str, Term],
    *,
    seconds: Mapping[str, float],
    substituted: Sequence[str],
    told: Mapping[str, Told],
    thoughts: Mapping[str, Thought],
) -> events.Moved:
    """The joint move made in a state."""
    percepts = {
        role: tuple(map(str, each.percepts)) for role, each in told.items() if each.percepts is not None
    }
    texts = {role: str(move) for role, move in moves.items()}
    return events.Moved(0, state.step, texts, seconds, tuple(substituted), percepts, thoughts)
