"""Messages: each form in each era, the example of the slides, and texts that are no messages."""

from __future__ import annotations

import contextlib
import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamemaster.errors import MessageError
from gamemaster.language.infix import read_hrf, read_term
from gamemaster.language.rules import Rules
from gamemaster.language.source import MAX_BYTES, Source
from gamemaster.language.terms import Symbol, Term, exact_kif
from gamemaster.load import load, parse
from gamemaster.match.records.transcript import transcript_line
from gamemaster.match.wire.messages import (
    MAX_SIZE,
    MAX_WORDS,
    has_too_many_words,
    print_message,
    read_message,
    read_reply,
)
from gamemaster.match.wire.protocol import (
    Abort,
    Body,
    Envelope,
    Era,
    Message,
    Ping,
    Play,
    ReplyMessage,
    Start,
    Stop,
)
from tests.language import strategies
from tests.match.spoken import REPLIES

RULES = "role(x) role(o) init(p) legal(R,a) :- role(R) & true(p)  terminal :- ~true(p)  goal(R,50) :- role(R)"
SHEET = parse(RULES, machine="reference").sheet
KIF = (
    "(role x) (role o) (init p) (<= (legal ?r a) (role ?r) (true p)) (<= terminal (not (true p)))"
    " (<= (goal ?r 50) (role ?r))"
)
INFIX = "role(x),role(o),init(p),legal(R,a) :- role(R) & true(p),terminal :- ~true(p),goal(R,50) :- role(R)"
ids = st.sampled_from(["m01", "1", "M01", "base.ticTacToe.13", "a b", "it's", "?x"]) | strategies.any_text
MARK, NOOP = read_term("mark(1,1)"), Symbol("noop")
START = Start("x", SHEET, 10, 5, "m01")


def enveloped(body: Body) -> Envelope:
    return Envelope("3", "manager", "indy", body)


FORMS: list[tuple[str, Era, Message]] = [
    ("(info)", Era.KIF, Ping()),
    (f"(start m01 x ({KIF}) 10 5)", Era.KIF, START),
    ("(play m01 nil)", Era.KIF, Play((), "m01")),
    ("(play m01 ((mark 1 1) noop))", Era.KIF, Play((MARK, NOOP), "m01")),
    ("(stop m01 ((mark 1 1) noop))", Era.KIF, Stop((MARK, NOOP), "m01")),
    ("(abort m01)", Era.KIF, Abort("m01")),
    ("ready", Era.KIF, ReplyMessage(Symbol("ready"))),
    ("(mark 1 1)", Era.KIF, ReplyMessage(MARK)),
    ("((name Robby) (status available))", Era.KIF, ReplyMessage(Symbol("available"), name="Robby")),
    ("info()", Era.HRF, Ping()),
    (f"start(m01,x,[{INFIX}],10,5)", Era.HRF, START),
    ("play(m01,[mark(1,1),noop])", Era.HRF, Play((MARK, NOOP), "m01")),
    ("play(m01,[mark(1,1)])", Era.HRF, Play((MARK,), "m01")),
    ("stop(m01,[mark(1,1),noop])", Era.HRF, Stop((MARK, NOOP), "m01")),
    ("mark(1,1)", Era.HRF, ReplyMessage(MARK)),
    ("ping(1)", Era.IDS, Ping("1")),
    (f"start(m01,x,ruleset({INFIX}),10,5)", Era.IDS, START),
    ("play(m01,nil)", Era.IDS, Play((), "m01")),
    ("play(m01,mark(1,1))", Era.IDS, Play((MARK,), "m01")),
    ("stop(m01,mark(1,1))", Era.IDS, Stop((MARK,), "m01")),
    ("abort(m01)", Era.IDS, Abort("m01")),
    ("reply(m01,mark(1,1))", Era.IDS, ReplyMessage(MARK, "m01")),
    ("message(3,manager,indy,ping(1))", Era.IDS, enveloped(Ping("1"))),
    ("message(3,manager,indy,play(m01,[]))", Era.IDS, enveloped(Play((), "m01"))),
    ("message(3,manager,indy,reply(m01,noop))", Era.IDS, enveloped(ReplyMessage(NOOP, "m01"))),
    ("message(3,manager,indy,ping())", Era.ENVELOPE, enveloped(Ping())),
    (
        f"message(3,manager,indy,start(x,ruleset({INFIX}),10,5))",
        Era.ENVELOPE,
        enveloped(Start("x", SHEET, 10, 5)),
    ),
    ("message(3,manager,indy,play([]))", Era.ENVELOPE, enveloped(Play())),
    ("message(3,manager,indy,play(mark(1,1)))", Era.ENVELOPE, enveloped(Play((MARK,)))),
    ("message(3,manager,indy,play([mark(1,1),noop]))", Era.ENVELOPE, enveloped(Play((MARK, NOOP)))),
    ("message(3,manager,indy,stop(mark(1,1)))", Era.ENVELOPE, enveloped(Stop((MARK,)))),
    ("message(3,manager,indy,abort())", Era.ENVELOPE, enveloped(Abort())),
    (
        "message(3,indy,manager,mark(1,1))",
        Era.ENVELOPE,
        Envelope("3", "indy", "manager", ReplyMessage(MARK)),
    ),
]


