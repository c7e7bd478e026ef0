"""The language server as an editor meets it: a process, its standard input and output, and a client of the protocol."""

from __future__ import annotations

import asyncio
import builtins
import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from typer.testing import CliRunner

from gamemaster.cli import app
from gamemaster.editing.language_server.documents import Documents, notation_named
from gamemaster.editing.language_server.start import serve_editor
from gamemaster.errors import NotInstalled
from tests.editing.sheets import EPILOG, HRF, KIF, LIBRARY

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pygls")

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 60.0
"""Seconds for an answer, on a machine however busy."""

URI = "file:///games/nim/rules.hrf"
OTHER = HRF.splitlines()[9].index("other")
ENDLESS = """
role(x) init(n(0)) legal(x,go) goal(x,100) terminal :- true(n(-1))
number(0) number(N) :- number(M) & plus(M,1,N)
next(n(N)) :- true(n(M)) & plus(M,1,N) & number(N)
"""


@dataclass
class Editor:
    """A client, and what it was told."""

    client: LanguageClient
    told: asyncio.Queue[types.PublishDiagnosticsParams] = field(default_factory=asyncio.Queue)
    version: int = 0

    def open(self, text: str, uri: str = URI) -> None:
        item = types.TextDocumentItem(uri, "gamemaster", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, text: str, line: int, start: int, end: int, uri: str = URI) -> None:
        """Replace a part of a line, as a key does."""
        self.version += 1
        span = types.Range(types.Position(line, start), types.Position(line, end))
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, uri),
                [types.TextDocumentContentChangePartial(range=span, text=text)],
            )
        )

    def write(self, text: str, uri: str = URI) -> None:
        """Replace all of it."""
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def save(self, uri: str = URI) -> None:
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    async def hear(self) -> types.PublishDiagnosticsParams:
        """What it is told next, of the last version."""
        async with asyncio.timeout(PATIENCE):
            while True:
                told = await self.told.get()
                if told.version in (None, self.version):
                    return told

    async def hover(self, line: int, column: int, uri: str = URI) -> types.Hover | None:
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, column))
        async with asyncio.timeout(PATIENCE):
            return await self.client.text_document_hover_async(params)


@asynccontextmanager
async def editor(options: object = None, encodings: list[str] | None = None) -> AsyncIterator[Editor]:
    """An editor with a server, until both say good-bye."""
    client = LanguageClient("test", "1")
    with_one = Editor(client)

    def hear(params: types.PublishDiagnosticsParams) -> None:
        with_one.told.put_nowait(params)

    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(hear)
    await client.start_io(sys.executable, "-m", "gamemaster", "lsp", "--stdio")
    capabilities = types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=encodings),
        text_document=types.TextDocumentClientCapabilities(
            rename=types.RenameClientCapabilities(prepare_support=True)
        ),
    )
    params = types.InitializeParams(capabilities=capabilities, initialization_options=options)
    async with asyncio.timeout(PATIENCE):
        await client.initialize_async(params)
    client.initialized(types.InitializedParams())
    try:
        yield with_one
    finally:
        async with asyncio.timeout(PATIENCE):
            await client.shutdown_async(None)
            client.exit(None)
            await client.stop()  # type: ignore[no-untyped-call]
    server = client._server
    assert server is not None
    assert server.returncode == 0
    assert server.stderr is not None
    assert (await server.stderr.read()).decode() == ""


def with_editor(talk: Callable[[Editor], Coroutine[Any, Any, None]], **settings: Any) -> None:
    async def run() -> None:
        async with editor(**settings) as one:
            await talk(one)

    asyncio.run(run())


def at(line: int, column: int) -> dict[str, Any]:
    return {"text_document": types.TextDocumentIdentifier(URI), "position": types.Position(line, column)}


