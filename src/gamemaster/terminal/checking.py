"""`gamemaster check`: what is wrong with rules, where, and what random play was like."""

from __future__ import annotations

import json
from textwrap import fill

from gamemaster.check import Report, check
from gamemaster.errors import RulesError
from gamemaster.folder_check import looks_at
from gamemaster.language.findings import Finding
from gamemaster.load import source_of
from gamemaster.terminal.loading import shown_after
from gamemaster.terminal.progress import MOMENT, waiting
from gamemaster.terminal.report import print_finding
from gamemaster.terminal.screen import is_terminal, width

__all__ = ["check_game"]


def check_game(game: str, *, seconds: float, as_json: bool) -> bool:
    """Print the findings; whether there is no error among them."""
    report = _report(game, seconds)
    if as_json:
        print(json.dumps({"game": game, **report.to_dict()}))
        return not report.errors
    for finding in report.findings:
        print_finding(finding, game)
    summary = f"{game}: {report.summary}"
    print(fill(summary, width(), break_long_words=False) if is_terminal() else summary)
    return not report.errors


def _report(game: str, seconds: float) -> Report:
    """The report on a game; a file that is no text has one too, with that as its only finding."""
    try:
        with shown_after(MOMENT, waiting(f"checking {game}: playing at random, and compiling")):
            source = source_of(game)
            return check(source, seconds=seconds, looks=looks_at(game, counts=seconds > 0))
    except RulesError as error:
        if error.place is None:
            raise
        return Report((Finding(error.code, "error", error.what, error.place, error.hint),), None)
