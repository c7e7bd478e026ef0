"""The commands on matches: run one, serve a player to one, look at one again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gamemaster.cli import arguments
from gamemaster.cli.arguments import AsJson

__all__ = ["match", "player", "replay"]


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The record of a match.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Say whether the record is true; exit with 1 if it is not.")
    ] = False,
    step: Annotated[int | None, typer.Option(metavar="N", min=0, help="Show only this step.")] = None,
    as_json: AsJson = False,
    messages: Annotated[bool, typer.Option("--messages", help="Show what was said instead.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Show rules in messages, too.")] = False,
    export: Annotated[
        tuple[str, Path] | None,
        typer.Option(metavar="ggp FILE", help="Write the match as ggp-base's JSON to a file."),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="The game, for a FILE of ggp-base's JSON, which has no rules."),
    ] = None,
    svg: Annotated[
        bool, typer.Option("--svg", help="Draw it: the whole match as an animation, or one step.")
    ] = False,
    theme: arguments.PictureTheme = None,
    size: arguments.PictureSize = None,
    out: arguments.PictureFile = None,
) -> None:
    """Step through a match, and check its record against the rules.

    \b
        gamemaster replay match.jsonl
        gamemaster replay match.jsonl --step 3
        gamemaster replay match.jsonl --verify
        gamemaster replay match.jsonl --export ggp match.json
        gamemaster replay match.json --game tictactoe
        gamemaster replay match.jsonl --svg --out match.svg
    """
    from gamemaster.terminal import replaying

    record = replaying.load_record(file, game)
    if svg:
        from gamemaster.terminal.pictures import PictureOrder, draw_record

        draw_record(record, step, PictureOrder(form="svg", theme=theme, size=size, out=out))
    elif theme or size or out:
        raise typer.BadParameter("say --svg, too", param_hint="'--theme', '--size', '--out'")
    elif export:
        replaying.export_match(record, *export)
    elif messages:
        replaying.show_transcript(record, is_short=not full)
    elif not verify:
        replaying.replay_match(record, step=step, as_json=as_json)
    elif not replaying.verify_match(record, as_json=as_json):
        raise typer.Exit(1)


def match(
    game: arguments.ResumedGame = None,
    players: arguments.PlayerNames = "",
    start_clock: arguments.StartClock = 10.0,
    play_clock: arguments.PlayClock = 5.0,
    games: arguments.GamesCount = 1,
    swap: arguments.IsSwapped = False,
    seed: arguments.MatchSeed = None,
    scramble: arguments.IsScrambled = False,
    record: arguments.RecordFile = None,
    resume: arguments.ResumedFile = None,
    isolate: arguments.IsIsolated = False,
    separate: arguments.IsSeparate = False,
    memory: arguments.MemoryLimit = None,
    cpu: arguments.CpuLimit = None,
    no_pondering: arguments.NoPondering = False,
    stop_at_error: arguments.StopsAtError = False,
    quiet: arguments.IsQuiet = False,
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
    from gamemaster.search.parameters import split_names
    from gamemaster.terminal.matches import MatchOptions, run_matches

    if resume is None and not players:
        raise typer.BadParameter("name the players, between commas", param_hint="'--players'")
    if isolate and separate:
        raise typer.BadParameter("either behind walls or without: name one", param_hint="'--separate'")
    if not isolate and not separate and (memory or cpu):
        raise typer.BadParameter(
            "only a process can be limited: add --isolate", param_hint="'--memory', '--cpu'"
        )
    options = MatchOptions(
        players=tuple(split_names(players)),
        start_clock=start_clock,
        play_clock=play_clock,
        games=games,
        is_swapped=swap,
        seed=seed,
        is_scrambled=scramble,
        record=record,
        resume=resume,
        is_isolated=isolate or separate,
        has_walls=isolate,
        memory=memory,
        cpu=cpu,
        ponders=not no_pondering,
        stops_at_error=stop_at_error,
        as_json=as_json,
        is_quiet=quiet,
    )
    if not run_matches(game, options):
        raise typer.Exit(1)


def player(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A player of the library, or a file.")],
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0: any that is free.")] = 9147,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Where to listen; 0.0.0.0: to everybody.")
    ] = "127.0.0.1",
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not show messages.")] = False,
    no_pondering: arguments.NoPondering = False,
) -> None:
    """Serve a player to managers of the GGP protocol, ours or others.

    \b
        gamemaster player egghead
        gamemaster player my_player.py --port 9148
    """
    from gamemaster.terminal.serving import serve_player

    serve_player(name, host=host, port=port, is_quiet=quiet, ponders=not no_pondering)
