"""Network, network -> a proof that they compute the same.

Both are simulated on many inputs, and a gate of the new network that behaves like one of the old one is its *twin*. In
the order of the gates each twin is proven equal, the twins below it taken as one already, so that little has to be
looked at: first a *window* of few gates, by all values that its leaves can have; then all gates below, by a SAT solver
(clingo) with a bound on its work. Where the solver finds inputs on which the two differ, all gates are simulated on
them too, and there may be a better twin. A gate that is not proven equal to any stays one of its own. The networks are
equal if all outputs are, and the values of all loops as functions of the inputs and of the loops' own nodes.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from gamemaster.network.graph import AND, FALSE, XOR, Network, Wire, cone

__all__ = ["EqualityProof", "Part", "prove_equal"]

GATES = (AND, XOR)

CASES = 8_192
"""Inputs that are simulated at a time, each a bit of one long number for every gate."""

MOST_LEAVES = 12
"""Leaves of a window: their values are tried all."""

WIDEST = 24
"""Leaves at which a window is given up; it may have more for a while than it ends with."""

LOOKS = frozenset((1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128))
"""After so many gates taken into a window it is tried."""

MOST_TWINS = 6
INNER_CONFLICTS, OUTER_CONFLICTS = 100, 3_000
MOST_INNER_GATES = 3_000
"""Work of the solver: for a gate inside, which need not be proven, and for an output, which must be."""

MOST_QUESTIONS = 1_500
"""So often the solver is asked about gates inside."""

SOLVED = (60, 250)
"""Gates in windows that the solver is asked about."""

MODELS = 64
MOST_ROUNDS = 3
"""Inputs found by the solver: so many at a time before the proof begins, so often."""


@dataclass(frozen=True)
class Part:
    """What is compared: a network with inputs and outputs."""

    network: Network
    inputs: Sequence[Wire]
    outputs: Sequence[Wire]

    @property
    def needed(self) -> list[int]:
        """Its nodes in order."""
        return sorted(cone(self.network, self.outputs))

    def leaves(self) -> list[int]:
        """The inputs, and the nodes of loops, which are given too."""
        return [*(wire >> 1 for wire in self.inputs), *(n for loop in self.network.loops for n in loop.nodes)]

    def results(self) -> list[Wire]:
        """The outputs, and what defines the loops."""
        return [*self.outputs, *(value for loop in self.network.loops for value in loop.values)]


@dataclass
class EqualityProof:
    """How it went: whether all is equal, and how many gates needed which means."""

    is_equal: bool = False
    is_refuted: bool = False  # the solver has found inputs on which they differ
    shared: int = 0
    by_window: int = 0
    by_solver: int = 0
    unproven: int = 0
    rounds: int = 0

    def __str__(self) -> str:
        told = "equal" if self.is_equal else "not proven equal"
        return (
            f"{told}: {self.shared} gates alike, {self.by_window} by window, {self.by_solver} by solver, "
            f"{self.unproven} not proven"
        )


def prove_equal(old: Part, new: Part, samples: Sequence[Sequence[int]], seed: int = 1) -> EqualityProof:
    """Try to prove that two networks are equal; `samples` [rounds][inputs] are CASES inputs each to simulate first."""
    shapes = [[len(loop.nodes) for loop in part.network.loops] for part in (old, new)]
    if len(old.inputs) != len(new.inputs) or len(old.outputs) != len(new.outputs) or shapes[0] != shapes[1]:
        return EqualityProof()
    return _Prover(old, new, seed).prove(samples)


class _Prover:
    """Both networks in one, gates that are equal shared."""

    def __init__(self, old: Part, new: Part, seed: int) -> None:
        self.old, self.new = old, new
        self.network = Network()
        self.old_wire: dict[int, Wire] = {0: FALSE}
        self.new_wire: dict[int, Wire] = {0: FALSE}
        self.proof = EqualityProof()
        self.generator = random.Random(seed)
        self.inputs: list[Wire] = []
        for ours, theirs in zip(old.leaves(), new.leaves(), strict=True):
            self.old_wire[ours] = self.new_wire[theirs] = self.network.input()
            self.inputs.append(self.old_wire[ours])
        for node in old.needed:
            if node not in self.old_wire:
                self.old_wire[node] = self._copied(old.network, node, self.old_wire)
        self.old_nodes = len(self.network.kind)
        self.old_marks, self.new_marks = _Marks(self.network), _Marks(new.network)
        self.twins: dict[int, list[Wire]] = {}
        self.distinct: set[tuple[int, int]] = set()
        self.questions = 0
        self.anchor: dict[int, int] = {}  # of a new gate: the last old one that it reads

    def prove(self, samples: Sequence[Sequence[int]]) -> EqualityProof:
        for given in samples:
            self._simulate(given, CASES)
        self._refine()
        for node in self.new.needed:
            if node not in self.new_wire:
                self.new_wire[node] = self._merged(node)
        self.proof.is_equal = all(self._is_proven(*pair) for pair in self._result_pairs())
        return self.proof

    def _simulate(self, given: Sequence[int], cases: int) -> None:
        """Tell gates apart by more inputs."""
        self.old_marks.simulate(dict(zip((wire >> 1 for wire in self.inputs), given, strict=True)), cases)
        self.new_marks.simulate(dict(zip(self.new.leaves(), given, strict=True)), cases)
        self.twins = self.old_marks.groups()

    def _refine(self) -> None:
        """Have inputs that tell gates of the old network apart, as far as the solver finds some."""
        tried: set[tuple[int, int]] = set()
        for _ in range(MOST_ROUNDS):
            models: list[Mapping[int, bool]] = []
            asked = 0
            for group in self.twins.values():
                for other in group[1:]:
                    if asked >= MODELS:
                        break
                    if (group[0], other) not in tried:
                        tried.add((group[0], other))
                        asked += 1
                        models += self._models(group[0], other)
            self.proof.rounds += 1
            if asked == 0:
                return
            if models:
                self._learn(models)

    def _models(self, x: Wire, y: Wire) -> list[Mapping[int, bool]]:
        nodes = sorted(cone(self.network, (x, y)))
        if len(nodes) > MOST_INNER_GATES:
            return []
        answer = _differing(self.network, nodes, x, y, INNER_CONFLICTS)
        return [answer] if isinstance(answer, dict) else []

    def _learn(self, models: Sequence[Mapping[int, bool]]) -> None:
        """Simulate inputs that the solver has found, and some near them."""
        variants = max(1, 512 // len(models))
        cases = variants * len(models)
        given = [0] * len(self.inputs)
        place = {wire >> 1: i for i, wire in enumerate(self.inputs)}
        background = [self.generator.getrandbits(cases) & self.generator.getrandbits(cases) for _ in given]
        for number, model in enumerate(models):
            mask = ((1 << variants) - 1) << number * variants
            for node, value in model.items():
                i = place[node]
                noise = 0
                if variants > 1:
                    noise = self.generator.getrandbits(variants)
                    for _ in range(4):
                        noise &= self.generator.getrandbits(variants)
                    noise &= ~1
                given[i] |= (((1 << variants) - 1 if value else 0) ^ noise) << number * variants
            for i in range(len(given)):
                if self.inputs[i] >> 1 not in model:
                    given[i] |= background[i] & mask
        self._simulate(given, cases)

    def _copied(self, source: Network, node: int, wires: dict[int, Wire]) -> Wire:
        x, y = (wires[w >> 1] ^ (w & 1) for w in (source.first[node], source.second[node]))
        return self.network.both(x, y) if source.kind[node] == AND else self.network.differ(x, y)

    def _twins_of(self, node: int, wire: Wire) -> list[Wire]:
        """Gates that have behaved like a new one, those next to what it reads."""
        mark, inverted = self.new_marks.of(node)
        group = self.twins.get(mark, [])
        near = bisect(group, 2 * self.anchor[wire >> 1] + 1)
        return [
            twin ^ inverted for twin in (*group[near : near + MOST_TWINS], *group[max(0, near - 2) : near])
        ]

    def _merged(self, node: int) -> Wire:
        """The gate of the old network that a new one is equal to; itself where none is proven."""
        wire = self._copied(self.new.network, node, self.new_wire)
        if wire >> 1 < self.old_nodes:
            self.proof.shared += 1
            return wire
        below = self.network.first[wire >> 1] >> 1, self.network.second[wire >> 1] >> 1
        self.anchor[wire >> 1] = max(self.anchor.get(each, each) for each in below)
        twins = self._twins_of(node, wire)
        for twin in twins:
            if self._in_window(wire, twin):
                self.proof.by_window += 1
                return twin
        for twin in twins[:2]:
            self.questions += 1
            if self.questions > MOST_QUESTIONS:
                break
            if self._solve(wire, twin, INNER_CONFLICTS, 0) is False:
                self.proof.by_solver += 1
                return twin
        self.proof.unproven += bool(twins)
        return wire

    def _result_pairs(self) -> Iterator[tuple[Wire, Wire]]:
        for ours, theirs in zip(self.old.results(), self.new.results(), strict=True):
            if ours >> 1 in self.old_wire and theirs >> 1 in self.new_wire:
                yield self.old_wire[ours >> 1] ^ (ours & 1), self.new_wire[theirs >> 1] ^ (theirs & 1)

    def _is_proven(self, x: Wire, y: Wire) -> bool:
        if x == y or self._in_window(x, y):
            return True
        answer = self._solve(x, y, OUTER_CONFLICTS, None)
        self.proof.is_refuted |= isinstance(answer, dict)
        return answer is False

    def _solve(self, x: Wire, y: Wire, conflicts: int, most: int | None) -> dict[int, bool] | bool | None:
        """What the solver says: in windows that grow, then with all that is below."""
        for size in SOLVED:
            inner, leaves = self._window(x, y, size)
            if not leaves:
                break
            if _differing(self.network, sorted({*inner, *leaves}), x, y, INNER_CONFLICTS, leaves) is False:
                return False
        nodes = sorted(cone(self.network, (x, y)))
        if most is not None and len(nodes) > most:
            return None
        return _differing(self.network, nodes, x, y, conflicts)

    def _window(self, x: Wire, y: Wire, size: int) -> tuple[list[int], set[int]]:
        """The gates right below two wires, so many, the last first; and what they read. Nothing where that is all."""
        network = self.network
        heap = [-node for node in {x >> 1, y >> 1}]
        heapify(heap)
        seen = {x >> 1, y >> 1}
        inner: list[int] = []
        while heap and len(inner) < size:
            node = -heappop(heap)
            if network.kind[node] in (AND, XOR):
                inner.append(node)
                for below in (network.first[node] >> 1, network.second[node] >> 1):
                    if below not in seen:
                        seen.add(below)
                        heappush(heap, -below)
        is_all = not any(network.kind[-node] in (AND, XOR) for node in heap)
        return inner, set() if is_all else seen.difference(inner)

    def _in_window(self, x: Wire, y: Wire) -> bool:
        """Whether two wires are equal whatever values the leaves of some window have."""
        kind, first, second = self.network.kind, self.network.first, self.network.second
        heap = [-(x >> 1), -(y >> 1)]
        heapify(heap)
        leaves = {x >> 1, y >> 1}
        fixed = 0
        inner: list[int] = []
        while heap and len(leaves) <= WIDEST:
            node = -heappop(heap)
            if kind[node] not in (AND, XOR):
                fixed += 1
                if fixed > MOST_LEAVES:
                    return False
                continue
            leaves.discard(node)
            inner.append(node)
            for below in (first[node] >> 1, second[node] >> 1):
                if below not in leaves:
                    leaves.add(below)
                    heappush(heap, -below)
            if len(inner) in LOOKS and len(leaves) <= MOST_LEAVES and self._agree(x, y, leaves, inner):
                return True
            if len(inner) >= max(LOOKS):
                return False
        return len(leaves) <= MOST_LEAVES and self._agree(x, y, leaves, inner)

    def _agree(self, x: Wire, y: Wire, leaves: set[int], inner: Sequence[int]) -> bool:
        """Whether two wires are equal for all values of the leaves; each gate's are one number, a bit for each case."""
        network = self.network
        values = dict(zip(sorted(leaves), _columns(len(leaves)), strict=True))
        if 0 in values:
            values[0] = 0
        everything = (1 << (1 << len(leaves))) - 1
        for node in reversed(inner):
            a, b = network.first[node], network.second[node]
            p = values[a >> 1] ^ everything if a & 1 else values[a >> 1]
            q = values[b >> 1] ^ everything if b & 1 else values[b >> 1]
            values[node] = p & q if network.kind[node] == AND else p ^ q
        return values[x >> 1] ^ values[y >> 1] == (everything if (x ^ y) & 1 else 0)


