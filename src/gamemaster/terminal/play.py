"""`gamemaster play`: all roles at one keyboard, or against players; without a game, a first one against a friend.

Each step asks the roles that have a choice, one after the other, then the players. Roles without a choice, roles
that nobody plays and chance move by themselves. Lines come from `--moves` first, then from the keyboard or a pipe;
where they end, so does the session. Where the rules hide the state, people see only what their role sees.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill

from gamemaster.draw.reasons import new_facts, pointed_out
from gamemaster.draw.text import draw_colour, draw_text, in_columns
from gamemaster.errors import IllegalMove, LimitExceeded
from gamemaster.language.terms import Term
from gamemaster.machine.game import MAX_LENGTH, RANDOM, Game, State, dead_end
from gamemaster.machine.moves import explain, find_moves, split_moves
from gamemaster.players.loading import in_machine_code
from gamemaster.terminal.ending import in_words
from gamemaster.terminal.hidden import Sight
from gamemaster.terminal.hints import Adviser
from gamemaster.terminal.library import aim_of
from gamemaster.terminal.loading import load
from gamemaster.terminal.opponents import Opponent, invite
from gamemaster.terminal.progress import get_ready
from gamemaster.terminal.screen import console_of, is_terminal, width
from gamemaster.terminal.welcome import choose_game, invite_friend

try:
    import readline
except ImportError:  # not on every system
    readline = None  # type: ignore[assignment]  # so that the name is there, whatever the system has

__all__ = ["play_game", "show_state"]

HELP = """\
a move    as in the rules, mark(1,1) or (mark 1 1); or its number; or as much of it as is unique
?         the moves you can make, numbered (also: moves)
hint      what a strong player would do, and why
undo      take back the last choice (also: u)
board     draw the board again
quit      stop (also: q, or the end of input)"""


CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""Empties a terminal, and what has scrolled out of it."""


class _Stop(Exception):
    """The players stop before the end."""


class _Undo(Exception):
    """The last choice is taken back."""


def play_game(
    name: str | None,
    *,
    as_roles: Sequence[str],
    moves: str,
    seed: int | None = None,
    against: Sequence[str] = (),
    seconds: float = 5.0,
) -> None:
    """Play a game to its end, or as far as the players want; without a name, one that they choose, against a friend."""
    is_first = name is None
    name = choose_game() if name is None else name
    if name is None:
        print("Stopped.")
        return
    game = load(name, machine="reference")  # starts at once, and lists moves as the sheet does
    for role in as_roles:
        game.check_role(role)
    roles = tuple(role for role in game.roles if role != RANDOM)
    people = tuple(as_roles) or (roles[:1] if against or is_first else roles)
    generator, opponents = random.Random(seed), []
    if is_first and not against:
        opponents = invite_friend(name, game, people, seconds=seconds, generator=generator)
    elif against:
        opponents = invite(against, game, people, seconds=seconds, generator=generator)
        fast = load(name)
        get_ready(fast, [kind for opponent in opponents for kind in in_machine_code(opponent.player)])
        for opponent in opponents:
            opponent.start(fast)
    lines = TypedLines(split_moves(moves))
    HotSeat(game, people, generator, lines, opponents, Adviser(name), aim_of(name, game.sheet)).play()


