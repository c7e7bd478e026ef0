"""What stands below the boards: whose turn it is or how it ended, counters and hands, facts that are on no board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from gamemaster.draw.ending import end_in_words
from gamemaster.draw.model import Board, Counter, Thing
from gamemaster.draw.picture.boxes import moved
from gamemaster.draw.picture.colours import INK, QUIET, Ink, Tone
from gamemaster.draw.picture.glyphs import GLYPHS
from gamemaster.draw.picture.markup import clip, escape, tag, text_width
from gamemaster.draw.picture.things import Brush
from gamemaster.language.terms import Compound, Term
from gamemaster.machine.game import RANDOM, State

__all__ = ["Block", "Caption", "beside", "caption_of", "fact_table", "is_control"]

CHIP = ("#efece4", "#2b2e33")
LINE = ("#cfcabd", "#474c53")
MOST_COUNTERS, MOST_FACTS, MOST_SYMBOLS = 40, 48, 24
LONGEST = 40
SMALL = 0.85
LEAST = 0.55
"""How much smaller than usual a line may be to fit."""

ROWS = 16
"""So many facts stand in a column of a table."""


@dataclass(frozen=True)
class Caption:
    """What a drawing says of its state in words."""

    title: str = ""
    status: str = ""
    """Whose turn it is, or how the game ended."""
    colour: str = ""
    """Of whoever moves, or won."""
    step: int | None = None
    note: str = ""
    """What led here."""
    goals: tuple[Counter, ...] = ()
    """What each role has, where the game is over."""


@dataclass(frozen=True)
class Block:
    """Markup with the room that it takes, from (0,0)."""

    markup: str
    width: float
    height: float


def caption_of(state: State) -> Caption:
    """The caption of a state."""
    roles = state.game.roles
    if not state.is_terminal:
        movers = [state.chooser] if state.chooser else list(state.choosers or state.movers)
        colour = f"role {roles.index(movers[0]) + 1}" if len(movers) == 1 else ""
        return Caption(state.game.name, _turn(movers), colour, state.step)
    goals = [(number, role, state.goal(role)) for number, role in enumerate(roles, 1) if role != RANDOM]
    best = [
        number for number, _, goal in goals if goal is not None and goal == max(g or 0 for _, _, g in goals)
    ]
    return Caption(
        title=state.game.name,
        status=f"Game over: {end_in_words(state)}",
        colour=f"role {best[0]}" if len(best) == 1 and len(goals) > 1 else "",
        step=state.step,
        goals=tuple(
            Counter(role, "no goal" if goal is None else str(goal), colour=f"role {number}")
            for number, role, goal in goals
        ),
    )


def _turn(movers: Sequence[str]) -> str:
    names = ["chance" if role == RANDOM else clip(role, LONGEST) for role in movers[:6]]
    if not names:
        return "Nobody has a move"
    if len(names) == 1:
        return f"{names[0]} to move"
    return f"{', '.join(names[:-1])} and {names[-1]} move at once"


def beside(brush: Brush, board: Board, caption: Caption, width: float) -> Block:
    """All that stands below boards of this width."""
    size = max(28.0, min(width / 26, 60.0))
    if any(counter.name == "step" for counter in board.counters):
        caption = replace(caption, step=None)
    lines = [_status(brush, caption, width, size)] if caption.status else []
    if caption.note:
        lines.append(_note(brush.ink, _fitting(caption.note, width, size * 0.8), size * 0.8))
    counters = [*caption.goals, *(each for each in board.counters if not _says_the_turn(each, caption))]
    chips = [_chip(brush, counter, size, width) for counter in counters[:MOST_COUNTERS]]
    if board.panels:
        facts = [*_legend(board), *(str(fact) for fact in board.others if not is_control(fact))]
        chips += [
            _note(brush.ink, _fitting(text, width, size * 0.8), size * 0.8)
            for text in _cut(facts, MOST_COUNTERS)
        ]
    lines += _flow(chips, max(width, 300), size * 0.35)
    return _stacked(lines, size * 0.4)


def _legend(board: Board) -> list[str]:
    """What the letters on a board stand for, where they do not say it themselves."""
    things = (thing for panel in board.panels for cell in panel.cells for thing in cell.things)
    short_for: dict[str, dict[str, None]] = {}
    for thing in things:
        if _is_letters(thing) or thing.badge:
            short_for.setdefault(_short(thing), {})[thing.name or thing.content] = None
    told = [(short, _in_common(list(names))) for short, names in short_for.items()]
    return [f"{short} = {name}" for short, name in told if short != name][:MOST_SYMBOLS]


def _in_common(names: Sequence[str]) -> str:
    """The words that names have in common: of a white rook and a black one, rook; else the last name."""
    shared = set.intersection(*(set(name.split()) for name in names))
    return " ".join(word for word in names[-1].split() if word in shared) or names[-1]


def _is_letters(thing: Thing) -> bool:
    """Whether a thing is only written, by letters that stand for more."""
    is_written = thing.glyph not in (*GLYPHS, "number") and not thing.sign
    return is_written and thing.symbol not in ("", thing.content, thing.name)


def _short(thing: Thing) -> str:
    """What is seen of a thing, in words: its symbol or its shape, and its badge."""
    shape = thing.glyph.replace("_", " ") if thing.glyph in GLYPHS else thing.sign or thing.symbol
    return f"{shape} {thing.badge}" if thing.badge else thing.symbol


def _says_the_turn(counter: Counter, caption: Caption) -> bool:
    """Whether a counter only says what the status does."""
    return bool(caption.status and counter.facts) and all(map(is_control, counter.facts))


def is_control(fact: Term) -> bool:
    """Whether a fact only says whose turn it is, which the status says."""
    return isinstance(fact, Compound) and str.__str__(fact[0]) == "control"


def _text(ink: Ink, text: str, x: float, size: float, tone: Tone = INK, weight: str | None = None) -> str:
    return tag(
        "text", escape(text), x=x or None, y=size * 1.05, font_size=size, font_weight=weight, fill=ink(tone)
    )


def _swatch(brush: Brush, colour: str, size: float) -> str:
    """A spot in somebody's colour."""
    coat = brush.coat(colour)
    return tag(
        "circle",
        cx=size * 0.45,
        cy=size * 0.7,
        r=size * 0.38,
        fill=brush.ink(coat.fill),
        stroke=brush.ink(coat.edge),
        stroke_width=size / 14,
    )


