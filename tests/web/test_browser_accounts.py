"""Somebody with a name, in a real browser: signs up, changes things, signs in elsewhere, and deletes everything."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.web.browser import House, Person, opened_house

pytestmark = pytest.mark.slow

FIRST, SECOND = "correct horse battery", "another one of those"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with opened_house(tmp_path_factory.mktemp("site")) as house:
        yield house


@pytest.fixture
def house(opened: House) -> Iterator[House]:
    yield opened
    opened.clear()


def filled(person: Person, form: str, **values: str) -> None:
    """Fill a form in, and send it."""
    found = person.page.locator(f'form[action="{form}"]')
    for name, value in values.items():
        found.locator(f'[name="{name}"]').fill(value)
    found.locator("button").click()


def test_somebody_signs_up_changes_a_password_and_deletes_everything(house: House) -> None:
    ann, elsewhere = house.person(), house.person()
    ann.go("/standalone/tictactoe?moves=mark(2,2)")
    ann.page.get_by_role("link", name="Sign in").click()
    ann.page.get_by_role("link", name="I am new here").click()
    filled(ann, "/signup", name="Ann", password="short")
    ann.reads("main", "letters at least; a few words")
    ann.forgive("422")
    expect(ann.page.locator('[name="name"]')).to_have_value("Ann")
    filled(ann, "/signup", password=FIRST)
    expect(ann.page).to_have_url(re.compile(r"/standalone/tictactoe\?moves=mark"))  # where she came from
    expect(ann.page.get_by_role("banner")).to_contain_text("Ann")

    elsewhere.go("/signin")
    filled(elsewhere, "/signin", name="ann", password=FIRST)
    expect(elsewhere.page.get_by_role("banner")).to_contain_text("Ann")

    ann.go("/profile")
    filled(ann, "/profile/password", old=FIRST, password=SECOND)
    ann.reads("main", "Your password is changed")
    elsewhere.go("/profile")  # signed out there
    expect(elsewhere.page.get_by_role("heading", name="Sign in")).to_be_visible()
    filled(elsewhere, "/signin", name="Ann", password=FIRST)
    elsewhere.reads("main", "no such name with that password")
    elsewhere.forgive("403")

    filled(ann, "/profile/delete", confirm="not that one at all")
    ann.reads("main", "that is not your password")
    ann.forgive("422")
    filled(ann, "/profile/delete", confirm=SECOND)
    expect(ann.page.get_by_role("banner").get_by_role("link", name="Sign in")).to_be_visible()
    filled(elsewhere, "/signin", name="Ann", password=SECOND)
    elsewhere.reads("main", "no such name with that password")
    elsewhere.forgive("403")


def test_without_scripts_it_works_the_same(house: House) -> None:
    bob = house.person(java_script_enabled=False)
    bob.go("/signup")
    filled(bob, "/signup", name="Bob", password=FIRST)
    bob.go("/profile")
    filled(bob, "/profile/name", name="Robert")
    expect(bob.page.get_by_role("banner")).to_contain_text("Robert")
    filled(bob, "/signout")
    expect(bob.page.get_by_role("banner")).not_to_contain_text("Robert")
