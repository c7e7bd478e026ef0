"""The cache: what is broken, foreign or gone is a miss; many writers do no harm."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from gamemaster.codegen import cache
from gamemaster.codegen.cache import Cache, cache_folder, key_of, pack, unpack


def test_what_is_written_is_read(tmp_path: Path) -> None:
    store = Cache(tmp_path / "new" / "folder")
    store.write("key", b"content")
    assert store.read("key") == b"content"
    assert store.read("other") is None


@pytest.mark.parametrize("damage", [b"", b"foreign", cache.MAGIC, cache.MAGIC + b"x" * 40])
def test_a_foreign_file_is_a_miss(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "key").write_bytes(damage)
    assert Cache(tmp_path).read("key") is None


def test_a_damaged_file_is_a_miss(tmp_path: Path) -> None:
    store = Cache(tmp_path)
    store.write("key", b"some content")
    raw = bytearray((tmp_path / "key").read_bytes())
    raw[-1] ^= 1
    (tmp_path / "key").write_bytes(raw)
    assert store.read("key") is None
    (tmp_path / "key").write_bytes(bytes(raw[:-3]))
    assert store.read("key") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = Cache(tmp_path / "file")
    store.write("key", b"content")
    assert store.read("key") is None


def test_many_writers_leave_whole_files(tmp_path: Path) -> None:
    store = Cache(tmp_path)

    def work(letter: bytes) -> None:
        for _ in range(30):
            store.write("key", letter * 10_000)
            content = store.read("key")
            assert content is not None
            assert len(set(content)) == 1

    threads = [threading.Thread(target=work, args=(bytes([65 + i]),)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_the_oldest_go_when_it_grows_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_BYTES", 3_000)
    store = Cache(tmp_path)
    for number in range(6):
        store.write(f"key{number}", bytes(900))
    assert store.read("key0") is None
    assert store.read("key5") is not None


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_who_may_read_a_file_is_the_users_choice(tmp_path: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        Cache(tmp_path).write("key", b"content")
    finally:
        os.umask(before)
    assert (tmp_path / "key").stat().st_mode & 0o777 == mode


def test_the_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GAMEMASTER_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("GAMEMASTER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "gamemaster"


def test_packing_and_keys() -> None:
    assert unpack(pack({"a": [1, "x"]}, [b"one", b"", b"three"])) == (
        {"a": [1, "x"]},
        [b"one", b"", b"three"],
    )
    assert key_of("a", 1) != key_of("a", 2)
