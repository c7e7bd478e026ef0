"""Programs of `models.py` as sheets of which somebody asks something, and what is answered: for rewriters of rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.notation import read
from gamemaster.language.rules import Rules
from gamemaster.language.source import Source
from tests.ground.models import Program

__all__ = ["answers_before_and_after", "rules_of", "sheet_of"]


def rules_of(text: str) -> Rules:
    return read(Source("test", text), "hrf")


def sheet_of(program: Program, constant: str) -> Rules:
    """The program, its facts as those of a start, and questions about each relation, most with a constant in them."""
    lines = [program.text, "role(a)"]
    for name, args in program.given:
        fact = f"{name}({','.join(args)})" if args else name
        lines.append(f"init({fact})" if program.kinds[name] == "state" else f"legal({','.join(args)})")
    for name, arity in program.arities.items():
        if program.kinds[name] == "rules":
            asked = {0: "", 1: f"({constant})", 2: f"({constant},Y)"}[arity]
            lines.append(f"sees(a,t({name},{'Y' if arity == 2 else constant})) :- {name}{asked}")
    *_, whole = (name for name in program.arities if program.kinds[name] == "rules")
    asked = {0: "", 1: "(X)", 2: "(X,Y)"}[program.arities[whole]]
    lines.append(f"goal(a,{'X' if asked else '1'}) :- {whole}{asked}")
    return rules_of("\n".join(lines))


def answers_before_and_after(
    program: Program, constant: str, change: Callable[[Rules], Rules]
) -> list[dict[str, set[tuple[Any, ...]]]]:
    """What follows in the program's state from its rules as they are, and as a rewriter leaves them."""
    rules = sheet_of(program, constant)
    situation = Situation([(n, *args) if args else n for n, args in program.facts_of_kind("state")])
    moves: list[Any] = [args for _, args in program.facts_of_kind("moves")]
    return [
        {name: set(Reasoner(each).answers(name, (None, None), situation, moves)) for name in ("sees", "goal")}
        for each in (rules, change(rules))
    ]
