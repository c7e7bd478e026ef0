"""A search of a tree, after any step -> one SVG that stands alone, light and dark, told in words.

Nodes stand where they stand in the last picture, so that a page can go from step to step. Each node is a group with
its number as `data-node`, and with `data-here` where the search is. Cut edges are crossed by two strokes; what stays
unvisited is dashed, its leaves crossed out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from math import hypot

from gamemaster.draw.picture.colours import INK, QUIET, Ink, Theme
from gamemaster.draw.picture.markup import clip, escape, short, tag, text_width
from gamemaster.draw.svg import GREATEST_SIZE, Composition, checked_theme, finished
from gamemaster.draw.trees.layout import tidy
from gamemaster.draw.trees.nodes import (
    LEAF,
    SHAPE,
    SMALL,
    WRONG,
    NodeBoard,
    NodeText,
    draw_node,
    line_of_text,
    placed_board,
    rows_board,
    state_board,
    width_of,
)
from gamemaster.draw.trees.words import (
    leaf_in_words,
    probability,
    search_in_words,
    step_in_words,
    window_in_words,
)
from gamemaster.errors import LimitExceeded
from gamemaster.search.tracing.trace import NodeLook, Trace
from gamemaster.search.tracing.tree import Kind

__all__ = ["MOST_BOARDS", "MOST_DRAWN", "draw_tree"]

MOST_DRAWN = 600
"""A picture of more nodes is of no use."""

MOST_BOARDS = 48
"""With more nodes, boards are left out."""

MARGIN, NEAR, FAR = 20.0, 12.0, 26.0
BETWEEN, STEEP, MOST_BETWEEN = 38.0, 0.025, 90.0
"""Between levels: at least, for each unit of the width so that edges are not too flat, and at most."""

NARROWEST = 360.0
LABEL, WINDOW, NAME = 17.0, 17.0, 16.0
"""The height of what is written above a node, and below it."""

LONGEST = 18
TITLE = 16.0
UNSEEN = {"max": "MAX", "min": "MIN", "chance": "CHANCE", "leaf": ""}
TRUTHFUL = {"max": "OR", "min": "AND", "chance": "CHANCE", "leaf": ""}


def draw_tree(
    trace: Trace,
    after: int | None = None,
    *,
    theme: Theme | None = None,
    size: int | None = None,
    has_boards: bool = True,
    has_words: bool = True,
    prefix: str = "",
) -> str:
    """The drawing of a search after so many steps, after all unless told; without a theme it follows its reader.

    LimitExceeded for a tree that is too large to be seen. `has_words`: with its title, and what happens below it.
    """
    checked_theme(theme)
    if len(trace.tree.nodes) > MOST_DRAWN:
        hint = "look less deep, or begin later in the game"
        doing = f"drawing a tree of {len(trace.tree.nodes):,}: {hint}"
        raise LimitExceeded("nodes", f"{MOST_DRAWN}", doing=doing, hint=hint)
    ink = Ink(theme)
    picture = _TreePicture(ink, trace, after, has_boards=has_boards and len(trace.tree.nodes) <= MOST_BOARDS)
    top, above = picture.title() if has_words else (MARGIN, "")
    inner = above + tag("g", *picture.parts(), transform=f"translate({short(picture.left)} {short(top)})")
    bottom, below = picture.caption(top + picture.height) if has_words else (top + picture.height, "")
    frame = Composition((), picture.width, bottom + MARGIN)
    said = search_in_words(trace) if after is None else step_in_words(trace, after)
    words = clip(trace.tree.title) or "A search tree", clip(f"{said} {_outline(trace)}", 2000)
    natural = min(GREATEST_SIZE, round(max(frame.width, frame.height)))
    return finished(ink, frame, inner + below, words=words, size=size or natural, prefix=prefix)


def _outline(trace: Trace) -> str:
    """The tree for somebody who does not see it: each node that has children, with them."""
    tree = trace.tree
    told = [
        f"{tree.called(number)}, {node.kind}, has {', '.join(tree.called(child) for child in node.children)}"
        for number, node in enumerate(tree.nodes)
        if node.children
    ]
    return "; ".join(told[:40]) + "."


class _TreePicture:
    """Where everything is, and how it looks after a step."""

    def __init__(self, ink: Ink, trace: Trace, after: int | None, *, has_boards: bool) -> None:
        self.ink, self.trace, self.tree, self.after = ink, trace, trace.tree, after
        self.looks = trace.looks(after)
        steps = trace.steps if after is None else trace.steps[:after]
        self.here = steps[-1].node if steps and len(steps) < len(trace.steps) else None
        self.boards = {n: b for n in range(len(self.looks)) if has_boards and (b := self._board(n))}
        self.shape_width = self._shape_width()
        widths = [self._width(number) for number in range(len(self.looks))]
        self.x = tidy(self.tree, widths, near=NEAR, far=FAR)
        self.wide = max(x + width / 2 for x, width in zip(self.x, widths, strict=True))
        sides = max([width_of(text, SMALL) + 18 for _, text in self._levels()], default=0.0)
        self.left = MARGIN + sides
        self.width = max(NARROWEST, self.left + self.wide + MARGIN)
        self.left += max(0.0, self.width - self.left - self.wide - MARGIN) / 2

    # How large things are

    def _board(self, number: int) -> NodeBoard | None:
        node = self.tree.nodes[number]
        if node.rows:
            return rows_board(self.ink, node.rows)
        return state_board(self.ink, node.state) if node.state is not None else None

    def _shape_width(self) -> float:
        """One width for all shapes, so that the widest value has room in them."""
        shown = [
            width_of(leaf_in_words(self.trace, number, look))
            for number, look in enumerate(self.trace.looks())
            if self.kind(number) != "leaf"
        ]
        return max([52.0, *(1.8 * width for width in shown)])

    @cached_property
    def windows(self) -> list[float]:
        """How wide alpha and beta are at each node, at any step."""
        widths = [0.0] * len(self.looks)
        for step in self.trace.steps:
            if step.alpha is not None and step.beta is not None:
                told = window_in_words(self.trace, step.alpha, step.beta)
                widths[step.node] = max(widths[step.node], width_of(told, SMALL))
        return widths

    def kind(self, number: int) -> Kind:
        """What a node is in the picture: one at the horizon is a leaf."""
        node = self.tree.nodes[number]
        return "leaf" if self.tree.plies[number] == self.trace.depth else node.kind

    def label(self, number: int) -> str:
        """What is written above a node."""
        node = self.tree.nodes[number]
        parts = [clip(node.move, LONGEST)] if node.move else []
        parts += [probability(node.probability)] if node.probability is not None else []
        return " ".join(parts)

    def shape(self, number: int) -> float:
        """How wide the shape of a node is."""
        if self.kind(number) != "leaf":
            return self.shape_width
        return max(32.0, width_of(leaf_in_words(self.trace, number, self.trace_looks[number])) + 12)

    @cached_property
    def trace_looks(self) -> list[NodeLook]:
        """How nodes look at the end."""
        return self.trace.looks()

    def _width(self, number: int) -> float:
        board = self.boards.get(number)
        name = self.name(number)
        beside = (
            2 * (width_of(name, SMALL) + 12)
            if name and self.kind(number) != "leaf"
            else width_of(name, SMALL)
        )
        label = width_of(self.label(number), SMALL)
        return max(self.shape(number), self.windows[number], label, beside, board.width if board else 0.0)

    def name(self, number: int) -> str:
        """The name of a node, cut where it is long."""
        return clip(self.tree.names[number], LONGEST)

    def _foot(self, number: int) -> float:
        """How far below the top of its shape a node ends, without its board."""
        if self.kind(number) == "leaf":
            return LEAF + (NAME if self.name(number) else 0.0)
        return SHAPE + (WINDOW if self.windows[number] else 0.0)

    @cached_property
    def tops(self) -> list[float]:
        """Where the shapes of each level begin, and last where all of it ends."""
        above: dict[int, float] = defaultdict(float)
        high: dict[int, float] = defaultdict(float)
        for number, ply in enumerate(self.tree.plies):
            above[ply] = max(above[ply], LABEL if self.label(number) else 0.0)
            board = self.boards.get(number)
            high[ply] = max(high[ply], self._foot(number) + (board.height + 5 if board else 0.0))
        tops, y = [], 0.0
        for ply in sorted(high):
            tops.append(y + above[ply])
            y = tops[-1] + high[ply] + self.between
        return [*tops, y - self.between]

    @property
    def between(self) -> float:
        """How far apart levels are."""
        return min(MOST_BETWEEN, BETWEEN + STEEP * self.wide)

    @property
    def height(self) -> float:
        """How high the tree is."""
        return self.tops[-1]

    def top(self, number: int) -> float:
        """Where the shape of a node begins."""
        return self.tops[self.tree.plies[number]]

    # What is drawn

    def parts(self) -> Iterator[str]:
        """All of the tree: edges below, nodes above."""
        yield from self._sides()
        yield from self._horizon()
        for number in range(1, len(self.looks)):
            yield self._edge(number)
        for number in range(len(self.looks)):
            yield self._node(number)

    def _levels(self) -> Iterator[tuple[int, str]]:
        """Who chooses at each level, where all nodes of it are of one kind."""
        kinds: dict[int, set[Kind]] = defaultdict(set)
        for number, ply in enumerate(self.tree.plies):
            if self.kind(number) != "leaf" and not self.trace.is_beyond(number):
                kinds[ply].add(self.kind(number))
        for ply, found in kinds.items():
            if len(found) == 1:
                (kind,) = found
                who = self.tree.players.get(kind, "")
                word = (TRUTHFUL if self.trace.is_truth else UNSEEN)[kind]
                yield ply, f"{word} {clip(who, LONGEST)}".strip()

    def _sides(self) -> Iterator[str]:
        for ply, text in self._levels():
            y = self.tops[ply] + SHAPE / 2 + 4
            yield line_of_text(self.ink, text, -18, y, SMALL, QUIET, text_anchor="end", letter_spacing="0.5")

    def _horizon(self) -> Iterator[str]:
        """A line below which the search does not look."""
        depth = self.trace.depth
        if depth is None or depth + 1 >= len(self.tops) - 1:
            return
        y = self.tops[depth + 1] - LABEL - self.between / 2 + 4
        look = {"stroke": self.ink(QUIET), "stroke_width": "1.2", "stroke_dasharray": "2 5"}
        yield tag("line", x1=-self.left + MARGIN, y1=y, x2=self.wide, y2=y, **look)
        yield line_of_text(self.ink, "horizon", -self.left + MARGIN, y - 5, SMALL, QUIET, text_anchor="start")

    def _edge(self, number: int) -> str:
        node, look = self.tree.nodes[number], self.looks[number]
        parent = node.parent or 0
        board = self.boards.get(parent)
        start = self.x[parent], self.top(parent) + self._foot(parent) + (board.height + 7 if board else 1)
        end = self.x[number], self.top(number) - (LABEL - 2 if self.label(number) else 1)
        is_thick = look.is_on_line and self.looks[parent].is_on_line
        line = tag(
            "line",
            x1=start[0],
            y1=start[1],
            x2=end[0],
            y2=end[1],
            stroke=self.ink(INK if is_thick else QUIET),
            stroke_width=3.6 if is_thick else 1.3,
            stroke_dasharray="4 3" if look.status in ("unvisited", "beyond") else None,
            opacity=None if look.status != "beyond" else 0.5,
        )
        is_cut = look.status == "unvisited" and self.looks[parent].status != "unvisited"
        return line + (self._cut(start, end) if is_cut else "") + self._label(number)

    def _cut(self, start: tuple[float, float], end: tuple[float, float]) -> str:
        """Two strokes across an edge."""
        dx, dy = end[0] - start[0], end[1] - start[1]
        length = hypot(dx, dy) or 1.0
        along, across = (dx / length, dy / length), (-dy / length, dx / length)
        strokes = []
        for way in (-2.5, 2.5):
            x, y = (start[0] + end[0]) / 2 + way * along[0], (start[1] + end[1]) / 2 + way * along[1]
            ends = [(x + side * across[0], y + side * across[1]) for side in (-7, 7)]
            strokes.append("M" + "L".join(f"{short(a)} {short(b)}" for a, b in ends))
        return tag("path", d="".join(strokes), stroke=self.ink(WRONG), stroke_width=2.2, fill="none")

    def _label(self, number: int) -> str:
        text = self.label(number)
        if not text:
            return ""
        opacity = "0.45" if self._is_faint(number) else "1"
        return line_of_text(self.ink, text, self.x[number], self.top(number) - 5, SMALL, opacity=opacity)

    def _is_faint(self, number: int) -> bool:
        return self.looks[number].status in ("waiting", "beyond")

    def _node(self, number: int) -> str:
        look, board = self.looks[number], self.boards.get(number)
        value = leaf_in_words(self.trace, number, look)
        has_window = look.alpha is not None and look.beta is not None
        told = NodeText(
            self.kind(number),
            value,
            self.name(number),
            window_in_words(self.trace, look.alpha or 0.0, look.beta or 0.0) if has_window else "",
            is_unvisited=look.status == "unvisited",
            is_on_line=look.is_on_line,
            is_here=number == self.here,
            width=self.shape(number),
            above=LABEL if self.label(number) else 0.0,
            below=self._foot(number),
        )
        inner = [draw_node(self.ink, told, self.x[number], self.top(number))]
        if board is not None:
            inner.append(placed_board(board, self.x[number], self.top(number) + self._foot(number) + 4))
        opacity = 0.45 if self._is_faint(number) else 0.85 if look.status == "unvisited" else None
        title = tag("title", escape(clip(f"{self.tree.called(number)} {value}", 80)))
        is_here = "yes" if number == self.here else None
        return tag("g", title, *inner, data_node=str(number), data_here=is_here, opacity=opacity)

    # What is said

    def title(self) -> tuple[float, str]:
        """Where the tree begins, and its title above it."""
        lines = list(_wrapped(self.tree.title, self.width - 2 * MARGIN, 1.12 * TITLE))  # it is bold
        parts = [
            line_of_text(
                self.ink,
                line,
                MARGIN,
                MARGIN + 14 + 20 * n,
                TITLE,
                INK,
                text_anchor="start",
                font_weight="600",
            )
            for n, line in enumerate(lines)
        ]
        return MARGIN + 20 * len(lines) + (16 if lines else 0), "".join(parts)

    def caption(self, top: float) -> tuple[float, str]:
        """Where it ends, and what is said below."""
        said = search_in_words(self.trace) if self.after is None else step_in_words(self.trace, self.after)
        lines = list(_wrapped(said, self.width - 2 * MARGIN, 13.0))
        parts = [
            line_of_text(self.ink, line, MARGIN, top + 32 + 18 * n, 13.0, INK, text_anchor="start")
            for n, line in enumerate(lines)
        ]
        return top + 18 + 18 * len(lines), "".join(parts)


def _wrapped(text: str, width: float, size: float) -> Iterator[str]:
    """A text in lines no wider than that."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and text_width(longer) * size > width:
            yield line
            longer = word
        line = longer
    if line:
        yield line
