"""One small game in three notations, and how tests point into a text."""

from __future__ import annotations

from pathlib import Path

from gamemaster.games import find_rules, game_names
from gamemaster.language.rules import Notation
from gamemaster.language.source import Span

KIF = """\
; Nim
(role first) (role second)
(init (pile 3)) (init (control first))
(succ 0 1) (succ 1 2) (succ 2 3)
(other first second) (other second first)

(<= (legal ?p take) (true (control ?p)))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (pile ?n)) (true (pile ?m)) (succ ?n ?m))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= terminal (true (pile 0)))
(<= (goal ?p 0) (true (control ?p)))
(<= (goal ?p 100) (role ?p) (not (true (control ?p))))
"""
HRF = """\
% Nim
role(first) role(second)
init(pile(3)) init(control(first))
succ(0,1) succ(1,2) succ(2,3)
other(first,second) other(second,first)

legal(P,take) :- true(control(P))
legal(P,noop) :- role(P) & ~true(control(P))
next(pile(N)) :- true(pile(M)) & succ(N,M)
next(control(Q)) :- true(control(P)) & other(P,Q)
terminal :- true(pile(0))
goal(P,0) :- true(control(P))
goal(P,100) :- role(P) & ~true(control(P))
"""
EPILOG = """\
% Nim
role(first) role(second)
init(pile(3)) init(control(first))
other(first,second) other(second,first)

legal(take(N)) :- amount(N) & pile(P) & leq(N,P)
amount(1) amount(2)

take(N) :: pile(P) & leq(N,P) & minus(P,N,Q) ==> ~pile(P) & pile(Q)
take(N) :: control(R) & other(R,S) ==> ~control(R) & control(S)

terminal :- pile(0)
goal(R,100) :- pile(0) & role(R) & ~control(R)
goal(R,0) :- pile(0) & control(R)
goal(R,50) :- role(R) & ~pile(0)
"""
NIM: dict[Notation, str] = {"kif": KIF, "hrf": HRF, "epilog": EPILOG}
NOTATIONS: tuple[Notation, ...] = ("kif", "hrf", "epilog")


def library() -> dict[str, tuple[str, Notation]]:
    """The sheets of the library with their notations, by name."""
    found: dict[str, tuple[str, Notation]] = {}
    for name in game_names():
        path = Path(find_rules(name))
        notation = next(each for each in NOTATIONS if path.suffix == f".{each}")
        found[name] = (path.read_text(), notation)
    return found


LIBRARY = library()


def at(text: str, piece: str, inside: int = 0) -> int:
    """The offset of a piece of a text, or of so many characters inside it."""
    return text.index(piece) + inside


def pieces(text: str, spans: tuple[Span, ...]) -> list[str]:
    """What stands at spans."""
    return [text[span.start : span.end] for span in spans]
