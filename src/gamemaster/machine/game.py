"""Game and State: what everything after the rules is written against.

A state is a value: it does not change, equals any other state of the same rules with the same facts, hashes,
copies and pickles, goes to JSON and back, and any state can be a start. A machine is a pair of classes that fill
in the abstract methods here.
"""

from __future__ import annotations

import hashlib
import json
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from gamemaster.errors import IllegalMove, NoSingleMove, ReadError, StateError, UnknownRole
from gamemaster.language.infix import read_term
from gamemaster.language.lower import lower
from gamemaster.language.notation import show
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Compound, Symbol, Term, Variable, term_of, variables_of
from gamemaster.machine.arguments import PlayoutOrder, clock_time, playout_order, shown, whole_number
from gamemaster.machine.kind import RANDOM, Dynamics, Kind
from gamemaster.machine.mistakes import dead_end, not_compiled
from gamemaster.machine.showing import Shown
from gamemaster.machine.statistics import PlayoutStats
from gamemaster.machine.stepwise import MAX_LENGTH, charge, perft, playouts, random_end, successors
from gamemaster.machine.weights import GivenWeights, checked_weights

if TYPE_CHECKING:
    from gamemaster.machine.batch import Batch
    from gamemaster.machine.compiled import CompiledGame
    from gamemaster.machine.dense import DenseRows
    from gamemaster.network.build import Circuit
    from gamemaster.network.invariants import Invariant

__all__ = [
    "MAX_LENGTH",
    "RANDOM",
    "Game",
    "Machine",
    "PlayoutStats",
    "State",
    "dead_end",
    "successors",
]

MOST_ROLES = 20
"""More roles than these are not listed in an error."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Which machine a game runs on, and why."""

    name: str
    reason: str

    def __str__(self) -> str:
        return self.name


