"""Stores are opened: new ones, old ones, by several at once, and not where something is wrong."""

from __future__ import annotations

import builtins
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from gamemaster.errors import NotInstalled, StoreError
from gamemaster.store.connecting import connect, parse_address
from gamemaster.store.opening import VERSION_TABLE, database_url, open_store
from gamemaster.store.tables import metadata
from tests.store.made import made

ROOT = Path(__file__).parent.parent.parent


def race(what: str, address: str) -> None:
    command = [sys.executable, "-m", "tests.store.racing", what, address]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_migrations_make_the_tables(address: str) -> None:
    open_store(address).close()
    engine = connect(parse_address(address))
    with engine.begin() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "version_table": VERSION_TABLE}
        )
        assert compare_metadata(context, metadata) == []
        assert context.get_current_heads() == ("0005",)
    engine.dispose()


def test_a_store_that_is_opened_again_has_what_it_had(address: str) -> None:
    first = open_store(address)
    first.add(made())
    second = open_store(address)
    first.close()
    assert second.find("m1") == made()
    second.close()


def test_several_processes_open_a_new_store_at_once(address: str) -> None:
    race("open", address)
    store = open_store(address)
    assert store.counts()["arranged"] == 8
    store.close()


def test_a_process_that_is_killed_leaves_no_half_of_a_match(address: str) -> None:
    race("kill", address)


def test_a_database_of_a_newer_program_is_left_alone(address: str) -> None:
    open_store(address).close()
    engine = connect(parse_address(address))
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0999'"))
    with pytest.raises(StoreError, match=r"made by a newer program: its schema is '0999'.* up to '0005'"):
        open_store(address)
    with engine.begin() as connection:
        assert connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}")) == "0999"
    engine.dispose()


def test_a_migration_that_fails_changes_nothing(address: str) -> None:
    engine = connect(parse_address(address))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE seats (what TEXT)"))
    with pytest.raises(StoreError, match=r"cannot be used: .*seats.* already exists"):
        open_store(address)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE seats"))
    engine.dispose()
    store = open_store(address)
    assert store.games() == []
    store.close()


@pytest.mark.parametrize("name", ["plain", "with space", "100%", "a?b=c#d", "ü@:x", "%20"])
def test_the_folder_of_a_database_may_have_any_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    store = open_store(database_url(folder))
    store.add(made())
    store.close()
    assert (folder / "gamemaster.db").exists()


def test_a_plain_folder_is_in_the_address_as_it_is() -> None:
    assert database_url(Path("/srv/games")) == "sqlite:////srv/games/gamemaster.db"


def test_a_file_is_in_wal_mode_and_keeps_its_references(tmp_path: Path) -> None:
    store = open_store(database_url(tmp_path))
    with store._access._engine.begin() as connection:
        asked = ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
        found = [connection.scalar(text(f"PRAGMA {name}")) for name in asked]
    store.close()
    assert found == ["wal", 1, 1, 30_000]
    with sqlite3.connect(tmp_path / "gamemaster.db") as plain:
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    plain.close()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("", "no address of a database"),
        ("nonsense", "no address of a database"),
        ("postgresql://host:port/name", "no address of a database"),
        ("mysql://host/name", "no database of the kind 'mysql'"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:///x?mode=memory", "names no file"),
        ("sqlite://host/x", "names no file"),
        ("sqlite:////no/such/folder/x.db", "unable to open database file"),
        ("postgresql://127.0.0.1:1/none", "cannot be used: .*(refused|failed)"),
    ],
)
def test_an_address_that_cannot_be_used_is_told(wrong: str, words: str) -> None:
    with pytest.raises(StoreError, match=words):
        open_store(wrong)


def test_a_password_is_told_to_nobody() -> None:
    with pytest.raises(StoreError) as caught:
        open_store("postgresql://ada:secret@127.0.0.1:1/none")
    assert "ada:***@127.0.0.1" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_told_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "gamemaster.db"
    path.write_bytes(b"a letter to somebody, and long enough at that" * 100)
    with pytest.raises(StoreError, match="file is not a database"):
        open_store(database_url(tmp_path))
    assert path.read_bytes().startswith(b"a letter")


def test_a_folder_in_place_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "gamemaster.db").mkdir()
    with pytest.raises(StoreError, match="unable to open database file"):
        open_store(database_url(tmp_path))


def test_a_database_that_goes_away_is_told(address: str) -> None:
    store = open_store(address)
    with store._access.writing() as connection:
        connection.execute(text("DROP TABLE seats"))
    with pytest.raises(StoreError, match=r"cannot be used: .*seats"):
        store.add(made())
    with pytest.raises(StoreError, match=r"cannot be used: .*seats"):
        store.players()
    assert store.games() == []
    store.close()


def test_a_missing_driver_is_told_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *others: Any) -> Any:
        if name.partition(".")[0] == "psycopg":
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *others)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NotInstalled, match=r"pip install 'gamemaster\[postgresql\]'"):
        open_store("postgresql://127.0.0.1/none")


@pytest.mark.parametrize("written", ["postgresql", "postgres", "postgresql+psycopg2", "postgresql+psycopg"])
def test_every_way_to_write_postgresql_is_the_same(written: str) -> None:
    assert parse_address(f"{written}://a@b/c").render_as_string() == "postgresql+psycopg://a@b/c"
