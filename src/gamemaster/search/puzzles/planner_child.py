"""The process that plans: a program with steps comes in, a shortest plan goes out; see `planner.py` for both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gamemaster.ground.clingo_child import (
    Answer,
    Failure,
    PlainValue,
    PlainValues,
    Request,
    callbacks_for,
    serve,
)

if TYPE_CHECKING:
    from clingo import Model, Symbol

__all__ = ["find_plan", "main"]

STEP = """
{{{does}(R,A,t) : {legal}(R,A,t)}} 1 :- not {terminal}(t).
moved(t) :- {does}(R,A,t).
:- t > 0, not moved(t-1).
{true}(F,t) :- {next}(F,t-1).
"""
"""What each step adds: at most one move, one for sure in the step before, and what holds after it."""


def find_plan(request: Request) -> Answer:
    """A shortest plan for the highest goal that one exists for, `enough` counting as the highest; or an `error`."""
    enough: int | None = request["enough"]
    is_best, meter = False, _Meter(request["nodes"])
    try:
        while enough is not None:
            planner = _Planner(request, enough, meter)
            answer = planner.run()
            if answer:
                return {**answer, "is_best": is_best, "nodes": meter.nodes}
            enough = planner.next_goal()
            is_best = True
    except _OutOfNodes:
        pass
    return {"nodes": meter.nodes}


class _OutOfNodes(Exception):
    """The nodes that there may be are spent."""


class _Meter:
    """Counts nodes: a step of the horizon is one, and so is a dead end that clingo turns back from, its conflicts."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.nodes = 0

    def left(self) -> int | None:
        """How many nodes are left, None where there is no limit; _OutOfNodes where none are."""
        if self.most is not None and self.nodes >= self.most:
            raise _OutOfNodes
        return None if self.most is None else self.most - self.nodes


class _Planner:
    """A search for a plan with a goal of at least `enough`."""

    def __init__(self, request: Request, enough: int, meter: _Meter) -> None:
        import clingo

        self.clingo = clingo
        self.request, self.enough, self.meter = request, enough, meter
        self.messages: list[str] = []
        self.lower: set[int] = set()  # goals that are not enough
        self.is_exhausted = False
        self.values = PlainValues(request["functors"])
        options = ["--warn=none", f"--seed={request['seed']}"]
        self.control = clingo.Control(options, logger=lambda _, text: self.messages.append(text))

    def run(self) -> Answer:
        """A plan and its goal; nothing where there is none within the horizon; an `error` where it is wrong."""
        failures: list[Failure] = []
        program = self.request["base"] + self.request["each"]
        callbacks = callbacks_for(program, self.request["functors"], failures)
        try:
            self.control.add("base", [], self.request["base"])
            self.control.add("step", ["t"], self.request["each"] + STEP.format(**self.request["names"]))
            self.control.ground([("base", [])], context=callbacks)
            for step in range(self.request["horizon"] + 1):
                self.meter.left()
                self.meter.nodes += 1
                self.control.ground([("step", [self.clingo.Number(step)])], context=callbacks)
                if found := self._at(step):
                    return found
                if not self._has_model():
                    self.is_exhausted = True
                    break
        except RuntimeError as error:
            reasons = [*(" ".join(map(str, failure)) for failure in failures), *self.messages, str(error)]
            return {"error": " ".join(reasons[0].split())}
        return {}

    def next_goal(self) -> int | None:
        """The next lower goal, where all play was seen and there is one."""
        return max(self.lower, default=None) if self.is_exhausted else None

    def _at(self, step: int) -> Answer:
        """A plan of exactly so many moves, and its goal."""
        goals = {value: atom for value, atom in self._goals(step) if value >= self.enough}
        name = self.request["names"]["terminal"]
        over = self.clingo.Function(name, [self.clingo.Number(step)])
        for value in sorted(goals, reverse=True):
            plans: list[list[PlainValue]] = []
            look = partial(self._note_moves, plans, step)
            if self._has_model([(over, True), (goals[value], True)], look):
                return {"plan": plans[0], "goal": value}
        return {}

    def _has_model(
        self,
        assumed: Sequence[tuple[Symbol, bool]] = (),
        look: Callable[[Model], bool | None] | None = None,
    ) -> bool:
        """Whether there is a model, which is looked at; _OutOfNodes where it takes too many to find out."""
        left = self.meter.left()
        solving = self.control.configuration.solve
        assert not isinstance(solving, str | None)  # but a group of settings
        solving.solve_limit = "umax,umax" if left is None else f"{left},umax"
        found = self.control.solve(assumed, on_model=look)
        self.meter.nodes += int(self.control.statistics["solving"]["solvers"]["conflicts"])
        if found.satisfiable is None:
            raise _OutOfNodes
        return bool(found.satisfiable)

    def _goals(self, step: int) -> list[tuple[int, Symbol]]:
        """The goals that may be reached in a step, each with its atom; those that are not enough are noted."""
        found = []
        for atom in self.control.symbolic_atoms.by_signature(self.request["names"]["goal"], 3):
            _, value, moment = atom.symbol.arguments
            if moment.number == step and value.type.name == "String" and value.string.isdigit():
                found.append((int(value.string), atom.symbol))
        self.lower |= {value for value, _ in found if value < self.enough}
        return found

    def _note_moves(self, plans: list[list[PlainValue]], length: int, model: Model) -> None:
        """Note the moves of a plan, in order, as plain data."""
        name = self.request["names"]["does"]
        made = {
            symbol.arguments[2].number: symbol.arguments[1]
            for symbol in model.symbols(atoms=True)
            if symbol.name == name and len(symbol.arguments) == 3
        }
        plans.append([self.values[made[step]] for step in range(length)])


def main() -> None:
    """Answer one request."""
    serve(find_plan)
