"""Plan finder: the rules with a time argument, as a logic program for which clingo finds a shortest plan.

Every relation that depends on the state gets the step as a further argument; the state to plan from, one legal move in
each step and what holds next make the rest (Thielscher 2009, "Answer Set Programming for Single-Player Games in General
Game Playing"):

    true(F,0) for the facts of the state.   true(F,T+1) :- next(F,T).   1 {does(R,A,T) : legal(R,A,T)} 1.

The horizon grows step by step, each adding to what clingo knows already, until some play of that length is terminal
with a goal of at least `enough`. When no play is as long as the horizon there is no such plan: then the next lower goal
is tried, and what is found is proven to be the best. So a plan is a shortest one for its goal.

clingo runs in a process of its own (`planner_child.py`), which is ended with the budget; its start takes about 0.1 s.
A node is a step of the horizon, or a dead end that clingo turns back from. A budget without limits is 10 s. Also a
forced move is planned: the line is wanted.

Assumes: one role. Refuses: games with more, and rules that do not translate, such as those that count answers.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from dataclasses import replace

from gamemaster.errors import LimitExceeded, Unsuitable
from gamemaster.ground.asp import CHOICES, Translation, translate
from gamemaster.ground.atoms import atoms_of, needed_by
from gamemaster.ground.clingo_child import Answer, Request
from gamemaster.ground.clingo_process import begin, is_out_of_memory, read_answer
from gamemaster.language.builtins import AGGREGATES, builtins_of
from gamemaster.language.rules import And, Atom, Formula, Not, Or, Relation, Rule, Rules, name_of, relation_of
from gamemaster.language.terms import Compound, Symbol, Term, Variable, data_of, term_of
from gamemaster.machine.game import State
from gamemaster.search.budget import Budget, Meter
from gamemaster.search.goals import goals_in
from gamemaster.search.playouts.batches import worth
from gamemaster.search.puzzles import planner_child
from gamemaster.search.puzzles.puzzle import Best, check_puzzle, limited
from gamemaster.search.result import SearchResult

__all__ = ["plan", "search", "timed_request"]

NEEDED = (("legal", 2), ("next", 1), ("goal", 2), ("terminal", 0))
"""What a plan is about; other rules are left out unless these depend on them."""

TIMED = frozenset({*NEEDED, ("true", 1), ("does", 2)})
STEP = Variable("Step@")
MOMENT: Relation = ("moment@", 1)  # @: no name in a sheet has it
NONE = Symbol("none")
DECLARED = tuple(
    Rule(Compound((name, *[NONE] * arity))) for name, arity in (MOMENT, ("true@", 2), ("does@", 3))
)
"""Rules that make these relations known, since a literal of an unknown one never holds; they are not kept."""

MEGABYTES = 2_000
PATIENCE = 0.05
"""So many seconds it waits for the child before it asks whether the answer is still wanted."""


def search(
    state: State, role: str, budget: Budget, seed: int = 0, *, enough: int = 100, horizon: int = 1_000
) -> SearchResult:
    """The first move of a shortest plan with at most `horizon` moves; the first legal move where none is found."""
    return plan(state, role, budget, seed, enough, horizon)


def plan(
    state: State,
    role: str,
    budget: Budget,
    seed: int = 0,
    enough: int = 100,
    horizon: int = 1_000,
    is_wanted: Callable[[], bool] = lambda: True,
) -> SearchResult:
    """The same, for whoever may lose interest: `is_wanted` is asked now and then, and ends it."""
    check_puzzle("planner", state, role)
    meter = limited(budget).start()
    best = Best(state, role)
    if state.is_terminal or not state.legal_moves(role):
        best.offer(worth(state, role), ())
        return best.result("planner", meter, is_proven=True)
    request = timed_request(state)
    if not is_wanted():
        return best.result("planner", meter, is_proven=False)
    most = goals_in(state.game, role).ceiling
    request |= {
        "enough": int(min(enough, most)),
        "horizon": horizon,
        "seed": seed % 2**31,
        "megabytes": MEGABYTES,
    }
    request["nodes"] = budget.nodes
    answer = _ask(request, meter, is_wanted)
    meter.nodes = answer.get("nodes", 0)
    if "error" in answer:
        raise _untranslated(state, answer["error"])
    moves = [term_of(move) for move in answer.get("plan", [])]
    if moves:
        best.offer(_value_of(moves, state, role), moves)
    is_proven = bool(moves) and (best.value >= most or answer["is_best"])
    return best.result("planner", meter, is_proven=is_proven)


def _value_of(plan: Iterable[Term], state: State, role: str) -> float:
    """What a plan comes to, by the machine: nothing where it does not end the game."""
    for move in plan:
        state = state.next({role: move})
    return float(state.goal(role) or 0) if state.is_terminal else 0.0


def _untranslated(state: State, reason: object) -> Unsuitable:
    return Unsuitable(f"planner cannot translate {state.game.name}: {reason}; take idastar or nested")


def _ask(request: Request, meter: Meter, is_wanted: Callable[[], bool]) -> Answer:
    """What the child process answers; nothing where it takes too long or too much memory, or nobody wants it."""
    with begin(planner_child, request) as child:
        while True:
            try:
                out, errors = child.communicate(timeout=min(PATIENCE, max(0.01, meter.left())))
                break
            except subprocess.TimeoutExpired:
                if meter.left() <= 0 or not is_wanted():
                    child.kill()
                    return {}
    if child.returncode > 0 and not is_out_of_memory(errors):
        raise RuntimeError(f"the planning process failed: {errors.decode(errors='replace')[-500:]}")
    return read_answer(out) if child.returncode == 0 else {}


# Rules with time


def timed_request(state: State) -> Request:
    """The program of plans from a state, as a request to the child; Unsuitable for rules that do not translate."""
    rules = _relevant(state.game.rules)
    builtins = (AGGREGATES | {"evaluate"}) & builtins_of(rules)
    for term in (term for rule in rules.rules for term in atoms_of(rule.body)):
        if name_of(term) in builtins:  # the formula in it would have to be of a step as well
            raise _untranslated(state, f"the rules have {name_of(term)}(...)")
    try:
        translation = translate(_with_time(rules, _timed_relations(rules)))
    except LimitExceeded as error:
        raise _untranslated(state, error) from None
    return _request(translation, state)


def _relevant(rules: Rules) -> Rules:
    """The rules on which a plan depends."""
    needed = needed_by(rules, NEEDED)
    return replace(rules, sentences=tuple(rule for rule in rules.rules if relation_of(rule.head) in needed))


def _used(parts: Iterable[Formula]) -> Iterable[Relation]:
    """The relations in a body."""
    for part in parts:
        match part:
            case Atom(term):
                yield relation_of(term)
            case Not(body):
                yield from _used([body])
            case And(inner) | Or(inner):
                yield from _used(inner)


def _timed_relations(rules: Rules) -> set[Relation]:
    """The relations that depend on the state."""
    timed = set(TIMED)
    grown = True
    while grown:
        found = {
            relation_of(rule.head)
            for rule in rules.rules
            if not timed.isdisjoint(_used(rule.body)) and relation_of(rule.head) not in timed
        }
        timed |= found
        grown = bool(found)
    return timed


def _with_time(rules: Rules, timed: set[Relation]) -> Rules:
    """The rules with a step in every atom that depends on it; `moment@` gives the step its value.

    A negation or disjunction gets the step too even if nothing in it depends on one: what `translate` makes of it may
    take values from literals around it that do.
    """
    moment = Atom(Compound((MOMENT[0], STEP)))
    known = timed | {relation_of(rule.head) for rule in rules.rules}

    def changed(part: Formula) -> Formula:
        match part:
            case Atom(term):
                return Atom(_stamped(term, timed), part.span)
            case Not(Atom(term)) if relation_of(term) in known:
                return Not(changed(part.body), part.span)
            case Not(body):
                return Not(And((moment, changed(body))), part.span)
            case Or(inner):
                return Or(tuple(And((moment, changed(one))) for one in inner), part.span)
            case And(inner):
                return And(tuple(map(changed, inner)), part.span)

    sentences = list(DECLARED)
    for rule in rules.rules:
        if relation_of(rule.head) in timed:
            rule = replace(rule, head=_stamped(rule.head, timed), body=(moment, *map(changed, rule.body)))
        sentences.append(rule)
    return replace(rules, sentences=tuple(sentences))


def _stamped(term: Symbol | Compound, timed: set[Relation]) -> Symbol | Compound:
    """An atom with the step as its last argument, under a name of its own."""
    if relation_of(term) not in timed:
        return term
    args = term[1:] if isinstance(term, tuple) else ()
    return Compound((f"{name_of(term)}@", *args, STEP))


def _request(translation: Translation, state: State) -> Request:
    """What the child needs: the program for all steps, the one for each step, and the names in both."""
    names = {name: translation.relation((f"{name}@", arity + 1)) for name, arity in TIMED}
    step = translation.term(STEP)
    moment = f"{translation.relation(MOMENT)}({step})"
    lines = translation.lines[len(CHOICES) + len(DECLARED) :]
    each = [f"{line[:-1]}, {step} = t." for line in lines if step in line]
    start = [f"{names['true']}({translation.term(data_of(fact))},0)." for fact in state.ordered_facts]
    return {
        "base": "\n".join([*start, *(line for line in lines if step not in line)]),
        "each": "\n".join(each).replace(moment, f"{step} = t"),
        "names": names,
        "functors": {name: functor for functor, name in translation.functors.items()},
    }
