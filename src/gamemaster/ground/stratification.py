"""Ground program -> whether some atom depends on its own negation.

A sheet may look circular and not be: `goal(R,0) :- ~goal(R,100)` is fine for every value. Only the ground program
tells, and it is what decides.
"""

from __future__ import annotations

from gamemaster.ground.program import Program
from gamemaster.language.dependency import strongly_connected_components

__all__ = ["find_negative_cycle"]


def find_negative_cycle(program: Program) -> tuple[str, ...]:
    """The atoms of a cycle through negation, () where the program is stratified."""
    uses: dict[int, list[int]] = {}
    negative: list[tuple[int, int]] = []
    for head, body in program.rules():
        if head in program.choices or head in program.facts:
            continue
        for literal in body:
            if abs(literal) in program.choices:
                continue
            uses.setdefault(head, []).append(abs(literal))
            if literal < 0:
                negative.append((head, -literal))
    for threshold in program.thresholds:
        for literal in threshold.literals:
            uses.setdefault(threshold.head, []).append(abs(literal))
            negative.append((threshold.head, abs(literal)))
    components = strongly_connected_components(list(uses), lambda atom: uses.get(atom, ()))
    component_of = {atom: i for i, atoms in enumerate(components) for atom in atoms}
    for head, atom in negative:
        if atom in component_of and component_of.get(head) == component_of[atom]:
            return tuple(program.show_atom(number) for number in dict.fromkeys((head, atom)))
    return ()
