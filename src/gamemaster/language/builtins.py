"""Builtin relations: what a sheet may use without defining it.

Values are bare data (see `terms.Value`); numbers are symbols, computed as floats and written the way
JavaScript writes them, as the original system does. A builtin gives its result as the last argument:
`plus(1,2,X)`. Nothing here may depend on the clock or on chance: a state's meaning must not change from one
look to the next.

Builtins are there in every notation, unless the sheet has a relation of that name: the sheet's own counts.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Sequence
from decimal import Decimal

from gamemaster.errors import LimitExceeded
from gamemaster.language.rules import (
    NOWHERE,
    And,
    Atom,
    Formula,
    Handler,
    Not,
    Or,
    Rule,
    Rules,
    name_of,
    relation_of,
)
from gamemaster.language.source import Span
from gamemaster.language.terms import MAX_DEPTH, Value

__all__ = [
    "AGGREGATES",
    "ARITHMETIC",
    "FUNCTIONS",
    "IMPURE",
    "TESTS",
    "builtin_arity_fits",
    "builtin_test",
    "builtins_of",
    "formula_of",
    "items_of",
    "list_of",
    "number_of",
    "own_names",
    "show_number",
]

Function = Callable[[Sequence[Value]], "Value | None"]
Test = Callable[[Sequence[Value]], bool]

AGGREGATES = frozenset({"countofall", "setofall", "exists"})
"""Relations over all instances of a formula: countofall(X,p(X),N), setofall(X,p(X),L), exists(X,p(X))."""

IMPURE = frozenset({"random", "choose", "timestamp", "newsymbolize"})
"""Builtins of the original that depend on chance or the clock; using one is refused."""


# Numbers

NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?\Z")


def number_of(value: Value) -> float | None:
    """The number that a symbol writes, or None."""
    if not isinstance(value, str) or not NUMBER.match(value):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def show_number(number: float) -> str | None:
    """The symbol of a number as JavaScript prints it: 3, 3.5, 1e-7; None for what is no number."""
    if not math.isfinite(number):
        return None
    if number == int(number) and abs(number) < 2**53:
        return str(int(number))
    shortest = repr(float(number))
    if 1e-6 <= abs(number) < 1e21:
        return format(Decimal(shortest), "f").removesuffix(".0")
    return re.sub(r"e([+-])0*", r"e\1", shortest)


def _arithmetic(compute: Callable[..., float]) -> Function:
    """A builtin on numbers; no answer where an argument is no number or the result does not exist."""

    def function(args: Sequence[Value]) -> Value | None:
        numbers = [number_of(arg) for arg in args]
        if not numbers or any(number is None for number in numbers):
            return None
        try:
            return show_number(compute(*numbers))
        except (ArithmeticError, ValueError, TypeError):
            return None

    return function


def _minus(first: float, *others: float) -> float:
    return first - sum(others) if others else -first


def _quotient(first: float, *others: float) -> float:
    return first / math.prod(others)


def _javascript_round(x: float) -> float:
    return math.floor(x + 0.5)


def _sign(x: float) -> float:
    return (x > 0) - (x < 0)


def _cube_root(x: float) -> float:
    """Exact for cubes: what C libraries compute is not, everywhere."""
    root = math.cbrt(x)
    return round(root) if round(root) ** 3 == x else root


def _bits(compute: Callable[..., int]) -> Callable[..., float]:
    """A computation on 32-bit signed integers, as JavaScript's operators do it."""

    def on_numbers(*numbers: float) -> float:
        result = compute(*(int(n) for n in numbers)) & 0xFFFFFFFF
        return result - (1 << 32) if result & 0x80000000 else result

    return on_numbers


ARITHMETIC: dict[str, Callable[..., float]] = {
    "plus": lambda *xs: sum(xs),
    "minus": _minus,
    "times": lambda *xs: math.prod(xs),
    "quotient": _quotient,
    "remainder": math.fmod,
    "bitlsh": _bits(lambda a, b: a << (b & 31)),
    "bitand": _bits(lambda a, b: a & b),
    "bitior": _bits(lambda a, b: a | b),
    "bitnot": _bits(lambda a: ~a),
    "abs": abs,
    "min": lambda *xs: min(xs),
    "max": lambda *xs: max(xs),
    "floor": math.floor,
    "ceil": math.ceil,
    "round": _javascript_round,
    "trunc": math.trunc,
    "sign": _sign,
    "sqrt": math.sqrt,
    "cbrt": _cube_root,
    "pow": math.pow,
    "exp": math.exp,
    "expm1": math.expm1,
    "log": math.log,
    "log1p": math.log1p,
    "log2": math.log2,
    "log10": math.log10,
    "hypot": math.hypot,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": math.atanh,
}
"""name -> what it makes of numbers."""


