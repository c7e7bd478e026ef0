"""Core rules -> ground Program, by clingo, in a process of its own that has limits.

`clingo_process.py` begins the process, in which `grounding_child.py` does the work. A `Grounding` is
under way from the moment it is made, so that other work can be done meanwhile.
"""

from __future__ import annotations

import math
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gamemaster.errors import LimitExceeded, RulesError
from gamemaster.ground import grounding_child
from gamemaster.ground.asp import Translation, translate
from gamemaster.ground.blame import blame
from gamemaster.ground.bounds import Assumption
from gamemaster.ground.clingo_child import OUT_OF_TIME, Answer, Most, Request
from gamemaster.ground.clingo_process import Complaints, begin, is_out_of_memory, read_answer
from gamemaster.ground.program import Program
from gamemaster.ground.stratification import check_counting
from gamemaster.language.rules import Rules, formula_variables
from gamemaster.language.terms import Compound, Symbol, Term, Value, term_of, variables_of

if TYPE_CHECKING:  # numpy, which it needs, is imported while the child is at work
    from gamemaster.ground.aspif import GroundRules

__all__ = ["GroundLimits", "Grounding", "ground"]

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
    """How much grounding may cost.

    It is counted, so that the answer is the same on every machine, whatever else that has to do: `seconds` are as many
    as what is counted usually takes. A process that counts nothing for long is ended by a clock: first by that of its
    processor, and if it hangs, by that on the wall.
    """

    seconds: float = 60.0
    megabytes: int = 2_000
    rules: int = 5_000_000
    patience: float = math.inf  # how many times as long anybody waits for it; 1 where somebody has a clock

    def most(self) -> Most:
        """How much there may be of each kind, and which limit that is."""
        found = {}
        for kind, (name, count, seconds) in COUNTED.items():
            allowed = self.rules if kind == "rules" else count
            in_time = int(self.seconds / seconds)
            of_time = ("time", f"{self.seconds:g} s")
            found[kind] = (
                (in_time, *of_time) if in_time < allowed else (allowed, "size", f"{allowed:,} {name}")
            )
        return found


COUNTED = {
    "rules": ("ground rules", 5_000_000, 5e-6),
    "literals": ("literals in ground rules", 50_000_000, 5e-7),
    "always": ("atoms that always hold", 3_000_000, 6e-6),
    "choices": ("facts and moves", 600_000, 3e-5),
    "calls": ("results of builtins looked at", 3_000_000, 2e-5),
}
"""What is counted: how much of it there may be, and how many seconds one of them usually takes until it is read here.

Facts and moves are what costs most: each is named, put into order, and a bit of every state.
"""

HANGS = 900.0
"""After so many seconds on the wall a process is taken to hang, where nobody has a clock. That is not remembered."""

SLACK = 3.0
"""How many times as long a process may take as what it counts usually does, and its start."""

DEFAULT = GroundLimits()


def ground(rules: Rules, limits: GroundLimits | None = None, *, name_all: bool = False) -> Program:
    """The ground program of core rules; LimitExceeded when it costs too much. `name_all`: keep every atom's name."""
    return Grounding(rules, limits, name_all=name_all).result()


