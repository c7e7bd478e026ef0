"""The compiled machine: a state is a row of bits, and every question about it a call of machine code.

Facts and moves are those that can ever occur, in a fixed order; bit i of a state says whether fact i holds. Code runs
on the first tier at once; the machine code of a kernel is made in the background when it is worth it, and taken
over between two calls. `lanes.py` plays and answers for many states at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Self

import numpy as np

from gamemaster.codegen.code import Code
from gamemaster.codegen.kernel import Kernel, Rows, load_kernel
from gamemaster.errors import RulesError, StateError
from gamemaster.ground.budget import Limits
from gamemaster.language.builtins import number_of
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Compound, Term
from gamemaster.machine.arguments import PlayoutOrder
from gamemaster.machine.artifact import Artifact, make_artifact
from gamemaster.machine.background import Background
from gamemaster.machine.batch import Batch
from gamemaster.machine.dense import DenseRows
from gamemaster.machine.game import Game, Machine, PlayoutStats, State
from gamemaster.machine.improving import kept_improvement
from gamemaster.machine.invariants import find_invariants
from gamemaster.machine.kind import Dynamics
from gamemaster.machine.lanes import Lanes, clean
from gamemaster.machine.layout import FIRST_LEGAL, TERMINAL, Bits
from gamemaster.machine.mistakes import no_reward, reward_of
from gamemaster.machine.preparation import Preparation, prepare
from gamemaster.machine.stepwise import beginner_of
from gamemaster.machine.weighing import WeighedLanes, weight_table
from gamemaster.machine.workshop import LARGE, codes_made_elsewhere
from gamemaster.network.invariants import Invariant
from gamemaster.network.turns import find_turns

__all__ = ["CompiledGame", "CompiledState"]

NOT_SEEN = -1


class CompiledState(State):
    """A state as bits; what was observed of it is kept."""

    __slots__ = ("_legal", "_seen", "bits")

    game: CompiledGame

    def __init__(self, game: CompiledGame, bits: bytes, step: int) -> None:
        self.game = game
        self.bits = bits
        self.step = step
        self._seen = NOT_SEEN
        self._legal: dict[str, tuple[Term, ...]] = {}

    @property
    def seen(self) -> int:
        """What `observe` says of this state, as one number."""
        if self._seen == NOT_SEEN:
            self._seen = int.from_bytes(self.game.observe(self.bits), "little")
        return self._seen

    @property
    def ordered_facts(self) -> tuple[Term, ...]:
        """The facts that hold, in the machine's order."""
        facts = self.game.layout.facts
        return tuple(facts[i] for i in _set_bits(int.from_bytes(self.bits, "little")))

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return bool(self.seen & TERMINAL)

    def legal_moves(self, role: str) -> tuple[Term, ...]:
        """The moves that the rules allow the role, in the machine's order."""
        try:
            legal = self._legal.get(role)
        except TypeError:  # no role can be that; who asks is told so
            legal = None
        if legal is None:
            shift, mask, moves = self.game.legal_place(role)
            legal = tuple(moves[i] for i in _set_bits(self.seen >> shift & mask))
            self._legal[role] = legal
        return legal

    def goal(self, role: str) -> int | None:
        """The role's reward, or None where the rules give none; of several the lowest counts."""
        goals = self.goals(role)
        return goals[0] if goals else None

    def goals(self, role: str) -> tuple[int, ...]:
        """Every reward that the rules give the role here, the lowest first."""
        shift, mask, values = self.game.goal_place(role)
        found = [self._reward(role, values[i]) for i in _set_bits(self.seen >> shift & mask)]
        return tuple(found) if len(found) < 2 else tuple(sorted({*found}))

    def _reward(self, role: str, value: Term) -> int:
        reward = reward_of(value)
        if reward is None:
            raise no_reward(self.game, role, value)
        return reward

    @property
    def control(self) -> str | None:
        """The role to move: see State."""
        return self.game.control_in(self.seen) or self.game.control_of(self)

    @property
    def chooser(self) -> str | None:
        """Whose choice it is: see State. Who is alone to move, or to choose, is in control."""
        return self.game.control_in(self.seen) or super().chooser

    @property
    def key(self) -> bytes:
        """The bits."""
        return self.bits

    def next(self, moves: Mapping[str, Term | str] | Term | str) -> Self:
        """The state after a joint move {role: move}, or after one move where one role is in control."""
        if type(moves) is not dict:
            seen = self._seen if self._seen != NOT_SEEN else self.seen
            made = None if seen & TERMINAL else self.game.single_move(seen, moves)
            if made is not None:
                return type(self)(self.game, self.game.after(self.bits + made), self.step + 1)
        return self._successor(self.joint(moves))

    def _successor(self, moves: tuple[Term | None, ...]) -> Self:
        self._check_goes_on(moves)
        after = self.game.after(self.bits + self.game.move_bits(moves))
        return type(self)(self.game, after, self.step + 1)

    def _percepts(self, moves: tuple[Term | None, ...]) -> dict[str, frozenset[Term]]:
        game = self.game
        if not game.has_percepts:
            made = zip(game.artifact.circuit.roles, moves, strict=True)
            seen = frozenset(Compound(("does", role, move)) for role, move in made if move is not None)
            return dict.fromkeys(game.roles, seen)
        self._check_goes_on(moves)
        after = int.from_bytes(game.advance(self.bits + game.move_bits(moves)), "little")
        return {
            role: frozenset(percepts[i] for i in _set_bits(after >> start & mask))
            for role, (start, mask, percepts) in zip(game.roles, game.layout.percept_bits, strict=True)
        }

    def _check_goes_on(self, moves: tuple[Term | None, ...]) -> None:
        """StateError where the game is over, or nobody moves, and that is what bounds its numbers."""
        if self.game.artifact.circuit.steps and not any(move is not None for move in moves):
            raise StateError(
                f"nobody has a move in step {self.step} of {self.game.name}, where the compiled machine counts on one; "
                "the reference machine goes on"
            )
        if self.game.artifact.circuit.stops and self.is_terminal:
            raise StateError(
                f"{self.game.name} is over in step {self.step}, and the compiled machine knows no numbers beyond its "
                "end; the reference machine goes on"
            )

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CompiledState) and other.game is self.game:
            return self.bits == other.bits
        return super().__eq__(other)

    __hash__ = State.__hash__


