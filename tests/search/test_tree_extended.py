"""Extended search and coalitions on trees that are written down, against their definitions, and on games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamemaster as gm
from gamemaster.errors import ParameterError, UnknownRole
from gamemaster.search.budget import Budget
from gamemaster.search.result import SearchResult
from gamemaster.search.tally import Tally
from gamemaster.search.trees import coalition, extended, maxn, minimax, paranoid
from gamemaster.search.trees.extended import Extended
from gamemaster.search.trees.maxn import MaxN
from tests.search import sheets
from tests.search.literal_tree import Seen, Tree

FREE = Budget()
HORIZON = [
    Seen(90, [Seen(10, [[1]]), Seen(80, [[1]])]),
    Seen(60, [Seen(55, [[1]]), Seen(70, [[1]])]),
    Seen(50, [Seen(49, [[1]]), Seen(52, [[1]])]),
]
"""What the moves look to be worth at the horizon, and one step further on, where the enemy chooses."""


def searched(
    tree: Any, depth: int, levels: tuple[str, ...] = ("max", "min"), *, paths: int = 3, extra: int = 2
) -> SearchResult:
    root, meter = Tree(tree, levels), FREE.start()
    tally = Tally(root, "max", meter)
    search = Extended("max", meter, lambda position: position.reward("max"), paths=paths, extra=extra)
    search.run(root, depth, tally)
    return tally.result("extended", depth=depth, is_proven=tally.is_exact)


def told(result: SearchResult) -> dict[str, float]:
    return {str(move): value for move, value in result.values.items()}


def test_the_best_line_is_searched_further_until_it_stays_the_best() -> None:
    result = searched(HORIZON, 1, paths=1, extra=1)
    assert told(result) == {"0": 10, "1": 55, "2": 50}
    assert (str(result.move), result.value, result.is_proven) == ("1", 55, False)
    assert [str(move) for move in result.line] == ["1", "0"]


def test_of_several_lines_that_are_retained_each_is_searched_further() -> None:
    result = searched(HORIZON, 1, paths=2, extra=1)
    assert told(result) == {"0": 10, "1": 55, "2": 49}


def test_lines_that_are_not_retained_are_left_at_the_horizon() -> None:
    tree = Tree([Seen(9, [Seen(8, [[1]])]), Seen(5, [Seen(99, [[1]])])])
    tally = Tally(tree, "max", FREE.start())
    asked: list[tuple[int, ...]] = []

    def evaluate(position: Any) -> float:
        asked.append(position.path)
        return float(position.reward("max"))

    Extended("max", tally.meter, evaluate, paths=1, extra=1).run(tree, 1, tally)
    assert asked == [(0,), (1,), (0, 0)]
    assert tally.best is not None
    assert str(tally.best) == "0"


def test_an_enemy_at_the_root_has_its_best_lines_searched_further() -> None:
    result = searched(
        [Seen(10, [Seen(90, [[1]])]), Seen(20, [Seen(21, [[1]])])], 1, ("min", "max"), paths=1, extra=1
    )
    assert (result.move, result.value) == (None, 21)


def test_an_end_of_the_game_needs_no_extension() -> None:
    result = searched([100, Seen(99, [[1]])], 1)
    assert (str(result.move), result.value, result.is_proven) == ("0", 100, True)


numbers = st.integers(1, 10_000)
seen_trees: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.sampled_from([0, 100]), st.builds(Seen, numbers, st.just([]))),
    lambda inner: st.builds(Seen, numbers, st.lists(inner, min_size=1, max_size=3)),
    max_leaves=30,
).map(lambda tree: [tree, Seen(50, [60, 40]), Seen(45, [0])])


def by_definition(tree: list[Any], depth: int, paths: int, extra: int) -> list[tuple[float, tuple[int, ...]]]:
    """The value of each move at the root and where its line ends, everything worked out anew after each extension."""
    further: set[tuple[int, ...]] = set()

    def value(node: Any, path: tuple[int, ...], left: int) -> tuple[float, tuple[int, ...]]:
        if not isinstance(node, list | Seen):
            return {0: float("-inf"), 100: float("inf")}.get(node, float(node)), path
        if left == 0 and path in further:
            left = extra
        if left <= 0:
            return float(node.value if isinstance(node, Seen) else 0), path
        children = node if isinstance(node, list) else node.children
        values = [value(child, (*path, i), left - 1) for i, child in enumerate(children)]
        if not values:
            return float("-inf"), path
        return (max if len(path) % 2 == 0 else min)(values, key=lambda found: found[0])

    while True:
        found = [value(child, (i,), depth - 1) for i, child in enumerate(tree)]
        best = sorted(range(len(tree)), key=lambda i: found[i][0], reverse=True)[:paths]
        ends = [found[i][1] for i in best]
        new = {end for end in ends if is_open(tree, end) and not any(end[: len(p)] == p for p in further)}
        if not new:
            return found
        further |= new


def is_open(tree: Any, path: tuple[int, ...]) -> bool:
    """Whether a node is none in which the game is over."""
    for i in path:
        tree = (tree.children if isinstance(tree, Seen) else tree)[i]
    return isinstance(tree, Seen)


@given(seen_trees, st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=300, deadline=None)
def test_values_are_those_of_the_definition(tree: Any, depth: int, paths: int, extra: int) -> None:
    expected = by_definition(tree, depth, paths, extra)
    result = searched(tree, depth, paths=paths, extra=extra)
    for move, value in told(result).items():
        exact = expected[int(move)][0]
        assert value == {float("inf"): 100.0, float("-inf"): 0.0}.get(exact, exact)
    best = max(value for value, _ in expected)
    assert expected[int(str(result.move))][0] == best
    assert len(result.values) == len(tree) or best == float("inf")


def test_to_the_end_of_the_game_it_is_minimax() -> None:
    state = gm.load("tictactoe").initial_state().next("mark(1,1)").next("mark(1,2)").next("mark(3,3)")
    result = extended.search(state, "o", FREE)
    exact = {move: minimax.search(state.next(move), "o", FREE).value for move in state.legal_moves("o")}
    assert dict(result.values) == exact
    assert result.is_proven


def test_a_tree_that_is_full_is_not_searched_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extended, "MOST_NODES", 300)
    result = extended.search(gm.load("tictactoe").initial_state(), "x", FREE)
    assert (result.depth, result.is_proven) == (1, False)
    assert len(result.values) == 9


def test_a_search_without_paths_or_steps_is_refused() -> None:
    state = gm.load("tictactoe").initial_state()
    with pytest.raises(ParameterError, match="needs 1 path and 1 extra step at least, not 0 and 2"):
        extended.search(state, "x", FREE, paths=0)
    with pytest.raises(ParameterError, match="not 3 and 0"):
        extended.search(state, "x", FREE, extra=0)


# Coalitions


@pytest.mark.parametrize(
    ("alliances", "move", "value"),
    [
        ((), "y", 40),
        (("a+b",), "x", 45),
        (("b+c",), "y", 30),
        (("a+c",), "y", 30),
        (("a+b+c",), "x", 100 / 3),
    ],
)
def test_allies_pool_their_goals(alliances: tuple[str, ...], move: str, value: float) -> None:
    """By hand: alone b answers x by y and y by x; with a both take x; with c it answers y by y."""
    state = gm.parse(sheets.POTS).initial_state()
    result = coalition.search(state, "a", FREE, alliances=alliances)
    assert str(result.move) == move
    assert result.value == pytest.approx(value)
    assert result.is_proven


def test_without_alliances_it_is_maxn() -> None:
    state = gm.parse(sheets.POTS).initial_state()
    alone, selfish = coalition.search(state, "a", FREE), maxn.search(state, "a", FREE)
    assert (alone.move, alone.values, alone.line) == (selfish.move, selfish.values, selfish.line)


def test_all_others_together_are_what_paranoid_expects_where_goals_have_a_fixed_sum() -> None:
    state = gm.parse(sheets.POTS).initial_state()
    together, hostile = (
        coalition.search(state, "a", FREE, alliances=("b + c",)),
        paranoid.search(state, "a", FREE),
    )
    assert (together.move, together.value) == (hostile.move, hostile.value)


def test_alliances_are_of_roles_each_in_one() -> None:
    state = gm.parse(sheets.POTS).initial_state()
    with pytest.raises(UnknownRole, match="no role 'z'"):
        coalition.search(state, "a", FREE, alliances=("a+z",))
    with pytest.raises(ParameterError, match=r"b is named twice in the alliances a\+b, b\+c"):
        coalition.search(state, "a", FREE, alliances=("a+b", "b+c"))


ROLES = ("a", "b", "c", "d")
shared_trees: st.SearchStrategy[Any] = st.recursive(
    st.tuples(*[st.sampled_from([0, 10, 40, 50, 90, 100])] * 4),
    lambda inner: st.lists(inner, min_size=1, max_size=3),
    max_leaves=40,
).map(lambda tree: tree if isinstance(tree, list) else [tree])
PARTITIONS: tuple[tuple[str, ...], ...] = ((), ("ac",), ("ac", "bd"), ("bcd",), ("ab",), ("abcd",))


def pools(tree: Any, alliances: Sequence[str], ply: int = 0) -> dict[str, float]:
    """The definition, for a."""
    allies = {role: next((group for group in alliances if role in group), role) for role in ROLES}
    if isinstance(tree, tuple):
        goals = dict(zip(ROLES, tree, strict=True))
        return {role: sum(goals[ally] for ally in allies[role]) / len(allies[role]) for role in ROLES}
    mover = ROLES[ply % 4]

    def rank(values: dict[str, float]) -> tuple[float, ...]:
        harm = 0.0 if mover in allies["a"] else -values["a"]
        return values[mover], harm, *(-values[role] for role in ROLES if role not in allies[mover])

    return max((pools(child, alliances, ply + 1) for child in tree), key=rank)


@given(shared_trees, st.sampled_from(PARTITIONS))
@settings(max_examples=300, deadline=None)
def test_each_alliance_gets_what_the_definition_says(tree: Any, alliances: tuple[str, ...]) -> None:
    search = MaxN("a", ROLES, FREE.start(), lambda position, role: 0.0, alliances=alliances)
    root = Tree(tree, ROLES)
    tally = Tally(root, "a", search.meter)
    search.run(root, 100, tally)
    assert tally.best is not None
    assert tally.values[tally.best] == pytest.approx(pools(tree, alliances)["a"])
    assert tally.is_exact


def test_estimates_of_allies_are_pooled_too() -> None:
    said = {"a": 500.0, "b": -100.0, "c": 7.0}
    search = MaxN("a", ("a", "b", "c"), FREE.start(), lambda position, role: said[role], alliances=["ab"])
    shares = search.value(Tree([Seen(1, [[1]])], ("a", "b", "c")), 1)
    assert dict(shares.values) == {"a": 200, "b": 200, "c": 7}
