"""Where every bit of a compiled game stands: in rows, and in the slots of its jobs. `game.layout` has it for a game.

A *row* is the bits of one state, or of what is told or asked of it; the lowest bit of the first byte comes first:

    state   facts                                                      `state.bits`; observe and advance take it
    seen    terminal, legal moves of each role, goals of each role     observe gives it
    joint   moves of each role; who moves, unless everybody does       advance takes it, after the state
    after   next facts, percepts of each role                          advance gives it
    child   state and seen, each filled up to whole words of 64 bits   expand gives it; searches keep such rows

State and joint are filled up to whole bytes. A *slot* holds one bit of every lane: inputs stand first in the buffer of
a job, then outputs. `RowPlaces` and `PlayoutSlots` are plain numbers, so that kernels take them as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

from gamemaster.language.terms import Term
from gamemaster.network.build import Circuit
from gamemaster.network.expansion import WORD

__all__ = [
    "FIRST_COUNTERS",
    "FIRST_LEGAL",
    "TERMINAL",
    "Bits",
    "Layout",
    "PlayoutLayout",
    "PlayoutSlots",
    "RowPlaces",
]

TERMINAL = 1
"""The bit of a row `seen` that says whether the game is over: the first."""

FIRST_LEGAL = 1
"""Where the legal moves begin in a row `seen`."""

FIRST_COUNTERS = 2
"""The counters of playouts before all others: games that ended, and those of them that were cut off."""

Terms = tuple[Term, ...]


class Bits(NamedTuple):
    """Bits that stand together in a row: where the first is, as many ones as there are, and what each means."""

    start: int
    mask: int
    terms: Terms

    @property
    def slice(self) -> slice:
        """Their columns in an array with a column for each bit."""
        return slice(self.start, self.start + len(self.terms))


class RowPlaces(NamedTuple):
    """A game in numbers: the rows `child` of searches, and the slots of expand and end."""

    facts: int  # how many there are
    roles: int
    moves: int  # of all roles
    state_words: int  # the words of a row, state and seen
    row_words: int
    first_legal: int  # bits of a row
    first_goal: int
    first_move: int  # slots: facts come first
    first_moved: int
    moved: int  # as many as there are roles, or none where everybody always moves
    outputs: int  # the first output: of expand a row `child`; of end terminal, then
    end_goals: int  # goals of each role


class PlayoutSlots(NamedTuple):
    """The slots of play and charge: see network/playout.py for what is computed."""

    facts: int  # how many there are; they come first, then the digits of the step count
    states: int  # facts and digits: what a step makes anew
    active: int  # which lanes play
    first_random: int
    randoms: int  # how many there are
    done: int  # the first output: which lanes have ended their game
    first_counter: int
    counters: int  # how many there are: games, those cut off, digits of the length, goals
    first_digit: int  # of the counters
    first_goal: int  # of the counters
    goals: int  # how many there are
    next_state: int
    first_move: int  # made in this step; only charge tells them


@dataclass(frozen=True, eq=False)
class Layout:
    """What can occur in a game, in the order of its bits; and from that, where everything stands."""

    roles: tuple[str, ...]
    facts: Terms
    moves: tuple[Terms, ...]  # of each role
    goals: tuple[Terms, ...]  # of each role, the lowest first
    percepts: tuple[Terms, ...]  # of each role
    everybody_moves: bool  # every role has a move in every state

    @classmethod
    def of(cls, circuit: Circuit, everybody_moves: bool) -> Layout:
        """The layout of a circuit's game."""
        by_role = (circuit.moves, circuit.goal, circuit.sees)
        moves, goals, percepts = (tuple(tuple(own[role]) for role in circuit.roles) for own in by_role)
        roles = tuple(map(str, circuit.roles))
        return cls(roles, tuple(circuit.facts), moves, goals, percepts, everybody_moves)

    @cached_property
    def all_moves(self) -> int:
        """How many moves there are, of all roles."""
        return sum(map(len, self.moves))

    @property
    def moved(self) -> int:
        """How many bits say who moves."""
        return 0 if self.everybody_moves else len(self.roles)

    # Rows

    @cached_property
    def legal_bits(self) -> tuple[Bits, ...]:
        """The legal moves of each role, in a row `seen`."""
        return _in_line(FIRST_LEGAL, self.moves)

    @cached_property
    def goal_bits(self) -> tuple[Bits, ...]:
        """The goals of each role, in a row `seen`."""
        return _in_line(FIRST_LEGAL + self.all_moves, self.goals)

    @cached_property
    def move_bits(self) -> tuple[Bits, ...]:
        """The moves of each role, in a row `joint`; who moves stands behind them."""
        return _in_line(0, self.moves)

    @cached_property
    def percept_bits(self) -> tuple[Bits, ...]:
        """What each role sees, in a row `after`."""
        return _in_line(len(self.facts), self.percepts)

    @cached_property
    def state_bytes(self) -> int:
        """The bytes of a row `state`."""
        return _filled(len(self.facts), 8)

    @cached_property
    def joint_bytes(self) -> int:
        """The bytes of a row `joint`."""
        return _filled(self.all_moves + self.moved, 8)

    @property
    def odd_bits(self) -> int:
        """How many bits of the last byte of a row `state` are facts; 0 where all are."""
        return len(self.facts) % 8

    @cached_property
    def places(self) -> RowPlaces:
        """Rows and slots for searches."""
        facts, moves, goals = len(self.facts), self.all_moves, sum(map(len, self.goals))
        state_words = _filled(facts, WORD)
        first_legal = state_words * WORD + FIRST_LEGAL
        outputs = facts + moves + self.moved
        return RowPlaces(
            facts=facts,
            roles=len(self.roles),
            moves=moves,
            state_words=state_words,
            row_words=state_words + _filled(FIRST_LEGAL + moves + goals, WORD),
            first_legal=first_legal,
            first_goal=first_legal + moves,
            first_move=facts,
            first_moved=facts + moves,
            moved=self.moved,
            outputs=outputs,
            end_goals=outputs + 1,
        )


