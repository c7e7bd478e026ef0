"""The commands that serve: the site to browsers, what is known of rules to editors."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["lsp", "serve"]

AllowHost = Annotated[
    list[str] | None,
    typer.Option(metavar="HOST", help="Players may be asked at this host too, `*` is any; repeat for more."),
]
AllowUploads = Annotated[
    bool,
    typer.Option(
        "--allow-uploads",
        help="People with accounts may upload players, which run here behind walls (docs/operate.md).",
    ),
]


def serve(
    host: Annotated[
        str, typer.Option(metavar="HOST", help="The address to listen at; 0.0.0.0 is all of this machine.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="0 is any that is free.")
    ] = 8000,
    data: Annotated[
        str,
        typer.Option(
            metavar="FOLDER|URL",
            help="Where to keep matches: a folder, or a database: postgresql://user@host/name. "
            "Default: the user's data folder.",
        ),
    ] = "",
    records: Annotated[
        str, typer.Option(metavar="FOLDER", help="Where to keep records, if not with the data.")
    ] = "",
    matches: Annotated[int, typer.Option(metavar="N", min=1, help="Matches at once.")] = 200,
    players: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Players' processes at once; default: four a core, eight at least."
        ),
    ] = None,
    allow_host: AllowHost = None,
    allow_uploads: AllowUploads = False,
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name by which browsers know this server, games.example.org; repeat for more.",
        ),
    ] = None,
    proxy: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="A proxy in front of it, which says for whom it asks."),
    ] = "",
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the first page in a browser, if there is one.")
    ] = False,
) -> None:
    """Serve the site: play in a browser, run matches, watch them, look at them again.

    \b
        gamemaster serve
        gamemaster serve --port 9000 --data ~/games
        gamemaster serve --host 0.0.0.0 --data postgresql://me@localhost/games --records ~/games
    """
    from gamemaster.web.serving import Serving, run_server

    run_server(
        Serving(
            host,
            port,
            data,
            records,
            most_matches=matches,
            most_players=players,
            hosts=tuple(allow_host or ()),
            allows_uploads=allow_uploads,
            names=tuple(name or ()),
            proxy=proxy,
            opens_browser=open_browser,
        )
    )


def lsp(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="On standard input and output; there is no other way.")
    ] = False,
) -> None:
    """Serve an editor: findings as you type, completion, renaming, layout, for rules in any notation.

    Editors start it themselves (docs/editors.md): it speaks the Language Server Protocol.

    \b
        pip install 'gamemaster[lsp]'
        gamemaster lsp
    """
    from gamemaster.editing.language_server.start import serve_editor

    serve_editor()
