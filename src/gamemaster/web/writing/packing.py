"""A file that somebody brings -> a sheet with findings about the file; a sheet -> a zip of a game folder.

A zip is anybody's: it is read within bounds that what it says of itself cannot move, no name in it becomes a path, and
nothing of it touches the disk. What is wrong is said in words, and what can be used is used.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from gamemaster.editing.sheets import edited_sheet
from gamemaster.errors import ParameterError, RulesError
from gamemaster.games.tables import read_toml
from gamemaster.language.notation import find_notation
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source
from gamemaster.web.brought.sheets import (
    LONGEST_DESCRIPTION,
    LONGEST_RULES,
    LONGEST_STYLE,
    LONGEST_TITLE,
    toml_value,
)
from gamemaster.web.jobs import Plain

__all__ = ["FOLDER_FILES", "packed", "unpacked"]

NOTATIONS: tuple[Notation, ...] = ("kif", "hrf", "epilog")
RULE_FILES = tuple(f"rules.{each}" for each in NOTATIONS)
FOLDER_FILES = ("game.toml", *RULE_FILES, "style.toml", "description.md")
SAID = frozenset({"title", "notation", "roles"})
"""Of a game.toml, what this page keeps; roles are found from the rules."""

MOST_ENTRIES = 200
MOST_BYTES = 4 * (LONGEST_RULES + LONGEST_STYLE + LONGEST_DESCRIPTION)
"""Of all files together, unpacked; a letter has four bytes at most."""

LARGEST_RATIO = 200
"""How many times as large as in the zip a file may be: text is at most some dozen times."""

LONGEST_NAME = 60
READ_AT_ONCE = 65_536
LONGEST = {"style.toml": LONGEST_STYLE, "description.md": LONGEST_DESCRIPTION, "game.toml": LONGEST_STYLE}
STRANGE = re.compile(r"[\x00-\x1f\x7f\\:]|(?:^|/)\.{1,2}(?:/|$)|^/|//")
"""In names: what no folder of a game has, and what would lead elsewhere where names are paths."""

LITTER = re.compile(r"(?:^|/)(?:__MACOSX|\.[^./][^/]*|Thumbs\.db|desktop\.ini)(?:/|$)")
MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
ENCRYPTED = 0x1
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What zips are made with; others take memory as they please, and break in ways of their own."""

LINK = 0o120000
SLUG = re.compile(r"[^a-z0-9]+")


@dataclass
class BroughtFile:
    """What was found in a file: texts by the names that a game's folder has, and what is to be said about it."""

    texts: dict[str, str] = field(default_factory=dict)
    findings: list[Plain] = field(default_factory=list)

    def say(self, message: str, hint: str = "", *, is_error: bool = False) -> None:
        """A finding about the file."""
        severity = "error" if is_error else "note"
        self.findings.append({"severity": severity, "message": message, "hint": hint})


def unpacked(name: str, raw: bytes) -> Plain:
    """The sheet in a file of rules, or in a zip of a game's folder; no sheet where there is none, and why."""
    found = BroughtFile()
    if raw[:4] in (b"PK\x03\x04", b"PK\x05\x06") or name.lower().endswith(".zip"):
        _open_zip(raw, found)
    else:
        _open_rules(name, raw, found)
    return {"sheet": _sheet(name, found), "findings": found.findings}


def _open_rules(name: str, raw: bytes, found: BroughtFile) -> None:
    text = _text(_shown(name) or "the file", raw, LONGEST_RULES, found)
    if text is None:
        return
    ending = name.lower().rpartition(".")[2]
    notation = next((each for each in NOTATIONS if each == ending), None)
    if notation is None:
        notation = find_notation(text)
        found.say(f"it is not called .kif, .hrf or .epilog, and is taken for {notation.upper()}")
    found.texts[f"rules.{notation}"] = text


def _text(name: str, raw: bytes, longest: int, found: BroughtFile) -> str | None:
    """The text of a file; None, with a finding, where it is none."""
    if (mark := MARKS.get(raw[:2])) or b"\0" in raw[:4096]:
        what = f"is written in {mark}" if mark else "is no text"
        found.say(f"{name} {what}", "save it as plain text in UTF-8", is_error=True)
        return None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found.say(
            f"{name} is not written in UTF-8: line {line} has other bytes",
            "they are shown as \N{REPLACEMENT CHARACTER}; save it as UTF-8, and bring it again",
        )
        text = raw.decode("utf-8-sig", "replace")
    if len(text) > longest:
        found.say(f"{name} has {len(text):,} letters; {longest:,} are read", is_error=True)
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


# Zips


def _open_zip(raw: bytes, found: BroughtFile) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_ENTRIES:
                found.say(
                    f"the zip has {len(entries):,} entries; the folder of a game has {len(FOLDER_FILES) - 2} files",
                    "bring the folder of one game",
                    is_error=True,
                )
                return
            for name, entry in _wanted(entries, found).items():
                if (content := _content(archive, entry, name, found)) is not None:
                    text = _text(name, content, LONGEST.get(name, LONGEST_RULES), found)
                    found.texts |= {name: text} if text is not None else {}
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, OSError) as error:
        words = re.sub(r"[^\x20-\x7e]", "?", str(error))[:100]
        found.say(f"the zip cannot be read: {words}", "pack the folder of the game again", is_error=True)