@dataclass
class TypedLines:
    """Where lines come from: those given first, then standard input."""

    given: list[str]
    is_given: bool = field(default=False, init=False)
    """Whether the last line was a given one."""

    def ask(self, prompt: str, *, is_secret: bool) -> str:
        """The next line after a prompt; one from a pipe is shown as if typed. _Stop at the end."""
        self.is_given = bool(self.given)
        if self.given:
            return self.given.pop(0).strip()
        if sys.stdin.isatty():
            return self._typed(prompt, is_secret=is_secret)
        line = sys.stdin.readline()
        if not line:
            raise _Stop
        print(prompt + ("..." if is_secret else line.strip()))
        return line.strip()

    def pass_to(self, role: str, *, from_role: str) -> None:
        """Have somebody else sit down; at a keyboard they say so, and what was shown before is gone."""
        if sys.stdin.isatty() and from_role and is_terminal():
            print(CLEAR, end="")
        print(f"Pass the keyboard to {role}.")
        if sys.stdin.isatty() and from_role:
            self._typed(f"{role}, press Enter when nobody else looks ", is_secret=False)
            if is_terminal():
                print(CLEAR, end="")

    def offer(self, moves: Sequence[Term]) -> None:
        """Let the Tab key complete these moves, where there is a keyboard and a library for it."""
        if not sys.stdin.isatty() or readline is None:
            return
        texts = [str(move) for move in moves]

        def complete(begun: str, number: int) -> str | None:
            found = [text for text in texts if text.startswith(begun)]
            return found[number] if number < len(found) else None

        readline.set_completer(complete)
        readline.set_completer_delims("")
        readline.parse_and_bind("tab: complete")

    def _typed(self, prompt: str, *, is_secret: bool) -> str:
        try:
            line = input(prompt)
        except EOFError:
            print()
            raise _Stop from None
        if is_secret and is_terminal():
            print(f"\x1b[1A\x1b[2K{prompt}...")  # up one line, clear it
        return line.strip()