def _status(brush: Brush, caption: Caption, width: float, size: float) -> Block:
    """Whose turn it is, and the step at the end of the line; smaller where that is long."""
    text, step = clip(caption.status, 80), f"step {caption.step}" if caption.step else ""
    start = 1.15 if caption.colour else 0.0
    needed = start + text_width(text, is_bold=True) + ((text_width(step) + 1) * SMALL if step else 0)
    size = min(size, max(size * LEAST, width / needed))
    parts = [_swatch(brush, caption.colour, size)] if caption.colour else []
    parts.append(_text(brush.ink, text, start * size, size, weight="600"))
    if step and needed * size <= width * 1.01:
        parts.append(_at_the_end(brush.ink, step, width, size))
    return Block("".join(parts), max((start + text_width(text, is_bold=True)) * size, width), size * 1.3)


def _at_the_end(ink: Ink, text: str, width: float, size: float) -> str:
    return tag(
        "text",
        escape(text),
        x=width,
        y=size * 1.05,
        font_size=size * SMALL,
        text_anchor="end",
        fill=ink(QUIET),
    )


def _chip(brush: Brush, counter: Counter, size: float, width: float) -> Block:
    """A counter: whose it is, its name, its value or its things, as many as the width allows."""
    ink, pad, parts = brush.ink, size * 0.4, []
    x, height = pad, size * 1.5
    if counter.colour != "plain":
        parts.append(moved(x, size * 0.05, _swatch(brush, counter.colour, size)))
        x += size * 1.1
    name = clip(counter.name, LONGEST)
    parts.append(_text(ink, name, x, size * 0.9, QUIET))
    x += text_width(name) * size * 0.9 + size * 0.35
    for each in _held(counter):
        if isinstance(each, str):
            parts.append(_text(ink, each, x, size * 0.95, INK, "600"))
            x += text_width(each, is_bold=True) * size + size * 0.1
            continue
        most = max(3, int((width - x - 2 * size) / (size * 1.15)))
        for thing in each[:most]:
            drawn = brush.draw(thing)
            parts.append(moved(x + size * 0.6, height / 2, drawn, scale=round(size * 1.25 / 100, 3)))
            x += size * 1.15
        if len(each) > most:
            parts.append(_text(ink, f"+{len(each) - most}", x, size * 0.9, QUIET))
            x += size * 1.6
    back = tag("rect", width=x + pad * 0.6, height=height, rx=height / 4, fill=ink(CHIP))
    return Block(back + "".join(parts), x + pad * 0.6, height)