def _wanted(entries: list[zipfile.ZipInfo], found: BroughtFile) -> dict[str, zipfile.ZipInfo]:
    """The files of one game's folder, which may be in the zip as a folder or without one."""
    folders: dict[str, dict[str, zipfile.ZipInfo]] = {}
    for entry in entries:
        raw_name = entry.orig_filename
        if raw_name.endswith("/") or LITTER.search(raw_name):
            continue
        folder, _, name = raw_name.rpartition("/")
        if STRANGE.search(raw_name) or len(raw_name) > 4 * LONGEST_NAME:
            found.say(f"{_shown(raw_name)!r} is no name of a file in a game's folder: it is left out")
        elif name not in FOLDER_FILES:
            found.say(f"{_shown(raw_name)!r} does not belong to a game: it is left out")
        elif name in folders.get(folder, {}):
            found.say(f"{_shown(raw_name)!r} is there twice: the first one counts")
        else:
            folders.setdefault(folder, {})[name] = entry
    games = {folder: files for folder, files in folders.items() if any(each in files for each in RULE_FILES)}
    if len(games) > 1:
        shown = ", ".join(repr(_shown(each)) for each in sorted(games)[:5])
        found.say(f"the zip has {len(games)} games: {shown}", "bring them one by one", is_error=True)
        return {}
    return next(iter(games.values()), {})


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, found: BroughtFile) -> bytes | None:
    """The bytes of an entry, as many as it may have, whatever it says of itself."""
    if entry.flag_bits & ENCRYPTED:
        found.say(f"{name} is encrypted", "pack it without a password", is_error=True)
        return None
    if (entry.external_attr >> 16) & 0o170000 == LINK:
        found.say(f"{name} is a link to something else", "pack the file itself", is_error=True)
        return None
    if entry.compress_type not in PACKINGS:
        found.say(f"{name} is packed in a way that is not read here", "pack it as usual", is_error=True)
        return None
    most = min(MOST_BYTES, LARGEST_RATIO * max(entry.compress_size, 64))
    try:
        with archive.open(entry) as file:
            pieces, size = [], 0
            while piece := file.read(READ_AT_ONCE):
                size += len(piece)
                if size > most:
                    what = f"{name} unpacks to more than {most:,} bytes, far more than it has in the zip"
                    found.say(what, "bring a smaller one", is_error=True)
                    return None
                pieces.append(piece)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, OSError, ValueError):
        found.say(f"{name} is damaged in the zip", "pack the folder of the game again", is_error=True)
        return None
    return b"".join(pieces)


# The sheet


def _sheet(name: str, found: BroughtFile) -> Plain | None:
    rules = [each for each in RULE_FILES if each in found.texts]
    if len(rules) > 1:
        found.say(
            f"there are rules in {len(rules)} notations: {', '.join(rules)}",
            "keep one of them",
            is_error=True,
        )
    elif not rules and not any(each["severity"] == "error" for each in found.findings):
        found.say(f"there are no rules in it: {', '.join(RULE_FILES)}", "bring one of these", is_error=True)
    if len(rules) != 1:
        return None
    return {
        "title": _title(name, found),
        "notation": rules[0].removeprefix("rules."),
        "rules": found.texts[rules[0]],
        "style": found.texts.get("style.toml", ""),
        "description": found.texts.get("description.md", ""),
    }


def _title(name: str, found: BroughtFile) -> str:
    """What game.toml says, else the name of the file."""
    stem = re.sub(r"\.\w+$", "", _shown(name).rpartition("/")[2])
    otherwise = "" if stem in ("rules", "game") else stem.replace("_", " ").title()
    if "game.toml" not in found.texts:
        return otherwise[:LONGEST_TITLE]
    try:
        table = read_toml(Source.checked("game.toml", found.texts["game.toml"]))
        title = table.text("title", otherwise)
    except RulesError as error:
        found.say(f"game.toml is not used: {error}", "mend it, or write the title here")
        return otherwise[:LONGEST_TITLE]
    if others := sorted(set(table.values) - SAID):
        found.say(f"of game.toml the title is used; {', '.join(others)[:200]} stays behind")
    return re.sub(r"\s+", " ", title).strip()[:LONGEST_TITLE]


def _shown(name: str) -> str:
    """A name that somebody gave to a file, as it can be shown."""
    return "".join(each if each.isprintable() else "?" for each in name)[:LONGEST_NAME]


# The other way


def packed(title: str, rules: str, notation: Notation, style: str, description: str) -> tuple[str, bytes]:
    """The name of a game's folder, and the folder as a zip."""
    if notation not in NOTATIONS:
        raise ParameterError(f"rules are written as {', '.join(NOTATIONS)}, not {str(notation)[:40]!r}")
    folder = SLUG.sub("_", title.lower()).strip("_")[:40] or "game"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _files(title, rules, notation, style, description):
            archive.writestr(zipfile.ZipInfo(f"{folder}/{name}"), text.encode(), zipfile.ZIP_DEFLATED)
    return folder, buffer.getvalue()


def _files(
    title: str, rules: str, notation: Notation, style: str, description: str
) -> Iterator[tuple[str, str]]:
    said: dict[str, object] = {"title": title or "Untitled", "notation": notation}
    if roles := _roles(rules, notation):
        said["roles"] = roles
    yield "game.toml", "".join(f"{word} = {toml_value(value)}\n" for word, value in said.items())
    yield f"rules.{notation}", rules
    if style.strip():
        yield "style.toml", style
    if description.strip():
        yield "description.md", description


def _roles(rules: str, notation: Notation) -> list[str]:
    """The roles that the rules name, as far as that can be seen: a text that cannot be read is packed as it is."""
    return [
        each for each in edited_sheet(rules, notation).roles() if not (each[:1] in "?_" or each[0].isupper())
    ]