def without_rules(message: Message) -> object:
    """What can be compared of a message: the notation of its rules may be another."""
    if isinstance(message, Envelope):
        return (message.id, message.sender, message.receiver, without_rules(message.body))
    if isinstance(message, Start):
        clocks = (float(message.start_clock), float(message.play_clock))
        return (message.role, message.rules.sentences, *clocks, message.id)
    return message


@pytest.mark.parametrize(("text", "era", "message"), FORMS, ids=[text[:40] for text, _, _ in FORMS])
def test_a_message_is_read_and_printed_exactly(text: str, era: Era, message: Message) -> None:
    found, read = read_message(text)
    assert (found, without_rules(read)) == (era, without_rules(message))
    assert print_message(message, era) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( INFO )", Ping()),
        ("(ping)", Ping()),
        ("info", Ping()),
        ("ping()", Ping()),
        ("( PLAY Base.T1 NIL )", Play((), "Base.T1")),
        ("( PLAY m01 (( MARK 1 1 ) NOOP ) ) ; and a comment", Play((MARK, NOOP), "m01")),
        ("(play m01 ())", Play((), "m01")),
        ("READY", ReplyMessage(Symbol("ready"))),
        ("  Noop\r\n", ReplyMessage(NOOP)),
        ("(MARK 1 1)", ReplyMessage(MARK)),
        ("((Status BUSY) (Name My Robot) (Species none))", ReplyMessage(Symbol("busy"), name="My Robot")),
        ("( ( name |My Robot| ) ( status available ) )", ReplyMessage(Symbol("available"), name="My Robot")),
        ("((status available) (name (a b)))", ReplyMessage(Symbol("available"), name="(a b)")),
        ("((status available))", ReplyMessage(Symbol("available"))),
        ("Play( M01 , [ ] )", Play((), "M01")),
        ("message( 3 , manager, indy, play( m01, [ ] ) )", enveloped(Play((), "m01"))),
        ("\ufeffmessage(3,manager,indy,ping())", enveloped(Ping())),
        ("| A b|", ReplyMessage(Symbol(" A b"))),
        ("'A b'", ReplyMessage(Symbol("A b"))),
        ("start_over", ReplyMessage(Symbol("start_over"))),
    ],
)
def test_messages_of_others_are_read_as_they_are_meant(text: str, message: Message) -> None:
    assert read_message(text)[1] == message


@pytest.mark.parametrize(
    ("move", "text"),
    [("[a,b]", "play(m01,[[a,b]])"), ("nil", "play(m01,[nil])"), ("a!b", "play(m01,a!b)")],
)
def test_a_move_that_is_a_list_is_told_from_a_list_of_moves(move: str, text: str) -> None:
    message = Play((read_term(move),), "m01")
    assert print_message(message, Era.IDS) == text
    assert read_message(text)[1] == message


def test_a_rule_may_begin_with_a_bracket() -> None:
    sheet = Rules(read_hrf(Source("rules", "p . (a & b)!c . q :- p")).sentences, "hrf")
    text = print_message(Start("x", sheet, 1, 1, "m"), Era.IDS)
    assert text == "start(m,x,ruleset(p,(a & b)!c,q :- p),1,1)"
    assert without_rules(read_message(text)[1]) == without_rules(Start("x", sheet, 1, 1, "m"))


def test_a_start_may_have_more_arguments_than_we_know() -> None:
    _, message = read_message(f"(START m01 X ({KIF}) 10 5 something new)")
    assert without_rules(message) == without_rules(START)


