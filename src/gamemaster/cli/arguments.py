"""The arguments that many commands have, and those of commands that have many."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "AsJson",
    "CpuLimit",
    "GameName",
    "GamesCount",
    "IsIsolated",
    "IsQuiet",
    "IsScrambled",
    "IsSeparate",
    "IsSwapped",
    "MatchSeed",
    "MemoryLimit",
    "PictureFile",
    "PictureSize",
    "PictureTheme",
    "PlayClock",
    "PlayerNames",
    "RecordFile",
    "ResumedFile",
    "ResumedGame",
    "StartClock",
    "StopsAtError",
]

SHORTEST_CLOCK, LONGEST_CLOCK = 0.01, 1e6

GameName = Annotated[
    str,
    typer.Argument(metavar="GAME", help="A game of the library, a folder with one, or a file with rules."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def _clock(value: str | float) -> float:
    """A clock of so many seconds, or one that never runs out."""
    if str(value).lower() in ("none", "inf", "infinity"):
        return math.inf
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not SHORTEST_CLOCK <= seconds <= LONGEST_CLOCK:
        raise typer.BadParameter(
            f"{value!r} is no clock: seconds from {SHORTEST_CLOCK:g} to {LONGEST_CLOCK:,.0f}, or none"
        )
    return seconds


# How pictures are made

PictureTheme = Annotated[
    str | None,
    typer.Option(metavar="light|dark", help="Of a picture; default: SVG follows its reader, PNG is light."),
]
PictureSize = Annotated[int | None, typer.Option(metavar="N", help="Pixels of the longer side of a picture.")]
PictureFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where to write a picture; default: standard output.")
]

# How matches are run

ResumedGame = Annotated[
    str | None,
    typer.Argument(metavar="GAME", help="A game of the library, or a file with rules; none to --resume."),
]
PlayerNames = Annotated[
    str,
    typer.Option(
        metavar="NAMES",
        help="Players in role order, between commas: of the library, files, http://host:port; or one for all. "
        "Parameters in brackets: mcts(exploration=0.3).",
    ),
]
StartClock = Annotated[
    float, typer.Option(metavar="S", parser=_clock, help="Seconds to get ready; none: no clock.")
]
PlayClock = Annotated[
    float, typer.Option(metavar="S", parser=_clock, help="Seconds for each move; none: no clock.")
]
GamesCount = Annotated[int, typer.Option(metavar="N", min=1, help="How many matches, one after the other.")]
IsSwapped = Annotated[bool, typer.Option("--swap", help="Players change roles from match to match.")]
MatchSeed = Annotated[int | None, typer.Option(metavar="N", help="For what the manager draws; default: any.")]
IsScrambled = Annotated[bool, typer.Option("--scramble", help="Give players the rules in other words.")]
RecordFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Keep a record, of several matches in a folder.")
]
ResumedFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Go on with the match of this record.")
]
IsIsolated = Annotated[
    bool, typer.Option("--isolate", help="Give each player a process behind walls, with limits.")
]
IsSeparate = Annotated[
    bool, typer.Option("--separate", help="Give each player a process with limits, but no walls.")
]
MemoryLimit = Annotated[
    int | None, typer.Option(metavar="MB", min=1, help="Memory of an isolated player; default: 8192.")
]
CpuLimit = Annotated[
    int | None,
    typer.Option(metavar="SECONDS", min=1, help="CPU time of an isolated player in a match; default: any."),
]
NoPondering = Annotated[
    bool,
    typer.Option(
        "--no-pondering", help="No player of a process of its own thinks on the time of its opponents."
    ),
]
StopsAtError = Annotated[
    bool,
    typer.Option("--stop-at-error", help="Leave the match at the first error of a player; exit with 1."),
]
IsQuiet = Annotated[
    bool, typer.Option("--quiet", help="Only how each match ends, and the first error of each player.")
]
