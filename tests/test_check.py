"""The whole checker: reading, rules, ground program and random play in one report."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.check import FOLLOWS, Report, check
from gamemaster.folder_check import looks_at
from gamemaster.games import game_names
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
    error = next(finding for finding in written["findings"] if finding["severity"] == "error")
    assert error["place"]["line"] == 2
    assert error["moves"] == "tick, tick"


@pytest.mark.parametrize(
    ("old", "new", "code", "severity", "line"),
    [
        ("terminal (true (n 2))", "terminal (true (n 9))", "no-move", "error", 2),
        ("(goal r 100) (true (n 2))", "(goal r 100) (true (n 1))", "goal-missing", "error", 1),
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


@pytest.mark.parametrize(("ways", "severity"), [("a b c d e f", "note"), ("a", "error")])
def test_where_most_games_end_a_long_one_is_no_mistake(ways: str, severity: str) -> None:
    text = """(role r) (init start) (goal r 50) (<= (legal r wait) (not (true start)))
(<= (legal r (go ?w)) (true start) (way ?w)) (<= terminal (true (gone ?w)) (distinct ?w a))
(<= (next (gone ?w)) (does r (go ?w)))""" + "".join(f"(way {way})" for way in ways.split())
    report = report_on(text)
    (endless,) = (finding for finding in report if finding.code == "endless")
    assert endless.severity == severity
    assert ("vanishes" in {finding.code for finding in report}) == (severity == "error")


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
t :: n(X) & plus(X,1,Y) ==> ~n(X) & n(Y) & begun
goal(r,50) terminal :- n(3) & begun
"""


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Grounding may cost little, and nothing is in the cache."""
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    monkeypatch.setattr(clingo_grounder, "DEFAULT", GroundLimits(rules=100))


@pytest.mark.usefixtures("little")
def test_a_game_that_does_not_compile_has_a_warning_at_the_rule_that_keeps_it_from_that() -> None:
    report = report_on(ENDLESS)
    (note,) = report.findings
    assert (note.code, note.severity, note.place.line) == ("reference-only", "warning", 3)
    assert "runs on the reference machine only, and slowly: not compiled: size limit" in note.message
    assert (report.errors, report.warnings) == (0, 1)
    assert note.hint == "nothing stops X: write `& less(X,100)` behind `plus(X,1,Y)`, or let the game end"


@pytest.mark.usefixtures("little")
def test_a_game_that_stops_counting_compiles() -> None:
    assert found(ENDLESS.replace("n(X) & plus", "n(X) & less(X,3) & plus")) == {}


@pytest.mark.usefixtures("little")
def test_what_is_wrong_is_not_compiled_to_see_whether_it_is_slow() -> None:
    assert found(ENDLESS.replace("goal(r,50)", "goal(r,50) :- n(2)")) == {"goal-missing": ("error", 2)}


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


# Causes before consequences

TURNS = """role(red) role(blue) init(control(red)) init(pile(3))
legal(take) :- control(R) & pile(P) & less(0,P)
take :: pile(P) & minus(P,1,Q) & leq(0,Q) ==> ~pile(P) & pile(Q)
take :: control(R) & other(R,S) ==> ~control(R) & control(S)
other(red,blue) other(blue,red)
terminal :- pile(0)
goal(R,100) :- pile(0) & role(R) & ~control(R)
goal(R,0) :- pile(0) & control(R)
goal(R,50) :- role(R) & ~pile(0)
"""


def test_what_play_shows_comes_after_what_can_be_read() -> None:
    assert found(TURNS) == {}
    wrong = TURNS.replace("terminal :- pile(0)", "terminal :- pille(0)")
    findings = report_on(wrong).findings
    assert [(f.code, f.place.line) for f in findings] == [("undefined", 6), ("no-move", 2)]
    assert findings[1].hint == FOLLOWS


def test_that_findings_follow_from_others_is_told_once() -> None:
    text = GOOD.replace("terminal (true (n 2))", "terminal (true (n 2)) nosuch") + "(base (n 0))\n"
    findings = report_on(text).findings
    assert [(f.code, f.hint) for f in findings[1:]] == [("no-move", FOLLOWS), ("undeclared", "")]
    assert findings[0].code == "undefined"
    assert "help" not in findings[2].show()


def test_where_nothing_else_is_wrong_play_gives_advice() -> None:
    (finding,) = report_on(TURNS.replace("terminal :- pile(0)", "terminal :- pile(9)")).findings
    assert finding.code == "no-move"
    assert finding.hint.startswith("add a move (noop, pass)")


def test_a_forgotten_role_is_told_by_its_name() -> None:
    (finding,) = report_on(TURNS.replace("role(red) role(blue)", "role(red)")).findings
    assert (finding.code, finding.severity, finding.place.line) == ("unknown-role", "error", 1)
    assert finding.message == "control(blue) holds after take, and blue is no role: nobody can move"
    assert finding.hint == "add role(blue)"
    game = gm.parse(TURNS.replace("role(red) role(blue)", "role(red)"), machine="reference")
    state = game.initial_state().next("take")
    with pytest.raises(
        gm.GameIllDefined, match=r"control\(blue\) holds in step 2, and blue is no role.*add role"
    ):
        state.random_moves(random.Random(0))


# What stands beside the rules

ENTRY = """title = "Turns"
roles = ["red", "blue"]
notation = "epilog"
perft = [1, 1, 1]