class Grounding:
    """Rules being grounded in a child process."""

    def __init__(self, rules: Rules, limits: GroundLimits | None = None, *, name_all: bool = False) -> None:
        check_counting(rules)
        self.rules = rules
        self.limits = limits or DEFAULT
        self.translation = translate(rules)
        self.deadline = time.monotonic() + min(HANGS, self.limits.seconds * self.limits.patience)
        self.name_all = name_all
        self.child = begin(grounding_child, _request(self.translation, self.limits, name_all))

    def result(self) -> Program:
        """The program, when the child is done; LimitExceeded when it costs too much."""
        rules, answer = self._answer()
        if (
            self.translation.steps and "error" in answer
        ):  # what seems to count steps may not: something else may
            self.translation = translate(self.rules, counts_steps=False)
            self.child = begin(grounding_child, _request(self.translation, self.limits, self.name_all))
            rules, answer = self._answer()
        return _program(self.rules, self.translation, rules, answer)

    def _answer(self) -> tuple[GroundRules, Answer]:
        """The rules that the child writes, and what it says; LimitExceeded when it costs too much."""
        from gamemaster.ground.aspif import read_rules

        with self.child as child:
            assert child.stdout
            assert child.stderr
            with Complaints(child.stderr) as complaints, _killed_at(self.deadline, child) as is_late:
                rules, rest = read_rules(child.stdout, self.limits.most())
                if isinstance(rest, tuple):
                    child.kill()
                    return rules, {"error": rest}
                errors = complaints.last()
        if is_late:
            raise self._too_much_time(is_lasting=False)  # others may have kept it from its work
        if child.returncode == -OUT_OF_TIME:
            raise self._too_much_time()
        is_short = is_out_of_memory(errors)
        if child.returncode < 0 or is_short:  # whoever ended it: who says so itself will do so again
            raise self._too_much("memory", f"{self.limits.megabytes} MB", is_lasting=is_short)
        if child.returncode:
            raise RuntimeError(f"the grounding process failed: {errors.decode(errors='replace')[-500:]}")
        return rules, read_answer(rest)

    def _too_much_time(self, *, is_lasting: bool = True) -> LimitExceeded:
        return self._too_much("time", f"{self.limits.seconds:g} s", is_lasting=is_lasting)

    def _too_much(self, what: str, allowed: str, *, is_lasting: bool) -> LimitExceeded:
        return blame(self.rules).error(what, allowed, is_lasting=is_lasting)


@contextmanager
def _killed_at(deadline: float, child: subprocess.Popen[bytes]) -> Iterator[list[bool]]:
    """End a process at a moment of the monotonic clock; not empty once that has happened."""
    is_late: list[bool] = []

    def kill() -> None:
        is_late.append(True)
        child.kill()

    timer = threading.Timer(max(0.01, deadline - time.monotonic()), kill)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    except BaseException:  # nobody waits for it any more
        child.kill()
        raise
    finally:
        timer.cancel()


def _request(translation: Translation, limits: GroundLimits, name_all: bool) -> Request:
    """What the child needs to know."""
    return {
        "text": translation.text,
        "named": [(r[0], name, r[1]) for r, name in translation.relations.items() if r in NAMED],
        "functors": {name: functor for functor, name in translation.functors.items()},
        "name_all": name_all,
        "proof": translation.proof,
        "assumed": translation.assumed,
        "seconds": SLACK * (1.0 + limits.seconds),
        "megabytes": limits.megabytes,
        "most": limits.most(),
    }


def _program(rules: Rules, translation: Translation, found: GroundRules, answer: Answer) -> Program:
    """The program of rules and of the child's answer, or the error it reports."""
    if "error" in answer:
        kind, *details = answer["error"]
        if kind == "limit":
            raise blame(rules).error(*details)
        raise _ungroundable(rules, translation, details[0])
    program = Program(
        facts=found.facts,
        choices=found.choices,
        heads=found.heads,
        starts=found.starts,
        literals=found.literals,
        thresholds=found.thresholds,
        stops=translation.stops,
        single=tuple(
            (each.functor, each.arity)
            for each in map(translation.claims.__getitem__, answer.get("proven", ()))
            if isinstance(each, Assumption)
        ),
        steps=translation.steps,
    )
    program.facts.update(answer["assumed"])
    naming = _Naming()
    for name, named in answer.pop("named").items():
        atoms = [(naming.args(args), literal, is_fact) for args, literal, is_fact in named]
        named.clear()  # there may be hundreds of thousands
        if name != "role":  # roles are facts, which come in the order of the sheet
            atoms.sort(key=lambda atom: naming.order(atom[0]))
        program.named[name] = {args: literal for args, literal, _ in atoms}
        program.facts.update(literal for _, literal, is_fact in atoms if is_fact)
    if translation.assumed or program.thresholds:
        undecided = [atom for name in ("init", "role") for atom in program.named.get(name, {}).values()]
        if not program.facts.issuperset(undecided):
            what = "roles and a start that are known before anything is counted or asked for"
            raise blame(rules).error("grounding", what)
    relations = {name: relation[0] for relation, name in translation.relations.items()}
    for literal, (name, *args) in answer.get("atoms", {}).items():
        relation = relations.get(name, name)
        program.atoms[literal] = Compound((relation, *map(term_of, args))) if args else Symbol(relation)
    return program


