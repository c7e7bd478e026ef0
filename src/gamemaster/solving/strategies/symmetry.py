"""Symmetry: make the position its own mirror image, and answer every move by its image.

What the other did is not asked: the role makes a move after which the position is its own image again, as the image of
the move that broke it does, and never one that loses at once. Where `takes_wins`, a move that wins at once comes first.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, ClassVar, Self

from gamemaster.errors import LimitExceeded, StrategyError
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.network.graph import TRUE, Wire
from gamemaster.solving.checking import StrategyVerdict
from gamemaster.solving.strategies.explained import (
    LONGEST_GAME,
    ExplainedStrategy,
    other_role,
    read_terms,
    wins_at_once,
)
from gamemaster.solving.strategies.induction import Answering
from gamemaster.solving.strategies.mirrors import Mirror, find_mirrors
from gamemaster.solving.strategies.unrolling import GatePosition, Round
from gamemaster.solving.strategies.wording import map_in_words
from gamemaster.solving.strategy import after_choice, goal_at_end

__all__ = ["OWN_IMAGE", "SymmetryStrategy", "mirror_rule", "symmetry_candidates"]

Line = tuple[tuple[Term | None, ...], ...]

MOST_CANDIDATES = 200
MOST_MIRRORS = 40
OWN_IMAGE = " (its own image)"
"""Said of a first move that the mirror leaves where it is, as other moves, too."""


@dataclass(frozen=True)
class SymmetryStrategy(ExplainedStrategy):
    """`first` is the move that the role begins with, None where the other begins.

    With `others` the image may be that of any of these mirrors, as long as no move is its own image.
    """

    kind: ClassVar[str] = "symmetry"

    mirror: Mirror = field(kw_only=True)
    first: Term | None = field(kw_only=True)
    takes_wins: bool = field(default=False, kw_only=True)
    others: tuple[Mirror, ...] = field(default=(), kw_only=True)

    def choose(self, state: State) -> tuple[Term, str]:
        """The first move, a move that wins at once, or the one that makes the position its own image."""
        if self.first is not None and state == self.game.initial_state():
            return self.first, "the move to begin with"
        if self.takes_wins and (win := wins_at_once(state, self.role, self.value)):
            return win, "it wins at once"
        for move in state.legal_moves(self.role):
            after = state.next(move)
            for mirror in (self.mirror, *self.others):
                if mirror.is_even(after) and not self._loses(after) and not self._has_middle(after, mirror):
                    return move, f"it mirrors {mirror.of_move(move)}"
        raise StrategyError("no move makes this position its own mirror image")

    def _has_middle(self, state: State, mirror: Mirror) -> bool:
        """Whether the other has a move that is its own image, where there is a choice of mirrors."""
        legal = state.legal_moves(other_role(self.game, self.role)) if self.others else ()
        return not state.is_over and any(mirror.of_move(move) == move for move in legal)

    def _loses(self, state: State) -> bool:
        return state.is_over and goal_at_end(state, self.role) < self.value

    def ends_at_once(self) -> bool:
        """Whether the first move ends the game, and gets what it should."""
        if self.first is None:
            return False
        after = after_choice(self.game.initial_state(), self.first)
        return after.is_over and not self._loses(after)

    def verdict(self, most_positions: int) -> StrategyVerdict:
        """What a check says in which every move must have an image to answer it by, as the words have it."""
        verdict = super().verdict(most_positions)
        line = self._without_image(most_positions) if verdict.holds else None
        if line is None:
            return verdict
        return StrategyVerdict(
            False, verdict.positions, line, "the image of the last move is no answer to it"
        )

    def _without_image(self, most_positions: int) -> Line | None:
        """A line to a move that its image does not answer, nor a win at once; None where there is none.

        The other makes every move, the role the image of each: so the rule is looked at as the words have it.
        """
        start, other = self.game.initial_state(), other_role(self.game, self.role)
        first = self.advise(start).move if start.chooser == self.role else None
        begun = self._played(start, (), self.role, first) if first is not None else (start, ())
        queue, seen = [begun], {begun[0]}
        for state, line in queue:
            if len(seen) > most_positions:
                raise LimitExceeded(
                    "positions", f"{most_positions:,} positions", doing="checking the strategy"
                )
            for reply in () if state.is_over else state.legal_moves(other):
                middle, replied = self._played(state, line, other, reply)
                answer = None if middle.is_over else self._answer(state, reply, middle)
                if answer is not None:
                    after, answered = self._played(middle, replied, self.role, answer)
                    if after not in seen:
                        seen.add(after)
                        queue.append((after, answered))
                elif not self._gets_at_once(middle):
                    return replied
        return None

    def _played(self, state: State, line: Line, role: str, move: Term) -> tuple[State, Line]:
        """The state after a move of a role while the other one waits, and the line to it."""
        waits = {who: state.legal_moves(who)[0] for who in state.movers}
        moves = {**waits, role: move}
        return state.next(moves), (*line, state.joint(moves))

    def _gets_at_once(self, state: State) -> bool:
        """Whether a state is over as the role wants it, or a win at once that the rule tells of makes it so."""
        if state.is_over:
            return not self._loses(state)
        return self.takes_wins and wins_at_once(state, self.role, self.value) is not None

    def _answer(self, state: State, reply: Term, middle: State) -> Term | None:
        """The image of a reply where that is an answer: legal, not lost, the position its own image after it.

        Where there is a choice of mirrors, it falls with the first answer. None where a win at once comes first, too.
        """
        if len(state.legal_moves(self.role)) > 1 or self._gets_at_once(middle):
            return None
        if self.others and state == self.game.initial_state():
            return self.advise(middle).move
        for mirror in (self.mirror, *self.others):
            answer = mirror.of_move(reply)
            is_own = not self.others or (mirror.is_even(state) and not self._has_middle(state, mirror))
            if is_own and answer in middle.legal_moves(self.role):
                after, _ = self._played(middle, (), self.role, answer)
                if mirror.is_even(after) and not self._loses(after):
                    return answer
        return None

    def rule(self) -> str:
        """What to do."""
        if self.others:
            some = f"in one of the {len(self.others) + 1} mirrors of the game"
            return f"make the position its own image {some}, so that no move is its own image; then mirror in it."
        first = None if self.first is None else f"{self.first}{self.middle()}"
        return mirror_rule(first, self._map(), self.takes_wins)

    def _map(self) -> str:
        return map_in_words({move: self.mirror.of_move(move) for move in self._real_moves()})

    def _real_moves(self) -> list[Term]:
        """All moves but that of who waits."""
        start = self.game.initial_state()
        idle = {move for role in self.game.roles if len(m := start.legal_moves(role)) == 1 for move in m}
        return [move for move in self.mirror.moves if move not in idle]

    def middle(self) -> str:
        """What the first move is: in the middle, if no other move is its own image."""
        if self.first is None or self.mirror.of_move(self.first) != self.first:
            return ""
        own = [move for move in self._real_moves() if self.mirror.of_move(move) == move]
        return " (the middle)" if len(own) == 1 else OWN_IMAGE

    def reason(self) -> str:
        """Why it works."""
        other = other_role(self.game, self.role)
        why = (
            f"after each move of {self.role} the position is its own mirror image, so whatever {other} can do"
        )
        return f"{why}, {self.role} can do on the other side"

    def details(self) -> dict[str, Any]:
        """The mirror as pairs of texts."""
        return {
            **_written(self.mirror),
            "others": [_written(mirror) for mirror in self.others],
            "turns": sorted(map(str, self.mirror.turns)),
            "first": None if self.first is None else str(self.first),
            "takes_wins": self.takes_wins,
        }

    @classmethod
    def from_details(cls, game: Game, role: str, value: int, details: Mapping[str, Any]) -> Self:
        """The strategy again."""
        turns = frozenset(read_term(fact) for fact in details["turns"])
        mirror, *others = (
            Mirror(read_terms(one["facts"]), read_terms(one["moves"]), turns)
            for one in (details, *details["others"])
        )
        first = None if details["first"] is None else read_term(details["first"])
        takes_wins = bool(details["takes_wins"])
        return cls(game, role, value, mirror=mirror, first=first, takes_wins=takes_wins, others=tuple(others))

    def answering(self) -> Answering | None:
        """How it answers, as gates, where there is one mirror."""
        if self.others:
            return None
        noun = "positions that are their own mirror images"
        if self.takes_wins:
            noun += f" and in which {other_role(self.game, self.role)} cannot win at once"
        return Answering(self._allows, self._exists, self._conditions, self.takes_wins, noun)

    def _allows(self, turn: Round) -> Wire:
        return turn.network.both(_is_even(turn, turn.behind, self.mirror), turn.is_lost(turn.behind) ^ 1)

    def _exists(self, turn: Round) -> Wire:
        """Whether the image of the other's move is legal, and makes the position its own image."""
        images = {self.mirror.of_move(move): wire for move, wire in turn.replies.items()}
        network, answers = turn.network, turn.circuit.moves[turn.me]
        if not images.keys() <= answers.keys():
            return TRUE ^ 1
        made = {move: images.get(move, TRUE ^ 1) for move in answers}
        allowed = network.all_of(
            network.either(wire ^ 1, turn.between.legal[move]) for move, wire in made.items()
        )
        after = turn.after(turn.between, turn.me, made)
        return network.all_of((allowed, _is_even(turn, after, self.mirror), turn.is_lost(after) ^ 1))

    def _conditions(self, turn: Round, position: GatePosition) -> Iterator[Wire]:
        yield _is_even(turn, position, self.mirror)


