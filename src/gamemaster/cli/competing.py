"""The commands on competitions: hold one, compare two players."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeVar

import typer

from gamemaster.cli import arguments
from gamemaster.cli.arguments import AsJson

Word = TypeVar("Word", bound=str)

__all__ = ["compare", "tournament"]

Workers = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="Matches at once; default: one for each core; 0: in this process."),
]
Ray = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Run matches on the Ray cluster with this head."),
]
Opening = Annotated[int, typer.Option(metavar="N", min=0, help="Begin with so many random steps.")]
CpuClocks = Annotated[
    bool, typer.Option("--cpu-clocks", help="Clocks run only while players compute, each in its own process.")
]
Folder = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Where records and results are kept; default: its name.")
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write tables and plots as one HTML file.")
]
GameList = Annotated[str, typer.Option("--games", metavar="GAMES", help="Games, between commas.")]
StartSeconds = Annotated[float, typer.Option("--start-clock", metavar="SECONDS", help="Time to get ready.")]
PlaySeconds = Annotated[float, typer.Option("--play-clock", metavar="SECONDS", help="Time for each move.")]
Seed = Annotated[int, typer.Option(metavar="N", help="What openings, chance and players draw by.")]
Isolation = Annotated[
    str,
    typer.Option(
        metavar="WHO", help="Who has a process behind walls: files, all, separate (no walls), none."
    ),
]


def tournament(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A competition as TOML; or say it by options.")
    ] = None,
    players: arguments.PlayerNames = "",
    games: GameList = "",
    name: Annotated[str, typer.Option(metavar="NAME", help="What it is called.")] = "tournament",
    pairing: Annotated[
        str,
        typer.Option(metavar="HOW", help="round robin, gauntlet (the first against all), swiss, knock-out."),
    ] = "round robin",
    matches: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="How often those who meet play a game in each order of seats."),
    ] = 1,
    rounds: Annotated[int, typer.Option(metavar="N", min=1, help="Rounds of a Swiss system.")] = 5,
    start_clock: StartSeconds = 10.0,
    play_clock: PlaySeconds = 1.0,
    cpu_clocks: CpuClocks = False,
    opening: Opening = 0,
    seed: Seed = 0,
    isolation: Isolation = "files",
    workers: Workers = None,
    ray: Ray = None,
    folder: Folder = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Go on with the competition in this folder.")
    ] = None,
    report: ReportFile = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only the table at the end.")] = False,
    as_json: AsJson = False,
) -> None:
    """Hold a competition: every match counts once, whatever dies; begun again, it goes on where it was.

    \b
        gamemaster tournament --players mcts,random,my_player.py --games tictactoe,connectfour
        gamemaster tournament spring.toml --report spring.html
        gamemaster tournament --resume spring
    """
    from gamemaster.arena.competition import ISOLATION, PAIRINGS, Competition, Entrant
    from gamemaster.arena.holding import Venue
    from gamemaster.search.parameters import split_names
    from gamemaster.terminal.competing import CompetitionOptions, run_competition

    said = [each is not None and each != "" for each in (file, resume, players or games)]
    if sum(said) != 1:
        raise typer.BadParameter("name one: a FILE, --resume FOLDER, or --players and --games")
    competition = None
    if players or games:
        competition = Competition(
            games=tuple(split_names(games)),
            entrants=tuple(Entrant(each, each) for each in split_names(players)),
            name=name,
            pairing=_word(pairing, PAIRINGS, "--pairing"),
            matches=matches,
            rounds=rounds,
            start_clock=start_clock,
            play_clock=play_clock,
            has_cpu_clocks=cpu_clocks,
            opening=opening,
            seed=seed,
            isolation=_word(isolation, ISOLATION, "--isolation"),
        )
    run_competition(
        CompetitionOptions(file, competition, resume, folder, report, Venue(workers, ray), as_json, quiet)
    )


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="A player: is it better?")],
    second: Annotated[str, typer.Argument(metavar="B", help="The player that it is compared with.")],
    games: GameList = "connectfour",
    elo: Annotated[
        float, typer.Option(metavar="POINTS", min=1, help="How large a difference is worth knowing.")
    ] = 25.0,
    error: Annotated[
        float, typer.Option(metavar="SHARE", min=0.001, max=0.4, help="How often the answer may be wrong.")
    ] = 0.05,
    most: Annotated[
        int, typer.Option(metavar="N", min=1, help="Pairs of matches after which it is given up.")
    ] = 500,
    start_clock: StartSeconds = 5.0,
    play_clock: PlaySeconds = 0.2,
    cpu_clocks: CpuClocks = False,
    opening: Opening = 2,
    seed: Seed = 0,
    isolation: Isolation = "files",
    workers: Workers = None,
    ray: Ray = None,
    folder: Folder = None,
    report: ReportFile = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only the answer.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say who of two players is better; stops as soon as the answer is clear.

    \b
        gamemaster compare mcts uct
        gamemaster compare my_player.py mcs --games connectfour,breakthrough --play-clock 0.5
    """
    from gamemaster.arena.competition import ISOLATION, Competition, Entrant, TestPlan
    from gamemaster.arena.holding import Venue
    from gamemaster.search.parameters import split_names
    from gamemaster.terminal.competing import CompetitionOptions, compare_players

    competition = Competition(
        games=tuple(split_names(games)),
        entrants=(Entrant(first, first), Entrant(second, second)),
        name="comparison",
        start_clock=start_clock,
        play_clock=play_clock,
        has_cpu_clocks=cpu_clocks,
        opening=opening,
        seed=seed,
        isolation=_word(isolation, ISOLATION, "--isolation"),
        test=TestPlan(-elo, elo, error, error, most),
    )
    compare_players(
        CompetitionOptions(
            competition=competition,
            folder=folder,
            report=report,
            place=Venue(workers, ray),
            as_json=as_json,
            is_quiet=quiet,
        )
    )


def _word(word: str, words: tuple[Word, ...], option: str) -> Word:
    for each in words:
        if each == word:
            return each
    raise typer.BadParameter(f"{word!r}: there are {', '.join(words)}", param_hint=f"'{option}'")
