"""Rules -> Artifact: all that the compiled machine needs of a game, made once and kept on disk.

    split     rules with many variables into several        ground/split.py
    ground    every fact and move that can occur            ground/clingo_grounder.py
    build     a network of gates                            network/build.py
    encode    instructions for three jobs                   codegen/

The jobs: *observe* a state (terminal, legal, goals), *advance* it by moves (next, percepts), and *play* at random.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gamemaster.codegen.cache import Cache, key_of, pack, unpack
from gamemaster.codegen.code import Code, encode
from gamemaster.codegen.plan import make_plan
from gamemaster.ground.clingo_grounder import GroundLimits, ground
from gamemaster.ground.split import split
from gamemaster.language.dialect import show
from gamemaster.language.lower import lower
from gamemaster.language.rules import Rules
from gamemaster.language.terms import Compound, Symbol
from gamemaster.machine.game import MAX_LENGTH
from gamemaster.network.build import Circuit, build
from gamemaster.network.graph import TRUE, Wire
from gamemaster.network.passes import depth_of, run_passes
from gamemaster.network.playout import playout_network

__all__ = ["Artifact", "make_artifact"]

BUILDER = 8
"""Counts up when the artifact made from the same rules changes: part of the key in the cache."""

JOBS = ("observe", "advance", "play")


@dataclass
class Artifact:
    """A game as code, and what its inputs and outputs mean.

    observe: facts -> terminal, legal of each role's moves, goals of each role's values
    advance: facts (filled up to whole bytes), moves, moved -> next facts, percepts
    play: see network/playout.py
    """

    key: str
    roles: list[Any]
    facts: list[Any]
    init: list[int]  # indices into facts
    moves: list[list[Any]]  # of each role
    everybody_moves: bool
    goals: list[list[Any]]  # values of each role
    percepts: list[list[Any]]  # of each role
    play_counts: dict[str, Any]
    codes: dict[str, Code] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)  # sizes and seconds, for people

    def to_bytes(self) -> bytes:
        """The artifact for the disk."""
        named = {name: value for name, value in vars(self).items() if name != "codes"}
        sizes = {name: [code.inputs, code.outputs, code.slots] for name, code in self.codes.items()}
        return pack({**named, "codes": sizes}, [self.codes[name].instructions.tobytes() for name in JOBS])

    @classmethod
    def from_bytes(cls, content: bytes) -> Artifact:
        """The artifact that `to_bytes` wrote."""
        named, blobs = unpack(content)
        sizes = named.pop("codes")
        for name in ("roles", "facts"):
            named[name] = list(map(_term, named[name]))
        for name in ("moves", "goals", "percepts"):
            named[name] = [list(map(_term, terms)) for terms in named[name]]
        for name, blob in zip(JOBS, blobs, strict=True):
            inputs, outputs, slots = sizes[name]
            sizes[name] = Code(inputs, outputs, slots, np.frombuffer(blob, np.int32).reshape(-1, 4))
        return cls(**named, codes=sizes)


def _term(value: Any) -> Any:
    """A term that JSON has made lists of."""
    return Compound((value[0], *map(_term, value[1:]))) if isinstance(value, list) else Symbol(value)


def make_artifact(sheet: Rules, limits: GroundLimits | None = None) -> Artifact:
    """The artifact of a rulesheet, from the disk if it was made before."""
    core = lower(sheet, in_order=False)
    key = key_of("artifact", BUILDER, show(core, "hrf"), sheet.dialect == "epilog", MAX_LENGTH)
    store = Cache()
    kept = store.read(key)
    if kept is not None:
        return Artifact.from_bytes(kept)
    artifact = _make(core, key, everybody_moves=sheet.dialect != "epilog", limits=limits)
    store.write(key, artifact.to_bytes())
    return artifact


def _make(core: Rules, key: str, *, everybody_moves: bool, limits: GroundLimits | None) -> Artifact:
    began = time.perf_counter()
    program = ground(split(core), limits)
    grounded = time.perf_counter()
    circuit = build(program, everybody_moves=everybody_moves)
    shared = circuit.network.gates
    circuit, _ = run_passes(circuit)
    built = time.perf_counter()
    artifact = _describe(circuit, key, everybody_moves)
    artifact.codes = _codes(circuit, artifact)
    artifact.figures = {
        "ground_rules": len(program.heads),
        "ground_literals": len(program.literals),
        "shared_gates": shared,
        "gates": circuit.network.gates,
        "depth": depth_of(circuit.network),
        "loops": len(circuit.network.loops),
        "ground_seconds": round(grounded - began, 3),
        "build_seconds": round(built - grounded, 3),
        "encode_seconds": round(time.perf_counter() - built, 3),
    }
    return artifact


def _describe(circuit: Circuit, key: str, everybody_moves: bool) -> Artifact:
    facts = list(circuit.facts)
    return Artifact(
        key=key,
        roles=list(circuit.roles),
        facts=facts,
        init=[i for i, fact in enumerate(facts) if fact in circuit.init],
        moves=[list(circuit.moves[role]) for role in circuit.roles],
        everybody_moves=everybody_moves,
        goals=[list(circuit.goal[role]) for role in circuit.roles],
        percepts=[list(circuit.sees[role]) for role in circuit.roles],
        play_counts={},
    )


def _codes(circuit: Circuit, artifact: Artifact) -> dict[str, Code]:
    """The instructions of the three jobs."""
    network = circuit.network
    facts = list(circuit.facts.values())
    filler = [network.input() for _ in range(-len(facts) % 8)]
    moves = [wire for role in circuit.roles for wire in circuit.moves[role].values()]
    moved = [circuit.moved[role] for role in circuit.roles if circuit.moved[role] != TRUE]
    playout = playout_network(circuit, MAX_LENGTH)
    artifact.play_counts = {
        "facts": playout.facts,
        "digits": playout.digits,
        "randoms": playout.randoms,
        "counters": playout.counters,
        "goals": [[artifact.roles.index(role), _points(value)] for role, value in playout.goals],
    }
    jobs: dict[str, tuple[Sequence[Wire], Iterable[Wire]]] = {
        "observe": (facts, circuit.seen_in_state()),
        "advance": ([*facts, *filler, *moves, *moved], circuit.made_by_moves()),
    }
    codes = {name: encode(make_plan(network, ins, list(outs))) for name, (ins, outs) in jobs.items()}
    codes["play"] = encode(make_plan(playout.network, playout.inputs, playout.outputs))
    return codes


def _points(value: Any) -> int:
    """What a goal counts in playouts; 0 for one that is no number, which States report as an error."""
    try:
        return int(str(value))
    except ValueError:
        return 0
