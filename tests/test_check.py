"""The whole checker: reading, rules, ground program and random play in one report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gamemaster.check import Report, check
from gamemaster.ground import clingo_grounder
from gamemaster.ground.clingo_grounder import GroundLimits
from gamemaster.language.findings import CODES
from gamemaster.language.source import Source

GOOD = """(role r) (init (n 0)) (succ 0 1) (succ 1 2)
(<= (legal r tick) (true (n ?x)) (succ ?x ?y))
(<= (next (n ?y)) (does r tick) (true (n ?x)) (succ ?x ?y))
(<= terminal (true (n 2)))
(<= (goal r 100) (true (n 2)))
"""


def report_on(text: str, seconds: float = 0.3) -> Report:
    return check(Source("sheet", text), seconds=seconds)


def found(text: str) -> dict[str, tuple[str, int]]:
    """code -> (severity, line) of each finding."""
    return {f.code: (f.severity, f.place.line) for f in report_on(text).findings}


def test_a_good_sheet_is_only_played() -> None:
    report = report_on(GOOD)
    assert report.findings == ()
    assert (report.errors, report.warnings) == (0, 0)
    assert report.played is not None
    assert report.played.mean_length == 2
    assert report.played.mean_goals == (100,)
    assert report.played.ended == report.played.games > 0


def test_unreadable_text_is_one_finding_and_nothing_is_played() -> None:
    report = report_on("(role r")
    assert [finding.code for finding in report.findings] == ["syntax"]
    assert report.played is None


def test_play_can_be_left_out() -> None:
    assert report_on(GOOD, seconds=0).played is None


def test_a_report_is_json() -> None:
    written = json.loads(
        json.dumps(report_on(GOOD.replace("(true (n 2)))\n(<= (goal", "(true (n 9)))\n(<= (goal")).to_dict())
    )
    assert written["errors"] == 1
    assert written["findings"][0]["place"]["line"] == 2


@pytest.mark.parametrize(
    ("old", "new", "code", "severity", "line"),
    [
        ("terminal (true (n 2))", "terminal (true (n 9))", "no-move", "error", 2),
        ("(goal r 100) (true (n 2))", "(goal r 100) (true (n 1))", "goal-missing", "error", 5),
        ("(<= (goal r 100) (true (n 2)))", "(goal r 10) (goal r 20)", "goal-double", "error", 5),
        (
            "(<= (goal r 100) (true (n 2)))",
            "(goal r 10) (<= (goal r 20) (not (true (n 2))))",
            *("goal-double", "warning", 5),
        ),
        ("(goal r 100)", "(goal r high)", "goal-value", "error", 5),
        ("(init (n 0))", "(init (n 2))", "starts-terminal", "warning", 4),
        ("(role r)", "(role r) (base (n 0)) (base (n 1))", "undeclared", "warning", 1),
        ("(role r)", "(role r) (input r tock)", "undeclared-move", "warning", 2),
        ("(succ 0 1) (succ 1 2)", "(succ 0 1) (succ 1 0)", "endless", "error", 4),
        ("(succ 0 1) (succ 1 2)", "(<= (succ ?x (s ?x)) (true (n ?x)))", "limit", "error", 3),
        ("(role r)", "(role r) (<= (bad ?x) (not (n ?x))) (<= (next (n ?x)) (bad ?x))", "unsafe", "error", 1),
    ],
)
def test_what_play_shows(old: str, new: str, code: str, severity: str, line: int) -> None:
    assert old in GOOD
    findings = found(GOOD.replace(old, new))
    assert findings.get(code) == (severity, line)
    assert findings.keys() <= CODES.keys()


def test_a_rule_that_is_too_long_to_play_is_a_finding() -> None:
    report = report_on(GOOD + "(<= (next (n 0)) " + "(true (n 1)) " * 1_001 + ")")
    assert [(f.code, f.severity) for f in report.findings] == [("limit", "error")]
    assert "rule size limit of 1,000 conditions" in report.findings[0].message
    assert report.played is None


def test_only_one_role_need_move_in_epilog() -> None:
    text = """role(a) role(b) init(control(a)) legal(m)
        m :: control(a) ==> ~control(a) & done   terminal :- done   goal(R,50) :- role(R)"""
    assert found(text) == {}


def test_a_role_that_cannot_move_in_gdl_is_an_error() -> None:
    text = GOOD.replace("(role r)", "(role r) (role s) (goal s 0)")
    report = report_on(text)
    assert [f.code for f in report.findings if f.severity == "error"] == ["no-move"]
    assert "s has no legal move" in report.findings[0].message


def test_recursion_through_negation_is_decided_by_the_ground_program() -> None:
    rules = "(<= (win ?x) (edge ?x ?y) (not (win ?y))) (<= (next w) (win a)) (edge a b) (edge b c)"
    fine = report_on(GOOD + rules)
    assert [(f.code, f.severity) for f in fine.findings] == [("negative-recursion", "warning")]
    circle = report_on(GOOD + rules + "(edge c a)")
    (finding,) = (f for f in circle.findings if f.code == "negative-recursion")
    assert finding.severity == "error"
    assert "win(" in finding.message


ENDLESS = """
role(r) init(n(0)) init(control(r)) legal(t)
t :: n(X) & plus(X,1,Y) ==> ~n(X) & n(Y)
goal(r,50) terminal :- n(3)
"""


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Grounding may cost little, and nothing is in the cache."""
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    monkeypatch.setattr(clingo_grounder, "DEFAULT", GroundLimits(rules=100))


@pytest.mark.usefixtures("little")
def test_a_game_that_does_not_compile_has_a_note_at_the_rule_that_keeps_it_from_that() -> None:
    report = report_on(ENDLESS)
    (note,) = report.findings
    assert (note.code, note.severity, note.place.line) == ("reference-only", "note", 3)
    assert "runs on the reference machine only, and slowly: not compiled: size limit" in note.message
    assert (report.errors, report.warnings) == (0, 0)
    assert "leq(N,P) bounds minus(P,N,Q)" in note.hint


@pytest.mark.usefixtures("little")
def test_a_game_that_stops_counting_compiles() -> None:
    assert found(ENDLESS.replace("n(X) & plus", "n(X) & less(X,3) & plus")) == {}


@pytest.mark.usefixtures("little")
def test_what_is_wrong_is_not_compiled_to_see_whether_it_is_slow() -> None:
    assert found(ENDLESS.replace("goal(r,50)", "goal(r,50) :- n(2)")) == {"goal-missing": ("error", 4)}


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        ("(role ?x)", "unsafe"),
        ("(<= (base ?f) (not (succ ?f ?f)))", "unsafe"),
        ("(goal r foo)", "goal-value"),
        ("(<= (goal r 3) (evaluate (random 3) ?x))", "impure"),
    ],
)
def test_what_the_rules_and_play_both_show_is_told_once(sentence: str, code: str) -> None:
    errors = [f for f in report_on(f"{sentence}\n{GOOD}") if f.place.line == 1 and "none" not in f.code]
    assert [(f.code, f.severity) for f in errors if f.code != "role-rule"] == [(code, "error")]
    assert "sheet:" not in errors[0].message


def test_where_no_random_game_ends_no_figures_are_made_up() -> None:
    stuck = "(role x) (init (p 1)) (<= (legal x go) (true (p 2))) (<= terminal (true (p 3)))"
    assert check(Source("stuck.kif", stuck)).summary.endswith("; no random game came to an end")
