"""Game -> a strategy that people can understand, proved, or none: the simplest kind of reason first.

A candidate is only that until it is proved: by induction on the gates, where its kind knows how it answers, or against
every reply. What is given back holds; None says that none was found, not that there is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from gamemaster.errors import GamemasterError, LimitExceeded, StrategyError, Unsuitable
from gamemaster.machine.game import Game
from gamemaster.machine.kind import RANDOM
from gamemaster.machine.mistakes import reward_of
from gamemaster.search.goals import goals_in
from gamemaster.solving.strategies.cold import ColdStrategy, cold_candidates
from gamemaster.solving.strategies.explained import ExplainedStrategy, StrategyProof
from gamemaster.solving.strategies.induction import induction_of
from gamemaster.solving.strategies.pairing import PairingStrategy, pairing_candidates
from gamemaster.solving.strategies.parity import ParityStrategy, parity_candidates
from gamemaster.solving.strategies.symmetry import SymmetryStrategy, symmetry_candidates
from gamemaster.solving.strategy import after_choice

__all__ = ["KINDS", "find_strategy", "refuse_unsuitable", "strategy_from_json", "wanted"]

SECONDS = 60.0

CHECKED_A_SECOND = 4_000
"""Positions that a check may look at for each second it is given, where they are not large."""

LEAST_CHECKED = 500

Candidates = Callable[[Game, str, int, float], Iterator[ExplainedStrategy]]

FINDERS: dict[str, Candidates] = {
    ParityStrategy.kind: parity_candidates,
    SymmetryStrategy.kind: symmetry_candidates,
    ColdStrategy.kind: cold_candidates,
    PairingStrategy.kind: pairing_candidates,
}
"""What looks for candidates of each kind, the simplest first."""

KINDS: dict[str, type[ExplainedStrategy]] = {
    kind.kind: kind for kind in (ParityStrategy, SymmetryStrategy, ColdStrategy, PairingStrategy)
}


def find_strategy(
    game: Game, role: str | None = None, seconds: float = SECONDS, kinds: Collection[str] = tuple(FINDERS)
) -> ExplainedStrategy | None:
    """A proved strategy of a role, of whichever has one where none is named; the best result before lesser ones."""
    if role is not None:
        game.check_role(role)
    refuse_unsuitable(game)
    deadline = time.monotonic() + seconds
    roles = game.roles if role is None else (role,)
    for value, who, finder in wanted(game, roles, kinds):
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        found = _first_proved(finder(game, who, value, left / 2), deadline)
        if found is not None:
            return found
    return None


def refuse_unsuitable(game: Game) -> None:
    """Unsuitable for games of which strategies in words say nothing."""
    if len(game.roles) != 2 or RANDOM in game.roles:
        raise Unsuitable(f"strategies in words are for two roles without chance; {game.name} is no such game")
    if game.has_percepts:
        raise Unsuitable(f"strategies in words are for games that hide nothing; {game.name} hides its state")
    start = game.initial_state()
    if not start.is_terminal and len(start.choosers) > 1:
        raise Unsuitable(
            f"strategies in words are for games in which one role at a time chooses; in {game.name} several do"
        )


def wanted(
    game: Game, roles: tuple[str, ...], kinds: Collection[str]
) -> Iterator[tuple[int, str, Candidates]]:
    """What each role may be sure to get, the most first, and what to look for; nothing where goals are open."""
    values = {role: {reward_of(goal) for goal in game.goal_terms(role)} for role in roles}
    every = {value for own in values.values() for value in own if value is not None}
    for value in sorted(every, reverse=True):
        for finder in (finder for kind, finder in FINDERS.items() if kind in kinds):
            for role in roles:
                if value in values[role] and value > goals_in(game, role).floor:
                    yield value, role, finder


def _first_proved(candidates: Iterator[ExplainedStrategy], deadline: float) -> ExplainedStrategy | None:
    for candidate in candidates:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        proof = proof_of(candidate, left / 2)
        if proof is not None:
            return replace(candidate, proof=proof)
    return None


def proof_of(strategy: ExplainedStrategy, seconds: float) -> StrategyProof | None:
    """A proof of a strategy: by induction where that goes, else against every reply; None where neither does."""
    return _by_induction(strategy, seconds / 2) or _by_check(strategy, seconds)


def _by_induction(strategy: ExplainedStrategy, seconds: float) -> StrategyProof | None:
    try:
        induction = induction_of(strategy, seconds)
        return induction.proof() if induction is not None else None
    except (LimitExceeded, Unsuitable):
        return None


def _by_check(strategy: ExplainedStrategy, seconds: float) -> StrategyProof | None:
    try:
        verdict = strategy.verdict(_most_positions(strategy.game, seconds))
    except LimitExceeded:
        return None
    if not verdict.holds:
        return None
    text = f"checked in all {verdict.positions:,} positions that it can lead to"
    return StrategyProof("check", text, {"positions": verdict.positions})


def _most_positions(game: Game, seconds: float) -> int:
    """How many positions a check can look at in so long: by how long the first one takes, and not too many."""
    start = game.initial_state()
    began = time.perf_counter()
    for move in start.legal_moves(start.chooser) if start.chooser else ():
        after_choice(start, move)
    return (
        int(min(seconds * CHECKED_A_SECOND, seconds / (time.perf_counter() - began + 1e-5))) + LEAST_CHECKED
    )


def strategy_from_json(game: Game, data: Mapping[str, Any]) -> ExplainedStrategy:
    """The strategy that `to_json` wrote, for the same rules; StrategyError for anything else.

    What the file says of a proof is not believed: the strategy is as good as `check_strategy` finds it.
    """
    try:
        if data["rules"] != game.digest:
            raise StrategyError(f"a strategy for other rules: {data['rules']!r}, these are {game.digest!r}")
        kind, role, value = KINDS[data["kind"]], data["role"], data["value"]
        if type(value) is not int:
            raise StrategyError(f"not a strategy: its value is {value!r}")
        game.check_role(role)
        return kind.from_details(game, role, value, data["details"])
    except StrategyError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, GamemasterError) as error:
        raise StrategyError(f"not a strategy: {type(error).__name__} {error}") from None
