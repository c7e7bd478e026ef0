"""The command line: arguments only. Each command loads what it needs and hands over to `terminal/`.

`start` has the app, in which all commands come together; the commands are in a file by subject: `rules`, `playing`,
`studying` and `matches`. What many of them take is in `arguments`.
"""

from __future__ import annotations

from gamemaster.cli.start import app, main

__all__ = ["app", "main"]