# Lists and strings

MAX_TEXT = 4_000
"""How long a computed string may be: one that is appended to itself doubles each time."""


def list_of(items: Sequence[Value]) -> Value:
    """The items as cons(a,cons(b,nil)); LimitExceeded for a list longer than terms may be deep."""
    if len(items) > MAX_DEPTH:
        raise LimitExceeded("list length", f"{MAX_DEPTH} items", doing="building a list")
    result: Value = "nil"
    for item in reversed(items):
        result = ("cons", item, result)
    return result


def items_of(value: Value) -> list[Value] | None:
    """The items of a list, or None for a value that is no list."""
    items = []
    while isinstance(value, tuple) and len(value) == 3 and value[0] == "cons":
        items.append(value[1])
        value = value[2]
    return items if value == "nil" else None


def _on_list(compute: Callable[[list[Value]], Value | None]) -> Function:
    """A builtin whose first argument is a list; no answer for anything else."""

    def function(args: Sequence[Value]) -> Value | None:
        items = items_of(args[0]) if len(args) == 1 else None
        return None if items is None else compute(items)

    return function


def _statistic(compute: Callable[[list[float]], float]) -> Function:
    """A builtin over a list of numbers."""

    def function(items: list[Value]) -> Value | None:
        numbers = [number_of(item) for item in items]
        if not numbers or any(number is None for number in numbers):
            return None
        return show_number(compute([number for number in numbers if number is not None]))

    return _on_list(function)


def _text(value: Value) -> str:
    """A value as plain text: a string without its quotes."""
    if isinstance(value, tuple):
        return f"{value[0]}({','.join(map(_text, value[1:]))})"
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


