"""The texts that an editor has open, as it says that they change; places as it counts them.

They are kept here and not by the library, which takes form feeds for line ends and goes through all lines for each key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from gamemaster.editing.lines import Encoding, TextLines
from gamemaster.language.rules import Notation
from gamemaster.language.source import Span

__all__ = ["Documents", "OpenDocument", "notation_named"]

ENDINGS: dict[str, Notation] = {".kif": "kif", ".hrf": "hrf", ".epilog": "epilog"}


def notation_named(uri: str) -> Notation | None:
    """The notation that the name of a file says; None for one that says nothing of it."""
    return ENDINGS.get(PurePosixPath(unquote(urlsplit(uri).path)).suffix.lower())


@dataclass(frozen=True)
class OpenDocument:
    """A text that is open, in one of its versions."""

    uri: str
    version: int
    lines: TextLines
    encoding: Encoding

    @property
    def text(self) -> str:
        """All of it."""
        return self.lines.text

    @property
    def notation(self) -> Notation | None:
        """The notation that its name says."""
        return notation_named(self.uri)

    def offset(self, position: types.Position) -> int:
        """The offset of a place."""
        return self.lines.offset(position.line, position.character, self.encoding)

    def range(self, span: Span) -> types.Range:
        """The places of a span."""
        return types.Range(
            *(types.Position(*self.lines.place(offset, self.encoding)) for offset in (span.start, span.end))
        )

    def changed(self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> OpenDocument:
        """The document after changes, one after the other."""
        document = self
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = document.offset(change.range.start), document.offset(change.range.end)
                lines = document.lines.replaced(min(start, end), max(start, end), change.text)
            else:
                lines = TextLines.split(change.text)
            document = OpenDocument(self.uri, version, lines, self.encoding)
        return document


@dataclass
class Documents:
    """All that are open, by their addresses."""

    encoding: Encoding = "utf-16"
    _open: dict[str, OpenDocument] = field(default_factory=dict)

    def open(self, uri: str, version: int, text: str) -> None:
        """Begin with a text."""
        self._open[uri] = OpenDocument(uri, version, TextLines.split(text), self.encoding)

    def change(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        """Go on with a text; changes of one that is not open are nothing."""
        if document := self._open.get(uri):
            self._open[uri] = document.changed(version, changes)

    def close(self, uri: str) -> None:
        """Forget a text."""
        self._open.pop(uri, None)

    def get(self, uri: str) -> OpenDocument | None:
        """The text at an address, as it is now."""
        return self._open.get(uri)
