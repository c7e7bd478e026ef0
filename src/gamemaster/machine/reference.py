"""The reference machine: every question about a state goes to the reference reasoner."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, Self, TypeVar

from gamemaster.errors import RulesError
from gamemaster.ground.budget import Limits
from gamemaster.ground.reasoner import Reasoner, Situation
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Compound, Term, Value, term_of
from gamemaster.machine.game import Game, Machine, State
from gamemaster.machine.mistakes import no_reward, reward_of

__all__ = ["ReferenceGame", "ReferenceState", "declared_actions"]

Answer = TypeVar("Answer")


class ReferenceState(State):
    """A state as its facts in order; answers are kept once they have been asked for."""

    __slots__ = ("_answers", "_situation", "_values")

    game: ReferenceGame

    def __init__(self, game: ReferenceGame, values: tuple[Value, ...], step: int) -> None:
        self.game = game
        self.step = step
        self._values = values
        self._situation: Situation | None = None
        self._answers: dict[Any, Any] = {}

    def _ask(
        self, name: str, *args: Value | None, moves: tuple[tuple[Value, Value], ...] = ()
    ) -> list[tuple[Any, ...]]:
        """The answers of the rules about this state."""
        if self._situation is None:
            self._situation = Situation(self._values)
        return self.game.reasoner.answers(name, args, self._situation, moves)

    def _remember(self, key: Hashable, compute: Callable[[], Answer]) -> Answer:
        if key not in self._answers:
            self._answers[key] = compute()
        answer: Answer = self._answers[key]
        return answer

    @property
    def ordered_facts(self) -> tuple[Term, ...]:
        """The facts in the order in which the rules give them."""
        return self._remember("facts", lambda: tuple(map(term_of, self._values)))

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._remember("terminal", lambda: bool(self._ask("terminal")))

    def legal_moves(self, role: str) -> tuple[Term, ...]:
        """The moves that the rules allow the role, in the order in which they are found."""
        legal: tuple[Term, ...] | None
        try:
            legal = self._answers.get(("legal", role))
        except TypeError:  # no role can be that; who asks is told so
            legal = None
        if legal is None:
            self.game.check_role(role)
            legal = self._answers["legal", role] = self._legal(role)
        return legal

    def _legal(self, role: str) -> tuple[Term, ...]:
        return tuple(term_of(move) for (move,) in self._ask("legal", self.game.role_values[role], None))

    def goal(self, role: str) -> int | None:
        """The role's reward, or None where the rules give none; of several the lowest counts."""
        goals = self.goals(role)
        return goals[0] if goals else None

    def goals(self, role: str) -> tuple[int, ...]:
        """Every reward that the rules give the role here, the lowest first."""
        self.game.check_role(role)
        rows = self._ask("goal", self.game.role_values[role], None)
        return tuple(sorted({self._reward(role, value) for (value,) in rows}))

    def _reward(self, role: str, value: Value) -> int:
        reward = reward_of(value) if isinstance(value, str) else None
        if reward is None:
            raise no_reward(self.game, role, term_of(value))
        return reward

    def _successor(self, moves: tuple[Term | None, ...]) -> Self:
        values = tuple(fact for (fact,) in self._ask("next", None, moves=self._made(moves)))
        return type(self)(self.game, values, self.step + 1)

    def _made(self, moves: tuple[Any, ...]) -> tuple[tuple[Value, Value], ...]:
        """The rows of does(role,move)."""
        roles = self.game.role_values.values()
        return tuple((role, move) for role, move in zip(roles, moves, strict=True) if move is not None)

    def _percepts(self, moves: tuple[Term | None, ...]) -> dict[str, frozenset[Term]]:
        made = self._made(moves)
        if not self.game.has_percepts:
            seen = frozenset(Compound(("does", term_of(role), move)) for role, move in made)
            return dict.fromkeys(self.game.roles, seen)
        rows = {
            role: self._ask("sees", value, None, moves=made) for role, value in self.game.role_values.items()
        }
        return {role: frozenset(term_of(percept) for (percept,) in found) for role, found in rows.items()}


class ReferenceGame(Game):
    """A game whose states ask the reference reasoner."""

    def __init__(
        self, sheet: Rules, rules: Rules, name: str, limits: Limits | None = None, reason: str = "asked for"
    ) -> None:
        super().__init__(sheet, name)
        self.rules = rules
        self.machine = Machine("reference", reason)
        self.limits = limits
        self.reasoner = Reasoner(rules, limits)
        if not self.roles:
            place = rules.source.place(0)
            raise RulesError("the rules name no role", place, hint="add a fact such as role(robot)")

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The roles in rule order."""
        return tuple(self.role_values)

    @cached_property
    def role_values(self) -> dict[str, Value]:
        """The name of each role and the term it is in the rules."""
        rows = self.reasoner.answers("role", (None,), Situation(()))
        return {str(term_of(role)): role for (role,) in rows}

    def initial_state(self) -> ReferenceState:
        """Where the game starts."""
        return self._initial

    @cached_property
    def _initial(self) -> ReferenceState:
        rows = self.reasoner.answers("init", (None,), Situation(()))
        return ReferenceState(self, tuple(fact for (fact,) in rows), 0)

    def _state(self, facts: tuple[Term, ...], step: int) -> ReferenceState:
        values: tuple[Any, ...] = facts  # terms are values
        return ReferenceState(self, values, step)

    def __reduce__(self) -> tuple[object, ...]:
        return (ReferenceGame, (self.sheet, self.rules, self.name, self.limits, self.machine.reason))


def declared_actions(reasoner: Reasoner) -> list[Term]:
    """The actions that a sheet declares possible, in its order: `action` of Epilog, or `input`."""
    name, args = ("action", (None,)) if ("action", 1) in reasoner.relations else ("input", (None, None))
    rows = reasoner.answers(name, args, Situation(()))
    return [term_of(action) for action in dict.fromkeys(row[-1] for row in rows)]
