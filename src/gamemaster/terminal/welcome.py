"""`gamemaster play` without a game: a first game against a friend, chosen with one question at most."""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gamemaster.errors import ParameterError, UnknownGame, Unsuitable
from gamemaster.load import source_of
from gamemaster.machine.game import RANDOM, Game
from gamemaster.terminal.guests import Guest, invite
from gamemaster.terminal.loading import load

__all__ = ["choose_game", "invite_friend"]

FIRST_GAMES = ("tictactoe", "connectfour", "breakthrough", "othello", "hex7x7")
"""What a newcomer is offered; Enter takes the first."""

LEAVING = ("quit", "q", "exit")

FRIENDS = ("alphabeta(depth=2)", "mcs", "random")
"""Who plays against a newcomer: the first that takes the game. A friend sees a win and a threat, and no further."""


def choose_game() -> str | None:
    """The game that a person at a keyboard wants, None for none; the first on offer where nobody can be asked."""
    if not sys.stdin.isatty():
        return FIRST_GAMES[0]
    offered = "  ".join(f"{number} {name}" for number, name in enumerate(FIRST_GAMES, 1))
    print(f"Which game? {offered}\n{_advice()}")
    while True:
        try:
            answer = input(f"game [{FIRST_GAMES[0]}]> ").strip()
        except EOFError:
            print()
            return None
        if answer in LEAVING:
            return None
        try:
            return _named(answer)
        except ParameterError as error:
            print(error)
        except UnknownGame:
            print(f"There is no game or rule file {answer[:80]!r}. {_advice()}")


def _advice() -> str:
    last = len(FIRST_GAMES)
    return (
        f"A number from 1 to {last}, any other game by its name (`{_command()} games` lists them), a file with rules;"
        " or `quit`."
    )


def _named(answer: str) -> str:
    """The game that an answer means: its number, its name, or nothing for the first; UnknownGame for no game."""
    if answer.isdecimal() and 1 <= int(answer) <= len(FIRST_GAMES):
        return FIRST_GAMES[int(answer) - 1]
    name = answer or FIRST_GAMES[0]
    source_of(name)
    return name


def _command() -> str:
    """How to call the command: by its name, or as it was called where the name alone is not found."""
    called = sys.argv[0]
    return called if Path(called).name == "gamemaster" and not shutil.which("gamemaster") else "gamemaster"


def invite_friend(
    name: str, game: Game, people: Sequence[str], *, seconds: float, generator: random.Random
) -> list[Guest]:
    """Friends for the roles that no person plays; nobody where none is left."""
    if all(role in people or role == RANDOM for role in game.roles):
        return []
    fast = load(name)
    for friend in FRIENDS:
        guests = [
            replace(each, name="friend", is_talkative=False)
            for each in invite([friend], game, people, seconds=seconds, generator=generator)
        ]
        try:
            for guest in guests:
                guest.start(fast)
        except Unsuitable:
            continue
        roles = ", ".join(guest.role for guest in guests)
        print(f"You play {', '.join(people)} against a friend ({friend}), who plays {roles}.")
        print(f"`help` says what to type. A strong opponent: {_command()} play {name} --against egghead")
        return guests
    raise AssertionError("random plays every game")
