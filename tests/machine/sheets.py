"""Small games for tests: simultaneous moves, hidden information, chance, recursion."""

from __future__ import annotations

MATCHING = """
; Both roles show a side of a coin at once, three times; the first wants them equal.
(role even) (role odd) (side heads) (side tails)
(init (round 1)) (init (score even 0)) (init (score odd 0))
(<= (legal ?r (show ?s)) (role ?r) (side ?s))
(<= equal (does even (show ?s)) (does odd (show ?s)))
(<= (won even) equal)
(<= (won odd) (does even (show ?s)) (not equal))
(<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))
(<= (next (score ?r ?n)) (true (score ?r ?m)) (won ?r) (succ ?m ?n))
(<= (next (score ?r ?m)) (true (score ?r ?m)) (not (won ?r)))
(<= terminal (true (round 4)))
(<= (goal ?r 100) (true (score ?r 3))) (<= (goal ?r 66) (true (score ?r 2)))
(<= (goal ?r 33) (true (score ?r 1))) (<= (goal ?r 0) (true (score ?r 0)))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
"""

HIDDEN_DIE = """
; Chance throws a die that only one player sees; the other guesses it in the next step.
(role random) (role keeper) (role guesser) (face 1) (face 2) (face 3)
(init (step throw))
(<= (legal random (throw ?f)) (true (step throw)) (face ?f))
(<= (legal random noop) (true (step guess)))
(<= (legal keeper noop))
(<= (legal guesser noop) (true (step throw)))
(<= (legal guesser (guess ?f)) (true (step guess)) (face ?f))
(<= (sees keeper (thrown ?f)) (does random (throw ?f)))
(<= (sees guesser guessing) (true (step throw)))
(<= (sees ?r (guessed ?f)) (role ?r) (does guesser (guess ?f)))
(<= (next (die ?f)) (does random (throw ?f)))
(<= (next (die ?f)) (true (die ?f)))
(<= (next (step guess)) (true (step throw)))
(<= (next (step over)) (true (step guess)))
(<= (next right) (does guesser (guess ?f)) (true (die ?f)))
(<= terminal (true (step over)))
(<= (goal guesser 100) (true right)) (<= (goal guesser 0) (not (true right)))
(<= (goal keeper 0) (true right)) (<= (goal keeper 100) (not (true right)))
(goal random 50)
"""

REACH = """
; A walker builds roads on a ring of towns; which towns can be reached from a is recursive.
(role builder) (next_to a b) (next_to b c) (next_to c d) (next_to d a) (next_to b d)
(init (left 3)) (fewer 3 2) (fewer 2 1) (fewer 1 0)
(<= (near ?x ?y) (next_to ?x ?y)) (<= (near ?x ?y) (next_to ?y ?x))
(<= (legal builder (road ?x ?y)) (next_to ?x ?y) (not (true (road ?x ?y))))
(<= (next (road ?x ?y)) (does builder (road ?x ?y)))
(<= (next (road ?x ?y)) (true (road ?x ?y)))
(<= (next (left ?m)) (true (left ?n)) (fewer ?n ?m))
(<= (joined ?x ?y) (true (road ?x ?y))) (<= (joined ?x ?y) (true (road ?y ?x)))
(reached a)
(<= (reached ?y) (reached ?x) (joined ?x ?y))
(<= terminal (true (left 0)))
(<= (goal builder 100) (reached b) (reached c) (reached d))
(<= some (reached b)) (<= some (reached d))
(<= (goal builder 50) some (not (goal builder 100)))
(<= (goal builder 0) (not some))
"""

SHEETS = {"matching": MATCHING, "hidden die": HIDDEN_DIE, "reach": REACH}