class State(ABC):
    """A position of a game."""

    __slots__ = ("__weakref__", "_hash", "game", "step")

    game: Game
    step: int

    _draw: ClassVar[Callable[[State], str] | None] = None
    """What draws a state for notebooks; whoever loads all of the package puts it here."""

    # What a machine fills in

    @property
    @abstractmethod
    def ordered_facts(self) -> tuple[Term, ...]:
        """The facts in the order in which the rules give them."""

    @property
    @abstractmethod
    def is_terminal(self) -> bool:
        """Whether the game is over."""

    @abstractmethod
    def legal_moves(self, role: str) -> tuple[Term, ...]:
        """The moves that the rules allow the role: in the sheet's order on the reference machine, in the order
        in which people would list them on the compiled one.
        """

    @abstractmethod
    def goal(self, role: str) -> int | None:
        """The role's reward, 0 to 100, or None where the rules give none; of several the lowest counts."""

    @abstractmethod
    def goals(self, role: str) -> tuple[int, ...]:
        """Every reward that the rules give the role here, the lowest first: one, in a sheet without mistakes."""

    @abstractmethod
    def _successor(self, moves: tuple[Term | None, ...]) -> Self:
        """The state after legal moves in role order, None for a role that has none."""

    @abstractmethod
    def _percepts(self, moves: tuple[Term | None, ...]) -> dict[str, frozenset[Term]]:
        """What each role sees when these moves are made."""

    # What follows from it

    @property
    def facts(self) -> frozenset[Term]:
        """The facts that hold."""
        return frozenset(self.ordered_facts)

    def holds(self, fact: Term | str) -> bool:
        """Whether a fact holds, given as a term or as a text: `state.holds("cell(1,1,x)")`."""
        return self.game._fact_of(fact) in self.facts

    @property
    def control(self) -> str | None:
        """The role to move: the only one with a choice; None when several have one, or the game is over."""
        return self.game.control_of(self)

    @property
    def chooser(self) -> str | None:
        """Whose choice it is: the one role with a choice, or who moves where nobody has one.

        None where several choose at once, and where nobody can move.
        """
        movers = () if self.is_terminal else self.movers
        choosers = self.choosers if movers else ()
        if len(choosers) > 1 or not movers:
            return None
        return choosers[0] if choosers else self.control or movers[0]

    @property
    def choosers(self) -> tuple[str, ...]:
        """The roles that have a choice: more than one legal move. Chance may be one of them."""
        return tuple([role for role in self.game.roles if len(self.legal_moves(role)) > 1])

    @property
    def movers(self) -> tuple[str, ...]:
        """The roles that have a legal move here."""
        return tuple(role for role in self.game.roles if self.legal_moves(role))

    @property
    def is_over(self) -> bool:
        """Whether no step follows: the state is terminal, or nobody has a legal move."""
        return self.is_terminal or not self.movers

    @property
    def key(self) -> Hashable:
        """What tells states of one game apart in tables, as cheaply as the machine allows."""
        return self

    def next(self, moves: Mapping[str, Term | str] | Term | str) -> Self:
        """The state after a joint move {role: move}, or after one move where one role is in control."""
        return self._successor(self.joint(moves))

    def percepts(self, moves: Mapping[str, Term | str] | Term | str) -> dict[str, frozenset[Term]]:
        """What each role sees when these moves are made: GDL-II's sees, or all moves where rules have none."""
        return self._percepts(self.joint(moves))

    def joint(self, moves: Mapping[str, Term | str] | Term | str) -> tuple[Term | None, ...]:
        """A legal move for each role in role order, None for a role that has none; else IllegalMove."""
        given = self._completed(moves)
        for role in given:
            self.game.check_role(role)
        return tuple(self._checked(role, given.get(role)) for role in self.game.roles)

    def _completed(self, moves: Mapping[str, Term | str] | Term | str) -> Mapping[str, Term | str]:
        """The joint move that a single move stands for: roles without a choice make their only move."""
        if isinstance(moves, Mapping):
            return moves
        control = self.control
        if control is None:
            raise NoSingleMove(moves, self.movers, self.step)
        forced = {role: legal[0] for role in self.game.roles if len(legal := self.legal_moves(role)) == 1}
        return {**forced, control: moves}

    def _checked(self, role: str, move: Term | str | None) -> Term | None:
        legal = self.legal_moves(role)
        if move is None and not legal:
            return None
        term: Term | None = self.game.move_of(move)
        if term not in legal:
            raise IllegalMove("no move" if move is None else move, role, self.step, legal)
        return term

    def to_json(self) -> str:
        """The state as JSON text; `game.state_from_json` reads it."""
        facts = [str(fact) for fact in self.ordered_facts]
        return json.dumps({"rules": self.game.digest, "step": self.step, "facts": facts})

    def random_moves(self, generator: random.Random) -> dict[str, Term]:
        """A legal move for every role that has one, each equally likely; GameIllDefined where nobody has one."""
        moves = {
            role: generator.choice(legal) for role in self.game.roles if (legal := self.legal_moves(role))
        }
        if not moves:
            raise dead_end(self)
        return moves

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game.digest == other.game.digest and self.facts == other.facts

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash: int = hash((self.game.digest, self.facts))
            return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (self.game, tuple(map(str, self.ordered_facts)), self.step))

    def __str__(self) -> str:
        return " ".join(map(str, self.ordered_facts))

    def __repr__(self) -> str:
        return f"<State step {self.step}: {self}>"

    def _repr_svg_(self) -> str | None:
        """The board, where notebooks show it."""
        draw = type(self)._draw
        return draw(self) if draw else None


def _restore(game: Game, facts: Sequence[str], step: int) -> State:
    return game.state(map(read_term, facts), step=step)


