"""Text of rules -> HTML: a line each, with a number to link to, and its tokens in spans.

Whatever is not a token stays as it is, so a text need not be readable as rules. Everything is escaped.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape

from gamemaster.language.builtins import AGGREGATES, FIXED_ARITY
from gamemaster.language.notation import COMMENT_MARKS
from gamemaster.language.rules import Notation

__all__ = ["highlighted"]

MOST_MARKED = 60_000
"""Characters of a text whose tokens are marked; a longer one has lines only, so that its page stays small."""

LONGEST_LINE = 2_000
"""Of a line that is looked at closely."""

WORDS = (
    "role", "init", "true", "false", "does", "next", "legal", "goal", "terminal", "base", "input", "action",
    "control", "sees", "random", "not", "or", "and",
)  # fmt: skip
"""Words that the languages give a meaning."""

RESERVED = AGGREGATES.union(WORDS, FIXED_ARITY)
CLASSES = {"comment": "c", "string": "s", "variable": "v", "number": "n", "relation": "r", "mark": "m"}
"""Of each kind of token: a letter, as there are thousands of them."""

WORD_CLASS = "w"
LINE_END = re.compile(r"\r\n?|\n")
QUOTED = r'"[^"\n]*"'
NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
KIF_NAME = r'[^\s()";|]'
INFIX_NAME = r"[A-Za-z0-9_./+*-]"
KIF = rf"""(?P<string>{QUOTED}|\|(?:[^|\\]|\\.)*\|)
    | (?P<variable>\?{KIF_NAME}+)
    | (?P<mark><=|:=)(?!{KIF_NAME})
    | (?P<number>{NUMBER})(?!{KIF_NAME})
    | (?<=\()(?P<relation>{KIF_NAME}+)
    | (?P<plain>{KIF_NAME}+)"""
INFIX = rf"""(?P<string>{QUOTED}|'(?:[^'\\]|\\.)*')
    | (?P<variable>\b[A-Z]{INFIX_NAME}*|\b_\b)
    | (?P<mark>==>|:=|:-|::|[~&|!])
    | (?P<number>{NUMBER})(?!{INFIX_NAME})
    | (?P<relation>[a-z0-9]{INFIX_NAME}*)(?=\()
    | (?P<plain>[a-z0-9]{INFIX_NAME}*)"""


def _tokens(notation: Notation) -> re.Pattern[str]:
    comment = rf"(?P<comment>{COMMENT_MARKS[notation]}.*)"
    return re.compile(f"{comment} | {KIF if notation == 'kif' else INFIX}", re.VERBOSE)


TOKENS: dict[Notation, re.Pattern[str]] = {each: _tokens(each) for each in COMMENT_MARKS}


@lru_cache(maxsize=256)
def highlighted(text: str, notation: Notation) -> str:
    """A text of rules as HTML for the inside of `<pre><code>`: line 12 has the id L12."""
    lines = LINE_END.split(text.rstrip())
    is_short = len(text) <= MOST_MARKED
    return "\n".join(
        f'<span class="line" id="L{number}"><a href="#L{number}" aria-hidden="true" tabindex="-1"></a>'
        f"{_marked(line, TOKENS[notation]) if is_short and len(line) <= LONGEST_LINE else escape(line)}</span>"
        for number, line in enumerate(lines, 1)
    )


def _marked(line: str, tokens: re.Pattern[str]) -> str:
    """A line with its tokens in spans."""
    pieces, done = [], 0
    for token in tokens.finditer(line):
        pieces.append(escape(line[done : token.start()]))
        letter = _class_of(token.lastgroup or "plain", token[0])
        shown = escape(token[0])
        pieces.append(f"<b class={letter}>{shown}</b>" if letter else shown)
        done = token.end()
    return "".join(pieces) + escape(line[done:])


def _class_of(kind: str, text: str) -> str | None:
    """The class of a token; None for one that looks like any other text."""
    if kind in ("relation", "plain") and text.lower() in RESERVED:
        return WORD_CLASS
    return CLASSES.get(kind)
