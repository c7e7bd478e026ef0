"""Rules -> rules of the same game, and Game -> what can be found out about it before it is played.

*Transformers* turn rules into rules that mean the same game and are quicker to reason with; each is a named function
of its own file. *Analysis* says what kind of game it is: who moves when, whether one's gain is the other's loss, which
symmetries the board has, whether the game falls into parts.

catalogue                             the transformers by name
meaning                               what each relation of a sheet is; transformers go by it
optimizer, pruner, simplifier         less of the same
embedding                             what is redundant
materializer, grounder, symbolizer    tables, ground rules and symbols instead of reasoning
gain                                  what transformers gained: sizes, speed, whether play is the same
analysis, samples                     what kind of game it is, from the gates and from random play
random_games, random_play             random games looked at step by step; what they say of balance
effects, changes, parts, symmetry     what moves do, how facts change, what is independent, what looks the same
"""
