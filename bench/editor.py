"""From a key to what an editor shows: how long each function takes, through the language server, and on the site.

    python bench/editor.py [--keys 30] [--lines 30,300,3000] [--server] [--site] [--cpu]

Sheets are made of games of the library, in each notation: renamed copies below each other until there are enough lines.
A key is a letter in a comment at the end, so that every text is new and means the same. For each function it prints
the median and the 99th percentile in milliseconds, and the median as a multiple of just reading the text.
With --server also the time from the message that tells of a key to the findings, less the time that the server waits on
purpose, and from a question to its answer while findings are due. Where others use the machine, --cpu counts only the
functions' own time. With --site also the way of the page /editor, over HTTP and into a worker: from the question that a
key asks (behind the 120 ms that the page waits for the next one) to findings and colours, to completions, and to the
state with its board, which a page asks for behind the findings.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

import httpx
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from rich.console import Console
from rich.table import Table
from site_serving import served

from gamemaster import editing
from gamemaster.editing.language_server.rules_server import DELAY
from gamemaster.editing.sheets import edited_sheet, span_of
from gamemaster.games import find_rules
from gamemaster.language.notation import COMMENT_MARKS, read
from gamemaster.language.rules import Notation
from gamemaster.language.source import Source

__all__ = ["Times", "main", "sheet_of", "timed"]

GAMES: dict[Notation, str] = {"kif": "tron", "hrf": "chess", "epilog": "skirmish"}
KEPT = frozenset({"white", "black", "red", "blue"})
"""Names that stay what they are in every copy: the roles."""


def sheet_of(notation: Notation, lines: int) -> str:
    """A sheet of about so many lines: a game of the library, its beginning, or copies of it in other words."""
    text = find_rules(GAMES[notation]).read_text()
    length = text.count("\n") + 1
    if lines < length:
        sentences = edited_sheet(text, notation).sentences
        ends = [s.end for s in sentences if text.count("\n", 0, s.end) < lines]
        return text[: ends[-1]] + "\n"
    copies = [text]
    for number in range(1, round(lines / length)):
        copies.append(_in_other_words(text, notation, number))
    return "\n".join(copies)


def _in_other_words(text: str, notation: Notation, number: int) -> str:
    """A copy of a game in which all names of its own have a number."""
    sheet = edited_sheet(text, notation)
    own = [
        name
        for name in sheet.names
        if name.kind == "name" and not (sheet.is_word(name) or sheet.is_builtin(name) or name.text in KEPT)
    ]
    edits = [editing.TextEdit(span_of(name), f"{text[name.start : name.end]}{number}") for name in own]
    return editing.apply_edits(text, edits)


@dataclass(frozen=True)
class Times:
    """How long something took, each time, in milliseconds."""

    values: list[float]

    @property
    def median(self) -> float:
        """Half of them took less."""
        return statistics.median(self.values)

    @property
    def slowest(self) -> float:
        """The 99th percentile."""
        return sorted(self.values)[min(len(self.values) - 1, round(0.99 * len(self.values)))]


def keyed(text: str, notation: Notation, numbers: Iterator[int]) -> Iterator[str]:
    """The text after each of many keys: always another one, and the same rules."""
    for number in numbers:
        yield f"{text}{COMMENT_MARKS[notation]} {number}\n"


def timed(function: Callable[[str], object], texts: list[str], clock: Callable[[], float]) -> Times:
    """How long a function takes for each text."""
    values = []
    for text in texts:
        begun = clock()
        function(text)
        values.append(1000 * (clock() - begun))
    return Times(values)


def functions(text: str, notation: Notation) -> dict[str, Callable[[str], object]]:
    """What an editor asks, by name; those that point at something point at the middle."""
    names = edited_sheet(text, notation).names
    middle = names[len(names) // 2].start
    return {
        "read": lambda text: read(Source("rules", text), notation),
        "diagnostics": lambda text: editing.diagnostics(text, notation),
        "completions": lambda text: editing.completions(text, middle, notation),
        "hover": lambda text: editing.hover(text, middle, notation),
        "references": lambda text: editing.references(text, middle, notation),
        "tokens": lambda text: editing.tokens(text, notation),
        "symbols": lambda text: editing.symbols(text, notation),
        "format_sheet": lambda text: editing.format_sheet(text, notation),
    }


def measure(notation: Notation, lines: int, keys: int, clock: Callable[[], float]) -> dict[str, Times]:
    """How long each function takes on a sheet of so many lines."""
    text, numbers = sheet_of(notation, lines), count()
    found = {}
    for name, function in functions(text, notation).items():
        texts = [*keyed(text, notation, (next(numbers) for _ in range(keys)))]
        found[name] = timed(function, texts, clock)
    return found


# Through the language server


async def serve(notation: Notation, lines: int, keys: int) -> dict[str, Times]:
    """The time from a key to its findings, and to the answer to a question that is asked right behind it."""
    client, told = LanguageClient("bench", "1"), asyncio.Queue[types.PublishDiagnosticsParams]()
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: told.put_nowait(params))
    await client.start_io(sys.executable, "-m", "gamemaster", "lsp")
    await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
    client.initialized(types.InitializedParams())
    text, uri = sheet_of(notation, lines), f"file:///rules.{notation}"
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            types.TextDocumentItem(uri, notation, 0, text + COMMENT_MARKS[notation])
        )
    )
    await told.get()
    findings, answers = [], []
    end = types.Position(text.count("\n"), 1)
    for version in range(1, keys + 1):
        begun = time.perf_counter()
        change = types.TextDocumentContentChangePartial(range=types.Range(end, end), text="x")
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(version, uri), [change])
        )
        await client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(lines // 2, 1))
        )
        answers.append(1000 * (time.perf_counter() - begun))
        while (await told.get()).version != version:
            pass
        findings.append(1000 * (time.perf_counter() - begun - DELAY))
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call]
    return {"server: findings": Times(findings), "server: hover": Times(answers)}


# On the site


@contextmanager
def somebody() -> Iterator[httpx.Client]:
    """Somebody at a site of its own, whose workers have been asked before."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "gamemaster", "serve", "--port", "0", "--data", folder]
        with served(command) as (address, _), httpx.Client(base_url=address, timeout=120) as client:
            client.get("/standalone/tictactoe")
            yield client


