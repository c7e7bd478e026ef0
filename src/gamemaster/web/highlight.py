"""Text of rules -> HTML: a line each, with a number to link to, and its tokens in spans.

Whatever is not a token stays as it is, so a text need not be readable as rules. Everything is escaped.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape

from gamemaster.editing.lines import TextLines
from gamemaster.editing.scanning import Colour, ColouredToken, tokens
from gamemaster.language.rules import Notation

__all__ = ["highlighted"]

MOST_MARKED = 60_000
"""Characters of a text whose tokens are marked; a longer one has lines only, so that its page stays small."""

LONGEST_LINE = 2_000
"""Of a line that is looked at closely."""

CLASSES: dict[Colour, str] = {
    "comment": "c", "string": "s", "variable": "v", "number": "n", "relation": "r", "mark": "m", "word": "w"
}  # fmt: skip
"""Of each kind of token: a letter, as there are thousands of them. Other names look like any other text."""


@lru_cache(maxsize=256)
def highlighted(text: str, notation: Notation) -> str:
    """A text of rules as HTML for the inside of `<pre><code>`: line 12 has the id L12."""
    text = text.rstrip()
    lines = TextLines.of(text)
    marked: list[list[ColouredToken]] = [[] for _ in lines.starts]
    for token in tokens(text, notation) if len(text) <= MOST_MARKED else ():
        marked[lines.line(token.start)].append(token)
    return "\n".join(
        f'<span class="line" id="L{number}"><a href="#L{number}" aria-hidden="true" tabindex="-1"></a>'
        f"{_marked(text, start, lines.end(number - 1), found)}</span>"
        for number, (start, found) in enumerate(zip(lines.starts, marked, strict=True), 1)
    )


def _marked(text: str, start: int, end: int, found: list[ColouredToken]) -> str:
    """A line, from one offset to another, with its tokens in spans."""
    pieces = []
    for token in found if end - start <= LONGEST_LINE else ():
        if letter := CLASSES.get(token.colour):
            pieces.append(escape(text[start : token.start]))
            pieces.append(f"<b class={letter}>{escape(text[token.start : token.end])}</b>")
            start = token.end
    return "".join(pieces) + escape(text[start:end])
