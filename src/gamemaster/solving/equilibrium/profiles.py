"""How all roles of a tree choose, what each gets by that, and what it would get at best against the others.

A `Profile` has a probability for every move of every information state. `best_response` is exact: a pass over the ends
of the tree, then over the information states of a role from the last to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan

import numpy as np

from gamemaster.errors import StrategyError
from gamemaster.language.terms import Term
from gamemaster.search.native.kernels.regrets import (
    Floats,
    SequenceForm,
    evaluate,
    exploit,
    normalize,
    realize,
    respond,
)
from gamemaster.solving.equilibrium.tree import HistoryTree, InformationState

__all__ = ["Profile", "Response", "best_response", "profile_of", "profile_of_plans", "uniform"]

ROUNDING = 1e-9
"""Gains of so few goals are none: they come of adding up in another order."""


@dataclass(frozen=True, eq=False)
class Profile:
    """How all roles choose: float64[S] by sequence of the tree, where those of an information state add up to 1."""

    tree: HistoryTree
    choices: Floats

    @cached_property
    def plans(self) -> Floats:
        """How likely a role plays each of its sequences, the others and chance willing."""
        plans = np.zeros_like(self.choices)
        realize(self.tree.form, self.choices, plans)
        return plans

    @cached_property
    def values(self) -> tuple[float, ...]:
        """What each role gets on average: goals."""
        reach = np.prod(self.plans[self.tree.form.leaves], axis=0)
        return tuple((self.tree.rewards @ reach).tolist())

    @cached_property
    def gains(self) -> tuple[float, ...]:
        """How much more each role would get by its best response: 0 for all in an equilibrium."""
        return tuple(
            max(0.0, best_response(self, role).value - value) if place in self.tree.choosers else 0.0
            for place, (role, value) in enumerate(zip(self.tree.roles, self.values, strict=True))
        )

    @cached_property
    def exploitability(self) -> float:
        """What a role that chooses gains by its best response, on average of them (NashConv over their number)."""
        plans, values = np.zeros_like(self.choices), np.zeros_like(self.choices)
        gain = float(exploit(self.tree.form, self.choices, plans, values))
        return gain if gain > ROUNDING else 0.0

    @cached_property
    def worths(self) -> Floats:
        """What a role gets on average that has played each of its sequences: float64[S], NaN where that never comes."""
        form = self.tree.form
        sure = form._replace(payoffs=np.repeat(self.tree.chances[None], len(self.tree.choosers), axis=0))
        rewards, reaches = self._sums(form), self._sums(sure)
        worths = np.full(len(rewards), np.nan)
        np.divide(rewards, reaches, out=worths, where=reaches > 0)
        return worths

    def _sums(self, form: SequenceForm) -> Floats:
        values = np.zeros_like(self.choices)
        for chooser in range(len(self.tree.choosers)):
            evaluate(form, self.choices, self.plans, values, chooser)
        return values

    def worth_of(self, state: int) -> dict[Term, float]:
        """What each move of an information state is worth; nothing where the others never let it come."""
        worths = self.worths[self._sequences(state)].tolist()
        return {
            move: worth for move, worth in zip(self._moves(state), worths, strict=True) if not isnan(worth)
        }

    def advise(self, state: int) -> dict[Term, float]:
        """The probability of each move in an information state."""
        return dict(zip(self._moves(state), self.choices[self._sequences(state)].tolist(), strict=True))

    def _sequences(self, state: int) -> slice:
        first = int(self.tree.form.firsts[state])
        return slice(first, first + int(self.tree.form.counts[state]))

    def _moves(self, state: int) -> list[Term]:
        book = self.tree.books[self.tree.choosers[self.tree.chooser_of(state)]]
        return [book.moves[move] for move in self.tree.moves[self._sequences(state)].tolist()]


@dataclass(frozen=True, eq=False)
class Response:
    """A best response: what it gets a role, and the profile in which only that role has changed."""

    role: str
    value: float
    profile: Profile


def best_response(profile: Profile, role: str) -> Response:
    """What a role gets at best, and how, if all others play as the profile says."""
    tree = profile.tree
    tree.game.check_role(role)
    place = tree.roles.index(role) if role in tree.roles else None
    if place not in tree.choosers:
        raise StrategyError(f"{role} never has a choice in {tree.game.name}, so nothing is its best response")
    choices = profile.choices.copy()
    value = respond(tree.form, profile.plans, np.zeros_like(choices), choices, tree.choosers.index(place))
    return Response(role, value, Profile(tree, choices))


def uniform(tree: HistoryTree) -> Profile:
    """The profile in which all moves are equally likely."""
    return profile_of_plans(tree, np.zeros(len(tree.moves)))


def profile_of_plans(tree: HistoryTree, plans: Floats) -> Profile:
    """The profile of plans, whatever they add up to; where they never come, all moves are equally likely."""
    choices = np.zeros_like(plans)
    normalize(tree.form, plans, choices)
    return Profile(tree, choices)


def profile_of(
    tree: HistoryTree,
    choose: Callable[[InformationState], Mapping[Term | str, float]],
    base: Profile | None = None,
) -> Profile:
    """The profile in which the roles choose as a function says: weights of moves for an information state.

    Where it gives an empty mapping, the choice is that of `base`, by default uniform. StrategyError for weights of
    other moves, or that are no probabilities however they are scaled.
    """
    choices = (base or uniform(tree)).choices.copy()
    for state in range(tree.states):
        told = tree.describe(state)
        weights = {str(move): float(weight) for move, weight in choose(told).items()}
        if weights:
            first = int(tree.form.firsts[state])
            choices[first : first + len(told.moves)] = _shares(told, weights)
    return Profile(tree, choices)


def _shares(state: InformationState, weights: Mapping[str, float]) -> Floats:
    names = [str(move) for move in state.moves]
    if unknown := [move for move in weights if move not in names]:
        raise StrategyError(f"{unknown[0]} is none of the moves of {state.role}: {', '.join(names)}")
    shares = np.array([weights.get(name, 0.0) for name in names])
    if not np.isfinite(shares).all() or (shares < 0).any() or shares.sum() <= 0:
        raise StrategyError(
            f"{state.role} cannot choose by the weights {weights}: they must be positive in sum"
        )
    return np.asarray(shares / shares.sum(), np.float64)
