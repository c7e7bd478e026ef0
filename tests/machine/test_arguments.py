"""What callers may give to games and states: both machines take the same, and refuse the same in the same words."""

from __future__ import annotations

import math
import os
import random
import signal
import threading
from collections import UserDict
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gamemaster as gm
from gamemaster.codegen.kernel import play as real_play
from gamemaster.load import MachineName
from gamemaster.machine.compiled import CompiledGame
from gamemaster.machine.game import Game
from gamemaster.machine.interrupts import interrupt_sets

MACHINES: tuple[MachineName, ...] = ("reference", "compiled")
NO_WHOLE_NUMBERS = [True, "1", 1.5, 2.0, math.nan, math.inf, [], np.float32(1.0), np.True_]
SHEET = """
role(x) role(o) init(left(3)) less(3,2) less(2,1) less(1,0) init(control(x)) other(x,o) other(o,x)
legal(R,take) :- true(control(R))
legal(R,leave) :- true(control(R))
legal(R,wait) :- other(R,S) & true(control(S))
next(left(N)) :- true(left(M)) & less(M,N)
next(control(R)) :- other(R,S) & true(control(S))
terminal :- true(left(0))
goal(x,100) goal(o,0)
"""


@pytest.fixture(params=MACHINES)
def game(request: pytest.FixtureRequest) -> Game:
    return gm.parse(SHEET, "hrf", machine=request.param, name="three")


@pytest.fixture
def compiled() -> CompiledGame:
    made = gm.parse(SHEET, "hrf", machine="compiled", name="three")
    assert isinstance(made, CompiledGame)
    return made


# Numbers


