"""Facts taken apart, as players do it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import gamemaster as gm

FACT: Any = next(fact for fact in gm.load("tictactoe").initial_state().facts if str(fact) == "cell(1,2,b)")


def test_a_fact_is_its_name_and_its_arguments() -> None:
    assert (FACT[0], FACT.functor) == ("cell", "cell")
    assert list(FACT) == ["cell", "1", "2", "b"]
    assert (len(FACT), FACT[-1]) == (4, "b")
    assert FACT.args == ("1", "2", "b")
    name, row, column, content = FACT
    assert (name, int(row), float(column), content) == ("cell", 1, 2.0, "b")


def test_facts_are_told_apart_by_patterns() -> None:
    match FACT:
        case ("cell", row, column, "b"):
            assert int(row) + int(column) == 3
        case _:
            raise AssertionError(FACT)


def test_parts_compare_with_texts_and_facts_with_tuples() -> None:
    assert FACT[1] == "1"
    assert {"b": "empty"}[FACT[-1]] == "empty"
    assert FACT == ("cell", "1", "2", "b")
    assert str(FACT) == "cell(1,2,b)"
    assert f"{FACT}" == "cell(1,2,b)"
    assert sorted([FACT, gm.Compound(("cell", "1", "1", "b"))])[1] is FACT
    assert pickle.loads(pickle.dumps(FACT)) == FACT
    assert type(pickle.loads(pickle.dumps(FACT))) is gm.Compound


def test_only_numbers_are_numbers() -> None:
    with pytest.raises(ValueError, match="invalid literal for int"):
        int(FACT[-1])


@pytest.mark.parametrize("machine", ["reference", "compiled"])
def test_a_state_is_asked_whether_a_fact_holds(machine: Any) -> None:
    state = gm.load("tictactoe", machine=machine).initial_state()
    assert state.holds("cell(1,2,b)")
    assert state.holds(FACT)
    assert not state.holds("cell(1,2,x)")
    assert not state.holds("nothing")
    with pytest.raises(gm.StateError, match="has a variable"):
        state.holds("cell(X,1,b)")
    with pytest.raises(gm.StateError, match="cannot be read"):
        state.holds("cell(")
