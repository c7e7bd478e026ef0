"""Diagnostics: what the checker finds, at the right span, soon, whatever the text."""

from __future__ import annotations

import time

import pytest

from gamemaster.editing import Diagnostic, diagnosing, diagnostics
from gamemaster.editing.scanning import MOST_CHARACTERS
from gamemaster.errors import LimitExceeded
from gamemaster.language.check import CHECKS, check_rules
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source
from tests.editing.sheets import EPILOG, HRF, KIF, LIBRARY, NIM, NOTATIONS


def marked(text: str, notation: Notation) -> list[tuple[str, str, str]]:
    return [(d.code, d.severity, text[d.span.start : d.span.end]) for d in diagnostics(text, notation)]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_sound_sheet_has_none(notation: Notation) -> None:
    assert diagnostics(NIM[notation], notation) == ()


@pytest.mark.parametrize(
    ("text", "notation", "found"),
    [
        (KIF.replace("(succ ?n ?m)", "(suc ?n ?m)"), "kif", ("undefined", "error", "suc")),
        (HRF.replace("succ(N,M)", "suc(N,M)"), "hrf", ("undefined", "error", "suc")),
        (EPILOG.replace("leq(N,P)", "leq(N)"), "epilog", ("arity", "error", "leq")),
        (KIF.replace("(goal ?p 0)", "(goal ?z 0)"), "kif", ("unsafe", "error", "?z")),
        (HRF.replace("terminal :-", "terminal :-:-"), "hrf", ("syntax", "error", ":-")),
        (EPILOG + "p(X :- q(X)\n", "epilog", ("syntax", "error", "(X")),
        (KIF + "(p", "kif", ("syntax", "error", "(p")),
    ],
)
def test_a_mistake_is_marked_where_it_stands(
    text: str, notation: Notation, found: tuple[str, str, str]
) -> None:
    codes = marked(text, notation)
    assert found[0] in [code for code, _, _ in codes], codes
    assert found[2] in [piece for code, _, piece in codes if code == found[0]], codes


def test_what_to_do_is_said() -> None:
    (found,) = diagnostics("role(x) :- \n", "hrf")
    assert found.code == "syntax"
    assert "term is expected" in found.message
    (wrong,) = [d for d in diagnostics(HRF.replace("legal(P,take)", "legal(P)"), "hrf") if d.code == "arity"]
    assert wrong.hint == "give legal 2 arguments"


def test_the_findings_are_those_of_the_checker() -> None:
    text = HRF.replace("succ(N,M)", "suc(N,M)").replace("role(first)", "role(frist)") + "unused(a)\n"
    found = [(d.code, d.message, d.hint) for d in diagnostics(text, "hrf")]
    assert found == [(f.code, f.message, f.hint) for f in check_rules(read(Source("rules", text), "hrf"))]
    assert len(found) > 2


def test_recursion_through_negation_is_an_error_only_after_grounding() -> None:
    text = KIF + "(<= (p ?x) (succ ?x ?y) (not (p ?y)))\n(<= (q ?x) (p ?x))\n"
    (quick,) = [d for d in diagnostics(text, "kif") if d.code == "negative-recursion"]
    assert quick.severity == "warning"
    assert quick.message.endswith("settled when the game is played")


def test_play_is_only_asked_for() -> None:
    text = KIF.replace("(<= terminal (true (pile 0)))", "(<= terminal (true (pile 9)))")
    assert "no-move" not in {d.code for d in diagnostics(text, "kif")}
    played = diagnostics(text, "kif", play=0.2)
    assert {d.code for d in played} & {"no-move", "endless", "never-holds"}
    assert all(0 <= d.span.start <= d.span.end <= len(text) for d in played)


def test_what_play_cannot_do_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise LimitExceeded("time", "1 s")

    monkeypatch.setattr(diagnosing, "check", fails)
    (found,) = diagnostics(KIF, "kif", play=0.1)
    assert (found.code, found.severity) == ("limit", "error")


def test_a_check_that_gives_up_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(_: object) -> list[object]:
        raise LimitExceeded("depth", "200")

    monkeypatch.setattr(diagnosing, "CHECKS", (gives_up, *CHECKS))
    found = diagnostics(HRF + "unused(a)\n", "hrf")
    assert [d.code for d in found] == ["limit", "unused"]


def test_checks_for_which_there_is_no_time_are_left_out() -> None:
    (note,) = diagnostics(HRF + "unused(a)\n", "hrf", seconds=-1.0)
    assert (note.code, note.severity) == ("limit", "note")
    assert "left out" in note.message


def test_a_text_that_is_too_large_is_not_checked() -> None:
    begun = time.monotonic()
    (note,) = diagnostics("p(a)\n" * MOST_CHARACTERS)
    assert note.code == "limit"
    assert time.monotonic() - begun < 1.0


def test_there_are_never_more_than_somebody_reads() -> None:
    text = HRF + "".join(f"unused{number}(a)\n" for number in range(500))
    assert len(diagnostics(text, "hrf")) == diagnosing.MOST_DIAGNOSTICS


@pytest.mark.parametrize("notation", NOTATIONS)
def test_an_empty_text_says_that_there_is_nothing(notation: Notation) -> None:
    assert [d.code for d in diagnostics("", notation)] == ["syntax"]


@pytest.mark.parametrize("game", ["chess", "skirmish", "tron"])
def test_a_diagnostic_is_a_plain_value(game: str) -> None:
    text, notation = LIBRARY[game]
    broken = text + "\nunheard(of) "
    assert all(isinstance(d, Diagnostic) for d in diagnostics(broken, notation))
    assert "unheard" in [piece for _, _, piece in marked(broken, notation)]
