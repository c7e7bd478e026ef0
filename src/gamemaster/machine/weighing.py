"""Playouts by weights on lanes: the same blocks, on the kernel `weigh` (network/weighing.py)."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gamemaster.codegen.batches import play_by_weights
from gamemaster.codegen.kernel import Kernel
from gamemaster.machine.lanes import ALL, Lanes
from gamemaster.machine.layout import Layout, PlayoutLayout
from gamemaster.machine.weights import Weights
from gamemaster.network.weighing import WEIGHT_BITS

__all__ = ["LARGEST_WEIGHT", "WeighedLanes", "weight_table"]

LARGEST_WEIGHT = (1 << WEIGHT_BITS) - 1

WeightTable = npt.NDArray[np.uint8]
"""A whole number for each move of each role."""


def weight_table(layout: Layout, weights: Weights) -> WeightTable:
    """Weights as whole numbers: of each role the largest is LARGEST_WEIGHT, and what is not 0 is at least 1."""
    table = []
    for role, moves in zip(layout.roles, layout.moves, strict=True):
        own = np.array([weights.get(role, {}).get(move, 1.0) for move in moves])
        largest = own.max(initial=0.0)
        shares = own / largest if largest else own
        table.append(np.where(own > 0, np.maximum(1, np.round(shares * LARGEST_WEIGHT)), 0))
    return np.concatenate(table).astype(np.uint8)


class WeighedLanes(Lanes):
    """A game for many playouts at a time, by weights."""

    job = "weigh"

    def __init__(self, lanes: Lanes, table: WeightTable) -> None:
        super().__init__(lanes.artifact, lanes.kernels, lanes.background)
        self.slice_steps = lanes.slice_steps
        self.table = table

    @cached_property
    def playout(self) -> PlayoutLayout:
        """Where things stand: as in the job `play`, with weights and what is flat behind the random bits."""
        plain = super().playout
        inputs = self.kernels[self.job].code.inputs
        return replace(plain, randoms=inputs - plain.slots.states - 1)

    def _job(self, kernel: Kernel, *order: int) -> dict[str, int]:
        job = super()._job(kernel, *order)
        slots, code = self.playout.slots, kernel.code
        stay = slots.next_state + slots.states
        flats = code.inputs + code.outputs - stay - 1
        digits = np.unpackbits(self.table[:, None], axis=1, bitorder="little", count=WEIGHT_BITS).ravel()
        first = slots.done - flats - len(digits)
        kernel.buffer[first : slots.done - flats] = digits[:, None] * np.uint64(ALL)
        randoms = first - slots.first_random
        return {**job, "randoms": randoms, "stay_slot": stay, "flat_in": slots.done - flats, "flats": flats}

    def _play(self, kernel: Kernel, job: dict[str, int], steps: int) -> dict[str, int]:
        return play_by_weights(kernel, job, steps)
