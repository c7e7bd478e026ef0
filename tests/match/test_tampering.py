"""Whoever changes anything in a record is found out, but for what `docs/records.md` says cannot be known."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gamemaster.load import build, load, parse
from gamemaster.machine.game import RANDOM, Game
from gamemaster.match import events
from gamemaster.match.manager import conduct
from gamemaster.match.records import verifying
from gamemaster.match.records.record import Record, read_record, record_of
from gamemaster.match.records.verifying import verify
from gamemaster.match.records.witness import FLOOD
from gamemaster.match.referee import Referee
from gamemaster.match.request import MOST_REPLIES, Failure, Reply
from gamemaster.match.settings import Settings
from gamemaster.match.wire.scramble import SCRAMBLED, Scrambling
from gamemaster.players.simple import Legal
from tests.machine.sheets import HIDDEN_DIE, MATCHING
from tests.match import misbehaving as bad
from tests.match.recorded import SEED, recorded
from tests.match.test_manager import STUCK

TICTACTOE = load("tictactoe", machine="reference")
MOST_CHANGES = 250
"""How many of the ways to change a record are tried, so that it does not take minutes; the others by another seed."""

COINS = parse(MATCHING, machine="reference", name="matching")
DIE = parse(HIDDEN_DIE, machine="reference", name="die")


class Match:
    """A referee with a script: what comes from outside, at times that the script says."""

    def __init__(
        self, game: Game, settings: Settings, players: dict[str, str] | None = None, **more: Any
    ) -> None:
        self.events: list[events.Event] = []
        roles = [role for role in game.roles if role != RANDOM]
        answering = [role for role, name in (players or {}).items() if name.startswith("http://")]
        self.referee = Referee(
            game,
            players or {role: f"player_{role}" for role in roles},
            settings,
            listeners=[self.events.append],
            answering=answering,
            **more,
        )
        self.now = 0.0
        self.do(self.referee.begin)

    def do(self, act: Callable[[float], None]) -> None:
        act(self.now)
        self.send()

    def send(self) -> None:
        outbox, self.referee.outbox = self.referee.outbox, []
        for request in outbox:
            self.now = round(self.now + 0.001, 6)
            self.referee.sent(self.now, request, str(request))

    def say(self, role: str, value: str | None, shift: int = 0) -> None:
        self.now = round(self.now + 0.125, 6)
        self.referee.receive(self.now, role, Reply(self.referee.number + shift, value, value or ""))
        self.send()

    def all_say(self, value: str | None) -> None:
        for role in self.referee.roles:
            self.say(role, value)

    def fail(self, role: str, kind: str, shift: int | None = 0) -> None:
        self.now = round(self.now + 0.125, 6)
        number = None if shift is None else self.referee.number + shift
        self.referee.receive(self.now, role, Failure(number, kind, "out of order"))
        self.send()

    def wait(self) -> None:
        assert self.referee.deadline is not None
        self.now = round(max(self.now, self.referee.deadline), 6)
        self.do(self.referee.tick)

    def record(self) -> Record:
        return record_of(self.events)


def with_all_faults() -> Record:
    settings = Settings(10, 5, 5, seed=SEED, match="m01")
    match = Match(TICTACTOE, settings, {"x": "http://127.0.0.1:9147", "o": "player_o"})
    match.say("x", "available")
    match.wait()
    match.say("x", "ready")
    match.say("o", "what?")
    match.say("o", "mark(1,1)", -1)
    match.say("x", "mark(7,7)")
    match.say("x", "mark(1,1)")
    match.say("o", "mark(2,2)")
    match.say("o", None)
    match.say("x", "noop")
    match.say("o", "mark((")
    match.fail("o", "crashed", None)
    match.say("x", "x" * 1000)
    match.say("o", "nil")
    match.say("x", "noop")
    match.fail("o", "unreachable")
    match.fail("o", "refused", -1)
    match.wait()
    for _ in range(MOST_REPLIES):
        match.say("o", "mark(2,2)", -3)
    while not match.referee.is_over:
        match.wait()
    return match.record()


def with_silence() -> Record:
    match = Match(parse(STUCK.replace("(p 3)", "(p 2)"), machine="reference"), Settings(seed=1, match="m01"))
    match.all_say("ready")
    match.say("x", None)
    match.all_say(None)
    return match.record()


def with_a_pause() -> Record:
    match = Match(COINS, Settings(seed=SEED, match="m01"))
    match.all_say("ready")
    match.say("even", "show(heads)")
    match.do(match.referee.pause)
    match.now += 1000.0
    match.do(match.referee.resume)
    match.say("odd", "show(tails)")
    match.do(match.referee.end)
    match.all_say("done")
    return match.record()


def gone_on_with() -> Record:
    first = recorded(TICTACTOE, steps=3, act="interrupt")
    match = Match(TICTACTOE, Settings(10, 5, 5, seed=SEED, match="m01"), past=first.past())
    match.events[:0] = first.events
    match.all_say("ready")
    match.all_say("ready")
    while match.referee.phase == "playing":
        (role,) = match.referee.state.movers
        match.say(role, str(match.referee.state.legal_moves(role)[0]))
    match.all_say("done")
    return match.record()


def stuck() -> Record:
    match = Match(parse(STUCK, machine="reference"), Settings(seed=1, match="m01"))
    match.all_say("ready")
    match.say("x", "go")
    match.all_say("done")
    return match.record()


def not_begun() -> Record:
    match = Match(TICTACTOE, Settings(seed=1, match="m01"))
    match.say("x", "ready")
    match.say("o", "busy")
    match.say("x", "done")
    return match.record()


def scrambled() -> Record:
    scrambling = Scrambling.of_match(TICTACTOE.sheet, SEED)
    game = build(scrambling.scramble(TICTACTOE.sheet), SCRAMBLED, "reference")
    return recorded(game, names=scrambling.names, game="tictactoe")


def over_lines() -> Record:
    """Against players that misbehave in a process of their own, and behind HTTP."""
    heard: list[events.Event] = []

    async def match() -> None:
        async with bad.http_player(bad.illegal) as player:
            players = {"x": bad.child("good"), "o": player}
            await conduct(TICTACTOE, players, Settings(300, 300, 300, seed=SEED), listeners=[heard.append])

    asyncio.run(match())
    return record_of(heard)


def in_this_process() -> Record:
    heard: list[events.Event] = []
    players = {"x": bad.Prompt(Legal()), "o": bad.Prompt(bad.Says(("mark", "9", "9")))}
    asyncio.run(conduct(TICTACTOE, players, Settings(300, 300, seed=SEED), listeners=[heard.append]))
    return record_of(heard)


RECORDS: dict[str, Callable[[], Record]] = {
    "turns": lambda: recorded(TICTACTOE),
    "at once": lambda: recorded(COINS),
    "hidden": lambda: recorded(DIE),
    "scrambled": scrambled,
    "faults": with_all_faults,
    "silence": with_silence,
    "paused": with_a_pause,
    "resumed": gone_on_with,
    "ended": lambda: recorded(TICTACTOE, steps=3, act="end"),
    "aborted": lambda: recorded(TICTACTOE, steps=3, act="abort"),
    "stuck": stuck,
    "not begun": not_begun,
    "lines": over_lines,
    "here": in_this_process,
}


@cache
def record_named(name: str) -> Record:
    return RECORDS[name]()


# What can be changed


def other_values(value: Any) -> Iterator[tuple[str, Any]]:
    """Other values of the same type, and what was done to get them."""
    match value:
        case bool():
            yield "turned", not value
        case int() | float():
            yield "more", value + 3
            yield "less", value - 1
        case str():
            yield "longer", f"{value}x"
            yield "none", ""
        case tuple():
            yield "longer", (*value, "x")
            yield from [("twice", (*value, value[0])), ("shorter", value[1:])] if value else ()
        case dict():
            yield from other_mappings(value)
        case None:
            yield "something", 50


def other_mappings(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    keys = list(value)
    example = next(iter(value.values()), "x")
    yield "longer", {**value, "nobody": example}
    for key in keys:
        yield "shorter", {name: each for name, each in value.items() if name != key}
        for what, other in other_values(value[key]):
            yield what, {**value, key: other}
    for one, other in pairwise(keys):
        if value[one] != value[other]:
            yield "swapped", {**value, one: value[other], other: value[one]}


def changes(record: Record) -> Iterator[tuple[events.Event, str, str, list[events.Event]]]:
    """All ways to change one thing: the event, the field, what is done, and the events then."""
    found = list(record.events)
    for at, event in enumerate(found):
        for field in fields(event):
            for what, value in other_values(getattr(event, field.name)):
                changed = [*found[:at], replace(event, **{field.name: value}), *found[at + 1 :]]
                yield event, field.name, what, changed
        if at == 0:
            continue
        yield event, "", "deleted", [*found[:at], *found[at + 1 :]]
        yield event, "", "doubled", [*found[:at], event, *found[at:]]
        for other in [role for role in record.started.players if hasattr(event, "role")]:
            if getattr(event, "role", other) not in (other, ""):
                changed = [*found[:at], replace(event, role=other), *found[at + 1 :]]  # type: ignore[call-arg]
                yield event, "role", "blamed on another", with_totals(changed)
        if isinstance(event, events.Fault) and event.is_error:
            yield event, "", "forgiven", with_totals([*found[:at], *found[at + 1 :]])
            yield (
                event,
                "is_error",
                "forgiven",
                with_totals([*found[:at], replace(event, is_error=False), *found[at + 1 :]]),
            )
        if not isinstance(event, events.Fault) and at + 1 < len(found):
            role = next(iter(record.started.players))
            step = sum(isinstance(each, events.Moved) for each in found[:at])
            for kind in events.FAULTS:
                invented = events.Fault(event.time, step, role, kind, "out of order", True)
                yield invented, "", "invented", with_totals([*found[: at + 1], invented, *found[at + 1 :]])


def with_totals(found: list[events.Event]) -> list[events.Event]:
    """The events with the numbers of errors at their end made to fit."""
    errors = Counter(event.role for event in found if isinstance(event, events.Fault) and event.is_error)
    return [
        replace(event, errors={role: errors[role] for role in event.errors})
        if isinstance(event, events.Ended)
        else event
        for event in found
    ]


@pytest.fixture(autouse=True)
def _games_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "parse", made_once(parse))
    monkeypatch.setattr(verifying, "build", made_once(build))


@cache
def made_once(make: Callable[..., Game]) -> Callable[..., Game]:
    return cache(make)


@pytest.mark.parametrize("name", RECORDS)
def test_what_really_happened_is_true(name: str) -> None:
    report = verify(record_named(name), "reference")
    assert report.is_true, report.show()


def test_a_record_of_an_older_version_is_true() -> None:
    """Scrambled in another way, gone on with silently, and with a reply noted before the messages of its round."""
    record = read_record(Path(__file__).parent / "older_record.jsonl")
    report = verify(record, "reference")
    assert (report.is_true, report.how) == (True, "completed"), report.show()
    assert not any(isinstance(event, events.Resumed) for event in record.events)
    names = dict.fromkeys(record.started.names, "x")
    assert not verify(Record((replace(record.started, names=names), *record.events[1:])), "reference").is_true


# What cannot be known


def is_word_of_the_manager(event: events.Event, field: str, what: str, record: Record) -> bool:
    """What `docs/records.md` lists: nothing else in a record shows it."""
    if event is record.events[-1] and what == "deleted":
        return True
    match event, field:
        case (_, "time") | (
            events.Started(),
            "players" | "match" | "clock_time" | "seed" | "game" | "counts_cpu",
        ):
            return True
        case events.Started(), "grace":
            return what == "more"  # nobody needed it
        case events.Started(), "most_steps":
            return what == "more" and len(record.moves) <= 3  # a bound that was not reached
        case events.Started(), "opening":
            return what == "more" and len(record.moves) <= 1  # nor was there anything to draw
        case events.Resumed(), _:
            return what != "shorter"
        case events.Message(is_sent=False), _:
            return is_to_stop(event, record) or (field != "text" and is_as_good_as_silence(event, record))
        case events.Message(is_sent=True, text=text), "":
            return what == "doubled" and text.startswith("start") and len(record.started.roles) == 1
        case events.Fault(kind=kind), _ if kind in events.FAILURES:
            return (
                field == "detail"
                or not event.is_error
                or (what == "invented" and is_cut_short(event, record))
            )
        case events.Fault(kind=kind, detail=detail), _:
            return (kind, field) == ("stuck", "detail") or detail == FLOOD
        case events.Moved(), "thoughts":
            return True
        case events.Moved(), "seconds":
            return what == "shorter"
    return False


def is_as_good_as_silence(event: events.Message, record: Record) -> bool:
    """Whether a reply says nothing, or what goes without saying, or cannot be read, which the fault says."""
    at = record.events.index(event)
    following = record.events[at + 1]
    if isinstance(following, events.Fault) and following.kind == "malformed":
        return True
    states = [each for each in record.events[:at] if isinstance(each, events.Reached)]
    if not states:
        return False
    legal = verifying.game_of(record.started, "reference").state(states[-1].facts).legal_moves(event.role)
    return event.text in ("noop", "nil") or [str(move) for move in legal] == [event.text]


def is_cut_short(fault: events.Fault, record: Record) -> bool:
    """Whether a fault is in a round that somebody ended: no move shows what became of it."""
    how = record.ended.how if record.ended else ""
    return how in ("ended", "aborted", "") and not any(moved.step >= fault.step for moved in record.moves)


def is_to_stop(event: events.Message, record: Record) -> bool:
    """Whether a reply is one to `stop` or `abort`: whatever it is, it is understood."""
    before = record.events[: record.events.index(event)]
    sent = [each.text for each in before if isinstance(each, events.Message) and each.is_sent]
    return re.match(r"\W*(stop|abort)|.*\"kind\": \"(stop|abort)\"", sent[-1]) is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDS)
def test_whatever_is_changed_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "parse", cache(parse))  # most changes leave the rules as they are
    record = record_named(name)
    unseen, found = [], list(changes(record))
    for event, field, what, changed in random.Random(name).sample(found, min(MOST_CHANGES, len(found))):
        if changed == list(record.events) or is_word_of_the_manager(event, field, what, record):
            continue
        if verify(Record(tuple(changed)), "reference").is_true:
            unseen.append(f"{field} {what}: {event}"[:300])
    assert unseen == []
