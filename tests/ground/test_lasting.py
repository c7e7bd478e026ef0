"""What holds at the start and lasts is known to hold."""

from __future__ import annotations

import json

import pytest

import gamemaster as gm
from gamemaster.ground.lasting import lasting_facts
from gamemaster.language.lower import lower
from gamemaster.language.notation import read
from gamemaster.language.source import Source
from tests.ground.asked import rules_of
from tests.machine.agreeing import assert_agree

CELLS = " ".join(f"succ({i},{i + 1})" for i in range(60))
CORRIDOR = f"""role(r) {CELLS} init(at(2)) init(wall(0)) init(wall(5))
legal(r,go) legal(r,back)
next(at(Y)) :- true(at(X)) & does(r,go) & succ(X,Y) & ~true(wall(Y))
next(at(X)) :- true(at(X)) & does(r,go) & succ(X,Y) & true(wall(Y))
next(at(X)) :- true(at(Y)) & does(r,back) & succ(X,Y) & ~true(wall(X))
next(at(Y)) :- true(at(Y)) & does(r,back) & succ(X,Y) & true(wall(X))
next(wall(X)) :- true(wall(X)) goal(r,100) :- true(at(4)) goal(r,0) :- ~true(at(4)) terminal :- true(at(4))"""


def test_a_fact_lasts_that_a_rule_keeps_without_a_condition() -> None:
    kept = "init(p(1)) init(q(1)) init(s(1,2)) next(p(X)) :- true(p(X)) next(q(X)) :- true(q(X)) & does(a,go)"
    assert list(map(str, lasting_facts(rules_of(f"{kept} next(s(X,Y)) :- true(s(Y,X))")))) == ["p(V0)"]


def test_in_epilog_a_fact_lasts_that_no_effect_deletes() -> None:
    text = "role(a) init(wall(1)) init(at(1)) init(control(a)) go :: at(X) ==> ~at(X) & at(2)"
    rules = lower(read(Source("test", text), "epilog"), in_order=False)
    assert list(map(str, lasting_facts(rules))) == ["wall(V0)", "control(V0)"]


def test_walls_keep_the_game_from_places_behind_them() -> None:
    compiled, reference = (gm.parse(CORRIDOR, machine=machine) for machine in ("compiled", "reference"))
    assert assert_agree(compiled, reference, 10, most_steps=20) > 10
    assert {str(fact) for fact in compiled.layout.facts if str(fact).startswith("at")} == {  # type: ignore[attr-defined]
        f"at({i})" for i in range(1, 5)
    }


def test_a_state_without_what_lasts_is_refused() -> None:
    compiled = gm.parse(CORRIDOR, machine="compiled")
    whole = compiled.initial_state().to_json()
    assert compiled.state_from_json(whole) == compiled.initial_state()
    described = json.loads(whole)
    described["facts"] = [fact for fact in described["facts"] if "wall" not in str(fact)]
    with pytest.raises(gm.StateError, match=r"'wall\(0\)' holds in every state"):
        compiled.state_from_json(json.dumps(described))
