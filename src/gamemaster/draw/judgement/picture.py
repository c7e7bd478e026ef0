"""Heat maps, the curve of learning and what pairs are worth -> one SVG, light and dark.

Maps stand side by side on the left, all on one scale, the legend below them; on the right is the curve, and below it a
list of pairs, or of the facts worth most where there is no board. Each cell has its number, with a sign, so that colour
only helps; what it means stands in its title.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gamemaster.draw.judgement.maps import Heat, HeatMap, in_points, tint_of
from gamemaster.draw.model import Cell
from gamemaster.draw.picture.boxes import moved
from gamemaster.draw.picture.colours import INK, QUIET, Ink, Theme, Tone
from gamemaster.draw.picture.markup import clip, escape, short, tag, text_width
from gamemaster.draw.picture.panels import UNIT, PanelDrawing
from gamemaster.draw.svg import Composition, checked_theme, finished

if TYPE_CHECKING:
    from gamemaster.search.native.judgement import Lesson
    from gamemaster.search.native.worths import Worth, Worths

__all__ = ["MOST_MAPS", "draw_judgement"]

MOST_MAPS = 12
MARGIN, GAP = 40.0, 60.0
PIXELS, SMALLEST_SIZE, LARGEST_SIZE = 0.42, 640, 2400
"""Of a unit of the drawing, and of its longer side, where nobody says: many small numbers are to be read."""

TITLE = 1.35
"""How large the letters of the title are, compared with others."""

SIDE_SHARE, NARROWEST, WIDEST, SIDE_LETTERS = 0.45, 760.0, 1100.0, 24
"""How wide the column at the side is, of what the maps take, and how many letters fit into it, about."""

SMALLEST = 560.0
"""A map is so high at least: small boards are drawn larger."""

LEAST_TOP = 0.1
MOST_LISTED, LONGEST_FACT = 10, 26
NODE, INSET, NUMBER = 0.42, 0.97, 36.0
IN_CELL, IN_CIRCLE = 0.84, 0.7
"""How wide numbers may be in a cell, and in the circle of a place without an outline."""
STEPS = 9
SIDEWAYS = 1.5
"""Maps are arranged so that all is about so many times as wide as high."""

GRID: Tone = ("#dcd8ce", "#383c43")
LINE: Tone = ("#0072b2", "#56b4e9")


@dataclass(frozen=True)
class _Size:
    width: float
    height: float


def draw_judgement(
    game: str,
    heat: Heat,
    worths: Worths,
    curve: Sequence[Lesson],
    *,
    theme: Theme | None = None,
    size: int | None = None,
    prefix: str = "",
) -> str:
    """The drawing of what a judgement holds facts of a game to be worth; without a theme it follows its reader."""
    checked_theme(theme)
    drawing = _Drawing(Ink(theme), game, heat, worths, curve)
    inner = tag("g", *drawing.parts())
    words = f"What is worth how much in {clip(game, 60)}", drawing.words()
    frame = Composition((), drawing.width, drawing.height)
    suits = round(max(SMALLEST_SIZE, min(LARGEST_SIZE, PIXELS * max(drawing.width, drawing.height))))
    return finished(drawing.ink, frame, inner, words=words, size=size or suits, prefix=prefix)


class _Drawing:
    """Where everything is."""

    def __init__(self, ink: Ink, game: str, heat: Heat, worths: Worths, curve: Sequence[Lesson]) -> None:
        self.ink, self.game, self.heat, self.worths, self.curve = ink, game, heat, worths, curve
        self.panels = [
            (each, PanelDrawing(ink, replace(each.panel, look="plain"), each.title, ()))
            for each in heat.maps[:MOST_MAPS]
        ]
        boxes = [drawing.box for _, drawing in self.panels]
        highest = max((box.height for box in boxes), default=SMALLEST)
        self.zoom = max(1.0, SMALLEST / highest)
        self.sizes = [_Size(box.width * self.zoom, box.height * self.zoom) for box in boxes]
        self.rows = self._rows()
        self.maps = self._whole(self.rows)
        self.side = self._side(self.maps.width)
        self.letters = self.side / SIDE_LETTERS
        self.top = MARGIN + 2.4 * TITLE * self.letters
        self.left = MARGIN + (self.maps.width + GAP if self.panels else 0.0)
        titled = 2 * MARGIN + TITLE * self.letters * text_width(self.title, is_bold=True)
        self.width = max(self.left + self.side + MARGIN, titled)
        self.plot_height = self.side * 0.55
        self.list_top = self.top + self.plot_height + 4.2 * self.letters
        listed = 1.5 * self.letters * (len(self.listed) + 0.5)
        below = 4.2 * self.letters if self.panels else 0.0
        self.height = max(self.top + self.maps.height + below, self.list_top + listed) + MARGIN

    @property
    def title(self) -> str:
        """What is drawn."""
        return f"{clip(self.game, 30)}: worth to {clip(self.worths.role, 20)}, in points of 100"

    def _rows(self) -> list[list[int]]:
        """The numbers of maps in rows, as many in each as make all as large as can be."""
        count = len(self.panels)
        ways = [
            [list(range(start, min(count, start + columns))) for start in range(0, count, columns)]
            for columns in range(1, count + 1)
        ]
        return min(ways, key=self._largest_side, default=[])

    def _largest_side(self, rows: list[list[int]]) -> float:
        whole = self._whole(rows)
        return max((whole.width + self._side(whole.width)) / SIDEWAYS, whole.height)

    @staticmethod
    def _side(width: float) -> float:
        """How wide the column beside maps that wide is."""
        return min(WIDEST, max(NARROWEST, width * SIDE_SHARE))

    def _whole(self, rows: list[list[int]]) -> _Size:
        """How large all maps together are."""
        if not rows:
            return _Size(0.0, 0.0)
        wide = max(sum(self.sizes[n].width + GAP for n in row) - GAP for row in rows)
        return _Size(wide, sum(max(self.sizes[n].height for n in row) + GAP for row in rows) - GAP)

    def text(self, x: float, y: float, text: str, tone: Tone = QUIET, size: float = 0.0, **more: str) -> str:
        """A text whose middle is at that height."""
        size = size or self.letters
        return tag("text", escape(text), x=x, y=y + size * 0.36, font_size=size, fill=self.ink(tone), **more)

    def parts(self) -> Iterator[str]:
        """All of it."""
        size = TITLE * self.letters
        yield self.text(MARGIN, MARGIN + size / 2, self.title, INK, size, font_weight="600")
        yield from self._maps()
        yield from self._plot()
        yield from self._list()

    # Maps

    def _maps(self) -> Iterator[str]:
        y = self.top
        for row in self.rows:
            x = MARGIN
            for number in row:
                each, drawing = self.panels[number]
                board = "".join(markup for _, markup in drawing.pieces(f"map {number}", (0.0, 0.0)))
                numbers = "".join(self._numbers(each, -drawing.box.left, -drawing.box.top))
                yield moved(x, y, board, numbers, scale=self.zoom)
                x += self.sizes[number].width + GAP
            y += max(self.sizes[number].height for number in row) + GAP
        if self.panels:
            yield from self._legend(y - GAP + self.letters)

    def _numbers(self, each: HeatMap, x: float, y: float) -> Iterator[str]:
        """The cells of a map, tinted, with their numbers."""
        longest = max((in_points(w.points, self.heat.most) for w in each.worths.values()), key=text_width)
        room = IN_CELL if all(cell.outline for cell in each.panel.cells) else IN_CIRCLE
        size = min(NUMBER, room * UNIT / text_width(longest, is_bold=True))
        for cell in each.panel.cells:
            worth = each.worths.get(cell.id)
            if worth is None:
                continue
            ground, letters = tint_of(worth.points, self.heat.most)
            shape = (
                tag("path", d=_path(cell), fill=ground)
                if cell.outline
                else tag("circle", r=NODE * UNIT, fill=ground)
            )
            number = tag(
                "text",
                escape(in_points(worth.points, self.heat.most)),
                y=size * 0.36,
                font_size=size,
                font_weight="600",
                text_anchor="middle",
                fill=letters,
            )
            at = f"translate({short(x + cell.centre[0] * UNIT)} {short(y + cell.centre[1] * UNIT)})"
            yield tag("g", tag("title", escape(_told(cell, each, worth))), shape, number, transform=at)

    def _legend(self, y: float) -> Iterator[str]:
        """Colours from the most against the role to the most for it, and what a cell without a number is."""
        size, most = self.letters, self.heat.most or 1.0
        step = min(2.2 * size, self.maps.width / STEPS)
        for number in range(STEPS):
            points = most * (2 * number / (STEPS - 1) - 1)
            ground, letters = tint_of(points, most)
            x = MARGIN + number * step
            yield tag("rect", x=x, y=y, width=step + 0.5, height=1.3 * size, fill=ground)
            if number in (0, STEPS // 2, STEPS - 1):
                yield tag(
                    "text",
                    escape(in_points(points, most)),
                    x=x + step / 2,
                    y=y + size * 0.92,
                    font_size=size * 0.75,
                    text_anchor="middle",
                    fill=letters,
                )
        told = f"good for {clip(self.worths.role, 20)}: +, blue; no number: not known"
        fit = min(size, self.maps.width / text_width(told))
        yield self.text(MARGIN, y + 2.2 * size, told, QUIET, fit)

    # The curve

    def _plot(self) -> Iterator[str]:
        last = self.curve[-1].explained if self.curve else self.worths.explained
        told = f"foretells {self.worths.explained:.0%} of results not learnt from"
        left, right = self.left + 3.2 * self.letters, self.left + self.side
        top, bottom = self.top + 2.2 * self.letters, self.top + self.plot_height
        yield self.text(self.left, self.top + self.letters * 0.5, told, INK)
        peak = max([LEAST_TOP, last, self.worths.explained, *(each.explained for each in self.curve)])
        high = math.ceil(peak * 20 - 1e-9) / 20
        step = 0.05 if high <= 0.25 else 0.1 if high <= 0.5 else 0.2
        for number in range(int(high / step + 1e-9) + 1):
            y = bottom - (bottom - top) * number * step / high
            yield tag("line", x1=left, y1=y, x2=right, y2=y, stroke=self.ink(GRID), stroke_width=2)
            yield self.text(left - 10, y, f"{number * step:.0%}", text_anchor="end")
        if len(self.curve) < 2:
            return
        first, span = self.curve[0].games, max(1, self.curve[-1].games - self.curve[0].games)
        places = [
            (
                left + (right - left) * (each.games - first) / span,
                bottom - (bottom - top) * each.explained / high,
            )
            for each in self.curve
        ]
        way = "M" + "L".join(f"{short(x)} {short(y)}" for x, y in places)
        title = tag("title", escape(self._curve_words()))
        yield tag("g", title, tag("path", d=way, fill="none", stroke=self.ink(LINE), stroke_width=5))
        yield tag("circle", cx=places[-1][0], cy=places[-1][1], r=9, fill=self.ink(LINE))
        below = bottom + self.letters
        yield self.text(left, below, f"{first:,}")
        yield self.text(right, below, f"{self.curve[-1].games:,} games learnt", text_anchor="end")

    def _curve_words(self) -> str:
        first, last = self.curve[0], self.curve[-1]
        return (
            f"While it learnt it foretold {first.explained:.0%} of the differences between results after "
            f"{first.games:,} games, {last.explained:.0%} after {last.games:,}"
        )

    # Pairs, or facts

    @property
    def listed(self) -> list[tuple[str, str]]:
        """What is told below the curve: numbers and facts."""
        facts = [(each.points, str(each.fact)) for each in self.heat.others]
        pairs = [
            (each.points, " & ".join(clip(str(fact), LONGEST_FACT) for fact in each.facts))
            for each in self.worths.pairs
        ]
        rows = pairs if self.panels else facts
        most = max((abs(points) for points, _ in rows), default=0.0)
        return [(in_points(points, most), text) for points, text in rows[:MOST_LISTED]]

    def _list(self) -> Iterator[str]:
        heading = "pairs, beyond what both are alone" if self.panels else "what is worth most"
        y, size = self.list_top, self.letters
        yield self.text(self.left, y, heading if self.listed else "no pairs are worth anything", INK)
        for number, text in self.listed:
            y += 1.5 * size
            fit = min(size, (self.side - 4.0 * size) / max(1.0, text_width(text)))
            yield self.text(self.left + 3.2 * size, y, number, INK, text_anchor="end", font_weight="600")
            yield self.text(self.left + 4.0 * size, y, text, QUIET, fit)

    def words(self) -> str:
        """The drawing for somebody who does not see it: the best and the worst cells of each map, the curve."""
        role = self.worths.role
        told = [
            f"Points of 100 for {role}, as judged in {self.worths.states:,} states of games against itself."
        ]
        for each, _ in self.panels:
            names = {cell.id: cell.name for cell in each.panel.cells}
            ranked = sorted(each.worths.items(), key=lambda pair: -pair[1].points)
            best, least = ranked[0], ranked[-1]
            told.append(
                f"{clip(each.title, 40)}: most on {names[best[0]]} ({best[1].points:+.1f}), least on "
                f"{names[least[0]]} ({least[1].points:+.1f})."
            )
        if not self.panels:
            told += [
                f"{clip(str(each.fact), 60)}: {each.points:+.1f}." for each in self.heat.others[:MOST_LISTED]
            ]
        told.append(
            f"It foretells {self.worths.explained:.0%} of the differences between results not learnt from."
        )
        if len(self.curve) > 1:
            told.append(f"{self._curve_words()}.")
        return " ".join(told)


def _told(cell: Cell, each: HeatMap, worth: Worth) -> str:
    """What a number says: `c4, white: +12.3 rather than cell(c,4,b); in 12% of states`."""
    rather = f" rather than {worth.instead}" if worth.instead is not None else ""
    return clip(f"{cell.name}, {each.title}: {worth.points:+.1f}{rather}, in {worth.share:.1%} of states")


def _path(cell: Cell) -> str:
    """The outline of a cell around its centre, a little smaller."""
    size = UNIT * INSET
    corners = [((x - cell.centre[0]) * size, (y - cell.centre[1]) * size) for x, y in cell.outline]
    return f"M{'L'.join(f'{short(x)} {short(y)}' for x, y in corners)}Z"
