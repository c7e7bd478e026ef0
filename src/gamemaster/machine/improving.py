"""Artifact -> Improvement: the instructions of a job made anew by logic synthesis, and checked before they are used.

What is made is used only where it does the same: on MOST_CASES inputs of all densities and as many with states
from random play, old and new instructions must give the same bits (codegen/interpreter.py); and a proof is tried
(network/equality.py), by windows and a SAT solver with a bound on their work. `checked` says which of the two it rests
on: "proof", or "simulation" where the proof was not finished. An improvement that fails is kept too, without code,
so that nobody tries again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from gamemaster.codegen.cache import Cache, key_of, pack, unpack
from gamemaster.codegen.code import Code, encode
from gamemaster.codegen.interpreter import Words, interpret
from gamemaster.codegen.lifting import Lifted, lift
from gamemaster.codegen.plan import make_plan
from gamemaster.machine.artifact import Artifact
from gamemaster.network.equality import CASES, Part, prove_equal
from gamemaster.network.synthesis import SYNTHESIS, Synthesis, synthesise

__all__ = ["Improvement", "kept_improvement", "make_improvement"]

WORDS = 128
MOST_CASES = 1 << 16
"""Inputs of each kind that old and new instructions are compared on, so many words of 64 at a time."""

STEPS = 8
"""Steps of random play between two states that are taken."""

WORTH = 0.1
"""The share of instructions that must be saved: their order is another one too, which may cost what a few save."""

MOST_PROVEN = 30_000
"""Gates up to which a proof is tried; above that it takes minutes."""

ALL = ~np.uint64(0)


@dataclass(frozen=True)
class Improvement:
    """Better instructions of a job; none where there are none that are known to do the same."""

    code: Code | None
    figures: tuple[tuple[str, int], ...] = ()  # pass -> gates after it
    checked: str = ""
    seconds: dict[str, float] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The improvement for the disk."""
        code = self.code
        description = {
            "sizes": None if code is None else [code.inputs, code.outputs, code.slots],
            "figures": self.figures,
            "checked": self.checked,
            "seconds": self.seconds,
        }
        return pack(description, [] if code is None else [code.instructions.tobytes()])

    @classmethod
    def from_bytes(cls, content: bytes) -> Improvement:
        """The improvement that `to_bytes` wrote."""
        described, blobs = unpack(content)
        code = None
        if described["sizes"]:
            inputs, outputs, slots = described["sizes"]
            code = Code(inputs, outputs, slots, np.frombuffer(blobs[0], np.int32).reshape(-1, 4))
        figures = tuple((name, gates) for name, gates in described["figures"])
        return cls(code, figures, described["checked"], described["seconds"])


def kept_improvement(key: str, job: str) -> Improvement | None:
    """The improvement of a job that is on disk, for the key of an artifact."""
    content = Cache().read(_key(key, job))
    return None if content is None else Improvement.from_bytes(content)


def _key(key: str, job: str) -> str:
    return key_of("improvement", SYNTHESIS, key, job)


def make_improvement(artifact: Artifact, job: str) -> Improvement:
    """The improvement of a job, made and kept."""
    found = _improve(artifact, artifact.code(job))
    Cache().write(_key(artifact.key, job), found.to_bytes())
    return found


def _improve(artifact: Artifact, code: Code) -> Improvement:
    began = time.process_time()
    lifted = lift(code)
    made = synthesise(lifted.network, lifted.inputs, lifted.outputs)
    seconds = {"synthesis": round(time.process_time() - began, 3)}
    if made is None:
        return Improvement(None, seconds=seconds)
    better = encode(make_plan(made.network, made.inputs, made.outputs))
    figures = tuple(made.figures)
    if len(better.instructions) > (1 - WORTH) * len(code.instructions):
        return Improvement(None, figures, seconds=seconds)
    began = time.process_time()
    checked = _checked(artifact, code, better, lifted, made)
    seconds["check"] = round(time.process_time() - began, 3)
    return Improvement(better if checked else None, figures, checked, seconds)


def _checked(artifact: Artifact, code: Code, better: Code, lifted: Lifted, made: Synthesis) -> str:
    """What speaks for two codes doing the same; "" where they do not."""
    generator = np.random.default_rng(18)
    states = _states(artifact, generator)
    kept = []
    for number in range(MOST_CASES // CASES):
        for given in _given(code.inputs, states, number, generator):
            if not np.array_equal(interpret(code, given), interpret(better, given)):
                return ""
            if number < 2:
                kept.append([int.from_bytes(row.tobytes(), "little") for row in given])
    if len(code.instructions) > MOST_PROVEN:
        return "simulation"
    old = Part(lifted.network, lifted.inputs, lifted.outputs)
    proof = prove_equal(old, Part(made.network, made.inputs, made.outputs), kept)
    if proof.is_refuted:
        return ""
    return "proof" if proof.is_equal else "simulation"


def _given(inputs: int, states: Words, number: int, generator: np.random.Generator) -> tuple[Words, Words]:
    """Inputs of all densities, and states from play with anything behind them."""
    anything = _random(inputs, generator)
    played = _random(inputs, generator)
    if states.shape[1]:
        chosen = (np.arange(WORDS) + number * WORDS) % states.shape[1]
        played[: len(states)] = states[:inputs, chosen]
    return anything, played


def _random(inputs: int, generator: np.random.Generator) -> Words:
    """Bits of which one in 2, 4, 8, ... holds, from word to word."""
    words = generator.integers(0, 2**64, size=(inputs, WORDS), dtype=np.uint64)
    for sparse in range(1, 6):
        chosen = np.arange(WORDS) % 7 >= sparse
        words[:, chosen] &= generator.integers(0, 2**64, size=(inputs, chosen.sum()), dtype=np.uint64)
    chosen = np.arange(WORDS) % 14 == 13
    words[:, chosen] = ~words[:, chosen]
    return words


def _states(artifact: Artifact, generator: np.random.Generator) -> Words:
    """The facts of states in random play, where its instructions were made before: [facts, words]."""
    job = next((job for job in ("play", "charge") if job in artifact.codes), None)
    if job is None or artifact.playout is None:
        return np.zeros((0, 0), np.uint64)
    code, slots = artifact.codes[job], artifact.playout.slots
    given = np.zeros((code.inputs, WORDS), np.uint64)
    given[artifact.init] = ALL
    given[slots.active] = ALL
    first = slots.next_state - slots.done
    found = []
    for step in range(STEPS * MOST_CASES // CASES):
        if step % STEPS == 0:
            found.append(given[: slots.facts].copy())
        given[slots.first_random : slots.first_random + slots.randoms] = generator.integers(
            0, 2**64, size=(slots.randoms, WORDS), dtype=np.uint64
        )
        given[: slots.states] = interpret(code, given)[first : first + slots.states]
    return np.concatenate(found, axis=1)
