"""The dependency graph: which relation needs which, components, graphs too large for recursion."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gamemaster.language.dependency import Dependencies, show_way, strongly_connected_components, way_to
from gamemaster.language.notation import read
from gamemaster.language.rules import Notation, Relation
from gamemaster.language.source import Source


def graph(text: str, notation: Notation = "hrf") -> Dependencies:
    return Dependencies.of(read(Source("test", text), notation))


def edges(dependencies: Dependencies) -> set[tuple[str, str, bool]]:
    return {(edge.source[0], edge.target[0], edge.negative) for edge in dependencies.edges}


# Edges


def test_an_edge_has_the_rule_and_the_atom_that_cause_it() -> None:
    text = "p(X) :- q(X) & ~r(X)"
    first, second = graph(text).edges
    assert (first.source, first.target, first.negative) == (("p", 1), ("q", 1), False)
    assert (second.target, second.negative) == (("r", 1), True)
    assert text[second.atom.span.start : second.atom.span.end] == "r(X)"
    assert second.rule.head == first.rule.head


def test_every_atom_inside_connectives_is_an_edge_and_negation_reaches_all_below_it() -> None:
    found = edges(graph("p :- q & (r | ~(s & ~t))"))
    assert found == {("p", "q", False), ("p", "r", False), ("p", "s", True), ("p", "t", True)}


def test_the_formula_of_an_aggregate_gives_negative_edges_at_the_aggregate() -> None:
    text = "p(N) :- countofall(X,q(X) & ~r(X),N) & exists(X,s(X) | t(X)) & setofall(X,u(X),L) & v(L)"
    dependencies = graph(text, "epilog")
    negative = {(name, True) for name in "qrstu"}
    assert {(target, is_negative) for _, target, is_negative in edges(dependencies)} == negative | {
        ("v", False)
    }
    counted = dependencies.edges[0].atom.span
    assert text[counted.start :].startswith("countofall")


def test_aggregates_inside_an_expression_give_edges_too() -> None:
    assert edges(graph("p(N) :- evaluate(plus(1,countofall(X,q(X))),N)", "epilog")) == {("p", "q", True)}


def test_builtins_are_no_relations_unless_the_sheet_defines_them() -> None:
    assert edges(graph("p(X) :- q(X) & plus(X,1,Y) & distinct(X,Y)")) == {("p", "q", False)}
    assert ("p", "plus", False) in edges(graph("plus(1,1,2) p(X) :- plus(X,1,Y)"))


def test_handlers_are_not_part_of_the_graph() -> None:
    assert edges(graph("p(X) :- q(X)\n a :: p(X) ==> ~q(X)", "epilog")) == {("p", "q", False)}


# Components


def test_components_stand_after_what_they_need() -> None:
    dependencies = graph("a :- b & d\n b :- c\n c :- b & e\n d :- e\n e :- f")
    order = dependencies.components
    assert {frozenset(name for name, _ in component) for component in order} == {
        frozenset("a"), frozenset("bc"), frozenset("d"), frozenset("e"), frozenset("f")
    }  # fmt: skip
    for edge in dependencies.edges:
        assert dependencies.component_of[edge.target] <= dependencies.component_of[edge.source]


def test_only_a_circle_is_recursive() -> None:
    dependencies = graph("a :- b\n b :- a\n c :- c\n d :- a")
    recursive = set(dependencies.recursive)
    assert recursive == {dependencies.component_of[("a", 0)], dependencies.component_of[("c", 0)]}


def test_a_way_to_a_relation_is_a_shortest_one_and_keeps_clear_of_what_it_must_avoid() -> None:
    dependencies = graph("a :- b\n b :- c\n c :- e\n a :- d\n d :- e")
    assert names(dependencies, ("e", 0)) == ["d", "e"]
    assert names(dependencies, ("e", 0), avoid={("d", 0)}) == ["b", "c", "e"]
    assert names(dependencies, ("a", 0)) == []


def names(
    dependencies: Dependencies, goal: Relation, avoid: frozenset[Relation] | set[Relation] = frozenset()
) -> list[str]:
    return [edge.target[0] for edge in way_to(goal, dependencies.reachable(("a", 0), avoid=avoid))]


def test_a_long_way_is_shown_without_its_middle() -> None:
    assert show_way(["p", "~q", "p"]) == "p -> ~q -> p"
    assert show_way([str(n) for n in range(30)]) == "0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> ... -> 29"


# Graphs of any shape


def test_a_chain_and_a_circle_of_a_hundred_thousand_nodes_end_in_no_stack_overflow() -> None:
    size = 100_000
    chain = strongly_connected_components([0], lambda n: [n + 1] if n < size else [])
    assert chain == [[n] for n in range(size, -1, -1)]
    (circle,) = strongly_connected_components([0], lambda n: [(n + 1) % size])
    assert len(circle) == size


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.tuples(*[st.integers(0, n - 1)] * 2)))
    )
)
def test_two_nodes_share_a_component_exactly_if_each_reaches_the_other(
    case: tuple[int, set[tuple[int, int]]],
) -> None:
    size, arrows = case
    reaches = {(n, n) for n in range(size)} | set(arrows)
    for middle in range(size):
        reaches |= {(a, b) for a in range(size) for b in range(size) if {(a, middle), (middle, b)} <= reaches}
    components = strongly_connected_components(
        range(size), lambda n: [b for a, b in sorted(arrows) if a == n]
    )
    order = {node: i for i, component in enumerate(components) for node in component}
    assert sorted(order) == list(range(size))
    for a in range(size):
        for b in range(size):
            assert (order[a] == order[b]) == ({(a, b), (b, a)} <= reaches)
            assert (a, b) not in reaches or order[b] <= order[a]
