"""Rules in other words: a player cannot know the game by its names, and plays the same game.

All words are replaced, each by the same other word wherever it stands, and so are the names of variables. What means
something to every machine stays: the words of the language, builtins, numbers (goals, and what is computed with).
Builtins that look into words, as `symless` does, would see the difference: such rules are refused.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from gamemaster.errors import Unsuitable
from gamemaster.language.builtins import IMPURE, builtins_of, number_of
from gamemaster.language.notation import read, show
from gamemaster.language.rules import And, Atom, Definition, Formula, Handler, Not, Or, Rule, Rules, Sentence
from gamemaster.language.source import Source
from gamemaster.language.syntax import sentence_terms, sentence_variables
from gamemaster.language.terms import Compound, Symbol, Variable

__all__ = ["SCRAMBLED", "Scrambling", "is_scrambled"]

LANGUAGE_WORDS = frozenset(
    {"and", "or", "not", "cons", "nil", "if", "true", "false", "distinct", "role", "base", "init"}
    | {"legal", "goal", "terminal", "random"}
)
GDL_WORDS = frozenset({"does", "next", "input", "sees"})
EPILOG_WORDS = frozenset({"action", "control"})
TYPE_WORDS = frozenset({"number", "string", "symbol", "list", "compound"})
"""What `hastype` asks for."""

LOOKS_INTO_WORDS = frozenset({"symless", "symleq", "matches", "sort", "symbolize", "stringify"})
LOOKS_INTO_WORDS |= {"stringappend", "stringmin", "stringjoin"}

SCRAMBLED = "scrambled"
"""The name of every game in other words."""

SYLLABLES = tuple(map("".join, product("bdfgklmnprstvz", "aeiou")))


@dataclass(frozen=True)
class Scrambling:
    """Other words for those of some rules. `words` and `variables` map old names to new ones."""

    words: Mapping[str, str]
    variables: Mapping[Variable, Variable]

    @classmethod
    def of_match(cls, rules: Rules, seed: int) -> Scrambling:
        """Other words for the rules of the match with that seed, which do not tell it."""
        return cls.of(rules, random.Random(f"{seed}/scramble").getrandbits(32))

    @classmethod
    def of(cls, rules: Rules, seed: int) -> Scrambling:
        """Other words for these rules, the same for the same seed; Unsuitable for rules that would change."""
        kept = _kept(rules)
        found = _found_words(rules)
        variables = dict.fromkeys(
            variable
            for sentence in rules.sentences
            for variable in sentence_variables(sentence)
            if not variable.is_anonymous
        )
        taken = {*found, *kept}
        changed = [word for word in found if not _stays(word, kept)]
        # Each from its own word, so that nobody can say afterwards that a word was another.
        words = {word: _like(word, _fresh_word(random.Random(f"{seed}/{word}"), taken)) for word in changed}
        generator = random.Random(seed)
        names = {each: Variable(_fresh_word(generator, taken).capitalize()) for each in variables}
        return cls(words, names)

    @classmethod
    def back(cls, names: Mapping[str, str]) -> Scrambling:
        """The way back to the old words, with `names` of a record; variables stay as they are."""
        return cls(names, {})

    @property
    def names(self) -> dict[str, str]:
        """The old word of each new one."""
        return {new: old for old, new in self.words.items()}

    def scramble(self, rules: Rules) -> Rules:
        """The rules in other words, as if they had been written so."""
        sentences = tuple(_changed(sentence, self.translate) for sentence in rules.sentences)
        text = show(Rules(sentences, rules.notation))
        return read(Source("scrambled rules", text), rules.notation)

    def translate(self, term: Any) -> Any:
        """A term with all words and variables replaced that have another; the rest stays."""
        if isinstance(term, Variable):
            return self.variables.get(term, term)
        if not isinstance(term, tuple):
            return Symbol(self.words.get(term, term))
        parts = [self.words.get(term[0], term[0])]
        for part in term[1:]:  # a loop: a comprehension would double the depth of the stack
            parts.append(self.translate(part))
        return Compound(parts)


def _kept(rules: Rules) -> frozenset[str]:
    """The words that must stay."""
    builtins = builtins_of(rules)
    used = {word for sentence in rules.sentences for word in _sentence_words(sentence)} & builtins
    if used & LOOKS_INTO_WORDS:
        raise Unsuitable(
            f"rules that use {min(used & LOOKS_INTO_WORDS)} cannot be scrambled: it looks into words"
        )
    own = EPILOG_WORDS if rules.notation == "epilog" else GDL_WORDS
    types = TYPE_WORDS if "hastype" in used else frozenset()
    return LANGUAGE_WORDS | own | types | builtins | IMPURE


def _stays(word: str, kept: frozenset[str]) -> bool:
    return word in kept or number_of(word) is not None


def _sentence_words(sentence: Sentence) -> Iterator[str]:
    """The words of a sentence from left to right, functors among them."""
    for term in sentence_terms(sentence):
        yield from _words(term)


def _words(term: Any) -> Iterator[str]:
    todo = [term]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            yield str.__str__(part[0])
            todo += part[:0:-1]
        elif not isinstance(part, Variable):
            yield str.__str__(part)


def _found_words(rules: Rules) -> dict[str, None]:
    """All words of the rules, in the order in which they are there."""
    return dict.fromkeys(word for sentence in rules.sentences for word in _sentence_words(sentence))


def _fresh_word(generator: random.Random, taken: set[str]) -> str:
    """A word that nobody has used yet; now it is taken."""
    while True:
        # Three syllables are 343,000 words: enough for any rules, and short.
        word = "".join(generator.choices(SYLLABLES, k=3))
        if word not in taken:
            taken.add(word)
            return word


def _like(word: str, fresh: str) -> str:
    """A string for a string."""
    return f'"{fresh}"' if word.startswith('"') else fresh


def _changed(sentence: Sentence, change: Callable[[Any], Any]) -> Sentence:
    """The sentence with its terms changed."""
    match sentence:
        case Rule(head, body):
            return Rule(change(head), tuple(_changed_formula(part, change) for part in body))
        case Definition(head, expression):
            return Definition(change(head), change(expression))
        case Handler(operation, condition, effects):
            changed = tuple(_changed_formula(part, change) for part in condition)
            done: Any = tuple(_changed_formula(part, change) for part in effects)
            return Handler(change(operation), changed, done)


def _changed_formula(formula: Formula, change: Callable[[Any], Any]) -> Formula:
    match formula:
        case Atom(term):
            return Atom(change(term))
        case Not(body):
            return Not(_changed_formula(body, change))
        case And(parts) | Or(parts):
            return replace(formula, parts=tuple(_changed_formula(part, change) for part in parts))


# Records


def is_scrambled(rules: Rules, names: Mapping[str, str], seed: int) -> bool:
    """Whether rules are scrambled as in the match with that seed, if these were their words."""
    if len(set(names.values())) < len(names):
        return False
    old = Scrambling.back(names).scramble(rules)
    number = random.Random(f"{seed}/scramble").getrandbits(32)
    return dict(names) in (Scrambling.of(old, number).names, _in_order(old, number))


def _in_order(rules: Rules, seed: int) -> dict[str, str]:
    """The old word of each new one as they were once chosen: one after the other, whatever they were."""
    kept, found = _kept(rules), _found_words(rules)
    generator, taken = random.Random(seed), {*found, *kept}
    return {_like(word, _fresh_word(generator, taken)): word for word in found if not _stays(word, kept)}
