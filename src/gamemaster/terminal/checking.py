"""`gamemaster check`: what is wrong with rules, where, and what random play was like."""

from __future__ import annotations

import json
from textwrap import fill

from gamemaster.check import Report, check
from gamemaster.errors import RulesError
from gamemaster.language.findings import Finding
from gamemaster.load import source_of
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
        print_finding(finding)
    print(
        fill(_summary(game, report), width(), break_long_words=False)
        if is_terminal()
        else _summary(game, report)
    )
    return not report.errors


def _report(game: str, seconds: float) -> Report:
    """The report on a game; a file that is no text has one too, with that as its only finding."""
    try:
        return check(source_of(game), seconds=seconds)
    except RulesError as error:
        if error.place is None:
            raise
        return Report((Finding(error.code, "error", error.what, error.place, error.hint),), None)


def _summary(name: str, report: Report) -> str:
    """One line: how many findings, and what random play was like."""
    summary = f"{name}: {_count(report.errors, 'error')}, {_count(report.warnings, 'warning')}"
    played = report.played
    if played is None:
        return f"{summary}; not played"
    goals = ", ".join(f"{goal:.1f}" for goal in played.mean_goals)
    return (
        f"{summary}; {_count(played.games, 'random game')}: {played.mean_length:.1f} steps, "
        f"{played.branching:.1f} moves to choose from, goals {goals}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
