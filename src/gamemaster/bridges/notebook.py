"""Games, searches and matches -> pieces of a page for Jupyter, and a table to play at, with nothing to install.

Whatever stands last in a cell shows itself: a state as its board, a search's result with what each move is worth, a
match with its moves. `play` is a table in the notebook: see `notebook_table`.

Names come from rules and players of strangers. All that is written into a page goes through `escape`, and drawings
have no script in them; so what a notebook shows runs nothing, whatever it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path

from gamemaster.bridges.notebook_table import NotebookTable, marked
from gamemaster.draw.animation import draw_match
from gamemaster.draw.board import board_of
from gamemaster.draw.clicks import clicks_of
from gamemaster.draw.graph import ValueGraph, ValueLine, draw_graph
from gamemaster.draw.picture.beside import caption_of
from gamemaster.draw.picture.markup import clip, escape, tag
from gamemaster.draw.results import by_choice, shown_line
from gamemaster.draw.svg import draw_svg
from gamemaster.errors import LimitExceeded
from gamemaster.language.notation import show
from gamemaster.language.terms import Term
from gamemaster.load import load
from gamemaster.machine.game import RANDOM, Game, PlayoutStats, State
from gamemaster.machine.showing import Shown
from gamemaster.match.events import Moved
from gamemaster.match.records.record import Record
from gamemaster.match.records.replay import Replay
from gamemaster.match.result import MatchResult
from gamemaster.match.transports.finding import AnyPlayer
from gamemaster.search.result import SearchResult

__all__ = ["NotebookTable", "html_of", "play"]

MOST_MOVES = 12
"""So many moves of a search have a bar."""

MOST_STEPS = 60
"""Of longer matches the last steps are shown moving."""

BEST = 100.0
BAR, BEST_BAR, QUIET = "#7fa9c9", "#0072b2", "opacity:.7"
ROW = "display:flex;flex-wrap:wrap;gap:24px;align-items:flex-start;font-family:system-ui,sans-serif"
CELL = "text-align:left;padding:1px 10px 1px 0;border:0;background:none"
NUMBER = "text-align:right;padding:1px 10px 1px 0;border:0;background:none;font-variant-numeric:tabular-nums"
LIST = "max-height:340px;overflow:auto;margin-top:8px"
SHEET = "max-height:420px;overflow:auto;white-space:pre-wrap;font-size:12px"


def play(
    game: Game | str | Path,
    against: AnyPlayer | None = "mcts",
    role: str | None = None,
    *,
    seconds: float = 1.0,
    seed: int = 0,
) -> NotebookTable:
    """A table in the notebook: you play a role (the first unless told) against a player, or all roles against None.

    table = notebook.play("connectfour", against="mcts")
    table                           # click a cell
    table.move("drop(4)")           # or say the move, wherever clicks do not get through
    """
    return NotebookTable(
        game if isinstance(game, Game) else load(game), against, role, seconds=seconds, seed=seed
    )


def html_of(what: Shown) -> str | None:
    """A piece of a page that shows something of ours; None for what is nothing of it."""
    for kind, shows in SHOWS.items():
        if isinstance(what, kind):
            return shows(what)
    return None


# Pieces


def _part(style: str, *children: str) -> str:
    """A part of a page; never empty, as HTML knows no short form for that."""
    return tag("div", *(children or ("&nbsp;",)), style=style)


def _table(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """A table of cells that are markup already."""
    head = "".join(tag("th", escape(each) or "&nbsp;", style=CELL) for each in heads)
    body = ("".join(tag("td", each or "&nbsp;", style=CELL) for each in row) for row in rows)
    lines = [head] * bool(heads) + list(body)
    return tag("table", tag("tbody", *(tag("tr", line) for line in lines)), style="border-collapse:collapse")


def _bar(share: float, colour: str = BAR) -> str:
    """A bar of that share of its room, 0 to 1."""
    width = round(100 * min(max(share, 0.0), 1.0))
    inner = _part(f"width:{width}%;height:12px;border-radius:3px;background:{colour}")
    return _part("width:160px;border-radius:3px;background:rgba(128,128,128,.18)", inner)


def _said(text: str, most: int = 200) -> str:
    return escape(clip(text, most))


def _titled(title: str, *parts: str) -> str:
    return _part("", tag("div", tag("b", _said(title)), style="margin-bottom:6px"), *parts)


# Searches


def _search(result: SearchResult) -> str:
    board = _searched_board(result.state, result.role, result.move) if result.state is not None else ""
    proven = "proven value" if result.is_proven else "value"
    title = f"{result.role}: {result.move}, {proven} {result.value:.1f}, by {result.algorithm}"
    told = _titled(
        title,
        _table(_move_rows(result), ("move", "value", "", *(["tried"] if result.visits else []), "then")),
        _quiet(_more(len(result.values) - MOST_MOVES, "moves")),
        _quiet(f"expected: {shown_line(result.line)}" if result.line else ""),
        _quiet(_counts(result)),
        *(_quiet(note) for note in result.notes.splitlines()),
    )
    return _part(ROW, board, told)


def _quiet(text: str) -> str:
    return _part(QUIET + ";margin-top:4px", _said(text, 400)) if text else ""


def _more(count: int, what: str) -> str:
    return f"and {count} more {what}" if count > 0 else ""


def _counts(result: SearchResult) -> str:
    """How much was searched."""
    counts = (("depth", result.depth), ("nodes", result.nodes), ("playouts", result.playouts))
    told = [f"{name} {count:,}" for name, count in counts if count]
    return ", ".join([*told, f"{result.seconds:.2f} s"])


def _move_rows(result: SearchResult) -> Iterator[list[str]]:
    moves = by_choice(result)[:MOST_MOVES]
    low, high = _scale(result)
    for move in moves:
        value, is_best = result.values[move], move == result.move
        name = _said(str(move), 60)
        yield [
            tag("b", name) if is_best else name,
            _bar(_share(result, move, low, high), BEST_BAR if is_best else BAR),
            escape(_value_in_words(result, move, value)),
            *([f"{result.visits.get(move, 0):,}"] if result.visits else []),
            tag("span", _said(shown_line(result.line_of(move)[1:]), 80) or "&nbsp;", style=QUIET),
        ]


def _scale(result: SearchResult) -> tuple[float, float]:
    """What bars go from and to: 0 to 100, or further where an evaluation has a scale of its own."""
    values = [value for value in result.values.values() if isfinite(value)]
    return min([0.0, *values]), max([BEST, *values])


def _share(result: SearchResult, move: Term, low: float, high: float) -> float:
    if move in result.ends:
        return 1.0 if move in result.wins else 0.0
    value = result.values[move]
    return (value - low) / (high - low) if isfinite(value) else float(value > 0)


def _value_in_words(result: SearchResult, move: Term, value: float) -> str:
    if move in result.ends:
        return "win" if move in result.wins else "loss"
    return f"{'≤ ' * (move in result.at_most)}{value:.1f}"


def _searched_board(state: State, role: str, move: Term | None) -> str:
    """The board with the cells of a move marked."""
    board = board_of(state)
    touches = clicks_of(state, role, board).moves
    cells = next((touch.targets for touch in touches if touch.move == move), ())
    return draw_svg(marked(board, dict.fromkeys(cells, "chosen")), caption=caption_of(state))


# Matches


def _match(result: MatchResult) -> str:
    record = result.record
    if record.started.names:  # the rules were scrambled: the state has words that nobody knows
        return _replay(Replay.of(record))
    states = [result.state.game.state(reached.facts, reached.step) for reached in record.states[-MOST_STEPS:]]
    return _page(Replay.of(record), states, str(result))


def _record(record: Record) -> str:
    return _replay(Replay.of(record))


def _replay(replay: Replay) -> str:
    steps = [reached.step for reached in replay.record.states[-MOST_STEPS:]]
    states = [state for step in steps if (state := replay.state(step)) is not None]
    ended = replay.record.ended
    how = f"{ended.how} after" if ended else "not over,"
    return _page(replay, states, f"{replay.record.started.game}: {how} {len(replay.record.moves)} steps")


def _page(replay: Replay, states: Sequence[State], title: str) -> str:
    """A match: its animation, who played, and the moves."""
    notes = [_moves_in_words(replay, state.step) for state in states]
    moves = tag(
        "ol", *(tag("li", _said(each)) for each in _all_moves(replay)), style="margin:0;padding-left:3em"
    )
    parts = [_players(replay), _graph(replay), _faults(replay)]
    if replay.record.moves:
        parts.append(_part(LIST, moves))
    if len(replay.record.moves) >= MOST_STEPS:
        parts.append(_quiet(f"the last {len(states)} states are shown"))
    return _part(ROW, _moving(states, notes), _titled(title, *parts))


def _moving(states: Sequence[State], notes: Sequence[str]) -> str:
    """The states one after the other; the last alone where that would be too large."""
    if not states:
        return ""
    try:
        return draw_match(states, notes)
    except LimitExceeded:
        return draw_svg(states[-1])


def _all_moves(replay: Replay) -> Iterator[str]:
    return (_moves_in_words(replay, step) for step in range(1, len(replay.record.moves) + 1))


def _moves_in_words(replay: Replay, step: int) -> str:
    """Who did what to get to a step; nothing said of those who had nothing to do."""
    if not 0 < step <= len(replay.record.moves):
        return ""
    moved = replay.record.moves[step - 1]
    told = [_one_move(replay, moved, role) for role in moved.moves if moved.moves[role] != "noop"]
    return ", ".join(told) or "nobody moves"


def _one_move(replay: Replay, moved: Moved, role: str) -> str:
    drawn = " (at random, by the referee)" if role in moved.substituted else ""
    return f"{replay.told(role)}: {replay.told(moved.moves[role])}{drawn}"


def _players(replay: Replay) -> str:
    started, ended = replay.record.started, replay.record.ended
    goals = ended.goals if ended else {}
    errors = replay.record.errors
    rows = [
        [_said(replay.told(role), 40), _said(player, 60), _goal(goals.get(role)), str(errors.get(role, 0))]
        for role, player in started.players.items()
    ]
    return _table(rows, ("role", "player", "goal", "errors"))


def _goal(goal: int | None) -> str:
    return "-" if goal is None else str(goal)


def _faults(replay: Replay) -> str:
    faults = replay.record.faults[:MOST_MOVES]
    rows = [
        f"step {fault.step + 1}, {replay.told(fault.role)}: {fault.kind}, {fault.detail}" for fault in faults
    ]
    return "".join(map(_quiet, [*rows, _more(len(replay.record.faults) - MOST_MOVES, "faults")]))


def _graph(replay: Replay) -> str:
    """What players expected, where they say so."""
    points: dict[str, list[tuple[int, float]]] = {}
    for step, moved in enumerate(replay.record.moves, 1):
        for role, thought in moved.thoughts.items():
            if isinstance(value := thought.get("value"), int | float):
                points.setdefault(role, []).append((step, float(value)))
    roles = [role for role in replay.record.started.roles if role != RANDOM]
    if not points:
        return ""
    lines = tuple(ValueLine(replay.told(role), tuple(points.get(role, ()))) for role in roles)
    return draw_graph(ValueGraph(lines, len(replay.record.moves)))


# Games and statistics


def _game(game: Game) -> str:
    """A game: where it starts, what kind it is, and its rules for whoever opens them."""
    sheet = game.sheet
    rules = tag("pre", escape(sheet.source.text or show(sheet)), style=SHEET)
    start = game.initial_state()
    counts = ", ".join(f"{role} {len(start.legal_moves(role)):,}" for role in game.roles[:MOST_MOVES])
    told = _titled(
        str(game),
        _quiet(str(game.kind)),
        _quiet(f"{game.machine} machine"),
        _quiet(f"legal moves at the start: {counts}"),
        tag("details", tag("summary", "rules"), rules, style="margin-top:8px"),
    )
    return _part(ROW, draw_svg(start), told)


def _stats(stats: PlayoutStats) -> str:
    """Random games: what each role gets on average."""
    names = stats.roles or [f"role {number}" for number in range(1, len(stats.mean_goals) + 1)]
    sure = stats.goal_intervals()
    rows = [
        [escape(name), _bar(goal / BEST), str(sure.get(name, f"{goal:.1f}"))]
        for name, goal in zip(names, stats.mean_goals, strict=True)
    ]
    counts = (
        f"{stats.playouts:,} random games, {stats.mean_length:.1f} moves each, in {stats.seconds:.2f} s "
        f"({stats.playouts / max(stats.seconds, 1e-9):,.0f} a second)"
    )
    cut = f"{stats.cut:,} of them were cut, as they did not end" if stats.cut else ""
    return _titled(counts, _table(rows, ("", "mean goal", "")), _quiet(cut))


SHOWS: Mapping[type[Shown], Callable[..., str]] = {
    SearchResult: _search,
    MatchResult: _match,
    Replay: _replay,
    Record: _record,
    PlayoutStats: _stats,
    Game: _game,
}
