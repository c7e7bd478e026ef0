"""Draws the pictures of the documents from real play: `python docs/draw_pictures.py`."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

import gamemaster as gm
from gamemaster.draw.ending import end_in_words
from gamemaster.draw.reasons import new_facts, winning_facts
from gamemaster.draw.text import draw_colour
from gamemaster.draw.trees.picture import draw_tree
from gamemaster.search.tracing.choosing import trace_written
from gamemaster.search.tracing.shelf import example_tree

HERE = Path(__file__).parent
TREES = ("aima", "labelled", "openlines")
MOVES = [4, 5, 4, 4, 5, 3, 6, 5, 6, 6, 3]


def without_web_fonts(template: str) -> str:
    """The template with the viewer's own monospaced font: a picture must not fetch anything."""
    template = re.sub(r"@font-face \{\{.*?\}\}", "", template, flags=re.DOTALL)
    return re.sub(r"<!--.*?-->", "", template).replace("Fira Code, monospace", "monospace")


def main() -> None:
    """Write all of them."""
    draw_play()
    for name in TREES:
        svg = draw_tree(trace_written(example_tree(name)))
        (HERE / f"tree-{name}.svg").write_text(f"{svg}\n", encoding="utf-8")


def draw_play() -> None:
    """Write play.svg: the end of a game of Connect Four."""
    before = state = gm.load("connectfour", machine="reference").initial_state()
    for column in MOVES[:-1]:
        before, state = state, state.next(f"drop({column})")
    console = Console(record=True, width=64, file=io.StringIO(), color_system="truecolor")
    console.print(Text("$ gamemaster play connectfour", style="bold"))
    console.print(Text(f"... {len(MOVES) - 1} moves later"), style="dim")
    console.print()
    console.print(draw_colour(state, 60, new_facts(before, state)))
    console.print()
    console.print(Text(f"Step {state.step + 1}: {state.control} to move (8 moves, ? lists them)"))
    console.print(Text(f"{state.control}> drop({MOVES[-1]})"))
    before, state = state, state.next(f"drop({MOVES[-1]})")
    console.print()
    console.print(draw_colour(state, 60, winning_facts(before, state)))
    console.print()
    console.print(Text(f"Game over after {state.step} steps: {end_in_words(state)}."))
    for role in state.game.roles:
        console.print(Text(f"  {role:6}{state.goal(role):4}"))
    svg = console.export_svg(title="gamemaster", code_format=without_web_fonts(CONSOLE_SVG_FORMAT))
    (HERE / "play.svg").write_text(svg)


if __name__ == "__main__":
    main()
