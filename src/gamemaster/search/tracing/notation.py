"""A tree as a text: a line for each node, further to the right than its parent.

    @title  AIMA's tree
    max A
      a1: min B
        a11: 3
        a12: 12
      a2: C = 5

A line is `move: kind name = value [board]`, and most of that can be left out:

move    what leads here; below `chance` a probability, or both: `heads 0.5:`, `1/6:`, `20%:`. Without any they are equal
kind    max, min, chance; `or` and `and` are max and min. Left out, it is the other one of whoever chose before
name    any word, or one in quotation marks
value   of a leaf: a number, T or F; alone it needs no name and no =. Of another node: what an evaluation says of it
board   rows between slashes, for the picture: [xo./.x./..o]

`#` begins a comment. Lines with @ come first: @title, @note (any number), @algorithm, @depth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, NoReturn

from gamemaster.errors import ReadError
from gamemaster.language.source import Source
from gamemaster.search.tracing.tree import FALSE, MOST_LEVELS, MOST_NODES, TRUE, Kind, SearchTree, TreeNode

__all__ = ["ALGORITHMS_OF_TREES", "read_tree", "tree_of_file", "write_tree"]

ALGORITHMS_OF_TREES = ("minimax", "alphabeta", "andor", "expectiminimax")

KINDS: dict[str, Kind] = {"max": "max", "min": "min", "chance": "chance", "or": "max", "and": "min"}
TRUTHS = {"T": TRUE, "F": FALSE}
OTHER: dict[Kind, Kind] = {"max": "min", "min": "max"}
HEADS = ("title", "note", "algorithm", "depth")

TOKEN = re.compile(
    r'(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<board>\[[^\]]*\])|(?P<sign>[:=])|(?P<word>[^\s:="#\[\]]+)'
)
NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?\Z")
LIKELY = re.compile(r"\d{1,9}/\d{1,9}\Z|\d{1,9}(?:\.\d{1,15})?%?\Z")
PLAIN = re.compile(r'[^\s:="#\[\]@]+\Z')
BOARD = re.compile(r"[^\s/\[\]]{1,12}(?:/[^\s/\[\]]{1,12}){0,11}\Z")
HOW = "a line is `move: kind name = value`, as in `a1: min B` or `a11: 3`"


class Token(NamedTuple):
    """A piece of a line."""

    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        """What it says."""
        return re.sub(r"\\(.)", r"\1", self.text[1:-1]) if self.kind == "quoted" else self.text


@dataclass
class Line:
    """What stands in a line of a tree; `children` are added as they come."""

    start: int
    indent: int
    label: Sequence[Token] = ()
    kind: Kind | None = None
    name: str = ""
    value: float | None = None
    is_truth: bool = False
    rows: tuple[str, ...] = ()
    move: str = ""
    number: int = 0
    children: list[Line] = field(default_factory=list)


def tree_of_file(path: Path) -> SearchTree:
    """The tree that a file has; ReadError with its place for what is wrong with it."""
    return read_tree(Source.from_path(path))


def read_tree(source: Source | str) -> SearchTree:
    """The tree of a text; ReadError with its place for what is wrong with it."""
    return _TreeReader(source if isinstance(source, Source) else Source.checked("tree", source)).tree()


class _TreeReader:
    """Reads one text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.heads: list[tuple[str, str]] = []
        self.first_leaf: Line | None = None
        self.nodes: list[TreeNode] = []

    def fail(self, what: str, start: int, hint: str = HOW) -> NoReturn:
        """Say what is wrong, and where."""
        raise ReadError(what, self.source.place(start), hint=hint)

    def tree(self) -> SearchTree:
        """The whole tree."""
        root = self._root(list(self._lines()))
        self._add(root, None, "max", None)
        tree = SearchTree(tuple(self.nodes), has_truths=bool(self.first_leaf and self.first_leaf.is_truth))
        for name, text in self.heads:
            tree = (
                replace(tree, notes=(*tree.notes, text)) if name == "note" else self._head(tree, name, text)
            )
        return tree

    def _head(self, tree: SearchTree, name: str, text: str) -> SearchTree:
        if name == "title":
            return replace(tree, title=text)
        return replace(tree, algorithm=text) if name == "algorithm" else replace(tree, depth=int(text))

    # Lines

    def _lines(self) -> Iterator[Line]:
        start = 0
        for text in self.source.text.split("\n"):
            stripped = text.lstrip(" ")
            indent = len(text) - len(stripped)
            if stripped.startswith("@"):
                self._read_head(stripped.strip(), start + indent, is_first=not indent)
            elif stripped.strip() and not stripped.startswith("#"):
                if stripped[0] == "\t":
                    self.fail(
                        "a tab before a node", start + indent, "use spaces: how wide a tab is, nobody knows"
                    )
                yield self._line(list(self._tokens(stripped, start + indent)), start + indent, indent)
            start += len(text) + 1

    def _read_head(self, text: str, start: int, *, is_first: bool) -> None:
        name, _, rest = text[1:].partition(" ")
        rest = rest.strip()
        if name not in HEADS:
            self.fail(f"no @{name[:40]}", start, f"there are @{', @'.join(HEADS)}")
        if not is_first:
            self.fail(f"@{name} below a node", start, "it stands before the tree, at the beginning of a line")
        if name == "algorithm" and rest not in ALGORITHMS_OF_TREES:
            hint = f"there are {', '.join(ALGORITHMS_OF_TREES)}"
            self.fail(f"no algorithm {rest[:40]!r} for trees", start, hint)
        if name == "depth" and not (rest.isdecimal() and rest.isascii() and 0 < int(rest[:9]) <= MOST_LEVELS):
            self.fail(f"no depth {rest[:40]!r}", start, f"it is a number from 1 to {MOST_LEVELS}")
        self.heads.append((name, rest))

    def _tokens(self, text: str, start: int) -> Iterator[Token]:
        at = 0
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            if text[at] == "#":
                return
            found = TOKEN.match(text, at)
            if found is None:
                hint = "close what was opened; brackets in a name need quotation marks"
                self.fail(f"{text[at]!r} cannot stand here", start + at, hint)
            yield Token(str(found.lastgroup), found[0], start + at)
            at = found.end()

    def _line(self, tokens: list[Token], start: int, indent: int) -> Line:
        line = Line(start, indent)
        colon = next((i for i, token in enumerate(tokens) if token.text == ":"), None)
        if colon is not None:
            line.label, tokens = tokens[:colon], tokens[colon + 1 :]
            if (
                not line.label
                or len(line.label) > 2
                or any(t.kind not in ("word", "quoted") for t in line.label)
            ):
                self.fail("before : stands a move, a probability, or both", start)
        if tokens and tokens[-1].kind == "board":
            line.rows = self._rows(tokens.pop())
        self._read_node(line, tokens)
        return line

    def _read_node(self, line: Line, tokens: list[Token]) -> None:
        """Kind, name and value."""
        if tokens and tokens[0].kind == "word" and tokens[0].text in KINDS:
            line.kind = KINDS[tokens.pop(0).text]
        if len(tokens) == 1 and line.kind is None and _is_value(tokens[0]):
            self._read_value(line, tokens.pop())
            return
        if tokens and tokens[0].kind in ("word", "quoted"):
            line.name = tokens.pop(0).word
        if len(tokens) > 1 and tokens[0].text == "=":
            self._read_value(line, tokens[1])
            tokens = tokens[2:]
        if tokens:
            self.fail(f"{tokens[0].text[:40]!r} is too much", tokens[0].start)

    def _read_value(self, line: Line, token: Token) -> None:
        if not _is_value(token):
            self.fail(f"{token.text[:40]!r} is no value", token.start, "a value is a number, T or F")
        line.is_truth = token.text in TRUTHS
        line.value = TRUTHS[token.text] if line.is_truth else float(token.text)

    def _rows(self, token: Token) -> tuple[str, ...]:
        if not BOARD.match(token.text[1:-1]):
            self.fail("no board", token.start, "rows between slashes, as in [xo./.x./..o], 12 of 12 at most")
        return tuple(token.text[1:-1].split("/"))

    # Nodes

    def _root(self, lines: list[Line]) -> Line:
        """Put lines below those that they are children of."""
        if not lines:
            self.fail("no tree in this text", 0)
        if len(lines) > MOST_NODES:
            self.fail(f"more than {MOST_NODES:,} nodes", lines[MOST_NODES].start, "nobody looks at so many")
        path = [lines[0]]
        for line in lines[1:]:
            closed = None
            while path and line.indent <= path[-1].indent:
                closed = path.pop()
            if not path:
                self.fail(
                    "a second root", line.start, "a tree has one; all others stand further to the right"
                )
            if closed is not None and closed.indent != line.indent:
                self.fail(
                    "neither below nor beside another node", line.start, "children of one node are aligned"
                )
            if len(path) >= MOST_LEVELS:
                self.fail(f"more than {MOST_LEVELS} levels", line.start, "nobody looks so deep")
            path[-1].children.append(line)
            path.append(line)
        return lines[0]

    def _add(self, line: Line, parent: int | None, usual: Kind, chance: Fraction | None) -> None:
        """Add a node and all that is below it."""
        line.number = len(self.nodes)
        kind: Kind = (line.kind or usual) if line.children else self._leaf(line)
        if parent is None and line.label:
            self.fail("the root has no move before it", line.start)
        if line.is_truth and line.children:
            self.fail("T or F at a node that has children", line.start, "what is below it says which it is")
        self.nodes.append(TreeNode(kind, line.name, line.value, parent, (), line.move, chance, line.rows))
        likely = self._likely(line) if kind == "chance" else self._moves(line)
        for child, probability in zip(line.children, likely, strict=True):
            self._add(child, line.number, OTHER.get(kind, usual), probability)
        children = tuple(child.number for child in line.children)
        self.nodes[line.number] = replace(self.nodes[line.number], children=children)

    def _moves(self, line: Line) -> list[None]:
        """Take down the moves of a node whose children have no probabilities."""
        for child in line.children:
            if len(child.label) > 1:
                self.fail("a probability below a node that is not chance", child.label[1].start)
            child.move = child.label[0].word if child.label else ""
        return [None] * len(line.children)

    def _leaf(self, line: Line) -> Kind:
        """Check a leaf: it has a value, of the same kind as all others."""
        if line.kind is not None or line.value is None:
            what = line.name or line.kind or "this node"
            self.fail(
                f"{what[:40]} has no children and no value", line.start, "a leaf is `3`, `T` or `D = 3`"
            )
        self.first_leaf = self.first_leaf or line
        if line.is_truth != self.first_leaf.is_truth:
            self.fail("T and F beside numbers", line.start, "the leaves of a tree are all of one kind")
        return "leaf"

    def _likely(self, line: Line) -> list[Fraction]:
        """How likely each child of a chance node is."""
        is_told = [_is_likely(child) for child in line.children]
        if not any(is_told):
            for child in line.children:
                if len(child.label) > 1:
                    self.fail(f"{child.label[1].text[:40]!r} is no probability", child.label[1].start)
            self._moves(line)
            return [Fraction(1, len(line.children))] * len(line.children)
        for child, is_there in zip(line.children, is_told, strict=True):
            if not is_there:
                self.fail("no probability here, but at others", child.start, "all have one, or none has")
            child.move = child.label[0].word if len(child.label) > 1 else ""
        found = [self._probability(child.label[-1]) for child in line.children]
        if sum(found) != 1:
            hint = "they make 1 together; thirds are written 1/3"
            self.fail(f"probabilities make {float(sum(found)):g}", line.start, hint)
        return found

    def _probability(self, label: Token) -> Fraction:
        text = label.text.removesuffix("%")
        if text.partition("/")[2].strip("0") == "" and "/" in text:
            self.fail("a probability with nothing below the line", label.start)
        found = Fraction(text) / (100 if label.text.endswith("%") else 1)
        if not 0 < found <= 1:
            self.fail(f"{label.text[:40]} is no probability", label.start, "more than 0, and no more than 1")
        return found


