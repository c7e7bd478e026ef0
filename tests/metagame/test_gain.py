"""What transformers gained: how fast, how sure, and whether it is still the same game."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

import gamemaster as gm
from gamemaster.language.notation import read
from gamemaster.language.terms import Term
from gamemaster.load import build, source_of
from gamemaster.machine.game import Game
from gamemaster.metagame import gain
from gamemaster.metagame.catalogue import apply
from gamemaster.metagame.gain import Gain, compare, compiled_sizes, written_sizes
from gamemaster.metagame.symbolizer import symbol_of


def both(name: str, *transformers: str) -> tuple[Game, Game]:
    sheet = read(source_of(name))
    return build(sheet, name, "reference"), build(apply(sheet, transformers), name, "reference")


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Time goes on with every call of a function, so that it is the same on any machine."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    monkeypatch.setattr(gain, "time", SimpleNamespace(thread_time=lambda: calls / 1e6))
    sys.setprofile(count)
    yield
    sys.setprofile(None)


def test_a_badly_written_game_is_faster_after_it_and_the_same(work: None) -> None:
    found = compare(*both("badtictactoe", "optimizer", "pruner"), 1.0)
    assert found.difference == ""
    assert found.games > 0
    assert found.low is not None
    assert found.high is not None
    assert 3 < found.low < found.high
    assert found.after > 3 * found.before


def test_the_same_rules_are_neither_faster_nor_others(work: None) -> None:
    found = compare(*both("tictactoe", "optimizer"), 0.5)
    assert found.difference == ""
    assert found.low is not None
    assert found.high is not None
    assert 0.8 < found.low <= found.high < 1.25


def test_with_little_play_nobody_is_sure() -> None:
    found = compare(*both("tictactoe", "optimizer"), 1e-6)
    assert found.low is found.high is None
    assert found.states >= 1


def test_names_may_be_others() -> None:
    def rename(move: Term) -> Term:
        return symbol_of(move)  # type: ignore[arg-type]  # moves are no variables

    assert compare(*both("nim", "grounder", "symbolizer"), 0.1, rename=rename).difference == ""
    assert "other legal moves" in compare(*both("nim", "grounder", "symbolizer"), 0.1).difference


SPARE = """role(x) base(p(a)) base(p(b)) init(n(1)) succ(1,2) succ(2,3)
input(x,go(M)) :- way(M) way(a) way(b) legal(x,go(M)) :- way(M)
next(n(M)) :- true(n(N)) & succ(N,M) terminal :- true(n(3)) goal(x,100)"""


def test_moves_that_do_the_same_may_be_fewer() -> None:
    one = gm.parse(SPARE, "hrf", machine="reference")
    fewer = gm.parse(SPARE.replace("way(b)", ""), "hrf", machine="reference")
    assert compare(one, fewer, 0.05, has_fewer_moves=True).difference == ""
    assert "x has other legal moves" in compare(one, fewer, 0.05).difference
    assert "x has other legal moves" in compare(fewer, one, 0.05, has_fewer_moves=True).difference


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("role(x)", "role(y)", "the roles are others"),
        ("true(n(3))", "true(n(2))", "after 1 steps of a random game only one of them is over"),
        ("goal(x,100)", "goal(x,50)", "after 2 steps of a random game the goals are others"),
    ],
)
def test_a_difference_is_told_with_where_it_is(old: str, new: str, difference: str) -> None:
    one = gm.parse(SPARE, "hrf", machine="reference")
    other = gm.parse(SPARE.replace(old, new), "hrf", machine="reference")
    assert compare(one, other, 0.05).difference == difference


def test_a_game_where_nobody_can_move_is_left() -> None:
    stuck = "role(x) init(p) legal(x,a) :- true(q) terminal :- true(r) goal(x,0)"
    found = compare(
        gm.parse(stuck, "hrf", machine="reference"), gm.parse(stuck, "hrf", machine="reference"), 0.01
    )
    assert isinstance(found, Gain)
    assert found.games == 0


def test_sizes_of_rules() -> None:
    sheet = read(source_of("badtictactoe"))
    assert written_sizes(sheet) == {"rules": 35, "literals": 88}
    assert compiled_sizes(sheet)["gates"]
