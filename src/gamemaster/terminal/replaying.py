"""`gamemaster replay`: a match from its record, step by step, and whether the record is true.

In a terminal each step waits for a key; in a pipe all follow each other. Boards are drawn from the states as they
were recorded, in the old words where the rules were scrambled.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from gamemaster.draw.reasons import pointed_out
from gamemaster.errors import RecordError
from gamemaster.match import events
from gamemaster.match.records.ggp import to_ggp
from gamemaster.match.records.record import Record
from gamemaster.match.records.replay import Replay, load_record, replay_data
from gamemaster.match.records.transcript import transcript
from gamemaster.match.records.verifying import ENDINGS, verify
from gamemaster.terminal.boards import show_state
from gamemaster.terminal.match_screen import shown_clocks
from gamemaster.terminal.report import print_line
from gamemaster.terminal.screen import is_terminal
from gamemaster.terminal.walking import walk

__all__ = ["export_match", "load_record", "replay_match", "show_transcript", "verify_match"]

FORMATS = ("ggp",)


def export_match(record: Record, form: str, path: Path) -> None:
    """Write a match in the form of another system."""
    if form not in FORMATS:
        raise RecordError(f"no form {form!r} to export to; there is {', '.join(FORMATS)}")
    path.write_text(to_ggp(record) + "\n", encoding="utf-8")
    print_line(f"{path}: {record.started.match}, {_steps(record)}")


def verify_match(record: Record, *, as_json: bool) -> bool:
    """Say whether a record is true."""
    report = verify(record)
    if as_json:
        print(json.dumps(report.to_dict()))
    else:
        for line in report.lines():
            print_line(line)
    return report.is_true


def show_transcript(record: Record, *, is_short: bool) -> None:
    """Print what was said, with or without the rules."""
    for line in transcript(record.events, is_short=is_short):
        print_line(line)


def replay_match(record: Record, *, step: int | None, as_json: bool) -> None:
    """Show a match, or one step of it."""
    last = len(record.moves)
    if step is not None and step > last:
        raise RecordError(f"no step {step}: the record has {last}")
    steps = range(last + 1) if step is None else [step]
    if as_json:
        print(json.dumps(replay_data(record, steps)))
        return
    screen = _Screen(Replay.of(record))
    if step is None:
        screen.begin()
    if step is None and sys.stdin.isatty() and is_terminal():
        walk(screen.show, last)
    else:
        for each in steps:
            screen.show(each)
    if step is None:
        screen.finish()


class _Screen:
    """A match on the screen."""

    def __init__(self, replay: Replay) -> None:
        self.record, self.told, self.state = replay.record, replay.told, replay.state

    def begin(self) -> None:
        """Who plays what, and by which clocks."""
        started = self.record.started
        players = ", ".join(f"{self.told(role)}: {name}" for role, name in started.players.items())
        print_line(f"{started.game} ({players})")
        clocks = shown_clocks(started.start_clock, started.play_clock)
        print_line(f"match {started.match}, {started.clock_time}, {clocks}, seed {started.seed}")

    def show(self, step: int) -> None:
        """What was done to get to a step, and the board there."""
        if step > 0:
            moved = self.record.moves[step - 1]
            for fault in self.record.faults:
                if fault.step == step - 1:
                    print_line(self.fault(fault))
            print_line(f"Step {step}: {', '.join(self.moved(moved, role) for role in moved.moves)}")
            for role, thought in moved.thoughts.items():
                if "caveat" in thought:
                    print_line(f"  {self.told(role)}: {thought['caveat']}")
        state = self.state(step)
        if state is not None:
            show_state(state, pointed_out(self.state(step - 1), state))

    def fault(self, fault: events.Fault) -> str:
        """A fault in a line."""
        counted = "error" if fault.is_error else "ignored"
        return f"  {self.told(fault.role) or 'rules'}: {fault.kind} ({counted}): {fault.detail}"

    def moved(self, moved: events.Moved, role: str) -> str:
        """Who moved how."""
        details = []
        if role in moved.seconds:
            details.append(f"{moved.seconds[role]:.3g} s")
        if role in moved.substituted:
            details.append("at random")
        details += _thought(moved.thoughts.get(role, {}))
        return f"{self.told(role)}: {self.told(moved.moves[role])}" + (
            f" ({', '.join(details)})" if details else ""
        )

    def finish(self) -> None:
        """How it ended, and for whom how."""
        record, ended = self.record, self.record.ended
        if record.dropped:
            print_line(f"The last line of the record is incomplete, and left out: {record.dropped[:40]!r}")
        if ended is None:
            print_line(f"The record ends after {_steps(record)}; the match did not.")
            return
        print_line(f"{ended.how.capitalize()} after {_steps(record)}: {ENDINGS.get(ended.how, '')}.")
        size = max((len(self.told(role)) for role in ended.goals), default=0)
        for role, goal in ended.goals.items():
            errors = ended.errors.get(role, 0)
            noted = f"  {errors} error{'' if errors == 1 else 's'}" if errors else ""
            print_line(
                f"  {self.told(role).ljust(size)}  {'no goal' if goal is None else format(goal, '3')}{noted}"
            )


def _thought(thought: Mapping[str, float | str]) -> list[str]:
    """Why a player chose, in words."""
    texts = {"value": "value {:.4g}", "depth": "depth {:,}", "nodes": "{:,} nodes"}
    return [text.format(thought[name]) for name, text in texts.items() if name in thought]


def _steps(record: Record) -> str:
    count = len(record.moves)
    return f"{count} step{'' if count == 1 else 's'}"
