"""`gamemaster match`: matches between players, one after the other, shown as they are played or only how they end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from gamemaster.errors import GamemasterError, PlayerError
from gamemaster.machine.game import State, dead_end
from gamemaster.match.events import Fault
from gamemaster.match.manager import make_manager
from gamemaster.match.processes.staying import staying
from gamemaster.match.records.record import RecordWriter, read_record
from gamemaster.match.referee import NOT_BEGUN, STUCK
from gamemaster.match.schedule import MatchPlan, Schedule, record_path, resumed_plan
from gamemaster.match.settings import PING_SECONDS, Settings
from gamemaster.match.totals import MatchSummary, matches_data, totals
from gamemaster.match.transports.child_process import ProcessLimits
from gamemaster.match.transports.overhearing import tell_trace
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

MEGABYTE = 2**20


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
    ponders: bool = True
    """Whether an isolated player may think while it is not asked; not where its computing is limited."""
    stops_at_error: bool = False
    as_json: bool = False
    is_quiet: bool = False

    @property
    def limits(self) -> ProcessLimits:
        """What an isolated player may use."""
        limits = ProcessLimits(has_walls=self.has_walls, ponders=self.ponders and self.cpu is None)
        if self.memory is not None:
            limits = replace(limits, memory=self.memory * MEGABYTE)
        return limits if self.cpu is None else replace(limits, cpu=self.cpu)

    @property
    def schedule(self) -> Schedule:
        """The matches that are to be run."""
        clocks = self.start_clock, self.play_clock, PING_SECONDS
        settings = Settings(*clocks, stops_at_error=self.stops_at_error)
        return Schedule(self.players, settings, self.games, self.is_swapped, self.seed, self.is_scrambled)


def run_matches(name: str | None, options: MatchOptions) -> bool:
    """Run the matches; whether all came to an end that the rules allow."""
    if options.resume is None and name is None:
        raise GamemasterError("which game? name one, or a record to --resume")
    with terminable():
        summaries = [_resumed(options.resume, options)] if options.resume else _played(name or "", options)
    if options.as_json:
        print(json.dumps(matches_data(summaries)))
    elif len(summaries) > 1:
        _print_totals(summaries)
    if why := summaries[-1].why_stopped:
        raise PlayerError(f"match {len(summaries)} of {options.games} {why}" if options.games > 1 else why)
    return all(each.is_fine for each in summaries)


def _played(name: str, options: MatchOptions) -> list[MatchSummary]:
    game = load(name)
    summaries = []
    for plan in options.schedule.plans(game):
        path = record_path(options.record, plan, options.games)
        writer = None if path is None else RecordWriter(path)
        summaries.append(_conduct(plan, MatchSummary(path, dict(plan.labels)), writer, options))
        if summaries[-1].why_stopped:
            break
    return summaries


def _resumed(path: Path, options: MatchOptions) -> MatchSummary:
    """Go on with a match from its record."""
    record = read_record(path)
    plan = resumed_plan(record, options.players, stops_at_error=options.stops_at_error)
    summary = MatchSummary(path, plan.players)
    for event in record.events:
        summary.listen(event)
    return _conduct(plan, summary, RecordWriter(path, is_resumed=True), options)


def _conduct(
    plan: MatchPlan, summary: MatchSummary, writer: RecordWriter | None, options: MatchOptions
) -> MatchSummary:
    """Run one match with a screen and a record; whoever interrupts it is told how to go on."""
    try:
        with showing_players(is_quiet=options.is_quiet and not options.stops_at_error):
            _shown_and_kept(plan, summary, writer, options)
    except (KeyboardInterrupt, OSError):
        _report_left(summary)
        raise
    _report_busy(summary)
    if options.stops_at_error and summary.ended is None and summary.last_error is not None:
        summary.why_stopped = _why_stopped(plan, summary, summary.last_error)
    return summary


def _report_left(summary: MatchSummary) -> None:
    """Say how to go on with a match that somebody has left, if there is a record and anything in it."""
    if summary.record is not None and summary.started is not None:
        steps = f"after {summary.steps} step{'' if summary.steps == 1 else 's'}"
        report_text(f"left {steps}; go on with: gamemaster match --resume {summary.record}")


def _report_stuck(state: State) -> None:
    """Say where in the rules it is that nobody has a move, and what to do about it."""
    with suppress(GamemasterError):  # they are so wrong that not even that can be told
        if not state.is_terminal and not state.movers:
            report_error(dead_end(state))


def _report_busy(summary: MatchSummary) -> None:
    """Say who plays another match, if that is why this one was not played."""
    if summary.ended is None or summary.ended.how == NOT_BEGUN:
        for fault in summary.faults:
            if fault.kind == "busy":
                report_text(
                    f"error: the match is not begun: {fault.detail} (role {fault.role}); try again later"
                )


def _why_stopped(plan: MatchPlan, summary: MatchSummary, fault: Fault) -> str:
    what = f"{fault.role} ({plan.players[fault.role]}): {fault.kind}: {fault.detail}"
    kept = f"; go on with: gamemaster match --resume {summary.record}" if summary.record else ""
    return f"stopped in step {fault.step + 1} by an error of {what}{kept}"


def _shown_and_kept(
    plan: MatchPlan, summary: MatchSummary, writer: RecordWriter | None, options: MatchOptions
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
        manager = make_manager(
            plan.game,
            plan.players,
            plan.settings,
            listeners=listeners,
            past=plan.past,
            is_isolated=options.is_isolated,
            limits=options.limits,
        )
        screen = None if options.as_json else stack.enter_context(_screen(plan, options))
        if screen is not None:
            manager.listen(screen.show)
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


def _print_totals(summaries: Sequence[MatchSummary]) -> None:
    rows = [
        [each.player, str(each.matches), f"{each.mean_goal:.1f}", str(each.errors)]
        for each in totals(summaries)
    ]
    headings = ["player", "matches", "mean goal", "errors"]
    print()
    print_table(headings, rows, right=headings[1:])
