"""Contents of cells -> how they look: glyphs and colours, from the words that rulesheets use.

A content says who owns a thing and what it is, in one of a few ways: `white rook`, `whiterook`, `white_rook`, `wr`.
Words decide; letters only where the game is sure to mean pieces, as with `wr` beside `bk`. What says nothing that is
known here is written as text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from gamemaster.draw.boards.symbols import owner_of
from gamemaster.draw.styles.style import COLOURS, PieceStyle

__all__ = ["colour_of", "colour_of_role", "looks_of", "words_of"]

WORD_GLYPHS: Mapping[str, str] = {
    word: glyph
    for glyph, words in {
        "pawn": "pawn pawns",
        "knight": "knight knights horse",
        "bishop": "bishop",
        "rook": "rook castle tower",
        "queen": "queen queens amazon q",
        "chess_king": "king",
        "man": "man checker checkers draught",
        "stone": "stone pebble pearl marble",
        "disc": "head disc disk token piece chip ball peg bead",
        "ring": "ring",
        "x": "x ecks cross",
        "o": "o oh nought zero",
        "wall": "wall walls block blocked blk hole holes obstacle offlimits barrier brick void blocker burned",
        "light": "light lamp on lit",
        "coin": "coin gold treasure money",
        "flag": "flag exit goal target finish",
        "star": "star point",
        "dot": "dot pellet food dirt",
        "diamond": "diamond gem jewel",
        "tree": "tree bush",
        "leaf": "leaf",
        "rock": "rock",
        "paper": "paper",
        "scissors": "scissors",
        "square": "body tail tailpos marked filled arrow visited",
        "triangle": "ship rocket",
    }.items()
    for word in words.split()
}

LETTER_GLYPHS: Mapping[str, str] = {
    "p": "pawn",
    "n": "knight",
    "b": "bishop",
    "r": "rook",
    "q": "queen",
    "k": "chess_king",
}

COLOUR_WORDS: Mapping[str, str] = {colour: colour for colour in COLOURS if colour != "plain"} | {
    "teal": "cyan",
    "magenta": "pink",
    "violet": "purple",
    "gray": "grey",
    "silver": "grey",
    "gold": "yellow",
}

ARROWS: Mapping[str, str] = {
    "left": "←",
    "west": "←",
    "right": "→",
    "east": "→",
    "up": "↑",
    "north": "↑",
    "above": "↑",
    "below": "↓",
    "down": "↓",
    "south": "↓",
}

CODE = re.compile(r"([a-z])([pnbrqk])\Z")
NUMBER = re.compile(r"-?[0-9]{1,6}\Z")
NUMBERED = re.compile(r"[a-z][0-9]{1,6}\Z")
NUMBER_WORDS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
}
CHESS = frozenset(LETTER_GLYPHS.values())
HERE = frozenset(["at", "pos", "position", "location", "here", "cell", "room", "place"])
DRAUGHTS = {"pawn": "man", "chess_king": "king"}
LONGEST_RUN = 100
"""In more letters without a break no words are looked for."""
LOWERCASE_RUNS = re.compile(r"[a-z]+|[0-9]+")


def looks_of(
    contents: Iterable[str], roles: Sequence[str], blanks: Collection[str] = ()
) -> dict[str, PieceStyle]:
    """How each content looks that is not blank, whatever else the game has taken into account."""
    things = [content for content in dict.fromkeys(contents) if content not in blanks]
    codes = _codes(things, roles)
    glyphs = {content: codes.get(content) or _glyph(content, roles) for content in things}
    numbered = [content for content in things if NUMBERED.match(content)]
    if len({content[0] for content in numbered}) > 1:  # b7 is a name, not the seventh of all
        glyphs |= dict.fromkeys(numbered, "text")
    if len(CHESS & set(glyphs.values())) >= 3:  # of a set of chessmen, what else has a name has a letter
        glyphs = {
            content: glyph if glyph in (*CHESS, "wall") else "text" for content, glyph in glyphs.items()
        }
    if set(glyphs.values()) & set(LETTER_GLYPHS.values()) == set(DRAUGHTS):
        glyphs = {content: DRAUGHTS.get(glyph, glyph) for content, glyph in glyphs.items()}
    return {content: _look(content, glyph, roles) for content, glyph in glyphs.items()}


def _look(content: str, glyph: str, roles: Sequence[str]) -> PieceStyle:
    words = words_of(content, roles)
    arrow = next((ARROWS[word] for word in words if word in ARROWS), None)
    colour = colour_of(content, roles)
    if glyph == "text" and arrow and content not in roles:
        return PieceStyle(glyph, colour, symbol=arrow)
    if glyph == "number" and not NUMBER.match(content):
        number = _counted(words)
        if NUMBERED.match(content):
            return PieceStyle(glyph, "plain", number, number)
        if " " in content:  # of `4 red` and `4 blue` the symbols tell them apart
            return PieceStyle(glyph, colour, sign=number)
        return PieceStyle(glyph, colour, symbol=number)
    if glyph == "disc" and colour == "plain" and len(roles) == 1 and HERE & set(words):
        return PieceStyle(glyph, colour_of_role(roles[0], roles))
    return PieceStyle(glyph, colour, _name(content, glyph, roles))


def _counted(words: Iterable[str]) -> str:
    """The number in some words."""
    return next(
        str(NUMBER_WORDS.get(word, word)) for word in words if word in NUMBER_WORDS or word.isdecimal()
    )


def _name(content: str, glyph: str, roles: Sequence[str]) -> str | None:
    """What a thing of a code such as `wr` is called; others are called what the rules call them."""
    if not CODE.match(content) or glyph not in {*LETTER_GLYPHS.values(), *DRAUGHTS.values()}:
        return None
    return f"{owner_of(content, roles)} {'king' if glyph == 'chess_king' else glyph}"


def _codes(contents: Sequence[str], roles: Sequence[str]) -> dict[str, str]:
    """The glyphs of two-letter names, where every owner has some and they are kinds of chess pieces."""
    found = {c: LETTER_GLYPHS[match[2]] for c in contents if (match := CODE.match(c)) and owner_of(c, roles)}
    pairs = [content for content in contents if len(content) == 2 and content.isalpha()]
    return found if len(found) == len(pairs) else {}


def _glyph(content: str, roles: Sequence[str]) -> str:
    words = words_of(content, roles)
    if _is_number(content, words, roles):
        return "number"
    if set(words) & set(ARROWS) and content not in roles:
        return "text"
    for word in map(_single, words):
        if word in WORD_GLYPHS and (word not in roles or word in ("x", "o")):
            return WORD_GLYPHS[word]
    if HERE & set(words):
        return "disc"
    if len(words) == 1 and (content in roles or content in COLOUR_WORDS or _is_initial(content, roles)):
        return "disc"
    return "text"


def _is_number(content: str, words: Sequence[str], roles: Sequence[str]) -> bool:
    """Whether a content is a number: 12, s12, `4 red`, twocoins."""
    if NUMBER.match(content) or NUMBERED.match(content):
        return True
    rest = [word for word in words if word not in COLOUR_WORDS and word not in roles]
    if len(rest) == 1 and rest[0].isdecimal():
        return True
    if len(words) == 2 and words[1].isdecimal() and _single(words[0]) in WORD_GLYPHS:
        return True  # disc3: which of them
    return len(words) == 2 and words[0] in NUMBER_WORDS and _single(words[1]) in WORD_GLYPHS


def _is_initial(content: str, roles: Sequence[str]) -> bool:
    """Whether it is a role's first letter and nothing more, or that of its colour."""
    return len(content) == 1 and (
        owner_of(content, roles) is not None or _initial_colour(content, roles) is not None
    )


