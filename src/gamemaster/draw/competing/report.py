"""A competition -> one HTML file: tables, plots, every match with its record. It loads nothing and runs no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from gamemaster.arena.fixtures import record_name
from gamemaster.arena.outcomes import UNPLAYED, MatchOutcome
from gamemaster.arena.ratings.table import Row, Standings, by_game, cross_scores
from gamemaster.arena.running import Progress
from gamemaster.draw.competing.plots import draw_ratings, draw_test
from gamemaster.draw.picture.markup import clip, escape

__all__ = ["report", "verdict_words"]

COLUMNS = (
    "",
    "player",
    "matches",
    "won",
    "drawn",
    "lost",
    "points",
    "mean goal",
    "adjusted",
    "errors",
    "Elo",
    "±",
    "skill",
)

STOPPED = "The ratings of a test that stops when it is decided are somewhat too far from 0."
LEGEND = (
    "<p><small>Elo: by maximum likelihood over all results, around 0; the true rating is within ± in 95 of 100 cases. "
    "Goal: the mean. Adjusted: mean goal times n/(n+1) for n matches of a game, the mean over games. "
    "Skill: openskill's mean, and twice its spread.</small></p>"
)

STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: 0 114 178; --bad: 213 94 0 }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem }
h1 { margin-bottom: 0 } h2 { margin-top: 2.2rem } p { max-width: 44rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums } .wide { overflow-x: auto }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
th { font-weight: 600 } .text { text-align: left } svg { max-width: 100%; height: auto }
details { margin-top: 1rem } summary { cursor: pointer; min-height: 2rem }
"""


def report(progress: Progress, table: Standings, records: str = "") -> str:
    """The page; `records` is where the records are, seen from it, nothing where none are kept."""
    competition = progress.competition
    names = [each.name for each in competition.entrants]
    state = "over" if progress.is_over else f"{len(progress.outcomes)} of {progress.planned} matches so far"
    body = [
        f"<h1>{escape(clip(competition.name))}</h1>",
        f"<p>{escape(_sentence(progress))} It is {state}. {escape(progress.last_word)}</p>",
        *_verdict(progress),
        "<h2>Table</h2>",
        _table(table),
        *([draw_ratings(table)] if table.ratings is not None else []),
        LEGEND,
        *_players(progress, table),
        *_better(table, is_test=progress.verdict is not None),
        *_cross(table),
        *_games(progress, names),
        "<h2>Matches</h2>",
        *(
            ["<p>A record can be looked at step by step: <code>gamemaster replay FILE</code>.</p>"]
            if records
            else []
        ),
        _matches(progress.outcomes, records),
    ]
    title = escape(clip(competition.name))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _players(progress: Progress, table: Standings) -> Iterable[str]:
    """Whom names stand for, and what went wrong with them."""
    players, rows = progress.competition.players, []
    for row in table.rows:
        wrong = f"{row.errors} errors; the first: {row.reason}" if row.errors else ""
        rows.append([clip(row.name, 40), clip(players[row.name], 80), clip(wrong, 160)])
    yield "<h2>Players</h2>"
    yield _html_table(("name", "player", "what went wrong"), rows, texts={0, 1, 2})


def _sentence(progress: Progress) -> str:
    competition = progress.competition
    clocks = f"start clock {competition.start_clock:g} s, play clock {competition.play_clock:g} s"
    cpu = " of computing" if competition.has_cpu_clocks else ""
    opening = f", openings of {competition.opening} random steps" if competition.opening else ""
    what = f"{competition.pairing.capitalize()} in {', '.join(competition.games)}"
    seed = (
        f", seed {competition.seed}" if progress.is_over else ""
    )  # whoever knows it knows what will be drawn
    return f"{what}: {clocks}{cpu}{opening}{seed}."


def verdict_words(progress: Progress) -> str:
    """What a sequential test says, in a sentence; nothing where there is none."""
    verdict, test = progress.verdict, progress.competition.test
    if verdict is None or test is None:
        return ""
    first, second = (each.name for each in progress.competition.entrants)
    said = {
        "better": f"{first} is better than {second}",
        "worse": f"{second} is better than {first}",
        "not better": f"{first} is not better than {second} by {test.elo1:g} Elo points",
        "no difference": f"neither is better by {test.elo1:g} Elo points",
        "open": "it is not decided yet",
        "given up": "it is not clear whether one is better",
    }[verdict.answer]
    sure = (
        f" (a wrong answer in {test.alpha:.0%} of cases)"
        if verdict.answer not in ("open", "given up")
        else ""
    )
    return f"After {verdict.pairs} pairs of matches {said}{sure}."


