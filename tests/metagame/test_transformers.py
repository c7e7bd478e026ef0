"""Every transformer keeps the meaning of every game it applies to, and makes the badly written ones lean."""

from __future__ import annotations

import random
import sys
from typing import Any

import pytest

from gamemaster.errors import UnknownAlgorithm, Unsuitable
from gamemaster.games import game_names
from gamemaster.ground.clingo_grounder import GroundLimits
from gamemaster.language.notation import read, show
from gamemaster.language.rules import Rules
from gamemaster.language.source import Source
from gamemaster.load import build, parse, source_of
from gamemaster.machine.game import Game
from gamemaster.metagame.catalogue import TRANSFORMERS, apply, find_transformer
from gamemaster.metagame.grounder import ground_rules
from gamemaster.metagame.materializer import materialize
from gamemaster.metagame.optimizer import optimize
from gamemaster.metagame.pruner import prune
from gamemaster.metagame.simplifier import simplify
from gamemaster.metagame.symbolizer import symbol_of, symbolize
from tests.metagame.same_game import assert_same_game

HUGE = {"badhex", "badskirmish", "checkers", "chess", "hex7x7", "othello", "skirmish"}
LARGE = HUGE | {"breakthrough", "crusade", "hex", "knightstour", "knightthrough", "majorities"}
SLOW_ON_THE_GROUND = LARGE | {
    "alquerque", "backgammon", "badconnectfour", "badtictactoe", "battleofnumbers", "blackjack", "capturetheflag",
    "cbnk", "chinesecheckers3", "go", "goofspiel", "hamilton", "hunter", "kono", "leafymcfullface", "sudoku", "tycoon",
}  # fmt: skip
TOO_LARGE = {"badhex", "badskirmish", "battleofnumbers", "skirmish"}
"""Games that a limit keeps off the ground: the one has too many ground rules, the other's take too long to load."""
MANY_RULES = {"backgammon", "go", "tycoon"} | HUGE
"""Games with so many ground rules that the reference machine takes long for them, up to minutes."""
UNREAD = {"battleofnumbers", "goofspiel"}
"""Games with a fact that nothing reads, which is pruned."""
GDL = ["peg", "wythoff"]


def sheet_of(name: str) -> Rules:
    return read(source_of(name))


def rules_of(text: str) -> Rules:
    return read(Source("rules", text))


def reference(rules: Rules) -> Game:
    """The game of printed rules: what is printed must be what was meant."""
    return parse(show(rules), rules.notation, "reference")


# Meaning


@pytest.mark.parametrize(
    ("name", "transformer"),
    [
        (name, transformer)
        for transformer in ("optimizer", "simplifier", "pruner", "materializer")
        for name in game_names()
        if name not in HUGE or transformer in ("optimizer", "materializer")
    ],
)
def test_a_transformer_keeps_the_meaning(name: str, transformer: str) -> None:
    sheet = sheet_of(name)
    longest = 2 if name in HUGE else 4 if name in LARGE else 12
    game, other = build(sheet, name, "reference"), reference(apply(sheet, [transformer]))
    facts = ">=" if transformer == "pruner" and name in UNREAD else "=="
    assert_same_game(game, other, games=1, longest=longest, facts=facts)


@pytest.mark.parametrize("name", [name for name in game_names() if name not in SLOW_ON_THE_GROUND])
def test_ground_and_symbolized_rules_keep_the_meaning(name: str) -> None:
    sheet = sheet_of(name)
    game, ground = build(sheet, name, "reference"), ground_rules(sheet)
    assert_same_game(game, reference(ground), games=1, longest=10)

    def rename(term: Any) -> Any:
        is_control = sheet.notation == "epilog" and isinstance(term, tuple) and term[0] == "control"
        return term if is_control else symbol_of(term)

    assert_same_game(game, reference(symbolize(ground)), games=1, longest=10, rename=rename)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({"chess"} | SLOW_ON_THE_GROUND - HUGE - TOO_LARGE))
def test_large_ground_rules_keep_the_meaning(name: str) -> None:
    sheet = sheet_of(name)
    if name in MANY_RULES:
        assert_same_game(
            build(sheet, name, "compiled"), build(ground_rules(sheet), name, "compiled"), games=1
        )
    else:
        assert_same_game(build(sheet, name, "reference"), reference(ground_rules(sheet)), games=1, longest=2)


