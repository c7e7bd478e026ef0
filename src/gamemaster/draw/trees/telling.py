"""A trace -> plain values: every node as it is at the end, and every step in order, with its words."""

from __future__ import annotations

from math import isinf

from gamemaster.draw.trees.words import search_in_words, step_in_words
from gamemaster.search.tracing.trace import NodeLook, Trace

__all__ = ["trace_data"]

Plain = dict[str, object]


def trace_data(trace: Trace) -> Plain:
    """All of a trace, as JSON has it; bounds that are infinite are null."""
    looks = trace.looks()
    return {
        "title": trace.tree.title,
        "notes": list(trace.notes),
        "algorithm": trace.algorithm,
        "depth": trace.depth,
        "value": _number(trace, trace.value),
        "line": list(trace.line),
        "visited": list(trace.visited),
        "unvisited": list(trace.unvisited),
        "words": search_in_words(trace),
        "nodes": [_node(trace, number, look) for number, look in enumerate(looks)],
        "steps": [_step(trace, number) for number in range(1, len(trace.steps) + 1)],
    }


def _number(trace: Trace, value: float | None) -> float | str | None:
    """A value: T, F or ? where it is one, else a number."""
    if value is None:
        return None
    if trace.is_truth:
        return trace.shown(value)
    number = trace.tree.number(value)
    return None if isinf(number) else number


def _node(trace: Trace, number: int, look: NodeLook) -> Plain:
    node = trace.tree.nodes[number]
    return {
        "node": number,
        "parent": node.parent,
        "children": list(node.children),
        "kind": node.kind,
        "name": trace.tree.names[number],
        "move": node.move,
        "probability": None if node.probability is None else str(node.probability),
        "status": look.status,
        "value": _number(trace, look.value),
        "bound": look.bound,
        "alpha": _number(trace, look.alpha),
        "beta": _number(trace, look.beta),
        "is_on_line": look.is_on_line,
    }


def _step(trace: Trace, number: int) -> Plain:
    step = trace.steps[number - 1]
    return {
        "step": number,
        "kind": step.kind,
        "node": step.node,
        "child": step.child,
        "value": _number(trace, step.value),
        "bound": step.bound,
        "alpha": _number(trace, step.alpha),
        "beta": _number(trace, step.beta),
        "cut": list(step.cut),
        "words": step_in_words(trace, number),
    }
