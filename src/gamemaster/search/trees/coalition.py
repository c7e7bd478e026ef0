"""Coalition search: for three and more roles, some of which are allies and pool their goals.

    goal(A, s)  = mean of goal(r, s)                                      over the roles r of an alliance A
    values(s)   = every alliance's goal in s                              s is terminal
                  the values(after(s, m)) best for the mover's alliance   over its moves m

`alliances` names them: `a+b,c+d` makes allies of a and b, and of c and d; a role that is in none is on its own. With
none named it is max^n; with two alliances and goals of a fixed sum it is minimax. Between moves that are equal for its
alliance a mover is expected to take the one worst for the searching role's, then for the other roles in their order.
The value of a move is what the searching role's alliance gets on average. The search deepens until the budget is spent
or all is searched; `depth` is the deepest iteration, `evaluation` (evaluation.py) what a position at the horizon is
worth to each role.

Assumes turn-taking and full information, that allies keep to their alliance, and that nobody cares about other ones.
Refuses simultaneous moves and chance with `Unsuitable`, unknown roles, and a role in two alliances.

Source: Luckhardt & Irani 1986 (max^n); von Neumann & Morgenstern 1944 (coalitions that act as one).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gamemaster.errors import ParameterError
from gamemaster.machine.game import Game, State
from gamemaster.search.budget import Budget
from gamemaster.search.evaluation import Evaluation, find_evaluation, intermediate
from gamemaster.search.goals import goals_in
from gamemaster.search.position import Position, root_of, state_of
from gamemaster.search.result import SearchResult
from gamemaster.search.tally import search_deeper
from gamemaster.search.trees.maxn import MaxN

__all__ = ["search"]


def search(
    state: State,
    role: str,
    budget: Budget,
    seed: int = 0,
    *,
    alliances: tuple[str, ...] = (),
    depth: int | None = None,
    evaluation: Evaluation | str = intermediate,
) -> SearchResult:
    """The best move for the role's alliance if every alliance plays for itself."""
    root, meter = root_of(state, role, "coalition"), budget.start()
    worth = find_evaluation(evaluation)

    def evaluate(position: Position, somebody: str) -> float:
        return maxn.scale.estimate(worth(state_of(position), somebody))

    goals = {each: goals_in(state.game, each) for each in state.game.roles}
    maxn = MaxN(
        role, state.game.roles, meter, evaluate, alliances=_alliances(state.game, alliances), goals=goals
    )
    run = partial(maxn.run, root, seed=seed)
    return search_deeper("coalition", root, role, meter, run, depth)


def _alliances(game: Game, texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The alliances that texts such as `a+b` name; UnknownRole or ParameterError where they are none."""
    alliances = [tuple(name.strip() for name in text.split("+")) for text in texts]
    named = [role for alliance in alliances for role in alliance]
    for role in named:
        game.check_role(role)
        if named.count(role) > 1:
            raise ParameterError(f"{role} is named twice in the alliances {', '.join(texts)}")
    return alliances
