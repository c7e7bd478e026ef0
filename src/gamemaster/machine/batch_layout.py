"""Where everything stands in the job `step`, which network/stepping.py builds: plain numbers, from a game's layout."""

from __future__ import annotations

from typing import NamedTuple

from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM
from gamemaster.machine.layout import Layout

__all__ = ["NO_MOVE", "StepSlots", "columns_of", "moves_of"]

NO_MOVE = -1


class StepSlots(NamedTuple):
    """The slots of a step: inputs, then outputs, which are counted from the first output on."""

    facts: int  # how many there are; they come first, of inputs and of outputs
    moves: int  # of all roles
    first_legal: int  # a bit for each move of each role; carried, like facts
    first_choice: int  # a bit for each role: it has a choice; carried
    over: int  # carried, the last
    look: int  # an input, as are
    resets: int
    first_chosen: int
    first_random: int
    terminal: int  # an output, as are
    several: int
    stuck: int
    moved: int
    begun: int
    first_asked: int
    first_mask: int
    masks: int  # how many there are
    first_goal: int
    first_percept: int
    outputs: int  # how many there are

    @classmethod
    def of(cls, layout: Layout) -> StepSlots:
        """The slots of a game."""
        facts, moves, roles = len(layout.facts), layout.all_moves, len(layout.roles)
        over = facts + moves + roles
        masks = len(moves_of(layout))
        first_mask = over + 6 + roles
        first_goal = first_mask + masks
        first_percept = first_goal + sum(map(len, layout.goals))
        return cls(
            facts=facts,
            moves=moves,
            first_legal=facts,
            first_choice=facts + moves,
            over=over,
            look=over + 1,
            resets=over + 2,
            first_chosen=over + 3,
            first_random=over + 3 + moves,
            terminal=over + 1,
            several=over + 2,
            stuck=over + 3,
            moved=over + 4,
            begun=over + 5,
            first_asked=over + 6,
            first_mask=first_mask,
            masks=masks,
            first_goal=first_goal,
            first_percept=first_percept,
            outputs=first_percept + sum(map(len, layout.percepts)),
        )


def moves_of(layout: Layout) -> tuple[Term, ...]:
    """The moves of all roles but chance: those of the first role, then what others have besides."""
    roles = zip(layout.roles, layout.moves, strict=True)
    return tuple(dict.fromkeys(move for role, moves in roles if role != RANDOM for move in moves))


def columns_of(layout: Layout) -> list[list[int]]:
    """For each role, for each of `moves_of` its number among the moves of all roles, or NO_MOVE; none for chance."""
    moves = moves_of(layout)
    found = []
    for role, (start, _, own) in zip(layout.roles, layout.move_bits, strict=True):
        numbers = {} if role == RANDOM else {move: start + i for i, move in enumerate(own)}
        found.append([numbers.get(move, NO_MOVE) for move in moves])
    return found
