"""What play shows has a cause: conditions that are never true, moves that were forgotten, tables that are too short."""

from __future__ import annotations

import gamemaster as gm
from gamemaster.language.findings import Finding
from gamemaster.language.rules import Notation
from gamemaster.machine.playtest import Amount, Playtest, playtest
from gamemaster.machine.probing import Probes
from gamemaster.machine.short_tables import find_short_tables
from gamemaster.machine.watching import Step

COINS = """
role(a) role(b) init(pile(6)) init(control(a))
amount(1) amount(2) other(a,b) other(b,a)
legal(take(N)) :- amount(N) & pile(P) & leq(N,P)
take(N) :: pile(P) & minus(P,N,Q) ==> ~pile(P) & pile(Q)
take(N) :: control(R) & other(R,S) ==> ~control(R) & control(S)
goal(R,0) :- control(R)
goal(R,100) :- other(R,S) & control(S)
terminal :- pile(0)
"""

BOXES = """
role(r) init(at(hall)) init(in(red,hall)) init(in(blue,hall)) init(step(1))
room(hall) room(store)
legal(r,walk(X)) :- room(X)
legal(r,paint(X)) :- true(in(X,Y))
legal(r,lose(X)) :- true(in(X,Y))
next(at(X)) :- does(r,walk(X))
next(at(X)) :- true(at(X)) & does(r,paint(Y))
next(at(X)) :- true(at(X)) & does(r,lose(Y))
next(in(X,Y)) :- true(in(X,Y)) & does(r,paint(Z))
next(in(X,Y)) :- true(in(X,Y)) & does(r,lose(Z)) & distinct(X,Z)
next(in(X,Y)) :- true(in(X,Y)) & does(r,walk(Z))
next(step(M)) :- true(step(N)) & succ(N,M)
succ(1,2) succ(2,3) succ(3,4) succ(4,5)
terminal :- true(step(5))
goal(r,50)
"""

KEPT_BY_WALKING = "next(in(X,Y)) :- true(in(X,Y)) & does(r,walk(Z))\n"


def played(text: str, notation: Notation) -> Playtest:
    game = gm.parse(text, dialect=notation, machine="reference")
    return playtest(game, amount=Amount(400, 40))


def shown(text: str, notation: Notation) -> list[Finding]:
    return [*played(text, notation).findings.values()]


def test_sheets_without_a_mistake_have_no_cause_to_tell() -> None:
    assert shown(COINS, "epilog") == []
    assert shown(BOXES, "hrf") == []


def test_a_handler_whose_condition_is_never_true_is_told_with_what_would_be() -> None:
    told = shown(COINS.replace("take(N) :: pile(P) &", "take(N) :: pile(P) & less(P,N) &"), "epilog")
    (cause,) = [f for f in told if f.code == "never-holds"]
    assert (cause.severity, cause.place.line) == ("warning", 5)
    assert cause.message.startswith("this condition of a handler of take(N) was never true in ")
    assert cause.message.endswith(" states: less(P,N): it never has an effect")
    assert cause.hint == "turned round it would have been: write less(N,P) if that is meant"


def test_a_handler_that_is_seldom_asked_is_not_told() -> None:
    rare = COINS + "legal(stop) :- pile(6) & control(b)\nstop :: pile(7) ==> ~pile(6)\n"
    assert shown(rare, "epilog") == []


def test_a_condition_that_keeps_everybody_from_moving_is_told() -> None:
    told = {f.code: f for f in shown(COINS.replace("leq(N,P)", "leq(P,N)"), "epilog")}
    assert {*told} == {"no-move", "never-holds"}
    assert told["never-holds"].message == "this condition of legal was never true at the start: leq(P,N)"
    assert "write leq(N,P)" in told["never-holds"].hint