@dataclass
class HotSeat:
    """A game at one keyboard. `people` are the roles that are asked; others are played, or move at random."""

    game: Game
    people: tuple[str, ...]
    generator: random.Random
    lines: TypedLines
    opponents: Sequence[Opponent] = ()
    adviser: Adviser | None = None
    aim: str = ""
    """What the game is about, in words, where anybody has said so."""

    choices: list[State] = field(default_factory=list)
    """The states in which somebody had a choice, for taking it back."""

    before: State | None = None
    """The state before the last step."""

    sights: dict[str, Sight] = field(default_factory=dict)
    """What each person has seen, where the rules hide the state."""

    seated: str = ""
    """Who sits at the keyboard, where that matters."""

    def play(self) -> None:
        """Play to the end, or until the lines end."""
        print(f"{self.game.name}: {', '.join(self.game.roles)}")
        print(fill(self.aim, width()), end="\n" * bool(self.aim))
        if self.game.has_percepts:
            self.sights = {role: Sight(self.game, role, self.generator) for role in self.people}
            print("This game hides its state: you see what your role sees, and what follows from it.")
        is_over = False
        try:
            self._show_end(self._play_from(self.game.initial_state()))
            is_over = True
        except _Stop:
            print("Stopped.")
        finally:
            for opponent in self.opponents:
                opponent.leave(is_over=is_over)

    def _play_from(self, state: State) -> State:
        """The terminal state that the players get to."""
        alone = 0
        while not state.is_terminal:
            asked = self._asked(state)
            alone = 0 if asked else alone + 1
            if alone > MAX_LENGTH:
                raise LimitExceeded("length", f"{MAX_LENGTH:,} steps", doing="without a choice for anybody")
            try:
                self.before, state = state, self._step(state, asked)
            except _Undo:
                self.before, state = None, self._before(state)
        return state

    def _asked(self, state: State) -> list[str]:
        """The roles to ask: people with a choice; if nobody has one, the role in control."""
        with_choice = [role for role in self.people if len(state.legal_moves(role)) > 1]
        if with_choice or any(len(state.legal_moves(role)) > 1 for role in self.game.roles):
            return with_choice
        return [role for role in self.people if role == state.control]

    def _step(self, state: State, asked: Sequence[str]) -> State:
        """The next state, after everybody has moved."""
        moves = self._automatic(state, asked)
        if asked and not self.lines.given and not self.sights:
            show_state(state, new_facts(self.before, state))
        for role in asked:
            if self.sights and not self.lines.given:
                self._seat(role)
            try:
                moves[role] = self._ask(state, role, is_secret=self._is_secret(role, asked))
            except _Undo:
                if role == asked[0]:
                    raise
                return state  # ask again from the first role on
        if asked:
            self.choices.append(state)
        replies = {opponent.role: opponent.move(state) for opponent in self.opponents}
        moves |= {role: move for role, move in replies.items() if move is not None}
        self._tell(state, moves, asked)
        return state.next(moves)

    def _is_secret(self, role: str, asked: Sequence[str]) -> bool:
        """Whether what a person types is nobody else's business: somebody is still to choose, or may not know it."""
        return role != asked[-1] or (bool(self.sights) and len(self.people) > 1)

    def _tell(self, state: State, moves: Mapping[str, Term], asked: Sequence[str]) -> None:
        """Say what was done, to everybody as far as they may know it."""
        if not self.sights:
            told = [self._told(state, role, moves[role], asked) for role in self.game.roles if role in moves]
            print(", ".join(told))
        for sight in self.sights.values():
            sight.tell(state, moves)
        for opponent in self.opponents:
            opponent.tell(state, moves)

    def _automatic(self, state: State, asked: Sequence[str]) -> dict[str, Term]:
        """The moves of those who are not asked: the only one, or any."""
        legal = {role: found for role in self.game.roles if (found := state.legal_moves(role))}
        if not legal:
            raise dead_end(state)
        others = {*asked, *(opponent.role for opponent in self.opponents)}
        return {role: self.generator.choice(found) for role, found in legal.items() if role not in others}

    def _before(self, state: State) -> State:
        """The state of the choice before this one."""
        if self.sights:
            print("Nothing can be taken back where the state is hidden: what is seen is seen.")
            return state
        stubborn = [opponent.name for opponent in self.opponents if not opponent.can_go_back]
        if stubborn:
            print(f"{stubborn[0]} cannot take moves back.")
            return state
        if self.choices:
            before = self.choices.pop()
            for opponent in self.opponents:
                opponent.go_back(before)
            return before
        print("There is nothing to take back.")
        return state

    # Asking

    def _seat(self, role: str) -> None:
        """Let a person sit down, if somebody else did before, and show what only they may see."""
        if len(self.people) > 1 and role != self.seated:
            self.lines.pass_to(role, from_role=self.seated)
        self.seated = role
        print(self.sights[role].show() + "\n")

    def _ask(self, state: State, role: str, *, is_secret: bool) -> Term:
        """The move that a role chooses; asked until it is a legal one."""
        legal = state.legal_moves(role)
        if not self.lines.given:
            choice = f"only {legal[0]}: Enter" if len(legal) == 1 else f"{len(legal)} moves, ? lists them"
            print(f"Step {state.step + 1}: {role} to move ({choice})")
        self.lines.offer(legal)
        while True:
            text = self.lines.ask(f"{role}> ", is_secret=is_secret)
            if not text and len(legal) == 1:
                return legal[0]
            if text not in map(str, legal) and self._obeyed(text, state, role):
                continue
            found = find_moves(text, legal)
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
                print(self.sights[role].show() + "\n")
            case "board":
                show_state(state, new_facts(self.before, state))
            case "undo" | "u":
                raise _Undo
            case "quit" | "q" | "exit":
                raise _Stop
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
        return [other for other in others if find_moves(text, state.legal_moves(other))]

    # Telling

    def _told(self, state: State, role: str, move: Term, asked: Sequence[str]) -> str:
        """What a role did, in words."""
        if role in asked:
            return f"{role}: {move}"
        if len(state.legal_moves(role)) == 1:
            return f"{role}: {move} (only move)"
        players = [each.name for each in self.opponents if each.role == role and not each.is_standing_in]
        return f"{role}: {move} ({players[0] if players else 'at random'})"

    def _show_end(self, state: State) -> None:
        """The final board, who wins and by what, and everybody's goal."""
        show_state(state, pointed_out(self.before, state))
        print(f"Game over after {state.step} step{'s' * (state.step != 1)}: {in_words(state)}.")
        roles = [role for role in self.game.roles if role != RANDOM or self.game.roles == (RANDOM,)]
        size = max(map(len, roles))
        for role in roles:
            goal = state.goal(role)
            print(f"  {role.ljust(size)}  {'no goal' if goal is None else format(goal, '3')}")


def show_state(state: State, marked: Collection[Term] = ()) -> None:
    """Print the board between empty lines, in colour in a terminal; the cells of marked facts stand in brackets."""
    print()
    if is_terminal():
        console_of().print(draw_colour(state, width(), marked))
    else:
        print(draw_text(state, marked=marked))
    print()
