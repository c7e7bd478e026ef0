"""`gamemaster match`: matches between players, one after the other, shown as they are played or only how they end."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gamemaster.errors import GamemasterError, PlayerError, RecordError, UnknownRole
from gamemaster.load import build
from gamemaster.machine.game import RANDOM, Game, State, dead_end
from gamemaster.match.events import Ended, Event, Fault, Moved, Started
from gamemaster.match.manager import Manager, make_transports
from gamemaster.match.processes.staying import staying
from gamemaster.match.records.chronicle import match_name
from gamemaster.match.records.record import RecordWriter, read_record
from gamemaster.match.records.verifying import game_of
from gamemaster.match.referee import NOT_BEGUN
from gamemaster.match.result import match_data
from gamemaster.match.settings import Past, Settings
from gamemaster.match.transports.child_process import ProcessLimits
from gamemaster.match.transports.overhearing import tell_trace
from gamemaster.match.wire.scramble import SCRAMBLED, Scrambling
from gamemaster.players.loading import in_machine_code
from gamemaster.players.tracing import trace_of
from gamemaster.terminal.leaving import conducted, terminable
from gamemaster.terminal.loading import load
from gamemaster.terminal.match_screen import Screen, screen_for
from gamemaster.terminal.overheard import showing_players
from gamemaster.terminal.progress import get_ready
from gamemaster.terminal.report import report_error, report_text
from gamemaster.terminal.tables import print_table

__all__ = ["MatchOptions", "run_matches"]

PING_SECONDS = 5.0
STUCK = "stuck"
FAILED = (STUCK, NOT_BEGUN)
"""Ends that nobody wanted."""

MEGABYTE = 2**20
SEED_BITS = 53
"""Of a seed that nobody named: more than a player can try, and as many as any reader of JSON keeps."""


@dataclass(frozen=True)
class MatchOptions:
    """What the command line says about matches. `players` are named in role order, or one for all roles."""

    players: tuple[str, ...] = ()
    start_clock: float = 10.0
    play_clock: float = 5.0
    games: int = 1
    is_swapped: bool = False
    seed: int | None = None
    is_scrambled: bool = False
    record: Path | None = None
    resume: Path | None = None
    is_isolated: bool = False
    has_walls: bool = True
    """Whether an isolated player is behind walls, or has only a process of its own."""
    memory: int | None = None
    """The megabytes of an isolated player, and the seconds that it may compute."""
    cpu: int | None = None
    stops_at_error: bool = False
    as_json: bool = False
    is_quiet: bool = False

    @property
    def limits(self) -> ProcessLimits:
        """What an isolated player may use."""
        limits = ProcessLimits(has_walls=self.has_walls)
        if self.memory is not None:
            limits = replace(limits, memory=self.memory * MEGABYTE)
        return limits if self.cpu is None else replace(limits, cpu=self.cpu)


@dataclass(frozen=True)
class MatchPlan:
    """A match to be run: the label of each player is its name, and a number where several have the same."""

    game: Game
    players: Mapping[str, str]
    seats: Mapping[str, str]
    settings: Settings
    past: Past | None = None
    board: Game | None = None
    """The game whose board is shown, where the one that is played is scrambled."""

    number: int = 0


@dataclass
class Summary:
    """How a match went, gathered from its events."""

    record: Path | None = None
    seats: Mapping[str, str] = field(default_factory=dict)
    started: Started | None = None
    ended: Ended | None = None
    steps: int = 0
    faults: list[Fault] = field(default_factory=list)
    why_stopped: str = ""
    """By which error, where the match was to stop at one."""

    def listen(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case Started():
                self.started = event
            case Moved():
                self.steps = event.step + 1
            case Fault():
                self.faults.append(event)
            case Ended():
                self.ended = event

    def as_json(self) -> dict[str, Any]:
        """The result as plain data."""
        assert self.started is not None
        return {**match_data(self.started, self.ended, self.faults, self.record), "steps": self.steps}


def run_matches(name: str | None, options: MatchOptions) -> bool:
    """Run the matches; whether all came to an end that the rules allow."""
    if options.resume is None and name is None:
        raise GamemasterError("which game? name one, or a record to --resume")
    with terminable():
        summaries = [_resumed(options.resume, options)] if options.resume else _played(name or "", options)
    if options.as_json:
        print(json.dumps({"matches": [each.as_json() for each in summaries], "players": _totals(summaries)}))
    elif len(summaries) > 1:
        _print_totals(summaries)
    if why := summaries[-1].why_stopped:
        raise PlayerError(f"match {len(summaries)} of {options.games} {why}" if options.games > 1 else why)
    return all(each.ended is not None and each.ended.how not in FAILED for each in summaries)


def _played(name: str, options: MatchOptions) -> list[Summary]:
    game = load(name)
    roles = tuple(role for role in game.roles if role != RANDOM)
    players = _one_each(options.players, roles, game)
    labels = _labels(players)
    summaries = []
    for number in range(options.games):
        turn = number % len(players) if options.is_swapped else 0
        order = [*range(turn, len(players)), *range(turn)]
        settings = Settings(
            options.start_clock, options.play_clock, PING_SECONDS, _seed(options.seed, number)
        )
        settings = replace(settings, stops_at_error=options.stops_at_error)
        seats = {role: labels[which] for role, which in zip(roles, order, strict=True)}
        chosen = {role: players[which] for role, which in zip(roles, order, strict=True)}
        summaries.append(_one(MatchPlan(game, chosen, seats, settings, number=number), options))
        if summaries[-1].why_stopped:
            break
    return summaries


def _seed(named: int | None, number: int) -> int:
    """The seed of each match: that of one, which its record tells, does not tell that of another by counting on."""
    if named is None:
        return secrets.randbits(SEED_BITS)
    return random.Random(f"{named}/match/{number}").getrandbits(SEED_BITS) if number else named


def _one(plan: MatchPlan, options: MatchOptions) -> Summary:
    if options.is_scrambled:
        plan = _scrambled(plan)
    settings = replace(plan.settings, match=match_name(plan.game, plan.settings))
    path = _record_path(options, settings.match)
    writer = None if path is None else RecordWriter(path)
    return _conduct(replace(plan, settings=settings), Summary(path, dict(plan.seats)), writer, options)


def _resumed(path: Path, options: MatchOptions) -> Summary:
    """Go on with a match from its record."""
    record = read_record(path)
    past, started = record.past(), record.started
    game = game_of(started, name=SCRAMBLED if started.names else started.game)
    players = dict(started.players)
    if options.players:
        players = dict(zip(players, _one_each(options.players, tuple(players), game), strict=True))
    clocks = started.start_clock, started.play_clock, PING_SECONDS
    settings = Settings(
        *clocks, started.seed, started.match, started.names, started.game, options.stops_at_error
    )
    summary = Summary(path, players)
    for event in record.events:
        summary.listen(event)
    plan = MatchPlan(game, players, players, settings, past=past)
    return _conduct(plan, summary, RecordWriter(path, is_resumed=True), options)


def _conduct(
    plan: MatchPlan, summary: Summary, writer: RecordWriter | None, options: MatchOptions
) -> Summary:
    """Run one match with a screen and a record; whoever interrupts it is told how to go on."""
    try:
        with showing_players(is_quiet=options.is_quiet and not options.stops_at_error):
            _shown_and_kept(plan, summary, writer, options)
    except (KeyboardInterrupt, OSError):
        _report_left(summary)
        raise
    _report_busy(summary)
    if options.stops_at_error and summary.ended is None and any(fault.is_error for fault in summary.faults):
        summary.why_stopped = _why_stopped(plan, summary)
    return summary


def _report_left(summary: Summary) -> None:
    """Say how to go on with a match that somebody has left, if there is a record and anything in it."""
    if summary.record is not None and summary.started is not None:
        steps = f"after {summary.steps} step{'' if summary.steps == 1 else 's'}"
        report_text(f"left {steps}; go on with: gamemaster match --resume {summary.record}")


def _report_stuck(state: State) -> None:
    """Say where in the rules it is that nobody has a move, and what to do about it."""
    with suppress(GamemasterError):  # they are so wrong that not even that can be told
        if not state.is_terminal and not state.movers:
            report_error(dead_end(state))


def _report_busy(summary: Summary) -> None:
    """Say who plays another match, if that is why this one was not played."""
    if summary.ended is None or summary.ended.how == NOT_BEGUN:
        for fault in summary.faults:
            if fault.kind == "busy":
                report_text(
                    f"error: the match is not begun: {fault.detail} (role {fault.role}); try again later"
                )


def _why_stopped(plan: MatchPlan, summary: Summary) -> str:
    fault = next(fault for fault in reversed(summary.faults) if fault.is_error)
    what = f"{fault.role} ({plan.players[fault.role]}): {fault.kind}: {fault.detail}"
    kept = f"; go on with: gamemaster match --resume {summary.record}" if summary.record else ""
    return f"stopped in step {fault.step + 1} by an error of {what}{kept}"


def _shown_and_kept(
    plan: MatchPlan, summary: Summary, writer: RecordWriter | None, options: MatchOptions
) -> None:
    with ExitStack() as stack:
        listeners = [summary.listen]
        if writer is not None:  # who leaves from here on leaves no file in which there is nothing
            listeners.insert(0, stack.enter_context(writer).write)
        for address in plan.players.values():
            if address.startswith("ws://"):
                report_text(f"waiting for a player at {address}")
        get_ready(plan.game, [kind for player in plan.players.values() for kind in in_machine_code(player)])
        stack.enter_context(_showing_failure())
        if not options.is_isolated:
            stack.enter_context(staying())
        seed, is_isolated = plan.settings.seed, options.is_isolated
        transports = make_transports(plan.players, seed, is_isolated=is_isolated, limits=options.limits)
        screen = None if options.as_json else stack.enter_context(_screen(plan, options))
        listeners += [] if screen is None else [screen.show]
        manager = Manager(plan.game, transports, plan.settings, listeners=listeners, past=plan.past)
        conducted(manager, is_steered=screen is not None and screen.has_keys)
    if summary.ended is not None and summary.ended.how == STUCK and plan.board is None:
        _report_stuck(manager.referee.state)


@contextmanager
def _showing_failure() -> Iterator[None]:
    """Show where a player's file fails that cannot even be loaded; the error itself is told later."""
    try:
        yield
    except PlayerError as error:
        if error.__cause__ is not None:
            tell_trace("player", trace_of(error))
        raise