def test_rules_of_epilog_are_lowered_for_classic_players() -> None:
    game = load("tictactoe", machine="reference")
    for era in (Era.KIF, Era.HRF):
        _, message = read_message(print_message(Start("x", game.sheet, 10, 10, "m"), era))
        assert isinstance(message, Start)
        assert message.rules.sentences == game.rules.sentences
    _, message = read_message(print_message(Start("x", game.sheet, 10, 10, "m"), Era.IDS))
    assert isinstance(message, Start)
    assert message.rules == game.sheet


def test_a_short_message_has_no_rules() -> None:
    assert print_message(START, Era.KIF, is_short=True) == "(start m01 x (...) 10 5)"
    assert print_message(START, Era.HRF, is_short=True) == "start(m01,x,[...],10,5)"
    assert print_message(START, Era.IDS, is_short=True) == "start(m01,x,ruleset(...),10,5)"


def test_a_reply_may_have_the_name_of_a_request() -> None:
    for text in ("stop(a)", "start(1,2)", "play", "message(1,2)", "info()"):
        assert read_reply(text, Era.HRF) == (Era.HRF, ReplyMessage(read_term(text)))
    assert read_reply("(start 1)", Era.KIF) == (Era.KIF, ReplyMessage(read_term("start(1)")))
    assert read_reply("reply(1,a)", Era.HRF)[1] == ReplyMessage(read_term("reply(1,a)"))
    assert read_reply("reply(1,a)")[1] == ReplyMessage(Symbol("a"), "1")
    found = read_reply("message(3,indy,manager,abort())", Era.ENVELOPE)[1]
    assert found == Envelope("3", "indy", "manager", ReplyMessage(read_term("abort()")))


def test_a_reply_in_the_other_notation_is_read_too() -> None:
    assert read_reply("mark(1,1)", Era.KIF)[1] == ReplyMessage(MARK)
    assert read_reply("(mark 1 1)", Era.HRF)[1] == ReplyMessage(MARK)


@settings(deadline=None)
@given(ids.filter(bool), st.sampled_from(sorted(REPLIES)))
def test_what_a_player_says_of_itself_is_read_as_printed(name: str, status: str) -> None:
    reply = ReplyMessage(Symbol(status), name=name)
    assert read_reply(print_message(reply, Era.KIF)) == (Era.KIF, reply)


@pytest.mark.parametrize(
    ("message", "era", "error"),
    [
        (Play(), Era.KIF, "Play needs an id in the era 'kif'"),
        (Ping(), Era.IDS, "Ping needs an id in the era 'ids'"),
        (Abort(), Era.HRF, "Abort needs an id in the era 'hrf'"),
        (Ping(), Era.ENVELOPE, "Ping is no message of the era 'envelope'"),
        (enveloped(Ping()), Era.KIF, "Envelope is no message of the era 'kif'"),
        (Start("x", SHEET, -1, 1, "m"), Era.KIF, "clock -1 is no number of seconds"),
        (Start("x", SHEET, 1, float("nan"), "m"), Era.IDS, "clock nan is no number of seconds"),
    ],
)
def test_what_an_era_cannot_say_is_not_printed(message: Message, era: Era, error: str) -> None:
    with pytest.raises(MessageError, match=error):
        print_message(message, era)


# The example of the slides

MOVES = ["mark(1,1)", "mark(1,2)", "mark(2,2)", "mark(1,3)", "mark(3,3)"]


def slides_match(era: Era) -> list[str]:
    """The tic-tac-toe match of the slides in an era, line by line; what x and o do in turn is told to both."""
    players, match = ("indy", "lara"), "m01"
    lines: list[str] = []
    number = 0

    def tell(body: Body | None, *bodies: Body) -> None:
        nonlocal number
        number += 1
        for player, each in zip(players, bodies or (body, body), strict=True):
            assert each is not None
            lines.append(transcript_line(each, era, "manager", player, number))

    def answer(player: str, value: str) -> None:
        body = ReplyMessage(read_term(value), match if era is Era.IDS else None)
        lines.append(transcript_line(body, era, player, "manager", number))

    tell(Ping("m01" if era is Era.IDS else None))
    answer("indy", "ready")
    answer("lara", "ready")
    tell(None, Start("x", SHEET, 10, 10, match), Start("o", SHEET, 10, 10, match))
    answer("indy", "ready")
    answer("lara", "ready")
    before: tuple[Term, ...] = ()
    for step, move in enumerate(MOVES):
        tell(Play(before, match))
        answer(players[step % 2], move)
        done = read_term(move)
        joint = (done, NOOP) if step % 2 == 0 else (NOOP, done)
        before = joint if era.is_classic else (done,)
    tell(Stop(before, match))
    return lines


