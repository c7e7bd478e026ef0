"""Rules -> Game and State: one protocol, two machines. Read `game` first.

game           what a Game and a State are
kind           what kind of game it is
arguments      checks what callers give
moves          moves as people and players write them
showing        what notebooks show in their own way
mistakes       errors for what play shows to be wrong with rules
statistics     figures of finished games, with intervals
stepwise       random games, depth charges and perft, one state at a time
perft          how many sequences of moves there are, length by length
reference      the machine that asks the reference reasoner
preparation    begins to make a game for the compiled machine
layout         where every bit of a compiled game stands
artifact       all that the compiled machine needs of a game
improving      better instructions for a job, by logic synthesis, checked
background     makes machine code meanwhile
workshop       work that takes long, in another process
interrupts     an interrupt ends what threads do, and is never lost
notes          what random play in lanes notes of single games
lanes          many states at once
invariants     what holds in every state of play, proven and kept
dense          states as numbers that leave little out
weights        weights of moves, as callers give them
weighing       playouts by weights on lanes
batch_layout   where every bit of a batch stands
batch          many games side by side, as arrays
compiled       the machine that runs machine code
playtest       looks for mistakes in rules by playing
watching       facts that vanish or stand twice, as play shows; blaming: which rule that comes from
knowing        moves that do not follow from what a role knows, where the state is hidden
forgetting     facts that end by a move of which no rule for them speaks
probing        conditions that were never true in play; unmet: which of them is the cause of what went wrong
short_tables   tables of numbers with which play goes right if they have a row more
"""
