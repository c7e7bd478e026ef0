"""Infix notation: what each form of HRF and Epilog reads as, how it prints, and the place of every error."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from gamemaster.errors import Place, ReadError, RulesError
from gamemaster.language.infix import read_epilog, read_hrf, read_term, show_epilog, show_hrf
from gamemaster.language.rules import And, Atom, Definition, Handler, Not, Or, Rule, Rules, Sentence
from gamemaster.language.source import Source
from gamemaster.language.terms import MAX_DEPTH, Compound, Symbol, Variable

X, Y, N = Variable("X"), Variable("Y"), Variable("N")
A, B, C = Symbol("a"), Symbol("b"), Symbol("c")


def call(functor: str, *args: Any) -> Compound:
    return Compound((functor, *args))


def atom(name: str) -> Atom:
    return Atom(Symbol(name))


def epilog(text: str) -> tuple[Sentence, ...]:
    return read_epilog(Source("test.epilog", text)).sentences


def hrf(text: str) -> tuple[Sentence, ...]:
    return read_hrf(Source("test.hrf", text)).sentences


def error_of(text: str) -> tuple[ReadError, Place]:
    with pytest.raises(ReadError) as caught:
        epilog(text)
    assert caught.value.place
    return caught.value, caught.value.place


# Sentences


@pytest.mark.parametrize("read", [hrf, epilog])
def test_a_rule_has_a_head_and_a_body(read: Any) -> None:
    (rule,) = read("legal(X,mark(Y)) :- true(control(X)) & ~taken(Y)")
    taken = Not(Atom(call("taken", Y)))
    assert rule == Rule(call("legal", X, call("mark", Y)), (Atom(call("true", call("control", X))), taken))


def test_sentences_follow_each_other_with_or_without_dots() -> None:
    rules = (Rule(call("p", A)), Rule(call("q", A), (atom("r"),)), Rule(B))
    assert epilog("p(a) q(a) :- r b") == rules
    assert epilog("p(a). q(a) :- r . % here . ends it\n. b") == rules


def test_a_handler_has_condition_and_effects() -> None:
    (handler,) = epilog("mark(X) :: control(Y) & ~(a | b) ==> cell(X,Y) & ~control(Y) & update")
    condition = (Atom(call("control", Y)), Not(Or((atom("a"), atom("b")))))
    effects = (Atom(call("cell", X, Y)), Not(Atom(call("control", Y))), atom("update"))
    assert handler == Handler(call("mark", X), condition, effects)


def test_a_handler_may_have_no_condition() -> None:
    assert epilog("a :: b & (~c & d)") == (Handler(A, (), (atom("b"), Not(atom("c")), atom("d"))),)
    assert epilog("a :: true ==> b") == (Handler(A, (atom("true"),), (atom("b"),)),)


def test_a_definition_has_an_expression() -> None:
    assert epilog("f(X) := plus(X,1)") == (Definition(call("f", X), call("plus", X, Symbol("1"))),)


def test_true_stays_an_atom() -> None:
    assert epilog("p :- true") == (Rule(Symbol("p"), (atom("true"),)),)


# Formulas


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (
            "a | b & ~c",
            Or((atom("a"), And((atom("b"), Not(atom("c")))))),
        ),
        ("(a | b) | c | (d & (e & f))", Or((*map(atom, "abc"), And(tuple(map(atom, "def")))))),
        ("~~a", Not(Not(atom("a")))),
        ("~(a & b)", Not(And((atom("a"), atom("b"))))),
        ("((a))", atom("a")),
        ("'a b' | and(c,or(d))", Or((atom("a b"), And((atom("c"), atom("d")))))),
    ],
)
def test_operators_bind_as_they_should(text: str, formula: Any) -> None:
    assert epilog(f"h :- {text}") == (Rule(Symbol("h"), (formula,)),)


def test_a_conjunction_is_spread_over_the_body() -> None:
    assert epilog("h :- ((a & b) & c) & d") == (Rule(Symbol("h"), tuple(map(atom, "abcd"))),)


def test_formulas_inside_terms_become_compounds() -> None:
    (rule,) = epilog("h(N) :- countofall(X, p(X) & ~(q(X) | r), N)")
    query = call("and", call("p", X), call("not", call("or", call("q", X), Symbol("r"))))
    assert rule == Rule(call("h", N), (Atom(call("countofall", X, query, N)),))
    assert show_epilog(Rules((rule,), "epilog")) == "h(N) :- countofall(X,p(X) & ~(q(X) | r),N)\n"


def test_everything_knows_its_place() -> None:
    text = "p(a) :-\n  (q(b) | ~r) & [s]"
    (rule,) = epilog(text)
    assert isinstance(rule, Rule)
    either, last = rule.body
    assert isinstance(either, Or)
    spans = [rule.span, rule.head_span, either.span, last.span, *(part.span for part in either.parts)]
    shown = [text[span.start : span.end] for span in spans]
    assert shown == [text, "p(a)", "(q(b) | ~r)", "[s]", "q(b)", "~r"]
    text = "a :: b ==> ~c"
    (handler,) = epilog(text)
    assert isinstance(handler, Handler)
    shown = [
        text[part.span.start : part.span.end] for part in (handler, *handler.condition, *handler.effects)
    ]
    assert shown == [text, "b", "~c"]


# Terms


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("a-b", Symbol("a-b")),
        ("x.y/z", Symbol("x.y/z")),
        ("1a", Symbol("1a")),
        ("3.5", Symbol("3.5")),
        ("p.", Symbol("p.")),
        ("-12", Symbol("-12")),
        ("-2.5", Symbol("-2.5")),
        ('"A b % ("', Symbol('"A b % ("')),
        ("'A b'", Symbol("A b")),
        (r"'it\'s \\ \n'", Symbol("it's \\ \n")),
        ("''", Symbol("")),
        ("'é'", Symbol("é")),
        ("Row", Variable("Row")),
        ("_", Variable("_1")),
        ("f()", call("f")),
        ("f (a)", call("f", A)),
        ("f%\n(a)", call("f", A)),
        ("'F'(a)", call("F", A)),
        ("f(_,X,_)", call("f", Variable("_1"), X, Variable("_2"))),
        ("[]", Symbol("nil")),
        ("[a,b]", call("cons", A, call("cons", B, Symbol("nil")))),
        ("a!b!c", call("cons", A, call("cons", B, C))),
        ("(a!b)!~c", call("cons", call("cons", A, B), call("not", C))),
        ("f(a & b & c)", call("f", call("and", A, B, C))),
        ("f(a & (b & c))", call("f", call("and", A, call("and", B, C)))),
        ("f((a | b) & c)", call("f", call("and", call("or", A, B), C))),
        ("f(~(a & b))", call("f", call("not", call("and", A, B)))),
        ("f(~a!b)", call("f", call("not", call("cons", A, B)))),
    ],
)
def test_terms_read_and_print(text: str, term: Any) -> None:
    assert read_term(text) == term
    assert read_term(str(term)) == term


@pytest.mark.parametrize("text", ["f(a & (b & c),(a | b) & c)", "a!b!~c", "~[a,b!c]", "f(~~a,'B',_)"])
def test_terms_print_as_they_are_written(text: str) -> None:
    assert str(read_term(text)) in (text, text.replace("~c", "(~c)"))


def test_anonymous_variables_are_numbered_within_their_sentence() -> None:
    first, second = epilog("p :- q(_,_) p :- ~r(_)")
    assert first == Rule(Symbol("p"), (Atom(call("q", Variable("_1"), Variable("_2"))),))
    assert second == Rule(Symbol("p"), (Not(Atom(call("r", Variable("_1")))),))


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("", 1, "no term in ''"),
        ("a b", 3, "one term expected"),
        ("a :- b", 1, "':-' cannot stand inside another sentence: 'a :- b'"),
        ("f(" * (MAX_DEPTH + 1) + ")" * (MAX_DEPTH + 1), 2 * MAX_DEPTH + 2, "nests deeper"),
        ("f(" * MAX_DEPTH + "a & b" + ")" * MAX_DEPTH, 2 * MAX_DEPTH + 1, "nests deeper"),
    ],
)
def test_what_is_not_one_term_is_refused(text: str, column: int, what: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_term(text)
    assert what in caught.value.what
    assert caught.value.place
    assert caught.value.place.column == column


# Errors

ERRORS = [
    ("", 1, 1, "no sentences in the text of 'test.epilog'"),
    ("% only this\n . ", 1, 1, "no sentences"),
    ("p(a)\n  q(r(b)\n", 2, 4, "bracket '(' is never closed: the text ends at line 2, column 9"),
    ("p(a,\n", 1, 2, "bracket '(' is never closed"),
    ("p([a, b", 1, 3, "bracket '[' is never closed"),
    ("p :- (q & ", 1, 6, "bracket '(' is never closed"),
    ("p(a :- q(b)", 1, 2, "bracket '(' is never closed: ':-' follows at line 1, column 5"),
    ("p(a)\np(b\np(c)", 3, 1, "',' or ')' is expected, and here is 'p'"),
    ("p([a b])", 1, 6, "',' or ']' is expected, and here is 'b'"),
    ("p(a))", 1, 5, "')' closes no bracket"),
    (") p", 1, 1, "')' closes no bracket"),
    ("p :- ]", 1, 6, "']' closes no bracket"),
    ("p([a)", 1, 5, "')' cannot close the '[' of line 1, column 3"),
    ('p(a)\nq("abc)\n"', 2, 3, "string begins here with '\"'"),
    ("p('abc)", 1, 3, 'quoted symbol begins here with "\'"'),
    ("X :- p(X)", 1, 1, "variable 'X' cannot be a head"),
    ("_", 1, 1, "variable '_' cannot be a head"),
    ("~p :- q", 1, 1, "'not' cannot be defined, and here it is a head: '~p'"),
    ("p :- q\n~r", 2, 1, "'not' cannot be defined"),
    ("(p | q) :- r", 1, 1, "'or' cannot be defined, and here it is a head: '(p | q)'"),
    ("p & q", 1, 1, "'and' cannot be defined"),
    ("distinct(X,Y) :- r", 1, 1, "'distinct' cannot be defined"),
    ("~a :: p", 1, 1, "'not' cannot be defined"),
    ("X := p", 1, 1, "variable 'X' cannot be a head"),
    ("p :- not(q,r)", 1, 6, "'not' takes exactly one part, not 2"),
    ("p :- or()", 1, 6, "'or' takes at least one part, not 0"),
    ("a :: c ==> p | q", 1, 12, "an effect is an atom or its negation, not 'p | q'"),
    ("a :: c ==> p & ~~q", 1, 16, "an effect is an atom or its negation, not '~~q'"),
    ("c ==> e", 1, 1, "'==>' without an operation has no meaning in games: 'c ==> e'"),
    ("p(a) +p(b)", 1, 6, "'+' before a fact has no meaning in games"),
    ("a :: -p", 1, 6, "'-' before a fact has no meaning in games"),
    ("a :: c ==> *p", 1, 12, "'*' before a fact has no meaning in games"),
    ("p :- q :- r", 1, 8, "a second ':-' in one sentence"),
    ("a :: b :: c", 1, 8, "a second '::' in one sentence"),
    ("a :: b ==> c ==> d", 1, 14, "a second '==>' in one sentence"),
    ("p :- q ==> r", 1, 6, "'==>' cannot stand inside another sentence: 'q ==> r'"),
    ("a :: p :- q", 1, 6, "':-' cannot stand inside another sentence"),
    ("a := b := c", 1, 8, "a second ':=' in one sentence"),
    ("p :-", 1, 5, "a term is expected, and here is the end of the text"),
    ("p :- & q", 1, 6, "a term is expected, and here is '&'"),
    ("p(a,)", 1, 5, "a term is expected, and here is ')'"),
    ("p :- ()", 1, 7, "a term is expected, and here is ')'"),
    ("p :- q(a).&", 1, 11, "a term is expected, and here is '&'"),
    ("p :- q, r", 1, 7, "',' stands only between arguments"),
    ("p :- (q, r)", 1, 8, "',' stands only between arguments"),
    ("p(a)\n q(é)", 2, 4, "character 'é' has no meaning here"),
    ("p(?x)", 1, 3, "character '?' has no meaning here"),
    ("p :- q ; r", 1, 8, "character ';' has no meaning here"),
    ("p(a) = b", 1, 6, "'=' has no meaning here"),
    ("p(\x01)", 1, 3, r"character '\x01' has no meaning here"),
    ("p('\ufffd')", 1, 3, "quoted symbol begins"),
    ("p(\ufffd)", 1, 3, "bytes that are not UTF-8 text"),
]


@pytest.mark.parametrize(("text", "line", "column", "what"), ERRORS)
def test_errors_name_place_and_offence(text: str, line: int, column: int, what: str) -> None:
    error, place = error_of(text)
    assert (place.file, place.line, place.column) == ("test.epilog", line, column)
    assert what in error.what


@pytest.mark.parametrize(("text", "mark"), [("a :: b", "::"), ("b ==> c", "==>"), ("a :: b ==> c", "::")])
def test_hrf_has_only_rules(text: str, mark: str) -> None:
    with pytest.raises(ReadError) as caught:
        hrf("p(a)\n  " + text)
    assert caught.value.what == f"{mark!r} does not exist in HRF, the infix form of GDL"
    assert caught.value.place
    assert (caught.value.place.line, caught.value.place.column) == (2, 3)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("+p", "as the effect of a handler, p alone adds p"),
        ("-p", "as the effect of a handler, ~p deletes p"),
        ("*p", "as the effect of a handler, an operation happens by its name"),
        ("c ==> e", "operation :: condition ==> effects"),
        ("p :- q, r", "write '&' between literals"),
        ("p(a\nq(b)", "the bracket of line 1, column 2 is not closed"),
    ],
)
def test_errors_say_what_to_write(text: str, hint: str) -> None:
    error, _ = error_of(text)
    assert hint in error.hint


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_all_line_ends_count(end: str) -> None:
    _, place = error_of(end.join(["role(x) % one", "", "role(o)", " )"]))
    assert (place.line, place.column, place.text) == (4, 2, " )")


def test_a_byte_order_mark_is_nothing() -> None:
    assert epilog("\ufeffp(a)") == epilog("p(a)")


@pytest.mark.parametrize(
    ("text", "column", "mark"),
    [
        ("(" * 500, MAX_DEPTH + 1, "("),
        ("[" * 500, MAX_DEPTH + 1, "["),
        ("f(" * 500, 2 * MAX_DEPTH + 2, "("),
        ("p :- " + "~" * 500, MAX_DEPTH + 6, "~"),
        ("a!" * 500, 2 * MAX_DEPTH + 2, "!"),
        ("[" + "a," * 500, 2 * MAX_DEPTH + 1, ","),
        ("p :- " + "~(" * 500, MAX_DEPTH + 6, "~"),
        ("p :- " + "(a & (a | " * 150, 6 + 5 * MAX_DEPTH, "("),
        ("p(" + "~" * (MAX_DEPTH - 2) + "q(a) & b)", MAX_DEPTH + 1, "q"),
    ],
)
def test_what_nests_too_deep_is_refused_at_its_place(text: str, column: int, mark: str) -> None:
    error, place = error_of(text)
    assert (place.line, place.column) == (1, column)
    assert error.what == f"{mark!r} nests deeper than {MAX_DEPTH} levels"


@pytest.mark.parametrize("token", ["(", "[", "~", "a!", "f(", "~("])
def test_megabytes_of_nesting_fail_at_once(token: str) -> None:
    source = Source("deep", token * (3_900_000 // len(token)))
    tracemalloc.start()
    with pytest.raises(ReadError, match="deeper"):
        read_epilog(source)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


# Printing


def test_sentences_print_as_they_are_written() -> None:
    text = (
        'role(x)\nterminal :- line(x) | line(_)\np :- (a | b) & ~(c & d) & e(-1,"S")\n'
        "mark(X) :: control(P) & ~(a | b) ==> cell(X,P) & ~control(P)\n"
        "kick :: update & ~p\nf(X) := plus(X,1)\n"
    )
    assert show_epilog(read_epilog(Source("test", text))) == text


def test_long_sentences_print_on_several_lines() -> None:
    long = "a" * 60
    text = f"p({long}) :-\n    q({long}) &\n    ~r\ndo :: c ==> p\n"
    text += f"do ::\n    p({long}) &\n    q({long}) ==> r & s\n"
    assert show_epilog(read_epilog(Source("test", text))) == text


def test_an_anonymous_variable_that_occurs_twice_gets_a_name() -> None:
    twice = Rule(
        call("p", Variable("_1")), (Atom(call("q", Variable("_1"), Variable("_2"), Variable("VV_1"))),)
    )
    assert show_hrf(Rules((twice,), "hrf")) == "p(VV_1_) :- q(VV_1_,_,VV_1)\n"


def test_a_head_in_parentheses_is_not_glued_to_the_sentence_before() -> None:
    sentences = (Rule(A), Rule(call("cons", call("not", A), B)))
    assert epilog(show_epilog(Rules(sentences, "epilog"))) == sentences


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        (Handler(A, (), (atom("p"),)), "a handler cannot be written in HRF"),
    ],
)
def test_what_only_epilog_has_is_not_printed_as_hrf(sentence: Sentence, what: str) -> None:
    with pytest.raises(RulesError) as caught:
        show_hrf(Rules((sentence,), "epilog"))
    assert caught.value.what == what


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        *(
            (f"p {arrow} q", "write ':-' between head and conditions")
            for arrow in ("=>", "<-", "->", "<=", "<==", "-:")
        ),
        *((f"a :: c {arrow} q", "write '==>' before the effects") for arrow in ("=>", "->", "-->", "<=")),
        ("p : q", "write ':-' between head and conditions, or '::' between a move and what it changes"),
        ("p = q", "write ':-' between head and conditions, or same(X,Y) for what is equal"),
        ("p :- q & !r", "write '~' for not: ~p(X)"),
        ("p :- q & \\+ r", "write '~' for not: ~p(X)"),
        ("p :- q && r", "write one '&' between literals"),
        ("p :- q || r", "write one '|' between alternatives"),
        ("p(?x)", "a variable begins with a capital letter, and has no '?'"),
        ("; words", "a comment begins with '%', and nothing stands between sentences"),
        ("p :- q;", "a comment begins with '%', and nothing stands between sentences"),
        ("p :- q and r & s", "write '&' in place of 'and'"),
        ("p :- not q & s", "write '~' in place of 'not'"),
        ("p :- q or ~r", "write '|' in place of 'or'"),
        ("p(\u00e9)", "write such a symbol between quotes: '...'"),
    ],
)
def test_what_another_notation_has_is_told_how_to_write_here(text: str, hint: str) -> None:
    assert error_of(text)[0].hint == hint
