"""The process that grounds: a program for clingo comes in, flat arrays go out; see `clingo_grounder.py` for both."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gamemaster.ground.clingo_child import Answer, Failure, Most, PlainValues, Request, callbacks_for, serve

if TYPE_CHECKING:
    from clingo import Observer

    from gamemaster.ground.asp import Callbacks
    from gamemaster.ground.proofs import Proof

__all__ = ["ground_text", "main"]

MOST_CONFLICTS, MOST_PROVING = 200_000, 50_000_000
"""How much work is done to prove that an assumption holds: so many conflicts, times so many rules, at most."""


def ground_text(request: Request) -> Answer:
    """The answer to a request: the ground rules and the named atoms, or an `error`."""
    import clingo

    messages: list[str] = []
    failures: list[Failure] = []
    answer: Answer = {"choices": set(), "facts": set(), "heads": array("i"), "literals": array("i")}
    answer["starts"] = array("i", [0])
    answer["thresholds"] = []
    control = clingo.Control(["--warn=none"], logger=lambda _, text: messages.append(text))
    # `replace`: the rules go to the collector only; nobody solves them here
    control.register_observer(_collector(answer, request["most"], failures), replace=True)
    callbacks = callbacks_for(request["text"], request["functors"], failures, request["most"])
    try:
        control.add("base", [], request["text"])
        control.ground([("base", [])], context=callbacks)
    except RuntimeError:
        if failures:
            return {"error": failures[0]}
        reason = " ".join(messages[0].split()) if messages else "no reason given"
        return {"error": ("rules", reason)}
    if request["proof"]:
        (true,) = [name for named, name, _ in request["named"] if named == "true"]
        # a state may have any of the facts, whether or not they follow again in the step that is looked at
        states = "".join(f"\n{{{atom.symbol}}}." for atom in control.symbolic_atoms.by_signature(true, 1))
        conflicts = min(MOST_CONFLICTS, MOST_PROVING // (1 + len(answer["heads"])))
        answer["proven"] = _proven(request["text"] + states, request["proof"], callbacks, conflicts)
        if answer["proven"] is None:
            return {"error": ("limit", "grounding", "numbers that something in the rules bounds")}
    values = PlainValues(request["functors"])
    answer["named"] = {
        name: [
            (tuple(map(values.__getitem__, atom.symbol.arguments)), atom.literal, atom.is_fact)
            for atom in control.symbolic_atoms.by_signature(program_name, arity)
        ]
        for name, program_name, arity in request["named"]
    }
    for program_name, arity in request["assumed"]:
        found = control.symbolic_atoms.by_signature(program_name, arity)
        answer["facts"].update(atom.literal for atom in found)
    if request["name_all"]:
        answer["atoms"] = {
            atom.literal: (atom.symbol.name, *map(values.__getitem__, atom.symbol.arguments))
            for atom in control.symbolic_atoms
        }
    return answer


def _proven(text: str, proof: Proof, callbacks: Callbacks | None, conflicts: int) -> list[int] | None:
    """The claims that steps keep: those that one breaks are given up until none is broken; None if it is needed.

    So are those that are not needed where all together are too hard.
    """
    given, claims, needed = proof
    left = list(range(len(claims)))
    while (
        broken := _broken("\n".join([text, given, *(claims[i] for i in left)]), callbacks, conflicts)
    ) is not None:
        if not broken and len(left) > needed:  # too hard to tell: perhaps what is needed holds by itself
            left = left[:needed]
            continue
        left = [i for i in left if i not in broken]
        if not broken or left[:needed] != list(range(needed)):
            return None
    return left


def _broken(text: str, callbacks: Callbacks | None, conflicts: int) -> set[int] | None:
    """The claims that some step breaks; None where none does, and an empty set where that is too hard to tell."""
    import clingo

    control = clingo.Control(["--warn=none", f"--solve-limit={conflicts}"], logger=lambda *_: None)
    control.add("base", [], text)
    control.ground([("base", [])], context=callbacks)
    with control.solve(yield_=True) as answers:
        for model in answers:
            found = [symbol for symbol in model.symbols(atoms=True) if symbol.name == "broken"]
            return {symbol.arguments[0].number for symbol in found}
        return None if answers.get().unsatisfiable else set()


def _collector(answer: Answer, most: Most, failures: list[Failure]) -> Observer:
    """What receives the ground rules from clingo.

    clingo raises exceptions of ours again as `type(error)(text)`, which suits few: they go to `failures` instead.
    """
    from clingo import Observer

    choices, facts = answer["choices"], answer["facts"]
    heads, literals, starts = answer["heads"], answer["literals"], answer["starts"]
    thresholds, bodies = answer["thresholds"], dict[tuple[tuple[int, int], ...], Any]()
    weighed = 0
    (most_rules, *_), (most_literals, *_) = most["rules"], most["literals"]
    (most_always, *_), (most_choices, *_) = most["always"], most["choices"]

    def fail(kind: str) -> None:
        failures.append(("limit", *most[kind][1:]))
        raise RuntimeError("the program is too large")

    class Collector(Observer):
        def weight_rule(
            self, choice: bool, head: Sequence[int], lower_bound: int, body: Sequence[tuple[int, int]]
        ) -> None:
            nonlocal weighed
            weighed += len(body)
            if len(thresholds) >= most_rules or weighed > most_literals:
                fail("rules" if weighed <= most_literals else "literals")
            key = tuple(body)
            apart = bodies.setdefault(key, (tuple(each for each, _ in key), tuple(each for _, each in key)))
            thresholds.extend((atom, lower_bound, *apart) for atom in head)

        def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
            if choice:
                choices.update(head)
                if len(choices) > most_choices:
                    fail("choices")
            elif not body:
                facts.update(head)
                if len(facts) > most_always:
                    fail("always")
            elif len(heads) >= most_rules:
                fail("rules")
            elif len(literals) > most_literals:
                fail("literals")
            else:
                for atom in head:
                    heads.append(atom)
                    literals.extend(body)
                    starts.append(len(literals))

    return Collector()


def main() -> None:
    """Answer one request."""
    gc.disable()  # this process makes no cycles and ends soon
    serve(ground_text)
