"""What the first load of a game costs on the compiled machine: CPU seconds by stage, and the most memory.

    python bench/loading.py [--seconds 120] [--json] [GAME or FILE ...]     default: the library

Every game is loaded in a process of its own, after `import gamemaster`, from a cache that has the runtime's machine
code (made once for a machine) and nothing of the game. Seconds are CPU time of that process and those it starts:
`ground` is the process that grounds, `build` and `encode` are what made the gates and the instructions, `rest` is the
imports of numpy and LLVM, reading and splitting the rules. `times` is the ratio to tictactoe in the same run. `peak` is
the most memory that the process, or one it started, had.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from gamemaster.games import game_names

ONE = """
import json, resource, sys
import gamemaster as gm

def spent():
    return [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]

def seconds(before, after):
    return [b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(before, after)]

before = spent()
found = {}
try:
    game = gm.load(sys.argv[1], machine="compiled")
except gm.GamemasterError as error:
    found["refused"] = str(error).splitlines()[0]
after = spent()
own, others = seconds(before, after)
peak = max(usage.ru_maxrss for usage in after) / 1000
found |= {"cpu": own + others, "ground": others, "megabytes": peak}
if "refused" not in found:
    figures = game.artifact.figures
    found |= {"build": figures["build_seconds"], "encode": figures["encode_seconds"]}
    found |= {"rules": figures["ground_rules"], "gates": figures["gates"]}
print(json.dumps(found))
"""
WARM = "import gamemaster as gm; gm.parse('role(a) legal(a,x) init(p) next(p) terminal :- true(p)', machine='compiled')"

COLUMNS = ("cpu", "ground", "build", "encode", "rest")
BOUNDS = (1, 10)


def _environment(cache: Path) -> dict[str, str]:
    """What a process gets; it may keep its modules compiled, as processes usually do."""
    others = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**others, "GAMEMASTER_CACHE": str(cache)}


def load(name: str, seconds: float, kept: Path) -> dict[str, Any]:
    """What loading a game took, in a process of its own with a copy of the cache that is kept."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        shutil.copytree(kept, cache)
        command = [sys.executable, "-c", ONE, name]
        environment = _environment(cache)
        try:
            run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return {"refused": f"no answer in {seconds:g} s"}
    if run.returncode:
        return {"refused": run.stderr.strip().splitlines()[-1]}
    found: dict[str, Any] = json.loads(run.stdout)
    if "refused" not in found:
        found["rest"] = max(0.0, found["cpu"] - found["ground"] - found["build"] - found["encode"])
    return found


def line(name: str, found: dict[str, Any], yardstick: float) -> str:
    """A line of the table."""
    if "refused" in found:
        return f"{name[:28]:30}{found['refused']}"
    times = "".join(f"{found[column]:8.2f}" for column in COLUMNS)
    sizes = (
        f"{found['cpu'] / yardstick:8.1f}{found['megabytes']:8.0f}{found['rules']:11,}{found['gates']:10,}"
    )
    return f"{name[:28]:30}{times}{sizes}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", default=game_names())
    parser.add_argument("--seconds", type=float, default=120, help="how long anybody waits for a game")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder)
        subprocess.run([sys.executable, "-c", WARM], env=_environment(kept), check=True)
        for path in kept.iterdir():  # the game that made the runtime is of no use to others
            if path.stat().st_size < 4_000:
                path.unlink()
        yardstick = min(load("tictactoe", options.seconds, kept)["cpu"] for _ in range(3))
        if not options.json:
            heads = "".join(f"{column:>8}" for column in (*COLUMNS, "times", "peak"))
            print(f"{'CPU seconds, megabytes':30}{heads}{'rules':>11}{'gates':>10}")
        made = []
        for name in options.games:
            found = load(name, options.seconds, kept)
            made.append(found)
            shown = json.dumps({"game": name, "times": found.get("cpu", 0) / yardstick, **found})
            print(shown if options.json else line(Path(name).stem, found, yardstick), flush=True)
    loaded = [found for found in made if "refused" not in found]
    counts = {f"under {bound} s": sum(found["cpu"] < bound for found in loaded) for bound in BOUNDS}
    total = {"games": len(made), "compiled": len(loaded), **counts}
    total["megabytes at most"] = round(max((found["megabytes"] for found in loaded), default=0))
    print(
        json.dumps(total) if options.json else ", ".join(f"{name}: {count}" for name, count in total.items())
    )


if __name__ == "__main__":
    main()
