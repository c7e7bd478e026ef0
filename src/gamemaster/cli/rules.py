"""The commands on the library and on rules: list them, print them, say what is wrong with them, begin anew."""

from __future__ import annotations

from typing import Annotated

import typer

from gamemaster.cli.arguments import AsJson, GameName, PictureFile, PictureSize, PictureTheme

__all__ = ["check", "games", "new", "show"]


NOTATIONS = ("kif", "hrf", "epilog", "core")
"""What `show --as` can print."""

HINT, PICTURE_HINT = "'--moves', '--random'", "'--theme', '--size', '--out'"


def _notation(value: str) -> str:
    if value not in NOTATIONS:
        raise typer.BadParameter(f"{value!r} is no notation; there are: {', '.join(NOTATIONS)}")
    return value


def games(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="Only this one, with its parameters and variants.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the games of the library, or say what it has on one of them.

    \b
        gamemaster games
        gamemaster games connectfour
        gamemaster games --json | jq '.[].name'
    """
    from gamemaster.terminal.library import list_games, show_entry

    if game is None:
        list_games(as_json=as_json)
    else:
        show_entry(game, as_json=as_json)


def show(
    game: GameName,
    notation: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="|".join(NOTATIONS),
            parser=_notation,
            help="Notation to print in; core is HRF, with Epilog's moves spelled out.",
        ),
    ] = None,
    description: Annotated[bool, typer.Option("--description", help="What the game is, in words.")] = False,
    network: Annotated[
        bool, typer.Option("--network", help="What the rules compile to, stage by stage.")
    ] = False,
    svg: Annotated[bool, typer.Option("--svg", help="Its board, as SVG.")] = False,
    png: Annotated[bool, typer.Option("--png", help="Its board, as PNG.")] = False,
    board: Annotated[bool, typer.Option("--board", help="Its board, as text.")] = False,
    moves: Annotated[
        str, typer.Option(metavar="MOVES", help="The board after these, between commas or semicolons.")
    ] = "",
    steps: Annotated[
        int, typer.Option("--random", metavar="N", min=0, max=10_000, help="And after so many random steps.")
    ] = 0,
    theme: PictureTheme = None,
    size: PictureSize = None,
    out: PictureFile = None,
) -> None:
    """Print the rules of a game, as written or in another notation; or draw its board.

    \b
        gamemaster show tictactoe
        gamemaster show tictactoe --as kif > tictactoe.kif
        gamemaster show tictactoe --description
        gamemaster show tictactoe --network
        gamemaster show tictactoe --board --moves "mark(2,2)"
        gamemaster show tictactoe --svg --moves "mark(2,2),mark(1,1)" --out board.svg
        gamemaster show tictactoe --png --theme dark --size 600 > board.png
    """
    if svg or png:
        from gamemaster.terminal.pictures import PictureOrder, show_board

        order = PictureOrder(form="png" if png else "svg", theme=theme, size=size, out=out)
        show_board(game, moves, steps, order)
        return
    if theme or size or out:
        raise typer.BadParameter("only pictures take this: say --svg or --png, too", param_hint=PICTURE_HINT)
    if board:
        from gamemaster.terminal.pictures import print_board

        print_board(game, moves, steps)
        return
    if moves or steps:
        raise typer.BadParameter("only boards take this: say --board, --svg or --png, too", param_hint=HINT)
    if network:
        from gamemaster.terminal.measuring import show_network

        show_network(game)
        return
    from gamemaster.terminal.library import show_description, show_rules

    if description:
        show_description(game)
    else:
        show_rules(game, notation)


def check(
    game: GameName,
    as_json: AsJson = False,
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0.0, help="How long to play at random; 0: do not.")
    ] = 5.0,
) -> None:
    """Say what is wrong with the rules of a game, and where.

    Reads them, reasons about them, looks at game.toml and style.toml beside them, then plays at random for a
    while. Exits with 1 if there is an error; warnings are advice.

    \b
        gamemaster check mygame.kif
        gamemaster check mygame.kif --seconds 0 --json
    """
    from gamemaster.terminal.checking import check_game

    if not check_game(game, seconds=seconds, as_json=as_json):
        raise typer.Exit(1)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the game is to be called.")],
    notation: Annotated[
        str, typer.Option(metavar="epilog|kif|hrf", help="Notation to write its rules in.")
    ] = "epilog",
) -> None:
    """Write a folder with a small game that plays, to be changed into another.

    \b
        gamemaster new mygame
        gamemaster new mygame --notation kif
    """
    from gamemaster.terminal.creating import create_game

    create_game(name, notation)
