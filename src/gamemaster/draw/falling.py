"""How exploitability fell -> one small SVG: goals over iterations, both by powers of ten; light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, log10

from gamemaster.draw.picture.colours import INK, QUIET, Ink, Theme, Tone
from gamemaster.draw.picture.markup import clip, escape, tag
from gamemaster.draw.svg import Composition, checked_theme, finished
from gamemaster.solving.equilibrium.equilibrium import Equilibrium, Point

__all__ = ["draw_falling"]

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 460.0, 240.0, 66.0, 26.0, 34.0, 40.0
LETTERS = 12.0
LEAST = 1e-12
"""What is less counts as this: 0 has no place on a scale of powers of ten."""

GRID: Tone = ("#dcd8ce", "#383c43")
LINE: Tone = ("#0072b2", "#56b4e9")


def draw_falling(found: Equilibrium, *, theme: Theme | None = None, prefix: str = "") -> str:
    """The drawing of how exploitable an equilibrium was while it was found; without a theme it follows its reader."""
    checked_theme(theme)
    plot = _FallingPlot(Ink(theme), found)
    inner = tag("g", *plot.heading(), *plot.levels(), *plot.line())
    name = clip(found.tree.game.name, 60)
    words = f"How exploitability fell in {name}", plot.words()
    size = Composition((), WIDTH, HEIGHT)
    return finished(plot.ink, size, inner, words=words, size=int(WIDTH), prefix=prefix)


class _FallingPlot:
    """Where everything is."""

    def __init__(self, ink: Ink, found: Equilibrium) -> None:
        self.ink, self.found = ink, found
        self.points = [point for point in found.curve if point.iterations] or list(found.curve)
        heights = [log10(max(LEAST, point.exploitability)) for point in self.points]
        self.low, self.high = floor(min(heights)), max(ceil(max(heights)), floor(min(heights)) + 1)
        self.last = max(1, ceil(log10(max(2, self.points[-1].iterations))))

    def x(self, iterations: float) -> float:
        """Where a number of iterations is."""
        return LEFT + (WIDTH - LEFT - RIGHT) * log10(max(1, iterations)) / self.last

    def y(self, power: float) -> float:
        """Where a power of ten is."""
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (power - self.low) / (self.high - self.low)

    def text(self, x: float, y: float, text: str, tone: Tone = QUIET, **more: str) -> str:
        """A text whose middle is at that height."""
        return tag(
            "text", escape(text), x=x, y=y + LETTERS * 0.36, font_size=LETTERS, fill=self.ink(tone), **more
        )

    def heading(self) -> Iterator[str]:
        """What is drawn."""
        name = clip(self.found.tree.game.name, 30)
        yield self.text(LEFT, 14, f"{name}: exploitability in goals, by {self.found.algorithm}", INK)

    def levels(self) -> Iterator[str]:
        """Powers of ten, across and upright."""
        right, floor_ = WIDTH - RIGHT, HEIGHT - BOTTOM
        step = -(-(self.high - self.low) // 6)
        for power in range(self.low, self.high + 1, step):
            y = self.y(power)
            yield tag("line", x1=LEFT, y1=y, x2=right, y2=y, stroke=self.ink(GRID), stroke_width=1)
            yield self.text(LEFT - 8, y, f"{10.0**power:g}", text_anchor="end")
        for power in range(self.last + 1):
            x = self.x(10**power)
            yield tag("line", x1=x, y1=TOP, x2=x, y2=floor_, stroke=self.ink(GRID), stroke_width=1)
            yield self.text(x, floor_ + 12, f"{10**power:,}", text_anchor="middle")
        yield self.text((LEFT + right) / 2, floor_ + 28, "iterations", text_anchor="middle")

    def line(self) -> Iterator[str]:
        """From the first look to the last."""
        shape = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in map(self.place, self.points))
        if len(self.points) > 1:
            yield tag("path", d=shape, fill="none", stroke=self.ink(LINE), stroke_width=2)
        x, y = self.place(self.points[-1])
        told = tag("title", escape(self.words()))
        yield tag("g", told, tag("circle", cx=x, cy=y, r=4, fill=self.ink(LINE)))

    def place(self, point: Point) -> tuple[float, float]:
        """Where a look at the profile is."""
        return self.x(point.iterations), self.y(log10(max(LEAST, point.exploitability)))

    def words(self) -> str:
        """The drawing for somebody who does not see it."""
        first, last = self.found.curve[0], self.found.curve[-1]
        return (
            f"From {first.exploitability:.3g} to {self.found.exploitability:.3g} goals in {last.iterations:,} "
            f"iterations of {self.found.algorithm}."
        )