def visit(client: httpx.Client, notation: Notation, lines: int, keys: int) -> dict[str, Times]:
    """The time from a question of the page to its answer, for each of many keys."""
    text, numbers = sheet_of(notation, lines), count()
    names = edited_sheet(text, notation).names
    at = names[len(names) // 2].start

    def answer(what: str, **wish: object) -> Callable[[str], object]:
        def ask(keyed_text: str) -> object:
            body = {"rules": keyed_text, "notation": notation, **wish}
            response = client.post(f"/editor/{what}.json", json=body)
            assert response.status_code == 200, response.text
            return response.json()

        return ask

    asked = {
        "site: findings": answer("look"),
        "site: completions": answer("complete", at=at),
        "site: state": answer("state"),
    }
    found = {}
    for name, ask in asked.items():
        for warm in keyed(text, notation, (next(numbers) for _ in range(3))):
            ask(warm)
        often = keys if name != "site: state" else max(5, keys // 5)
        texts = [*keyed(text, notation, (next(numbers) for _ in range(often)))]
        found[name] = timed(ask, texts, time.perf_counter)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keys", type=int, default=30)
    parser.add_argument("--lines", default="30,300,3000")
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--site", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    table = Table(title="milliseconds: median, 99th percentile, median in readings of the text")
    for column in ("notation", "lines", "what", "median", "99 %", "readings"):
        table.add_column(column, justify="right" if column in ("median", "99 %", "readings") else "left")
    for notation in GAMES:
        for lines in map(int, options.lines.split(",")):
            found = measure(notation, lines, options.keys, clock)
            if options.server:
                found |= asyncio.run(serve(notation, lines, options.keys))
            if options.site:
                with somebody() as client:
                    found |= visit(client, notation, lines, options.keys)
            for name, times in found.items():
                ratio = times.median / found["read"].median
                table.add_row(
                    notation,
                    f"{lines:,}",
                    name,
                    f"{times.median:.1f}",
                    f"{times.slowest:.1f}",
                    f"{ratio:.1f}",
                )
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
