"""Run by tests: processes that open a store at the same moment, or are killed while they write to it.

They are forks of this one, which has no threads: twenty of them take no longer than one that starts from nothing.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable

from gamemaster.store.connecting import connect, parse_address
from gamemaster.store.entries import MatchEntry, Seat
from gamemaster.store.matches import Store
from gamemaster.store.opening import open_store
from tests.store.made import made

ROUNDS = 20
PROCESSES = 8


def forked(work: Callable[[], None]) -> int:
    """The id of a process that does this and ends."""
    id = os.fork()
    if id:
        return id
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def version(number: int) -> MatchEntry:
    """A match all of whose parts tell the same number."""
    seats = tuple(Seat(f"r{each}", f"p{number}", "library", goal=number) for each in range(1 + number % 5))
    return made("m", steps=number, title=str(number), seats=seats)


def open_at_once(address: str) -> None:
    """Each of several processes opens a new store, and adds a match."""
    connect(parse_address(address)).dispose()  # so that none of them has to load the driver
    start = time.time() + 0.2

    def work(number: int) -> None:
        time.sleep(max(0.0, start - time.time()))
        store = open_store(address)
        store.add(made(f"m{number}"))
        store.close()

    processes = [forked(lambda number=number: work(number)) for number in range(PROCESSES)]  # type: ignore[misc]
    assert [os.waitpid(id, 0)[1] for id in processes] == [0] * PROCESSES


def kill_while_writing(address: str) -> None:
    """A process adds and replaces matches until it is killed; what it leaves is whole, and the next goes on with it."""
    store = open_store(address)
    store.add(version(0))
    store.close()
    numbers = []
    for turn in range(ROUNDS):
        reader, writer = os.pipe()
        id = forked(lambda turn=turn, writer=writer: write_forever(address, turn, writer))  # type: ignore[misc]
        os.close(writer)
        assert os.read(reader, 1) == b"."
        time.sleep(random.uniform(0, 0.03))
        os.kill(id, signal.SIGKILL)
        assert os.waitpid(id, 0)[1] == signal.SIGKILL
        os.close(reader)
        store = open_store(address)
        numbers.append(check(store, turn))
        store.close()
    assert numbers == sorted(set(numbers)), numbers  # every one has got further


def write_forever(address: str, turn: int, writer: int) -> None:
    store = open_store(address)
    found = store.find("m")
    assert found is not None
    number = found.steps
    while True:
        number += 1
        store.put(version(number))
        store.add(made(f"{turn}-{number}"))
        os.write(writer, b".") if number == found.steps + 1 else None


def check(store: Store, turn: int) -> int:
    """How far it has got; all that is there is whole."""
    found = store.find("m")
    assert found is not None
    assert found == version(found.steps), found
    for entry in store.unfinished():
        assert entry == made(entry.id) or entry.id == "m", entry
    return found.steps


if __name__ == "__main__":
    {"open": open_at_once, "kill": kill_while_writing}[sys.argv[1]](sys.argv[2])
