"""A name -> a game of the library or of a folder, perhaps with other numbers or another start.

    connectfour                     as it stands in its folder
    connectfour:columns=7,rows=6    with other values of its parameters
    connectfour:small               a variant that game.toml names; `connectfour:small,rows=5` changes that too
    mygame, games/mygame:small      the same of a folder that has a game.toml, wherever it is
    @0123456789abcdef0123           a game that somebody brought to a site, where the site has put it on its shelf

The change is made in the text of the sheet, before anybody reads it: whatever takes rules (records, players in other
processes, scrambling) needs to know nothing of it. What is replaced keeps its line, what is taken away leaves blanks,
what comes is put at the end: so the places of all else stay those of the file.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from gamemaster.errors import ParameterError, RulesError, UnknownGame
from gamemaster.games import (
    GameFolder,
    GameParameter,
    GameVariant,
    entry,
    find_rules,
    game_names,
    on_shelf,
)
from gamemaster.language.notation import COMMENT_MARKS, read
from gamemaster.language.rules import AtomTerm, Relation, Rule, Rules, relation_of
from gamemaster.language.source import Source, Span, exists
from gamemaster.language.terms import Variable
from gamemaster.machine.arguments import shown

__all__ = ["GameChoice", "choose", "range_of"]

WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class GameChoice:
    """A game of the library as somebody wants it; `values` has only what differs from the variant, or the folder."""

    folder: GameFolder
    variant: GameVariant | None
    values: tuple[tuple[str, int], ...]

    @property
    def name(self) -> str:
        """The one name of this choice, which `choose` reads."""
        wishes = [self.variant.name] if self.variant else []
        wishes += [f"{name}={value}" for name, value in self.values]
        return self.folder.name + (f":{','.join(wishes)}" if wishes else "")

    @property
    def title(self) -> str:
        """The title of the game; where a variant has none, with what it sets."""
        if self.variant and self.variant.title and not self.values:
            return self.variant.title
        settings = ", ".join(f"{name}={value}" for name, value in self._settings().items())
        return self.folder.title + (f" ({settings})" if settings else "")

    @property
    def perft(self) -> tuple[int, ...]:
        """The counts that are known of it."""
        if self.values:
            return ()
        return self.variant.perft if self.variant else self.folder.perft

    def source(self) -> Source:
        """The text of its rules."""
        source = Source.from_path(find_rules(self.folder.name))
        settings, facts = self._settings(), self.variant.facts if self.variant else ""
        if not settings and not facts:
            return source
        rules = read(source)
        changes = [*_with_values(rules, settings), *_without(rules, facts)]
        mark = COMMENT_MARKS[rules.notation]
        added = f"\n{mark} Facts of the variant {self.name}\n\n{facts.strip()}\n" if facts else ""
        text = _changed(source.text, changes) + added
        return replace(Source.checked(source.name, text), path=source.path)

    def _settings(self) -> dict[str, int]:
        """The parameters that differ from what the sheet has, in the order of game.toml."""
        wanted = {**(self.variant.values if self.variant else {}), **dict(self.values)}
        return {
            each.name: wanted[each.name]
            for each in self.folder.parameters
            if wanted.get(each.name, each.value) != each.value
        }


def choose(text: str) -> GameChoice | None:
    """The game of the library that a text names, or of a folder; None where it names neither, or a file.

    UnknownGame for a variant, ParameterError for a parameter that the game does not have, or not with that value.
    """
    name, colon, wishes = text.partition(":")
    if not _is_game(name) or (colon and exists(Path(text))):
        return None
    folder = entry(name if name in game_names() or on_shelf(name) else _path(name))
    first, *others = wishes.split(",") if colon else [""]
    variant = _variant(folder, first) if colon and "=" not in first else None
    given = _given(folder, others if variant or not colon else [first, *others])
    usual = {each.name: each.value for each in folder.parameters} | dict(variant.values if variant else {})
    values = tuple((each, given[each]) for each in usual if given.get(each, usual[each]) != usual[each])
    return GameChoice(folder, variant, values)


def _is_game(name: str) -> bool:
    return name in game_names() or (name != "" and exists((on_shelf(name) or Path(name)) / "game.toml"))


def _path(name: str) -> str:
    """A path without what says nothing, but never like a name of the library."""
    path = Path(name)
    return str(path.absolute() if str(path) in game_names() else path)


def range_of(parameter: GameParameter) -> str:
    """Which values a parameter takes."""
    return f"{parameter.least} to {parameter.most}"


# What the text wants


def _variant(folder: GameFolder, word: str) -> GameVariant:
    for each in folder.variants:
        if each.name == word:
            return each
    raise UnknownGame(f"{folder.name} has no variant {shown(word)}; {_offer(folder, word)}")


def _given(folder: GameFolder, wishes: Iterable[str]) -> dict[str, int]:
    """The parameters that are given, each once."""
    given: dict[str, int] = {}
    for wish in wishes:
        word, _, value = wish.partition("=")
        parameter = next((each for each in folder.parameters if each.name == word), None)
        if parameter is None and any(each.name == word for each in folder.variants):
            raise ParameterError(f"{folder.name}: a variant, as {word}, comes first and only once")
        if parameter is None:
            raise ParameterError(f"{folder.name} has no parameter {shown(word)}; {_offer(folder, word)}")
        if word in given:
            raise ParameterError(f"{folder.name} is given {word} twice; give it once")
        given[word] = _value(folder, parameter, value)
    return given


def _value(folder: GameFolder, parameter: GameParameter, text: str) -> int:
    if WHOLE_NUMBER.fullmatch(text) and parameter.least <= int(text) <= parameter.most:
        return int(text)
    allowed = f"a whole number from {range_of(parameter)}"
    raise ParameterError(f"{parameter.name} of {folder.name} must be {allowed}, not {shown(text)}")


def _offer(folder: GameFolder, word: str) -> str:
    """What there is instead, and what was probably meant."""
    parameters = [f"{each.name} ({range_of(each)})" for each in folder.parameters]
    variants = [each.name for each in folder.variants]
    has = [f"the parameters {', '.join(parameters)}"] * bool(parameters)
    has += [f"the variants {', '.join(variants)}"] * bool(variants)
    near = difflib.get_close_matches(word, [each.name for each in folder.parameters] + variants, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"it has {' and '.join(has) or 'neither parameters nor variants'}{meant}"


# What changes in the sheet


def _with_values(rules: Rules, values: dict[str, int]) -> Iterator[tuple[Span, str]]:
    """The fact of each parameter, with another value in it."""
    for name, value in values.items():
        found = [rule for rule in rules.rules if relation_of(rule.head) == (name, 1) and not rule.body]
        if len(found) != 1:
            what = f"game.toml has the parameter {name}, which the sheet needs as one fact, and has {len(found)} times"
            raise RulesError(what, rules.source.place(0), hint=f"write {name}({value})")
        yield found[0].span, f"({name} {value})" if rules.notation == "kif" else f"{name}({value})"


def _without(rules: Rules, facts: str) -> Iterator[tuple[Span, str]]:
    """Blanks for all that defines what the facts are about."""
    others = (
        {_subject(rule) for rule in read(Source("facts", facts), rules.notation).rules} if facts else set()
    )
    for rule in rules.rules:
        if _subject(rule) in others:
            text = rules.source.text[rule.span.start : rule.span.end]
            yield rule.span, re.sub(r"[^\r\n]", " ", text)


def _subject(rule: Rule) -> tuple[Relation, Relation | None]:
    """What a rule defines: its relation; for init, that of the fact too."""
    head: AtomTerm = rule.head
    relation = relation_of(head)
    inner = head[1] if relation == ("init", 1) else None
    return relation, None if inner is None or isinstance(inner, Variable) else relation_of(inner)


def _changed(text: str, changes: Iterable[tuple[Span, str]]) -> str:
    """The text with some spans of it replaced."""
    for span, other in sorted(changes, key=lambda change: change[0].start, reverse=True):
        text = text[: span.start] + other + text[span.end :]
    return text
