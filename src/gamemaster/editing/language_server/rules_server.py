"""The server as a value: what it has open, what it checks, and how a question becomes an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

from gamemaster.editing.diagnosing import Diagnostic
from gamemaster.editing.language_server import messages
from gamemaster.editing.language_server.checking import Checking
from gamemaster.editing.language_server.documents import Documents, OpenDocument
from gamemaster.errors import ParameterError

__all__ = ["DELAY", "LONGEST_PLAY", "PLAY", "RulesServer"]

DELAY = 0.1
"""Seconds from the last key to a check: who types goes on sooner."""

LONGEST_CHECK = 10.0
PLAY = 1.0
"""Seconds of random games when a sheet is saved; an editor may say otherwise, 0 for none."""

LONGEST_PLAY = 30.0
"""Seconds for these, with all that has to be made of the rules before."""

Answer = TypeVar("Answer")


class _RulesProtocol(LanguageServerProtocol):
    """The protocol, but for the texts: see `documents`."""

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Iterator[Any]:
        """Hand over."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        """Hand over."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Iterator[Any]:
        """Hand over."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None


class RulesServer(LanguageServer):
    """A server with the texts that are open, and what checks them."""

    def __init__(self) -> None:
        try:
            number = version("gamemaster")
        except PackageNotFoundError:
            number = "0"
        super().__init__("gamemaster", number, protocol_cls=_RulesProtocol)
        self.documents = Documents()
        self.typing = Checking(self.documents, self.publish, DELAY, LONGEST_CHECK)
        self.playing = Checking(self.documents, self.publish, 0.0, LONGEST_PLAY, play=PLAY, patience=0.0)

    def publish(self, document: OpenDocument, found: Sequence[Diagnostic]) -> None:
        """Tell the editor what was found in a version of a document."""
        told = [messages.diagnostic(document, each) for each in found]
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, told, document.version)
        )

    async def answer(self, uri: str, answer: Callable[[OpenDocument], Answer]) -> Answer | None:
        """What is answered for a document as it is now; nothing for one that is not open, an error for a refusal."""
        document = self.documents.get(uri)
        if document is None:
            return None
        try:
            return await asyncio.to_thread(answer, document)
        except ParameterError as error:
            raise JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed) from None
