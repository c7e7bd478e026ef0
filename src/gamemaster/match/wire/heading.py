"""The head of a message -> the same message with its rules or moves left out: who speaks of which match.

To read 100 kB of rules takes a second; a player that is busy with another match should not spend it on a stranger.
"""

from __future__ import annotations

import re

__all__ = ["SHORT", "shortened"]

SHORT = 1_000
"""A text of no more characters is left as it is. In a longer one the head must be within as many."""

KIF_WORD = r"""(?:\|(?:\\.|[^|\\\r\n])*+\||"[^"\r\n]*+"|[^\x00-\x20()";|]++)\s++"""
KIF_HEAD = re.compile(rf"\s*+\(\s*+(?:(start)\s++{KIF_WORD}{KIF_WORD}|(?:play|stop)\s++{KIF_WORD})", re.I)
INFIX_WORD = r"""\s*+(?:[A-Za-z0-9_./+*-]++|'(?:\\.|[^'\\\r\n])*+'|"[^"\r\n]*+")\s*+,\s*+"""
INFIX_HEAD = re.compile(
    rf"\s*+(message\s*+\((?:{INFIX_WORD}){{3}})?(?:(start)|play|stop)\s*+\((?:{INFIX_WORD}){{0,2}}(\[)?", re.I
)


def shortened(text: str) -> str:
    """The message with a fact for its rules, or one move for its moves; nothing where it is long and no request."""
    if len(text) <= SHORT:
        return text
    head = text[:SHORT].removeprefix("\ufeff")
    if kif := KIF_HEAD.match(head):
        return kif[0] + ("((role x)) 0 0)" if kif[1] else "nil)")
    if infix := INFIX_HEAD.match(head):
        envelope, is_start, is_list = infix.groups()
        return infix[0] + _rest(bool(is_start), bool(is_list)) + (")" if envelope else "")
    return ""


def _rest(is_start: bool, is_list: bool) -> str:
    if is_start:
        return "role(x)],0,0)" if is_list else "ruleset(role(x)),0,0)"
    return "noop])" if is_list else "nil)"
