"""Real browsers at a running site: people with windows of their own, and what went wrong in these windows."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

from tests.web.running import RunningSite, Visitor, running_site

__all__ = ["DESKTOP", "PHONE", "House", "Person", "opened_house"]

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 180_000.0
"""Milliseconds: nothing here depends on how fast the machine is."""

DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@dataclass
class Person:
    """Somebody at a window."""

    page: Page
    address: str
    has_scripts: bool = True
    troubles: list[str] = field(default_factory=list)
    """What a browser complains about: errors of scripts, what the policy forbids, what could not be fetched."""

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("requestfailed", self._miss)
        self.page.on("dialog", self._answer)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"{message.text} ({self.page.url})")

    def _miss(self, request: Request) -> None:
        is_left = request.failure == "net::ERR_ABORTED"  # somebody went on before it came
        is_unwanted = not self.has_scripts and request.resource_type == "script"
        if not is_left and not is_unwanted:
            self.troubles.append(f"{request.url}: {request.failure}")

    def _answer(self, dialog: Dialog) -> None:
        """Yes to what the site asks; anything else a page pops up is none of its own."""
        if dialog.message != "Do you give up?":
            self.troubles.append(f"a dialog: {dialog.message}")
        dialog.accept()

    def forgive(self, words: str) -> None:
        """Forget a trouble that was meant to be, once the browser has told of it: it may do so after the click."""
        deadline = time.monotonic() + PATIENCE / 1000
        while not any(words in each for each in self.troubles):
            assert time.monotonic() < deadline, self.troubles
            self.page.wait_for_timeout(20)
        self.troubles = [each for each in self.troubles if words not in each]

    def go(self, path: str) -> Page:
        self.page.goto(path if "://" in path else self.address + path)
        return self.page

    def cell(self, cell: str) -> Locator:
        return self.page.locator(f'#board [data-cell="{cell}"]')

    def click(self, *cells: str) -> None:
        for cell in cells:
            self.cell(cell).click()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def reads(self, where: str, words: str) -> None:
        expect(self.page.locator(where)).to_contain_text(words)

    def is_asked(self, words: str) -> None:
        """Be told that it is one's move, and have a board that takes clicks: that comes a moment later."""
        self.reads("#status", words)
        expect(self.page.locator("#board .is-source").first).to_be_attached()

    def on_board(self) -> list[str]:
        """What stands where, as a screen reader tells it."""
        found: list[str] = self.page.locator("#board [data-cell] > title").all_text_contents()
        return found

    def tab_to(self, selector: str) -> None:
        """Press Tab until something has the focus."""
        for _ in range(100):
            self.press("Tab")
            if self.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"Tab does not lead to {selector}")

    def sits_down(self) -> None:
        """Be at a match whose socket has told how things are: the board is not drawn anew under a click."""
        expect(self.page.locator('.table[data-line="up"]')).to_be_visible()

    def evaluate(self, script: str, value: object = None) -> Any:
        return self.page.evaluate(script, value)


@dataclass
class House:
    """A site and a browser, for a module of tests."""

    site: RunningSite
    browser: Browser
    people: list[Person] = field(default_factory=list)

    def person(self, visitor: Visitor | None = None, **settings: Any) -> Person:
        """Somebody new, whom the site has never seen; or a visitor who was there without a window."""
        context = self.browser.new_context(**{**DESKTOP, **settings})
        for name, value in visitor.client.cookies.items() if visitor else ():
            context.add_cookies([{"name": name, "value": value, "url": self.site.address}])
        has_scripts = bool(settings.get("java_script_enabled", True))
        found = Person(context.new_page(), self.site.address, has_scripts)
        self.people.append(found)
        return found

    def clear(self) -> None:
        """Everybody leaves; what troubled them is told."""
        people, self.people = self.people, []
        for each in people:
            each.page.context.close()
        troubles = [trouble for each in people for trouble in each.troubles]
        assert not troubles, troubles


@contextmanager
def opened_house(folder: Path) -> Iterator[House]:
    """A site with its data in a folder, and a browser to visit it; where there is no browser, tests are skipped."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("there is no chromium here to visit the site with")
    expect.set_options(timeout=PATIENCE)
    with running_site(folder) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield House(site, browser)
        browser.close()
