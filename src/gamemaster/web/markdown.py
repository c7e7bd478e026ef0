"""Markdown of a game's folder -> HTML: no tags of its own, and no address that runs anything."""

from __future__ import annotations

from functools import lru_cache

from markdown_it import MarkdownIt

__all__ = ["markdown_html"]

_reader = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=256)
def markdown_html(text: str) -> str:
    """A description as HTML; what it has of HTML is shown as text."""
    return str(_reader.render(text))
