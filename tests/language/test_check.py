"""The checker: for every code a small bad sheet with all its findings, and clean sheets that have none.

A case stands before a few lines that make it a whole game without findings, so its own lines count from 1.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamemaster.errors import Place, ReadError
from gamemaster.language.builtins import FIXED_ARITY, IMPURE, builtins_of
from gamemaster.language.check import check_rules, find_negative_recursion
from gamemaster.language.check.binding import read_body
from gamemaster.language.check.sheet import EPILOG_WORDS, GDL_WORDS
from gamemaster.language.findings import CODES, Finding
from gamemaster.language.lower import lower
from gamemaster.language.notation import read
from gamemaster.language.rules import Atom, Formula, Handler, Not, Notation, Rule, Rules
from gamemaster.language.source import Source
from gamemaster.language.terms import Compound, Symbol
from tests.language.strategies import bodies, core_sheets, number_anonymous, sheets, terms, token_soups

KIF_GAME = """
(role x)
(init (f 1))
(<= (legal ?r (a ?n)) (role ?r) (true (f ?n)))
(<= (next (f ?n)) (does x (a ?n)))
(goal x 100)
(<= terminal (true (f 1)))
"""
EPILOG_GAME = """
role(x)
init(control(x))
init(f(1))
legal(a(N)) :- f(N)
a(N) :: f(N) ==> ~f(N) & g(N)
goal(x,100)
terminal :- g(1)
"""
CLEAN: dict[Notation, str] = {
    "kif": """
        (role white) (role black)
        (init (cell 1 b)) (init (cell 2 b)) (init (control white))
        (succ 1 2) (succ 2 3)
        (<= (base (cell ?n ?m)) (index ?n) (mark ?m))
        (<= (base (control ?r)) (role ?r))
        (index 1) (index 2) (mark b) (mark white) (mark black)
        (<= (input ?r (put ?n)) (role ?r) (index ?n))
        (<= (input ?r noop) (role ?r))
        (<= (legal ?r (put ?n)) (true (control ?r)) (true (cell ?n b)))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (cell ?n ?r)) (does ?r (put ?n)))
        (<= (next (cell ?n ?m)) (true (cell ?n ?m)) (not (put_on ?n)))
        (<= (put_on ?n) (does ?r (put ?n)))
        (<= (next (control ?s)) (true (control ?r)) (role ?s) (distinct ?r ?s))
        (<= open (true (cell ?n b)))
        (<= terminal (not open))
        (<= (reach ?m ?n) (succ ?m ?n))
        (<= (reach ?m ?n) (succ ?m ?k) (reach ?k ?n))
        (<= (goal ?r 100) (true (cell 1 ?r)) (or (reach 1 3) (not open)))
        (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))""",
    "hrf": """
        role(white)
        init(count(1))
        legal(R,step) :- role(R)
        next(count(N)) :- true(count(M)) & plus(M,1,N)
        goal(white,100)
        terminal :- true(count(N)) & less(9,N)""",
    "epilog": """
        role(x) role(o)
        base(cell(N,M)) :- index(N) & mark(M)
        base(control(R)) :- role(R)
        action(put(N)) :- index(N)
        init(cell(N,b)) :- index(N)
        init(control(x))
        legal(put(N)) :- cell(N,b)
        put(N) :: control(R) ==> ~cell(N,b) & cell(N,R) & pass
        pass :: control(R) & other(R,S) ==> ~control(R) & control(S)
        other(R,S) :- role(R) & role(S) & distinct(R,S)
        count(R,N) :- role(R) & countofall(C,cell(C,R),N)
        goal(R,100) :- count(R,N) & leq(2,N)
        goal(R,0) :- count(R,N) & less(N,2)
        terminal :- ~cell(_,b)
        index(1) index(2) index(3) mark(x) mark(o) mark(b)""",
}


@dataclass(frozen=True)
class Case:
    """A bad sheet: all its findings, as "severity code line:column", and a piece of the first message."""

    notation: Notation
    text: str
    found: list[str]
    piece: str
    whole: bool = False

    def rules(self) -> Rules:
        game = EPILOG_GAME if self.notation == "epilog" else KIF_GAME
        return read(Source("test", self.text if self.whole else self.text + "\n" + game), self.notation)


def kif(text: str, *found: str, piece: str) -> Case:
    return Case("kif", text, list(found), piece)


def epilog(text: str, *found: str, piece: str) -> Case:
    return Case("epilog", text, list(found), piece)


def whole(notation: Notation, text: str, *found: str, piece: str) -> Case:
    return Case(notation, text, list(found), piece, whole=True)


SAFETY = [
    kif(
        "(<= (legal ?r (a ?m))\n (role ?r))",
        "error unsafe 1:18",
        piece="?m has no value in the head (legal ?r (a ?m))",
    ),
    kif("(goal ?x 50)", "error unsafe 1:7", piece="?x has no value in the fact (goal ?x 50)"),
    kif(
        "(<= (goal ?r 50) (or (role ?r) (true (f ?n))))",
        "error unsafe 1:11",
        piece="?r has no value in the head",
    ),
    kif(
        "(<= (goal x 50) (true (f ?n)) (distinct ?n ?k))",
        "error unsafe 1:44",
        piece="?k has no value in (distinct ?n ?k)",
    ),
    kif(
        "(<= (goal x 50) (true (f ?n)) (less ?n ?k))",
        "error unsafe 1:40",
        piece="?k has no value in (less ?n ?k)",
    ),
    kif(
        "(<= (goal x 50) (plus ?n 1 ?k) (less ?k 9))",
        "error unsafe 1:23",
        piece="?n has no value in (plus ?n 1 ?k)",
    ),
    kif(
        "(<= (goal x 50) (same ?n ?k))",
        "error unsafe 1:23",
        "error unsafe 1:26",
        piece="?n has no value in (same",
    ),
    kif(
        "(<= (p ?x ?y) (true (f ?x)))\n(<= (goal x 50)\n (p 1 ?y))",
        "error unsafe 1:11",
        piece="?y has no value in the head (p ?x ?y), and line 3 asks for it",
    ),
    kif("(p ?x)", "warning unused 1:1", "warning unsafe 1:4", piece="p is defined but never used"),
    kif("(<= p (distinct ?x 1))", "warning unused 1:5", "warning unsafe 1:17", piece="p is defined"),
    epilog("legal(a(M)) :- f(N)", "error unsafe 1:9", piece="M has no value in the head legal(a(M))"),
    epilog("a(N) :: f(N) ==> g(M)", "error unsafe 1:20", piece="M has no value in the effect g(M)"),
    epilog("a(N) :: f(N) ==> ~g(M)", "error unsafe 1:21", piece="M has no value in the effect ~g(M)"),
    epilog("legal(a(_)) :- f(N) & g(_)", "error unsafe 1:9", piece="_ has no value in the head"),
    epilog(
        "terminal :- distinct(N,1) & f(N)", "error unsafe 1:22", piece="N has no value in distinct(N,1) yet"
    ),
    epilog(
        "terminal :- plus(N,1,M) & f(N) & f(M)",
        "error unsafe 1:18",
        piece="N has no value in plus(N,1,M) yet",
    ),
    epilog(
        "terminal :- countofall(X,f(Y),N) & f(N)",
        "error unsafe 1:24",
        piece="X has no value in countofall(X,f(Y),N)",
    ),
    epilog("terminal :- f(N) & member(N,L)", "error unsafe 1:29", piece="L has no value in member(N,L)"),
    epilog("double(N) := plus(N,M)", "error unsafe 1:21", piece="M has no value in the definition of double"),
]

MEANT_OTHERWISE = [
    kif(
        "(<= (p ?x ?y) (true (f ?x)))\n(<= (goal x 50) (true (f ?y)) (p ?x ?y))",
        "note bound-by-caller 1:11",
        piece="nothing here gives ?y a value: it has only the one that uses of p bring",
    ),
    kif(
        "(eq ?x ?x)\n(<= (goal x 50) (true (f ?y)) (eq ?y ?z) (eq ?z 1))",
        "note bound-by-caller 1:5",
        piece="?x",
    ),
    kif(
        "(<= (p ?x) (not (true (f ?x))))\n(<= (goal x 50) (not (p ?y)) (true (f ?y)))",
        "note bound-by-caller 1:8",
        piece="uses of p bring",
    ),
    kif(
        "(<= (goal ?r 50) (role ?r) (not (true (f ?n))))",
        "warning none-exists 1:42",
        piece="?n occurs only inside (not (true (f ?n))), read as: there is no such ?n",
    ),
    epilog("terminal :- ~f(N)", "warning none-exists 1:16", piece="N occurs only inside ~f(N)"),
    epilog(
        "terminal :- ~(f(N) & g(N))", "warning none-exists 1:17", piece="N occurs only inside ~(f(N) & g(N))"
    ),
    epilog(
        "terminal :- ~b(N,M) & f(N) & f(M)\nlegal(b(N,N)) :- f(N)",
        "warning negation-order 1:16",
        piece="N has no value yet in ~b(N,M), read as: there is none at all",
    ),
    epilog(
        "terminal :- countofall(X,b(X,M),2) & f(M)\nlegal(b(N,N)) :- f(N)",
        "warning negation-order 1:30",
        piece="M has no value yet in countofall(X,b(X,M),2), which is read for every M",
    ),
]

RECURSION = [
    kif(
        "(<= p (not q))\n(<= q p)\n(<= (goal x 50) p)",
        "error negative-recursion 1:12",
        piece="p depends on its own negation: p -> ~q -> p",
    ),
    kif(
        "(<= (goal ?r 50) (role ?r) (not (goal ?r ?n)) (true (f ?n)))",
        "error negative-recursion 1:33",
        piece="goal -> ~goal",
    ),
    epilog(
        "p(N) :- f(N) & countofall(M,q(M),N)\nq(N) :- p(N)\nterminal :- q(1)",
        "error negative-recursion 1:16",
        piece="p -> ~q -> p",
    ),
    kif(
        "(nat z)\n(<= (nat (s ?n)) (nat ?n))\n(<= (goal x 50) (nat ?k) (true (f ?k)))",
        "error endless-recursion 2:13",
        piece="nat never ends: each ?n leads to a larger one",
    ),
    kif(
        "(n 0)\n(<= (n ?k) (n ?m) (plus ?m 1 ?k))\n(<= (goal x 50) (n 3))",
        "error endless-recursion 2:8",
        piece="n never ends: each ?k leads to a larger one",
    ),
    kif(
        "(n 0)\n(<= (n ?k) (n ?m) (evaluate (minus ?m 2) ?k))\n(<= (goal x 50) (n 3))",
        "error endless-recursion 2:8",
        piece="n never ends",
    ),
    kif(
        "(n 0)\n(<= (n ?k) (n ?m) (same ?k (s ?m)))\n(<= (goal x 50) (n 3))",
        "error endless-recursion 2:8",
        piece="n never ends",
    ),
    epilog(
        "n(N) :- plus(N,1,M) & n(M)\nterminal :- f(N) & n(N)",
        "note bound-by-caller 1:3",
        "error endless-recursion 1:18",
        piece="nothing here gives N",
    ),
    epilog("a(N) :: plus(N,1,M) ==> a(M)", "error endless-recursion 1:27", piece="a never ends: each M"),
]

VOCABULARY = [
    kif("(goal x)", "error arity 1:2", piece="goal takes 2 arguments, not 1"),
    kif(
        "(<= (terminal now) (does x))",
        "error arity 1:6",
        "error arity 1:21",
        piece="terminal takes 0 arguments, not 1",
    ),
    kif("(<= (goal x 50) (distinct a))", "error arity 1:18", piece="distinct takes 2 arguments, not 1"),
    kif("(<= (goal x 50) (plus 1))", "error arity 1:18", piece="plus takes at least 2 arguments, not 1"),
    kif(
        "(p 1)\n(<= (goal x 50) (p 1) (p 1 2))",
        "error arity 2:24",
        piece="p has 2 arguments here but 1 at line 1",
    ),
    kif(
        "(<= (goal x 50)\n (true (f 1 2)))",
        "warning arity 2:9",
        piece="f has 2 arguments here but 1 at line 5",
    ),
    kif(
        "(<= (goal x 50) (p 1) (p 1 2))\n(p 1)\n(p 2)\n(p 1 1)",
        "warning mixed-arity 4:2",
        piece="p has 2 arguments here but 1 at line 2",
    ),
    epilog("goal(x)", "warning arity 1:1", piece="goal takes 2 arguments, not 1"),
    epilog("terminal :- f(1,2)", "warning arity 1:13", piece="f has 2 arguments here but 1 at line 5"),
    kif(
        "(true (f 1))\n(does x (a 1))",
        "error reserved 1:2",
        "error reserved 2:2",
        piece="true cannot be defined",
    ),
    kif(
        "(<= terminal (next (f 1)) (init (f 1)) (sees x 1))",
        "error reserved 1:15",
        "error reserved 1:28",
        "error reserved 1:41",
        piece="next cannot be a condition: it only says what the next state is",
    ),
    kif(
        "(<= (init (f ?n)) (p ?n))\n(<= (p ?n) (true (f ?n)))",
        "error reserved 1:20",
        piece="init cannot depend on true: there is no state yet when init is computed (init -> p -> true)",
    ),
    kif("(<= (base (f ?n)) (does x (a ?n)))", "error reserved 1:20", piece="base cannot depend on does"),
    kif(
        "(<= (legal x (a ?n)) (p ?n))\n(<= (p ?n) (does x (a ?n)))",
        "error reserved 1:23",
        piece="legal cannot depend on does: moves are chosen only after legal is computed (legal -> p -> ",
    ),
    kif("(<= (role ?x) (p ?x))\n(p x)", "warning role-rule 1:5", piece="roles are given by a rule"),
    whole(
        "kif",
        "(<= (q 1) (q 1))",
        "error no-goal 1:1",
        "error no-legal 1:1",
        "error no-role 1:1",
        "error no-terminal 1:1",
        "note no-init 1:1",
        "warning unused 1:5",
        piece="no goal: the rules never define it",
    ),
    whole(
        "epilog",
        "role(x) init(f(1)) legal(a) :- f(1) a :: f(1) ==> ~f(1) goal(x,1) terminal :- ~f(1)",
        "error no-control 1:1",
        piece="nothing says whose turn it is",
    ),
]

USAGE = [
    kif(
        "(<= (goal x 50)\n (rolle x))",
        "warning undefined 2:3",
        piece="rolle is used but never defined; did you mean role?",
    ),
    kif(
        "(<= (goal x 50)\n (true (g 1)))",
        "warning undefined 2:9",
        piece="g is never true: no initial fact and no move",
    ),
    kif("(<= (next (f 1))\n (does x (b 1)))", "warning undefined 2:11", piece="b is never played"),
    epilog(
        "terminal :- contrl(x)",
        "warning undefined 1:13",
        piece="contrl is never true: no initial fact and no move makes it so; did you mean control?",
    ),
    epilog(
        "terminal :- a(1)",
        "warning undefined 1:13",
        piece="a is an operation: as a condition it is never true",
    ),
    epilog("terminal :- f(N) & evaluate(random(N),1)", "error impure 1:29", piece="random depends on chance"),
    epilog(
        "terminal :- timestamp(N) & f(N)",
        "error impure 1:13",
        piece="timestamp depends on chance or the clock",
    ),
    kif("(p 1)\n(<= (p ?n) (p ?n) (true (f ?n)))", "warning unused 1:1", piece="p is defined but never used"),
    kif("(goal x 101)", "warning goal-value 1:9", piece="goal value 101 is not a whole number from 0 to 100"),
    kif("(<= (goal x 7.5) (true (f 1)))", "warning goal-value 1:13", piece="goal value 7.5"),
    kif("(goal x (g 1))", "warning goal-value 1:10", piece="goal value (g 1)"),
    epilog("goal(x,-1)", "warning goal-value 1:8", piece="goal value -1"),
    epilog(
        "round(1)\nterminal :- round(1)", "warning hides-builtin 1:1", piece="round is the name of a builtin"
    ),
    epilog(
        "init(max(1))\nterminal :- max(1)", "warning hides-builtin 1:6", piece="max is the name of a builtin"
    ),
    epilog(
        "p(1)\ninit(p(2))\nterminal :- p(2)", "warning hidden-fact 2:6", piece="p is defined by the sheet"
    ),
    kif(
        "(base (g 1))\n(input x (b 1))",
        "note never-made 1:8",
        "warning undeclared 5:8",
        "warning undeclared-move 6:16",
        piece="base declares g, and no initial fact and no move makes it true",
    ),
    epilog(
        "base(f(1)) base(control(x))\naction(b(1))",
        "warning undeclared-move 7:7",
        "warning undeclared 8:26",
        piece="a is not among what action declares",
    ),
    kif(
        "(<= (goal x 50) (true (f 1)))\n(<= (goal x 50) (true (f 1)))",
        "warning duplicate 2:1",
        piece="the same sentence stands at line 1",
    ),
]

SPELLING = [
    kif(
        "(<= (legal x b))",
        "warning empty-body 1:1",
        piece="the rule for (legal x b) has no condition, so it always holds",
    ),
    kif(
        "( <=\n (goal x 50))\n(goal x 20)",
        "warning empty-body 1:1",
        piece="the rule for (goal x 50) has no condition",
    ),
    kif(
        "(<= (terminal) (true (f 1)))\n(<= (goal x 50) (terminal))",
        "warning brackets 1:6",
        piece="(terminal) has brackets around nothing: it is read as terminal",
    ),
    kif(
        "(<= (legal ?r (wait)) (role ?r))\n(<= (next (f 3)) (does x wait))",
        "warning brackets 1:16",
        piece="(wait) has brackets around nothing: it is not the same as wait",
    ),
    whole(
        "hrf",
        "role(x) init(f(1)) legal(x,a) next(f(2)) :- does(x,a) terminal() :- true(f(2)) goal(x,5)",
        "warning brackets 1:55",
        piece="terminal() has brackets around nothing: it is read as terminal",
    ),
    epilog("terminal() :- g(1)", "warning brackets 1:1", piece="terminal() has brackets"),
    kif(
        "(<= (next (f 3)) (p (does x (a 1))))\n(p 1)",
        "warning nested-word 1:22",
        piece="does stands inside (p (does x (a 1))), where it is only a name and asks for nothing",
    ),
    kif("(init (true (f 1)))", "warning nested-word 1:8", piece="true stands inside (init (true (f 1)))"),
    kif(
        "(<= (goal x 50) (true (f ?n)) (distinct ?n (does x 1)))",
        "warning nested-word 1:45",
        piece="does stands inside (distinct ?n (does x 1))",
    ),
    epilog(
        "terminal :- f(legal(x))",
        "warning nested-word 1:15",
        piece="legal stands inside f(legal(x))",
    ),
    epilog("a(N) :: f(N) ==> g(goal(x,N))", "warning nested-word 1:20", piece="goal stands inside g("),
    kif(
        "(init (f (at 1)))\n(<= (goal x 50) (true (f (at 1 2))))",
        "warning mixed-arity 2:27",
        piece="at has 2 arguments here but 1 at line 1",
    ),
    epilog(
        "init(f(at(1)))\nterminal :- f(at(1,2))",
        "warning mixed-arity 2:15",
        piece="at has 2 arguments here but 1 at line 1",
    ),
    kif(
        "(<= (goal x 50) (f 1 2))\n(f 1 2)",
        "note mixed-arity 5:8",
        piece="f has 1 argument here but 2 at line 1",
    ),
]

SLIPS = [
    kif(
        "(<= (goal x 50)\n (f 1))",
        "warning undefined 2:3",
        piece="f is a fact of the state, and only true asks for one; did you mean (true (f 1))?",
    ),
    kif(
        "(<= (next (f 3))\n (a 1))",
        "warning undefined 2:3",
        piece="a is a move, and only does asks for one; did you mean (does ?r (a 1))?",
    ),
    whole(
        "hrf",
        "role(x) init(f(1)) legal(x,a) next(f(2)) :- does(x,a) terminal :- f(2) goal(x,5)",
        "warning undefined 1:67",
        piece="did you mean true(f(2))?",
    ),
    epilog("terminal :- true(f(3))", "warning undefined 1:13", piece="true is a word of GDL, not of Epilog"),
    epilog("terminal :- does(x,a(1))", "warning undefined 1:13", piece="does is a word of GDL"),
    epilog("next(f(2)) :- f(1)", "warning unused 1:1", piece="next is a word of GDL, not of Epilog"),
    kif(
        "(<= (lega ?r (b 1)) (role ?r))",
        "warning unused 1:5",
        piece="lega is defined but never used; did you mean legal?",
    ),
    kif("(<= (nxt (f 3)) (does x (a 1)))", "warning unused 1:5", piece="did you mean next?"),
    kif("(goall x 50)", "warning unused 1:1", piece="did you mean goal?"),
    kif("(inti (f 2))", "warning unused 1:1", piece="did you mean init?"),
    kif("(int 1)", "warning unused 1:1", piece="int is defined but never used"),
    epilog(
        "reward(x,50)", "warning unused 1:1", piece="reward is defined but never used; did you mean goal?"
    ),
    whole(
        "kif",
        "(role x) (init (f 1)) (legal x a) (<= (next (f 2)) (does x a)) (goal x 5)\n(<= terminl (true (f 2)))",
        "error no-terminal 2:5",
        "warning unused 2:5",
        piece="no terminal: the rules never define it; is it meant by terminl?",
    ),
    whole(
        "epilog",
        "role(x) init(control(x)) init(f) leagl(a) a :: f ==> ~f goal(x,1) terminal :- ~f",
        "error no-legal 1:34",
        "warning unused 1:34",
        piece="is it meant by leagl?",
    ),
    whole(
        "hrf",
        "role(x)\nini(f(1)) legal(x,a) next(f(2)) :- does(x,a) terminal :- true(f(2)) goal(x,5)",
        "warning no-init 2:1",
        "warning unused 2:1",
        piece="the game starts from the empty state; is it meant by ini?",
    ),
    epilog(
        "aa(N) :: f(N) ==> g(N)\nlegal(aaa(N)) :- f(N)\naaa(N) :: f(N) ==> g(N)",
        "warning unused 1:1",
        piece="aa is never done: it is no legal move, and no effect; did you mean aaa?",
    ),
    epilog("zzz :: f(1) ==> g(1)", "warning unused 1:1", piece="zzz is never done"),
    epilog(
        "init(done(1))\nterminal :- done(1)\na(N) :: f(N) ==> doen(N)",
        "warning unused 3:18",
        piece="doen becomes a fact that nothing asks for; did you mean done?",
    ),
    kif(
        "(init (done 1))\n(<= (goal x 50) (true (done 1)))\n(<= (next (don 1)) (does x (a 1)))",
        "warning unused 3:12",
        piece="don becomes a fact that nothing asks for; did you mean done?",
    ),
    epilog(
        "init(done(1))\nterminal :- done(1)\na(N) :: f(N) ==> ~doen(N)",
        "warning undefined 3:19",
        piece="doen is deleted, but nothing ever makes it true; did you mean done?",
    ),
    kif(
        "(<= (next (h ?n)) (true (h ?n)))\n(<= (goal x 50) (true (h 1)))",
        "warning undefined 1:26",
        piece="h is never true: no initial fact, and what makes it so asks for it first",
    ),
    epilog(
        "a(N) :: f(N) & h(N) ==> h(1)\nterminal :- h(1) | g(1)",
        "warning undefined 1:16",
        piece="h is never true: no initial fact, and what makes it so asks for it first",
    ),
    epilog(
        "terminal :- f(N) & same(n,N)",
        "warning constant 1:25",
        piece="n is a constant that stands nowhere else; did you mean the variable N?",
    ),
    kif("(<= (goal x 50) (true (f ?n)) (distinct n 1))", "warning constant 1:41", piece="the variable ?n?"),
    epilog(
        "terminal :- f(1) & X",
        "warning variable-literal 1:20",
        piece="variable X stands where a literal belongs: it never holds",
    ),
    kif("(<= terminal (not ?x) (true (f 1)))", "warning variable-literal 1:19", piece="variable ?x stands"),
    epilog("goal(xx,50)", "warning unknown-role 1:6", piece="xx is no role, and goal is about one; did you"),
    epilog("init(control(red))", "warning unknown-role 1:14", piece="red is no role, and control is about"),
    kif("(<= (legal red b) (true (f 1)))", "warning unknown-role 1:12", piece="red is no role, and legal is"),
    kif("(<= (next (f 3)) (does red (a 1)))", "warning unknown-role 1:24", piece="red is no role, and does"),
    whole(
        "kif",
        "(role white) (init (control whit)) (legal white a) (<= (next (control white)) (does white a))\n"
        "(goal white 5) (<= terminal (true (control white)))",
        "warning unknown-role 1:29",
        piece="whit is no role, and control is about one; did you mean white?",
    ),
    epilog(
        "init(pile(1))\nterminal :- pile(1)\ninit(piLe(3))\nterminal :- piLe(3)",
        "warning case 3:6",
        piece="piLe and pile differ in capital letters only, and are two names",
    ),
    kif(
        "(init pile)\n(<= (goal x 50) (true pile))\n(init Pile)\n(<= (goal x 50) (true Pile))",
        "warning case 3:7",
        piece="Pile and pile differ in capital letters only",
    ),
    kif(
        "(<= (goal x 50) (~ (true (f 1))))",
        "warning notation 1:18",
        piece="~ is no mark of KIF; did you mean not?",
    ),
    kif(
        "(=> (goal x 50) (true (f 1)))",
        "warning notation 1:2",
        piece="=> is no mark of KIF; did you mean <=?",
    ),
    kif(
        "(p :- (true (f 1)))",
        "warning unused 1:1",
        "warning notation 1:4",
        "warning nested-word 1:8",
        piece="p is",
    ),
    kif("// words", "warning notation 1:1", "warning unused 1:4", piece="// is no mark of KIF here"),
    epilog(
        "// words", "warning notation 1:1", "warning unused 1:4", piece="// is no mark of infix notation here"
    ),
    epilog(
        "terminal :- f(1) & not f(4)",
        "warning notation 1:20",
        "warning hidden-fact 5:6",
        "warning never-holds 9:15",
        piece="not is no mark of infix notation; did you mean ~?",
    ),
]

NEVER = [
    kif(
        "(init (cell 1 blank))\n(<= (goal x 50) (true (cell 1 blnk)))\n"
        "(<= (next (cell ?n ?m)) (true (cell ?n ?m)))",
        "warning never-holds 2:31",
        piece="cell never has blnk as its second argument: no initial fact and no move puts it there; "
        "did you mean blank?",
    ),
    kif(
        "(init (cell 1 b))\n(<= (next (cell ?n ?m)) (true (f ?n)) (mark ?m))\n(mark w)\n"
        "(<= (goal x 50) (not (true (cell 1 k))))",
        "warning never-holds 4:36",
        piece="cell never has k as its second argument",
    ),
    epilog(
        "init(cell(1,b))\na(N) :: f(N) ==> cell(N,w)\nterminal :- cell(N,k)",
        "warning never-holds 3:20",
        piece="cell never has k",
    ),
    epilog(
        "init(turn(white))\na(N) :: turn(R) & other(R,S) ==> ~turn(R) & turn(S)\nother(white,black)\n"
        "other(black,white)\nterminal :- turn(S) & other(withe,S)",
        "warning never-holds 5:29",
        piece="other never has withe as its first argument: no rule puts it there; did you mean white?",
    ),
    epilog(
        "terminal :- f(N) & plus(1,l,N)",
        "warning never-holds 1:27",
        piece="plus counts with numbers, and l is none: this never holds",
    ),
    kif(
        "(<= (goal x 50) (true (f ?n)) (less ?n (plus 1 2)))",
        "warning never-holds 1:41",
        piece="less counts with numbers, and (plus 1 2) is none",
    ),
    epilog(
        "base(cell(N,M)) :- f2(N) & mark(M)\nf2(1)\nmark(w)\nmark(k)\nbase(f(1))\nbase(g(1))\n"
        "base(control(x))\ninit(cell(1,w))\nterminal :- cell(1,k)",
        "note never-made 1:6",
        piece="base declares cell with k as its second argument, and nothing makes it so",
    ),
    epilog(
        "terminal :- f(N) & g(N-1)",
        "warning notation 1:22",
        piece="N-1 is the name of a variable: nothing is calculated",
    ),
]

TURNS = [
    kif("(role y)", "warning goal-missing 1:1", piece="y never has a goal: no rule gives it one"),
    epilog(
        "other(x,yy)\na(N) :: control(R) & other(R,S) ==> control(S)",
        "warning unknown-role 1:9",
        piece="control can come to yy, and yy is no role: then nobody can move",
    ),
    epilog(
        "foe(R,S) :- role(R) & role(S)\nterminal :- foe(x,x)",
        "warning same-role 1:1",
        piece="R and S can be the same role here: foe(R,S) holds of one alone",
    ),
    epilog(
        "legal(pass) :- f(1)",
        "warning no-handler 1:7",
        piece="pass has no handler: it changes nothing, and adds a fact pass that nothing asks for",
    ),
    kif(
        "(init (turn 1))\n(<= (goal x 50) (true (turn 1)))",
        "warning vanishes 1:8",
        piece="turn holds at the start only: no rule of next keeps or changes it, so the first move ends it",
    ),
    epilog(
        "pile(3)\na(N) :: f(N) ==> pile(N)\nterminal :- pile(3)",
        "warning hidden-fact 1:1",
        piece="pile(3) holds for ever",
    ),
]
VARIABLES = [
    epilog(
        "terminal :- f(Here) & g(Here) & f(Hree)",
        "warning misspelt 1:35",
        piece="Hree stands here once, and is another variable than Here; did you mean Here?",
    ),
    kif(
        "(pair n n)\n(<= (goal x 50) (true (f ?n)) (near n))\n(<= (near ?m) (pair ?m ?m))",
        "warning constant 2:37",
        piece="n is a name here, and ?n a variable that nothing else in the sentence has",
    ),
]

CASES = [
    *TURNS,
    *VARIABLES,
    *NEVER,
    *SLIPS,
    *SPELLING,
    *SAFETY,
    *MEANT_OTHERWISE,
    *RECURSION,
    *VOCABULARY,
    *USAGE,
]
CORE_WORDS = ["?x", "true(", "does(", "next(", "happens(", "adds(", "deletes("]
STATIC_CODES = list(CODES)[1 : list(CODES).index("rules")]


# Findings


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text.replace("\n", " ")[:60])
def test_a_bad_sheet_gives_exactly_these_findings(case: Case) -> None:
    found = check_rules(case.rules())
    assert [f"{f.severity} {f.code} {f.place.line}:{f.place.column}" for f in found] == case.found
    assert case.piece in found[0].message


@pytest.mark.parametrize("notation", CLEAN)
def test_a_clean_sheet_has_no_findings(notation: Notation) -> None:
    assert check_rules(read(Source("clean", CLEAN[notation]), notation)) == []


def test_the_game_around_the_cases_is_clean() -> None:
    assert check_rules(read(Source("kif", KIF_GAME), "kif")) == []
    assert check_rules(read(Source("epilog", EPILOG_GAME), "epilog")) == []


def test_every_code_of_the_checker_has_a_case_and_an_explanation() -> None:
    found = {finding.code for case in CASES for finding in check_rules(case.rules())}
    assert found - {"goal-missing"} == set(STATIC_CODES)  # that one is also what play shows
    assert all(text.endswith(".") for text in CODES.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text.replace("\n", " ")[:60])
def test_every_finding_says_what_to_do_in_the_words_of_the_notation(case: Case) -> None:
    for finding in check_rules(case.rules()):
        text = finding.message + finding.hint
        assert finding.hint
        if case.notation == "epilog":
            assert not [word for word in CORE_WORDS if word in text]


def test_a_finding_shows_its_line_with_a_caret_and_its_hint() -> None:
    (finding,) = check_rules(read(Source("game.kif", "(goal ?x 50)" + KIF_GAME), "kif"))
    assert str(finding) == "game.kif:1:7: error[unsafe]: ?x has no value in the fact (goal ?x 50)"
    assert finding.show().splitlines() == [
        str(finding),
        "  (goal ?x 50)",
        "        ^",
        "  help: write a constant in place of ?x, or a rule whose body gives ?x its values",
    ]
    assert json.loads(json.dumps(finding.to_dict())) == {
        "code": "unsafe",
        "severity": "error",
        "message": "?x has no value in the fact (goal ?x 50)",
        "place": {"file": "game.kif", "line": 1, "column": 7, "text": "(goal ?x 50)"},
        "hint": "write a constant in place of ?x, or a rule whose body gives ?x its values",
        "moves": "",
    }


def test_findings_come_in_the_order_of_the_text() -> None:
    text = "(<= (goal x 50) pp qq)\n(goal x 101)\n(goal x ?y)\n"
    found = check_rules(read(Source("test", text + KIF_GAME), "kif"))
    assert [(f.place.line, f.place.column) for f in found] == [(1, 17), (1, 20), (2, 9), (3, 9)]


def test_a_variable_is_found_in_the_text_past_comments_strings_and_other_variables() -> None:
    text = '(<= (goal x 50) ; ?y\n (true (f "?y")) (role ?yy) (less ?Y 3))'
    found = check_rules(read(Source("test", text + KIF_GAME), "kif"))
    assert [(f.code, f.place.line, f.place.column) for f in found if f.code == "unsafe"] == [
        ("unsafe", 2, 35)
    ]


# What is no mistake


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ("kif", "(<= (goal x 50) (not (p ?n)) (distinct ?n 1) (true (f ?n)))\n(p 1)"),
        ("kif", "(<= (goal x 50) (less ?m 3) (plus ?n 1 ?m) (true (f ?n)))"),
        ("kif", "(<= (goal x 50) (or (true (f 1)) (not (p ?n))) (true (f ?n)))\n(p 1)"),
        ("kif", "(<= (goal ?r 50) (or (role ?r) (and (true (f 1)) (same ?r x))))"),
        ("kif", "(<= (goal x 50) (less ?n 5) (countofall ?m (true (f ?m)) ?n))"),
        ("kif", "(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))"),
        ("kif", "(<= (goal x 50) (not (goal y 50)))\n(<= (goal y 50) (not (goal x 20)))\n(role y)"),
        ("kif", "(n 0)\n(<= (n ?k) (n ?m) (plus ?m 1 ?k) (less ?k 9))\n(<= (goal x 50) (n 3))"),
        ("kif", "(n 0)\n(<= (n ?k) (n ?m) (minus 9 ?m ?k))\n(<= (goal x 50) (n 3))"),
        ("kif", "(n a)\n(<= (n (s ?k)) (n ?k) (true (f ?k)))\n(<= (goal x 50) (n a))"),
        ("kif", "(<= (goal x 50) (true (f ?n)) (plus ?n 1 2))\n(plus 1 1 2)"),
        ("kif", "(<= (next ?f) (true ?f) (not (does x (a 1))))\n(<= (base ?f) (q ?f))\n(q (f 1))"),
        ("epilog", "terminal :- f(N) & ~b(N,_)\nlegal(b(N,N)) :- f(N)"),
        ("epilog", "terminal :- same(N,M) & f(M) & b(N)\nlegal(b(N)) :- f(N)"),
        ("epilog", "terminal :- true & ~false"),
        (
            "epilog",
            "init(q(b))\na(N) :: p(M) ==> q(M)\nterminal :- q(z)\ninit(p(1))\nlegal(p(M)) :- f(N) & same(N,M)",
        ),
        ("epilog", "init(q(b))\nlegal(M) :- move(M)\nmove(a(1))\nterminal :- q(z)"),
        ("epilog", "init(q(1))\nterminal :- ~q(7)"),
        ("epilog", "init(q(1,1))\nterminal :- q(1,7)"),
        ("kif", "(init (q b))\n(<= (goal x 50) (true (q z)))\n(<= (next ?f) (made ?f))\n(made (q z))"),
        ("epilog", "legal(b) :- f(1)\nterminal :- b"),
        ("epilog", "legal(a(M)) :- f(N) & evaluate(plus(N,countofall(K,f(K))),M)"),
        ("epilog", "next(1,2)\ndoes(x) :- next(1,2)\nterminal :- does(x)"),
    ],
)
def test_these_sheets_have_no_findings(notation: Notation, text: str) -> None:
    game = EPILOG_GAME if notation == "epilog" else KIF_GAME
    assert [str(f) for f in check_rules(read(Source("test", text + "\n" + game), notation))] == []


def test_a_list_may_be_taken_apart_where_every_use_brings_it() -> None:
    rules = "long(nil,0)\nlong(H!T,N) :- long(T,M) & plus(M,1,N)\n"
    used_well = rules + "terminal :- setofall(N,f(N),L) & long(L,2)"
    used_badly = rules + "terminal :- long(L,2) & g(L)"
    assert codes(used_well) == {"bound-by-caller"}
    assert codes(used_badly) == {"unsafe", "endless-recursion"}


def codes(text: str) -> set[str]:
    return {finding.code for finding in check_rules(read(Source("test", text + EPILOG_GAME), "epilog"))}


def test_recursion_through_negation_is_found_in_the_sheet_and_in_its_core() -> None:
    text = "p(N) :- f(N) & ~q(N)\nq(N) :- f(N) & ~p(N)\nterminal :- q(1)"
    rules = read(Source("test", text + EPILOG_GAME), "epilog")
    (in_sheet,), (in_core,) = find_negative_recursion(rules), find_negative_recursion(lower(rules))
    assert in_sheet == in_core
    assert in_sheet.message.endswith("p -> ~q -> ~p")


# Any sheet at all


words = st.sampled_from([*GDL_WORDS, *EPILOG_WORDS, *FIXED_ARITY, *IMPURE, "plus", "less", "p", "q"])
word_atoms = st.builds(
    lambda name, args: Atom(Compound((name, *args)) if args else Symbol(name)),
    words,
    st.lists(terms, max_size=3),
)
word_bodies = st.lists(word_atoms | st.builds(Not, word_atoms), max_size=4).map(tuple)
word_rules = st.builds(lambda head, body: Rule(head.term, body), word_atoms, word_bodies | bodies)
word_handlers = st.builds(
    lambda operation, condition, effects: Handler(operation.term, condition, effects),
    word_atoms,
    word_bodies,
    st.lists(word_atoms | st.builds(Not, word_atoms), min_size=1, max_size=2).map(tuple),
)
word_sheets = st.lists((word_rules | word_handlers).map(number_anonymous), max_size=6).map(tuple)
NOTATIONS: list[Notation] = ["kif", "hrf", "epilog"]


@given(core_sheets | sheets | word_sheets, st.sampled_from(NOTATIONS))
def test_the_checker_has_an_opinion_on_every_sheet(sentences: Any, notation: Notation) -> None:
    for finding in check_rules(Rules(sentences, notation)):
        assert finding.code in CODES
        assert isinstance(finding.place, Place)
        assert finding.hint


@given(word_bodies | bodies, st.randoms(use_true_random=False))
def test_the_order_of_conditions_means_nothing_in_gdl(body: tuple[Formula, ...], generator: Random) -> None:
    builtins = builtins_of(Rules((), "kif"))
    other = list(body)
    generator.shuffle(other)
    readings = [read_body(parts, (), builtins, in_order=False) for parts in (body, other)]
    first, second = (
        (reading.bound, {v for v, _ in reading.missing}, {v for v, _ in reading.local})
        for reading in readings
    )
    assert first == second


@given(word_bodies | bodies)
def test_reading_in_order_never_binds_what_reading_in_any_order_does_not(body: tuple[Formula, ...]) -> None:
    builtins = builtins_of(Rules((), "epilog"))
    in_order, in_any_order = (read_body(body, (), builtins, in_order=order) for order in (True, False))
    assert in_order.bound == in_any_order.bound
    assert {v for v, _ in in_order.missing} >= {v for v, _ in in_any_order.missing}


@given(token_soups)
def test_whatever_can_be_read_can_be_checked(text: str) -> None:
    for notation in NOTATIONS:
        try:
            rules = read(Source("soup", text), notation)
        except ReadError:
            continue
        for finding in check_rules(rules):
            assert isinstance(finding, Finding)
            assert rules.source.place(0).line <= finding.place.line


@pytest.mark.parametrize(
    "text",
    [
        "(<= p " + "(not " * 190 + "q" + ")" * 191,
        "(<= p " + "(not (or (and r " * 60 + "q" + ") z))" * 60 + ")",
        "(p " + "(f " * 198 + "?x" + ")" * 199,
        "".join(f"(<= (p{i} ?x) (not (p{(i + 1) % 2000} ?x)) (role ?x))\n" for i in range(2000)),
        "(<= (p ?x0) " + " ".join(f"(plus ?x{i + 1} 1 ?x{i})" for i in range(2000)) + " (q ?x2000))",
        "".join(f"(p{i} ?x) " for i in range(2000)),
    ],
    ids=["deep negation", "deep alternation", "deep term", "long circle", "long body", "long line"],
)
def test_deep_and_long_sheets_are_checked_in_linear_time(text: str) -> None:
    assert check_rules(read(Source("test", text), "kif"))
