"""The command that makes endgame tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gamemaster.cli.arguments import AsJson, GameName

__all__ = ["endgame"]


def endgame(
    game: GameName,
    pieces: Annotated[int, typer.Option(metavar="N", min=1, max=8, help="At most so many pieces.")] = 3,
    kinds: Annotated[
        str | None, typer.Option(metavar="KINDS", help="Only these kinds of pieces, between commas.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the table there, not where players look for it."),
    ] = None,
    memory: Annotated[int, typer.Option(metavar="MB", min=1, help="Give up where it takes more.")] = 2048,
    verify: Annotated[
        int, typer.Option(metavar="N", min=0, help="Search so many positions with alpha-beta, and compare.")
    ] = 0,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Which positions are verified.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Make a table of all positions with few pieces: what they are worth, and how far the end is.

    What a piece is follows from the rules: facts of which a place has at most one. The table is kept for the players
    alphabeta, mcts and egghead, which then play such positions perfectly.

    \b
        gamemaster endgame breakthrough:small --pieces 3
        gamemaster endgame chess --pieces 3 --kinds "white pawn,white queen" --save pawn.endgame
        gamemaster endgame checkers --pieces 2 --verify 200
    """
    from gamemaster.terminal.endgames import EndgameOptions, make_endgame

    chosen = None if kinds is None else tuple(name.strip() for name in kinds.split(",") if name.strip())
    options = EndgameOptions(pieces, chosen, save, memory, verify, seed, as_json)
    if not make_endgame(game, options):
        raise typer.Exit(1)
