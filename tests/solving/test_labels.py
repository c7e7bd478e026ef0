"""Labels of all positions, against what is known: formulas, counts, other searches, and plain walks."""

from __future__ import annotations

import random
from functools import cache, reduce
from math import sqrt
from operator import xor

import pytest

import gamemaster as gm
from gamemaster.errors import LimitExceeded, StateError, Unsuitable
from gamemaster.machine.game import Game, State, successors
from gamemaster.search.budget import Budget
from gamemaster.search.native.solver import solve as alphabeta
from gamemaster.solving.axes import letters_of
from gamemaster.solving.checking import check_strategy
from gamemaster.solving.explaining import find_strategy
from gamemaster.solving.positions import SolveLimits, expected_total
from gamemaster.solving.proofs import prove_strategy
from gamemaster.solving.solver import solve_table
from gamemaster.solving.strategy import Counsel
from gamemaster.solving.table import LabelTable, MemoryBook, TableStrategy
from tests.search.truth import Graph, graph_game

CHASE = """
role(cat) role(mouse)
init(at(cat,1)) init(at(mouse,4)) init(control(cat))
next_to(1,2) next_to(2,3) next_to(3,4) next_to(4,5) next_to(5,1)
near(X,Y) :- next_to(X,Y)
near(X,Y) :- next_to(Y,X)
other(cat,mouse) other(mouse,cat)
place(X) :- next_to(X,Y)
base(at(R,X)) :- role(R) & place(X)
base(control(R)) :- role(R)
input(R,go(X)) :- role(R) & place(X)
input(R,noop) :- role(R)
legal(R,go(Y)) :- true(control(R)) & true(at(R,X)) & near(X,Y)
legal(R,noop) :- other(R,S) & true(control(S))
next(at(R,Y)) :- does(R,go(Y))
next(at(R,X)) :- does(R,noop) & true(at(R,X))
next(control(R)) :- other(R,S) & true(control(S))
caught :- true(at(cat,X)) & true(at(mouse,X))
terminal :- caught
goal(cat,100) :- caught
goal(cat,0) :- ~caught
goal(mouse,0) :- caught
goal(mouse,100) :- ~caught
"""
"""On a ring a mouse is never caught; with a cut between 5 and 1 it is."""

PATH = (
    CHASE.replace(" next_to(5,1)", "")
    .replace("terminal :- caught", "terminal :- caught\nterminal :- lost")
    .replace("role(cat)", "lost :- true(at(cat,9))\nrole(cat)", 1)
)

THREE = """
role(a) role(b) role(c)
turn(a,b) turn(b,c) turn(c,a)
init(control(a)) init(left(7))
succ(0,1) succ(1,2) succ(2,3) succ(3,4) succ(4,5) succ(5,6) succ(6,7)
base(control(R)) :- role(R)
base(left(N)) :- succ(N,M)
base(left(7))
input(R,take(1)) :- role(R)
input(R,take(2)) :- role(R)
input(R,noop) :- role(R)
legal(R,take(1)) :- true(control(R))
legal(R,take(2)) :- true(control(R)) & true(left(N)) & distinct(N,1)
legal(R,noop) :- role(R) & ~true(control(R))
next(left(M)) :- does(R,take(1)) & true(left(N)) & succ(M,N)
next(left(L)) :- does(R,take(2)) & true(left(N)) & succ(M,N) & succ(L,M)
next(control(S)) :- true(control(R)) & turn(R,S)
terminal :- true(left(0))
goal(S,100) :- true(control(R)) & turn(S,R)
goal(R,60) :- true(control(R))
goal(R,0) :- role(R) & turn(R,S) & ~true(control(R)) & ~true(control(S))
"""
"""Who takes the last gets 100, who would be next 60, the third nothing."""


ENDLESS = """
role(a) role(b) init(turn(a)) other(a,b) other(b,a)
legal(R,go) :- true(turn(R))
legal(R,wait) :- other(R,S) & true(turn(S))
next(turn(R)) :- other(R,S) & true(turn(S))
goal(R,50) :- role(R)
"""
"""Nobody has a choice, and it never ends."""


