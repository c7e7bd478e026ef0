"""A table in a notebook: a person clicks, a player answers; all in the kernel, without anything to install.

The page (`notebook_table.js`) only tells which cell or button was clicked, over a comm of the kernel, and gets the
board as it is then. It finds that comm in the classic notebook, in JupyterLab and Notebook 7 (over the server's own
socket to the kernel) and in Colab. Anywhere else the board is shown, and `table.move("mark(1,1)")` makes a move.

    click cell -> chosen cells, marked        draw/clicks.py says what they mean
    move       -> the next state in which the person has a choice: others, chance and who has no choice have moved
"""

from __future__ import annotations

import random
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from gamemaster.draw.clicks import Choice, Clicks, clicks_of
from gamemaster.draw.model import Board, Cell, Mark
from gamemaster.draw.picture.beside import caption_of
from gamemaster.draw.picture.markup import clip, escape, tag
from gamemaster.draw.steps import board_after
from gamemaster.draw.svg import draw_svg
from gamemaster.draw.text import draw_text
from gamemaster.errors import GamemasterError, IllegalMove, ParameterError, StateError, Unsuitable
from gamemaster.language.terms import Term
from gamemaster.machine.game import RANDOM, Game, State
from gamemaster.machine.moves import moves_meant
from gamemaster.match.transports.finding import AnyPlayer
from gamemaster.match.transports.transport import Transport
from gamemaster.players.catalogue import refusal_of
from gamemaster.players.given import given_player, name_of
from gamemaster.players.loading import make_player
from gamemaster.search.budget import Budget

__all__ = ["TABLES", "TARGET", "NotebookTable", "kernel_id", "listen", "marked"]

TARGET = "gamemaster.table"
"""What a page asks the kernel for."""

START_SECONDS = 10.0
"""A player has so long at least to get ready."""

MOST_BUTTONS = 60
"""Of more moves without a place the rest is to be typed."""

KERNEL = re.compile(r"kernel-([0-9a-fA-F-]{36})\.json")
BUTTON = "margin:0 6px 6px 0;padding:4px 10px;cursor:pointer"
SCRIPT = Path(__file__).with_suffix(".js")

TABLES: dict[str, NotebookTable] = {}
"""Tables by the token that their pages know."""


class StateThinker(Protocol):
    """A player that can be asked about any state."""

    def think(self, state: State, budget: Budget) -> object:
        """The move to make."""