class Game(Shown, ABC):
    """A game: its roles and where it starts. `rules` are in the core language, `sheet` as they were written."""

    machine: Machine

    circuit: Circuit | None = None
    """The gates of the game, where it was compiled."""

    figures: Mapping[str, float] = {}
    """Sizes and seconds of what was made of the rules, for people; none where nothing was."""

    failures: Mapping[str, Exception] = {}
    """The jobs of the game that cannot be made, and why."""

    def __init__(self, sheet: Rules, name: str) -> None:
        self.sheet = sheet
        self.name = name

    @cached_property
    def rules(self) -> Rules:
        """The rules in the core language, whose order is that of the sheet."""
        return lower(self.sheet)

    # What a machine fills in

    @property
    @abstractmethod
    def roles(self) -> tuple[str, ...]:
        """The roles in rule order."""

    @abstractmethod
    def initial_state(self) -> State:
        """Where the game starts."""

    @abstractmethod
    def _state(self, facts: tuple[Term, ...], step: int) -> State:
        """The state with these ground facts, in this order."""

    # What follows from it

    @cached_property
    def digest(self) -> str:
        """A hash of the rules: states of equal rules can be equal."""
        return hashlib.sha256(show(self.rules, "hrf").encode()).hexdigest()[:16]

    @cached_property
    def has_percepts(self) -> bool:
        """Whether the rules say what each role sees (GDL-II)."""
        return any(isinstance(rule.head, tuple) and rule.head[0] == "sees" for rule in self.rules.rules)

    @property
    def compiled(self) -> CompiledGame | None:
        """This game, where it runs on the compiled machine: for whoever works on its bits."""
        return None

    @cached_property
    def kind(self) -> Kind:
        """What kind of game it is, as far as that is known at once."""
        return Kind(len(self.roles), RANDOM in self.roles, self.has_percepts, self._dynamics())

    def _dynamics(self) -> Dynamics | None:
        """How roles choose, where the machine knows it."""
        return "one role" if len(self.roles) == 1 else None

    def goal_terms(self, role: str) -> tuple[Term, ...]:
        """The goals that the rules have for a role; a variable among them where they leave open what it can be."""
        heads = (rule.head for rule in self.rules.rules if isinstance(rule.head, tuple))
        goals = (head for head in heads if head[0] == "goal" and len(head) == 3)
        return tuple(goal for _, whose, goal in goals if isinstance(whose, Variable) or str(whose) == role)

    def make_ready(self, job: str, seconds: float) -> bool:
        """Have made what a job takes; whether it is, after so long at most. Where nothing is compiled, nothing is."""
        del job, seconds
        return True

    def wait_for(self, job: str, seconds: float | None = None) -> bool:
        """Whether a job runs as fast as it ever will, after so long at most; at once, where nothing is compiled."""
        del job, seconds
        return True

    def state(self, facts: Iterable[Term | str], step: int = 0) -> State:
        """The state in which exactly these facts hold; texts are read as terms. StateError for what is no fact.

        Their order is kept, as moves may be found in it. Sets have none that is the same in every process, so their
        facts are put in the order of the alphabet.
        """
        if isinstance(facts, str | bytes) or not isinstance(facts, Iterable):
            raise StateError(f"facts must come as a collection of terms or texts, not as {shown(facts)}")
        ordered = sorted(facts, key=str) if isinstance(facts, Set) else facts
        terms = tuple(dict.fromkeys(map(self._fact_of, ordered)))
        return self._state(terms, whole_number("step", step, least=0))

    def _fact_of(self, fact: Term | str) -> Term:
        if not isinstance(fact, Term | str):
            raise StateError(f"fact {shown(fact)} is neither a term nor a text")
        try:
            term = fact if isinstance(fact, Term) else read_term(fact)
        except ReadError as error:
            raise StateError(f"fact {shown(fact)} cannot be read: {error.what}") from None
        if any(True for _ in variables_of(term)):
            raise StateError(f"fact {shown(str(fact))} has a variable; a state holds only values")
        return term

    def state_from_json(self, text: str) -> State:
        """The state that `state.to_json` wrote; StateError for any other text, or a state of other rules."""
        try:
            written = json.loads(text)
            digest, step, facts = written["rules"], written["step"], written["facts"]
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise StateError(f"not a state in JSON: {type(error).__name__} {error}") from None
        if digest != self.digest:
            raise StateError(f"a state of other rules: {digest!r}, these are {self.digest!r}")
        is_step = type(step) is int and step >= 0  # True is an int too
        if not is_step or not isinstance(facts, list) or not all(isinstance(fact, str) for fact in facts):
            raise StateError("not a state in JSON: step must be a number, facts a list of texts")
        return self.state(facts, step)

    def move_of(self, move: Term | str | None) -> Any:
        """A move as a term; a text is read as one, and stays a text where that fails. None for what can be none."""
        if move is None or isinstance(move, Term):
            return move
        if isinstance(move, tuple) and move:
            return term_of(move)
        if not isinstance(move, str):
            return None
        try:
            return read_term(move)
        except ReadError:
            return Symbol(move)

    def check_role(self, role: str) -> None:
        """Nothing, where the game has that role; else UnknownRole, which names those it has."""
        if not isinstance(role, str) or role not in self._role_names:
            roles = ", ".join(self.roles[:MOST_ROLES]) + ", ..." * (len(self.roles) > MOST_ROLES)
            raise UnknownRole(f"no role {shown(role)} in {self.name}; its roles: {roles}")

    @cached_property
    def _role_names(self) -> frozenset[str]:
        return frozenset(self.roles)

    def control_of(self, state: State) -> str | None:
        """See `State.control`."""
        if state.is_terminal:
            return None
        movers = state.movers
        choosers = [role for role in movers if len(state.legal_moves(role)) > 1]
        for candidates in (movers, choosers, self._marked(state, movers)):
            if len(candidates) == 1:
                return candidates[0]
        return None

    def _marked(self, state: State, movers: Sequence[str]) -> list[str]:
        """The roles that a fact control(role) names: by convention whose turn it is, where all moves are forced."""
        if any(len(state.legal_moves(role)) > 1 for role in movers):
            return []
        return [role for role in movers if Compound(("control", role)) in state.facts]

    def playouts(
        self,
        count: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        threads: int = 1,
        *,
        start: State | None = None,
        weights: GivenWeights | None = None,
    ) -> PlayoutStats:
        """Statistics of random games, as many as asked for, or as fit in the time, but one; one by default.

        They begin in the initial state, or in `start`: lengths count from there, and are 0 where that is terminal.
        `weights` {role: {move: weight}} make some moves more likely than others.
        """
        if start is not None:
            self.check_states([start])
        weighed = checked_weights(self, weights)
        return self._playouts(playout_order(count, seconds, seed, threads, start, weighed))

    def _playouts(self, order: PlayoutOrder) -> PlayoutStats:
        return playouts(self, order)

    @property
    def invariants(self) -> tuple[Invariant, ...]:
        """What holds in every state of play, as far as it is proven. Unsuitable where the rules are not compiled."""
        raise not_compiled(self, "the proof of invariants")

    @property
    def dense(self) -> DenseRows:
        """States as numbers that leave little out. Unsuitable where the rules are not compiled."""
        raise not_compiled(self, "what numbers states")

    def batch(
        self, count: int, seed: int = 0, start: State | Sequence[State] | None = None, resets: bool = True
    ) -> Batch:
        """So many games side by side, as arrays: see Batch. Unsuitable where the rules are not compiled."""
        raise not_compiled(self, "a batch")

    def random_game(
        self, generator: random.Random, max_length: int = MAX_LENGTH, start: State | None = None
    ) -> State:
        """The state at the end of a random game, or after `max_length` steps."""
        if start is not None:
            self.check_states([start])
        state = self.initial_state() if start is None else start
        return random_end(state, generator, whole_number("max_length", max_length, least=0), None)

    def charges(
        self, states: Sequence[State], seed: int = 0, deadline: float | None = None
    ) -> list[tuple[int, ...]]:
        """A depth charge from each state: what each role gets at the end of a random game from there.

        Where nobody can move that is nothing; where no end comes, or none before the deadline (on the clock of
        time.perf_counter), the goals of the last state count.
        """
        self.check_states(states)
        return self._charges(states, whole_number("seed", seed), clock_time("deadline", deadline))

    def _charges(self, states: Sequence[State], seed: int, deadline: float | None) -> list[tuple[int, ...]]:
        return self.charges_by_steps(states, seed, deadline)

    def charges_by_steps(
        self, states: Sequence[State], seed: int, deadline: float | None
    ) -> list[tuple[int, ...]]:
        """The same, one game after the other: every machine can do that at once. Nothing is checked."""
        generator = random.Random(seed)
        last = float("inf") if deadline is None else deadline
        return [charge(state, generator, last) for state in states]

    def check_states(self, states: Sequence[State]) -> None:
        """Nothing, where all are states of this game on this machine; else StateError, which names the first other."""
        if isinstance(states, str | bytes) or not isinstance(states, Sequence):
            raise StateError(
                f"states must come as a sequence of states of {self.name}, not as {shown(states)}"
            )
        for number, state in enumerate(states):
            if not isinstance(state, State):
                raise StateError(f"state {number} is {shown(state)}, not a state of {self.name}")
            if state.game is not self and not self._is_twin(state.game):
                other = f"{state.game.name} on the {state.game.machine} machine"
                hint = "; game.state(state.facts, state.step) takes it over" * (
                    state.game.digest == self.digest
                )
                raise StateError(
                    f"state {number} is of {other}, not of {self.name} on the {self.machine} machine{hint}"
                )

    def _is_twin(self, other: Game) -> bool:
        """Whether states of another object are states of this game: the same rules on the same machine."""
        return type(other) is type(self) and other.digest == self.digest

    def perft(self, depth: int) -> list[int]:
        """The number of joint-move sequences of length 1, 2, ..., depth from the initial state."""
        return self._perft(whole_number("depth", depth, least=0, most=MAX_LENGTH))

    def _perft(self, depth: int) -> list[int]:
        return perft(self.initial_state(), depth)

    def __str__(self) -> str:
        return f"{self.name}: {', '.join(self.roles)}"

    def __repr__(self) -> str:
        return f"<Game {self.name} on the {self.machine} machine>"
