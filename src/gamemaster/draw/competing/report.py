"""A competition -> one HTML file: tables, plots, every match with its record. It loads nothing and runs no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gamemaster.arena.outcomes import MatchOutcome
from gamemaster.arena.ratings.table import Row, Standings, by_game, standings
from gamemaster.arena.running import Progress
from gamemaster.draw.competing.plots import draw_ratings, draw_test
from gamemaster.draw.picture.markup import clip, escape

__all__ = ["cross_scores", "report", "verdict_words"]

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

STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: 0 114 178; --bad: 213 94 0 }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem }
h1 { margin-bottom: 0 } h2 { margin-top: 2.2rem } p { max-width: 44rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums } .wide { overflow-x: auto }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
th { font-weight: 600 } .text { text-align: left } svg { max-width: 100%; height: auto }
details { margin-top: 1rem } summary { cursor: pointer; min-height: 2rem }
"""


def report(progress: Progress, records: str = "records") -> str:
    """The page; `records` is where the records are, seen from it."""
    competition = progress.competition
    names = [each.name for each in competition.entrants]
    table = standings(progress.outcomes, names)
    state = "over" if progress.is_over else f"{len(progress.outcomes)} of {progress.planned} matches so far"
    body = [
        f"<h1>{escape(clip(competition.name))}</h1>",
        f"<p>{escape(_sentence(progress))} It is {state}.</p>",
        *_verdict(progress),
        "<h2>Table</h2>",
        _table(table),
        *([draw_ratings(table)] if table.ratings is not None else []),
        *_better(table),
        *_cross(table),
        *_games(progress, names),
        "<h2>Matches</h2>",
        _matches(progress.outcomes, records),
    ]
    title = escape(clip(competition.name))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _sentence(progress: Progress) -> str:
    competition = progress.competition
    clocks = f"start clock {competition.start_clock:g} s, play clock {competition.play_clock:g} s"
    cpu = " of computing" if competition.has_cpu_clocks else ""
    opening = f", openings of {competition.opening} random steps" if competition.opening else ""
    what = f"{competition.pairing.capitalize()} in {', '.join(competition.games)}"
    return f"{what}: {clocks}{cpu}{opening}, seed {competition.seed}."


def verdict_words(progress: Progress) -> str:
    """What a sequential test says, in a sentence; nothing where there is none."""
    verdict, test = progress.verdict, progress.competition.test
    if verdict is None or test is None:
        return ""
    first, second = (each.name for each in progress.competition.entrants)
    said = {
        "better": f"{first} is better than {second}",
        "not better": f"{first} is not better than {second}",
        "open": "it is not decided yet",
        "given up": "no difference is clear",
    }[verdict.answer]
    if verdict.answer == "not better" and test.elo0 < 0 <= -test.elo0 == test.elo1:
        said = f"{second} is better than {first}"
    sure = f" (Elo {test.elo0:+g} against {test.elo1:+g}, errors of {test.alpha:.0%} and {test.beta:.0%})"
    return f"After {verdict.pairs} pairs of matches {said}{sure}."


def _verdict(progress: Progress) -> Iterable[str]:
    if progress.competition.test is not None:
        yield f"<p><strong>{escape(verdict_words(progress))}</strong></p>"
        yield draw_test(progress.competition.test, progress.outcomes)


def _table(table: Standings) -> str:
    rows = [_cells(number, row) for number, row in enumerate(table.rows, 1)]
    return _html_table(COLUMNS, rows, texts={1})


def _cells(number: int, row: Row) -> list[str]:
    elo = ["", ""] if row.elo is None else [f"{row.elo:+.0f}", f"{row.elo_error or 0:.0f}"]
    skill = f"{row.skill:.1f} ± {2 * row.skill_spread:.1f}"
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


def _better(table: Standings) -> Iterable[str]:
    """How likely it is that one is better than another."""
    chances = table.likelihoods()
    if chances is None or len(table.names) < 2:
        return
    yield "<h2>Who is better?</h2><p>How likely it is that the player of a line is better than that of a column.</p>"
    yield _shaded(
        table.names,
        [[None if i == j else each for j, each in enumerate(row)] for i, row in enumerate(chances)],
    )


def cross_scores(outcomes: Sequence[MatchOutcome], names: Sequence[str]) -> list[list[float | None]]:
    """The share of points that one got against another, None where they did not meet."""
    from gamemaster.arena.outcomes import duels

    won: dict[tuple[str, str], list[float]] = {}
    for each in duels(outcomes):
        won.setdefault((each.first, each.second), []).append(each.score)
        won.setdefault((each.second, each.first), []).append(1 - each.score)
    found = [[won.get((one, other)) for other in names] for one in names]
    return [[None if shares is None else sum(shares) / len(shares) for shares in row] for row in found]


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
        link = (
            f'<a href="{escape(records)}/{each.number:06}.jsonl">{each.number}</a>'
            if each.steps
            else each.number
        )
        how = each.how + (f": {each.detail}" if each.detail else "")
        texts = [clip(each.game, 40), clip(who), clip(how, 120)]
        game, players, end = (f'<td class="text">{escape(text)}</td>' for text in texts)
        lines.append(f"<tr><td>{link}</td>{game}{players}<td>{each.steps}</td>{end}</tr>")
    return f'<div class="wide"><table><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table></div>'
