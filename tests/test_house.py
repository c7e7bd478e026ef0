"""The house stays readable: what bench/house.py counts, and what pages say of files, is kept by these tests."""

from __future__ import annotations

import re
from pathlib import Path

import house
import pytest
from typer.testing import CliRunner

import gamemaster
from gamemaster.cli import app
from gamemaster.match.records.record import read_record

ROOT = Path(__file__).parent.parent
SOURCE = Path(gamemaster.__file__).parent
HOUSE = house.House(SOURCE)

LIMITS = {
    "import_cycles": house.import_cycles,
    "names_used_twice": house.names_used_twice,
    "questions_for_the_machine": house.questions_for_the_machine,
    "long_files": house.long_files,
}


def packages() -> list[Path]:
    return sorted(path.parent for path in SOURCE.rglob("__init__.py") if path.parent != SOURCE)


def parts_of(package: Path) -> set[str]:
    """The files and folders of a package, by their names without ending."""
    inner = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    return {path.stem for path in package.glob("*.py")} - {"__init__"} | inner


@pytest.mark.parametrize("figure", LIMITS)
def test_there_are_none(figure: str) -> None:
    assert LIMITS[figure](HOUSE) == []


def test_only_kernels_have_long_functions() -> None:
    assert [name for name in house.long_functions(HOUSE) if "kernels/" not in name] == []


@pytest.mark.parametrize("package", packages(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_first_page_of_a_package_names_all_its_files(package: Path) -> None:
    page = (package / "__init__.py").read_text()
    words = set(re.findall(r"\w+", page))
    assert parts_of(package) - words == set()


def named_files(page: str) -> list[str]:
    return re.findall(r"`([\w./-]+(?:\.py|\.md|/))`", page)


def test_the_walk_of_a_match_names_files_that_exist() -> None:
    named = named_files((ROOT / "docs" / "architecture.md").read_text())
    assert len(named) > 40
    assert [name for name in named if not ((SOURCE / name).exists() or (ROOT / name).exists())] == []


def test_the_match_of_the_walk_can_be_run(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    command = next(text for text in re.findall(r"`gamemaster (match [^`]*)`", page))
    arguments = command.replace("game.jsonl", str(tmp_path / "game.jsonl")).split()
    result = CliRunner().invoke(app, [*arguments, "--start-clock", "1", "--play-clock", "0.2", "--quiet"])
    assert result.exit_code == 0, result.output
    assert read_record(tmp_path / "game.jsonl").ended is not None


def test_the_page_of_the_house_names_every_stage() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    stages = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert {stage for stage in stages if f"`{stage}/`" not in page} == set()


def test_the_house_is_counted_as_it_is(tmp_path: Path) -> None:
    body = "\n".join(f"    step_{number} = {number}" for number in range(80))
    (tmp_path / "one.py").write_text(
        f"from gamemaster.two import Same\n\nclass Same: ...\n\ndef long() -> None:\n{body}\n"
    )
    (tmp_path / "two.py").write_text(
        "from typing import Any\nfrom gamemaster.one import long\n\nclass Same: ...\n\n"
        "def ask(game: Any) -> bool:\n    from gamemaster.one import Same\n"
        "    return isinstance(game, CompiledGame)\n" + "\n" * 500
    )
    small = house.House(tmp_path)
    assert {name: len(count(small)) for name, count in house.FIGURES.items()} == {
        "functions over 70 lines": 1,
        "files over 500 lines": 1,
        "import cycles": 1,
        "imports inside functions": 1,
        "uses of Any": 1,
        "isinstance(..., Compiled...) outside machine/": 1,
        "class names used twice": 1,
        "runs of 6 lines that stand twice": 0,
    }
