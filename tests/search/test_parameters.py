"""The parameters of algorithms by name, and what is said of those that do not exist."""

from __future__ import annotations

import re
from typing import Any

import pytest

import gamemaster as gm
from gamemaster.errors import ParameterError
from gamemaster.search.budget import Budget
from gamemaster.search.catalogue import ALGORITHMS, find_algorithm
from gamemaster.search.evaluation import EVALUATIONS
from gamemaster.search.parameters import parameters_of, read_parameters

EXPECTED = {
    "mcs": "levels=1",
    "uct": "exploration=0.5, amaf=none, solver=yes",
    "nested": "level=2",
    "nrpa": "level=3, each=40",
    "greedy": "",
    "extended": "paths=3, extra=2, depth=none, evaluation=intermediate",
    "coalition": "alliances=, depth=none, evaluation=intermediate",
    "paranoid": "depth=none, evaluation=intermediate, table=yes, ordering=table,killer,history, quiet=none, "
    "singular=none, extra=4, null=off, probe=none",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_parameters_are_those_of_the_search(name: str) -> None:
    assert ", ".join(map(str, parameters_of(name).values())) == EXPECTED[name]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_default_can_be_written_and_read_again(name: str) -> None:
    parameters = parameters_of(name)
    found = read_parameters(name, map(str, parameters.values()))
    defaults = {key: each.default for key, each in parameters.items()}
    named = {key: getattr(value, "__name__", value) for key, value in defaults.items()}
    assert found == named


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("alphabeta", "depth=4", 4),
        ("alphabeta", "depth=none", None),
        ("alphabeta", "quiet = 2.5", 2.5),
        ("alphabeta", "table=off", False),
        ("alphabeta", "ordering=killer,history", ("killer", "history")),
        ("alphabeta", "ordering=", ()),
        ("deepening", "null=auto", "auto"),
        ("coalition", "alliances=a+b,c+d", ("a+b", "c+d")),
        ("maxn", "evaluation=mobility", "mobility"),
        ("bounded", "enough=51", 51.0),
        ("uct", "amaf=grave", "grave"),
        ("idastar", "heuristic=false", False),
    ],
)
def test_texts_become_values(name: str, text: str, value: Any) -> None:
    found = read_parameters(name, [text])
    assert list(found.values()) == [value]
    assert type(next(iter(found.values()))) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("mcs", "depth=3", "mcs has no parameter 'depth'; there are: levels=1"),
        ("greedy", "depth=3", "greedy has no parameter 'depth'; there are none"),
        ("mcs", "levels", "'levels' is not a parameter of mcs with a value, name=value; there are: levels=1"),
        ("mcs", "levels=two", "levels of mcs: 'two' is not a whole number; there are: levels=1"),
        ("mcs", "levels=-1", "levels of mcs: '-1' is not a whole number"),
        ("nested", "level=", "level of nested: '' is not a whole number"),
        (
            "alphabeta",
            "quiet=much",
            "quiet of alphabeta: 'much' is not a number or none; there are: depth=none",
        ),
        ("uct", "exploration=nan", "exploration of uct: 'nan' is not a number"),
        ("uct", "solver=maybe", "solver of uct: 'maybe' is not yes or no"),
        ("uct", "amaf=much", "amaf of uct: 'much' is not one of none, rave, grave"),
        ("maxn", "evaluation=", "evaluation of maxn: '' is not a name"),
    ],
)
def test_what_is_no_parameter_is_refused_with_those_there_are(name: str, text: str, message: str) -> None:
    with pytest.raises(ParameterError, match="^" + re.escape(message)):
        read_parameters(name, [text])


def test_the_names_of_evaluations_and_orders_are_checked_too() -> None:
    state = gm.load("tictactoe").initial_state()
    search = find_algorithm("alphabeta")
    with pytest.raises(ValueError, match="no way of ordering moves 'x'; there are: table, killer, history"):
        search(state, "x", Budget(nodes=10), **read_parameters("alphabeta", ["ordering=x"]))
    with pytest.raises(gm.UnknownAlgorithm, match=f"no evaluation 'x'; there are: {', '.join(EVALUATIONS)}"):
        search(state, "x", Budget(nodes=10), **read_parameters("alphabeta", ["evaluation=x"]))