def _initial_colour(content: str, roles: Sequence[str]) -> str | None:
    """The colour with that first letter, where roles are named after it."""
    named = {colour_of_role(role, roles) for role in roles}
    found = {colour for colour in named if len(content) == 1 and colour in COLOURS and colour[0] == content}
    return found.pop() if len(found) == 1 else None


def colour_of(content: str, roles: Sequence[str]) -> str:
    """The colour that a content names, or that of the role that owns it; else `plain`."""
    words = words_of(content, roles)
    named = next((COLOUR_WORDS[word] for word in words if word in COLOUR_WORDS), None)
    if named:
        return named
    if initial := _initial_colour(content, roles):
        return initial
    mark = next((WORD_GLYPHS[word] for word in words if WORD_GLYPHS.get(word) in ("x", "o")), content)
    owner = next((role for role in roles if role in words), None) or owner_of(mark, roles)
    return "plain" if owner is None else colour_of_role(owner, roles)


def colour_of_role(role: str, roles: Sequence[str]) -> str:
    """The colour that a role is named after, where it is; else its own."""
    named = next((COLOUR_WORDS[word] for word in words_of(role, ()) if word in COLOUR_WORDS), None)
    return named or f"role {roles.index(role) + 1}"


def words_of(content: str, roles: Sequence[str] = ()) -> list[str]:
    """The words of a content: `white rook`, `white_rook` and `whiterook` have two, `cell1` has cell and 1."""
    return [word for run in LOWERCASE_RUNS.findall(content.lower()) for word in _split(run, roles)]


def _single(word: str) -> str:
    """A thing's name for its plural."""
    return word[:-1] if word.endswith("s") and word[:-1] in WORD_GLYPHS else word


def _split(run: str, roles: Sequence[str]) -> Iterator[str]:
    """A run of letters as a colour or a role and what it has, or as one word and another that is known; or as it is."""
    owners = {*COLOUR_WORDS, *roles}
    if run in owners or run in WORD_GLYPHS or run in ARROWS or len(run) > LONGEST_RUN:
        yield run
        return
    cuts = ((run[:at], run[at:]) for at in range(2, len(run) - 1))
    known = {*WORD_GLYPHS, *ARROWS} - {"on", "o", "x", "oh"}
    for first, second in cuts:
        if (first in owners and len(second) > 2) or (_single(second) in known and len(second) > 2):
            yield from (first, second)
            return
    yield run
