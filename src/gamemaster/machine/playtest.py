"""Game -> what random play shows to be wrong with its rules.

Some mistakes are not in any one rule: a role that cannot move, an end without a result, play without an end. They
are looked for by playing at random within a budget, and each kind is reported once, with the moves that lead there.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from gamemaster.errors import GameIllDefined, GamemasterError, LimitExceeded, Place, RulesError
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.findings import Finding, Severity
from gamemaster.language.rules import Relation, relation_of
from gamemaster.language.terms import data_of
from gamemaster.machine.game import Game, State
from gamemaster.machine.mistakes import role_hint, stranger_in_control

__all__ = ["MAX_STEPS", "Played", "Playtest", "playtest"]

MAX_STEPS = 500
"""A random game longer than this is taken as one that does not end."""

SHOWN_MOVES = 6


@dataclass(frozen=True, slots=True)
class Played:
    """What the random games were like."""

    games: int
    ended: int
    mean_length: float
    mean_goals: tuple[float, ...]
    branching: float


@dataclass
class Playtest:
    """Findings of random play and its figures."""

    findings: dict[str, Finding] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)
    ended: int = 0
    goals: list[list[int]] = field(default_factory=list)
    choices: int = 0
    states: int = 0

    @property
    def played(self) -> Played:
        """The figures, in means."""
        games = len(self.lengths)
        means = (
            tuple(sum(column) / len(column) for column in zip(*self.goals, strict=True)) if self.goals else ()
        )
        mean_length = sum(self.lengths) / games if games else 0.0
        return Played(games, self.ended, mean_length, means, self.choices / max(1, self.states))


def playtest(game: Game, *, seconds: float = 5.0, seed: int = 0, max_steps: int = MAX_STEPS) -> Playtest:
    """Random games for about that many seconds, at least one, and what they showed."""
    return _Tester(game, seconds, seed, max_steps).run()


class _Tester:
    """Plays, and notes each kind of mistake once."""

    MAX_GAMES = 1_000

    def __init__(self, game: Game, seconds: float, seed: int, max_steps: int) -> None:
        self.game = game
        self.deadline = time.monotonic() + seconds
        self.generator = random.Random(seed)
        self.max_steps = max_steps
        self.result = Playtest()
        self.line: list[str] = []
        reasoner = Reasoner(game.rules)
        self.declared_facts = {row[0] for row in reasoner.answers("base", (None,), Situation(()))}
        self.declared_moves = set(reasoner.answers("input", (None, None), Situation(())))

    def run(self) -> Playtest:
        result = self.result
        try:
            while not result.lengths or (
                time.monotonic() < self.deadline and len(result.lengths) < self.MAX_GAMES
            ):
                self.play()
        except RulesError as error:
            place = error.place or self.place(("legal", 2))
            self.note(error.code, "error", error.what, place, error.hint)
        except LimitExceeded as error:
            hint = "bound what the rule can produce"
            self.note("limit", "error", f"{error}{self.after()}", self.place(("next", 1)), hint)
        except GameIllDefined as error:
            place = error.place or self.place(("goal", 2))
            self.note("goal-value", "error", error.what, place, error.hint or "write 0 to 100")
        except GamemasterError as error:
            self.note("goal-value", "error", str(error), self.place(("goal", 2)), "write 0 to 100")
        if result.lengths and not result.ended and max(result.lengths) >= self.max_steps:
            message = f"none of {len(result.lengths)} random games ended within {self.max_steps} steps"
            self.note(
                "endless",
                "error",
                message,
                self.place(("terminal", 0)),
                "add a step counter that ends the game",
            )
        elif result.lengths and max(result.lengths) >= self.max_steps:
            message = (
                f"{len(result.lengths) - result.ended} of {len(result.lengths)} random games went on for "
            )
            message += f"{self.max_steps} steps"
            self.note(
                "endless",
                "warning",
                message,
                self.place(("terminal", 0)),
                "add a step counter that ends the game",
            )
        return result

    def play(self) -> None:
        """One random game."""
        state = self.game.initial_state()
        self.line = []
        self.check_start(state)
        while not state.is_terminal and state.step < self.max_steps:
            if self.result.lengths and time.monotonic() > self.deadline:
                return  # half a game says nothing about length
            self.check_facts(state)
            if not self.check_moves(state):
                break
            self.check_goals_on_the_way(state)
            moves = state.random_moves(self.generator)
            self.line.append(" ".join(str(move) for move in moves.values()))
            state = state.next(moves)
        self.check_facts(state)
        self.result.lengths.append(state.step)
        if state.is_terminal:
            self.result.ended += 1
            self.check_goals(state)

    # Checks

    def check_start(self, state: State) -> None:
        if state.is_terminal:
            message = "the initial state is terminal: nobody ever moves"
            self.note(
                "starts-terminal", "warning", message, self.place(("terminal", 0)), "check init and terminal"
            )

    def check_moves(self, state: State) -> bool:
        """Whether play can go on: everybody who must move can."""
        stuck = [role for role in self.game.roles if not state.legal_moves(role)]
        one_moves = self.game.sheet.notation == "epilog"
        self.result.states += 1
        self.result.choices += max(len(state.legal_moves(role)) for role in self.game.roles)
        self.check_declared_moves(state)
        if not stuck or (one_moves and len(stuck) < len(self.game.roles)):
            return True
        if (stranger := stranger_in_control(state)) and len(stuck) == len(self.game.roles):
            message = f"control({stranger}) holds{self.after()}, and {stranger} is no role: nobody can move"
            self.note(
                "unknown-role", "error", message, self.place(("role", 1)), role_hint(self.game, stranger)
            )
            return False
        who = "no role has" if len(stuck) == len(self.game.roles) else f"{', '.join(stuck)} has"
        none = "a" if who.startswith("no ") else "no"
        message = f"{who} {none} legal move in a state that is not terminal{self.after()}"
        hint = "add a move (noop, pass) for that case, or make the state terminal"
        self.note("no-move", "error", message, self.place(("legal", 2)), hint)
        return len(stuck) < len(self.game.roles)

    def check_goals(self, state: State) -> None:
        """Every role must have exactly one goal, from 0 to 100, at the end."""
        values = {role: state.goals(role) for role in self.game.roles}
        self.result.goals.append([goals[0] if goals else 0 for goals in values.values()])
        place = self.place(("goal", 2))
        for role, goals in values.items():
            if role == "random":
                continue
            if not goals:
                message = f"{role} has no goal in a terminal state{self.after()}"
                self.note("goal-missing", "error", message, place, "add a rule for the remaining cases")
            elif len(goals) > 1:
                several = " and ".join(map(str, goals))
                message = f"{role} has goals {several} in one terminal state{self.after()}"
                hint = f"make the conditions of the goal rules exclusive: {goals[0]} counts, the lowest"
                self.note("goal-double", "error", message, place, hint)
            elif not 0 <= goals[0] <= 100:
                message = f"{role} has goal {goals[0]}{self.after()}"
                self.note("goal-value", "warning", message, place, "goals go from 0 to 100")

    def check_goals_on_the_way(self, state: State) -> None:
        """Before the end a role may have a goal, which players take for a hint; two are a mistake."""
        if "goal-double" in self.result.findings:
            return
        for role in self.game.roles:
            with suppress(GameIllDefined):  # what is no number is told at the end, where it counts
                if len(goals := state.goals(role)) > 1:
                    several = " and ".join(map(str, goals))
                    message = f"{role} has goals {several} in one state before the end{self.after()}"
                    hint = f"make the conditions of the goal rules exclusive: {goals[0]} counts, the lowest"
                    self.note("goal-double", "warning", message, self.place(("goal", 2)), hint)

    def check_facts(self, state: State) -> None:
        if self.declared_facts:
            for fact in state.facts - self.declared_facts:
                message = f"{fact} holds{self.after()} but base does not declare it"
                self.note(
                    "undeclared",
                    "warning",
                    message,
                    self.place(("base", 1)),
                    "declare it, or drop all of base",
                )
                return

    def check_declared_moves(self, state: State) -> None:
        if not self.declared_moves:
            return
        for role in self.game.roles:
            for move in state.legal_moves(role):
                if (role, data_of(move)) not in self.declared_moves:
                    word = "action" if self.game.sheet.notation == "epilog" else "input"
                    message = f"{move} is legal for {role}{self.after()} but {word} does not declare it"
                    self.note("undeclared-move", "warning", message, self.place(("input", 2)), "declare it")
                    return

    # Notes

    def note(self, code: str, severity: Severity, message: str, place: Place, hint: str) -> None:
        """Keep the first finding of each kind; an error rather than a warning."""
        known = self.result.findings.get(code)
        if known is None or (known.severity == "warning" and severity == "error"):
            self.result.findings[code] = Finding(code, severity, message, place, hint)

    def after(self) -> str:
        """The moves that led here, shortened."""
        if not self.line:
            return " at the start"
        dots = "... " if len(self.line) > SHOWN_MOVES else ""
        return f" after {dots}{', '.join(self.line[-SHOWN_MOVES:])}"

    def place(self, relation: Relation) -> Place:
        """Where the sheet first speaks of a relation: a mistake of play belongs to all its rules."""
        for rule in self._rules_of(relation):
            return rule
        return self.game.sheet.source.place(0)

    def _rules_of(self, relation: Relation) -> Iterator[Place]:
        names = {relation} | ({("legal", 1)} if relation == ("legal", 2) else set())
        names |= {("action", 1)} if relation == ("input", 2) else set()
        for rule in self.game.sheet.rules:
            if relation_of(rule.head) in names:
                yield self.game.sheet.place(rule.span)