def solved(name: str) -> LabelTable:
    return solve_table(gm.load(name))


def parsed(text: str) -> LabelTable:
    return solve_table(gm.parse(text, dialect="hrf"))


def positions_of(table: LabelTable) -> list[State]:
    assert isinstance(table.book, MemoryBook)
    return [table.book.positions.state_of(number) for number in range(len(table))]


def some_positions(table: LabelTable, count: int) -> list[State]:
    assert isinstance(table.book, MemoryBook)
    generator = random.Random(1)
    return [table.book.positions.state_of(generator.randrange(len(table))) for _ in range(count)]


# Heaps


def cold(most: int) -> set[tuple[int, int]]:
    """The lost positions of Wythoff's game: n times the golden ratio, and n more."""
    ratio = (1 + sqrt(5)) / 2
    pairs = {(int(n * ratio), int(n * ratio) + n) for n in range(most + 1)}
    return pairs | {(b, a) for a, b in pairs}


@pytest.mark.parametrize("size", [9, 60])
def test_the_table_of_wythoff_is_the_golden_ratio(size: int) -> None:
    letters = letters_of(solved(f"wythoff:left={size},right={size}"))
    assert letters is not None
    assert letters.names == ("stack(left)", "stack(right)")
    lost = {(a, b) for a, row in enumerate(letters.rows) for b, letter in enumerate(row) if letter == "F"}
    assert lost == {(a, b) for a, b in cold(size) if max(a, b) <= size}
    assert {letter for row in letters.rows for letter in row} == {"T", "F"}


def heaps_of(state: State) -> list[int]:
    return [int(str(fact[2])) for fact in state.facts if isinstance(fact, tuple) and fact[0] == "heap"]


@pytest.mark.parametrize(
    ("name", "is_misere"), [("nim", False), ("nim:misere", True), ("nim:first=7,second=6", False)]
)
def test_nim_is_lost_where_the_nim_sum_is_0(name: str, is_misere: bool) -> None:
    table = solved(name)
    for state in positions_of(table):
        heaps = heaps_of(state)
        is_lost = reduce(xor, heaps) == 0
        if is_misere and max(heaps) <= 1:
            is_lost = not is_lost
        assert table.label(state).letter == "FT"[not is_lost], heaps


def coin_row(values: list[int]) -> str:
    """T or F for each height of a stack, as the document does it."""
    row = "F"
    for height in range(1, len(values) + 1):
        run = height
        while run > 0 and values[run - 1] == values[height - 1]:
            run -= 1
        row += "T" if "F" in row[run:height] else "F"
    return row


@pytest.mark.parametrize("height", [1, 12, 24])
def test_a_coin_stack_has_the_row_of_labels_that_a_table_by_hand_has(height: int) -> None:
    values = [1, 1, 1, 2, 2, 2, 1, 2, 1, 2, 2, 2, 2, 1, 2, 2, 1, 1, 1, 1, 1, 2, 2, 1]
    letters = letters_of(solved(f"coinstack:height={height}"))
    assert letters is not None
    assert letters.rows == (coin_row(values[:height]),)


def test_what_is_more_than_two_numbers_has_no_row() -> None:
    assert letters_of(solved("nim")) is None
    assert letters_of(solved("tictactoe")) is None


# Boards


def test_tictactoe_has_5478_positions_and_is_a_draw() -> None:
    table = solved("tictactoe")
    assert len(table) == 5_478
    assert (table.label().goals, table.label().distance) == ((50, 50), 9)
    assert table.figures.values == {"100,0": 2_936, "0,100": 1_474, "50,50": 1_068}
    assert len(table.best_moves()) == 9


