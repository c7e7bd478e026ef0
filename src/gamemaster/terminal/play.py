"""`gamemaster play`: all roles at one keyboard, or against players; without a game, a first one against a friend.

Lines come from `--moves` first, then from the keyboard or a pipe; where they end, so does the session.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from gamemaster.games.aims import aim_of
from gamemaster.games.variants import choose
from gamemaster.language.notation import COMMENT_MARKS
from gamemaster.language.rules import Rules
from gamemaster.machine.game import RANDOM
from gamemaster.machine.moves import split_moves
from gamemaster.players.loading import in_machine_code
from gamemaster.terminal.boards import drawable
from gamemaster.terminal.guests import Guest, invite
from gamemaster.terminal.hints import Adviser
from gamemaster.terminal.hot_seat import HotSeat
from gamemaster.terminal.keyboard import TypedLines
from gamemaster.terminal.loading import load
from gamemaster.terminal.parted import parted
from gamemaster.terminal.people import People
from gamemaster.terminal.progress import get_ready
from gamemaster.terminal.welcome import choose_game, invite_friend

__all__ = ["play_game"]

LONGEST_TITLE = 40
"""Letters of a first line that is taken for a title."""


def play_game(
    name: str | None,
    *,
    as_roles: Sequence[str],
    moves: str,
    seed: int | None = None,
    against: Sequence[str] = (),
    seconds: float = 5.0,
) -> None:
    """Play a game to its end, or as far as the players want; without a name, one that they choose, against a friend."""
    is_first = name is None
    name = choose_game() if name is None else name
    if name is None:
        print("Stopped.")
        return
    game = drawable(load(name, machine="reference"))  # starts at once, and lists moves as the sheet does
    for role in as_roles:
        game.check_role(role)
    roles = tuple(role for role in game.roles if role != RANDOM)
    people = tuple(as_roles) or (roles[:1] if against or is_first else roles)
    generator = random.Random(seed)
    fast = load(name) if against or game.has_percepts else game
    with parted(
        is_on=game.has_percepts
    ) as prints:  # before guests are loaded: some keep the stream they find
        guests: list[Guest] = []
        if is_first and not against:
            guests = invite_friend(name, game, people, seconds=seconds, generator=generator)
        elif against:
            guests = invite(against, game, people, seconds=seconds, generator=generator)
            get_ready(fast, [kind for guest in guests for kind in in_machine_code(guest.player)])
            for guest in guests:
                guest.start(fast)
        table = People(game, people, TypedLines(split_moves(moves)), Adviser(name), fast=drawable(fast))
        by_role = {guest.role: guest for guest in guests}
        title, aim = _introduced(name, game.sheet)
        HotSeat(game, table, generator, by_role, aim, title, prints).play()


def _introduced(name: str, sheet: Rules) -> tuple[str, str]:
    """The title of a game, if it is no other than its name, and what it is about.

    The comment that a file begins with says both: a short first line without a full stop is the title.
    """
    aim, lines = aim_of(name, sheet), sheet.source.text.strip().splitlines()
    first = lines[0].strip(f"{COMMENT_MARKS[sheet.notation]} \t-=*#") if lines else ""
    is_title = 0 < len(first) <= LONGEST_TITLE and not first.endswith((".", "!", "?", ":", ","))
    if not is_title or not aim.startswith(first) or choose(name):
        return "", aim
    return first, aim.removeprefix(first).strip()
