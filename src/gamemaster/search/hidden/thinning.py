"""Fewer particles with the same weights in the mean, on arrays: the likeliest stay, of the others some are drawn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["thinned_rows"]


def thinned_rows(
    weights: npt.NDArray[np.float64], most: int, generator: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Which are kept, and their weights: `thinned` of particles.py on arrays."""
    order = np.argsort(-weights, kind="stable")
    sorted_weights = weights[order]
    rests = np.cumsum(sorted_weights[::-1])[::-1]
    places = np.arange(min(most - 1, len(order)))
    is_sure = sorted_weights[places] * (most - places) > rests[places]
    sure = len(places) if is_sure.all() else int(np.argmin(is_sure))
    share = rests[sure] / (most - sure)
    others = generator.permutation(order[sure:])
    marks = np.floor(np.cumsum(weights[others]) / share + generator.random()).astype(np.int64)
    drawn = others[np.diff(marks, prepend=0) > 0][: most - sure]
    return np.concatenate([order[:sure], drawn]), np.concatenate(
        [sorted_weights[:sure], np.full(len(drawn), share)]
    )
