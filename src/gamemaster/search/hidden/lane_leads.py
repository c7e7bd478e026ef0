"""A sample that ran dry -> the moves that would show a role what it saw, legal or not, and where changes may lead.

What a role sees in a step says much of what was done in it, even where that was possible in no state of a sample: who
sees a card played knows that the card was played. So every move of every role is tried, allowed or not; those after
which the role sees what it saw are *leads*. A lead that was made before, as a card that was dealt to somebody else, is
brought to the last step: the two moves change places. To others states are led little by little: of those that fit
what was seen before, the ones are changed first of which the fewest facts are in the way of a lead (see nearness.py).
"""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gamemaster.search.hidden.lanes import Choices, Codes, Flags, Floats, Ints, LaneParticles, Rows, lane_game
from gamemaster.search.hidden.nearness import NEVER, Nearness
from gamemaster.search.hidden.particles import Sighting

if TYPE_CHECKING:
    from gamemaster.machine.compiled import CompiledGame

__all__ = ["Lead", "Leads", "chances_of"]

MOST_TRIED = 1_024
"""Moves, allowed or not, that are tried at once to find leads."""

MOST_LEADS, MOST_COSTED, LOOKED_AT = 4, 32, 16
"""Leads that are followed, the nearest of so many, by so many states."""

SHARPNESS, BY_LOT = 1.5, 0.2
"""How much less often a state is changed for each fact that is in the way; and how often any is."""


class Lead(NamedTuple):
    """A move of a role that would show what was seen; its code among all moves."""

    role: int
    code: int


class Leads:
    """What was seen by one role in a step, and the moves that lead there."""

    def __init__(
        self, game: CompiledGame, particles: LaneParticles, sighting: Sighting, nearness: Nearness
    ) -> None:
        self.lanes, self.nearness = lane_game(game), nearness
        self.role, self.own = game.roles.index(particles.role), sighting.own
        wanted = self.lanes.wanted(self.role, sighting.seen)
        assert wanted is not None
        self.wanted: Rows = wanted
        self.settled: Flags = np.zeros(len(game.layout.facts), bool)
        self.found: list[Lead] = []

    def look(self, particles: LaneParticles, draws: np.random.Generator, deadline: float = inf) -> None:
        """Look for leads in a few of the states, and which facts are the same in all; one lead, however late it is."""
        facts = self._facts(particles)
        self.settled = (facts == facts[:1]).all(axis=0)
        some = particles.part(draws.permutation(len(particles))[:LOOKED_AT])
        codes, owners = self._joint(some, draws)
        if not len(owners):
            return
        tried = self._tried(codes, draws)
        if not len(tried):  # nobody else has a move
            return
        _, percepts = self.lanes.advanced(some.rows[owners[tried[:, 0]]], tried[:, 3:])
        fits = (percepts[:, self.lanes.columns(self.role)] == self.wanted).all(axis=1)
        pairs = np.unique(tried[fits, 1:3], axis=0)
        leads = [Lead(*map(int, pair)) for pair in pairs[draws.permutation(len(pairs))[:MOST_COSTED]]]
        costs: list[float] = []
        for lead in leads:
            if costs and time.monotonic() > deadline:
                break
            costs.append(self._cost(some.part(owners), codes, lead).min())
        order = np.argsort(costs, kind="stable")[:MOST_LEADS]
        self.found = [leads[place] for place in order if costs[place] < NEVER]

    def distances(
        self, particles: LaneParticles, draws: np.random.Generator, deadline: float = inf
    ) -> Floats:
        """How many facts are in the way of the nearest lead, for each state; of the first, however late it is."""
        found = np.full(len(particles), NEVER)
        codes, owners = self._joint(particles, draws)
        part = particles.part(owners)
        for number, lead in enumerate(self.found if len(owners) else ()):
            if number and time.monotonic() > deadline:
                break
            found[owners] = np.minimum(found[owners], self._cost(part, codes, lead))
        return found

    def brought(
        self, particles: LaneParticles, sources: Ints, draws: np.random.Generator
    ) -> tuple[Codes, Ints]:
        """Histories with a lead as the last move, which has changed places with an earlier one; and whose they are."""
        assert particles.made is not None
        is_led = [(particles.made[sources, :, role] == code).any(axis=1) for role, code in self.found]
        sources = sources[np.any([np.zeros(len(sources), bool), *is_led], axis=0)]
        codes, owners = self._joint(particles.part(sources), draws)
        made, histories, kept = particles.made[sources[owners]], list[Codes](), list[Ints]()
        for role, code in self.found:
            lines, steps = np.nonzero(made[:, :, role] == code)
            changed, last = made[lines], codes[lines].astype(np.int32)
            changed[np.arange(len(lines)), steps, role] = last[:, role]
            last[:, role] = code
            histories.append(np.concatenate([changed, last[:, None, :]], axis=1))
            kept.append(sources[owners[lines]])
        if not histories:
            return np.zeros((0, made.shape[1] + 1, made.shape[2]), np.int32), np.zeros(0, np.int64)
        return np.concatenate(histories), np.concatenate(kept)

    def _facts(self, particles: LaneParticles) -> Rows:
        """A byte for each fact."""
        facts = len(particles.compiled.layout.facts)
        return np.unpackbits(particles.rows, axis=1, bitorder="little")[:, :facts]

    def _joint(self, particles: LaneParticles, draws: np.random.Generator) -> tuple[Ints, Ints]:
        """A legal joint move of each state that has one, by lot; and which these are."""
        choices = Choices(particles, self.own, None)
        owners, digits = choices.drawn(1, draws)
        codes, _ = choices.codes(owners, digits)
        return codes, owners

    def _tried(self, codes: Ints, draws: np.random.Generator) -> Ints:
        """Each move of each other role in turn, in some of the joint moves: [M, line, role, code, joint]."""
        ends = [*self.lanes.move_start[1:].tolist(), self.lanes.layout.all_moves]
        pairs = [
            (role, code)
            for role, (first, end) in enumerate(zip(self.lanes.move_start.tolist(), ends, strict=True))
            for code in range(first, end)
            if role != self.role and (codes[:, role] >= 0).any()
        ]
        times = max(1, min(len(codes), MOST_TRIED // max(1, len(pairs))))
        lines = np.repeat(np.arange(times), len(pairs))
        roles, moves = np.tile(np.array(pairs, np.int64).reshape(-1, 2), (times, 1)).T
        some = draws.permutation(len(lines))[:MOST_TRIED]
        tried = codes[lines[some]].copy()
        tried[np.arange(len(some)), roles[some]] = moves[some]
        return np.concatenate([np.stack([lines[some], roles[some], moves[some]], axis=1), tried], axis=1)

    def _cost(self, particles: LaneParticles, codes: Ints, lead: Lead) -> Floats:
        """How many facts of each state are in the way of a lead, if others make the moves of some codes."""
        codes = codes.copy()
        codes[:, lead.role] = lead.code
        return self.nearness.costs(self._facts(particles), codes, lead.role, self.wanted, self.settled)


def chances_of(distances: Floats) -> Floats:
    """How often each state is to be changed."""
    near = np.exp(-SHARPNESS * (distances - distances.min()))
    return np.asarray((1 - BY_LOT) * near / near.sum() + BY_LOT / len(near))
