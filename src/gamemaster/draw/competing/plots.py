"""Ratings with their intervals, one over many matches, the way of a sequential test: SVG, alone or in a page.

Lines have the colour of the text around them, so both themes have them; what is meant is said by place and shape, and
colour only helps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gamemaster.arena.competition import Competition, TestPlan
from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.ratings.table import Row, Standings
from gamemaster.arena.sequential import Decision, pair_scores, way_of
from gamemaster.draw.picture.markup import clip, escape, short, tag

__all__ = ["RatedPoint", "draw_history", "draw_ratings", "draw_test"]

WIDTH, ROW, TOP, LEFT, RIGHT = 640.0, 30.0, 34.0, 170.0, 70.0
POINT, BAR, OTHER = "#0072b2", "#56b4e9", "#d55e00"
LETTERS = 14.0
LONGEST_NAME = 22
TICKS = (5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000)
MOST_TICKS = 7
HEIGHT = 220.0
MOST_POINTS = 200
NARROW = 60.0
"""Beside a picture of one player's rating, for the numbers."""


@dataclass(frozen=True)
class RatedPoint:
    """How good somebody was after so many matches."""

    matches: int
    elo: float
    error: float


def draw_history(name: str, points: Sequence[RatedPoint]) -> str:
    """Somebody's rating after more and more matches: a line, in the band of its intervals."""
    first, last = points[0], points[-1]
    told = f"Rating of {clip(name, 60)}, {_rated(first)} after {_matches(first)}" + (
        f", {_rated(last)} after {_matches(last)}" if last is not first else ""
    )
    ends = [end for each in points for end in (each.elo - each.error, each.elo + each.error)]
    margin = max(10.0, (max(ends) - min(ends)) * 0.06)
    low, high = min(ends) - margin, max(ends) + margin
    top, bottom, right = 16.0, HEIGHT - 36, WIDTH - 16
    span = max(1, last.matches - first.matches)

    def place(matches: int, elo: float) -> tuple[float, float]:
        x = NARROW + (right - NARROW) * (matches - first.matches) / span
        return x, bottom - (bottom - top) * (elo - low) / (high - low)

    parts = []
    for value in _ticks(low, high):
        y = place(0, value)[1]
        weight = 0.5 if value == 0 else 0.15
        parts.append(
            tag("line", x1=NARROW, y1=y, x2=right, y2=y, stroke="currentColor", stroke_opacity=weight)
        )
        label = f"{value:+d}" if value else "0"
        parts.append(_text(label, NARROW - 8, y + 4, anchor="end", size=12))
    band = [place(each.matches, each.elo + each.error) for each in points]
    band += [place(each.matches, each.elo - each.error) for each in reversed(points)]
    way = [place(each.matches, each.elo) for each in points]
    parts.append(tag("polygon", points=_points(band), fill=BAR, fill_opacity=0.3, stroke=BAR, stroke_width=2))
    parts.append(tag("polyline", points=_points(way), fill="none", stroke=POINT, stroke_width=2.5))
    for each, (x, y) in zip(points, way, strict=True):
        told_here = f"after {_matches(each)}: {_rated(each)}"
        parts.append(tag("circle", tag("title", escape(told_here)), cx=x, cy=y, r=4, fill=POINT))
    parts.append(_text(_matches(first), NARROW, HEIGHT - 12, size=12))
    if last is not first:
        parts.append(_text(_matches(last), right, HEIGHT - 12, anchor="end", size=12))
    return _svg(HEIGHT, told, parts)


def _rated(point: RatedPoint) -> str:
    return f"{point.elo:+.0f} ± {point.error:.0f}"


def _matches(point: RatedPoint) -> str:
    return f"{point.matches} match{'es' * (point.matches != 1)}"


