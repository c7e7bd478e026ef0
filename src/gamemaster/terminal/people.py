"""People at one keyboard: each is asked for a move until it is a legal one, and may ask for help instead.

Where the rules hide the state, people see only what their role sees, and pass the keyboard on.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill

from gamemaster.draw.reasons import new_facts
from gamemaster.draw.text import in_columns
from gamemaster.errors import IllegalMove
from gamemaster.language.terms import Term
from gamemaster.machine.game import Game, State
from gamemaster.machine.moves import explain, moves_meant
from gamemaster.players.sight import Sight
from gamemaster.terminal.boards import show_state
from gamemaster.terminal.hidden import show_sight
from gamemaster.terminal.hints import Adviser
from gamemaster.terminal.keyboard import Quit, TypedLines
from gamemaster.terminal.screen import width

__all__ = ["Again", "People", "Undo"]

HELP = """\
a move    as in the rules, mark(1,1) or (mark 1 1); or its number; or as much of it as is unique
?         the moves you can make, numbered (also: moves)
hint      what a strong player would do, and why
undo      take back the last choice (also: u)
board     draw the board again
quit      stop (also: q, or the end of input)"""


class Undo(Exception):
    """The last choice is taken back."""


class Again(Exception):
    """A choice of this step is taken back: all are asked again."""


@dataclass
class People:
    """The roles that people play at one keyboard, in the order in which they are asked."""

    game: Game
    roles: tuple[str, ...]
    lines: TypedLines
    adviser: Adviser | None = None
    fast: Game | None = None
    """The same game on a machine on which it is worked out what people know; `game` where there is none."""

    before: State | None = None
    """The state before the last step."""

    sights: dict[str, Sight] = field(default_factory=dict)
    """What each person has seen, where the rules hide the state."""

    seated: str = ""
    """Who sits at the keyboard, where that matters."""

    def look(self, generator: random.Random) -> None:
        """Begin to see no more than is allowed, where the rules hide the state."""
        if self.game.has_percepts:
            # One for each: what others see, and how long that takes to work out, changes nothing that is shown.
            seeds = {role: generator.getrandbits(64) for role in self.roles}
            game = self.fast or self.game
            self.sights = {role: Sight(game, role, random.Random(seed)) for role, seed in seeds.items()}
            print("This game hides its state: you see what your role sees, and what follows from it.")

    def see(self, state: State, moves: Mapping[str, Term]) -> None:
        """Take in what is seen of a joint move."""
        for sight in self.sights.values():
            sight.tell(state, moves)

    def asked(self, state: State) -> list[str]:
        """The roles to ask: people with a choice; if nobody has one, the role in control.

        Where the state is hidden only the former: whether others have a choice is not for people to know.
        """
        with_choice = [role for role in self.roles if len(state.legal_moves(role)) > 1]
        if with_choice or self.sights or any(len(state.legal_moves(role)) > 1 for role in self.game.roles):
            return with_choice
        return [role for role in self.roles if role == state.control]

    def choose(self, state: State, asked: Sequence[str]) -> dict[str, Term]:
        """The moves of those who are asked; Quit, Undo or Again where that is what somebody wants."""
        moves: dict[str, Term] = {}
        if asked and not self.lines.given and not self.sights:
            show_state(state, new_facts(self.before, state))
        if len(asked) > 1 and not self.lines.given:
            print(f"{' and '.join(asked)} choose at once: one after the other, in secret.")
        for role in asked:
            if self.sights and not self.lines.given:
                self._seat(role)
            try:
                self._invite(state, role, "to choose" if len(asked) > 1 else "to move")
                moves[role] = self._ask(state, role, is_secret=self._is_secret(role, asked))
            except Undo:
                if role == asked[0]:
                    raise
                raise Again from None
        return moves

    def _is_secret(self, role: str, asked: Sequence[str]) -> bool:
        """Whether what a person types is nobody else's business: somebody is still to choose, or may not know it."""
        return role != asked[-1] or (bool(self.sights) and len(self.roles) > 1)

    def _seat(self, role: str) -> None:
        """Let a person sit down, if somebody else did before, and show what only they may see."""
        if len(self.roles) > 1 and role != self.seated:
            self.lines.pass_to(role, from_role=self.seated)
        self.seated = role
        show_sight(self.sights[role])

    def _invite(self, state: State, role: str, what: str) -> None:
        """Say who is to do what, and how many moves there are."""
        legal = state.legal_moves(role)
        if not self.lines.given:
            choice = f"only {legal[0]}: Enter" if len(legal) == 1 else f"{len(legal)} moves, ? lists them"
            print(f"Move {state.step + 1}: {role} {what} ({choice})")

    def _ask(self, state: State, role: str, *, is_secret: bool) -> Term:
        """The move that a role chooses; asked until it is a legal one."""
        legal = state.legal_moves(role)
        self.lines.offer(legal)
        while True:
            text = self.lines.ask(f"{role}> ", is_secret=is_secret)
            if not text and len(legal) == 1:
                return legal[0]
            if text not in map(str, legal) and self._obeyed(text, state, role):
                continue
            found = moves_meant(text, legal)
            if len(found) == 1:
                return found[0]
            self._refuse(text, state, role, found)

    def _obeyed(self, text: str, state: State, role: str) -> bool:
        """Whether the text was a command, and is done."""
        legal = state.legal_moves(role)
        match text.lower():
            case "":
                return True
            case "hint" if self.adviser is not None:
                print(self.adviser.advise(state, role))
            case "?" | "moves":
                numbered = [f"{number} {move}" for number, move in enumerate(legal, 1)]
                print("\n".join(in_columns(numbered, width())))
            case "help" | "h":
                print(HELP)
            case "board" if self.sights:
                show_sight(self.sights[role])
            case "board":
                show_state(state, new_facts(self.before, state))
            case "undo" | "u":
                raise Undo
            case "quit" | "q" | "exit":
                raise Quit
            case _:
                return False
        return True

    def _refuse(self, text: str, state: State, role: str, found: Sequence[Term]) -> None:
        """Say why a text is no move; a move given on the command line is an error."""
        if self.lines.is_given:
            raise IllegalMove(text, role, state.step, state.legal_moves(role))
        reason = explain(text, role, state.legal_moves(role), found, self._able(text, state, role))
        print(fill(reason, width(), break_long_words=False, break_on_hyphens=False))

    def _able(self, text: str, state: State, role: str) -> list[str]:
        """The other roles that could make a move; nobody where that would tell what they hold."""
        others = () if self.sights else (other for other in self.game.roles if other != role)
        return [other for other in others if moves_meant(text, state.legal_moves(other))]
