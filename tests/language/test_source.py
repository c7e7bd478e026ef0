"""Rule files as they are found on disk: what is no file is refused at once, and no file is read without end."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import pytest

import gamemaster as gm
from gamemaster.language.source import MAX_BYTES, Source


def refused(path: Path, message: str) -> gm.ReadError:
    with pytest.raises(gm.ReadError, match=message) as caught:
        Source.from_path(path)
    assert str(caught.value.place) == f"{path}:1:1"
    return caught.value


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "game.kif")
    error = refused(tmp_path / "game.kif", "is a pipe, not a rule file")
    assert error.hint == "give the path of a file with rules; what comes from a pipe has to be saved first"
    with pytest.raises(gm.ReadError, match="is a pipe"):
        gm.load(tmp_path / "game.kif")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused(device: str) -> None:
    refused(Path(device), "is a device, not a rule file")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, "is a directory, not a rule file")


def test_a_socket_is_refused() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        path = Path(folder) / "s"
        listener.bind(str(path))
        refused(path, "cannot be read")


def test_what_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    refused(tmp_path / "none.kif", "cannot be read: No such file or directory")


def test_no_more_of_a_huge_file_is_read_than_rules_may_have(tmp_path: Path) -> None:
    path = tmp_path / "huge.kif"
    with path.open("wb") as file:
        file.write(b"(role x)")
        file.truncate(10**12)  # takes no room on the disk
    with pytest.raises(gm.ReadError, match=f"text is larger than {MAX_BYTES:,} bytes"):
        Source.from_path(path)


def test_a_link_to_a_file_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text("(role x)")
    (tmp_path / "link.kif").symlink_to(tmp_path / "game.kif")
    assert Source.from_path(tmp_path / "link.kif").text == "(role x)"


@pytest.mark.parametrize("text", ["\ufeff(role x)", "(role x)"])
def test_a_mark_of_the_byte_order_is_no_part_of_the_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "game.kif").write_text(text, "utf-8")
    assert Source.from_path(tmp_path / "game.kif").text == "(role x)"
    assert Source.checked("game", text).text == "(role x)"
