"""How fair a game is -> one small SVG: what each role gets, with its interval, and how long games are; light and dark.

Random and strong play are told apart by shape, a full dot and an open diamond, not by colour alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gamemaster.arena.balance import Balance
from gamemaster.draw.picture.colours import INK, QUIET, Ink, Theme, Tone
from gamemaster.draw.picture.markup import clip, escape, tag, text_width
from gamemaster.draw.svg import Composition, checked_theme, finished
from gamemaster.machine.game import PlayoutStats
from gamemaster.machine.statistics import Interval
from gamemaster.metagame.random_games import Bar, histogram

__all__ = ["draw_balance"]

WIDTH, LEFT, RIGHT = 460.0, 96.0, 66.0
LETTERS = 12.0
ROW, HEAD, CHART, FOOT = 34.0, 46.0, 96.0, 34.0
MOST_ROLES, MOST_BARS, LONGEST_NAME = 12, 36, 13
GRID: Tone = ("#dcd8ce", "#383c43")
RANDOM_PLAY: Tone = ("#0072b2", "#56b4e9")
STRONG_PLAY: Tone = ("#b84e00", "#e69f00")
LEVELS = (0, 25, 50, 75, 100)


def draw_balance(balance: Balance, *, theme: Theme | None = None, prefix: str = "") -> str:
    """The drawing of a game's balance; without a theme it follows its reader."""
    checked_theme(theme)
    plot = _BalancePlot(Ink(theme), balance)
    inner = tag("g", *plot.heading(), *plot.levels(), *plot.goals(), *plot.lengths())
    words = f"Balance of {clip(balance.game, 60)}", plot.words()
    size = Composition((), WIDTH, plot.height)
    return finished(plot.ink, size, inner, words=words, size=int(WIDTH), prefix=prefix)


