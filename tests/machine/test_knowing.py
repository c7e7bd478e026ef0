"""Rules whose legal moves tell a role what it does not see are found by random play."""

from __future__ import annotations

import pytest

import gamemaster as gm
from gamemaster.machine.playtest import playtest
from tests.hidden.sheets import FORCED

TELLING = FORCED.replace(
    "legal(alice,right) :- true(step(2))", "legal(alice,right) :- true(step(2)) & true(coin(tails))"
)


def test_a_move_that_depends_on_what_is_not_seen_is_found_with_both_ways() -> None:
    finding = playtest(gm.parse(TELLING)).findings["unknowable-move"]
    assert finding.severity == "warning"
    assert finding.message.startswith(
        "legal moves of alice differ in states that alice cannot tell apart: right is legal only in one of those"
    )
    assert "toss(heads)" in finding.message
    assert "toss(tails)" in finding.message


def test_it_is_fine_once_the_role_sees_it() -> None:
    seen = TELLING.replace("sees(bob,C)", "sees(alice,C) :- does(random,toss(C))\nsees(bob,C)")
    assert "unknowable-move" not in playtest(gm.parse(seen)).findings


@pytest.mark.parametrize("name", ["higherlower", "phantom", "darkhex"])
def test_moves_in_the_library_follow_from_what_is_known(name: str) -> None:
    assert "unknowable-move" not in playtest(gm.load(name), seconds=2).findings
