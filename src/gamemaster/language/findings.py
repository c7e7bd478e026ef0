"""Findings: what the checker has to say about a rulesheet, each with a code, a place and what to do.

An error is something the rules cannot mean; a warning is something they can mean but the author hardly meant; a note
is about the game that they mean.

    tictactoe.kif:12:10: error[unsafe]: ?m has no value in the head (row ?m ?x)
      (<= (row ?m ?x) (true (cell 1 1 ?x)))
               ^
      help: add a condition, not negated, that gives ?m its values
"""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass
from typing import Literal

from gamemaster.errors import Place

__all__ = ["CODES", "Finding", "Severity"]

Severity = Literal["error", "warning", "note"]

CODES: dict[str, str] = {
    # Reading
    "syntax": "The text cannot be read as rules.",
    # What the rules cannot mean
    "unsafe": "A variable has no value where one is needed: in a head, an effect or a builtin.",
    "negative-recursion": "A relation depends on its own negation, so it is true exactly if it is false.",
    "endless-recursion": "A recursive rule makes ever larger terms or numbers, and nothing in it can stop.",
    "arity": "A word of the language or a relation has the wrong number of arguments.",
    "reserved": "A word of the language stands where it has no meaning yet, or is defined anew.",
    "impure": "A builtin of the original system depends on chance or the clock, which rules must not.",
    "no-role": "The rules name no role, so nobody can play.",
    "no-legal": "The rules give no legal moves, so nobody can move.",
    "no-goal": "The rules give no goal, so no result has a value.",
    "no-terminal": "The rules never end the game.",
    "no-control": "The rules never say whose turn it is, so nobody can move.",
    # What the author hardly meant
    "no-init": "The rules give no initial facts, so the game starts from the empty state.",
    "bound-by-caller": "A head variable gets its value only from where the relation is used.",
    "none-exists": "A variable occurs only inside a negation, which is read as: there is none.",
    "negation-order": "A negation stands left of what binds its variable, so it is read as: there is none.",
    "hidden-fact": "A fact of the state has the name of a relation that the sheet defines: it is never seen.",
    "mixed-arity": "The same name is used for relations with different numbers of arguments.",
    "empty-body": "A rule has an arrow but no conditions, so it always holds.",
    "brackets": "A name has brackets around nothing: as a relation it is the name itself, in a term another thing.",
    "nested-word": "A word of the language stands inside a term, where it is only a name.",
    "role-rule": "Roles are given by a rule; players and tools expect plain facts.",
    "undefined": "A relation is used but nothing can ever make it true.",
    "unused": "A relation is defined but nothing uses it.",
    "goal-value": "A goal value is not a whole number from 0 to 100.",
    "hides-builtin": "A relation has the name of a builtin, which the original system would use instead.",
    "notation": "A mark of another notation is read as a name: not for ~, => for <=, // for a comment.",
    "variable-literal": "A variable stands where a literal belongs: it never holds.",
    "unknown-role": "A name stands where a role must, and no role has it.",
    "constant": "A constant stands in one sentence only, beside a variable of the same name.",
    "case": "Two names differ in capital letters only, so they are two names.",
    "undeclared": "A fact is missing from what base declares.",
    "undeclared-move": "A move is missing from what input, or in Epilog action, declares.",
    "duplicate": "The same sentence stands in the sheet twice.",
    "never-holds": "A condition is never true: it asks for a name that never stands there, or play shows it.",
    "never-made": "A fact is declared by base, and nothing ever makes it true.",
    "same-role": "Two variables for roles can be one role, as nothing says that they differ.",
    "no-handler": "A legal move has no handler, and the fact that it adds for that is never asked for.",
    "misspelt": "A variable stands in a sentence once, and another is spelt almost alike.",
    "vanishes": "A fact of the state is gone after a move, as no rule keeps it or gives another in its place.",
    # What play shows
    "rules": "The rules fail in play, in a way that has no name of its own.",
    "limit": "Play ran out of its budget of time, memory, atoms or depth.",
    "endless": "Random games do not come to an end.",
    "starts-terminal": "The game is over before it begins.",
    "no-move": "A role has no legal move though the game is not over.",
    "goal-missing": "A role has no goal in a terminal state.",
    "goal-double": "A role has two goals in one state: at the end an error, before a warning.",
    "control": "Two roles are in control at once, or none, where one was before.",
    "unknowable-move": "Legal moves of a role differ in states that it cannot tell apart.",
    "short-table": "Play gets stuck or never ends, and does not with one more row of a table of numbers.",
    "two-values": "Something has two values at once, as a cell with two contents, where it had one before.",
    # What stands beside the rules
    "folder": "What game.toml says of the game is not what its rules say.",
    "style": "What style.toml says cannot be drawn.",
    # What the game is
    "reference-only": "The rules cannot be compiled, so the game runs on the reference machine, which is slow.",
}
"""Every code with what it means: the documentation is made from this table."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the checker found: what, where, how bad, and what to do about it."""

    code: str
    severity: Severity
    message: str
    place: Place
    hint: str
    moves: str = ""
    """The moves that lead there, as `gamemaster show GAME --board --moves` takes them; nothing without play."""

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}[{self.code}]: {self.message}"

    def show(self, game: str = "") -> str:
        """The finding for people: its line, the source line with a caret, the hint, and how to get there by play."""
        hint = f"\n  help: {self.hint}" if self.hint else ""
        return f"{self}\n{self.place.caret()}{hint}" + (
            f"\n  replay: {self.replay(game)}" if self.moves else ""
        )

    def replay(self, game: str = "") -> str:
        """The command that shows the state in which it was found; of the text that it is about, if no game is named."""
        return f"gamemaster show {shlex.quote(game or self.place.file)} --board --moves {shlex.quote(self.moves)}"

    def to_dict(self) -> dict[str, object]:
        """The finding as plain data, ready for JSON."""
        return asdict(self)
