"""KIF: what each form reads as, how it prints, and the place of every error."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from gamemaster.errors import Place, ReadError, RulesError
from gamemaster.language.kif import kif_nodes, read_kif, read_kif_term, show_kif
from gamemaster.language.rules import And, Atom, Handler, Not, Or, Rule, Rules, Sentence
from gamemaster.language.source import MAX_BYTES, Source
from gamemaster.language.syntax import sentence_variables
from gamemaster.language.terms import MAX_DEPTH, Compound, Symbol, Variable

X, Y = Variable("X"), Variable("Y")


def symbol(text: str) -> Symbol:
    return Symbol(text)


def call(functor: str, *args: Any) -> Compound:
    return Compound((functor, *(arg if type(arg) is not str else Symbol(arg) for arg in args)))


def sentences(text: str) -> tuple[Sentence, ...]:
    return read_kif(Source("test.kif", text)).sentences


def error_of(text: str) -> tuple[ReadError, Place]:
    with pytest.raises(ReadError) as caught:
        read_kif(Source("test.kif", text))
    assert caught.value.place
    return caught.value, caught.value.place


# What is read


def test_a_rule_has_a_head_and_a_body() -> None:
    (rule,) = sentences("(<= (legal ?x (mark ?y)) (true (control ?x)) (not (taken ?y)))")
    assert rule == Rule(
        call("legal", X, call("mark", Y)),
        (Atom(call("true", call("control", X))), Not(Atom(call("taken", Y)))),
    )


@pytest.mark.parametrize("text", ["terminal", "(<= terminal)", "TERMINAL ; a comment with ( and | and é"])
def test_a_fact_is_a_rule_without_a_body(text: str) -> None:
    assert sentences(text) == (Rule(symbol("terminal")),)


def test_a_compound_without_arguments_is_not_a_symbol() -> None:
    assert sentences("(f) f") == (Rule(call("f")), Rule(symbol("f")))


def test_case_is_not_significant() -> None:
    assert sentences("(<= (Legal ?ROW NoOp) (P ?ROW))") == sentences("(<= (LEGAL ?row noop) (p ?row))")


def test_two_spellings_of_a_name_in_one_text_are_two_names() -> None:
    assert sentences("(p Knight) (p KNIGHT) (p knight)") == (
        Rule(call("p", symbol("Knight"))),
        Rule(call("p", symbol("KNIGHT"))),
        Rule(call("p", symbol("knight"))),
    )
    first, second = sentences("(p Knight) (p KNIGHT)")
    assert (first, second) == (Rule(call("p", symbol("knight"))), Rule(call("p", symbol("KNIGHT"))))


def test_two_spellings_of_a_word_of_the_language_are_one() -> None:
    assert sentences("(ROLE x) (Role y)") == sentences("(role x) (role y)")


def test_two_spellings_of_a_variable_are_two_variables() -> None:
    (rule,) = sentences("(<= p (q ?x ?X))")
    assert len(set(sentence_variables(rule))) == 2


def test_capitals_print_plainly_in_a_term_and_exactly_in_a_sheet() -> None:
    rule = Rule(call("p", symbol("Knight")))
    assert rule.head.kif() == "(p Knight)"
    assert show_kif(Rules((rule,), "kif")) == "(p |Knight|)\n"


@pytest.mark.parametrize(
    "name", ["+", "1+", "<", ">", "->", "--", "a:-b", "x'", "%", "=<", "a?b", "[x]", "1.5", "&"]
)
def test_odd_symbols_are_symbols(name: str) -> None:
    assert sentences(f"({name} {name})") == (Rule(call(name, symbol(name))),)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("|A b|", "A b"),
        (r"|a\|b\\|", "a|b\\"),
        (r"|a\nb|", "a\nb"),
        ("||", ""),
        ('"A b; ("', '"A b; ("'),
        ("|<=|", "<="),
    ],
)
def test_bars_and_strings_keep_their_text(text: str, name: str) -> None:
    assert sentences(f"(p {text})") == (Rule(call("p", symbol(name))),)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("?x", "X"),
        ("?ROW", "Row"),
        ("?x1", "X1"),
        ("?1", "VV1"),
        ("?x'", "XU27"),
        ("?+", "VV+"),
        ("?_a", "VV_a"),
    ],
)
def test_variables_have_a_name_in_infix(text: str, name: str) -> None:
    assert sentences(f"(p {text})") == (Rule(call("p", Variable(name))),)
    assert show_kif(Rules(sentences(f"(p {text})"), "kif")) == f"(p {text.lower()})\n"


def test_anonymous_variables_are_numbered_within_their_sentence() -> None:
    first, second = sentences("(<= p (q ?_7 ?_3)) (<= p (q ?_1 ?_1) (r ?_2))")
    assert first == Rule(symbol("p"), (Atom(call("q", Variable("_1"), Variable("_2"))),))
    twice = Variable("VV_1")
    assert second == Rule(symbol("p"), (Atom(call("q", twice, twice)), Atom(call("r", Variable("_1")))))


def test_connectives_are_flat() -> None:
    (rule,) = sentences("(<= p (and a (and b c)) (or d (or e (and f))) (not (and g h)) (and (or i) k))")
    a, b, c, d, e, f, g, h, i, k = (Atom(symbol(name)) for name in "abcdefghik")
    assert rule == Rule(symbol("p"), (a, b, c, Or((d, e, f)), Not(And((g, h))), i, k))


def test_connectives_inside_terms_are_compounds() -> None:
    (rule,) = sentences("(<= (p ?n) (countofall ?x (and (q ?x) (not (r ?x))) ?n))")
    query = call("and", call("q", X), call("not", call("r", X)))
    assert isinstance(rule, Rule)
    assert rule.body == (Atom(call("countofall", X, query, Variable("N"))),)


def test_everything_knows_its_place() -> None:
    text = "(<= (p a)\n  (or (q b) (not r)))"
    (rule,) = sentences(text)
    assert isinstance(rule, Rule)
    (either,) = rule.body
    assert isinstance(either, Or)
    spans = [rule.span, rule.head_span, either.span, *(part.span for part in either.parts)]
    shown = [text[span.start : span.end] for span in spans]
    assert shown == [text, "(p a)", "(or (q b) (not r))", "(q b)", "(not r)"]
    assert isinstance(either.parts[1], Not)
    assert text[either.parts[1].body.span.start] == "r"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_all_line_ends_count(end: str) -> None:
    _, place = error_of(end.join(["(role x) ; one", "", "(role o)", " )"]))
    assert (place.line, place.column, place.text) == (4, 2, " )")


def test_a_byte_order_mark_is_nothing() -> None:
    assert sentences("\ufeff(p a)") == sentences("(p a)")
    assert read_kif(Source.from_bytes("bom.kif", b"\xef\xbb\xbf(p a)")).sentences == sentences("(p a)")


def test_bytes_that_are_not_utf8_are_fine_in_comments_only() -> None:
    good = Source.from_bytes("old.kif", b"; Andr\xe9\n(p a)")
    assert read_kif(good).sentences == sentences("(p a)")
    for text in (b"(p a)\n(p \xe9)", b'(p a)\n(p "\xe9")', b"(p a)\n(p |\xe9|)"):
        with pytest.raises(ReadError) as caught:
            read_kif(Source.from_bytes("bad.kif", text))
        assert caught.value.place
        assert (caught.value.place.line, caught.value.place.column) == (2, 4)


def test_a_text_with_too_many_bytes_is_refused_whatever_its_characters() -> None:
    with pytest.raises(ReadError, match="larger than"):
        Source.from_bytes("large.kif", "é".encode() * (MAX_BYTES // 2 + 1))


def test_brackets_without_a_name_are_nodes_all_the_same() -> None:
    (node,) = kif_nodes(Source("message", "(start m1 ((role x) (<= p q)))"))
    assert [child.kind for child in node.children] == ["symbol", "list"]
    assert [child.kind for child in node.children[1].children] == ["compound", "rule"]
    assert node.span.end == 30


# Errors

ERRORS = [
    ("", 1, 1, "no sentences in the text of 'test.kif'"),
    ("\n ; only this", 1, 1, "no sentences"),
    ("(p a)\n  (q (r b)\n(s c)", 2, 3, "bracket '(' is never closed: the text ends at line 3, column 6"),
    ("(p (q a)", 1, 1, "bracket '(' is never closed"),
    ("(p a)\n(q (r", 2, 4, "bracket '(' is never closed"),
    ("(p a))", 1, 6, "')' closes no bracket"),
    ('(p a)\n(q "abc)\n"', 2, 4, "string begins here with '\"'"),
    ("(p |abc)", 1, 4, "symbol between bars begins here with '|'"),
    ("(p a)\n(<= )", 2, 1, "rule without a head: '(<= )'"),
    ("(<= ?x (p ?x))", 1, 5, "variable '?x' cannot be a head"),
    ("(p a) ?y", 1, 7, "variable '?y' cannot be a head"),
    ("(<= (not p) q)", 1, 5, "'not' cannot be defined, and here it is a head: '(not p)'"),
    ("(<= (or p q) r)", 1, 5, "'or' cannot be defined"),
    ("(and p q)", 1, 1, "'and' cannot be defined"),
    ("(distinct a b)", 1, 1, "'distinct' cannot be defined"),
    ("(<= p (not a b))", 1, 7, "'not' takes exactly one part, not 2: '(not a b)'"),
    ("(<= p (q) (not))", 1, 11, "'not' takes exactly one part, not 0"),
    ("(<= p (or))", 1, 7, "'or' takes at least one part, not 0: '(or)'"),
    ("(<= p (and))", 1, 7, "'and' takes at least one part, not 0: '(and)'"),
    ("(p ())", 1, 4, "a name must follow '(' in '()'"),
    ("((p a))", 1, 1, "a name must follow '(' in '((p a))'"),
    ("(?p a)", 1, 1, "a name must follow '(' in '(?p a)'"),
    ("(p <=)", 1, 4, "'<=' stands only at the beginning of a rule"),
    ("<=", 1, 1, "'<=' stands only at the beginning of a rule"),
    ("(p (<= q r))", 1, 4, "'<=' cannot stand inside another sentence: '(<= q r)'"),
    ("(p ?)", 1, 4, "'?' is no variable"),
    ("(p é)", 1, 4, "character 'é' has no meaning here"),
    ("(p a\xa0b)", 1, 5, r"character '\xa0' has no meaning here"),
    ("(p \x00)", 1, 4, r"character '\x00' has no meaning here"),
    ("(p " + "a" * 50 + " ())\n(not " + "a" * 50 + ")", 1, 55, "a name must follow"),
    ("(not " + "a" * 50 + ")", 1, 1, "'(not " + "a" * 32 + "...'"),
]


@pytest.mark.parametrize(("text", "line", "column", "what"), ERRORS)
def test_errors_name_place_and_offence(text: str, line: int, column: int, what: str) -> None:
    error, place = error_of(text)
    assert (place.file, place.line, place.column) == ("test.kif", line, column)
    assert what in error.what


def test_a_rule_inside_an_open_bracket_shows_where_it_should_close() -> None:
    error, place = error_of("(<= (p a) (q b)\n\n(<= (r c) (s d))\n")
    assert (place.line, place.column) == (1, 1)
    assert error.hint == "a new rule begins inside it at line 3, column 1"


def nested(depth: int) -> str:
    return "(f " * depth + "a" + ")" * depth


def test_the_deepest_terms_are_read() -> None:
    assert len(sentences(f"{nested(MAX_DEPTH)} (<= {nested(MAX_DEPTH)} (not {nested(MAX_DEPTH - 1)}))")) == 2


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (nested(MAX_DEPTH + 1), 3 * MAX_DEPTH + 1),
        ("(<= p " + nested(MAX_DEPTH + 1) + ")", 3 * MAX_DEPTH + 7),
        ("(f (<= p " + nested(MAX_DEPTH) + "))", 3 * (MAX_DEPTH - 2) + 10),
        ("(" * 500, MAX_DEPTH + 1),
    ],
)
def test_what_nests_too_deep_is_refused_at_its_bracket(text: str, column: int) -> None:
    error, place = error_of(text)
    assert (place.line, place.column) == (1, column)
    assert error.what == f"'(' nests deeper than {MAX_DEPTH} levels"


def test_a_megabyte_of_brackets_fails_at_once() -> None:
    source = Source("deep.kif", "(" * 3_900_000)
    tracemalloc.start()
    with pytest.raises(ReadError, match="deeper"):
        read_kif(source)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


# Terms


def test_a_term_is_read_alone() -> None:
    assert read_kif_term(" (cell 1 ?x (f)) ; c") == call("cell", symbol("1"), X, call("f"))
    assert read_kif_term("NoOp") == symbol("noop")


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("", 1, "no term in ''"),
        ("a b", 3, "one term expected"),
        ("(<= a)", 1, "'<=' cannot stand"),
        (nested(MAX_DEPTH + 1), 3 * MAX_DEPTH + 1, "nests deeper"),
    ],
)
def test_what_is_not_one_term_is_refused(text: str, column: int, what: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_kif_term(text)
    assert what in caught.value.what
    assert caught.value.place
    assert caught.value.place.column == column


# Printing


def test_rules_print_one_a_line_and_long_ones_on_several() -> None:
    long = "a" * 60
    text = f"(role x)\n(<= p (q ?x) (not (r ?x |A b|)))\n(<= (p {long})\n    (q {long})\n    terminal)\n"
    assert show_kif(read_kif(Source("test.kif", text))) == text


def test_variables_that_differ_in_case_only_stay_apart() -> None:
    rule = Rule(symbol("p"), (Atom(call("q", Variable("NewX"), Variable("Newx"), Variable("NEWX"))),))
    assert show_kif(Rules((rule,), "hrf")) == "(<= p (q ?newx_2 ?newx ?newx_3))\n"


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        (Handler(symbol("a"), (), (Atom(symbol("p")),)), "a handler cannot be written in KIF"),
    ],
)
def test_what_only_epilog_has_is_not_printed(sentence: Sentence, what: str) -> None:
    with pytest.raises(RulesError) as caught:
        show_kif(Rules((sentence,), "epilog"))
    assert caught.value.what == what
    assert caught.value.hint == "lower the rules first"


def test_a_sheet_has_no_more_sentences_than_can_be_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gamemaster.language.syntax.MAX_SENTENCES", 3)
    assert len(read_kif(Source("test.kif", "p q r")).sentences) == 3
    with pytest.raises(RulesError, match=r"test\.kif:1:7: more than 3 sentences"):
        read_kif(Source("test.kif", "p q r s t"))


def test_a_variable_for_a_literal_is_read_as_a_relation_that_nobody_else_can_name() -> None:
    rules = read_kif(Source("test.kif", "(<= p q (not ?x))"))
    assert show_kif(rules).strip() == "(<= p q (not |?X|))"
    assert read_kif(Source("test.kif", show_kif(rules))) == rules
