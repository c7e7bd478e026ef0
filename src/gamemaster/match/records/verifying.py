"""Record -> whether it is true: every state, move and goal is worked out again from the rules.

Moves that the referee made, for chance or for a player that made none, follow from the seed, and so do the words of
rules that are scrambled. What follows from what players said is for `witness` to judge. What comes from outside is
believed: who the players are, what they said, when, and what failed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import product
from typing import get_args

from gamemaster.errors import GamemasterError
from gamemaster.language.rules import Notation
from gamemaster.language.terms import Term
from gamemaster.load import MachineName, build, parse
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.match.chronicle import goals_of
from gamemaster.match.drawing import drawn_move
from gamemaster.match.events import (
    FAULTS,
    Ended,
    Event,
    Fault,
    Message,
    Moved,
    Reached,
    Ready,
    Started,
    tag_of,
)
from gamemaster.match.records.record import Record
from gamemaster.match.records.witness import testify
from gamemaster.match.wire.scramble import SCRAMBLED, is_scrambled

__all__ = ["ENDINGS", "Problem", "Verdict", "game_of", "verify"]

ENDINGS = {
    "completed": "the game came to its end",
    "ended": "somebody ended the match; the goals of the last state count",
    "aborted": "somebody gave the match up",
    "resigned": "the player of a role gave up, which is its loss; the goals are those of the last state",
    "stuck": "the rules are wrong: they allow no move, or no next state",
    "not begun": "a player was busy with another match",
}
"""How a match can end."""

SHOWN = 5
TRIED = 1000
"""How many joint moves to try, where the rules are said to fail."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is not true, and in which line."""

    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


