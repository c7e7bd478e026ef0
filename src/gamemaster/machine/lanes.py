"""Many games at once: random playouts, perft, and batches of states as rows of bits.

Playouts come in blocks of a fixed number of games, each with random numbers of its own made from the seed and the
number of the block. Every game that a block starts is played to its end and counted, so short games are not favoured;
and because blocks are added up as whole numbers, the result does not depend on how many threads share them.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.interpreter import Words
from gamemaster.codegen.kernel import Kernel, Rows, aligned_words, play
from gamemaster.codegen.vector import LANES, WORD, WORDS
from gamemaster.errors import StateError
from gamemaster.machine.arguments import PlayoutOrder
from gamemaster.machine.artifact import Artifact, points
from gamemaster.machine.background import Background
from gamemaster.machine.interrupts import interrupt_sets
from gamemaster.machine.layout import FIRST_LEGAL, TERMINAL, PlayoutLayout
from gamemaster.machine.notes import Totals, note_words, noted_games
from gamemaster.machine.statistics import NotedGames, PlayoutStats

__all__ = ["BLOCK", "Lanes", "clean", "random_words"]

BLOCK = 16_384
"""Games in a block: 64 in each lane, so that little is lost while the last ones end."""

SMALLEST_BLOCK = 1_024
SLICE_STEPS = 2_048
"""Steps of random play at most between two looks at the clock."""

LONG_SLICE = 0.05
"""Seconds from which on fewer steps are made between two looks at the clock."""

ENDLESS = 1 << 40
"""Games, where somebody else says when it is enough."""

ALL = (1 << WORD) - 1

MOST_NOTES = 1 << 21
"""Words for the notes of a block: a game may have thousands of roles."""


@dataclass(frozen=True, slots=True)
class _Games:
    """So many games from a state, with random numbers of their own, to be played before a deadline."""

    seed: int
    number: int
    quota: int
    deadline: float | None
    start: bytes | None
    is_noted: bool


class Lanes:
    """A game for many states at a time."""

    job = "play"
    """The kernel that plays."""

    def __init__(self, artifact: Artifact, kernels: Mapping[str, Kernel], background: Background) -> None:
        self.artifact = artifact
        self.layout = artifact.layout
        self.kernels = kernels
        self.background = background
        self.slice_steps = 1  # grows as long as that takes no time worth mentioning

    @property
    def playout(self) -> PlayoutLayout:
        """Where things stand in the job `play`, which was made before anybody plays."""
        assert self.artifact.playout is not None
        return self.artifact.playout

    # Batches

    def observe(self, states: Rows) -> Rows:
        """Terminal, legal and goal bits [states, bytes] of states [states, bytes]."""
        self._check_rows("observe", states)
        self.background.want("observe")
        return self.kernels["observe"].many(states)

    def advance(self, states_and_moves: Rows) -> Rows:
        """Next facts and percepts [states, bytes] of states with the bits of their moves [states, bytes]."""
        self._check_rows("advance", states_and_moves)
        self.background.want("advance")
        return self.kernels["advance"].many(states_and_moves)

    def _check_rows(self, job: str, rows: Rows) -> None:
        """StateError for rows that a job would read past: machine code does not look."""
        width = self.layout.state_bytes + (self.layout.joint_bytes if job == "advance" else 0)
        if not isinstance(rows, np.ndarray):
            given = f"a {type(rows).__name__}"
        elif rows.dtype != np.uint8 or rows.ndim != 2 or rows.shape[1] != width:
            given = f"{rows.dtype} of shape {rows.shape}"
        else:
            return
        raise StateError(f"{job} takes an array of uint8 with {width} bytes in each row, not {given}")

    def perft(self, start: bytes, depth: int) -> list[int]:
        """The number of joint-move sequences of length 1, ..., depth from a state."""
        counts: list[int] = []
        layer = {start: 1}
        for length in range(depth):
            layer = self._next_layer(layer) if length else layer
            counts.append(self._count_after(layer))
        return counts

    def _count_after(self, layer: Mapping[bytes, int]) -> int:
        """The ways one step further than a layer, for which nobody need go there."""
        total = 0
        for batch in _batches(layer):
            for (_, ways), seen in zip(batch, self._observed(batch), strict=True):
                legal = [moves for _, _, moves in self._legal(seen)]
                total += ways * prod(moves.bit_count() for moves in legal) if legal else 0
        return total

    def _next_layer(self, layer: Mapping[bytes, int]) -> dict[bytes, int]:
        """The states after one more step, with the number of ways to each."""
        size = self.layout.state_bytes
        following: dict[bytes, int] = {}
        for batch in _batches(layer):
            rows: list[bytes] = []
            ways: list[int] = []
            for (state, count), seen in zip(batch, self._observed(batch), strict=True):
                for move in self._joint_moves(seen):
                    rows.append(state + move)
                    ways.append(count)
            if rows:
                table = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)
                for after, count in zip(self.advance(table)[:, :size], ways, strict=True):
                    key = clean(after.tobytes(), self.layout.odd_bits)
                    following[key] = following.get(key, 0) + count
        return following

    def _observed(self, batch: Sequence[tuple[bytes, int]]) -> Iterator[int]:
        """What is seen in each state of a batch, as one number."""
        joined = np.frombuffer(b"".join(state for state, _ in batch), np.uint8)
        for seen in self.observe(joined.reshape(-1, self.layout.state_bytes)):
            yield int.from_bytes(seen.tobytes(), "little")

    def _joint_moves(self, seen: int) -> Iterator[bytes]:
        """The bits of every joint move in a state; none where the game is over."""
        layout = self.layout
        choices: list[list[int]] = []
        for index, first, legal in self._legal(seen):
            moved = 0 if layout.everybody_moves else 1 << layout.all_moves + index
            choices.append([bit << first | moved for bit in _bits(legal)])
        if choices:
            for joint in product(*choices):
                yield sum(joint).to_bytes(layout.joint_bytes, "little")

    def _legal(self, seen: int) -> list[tuple[int, int, int]]:
        """For each role that can move: its number, where its moves begin, and the legal ones, as bits from there."""
        if seen & TERMINAL:
            return []
        bits = enumerate(self.layout.move_bits)
        found = [(index, first, seen >> FIRST_LEGAL + first & mask) for index, (first, mask, _) in bits]
        return [each for each in found if each[2]]

    # Playouts

    def playouts(self, order: PlayoutOrder, start: bytes | None, first: str | None) -> PlayoutStats:
        """Statistics of random games, as many as asked for, or as fit in the time.

        They begin in a state, the initial one where none is given; `first` moves first there.
        """
        began = time.perf_counter()
        self.background.want(self.job)
        quotas = (
            _growing(order.seconds or 0.0)
            if order.count is None
            else _blocks_of(order.count, self._block_size())
        )
        deadline = None if order.seconds is None else began + order.seconds
        totals, notes = self._blocks(quotas, order, start, deadline)
        noted = noted_games(self.playout, self.layout.roles, first, notes)
        return self._stats(totals, noted, first, time.perf_counter() - began)

    def _blocks(
        self, quotas: Iterator[int], order: PlayoutOrder, start: bytes | None, deadline: float | None
    ) -> tuple[Totals, list[Totals]]:
        """The totals of blocks, shared between threads; what is not finished at the deadline does not count.

        Only the first block counts all the same: it starts no more games then, and plays those it has begun. The games
        of the first blocks are noted one by one, too.
        """
        totals, notes = np.zeros(self.playout.slots.counters, np.uint64), dict[int, Totals]()
        lock, stopped = threading.Lock(), threading.Event()
        source, taken = enumerate(quotas), 0
        size = self._block_size()

        def work() -> None:
            nonlocal taken
            while not stopped.is_set():
                with lock:
                    number, quota = next(source, (0, 0))
                    is_noted = taken < size
                    taken += quota
                is_late = deadline is not None and time.perf_counter() > deadline
                if not quota or (is_late and number):
                    return
                block = _Games(order.seed, number, quota, deadline, start, is_noted)
                found = self._block(block, stopped)
                if found is not None:
                    with lock:
                        np.add(totals, found[0], out=totals)
                        if found[1] is not None:
                            notes[number] = found[1]

        pool = ThreadPoolExecutor(order.threads)
        with interrupt_sets(stopped), pool, _setting_if_it_fails(stopped):
            for done in as_completed([pool.submit(work) for _ in range(order.threads)]):
                done.result()
        return totals, [notes[number] for number in sorted(notes)]

    def _block(self, block: _Games, stopped: threading.Event) -> tuple[Totals, Totals | None] | None:
        """The totals of one block, and its notes; None where it was stopped, or the deadline came first."""
        kernel = self.kernels[self.job].fork()
        totals = np.zeros(self.playout.slots.counters, np.uint64)
        generator = aligned_words(2)
        generator[:] = random_words(block.seed, block.number)
        job = self._job(kernel, block.quota, generator.ctypes.data, totals.ctypes.data)
        notes = None
        if block.is_noted:
            notes = np.zeros((block.quota, note_words(self.playout)), np.uint64)
            job |= {"log": notes.ctypes.data, "log_words": notes.shape[1]}
        if block.start is not None:
            start = self._begin_in(kernel, block.start)
            job["start"] = start.ctypes.data
        active = slice(job["active_slot"], job["active_slot"] + 1)
        while kernel.buffer[active].any():
            if stopped.is_set():
                return None
            if block.deadline is not None and time.perf_counter() > block.deadline:
                if block.number:
                    return None
                job["quota"] = job["started"]
            job = self._slice(kernel, job)
        return totals, None if notes is None else notes[: job["logged"]]

    def _block_size(self) -> int:
        """Games in a block, and at least so many are noted: fewer where a note is long."""
        return min(BLOCK, max(LANES, MOST_NOTES // note_words(self.playout)))

    def _begin_in(self, kernel: Kernel, start: bytes) -> Words:
        """Vectors that say what holds in a state, for all lanes; those of the kernel are set to it."""
        slots = self.playout.slots
        vectors = aligned_words(slots.states)
        facts = np.unpackbits(np.frombuffer(start, np.uint8), bitorder="little")[: slots.facts]
        vectors[: slots.facts] = facts[:, None] * np.uint64(ALL)
        kernel.buffer[: slots.states] = vectors
        return vectors

    def _slice(self, kernel: Kernel, job: dict[str, int]) -> dict[str, int]:
        """The job after some steps: few enough that nobody waits long for an interrupt, whatever the game."""
        steps, began = self.slice_steps, time.perf_counter()
        job = self._play(kernel, job, steps)
        took = time.perf_counter() - began
        if took > LONG_SLICE:
            self.slice_steps = max(1, steps // 2)
        elif took < LONG_SLICE / 4 and steps < SLICE_STEPS:
            self.slice_steps = 2 * steps
        return job

    def _play(self, kernel: Kernel, job: dict[str, int], steps: int) -> dict[str, int]:
        return play(kernel, job, steps)

    def _job(self, kernel: Kernel, quota: int, generator: int, totals: int) -> dict[str, int]:
        """The job of a block, its buffer set to the initial state in as many lanes as there are games."""
        slots = self.playout.slots
        kernel.buffer[self.artifact.init] = ALL
        started = min(quota, LANES)
        lanes = (1 << started) - 1
        kernel.buffer[slots.active] = [lanes >> WORD * i & ALL for i in range(WORDS)]
        return {
            "random_slot": slots.first_random,
            "randoms": slots.randoms,
            "state_in": 0,
            "state_out": slots.next_state,
            "states": slots.states,
            "active_slot": slots.active,
            "done_slot": slots.done,
            "count_slot": slots.first_counter,
            "counters": slots.counters,
            "generator": generator,
            "totals": totals,
            "quota": quota,
            "started": started,
            "steps": 0,
            "log": 0,
            "log_words": 0,
            "logged": 0,
            "start": 0,
        }

    def states_in_play(self, steps: int, seed: int) -> Iterator[npt.NDArray[np.uint8]]:
        """The states of random games [facts, lanes], a bit a byte, before each of so many steps."""
        kernel, facts = self.kernels["play"].fork(), self.playout.slots.facts
        totals = np.zeros(self.playout.slots.counters, np.uint64)
        generator = aligned_words(2)
        generator[:] = random_words(seed, 0)
        job = self._job(kernel, ENDLESS, generator.ctypes.data, totals.ctypes.data)
        for _ in range(steps):
            yield np.unpackbits(kernel.buffer[:facts].view(np.uint8), axis=1, bitorder="little")
            job = play(kernel, job, 1)

    # Depth charges

    def charges(self, states: Rows, seed: int, deadline: float | None = None) -> list[tuple[int, ...]]:
        """What each role gets at the end of a random game from each of the states; see Game."""
        self._check_rows("observe", states)
        self.background.want("play")
        found: list[tuple[int, ...]] = []
        for number, start in enumerate(range(0, len(states), LANES)):
            found += self._charge(states[start : start + LANES], seed, number, deadline)
        return found

    def _charge(self, states: Rows, seed: int, number: int, deadline: float | None) -> list[tuple[int, ...]]:
        """The goals of as many games as there are states, at most one a lane."""
        kernel = self.kernels["play"].fork()
        counters = np.zeros(self.playout.slots.counters, np.uint64)
        generator = aligned_words(2)
        generator[:] = random_words(seed, number)
        job = self._job(kernel, len(states), generator.ctypes.data, counters.ctypes.data)
        slots, goals = self.playout.slots, self.playout.goals
        facts = slots.facts
        bits = np.unpackbits(states, axis=1, bitorder="little")[:, :facts]
        # Only the bytes of lanes that are used: to turn the many facts of a large game for all would take long.
        used = (len(states) + 7) // 8
        kernel.buffer[:facts].view(np.uint8)[:, :used] = np.packbits(bits, axis=0, bitorder="little").T
        roles = [role for role, _ in goals]
        values = np.array([value for _, value in goals], np.int64)
        result = np.zeros((LANES, len(self.layout.roles)), np.int64)
        while kernel.buffer[slots.active].any():
            began = time.perf_counter()
            job = play(kernel, job, 1)
            if kernel.buffer[slots.done].any():
                ended = kernel.buffer[slots.first_goal : slots.next_state].view(np.uint8)
                held = np.unpackbits(ended, axis=1, bitorder="little").astype(np.int64)
                for i, role in enumerate(roles):
                    result[:, role] += held[i] * values[i]
            now = time.perf_counter()
            if deadline is not None and now + (now - began) > deadline:  # another step would end after it
                result[: 8 * used] += self._goals_now(kernel, used)
                break
        return [tuple(row) for row in result[: len(states)].tolist()]

    def _goals_now(self, kernel: Kernel, used: int) -> npt.NDArray[np.int64]:
        """What each role has in the lanes that still run [lanes, roles], those in the first `used` bytes."""
        slots = self.playout.slots
        lanes = kernel.buffer.view(np.uint8)[:, :used]
        states = np.unpackbits(np.ascontiguousarray(lanes[: slots.facts]), axis=1, bitorder="little")
        seen = self.observe(np.packbits(states, axis=0, bitorder="little").T)
        first = self.layout.goal_bits[0].start
        bits = np.unpackbits(seen[:, first // 8 :], axis=1, bitorder="little")[:, first % 8 :]
        is_active = np.unpackbits(lanes[slots.active], bitorder="little")
        result = np.zeros((8 * used, len(self.layout.roles)), np.int64)
        for role, (start, _, goals) in enumerate(self.layout.goal_bits):
            for number in reversed(range(len(goals))):  # the first that holds counts
                held = bits[:, start - first + number] == 1
                result[held, role] = points(goals[number])
        return result * is_active[:, None]

    def _stats(self, totals: Totals, noted: NotedGames, first: str | None, seconds: float) -> PlayoutStats:
        """Totals as means and counts."""
        games, cut, *rest = totals.tolist()
        digits = self.playout.digits
        moves = sum(total << position for position, total in enumerate(rest[:digits]))
        counts = [Counter({0: games}) for _ in self.layout.roles]  # no goal counts as nothing
        for (role, value), total in zip(self.playout.goals, rest[digits:], strict=True):
            counts[role][value] += total
            counts[role][0] -= total
        played = max(1, games)
        sums = [sum(value * total for value, total in own.items()) for own in counts]
        return PlayoutStats(
            playouts=games,
            moves=moves,
            seconds=seconds,
            mean_length=moves / played,
            mean_goals=tuple(total / played for total in sums),
            cut=cut,
            roles=self.layout.roles,
            first=first,
            goal_counts=tuple(dict(+own) for own in counts),
            noted=noted,
        )


@contextmanager
def _setting_if_it_fails(stopped: threading.Event) -> Iterator[None]:
    """Let the others know that one of them has failed: they need not go on."""
    try:
        yield
    except BaseException:
        stopped.set()
        raise


def _blocks_of(count: int, size: int) -> Iterator[int]:
    """The sizes of blocks that are so many games together."""
    while count > 0:
        yield min(size, count)
        count -= size


def _growing(seconds: float) -> Iterator[int]:
    """Sizes of blocks without end, larger while they take little of the time."""
    quota = SMALLEST_BLOCK
    while True:
        start = time.perf_counter()
        yield quota
        if time.perf_counter() - start < seconds / 50 and quota < 4 * BLOCK:
            quota *= 2


def _bits(number: int) -> Iterator[int]:
    """The ones of a number, the lowest first."""
    while number:
        yield number & -number
        number &= number - 1


def _batches(layer: Mapping[bytes, int]) -> Iterator[tuple[tuple[bytes, int], ...]]:
    """The items in groups as large as there are lanes."""
    items = iter(layer.items())
    while batch := tuple(itertools.islice(items, LANES)):
        yield batch


def clean(state: bytes, odd_bits: int) -> bytes:
    """The state without the percepts that share its last byte, if only so many bits of that are facts."""
    if odd_bits and state[-1] >> odd_bits:
        return state[:-1] + bytes([state[-1] & (1 << odd_bits) - 1])
    return state


def random_words(seed: int, number: int) -> npt.NDArray[np.uint64]:
    """Two vectors to start a generator with, by splitmix64 from a seed and the number of a block."""
    state = (seed * 0x9E3779B97F4A7C15 ^ (number + 1) * 0xD1B54A32D192ED03) & ALL
    words = []
    for _ in range(2 * WORDS):
        state = state + 0x9E3779B97F4A7C15 & ALL
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & ALL
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & ALL
        words.append(mixed ^ mixed >> 31)
    return np.array(words, np.uint64).reshape(2, WORDS)
