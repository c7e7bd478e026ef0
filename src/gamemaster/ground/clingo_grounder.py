"""Core rules -> ground Program, by clingo, in a process of its own that has limits.

clingo cannot be interrupted from Python, and rules are untrusted; a child process can be killed. Run as a module,
this file is that child: a pickled request on standard input, a pickled answer on standard output.
"""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from gamemaster.errors import GamemasterError, LimitExceeded, RulesError
from gamemaster.ground.asp import Callbacks, Translation, translate
from gamemaster.ground.program import Program
from gamemaster.language.rules import Rules

__all__ = ["GroundLimits", "ground"]

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

OUT_OF_MEMORY = (b"bad_alloc", b"MemoryError", b"Cannot allocate memory")


@dataclass(frozen=True, slots=True)
class GroundLimits:
    """How much grounding may cost."""

    seconds: float = 20.0
    megabytes: int = 2_000
    rules: int = 5_000_000


DEFAULT = GroundLimits()


def ground(rules: Rules, limits: GroundLimits | None = None, *, name_all: bool = False) -> Program:
    """The ground program of core rules; LimitExceeded when it costs too much. `name_all`: keep every atom's name."""
    limits = limits or DEFAULT
    command = [sys.executable, "-m", "gamemaster.ground.clingo_grounder"]
    try:
        child = subprocess.run(
            command,
            input=pickle.dumps((rules, limits, name_all)),
            capture_output=True,
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LimitExceeded("time", f"{limits.seconds:g} s", doing="grounding the rules") from None
    if child.returncode < 0 or any(sign in child.stderr for sign in OUT_OF_MEMORY):
        raise LimitExceeded("memory", f"{limits.megabytes} MB", doing="grounding the rules")
    if child.returncode:
        raise RuntimeError(f"the grounding process failed: {child.stderr.decode(errors='replace')[-500:]}")
    answer = pickle.loads(child.stdout)
    if isinstance(answer, GamemasterError):
        raise answer
    assert isinstance(answer, Program)
    return answer


def ground_here(rules: Rules, limits: GroundLimits, *, name_all: bool = False) -> Program:
    """The ground program, computed in this process: only for rules known to be harmless."""
    import clingo

    translation = translate(rules)
    messages: list[str] = []
    control = clingo.Control(["--warn=none"], logger=lambda _, text: messages.append(text))
    program = Program()
    failures: list[GamemasterError] = []
    control.register_observer(_observer(clingo, program, limits, failures))
    callbacks = Callbacks(translation, clingo, failures)
    try:
        control.add("base", [], translation.text)
        control.ground([("base", [])], context=callbacks)
    except RuntimeError:
        if failures:
            raise failures[0] from None
        raise RulesError(
            f"the rules cannot be grounded: {_first_line(messages)}", rules.source.place(0)
        ) from None
    _name_atoms(program, translation, control.symbolic_atoms, callbacks.reader)
    if name_all:
        program.atoms = {atom.literal: callbacks.reader.atom(atom.symbol) for atom in control.symbolic_atoms}
    return program


def _name_atoms(program: Program, translation: Translation, atoms: Any, reader: Any) -> None:
    """Note which atoms the relations are made of that others ask about."""
    for relation, name in translation.relations.items():
        if relation in NAMED:
            found = [
                (tuple(map(reader.value, atom.symbol.arguments)), atom)
                for atom in atoms.by_signature(name, relation[1])
            ]
            if relation[0] != "role":  # roles are facts, which come in the order of the sheet
                found.sort(key=lambda entry: _natural_order(entry[0]))
            program.named[relation[0]] = {args: atom.literal for args, atom in found}
            program.facts.update(atom.literal for _, atom in found if atom.is_fact)


def _natural_order(args: tuple[Any, ...]) -> list[tuple[int, int, str]]:
    """A key that puts cell(2,1) before cell(10,1): the order in which people would list them."""
    pieces = re.findall(r"\d+|\D+", " ".join(map(str, args)))
    return [(0, int(piece), "") if piece.isdigit() else (1, 0, piece) for piece in pieces]


def _first_line(messages: list[str]) -> str:
    return " ".join(messages[0].split()) if messages else "no reason given"


def _observer(clingo: Any, program: Program, limits: GroundLimits, failures: list[GamemasterError]) -> Any:
    """What receives the ground rules from clingo.

    clingo raises our exceptions again as `type(error)(text)`, which suits few: they go to `failures` instead.
    """

    class Collector(clingo.Observer):  # type: ignore[misc]  # clingo's types are known only where it is imported
        def rule(self, choice: bool, head: list[int], body: list[int]) -> None:
            if choice:
                program.choices.update(head)
                return
            if len(program.heads) >= limits.rules:
                failures.append(
                    LimitExceeded("size", f"{limits.rules:,} ground rules", doing="grounding the rules")
                )
                raise RuntimeError("too many ground rules")
            for atom in head:
                program.add(atom, list(body))

    return Collector()


def _limit_memory(megabytes: int) -> None:
    """Let this process have only so much memory, where the system can do that."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    size = megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def main() -> None:
    """Answer one request."""
    rules, limits, name_all = pickle.loads(sys.stdin.buffer.read())
    _limit_memory(limits.megabytes)
    answer: Program | GamemasterError
    try:
        answer = ground_here(rules, limits, name_all=name_all)
    except GamemasterError as error:
        answer = error
    sys.stdout.buffer.write(pickle.dumps(answer))


if __name__ == "__main__":
    main()