def _columns(leaves: int) -> list[int]:
    """For each leaf the cases in which it holds, of all cases."""
    found = []
    cases = 1 << leaves
    for i in range(leaves):
        half = 1 << i
        block = ((1 << half) - 1) << half
        width = 2 * half
        while width < cases:
            block |= block << width
            width *= 2
        found.append(block)
    return found


def _differing(
    network: Network, nodes: Sequence[int], x: Wire, y: Wire, conflicts: int, free: Collection[int] = ()
) -> dict[int, bool] | bool | None:
    """Values of the inputs that make two wires differ; False where there are none, None where it was not found out."""
    import clingo

    control = clingo.Control(["--warn=none"])
    control.configuration.solve.solve_limit = f"{conflicts},umax"  # type: ignore[union-attr]
    with control.backend() as backend:
        atoms = {node: backend.add_atom() for node in nodes}

        def literal(wire: Wire) -> int:
            return int(-atoms[wire >> 1] if wire & 1 else atoms[wire >> 1])

        for node in nodes:
            a, b = network.first[node], network.second[node]
            if node in free:
                backend.add_rule([atoms[node]], [], choice=True) if node else None
            elif network.kind[node] == AND:
                backend.add_rule([atoms[node]], [literal(a), literal(b)])
            elif network.kind[node] == XOR:
                backend.add_rule([atoms[node]], [literal(a), -literal(b)])
                backend.add_rule([atoms[node]], [-literal(a), literal(b)])
            elif node != 0:
                backend.add_rule([atoms[node]], [], choice=True)
        backend.add_rule([], [literal(x), literal(y)])
        backend.add_rule([], [-literal(x), -literal(y)])
    model: dict[int, bool] = {}

    def note(found: clingo.Model) -> None:
        for node in nodes:
            if node != 0 and network.kind[node] not in (AND, XOR):
                model[node] = found.is_true(atoms[node])

    answer = control.solve(on_model=note)
    if answer.unsatisfiable:
        return False
    return model if answer.satisfiable else None


