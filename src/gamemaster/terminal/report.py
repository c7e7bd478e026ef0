"""Errors and findings -> lines on the screen.

mygame.kif:2:1: error[syntax]: bracket never closed
  (<= terminal
  ^
  help: add a closing bracket
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from gamemaster.errors import CompetitionError, GameIllDefined, GamemasterError, RulesError
from gamemaster.language.findings import Finding
from gamemaster.terminal.screen import console_of, is_terminal

if TYPE_CHECKING:
    from rich.text import Text

__all__ = [
    "print_finding",
    "print_line",
    "printable",
    "printable_line",
    "report_error",
    "report_text",
    "steps",
]

STYLES = {"error": "bold #d55e00", "warning": "bold #e69f00", "note": "bold #3a8fd0"}
UNPRINTABLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What moves the cursor, turns the order of letters around, or does more to a terminal; not the end of a line."""


def report_error(error: GamemasterError) -> None:
    """Print an error to stderr: one line that says it all, and where it has a place, the text there."""
    if isinstance(error, RulesError) and error.place:
        report_text(_shown(Finding(error.code, "error", error.what, error.place, error.hint)))
    elif isinstance(error, GameIllDefined) and error.place:
        report_text(f"{error.place}: error: {error.what}\n{error.place.caret()}\n  help: {error.hint}")
    elif isinstance(error, RulesError) and error.hint:
        report_text(f"error: {error.what}\n  help: {error.hint}")
    elif isinstance(error, CompetitionError):
        report_text(f"error: {error}")
    else:
        report_text(f"error: {' '.join(str(error).split())}")


def report_text(text: str) -> None:
    """Print lines to stderr; what is no text for a screen is replaced."""
    text = printable(text)
    if is_terminal(is_error=True):
        console_of(is_error=True).print(_coloured(text))
    else:
        print(text, file=sys.stderr)


def steps(count: int) -> str:
    """So many steps, in words."""
    return f"{count:,} step{'s' if count != 1 else ''}"


def print_finding(finding: Finding, game: str = "") -> None:
    """Print a finding about a game to stdout."""
    text = printable(_shown(finding, game))
    if is_terminal():
        console_of().print(_coloured(text))
    else:
        print(text)


def _shown(finding: Finding, game: str = "") -> str:
    """The finding for people, without the source line where there is none."""
    first, line, caret, *rest = finding.show(game).split("\n")
    shown = [first]
    if finding.place.text.strip():
        shown += [line, caret]
    return "\n".join([*shown, *rest])


def printable(text: str) -> str:
    """The text with everything replaced that is none for a screen."""
    return UNPRINTABLE.sub("\ufffd", text)


def printable_line(text: str) -> str:
    """The same in one line: whoever wrote it cannot pass for another one."""
    return printable(text.replace("\n", "\ufffd"))


def print_line(text: str) -> None:
    """Print what somebody else may have written as one line, at once, so that a pipe sees it too."""
    print(printable_line(text), flush=True)


def _coloured(text: str) -> Text:
    """The first line with its severity in colour, and `help:` in bold."""
    from rich.text import Text

    coloured = Text(text)
    if match := re.search(r"\b(error|warning|note)(\[[\w-]+\])?:", text):
        coloured.stylize(STYLES[match[1]], match.start(), match.end())
        coloured.stylize("bold", 0, match.start())
    coloured.highlight_regex(r"(?m)^  (help|replay):", "bold")
    coloured.highlight_regex(r"(?m)^ +\^$", STYLES["error"])
    return coloured