[parameters]
start = {value = 3, least = 1, most = 5}

[variants.long]
start = 5
perft = [1, 1, 1, 1]

[variants.other]
facts = "init(pile(2))"
"""
SHEET = TURNS.replace("init(pile(3))", "start(3) init(pile(N)) :- start(N)")


def folder(path: Path, entry: str = ENTRY, sheet: str = SHEET, style: str = "") -> Path:
    """A folder with a game."""
    path = path / "turns"
    path.mkdir()
    (path / "game.toml").write_text(entry)
    (path / "rules.epilog").write_text(sheet)
    if style:
        (path / "style.toml").write_text(style)
    return path


def beside(path: Path) -> list[tuple[str, str, str, int]]:
    """code, severity, file and line of each finding about a folder."""
    return [
        (f.code, f.severity, Path(f.place.file).name, f.place.line)
        for f in gm.check(path, seconds=0.1).findings
    ]


def test_a_folder_that_says_what_its_rules_say_has_no_findings(tmp_path: Path) -> None:
    assert beside(folder(tmp_path)) == []


@pytest.mark.parametrize(
    ("old", "new", "severity", "line", "message"),
    [
        (
            '"red", "blue"',
            '"red", "green"',
            "warning",
            2,
            "roles are red, green, and in the rules they are red, blue",
        ),
        ('"epilog"', '"kif"', "warning", 3, "notation is kif, and the rules are written in epilog"),
        (
            "perft = [1, 1, 1]\n\n",
            "perft = [1, 2, 1]\n\n",
            *("warning", 4, "perft says that there are 2 sequences of 2 moves, and there are 1"),
        ),
        ("value = 3", "value = 4", "warning", 7, "start is 4 here, and 3 at line 1 of the rules"),
        (
            "start = {",
            "begin = {value = 3, least = 1, most = 5}\nstart = {",
            *("error", 7, "begin is a parameter, which the rules need as one fact, and have 0 times"),
        ),
        (
            "perft = [1, 1, 1, 1]",
            "perft = [1, 5]",
            *("warning", 11, "perft says that there are 5 sequences of 2 moves, and there are 1"),
        ),
        ("init(pile(2))", "init(pile(2)", "error", 13, "variant other does not load: "),
    ],
)
def test_what_game_toml_says_otherwise_is_told_at_its_line(
    old: str, new: str, severity: str, line: int, message: str, tmp_path: Path
) -> None:
    assert old in ENTRY
    path = folder(tmp_path, ENTRY.replace(old, new, 1))
    (finding,) = gm.check(path, seconds=0.1).findings
    assert (finding.code, finding.severity, finding.place.line) == ("folder", severity, line)
    assert finding.place.file.endswith("game.toml")
    assert finding.message.startswith(message)


def test_a_style_that_cannot_be_drawn_is_told_at_its_line(tmp_path: Path) -> None:
    path = folder(tmp_path, style='hide = ["pile"]\n[pieces]\nking = "kink"\n')
    (finding,) = gm.check(path, seconds=0).findings
    assert (finding.code, finding.severity, finding.place.line) == ("style", "error", 3)
    assert finding.hint == "did you mean king?"
    (path / "style.toml").write_text('hide = ["pile"]\n')
    assert beside(path) == []


def test_nothing_is_said_of_a_folder_whose_rules_are_wrong(tmp_path: Path) -> None:
    path = folder(tmp_path, ENTRY.replace('"blue"', '"green"'), SHEET + "goal(R,S) :- role(R)\n")
    assert {code for code, *_ in beside(path)} == {"unsafe"}


@pytest.mark.parametrize("name", game_names())
def test_the_folders_of_the_library_say_what_their_rules_say(name: str) -> None:
    report = check(
        gm.load(name, machine="reference").sheet.source, seconds=0, looks=looks_at(name, counts=False)
    )
    assert list(map(str, report.findings)) == []


@pytest.mark.usefixtures("little")
def test_every_rule_whose_numbers_nothing_stops_is_told_in_one_run() -> None:
    two = ENDLESS.replace("init(control(r))", "init(control(r)) init(w(1))")
    report = report_on(two + "t :: w(X) & times(X,2,Y) ==> ~w(X) & w(Y)\n")
    assert [(f.code, f.severity, f.place.line) for f in report] == [
        ("reference-only", "warning", 3),
        ("reference-only", "warning", 5),
    ]
    assert [*report][1].message.startswith("numbers may grow without end here, too")
    assert "behind `times(X,2,Y)`" in [*report][1].hint


def test_a_count_that_depends_on_itself_is_refused_before_anything_is_grounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clingo_grounder, "begin", None)
    circle = """
    role(r) init(n(1)) init(control(r)) legal(t) goal(r,50)
    p(N) :- countofall(M,q(M),N)
    q(N) :- p(N)
    terminal :- q(1)
    """
    with pytest.raises(
        gm.NotStratified, match="3:13: recursion through counting: p depends on its own negation"
    ):
        gm.parse(circle, dialect="epilog", machine="compiled")
    (finding,) = (f for f in report_on(circle) if f.code == "negative-recursion")
    assert (finding.severity, finding.place.line) == ("error", 3)
    assert "not settled" not in finding.message
