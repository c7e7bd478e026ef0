"""Steps that a person goes through one by one, forward and back: of a match, or of a search."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["walk"]

PROMPT = "Enter: next, b: back, a number: that step, q: quit> "


def walk(show: Callable[[int], None], last: int) -> None:
    """Show steps from 0 on as somebody asks for them, until the last one or until they have enough."""
    step = 0
    while True:
        show(step)
        if step == last:
            return
        answer = _answer()
        if answer == "q":
            return
        if answer == "b":
            step = max(0, step - 1)
        elif answer.isdecimal():
            step = min(int(answer[:9]), last)
        else:
            step += 1


def _answer() -> str:
    try:
        return input(PROMPT).strip().lower()
    except EOFError:
        print()
        return "q"