class _BalancePlot:
    """Where everything is."""

    def __init__(self, ink: Ink, balance: Balance) -> None:
        self.ink, self.balance = ink, balance
        self.random = balance.random.stats
        self.strong = balance.strong.stats if balance.strong and balance.strong.stats.playouts else None
        self.players = clip(", ".join(dict.fromkeys(balance.strong.players if balance.strong else ())), 16)
        goals = self.random.goal_intervals()
        self.roles = list(goals)[:MOST_ROLES]
        self.more = len(goals) - len(self.roles)
        ends = [end for stats in self.all() for each in stats.goal_intervals().values() for end in each]
        self.low, self.high = min(0.0, *ends), max(100.0, *ends)
        self.bottom = HEAD + ROW * len(self.roles)
        self.chart = self.bottom + (40.0 if self.more else 28.0)
        self.height = self.chart + CHART + FOOT

    def all(self) -> Iterator[PlayoutStats]:
        """The kinds of play there are."""
        yield self.random
        if self.strong is not None:
            yield self.strong

    def x(self, value: float) -> float:
        """Where a goal is."""
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - self.low) / (self.high - self.low)

    def text(self, x: float, y: float, text: str, tone: Tone = QUIET, **more: str) -> str:
        """A text whose middle is at that height."""
        return tag(
            "text", escape(text), x=x, y=y + LETTERS * 0.36, font_size=LETTERS, fill=self.ink(tone), **more
        )

    def heading(self) -> Iterator[str]:
        """What the two shapes stand for."""
        told = f"{self.random.playouts:,} random games"
        yield self.mark(LEFT, 12, RANDOM_PLAY, is_open=False)
        yield self.text(LEFT + 10, 12, told, INK)
        if self.strong is not None:
            x = LEFT + 34 + LETTERS * text_width(told)
            yield self.mark(x, 12, STRONG_PLAY, is_open=True)
            yield self.text(x + 10, 12, f"{_matches(self.strong.playouts)} of {self.players}", INK)

    def mark(self, x: float, y: float, tone: Tone, *, is_open: bool) -> str:
        """A full dot, or an open diamond."""
        if not is_open:
            return tag("circle", cx=x, cy=y, r=4, fill=self.ink(tone))
        shape = f"M{x - 5:.1f} {y:.1f}l5 -5l5 5l-5 5z"
        return tag("path", d=shape, fill="none", stroke=self.ink(tone), stroke_width=2)

    def levels(self) -> Iterator[str]:
        """Goals from the worst to the best, upright."""
        levels = LEVELS if (self.low, self.high) == (0, 100) else (round(self.low), round(self.high))
        for level in levels:
            x = self.x(level)
            yield tag("line", x1=x, y1=HEAD - 6, x2=x, y2=self.bottom, stroke=self.ink(GRID), stroke_width=1)
            yield self.text(x, HEAD - 14, str(level), text_anchor="middle")
        yield self.text(LEFT - 10, HEAD - 14, "goal", text_anchor="end")

    def goals(self) -> Iterator[str]:
        """A row for each role."""
        for number, role in enumerate(self.roles):
            y = HEAD + ROW * (number + 0.5)
            yield self.text(LEFT - 10, y, clip(role, LONGEST_NAME), INK, text_anchor="end")
            for place, stats in enumerate(self.all()):
                apart = 0.0 if self.strong is None else (-7.0, 7.0)[place]
                yield self.interval(role, stats.goal_intervals()[role], y + apart, is_strong=place == 1)
        if self.more:
            yield self.text(LEFT - 10, self.bottom + 8, f"and {self.more} more", text_anchor="end")

    def interval(self, role: str, each: Interval, y: float, *, is_strong: bool) -> str:
        """A mean on the line of its interval, and its number."""
        tone = STRONG_PLAY if is_strong else RANDOM_PLAY
        start, end = self.x(each.low), self.x(each.high)
        shape = f"M{start:.1f} {y - 4:.1f}v8M{start:.1f} {y:.1f}H{end:.1f}M{end:.1f} {y - 4:.1f}v8"
        told = f"{role}, {'strong' if is_strong else 'random'} play: {each}"
        return tag(
            "g",
            tag("title", escape(clip(told, 120))),
            tag("path", d=shape, fill="none", stroke=self.ink(tone), stroke_width=1.6),
            self.mark(self.x(each.value), y, tone, is_open=is_strong),
            self.text(WIDTH - RIGHT + 14, y, f"{each.value:.1f}", INK),
        )

    def lengths(self) -> Iterator[str]:
        """A chart of how long games are; matches of strong players stand below it."""
        counts, strong = _lengths(self.random), _lengths(self.strong)
        bars = histogram(counts, MOST_BARS)
        first, last = bars[0].first, bars[-1].last
        least, most = min([first, *strong]), max([last, *strong]) + 1
        highest, floor = max(bar.value for bar in bars), self.chart + CHART
        right = WIDTH - RIGHT

        def place(length: float) -> float:
            return LEFT + (right - LEFT) * (length - least) / (most - least)

        yield self.text(LEFT - 10, self.chart + 12, "steps", text_anchor="end")
        yield self.text(LEFT - 10, self.chart + 28, f"to {highest:.0f} %", text_anchor="end")
        for bar in bars:
            yield self.bar(
                bar, place(bar.first), place(bar.last + 1), floor, (CHART - 8) * bar.value / highest
            )
        yield tag("line", x1=LEFT, y1=floor, x2=right, y2=floor, stroke=self.ink(QUIET), stroke_width=1)
        for length, games in sorted(strong.items()):
            told = tag("title", escape(f"{_matches(games)} of {length} steps"))
            yield tag("g", told, self.mark(place(length + 0.5), floor + 9, STRONG_PLAY, is_open=True))
        for length in sorted({least, most - 1}):
            yield self.text(place(length + 0.5), floor + 24, str(length), text_anchor="middle")
        mean = self.random.mean_length
        middle = place(mean + 0.5)
        if min(middle - place(least), place(most) - middle) > 60:
            yield self.text(middle, floor + 24, f"mean {mean:.1f}", text_anchor="middle")

    def bar(self, bar: Bar, start: float, end: float, floor: float, height: float) -> str:
        """One bar of the chart."""
        gap = min(1.0, (end - start) / 8)
        lengths = str(bar.first) if bar.first == bar.last else f"{bar.first} to {bar.last}"
        return tag(
            "rect",
            tag("title", escape(f"{lengths} steps: {bar.value:.1f} % of random games")),
            x=start + gap,
            y=floor - height,
            width=end - start - 2 * gap,
            height=height,
            fill=self.ink(RANDOM_PLAY),
            fill_opacity=0.75,
        )

    def words(self) -> str:
        """The drawing for somebody who does not see it."""
        told = []
        for stats, what in ((self.random, "random games"), (self.strong, "matches of strong players")):
            if stats is not None:
                goals = ", ".join(
                    f"{clip(role, 40)} {each}"
                    for role, each in list(stats.goal_intervals().items())[:MOST_ROLES]
                )
                told.append(
                    f"In {stats.playouts:,} {what}: {goals}; {stats.mean_length:.1f} steps on the average."
                )
        return " ".join(told)


def _lengths(stats: PlayoutStats | None) -> Counter[int]:
    return Counter(dict(stats.noted.lengths) if stats is not None and stats.noted else {})


def _matches(count: int) -> str:
    return f"{count:,} match{'es' * (count != 1)}"
