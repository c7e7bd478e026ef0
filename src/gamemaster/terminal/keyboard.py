"""Where the lines of people come from: those given first, then a keyboard or a pipe; and how one is passed on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from gamemaster.language.terms import Term
from gamemaster.terminal.screen import is_terminal

try:
    import readline
except ImportError:  # not on every system
    readline = None  # type: ignore[assignment]  # so that the name is there, whatever the system has

__all__ = ["Quit", "TypedLines"]

CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""Empties a terminal, and what has scrolled out of it."""


class Quit(Exception):
    """The people stop before the end."""


@dataclass
class TypedLines:
    """Where lines come from: those given first, then standard input."""

    given: list[str]
    is_given: bool = field(default=False, init=False)
    """Whether the last line was a given one."""

    def ask(self, prompt: str, *, is_secret: bool) -> str:
        """The next line after a prompt; one from a pipe is shown as if typed. Quit at the end."""
        self.is_given = bool(self.given)
        if self.given:
            return self.given.pop(0).strip()
        if sys.stdin.isatty():
            return self._typed(prompt, is_secret=is_secret)
        line = sys.stdin.readline()
        if not line:
            raise Quit
        print(prompt + ("..." if is_secret else line.strip()))
        return line.strip()

    def pass_to(self, role: str, *, from_role: str) -> None:
        """Have somebody else sit down; at a keyboard they say so, and what was shown before is gone."""
        if sys.stdin.isatty() and from_role and is_terminal():
            print(CLEAR, end="")
        print(f"Pass the keyboard to {role}.")
        if sys.stdin.isatty() and from_role:
            self._typed(f"{role}, press Enter when nobody else looks ", is_secret=False)
            if is_terminal():
                print(CLEAR, end="")

    def offer(self, moves: Sequence[Term]) -> None:
        """Let the Tab key complete these moves, where there is a keyboard and a library for it."""
        if not sys.stdin.isatty() or readline is None:
            return
        texts = [str(move) for move in moves]

        def complete(begun: str, number: int) -> str | None:
            found = [text for text in texts if text.startswith(begun)]
            return found[number] if number < len(found) else None

        readline.set_completer(complete)
        readline.set_completer_delims("")
        readline.parse_and_bind("tab: complete")

    def _typed(self, prompt: str, *, is_secret: bool) -> str:
        try:
            line = input(prompt)
        except EOFError:
            print()
            raise Quit from None
        if is_secret and is_terminal():
            print(f"\x1b[1A\x1b[2K{prompt}...")  # up one line, clear it
        return line.strip()
