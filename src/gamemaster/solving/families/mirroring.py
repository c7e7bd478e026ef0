"""Strategies by symmetry of some sizes -> one with the size as an unknown, and from that the strategy of any size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gamemaster.errors import StrategyError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game
from gamemaster.solving.families.formulas import MapFormula, TermFormula, fit_map, fit_term
from gamemaster.solving.strategies.mirrors import Mirror, turn_facts
from gamemaster.solving.strategies.symmetry import SymmetryStrategy, mirror_rule
from gamemaster.solving.strategies.wording import listed

__all__ = ["MirrorScheme", "fit_mirror"]


@dataclass(frozen=True, slots=True)
class MirrorScheme:
    """What a role begins with, and where the mirror takes moves and facts, as formulas of the size."""

    role: str
    value: int
    first: TermFormula | None
    moves: MapFormula
    facts: MapFormula
    takes_wins: bool

    def at(self, game: Game, size: int) -> SymmetryStrategy:
        """The strategy for the game of a size; StrategyError where the formulas give none, and why."""
        circuit, turns = game.circuit, turn_facts(game)
        if circuit is None or turns is None:
            raise Unsuitable(f"{game.name} is no game for two that take turns, compiled")
        control = frozenset(turns.values())
        facts = self.facts.at(size, [fact for fact in circuit.facts if fact not in control])
        moves = self.moves.at(size, list({move: None for made in circuit.moves.values() for move in made}))
        if facts is None or moves is None:
            raise StrategyError("the mirror takes a fact or a move to none")
        mirror = Mirror({one: end for one, end in facts.items() if one != end}, moves, control)
        first = self._first(game, size)
        return SymmetryStrategy(
            game, self.role, self.value, mirror=mirror, first=first, takes_wins=self.takes_wins
        )

    def _first(self, game: Game, size: int) -> Term | None:
        if self.first is None:
            return None
        start, first = game.initial_state(), self.first.at(size)
        if first is None:
            raise StrategyError("the move to begin with would have a number that is no whole one")
        if start.chooser != self.role or first not in start.legal_moves(self.role):
            raise StrategyError("the move to begin with is not legal")
        return first

    def rule(self, unknown: str, note: str = "") -> str:
        """What to do; `note` says what the first move is."""
        first = None if self.first is None else f"{self.first.words(unknown)}{note}"
        return mirror_rule(first, listed(self.moves.words(unknown)), self.takes_wins)

    def to_json(self, unknown: str) -> dict[str, Any]:
        """The formulas as texts."""
        return {
            "role": self.role,
            "value": self.value,
            "first": None if self.first is None else self.first.words(unknown),
            "moves": self.moves.words(unknown),
            "facts": self.facts.words(unknown),
            "takes_wins": self.takes_wins,
        }


def fit_mirror(strategies: Mapping[int, SymmetryStrategy]) -> MirrorScheme | None:
    """The strategy of some sizes with the size as an unknown; None where they are not of one form."""
    one = next(iter(strategies.values()))
    firsts = {size: each.first for size, each in strategies.items() if each.first is not None}
    alike = {(each.role, each.value, each.takes_wins, each.first is None) for each in strategies.values()}
    if len(alike) > 1:
        return None
    first = fit_term(firsts) if firsts else None
    moves = fit_map({size: each.mirror.moves for size, each in strategies.items()})
    facts = fit_map({size: _all_facts(each) for size, each in strategies.items()})
    if moves is None or facts is None or (firsts and first is None):
        return None
    return MirrorScheme(one.role, one.value, first, moves, facts, one.takes_wins)


def _all_facts(strategy: SymmetryStrategy) -> dict[Term, Term]:
    """Where the mirror takes each fact, also those that stay."""
    assert strategy.game.circuit is not None
    facts = (fact for fact in strategy.game.circuit.facts if fact not in strategy.mirror.turns)
    return {fact: strategy.mirror.facts.get(fact, fact) for fact in facts}