def _string(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise LimitExceeded("text length", f"{MAX_TEXT:,} characters", doing="building a string")
    return '"' + text.replace('"', "'") + '"'


def _sort_key(value: Value) -> tuple[int, float, str]:
    number = number_of(value)
    return (1, 0.0, _text(value)) if number is None else (0, number, "")


def _append(args: Sequence[Value]) -> Value | None:
    parts = [items_of(arg) for arg in args]
    if any(part is None for part in parts):
        return None
    return list_of([item for part in parts if part is not None for item in part])


def _revappend(args: Sequence[Value]) -> Value | None:
    return _append([list_of((items_of(args[0]) or [])[::-1]), *args[1:]]) if len(args) == 2 else None


def _symbolize(args: Sequence[Value]) -> Value | None:
    return re.sub(r"[^a-z0-9_./+*-]", "", _text(args[0]).lower()) or None if len(args) == 1 else None


def _hastype(args: Sequence[Value]) -> bool:
    value, kind = args
    kinds = {
        "number": number_of(value) is not None,
        "string": isinstance(value, str) and value.startswith('"'),
        "symbol": isinstance(value, str),
        "list": items_of(value) is not None,
        "compound": isinstance(value, tuple),
    }
    return isinstance(kind, str) and kinds.get(kind, False)


FUNCTIONS: dict[str, Function] = {
    **{name: _arithmetic(compute) for name, compute in ARITHMETIC.items()},
    "maximum": _statistic(max),
    "minimum": _statistic(min),
    "range": _statistic(lambda xs: max(xs) - min(xs)),
    "midrange": _statistic(lambda xs: (max(xs) + min(xs)) / 2),
    "sum": _statistic(sum),
    "median": _statistic(statistics.median),
    "mean": _statistic(statistics.fmean),
    "variance": _statistic(statistics.pvariance),
    "stddev": _statistic(statistics.pstdev),
    "length": _on_list(lambda items: str(len(items))),
    "reverse": _on_list(lambda items: list_of(items[::-1])),
    "first": _on_list(lambda items: items[0] if items else None),
    "last": _on_list(lambda items: items[-1] if items else None),
    "rest": _on_list(lambda items: list_of(items[1:]) if items else None),
    "sort": _on_list(lambda items: list_of(sorted(items, key=_sort_key))),
    "append": _append,
    "revappend": _revappend,
    "listify": lambda args: list_of(args[0]) if len(args) == 1 and isinstance(args[0], tuple) else None,
    "delistify": _on_list(lambda items: tuple(items) if items and isinstance(items[0], str) else None),
    "symbolize": _symbolize,
    "stringify": lambda args: _string(_text(args[0])) if len(args) == 1 else None,
    "stringappend": lambda args: _string("".join(map(_text, args))),
    "stringmin": lambda args: min((_string(_text(arg)) for arg in args), default=None),
    "stringjoin": lambda args: _string(" ".join(map(_text, args))),
}
"""name -> result of the other arguments, None where there is none."""


# Tests


def _compare(numbers: Callable[[float, float], bool]) -> Test:
    def test(args: Sequence[Value]) -> bool:
        first, second = (number_of(arg) for arg in args)
        return first is not None and second is not None and numbers(first, second)

    return test


MAX_PATTERN = 64
MAX_REPEATS = 3


def _matches(args: Sequence[Value]) -> bool:
    """Whether the whole string matches; patterns are bounded, since matching cannot be interrupted."""
    text, pattern = map(_text, args)
    too_hard = len(pattern) > MAX_PATTERN or len(re.findall(r"[*+?{]", pattern)) > MAX_REPEATS
    if too_hard or len(text) > MAX_PATTERN or re.search(r"\)[*+?{]|\\[1-9]|\(\?", pattern):
        allowed = f"{MAX_PATTERN} characters and {MAX_REPEATS} repetitions, none of a group,"
        raise LimitExceeded("pattern", allowed, doing=f"matching {pattern!r}")
    try:
        return re.fullmatch(pattern, text) is not None
    except re.error:
        return False


TESTS: dict[str, tuple[int | None, Test]] = {
    "mutex": (None, lambda args: len(set(args)) == len(args)),
    "less": (2, _compare(lambda a, b: a < b)),
    "leq": (2, _compare(lambda a, b: a <= b)),
    "symless": (2, lambda args: _text(args[0]) < _text(args[1])),
    "symleq": (2, lambda args: _text(args[0]) <= _text(args[1])),
    "matches": (2, _matches),
    "hastype": (2, _hastype),
}
"""name -> (arity, or None for any; whether it holds of values)."""

FIXED_ARITY = {
    "distinct": 2,
    "same": 2,
    "member": 2,
    "countofall": 3,
    "setofall": 3,
    "exists": 2,
    "evaluate": 2,
}
NAMES = frozenset({*FIXED_ARITY, *TESTS, *FUNCTIONS})


def builtin_arity_fits(name: str, arity: int) -> bool:
    """Whether a builtin of that name takes that many arguments."""
    if name in FIXED_ARITY:
        return FIXED_ARITY[name] == arity
    if name in TESTS:
        return arity > 0 and TESTS[name][0] in (None, arity)
    return name in FUNCTIONS and arity >= 2


def builtins_of(rules: Rules) -> frozenset[str]:
    """The names that mean a builtin in these rules: all but those of the sheet's own relations."""
    return NAMES - (own_names(rules) - {"distinct"})


def builtin_test(rules: Rules) -> Callable[[Value], bool]:
    """Whether an atom is of a builtin in these rules."""
    names = builtins_of(rules)

    def is_builtin(term: Value) -> bool:
        name, arity = relation_of(term)
        return name in names and builtin_arity_fits(name, arity)

    return is_builtin


def own_names(rules: Rules) -> frozenset[str]:
    """Names of relations the sheet defines or, in Epilog, keeps in its state."""
    own: set[str] = set()
    for sentence in rules.sentences:
        match sentence:
            case Rule(head):
                own.add(name_of(head))
                if rules.notation == "epilog" and name_of(head) in ("init", "base") and len(head) == 2:
                    own.add(name_of(head[1]))
            case Handler(operation, _, effects):
                own.add(name_of(operation))
                atoms = (effect.body if isinstance(effect, Not) else effect for effect in effects)
                own.update(name_of(atom.term) for atom in atoms if isinstance(atom, Atom))
    return frozenset(own)


def formula_of(term: Value, span: Span = NOWHERE) -> Formula:
    """The formula that a term inside an aggregate stands for: and(p,not(q)) is p & ~q."""
    if isinstance(term, tuple) and term[0] == "not" and len(term) == 2:
        return Not(formula_of(term[1], span), span)
    if isinstance(term, tuple) and term[0] in ("and", "or"):
        return (And if term[0] == "and" else Or)(tuple(formula_of(part, span) for part in term[1:]), span)
    return Atom(term, span)  # type: ignore[arg-type]  # readers leave only symbols and compounds here