@pytest.mark.parametrize(("cells", "winner"), [(5, "T"), (7, "T"), (11, "T"), (6, "F"), (8, "T"), (10, "T")])
def test_three_cells_are_labelled_as_a_plain_search_does(cells: int, winner: str) -> None:
    @cache
    def wins(filled: int) -> bool:
        for cell in range(cells):
            after = filled | 1 << cell
            if after != filled and (after & after >> 1 & after >> 2 or not wins(after)):
                return True
        return False

    assert "FT"[wins(0)] == winner
    assert solved(f"threecells:cells={cells}").label().letter == winner


def test_connect_four_4x4_has_161029_positions_and_is_a_draw() -> None:
    table = solved("connectfour:columns=4,rows=4")
    assert len(table) == 161_029
    assert table.label().goals == (50, 50)
    assert table.figures.shape == "layered"


@pytest.mark.slow
def test_connect_four_5x4_has_3945711_positions_and_is_a_draw() -> None:
    table = solved("connectfour:small")
    assert len(table) == 3_945_711
    assert table.label().goals == (50, 50)
    assert alphabeta(gm.load("connectfour:small").initial_state(), "red", Budget(seconds=60)).value == 50


@pytest.mark.parametrize("size", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_hex_is_won_by_who_begins(size: int) -> None:
    assert solved(f"hex:size={size}").label().letter == "T"


@pytest.mark.parametrize(("columns", "rows"), [(4, 4), (5, 4), (3, 5)])
def test_breakthrough_on_small_boards_is_won_by_who_is_second(columns: int, rows: int) -> None:
    game = gm.load(f"breakthrough:columns={columns},rows={rows}")
    assert alphabeta(game.initial_state(), "white", Budget(), at_once=True).value == 0
    assert prove_strategy(game, "black", Budget(), memory=16, effort=0).value == 100


# One role


def test_subset_sum_is_solved_by_the_fewest_numbers() -> None:
    table = solved("subsetsum")
    game = table.game

    @cache
    def best(state: State) -> tuple[int, int]:
        if state.is_terminal:
            return state.goal("robot") or 0, 0
        goal, steps = max(best(after) for after in successors(state))
        return goal, steps - 1

    for state in positions_of(table):
        goal, steps = best(state)
        assert (table.label(state).goals, table.label(state).distance) == ((goal,), -steps)
    assert check_strategy(table.strategy("robot")).holds
    assert game.roles == ("robot",)


# Other searches


@pytest.mark.parametrize(
    "name",
    [
        "tictactoe",
        "threecells",
        "connectfour:columns=4,rows=4",
        "hex:size=3",
        "breakthrough:columns=3,rows=5",
    ],
)
def test_labels_are_what_alpha_beta_finds(name: str) -> None:
    table = solved(name)
    for state in some_positions(table, 60):
        role = state.chooser
        if state.is_over or role is None:
            continue
        found = alphabeta(state, role, Budget(seconds=30))
        assert found.is_proven
        assert found.value == table.label(state).goals[table.game.roles.index(role)]


def winner_hurries(table: LabelTable) -> dict[State, tuple[tuple[int, ...], int]]:
    """Labels as labels.py defines them, by a plain walk."""
    roles = table.game.roles

    @cache
    def label(state: State) -> tuple[tuple[int, ...], int]:
        if state.is_over:
            return tuple(state.goal(role) or 0 for role in roles), 0
        mover = roles.index(str(state.chooser))

        def wish(known: tuple[tuple[int, ...], int]) -> tuple[int, ...]:
            goals, steps = known
            others = [-goal for role, goal in enumerate(goals) if role != mover]
            return (goals[mover], *others, -steps if goals.index(max(goals)) == mover else steps)

        goals, steps = max(map(label, successors(state)), key=wish)
        return goals, steps + 1

    return {state: label(state) for state in positions_of(table)}


@pytest.mark.parametrize("make", [lambda: solved("tictactoe"), lambda: solved("nim"), lambda: parsed(THREE)])
def test_goals_and_distances_are_those_of_a_plain_walk(make: object) -> None:
    table = make()  # type: ignore[operator]
    for state, (goals, steps) in winner_hurries(table).items():
        assert (table.label(state).goals, table.label(state).distance) == (goals, steps)


# Play that comes back


def test_what_nobody_can_force_is_endless() -> None:
    table = parsed(CHASE)
    label = table.label()
    assert table.figures.shape == "cyclic"
    assert (label.is_endless, label.letter, label.distance, label.sure) == (True, "-", None, (None, None))
    assert table.strategy("cat").value == 0
    assert check_strategy(table.strategy("mouse")).holds


def test_what_can_be_forced_where_play_comes_back_is_won_in_the_fewest_steps() -> None:
    table = parsed(PATH)
    label = table.label()
    assert (label.goals, label.is_endless) == ((100, 0), False)
    strategy = table.strategy("cat")
    assert strategy.value == 100
    assert check_strategy(strategy).holds
    assert strategy.advise(table.game.initial_state()).distance == label.distance


LOITERING = """
role(a) role(b) init(at(p))
legal(a,go(X)) :- true(at(p)) & way(X)
legal(a,back) :- true(at(r))
legal(a,stop) :- true(at(r))
legal(b,on) :- true(at(q))
way(end) way(q)
next(at(X)) :- does(a,go(X))
next(at(r)) :- does(b,on)
next(at(p)) :- does(a,back)
next(at(end)) :- does(a,stop)
next(at(other)) :- true(at(never))
terminal :- true(at(end))
terminal :- true(at(other))
goal(a,50) :- true(at(end))
goal(b,50) :- true(at(end))
goal(a,0) :- true(at(other))
goal(b,100) :- true(at(other))
"""
"""a may end with 50, or go round, which keeps b from its 50, but gets a nothing."""


def test_who_is_sure_of_an_end_does_not_go_round_to_keep_it_from_the_other() -> None:
    table = parsed(LOITERING)
    strategy = table.strategy("a")
    assert (strategy.value, table.label().is_endless) == (50, True)
    assert check_strategy(strategy).holds


@pytest.mark.parametrize("seed", range(12))
def test_strategies_by_labels_hold_and_keep_their_distance_where_play_comes_back(seed: int) -> None:
    game = graph_game(Graph(("a", "b"), is_duel=True, is_cyclic=True, places=60, ends=0.2), seed)
    table = solve_table(game)
    for strategy in map(table.strategy, table.game.roles):
        verdict = check_strategy(strategy)
        assert verdict.holds, str(verdict)
        sure = strategy.advise(table.game.initial_state()).distance
        if strategy.value and sure is not None and table.figures.shape == "cyclic":
            assert longest_play(strategy, table.game.initial_state()) <= sure


def longest_play(strategy: TableStrategy, state: State) -> int:
    """The most steps to an end, whatever the other plays, by a strategy that never goes round."""

    @cache
    def steps(state: State) -> int:
        return 0 if state.is_over else 1 + max(map(steps, replies(state)))

    def replies(state: State) -> list[State]:
        advised = strategy.advise(state).move
        return [state.next(advised)] if advised else [*successors(state)]

    return steps(state)


def test_games_with_cycles_whose_roles_are_not_opposed_are_refused() -> None:
    both = CHASE.replace(
        "goal(mouse,0) :- caught", "goal(mouse,50) :- caught & true(at(cat,1))\ngoal(mouse,100) :- caught"
    )
    with pytest.raises(
        Unsuitable, match="can come back to a position, and the goals of its roles are not opposed"
    ):
        parsed(both.replace("goal(cat,100) :- caught", "goal(cat,100) :- caught\n"))


# Three roles


def test_of_three_roles_each_is_sure_of_what_it_can_force() -> None:
    table = parsed(THREE)
    for role in table.game.roles:
        strategy = table.strategy(role)
        assert check_strategy(strategy).holds
        assert strategy.value <= table.label().goals[table.game.roles.index(role)]


# Strategies


@pytest.mark.parametrize("name", ["tictactoe", "nim", "wythoff", "coinstack", "threecells"])
def test_a_strategy_by_labels_holds_against_every_reply(name: str) -> None:
    table = solved(name)
    for role in table.game.roles:
        assert check_strategy(table.strategy(role)).holds


class Broken(TableStrategy):
    """The last move wherever there are several."""

    def advise(self, state: State) -> Counsel:
        """What it plays."""
        return Counsel(state.legal_moves(self.role)[-1], self.value, "no reason")


def test_a_strategy_that_is_broken_on_purpose_is_refuted() -> None:
    verdict = check_strategy(Broken(solved("nim"), "alice"))
    assert not verdict.holds
    assert verdict.line


def test_counsel_says_why() -> None:
    table = solved("nim")
    strategy, start = table.strategy("alice"), table.game.initial_state()
    counsel = strategy.advise(start)
    assert (str(counsel.move), counsel.value, counsel.distance) == ("take(first,2)", 100, 11)
    assert counsel.why == "wins in 11: every reply leaves a position labelled T for us; no other move wins"
    assert table.strategy("bob").advise(start).move is None
    after = start.next("take(first,1)")
    assert "every move loses" not in table.strategy("bob").advise(after).why
    assert "holds out longest" in table.strategy("bob").advise(start.next("take(first,2)")).why
    assert "alice is sure of 100 in nim, in 11 steps against the best replies" in strategy.explain()
    assert strategy.to_json()["value"] == 100


# What is refused


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("dicerace", "there is chance in dicerace, so nothing is sure"),
        ("higherlower", "the rules of higherlower hide its state"),
        ("roshambo", "several roles of roshambo choose at once"),
        ("threehouses", "hide its state|chance|choose at once|is not"),
    ],
)
def test_games_of_which_labels_say_nothing_are_refused_at_the_door(name: str, why: str) -> None:
    with pytest.raises(Unsuitable, match=why):
        solved(name)


