"""The transformers by name; `pruner:moves` is the transformer `pruner` with its option `moves`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from gamemaster.errors import UnknownAlgorithm
from gamemaster.language.rules import Rules
from gamemaster.metagame.grounder import ground_rules
from gamemaster.metagame.materializer import materialize
from gamemaster.metagame.optimizer import optimize
from gamemaster.metagame.pruner import prune
from gamemaster.metagame.simplifier import simplify
from gamemaster.metagame.symbolizer import symbolize

__all__ = ["TRANSFORMERS", "Transformer", "apply", "find_transformer"]

Transformer = Callable[[Rules], Rules]

TRANSFORMERS: dict[str, Transformer] = {
    "optimizer": optimize,
    "simplifier": simplify,
    "pruner": prune,
    "pruner:moves": partial(prune, moves=True),
    "materializer": materialize,
    "materializer:dynamic": partial(materialize, dynamic=True),
    "grounder": ground_rules,
    "symbolizer": symbolize,
}


def find_transformer(name: str) -> Transformer:
    """The transformer of that name; UnknownAlgorithm where there is none."""
    if name not in TRANSFORMERS:
        raise UnknownAlgorithm(f"no transformer {name!r}; there are: {', '.join(TRANSFORMERS)}")
    return TRANSFORMERS[name]


def apply(rules: Rules, names: Iterable[str]) -> Rules:
    """The rules after the named transformers, one after the other; Unsuitable where one does not apply."""
    for transformer in [find_transformer(name) for name in names]:
        rules = transformer(rules)
    return rules
