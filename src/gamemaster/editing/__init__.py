"""Text of a rulesheet and a place in it -> what an editor shows there: plain values, for all three notations.

People type, so nearly every text that comes in cannot be read as rules: nothing here needs it to be, and only `rename`
refuses anything. Offsets count characters from 0. Where no notation is given, the text decides; who knows it should say
it, as half a sheet may look like another notation's.

    >>> from gamemaster.editing import hover
    >>> hover("(<= terminal (true (pile 0)))", 14).meaning
    'The fact F holds in the state.'

scanning                tokens, and their colours: `tokens`
sentences, names        tokens -> sentences -> what each name in them is
sheets                  all of that for a text, and which names are one; read it first
words                   what words, builtins and marks mean
lines                   offsets <-> lines and columns
diagnosing              `diagnostics`: the checker's findings with spans
completing              `completions`
describing              `hover`
renaming                `definition`, `references`, `rename`
outline                 `symbols`
layout                  `format_sheet`
language_server/        all of it for editors that speak LSP
"""

from __future__ import annotations

from gamemaster.editing.completing import Completion, completions
from gamemaster.editing.describing import Hover, hover
from gamemaster.editing.diagnosing import Diagnostic, diagnostics
from gamemaster.editing.layout import format_sheet
from gamemaster.editing.outline import OutlineEntry, symbols
from gamemaster.editing.renaming import (
    TextEdit,
    apply_edits,
    definition,
    references,
    rename,
    renamed_span,
)
from gamemaster.editing.scanning import ColouredToken, tokens

__all__ = [
    "ColouredToken",
    "Completion",
    "Diagnostic",
    "Hover",
    "OutlineEntry",
    "TextEdit",
    "apply_edits",
    "completions",
    "definition",
    "diagnostics",
    "format_sheet",
    "hover",
    "references",
    "rename",
    "renamed_span",
    "symbols",
    "tokens",
]
