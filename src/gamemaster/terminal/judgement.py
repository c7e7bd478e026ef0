"""What a judgement holds facts of a game to be worth, on the screen and as pictures: `gamemaster learn`.

Heat maps where the game has a board, else a table of the facts worth most; pairs; the curve of learning; and how much
is foretold of games that it has not learnt from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamemaster.draw.judgement.maps import Heat, heat_of, in_points
from gamemaster.draw.judgement.picture import draw_judgement
from gamemaster.draw.judgement.text import curve_lines, heat_colour, heat_text
from gamemaster.draw.png import png_of
from gamemaster.draw.svg import checked_theme
from gamemaster.terminal.boards import drawable
from gamemaster.terminal.pictures import PictureOrder, check_picture_file, write_picture
from gamemaster.terminal.screen import console_of, is_terminal, width
from gamemaster.terminal.tables import print_table

if TYPE_CHECKING:
    from gamemaster.search.native.engine import Engine
    from gamemaster.search.native.judgement import Judgement
    from gamemaster.search.native.worths import Worth, Worths

__all__ = ["Insight", "insight_of", "pictures_ordered"]

MOST_FACTS, MOST_BESIDE = 20, 6
"""So many facts stand in the table where there are no maps, and where there are."""


def pictures_ordered(
    svg: Path | None, png: Path | None, theme: str | None, size: int | None
) -> tuple[PictureOrder, ...]:
    """The pictures that somebody wants; ParameterError where one cannot be drawn or written."""
    for path in (svg, png):
        check_picture_file(path)
    checked_theme(theme)
    orders = (("svg", svg), ("png", png))
    return tuple(PictureOrder(form, theme, size, out) for form, out in orders if out is not None)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Insight:
    """What can be told of a judgement."""

    name: str
    judgement: Judgement
    worths: Worths
    heat: Heat
    other: str
    """Who loses what the role gains whose points they are."""

    def show(self) -> None:
        """Print maps or facts, pairs, the curve, and what is foretold."""
        looked = f"looked at in {self.worths.states:,} states"
        print(f"\nworth to {self.worths.role}, in points of 100 that {self.other} loses; {looked}")
        if self.heat.maps:
            self._show_maps()
        self._show_facts(self.heat.others[: MOST_BESIDE if self.heat.maps else MOST_FACTS])
        self._show_pairs()
        self._show_curve()

    def _show_maps(self) -> None:
        print("blue and + is good for it, orange and - bad")
        print("· was never seen there, or is what others are compared with\n")
        if is_terminal():
            console = console_of()
            has_tints = console.color_system in ("256", "truecolor")
            console.print(heat_colour(self.heat, width(), has_tints=has_tints))
        else:
            print(heat_text(self.heat))

    def _show_facts(self, facts: Sequence[Worth]) -> None:
        if not facts:
            return
        print()
        most = max(abs(each.points) for each in facts)
        heading = "fact on no board" if self.heat.maps else "fact"
        rows = [
            (
                in_points(each.points, most),
                str(each.fact),
                "" if each.instead is None else str(each.instead),
                f"{each.share:.0%}",
            )
            for each in facts
        ]
        print_table(("points", heading, "rather than", "holds in"), rows, right=("points", "holds in"))

    def _show_pairs(self) -> None:
        if not self.worths.pairs:
            return
        print()
        most = max(abs(each.points) for each in self.worths.pairs)
        rows = [
            (in_points(each.points, most), " and ".join(map(str, each.facts)), f"{each.share:.0%}")
            for each in self.worths.pairs
        ]
        print_table(
            ("points", "together, beyond what both are alone", "hold in"), rows, right=("points", "hold in")
        )

    def _show_curve(self) -> None:
        lines = curve_lines(self.judgement.smooth_curve)
        if lines:
            print(
                "\nwhat it foretold of the differences between results, of games before it learnt from them:"
            )
            print("\n".join(lines))
        print(
            f"\nof the differences between results of {self.worths.games:,} games that it has not learnt from "
            f"it foretells {self.worths.explained:.0%}"
        )

    def draw(self, orders: Sequence[PictureOrder], *, is_told: bool) -> None:
        """Write the pictures that are wanted."""
        for order in orders:
            theme = checked_theme(order.theme) or ("light" if order.form == "png" else None)
            curve = self.judgement.smooth_curve
            svg = draw_judgement(self.name, self.heat, self.worths, curve, theme=theme, size=order.size)
            write_picture(png_of(svg) if order.form == "png" else svg, order, is_told=is_told)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "role": self.worths.role,
            "held_out": {"games": self.worths.games, "explained": self.worths.explained},
            "worths": [
                {
                    "fact": str(each.fact),
                    "points": each.points,
                    "instead": None if each.instead is None else str(each.instead),
                    "share": each.share,
                }
                for each in self.worths.facts
            ],
            "pairs": [
                {"facts": [str(fact) for fact in each.facts], "points": each.points, "share": each.share}
                for each in self.worths.pairs
            ],
            "maps": [
                {
                    "piece": each.title,
                    "points": {
                        cell.name: each.worths[cell.id].points
                        for cell in each.panel.cells
                        if cell.id in each.worths
                    },
                }
                for each in self.heat.maps
            ],
            "smooth_curve": [
                {"games": lesson.games, "explained": lesson.explained}
                for lesson in self.judgement.smooth_curve
            ],
        }


def insight_of(name: str, engine: Engine, judgement: Judgement) -> Insight:
    """What can be told of a judgement, after some games to see which states occur."""
    from gamemaster.search.native.worths import look_into

    game = engine.game
    worths = look_into(engine, game.initial_state(), judgement)
    other = next(role for role in game.roles if role != worths.role)
    return Insight(name, judgement, worths, heat_of(drawable(game), worths), other)