def test_a_mistake_is_told_mended_and_cleared() -> None:
    async def talk(one: Editor) -> None:
        wrong = HRF.replace("succ(N,M)", "sucx(N,M)")
        one.open(wrong)
        told = await one.hear()
        line = wrong.splitlines().index("next(pile(N)) :- true(pile(M)) & sucx(N,M)")
        column = wrong.splitlines()[line].index("sucx")
        (found,) = [d for d in told.diagnostics if d.code == "undefined"]
        assert found.range == types.Range(types.Position(line, column), types.Position(line, column + 4))
        assert found.severity == types.DiagnosticSeverity.Warning
        assert found.source == "gamemaster"
        assert "help: " in found.message
        one.type("succ", line, column, column + 4)
        assert (await one.hear()).diagnostics == ()
        one.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(URI))
        )
        assert (await one.hear()).diagnostics == ()
        assert await one.hover(line, column) is None

    with_editor(talk)


def test_questions_are_answered() -> None:
    async def talk(one: Editor) -> None:
        one.open(HRF)
        client = one.client
        shown = await one.hover(8, HRF.splitlines()[8].index("succ"))
        assert shown is not None
        assert isinstance(shown.contents, types.MarkupContent)
        assert "succ(N,M)" in shown.contents.value
        found = await client.text_document_definition_async(types.DefinitionParams(**at(9, OTHER)))
        assert isinstance(found, list | tuple)
        assert [place.range.start.line for place in found if isinstance(place, types.Location)] == [4, 4]
        uses = await client.text_document_references_async(
            types.ReferenceParams(context=types.ReferenceContext(False), **at(9, OTHER))
        )
        assert uses is not None
        assert [place.range.start.line for place in uses] == [9]
        items = await client.text_document_completion_async(types.CompletionParams(**at(9, OTHER + 3)))
        assert isinstance(items, list | tuple)
        assert [item.label for item in items] == ["other"]
        outline = await client.text_document_document_symbol_async(
            types.DocumentSymbolParams(types.TextDocumentIdentifier(URI))
        )
        assert outline
        assert outline[0].name == "role/1"
        tokens = await client.text_document_semantic_tokens_full_async(
            types.SemanticTokensParams(types.TextDocumentIdentifier(URI))
        )
        assert tokens is not None
        assert list(tokens.data[:10]) == [0, 0, 5, 0, 0, 1, 0, 4, 4, 0]

    with_editor(talk)


def test_names_are_changed_or_refused() -> None:
    async def talk(one: Editor) -> None:
        one.open(HRF)
        client = one.client
        place = await client.text_document_prepare_rename_async(types.PrepareRenameParams(**at(3, 1)))
        assert place == types.Range(types.Position(3, 0), types.Position(3, 4))
        change = await client.text_document_rename_async(types.RenameParams(new_name="after", **at(3, 1)))
        assert change is not None
        assert change.changes is not None
        assert [edit.new_text for edit in change.changes[URI]] == ["after"] * 4
        with pytest.raises(JsonRpcException, match="role is a word of the language"):
            await client.text_document_prepare_rename_async(types.PrepareRenameParams(**at(1, 1)))
        with pytest.raises(JsonRpcException, match="other is in the sheet already"):
            await client.text_document_rename_async(types.RenameParams(new_name="other", **at(3, 1)))

    with_editor(talk)


def test_a_text_is_laid_out_once() -> None:
    async def talk(one: Editor) -> None:
        one.open("role( x )\n\n\n")
        params = types.DocumentFormattingParams(
            types.TextDocumentIdentifier(URI), types.FormattingOptions(tab_size=2, insert_spaces=True)
        )
        edits = await one.client.text_document_formatting_async(params)
        assert edits is not None
        assert [(edit.new_text, edit.range.end.line) for edit in edits] == [("role(x)\n", 3)]
        one.write("role(x)\n")
        assert await one.client.text_document_formatting_async(params) == ()

    with_editor(talk)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 12), ("utf-16", 9), ("utf-32", 8)])
def test_places_are_counted_as_the_editor_counts(encoding: str, column: int) -> None:
    async def talk(one: Editor) -> None:
        one.open('% 😀\x0c form feed\np("é😀") q(b)\n')
        shown = await one.hover(1, column)
        assert shown is not None
        assert shown.range == types.Range(types.Position(1, column), types.Position(1, column + 1))

    with_editor(talk, encodings=[encoding])


