"""Rules before and after transformers -> what that gained: sizes, how fast random play is, whether it is the same.

Speed is compared on the reference machine, which reasons as the rules are written, and in the same states: both go
through one random game after the other side by side, so that chance is the same for both. What they say is compared on
the way. That they never differed is an observation; one difference is a proof.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gamemaster.errors import GamemasterError
from gamemaster.language.rules import And, Formula, Not, Or, Rules
from gamemaster.language.terms import Term
from gamemaster.load import build
from gamemaster.machine.game import MAX_LENGTH, Game, State

__all__ = ["MEASURED", "Gain", "compare", "compiled_sizes", "measure", "written_sizes"]

MEASURED = ("rules", "literals", "playouts per CPU second", "ground rules", "gates")
MOST_SENTENCES = 20_000
"""Sheets with more sentences than this are not compiled only to be measured."""

CHUNKS = 12
"""Of so many pieces of play the ratios are compared, to tell how sure their mean is."""

LEAST_CHUNKS = 3
Z = 2.2
"""Standard errors to either side for an interval of 95 %, with about as many pieces as there are."""

Rename = Callable[[Term], Term]


# Sizes


def measure(rules: Rules, seconds: float) -> dict[str, Any]:
    """Figures of a sheet: its size, random play on the reference machine, and what it compiles to."""
    figures: dict[str, Any] = {**dict.fromkeys(MEASURED), **written_sizes(rules)}
    game = build(rules, "rules", "reference")
    used = time.process_time()
    played = game.playouts(seconds=seconds).playouts
    figures["playouts per CPU second"] = played / max(1e-9, time.process_time() - used)
    return figures | compiled_sizes(rules)


def written_sizes(rules: Rules) -> dict[str, int]:
    """How many rules and literals a sheet has."""
    bodies = [rule.body for rule in rules.rules] + [handler.condition for handler in rules.handlers]
    literals = sum(1 for body in bodies for part in body for _ in _literals(part))
    return {"rules": len(rules.sentences), "literals": literals}


def compiled_sizes(rules: Rules) -> dict[str, int | None]:
    """What a sheet compiles to; nothing is known of what is too large for it, or does not compile."""
    figures: dict[str, int | None] = {"ground rules": None, "gates": None}
    if len(rules.sentences) <= MOST_SENTENCES:
        try:
            compiled = build(rules, "rules", "compiled")
        except GamemasterError:
            return figures
        figures = {
            "ground rules": int(compiled.figures["ground_rules"]),
            "gates": int(compiled.figures["gates"]),
        }
    return figures


def _literals(part: Formula) -> Iterator[Formula]:
    """The literals of a formula."""
    if isinstance(part, And | Or):
        for inner in part.parts:
            yield from _literals(inner)
    elif isinstance(part, Not) and isinstance(part.body, And | Or):
        yield from _literals(part.body)
    else:
        yield part


# Play


@dataclass(frozen=True)
class Gain:
    """What two games side by side showed. Speeds are steps of random play per CPU second."""

    games: int
    states: int
    before: float
    after: float
    ratio: float
    """How many times as fast the second is."""
    low: float | None
    high: float | None
    """The interval of the ratio (95 %); None where there was too little play to tell."""
    difference: str = ""
    """The first thing on which they did not agree; nothing where they always did."""


@dataclass
class _Side:
    """A game, where it stands, and how long that took."""

    game: Game
    state: State = field(init=False)
    seconds: float = 0.0

    def begin(self) -> None:
        self.state = self.game.initial_state()

    def answers(self) -> tuple[bool, Mapping[str, tuple[Term, ...]], Mapping[str, object]]:
        """All that a step asks: whether it is over, what is legal, and at the end what everybody gets."""
        began, state = time.thread_time(), self.state
        is_over = state.is_terminal
        legal = {} if is_over else {role: tuple(state.legal_moves(role)) for role in self.game.roles}
        goals = {role: sorted(state.goals(role)) for role in self.game.roles} if is_over else {}
        self.seconds += time.thread_time() - began
        return is_over, legal, goals

    def go(self, moves: Mapping[str, Term]) -> None:
        began = time.thread_time()
        self.state = self.state.next(moves)
        self.seconds += time.thread_time() - began


def compare(
    before: Game,
    after: Game,
    seconds: float,
    *,
    seed: int = 0,
    rename: Rename = lambda move: move,
    has_fewer_moves: bool = False,
) -> Gain:
    """Random games on both for so many CPU seconds, or to the first difference.

    `rename` gives the second game's name of a move; `has_fewer_moves`: some that do the same as others are gone there.
    """
    match = _SideBySide(_Side(before), _Side(after), seconds, random.Random(seed), rename, has_fewer_moves)
    return match.gain()


@dataclass
class _SideBySide:
    """Two games that go through the same states."""

    one: _Side
    two: _Side
    allowed: float
    generator: random.Random
    rename: Rename
    has_fewer_moves: bool
    steps: int = 0
    games: int = 0
    difference: str = ""
    chunks: list[tuple[float, float]] = field(default_factory=list)

    def gain(self) -> Gain:
        if self.one.game.roles != self.two.game.roles:
            self.difference = "the roles are others"
        self._warm_up()
        while not self.difference and self.spent < self.allowed:
            self._play()
        return Gain(
            self.games,
            self.steps,
            self.steps / max(1e-9, self.one.seconds),
            self.steps / max(1e-9, self.two.seconds),
            self.one.seconds / max(1e-9, self.two.seconds),
            *self._interval(),
            self.difference,
        )

    @property
    def spent(self) -> float:
        return self.one.seconds + self.two.seconds

    def _warm_up(self) -> None:
        """The first questions are answered more slowly, as things are made ready: they do not count."""
        for side in (self.one, self.two):
            side.begin()
            side.answers()
            side.seconds = 0.0

    def _play(self) -> None:
        """A random game, as far as there is time."""
        self.one.begin()
        self.two.begin()
        while self.one.state.step < MAX_LENGTH:
            pair = (self.one, self.two) if self.steps % 2 else (self.two, self.one)
            told = {id(side): side.answers() for side in pair}
            is_over, legal, goals = told[id(self.one)]
            self.steps += 1
            self._close_chunk()
            self.difference = self._differ((is_over, legal, goals), told[id(self.two)])
            if self.difference or is_over or self.spent >= self.allowed:
                self.games += is_over
                return
            moves = self._drawn(legal, told[id(self.two)][1])
            if not moves:
                return
            self.one.go(moves)
            self.two.go({role: self.rename(move) for role, move in moves.items()})

    def _drawn(
        self, legal: Mapping[str, tuple[Term, ...]], others: Mapping[str, tuple[Term, ...]]
    ) -> dict[str, Term]:
        """A random joint move that both have."""
        found = {}
        for role, own in legal.items():
            both = [move for move in own if not self.has_fewer_moves or self.rename(move) in others[role]]
            if both:
                found[role] = self.generator.choice(both)
        return found

    def _differ(self, one: tuple[Any, Any, Any], two: tuple[Any, Any, Any]) -> str:
        """What two answers do not agree on; nothing where they do."""
        where = f"after {self.one.state.step} steps of a random game"
        if one[0] != two[0]:
            return f"{where} only one of them is over"
        if one[2] != two[2]:
            return f"{where} the goals are others"
        for role, own in one[1].items():
            named, others = {self.rename(move) for move in own}, set(two[1][role])
            is_right = (
                bool(others) == bool(named) and others <= named if self.has_fewer_moves else others == named
            )
            if not is_right:
                return f"{where} {role} has other legal moves"
        return ""

    def _close_chunk(self) -> None:
        done = [sum(column) for column in zip(*self.chunks, strict=True)] or [0.0, 0.0]
        new = self.one.seconds - done[0], self.two.seconds - done[1]
        if sum(new) >= self.allowed / CHUNKS and min(new) > 0:
            self.chunks.append(new)

    def _interval(self) -> tuple[float | None, float | None]:
        """Where the true ratio is, from how much those of pieces differ."""
        logs = [math.log(one / two) for one, two in self.chunks]
        if len(logs) < LEAST_CHUNKS:
            return None, None
        mean = sum(logs) / len(logs)
        spread = math.sqrt(sum((each - mean) ** 2 for each in logs) / (len(logs) - 1) / len(logs))
        return math.exp(mean - Z * spread), math.exp(mean + Z * spread)