def _held(counter: Counter) -> Iterator[str | list[Thing]]:
    """The value of a counter, then its things in their order: words for those that have no shape.

    As many of one shape as there are; where some have words, the first of them.
    """
    words, room = [counter.value] if counter.value else [], LONGEST
    is_drawn = all(thing.glyph in GLYPHS for thing in counter.things)
    told_of = counter.things if is_drawn else counter.things[:MOST_SYMBOLS]
    for has_shape, things in groupby(told_of, key=lambda thing: thing.glyph in GLYPHS):
        if not has_shape:
            words += [thing.name or thing.content for thing in things]
            continue
        if words and room > 1:
            yield (told := clip(", ".join(words), room))
            room -= len(told)
        words = []
        yield list(things)
    if words and room > 1:
        yield clip(", ".join(words), room)
    if len(counter.things) > len(told_of):
        yield f"and {len(counter.things) - len(told_of)} more"


def _fitting(text: str, width: float, size: float) -> str:
    """As much of a text as the width has room for."""
    return clip(text, max(10, int(width / (size * 0.6))))


def _note(ink: Ink, text: str, size: float) -> Block:
    return Block(_text(ink, text, 0, size, QUIET), text_width(text) * size + size * 0.6, size * 1.4)


def _cut(texts: Sequence[str], most: int) -> list[str]:
    """At most so many, and how many more there are."""
    return [*texts[:most], f"and {len(texts) - most} more"] if len(texts) > most else list(texts)


def _flow(blocks: Iterable[Block], width: float, gap: float) -> Iterator[Block]:
    """Blocks one after the other, in as many lines as they need."""
    line: list[Block] = []
    for block in blocks:
        if line and sum(each.width + gap for each in line) + block.width > width:
            yield _in_line(line, gap)
            line = []
        line.append(block)
    if line:
        yield _in_line(line, gap)


def _in_line(blocks: Sequence[Block], gap: float) -> Block:
    parts, x = [], 0.0
    for block in blocks:
        parts.append(moved(x, 0, block.markup))
        x += block.width + gap
    return Block("".join(parts), x - gap, max(block.height for block in blocks))


def _stacked(blocks: Sequence[Block], gap: float) -> Block:
    parts, y = [], 0.0
    for block in blocks:
        parts.append(moved(0, y, block.markup))
        y += block.height + gap
    return Block("".join(parts), max((block.width for block in blocks), default=0.0), max(0.0, y - gap))


def fact_table(ink: Ink, facts: Sequence[Term]) -> Block:
    """Facts of a state without boards: a row each, what is said and of what."""
    rows = [_said(fact) for fact in facts[:MOST_FACTS]] or [("(no facts)", "")]
    if len(facts) > MOST_FACTS:
        rows.append((f"and {len(facts) - MOST_FACTS} more", ""))
    columns = [rows[start : start + ROWS] for start in range(0, len(rows), ROWS)]
    return _in_line([_column(ink, column) for column in columns], 60)


def _said(fact: Term) -> tuple[str, str]:
    """The name of a fact, and its values."""
    if not isinstance(fact, Compound):
        return clip(str(fact), LONGEST), ""
    return clip(str.__str__(fact[0]), LONGEST), clip(", ".join(map(str, fact[1:])), LONGEST)


def _column(ink: Ink, rows: Sequence[tuple[str, str]], size: float = 34) -> Block:
    names = max(text_width(name) for name, _ in rows) * size + size
    values = max(text_width(value, is_bold=True) for _, value in rows) * size
    wide = max(names + values + size / 2, 300)
    parts = []
    for number, (name, value) in enumerate(rows):
        y = number * size * 1.6
        line = tag("path", d=f"M0 {y + size * 1.55:g}h{wide:g}", stroke=ink(LINE), stroke_width=1.5)
        parts.append(
            line + moved(0, y, _text(ink, name, 0, size, QUIET), _text(ink, value, names, size, INK, "600"))
        )
    return Block("".join(parts), wide, len(rows) * size * 1.6)
