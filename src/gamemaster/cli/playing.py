"""The commands to play a game, and on the players that play it too."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gamemaster.cli.arguments import AsJson, GameName

__all__ = ["play", "players", "think"]


def play(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="A game of the library, or a file with rules; without one, a first game against a friend.",
        ),
    ] = None,
    as_role: Annotated[
        list[str] | None,
        typer.Option(
            "--as-role",
            "--as",
            metavar="ROLE",
            help="Play this role; repeat for more. The others move at random, or are those of --against.",
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Who plays the other roles: a player of the library or a file; repeat for one a role.",
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0.01, help="How long a player may think about a move.")
    ] = 5.0,
    moves: Annotated[
        str, typer.Option(metavar="MOVES", help="Moves to begin with, between semicolons or commas.")
    ] = "",
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", show_default="any", help="For moves at random: same seed, same moves."),
    ] = None,
) -> None:
    """Play a game, all roles at one keyboard, or against players.

    Enter a move as it is written in the rules, its number, or as much of it as is unique. `?` lists the
    moves, `hint` says what a strong player would do, `help` the rest. Moves can be piped in, one a line.

    \b
        gamemaster play
        gamemaster play tictactoe
        gamemaster play connectfour --as-role red --seed 7
        gamemaster play connectfour --against mcts --as black --seconds 2
        gamemaster play tictactoe --against my_player.py
        gamemaster play tictactoe --moves "mark(2,2);mark(1,1)"
    """
    from gamemaster.terminal.play import play_game

    play_game(
        game,
        as_roles=tuple(as_role or ()),
        moves=moves,
        seed=seed,
        against=tuple(against or ()),
        seconds=seconds,
    )


def players(as_json: AsJson = False) -> None:
    """List the players of the library and the algorithms they use.

    \b
        gamemaster players
        gamemaster players --json | jq '.players[].name'
    """
    from gamemaster.terminal.thinking import list_players

    list_players(as_json=as_json)


def think(
    game: GameName,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The state to think about, in JSON; default: the initial state."),
    ] = None,
    role: Annotated[
        str | None, typer.Option(metavar="ROLE", help="For whom; default: whoever is to move.")
    ] = None,
    who: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="NAME",
            help="An algorithm, a player of the library or a file; default: mcts, or what else takes the game.",
        ),
    ] = None,
    moves: Annotated[
        str,
        typer.Option(
            metavar="MOVES",
            help="Moves from there to the state to think about, between commas or semicolons.",
        ),
    ] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A parameter of it, also NAME(a=1,b=2); repeat for more."
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.0, help="At most so long.")] = 5.0,
    nodes: Annotated[int | None, typer.Option(metavar="N", min=1, help="At most so many states.")] = None,
    playouts: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="At most so many random games.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="For what is random: same seed, same result.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Say what each move is worth, and what should follow.

    \b
        gamemaster think connectfour
        gamemaster think tictactoe --with minimaxid --seconds 1
        gamemaster think tictactoe --with deepening --set depth=4 --set evaluation=mobility
        gamemaster think tictactoe --moves "mark(2,2),mark(1,1)" --with "uct(exploration=0.3)"
        gamemaster think tictactoe --with my_player.py
        gamemaster think tictactoe --state state.json --json
    """
    from gamemaster.search.budget import Budget
    from gamemaster.terminal.thinking import think_about

    think_about(
        game,
        Budget(seconds, nodes, playouts),
        state_file=state,
        role=role,
        who=who,
        seed=seed,
        moves=moves,
        settings=tuple(settings or ()),
        as_json=as_json,
    )