@dataclass(frozen=True)
class PlayoutLayout:
    """The sizes of play and charge: digits of the step count, random bits, and what each goal counter counts."""

    facts: int
    digits: int
    randoms: int
    goals: tuple[tuple[int, int], ...]  # the number of a role, and what it gets

    @cached_property
    def slots(self) -> PlayoutSlots:
        """Where everything stands."""
        states = self.facts + self.digits
        done = states + 1 + self.randoms
        first_goal = done + 1 + FIRST_COUNTERS + self.digits
        next_state = first_goal + len(self.goals)
        return PlayoutSlots(
            facts=self.facts,
            states=states,
            active=states,
            first_random=states + 1,
            randoms=self.randoms,
            done=done,
            first_counter=done + 1,
            counters=next_state - done - 1,
            first_digit=done + 1 + FIRST_COUNTERS,
            first_goal=first_goal,
            goals=len(self.goals),
            next_state=next_state,
            first_move=next_state + states,
        )

    def to_dict(self) -> dict[str, Any]:
        """The sizes as plain data, for the disk."""
        sizes = {"facts": self.facts, "digits": self.digits, "randoms": self.randoms}
        return {**sizes, "counters": self.slots.counters, "goals": list(map(list, self.goals))}

    @classmethod
    def from_dict(cls, described: Mapping[str, Any]) -> PlayoutLayout:
        """The sizes that `to_dict` told."""
        goals = tuple((role, value) for role, value in described["goals"])
        return cls(described["facts"], described["digits"], described["randoms"], goals)


def _in_line(start: int, terms: Iterable[Terms]) -> tuple[Bits, ...]:
    """Bits for each role, one role after the other."""
    lists = tuple(terms)
    starts = accumulate(map(len, lists), initial=start)
    return tuple(Bits(first, (1 << len(own)) - 1, own) for first, own in zip(starts, lists, strict=False))


def _filled(bits: int, size: int) -> int:
    """How many bytes, or words, so many bits take."""
    return -(-bits // size)
