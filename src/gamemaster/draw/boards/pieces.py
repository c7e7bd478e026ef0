"""Contents -> Things: the glyph, colour, name and symbol of what lies on a cell.

What the style says of a content counts first, then what it says of one of its words: `white rook` has the colour of
white and the glyph of rook. What it does not say is found: whose it is from its name, a symbol unlike all others, and a
badge where two things of a board would look the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gamemaster.draw.boards.symbols import symbols_of
from gamemaster.draw.finding.badges import badges_of
from gamemaster.draw.finding.pieces import colour_of, looks_of
from gamemaster.draw.model import Thing
from gamemaster.draw.styles.style import PieceStyle, Style

__all__ = ["Pieces"]

WALL = "dark"
TOKEN, TOKEN_GLYPH = "●", "disc"
"""What a token of a heap looks like, where the style says nothing."""


class Pieces:
    """The things of a game: `contents` are all that are known, `boards` those of each board."""

    def __init__(
        self,
        style: Style,
        roles: Sequence[str],
        contents: Iterable[str],
        boards: Iterable[Iterable[str]] = (),
    ) -> None:
        self.style = style
        self.roles = tuple(roles)
        blanks = frozenset(blank for board in style.boards for blank in board.blanks)
        self.contents = [content for content in dict.fromkeys(contents) if content not in blanks]
        self.symbols = symbols_of(self.contents, (), roles)
        self.found = looks_of(self.contents, self.roles)
        self.badges: dict[str, str] = {}
        for several in boards:
            things = [
                self.thing(each) for each in several if each not in blanks and not self._is_written(each)
            ]
            self.badges |= badges_of(things, self.roles)

    def _is_written(self, content: str) -> bool:
        """Whether somebody wrote how a content looks, or a word of it."""
        return any(word in self.style.pieces for word in (content, *self._words(content)))

    def legend(self) -> tuple[Thing, ...]:
        """All things that are known."""
        return tuple(map(self.thing, self.contents))

    def thing(self, content: str, glyph: str = "text") -> Thing:
        """How a content looks; `glyph` where the style has none."""
        styles = list(self._styles(content))
        return Thing(
            content=content,
            glyph=next((each.glyph for each in styles if each.glyph is not None), glyph),
            colour=next(
                (each.colour for each in styles if each.colour is not None), colour_of(content, self.roles)
            ),
            symbol=next(
                (each.symbol for each in styles if each.symbol is not None), self._symbol(content, glyph)
            ),
            name=next((each.name for each in styles if each.name is not None), content),
            sign=next((each.sign for each in styles if each.sign is not None), _number(content)),
            badge=self.badges.get(content, ""),
        )

    def token(self, content: str) -> Thing:
        """One of a heap."""
        return self.thing(content, TOKEN_GLYPH)

    def colour_of_line(self, whose: str | None) -> str:
        """The colour of a line that is a fact: its owner's, else that of walls."""
        return WALL if whose is None else self.thing(whose).colour

    def _styles(self, content: str) -> Iterator[PieceStyle]:
        """What the style says of a content: first of all of it, then of its words; what is written first."""
        words = self._words(content)
        for pieces in (self.style.pieces, self.style.other_pieces):
            if content in pieces:
                yield pieces[content]
            for word in words:
                if word in pieces:
                    style = pieces[word]
                    yield PieceStyle(style.glyph, style.colour)
        if content in self.found:
            yield self.found[content]

    def _words(self, content: str) -> list[str]:
        """`white rook` and, where white is a role, `whiterook` have two; a single word none."""
        owner = next((role for role in self.roles if content.startswith(role) and content != role), None)
        words = content.split()
        if len(words) == 1 and owner:
            words = [owner, content[len(owner) :].strip("_-")]
        return words if len(words) > 1 else []

    def _symbol(self, content: str, glyph: str) -> str:
        return TOKEN if glyph == TOKEN_GLYPH else self.symbols.get(content, content)


def _number(content: str) -> str:
    """The number in a content of several words: the 4 of `4 red`."""
    words = content.split()
    numbers = [word for word in words if word.isdecimal()]
    return numbers[0] if len(numbers) == 1 < len(words) else ""
