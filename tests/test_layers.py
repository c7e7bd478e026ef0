"""The pipeline is the folder tree: a stage imports only stages before it."""

from __future__ import annotations

import ast
from pathlib import Path

import gamemaster

SOURCE = Path(gamemaster.__file__).parent

STAGES = (
    ("errors",),
    ("language",),
    ("ground",),
    ("network",),
    ("codegen",),
    ("machine",),
    ("games",),
    ("load",),
    ("check", "subroutines"),
    ("metagame",),
    ("search",),
    ("solving",),
    ("players",),
    ("match",),
    ("arena",),
    ("draw",),
    ("folder_check",),
    ("calls",),
    ("bridges",),
    ("editing",),
    ("store",),
    ("terminal", "web"),
    ("cli",),
    ("__main__",),
)
ORDER = {name: position for position, names in enumerate(STAGES) for name in names}
FORBIDDEN_NAMES = {"util", "utils", "helper", "helpers", "common", "misc", "impl", "info", "data", "legacy"}


def stage_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_stages(path: Path) -> set[str]:
    """The stages that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "gamemaster":
                names = [f"gamemaster.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("gamemaster.")}
    return found


def source_files() -> list[Path]:
    return [path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py"]


def test_every_file_belongs_to_a_stage() -> None:
    assert {stage_of(path) for path in source_files()} <= ORDER.keys()


def test_a_stage_imports_only_stages_before_it() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {used}"
        for path in source_files()
        for used in imported_stages(path)
        if used in ORDER and used != stage_of(path) and ORDER[used] >= ORDER[stage_of(path)]
    ]
    assert not wrong


def test_the_check_sees_an_import_that_runs_backwards(tmp_path: Path) -> None:
    path = tmp_path / "backwards.py"
    path.write_text(
        "def f():\n    from gamemaster.machine.game import Game\n    import gamemaster.draw.text\n"
    )
    assert imported_stages(path) == {"machine", "draw"}


def test_no_module_has_a_name_that_says_nothing() -> None:
    names = {path.stem for path in source_files()} | {path.parent.name for path in source_files()}
    assert not names & FORBIDDEN_NAMES
