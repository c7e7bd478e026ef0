"""Records: what is written is read, cut off anywhere; and whatever is not true in one is found."""

from __future__ import annotations

import json
import math
import os
import resource
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamemaster.errors import RecordError
from gamemaster.language.infix import read_term
from gamemaster.load import build, load, parse
from gamemaster.machine.game import Game
from gamemaster.match import events
from gamemaster.match.records.ggp import from_ggp, is_ggp, to_ggp
from gamemaster.match.records.record import Record, RecordWriter, read_record, record_from_lines, record_of
from gamemaster.match.records.transcript import transcript
from gamemaster.match.records.verifying import Problem, Verdict, verify
from gamemaster.match.referee import Referee
from gamemaster.match.request import Reply
from gamemaster.match.settings import Settings
from gamemaster.match.wire.scramble import Scrambling
from tests.machine.sheets import HIDDEN_DIE, MATCHING
from tests.match.recorded import recorded

TICTACTOE = load("tictactoe", machine="reference")
COINS = parse(MATCHING, machine="reference", name="matching")
DIE = parse(HIDDEN_DIE, machine="reference", name="die")
MATCH = recorded(TICTACTOE)


def lines_of(record: Record) -> bytes:
    return b"".join(json.dumps(events.event_to_json(event)).encode() + b"\n" for event in record.events)


def written(record: Record, path: Path) -> Path:
    with RecordWriter(path, is_durable=False) as writer:
        for event in record.events:
            writer.write(event)
    return path


# Writing and reading


def test_a_match_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = written(MATCH, tmp_path / "match.jsonl")
    assert read_record(path) == MATCH
    assert path.read_bytes().count(b"\n") == len(MATCH.events)


def test_every_event_is_in_the_file_at_once_and_moves_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    path = tmp_path / "match.jsonl"
    with RecordWriter(path) as writer:
        for number, event in enumerate(MATCH.events, 1):
            writer.write(event)
            assert path.read_bytes().count(b"\n") == number
    writer.close()
    assert len(synced) == len(MATCH.moves) + 2  # the end, and the file


def test_a_disk_that_is_full_is_told_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    writer = RecordWriter(path)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        with pytest.raises(OSError, match=r"match\.jsonl") as caught:
            writer.write(MATCH.started)
        writer.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caught.value.filename == str(path)
    assert path.stat().st_size <= 100


def test_clocks_without_an_end_are_null(tmp_path: Path) -> None:
    record = Record((replace(MATCH.started, start_clock=math.inf), *MATCH.events[1:3]))
    path = written(record, tmp_path / "match.jsonl")
    assert '"start_clock":null,"play_clock":5.0' in path.read_text()
    assert read_record(path) == record


def test_a_record_is_never_written_over(tmp_path: Path) -> None:
    path = written(MATCH, tmp_path / "match.jsonl")
    with pytest.raises(RecordError, match=r"match\.jsonl' exists already"):
        RecordWriter(path)