class NotebookTable:
    """A game between a person and a player; `states` is all that was, `state` the last of it."""

    def __init__(
        self, game: Game, against: AnyPlayer | None, role: str | None, *, seconds: float = 1.0, seed: int = 0
    ) -> None:
        self.game = game
        self.role = _seat_of(game, role)
        self.budget = Budget(seconds=seconds)
        self.states = [game.initial_state()]
        self.note = ""
        """What there is to say, of the last move or of what was wrong with it."""
        self._generator = random.Random(seed)
        others = [each for each in game.roles if each not in (self.role, RANDOM)]
        self._players = (
            {} if against is None else {each: self._invited(against, each, seconds) for each in others}
        )
        self._people = [each for each in game.roles if each != RANDOM and each not in self._players]
        self._chosen: dict[str, Term] = {}
        """Moves of people in a step in which several of them choose."""
        self._clicked: tuple[str, ...] = ()
        self._token, self._count = secrets.token_hex(8), 0
        TABLES[self._token] = self
        self.states += self._followed(self.state, {})

    def _invited(self, against: AnyPlayer, role: str, seconds: float) -> StateThinker:
        """A player at the role, ready to play."""
        if isinstance(against, Transport) or str(against).startswith(("http://", "ws://")):
            raise ParameterError(
                f"{str(against)[:200]!r} is elsewhere, and a table needs a player that can be asked about any state: "
                "give a name, a file, a class or a function; gm.match plays with others"
            )
        seed = self._generator.getrandbits(32)
        player: Any
        if isinstance(against, str | Path):
            player = make_player(against, seed=seed)
        else:
            player = given_player(against, seed)
        try:
            player.start(role, self.game, max(START_SECONDS, seconds), seconds)
        except Unsuitable as error:
            raise Unsuitable(refusal_of(name_of(player), self.game, str(error))) from None
        return player  # type: ignore[no-any-return]

    # The game

    @property
    def state(self) -> State:
        """Where the game is."""
        return self.states[-1]

    @property
    def awaited(self) -> str | None:
        """The role whose person is to choose; None where the game is over."""
        return next(self._asked(self.state, self._chosen), None)

    def _asked(self, state: State, chosen: Mapping[str, Term]) -> Iterator[str]:
        """The roles of people who have a choice in a state, but those who have chosen."""
        roles = () if state.is_over else self._people
        return (each for each in roles if each not in chosen and len(state.legal_moves(each)) > 1)

    def move(self, move: Term | str) -> NotebookTable:
        """Make a move, which may be typed as people do; then whoever else is to move does. IllegalMove for others."""
        role = self._must_be_awaited()
        legal = self.state.legal_moves(role)
        found = moves_meant(str(move), legal)
        if len(found) != 1:
            raise IllegalMove(move, role, self.state.step, legal)
        self.note = ""
        self._make(role, found[0])
        return self

    def back(self) -> NotebookTable:
        """Take the last move back, and what was answered to it."""
        self.note, self._clicked, self._chosen = "", (), {}
        turns = [number for number, state in enumerate(self.states[:-1]) if any(self._asked(state, {}))]
        self.states = self.states[: turns[-1] + 1] if turns else self.states
        return self

    def again(self) -> NotebookTable:
        """Begin anew."""
        self.note, self._clicked, self._chosen = "", (), {}
        first = self.states[0]
        self.states = [first, *self._followed(first, {})]
        return self

    def _must_be_awaited(self) -> str:
        role = self.awaited
        if role is None:
            steps = f"{self.state.step} step{'s' * (self.state.step != 1)}"
            raise StateError(
                f"{self.game.name} is over after {steps}: table.again() begins anew, table.back() goes back"
            )
        return role

    def _make(self, role: str, move: Term) -> None:
        """A person's move. Nothing is changed before a person is asked again: an interrupt leaves all as it was."""
        chosen = {**self._chosen, role: move}
        self._clicked = ()
        if any(self._asked(self.state, chosen)):
            self._chosen = chosen
            return
        self.states = [*self.states, *self._followed(self.state, chosen)]
        self._chosen = {}

    def _followed(self, state: State, chosen: Mapping[str, Term]) -> list[State]:
        """The states that follow, up to the first in which a person has a choice; `chosen` are people's moves."""
        found: list[State] = []
        while chosen or not (state.is_over or any(self._asked(state, {}))):
            state, chosen = self._after(state, chosen), {}
            found.append(state)
        return found

    def _after(self, state: State, chosen: Mapping[str, Term]) -> State:
        moves = dict(chosen)
        for role in self.game.roles:
            if role not in moves and (legal := state.legal_moves(role)):
                moves[role] = legal[0] if len(legal) == 1 else self._drawn_or_thought(state, role)
        return state.next(moves)

    def _drawn_or_thought(self, state: State, role: str) -> Term:
        legal = state.legal_moves(role)
        if role == RANDOM:
            return self._generator.choice(legal)
        player = self._players[role]
        try:
            move = player.think(state, self.budget)
        except Exception as error:  # a player's code may raise anything; the game goes on
            self.note = (
                f"{name_of(player)} fails: {type(error).__name__}: {error}; a move at random is made for it"
            )
            return self._generator.choice(legal)
        found: Term = self.game.move_of(move)  # type: ignore[arg-type]  # a player may give anything
        if found in legal:
            return found
        self.note = f"{name_of(player)} answers {str(move)[:80]!r}, which is not legal; a move at random is made for it"
        return self._generator.choice(legal)

    # Clicks

    def click(self, cell: str) -> NotebookTable:
        """A click on a cell, by its id: part of a move, all of it, or nothing."""
        clicks = self._clicks(self._must_be_awaited(), self._board())
        for ids in ((*self._clicked, cell), (cell,)):
            found = clicks.choose(*ids)
            if found is not None and not isinstance(found, list):
                self.note = ""
                self._make(clicks.role, found)
                return self
            after = clicks.after(*ids)
            if (after.targets or after.choices) and cell not in self._clicked:
                self._clicked = ids
                return self
        self._clicked = ()
        return self

    def handle(self, told: object) -> dict[str, str]:
        """What a page tells -> what it is to show. What is wrong with it is said on the page; nothing is raised."""
        try:
            self._handle(told if isinstance(told, dict) else {})
        except GamemasterError as error:
            self.note = str(error)
        return {"html": self.board_html()}

    def _handle(self, told: Mapping[str, object]) -> None:
        if told.get("step") != self.state.step:
            return  # said of an earlier state: a second click, or a page that is shown twice
        cell, act = told.get("cell"), str(told.get("act", ""))
        acts: dict[str, Callable[[], object]] = {"back": self.back, "again": self.again}
        if isinstance(cell, str):
            self.click(cell)
        elif act in acts:
            acts[act]()
        elif act.startswith("move "):
            self.move(act.removeprefix("move "))

    def _board(self) -> Board:
        return board_after(self.states[-2] if len(self.states) > 1 else None, self.state)

    def _clicks(self, role: str, board: Board) -> Clicks:
        return clicks_of(self.state, role, board)

    # What is shown

    def board_html(self) -> str:
        """The board as it is, with what can be clicked."""
        board, role = self._board(), self.awaited
        marks: dict[str, Mark] = {}
        choices: tuple[Choice, ...] = ()
        live: set[str] = set()
        if role is not None:
            clicks = self._clicks(role, board)
            after = clicks.after(*self._clicked)
            choices = after.choices if self._clicked else clicks.buttons
            marks = dict.fromkeys(after.targets, "target") if self._clicked else {}
            marks |= dict.fromkeys(self._clicked, "chosen")
            live = {*marks, *clicks.sources}
        svg = draw_svg(marked(board, marks), caption=caption_of(self.state), is_live=True, live=live)
        pressed = list(self._buttons(choices))
        buttons = tag("div", *pressed, style="margin-top:8px") if pressed else ""  # HTML has no empty <div/>
        note = tag("div", escape(clip(self.note, 400)), role="status") if self.note else ""
        return tag("div", svg, note, buttons, data_step=str(self.state.step))

    def _buttons(self, choices: tuple[Choice, ...]) -> Iterator[str]:
        for choice in choices[:MOST_BUTTONS]:
            yield _button(f"move {choice.move}", clip(choice.label, 60))
        if len(self.states) > 1:
            yield _button("back", "take back")
            yield _button("again", "new game")

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        listen()
        self._count += 1
        role = self.awaited
        example = str(self.state.legal_moves(role)[0]) if role else "..."
        hint = f'Where clicks do not get through, type the move: table.move("{clip(example, 60)}")'
        table = tag(
            "div",
            tag("div", self.board_html(), data_board="yes"),
            tag("div", escape(hint), data_hint="yes", style="opacity:.7;margin-top:4px"),
            id=f"gm-table-{self._token}-{self._count}",
            data_gamemaster_table="yes",
            data_token=self._token,
            data_kernel=kernel_id(),
            style="font-family:system-ui,sans-serif",
        )
        return table + tag("script", _script())

    def __str__(self) -> str:
        return "\n".join(filter(None, (draw_text(self.state), self.note)))

    def __repr__(self) -> str:
        return str(self)


