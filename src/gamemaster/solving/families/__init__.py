"""One strategy for many sizes of a game: found for a few, stated with the size as an unknown, proved for each.

sizes       which sizes are meant: a game, one of its parameters, a range
formulas    numbers, terms and maps of terms as formulas of the size, fitted to some sizes and written for others
mirroring   a strategy by symmetry, as such formulas
arguments   an invariant, as such formulas: the smallest that proves the strategy for the sizes it was found for
family      the product: the strategy and the proofs of all its sizes, in words
seeking     the search for families among the sizes asked
"""
