"""The command that shows a search of a small tree, step by step."""

from __future__ import annotations

from typing import Annotated

import typer

from gamemaster.cli.arguments import AsJson, PictureFile, PictureSize, PictureTheme

__all__ = ["tree"]

PICTURE_HINT = "'--theme', '--size', '--out', '--no-boards'"


TreeName = Annotated[
    str | None,
    typer.Argument(
        metavar="[GAME|FILE]",
        help="A ready example, a file that ends in .tree, or a game; none: list the examples.",
    ),
]
TreeAlgorithm = Annotated[
    str | None,
    typer.Option(
        metavar="minimax|alphabeta|andor|expectiminimax",
        help="How to search; default: what suits the tree.",
    ),
]
TreeDepth = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=60, help="How many steps to look ahead; default: 2 in a game."),
]


def tree(
    what: TreeName = None,
    algorithm: TreeAlgorithm = None,
    depth: TreeDepth = None,
    role: Annotated[
        str | None, typer.Option(metavar="ROLE", help="Who is max in a game; default: whose turn it is.")
    ] = None,
    moves: Annotated[
        str, typer.Option(metavar="MOVES", help="Begin after these, between commas or semicolons.")
    ] = "",
    evaluation: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What a state at the horizon is worth; default: its goal now."),
    ] = None,
    steps: Annotated[bool, typer.Option("--steps", help="Every step of the search, in order.")] = False,
    step: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Only how it looks after so many steps.")
    ] = None,
    svg: Annotated[bool, typer.Option("--svg", help="Draw it, as SVG.")] = False,
    png: Annotated[bool, typer.Option("--png", help="Draw it, as PNG.")] = False,
    no_boards: Annotated[bool, typer.Option("--no-boards", help="Draw no boards at nodes.")] = False,
    theme: PictureTheme = None,
    size: PictureSize = None,
    out: PictureFile = None,
    as_json: AsJson = False,
) -> None:
    """Show how a search goes through a small tree: values, bounds, what is cut and never visited.

    Without an argument: the ready examples, trees of textbooks.

    \b
        gamemaster tree
        gamemaster tree aima
        gamemaster tree aima --steps
        gamemaster tree labelled --svg --out labelled.svg
        gamemaster tree horizon --depth 5
        gamemaster tree tictactoe --depth 2 --evaluation mobility
        gamemaster tree mytree.tree --algorithm andor --json
    """
    from gamemaster.terminal.pictures import PictureOrder
    from gamemaster.terminal.trees import TreeOptions, list_examples, show_tree

    if not (svg or png) and (theme or size or out or no_boards):
        raise typer.BadParameter("only pictures take this: say --svg or --png, too", param_hint=PICTURE_HINT)
    if what is None:
        list_examples(as_json=as_json)
        return
    options = TreeOptions(
        algorithm=algorithm,
        depth=depth,
        role=role,
        moves=moves,
        evaluation=evaluation,
        step=step,
        is_stepwise=steps,
        has_boards=not no_boards,
        as_json=as_json,
    )
    is_drawn = svg or png
    order = PictureOrder(form="png" if png else "svg", theme=theme, size=size, out=out) if is_drawn else None
    show_tree(what, options, order)