@pytest.mark.slow
def test_what_is_too_large_for_the_ground_is_refused() -> None:
    with pytest.raises(Unsuitable, match="size limit of 200,000 ground rules"):
        ground_rules(sheet_of("badskirmish"))


@pytest.mark.parametrize("name", ["tictactoe", "jointbuttonsandlights", "wythoff"])
def test_ground_rules_mean_the_same_on_the_compiled_machine(name: str) -> None:
    sheet = sheet_of(name)
    assert_same_game(build(sheet, name, "reference"), build(ground_rules(sheet), name, "compiled"))


@pytest.mark.parametrize("name", GDL)
def test_views_in_the_state_keep_the_meaning(name: str) -> None:
    sheet = sheet_of(name)
    dynamic = apply(sheet, ["materializer:dynamic"])
    assert_same_game(build(sheet, name, "reference"), reference(dynamic), facts="<=")


@pytest.mark.parametrize("name", ["tictactoe", "buttonsandlights", "wythoff"])
def test_all_of_them_one_after_the_other(name: str) -> None:
    sheet = sheet_of(name)
    everything = apply(sheet, ["optimizer", "materializer", "simplifier", "grounder", "pruner", "simplifier"])
    assert_same_game(build(sheet, name, "reference"), reference(everything), games=1)


# Gain


def size_of(rules: Rules) -> tuple[int, int]:
    parts = [len(rule.body) for rule in rules.rules] + [len(h.condition) for h in rules.handlers]
    return len(rules.sentences), sum(parts)


