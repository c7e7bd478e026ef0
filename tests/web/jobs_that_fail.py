"""Jobs for tests of workers: they end badly, or not at all."""

from __future__ import annotations

import os
import time

from gamemaster.errors import UnknownGame


def give(value: object) -> object:
    return value


def fail() -> None:
    raise UnknownGame("no such game")


def die() -> None:
    os._exit(3)


def eat() -> int:
    return len(bytearray(1 << 40))


def dive(depth: int = 0) -> int:
    return dive(depth + 1) + 1


def sleep_for_ever() -> None:
    time.sleep(10_000)
