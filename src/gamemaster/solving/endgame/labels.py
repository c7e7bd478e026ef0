"""What each role can force in every position, and what of that is sure.

For each role and each goal the positions are found from which it can force an end with that goal at least, and in how
many steps: once as if it could force nothing outside, and once as if everything there were its own. What both say is
sure; where they differ, nothing is told.

Where a clock ends games, whoever cannot be forced out of what a position is worth that goes on (its *resting* goals)
just waits: only better goals have to be forced, and all other positions are worth the resting goals, whatever the
clock says. What is forced holds where the clock leaves room for so many steps. Where no clock does, play that is not
forced to an end is endless.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamemaster.errors import Unsuitable
from gamemaster.machine.compiled import CompiledGame
from gamemaster.search.native.kernels.endgame import NO_POSITION, UNKNOWN
from gamemaster.search.native.kernels.graph import OPEN, Bytes
from gamemaster.search.native.kernels.retrograde import Backwards, Marks, attract, count_parents, fill_parents
from gamemaster.solving.endgame.linking import Links
from gamemaster.solving.labels import Goals, are_opposed
from gamemaster.solving.positions import Stage, Tell

__all__ = ["EndgameLabels", "label_links"]

Distances = npt.NDArray[np.uint16]

ENDLESS = np.uint8(252)
"""The code of positions in which nobody can force an end."""


@dataclass(frozen=True)
class EndgameLabels:
    """A code for each position, and in how many steps it is forced: 0 too where nothing is.

    Codes are places in `vectors`, or ENDLESS, UNKNOWN, NO_POSITION.
    """

    codes: Bytes
    distances: Distances
    vectors: tuple[Goals, ...]
    resting: Goals | None


@dataclass
class _Reach:
    """What a role can force: the place of a goal in a list of them, the best first; and in how many steps."""

    levels: Bytes
    distances: Distances


def label_links(game: CompiledGame, links: Links, has_clock: bool, tell: Tell) -> EndgameLabels:
    """The labels of all positions, without strays."""
    resting = links.resting if has_clock else None
    back = _backwards(links)
    is_led_to = np.diff(back.parent_starts) > 0
    vectors = sorted({*_ends_of_play(links, is_led_to), *([resting] if resting else [])}, reverse=True)
    is_closed = not bool(((links.graph.ends == UNKNOWN) & is_led_to).any())
    if not vectors:
        raise Unsuitable(
            f"endgame: nothing is known of these positions of {game.name}: none of their moves ends the game"
        )
    if not are_opposed(vectors):
        raise Unsuitable(
            f"endgame: the goals of the roles of {game.name} are not opposed: nothing says then what they prefer"
        )
    sure: list[_Reach] = []
    is_sure = np.ones(links.unknown, bool)
    for role in range(len(vectors[0])):
        tell(Stage("labelling positions", role * links.unknown // len(vectors[0]), links.unknown))
        wanted = _wanted(vectors, role, resting)
        low = _reach(links, back, role, wanted, is_hopeful=False)
        if not is_closed:
            is_sure &= _reach(links, back, role, wanted, is_hopeful=True).levels == low.levels
        sure.append(low)
    return _together(links, vectors, sure, is_sure, resting, has_clock)


def _ends_of_play(links: Links, is_led_to: npt.NDArray[np.bool_]) -> list[Goals]:
    """The goals of ends that some move leads to. What other ends are worth, such as two won races, is not asked."""
    used = set(np.unique(links.graph.ends[is_led_to]).tolist())
    for code in range(len(links.vectors)):
        if code not in used:
            links.graph.ends[links.graph.ends == code] = UNKNOWN
    return [goals for code, goals in enumerate(links.vectors) if code in used]


def _wanted(vectors: list[Goals], role: int, resting: Goals | None) -> list[int]:
    """The goals that a role has to force, the best first: more than it gets at rest, or than the least."""
    least = _least(vectors, role) if resting is None else resting[role]
    return sorted({goals[role] for goals in vectors if goals[role] > least}, reverse=True)


def _least(vectors: list[Goals], role: int) -> int:
    """What a role gets of two however it plays; alone it gets nothing without an end."""
    return min(goals[role] for goals in vectors) if len(vectors[0]) > 1 else -1


def _backwards(links: Links) -> Backwards:
    count, moves = len(links.graph.counts), len(links.graph.edges)
    back = Backwards(
        np.empty(count + 1, np.int64),
        np.empty(count + 1, np.int64),
        np.empty(moves, np.uint32),
        np.empty(count, np.uint32),
        np.empty(count, np.uint16),
    )
    count_parents(links.graph, back)
    fill_parents(links.graph, back)
    return back


def _reach(links: Links, back: Backwards, role: int, wanted: list[int], is_hopeful: bool) -> _Reach:
    """What a role can force of some goals; with hope, all that is outside is as good as the best of them."""
    count = links.unknown
    found = _Reach(np.full(count, len(wanted), np.uint8), np.zeros(count, np.uint16))
    for level, goal in enumerate(wanted):
        worth = np.full(256, -1, np.int64)
        worth[: len(links.vectors)] = [0 if goals[role] >= goal else -1 for goals in links.vectors]
        worth[UNKNOWN] = 0 if is_hopeful else -1
        marks = Marks(
            np.full(len(links.graph.counts), OPEN, np.uint8), np.zeros(len(links.graph.counts), np.uint16)
        )
        back.left[:] = links.graph.counts
        attract(links.graph, marks, back, role, worth, 0)
        new = (marks.codes[:count] == 0) & (found.levels == len(wanted))
        found.levels[new], found.distances[new] = level, marks.distances[:count][new]
    return found


def _together(
    links: Links,
    vectors: list[Goals],
    sure: list[_Reach],
    is_sure: npt.NDArray[np.bool_],
    resting: Goals | None,
    has_clock: bool,
) -> EndgameLabels:
    """One code for what all roles can force."""
    codes, distances = np.full(links.unknown, UNKNOWN, np.uint8), np.zeros(links.unknown, np.uint16)
    wanted = [_wanted(vectors, role, resting) for role in range(len(sure))]
    is_free = np.all([each.levels == len(goals) for each, goals in zip(sure, wanted, strict=True)], axis=0)
    if resting is not None:
        codes[is_free] = vectors.index(resting)
    elif not has_clock:
        codes[is_free] = ENDLESS
    for code, goals in enumerate(vectors):
        held = ~is_free
        for role, own in enumerate(wanted):
            if goals[role] in own:
                held &= sure[role].levels == own.index(goals[role])
        forced = [sure[role].distances for role, own in enumerate(wanted) if goals[role] in own]
        if forced:
            codes[held], distances[held] = code, np.max(forced, axis=0)[held]
    codes[~is_sure] = UNKNOWN
    over = links.graph.ends[: links.unknown]
    for code, goals in enumerate(links.vectors):
        if goals in vectors:
            codes[over == code], distances[over == code] = vectors.index(goals), 0
    codes[over == UNKNOWN] = UNKNOWN
    codes[over == NO_POSITION] = NO_POSITION
    distances[codes >= ENDLESS] = 0
    return EndgameLabels(codes, distances, tuple(vectors), resting)
