"""The door of all searches: what none of them has to see to itself.

A search gets a state, and looks at it as if everybody knew it. Where the rules say what each role sees, nobody does:
what is found then holds only for whoever knows the state, so it is never proven, and says so (`AS_IF_KNOWN`).

A search ends with the limits that it counts. All count seconds and nodes; those that play no random games do not count
playouts, and would never end with a budget of nothing else. Numbers that can only be too small are refused here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from numbers import Real
from typing import Any

from gamemaster.errors import ParameterError
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.result import AS_IF_KNOWN, SearchResult

__all__ = ["Search", "check_numbers", "through_door"]

Search = Callable[..., SearchResult]
"""search(state, role, budget, seed=0, **parameters): see the algorithm's own file for its parameters."""

NOT_NEGATIVE = ("exploration", "amaf", "quiet", "singular", "stray")
"""Parameters that are numbers from 0 on, whichever search has them; `amaf` is a name elsewhere."""


def through_door(algorithm: str, search: Search, *, counts_playouts: bool) -> Search:
    """The search of an algorithm as it is to be called."""

    @wraps(search)
    def enter(state: State, role: str, budget: Budget, *arguments: Any, **parameters: Any) -> SearchResult:
        if not counts_playouts:
            _check_budget(algorithm, budget)
        check_numbers(algorithm, parameters)
        result = replace(search(state, role, budget, *arguments, **parameters), state=state)
        return _as_if_known(result) if state.game.kind.has_hidden_information else result

    return enter


def _check_budget(algorithm: str, budget: Budget) -> None:
    """Nothing, where a budget has a limit beside playouts, or none at all; else ParameterError."""
    if budget.playouts is not None and budget.seconds is None and budget.nodes is None:
        raise ParameterError(
            f"{algorithm} plays no random games, so {budget} would be no limit; give it seconds or nodes"
        )


def check_numbers(algorithm: str, parameters: Mapping[str, object]) -> None:
    """Nothing, where no number is too small; else ParameterError."""
    for name in NOT_NEGATIVE:
        value = parameters.get(name)
        if isinstance(value, Real) and not float(value) >= 0:
            raise ParameterError(f"{name} of {algorithm}: {float(value):g} is not a number from 0 on")
    patience = parameters.get("patience", 1)
    if isinstance(patience, int) and patience < 1:
        raise ParameterError(f"patience of {algorithm}: {patience} is not a whole number from 1 on")


def _as_if_known(result: SearchResult) -> SearchResult:
    return replace(result, is_proven=False).noted(AS_IF_KNOWN)
