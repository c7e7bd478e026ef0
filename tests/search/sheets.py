"""Small games with known theory, of any size."""

from __future__ import annotations

from itertools import pairwise

TURNS = """
(role first) (role second) (other first second) (other second first)
(init (control first))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= (legal ?p noop) (other ?p ?q) (true (control ?q)))
"""

LAST_MOVER_WINS = """
(<= (goal ?p 100) (not open) (other ?p ?q) (true (control ?q)))
(<= (goal ?p 0) (not open) (true (control ?p)))
(<= (goal ?p 50) (role ?p) open)
(<= terminal (not open))
"""


def nim(*sizes: int) -> str:
    """Take any number from one heap; whoever moves last wins."""
    heaps = " ".join(f"(init (size h{i} {size}))" for i, size in enumerate(sizes))
    less = " ".join(f"(less {m} {n})" for n in range(max(sizes) + 1) for m in range(n))
    return f"""{TURNS} {heaps} {less}
    (<= (legal ?p (leave ?h ?m)) (true (control ?p)) (true (size ?h ?n)) (less ?m ?n))
    (<= (next (size ?h ?m)) (does ?p (leave ?h ?m)))
    (<= (next (size ?h ?n)) (true (size ?h ?n)) (does ?p (leave ?g ?m)) (distinct ?g ?h))
    (<= open (true (size ?h ?n)) (less 0 ?n))
    {LAST_MOVER_WINS}"""


def three_cells(n: int) -> str:
    """Fill a cell of a row each; whoever makes three filled cells appear side by side wins."""
    cells = " ".join(f"(cell {i})" for i in range(1, n + 1))
    runs = " ".join(f"(run {i} {i + 1} {i + 2})" for i in range(1, n - 1))
    return f"""{TURNS} {cells} {runs} (run none none none)
    (<= (legal ?p (fill ?i)) (true (control ?p)) (cell ?i) (not (true (filled ?i))))
    (<= (next (filled ?i)) (does ?p (fill ?i)))
    (<= (next (filled ?i)) (true (filled ?i)))
    (<= done (run ?i ?j ?k) (true (filled ?i)) (true (filled ?j)) (true (filled ?k)))
    (<= space (cell ?i) (not (true (filled ?i))))
    (<= terminal done) (<= terminal (not space))
    (<= (goal ?p 100) done (other ?p ?q) (true (control ?q)))
    (<= (goal ?p 0) done (true (control ?p)))
    (<= (goal ?p 50) (role ?p) (not done))"""


def coin_stack(coins: str) -> str:
    """Take any number of coins of one value from the top of a stack; whoever moves last wins."""
    count = len(coins)
    same = [i for i, (one, other) in enumerate(pairwise(coins)) if one == other]
    reach = [
        (i, j)
        for i in range(count)
        for j in range(i + 1, count + 1)
        if all(k in same for k in range(i, j - 1))
    ]
    return f"""{TURNS} (init (top 0)) {" ".join(f"(reach {i} {j})" for i, j in reach)}
    (<= (legal ?p (take_to ?j)) (true (control ?p)) (true (top ?i)) (reach ?i ?j))
    (<= (next (top ?j)) (does ?p (take_to ?j)))
    (<= open (not (true (top {count}))))
    {LAST_MOVER_WINS}"""


def connect(columns: int, rows: int, length: int = 4) -> str:
    """Drop discs into columns in turn; `length` of one's own in a row, a column or a diagonal win."""
    column_names, row_names = range(1, columns + 1), range(1, rows + 1)
    lines = [
        [(x + i * dx, y + i * dy) for i in range(length)]
        for x in column_names
        for y in row_names
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
    ]
    inside = [line for line in lines if line[-1][0] in column_names and line[-1][1] in row_names]
    wins = " ".join(
        f"(<= (line ?p) (role ?p) {' '.join(f'(true (disc {x} {y} ?p))' for x, y in line)})"
        for line in inside
    )
    return f"""{TURNS} {" ".join(f"(column {x})" for x in column_names)}
    {" ".join(f"(upon {y} {y + 1})" for y in range(rows))}
    (<= (height ?x 0) (column ?x) (not (taken ?x 1)))
    (<= (height ?x ?y) (upon ?y ?z) (taken ?x ?y) (not (taken ?x ?z)))
    (<= (taken ?x ?y) (true (disc ?x ?y ?p)))
    (<= (legal ?p (drop ?x)) (true (control ?p)) (height ?x ?y) (upon ?y ?z))
    (<= (next (disc ?x ?z ?p)) (does ?p (drop ?x)) (height ?x ?y) (upon ?y ?z))
    (<= (next (disc ?x ?y ?p)) (true (disc ?x ?y ?p)))
    {wins}
    (<= won (line ?p))
    (<= room (column ?x) (not (taken ?x {rows})))
    (<= terminal won) (<= terminal (not room))
    (<= (goal ?p 100) (line ?p))
    (<= (goal ?p 0) (role ?p) won (not (line ?p)))
    (<= (goal ?p 50) (role ?p) (not won))"""


