"""Rules of somebody who means harm, and a page as a browser reads it: what in it would run."""

from __future__ import annotations

from html.parser import HTMLParser

import gamemaster as gm

__all__ = ["EVIL", "Outline", "hostile_game"]

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"
HOSTILE = f"""
    role("{EVIL}") role(o)
    init(cell(1,1,b)) init(cell(1,2,"{EVIL}")) init(control("{EVIL}"))
    legal(R,mark(1,"{EVIL}")) :- true(control(R))
    legal(R,mark(2,"</script>")) :- true(control(R))
    legal(R,noop) :- role(R) & ~true(control(R))
    next(cell(1,1,"{EVIL}"))
    next(control(o))
    terminal :- true(cell(1,1,"{EVIL}"))
    goal(R,50) :- role(R)
"""


def hostile_game() -> gm.Game:
    """A game whose every name is markup with a script in it."""
    return gm.parse(HOSTILE, "hrf", name=EVIL)


class Outline(HTMLParser):
    """A page as a browser reads it: elements must be closed, and scripts are counted."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts, self.handlers = 0, list[str]()
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.scripts += tag == "script"
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        self.handlers += [value for _, value in attrs if value and "javascript:" in value]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.open, f"<{tag}/> stands open in HTML"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data