def test_of_a_match_that_does_not_begin_no_file_is_left(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    with RecordWriter(path):
        assert path.exists()
    assert not path.exists()
    with RecordWriter(written(MATCH, path), is_resumed=True):
        pass
    assert read_record(path) == MATCH


def test_a_record_goes_on_after_its_last_complete_line(tmp_path: Path) -> None:
    path = written(MATCH, tmp_path / "match.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 20])
    with RecordWriter(path, is_resumed=True) as writer:
        writer.write(MATCH.events[-1])
    assert path.read_bytes() == whole


texts = st.text(max_size=6)
numbers = st.floats(0, 1e6)
goals = st.dictionaries(texts, st.none() | st.integers(0, 100), max_size=3)
any_started = st.builds(
    events.Started,
    numbers,
    texts,
    texts,
    texts,
    texts,
    texts,
    st.lists(texts, max_size=3).map(tuple),
    st.dictionaries(texts, texts, max_size=3),
    numbers,
    numbers,
    st.integers(),
    texts,
    st.dictionaries(texts, texts, max_size=3),
)
any_event = (
    st.builds(events.Ready, numbers, texts, numbers)
    | st.builds(events.Message, numbers, texts, st.booleans(), texts)
    | st.builds(
        events.Reached, numbers, st.integers(0), st.lists(texts, max_size=3).map(tuple), goals, st.booleans()
    )
    | st.builds(
        events.Moved,
        numbers,
        st.integers(0),
        st.dictionaries(texts, texts, max_size=3),
        st.dictionaries(texts, numbers, max_size=3),
        st.lists(texts, max_size=2).map(tuple),
        st.dictionaries(texts, st.lists(texts, max_size=2).map(tuple), max_size=2),
    )
    | st.builds(events.Fault, numbers, st.integers(0), texts, texts, texts, st.booleans())
    | st.builds(events.Ended, numbers, texts, goals, st.dictionaries(texts, st.integers(0), max_size=3))
)
any_record = st.builds(
    lambda first, rest: Record((first, *rest)), any_started, st.lists(any_event, max_size=4)
)


@settings(max_examples=100, deadline=None)
@given(any_record, st.data())
def test_any_record_cut_off_anywhere_has_what_was_complete(record: Record, data: st.DataObject) -> None:
    lines = lines_of(record)
    assert record_from_lines(lines) == record
    cut = data.draw(st.integers(0, len(lines)))
    complete = lines[:cut].count(b"\n")
    if complete == 0:
        with pytest.raises(RecordError, match="record:1: no match in it"):
            record_from_lines(lines[:cut])
        return
    found = record_from_lines(lines[:cut])
    assert found.events == record.events[:complete]
    assert bool(found.dropped) == (not lines[:cut].endswith(b"\n"))


STATE = '{"event":"state","time":1,"step":0,"facts":[],"goals":{},"is_terminal":false}'


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", ":2: not a line of JSON: ''"),
        ("{", ":2: not a line of JSON: '{'"),
        ("\x00\x00", ":2: not a line of JSON"),
        ("[" * 100_000, ":2: not a line of JSON"),
        ("[]", ":2: not an event of a match"),
        ('{"event":[]}', ":2: not an event of a match"),
        ('{"event":"won"}', ":2: not an event of a match"),
        ('{"event":"ready","time":1}', ":2: ready is incomplete"),
        ('{"event":"ready","time":1,"role":"x","seconds":1,"more":1}', ":2: ready has no 'more'"),
        (STATE.replace("1,", '"1",', 1), ":2: state has a wrong time: '1'"),
        (STATE.replace("0,", "true,", 1), ":2: state has a wrong step: 'True'"),
        (STATE.replace("[]", "[1]"), ":2: state has a wrong facts"),
        (STATE.replace("[]", '"abc"'), ":2: state has a wrong facts"),
        (STATE.replace("{}", "[]"), ":2: state has a wrong goals"),
        (STATE.replace("{}", '{"x":"100"}'), ":2: state has a wrong goals"),
        (STATE.replace("false", "null"), ":2: state has a wrong is_terminal"),
        (
            '{"event":"moved","time":1,"step":0,"moves":{},"seconds":{},"percepts":[]}',
            ":2: moved has a wrong perc",
        ),
    ],
)
def test_a_line_that_is_no_event_is_refused_with_its_number(line: str, error: str) -> None:
    first = json.dumps(events.event_to_json(MATCH.started))
    with pytest.raises(RecordError, match=f"record{error}".replace("[", r"\[").replace("{", r"\{")):
        record_from_lines(f"{first}\n{line}\n".encode())


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(RecordError, match="record:1: not a line of JSON"):
        record_from_lines(b"\xff\xfe\n")


def test_a_record_begins_once() -> None:
    with pytest.raises(RecordError, match="record:1: a match does not begin like this"):
        record_of(MATCH.events[1:])
    with pytest.raises(RecordError, match="record:2: a second match begins"):
        record_of([MATCH.started, MATCH.started])


# Verifying


@pytest.mark.parametrize("game", [TICTACTOE, COINS, DIE], ids=str)
def test_a_true_record_is_found_true(game: Game) -> None:
    record = recorded(game)
    report = verify(record, "reference")
    assert report == Verdict((), len(record.moves), "completed")
    assert report.show() == f"the record is true: {len(record.moves)} steps, completed"


def test_the_machine_does_not_matter() -> None:
    assert verify(MATCH, "compiled").is_true
    assert verify(recorded(load("tictactoe", machine="compiled")), "reference").is_true


