"""Game -> Survey: what OpenSpiel wants to be told of a game before it is played, as far as it is proved.

A game with few states is walked through, and everything about it is known. Of others only what the gates prove is: the
answer is the same on every machine, however fast, so no clock decides it. What is not proved counts as not so.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from gamemaster.bridges.encoding import Encoding
from gamemaster.machine.game import State, successors
from gamemaster.metagame.changes import find_changes
from gamemaster.metagame.effects import Effects

__all__ = ["Survey", "survey", "total_of_goals"]

MOST_STATES, MOST_STEPS = 20_000, 200_000
"""States and steps between them, up to which a game is walked through: it takes a second at most."""

MOST_GATES = 5_000
"""Games with more gates are not walked through: their states are many, and each takes long."""

MOST_WORK = 250_000
"""Moves times gates, up to which the gates are asked how long a game can last: within half a second."""


@dataclass(frozen=True)
class Survey:
    """What is proved of a game."""

    is_complete: bool
    """Whether all states were seen: then nothing is left open."""

    is_sequential: bool
    """Whether no two roles but chance ever choose in the same state."""

    sums: frozenset[int] | None
    """What the goals of all roles but chance add up to at the ends; None where not all ends were seen."""

    longest: int | None
    """A number of steps that no game exceeds; None where none is known, or there is none."""

    @property
    def sum_of_goals(self) -> int | None:
        """What the goals add up to at every end; None where that is not known, or varies."""
        return next(iter(self.sums)) if self.sums is not None and len(self.sums) == 1 else None


def survey(encoding: Encoding) -> Survey:
    """What is proved of a game."""
    turns = encoding.game.kind.turns
    is_small = encoding.game.artifact.circuit.network.gates <= MOST_GATES
    states = _all_states(encoding.game.initial_state()) if is_small else None
    if states is None:
        is_sequential = len(encoding.roles) == 1 or turns in ("one role", "turn-taking")
        return Survey(False, is_sequential, None, _longest_by_gates(encoding))
    is_sequential = all(_choosers(encoding, state) < 2 for state, _ in states.values())
    sums = {total_of_goals(encoding, state) for state, _ in states.values() if state.is_terminal}
    steps = {key: after for key, (_, after) in states.items()}
    return Survey(
        True, is_sequential, frozenset(sums), _longest_path(steps, encoding.game.initial_state().key)
    )


def total_of_goals(encoding: Encoding, state: State) -> int:
    """What the goals of all roles but chance add up to; no goal counts as 0."""
    return sum(state.goal(role) or 0 for role in encoding.roles)


def _choosers(encoding: Encoding, state: State) -> int:
    return 0 if state.is_terminal else sum(len(state.legal_moves(role)) > 1 for role in encoding.roles)


def _all_states(start: State) -> dict[Hashable, tuple[State, Sequence[Hashable]]] | None:
    """All states by their keys, each with the keys of those after it; None where there are too many."""
    found: dict[Hashable, tuple[State, Sequence[Hashable]]] = {}
    queue, seen, steps = [start], {start.key}, 0
    while queue:
        state, after = queue.pop(), list[Hashable]()
        for next_state in successors(state):
            steps += 1
            if steps > MOST_STEPS or len(seen) > MOST_STATES:
                return None
            after.append(next_state.key)
            if next_state.key not in seen:
                seen.add(next_state.key)
                queue.append(next_state)
        found[state.key] = (state, after)
    return found


def _longest_path(steps: Mapping[Hashable, Sequence[Hashable]], start: Hashable) -> int | None:
    """The steps of the longest way from a state; None where some way comes back to where it was."""
    longest: dict[Hashable, int] = {}
    stack, entered = [start], set[Hashable]()
    while stack:
        key = stack[-1]
        if key in longest:
            stack.pop()
        elif key in entered:  # what follows it is known by now, unless it comes before itself
            if any(after not in longest for after in steps[key]):
                return None
            longest[key] = max((1 + longest[after] for after in steps[key]), default=0)
            stack.pop()
        else:
            entered.add(key)
            if any(after in entered and after not in longest for after in steps[key]):
                return None
            stack += [after for after in steps[key] if after not in longest]
    return longest[start]


def _longest_by_gates(encoding: Encoding) -> int | None:
    circuit = encoding.game.artifact.circuit
    moves = sum(map(len, circuit.moves.values()))
    if moves * circuit.network.gates > MOST_WORK:
        return None
    return find_changes(Effects(circuit)).longest
