"""Preparation -> Artifact: all that the compiled machine needs of a game, made once and kept on disk.

    ground    every fact and move that can occur            ground/
    build     a network of gates                            network/
    encode    instructions for its jobs                     codegen/

The jobs: *observe* a state (terminal, legal, goals), *advance* it by moves (next, percepts), *play* at random, and for
a search *expand* a state, only see where moves *end* the game, or play at random and tell the moves (*charge*); to
*step* a batch of games; to play by weights (*weigh*). All but the first two are large, and made when somebody first
asks for them.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from gamemaster.codegen.cache import Cache, pack, unpack
from gamemaster.codegen.code import Code, encode
from gamemaster.codegen.interpreter import interpret
from gamemaster.codegen.kernel import load_runtime
from gamemaster.codegen.plan import make_plan
from gamemaster.errors import LimitExceeded
from gamemaster.ground.budget import Limits, WorkBudget
from gamemaster.language.terms import Compound, Symbol, Term
from gamemaster.machine.game import MAX_LENGTH
from gamemaster.machine.layout import Layout, PlayoutLayout
from gamemaster.machine.mistakes import reward_of
from gamemaster.machine.preparation import MADE_BY, Preparation
from gamemaster.network.build import Circuit, build
from gamemaster.network.expansion import expansion_network
from gamemaster.network.graph import TRUE, Loop, Network
from gamemaster.network.passes import depth_of, run_passes
from gamemaster.network.playout import playout_network
from gamemaster.network.stepping import stepping_network
from gamemaster.network.weighing import weighing_network

__all__ = ["Artifact", "make_artifact", "points"]

COLUMNS = ("kind", "first", "second")

NO_LIMITS = Limits(depth=1_000_000)
"""What one question about a state may cost where nobody has said so; recursion is no deeper for a machine like this."""

SECONDS_OF_AN_INSTRUCTION = 1e-8
"""On the first tier, which every kernel begins with; machine code takes a twentieth of that (bench/playouts.py)."""


@dataclass
class Artifact:
    """A game as a circuit and as code.

    observe: facts -> terminal, legal of each role's moves, goals of each role's values
    advance: facts (filled up to whole bytes), moves, moved -> next facts, percepts
    play, charge: see network/playout.py
    expand, end: see network/expansion.py
    step, weigh: see network/stepping.py, network/weighing.py

    Where each bit stands is told by `layout`, and by `playout` once play or charge was made.
    """

    key: str
    everybody_moves: bool
    circuit: Circuit
    codes: dict[str, Code] = field(default_factory=dict)
    playout: PlayoutLayout | None = None
    figures: dict[str, float] = field(default_factory=dict)  # sizes and seconds, for people
    limits: Limits | None = None  # what each job may cost, where somebody has set it

    @cached_property
    def layout(self) -> Layout:
        """What can occur in the game, and where each bit of it stands."""
        return Layout.of(self.circuit, self.everybody_moves)

    @cached_property
    def init(self) -> list[int]:
        """Which facts hold at the start."""
        return [i for i, fact in enumerate(self.layout.facts) if fact in self.circuit.init]

    def code(self, job: str) -> Code:
        """The instructions of a job, made and kept when first asked for."""
        if job == "step":
            return self.step_code()
        if job == "weigh":
            return self.weigh_code()
        return self.play_code(job) if job in ("play", "charge") else self.search_code(job)

    def play_code(self, name: str = "play") -> Code:
        """The instructions of the jobs `play` and `charge`, made and kept when first asked for."""
        if name not in self.codes:
            playout = playout_network(self.circuit, MAX_LENGTH, with_moves=name == "charge")
            self._check_job(name, playout.network)
            goals = tuple((self.circuit.roles.index(role), points(value)) for role, value in playout.goals)
            code = encode(make_plan(playout.network, playout.inputs, playout.outputs))
            self.playout = PlayoutLayout(playout.facts, playout.digits, playout.randoms, goals)
            self.codes[name] = code  # the last, for whoever looks whether it is there
            Cache().write(self.key, self.to_bytes())
        return self.codes[name]

    def search_code(self, name: str) -> Code:
        """The instructions of the jobs `expand` and `end`, made and kept when first asked for."""
        if name not in self.codes:
            expansion = expansion_network(self.circuit)
            self._check_job(name, expansion.network)
            network, inputs = expansion.network, expansion.inputs
            self.codes["expand"] = encode(make_plan(network, inputs, expansion.outputs))
            self.codes["end"] = encode(make_plan(network, inputs, expansion.ends))
            Cache().write(self.key, self.to_bytes())
        return self.codes[name]

    def step_code(self) -> Code:
        """The instructions of the job `step`, made and kept when first asked for."""
        if "step" not in self.codes:
            facts = np.zeros((len(self.layout.facts), 1), np.uint64)
            facts[self.init] = 1
            first = interpret(self.codes["observe"], facts)[:, 0] & 1
            stepping = stepping_network(self.circuit, (first == 1).tolist())
            self._check_job("step", stepping.network)
            self.codes["step"] = encode(make_plan(stepping.network, stepping.inputs, stepping.outputs))
            Cache().write(self.key, self.to_bytes())
        return self.codes["step"]

    def weigh_code(self) -> Code:
        """The instructions of the job `weigh`, made and kept when first asked for."""
        if "weigh" not in self.codes:
            playout = weighing_network(self.circuit, MAX_LENGTH)
            self._check_job("weigh", playout.network)
            self.codes["weigh"] = encode(make_plan(playout.network, playout.inputs, playout.outputs))
            Cache().write(self.key, self.to_bytes())
        return self.codes["weigh"]

    def _check_job(self, name: str, network: Network) -> None:
        """LimitExceeded where a job is more work than it may be."""
        WorkBudget(self.limits, f"making the job {name!r}").check(len(network.kind))

    def check_work(self, code: Code) -> None:
        """LimitExceeded where what code does may cost too much: then nobody has to look at a clock in play.

        It is bounded by its instructions, and a recursion takes as many rounds as it has atoms at most.
        """
        limits = self.limits or NO_LIMITS
        if code.longest_recursion > limits.depth:
            doing = f"building the network, which has one of {code.longest_recursion:,}"
            raise LimitExceeded("depth", f"{limits.depth:,} atoms in one recursion", doing=doing)
        seconds = code.most_work * SECONDS_OF_AN_INSTRUCTION
        if seconds > limits.seconds:
            doing = f"answering one question about a state: its recursion may go on for {seconds:,.0f} s"
            raise LimitExceeded("time", f"{limits.seconds:g} s", doing=doing)

    def to_bytes(self) -> bytes:
        """The artifact for the disk."""
        network = self.circuit.network
        description = {
            "made_by": MADE_BY,
            "key": self.key,
            "everybody_moves": self.everybody_moves,
            "circuit": _describe(self.circuit),
            "figures": self.figures,
        }
        columns = [np.array(getattr(network, name), np.int32).tobytes() for name in COLUMNS]
        return pack(description, [*columns, self.codes_to_bytes()])

    def codes_to_bytes(self) -> bytes:
        """The instructions of all jobs that were made so far."""
        sizes = {name: [code.inputs, code.outputs, code.slots] for name, code in self.codes.items()}
        counts = {} if self.playout is None else self.playout.to_dict()
        description = {"codes": sizes, "play_counts": counts}
        return pack(description, [code.instructions.tobytes() for code in self.codes.values()])

    def take_codes(self, content: bytes) -> None:
        """Have the instructions that `codes_to_bytes` wrote."""
        description, blobs = unpack(content)
        if description["play_counts"]:
            self.playout = PlayoutLayout.from_dict(description["play_counts"])
        for (name, sizes), blob in zip(description["codes"].items(), blobs, strict=True):
            inputs, outputs, slots = sizes
            code = Code(inputs, outputs, slots, np.frombuffer(blob, np.int32).reshape(-1, 4))
            self.codes.setdefault(name, code)

    @classmethod
    def from_bytes(cls, content: bytes) -> Artifact:
        """The artifact that `to_bytes` wrote; ValueError for what somebody else did."""
        description, blobs = unpack(content)
        if description["made_by"] != MADE_BY:
            raise ValueError(f"made by {description['made_by']}, not by {MADE_BY}")
        columns = [np.frombuffer(blob, np.int32).tolist() for blob in blobs[: len(COLUMNS)]]
        circuit = _circuit(description["circuit"], Network(*columns))
        figures = description["figures"]
        artifact = cls(description["key"], description["everybody_moves"], circuit, figures=figures)
        artifact.take_codes(blobs[len(COLUMNS)])
        return artifact


def _describe(circuit: Circuit) -> dict[str, Any]:
    """A circuit as plain data, its gates left out."""
    return {
        "roles": circuit.roles,
        "facts": list(circuit.facts.items()),
        "init": sorted(circuit.init, key=str),
        "terminal": circuit.terminal,
        "stops": circuit.stops,
        "single": circuit.single,
        "steps": circuit.steps,
        "lasting": circuit.lasting,
        "next": circuit.next,
        "moved": list(circuit.moved.values()),
        "moves": [list(circuit.moves[role].items()) for role in circuit.roles],
        "legal": [circuit.legal[role] for role in circuit.roles],
        "goal": [list(circuit.goal[role].items()) for role in circuit.roles],
        "sees": [list(circuit.sees[role].items()) for role in circuit.roles],
        "loops": [[loop.nodes, loop.values] for loop in circuit.network.loops],
    }


def _circuit(described: dict[str, Any], network: Network) -> Circuit:
    """The circuit that `_describe` described."""
    roles = tuple(map(_term, described["roles"]))
    network.loops = [Loop(tuple(nodes), tuple(values)) for nodes, values in described["loops"]]

    def by_role(name: str) -> dict[Term, dict[Term, int]]:
        return {role: _wires(pairs) for role, pairs in zip(roles, described[name], strict=True)}

    return Circuit(
        network,
        roles,
        facts=_wires(described["facts"]),
        moves=by_role("moves"),
        moved=dict(zip(roles, described["moved"], strict=True)),
        init=frozenset(map(_term, described["init"])),
        legal=dict(zip(roles, described["legal"], strict=True)),
        goal=by_role("goal"),
        sees=by_role("sees"),
        next=described["next"],
        terminal=described["terminal"],
        stops=described["stops"],
        single=tuple((functor, arity) for functor, arity in described["single"]),
        steps=described["steps"],
        lasting=tuple(map(_term, described["lasting"])),
    )


def _wires(pairs: list[Any]) -> dict[Term, int]:
    return {_term(term): wire for term, wire in pairs}


def _term(value: Any) -> Term:
    """A term that JSON has made lists of."""
    return Compound((value[0], *map(_term, value[1:]))) if isinstance(value, list) else Symbol(value)


def points(value: Term) -> int:
    """What a goal counts in playouts; 0 for one that is no reward, which States report as an error."""
    return reward_of(value) or 0


def make_artifact(preparation: Preparation) -> Artifact:
    """The artifact of a game, from the disk if it was made before; LimitExceeded where it costs too much."""
    artifact = _kept(preparation)
    if artifact is None:
        with _without_collector():
            artifact = _make(preparation)
        Cache().write(artifact.key, artifact.to_bytes())
    artifact.limits = preparation.limits
    _check_making(artifact)
    return artifact


def _kept(preparation: Preparation) -> Artifact | None:
    """The artifact that is on the disk; None where there is none, or what is there says something else."""
    if preparation.kept is None:
        return None
    try:
        return Artifact.from_bytes(preparation.kept)
    except (LookupError, TypeError, ValueError):  # whole, but not what is written today: it is made again
        return None


def _check_making(artifact: Artifact) -> None:
    """LimitExceeded where making a game costs more than it may, also where it was made at another time."""
    limits, figures = artifact.limits, artifact.figures
    if limits is None:
        return
    if figures["ground_rules"] > limits.rows:
        doing = f"grounding the rules, which gives {figures['ground_rules']:,}"
        raise LimitExceeded("size", f"{limits.rows:,} ground rules", doing=doing)
    doing = f"making the game for the compiled machine, of {figures['nodes']:,} gates"
    counted = (int(figures[kind]) for kind in ("nodes", "ground_rules", "ground_literals"))
    WorkBudget(limits, doing).check(*counted)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Leave out the search for garbage in cycles while millions of objects are made, none of them in a cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _make(preparation: Preparation) -> Artifact:
    grounding = preparation.grounding or preparation.begin()
    allowance = WorkBudget(preparation.limits, "making the game for the compiled machine")
    began = time.perf_counter()
    load_runtime()  # while the other process grounds
    program = grounding.result()
    grounded = time.perf_counter()
    check = partial(allowance.check, rules=len(program.heads), literals=len(program.literals))
    circuit = build(program, everybody_moves=preparation.everybody_moves, check=check)
    nodes, shared = len(circuit.network.kind), circuit.network.gates
    circuit = run_passes(circuit)
    circuit.network.forget()
    ground_rules, ground_literals = len(program.heads), len(program.literals)
    del program  # with the next step, the most memory is taken
    built = time.perf_counter()
    artifact = Artifact(preparation.key, preparation.everybody_moves, circuit, _codes(circuit))
    artifact.figures = {
        "ground_rules": ground_rules,
        "ground_literals": ground_literals,
        "nodes": nodes,
        "shared_gates": shared,
        "gates": circuit.network.gates,
        "depth": depth_of(circuit.network),
        "loops": len(circuit.network.loops),
        "ground_seconds": round(grounded - began, 3),
        "build_seconds": round(built - grounded, 3),
        "encode_seconds": round(time.perf_counter() - built, 3),
    }
    return artifact


def _codes(circuit: Circuit) -> dict[str, Code]:
    """The instructions of the jobs that every state needs."""
    network = circuit.network
    facts = list(circuit.facts.values())
    filler = [network.input() for _ in range(-len(facts) % 8)]
    moves = [wire for role in circuit.roles for wire in circuit.moves[role].values()]
    moved = [circuit.moved[role] for role in circuit.roles if circuit.moved[role] != TRUE]
    return {
        "observe": encode(make_plan(network, facts, circuit.seen_in_state())),
        "advance": encode(make_plan(network, [*facts, *filler, *moves, *moved], circuit.made_by_moves())),
    }
