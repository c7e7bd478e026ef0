"""What the words of the language, its builtins and its marks mean, in a line each, for whoever points at one."""

from __future__ import annotations

from dataclasses import dataclass

from gamemaster.language.rules import Notation
from gamemaster.language.terms import Variable

__all__ = ["BUILTINS", "CONNECTIVE_WORDS", "MARKS", "WordEntry", "signature", "words_of"]


@dataclass(frozen=True, slots=True)
class WordEntry:
    """What a name means, and what its arguments are called."""

    arguments: tuple[str, ...]
    meaning: str


def _entry(arguments: str, meaning: str) -> WordEntry:
    return WordEntry(tuple(arguments.split()), meaning)


def signature(name: str, arguments: tuple[str, ...], notation: Notation) -> str:
    """A name with its arguments, as it is written in a notation: less(X,Y) or (less ?x ?y)."""
    if notation == "kif":
        shown = [Variable(a).kif() if a[0].isupper() else a for a in arguments]
        return f"({' '.join((name, *shown))})" if arguments else name
    return f"{name}({','.join(arguments)})" if arguments else name


SHARED = {
    "role": _entry("R", "R plays the game. The role random is chance."),
    "init": _entry("F", "The fact F holds at the start."),
    "base": _entry("F", "The fact F can be part of a state."),
    "goal": _entry("R N", "The state is worth N to the role R, from 0 to 100."),
    "terminal": _entry("", "The game is over."),
}
GDL = {
    **SHARED,
    "true": _entry("F", "The fact F holds in the state."),
    "does": _entry("R M", "The role R makes the move M in this step."),
    "next": _entry("F", "The fact F holds in the next state."),
    "legal": _entry("R M", "The role R may make the move M."),
    "input": _entry("R M", "The role R could make the move M in some state."),
    "sees": _entry("R P", "The role R gets to know P in this step (GDL-II)."),
}
EPILOG = {
    **SHARED,
    "legal": _entry("M", "The role in control may make the move M."),
    "action": _entry("M", "M could be a move in some state."),
    "control": _entry("R", "It is the turn of the role R."),
    "true": _entry("", "Always holds."),
    "false": _entry("", "Never holds."),
}


def words_of(notation: Notation) -> dict[str, WordEntry]:
    """The words of a notation's language."""
    return EPILOG if notation == "epilog" else GDL


CONNECTIVE_WORDS = {
    "and": _entry("P Q", "All of its parts hold."),
    "or": _entry("P Q", "At least one of its parts holds."),
    "not": _entry("P", "There is no way in which P holds."),
}

MARKS = {
    "<=": "A rule: the head holds where all conditions do. (<= head condition condition)",
    ":-": "A rule: the head holds where the condition does. head :- condition",
    "::": "A handler: what a move changes. move :: condition ==> effects",
    "==>": "Before it a condition on the state, behind it the effects: facts that are added, or with ~ deleted.",
    ":=": "A definition, for evaluate. f(X) := expression",
    "&": "And: both sides hold.",
    "|": "Or: at least one side holds.",
    "~": "Not: there is no way in which it holds. As an effect: the fact is deleted.",
    "!": "A list: the first item, and the list of the others.",
}

