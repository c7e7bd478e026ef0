"""Files that somebody dropped on a page -> a sheet, or what is wrong where; and of players, what is wrong with them.

One file is rules, or the zip of a game's folder; several are taken for the files of such a folder. All of it is for
workers: whatever is in a file is read within the bounds of `web/writing/packing.py`, and nothing touches the disk.
"""

from __future__ import annotations

import ast
import io
import re
import warnings
import zipfile
from collections.abc import Sequence

from gamemaster.draw.styles.style_file import checked_style
from gamemaster.editing.diagnosing import Diagnostic, diagnostics
from gamemaster.editing.lines import TextLines
from gamemaster.errors import GamemasterError, Place, RulesError
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source
from gamemaster.load import parse
from gamemaster.web.api.places import checked
from gamemaster.web.jobs import BROUGHT_LIMITS, Plain
from gamemaster.web.writing.packing import unpacked

__all__ = [
    "LARGEST_FILES",
    "MOST_FILES",
    "DroppedFile",
    "errors_in",
    "faults_of",
    "file_finding",
    "read_dropped",
]

DroppedFile = tuple[str, bytes]
"""A name, and what is in it."""

MOST_FILES = 12
LARGEST_FILES = 280_000
"""Bytes of all files: a request of more is not let in."""

RULES = re.compile(r"\.(kif|hrf|epilog)$", re.IGNORECASE)
STYLE, DESCRIPTION, FOLDER = "style.toml", "description.md", "game.toml"
PLAY_SECONDS = 1.0
MOST_FINDINGS = 40


def read_dropped(files: Sequence[DroppedFile]) -> Plain:
    """The sheet in files, and what is to be said about the files; no sheet where there is none, and why.

    `names` are those that somebody knows the files by: rules.kif may be called otherwise.
    """
    if len(files) == 1:
        name = _base(files[0][0])
        found = unpacked(name, files[0][1])
        findings = [_placed(name, each) for each in _findings(found)]
        part = _part(name)
        return {**found, "findings": findings, "names": {part: name} if part else {}}
    name, raw, said, names = _folder(files)
    found = unpacked(name, raw)
    return {**found, "findings": [*said, *(_placed("", each) for each in _findings(found))], "names": names}


def _findings(found: Plain) -> list[Plain]:
    findings = found["findings"]
    assert isinstance(findings, list)
    return findings


def _folder(files: Sequence[DroppedFile]) -> tuple[str, bytes, list[Plain], dict[str, str]]:
    """Several files as the zip of one folder, as it is read; what does not belong there is left out, and said."""
    kept: dict[str, DroppedFile] = {}
    said = []
    for name, raw in files:
        base = _base(name)
        part = _part(base)
        if part is None:
            said.append(file_finding(base, "note", "it does not belong to a game, and is left out"))
        elif part in kept:
            said.append(
                file_finding(base, "note", f"{kept[part][0]} is taken for {part} already; this is left out")
            )
        else:
            kept[part] = base, raw
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as archive:
        warnings.simplefilter("ignore")
        for part, (_, raw) in kept.items():
            archive.writestr(zipfile.ZipInfo(part), raw)
    rules = next((base for part, (base, _) in kept.items() if part.startswith("rules.")), "rules")
    names = {part: base for part, (base, _) in kept.items()}
    return f"{RULES.sub('', rules)}.zip", packed.getvalue(), said, names