class _Marks:
    """For each node of a network a number that is the same for nodes that have behaved the same, or opposite."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.marks = [0] * len(network.kind)
        self.is_inverted: list[int] = []

    def of(self, node: int) -> tuple[int, int]:
        return self.marks[node], self.is_inverted[node]

    def simulate(self, given: Mapping[int, int], cases: int) -> None:
        """Go on with inputs: for each leaf the cases in which it holds."""
        network, everything = self.network, (1 << cases) - 1
        kinds, firsts, seconds = network.kind, network.first, network.second
        values = [0] * len(self.marks)
        for leaf, value in given.items():
            values[leaf] = value
        for node, kind in enumerate(kinds[: len(self.marks)]):
            if kind in GATES:
                a, b = firsts[node], seconds[node]
                x = values[a >> 1] ^ everything if a & 1 else values[a >> 1]
                y = values[b >> 1] ^ everything if b & 1 else values[b >> 1]
                values[node] = x & y if kind == AND else x ^ y
        if not self.is_inverted:
            self.is_inverted = [value & 1 for value in values]
        flips = self.is_inverted
        self.marks = [
            hash((mark, value ^ everything if flip else value))
            for mark, value, flip in zip(self.marks, values, flips, strict=True)
        ]

    def groups(self) -> dict[int, list[Wire]]:
        """The wires that share a mark."""
        found: dict[int, list[Wire]] = {}
        for node, (mark, inverted) in enumerate(zip(self.marks, self.is_inverted, strict=True)):
            found.setdefault(mark, []).append(2 * node ^ inverted)
        return found
