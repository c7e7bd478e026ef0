"""What workers find out about a game for its page: a picture, its rules in other notations, statistics, an analysis.

Plain values in, plain values out, as all jobs. Every figure comes with its interval (95 %) and with the number of games
it is from: one from five games must not look like one from a million.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

from gamemaster.draw.picture.beside import Caption
from gamemaster.draw.steps import board_after
from gamemaster.draw.svg import draw_svg
from gamemaster.errors import ParameterError
from gamemaster.games import entry
from gamemaster.language.lower import lower
from gamemaster.language.notation import read, show
from gamemaster.language.rules import Notation
from gamemaster.load import load, source_of
from gamemaster.machine.game import RANDOM, Game, PlayoutStats, State
from gamemaster.machine.moves import split_moves, walk
from gamemaster.machine.statistics import Z, mean_error, share_interval
from gamemaster.match.wire.classic import with_noop
from gamemaster.metagame.analysis import analyse
from gamemaster.metagame.random_games import (
    Bar,
    RandomGames,
    branching,
    histogram,
    random_games,
    ways_by_step,
)
from gamemaster.web.jobs import Plain, caption_of_game, check_library, shelf_game

__all__ = ["MOST_PLAYOUTS", "analysis", "portrait", "statistics", "translated"]

# A picture

SEED = 3
STEPS, PART = 12, 0.6
"""A picture is so many random steps into the game, or so far into one that is shorter: starts are empty, or alike."""

PATIENCE = 5.0
"""Seconds for these steps; a game that takes longer is shown as it begins."""


def portrait(name: str) -> str:
    """A game some moves after its start, the same every time; nothing is compiled for it."""
    check_library(name)
    game = load(name, machine="reference")
    known = entry(name).opening if ":" not in name else ""
    before, state = _opening(game, known) if known else _some_way_in(game)
    board = board_after(before, state)
    if board.panels:  # what stands beside them is too small to be read
        board = replace(board, counters=())
    return draw_svg(board, caption=Caption(title=caption_of_game(game.name)), prefix=f"p-{name}")


def _opening(game: Game, moves: str) -> tuple[State, State]:
    state, _, made = walk(game.initial_state(), split_moves(moves), random.Random(SEED))
    return made[-1][0], state


def _some_way_in(game: Game) -> tuple[State | None, State]:
    """A state in the middle of a random game, and the one before."""
    generator, deadline = random.Random(SEED), time.thread_time() + PATIENCE
    line = [game.initial_state()]
    while not line[-1].is_over and len(line) <= STEPS:
        if time.thread_time() > deadline:
            return None, line[0]
        line.append(line[-1].next(line[-1].random_moves(generator)))
    last = len(line) - 1 if not line[-1].is_over else round(PART * (len(line) - 1))
    return (line[last - 1] if last else None), line[last]


# Rules


def translated(name: str, notation: Notation) -> str:
    """The rules of a game in another notation than they are written in, of the same game."""
    check_library(name)
    sheet = read(source_of(name))
    if notation == "epilog":
        raise ParameterError(
            f"{name} is written in {sheet.notation.upper()}, which cannot be turned into Epilog"
        )
    core = lower(sheet)
    return show(with_noop(core) if sheet.notation == "epilog" else core, notation)


# Statistics

MOST_PLAYOUTS = 1_000_000
MOST_LOOKED_AT = 100_000
"""Of the random games, so many are looked at step by step."""

LOOKING = 0.7
"""The part of the time that goes to these."""


def statistics(name: str, playouts: int, seconds: float) -> Plain:
    """Figures of random play, from so many games or as many as fit in the time, once the game is loaded."""
    if not 1 <= playouts <= MOST_PLAYOUTS:
        raise ParameterError(f"playouts must be from 1 to {MOST_PLAYOUTS:,}, not {playouts:,}")
    game = shelf_game(name)
    began = time.perf_counter()
    found = random_games(game, min(playouts, MOST_LOOKED_AT), LOOKING * seconds)
    elapsed = time.perf_counter() - began
    if game.compiled is None:
        played = _played(found, elapsed)
    else:
        played = game.playouts(playouts, (1 - LOOKING) * seconds)
    looked_at = len(found.lengths)
    return {
        "game": name,
        "machine": game.machine.name,
        "asked": playouts,
        "playouts": played.playouts,
        "looked_at": looked_at,
        "cut": played.cut,
        "states_per_second": played.moves / max(1e-9, played.seconds),
        "playouts_per_second": played.playouts / max(1e-9, played.seconds),
        "length": {
            "mean": played.mean_length,
            "margin": _margin(found.lengths, played.playouts),
            "games": played.playouts,
            "least": min(found.lengths),
            "most": max(found.lengths),
            "is_always": min(found.lengths) == max(found.lengths) == played.mean_length,
        },
        "branching": _branching(found),
        "goals": _goals(game, found, played),
        "outcomes": _outcomes(game, found),
        "lengths": _bars(histogram(Counter(found.lengths))),
        "ways": _bars(ways_by_step(found)),
        "points": _points(game, found),
    }


def _played(found: RandomGames, seconds: float) -> PlayoutStats:
    """The same games as means: where each takes long, others are not played for it."""
    count, moves = len(found.lengths), sum(found.lengths)
    goals = tuple(sum(own) / count for own in zip(*found.goals, strict=True))
    return PlayoutStats(count, moves, seconds, moves / count, goals, found.cut)


def _margin(values: Sequence[float], games: int) -> float | None:
    """Half the interval of a mean over so many games, from what some of them differ by; None where that is one."""
    return mean_error(values, games) if len(values) > 1 else None


def _branching(found: RandomGames) -> Plain:
    """Ways on from a state, over all states."""
    mean = sum(found.ways) / max(1, sum(found.lengths))
    interval = branching(found)
    by_step = zip(found.ways_by_step, found.games_by_step, strict=True)
    return {
        "mean": mean,
        "margin": interval and interval.high - mean,
        "is_always": all(ways == mean * games for ways, games in by_step),
        "games": len(found.lengths),
    }


def _goals(game: Game, found: RandomGames, played: PlayoutStats) -> list[Plain]:
    """What each role gets on the average."""
    rows: list[Plain] = []
    for number, role in enumerate(game.roles):
        mean, own = played.mean_goals[number], [goals[number] for goals in found.goals]
        margin = _margin(own, played.playouts)
        if margin == 0:  # all alike where we looked: a goal from 0 to 100 can vary so much at most
            margin = Z * sqrt(max(0.0, mean * (100 - mean)) / played.playouts)
        if role != RANDOM:
            rows.append({"role": role, "mean": mean, "margin": margin, "games": played.playouts})
    return rows


def _outcomes(game: Game, found: RandomGames) -> list[Plain]:
    """How often each role has the most, or none has; alone, how often that is all there is."""
    count = len(found.goals)
    if len([role for role in game.roles if role != RANDOM]) == 1:
        return [_share("full score", sum(max(goals) == 100 for goals in found.goals), count)]
    wins = Counter(_winner(game.roles, goals) for goals in found.goals)
    shares = [_share(f"{role} wins", wins[role], count) for role in game.roles if role != RANDOM]
    return [*shares, _share("draw" if len(shares) == 2 else "no single winner", wins[None], count)]


def _winner(roles: Sequence[str], goals: Sequence[int]) -> str | None:
    """The one role with the highest goal."""
    own = {role: goal for role, goal in zip(roles, goals, strict=True) if role != RANDOM}
    best = [role for role, goal in own.items() if goal == max(own.values())]
    return best[0] if len(best) == 1 else None


def _share(words: str, hits: int, count: int) -> Plain:
    """A share in percent with its interval."""
    share, low, high = share_interval(hits, count)
    return {"words": words, "share": share, "low": low, "high": high, "games": count}


def _bars(bars: Sequence[Bar]) -> list[Plain]:
    return [{"from": bar.first, "to": bar.last, "value": bar.value} for bar in bars]


def _points(game: Game, found: RandomGames) -> list[Plain]:
    """How often each goal is reached, in percent, where one role plays alone."""
    own = [number for number, role in enumerate(game.roles) if role != RANDOM]
    if len(own) > 1:
        return []
    counts, total = Counter(goals[own[0]] for goals in found.goals), len(found.goals)
    return [{"from": goal, "to": goal, "value": 100 * counts[goal] / total} for goal in sorted(counts)]


# An analysis

SURE = ("proved", "observed", "not known")
STATED = frozenset({"roles", "players", "chance", "hidden information"})
"""What the rules say themselves."""

NOTHING = frozenset({"0", "no", "none", "not known"})
"""Answers of searches for proofs that found none: that there is nothing to find is not proved."""

ITSELF = ("1", "at least 1")
"""So many symmetries has any game."""


def analysis(name: str, seconds: float) -> Plain:
    """What can be said of a game with certainty, or as far as was seen, a row each."""
    found = analyse(shelf_game(name), seconds=seconds)
    rows = [{"what": what, "answer": answer, **_how(what, answer, how)} for what, answer, how in found.rows()]
    return {"game": name, "seconds": found.seconds, "rows": rows}


def _how(what: str, answer: str, how: str) -> dict[str, str]:
    """How sure a row is, and what else it says."""
    if what in STATED:
        return {"sure": "by the rules", "which": ""}
    if how in SURE:
        return {"sure": how, "which": ""}
    if what == "goals that never fall":  # some are proved, some not; or every role's was seen to fall
        return {"sure": "observed" if how else "proved", "which": how}
    is_nothing = answer in (ITSELF if what == "symmetries" else NOTHING)
    return {"sure": "none found" if is_nothing else "proved", "which": how}