def _seat_of(game: Game, role: str | None) -> str:
    """The role that the person plays."""
    if game.has_percepts:
        raise Unsuitable(
            f"{game.name} hides its state, and a table in a notebook shows all of it; "
            "`gamemaster play` and the site show each role what it sees"
        )
    if role is None:
        return next(each for each in game.roles if each != RANDOM)
    game.check_role(role)
    if role == RANDOM:
        raise ParameterError(f"{RANDOM!r} is chance in {game.name}, which nobody plays")
    return role


def _button(act: str, label: str) -> str:
    return tag("button", escape(label) or "&nbsp;", data_act=act, type="button", style=BUTTON)


def marked(board: Board, marks: Mapping[str, Mark]) -> Board:
    """A board with cells marked, by their ids."""

    def cell_of(cell: Cell) -> Cell:
        return replace(cell, marks=cell.marks | {marks[cell.id]}) if cell.id in marks else cell

    panels = (replace(panel, cells=tuple(map(cell_of, panel.cells))) for panel in board.panels)
    return replace(board, panels=tuple(panels))


@cache
def _script() -> str:
    return SCRIPT.read_text(encoding="utf-8")


# The kernel


def listen() -> bool:
    """Have the kernel answer pages of tables; False where there is none."""
    try:
        manager = import_module("comm").get_comm_manager()
    except ImportError:
        return False
    manager.register_target(TARGET, _opened)
    return True


def _opened(comm: Any, message: Mapping[str, Any]) -> None:
    """A page has come: it is told how its table looks now, and whenever it says something."""
    token = message["content"]["data"].get("token")
    table = TABLES.get(token) if isinstance(token, str) else None
    if table is None:
        comm.send({"html": escape("This table is gone with its kernel: run the cell again.")})
        return
    comm.on_msg(lambda told: comm.send(table.handle(told["content"]["data"])))
    comm.send({"html": table.board_html()})


def kernel_id() -> str:
    """What the server calls the kernel that this is; nothing where it is none."""
    try:
        place = import_module("ipykernel.connect").get_connection_file()
    except (ImportError, RuntimeError):
        return ""
    found = KERNEL.fullmatch(Path(place).name)
    return found[1] if found else ""
