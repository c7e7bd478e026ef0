"""Core rules -> ground Program, by clingo, in a process of its own that has limits.

`clingo_process.py` begins the process, in which `grounding_child.py` does the work. A `Grounding` is
under way from the moment it is made, so that other work can be done meanwhile.
"""

from __future__ import annotations

import re
import subprocess
import time
from dataclasses import dataclass

from gamemaster.errors import LimitExceeded, RulesError
from gamemaster.ground import grounding_child
from gamemaster.ground.asp import Translation, translate
from gamemaster.ground.clingo_child import OUT_OF_TIME, Answer, Request
from gamemaster.ground.clingo_process import begin, is_out_of_memory, read_answer
from gamemaster.ground.program import Program
from gamemaster.ground.sizes import counting_rule, largest_rule
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Compound, Symbol, Term, term_of

__all__ = ["GroundLimits", "Grounding", "ground", "ground_here"]

NAMED = frozenset(
    {
        ("role", 1),
        ("init", 1),
        ("true", 1),
        ("does", 2),
        ("legal", 2),
        ("next", 1),
        ("goal", 2),
        ("terminal", 0),
    }
    | {("sees", 2)}
)
"""The relations whose instances a game is made of."""


@dataclass(frozen=True, slots=True)
class GroundLimits:
    """How much grounding may cost: on a machine that has much else to do, it gets its seconds all the same."""

    seconds: float = 20.0  # of a processor
    megabytes: int = 2_000
    rules: int = 5_000_000
    patience: float = 6.0  # how many times as long anybody waits for it; 1 where somebody has a clock


DEFAULT = GroundLimits()


def ground(rules: Rules, limits: GroundLimits | None = None, *, name_all: bool = False) -> Program:
    """The ground program of core rules; LimitExceeded when it costs too much. `name_all`: keep every atom's name."""
    return Grounding(rules, limits, name_all=name_all).result()


def ground_here(rules: Rules, limits: GroundLimits, *, name_all: bool = False) -> Program:
    """The same in this process, which nothing ends: for tests, whose rules are known to be harmless."""
    translation = translate(rules)
    return _program(rules, translation, grounding_child.ground_text(_request(translation, limits, name_all)))


class Grounding:
    """Rules being grounded in a child process."""

    def __init__(self, rules: Rules, limits: GroundLimits | None = None, *, name_all: bool = False) -> None:
        self.rules = rules
        self.limits = limits or DEFAULT
        self.translation = translate(rules)
        self.deadline = time.monotonic() + self.limits.seconds * self.limits.patience
        self.child = begin(grounding_child, _request(self.translation, self.limits, name_all))

    def result(self) -> Program:
        """The program, when the child is done; LimitExceeded when it costs too much."""
        with self.child as child:
            try:
                out, errors = child.communicate(timeout=max(0.01, self.deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                raise self._too_much_time(is_lasting=False) from None  # others may have kept it from its work
        if child.returncode == -OUT_OF_TIME:
            raise self._too_much_time()
        is_short = is_out_of_memory(errors)
        if child.returncode < 0 or is_short:  # whoever ended it: who says so itself will do so again
            raise self._too_much("memory", f"{self.limits.megabytes} MB", is_lasting=is_short)
        if child.returncode:
            raise RuntimeError(f"the grounding process failed: {errors.decode(errors='replace')[-500:]}")
        return _program(self.rules, self.translation, read_answer(out))

    def _too_much_time(self, *, is_lasting: bool = True) -> LimitExceeded:
        return self._too_much("time", f"{self.limits.seconds:g} s", is_lasting=is_lasting)

    def _too_much(self, what: str, allowed: str, *, is_lasting: bool) -> LimitExceeded:
        return LimitExceeded(what, allowed, doing=_doing(self.rules), is_lasting=is_lasting)


def _doing(rules: Rules) -> str:
    """What was being done when a limit was reached, and which rule is to blame."""
    if counting := counting_rule(rules):
        return f"grounding the rules; numbers may grow without end at {rules.place(counting.span)}"
    largest = largest_rule(rules)
    return "grounding the rules" + (f"; the largest one is at {rules.place(largest.span)}" if largest else "")


def _request(translation: Translation, limits: GroundLimits, name_all: bool) -> Request:
    """What the child needs to know."""
    return {
        "text": translation.text,
        "named": [(r[0], name, r[1]) for r, name in translation.relations.items() if r in NAMED],
        "functors": {name: functor for functor, name in translation.functors.items()},
        "name_all": name_all,
        "seconds": limits.seconds,
        "megabytes": limits.megabytes,
        "rules": limits.rules,
    }


def _program(rules: Rules, translation: Translation, answer: Answer) -> Program:
    """The program that the child's answer describes, or the error it reports."""
    if "error" in answer:
        kind, *details = answer["error"]
        if kind == "limit":
            raise LimitExceeded(*details, doing=_doing(rules))
        raise RulesError(f"the rules cannot be grounded: {details[0]}", rules.source.place(0))
    program = Program(
        facts=answer["facts"],
        choices=answer["choices"],
        heads=answer["heads"],
        starts=answer["starts"],
        literals=answer["literals"],
    )
    for name, found in answer["named"].items():
        atoms = [(tuple(map(term_of, args)), literal, is_fact) for args, literal, is_fact in found]
        if name != "role":  # roles are facts, which come in the order of the sheet
            atoms.sort(key=lambda atom: _natural_order(atom[0]))
        program.named[name] = {args: literal for args, literal, _ in atoms}
        program.facts.update(literal for _, literal, is_fact in atoms if is_fact)
    relations = {name: relation[0] for relation, name in translation.relations.items()}
    for literal, (name, *args) in answer.get("atoms", {}).items():
        named = relations.get(name, name)
        program.atoms[literal] = Compound((named, *map(term_of, args))) if args else Symbol(named)
    return program


def _natural_order(args: tuple[Term, ...]) -> list[tuple[int, int, str]]:
    """A key that puts cell(2,1) before cell(10,1): the order in which people would list them.

    Numbers are compared by length and digits: Python reads none of more than some thousand digits.
    """
    pieces = re.findall(r"[0-9]+|[^0-9]+", " ".join(map(str, args)))
    digits = [piece.lstrip("0") if piece[0] in "0123456789" else None for piece in pieces]
    return [
        (1, 0, piece) if number is None else (0, len(number), number)
        for piece, number in zip(pieces, digits, strict=True)
    ]
