"""Rules -> mirrors: symmetries of a game that are their own reverse, as maps of facts and of moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.metagame.symmetry import Symmetries, find_symmetries
from gamemaster.network.build import Circuit
from gamemaster.network.turns import find_turns
from gamemaster.solving.strategies.wording import map_in_words

__all__ = ["Mirror", "find_mirrors", "turn_facts"]

MOST_SYMMETRIES = 400
"""So many are made of the generators at most."""

Renaming = dict[Term, Term]


@dataclass(frozen=True)
class Mirror:
    """Where each fact and each move goes; what is not named stays. `turns` are facts that say whose turn it is."""

    facts: Mapping[Term, Term]
    moves: Mapping[Term, Term]
    turns: frozenset[Term] = field(default=frozenset())

    def is_even(self, state: State) -> bool:
        """Whether a state is its own mirror image, whoever's turn it is."""
        held = state.facts - self.turns
        return all(self.facts.get(fact, fact) in held for fact in held)

    def of_move(self, move: Term) -> Term:
        """The mirror image of a move."""
        return self.moves.get(move, move)


_known: WeakKeyDictionary[Game, dict[Term, Term] | None] = WeakKeyDictionary()


def turn_facts(game: Game) -> dict[Term, Term] | None:
    """For each role the fact that it is its turn, where two roles are proved to take turns by one fact each."""
    if game not in _known:
        _known[game] = _turn_facts(game.circuit)
    return _known[game]


def _turn_facts(circuit: Circuit | None) -> dict[Term, Term] | None:
    turns = find_turns(circuit) if circuit is not None else None
    if circuit is None or not turns or len(turns.facts) != 2 or len(circuit.roles) != 2:
        return None
    fact_of = {wire: fact for fact, wire in circuit.facts.items()}
    found = {role: [fact_of[wire] for wire in wires] for role, wires in turns.facts.items()}
    return (
        {role: facts[0] for role, facts in found.items()}
        if all(len(f) == 1 for f in found.values())
        else None
    )


_mirrors: WeakKeyDictionary[Game, list[Mirror]] = WeakKeyDictionary()
"""Those of games of which all symmetries were found."""


def find_mirrors(game: Game, seconds: float) -> list[Mirror]:
    """The mirrors of a game for two that take turns, those told in the fewest words first; none where there is none."""
    circuit, turns = game.circuit, turn_facts(game)
    if circuit is None or turns is None:
        return []
    if game in _mirrors:
        return _mirrors[game]
    control = frozenset(turns.values())
    symmetries = find_symmetries(game.sheet, seconds, tuple(control))
    found = _mirrors_among(circuit, symmetries, control)
    if symmetries.is_complete:
        _mirrors[game] = found
    return found


def _mirrors_among(circuit: Circuit, symmetries: Symmetries, control: frozenset[Term]) -> list[Mirror]:
    group = _group([_renaming(made) for made in symmetries.generators])
    found = [one for one in group if one and _is_involution(one)]
    if symmetries.swap is not None:
        swap = _renaming(symmetries.swap)
        found += [one for one in (_composed(swap, other) for other in group) if _is_involution(one, control)]
    mirrors = {_key(mirror): mirror for mirror in (_mirror(circuit, one, control) for one in found)}
    changing = [mirror for mirror in mirrors.values() if mirror.facts]
    return sorted(changing, key=lambda mirror: len(map_in_words(mirror.moves)))


def _key(mirror: Mirror) -> frozenset[tuple[Term, Term]]:
    return frozenset([*mirror.facts.items(), *mirror.moves.items()])


def _renaming(made: Mapping[str | Term, str | Term]) -> Renaming:
    return {one: other for one, other in made.items() if isinstance(one, Term) and isinstance(other, Term)}


def _group(generators: list[Renaming]) -> list[Renaming]:
    """What can be composed of generators, so many at most; the one that changes nothing is first."""
    found: dict[frozenset[tuple[Term, Term]], Renaming] = {frozenset(): {}}
    queue: list[Renaming] = [{}]
    for one in queue:
        for generator in generators:
            made = _composed(one, generator)
            key = frozenset(made.items())
            if key not in found and len(found) < MOST_SYMMETRIES:
                found[key] = made
                queue.append(made)
    return queue


def _composed(one: Renaming, other: Renaming) -> Renaming:
    """First one, then the other; without what stays."""
    made = {start: other.get(middle, middle) for start, middle in one.items()}
    made |= {start: end for start, end in other.items() if start not in one}
    return {start: end for start, end in made.items() if start != end}


def _is_involution(one: Renaming, control: frozenset[Term] = frozenset()) -> bool:
    return all(one.get(end) == start for start, end in one.items() if start not in control)


def _mirror(circuit: Circuit, one: Renaming, control: frozenset[Term]) -> Mirror:
    facts = {fact: one[fact] for fact in circuit.facts if fact in one and fact not in control}
    moves = {move: one.get(move, move) for made in circuit.moves.values() for move in made}
    return Mirror(facts, moves, control)
