"""How large and how tangled the house is: counted from its source, now and at a commit before.

`python bench/house.py` counts the working tree; `python bench/house.py --before REV` prints both side by side. Every
figure is one a reader feels: long functions and files, imports that hide in functions or run in circles, `Any` where a
type is known, questions for the kind of machine outside machine/, one name for two ideas, the same lines twice.
"""

from __future__ import annotations

import argparse
import ast
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeGuard

from commits import unpack
from rich.console import Console
from rich.table import Table

PACKAGE = "gamemaster"
LONG_FUNCTION, LONG_FILE, REPEATED = 70, 500, 6


@dataclass(frozen=True)
class House:
    """The source of the package in a folder: files as text and as syntax trees."""

    source: Path

    @cached_property
    def texts(self) -> dict[Path, str]:
        """The text of each file, by its path in the package."""
        return {path.relative_to(self.source): path.read_text() for path in sorted(self.source.rglob("*.py"))}

    @cached_property
    def trees(self) -> dict[Path, ast.Module]:
        """The syntax tree of each file."""
        return {path: ast.parse(text) for path, text in self.texts.items()}

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[tuple[Path, ast.AST]]:
        """The nodes of some kinds, with the file they stand in."""
        for path, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, kinds):
                    yield path, node


def package_of(path: Path) -> str:
    """The package that a file belongs to, itself where it stands alone."""
    return path.parts[0]


def module_of(path: Path) -> str:
    """The name by which a file is imported."""
    return ".".join((PACKAGE, *path.with_suffix("").parts)).removesuffix(".__init__")


# What is counted


def long_functions(house: House) -> list[str]:
    """Functions over LONG_FUNCTION lines."""
    found = []
    for path, node in house.nodes(ast.FunctionDef, ast.AsyncFunctionDef):
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > LONG_FUNCTION:
            found.append(f"{path}: {node.name} ({lines})")
    return found


def long_files(house: House) -> list[str]:
    """Files over LONG_FILE lines."""
    counted = {path: text.count("\n") for path, text in house.texts.items()}
    return [f"{path} ({lines})" for path, lines in counted.items() if lines > LONG_FILE]


def imports_in_functions(house: House) -> list[str]:
    """Imports of this package inside functions."""
    found = []
    for path, node in house.nodes(ast.FunctionDef, ast.AsyncFunctionDef):
        for inner in ast.walk(node):
            if isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith(PACKAGE):
                found.append(f"{path}:{inner.lineno}: {inner.module}")
    return sorted(set(found))


def uses_of_any(house: House) -> list[str]:
    """Names `Any` in the code, its import apart."""
    return [
        f"{path}:{node.lineno}"
        for path, node in house.nodes(ast.Name)
        if isinstance(node, ast.Name) and node.id == "Any"
    ]


def questions_for_the_machine(house: House) -> list[str]:
    """`isinstance(..., Compiled...)` outside machine/."""
    found = []
    for path, node in house.nodes(ast.Call):
        assert isinstance(node, ast.Call)
        if not isinstance(node.func, ast.Name) or node.func.id != "isinstance" or path.parts[0] == "machine":
            continue
        asked = ast.unparse(node.args[1])
        if "Compiled" in asked or "Reference" in asked:
            found.append(f"{path}:{node.lineno}: {asked}")
    return found


def names_used_twice(house: House) -> list[str]:
    """Classes, not nested in others, that share a name."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in house.trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path))
    return [f"{name}: {', '.join(paths)}" for name, paths in sorted(places.items()) if len(paths) > 1]


def import_cycles(house: House) -> list[str]:
    """Groups of files that import each other in a circle, by imports at their heads."""
    modules = {module_of(path): path for path in house.trees}
    graph = {name: _imported(house.trees[path], modules) - {name} for name, path in modules.items()}
    return [" ".join(sorted(group)) for group in _components(graph) if len(group) > 1]


def _imported(tree: ast.Module, modules: dict[str, Path]) -> set[str]:
    """The files that one imports at its head, types apart."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in modules else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & modules.keys()