def _base(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


def _part(name: str) -> str | None:
    """Which file of a game's folder a file is taken for."""
    lower = name.lower()
    if found := RULES.search(lower):
        return f"rules{found[0]}"
    if lower == FOLDER:
        return FOLDER
    if lower.endswith(".toml"):
        return STYLE
    return DESCRIPTION if lower.endswith(".md") else None


# What is wrong


def errors_in(rules: str, notation: Notation) -> list[Plain]:
    """What the rules cannot mean, as far as can be said without playing: a game may be played all the same."""
    lines = TextLines.of(rules)
    found = [each for each in diagnostics(rules, notation) if each.severity == "error"]
    return [_spanned(lines, f"rules.{notation}", each) for each in found[:MOST_FINDINGS]]


def _spanned(lines: TextLines, file: str, found: Diagnostic) -> Plain:
    line = lines.line(found.span.start)
    start, end = lines.starts[line], lines.end(line)
    where = {"line": line + 1, "column": found.span.start - start + 1, "text": lines.text[start:end]}
    return {**file_finding(file, found.severity, found.message, found.hint, found.code), **where}


def faults_of(rules: str, notation: Notation, style: str, trouble: str) -> list[Plain]:
    """Why a sheet cannot be played, each with its place and what to do; `trouble`, where nothing is found."""
    report = checked(rules, notation, PLAY_SECONDS)
    findings = report["findings"]
    assert isinstance(findings, list)
    found = [_located(f"rules.{notation}", rules, each) for each in findings if each["severity"] == "error"]
    if not found and style.strip():
        found = _style_faults(rules, notation, style)
    return found[:MOST_FINDINGS] or [file_finding("", "error", trouble)]


def _style_faults(rules: str, notation: Notation, style: str) -> list[Plain]:
    try:
        _, mistakes = checked_style(Source(STYLE, style), parse(rules, notation, limits=BROUGHT_LIMITS))
    except GamemasterError:
        return []
    return [_mistake(each) for each in mistakes]


def _mistake(error: RulesError) -> Plain:
    place = error.place or Place(STYLE, 1, 1, "")
    where = {"line": place.line, "column": place.column, "text": place.text}
    return {**file_finding(STYLE, "error", error.what, error.hint, "style"), **where}


def _located(file: str, text: str, finding: Plain) -> Plain:
    """A finding of the checker, with the line that it is about."""
    place = finding["place"]
    assert isinstance(place, dict)
    lines = text.splitlines()
    line = int(place["line"])
    said = file_finding(
        file, str(finding["severity"]), str(finding["message"]), str(finding["hint"]), str(finding["code"])
    )
    written = lines[line - 1] if 0 < line <= len(lines) else ""
    return {**said, "line": line, "column": int(place["column"]), "text": written}


def _placed(file: str, finding: Plain) -> Plain:
    return file_finding(file, str(finding["severity"]), str(finding["message"]), str(finding["hint"]))


# Players


def faults_of_player(name: str, content: bytes, most: int) -> list[Plain]:
    """Why a file can be no player, at its line; nothing where it may be one. Nothing of it is run."""
    if len(content) > most:
        return [file_finding(name, "error", f"{len(content):,} bytes; a player has at most {most:,}")]
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return [
            file_finding(name, "error", "this is not written in UTF-8", line=line, hint="save it as UTF-8")
        ]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        written = (error.text or "").rstrip("\n")
        return [
            file_finding(
                name, "error", error.msg, line=error.lineno or 1, column=error.offset or 1, text=written
            )
        ]
    except (ValueError, RecursionError, MemoryError) as error:
        return [
            file_finding(
                name, "error", f"this cannot be read as Python: {str(error)[:100] or type(error).__name__}"
            )
        ]
    if any(isinstance(each, ast.ClassDef) or _is_play(each) for each in tree.body):
        return []
    return [
        file_finding(
            name, "error", "there is no class and no function play in it", hint="a player has one of them"
        )
    ]


def _is_play(node: ast.stmt) -> bool:
    is_imported = isinstance(node, ast.ImportFrom | ast.Import | ast.Assign)  # it may come from there
    return is_imported or (isinstance(node, ast.FunctionDef) and node.name == "play")


def file_finding(
    file: str,
    severity: str,
    message: str,
    hint: str = "",
    code: str = "",
    *,
    line: int | None = None,
    column: int = 1,
    text: str = "",
) -> Plain:
    """Something about a file, at a line of it or as a whole."""
    said = {"file": file[:80], "severity": severity, "code": code, "message": message, "hint": hint}
    return {**said, "line": line, "column": column, "text": text}