def _ungroundable(rules: Rules, translation: Translation, said: str) -> RulesError:
    """What clingo says of a line, at the rule that the line is of; of variables without values in our words."""
    line = re.search(r"<block>:(\d+):", said)
    rule = translation.origin.get(int(line[1]) - 1) if line else None
    place = rules.place(rule.span) if rule else rules.source.place(0)
    lacking = {each[1] for each in re.finditer(r"'V([A-Za-z0-9]\w*)' is unsafe", said)} if rule else set()
    of_rule = (
        [*variables_of(rule.head), *(v for part in rule.body for v in formula_variables(part))]
        if rule
        else []
    )
    named = [v for v in dict.fromkeys(of_rule) if str.__str__(v) in lacking]
    if not named:
        return RulesError(f"the rules cannot be grounded: {said}", place)
    shown = ", ".join(v.kif() if rules.notation == "kif" else str(v) for v in named)
    what = f"nothing in the rule gives {shown} its values, so the rules cannot be grounded (unsafe)"
    return RulesError(what, place, hint=f"add a condition, not negated, that gives {shown} its values")


class _Naming:
    """The arguments of atoms as terms, and the order in which people would list them.

    The same arguments come several times (a move is legal and made, a fact is true and next): what is found out about
    them is kept.
    """

    def __init__(self) -> None:
        self.terms: dict[Value, Term] = {}
        self.known: dict[Value, tuple[Term, ...]] = {}
        self.shown: dict[Term, str] = {}
        self.orders: dict[tuple[Term, ...], list[tuple[int, int, str]]] = {}

    def args(self, args: Value) -> tuple[Term, ...]:
        """Arguments as terms: the same ones for the same arguments."""
        found = self.known.get(args)
        if found is None:
            found = self.known[args] = tuple(map(self.term, args))
        return found

    def term(self, value: Value) -> Term:
        """A value as a term."""
        found = self.terms.get(value)
        if found is None:
            whole = (
                Compound((value[0], *map(self.term, value[1:])))
                if isinstance(value, tuple)
                else term_of(value)
            )
            found = self.terms[value] = whole
        return found

    def order(self, args: tuple[Term, ...]) -> list[tuple[int, int, str]]:
        """A key that puts cell(2,1) before cell(10,1)."""
        found = self.orders.get(args)
        if found is None:
            found = self.orders[args] = _natural_order(" ".join(map(self.text, args)))
        return found

    def text(self, term: Term) -> str:
        """How a term is printed; most are a functor with symbols, whose texts are known."""
        if (
            isinstance(term, tuple)
            and term[0] not in INFIX
            and not any(isinstance(p, tuple) for p in term[1:])
        ):
            return f"{self.text(Symbol(term[0]))}({','.join(map(self.text, term[1:]))})"
        found = self.shown.get(term)
        if found is None:
            found = self.shown[term] = str(term)
        return found


INFIX = frozenset({"and", "or", "not", "cons"})
"""Functors that are printed in other ways."""


def _natural_order(text: str) -> list[tuple[int, int, str]]:
    """A key by which numbers in texts are compared as numbers.

    That is by length and digits: Python reads none of more than some thousand digits.
    """
    pieces = re.findall(r"[0-9]+|[^0-9]+", text)
    digits = [piece.lstrip("0") if piece[0] in "0123456789" else None for piece in pieces]
    return [
        (1, 0, piece) if number is None else (0, len(number), number)
        for piece, number in zip(pieces, digits, strict=True)
    ]
