"""Rules -> renamings of a game's facts that change nothing, as numbers: a table need keep only one of such states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gamemaster.language.terms import Term
from gamemaster.machine.compiled import CompiledGame
from gamemaster.metagame.symmetry import find_symmetries
from gamemaster.search.native.kernels.records import Ints

__all__ = ["fact_symmetries", "group_of"]

MOST_SYMMETRIES = 16
"""Each costs a little in every state; a game with more has some of them used."""

SECONDS = 10.0

Permutation = tuple[int, ...]


def fact_symmetries(game: CompiledGame, seconds: float = SECONDS) -> Ints:
    """Where each fact goes under each symmetry, int64[symmetries, facts]; the first leaves all where it is."""
    kept: Ints | None = game.__dict__.get("_fact_symmetries")
    if kept is None:
        found = find_symmetries(game.sheet, seconds).generators
        generators = [made for each in found if (made := _permutation(game, each)) is not None]
        group = group_of(generators, len(game.layout.facts))
        kept = game.__dict__["_fact_symmetries"] = np.array(group, np.int64)
    return kept


def _permutation(game: CompiledGame, mapping: Mapping[str | Term, str | Term]) -> Permutation | None:
    """A symmetry as numbers of facts; None where it takes one to something else, or cannot be told from moves."""
    facts = game.layout.facts
    number = {str(fact): i for i, fact in enumerate(facts)}
    named = {str(one): str(other) for one, other in mapping.items()}
    moves = {str(move) for own in game.layout.moves for move in own}
    if any(name in moves and name in number for name in named):
        return None
    targets = [number.get(named.get(str(fact), str(fact)), -1) for fact in facts]
    return tuple(targets) if sorted(targets) == list(range(len(facts))) else None


def group_of(generators: Iterable[Permutation], size: int) -> list[Permutation]:
    """All that generators make together, as long as they are not too many; the identity first."""
    group = [tuple(range(size))]
    used: list[Permutation] = []
    for generator in generators:
        larger = _closure([*used, generator], size)
        if len(larger) <= MOST_SYMMETRIES:
            used.append(generator)
            group = larger
    return group


def _closure(generators: Sequence[Permutation], size: int) -> list[Permutation]:
    """The group of some permutations; it stops when there are too many."""
    group = [tuple(range(size))]
    known = set(group)
    for one in group:
        for other in generators:
            made = tuple(other[i] for i in one)
            if made not in known:
                known.add(made)
                group.append(made)
        if len(group) > MOST_SYMMETRIES:
            break
    return group