BUILTINS = {
    # Comparing
    "distinct": _entry("X Y", "X and Y are two things."),
    "same": _entry("X Y", "X and Y are the same."),
    "mutex": _entry("X Y", "All arguments differ from each other."),
    "less": _entry("X Y", "The number X is less than Y."),
    "leq": _entry("X Y", "The number X is at most Y."),
    "symless": _entry("X Y", "The text of X comes before that of Y."),
    "symleq": _entry("X Y", "The text of X comes before that of Y, or is the same."),
    "matches": _entry("S P", "The text S matches the pattern P as a whole."),
    "hastype": _entry("X T", "X is of type T: number, string, symbol, list or compound."),
    # All instances of a formula
    "countofall": _entry("X P N", "N is the number of values of X for which P holds."),
    "setofall": _entry("X P L", "L is the list of the values of X for which P holds."),
    "exists": _entry("X P", "There is a value of X for which P holds."),
    "evaluate": _entry(
        "E X", "X is the value of the expression E: of builtins with a result, and definitions."
    ),
    # Numbers
    "plus": _entry("X Y Z", "Z is the sum of the others."),
    "minus": _entry("X Y Z", "Z is X less the others."),
    "times": _entry("X Y Z", "Z is the product of the others."),
    "quotient": _entry("X Y Z", "Z is X divided by the others."),
    "remainder": _entry("X Y Z", "Z is what is left of X when it is divided by Y."),
    "min": _entry("X Y Z", "Z is the least of the others."),
    "max": _entry("X Y Z", "Z is the greatest of the others."),
    "abs": _entry("X Y", "Y is X without its sign."),
    "sign": _entry("X Y", "Y is -1, 0 or 1, as X is negative, 0 or positive."),
    "floor": _entry("X Y", "Y is the greatest whole number up to X."),
    "ceil": _entry("X Y", "Y is the least whole number from X on."),
    "round": _entry("X Y", "Y is the whole number next to X, halves up."),
    "trunc": _entry("X Y", "Y is X without what stands behind its point."),
    "sqrt": _entry("X Y", "Y is the square root of X."),
    "cbrt": _entry("X Y", "Y is the cube root of X."),
    "pow": _entry("X Y Z", "Z is X to the power of Y."),
    "exp": _entry("X Y", "Y is e to the power of X."),
    "expm1": _entry("X Y", "Y is e to the power of X, less 1."),
    "log": _entry("X Y", "Y is the natural logarithm of X."),
    "log1p": _entry("X Y", "Y is the natural logarithm of 1 + X."),
    "log2": _entry("X Y", "Y is the logarithm of X to base 2."),
    "log10": _entry("X Y", "Y is the logarithm of X to base 10."),
    "hypot": _entry("X Y Z", "Z is the root of the sum of the squares of the others."),
    "sin": _entry("X Y", "Y is the sine of X."),
    "cos": _entry("X Y", "Y is the cosine of X."),
    "tan": _entry("X Y", "Y is the tangent of X."),
    "asin": _entry("X Y", "Y is the angle whose sine is X."),
    "acos": _entry("X Y", "Y is the angle whose cosine is X."),
    "atan": _entry("X Y", "Y is the angle whose tangent is X."),
    "atan2": _entry("Y X Z", "Z is the angle of the point X, Y."),
    "sinh": _entry("X Y", "Y is the hyperbolic sine of X."),
    "cosh": _entry("X Y", "Y is the hyperbolic cosine of X."),
    "tanh": _entry("X Y", "Y is the hyperbolic tangent of X."),
    "asinh": _entry("X Y", "X is the hyperbolic sine of Y."),
    "acosh": _entry("X Y", "X is the hyperbolic cosine of Y."),
    "atanh": _entry("X Y", "X is the hyperbolic tangent of Y."),
    "bitlsh": _entry("X N Y", "Y is X with its 32 bits moved N places to the left."),
    "bitand": _entry("X Y Z", "Z has the bits that X and Y both have."),
    "bitior": _entry("X Y Z", "Z has the bits that X or Y has."),
    "bitnot": _entry("X Y", "Y has the bits that X does not have."),
    # Lists
    "member": _entry("X L", "X is an item of the list L."),
    "length": _entry("L N", "N is how many items the list L has."),
    "first": _entry("L X", "X is the first item of the list L."),
    "last": _entry("L X", "X is the last item of the list L."),
    "rest": _entry("L M", "M is the list L without its first item."),
    "reverse": _entry("L M", "M is the list L from back to front."),
    "sort": _entry("L M", "M is the list L in order: numbers, then text."),
    "append": _entry("L M N", "N is the list of the items of the others."),
    "revappend": _entry("L M N", "N is the list L from back to front, then M."),
    "listify": _entry("T L", "L is the list of the functor of T and its arguments."),
    "delistify": _entry("L T", "T is the compound whose functor and arguments the list L has."),
    "sum": _entry("L N", "N is the sum of the numbers in the list L."),
    "maximum": _entry("L N", "N is the greatest number in the list L."),
    "minimum": _entry("L N", "N is the least number in the list L."),
    "range": _entry("L N", "N is the greatest number in the list L less the least."),
    "midrange": _entry("L N", "N is halfway between the least and the greatest number in the list L."),
    "mean": _entry("L N", "N is the mean of the numbers in the list L."),
    "median": _entry("L N", "N is the median of the numbers in the list L."),
    "variance": _entry("L N", "N is the variance of the numbers in the list L."),
    "stddev": _entry("L N", "N is the standard deviation of the numbers in the list L."),
    # Text
    "symbolize": _entry("S X", "X is the symbol that the text S spells."),
    "stringify": _entry("X S", "S is the text of X."),
    "stringappend": _entry("X Y S", "S is the text of the others, one behind the other."),
    "stringjoin": _entry("X Y S", "S is the text of the others, with blanks between."),
    "stringmin": _entry("X Y S", "S is the text that comes first among the others."),
}
"""Every builtin; those with a result give it as their last argument."""
