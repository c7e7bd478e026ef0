"""The six chess pieces, drawn for a box from -50 to 50: what is seen first stands first, details last.

Each is a list of shapes: `body` is filled and has an edge, `mark` is a line on it, `spot` a filled detail.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["CHESSMEN", "Shape"]

Shape: TypeAlias = tuple[Literal["body", "mark", "spot"], str]

BASE = "M-27 39C-28 32-22 29-17 28H17C22 29 28 32 27 39Z"

PAWN: tuple[Shape, ...] = (
    ("body", "M-11-8C-11 8-14 19-21 27C-25 30-26 34-26 39H26C26 34 25 30 21 27C14 19 11 8 11-8Z"),
    ("body", "M-14-4.5C-16-4.5-16-11-14-11H14C16-11 16-4.5 14-4.5Z"),
    ("body", "M-8.5-11A13.5 13.5 0 1 1 8.5-11Z"),
)

ROOK: tuple[Shape, ...] = (
    ("body", "M-16-16L-19 27H19L16-16Z"),
    ("body", "M-26-38H-15V-31H-6V-38H6V-31H15V-38H26V-24L17-15H-17L-26-24Z"),
    ("body", "M-29 39V33Q-29 31-27 30L-21 25H21L27 30Q29 31 29 33V39Z"),
    ("mark", "M-20-22H20"),
)

KNIGHT: tuple[Shape, ...] = (
    (
        "body",
        "M-21 39C-22 24-4 17-2 2C-9 7-13 11-20 13C-22 17-27 20-31 17C-36 14-37 8-34 3"
        "C-29-6-26-14-21-22C-19-26-16-29-14-30L-13-41L-3-32C22-32 33-8 30 39Z",
    ),
    ("mark", "M4-24C18-18 23 4 22 31"),
    ("spot", "M-17-16A3.5 3.5 0 1 0-10-17C-12-19-15-19-17-16Z"),
    ("spot", "M-31 9A2 2 0 1 0-27.5 7Z"),
)

BISHOP: tuple[Shape, ...] = (
    ("body", "M-12 18L-15 28H15L12 18Z"),
    ("body", "M0-33C-14-24-21-11-19 2C-18 9-15 14-12 17H12C15 14 18 9 19 2C21-11 14-24 0-33Z"),
    ("body", "M0-43A5.5 5.5 0 1 1 0-32A5.5 5.5 0 1 1 0-43Z"),
    ("body", "M-15 15.5H15Q17 15.5 17 18.5T15 21.5H-15Q-17 21.5-17 18.5T-15 15.5Z"),
    ("body", BASE),
    ("mark", "M0-19V1M-8-9.5H8"),
)

QUEEN: tuple[Shape, ...] = (
    ("body", "M-19 16C-26 2-30-10-32-20L-18-8L-17-29L-6-11L0-33L6-11L17-29L18-8L32-20C30-10 26 2 19 16Z"),
    ("body", "M-36-24A4.5 4.5 0 1 1-27-24A4.5 4.5 0 1 1-36-24Z"),
    ("body", "M-22-33A4.5 4.5 0 1 1-13-33A4.5 4.5 0 1 1-22-33Z"),
    ("body", "M-4.5-37A4.5 4.5 0 1 1 4.5-37A4.5 4.5 0 1 1-4.5-37Z"),
    ("body", "M13-33A4.5 4.5 0 1 1 22-33A4.5 4.5 0 1 1 13-33Z"),
    ("body", "M27-24A4.5 4.5 0 1 1 36-24A4.5 4.5 0 1 1 27-24Z"),
    ("body", "M-20 15H20L23 28C26 31 27 35 27 39H-27C-27 35-26 31-23 28Z"),
    ("mark", "M-20 21C-8 18 8 18 20 21M-22 29C-9 26 9 26 22 29"),
)

KING: tuple[Shape, ...] = (
    ("body", "M-3-45H3V-39H9V-33H3V-25H-3V-33H-9V-39H-3Z"),
    ("body", "M0-27C7-27 11-21 9-15L2 12H-2L-9-15C-11-21-7-27 0-27Z"),
    (
        "body",
        "M0 12C-1-6-8-17-20-18C-34-18-38-4-31 5C-27 10-23 13-21 18H21C23 13 27 10 31 5C38-4 34-18 20-18C8-17 1-6 0 12Z",
    ),
    ("body", "M-21 16H21L23 28C26 31 27 35 27 39H-27C-27 35-26 31-23 28Z"),
    ("mark", "M-21 22C-8 19 8 19 21 22M-22 30C-9 27 9 27 22 30"),
)

CHESSMEN: dict[str, tuple[Shape, ...]] = {
    "pawn": PAWN,
    "rook": ROOK,
    "knight": KNIGHT,
    "bishop": BISHOP,
    "queen": QUEEN,
    "chess_king": KING,
}
