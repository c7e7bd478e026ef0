"""Player: what its handlers answer, how it follows a match, and what it refuses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

import gamemaster
from gamemaster.errors import IllegalMove, PlayerError, UnknownRole, Unsuitable
from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.machine.game import State
from gamemaster.players.player import Heard, Player, advance, message_to, thinking_time
from gamemaster.players.simple import Legal, Random
from gamemaster.search.hidden.beliefs import Beliefs
from tests.players.sheets import HIDDEN, ROSHAMBO
from tests.search.hidden.test_lanes import CHAIN

TICTACTOE = gamemaster.load("tictactoe", machine="reference")


class Asked(Player):
    """Makes the last legal move and remembers where it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[State] = []

    def choose(self, state: State) -> Term:
        self.asked.append(state)
        return state.legal_moves(self.role)[-1]


def started(role: str = "x", rules: Any = TICTACTOE, playclock: float = 1.0) -> Asked:
    player = Asked()
    assert player.start(role, rules, 1.0, playclock) == "ready"
    return player


def test_a_player_is_ready() -> None:
    assert Player().ping() == "ready"


@pytest.mark.parametrize("nothing", [None, "nil", (), []])
def test_on_the_first_step_nothing_was_done(nothing: object) -> None:
    player = started()
    assert str(player.play(nothing)) == "mark(3,3)"
    assert player.state == TICTACTOE.initial_state()


def test_a_player_follows_single_moves() -> None:
    player = started("o")
    assert player.play(None) is False
    assert str(player.play(read_term("mark(3,3)"))) == "mark(3,2)"
    assert player.play("mark(3,2)") is False
    assert player.state.step == 2
    assert player.stop("mark(1,1)") is False
    assert player.state.step == 3


@pytest.mark.parametrize(
    "joint",
    [{"x": "mark(3,3)", "o": None}, {"x": "mark(3,3)"}, ("mark(3,3)", "nil"), ["mark(3,3)", "noop"]],
)
def test_a_player_follows_joint_moves(joint: object) -> None:
    assert str(started("o").play(joint)) == "mark(3,2)"


def test_simultaneous_moves_are_told_together() -> None:
    game = gamemaster.parse(ROSHAMBO, name="roshambo")
    for joint in ({"left": "rock", "right": "paper"}, ("rock", "paper")):
        assert advance(game.initial_state(), joint).is_terminal


def test_no_move_where_the_game_is_over() -> None:
    player = started(rules=gamemaster.parse(ROSHAMBO), role="left")
    assert player.play(("rock", "rock")) is False


def test_the_wrong_number_of_moves_is_an_error() -> None:
    with pytest.raises(PlayerError, match="told 1 moves, but the roles are x, o"):
        started().play(["mark(1,1)"])


def test_an_illegal_move_of_somebody_is_an_error() -> None:
    with pytest.raises(IllegalMove, match=r"illegal move 'mark\(7,7\)' for role 'x' in step 1"):
        started("o").play("mark(7,7)")


@pytest.mark.parametrize("error", [Unsuitable("not this game"), ValueError("no idea")])
def test_a_player_that_did_not_start_says_why_whenever_it_is_asked(error: Exception) -> None:
    class Unready(Player):
        def prepare(self) -> None:
            raise error

    player, lengths = Unready(), []
    for ask in (lambda: player.start("x", TICTACTOE, 1, 1), player.play, player.play):
        with pytest.raises(type(error), match=str(error)) as raised:
            ask()
        lengths.append(len(raised.traceback))
    assert lengths[1] == lengths[2], "what is kept of it does not grow"


def test_a_forced_move_needs_no_thought() -> None:
    player = started()
    player.resume(TICTACTOE.initial_state())
    for place in ("1,1", "1,2", "1,3", "2,2", "2,1", "2,3", "3,2", "3,1"):
        player.play(f"mark({place})")
    asked = len(player.asked)
    assert str(player.play(None)) == "mark(3,3)"
    assert len(player.asked) == asked


