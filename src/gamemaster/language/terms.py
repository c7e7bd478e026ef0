"""Terms: symbols, variables and compounds, the values of the language.

A ground term *is* plain data: a symbol is a `str`, a compound a `tuple` (functor, argument, ...), so hashing
and equality run at C speed and reasoners may use bare strings and tuples; these classes only add how a term
prints. `f` (a symbol) and `f()` (a compound without arguments) differ. Numbers are symbols.

    >>> Compound(("cell", Symbol("1"), Variable("X")))
    cell(1,X)
    >>> _.kif()
    '(cell 1 ?x)'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

__all__ = [
    "MAX_DEPTH",
    "Compound",
    "Symbol",
    "Term",
    "Value",
    "Variable",
    "data_of",
    "depth_of",
    "exact_kif",
    "quote",
    "term_of",
    "unquote",
    "variables_of",
]

MAX_DEPTH = 200
"""How deep terms and formulas may nest, lists included: bounds every recursion over them."""

Value: TypeAlias = "str | tuple[Any, ...]"
"""A term as bare data, what reasoners compute with: a compound has its functor first, then values (hence Any)."""

Piece: TypeAlias = "Value | Term"
"""What is printed one after the other: marks, and parts of terms."""

PLAIN_INFIX = re.compile(
    r"""(?:[a-z0-9][A-Za-z0-9_./+*-]*      # a name or number
         | -[0-9]+(?:\.[0-9]+)?            # a negative number
         | "[^"\r\n]*")\Z                  # a string in its quotes""",
    re.VERBOSE,
)
PLAIN_KIF = re.compile(
    r"""(?!\?|<=\Z)[^\x00-\x20()";|\x7f-\U0010ffff]+\Z      # printable ASCII but for marks
        | "[^"\r\n]*"\Z                                   # a string in its quotes""",
    re.VERBOSE,
)
KIF_VARIABLE = re.compile(r"\?[^\x00-\x20()\";|A-Z\x7f-\U0010ffff]+\Z")
ANONYMOUS = re.compile(r"_[0-9]+\Z")
ODD_IN_VARIABLE = re.compile(r"[^A-Za-z0-9_./+*-]")
ESCAPED_IN_VARIABLE = re.compile(r"U([0-9a-f]{2})")
LINE_ESCAPES = {"\n": "n", "\r": "r"}


class Term:
    """What symbols, variables and compounds share: `str(term)` is infix, `term.kif()` prefix."""

    __slots__ = ()

    def kif(self) -> str:
        """The term in prefix notation, as in KIF files."""
        raise NotImplementedError  # no ABC: terms are made and told apart by the million

    def __repr__(self) -> str:
        return str(self)


class Symbol(Term, str):
    """A constant: a name, a number or a string in its quotes."""

    __slots__ = ()

    def __str__(self) -> str:
        plain = str.__str__(self)
        return plain if PLAIN_INFIX.match(plain) else quote(plain, "'")

    def kif(self) -> str:
        """The symbol, between bars where it is none in KIF; capitals stay as they are."""
        plain = str.__str__(self)
        return plain if PLAIN_KIF.match(plain) else quote(plain, "|")

    def __reduce__(self) -> tuple[object, ...]:
        return (Symbol, (str.__str__(self),))


class Variable(Term, str):
    """A variable, named as in infix notation: first letter upper case.

    Readers number each `_` within its sentence: `_1`, `_2`, ... print as `_` in infix, as `?_1` in KIF.
    """

    __slots__ = ()

    @classmethod
    def from_kif(cls, text: str) -> Variable:
        """X for `?x`, VV1 for `?1`, XU27 for `?x'`: one name for each KIF variable, readable in infix."""
        name = text[1:]
        if name[:1].islower():
            name = name[0].upper() + name[1:]
        elif not ANONYMOUS.match(name):
            name = "VV" + name
        return cls(ODD_IN_VARIABLE.sub(lambda odd: f"U{ord(odd[0]):02x}", name))

    @property
    def is_anonymous(self) -> bool:
        """Whether it was written `_`."""
        return bool(ANONYMOUS.match(str.__str__(self)))

    def __str__(self) -> str:
        return "_" if self.is_anonymous else str.__str__(self)

    def kif(self) -> str:
        """`?x` for X. KIF has no upper case: a name that `from_kif` cannot give back is lower-cased."""
        name = str.__str__(self)
        text = "?" + ESCAPED_IN_VARIABLE.sub(lambda code: chr(int(code[1], 16)), name.removeprefix("VV"))
        text = text[:2].lower() + text[2:]
        return text if KIF_VARIABLE.match(text) and Variable.from_kif(text) == self else "?" + name.lower()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variable) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(("variable", str.__str__(self)))

    def __reduce__(self) -> tuple[object, ...]:
        return (Variable, (str.__str__(self),))


