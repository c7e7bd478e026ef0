"""What grounding assumes -> the question to clingo whether it holds: is there a step that breaks it?

A claim is of states: a fact has one value at a time (`Assumption`), or counts the steps (`StepCounter`). It is proven
by induction: it holds at the start, which is known before, and no step from a state in which all hold breaks one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gamemaster.ground.asp_values import quoted
from gamemaster.ground.atoms import all_rules
from gamemaster.ground.bounds import Assumption, Bounds, StepBounds
from gamemaster.ground.counters import StepCounter
from gamemaster.language.rules import relation_of

if TYPE_CHECKING:
    from gamemaster.ground.asp import Translation

__all__ = ["Claim", "Proof", "claims_of", "proof_of"]

Claim: TypeAlias = Assumption | StepCounter


class Proof(NamedTuple):
    """What clingo is asked to prove what grounding assumes.

    `claims` are that a fact has one value at a time, each as what is assumed of a state and what must not come after
    it; those that are `needed` come first, and the others may help.
    """

    given: str
    claims: list[str]
    needed: int


def claims_of(bounds: Bounds, steps: StepBounds | None) -> list[Claim]:
    """What is to be proven, what is needed first; the rest may help."""
    needed = bounds.assumptions
    possible = bounds.possible if needed or steps else ()
    single = sorted(possible, key=lambda each: (each not in needed, str(each)))
    return [steps.counter, *single] if steps else [*single]


def proof_of(translation: Translation, bounds: Bounds, steps: StepBounds | None) -> Proof | None:
    """What clingo is asked to prove what grounding assumes; None where it assumes nothing."""
    claims = claims_of(bounds, steps)
    if not claims:
        return None
    does, legal = (translation.relation(each) for each in (("does", 2), ("legal", 2)))
    given = [
        f":- {does}(R,_), 2 <= #count{{A : {does}(R,A)}}.",
        f":- {legal}(R,_), 0 = #count{{A : {does}(R,A)}}.",
        ":- not broken(_).",
    ]
    if steps:  # somebody moves: see CompiledState
        given.append(f":- 0 = #count{{R,A : {does}(R,A)}}.")
    if any(relation_of(rule.head) == ("terminal", 0) for rule in all_rules(translation.rules)):
        given.append(f":- {translation.relation(('terminal', 0))}.")
    texts = [_text(translation, claim, number) for number, claim in enumerate(claims)]
    return Proof("\n".join(given), texts, len(bounds.assumptions) + bool(steps))


def _text(translation: Translation, claim: Claim, number: int) -> str:
    """What is assumed of a state, and what breaks the claim after it."""
    true, after = (translation.relation(each) for each in (("true", 1), ("next", 1)))
    if isinstance(claim, StepCounter):
        name = translation.functor(claim.functor, 1)
        pairs = [f"after({quoted(str(one))},{quoted(str(other))})." for one, other in claim.after]
        return "\n".join(
            [
                f":- 1 != #count{{V : {true}({name}(V))}}.",
                f"broken({number}) :- 1 != #count{{V : {after}({name}(V))}}.",
                f"broken({number}) :- {true}({name}(V)), {after}({name}(W)), not after(V,W).",
                *pairs,
            ]
        )
    name = translation.functor(claim.functor, claim.arity)
    keys = "".join(f"K{i}," for i in range(claim.arity - 1))
    lines = []
    for head, relation in (("", true), (f"broken({number}) ", after)):
        two = f"2 <= #count{{V : {relation}({name}({keys}V))}}"
        lines.append(f"{head}:- {relation}({name}({keys}_)), {two}.")
    return "\n".join(lines)