@pytest.mark.parametrize("rules", ["text", "Rules", "Game"])
def test_rules_come_in_any_form(rules: str) -> None:
    forms = {"text": ROSHAMBO, "Game": gamemaster.parse(ROSHAMBO), "Rules": gamemaster.parse(ROSHAMBO).sheet}
    player = started("left", forms[rules])
    assert player.game.machine.name == "compiled"
    assert str(player.play(None)) == "rock"


def test_a_game_is_taken_as_it_is_given_unless_another_machine_is_wanted() -> None:
    assert started().game is TICTACTOE
    player = Legal()
    player.start("x", gamemaster.load("tictactoe"), 1, 1)
    assert player.game.machine.name == "reference"


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(UnknownRole, match="no role 'z' in tictactoe"):
        started("z")


def test_play_before_start_is_an_error() -> None:
    with pytest.raises(PlayerError, match="asked is asked to play before it is told which game"):
        Asked().play(None)
    player = started()
    player.abort()
    with pytest.raises(PlayerError, match="before it is told"):
        player.play(None)


def test_stop_before_start_is_no_error() -> None:
    assert Asked().stop(None) is False


def test_a_player_without_a_strategy_is_an_error() -> None:
    player = Player()
    player.start("x", TICTACTOE, 1, 1)
    with pytest.raises(PlayerError, match="player has neither choose nor choose_from"):
        player.play(None)


def test_clocks_may_be_text_and_the_budget_keeps_a_margin() -> None:
    player = Asked()
    player.start("x", TICTACTOE, "3", "10")  # type: ignore[arg-type]
    player.play(None)
    assert player.budget.seconds is not None
    assert 9.0 < player.budget.seconds <= 9.5


@pytest.mark.parametrize(("clock", "seconds"), [(10.0, 9.5), (1.0, 0.9), (0.1, 0.05), (0.0, 0.0)])
def test_the_margin_is_never_more_than_half(clock: float, seconds: float) -> None:
    assert thinking_time(clock) == pytest.approx(seconds)


def test_who_chooses_nothing_though_there_are_moves_is_told_so() -> None:
    class Nothing(Player):
        def choose(self, state: State) -> None:
            return None

    player = Nothing()
    player.start("x", TICTACTOE, 1, 1)
    with pytest.raises(
        PlayerError, match=r"^choose in line [0-9]+ of Nothing gives None instead of a move: is a return"
    ):
        player.play(None)
    player.state = TICTACTOE.state(["cell(1,1,b)", "control(o)"])
    assert player.play(None) is False, "it has no move to make"


# Hidden information


def test_a_player_that_needs_the_state_refuses_a_game_that_hides_it() -> None:
    with pytest.raises(Unsuitable, match="asked cannot play rules: it needs to know the state"):
        started("player", gamemaster.parse(HIDDEN))


@pytest.mark.parametrize("kind", [Legal, Random])
def test_a_player_that_does_not_answers_from_the_moves_it_is_told(kind: type[Player]) -> None:
    game = gamemaster.parse(HIDDEN)
    state, player = game.initial_state(), kind(seed=1)
    player.start("player", game, 1, 1)
    message: Any = None
    while not state.is_terminal:
        legal = state.legal_moves("player")
        player.tell_legal(legal)
        move = player.play(message)
        assert move in legal
        moves = {"random": state.legal_moves("random")[0], "player": legal[legal.index(move)]}
        message = message_to("player", state, moves)
        assert isinstance(message, frozenset)
        state = state.next(moves)
    assert player.stop(message) is False


@pytest.mark.parametrize("seed", range(5))
def test_a_player_that_nobody_told_its_moves_finds_them(seed: int) -> None:
    game = gamemaster.parse(HIDDEN)
    state, player = game.initial_state(), Random(seed=seed)
    player.start("player", game, 1, 1)
    message: Any = None
    while not state.is_terminal:
        legal = state.legal_moves("player")
        move = player.play(message)
        assert move in legal
        moves = state.random_moves(random.Random(seed)) | {"player": legal[legal.index(move)]}
        message = message_to("player", state, moves)
        state = state.next(moves)


