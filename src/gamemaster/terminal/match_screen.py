"""Events of a match -> the screen: a live board with clocks in a terminal, plain lines in a pipe."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from gamemaster.draw.reasons import new_facts, pointed_out
from gamemaster.draw.text import draw_colour
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.match.events import (
    Ended,
    Event,
    Fault,
    Message,
    Moved,
    Paused,
    Reached,
    Ready,
    Resumed,
    Started,
    Unpaused,
)
from gamemaster.match.settings import Settings
from gamemaster.match.wire.scramble import Scrambling
from gamemaster.players.catalogue import refusal_of
from gamemaster.terminal.leaving import KEYS, can_steer
from gamemaster.terminal.report import print_line, printable_line
from gamemaster.terminal.screen import console_of, is_terminal, width

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

__all__ = ["LiveScreen", "Screen", "screen_for", "shown_clocks"]

FAULTS_SHOWN = 5
STARTING = 2
"""The number of the message that tells a player the rules: it comes after a ping."""

WHOLE: Any = {"no_wrap": False, "overflow": "fold"}
"""How a line of a picture is shown that must not be cut: what went wrong, or a seed."""

UNREADY = ("refused", "crashed")
KEYS_SHOWN = ", ".join(f"{key} {act}" for key, act in KEYS.items()) + ", Ctrl-C leave"


class Screen:
    """A line for each thing that happens; with `is_quiet` only for how the match ends."""

    has_keys = False
    """Whether it shows keys that steer the match."""

    def __init__(
        self,
        game: Game,
        players: Mapping[str, str],
        settings: Settings,
        *,
        board: Game | None = None,
        is_quiet: bool = False,
        number: int = 0,
    ) -> None:
        """`board` is the game in its own words where `game` is scrambled; `number` is given if it is one of many."""
        self.game = game
        self.board = board
        self.players = dict(players)
        self.settings = settings
        self.old_words = Scrambling.back(settings.names)
        self.is_quiet = is_quiet
        self.number = number
        self.caveats: dict[str, float | str] = {}
        self.sent: Counter[str] = Counter()
        """How many messages each role was sent."""

        self.unready: set[str] = set()
        """The roles whose players refuse the game, or failed when they were to get ready."""

        self.told: dict[str, str] = {}
        """What has been said of those."""

        self.first_faults: dict[str, str] = {}
        """The first error of each role, where errors are not told as they happen."""

        self.is_resumed = False

    def __enter__(self) -> Self:
        if not self.is_quiet:
            print_line(self.title())
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def title(self) -> str:
        """Who plays what."""
        players = ", ".join(f"{self.word(role)} {player}" for role, player in self.players.items())
        settings = self.settings
        clocks = shown_clocks(settings.start_clock, settings.play_clock)
        return f"{settings.game or self.game.name}: {players} ({clocks}, seed {settings.seed})"

    def note(self, event: Event) -> None:
        """Remember how far the match is, and who is not in it."""
        if isinstance(event, Message) and event.is_sent:
            self.sent[event.role] += 1
        elif isinstance(event, Fault) and event.is_error and self.is_starting(event.role):
            self.unready |= {event.role} if event.kind in UNREADY else set()
        self.is_resumed |= isinstance(event, Resumed)

    def is_starting(self, role: str) -> bool:
        """Whether a player gets ready: it has been pinged, and told the rules, and nothing since."""
        return self.sent[role] == STARTING

    def show(self, event: Event) -> None:
        """Show an event."""
        self.note(event)
        if isinstance(event, Ended):
            print_line(self.end_of(event))
            for line in self.first_faults.values() if self.number < 2 else ():
                print_line(line)
        elif self.is_quiet:
            self.keep_first(event)
        else:
            for line in filter(None, [self.line_of(event), *self.caveats_of(event)]):
                print_line(line)

    def keep_first(self, event: Event) -> None:
        """Remember the first error of each role, which is told with how the match ends."""
        if isinstance(event, Fault) and event.is_error and event.role not in self.first_faults:
            self.first_faults[event.role] = self.fault_of(event)

    def line_of(self, event: Event) -> str:
        """What happened, in a line; "" for what is not worth one."""
        match event:
            case Moved(_, step, moves, seconds, substituted):
                told = [
                    f"{self.word(role)} {self.words(move)}"
                    + (" (at random)" if role in substituted else f" ({seconds.get(role, 0.0):.2f} s)")
                    for role, move in moves.items()
                ]
                return f"{step + 1:3}. {', '.join(told)}"
            case Fault():
                return self.fault_of(event)
            case Paused():
                return "     paused"
            case Unpaused():
                return "     goes on"
            case Resumed():
                return "     goes on from its record"
        return ""

    def fault_of(self, fault: Fault) -> str:
        """What went wrong, in a line; "" where that has been said of a player that is not ready."""
        who = self.word(fault.role) if fault.role else "the rules"
        if fault.kind == "late" and not fault.is_error:
            asked = "whether it is there" if self.sent[fault.role] < STARTING else "to stop"
            return f"     {who}: does not answer when asked {asked}: {fault.detail}"
        if fault.role in self.unready and fault.kind in UNREADY:
            if fault.detail.startswith(self.told.get(fault.role, fault.detail + "\n")):
                return ""  # it has been said, and a move at random says the rest
            self.told[fault.role] = fault.detail
        if fault.kind == "refused":
            return (
                f"     {who}: {refusal_of(self.players[fault.role], self.board or self.game, fault.detail)}"
            )
        return f"     {who}: {fault.kind}: {fault.detail}{'' if fault.is_error or not fault.role else ' (no error)'}"

    def caveats_of(self, event: Event) -> list[str]:
        """Why a search was less than it should be, a line for each player that says so for the first time."""
        thoughts = event.thoughts if isinstance(event, Moved) else {}
        said = {role: thought["caveat"] for role, thought in thoughts.items() if "caveat" in thought}
        new = {role: caveat for role, caveat in said.items() if role not in self.caveats}
        self.caveats |= new
        return [f"     {self.word(role)}: {caveat}" for role, caveat in new.items()]

    def end_of(self, ended: Ended) -> str:
        """How it ended, in a line."""
        prefix = f"{self.number:4}. " if self.number else ""
        told = []
        for role, player in self.players.items():
            goal, errors = ended.goals.get(role), ended.errors.get(role, 0)
            mistakes = f" ({errors} error{'s' if errors != 1 else ''})" if errors else ""
            told.append(f"{self.word(role)} {player} {'no goal' if goal is None else goal}{mistakes}")
        return f"{prefix}{ended.how}: {', '.join(told)}"

    def word(self, word: str) -> str:
        """A word as the rules had it, where they are scrambled."""
        return self.settings.names.get(word, word)

    def words(self, text: str) -> str:
        """A term as the rules had it."""
        return str(self.old_words.translate(read_term(text))) if self.settings.names else text


class LiveScreen(Screen):
    """A board that changes, scores, errors, and the clock that runs."""

    live: Live

    def __enter__(self) -> Self:
        from rich.live import Live

        self.before = self.state = (self.board or self.game).initial_state()
        self.marked: Collection[Term] = ()
        self.goals: Mapping[str, int | None] = {}
        self.errors = dict.fromkeys(self.players, 0)
        self.moves: dict[str, str] = {}
        self.seconds: dict[str, float] = {}
        self.waiting: dict[str, float] = {}
        self.faults: list[str] = []
        self.is_paused = self.is_over = False
        self.has_keys = can_steer()
        self.live = Live(get_renderable=self.picture, console=console_of(), refresh_per_second=8)
        self.live.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        if self.marked:  # to find out takes a while, which nobody who is still asked something shall wait for
            self.marked = pointed_out(self.before, self.state)
        self.live.update(self.picture(), refresh=True)
        self.live.__exit__(*details)

    def show(self, event: Event) -> None:
        """Remember what the next picture shows."""
        self.note(event)
        match event:
            case Reached(_, step, facts, goals):
                self.before, self.state, self.goals = self.state, self.state_of(facts, step), goals
                self.marked = new_facts(self.before, self.state) if step == self.before.step + 1 else ()
            case Moved(_, _, moves, seconds):
                self.moves = {role: self.words(move) for role, move in moves.items()}
                self.seconds = dict(seconds)
                self.faults = [*self.faults, *map(str.strip, self.caveats_of(event))][-FAULTS_SHOWN:]
            case Message(_, role, is_sent):
                if is_sent:
                    self.waiting[role] = time.monotonic()
                else:
                    self.waiting.pop(role, None)
            case Fault(_, _, role, _, _, is_error):
                self.errors[role] = self.errors.get(role, 0) + is_error
                self.faults = [*filter(None, [*self.faults, self.line_of(event).strip()])][-FAULTS_SHOWN:]
            case Paused() | Unpaused():
                self.is_paused = isinstance(event, Paused)
            case Ended():
                self.is_over = True
                self.waiting.clear()
                self.faults.append(self.end_of(event))
            case Started() | Ready() | Resumed():
                pass

    def state_of(self, facts: Sequence[str], step: int) -> State:
        """The state to draw."""
        if self.board is None:
            return self.game.state(facts, step)
        return self.board.state([self.words(fact) for fact in facts], step)

    def picture(self) -> RenderableType:
        """The board, the scoreboard, and what went wrong."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table("role", "player", "score", "errors", "move", "clock", box=None, pad_edge=False)
        for role, player in self.players.items():
            goal = self.goals.get(role)
            row = (
                self.word(role),
                player,
                "" if goal is None else str(goal),
                str(self.errors.get(role, 0)),
                self.moves.get(role, ""),
                self.clock(role),
            )
            table.add_row(*(Text(printable_line(cell)) for cell in row))
        title, faults = printable_line(self.title()), [*map(printable_line, self.faults), *self.keys()]
        parts: list[RenderableType] = [
            Text(title, "bold", **WHOLE),
            Text(""),
            draw_colour(self.state, width(), self.marked),
        ]
        return Group(*parts, Text(""), table, *(Text(fault, "dim", **WHOLE) for fault in faults))

    def keys(self) -> list[str]:
        """What can be done, in a line, as long as anything can."""
        if self.is_over or not self.has_keys:
            return ["paused"] if self.is_paused and not self.is_over else []
        return [f"{'paused: ' if self.is_paused else ''}{KEYS_SHOWN}"]

    def clock(self, role: str) -> str:
        """How long a player has been thinking, or how long it took."""
        since = self.waiting.get(role)
        if since is not None:
            passed, limit = time.monotonic() - since, self.limit(role)
            doing = ", gets ready" if self.is_starting(role) else ""
            return f"{passed:.1f} of {limit:g} s{doing} ..." if limit else f"{passed:.1f} s{doing} ..."
        return f"{self.seconds[role]:.2f} s" if role in self.seconds else ""

    def limit(self, role: str) -> float:
        """The clock that runs for a player, 0 where there is none, or not one of those of the match.

        Where a match goes on it has longer to get ready, as it may have to go through all steps.
        """
        is_other = self.sent[role] < STARTING or self.is_over or (self.is_starting(role) and self.is_resumed)
        clock = self.settings.start_clock if self.is_starting(role) else self.settings.play_clock
        return 0.0 if is_other or clock == math.inf else clock


def shown_clocks(start_clock: float, play_clock: float) -> str:
    """The clocks of a match in words."""
    clocks = {"start": start_clock, "play": play_clock}
    return ", ".join(
        f"no {name} clock" if seconds == math.inf else f"{name} clock {seconds:g} s"
        for name, seconds in clocks.items()
    )


def screen_for(
    game: Game,
    players: Mapping[str, str],
    settings: Settings,
    *,
    board: Game | None,
    is_quiet: bool,
    number: int,
) -> Screen:
    """A live screen in a terminal, lines elsewhere."""
    kind = LiveScreen if is_terminal() and not is_quiet and not number else Screen
    return kind(game, players, settings, board=board, is_quiet=is_quiet or bool(number), number=number)
