"""Formulas of a size: fitted to some, right for others, told in words; none where there is none."""

from __future__ import annotations

from fractions import Fraction

import pytest

from gamemaster.language.infix import read_term
from gamemaster.language.terms import Term
from gamemaster.solving.families.formulas import Affine, fit_affine, fit_map, fit_term


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({3: 2, 5: 3, 9: 5}, "(n+1)/2"),
        ({4: 2, 6: 3}, "n/2"),
        ({4: 3, 6: 4}, "n/2+1"),
        ({3: 1, 5: 2}, "(n-1)/2"),
        ({3: 4, 5: 6}, "n+1"),
        ({3: 6, 5: 10}, "2*n"),
        ({3: 2, 5: 0}, "-n+5"),
        ({3: 7, 5: 7}, "7"),
    ],
)
def test_numbers_become_formulas(known: dict[int, int], words: str) -> None:
    found = fit_affine(known)
    assert found is not None
    assert found.words("n") == words
    assert all(found.at(size) == number for size, number in known.items())


@pytest.mark.parametrize("known", [{3: 2, 5: 3, 9: 6}, {3: 1, 6: 2}, {3: 0, 5: 10}])
def test_numbers_that_go_another_way_have_no_formula(known: dict[int, int]) -> None:
    assert fit_affine(known) is None


def test_halves_are_no_numbers() -> None:
    assert Affine(Fraction(1, 2), Fraction(1, 2)).at(4) is None


def terms(**of_size: str) -> dict[int, Term]:
    return {int(size.removeprefix("n")): read_term(text) for size, text in of_size.items()}


def test_terms_become_formulas() -> None:
    found = fit_term(terms(n5="cell(3,x)", n7="cell(4,x)"))
    assert found is not None
    assert found.words("n") == "cell((n+1)/2,x)"
    assert found.at(9) == read_term("cell(5,x)")
    assert found.at(8) is None
    assert fit_term(terms(n5="cell(3,x)", n7="cell(4,o)")) is None
    assert fit_term(terms(n3="at(1)", n6="at(2)")) is None
    assert fit_term(terms(n5="home", n7="home")) is not None
    down = fit_term(terms(n3="at(2)", n5="at(0)"))
    assert down is not None
    assert down.at(7) is None


def maps(text: str, sizes: tuple[int, ...], least: int = 1) -> dict[int, dict[Term, Term]]:
    """The map of `at(K)` to what a text says of K and n."""
    return {
        n: {
            read_term(f"at({k})"): read_term(f"at({eval(text, {'K': k, 'n': n})})")
            for k in range(least, n + least)
        }
        for n in sizes
    }


@pytest.mark.parametrize(
    ("text", "words", "least"),
    [
        ("n+1-K", ["at(K) by at(n+1-K)"], 1),
        ("(K-1+n//2)%n+1", ["at(K) by at(K+n/2) (counted round n)"], 1),
        ("(K+n//2)%n", ["at(K) by at(K+n/2) (counted round n)"], 0),
        ("K", [], 1),
    ],
)
def test_maps_become_formulas(text: str, words: list[str], least: int) -> None:
    found = fit_map(maps(text, (4, 8), least))
    assert found is not None
    assert found.words("n") == words
    ten = maps(text, (10,), least)[10]
    assert found.at(10, list(ten)) == ten


def test_maps_without_a_formula_have_none() -> None:
    assert fit_map(maps("K^1", (4, 8), 0)) is None
    assert fit_map({4: {read_term("a"): read_term("b")}, 6: {read_term("a"): read_term("c")}}) is None
    assert fit_map({4: {read_term("a"): read_term("b")}, 6: {read_term("b"): read_term("a")}}) is None


def test_a_map_that_leads_elsewhere_is_none() -> None:
    found = fit_map(maps("n+1-K", (4, 8)))
    assert found is not None
    assert found.at(6, [read_term("at(1)"), read_term("at(2)")]) is None
    assert found.at(6, [read_term("home")]) is None
