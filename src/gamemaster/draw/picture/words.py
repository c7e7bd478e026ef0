"""Board -> words, for those who do not see it: what stands where, what is counted, what is marked; of some length."""

from __future__ import annotations

from collections.abc import Iterator

from gamemaster.draw.finding.counters import TURN
from gamemaster.draw.model import MARKS, Board, Cell, Counter, Mark, Panel
from gamemaster.draw.picture.markup import clip

__all__ = ["board_in_words", "cell_in_words", "counter_in_words"]

LONGEST = 2000
LONGEST_NAME = 60
MOST_COUNTERS, MOST_FACTS = 20, 30

MEANING: dict[Mark, str] = {
    "last": "changed by the last move",
    "win": "part of the win",
    "threat": "threatened",
    "chosen": "chosen",
    "source": "can move",
    "target": "can be moved to",
}


def cell_in_words(cell: Cell) -> str:
    """A cell and what is on it: `a1: white rook`."""
    names = [_listed([clip(thing.name or thing.content, LONGEST_NAME) for thing in cell.things])]
    marks = [MEANING[mark] for mark in MARKS if mark in cell.marks]
    return clip(
        f"{clip(cell.name, LONGEST_NAME)}: {', '.join(filter(None, [*names, *marks])) or 'empty'}",
        4 * LONGEST_NAME,
    )


def counter_in_words(counter: Counter) -> str:
    """A counter: `score: 3`; its name alone where that is all it says."""
    names = [clip(thing.name or thing.content, LONGEST_NAME) for thing in counter.things[:MOST_COUNTERS]]
    said = ", ".join(filter(None, [clip(counter.value, LONGEST_NAME), *names]))
    return ": ".join(filter(None, [clip(counter.name, LONGEST_NAME), said]))


def board_in_words(board: Board, status: str = "") -> str:
    """A board in sentences: whose turn it is, the things with their places, the marks, the counters."""
    return clip(" ".join(f"{sentence}." for sentence in _sentences(board, status)), LONGEST)


def _sentences(board: Board, status: str) -> Iterator[str]:
    if status:
        yield status
    for panel in board.panels:
        title = f"{clip(panel.title, LONGEST_NAME)}: " if len(board.panels) > 1 and panel.title else ""
        yield title + ("; ".join(_places(panel)) or "nothing on the board")
        yield from _marked(panel)
    counters = [each for each in board.counters if not (status and _says_the_turn(each))]
    yield from map(counter_in_words, counters[:MOST_COUNTERS])
    if board.others and not board.panels:
        yield ", ".join(clip(str(fact), LONGEST_NAME) for fact in board.others[:MOST_FACTS])


def _says_the_turn(counter: Counter) -> bool:
    """Whether a counter says nothing but whose turn it is."""
    return counter.name.split()[:1] == [TURN] and not counter.value and not counter.things


def _places(panel: Panel) -> Iterator[str]:
    """Each kind of thing with the places where it is."""
    places: dict[str, list[str]] = {}
    for cell in panel.cells:
        for thing in cell.things:
            places.setdefault(thing.name or thing.content, []).append(clip(cell.name, LONGEST_NAME))
    for name, where in places.items():
        yield f"{clip(name, LONGEST_NAME)} on {_listed(where)}"


def _listed(where: list[str]) -> str:
    """Places or things, each once, with how many times it has the thing or is there."""
    counts = dict.fromkeys(where, 0)
    for name in where:
        counts[name] += 1
    return ", ".join(name if count == 1 else f"{name} ({count} times)" for name, count in counts.items())


def _marked(panel: Panel) -> Iterator[str]:
    for mark in MARKS:
        if where := [clip(cell.name, LONGEST_NAME) for cell in panel.cells if mark in cell.marks]:
            yield f"{MEANING[mark][0].upper()}{MEANING[mark][1:]}: {', '.join(where)}"