def _screen(plan: MatchPlan, options: MatchOptions) -> Screen:
    number = plan.number + 1 if options.games > 1 else 0
    return screen_for(
        plan.game, plan.players, plan.settings, board=plan.board, is_quiet=options.is_quiet, number=number
    )


def _scrambled(plan: MatchPlan) -> MatchPlan:
    """The same match in other words; on the screen it has its own."""
    game, settings = plan.game, plan.settings
    scrambling = Scrambling.of_match(game.sheet, settings.seed)
    scrambled = build(scrambling.scramble(game.sheet), SCRAMBLED)
    roles = dict(zip(game.roles, scrambled.roles, strict=True))
    return replace(
        plan,
        game=scrambled,
        players={roles[role]: player for role, player in plan.players.items()},
        seats={roles[role]: label for role, label in plan.seats.items()},
        settings=replace(settings, names=scrambling.names, game=game.name),
        board=game,
    )


def _one_each(players: Sequence[str], roles: Sequence[str], game: Game) -> list[str]:
    if len(players) == 1:
        return [*players] * len(roles)
    if len(players) != len(roles):
        raise UnknownRole(
            f"{len(players)} players for the {len(roles)} roles of {game.name}: {', '.join(roles)}; "
            "name one for each, or one for all"
        )
    return list(players)


