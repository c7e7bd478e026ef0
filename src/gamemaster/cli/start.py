"""Where the command line starts: all commands in their order, and what becomes of errors in them."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gamemaster.cli.competing import compare, tournament
from gamemaster.cli.endgames import endgame
from gamemaster.cli.matches import match, player, replay
from gamemaster.cli.people import account
from gamemaster.cli.playing import play, players, think
from gamemaster.cli.rules import check, games, new, show
from gamemaster.cli.serving import lsp, serve
from gamemaster.cli.studying import analyse, balance, bench, learn, metagame, perft, solve
from gamemaster.cli.trees import tree
from gamemaster.errors import GamemasterError

__all__ = ["app", "main"]

COMMANDS: tuple[Callable[..., None], ...] = (
    games, show, check, new,
    play, players, think,
    bench, perft, metagame, analyse, balance, learn, solve, endgame, tree,
    replay, match, player, tournament, compare, serve, lsp, account,
)  # fmt: skip
"""In the order in which the help lists them."""

INTERRUPTED, BROKEN_PIPE = 130, 141
"""Exit codes, as shells give them: 128 and the number of the signal."""


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
        except KeyboardInterrupt as left:  # a signal may say which one it was
            raise typer.Exit(getattr(left, "code", INTERRUPTED)) from None
        except BrokenPipeError:
            from gamemaster.terminal.screen import discard_output

            discard_output()
            raise typer.Exit(BROKEN_PIPE) from None
        except OSError as error:
            from gamemaster.terminal.report import report_text

            where = "" if error.filename is None else f": {str(error.filename)[:200]!r}"
            report_text(f"error: {error.strerror or error}{where}")
            raise typer.Exit(1) from None
        return result


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in COMMANDS:
    app.command()(command)


@app.callback(invoke_without_command=True)
def gamemaster(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """General game playing: write the rules of a game in logic; play, check and count it.

    \b
        gamemaster games                  what there is to play
        gamemaster play                   play a first game against a friend
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


def main() -> None:
    """Run the command line; text that the terminal cannot show or send is replaced, not an error."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="gamemaster")