def test_the_slides_example_comes_out_as_the_slides_print_it() -> None:
    lines = slides_match(Era.ENVELOPE)
    assert lines == [
        "message(1,manager,indy,ping())",
        "message(1,manager,lara,ping())",
        "message(1,indy,manager,ready)",
        "message(1,lara,manager,ready)",
        "message(2,manager,indy,start(m01,x,ruleset(...),10,10))",
        "message(2,manager,lara,start(m01,o,ruleset(...),10,10))",
        "message(2,indy,manager,ready)",
        "message(2,lara,manager,ready)",
        "message(3,manager,indy,play(m01,[]))",
        "message(3,manager,lara,play(m01,[]))",
        "message(3,indy,manager,mark(1,1))",
        "message(4,manager,indy,play(m01,mark(1,1)))",
        "message(4,manager,lara,play(m01,mark(1,1)))",
        "message(4,lara,manager,mark(1,2))",
        "message(5,manager,indy,play(m01,mark(1,2)))",
        "message(5,manager,lara,play(m01,mark(1,2)))",
        "message(5,indy,manager,mark(2,2))",
        "message(6,manager,indy,play(m01,mark(2,2)))",
        "message(6,manager,lara,play(m01,mark(2,2)))",
        "message(6,lara,manager,mark(1,3))",
        "message(7,manager,indy,play(m01,mark(1,3)))",
        "message(7,manager,lara,play(m01,mark(1,3)))",
        "message(7,indy,manager,mark(3,3))",
        # The slides print the move before, mark(1,3), here; the original's code sends the last one.
        "message(8,manager,indy,stop(m01,mark(3,3)))",
        "message(8,manager,lara,stop(m01,mark(3,3)))",
    ]


def test_the_slides_example_in_the_other_eras() -> None:
    assert slides_match(Era.IDS)[8:11] == [
        "message(3,manager,indy,play(m01,[]))",
        "message(3,manager,lara,play(m01,[]))",
        "message(3,indy,manager,reply(m01,mark(1,1)))",
    ]
    kif = slides_match(Era.KIF)
    assert kif[:5] == [
        "Game Manager to indy: (info)",
        "Game Manager to lara: (info)",
        "indy to Game Manager: ready",
        "lara to Game Manager: ready",
        "Game Manager to indy: (start m01 x (...) 10 10)",
    ]
    assert kif[10:13] == [
        "indy to Game Manager: (mark 1 1)",
        "Game Manager to indy: (play m01 ((mark 1 1) noop))",
        "Game Manager to lara: (play m01 ((mark 1 1) noop))",
    ]
    assert kif[-1] == "Game Manager to lara: (stop m01 ((mark 3 3) noop))"
    assert slides_match(Era.HRF)[-1] == "Game Manager to lara: stop(m01,[mark(3,3),noop])"


def test_the_rules_of_the_slides_are_read_out_of_their_message() -> None:
    text = (
        "message(1649703514,manager,indy,start(1,x,ruleset(role(x),role(o),base(cell(M,N,x))\n"
        ":- index(M) & index(N),index(1),legal(mark(M,N)) :- cell(M,N,b),mark(M,N) :: control(R)\n"
        "==> cell(M,N,R) & ~cell(M,N,b),terminal :- ~open,open :- cell(M,N,b)),10,10))"
    )
    era, message = read_message(text)
    assert era is Era.IDS
    assert isinstance(message, Envelope)
    assert isinstance(message.body, Start)
    assert message.body.rules.notation == "epilog"
    assert len(message.body.rules.sentences) == 8
    assert print_message(message, era) == " ".join(text.split("\n"))


# Any message, there and back

moves = st.lists(strategies.ground_terms, max_size=3).map(tuple)
clocks = st.integers(0, 10_000).map(float) | st.floats(0, 1e6)
CONTROLS = {chr(code) for code in (*range(9), *range(14, 32), 127)}


def is_readable(rules: Rules) -> bool:
    """Rules have no control characters; terms may."""
    return not set(repr([*map(str, rules.sentences)])) & CONTROLS and not any(
        "\\x" in repr(str(sentence)) for sentence in rules.sentences
    )


