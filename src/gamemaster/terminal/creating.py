"""`gamemaster new`: a folder to begin with, and what to do with it."""

from __future__ import annotations

from pathlib import Path

from gamemaster.games.skeleton import write_skeleton

__all__ = ["create_game"]


def create_game(name: str, notation: str) -> None:
    """Write a folder with a small game into the present one, and say what comes next."""
    write_skeleton(name, notation, Path())
    print(f"{name}/ has a small game that plays. Change it into yours:")
    print(f"  {name}/rules.{notation}  the rules")
    print(f"  {name}/description.md  how to play it, in words")
    print(f"  {name}/game.toml  title, parameters, variants")
    print("then, as often as you like:")
    print(f"  gamemaster check {name}")
    print(f"  gamemaster play {name}")
    print(f"  gamemaster show {name} --svg --out board.svg")
