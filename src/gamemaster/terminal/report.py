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

from gamemaster.errors import GamemasterError, RulesError
from gamemaster.language.findings import Finding
from gamemaster.terminal.screen import console_of, is_terminal

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["print_finding", "report_error", "report_text"]

STYLES = {"error": "bold #d55e00", "warning": "bold #e69f00"}
UNPRINTABLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def report_error(error: GamemasterError) -> None:
    """Print an error to stderr: one line that says it all, and where it has a place, the text there."""
    if isinstance(error, RulesError) and error.place:
        report_text(_shown(Finding(error.code, "error", error.what, error.place, error.hint)))
    elif isinstance(error, RulesError) and error.hint:
        report_text(f"error: {error.what}\n  help: {error.hint}")
    else:
        report_text(f"error: {' '.join(str(error).split())}")


def report_text(text: str) -> None:
    """Print lines to stderr; what is no text for a screen is replaced."""
    text = _printable(text)
    if is_terminal(is_error=True):
        console_of(is_error=True).print(_coloured(text))
    else:
        print(text, file=sys.stderr)


def print_finding(finding: Finding) -> None:
    """Print a finding to stdout."""
    text = _printable(_shown(finding))
    if is_terminal():
        console_of().print(_coloured(text))
    else:
        print(text)


def _shown(finding: Finding) -> str:
    """The finding for people, without the source line or the hint where there is none."""
    first, line, caret, *hint = finding.show().split("\n")
    shown = [first]
    if finding.place.text.strip():
        shown += [line, caret]
    return "\n".join([*shown, *(hint if finding.hint else [])])


def _printable(text: str) -> str:
    return UNPRINTABLE.sub("\ufffd", text)


def _coloured(text: str) -> Text:
    """The first line with its severity in colour, and `help:` in bold."""
    from rich.text import Text

    coloured = Text(text)
    if match := re.search(r"\b(error|warning)(\[[\w-]+\])?:", text):
        coloured.stylize(STYLES[match[1]], match.start(), match.end())
        coloured.stylize("bold", 0, match.start())
    coloured.highlight_regex(r"(?m)^  help:", "bold")
    coloured.highlight_regex(r"(?m)^ +\^$", STYLES["error"])
    return coloured
