"""Artifact -> the invariants of a game: what fits random play is proven (network/invariants.py), and kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.cache import Cache, key_of, pack, unpack
from gamemaster.machine.artifact import Artifact
from gamemaster.machine.lanes import Lanes
from gamemaster.network.invariants import (
    INVARIANTS,
    MOST_GATES,
    Claim,
    Invariant,
    candidates,
    invariants_of,
    prove_claims,
)

__all__ = ["find_invariants"]

STEPS, MOST_WORK = 400, 60_000_000
"""Steps of random play, in all lanes, that claims are compared with; fewer where that is more instructions."""


def find_invariants(artifact: Artifact, lanes: Callable[[], Lanes]) -> tuple[Invariant, ...]:
    """The invariants of a game, from the disk if they were found before; in large games that takes a minute."""
    key = key_of("invariants", INVARIANTS, artifact.key)
    kept = Cache().read(key)
    if kept is not None:
        return _from_bytes(kept, artifact)
    circuit, found = artifact.circuit, tuple[Invariant, ...]()
    if circuit.network.gates <= MOST_GATES and (claims := candidates(circuit)):
        found = invariants_of(circuit, prove_claims(circuit, _seen_in_play(lanes(), claims)))
    Cache().write(key, _to_bytes(found))
    return found


def _to_bytes(invariants: Sequence[Invariant]) -> bytes:
    return pack([[each.kind, each.facts] for each in invariants], [])


def _from_bytes(content: bytes, artifact: Artifact) -> tuple[Invariant, ...]:
    facts = artifact.layout.facts
    described, _ = unpack(content)
    return tuple(Invariant(tuple(own), kind, tuple(facts[i] for i in own)) for kind, own in described)


def _seen_in_play(lanes: Lanes, claims: Sequence[Claim]) -> list[Claim]:
    """Those of some claims that hold in all states of some random games."""
    steps = min(STEPS, 1 + MOST_WORK // len(lanes.kernels["play"].code.instructions))
    left = list(claims)
    for states in lanes.states_in_play(steps, seed=1):
        if not left:
            break
        left = [claim for claim, holds in zip(left, _holding(left, states), strict=True) if holds]
    return left


def _holding(claims: Sequence[Claim], states: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Which claims hold in all states [facts, states]."""
    members = np.concatenate([claim.facts for claim in claims])
    starts = np.cumsum([0, *(len(claim.facts) for claim in claims[:-1])])
    held = np.add.reduceat(states[members], starts, axis=0, dtype=np.int32)
    is_least = np.array([claim.is_least for claim in claims])
    holding: npt.NDArray[np.bool_] = np.where(is_least, held.min(axis=1) >= 1, held.max(axis=1) <= 1)
    return holding
