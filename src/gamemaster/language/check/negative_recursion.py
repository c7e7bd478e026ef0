"""Recursion that has no meaning, because it runs through a negation.

It is looked for between rules, not only between relations: a body asks only for the rules whose head could
match, so `goal(R,0) :- ~goal(R,100)` is no circle as long as no rule for 100 asks for 0. That is still
coarser than the ground program: a later stage may find that no ground atom depends on its own negation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from gamemaster.language.dependency import Dependencies, Edge, show_way, strongly_connected_components
from gamemaster.language.findings import Finding
from gamemaster.language.rules import Relation, Rules, relation_of
from gamemaster.language.terms import Value, Variable

__all__ = ["find_negative_recursion"]

MOST_PAIRS = 200_000
"""Pairs of rules that are compared within one component; beyond that only relations are."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Rule number `source` asks for rule number `target`, by an edge of the dependency graph."""

    source: int
    target: int
    edge: Edge


def find_negative_recursion(core: Rules) -> list[Finding]:
    """An error for each group of rules that depend on their own negation, at one such negation."""
    dependencies = Dependencies.of(core)
    suspects = {
        dependencies.component_of[edge.source]
        for edge in dependencies.edges
        if edge.negative and dependencies.is_inner(edge)
    }
    return [
        _negative_recursion(core, cycle)
        for component in sorted(suspects)
        for cycle in _negative_cycles(dependencies, component)
    ]


def _negative_cycles(dependencies: Dependencies, component: int) -> Iterator[list[_Step]]:
    """For each group of rules that need each other, through a negation too, one circle from that negation."""
    steps_of = _steps(dependencies, component)

    def targets(number: int) -> list[int]:
        return [step.target for step in steps_of[number]]

    groups = strongly_connected_components(sorted(steps_of), targets)
    group_of = {number: i for i, group in enumerate(groups) for number in group}
    done: set[int] = set()
    for number in sorted(steps_of):
        for step in steps_of[number]:
            group = group_of[step.source]
            if step.edge.negative and group == group_of[step.target] and group not in done:
                done.add(group)
                yield [step, *_way(steps_of, step.target, step.source)]


def _steps(dependencies: Dependencies, component: int) -> dict[int, list[_Step]]:
    """Which rules of a component ask for which; facts ask for nothing and are left out.

    Where that would be too many pairs, the first rule of each relation stands for all of them.
    """
    numbers_of: dict[Relation, list[int]] = defaultdict(list)
    edges_of: dict[int, list[Edge]] = {}
    for number, rule in enumerate(dependencies.rules):
        relation = relation_of(rule.head)
        if rule.body and dependencies.component_of[relation] == component:
            numbers_of[relation].append(number)
            edges_of[number] = [e for e in dependencies.edges_of(rule) if dependencies.is_inner(e)]
    if sum(len(numbers_of[edge.target]) for edges in edges_of.values() for edge in edges) > MOST_PAIRS:
        return _relation_steps(numbers_of, edges_of)
    return {
        number: [
            _Step(number, target, edge)
            for edge in edges
            for target in numbers_of[edge.target]
            if _may_match(edge.atom.term, dependencies.rules[target].head)
        ]
        for number, edges in edges_of.items()
    }


def _relation_steps(
    numbers_of: dict[Relation, list[int]], edges_of: dict[int, list[Edge]]
) -> dict[int, list[_Step]]:
    """The steps between relations, each standing under the number of its first rule."""
    steps: dict[int, list[_Step]] = {numbers[0]: [] for numbers in numbers_of.values() if numbers}
    for edges in edges_of.values():
        for edge in edges:
            if numbers_of[edge.target]:
                source, target = numbers_of[edge.source][0], numbers_of[edge.target][0]
                steps[source].append(_Step(source, target, edge))
    return steps


def _may_match(term: Value, other: Value) -> bool:
    """Whether two terms could become equal, each variable taken by itself."""
    if isinstance(term, Variable) or isinstance(other, Variable):
        return True
    if not (isinstance(term, tuple) and isinstance(other, tuple)):
        return (
            relation_of(term) == relation_of(other) if _is_empty(term) or _is_empty(other) else term == other
        )
    return len(term) == len(other) and term[0] == other[0] and all(map(_may_match, term[1:], other[1:]))


def _is_empty(term: Value) -> bool:
    return isinstance(term, tuple) and len(term) == 1


def _way(steps_of: dict[int, list[_Step]], start: int, goal: int) -> list[_Step]:
    """A shortest way from one rule to another that it needs."""
    came_by: dict[int, _Step] = {}
    queue = [start]
    for number in queue:
        if number == goal:
            break
        for step in steps_of[number]:
            if step.target != start and step.target not in came_by:
                came_by[step.target] = step
                queue.append(step.target)
    way: list[_Step] = []
    while goal != start:
        way.append(came_by[goal])
        goal = came_by[goal].source
    return way[::-1]


def _negative_recursion(core: Rules, cycle: list[_Step]) -> Finding:
    edge = cycle[0].edge
    circle = show_way([edge.source[0], *("~" * s.edge.negative + s.edge.target[0] for s in cycle)])
    message = f"{edge.source[0]} depends on its own negation: {circle}"
    hint = f"break the circle: say what makes {edge.target[0]} true without asking for {edge.source[0]}"
    return Finding("negative-recursion", "error", message, core.place(edge.atom.span), hint)
