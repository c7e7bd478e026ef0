"""Boards of every kind, made by hand, for the tests of drawings."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from gamemaster.draw.model import MARKS, Board, BoardLine, Cell, Counter, Label, Panel, Point, Thing
from gamemaster.language.infix import read_term

BACK = ("rook", "knight", "bishop", "queen", "chess_king", "bishop", "knight", "rook")


def square(x: float, y: float) -> tuple[Point, ...]:
    return ((x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5))


def thing(glyph: str, colour: str, symbol: str = "?") -> Thing:
    return Thing(f"{colour} {glyph}", glyph, colour, symbol, f"{colour} {glyph}")


def chess() -> Board:
    cells = []
    for y in range(8):
        for x in range(8):
            role = "role 2" if y < 2 else "role 1"
            glyph = BACK[x] if y in (0, 7) else "pawn" if y in (1, 6) else ""
            cells.append(
                Cell(
                    id=f"0-{x}-{y}",
                    name=f"{'abcdefgh'[x]}{8 - y}",
                    key=(str(x), str(y)),
                    centre=(float(x), float(y)),
                    outline=square(x, y),
                    ground="dark" if (x + y) % 2 else "light",
                    things=(thing(glyph, role),) if glyph else (),
                    marks=frozenset({MARKS[x % len(MARKS)]} if y in (3, 6) else ()),
                )
            )
    labels = [Label(name, (x, 7.85)) for x, name in enumerate("abcdefgh")]
    hand = Counter("captured", "", (thing("pawn", "role 2"),) * 30, "role 1")
    return Board(
        (Panel("chess", "square", tuple(cells), labels=tuple(labels)),),
        counters=(hand, Counter("step", "3")),
        roles=("white", "black"),
    )


def hexagons() -> Board:
    side, cells = 1 / math.sqrt(3), []
    for row in range(4):
        for column in range(4):
            x, y = column + row / 2, row * math.sqrt(3) / 2
            corners = [
                (x + side * math.sin(k * math.pi / 3), y - side * math.cos(k * math.pi / 3)) for k in range(6)
            ]
            stones = (thing("stone", "role 1"),) if row == column else ()
            cells.append(Cell(f"{row}{column}", f"{row},{column}", (), (x, y), tuple(corners), things=stones))
    sides = (BoardLine((-0.5, -0.6), (3.5, -0.6), "role 1"), BoardLine((1, 3.2), (5, 3.2), "role 2"))
    return Board((Panel("hex", "hex", tuple(cells), sides),), roles=("red", "blue"))


def triangles() -> Board:
    up = Cell(
        "up", "up", (), (0.0, 0.58), ((0, 0), (0.5, 0.87), (-0.5, 0.87)), things=(thing("disc", "red"),)
    )
    down = Cell("down", "down", (), (0.5, 0.29), ((0, 0), (1, 0), (0.5, 0.87)), "dark")
    return Board((Panel("triangles", "triangle", (up, down)),))


def points() -> Board:
    cells = [
        Cell(f"{x}{y}", f"{x},{y}", (), (x, y), things=(thing("man", "role 1"),) if y < 2 else ())
        for x in range(5)
        for y in range(5)
    ]
    lines = [BoardLine((0, n), (4, n)) for n in range(5)] + [BoardLine((n, 0), (n, 4)) for n in range(5)]
    return Board((Panel("points", "points", tuple(cells), tuple(lines)),), roles=("red", "black"))


def graph() -> Board:
    places = [(3 * math.cos(k * 0.8), 3 * math.sin(k * 0.8)) for k in range(7)]
    cells = [
        Cell(name, name, (name,), place, ground="green", things=(thing("text", "plain", name),))
        for name, place in zip("abcdefg", places, strict=True)
    ]
    lines = [BoardLine(a, b) for a, b in pairwise(places)]
    return Board((Panel("graph", "graph", tuple(cells), tuple(lines)),))


def heaps() -> Board:
    cells = [
        Cell(
            f"heap{n}",
            str(n),
            (str(n),),
            (n, 0),
            ((n - 0.5, -1.5), (n + 0.5, -1.5), (n + 0.5, 0.5), (n - 0.5, 0.5)),
            things=(thing("coin", "gold"),) * n,
        )
        for n in (0, 3, 5, 90)
    ]
    return Board((Panel("heaps", "heaps", tuple(cells)),))


def several() -> Board:
    panels = []
    for number, look in enumerate(
        ("plain", "paper", "wood", "green", "felt", "holes", "stone", "night", "?")
    ):
        grounds = ("light", "middle", "dark", "none", "#fa0", "red")
        cells = [
            Cell(
                f"{number}-{x}",
                f"{number},{x}",
                (),
                (x, 0),
                square(x, 0),
                ground,
                things=(
                    thing("dot", "red"),
                    thing("wall", "grey"),
                    thing("no such glyph", "no such colour", "abc"),
                )
                * x,
            )
            for x, ground in enumerate(grounds)
        ]
        panels.append(Panel(f"board {number}", "square", tuple(cells), look=look))
    return Board(tuple(panels))


def facts() -> Board:
    lights = [read_term(f"on(light{n},{n})") for n in range(60)]
    return Board((), others=(*lights, read_term("quiet")))


def empty() -> Board:
    return Board(())


BOARDS: tuple[Callable[[], Board], ...] = (
    chess, hexagons, triangles, points, graph, heaps, several, facts, empty,
)  # fmt: skip
