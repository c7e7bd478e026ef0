"""A sheet that somebody brings -> a folder with a game, as those of the library are.

A folder is named by what is in it, never changes, and is there as a whole or not at all.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from gamemaster.errors import ParameterError
from gamemaster.language.rules import Notation
from gamemaster.store.names import tidied

__all__ = ["BroughtSheet", "name_of", "toml_value", "write_folder"]

LONGEST_TITLE = 80
LONGEST_RULES = 200_000
LONGEST_STYLE = 50_000
LONGEST_DESCRIPTION = 20_000
NOTATIONS: tuple[Notation, ...] = ("kif", "hrf", "epilog")
SIMULTANEOUS = "simultaneous moves"


@dataclass(frozen=True, slots=True)
class BroughtSheet:
    """A game as somebody brings it; ParameterError where it is more than a sheet can be."""

    title: str
    rules: str
    notation: Notation
    style: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        if self.notation not in NOTATIONS:
            raise ParameterError(
                f"rules are written as {', '.join(NOTATIONS)}, not {str(self.notation)[:40]!r}"
            )
        title = tidied(self.title)
        if not title or len(title) > LONGEST_TITLE or not title.isprintable():
            raise ParameterError(f"a title has 1 to {LONGEST_TITLE} letters, not {self.title[:100]!r}")
        object.__setattr__(self, "title", title)
        for what, text, most in (
            ("rules", self.rules, LONGEST_RULES),
            ("style", self.style, LONGEST_STYLE),
            ("description", self.description, LONGEST_DESCRIPTION),
        ):
            if len(text) > most:
                raise ParameterError(f"the {what} have {len(text):,} letters; {most:,} are read")
            if "\0" in text or not _is_whole(text):
                raise ParameterError(f"the {what} have letters that no text has")


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character
        return False
    return True


def name_of(sheet: BroughtSheet, secret: bytes, *, is_draft: bool = False) -> str:
    """The name of a sheet on this site; who does not know the sheet cannot guess it.

    A draft is called differently: it stays what it is when somebody keeps the same sheet for themselves.
    """
    parts = (is_draft, sheet.title, sheet.rules, sheet.notation, sheet.style, sheet.description)
    return f"@{hmac.new(secret, json.dumps(parts).encode(), hashlib.sha256).hexdigest()[:20]}"


def write_folder(
    sheet: BroughtSheet,
    folder: Path,
    roles: tuple[str, ...],
    *,
    is_simultaneous: bool,
    others: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write a game's folder, with other files; it is there as a whole, or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = folder.parent / f".{secrets.token_hex(8)}"
    made.mkdir()
    try:
        _write(sheet, made, roles, is_simultaneous)
        for name, text in others.items():
            (made / name).write_text(text, encoding="utf-8")
        if not folder.exists():
            made.rename(folder)
    except FileExistsError:
        pass  # somebody else has written the same meanwhile
    except OSError:
        if not folder.exists():
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _write(sheet: BroughtSheet, folder: Path, roles: tuple[str, ...], is_simultaneous: bool) -> None:
    said = {
        "title": sheet.title,
        "roles": list(roles),
        "tags": [SIMULTANEOUS] if is_simultaneous else [],
        "notation": sheet.notation,
    }
    lines = [f"{word} = {toml_value(value)}\n" for word, value in said.items()]
    (folder / "game.toml").write_text("".join(lines), encoding="utf-8")
    (folder / f"rules.{sheet.notation}").write_text(sheet.rules, encoding="utf-8", newline="")
    if sheet.style.strip():
        (folder / "style.toml").write_text(sheet.style, encoding="utf-8", newline="")
    if sheet.description.strip():
        (folder / "description.md").write_text(sheet.description, encoding="utf-8", newline="")


def toml_value(value: object) -> str:
    """A text or a list of texts as TOML has it: as JSON, but that it knows no halves of characters."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