@pytest.mark.parametrize("value", [*NO_WHOLE_NUMBERS, -1, -(10**30)])
def test_a_count_is_a_whole_number(game: Game, value: Any) -> None:
    with pytest.raises(gm.ParameterError, match="count must be a whole number, 0 or more, not ") as caught:
        game.playouts(count=value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("value", [True, "1", math.nan, math.inf, -math.inf, -1, -1e-9, [], 1j, np.nan])
def test_seconds_are_a_number_that_is_not_negative(game: Game, value: Any) -> None:
    for count in (None, 5):
        with pytest.raises(gm.ParameterError, match="seconds must be a number, 0 or more, and finite, not "):
            game.playouts(count=count, seconds=value)


@pytest.mark.parametrize("value", [*NO_WHOLE_NUMBERS, None])
def test_a_seed_is_a_whole_number(game: Game, value: Any) -> None:
    with pytest.raises(gm.ParameterError, match="seed must be a whole number, not "):
        game.playouts(seed=value)
    with pytest.raises(gm.ParameterError, match="seed must be a whole number, not "):
        game.charges([game.initial_state()], seed=value)


@pytest.mark.parametrize("value", [*NO_WHOLE_NUMBERS, None, 0, -1, 257, 10**6])
def test_threads_are_a_whole_number_that_a_machine_can_have(game: Game, value: Any) -> None:
    with pytest.raises(gm.ParameterError, match="threads must be a whole number from 1 to 256, not "):
        game.playouts(threads=value)


@pytest.mark.parametrize("value", [*NO_WHOLE_NUMBERS, None, -1, 1_001, 10**30])
def test_a_depth_is_a_whole_number_of_steps_that_games_have(game: Game, value: Any) -> None:
    with pytest.raises(gm.ParameterError, match="depth must be a whole number from 0 to 1,000, not "):
        game.perft(value)
    assert game.perft(1_000) == [2, 4, 8, *[0] * 997]


@pytest.mark.parametrize("value", [*NO_WHOLE_NUMBERS, None, -1])
def test_steps_and_lengths_are_whole_numbers(game: Game, value: Any) -> None:
    with pytest.raises(gm.ParameterError, match="step must be a whole number, 0 or more, not "):
        game.state([], value)
    with pytest.raises(gm.ParameterError, match="max_length must be a whole number, 0 or more, not "):
        game.random_game(random.Random(0), value)


@pytest.mark.parametrize("value", [True, "soon", math.nan, []])
def test_a_deadline_is_a_time(game: Game, value: Any) -> None:
    with pytest.raises(gm.ParameterError, match="deadline must be a time in seconds, or None, not "):
        game.charges([game.initial_state()], deadline=value)
    assert game.charges([game.initial_state()], deadline=math.inf) == [(100, 0)]


def test_a_value_is_shown_but_not_all_of_it(game: Game) -> None:
    with pytest.raises(gm.ParameterError, match=r"not '1{50,59}\.\.\.$"):
        game.playouts(count="1" * 10_000)  # type: ignore[arg-type]
    with pytest.raises(gm.ParameterError, match=r"not a value of type int$"):
        game.perft(10**5_000)


def test_whole_numbers_of_numpy_and_any_size_will_do(game: Game) -> None:
    assert game.playouts(count=np.int64(3)).playouts == 3  # type: ignore[arg-type]
    one = game.playouts(count=20, seed=np.uint8(7))  # type: ignore[arg-type]
    assert one.moves == game.playouts(count=20, seed=7).moves
    for seed in (-1, 10**30):
        assert game.playouts(count=20, seed=seed).playouts == 20
    assert game.perft(np.int32(2)) == [2, 4]  # type: ignore[arg-type]


def test_the_time_ends_what_no_count_would(game: Game) -> None:
    assert game.playouts(count=10**30, seconds=np.float32(0.01)).playouts >= 1  # type: ignore[arg-type]
    assert game.playouts(count=3, seconds=10**400).playouts == 3


def test_with_no_time_at_all_there_is_one_game_or_as_many_as_go_side_by_side(game: Game) -> None:
    for count in (None, 10**30):
        assert game.playouts(count=count, seconds=0).playouts in (1, 256)
    assert game.playouts(count=0, seconds=0).playouts == 0


# States


def test_states_of_others_are_refused(game: Game) -> None:
    ours = game.initial_state()
    other = gm.parse(SHEET.replace("take", "grab"), "hrf", machine=game.machine.name, name="other")  # type: ignore[arg-type]
    on = f"on the {game.machine} machine"
    with pytest.raises(gm.StateError, match=f"^state 1 is of other {on}, not of three {on}$"):
        game.charges([ours, other.initial_state()])
    with pytest.raises(gm.StateError, match=f"^state 0 is of other {on}, not of three {on}$"):
        game.random_game(random.Random(0), start=other.initial_state())


def test_states_of_the_other_machine_are_refused_with_how_to_take_them_over(game: Game) -> None:
    (name,) = {*MACHINES} - {game.machine.name}
    theirs = gm.parse(SHEET, "hrf", machine=name, name="three").initial_state()
    with pytest.raises(gm.StateError, match=r"game\.state\(state\.facts, state\.step\) takes it over$"):
        game.charges([theirs])
    assert game.charges([game.state(theirs.facts, theirs.step)]) == [(100, 0)]


def test_states_of_the_same_rules_on_the_same_machine_are_taken(game: Game) -> None:
    twin = gm.parse(SHEET, "hrf", machine=game.machine.name, name="twin")  # type: ignore[arg-type]
    assert game.charges([twin.initial_state()]) == [(100, 0)]
    assert game.random_game(random.Random(0), start=twin.initial_state()).is_terminal


@pytest.mark.parametrize("states", [None, 5, "abc", b"ab", {1, 2}])
def test_states_come_as_a_sequence(game: Game, states: Any) -> None:
    with pytest.raises(gm.StateError, match="states must come as a sequence of states of three, not as "):
        game.charges(states)


def test_what_is_no_state_is_named(game: Game) -> None:
    with pytest.raises(gm.StateError, match=r"^state 1 is 'x', not a state of three$"):
        game.charges([game.initial_state(), "x"])  # type: ignore[list-item]
    assert game.charges([]) == []


def test_a_game_without_facts_has_states_too() -> None:
    for machine in MACHINES:
        empty = gm.parse("role(x) legal(x,go) terminal goal(x,30)", "hrf", machine=machine)
        assert empty.charges([empty.initial_state()] * 3) == [(30,)] * 3


@pytest.mark.parametrize("facts", ["abc", b"abc", 5, None])
def test_facts_come_as_a_collection(game: Game, facts: Any) -> None:
    with pytest.raises(gm.StateError, match="facts must come as a collection of terms or texts, not as "):
        game.state(facts)


@pytest.mark.parametrize("fact", [5, None, b"left(3)", ("left", "3"), ["left(3)"]])
def test_a_fact_is_a_term_or_a_text(game: Game, fact: Any) -> None:
    with pytest.raises(gm.StateError, match="is neither a term nor a text"):
        game.state([fact])


# Roles and moves


@pytest.mark.parametrize("role", [5, None, [], b"x", ("x",), "X"])
def test_what_is_no_role_is_unknown(game: Game, role: Any) -> None:
    state = game.initial_state()
    for ask in (state.legal_moves, state.goal, state.goals):
        with pytest.raises(gm.UnknownRole, match="its roles: x, o"):
            ask(role)


@pytest.mark.parametrize("move", [5, [], ["take"], b"take", True, (), (5, 6), {1}, None])
def test_what_is_no_move_is_illegal(game: Game, move: Any) -> None:
    state = game.initial_state()
    for given in (move, {"x": move, "o": "wait"}):
        for ask in (state.next, state.percepts):
            with pytest.raises(
                gm.IllegalMove, match=r"for role 'x' in step 1; legal: (take, leave|leave, take)"
            ):
                ask(given)


def test_any_mapping_is_a_joint_move(game: Game) -> None:
    state, moves = game.initial_state(), {"x": "take", "o": "wait"}
    assert state.next(MappingProxyType(moves)) == state.next(UserDict(moves)) == state.next(moves)


def test_of_a_long_illegal_move_only_the_beginning_is_shown(game: Game) -> None:
    with pytest.raises(gm.IllegalMove) as caught:
        game.initial_state().next("m" * 1_000_000)
    assert len(str(caught.value)) < 400


# Rows of bits


def test_rows_of_the_wrong_shape_are_refused(compiled: CompiledGame) -> None:
    bits = np.frombuffer(compiled.initial_state().bits, np.uint8)
    right = np.stack([bits, bits])
    assert compiled.lanes.observe(right).shape[0] == 2
    assert (compiled.lanes.observe(right[:, ::-1][:, ::-1]) == compiled.lanes.observe(right)).all()
    assert compiled.lanes.observe(right[:0]).shape[0] == 0
    width = right.shape[1]
    wrong: list[Any] = [
        bits,
        right[:, : width - 1],
        np.hstack([right, right]),
        right[None],
        right.astype(np.int8),
        right.astype(np.float64),
        right.astype(bool),
        right.tolist(),
        bits.tobytes(),
        None,
    ]
    for rows in wrong:
        expected = f"observe takes an array of uint8 with {width} bytes in each row, not "
        for ask in (compiled.lanes.observe, lambda rows: compiled.lanes.charges(rows, 0)):
            with pytest.raises(gm.StateError, match=expected):
                ask(rows)


def test_rows_without_moves_are_refused(compiled: CompiledGame) -> None:
    bits = np.frombuffer(compiled.initial_state().bits, np.uint8)[None]
    with pytest.raises(
        gm.StateError, match=r"advance takes an array of uint8 with 2 bytes .* not uint8 of shape \(1, 1\)"
    ):
        compiled.lanes.advance(bits)


# Interrupts


@pytest.fixture
def hears_interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_interrupts")
@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupt_ends_playouts_between_two_slices(
    compiled: CompiledGame, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    slices = iter(range(10**9))

    def played(*arguments: Any) -> Any:
        number = next(slices)
        if number == 50:
            os.kill(os.getpid(), signal.SIGINT)
        assert number < 200_000, "nobody stopped"
        return real_play(*arguments)

    monkeypatch.setattr("gamemaster.machine.lanes.play", played)
    with pytest.raises(KeyboardInterrupt):
        compiled.playouts(count=10**12, threads=threads)


class Dying:
    """Something with a finalizer, in which Python swallows what is raised."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass


@pytest.mark.usefixtures("hears_interrupts")
def test_an_interrupt_that_falls_in_a_finalizer_is_not_lost() -> None:
    stopped = threading.Event()
    with pytest.raises(KeyboardInterrupt), interrupt_sets(stopped):
        Dying()
    assert stopped.is_set()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_hears_interrupts_in_a_way_of_their_own_keeps_it() -> None:
    heard, stopped = list[int](), threading.Event()
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with interrupt_sets(stopped):
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]
    assert not stopped.is_set()


def test_slow_steps_are_made_few_at_a_time_and_quick_ones_many(
    compiled: CompiledGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, cost, asked = 0.0, 0.04, list[int]()

    def played(kernel: Any, job: Any, steps: int) -> Any:
        nonlocal now
        asked.append(steps)
        now += cost * steps
        return real_play(kernel, job, steps)

    monkeypatch.setattr("gamemaster.machine.lanes.play", played)
    monkeypatch.setattr("gamemaster.machine.lanes.time", SimpleNamespace(perf_counter=lambda: now))
    compiled.playouts(count=50_000)
    assert set(asked) == {1}
    cost = 1e-6
    compiled.playouts(count=200_000)
    assert max(asked) >= 64
    cost, asked = 0.04, []
    compiled.playouts(count=200_000)
    assert asked[-1] == 1


def test_the_failure_of_one_thread_ends_the_others(
    compiled: CompiledGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    slices = iter(range(10**9))

    def played(*arguments: Any) -> Any:
        number = next(slices)
        if number == 20:
            raise MemoryError("no room")
        assert number < 200_000, "nobody stopped"
        return real_play(*arguments)

    monkeypatch.setattr("gamemaster.machine.lanes.play", played)
    with pytest.raises(MemoryError, match="no room"):
        compiled.playouts(count=10**12, threads=2)


# Odd rules


def test_numbers_of_any_length_are_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    long = "9" * 10_000
    sheet = f"role(x) init(n({long})) init(n(10)) init(n(9)) legal(x,go) terminal goal(x,{long})"
    for machine in MACHINES:
        state = gm.parse(sheet, "hrf", machine=machine).initial_state()
        assert len(state.facts) == 3
        with pytest.raises(gm.GameIllDefined, match=r"goal of 'x' is '9{297}\.\.\.', more than"):
            state.goal("x")
    assert [str(fact)[:5] for fact in state.ordered_facts] == ["n(9)", "n(10)", "n(999"]


def test_of_many_roles_only_some_are_listed() -> None:
    roles = " ".join(f"role(r{number}) legal(r{number},go)" for number in range(300))
    state = gm.parse(f"{roles} init(p) next(p) :- true(p)", "hrf", machine="reference").initial_state()
    with pytest.raises(gm.UnknownRole, match=r"its roles: r0, r1, .*r19, \.\.\.$"):
        state.legal_moves("r300")
    assert state.next({f"r{number}": "go" for number in range(300)}).step == 1
