"""How a match in a terminal is steered and left: keys that pause, go on and end, and signals that are no way to die.

SIGTERM is heard as Ctrl-C is: players are told, and the record can be gone on with.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gamemaster.match.manager import Manager

__all__ = ["KEYS", "Terminated", "can_steer", "conducted", "interrupts_told", "terminable"]

KEYS = {"p": "pause", "r": "resume", "e": "end", "a": "abort"}
"""What a key does to a match: methods of its manager."""

MOST_KEYS = 64


class Terminated(KeyboardInterrupt):
    """The system has asked us to end."""

    code = 128 + signal.SIGTERM


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM raises Terminated; only the main thread can hear it."""

    def leave(*_: object) -> None:
        raise Terminated

    try:
        before = signal.signal(signal.SIGTERM, leave)
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def interrupts_told(told: Callable[[], None]) -> Iterator[None]:
    """An interrupt is a call: raised where it falls, it leaves a loop half made, or a task that waits in its end."""
    try:
        before = signal.signal(signal.SIGINT, lambda *_: told())
    except ValueError:  # only the main thread hears it
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def can_steer() -> bool:
    """Whether somebody sits at a keyboard that is ours."""
    try:
        return sys.stdin.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False


def conducted(manager: Manager, *, is_steered: bool) -> None:
    """Run a match; Terminated where the system asked to end it."""
    if asyncio.run(_conducted(manager, is_steered=is_steered)):
        raise Terminated


async def _conducted(manager: Manager, *, is_steered: bool) -> bool:
    """Whether the match was left because the system asked for it."""
    match, is_terminated = asyncio.ensure_future(manager.conduct()), False

    def leave() -> None:
        nonlocal is_terminated
        is_terminated = True
        match.cancel()

    with _hearing(leave), _keys(manager) if is_steered else contextlib.nullcontext():
        try:
            await match
        except asyncio.CancelledError:
            if not is_terminated:
                raise
    return is_terminated


@contextmanager
def _hearing(leave: Callable[[], None]) -> Iterator[None]:
    """On SIGTERM the match is left, and its players are told before anything ends."""
    loop = asyncio.get_running_loop()
    before = signal.getsignal(signal.SIGTERM)
    try:
        loop.add_signal_handler(signal.SIGTERM, leave)
    except (ValueError, RuntimeError, NotImplementedError):  # not the main thread, or no such signals here
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _keys(manager: Manager) -> Iterator[None]:
    """Keys steer the match as soon as they are pressed; Ctrl-C stays what it is."""
    import termios
    import tty

    loop, keyboard = asyncio.get_running_loop(), sys.stdin.fileno()

    def press() -> None:
        for key in os.read(keyboard, MOST_KEYS).decode(errors="replace"):
            if act := KEYS.get(key.lower()):
                getattr(manager, act)()

    before = termios.tcgetattr(keyboard)
    tty.setcbreak(keyboard)
    loop.add_reader(keyboard, press)
    try:
        yield
    finally:
        loop.remove_reader(keyboard)
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
