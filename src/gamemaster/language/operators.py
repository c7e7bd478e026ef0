"""What people write for comparisons and sums elsewhere -> the builtins that mean it here, for the help of errors.

X < 3       less(X,3)               X != 1      distinct(X,1)
X >= 3      leq(3,X)                Y is X+1    plus(X,1,Y)
"""

from __future__ import annotations

import re

__all__ = ["CALCULATIONS", "COMPARISONS", "SUM", "calculation", "comparison", "sum_in_term"]

COMPARISONS = {
    **dict.fromkeys(("<=", "=<", "\u2264"), ("leq", 1)),
    **dict.fromkeys((">=", "\u2265"), ("leq", -1)),
    **dict.fromkeys(("!=", "\\=", "=\\=", "\\==", "<>", "\u2260"), ("distinct", 1)),
    **dict.fromkeys(("==", "=:=", "="), ("same", 1)),
    "<": ("less", 1),
    ">": ("less", -1),
}
"""Marks of other languages, the builtin that is written here, and -1 where its arguments change places."""

CALCULATIONS = {"+": "plus", "-": "minus", "*": "times", "/": "quotient"}

VALUE = r"(?:[A-Za-z][A-Za-z0-9_]*|-?[0-9]+(?:\.[0-9]+)?)"
SUM = re.compile(rf"({VALUE})[ \t]*([+*/-])[ \t]*({VALUE})")
OPERAND = rf"{VALUE}(?:[ \t]*[+*/-][ \t]*{VALUE})?"
MARKS = "|".join(map(re.escape, sorted(COMPARISONS, key=len, reverse=True)))
COMPARISON = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<left>{OPERAND})[ \t]*(?P<mark>{MARKS})[ \t]*(?P<right>{OPERAND})(?![A-Za-z0-9_(])"
)
CALCULATION = re.compile(rf"({VALUE})[ \t]+is[ \t]+({OPERAND})(?![A-Za-z0-9_(])")
IS_KNOWN = re.compile(r"[A-Z0-9-]")
"""How variables and numbers begin: names beside an arrow are no comparison."""


def comparison(line: str, column: int) -> str:
    """What is written here for the comparison whose mark stands at a column of a line; nothing where there is none."""
    for found in COMPARISON.finditer(line):
        if found.start("mark") <= column < found.end("mark"):
            left, mark, right = found["left"], found["mark"], found["right"]
            if IS_KNOWN.match(left) or IS_KNOWN.match(right):
                return _equation(left, right) if mark == "=" else _compared(mark, left, right)
    return ""


def calculation(line: str, column: int) -> str:
    """What is written here for `Y is X+1`, which begins at a column of a line; nothing where there is none."""
    found = CALCULATION.match(line, column)
    return _equation(found[1], found[2]) if found else ""


def sum_in_term(text: str) -> str:
    """What to do about a text like X+1 in a term; nothing for any other."""
    found = SUM.match(text)
    return f"add the condition {_calculated(found, 'Y')}, and write Y in its place" if found else ""


def _compared(mark: str, left: str, right: str) -> str:
    conditions, values = [], []
    for text, variable in ((left, "V"), (right, "W")):
        found = SUM.fullmatch(text)
        conditions += [_calculated(found, variable)] if found else []
        values.append(variable if found else text)
    name, order = COMPARISONS[mark]
    return " & ".join([*conditions, f"{name}({','.join(values[::order])})"])


def _equation(left: str, right: str) -> str:
    if found := SUM.fullmatch(right):
        return _calculated(found, left)
    found = SUM.fullmatch(left)
    return _calculated(found, right) if found else f"same({left},{right})"


def _calculated(found: re.Match[str], result: str) -> str:
    return f"{CALCULATIONS[found[2]]}({found[1]},{found[3]},{result})"
