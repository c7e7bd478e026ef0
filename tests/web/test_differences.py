"""Two texts of rules side by side."""

from __future__ import annotations

import re

import pytest

from gamemaster.web import differences
from gamemaster.web.differences import difference

TAGS = re.compile(r"</?b[^>]*>")


def plain(html: str) -> str:
    return TAGS.sub("", html)


def test_what_is_gone_new_and_changed_is_told_apart() -> None:
    found = difference("p(a)\nq(X) :- r(X) & s(X)\nt(b)\n", "p(a)\nq(X) :- s(X)\nu(c)\n", "hrf")
    assert [(row.kind, row.left_number, row.right_number) for row in found.rows] == [
        ("same", 1, 1),
        ("changed", 2, 2),
        ("gone", 3, 0),
        ("new", 0, 3),
    ]
    assert plain(found.rows[1].left) == "q(X) :- <mark>r(X)</mark> &amp; s(X)"
    assert plain(found.rows[1].right) == "q(X) :- s(X)"
    assert (found.gone, found.changed, found.new, found.more) == (1, 1, 1, 0)


def test_literals_of_kif_are_compared_without_the_last_bracket() -> None:
    found = difference("(<= (q ?x) (r ?x) (s ?x))", "(<= (q ?x) (s ?x) (t ?x))", "kif")
    assert plain(found.rows[0].left) == "(&lt;= (q ?x) <mark>(r ?x)</mark> (s ?x))"
    assert plain(found.rows[0].right) == "(&lt;= (q ?x) (s ?x) <mark>(t ?x)</mark>)"


def test_literals_that_only_moved_are_marked() -> None:
    found = difference("p :- q & r", "p :- r & q", "hrf")
    assert found.rows[0].kind == "changed"
    assert "<mark>" in found.rows[0].left + found.rows[0].right


def test_rules_about_other_things_are_not_one_rule_changed() -> None:
    assert {row.kind for row in difference("p :- q & r", "s :- q & r", "hrf").rows} == {"gone", "new"}


def test_a_rule_is_beside_the_one_that_is_most_like_it() -> None:
    found = difference("t :- a & b\nt :- c & d", "t :- c", "hrf")
    assert [(row.kind, row.left_number, row.right_number) for row in found.rows] == [
        ("gone", 1, 0),
        ("changed", 2, 1),
    ]


def test_long_stretches_without_a_change_are_left_out() -> None:
    lines = [f"p({number})" for number in range(500)]
    found = difference("\n".join(lines), "\n".join(["q", *lines[:250], "r", *lines[250:]]), "hrf")
    assert [row.left_number for row in found.rows if row.kind == "left out"] == [244, 247]
    assert len(found.rows) < 20
    same = difference("\n".join(lines), "\n".join(lines), "hrf")
    assert same.rows[-1].left_number == 500 - differences.FEW


def test_no_more_rows_than_a_page_can_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "MOST_ROWS", 50)
    found = difference("", "\n".join(f"p({number})" for number in range(300)), "hrf")
    assert len(found.rows) == 50
    assert found.more == 250
    assert found.new == 300


def test_markup_in_rules_is_text() -> None:
    text = 'p("<script>alert(1)</script>")'
    long = f"q({'<b>' * 1_000})"
    found = difference(text, long, "hrf")
    assert not any("<script" in row.left + row.right or "<b>" in row.left + row.right for row in found.rows)
