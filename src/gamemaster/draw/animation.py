"""The states of a match -> one SVG that shows them one after the other, again and again.

Whatever looks the same in many steps is written once, and told when to be seen; so a long match on a large board is
little more than its moves. It moves by a style sheet, stands still under the pointer, and for readers who want nothing
to move it is the last step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gamemaster.draw.model import Board
from gamemaster.draw.picture.beside import Caption, caption_of
from gamemaster.draw.picture.colours import Ink, Theme
from gamemaster.draw.picture.markup import MARKER, clip, short, tag
from gamemaster.draw.picture.words import board_in_words
from gamemaster.draw.steps import board_after
from gamemaster.draw.svg import Composition, checked_theme, compose, finished
from gamemaster.errors import LimitExceeded
from gamemaster.machine.game import State

__all__ = ["animate", "draw_match"]

MOST_FRAMES = 300
"""Of longer matches steps are left out, at equal distances."""

LARGEST = 8_000_000
"""Characters of a drawing."""

SECONDS, LAST_SECONDS = 1.0, 3.0
"""How long a step is seen, and how much longer the last one."""


def draw_match(
    states: Sequence[State],
    notes: Sequence[str] = (),
    *,
    theme: Theme | None = None,
    size: int | None = None,
    seconds: float = SECONDS,
) -> str:
    """An animation of states that follow each other; `notes` say what led to each of them."""
    return animate(_frames(states, notes), theme=theme, size=size, seconds=seconds)


def _frames(states: Sequence[State], notes: Sequence[str]) -> Iterator[tuple[Board, Caption]]:
    """What is seen one after the other, made when it is asked for."""
    for number in _chosen(len(states)):
        before = states[number - 1] if number else None
        note = notes[number] if number < len(notes) else ""
        yield board_after(before, states[number]), replace(caption_of(states[number]), note=note)


def _chosen(count: int) -> list[int]:
    """Which of so many steps are shown, the first and the last among them."""
    if count <= MOST_FRAMES:
        return list(range(count))
    return sorted({round(number * (count - 1) / (MOST_FRAMES - 1)) for number in range(MOST_FRAMES)})


def animate(
    boards: Iterable[tuple[Board, Caption]],
    *,
    theme: Theme | None = None,
    size: int | None = None,
    seconds: float = SECONDS,
) -> str:
    """An animation of boards with their captions, each seen so many seconds; LimitExceeded where it is too large."""
    ink, film = Ink(checked_theme(theme)), _Film()
    board, caption = Board(()), Caption()
    for board, caption in boards:
        film.add(compose(ink, board, caption))
    clock = _Clock(film.count, seconds)
    inner = "".join(_seen(clock, markup, where) for markup, where in film.pieces())
    _check(len(inner))
    title = f"{clip(caption.title, 100) or 'match'}, {film.count} steps one after the other"
    words = title, board_in_words(board, f"In the end: {caption.status}" if caption.status else "In the end")
    whole = Composition((), film.width, film.height)
    return finished(ink, whole, inner, words=words, size=size, style=clock.style())


def _check(size: int) -> None:
    if size > LARGEST:
        raise LimitExceeded("size", f"{LARGEST:,} characters", doing="drawing a match")


class _Film:
    """Frames one after the other: what they have in common is kept once."""

    def __init__(self) -> None:
        self.count = self.size = 0
        self.width = self.height = 1.0
        self._order: dict[str, dict[str, list[int]]] = {}

    def add(self, frame: Composition) -> None:
        """Take up a frame; LimitExceeded as soon as all together are too large."""
        for name, markup in frame.pieces:
            where = self._order.setdefault(name, {}).setdefault(markup, [])
            self.size += 0 if where else len(markup)
            where.append(self.count)
        self.count += 1
        self.width, self.height = max(self.width, frame.width), max(self.height, frame.height)
        _check(self.size)

    def pieces(self) -> Iterator[tuple[str, list[int]]]:
        """All pieces, each once, and the frames that have it; what lies below first."""
        for found in self._order.values():
            yield from found.items()


def _seen(clock: _Clock, markup: str, where: Sequence[int]) -> str:
    if len(where) == clock.count:
        return markup
    is_last = where[-1] == clock.count - 1
    return tag("g", markup, class_=clock.class_of(where), visibility=None if is_last else "hidden")


class _Clock:
    """When frames are seen: a class for each set of them, and the rules of those classes."""

    def __init__(self, count: int, seconds: float) -> None:
        self.count = count
        self.total = count * seconds + LAST_SECONDS
        self.share = 100 * seconds / self.total
        self._classes: dict[tuple[int, ...], str] = {}

    def class_of(self, where: Sequence[int]) -> str:
        """The class of what is seen in these frames, in their order."""
        return self._classes.setdefault(tuple(where), f"{MARKER}-k{len(self._classes)}")

    def style(self) -> str:
        """The rules of all classes."""
        if not self._classes:
            return ""
        rules = (self._rule(where, name) for where, name in self._classes.items())
        still = f"@media(prefers-reduced-motion:reduce){{.{MARKER} *{{animation:none!important}}}}"
        return "".join(rules) + f".{MARKER}:hover *{{animation-play-state:paused}}" + still

    def _rule(self, where: tuple[int, ...], name: str) -> str:
        """A class and its key frames: where what was hidden is seen, and the other way round."""
        seen = frozenset(where)
        turns = [
            number for number in range(self.count) if number == 0 or (number in seen) != (number - 1 in seen)
        ]
        steps = "".join(
            f"{short(number * self.share)}%{{visibility:{'visible' if number in seen else 'hidden'}}}"
            for number in turns
        )
        return (
            f".{name}{{animation:{name} {short(self.total)}s step-end infinite}}@keyframes {name}{{{steps}}}"
        )