def mirror_rule(first: str | None, answers: str, takes_wins: bool) -> str:
    """What to do, in words, where there is one mirror."""
    begin = f"begin with {first}, then mirror" if first else "mirror from the start"
    win = " If a move wins at once, make it." if takes_wins else ""
    return f"{begin}: answer {answers}.{win}"


def _written(mirror: Mirror) -> dict[str, dict[str, str]]:
    """The maps of a mirror as texts."""
    maps = {"facts": mirror.facts, "moves": mirror.moves}
    return {name: {str(one): str(end) for one, end in pairs.items()} for name, pairs in maps.items()}


def _is_even(turn: Round, position: GatePosition, mirror: Mirror) -> Wire:
    facts = position.facts
    network = turn.network
    return network.all_of(
        network.differ(wire, facts[mirror.facts.get(fact, fact)]) ^ 1 for fact, wire in facts.items()
    )


def symmetry_candidates(game: Game, role: str, value: int, seconds: float) -> Iterator[SymmetryStrategy]:
    """Strategies that may hold: those whose start is its own image, or can be made so by the first move."""
    deadline = time.monotonic() + seconds
    mirrors = find_mirrors(game, seconds)
    for candidate in islice(_candidates(game, role, value, mirrors), MOST_CANDIDATES):
        if survives(candidate, deadline):
            yield candidate


