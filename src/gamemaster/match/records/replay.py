"""Record -> a match to look at again: its states step by step, in the words the rules had before they were scrambled.

States are taken as they were recorded; whether they are true is for `verifying` to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gamemaster.errors import GamemasterError, RecordError
from gamemaster.language.infix import read_term
from gamemaster.load import build, load
from gamemaster.machine.game import Game, State
from gamemaster.machine.showing import Shown
from gamemaster.match import events
from gamemaster.match.records.ggp import from_ggp, is_ggp
from gamemaster.match.records.record import Record, read_record
from gamemaster.match.records.verifying import game_of
from gamemaster.match.wire.scramble import Scrambling

__all__ = ["Replay", "load_record", "replay_data"]


def load_record(path: Path, game: str | None) -> Record:
    """The record in a file: ours, or ggp-base's JSON, for which the game must be named."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return read_record(path)
    if not is_ggp(text):
        return read_record(path)
    if game is None:
        raise RecordError(f"{str(path)!r} does not have the rules in it: name the game with --game")
    return from_ggp(text, load(game, machine="reference"))


@dataclass(frozen=True)
class Replay(Shown):
    """A match to show: its record, the game in its old words, and how to get from one to the other."""

    record: Record
    game: Game
    words: Scrambling

    @classmethod
    def of(cls, record: Record) -> Replay:
        """The match of a record."""
        started = record.started
        words = Scrambling.back(started.names)
        game = game_of(started, "reference")
        if started.names:
            game = build(words.scramble(game.sheet), started.game, "reference")
        return cls(record, game, words)

    def told(self, text: str) -> str:
        """A word or term of the record in the old words."""
        try:
            return str(self.words.translate(read_term(text)))
        except GamemasterError:
            return text

    def state(self, step: int) -> State | None:
        """The state after so many steps, in the old words; None where the record has none."""
        found = self.record.state(step)
        if found is None:
            return None
        return self.game.state([self.words.translate(read_term(fact)) for fact in found.facts], step)


def replay_data(record: Record, steps: Iterable[int]) -> dict[str, object]:
    """The match and some of its steps as plain data, ready for JSON, in the words of the record."""
    started = record.started
    return {
        "match": started.match,
        "game": started.game,
        "players": dict(started.players),
        "steps": [_step_data(record, step) for step in steps],
        "ended": events.event_to_json(record.ended) if record.ended else None,
        "is_truncated": bool(record.dropped),
    }


def _step_data(record: Record, step: int) -> dict[str, object]:
    state = record.state(step)
    moved = record.moves[step - 1] if step else None
    return {
        "step": step,
        "moves": dict(moved.moves) if moved else None,
        "substituted": list(moved.substituted) if moved else [],
        "thoughts": {role: dict(thought) for role, thought in moved.thoughts.items()} if moved else {},
        "faults": [events.event_to_json(fault) for fault in record.faults if fault.step == step - 1],
        "facts": list(state.facts) if state else None,
        "goals": dict(state.goals) if state else None,
        "is_terminal": state.is_terminal if state else None,
    }
