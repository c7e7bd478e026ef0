"""What can be found out about a game, or made of its rules, before it is played.

*Transformers* turn rules into rules that mean the same game and are quicker to reason with; each is a named function
of its own file, and `catalogue` finds them by name. *Analysis* says what kind of game it is: who moves when, whether
one's gain is the other's loss, which symmetries the board has, whether the game falls into parts.
"""
