"""Effects -> the parts of a game that have nothing to do with each other, and games with one role solved by parts.

Two facts belong together if a move changes one and looks at the other. Facts that never change or only count steps
are shared by all. What is left falls into components; one with a single move a role is a *switch* (such as `stop`, or a
cell that can only be filled), one with more is a *part*.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gamemaster.errors import Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.metagame.changes import Changes, find_changes
from gamemaster.metagame.effects import Effects
from gamemaster.network.build import Circuit
from gamemaster.network.graph import FALSE, TRUE, Network, Wire, copy_wires

__all__ = ["GamePart", "Solution", "components", "find_parts", "solve_by_parts"]

MOST_STATES = 20_000
MOST_CLASSES = 5_000


@dataclass(frozen=True)
class GamePart:
    """Facts and moves (role, move) that only have to do with each other."""

    facts: frozenset[Term]
    moves: tuple[tuple[Term, Term], ...]

    @property
    def is_switch(self) -> bool:
        """Whether no role has a choice within it."""
        roles = [role for role, _ in self.moves]
        return len(roles) == len(set(roles))


@dataclass(frozen=True)
class Solution:
    """The best play of a game with one role."""

    moves: tuple[Term, ...]
    goal: int
    states: int  # looked at, in all parts together


def find_parts(effects: Effects, changes: Changes) -> list[GamePart]:
    """The parts, if there are at least two; a game that is one piece has none."""
    found = [part for part in components(effects, changes) if not part.is_switch]
    return found if len(found) > 1 else []


def components(effects: Effects, changes: Changes) -> list[GamePart]:
    """All components, switches too; none for simultaneous moves, which act together."""
    if len(effects.circuit.roles) > 1 and not effects.turns:
        return []
    turns = {turn for own in effects.turns.facts.values() for turn in own}
    control = {fact for fact, wire in effects.circuit.facts.items() if wire in turns}
    shared = changes.constants | changes.counters | control
    leader: dict[Term, Term] = {}

    def find(node: Any) -> Any:
        while leader.setdefault(node, node) != node:
            node = leader[node]
        return node

    facts = list(effects.circuit.facts)
    for case, (after, legal) in effects.cases.items():
        touched = {fact for fact, wire in zip(facts, after, strict=True) if wire != effects.own[fact]}
        looked = [after[i] for i, fact in enumerate(facts) if fact in touched - shared]
        reads = {fact for wire in [legal, *looked] for fact in effects.reads(wire)}
        first = find(("move", case.role, case.move))
        for fact in (touched | reads) - shared:
            leader[find(("fact", fact))] = first
    groups: dict[Term, list[Term]] = {}
    for node in list(leader):
        groups.setdefault(find(node), []).append(node)
    return [part for group in groups.values() if (part := _part(group)).facts]


def _part(nodes: list[Any]) -> GamePart:
    facts = frozenset(node[1] for node in nodes if node[0] == "fact")
    return GamePart(facts, tuple((node[1], node[2]) for node in nodes if node[0] == "move"))


# Solving


def solve_by_parts(game: Game, deadline: float | None = None) -> Solution:
    """The best play of a game with one role that falls into components; Unsuitable for any other.

    Every component is searched by itself. Its states are told apart only by what they leave of the goal and the end of
    the game, so that few of them have to be combined. No play can reach more than the best combination does, and that
    combination is played to see that it can be reached. At the deadline, by time.monotonic, it is Unsuitable, too.
    """
    if len(game.roles) != 1:
        raise Unsuitable("only games with one role are solved by parts")
    if game.circuit is None:
        raise Unsuitable("only compiled games are solved by parts")
    effects = Effects(game.circuit, deadline)
    changes = find_changes(effects)
    if changes.counters:
        raise Unsuitable("a step counter ties the parts together")
    parts = components(effects, changes)
    if len(parts) < 2:
        raise Unsuitable("the game does not fall into parts")
    return _Solver(game, game.circuit, parts, deadline).solve()


Path = tuple[Term, ...]


class _Solver:
    """Combines what the components can reach."""

    def __init__(self, game: Game, circuit: Circuit, parts: list[GamePart], deadline: float | None) -> None:
        self.game = game
        self.circuit = circuit
        self.parts = parts
        self.deadline = deadline
        self.states = 0

    def _look_at_clock(self) -> None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Unsuitable("there is no time left to solve the game by parts")

    def solve(self) -> Solution:
        """The best combination, played."""
        values = self.circuit.goal[self.circuit.roles[0]]
        best: list[tuple[int, tuple[Path, ...]]] = []
        for (terminal, *goals), paths in self.combined([self.circuit.terminal, *values.values()]).items():
            reached = [int(str(value)) for value, wire in zip(values, goals, strict=True) if wire == TRUE]
            if terminal == TRUE and reached:
                best.append((reached[0], paths))
        for goal, paths in sorted(best, key=lambda found: (-found[0], sum(map(len, found[1])))):
            moves = self.played(paths, goal)
            if moves is not None:
                return Solution(moves, goal, self.states)
            break  # what is left may be worth less than what can be reached in another order
        raise Unsuitable("the best combination of the parts cannot be reached")

    def combined(self, wires: list[Wire]) -> dict[tuple[Wire, ...], tuple[Path, ...]]:
        """What can be left of wires after all components, with the shortest paths that leave it."""
        inside = {fact for part in self.parts for fact in part.facts}
        given = {
            wire >> 1: TRUE if fact in self.circuit.init else FALSE
            for fact, wire in self.circuit.facts.items()
            if fact not in inside
        }
        network, (start,) = _folded(self.circuit.network, self.circuit.facts, [wires], given)
        classes: dict[tuple[Wire, ...], tuple[Path, ...]] = {tuple(start): ()}
        for part in self.parts:
            target, leaves = Network(), network[1]
            copies = {wire >> 1: target.input() for wire in leaves.values()}
            after: dict[tuple[Wire, ...], tuple[Path, ...]] = {}
            for facts, path in self.local(part).items():
                known = {leaves[f] >> 1: TRUE if f in facts else FALSE for f in part.facts}
                for held, paths in classes.items():
                    self._look_at_clock()
                    made = copy_wires(network[0], target, held, {**copies, **known}, lambda node: FALSE)
                    new = (*paths, path)
                    if sum(map(len, new)) < sum(map(len, after.get(tuple(made), ((None,) * 10**4,)))):
                        after[tuple(made)] = new
                if len(after) > MOST_CLASSES:
                    raise Unsuitable("the parts have too much to do with each other's goals")
            classes = after
            network = (target, {fact: copies[wire >> 1] for fact, wire in leaves.items()})
        return classes

    def local(self, part: GamePart) -> dict[frozenset[Term], Path]:
        """The states of a component that its own moves reach, each with a shortest path."""
        own = {move for _, move in part.moves}
        start = self.game.initial_state()
        found: dict[frozenset[Term], Path] = {start.facts & part.facts: ()}
        queue: deque[tuple[State, Path]] = deque([(start, ())])
        role = self.game.roles[0]
        while queue:
            state, path = queue.popleft()
            self._look_at_clock()
            for move in state.legal_moves(role):
                if move not in own:
                    continue
                after = state.next({role: move})
                key = after.facts & part.facts
                if key not in found:
                    found[key] = (*path, move)
                    queue.append((after, (*path, move)))
            if len(found) > MOST_STATES:
                raise Unsuitable(f"a part has more than {MOST_STATES:,} states")
        self.states += len(found)
        return found

    def played(self, paths: tuple[Path, ...], goal: int) -> Path | None:
        """The moves in an order in which nothing ends the game too early; None where none of those tried does."""
        moving = [path for path in paths if path]
        for order in _last_ones(moving):
            state: State = self.game.initial_state()
            moves = [move for path in order for move in path]
            for move in moves:
                if state.is_terminal:
                    break
                state = state.next({self.game.roles[0]: move})
            if state.is_terminal and state.step == len(moves) and state.goal(self.game.roles[0]) == goal:
                return tuple(moves)
        return None


def _last_ones(paths: list[Path]) -> Iterator[list[Path]]:
    """The paths in orders that differ in which comes last: one of them ends the game."""
    if not paths:
        yield []
    for last in reversed(range(len(paths))):
        yield [*paths[:last], *paths[last + 1 :], paths[last]]


def _folded(
    source: Network, facts: dict[Term, Wire], rows: list[list[Wire]], given: dict[int, Wire]
) -> tuple[tuple[Network, dict[Term, Wire]], list[list[Wire]]]:
    """Rows of wires in a network of their own, some inputs constant; the inputs that stay, by fact."""
    target = Network()
    leaves = {fact: target.input() for fact, wire in facts.items() if wire >> 1 not in given}
    known = {**given, **{facts[fact] >> 1: wire for fact, wire in leaves.items()}}
    made = [copy_wires(source, target, row, known, lambda node: FALSE) for row in rows]
    return (target, leaves), made
