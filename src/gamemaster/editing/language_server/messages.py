"""What the functions of `editing` give -> values of the protocol."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from gamemaster.editing.completing import Completion, CompletionKind
from gamemaster.editing.describing import Hover
from gamemaster.editing.diagnosing import Diagnostic
from gamemaster.editing.language_server.documents import OpenDocument
from gamemaster.editing.outline import OutlineEntry, OutlineKind
from gamemaster.editing.renaming import TextEdit
from gamemaster.editing.scanning import Colour, ColouredToken
from gamemaster.language.findings import Severity
from gamemaster.language.source import Span

__all__ = [
    "LEGEND",
    "completion_item",
    "diagnostic",
    "document_symbol",
    "hover_of",
    "locations",
    "semantic_tokens",
    "text_edits",
]

SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
COMPLETIONS: dict[CompletionKind, types.CompletionItemKind] = {
    "relation": types.CompletionItemKind.Function,
    "functor": types.CompletionItemKind.Struct,
    "constant": types.CompletionItemKind.Constant,
    "role": types.CompletionItemKind.EnumMember,
    "variable": types.CompletionItemKind.Variable,
    "word": types.CompletionItemKind.Keyword,
    "builtin": types.CompletionItemKind.Operator,
}
SYMBOLS: dict[OutlineKind, types.SymbolKind] = {
    "word": types.SymbolKind.Key,
    "relation": types.SymbolKind.Function,
    "move": types.SymbolKind.Event,
    "definition": types.SymbolKind.Operator,
}
COLOURS: dict[Colour, str] = {
    "comment": "comment",
    "string": "string",
    "variable": "variable",
    "number": "number",
    "word": "keyword",
    "relation": "function",
    "name": "enumMember",
    "mark": "operator",
}
LEGEND = types.SemanticTokensLegend(token_types=list(COLOURS.values()), token_modifiers=[])
NUMBERS = {colour: number for number, colour in enumerate(COLOURS)}
FADED = frozenset({"unused", "duplicate"})
"""Findings about what could as well not be there."""


def diagnostic(document: OpenDocument, found: Diagnostic) -> types.Diagnostic:
    """A finding, with what to do about it below."""
    return types.Diagnostic(
        range=document.range(found.span),
        message=f"{found.message}\nhelp: {found.hint}" if found.hint else found.message,
        severity=SEVERITIES[found.severity],
        code=found.code,
        source="gamemaster",
        tags=[types.DiagnosticTag.Unnecessary] if found.code in FADED else None,
    )


def hover_of(document: OpenDocument, found: Hover) -> types.Hover:
    """What stands somewhere, as text with a title."""
    title = f"```{document.notation or 'text'}\n{found.title}\n```"
    value = "\n\n".join((title, found.meaning, *found.details))
    return types.Hover(
        contents=types.MarkupContent(kind=types.MarkupKind.Markdown, value=value),
        range=document.range(found.span),
    )


def completion_item(document: OpenDocument, rank: int, found: Completion) -> types.CompletionItem:
    """What may be written; editors sort by `rank`."""
    return types.CompletionItem(
        label=found.text,
        kind=COMPLETIONS[found.kind],
        detail=found.signature,
        documentation=found.meaning,
        sort_text=f"{rank:04}",
        text_edit=types.TextEdit(range=document.range(found.span), new_text=found.text),
    )


def document_symbol(document: OpenDocument, found: OutlineEntry) -> types.DocumentSymbol:
    """An entry of the outline."""
    return types.DocumentSymbol(
        name=found.name,
        kind=SYMBOLS[found.kind],
        range=document.range(found.span),
        selection_range=document.range(found.name_span),
        detail=found.detail,
    )


def locations(document: OpenDocument, spans: Iterable[Span]) -> list[types.Location]:
    """Places in a document."""
    return [types.Location(document.uri, document.range(span)) for span in spans]


def text_edits(document: OpenDocument, edits: Iterable[TextEdit]) -> list[types.TextEdit]:
    """What is to stand elsewhere, where."""
    return [types.TextEdit(document.range(edit.span), edit.text) for edit in edits]


def semantic_tokens(document: OpenDocument, found: Iterable[ColouredToken]) -> types.SemanticTokens:
    """Tokens as five numbers each: lines and columns from the one before, length, colour, nothing."""
    numbers: list[int] = []
    last_line = last_column = 0
    for token in found:
        line, column = document.lines.place(token.start, document.encoding)
        end = document.lines.place(token.end, document.encoding)[1]
        numbers += (
            line - last_line,
            column - (last_column if line == last_line else 0),
            end - column,
            NUMBERS[token.colour],
            0,
        )
        last_line, last_column = line, column
    return types.SemanticTokens(data=numbers)
