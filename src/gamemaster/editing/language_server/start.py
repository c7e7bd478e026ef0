"""`gamemaster lsp`: serve one editor, until it says good-bye or is gone."""

from __future__ import annotations

import os
import sys

from gamemaster.errors import NotInstalled

__all__ = ["serve_editor"]


def serve_editor() -> None:
    """Answer an editor on standard input and output; NotInstalled without the library that speaks the protocol."""
    try:
        import pygls  # noqa: F401  # nothing of it is used here but that it is there
    except ImportError:
        raise NotInstalled("the language server needs pygls: pip install 'gamemaster[lsp]'") from None
    from gamemaster.editing.language_server.server import create_server

    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever else is printed is no message
        create_server().start_io(stdout=answers)
