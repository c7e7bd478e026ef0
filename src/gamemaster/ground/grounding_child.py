"""The process that grounds: a program for clingo comes in; clingo writes the ground rules, and names follow.

See `clingo_grounder.py` for what comes in, and `aspif.py` for what goes out.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gamemaster.ground.clingo_child import Answer, Failure, PlainValues, Request, callbacks_for, serve

if TYPE_CHECKING:
    from clingo import Control

    from gamemaster.ground.asp import Callbacks
    from gamemaster.ground.proofs import Proof

__all__ = ["ground_text", "main"]

NO_NAMES = "\n#show."
"""Only rules are written: names are asked for."""

MOST_MESSAGES = 20

MOST_CONFLICTS, MOST_PROVING = 200_000, 50_000_000
"""How much work is done to prove that an assumption holds: so many conflicts, times so many rules, at most."""


def ground_text(request: Request) -> Answer:
    """The answer to a request: the named atoms, or an `error`. clingo writes the ground rules, for aspif.py."""
    import clingo

    messages: list[str] = []
    answers: list[Answer] = []

    class Grounder(clingo.Application):
        """clingo as a program that only grounds."""

        message_limit = MOST_MESSAGES

        def main(self, control: clingo.Control, files: Sequence[str]) -> None:
            try:
                answers.append(_answer(control, request, messages))
            except MemoryError:  # clingo would say nothing of it
                answers.append({"memory": None})

        def logger(self, code: clingo.MessageCode, message: str) -> None:
            messages.append(message)

    clingo.clingo_main(Grounder(), ["--mode=gringo", "--output=intermediate", "--warn=none"])
    (answer,) = answers
    if "memory" in answer:
        raise MemoryError
    return answer


def _answer(control: Control, request: Request, messages: list[str]) -> Answer:
    """The answer of clingo, once it has grounded."""
    failures: list[Failure] = []
    callbacks = callbacks_for(request["text"], request["functors"], failures, request["most"])
    try:
        control.add("base", [], request["text"] + NO_NAMES)
        control.ground([("base", [])], context=callbacks)
    except RuntimeError:
        if failures:
            return {"error": failures[0]}
        reason = " ".join(messages[0].split()) if messages else "no reason given"
        return {"error": ("rules", reason)}
    answer: Answer = {}
    if request["proof"]:
        (true,) = [name for named, name, _ in request["named"] if named == "true"]
        # a state may have any of the facts, whether or not they follow again in the step that is looked at
        states = "".join(f"\n{{{atom.symbol}}}." for atom in control.symbolic_atoms.by_signature(true, 1))
        answer["proven"] = _proven(request["text"] + states, request["proof"], callbacks)
        if answer["proven"] is None:
            return {"error": ("limit", "grounding", "numbers that something in the rules bounds")}
    return answer | _names(control, request)


def _names(control: Control, request: Request) -> Answer:
    """The atoms whose names somebody wants."""
    values = PlainValues(request["functors"])
    answer: Answer = {}
    answer["named"] = {
        name: [
            (tuple(map(values.__getitem__, atom.symbol.arguments)), atom.literal, atom.is_fact)
            for atom in control.symbolic_atoms.by_signature(program_name, arity)
        ]
        for name, program_name, arity in request["named"]
    }
    answer["assumed"] = [
        atom.literal
        for program_name, arity in request["assumed"]
        for atom in control.symbolic_atoms.by_signature(program_name, arity)
    ]
    if request["name_all"]:
        answer["atoms"] = {
            atom.literal: (atom.symbol.name, *map(values.__getitem__, atom.symbol.arguments))
            for atom in control.symbolic_atoms
        }
    return answer


def _proven(text: str, proof: Proof, callbacks: Callbacks | None) -> list[int] | None:
    """The claims that steps keep: those that one breaks are given up until none is broken; None if it is needed.

    So are those that are not needed where all together are too hard.
    """
    given, claims, needed = proof
    left = list(range(len(claims)))
    while (broken := _broken("\n".join([text, given, *(claims[i] for i in left)]), callbacks)) is not None:
        if not broken and len(left) > needed:  # too hard to tell: perhaps what is needed holds by itself
            left = left[:needed]
            continue
        left = [i for i in left if i not in broken]
        if not broken or left[:needed] != list(range(needed)):
            return None
    return left


def _broken(text: str, callbacks: Callbacks | None) -> set[int] | None:
    """The claims that some step breaks; None where none does, and an empty set where that is too hard to tell."""
    import clingo
    from clingo.configuration import Configuration

    class Count(clingo.Observer):
        """How many rules there are."""

        rules = 0

        def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
            if body and not choice:
                self.rules += 1

    count = Count()
    control = clingo.Control(["--warn=none"], logger=lambda *_: None)
    control.register_observer(count)
    control.add("base", [], text)
    control.ground([("base", [])], context=callbacks)
    conflicts = min(MOST_CONFLICTS, MOST_PROVING // (1 + count.rules))
    solving = control.configuration.solve
    assert isinstance(solving, Configuration)
    solving.solve_limit = str(conflicts)
    with control.solve(yield_=True) as answers:
        for model in answers:
            found = [symbol for symbol in model.symbols(atoms=True) if symbol.name == "broken"]
            return {symbol.arguments[0].number for symbol in found}
        return None if answers.get().unsatisfiable else set()


def main() -> None:
    """Answer one request."""
    gc.disable()  # this process makes no cycles and ends soon
    serve(ground_text)
