"""Pairing: moves come in pairs, and whoever makes one of a pair is answered by the other.

Pairs are found by trial: a pairing is proposed, and played against an opponent that wins where it can. Each loss names
moves that together beat the role, so some pair has to lie among them; clingo finds pairs that do so for all losses
seen. Where there are none, no pairing saves the role.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, ClassVar, Self

from gamemaster.errors import StrategyError
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Symbol, Term
from gamemaster.machine.game import Game, State
from gamemaster.network.graph import FALSE, Wire
from gamemaster.solving.strategies.explained import LONGEST_GAME, ExplainedStrategy, other_role
from gamemaster.solving.strategies.induction import Answering
from gamemaster.solving.strategies.mirrors import turn_facts
from gamemaster.solving.strategies.unrolling import GatePosition, Round
from gamemaster.solving.strategies.wording import listed
from gamemaster.solving.strategy import goal_at_end

__all__ = ["PairingStrategy", "pairing_candidates"]

GAMES = 300
MOST_MOVES = 80
MOST_TRIALS = 200
MOST_NEEDED = 8
"""Where it takes more moves than these together to beat the role, a pair among them says little: it is given up."""

Pair = tuple[Term, Term]


@dataclass(frozen=True)
class PairingStrategy(ExplainedStrategy):
    """`pairs` are moves, each in one pair at most."""

    kind: ClassVar[str] = "pairing"

    pairs: tuple[Pair, ...] = field(kw_only=True)

    @cached_property
    def partner(self) -> dict[Term, Term]:
        """The other move of each pair."""
        return {one: end for pair in self.pairs for one, end in (pair, pair[::-1])}

    @cached_property
    def marks(self) -> dict[Term, frozenset[Term]]:
        """What the other's move of a pair leaves: facts that hold after it and not before."""
        return {move: _traces(self.game, other_role(self.game, self.role), move) for move in self.partner}

    def choose(self, state: State) -> tuple[Term, str]:
        """The partner of what the other has made; a move without a partner where it made none."""
        legal = state.legal_moves(self.role)
        held = state.facts
        for move in legal:
            partner = self.partner.get(move)
            if partner is not None and self.marks[partner] and self.marks[partner] <= held:
                return move, f"it is the partner of {partner}"
        free = [move for move in legal if move not in self.partner]
        return (free or list(legal))[0], "no pair is broken, so any move will do"

    def rule(self) -> str:
        """What to do."""
        shown = listed([f"{one} with {end}" for one, end in self.pairs])
        other = other_role(self.game, self.role)
        return f"moves come in pairs: {shown}. When {other} makes one of a pair, make the other; else play anything."

    def reason(self) -> str:
        """Why it works."""
        other = other_role(self.game, self.role)
        return f"{other} never gets both moves of a pair, and needs both of some pair to do better"

    def details(self) -> dict[str, Any]:
        """The pairs."""
        return {"pairs": [[str(one), str(end)] for one, end in self.pairs]}

    @classmethod
    def from_details(cls, game: Game, role: str, value: int, details: Mapping[str, Any]) -> Self:
        """The strategy again."""
        pairs = tuple((read_term(one), read_term(end)) for one, end in details["pairs"])
        moves = [move for pair in pairs for move in pair]
        if len(set(moves)) < len(moves):
            raise StrategyError("not a strategy: a move is in two pairs")
        return cls(game, role, value, pairs=pairs)

    def answering(self) -> Answering:
        """How it answers, as gates."""
        return Answering(
            self._allows, _can_answer, self._conditions, False, "positions in which no pair is broken"
        )

    def _mark(self, turn: Round, position: GatePosition, move: Term) -> Wire:
        """Whether the other has made a move of a pair."""
        marks = self.marks[move]
        return turn.network.all_of(position.facts[fact] for fact in marks) if marks else FALSE

    def _allows(self, turn: Round) -> Wire:
        network, between = turn.network, turn.between
        due = {
            move: network.both(between.legal[move], self._mark(turn, between, partner))
            for move, partner in self.partner.items()
            if move in between.legal
        }
        none = network.any_of(due.values()) ^ 1
        made = network.any_of(network.both(turn.answers[move], wire) for move, wire in due.items())
        return network.either(none, made)

    def _conditions(self, turn: Round, position: GatePosition) -> Iterator[Wire]:
        network = turn.network
        for one, end in self.pairs:
            marks = self._mark(turn, position, one), self._mark(turn, position, end)
            yield network.both(*marks) ^ 1
            for mark, move in zip(marks, (end, one), strict=True):
                yield network.both(mark, position.legal.get(move, FALSE)) ^ 1


def _can_answer(turn: Round) -> Wire:
    return turn.network.any_of(turn.between.legal.values())


def _traces(game: Game, role: str, move: Term) -> frozenset[Term]:
    """The facts that a move of a role adds at the start of the game, were it its turn."""
    turns = turn_facts(game) or {}
    facts = game.initial_state().facts - set(turns.values())
    state = game.state(facts | {turns[Symbol(role)]}) if Symbol(role) in turns else game.initial_state()
    if move not in state.legal_moves(role):
        return frozenset()
    return state.next(move).facts - facts - set(turns.values())


