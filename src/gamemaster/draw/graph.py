"""What players thought of their chances, step by step -> one SVG: a line for each, light and dark, told in words.

Lines are told apart by their dashes and by the name at their end, not by colour alone. The group with `data-plot` says
where steps are, so that a page can find the step under a click; the one with `data-cursor` stands at a step, and a page
can move it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gamemaster.draw.picture.colours import (
    INK,
    PAPER,
    QUIET,
    Coat,
    Ink,
    Theme,
    Tone,
    coat_of,
    luminance,
    mixed,
)
from gamemaster.draw.picture.markup import clip, escape, tag, text_width
from gamemaster.draw.svg import Composition, checked_theme, finished

__all__ = ["ValueGraph", "ValueLine", "draw_graph"]

WIDTH, HEIGHT = 420, 172
TOP, BOTTOM, LEFT = 14, 26, 30
LETTERS = 12.0
"""How high text is."""

LEAST_RIGHT, MOST_RIGHT = 40, 130
"""The room for names at the ends of lines."""

LONGEST_NAME = 18
BEST = 100
LEVELS = (0, 50, 100)
FEW = 40
"""Of so many steps at most each has a mark, and each value a dot."""

MOST_TICKS = 5
SEEN = 3.0
"""How much a line stands out against the paper at least, as the web's guidelines count it."""

GRID: Tone = ("#dcd8ce", "#383c43")
WRONG: Tone = ("#a3341f", "#f0917c")
DASHES = (
    (None, "solid"),
    ("7 4", "dashed"),
    ("2 3", "dotted"),
    ("10 3 2 3", "dash and dot"),
    ("14 5", "long dashes"),
    ("5 2 1 2 1 2", "dash and two dots"),
)


@dataclass(frozen=True)
class ValueLine:
    """What one of them thought: the values it expected, 0 to 100, by the step that followed."""

    name: str
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class ValueGraph:
    """The lines of all roles, in their order, and how many steps there are; `faults`: where something went wrong."""

    lines: tuple[ValueLine, ...]
    last: int
    faults: tuple[int, ...] = ()


def draw_graph(
    graph: ValueGraph, *, at: int | None = None, theme: Theme | None = None, prefix: str = ""
) -> str:
    """The drawing of a graph, with its cursor at a step."""
    checked_theme(theme)
    ink = Ink(theme)
    plot = _Plot(ink, graph)
    inner = tag(
        "g",
        *plot.grid(),
        *plot.faults(),
        *plot.curves(),
        *plot.names(),
        plot.cursor(graph.last if at is None else at),
        data_plot="",
        data_left=plot.left,
        data_right=plot.right,
        data_last=graph.last,
    )
    words = "What the players expected", _in_words(graph)
    return finished(ink, Composition((), WIDTH, HEIGHT), inner, words=words, size=WIDTH, prefix=prefix)


