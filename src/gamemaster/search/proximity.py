"""How near a state is to a role's best goal: fuzzy logic over the ground rules.

    truth(fact)      1 where it holds, else 0
    truth(not a)     1 - truth(a)
    truth(a & b)     the mean of both: the share of the conditions that hold
    truth(view)      the truth of the best of its rules

100 times truth(goal(role, best)), where `best` is the highest goal that the rules have for the role. The mean, where
Fluxplayer takes a t-norm, keeps one false condition from hiding that all others hold. A view that depends on itself
counts in its own rules as far as it was found before: such rules are taken once, not to their fixed point.

Source: Schiffel & Thielscher 2007, Fluxplayer: A Successful General Game Player.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from gamemaster.errors import GamemasterError, Unsuitable
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.program import Program
from gamemaster.language.lower import lower
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State

__all__ = ["Proximity", "program_of", "proximity_of"]

LIMITS = GroundLimits(seconds=5.0, patience=1)
"""Rules that take longer to ground are no help in a game with a clock."""

_programs: WeakKeyDictionary[Game, Program] = WeakKeyDictionary()
_proximities: WeakKeyDictionary[Game, dict[str, Proximity]] = WeakKeyDictionary()


def program_of(game: Game) -> Program:
    """The ground rules of a game, made once; Unsuitable where they cannot be grounded."""
    if game not in _programs:
        try:
            _programs[game] = ground(lower(game.sheet, in_order=False), LIMITS)
        except GamemasterError as error:
            raise Unsuitable(f"{game.name} has no ground rules to evaluate by: {error}") from error
    return _programs[game]


def proximity_of(game: Game, role: str) -> Proximity:
    """What measures how near a role is to its goal, made once for each game."""
    of_role = _proximities.setdefault(game, {})
    if role not in of_role:
        game.check_role(role)
        of_role[role] = Proximity(program_of(game), role)
    return of_role[role]


class Proximity:
    """The rules that a role's best goal rests on, those needed first first."""

    def __init__(self, program: Program, role: str) -> None:
        self.atom_of_fact: dict[Term, int] = {
            args[0]: atom for args, atom in program.named.get("true", {}).items()
        }
        self.certain = dict.fromkeys(program.facts, 1.0)
        goals = {
            int(str(value)): atom
            for (whose, value), atom in program.named.get("goal", {}).items()
            if str(whose) == role and str(value).isdigit()
        }
        self.goal = goals[max(goals)] if goals else None
        self.views = [] if self.goal is None else _needed(program, self.goal)

    def __call__(self, state: State) -> float:
        """How near, 0 to 100."""
        truth = dict(self.certain)
        for fact in state.ordered_facts:
            if fact in self.atom_of_fact:
                truth[self.atom_of_fact[fact]] = 1.0
        for view, bodies in self.views:
            truth[view] = max(sum(_truths(body, truth)) / len(body) for body in bodies)
        return 100.0 * truth.get(self.goal, 0.0) if self.goal is not None else 0.0


def _truths(body: list[int], truth: dict[int, float]) -> list[float]:
    get = truth.get
    return [get(literal, 0.0) if literal > 0 else 1.0 - get(-literal, 0.0) for literal in body]


def _needed(program: Program, goal: int) -> list[tuple[int, list[list[int]]]]:
    """The views that a goal rests on with their rules, each after what it needs (except for itself)."""
    bodies: dict[int, list[list[int]]] = {}
    for head, body in program.rules():
        bodies.setdefault(head, []).append(body)
    for threshold in program.thresholds:  # how many of those hold that are counted
        bodies.setdefault(threshold.head, []).append(list(threshold.literals))
    order: list[tuple[int, list[list[int]]]] = []
    seen: set[int] = set()
    stack = [(goal, False)]
    while stack:
        atom, is_ready = stack.pop()
        if is_ready:
            order.append((atom, bodies[atom]))
        elif atom in bodies and atom not in seen and atom not in program.facts:
            seen.add(atom)
            stack.append((atom, True))
            stack += [(abs(literal), False) for body in bodies[atom] for literal in body]
    return order