def test_a_record_of_a_referee_is_true(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    with RecordWriter(path) as writer:
        referee = Referee(COINS, {"even": "a", "odd": "b"}, Settings(play_clock=1), listeners=[writer.write])
        now = 0.0
        referee.begin(now)
        while not referee.is_over:  # nobody ever answers
            now = (referee.deadline or now) + 0.001
            referee.tick(now)
    record = read_record(path)
    assert verify(record, "reference").is_true
    assert record.ended is not None
    assert record.ended.errors == {"even": 4, "odd": 4}


def test_a_record_cut_off_is_true_as_far_as_it_goes() -> None:
    lines = lines_of(MATCH)
    for cut in range(lines.index(b"\n") + 1, len(lines), 97):
        report = verify(record_from_lines(lines[:cut]), "reference")
        assert report.is_true
    assert "an incomplete last line of" in report.show()
    assert "not at its end" in report.show()


def position(kind: type[events.Event], number: int = 0) -> int:
    return [line for line, event in enumerate(MATCH.events) if isinstance(event, kind)][number]


def changed(kind: type[events.Event], number: int = 0, /, **changes: Any) -> Record:
    found = list(MATCH.events)
    at = position(kind, number)
    found[at] = replace(found[at], **changes)
    return Record(tuple(found))


assert MATCH.ended is not None
ENDED = MATCH.ended
LATE = next(moved for moved in MATCH.moves if moved.substituted)
LATE_ROLE = LATE.substituted[0]
UNTRUE: list[tuple[str, Record, str]] = [
    ("rules", changed(events.Started, rules=MATCH.started.rules + "\nline(x)"), "line 1: the rules have the hash"),
    ("no rules", changed(events.Started, rules="p("), "line 1: the rules give no game"),
    ("digest", changed(events.Started, digest="0" * 16), "line 1: the rules have the hash"),
    ("roles", changed(events.Started, roles=("o", "x")), "line 1: the roles are x, o, not o, x"),
    ("players", changed(events.Started, players={"x": "a"}), "line 1: players for x, but"),
    ("ready", changed(events.Ready, role="z"), "nobody plays 'z'"),
    ("message", changed(events.Message, role="z"), "nobody plays 'z'"),
    ("fact", changed(events.Reached, 1, facts=MATCH.states[1].facts[:-1]), "another state follows from the rules"),
    ("step", changed(events.Reached, 1, step=7), "state of step 7, but 1 steps were made"),
    ("goals", changed(events.Reached, 1, goals={"x": 100, "o": 0}), "the goals are {'x': 50, 'o': 50}, not"),
    ("terminal", changed(events.Reached, 1, is_terminal=True), "the state is not terminal"),
    ("not terminal", changed(events.Reached, -1, is_terminal=False), "the state is terminal"),
    ("move", changed(events.Moved, 0, moves={"x": "mark(3,3)"}), "another state follows"),
    ("illegal", changed(events.Moved, 1, moves=MATCH.moves[0].moves), "illegal move"),
    ("nobody", changed(events.Moved, 1, moves={"z": "a"}), "no role 'z'"),
    ("step of a move", changed(events.Moved, 1, step=4), "moves of step 4 in step 1"),
    ("substituted", changed(events.Moved, 0, substituted=("x",)), "is not the move that the seed gives"),
    ("nothing substituted", changed(events.Moved, 1, substituted=("z",)), "a move for 'z' was substituted"),
    ("seed", changed(events.Started, seed=8), "is not the move that the seed gives"),
    ("percepts", changed(events.Moved, 1, percepts={"x": ("a",)}), "the percepts are not those"),
    ("fault", changed(events.Fault, kind="ugly"), "no kind of fault: 'ugly'"),
    ("fault of nobody", changed(events.Fault, role="z"), "nobody plays 'z'"),
    ("errors", changed(events.Ended, errors={"x": 0, "o": 0}), "the errors are"),
    ("end", changed(events.Ended, how="won"), "no way to end: 'won'"),
    ("stuck at the end", changed(events.Ended, how="stuck"), "said to be stuck, but the rules are not"),
    (
        "stuck on the way",
        Record((*MATCH.events[:8], replace(ENDED, how="stuck", goals=MATCH.states[0].goals))),
        "said to be stuck, but the rules are not",
    ),
    (
        "no last state",
        Record(tuple(event for event in MATCH.events if event is not MATCH.states[-1])),
        f"the state of step {len(MATCH.moves)} is missing",
    ),
    ("last goals", changed(events.Ended, goals={"x": 1, "o": 99}), "the goals are"),
    ("after the end", Record((*MATCH.events, MATCH.states[-1])), "state after the end"),
    ("move too many", Record((*MATCH.events[:-1], MATCH.moves[-1])), "moves after the game is over"),
    (
        "no state",
        Record(tuple(event for event in MATCH.events if event is not MATCH.states[1])),
        "the state of step 1 is missing",
    ),
    (
        "end before the end",
        Record((*MATCH.events[:8], MATCH.events[-1])),
        "said to be complete, but the game is not over",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("record", "problem"), [case[1:] for case in UNTRUE], ids=[case[0] for case in UNTRUE]
)
def test_what_is_not_true_is_found(record: Record, problem: str) -> None:
    report = verify(record, "reference")
    assert not report.is_true
    assert any(problem in str(found) for found in report.problems), report.show()
    assert report.show().startswith("the record is not true: ")


NO_NUMBER = """
(role x) (init (p 1)) (<= (legal x (go ?n)) (way ?n)) (way 2) (way 3)
(<= (next (p ?n)) (does x (go ?n)))
(<= (goal x 50) (true (p 1))) (<= (goal x 50) (true (p 2))) (<= (goal x much) (true (p 3))) (<= terminal (true (p 4)))
"""


@pytest.mark.parametrize("moves", [["go(2)", "go(3)"], ["go(3)"]])
def test_a_match_that_ends_with_its_rules_is_true(moves: list[str]) -> None:
    """A goal that is no number, in the state that the last move leads to."""
    told: list[events.Event] = []
    referee = Referee(parse(NO_NUMBER, machine="reference"), {"x": "x"}, listeners=[told.append])
    referee.begin(0.0)
    for value in ("ready", *moves, "done"):
        referee.receive(0.0, "x", Reply(referee.number, value, value))
    report = verify(record_of(told), "reference")
    assert (report.is_true, report.how) == (True, "stuck"), report.show()
    assert not verify(record_of([*told[:-1], replace(told[-1], how="completed")]), "reference").is_true  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("act", "how"), [("end", "ended"), ("abort", "aborted"), ("interrupt", "")], ids=["end", "abort", "leave"]
)
@pytest.mark.parametrize("steps", [0, 3])
def test_a_match_may_be_left_anywhere(act: str, how: str, steps: int) -> None:
    report = verify(recorded(TICTACTOE, steps=steps, act=act), "reference")
    assert (report.is_true, report.how, report.steps) == (True, how, steps), report.show()


def test_a_substitute_for_a_role_without_moves_is_found() -> None:
    record = changed(events.Moved, 0, moves={"x": MATCH.moves[0].moves["x"], "o": "a"}, substituted=("o",))
    assert verify(record, "reference").problems == (
        Problem(position(events.Moved) + 1, "o has no legal move at step 0"),
    )


def test_a_move_of_chance_that_the_seed_does_not_give_is_found() -> None:
    record = recorded(DIE)
    moved = record.moves[0]
    others = {"throw(1)", "throw(2)", "throw(3)"} - {moved.moves["random"]}
    for other in others:
        at = record.events.index(moved)
        tampered = replace(moved, moves={**moved.moves, "random": other})
        report = verify(Record((*record.events[:at], tampered, *record.events[at + 1 :])), "reference")
        assert any("not the move that the seed gives" in problem.what for problem in report.problems)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_move_state_or_goal_can_be_changed_unseen(data: st.DataObject) -> None:
    kinds = (events.Moved, events.Reached, events.Ended)
    at = data.draw(st.sampled_from([i for i, event in enumerate(MATCH.events) if isinstance(event, kinds)]))
    plain = events.event_to_json(MATCH.events[at])
    name = data.draw(st.sampled_from(sorted({"moves", "facts", "goals"} & plain.keys())))
    other = data.draw(st.sampled_from([events.event_to_json(each)[name] for each in MATCH.events
                                       if isinstance(each, type(MATCH.events[at]))]))  # fmt: skip
    if set(other) == set(plain[name]) and (not isinstance(other, dict) or other == plain[name]):
        return
    tampered = events.event_from_json({**plain, name: other})
    assert not verify(Record((*MATCH.events[:at], tampered, *MATCH.events[at + 1 :])), "reference").is_true


# Going on


def test_a_match_goes_on_from_its_last_move() -> None:
    past = record_of(MATCH.events[: position(events.Moved, 2) + 1]).past()
    assert list(past.moves) == [moved.moves for moved in MATCH.moves[:3]]
    assert (past.errors[LATE_ROLE], past.has_state, past.time) == (1, False, MATCH.moves[2].time)
    assert record_of(MATCH.events[: position(events.Reached, 2) + 1]).past().has_state
    assert not record_of(MATCH.events[:3]).past().has_state


def test_a_match_that_is_over_does_not_go_on() -> None:
    with pytest.raises(RecordError, match="match 'm01' is over: completed"):
        MATCH.past()


# Transcripts


def test_a_transcript_numbers_rounds_and_shows_what_is_no_message() -> None:
    same = replace(MATCH.started, players={"x": "legal", "o": "legal"})
    told = [
        same,
        events.Message(1, "x", True, "ping(1)"),
        events.Message(1, "o", True, "ping(1)"),
        events.Message(1, "x", False, "<html>"),
        events.Message(1, "x", False, "mark(("),
        events.Message(2, "x", True, "play(m01,nil)"),
        events.Message(2, "x", False, "reply(m01,mark(1,1))"),
    ]
    assert transcript(told) == [
        "message(1,manager,x,ping(1))",
        "message(1,manager,o,ping(1))",
        "message(1,x,manager,'<html>')",
        "x to Game Manager: mark((",
        "message(2,manager,x,play(m01,[]))",
        "message(2,x,manager,reply(m01,mark(1,1)))",
    ]


# ggp-base


@pytest.mark.parametrize("game", [TICTACTOE, COINS, DIE], ids=str)
def test_a_match_goes_to_ggp_and_back(game: Game) -> None:
    record = recorded(game)
    text = to_ggp(record)
    found = from_ggp(text, game)
    assert is_ggp(text)
    assert [moved.moves for moved in found.moves] == [moved.moves for moved in record.moves]
    assert [state.facts for state in found.states] == [state.facts for state in record.states]
    assert (found.ended and found.ended.goals) == (record.ended and record.ended.goals)
    assert found.errors == record.errors
    assert found.started.players == record.started.players
    assert verify(found, "reference").is_true
    assert to_ggp(found) == text


def test_who_has_no_move_makes_noop_in_ggp() -> None:
    (first, *_) = json.loads(to_ggp(MATCH))["moves"]
    assert first == [read_term(MATCH.moves[0].moves["x"]).kif(), "noop"]


def ggp_match() -> dict[str, Any]:
    """A match as ggp-base publishes it, of rules with simultaneous moves."""
    return {
        "matchId": "base.matching.1394",
        "randomToken": "hhVmSYnVcPWDwGzC",
        "startTime": 1394000000000,
        "gameMetaURL": "http://games.ggp.org/base/games/matching/v0/",
        "isCompleted": False,
        "states": [
            "( ( round 1 ) ( score odd 0 ) ( score even 0 ) )",
            "( ( score odd 0 ) ( ROUND 2 ) ( score even 1 ) )",
        ],
        "moves": [["( show heads )", "( show heads )"]],
        "stateTimes": [1394000010000, 1394000012500],
        "errors": [["CE", "TO"], ["IL ( show edge )", "TO"]],
        "startClock": 30,
        "playClock": 15,
    }


def test_a_match_of_ggp_base_is_read() -> None:
    record = from_ggp(json.dumps(ggp_match()), COINS)
    assert verify(record, "reference").is_true
    assert record.ended is None
    assert record.moves[0].moves == {"even": "show(heads)", "odd": "show(heads)"}
    assert record.moves[0].time == 12.5
    assert record.faults == (
        events.Fault(10.0, 0, "even", "unreachable", "CE", True),
        events.Fault(10.0, 0, "odd", "not ready", "TO", True),
        events.Fault(12.5, 0, "even", "illegal", "( show edge )", True),
        events.Fault(12.5, 0, "odd", "late", "TO", True),
    )
    assert [type(event) for event in record.events[:4]] == [
        events.Started,
        events.Fault,
        events.Fault,
        events.Reached,
    ]
    assert json.loads(to_ggp(record))["errors"] == ggp_match()["errors"]
    assert record.started.players == {"even": "unknown", "odd": "unknown"}
    assert record.started.game == "http://games.ggp.org/base/games/matching/v0/"
    assert record.started.clock_time == "2014-03-05T06:13:20+00:00"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("late", "TO"),
        ("not ready", "TO"),
        ("unreachable", "CE"),
        ("illegal", "IL a b"),
        ("crashed", "crashed"),
    ],
)
def test_errors_go_to_ggp_by_their_names_there(kind: str, code: str) -> None:
    """In the row of the start, or in the one after that of the step."""
    fault = events.Fault(0, 0, "x", kind, "a;\nb", True)
    first = position(events.Reached)
    for at, row in ((first, 0), (first + 1, 1)):
        plain = [event for event in MATCH.events if not isinstance(event, events.Fault)]
        written = json.loads(to_ggp(Record((*plain[:at], fault, *plain[at:]))))["errors"]
        assert len(written) == len(MATCH.moves) + 1
        assert [each for each in written if any(each)] == [[code, ""]]
        assert written[row] == [code, ""]