def pairing_candidates(game: Game, role: str, value: int, seconds: float) -> Iterator[PairingStrategy]:
    """Pairings that survive many games, if there are any."""
    if turn_facts(game) is None or not 2 <= len(_moves(game, role)) <= MOST_MOVES:
        return
    search = _PairingSearch(game, role, value, time.monotonic() + seconds)
    while (found := search.next_pairs()) is not None:
        strategy = PairingStrategy(game, role, value, pairs=found)
        line = search.losing_line(strategy)
        if line is None:
            if found and not search.is_late:
                yield strategy
            return
        if not search.learn(line):
            return


def _moves(game: Game, role: str) -> list[Term]:
    """The moves that both roles have."""
    assert game.circuit is not None
    own, others = game.circuit.moves[Symbol(role)], game.circuit.moves[Symbol(other_role(game, role))]
    return [move for move in own if move in others]


class _PairingSearch:
    """What was learnt of losses: sets of the other's moves, each of which has to have a pair in it."""

    def __init__(self, game: Game, role: str, value: int, deadline: float) -> None:
        self.game, self.role, self.value, self.deadline = game, role, value, deadline
        self.other = other_role(game, role)
        self.losses: list[frozenset[Term]] = []
        self.generator = random.Random(1)
        self.trials = 0
        self.is_late = False

    def next_pairs(self) -> tuple[Pair, ...] | None:
        """Pairs that have an answer to every loss so far; None where there are none, or no more time."""
        self.trials += 1
        if self.trials > MOST_TRIALS or time.monotonic() > self.deadline:
            return None
        import clingo

        moves = sorted({move for loss in self.losses for move in loss}, key=str)
        number = {move: i for i, move in enumerate(moves)}
        text = [":- pair(A,B), pair(A,C), B != C. pair(B,A) :- pair(A,B)."]
        for loss in self.losses:
            inside = "; ".join(
                f"pair({number[a]},{number[b]})" for a, b in combinations(sorted(loss, key=str), 2)
            )
            text.append(f"1 {{ {inside} }}." if inside else ":- true. true.")
        control = clingo.Control(["--warn=none", "--seed=1"])
        control.add("base", [], "\n".join(text))
        control.ground([("base", [])])
        found: list[Pair] = []

        def note(model: clingo.Model) -> None:
            numbers = (tuple(part.number for part in atom.arguments) for atom in model.symbols(atoms=True))
            found.extend(
                (moves[pair[0]], moves[pair[1]]) for pair in numbers if len(pair) == 2 and pair[0] < pair[1]
            )

        with control.solve(on_model=note, async_=True) as handle:
            if not handle.wait(max(0.0, self.deadline - time.monotonic())):
                handle.cancel()
                return None
            is_possible = handle.get().satisfiable
        return tuple(sorted(found, key=str)) if is_possible else None

    def losing_line(self, strategy: PairingStrategy) -> list[tuple[State, Term | None]] | None:
        """A game that the strategy loses against one who wins where it can: states, and the other's moves in them."""
        for _ in range(GAMES):
            line = self._game(strategy)
            if self.is_late:
                return None
            if goal_at_end(line[-1][0], self.role) < self.value:
                return line
        return None

    def _game(self, strategy: PairingStrategy) -> list[tuple[State, Term | None]]:
        state, line = self.game.initial_state(), list[tuple[State, Term | None]]()
        while not state.is_over:
            if state.step > LONGEST_GAME or time.monotonic() > self.deadline:
                self.is_late = True
                break
            moves = state.random_moves(self.generator)
            made: Term | None = None
            if len(state.legal_moves(self.role)) > 1:
                moves[self.role] = strategy.choose(state)[0]
            elif len(state.legal_moves(self.other)) > 1:
                made = moves[self.other] = self._best(state) or moves[self.other]
            line.append((state, made))
            state = state.next(moves)
        return [*line, (state, None)]

    def _best(self, state: State) -> Term | None:
        """A move of the other that ends the game as the role does not want it."""
        for move in state.legal_moves(self.other):
            after = state.next(move)
            if after.is_over and goal_at_end(after, self.role) < self.value:
                return move
        return None

    def learn(self, line: list[tuple[State, Term | None]]) -> bool:
        """Note which of the other's moves made the loss; False where that says nothing new, or too little."""
        end = line[-1][0]
        facts, needed = set(end.facts), list[Term]()
        for (state, move), (after, _) in pairwise(line):
            if move is not None:
                tried = facts - (after.facts - state.facts) | (state.facts - after.facts)
                tried = tried - _control(self.game) | (facts & _control(self.game))
                if self._is_lost(tried, end):
                    facts = tried
                else:
                    needed.append(move)
        loss = frozenset(needed)
        if not 2 <= len(loss) <= MOST_NEEDED or loss in self.losses:
            return False
        self.losses.append(loss)
        return True

    def _is_lost(self, facts: set[Term], end: State) -> bool:
        state = self.game.state(facts, step=end.step)
        return state.is_over and goal_at_end(state, self.role) < self.value


def _control(game: Game) -> set[Term]:
    return set((turn_facts(game) or {}).values())
