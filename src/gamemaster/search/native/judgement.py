"""Judgement: what a state of a game looks to be worth, learnt by self-play, as a value that can be kept.

    share = 1 / (1 + exp(-score))      of what there is between the worst and the best goal of the first role

The score is that of a small network over the facts of a state: kernels/judgement.py. It is for games of two roles that
are against each other, so one network says what a state is worth to both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.cache import pack, unpack
from gamemaster.codegen.vector import WORD
from gamemaster.errors import Unsuitable
from gamemaster.machine.game import RANDOM, State
from gamemaster.search.native.engine import Engine
from gamemaster.search.native.kernels.judgement import LOGIT, UNITS, WIN, Net, Slopes, judge_row
from gamemaster.search.native.kernels.records import Singles, Words
from gamemaster.search.native.tuples import tuples_of

__all__ = ["Judgement", "Lesson", "new_judgement", "width_of"]

Number = TypeVar("Number", int, float)

FORMAT = 2
READABLE = 400
"""A point of the curve that is shown is of so many games at least, if there are so many."""

LARGEST, MOST_TOLD, ROUNDING = 1e12, 10**15, 1e-9
"""Weights, sums of squares and counts of games that are read are not larger."""

FIRST_SLOPE = 1e-3
HIDDEN, OUT = 0.1, 0.2
"""How large weights are before anything is learnt, drawn by lot: units that are alike would learn alike."""


@dataclass(frozen=True)
class Lesson:
    """How much was known after so many games: what share of the differences between results was foretold, 0 to 1."""

    games: int
    explained: float


@dataclass(frozen=True)
class Judgement:
    """A network, and how it was learnt."""

    net: Net
    slopes: Slopes
    """What it takes to learn on: how much each weight has changed."""

    games: int = 0
    states: int = 0
    curve: tuple[Lesson, ...] = ()
    trial: tuple[float, int] = (0.0, 0)
    """Points against a tree, and in how many games; none where it was not tried."""

    @property
    def explained(self) -> float:
        """What share of the differences between results it foretold in the end, of games it had not learnt from."""
        return self.curve[-1].explained if self.curve else 0.0

    @property
    def smooth_curve(self) -> tuple[Lesson, ...]:
        """The curve so that it can be read: each point is the mean of those around it, of more where they are of few
        games."""
        own = [last.games - first.games for first, last in pairwise((Lesson(0, 0.0), *self.curve))]
        return tuple(_smooth(self.curve, own, place) for place in range(len(self.curve)))

    def value(self, engine: Engine, state: State, role: str) -> float:
        """What a state looks to be worth to a role, 0 to 100."""
        rows = engine.row_of(state).reshape(1, -1)
        share = float(judge_row(self.net, rows, np.zeros((1, width_of(self.net)), np.float32)))
        own = share if engine.role_number(role) == self.net.side else 1.0 - share
        return self.net.lowest + own * (self.net.highest - self.net.lowest)

    def to_bytes(self) -> bytes:
        """All of it, for the disk."""
        net = self.net
        told = {
            "format": FORMAT,
            "side": net.side,
            "goals": [net.lowest, net.highest],
            "swing": net.swing,
            "games": self.games,
            "states": self.states,
            "trial": list(self.trial),
            "curve": [[lesson.games, lesson.explained] for lesson in self.curve],
        }
        return pack(told, [array.tobytes() for array in _arrays(net, self.slopes)])

    @classmethod
    def from_bytes(cls, content: bytes, engine: Engine) -> Judgement | None:
        """What `to_bytes` made for the same game; None where it is anything else."""
        try:
            told, blobs = unpack(content)
            return cls._read(told, blobs, new_judgement(engine))
        except (ArithmeticError, ValueError, KeyError, TypeError, IndexError, AttributeError):
            return None
        except (RecursionError, Unsuitable):
            return None

    @classmethod
    def _read(cls, told: Any, blobs: list[bytes], like: Judgement) -> Judgement | None:
        arrays = _arrays(like.net, like.slopes)
        if told["format"] != FORMAT or len(blobs) != len(arrays):
            return None
        masks, *read = [
            np.frombuffer(blob, array.dtype).reshape(array.shape).copy()
            for blob, array in zip(blobs, arrays, strict=True)
        ]
        is_sound = all(_are_sound(array) for array in read) and bool((masks == like.net.masks).all())
        if not is_sound or [told["side"], *told["goals"]] != [
            like.net.side,
            like.net.lowest,
            like.net.highest,
        ]:
            return None
        columns, start, out, tables, *slopes = read
        swing = _within(int(told["swing"]), 1, WIN)
        net = like.net._replace(columns=columns, start=start, out=out, tables=tables, swing=swing)
        curve = tuple(
            Lesson(_within(int(games), 0, MOST_TOLD), _within(float(explained), 0.0, 1.0 + ROUNDING))
            for games, explained in told["curve"]
        )
        points, tried = told["trial"]
        tried = _within(int(tried), 0, MOST_TOLD)
        trial = _within(float(points), 0.0, float(tried)), tried
        games, states = (_within(int(told[name]), 0, MOST_TOLD) for name in ("games", "states"))
        return cls(net, Slopes(*slopes), games, states, curve, trial)

    def copied(self) -> Judgement:
        """The same with arrays of its own, to learn on."""
        own = self.net
        net = own._replace(
            columns=own.columns.copy(),
            start=own.start.copy(),
            out=own.out.copy(),
            tables=own.tables.copy(),
        )
        return replace(self, net=net, slopes=Slopes(*(each.copy() for each in self.slopes)))


def _are_sound(array: npt.NDArray[Any]) -> bool:
    """Whether all numbers are such as learning makes: others would overflow when they are added up."""
    return bool(np.isfinite(array).all() and (np.abs(array) < LARGEST).all())


def _within(value: Number, least: Number, most: Number) -> Number:
    """The value; ValueError where it is not in a range, or no number."""
    if not least <= value <= most:
        raise ValueError(f"{value} is not from {least} to {most}")
    return value


def width_of(net: Net) -> int:
    """How many numbers the units of a row take: behind them stands what is in the cells of each tuple."""
    return UNITS + len(net.first)


def _smooth(curve: tuple[Lesson, ...], own: list[int], place: int) -> Lesson:
    """A point of a curve with those around it, each as often as the games that it is of, until they are enough."""
    first = last = place
    while sum(own[first : last + 1]) < READABLE and (first > 0 or last < len(curve) - 1):
        first, last = max(0, first - 1), min(len(curve) - 1, last + 1)
    games = sum(own[first : last + 1])
    total = sum(
        count * lesson.explained for count, lesson in zip(own[first:], curve[first : last + 1], strict=False)
    )
    return Lesson(curve[place].games, total / games if games else curve[place].explained)


def _arrays(net: Net, slopes: Slopes) -> list[npt.NDArray[Any]]:
    """What is kept, in order."""
    return [net.masks, net.columns, net.start, net.out, net.tables, *slopes]


def new_judgement(engine: Engine, seed: int = 0) -> Judgement:
    """One that has learnt nothing; Unsuitable where there are not two roles, or they can only get the same."""
    roles = [number for number, role in enumerate(engine.game.roles) if role != RANDOM]
    if len(roles) != 2 or RANDOM in engine.game.roles:
        raise Unsuitable(f"judgement is for two roles without chance; {engine.game.name} is for others")
    side = roles[0]
    goals = engine.goal_value[engine.goal_start[side] : engine.goal_start[side + 1]]
    if len(goals) < 2 or goals.min() == goals.max():
        raise Unsuitable(f"nothing is at stake in {engine.game.name}: {engine.game.roles[side]} has one goal")
    generator = np.random.default_rng(seed)
    bits = engine.row_words * WORD
    columns: Singles = (generator.standard_normal((bits, UNITS)) * HIDDEN).astype(np.float32)
    out: Singles = (generator.standard_normal(UNITS) * OUT).astype(np.float32)
    columns[:, 0], out[0] = 0.0, 1.0
    start = np.zeros(UNITS, np.float32)
    tuples = tuples_of(engine.game)
    ends = float(goals.min()), float(goals.max())
    net = Net(columns, start, out, *tuples, _masks(engine), side, *ends, LOGIT)
    learnt = columns, start, out, net.tables
    return Judgement(net, Slopes(*(np.full_like(each, FIRST_SLOPE) for each in learnt)))


def _masks(engine: Engine) -> Words:
    """The bits of a row that count: facts."""
    flags = np.zeros(engine.row_words * WORD, bool)
    flags[: len(engine.game.layout.facts)] = True
    return np.packbits(flags, bitorder="little").view(np.uint64).copy()
