"""/trees: how a search goes through a small tree, forward and back, step by step.

The address says which tree or game, how it is searched and which step is shown, so it can be shared, and the page is
complete as it comes: static/trees.js only asks for other steps without loading it anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, cast
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gamemaster.draw.trees.words import ALGORITHM_NAMES
from gamemaster.errors import Busy, GamemasterError, UnknownAlgorithm
from gamemaster.search.tracing.notation import ALGORITHMS_OF_TREES
from gamemaster.search.tracing.shelf import EXAMPLES, example_tree
from gamemaster.web.copies import why_not
from gamemaster.web.jobs import Plain
from gamemaster.web.keeping import Kept
from gamemaster.web.pages.arranging import own_choices
from gamemaster.web.patience import while_there
from gamemaster.web.rendering import render
from gamemaster.web.shelf import shelf, title_of
from gamemaster.web.site import site_of
from gamemaster.web.statuses import status_of
from gamemaster.web.tracing import traced_step

__all__ = ["router"]

router = APIRouter()

FIRST = "aima"
DEEPEST = 6
"""A game is not looked at further ahead on the page."""

SECONDS = 20.0
"""What the tree of a game may take."""

MOST_KEPT = 200


@dataclass
class TracedSteps:
    """What was drawn since the server began."""

    steps: Kept[Plain] = field(default_factory=lambda: Kept(MOST_KEPT))


@dataclass(frozen=True, slots=True)
class TreeWish:
    """Which tree or game, by which algorithm, how deep, and after which step; None and nothing: what suits it."""

    of: str
    algorithm: str = ""
    depth: int | None = None
    step: int | None = None

    def query(self, step: int | None = None) -> str:
        """The wish as it stands in an address, with a step."""
        said = {"of": self.of, "algorithm": self.algorithm, "depth": self.depth, "step": step}
        return urlencode(
            {key: value for key, value in said.items() if value not in (None, "")},
            safe=":=,@",
            quote_via=quote,
        )


Depth = Annotated[str, Query(max_length=3)]
Step = Annotated[int | None, Query(ge=0, le=100_000)]


async def _wish(request: Request, of: str, algorithm: str, depth: str, step: int | None) -> TreeWish:
    """What an address asks for; UnknownGame or UnknownAlgorithm for what there is not."""
    if of not in EXAMPLES:
        await site_of(request).brought.check(request, of)
    if algorithm and algorithm not in ALGORITHMS_OF_TREES:
        there = ", ".join(ALGORITHMS_OF_TREES)
        raise UnknownAlgorithm(f"no algorithm {algorithm[:40]!r} for trees; there are: {there}")
    deep = int(depth) if depth.isascii() and depth.isdecimal() and 0 < int(depth) <= DEEPEST else None
    return TreeWish(of, algorithm, deep, step)


@router.get("/trees")
async def page(
    request: Request, of: str = FIRST, algorithm: str = "", depth: Depth = "", step: Step = None
) -> Response:
    """The page at a step."""
    wish = await _wish(request, of, algorithm, depth, step)
    try:
        found = await while_there(request, _found(request, wish))
    except GamemasterError as error:
        if isinstance(error, Busy):
            raise
        return await _page(request, wish, None, problem=why_not(error), status=status_of(error))
    return await _page(request, wish, found)


@router.get("/trees/step.json")
async def one_step(
    request: Request, of: str = FIRST, algorithm: str = "", depth: Depth = "", step: Step = None
) -> Response:
    """A step alone: its picture and its words."""
    try:
        wish = await _wish(request, of, algorithm, depth, step)
        found = await while_there(request, _found(request, wish))
    except GamemasterError as error:
        return JSONResponse({"error": str(error)}, status_of(error))
    return JSONResponse({key: found[key] for key in ("step", "last", "words", "svg")})


def _kept(request: Request) -> Kept[Plain]:
    state = request.app.state
    if not hasattr(state, "traced"):
        state.traced = TracedSteps()
    return cast("TracedSteps", state.traced).steps


async def _found(request: Request, wish: TreeWish) -> Plain:
    """A step, drawn in another process; games are not the quickest there."""
    workers = site_of(request).workers
    arguments = (traced_step, wish.of, wish.algorithm, wish.depth, wish.step)
    if wish.of in EXAMPLES:
        return await _kept(request).get(wish, partial(workers.quick, *arguments))
    return await _kept(request).get(wish, partial(workers.slow, *arguments, seconds=SECONDS))


async def _page(
    request: Request, wish: TreeWish, found: Plain | None, *, problem: str = "", status: int = 200
) -> Response:
    is_example = wish.of in EXAMPLES
    title = example_tree(wish.of).title if is_example else title_of(wish.of)
    return render(
        request,
        "trees.html",
        status,
        wish=replace(wish, step=None),
        is_example=is_example,
        title=title,
        address=quote(wish.of, safe=":=,@"),
        examples={name: example_tree(name).title for name in EXAMPLES},
        games=shelf(),
        own=await own_choices(request),
        algorithms=ALGORITHM_NAMES,
        depths=range(1, DEEPEST + 1),
        problem=problem,
        found=found,
    )
