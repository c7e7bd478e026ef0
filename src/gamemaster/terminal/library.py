"""`gamemaster games` and `gamemaster show`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from textwrap import fill
from typing import TYPE_CHECKING, cast

from gamemaster.errors import RulesError, UnknownGame
from gamemaster.games import GameFolder, entry, game_names
from gamemaster.games.variants import GameChoice, choose, range_of
from gamemaster.language.lower import lower
from gamemaster.language.notation import COMMENT_MARKS, read, show
from gamemaster.language.rules import Notation, Rules
from gamemaster.load import source_of
from gamemaster.match.wire.classic import with_noop
from gamemaster.terminal.report import print_line, printable, printable_line
from gamemaster.terminal.screen import console_of, is_terminal, width
from gamemaster.terminal.tables import print_table

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["list_games", "show_description", "show_entry", "show_rules"]

LINE_END = re.compile(r"\r\n?")
WORDS = (
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "action", "control",
    "sees", "random", "distinct", "not", "or", "and",
)  # fmt: skip
STYLES = {
    "comment": "dim italic",
    "string": "#009e73",
    "variable": "#3a8fd0",
    "word": "bold",
    "mark": "#d55e00",
}


def list_games(*, as_json: bool) -> None:
    """Print a line about each game of the library, and under it one about each variant with a name."""
    entries = [entry(name) for name in game_names()]
    if as_json:
        print(json.dumps([asdict(each) for each in entries], indent=2))
        return
    rows = [row for each in entries for row in _rows(each)]
    print_table(("name", "title", "roles", "kind", "notation", "tags"), rows)


def _rows(folder: GameFolder) -> Iterator[tuple[str, ...]]:
    """A line about a game, and one about each of its variants."""
    same = (", ".join(folder.roles), folder.kind, folder.notation)
    yield folder.name, folder.title, *same, ", ".join(folder.tags)
    for variant in folder.variants:
        choice = GameChoice(folder, variant, ())
        yield choice.name, choice.title, *same, "variant"


def show_entry(game: str, *, as_json: bool) -> None:
    """Print what the library has on a game, in a few lines."""
    choice = _chosen(game)
    folder = choice.folder
    if as_json:
        print(json.dumps({**asdict(folder), "name": choice.name, "title": choice.title}, indent=2))
        return
    print_line(f"{choice.name}: {choice.title}")
    print_line(
        f"  {folder.kind}, for {', '.join(folder.roles)}; {', '.join(folder.tags)}; in {folder.notation}"
    )
    for line in _choices(folder):
        print_line(f"  {line}")
    if folder.note:
        note = printable_line(" ".join(folder.note.split()))
        print(fill(note, min(width(), 100), initial_indent="  ", subsequent_indent="  "))
    print_line(
        f"  rules: gamemaster show {choice.name}; in words: gamemaster show {choice.name} --description"
    )


def _choices(folder: GameFolder) -> Iterator[str]:
    """What can be chosen in a game, and how to name it."""
    for parameter in folder.parameters:
        yield f"{folder.name}:{parameter.name}=N  {range_of(parameter)}, usually {parameter.value}"
    for variant in folder.variants:
        choice = GameChoice(folder, variant, ())
        yield f"{choice.name}  {choice.title}"


def _chosen(game: str) -> GameChoice:
    """A game of the library; UnknownGame for a file, and for what is nothing at all."""
    choice = choose(game)
    if choice is None:
        source_of(game)
        raise UnknownGame(f"{game!r} is not in the library, so there is no description of it")
    return choice


def show_description(game: str) -> None:
    """Print what the library says of a game."""
    folder = _chosen(game).folder
    lines = map(printable_line, _choices(folder))
    choices = "\n".join(f"- `{line.replace('  ', '`: ', 1)}" for line in lines)
    description = "\n".join(folder.description.expandtabs(4).splitlines())
    text = printable(description + (f"\n\n**Variants.**\n\n{choices}" if choices else ""))
    if is_terminal():
        from rich.markdown import Markdown

        console_of().print(Markdown(text), soft_wrap=False)
    else:
        print(text)


def show_rules(game: str, wanted: str | None) -> None:
    """Print the rules of a game as they are written, or in a notation: kif, hrf, epilog or core."""
    source = source_of(game)
    sheet = read(source)
    text, notation = (source.text, sheet.notation) if wanted is None else _translated(sheet, game, wanted)
    text = LINE_END.sub("\n", text).rstrip("\n")
    if is_terminal():
        console_of().print(_coloured(text, notation))
    else:
        print(text)


def _translated(sheet: Rules, game: str, wanted: str) -> tuple[str, Notation]:
    """The rules in a notation, of the same game; RulesError where they cannot be written in it."""
    notation = cast("Notation", "hrf" if wanted == "core" else wanted)
    if wanted == sheet.notation:
        return show(sheet), notation
    if notation == "epilog":
        raise RulesError(
            f"{game} is written in {sheet.notation.upper()}, which cannot be turned into Epilog: "
            "it says what holds after a move, Epilog what a move changes",
            hint="`--as hrf` prints it in infix",
        )
    core = lower(sheet)
    return show(with_noop(core) if sheet.notation == "epilog" else core, notation), notation


def _coloured(text: str, notation: Notation) -> Text:
    """Rules with their comments, variables, strings, marks and the words of the language in colour."""
    from rich.text import Text

    token = re.compile(
        rf"""(?P<comment>{COMMENT_MARKS[notation]}.*)
           | (?P<string>"[^"\n]*")
           | (?P<variable>\?[\w+*/.-]+ | \b[A-Z_][\w]*)
           | (?P<word>\b(?:{"|".join(WORDS)})\b)
           | (?P<mark>::|==>|:-|:=|<=|[~&|])
           | [\w.+*/-]+""",
        re.VERBOSE,
    )
    coloured = Text(text)
    for match in token.finditer(text):
        if match.lastgroup:
            coloured.stylize(STYLES[match.lastgroup], match.start(), match.end())
    return coloured