def _points(places: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{short(x)},{short(y)}" for x, y in places)


def draw_ratings(standings: Standings) -> str:
    """Everybody's rating as a point on a line that is its interval, the best at the top."""
    rows = [row for row in standings.rows if row.elo is not None and row.elo_error is not None]
    low, high = _reach(rows)
    height = TOP + ROW * len(rows) + 12
    parts = [*_axis(low, high, height)]
    for number, row in enumerate(rows):
        parts += _line(row, TOP + ROW * (number + 0.5), low, high)
    return _svg(height, "Ratings in Elo points, with the interval of 95 %", parts)


def _reach(rows: Sequence[Row]) -> tuple[float, float]:
    ends = [end for row in rows for end in (_elo(row) - _error(row), _elo(row) + _error(row))]
    low, high = min(ends, default=-100.0), max(ends, default=100.0)
    margin = max(10.0, (high - low) * 0.04)
    return low - margin, high + margin


def _elo(row: Row) -> float:
    return row.elo or 0.0


def _error(row: Row) -> float:
    return row.elo_error or 0.0


def _x(value: float, low: float, high: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - low) / (high - low)


def _axis(low: float, high: float, height: float) -> Iterable[str]:
    for value in _ticks(low, high):
        x = _x(value, low, high)
        weight = 0.5 if value == 0 else 0.15
        yield tag("line", x1=x, y1=TOP - 8, x2=x, y2=height - 6, stroke="currentColor", stroke_opacity=weight)
        yield _text(f"{value:+d}" if value else "0", x, TOP - 14, anchor="middle", size=12)


def _ticks(low: float, high: float) -> range:
    """Round values between two, not too many."""
    step = next((each for each in TICKS if (high - low) / each <= MOST_TICKS), TICKS[-1])
    return range(int(low // step + 1) * step, int(high) + 1, step)


def _line(row: Row, y: float, low: float, high: float) -> Iterable[str]:
    elo, error = _elo(row), _error(row)
    told = f"{row.name}: {elo:+.0f}, from {elo - error:+.0f} to {elo + error:+.0f}"
    start, end = _x(elo - error, low, high), _x(elo + error, low, high)
    bar = tag("line", x1=start, y1=y, x2=end, y2=y, stroke=BAR, stroke_width=6, stroke_linecap="round")
    point = tag("circle", cx=_x(elo, low, high), cy=y, r=6, fill=POINT)
    yield _text(clip(row.name, LONGEST_NAME), LEFT - 12, y + LETTERS * 0.36, anchor="end")
    yield tag("g", tag("title", escape(told)), bar, point)
    yield _text(f"{elo:+.0f}", WIDTH - RIGHT + 14, y + LETTERS * 0.36)


def draw_test(competition: Competition, outcomes: Sequence[MatchOutcome]) -> str:
    """How likely the answers were after each pair of matches, between the bounds at which one is taken."""
    test, (first, second) = competition.test, competition.entrants
    assert test is not None
    ways = _ways(test, pair_scores(outcomes, first.name))
    last = ways[-1]
    lines = {"ratio": (POINT, first.name)} | (
        {"other": (OTHER, second.name)} if last.other is not None else {}
    )
    values = [getattr(each, name) for each in ways for name in lines]
    top, bottom = 24.0, HEIGHT - 30
    most, least = max([last.upper, *values]) * 1.05, min([last.lower, *values]) * 1.05

    def place(number: int, ratio: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * number / max(1, len(ways) - 1)
        return x, bottom - (bottom - top) * (ratio - least) / (most - least)

    parts = []
    for ratio, words in ((last.upper, "better"), (0.0, ""), (last.lower, "not better")):
        parts += _bound(place(0, ratio), place(len(ways) - 1, ratio), words, is_dashed=bool(ratio))
    for name, (colour, who) in lines.items():
        points = [place(number, getattr(each, name)) for number, each in enumerate(ways)]
        drawn = " ".join(f"{short(x)},{short(y)}" for x, y in points)
        parts.append(tag("polyline", points=drawn, fill="none", stroke=colour, stroke_width=2.5))
        parts.append(_text(clip(who, 9), WIDTH - RIGHT + 6, points[-1][1] + LETTERS * 0.36, size=12))
    parts.append(_text(f"{last.pairs} pairs", WIDTH - RIGHT, HEIGHT - 10, anchor="end", size=12))
    return _svg(HEIGHT, "The sequential test, pair by pair", parts)


def _bound(start: tuple[float, float], end: tuple[float, float], words: str, *, is_dashed: bool) -> list[str]:
    line = tag(
        "line",
        x1=start[0],
        y1=start[1],
        x2=end[0],
        y2=end[1],
        stroke="currentColor",
        stroke_opacity=0.4,
        stroke_dasharray="5 4" if is_dashed else None,
    )
    return [line, _text(words, LEFT - 12, start[1] + LETTERS * 0.36, anchor="end")]


def _ways(test: TestPlan, scores: Sequence[float]) -> list[Decision]:
    """What the test said after each pair; of many, so many as can be seen."""
    ways = list(way_of(test, scores))
    return [*ways[: -1 : max(1, len(ways) // MOST_POINTS)], ways[-1]]


def _text(words: str, x: float, y: float, *, anchor: str | None = None, size: float = LETTERS) -> str:
    if not words:
        return ""
    return tag("text", escape(words), x=x, y=y, font_size=size, fill="currentColor", text_anchor=anchor)


def _svg(height: float, title: str, parts: Iterable[str]) -> str:
    return tag(
        "svg",
        tag("title", escape(title)),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {short(WIDTH)} {short(height)}",
        width=WIDTH,
        role="img",
        font_family="system-ui, sans-serif",
    )
