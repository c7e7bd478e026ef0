"""Questions of an editor -> calls of `editing`, and the answers as messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from lsprotocol import types

from gamemaster.editing.completing import completions
from gamemaster.editing.describing import hover
from gamemaster.editing.language_server import messages
from gamemaster.editing.language_server.documents import OpenDocument
from gamemaster.editing.language_server.rules_server import RulesServer
from gamemaster.editing.layout import format_sheet
from gamemaster.editing.outline import symbols
from gamemaster.editing.renaming import TextEdit, definition, references, rename, renamed_span
from gamemaster.editing.scanning import tokens
from gamemaster.language.source import Span

__all__ = [
    "answer_colours",
    "answer_completion",
    "answer_definition",
    "answer_formatting",
    "answer_hover",
    "answer_outline",
    "answer_prepare_rename",
    "answer_references",
    "answer_rename",
]


async def answer_hover(ls: RulesServer, params: types.HoverParams) -> types.Hover | None:
    """What stands at a place."""

    def answer(document: OpenDocument) -> types.Hover | None:
        found = hover(document.text, document.offset(params.position), document.notation)
        return messages.hover_of(document, found) if found else None

    return await ls.answer(params.text_document.uri, answer)


async def answer_definition(ls: RulesServer, params: types.DefinitionParams) -> list[types.Location] | None:
    """Where it is said what a name means."""
    return await ls.answer(params.text_document.uri, partial(_places, definition, params.position))


async def answer_references(ls: RulesServer, params: types.ReferenceParams) -> list[types.Location] | None:
    """Where a name stands; without where it is defined, if the editor says so."""

    def answer(document: OpenDocument) -> list[types.Location]:
        found = _places(references, params.position, document)
        if params.context.include_declaration:
            return found
        defined = _places(definition, params.position, document)
        return [place for place in found if place not in defined]

    return await ls.answer(params.text_document.uri, answer)


async def answer_completion(
    ls: RulesServer, params: types.CompletionParams
) -> list[types.CompletionItem] | None:
    """What may be written at a place."""

    def answer(document: OpenDocument) -> list[types.CompletionItem]:
        found = completions(document.text, document.offset(params.position), document.notation)
        return [messages.completion_item(document, rank, each) for rank, each in enumerate(found)]

    return await ls.answer(params.text_document.uri, answer)


async def answer_prepare_rename(ls: RulesServer, params: types.PrepareRenameParams) -> types.Range | None:
    """What would be renamed."""

    def answer(document: OpenDocument) -> types.Range:
        offset = document.offset(params.position)
        return document.range(renamed_span(document.text, offset, document.notation))

    return await ls.answer(params.text_document.uri, answer)


async def answer_rename(ls: RulesServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """What to change so that a name is another."""

    def answer(document: OpenDocument) -> types.WorkspaceEdit:
        offset = document.offset(params.position)
        edits = rename(document.text, offset, params.new_name, document.notation)
        return types.WorkspaceEdit(changes={document.uri: messages.text_edits(document, edits)})

    return await ls.answer(params.text_document.uri, answer)


async def answer_formatting(
    ls: RulesServer, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    """The house's layout, in one edit; the house says how far to indent."""

    def answer(document: OpenDocument) -> list[types.TextEdit]:
        text = document.text
        laid = format_sheet(text, document.notation)
        edits = [TextEdit(Span(0, len(text)), laid)] if laid != text else []
        return messages.text_edits(document, edits)

    return await ls.answer(params.text_document.uri, answer)


async def answer_outline(
    ls: RulesServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    """What a text speaks of."""

    def answer(document: OpenDocument) -> list[types.DocumentSymbol]:
        found = symbols(document.text, document.notation)
        return [messages.document_symbol(document, each) for each in found]

    return await ls.answer(params.text_document.uri, answer)


async def answer_colours(ls: RulesServer, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    """What each token is."""

    def answer(document: OpenDocument) -> types.SemanticTokens:
        return messages.semantic_tokens(document, tokens(document.text, document.notation))

    return await ls.answer(params.text_document.uri, answer)


def _places(
    find: Callable[..., Sequence[Span]], position: types.Position, document: OpenDocument
) -> list[types.Location]:
    found = find(document.text, document.offset(position), document.notation)
    return messages.locations(document, found)
