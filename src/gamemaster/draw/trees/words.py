"""A step of a search -> a sentence; all of it -> what came out, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gamemaster.draw.picture.markup import clip
from gamemaster.search.tracing.trace import NodeLook, Trace, TraceStep
from gamemaster.search.tracing.tree import LONGEST

__all__ = [
    "ALGORITHM_NAMES",
    "leaf_in_words",
    "probability",
    "search_in_words",
    "step_in_words",
    "value_in_words",
    "window_in_words",
]

ALGORITHM_NAMES = {
    "minimax": "Minimax",
    "alphabeta": "Alpha-beta",
    "andor": "And/Or",
    "expectiminimax": "Expectiminimax",
}
SIGNS = {"exact": "", "at most": "≤", "at least": "≥"}
MOST_NAMED = 12


def step_in_words(trace: Trace, number: int) -> str:
    """What happens in a step; step 0 is before the first."""
    if number == 0:
        return f"{ALGORITHM_NAMES[trace.algorithm]} is about to begin at {trace.tree.called(0)}."
    step = trace.steps[number - 1]
    tellers = {"enter": _entered, "leaf": _leaf, "update": _updated, "cut": _cut, "leave": _left}
    return tellers[step.kind](trace, step)


def value_in_words(trace: Trace, value: float, bound: str = "exact") -> str:
    """A value with what it says of the true one: `≤2`."""
    return SIGNS[bound] + trace.shown(value)


def leaf_in_words(trace: Trace, number: int, look: NodeLook) -> str:
    """What is written at a node: what the search found there, or what stands at a leaf that it has not come to."""
    if look.value is not None:
        return value_in_words(trace, look.value, look.bound)
    node = trace.tree.nodes[number]
    is_readable = not trace.is_truth or trace.tree.has_truths
    return trace.shown(node.value) if node.kind == "leaf" and node.value is not None and is_readable else ""


def search_in_words(trace: Trace) -> str:
    """What came out of the whole search."""
    tree = trace.tree
    parts = [f"{ALGORITHM_NAMES[trace.algorithm]}: {tree.called(0)} is worth {trace.shown(trace.value)}"]
    if line := list(_moves(trace)):
        parts.append(f"principal line {', '.join(line)}")
    count = len(trace.visited)
    parts.append(f"{count} of {count + len(trace.unvisited)} nodes visited")
    if trace.unvisited:
        parts.append(f"unvisited: {_named(trace, trace.unvisited)}")
    return "; ".join(parts) + "."


def _moves(trace: Trace) -> Iterator[str]:
    """The principal line, by moves where they have names."""
    for number in trace.line[1:]:
        yield clip(trace.tree.nodes[number].move, LONGEST) or trace.tree.called(number)


def _named(trace: Trace, numbers: tuple[int, ...]) -> str:
    more = f" and {len(numbers) - MOST_NAMED} more" if len(numbers) > MOST_NAMED else ""
    return ", ".join(trace.tree.called(number) for number in numbers[:MOST_NAMED]) + more


def _entered(trace: Trace, step: TraceStep) -> str:
    node, name = trace.tree.nodes[step.node], trace.tree.called(step.node)
    who = trace.tree.players.get(node.kind)
    chooser = node.kind if who is None else f"{node.kind} ({who})"
    told = f"The search comes to {name}, where {chooser} {'decides' if node.kind == 'chance' else 'chooses'}"
    if step.alpha is None or step.beta is None:
        return f"{told}."
    return f"{told}; alpha is {trace.shown(step.alpha)}, beta is {trace.shown(step.beta)}."


def _leaf(trace: Trace, step: TraceStep) -> str:
    assert step.value is not None
    node, name, value = trace.tree.nodes[step.node], trace.tree.called(step.node), trace.shown(step.value)
    if value == "?":
        return f"{name} is at the horizon: nobody knows what it is worth."
    if node.children or not node.is_end:
        return f"{name} is at the horizon: it is estimated at {value}."
    return f"{name} is worth {value}."


def _updated(trace: Trace, step: TraceStep) -> str:
    assert step.value is not None
    assert step.child is not None
    node, name = trace.tree.nodes[step.node], trace.tree.called(step.node)
    child, value = trace.tree.called(step.child), trace.shown(step.value)
    if node.kind == "chance":
        likely = trace.tree.nodes[step.child].probability
        assert likely is not None
        return f"{child} counts with {probability(likely)} at {name}, which has {value} so far."
    if step.alpha is None or step.beta is None:
        return f"{name} has {value} so far, by {child}."
    which, now = ("alpha", step.alpha) if node.kind == "max" else ("beta", step.beta)
    if now == step.value:
        return f"{which} becomes {value} at {name}, by {child}."
    return f"{name} has {value} so far, by {child}; {which} stays {trace.shown(now)}."


def _cut(trace: Trace, step: TraceStep) -> str:
    assert step.value is not None
    node, name, value = trace.tree.nodes[step.node], trace.tree.called(step.node), trace.shown(step.value)
    told = f"the rest of {name} is cut"
    if step.alpha is None or step.beta is None:
        why = f"one {value} is enough where {'one chooses' if node.kind == 'max' else 'the other chooses'}"
    elif node.kind == "max":
        why = f"{value} >= {trace.shown(step.beta)}, which is beta"
    else:
        why = f"{value} <= {trace.shown(step.alpha)}, which is alpha"
    return f"{told[0].upper()}{told[1:]}: {why}. {_named(trace, step.cut)} stay{'s' * (len(step.cut) == 1)} unvisited."


def _left(trace: Trace, step: TraceStep) -> str:
    assert step.value is not None
    name, value = trace.tree.called(step.node), trace.shown(step.value)
    if step.node == 0:
        return f"{name} is worth {value}, and the search ends."
    bound = "" if step.bound == "exact" else f" {step.bound}"
    return f"{name} is worth {value}{bound}."


def window_in_words(trace: Trace, alpha: float, beta: float) -> str:
    """Alpha and beta at a node."""
    return f"[{trace.shown(alpha)}, {trace.shown(beta)}]"


def probability(likely: Fraction) -> str:
    """A probability: as a decimal where that is short, else as a fraction."""
    text = f"{float(likely):.6g}"
    return text if len(text) <= 5 else str(likely)
