"""`gamemaster tree`: a search of a small tree, as text or as a picture, whole or step by step.

The tree is a ready example, a file that ends in .tree, or what comes of the moves of a game. In a terminal each step
waits for a key; in a pipe all follow each other.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from gamemaster.draw.png import png_of
from gamemaster.draw.svg import checked_theme
from gamemaster.draw.trees.picture import MOST_DRAWN, draw_tree
from gamemaster.draw.trees.telling import trace_data
from gamemaster.draw.trees.text import draw_tree_text
from gamemaster.draw.trees.words import search_in_words, step_in_words
from gamemaster.errors import LimitExceeded, ParameterError, UnknownGame
from gamemaster.machine.game import Game
from gamemaster.machine.moves import follow, split_moves
from gamemaster.search.evaluation import intermediate
from gamemaster.search.tracing.choosing import trace_game, trace_written
from gamemaster.search.tracing.notation import tree_of_file
from gamemaster.search.tracing.shelf import EXAMPLES, example_tree
from gamemaster.search.tracing.trace import Trace
from gamemaster.search.tracing.tree import MOST_NODES
from gamemaster.terminal.loading import load
from gamemaster.terminal.pictures import PictureOrder, write_picture
from gamemaster.terminal.report import print_line
from gamemaster.terminal.screen import is_terminal
from gamemaster.terminal.tables import print_table
from gamemaster.terminal.walking import walk

__all__ = ["TreeOptions", "list_examples", "show_tree"]

ENDING = ".tree"
MOST_LINES = 2_000
"""A tree of more nodes is not printed."""


@dataclass(frozen=True)
class TreeOptions:
    """What somebody wants to see of a tree."""

    algorithm: str | None = None
    depth: int | None = None
    role: str | None = None
    moves: str = ""
    evaluation: str | None = None
    step: int | None = None
    is_stepwise: bool = False
    has_boards: bool = True
    as_json: bool = False


def list_examples(*, as_json: bool) -> None:
    """Print the ready examples."""
    titles = {name: example_tree(name).title for name in EXAMPLES}
    if as_json:
        print(json.dumps([{"name": name, "title": title} for name, title in titles.items()]))
        return
    print_table(("example", "what it shows"), [*titles.items()])


def show_tree(what: str, options: TreeOptions, order: PictureOrder | None) -> None:
    """Show a search, in one of the ways that there are."""
    most = MOST_NODES if options.as_json else MOST_LINES if order is None else MOST_DRAWN
    trace = _trace(what, options, most)
    if options.step is not None:
        trace.looks(options.step)  # which knows what steps there are
    if order is not None:
        theme = checked_theme(order.theme) or ("light" if order.form == "png" else None)
        svg = draw_tree(trace, options.step, theme=theme, size=order.size, has_boards=options.has_boards)
        write_picture(png_of(svg) if order.form == "png" else svg, order)
    elif options.as_json:
        print(json.dumps(trace_data(trace)))
    else:
        _print(trace, options)


def _trace(what: str, options: TreeOptions, most: int) -> Trace:
    is_written = what in EXAMPLES or what.endswith(ENDING)
    if is_written and (options.moves or options.role or options.evaluation):
        raise ParameterError(
            "only games take --moves, --role and --evaluation, and this tree is written down"
        )
    if is_written:
        tree = example_tree(what) if what in EXAMPLES else tree_of_file(_written(Path(what)))
        return trace_written(tree, options.algorithm, options.depth)
    state = _game(what).initial_state()
    state, _ = follow(state, split_moves(options.moves), random.Random(0))
    return trace_game(
        state,
        role=options.role,
        algorithm=options.algorithm,
        depth=options.depth,
        evaluation=options.evaluation or intermediate,
        most=most,
    )


def _written(path: Path) -> Path:
    if not path.exists():
        raise ParameterError(f"there is no file {str(path)!r}; `gamemaster tree` lists the ready examples")
    return path


def _game(name: str) -> Game:
    try:
        return load(name, "reference")
    except UnknownGame as error:
        near = get_close_matches(name, EXAMPLES, 1, 0.75)
        meant = f"; the example {near[0]}?" if near else "; `gamemaster tree` lists the ready examples"
        raise UnknownGame(f"{error}{meant}") from None


def _print(trace: Trace, options: TreeOptions) -> None:
    count = len(trace.tree.nodes)
    if count > MOST_LINES:
        raise LimitExceeded(
            "lines", f"{MOST_LINES:,}", doing=f"printing a tree of {count:,} nodes; look less deep"
        )
    if options.step is not None:
        _print_step(trace, options.step)
        return
    if trace.tree.title:
        print_line(trace.tree.title)
    last = len(trace.steps)
    if not options.is_stepwise:
        _print_tree(trace)
    elif sys.stdin.isatty() and is_terminal():
        walk(lambda step: _print_step(trace, step), last)
    else:
        for step in range(1, last + 1):
            print_line(f"{step:>{len(str(last))}}  {step_in_words(trace, step)}")
    print_line(search_in_words(trace))
    for note in trace.notes:
        print_line(note)


def _print_step(trace: Trace, step: int) -> None:
    _print_tree(trace, step)
    print_line(f"Step {step} of {len(trace.steps)}: {step_in_words(trace, step)}")


def _print_tree(trace: Trace, step: int | None = None) -> None:
    for line in draw_tree_text(trace, step).split("\n"):
        print_line(line)
