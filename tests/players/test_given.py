"""Players given in Python: classes, objects and functions, mixed with names and files."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import gamemaster as gm
from gamemaster.match.manager import run_match
from gamemaster.match.records.record import read_record
from gamemaster.players.given import Chooser, Filled, given_player, name_of
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from tests.players.sheets import ROSHAMBO

TICTACTOE = gm.load("tictactoe", machine="reference")


class Mine(gm.Player):
    """The last legal move."""

    def choose(self, state: gm.State) -> gm.Term:
        return state.legal_moves(self.role)[-1]


class Bare:
    """Only what is needed."""

    def play(self, move: object) -> str:
        return "mark(2,2)"


class Talkative(Bare):
    """All handlers, and a name."""

    name = "chatterbox"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.heard: list[str] = []
        self.last_result = SearchResult("mine", "x", None, 7.0)

    def ping(self) -> str:
        self.heard.append("ping")
        return "ready"

    def start(self, *given: object) -> str:
        self.heard.append("start")
        return "ready"

    def stop(self, move: object) -> None:
        self.heard.append("stop")

    def abort(self) -> None:
        self.heard.append("abort")


class Offset(gm.Player):
    def __init__(self, seed: int | None = None, *, place: int) -> None:
        super().__init__(seed)
        self.place = place

    def choose(self, state: gm.State) -> gm.Term:
        return state.legal_moves(self.role)[self.place % len(state.legal_moves(self.role))]


def first(state: gm.State) -> gm.Term:
    return state.legal_moves(state.control or "")[0]


def last(state: gm.State, role: str) -> gm.Term:
    return state.legal_moves(role)[-1]


def with_options(state: gm.State, depth: int = 2) -> gm.Term:
    assert depth == 2
    return first(state)


def may_know(state: gm.State, role: str = "nobody") -> gm.Term:
    return last(state, role)


class Callable_:
    """Neither function nor player."""

    def __call__(self, state: gm.State) -> gm.Term:
        return first(state)


@pytest.mark.parametrize(
    ("given", "name", "move"),
    [
        (Mine, "mine", "mark(3,3)"),
        (Mine(), "mine", "mark(3,3)"),
        (Bare, "Bare", "mark(2,2)"),
        (Bare(), "Bare", "mark(2,2)"),
        (Talkative, "chatterbox", "mark(2,2)"),
        (partial(Offset, place=4), "offset", "mark(2,2)"),
        (first, "first", "mark(1,1)"),
        (last, "last", "mark(3,3)"),
        (with_options, "with_options", "mark(1,1)"),
        (may_know, "may_know", "mark(3,3)"),
        (lambda state: "mark(1,2)", "<lambda>", "mark(1,2)"),
        (partial(last, role="x"), "partial", "mark(3,3)"),
        (Callable_(), "Callable_", "mark(1,1)"),
    ],
)
def test_anything_that_can_play_is_a_player_and_its_name_is_in_the_record(
    given: Any, name: str, move: str, tmp_path: Path
) -> None:
    path = tmp_path / "match.jsonl"
    result = gm.match(TICTACTOE, [given, "legal"], record=path)
    assert result.players == read_record(path).started.players == {"x": name, "o": "legal"}
    assert (result.how, result.moves[0]) == ("completed", {"x": move})


def test_players_of_all_kinds_play_by_role_or_for_all_roles(tmp_path: Path) -> None:
    path = tmp_path / "theirs.py"
    path.write_text("from gamemaster.players.simple import Legal\nclass Theirs(Legal): ...\n")
    by_role = gm.match(TICTACTOE, {"o": Mine, "x": path})
    assert (by_role.players, by_role.errors) == ({"x": str(path), "o": "mine"}, {"x": 0, "o": 0})
    for given in (Mine, last):
        assert gm.match(TICTACTOE, given).errors == {"x": 0, "o": 0}
    referee = run_match(TICTACTOE, {"x": Mine(), "o": Mine()})
    assert referee.errors == {"x": 0, "o": 0}


def test_two_roles_need_two_objects() -> None:
    player = Mine()
    for players in ([player, player], player):
        with pytest.raises(
            gm.ParameterError, match=r"^one Mine cannot play both x and o: give its class, or an object"
        ):
            gm.match(TICTACTOE, players)


def test_an_object_needs_no_more_than_play() -> None:
    bare, talkative = given_player(Bare()), given_player(Talkative, 5)
    assert isinstance(bare, Filled)
    assert isinstance(talkative, Filled)
    assert [bare.ping(), bare.start("x", TICTACTOE, 1, 1), bare.stop(None), bare.abort()] == [
        "ready",
        "ready",
        False,
        False,
    ]
    assert bare.last_result is None
    assert [talkative.ping(), talkative.start("x", TICTACTOE, 1, 1)] == ["ready", "ready"]
    talkative.stop(None)
    talkative.abort()
    assert talkative.handlers.heard == ["ping", "start", "stop", "abort"]
    assert talkative.handlers.seed == 5
    assert talkative.last_result is talkative.handlers.last_result
    with pytest.raises(gm.PlayerError, match=r"^Bare: who keeps books of its own cannot think about a state"):
        bare.think(TICTACTOE.initial_state(), Budget())


def test_what_is_a_player_already_stays_the_same() -> None:
    player = Mine()
    filled = given_player(Bare())
    assert given_player(player) is player
    assert given_player(filled) is filled
    assert name_of(object()) == "object"


def no_state() -> None: ...


def too_much(state: object, role: object, clock: object) -> None: ...


class Needy(gm.Player):
    def __init__(self, depth: int) -> None:
        super().__init__()

    def choose(self, state: gm.State) -> None: ...


class Broken(gm.Player):
    def __init__(self) -> None:
        raise ValueError("not today")

    def choose(self, state: gm.State) -> None: ...


class Empty(gm.Player): ...


class Close:
    def choose(self, state: gm.State) -> None: ...


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            3,
            "3 is no player; a name or a file is one, a class or an object with play such as gm.Player, and a function",
        ),
        (None, "None is no player; "),
        (
            no_state,
            "no_state() -> 'None' is no player: a function is asked for a move by no_state(state) or no_state(",
        ),
        (
            too_much,
            "too_much(state: 'object', role: 'object', clock: 'object') -> 'None' is no player: a function is",
        ),
        (
            Needy,
            "class Needy needs depth: give functools.partial(Needy, depth=...)",
        ),
        (Broken, "class Broken cannot be made: ValueError: not today"),
        (Empty, "class Empty has no choose"),
        (gm.Player, "class Player has no choose"),
        (
            Close,
            "class Close has no play and is no Player: write class Close(Player), with from gamemaster import",
        ),
        (int, "class int has no play"),
    ],
)
def test_what_cannot_play_is_refused_before_the_match(given: Any, words: str) -> None:
    with pytest.raises(gm.GamemasterError, match="^" + re.escape(words)):
        gm.match(TICTACTOE, [given, "legal"])


@pytest.mark.parametrize(("given", "kind"), [(Mine, "class"), (Mine(), "object"), (first, "function")])
def test_only_names_and_files_are_isolated(given: Any, kind: str) -> None:
    with pytest.raises(
        gm.ParameterError, match=f"is given as a {kind} and plays in this process; only names and files"
    ):
        gm.match(TICTACTOE, [given, "legal"], is_isolated=True)


def test_a_function_that_gives_nothing_or_fails_is_told_so() -> None:
    def fails(state: gm.State) -> gm.Term:
        raise ValueError("no idea")

    def forgets(state: gm.State) -> None: ...

    functions: list[Callable[[gm.State], Any]] = [fails, forgets]
    found = [gm.match(TICTACTOE, [function, "legal"]).faults[0] for function in functions]
    assert (found[0].kind, found[0].detail) == ("crashed", "ValueError: no idea")
    assert found[1].kind == "crashed"
    assert re.fullmatch("forgets gives None instead of a move: is a return missing.", found[1].detail)


def test_a_function_does_not_play_what_it_cannot_see() -> None:
    game = gm.parse(ROSHAMBO, machine="reference")
    assert gm.match(game, lambda state, role: state.legal_moves(role)[0]).errors == {"left": 0, "right": 0}
    assert Chooser(first).needs_state


def test_what_a_player_says_of_itself_may_fail_and_ends_nothing() -> None:
    class Shy(Bare):
        @property
        def name(self) -> str:
            raise ValueError("no name")

    class Ghost:
        def __getattr__(self, name: str) -> Any:
            raise ValueError(name)

    class Leaver(Bare):
        def __init__(self) -> None:
            raise SystemExit(1)

    assert name_of(Shy()) == "Shy"
    with pytest.raises(gm.ParameterError, match="is no player"):
        gm.match(TICTACTOE, [Ghost(), "legal"])
    with pytest.raises(gm.PlayerError, match="class Leaver cannot be made: SystemExit: 1"):
        gm.match(TICTACTOE, [Leaver, "legal"])
