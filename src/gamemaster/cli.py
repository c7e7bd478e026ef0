"""The command line: arguments only. Each command loads what it needs and hands over to `terminal/`."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gamemaster.errors import GamemasterError

__all__ = ["app", "main"]

INTERRUPTED, BROKEN_PIPE = 130, 141
"""Exit codes, as shells give them: 128 and the number of the signal."""


class Notation(StrEnum):
    """What `show --as` can print."""

    kif = "kif"
    hrf = "hrf"
    epilog = "epilog"
    core = "core"


class Commands(TyperGroup):
    """The commands; what goes wrong in one is a line on stderr and an exit code, never a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except GamemasterError as error:
            from gamemaster.terminal.report import report_error

            report_error(error)
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _discard_output()
            raise typer.Exit(BROKEN_PIPE) from None
        except OSError as error:
            from gamemaster.terminal.report import report_text

            report_text(f"error: {error.strerror}: {str(error.filename)[:200]!r}")
            raise typer.Exit(1) from None
        return result


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game of the library, or a file with rules.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


@app.callback(invoke_without_command=True)
def gamemaster(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """General game playing: write the rules of a game in logic; play, check and count it.

    \b
        gamemaster games                  what there is to play
        gamemaster play tictactoe         play it, all roles at one keyboard
        gamemaster check mygame.kif       what is wrong with rules of your own
    """
    if version:
        from importlib.metadata import PackageNotFoundError
        from importlib.metadata import version as installed

        try:
            print(f"gamemaster {installed('gamemaster')}")
        except PackageNotFoundError:
            print("gamemaster (run from its source tree, not installed)")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def games(as_json: AsJson = False) -> None:
    """List the games of the library.

    \b
        gamemaster games
        gamemaster games --json | jq '.[].name'
    """
    from gamemaster.terminal.library import list_games

    list_games(as_json=as_json)


@app.command()
def show(
    game: GameName,
    notation: Annotated[
        Notation | None,
        typer.Option("--as", help="Notation to print in; core is HRF, with Epilog's moves spelled out."),
    ] = None,
    description: Annotated[bool, typer.Option("--description", help="What the game is, in words.")] = False,
    network: Annotated[
        bool, typer.Option("--network", help="What the rules compile to, stage by stage.")
    ] = False,
) -> None:
    """Print the rules of a game, as written or in another notation.

    \b
        gamemaster show tictactoe
        gamemaster show tictactoe --as kif > tictactoe.kif
        gamemaster show tictactoe --description
        gamemaster show tictactoe --network
    """
    if network:
        from gamemaster.terminal.engine import show_network

        show_network(game)
        return
    from gamemaster.terminal.library import show_description, show_rules

    if description:
        show_description(game)
    else:
        show_rules(game, notation.value if notation else None)


@app.command()
def check(
    game: GameName,
    as_json: AsJson = False,
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0.0, help="How long to play at random; 0: do not.")
    ] = 5.0,
) -> None:
    """Say what is wrong with the rules of a game, and where.

    Reads them, reasons about them, then plays them at random for a while. Exits with 1 if there is an error;
    warnings are advice.

    \b
        gamemaster check mygame.kif
        gamemaster check mygame.kif --seconds 0 --json
    """
    from gamemaster.terminal.checking import check_game

    if not check_game(game, seconds=seconds, as_json=as_json):
        raise typer.Exit(1)


@app.command()
def play(
    game: GameName,
    as_role: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE", help="Play this role; repeat for more. The others move at random."),
    ] = None,
    moves: Annotated[
        str, typer.Option(metavar="MOVES", help="Moves to begin with, between semicolons.")
    ] = "",
    seed: Annotated[int, typer.Option(metavar="N", help="For moves at random: same seed, same moves.")] = 0,
) -> None:
    """Play a game, all roles at one keyboard.

    Enter a move as it is written in the rules, its number, or as much of it as is unique. `?` lists the
    moves, `help` the rest. Moves can be piped in, one a line.

    \b
        gamemaster play tictactoe
        gamemaster play connectfour --as-role red --seed 7
        gamemaster play tictactoe --moves "mark(2,2);mark(1,1)"
    """
    from gamemaster.terminal.play import play_game

    play_game(game, as_roles=tuple(as_role or ()), moves=moves, seed=seed)


@app.command()
def bench(
    game: Annotated[
        list[str], typer.Argument(metavar="GAME...", help="Games of the library, or files with rules.")
    ],
    seconds: Annotated[float, typer.Option(metavar="S", min=0.01, help="How long to play each game.")] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Measure random play: playouts and states per CPU second.

    \b
        gamemaster bench tictactoe connectfour
        gamemaster bench *.kif --seconds 5 --json
    """
    from gamemaster.terminal.engine import bench_games

    if not bench_games(game, seconds=seconds, as_json=as_json):
        raise typer.Exit(1)


@app.command()
def perft(
    game: GameName,
    depth: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Up to which length; default: what the library has counts for, or 3."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Count the sequences of moves of each length.

    Two programs that agree on these counts agree on the rules. A game of the library is compared with the
    counts that it should have; exits with 1 if they differ.

    \b
        gamemaster perft tictactoe
        gamemaster perft mygame.kif --depth 5
    """
    from gamemaster.terminal.perft import count_moves

    if not count_moves(game, depth, as_json=as_json):
        raise typer.Exit(1)


def _discard_output() -> None:
    """Send the rest of the output nowhere: its reader is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def main() -> None:
    """Run the command line; text that the terminal cannot show or send is replaced, not an error."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    app(prog_name="gamemaster")
