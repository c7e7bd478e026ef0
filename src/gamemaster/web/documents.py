"""The documents of the project -> pages of the site: titles, HTML with anchors, links that lead to pages here.

They stand beside the sources where those are; a wheel has them inside the package (pyproject.toml says so).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from posixpath import normpath

from markdown_it import MarkdownIt
from markdown_it.token import Token

import gamemaster

__all__ = [
    "INSIDE",
    "DocumentPage",
    "HeadLine",
    "attachments",
    "code_blocks",
    "document_names",
    "document_page",
    "documents_folder",
]

PACKAGE = Path(gamemaster.__file__).parent
INSIDE = "documents"
"""The folder of the package in which a wheel has them."""

ATTACHED = ("*.svg", "*.png", "clients/*.py")
ELSEWHERE = {"gallery": "/games"}
"""Documents that are pages of the site anyway."""

_reader = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True, slots=True)
class HeadLine:
    """A heading of a page, and where it is."""

    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A document as the site shows it."""

    name: str
    title: str
    first: str
    """What it is about: its first sentence."""

    html: str
    parts: tuple[HeadLine, ...]


@cache
def documents_folder() -> Path:
    """Where they are: in the package, or beside its sources."""
    inside = PACKAGE / INSIDE
    return inside if inside.is_dir() else PACKAGE.parents[1] / "docs"


@cache
def document_names() -> tuple[str, ...]:
    """The names of all documents that are pages of their own."""
    found = (path.stem for path in documents_folder().glob("*.md"))
    return tuple(sorted(name for name in found if name not in ELSEWHERE))


@cache
def attachments() -> dict[str, Path]:
    """What stands beside the documents, by its path: pictures, programs. Nothing else is ever read."""
    folder = documents_folder()
    found = sorted(path for pattern in ATTACHED for path in folder.glob(pattern))
    return {path.relative_to(folder).as_posix(): path for path in found}


def document_text(name: str) -> str:
    """A document as it is written: one of `document_names`."""
    return (documents_folder() / f"{name}.md").read_text(encoding="utf-8")


@cache
def document_page(name: str) -> DocumentPage:
    """A document as a page: one of `document_names`."""
    tokens = _reader.parse(document_text(name))
    title, parts = name, []
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            text = _plain(tokens[number + 1])
            token.attrSet("id", _anchor(text))
            if token.tag == "h1":
                title = text
            elif token.tag == "h2":
                parts.append(HeadLine(text, _anchor(text)))
        elif token.type == "th_open":
            token.attrSet("scope", "col")
        elif token.type == "inline":
            token.children = _relinked(token.children or [])
    html = str(_reader.renderer.render(tokens, _reader.options, {}))
    return DocumentPage(name, title, _first_sentence(tokens), html, tuple(parts))


def code_blocks(name: str) -> list[tuple[str, str]]:
    """The programs in Python of a document, each with the heading that it stands under."""
    tokens = _reader.parse(document_text(name))
    found, heading = [], ""
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = _plain(tokens[number + 1])
        elif token.type == "fence" and token.info == "python":
            found.append((heading, token.content))
    return found


def _plain(inline: Token) -> str:
    return "".join(" " if each.type == "softbreak" else each.content for each in inline.children or ())


def _anchor(text: str) -> str:
    """The anchor of a heading, as repositories make it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _first_sentence(tokens: Sequence[Token]) -> str:
    """How the first paragraph begins."""
    for before, token in pairwise(tokens):
        if before.type == "paragraph_open" and (text := _plain(token)):
            return re.split(r"(?<=[.:])\s", text, maxsplit=1)[0].rstrip(":")
    return ""


def _relinked(children: list[Token]) -> list[Token]:
    """The pieces of a paragraph with links and pictures that lead to where the site has them."""
    kept: list[Token] = []
    is_dropped = False
    for token in children:
        if token.type == "link_open":
            address = _address(str(token.attrGet("href") or ""))
            is_dropped = address is None
            token.attrSet("href", address or "")
        elif token.type == "image":
            token.attrSet("src", _address(str(token.attrGet("src") or "")) or "")
        if not (is_dropped and token.type in ("link_open", "link_close")):
            kept.append(token)
        if token.type == "link_close":
            is_dropped = False
    return kept


def _address(written: str) -> str | None:
    """Where a link of a document leads on the site; None for what only the repository has."""
    path, mark, anchor = written.partition("#")
    if not path or "://" in path:
        return written
    path = normpath(path)
    name = path.removesuffix(".md")
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if path.endswith(".md") and name in document_names():
        return f"/docs/{name}{mark}{anchor}"
    return f"/docs/{path}" if path in attachments() else None
