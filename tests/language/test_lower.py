"""Epilog sheets played move by move: what an operation adds, deletes and makes happen, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamemaster as gm
from gamemaster.errors import UnsafeRule
from gamemaster.language.lower import lower
from gamemaster.language.notation import read, show
from gamemaster.language.rules import Formula, formula_variables
from gamemaster.language.source import Source
from gamemaster.language.terms import Variable
from gamemaster.machine.reference import ReferenceGame

BASE = """
role(robot)
control(robot)
legal(go)
legal(wait)
terminal :- over
goal(robot,100) :- over
goal(robot,0) :- ~over
"""


def start(sheet: str, *facts: str) -> gm.State:
    """The first state of a sheet in which `go` and `wait` are legal and these facts hold."""
    inits = "".join(f"init({fact})\n" for fact in facts)
    return gm.parse(BASE + sheet + "\n" + inits, "epilog", machine="reference").initial_state()


def after(sheet: str, *facts: str, move: str = "go") -> list[str]:
    """The facts in their order after a move."""
    return [str(fact) for fact in start(sheet, *facts).next(move).ordered_facts]


# What a move changes


def test_effects_are_taken_from_the_old_state_all_at_once() -> None:
    swap = "go :: p(X) & q(Y) ==> ~p(X) & ~q(Y) & p(Y) & q(X)"
    assert after(swap, "p(1)", "q(2)") == ["p(2)", "q(1)"]


def test_adding_wins_over_deleting_in_whatever_order() -> None:
    assert after("go :: p & ~p", "q") == ["q", "p"]
    assert after("go :: ~p & p", "q", "p") == ["q", "p"]
    assert after("go :: q ==> ~p\ngo :: q ==> p", "q", "p") == ["q", "p"]


def test_an_action_without_handler_is_added_itself() -> None:
    assert after("", "p") == ["p", "go"]
    assert after("wait :: q", "p") == ["p", "go"]
    assert after("go(1) :: q", "p") == ["p", "go"]
    assert after("legal(put(X)) :- n(X)", "n(3)", move="put(3)") == ["n(3)", "put(3)"]


def test_an_action_whose_handlers_do_not_apply_changes_nothing() -> None:
    assert after("go :: missing ==> q\ngo :: ~p ==> r", "p") == ["p"]


def test_a_handler_applies_only_to_the_actions_that_it_matches() -> None:
    sheet = "legal(put(X,Y)) :- n(X) & n(Y)\nput(1,Y) :: one(Y)\nput(X,X) :: twin(X)\n"
    facts = ["n(1)", "n(2)"]
    assert after(sheet, *facts, move="put(1,1)") == [*facts, "one(1)", "twin(1)"]
    assert after(sheet, *facts, move="put(1,2)") == [*facts, "one(2)"]
    assert after(sheet, *facts, move="put(2,1)") == [*facts, "put(2,1)"]


def test_every_solution_of_a_condition_has_its_effects() -> None:
    assert after("go :: p(X) ==> ~p(X) & q(X)", "p(2)", "r", "p(1)") == ["r", "q(2)", "q(1)"]


def test_all_handlers_of_an_action_fire_together() -> None:
    assert after("go :: a\ngo :: p ==> b\ngo :: c & ~p", "p", "r") == ["r", "a", "b", "c"]


def test_a_deletion_of_what_does_not_hold_is_no_matter() -> None:
    assert after("go :: ~q & ~r(1)", "p") == ["p"]


def test_what_is_not_mentioned_stays() -> None:
    assert after("go :: q", "p(1)", "p(f(2))", "r()") == ["p(1)", "p(f(2))", "r()", "q"]


# Order


def test_what_stays_keeps_its_place_and_what_is_added_comes_last_in_the_order_of_expansion() -> None:
    sheet = "go :: n(X) ==> one(X) & ~two & sub(X)\ngo :: last & kept\nsub(X) :: low(X) & top\n"
    facts = ["kept", "n(2)", "two", "top", "n(1)"]
    assert after(sheet, *facts) == [
        *("n(2)", "n(1)"),
        *("one(2)", "low(2)", "top", "one(1)", "low(1)"),
        *("last", "kept"),
    ]


def test_a_fact_that_is_added_again_moves_to_the_end() -> None:
    assert after("go :: p", "p", "q") == ["q", "p"]


# Operations inside operations


def test_an_effect_that_is_an_operation_happens_too_and_is_not_added() -> None:
    assert after("go :: step & p\nstep :: q & ~r", "r") == ["q", "p"]


def test_a_nested_operation_looks_at_the_old_state_too() -> None:
    assert after("go :: ~p & q & step\nstep :: p ==> saw(p)\nstep :: q ==> saw(q)", "p") == ["q", "saw(p)"]


def test_a_nested_operation_happens_only_where_the_condition_holds() -> None:
    sheet = "go :: p ==> step(1)\ngo :: q ==> step(2)\nstep(X) :: did(X)"
    assert after(sheet, "p") == ["p", "did(1)"]
    assert after(sheet, "q") == ["q", "did(2)"]
    assert after(sheet, "r") == ["r"]


def test_a_nested_operation_may_have_a_condition_of_its_own() -> None:
    sheet = "go :: n(X) ==> step(X)\nstep(X) :: good(X) ==> did(X)\nstep(X) :: ~good(X) ==> left(X)\ngood(2)"
    assert after(sheet, "n(1)", "n(2)") == ["n(1)", "n(2)", "left(1)", "did(2)"]


def test_a_nested_operation_that_no_handler_matches_is_added() -> None:
    sheet = "go :: step(1) & step(2)\nstep(1) :: did(1)"
    assert after(sheet) == ["did(1)", "step(2)"]


def test_a_nested_operation_whose_handlers_do_not_apply_changes_nothing() -> None:
    assert after("go :: step & p\nstep :: missing ==> q") == ["p"]


def test_a_nested_operation_may_be_the_only_effect_and_only_delete() -> None:
    assert after("go :: step\nstep :: ~p", "p", "q") == ["q"]


def test_operations_nest_as_deep_as_the_sheet_wants() -> None:
    chain = "".join(f"succ({i},{i + 1})\n" for i in range(150))
    sheet = chain + "go :: count(150)\ncount(X) :: mark(X)\ncount(X) :: succ(Y,X) ==> count(Y)\n"
    facts = after(sheet)
    assert facts == [f"mark({i})" for i in range(150, -1, -1)]


def test_operations_that_call_each_other_in_a_circle_end() -> None:
    assert sorted(after("go :: ping & a\nping :: pong & b\npong :: ping & c")) == ["a", "b", "c"]


def test_a_negative_effect_is_never_an_operation() -> None:
    assert after("go :: ~step\nstep :: q", "step", "p") == ["p"]


def test_a_symbol_and_a_compound_without_arguments_are_different_operations() -> None:
    assert after("wait :: w\ngo :: step()\nstep :: q") == ["step()"]
    assert after("wait :: w\ngo :: step\nstep() :: q") == ["step"]
    assert after("wait :: w\ngo :: step()\nstep() :: q") == ["q"]


def test_an_operation_does_not_happen_for_being_named_in_a_state() -> None:
    assert after("step(X) :: did(X)\ngo :: p", "step(1)") == ["step(1)", "p"]


# Views and state


def test_a_relation_that_the_sheet_defines_is_a_view_and_hides_facts_of_its_name() -> None:
    assert after("v(1)\ngo :: v(X) ==> saw(X)", "v(2)") == ["v(2)", "saw(1)"]


def test_a_relation_is_a_view_whatever_its_arity() -> None:
    assert after("v(1,1)\ngo :: v(X) ==> saw(X)", "v(2)") == ["v(2)"]


def test_an_operation_is_a_view_too() -> None:
    assert after("go :: step(X) ==> saw(X)\nstep(X) :: did(X)", "step(1)") == ["step(1)"]


def test_views_may_stand_on_views_and_state() -> None:
    sheet = "big(X) :- n(X) & less(5,X)\nsmall(X) :- n(X) & ~big(X)\ngo :: small(X) ==> ~n(X)"
    assert after(sheet, "n(3)", "n(7)", "n(4)") == ["n(7)"]


def test_aggregates_count_the_state() -> None:
    sheet = "go :: countofall(X,n(X) & ~odd(X),N) ==> count(N)\nodd(1)\nodd(3)"
    assert after(sheet, "n(1)", "n(2)", "n(4)") == ["n(1)", "n(2)", "n(4)", "count(2)"]


def test_expressions_and_definitions_see_the_state() -> None:
    sheet = """
        go :: evaluate(if(n(9),yes,~n(1),no,perhaps),A) & evaluate(value(2),V) ==> found(A,V)
        value(X) := plus(X,countofall(Y,n(Y)),if(n(X),10,20))
    """
    assert after(sheet, "n(1)", "n(2)") == ["n(1)", "n(2)", "found(perhaps,14)"]
    assert after(sheet, "n(3)") == ["n(3)", "found(no,23)"]


def test_true_and_false_are_constants() -> None:
    assert after("go :: true ==> p\ngo :: false ==> q\nyes :- true\ngo :: yes ==> r") == ["p", "r"]


# A negation to the left of what would bind it


@pytest.mark.parametrize(
    "sheet",
    [
        "go :: ~q(X) & p(X) ==> hit(X)",
        "go :: (~q(X) & p(X) | r(X)) ==> hit(X)",
        "go :: ~q(X) & (p(X) | r(X)) ==> hit(X)",
        "v :- ~q(X) & p(X)\ngo :: v ==> hit(1)",
        "go :: ~q(X) & p(X) & p(X_) ==> hit(X)",
        "go :: ~(q(X) & q(X)) & p(X) ==> hit(X)",
        "go :: p(Y) & ~q(X) & p(X) ==> hit(X)",
    ],
)
def test_a_negation_before_its_variable_has_a_value_says_that_there_is_none(sheet: str) -> None:
    assert after(sheet, "p(1)", "q(2)") == ["p(1)", "q(2)"]
    assert after(sheet, "p(1)") == ["p(1)", "hit(1)"]


def test_a_negation_after_its_variable_has_a_value_is_about_that_value() -> None:
    assert after("go :: p(X) & ~q(X) ==> hit(X)", "p(1)", "p(2)", "q(2)")[3:] == ["hit(1)"]
    assert after("go :: p(X) & ~q(X,Y) ==> hit(X)", "p(1)", "p(2)", "q(2,5)")[3:] == ["hit(1)"]
    sheet = "legal(put(X)) :- n(X)\nput(X) :: ~taken(X) ==> taken(X)"
    assert after(sheet, "n(1)", "taken(2)", move="put(1)") == ["n(1)", "taken(2)", "taken(1)"]


# The game around it


def test_the_role_in_control_has_the_legal_moves() -> None:
    sheet = """
        role(x) role(o)
        init(control(x)) init(free(1)) init(free(2))
        legal(take(X)) :- free(X)
        take(X) :: control(R) & other(R,S) ==> ~control(R) & control(S) & ~free(X) & has(R,X)
        other(x,o) other(o,x)
        terminal :- ~open
        open :- free(X)
        goal(x,50) goal(o,50)
    """
    state = gm.parse(sheet, "epilog", machine="reference").initial_state()
    assert state.control == "x"
    assert [str(move) for move in state.legal_moves("x")] == ["take(1)", "take(2)"]
    assert state.legal_moves("o") == ()
    state = state.next("take(2)")
    assert state.control == "o"
    assert state.legal_moves("x") == ()
    assert [str(move) for move in state.legal_moves("o")] == ["take(1)"]
    last = state.next("take(1)")
    assert last.is_terminal
    assert [str(fact) for fact in last.ordered_facts] == ["has(x,2)", "control(x)", "has(o,1)"]


def test_control_may_be_a_view() -> None:
    state = start("go :: p")
    assert state.control == "robot"
    assert state.facts == frozenset()
    assert [str(fact) for fact in state.next("go").ordered_facts] == ["p"]


def test_legal_may_stand_in_a_body() -> None:
    sheet = "legal(X) :- extra(X)\ngo :: legal(X) & distinct(X,go) ==> could(X)\nstuck :- ~legal(jump)\n"
    sheet += "go :: stuck ==> stuck_here"
    assert after(sheet, "extra(hop)") == ["extra(hop)", "could(wait)", "could(hop)", "stuck_here"]
    assert after(sheet, "extra(jump)") == ["extra(jump)", "could(wait)", "could(jump)"]


def test_base_and_action_become_what_the_core_calls_them() -> None:
    rules = lower(read(Source("sheet", BASE + "base(p)\naction(go)\naction(wait)\n"), "epilog"))
    text = show(rules, "hrf")
    assert "input(Role,Action) :- role(Role) & action(Action)" in text
    assert "base(p)" in text


def test_rules_in_the_core_language_come_back_as_they_are() -> None:
    rules = read(Source("sheet", "(role x)(<= (next ?f) (true ?f))"), "kif")
    assert lower(rules) is rules


def test_lowered_rules_can_be_printed_and_read_again() -> None:
    sheet = (
        "go :: ~q(X) & (p(X) | r(X,Y)) ==> hit(X) & sub(X) & ~p(X)\nsub(X) :: ~r(X,X) & s\nf(X) := plus(X,1)"
    )
    rules = lower(read(Source("sheet", BASE + sheet), "epilog"))
    assert read(Source("again", show(rules, "epilog")), "epilog").sentences == rules.sentences


def test_an_effect_without_a_value_is_refused_at_its_place_when_it_should_happen() -> None:
    for effects, column in (("p(X)", 9), ("~q(X)", 10), ("a & p(X)", 13)):
        state = start(f"go :: {effects}\nwait :: b", "q(1)")
        assert state.legal_moves("robot")
        with pytest.raises(UnsafeRule, match="variable X has no value here") as caught:
            state.next("go")
        assert caught.value.place
        assert (caught.value.place.column, caught.value.place.text) == (column, f"go :: {effects}")


# Names that mean something elsewhere


@pytest.mark.parametrize("name", ["true", "does", "next", "input", "sees", "same", "less", "plus", "random"])
@pytest.mark.parametrize("arity", [1, 2, 3])
def test_words_of_the_core_may_be_relations_of_the_sheet(name: str, arity: int) -> None:
    args = ",".join(map(str, range(arity)))
    variables = ",".join("ABC"[:arity])
    sheet = f"action(go)\n{name}({args})\ngo :: {name}({variables}) & p(1) ==> ~p(1) & saw({variables}) & q\n"
    assert after(sheet, "p(1)", "p(2)") == ["p(2)", f"saw({args})", "q"]


@pytest.mark.parametrize("name", ["true", "does", "next", "input", "sees", "same", "less", "plus", "random"])
@pytest.mark.parametrize("arity", [1, 2, 3])
def test_words_of_the_core_may_be_relations_of_the_state(name: str, arity: int) -> None:
    args = ",".join(map(str, range(arity)))
    variables = ",".join("ABC"[:arity])
    sheet = f"go :: {name}({variables}) ==> ~{name}({variables}) & saw({variables}) & {name}({variables},new)"
    assert after(sheet, "p", f"{name}({args})") == ["p", f"saw({args})", f"{name}({args},new)"]


@pytest.mark.parametrize("name", ["happens", "handled", "adds", "deletes", "added", "deleted", "allowed"])
@pytest.mark.parametrize("arity", [1, 2])
def test_words_that_lowering_introduces_may_be_relations_of_the_sheet(name: str, arity: int) -> None:
    args = ",".join(["own", "thing"][:arity])
    variables = ",".join("AB"[:arity])
    view = f"{name}({args})\n{name}_({args})\ngo :: {name}({variables}) ==> saw({variables}) & ~p & sub\nsub(1) :: x\n"
    assert after(view, "p") == [f"saw({args})", "sub"]
    state = f"go :: {name}({variables}) ==> saw({variables}) & ~p"
    assert after(state, "p", f"{name}({args})") == [f"{name}({args})", f"saw({args})"]
    operation = f"go :: {name}({args}) & q\n{name}({variables}) :: did({variables}) & ~p\n"
    assert after(operation, "p") == [f"did({args})", "q"]


@pytest.mark.parametrize("variable", ["Fact", "Fact_", "Role", "Action", "Effect"])
def test_variables_that_lowering_introduces_may_be_variables_of_the_sheet(variable: str) -> None:
    sheet = f"go :: p({variable}) ==> ~p({variable}) & q({variable}) & sub({variable})\n"
    sheet += f"sub({variable}) :: r({variable}) & ~s({variable})"
    assert after(sheet, "p(1)", "s(1)", "s(2)") == ["s(2)", "q(1)", "r(1)"]


# Any handlers: against the procedure itself

NAMES = ("p", "q", "r")
VALUES = ("1", "2")
OPERATIONS = ("go", "sub", "low", "end")


@dataclass(frozen=True)
class Atom:
    """`name(term)`, with a sign; the term is a value or one of the variables X and Y."""

    name: str
    term: str
    is_positive: bool = True

    def __str__(self) -> str:
        return f"{'' if self.is_positive else '~'}{self.name}({self.term})"


@dataclass(frozen=True)
class Handler:
    """`operation(term) :: condition ==> effects`."""

    operation: Atom
    condition: tuple[Atom, ...]
    effects: tuple[Atom, ...]

    def __str__(self) -> str:
        condition = " & ".join(map(str, self.condition)) + " ==> " if self.condition else ""
        return f"{self.operation} :: {condition}{' & '.join(map(str, self.effects))}\n"


def simulate(handlers: list[Handler], state: list[Atom], action: Atom) -> list[Atom]:
    """The facts after an action, as the original system computes them."""
    changes = list(expand(handlers, state, action))
    added = [Atom(change.name, change.term) for change in changes if change.is_positive]
    deleted = [Atom(change.name, change.term) for change in changes if not change.is_positive]
    return [fact for fact in state if fact not in added and fact not in deleted] + list(dict.fromkeys(added))


def expand(handlers: list[Handler], state: list[Atom], action: Atom) -> Iterator[Atom]:
    """What an action adds and deletes, in order."""
    matching = [
        h for h in handlers if h.operation.name == action.name and h.operation.term in ("X", action.term)
    ]
    if not matching:
        yield action
    for handler in matching:
        for values in solutions(handler.condition, state, {"X": action.term}):
            for effect in handler.effects:
                change = Atom(effect.name, values.get(effect.term, effect.term), effect.is_positive)
                yield from expand(handlers, state, change) if change.is_positive else [change]


def solutions(
    condition: tuple[Atom, ...], state: list[Atom], values: Mapping[str, str]
) -> Iterator[Mapping[str, str]]:
    """The values for which a condition holds, literals from left to right, facts in order."""
    if not condition:
        yield values
        return
    literal, rest = condition[0], condition[1:]
    term = values.get(literal.term, literal.term)
    found = [fact.term for fact in state if fact.name == literal.name and (term == "Y" or fact.term == term)]
    if not literal.is_positive:
        if not found:
            yield from solutions(rest, state, values)
        return
    for value in found:
        yield from solutions(rest, state, {**values, "Y": value} if term == "Y" else values)


@st.composite
def all_handlers(draw: st.DrawFn) -> list[Handler]:
    """Handlers whose effects have values; an operation makes only those after it happen."""
    handlers = []
    for _ in range(draw(st.integers(1, 6))):
        level = draw(st.integers(0, len(OPERATIONS) - 1))
        operation = Atom(OPERATIONS[level], draw(st.sampled_from(("X", "X", *VALUES))))
        known = {"X"} & {operation.term}
        literals = []
        for _ in range(draw(st.integers(0, 2))):
            literal = Atom(
                draw(st.sampled_from(NAMES)),
                draw(st.sampled_from(("Y", *known, *VALUES))),
                draw(st.booleans()),
            )
            known |= {literal.term} & {"Y"} if literal.is_positive else set()
            literals.append(literal)
        effects = []
        for _ in range(draw(st.integers(1, 3))):
            name = draw(st.sampled_from((*NAMES, *OPERATIONS[level + 1 :])))
            effects.append(
                Atom(name, draw(st.sampled_from((*sorted(known), *VALUES))), draw(st.integers(0, 2)) > 0)
            )
        handlers.append(Handler(operation, tuple(literals), tuple(effects)))
    return handlers


@given(
    handlers=all_handlers(),
    facts=st.lists(st.builds(Atom, st.sampled_from(NAMES), st.sampled_from(VALUES)), unique=True),
    actions=st.lists(
        st.builds(Atom, st.sampled_from(OPERATIONS), st.sampled_from(VALUES)), min_size=1, max_size=3
    ),
)
@settings(deadline=None, max_examples=150)
def test_any_handlers_change_the_state_as_the_original_does(
    handlers: list[Handler], facts: list[Atom], actions: list[Atom]
) -> None:
    sheet = "role(robot)\ncontrol(robot)\nlegal(X) :- operation(X)\n" + "".join(map(str, handlers))
    sheet += "".join(f"operation({name}({value}))\n" for name in OPERATIONS for value in VALUES)
    sheet += "".join(f"init({fact})\n" for fact in facts)
    rules = read(Source("sheet", sheet), "epilog")
    state = ReferenceGame(rules, lower(rules), "in order").initial_state()
    unordered = ReferenceGame(rules, lower(rules, in_order=False), "in any order").initial_state()
    expected = facts
    for action in actions:
        state, unordered = state.next(str(action)), unordered.next(str(action))
        expected = simulate(handlers, expected, action)
        assert [str(fact) for fact in state.ordered_facts] == [str(fact) for fact in expected]
        assert unordered.facts == state.facts


def test_a_body_is_named_apart_in_time_that_grows_with_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking at variables is counted, not timed."""
    seen = 0

    def count(formula: Formula) -> Iterator[Variable]:
        nonlocal seen
        for variable in formula_variables(formula):
            seen += 1
            yield variable

    monkeypatch.setattr("gamemaster.language.lower.formula_variables", count)
    conditions = 500
    text = "p :- " + " & ".join(f"~q(X{i}) & (q(X{i}) | r(X{i}))" for i in range(conditions))
    lowered = lower(read(Source("test", text), "epilog"))
    assert len(lowered.rules[0].body) == 2 * conditions
    assert seen < 20 * conditions
