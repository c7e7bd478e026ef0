"""docs/protocol.md and docs/records.md say what the code does."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from gamemaster.errors import MessageError
from gamemaster.language.terms import MAX_DEPTH
from gamemaster.match import events, listening, serving
from gamemaster.match.records.verifying import ENDINGS
from gamemaster.match.request import Reply
from gamemaster.match.transports.http_client import _head
from gamemaster.match.transports.http_reading import MAX_HEAD, MAX_PIECES
from gamemaster.match.transports.lines import (
    reply_from_line,
    reply_to_line,
    request_from_line,
    request_to_line,
)
from gamemaster.match.transports.transport import MAX_REPLY
from gamemaster.match.transports.websocket import MOST_VISITORS
from gamemaster.match.wire.heading import SHORT
from gamemaster.match.wire.messages import MAX_SIZE, MAX_WORDS, print_message, read_message
from gamemaster.match.wire.protocol import Era
from tests.match.spoken import REPLIES, REQUESTS

DOCS = Path(__file__).parents[2] / "docs"
PROTOCOL = (DOCS / "protocol.md").read_text(encoding="utf-8")
RECORDS = (DOCS / "records.md").read_text(encoding="utf-8")


def tables(text: str, title: str) -> list[dict[str, str]]:
    """The tables whose first column has that title: what stands behind each name."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()]
        if rows[0][0] == title:
            found.append({name.strip("`"): meaning for name, meaning in rows[2:]})
    return found


def examples(kind: str) -> list[str]:
    """The lines of the code blocks of a kind."""
    blocks = re.findall(rf"^```{kind}\n(.*?)^```", PROTOCOL, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize(
    ("title", "table"), [("request", REQUESTS), ("reply", REPLIES), ("fault", events.FAULTS)]
)
def test_every_request_reply_and_fault_is_described(title: str, table: dict[str, str]) -> None:
    assert tables(PROTOCOL, title) == [table]


def test_lines_of_json_are_as_described() -> None:
    start, play, reply = examples("json")
    for line in (start, play):
        assert json.loads(request_to_line(request_from_line(line))) == json.loads(line)
    found = reply_from_line(reply)
    assert isinstance(found, Reply)
    assert reply_to_line(found) == reply


def test_every_era_is_described() -> None:
    assert [list(table) for table in tables(PROTOCOL, "era")] == [[era.value for era in Era]]


@pytest.mark.parametrize("era", Era)
def test_every_example_is_read_and_printed_letter_for_letter(era: Era) -> None:
    found = examples(era.value)
    assert len(found) >= 5
    for text in found:
        read_era, message = read_message(text)
        assert read_era is era, text
        assert print_message(message, era) == text


@pytest.mark.parametrize("request_name", REQUESTS)
def test_every_request_has_an_example_in_the_eras_that_differ(request_name: str) -> None:
    section = PROTOCOL.split(f"### {request_name}\n")[1].split("\n## ")[0].split("\n### ")[0]
    assert {"kif", "ids", "envelope"} <= set(re.findall(r"^```(\w+)", section, re.MULTILINE))


def test_what_is_refused_is_refused() -> None:
    assert len(examples("refused")) == 3
    for text in examples("refused"):
        with pytest.raises(MessageError, match="at character"):
            read_message(text)


def test_the_limits_are_those_of_the_code() -> None:
    for limit in (f"{MAX_SIZE:,}", f"{MAX_WORDS:,} words", f"{MAX_DEPTH} levels"):
        assert limit in PROTOCOL


def test_the_limits_of_http_are_those_of_the_code() -> None:
    section = PROTOCOL.split("## Over HTTP\n")[1].split("\n## ")[0]
    limits = (
        f"may have {MAX_HEAD:,} bytes, its body {MAX_REPLY:,}, in at most {MAX_PIECES:,} chunks",
        f"first {SHORT:,} characters",
        f"more than {serving.LONGEST_CLOCK:,.0f} seconds counts as {serving.LONGEST_CLOCK:,.0f}",
        f"and {serving.GONE_SECONDS:.0f} seconds more",
        f"{listening.MOST_CONNECTIONS} connections are open, and {listening.MOST_BYTES:,} bytes",
        f"within {listening.HEAD_SECONDS:.0f} seconds, the rest within {listening.BODY_SECONDS:.0f} more",
        f"{serving.MOST_WAITING} messages wait",
        f"{serving.MOST_LEFT} players of earlier matches",
    )
    words = " ".join(section.split())
    assert [limit for limit in limits if limit not in words] == []
    assert f"At most {MOST_VISITORS} connections are open" in PROTOCOL
    assert examples("http") == _head("127.0.0.1", 13).decode().splitlines()[:-1]


def test_every_event_and_field_is_described() -> None:
    kinds = [
        kind
        for kind in vars(events).values()
        if isinstance(kind, type) and kind in events.Event.__subclasses__()
    ]
    assert len(kinds) == 11
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", RECORDS, re.M | re.S))
    assert sorted(sections) == sorted(events.TAGS[kind] for kind in kinds)
    for kind in kinds:
        (table,) = tables(sections[events.TAGS[kind]], "field") or [{}]
        assert list(table) == [each.name for each in fields(kind) if each.name != "time"]
        assert all(table.values())


def test_every_ending_is_described() -> None:
    assert tables(RECORDS, "ending") == [ENDINGS]