def _candidates(game: Game, role: str, value: int, mirrors: list[Mirror]) -> Iterator[SymmetryStrategy]:
    """Each mirror with each first move, without and with the wins at once; at last all mirrors together."""
    start = game.initial_state()
    for mirror in mirrors:
        firsts: list[Term | None] = [None] if mirror.is_even(start) else []
        if start.chooser == role:
            firsts = [move for move in start.legal_moves(role) if mirror.is_even(start.next(move))]
        for first in firsts:
            plain = SymmetryStrategy(game, role, value, mirror=mirror, first=first)
            yield from (plain, replace(plain, takes_wins=True))
    if 1 < len(mirrors) <= MOST_MIRRORS and start.chooser != role:
        yield SymmetryStrategy(game, role, value, mirror=mirrors[0], first=None, others=tuple(mirrors[1:]))


def survives(strategy: ExplainedStrategy, deadline: float, games: int = 60, seed: int = 1) -> bool:
    """Whether a strategy gets what it says in some games against random replies; not where time runs out."""
    generator = random.Random(seed)
    return all(time.monotonic() < deadline and _one_game(strategy, generator) for _ in range(games))


def _one_game(strategy: ExplainedStrategy, generator: random.Random) -> bool:
    state = strategy.game.initial_state()
    while not state.is_over:
        if state.step > LONGEST_GAME:
            return False
        moves = state.random_moves(generator)
        if len(state.legal_moves(strategy.role)) > 1:
            try:
                move = strategy.advise(state).move
            except StrategyError:
                return False
            if move is None or move not in state.legal_moves(strategy.role):
                return False
            moves[strategy.role] = move
        state = state.next(moves)
    return (state.goal(strategy.role) or 0) >= strategy.value
