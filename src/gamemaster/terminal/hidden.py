"""What a person may see of a game that hides its state: their percepts, and what follows from all they have seen.

What they know is drawn; where the states that can be are too many to look at all, they are told so.
"""

from __future__ import annotations

from gamemaster.draw.text import draw_text
from gamemaster.players.sight import Sight
from gamemaster.terminal.screen import width

__all__ = ["show_sight"]


def show_sight(sight: Sight) -> None:
    """Print what is new, and the board as far as it is known, for nobody but this role."""
    new, sight.seen = sight.seen, []
    for step, percepts in new:
        print(f"Step {step + 1}: {sight.role} sees {', '.join(sorted(map(str, percepts))) or 'nothing'}")
    print("", *_known(sight), "", sep="\n")


def _known(sight: Sight) -> list[str]:
    found = sight.known()
    if found is None:
        return ["(what holds now cannot be worked out from that)"]
    state, number = found
    count = "more than can be looked at" if number is None else str(number)
    return [f"What {sight.role} knows (states that can be: {count}):", "", draw_text(state, width())]
