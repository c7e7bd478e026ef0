"""`gamemaster show --svg | --png | --board` and `gamemaster replay --svg`: boards, to a file or standard output."""

from __future__ import annotations

import os
import random
import secrets
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gamemaster.draw.animation import draw_match
from gamemaster.draw.picture.beside import caption_of
from gamemaster.draw.png import png_of
from gamemaster.draw.reasons import new_facts
from gamemaster.draw.steps import board_after
from gamemaster.draw.svg import checked_size, checked_theme, draw_svg
from gamemaster.errors import IllegalMove, ParameterError, RecordError, StateError
from gamemaster.load import load
from gamemaster.machine.game import State
from gamemaster.machine.moves import follow, split_moves
from gamemaster.match.records.record import Record
from gamemaster.match.records.replay import Replay
from gamemaster.terminal.boards import show_state
from gamemaster.terminal.report import print_line
from gamemaster.terminal.screen import is_terminal

__all__ = [
    "PictureOrder",
    "check_picture_file",
    "draw_record",
    "print_board",
    "show_board",
    "write_picture",
    "write_whole",
]

LONGEST_NAME = 40
"""Of a name so much is in that of the file beside it: names have an end, and letters may be many bytes."""

SEED = 0
"""The same picture every time, for what is random."""


def check_picture_file(path: Path | None) -> None:
    """ParameterError where no picture can be written: else it would be told when all the work is done."""
    if path is not None and (path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK)):
        raise ParameterError(
            f"no picture can be written to {str(path)!r}; name a file in a folder that is there"
        )


@dataclass(frozen=True)
class PictureOrder:
    """What picture somebody wants, and where."""

    form: Literal["svg", "png"]
    theme: str | None = None
    size: int | None = None
    out: Path | None = None

    def __post_init__(self) -> None:
        checked_theme(self.theme)
        if self.size is not None:
            checked_size(self.size)
        if self.form == "png" and self.out is None and is_terminal():
            raise ParameterError("PNG is nothing for a terminal: name a file with --out")


def show_board(game: str, moves: str, steps: int, order: PictureOrder) -> None:
    """Draw a game: where it starts, or after moves, then so many random steps."""
    write_picture(_picture(*_position(game, moves, steps), order), order)


def print_board(game: str, moves: str, steps: int) -> None:
    """Print the same as a text, with what the last step changed in brackets."""
    before, state = _position(game, moves, steps)
    show_state(state, new_facts(before, state))


def _position(game: str, moves: str, steps: int) -> tuple[State | None, State]:
    """The state after moves, then so many random steps, and the one before it."""
    before, state = _after(load(game, machine="reference").initial_state(), split_moves(moves))
    generator = random.Random(SEED)
    for _ in range(steps):
        if not state.is_over:
            before, state = state, state.next(state.random_moves(generator))
    return before, state


def _after(start: State, moves: Sequence[str]) -> tuple[State | None, State]:
    """The last state but one, if the moves say which it is, and the state after all moves."""
    state, _ = follow(start, moves, random.Random(SEED))
    for fewer in range(len(moves) - 1, -1, -1):  # several roles may have moved at once
        with suppress(IllegalMove, StateError):
            before, _ = follow(start, moves[:fewer], random.Random(SEED))
            return (before if before.step == state.step - 1 else None), state
    return None, state


def draw_record(record: Record, step: int | None, order: PictureOrder) -> None:
    """Draw a match: all of it as an animation, or one step."""
    replay, last = Replay.of(record), len(record.moves)
    if step is not None and step > last:
        raise RecordError(f"no step {step}: the record has {last}")
    if step is not None:
        state = replay.state(step)
        if state is None:
            raise RecordError(f"the record has no state of step {step}")
        write_picture(_picture(replay.state(step - 1), state, order), order)
        return
    steps = [(number, state) for number in range(last + 1) if (state := replay.state(number)) is not None]
    if not steps:
        raise RecordError("the record has no states to draw")
    notes = [_note(replay, number) for number, _ in steps]
    states = [state for _, state in steps]
    write_picture(draw_match(states, notes, theme=checked_theme(order.theme), size=order.size), order)


def _note(replay: Replay, step: int) -> str:
    """Who did what to get to a step."""
    if not step:
        return ""
    moves = replay.record.moves[step - 1].moves
    return ", ".join(f"{replay.told(role)}: {replay.told(move)}" for role, move in moves.items())


def _picture(before: State | None, state: State, order: PictureOrder) -> str | bytes:
    theme = checked_theme(order.theme) or ("light" if order.form == "png" else None)
    board = board_after(before, state)
    svg = draw_svg(board, caption=caption_of(state), theme=theme, size=order.size)
    return png_of(svg) if order.form == "png" else svg


def write_picture(picture: str | bytes, order: PictureOrder, *, is_told: bool = True) -> None:
    """Write a picture where it was wished for, and tell how large a file it is."""
    content = picture.encode() + b"\n" if isinstance(picture, str) else picture
    if order.out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return
    write_whole(order.out, content)
    if is_told:
        print_line(f"{order.out}: {len(content):,} bytes")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, or leave what was there; OSError with its name, whatever goes wrong."""
    place = path.resolve()  # a link stays one
    is_replaceable = not place.exists() or (place.is_file() and os.access(place, os.W_OK))
    try:
        if is_replaceable and os.access(place.parent, os.W_OK):
            _write_aside(place, content)
        else:
            place.write_bytes(content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _write_aside(place: Path, content: bytes) -> None:
    """Write beside a file, and move it there when it is whole."""
    aside = place.with_name(f".{place.name[:LONGEST_NAME]}.{secrets.token_hex(4)}")
    try:
        with aside.open("xb") as file:
            file.write(content)
        if place.exists():
            shutil.copymode(place, aside)
        os.replace(aside, place)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
