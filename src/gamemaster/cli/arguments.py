"""The arguments that many commands have."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["AsJson", "GameName"]

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game of the library, or a file with rules.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