def test_play_without_an_end_names_the_condition_of_terminal() -> None:
    forever = COINS.replace("leq(N,P)", "leq(1,P)").replace("minus(P,N,Q)", "plus(P,0,Q)")
    (endless,) = shown(forever, "epilog")
    assert endless.code == "endless"
    assert endless.message.endswith("this condition of terminal was never true in 1,000 states: pile(0)")
    through = forever.replace("terminal :- pile(0)", "terminal :- empty\nempty :- pile(P) & less(P,1)")
    (endless,) = shown(through, "epilog")
    assert endless.message.endswith("1,000 states: empty, because of less(P,1) in line 10")
    assert endless.hint == "look whether it can be true together with the conditions before it"


def test_games_that_get_stuck_before_their_end_name_the_condition_of_terminal() -> None:
    stuck = COINS.replace("terminal :- pile(0)", "terminal :- pile(0) & pile(1)")
    assert [f.code for f in shown(stuck, "epilog")] == ["no-move"]  # so soon the end is not to blame
    told = {f.code: f for f in shown(stuck.replace("pile(6)", "pile(12)"), "epilog")}
    assert {*told} == {"no-move", "no-terminal"}
    assert told["no-terminal"].message.endswith(" random games: pile(1)")


def test_what_takes_too_long_to_ask_is_not_known() -> None:
    game = gm.parse(COINS, dialect="epilog", machine="reference")
    steps: list[Step] = [(game.initial_state(), {})]
    rules = [rule for rule in game.sheet.rules if str(rule.head) == "terminal"]
    assert [unmet.sentence for unmet in Probes(game.sheet, steps, 10.0).unmet(rules)] == rules
    assert Probes(game.sheet, steps, -1.0).unmet(rules) == []


def test_a_move_that_no_rule_of_a_fact_names_is_told_with_the_rule_that_keeps_it() -> None:
    (found,) = shown(BOXES.replace(KEPT_BY_WALKING, ""), "hrf")
    assert (found.code, found.severity, found.place.line) == ("vanishes", "warning", 10)
    assert "no rule of next says what walk(" in found.message
    assert found.hint == "if it stays, say so: next(in(X,Y)) :- true(in(X,Y)) & does(r,walk(M1))"
    assert "walk(" in found.moves


def test_a_fact_that_the_move_names_or_that_gets_another_value_is_not_forgotten() -> None:
    ended = BOXES.replace("next(in(X,Y)) :- true(in(X,Y)) & does(r,lose(Z)) & distinct(X,Z)\n", "")
    named = (
        ended.replace("lose(X)", "lose(X,Y)")
        .replace("lose(Y)", "lose(Y,Z)")
        .replace("init(in(blue,hall))", "")
    )
    assert shown(named, "hrf") == []
    moved = BOXES.replace(KEPT_BY_WALKING, "next(in(X,store)) :- true(in(X,hall)) & does(r,walk(Z))\n")
    assert [f.code for f in shown(moved, "hrf") if "says what" in f.message] == []


def test_a_table_is_too_short_if_one_row_more_brings_games_to_an_end() -> None:
    short = BOXES.replace(" succ(4,5)", "")
    game = gm.parse(short, dialect="hrf", machine="reference")
    (found,) = find_short_tables(game.sheet, played(short, "hrf"), 5.0, 0)
    assert (found.code, found.severity, found.place.line) == ("short-table", "warning", 14)
    assert found.message == "succ ends with succ(3,4): with succ(4,5) as well, play comes to an end"
    assert found.hint == "add succ(4,5), or let the rules do without it"


def test_a_table_is_not_too_short_if_games_end_or_a_row_more_does_not_help() -> None:
    game = gm.parse(BOXES, dialect="hrf", machine="reference")
    assert [*find_short_tables(game.sheet, played(BOXES, "hrf"), 5.0, 0)] == []
    longer = BOXES.replace("true(step(5))", "true(step(9))")
    game = gm.parse(longer, dialect="hrf", machine="reference")
    assert [*find_short_tables(game.sheet, played(longer, "hrf"), 5.0, 0)] == []