rules = strategies.core_sheets.map(lambda sentences: Rules(sentences, "hrf")).filter(is_readable)
requests = (
    st.builds(Ping, ids)
    | st.builds(Start, strategies.names | strategies.any_text, rules, clocks, clocks, ids)
    | st.builds(Play, moves, ids)
    | st.builds(Stop, moves, ids)
    | st.builds(Abort, ids)
)


@settings(max_examples=150, deadline=None)
@given(requests)
def test_any_classic_request_is_read_as_printed(message: Body) -> None:
    era, read = read_message(print_message(message, Era.KIF))
    expected: Body = Ping() if isinstance(message, Ping) else message
    assert era is Era.KIF
    assert without_rules(read) == without_rules(expected)


@settings(max_examples=150, deadline=None)
@given(requests, st.sampled_from([Era.HRF, Era.IDS]))
def test_any_infix_request_is_read_as_printed(message: Body, era: Era) -> None:
    found, read = read_message(print_message(message, era))
    assert found in (Era.HRF, Era.IDS)
    assert found is era or not isinstance(message, Start)
    assert without_rules(read) == without_rules(message)


@settings(max_examples=150, deadline=None)
@given(st.builds(Envelope, ids, ids, ids, requests), st.sampled_from([Era.IDS, Era.ENVELOPE]), st.booleans())
def test_any_request_in_an_envelope_is_read_as_printed(message: Envelope, era: Era, has_id: bool) -> None:
    if not has_id:
        body = message.body
        without = {name: getattr(body, name) for name in body.__slots__ if name != "id"}
        message = Envelope(message.id, message.sender, message.receiver, type(body)(**without))
    found, read = read_message(print_message(message, era))
    assert found is (Era.IDS if has_id else Era.ENVELOPE)
    assert without_rules(read) == without_rules(message)


@settings(max_examples=300, deadline=None)
@given(strategies.ground_terms, ids, st.sampled_from(Era))
def test_any_reply_is_read_as_printed(value: Term, number: str, era: Era) -> None:
    reply = ReplyMessage(value, number if era is Era.IDS else None)
    message = Envelope("1", "a", "b", reply) if era is Era.ENVELOPE else reply
    text = print_message(message, era)
    found, read = read_reply(text, era)
    assert (found, read) == (era, message), (text, exact_kif(value))


