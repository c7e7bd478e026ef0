"""Draws the gallery from the library: `python docs/draw_gallery.py` writes gallery.md and a picture of every game.

    python docs/draw_gallery.py                    the page and all pictures: minutes, where no game was compiled before
    python docs/draw_gallery.py chess othello      the page and the pictures of these
    python docs/draw_gallery.py --check            writes nothing; says what is stale, and exits with 1 if anything is

Games begin with empty boards or long rows of pieces, so a picture shows a few moves of a search, the same ones every
time: it has a number of playouts and a seed, and no clock.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from html import escape
from pathlib import Path

import gamemaster as gm
from gamemaster.draw.picture.beside import caption_of
from gamemaster.draw.steps import board_after
from gamemaster.draw.svg import draw_svg
from gamemaster.errors import GamemasterError
from gamemaster.games import GameFolder, entry, game_names
from gamemaster.games.aims import aim_of
from gamemaster.machine.game import Game, State
from gamemaster.machine.moves import split_moves, walk

HERE = Path(__file__).parent
PICTURES, PAGE = "gallery", "gallery.md"
SEED, PLAYOUTS = 1, 2000
PART, FEWEST, FEWEST_ALONE, MOST = 0.4, 2, 8, 14
"""How far into a game a picture is: a part of its usual length; alone, a search comes further than random play."""

SIZE, WIDTH = 400, 240
HEADINGS = {
    "board": "Board games",
    "heap": "Heaps",
    "race": "Races",
    "cards": "Cards",
    "guessing": "Guessing",
    "tree": "Trees of a textbook",
    "simultaneous": "Everybody moves at once",
    "puzzle": "Puzzles",
}

TOP = """\
# Gallery

The games of the [library](../src/gamemaster/games), each a few moves after its start. Play any of them:
`gamemaster play NAME`, alone or `--against egghead`. Its rules, in logic: `gamemaster show NAME`; in words: `gamemaster
show NAME --description`; its board: `gamemaster show NAME --svg --random 10 --out board.svg`. Numbers in a name make a
variant: `gamemaster play connectfour:columns=7,rows=5`.

This page and its pictures are written by `python docs/draw_gallery.py`. Want a game of your own here? [Write a
game](write-a-game.md), and [draw its board](draw-a-board.md).
"""


# The pictures


def picture(name: str) -> str:
    """A game, some moves after its start."""
    game = gm.load(name)
    known = entry(name).opening
    before, state = opening(game, known) if known else searched(game)
    return draw_svg(board_after(before, state), caption=caption_of(state), size=SIZE, prefix=name)


def opening(game: Game, moves: str) -> tuple[State, State]:
    """The last state but one and the last of moves that are given."""
    state, _, made = walk(game.initial_state(), split_moves(moves), random.Random(SEED))
    return made[-1][0], state


def searched(game: Game) -> tuple[State, State]:
    """The same of moves that a search makes, in its usual part of the game."""
    usual = round(PART * game.playouts(count=1000, seed=SEED).mean_length)
    fewest = FEWEST if len(game.roles) > 1 else FEWEST_ALONE
    generator = random.Random(SEED)
    before = state = game.initial_state()
    for _ in range(max(fewest, min(MOST, usual))):
        following = state.next(sensible_moves(state, generator))
        if following.is_terminal:
            break
        before, state = state, following
    return before, state


def sensible_moves(state: State, generator: random.Random) -> dict[str, gm.Term]:
    """A move for every role: found by a search where a role has a choice, at random where none can find it."""
    moves = state.random_moves(generator)
    for role in state.game.roles:
        if role != "random" and len(state.legal_moves(role)) > 1:
            with suppress(GamemasterError):
                moves[role] = gm.search(state, role, playouts=PLAYOUTS, seed=SEED).move or moves[role]
    return moves


# The page


def page() -> str:
    """All games, by what kind they are."""
    folders = [entry(name) for name in game_names()]
    kinds = sorted({folder.kind for folder in folders}, key=lambda kind: (*HEADINGS, kind).index(kind))
    return TOP + "".join(section(kind, [f for f in folders if f.kind == kind]) for kind in kinds)


def section(kind: str, folders: Iterable[GameFolder]) -> str:
    """The games of a kind, a row each: what it looks like, and what it is."""
    rows = "".join(f"| {image(folder)} | {'<br>'.join(said(folder))} |\n" for folder in folders)
    return f"\n## {HEADINGS.get(kind, kind.capitalize())}\n\n| | |\n|---|---|\n{rows}"


def image(folder: GameFolder) -> str:
    """The picture of a game; its alternative in words is short, as all is said beside it."""
    return f'<img src="{PICTURES}/{folder.name}.svg" width="{WIDTH}" alt="{escape(folder.title)}">'


def said(folder: GameFolder) -> Iterator[str]:
    """What is said of a game, in lines."""
    yield f"**{cell(folder.title)}**"
    yield cell(aim_of(folder.name, gm.load(folder.name, machine="reference").sheet))
    yield f"`gamemaster play {folder.name}`"
    yield f"<sub>for {cell(', '.join(folder.roles))}; {cell(', '.join(folder.tags))}; in {folder.notation}</sub>"
    if others := ", ".join(variants(folder)):
        yield f"<sub>also {others}</sub>"


def variants(folder: GameFolder) -> Iterator[str]:
    """What else the rules of a game can be: by name, and by number."""
    for variant in folder.variants:
        yield f"`{folder.name}:{variant.name}`"
    for number in folder.parameters:
        yield f"`{folder.name}:{number.name}=N` ({number.least} to {number.most})"


def cell(text: str) -> str:
    """A text in a cell of a table."""
    return escape(text, quote=False).replace("|", "&#124;")


# Writing and checking


def main() -> int:
    """Write what is asked for, or say what is stale."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="games to draw; default: all")
    parser.add_argument("--check", action="store_true", help="write nothing, say what is stale")
    asked = parser.parse_args()
    stale = list(update(asked.names or game_names(), is_check=asked.check))
    print("\n".join(stale) or "nothing is stale")
    return int(asked.check and bool(stale))


def update(names: Iterable[str], *, is_check: bool) -> Iterator[str]:
    """The files that are not what they should be, and then are, unless they are only checked."""
    for path, text in files(names):
        if not path.is_file() or path.read_text() != text:
            if not is_check:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            yield str(path.relative_to(HERE.parent))
    for path in (HERE / PICTURES).glob("*.svg"):
        if path.stem not in game_names():
            if not is_check:
                path.unlink()
            yield f"{path.relative_to(HERE.parent)} is of no game"


def files(names: Iterable[str]) -> Iterator[tuple[Path, str]]:
    """The page, and the pictures of games."""
    yield HERE / PAGE, page()
    for name in names:
        yield HERE / PICTURES / f"{name}.svg", picture(name) + "\n"


if __name__ == "__main__":
    sys.exit(main())
