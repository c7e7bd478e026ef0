"""The style that was found for a game -> style.toml: a text to begin with, that draws what was found.

Written are the keys that an author would turn: what is drawn, of which kind, what lies there and what is told beside
it. Reading the text takes the rest from the rules again, so that nothing of it has to be said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from gamemaster.draw.boards.pieces import Pieces
from gamemaster.draw.finding.found import found_style
from gamemaster.draw.styles.names import Names
from gamemaster.draw.styles.style import Argument, BoardStyle, CounterStyle, Style
from gamemaster.draw.styles.tables import LONGEST_TEXT, ODD
from gamemaster.language.rules import Relation
from gamemaster.machine.game import Game

__all__ = ["style_text"]

BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
MOST_PIECES = 60
"""More contents than this are words or numbers, and look like that."""


def style_text(game: Game, title: str = "") -> str:
    """The text of a style that says of a game, called by its name or a title, what was found from its rules."""
    style, names = found_style(game), _RelationNames(game)
    blocks = [
        [f"# How the boards of {_one_line(title or game.name)} were found to be drawn. Change what you like;"]
    ]
    blocks[0].append("# what is left out is found from the rules.")
    boards = _told_apart(style, names)
    blocks += [["[[board]]", *_board(board, names, has_title=len(boards) > 1)] for board in boards]
    if pieces := list(_pieces(game, style)):
        blocks.append(["[pieces]", *pieces])
    blocks += [["[[counter]]", *_counter(each, names)] for each in style.counters if names.has(each.relation)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


class _RelationNames:
    """How relations are named in a style: with the number of arguments where there are several."""

    def __init__(self, game: Game) -> None:
        self.known = Names(game).of_facts

    def has(self, relation: Relation) -> bool:
        """Whether a style can speak of it."""
        return relation in self.known and _can_be_said(relation[0])

    def of(self, relation: Relation) -> str:
        several = [each for each in self.known if each[0] == relation[0]]
        return _text(f"{relation[0]}/{relation[1]}" if len(several) > 1 else relation[0])


def _told_apart(style: Style, names: _RelationNames) -> tuple[BoardStyle, ...]:
    """The boards, unless a text cannot say which they are, or when each of several is drawn: then none."""
    firsts = [board.layers[0].relation for board in style.boards if board.layers]
    everywhere = [layer.relation for board in style.boards for layer in board.layers]
    are_named = len(firsts) == len(style.boards) and all(map(names.has, firsts))
    are_apart = all(everywhere.count(relation) == 1 for relation in firsts)
    are_always = len(firsts) == 1 or not any(board.least for board in style.boards)
    return style.boards if are_named and are_apart and are_always else ()


def _board(board: BoardStyle, names: _RelationNames, *, has_title: bool) -> Iterator[str]:
    yield f"relation = {names.of(board.layers[0].relation)}"
    yield f"kind = {_text(board.kind)}"
    if board.kind in ("hex", "triangle"):
        yield f"slant = {_text(board.slant)}"
    if board.is_checkered:
        yield "checkered = true"
    if board.look:
        yield f"look = {_text(board.look)}"
    if board.counts_up:
        yield "up = true"
    if has_title and _can_be_said(board.title):
        yield f"title = {_text(board.title)}"
    blanks = sorted(board.blanks)
    if blanks and all(map(_can_be_said, blanks)):
        yield f"blank = [{', '.join(map(_text, blanks))}]"


def _pieces(game: Game, style: Style) -> Iterator[str]:
    """How contents look that have a shape of their own; badges stay where nothing is said of a content."""
    boards = [
        dict.fromkeys(each for each in (*board.contents, board.empty) if each) for board in style.boards
    ]
    known = Pieces(style, game.roles, (content for board in boards for content in board), boards)
    things = [thing for thing in known.legend() if not thing.badge and thing.glyph not in ("text", "number")]
    for thing in things if len(things) <= MOST_PIECES else ():
        if _can_be_said(thing.content):
            key = thing.content if BARE.match(thing.content) else _text(thing.content)
            yield f"{key} = {{glyph = {_text(thing.glyph)}, colour = {_text(thing.colour)}}}"


def _counter(counter: CounterStyle, names: _RelationNames) -> Iterator[str]:
    yield f"relation = {names.of(counter.relation)}"
    if _can_be_said(counter.label):
        yield f"label = {_text(counter.label)}"
    for key, argument in (("role", counter.role), ("value", counter.value), ("count", counter.count)):
        if argument is not None:
            yield f"{key} = {_argument(argument)}"
    if counter.content:
        listed = [_argument(argument) for argument in counter.content]
        yield f"content = {listed[0] if len(listed) == 1 else '[' + ', '.join(listed) + ']'}"


def _argument(argument: Argument) -> str:
    """Which argument it is, from 1: `2`, or `"2.1"` within one."""
    steps = [str(step + 1) if isinstance(step, int) else step for step in argument]
    return steps[0] if len(steps) == 1 else _text(".".join(steps))


def _text(text: str) -> str:
    """A text as TOML has it; JSON writes it alike."""
    return json.dumps(text, ensure_ascii=False)


def _can_be_said(text: str) -> bool:
    """Whether a style may have a text."""
    return 0 < len(text) <= LONGEST_TEXT and ODD.search(text) is None


def _one_line(text: str) -> str:
    return " ".join(ODD.sub(" ", text).split())[:LONGEST_TEXT]
