"""What everybody who watches is told: numbered, once, and nobody is waited for."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from gamemaster.web.live.feeds import MOST_UNREAD, Feed, Item, Reader


def told(reader: Reader) -> list[dict[str, Any]]:
    """All that waits for a reader."""
    found = []
    while not reader.queue.empty():
        found.append(json.loads(reader.queue.get_nowait()))
    return found


def now(**parts: str) -> dict[str, object]:
    return {"parts": parts, "step": len(parts)}


def feed_with(*moves: str) -> Feed:
    feed = Feed()
    for move in moves:
        feed.add(Item("moves", move))
    feed.publish(now(board="<svg>"))
    return feed


def test_what_is_added_is_numbered_and_told_once() -> None:
    feed, reader = feed_with("a", "b"), Reader()
    feed.join(reader, 0)
    feed.add(Item("moves", "c"))
    feed.add(Item("transcript", "said"))
    feed.add(Item("moves", "d"))
    feed.publish(now(board="<svg>"))
    feed.publish(now(board="<svg>"))  # nothing is new
    first, second = told(reader)
    assert (first["after"], first["number"], first["append"]) == (0, 2, {"moves": "ab"})
    assert (second["after"], second["number"]) == (2, 5)
    assert second["append"] == {"moves": "cd", "transcript": "said"}


def test_only_parts_that_differ_are_told_again() -> None:
    feed, reader = feed_with(), Reader()
    feed.join(reader, 0)
    feed.publish(now(board="<svg>", status="x to move"))
    feed.publish(now(board="<g>", status="x to move"))
    first, second, third = told(reader)
    assert first["parts"] == {"board": "<svg>"}
    assert second["parts"] == {"status": "x to move"}
    assert third["parts"] == {"board": "<g>"}
    assert third["step"] == 2


def test_who_comes_again_gets_what_is_missing() -> None:
    feed = feed_with("a", "b", "c")
    for after, append in ((1, "bc"), (3, None), (0, "abc")):
        reader = Reader()
        feed.join(reader, after, feed.marks[after - 1] if after else "")
        (message,) = told(reader)
        assert message["after"] == after
        assert message["append"] == ({"moves": append} if append else {})
        assert message["parts"] == {"board": "<svg>"}


def test_who_knows_more_than_there_is_gets_everything() -> None:
    feed = feed_with("a", "b")
    for after in (3, 10**30, -1, -(10**30)):
        reader = Reader()
        feed.join(reader, after)
        (message,) = told(reader)
        assert (message["after"], message["append"]) == (0, {"moves": "ab"})


def test_what_is_not_told_yet_comes_with_the_next_message_and_not_twice() -> None:
    feed, early, late = feed_with("a"), Reader(), Reader()
    feed.join(early, 0)
    feed.add(Item("moves", "b"))
    feed.join(late, 0)
    assert feed.html_of("moves") == "a"
    feed.publish(now(board="<svg>"))
    for reader in (early, late):
        assert "".join(message["append"].get("moves", "") for message in told(reader)) == "ab"
    assert feed.html_of("moves") == "ab"
    assert feed.html_of("transcript") == ""


def test_a_message_is_made_once_for_all() -> None:
    feed, readers = feed_with(), [Reader() for _ in range(3)]
    for reader in readers:
        feed.join(reader, 0)
        told(reader)
    feed.publish(now(board="<g>"))
    texts = [reader.queue.get_nowait() for reader in readers]
    assert texts[0] is texts[1] is texts[2]


def test_who_does_not_read_is_dropped_and_the_others_are_told() -> None:
    feed, reading, sleeping = feed_with(), Reader(), Reader()
    feed.join(reading, 0)
    feed.join(sleeping, 0)
    heard = 0
    for number in range(3 * MOST_UNREAD):
        feed.add(Item("moves", str(number)))
        feed.publish(now(board=str(number)))
        heard += len(told(reading))
    assert heard == 3 * MOST_UNREAD + 1
    assert feed.readers == {reading}
    assert sleeping.is_dropped.is_set()
    assert sleeping.queue.qsize() == MOST_UNREAD
    assert not reading.is_dropped.is_set()


def test_nothing_is_made_where_nobody_reads() -> None:
    feed = feed_with("a")
    feed.message = None  # type: ignore[assignment,method-assign]
    feed.add(Item("moves", "b"))
    feed.publish(now(board="<g>"))
    assert feed.told == 2


def test_a_dropped_reader_is_woken() -> None:
    async def scene() -> None:
        feed, reader = feed_with(), Reader()
        feed.join(reader, 0)
        waiting = asyncio.create_task(reader.is_dropped.wait())
        for number in range(MOST_UNREAD):
            feed.publish(now(board=str(number)))
        async with asyncio.timeout(5):
            assert await waiting

    asyncio.run(scene())


def test_who_knows_other_lists_gets_all_of_these() -> None:
    known = feed_with("a", "b")
    feed = feed_with("a", "c", "d")
    for mark in (known.marks[1], "", "nothing"):
        reader = Reader()
        feed.join(reader, 2, mark)
        (message,) = told(reader)
        assert (message["after"], message["append"]) == (0, {"moves": "acd"})
    feed.rewrite([Item("moves", "a"), Item("moves", "b")])
    assert feed.marks == known.marks
    assert feed.told == 0