BET = """
; Wait; then bet safely for 40, or riskily on a coin that chance throws next.
(role gambler) (role random) (side heads) (side tails)
(init (step wait))
(follows wait bet) (follows bet throw) (follows throw over)
(<= (next (step ?y)) (true (step ?x)) (follows ?x ?y))
(<= (legal gambler safe) (true (step bet))) (<= (legal gambler risky) (true (step bet)))
(<= (legal gambler noop) (not (true (step bet))))
(<= (legal random (throw ?s)) (true (step throw)) (side ?s))
(<= (legal random noop) (not (true (step throw))))
(<= (next risked) (does gambler risky)) (<= (next risked) (true risked))
(<= (next (coin ?s)) (does random (throw ?s)))
(<= terminal (true (step over)))
(<= (goal gambler 100) (true risked) (true (coin heads)))
(<= (goal gambler 0) (true risked) (true (coin tails)))
(<= (goal gambler 40) (not (true risked)))
(goal random 0)
"""

GUESS = """
; Guess a face while chance throws it.
(role random) (role guesser) (face 1) (face 2) (face 3) (init open)
(<= (legal random (throw ?f)) (face ?f)) (<= (legal guesser (guess ?f)) (face ?f))
(<= (next right) (does random (throw ?f)) (does guesser (guess ?f))) (<= (next over) (true open))
(<= terminal (true over))
(<= (goal guesser 99) (true right)) (<= (goal guesser 0) (not (true right))) (goal random 0)
"""

POTS = """
; a picks x or y, then b does; what all three get depends on both.
(role a) (role b) (role c) (pick x) (pick y)
(init (turn a)) (<= (next (turn b)) (true (turn a))) (<= (next (turn over)) (true (turn b)))
(<= (legal ?r ?p) (true (turn ?r)) (pick ?p))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (picked a ?p)) (does a ?p) (pick ?p)) (<= (next (picked b ?p)) (does b ?p) (pick ?p))
(<= (next (picked a ?p)) (true (picked a ?p)))
(<= terminal (true (turn over)))
(pay x x a 60) (pay x x b 30) (pay x x c 10)
(pay x y a 10) (pay x y b 50) (pay x y c 40)
(pay y x a 40) (pay y x b 40) (pay y x c 20)
(pay y y a 30) (pay y y b 20) (pay y y c 50)
(<= (goal ?r ?v) (true (picked a ?p)) (true (picked b ?q)) (pay ?p ?q ?r ?v))
"""

ENDLESS = """
; In turn, keep the game going or end it, as often as they like.
(role first) (role second) (other first second) (other second first)
(init (control first))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= (next over) (does ?p end))
(<= (legal ?p keep) (true (control ?p))) (<= (legal ?p end) (true (control ?p)))
(<= (legal ?p noop) (other ?p ?q) (true (control ?q)))
(<= terminal (true over))
(<= (goal ?p 70) (true over) (true (control ?p)))
(<= (goal ?p 20) (true over) (other ?p ?q) (true (control ?q)))
(<= (goal ?p 50) (role ?p) (not (true over)))
"""

CIRCLE = """
; A lamp that can be switched on and off for ever; finish when it is on.
(role robot) (init off)
(<= (legal robot switch)) (<= (legal robot finish) (true on))
(<= (next on) (does robot switch) (true off)) (<= (next off) (does robot switch) (true on))
(<= (next done) (does robot finish))
(<= terminal (true done))
(<= (goal robot 80) (true done)) (<= (goal robot 0) (not (true done)))
"""

DEAD_END = """
; Two ways: one ends the game, the other ends nowhere.
(role robot) (init start)
(<= (legal robot stay) (true start)) (<= (legal robot go) (true start))
(<= (next nowhere) (does robot stay)) (<= (next home) (does robot go))
(<= terminal (true home))
(<= (goal robot 30) (true home)) (<= (goal robot 90) (not (true home)))
"""

LONG_WAY_TO_NOWHERE = (
    """
; As before, but it takes twenty steps either way.
(role robot) (init start) (init (step 0))
"""
    + " ".join(f"(succ {i} {i + 1})" for i in range(20))
    + """
(<= (legal robot stay) (true start)) (<= (legal robot go) (true start))
(<= (legal robot walk) (true (step ?x)) (succ ?x ?y) (not (true start)))
(<= (legal robot run) (true (step ?x)) (succ ?x ?y) (not (true start)))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= (next homeward) (does robot go)) (<= (next homeward) (true homeward))
(<= terminal (true homeward) (true (step 20)))
(<= (goal robot 30) (true homeward)) (<= (goal robot 90) (not (true homeward)))
"""
)
