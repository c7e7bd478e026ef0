"""The arguments of a command -> what it does and prints.

In come the arguments, already parsed by `cli/`; out goes text for people, coloured in a terminal and plain in a pipe,
or JSON for programs. What is shown is found out by the stages below: here it only gets words and places on a screen.

screen, report, tables   where text goes, how wide and in which colours; errors and lines; rows
explaining               a strategy in words, with its proof
progress, loading        a bar while somebody waits; games, loaded behind one
boards, pictures         a state; `show --svg | --png | --board` and `replay --svg`
library, checking        `games` and `show`; `check`
creating                 `new`
perft, measuring         `perft`; `bench` and `show --network`
metagaming               `metagame` and `analyse`
learning, self_play      `learn`, from random games and from games against itself
judgement                what was learnt from those: heat maps, pairs, the curve
balancing                `balance`
solving                  `solve`
equilibria               `solve` of games with chance, hidden information or simultaneous moves
endgames                 `endgame`
thinking                 `players` and `think`
play, welcome            `play`: a game, or a first one against a friend
hot_seat                 the match at one keyboard
people, keyboard         who is asked there, and where their lines come from
hints, hidden            what a strong player would do; what may be seen of a hidden state
guests                   the players that are invited there
matches, match_screen    `match`, and a match as it is played
people_of_site           `account`
competing                `tournament` and `compare`
leaving, overheard       how it is steered and left; what players say beside their moves
parted                   what players print in a game that hides its state, kept until it is over
serving, replaying       `player`; `replay`
trees                    `tree`
walking                  steps forward and back, at a keyboard
"""
