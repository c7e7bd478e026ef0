"""`gamemaster metagame` and `gamemaster analyse`: rules made leaner, and what kind of game they are of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gamemaster.language.notation import read, show
from gamemaster.load import source_of
from gamemaster.metagame.analysis import analyse
from gamemaster.metagame.catalogue import apply, find_transformer
from gamemaster.metagame.gain import MEASURED, measure
from gamemaster.terminal.loading import load
from gamemaster.terminal.screen import console_of, is_terminal
from gamemaster.terminal.tables import print_table

__all__ = ["analyse_game", "transform_game"]


def transform_game(name: str, transformers: Sequence[str], *, seconds: float, as_json: bool) -> None:
    """Print the rules after some transformers, and to stderr what that gained."""
    for transformer in transformers:
        find_transformer(transformer)
    sheet = read(source_of(name))
    changed = apply(sheet, transformers)
    text = show(changed).rstrip("\n")
    before, after = measure(sheet, seconds), measure(changed, seconds)
    if as_json:
        found = {"game": name, "with": list(transformers), "rules": text, "before": before, "after": after}
        print(json.dumps(found))
        return
    print(text)
    _print_gain(before, after)


def _print_gain(before: dict[str, Any], after: dict[str, Any]) -> None:
    """A small table on stderr."""
    from rich import box
    from rich.table import Table

    table = Table("", box=box.SIMPLE_HEAD)
    for heading in ("before", "after"):
        table.add_column(heading, justify="right")
    for what in MEASURED:
        table.add_row(what, _figure(before[what]), _figure(after[what]))
    console_of(is_error=True).print(table, soft_wrap=False)


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:,.3g}"


def analyse_game(name: str, *, seconds: float, as_json: bool) -> None:
    """Print what kind of game it is."""
    found = analyse(load(name), seconds=seconds)
    if as_json:
        print(json.dumps(found.to_dict()))
    elif is_terminal():
        print_table(("what", "answer", "how sure, or which"), found.rows())
    else:
        print(found)