def _components(graph: dict[str, set[str]]) -> list[set[str]]:
    """The groups of nodes that reach each other."""
    reach = {name: _reachable(graph, name) for name in graph}
    groups, seen = [], set[str]()
    for name in graph:
        if name not in seen:
            group = {name} | {other for other in reach[name] if name in reach[other]}
            groups.append(group)
            seen |= group
    return groups


def _reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    found, left = set[str](), [start]
    while left:
        for name in graph[left.pop()] - found:
            found.add(name)
            left.append(name)
    return found


def repeated_lines(house: House) -> list[str]:
    """Runs of REPEATED lines of code that stand in two places, as the first line of each."""
    places: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path, text in house.texts.items():
        lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
        imported = _import_lines(house.trees[path])
        code = [(number, line) for number, line in lines if _counts(line) and number not in imported]
        for first in range(len(code) - REPEATED + 1):
            run = tuple(line for _, line in code[first : first + REPEATED])
            places[run].append(f"{path}:{code[first][0]}")
    return [" = ".join(found) for found in places.values() if len(found) > 1]


def _import_lines(tree: ast.Module) -> set[int]:
    """The lines of imports, and of lists of public names."""
    nodes = [
        node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) or _is_all(node)
    ]
    return {line for node in nodes for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}


def _is_all(node: ast.AST) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _counts(line: str) -> bool:
    """Whether a line says something: no comment or lone bracket."""
    return len(line) > 3 and not line.startswith(("#", '"""'))


FIGURES: dict[str, Callable[[House], list[str]]] = {
    f"functions over {LONG_FUNCTION} lines": long_functions,
    f"files over {LONG_FILE} lines": long_files,
    "import cycles": import_cycles,
    "imports inside functions": imports_in_functions,
    "uses of Any": uses_of_any,
    "isinstance(..., Compiled...) outside machine/": questions_for_the_machine,
    "class names used twice": names_used_twice,
    f"runs of {REPEATED} lines that stand twice": repeated_lines,
}


# How it is shown


def sizes(house: House) -> dict[str, tuple[int, int]]:
    """Lines and files of each package."""
    lines, files = Counter[str](), Counter[str]()
    for path, text in house.texts.items():
        lines[package_of(path)] += text.count("\n")
        files[package_of(path)] += 1
    return {name: (lines[name], files[name]) for name in lines}


def show(houses: dict[str, House], is_listing: bool) -> None:
    """Print the table, and what was counted where that is asked for."""
    table = Table("", *houses)
    counted = [sizes(house) for house in houses.values()]
    for name in sorted(set().union(*counted)):
        shown = [f"{size[name][0]:,} in {size[name][1]}" if name in size else "" for size in counted]
        table.add_row(name, *shown)
    totals = [(sum(a for a, _ in size.values()), sum(b for _, b in size.values())) for size in counted]
    table.add_row("all lines, files", *(f"{lines:,} in {files}" for lines, files in totals), end_section=True)
    for name, count in FIGURES.items():
        table.add_row(name, *(str(len(count(house))) for house in houses.values()))
    console = Console()
    console.print(table)
    if is_listing:
        for name, count in FIGURES.items():
            console.print(f"\n{name}", style="bold")
            console.print("\n".join(count([*houses.values()][-1])), highlight=False)


def house_at(revision: str, folder: Path) -> House:
    """The house at a commit, written into a folder."""
    return House(unpack(revision, folder, f"src/{PACKAGE}") / "src" / PACKAGE)


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", metavar="REV", help="a commit to compare with")
    parser.add_argument("--list", action="store_true", help="print what was counted, too")
    options = parser.parse_args()
    now = House(Path(__file__).parent.parent / "src" / PACKAGE)
    with tempfile.TemporaryDirectory() as folder:
        houses = {options.before: house_at(options.before, Path(folder))} if options.before else {}
        show(houses | {"now": now}, options.list)


if __name__ == "__main__":
    main()
