"""Messages of an editor -> what is done about each.

Texts change here, on the loop, one message after the other; each question is answered for the text as it was when the
question came, in a thread, so that the next message need not wait. Checks have a process of their own (`checking`).
"""

from __future__ import annotations

import logging

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gamemaster.editing.language_server import questions
from gamemaster.editing.language_server.messages import LEGEND
from gamemaster.editing.language_server.rules_server import LONGEST_PLAY, PLAY, RulesServer
from gamemaster.editing.lines import Encoding

__all__ = ["create_server"]

ENCODINGS: dict[str, Encoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
"""How editors may count characters; most have no choice but UTF-16."""


def create_server() -> RulesServer:
    """A server that answers all it can."""
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_no_refusal)
    server = RulesServer()
    server.feature(types.INITIALIZE)(_begin)
    server.feature(types.SHUTDOWN)(_leave)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(_opened)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(_changed)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(_saved)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(_closed)
    server.command("gamemaster.play")(_play)
    server.feature(types.TEXT_DOCUMENT_HOVER)(questions.answer_hover)
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(questions.answer_definition)
    server.feature(types.TEXT_DOCUMENT_REFERENCES)(questions.answer_references)
    options = types.CompletionOptions(trigger_characters=["(", "?"])
    server.feature(types.TEXT_DOCUMENT_COMPLETION, options)(questions.answer_completion)
    server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(questions.answer_prepare_rename)
    server.feature(types.TEXT_DOCUMENT_RENAME)(questions.answer_rename)
    server.feature(types.TEXT_DOCUMENT_FORMATTING)(questions.answer_formatting)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(questions.answer_outline)
    server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)(questions.answer_colours)
    return server


def _is_no_refusal(record: logging.LogRecord) -> bool:
    """Whether something is worth a line in the log: what is refused is said to who asked."""
    return not (record.exc_info and isinstance(record.exc_info[1], JsonRpcException))


def _begin(ls: RulesServer, params: types.InitializeParams) -> None:
    """Hear how the editor counts, and how long it wants to play."""
    ls.documents.encoding = ENCODINGS.get(ls.workspace.position_encoding or "", "utf-16")
    options = params.initialization_options
    play = options.get("play", PLAY) if isinstance(options, dict) else PLAY
    ls.playing.play = min(max(float(play), 0.0), LONGEST_PLAY / 2) if isinstance(play, int | float) else PLAY


def _opened(ls: RulesServer, params: types.DidOpenTextDocumentParams) -> None:
    """A text is open."""
    document = params.text_document
    ls.documents.open(document.uri, document.version, document.text)
    ls.typing.want(document.uri)


def _changed(ls: RulesServer, params: types.DidChangeTextDocumentParams) -> None:
    """A text has changed."""
    uri = params.text_document.uri
    ls.documents.change(uri, params.text_document.version, params.content_changes)
    ls.typing.want(uri)
    ls.playing.forget(uri)


def _saved(ls: RulesServer, params: types.DidSaveTextDocumentParams) -> None:
    """A text is saved: a good moment to play."""
    _play(ls, params.text_document.uri)


def _play(ls: RulesServer, uri: str) -> None:
    """Play a game of a text at random, and say what that shows."""
    if ls.playing.play > 0:
        ls.playing.want(uri)


def _closed(ls: RulesServer, params: types.DidCloseTextDocumentParams) -> None:
    """A text is closed: nothing is said of it any more."""
    uri = params.text_document.uri
    ls.documents.close(uri)
    ls.typing.forget(uri)
    ls.playing.forget(uri)
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


async def _leave(ls: RulesServer, _: None) -> None:
    """The editor will go."""
    await ls.typing.close()
    await ls.playing.close()