def test_more_positions_than_allowed_are_told() -> None:
    with pytest.raises(LimitExceeded, match="positions limit of 1,000 exceeded solving chess"):
        solve_table(gm.load("chess"), limits=SolveLimits(positions=1_000))


def test_less_memory_than_a_table_takes_is_told() -> None:
    with pytest.raises(LimitExceeded, match="memory limit of 1 MB exceeded looking up"):
        solve_table(gm.load("connectfour:columns=4,rows=4"), limits=SolveLimits(memory=1 << 20))


def test_a_state_that_cannot_come_of_the_start_has_no_label() -> None:
    game: Game = gm.load("nim")
    after = game.initial_state().next("take(first,1)")
    table = solve_table(game, [after])
    assert table.knows(after)
    assert not table.knows(game.initial_state())
    with pytest.raises(gm.errors.StrategyError, match="says nothing of this state"):
        table.label()
    with pytest.raises(StateError, match="a state of tictactoe, and the table is of nim"):
        table.label(gm.load("tictactoe").initial_state())


def test_how_many_positions_there_will_be_is_guessed_from_layers_that_grow_less() -> None:
    assert expected_total([0, 1, 2]) is None
    assert expected_total([0, 1_000, 9_000, 30_000, 60_000, 85_000]) is not None


@pytest.mark.parametrize("seed", [3, 6, 7, 8, 11, 16, 48])
def test_a_strategy_never_goes_round_where_play_could(seed: int) -> None:
    graph = Graph(("a", "b"), is_cyclic=True, is_duel=True, places=60, goals=(1, 2, 3, 50, 90, 99))
    table = solve_table(graph_game(graph, seed))
    assert table.figures.shape == "cyclic"
    for role in ("a", "b"):
        verdict = check_strategy(table.strategy(role))
        assert verdict.holds, verdict


def test_a_game_without_any_end_is_refused() -> None:
    with pytest.raises(Unsuitable, match=r"no play of .* ever comes to an end"):
        parsed(ENDLESS)


def test_no_strategy_in_words_where_all_moves_are_forced() -> None:
    assert find_strategy(gm.parse(ENDLESS, dialect="hrf"), seconds=1) is None
