"""`gamemaster account`: what whoever runs a site can do for those who have a name on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gamemaster.cli import app
from gamemaster.store.opening import database_url, open_data, open_store
from gamemaster.store.passwords import fits

GOOD, OTHER = "correct horse battery", "another one of those"


@pytest.fixture
def data(tmp_path: Path) -> str:
    open_store(database_url(tmp_path)).close()
    return str(tmp_path)


def run(data: str, *arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, ["account", *arguments, "--data", data], input=typed)


def test_an_account_is_made_changed_and_removed(data: str) -> None:
    made = run(data, "Ada", "--new", "--operator", typed=f"{GOOD}\n")
    assert made.output == "Ada has an account, and is an operator\n"
    assert [each["name"] for each in json.loads(run(data, "--json").output)] == ["Ada"]
    assert "operator" in run(data).output
    assert run(data, "ada", "--no-operator").output == "Ada is no operator\n"
    assert "is signed out everywhere" in run(data, "ada", "--password", typed=f"{OTHER}\n").output
    store = open_data(data)
    assert fits(OTHER, store.accounts.password_of(store.accounts.get("ada").id))
    store.close()
    assert run(data, "ada", "--remove").output == "Ada is gone\n"
    assert json.loads(run(data, "--json").output) == []


@pytest.mark.parametrize(
    ("arguments", "typed", "words"),
    [
        (["nobody", "--password"], f"{GOOD}\n", "nobody is called 'nobody'"),
        (["eve", "--new"], "short\n", "a password has 10 letters at least"),
        (["--remove"], "", "whose? name the account"),
    ],
)
def test_what_cannot_be_done_is_said(data: str, arguments: list[str], typed: str, words: str) -> None:
    result = run(data, *arguments, typed=typed)
    assert result.exit_code != 0
    assert words in " ".join(result.output.split())


def test_a_folder_without_a_site_is_told_and_stays_empty(tmp_path: Path) -> None:
    result = run(str(tmp_path / "none"))
    assert result.exit_code == 1
    assert "no site has kept anything in" in result.output
    assert not (tmp_path / "none").exists()


def test_a_password_is_typed_twice(data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from gamemaster.errors import ParameterError
    from gamemaster.terminal import people_of_site

    answers = iter([GOOD, OTHER, GOOD, GOOD])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda _: next(answers))
    monkeypatch.setattr("sys.stdin", type("Keyboard", (), {"isatty": lambda _: True})())
    with pytest.raises(ParameterError, match="these are not the same; nothing was changed"):
        people_of_site.change_account(data, "ada", people_of_site.AccountChange(is_new=True))
    people_of_site.change_account(data, "ada", people_of_site.AccountChange(is_new=True))
