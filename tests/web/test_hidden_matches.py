"""A game that hides its state, on the site: what a role's page is sent never tells two states apart that it cannot."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator

import pytest

from gamemaster.web.guard import VISITOR, token_of
from tests.web.running import RunningSite, Visitor, running_site

SECRET = b"the same secret for every site!!"
NAMES = {"hider": "h" * 30, "seeker": "s" * 30, "watcher": "w" * 30}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "secret").write_bytes(SECRET)
    with running_site(folder) as running:
        yield running


class Table:
    """A match of two people. What is sent is told with another name for the match: that is all that may differ."""

    def __init__(self, site: RunningSite) -> None:
        self.people = {who: Visitor(site.address) for who in NAMES}
        for who, visitor in self.people.items():
            visitor.client.cookies.set(VISITOR, NAMES[who])
            visitor.token = token_of(SECRET, NAMES[who])
        form = {"game": "higherlower", "role": "hider", "opponent": "person"}
        self.match = self.people["hider"].arrange("/play", **form)
        link = re.search(r"/matches/\w+/join/\w+", self.people["hider"].get(f"/matches/{self.match}").text)
        assert link is not None
        assert self.people["seeker"].post(link[0]).status_code == 303

    def page(self, who: str) -> str:
        response = self.people[who].client.get(f"/matches/{self.match}")
        assert response.status_code == 200
        return response.text.replace(self.match, "MATCH")

    def told(self, who: str) -> str:
        """All that a page hears which comes anew."""
        with self.people[who].watching(self.match) as watch:
            watch.next()
            return watch.texts[0].replace(self.match, "MATCH")

    def move(self, role: str, move: str, step: int) -> None:
        """Move when the role is asked, and wait until that has been seen."""
        while f'"{role}"' not in json.dumps(json.loads(self.told(role))["clicks"]):
            pass
        answer = self.people[role].move(self.match, role, move, step)
        assert answer.status_code == 200, answer.text

    def seen_at(self, who: str, step: int) -> str:
        """Every byte that somebody is sent in a step, when the step has been reached and the seeker is asked."""
        while (said := json.loads(self.told("seeker")))["step"] != step or not said["clicks"]:
            pass
        return self.page(who) + self.told(who)


def all_seen(site: RunningSite, number: int, who: str) -> list[str]:
    match = Table(site)
    match.move("hider", f"hide({number})", 0)
    seen = [match.seen_at(who, 1)]
    match.move("seeker", "guess(3)", 1)
    return [*seen, match.seen_at(who, 2)]


@pytest.mark.parametrize("who", ["seeker", "watcher"])
def test_no_byte_tells_which_of_two_states_it_is(who: str, site: RunningSite) -> None:
    five, six = all_seen(site, 5, who), all_seen(site, 6, who)
    assert five == six
    assert not any("hide(" in seen or "secret(" in seen for seen in five)


def stream(site: RunningSite, number: int, who: str) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """What a socket that stays open is told of a match: all that is added to lists, the parts at last, every text."""
    match = Table(site)
    with match.people[who].watching(match.match) as watch:
        match.move("hider", f"hide({number})", 0)
        match.move("seeker", "guess(3)", 1)
        match.seen_at(who, 2)
        while watch.last.get("step") != 2 or (who == "seeker" and not watch.last["clicks"]):
            watch.next()
        texts = [text.replace(match.match, "MATCH") for text in watch.texts]
        added: defaultdict[str, str] = defaultdict(str)
        for text in texts:
            for name, html in json.loads(text)["append"].items():
                added[name] += html
        parts = {name: html.replace(match.match, "MATCH") for name, html in watch.parts.items()}
        return dict(added), parts, texts


@pytest.mark.parametrize("who", ["seeker", "watcher"])
def test_nor_does_what_comes_over_a_socket_that_stays_open(who: str, site: RunningSite) -> None:
    """How many messages it comes in is a matter of time; what is in them is not."""
    five, six = stream(site, 5, who), stream(site, 6, who)
    assert five[:2] == six[:2]
    assert not any("hide(" in text or "secret(" in text for text in five[2] + six[2])


def test_what_can_be_told_apart_is_shown(site: RunningSite) -> None:
    two, six = all_seen(site, 2, "seeker"), all_seen(site, 6, "seeker")
    assert two[0] == six[0]
    assert "lower" in two[1]
    assert "higher" in six[1]
    assert "guess(3)" in six[1]


def test_who_hides_sees_its_own_and_all_is_open_at_the_end(site: RunningSite) -> None:
    match = Table(site)
    match.move("hider", "hide(4)", 0)
    assert "hide(4)" in match.page("hider")
    seeker = match.people["seeker"].client
    for path in ("record", "transcript", "verdict.json", "steps/1.json"):
        assert seeker.get(f"/matches/{match.match}/{path}").status_code == 403, path
    api = seeker.get(f"/api/v1/matches/{match.match}")
    assert api.status_code == 200
    assert "hide(4)" not in api.text
    assert "secret" not in api.text
    match.move("seeker", "guess(3)", 1)
    match.move("seeker", "guess(5)", 2)
    while json.loads(match.told("watcher"))["phase"] != "over":
        pass
    assert "hide(4)" in match.told("seeker")
    assert "hide(4)" in match.told("watcher")


def test_hints_and_taking_back_would_tell(site: RunningSite) -> None:
    match = Table(site)
    for act in ("hint", "take-back"):
        assert match.people["hider"].act(match.match, act, role="hider").status_code == 403
