"""The results of bench/strength.py as a picture: a player's share of the points in each game, with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gamemaster.draw.picture.markup import clip, escape, short, tag

__all__ = ["draw_shares"]

WIDTH, LEFT, RIGHT = 720.0, 170.0, 190.0
ROW, TOP, BOTTOM = 28.0, 64.0, 16.0
INK, FAINT, BAR, POINT = "#222222", "#bbbbbb", "#56b4e9", "#0072b2"
LONGEST_NAME = 22
LETTERS = 14.0


def draw_shares(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """A line for each row, on paper: a point at its share, on the interval, and the figures beside it."""
    height = TOP + ROW * len(rows) + BOTTOM
    parts = [tag("rect", width=WIDTH, height=height, fill="#ffffff"), _text(clip(title, 90), 16, 24)]
    parts += _axis(height - BOTTOM)
    for number, row in enumerate(rows):
        parts += _row(row, TOP + ROW * (number + 0.5))
    return tag(
        "svg",
        tag("title", escape(title)),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {short(WIDTH)} {short(height)}",
        width=WIDTH,
        role="img",
        font_family="sans-serif",
    )


def _x(share: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * share


def _axis(bottom: float) -> Iterator[str]:
    """Lines at quarters of the points, that of equals the strongest."""
    for percent in (0, 25, 50, 75, 100):
        x = _x(percent / 100)
        yield tag(
            "line", x1=x, y1=TOP - 6, x2=x, y2=bottom, stroke=INK if percent == 50 else FAINT, stroke_width=1
        )
        yield _text(f"{percent} %", x, TOP - 12, anchor="middle", size=12)


def _row(row: Mapping[str, Any], y: float) -> Iterator[str]:
    low, high = _x(row["low"]), _x(row["high"])
    yield _text(clip(Path(row["game"]).stem, LONGEST_NAME), LEFT - 12, y + 5, anchor="end")
    yield tag("line", x1=low, y1=y, x2=high, y2=y, stroke=BAR, stroke_width=6, stroke_linecap="round")
    yield tag("circle", cx=_x(row["share"]), cy=y, r=5, fill=POINT)
    elo = f"{row['elo']:+.0f} ± {row['elo_error']:.0f}"
    yield _text(f"{row['share']:.0%}, {elo}, {row['games']} games", WIDTH - RIGHT + 14, y + 5, size=12)


def _text(words: str, x: float, y: float, *, anchor: str | None = None, size: float = LETTERS) -> str:
    return tag("text", escape(words), x=x, y=y, font_size=size, fill=INK, text_anchor=anchor)