def test_errors_that_nobody_knows_are_malformed_replies() -> None:
    match = {**ggp_match(), "errors": [["", ""], ["??", "crashed"]]}
    faults = from_ggp(json.dumps(match), COINS).faults
    assert [(fault.kind, fault.detail) for fault in faults] == [("malformed", "??"), ("crashed", "crashed")]


def test_chance_of_another_manager_is_believed() -> None:
    record = recorded(DIE)
    match = json.loads(to_ggp(record))
    match["randomToken"] = "another"
    assert verify(from_ggp(json.dumps(match), DIE), "reference").is_true
    started = replace(record.started, seed=record.started.seed + 1)
    assert not verify(Record((started, *record.events[1:])), "reference").is_true


def test_a_scrambled_match_goes_to_ggp_in_the_words_of_the_game() -> None:
    scrambling = Scrambling.of(TICTACTOE.sheet, 1)
    record = recorded(build(scrambling.scramble(TICTACTOE.sheet), "scrambled", "reference"))
    started = replace(record.started, names=scrambling.names)
    text = to_ggp(Record((started, *record.events[1:])))
    assert json.loads(text)["gameRoleNames"] == ["x", "o"]
    assert scrambling.words["mark"] not in text
    found = from_ggp(text, TICTACTOE)
    assert verify(found, "reference").is_true
    assert found.errors == {"x": 0, "o": 1}