def test_games_are_played_when_a_sheet_is_saved_or_somebody_asks() -> None:
    async def talk(one: Editor) -> None:
        never_over = KIF.replace("(<= terminal (true (pile 0)))", "(<= terminal (true (pile 9)))")
        uri = "file:///nim.kif"
        one.open(never_over, uri)
        before = {d.code for d in (await one.hear()).diagnostics}
        one.save(uri)
        played = {d.code for d in (await one.hear()).diagnostics}
        assert played - before
        await one.client.workspace_execute_command_async(
            types.ExecuteCommandParams("gamemaster.play", arguments=[uri])
        )
        assert {d.code for d in (await one.hear()).diagnostics} == played

    with_editor(talk, options={"play": 0.3})


def test_who_wants_no_games_has_none() -> None:
    async def talk(one: Editor) -> None:
        one.open(HRF)
        await one.hear()
        one.save()
        one.write(HRF + "unused(a)\n")
        assert [d.code for d in (await one.hear()).diagnostics] == ["unused"]

    with_editor(talk, options={"play": 0})


# Hostile texts


def test_a_huge_text_and_a_thousand_keys_hold_up_nobody() -> None:
    async def talk(one: Editor) -> None:
        one.open("p(a)\n" * 800_000)
        assert [d.code for d in (await one.hear()).diagnostics] == ["limit"]
        for _ in range(20):
            one.type("x", 400_000, 0, 0)
        assert await one.hover(1, 1) is None
        text, _ = LIBRARY["chess"]
        one.write(text)
        for number in range(1000):
            one.type("x" if number % 2 else "", 0, 2, 2 + (number % 2 == 0 and number > 0))
        assert await one.hover(17, 2) is not None
        assert (await one.hear()).diagnostics == ()

    with_editor(talk)


def test_a_game_without_end_holds_up_nobody() -> None:
    async def talk(one: Editor) -> None:
        one.open(ENDLESS)
        await one.hear()
        one.save()
        assert await one.hover(1, 1) is not None
        one.write(HRF)
        assert (await one.hear()).diagnostics == ()
        assert await one.hover(1, 1) is not None

    with_editor(talk, options={"play": 10})


def test_texts_that_are_none_of_ours_are_no_trouble() -> None:
    async def talk(one: Editor) -> None:
        assert await one.hover(0, 0) is None
        one.type("x", 0, 0, 0)
        one.save()
        one.open(EPILOG, "untitled:Untitled-1")
        assert (await one.hear()).diagnostics == ()

    with_editor(talk)


# What is around it


@pytest.mark.parametrize(
    ("uri", "notation"),
    [
        ("file:///a/rules.kif", "kif"),
        ("file:///a%20b/RULES.HRF", "hrf"),
        ("file:///c%3A/x.epilog?x=y", "epilog"),
        ("untitled:Untitled-1", None),
        ("file:///rules.txt", None),
    ],
)
def test_the_name_of_a_file_says_its_notation(uri: str, notation: str | None) -> None:
    assert notation_named(uri) == notation


def test_changes_of_a_text_that_is_not_open_are_nothing() -> None:
    documents = Documents()
    documents.change("x", 1, [types.TextDocumentContentChangeWholeDocument("p(a)")])
    assert documents.get("x") is None


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *arguments: Any, **named: Any) -> Any:
        if name == "pygls":
            raise ImportError(name)
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(NotInstalled, match=r"pip install 'gamemaster\[lsp\]'"):
        serve_editor()
    result = CliRunner().invoke(app, ["lsp"])
    assert result.exit_code == 1
    assert "gamemaster[lsp]" in result.stderr


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_page_of_editors_starts_the_server_for_all_notations() -> None:
    page = (ROOT / "docs" / "editors.md").read_text()
    package = json.loads(blocks(page, "json")[0])
    assert [each["id"] for each in package["contributes"]["languages"]] == ["kif", "hrf", "epilog"]
    for language in ("js", "lua", "elisp"):
        (block,) = blocks(page, language)
        assert re.search(r'"gamemaster".{1,12}"lsp"', block)
        assert all(notation in block for notation in ("kif", "hrf", "epilog"))
