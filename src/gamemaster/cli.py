"""The command line: arguments only. Each command loads what it needs and hands over to `terminal/`."""

from __future__ import annotations

import io
import os
import sys
from enum import StrEnum
from pathlib import Path
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
        str, typer.Option(metavar="MOVES", help="Moves to begin with, between semicolons.")
    ] = "",
    seed: Annotated[int, typer.Option(metavar="N", help="For moves at random: same seed, same moves.")] = 0,
) -> None:
    """Play a game, all roles at one keyboard, or against players.

    Enter a move as it is written in the rules, its number, or as much of it as is unique. `?` lists the
    moves, `help` the rest. Moves can be piped in, one a line.

    \b
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


@app.command()
def players(as_json: AsJson = False) -> None:
    """List the players of the library and the algorithms they use.

    \b
        gamemaster players
        gamemaster players --json | jq '.players[].name'
    """
    from gamemaster.terminal.thinking import list_players

    list_players(as_json=as_json)


@app.command()
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
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the algorithm; repeat for more."),
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
        settings=tuple(settings or ()),
        as_json=as_json,
    )


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


@app.command()
def metagame(
    game: GameName,
    transformers: Annotated[
        str,
        typer.Option(
            "--with", metavar="NAMES", help="Transformers in order, between commas: optimizer,pruner."
        ),
    ] = "optimizer,pruner",
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0.01, help="How long to play before and after, to compare.")
    ] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Print the rules of a game made leaner, and on stderr what that gains.

    Transformers: optimizer, simplifier, pruner, pruner:moves, materializer, materializer:dynamic, grounder and
    symbolizer.

    \b
        gamemaster metagame badtictactoe --with optimizer,pruner > lean.epilog
        gamemaster metagame tictactoe --with grounder,symbolizer
    """
    from gamemaster.terminal.metagaming import transform_game

    names = [name.strip() for name in transformers.split(",") if name.strip()]
    transform_game(game, names, seconds=seconds, as_json=as_json)


@app.command()
def analyse(
    game: GameName,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.1, help="About how long to look.")] = 5.0,
    as_json: AsJson = False,
) -> None:
    """Say what kind of game it is: turns, sums of goals, symmetries, parts, step counters.

    \b
        gamemaster analyse tictactoe
        gamemaster analyse jointbuttonsandlights --json
    """
    from gamemaster.terminal.metagaming import analyse_game

    analyse_game(game, seconds=seconds, as_json=as_json)


@app.command()
def learn(
    game: GameName,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.1, help="About how long to play.")] = 2.0,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="For the random games.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Learn from random games what features and facts are worth to each role.

    \b
        gamemaster learn othello
        gamemaster learn breakthrough --seconds 5 --json
    """
    from gamemaster.terminal.learning import learn_game

    learn_game(game, seconds=seconds, seed=seed, as_json=as_json)


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The record of a match.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Say whether the record is true; exit with 1 if it is not.")
    ] = False,
    step: Annotated[int | None, typer.Option(metavar="N", min=0, help="Show only this step.")] = None,
    as_json: AsJson = False,
    messages: Annotated[bool, typer.Option("--messages", help="Show what was said instead.")] = False,
    export: Annotated[
        tuple[str, Path] | None,
        typer.Option(metavar="ggp FILE", help="Write the match as ggp-base's JSON to a file."),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="The game, for a FILE of ggp-base's JSON, which has no rules."),
    ] = None,
) -> None:
    """Step through a match, and check its record against the rules.

    \b
        gamemaster replay match.jsonl
        gamemaster replay match.jsonl --step 3
        gamemaster replay match.jsonl --verify
        gamemaster replay match.jsonl --export ggp match.json
        gamemaster replay match.json --game tictactoe
    """
    from gamemaster.terminal import replaying

    record = replaying.load_record(file, game)
    if export:
        replaying.export_match(record, *export)
    elif messages:
        replaying.show_transcript(record)
    elif not verify:
        replaying.replay_match(record, step=step, as_json=as_json)
    elif not replaying.verify_match(record, as_json=as_json):
        raise typer.Exit(1)


@app.command()
def match(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="A game of the library, or a file with rules; none to --resume."),
    ] = None,
    players: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Players in role order, between commas: of the library, files, http://host:port; or one for all.",
        ),
    ] = "",
    start_clock: Annotated[
        float, typer.Option(metavar="S", min=0.01, max=1e6, help="Seconds to get ready.")
    ] = 10.0,
    play_clock: Annotated[
        float, typer.Option(metavar="S", min=0.01, max=1e6, help="Seconds for each move.")
    ] = 5.0,
    games: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many matches, one after the other.")
    ] = 1,
    swap: Annotated[bool, typer.Option("--swap", help="Players change roles from match to match.")] = False,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="For what the manager draws; default: any.")
    ] = None,
    scramble: Annotated[
        bool, typer.Option("--scramble", help="Give players the rules in other words.")
    ] = False,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep a record, of several matches in a folder.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go on with the match of this record.")
    ] = None,
    isolate: Annotated[
        bool, typer.Option("--isolate", help="Give each player a process of its own, with limits.")
    ] = False,
    memory: Annotated[
        int | None, typer.Option(metavar="MB", min=1, help="Memory of an isolated player; default: 8192.")
    ] = None,
    cpu: Annotated[
        int | None,
        typer.Option(
            metavar="SECONDS", min=1, help="CPU time of an isolated player in a match; default: any."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only how each match ends.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run a match between players, here or far away, under clocks.

    An error costs a move: one at random is made instead. Exits with 1 if the rules leave nobody a move.

    \b
        gamemaster match tictactoe --players egghead,my_player.py
        gamemaster match connectfour --players mcts,http://127.0.0.1:9147 --record match.jsonl
        gamemaster match --resume match.jsonl
        gamemaster match tictactoe --players legal,random --games 20 --swap --quiet
    """
    from gamemaster.terminal.matches import MatchOptions, run_matches

    if resume is None and not players:
        raise typer.BadParameter("name the players, between commas", param_hint="'--players'")
    if not isolate and (memory or cpu):
        raise typer.BadParameter(
            "only a process can be limited: add --isolate", param_hint="'--memory', '--cpu'"
        )
    options = MatchOptions(
        players=tuple(name.strip() for name in players.split(",") if name.strip()),
        start_clock=start_clock,
        play_clock=play_clock,
        games=games,
        is_swapped=swap,
        seed=seed,
        is_scrambled=scramble,
        record=record,
        resume=resume,
        is_isolated=isolate,
        memory=memory,
        cpu=cpu,
        as_json=as_json,
        is_quiet=quiet,
    )
    if not run_matches(game, options):
        raise typer.Exit(1)


@app.command()
def player(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A player of the library, or a file.")],
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0: any that is free.")] = 9147,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Where to listen; 0.0.0.0: to everybody.")
    ] = "127.0.0.1",
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not show messages.")] = False,
) -> None:
    """Serve a player to managers of the GGP protocol, ours or others.

    \b
        gamemaster player egghead
        gamemaster player my_player.py --port 9148
    """
    from gamemaster.terminal.serving import serve_player

    serve_player(name, host=host, port=port, is_quiet=quiet)


def _discard_output() -> None:
    """Send the rest of the output nowhere: its reader is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def main() -> None:
    """Run the command line; text that the terminal cannot show or send is replaced, not an error."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="gamemaster")
