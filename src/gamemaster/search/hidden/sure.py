"""What a role can do to get its most for sure, whatever others do and however chance falls: a proof, and the moves.

A node is the set of all states in which the game can be, as far as the role can tell; no more is said of them, neither
how likely they are nor what others know. A move proves a node if it does so whatever is seen after it: of all states to
which it can lead, those that are the end bring the role its most, and the others, told apart by what the role sees and
by which moves it has then, are proven each. So who follows the moves of a proof wins against everybody, also against
who knows the proof: that a state is hidden is no excuse where there is one.

Depth first, moves first that somebody's tree likes. A set that was seen before is not looked at again: whether it is
proven does not depend on the way there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gamemaster.language.terms import Term
from gamemaster.machine.layout import FIRST_LEGAL
from gamemaster.machine.mistakes import reward_of
from gamemaster.search.goals import goals_in
from gamemaster.search.hidden.lanes import Choices, LaneParticles, Rows, Words, lane_game

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = ["NotSure", "Sets", "SureWin"]

MOST_STEPS = 100_000
"""Joint moves of a set that are made at once: where there are more, nothing is proven."""

DEEPEST = 200
"""Steps that a proof has at most."""

Likes = Callable[[int, Sequence[Term]], Sequence[float]]
"""How much a tree likes each move of the role where it knows something."""


def every_step(particles: LaneParticles, own: Term | None, most: int) -> tuple[Rows, Words, Rows] | None:
    """All states to which all joint moves lead, if the role makes a move, with what roles know and what the role sees.

    None where there are more than so many joint moves; none at all where there is a state in which nobody can move.
    """
    lanes, role = lane_game(particles.compiled), particles.game.roles.index(particles.role)
    choices = Choices(particles, own, None)
    if choices.totals.sum() > most:
        return None
    owners, digits = choices.drawn(most, np.random.default_rng(0))
    if not (choices.totals > 0).all():
        owners, digits = owners[:0], digits[:0]
    codes, _ = choices.codes(owners, digits)
    rows, percepts = lanes.advanced(particles.rows[owners], codes)
    known = lanes.known_after(particles.known_words[owners], codes, percepts)
    return rows, known, percepts[:, lanes.columns(role)]


class NotSure(Exception):
    """The time is over, or there are too many states."""


class Sets:
    """Sets of states that a role of a compiled game cannot tell apart, and what follows on them."""

    def __init__(self, game: CompiledGame, role: str) -> None:
        self.game, self.role = game, role
        self.lanes, self.own = lane_game(game), game.roles.index(role)
        self.moves = game.layout.moves[self.own]
        first = FIRST_LEGAL + int(self.lanes.move_start[self.own])
        self.legal_bits = slice(first, first + len(self.moves))
        bits, best = game.layout.goal_bits[self.own], goals_in(game, role).ceiling
        wins = [place for place, term in enumerate(bits.terms) if reward_of(term) == best]
        self.win_bit = bits.start + wins[0] if wins else -1

    def initial(self) -> LaneParticles:
        """The initial state alone."""
        return LaneParticles.initial(self.game, self.role)

    def legal(self, states: LaneParticles) -> tuple[Term, ...]:
        """The moves of the role, which it has in all of the states."""
        bits = self.lanes.observed(states.rows[:1])[0, self.legal_bits]
        return tuple(self.moves[number] for number in np.flatnonzero(bits))

    def after(self, states: LaneParticles, move: Term | None) -> Iterator[tuple[Rows, LaneParticles]] | None:
        """What the role may see after a move, as bits, and the states that it then cannot tell apart.

        None where the move can bring it less than its most at once; NotSure where there are too many states.
        """
        found = every_step(states, move, MOST_STEPS)
        if found is None:
            raise NotSure
        rows, known, percepts = found
        seen = self.lanes.observed(rows)
        is_over = seen[:, 0] != 0
        if not len(rows) or self.win_bit < 0 or not (seen[is_over, self.win_bit] != 0).all():
            return None
        told = np.concatenate([percepts, seen[:, self.legal_bits]], axis=1)[~is_over]
        return self._parts(rows[~is_over], known[~is_over], told, percepts.shape[1], states.step + 1)

    def seen(
        self, states: LaneParticles, move: Term | None, percepts: frozenset[Term], legal: Sequence[Term]
    ) -> LaneParticles | None:
        """Where the game can be after a move, if the role then sees this and has these moves; None for nowhere."""
        wanted, parts = self.lanes.wanted(self.own, percepts), self.after(states, move)
        for bits, part in parts or ():
            if wanted is not None and (bits == wanted).all() and set(self.legal(part)) == set(legal):
                return part
        return None

    def _parts(
        self, rows: Rows, known: Words, told: Rows, percepts: int, step: int
    ) -> Iterator[tuple[Rows, LaneParticles]]:
        """States by what the role is told in them, the fewest first; each once, in an order of their own."""
        kinds, inverse = np.unique(told, axis=0, return_inverse=True)
        places = [np.flatnonzero(inverse.ravel() == kind) for kind in range(len(kinds))]
        for kind in sorted(range(len(kinds)), key=lambda kind: len(places[kind])):
            own = rows[places[kind]]
            _, first = np.unique(own, axis=0, return_index=True)
            kept = places[kind][first]
            yield (
                kinds[kind, :percepts],
                LaneParticles(self.game, self.role, rows[kept], known[kept], np.ones(len(kept)), step=step),
            )


class SureWin:
    """A search for moves that bring a role its most for sure; what is proven stays."""

    def __init__(self, game: CompiledGame, role: str, likes: Likes | None = None) -> None:
        self.sets, self.likes = Sets(game, role), likes
        self.proven: dict[bytes, Term | None] = {}
        self.refused: set[bytes] = set()
        self.looked = 0
        self._deadline = 0.0

    def prove(self, states: LaneParticles, seconds: float) -> bool | None:
        """Whether the role gets its most for sure from these states; None where that is not found out in so long."""
        self._deadline = time.monotonic() + seconds
        try:
            return self._is_sure(states, DEEPEST)
        except NotSure:
            return None

    def move(self, states: LaneParticles) -> Term | None:
        """The move that was proven; None where none was."""
        return self.proven.get(states.rows.tobytes())

    def _is_sure(self, states: LaneParticles, depth: int) -> bool:
        key = states.rows.tobytes()
        if key in self.proven or key in self.refused:
            return key in self.proven
        if depth == 0 or time.monotonic() > self._deadline:
            raise NotSure
        self.looked += 1
        for move in self._in_turn(states):
            parts = self.sets.after(states, move)
            if parts is not None and all(self._is_sure(part, depth - 1) for _, part in parts):
                self.proven[key] = move
                return True
        self.refused.add(key)
        return False

    def _in_turn(self, states: LaneParticles) -> Sequence[Term | None]:
        """The moves of the role, those first that are liked; None where it has none."""
        legal = self.sets.legal(states)
        if len(legal) < 2 or self.likes is None:
            return legal or (None,)
        liked = self.likes(int(states.known_words[0, self.sets.own]), legal)
        return [move for _, move in sorted(zip(liked, legal, strict=True), key=lambda pair: -pair[0])]