def test_a_match_of_ggp_base_that_is_not_true_is_found_out() -> None:
    match = ggp_match()
    match["states"][1] = "( ( round 3 ) )"
    assert not verify(from_ggp(json.dumps(match), COINS), "reference").is_true


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"moves": [["(show edge)", "(show heads)"]]}, "step 0: illegal move"),
        ({"moves": [["(show heads)"]]}, "step 0: 1 moves for 2 roles"),
        ({"moves": [["(show heads", "(show heads)"]]}, "step 0: bracket is never closed"),
        ({"moves": 1}, "not a match in JSON: TypeError"),
        ({"states": ["round"]}, "step 0: a list in brackets was expected"),
        ({"states": ["( (f ?) )"]}, "step 0: "),
        ({"playerNamesFromHost": ["a"]}, "1 players, but the roles of matching are even, odd"),
        ({"startClock": "soon"}, "not a match in JSON: ValueError"),
        ({"isCompleted": True, "goalValues": [1]}, "not a match in JSON: ValueError"),
        ({"isCompleted": True, "goalValues": [[1], [2]]}, "ended has a wrong goals"),
        ({"startTime": 1e300}, "not a match in JSON: "),
        ({"startTime": float("inf")}, "not a match in JSON: "),
        ({"startClock": 10**400}, "not a match in JSON: OverflowError"),
        ({"startClock": float("nan")}, "started has a wrong start_clock: 'nan'"),
        ({"matchId": [1]}, "started has a wrong match"),
        ({"errors": [[1]]}, "not a match in JSON: AttributeError"),
    ],
)
def test_other_json_is_refused(changes: dict[str, Any], error: str) -> None:
    with pytest.raises(RecordError, match=error):
        from_ggp(json.dumps({**ggp_match(), **changes}), COINS)


def test_percepts_of_illegal_moves_are_refused() -> None:
    match = json.loads(to_ggp(recorded(DIE)))
    match["moves"][0][0] = "(throw 9)"
    with pytest.raises(RecordError, match="illegal move"):
        from_ggp(json.dumps(match), DIE)


def test_what_is_no_json_of_a_match() -> None:
    assert not is_ggp("[]")
    assert not is_ggp("{")
    assert not is_ggp(lines_of(MATCH).decode())
    with pytest.raises(RecordError, match="not a match in JSON: KeyError 'startTime'"):
        from_ggp("{}", COINS)


def test_matches_that_were_aborted_or_have_no_date() -> None:
    record = Record(
        (
            replace(MATCH.started, clock_time="once", play_clock=2.5),
            events.Ended(1, "aborted", {"x": 50, "o": 50}, {"x": 0, "o": 0}),
        )
    )
    match = json.loads(to_ggp(record))
    assert (match["startTime"], match["isAborted"], match["playClock"]) == (0, True, 2.5)
    assert from_ggp(json.dumps(match), TICTACTOE).events[-1] == replace(record.events[-1], time=0.0)
