"""Game <-> the parameters by which OpenSpiel knows it: what it writes into texts that are read elsewhere, later.

A game of the library is `game=connectfour`. Any other carries its rules with it, as one word: `rules=eNp...`. So do
variants with numbers, `connectfour:columns=7`, as OpenSpiel cannot read an equals sign in a value.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib

from gamemaster.errors import GamemasterError, ParameterError
from gamemaster.language.notation import read, show
from gamemaster.load import load, parse, source_of
from gamemaster.machine.game import Game

__all__ = ["game_named", "spec_of"]

PLAIN_NAME = re.compile(r"[a-zA-Z][\w:]*\Z")
"""Names that OpenSpiel gives back as they were."""

LARGEST = 10_000_000
"""Rules in a word are no longer than this when they are unpacked."""


def spec_of(game: Game) -> dict[str, str]:
    """The parameters of a game: its name, if the library has these rules by that name, or else its rules."""
    return {"game": game.name} if _is_of_library(game) else {"rules": _packed(game)}


def game_named(name: str, rules: str) -> Game:
    """The game of parameters: of its rules if they are given, else of its name."""
    return _unpacked(rules) if rules else load(name)


def _is_of_library(game: Game) -> bool:
    if not PLAIN_NAME.match(game.name):
        return False
    try:
        return read(source_of(game.name)) == game.sheet
    except GamemasterError:  # a name that somebody gave to rules of their own
        return False


def _packed(game: Game) -> str:
    notation = game.sheet.notation
    text = json.dumps([game.name, notation, show(game.sheet, notation)])
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def _unpacked(word: str) -> Game:
    try:
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(base64.urlsafe_b64decode(word + "=" * (-len(word) % 4)), LARGEST)
        name, notation, rules = json.loads(text)
    except (ValueError, zlib.error, binascii.Error):
        raise ParameterError(
            f"rules={word[:40]!r} is not what openspiel_game(game) writes; give game=... with the name of a game or "
            "the path of a rule file"
        ) from None
    return parse(rules, notation, name=name)
