"""Rules -> Game and State: one protocol, two machines. Read `game` first.

game           what a Game and a State are
kind           what kind of game it is
arguments      checks what callers give
moves          moves as people and players write them
showing        what notebooks show in their own way
mistakes       errors for what play shows to be wrong with rules
stepwise       random games, depth charges and perft, one state at a time
perft          how many sequences of moves there are, length by length
reference      the machine that asks the reference reasoner
preparation    begins to make a game for the compiled machine
layout         where every bit of a compiled game stands
artifact       all that the compiled machine needs of a game
background     makes machine code meanwhile
workshop       work that takes long, in another process
interrupts     an interrupt ends what threads do, and is never lost
lanes          many states at once
compiled       the machine that runs machine code
playtest       looks for mistakes in rules by playing
"""