class _Plot:
    """Where everything is."""

    def __init__(self, ink: Ink, graph: ValueGraph) -> None:
        self.ink, self.graph = ink, graph
        self.roles = [line.name for line in graph.lines]
        widest = max((text_width(_label(line)) for line in graph.lines if line.points), default=0)
        self.left = float(LEFT)
        self.right = WIDTH - min(max(LEAST_RIGHT, 18 + LETTERS * widest), MOST_RIGHT)
        self.bottom = float(HEIGHT - BOTTOM)

    def x(self, step: int) -> float:
        """Where a step is."""
        share = min(max(step, 0), self.graph.last) / max(1, self.graph.last)
        return self.left + (self.right - self.left) * share

    def y(self, value: float) -> float:
        """Where a value is; one outside of all goals is at the edge."""
        return self.bottom - (self.bottom - TOP) * min(max(value, 0.0), float(BEST)) / BEST

    def text(self, x: float, y: float, text: str, tone: Tone, **more: str) -> str:
        """A text whose middle is at that height."""
        return tag(
            "text", escape(text), x=x, y=y + LETTERS * 0.36, font_size=LETTERS, fill=self.ink(tone), **more
        )

    def grid(self) -> Iterator[str]:
        """Levels across, and steps along the foot."""
        for level in LEVELS:
            y = self.y(level)
            dash = None if level == 0 else "1 4"
            yield tag(
                "line",
                x1=self.left,
                y1=y,
                x2=self.right,
                y2=y,
                stroke=self.ink(GRID if level == 0 else QUIET),
                stroke_width=1,
                stroke_dasharray=dash,
            )
            yield self.text(self.left - 8, y, str(level), QUIET, text_anchor="end")
        told = _ticks(self.graph.last)
        every = range(self.graph.last + 1) if self.graph.last <= FEW else told
        for step in every:
            length = 5 if step in told else 3
            x = self.x(step)
            yield tag(
                "line",
                x1=x,
                y1=self.bottom,
                x2=x,
                y2=self.bottom + length,
                stroke=self.ink(QUIET),
                stroke_width=1,
            )
        for step in told:
            yield self.text(self.x(step), self.bottom + 15, str(step), QUIET, text_anchor="middle")

    def faults(self) -> Iterator[str]:
        """A cross at the foot for each step in which something went wrong."""
        for step in sorted(set(self.graph.faults)):
            x, y, r = self.x(step), self.bottom - 8, 3.5
            cross = f"M{x - r:g} {y - r:g}L{x + r:g} {y + r:g}M{x - r:g} {y + r:g}L{x + r:g} {y - r:g}"
            told = tag("title", escape(f"something went wrong at step {step}"))
            mark = tag("path", d=cross, stroke=self.ink(WRONG), stroke_width=2, stroke_linecap="round")
            yield tag("g", told, mark)

    def curves(self) -> Iterator[str]:
        """The lines, each with its own dashes."""
        for number, line in enumerate(self.graph.lines):
            if not line.points:
                continue
            stroke = self.ink(_drawn_in(coat_of(f"role {number + 1}", self.roles)))
            yield tag(
                "path",
                d="M" + "L".join(f"{self.x(step):.1f} {self.y(value):.1f}" for step, value in line.points),
                fill="none",
                stroke=stroke,
                stroke_width=2.2,
                stroke_dasharray=DASHES[number % len(DASHES)][0],
                stroke_linejoin="round",
            )
            for step, value in line.points if self.graph.last <= FEW else line.points[-1:]:
                yield tag("circle", cx=self.x(step), cy=self.y(value), r=2.6, fill=stroke)

    def names(self) -> Iterator[str]:
        """Each line's name at its end; where ends are close together, names make room for each other."""
        ends = [(line, *line.points[-1]) for line in self.graph.lines if line.points]
        heights = _apart([self.y(value) for _, _, value in ends], LETTERS * 1.25, TOP, self.bottom)
        for (line, step, value), y in zip(ends, heights, strict=True):
            yield tag(
                "path",
                d=f"M{self.x(step) + 4:.1f} {self.y(value):.1f}L{self.right + 6:.1f} {y:.1f}",
                stroke=self.ink(QUIET),
                stroke_width=0.8,
                fill="none",
            )
            room = MOST_RIGHT - 18
            squeezed = f"{room}" if LETTERS * text_width(_label(line)) > room else None
            yield self.text(
                self.right + 10, y, _label(line), INK, **({"textLength": squeezed} if squeezed else {})
            )

    def cursor(self, step: int) -> str:
        """The step that is looked at."""
        return tag(
            "g",
            tag("line", x1=0, y1=TOP - 6, x2=0, y2=self.bottom, stroke=self.ink(INK), stroke_width=1.2),
            tag("path", d=f"M-4 {TOP - 10}h8l-4 6z", fill=self.ink(INK)),
            data_cursor="",
            transform=f"translate({self.x(step):.2f} 0)",
        )


def _label(line: ValueLine) -> str:
    return f"{clip(line.name, LONGEST_NAME)} {line.points[-1][1]:.0f}"


def _drawn_in(coat: Coat) -> Tone:
    """The tone of a line: the fill of a coat, with as much of its edge in it as it needs to be seen on the paper."""
    light, dark = (
        next((tone for tone in mixtures if _contrast(tone, paper) >= SEEN), mixtures[-1])
        for paper, mixtures in (
            (paper, [mixed(fill, edge, part / 10) for part in range(11)])
            for fill, edge, paper in zip(coat.fill, coat.edge, PAPER, strict=True)
        )
    )
    return light, dark


def _contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _ticks(last: int) -> list[int]:
    """The steps that are told: round numbers, a few of them, and the last."""
    scale = next(
        size * 10**power for power in range(12) for size in (1, 2, 5) if last <= MOST_TICKS * size * 10**power
    )
    return [*(step for step in range(0, last, scale) if last - step > scale / 2), last]


def _apart(heights: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Heights with so much between them at least, each near where it was, as far as there is room."""
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    gap = min(gap, (bottom - top) / max(1, len(heights) - 1))
    placed = list(heights)
    below = top - gap
    for number in order:
        placed[number] = below = max(heights[number], below + gap)
    above = bottom + gap
    for number in reversed(order):
        placed[number] = above = min(placed[number], above - gap)
    return placed


def _in_words(graph: ValueGraph) -> str:
    """The graph for somebody who does not see it."""
    told = [f"Each player's own estimate of its goal, 0 to {BEST}, over {graph.last} steps."]
    for number, line in enumerate(graph.lines):
        if not line.points:
            continue
        values = [value for _, value in line.points]
        (first, begun), (last, ended) = line.points[0], line.points[-1]
        told.append(
            f"{clip(line.name)} ({DASHES[number % len(DASHES)][1]}): {begun:.0f} at step {first}, "
            f"{ended:.0f} at step {last}, between {min(values):.0f} and {max(values):.0f}."
        )
    if graph.faults:
        told.append(f"Something went wrong at step {', '.join(map(str, sorted(set(graph.faults))[:20]))}.")
    return " ".join(told)
