"""Rows -> a table: aligned columns; in a terminal, with the headings in bold and lines cut to the width."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gamemaster.terminal.screen import console_of, is_terminal, width

__all__ = ["print_table"]

GAP = "  "


def print_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[str] = ()
) -> None:
    """Print rows under headings; columns named in `right` are numbers, flush right."""
    lines = _lines(headings, rows, right)
    if not is_terminal():
        print("\n".join(lines))
        return
    from rich.text import Text

    heading, *body = [line if len(line) <= width() else line[: width() - 1] + "…" for line in lines]
    console_of().print(Text("\n").join([Text(heading, "bold"), *map(Text, body)]))


def _lines(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str]) -> list[str]:
    lines = [headings, *rows]
    sizes = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        GAP.join(
            text.rjust(size) if heading in right else text.ljust(size)
            for heading, text, size in zip(headings, line, sizes, strict=True)
        ).rstrip()
        for line in lines
    ]