def _is_likely(line: Line) -> bool:
    """Whether a probability stands before a node."""
    return bool(line.label) and line.label[-1].kind == "word" and bool(LIKELY.match(line.label[-1].text))


def _is_value(token: Token) -> bool:
    return token.kind == "word" and (token.text in TRUTHS or bool(NUMBER.match(token.text)))


# Back to a text


def write_tree(tree: SearchTree) -> str:
    """The text that reads as this tree."""
    heads = [("title", tree.title), ("algorithm", tree.algorithm)] + [("note", note) for note in tree.notes]
    lines = [f"@{name} {' '.join(text.split())}" for name, text in heads if text.strip()]
    lines += [f"@depth {tree.depth}"] if tree.depth is not None else []
    return "\n".join([*lines, *_written(tree)]) + "\n"


def _written(tree: SearchTree) -> Iterator[str]:
    words = {"max": "or", "min": "and"} if tree.has_truths else {}
    for node, ply in zip(tree.nodes, tree.plies, strict=True):
        label = [_quoted(node.move)] if node.move else []
        label += [str(node.probability)] if node.probability is not None else []
        parts = [f"{' '.join(label)}:"] if label else []
        parts += [words.get(node.kind, node.kind)] if node.kind != "leaf" else []
        parts += [_quoted(node.name)] if node.name else []
        if node.value is not None:
            value = tree.shown(node.value) if tree.has_truths else _decimal(node.value)
            parts += [value] if node.kind == "leaf" and not node.name else ["=", value]
        parts += [f"[{'/'.join(node.rows)}]"] if node.rows else []
        yield "  " * ply + " ".join(parts)


def _decimal(value: float) -> str:
    """A number as it is written: never with an exponent."""
    return f"{value:.0f}" if value == int(value) else f"{value:.12f}".rstrip("0")


def _quoted(name: str) -> str:
    if (
        PLAIN.match(name)
        and name not in KINDS
        and name not in TRUTHS
        and not LIKELY.match(name)
        and not NUMBER.match(name)
    ):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
