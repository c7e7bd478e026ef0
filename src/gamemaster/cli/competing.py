"""The commands on competitions: hold one, compare two players."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

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
Opening = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="Begin with so many random steps; default: 0, compare: 2."),
]
CpuClocks = Annotated[
    bool | None,
    typer.Option("--cpu-clocks", help="Clocks run only while players compute, each in its own process."),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Where records and results are kept; default: its name, compare: nowhere."
    ),
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write tables and plots as one HTML file.")
]
GameList = Annotated[str, typer.Option("--games", metavar="GAMES", help="Games, between commas.")]
Players = Annotated[
    str,
    typer.Option(
        "--players", metavar="PLAYERS", help="Who takes part: names, files or addresses, between commas."
    ),
]
StartSeconds = Annotated[
    float | None, typer.Option("--start-clock", metavar="SECONDS", help="Time to get ready; default: 10.")
]
PlaySeconds = Annotated[
    float | None,
    typer.Option("--play-clock", metavar="SECONDS", help="Time for each move; default: 1, compare: 0.2."),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="What openings, chance and players draw by.")]
Isolation = Annotated[
    str | None,
    typer.Option(
        metavar="WHO", help="Who has a process behind walls: files, all, separate (no walls), none."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Only the table at the end.")]


def tournament(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A competition as TOML; or say it by options.")
    ] = None,
    players: Players = "",
    games: GameList = "",
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What it is called; default: tournament.")
    ] = None,
    pairing: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="round robin, gauntlet (the first against all), swiss, knock-out."),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="How often those who meet play a game in each order of seats."),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Rounds of a Swiss system; default: 5.")
    ] = None,
    start_clock: StartSeconds = None,
    play_clock: PlaySeconds = None,
    cpu_clocks: CpuClocks = None,
    opening: Opening = None,
    seed: Seed = None,
    isolation: Isolation = None,
    workers: Workers = None,
    ray: Ray = None,
    folder: Folder = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Go on with the competition in this folder.")
    ] = None,
    report: ReportFile = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Hold a competition: every match counts once, whatever dies; begun again, it goes on where it was.

    \b
        gamemaster tournament --players mcts,random,my_player.py --games tictactoe,connectfour
        gamemaster tournament spring.toml --report spring.html
        gamemaster tournament --resume spring
    """
    from gamemaster.arena.competition import PAIRINGS, Competition, Entrant
    from gamemaster.search.parameters import split_names
    from gamemaster.terminal.competing import CompetitionOptions, run_competition

    said: dict[str, Any] = {"name": name, "matches": matches, "rounds": rounds}
    said |= _settings(start_clock, play_clock, cpu_clocks, opening, seed, isolation)
    if pairing is not None:
        said["pairing"] = _word(pairing, PAIRINGS, "--pairing")
    said = {key: value for key, value in said.items() if value is not None}
    if sum((file is not None, resume is not None, bool(players or games))) != 1:
        raise typer.BadParameter("name one: a FILE, --resume FOLDER, or --players and --games")
    if said and not (players or games):
        raise typer.BadParameter(f"{', '.join(said)}: that is said by the file, or was when it began")
    if resume is not None and folder is not None:
        raise typer.BadParameter("--resume names the folder already", param_hint="'--folder'")
    competition = None
    if players or games:
        entrants = tuple(Entrant(each, each) for each in split_names(players))
        said.setdefault("name", "tournament")
        competition = Competition(games=tuple(split_names(games)), entrants=entrants, **said)
    venue = _venue(workers, ray)
    run_competition(
        CompetitionOptions(
            file, competition, resume, folder, report=report, venue=venue, as_json=as_json, is_quiet=quiet
        )
    )


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="A player: is it better?")],
    second: Annotated[str, typer.Argument(metavar="B", help="The player that it is compared with.")],
    games: GameList = "connectfour",
    elo: Annotated[
        float,
        typer.Option(metavar="POINTS", min=1, max=1000, help="How large a difference is worth knowing."),
    ] = 50.0,
    error: Annotated[
        float, typer.Option(metavar="SHARE", min=0.001, max=0.4, help="How often the answer may be wrong.")
    ] = 0.05,
    most: Annotated[
        int,
        typer.Option(metavar="N", min=10, max=100_000, help="Pairs of matches after which it is given up."),
    ] = 1000,
    start_clock: StartSeconds = None,
    play_clock: PlaySeconds = None,
    cpu_clocks: CpuClocks = None,
    opening: Opening = None,
    seed: Seed = None,
    isolation: Isolation = None,
    workers: Workers = None,
    ray: Ray = None,
    folder: Folder = None,
    report: ReportFile = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Say who of two players is better, or that neither is; stops as soon as the answer is clear.

    \b
        gamemaster compare mcts uct
        gamemaster compare my_player.py mcs --games connectfour,breakthrough --play-clock 0.5
    """
    from gamemaster.arena.competition import Competition, Entrant, TestPlan
    from gamemaster.search.parameters import split_names
    from gamemaster.terminal.competing import CompetitionOptions, run_competition

    said = _settings(start_clock, play_clock, cpu_clocks, opening, seed, isolation)
    usual = {"name": "comparison", "start_clock": 5.0, "play_clock": 0.2, "opening": 2}
    competition = Competition(
        games=tuple(split_names(games)),
        entrants=(Entrant(first, first), Entrant(second, second)),
        test=TestPlan(0.0, elo, error, error, most, is_two_sided=True),
        **{**usual, **{key: value for key, value in said.items() if value is not None}},
    )
    run_competition(
        CompetitionOptions(
            competition=competition,
            folder=folder,
            is_kept=False,
            report=report,
            venue=_venue(workers, ray),
            as_json=as_json,
            is_quiet=quiet,
        )
    )


def _settings(
    start_clock: float | None,
    play_clock: float | None,
    cpu_clocks: bool | None,
    opening: int | None,
    seed: int | None,
    isolation: str | None,
) -> dict[str, Any]:
    """What both commands can say of a competition; None for what is not said."""
    from gamemaster.arena.competition import ISOLATION

    return {
        "start_clock": start_clock,
        "play_clock": play_clock,
        "has_cpu_clocks": cpu_clocks,
        "opening": opening,
        "seed": seed,
        "isolation": None if isolation is None else _word(isolation, ISOLATION, "--isolation"),
    }


def _venue(workers: int | None, ray: str | None) -> Any:
    from gamemaster.arena.holding import Venue

    if workers is not None and ray is not None:
        raise typer.BadParameter("a cluster says itself how many it has", param_hint="'--workers'")
    return Venue(workers, ray)


def _word(word: str, words: tuple[Word, ...], option: str) -> Word:
    for each in words:
        if each == word:
            return each
    raise typer.BadParameter(f"{word!r}: there are {', '.join(words)}", param_hint=f"'{option}'")
