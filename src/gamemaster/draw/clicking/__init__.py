"""The parts of clicks: what a legal move touches on a board.

places                   where arguments are on a board
scene                    what moves change there
readings                 which leaves of a move are places
wording                  moves in words, for lists and for those who do not see the board
"""