def _labels(players: Sequence[str]) -> list[str]:
    """The players' names, with numbers where a name is there more than once."""
    return [
        f"{player} ({players[: number + 1].count(player)})" if players.count(player) > 1 else player
        for number, player in enumerate(players)
    ]


def _record_path(options: MatchOptions, match: str) -> Path | None:
    path = options.record
    if path is None or (options.games == 1 and not path.is_dir()):
        return path
    if path.exists() and not path.is_dir():
        raise RecordError(f"{str(path)!r} is a file; {options.games} records need a folder")
    path.mkdir(parents=True, exist_ok=True)
    return path / f"{match}.jsonl"


def _totals(summaries: Sequence[Summary]) -> list[dict[str, Any]]:
    """For each player: its matches, mean goal and errors."""
    totals: dict[str, list[tuple[int, int]]] = {}
    for each in summaries:
        for role, label in each.seats.items():
            if each.ended is not None:
                result = (each.ended.goals.get(role) or 0, each.ended.errors.get(role, 0))
                totals.setdefault(label, []).append(result)
    return [
        {
            "player": label,
            "matches": len(results),
            "mean_goal": round(sum(goal for goal, _ in results) / len(results), 2),
            "errors": sum(errors for _, errors in results),
        }
        for label, results in totals.items()
    ]


def _print_totals(summaries: Sequence[Summary]) -> None:
    rows = [
        [each["player"], str(each["matches"]), f"{each['mean_goal']:.1f}", str(each["errors"])]
        for each in _totals(summaries)
    ]
    headings = ["player", "matches", "mean goal", "errors"]
    print()
    print_table(headings, rows, right=headings[1:])