def test_a_player_that_is_told_no_longer_says_so() -> None:
    game = gamemaster.parse(HIDDEN)
    player = Legal()
    player.start("player", game, 1, 1)
    player.tell_legal(game.initial_state().legal_moves("player"))
    player.play(None)
    with pytest.raises(PlayerError, match="was told which moves are legal in rules, and now no longer"):
        player.play(frozenset())


class Believing(Legal):
    """Believes, and notes what it believes when it chooses."""

    believes = True


def test_what_fitted_nothing_is_looked_for_again_with_the_next_move(monkeypatch: pytest.MonkeyPatch) -> None:
    game = gamemaster.parse(CHAIN, dialect="hrf", machine="reference")
    state, player = game.initial_state(), Believing()
    player.start("player", game, 60, 60)
    failing = iter([True, True])
    see = Beliefs.see

    def fail_twice(beliefs: Beliefs, own: Term | None, percepts: Any, seconds: float) -> None:
        if next(failing, False):
            raise PlayerError("there was no time")
        see(beliefs, own, percepts, seconds)

    monkeypatch.setattr(Beliefs, "see", fail_twice)
    message, known = None, list[bool]()
    for _ in range(3):
        player.tell_legal(state.legal_moves("player"))
        player.play(message)
        known.append(player.beliefs is not None)
        moves = state.random_moves(random.Random(1))  # of its own moves there is only one
        message = message_to("player", state, moves)
        state = state.next(moves)
    assert known == [True, False, True]
    assert player.beliefs is not None
    assert len(player.beliefs.history) == 2


def test_messages_are_the_only_move_or_all_by_role() -> None:
    state = TICTACTOE.initial_state()
    move = state.legal_moves("x")[0]
    assert message_to("o", state, {"x": move}) == move
    joint: dict[str, Term] = dict.fromkeys(("left", "right"), read_term("rock"))
    assert message_to("left", gamemaster.parse(ROSHAMBO).initial_state(), joint) == joint


# Thinking


def test_a_player_can_think_about_any_state() -> None:
    player = started()
    state = TICTACTOE.initial_state().next("mark(1,1)").next("mark(3,3)")
    assert str(player.think(state, player.budget)) == "mark(3,2)"
    assert player.state.step == 0


def test_a_player_can_go_on_from_another_state() -> None:
    player = started(rules=gamemaster.load("tictactoe"))
    state = TICTACTOE.initial_state().next("mark(1,1)").next("mark(3,3)")
    player.resume(state)
    assert player.state == state
    assert player.state.step == 2
    assert str(player.play(None)) == "mark(3,2)"


def test_choose_from_gets_the_legal_moves_where_nothing_is_hidden() -> None:
    class Middle(Player):
        def choose_from(self, legal: Sequence[Term]) -> Term:
            return legal[len(legal) // 2]

    player = Middle()
    player.start("x", TICTACTOE, 1, 1)
    assert str(player.play(None)) == "mark(2,2)"


def test_what_a_player_did_and_was_told_is_kept() -> None:
    player, first = started(), TICTACTOE.initial_state()
    player.play(None)
    assert player.heard == []
    player.play("mark(3,3)")
    player.play("mark(1,1)")
    assert player.heard == [
        Heard(first.legal_moves("x"), TICTACTOE.move_of("mark(3,3)"), "mark(3,3)"),
        Heard((), None, "mark(1,1)"),
    ]
    player.resume(first)
    player.play(None)
    assert player.heard is None


def test_a_player_can_be_led_to_where_others_have_been() -> None:
    player = started()
    player.follow(None, TICTACTOE.move_of("mark(2,2)"))
    player.follow("mark(2,2)", None)
    assert str(player.play("mark(3,3)")) == "mark(3,2)"
    assert player.heard is not None
    assert [str(each.own) for each in player.heard] == ["mark(2,2)", "None"]
