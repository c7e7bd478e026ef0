"""docs/http-api.md, as a newcomer follows it: every command is run, and answers what the page says."""

from __future__ import annotations

import json
import re
import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from httpx import Client, Response
from site_serving import serving
from websockets.sync.client import connect

from gamemaster.web.app import create_app
from gamemaster.web.settings import settings_for

PAGE = (Path(__file__).parents[2] / "docs" / "http-api.md").read_text()
EXAMPLES = re.findall(r"```sh\n(curl .*?)\n```(?:\n```json\n(.*?)```)?", PAGE, re.DOTALL)
USUAL = "http://127.0.0.1:8000"
MORE = "..."


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(create_app(settings_for(str(tmp_path_factory.mktemp("site")), makes_code=False))) as found:
        yield found


@dataclass
class Shell:
    """What the commands of the page are run in."""

    client: Client
    words: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        settings = re.search(r"```sh\n(API=.*?)```", PAGE, re.DOTALL)
        assert settings
        self.words = dict(line.split("=", 1) for line in settings[1].splitlines())

    def run(self, command: str) -> Response:
        for name, value in self.words.items():
            command = re.sub(rf"\${name}\b", value, command)
        assert "$" not in command, command
        words = iter(shlex.split(command)[1:])
        method, url, headers, content = "GET", "", {}, None
        for word in words:
            match word:
                case "-X":
                    method = next(words)
                case "-H":
                    name, _, value = next(words).partition(":")
                    headers[name] = value.strip()
                case "-d":
                    method, content = "POST", next(words)
                case _:
                    url = word
        return self.client.request(method, url.removeprefix(USUAL), headers=headers, content=content)


def fits(shown: Any, real: Any) -> bool:
    """Whether an answer is what the page shows of it."""
    if shown == MORE:
        return True
    if isinstance(shown, dict) and isinstance(real, dict):
        keys = shown.keys() - {MORE}
        is_whole = MORE in shown or keys == real.keys()
        return is_whole and keys <= real.keys() and all(fits(shown[key], real[key]) for key in keys)
    if isinstance(shown, list) and isinstance(real, list):
        first = shown[:-1] if shown and shown[-1] == MORE else shown
        is_whole = len(first) == len(real) or (len(first) < len(shown) and len(first) <= len(real))
        return is_whole and all(map(fits, first, real))
    return type(shown) is type(real) and bool(shown == real)


def test_the_examples_answer_as_the_page_says(address: str) -> None:
    assert len(EXAMPLES) > 8
    with Client(base_url=address, timeout=120) as client:
        shell = Shell(client)
        for command, shown in EXAMPLES:
            answer = shell.run(command)
            if '"over"' in shown:
                answer = until_over(shell, command)
            if not shown:
                assert answer.status_code == 200, answer.text
                continue
            found = answer.json()
            assert fits(json.loads(shown), found), (command, found)
            if "key" in found:
                shell.words |= {"ID": found["id"], "KEY": found["key"]}


def until_over(shell: Shell, command: str) -> Response:
    for _ in range(600):
        answer = shell.run(command)
        if answer.json()["status"] == "over":
            return answer
        time.sleep(0.1)
    raise AssertionError(answer.text)


def test_what_is_shown_is_compared() -> None:
    assert fits({"a": [1, MORE], MORE: MORE}, {"a": [1, 2], "b": 3})
    assert not fits({"a": [1]}, {"a": [1, 2]})
    assert not fits({"a": 1}, {"a": 1, "b": 2})
    assert not fits({"a": 1, MORE: MORE}, {"b": 2})
    assert not fits([1, 2, MORE], [1])
    assert not fits(1, True)


def test_the_socket_tells_what_the_page_says(address: str) -> None:
    table = PAGE.partition("## Watching")[2]
    named = {
        name
        for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    parts = re.findall(r"by element: (.*?) \|", table)[0]
    body = {"game": "tictactoe", "players": {"x": "random", "o": "random"}, "is_managed": True}
    with Client(base_url=address, timeout=120) as client:
        made = client.post("/api/v1/matches", json=body).json()
    with connect(address.replace("http", "ws") + made["feed"]) as socket:
        said = json.loads(socket.recv(timeout=60))
    assert said.keys() == named
    assert said["parts"].keys() == set(re.findall(r"`(\w+)`", parts))


def test_the_page_names_every_address(address: str) -> None:
    with Client(base_url=address) as client:
        paths = client.get("/api/v1/openapi.json").json()["paths"]
    spoken = re.sub(r"\$ID|ID", "{id}", PAGE).replace("NAME", "{name}")
    for path in paths:
        assert path.removeprefix("/api/v1").removesuffix("/{action}") in spoken, path