class Compound(Term, tuple[Any, ...]):
    """A functor with arguments: the tuple (functor, argument, ...)."""

    __slots__ = ()

    @property
    def functor(self) -> str:
        """The name before the bracket."""
        return str.__str__(self[0])

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments."""
        return self[1:]

    def __str__(self) -> str:
        return _print(self, _infix_pieces, str)

    def kif(self) -> str:
        """The term in brackets: (functor argument ...)."""
        return _print(self, _kif_pieces, lambda part: part.kif())

    def __reduce__(self) -> tuple[object, ...]:
        return (Compound, (tuple(self),))


def exact_kif(term: Term) -> str:
    """The term in KIF with bars around symbols that have capitals, for texts where case must survive."""
    return (
        _print(term, _exact_kif_pieces, _exact_kif_leaf) if isinstance(term, tuple) else _exact_kif_leaf(term)
    )


def quote(text: str, mark: str) -> str:
    """The text between marks, with the mark, the backslash and line ends escaped."""
    text = text.replace("\\", "\\\\").replace(mark, "\\" + mark)
    for line_end, letter in LINE_ESCAPES.items():
        text = text.replace(line_end, "\\" + letter)
    return mark + text + mark


def unquote(quoted: str) -> str:
    """The text that `quote` put between marks."""
    letters = {letter: line_end for line_end, letter in LINE_ESCAPES.items()}
    return re.sub(r"\\(.)", lambda escape: letters.get(escape[1], escape[1]), quoted[1:-1])


def _print(
    term: tuple[Any, ...], pieces: Callable[[tuple[Any, ...]], list[Piece]], show: Callable[[Any], str]
) -> str:
    """The text of a compound: `pieces` gives its marks and parts in order, `show` prints the smallest."""
    text: list[str] = []
    todo: list[Piece] = [term]
    while todo:  # with a stack of its own: the deepest terms are too deep for str() inside str()
        part = todo.pop()
        if isinstance(part, tuple):
            todo += reversed(pieces(part))
        else:
            text.append(part if type(part) is str else show(part))
    return "".join(text)


def _kif_pieces(term: tuple[Any, ...]) -> list[Piece]:
    """`(f a b)`."""
    pieces: list[Piece] = ["(" + Symbol(term[0]).kif()]
    for part in term[1:]:
        pieces += " ", part
    return [*pieces, ")"]


def _exact_kif_pieces(term: tuple[Any, ...]) -> list[Piece]:
    return ["(" + _exact_kif_leaf(Symbol(term[0])), *_kif_pieces(term)[1:]]


def _exact_kif_leaf(term: Term) -> str:
    assert isinstance(term, str)
    text = str.__str__(term)
    has_capitals = isinstance(term, Symbol) and text != text.lower() and not text.startswith('"')
    return quote(text, "|") if has_capitals else term.kif()


def _infix_pieces(term: tuple[Any, ...]) -> list[Piece]:
    """`f(a,b)`, or the marks that infix notation has for and, or, not and cons."""
    functor, arity = term[0], len(term) - 1
    if functor == "and" and arity > 1:
        return _joined(term[1:], " & ", ("and", "or"))
    if functor == "or" and arity > 1:
        return _joined(term[1:], " | ", ("or",))
    if functor == "not" and arity == 1:
        return ["~", *_joined(term[1:], "", ("and", "or"))]
    if functor == "cons" and arity == 2:
        return _list_pieces(term)
    return [f"{Symbol(functor)}(", *_joined(term[1:], ",", ()), ")"]


def _list_pieces(term: Value) -> list[Piece]:
    """`[a,b]` for cons(a,cons(b,nil)); a list with another tail prints as `a!b!tail`."""
    items: list[Piece] = []
    while isinstance(term, tuple) and len(term) == 3 and term[0] == "cons":
        items.append(term[1])
        term = term[2]
    if term == "nil":
        return ["[", *_joined(items, ",", ()), "]"]
    return _joined([*items, term], "!", ("and", "or", "not", "cons"))


def _joined(parts: Sequence[Piece], mark: str, loose: tuple[str, ...]) -> list[Piece]:
    """The parts with a mark between them; those with one of the loose functors in parentheses."""
    pieces: list[Piece] = []
    for part in parts:
        pieces += (mark, "(", part, ")") if isinstance(part, tuple) and part[0] in loose else (mark, part)
    return pieces[1:]


def term_of(value: Value | Term) -> Term:
    """Bare data as a Term that prints itself (a Term comes back unchanged)."""
    if isinstance(value, Term):
        return value
    if isinstance(value, tuple):
        return Compound((value[0], *map(term_of, value[1:])))
    return Symbol(value)


def data_of(term: Term) -> Value:
    """A ground term as the bare data that it is."""
    assert isinstance(term, str | tuple)
    return term


def variables_of(term: Value | Term) -> Iterator[Variable]:
    """The variables of a term from left to right, each as often as it occurs."""
    todo: list[Value | Term] = [term]
    while todo:
        part = todo.pop()
        if isinstance(part, Variable):
            yield part
        elif isinstance(part, tuple):
            todo += part[:0:-1]


def depth_of(term: Value | Term) -> int:
    """0 for a symbol or variable, 1 for f(a), ... ."""
    depth, level = 0, [term]
    while level := [part for part in level if isinstance(part, tuple)]:
        depth += 1
        level = [part for parent in level for part in parent[1:]]
    return depth
