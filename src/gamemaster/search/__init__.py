"""State + budget -> SearchResult: every way of choosing a move, one algorithm a file.

Each file has `search(state, role, budget, seed=0, ...)`, which returns a SearchResult within the budget, and refuses
with `Unsuitable` a game that the algorithm cannot handle. `catalogue.py` finds them by name.
"""
