"""The process that grounds: a program for clingo on standard input, flat arrays on standard output.

It is run by its path and imports nothing of ours unless the program calls builtins, so that it starts quickly. Request
and answer are pickled plain data; see `clingo_grounder.py` for both.
"""

from __future__ import annotations

import gc
import pickle
import signal
import sys
from array import array
from typing import Any

__all__ = ["OUT_OF_TIME", "ground_text"]

OUT_OF_TIME = 27
"""The signal that ends this process when it has had its seconds: SIGPROF, wherever there is one."""


def ground_text(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request: the ground rules and the named atoms, or an `error`."""
    import clingo

    messages: list[str] = []
    failures: list[Any] = []
    answer: dict[str, Any] = {"choices": set(), "facts": set(), "heads": array("i"), "literals": array("i")}
    answer["starts"] = array("i", [0])
    control = clingo.Control(["--warn=none"], logger=lambda _, text: messages.append(text))
    # `replace`: the rules go to the collector only; nobody solves them here
    control.register_observer(_collector(clingo, answer, request["rules"], failures), replace=True)
    callbacks = _callbacks(clingo, request, failures)
    try:
        control.add("base", [], request["text"])
        control.ground([("base", [])], context=callbacks)
    except RuntimeError:
        if failures:
            return {"error": failures[0]}
        reason = " ".join(messages[0].split()) if messages else "no reason given"
        return {"error": ("rules", reason)}
    values = _Values(request["functors"])
    answer["named"] = {
        name: [
            (tuple(map(values.__getitem__, atom.symbol.arguments)), atom.literal, atom.is_fact)
            for atom in control.symbolic_atoms.by_signature(program_name, arity)
        ]
        for name, program_name, arity in request["named"]
    }
    if request["name_all"]:
        answer["atoms"] = {
            atom.literal: (atom.symbol.name, *map(values.__getitem__, atom.symbol.arguments))
            for atom in control.symbolic_atoms
        }
    return answer


class _Values(dict[Any, Any]):
    """Symbols as plain data: a text, or a tuple of functor and arguments. Each is asked of clingo only once."""

    def __init__(self, functors: dict[str, tuple[str, int]]) -> None:
        super().__init__()
        self.functors = functors

    def __missing__(self, symbol: Any) -> Any:
        if symbol.type.name == "String":
            value = symbol.string
        else:
            value = (self.functors[symbol.name][0], *map(self.__getitem__, symbol.arguments))
        self[symbol] = value
        return value


def _collector(clingo: Any, answer: dict[str, Any], most: int, failures: list[Any]) -> Any:
    """What receives the ground rules from clingo.

    clingo raises exceptions of ours again as `type(error)(text)`, which suits few: they go to `failures` instead.
    """
    choices, facts = answer["choices"], answer["facts"]
    heads, literals, starts = answer["heads"], answer["literals"], answer["starts"]

    class Collector(clingo.Observer):  # type: ignore[misc]  # clingo's types are known only where it is imported
        def rule(self, choice: bool, head: list[int], body: list[int]) -> None:
            if choice:
                choices.update(head)
            elif not body:
                facts.update(head)
            elif len(heads) >= most:
                failures.append(("limit", "size", f"{most:,} ground rules"))
                raise RuntimeError("too many ground rules")
            else:
                for atom in head:
                    heads.append(atom)
                    literals.extend(body)
                    starts.append(len(literals))

    return Collector()


def _callbacks(clingo: Any, request: dict[str, Any], failures: list[Any]) -> Any:
    """What evaluates builtins, where the program calls any."""
    if "@" not in request["text"]:
        return None
    sys.path[:] = request["path"]
    from gamemaster.ground.asp import Callbacks

    return Callbacks(request["functors"], clingo, failures)


def _limit_memory(megabytes: int) -> None:
    """Let this process have only so much memory, where the system can do that."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    size = megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _limit_time(seconds: float) -> None:
    """Let this process have only so many seconds of a processor, where the system can do that."""
    if hasattr(signal, "setitimer"):  # Windows has no such limits
        signal.setitimer(signal.ITIMER_PROF, seconds)


def main() -> None:
    """Answer one request."""
    gc.disable()  # this process makes no cycles and ends soon
    request = pickle.load(sys.stdin.buffer)
    _limit_memory(request["megabytes"])
    _limit_time(request["seconds"])
    pickle.dump(ground_text(request), sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    main()
