"""The process that grounds: a program for clingo comes in, flat arrays go out; see `clingo_grounder.py` for both."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gamemaster.ground.clingo_child import Answer, Failure, PlainValues, Request, callbacks_for, serve

if TYPE_CHECKING:
    from clingo import Observer

__all__ = ["ground_text", "main"]


def ground_text(request: Request) -> Answer:
    """The answer to a request: the ground rules and the named atoms, or an `error`."""
    import clingo

    messages: list[str] = []
    failures: list[Failure] = []
    answer: Answer = {"choices": set(), "facts": set(), "heads": array("i"), "literals": array("i")}
    answer["starts"] = array("i", [0])
    control = clingo.Control(["--warn=none"], logger=lambda _, text: messages.append(text))
    # `replace`: the rules go to the collector only; nobody solves them here
    control.register_observer(_collector(answer, request["rules"], failures), replace=True)
    callbacks = callbacks_for(request["text"], request["functors"], failures)
    try:
        control.add("base", [], request["text"])
        control.ground([("base", [])], context=callbacks)
    except RuntimeError:
        if failures:
            return {"error": failures[0]}
        reason = " ".join(messages[0].split()) if messages else "no reason given"
        return {"error": ("rules", reason)}
    values = PlainValues(request["functors"])
    answer["named"] = {
        name: [
            (tuple(map(values.__getitem__, atom.symbol.arguments)), atom.literal, atom.is_fact)
            for atom in control.symbolic_atoms.by_signature(program_name, arity)
        ]
        for name, program_name, arity in request["named"]
    }
    if request["name_all"]:
        answer["atoms"] = {
            atom.literal: (atom.symbol.name, *map(values.__getitem__, atom.symbol.arguments))
            for atom in control.symbolic_atoms
        }
    return answer


def _collector(answer: Answer, most: int, failures: list[Failure]) -> Observer:
    """What receives the ground rules from clingo.

    clingo raises exceptions of ours again as `type(error)(text)`, which suits few: they go to `failures` instead.
    """
    from clingo import Observer

    choices, facts = answer["choices"], answer["facts"]
    heads, literals, starts = answer["heads"], answer["literals"], answer["starts"]

    class Collector(Observer):
        def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
            if choice:
                choices.update(head)
            elif not body:
                facts.update(head)
            elif len(heads) >= most:
                failures.append(("limit", "size", f"{most:,} ground rules"))
                raise RuntimeError("too many ground rules")
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
