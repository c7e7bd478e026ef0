"""Views become tables: static ones facts of the sheet; on demand, those that follow from the state facts of the state.

    leap(X,Y,U,V) :- one(X,U) & two(Y,V)   becomes   leap(1,1,2,3)   leap(1,1,3,2)   ...

With `dynamic`, a view of the state is computed once when a state is made, and is part of it from then on: states have
more facts, and whoever asks for the view looks it up. That needs rules for the next state, so a GDL sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gamemaster.errors import Unsuitable
from gamemaster.ground.atoms import atoms_of
from gamemaster.language.rules import (
    And,
    Atom,
    AtomTerm,
    Formula,
    Not,
    Or,
    Relation,
    Rule,
    Rules,
    Sentence,
    relation_of,
)
from gamemaster.language.terms import Compound, Symbol, Term, Variable
from gamemaster.metagame.meaning import Meaning, is_opaque

__all__ = ["materialize"]

MOST_ROWS = 20_000
DECLARATIONS = frozenset({"base", "action", "input"})
GAME_WORDS = frozenset(
    {"role", "init", "true", "does", "next", "legal", "goal", "terminal", "sees", *DECLARATIONS}
)


def materialize(rules: Rules, *, dynamic: bool = False) -> Rules:
    """The same game with static views as facts; with `dynamic`, views of the state as facts of the state."""
    tabulated = _with_tables(rules)
    return _Dynamic(tabulated).rules() if dynamic else tabulated


def _with_tables(rules: Rules) -> Rules:
    meaning = Meaning(rules)
    computed = {relation_of(rule.head) for rule in rules.rules if rule.body}
    tables = {relation: meaning.rows(relation) for relation in computed if relation[0] not in DECLARATIONS}
    sentences: list[Sentence] = []
    done: set[Relation] = set()
    for sentence in rules.sentences:
        rows = tables.get(relation_of(sentence.head)) if isinstance(sentence, Rule) else None
        if not isinstance(sentence, Rule) or not rows or len(rows) > MOST_ROWS:  # an empty view stays a view
            sentences.append(sentence)
        elif relation_of(sentence.head) not in done:
            relation = relation_of(sentence.head)
            done.add(relation)
            sentences += [Rule(_atom(relation[0], row), (), sentence.span, sentence.span) for row in rows]
    return replace(rules, sentences=tuple(sentences))


def _atom(name: str, args: Sequence[Term]) -> AtomTerm:
    return Compound((name, *args)) if args else Symbol(name)


class _Dynamic:
    """Views of the state -> facts of the state."""

    def __init__(self, sheet: Rules) -> None:
        if sheet.notation == "epilog":
            raise Unsuitable("an Epilog sheet says what moves change, and a view is changed by none of them")
        self.sheet = sheet
        self.meaning = Meaning(sheet)
        if any(is_opaque(part, self.meaning.builtins) for rule in sheet.rules for part in rule.body):
            raise Unsuitable("views inside an aggregate cannot become facts of the state")
        self.views = self._views()

    def _views(self) -> frozenset[Relation]:
        """The views that depend on the state but on no move."""
        uses = {relation: set[Relation]() for relation in self.meaning.defined}
        for rule in self.sheet.rules:
            uses[relation_of(rule.head)] |= {relation_of(term) for term in atoms_of(rule.body)}
        moved = {relation for relation, used in uses.items() if ("does", 2) in used}
        while more := {relation for relation, used in uses.items() if relation not in moved and used & moved}:
            moved |= more
        return frozenset(
            r for r in self.meaning.defined - moved - self.meaning.static if r[0] not in GAME_WORDS
        )

    def rules(self) -> Rules:
        """The sheet with its views in the state."""
        sentences = [new for rule in self.sheet.rules for new in self._rule(rule)]
        fact = Variable("Fact")
        for word in ("init", "next"):
            sentences.append(Rule(Compound((word, fact)), (Atom(Compound((self._name(word), fact))),)))
            for name, arity in sorted(self.views):
                args = [Variable(f"Arg{i}") for i in range(arity)]
                held = Compound((word, _atom(self._name(name, "view"), args)))
                sentences.append(Rule(held, (Atom(_atom(self._name(name, word), args)),)))
        return replace(self.sheet, sentences=tuple(sentences))

    def _name(self, *words: str) -> str:
        """A name that the sheet does not use."""
        name = "_".join(words) if len(words) > 1 else f"{words[0]}_fact"
        taken = {name for name, _ in self.meaning.defined} | self.meaning.builtins
        while name in taken:
            name += "_"
        return name

    def _rule(self, rule: Rule) -> list[Rule]:
        relation = relation_of(rule.head)
        if relation in self.views:
            return [self._ahead(rule, word) for word in ("init", "next")]
        head = rule.head
        if relation in {("init", 1), ("next", 1)}:
            head = Compound((self._name(relation[0]), *rule.head[1:]))
        body = tuple(self._mapped(part, "") for part in rule.body)
        return [replace(rule, head=head, body=body)]

    def _ahead(self, rule: Rule, word: str) -> Rule:
        """A view's rule about the state that init or next makes."""
        head = rule.head
        args = head[1:] if isinstance(head, tuple) else ()
        new_head = _atom(self._name(relation_of(head)[0], word), args)
        return replace(rule, head=new_head, body=tuple(self._mapped(part, word) for part in rule.body))

    def _mapped(self, part: Formula, word: str) -> Formula:
        """A formula about the present state, or with a word about the state that it makes."""
        match part:
            case Atom(term, span):
                return Atom(self._literal(term, word), span)
            case Not(body, span):
                return Not(self._mapped(body, word), span)
            case And(parts, span):
                return And(tuple(self._mapped(inner, word) for inner in parts), span)
            case Or(parts, span):
                return Or(tuple(self._mapped(inner, word) for inner in parts), span)

    def _literal(self, term: AtomTerm, word: str) -> AtomTerm:
        relation = relation_of(term)
        args = term[1:] if isinstance(term, tuple) else ()
        if relation in self.views:
            if word:
                return _atom(self._name(relation[0], word), args)
            return Compound(("true", _atom(self._name(relation[0], "view"), args)))
        return Compound((self._name(word), *args)) if word and relation == ("true", 1) else term
