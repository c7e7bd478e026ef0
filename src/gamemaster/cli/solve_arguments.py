"""The arguments of `gamemaster solve`, which has many: those of labels, of strategies in words and of equilibria."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "AskedPlayer",
    "AskedSamples",
    "AskedSizes",
    "EnoughExploitability",
    "EquilibriumAlgorithm",
    "FallingFile",
    "IsExplained",
    "IsWholeStrategy",
    "LabelsAsTable",
    "LabelsFile",
    "LabelsFolder",
    "MostIterations",
    "MostPositions",
    "SolvedRole",
    "SolvingMemory",
    "SolvingSeconds",
]

LabelsAsTable = Annotated[
    bool,
    typer.Option("--table", help="Print the labels of a game of two numbers, such as heaps, as a table."),
]
SolvedRole = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE",
        help="Say what this role is sure of, and why; with --explain or of an equilibrium: only its strategy.",
    ),
]
LabelsFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Keep all labels, for the player perfect.")
]
SolvingMemory = Annotated[
    int, typer.Option(metavar="MB", min=1, help="Beyond so much memory positions live on disk.")
]
LabelsFolder = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Keep positions there, and go on where it was left.")
]
MostPositions = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Give up where there are more; of an equilibrium: histories."),
]
IsExplained = Annotated[
    bool, typer.Option("--explain", help="Look for a strategy in words instead, and prove it.")
]
AskedSizes = Annotated[
    str | None,
    typer.Option(
        metavar="RANGE",
        help="With --explain: one strategy for many sizes, as cells=3..25, every second one cells=3..25:2, or "
        "columns=rows=2..9.",
    ),
]
SolvingSeconds = Annotated[
    float,
    typer.Option(metavar="S", min=0.1, help="How long to look for a strategy in words, or an equilibrium."),
]
EquilibriumAlgorithm = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Find an equilibrium by cfr+, dcfr or cfr; default where one is needed: cfr+.",
    ),
]
EnoughExploitability = Annotated[
    float | None,
    typer.Option(
        metavar="X", min=0.0, help="Equilibria: how exploitable is enough, in goals; default: 0.01."
    ),
]
MostIterations = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Equilibria: no more iterations than so many.")
]
IsWholeStrategy = Annotated[bool, typer.Option("--all", help="Equilibria: print the whole strategy.")]
AskedPlayer = Annotated[
    str | None,
    typer.Option(metavar="PLAYER", help="Equilibria: say what best responses to this player get."),
]
AskedSamples = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="With --against: how often it is asked; default: 20 times."),
]
FallingFile = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE", help="Equilibria: draw how exploitability fell.")
]
