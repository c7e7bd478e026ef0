"""Positions of an endgame table, looked at by others: alpha-beta in machine code, and one step of the rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget
from gamemaster.search.native.solver import solve
from gamemaster.solving.endgame.table import EndgameLabel, EndgameTable, better_of

__all__ = ["Verification", "verify_endgame"]

MOST_NODES = 200_000
MOST_SECONDS = 5.0
DRAWN_DEPTH = 4
"""How far a position is searched that is not forced: what is proven there must be what the table says."""

TRIES = 50
"""So many numbers are drawn at most for each position: some are of no position."""


@dataclass
class Verification:
    """How many positions were looked at: those that alpha-beta has confirmed, those too far for it, and what is wrong.

    All were compared with what their moves lead to.
    """

    searched: int = 0
    too_far: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def positions(self) -> int:
        """All of them."""
        return self.searched + self.too_far + len(self.wrong)

    def __str__(self) -> str:
        found = f"{len(self.wrong)} are wrong" if self.wrong else "none is wrong"
        return (
            f"{self.positions:,} positions: {self.searched:,} searched by alpha-beta to the distance told "
            f"({DRAWN_DEPTH} steps where nothing is forced), {self.too_far:,} too far for it, all compared with where "
            f"their moves lead; {found}"
        )


def verify_endgame(table: EndgameTable, count: int, seed: int = 0) -> Verification:
    """Look at so many random positions of a table that it knows."""
    verification = Verification()
    for state, label in _drawn(table, count, random.Random(seed)):
        if (trouble := _wrong_step(table, state, label)) is not None:
            verification.wrong.append(f"{trouble}: {' '.join(map(str, state.ordered_facts))[:300]}")
            continue
        verdict = _searched(table, state, label)
        if verdict is None:
            verification.too_far += 1
        elif verdict:
            verification.searched += 1
        else:
            told = " ".join(map(str, state.ordered_facts))[:300]
            verification.wrong.append(f"alpha-beta does not find {label}: {told}")
    return verification


def _drawn(table: EndgameTable, count: int, generator: random.Random) -> Iterator[tuple[State, EndgameLabel]]:
    """Random positions that are not over, and their labels."""
    left = count * TRIES
    while count and left:
        left -= 1
        number = generator.randrange(table.numbering.size)
        state = table.numbering.state_of(number)
        if state is None or state.is_terminal or table.book.mark(number) is None:
            continue
        label = table.probe(state)
        if label is not None:
            count -= 1
            yield state, label


def _wrong_step(table: EndgameTable, state: State, label: EndgameLabel) -> str | None:
    """What is wrong with a label, as far as the labels show to which the moves of its state lead."""
    role = state.chooser
    labels = list(table.moves(state).values())
    if role is None or not labels or None in labels:
        return None
    best = better_of([each for each in labels if each is not None], table.game.roles.index(role))
    steps = None if label.distance is None else label.distance - 1
    if best.goals != label.goals:
        return f"{label}, but its moves lead to {best} at best"
    is_rest = label.goals == table.book.resting
    return (
        None if is_rest or best.distance == steps else f"{label}, but the best of its moves leads to {best}"
    )


def _searched(table: EndgameTable, state: State, label: EndgameLabel) -> bool | None:
    """Whether alpha-beta says the same; None where it does not say."""
    roles = table.game.roles
    if label.distance is None:
        return _rests(table, state, label)
    winner = max(range(len(roles)), key=lambda i: label.goals[i])
    if label.goals.count(label.goals[winner]) > 1:
        return None
    if (state.goal(roles[winner]) or 0) >= label.goals[winner]:
        return None  # what is not over looks as good as the end
    return _forces(state, roles[winner], label.goals[winner], label.distance)


def _forces(state: State, role: str, goal: int, depth: int) -> bool | None:
    """Whether a role can force a goal in so many steps; None where that is too far to search."""
    if state.is_terminal:
        return (state.goal(role) or 0) >= goal
    if depth <= 0:
        return False
    if state.chooser == role:
        found = _solved(state, role, depth)
        return None if found is None else found >= goal
    verdicts = [_forces(after, role, goal, depth - 1) for after in _all_after(state)]
    return False if False in verdicts else None if None in verdicts else True


def _all_after(state: State) -> Iterator[State]:
    joint: dict[str, Term] = {role: state.legal_moves(role)[0] for role in state.movers}
    chooser = state.chooser
    for move in state.legal_moves(chooser) if chooser else [None]:
        yield state.next(joint if move is None or chooser is None else {**joint, chooser: move})


def _solved(state: State, role: str, depth: int) -> float | None:
    """What alpha-beta finds in so many steps, where what is not over is worth its goal; None where it is too far."""
    try:
        result = solve(state, role, Budget(nodes=MOST_NODES, seconds=MOST_SECONDS), depth)
    except Unsuitable:
        return None
    return result.value if result.is_proven or result.depth >= depth else None


def _rests(table: EndgameTable, state: State, label: EndgameLabel) -> bool | None:
    """Whether a search that proves something proves what the table says."""
    role = state.chooser
    if role is None:
        return None
    try:
        result = solve(state, role, Budget(nodes=MOST_NODES, seconds=MOST_SECONDS), DRAWN_DEPTH)
    except Unsuitable:
        return None
    return not result.is_proven or result.value == label.goals[table.game.roles.index(role)]