def _verdict(progress: Progress) -> Iterable[str]:
    if progress.competition.test is not None:
        yield f"<p><strong>{escape(verdict_words(progress))}</strong> {STOPPED}</p>"
        yield draw_test(progress.competition, progress.outcomes)


def _table(table: Standings) -> str:
    rows = [_cells(number, row, table) for number, row in enumerate(table.rows, 1)]
    return _html_table(COLUMNS, rows, texts={1})


def _cells(number: int, row: Row, table: Standings) -> list[str]:
    own = table.skills[row.name]
    elo = ["", ""] if row.elo is None else [f"{row.elo:+.0f}", f"{row.elo_error or 0:.0f}"]
    skill = f"{own.mean:.1f} ± {2 * own.spread:.1f}"
    counts = [row.matches, row.wins, row.draws, row.losses, f"{row.score:g}"]
    goals = [f"{row.mean_goal:.1f}", f"{row.adjusted:.1f}", row.errors]
    return [str(number), clip(row.name, 40), *map(str, counts), *map(str, goals), *elo, skill]


def _html_table(headings: Sequence[str], rows: Iterable[Sequence[str]], texts: set[int]) -> str:
    def cell(kind: str, place: int, text: str) -> str:
        shape = ' class="text"' if place in texts else ""
        return f"<{kind}{shape}>{escape(text)}</{kind}>"

    head = "".join(cell("th", place, text) for place, text in enumerate(headings))
    body = "".join(
        f"<tr>{''.join(cell('td', place, text) for place, text in enumerate(row))}</tr>" for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _better(table: Standings, *, is_test: bool) -> Iterable[str]:
    """How likely it is that one is better than another; a test has said that already, and better."""
    chances = table.likelihoods()
    if chances is None or len(table.names) < 2 or is_test:
        return
    yield "<h2>Who is better?</h2><p>How likely it is that the player of a line is better than that of a column.</p>"
    yield _shaded(
        table.names,
        [[None if i == j else each for j, each in enumerate(row)] for i, row in enumerate(chances)],
    )


def _cross(table: Standings) -> Iterable[str]:
    if table.ratings is not None:
        yield "<h2>Against each other</h2><p>The share of points that the player of a line got.</p>"
        yield _shaded(table.names, cross_scores(table.outcomes, table.names))


def _shaded(names: Sequence[str], shares: Sequence[Sequence[float | None]]) -> str:
    """A table of shares, shaded by how far they are from a half."""
    head = "".join(f"<th>{escape(clip(name, 16))}</th>" for name in names)
    lines = []
    for name, row in zip(names, shares, strict=True):
        cells = "".join("<td>·</td>" if each is None else _shade(each) for each in row)
        lines.append(f'<tr><th class="text">{escape(clip(name, 40))}</th>{cells}</tr>')
    table = f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _shade(share: float) -> str:
    colour = "--good" if share >= 0.5 else "--bad"
    return (
        f'<td style="background: rgb(var({colour}) / {abs(share - 0.5) * 0.9:.2f})">{100 * share:.0f} %</td>'
    )


def _games(progress: Progress, names: Sequence[str]) -> Iterable[str]:
    tables = by_game(progress.outcomes, names)
    if len(tables) > 1:
        yield "<h2>Game by game</h2>"
        for game, table in tables.items():
            yield f"<details><summary>{escape(clip(game))}</summary>{_table(table)}</details>"


def _matches(outcomes: Sequence[MatchOutcome], records: str) -> str:
    head = "<tr><th>match</th><th class='text'>game</th><th class='text'>players and goals</th><th>steps</th>"
    head += "<th class='text'>how it ended</th></tr>"
    lines = []
    for each in outcomes:
        who = ", ".join(
            f"{name} {'–' if goal is None else goal}"
            for name, goal in zip(each.seats, each.goals, strict=True)
        )
        place = f"{quote(records)}/{record_name(each.number)}"
        link = (
            f'<a href="{escape(place)}">{each.number}</a>'
            if records and each.how != UNPLAYED
            else each.number
        )
        wrong = "; ".join(filter(None, (each.detail, *each.reasons)))
        how = each.how + (f": {wrong}" if wrong else "")
        texts = [clip(each.game, 40), clip(who), clip(how, 120)]
        game, players, end = (f'<td class="text">{escape(text)}</td>' for text in texts)
        lines.append(f"<tr><td>{link}</td>{game}{players}<td>{each.steps}</td>{end}</tr>")
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table></div>'