# Texts that are no messages


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "an empty text is no message"),
        (" \n", "an empty text is no message"),
        ("(start m01 x ((role x)) 10)", r"start takes 5 arguments, not 4: '\(start m01"),
        ("(play m01)", "play takes 2 arguments, not 1"),
        ("(info now)", "info takes 0 arguments, not 1"),
        ("info(now)", "info takes no arguments"),
        ("(abort)", "abort takes 1 arguments, not 0"),
        ("ping(1,2)", "ping takes 1 arguments, not 2"),
        ("message(1,manager,indy)", "message takes 4 arguments, not 3"),
        ("message(1,manager,indy,play(a,b,c))", r"play takes 1 or 2 arguments, not 3: 'play\(a,b,c\)' at char"),
        ("reply(1)", "reply takes 2 arguments, not 1"),
        ("(play m01 mark)", "a list in brackets was expected: 'mark' at character 11"),
        ("(play m01 (mark ?x))", r"no variables, and here is one: '\?x' at character 17"),
        ("play(m01,mark(X))", r"no variables, and here is one: 'mark\(X\)' at character 10"),
        ("(start m01 (x) ((role x)) 10 5)", "a word was expected"),
        ("(start m01 x rules 10 5)", "rules stand in brackets: 'rules' at character 14"),
        ("(start m01 x ((<= (p)) 10 5)", "never closed"),
        ("(start m01 x ((role x)) ten 5)", "a clock is a number of seconds: 'ten' at character 25"),
        ("start(m01,x,ruleset(role(x)),10,-5)", "a clock is a number of seconds: '-5'"),
        ("start(m01,x,role(x),10,5)", r"rules stand in ruleset\(...\) or \[...\]"),
        ("start(m01,x,ruleset(role(x),,role(o)),10,5)", "a rule was expected"),
        ("start(m01,x,ruleset(),10,5)", "no sentences"),
        ("start(m01,x,ruleset(p :- ),10,5)", "a term is expected"),
        ("play(m01,nil", r"bracket is never closed: '\(m01,nil' at character 5"),
        ("play(m01,nil) play(m01,nil)", "one message was expected, and it does not end here"),
        ("play(m01,nil]", "one message was expected, and it does not end here"),
        ("(play m01 nil) (abort m01)", "one message was expected, and it does not end here"),
        ("(play m01 \")", "this cannot be read|never closed"),
        ("(play \" m01 nil)", "this cannot be read"),
        ("mark(1,1", "this is no reply|never closed"),
        ("mark 1 1", "this is no reply"),
        ("play(" * 300, "brackets nest deeper than 204 levels"),
        ("(play m " + "(a " * 300, "brackets nest deeper than 204 levels"),
        ("((name a) (status))", "this is no reply"),
        ("((name a) status)", "this is no reply"),
        ("mark(X)", "this is no reply"),
        ("<html>404 Not Found</html>", "this is no reply"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_message_is_refused(text: str, error: str) -> None:
    with pytest.raises(MessageError, match=error):
        read_message(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1_000_000,
        "(" * 100_000_000,
        "play(" * 200_000,
        "play(a," + "b," * 400_000,
        "(play m (" + "a " * 400_000 + "))",
        "start(m,x,ruleset(" + "a," * MAX_BYTES,
        "(start m x (" + "(a)" * MAX_BYTES + ") 1 1)",
        "(start m x (" + "(a " * 300 + ")" * 300 + ") 1 1)",
        "reply(1," + "f(" * 250 + "a" + ")" * 250 + ")",
        "reply(1," + "[a," * 90_000 + "a" + "]" * 90_000 + ")",
        "message(" * 100_000,
        "|" * 999_999,
        "((" + "(status " * 100_000,
    ],
    ids=lambda text: f"{text[:12]} {len(text)}",
)
def test_huge_and_deep_texts_are_refused_soon(text: str) -> None:
    began = time.process_time()
    with pytest.raises(MessageError) as caught:
        read_message(text)
    assert len(str(caught.value)) < 500
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("begin", "word", "end"),
    [
        ("(start m r (", "(a) ", ") 1 1)"),
        ("(start m r (", "a\n", ") 1 1)"),
        ("start(m,r,ruleset(", "p(a),", "a),1,1)"),
        ("play(m,[", "a,", "a])"),
    ],
)
def test_a_message_of_too_many_words_is_refused_before_it_is_read(
    begin: str, word: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However short they are: reading takes as long as there are words."""
    long = begin + word * MAX_WORDS + end
    assert len(long) < MAX_SIZE
    with monkeypatch.context() as patched:
        patched.setattr("gamemaster.match.wire.cutting._marks", lambda *_: pytest.fail("it is read"))
        with pytest.raises(MessageError, match=f"^message of more than {MAX_WORDS:,} words$"):
            read_message(long)
    assert has_too_many_words("a " * (MAX_WORDS + 1))
    assert not has_too_many_words("a " * MAX_WORDS + " " * MAX_WORDS)


def test_the_size_allowed_is_a_parameter() -> None:
    with pytest.raises(MessageError, match="message of 14 characters; 10 are allowed"):
        read_message("(play m01 nil)", max_size=10)
    with pytest.raises(MessageError, match=f"message of {MAX_SIZE + 1:,} characters; 1,000,000 are allowed"):
        read_reply("a" * (MAX_SIZE + 1))
    assert read_reply("a" * (MAX_SIZE + 1), max_size=2 * MAX_SIZE)[1].value  # type: ignore[union-attr]


@settings(max_examples=300, deadline=None)
@given(
    strategies.token_soups
    | st.text(max_size=40)
    | st.builds(
        "{}{}{}".format,
        st.sampled_from(["(play m ", "play(", "message(1,a,b,", "(start m x ", "start(m,x,", "reply("]),
        strategies.token_soups,
        st.sampled_from([")", "))", " 1 1)", ",1,1)", ""]),
    )
)
def test_any_text_is_a_message_or_refused(text: str) -> None:
    for read in (read_message, read_reply):
        with contextlib.suppress(MessageError):
            assert isinstance(read(text)[0], Era)


@pytest.mark.parametrize("era", [Era.KIF, Era.HRF, Era.IDS])
def test_a_clock_may_never_run_out(era: Era) -> None:
    text = print_message(Start("x", SHEET, math.inf, 5, "m"), era)
    assert "Infinity" in text
    message = read_message(text)[1]
    assert isinstance(message, Start)
    assert (message.start_clock, message.play_clock) == (math.inf, 5)