@dataclass(frozen=True)
class Verdict:
    """What came of the check: a record without problems is true; `steps` were replayed."""

    problems: tuple[Problem, ...]
    steps: int
    how: str = ""
    """How the match ended, "" where its end is not in the record."""

    dropped: str = ""

    @property
    def is_true(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def to_dict(self) -> dict[str, object]:
        """The report as plain data, ready for JSON."""
        return {
            "is_true": self.is_true,
            "steps": self.steps,
            "how": self.how or None,
            "is_truncated": bool(self.dropped),
            "problems": [{"line": problem.line, "what": problem.what} for problem in self.problems],
        }

    def show(self) -> str:
        """The report as a text."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The report line by line."""
        steps = f"{self.steps} step{'' if self.steps == 1 else 's'}"
        end = self.how or "not at its end"
        verdict = "the record is true" if self.is_true else "the record is not true"
        lines = [f"{verdict}: {steps}, {end}", *(f"  {problem}" for problem in self.problems)]
        if self.dropped:
            lines.append(f"  an incomplete last line of {len(self.dropped)} characters was left out")
        return lines


def game_of(started: Started, machine: MachineName = "auto", name: str = "") -> Game:
    """The game that a match is played by, under its own name or another."""
    notation: Notation | None = next((each for each in get_args(Notation) if each == started.notation), None)
    return parse(started.rules, notation, machine=machine, name=name or started.game)


def verify(record: Record, machine: MachineName = "auto") -> Verdict:
    """Replays a match through its rules; stops at the first event after which nothing follows any more."""
    how = record.ended.how if record.ended else ""
    try:
        game = game_of(record.started, machine, SCRAMBLED if record.started.names else "")
        replay = _Replay(record, game, game.initial_state())
    except GamemasterError as error:
        return Verdict((Problem(1, f"the rules give no game: {error}"),), 0, how, record.dropped)
    for line, event in enumerate(record.events, 1):
        replay.line = line
        replay.check(event)
        if replay.is_lost:
            break
    if not replay.problems and not record.is_imported and (objection := testify(record, game)):
        replay.problems.append(Problem(*objection))
    return Verdict(tuple(replay.problems), replay.state.step, how, record.dropped)


@dataclass
class _Replay:
    """A match on its way through the rules."""

    record: Record
    game: Game
    state: State
    line: int = 1
    problems: list[Problem] = field(default_factory=list)
    has_state: bool = False
    """Whether the record has told the state it is in."""
    is_over: bool = False
    is_lost: bool = False

    def check(self, event: Event) -> None:
        """Note what is wrong with an event, and go on after it."""
        if self.is_over and not isinstance(event, Message):
            self.note(f"{tag_of(event)} after the end")
        for kind, check in self.checks:
            if isinstance(event, kind):
                check(event)

    def note(self, what: str) -> None:
        """Something is not true."""
        self.problems.append(Problem(self.line, what))

    @cached_property
    def checks(self) -> list[tuple[type[Event], Callable[[Event], None]]]:
        """What to check of which event."""
        checks: list[tuple[type[Event], Callable[..., None]]] = [
            (Started, self.started),
            (Reached, self.reached),
            (Moved, self.moved),
            (Fault, self.fault),
            (Ended, self.ended),
            (Ready, lambda ready: self.role(ready.role)),
            (Message, lambda message: self.role(message.role)),
        ]
        return checks

    def role(self, role: str) -> None:
        """It has a player."""
        if role not in self.record.started.players:
            self.note(f"nobody plays {role!r}")

    def started(self, started: Started) -> None:
        """The rules have their hash, and roles have players."""
        if started.digest != self.game.digest:
            self.note(f"the rules have the hash {self.game.digest}, not {started.digest}")
            self.is_lost = True
        if started.notation != self.game.sheet.notation:
            self.note(f"the rules are in {self.game.sheet.notation}, not {started.notation!r}")
        if started.names and not is_scrambled(self.game.sheet, started.names, started.seed):
            self.note("the rules are not scrambled as the seed says: names are wrong")
        if not all(role in started.players and _is_clock(clock) for role, clock in started.clocks.items()):
            self.note(f"not clocks of roles that are played: {str(dict(started.clocks))[:80]}")
            self.is_lost = True
        if started.opening < 0 or started.most_steps < 0:
            self.note(f"no numbers of steps: opening {started.opening}, most_steps {started.most_steps}")
            self.is_lost = True
        if started.grace != 0 and not _is_clock(started.grace):
            self.note(f"no seconds of grace: {str(started.grace)[:40]}")
            self.is_lost = True
        if not _is_date(started.clock_time):
            self.note(f"no time of day: {started.clock_time[:40]!r}")
        if started.roles != self.game.roles:
            self.note(f"the roles are {', '.join(self.game.roles)}, not {', '.join(started.roles)}")
        played = {role for role in self.game.roles if role != RANDOM}
        if started.players.keys() != played:
            self.note(
                f"players for {', '.join(started.players)}, but the roles are {', '.join(self.game.roles)}"
            )

    def reached(self, told: Reached) -> None:
        """The state is the one that the moves lead to."""
        self.has_state = True
        if told.step != self.state.step:
            self.note(f"state of step {told.step}, but {self.state.step} steps were made")
        facts = {str(fact) for fact in self.state.facts}
        if len(told.facts) != len(set(told.facts)):
            self.note("a fact is told twice")
        if facts != set(told.facts):
            self.note(f"another state follows from the rules: {_difference(set(told.facts), facts)}")
        if told.is_terminal != self.state.is_terminal:
            self.note(f"the state is {'' if self.state.is_terminal else 'not '}terminal")
        self.goals(told)

    def goals(self, told: Reached | Ended) -> None:
        """The goals are those of the state; none where the rules fail to give any."""
        goals: dict[str, int | None] = dict.fromkeys(self.game.roles)
        with contextlib.suppress(GamemasterError):
            goals = goals_of(self.state)
        if goals != told.goals:
            self.note(f"the goals are {goals}, not {dict(told.goals)}")

    def moved(self, moved: Moved) -> None:
        """The moves are legal; those of the manager are the ones it would draw."""
        if not self.has_state:
            self.note(f"the state of step {self.state.step} is missing")
        if moved.step != self.state.step:
            self.note(f"moves of step {moved.step} in step {self.state.step}")
        if self.state.is_terminal:
            self.note("moves after the game is over")
        try:
            self.drawn(moved)
            self.perceived(moved)
            self.state = self.state.next(dict(moved.moves))
            self.has_state = False
        except GamemasterError as error:
            self.note(str(error))
            self.is_lost = True

    def drawn(self, moved: Moved) -> None:
        """The manager's moves follow from the seed, where it is known."""
        if self.record.is_imported:
            return
        chance = [RANDOM] if RANDOM in moved.moves else []
        for role in [*moved.substituted, *chance]:
            if role not in moved.moves:
                self.note(f"a move for {role!r} was substituted, and there is none")
            elif not self.is_drawn(role, moved.moves[role]):
                self.note(f"{moved.moves[role]} of {role} is not the move that the seed gives")

    def is_drawn(self, role: str, move: str) -> bool:
        """Whether the seed gives it: machines list moves in different orders, and the manager had one or the other."""
        if move == self.draw(self.state, role):
            return True
        if self.other is None:
            return False
        return move == self.draw(self.other.state(self.state.ordered_facts, self.state.step), role)

    def draw(self, state: State, role: str) -> str:
        """What the seed gives, in the order of that machine."""
        return str(drawn_move(self.record.started.seed, state.step, role, _legal(state, role)))

    @cached_property
    def other(self) -> Game | None:
        """The game on the other machine, where it has one."""
        name: MachineName = "compiled" if self.game.machine.name == "reference" else "reference"
        try:
            return build(self.game.sheet, self.game.name, name)
        except GamemasterError:
            return None

    def perceived(self, moved: Moved) -> None:
        """Everybody saw what the rules say."""
        expected: dict[str, set[str]] = {}
        if self.game.has_percepts:
            seen = self.state.percepts(dict(moved.moves))
            expected = {role: set(map(str, seen[role])) for role in self.record.started.players}
        if {role: set(told) for role, told in moved.percepts.items()} != expected:
            self.note("the percepts are not those that the rules give")

    def fault(self, fault: Fault) -> None:
        """It is of a known kind, and somebody's."""
        if fault.kind not in FAULTS:
            self.note(f"no kind of fault: {fault.kind!r}")
        if fault.role:
            self.role(fault.role)

    def ended(self, ended: Ended) -> None:
        """The end is one, and so are goals and errors."""
        self.is_over = True
        if ended.how not in ENDINGS:
            self.note(f"no way to end: {ended.how!r}")
        is_broken = _is_broken(self.state)
        if ended.how == "completed" and (is_broken or not self.state.is_terminal):
            self.note("the match is said to be complete, but the game is not over")
        if ended.how == "stuck" and not (is_broken or _is_stuck(self.state)):
            self.note("the match is said to be stuck, but the rules are not")
        if self.record.moves and not self.has_state and not is_broken:
            self.note(f"the state of step {self.state.step} is missing")
        self.goals(ended)
        if dict(ended.errors) != self.record.errors:
            self.note(f"the errors are {self.record.errors}, not {dict(ended.errors)}")


def _is_clock(clock: object) -> bool:
    return type(clock) in (int, float) and isinstance(clock, int | float) and clock > 0


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_broken(state: State) -> bool:
    """Whether the rules fail to say what a state is worth, whether it is the end, or who can move."""
    try:
        _ = goals_of(state), state.is_terminal, state.movers
    except GamemasterError:
        return True
    return False


def _is_stuck(state: State) -> bool:
    """Whether nobody can move, though the game is not over, or moves lead nowhere; of very many that is believed."""
    if state.is_terminal or not state.movers:
        return not state.is_terminal
    joints = product(*(state.legal_moves(role) for role in state.movers))
    for number, joint in enumerate(joints):
        if number == TRIED or _leads_nowhere(state, dict(zip(state.movers, joint, strict=True))):
            return True
    return False


def _leads_nowhere(state: State, moves: dict[str, Term]) -> bool:
    try:
        state.percepts(moves)
        return _is_broken(state.next(moves))
    except GamemasterError:
        return True


def _legal(state: State, role: str) -> tuple[Term, ...]:
    """The moves to draw from; GamemasterError where there are none."""
    legal = state.legal_moves(role)
    if not legal:
        raise GamemasterError(f"{role} has no legal move at step {state.step}")
    return legal


def _difference(told: set[str], true: set[str]) -> str:
    """Facts that only one of the two has."""
    wrong = [f"not {fact}" for fact in sorted(told - true)] + sorted(true - told)
    return ", ".join(wrong[:SHOWN]) + (", ..." if len(wrong) > SHOWN else "")
