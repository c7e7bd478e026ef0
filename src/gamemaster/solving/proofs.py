"""Game -> a proof that a role gets so much, whatever the others do, as a strategy.

df-pn (search/native/dfpn.py) says that a goal can be had; `proof_graph.py` writes down the proof, and makes it small. A
`ProofStrategy` has every position that can come of it, with the move to make there. It is kept in a file with a digest
of the rules and a checksum; what a file says is still only believed after `check_strategy`, which trusts nothing.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from gamemaster.errors import StrategyError
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.search.budget import Budget
from gamemaster.search.native.dfpn import MEMORY, ProofNumberSearch, prover_of
from gamemaster.solving.proof_graph import ProofGraph, WrittenProof
from gamemaster.solving.strategy import Counsel, goal_at_end

__all__ = ["EFFORT", "KIND", "ProofStrategy", "best_goal", "position_key", "prove_strategy"]

KIND = "proof"
EFFORT = 2_000_000
"""Nodes that are searched to make a proof smaller, where nothing else is said."""

MOST_BYTES = 256 << 20
FORCED = -1
"""The move of a position in which the role has nothing to choose."""


@dataclass(frozen=True, eq=False)
class ProofStrategy:
    """What a role plays by a proof: `positions` has for each, by its key, a number of `moves` and the steps left.

    `size` is how many positions there are with the ends, which need no move; `first_size` those of the first proof
    that was found.
    """

    game: Game
    role: str
    value: int
    moves: tuple[Term, ...]
    positions: Mapping[int, tuple[int, int]]
    size: int
    first_size: int

    def advise(self, state: State) -> Counsel:
        """The move of the proof in a state; StrategyError in one that is not in it."""
        legal = state.legal_moves(self.role)
        if state.is_over:
            return Counsel(None, goal_at_end(state, self.role), "the game is over", 0)
        found = self.positions.get(position_key(state))
        if found is None:
            raise StrategyError(f"the proof for {self.role} never leads to this position: {str(state)[:200]}")
        number, distance = found
        if number == FORCED:
            why = "there is no choice"
            return Counsel(legal[0] if legal else None, self.value, why, distance)
        why = f"proved: {self.value} after {distance} steps at most, whatever is replied"
        return Counsel(self.moves[number], self.value, why, distance)

    def explain(self) -> str:
        """What is proved, and how."""
        others = " and ".join(role for role in self.game.roles if role != self.role) or "nobody"
        smaller = f" (the first proof had {self.first_size:,})" if self.first_size > self.size else ""
        longest = max((distance for _, distance in self.positions.values()), default=0)
        return (
            f"{self.role} gets {self.value} whatever {others} may play, after {longest} steps at most. The proof has "
            f"{self.size:,} positions{smaller}: one move for {self.role} in each, and all replies to it."
        )

    # Files

    def to_json(self) -> dict[str, Any]:
        """The proof as plain data."""
        keys = np.array(sorted(self.positions), np.uint64)
        told = np.array([self.positions[key] for key in keys.tolist()], np.int32).reshape(-1, 2)
        data: dict[str, Any] = {
            "kind": KIND,
            "game": self.game.name,
            "rules": self.game.digest,
            "role": self.role,
            "value": self.value,
            "size": self.size,
            "first_size": self.first_size,
            "moves": list(map(str, self.moves)),
            "keys": _packed(keys.astype("<u8")),
            "choices": _packed(told[:, 0].astype("<i4")),
            "distances": _packed(told[:, 1].astype("<i4")),
        }
        return {**data, "checksum": _checksum(data)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], game: Game) -> Self:
        """The proof that plain data says; StrategyError where it is damaged, or for other rules."""
        try:
            return cls._read(data, game)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise StrategyError(f"this is no proof: {type(error).__name__}: {str(error)[:100]}") from None

    @classmethod
    def _read(cls, data: Mapping[str, Any], game: Game) -> Self:
        if data["kind"] != KIND:
            raise StrategyError(f"this is no proof, but {str(data['kind'])[:40]!r}")
        if data["rules"] != game.digest:
            raise StrategyError(
                f"a proof for other rules: {str(data['rules'])[:40]!r}, these are {game.digest!r}"
            )
        if data["checksum"] != _checksum({key: each for key, each in data.items() if key != "checksum"}):
            raise StrategyError("the proof is damaged: its checksum is another")
        keys = _unpacked(data["keys"], "<u8").tolist()
        choices, distances = (_unpacked(data[name], "<i4").tolist() for name in ("choices", "distances"))
        moves = tuple(game.move_of(str(move)) for move in data["moves"])
        if any(not FORCED <= number < len(moves) for number in choices):
            raise StrategyError("the proof is damaged: it has a move that it does not name")
        positions = dict(zip(keys, zip(choices, distances, strict=True), strict=True))
        game.check_role(str(data["role"]))
        value, size, first_size = (int(data[name]) for name in ("value", "size", "first_size"))
        return cls(game, str(data["role"]), value, moves, positions, size, first_size)

    def save(self, path: str | Path) -> None:
        """Keep the proof in a file, which is there as a whole or not at all; StrategyError where that fails."""
        target = Path(path)
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            part.write_text(json.dumps(self.to_json()))
            part.replace(target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise StrategyError(f"the proof cannot be kept in {str(path)!r}: {error.strerror}") from None

    @classmethod
    def load(cls, path: str | Path, game: Game) -> Self:
        """The proof in a file; StrategyError where there is none, or it is damaged, or for other rules."""
        try:
            with Path(path).open("rb") as file:
                text = file.read(MOST_BYTES + 1)
            data = json.loads(text) if len(text) <= MOST_BYTES else None
        except OSError as error:
            raise StrategyError(f"no proof can be read from {str(path)!r}: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise StrategyError(f"{str(path)!r} is no proof: it is no JSON") from None
        if not isinstance(data, dict):
            raise StrategyError(f"{str(path)!r} is no proof, or larger than {MOST_BYTES >> 20} MB")
        return cls.from_json(data, game)


def position_key(state: State) -> int:
    """A number for a position, the same on every machine: a hash of its facts."""
    text = " ".join(sorted(map(str, state.ordered_facts)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _packed(array: np.ndarray[Any, Any]) -> str:
    return base64.b64encode(array.tobytes()).decode()


def _unpacked(text: str, kind: str) -> np.ndarray[Any, Any]:
    try:
        return np.frombuffer(base64.b64decode(text, validate=True), kind)
    except binascii.Error as error:
        raise ValueError(str(error)) from None


def _checksum(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


# From a game to its proof


def best_goal(prover: ProofNumberSearch, state: State, budget: Budget) -> int:
    """The most that a role is sure to get from a state on, 0 where that is nothing; StrategyError where not known."""
    row, low, goals = prover.engine.row_of(state), 0, [0.0, *prover.goals]
    high = len(goals) - 1
    while low < high:
        asked = (low + high + 2) // 2  # of 0, 50 and 100 first whether 100 can be had
        answer = prover.ask_row(row, goals[asked], budget)
        if answer.verdict == "unknown":
            raise StrategyError(f"not known within {budget}: can {prover.role} get {goals[asked]:g}?")
        low, high = (asked, high) if answer.verdict == "proved" else (low, asked - 1)
    return int(goals[low])


def prove_strategy(
    game: Game,
    role: str,
    budget: Budget,
    *,
    goal: int | None = None,
    start: State | None = None,
    memory: int = MEMORY,
    effort: int = EFFORT,
) -> ProofStrategy:
    """A proof that a role gets a goal, by default the most that it can be sure of, from a state on (the initial one).

    StrategyError where it cannot, or that is not known within the budget (of each question); a proof is made smaller
    with `effort` nodes at most.
    """
    state = start or game.initial_state()
    prover = prover_of(state, role, memory)
    wanted = best_goal(prover, state, budget) if goal is None else goal
    if wanted <= 0:
        raise StrategyError(f"there is nothing to prove: {role} of {game.name} is sure of no goal above 0")
    row = prover.engine.row_of(state)
    answer = prover.ask_row(row, wanted, budget)
    if answer.verdict != "proved":
        raise StrategyError(f"{role} of {game.name} cannot be sure of {wanted}: {answer}")
    graph = ProofGraph(prover, row, wanted, budget)
    proof, first_size = graph.smallest(effort)
    return _written(game, prover, graph, proof, wanted, first_size)


def _written(
    game: Game, prover: ProofNumberSearch, graph: ProofGraph, proof: WrittenProof, goal: int, first_size: int
) -> ProofStrategy:
    """The proof as a strategy."""
    engine = prover.engine
    compiled, width = engine.game, engine.game.layout.state_bytes
    numbers: dict[Term, int] = {}
    positions: dict[int, tuple[int, int]] = {}
    for number in proof.order:
        if not proof.distance[number]:
            continue
        facts = graph.rows[number][: engine.state_words].view(np.uint8)[:width]
        move = FORCED
        if number in proof.way:
            term = engine.terms[proof.way[number][0]]
            move = numbers.setdefault(term, len(numbers))
        positions[position_key(compiled.state_of_row(facts, 0))] = (move, proof.distance[number])
    return ProofStrategy(game, prover.role, goal, tuple(numbers), positions, proof.size, first_size)