def _set_bits(number: int) -> list[int]:
    """The positions of the ones in a number, the lowest first."""
    found = []
    while number:
        lowest = number & -number
        found.append(lowest.bit_length() - 1)
        number ^= lowest
    return found


class CompiledGame(Game):
    """A game whose states are bits."""

    def __init__(self, sheet: Rules, name: str, reason: str, preparation: Preparation) -> None:
        super().__init__(sheet, name)
        self.machine = Machine("compiled", reason)
        self.artifact: Artifact = make_artifact(preparation)
        if not self.roles:
            place = sheet.source.place(0)
            raise RulesError("the rules name no role", place, hint="add a fact such as role(robot)")
        self.kernels = {
            name: self._kernel(name, self.artifact.codes[name]) for name in ("observe", "advance")
        }
        self.background = Background(self.artifact.key, self.kernels)
        self._making = threading.Lock()
        self._makers: dict[str, threading.Thread] = {}
        self.failures: dict[str, Exception] = {}
        self.circuit, self.figures = self.artifact.circuit, self.artifact.figures
        self.observe = self._one("observe")
        self.advance = self._one("advance")
        self.layout = self.artifact.layout
        self._fact_index = {fact: i for i, fact in enumerate(self.layout.facts)}
        self._lay_out()

    def _kernel(self, name: str, code: Code) -> Kernel:
        """The kernel of a job, compiled if its machine code is on disk; LimitExceeded where it may cost too much."""
        key = f"{self.artifact.key} {name}"
        better = kept_improvement(self.artifact.key, name)
        if better is not None and better.code is not None:
            code = better.code
        self.artifact.check_work(code)
        return Kernel(code, load_kernel(key, code))

    def _one(self, name: str) -> Callable[[bytes], bytes]:
        return self.kernels[name].one(lambda: self.background.want(name))

    def _lay_out(self) -> None:
        """Tables for what single states are asked most: what a role's bits are, and the bits of a move."""
        layout = self.layout
        self._legal_places = dict(zip(self.roles, layout.legal_bits, strict=True))
        self._goal_places = dict(zip(self.roles, layout.goal_bits, strict=True))
        self._move_codes = [
            {term: start + i for i, term in enumerate(moves)} for start, _, moves in layout.move_bits
        ]
        self._role_moves = [mask << start for start, mask, _ in layout.move_bits]
        self._moves = layout.all_moves
        self._all_moves = (1 << layout.all_moves) - 1
        self._made: dict[int, bytes] = {}
        self._codes_of: dict[object, list[tuple[int, int]]] = {}
        for index, codes in enumerate(self._move_codes):
            for term, code in codes.items():
                self._codes_of.setdefault(term, []).append((index, code))
        self._state_bytes, self._odd_bits = layout.state_bytes, layout.odd_bits
        self._move_bytes = layout.joint_bytes

    @property
    def compiled(self) -> CompiledGame:
        """This game."""
        return self

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The roles in rule order."""
        return self.artifact.layout.roles

    def initial_state(self) -> CompiledState:
        """Where the game starts."""
        return self._initial

    @cached_property
    def _initial(self) -> CompiledState:
        return CompiledState(self, self._bits(self.artifact.init), 0)

    def _bits(self, indices: list[int]) -> bytes:
        return sum(1 << i for i in indices).to_bytes(self._state_bytes, "little")

    def _state(self, facts: tuple[Term, ...], step: int) -> CompiledState:
        unknown = [fact for fact in facts if fact not in self._fact_index]
        if unknown:
            raise StateError(
                f"fact {str(unknown[0])!r} can never hold in {self.name}; the reference machine takes it"
            )
        self._check_single(facts)
        self._check_steps(facts)
        self._check_lasting(facts)
        return CompiledState(self, self._bits([self._fact_index[fact] for fact in facts]), step)

    def _check_lasting(self, facts: tuple[Term, ...]) -> None:
        """StateError where a fact lacks that every state of the game has."""
        if lacking := [fact for fact in self.artifact.circuit.lasting if fact not in facts]:
            raise StateError(
                f"fact {str(lacking[0])!r} holds in every state of {self.name}; "
                "the reference machine takes a state without it"
            )

    def _check_single(self, facts: tuple[Term, ...]) -> None:
        """StateError for facts that no state of the game has together."""
        values: dict[tuple[object, ...], Term] = {}
        for fact in facts:
            if isinstance(fact, tuple) and (fact[0], len(fact) - 1) in self.artifact.circuit.single:
                other = values.setdefault(fact[:-1], fact)
                if other != fact:
                    raise StateError(
                        f"facts {str(other)!r} and {str(fact)!r} can never hold together in {self.name}; "
                        "the reference machine takes them"
                    )

    def _check_steps(self, facts: tuple[Term, ...]) -> None:
        """StateError for numbers that no game has after so many steps, where their count bounds what there is."""
        steps = self.artifact.circuit.steps
        if steps is None:
            return
        compounds = [fact for fact in facts if isinstance(fact, tuple)]
        counted = [fact[1] for fact in compounds if (fact[0], len(fact)) == (steps["counter"], 2)]
        if len(counted) != 1:
            raise StateError(
                f"a state of {self.name} has one fact {steps['counter']}(...), and these are {len(counted)}; "
                "the reference machine takes any"
            )
        rank = steps["ranks"].get(str(counted[0]), 0)
        for functor, arity, index, within in steps["within"]:
            low, high = within[rank]
            for fact in compounds:
                if (fact[0], len(fact) - 1) == (functor, arity):
                    number = number_of(str(fact[1 + index]))
                    if number is not None and not low <= number <= high:
                        raise StateError(
                            f"fact {str(fact)!r} can never hold together with {steps['counter']}({counted[0]}) in "
                            f"{self.name}; the reference machine takes them"
                        )

    def own(self, state: State) -> CompiledState:
        """A state as one of this game on this machine; StateError for any other."""
        if not isinstance(state, CompiledState):
            self.check_states([state])
        assert isinstance(state, CompiledState)
        return state

    def _dynamics(self) -> Dynamics | None:
        """How roles choose, as far as the gates prove it, or the first state shows it."""
        if not self._initial.is_terminal and len(self._initial.choosers) > 1:
            return "simultaneous"
        return "turn-taking" if find_turns(self.artifact.circuit) else super()._dynamics()

    def goal_terms(self, role: str) -> tuple[Term, ...]:
        """The goals that the rules have for a role."""
        return self.goal_place(role).terms

    def legal_place(self, role: str) -> Bits:
        """Where a role's legal moves stand in what is observed."""
        self.check_role(role)
        return self._legal_places[role]

    def goal_place(self, role: str) -> Bits:
        """Where a role's goals stand in what is observed."""
        self.check_role(role)
        return self._goal_places[role]

    # Moves

    def control_in(self, seen: int) -> str | None:
        """The role to move, from what is observed, where that says it: see State.control."""
        if seen & TERMINAL:
            return None
        legal, movers, chooser, choosers = seen >> FIRST_LEGAL, 0, None, 0
        for role, moves in zip(self.roles, self._role_moves, strict=True):
            own = legal & moves
            if own:
                movers += 1
                if movers == 1 or own & (own - 1):
                    chooser, choosers = role, choosers + (own & (own - 1) != 0)
        return chooser if movers == 1 or choosers == 1 else None

    def single_move(self, seen: int, move: object) -> bytes | None:
        """The bits of a move by the one role in control, others making their only move; None if that is not it."""
        try:
            codes = self._codes_of.get(move, ())
        except TypeError:  # a joint move, or nothing that a move can be
            return None
        for index, code in codes:
            if not seen >> code + FIRST_LEGAL & 1:
                continue
            legal = seen >> FIRST_LEGAL & self._all_moves
            others = legal & ~self._role_moves[index]
            if others & (others - 1) or (others and (legal ^ others).bit_count() < 2):
                return None  # somebody else has a choice, or nobody has: not this quick way
            made = self._made.get(code << self._moves | others)
            if made is None:
                joint = 1 << code | others | self._moved_by(1 << code | others)
                made = self._made[code << self._moves | others] = joint.to_bytes(self._move_bytes, "little")
            return made
        return None

    def _moved_by(self, joint: int) -> int:
        """The bits that say which roles move, where not all of them do."""
        if self.layout.everybody_moves:
            return 0
        return sum(1 << self._moves + i for i, moves in enumerate(self._role_moves) if joint & moves)

    def after(self, state_and_moves: bytes) -> bytes:
        """The bits of the next state."""
        return clean(self.advance(state_and_moves)[: self._state_bytes], self._odd_bits)

    def move_bits(self, moves: tuple[Term | None, ...]) -> bytes:
        """The bits of a joint move."""
        made = sum(1 << self._move_codes[i][move] for i, move in enumerate(moves) if move is not None)
        return (made | self._moved_by(made)).to_bytes(self._move_bytes, "little")

    # Many games

    def _perft(self, depth: int) -> list[int]:
        return self.lanes.perft(self._initial.bits, depth)

    @cached_property
    def lanes(self) -> Lanes:
        """The game for many states at a time."""
        self.kernel("play")
        return Lanes(self.artifact, self.kernels, self.background)

    @cached_property
    def invariants(self) -> tuple[Invariant, ...]:
        """Facts of which exactly one, or at most one, holds in every state of play; found when first asked for."""
        return find_invariants(self.artifact, lambda: self.lanes)

    @cached_property
    def dense(self) -> DenseRows:
        """States as numbers that leave little out, by the invariants."""
        return DenseRows(self.layout, self.invariants)

    def batch(
        self, count: int, seed: int = 0, start: State | Sequence[State] | None = None, resets: bool = True
    ) -> Batch:
        """So many games side by side, for arrays: see Batch."""
        return Batch(self, count, seed, start, resets)

    def state_of_row(self, row: Rows, step: int) -> CompiledState:
        """The state of a row of packed facts."""
        return CompiledState(self, clean(row.tobytes(), self._odd_bits), step)

    def wait_for(self, job: str, seconds: float | None = None) -> bool:
        """Wait for the machine code of a job, so long at most; whether it is there."""
        self.kernel(job)
        return self.background.wait(job, seconds)

    def kernel(self, job: str) -> Kernel:
        """The kernel of a job, made when first asked for."""
        if job not in self.kernels:
            self.kernels[job] = self._kernel(job, self._code(job))
        return self.kernels[job]

    def search_kernel(self, job: str) -> Kernel:
        """The kernel `expand`, `end` or `charge`, for searches; its machine code is asked for at once."""
        if job not in self.kernels:
            self.kernel(job)
            self.background.want(job)
        return self.kernels[job]

    def make_ready(self, job: str, seconds: float) -> bool:
        """Have the instructions of a job made in the background; whether they are there, after so long at most.

        Of a large game that takes a minute, the first time it is played. Nobody with a clock should wait for it. Where
        they cannot be made at all, `failures` says why.
        """
        if job not in self.artifact.codes:
            if job not in self._makers:
                self._makers[job] = threading.Thread(target=self._make, args=(job,), daemon=True)
                self._makers[job].start()
            self._makers[job].join(max(0.0, seconds))
        return job in self.artifact.codes

    def _make(self, job: str) -> None:
        try:
            if self.artifact.circuit.network.gates >= LARGE:
                self._have_made(job)
            self._code(job)
        except Exception as error:  # whoever asks for the kernel is told
            self.failures[job] = error

    def _have_made(self, job: str) -> None:
        """Have the instructions of a job made by another process."""
        with self._making:
            codes = None if job in self.artifact.codes else codes_made_elsewhere(self.artifact.key, job)
            if codes is not None:
                self.artifact.take_codes(codes)

    def _code(self, job: str) -> Code:
        """The instructions of a job, made once; those that are there are not kept waiting by others."""
        if job in self.artifact.codes:
            return self.artifact.codes[job]
        with self._making:
            return self.artifact.code(job)

    def _playouts(self, order: PlayoutOrder) -> PlayoutStats:
        start = self._initial if order.start is None else self.own(order.start)
        bits = None if order.start is None else start.bits
        lanes: Lanes = self.lanes
        if order.weights is not None:
            self.kernel("weigh")
            lanes = WeighedLanes(self.lanes, weight_table(self.layout, order.weights))
        return lanes.playouts(order, bits, beginner_of(start))

    def _charges(self, states: Sequence[State], seed: int, deadline: float | None) -> list[tuple[int, ...]]:
        """All of them at once."""
        bits = b"".join(state.bits for state in states if isinstance(state, CompiledState))
        rows = np.frombuffer(bits, np.uint8).reshape(len(states), self._state_bytes)
        return self.lanes.charges(rows, seed, deadline)

    def _is_twin(self, other: Game) -> bool:
        return isinstance(other, CompiledGame) and other.artifact.key == self.artifact.key

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.sheet, self.name, self.machine.reason, self.artifact.limits))


def _rebuild(sheet: Rules, name: str, reason: str, limits: Limits | None) -> CompiledGame:
    """The same game on the other side of a pickle."""
    return CompiledGame(sheet, name, reason, prepare(sheet, limits))