def inferences(game: Game) -> int:
    """How many calls a fixed random game takes: each step of the reasoner is one."""
    count = 0

    def watch(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(watch)
    try:
        game.random_game(random.Random(3))
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(("bad", "good"), [("badtictactoe", "tictactoe"), ("badconnectfour", "connectfour")])
def test_a_badly_written_game_becomes_as_lean_as_the_other(bad: str, good: str) -> None:
    lean, written_well = apply(sheet_of(bad), ["optimizer", "pruner"]), sheet_of(good)
    assert size_of(lean)[0] <= size_of(written_well)[0] + 1
    assert size_of(lean)[1] <= size_of(written_well)[1] + 2
    before, after = inferences(reference(sheet_of(bad))), inferences(reference(lean))
    assert before > 3 * after
    assert after < 1.5 * inferences(reference(written_well))


def test_redundant_subgoals_go() -> None:
    rules = rules_of("role(x) n(1) n(2) legal(x,a) p(X) :- n(X) & n(Y) & true(q(X)) & true(q(Z))")
    assert show(optimize(rules)).splitlines()[-1] == "p(X) :- n(X) & true(q(X))"


def test_a_negation_keeps_what_gives_it_values() -> None:
    rules = rules_of("role(x) legal(x,a) p :- true(q(Y)) & ~true(r(Y)) & true(q(Z))")
    assert show(optimize(rules)).splitlines()[-1] == "p :- true(q(Y)) & ~true(r(Y))"


def test_covered_rules_go() -> None:
    rules = rules_of(
        "role(x) legal(x,a) p(X) :- true(q(X)) p(1) :- true(q(1)) & true(r) p(X) :- p(X) & true(r)"
    )
    assert show(optimize(rules)).splitlines()[2:] == ["p(X) :- true(q(X))"]


def test_a_rule_that_asks_for_none_at_all_covers_no_other() -> None:
    rules = rules_of("role(x) legal(x,a) p :- ~true(q(X)) p :- true(r(Y)) & ~true(q(Y)) & ~true(s(Z))")
    assert [len(rule.body) for rule in optimize(rules).rules] == [0, 0, 1, 3]
    both = rules_of(
        "role(x) legal(x,a) p :- ~true(q(X)) & ~true(q(Y)) & ~true(s(Z)) p :- ~true(q(Z)) & ~true(s(X))"
    )
    assert show(optimize(both)).splitlines()[2:] == ["p :- ~true(q(X)) & ~true(s(Z))"]


def test_none_at_all_is_more_than_not_this_one() -> None:
    rules = rules_of("role(x) legal(x,a) p :- true(r(Y)) & ~true(q(Y)) & true(r(Z)) & ~true(q(W))")
    assert set(optimize(rules).rules[-1].body) == set(rules.rules[-1].body[:2]) | {rules.rules[-1].body[3]}


def test_a_covered_handler_goes() -> None:
    rules = rules_of("role(x) init(control(x)) legal(a(1)) a(X) :: p & ~q a(1) :: r ==> ~q a(1) :: r ==> q")
    assert len(optimize(rules).handlers) == 2


def test_bound_subgoals_come_first() -> None:
    rules = rules_of("role(x) legal(x,a) p :- true(q(X)) & true(r(Y)) & true(s(X,Y)) & true(t(X))")
    assert (
        show(optimize(rules)).splitlines()[-1] == "p :- true(q(X)) & true(t(X)) & true(s(X,Y)) & true(r(Y))"
    )


def test_aggregates_are_left_alone() -> None:
    text = "p(N) :- countofall(X,true(q(X)),N) & true(q(Y)) & true(q(Z))"
    assert "countofall(X,true(q(X)),N)" in show(optimize(rules_of(f"role(x) legal(x,a) {text}")))


def test_constant_subgoals_and_rules_that_never_fire_go() -> None:
    rules = rules_of(
        "role(x) n(1) legal(x,a) terminal :- n(1) & distinct(1,2) & less(1,2) & plus(1,1,2) & true(q)"
        " init(q) p :- n(2) p :- n(3) & true(q) legal(x,b) :- p legal(x,c) :- ~p & (n(1) | n(2)) & ~true(never)"
    )
    assert show(simplify(rules)).splitlines()[2:] == [
        "legal(x,a)",
        "terminal :- true(q)",
        "init(q)",
        "legal(x,c)",
    ]


def test_an_operation_keeps_a_handler_when_none_ever_acts() -> None:
    rules = rules_of("role(x) init(control(x)) legal(a) a :: same(1,2) ==> p a :: same(2,3) ==> q")
    for transform in (simplify, prune, ground_rules):
        game = reference(transform(rules))
        assert game.initial_state().next("a").facts == game.initial_state().facts


def test_a_move_without_a_handler_still_adds_itself_on_the_ground() -> None:
    for handlers in ("a(1) :: p", "b :: p", ""):
        rules = rules_of(
            f"role(x) init(control(x)) legal(a(1)) legal(a(2)) legal(b) :- q {handlers} goal(x,1)"
        )
        assert_same_game(build(rules, "rules", "reference"), reference(ground_rules(rules)), longest=4)


def test_control_may_be_a_view() -> None:
    rules = rules_of("role(x) init(n(1)) control(x) legal(a) :- n(1) a :: n(X) ==> ~n(X) & n(2) goal(x,1)")
    game = build(rules, "rules", "reference")
    for transform in (optimize, simplify, prune, materialize, ground_rules):
        assert game.initial_state().legal_moves("x")
        twin = reference(transform(rules))
        assert twin.initial_state().legal_moves("x") == game.initial_state().legal_moves("x")


def test_what_a_definition_reads_stays() -> None:
    rules = rules_of(
        "role(x) init(control(x)) init(q(1)) legal(a) a :: q(2) size(X) := countofall(Y,q(Y))"
        " goal(x,N) :- evaluate(size(1),N)"
    )
    assert_same_game(build(rules, "rules", "reference"), reference(prune(rules)), longest=2)


def test_what_nothing_reads_goes() -> None:
    rules = rules_of(
        "role(x) init(control(x)) init(seen) init(count(1)) legal(a) :- seen unused(X) :- count(X)"
        " a :: ~seen & count(2) terminal :- ~seen goal(x,1)"
    )
    pruned = show(prune(rules))
    assert "count" not in pruned
    assert "unused" not in pruned
    assert "a :: ~seen" in pruned


def test_spare_moves_go() -> None:
    text = "role(x) init(s(1)) legal(x,a) legal(x,b) legal(x,c) succ(1,2) terminal :- true(s(2)) & true(on)"
    text += " next(s(Y)) :- true(s(X)) & succ(X,Y) next(on) :- does(x,c) next(was(M)) :- does(x,M) goal(x,1)"
    game = build(apply(rules_of(text), ["pruner:moves"]), "rules", "reference")
    assert list(map(str, game.initial_state().legal_moves("x"))) == ["a", "c"]
    epilog = (
        "role(x) init(control(x)) legal(a) legal(b) legal(c) a :: p b :: p c :: q terminal :- p & q goal(x,1)"
    )
    game = build(apply(rules_of(epilog), ["pruner:moves"]), "rules", "reference")
    assert list(map(str, game.initial_state().legal_moves("x"))) == ["a", "c"]


def test_a_static_view_is_a_table() -> None:
    rules = materialize(rules_of("role(x) legal(x,a) n(1) n(2) p(X,Y) :- n(X) & n(Y) & distinct(X,Y)"))
    assert show(rules).splitlines()[-2:] == ["p(1,2)", "p(2,1)"]


# Refusals


def test_a_transformer_must_exist() -> None:
    with pytest.raises(UnknownAlgorithm, match="no transformer 'optimiser'; there are: optimizer"):
        find_transformer("optimiser")
    assert set(TRANSFORMERS) >= {
        "optimizer",
        "grounder",
        "materializer",
        "symbolizer",
        "simplifier",
        "pruner",
    }


def test_rules_with_variables_are_not_symbolized() -> None:
    with pytest.raises(Unsuitable, match="ground them first"):
        symbolize(sheet_of("tictactoe"))
    with pytest.raises(Unsuitable, match="ground them first"):
        symbolize(rules_of("role(x) init(control(x)) legal(a) a :: p(X) ==> ~p(X)"))
    with pytest.raises(Unsuitable, match="ground them first"):
        symbolize(rules_of("role(x) init(control(x)) legal(a) a :: p f(X) := plus(X,1)"))


def test_two_atoms_must_not_become_one_symbol() -> None:
    with pytest.raises(Unsuitable, match="same symbol"):
        symbolize(rules_of("role(x) init(f(a,b)) init(f(a_b)) legal(x,m) terminal :- true(f(a,b))"))


def test_the_grounder_refuses_what_is_too_large_or_cannot_be_grounded() -> None:
    with pytest.raises(Unsuitable, match="size limit of 10 ground rules"):
        ground_rules(sheet_of("tictactoe"), GroundLimits(rules=10))
    with pytest.raises(Unsuitable, match="the rules count what holds"):
        ground_rules(
            rules_of("role(x) legal(x,a) next(q(1)) next(q(2)) goal(x,N) :- countofall(X,true(q(X)),N)")
        )
    with pytest.raises(Unsuitable, match="setofall"):
        ground_rules(
            rules_of("role(x) legal(x,a) next(q(2)) goal(x,N) :- setofall(X,true(q(X)),L) & first(L,N)")
        )
    with pytest.raises(Unsuitable, match="a name like h1"):
        ground_rules(rules_of("role(x) legal(x,a) h1 :- true(q) terminal :- h1"))


def test_views_stay_out_of_the_state_where_they_cannot_go_in() -> None:
    with pytest.raises(Unsuitable, match="Epilog"):
        materialize(sheet_of("tictactoe"), dynamic=True)
    with pytest.raises(Unsuitable, match="aggregate"):
        materialize(rules_of("role(x) legal(x,a) goal(x,N) :- countofall(X,true(q(X)),N)"), dynamic=True)


def test_spare_moves_need_the_compiled_game() -> None:
    with pytest.raises(Unsuitable, match="compiled"):
        prune(rules_of("role(x) legal(x,a) goal(x,N) :- setofall(X,true(q(X)),L) & first(L,N)"), moves=True)


def test_ground_rules_know_what_holds_in_every_state() -> None:
    text = """role(r) place(1) place(2) init(wall(1))
        blocked(X) :- true(wall(X))
        legal(r,build(X)) :- place(X) & ~blocked(X)
        next(wall(X)) :- true(wall(X))
        next(wall(X)) :- does(r,build(X))
        terminal :- true(wall(2)) goal(r,100) :- true(wall(2)) goal(r,0) :- ~true(wall(2))"""
    sheet = read(Source("walls", text), "hrf")
    assert_same_game(build(sheet, "walls", "reference"), reference(ground_rules(sheet)))
