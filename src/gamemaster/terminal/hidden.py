"""What a person may see of a game that hides its state: their percepts, and what follows from all they have seen.

What they know is drawn; where the states that can be are too many to look at all, they are told so.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from textwrap import fill

from gamemaster.draw.text import draw_text
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.players.sight import Sight
from gamemaster.terminal.screen import width

__all__ = ["show_belief", "show_sight"]

LIKELIEST, MOST_FACTS = 3, 12
"""So many states and facts of a belief are told."""


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
    heading = f"What {sight.role} knows (states that can be: {number}):"
    if number is None and sight.beliefs is not None:  # more than can be looked at
        where = f"in all of {len(sight.beliefs.states):,} states drawn from those that can be"
        heading = f"What {sight.role} may take for true (it holds {where}):"
    return [*fill(heading, width()).splitlines(), "", draw_text(state, width())]


def show_belief(
    game: Game, role: str, made: Sequence[tuple[State, Mapping[str, Term]]], generator: random.Random
) -> None:
    """Print what a role believes after these joint moves: how many states can be, and what is likely."""
    sight = Sight(game, role, generator)
    for state, moves in made:
        sight.tell(state, moves)
    if sight.beliefs is None:
        print(f"Where the game can be, as far as {role} knows, cannot be worked out.\n")
        return
    chances: dict[Term, float] = {}
    for state, weight in zip(sight.beliefs.states, sight.beliefs.weights, strict=True):
        for fact in state.ordered_facts:
            chances[fact] = chances.get(fact, 0.0) + weight
    open_facts = {fact: chance for fact, chance in chances.items() if chance < 1 - 1e-9}
    count, is_exact = len(sight.beliefs.states), sight.beliefs.is_exact
    more = "" if is_exact else " and more: these were drawn at random"
    can_be = f"{role} knows the state" if count == 1 else f"{role} cannot tell {count:,} states apart"
    print(f"{can_be}{more}.")
    for state, weight in sight.beliefs.likeliest(LIKELIEST) if open_facts else ():
        apart = [str(fact) for fact in state.ordered_facts if fact in open_facts]
        print(f"  {weight:6.1%}  {' '.join(apart) or 'none of what is uncertain'}")
    likely = sorted(open_facts.items(), key=lambda pair: (-pair[1], str(pair[0])))[:MOST_FACTS]
    if likely:
        told = ", ".join(f"{fact} {chance:.0%}" for fact, chance in likely)
        print(fill(f"Chances: {told}", width(), break_long_words=False, break_on_hyphens=False))
    print()
