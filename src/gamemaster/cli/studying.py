"""The commands that find out about a game: how fast it is, how large, of what kind, what in it is worth what."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gamemaster.cli.arguments import AsJson, GameName, PictureSize, PictureTheme
from gamemaster.cli.solve_arguments import (
    AskedPlayer,
    AskedSamples,
    AskedSizes,
    EnoughExploitability,
    EquilibriumAlgorithm,
    FallingFile,
    IsExplained,
    IsWholeStrategy,
    LabelsAsTable,
    LabelsFile,
    LabelsFolder,
    MostIterations,
    MostPositions,
    SolvedRole,
    SolvingMemory,
    SolvingSeconds,
)

__all__ = ["analyse", "balance", "bench", "learn", "metagame", "perft", "solve"]

MOST_MINUTES = 525_600
"""A year."""


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
    from gamemaster.terminal.measuring import bench_games

    if not bench_games(game, seconds=seconds, as_json=as_json):
        raise typer.Exit(1)


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


def balance(
    game: GameName,
    players: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Strong players, one a role or one for all; default: mcts."),
    ] = "",
    matches: Annotated[
        int, typer.Option(metavar="N", min=0, max=100_000, help="Matches of strong players; 0: none.")
    ] = 10,
    seconds_a_move: Annotated[
        float, typer.Option(metavar="S", min=0.01, help="How long strong players compute.")
    ] = 0.2,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.01, help="How long to play at random.")] = 5.0,
    playouts: Annotated[int, typer.Option(metavar="N", min=1, help="Random games at most.")] = 1_000_000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="For random games and players.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, help="Matches at once; default: one for each core; 0: in this process."
        ),
    ] = None,
    as_json: AsJson = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw goals and lengths, too.")
    ] = None,
    theme: PictureTheme = None,
) -> None:
    """Say how fair a game is: goals by role, wins, draws, lengths, branching, who gains by beginning.

    Every figure comes with its interval of 95 %, first from random play, then from matches of strong players,
    who change roles. Then moves that were never made, and facts that were never true.

    \b
        gamemaster balance connectfour
        gamemaster balance mygame.kif --matches 0
        gamemaster balance breakthrough --players mcts,egghead --matches 40 --seconds-a-move 0.5
        gamemaster balance tictactoe --svg balance.svg --json
    """
    from gamemaster.search.parameters import split_names
    from gamemaster.terminal.balancing import BalanceOptions, balance_game

    options = BalanceOptions(
        players=tuple(split_names(players)),
        matches=matches,
        seconds_a_move=seconds_a_move,
        seconds=seconds,
        playouts=playouts,
        seed=seed,
        workers=workers,
        svg=svg,
        theme=theme,
        as_json=as_json,
    )
    balance_game(game, options)


def learn(
    game: GameName,
    seconds: Annotated[float, typer.Option(metavar="S", min=0.1, help="About how long to play.")] = 2.0,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="M",
            min=0.01,
            max=MOST_MINUTES,
            help="Learn by self-play instead, for so long, and keep it.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="The same from so many games: with a seed always alike."),
    ] = None,
    is_anew: Annotated[
        bool, typer.Option("--anew", help="Forget what was learnt by self-play before.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="For the random games, or self-play.")] = 0,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw what self-play has taught, too.")
    ] = None,
    png: Annotated[Path | None, typer.Option("--png", metavar="FILE", help="The same as PNG.")] = None,
    theme: PictureTheme = None,
    size: PictureSize = None,
    as_json: AsJson = False,
) -> None:
    """Learn from random games what features and facts are worth to each role; or judge states, by self-play.

    What is learnt by self-play is kept in the cache by the digest of the rules: egghead plays by it, and learns
    on from there. It is for two roles that are against each other and take turns, without chance. Shown is what
    each kind of piece is worth on each cell of the board, what pairs of facts are worth beyond that, and how well
    results are foretold of games that it had not learnt from. Without --minutes and --games: what is kept.

    \b
        gamemaster learn othello
        gamemaster learn breakthrough --seconds 5 --json
        gamemaster learn breakthrough --minutes 10
        gamemaster learn breakthrough --games 20000 --svg breakthrough.svg
    """
    from gamemaster.terminal.judgement import pictures_ordered

    orders = pictures_ordered(svg, png, theme, size)
    if not orders and (theme or size):
        raise typer.BadParameter(
            "only pictures take this: say --svg or --png, too", param_hint="'--theme', '--size'"
        )
    if minutes is not None or games is not None:
        from gamemaster.terminal.self_play import study_game

        seconds_of_play = None if minutes is None else minutes * 60
        study_game(
            game,
            seconds=seconds_of_play,
            games=games,
            seed=seed,
            is_anew=is_anew,
            orders=orders,
            as_json=as_json,
        )
        return
    if is_anew:
        raise typer.BadParameter("--anew is for --minutes or --games: random games are not kept")
    from gamemaster.terminal.learning import learn_game

    learn_game(game, seconds=seconds, seed=seed, orders=orders, as_json=as_json)


def solve(
    game: GameName,
    table: LabelsAsTable = False,
    role: SolvedRole = None,
    save: LabelsFile = None,
    memory: SolvingMemory = 2048,
    folder: LabelsFolder = None,
    positions: MostPositions = None,
    explain: IsExplained = False,
    sizes: AskedSizes = None,
    seconds: SolvingSeconds = 60.0,
    algorithm: EquilibriumAlgorithm = None,
    until: EnoughExploitability = None,
    iterations: MostIterations = None,
    is_whole: IsWholeStrategy = False,
    against: AskedPlayer = None,
    samples: AskedSamples = None,
    svg: FallingFile = None,
    theme: PictureTheme = None,
    as_json: AsJson = False,
) -> None:
    """Solve a game: label all its positions, from the ends backwards; or say a strategy in words, or an equilibrium.

    Says what every role gets with perfect play, the best first moves, how many positions are T (who moves wins),
    F, drawn or endless, and how far the end can be. A game that is a number, such as a stack, prints its row of
    labels. Games with more positions than memory holds go to files, and what is far too large is refused: think
    about one position then (gamemaster think GAME --with solver). With --explain, exits with 1 if no strategy was
    found that is proved; with --sizes, if none was that holds for several of them.

    Games with chance, hidden information or simultaneous moves have equilibria instead: what each role gets, how much
    anybody would gain by playing otherwise, and how likely each move is, wherever a role chooses.

    \b
        gamemaster solve tictactoe
        gamemaster solve threecells --explain
        gamemaster solve threecells --explain --sizes cells=3..25
        gamemaster solve wythoff --table
        gamemaster solve connectfour:small --save small.labels
        gamemaster solve connectfour:columns=6,rows=4 --folder work --memory 1000
        gamemaster solve higherlower --until 0.001 --against ismcts
    """
    from gamemaster.terminal.equilibria import EquilibriumOptions
    from gamemaster.terminal.solving import SolveOptions, solve_game

    mixed = EquilibriumOptions(
        algorithm,
        until,
        iterations,
        seconds,
        is_whole=is_whole,
        against=against,
        samples=samples,
        svg=svg,
        theme=theme,
    )
    if explain:
        labelling = (table, save, folder, positions)
        _explain(game, seconds, role, sizes, labelling=labelling, mixing=mixed.given, as_json=as_json)
        return
    if sizes is not None:
        raise typer.BadParameter("--sizes goes with --explain: without, one size at a time is labelled")
    solve_game(game, SolveOptions(table, role, save, memory, folder, positions, as_json), mixed)


def _explain(
    game: str,
    seconds: float,
    role: str | None,
    sizes: str | None,
    *,
    labelling: Sequence[object],
    mixing: Sequence[str],
    as_json: bool,
) -> None:
    """Print strategies in words, of one game or of many sizes; refused beside options of labels or of equilibria."""
    from gamemaster.terminal.explaining import explain_game, explain_many

    if any(labelling):
        raise typer.BadParameter(
            "--explain labels nothing, so --table, --save, --folder and --positions do not go with it"
        )
    if mixing:
        raise typer.BadParameter(
            f"--explain finds no equilibrium, so {', '.join(mixing)} does not go with it"
        )
    is_found = (
        explain_game(game, seconds, role=role, as_json=as_json)
        if sizes is None
        else explain_many(game, sizes, seconds, role=role, as_json=as_json)
    )
    if not is_found:
        raise typer.Exit(1)
